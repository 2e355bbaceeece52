"""What floating-point rows compute: by exact fractions, rounded by numpy; the division and root sequences by hardware."""

import math
import random
import struct
from fractions import Fraction

import numpy as np
import pytest
from ia64_rows import ROWS, execute, machine

from voltac.targets.ia64.simulator import float_formats as formats
from voltac.targets.ia64.simulator.machine import Itanium
from voltac.targets.ia64.slots import Slot

BY_NAME = {row.name: row for row in ROWS}


def bits32(value: float) -> int:
    with np.errstate(over="ignore"):
        return int(np.float32(value).view(np.uint32))


def bits64(value: float) -> int:
    return int.from_bytes(struct.pack("<d", value), "little")


def float64(bits: int) -> float:
    return float(struct.unpack("<d", bits.to_bytes(8, "little"))[0])


def run(here: Itanium, name: str, *values: int, predicate: int = 0) -> None:
    execute(here, Slot(BY_NAME[name], values, predicate))


def nearest(exact: Fraction, bits: int, least: int) -> Fraction:
    """A fraction rounded to so many bits, with no digit below those of the least normal number."""
    if not exact:
        return exact
    exponent = math.floor(math.log2(abs(exact)))
    while abs(exact) >= Fraction(2) ** (exponent + 1):
        exponent += 1
    while abs(exact) < Fraction(2) ** exponent:
        exponent -= 1
    unit = Fraction(2) ** (max(exponent, least) - bits + 1)
    return round(exact / unit) * unit


def random_single(rng: random.Random) -> float:
    kind = rng.random()
    if kind < 0.5:
        return float(np.float32(rng.uniform(-100, 100)))
    bits = rng.getrandbits(32)
    value = float(np.uint32(bits).view(np.float32))
    return value if math.isfinite(value) else float(rng.randrange(-5, 6))


@pytest.mark.parametrize("seed", range(3))
def test_sums_of_products_are_rounded_once(seed: int) -> None:
    rng = random.Random(seed)
    here = machine()
    for _ in range(150):
        a, b, c = (random_single(rng) for _ in range(3))
        here.F[32:35] = [formats.of_double(bits64(one)) for one in (a, b, c)]
        exact = Fraction(a) * Fraction(b)
        for mnemonic, sign, of_sum in (("fma", 1, 1), ("fms", 1, -1), ("fnma", -1, 1)):
            total = sign * exact + of_sum * Fraction(c)
            if not total:
                continue
            run(here, f"{mnemonic}.s.s0.f=f,f,f", 40, 32, 33, 34)
            single = nearest(total, 24, -126)
            found = float(np.uint32(formats.to_single(here.F[40])).view(np.float32))
            assert found == float(single) if abs(single) < Fraction(2) ** 128 else math.isinf(found), (mnemonic, a, b, c)
            run(here, f"{mnemonic}.d.s0.f=f,f,f", 40, 32, 33, 34)
            assert float64(formats.to_double(here.F[40])) == float(nearest(total, 53, -1022)), (mnemonic, a, b, c)


SPECIAL = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 1e-45, -1e-40, 3.4e38, 2.0**-126]


def test_special_operands_give_what_numpy_gives() -> None:
    here = machine()
    with np.errstate(all="ignore"):
        for a in SPECIAL:
            for b in SPECIAL:
                here.F[32:34] = [formats.of_single(bits32(one)) for one in (a, b)]
                x, y = np.float32(a), np.float32(b)
                for name, values, wanted in (
                    ("fma.s.s0.f=f,f,f", (40, 32, 1, 33), x + y),
                    ("fms.s.s0.f=f,f,f", (40, 32, 1, 33), x - y),
                    ("fma.s.s0.f=f,f,f", (40, 32, 33, 0), x * y),
                ):
                    run(here, name, *values)
                    found = np.uint32(formats.to_single(here.F[40])).view(np.float32)
                    same = (np.isnan(found) and np.isnan(wanted)) or found.view(np.uint32) == wanted.view(np.uint32)
                    assert same, (name, a, b, found, wanted)
                for relation, holds in (("eq", a == b), ("lt", x < y), ("le", x <= y), ("unord", a != a or b != b)):
                    run(here, f"fcmp.{relation}.s0.p,p=f,f", 6, 7, 32, 33)
                    assert (here.P[6], here.P[7]) == (int(holds), int(not holds)), (relation, a, b)
                for name, wanted in (("fmin", x if x < y else y), ("fmax", x if x > y else y)):
                    run(here, f"{name}.s0.f=f,f", 40, 32, 33)
                    assert formats.to_single(here.F[40]) == bits32(float(wanted)) or np.isnan(wanted), (name, a, b)


@pytest.mark.parametrize("size", [4, 8])
def test_memory_formats_come_back(size: int) -> None:
    rng = random.Random(size)
    for _ in range(2000):
        bits = rng.getrandbits(8 * size)
        if rng.random() < 0.2:
            bits &= ~(0x7F800000 if size == 4 else 0x7FF0000000000000)
        there, back = (formats.of_single, formats.to_single) if size == 4 else (formats.of_double, formats.to_double)
        assert back(there(bits)) == bits


def test_integers_are_converted_both_ways() -> None:
    rng = random.Random(4)
    here = machine()
    for _ in range(300):
        number = rng.getrandbits(rng.randrange(1, 65))
        signed = number - (1 << 64) if number >> 63 else number
        here.R[14] = number
        run(here, "setf.sig.f=r", 32, 14)
        run(here, "fcvt.xf.f=f", 33, 32)
        run(here, "fma.d.s0.f=f,f,f", 34, 33, 1, 0)
        assert float64(formats.to_double(here.F[34])) == float(signed)
        run(here, "fma.d.s0.f=f,f,f", 34, 32, 1, 0)
        assert float64(formats.to_double(here.F[34])) == float(number)
        value = rng.uniform(-(2.0**62), 2.0**62) / 2.0 ** rng.randrange(60)
        here.F[32] = formats.of_double(bits64(value))
        run(here, "fcvt.fx.trunc.s1.f=f", 33, 32)
        run(here, "getf.sig.r=f", 15, 33)
        assert here.R[15] == int(value) & (1 << 64) - 1
        run(here, "fcvt.fx.s0.f=f", 33, 32)
        run(here, "getf.sig.r=f", 15, 33)
        assert here.R[15] == round(value) & (1 << 64) - 1
    for value in (math.nan, math.inf, -math.inf, 2.0**63, -(2.0**64)):
        here.F[32] = formats.of_double(bits64(value))
        run(here, "fcvt.fx.trunc.s1.f=f", 33, 32)
        assert formats.significand(here.F[33]) == 1 << 63


def test_products_of_integers() -> None:
    rng = random.Random(5)
    here = machine()
    for _ in range(200):
        a, b, c = (rng.getrandbits(64) for _ in range(3))
        here.F[32:35] = [formats.of_significand(one) for one in (a, b, c)]
        sa, sb = (one - (1 << 64) if one >> 63 else one for one in (a, b))
        for name, wanted in (("xma.l", sa * sb + c), ("xma.h", (sa * sb + c) >> 64), ("xma.hu", (a * b + c) >> 64)):
            run(here, f"{name}.f=f,f,f", 40, 32, 33, 34)
            assert formats.significand(here.F[40]) == wanted & (1 << 64) - 1, name


@pytest.mark.parametrize("seed", range(2))
def test_pairs_compute_like_two_singles(seed: int) -> None:
    rng = np.random.default_rng(seed)
    here = machine()
    with np.errstate(all="ignore"):
        for _ in range(100):
            a, b, c = rng.normal(size=(3, 2)).astype(np.float32)
            for place, pair in enumerate((a, b, c)):
                here.F[32 + place] = formats.of_significand(int.from_bytes(pair.tobytes(), "little"))
            for name, sign, of in (("fpma", 1, 1), ("fpms", 1, -1), ("fpnma", -1, 1)):
                run(here, f"{name}.s0.f=f,f,f", 40, 32, 33, 34)
                found = np.frombuffer(formats.significand(here.F[40]).to_bytes(8, "little"), np.float32)
                lanes = [[Fraction(float(one)) for one in lane] for lane in zip(a, b, c)]
                exact = [nearest(sign * x * y + of * z, 24, -126) for x, y, z in lanes]
                assert [float(one) for one in found] == [float(one) for one in exact], name
            for name, best in (("fpmin", np.minimum(a, b)), ("fpmax", np.maximum(a, b))):
                run(here, f"{name}.s0.f=f,f", 40, 32, 33)
                assert formats.significand(here.F[40]).to_bytes(8, "little") == best.tobytes()
            run(here, "fpcmp.lt.s0.f=f,f", 40, 32, 33)
            mask = np.where(a < b, 0xFFFFFFFF, 0).astype(np.uint32)
            assert formats.significand(here.F[40]).to_bytes(8, "little") == mask.tobytes()
            run(here, "fselect.f=f,f,f", 41, 32, 33, 40)
            assert formats.significand(here.F[41]).to_bytes(8, "little") == np.where(a < b, a, b).tobytes()


LANES = {
    "fmix.l": lambda a, b: (b[1], a[1]), "fmix.r": lambda a, b: (b[0], a[0]), "fmix.lr": lambda a, b: (b[0], a[1]),
    "fswap": lambda a, b: (a[1], b[0]), "fswap.nl": lambda a, b: (a[1], -b[0]), "fswap.nr": lambda a, b: (-a[1], b[0]),
}  # fmt: skip
"""IA-64 7: the low single, then the high one."""


@pytest.mark.parametrize("name", LANES)
def test_lanes_are_moved(name: str) -> None:
    here = machine()
    a, b = np.array([1.5, -2.5], np.float32), np.array([3.5, 4.5], np.float32)
    for place, pair in enumerate((a, b)):
        here.F[32 + place] = formats.of_significand(int.from_bytes(pair.tobytes(), "little"))
    run(here, f"{name}.f=f,f", 40, 32, 33)
    wanted = np.array(LANES[name](a, b), np.float32)
    assert formats.significand(here.F[40]).to_bytes(8, "little") == wanted.tobytes()


def test_guesses_have_eight_good_bits() -> None:
    rng = random.Random(6)
    here = machine()
    for _ in range(500):
        value = math.ldexp(rng.uniform(1, 2), rng.randrange(-300, 300))
        here.F[32] = formats.of_double(bits64(value))
        here.F[33] = formats.ONE
        run(here, "frcpa.s0.f,p=f,f", 40, 6, 33, 32)
        assert here.P[6] == 1
        assert abs(float64(formats.to_double(here.F[40])) * value - 1) < 2.0**-8.7
        run(here, "frsqrta.s0.f,p=f", 40, 6, 32)
        assert here.P[6] == 1
        assert abs(float64(formats.to_double(here.F[40])) * math.sqrt(value) - 1) < 2.0**-8.7


@pytest.mark.parametrize(
    ("a", "b", "wanted"),
    [(1.0, 0.0, math.inf), (-1.0, 0.0, -math.inf), (0.0, 0.0, math.nan), (3.0, math.inf, 0.0), (math.inf, 2.0, math.inf)],
)
def test_a_guess_that_is_the_quotient_says_so(a: float, b: float, wanted: float) -> None:
    here = machine()
    here.F[32:34] = [formats.of_double(bits64(one)) for one in (a, b)]
    run(here, "frcpa.s0.f,p=f,f", 40, 6, 32, 33)
    found = float64(formats.to_double(here.F[40]))
    assert here.P[6] == 0
    assert found == wanted or (math.isnan(found) and math.isnan(wanted))


CLASSES = {0.0: 4, 1.0: 0x10, math.inf: 0x20, 1e-310: 8}
"""IA-64 7 names zero, normal, infinite and unnormal numbers; the lowest bits are positive (1) and negative (2)."""


@pytest.mark.parametrize("value", CLASSES)
@pytest.mark.parametrize("negative", [False, True])
def test_classes_of_numbers(value: float, negative: bool) -> None:
    here = machine()
    here.F[32] = formats.of_double(bits64(-value if negative else value))
    for kind in (4, 8, 0x10, 0x20, 0x40, 0x80, 0x100):
        for sign in (1, 2, 3):
            run(here, "fclass.m.p,p=f,class9", 6, 7, 32, kind | sign)
            wanted = kind == CLASSES[value] and bool(sign & (2 if negative else 1))
            assert (here.P[6], here.P[7]) == (int(wanted), int(not wanted))
