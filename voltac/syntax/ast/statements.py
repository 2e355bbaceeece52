"""Statements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from voltac.records import record
from voltac.syntax.ast.node import Mistake, Node

if TYPE_CHECKING:
    from voltac.syntax.ast.types_and_expressions import Declaration, Expression


@record
class Compound(Node):
    """``{ ... }``."""

    statements: tuple[Statement, ...]


@record
class ExpressionStatement(Node):
    """``expression`` is None for an empty statement."""

    expression: Expression | None


@record
class DeclarationStatement(Node):
    """A declaration among statements."""

    declaration: Declaration


@record
class If(Node):
    """``if (condition) then else otherwise``; ``cif`` is coherent."""

    condition: Expression
    then: Statement
    otherwise: Statement | None
    coherent: bool
    """``cif``."""


@record
class While(Node):
    """``while (condition) body``; ``cwhile`` is coherent."""

    condition: Expression
    body: Statement
    coherent: bool


@record
class DoWhile(Node):
    """``do body while (condition);``; ``cdo`` is coherent."""

    body: Statement
    condition: Expression
    coherent: bool


@record
class For(Node):
    """``for (initial; condition; step) body``; ``cfor`` is coherent."""

    initial: Statement | None
    condition: Expression | None
    step: Expression | None
    body: Statement
    coherent: bool


@record
class Dimension(Node):
    """``name = first ... last`` of a foreach."""

    name: str
    first: Expression
    last: Expression


@record
class Foreach(Node):
    """``foreach (dimensions) body`` or ``foreach_tiled``; the last dimension is the innermost."""

    dimensions: tuple[Dimension, ...]
    body: Statement
    tiled: bool


@record
class ForeachActive(Node):
    """``foreach_active (name) body``."""

    name: str
    body: Statement


@record
class ForeachUnique(Node):
    """``foreach_unique (name in values) body``."""

    name: str
    values: Expression
    body: Statement


@record
class Switch(Node):
    """``switch (value) body``; labels may stand anywhere in the body."""

    value: Expression
    body: Statement


@record
class Case(Node):
    """``case value: statement``."""

    value: Expression
    statement: Statement


@record
class Default(Node):
    """``default: statement``."""

    statement: Statement


@record
class Labelled(Node):
    """``name: statement``."""

    name: str
    statement: Statement


@record
class Goto(Node):
    """``goto name;``."""

    name: str


@record
class Break(Node):
    """``break;``."""


@record
class Continue(Node):
    """``continue;``."""


@record
class Return(Node):
    """``return value;``."""

    value: Expression | None


@record
class Unmasked(Node):
    """``unmasked { ... }``."""

    body: Compound


@record
class Print(Node):
    """``print(format, arguments);``."""

    format: str
    arguments: tuple[Expression, ...]


@record
class Assert(Node):
    """``assert(condition);``; ``text`` is the condition as it is written, for the message."""

    text: str
    condition: Expression


@record
class Sync(Node):
    """``sync;``."""


@record
class Delete(Node):
    """``delete pointer;`` or ``delete[] pointer;``."""

    pointer: Expression


@record
class Pragma(Node):
    """A pragma in front of a statement: ``kind`` is ``unroll`` (count or None) or ``nounroll``."""

    kind: str
    count: int | None
    statement: Statement


Statement = (
    Compound
    | ExpressionStatement
    | DeclarationStatement
    | If
    | While
    | DoWhile
    | For
    | Foreach
    | ForeachActive
    | ForeachUnique
    | Switch
    | Case
    | Default
    | Labelled
    | Goto
    | Break
    | Continue
    | Return
    | Unmasked
    | Print
    | Assert
    | Sync
    | Delete
    | Pragma
    | Mistake
)
