"""A loop around a foreach that changes the same elements every time -> four of its iterations in one run of the foreach.

    for (i = 0; i < m; i++)                        for (; i < m - 3; i += 4)
        foreach (j = 0 ... n)              ->          foreach (j = 0 ... n) {
            a[j] += b[i * n + j] * c[i];                   x = a[j]
                                                           x += b[i * n + j] * c[i] ... x += b[(i + 3) * n + j] * c[i + 3]
                                                           a[j] = x
                                                       }
                                                   for (; i < m; i++) ...  as it was

(Unroll and jam: Allen and Cocke, A Catalogue of Optimizing Transformations, 1971.) What is changed is loaded and stored once in
four iterations: products of matrices and vectors, sums over rows, filters.

Each element sees its operations in the order of before. What another gang does earlier than it did is of other memory: all that
is stored lies where the index of the foreach says, the same in every iteration of the outer loop, in the whole gangs
below the limit and in the rest, which is not below it; and what else is touched is of other objects. (A call with one array for
two parameters is taken only where no loop is around the foreach, ``sema/analyses/overlaps.py``.) Loops are not left early, and
how far the foreach goes does not depend on the outer loop: the same is touched. ``nsw`` is the loop's own claim: the four
iterations are below its limit, from which three of them were taken off, saturated.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir import match as m
from voltac.ir.lane_formulas import UniformSymbol
from voltac.ir.model import Block, Instruction, Module
from voltac.options import Options
from voltac.passes.accesses.access import pseudo_operation, read_access
from voltac.passes.loops.gang_loops import GangLoop, root
from voltac.passes.loops.rests import SlowRest, slow_rests
from voltac.passes.loops.row_nests import WITHOUT_MEMORY, RowNest, is_of_lanes
from voltac.passes.loops.shiftable import ShiftableLoop

_ROWS = 4
_MOST_INSTRUCTIONS = 40
"""Iterations of the outer loop at a time, and instructions of a gang, places of lanes included: one that computes longer does
not wait for what it loads and stores. Chosen, not measured."""
_POSITION = m.call("@llvm.smax.", m.value("limit"), m.value("start"))


def jam_rows(module: Module, options: Options) -> None:
    """Rewrite the module."""
    jammed = False
    for rest in slow_rests(module, options, _MOST_INSTRUCTIONS):
        if rest.several is None and (nest := _Nest.of(rest)) is not None:
            nest.write(_ROWS, nest.copies)
            jammed = True
    if jammed:
        module.declare(["declare i32 @llvm.ssub.sat.i32(i32, i32)"])


class _Nest(RowNest):
    """One that changes the same elements in each iteration."""

    def __init__(self, inner: ShiftableLoop, outer: GangLoop, finished: Block, masked: Block) -> None:
        super().__init__(inner, outer, finished, masked)
        self.places: dict[int, tuple[object, ...]] = {}
        """Instruction, by identity, of an access -> its place, which others may have, too."""
        self.stored: set[tuple[object, ...]] = set()
        """Those of what is stored."""

    @staticmethod
    def of(rest: SlowRest) -> _Nest | None:
        """None where the iterations may not be joined, or would not gain."""
        parts = RowNest.parts(rest, 4 * _MOST_INSTRUCTIONS)
        nest = _Nest(*parts) if parts is not None else None
        return nest if nest is not None and nest._is_apart() and nest.is_fixed() else None

    def _is_apart(self) -> bool:
        """Whether all that is stored has its place by the index alone, and is touched there or not at all; and is loaded."""
        inner = self.inner
        position = next((each.name for each in self.masked.instructions if self._is_position(each)), "")
        loads = []
        for at, each in enumerate(self.masked.instructions[:-1]):
            operation = pseudo_operation(each)
            if operation in ("gather", "scatter"):
                self.accesses.append(read_access(at, each, operation, inner.values))
            elif each.op == "load":
                loads.append(each)
            elif each.op not in WITHOUT_MEMORY and each.name != position and not is_of_lanes(each):
                return False
        for access in self.accesses:
            if access.address is None:
                return False
            terms = access.address.terms.items()
            counting = {(symbol, factor) for symbol, factor in terms if root(symbol) in (inner.loop.counter, position)}
            others = {(symbol, factor) for symbol, factor in terms if (symbol, factor) not in counting}
            if access.is_store and any(root(symbol) in self.changing for symbol, _ in others):
                return False
            fixed = frozenset((self._formula(symbol), factor) for symbol, factor in others)
            by_index = frozenset((symbol.text().replace(root(symbol), ""), factor) for symbol, factor in counting)
            self.places[id(access.instruction)] = (fixed, by_index, access.address.offsets, access.element)
        self.stored = {self.places[id(each.instruction)] for each in inner.accesses if each.is_store}
        for store in (each for each in self.accesses if each.is_store):
            place = self.places[id(store.instruction)]
            if place not in self.stored:
                return False
            if not all(self.places[id(each.instruction)] == place or inner.apart(store, each) for each in self.accesses):
                return False
        if any(self.may_be_stored(load) for load in loads):
            return False
        return any(not each.is_store and self.places[id(each.instruction)] in self.stored for each in inner.accesses)

    def _formula(self, symbol: UniformSymbol) -> str:
        name = root(symbol)
        return f"{symbol.kind} {symbol.text().replace(name, self.fixed.get(name, name))}"

    def _is_position(self, instruction: Instruction) -> bool:
        """Whether it is where the rest begins: no lower than the limit."""
        if not instruction.name:
            return False
        found = _POSITION.find(instruction.name, self.inner.values.definitions)
        loop = self.inner.loop
        return found is not None and (found["limit"].value, found["start"].value) == (loop.limit, loop.start)

    def _is_one_mask(self, access: Instruction) -> bool:
        """Whether all accesses to its place in its block are of the same lanes, in each iteration of the outer loop."""
        block = self.masked if any(each is access for each in self.masked.instructions) else self.inner.loop.body
        here = [each for each in block.instructions if self.places.get(id(each)) == self.places[id(access)]]
        masks = {each.operands[-1].value for each in here}
        changing = {self.outer.counter, *(each.name for each in self.before.instructions if each.name)}
        for each in block.instructions:
            if each.name and (each.op == "load" or id(each) in self.places or not changing.isdisjoint(each.names_used())):
                changing.add(each.name)
        return len(masks) == 1 and changing.isdisjoint(masks)

    def copies(
        self, instructions: list[Instruction], names: list[dict[str, str]], fresh: Callable[[str], str]
    ) -> list[Instruction]:
        """The instructions for each iteration with its ``names``, to which those of the results are added.

        What is the same in each is there once. What one stores the next takes as it is, where both do so in the same lanes.
        """
        found: list[Instruction] = []
        stored: dict[tuple[object, ...], tuple[str, str, Instruction]] = {}
        for known in names:
            for instruction in instructions:
                copy = Instruction(instruction.text)
                copy.rename(known)
                place = self.places.get(id(instruction))
                mask = "" if place is None else instruction.operands[-1].value
                previous = stored.get(place) if place is not None and self._is_one_mask(instruction) else None
                if instruction.name:
                    if previous is not None:
                        known[instruction.name] = previous[0]
                        continue
                    used = instruction.names_used()
                    if (
                        known is not names[0]
                        and place not in self.stored
                        and all(known.get(u) == names[0].get(u) for u in used)
                    ):
                        known[instruction.name] = names[0][instruction.name]
                        continue
                    known[instruction.name] = fresh("of.row")
                    copy.text = copy.text.replace(instruction.name, known[instruction.name], 1)
                elif place is not None:
                    if previous is not None:
                        found.remove(previous[2])
                    stored[place] = (copy.operands[0].value, mask, copy)
                found.append(copy)
        return found
