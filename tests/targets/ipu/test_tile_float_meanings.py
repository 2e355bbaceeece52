"""What rows of floats and halves do on random state, against numpy: arithmetic, conversions, accumulators, random numbers."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from tile_rows import DEVICE, LISTING, ROWS, STATE_WORDS, executed, random_values, registers_of

from voltac.codegen.encoding import encode
from voltac.codegen.rows import Row


def flushed(x: Any) -> Any:
    return np.where(np.abs(x) < np.float32(2.0**-126), np.copysign(np.float32(0), x), x)


def singles(words: list[int]) -> Any:
    return flushed(np.array(words, np.uint32).view(np.float32))


def halves(words: list[int]) -> Any:
    return np.array(words, np.uint32).view(np.float16)


def to_half(x: Any) -> Any:
    """To the nearest, the largest finite one for what is beyond (IPU 3.8); infinities are exact (IEEE 754-2008, 6.1)."""
    return np.where(np.isfinite(x), np.clip(x, -65504, 65504), x).astype(np.float16)


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
        value = random.choice((0.0, -0.0, 1.0, random.gauss(0, 1), random.uniform(-6e4, 6e4), 1e-6, np.inf, -np.inf))
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
