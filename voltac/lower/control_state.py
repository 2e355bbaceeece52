"""Where in a function's control flow code is being written: which lanes are on, and where lanes that leave go.

A :class:`Region` is a stretch of code that a set of lanes enters together; lanes that leave it early (break, continue,
return) do not come back within it. A :class:`Lanes` object remembers in a local variable which lanes have not left a
construct yet. All that is known of the place is one :class:`Control`, which is replaced and never changed:

* ``with context.within(..)``: for a part of a statement; behind it all is as it was, but for what escaped in the part;
* ``with constructs.construct(..)``: the same for a whole statement, whose escaped lanes are off behind it;
* ``context.go_on(..)``: from here on, for the statements that follow in the same part.
"""

from __future__ import annotations

from typing import Any

from voltac.lower.text.ir_values import IR
from voltac.records import mutable_record, record
from voltac.sema import tree


@mutable_record(eq=False)
class Region:
    """``end``: where control goes when no lane is left here; empty where a branch is run without jumps."""

    end: str
    end_used: bool = False


@mutable_record(eq=False)
class Lanes:
    """A local variable in mask storage form: the lanes that have not left a construct."""

    address: IR


@mutable_record(eq=False)
class Target:
    """A construct that break or continue leave."""

    is_loop: bool
    region: Region
    mask: IR | None
    """The mask with which the body began: while it is unchanged all lanes act together."""
    break_label: str
    continue_label: str
    live: Lanes | None = None
    """Lanes that neither broke nor returned; None where none can under a mask."""
    iteration: Lanes | None = None
    """Lanes that did not continue in this iteration."""


NO_LANES: frozenset[Lanes] = frozenset()


@record(eq=False)
class Control:
    """A place in the control flow."""

    mask: IR | None
    """The execution mask: None while all lanes are known to be on, else a ``<W x i1>`` value."""
    region: Region
    written_mask: IR | None = None
    """The mask that was made of what the program has written itself; it is read again as long as it is the mask here."""
    shrunk: bool = False
    """The mask lost lanes and has not been tested for being empty."""
    touched: frozenset[Lanes] = NO_LANES
    """Lanes variables written by escapes in the statement being lowered."""
    targets: tuple[Target, ...] = ()
    """What ``break`` and ``continue`` may leave, innermost last."""
    switch: Any = None
    """What ``switch.py`` knows of the innermost one, a ``SwitchContext``."""
    lane_scope: tree.Statement | None = None
    """The part of the function whose lanes are under consideration: a foreach body switches all lanes on."""
    unmasked: bool = False
    """Inside of an ``unmasked`` block."""
    unrolled: int = 1
    """How many copies of the bodies of unrolled loops this place stands in."""
    copies: int = 1
    """How often this place is written, for all-on and masked paths."""

    def changed(self, changes: dict[str, Any]) -> Control:
        """A copy with some fields changed: ``records.replace`` at a quarter of its time, since every statement needs one."""
        copy = Control.__new__(Control)
        copy.__dict__.update(self.__dict__)
        copy.__dict__.update(changes)
        return copy
