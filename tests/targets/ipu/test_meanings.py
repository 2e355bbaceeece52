"""Each row: print → parse → the same word, and what those of integers, memory and control do, against the IR interpreter.

A vertex loads every register from its state, executes the instruction, and stores every register; so each row goes
through assembler, encoder, decoder and simulator.
"""

from __future__ import annotations

import re
import zlib
from pathlib import Path
from random import Random

import numpy as np
import pytest
from test_float_meanings import ACCUMULATIONS, CONVERSIONS, FUNCTIONS, TYPE, binary_rows
from tile_rows import (
    DEVICE,
    LISTING,
    ROWS,
    STATE_WORDS,
    STORES,
    WIDTH,
    distinct,
    executed,
    random_values,
    random_word,
    registers_of,
)

from voltac.codegen.encoding import encode
from voltac.codegen.rows import Row
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.targets.ipu.assembly.program import assemble_vertices
from voltac.targets.ipu.simulator.tile import Tile


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
    files = (Path(__file__), Path(__file__).with_name("test_float_meanings.py"))
    text = " ".join(file.read_text() for file in files).replace("\\n", " ")
    tested = {row.mnemonic for row in (*INTEGER_ROWS, *binary_rows())} | {*CONVERSIONS, *ACCUMULATIONS}
    tested |= {row.mnemonic for row in ROWS if (m := TYPE.fullmatch(row.mnemonic)) and m[2] in FUNCTIONS}
    left = {row.mnemonic for row in ROWS if row.mnemonic not in tested and "unspecified" not in row.traits}
    # Loads with a register's offset and with steps share the meaning of those above.
    left = {name for name in left if not re.search(rf"\b{name}\b", text) and not re.fullmatch(r"ld\w+?(step)?", name)}
    assert left <= OTHERS


OTHERS = {"trap", "run", "runall", "sync", "rpt", "put", "uget"}
"""Tested in ``test_exceptions.py`` and ``test_vertices.py``."""
