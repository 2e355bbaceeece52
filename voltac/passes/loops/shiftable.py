"""Loops over gangs in which it makes no difference which lane does an element: gangs may begin anywhere.

Every operation is one of each lane by itself, nothing goes from one gang to the next, and where lanes differ it is by the
index, the counter and the lane's number, alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

from voltac.ir import match as m
from voltac.ir.constants import integers
from voltac.ir.lane_values import LaneValues
from voltac.ir.match import scalar_of_splat
from voltac.ir.model import Instruction
from voltac.ir.parts import Operand
from voltac.ir.types import lanes_of
from voltac.passes.accesses.access import Access, pseudo_operation, read_access
from voltac.passes.facts.effects import FunctionEffects
from voltac.passes.loops.distances import Distance, constant_distance, distance
from voltac.passes.loops.gang_loops import GangLoop, root
from voltac.passes.loops.lane_loops import PLAIN, scalar_callee

_REST = m.op("and", m.value("extent"), m.constant("last"))
_LIMIT = m.op("sub", m.value("end"), m.value("rest"))
_EXTENT = m.op("sub", m.value("end"), m.value("start"))


class ShiftableLoop:
    """A loop whose gangs may perhaps begin anywhere: :meth:`is_shiftable` says whether."""

    def __init__(self, loop: GangLoop, values: LaneValues, effects: FunctionEffects) -> None:
        self.loop = loop
        self.values = values
        self.effects = effects
        self.counting = {loop.counter}
        """What depends on the counter."""
        for each in loop.body.instructions:
            if each.name and not self.counting.isdisjoint(each.names_used()):
                self.counting.add(each.name)
        self.accesses: list[Access] = []
        self.loads: list[Instruction] = []
        """Of numbers that are no lanes'."""
        self.begins_again = False
        """Whether something is loaded from a row that begins again after a power of two, side by side only where gangs begin
        at multiples of their width."""
        self.extent = self.end = self.rest = ""

    def has_limits(self, start: str) -> bool:
        """Whether it is ``extent = end - start``, ``rest = extent & (width - 1)``, ``limit = end - rest``."""
        loop, definitions = self.loop, self.values.definitions
        limit = _LIMIT.find(loop.limit, definitions)
        rest = _REST.find(limit["rest"].value, definitions) if limit is not None else None
        if limit is None or rest is None or integers(*rest["last"]) != (loop.width - 1,):
            return False
        self.end, self.rest, self.extent = limit["end"].value, limit["rest"].value, rest["extent"].value
        if start == "0" and self.extent == self.end:
            return True
        length = _EXTENT.find(self.extent, definitions)
        return length is not None and (length["end"].value, length["start"].value) == (self.end, start)

    def is_shiftable(self, by_gangs: bool = False, carries: bool = False) -> bool:
        """Whether which lane does an element makes no difference, and scalar loads give the same all the time; ``by_gangs``:
        all gangs will begin at multiples of their width; ``carries``: apart from what goes from one gang to the next."""
        if self.loop.carried and not carries:
            return False
        if not all(self._is_free(at, each) for at, each in enumerate(self.loop.body.instructions)):
            return False
        if self.begins_again and not by_gangs:
            return False
        inside = {each.name for each in (*self.loop.body.instructions, *self.loop.carried)}
        given = {each.value for made in self.loop.body.instructions for each in made.operands if lanes_of(each.type)}
        if not all(self._is_same(name) for name in given - inside):
            return False
        stores = [each for each in self.accesses if each.is_store]
        return not any(self.effects.may_touch(load, each.memory) for load in self.loads for each in stores)

    def pairs(self) -> Iterator[tuple[Access, Access]]:
        """Each store with each other access."""
        for one in self.accesses:
            if one.is_store:
                yield from ((one, other) for other in self.accesses if one is not other)

    def may_do_twice(self, where_far: bool = False) -> bool:
        """Whether an element that is done once more is as it was: no load touches what is stored in a gang's length from
        it, and stores are to different objects, to the same places in the same order, or to different members of structs;
        ``where_far``: if the :attr:`distances` are those of a gang or more.
        """
        for store, other in self.pairs():
            if not self._may_repeat(store, other) and not (where_far and distance(self.loop, store, other) is not None):
                return False
        return True

    def _may_repeat(self, store: Access, other: Access) -> bool:
        """Whether both done once more leave what the first time left, as far as it is known before the loop runs."""
        return self.apart(store, other) or self.far(store, other) or (other.is_store and self._in_order(store, other))

    @cached_property
    def distances(self) -> list[Distance]:
        """Of stores and what they may touch as well. Where these are a gang or more, none of the last gang's elements touches
        what another stores: done again each loads what it loaded, and the last of two stores is the last one again."""
        found = [distance(self.loop, *each) for each in self.pairs() if not self._may_repeat(*each)]
        return list(dict.fromkeys(each for each in found if each is not None))

    def _in_order(self, one: Access, other: Access) -> bool:
        return self.same_place(one, other) or self.between(one, other)

    def perhaps_the_same(self) -> list[tuple[str, str]]:
        """Parameters through which is stored and loaded. They are different objects (language 5.5), but a call with one array
        for both is taken where each element is read and written once, in this order."""
        parameters = {each.name for each in self.loop.function.parameters}
        pairs = {(store.memory.root, other.memory.root) for store, other in self.pairs() if not other.is_store}
        return sorted(pair for pair in pairs if pair[0] != pair[1] and parameters.issuperset(pair))

    @staticmethod
    def same_place(one: Access, other: Access) -> bool:
        """Whether each lane touches the same place by both."""
        if one.address is None or other.address is None:
            return False
        return (one.address.key, one.address.offsets) == (other.address.key, other.address.offsets)

    def between(self, one: Access, other: Access) -> bool:
        """Whether no element of one is touched by any of the other: both go on at one stride, each in the gaps of the other."""
        if not (self.loop.is_even(one) and self.loop.is_even(other)):
            return False
        assert one.address is not None and other.address is not None
        stride = abs(one.address.offsets[1] - one.address.offsets[0])
        if one.address.key != other.address.key or stride != abs(other.address.offsets[1] - other.address.offsets[0]):
            return False
        ahead = (other.address.offsets[0] - one.address.offsets[0]) % stride
        return one.size <= ahead <= stride - other.size

    def far(self, one: Access, other: Access) -> bool:
        """Whether they are known to be at least a gang from each other, which no lane's number changes."""
        steps = constant_distance(self.loop, one, other)
        return steps is not None and abs(steps) >= self.loop.width * abs(one.offsets[1] - one.offsets[0])

    def apart(self, one: Access, other: Access) -> bool:
        """Whether they are of different objects."""
        return one.memory.root != other.memory.root and not self.effects.may_overlap(one.memory, other.memory)

    def body_at(self, position: str, fresh: Callable[[str], str], masked: str = "") -> list[Instruction]:
        """One gang that begins at ``position``; its stores, if all lanes were on, under the mask ``masked``."""
        names, made = {self.loop.counter: position}, []
        stores = {id(each.instruction) for each in self.accesses if each.is_store}
        for instruction in self.loop.body.instructions:
            if instruction.is_terminator or instruction.name == self.loop.following or instruction.op.startswith("#"):
                continue
            text = instruction.text
            if masked and id(instruction) in stores:
                whole = f"<{self.loop.width} x i1> {instruction.operands[-1].value}"
                text = text.replace(whole, f"<{self.loop.width} x i1> {masked}")
            copy = Instruction(text)
            copy.rename(names)
            if instruction.name:
                names[instruction.name] = fresh("of.gang")
                copy.text = copy.text.replace(instruction.name, names[instruction.name], 1)
            made.append(copy)
        return made

    def _is_free(self, position: int, instruction: Instruction) -> bool:
        """Whether an instruction is one of each lane by itself, with the lane's index for all that differs."""
        op, loop = instruction.op, self.loop
        if op.startswith("#") or instruction.is_terminator or instruction.name == loop.following:
            return True
        if instruction.parts.unknown:
            return False
        lanes = lanes_of(instruction.type)
        if op == "call":
            operation = pseudo_operation(instruction)
            if operation not in ("gather", "scatter"):
                return scalar_callee(instruction.parts.callee) is not None and self._is_even(instruction.operands)
            access = read_access(position, instruction, operation, self.values)
            self.accesses.append(access)
            return self._goes_on(access) and self._is_even(instruction.operands)
        if op == "insertelement":
            # The beginning of a splat.
            return instruction.operands[0].value == "poison" and instruction.operands[1].value != loop.following
        if op == "shufflevector":
            return scalar_of_splat(instruction.name, self.values.definitions) is not None
        operands = {lanes_of(each.type) for each in instruction.operands}
        if not lanes:
            if op == "load":
                self.loads.append(instruction)
            return (op in PLAIN or op == "load") and operands <= {0} and loop.counter not in instruction.names_used()
        if lanes != loop.width or op not in PLAIN or not operands <= {0, lanes}:
            return False
        return self._is_even(instruction.operands) or self._is_index(instruction)

    def _is_same(self, value: str) -> bool:
        """Whether a vector from outside has the same in every lane, as far as what it is made of shows."""
        if value[0] != "%" or scalar_of_splat(value, self.values.definitions) is not None:
            return True
        made = self.values.definitions.get(value)
        if made is None or not (made.op in PLAIN or made.op == "shufflevector"):
            return False
        return all(self._is_same(each.value) and self._is_even([each]) for each in made.operands if lanes_of(each.type))

    def _is_even(self, operands: list[Operand]) -> bool:
        """Whether no operand is a constant that differs between lanes."""
        return not any(each.value.startswith("<") for each in operands)

    def _is_index(self, instruction: Instruction) -> bool:
        """The counter and the lane's number."""
        if instruction.op != "add":
            return False
        first, second = instruction.operands
        scalar = scalar_of_splat(first.value, self.values.definitions)
        numbers = integers(second.type, second.value)
        return scalar is not None and scalar.value == self.loop.counter and numbers == tuple(range(self.loop.width))

    def _goes_on(self, access: Access) -> bool:
        """Whether the lanes touch elements at a stride by the counter, load one that is the same in each iteration, or one from
        where what they computed leads each of them."""
        if access.lanes != self.loop.width:
            return False
        if access.address is None:
            return not access.is_store
        terms = access.address.terms
        if self.loop.is_cyclic(access):
            self.begins_again = True
            return True
        if any(root(symbol) in self.counting - {self.loop.counter} for symbol in terms):
            return False
        if any(root(symbol) == self.loop.counter for symbol in terms):
            return self.loop.is_even(access)
        return access.is_uniform and not access.is_store
