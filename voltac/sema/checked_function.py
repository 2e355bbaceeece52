"""What the checker knows of the function whose body it checks, and of the statements around the one at hand."""

from __future__ import annotations

from voltac.messages.message import NOWHERE, Span
from voltac.records import field, mutable_record, record
from voltac.sema import tree
from voltac.sema.types import Qual
from voltac.syntax import ast

FOREACH_KINDS = ("foreach", "foreach_active", "foreach_unique")
"""Statements whose body runs for groups of lanes: break, return and goto do not leave them."""


@mutable_record(eq=False)
class EnclosingStatement:
    """A statement around the one being checked, as far as jumps have to know of it."""

    kind: str
    """``if``, ``loop``, ``switch``, ``foreach``, ``foreach_active``, ``foreach_unique`` or ``unmasked``."""
    varying: bool = False
    span: Span = NOWHERE
    """The word it begins with."""
    declares: bool = False
    """What ``for`` declares is being checked."""
    test: tree.Value | None = None
    """The condition, or the value of a switch."""
    exits: list[tuple[EnclosingStatement, ...]] = field(default_factory=list)
    """Of a loop or switch: what stands between it and each jump out that not all lanes may take."""
    picks_a_lane: bool | None = None
    """The condition compares with the lane's number; None while nobody has asked."""
    labels: dict[int | None, Span] = field(default_factory=dict)
    """Of a switch: values seen so far, None for default."""
    label_type: Qual | None = None
    selected: int | None = None
    """The value of a switch, if it is constant."""
    left_out: bool = False
    """Constants say that what is being checked of this statement never runs."""


@record
class Store:
    """A value that a variable gets, and the statements around it that are inside the variable's scope."""

    value: tree.Value | None
    """None for a step: the old value and a constant."""
    frames: tuple[EnclosingStatement, ...]


@mutable_record(eq=False)
class Candidate:
    """A variable that varies because nothing else is written."""

    symbol: tree.VariableSymbol
    depth: int
    """Statements around its declaration."""
    stores: list[Store]
    loop: EnclosingStatement | None = None
    """The loop that declares it to count its iterations: lanes that have left it take no part in its steps."""


@mutable_record(eq=False)
class CheckedFunction:
    """The function whose body is being checked."""

    symbol: tree.FunctionSymbol
    body: Span
    frames: list[EnclosingStatement] = field(default_factory=list)
    labels: dict[str, Span] = field(default_factory=dict)
    guarded_labels: set[str] = field(default_factory=set)
    """Labels under varying control flow, where no goto leads."""
    gotos: list[ast.Goto] = field(default_factory=list)
    depths: dict[tree.VariableSymbol, int] = field(default_factory=dict)
    """How many frames are around the declaration of a variable; none is left out."""
    candidates: dict[tree.VariableSymbol, Candidate] = field(default_factory=dict)
    """Variables declared without a rate, for ``analyses/uniformity.py``."""
    tests: list[EnclosingStatement] = field(default_factory=list)
    """Statements whose condition varies."""
    mistaken: bool = False
    """The body has syntax errors: not all of its statements are known."""
    undeclared: set[str] = field(default_factory=set)
    """Names that were reported as not declared, once."""
    sharing: set[str] = field(default_factory=set)
    """Functions that are called and share work with others (``overloads/paired_calls.py``)."""
    has_gaps: bool = False
    """Statements or initial values were rejected, some of them as consequences of other mistakes."""
    operands_left_out: int = 0
    """How many operands around the one being checked are never evaluated, as constants say."""
