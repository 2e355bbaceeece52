"""Counted loops in which each lane stores to a row of its own, and what an iteration does is of that iteration alone.

for (uniform int j = k; j < n; j++)  a[i * n + j] -= l * a[k * n + j];       lanes are rows, i
"""

from __future__ import annotations

from voltac.ir import match as m
from voltac.ir.constants import integers
from voltac.ir.lane_values import LaneValues
from voltac.ir.match import made_by, scalar_of_splat
from voltac.ir.model import Instruction
from voltac.ir.parts import LANEWISE_INTRINSICS, Operand
from voltac.ir.types import element_of, integer_bits, lanes_of
from voltac.passes.accesses.access import Access, pseudo_operation, read_access
from voltac.passes.facts.effects import FunctionEffects, ModuleEffects
from voltac.passes.loops.counted_loops import CountedLoop, IterationSteps
from voltac.passes.loops.lane_loops import PLAIN
from voltac.passes.loops.roots import Roots
from voltac.records import record
from voltac.system.lazy_patterns import lazy_pattern

_MOST_INSTRUCTIONS = 60
"""Of a loop, which stands three times more then. Chosen, not measured."""
_LEAST_APART = 8
"""Elements between rows that are a known number of them apart: what lies nearer is a struct for each lane, and better loaded
whole. Chosen: a register of floats."""
_FLOATS = {"half": 16, "bfloat": 16, "float": 32, "double": 64}
_INTRINSIC = lazy_pattern(r"@llvm\.(\w+?)((?:\.sat)?)\.(?:v\d+)?([a-z]+\d+)")
_PRODUCT = m.op("mul", m.value("one"), m.value("other"), flag="nsw")


def bits_of(element: str) -> int:
    """Of an integer or a float; 0 for other types."""
    return integer_bits(element) or _FLOATS.get(element, 0)


def intrinsic_of(callee: str) -> tuple[str, str] | None:
    """``@llvm.smax.v8i32`` and ``@llvm.smax.i32`` -> ``@llvm.smax``, ``i32``; None for what is none of each lane by itself."""
    found = _INTRINSIC.fullmatch(callee)
    return (f"@llvm.{found[1]}{found[2]}", found[3]) if found is not None and found[1] in LANEWISE_INTRINSICS else None


@record
class Along:
    """What is loaded for each lane at an address of its own, or for all at one."""

    instruction: Instruction
    pointers: Operand
    element: str
    moves: bool
    """From one iteration to the next by an element; else it stays."""
    is_late: bool
    """A store of the same iteration comes before it."""


class RowLoop:
    """One loop; what is to be known of it after :meth:`fits`."""

    def __init__(self, loop: CountedLoop, known: FunctionEffects, effects: ModuleEffects, values: LaneValues) -> None:
        self.loop = loop
        self.known = known
        self.effects = effects
        self.values = values
        self.stores: list[Access] = []
        self.loads: dict[str, Along] = {}
        """By name; of what is stored."""
        self.computed: set[str] = set()
        """Names of all else that is."""
        self.outside: dict[str, Operand] = {}
        """What that takes from before the loop."""
        self.asked: list[Along] = []
        """Loads for all lanes that may be of a row, for all that is known here."""
        self._roots = Roots(loop, known, values)
        self._steps = IterationSteps(loop, values.definitions, values.layout)

    @property
    def lanes(self) -> int:
        """Of the gang."""
        return self.stores[0].lanes

    @property
    def widest(self) -> int:
        """Bits of the largest element."""
        definitions = self.values.definitions
        types = {element_of(definitions[name].type) for name in self.computed} | {each.element for each in self.stores}
        return max(bits_of(each) for each in types)

    def fits(self) -> bool:
        """Whether lanes may do all their iterations one lane after the other, if their rows do not meet."""
        instructions = [*self.loop.header.instructions, *self.loop.body.instructions]
        if len(instructions) > _MOST_INSTRUCTIONS or len(list(self.loop.header.phis())) > 1:
            return False
        for instruction in instructions:
            if pseudo_operation(instruction) == "scatter":
                self.stores.append(read_access(0, instruction, "scatter", self.values))
            elif not self._is_harmless(instruction):
                return False
        return all(map(self._is_row, self.stores)) and all(self._take_stored(each) for each in self.stores) and self._is_apart()

    def _is_harmless(self, instruction: Instruction) -> bool:
        if instruction.op == "load":
            return not instruction.parts.ordering and "volatile" not in instruction.parts.flags
        if instruction.op == "call":
            return self.effects.effect(instruction.parts.callee) in ("none", "read")
        return instruction.op not in ("store", "atomicrmw", "cmpxchg", "fence")

    def _is_row(self, access: Access) -> bool:
        first = self.stores[0]
        if access.lanes < 2 or access.lanes != first.lanes or access.mask != first.mask or access.mask in self.loop.inside:
            return False
        if not bits_of(access.element) or self._steps.of(access.pointers) != access.size:
            return False
        if access.address is None:
            return True
        near = min(abs(after - before) for before, after in zip(access.offsets, access.offsets[1:]))
        return near >= _LEAST_APART * access.size

    def _take_stored(self, access: Access) -> bool:
        return self._take(access.instruction.operands[0])

    def _take(self, operand: Operand) -> bool:
        """Note what a value is made of; False if it can not be made for iterations side by side."""
        name, loop = operand.value, self.loop
        if name not in loop.inside:
            if name[0] in "%<":
                self.outside[name] = operand
            return bits_of(element_of(operand.type)) > 0 and lanes_of(operand.type) in (0, self.lanes)
        if name in self.computed or name in self.loads:
            return True
        made = self.values.definitions[name]
        if not bits_of(element_of(made.type)) or lanes_of(made.type) not in (0, self.lanes):
            return False
        scalar = scalar_of_splat(name, self.values.definitions)
        if scalar is not None:
            return self._take(scalar)
        if made.op == "load" or pseudo_operation(made) == "gather":
            return self._take_load(made)
        self.computed.add(name)
        if made.op == "phi":
            return made is loop.counter
        if made.op == "call":
            operands = [each for each in made.operands if each.type != "i1"]
            flags = [each for each in made.operands if each.type == "i1"]
            if intrinsic_of(made.parts.callee) is None or any(each.value not in ("true", "false") for each in flags):
                return False
        else:
            operands = made.operands
            if made.op not in PLAIN or made.op == "getelementptr" or made.parts.unknown:
                return False
        if not lanes_of(made.type) and any(lanes_of(each.type) for each in operands):
            return False
        return all(map(self._take, operands))

    def _take_load(self, made: Instruction) -> bool:
        pointers = made.operands[0]
        element, gathers = element_of(made.type), made.op != "load"
        if lanes_of(made.type) != (self.lanes if gathers else 0):
            return False
        if gathers and made.operands[-1].value != self.stores[0].mask:
            return False
        step = self._steps.of(pointers)
        if step not in (0, self.values.layout.size(element)):
            return False
        body = self.loop.body.instructions
        first = next(at for at, each in enumerate(body) if each is self.stores[0].instruction)
        self.loads[made.name] = Along(made, pointers, element, step != 0, any(each is made for each in body[first:]))
        return True

    def _is_apart(self) -> bool:
        """Whether no access meets a row of another one, but at the same place, or where that can be asked before the loop."""
        roots = {each.pointers.value: self._roots.of(each.pointers) for each in self.stores}
        if not all(roots.values()):
            return False
        if any(self._roots.may_meet(one, other) for at, one in roots.items() for to, other in roots.items() if at != to):
            return False
        for load in self.loads.values():
            root = self._roots.of(load.pointers)
            meets = [at for at, other in roots.items() if not root or self._roots.may_meet(root, other)]
            if load.pointers.value in roots:
                if meets != [load.pointers.value] or not load.moves:
                    return False
            elif meets and load.moves and not lanes_of(load.pointers.type):
                self.asked.append(load)
            elif meets:
                return False
        return True

    def stride(self, pointers: Operand) -> Operand | None:
        """Elements between the rows of lanes that are one behind the other, at least; a scalar. None where it is not seen."""
        definitions, values = self.values.definitions, self.values
        made = made_by(("getelementptr",), pointers.value, definitions)
        if made is None or len(made.operands) != 2 or lanes_of(made.operands[0].type):
            return None
        index = made.operands[1]
        extended = made_by(("sext",), index.value, definitions)
        apart = [
            each for each in self._terms(extended.operands[0] if extended is not None else index) if not values.is_uniform(each)
        ]
        product = _PRODUCT.find(apart[0].value, definitions) if len(apart) == 1 else None
        if product is None:
            return None
        sides = [product["one"], product["other"]]
        place = next((values.of(each) for each in sides if not values.is_uniform(each)), None)
        factor = next((each for each in sides if values.is_uniform(each)), None)
        if place is None or factor is None or any(after <= before for before, after in zip(place.offsets, place.offsets[1:])):
            return None
        numbers = integers(factor.type, factor.value) if factor.value[0] != "%" else None
        if numbers is not None:
            return Operand(element_of(factor.type), str(numbers[0]))
        return scalar_of_splat(factor.value, definitions)

    def _terms(self, operand: Operand) -> list[Operand]:
        """Of a sum that does not wrap."""
        made = made_by(("add",), operand.value, self.values.definitions)
        if made is None or "nsw" not in made.parts.flags:
            return [operand]
        return [term for each in made.operands for term in self._terms(each)]
