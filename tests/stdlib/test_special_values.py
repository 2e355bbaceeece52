"""Zeros, infinities, NaN, subnormal numbers and the ends of the range, for every function, type and library, with fused
multiply-add and without: as C's Annex F says. Functions that ``fast`` has its own of promise only their ranges."""

from __future__ import annotations

import numpy as np
import pytest
from test_elementary_functions import REFERENCES, SPECIAL
from test_math_libraries import RANGES, RANGES_OF_DOUBLE

import voltac

DTYPES = {"float16": np.float16, "float": np.float32, "double": np.float64}
OWN_OF_FAST: dict[str, frozenset[str]] = {
    "float16": frozenset(), "float": frozenset(RANGES), "double": frozenset(RANGES_OF_DOUBLE),
}  # fmt: skip
OF_TWO = ("atan2", "pow", "fmod")
ENDS = [6.1e-5, 5.96e-8, 65504.0, 1.1754943508222875e-38, 3.4028234663852886e38, 2.2250738585072014e-308,
        1.7976931348623157e308, 1e-320, 0.99951171875, 1.0009765625]  # fmt: skip
CASES = [
    (library, type, target)
    for library in ("default", "fast")
    for type in DTYPES
    for target in ("sse4-i32x4", "host")
    # test_elementary_functions.py has float and double by the default library on this machine.
    if (library, target) != ("default", "host") or type == "float16"
]


def arguments_of(name: str, type: str) -> tuple[np.ndarray, np.ndarray]:
    dtype = DTYPES[type]
    with np.errstate(all="ignore"):
        values = np.array([*SPECIAL, *ENDS, *(-one for one in ENDS)]).astype(dtype)
    if name in OF_TWO:
        first, second = np.meshgrid(values, values)
        return first.ravel().copy(), second.ravel().copy()
    if type == "float16":
        values = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    return values, values


@pytest.mark.parametrize(("library", "type", "target"), CASES)
def test_special_values_of_every_function(library: str, type: str, target: str) -> None:
    promised_in_part = OWN_OF_FAST[type] if library == "fast" else frozenset()
    names = [name for name in REFERENCES if name not in promised_in_part and (name, type) != ("cbrt", "float16")]
    arrays = f"uniform {type} x[], uniform {type} y[], uniform {type} out[], uniform int n"
    source = "".join(
        f"export void {name}_({arrays}) {{ foreach (i = 0 ... n) out[i] = {name}(x[i]{', y[i]' * (name in OF_TWO)}); }}\n"
        for name in names
    )
    kernels = voltac.compile(source, target=target, math_library=library)  # type: ignore[arg-type]
    for name in names:
        x, y = arguments_of(name, type)
        got = np.empty_like(x)
        getattr(kernels, f"{name}_")(x, y, got, len(x))
        with np.errstate(all="ignore"):
            wide = [one.astype(np.longdouble) for one in (x, y)[: 1 + (name in OF_TWO)]]
            if name in ("erf", "erfc"):
                # By mpmath, which is slow, and has no answer for the largest numbers.
                x, got = x[:: len(x) // 40], got[:: len(x) // 40]
                wide = [np.where(np.isfinite(x), np.clip(x, -50, 50), x).astype(np.longdouble)]
            exact = REFERENCES[name](*wide)
            want = exact.astype(x.dtype)
            near = np.abs(got.astype(np.longdouble) - exact) <= 2 * np.spacing(np.abs(want)).astype(np.longdouble)
        same = (got == want) & (np.signbit(got) == np.signbit(want)) | (np.isnan(got) & np.isnan(want))
        # Finite and infinite at the end of the range, zero and the least number, are rounding's.
        rounding = np.isfinite(exact) & (exact != 0) & ((want == 0) | np.isinf(want) | (got == 0) | np.isinf(got))
        wrong = np.flatnonzero(~(same | (near & (want != 0)) | rounding))
        assert not len(wrong), (name, [(x[k], y[k], got[k], want[k]) for k in wrong[:5]])
