"""Members that are all computed alike -> the elements in the order of memory (:mod:`voltac.passes.facts.alike_members`).

    four gathers, f four times, four scatters    ->    four vectors loaded side by side, f four times, and stored side by side

A lane's part of what is the same for all members is made of the vectors as they were loaded, by a shuffle within each.
"""

from __future__ import annotations

from functools import partial

from voltac.ir.model import Instruction
from voltac.ir.parts import CASTS
from voltac.passes.accesses.access import Access
from voltac.passes.accesses.emit import Emitter, MemberRow
from voltac.passes.accesses.piece import Piece
from voltac.passes.facts.alike_members import AlikeMembers, Values, whole, whole_groups
from voltac.records import replace


def with_rows(pieces: list[Piece], members: list[Access]) -> list[Piece]:
    """Pieces of loads of one key that remember the vectors as memory has them; what is not taken from there LLVM drops."""
    groups = {group[0].index: group for group in whole_groups(members)}
    made: list[Piece] = []
    for piece in pieces:
        own = [groups.pop(access.index) for access in piece.members if access.index in groups]
        made.append(replace(piece, write=partial(_load_rows, piece, own)) if own else piece)
    return made


def of_rows(pieces: list[Piece]) -> list[Piece]:
    """Pieces of stores that are done so where what is stored allows it."""
    return [
        replace(piece, write=partial(_store_row, piece, ordered)) if (ordered := whole(piece.members)) else piece
        for piece in pieces
    ]


def _pointer(first: Access, number: int, emit: Emitter) -> str:
    assert first.address is not None
    return emit.address(first.address, first.offsets[0] + number * first.lanes * first.size, first.element, first.size)


def _load_rows(piece: Piece, groups: list[list[Access]], emit: Emitter) -> None:
    piece.write(emit)
    for ordered in groups:
        first = ordered[0]
        row = MemberRow([])
        for number in range(len(ordered)):
            text = f"load {first.vector}, ptr {_pointer(first, number, emit)}, align {first.size}"
            row.vectors.append(emit.load("side", text))
        for number, each in enumerate(ordered):
            emit.member_rows[each.instruction.name] = row, number


def _store_row(piece: Piece, ordered: list[Access], emit: Emitter) -> None:
    first = ordered[0]
    values = tuple(each.value for each in ordered)
    alike = AlikeMembers(len(ordered), first.lanes, emit.member_rows, emit.same, emit.values)
    if not emit.member_rows or not alike.are_alike(values, first.vector) or alike.in_words():
        piece.write(emit)
        return
    for number, vector in enumerate(_InOrder(alike, emit).vectors(values)):
        emit.line(f"store {first.vector} {vector}, ptr {_pointer(first, number, emit)}, align {first.size}")


class _InOrder:
    """Writes values of all members in the order of memory, in as many vectors."""

    def __init__(self, alike: AlikeMembers, emit: Emitter) -> None:
        self.alike = alike
        self.members, self.lanes = alike.members, alike.lanes
        self.emit = emit
        self.made: dict[Values, list[str]] = {}

    def vectors(self, values: Values) -> list[str]:
        """Of values that are alike."""
        writers = {
            "same": self._same, "mixed": self._mixed, "row": self._row,
            "computed": self._computed, "repeated": self._repeated,
        }  # fmt: skip
        for each, (kind, type_text) in self.alike.order.items():
            self.made[each] = writers[kind](each, type_text)
        return self.made[values]

    def _same(self, values: Values, type_text: str) -> list[str]:
        return [values[0]] * self.members

    def _mixed(self, values: Values, type_text: str) -> list[str]:
        vectors: list[str] = []
        for first in range(0, self.members * self.lanes, self.lanes):
            vector = values[0]
            for number, value in enumerate(values[1:], 1):
                mask = [lane + self.lanes * ((first + lane) % self.members == number) for lane in range(self.lanes)]
                vector = self.emit.shuffle(type_text, vector, value, mask)
            vectors.append(vector)
        return vectors

    def _row(self, values: Values, type_text: str) -> list[str]:
        row, numbers = self.emit.member_rows[self.emit.same.get(values[0], values[0])][0], self.alike.numbers(values)
        if numbers == list(range(self.members)):
            return row.vectors
        mask = [lane - lane % self.members + numbers[lane % self.members] for lane in range(self.lanes)]
        return [self.emit.shuffle(type_text, each, "poison", mask) for each in row.vectors]

    def _repeated(self, values: Values, type_text: str) -> list[str]:
        starts = range(0, self.members * self.lanes, self.lanes)
        masks = [[(start + lane) // self.members for lane in range(self.lanes)] for start in starts]
        return [self.emit.shuffle(type_text, values[0], "poison", mask) for mask in masks]

    def _computed(self, values: Values, type_text: str) -> list[str]:
        one, operands = self.alike.definitions[values[0]], self.alike.operands(values)
        return [
            self.emit.value("alike", _text(one, [self.made[each][number] for each in operands]))
            for number in range(self.members)
        ]


def _text(made: Instruction, values: list[str]) -> str:
    """The same operation on vectors of these names."""
    parts = made.parts
    typed = [f"{each.type} {value}" for each, value in zip(made.operands, values, strict=True)]
    flags = "".join(f"{flag} " for flag in parts.flags)
    if made.op == "call":
        plain = "".join(f"{flag} " for flag in parts.flags if flag not in ("tail", "musttail", "notail"))
        return f"call {plain}{made.type} {parts.callee}({', '.join(typed)})"
    if made.op in CASTS:
        return f"{made.op} {flags}{typed[0]} to {made.type}"
    if made.op == "select":
        return f"select {flags}{', '.join(typed)}"
    compared = f"{parts.predicate} " if made.op in ("icmp", "fcmp") else ""
    return f"{made.op} {flags}{compared}{', '.join([typed[0], *values[1:]])}"
