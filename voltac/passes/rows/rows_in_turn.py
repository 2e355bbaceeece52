"""Loops in which each lane changes a row of its own -> one row after the other, with the lanes along it.

    for j:   %x = gather at p + lane * width + j                  lanes are a row apart: rows of matrices, eliminations
             scatter %x * %s, at p + lane * width + j
    ->
    for each lane that is on:
        for j by 8:   %x = load <8 x float>, ptr (lane of p + lane * width) + j
                      store %x * splat (lane of %s), to the same place
        then by 4, and one by one, what is left of the row
    then the loop as it was, for which nothing is left; two rows at a time where they have a load in common

(Loop interchange: Allen and Kennedy, Automatic Loop Interchange, 1984.) Each element sees the operations that it saw before,
with the same operands: no value goes from one iteration to the next, and before the loop is asked whether the rows of the lanes
are in order and as far apart as they are long, so that no two meet, and whether what is loaded for all lanes lies in none of
them, or is one, which is done last then. Where this does not hold the loop is done as it was. Rows of lanes that are off are
not touched.
"""

from __future__ import annotations

from voltac.ir.cfg import control_flow
from voltac.ir.constants import splatted
from voltac.ir.lane_values import LaneValues, lane_values
from voltac.ir.match import scalar_of_splat
from voltac.ir.model import Instruction, Module
from voltac.ir.parts import Operand
from voltac.ir.types import element_of, lanes_of
from voltac.options import Options
from voltac.passes.accesses.access import AccessReport, pseudo_operation, read_access
from voltac.passes.accesses.emit import Emitter
from voltac.passes.accesses.rewriting import AccessRewriting
from voltac.passes.facts.effects import FunctionEffects
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
    rewriting = AccessRewriting(module, options)
    for function in rewriting.functions("scatter"):
        flow = control_flow(function)
        blocks = {block.name: block for block in function.blocks}
        values: LaneValues | None = None
        for loop in flow.loops:
            inside = [each for name in loop.blocks for each in blocks[name].instructions]
            if len(loop.blocks) != _BLOCKS or not any(pseudo_operation(each) == "scatter" for each in inside):
                continue
            values = values or lane_values(function, rewriting.layout)
            found = CountedLoop.of(function, loop, flow, values.definitions)
            if found is None:
                continue
            effects = rewriting.effects
            rows = RowLoop(found, FunctionEffects(effects, function, values), effects, values)
            if rows.fits() and rows.lanes <= _MOST_LANES:
                _report(rows, rewriting)
                _Writer(rows, rewriting.emitter(function, values), options.target).write()
                values = None
    return rewriting.finish()


_MOST_LANES = 32
"""So that there are two bits for each in a register."""
_BLOCKS = 2
"""Of a loop: its test, and the rest."""


def _report(rows: RowLoop, rewriting: AccessRewriting) -> None:
    gathered = [each for each in rows.loads.values() if each.instruction.op == "call"]
    loads = [(read_access(0, each.instruction, "gather", rows.values), each.moves) for each in gathered]
    for access, moves in (*((store, True) for store in rows.stores), *loads):
        kind = "vector" if moves else "run"
        rewriting.report(kind, access, rows.loop.function, rows.loop.body.name, _REASON)


_REASON = "each lane changes a row of its own, so one row is done after the other"


def _place_of(instruction: Instruction) -> str:
    """Its place in the source, as it is attached to others."""
    attached = instruction.parts.metadata.get("dbg")
    return f", !dbg {attached}" if attached else ""


class _Lane:
    """What a lane has while its row is done."""

    def __init__(self) -> None:
        self.rows: dict[str, str] = {}
        """Pointers -> those of its first iteration."""
        self.same: dict[tuple[str, int], str] = {}
        """What is the same in all iterations, by how many are done at a time -> a vector of it."""
        self.made: dict[str, str] = {}
        """What the loop computes -> what it is in the iterations that are being done."""


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
        self.first_counters = ""
        """Of as many iterations as are done at a time, if they are computed with."""
        self.limits: list[str] = []
        """How many elements have been done when no more are done by each of the widths."""

    def write(self) -> None:
        """Put them before the loop."""
        blocks, emit, loop = self.blocks, self.emit, self.loop
        head, lane_block, next_block, done = (self._label(each) for each in ("turn", "begin", "next", "done"))
        blocks.start(blocks.choice)
        count = blocks.write_count()
        blocks.write_choice(self.tests.conditions(count))

        blocks.start(blocks.begin)
        turns = self.tests.turns()
        self.limits = [emit.value("whole", f"and i64 {count}, {-width}") if width > 1 else count for width in self.widths]
        kind = loop.counter.type
        last = blocks.before(loop.limit)
        if loop.predicate == "sle":
            last = emit.value("last", f"add {kind} {last}, 1")
        self._store_lanes()
        counts = loop.counter.name in self.rows.computed
        self.first_counters = self._counters("0", self.widths[0]) if counts else ""
        emit.line(f"br label %{head}")

        blocks.start(head)
        emit.declarations.add("i64 @llvm.cttz.i64(i64, i1)")
        left, fewer = emit.fresh("left"), emit.fresh("fewer")
        emit.line(f"{left} = phi i64 [ {turns}, %{blocks.begin} ], [ {fewer}, %{next_block} ]")
        if self._shares():
            others = emit.value("others", f"and i64 {left}, {emit.value('less', f'add i64 {left}, -1')}")
            pair, pair_block = emit.value("pair", f"icmp ne i64 {others}, 0"), self._label("pair")
            emit.line(f"br i1 {pair}, label %{pair_block}, label %{lane_block}")
            blocks.start(pair_block)
            self._write_rows([left, others], pair_block, next_block)
            blocks.start(next_block)
            emit.line(f"{fewer} = and i64 {others}, {emit.value('less', f'add i64 {others}, -1')}")
            self._write_branch(fewer, head, done)
            blocks.start(lane_block)
            self._write_rows([left], lane_block, done)
        else:
            self._write_rows([left], head, next_block)
            blocks.start(next_block)
            emit.line(f"{fewer} = and i64 {left}, {emit.value('less', f'add i64 {left}, -1')}")
            self._write_branch(fewer, head, done)
        blocks.start(done)
        emit.line(f"br label %{loop.header.name}")
        blocks.put_before({loop.counter.name: last}, done)
        loop.function.blocks[0].instructions[:0] = self.allocas

    def _shares(self) -> bool:
        """Whether two lanes at a time load less: all lanes load the same, and each has a row to load, too."""
        moving = [each for each in self.rows.loads.values() if each.moves]
        return len({lanes_of(each.pointers.type) for each in moving}) > 1

    def _write_branch(self, left: str, head: str, done: str) -> None:
        again = self.emit.value("again", f"icmp ne i64 {left}, 0")
        self.emit.line(f"br i1 {again}, label %{head}, label %{done}")

    def _label(self, part: str) -> str:
        return self.emit.fresh(f"{unquoted(self.loop.header.name)}.row.{part}")[1:]

    def _write_rows(self, turns: list[str], before: str, behind: str) -> None:
        """The rows of the first lanes of ``turns``, side by side, from the end of the block ``before`` on."""
        blocks, emit = self.blocks, self.emit
        lanes = [self._begin_lane(self._lowest(each)) for each in turns]
        tests, bodies = ([self._label(f"{part}_{width}") for width in self.widths] for part in ("by", "body"))
        emit.line(f"br label %{tests[0]}")
        done, ways, wider = "0", [before], 0
        for width, limit, test, body, after in zip(self.widths, self.limits, tests, bodies, [*tests[1:], behind], strict=True):
            once = wider == 2 * width
            now, following = emit.fresh("done"), emit.fresh("done")
            blocks.start(test)
            arms = [f"[ {each}, %{way} ]" for each, way in zip(done.split(), ways, strict=True)]
            if not once:
                arms.append(f"[ {following}, %{body} ]")
            emit.line(f"{now} = phi i64 {', '.join(arms)}")
            counters = ""
            if self.first_counters and not wider:
                kind, counters, next_counters = (
                    f"<{width} x {self.loop.counter.type}>",
                    emit.fresh("counters"),
                    emit.fresh("counters"),
                )
                emit.line(f"{counters} = phi {kind} [ {self.first_counters}, %{before} ], [ {next_counters}, %{body} ]")
            more = emit.value("more", f"icmp ult i64 {now}, {limit}")
            emit.line(f"br i1 {more}, label %{body}, label %{after}")
            blocks.start(body)
            self._write_iterations(now, width, lanes, counters)
            if counters:
                emit.line(f"{next_counters} = add {kind} {counters}, splat ({self.loop.counter.type} {width})")
            emit.line(f"{following} = add nuw i64 {now}, {width}")
            hint = "" if wider else aligned(emit.module, free_node(emit.module))
            emit.line(f"br label %{after if once else test}{hint}")
            done, ways = (f"{now} {following}", [test, body]) if once else (now, [test])
            wider = width

    def _lowest(self, bits: str) -> str:
        """The lane of the lowest bit."""
        lane = self.emit.value("lane", f"call i64 @llvm.cttz.i64(i64 {bits}, i1 true)")
        return self.emit.value("lane", f"and i64 {lane}, {self.rows.lanes - 1}") if self.tests.same else lane

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

    def _begin_lane(self, lane: str) -> _Lane:
        emit, rows, own = self.emit, self.rows, _Lane()
        for pointers in self.pointers:
            own.rows[pointers.value] = self._scalar(replace(pointers, value=self.tests.first(pointers)), lane)
        same = {name: (element_of(each.type), self._scalar(each, lane)) for name, each in rows.outside.items()}
        for load in rows.loads.values():
            if not load.moves:
                same[load.instruction.name] = load.element, self._load(load, load.element, own.rows[load.pointers.value])
        for name, (element, scalar) in same.items():
            for width in self.widths:
                own.same[name, width] = splat(scalar, element, width, emit)
        return own

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

    def _write_iterations(self, done: str, width: int, lanes: list[_Lane], counters: str) -> None:
        """So many, of which the first has the number ``done``; ``counters`` if these are known."""
        emit, rows = self.emit, self.rows
        stores = {id(each.instruction): each for each in rows.stores}
        if self.first_counters and not counters:
            counters = self._counters(done, width)
        for each in lanes:
            each.made = {self.loop.counter.name: counters}

        def place(lane: _Lane, pointers: Operand, element: str) -> str:
            return emit.value("place", f"getelementptr {element}, ptr {lane.rows[pointers.value]}, i64 {done}")

        for instruction in (*self.loop.header.instructions, *self.loop.body.instructions):
            name = instruction.name
            loaded: dict[str, str] = {}
            for lane in lanes:
                given = [self._given(each, width, lane) for each in instruction.operands]
                if id(instruction) in stores:
                    access = stores[id(instruction)]
                    pointer = place(lane, access.pointers, access.element)
                    emit.attachment = _place_of(instruction)
                    emit.line(f"store <{width} x {access.element}> {given[0]}, ptr {pointer}, align {access.size}")
                    emit.attachment = ""
                elif name in rows.loads and rows.loads[name].moves:
                    load = rows.loads[name]
                    pointer = place(lane, load.pointers, load.element)
                    if pointer not in loaded:
                        loaded[pointer] = self._load(load, f"<{width} x {load.element}>", pointer)
                    lane.made[name] = loaded[pointer]
                elif name in rows.computed and instruction.op != "phi":
                    lane.made[name] = emit.value("of.row", of_width(instruction, given, width, emit.declarations))

    def _given(self, operand: Operand, width: int, lane: _Lane) -> str:
        """What a lane has of an operand in so many iterations."""
        name = operand.value
        scalar = scalar_of_splat(name, self.rows.values.definitions)
        if scalar is not None and name in self.loop.inside:
            return self._given(scalar, width, lane)
        if name in lane.made:
            return lane.made[name]
        if (name, width) in lane.same:
            return lane.same[name, width]
        if splatted(name) is not None or name in ("zeroinitializer", "poison", "undef"):
            return name
        return f"splat ({operand.type} {name})"

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
