"""Stores of one block that fill structs together, and whether all may be made at once, where the last of them stands."""

from __future__ import annotations

from voltac.ir.lane_values import LaneValues
from voltac.ir.model import Block, Function
from voltac.ir.parts import Operand
from voltac.passes.accesses.access import Access, is_divisor, pseudo_operation, read_access
from voltac.passes.facts.effects import FunctionEffects
from voltac.passes.members.member_trees import Trees
from voltac.passes.members.member_windows import first_member, stride_of
from voltac.records import mutable_record

_MOST_MEMBERS = 16
"""Chosen, not measured."""
_TIMES = (1, 2, 4)
"""How often the struct that is stored fits into one that is loaded: pairs of pixels, rows of a matrix."""
_TOUCHING = frozenset(("call", "store", "load", "atomicrmw", "cmpxchg", "fence"))
"""Operations that may touch memory."""


def next_group(block: Block, values: LaneValues, tried: set[str]) -> list[Access] | None:
    """Stores of all members of structs, one for each, in their order."""
    found: dict[object, list[Access]] = {}
    for index, instruction in enumerate(block.instructions):
        if pseudo_operation(instruction) == "scatter":
            access = read_access(index, instruction, "scatter", values)
            stride = stride_of(access)
            if access.all_on and stride % access.size == 0 and 2 <= stride // access.size <= _MOST_MEMBERS:
                assert access.address is not None
                found.setdefault((access.address.key, access.element, access.lanes, stride), []).append(access)
    for stores in found.values():
        ordered = sorted(stores, key=lambda store: store.offsets[0])
        size, start = ordered[0].size, ordered[0].offsets[0]
        if ordered[0].instruction.text in tried:
            continue
        tried.add(ordered[0].instruction.text)
        if [store.offsets[0] - start for store in ordered] == [size * at for at in range(stride_of(ordered[0]) // size)]:
            return ordered
    return None


@mutable_record(eq=False)
class MemberGroup:
    """The stores of all members, and what is stored."""

    block: Block
    stores: list[Access]
    values: LaneValues
    effects: FunctionEffects

    def __post_init__(self) -> None:
        self.trees = Trees(self.values, len(self.stores), self._window)
        self.lanes = self.stores[0].lanes
        self.last = max(store.index for store in self.stores)

    def may_join(self) -> bool:
        """Whether all can be made at once where the last of them stands, and nothing in between minds."""
        for index, instruction in enumerate(self.block.instructions[: self.last]):
            if pseudo_operation(instruction) == "gather":
                access = read_access(index, instruction, "gather", self.values)
                whole = [times * len(self.stores) * access.size for times in _TIMES]
                if access.all_on and access.lanes == self.lanes and stride_of(access) in whole:
                    self.trees.loads[instruction.name] = access
        root = self.trees.node(tuple(Operand(store.vector, store.value) for store in self.stores))
        if root is None:
            return False
        self.trees.root = root
        loads = self.loads
        return all(self._is_before(load) for load in loads) and not any(
            self._interferes(index, loads) for index in range(min(each.index for each in (*loads, *self.stores)), self.last)
        )

    def _window(self, loads: list[Access], members: int) -> int | None:
        """Where structs of so many begin of which these members are, all of which the program reads."""
        return first_member(loads, self.trees.loads.values(), members)

    def _is_before(self, load: Access) -> bool:
        """Whether a load reads what is there before the stores, and would when those of other lanes are done."""
        clashing = [store for store in self.stores if self.effects.may_overlap(store.memory, load.memory)]
        if not clashing:
            return True
        assert load.address is not None and clashing[0].address is not None
        if load.address.key != clashing[0].address.key or load.size != clashing[0].size:
            return False
        later = [store.index for store in self.stores if store.offsets == load.offsets]
        return bool(later) and later[0] > load.index and self._window([load], len(self.stores)) == self.stores[0].offsets[0]

    def _interferes(self, index: int, loads: list[Access]) -> bool:
        """Whether an instruction may touch what is stored before it, or change what is loaded before it."""
        instruction = self.block.instructions[index]
        if instruction.name in self.trees.covered or any(store.index == index for store in self.stores):
            return False
        stores = [store for store in self.stores if store.index < index]
        before = [load for load in loads if load.index < index]
        operation = pseudo_operation(instruction)
        if operation:
            access = read_access(index, instruction, operation, self.values)
            minding = stores + (before if access.is_store else [])
            return any(self.effects.may_overlap(access.memory, each.memory) for each in minding)
        if instruction.op not in _TOUCHING or is_divisor(instruction):
            return False
        return any(self.effects.may_touch(instruction, each.memory) for each in stores) or any(
            self.effects.may_write(instruction, each.memory) for each in before
        )

    @property
    def loads(self) -> list[Access]:
        """What is read by the tree."""
        return [access for name, access in self.trees.loads.items() if name in self.trees.covered]


def may_store_members(block: Block) -> bool:
    """Whether there is more than one store to elements that are not side by side."""
    return sum(pseudo_operation(each) == "scatter" for each in block.instructions) > 1


def joined_loads(function: Function, values: LaneValues, effects: FunctionEffects) -> set[str]:
    """Loads of members that may be joined, by name."""
    found: set[str] = set()
    for block in filter(may_store_members, function.blocks):
        tried: set[str] = set()
        while (stores := next_group(block, values, tried)) is not None:
            group = MemberGroup(block, stores, values, effects)
            if group.may_join():
                found.update(access.instruction.name for access in group.loads)
    return found
