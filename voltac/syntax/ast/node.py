"""What all nodes of the tree as written share, and the node of what could not be read."""

from __future__ import annotations

from collections.abc import Iterator

from voltac.messages.message import Span
from voltac.records import record


@record
class Node:
    """What the parser builds; ``span`` is the text it was read from."""

    span: Span


@record
class Mistake(Node):
    """Text with a syntax error, reported by the parser: a declaration, member, statement or operand that was given up."""

    declared: tuple[str, ...] = ()
    """Names that seem to be declared in it."""
    used: tuple[str, ...] = ()
    """The other names in it."""
    behind_brace: bool = False
    """Whether it stands behind a brace that closes a function too early."""


def nodes(root: object) -> Iterator[Node]:
    """A node, or those of a tuple, with everything below, in the order of the source."""
    pending: list[object] = [root]
    while pending:
        here = pending.pop()
        if isinstance(here, tuple) and not isinstance(here, Span):
            pending.extend(reversed(here))
        elif isinstance(here, Node):
            yield here
            pending.extend(getattr(here, name) for name in reversed(type(here).__match_args__))
