"""The tables of stdlib's functions of double: ``python benchmarks/tables.py`` writes them anew.

error_function_tables.ispc: erf c, its slope and erfc c for 512 multiples c of a distance that has 36 bits, is near 3/256, and
at which the first values are nearly doubles (Gal 1986). power_tables.ispc: 1 / c and log c for 128 intervals (Tang 1990),
where 1 / c has so few bits that z / c - 1 is a double for each z of the interval. unfused/exponential_tables.ispc: 2^(j/64).
"""

from __future__ import annotations

import struct
import textwrap
from pathlib import Path
from typing import Any

import mpmath

Real = Any
STDLIB = Path(__file__).resolve().parent.parent / "stdlib"
DISTANCE = 0.01171877465048965
FIRST_BITS = 0x3FE6900000000000
"""Of the first interval of pow's; each has 2^45 patterns, and 1 is in the middle of one."""
mpmath.mp.prec = 200


def error_rows() -> list[tuple[float, ...]]:
    rows = []
    for k in range(512):
        c = k * mpmath.mpf(DISTANCE)
        slope = 2 / mpmath.sqrt(mpmath.pi) * mpmath.exp(-(c**2))
        rows.append((float(mpmath.erf(c)), float(slope), float(mpmath.erfc(c))))
    return rows


def power_rows() -> list[tuple[float, ...]]:
    rows = []
    for k in range(128):
        low, high = (struct.unpack("<d", struct.pack("<Q", FIRST_BITS + (k + one << 45) - one))[0] for one in (0, 1))
        bits = 7 if high <= 1 else 8
        middle = round(2**bits * 2 / (low + high))
        near = (number / 2**bits for number in (middle - 1, middle, middle + 1))
        inverse = 1.0 if low < 1 < high else min(near, key=lambda one: max(abs(low * one - 1), abs(high * one - 1)))
        exact = -mpmath.log(inverse)
        upper = mpmath.nint(exact * 2**42) / mpmath.mpf(2) ** 42
        rows.append((inverse, float(upper), float(exact - upper)))
    return rows


def text(head: str, name: str, rows: list[tuple[float, ...]]) -> str:
    """A declaration; rows of three are filled up to four numbers."""
    items = [item for row in rows for item in (*(f"{number!r}d" for number in row), *["0"] * (len(row) == 3))]
    lines = textwrap.wrap(", ".join(items), 124)
    body = "\n".join(f"    {line}" for line in lines)
    return f"{head}static const uniform double {name}[{len(items)}] = {{\n{body}\n}};\n"


def exponential_rows() -> list[tuple[float, ...]]:
    powers = [mpmath.power(2, mpmath.mpf(j) / 64) for j in range(64)]
    return [(float(power), float(power - float(power))) for power in powers]


ERROR_HEAD = """// Tables of erf and erfc of double (stdlib/error_function.ispc), by benchmarks/tables.py.

// Rows of erf c, 2 / sqrt(pi) e^(-c^2) and erfc c for c = 0.01171877465048965 k, a distance of 36 bits at which the first are
// nearly doubles.
"""
POWER_HEAD = """// Tables of pow of double (stdlib/power.ispc), by benchmarks/tables.py.

// 1 / c, which has so few bits that a number of the interval times it, less 1, is a double, and log c in two parts, of which
// the upper is a multiple of 2^-42. Intervals are 2^45 bit patterns wide, from 0.705; 1 lies within one of them, where c is 1.
"""


EXPONENTIAL_HEAD = """// The table of exp, exp2 and expm1 of double (stdlib/unfused/exponential.ispc), by benchmarks/tables.py.

// 2^(j/64), and what its rounding lost.
"""


def main() -> None:
    (STDLIB / "unfused" / "exponential_tables.ispc").write_text(text(EXPONENTIAL_HEAD, "exp2_rows", exponential_rows()))
    (STDLIB / "error_function_tables.ispc").write_text(text(ERROR_HEAD, "erf_rows", error_rows()))
    (STDLIB / "power_tables.ispc").write_text(text(POWER_HEAD, "pow_rows", power_rows()))


if __name__ == "__main__":
    main()
