"""How values travel between functions (NaplesPU 3.2, with the changes it advises).

Scalars and vectors are counted apart: the first go in registers, the others on
the stack, each in a slot aligned to its size; so do results. ``rm`` is full at
every call and return.
"""

from __future__ import annotations

from collections.abc import Sequence

from voltac.codegen.machine_code import Register
from voltac.records import record
from voltac.targets.naplespu.regs import ALLOCATABLE, ARGUMENTS, CALLEE_SAVED, RA, RESULTS

OUTGOING = -1
"""The frame slot of arguments and results on the stack, at the callers's ``sp``."""
INCOMING = -2
"""The same as its callee sees it."""

SIZES = {"scalar": 4, "vector": 64}

CALLER_SAVED = tuple(register for kind in ALLOCATABLE.values() for register in kind if register not in CALLEE_SAVED)
CLOBBERED = (*CALLER_SAVED, RA)
"""Written by a call."""


@record
class Places:
    """Where values are: a register or an offset each, and the bytes on the stack in all."""

    places: tuple[Register | int, ...]
    stack: int


def argument_places(kinds: Sequence[str]) -> Places:
    """Where a function looks for its arguments, given the register class of each (NaplesPU 3.2)."""
    return _places(kinds, ARGUMENTS)


def result_places(kinds: Sequence[str]) -> Places:
    """Results on the stack lie where the arguments of the same call lay."""
    return _places(kinds, RESULTS)


def _places(kinds: Sequence[str], registers: dict[str, tuple[Register, ...]]) -> Places:
    taken = dict.fromkeys(registers, 0)
    places: list[Register | int] = []
    stack = 0
    for kind in kinds:
        number = taken[kind]
        taken[kind] += 1
        if number < len(registers[kind]):
            places.append(registers[kind][number])
        else:
            size = SIZES[kind]
            stack = (stack + size - 1) // size * size
            places.append(stack)
            stack += size
    return Places(tuple(places), stack)
