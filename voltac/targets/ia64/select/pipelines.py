"""Counted loops of one block -> kernels of software pipelines: registers rotate, stages are predicates (IA-64 9, 11).

::

    loop:                                          lc = n - 1, ec = stages, p16 = 1
      ldfs a=[p],4                               loop:
      fma  b=a,s,t             ->                  (p16) ldfs f32=[p],4   (p22) fma f40=f38,s,t   (p26) stfs [q]=f44,4
      stfs [q]=b,4                                 br.ctop loop
      cmp.eq x,y=p,end; branch unless x loop

The counter's comparison goes, and the counter where nothing else needs it. The schedule is the shared modulo scheduler's
(``codegen/pipelining``); a pass of the kernel is the initiation interval, in as many groups.
"""

from __future__ import annotations

from voltac.codegen.issue_groups import IssueGroup
from voltac.codegen.machine_code import (
    AnyRegister,
    Immediate,
    LabelOperand,
    MachineBlock,
    MachineFunction,
    MachineInstruction,
    Register,
    VirtualRegister,
)
from voltac.codegen.pipelining.instructions import LoopBody, loop_of
from voltac.codegen.pipelining.loop import LoopGraph, LoopOperation
from voltac.codegen.pipelining.modulo import ModuloSchedule, schedules
from voltac.codegen.pipelining.rotation import RotatingNames, rotate
from voltac.codegen.rows import Row
from voltac.records import replace
from voltac.targets.ia64.registers import BY_NAME
from voltac.targets.ia64.select.conventions import copy
from voltac.targets.ia64.select.counted_loops import CountedBlock, counted_block, turns_of
from voltac.targets.ia64.select.groups import RESOURCES, ways_of
from voltac.targets.ia64.select.kernel_parts import (
    FIRST,
    FIRST_STAGE,
    LAST_PREDICATE,
    LIMITS,
    MOST_STAGES,
    PipelinedKernel,
    has_few_static_registers,
    is_one_instruction,
    live_behind,
    redirect,
)
from voltac.targets.ia64.select.pseudo import JUMP, ROWS, as_instruction
from voltac.targets.ia64.select.streams import Streams
from voltac.targets.ia64.select.while_loops import pipelined_by_condition

_CTOP = "br.ctop.sptk.few.target"
_LC, _EC = BY_NAME["ar.lc"], BY_NAME["ar.ec"]


def pipeline_loops(function: MachineFunction) -> dict[str, PipelinedKernel]:
    """The kernels, by their block; a function has rotating registers from then on."""
    made: dict[str, PipelinedKernel] = {}
    for block in list(function.blocks):
        counted = counted_block(function, block)
        if counted is not None:
            kernel = _pipelined(function, counted)
        else:
            kernel = pipelined_by_condition(function, block)
        if kernel is not None:
            made[kernel.name] = kernel
    # What rotates is a matter of the frame, so the same in all loops; all of it is written sometime.
    most = rotating_registers(made)
    for kernel in made.values():
        names = [*(f"r{number}" for number in range(32, 32 + most)), *(f"f{number}" for number in range(32, 128))]
        branch, unrotate = kernel.groups[-1][-1], kernel.unrotate
        assert unrotate is not None
        branch.implicit_defs = [BY_NAME[name] for name in names]
        branch.implicit_uses = [*kernel.initial]
        # Nothing that is read behind it may be in a register that it renames.
        unrotate.implicit_defs = [BY_NAME[name] for name in names]
    return made


def rotating_registers(kernels: dict[str, PipelinedKernel]) -> int:
    """General registers of a function that rotate."""
    return max((kernel.rotating for kernel in kernels.values()), default=0)


# --- the pipeline


def _pipelined(function: MachineFunction, counted: CountedBlock) -> PipelinedKernel | None:
    body = counted.body
    live_out = live_behind(function, counted.exit)
    code = [one for one in body.instructions[:-2] if one is not counted.compare]
    if any(register in live_out for register in counted.compare.writes()):
        return None
    code = [one for one in code if not _is_idle_counter(one, counted, code, live_out)]
    if any("pseudo" in one.row.traits and not is_one_instruction(one) for one in code):
        return None
    if not has_few_static_registers(code):
        return None
    streams = Streams(function, code)
    code = streams.separate(live_out)
    try:
        parts = loop_of(code, ways_of, True, frozenset(live_out), streams.distance)
    except ValueError:
        return None
    if any(one.mask is not None and one.mask not in parts.values for one in code) or _carries_predicates(parts.loop):
        return None
    graph, branch = _with_branch(parts.loop)
    for schedule in schedules(graph, RESOURCES):
        turned = _ending_with(schedule, branch)
        if turned.stages > MOST_STAGES:
            continue
        # The loop branch writes p63; the first of the names are the stages'.
        names = rotate(turned, {**LIMITS, "p": LAST_PREDICATE - 15 - turned.stages})
        if names is None:
            continue
        if turned.stages == 1:
            return None
        return _Writer(function, counted, parts, turned, names, live_out, streams.starts).write()
    return None


def _is_idle_counter(
    one: MachineInstruction, counted: CountedBlock, code: list[MachineInstruction], live_out: set[AnyRegister]
) -> bool:
    """Whether an instruction only counts, for nobody."""
    counter = counted.counter
    is_step = one.writes() == [counter] and not one.row.traits & {"load", "store"}
    return is_step and counter not in live_out and not any(counter in other.reads() for other in code if other is not one)


def _carries_predicates(loop: LoopGraph) -> bool:
    """Whether an iteration asks for a predicate of the one before, or somebody behind the loop does."""
    carried = any(read.distance and read.value.kind == "p" for one in loop.operations for read in one.reads)
    return carried or any(value.kind == "p" for value in loop.live_out)


def _with_branch(loop: LoopGraph) -> tuple[LoopGraph, LoopOperation]:
    """The same with the loop branch, which takes a slot."""
    branch = LoopOperation("br.ctop", ((("slot", 0), ("B", 0)),))
    return LoopGraph((*loop.operations, branch), loop.orders, loop.live_out), branch


def _ending_with(schedule: ModuloSchedule, branch: LoopOperation) -> ModuloSchedule:
    """The schedule turned so that the branch is in the last cycle of an interval."""
    at = schedule.loop.operations.index(branch)
    by = (schedule.interval - 1 - schedule.times[at]) % schedule.interval
    times = [time + by for time in schedule.times]
    # The branch itself has no stage.
    times[at] = schedule.interval - 1
    return replace(schedule, times=tuple(times))


class _Writer:
    """Puts a kernel, its set-up and what is behind it in the place of a loop."""

    def __init__(
        self,
        function: MachineFunction,
        counted: CountedBlock,
        parts: LoopBody,
        schedule: ModuloSchedule,
        names: RotatingNames,
        live_out: set[AnyRegister],
        starts: list[MachineInstruction],
    ) -> None:
        self.starts = starts
        """What sets the addresses that the loop has more than it had."""
        self.first = {**FIRST, "p": FIRST_STAGE + schedule.stages}
        self.function = function
        self.counted = counted
        self.parts = parts
        self.schedule = schedule
        self.names = names
        self.live_out = live_out

    def _made(self, row: str, *values: AnyRegister | Immediate | LabelOperand) -> MachineInstruction:
        return MachineInstruction(ROWS[row], list(values))

    def write(self) -> PipelinedKernel:
        """Changes the function."""
        function, body = self.function, self.counted.body
        # By eights (IA-64 2).
        rotating = -(-self.names.used.get("r", 0) // 8) * 8
        kernel = PipelinedKernel(body.name, self._groups(), self.schedule.interval, self.schedule.stages, rotating)
        self.kernel = kernel
        saved = function.new_register("r"), function.new_register("r")
        around = max(0, body.frequency - 1)
        before = MachineBlock(f"{body.name}.pipeline", self._set_up(*saved), [body.name], around)
        behind = MachineBlock(f"{body.name}.drained", self._ending(*saved), [self.counted.exit], around)
        for block in function.blocks:
            if block is body or block is self.counted.latch:
                continue
            redirect(block, body.name, before.name)
        # Where the loop goes on behind it is said for the layout; it is no part of the kernel.
        leave = self._made(JUMP, LabelOperand(behind.name, "target"))
        body.instructions = [*(one for group in kernel.groups for one in group), leave]
        body.successors = [body.name, behind.name]
        place = function.blocks.index(body)
        function.blocks[place : place + 1] = [before, body, behind]
        if self.counted.latch is not None:
            function.blocks.remove(self.counted.latch)
        return kernel

    def _register(self, register: AnyRegister, distance: int, stage: int) -> AnyRegister:
        value = self.parts.values.get(register)
        if value is None:
            return register
        number = self.first[value.kind] + self.names.of(value, distance, stage)
        return BY_NAME[f"{value.kind}{number}"]

    def _groups(self) -> list[IssueGroup]:
        interval = self.schedule.interval
        rows: list[IssueGroup] = [[] for _ in range(interval)]
        stages: list[list[int]] = [[] for _ in range(interval)]
        made: set[AnyRegister] = set()
        for number, one in enumerate(self.parts.instructions):
            stage, row = divmod(self.schedule.times[number], interval)
            values = []
            for operand, value in zip(one.row.operands, one.values):
                if isinstance(value, VirtualRegister):
                    is_earlier = operand.role == "use" and value in self.parts.values and value not in made
                    value = self._register(value, int(is_earlier), stage)
                values.append(value)
            made.update(one.writes())
            made_one = as_instruction(MachineInstruction(_clearing(one), values, line=one.line, access=one.access))
            # A predicate of the loop's own is 0 where its stage is off.
            made_one.mask = BY_NAME[f"p{FIRST_STAGE + stage}"]
            if isinstance(one.mask, VirtualRegister):
                named = self._register(one.mask, 0, stage)
                assert isinstance(named, Register)
                made_one.mask = named
            # What is of an earlier iteration stands before: its accesses of memory do.
            at = sum(other >= stage for other in stages[row])
            rows[row].insert(at, made_one)
            stages[row].insert(at, stage)
        rows[-1].append(self._made(_CTOP, LabelOperand(self.counted.body.name, "target")))
        return rows

    def _set_up(self, predicates: VirtualRegister, loops: VirtualRegister) -> list[MachineInstruction]:
        counted = self.counted
        turns = self.function.new_register("r")
        code = turns_of(self.function, counted, turns)
        code += [self._made("mov.r=pr", predicates), self._made("mov.i.r=ar", loops, _LC)]
        for register, value in self.parts.values.items():
            farthest = max(
                (read.distance for one in self.parts.loop.operations for read in one.reads if read.value is value), default=0
            )
            if farthest:
                first = self.first[value.kind] + self.names.initially(value, 1)
                self.kernel.initial.append(BY_NAME[f"{value.kind}{first}"])
                code.append(copy(self.kernel.initial[-1], register))
        code += self.starts
        code.append(self._made("clrrrb"))
        code.append(self._made("mov.i.ar=r", _LC, turns))
        code.append(self._made("mov.i.ar=imm8", _EC, Immediate(self.schedule.stages)))
        code.append(self._made("mov.pr.rot=rotated", Immediate(1 << 16)))
        code.append(self._made(JUMP, LabelOperand(counted.body.name, "target")))
        return code

    def _ending(self, predicates: VirtualRegister, loops: VirtualRegister) -> list[MachineInstruction]:
        code = []
        for register, value in self.parts.values.items():
            if register in self.live_out:
                number = self.first[value.kind] + self.names.of(value, 0, self.schedule.stages)
                code.append(copy(register, BY_NAME[f"{value.kind}{number}"]))
        self.kernel.unrotate = self._made("clrrrb")
        code.append(self.kernel.unrotate)
        code.append(self._made("mov.pr=r,mask17", predicates, Immediate(-(1 << 16))))
        code.append(self._made("mov.i.ar=r", _LC, loops))
        code.append(self._made(JUMP, LabelOperand(self.counted.exit, "target")))
        return code


def _clearing(one: MachineInstruction) -> Row:
    """The row of a comparison that clears its predicates where its stage is off; others as they are."""
    is_first = not any(trait == "unc" or trait.startswith("parallel") for trait in one.row.traits)
    if one.mask is not None or not is_first or not one.row.traits & {"compare", "float compare"}:
        return one.row
    head, relation, rest = one.row.name.split(".", 2)
    return ROWS[f"{head}.{relation}.unc.{rest}"]
