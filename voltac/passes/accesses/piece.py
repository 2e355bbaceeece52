"""What a group of regular accesses is replaced by: some of them together, and what the report says of it."""

from __future__ import annotations

from collections.abc import Callable

from voltac.passes.accesses.access import Access
from voltac.passes.accesses.emit import Emitter
from voltac.records import mutable_record


@mutable_record
class Piece:
    """Some accesses that are written together."""

    members: list[Access]
    write: Callable[[Emitter], None]
    reason: str
    from_lanes: bool = False
    """It takes the address of each lane out of a vector."""


def reason(operation: str, vectors: int, accesses: int) -> str:
    """What the report says of accesses that vector loads or stores serve together."""
    several = vectors > 1
    served = f"serve{'' if several else 's'} {accesses} neighbouring accesses" if accesses > 1 else "and shuffles"
    return f"{vectors} vector {operation}{'s' if several else ''} {served}"


def join_parts(access: Access, parts: list[str], element: str, emit: Emitter) -> None:
    """Define the result of an access from its register-wide parts."""
    lanes = access.lanes // len(parts)
    joined = joined_parts(parts, element, lanes, emit)
    emit.alias(access.instruction.name, emit.as_element(f"<{access.lanes} x {element}>", joined, access.element))


def joined_parts(parts: list[str], element: str, lanes: int, emit: Emitter) -> str:
    """Vectors of so many lanes, one behind the other."""
    while len(parts) > 1:
        mask = list(range(2 * lanes))
        vector = f"<{lanes} x {element}>"
        parts = [emit.shuffle(vector, parts[at], parts[at + 1], mask) for at in range(0, len(parts), 2)]
        lanes *= 2
    return parts[0]
