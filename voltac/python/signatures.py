"""What a caller from Python has to know of exported functions: plain data, to and from JSON for the cache.

A parameter is a number or an address. For an address the :class:`Pointee` it
must lead to is described in numpy's terms: a dtype, how many of its elements
make one object, the alignment, and whether the kernel may write to it.
"""

from __future__ import annotations

from math import prod
from typing import Any

from voltac.records import record

Format = str | dict[str, Any]
"""A dtype as data: ``f4``, ``i8``, ``?`` ..., or names, formats (format, shape), offsets and itemsize of a struct."""


@record
class Pointee:
    """What an address must lead to."""

    format: Format | None
    """None: anything (``void *``, and pointers to types that are not defined here)."""
    count: int
    """Elements in one object: the size of an array has to be a multiple of it."""
    alignment: int
    writable: bool
    at_least_one: bool
    """A reference: there must be an object, and no null pointer."""
    shape: tuple[int, ...] = ()
    """Of one object, as an array of elements; empty where these lie in memory in no other order than any array's."""
    unused: int = 0
    """Elements at the end of each row of an object that are padding: three floats take the place of four."""

    def fits(self, shape: tuple[int, ...]) -> bool:
        """Whether an array of this shape consists of whole objects, none of which goes on in another row of the array."""
        if not self.shape:
            return True
        # The array's last axes may be the object's; what is left of the object is in a row one behind the other.
        for axes in range(1 if self.unused else 0, len(self.shape) + 1):
            rest = prod(self.shape[: len(self.shape) - axes])
            if shape[len(shape) - axes :] == self.shape[len(self.shape) - axes :] and len(shape) >= axes:
                if rest == 1 or (len(shape) > axes and shape[len(shape) - axes - 1] % rest == 0):
                    return True
        # A plain row may be an array of several axes.
        in_a_row = len(self.shape) == 1 and not self.unused
        return in_a_row and any(prod(shape[axis:]) == self.shape[0] for axis in range(len(shape)))


@record
class KernelParameter:
    """A parameter as callers from Python see it."""

    name: str
    text: str
    """The type as the language spells it, e.g. ``const uniform float * uniform``."""
    kind: str
    """``int``, ``uint``, ``float``, ``bool``, ``pointer`` or ``function``."""
    bits: int
    memory: Pointee | None = None
    nullable: bool = True
    """Of an address: the kernel compares it with NULL, or never follows it."""
    narrowed: str = ""
    """Where every call converts the integer to ``int32``, into which it has to fit: ``line 3``; empty: nowhere."""
    default: int | float | bool | None = None
    """The number that stands for an argument left out, 0 for a null pointer; None: it has to be given."""
    prototype: tuple[str, ...] = ()
    """Of a function: the letters of its result and its parameters, as in ``prototypes.py``; empty where these are none."""

    def __str__(self) -> str:
        default = "NULL" if self.kind in ("pointer", "function") else str(self.default).lower()
        return f"{self.text} {self.name}".strip() + (f" = {default}" if self.has_default else "")

    @property
    def range_bits(self) -> int:
        """An integer has to fit into these."""
        return self.bits if not self.narrowed else 32 if self.kind == "int" else 31

    @property
    def has_default(self) -> bool:
        """Whether the argument may be left out."""
        return self.default is not None

    @property
    def default_object(self) -> object:
        """What a caller who gives the default passes."""
        return None if self.kind in ("pointer", "function") else self.default


@record
class Result:
    """What a call returns: a number, an address, a struct, or None."""

    text: str
    kind: str
    """As for parameters, or ``void`` and ``struct``."""
    bits: int
    format: Format | None = None
    """Of a struct."""
    bytes: int = 0
    """Of a struct."""


Sum = tuple[tuple[int, tuple[int, ...]], ...]
"""Coefficients, each with the numbers of the integer parameters it is multiplied by."""


@record
class Needed:
    """An element that every call uses, unless the range it belongs to is empty: one of the extents is zero or less."""

    parameter: int
    """Number of the array."""
    index: Sum
    below_end: bool
    """Whether the index may be too large; else it may be negative."""
    extents: tuple[Sum, ...]
    place: str
    """Where it is used, ``line 3`` or ``line 3 of FILE``; empty where the declaration says the length."""


@record
class Apart:
    """Two array parameters that must not share memory, since the result may depend on it."""

    written: int
    other: int
    may_be_same: bool
    """Both may begin at the same address."""


@record
class Signature:
    """One exported function."""

    name: str
    result: Result
    parameters: tuple[KernelParameter, ...]
    documentation: str
    needed: tuple[Needed, ...] = ()
    apart: tuple[Apart, ...] = ()

    def __str__(self) -> str:
        parameters = ", ".join(str(parameter) for parameter in self.parameters)
        return f"{self.result.text} {self.name}({parameters})"


def to_json(signature: Signature) -> dict[str, Any]:
    """As JSON has it."""
    return {
        "name": signature.name,
        "result": _fields(signature.result),
        "parameters": [
            _fields(parameter) | {"memory": None if parameter.memory is None else _fields(parameter.memory)}
            for parameter in signature.parameters
        ],
        "documentation": signature.documentation,
        "needed": [_fields(needed) for needed in signature.needed],
        "apart": [_fields(apart) for apart in signature.apart],
    }


def from_json(data: dict[str, Any]) -> Signature:
    """The inverse of :func:`to_json`."""
    parameters = tuple(
        KernelParameter(**(row | {"memory": _memory(row["memory"]), "prototype": tuple(row.get("prototype", ()))}))
        for row in data["parameters"]
    )
    needed = tuple(
        Needed(**(row | {"index": _sum(row["index"]), "extents": tuple(map(_sum, row["extents"]))})) for row in data["needed"]
    )
    return Signature(
        data["name"],
        Result(**data["result"]),
        parameters,
        data["documentation"],
        needed,
        tuple(Apart(**row) for row in data["apart"]),
    )


def _sum(data: Any) -> Sum:
    return tuple((coefficient, tuple(factors)) for coefficient, factors in data)


def _memory(data: dict[str, Any] | None) -> Pointee | None:
    return None if data is None else Pointee(**(data | {"shape": tuple(data.get("shape", ()))}))


def _fields(row: Any) -> dict[str, Any]:
    return {name: getattr(row, name) for name in row.__match_args__}
