"""Constant expressions: values worked out by hand or given in the reference (B.4, B.7), and the types of literals."""

import math

import pytest

from voltac.sema import tree

from .annotated import options, program

# type of a global, its initial value, what it has to hold
VALUES = {
    "octal literals": ("int", "017", 15),
    "binary literals": ("int", "0b1011", 11),
    "kilo": ("int", "3k", 3072),
    "precedence": ("int", "2 + 3 * 4 - 10 / 3", 11),
    "division truncates": ("int", "-7 / 2", -3),
    "the remainder has the sign of the dividend": ("int", "-7 % 2", -1),
    "right shifts of signed numbers are arithmetic": ("int", "-8 >> 1", -4),
    "right shifts of unsigned numbers are logical": ("unsigned int", "0x80000000 >> 4", 0x08000000),
    "unsigned numbers wrap": ("unsigned int", "0u - 1", 0xFFFFFFFF),
    "integer division before the product": ("float", "7 / 2 * 2.0", 6.0),
    "uint64 with float is an integer operation": ("float", "(uniform uint64)5 * 0.5", 0.0),
    "int16 with uint32 is unsigned": ("unsigned int", "(uniform int16)-1 + 1u", 0),
    "int64 compares with uint32 as int64": ("bool", "(uniform int64)-1 < 1u", True),
    "int32 compares with uint32 as uint32": ("bool", "-1 < 5u", False),
    "small integers are not promoted": ("int", "(uniform int8)100 + (uniform int8)100", -56),
    "out of range to uint8": ("int", "(uniform uint8)300.0", 44),
    "float to int truncates": ("int", "-2.9", -2),
    "bool of a number": ("bool", "0.5", True),
    "true is one": ("int", "true", 1),
    "float literals are single": ("double", "0.1", 0.10000000149011612),
    "double literals": ("double", "0.1d", 0.1),
    "half rounds to even": ("float", "(uniform float16)2049", 2048.0),
    "overflow of float": ("float", "1e50", math.inf),
    "selection": ("int", "3 > 2 ? 5 : 6", 5),
    "logic": ("bool", "true && !false || false", True),
    "enumerators": ("int", "SECOND * 10 + THIRD", 77),
    "an enumerator of -3 is unsigned": ("float", "MINUS", 4294967296.0),
    "globals that are const": ("int", "LIMIT * LIMIT", 1600),
    "programCount": ("int", "programCount", 8),
    "all bits are shifted out": ("int", "(5 << 32) + ((uniform int8)1 << 16)", 0),
    "only the sign is left": ("int", "(-5 >> 40) * 10 + (5 >> 40)", -10),
    "of unsigned numbers nothing is left": ("unsigned int", "0xffffffff >> 32", 0),
    "complement": ("int", "~5", -6),
    "exclusive or of bools": ("bool", "true ^ true", False),
}


FLAGS = """
enum Flags { COHERENT = 1 << 16, FIRST = 1 << 3 };
const uniform int64 wide = 1 << 20;
static uniform int table[(1 << 9) + 4];
uniform int f(uniform int x) { switch (x) { case 1 << 10: return FIRST; } return sizeof(table); }
"""


@pytest.mark.parametrize("target", ["avx2-i8x32", "avx2-i16x16", "avx2-i32x8"])
def test_flags_are_constant_where_literals_are_short(target: str) -> None:
    """Headers name flags so; with literals of 8 bits nothing of them is left, but they are values."""
    program(FLAGS, options(target))


@pytest.mark.parametrize("claim", list(VALUES))
def test_a_global_holds(claim: str) -> None:
    type, expression, expected = VALUES[claim]
    source = f"""
enum {{ FIRST, SECOND = 7, MINUS = -3, THIRD = 7 }};
const uniform int LIMIT = 40;
uniform {type} x = {expression};
"""
    found = next(one for one in program(source).globals if one.name == "x")
    assert isinstance(found.initial, tree.Constant)
    assert found.initial.value == expected
    assert type_of_value(found.initial.value) == type_of_value(expected)


def type_of_value(value: object) -> str:
    return type(value).__name__


def test_lanes_of_varying_globals() -> None:
    found = {
        one.name: one for one in program("int a = programIndex * 2 + 1; const int b = programIndex; int c = b * b;").globals
    }
    for name, expected in (("a", [2 * lane + 1 for lane in range(8)]), ("c", [lane * lane for lane in range(8)])):
        initial = found[name].initial
        assert isinstance(initial, tree.LaneList)
        assert [one.value for one in initial.elements if isinstance(one, tree.Constant)] == expected


# expression after sizeof -> bytes at W = 8 (language B.7 and 5.2, 5.8, 5.10)
SIZES = {
    "(int)": 32,
    "(uniform int)": 4,
    "(varying bool)": 32,
    "(uniform bool)": 1,
    "(void * varying)": 64,
    "(void * uniform)": 8,
    "(float<3>)": 96,
    "(uniform float<3>)": 16,
    "(uniform float<5>)": 32,
    "(Pair)": 96,
    "(uniform Pair)": 12,
    "(Mixed)": 96,
    "(uniform Mixed)": 64,
    "(uniform double[3])": 24,
    "(E)": 32,
    "(Aligned)": 32,
    "points": 1920,
    "(uniform Nested)": 24,
}


@pytest.mark.parametrize("expression", list(SIZES))
def test_sizes(expression: str) -> None:
    source = f"""
struct Pair {{ float x; int a[2]; }};
struct Mixed {{ float a; uniform float b; varying float c; }};
struct Aligned {{ uniform int a; }} __attribute__((aligned(32)));
struct Nested {{ uniform int8 c; struct {{ uniform double d; }} inner; uniform int16 e; }};
struct P {{ float x, y, z; }};
enum E {{ A }};
soa<8> P points[20];
uniform unsigned int x = sizeof {expression};
"""
    found = next(one for one in program(source).globals if one.name == "x")
    assert isinstance(found.initial, tree.Constant) and found.initial.value == SIZES[expression]


# literal -> its type on targets with 8, 16 and 32 bit elements (language 2.4)
LITERALS = {
    "127": ("int8", "int16", "int32"),
    "128": ("unsigned int8", "int16", "int32"),
    "256": ("int16", "int16", "int32"),
    "32768": ("int32", "unsigned int16", "int32"),
    "0xffffffff": ("unsigned int32",) * 3,
    "2147483648": ("unsigned int32",) * 3,
    "4294967296": ("int64",) * 3,
    "0xffffffffffffffff": ("unsigned int64",) * 3,
    "1l": ("int32",) * 3,
    "1ll": ("int64",) * 3,
    "1ull": ("unsigned int64",) * 3,
    "1u": ("unsigned int32",) * 3,
    "1.0": ("float",) * 3,
    "1.0d": ("double",) * 3,
    "1.0f16": ("float16",) * 3,
    "true": ("bool",) * 3,
}
TARGETS = ("avx2-i8x32", "avx2-i16x16", "avx2-i32x8")


@pytest.mark.parametrize("literal", list(LITERALS))
@pytest.mark.parametrize("target", TARGETS)
def test_literals(literal: str, target: str) -> None:
    expected = LITERALS[literal][TARGETS.index(target)]
    source = f"template <typename T> void probe(T x) {{ }} void f() {{ probe({literal}); }}"
    instance = next(one for one in program(source, options(target)).functions if one.name == "probe")
    wanted = {"int16": "unsigned int16" if literal == "32768" else "int16"}.get(expected, expected)
    assert str(instance.type.parameters[0]) == f"uniform {wanted}" or (literal == "256" and target == "avx2-i8x32")


# the usual arithmetic conversions, low to high (language 6.1)
ORDER = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "float16", "float", "int64", "uint64", "double"]


@pytest.mark.parametrize("left", ORDER)
@pytest.mark.parametrize("right", ORDER)
def test_promotion(left: str, right: str) -> None:
    higher = max(left, right, key=ORDER.index)
    body = f"void f(uniform {left} a, {right} b) {{ a * b; }}"
    found = next(one for one in program(body).functions if one.name == "f")
    assert found.body is not None
    statement = found.body.statements[0]
    assert isinstance(statement, tree.Evaluate) and isinstance(statement.value, tree.Binary)
    assert str(statement.value.type).replace("unsigned int", "uint") == f"varying {higher}"
    assert statement.value.left.type == statement.value.right.type == statement.value.type
