"""Trees of members of structs -> vectors of as many as are done at a time, and which elements of memory these are made of."""

from __future__ import annotations

import re

from voltac.ir.parts import CASTS
from voltac.ir.types import element_of, lanes_of
from voltac.passes.accesses.emit import Emitter
from voltac.passes.members.member_trees import Node


def row_of(node: Node, piece: int, phase: int) -> list[int]:
    """Which of the members loaded a piece consists of, of structs of several pieces; ``phase``: its first member."""
    return [node.order[phase + at] for at in range(piece)]


def registers_of(node: Node, piece: int, members: int, first: int) -> dict[int, dict[int, int]]:
    """Of structs of more members than are stored: for each register loaded which of its elements goes where in a piece."""
    found: dict[int, dict[int, int]] = {}
    for at in range(piece):
        lane, member = divmod(first % members + at, members)
        register, place = divmod(lane * members * node.times + node.order[member], piece)
        found.setdefault(register, {})[at] = place
    return found


def window_of(wanted: list[int], piece: int, members: int) -> tuple[int, int]:
    """The first member, and their number, of a load of the struct that has all of these: one, half a piece, or a whole one."""
    low, high = min(wanted), max(wanted)
    if low == high:
        return low, 1
    half = piece // 2
    if wanted[:half] == wanted[half:] == list(range(low, low + half)):
        return low, half
    aligned = low - low % piece
    return (aligned if high < aligned + piece else min(low, members - piece)), piece


class MemberWriter:
    """Writes nodes piece by piece: so many members of lanes that follow each other at a time."""

    def __init__(self, emit: Emitter, members: int, piece: int, lanes: int) -> None:
        self.emit = emit
        self.members = members
        self.piece = piece
        """Members at a time."""
        self.lanes = lanes
        """Of a gang."""
        self._written: dict[tuple[int, int], str] = {}

    def value(self, node: Node, number: int) -> str:
        """A node's piece of that number."""
        key = id(node), number
        if key not in self._written:
            self._written[key] = self._write(node, number)
        return self._written[key]

    def _write(self, node: Node, number: int) -> str:
        first, type_text = number * self.piece, f"<{self.piece} x {node.element}>"
        if node.kind == "uniform":
            return self._uniform(node, first % self.members)
        if node.kind == "load":
            return self._load(node, first)
        if node.kind == "spread":
            lanes = [(first + at) // self.members for at in range(self.piece)]
            return self.emit.shuffle(f"<{self.lanes} x {node.element}>", node.value, "poison", lanes)
        given = [self.value(each, number) for each in node.operands]
        if node.kind == "blend":
            sides = [at + self.piece * node.order[(first + at) % self.members] for at in range(self.piece)]
            return self.emit.shuffle(type_text, given[0], given[1], sides)
        return self._operation(node, given)

    def _uniform(self, node: Node, phase: int) -> str:
        scalars = [node.scalars[(phase + at) % self.members] for at in range(self.piece)]
        type_text = f"<{self.piece} x {node.element}>"
        if all(scalar[0] != "%" for scalar in scalars):
            return "<" + ", ".join(f"{node.element} {scalar}" for scalar in scalars) + ">"
        few = list(dict.fromkeys(scalars))
        vector = "poison"
        for at, scalar in enumerate(few):
            vector = self.emit.value("members", f"insertelement {type_text} {vector}, {node.element} {scalar}, i64 {at}")
        return self.emit.shuffle(type_text, vector, "poison", [few.index(scalar) for scalar in scalars])

    def _load(self, node: Node, first: int) -> str:
        access, emit = node.access, self.emit
        assert access is not None and access.address is not None
        type_text = f"<{self.piece} x {node.element}>"
        if node.is_broadcast and self.members % self.piece == 0:
            # One element of memory in all lanes is cheaper than one of a register.
            at = first // self.members * self.members * node.times + node.order[0]
            pointer = emit.address(access.address, node.start + at * access.size, access.element, access.size)
            scalar = self._memory(f"load {access.element}, ptr {pointer}, align {access.size}")
            one = emit.value("one", f"insertelement {type_text} poison, {access.element} {scalar}, i64 0")
            return emit.shuffle(type_text, one, "poison", [0] * self.piece)
        if node.times > 1:
            return self._part(node, first)
        if node.moves and self.members > self.piece and self.members % self.piece == 0:
            return self._row(node, first)
        pointer = emit.address(access.address, node.start + first * access.size, access.element, access.size)
        vector = self._memory(f"load {type_text}, ptr {pointer}, align {access.size}")
        if not node.moves:
            return vector
        lanes = [at - (first + at) % self.members + node.order[(first + at) % self.members] for at in range(self.piece)]
        return emit.shuffle(type_text, vector, "poison", lanes)

    def _part(self, node: Node, first: int) -> str:
        """Of structs of more members than are stored: some of each, out of as many registers."""
        access, emit = node.access, self.emit
        assert access is not None and access.address is not None
        type_text = f"<{self.piece} x {node.element}>"
        vector, lanes = "poison", [-1] * self.piece
        for register, places in sorted(registers_of(node, self.piece, self.members, first).items()):
            at = (first * node.times + register * self.piece) * access.size
            pointer = emit.address(access.address, node.start + at, access.element, access.size)
            more = self._memory(f"load {type_text}, ptr {pointer}, align {access.size}")
            lanes = [places.get(at, -1) if vector == "poison" else places[at] + self.piece if at in places else lane
                     for at, lane in enumerate(lanes)]  # fmt: skip
            if vector == "poison":
                vector = more
                continue
            vector = emit.shuffle(type_text, vector, more, lanes)
            lanes = [-1 if lane < 0 else at for at, lane in enumerate(lanes)]
        return vector if lanes == list(range(self.piece)) else emit.shuffle(type_text, vector, "poison", lanes)

    def _row(self, node: Node, first: int) -> str:
        """Of structs of several registers: members that are near each other."""
        access, emit = node.access, self.emit
        assert access is not None and access.address is not None
        wanted = row_of(node, self.piece, first % self.members)
        start, count = window_of(wanted, self.piece, self.members)
        at = node.start + (first // self.members * self.members + start) * access.size
        pointer = emit.address(access.address, at, access.element, access.size)
        if count == 1:
            scalar = self._memory(f"load {access.element}, ptr {pointer}, align {access.size}")
            type_text = f"<{self.piece} x {node.element}>"
            vector = emit.value("one", f"insertelement {type_text} poison, {access.element} {scalar}, i64 0")
        else:
            type_text = f"<{count} x {node.element}>"
            vector = self._memory(f"load {type_text}, ptr {pointer}, align {access.size}")
        mask = [each - start for each in wanted]
        return vector if mask == list(range(count)) else emit.shuffle(type_text, vector, "poison", mask)

    def _memory(self, text: str) -> str:
        """Nothing stores in between to what is loaded: one load serves all of its text."""
        return self.emit.value("row", text)

    def _operation(self, node: Node, given: list[str]) -> str:
        made = node.instruction
        assert made is not None
        parts = made.parts
        flags = "".join(f"{flag} " for flag in node.flags)
        known = iter(given)
        typed: list[tuple[str, str]] = []
        for operand in parts.operands:
            if lanes_of(operand.type):
                typed.append((f"<{self.piece} x {element_of(operand.type)}>", next(known)))
            else:
                typed.append((operand.type, operand.value))
        texts = [f"{kind} {value}" for kind, value in typed]
        if made.op == "call":
            callee = re.sub(r"\.v\d+", f".v{self.piece}", parts.callee)
            result = f"<{self.piece} x {node.element}>"
            self.emit.declarations.add(f"{result} {callee}({', '.join(kind for kind, _ in typed)})")
            plain = "".join(f"{flag} " for flag in node.flags if flag not in ("tail", "musttail", "notail"))
            return self.emit.value("members", f"call {plain}{result} {callee}({', '.join(texts)})")
        if made.op in CASTS:
            return self.emit.value("members", f"{made.op} {flags}{texts[0]} to <{self.piece} x {node.element}>")
        if made.op in ("icmp", "fcmp"):
            return self.emit.value("members", f"{made.op} {flags}{parts.predicate} {texts[0]}, {typed[1][1]}")
        if made.op == "select":
            return self.emit.value("members", f"select {flags}{', '.join(texts)}")
        return self.emit.value("members", f"{made.op} {flags}{texts[0]}" + (f", {typed[1][1]}" if len(typed) > 1 else ""))
