"""What the lanes compute for each member of their struct, all members taken together: trees that are written in memory's order.

A tuple of values, one a member, is one value of more lanes: lane 0's members, then lane 1's, and so on. It is made by one
operation where all of the tuple are made by the same one; where it is loaded, or the same in all lanes, no lane need move.
(Larsen and Amarasinghe, Exploiting Superword Level Parallelism with Multimedia Instruction Sets, 2000.)
"""

from __future__ import annotations

import re
from collections.abc import Callable

from voltac.ir.constants import splatted
from voltac.ir.lane_values import LaneValues
from voltac.ir.match import folded, scalar_of_splat
from voltac.ir.model import Instruction
from voltac.ir.parts import BINARY, CASTS, FLOAT_BINARY, Operand
from voltac.ir.types import element_of, lanes_of
from voltac.passes.accesses.access import Access
from voltac.passes.accesses.emit import Emitter
from voltac.passes.loops.lane_loops import scalar_callee
from voltac.records import mutable_record

Tuple = tuple[Operand | None, ...]
"""A value of each member; None for one that may be anything."""

_OPERATIONS = frozenset((*BINARY, *FLOAT_BINARY, *CASTS, "fneg", "freeze", "icmp", "fcmp", "select"))
_DIVISIONS = frozenset(("sdiv", "udiv", "srem", "urem"))
"""What must not be done to anything."""
_LONG = frozenset(("fdiv", "frem", *_DIVISIONS))
_MOST_NODES = 400
"""Of a group of stores. Chosen, not measured."""
_MOST_DEEP = 60
"""Operations one upon the other; a sum of eight products has 16. Chosen, not measured."""


@mutable_record(eq=False)
class Node:
    """What makes one tuple."""

    kind: str
    """``uniform``, ``load``, ``spread``, ``blend`` or ``op``."""
    element: str
    """IR type of a member."""
    operands: list[Node]
    instruction: Instruction | None = None
    """Of an operation: the first member's, which gives its name and types."""
    flags: tuple[str, ...] = ()
    """Those that all members have."""
    scalars: tuple[str, ...] = ()
    """Of what is the same in all lanes: each member's."""
    access: Access | None = None
    """Of a load: one of its members'."""
    start: int = 0
    """Of a load: bytes from the uniform part of the address to the first member that is loaded."""
    order: tuple[int, ...] = ()
    """Of a load: which of the members loaded each member is; of a blend: which of the two operands it is of."""
    value: str = ""
    """Of what is the same for all members of a lane: the value of a gang."""

    @property
    def moves(self) -> bool:
        """Whether members of a struct change places."""
        return self.kind == "load" and self.order != tuple(range(len(self.order)))

    @property
    def alternates(self) -> bool:
        """Whether it is the differences and sums of the same, in turn: one instruction of x86."""
        if self.kind != "blend" or len(self.order) % 2 or self.order != (0, 1) * (len(self.order) // 2):
            return False
        first, second = (side.instruction for side in self.operands)
        return (
            first is not None
            and second is not None
            and (first.op, second.op) == ("fsub", "fadd")
            and self.operands[0].operands == self.operands[1].operands
        )

    @property
    def is_broadcast(self) -> bool:
        """Whether one member of a struct is loaded for all."""
        return self.kind == "load" and len(set(self.order)) == 1


def is_long(made: Instruction) -> bool:
    """Whether it takes several times as long as others."""
    return made.op in _LONG or (made.op == "call" and ".sqrt." in made.text)


def stride_of(access: Access) -> int:
    """Bytes from each lane's element to that of the next; 0 where that differs, or is not known."""
    if access.address is None:
        return 0
    steps = {after - before for before, after in zip(access.offsets, access.offsets[1:])}
    return steps.pop() if len(steps) == 1 else 0


class Trees:
    """Nodes of tuples of one block, each made once."""

    def __init__(self, values: LaneValues, members: int, window: Callable[[list[Access]], int | None]) -> None:
        """``window``: bytes to the first member of structs that may be read whole around these loads; None if there is none."""
        self.values = values
        self.members = members
        self.window = window
        self.loads: dict[str, Access] = {}
        """Loads that may be in a node, by name."""
        self.nodes: dict[tuple[str, ...], Node | None] = {}
        self.covered: dict[str, Instruction] = {}
        """Instructions that nodes stand for."""
        self.root: Node | None = None

    def found(self) -> list[Node]:
        """The nodes below the root, each once."""
        work, seen = [self.root], dict[int, Node]()
        while work:
            node = work.pop()
            if node is not None and id(node) not in seen:
                seen[id(node)] = node
                work += node.operands
        return list(seen.values())

    def node(self, given: Tuple, depth: int = 0) -> Node | None:
        """What makes a tuple; None where nothing does."""
        key = tuple("" if each is None else each.value for each in given)
        if key not in self.nodes:
            if len(self.nodes) >= _MOST_NODES or depth > _MOST_DEEP:
                return None
            self.nodes[key] = None
            self.nodes[key] = self._find(given, depth)
        return self.nodes[key]

    def _find(self, given: Tuple, depth: int) -> Node | None:
        present = [each for each in given if each is not None]
        first = present[0]
        if not lanes_of(first.type) or any(each.type != first.type for each in present):
            return None
        scalars = [self._scalar(each) for each in present]
        if None not in scalars:
            known = iter(scalars)
            filled = [next(known) if each is not None else scalars[0] for each in given]
            return Node("uniform", element_of(first.type), [], scalars=tuple(map(str, filled)))
        made = [self.values.definitions.get(each.value) for each in present]
        names = {each.value for each in present}
        if all(each is not None and each.name in self.loads for each in made):
            found = self._loaded([None if each is None else self.loads[each.value] for each in given])
            return found or (self._spread(first) if len(names) == 1 else None)
        if None in made or any(scalar is not None for scalar in scalars):
            return self._spread(first) if len(names) == 1 else self._blend(given, depth)
        shapes = {self._shape(each) for each in made if each is not None}
        if len(shapes) == 2 and {each.partition(" ")[0] for each in shapes} == {"fadd", "fsub"} and None not in given:
            return self._signed(given, depth)
        if "" in shapes or len(shapes) > 1:
            return self._spread(first) if len(names) == 1 else self._blend(given, depth)
        if len(names) == 1 and made[0] is not None and is_long(made[0]):
            return self._spread(first)
        found = self._operation(given, depth)
        return found or (self._spread(first) if len(names) == 1 else None)

    def _scalar(self, operand: Operand) -> str | None:
        """What is in all lanes."""
        if operand.value[0] == "%":
            scalar = scalar_of_splat(operand.value, self.values.definitions)
            return None if scalar is None else folded(scalar.value, self.values.definitions)
        if operand.value == "zeroinitializer":
            return {"float": "0.000000e+00", "double": "0.000000e+00", "half": "0xH0000", "i1": "false"}.get(
                element_of(operand.type), "0"
            )
        same = splatted(operand.value)
        return None if same is None else same.value

    def _loaded(self, loads: list[Access | None]) -> Node | None:
        present = [each for each in loads if each is not None]
        first = present[0]
        assert first.address is not None
        if any(each.address is None or each.address.key != first.address.key or each.size != first.size for each in present):
            return None
        start = self.window(present)
        if start is None:
            return None
        order = tuple(at if each is None else (each.offsets[0] - start) // each.size for at, each in enumerate(loads))
        for each in present:
            self.covered[each.instruction.name] = each.instruction
        return Node("load", first.element, [], access=first, start=start, order=order)

    def _spread(self, operand: Operand) -> Node | None:
        return Node("spread", element_of(operand.type), [], value=operand.value)

    def _shape(self, made: Instruction) -> str:
        """Equal for what may be done at once; empty for what may not."""
        parts = made.parts
        if made.op == "call":
            return parts.callee if scalar_callee(parts.callee) is not None else ""
        if made.op not in _OPERATIONS or any(lanes_of(each.type) != lanes_of(made.type) for each in parts.operands):
            return ""
        return f"{made.op} {parts.predicate} {parts.operands[0].type} {made.type}"

    def _operation(self, given: Tuple, depth: int) -> Node | None:
        made = [None if each is None else self.values.definitions[each.value] for each in given]
        present = [each for each in made if each is not None]
        first = present[0]
        if first.op in _DIVISIONS and None in given:
            return None
        operands: list[Node] = []
        for number, operand in enumerate(first.operands):
            column = tuple(None if each is None else each.operands[number] for each in made)
            if not lanes_of(operand.type):
                if any(each is not None and each != operand for each in column):
                    return None
                continue
            node = self.node(column, depth + 1)
            if node is None:
                return None
            operands.append(node)
        flags = tuple(flag for flag in first.parts.flags if all(flag in each.parts.flags for each in present))
        for each in present:
            self.covered[each.name] = each
        return Node("op", element_of(first.type), operands, instruction=first, flags=flags)

    def _signed(self, given: Tuple, depth: int) -> Node | None:
        """Of sums and differences, each computed for all: processors do both at once where they alternate."""
        made = [self.values.definitions[each.value] for each in given if each is not None]
        operands = [self.node(tuple(each.operands[side] for each in made), depth + 1) for side in range(2)]
        if operands[0] is None or operands[1] is None:
            return None
        self.covered.update((each.name, each) for each in made)
        sides = []
        for op in ("fsub", "fadd"):
            alike = [each for each in made if each.op == op]
            flags = tuple(flag for flag in alike[0].parts.flags if all(flag in each.parts.flags for each in alike))
            both = [operands[0], operands[1]]
            sides.append(Node("op", element_of(alike[0].type), both, instruction=alike[0], flags=flags))
        order = tuple(int(each.op == "fadd") for each in made)
        return Node("blend", sides[0].element, sides, order=order)

    def _blend(self, given: Tuple, depth: int) -> Node | None:
        """Of two kinds of members, each computed for all: what the other kind is there makes no difference."""
        kinds: dict[str, list[int]] = {}
        for at, each in enumerate(given):
            if each is not None:
                kinds.setdefault(self._kind(each), []).append(at)
        if len(kinds) != 2:
            return None
        sides = [tuple(each if at in places else None for at, each in enumerate(given)) for places in kinds.values()]
        nodes = [self.node(side, depth + 1) for side in sides]
        if nodes[0] is None or nodes[1] is None:
            return None
        second = set(list(kinds.values())[1])
        order = tuple(int(at in second) for at in range(self.members))
        return Node("blend", nodes[0].element, [nodes[0], nodes[1]], order=order)

    def _kind(self, operand: Operand) -> str:
        if self._scalar(operand) is not None:
            return "uniform"
        if operand.value in self.loads:
            return "load"
        made = self.values.definitions.get(operand.value)
        return operand.value if made is None else self._shape(made) or operand.value


def row_of(node: Node, piece: int, phase: int) -> list[int]:
    """Which of the members loaded a piece consists of, of structs of several pieces; ``phase``: its first member."""
    return [node.order[phase + at] for at in range(piece)]


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
            at = first // self.members * self.members + node.order[0]
            pointer = emit.address(access.address, node.start + at * access.size, access.element, access.size)
            scalar = self._memory(f"load {access.element}, ptr {pointer}, align {access.size}")
            one = emit.value("one", f"insertelement {type_text} poison, {access.element} {scalar}, i64 0")
            return emit.shuffle(type_text, one, "poison", [0] * self.piece)
        if node.moves and self.members > self.piece and self.members % self.piece == 0:
            return self._row(node, first)
        pointer = emit.address(access.address, node.start + first * access.size, access.element, access.size)
        vector = self._memory(f"load {type_text}, ptr {pointer}, align {access.size}")
        if not node.moves:
            return vector
        lanes = [at - (first + at) % self.members + node.order[(first + at) % self.members] for at in range(self.piece)]
        return emit.shuffle(type_text, vector, "poison", lanes)

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
