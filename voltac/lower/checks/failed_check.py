"""The end of a check: a branch to a report with the values that its message names."""

from __future__ import annotations

from collections.abc import Callable

from voltac.lower.control_flow import masks
from voltac.lower.control_flow.failure_exits import report
from voltac.lower.function_context import FunctionContext
from voltac.lower.text.ir_values import IR, lanes_of, zero

SEPARATOR = "\x1f"
"""Between the parts of a text, which ``voltac/python/failed_checks.py`` makes a message of."""

Values = Callable[[IR | None], list[IR]]
"""The lane or element that failed first, None of a check of one value -> three i64 for the message."""


def fail_in_lanes(
    c: FunctionContext, failed: IR, mask: IR | None, kind: int, parts: tuple[str, ...], values: Values, varying: bool = True
) -> None:
    """Leave the kernel if an element of ``failed`` is true in a lane that is on.

    It is an i1, one a lane, or, not ``varying``, one an element of a short vector.
    """
    found: IR | None = None
    condition = failed
    if failed.type != "i1":
        wrong = masks.conjunction(c, mask, failed) if varying else failed
        found = c.build.convert("bitcast", wrong, f"i{lanes_of(failed.type)}")
        condition = c.build.compare("icmp ne", found, zero(found.type))
    lanes = found if varying else None
    leave, go_on = c.build.block("check.failed"), c.build.block("checked")
    c.build.branch(condition, leave, go_on)
    c.build.start(leave)
    if lanes is None and mask is not None:
        # Where no lane is on, nothing has happened.
        happened = c.build.block("check.happened")
        c.build.branch(masks.any_on(c, mask), happened, go_on)
        c.build.start(happened)
    first = None if found is None else masks.lowest_lane(c, found)
    report(c, kind, SEPARATOR.join((place(c), *parts)), lanes, values(first))
    c.build.start(go_on)


def place(c: FunctionContext) -> str:
    """Of the code that is being lowered; empty in the library, where the place of the program's call counts."""
    span = c.debug.span
    return "" if c.symbol.library else f"{span.file}:{span.line}:{span.column}: "


def in_lane(c: FunctionContext, value: IR, lane: IR | None) -> IR:
    """A scalar, or the element of a lane."""
    return value if lane is None or value.type[0] != "<" else c.build.extract(value, lane)
