"""Where in a function's control flow code is being written: which lanes are on, and where lanes that leave go.

A :class:`Region` is a stretch of code that a set of lanes enters together; lanes that leave it early (break, continue,
return) do not come back within it. A :class:`LaneVariable` remembers which lanes have not left a construct yet. All that
is known of the place is one :class:`Control`, which is replaced and never changed:

* ``with context.within(..)``: for a part of a statement; behind it all is as it was, but for what escaped in the part;
* ``with constructs.construct(..)``: the same for a whole statement, whose escaped lanes are off behind it;
* ``context.go_on(..)``: from here on, for the statements that follow in the same part.
"""

from __future__ import annotations

from typing import Any

from voltac.lower.control_flow.merge_point import MergePoint
from voltac.lower.text.ir_values import IR
from voltac.records import field, mutable_record, record
from voltac.sema import tree
from voltac.sema.types import Qual


@mutable_record(eq=False)
class Region:
    """A stretch of code that lanes enter together; two are the same only if they are the same object."""

    end: str
    """Where control goes when no lane is left here; empty where a branch is run without jumps."""
    end_used: bool = False
    """Something jumps there: set by whoever writes such a jump, read behind the body."""


@mutable_record(eq=False)
class LaneVariable:
    """A local variable in mask storage form: the lanes that have not left a construct."""

    address: IR


@record(eq=False)
class LoopTarget:
    """A loop around the place, which ``break`` and ``continue`` leave."""

    region: Region
    mask: IR | None
    """The mask with which the body began: while it is unchanged all lanes act together."""
    break_label: str
    continue_label: str
    live: LaneVariable | None = None
    """Lanes that neither broke nor returned; None where none can under a mask."""
    iteration: LaneVariable | None = None
    """Lanes that did not continue in this iteration; None where none does on its own."""


@mutable_record(eq=False)
class SwitchTarget:
    """A switch around the place, which ``break`` leaves, and what is known of it where its body is written.

    It changes from label to label, also where a label stands inside an ``if`` of its body, behind which all that
    a :class:`Control` holds is as before: so the object changes.
    """

    region: Region
    """Up to the next label, if the switch is varying."""
    mask: IR | None
    """The mask with which a uniform switch began."""
    outer: IR | None
    """The mask around the switch."""
    live: LaneVariable | None
    """The lanes that are in; of a uniform switch those that neither broke nor returned, None where none can under a mask."""
    end: MergePoint
    break_label: str = ""
    """Of a uniform switch."""
    blocks: dict[int | None, str] = field(default_factory=dict)
    """Of a uniform switch: label -> block."""
    value: IR | None = None
    """Of a varying switch, without poison."""
    type: Qual | None = None
    labels: tuple[int | None, ...] = ()
    in_line: bool = False
    """Of a varying switch: control that runs straight through meets every label."""
    seen: int = 0
    """Labels that have been met."""
    after_group: str = ""
    """Where control goes on that skips the present group of labels."""


@mutable_record(eq=False)
class EqualityChain:
    """Tests of a variable for numbers, each where those before failed (``control_flow/equality_chains.py``)."""

    symbol: tree.VariableSymbol
    head: IR | None
    """The mask before the first test."""
    numbers: set[float] = field(default_factory=set)


class FunctionMasks:
    """The masks of one function: what it began with, which lanes are left, and in which forms masks are there already."""

    def __init__(self) -> None:
        self.entry: IR | None = None
        """With which the function was called; None if all lanes are on."""
        self.written: LaneVariable | None = None
        """The lanes that the program of a device has switched on itself; None where it does not."""
        self.returned: LaneVariable | None = None
        """Lanes that have not returned; made when the first return under a mask is met."""
        self.live: dict[int, LaneVariable] = {}
        self.iterations: dict[int, LaneVariable] = {}
        """Of functions with ``goto``: lanes still in a construct, and in this iteration of it, by its identity."""
        self.stored: dict[str, IR] = {}
        """Name of a mask -> the same mask in storage form, where it was made from that."""
        self.sound: set[str] = set()
        """Names of masks without poison; bools of the program may hold some in lanes that are off."""
        self.chains: dict[int, EqualityChain] = {}
        """By the identity of the ``if`` that is the next arm."""


NO_LANES: frozenset[LaneVariable] = frozenset()


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
    touched: frozenset[LaneVariable] = NO_LANES
    """Variables of lanes written by escapes in the statement being lowered."""
    targets: tuple[LoopTarget | SwitchTarget, ...] = ()
    """What ``break`` and ``continue`` may leave, innermost last."""
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
