"""Operators, conversions and builtins of the interpreter, against values worked out by hand."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from voltac.interpreter.arithmetic import binary, convert, fused_multiply_add, rounded
from voltac.interpreter.builtins import InterpretedGang
from voltac.interpreter.memory import ProgramMemory
from voltac.sema.builtins import BUILTINS
from voltac.sema.types import BOOL, FLOAT, FLOAT16, INT8, INT32, INT64, UINT8, UINT64, Scalar
from voltac.target_info import find_target

TARGET = find_target("avx2-i32x8")


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Programs overflow and divide by zero without a word."""
    with np.errstate(all="ignore"):
        yield


@pytest.mark.parametrize(
    ("value", "target", "expected"),
    [
        (np.float32(-3.9), INT32, -3),
        (np.float32(300), UINT8, 44),
        (np.float64(1.8e19), UINT64, 18000000000000000000),
        (np.float32(-1), UINT64, 2**64 - 1),
        (np.int32(-1), UINT64, 2**64 - 1),
        (np.uint32(0xFFFFFFFF), INT64, 0xFFFFFFFF),
        (np.int32(1000), INT8, -24),
        (np.float32("nan"), BOOL, True),
        (np.bool_(True), FLOAT, 1.0),
        (np.int32(2049), FLOAT16, 2048),
        (np.float64(65520), FLOAT16, np.inf),
        (np.int64(2**24 + 1), FLOAT, 2.0**24),
    ],
)
def test_conversions_follow_the_table(value: np.generic, target: Scalar, expected: object) -> None:
    assert convert(value, target) == expected


def test_division_truncates_and_the_remainder_has_the_sign_of_the_dividend() -> None:
    a, b = np.array([7, -7, 7, -7], np.int16), np.array([2, 2, -2, -2], np.int16)
    assert binary("/", a, b).tolist() == [3, -3, -3, 3]
    assert binary("%", a, b).tolist() == [1, -1, 1, -1]
    assert binary("/", a, b).dtype == np.int16


def test_half_arithmetic_rounds_each_operation() -> None:
    assert binary("+", np.float16(2048), np.float16(1)) == np.float16(2048)
    assert binary("*", np.float16(300), np.float16(300)) == np.inf


def test_fused_multiply_add_rounds_once() -> None:
    for dtype, half in ((np.float16, 6), (np.float32, 12), (np.float64, 27)):
        near_one = dtype(1 + 2.0**-half)
        expected = dtype(2.0 ** (-2 * half))
        assert fused_multiply_add(near_one, near_one, dtype(-(1 + 2.0 ** (1 - half)))) == expected
    assert fused_multiply_add(np.float64(1e300), np.float64(1e300), np.float64(-np.inf)) == -np.inf
    assert np.signbit(fused_multiply_add(np.float32(-0.0), np.float32(1), np.float32(-0.0)))


def test_rounding_of_exact_numbers_handles_denormals_ties_and_overflow() -> None:
    tiny = Fraction(2) ** -149
    single = np.dtype(np.float32)
    assert rounded(tiny / 2, single) == 0
    assert rounded(tiny * 3 / 2, single) == np.float32(2.0**-148)
    assert rounded(Fraction(2**24 + 1), single) == np.float32(2.0**24)
    assert rounded(Fraction(2) ** 128, single) == np.inf
    assert np.signbit(rounded(-tiny / 4, single))


ALL_ON = np.ones(8, np.bool_)
LANE = np.arange(8, dtype=np.int32)


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("__leading_zeros", (np.array([0, 1, -1], np.int32),), [32, 31, 0]),
        ("__trailing_zeros", (np.array([0, 8, -1], np.int64),), [64, 3, 0]),
        ("__population_count", (np.array([0, 7, -1], np.int32),), [0, 3, 32]),
        ("__saturating_add", (np.array([100, -100], np.int8), np.array([100, -100], np.int8)), [127, -128]),
        ("__saturating_sub", (np.array([3], np.uint16), np.array([4], np.uint16)), [0]),
        ("__pack_bits", (LANE > 4,), 0b11100000),
        ("__shuffle", (LANE * 10, LANE - 1), [70, 0, 10, 20, 30, 40, 50, 60]),
        ("__insert", (LANE, np.int32(2), np.int32(99)), [0, 1, 99, 3, 4, 5, 6, 7]),
        ("__extract", (LANE * 2, np.int32(3)), 6),
        ("__reduce_add", (np.full(8, 100, np.int8),), 32),
        ("__reduce_min", (LANE,), 0),
        ("__round", (np.array([2.5, 3.5, -0.2], np.float32),), [2, 4, 0]),
        ("__min", (np.float32("nan"), np.float32(1)), 1),
        ("__max", (np.float32(-1), np.float32(1)), 1),
    ],
)
def test_builtins_compute(name: str, arguments: tuple[np.ndarray, ...], expected: Any) -> None:
    result = BUILTINS[name].meaning(InterpretedGang(ALL_ON, 8, arguments[0].dtype, ProgramMemory(), TARGET), *arguments)
    assert np.array_equal(result, expected)


def test_compress_and_expand_are_inverse() -> None:
    gang = InterpretedGang(ALL_ON, 8, LANE.dtype, ProgramMemory(), TARGET)
    wanted = LANE % 3 == 1
    packed = BUILTINS["__compress"].meaning(gang, LANE, wanted)
    assert packed[:3].tolist() == [1, 4, 7]
    assert BUILTINS["__expand"].meaning(gang, packed, wanted)[wanted].tolist() == [1, 4, 7]


def test_bit_patterns_are_seen_as_integers_and_back() -> None:
    one = np.float32(1)
    bits = BUILTINS["__bits"].meaning(InterpretedGang(ALL_ON, 8, np.dtype(np.uint32), ProgramMemory(), TARGET), one)
    assert bits == 0x3F800000
    assert (
        BUILTINS["__float_of_bits"].meaning(InterpretedGang(ALL_ON, 8, np.dtype(np.float32), ProgramMemory(), TARGET), bits)
        == one
    )
