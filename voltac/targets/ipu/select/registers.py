"""Which registers hold what (IPU 1.2, 4.4): parameters, results, what a function preserves, and those that never change."""

from __future__ import annotations

from voltac.codegen.machine_code import Register
from voltac.targets.ipu.registers import BY_NAME


def _named(file: str, first: int, end: int) -> tuple[Register, ...]:
    return tuple(BY_NAME[f"${file}{number}"] for number in range(first, end))


LR, SP = BY_NAME["$lr"], BY_NAME["$sp"]
SCRATCH = BY_NAME["$mworker_base"]
ZERO = {"m": BY_NAME["$mzero"], "a": BY_NAME["$azero"], "a2": BY_NAME["$azeros"]}

CALLEE_SAVED = frozenset((*_named("m", 7, 10), *_named("a", 6, 8)))
ALLOCATABLE = {
    "m": _named("m", 0, 10), "a": _named("a", 0, 8), "a2": tuple(BY_NAME[f"$a{low}:{low + 1}"] for low in range(0, 8, 2)),
}  # fmt: skip
"""By class, in order of preference: what a callee saves comes last. The link register and the stack pointer have their uses."""
ARGUMENTS = {"m": _named("m", 0, 4), "a": _named("a", 0, 6)}
RESULTS = {"m": _named("m", 0, 4), "a": _named("a", 0, 4)}
CLOBBERED = (*(register for kind in "ma" for register in ALLOCATABLE[kind] if register not in CALLEE_SAVED), LR)
"""What a call may write."""
