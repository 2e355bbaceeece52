"""Loops of one block that end by a condition -> kernels in which iterations begin before it is known (IA-64 6, 9).

::

    loop:                                          ec = 1, p17 = 1, p18 = 1, n = n - 2
      ld1 a=[p],1                                loop:
      cmp.eq x,y=0,a                  ->           ld1.s r32=[p],1    cmp.ne.or p17=0,r33    (p18) adds n=1,n
      branch if x exit                             (p17) br.wtop loop
      adds n=1,n; jump loop

The predicate of a stage says that the loop goes on behind its iteration. It is 1 as long as a stage has no iteration yet, else
0 before the comparison sets it: rotation brings 0 from ``p16``. A comparison for equality sets it where it is true, any other
one writes it, under a second predicate of the stage, which says that it has an iteration. Loads are speculative, addresses and
counters that nobody reads behind the loop run ahead; those that somebody reads are predicated. All start as many steps back as
they do before iteration 0. A load that gave NaT in the last iteration sends that one, and all behind it, to the loop as it was.

A loop of two blocks has two ways out, one of a block may have two comparisons. The second, one for equality, clears the
predicate where the loop does not go on. The last iteration is always done by the loop as it was, which finds the way.

A load whose result the next iteration reads (``p = p->next``) runs ahead, too, where a comparison reads it: it writes only
where its stage has an iteration, so the first one reads what was before the loop.
"""

from __future__ import annotations

from collections.abc import Sequence

from voltac.codegen.issue_groups import IssueGroup
from voltac.codegen.machine_code import (
    AnyRegister,
    Immediate,
    LabelOperand,
    MachineBlock,
    MachineFunction,
    MachineInstruction,
    Register,
    Value,
    VirtualRegister,
)
from voltac.codegen.pipelining.instructions import LoopBody, loop_of
from voltac.codegen.pipelining.loop import LoopGraph, LoopOperation, Order, ReadValue
from voltac.codegen.pipelining.modulo import ModuloSchedule, schedules
from voltac.codegen.pipelining.rotation import RotatingNames, rotate
from voltac.records import replace
from voltac.targets.ia64.registers import BY_NAME
from voltac.targets.ia64.select.conditions import under_predicate
from voltac.targets.ia64.select.conventions import copy
from voltac.targets.ia64.select.groups import RESOURCES, ways_of
from voltac.targets.ia64.select.kernel_parts import (
    FIRST,
    FIRST_STAGE,
    LIMITS,
    PipelinedKernel,
    Rotation,
    by_eights,
    has_few_static_registers,
    jump_to,
    of_row,
    redirect,
)
from voltac.targets.ia64.select.pseudo import BRANCH_IF, ROWS, as_instruction
from voltac.targets.ia64.select.registers import ALWAYS, ZERO
from voltac.targets.ia64.select.streams import Streams
from voltac.targets.ia64.select.while_bodies import ConditionLoop, is_equality, is_step, loop_by_condition, speculative_row

_MOST_STAGES = 24
"""As many predicates one number sets,"""
_MOST_WITH_BEGUN = 21
"""and with those that tell iterations from none."""
_WTOP = "br.wtop.sptk.few.target"
_ADD = "adds.r=imm14,r"
_BEGUN = "cmp.eq.p,p=r,r"
"""``p,p0=r0,r0``: an iteration has begun."""


def pipelined_by_condition(function: MachineFunction, block: MachineBlock) -> PipelinedKernel | None:
    """The kernel of such a loop, which is put before it; None for other blocks, which stay as they are."""
    loop = loop_by_condition(function, block)
    if loop is None or not has_few_static_registers(loop.code):
        return None
    # Sums too: who begins the last iteration again reads them.
    updated: set[AnyRegister] = {register for one in loop.code for register in one.writes() if register in one.reads()}
    streams = Streams(function, loop.code)
    code = [_speculative(_predicated(one, loop)) for one in streams.separate(loop.live_out | updated)]
    chains: dict[AnyRegister, int] = {one.writes()[0]: 1 for one in code if _is_chain(one)}
    try:
        parts = loop_of(code, ways_of, True, frozenset(), streams.distance, chains)
    except ValueError:
        return None
    links = _links(parts, loop)
    if not _may_run_ahead(parts, loop, links):
        return None
    graph, branch = _with_branch(parts, loop, links)
    for schedule in schedules(graph, RESOURCES):
        turned = _ending_with(schedule, branch)
        most = _MOST_WITH_BEGUN if _needs_begun(loop, links) else _MOST_STAGES
        names = rotate(turned, {**LIMITS, "p": len(BY_NAME)}) if turned.stages <= most else None
        if names is not None:
            stage = turned.times[branch] // turned.interval
            return _Writer(function, loop, parts, turned, names, stage, streams.starts, links).write() if stage else None
    return None


def _predicated(one: MachineInstruction, loop: ConditionLoop) -> MachineInstruction:
    """A step that somebody reads behind the loop is done only where the loop goes on."""
    if not is_step(one) or one.values[0] not in loop.live_out:
        return one
    return under_predicate(replace(one, values=list(one.values)), loop.goes_on)


def _speculative(one: MachineInstruction) -> MachineInstruction:
    row = speculative_row(one) if "load" in one.row.traits else None
    return one if row is None else replace(one, row=row)


def _is_chain(one: MachineInstruction) -> bool:
    """Whether a load is from where the one before pointed."""
    return "load" in one.row.traits and "increments" not in one.row.traits and one.writes()[0] in one.reads()


def _links(parts: LoopBody, loop: ConditionLoop) -> list[VirtualRegister]:
    """What is loaded, compared and read in the next iteration, too: one that gave NaT ends the loop before that."""
    before = {read.value for one in parts.loop.operations for read in one.reads if read.distance == 1}
    compared = {
        read.value
        for one, operation in zip(parts.instructions, parts.loop.operations)
        if one is loop.compare or one is loop.second
        for read in operation.reads
        if not read.distance
    }
    loaded = [one.writes()[0] for one in parts.instructions if "load" in one.row.traits]
    return [_virtual(one) for one in loaded if parts.values.get(one) in before & compared]


def _may_run_ahead(parts: LoopBody, loop: ConditionLoop, links: list[VirtualRegister]) -> bool:
    """Whether all that stays in its register is a step, and what somebody reads behind the loop is one or has names of its
    own; of the iteration before nothing is read but links."""
    for one in parts.instructions:
        for register in one.writes():
            if register in parts.values or register is ALWAYS:
                continue
            increments = "increments" in one.row.traits and isinstance(one.values[-1], Immediate)
            if not is_step(one) and not (increments and register not in loop.live_out):
                return False
    known = {parts.values[register] for register in links}
    reads = [read for one in parts.loop.operations for read in one.reads]
    return all(not read.distance or read.value.kind == "p" or read.value in known for read in reads)


# --- the schedule


def _needs_begun(loop: ConditionLoop, links: list[VirtualRegister]) -> bool:
    """Whether somebody has to know that there is an iteration: links, and comparisons but a single one for equality."""
    return bool(links) or loop.second is not None or not is_equality(loop.compare)


def _begun(predicate: Register) -> MachineInstruction:
    return of_row(_BEGUN, predicate, ALWAYS, ZERO["r"], ZERO["r"])


def _with_branch(parts: LoopBody, loop: ConditionLoop, links: list[VirtualRegister]) -> tuple[LoopGraph, int]:
    """With the loop branch, behind all that is read when it leaves; its number."""
    values = [parts.values[register] for register in loop.live_out if register in parts.values]
    values += [parts.values[one.writes()[0]] for one in parts.instructions if "load" in one.row.traits]
    reads = [ReadValue(value) for value in dict.fromkeys(values)]
    # Behind it that of the iteration before is read, with a rotation between.
    reads += [ReadValue(parts.values[register], 2) for register in links]
    branch = LoopOperation("br.wtop", ((("slot", 0), ("B", 0)),), reads=tuple(reads))
    orders = list(parts.loop.orders)
    is_behind = False
    for one, operation in zip(parts.instructions, parts.loop.operations):
        if one is loop.compare:
            is_behind = True
            # A branch sees a predicate of floats a cycle later (IA-64 4).
            orders.append(Order(operation, branch, int("float compare" in one.row.traits)))
        elif one is loop.second:
            first = parts.loop.operations[parts.instructions.index(loop.compare)]
            orders += [Order(first, operation, loop.compare.row.latency), Order(operation, branch, 0)]
        elif one.mask is not None:
            # Of all iterations that are to be counted before the branch leaves, of the next ones behind it.
            orders += [Order(operation, branch, 0, int(is_behind)), Order(branch, operation, 1, 1 if is_behind else 2)]
    begun = (LoopOperation("begun", ways_of(_begun(ALWAYS))),) if _needs_begun(loop, links) else ()
    operations = (*parts.loop.operations, *begun, branch)
    # Read when the last pass has ended, which is with a rotation.
    return LoopGraph(operations, tuple(orders), frozenset(values)), len(operations) - 1


def _ending_with(schedule: ModuloSchedule, branch: int) -> ModuloSchedule:
    """The schedule turned so that the branch is in the last cycle of an interval."""
    by = (schedule.interval - 1 - schedule.times[branch]) % schedule.interval
    return replace(schedule, times=tuple(time + by for time in schedule.times))


class _Writer:
    """Puts a kernel, its set-up and what is behind it before a loop."""

    def __init__(
        self,
        function: MachineFunction,
        loop: ConditionLoop,
        parts: LoopBody,
        schedule: ModuloSchedule,
        names: RotatingNames,
        stage: int,
        starts: list[MachineInstruction],
        links: list[VirtualRegister],
    ) -> None:
        self.function = function
        self.links = {register: function.new_register(register.kind) for register in links}
        """Each with a register for what it is when the last iteration begins."""
        self.made: set[AnyRegister] = set()
        """What the instructions before have made of an iteration."""
        self.needs_begun = _needs_begun(loop, links)
        self.loop = loop
        self.parts = parts
        self.schedule = schedule
        self.names = names
        self.stage = stage
        """Of the branch."""
        self.starts = starts

    def write(self) -> PipelinedKernel:
        """Changes the function."""
        function, body = self.function, self.loop.body
        rotating = by_eights(self.names.used.get("r", 0))
        kernel = PipelinedKernel(f"{body.name}.kernel", self._groups(), self.schedule.interval, self.schedule.stages, rotating)
        rotation, around = Rotation(function, None), max(0, body.frequency - 1)
        before, behind = MachineBlock(f"{body.name}.pipeline", [], [kernel.name], around), f"{body.name}.drained"
        before.instructions = [*self._set_up(rotation), jump_to(kernel.name)]
        code = [one for group in kernel.groups for one in group]
        passes = MachineBlock(kernel.name, [*code, jump_to(behind)], [], body.frequency)
        passes.successors = [kernel.name, behind]
        again = MachineBlock(f"{body.name}.again", self._steps_back(), [body.name], around)
        kernel.unrotate, kernel.initial = rotation.unrotate, [self._initial(register) for register in self.links]
        if self.loop.exit:
            ending = MachineBlock(behind, self._ending(rotation, again.name), [again.name, self.loop.exit], around)
        else:
            ending = MachineBlock(behind, [*self._links_before(), *rotation.end(), jump_to(again.name)], [again.name], around)
        passes.around = before, ending
        for block in function.blocks:
            if block.name not in self.loop.inside:
                redirect(block, body.name, before.name)
        place = function.blocks.index(body)
        function.blocks[place:place] = [before, passes, ending, again]
        return kernel

    def _stages(self) -> list[int]:
        return [time // self.schedule.interval for time in self.schedule.times]

    def _groups(self) -> list[IssueGroup]:
        interval = self.schedule.interval
        rows: list[IssueGroup] = [[] for _ in range(interval)]
        placed: list[list[int]] = [[] for _ in range(interval)]
        is_behind = False
        for number, one in enumerate(self.parts.instructions):
            stage, row = divmod(self.schedule.times[number], interval)
            if one is self.loop.compare:
                made, is_behind = self._comparison(one, stage), True
            elif one is self.loop.second:
                made = self._second_comparison(one, stage)
            else:
                values = self._named(one.values, stage, one.row.places_written)
                made = as_instruction(MachineInstruction(one.row, values, line=one.line, access=one.access))
                if any(register in self.links for register in one.writes()):
                    made.mask = self._begun_at(stage)
                self.made.update(one.writes())
                if one.mask is not None:
                    made.mask = BY_NAME[f"p{FIRST_STAGE + stage + (not is_behind)}"]
                    made.implicit_uses = [value for value in made.writes() if isinstance(value, VirtualRegister)]
            # What is of an earlier iteration stands before.
            at = sum(other >= stage for other in placed[row])
            rows[row].insert(at, made)
            placed[row].insert(at, stage)
        if self.needs_begun:
            rows[self.schedule.times[len(self.parts.instructions)] % interval].append(_begun(self._begun_at(-1)))
        branch = of_row(_WTOP, LabelOperand(f"{self.loop.body.name}.kernel", "target"))
        branch.mask = BY_NAME[f"p{FIRST_STAGE + self.stage}"]
        rows[-1].append(branch)
        return rows

    def _named(self, values: Sequence[Value], stage: int, written: tuple[int, ...] = ()) -> list[Value]:
        named: list[Value] = []
        for at, value in enumerate(values):
            is_before = value in self.links and value not in self.made and at not in written
            named.append(self._register(value, stage, int(is_before)) if isinstance(value, VirtualRegister) else value)
        return named

    def _register(self, register: VirtualRegister, stage: int, distance: int = 0) -> AnyRegister:
        value = self.parts.values.get(register)
        if value is None:
            return register
        return BY_NAME[f"{value.kind}{FIRST[value.kind] + self.names.of(value, distance, stage)}"]

    def _initial(self, link: VirtualRegister) -> Register:
        """Where iteration 0 reads what was before it."""
        name = self._register(link, 0, 1)
        assert isinstance(name, Register)
        return name

    def _links_before(self) -> list[MachineInstruction]:
        return [copy(kept, self._register(link, self.stage + 1, 1)) for link, kept in self.links.items()]

    def _comparison(self, one: MachineInstruction, stage: int) -> MachineInstruction:
        """Sets the stage's predicate where the loop goes on, and leaves it 1 where there is no iteration yet."""
        to, operands = BY_NAME[f"p{FIRST_STAGE + stage}"], self._named(one.values[2:], stage)
        if not is_equality(one):
            targets = [to if value == self.loop.goes_on else ALWAYS for value in one.values[:2]]
            return MachineInstruction(one.row, [*targets, *operands], line=one.line, mask=self._begun_at(stage))
        relation = "eq" if one.values[0] == self.loop.goes_on else "ne"
        row = ROWS[one.row.name.replace(".eq.p,p", f".{relation}.or.p,p")]
        return MachineInstruction(row, [to, ALWAYS, *operands], line=one.line)

    def _second_comparison(self, one: MachineInstruction, stage: int) -> MachineInstruction:
        """Clears the stage's predicate where the loop does not go on."""
        relation = "eq" if self.loop.is_second_equal else "ne"
        row = ROWS[one.row.name.replace(".eq.p,p", f".{relation}.and.p,p")]
        values = [BY_NAME[f"p{FIRST_STAGE + stage}"], ALWAYS, *self._named(one.values[2:], stage)]
        return MachineInstruction(row, values, line=one.line, mask=self._begun_at(stage))

    def _begun_at(self, stage: int) -> Register:
        """Says in a stage whether it has an iteration; stage -1 is that of the iteration to come."""
        return BY_NAME[f"p{FIRST_STAGE + max(self._stages()) + 3 + stage}"]

    def _moving(self) -> list[tuple[VirtualRegister, int, int, bool | None]]:
        """Registers that are stepped: by how much, in which stage, and whether that is predicated behind the comparison or
        before it; None for neither."""
        found: list[tuple[VirtualRegister, int, int, bool | None]] = []
        is_behind = False
        for one, stage in zip(self.parts.instructions, self._stages()):
            is_behind = is_behind or one is self.loop.compare
            number = one.values[1] if is_step(one) else one.values[-1] if "increments" in one.row.traits else None
            for register in one.writes():
                if (
                    isinstance(number, Immediate)
                    and isinstance(register, VirtualRegister)
                    and register not in self.parts.values
                ):
                    found.append((register, number.value, stage, None if one.mask is None else is_behind))
        return found

    def _step(self, register: VirtualRegister, by: int) -> list[MachineInstruction]:
        return [of_row(_ADD, register, Immediate(by), register)] if by else []

    def _set_up(self, rotation: Rotation) -> list[MachineInstruction]:
        # Predicates of stages before the first iteration, those that are read a stage later too.
        filling = (1 << max(self._stages()) + 1) - 1 << FIRST_STAGE + 1
        filling |= 1 << self._begun_at(0).number if self.needs_begun else 0
        return [
            *self.starts,
            *(copy(self._initial(link), link) for link in self.links),
            *(one for register, step, stage, _ in self._moving() for one in self._step(register, -step * stage)),
            *rotation.begin(1, filling),
        ]

    def _ending(self, rotation: Rotation, again: str) -> list[MachineInstruction]:
        """Whether a load of the last iteration gave NaT; else what is read behind the loop."""
        code = self._links_before()
        total: AnyRegister | None = None
        for one in self.parts.instructions:
            if "load" in one.row.traits:
                loaded = self._register(_virtual(one.writes()[0]), self.stage + 1)
                if loaded.kind == "f":
                    bits = self.function.new_register("r")
                    code.append(of_row("getf.sig.r=f", bits, loaded))
                    loaded = bits
                if total is not None:
                    both = self.function.new_register("r")
                    code.append(of_row("add.r=r,r", both, total, loaded))
                    loaded = both
                total = loaded
        assert total is not None
        is_number, is_none = self.function.new_register("p"), self.function.new_register("p")
        code.append(of_row("tnat.z.p,p=r", is_number, is_none, total))
        for register in self.parts.values:
            if register in self.loop.live_out:
                code.append(copy(register, self._register(_virtual(register), self.stage + 1)))
        restoring = rotation.end()
        # No predicate is read in the group in which predicates are restored.
        restoring[1].implicit_uses, restoring[1].implicit_defs = [is_number, is_none], [is_number, is_none]
        code += restoring
        code.append(of_row(BRANCH_IF, is_none, is_number, LabelOperand(again, "target")))
        code.append(jump_to(self.loop.exit))
        return code

    def _steps_back(self) -> list[MachineInstruction]:
        """To where the last iteration began."""
        code = [copy(link, kept) for link, kept in self.links.items()]
        for register, step, stage, is_behind in self._moving():
            ahead = self.stage + 1 - stage if is_behind is None else int(not is_behind)
            code += self._step(register, -step * ahead)
        return [*code, jump_to(self.loop.body.name)]


def _virtual(register: AnyRegister) -> VirtualRegister:
    assert isinstance(register, VirtualRegister)
    return register
