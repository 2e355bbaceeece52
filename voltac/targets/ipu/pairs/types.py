"""What pairs are in legal IR: types beside those of scalars, and the functions that lead from and to these.

A lane of a pair is read by ``extractelement``.
"""

from __future__ import annotations

PAIR = "<2 x float>"
MASK = "<2 x i1>"
"""What comparisons of pairs make: lanes of all ones or zeros, in the ARF."""

MAKE_PAIR = f"{PAIR} @ipu.pair(float, float)"
MAKE_MASK = f"{MASK} @ipu.mask(i1, i1)"
"""Through memory: conditions are words of the MRF."""
MASK_BITS = f"float @ipu.bits({MASK}, i32)"
"""Those of one lane."""
EITHER = "float @ipu.or(float, float)"
BOTH = "float @ipu.and(float, float)"
"""Of bits."""
STORE_HALVES = f"void @ipu.store_halves({PAIR}, ptr)"
"""Rounded to halves, into one word."""
FUNCTIONS = ("@ipu.pair", "@ipu.mask", "@ipu.bits", "@ipu.or", "@ipu.and")
"""Those that have no effect."""
