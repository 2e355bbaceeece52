"""Every row with a meaning does on random registers what the same operation of LLVM's language does, lane by lane."""

from __future__ import annotations

import struct
import zlib
from random import Random

import pytest
from npu_programs import run_on_state, scalar, vector

from voltac.codegen.rows import Row
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.targets.naplespu.isa import INSTRUCTIONS

_COMPARE = {
    "eq": "eq", "ne": "ne", "gt": "sgt", "ge": "sge", "lt": "slt", "le": "sle",
    "ugt": "ugt", "uge": "uge", "ult": "ult", "ule": "ule",
}  # fmt: skip
_FLOAT_COMPARE = {"eq": "oeq", "ne": "une", "gt": "ogt", "ge": "oge", "lt": "olt", "le": "ole"}


def _high(extension: str) -> str:
    return (
        f"%wa = {extension} i32 %a to i64\n %wb = {extension} i32 %b to i64\n %p = mul i64 %wa, %wb\n"
        " %h = lshr i64 %p, 32\n %r = trunc i64 %h to i32"
    )


def _narrow(bits: int) -> str:
    return f"%n = trunc i32 %a to i{bits}\n %r = sext i{bits} %n to i32"


_AS_FLOATS = "%fa = bitcast i32 %a to float\n %fb = bitcast i32 %b to float\n"


def _float(operation: str) -> str:
    return f"{_AS_FLOATS} %f = {operation} float %fa, %fb\n %r = bitcast float %f to i32"


# Mnemonic without its suffix -> body of `i32 @f(i32 %a, i32 %b)`, the old value of the destination being %old.
BODIES = {
    "not": "%r = xor i32 %a, -1",
    "or": "%r = or i32 %a, %b",
    "and": "%r = and i32 %a, %b",
    "xor": "%r = xor i32 %a, %b",
    "add": "%r = add i32 %a, %b",
    "sub": "%r = sub i32 %a, %b",
    "mull": "%r = mul i32 %a, %b",
    "mulhs": _high("sext"),
    "mulhu": _high("zext"),
    "ashr": "%r = ashr i32 %a, %b",
    "shr": "%r = lshr i32 %a, %b",
    "shl": "%r = shl i32 %a, %b",
    "clz": "%r = call i32 @llvm.ctlz.i32(i32 %a, i1 false)",
    "ctz": "%r = call i32 @llvm.cttz.i32(i32 %a, i1 false)",
    "move": "%r = or i32 %a, 0",
    "fadd": _float("fadd"),
    "fsub": _float("fsub"),
    "fmul": _float("fmul"),
    "fdiv": _float("fdiv"),
    "sext8": _narrow(8),
    "sext16": _narrow(16),
    "sext32": "%r = add i32 %a, 0",
    "itof": "%f = sitofp i32 %a to float\n %r = bitcast float %f to i32",
    "ftoi": "%f = bitcast i32 %a to float\n %r = fptosi float %f to i32",
    "moveil": "%h = and i32 %old, -65536\n %r = or i32 %h, %a",
    "moveih": "%l = and i32 %old, 65535\n %h = shl i32 %a, 16\n %r = or i32 %l, %h",
    "movei": "%r = or i32 %a, 0",
}
BODIES |= {f"cmp{name}": f"%c = icmp {predicate} i32 %a, %b\n %r = zext i1 %c to i32" for name, predicate in _COMPARE.items()}
BODIES |= {
    f"cmpf{name}": f"{_AS_FLOATS} %c = fcmp {predicate} float %fa, %fb\n %r = zext i1 %c to i32"
    for name, predicate in _FLOAT_COMPARE.items()
}
DECLARATIONS = "declare i32 @llvm.ctlz.i32(i32, i1)\ndeclare i32 @llvm.cttz.i32(i32, i1)\n"
ACROSS_LANES = ("shuffle", "getlane", "crt_mask")
FLOAT_OPERANDS = ("fadd", "fsub", "fmul", "fdiv", "ftoi", "cmpf")

ROWS = [row for row in INSTRUCTIONS.rows.values() if row.meaning and "alias" not in row.traits]


def operation(row: Row) -> str:
    """The row's name in the tables above."""
    name = row.name.partition(".")[0]
    for suffix in ("_i32", "_f32"):
        name = name.removesuffix(suffix)
    return name if row.format.name != "I" else name.removesuffix("i")


def test_the_tables_know_every_row() -> None:
    assert {operation(row) for row in ROWS} == {*BODIES, *ACROSS_LANES}


def expected(name: str, a: int, b: int, old: int) -> int:
    text = f"{DECLARATIONS}define i32 @f(i32 %a, i32 %b, i32 %old) {{\n {BODIES[name]}\n ret i32 %r\n}}\n"
    machine = _machines.setdefault(name, IRInterpreter(read(text)))
    found: int = machine.call("f", [a, b, old])
    return found


_machines: dict[str, IRInterpreter] = {}


def random_word(random: Random, name: str, second: bool) -> int:
    """Numbers, and often the special ones; floats that stay in range where the operation wants floats."""
    if name in ("shl", "shr", "ashr") and second:
        return random.randrange(32)
    if name.startswith(FLOAT_OPERANDS):
        largest = 2**30 if name == "ftoi" else 1e6
        value = random.choice((0.0, -0.0, 1.0, -1.0, random.uniform(-largest, largest), random.gauss(0, 1)))
        if second and name == "fdiv" and not value:
            value = 3.0
        return int.from_bytes(struct.pack("<f", value), "little")
    return random.choice((0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, random.getrandbits(32), random.getrandbits(8)))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_does_what_its_operation_means(row: Row) -> None:
    random = Random(zlib.crc32(row.name.encode()))
    name = operation(row)
    scalars = {number: random_word(random, name, number == 11) for number in (10, 11, 12)}
    vectors = {number: [random_word(random, name, number == 11) for _ in range(16)] for number in (10, 11, 12)}
    mask = random.choice((0xFFFF, random.getrandbits(16), 1 << random.randrange(16)))
    # Registers by place: destination 12, sources 10 and 11.
    numbers = [12, 10, 11]
    texts, sources = {}, []
    for number, operand in enumerate(row.operands):
        if operand.kind in ("scalar", "vector"):
            texts[operand.field] = f"{operand.kind[0]}{numbers[number]}"
            held = scalars[numbers[number]] if operand.kind == "scalar" else vectors[numbers[number]]
        else:
            value = random.randrange(65536) if operand.kind == "imm16" else random.randrange(-256, 256)
            if name in ("shl", "shr", "ashr"):
                value %= 32
            texts[operand.field] = str(value)
            held = value & 0xFFFFFFFF
        if number:
            sources.append(held)
    device = run_on_state(" " + row.text.format_map(texts) + "\n", scalars, vectors, mask, fpu="ideal")

    def of_lane(value: int | list[int], lane: int) -> int:
        return value if isinstance(value, int) else value[lane]

    if name in ACROSS_LANES:
        first = sources[0]
        assert isinstance(first, list)
        if name == "crt_mask":
            assert scalar(device, 12) == sum((lane & 1) << number for number, lane in enumerate(first))
            return
        index = sources[1]
        results = [first[of_lane(index, lane) % 16] for lane in range(16)]
    else:
        second = sources[1] if len(sources) > 1 else 0
        old = vectors[12] if row.operands[0].kind == "vector" else scalars[12]
        results = [expected(name, of_lane(sources[0], lane), of_lane(second, lane), of_lane(old, lane)) for lane in range(16)]
    if row.operands[0].kind == "vector":
        assert vector(device, 12) == [results[lane] if mask >> lane & 1 else vectors[12][lane] for lane in range(16)]
    elif any(isinstance(source, list) for source in sources) and name != "getlane":
        assert scalar(device, 12) == sum(result << lane for lane, result in enumerate(results))
    elif name.startswith("cmpf"):
        assert scalar(device, 12) == 0xFFFF * results[0]
    else:
        assert scalar(device, 12) == results[0]
