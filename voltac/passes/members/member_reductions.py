"""Values that are sums, minima, ... of all members of each lane's struct: found in a block, and what each member is made of.

%s = add (zext (gather b + 16 * lane)), (zext (gather b + 16 * lane + 1)), ... of 16 members
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property

from voltac.ir.lane_values import LaneValues
from voltac.ir.model import Block, Function, Instruction
from voltac.ir.parts import Operand
from voltac.ir.types import element_of, lanes_of
from voltac.ir.uses import Uses, uses_of
from voltac.passes.accesses.access import Access, is_divisor, pseudo_operation, read_access
from voltac.passes.facts.effects import FunctionEffects
from voltac.passes.members.lane_folds import CHUNK
from voltac.passes.members.member_sums import integer_register, kind_of
from voltac.passes.members.member_trees import Node, Trees
from voltac.passes.members.member_windows import first_member, stride_of
from voltac.records import field, mutable_record
from voltac.target_info import TargetInfo

_OPERATIONS = frozenset(("add", "and", "or", "xor"))
_CALLED = ("@llvm.umin.", "@llvm.umax.", "@llvm.smin.", "@llvm.smax.")
_LEAST, _MOST = 4, 64
"""Members. Pairs are even and odd elements, which two shuffles bring apart as well; more than 64 were not measured."""
_MOST_LOADS = 4
"""Of one member, and of as many steps: a product of differences has three. Chosen, not measured."""
_MOST_DEEP = 12
"""Operations one upon the other in a member. Chosen, not measured."""
_ACROSS = 1.5
"""Of a shuffle of a whole register, as in ``member_costs``."""
_INTERLEAVED_IN_SSE2 = 4
"""Shuffles of words in place of ``pshufb``: of the lower and upper halves, unpacked. Chosen, not measured."""
_OF_SUMS = 1.5
"""Shuffles for each register of what is added by instructions: of half, of a quarter, ... of them. Counted."""
TOUCHING = frozenset(("call", "store", "load", "atomicrmw", "cmpxchg", "fence"))
"""Operations that may touch memory."""


def operation_of(made: Instruction | None) -> str:
    """What may be done in any order, as it is written; empty for any other."""
    if made is None or not element_of(made.type).startswith("i") or element_of(made.type) == "i1" or not lanes_of(made.type):
        return ""
    if made.op in _OPERATIONS:
        return made.op
    return made.parts.callee if made.op == "call" and made.parts.callee.startswith(_CALLED) else ""


@mutable_record(eq=False)
class Reduction:
    """One such value."""

    root: Instruction
    index: int
    """Of the root in its block."""
    operation: str
    trees: Trees
    nodes: list[Node]
    """Of all members, one for each row of them: their results are reduced too."""
    rest: list[str]
    """Other operands of the operation."""
    chain: set[str]
    """The names of its steps, the root's too."""
    loads: list[Access] = field(default_factory=list)

    @property
    def members(self) -> int:
        """Of a struct."""
        return self.trees.members


class ReductionFinder:
    """Looks through one block."""

    def __init__(
        self, block: Block, values: LaneValues, effects: FunctionEffects, function: Function, target: TargetInfo
    ) -> None:
        self.block = block
        self.values = values
        self.effects = effects
        self.function = function
        self.target = target
        self.places = {made.name: at for at, made in enumerate(block.instructions) if made.name}
        self.loads = {access.instruction.name: access for access in _member_loads(block, values)}

    @cached_property
    def uses(self) -> Uses:
        """Of the function."""
        return uses_of(self.function)

    def find(self) -> list[Reduction]:
        """Those that may be done so, and that are worth it."""
        if len(self.loads) < _LEAST:
            return []
        found: list[Reduction] = []
        for index, made in enumerate(self.block.instructions):
            operation = operation_of(made)
            if operation and not self._goes_on(made, operation):
                reduction = self._reduction(index, made, operation)
                if reduction is not None and self._gains(reduction) and not self._interferes(reduction):
                    found.append(reduction)
        while found:
            gone = {name for each in found for name in (*each.chain, *each.trees.covered)}
            kept = [each for each in found if all(self.uses.is_only_by(load.instruction.name, gone) for load in each.loads)]
            if len(kept) == len(found):
                break
            found = kept
        return found

    def _goes_on(self, made: Instruction, operation: str) -> bool:
        """Whether it is a step of a longer one."""
        user = self.uses.single_use(made.name)
        return user is not None and user.name in self.places and operation_of(user) == operation

    def _reduction(self, index: int, root: Instruction, operation: str) -> Reduction | None:
        chain, leaves, work = {root.name}, [], list(reversed(root.operands))
        while work:
            each = work.pop()
            made = self.values.definitions.get(each.value)
            if made is not None and made.name in self.places and operation_of(made) == operation:
                if self.uses.single_use(made.name) is not None:
                    chain.add(made.name)
                    work += reversed(made.operands)
                    continue
            leaves.append(each)
        if len(leaves) < _LEAST:
            return None
        groups: dict[tuple[tuple[object, ...], int, int], list[tuple[int, Operand]]] = {}
        rest: list[str] = []
        for leaf in leaves:
            loads = self._loads_of(leaf.value)
            if not loads:
                rest.append(leaf.value)
                continue
            start = loads[0].offsets[0]
            key = tuple((each.address.key, each.size, each.offsets[0] - start) for each in loads if each.address is not None)
            groups.setdefault((key, loads[0].size, stride_of(loads[0]) // loads[0].size), []).append((start, leaf))
        rows = []
        for (_, size, members), group in groups.items():
            group.sort(key=lambda each: each[0])
            starts, at = [start for start, _ in group], 0
            while at < len(group):
                if starts[at : at + members] == [starts[at] + size * member for member in range(members)]:
                    rows.append((members, tuple(leaf for _, leaf in group[at : at + members])))
                    at += members
                else:
                    rest.append(group[at][1].value)
                    at += 1
        if not rows or len({members for members, _ in rows}) > 1:
            return None
        members = rows[0][0]
        alike = {
            name: load
            for name, load in self.loads.items()
            if stride_of(load) == members * load.size and self.places[name] < index
        }
        trees = Trees(self.values, members, lambda wanted, count: first_member(wanted, alike.values(), count))
        trees.loads = alike
        nodes = [trees.node(row) for _, row in rows]
        if any(node is None for node in nodes):
            return None
        found = Reduction(root, index, operation, trees, [node for node in nodes if node is not None], rest, chain)
        found.loads = [load for name, load in trees.loads.items() if name in trees.covered]
        return found

    def _loads_of(self, leaf: str) -> list[Access]:
        """What a member is made of, in the order of the operands; nothing where that is too much."""
        found: list[Access] = []
        work, seen = [(leaf, 0)], set[str]()
        while work:
            name, depth = work.pop()
            if name in seen:
                continue
            seen.add(name)
            if name in self.loads:
                found.append(self.loads[name])
                continue
            made = self.values.definitions.get(name)
            if made is None or name not in self.places or pseudo_operation(made):
                continue
            if depth > _MOST_DEEP or len(found) > _MOST_LOADS:
                return []
            work += [(each.value, depth + 1) for each in reversed(made.operands) if lanes_of(each.type)]
        return found

    def _gains(self, found: Reduction) -> bool:
        """Whether what moves between lanes is less than to take all members apart."""
        nodes = list({id(each): each for node in found.nodes for each in below(node)}.values())
        loads = [each for each in nodes if each.kind == "load"]
        if not loads or any(each.moves for each in loads):
            return False
        lanes, bits = lanes_of(found.root.type), int(element_of(found.root.type)[1:])
        register = integer_register(self.target)
        if lanes * found.members * self._bits(loads[0].element) < CHUNK * 8:
            return False

        def registers(element: str) -> float:
            return lanes * found.members * self._bits(element) / register

        kind = kind_of(found.nodes, found.operation, found.members, bits, self.target)
        shuffled = sum(_ACROSS * registers(each.element) for each in nodes if each.kind in ("spread", "blend"))
        if kind == "plain":
            interleaved = self._bits(found.nodes[0].element) * found.members < CHUNK * 8
            # Without pshufb bytes and 16-bit numbers are interleaved by several.
            each = _INTERLEAVED_IN_SSE2 if self.target.isa == "sse2" else 1
            shuffled += registers(found.nodes[0].element) * (2 - 2 / found.members + interleaved * each)
        else:
            shuffled += registers({"words": "i16"}.get(kind, loads[0].element)) * _OF_SUMS
        return shuffled < sum(registers(load.element) for load in loads) * math.log2(found.members)

    def _bits(self, element: str) -> int:
        return 8 * self.values.layout.size(element) if element != "i1" else 8

    def _interferes(self, found: Reduction) -> bool:
        """Whether anything up to the root may change what is loaded."""
        first = min(load.index for load in found.loads)
        for index in range(first, found.index):
            instruction = self.block.instructions[index]
            if instruction.op not in TOUCHING or is_divisor(instruction):
                continue
            before = [load for load in found.loads if load.index < index]
            operation = pseudo_operation(instruction)
            if operation:
                access = read_access(index, instruction, operation, self.values)
                if access.is_store and any(self.effects.may_overlap(access.memory, load.memory) for load in before):
                    return True
            elif any(self.effects.may_write(instruction, load.memory) for load in before):
                return True
        return False


def below(node: Node) -> list[Node]:
    """A node and those it is made of, each once."""
    work, seen = [node], dict[int, Node]()
    while work:
        each = work.pop()
        if id(each) not in seen:
            seen[id(each)] = each
            work += each.operands
    return list(seen.values())


def _member_loads(block: Block, values: LaneValues) -> Iterable[Access]:
    """Of all lanes, whose structs have a power of two of members and lie side by side."""
    for index, instruction in enumerate(block.instructions):
        if pseudo_operation(instruction) == "gather":
            access = read_access(index, instruction, "gather", values)
            members = stride_of(access) // access.size
            if access.all_on and may_be_reduced(members):
                if stride_of(access) == members * access.size and access.element.startswith("i"):
                    yield access


def may_be_reduced(members: int) -> bool:
    """Whether so many of a struct may be."""
    return _LEAST <= members <= _MOST and not members & (members - 1)


def may_reduce(block: Block) -> bool:
    """Whether there are enough loads, and something that may be a reduction of them."""
    loads = (each for each in block.instructions if pseudo_operation(each) == "gather" and "splat (i1 true)" in each.text)
    return sum(1 for _ in loads) >= _LEAST
