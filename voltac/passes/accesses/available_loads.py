"""What is known to be in memory at consecutive or equal addresses, so that a load of it can be dropped.

LLVM merges equal loads, but a load under a mask is not equal to the load of all
lanes that went before it, nor does LLVM see through masked stores. Here what a
load gave and what a store wrote is kept as layers, the newest last, each with the
mask of the lanes it holds for. Knowledge goes from a block to one that has no
other predecessor, until something may write the memory.
"""

from __future__ import annotations

from voltac.ir import match as m
from voltac.ir.constants import is_all_true
from voltac.ir.lane_values import LaneValues
from voltac.ir.model import Instruction
from voltac.passes.accesses.access import Access, Touched
from voltac.passes.facts.effects import FunctionEffects
from voltac.records import mutable_record, record

_DEPTH = 12
"""Conjunctions are followed this far."""
_MOST_LAYERS = 4
_MOST_KNOWN = 32
"""Places; the one that was touched first is forgotten first."""
_INVERSE = m.op("xor", m.value("mask"), m.all_ones())
BOTH = m.one_of(m.op("and", m.value("one"), m.value("other")), m.op("select", m.value("one"), m.value("other"), m.number(0)))
"""A mask that is on where two are."""
_CHANGED_FORM = m.one_of(m.op(("sext", "freeze"), m.value("mask")), m.negative(m.value("mask")))


@record
class Layer:
    """A value that lies in memory for the lanes of a mask, above what was there before."""

    mask: str
    value: str


@record
class Known:
    """Contents of the memory of one access; only the first layer may be of a load."""

    layers: tuple[Layer, ...]
    memory: Touched


@mutable_record
class AvailableLoads:
    """The state at one point of a function."""

    effects: FunctionEffects
    values: LaneValues
    contents: dict[object, Known]

    def copy(self) -> AvailableLoads:
        """For a branch that may learn more."""
        return AvailableLoads(self.effects, self.values, dict(self.contents))

    def find(self, access: Access) -> tuple[Layer, ...]:
        """Layers that make up what a load would give, the first for all its lanes; else the load is known from now on."""
        key = access_key(access)
        known = self.contents.get(key)
        if known is not None:
            needed: list[Layer] = []
            for layer in reversed(known.layers):
                if masks_exclude(access.mask, layer.mask, self.values):
                    continue
                needed.append(layer)
                if mask_implies(access.mask, layer.mask, self.values):
                    return tuple(reversed(needed))
        self._remember(key, Known((Layer(access.mask, access.instruction.name),), access.memory))
        return ()

    def _remember(self, key: object, known: Known) -> None:
        self.contents.pop(key, None)
        if len(self.contents) >= _MOST_KNOWN:
            del self.contents[next(iter(self.contents))]
        self.contents[key] = known

    def pass_by(self, instruction: Instruction, access: Access | None) -> None:
        """Forget what the instruction may overwrite; a store of a regular access is remembered."""
        if access is not None and not access.is_store:
            return
        own: object = None
        if access is not None:
            written = access.memory
            if access.address is not None and not access.is_uniform and len(set(access.offsets)) == access.lanes:
                own = access_key(access)
            gone = [
                key for key, known in self.contents.items() if key != own and self.effects.may_overlap(written, known.memory)
            ]
        else:
            gone = [key for key, known in self.contents.items() if self.effects.may_write(instruction, known.memory)]
        for key in gone:
            del self.contents[key]
        if access is not None and own is not None:
            before = self.contents.get(own)
            layers = before.layers if before is not None and not access.all_on else ()
            layer = Layer(access.mask, access.value)
            self._remember(own, Known((*layers, layer)[-_MOST_LAYERS:], access.memory))


def access_key(access: Access) -> object:
    """Equal for accesses of the same memory by the same lanes."""
    if access.address is None:
        return access.pointers.value, access.vector
    return access.address.key, access.offsets, access.vector


def masks_exclude(first: str, second: str, values: LaneValues) -> bool:
    """Whether certainly no lane is on in both masks: one implies the inverse of what the other implies."""
    positive, negative = conjuncts(first, values), conjuncts(second, values)
    return any(value in negative and negative[value] != sense for value, sense in positive.items())


def conjuncts(mask: str, values: LaneValues, depth: int = _DEPTH) -> dict[str, bool]:
    """What is true (or false) in each lane that is on."""
    if depth == 0 or is_all_true(mask):
        return {}
    mask = root_mask(mask, values)
    found = {mask: True}
    if inverted := inverse(mask, values):
        found[root_mask(inverted, values)] = False
    elif both := BOTH.find(mask, values.definitions):
        for side in both.values():
            found.update(conjuncts(side.value, values, depth - 1))
    return found


def mask_implies(narrow: str, wide: str, values: LaneValues, depth: int = _DEPTH) -> bool:
    """Whether every lane that is on in one mask is certainly on in the other."""
    if is_all_true(wide) or _implies(narrow, wide, values, _DEPTH):
        return True
    both = BOTH.find(root_mask(wide, values), values.definitions) if depth else None
    return both is not None and all(mask_implies(narrow, side.value, values, depth - 1) for side in both.values())


def _implies(narrow: str, wide: str, values: LaneValues, depth: int) -> bool:
    """Whether one mask is a conjunction with the other in it."""
    narrow, wide = root_mask(narrow, values), root_mask(wide, values)
    if narrow == wide or is_all_true(wide):
        return True
    both = BOTH.find(narrow, values.definitions) if depth else None
    return both is not None and any(_implies(side.value, wide, values, depth - 1) for side in both.values())


def inverse(mask: str, values: LaneValues) -> str:
    """The mask of which this one is the inverse as written, or an empty string."""
    found = _INVERSE.find(mask, values.definitions)
    return found["mask"].value if found else ""


def root_mask(mask: str, values: LaneValues) -> str:
    """A mask without its changes of form: the sign bits of integers, their extension, freezing."""
    while changed := _CHANGED_FORM.find(mask, values.definitions):
        mask = changed["mask"].value
    return mask
