"""Stores to the same elements in both sides of an ``if`` -> both behind it, where they become one.

    br any(%m), %then, %else.test
  then:       ...  scatter(%x, %p, %m)
  else.test:  br any(%other), %else, %done                          %other is on where %m is not
  else:       ...  scatter(%y, %p, %other)
  done:
    ->
  else.test:  %was = phi [ %x, %then ], [ poison, ... ]
  done:       %is = phi [ %y, %else ], [ poison, %else.test ]
              scatter(%was, %p, %m)  scatter(%is, %p, %other)       one store of what is selected (merged_stores)

Each side is still jumped over where no lane wants it, and nothing is stored there: a mask without lanes stores nothing. In
place of two stores under masks, of which each asks first whether all lanes are on, stands one of all lanes. The stores pass
what touches no memory of theirs; loads of the same elements may stand between, of the other lanes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import combinations

from voltac.ir import match as m
from voltac.ir.cfg import ControlFlow, control_flow
from voltac.ir.lane_values import LaneValues, lane_values
from voltac.ir.model import Block, Function, Instruction, Module
from voltac.ir.parts import BINARY
from voltac.ir.types import DataLayout
from voltac.options import Options
from voltac.passes.accesses.access import Access, pseudo_operation, read_access
from voltac.passes.accesses.available_loads import BOTH, access_key, inverse, mask_implies, masks_exclude, root_mask
from voltac.passes.accesses.merged_stores import Waiting, is_passed
from voltac.passes.facts.effects import FunctionEffects, module_effects
from voltac.records import record

_ANY_LANE = m.op("icmp", m.op("bitcast", m.mask("mask")), m.number(0), predicate="ne")
"""Whether any lane of a mask is on."""
_ADDRESS = frozenset((*BINARY, "sext", "zext", "trunc", "getelementptr", "insertelement", "shufflevector"))
"""What addresses are made of, and may be computed once more behind the branch."""
_MOST_STEPS = 24
"""Of an address. Chosen, not measured."""
_FEWEST = 2
"""Stores that may become one; conditions that tell two masks apart, one the opposite of the other."""
_MOST_BLOCKS = 16
"""Of one side. Chosen, not measured."""


@record
class _Side:
    """What a branch jumps over where no lane of ``mask`` is on."""

    before: str
    """The block that branches."""
    blocks: tuple[str, ...]
    last: str
    done: str
    mask: str


def sink_stores(module: Module, options: Options) -> None:
    """Rewrite the module."""
    layout = module.layout(options.target.pointer_bits // 8)
    for function in module.often_called:
        if len(function.blocks) > 2 and sum(pseudo_operation(each) == "scatter" for each in function.instructions()) > 1:
            sinking = None
            # What was sunk may sink further, from a block further up.
            for block in reversed(function.blocks):
                if len(block.successors) == 2:
                    sinking = sinking or _Sinking(module, function, layout)
                    while sinking.sink(block.name):
                        sinking = _Sinking(module, function, layout)


class _Sinking:
    """Of one function as it is now."""

    def __init__(self, module: Module, function: Function, layout: DataLayout) -> None:
        self.module = module
        self.function = function
        self.values: LaneValues = lane_values(function, layout)
        self.flow: ControlFlow = control_flow(function)
        self.blocks = {block.name: block for block in function.blocks}

    @cached_property
    def effects(self) -> FunctionEffects:
        return FunctionEffects(module_effects(self.module), self.function, self.values)

    @cached_property
    def owners(self) -> dict[str, str]:
        """Value -> the block that it is made in."""
        return {each.name: block.name for block in self.function.blocks for each in block.instructions if each.name}

    def sink(self, name: str) -> bool:
        """Move stores from before and from inside a side that this block jumps over; whether there are such."""
        side = self._side(name)
        if side is None:
            return False
        above = self._side_before(name)
        if self._join(side) or (above is not None and self._join(above)):
            return True
        inside = self._stores(side)
        if not inside:
            return False
        for key in dict.fromkeys(map(access_key, inside)):
            second = [each for each in inside if access_key(each) == key]
            first = [each for each in self._accesses(self.blocks[name]) if each.is_store and access_key(each) == key]
            source = name
            if not first and above is not None:
                first, source = [each for each in self._stores(above) if access_key(each) == key], above.last
            if first and self._may_sink(source, first, side, second) and self._move(source, first, above, side, second):
                return True
        return False

    def _side(self, name: str) -> _Side | None:
        """What the last branch of a block jumps over."""
        branch = self.blocks[name].terminator
        if branch.op != "br" or len(branch.parts.labels) != 2:
            return None
        then, done = branch.parts.labels
        tested = _ANY_LANE.find(branch.operands[0].value, self.values.definitions)
        before_done = [each for each in self.flow.predecessors[done] if each != name]
        if tested is None or self.flow.predecessors[then] != [name] or len(before_done) != 1 or then == done:
            return None
        found, work = [then], [then]
        while work and len(found) <= _MOST_BLOCKS:
            for successor in self.flow.successors[work.pop()]:
                if successor == name:
                    return None
                if successor != done and successor not in found:
                    found.append(successor)
                    work.append(successor)
        entered = any(before not in found for each in found if each != then for before in self.flow.predecessors[each])
        ends = any(not self.flow.successors[each] for each in found)
        if work or entered or ends or before_done[0] not in found:
            return None
        if self.flow.loop_of.get(before_done[0]) is not self.flow.loop_of.get(name):
            return None
        return _Side(name, tuple(found), before_done[0], done, tested["mask"].value)

    def _side_before(self, name: str) -> _Side | None:
        """The side that ends where a block begins."""
        for before in self.flow.predecessors[name]:
            side = self._side(before)
            if side is not None and side.done == name:
                return side
        return None

    def _accesses(self, block: Block) -> list[Access]:
        return [
            read_access(at, each, operation, self.values)
            for at, each in enumerate(block.instructions)
            if (operation := pseudo_operation(each))
        ]

    def _stores(self, side: _Side) -> list[Access]:
        """Those that end a side, under masks from before it that are off where it is jumped over."""
        return [
            each
            for each in self._accesses(self.blocks[side.last])
            if each.is_store
            and each.is_consecutive
            and not each.all_on
            and self.owners.get(each.mask) not in side.blocks
            and mask_implies(each.mask, side.mask, self.values)
        ]

    def _join(self, side: _Side) -> bool:
        """Make one store of those that together are of all lanes that the side is for; whether there are such."""
        groups: dict[object, list[Access]] = {}
        for each in self._accesses(self.blocks[side.last]):
            if each.is_store and each.is_consecutive and not each.all_on:
                groups.setdefault(access_key(each), []).append(each)
        for stores in groups.values():
            if len(stores) < _FEWEST or not self._cover([each.mask for each in stores], side.mask):
                continue
            moved = {id(each.instruction) for each in stores}
            if not self._passes(stores, (side.last,), moved):
                continue
            fresh, last = self.function.fresh_names(), stores[-1]
            value, lines = stores[0].value, list[Instruction]()
            for each in stores[1:]:
                name, lanes = fresh("chosen"), f"<{each.lanes} x i1>"
                text = f"  {name} = select {lanes} {each.mask}, {each.vector} {each.value}, {each.vector} {value}"
                lines.append(Instruction(text))
                value = name
            lines.append(_stored(last, value, last.pointers.value, side.mask))
            block = self.blocks[side.last]
            block.instructions[last.index : last.index + 1] = lines
            block.instructions = [each for each in block.instructions if id(each) not in moved]
            return True
        return False

    def _cover(self, masks: list[str], whole: str) -> bool:
        """Whether one or another of these masks is on exactly where a mask is."""
        sets = [_literals(each, self.values) for each in masks]
        while len(sets) > 1:
            for first, second in combinations(sets, 2):
                differ = first ^ second
                if len(differ) == _FEWEST and len({name for name, _ in differ}) == 1:
                    sets = [each for each in sets if each not in (first, second)] + [first & second]
                    break
            else:
                return False
        return sets == [_literals(whole, self.values)]

    def _may_sink(self, source: str, first: list[Access], side: _Side, second: list[Access]) -> bool:
        """Whether all that is between the stores and the end of the side may be done before them."""
        if not all(masks_exclude(one.mask, other.mask, self.values) for one in first for other in second):
            return False
        moved = {id(each.instruction) for each in (*first, *second)}
        path = dict.fromkeys((source, side.before, *side.blocks))
        return self._passes(first, tuple(path), moved) and self._passes(second, (side.last,), moved)

    def _passes(self, stores: list[Access], path: tuple[str, ...], moved: set[int]) -> bool:
        """Whether stores of the first block may be moved past what follows them in it and in the other blocks."""
        waiting = Waiting(access_key(stores[0]), stores)
        memory = stores[0].memory
        for name in path:
            accesses = {each.index: each for each in self._accesses(self.blocks[name])}
            start = stores[0].index if name == path[0] else 0
            for at, instruction in enumerate(self.blocks[name].instructions[start:], start):
                access = accesses.get(at)
                if id(instruction) in moved:
                    continue
                if access is None:
                    if self.effects.may_touch(instruction, memory):
                        return False
                elif access.is_store or not is_passed(waiting, access, self.values):
                    if self.effects.may_overlap(access.memory, memory):
                        return False
        return True

    def _address(self, name: str, at: str, fresh: Callable[[str], str], lines: list[Instruction]) -> str:
        """A value in a block behind that in which it is computed, from ``lines`` where it has to be computed there; empty if
        that is not to be."""
        if name not in self.owners or self.flow.dominates(self.owners[name], at):
            return name
        made = self.values.definitions[name]
        if made.op not in _ADDRESS or len(lines) > _MOST_STEPS:
            return ""
        renamed = {each: self._address(each, at, fresh, lines) for each in made.names_used()}
        if "" in renamed.values():
            return ""
        line = Instruction(made.text.replace(f"{name} = ", f"{fresh('sunk')} = ", 1))
        line.rename(renamed)
        lines.append(line)
        return line.name

    def _move(self, source: str, first: list[Access], above: _Side | None, side: _Side, second: list[Access]) -> bool:
        """Whether the addresses could be computed behind the side."""
        fresh, behind = self.function.fresh_names(), list[Instruction]()
        pointers = self._address(first[0].pointers.value, side.done, fresh, behind)
        if not pointers:
            return False
        phis: dict[str, list[Instruction]] = {side.before: [], side.done: []}

        def arrived(value: str, given: _Side | None, vector: str) -> str:
            """A value where the sides meet."""
            if given is None or self.owners.get(value) not in given.blocks:
                return value
            name = fresh("arrived")
            arms = f"[ {value}, %{given.last} ], [ poison, %{given.before} ]"
            phis[given.done].append(Instruction(f"  {name} = phi {vector} {arms}"))
            return name

        for stores, given in ((first, above if source != side.before else None), (second, side)):
            for store in stores:
                value = arrived(store.value, given, store.vector)
                behind.append(_stored(store, value, pointers, store.mask))
        moved = {id(each.instruction) for each in (*first, *second)}
        for name in dict.fromkeys((source, side.last)):
            kept = [each for each in self.blocks[name].instructions if id(each) not in moved]
            self.blocks[name].instructions = kept
        for name, made in phis.items():
            block = self.blocks[name]
            at = block.first_after_phis()
            if name == side.done:
                block.instructions[at:at] = behind
            block.instructions[:0] = made
        return True


def _stored(store: Access, value: str, pointers: str, mask: str) -> Instruction:
    """A store like another one."""
    parts = store.instruction.parts
    debug = f", !dbg {parts.metadata['dbg']}" if "dbg" in parts.metadata else ""
    arguments = f"{store.vector} {value}, {store.pointers.type} {pointers}, <{store.lanes} x i1> {mask}"
    return Instruction(f"  call void {parts.callee}({arguments}){debug}")


def _literals(mask: str, values: LaneValues, depth: int = _MOST_STEPS) -> frozenset[tuple[str, bool]]:
    """Conditions, each as it is or its opposite, that hold together where a mask is on, and nowhere else."""
    mask = root_mask(mask, values)
    if inverted := inverse(mask, values):
        return frozenset({(root_mask(inverted, values), False)})
    both = BOTH.find(mask, values.definitions) if depth else None
    if both is None:
        return frozenset({(mask, True)})
    return frozenset().union(*(_literals(side.value, values, depth - 1) for side in both.values()))
