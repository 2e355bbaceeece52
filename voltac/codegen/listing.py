"""A line of a listing of code: what a disassembler says of a word, or of a slot of a bundle."""

from __future__ import annotations

from voltac.records import record


@record
class Line:
    """One word, or one slot of a bundle. ``labels`` are those that stand before it."""

    address: int
    word: int
    text: str
    """Instruction or directive, with names for the places that branches lead to."""
    comment: str
    labels: tuple[str, ...]
