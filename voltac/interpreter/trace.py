"""The trace of a run as text: each statement with its mask, and below it the values it writes.

    12:5   [1111....]  x += a[i];
                       x = [3,4,5,6,((0)),((0)),((0)),((0))]

Lane 0 comes first; a point is a lane that is off, and its value stands in double brackets as ``print`` writes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from voltac.messages.message import Span
from voltac.messages.visible import visible_name
from voltac.sema import tree
from voltac.sema.types import VARYING, Array, Enum, FunctionType, Pointer, Qual, Scalar, Struct, Vector

from .machine import Trace
from .printing import argument_text
from .values import Mask, Value, members

_LONGEST = 100
"""Characters of a statement or value: a line of the trace stays a line on a wide terminal."""


class TextTrace(Trace):
    """Writes a trace; ``sources`` has the lines of each file."""

    def __init__(self, sources: Mapping[str, list[str]], write: Callable[[str], object]) -> None:
        self._sources, self._write = sources, write
        self._indent = 0

    def reached(self, statement: tree.Statement, active: Mask) -> None:
        """The line of a statement: its place, the mask, its first line."""
        mask = "".join("1" if on else "." for on in active)
        head = f"{statement.span.line}:{statement.span.column}".ljust(7) + f" [{mask}]  "
        self._indent = len(head)
        span = statement.span
        if isinstance(statement, tree.Declare) and statement.initial is not None:
            span = span.to(statement.initial.span)
        self._write(head + (self._excerpt(span) or type(statement).__name__.lower()) + "\n")

    def wrote(self, place: tree.Place, value: Value, lanes: Mask) -> None:
        """A line with the name of what was written and its lanes' values."""
        name = place.symbol.name if isinstance(place, tree.Variable) else self._excerpt(place.span)
        self._write(" " * self._indent + f"{name} = {value_text(place.type, value, lanes)}\n")

    def _excerpt(self, span: Span) -> str:
        """The first line of a stretch of source."""
        lines = self._sources.get(span.file, [])
        if not 1 <= span.line <= len(lines):
            return ""
        line = lines[span.line - 1]
        end = span.end_column - 1 if span.end_line == span.line else len(line)
        return _shorten(visible_name(line[span.column - 1 : end].strip()))


def value_text(qual: Qual, value: Value, lanes: Mask) -> str:
    """A value of any type, those of lanes that are off marked."""
    match qual.type:
        case Struct(members=parts):
            quals = members(qual)
            inside = (f"{p.name} = {value_text(q, v, lanes)}" for p, q, v in zip(parts or (), quals, value, strict=True))
            return "{" + ", ".join(inside) + "}"
        case Array():
            return "{" + ", ".join(value_text(q, v, lanes) for q, v in zip(members(qual), value, strict=True)) + "}"
        case Vector(element, _):
            return "<" + ", ".join(value_text(Qual(element, qual.rate), part, lanes) for part in value) + ">"
        case Scalar() | Enum() | Pointer() | FunctionType():
            if value.ndim > (1 if qual.rate == VARYING else 0):
                # A slice pointer is a block and a slot.
                return " slot ".join(argument_text(Qual(qual.type, qual.rate), half, lanes) for half in value)
            return argument_text(qual, value, lanes)
    return ""


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + " ..."
