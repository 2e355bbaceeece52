"""Loops around gangs whose lanes each store the next element of a row of their own, or the one before -> four iterations at a
time, and a row of four elements by one store.

    for y:  foreach x:  a[x * height + y] = b[y * width + x]          a transpose: lanes are a row apart
    ->
    for y by 4:  foreach x:  %v0 .. %v3 = what is stored for y .. y + 3
                             store <4 x float> (elements of lane 0 of %v0 .. %v3), at lane 0 of a + x * height + y
                             ...                                                                of each lane
    then the loop over y for what is left

Everything that depends on y stands four times then, in place. So of one gang four iterations are done before the next gang:
nothing that is loaded may be stored to in the loop, and no two rows may meet within four elements, which the loop
asks before it begins: rows are a number of elements apart that is the same for all of them.
"""

from __future__ import annotations

from voltac.ir import match as m
from voltac.ir.cfg import control_flow
from voltac.ir.constants import integers
from voltac.ir.lane_values import LaneValues, lane_values
from voltac.ir.match import made_by, scalar_of_splat
from voltac.ir.model import Block, Function, Instruction, Module
from voltac.ir.parts import BINARY, CASTS, FLOAT_BINARY, Operand
from voltac.ir.types import lanes_of
from voltac.options import Options
from voltac.passes.accesses.access import (
    Access,
    AccessReport,
    SourcePlaces,
    Touched,
    is_divisor,
    locations,
    pseudo_operation,
    read_access,
)
from voltac.passes.accesses.cost_rows import has_halves
from voltac.passes.accesses.emit import Emitter, declare
from voltac.passes.accesses.lane_rows import INTERLEAVED_LANES, ROW_BYTES, ROW_SIZES, store_rows
from voltac.passes.facts.effects import FunctionEffects, ModuleEffects, module_effects
from voltac.passes.loops.copied_blocks import unquoted
from voltac.passes.loops.counted_loops import CountedLoop, IterationSteps
from voltac.passes.loops.iteration_blocks import ITERATIONS, IterationBlocks
from voltac.records import record
from voltac.target_info import TargetInfo

_MOST_INSTRUCTIONS = 120
"""Of a loop, most of which stand four times then. Chosen, not measured."""
_MOST_VECTORS = 40
"""That differ between iterations, in one block: four of each are kept in registers for a while. Chosen, not measured."""
_MOST_LANES = 32
_COMPUTED = frozenset(
    (
        *(*BINARY, *FLOAT_BINARY, *CASTS, "fneg", "icmp", "fcmp", "select", "freeze"),
        *("getelementptr", "insertelement", "shufflevector", "extractelement"),
    )
)
_PRODUCT = m.op("mul", m.value("one"), m.value("other"), flag="nsw")
_ANYWHERE = 1 << 62
"""Bytes: more than any two elements of an array are apart."""


def store_row_blocks(module: Module, options: Options) -> list[AccessReport]:
    """Rewrite the module; the reports are of the stores of rows."""
    reports: list[AccessReport] = []
    effects: ModuleEffects | None = None
    places: SourcePlaces | None = None
    emitters: list[Emitter] = []
    layout = module.layout(options.target.pointer_bits // 8)
    for function in module.often_called:
        if not any(pseudo_operation(each) == "scatter" for each in function.instructions()):
            continue
        looked_at: set[str] = set()
        while (found := _next_loop(function, looked_at)) is not None:
            effects = effects or module_effects(module)
            values = lane_values(function, layout)
            jam = _Jam(found, FunctionEffects(effects, function, values), effects, values)
            if jam.gains():
                emitter = Emitter(module, function, values)
                places = places or SourcePlaces(locations(module))
                reports += [_report(row, found, places) for row in jam.rows.values()]
                _Writer(jam, emitter, options.target).write()
                emitter.finish()
                emitters.append(emitter)
    declare(module, emitters)
    return reports


def _next_loop(function: Function, looked_at: set[str]) -> CountedLoop | None:
    """A counted loop that is not too long and has such stores in it; outer ones first."""
    flow = control_flow(function)
    definitions: dict[str, Instruction] = {}
    blocks = {block.name: block for block in function.blocks}
    for loop in flow.loops:
        if loop.header in looked_at:
            continue
        looked_at.add(loop.header)
        instructions = [each for name in loop.blocks for each in blocks[name].instructions]
        if len(instructions) > _MOST_INSTRUCTIONS or not any(pseudo_operation(each) == "scatter" for each in instructions):
            continue
        definitions = definitions or function.definitions()
        if (found := CountedLoop.of(function, loop, flow, definitions)) is not None:
            return found
    return None


def _report(row: _Row, loop: CountedLoop, places: SourcePlaces) -> AccessReport:
    access = row.access
    place = places.of(access.instruction)
    reason = f"one store a lane serves {ITERATIONS} iterations"
    inlined = places.inlined(access.instruction)
    name, block = loop.function.name, row.block
    return AccessReport("shuffled", "store", name, block, access.element, access.lanes, *place, reason, access.all_on, inlined)


@record
class _Row:
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


class _Jam:
    """What there is to know of a loop of which four iterations may be done side by side."""

    def __init__(self, loop: CountedLoop, known: FunctionEffects, effects: ModuleEffects, values: LaneValues) -> None:
        self.loop = loop
        self.known = known
        self.effects = effects
        self.values = values
        self.varying = self._varying()
        """What differs between iterations."""
        self.rows: dict[int, _Row] = {}
        """By the identity of the store."""
        self._read: list[str] = []
        """Pointers that what is loaded is counted from."""

    def _varying(self) -> set[str]:
        found = {self.loop.counter.name}
        instructions = [each for block in (self.loop.header, *self.loop.blocks) for each in block.instructions if each.name]
        size = 0
        while size != len(found):
            size = len(found)
            found.update(each.name for each in instructions if not found.isdisjoint(each.names_used()))
        return found

    def gains(self) -> bool:
        """Whether the loop stores rows, and nothing in it needs the order of iterations."""
        header, blocks = self.loop.header, self.loop.blocks
        if len(list(header.phis())) > 1:
            return False
        for block in blocks:
            if not all(self._is_fit(each, block) for each in block.instructions):
                return False
            if sum(each.name in self.varying and lanes_of(each.type) > 0 for each in block.instructions) > _MOST_VECTORS:
                return False
        if not self.rows:
            return False
        written: dict[str, tuple[str, ...]] = {}
        if any(written.setdefault(row.key[0], row.key) != row.key for row in self.rows.values()):
            return False
        read = set(self._read)
        return read.isdisjoint(written) and not any(
            self._may_meet(root, other) for root in written for other in (*read, *written) if other != root
        )

    def _may_meet(self, first: str, second: str) -> bool:
        whole = [Touched(self.values.symbol_of("ptr", root), -_ANYWHERE, _ANYWHERE, root) for root in (first, second)]
        return self.known.may_overlap(*whole)

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
            return self._reads(instruction.operands[0])
        if operation == "scatter":
            row = self._row(instruction, block)
            if row is not None:
                self.rows[id(instruction)] = row
            return row is not None
        return is_divisor(instruction) or self.effects.effect(instruction.parts.callee) == "none"

    def _reads(self, pointers: Operand) -> bool:
        root = self._root(pointers)
        self._read.append(root)
        return bool(root)

    def _root(self, pointers: Operand) -> str:
        """The scalar pointer that pointers are counted from; empty if there is no such one."""
        while (made := made_by(("getelementptr",), pointers.value, self.values.definitions)) is not None:
            pointers = made.operands[0]
        scalar = scalar_of_splat(pointers.value, self.values.definitions)
        root = scalar.value if scalar is not None else pointers.value if not lanes_of(pointers.type) else ""
        return root if root not in self.loop.inside else ""

    def _row(self, instruction: Instruction, block: Block) -> _Row | None:
        access = read_access(0, instruction, "scatter", self.values)
        if access.size not in ROW_SIZES or access.lanes > _MOST_LANES or access.lanes % (ROW_BYTES // max(4, access.size)):
            return None
        definitions = self.values.definitions
        steps = IterationSteps(self.loop, definitions, self.values.layout, self.varying)
        made = made_by(("getelementptr",), access.pointers.value, definitions)
        if access.mask in self.varying or made is None or len(made.operands) != 2 or lanes_of(made.operands[0].type):
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
        return _Row(access, block.name, place, stride, step < 0, (base.value, self._text(stride), str(step), *same))

    def _terms(self, operand: Operand) -> list[Operand]:
        """Of a sum that does not wrap."""
        made = made_by(("add",), operand.value, self.values.definitions)
        if made is None or "nsw" not in made.parts.flags:
            return [operand]
        return [term for each in made.operands for term in self._terms(each)]

    def _scalar(self, operand: Operand) -> Operand | None:
        numbers = integers(operand.type, operand.value) if operand.value[0] != "%" else None
        if numbers is not None:
            return Operand(operand.type.rpartition(" ")[2].rstrip(">"), str(numbers[0]))
        return scalar_of_splat(operand.value, self.values.definitions)

    def _is_apart(self, stride: Operand) -> bool:
        return stride.value[0] == "%" or abs(int(stride.value)) >= ITERATIONS

    def _text(self, uniform: Operand) -> str:
        found = self.values.of(uniform)
        return uniform.value if found is None else found.first().text()


class _Writer:
    """The new blocks of one loop."""

    def __init__(self, jam: _Jam, emit: Emitter, target: TargetInfo) -> None:
        self.halves = has_halves(target)
        self.jam = jam
        self.loop = jam.loop
        self.emit = emit
        names = [each.name for block in (jam.loop.header, *jam.loop.blocks) for each in block.instructions if each.name]
        labels = {f"%{block.name}": emit.fresh(f"{unquoted(block.name)}.rows") for block in jam.loop.blocks}
        once = labels | {name: emit.fresh("of.rows") for name in names if name not in jam.varying}
        self.labels = labels
        self.names = [once | {name: emit.fresh("of.row") for name in names if name in jam.varying} for _ in range(ITERATIONS)]
        """Of each of the four iterations: what the loop had -> what it has."""

    def write(self) -> None:
        """Put them before the loop."""
        loop, emit = self.loop, self.emit
        blocks = IterationBlocks(loop, emit)
        blocks.start(blocks.choice)
        strides = {row.stride.value: Operand(row.stride.type, blocks.before(row.stride)) for row in self.jam.rows.values()}
        blocks.write_choice([self._is_apart(each) for each in strides.values() if each.value[0] == "%"])
        blocks.start(blocks.begin)
        wide = {name: self._wide(stride) for name, stride in strides.items()}
        multiples = {
            (row.stride.value, step): self._multiple(wide[row.stride.value], step)
            for row in self.jam.rows.values()
            for step in self._steps(row)
        }
        emit.line(f"br label %{blocks.test}")
        blocks.write_test()
        blocks.start(blocks.body)
        counter = loop.counter
        for number, names in enumerate(self.names):
            names[f"%{loop.header.name}"] = f"%{blocks.body}"
            start = blocks.now[counter.name]
            names[counter.name] = emit.value("of.row", f"add nsw {counter.type} {start}, {number}") if number else start
        for instruction in loop.header.instructions[1:-1]:
            self._copy(instruction)
        emit.line(f"br label {self.labels[f'%{loop.header.terminator.parts.labels[0]}']}")
        for block in [*(each for each in loop.blocks if each is not loop.body), loop.body]:
            blocks.start(self.labels[f"%{block.name}"][1:])
            for instruction in block.instructions:
                if id(instruction) in self.jam.rows:
                    self._store(self.jam.rows[id(instruction)], multiples)
                elif block is not loop.body or not instruction.is_terminator:
                    self._copy(instruction)
        blocks.write_end()
        following = loop.arm(counter, loop.body.name)
        blocks.put_in_place({counter.name: self.names[-1][following]})

    def _is_apart(self, stride: Operand) -> str:
        """Whether rows are as many elements apart as iterations are done at a time, or more, in either direction."""
        emit, most = self.emit, ITERATIONS - 1
        moved = emit.value("apart", f"add {stride.type} {stride.value}, {most}")
        return emit.value("apart", f"icmp ugt {stride.type} {moved}, {2 * most}")

    def _copy(self, instruction: Instruction) -> None:
        if instruction.op[0] == "#":
            return
        depends = instruction.name in self.jam.varying or not self.jam.varying.isdisjoint(instruction.names_used())
        for names in self.names if depends else self.names[:1]:
            again = Instruction(instruction.text)
            again.rename(names)
            if instruction.name:
                again.text = again.text.replace(instruction.name, names[instruction.name], 1)
            self.emit.output.append(again)

    def _steps(self, row: _Row) -> list[int]:
        """From the place of lane 0 to those of the others; none where they are not known."""
        found = self.jam.values.of(row.place)
        return [] if found is None or not row.access.all_on else [each - found.offsets[0] for each in found.offsets]

    def _wide(self, stride: Operand) -> str:
        """As 64 bits."""
        if stride.type == "i64" or stride.value[0] != "%":
            return stride.value
        return self.emit.value("wide", f"sext {stride.type} {stride.value} to i64")

    def _multiple(self, stride: str, step: int) -> str:
        return self.emit.value("apart", f"mul i64 {stride}, {step}") if stride[0] == "%" else str(int(stride) * step)

    def _is_in_order(self, row: _Row, steps: list[int]) -> bool:
        """Whether rows of four elements fill two halves of registers one after the other."""
        return (
            self.halves
            and row.access.size == ROW_BYTES // ITERATIONS
            and row.stride.value == str(ITERATIONS)
            and steps == list(range(INTERLEAVED_LANES))
        )

    def _store(self, row: _Row, multiples: dict[tuple[str, int], str]) -> None:
        access, emit = row.access, self.emit
        attached = access.instruction.parts.metadata.get("dbg")
        emit.attachment = f", !dbg {attached}" if attached else ""
        iterations = self.names[::-1] if row.descends else self.names
        pointers = iterations[0][access.pointers.value]
        kind, element = access.pointers.type, access.element
        steps = self._steps(row)
        first = emit.value("row", f"extractelement {kind} {pointers}, i64 0") if steps else ""

        def places(number: int) -> list[str]:
            if steps:
                start = emit.value("row", f"getelementptr {element}, ptr {first}, i64 {number}") if number else first
                return [
                    emit.value("row", f"getelementptr {element}, ptr {start}, i64 {multiples[row.stride.value, step]}")
                    for step in steps
                ]
            moved = emit.value("rows", f"getelementptr {element}, {kind} {pointers}, i64 {number}") if number else pointers
            if not access.all_on:
                mask = self.names[0].get(access.mask, access.mask)
                moved = emit.safe_pointers(kind, moved, mask, emit.discard())
            return [emit.lane(kind, moved, lane) for lane in range(access.lanes)]

        columns = [names.get(access.value, access.value) for names in iterations]
        store_rows(columns, places, element, access.size, emit, self._is_in_order(row, steps))
        emit.attachment = ""
