"""Which registers hold what (IA-64 2, 16).

A function's frame of stacked registers has its eight parameters, what it computes with, and last the outputs, which become the
parameters of what it calls. Until the frame is laid out outputs are named as if it were as large as may be. ``r2`` and ``r3``
are left for what is expanded behind allocation. ``gp`` is the same in all functions of a program: none writes it.
"""

from __future__ import annotations

from voltac.codegen.machine_code import Register
from voltac.targets.ia64.registers import BY_NAME


def _named(file: str, first: int, end: int) -> tuple[Register, ...]:
    return tuple(BY_NAME[f"{file}{number}"] for number in range(first, end))


GP, SP, BACK, ALWAYS = BY_NAME["r1"], BY_NAME["r12"], BY_NAME["b0"], BY_NAME["p0"]
CALL_TARGET = BY_NAME["b6"]
ZERO = {"r": BY_NAME["r0"], "f": BY_NAME["f0"]}
ONE = BY_NAME["f1"]
STORE_SCRATCH, LOAD_SCRATCH = BY_NAME["r2"], BY_NAME["r3"]

FIRST_STACKED, PARAMETERS = 32, 8
FIRST_LOCAL = FIRST_STACKED + PARAMETERS
FIRST_OUTPUT = 120
"""Of the largest frame."""
_SCRATCH = (*_named("r", 14, 32), *_named("r", 8, 12))
_STACKED = _named("r", FIRST_LOCAL, FIRST_OUTPUT - 2)
CALLEE_SAVED = frozenset(_named("f", 16, 32))
"""What a function that uses it keeps on the stack; stacked registers are kept by the machine."""
ALLOCATABLE = {
    "r": (*_SCRATCH, *_STACKED),
    "f": (*_named("f", 6, 16), *_named("f", 32, 128), *_named("f", 16, 32)),
    "p": _named("p", 6, 16),
}
"""By class, in order of preference."""
PARAMETER_REGISTERS = {"r": _named("r", FIRST_STACKED, FIRST_LOCAL), "f": _named("f", 8, 16)}
OUTPUT_REGISTERS = {"r": _named("r", FIRST_OUTPUT, 128), "f": _named("f", 8, 16)}
RESULT_REGISTERS = {"r": _named("r", 8, 12), "f": _named("f", 8, 12)}
CLOBBERED = (
    *_SCRATCH, STORE_SCRATCH, LOAD_SCRATCH, *OUTPUT_REGISTERS["r"], *_named("f", 6, 16), *_named("f", 32, 128),
    *_named("p", 6, 16), BACK, CALL_TARGET, BY_NAME["ar.pfs"],
)  # fmt: skip
"""What a call may write."""
