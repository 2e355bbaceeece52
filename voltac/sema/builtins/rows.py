"""What is said of a builtin, and the decorator that says it.

Type patterns: ``u`` / ``v`` / ``R`` is the rate (``R``: varying if any ``R`` argument
is, and the result with it), then ``T`` (one of the row's element types) or a fixed
type; ``U(T)`` is the unsigned integer of T's width, ``u T *`` a uniform pointer to
uniform T, ``u T * R`` one of rate R, ``u const T *`` one through which nothing is
written; through all others it is. Arguments convert to ``T`` implicitly only in their rate.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

from voltac.messages.diagnostics import InternalError
from voltac.records import record
from voltac.sema.types import (
    DOUBLE,
    FLOAT,
    FLOAT16,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    Scalar,
)

SIGNED = (INT8, INT16, INT32, INT64)
UNSIGNED = (UINT8, UINT16, UINT32, UINT64)
INTEGERS = SIGNED + UNSIGNED
FLOATS = (FLOAT16, FLOAT, DOUBLE)
REALS = (FLOAT, DOUBLE)
NUMBERS = INTEGERS + FLOATS
WIDE = (INT32, UINT32, INT64, UINT64)


class Effect(Enum):
    """What a call does besides finding its result."""

    NONE = "none"
    HINT = "nothing that is seen; what it points to need not even be there"
    STORE = "writes as assignments do: other threads do not see when"
    ORDERED = "is seen in order: threads of a device cannot do it at the same time, even at places of their own"
    THREADS = "the same, and who uses it looks after threads himself"


class Lanes(Enum):
    """Whose values a lane's result, or what is written, is made of."""

    OWN = "the lane's own"
    ALL = "those of any lane, active or not"


UNSAFE = 10_000
"""The cost of what must not be run where no lane needs it; other costs are instructions, roughly."""


class Callers(Enum):
    """Who may name it."""

    LIBRARY = "the standard library"
    AMX_HEADER = "programs through amx.isph: a tile is part of an instruction, no parameter of a function"
    DEVICE_PROGRAMS = "programs for devices: what it means for a function cannot be said by calling another one"


Value = Any
"""A numpy scalar, or an array with an element for each lane."""
Meaning = Callable[..., Value]
"""Gets the gang and the arguments; yields the result, None for void."""


@record
class BuiltinRow:
    """All facts of one builtin but its LLVM text, which is found by its name."""

    name: str
    result: str
    parameters: tuple[str, ...]
    elements: tuple[Scalar, ...]
    meaning: Meaning
    effect: Effect
    lanes: Lanes
    cost: int
    callers: Callers = Callers.LIBRARY

    def reads_only(self, number: int) -> bool:
        """Whether nothing is written through a parameter that is a pointer."""
        return "const" in self.parameters[number].split()


BUILTINS: dict[str, BuiltinRow] = {}
"""By their names."""


def declares(effect: Effect, lanes: Lanes, callers: Callers = Callers.LIBRARY) -> Callable[..., Callable[[Meaning], Meaning]]:
    """The decorator of the builtins that have these in common.

    It takes the cost, the pattern of the result, those of the parameters, and the types that T stands for. The
    builtin has the name of the function, which is its meaning, or the name that is given.
    """

    def builtin(
        cost: int, result: str, parameters: tuple[str, ...], elements: tuple[Scalar, ...] = (), name: str = ""
    ) -> Callable[[Meaning], Meaning]:
        def add(meaning: Meaning) -> Meaning:
            row = BuiltinRow(name or meaning.__name__, result, parameters, elements, meaning, effect, lanes, cost, callers)
            _check(row)
            BUILTINS[row.name] = row
            return meaning

        return add

    return builtin


def _check(row: BuiltinRow) -> None:
    """What writes, or has no result, does something."""
    writes = any("*" in pattern and not row.reads_only(number) for number, pattern in enumerate(row.parameters))
    if row.effect is Effect.NONE and (writes or row.result == "u void"):
        raise InternalError(f"builtin '{row.name}' has an effect: its row has to say which")
    if row.effect in (Effect.STORE, Effect.HINT) and writes != (row.effect is Effect.STORE):
        raise InternalError(f"builtin '{row.name}': effect '{row.effect.name}' does not go with what its pointers are for")
