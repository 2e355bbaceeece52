"""What the lanes compute for each member of their struct, all members taken together: trees that are written in memory's order.

A tuple of values, one a member, is one value of more lanes: lane 0's members, then lane 1's, and so on. It is made by one
operation where all of the tuple are made by the same one; where it is loaded, or the same in all lanes, no lane need move.
(Larsen and Amarasinghe, Exploiting Superword Level Parallelism with Multimedia Instruction Sets, 2000.)
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir.constants import splatted
from voltac.ir.lane_values import LaneValues
from voltac.ir.match import folded, made_by, scalar_of_splat
from voltac.ir.model import Instruction
from voltac.ir.parts import BINARY, CASTS, FLOAT_BINARY, Operand
from voltac.ir.types import element_of, lanes_of
from voltac.passes.accesses.access import Access
from voltac.passes.loops.lane_loops import scalar_callee
from voltac.passes.members.member_windows import stride_of
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
    times: int = 1
    """Of a load: how often the members that are stored would fit into the struct that is loaded."""
    value: str = ""
    """Of what is the same for all members of a lane: the value of a gang."""

    @property
    def moves(self) -> bool:
        """Whether members of a struct change places."""
        return self.kind == "load" and (self.times > 1 or self.order != tuple(range(len(self.order))))

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


class Trees:
    """Nodes of tuples of one block, each made once."""

    def __init__(self, values: LaneValues, members: int, window: Callable[[list[Access], int], int | None]) -> None:
        """``window``: bytes to the first member of structs of so many that may be read whole around loads; None without any."""
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
        given = tuple(None if each is None else self._as_stored(each) for each in given)
        key = tuple("" if each is None else each.value for each in given)
        if key not in self.nodes:
            if len(self.nodes) >= _MOST_NODES or depth > _MOST_DEEP:
                return None
            self.nodes[key] = None
            self.nodes[key] = self._find(given, depth)
        return self.nodes[key]

    def _as_stored(self, operand: Operand) -> Operand:
        """What was extended, of what is cut to the type that it had: a byte that is copied."""
        cut = made_by(("trunc",), operand.value, self.values.definitions)
        extended = made_by(("zext", "sext"), cut.operands[0].value, self.values.definitions) if cut is not None else None
        return extended.operands[0] if extended is not None and extended.operands[0].type == operand.type else operand

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
        times = max(1, stride_of(first) // (self.members * first.size))
        start = None if len(set(map(stride_of, present))) > 1 else self.window(present, times * self.members)
        if start is None:
            return None
        order = tuple(at if each is None else (each.offsets[0] - start) // each.size for at, each in enumerate(loads))
        for each in present:
            self.covered[each.instruction.name] = each.instruction
        return Node("load", first.element, [], access=first, start=start, order=order, times=times)

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
