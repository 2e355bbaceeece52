"""The blocks of a counted loop's kernel: what is set before it, its groups, what is made of it behind (IA-64 9, 11).

::

    loop.pipeline: addresses, counts                     loop.by2.enter: more than 2 iterations, and pairs aligned? else to loop
    loop:          the kernel                            loop.by2.pipeline, loop.by2, loop.by2.drained: addresses moved on
    loop.drained:  values in their own registers         loop.pipeline, ...: the rest, at least one iteration
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
from voltac.codegen.pipelining.instructions import LoopBody
from voltac.codegen.pipelining.loop import LoopGraph
from voltac.codegen.pipelining.modulo import ModuloSchedule
from voltac.codegen.pipelining.rotation import RotatingNames
from voltac.codegen.rows import Row
from voltac.records import field, record
from voltac.targets.ia64.registers import BY_NAME
from voltac.targets.ia64.select.comparisons import clearing
from voltac.targets.ia64.select.conditions import under_predicate
from voltac.targets.ia64.select.conventions import copy
from voltac.targets.ia64.select.counted_loops import CountedBlock, turns_of
from voltac.targets.ia64.select.kernel_parts import (
    FIRST,
    FIRST_STAGE,
    PipelinedKernel,
    Rotation,
    by_eights,
    jump_to,
    of_row,
    redirect,
)
from voltac.targets.ia64.select.pseudo import BRANCH_IF, as_instruction
from voltac.targets.ia64.select.streams import Step
from voltac.targets.ia64.select.unrolled import TouchedStretch, Unrolled, added, nothing_of

_CTOP = "br.ctop.sptk.few.target"
_MOST_SHIFTED = 4
"""Places that an addition shifts by."""
_NO_LOOP = LoopGraph(())


@record(eq=False)
class KernelPlan:
    """A schedule of a loop's code, in which an iteration of the kernel is of one of the loop's or of several."""

    starts: list[MachineInstruction]
    """What sets the addresses that the loop has more than it had."""
    steps: dict[AnyRegister, Step] = field(default_factory=dict)
    """Registers that are behind a kernel of several iterations where these have stepped them."""
    times: int = 1
    more: Unrolled | None = None
    """What there is besides where it is several."""
    sums: dict[AnyRegister, int] = field(default_factory=dict)
    """Registers that the loop adds to, in so many parts in turn."""
    parts: LoopBody = LoopBody(_NO_LOOP, ())
    schedule: ModuloSchedule = ModuloSchedule(_NO_LOOP, 1, (), ())
    names: RotatingNames = RotatingNames({}, {})

    @property
    def interval(self) -> int:
        """Cycles from one iteration of the kernel to the next."""
        return self.schedule.interval

    @property
    def cost(self) -> float:
        """Cycles for an iteration of the loop."""
        return self.interval / self.times


class KernelWriter:
    """Puts a kernel, its set-up and what is behind it in the place of a loop, or before it."""

    def __init__(
        self,
        function: MachineFunction,
        counted: CountedBlock,
        plan: KernelPlan,
        sums: dict[AnyRegister, MachineInstruction],
        live_out: set[AnyRegister],
    ) -> None:
        self.function = function
        self.counted = counted
        self.plan = plan
        self.sums = sums
        """What adds to a register."""
        self.live_out = live_out if plan.more is None else set(plan.sums)
        self.first = {**FIRST, "p": FIRST_STAGE + plan.schedule.stages}
        self.name = counted.body.name if plan.more is None else f"{counted.body.name}.by{plan.times}"
        self.initial: list[Register] = []

    def write(self) -> PipelinedKernel:
        """Changes the function."""
        function, body, plan = self.function, self.counted.body, self.plan
        turns = function.new_register("r")
        rotation = Rotation(function, turns)
        around = max(0, body.frequency - 1)
        first, following = f"{self.name}.pipeline", f"{self.name}.drained"
        entered = [MachineBlock(first, [*self._set_up(rotation), jump_to(self.name)], [self.name], around)]
        if plan.more is None:
            entered[0].instructions[:0] = [*turns_of(function, self.counted, turns), *plan.starts]
            behind = [*self._values(), *rotation.end(), jump_to(self.counted.exit)]
            to = self.counted.exit
        else:
            passes, enter, to = function.new_register("r"), f"{self.name}.enter", body.name
            entered.insert(0, MachineBlock(enter, self._choice(plan.more, turns, passes, first), [first, body.name], around))
            behind = [*self._values(), *self._whole_sums(plan.more), *rotation.end(), *self._moved_on(passes), jump_to(to)]
        groups = self._groups()
        # Where the loop goes on behind it is said for the layout; it is no part of the kernel.
        code = [*(one for group in groups for one in group), jump_to(following)]
        kernel = MachineBlock(self.name, code, [self.name, following], body.frequency)
        kernel.around = entered[-1], MachineBlock(following, behind, [to], around)
        self._put([*entered, kernel, kernel.around[1]])
        made = PipelinedKernel(
            self.name, groups, plan.interval, plan.schedule.stages, by_eights(plan.names.used.get("r", 0)), rotation.unrotate
        )
        made.initial = self.initial
        return made

    def _put(self, blocks: list[MachineBlock]) -> None:
        function, body, latch = self.function, self.counted.body, self.counted.latch
        for block in function.blocks:
            if block is not body and block is not latch:
                redirect(block, body.name, blocks[0].name)
        place = next(number for number, block in enumerate(function.blocks) if block is body)
        is_replaced = self.plan.more is None
        function.blocks[place : place + is_replaced] = blocks
        if latch is not None and is_replaced:
            function.blocks.remove(latch)

    def _register(self, register: AnyRegister, distance: int, stage: int) -> AnyRegister:
        value = self.plan.parts.values.get(register)
        if value is None:
            return register
        return BY_NAME[f"{value.kind}{self.first[value.kind] + self.plan.names.of(value, distance, stage)}"]

    def _groups(self) -> list[IssueGroup]:
        parts, interval = self.plan.parts, self.plan.interval
        rows: list[IssueGroup] = [[] for _ in range(interval)]
        stages: list[list[int]] = [[] for _ in range(interval)]
        made: set[AnyRegister] = set()
        for number, one in enumerate(parts.instructions):
            stage, row = divmod(self.plan.schedule.times[number], interval)
            values = []
            for operand, value in zip(one.row.operands, one.values):
                if isinstance(value, VirtualRegister):
                    is_earlier = operand.role == "use" and value in parts.values and value not in made
                    value = self._register(value, self.plan.sums.get(value, 1) if is_earlier else 0, stage)
                values.append(value)
            made.update(one.writes())
            made_one = as_instruction(MachineInstruction(_clearing(one), values, line=one.line, access=one.access))
            # A predicate of the loop's own is 0 where its stage is off.
            made_one.mask = BY_NAME[f"p{FIRST_STAGE + stage}"]
            if isinstance(one.mask, VirtualRegister):
                named = self._register(one.mask, 0, stage)
                assert isinstance(named, Register)
                made_one.mask = named
            # Where its stage is off it leaves what does not rotate as it was.
            made_one.implicit_uses = [value for value in made_one.writes() if isinstance(value, VirtualRegister)]
            # What is of an earlier iteration stands before: its accesses of memory do.
            at = sum(other >= stage for other in stages[row])
            rows[row].insert(at, made_one)
            stages[row].insert(at, stage)
        rows[-1].append(of_row(_CTOP, LabelOperand(self.name, "target")))
        return rows

    def _set_up(self, rotation: Rotation) -> list[MachineInstruction]:
        parts, code = self.plan.parts, []
        for register, value in parts.values.items():
            farthest = max(
                (read.distance for one in parts.loop.operations for read in one.reads if read.value is value), default=0
            )
            for distance in range(1, farthest + 1):
                name = BY_NAME[f"{value.kind}{self.first[value.kind] + self.plan.names.initially(value, distance)}"]
                self.initial.append(name)
                # Of the parts of a sum the first goes on with what there is.
                code.append(copy(name, register) if distance == 1 else nothing_of(name))
        return [*code, *rotation.begin(self.plan.schedule.stages, 1 << FIRST_STAGE)]

    def _values(self) -> list[MachineInstruction]:
        """What is read behind the loop, in its own registers, sums of all their parts."""
        code = []
        for register in self.plan.parts.values:
            if register in self.live_out:
                last = [
                    self._register(register, earlier, self.plan.schedule.stages)
                    for earlier in range(self.plan.sums.get(register, 1))
                ]
                code.append(copy(register, last[0]))
                if last[1:]:
                    code += added(self._adding(register), register, last[1:], self.function.new_register("f"))
        return code

    def _adding(self, part: AnyRegister) -> MachineInstruction:
        more = self.plan.more.parts if self.plan.more is not None else {}
        return self.sums[next((register for register, parts in more.items() if part in parts), part)]

    # --- several iterations at a time

    def _choice(self, more: Unrolled, turns: VirtualRegister, passes: VirtualRegister, first: str) -> list[MachineInstruction]:
        """To the kernel if one iteration is left behind a pass of it at least, and addresses of pairs are aligned."""
        function, times = self.function, self.plan.times
        is_few, is_much = function.new_register("p"), function.new_register("p")
        places = times.bit_length() - 1
        code = [*turns_of(function, self.counted, turns), *self.plan.starts]
        code.append(of_row("extr.u.r=r,pos6,len6", passes, turns, Immediate(places), Immediate(64 - places)))
        apart = [one for first, second in more.apart for one in self._overlap(first, second, turns, (is_few, is_much))]
        code.append(of_row("cmp.eq.p,p=imm8,r", is_few, is_much, Immediate(0), passes))
        for size in sorted({size for _, size in more.aligned}):
            joined, *others = [address for address, each in more.aligned if each == size]
            for other in others:
                both = function.new_register("r")
                code.append(of_row("or.r=r,r", both, joined, other))
                joined = both
            rest = function.new_register("r")
            code.append(of_row("and.r=imm8,r", rest, Immediate(size - 1), joined))
            code.append(of_row("cmp.ne.or.andcm.p,p=imm8,r", is_few, is_much, Immediate(0), rest))
        code += [*apart, of_row("adds.r=imm14,r", turns, Immediate(-1), passes)]
        for parts in more.parts.values():
            code += [nothing_of(part) for part in parts]
        code.append(of_row(BRANCH_IF, is_few, is_much, LabelOperand(self.counted.body.name, "target")))
        return [*code, jump_to(first)]

    def _overlap(
        self,
        first: TouchedStretch,
        second: TouchedStretch,
        turns: VirtualRegister,
        both: tuple[VirtualRegister, VirtualRegister],
    ) -> list[MachineInstruction]:
        """Whether two addresses come to the same bytes in any iterations: they do if the first is less than a stretch before
        the second, or less than one behind it."""
        function = self.function
        way, other, sum_, distance, most = (function.new_register("r") for _ in range(5))
        code = [
            *_times(way, turns, first.step),
            *_times(other, turns, second.step),
            of_row("add.r=r,r", sum_, way, other),
            of_row("sub.r=r,r", distance, first.register, second.register),
            of_row("add.r=r,r", distance, distance, way),
            of_row("adds.r=imm14,r", distance, Immediate(first.first - second.first + first.size - 1), distance),
            of_row("adds.r=imm14,r", most, Immediate(first.size + second.size - 1), sum_),
            under_predicate(of_row("cmp.ltu.p,p=r,r", *both, distance, most), both[1]),
        ]
        code[-1].implicit_uses = [*both]
        return code

    def _whole_sums(self, more: Unrolled) -> list[MachineInstruction]:
        code = []
        for register, parts in more.parts.items():
            code += added(self.sums[register], register, parts, self.function.new_register("f"))
        return code

    def _moved_on(self, passes: VirtualRegister) -> list[MachineInstruction]:
        """Addresses and counters where the iterations of the kernel have brought them."""
        counted, code = self.counted, []
        steps = {**self.plan.steps, counted.counter: counted.step}
        for register, step in steps.items():
            assert isinstance(step, int)
            places = (step * self.plan.times).bit_length() - 1
            if 0 < places <= _MOST_SHIFTED:
                code.append(of_row("shladd.r=r,count4,r", register, passes, Immediate(places), register))
            else:
                moved = self.function.new_register("r")
                code += _times(moved, passes, step * self.plan.times)
                code.append(of_row("add.r=r,r", register, register, moved))
        return code


def _times(register: VirtualRegister, number: VirtualRegister, power: int) -> list[MachineInstruction]:
    """A number times a power of two."""
    places = power.bit_length() - 1
    if not places:
        return [copy(register, number)]
    return [of_row("dep.z.r=r,cpos6,len6", register, number, Immediate(places), Immediate(64 - places))]


def _clearing(one: MachineInstruction) -> Row:
    """The row of a comparison that clears its predicates where its stage is off; others as they are."""
    is_first = not any(trait == "unc" or trait.startswith("parallel") for trait in one.row.traits)
    if one.mask is not None or not is_first or not one.row.traits & {"compare", "float compare"}:
        return one.row
    return clearing(one.row)
