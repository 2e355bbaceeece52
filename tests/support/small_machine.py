"""A device that exists nowhere: 16-bit words, 8 registers. What is in codegen/ knows no more of NaplesPU than of this one."""

from voltac.codegen.device import DeviceCode, ImmediateKind, RelocationKind, SectionPlace
from voltac.codegen.machine_code import Register
from voltac.codegen.rows import Format, InstructionSet, Row, RowOperand

T = Format("T", "0 op:3 rd:3 ra:3 rb:3 000", 16)
S = Format("S", "10 op:2 rd:3 imm:9", 16)
B = Format("B", "11 op:2 rd:3 off:9", 16)

REGISTERS = {f"r{number}": Register(f"r{number}", "word", number) for number in range(8)}

_THREE = (RowOperand("rd", "word", "def"), RowOperand("ra", "word"), RowOperand("rb", "word"))

INSTRUCTIONS = InstructionSet((
    Row("add", "add {rd} = {ra}, {rb}", T, {"op": 0}, _THREE, "alu", 1, "ra + rb"),
    Row("load", "load {rd}, [{ra}]", T, {"op": 1}, _THREE[:2], "memory", 3, traits=frozenset(("load",))),
    Row("set", "set {rd}, {imm}", S, {"op": 0}, (RowOperand("rd", "word", "def"), RowOperand("imm", "byte")), "alu", 1, "imm"),
    Row("low", "low {rd}, {imm}", S, {"op": 1}, (RowOperand("rd", "word", "def"), RowOperand("imm", "low")), "alu", 1, "imm"),
    Row("high", "high {rd}, {imm}", S, {"op": 2}, (RowOperand("rd", "word", "update"), RowOperand("imm", "high")), "alu", 1),
    Row("branch", "branch {rd} ? {off}", B, {"op": 0}, (RowOperand("rd", "word"), RowOperand("off", "near")), "alu", 2),
))  # fmt: skip

SMALL = DeviceCode(
    name="small",
    instructions=INSTRUCTIONS,
    registers=REGISTERS,
    immediates={
        "byte": ImmediateKind(9, signed=True),
        "low": ImmediateKind(9, signed=False, part="low"),
        "high": ImmediateKind(9, signed=False, part="high"),
        "near": ImmediateKind(9, signed=True, multiple=2, part="relative"),
    },
    relocations=(
        RelocationKind(1, "R_SMALL_WORD", "absolute", 0, 32),
        RelocationKind(2, "R_SMALL_NEAR", "relative", 0, 9),
        RelocationKind(3, "R_SMALL_LOW", "low", 0, 9),
        RelocationKind(4, "R_SMALL_HIGH", "high", 0, 9),
    ),
    elf_machine=4242,
    places=(SectionPlace(".text", "text", 0x100, 0x200), SectionPlace(".data", "data", 0x200, 0x400)),
    section_alignment=4,
)
