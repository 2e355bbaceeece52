"""The instructions of NaplesPU as rows (NaplesPU 2; latencies of section 6.2 of the NaplesPU page).

To add an instruction, add a line to the table of its format. Shapes are
written as in the reference: result first, ``s`` scalar, ``v`` vector, ``i``
immediate. A vector result exists twice, plain and ``.m``: the hardware masks
both alike, but the plain one is for code that runs with all lanes on and whose
old destination is dead, ``.m`` keeps the lanes that are off (role ``update``).

Meanings are expressions over the operands' fields (``simulator/meanings.py``):
numbers are 32 bits without sign, arrays have one for each lane.
"""

from __future__ import annotations

from voltac.codegen.device import DeviceCode, ImmediateKind, RelocationKind, SectionPlace
from voltac.codegen.rows import Format, InstructionSet, Row, RowOperand
from voltac.targets.naplespu.facts import SCRATCHPAD_BYTES
from voltac.targets.naplespu.regs import BY_NAME

R = Format("R", "00 op:6 rd:6 rs0:6 rs1:6 00 fd f0 f1 m")
I = Format("I", "010 op:5 rd:6 rs0:6 imm:9 fd f0 m")  # noqa: E741 - the manual's name
MOVEI = Format("MOVEI", "01100 op:3 rd:6 imm:16 fd m")
C = Format("C", "01101 op:3 rs0:6 rs1:6 000000000000")
JR = Format("JR", "01110 op:3 rs:6 imm:18")
J = Format("J", "01111 op:3 imm:24")
M = Format("M", "10 op:6 rds:6 rbase:6 off:9 0 s m")
NOP = Format("NOP", "11111111111111111111111111111111")
# The bit for operations on 64 bits, which the core has not, is always 0.

INTEGER, FLOAT, MEMORY, SCRATCHPAD, CONTROL = "integer", "float", "memory", "scratchpad", "control"

_KINDS = {"s": "scalar", "v": "vector", "i": "imm9"}
_BINARY = "sss vvs vvv vsv vss"
_COMPARE = "sss svs svv"

# op, mnemonic, shapes, unit, latency, meaning
_R_ROWS: tuple[tuple[int, str, str, str, int, str], ...] = (
    (0, "not_i32", "ss vv", INTEGER, 7, "~rs0"),
    (1, "or_i32", _BINARY, INTEGER, 7, "rs0 | rs1"),
    (2, "and_i32", _BINARY, INTEGER, 7, "rs0 & rs1"),
    (3, "xor_i32", _BINARY, INTEGER, 7, "rs0 ^ rs1"),
    (4, "add_i32", _BINARY, INTEGER, 7, "rs0 + rs1"),
    (5, "sub_i32", _BINARY, INTEGER, 7, "rs0 - rs1"),
    (6, "mull_i32", _BINARY, INTEGER, 7, "rs0 * rs1"),
    (7, "mulhs_i32", _BINARY, INTEGER, 7, "high_of_signed_product(rs0, rs1)"),
    (8, "mulhu_i32", _BINARY, INTEGER, 7, "high_of_product(rs0, rs1)"),
    (9, "ashr_i32", _BINARY, INTEGER, 7, "arithmetic_right(rs0, rs1)"),
    (10, "shr_i32", _BINARY, INTEGER, 7, "right(rs0, rs1)"),
    (11, "shl_i32", _BINARY, INTEGER, 7, "left(rs0, rs1)"),
    (12, "clz_i32", "ss vv", INTEGER, 7, "leading_zeros(rs0)"),
    (13, "ctz_i32", "ss vv", INTEGER, 7, "trailing_zeros(rs0)"),
    (14, "cmpeq_i32", _COMPARE, INTEGER, 7, "rs0 == rs1"),
    (15, "cmpne_i32", _COMPARE, INTEGER, 7, "rs0 != rs1"),
    (16, "cmpgt_i32", _COMPARE, INTEGER, 7, "signed(rs0) > signed(rs1)"),
    (17, "cmpge_i32", _COMPARE, INTEGER, 7, "signed(rs0) >= signed(rs1)"),
    (18, "cmplt_i32", _COMPARE, INTEGER, 7, "signed(rs0) < signed(rs1)"),
    (19, "cmple_i32", _COMPARE, INTEGER, 7, "signed(rs0) <= signed(rs1)"),
    (20, "cmpugt_i32", _COMPARE, INTEGER, 7, "rs0 > rs1"),
    (21, "cmpuge_i32", _COMPARE, INTEGER, 7, "rs0 >= rs1"),
    (22, "cmpult_i32", _COMPARE, INTEGER, 7, "rs0 < rs1"),
    (23, "cmpule_i32", _COMPARE, INTEGER, 7, "rs0 <= rs1"),
    (24, "shuffle_i32", "vvv", INTEGER, 7, "shuffled(rs0, rs1)"),
    (25, "getlane_i32", "svs", INTEGER, 7, "lane(rs0, rs1)"),
    (32, "move_i32", "ss vs vv", INTEGER, 7, "rs0"),
    (33, "fadd_f32", _BINARY, FLOAT, 12, "float_add(rs0, rs1)"),
    (34, "fsub_f32", _BINARY, FLOAT, 12, "float_subtract(rs0, rs1)"),
    (35, "fmul_f32", _BINARY, FLOAT, 11, "float_multiply(rs0, rs1)"),
    (36, "fdiv_f32", _BINARY, FLOAT, 24, "float_divide(rs0, rs1)"),
    (37, "cmpfeq_f32", _COMPARE, FLOAT, 8, "float_equal(rs0, rs1)"),
    (38, "cmpfne_f32", _COMPARE, FLOAT, 8, "float_not_equal(rs0, rs1)"),
    (39, "cmpfgt_f32", _COMPARE, FLOAT, 8, "float_greater(rs0, rs1)"),
    (40, "cmpfge_f32", _COMPARE, FLOAT, 8, "float_greater_equal(rs0, rs1)"),
    (41, "cmpflt_f32", _COMPARE, FLOAT, 8, "float_less(rs0, rs1)"),
    (42, "cmpfle_f32", _COMPARE, FLOAT, 8, "float_less_equal(rs0, rs1)"),
    (43, "sext8_i32", "ss vv", INTEGER, 7, "sign_extend(rs0, 8)"),
    (44, "sext16_i32", "ss vv", INTEGER, 7, "sign_extend(rs0, 16)"),
    (45, "sext32_i32", "ss vv", INTEGER, 7, "rs0"),
    (48, "itof_i32", "ss vv", FLOAT, 13, "float_of_signed(rs0)"),
    (49, "ftoi_i32", "ss vv", FLOAT, 11, "signed_of_float(rs0)"),
    (50, "crt_mask_i32", "sv", INTEGER, 7, "bitmap(rs0 & 1)"),
)

_WITHOUT_IMMEDIATE = frozenset((0, 12, 13, 24))

# op, mnemonic, meaning; ``rd`` in a meaning is the old value
_MOVEI_ROWS = (
    (0, "moveil", "rd & 0xFFFF0000 | imm"),
    (1, "moveih", "rd & 0xFFFF | imm << 16"),
    (2, "movei", "imm"),
)

# op, mnemonic, class of the register, bytes of an element, alignment in bytes, signed
_LOADS: tuple[tuple[int, str, str, int, int, bool], ...] = (
    (0, "load32_s8", "scalar", 1, 1, True),
    (1, "load32_s16", "scalar", 2, 2, True),
    (2, "load32", "scalar", 4, 4, False),
    (4, "load32_u8", "scalar", 1, 1, False),
    (5, "load32_u16", "scalar", 2, 2, False),
    (6, "load_32_u", "scalar", 4, 4, False),
    (7, "load_v16i8", "vector", 1, 16, True),
    (8, "load_v16i16", "vector", 2, 32, True),
    (9, "load_v16i32", "vector", 4, 64, False),
    (11, "load_v16u8", "vector", 1, 16, False),
    (12, "load_v16u16", "vector", 2, 32, False),
    (13, "load_v_32_u", "vector", 4, 64, False),
)
_STORES: tuple[tuple[int, str, str, int, int], ...] = (
    (32, "store32_8", "scalar", 1, 1),
    (33, "store32_16", "scalar", 2, 2),
    (34, "store32", "scalar", 4, 4),
    (36, "store_v16i8", "vector", 1, 16),
    (37, "store_v16i16", "vector", 2, 32),
    (38, "store_v16i32", "vector", 4, 64),
)


def _with_mask(row: Row) -> tuple[Row, ...]:
    """A row with vectors, and its twin with the bit ``m``: masking is intended. The hardware does not look at it.

    To the compiler only a twin with a vector result is another instruction: it keeps the lanes that are off.
    """
    if not any(operand.kind == "vector" for operand in row.operands):
        return (row,)
    first = row.operands[0]
    keeps = (first.kind, first.role) == ("vector", "def")
    twin = Row(
        row.name + ".m",
        row.text.replace(" ", ".m ", 1),
        row.format,
        row.fixed | {"m": 1},
        (RowOperand(first.field, "vector", "update"), *row.operands[1:]) if keeps else row.operands,
        row.unit,
        row.latency,
        row.meaning,
        row.traits | {"masked"} if keeps else row.traits,
    )
    return (row, twin)


def _reads_mask(kinds: str) -> frozenset[str]:
    return frozenset(("vector",)) if "v" in kinds else frozenset()


def _r_rows() -> list[Row]:
    rows: list[Row] = []
    for op, mnemonic, shapes, unit, latency, meaning in _R_ROWS:
        for shape in shapes.split():
            fields = ("rd", "rs0", "rs1")[: len(shape)]
            operands = tuple(
                RowOperand(name, _KINDS[kind], "def" if name == "rd" else "use") for name, kind in zip(fields, shape)
            )
            shape_bits = {bit: int(kind == "v") for bit, kind in zip(("fd", "f0", "f1"), shape)}
            text = f"{mnemonic} " + ", ".join(f"{{{name}}}" for name in fields)
            fixed = {"op": op, **shape_bits}
            row = Row(f"{mnemonic}.{shape}", text, R, fixed, operands, unit, latency, meaning, _reads_mask(shape))
            rows += _with_mask(row)
    return rows


def _i_rows() -> list[Row]:
    rows: list[Row] = []
    for op, mnemonic, shapes, unit, latency, meaning in _R_ROWS:
        if op > 31 or op in _WITHOUT_IMMEDIATE:
            continue
        name = mnemonic.removesuffix("_i32") + "i"
        for shape in {"svs": ("svi",), _COMPARE: ("ssi", "svi"), _BINARY: ("ssi", "vvi", "vsi")}[shapes]:
            operands = (
                RowOperand("rd", _KINDS[shape[0]], "def"),
                RowOperand("rs0", _KINDS[shape[1]]),
                RowOperand("imm", "imm9"),
            )
            fixed = {"op": op, "fd": int(shape[0] == "v"), "f0": int(shape[1] == "v")}
            text = f"{name} {{rd}}, {{rs0}}, {{imm}}"
            row = Row(
                f"{name}.{shape}", text, I, fixed, operands, unit, latency, meaning.replace("rs1", "imm"), _reads_mask(shape)
            )
            rows += _with_mask(row)
    return rows


def _movei_rows() -> list[Row]:
    rows: list[Row] = []
    for op, mnemonic, meaning in _MOVEI_ROWS:
        for shape in ("si", "vi"):
            vector = shape == "vi"
            role = "update" if "rd" in meaning else "def"
            operands = (RowOperand("rd", _KINDS[shape[0]], role), RowOperand("imm", "imm16"))
            fixed = {"op": op, "fd": int(vector)}
            text = f"{mnemonic} {{rd}}, {{imm}}"
            row = Row(f"{mnemonic}.{shape}", text, MOVEI, fixed, operands, INTEGER, 7, meaning, _reads_mask(shape))
            rows += _with_mask(row)
    return rows


def _address_rows() -> list[Row]:
    """``leah`` and ``leal``: moveih and moveil of the halves of a label's address."""
    rows: list[Row] = []
    for mnemonic, op, part in (("leah", 1, "high"), ("leal", 0, "low")):
        same = next(row for row in _movei_rows() if row.fixed == {"op": op, "fd": 0})
        operands = (same.operands[0], RowOperand("imm", part))
        text = f"{mnemonic} {{rd}}, {{imm}}"
        rows.append(Row(f"{mnemonic}.si", text, MOVEI, same.fixed, operands, INTEGER, 7, same.meaning, frozenset(("alias",))))
    return rows


def _mask_rows() -> list[Row]:
    """Other words for a move from and to the mask register."""
    scalar = "scalar"
    read = Row(
        "read_mr",
        "read_mr {rd}",
        R,
        {"op": 32, "rs0": 59},
        (RowOperand("rd", scalar, "def"),),
        INTEGER,
        7,
        traits=frozenset(("alias", "read_mask")),
    )
    write = Row(
        "write_mr", "write_mr {rs0}", R, {"op": 32, "rd": 59}, (RowOperand("rs0", scalar),), INTEGER, 7,
        traits=frozenset(("alias", "write_mask")),
    )  # fmt: skip
    return [read, write]


def _memory_rows() -> list[Row]:
    rows: list[Row] = []
    for scratchpad, suffix, unit, latency in ((0, "", MEMORY, 9), (1, "_scratchpad", SCRATCHPAD, 11)):
        for op, mnemonic, kind, size, alignment, signed in _LOADS:
            text = f"{mnemonic}{suffix} {{rds}}, {{off}}({{rbase}})"
            operands = (RowOperand("rds", kind, "def"), RowOperand("off", "imm9"), RowOperand("rbase", "scalar"))
            traits = {"load", f"bytes {size}", f"align {4 if scratchpad and kind == 'vector' else alignment}"}
            traits |= {"signed"} if signed else set()
            traits |= {"vector"} if kind == "vector" else set()
            row = Row(
                mnemonic + suffix, text, M, {"op": op, "s": scratchpad}, operands, unit, latency, traits=frozenset(traits)
            )
            rows += _with_mask(row)
        for op, mnemonic, kind, size, alignment in _STORES:
            text = f"{mnemonic}{suffix} {{rds}}, {{off}}({{rbase}})"
            operands = (RowOperand("rds", kind), RowOperand("off", "imm9"), RowOperand("rbase", "scalar"))
            traits = {"store", f"bytes {size}", f"align {4 if scratchpad and kind == 'vector' else alignment}"}
            traits |= {"vector"} if kind == "vector" else set()
            fixed = {"op": op, "s": scratchpad}
            rows += _with_mask(Row(mnemonic + suffix, text, M, fixed, operands, unit, 1, traits=frozenset(traits)))
    return rows


def _control_rows() -> list[Row]:
    def row(name: str, text: str, form: Format, op: int, operands: tuple[RowOperand, ...], latency: int, *traits: str) -> Row:
        fixed = {"op": op} if "op" in form.fields else {}
        return Row(name, text, form, fixed, operands, CONTROL, latency, traits=frozenset(traits))

    scalar = RowOperand("rs", "scalar")
    target = RowOperand("imm", "label")
    first, second = RowOperand("rs0", "scalar"), RowOperand("rs1", "scalar")
    # The cross product has an encoding; without the unit its result never comes.
    vectors = (RowOperand("rd", "vector", "def"), RowOperand("rs0", "vector"), RowOperand("rs1", "vector"))
    absent = frozenset(("absent",))
    return [
        row("jmp", "jmp {imm}", J, 0, (target,), 9, "branch", "end"),
        row("jmpsr", "jmpsr {imm}", J, 1, (target,), 9, "call"),
        row("jmp.s", "jmp {rs}", JR, 0, (scalar,), 9, "branch", "end", "indirect"),
        row("jmpsr.s", "jmpsr {rs}", JR, 1, (scalar,), 9, "call", "indirect"),
        row("jsys", "jsys", JR, 2, (), 1),
        row("jret", "jret", JR, 3, (), 9, "return", "end"),
        row("jeret", "jeret {rs}", JR, 4, (scalar,), 9, "branch", "end", "indirect"),
        row("beqz", "beqz {rs}, {imm}", JR, 5, (scalar, target), 9, "branch", "conditional"),
        row("bnez", "bnez {rs}, {imm}", JR, 6, (scalar, target), 9, "branch", "conditional"),
        row("barrier", "barrier {rs0}, {rs1}", C, 0, (first, second), 10, "barrier"),
        row("flush", "flush {rs0}", C, 2, (first,), 1, "flush"),
        row("read_cr", "read_cr {rs0}, {rs1}", C, 3, (RowOperand("rs0", "scalar", "def"), second), 7, "read_control"),
        row("write_cr", "write_cr {rs0}, {rs1}", C, 4, (first, second), 1, "write_control"),
        row("dcache_inv", "dcache_inv {rs0}", C, 5, (first,), 1, "flush", "invalidate"),
        row("nop", "nop", NOP, 0, (), 1),
        *_with_mask(
            Row("crp", "crp {rd}, {rs0}, {rs1}", R, {"op": 63, "fd": 1, "f0": 1, "f1": 1}, vectors, FLOAT, 0, traits=absent)
        ),
    ]


INSTRUCTIONS = InstructionSet(
    (*_r_rows(), *_i_rows(), *_movei_rows(), *_address_rows(), *_mask_rows(), *_memory_rows(), *_control_rows())
)
"""Every instruction that the core executes; what it lacks (gather, 64 bit) has no row. ``absent`` ones are known by name."""

CONTROL_REGISTERS = {
    "tile_id": 0, "core_id": 1, "thread_id": 2, "global_id": 3, "cycles_low": 4, "cycles_high": 5, "threads_enabled": 6,
    "data_misses": 7, "instruction_misses": 8, "pc": 9, "trap_reason": 10, "thread_status": 11, "argc": 12, "argv": 13,
    "thread_number": 14, "thread_miss_cycles": 15, "kernel_work": 16, "cpu_control": 17, "power": 18, "uncoherence_map": 19,
    "debug_0": 20, "debug_1": 21,
}  # fmt: skip
"""Name -> number for read_cr and write_cr (NaplesPU 1.4). In the first two of the free ones the host
leaves the number of threads of a core and of cores."""

_LINE = 64
SCRATCHPAD_BASE = 0xFE00_0000
"""Pointers into the scratchpad are addresses from here on; its instructions look at the low 16 bits only."""

DEVICE_CODE = DeviceCode(
    name="naplespu",
    instructions=INSTRUCTIONS,
    registers=BY_NAME,
    immediates={
        "imm9": ImmediateKind(9, signed=True),
        "imm16": ImmediateKind(16, signed=False),
        "label": ImmediateKind(18, signed=True, multiple=4, part="relative"),
        "high": ImmediateKind(16, signed=False, part="high"),
        "low": ImmediateKind(16, signed=False, part="low"),
    },
    relocations=(
        RelocationKind(1, "R_NPU_ABS32", "absolute", 0, 32),
        RelocationKind(2, "R_NPU_BRANCH", "relative", 0, 18),
        RelocationKind(6, "R_NPU_ABS_HIGH_LEA", "high", 2, 16),
        RelocationKind(7, "R_NPU_ABS_LOW_LEA", "low", 2, 16),
    ),
    elf_machine=9876,
    places=(
        SectionPlace(".trap", "text", 0x380, 0x400),
        SectionPlace(".text", "text", 0x400, 0x8_0000),
        SectionPlace(".rodata", "constants", 0x80_0000, SCRATCHPAD_BASE),
        SectionPlace(".data", "data", None, SCRATCHPAD_BASE),
        # The last 2 KiB are each thread's staging space.
        SectionPlace("scratchpad", "local", None, SCRATCHPAD_BASE + SCRATCHPAD_BYTES, base=SCRATCHPAD_BASE),
        SectionPlace(".bss", "zeros", None, SCRATCHPAD_BASE),
    ),
    section_alignment=_LINE,
)
"""Encoding, relocations and memory map as text and files have them (NaplesPU 1.5, 2.1, 3.3)."""
DEVICE_CODES = {DEVICE_CODE.name: DEVICE_CODE}
