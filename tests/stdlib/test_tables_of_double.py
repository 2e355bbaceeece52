"""The rows of numbers in the library: functions of double at the places that they are of, to the last bit."""

from __future__ import annotations

import struct

import mpmath
import pytest

from voltac.sema.library.index import index

DISTANCE = 0.01171877465048965


def rows_of(name: str, width: int = 4, overlays: tuple[str, ...] = ()) -> list[list[float]]:
    (chunk,) = index().chunks(name, overlays)
    body = "".join(chunk.texts[chunk.texts.index("{") + 1 : -2])
    values = [float(number.rstrip("d")) for number in body.split(",")]
    return [values[start : start + width] for start in range(0, len(values), width)]


def test_rows_of_erf() -> None:
    rows = rows_of("erf_rows")
    assert len(rows) == 512
    with mpmath.workprec(200):
        for k, (value, slope, rest, _) in enumerate(rows):
            c = k * mpmath.mpf(DISTANCE)
            assert value == float(mpmath.erf(c))
            assert rest == float(mpmath.erfc(c))
            assert slope == float(2 / mpmath.sqrt(mpmath.pi) * mpmath.exp(-c * c))


def test_rows_of_pow() -> None:
    rows = rows_of("pow_rows")
    assert len(rows) == 128
    with mpmath.workprec(200):
        for inverse, upper, lower, _ in rows:
            assert (inverse * 256).is_integer()
            assert (upper * 2**42).is_integer(), "multiples of ln 2 are added exactly"
            assert mpmath.mpf(upper) + lower == pytest.approx(-mpmath.log(inverse), abs=1e-29)


@pytest.mark.parametrize("number", [0.71, 0.9, 1.0, 1.2, 1.4])
def test_a_row_of_pow_belongs_to_its_numbers(number: float) -> None:
    """Intervals begin at 0x3FE69 2^44 and are 2^45 bit patterns wide."""
    bits = int.from_bytes(struct.pack("<d", number), "little")
    inverse = rows_of("pow_rows")[(bits - 0x3FE6900000000000) >> 45][0]
    assert abs(number * inverse - 1) < 0.006


def test_rows_of_exponentials() -> None:
    rows = rows_of("exp2_rows", 2, ("unfused",))
    assert len(rows) == 64
    with mpmath.workprec(200):
        for k, (power, rest) in enumerate(rows):
            exact = mpmath.power(2, mpmath.mpf(k) / 64)
            assert power == float(exact)
            assert rest == float(exact - power)
