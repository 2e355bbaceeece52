"""Loops in which each lane changes a row of its own -> one row after the other, with the lanes along it.

    for j:   %x = gather at p + lane * width + j                  lanes are a row apart: rows of matrices, eliminations
             scatter %x * %s, at p + lane * width + j
    ->
    for each lane that is on:
        for j by 8:   %x = load <8 x float>, ptr (lane of p + lane * width) + j
                      store %x * splat (lane of %s), to the same place
        then by 4, and one by one, what is left of the row
    then the loop as it was, for which nothing is left

(Loop interchange: Allen and Kennedy, Automatic Loop Interchange, 1984.) Each element sees the operations that it saw before,
with the same operands: no value goes from one iteration to the next, and before the loop is asked whether the rows of the lanes
are in order and as far apart as they are long, so that no two meet, and whether what is loaded for all lanes lies in none of
them, or is one, which is done last then. Where this does not hold the loop is done as it was. Rows of lanes that are off are
not touched.
"""

from __future__ import annotations

from voltac.ir.cfg import control_flow
from voltac.ir.constants import splatted
from voltac.ir.lane_values import LaneValues
from voltac.ir.match import scalar_of_splat
from voltac.ir.model import Instruction, Module
from voltac.ir.parts import Operand
from voltac.ir.types import element_of, lanes_of
from voltac.options import Options
from voltac.passes.accesses.access import AccessReport, SourcePlaces, locations, pseudo_operation
from voltac.passes.accesses.emit import Emitter, declare
from voltac.passes.facts.effects import FunctionEffects, ModuleEffects
from voltac.passes.loops.copied_blocks import unquoted
from voltac.passes.loops.counted_loops import CountedLoop
from voltac.passes.loops.iteration_blocks import IterationBlocks
from voltac.passes.loops.loop_hints import aligned, free_node
from voltac.passes.loops.row_loops import Along, RowLoop
from voltac.passes.loops.row_tests import RowTests, splat
from voltac.passes.loops.width_texts import of_width
from voltac.records import replace
from voltac.target_info import TargetInfo

_FEWEST, _MOST = 4, 32
"""Elements of a row at a time. Chosen: as many as the test before the loop asks for, and a register of bytes."""
_NEXT = 4
"""What is left of a row is done by so many elements at a time, of bytes by twice as many. Chosen, not measured."""


def do_rows_in_turn(module: Module, options: Options) -> list[AccessReport]:
    """Rewrite the module; the reports are of the stores."""
    reports: list[AccessReport] = []
    effects: ModuleEffects | None = None
    places: SourcePlaces | None = None
    emitters: list[Emitter] = []
    layout = module.layout(options.target.pointer_bits // 8)
    for function in module.often_called:
        if not any(pseudo_operation(each) == "scatter" for each in function.instructions()):
            continue
        flow = control_flow(function)
        blocks = {block.name: block for block in function.blocks}
        values: LaneValues | None = None
        for loop in flow.loops:
            inside = [each for name in loop.blocks for each in blocks[name].instructions]
            if len(loop.blocks) != _BLOCKS or not any(pseudo_operation(each) == "scatter" for each in inside):
                continue
            values = values or LaneValues(function, layout)
            found = CountedLoop.of(function, loop, flow, values.definitions)
            if found is None:
                continue
            effects = effects or ModuleEffects(module)
            rows = RowLoop(found, FunctionEffects(effects, function, values), effects, values)
            if rows.fits() and rows.lanes <= _MOST_LANES:
                emitter = Emitter(module, function, values)
                places = places or SourcePlaces(locations(module))
                reports += _reports(rows, places)
                _Writer(rows, emitter, options.target).write()
                emitters.append(emitter)
                values = None
    declare(module, emitters)
    return reports


_MOST_LANES = 32
"""So that there are two bits for each in a register."""
_BLOCKS = 2
"""Of a loop: its test, and the rest."""


def _reports(rows: RowLoop, places: SourcePlaces) -> list[AccessReport]:
    reason = "each lane changes a row of its own, so one row is done after the other"
    name, block, lanes, all_on = rows.loop.function.name, rows.loop.body.name, rows.lanes, rows.stores[0].all_on
    told = [(each.instruction, "vector", "store", each.element) for each in rows.stores]
    told += [
        (each.instruction, "vector" if each.moves else "run", "load", each.element)
        for each in rows.loads.values()
        if each.instruction.op == "call"
    ]
    return [
        AccessReport(kind, operation, name, block, element, lanes, *places.of(each), reason, all_on, places.inlined(each))
        for each, kind, operation, element in told
    ]


def _place_of(instruction: Instruction) -> str:
    """Its place in the source, as it is attached to others."""
    attached = instruction.parts.metadata.get("dbg")
    return f", !dbg {attached}" if attached else ""


class _Writer:
    """The new blocks of one loop."""

    def __init__(self, rows: RowLoop, emit: Emitter, target: TargetInfo) -> None:
        self.rows = rows
        self.loop = rows.loop
        self.emit = emit
        self.blocks = IterationBlocks(rows.loop, emit)
        widest = min(_MOST, max(_FEWEST, target.vector_bits // rows.widest))
        after = 2 * _NEXT if widest > 4 * _NEXT else _NEXT
        self.widths = [widest, *([after] if widest > after else ()), 1]
        """Elements at a time; each is a multiple of the next."""
        self.tests = RowTests(rows, self.blocks, target.pointer_bits)
        self.pointers = self.tests.pointers
        self.slots: dict[str, str] = {}
        """Vectors -> places of the stack that have them."""
        self.allocas: list[Instruction] = []
        self.rows_of_lane: dict[str, str] = {}
        """Pointers -> that of the lane."""
        self.of_lane: dict[tuple[str, int], str] = {}
        """What is the same in all iterations, by the elements that are done at a time -> so many times that of the lane."""

    def write(self) -> None:
        """Put them before the loop."""
        blocks, emit, loop, rows = self.blocks, self.emit, self.loop, self.rows
        stem = f"{unquoted(loop.header.name)}.row"
        tests = [emit.fresh(f"{stem}.by_{width}")[1:] for width in self.widths]
        bodies = [emit.fresh(f"{stem}.body_{width}")[1:] for width in self.widths]
        lane_block, next_block = blocks.test, emit.fresh(f"{stem}.next")[1:]
        blocks.start(blocks.choice)
        count = blocks.write_count()
        blocks.write_choice(self.tests.conditions(count))

        blocks.start(blocks.begin)
        turns = self.tests.turns()
        limits = [emit.value("whole", f"and i64 {count}, {-width}") if width > 1 else count for width in self.widths]
        kind = loop.counter.type
        last = blocks.before(loop.limit)
        if loop.predicate == "sle":
            last = emit.value("last", f"add {kind} {last}, 1")
        self._store_lanes()
        emit.line(f"br label %{lane_block}")

        blocks.start(lane_block)
        left, fewer = emit.fresh("left"), emit.fresh("fewer")
        emit.line(f"{left} = phi i64 [ {turns}, %{blocks.begin} ], [ {fewer}, %{next_block} ]")
        emit.declarations.add("i64 @llvm.cttz.i64(i64, i1)")
        lane = emit.value("lane", f"call i64 @llvm.cttz.i64(i64 {left}, i1 true)")
        if self.tests.same:
            lane = emit.value("lane", f"and i64 {lane}, {rows.lanes - 1}")
        self._begin_lane(lane)
        emit.line(f"br label %{tests[0]}")

        done, ways, before = "0", [lane_block], 0
        for width, limit, test, body, after in zip(self.widths, limits, tests, bodies, [*tests[1:], next_block], strict=True):
            once = before == 2 * width
            now, following = emit.fresh("done"), emit.fresh("done")
            blocks.start(test)
            arms = [f"[ {each}, %{way} ]" for each, way in zip(done.split(), ways, strict=True)]
            if not once:
                arms.append(f"[ {following}, %{body} ]")
            emit.line(f"{now} = phi i64 {', '.join(arms)}")
            more = emit.value("more", f"icmp ult i64 {now}, {limit}")
            emit.line(f"br i1 {more}, label %{body}, label %{after}")
            blocks.start(body)
            self._write_iterations(now, width)
            emit.line(f"{following} = add nuw i64 {now}, {width}")
            hint = aligned(emit.module, free_node(emit.module)) if not before else ""
            emit.line(f"br label %{after if once else test}{hint}")
            done, ways = (f"{now} {following}", [test, body]) if once else (now, [test])
            before = width

        blocks.start(next_block)
        one_less = emit.value("less", f"add i64 {left}, -1")
        emit.line(f"{fewer} = and i64 {left}, {one_less}")
        again = emit.value("again", f"icmp ne i64 {fewer}, 0")
        emit.line(f"br i1 {again}, label %{lane_block}, label %{loop.header.name}")
        blocks.put_before({loop.counter.name: last}, next_block)
        loop.function.blocks[0].instructions[:0] = self.allocas

    # ---- a lane -----------------------------------------------------------------

    def _store_lanes(self) -> None:
        """What differs between lanes gets places of the stack, from which each lane takes its own."""
        rows, emit = self.rows, self.emit
        first = [replace(each, value=self.tests.first(each)) for each in self.pointers]
        for operand in (*first, *rows.outside.values()):
            if lanes_of(operand.type) and scalar_of_splat(operand.value, rows.values.definitions) is None:
                slot = self.slots[operand.value] = emit.fresh("slot")
                self.allocas.append(Instruction(f"  {slot} = alloca {operand.type}, align {self._alignment_of(operand)}"))
                emit.line(f"store {operand.type} {operand.value}, ptr {slot}, align {self._alignment_of(operand)}")

    def _alignment_of(self, vector: Operand) -> int:
        """Of a slot: that of the register it is stored from."""
        return min(64, self.rows.values.layout.size(element_of(vector.type)) * lanes_of(vector.type))

    def _begin_lane(self, lane: str) -> None:
        """What is the same in all its iterations."""
        emit, rows = self.emit, self.rows
        for pointers in self.pointers:
            self.rows_of_lane[pointers.value] = self._scalar(replace(pointers, value=self.tests.first(pointers)), lane)
        same = {name: (element_of(each.type), self._scalar(each, lane)) for name, each in rows.outside.items()}
        for load in rows.loads.values():
            if not load.moves:
                pointer = self.rows_of_lane[load.pointers.value]
                same[load.instruction.name] = load.element, self._load(load, load.element, pointer)
        for name, (element, scalar) in same.items():
            for width in self.widths:
                self.of_lane[name, width] = splat(scalar, element, width, emit)

    def _scalar(self, operand: Operand, lane: str) -> str:
        """What the lane has of it."""
        if not lanes_of(operand.type):
            return operand.value
        scalar = scalar_of_splat(operand.value, self.rows.values.definitions)
        if scalar is not None:
            return scalar.value
        element = element_of(operand.type)
        place = self.emit.value("place", f"getelementptr {element}, ptr {self.slots[operand.value]}, i64 {lane}")
        return self.emit.load("of.lane", f"load {element}, ptr {place}, align {self.rows.values.layout.size(element)}")

    # ---- iterations ---------------------------------------------------------------

    def _write_iterations(self, done: str, width: int) -> None:
        """So many, of which the first has the number ``done``."""
        emit, rows, loop = self.emit, self.rows, self.loop
        made: dict[str, str] = {}

        def place(pointers: Operand, element: str) -> str:
            return emit.value("place", f"getelementptr {element}, ptr {self.rows_of_lane[pointers.value]}, i64 {done}")

        def given(operand: Operand) -> str:
            name = operand.value
            scalar = scalar_of_splat(name, rows.values.definitions)
            if scalar is not None and name in loop.inside:
                return given(scalar)
            if name in made:
                return made[name]
            if (name, width) in self.of_lane:
                return self.of_lane[name, width]
            if splatted(name) is not None or name in ("zeroinitializer", "poison", "undef"):
                return name
            return f"splat ({operand.type} {name})"

        if loop.counter.name in rows.computed:
            made[loop.counter.name] = self._counters(done, width)
        stores = {id(each.instruction): each for each in rows.stores}
        for instruction in (*loop.header.instructions, *loop.body.instructions):
            name = instruction.name
            if id(instruction) in stores:
                access = stores[id(instruction)]
                pointer = place(access.pointers, access.element)
                value = f"<{width} x {access.element}> {given(instruction.operands[0])}"
                emit.attachment = _place_of(instruction)
                emit.line(f"store {value}, ptr {pointer}, align {access.size}")
                emit.attachment = ""
            elif name in rows.loads:
                load = rows.loads[name]
                if load.moves:
                    pointer = place(load.pointers, load.element)
                    made[name] = self._load(load, f"<{width} x {load.element}>", pointer)
            elif name in rows.computed and instruction.op != "phi":
                operands = [given(each) for each in instruction.operands]
                made[name] = emit.value("of.row", of_width(instruction, operands, width, emit))

    def _load(self, load: Along, kind: str, pointer: str) -> str:
        emit = self.emit
        alignment = load.instruction.parts.alignment or self.rows.values.layout.size(load.element)
        emit.attachment = _place_of(load.instruction)
        loaded = emit.load("of.row", f"load {kind}, ptr {pointer}, align {alignment}")
        emit.attachment = ""
        return loaded

    def _counters(self, done: str, width: int) -> str:
        emit, kind = self.emit, self.loop.counter.type
        first = self.loop.arm(self.loop.counter, self.loop.outside)
        number = done if kind == "i64" else emit.value("number", f"trunc i64 {done} to {kind}")
        now = emit.value("now", f"add {kind} {number}, {first}")
        steps = ", ".join(f"{kind} {step}" for step in range(width))
        return emit.value("counters", f"add <{width} x {kind}> {splat(now, kind, width, emit)}, <{steps}>")
