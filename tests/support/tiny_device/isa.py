"""The instructions, of 32 bits, on three registers."""

from __future__ import annotations

from voltac.codegen.device import DeviceCode, ImmediateKind, RelocationKind, SectionPlace
from voltac.codegen.machine_code import Register
from voltac.codegen.rows import Format, InstructionSet, Row, RowOperand

A = Format("A", "000 op:5 rd:2 ra:2 rb:2 000000000000000000", 32)
I = Format("I", "0010 op:4 rd:2 000000 imm:16", 32)  # noqa: E741

_TWO = (RowOperand("rd", "word", "def"), RowOperand("ra", "word"), RowOperand("rb", "word"))
_MEANINGS = {
    "add": "ra + rb", "sub": "ra - rb", "mul": "ra * rb", "and": "ra & rb", "or": "ra | rb", "xor": "ra ^ rb",
    "shl": "ra << (rb & 31)", "lshr": "ra >> (rb & 31)", "less": "signed(ra) < signed(rb)", "below": "ra < rb",
    "same": "ra == rb",
}  # fmt: skip

INSTRUCTIONS = InstructionSet((
    *(Row(name, f"{name} {{rd}}, {{ra}}, {{rb}}", A, {"op": number}, _TWO, "alu", 1, meaning)
      for number, (name, meaning) in enumerate(_MEANINGS.items())),
    Row("load", "load {rd}, {ra}", A, {"op": 11}, _TWO[:2], "memory", 3, traits=frozenset(("load",))),
    Row("store", "store {ra}, {rb}", A, {"op": 12}, _TWO[1:], "memory", 1, traits=frozenset(("store",))),
    Row("loadb", "loadb {rd}, {ra}", A, {"op": 15}, _TWO[:2], "memory", 3, traits=frozenset(("load",))),
    Row("storeb", "storeb {ra}, {rb}", A, {"op": 16}, _TWO[1:], "memory", 1, traits=frozenset(("store",))),
    Row("jump", "jump {ra}", A, {"op": 17}, _TWO[1:2], "alu", 2, traits=frozenset(("branch",))),
    Row("ashr", "ashr {rd}, {ra}, {rb}", A, {"op": 14}, _TWO, "alu", 1, "signed(ra) >> (rb & 31)"),
    Row("halt", "halt", A, {"op": 13}, (), "alu", 1, traits=frozenset(("end",))),
    Row("low", "low {rd}, {imm}", I, {"op": 0}, (RowOperand("rd", "word", "def"), RowOperand("imm", "low")), "alu", 1, "imm"),
    Row("high", "high {rd}, {imm}", I, {"op": 1}, (RowOperand("rd", "word", "update"), RowOperand("imm", "high")), "alu", 1,
        "rd | imm << 16"),
    Row("branch", "branch {rd}, {imm}", I, {"op": 2}, (RowOperand("rd", "word"), RowOperand("imm", "near")), "alu", 2,
        traits=frozenset(("branch",))),
))  # fmt: skip

DEVICE_CODE = DeviceCode(
    name="tiny",
    instructions=INSTRUCTIONS,
    registers={f"r{number}": Register(f"r{number}", "word", number) for number in range(3)},
    immediates={
        "low": ImmediateKind(16, signed=False, part="low"),
        "high": ImmediateKind(16, signed=False, part="high"),
        "near": ImmediateKind(16, signed=True, multiple=4, part="relative"),
    },
    relocations=(
        RelocationKind(1, "R_TINY_WORD", "absolute", 0, 32),
        RelocationKind(2, "R_TINY_NEAR", "relative", 0, 16),
        RelocationKind(3, "R_TINY_LOW", "low", 0, 16),
        RelocationKind(4, "R_TINY_HIGH", "high", 0, 16),
    ),
    elf_machine=4243,
    places=(SectionPlace(".text", "text", 0x400, 0x10000), SectionPlace(".data", "data", 0x10000, 0x20000)),
    section_alignment=4,
)
DEVICE_CODES = {DEVICE_CODE.name: DEVICE_CODE}
