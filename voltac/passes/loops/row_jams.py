"""What there is to know of loops around gangs of which four iterations may be done side by side.

Rows are what each lane stores to, or loads, an element of in each iteration; lines are what a gang stores to at a time.
"""

from __future__ import annotations

from functools import cached_property

from voltac.ir import match as m
from voltac.ir.cfg import ControlFlow
from voltac.ir.constants import integers
from voltac.ir.lane_values import LaneValues
from voltac.ir.match import made_by, scalar_of_splat
from voltac.ir.model import Block, Instruction
from voltac.ir.parts import BINARY, CASTS, FLOAT_BINARY, Operand
from voltac.ir.types import lanes_of
from voltac.passes.accesses.access import Access, is_divisor, pseudo_operation, read_access
from voltac.passes.accesses.lane_rows import ROW_BYTES, ROW_SIZES
from voltac.passes.facts.effects import FunctionEffects, ModuleEffects
from voltac.passes.loops.counted_loops import CountedLoop, IterationSteps
from voltac.passes.loops.gang_loops import GangLoop
from voltac.passes.loops.iteration_blocks import ITERATIONS
from voltac.passes.loops.roots import Roots
from voltac.passes.loops.shiftable import ShiftableLoop
from voltac.records import record

MOST_INSTRUCTIONS = 180
"""Of a loop, most of which stand four times then. Chosen, not measured."""
_MOST_VECTORS = 40
"""That differ between iterations, in one block: four of each are kept in registers for a while. Chosen, not measured."""
_MOST_LANES = 32
"""Each lane's row has a register of its own, as far as there are some."""
_COMPUTED = frozenset(
    (
        *(*BINARY, *FLOAT_BINARY, *CASTS, "fneg", "icmp", "fcmp", "select", "freeze"),
        *("getelementptr", "insertelement", "shufflevector", "extractelement"),
    )
)
_PRODUCT = m.op("mul", m.value("one"), m.value("other"), flag="nsw")
_POSITION = m.call("@llvm.smax.", m.value("limit"), m.value("start"))
_LAST = m.op("sub", m.value("end"), m.constant("width"), flag="nsw")


@record
class StoredRow:
    """A store of each lane to the next element of its row: at ``base + (place * stride + what is the same in all lanes)``."""

    access: Access
    block: str
    place: Operand
    stride: Operand
    """Elements between the rows of places that are one apart; a scalar."""
    descends: bool
    """The next iteration's element is the one before in memory."""
    key: tuple[str, ...]
    """Equal for stores whose rows may only meet where their places are equal."""


@record
class StoredLine:
    """A store of a gang to elements behind each other, of lines that iterations step over:
    at ``base + (counter * stride + index + what is the same in all iterations)``, the index that of the loop over gangs."""

    stride: Operand
    """Elements between the lines of iterations; a scalar."""
    key: tuple[str, ...]
    """As that of a row."""


class RowJam:
    """What there is to know of a loop of which four iterations may be done side by side."""

    def __init__(self, loop: CountedLoop, flow: ControlFlow, effects: ModuleEffects, values: LaneValues) -> None:
        self.loop = loop
        self.known = FunctionEffects(effects, loop.function, values)
        self.effects = effects
        self.values = values
        self.varying = self._varying()
        """What differs between iterations."""
        self.steps = IterationSteps(loop, values.definitions, values.layout, self.varying)
        self.flow = flow
        self.rows: dict[int, StoredRow] = {}
        """By the identity of the store."""
        self.lines: list[StoredLine] = []
        self.loads: dict[int, tuple[Access, bool]] = {}
        """Of rows, by the identity of the load, and whether the next iteration's element is the one before in memory."""
        self._roots = Roots(loop, self.known, values)
        self._read: list[str] = []
        """Pointers that what is loaded is counted from."""

    @property
    def carries(self) -> bool:
        """Whether an iteration goes on with what the one before computed, so that they are done one after the other."""
        return len(list(self.loop.header.phis())) > 1

    def _varying(self) -> set[str]:
        found = {phi.name for phi in self.loop.header.phis()}
        instructions = [each for block in (self.loop.header, *self.loop.blocks) for each in block.instructions if each.name]
        size = 0
        while size != len(found):
            size = len(found)
            found.update(each.name for each in instructions if not found.isdisjoint(each.names_used()))
        return found

    def gains(self) -> bool:
        """Whether the loop stores rows, and nothing in memory needs the order of iterations."""
        blocks = self.loop.blocks
        if self.carries and len(blocks) > 1:
            return False
        for block in blocks:
            if not all(self._is_fit(each, block) for each in block.instructions):
                return False
            if sum(each.name in self.varying and lanes_of(each.type) > 0 for each in block.instructions) > _MOST_VECTORS:
                return False
        if not self.rows and not (self.lines and self.loads):
            return False
        if self.carries and (self.lines or any(descends for _, descends in self.loads.values())):
            # The place of the last iteration's element may not be known when the first one is done.
            return False
        written: dict[str, tuple[str, ...]] = {}
        keys = [*(row.key for row in self.rows.values()), *(line.key for line in self.lines)]
        if any(written.setdefault(key[0], key) != key for key in keys):
            return False
        read = set(self._read)
        return read.isdisjoint(written) and not any(
            self._roots.may_meet(root, other) for root in written for other in (*read, *written) if other != root
        )

    def _is_fit(self, instruction: Instruction, block: Block) -> bool:
        op = instruction.op
        depends = not self.varying.isdisjoint(instruction.names_used())
        if op[0] == "#":
            return True
        if op in ("phi", "br"):
            return not depends
        if op == "load":
            plain = not instruction.parts.ordering and "volatile" not in instruction.parts.flags
            return plain and self._reads(instruction.operands[0])
        if op != "call":
            return op in _COMPUTED
        operation = pseudo_operation(instruction)
        if operation == "gather":
            self._note_row(instruction)
            return self._reads(instruction.operands[0])
        if operation == "scatter":
            access = read_access(0, instruction, "scatter", self.values)
            if access.is_consecutive:
                line = self._line(access)
                self.lines += [] if line is None else [line]
                return line is not None
            row = self._row(access, block)
            if row is not None:
                self.rows[id(instruction)] = row
            return row is not None
        return is_divisor(instruction) or self.effects.effect(instruction.parts.callee) == "none"

    def _reads(self, pointers: Operand) -> bool:
        root = self._roots.of(pointers)
        self._read.append(root)
        return bool(root)

    def _has_rows(self, access: Access) -> bool:
        fits = access.size in ROW_SIZES and access.lanes <= _MOST_LANES
        return fits and access.lanes % (ROW_BYTES // max(4, access.size)) == 0 and access.mask not in self.varying

    def _note_row(self, instruction: Instruction) -> None:
        access = read_access(0, instruction, "gather", self.values)
        if not self._has_rows(access) or access.is_consecutive or access.is_uniform:
            return
        if access.address is not None:
            # Rows that lie close are better loaded whole, by what resolves accesses.
            near = min(abs(after - before) for before, after in zip(access.offsets, access.offsets[1:]))
            if near < ITERATIONS * access.size:
                return
        step = self.steps.of(access.pointers)
        if step is not None and abs(step) == access.size:
            self.loads[id(instruction)] = access, step < 0

    @cached_property
    def gangs(self) -> ShiftableLoop | None:
        """The one loop in this, if that is over gangs and ends where it says, for lines that are the same in all iterations."""
        inner = [each for each in self.flow.loops if each.header in {block.name for block in self.loop.blocks}]
        if len(inner) != 1:
            return None
        gang = GangLoop.of(self.loop.function, inner[0], self.flow, self.values, MOST_INSTRUCTIONS)
        found = None if gang is None else ShiftableLoop(gang, self.values, self.known)
        if found is None or not found.has_limits(found.loop.start):
            return None
        ends = (Operand("i32", found.loop.start), Operand("i32", found.end))
        return None if any(self.loop.varying_in(each, self.values.definitions) for each in ends) else found

    def _line(self, access: Access) -> StoredLine | None:
        definitions = self.values.definitions
        made = made_by(("getelementptr",), access.pointers.value, definitions)
        if self.gangs is None or access.mask in self.varying or made is None or len(made.operands) != 2:
            return None
        base, index = made.operands
        if (
            lanes_of(base.type)
            or base.value in self.loop.inside
            or self.values.layout.size(made.parts.element_type) != access.size
        ):
            return None
        extended = made_by(("sext",), index.value, definitions)
        terms = self._scalar_terms(extended.operands[0] if extended is not None else index)
        lanes = [each for each in terms if not self.values.is_uniform(each)]
        steps = [each for each in terms if each.value in self.varying]
        index_terms = [each for each in terms if self._is_index(each)]
        if len(lanes) != 1 or len(steps) != 1 or len(index_terms) != 1:
            return None
        if integers(*lanes[0]) != tuple(range(access.lanes)):
            return None
        product = _PRODUCT.find(steps[0].value, definitions)
        sides = [] if product is None else [product["one"], product["other"]]
        factor = next((each for each in sides if each.value not in self.varying), None)
        stride = self._scalar(factor) if factor is not None else None
        if stride is None or self.loop.varying_in(stride, definitions):
            return None
        if not any(each is not factor and self.steps.of(each) in (1, -1) for each in sides):
            return None
        known = (lanes[0], steps[0], index_terms[0])
        same = sorted(self._text(each) for each in terms if not any(each is other for other in known))
        return StoredLine(stride, (base.value, self._text(stride), "line", *same))

    def _is_index(self, scalar: Operand) -> bool:
        """Whether it is the index of the loop over gangs, or that of the last gang or of what is left over."""
        gangs, definitions = self.gangs, self.values.definitions
        if gangs is None or scalar.value == gangs.loop.counter:
            return gangs is not None
        last = _LAST.find(scalar.value, definitions)
        if last is not None and last["end"].value == gangs.end and integers(*last["width"]) == (gangs.loop.width,):
            return True
        position = _POSITION.find(scalar.value, definitions)
        return position is not None and {each.value for each in position.values()} == {gangs.loop.limit, gangs.loop.start}

    def _scalar_terms(self, operand: Operand) -> list[Operand]:
        """Of a sum that does not wrap, those that are the same in all lanes as scalars."""
        found: list[Operand] = []
        for term in self._terms(operand):
            scalar = scalar_of_splat(term.value, self.values.definitions)
            found += [term] if scalar is None else self._scalar_terms(scalar)
        return found

    def _row(self, access: Access, block: Block) -> StoredRow | None:
        if not self._has_rows(access):
            return None
        definitions = self.values.definitions
        steps = self.steps
        made = made_by(("getelementptr",), access.pointers.value, definitions)
        if made is None or len(made.operands) != 2 or lanes_of(made.operands[0].type):
            return None
        base, index = made.operands
        step = steps.of(access.pointers)
        if step is None or abs(step) != access.size or self.values.layout.size(made.parts.element_type) != access.size:
            return None
        extended = made_by(("sext",), index.value, definitions)
        terms = self._terms(extended.operands[0] if extended is not None else index)
        apart = [each for each in terms if not self.values.is_uniform(each)]
        product = _PRODUCT.find(apart[0].value, definitions) if len(apart) == 1 else None
        if product is None or base.value in self.loop.inside:
            return None
        sides = [product["one"], product["other"]]
        place = next((each for each in sides if not self.values.is_uniform(each) and each.value not in self.varying), None)
        factor = next((each for each in sides if self.values.is_uniform(each)), None)
        stride = self._scalar(factor) if factor is not None else None
        if place is None or stride is None or self.loop.varying_in(stride, definitions) or not self._is_apart(stride):
            return None
        same = sorted(self._text(each) for each in terms if each is not apart[0])
        return StoredRow(access, block.name, place, stride, step < 0, (base.value, self._text(stride), str(step), *same))

    def _terms(self, operand: Operand) -> list[Operand]:
        """Of a sum that does not wrap."""
        made = made_by(("add",), operand.value, self.values.definitions)
        if made is None or "nsw" not in made.parts.flags:
            return [operand]
        return [term for each in made.operands for term in self._terms(each)]

    def _scalar(self, operand: Operand) -> Operand | None:
        if not lanes_of(operand.type):
            return operand
        numbers = integers(operand.type, operand.value) if operand.value[0] != "%" else None
        if numbers is not None:
            return Operand(operand.type.rpartition(" ")[2].rstrip(">"), str(numbers[0]))
        return scalar_of_splat(operand.value, self.values.definitions)

    def _is_apart(self, stride: Operand) -> bool:
        return stride.value[0] == "%" or abs(int(stride.value)) >= ITERATIONS

    def _text(self, uniform: Operand) -> str:
        found = self.values.of(uniform)
        return uniform.value if found is None else found.first().text()
