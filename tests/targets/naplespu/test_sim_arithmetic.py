"""Corner cases of integers (NaplesPU 2.9) and float arithmetic as built and IEEE (NaplesPU 7), on scalars and on lanes."""

from __future__ import annotations

import struct
from random import Random

import pytest
from npu_programs import run_on_state, scalar, vector

NAN, INFINITY, MINUS_INFINITY, MINUS_ZERO = 0x7FC00000, 0x7F800000, 0xFF800000, 0x80000000
LARGEST = 0x7F7FFFFF
NOT_ZERO = 0x00C00000
DIVIDERS_NAN = 0x7F800001


def bits(value: float) -> int:
    return int.from_bytes(struct.pack("<f", value), "little")


def both(mnemonic: str, operands: list[int], fpu: str = "rtl") -> int:
    """The result of an instruction on scalars, which has to be that on every lane."""
    names = [f"{2 + number}" for number in range(len(operands))]
    of_scalars = ", ".join(f"s{name}" for name in names)
    of_vectors = ", ".join(f"v{name}" for name in names)
    compares = mnemonic.startswith("cmp")
    text = f" {mnemonic} s10, {of_scalars}\n {mnemonic} {'s11' if compares else 'v11'}, {of_vectors}\n"
    values = {2 + number: value for number, value in enumerate(operands)}
    device = run_on_state(text, values, {number: [value] * 16 for number, value in values.items()}, fpu=fpu)
    found = scalar(device, 10)
    assert (scalar(device, 11) == found) if compares else (vector(device, 11) == [found] * 16)
    return found


A = 0x80000001


@pytest.mark.parametrize(
    ("mnemonic", "value", "amount", "result"),
    [
        ("shl_i32", A, 31, 0x80000000), ("shl_i32", A, 32, 0), ("shl_i32", A, 33, 0), ("shl_i32", A, 0xFFFFFFFF, 0),
        ("shr_i32", A, 31, 1), ("shr_i32", A, 32, 0), ("shr_i32", A, 64, 0), ("shr_i32", A, 0xFFFFFFFF, 0),
        ("ashr_i32", A, 31, 0xFFFFFFFF), ("ashr_i32", A, 32, 0xFFFFFFFF), ("ashr_i32", A, 40, 0x00FFFFFF),
        ("ashr_i32", A, 63, 1), ("ashr_i32", A, 64, 0), ("ashr_i32", A, 0xFFFFFFFF, 0),
        ("ashr_i32", 0x7FFFFFFF, 32, 0), ("ashr_i32", 0x7FFFFFFF, 30, 1),
        ("mulhs_i32", 0x80000000, 0x80000000, 0x40000000), ("mulhs_i32", 0xFFFFFFFF, 1, 0xFFFFFFFF),
        ("mulhu_i32", 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFE), ("mull_i32", 0xFFFFFFFF, 0xFFFFFFFF, 1),
        ("add_i32", 0xFFFFFFFF, 2, 1), ("sub_i32", 0, 1, 0xFFFFFFFF),
    ],
)  # fmt: skip
def test_integer_corner_cases(mnemonic: str, value: int, amount: int, result: int) -> None:
    assert both(mnemonic, [value, amount]) == result


def test_zeros_are_counted_up_to_32() -> None:
    assert both("clz_i32", [0]) == both("ctz_i32", [0]) == 32
    assert both("clz_i32", [1]) == both("ctz_i32", [0x80000000]) == 31


def test_lane_indices_use_their_low_four_bits() -> None:
    lanes = [100 + lane for lane in range(16)]
    text = " getlane_i32 s10, v1, s2\n getlanei s11, v1, -1\n shuffle_i32 v10, v1, v2\n"
    device = run_on_state(text, {2: 35}, {1: lanes, 2: [16 + 3 * lane for lane in range(16)]})
    assert scalar(device, 10) == 103
    assert scalar(device, 11) == 115
    assert vector(device, 10) == [100 + 3 * lane % 16 for lane in range(16)]


def test_shuffle_reverses_and_rotates() -> None:
    lanes = list(range(16))
    device = run_on_state(
        " shuffle_i32 v10, v1, v2\n shuffle_i32 v11, v1, v3\n", {}, {1: lanes, 2: lanes[::-1], 3: lanes[3:] + lanes[:3]}
    )
    assert vector(device, 10) == lanes[::-1]
    assert vector(device, 11) == lanes[3:] + lanes[:3]


def test_a_scalar_operand_stands_in_every_lane() -> None:
    device = run_on_state(
        " sub_i32 v10, s2, v1\n sub_i32 v11, v1, s2\n sub_i32 v12, s2, s3\n subi v13, s2, 5\n",
        {2: 100, 3: 1},
        {1: list(range(16))},
    )
    assert vector(device, 10) == [100 - lane for lane in range(16)]
    assert vector(device, 11) == [(lane - 100) & 0xFFFFFFFF for lane in range(16)]
    assert vector(device, 12) == [99] * 16
    assert vector(device, 13) == [95] * 16


def test_pc_as_a_source_is_the_instructions_address_and_as_a_destination_nothing() -> None:
    device = run_on_state(" move_i32 s10, pc\n move_i32 s11, pc\n move_i32 pc, s2\n addi s12, pc, 0\n", {2: 0}, {})
    assert scalar(device, 11) - scalar(device, 10) == 4
    assert scalar(device, 12) - scalar(device, 11) == 8


# --- floats ---


@pytest.mark.parametrize("fpu", ["ideal", "rtl"])
@pytest.mark.parametrize(
    ("mnemonic", "a", "b", "result"),
    [("fadd_f32", 1.5, 2.25, 3.75), ("fsub_f32", 1.0, 3.0, -2.0), ("fmul_f32", -3.0, 0.5, -1.5), ("fdiv_f32", 1.0, 3.0, 1 / 3)],
)
def test_ordinary_numbers_are_alike_in_both_modes(mnemonic: str, a: float, b: float, result: float, fpu: str) -> None:
    assert both(mnemonic, [bits(a), bits(b)], fpu) == bits(result)


@pytest.mark.parametrize(
    ("mnemonic", "a", "b", "ideal", "rtl"),
    [
        ("fadd_f32", 0, MINUS_ZERO, 0, NOT_ZERO),
        ("fsub_f32", 0, 0, 0, NOT_ZERO),
        ("fsub_f32", MINUS_ZERO, 0, MINUS_ZERO, NOT_ZERO),
        ("fadd_f32", 0, 0, 0, 0),
        ("fadd_f32", 0, bits(2.0), bits(2.0), bits(2.0)),
        ("fsub_f32", bits(2.0), bits(2.0), 0, 0),
        ("fsub_f32", INFINITY, INFINITY, None, 0),
        # 2**128 has the exponent 255, twice that 256: it wraps to 0.
        ("fadd_f32", LARGEST, LARGEST, INFINITY, 0x7FFFFFFF),
        ("fmul_f32", bits(2.0**100), bits(2.0**100), INFINITY, bits(2.0 ** (200 - 256))),
        ("fmul_f32", bits(2.0**-100), bits(2.0**-100), 0, bits(2.0 ** (-200 + 256))),
        ("fmul_f32", bits(-2.0), 0, MINUS_ZERO, 0),
        ("fmul_f32", INFINITY, 0, None, 0),
        ("fdiv_f32", bits(3.0), 0, INFINITY, INFINITY),
        ("fdiv_f32", bits(-3.0), 0, MINUS_INFINITY, MINUS_INFINITY),
        ("fdiv_f32", 0, 0, None, DIVIDERS_NAN),
        ("fdiv_f32", INFINITY, INFINITY, None, DIVIDERS_NAN),
        ("fdiv_f32", NAN, bits(1.0), None, DIVIDERS_NAN),
        ("fdiv_f32", bits(1.0), NAN, None, DIVIDERS_NAN),
        ("fdiv_f32", bits(1e-30), bits(1e10), bits(1e-40), 0),
        ("fdiv_f32", bits(1e-40), bits(1e-10), bits(1e-40 / 1e-10), 0),
        ("fdiv_f32", bits(1.0), INFINITY, 0, 0),
    ],
)
def test_special_values_of_arithmetic(mnemonic: str, a: int, b: int, ideal: int | None, rtl: int) -> None:
    """None stands for any NaN. A quotient of subnormals is only near what the decimal numbers say."""
    assert both(mnemonic, [a, b], "rtl") == rtl
    device = run_on_state(
        f" {mnemonic} s10, s2, s3\n {mnemonic} v10, v2, v3\n", {2: a, 3: b}, {2: [a] * 16, 3: [b] * 16}, fpu="ideal"
    )
    for found in (scalar(device, 10), *vector(device, 10)):
        if ideal is None:
            assert found & 0x7FFFFFFF > INFINITY
        else:
            assert abs(found - ideal) <= 10_000 if a == bits(1e-40) else found == ideal


@pytest.mark.parametrize(
    ("mnemonic", "a", "b", "ideal", "rtl"),
    [
        ("cmpfgt", -1.0, -2.0, True, False),
        ("cmpflt", -1.0, -2.0, False, True),
        ("cmpfle", -1.0, -2.0, False, True),
        ("cmpfge", -1.0, 2.0, False, False),
        ("cmpflt", -1.0, 2.0, True, True),
        ("cmpfgt", 3.0, 2.0, True, True),
        ("cmpfeq", 0.0, -0.0, True, False),
        ("cmpfne", 0.0, -0.0, False, True),
        ("cmpfgt", 0.0, -0.0, False, True),
        ("cmpfeq", float("nan"), float("nan"), False, True),
        ("cmpfne", float("nan"), float("nan"), True, False),
        ("cmpfgt", float("nan"), float("inf"), False, True),
        ("cmpflt", 1.0, float("nan"), False, True),
    ],
)
def test_float_compares_order_negative_numbers_backwards_as_built(
    mnemonic: str, a: float, b: float, ideal: bool, rtl: bool
) -> None:
    operands = [bits(a), bits(b)]
    assert both(mnemonic + "_f32", operands, "ideal") == 0xFFFF * ideal
    assert both(mnemonic + "_f32", operands, "rtl") == 0xFFFF * rtl


@pytest.mark.parametrize(
    ("value", "ideal", "rtl"),
    [
        (0, 0, 0),
        (0xFFFFFFFF, bits(-1.0), bits(-1.0)),
        (0x80000000, bits(-(2.0**31)), bits(-(2.0**31))),
        (16777217, bits(16777216.0), bits(16777216.0)),
        (16777219, bits(16777220.0), bits(16777220.0)),
        (0x7FFFFFBF, bits(2.0**31 - 128), bits(2.0**31 - 128)),
        (0x7FFFFFC0, bits(2.0**31), bits(2.0**30)),
        (0x7FFFFFFF, bits(2.0**31), bits(2.0**30)),
        (0x80000001, bits(-(2.0**31)), bits(-(2.0**30))),
        (0x01FFFFFE, bits(33554430.0), bits(33554430.0)),
        (0x01FFFFFF, bits(2.0**25), bits(2.0**24)),
        (0xFE000001, bits(-(2.0**25)), bits(-(2.0**24))),
        (0x3FFFFFE0, bits(2.0**30), bits(2.0**29)),
        (0x3FFFFFDF, bits(2.0**30 - 64), bits(2.0**30 - 64)),
        # 0xFFFFFE and a bit more than half.
        (0x03FFFFFA, bits(67108856.0), bits(67108856.0)),
        (0x03FFFFFB, bits(67108860.0), bits(2 * 67108860.0)),
        (0x7FFFFF41, bits(2.0**31 - 128), bits(2.0**32 - 256)),
        (0x800000BF, bits(-(2.0**31) + 128), bits(-(2.0**32) + 256)),
    ],
)
def test_integers_that_round_up_to_ones_or_beyond_are_doubled_or_halved_as_built(value: int, ideal: int, rtl: int) -> None:
    assert both("itof_i32", [value], "ideal") == ideal
    assert both("itof_i32", [value], "rtl") == rtl


@pytest.mark.parametrize(
    ("mnemonic", "a", "b", "ideal", "rtl"),
    [
        # Neighbours, also where one is twice as far from the next.
        ("fsub_f32", 0x3F800001, 0x3F800000, 0x34000000, 0),
        ("fsub_f32", 0x3F800000, 0x3F800001, 0xB4000000, MINUS_ZERO),
        ("fsub_f32", 0x3F800000, 0x3F7FFFFF, 0x33800000, 0),
        ("fadd_f32", 0xC2C80001, 0x42C80000, 0xB7000000, MINUS_ZERO),
        ("fsub_f32", 0x3F800002, 0x3F800000, 0x34800000, 0x34800000),
        # Three halves of the last place become two.
        ("fsub_f32", 0x3F800000, 0x3F7FFFFD, 0x34400000, 0x34800000),
        # 2^23 times smaller: lost; neither more nor less than that.
        ("fadd_f32", bits(12582912.0), bits(1.0), bits(12582913.0), bits(12582912.0)),
        ("fadd_f32", bits(-1.75), bits(12582912.0), bits(12582910.0), bits(12582912.0)),
        ("fadd_f32", bits(12582912.0), bits(2.0), bits(12582914.0), bits(12582914.0)),
        ("fadd_f32", bits(12582912.0), bits(0.75), bits(12582913.0), bits(12582913.0)),
        ("fadd_f32", MINUS_ZERO, 0, 0, 0),
        ("fadd_f32", MINUS_ZERO, MINUS_ZERO, MINUS_ZERO, NOT_ZERO),
        # Zero and subnormal numbers have a leading one too: 2^-110 and 2^-127; 2^-126 and 2^-127 + 2^-150, rounded up.
        ("fadd_f32", 0x08800000, 0, 0x08800000, 0x08800040),
        ("fsub_f32", 0x08800000, 0, 0x08800000, 0x087FFF80),
        ("fadd_f32", 0x00800000, 1, 0x00800001, 0x00C00001),
        ("fadd_f32", 0x12000000, 0, 0x12000000, 0x12000000),
    ],
)
def test_sums_that_lose_digits(mnemonic: str, a: int, b: int, ideal: int, rtl: int) -> None:
    assert both(mnemonic, [a, b], "ideal") == ideal
    assert both(mnemonic, [a, b], "rtl") == rtl


@pytest.mark.parametrize(
    ("mnemonic", "a", "b", "ideal", "rtl"),
    [
        # 2^-127 is taken for 1.5 times 2^-127, the smallest number for a bit more than 2^-127.
        ("fmul_f32", 0x00400000, bits(1024.0), 0x05000000, 0x05400000),
        ("fmul_f32", bits(2.0**127), 1, bits(2.0**-22), 0x3F800002),
        ("fmul_f32", bits(1.5 * 2.0**-100), bits(2.0**-100), 0, bits(1.5 * 2.0**56)),
        ("fdiv_f32", 0x00400000, bits(2.0**-20), bits(2.0**-107), 0),
        ("fdiv_f32", bits(-1.0), 0x00400000, bits(-(2.0**127)), MINUS_INFINITY),
        ("fdiv_f32", 0x00800000, bits(-2.0), 0x80400000, MINUS_ZERO),
        ("fdiv_f32", 1, 2, bits(0.5), 0x7F800001),
    ],
)
def test_products_and_quotients_of_subnormal_numbers(mnemonic: str, a: int, b: int, ideal: int, rtl: int) -> None:
    assert both(mnemonic, [a, b], "ideal") == ideal
    assert both(mnemonic, [a, b], "rtl") == rtl


@pytest.mark.parametrize("value", [128.0, -128.0, 200.5, -255.99, 255.0])
def test_what_is_shifted_by_16_becomes_zero_as_built(value: float) -> None:
    assert both("ftoi_i32", [bits(value)], "ideal") == int(value) & 0xFFFFFFFF
    assert both("ftoi_i32", [bits(value)], "rtl") == 0
    for near in (127.99, 256.0):
        assert both("ftoi_i32", [bits(near)], "rtl") == int(near)


@pytest.mark.parametrize("fpu", ["ideal", "rtl"])
@pytest.mark.parametrize(
    ("value", "result"),
    [
        (1.9, 1), (-1.9, 0xFFFFFFFF), (-0.5, 0), (2.0**31, 0x80000000), (-(2.0**31) - 256, 0x7FFFFF00),
        (2.0**32 - 256, 0xFFFFFF00), (float("inf"), 0x7FFFFFFF), (float("-inf"), 0x7FFFFFFF), (float("nan"), 0x7FFFFFFF),
    ],
)  # fmt: skip
def test_floats_become_integers_toward_zero_and_modulo_2_to_the_32(value: float, result: int, fpu: str) -> None:
    assert both("ftoi_i32", [bits(value)], fpu) == result


@pytest.mark.parametrize(
    ("value", "ideal"), [(2.0**32, 0), (2.0**32 + 512, 512), (-(2.0**32) - 1024, 0xFFFFFC00), (2.0**100, 0)]
)
def test_floats_of_2_to_the_32_and_more_become_the_greatest_integer_as_built(value: float, ideal: int) -> None:
    assert both("ftoi_i32", [bits(value)], "ideal") == ideal
    assert both("ftoi_i32", [bits(value)], "rtl") == 0x7FFFFFFF


def test_conversions_go_round_trip() -> None:
    numbers = [(3 * lane - 20) & 0xFFFFFFFF for lane in range(16)]
    device = run_on_state(" itof_i32 v2, v1\n ftoi_i32 v3, v2\n sext8_i32 v4, v1\n sext16_i32 v5, v1\n", {}, {1: numbers})
    assert vector(device, 2) == [bits(float(3 * lane - 20)) for lane in range(16)]
    assert vector(device, 3) == vector(device, 4) == vector(device, 5) == numbers


@pytest.mark.parametrize("mnemonic", ["fadd_f32", "fsub_f32", "fmul_f32", "fdiv_f32", "itof_i32", "ftoi_i32"])
@pytest.mark.parametrize("fpu", ["ideal", "rtl"])
def test_lanes_compute_what_scalars_compute(mnemonic: str, fpu: str) -> None:
    special = [0, MINUS_ZERO, INFINITY, MINUS_INFINITY, NAN, LARGEST, LARGEST | MINUS_ZERO, 0x00800000, 0x00400000, bits(-1.5)]
    random = Random(mnemonic)
    for _ in range(6):
        first, second = ([random.choice((*special, random.getrandbits(32))) for _ in range(16)] for _ in range(2))
        operands = "v2" if mnemonic.endswith("i32") else "v2, v3"
        text = f" {mnemonic} v10, {operands}\n"
        for lane in range(16):
            text += (
                f" getlanei s2, v2, {lane}\n getlanei s3, v3, {lane}\n {mnemonic} s{20 + lane}, {operands.replace('v', 's')}\n"
            )
        device = run_on_state(text, {}, {2: first, 3: second}, fpu=fpu)
        for lane, found in enumerate(vector(device, 10)):
            wanted = scalar(device, 20 + lane)
            # Which NaN an IEEE operation gives is the host machine's business.
            assert found == wanted or min(found & 0x7FFFFFFF, wanted & 0x7FFFFFFF) > INFINITY
