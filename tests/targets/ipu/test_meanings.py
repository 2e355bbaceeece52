"""Each row: print → parse → the same word, and what it does on random state against the IR interpreter or numpy.

A vertex loads every register from its state, executes the instruction, and stores every register; so each row goes
through assembler, encoder, decoder and simulator.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from voltac.codegen.disassembler import Disassembler
from voltac.codegen.encoding import encode
from voltac.codegen.rows import Row
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.targets.ipu.assembly.program import assemble_vertices
from voltac.targets.ipu.isa import DEVICE_CODES, INSTRUCTIONS
from voltac.targets.ipu.simulator.tile import Tile

DEVICE = next(code for name, code in DEVICE_CODES.items() if name.endswith("mk2"))
LISTING = Disassembler(DEVICE)
ROWS = [row for row in INSTRUCTIONS.rows.values() if "alias" not in row.traits]
WIDTH = {"m": 1, "m2": 2, "a": 1, "a2": 2, "a4": 4}


def random_values(row: Row, random: Random) -> list[int]:
    values = []
    for operand in row.operands:
        kind = DEVICE.immediates.get(operand.kind)
        if kind is not None:
            values.append(
                random.choice([kind.lowest, kind.highest, random.randrange(kind.lowest, kind.highest + 1, kind.multiple)])
            )
        elif operand.kind in WIDTH:
            # Each operand in registers of its own, and none of those that hold nothing.
            values.append(random.randrange((12 if operand.kind[0] == "m" else 8) // WIDTH[operand.kind]))
        else:
            values.append(random.choice([0, 1, 2, 8]))
    return values


def distinct(row: Row, values: list[int]) -> bool:
    """Whether no two registers that are written are the same."""
    written = [
        (operand.kind[0], register)
        for operand, value in zip(row.operands, values)
        if operand.role != "use" and operand.kind in WIDTH
        for register in range(value * WIDTH[operand.kind], (value + 1) * WIDTH[operand.kind])
    ]
    return len(set(written)) == len(written)


def test_what_is_printed_is_parsed_to_the_same_word() -> None:
    random = Random(3)
    words, lines = [], []
    for row in ROWS:
        for _ in range(6):
            values = random_values(row, random)
            if "repeat" in row.traits or not distinct(row, values):
                continue
            words.append(encode(row, values, DEVICE))
            lines.append(LISTING.instruction(words[-1]))
    content = assemble_vertices("\n".join(lines)).code.sections[".text"].content
    found = [int.from_bytes(content[at : at + 4], "little") for at in range(0, len(content), 4)]
    # Of two rows that a number fits, the sign-extended one is chosen (IPU 3.12): the text stays the same.
    assert [line for line, other in zip(lines, found) if line != LISTING.instruction(other)] == []
    assert sum(word != other for word, other in zip(words, found)) < len(words) // 20
    assert len(found) == len(words) > 5 * len(ROWS)


@pytest.mark.parametrize("text", ["rpt $m3, 1", "rpt 4095, 1"])
def test_repeats_are_parsed(text: str) -> None:
    body = "\n{ nop ; fnop }\n{ nop ; fnop }"
    content = assemble_vertices("nop\n" + text + body).code.sections[".text"].content
    word = int.from_bytes(content[4:8], "little")
    assert LISTING.instruction(word) == text


# --- execution ----------------------------------------------------------------------------------------------------------

STATE_WORDS = 20
SETUP = "ldconst $a7, 8\nuput $FP_CLR, $a7\nldconst $a7, {scale}\nuput $TAS, $a7\n"
LOADS = [
    f"ld32 ${name}, $mvertex_base, {at}" for at, name in enumerate([f"m{n}" for n in range(12)] + [f"a{n}" for n in range(8)])
]
STORES = [line.replace("ld32", "st32") for line in LOADS]


def executed(instruction: str, states: list[list[int]], scale: int = 0) -> list[list[int]]:
    """The registers afterwards, $m0 to $m11 and $a0 to $a7, for each state before."""
    body = "\n".join([".globl f", "f:", SETUP.format(scale=scale), *LOADS, instruction, *STORES, "exitz $mzero"])
    tile = Tile()
    tile.load(assemble_vertices(body).image())
    base = tile.memory.map.interleaved
    tile.declare(base, 0x10000)
    after = []
    for state in states:
        tile.memory.write(base, np.array(state, np.uint32).tobytes())
        tile.run_workers(tile.symbols["f"], [base])
        after.append(np.frombuffer(tile.memory.read(base, 4 * STATE_WORDS), np.uint32).tolist())
    return after


def registers_of(row: Row, values: list[int], state: list[int]) -> dict[str, list[int]]:
    """The words of each operand that is a register, and numbers."""
    found = {}
    for operand, value in zip(row.operands, values):
        if operand.kind in WIDTH:
            first = value * WIDTH[operand.kind] + (12 if operand.kind[0] == "a" else 0)
            found[operand.field] = state[first : first + WIDTH[operand.kind]]
        else:
            found[operand.field] = [value & 0xFFFFFFFF]
    return found


_HALVES = "%p = bitcast i32 %s to <2 x i16>\n %q = bitcast i32 %t to <2 x i16>\n"
_BYTES = "%p = bitcast i32 %s to <4 x i8>\n %q = bitcast i32 %t to <4 x i8>\n"


def _shuffled(lanes: str, count: int) -> str:
    kind = f"<{count} x i{32 // count}>"
    numbers = ", ".join(f"i32 {lane}" for lane in lanes.split())
    load = _HALVES if count == 2 else _BYTES
    return f"{load} %v = shufflevector {kind} %p, {kind} %q, <{count} x i32> <{numbers}>\n %r = bitcast {kind} %v to i32"


def _shift(operation: str, beyond: str) -> str:
    return (
        f"%c = icmp ult i32 %t, 32\n %u = select i1 %c, i32 %t, i32 0\n %v = {operation} i32 %s, %u\n"
        f" {beyond}\n %r = select i1 %c, i32 %v, i32 %w"
    )


def _comparison(predicate: str) -> str:
    return f"%c = icmp {predicate} i32 %s, %t\n %r = zext i1 %c to i32"


IR = {
    "add": "%r = add i32 %s, %t", "sub": "%r = sub i32 %s, %t", "mul": "%r = mul i32 %s, %t", "and": "%r = and i32 %s, %t",
    "or": "%r = or i32 %s, %t", "xor": "%r = xor i32 %s, %t", "andc": "%n = xor i32 %t, -1\n %r = and i32 %s, %n",
    "xnor": "%n = xor i32 %s, %t\n %r = xor i32 %n, -1",
    "shl": _shift("shl", "%w = add i32 0, 0"), "shr": _shift("lshr", "%w = add i32 0, 0"),
    "shrs": _shift("ashr", "%w = ashr i32 %s, 31"),
    "cmpeq": _comparison("eq"), "cmpne": _comparison("ne"), "cmpslt": _comparison("slt"), "cmpult": _comparison("ult"),
    "max": "%r = call i32 @llvm.smax.i32(i32 %s, i32 %t)", "min": "%r = call i32 @llvm.smin.i32(i32 %s, i32 %t)",
    "roll16": _shuffled("1 2", 2), "sort4x16hi": _shuffled("1 3", 2), "sort4x16lo": _shuffled("0 2", 2),
    "roll8l": _shuffled("3 4 5 6", 4), "roll8r": _shuffled("1 2 3 4", 4), "shuf8x8lo": _shuffled("0 4 1 5", 4),
    "shuf8x8hi": _shuffled("2 6 3 7", 4), "sort8x8hi": _shuffled("1 3 5 7", 4), "sort8x8lo": _shuffled("0 2 4 6", 4),
    "sort8": _shuffled("0 2 1 3", 4), "swap8": _shuffled("1 0 3 2", 4),
    "bitrev8": "%b = call i32 @llvm.bitreverse.i32(i32 %s)\n %r = call i32 @llvm.bswap.i32(i32 %b)",
    "clz": "%r = call i32 @llvm.ctlz.i32(i32 %s, i1 false)", "popc": "%r = call i32 @llvm.ctpop.i32(i32 %s)",
    "cms": "%g = ashr i32 %s, 31\n %x = xor i32 %s, %g\n %z = call i32 @llvm.ctlz.i32(i32 %x, i1 false)\n %r = sub i32 %z, 1",
    "abs": "%r = call i32 @llvm.abs.i32(i32 %s, i1 false)", "not": "%r = xor i32 %s, -1", "setzi": "%r = or i32 %s, 0",
    "atom": "%r = or i32 %s, 0", "movnz": "%c = icmp ne i32 %t, 0\n %r = select i1 %c, i32 %s, i32 %d",
}  # fmt: skip
"""On 32 bits, of both files."""
WIDE = {"and64": "and", "andc64": "andc", "or64": "or", "not64": "not"}
DECLARATIONS = "".join(
    f"declare i32 @llvm.{name}.i32({arguments})\n"
    for name, arguments in (
        ("smax", "i32, i32"), ("smin", "i32, i32"), ("bitreverse", "i32"), ("bswap", "i32"), ("ctlz", "i32, i1"),
        ("ctpop", "i32"), ("abs", "i32, i1"),
    )
)  # fmt: skip
_machines: dict[str, IRInterpreter] = {}


def interpreted(name: str, s: int, t: int, d: int) -> int:
    text = f"{DECLARATIONS}define i32 @f(i32 %s, i32 %t, i32 %d) {{\n {IR[name]}\n ret i32 %r\n}}\n"
    if name not in _machines:
        _machines[name] = IRInterpreter(read(text))
    found: int = _machines[name].call("f", [s, t, d])
    return found & 0xFFFFFFFF


INTEGER_ROWS = [row for row in ROWS if row.mnemonic in IR.keys() | WIDE.keys() | {"roll32", "sort4x32hi", "sort4x32lo"}]


def integer_result(row: Row, words: dict[str, list[int]]) -> list[int]:
    s = words.get("s", words.get("imm", [0]))
    t = words["imm"] if "imm" in words and "s" in words else words.get("t", words.get("c", [0]))
    if row.mnemonic == "sub" and "imm" in words:
        s, t = words["imm"], words["s"]
    if row.mnemonic in ("roll32", "sort4x32hi", "sort4x32lo"):
        return {"roll32": [s[1], t[0]], "sort4x32hi": [s[1], t[1]], "sort4x32lo": [s[0], t[0]]}[row.mnemonic]
    name = WIDE.get(row.mnemonic, row.mnemonic)
    return [interpreted(name, one, other, words["d"][0]) for one, other in zip(s, [*t, 0])]


def random_word(random: Random) -> int:
    return random.choice((0, 1, 31, 32, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, random.getrandbits(32), random.getrandbits(8)))


@pytest.mark.parametrize("row", INTEGER_ROWS, ids=lambda row: row.name)
def test_integers(row: Row) -> None:
    random = Random(zlib.crc32(row.name.encode()))
    values = random_values(row, random)
    states = [[random_word(random) for _ in range(STATE_WORDS)] for _ in range(12)]
    for before, after in zip(states, executed(LISTING.instruction(encode(row, values, DEVICE)), states)):
        expected = list(before)
        d = row.operands[[operand.field for operand in row.operands].index("d")]
        first = values[row.operands.index(d)] * WIDTH[d.kind] + (12 if d.kind[0] == "a" else 0)
        expected[first : first + WIDTH[d.kind]] = integer_result(row, registers_of(row, values, before))
        assert after == expected


# --- floats -------------------------------------------------------------------------------------------------------------


def flushed(x: Any) -> Any:
    return np.where(np.abs(x) < np.float32(2.0**-126), np.copysign(np.float32(0), x), x)


def singles(words: list[int]) -> Any:
    return flushed(np.array(words, np.uint32).view(np.float32))


def halves(words: list[int]) -> Any:
    return np.array(words, np.uint32).view(np.float16)


def to_half(x: Any) -> Any:
    """To the nearest, the largest finite one for what is beyond, infinities included (IPU 3.8)."""
    return np.where(np.isnan(x), np.nan, np.clip(x, -65504, 65504)).astype(np.float16)


def lanes_of(kind: str, words: list[int]) -> Any:
    return singles(words) if kind.startswith("f32") else halves(words)


def rounded(kind: str, exact: Any) -> Any:
    """Of a result in double precision."""
    return flushed(exact.astype(np.float32)) if kind.startswith("f32") else to_half(exact)


def mask(kind: str, holds: Any) -> Any:
    return np.where(holds, 0xFFFFFFFF if kind.startswith("f32") else 0xFFFF, 0)


def wide(x: Any) -> Any:
    return np.asarray(x).astype(np.float64)


ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda s, t: s + t, "sub": lambda s, t: s - t, "mul": lambda s, t: s * t, "absadd": lambda s, t: abs(s) + abs(t),
    "max": np.fmax, "min": np.fmin, "absmax": lambda s, t: np.fmax(abs(s), abs(t)), "div": np.divide,
}  # fmt: skip
COMPARISON: dict[str, Callable[[Any, Any], Any]] = {
    "cmpeq": np.equal, "cmpne": np.not_equal, "cmpge": np.greater_equal, "cmpgt": np.greater, "cmple": np.less_equal,
    "cmplt": np.less,
}  # fmt: skip
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "exp": np.exp, "exp2": np.exp2, "ln": np.log, "log2": np.log2, "tanh": np.tanh, "sqrt": np.sqrt,
    "sigm": lambda x: 1 / (1 + np.exp(-x)), "oox": lambda x: 1 / x, "oorx": lambda x: 1 / np.sqrt(x),
}  # fmt: skip
TYPE = re.compile(r"(f32v2|f32|f16v2|f16v4)(\w+)")


def binary_rows() -> list[Row]:
    return [
        row
        for row in ROWS
        if (found := TYPE.fullmatch(row.mnemonic))
        and found[2] in {*ARITHMETIC, *COMPARISON, "clamp"}
        and len(row.operands) == 3
    ]


def random_float_word(random: Random, kind: str) -> int:
    def half() -> int:
        value = random.choice((0.0, -0.0, 1.0, random.gauss(0, 1), random.uniform(-6e4, 6e4), 1e-6))
        return random.choice((int(np.float16(value).view(np.uint16)), random.getrandbits(16)))

    if kind == "f16":
        return half() | half() << 16
    value = random.choice((0.0, -0.0, 1.0, -1.5, random.gauss(0, 1), random.gauss(0, 1) * 10.0 ** random.randrange(-40, 38)))
    return random.choice((int(np.float32(value).view(np.uint32)), random.getrandbits(32)))


def same(found: Any, expected: Any) -> bool:
    """Equal numbers, with any NaN for a NaN; which zero it is does not matter."""
    return bool(np.array_equal(np.asarray(found), np.asarray(expected), equal_nan=True))


@pytest.mark.parametrize("row", binary_rows(), ids=lambda row: row.name)
def test_arithmetic_of_floats(row: Row) -> None:
    random = Random(zlib.crc32(row.name.encode()))
    match = TYPE.fullmatch(row.mnemonic)
    assert match is not None
    kind, operation = match.groups()
    values = random_values(row, random)
    states = [[random_float_word(random, kind[:3]) for _ in range(STATE_WORDS)] for _ in range(40)]
    text = LISTING.instruction(encode(row, values, DEVICE))
    for before, after in zip(states, executed(text, states)):
        words, result = registers_of(row, values, before), registers_of(row, values, after)["d"]
        s_words = words["s"]
        if ":B" in text:
            (word,) = s_words
            word = {":BL": (word & 0xFFFF) * 0x10001, ":BU": (word >> 16) * 0x10001}.get(text[text.index(":B") :][:3], word)
            s_words = [word] * len(words["d"])
        with np.errstate(all="ignore"):
            s, t = lanes_of(kind, s_words), lanes_of(kind, words["t"])
            if operation in COMPARISON:
                size = np.uint32 if kind.startswith("f32") else np.uint16
                found = np.array(result, np.uint32).view(size)
                assert (found == mask(kind, COMPARISON[operation](s, t))).all(), text
                continue
            if operation == "clamp":
                low, high = (t[0], t[1])
                expected = np.fmin(np.fmax(s, low), high)
            elif operation in ("max", "min", "absmax"):
                expected = ARITHMETIC[operation](s, t)
            else:
                expected = rounded(kind, ARITHMETIC[operation](wide(s), wide(t)))
        assert same(lanes_of(kind, result), expected), (text, [hex(word) for word in s_words + words["t"]])


@pytest.mark.parametrize(
    "row", [row for row in ROWS if (m := TYPE.fullmatch(row.mnemonic)) and m[2] in FUNCTIONS], ids=lambda row: row.name
)
def test_elementary_functions(row: Row) -> None:
    random = Random(zlib.crc32(row.name.encode()))
    match = TYPE.fullmatch(row.mnemonic)
    assert match is not None
    kind, operation = match.groups()
    values = random_values(row, random)
    states = [[random_float_word(random, kind[:3]) for _ in range(STATE_WORDS)] for _ in range(40)]
    for before, after in zip(states, executed(LISTING.instruction(encode(row, values, DEVICE)), states)):
        words, result = registers_of(row, values, before), registers_of(row, values, after)["d"]
        with np.errstate(all="ignore"):
            exact = FUNCTIONS[operation](wide(lanes_of(kind, words["s"])))
            expected = wide(rounded(kind, exact))
        found = wide(lanes_of(kind, result))
        # IPU 3.8: 4 units of the last place in single precision, 1 in half.
        with np.errstate(all="ignore"):
            tolerance = np.abs(expected) * (4 * 2.0**-23 if kind.startswith("f32") else 2.0**-10) + 2.0**-24 * (
                kind[:3] == "f16"
            )
            close = (found == expected) | (np.isnan(found) & np.isnan(expected)) | (np.abs(found - expected) <= tolerance)
            # At the ends of the range the tolerance decides whether the result overflows or is flushed.
            close |= (np.abs(expected) > 3.4e38) & (np.abs(found) > 3.4e38) | (np.abs(expected) < 2e-38) & (
                np.abs(found) < 2e-38
            )
        assert close.all(), (row.name, words["s"], found, expected)


def _floats_to_integers(low: int, high: int) -> Callable[[dict[str, list[int]]], list[int]]:
    def result(words: dict[str, list[int]]) -> list[int]:
        value = float(singles(words["s"])[0])
        if value != value:
            return [0]
        return [int(max(low, min(high, np.rint(value)))) & 0xFFFFFFFF]

    return result


CONVERSIONS: dict[str, Callable[[dict[str, list[int]]], Any]] = {
    "f32fromi32": lambda w: np.array(w["s"], np.uint32).view(np.int32).astype(np.float32),
    "f32fromui32": lambda w: np.array(w["s"], np.uint32).astype(np.float32),
    "f32toi32": _floats_to_integers(-(1 << 31), (1 << 31) - 1),
    "f32toui32": _floats_to_integers(0, (1 << 32) - 1),
    "f32tof16": lambda w: np.repeat(to_half(singles(w["s"])), 2),
    "f32v2tof16": lambda w: to_half(singles(w["s"])),
    "f32v4tof16": lambda w: to_half(singles(w["s"])),
    "f16tof32": lambda w: halves(w["s"])[:1].astype(np.float32),
    "f16v2tof32": lambda w: halves(w["s"]).astype(np.float32),
    "f16v2sum": lambda w: wide(halves(w["s"])).sum(keepdims=True).astype(np.float32),
    "f16v4sum": lambda w: wide(halves(w["s"])).reshape(2, 2).sum(1).astype(np.float32),
    "f16v2maxc": lambda w: np.repeat(np.fmax.reduce(halves(w["s"])), 2),
    "f16v4maxc": lambda w: np.repeat(np.fmax.reduce(halves(w["s"])), 2),
}  # fmt: skip


@pytest.mark.parametrize("row", [row for row in ROWS if row.mnemonic in CONVERSIONS], ids=lambda row: row.name)
def test_conversions_and_sums(row: Row) -> None:
    random = Random(zlib.crc32(row.name.encode()))
    values = random_values(row, random)
    kind = "f16" if row.mnemonic.startswith("f16") else "f32"
    states = [[random_float_word(random, kind) for _ in range(STATE_WORDS)] for _ in range(60)]
    for before, after in zip(states, executed(LISTING.instruction(encode(row, values, DEVICE)), states)):
        result = registers_of(row, values, after)["d"]
        with np.errstate(all="ignore"):
            expected = CONVERSIONS[row.mnemonic](registers_of(row, values, before))
        if row.mnemonic in ("f32toi32", "f32toui32"):
            assert result == expected
        else:
            found = halves(result) if np.asarray(expected).dtype == np.float16 else singles(result)
            assert same(found, expected), (row.name, before)


@pytest.mark.parametrize(("mode", "function"), [(0, np.rint), (1, np.ceil), (2, np.floor), (3, np.trunc), (4, None)])
def test_rounding_to_integral_numbers(mode: int, function: Any) -> None:
    numbers = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 0.49999997, 1e10, -3.7, 7.0, -0.0], np.float32)
    states = [[0] * 12 + [int(word)] * 8 for word in numbers.view(np.uint32)]
    found = singles([state[12] for state in executed(f"f32int $a0, $a1, {mode}", states)])
    expected = function(numbers) if function else np.copysign(np.floor(np.abs(numbers.astype(np.float64)) + 0.5), numbers)
    assert same(found, expected)


@pytest.mark.parametrize("mode", range(5))
def test_rounding_modes_of_arithmetic(mode: int) -> None:
    random = Random(mode)
    states = [[0] * 12 + [int(np.float32(random.gauss(0, 1)).view(np.uint32)) for _ in range(8)] for _ in range(40)]
    text = f"setzi $a7, {mode << 16:#x}\nuput $FP_CTL, $a7\nf32mul $a0, $a1, $a2\nf32tof16 $a3, $a4"
    for before, after in zip(states, executed(text, states)):
        x, y = (Fraction(float(one)) for one in singles(before[13:15]))
        of_half = Fraction(float(singles(before[16:17])[0]))
        for found, exact in ((singles(after[12:13])[0], x * y), (halves(after[15:16])[0], of_half)):
            kind = type(found)
            down, up = float(np.nextafter(found, kind(-np.inf))), float(np.nextafter(found, kind(np.inf)))
            value = Fraction(float(found))
            match mode:
                case 1:
                    assert down < exact <= value
                case 2:
                    assert value <= exact < up
                case 3:
                    assert abs(value) <= abs(exact)
                    assert abs(exact) < max(abs(down), abs(up))
                case _:
                    assert abs(exact - value) <= min(abs(exact - Fraction(down)), abs(exact - Fraction(up)))


# --- accumulators -------------------------------------------------------------------------------------------------------


def read_all() -> str:
    """The eight accumulators that instructions use, in $a0 to $a7."""
    return "\n".join(f"f32v2gina $a{2 * n}:{2 * n + 1}, $azeros, 0" for n in range(4))


def small(random: Random, half: bool) -> int:
    if half:
        lanes = [int(np.float16(random.gauss(0, 1)).view(np.uint16)) for _ in range(2)]
        return lanes[0] | lanes[1] << 16
    return int(np.float32(random.gauss(0, 1)).view(np.uint32))


def f32(x: Any) -> Any:
    return np.asarray(x, np.float64).astype(np.float32)


ACCUMULATIONS: dict[str, tuple[str, bool, Callable[[Any], Any]]] = {
    # Mnemonic → operands, whether of halves, and what is added to A0, A2, ... of the lanes of $a0 to $a3.
    "f32mac": ("$a0, $a1", False, lambda x: [f32(wide(x[0]) * wide(x[1]))]),
    "f32v2mac": ("$a0:1, $a2:3", False, lambda x: f32(wide(x[:2]) * wide(x[2:4]))),
    "f16v2cmac": ("$a0, $a1", True, lambda x: [f32((wide(x[:2]) * wide(x[2:4])).sum())]),
    "f16v4cmac": ("$a0:1, $a2:3", True, lambda x: f32((wide(x[:4]) * wide(x[4:8])).reshape(2, 2).sum(1))),
    "f32v2aop": ("$a0:1, $a2:3, 0", False, lambda x: f32(np.outer(wide(x[2:4]), wide(x[:2])).ravel())),
    "f32v4acc": ("$a0:3", False, lambda x: x[:4]),
    "f32v4absacc": ("$a0:3", False, lambda x: abs(x[:4])),
    "f32v4sqacc": ("$a0:3", False, lambda x: f32(wide(x[:4]) ** 2)),
    "f16v4acc": ("$a0:1", True, lambda x: x[:4]),
    "f16v4absacc": ("$a0:1", True, lambda x: abs(x[:4])),
    "f16v8acc": ("$a0:3", True, lambda x: x[:8]),
    "f16v8absacc": ("$a0:3", True, lambda x: abs(x[:8])),
    "f16v8sqacc": ("$a0:3", True, lambda x: f32(wide(x[:8]) ** 2)),
}  # fmt: skip


@pytest.mark.parametrize("mnemonic", ACCUMULATIONS)
def test_accumulators(mnemonic: str) -> None:
    operands, of_halves, added = ACCUMULATIONS[mnemonic]
    random = Random(zlib.crc32(mnemonic.encode()))
    states = [[0] * 12 + [small(random, of_halves) for _ in range(8)] for _ in range(10)]
    text = f"{mnemonic} {operands}\n" * 3 + read_all()
    for before, after in zip(states, executed(text, states)):
        x = halves(before[12:16]) if of_halves else singles(before[12:16])
        terms = np.zeros(8, np.float32)
        new = np.asarray(added(x))
        terms[: len(new)] = new
        expected = np.zeros(8, np.float32)
        for _ in range(3):
            expected = f32(wide(expected) + wide(terms))
        assert same(singles(after[12:20]), expected)


def test_axpy_gives_the_result_before() -> None:
    random = Random(1)
    states = [[0] * 12 + [small(random, False) for _ in range(8)] for _ in range(10)]
    scale = np.float32(1.75)
    text = "f32v2axpy $azeros, $a0:1, $a2:3\nf32v2axpy $a4:5, $a6:7, $a0:1\nf32v2axpy $a6:7, $azeros, $azeros"
    for before, after in zip(states, executed(text, states, int(scale.view(np.uint32)))):
        a = singles(before[12:20])
        first = f32(wide(f32(wide(scale) * wide(a[0:2]))) + wide(a[2:4]))
        second = f32(wide(f32(wide(scale) * wide(a[6:8]))) + wide(a[0:2]))
        assert same(singles(after[16:20]), np.concatenate([first, second]))


def test_mix_gives_the_result_before() -> None:
    random = Random(2)
    states = [[0] * 12 + [small(random, True) for _ in range(8)] for _ in range(10)]
    low, high = np.float16(1.5), np.float16(-0.25)
    scale = int(low.view(np.uint16)) | int(high.view(np.uint16)) << 16
    text = "f16v4mix $azeros, $a0:1, $a2:3\nf16v4mix $a4:5, $azeros, $azeros"
    for before, after in zip(states, executed(text, states, scale)):
        x, y = halves(before[12:14]), halves(before[14:16])
        expected = to_half(f32(wide(f32(wide(low) * wide(x))) + wide(f32(wide(high) * wide(y)))))
        assert same(halves(after[16:18]), expected)


def test_accumulators_as_halves() -> None:
    states = [[0] * 12 + [int(word) for word in np.array([1.5, -2.25, 70000, 1e-9, 0, 0, 0, 0], np.float32).view(np.uint32)]]
    (after,) = executed("f32v4acc $a0:3\nf16v4gacc $a4:5\nf16v2gina $a6, $azero, 0", states)
    assert halves(after[16:18]).tolist() == [1.5, -2.25, 65504, 0]
    assert halves(after[18:19]).tolist() == [1.5, -2.25]


# --- the rest -----------------------------------------------------------------------------------------------------------


def test_classes() -> None:
    numbers = np.array([np.nan, -np.inf, -1, -0.0, 0, 1, np.inf], np.float32).view(np.uint32).tolist()
    numbers += [0x7F800001, 0x80000001, 1]
    states = [[0] * 12 + [word, word, 0, 0, 0, 0, 0, 0] for word in numbers]
    # IPU 3.8: codes 2, 3, 4, 6, 7, 9, 10, then 1 (signalling), 5 and 8 (subnormal).
    codes = [2, 3, 4, 6, 7, 9, 10, 1, 5, 8]
    assert [state[14] for state in executed("f32class $a2, $a0", states)] == codes
    assert [state[14] for state in executed("f32v2class $a2, $a0:1", states)] == [code | code << 8 for code in codes]
    ones = [[0] * 12 + [0x3C007E00, 0x00018000] + [0] * 6]
    assert executed("f16v2class $a2, $a0\nf16v4class $a3, $a0:1", ones)[0][14:16] == [0x0902, 0x08060902]


def test_random_numbers() -> None:
    text = "{}urand32 $a0\nurand64 $a2:3\nf32v2grand $a4:5\nf16v2grand $a6\nf32sufromui $a7, $a0"
    plain = executed(text.format(""), [[0] * STATE_WORDS])[0]
    assert plain == executed(text.format(""), [[0] * STATE_WORDS])[0]
    seeded = executed(text.format("setzi $a0, 77\nuput $PRNG_SEED, $a0\n"), [[0] * STATE_WORDS])[0]
    assert seeded[12] != plain[12] and len({seeded[12], seeded[14], seeded[15]}) == 3
    assert -0.5 < singles(seeded[19:20])[0] < 0.5
    uniform = "f16v2sufromui $a1, $a0\nf32v2sufromui $a2:3, $a4:5\nf16v4sufromui $a6:7, $a4:5"
    random = Random(5)
    for state in executed(uniform, [[random.getrandbits(32) for _ in range(STATE_WORDS)] for _ in range(30)]):
        lanes = np.concatenate([wide(halves(state[13:14])), wide(singles(state[14:16])), wide(halves(state[18:20]))])
        assert (np.abs(lanes) <= 0.5).all() and (lanes != 0).all()


def test_deviations_of_random_numbers() -> None:
    draws = "\n".join(f"f32v2grand $a{2 * n}:{2 * n + 1}" for n in range(4))
    seeds = [[0] * 12 + [seed] * 8 for seed in range(1, 200)]
    numbers = np.concatenate([singles(state[12:]) for state in executed(f"uput $PRNG_SEED, $a0\n{draws}", seeds)])
    assert abs(numbers.mean()) < 0.1 and abs(numbers.std() - 1) < 0.1


def test_lanes_kept_at_random() -> None:
    words = [0x3F800000, 0x40000000]
    for probability, kept in ((0, 0.0), (0x10000, 1.0), (0x8000, 0.5)):
        seeds = [[0] * 12 + [*words, probability, 0, 0, seed, 0, 0] for seed in range(100)]
        states = executed("uput $PRNG_SEED, $a5\nf32v2rmask $a6:7, $a0:1, $a2\nf16v4rmask $a4:5, $a0:1, $a2", seeds)
        shares = np.array([[state[18] == words[0], state[19] == words[1]] for state in states])
        assert all(state[16] in (0, words[0]) for state in states)
        assert abs(shares.mean() - kept) < 0.1 * (0 < kept < 1) + 1e-9


def test_packed_addresses() -> None:
    """Three addresses of 21 bits in a pair, and steps of all kinds (IPU 3.4)."""
    random = Random(9)
    for _ in range(20):
        p, q, r = (random.getrandbits(21) for _ in range(3))
        (after,) = executed("tapack $m4:5, $m0, $m1, $m2", [[p, q, r, *[0] * 17]])
        low, high = after[4:6]
        assert (low & 0x1FFFFF, high & 0x1FFFFF, low >> 21 | (high >> 21) << 11) == (p, q, r)


@pytest.mark.parametrize("selectors", [(0, 0, 0), (1, 2, 3), (3, 1, 0), (2, 3, 1)])
def test_steps_of_packed_addresses(selectors: tuple[int, int, int]) -> None:
    base = 0x80000
    fields = [5, -3, 0]
    stride = sum((field & 0x3FF) << 10 * number for number, field in enumerate(fields))
    steps = [8 * [1, *fields][selector] for selector in selectors]
    p, q, r = base + 0x1000, base + 0x9008, base + 0x2008
    first, second, third = selectors
    for text, moved in (
        (f"ld2x64pace $a0:1, $a2:3, $m4:5+=, $m3, {first | second << 2}", (True, True, False)),
        (f"ldst64pace $a0:1, $a2:3, $m4:5+=, $m3, {first | third << 2}", (True, False, True)),
        (f"st64pace $a2:3, $m4:5+=, $m3, {third}", (False, False, True)),
        (f"ld2xst64pace $a0:3, $a4:5, $m4:5+=, $m3, {first | second << 2 | third << 4}", (True, True, True)),
    ):
        (after,) = executed(f"tapack $m4:5, $m0, $m1, $m2\n{text}", [[p, q, r, stride, *[0] * 16]])
        low, high = after[4:6]
        expected = [place + step * move for place, step, move in zip((p, q, r), steps, moved)]
        assert [low & 0x1FFFFF, high & 0x1FFFFF, low >> 21 | (high >> 21) << 11] == expected, text


LOADS_AND_STORES = (
    # Instruction, the address it accesses, what is in the destination afterwards; memory holds bytes 0x80, 0x81, ...
    ("ldz8 $m2, $m0, $m1, 5", 5 + 16, [0x95]), ("lds8 $m2, $m0, $m1, 5", 21, [0xFFFFFF95]),
    ("ldz16 $m2, $m0, $m1, 5", 26, [0x9B9A]), ("lds16 $m2, $m0, $m1, 5", 26, [0xFFFF9B9A]),
    ("ld32 $m2, $m0, $m1, 5", 36, [0xA7A6A5A4]), ("ld32 $a2, $m0, $m1, $m3", 24, [0x9B9A9998]),
    ("ldb16 $a2, $m0, $m1, 1", 18, [0x93929392]), ("ld64 $a2:3, $m0, $m1, $m3", 32, [0xA3A2A1A0, 0xA7A6A5A4]),
    ("ld128 $a4:7, $m0, $m1, 1", 32, [0xA3A2A1A0, 0xA7A6A5A4, 0xABAAA9A8, 0xAFAEADAC]),
)  # fmt: skip


@pytest.mark.parametrize(("text", "offset", "result"), LOADS_AND_STORES, ids=[row[0] for row in LOADS_AND_STORES])
def test_loads(text: str, offset: int, result: list[int]) -> None:
    pattern = bytes(0x80 + (n & 0x7F) for n in range(128))
    assert pattern[offset] == result[0] & 0xFF
    tile = Tile()
    body = "\n".join([".globl f", "f:", "setzi $m0, 0x80100", "setzi $m1, 16", "setzi $m3, 2", text, *STORES, "exitz $mzero"])
    tile.load(assemble_vertices(body).image())
    tile.declare(0x80000, 0x1000)
    tile.memory.write(0x80100, pattern)
    tile.run_workers(tile.symbols["f"], [0x80000])
    state = np.frombuffer(tile.memory.read(0x80000, 4 * STATE_WORDS), np.uint32).tolist()
    file, number = re.match(r"\w+ \$([ma])(\d+)", text).groups()  # type: ignore[union-attr]
    first = int(number) + (12 if file == "a" else 0)
    assert state[first : first + len(result)] == result


@pytest.mark.parametrize(
    ("text", "pointer", "moved", "offset"),
    [
        ("ld32step $m2, $m0, {}+=, -3", "$m1", -12, None),
        ("ld64step $a2:3, $m0, {}+=, $m3", "$m1", 16, None),
        ("ldz8step $m2, $m0, {}+=, 1", "$m1", 1, None),
        ("st32step $a2, $m0, {}+=, 2", "$m1", 8, 16),
        ("st32step $m2, $m0, {}+=, -1", "$m1", -4, 16),
        ("st64step $a2:3, $m0, {}+=, $m3", "$m1", 16, 16),
        ("stm32step $m2, {}+=, $m3", "$m0", 8, 0),
        ("st64 $a2:3, $m0, $m1, 300", "$m1", 0, 16 + 2400),
        ("st32 $a2, $m0, $m1, $m3", "$m1", 0, 24),
        ("st32 $m2, $m0, $m1, 9", "$m1", 0, 52),
        ("stm32 $m2, $m0, $m3", "$m1", 0, 8),
    ],
)
def test_steps_and_stores(text: str, pointer: str, moved: int, offset: int | None) -> None:
    tile = Tile()
    setup = [
        "setzi $m0, 0x80100",
        "setzi $m1, 16",
        "setzi $m3, 2",
        "setzi $m2, 0x1234",
        "setzi $a2, 0x1234",
        "setzi $a3, 0x5678",
    ]
    body = "\n".join([".globl f", "f:", *setup, text.format(pointer), *STORES, "exitz $mzero"])
    tile.load(assemble_vertices(body).image())
    tile.declare(0x80000, 0x2000)
    tile.run_workers(tile.symbols["f"], [0x80000])
    state = np.frombuffer(tile.memory.read(0x80000, 4 * STATE_WORDS), np.uint32).tolist()
    before = {"$m0": 0x80100, "$m1": 16}[pointer]
    assert state[int(pointer[2:])] == before + moved
    if offset is not None:
        stored = np.frombuffer(tile.memory.read(0x80100 + offset, 8), np.uint32).tolist()
        assert stored == [0x1234, 0x5678 if "64" in text else 0]


@pytest.mark.parametrize(
    ("branch", "taken"),
    [
        ("brz", (0,)), ("brnz", (1, 0x80000000, 0xFFFFFFFF)), ("brneg", (0x80000000, 0xFFFFFFFF)), ("brpos", (0, 1)),
        ("brnzdec", (1, 0x80000000, 0xFFFFFFFF)),
    ],
)  # fmt: skip
def test_branches(branch: str, taken: tuple[int, ...]) -> None:
    numbers = (0, 1, 0x80000000, 0xFFFFFFFF)
    states = [[number] + [0] * 19 for number in numbers]
    after = executed(f"{branch} $m0, 1f\nsetzi $m1, 5\n1:", states)
    assert [state[1] == 0 for state in after] == [number in taken for number in numbers]
    decreased = [number - (branch == "brnzdec" and number in taken) for number in numbers]
    assert [state[0] for state in after] == decreased


@pytest.mark.parametrize(
    ("exit", "true"), [("exitz", [0]), ("exitnz", [1, -1]), ("exitpos", [0, 1]), ("exitneg", [-1])]
)  # fmt: skip
def test_exits_have_a_status(exit: str, true: list[int]) -> None:
    for number in (0, 1, -1):
        tile = Tile()
        tile.load(assemble_vertices(f".globl f\nf: ldconst $m0, {number}\n{exit} $m0").image())
        assert tile.run_workers(tile.symbols["f"], [0x80000]).workers[0].status == (number in true)


def test_calls() -> None:
    text = "call $m10, 3f\nsetzi $m1, 1\n{ call $m10, 3f ; fnop }\nsetzi $m2, 2\nbri 4f\n3: add $m3, $m3, 1\nbr $m10\n4:"
    (after,) = executed(text, [[0] * STATE_WORDS])
    assert after[1:4] == [1, 2, 2]


def test_every_row_is_tested_here_or_is_known_as_a_word_only() -> None:
    text = Path(__file__).read_text().replace("\\n", " ")
    tested = {row.mnemonic for row in (*INTEGER_ROWS, *binary_rows())} | {*CONVERSIONS, *ACCUMULATIONS}
    tested |= {row.mnemonic for row in ROWS if (m := TYPE.fullmatch(row.mnemonic)) and m[2] in FUNCTIONS}
    left = {row.mnemonic for row in ROWS if row.mnemonic not in tested and "unspecified" not in row.traits}
    # Loads with a register's offset and with steps share the meaning of those above.
    left = {name for name in left if not re.search(rf"\b{name}\b", text) and not re.fullmatch(r"ld\w+?(step)?", name)}
    assert left <= OTHERS


OTHERS = {"trap", "run", "runall", "sync", "rpt", "put", "uget"}
"""Tested in ``test_exceptions.py`` and ``test_vertices.py``."""
