"""The LLVM intrinsics (language 8.10) that the interpreter knows, found by the first words of their name."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .arithmetic import fused_multiply_add
from .values import Value

_INTRINSICS: dict[str, Callable[..., Value]] = {
    "sqrt": np.sqrt,
    "fabs": np.abs,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "rint": np.rint,
    "nearbyint": np.rint,
    "roundeven": np.rint,
    "copysign": np.copysign,
    "minnum": np.fmin,
    "maxnum": np.fmax,
    "fma": fused_multiply_add,
    "fmuladd": lambda a, b, c: a * b + c,
    "smin": np.minimum,
    "smax": np.maximum,
    "umin": np.minimum,
    "umax": np.maximum,
}


def find_intrinsic(name: str) -> Callable[..., Value] | None:
    """``llvm.fma.v8f32`` -> its meaning; the suffix with the types says nothing new."""
    words = name.removeprefix("@").split(".")
    return _INTRINSICS.get(words[1]) if len(words) > 1 and words[0] == "llvm" else None
