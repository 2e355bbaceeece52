"""Registers of NaplesPU (NaplesPU 1.2, 3.2)."""

from __future__ import annotations

from voltac.codegen.machine_code import Register

LANES = 16
"""Of a vector register (NaplesPU 1.1)."""
FULL_MASK = (1 << LANES) - 1

_NAMED = {58: "tr", 59: "rm", 60: "fp", 61: "sp", 62: "ra", 63: "pc"}

SCALARS = tuple(Register(_NAMED.get(number, f"s{number}"), "scalar", number) for number in range(64))
VECTORS = tuple(Register(f"v{number}", "vector", number) for number in range(64))
BY_NAME = {register.name: register for register in (*SCALARS, *VECTORS)} | {
    f"s{number}": register for number, register in enumerate(SCALARS)
}
"""Special registers are known by their number too: ``s59`` is ``rm``."""

TR, RM, FP, SP, RA, PC = SCALARS[58:]

RESERVED = frozenset((TR, RM, FP, SP, RA, PC, VECTORS[59], VECTORS[63]))
"""Never allocated; a write of v59 would rewrite the mask, and one of v63 in R format would be a jump."""
ALLOCATABLE = {
    "scalar": tuple(register for register in SCALARS if register not in RESERVED),
    "vector": tuple(register for register in VECTORS if register not in RESERVED),
}
CALLEE_SAVED = frozenset((*SCALARS[50:58], *VECTORS[56:59], *VECTORS[60:64])) - RESERVED
"""Beside rm, fp and ra, which prologue and epilogue take care of."""
ARGUMENTS = {"scalar": SCALARS[0:8], "vector": VECTORS[0:8]}
RESULTS = {"scalar": SCALARS[0:6], "vector": VECTORS[0:6]}
