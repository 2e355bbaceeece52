"""Counted loops of one block -> kernels of software pipelines: registers rotate, stages are predicates (IA-64 9, 11).

::

    loop:                                          lc = n - 1, ec = stages, p16 = 1
      ldfs a=[p],4                               loop:
      fma  b=a,s,t             ->                  (p16) ldfs f32=[p],4   (p22) fma f40=f38,s,t   (p26) stfs [q]=f44,4
      stfs [q]=b,4                                 br.ctop loop
      cmp.eq x,y=p,end; branch unless x loop

The counter's comparison goes, and the counter where nothing else needs it. The schedule is the shared modulo scheduler's
(``codegen/pipelining``); a pass of the kernel is the initiation interval, in as many groups. Where a kernel of several
iterations is faster it comes before that of one, which does the rest.
"""

from __future__ import annotations

from voltac.codegen.machine_code import AnyRegister, MachineFunction, MachineInstruction
from voltac.codegen.pipelining.instructions import LoopBody, loop_of
from voltac.codegen.pipelining.loop import LoopGraph, LoopOperation
from voltac.codegen.pipelining.modulo import ModuloSchedule, schedules
from voltac.codegen.pipelining.rotation import rotate
from voltac.records import replace
from voltac.targets.ia64.registers import BY_NAME
from voltac.targets.ia64.select.advanced_loads import with_advanced_loads
from voltac.targets.ia64.select.carried_values import without_copies
from voltac.targets.ia64.select.counted_kernels import KernelPlan, KernelWriter
from voltac.targets.ia64.select.counted_loops import CountedBlock, counted_block
from voltac.targets.ia64.select.groups import RESOURCES, ways_of
from voltac.targets.ia64.select.kernel_parts import (
    LAST_PREDICATE,
    LIMITS,
    MOST_STAGES,
    PipelinedKernel,
    has_few_static_registers,
    is_one_instruction,
    live_behind,
)
from voltac.targets.ia64.select.streams import Streams
from voltac.targets.ia64.select.unrolled import sums_of, unrolled
from voltac.targets.ia64.select.while_loops import pipelined_by_condition

_TIMES = (1, 2, 4)
"""Iterations that a kernel may be of."""
_LONGEST = 48
"""Instructions of them. Chosen: the reference's longest loop has 12, a schedule of 48 is found in a tenth of a second."""
_GAIN = 0.8
"""Of the cycles of an iteration: what is left has to be less than that for a longer kernel."""


def pipeline_loops(function: MachineFunction, any_order: bool = False) -> dict[str, PipelinedKernel]:
    """The kernels, by their block; a function has rotating registers from then on.

    ``any_order``: sums of floats may be added in another order.
    """
    made: dict[str, PipelinedKernel] = {}
    for block in list(function.blocks):
        counted = counted_block(function, block)
        kernels = [] if counted is None else _pipelined(function, counted, any_order)
        if not kernels:
            kernel = pipelined_by_condition(function, block)
            kernels = [] if kernel is None else [kernel]
        made.update((kernel.name, kernel) for kernel in kernels)
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


def _pipelined(function: MachineFunction, counted: CountedBlock, any_order: bool) -> list[PipelinedKernel]:
    """The kernels of a loop; none where it stays as it is."""
    live_out = live_behind(function, counted.exit)
    code = [one for one in counted.body.instructions[:-2] if one is not counted.compare]
    if any(register in live_out for register in counted.compare.writes()):
        return []
    carried = without_copies(function, code, counted.latch.instructions[:-1] if counted.latch is not None else [], live_out)
    if carried is None:
        return []
    code = [one for one in carried.code if not _is_idle_counter(one, counted, carried.code, live_out)]
    if any("pseudo" in one.row.traits and not is_one_instruction(one) for one in code):
        return []
    sums = sums_of(Streams(function, code), any_order)
    rest = _of_one(function, code, sums, live_out, carried.starts)
    if rest is None:
        return []
    ahead = with_advanced_loads(function, code) if rest.interval > 1 else None
    faster = _of_one(function, ahead, sums, live_out, carried.starts) if ahead is not None else None
    if faster is not None and faster.interval < rest.interval:
        rest = faster
    best = rest
    for times in () if carried.starts else _TIMES:
        several = _of_several(function, counted, code, sums, times) if times * len(code) <= _LONGEST else None
        if several is not None and several.cost < _GAIN * best.cost:
            best = several
    plans = [rest] if best is rest else [best, rest]
    return [KernelWriter(function, counted, plan, sums, live_out).write() for plan in plans]


def _is_idle_counter(
    one: MachineInstruction, counted: CountedBlock, code: list[MachineInstruction], live_out: set[AnyRegister]
) -> bool:
    """Whether an instruction only counts, for nobody."""
    counter = counted.counter
    is_step = one.writes() == [counter] and not one.row.traits & {"load", "store"}
    return is_step and counter not in live_out and not any(counter in other.reads() for other in code if other is not one)


def _of_one(
    function: MachineFunction,
    code: list[MachineInstruction],
    sums: dict[AnyRegister, MachineInstruction],
    live_out: set[AnyRegister],
    starts: list[MachineInstruction],
) -> KernelPlan | None:
    streams = Streams(function, code)
    separate = streams.separate(live_out)
    return _in_parts(separate, sums, live_out, streams, KernelPlan(starts=[*streams.starts, *starts]))


def _of_several(
    function: MachineFunction,
    counted: CountedBlock,
    code: list[MachineInstruction],
    sums: dict[AnyRegister, MachineInstruction],
    times: int,
) -> KernelPlan | None:
    streams = Streams(function, code)
    several = unrolled(streams, times, sums, counted.counter)
    if several is None:
        return None
    parts = {part: sums[register] for register in sums for part in (register, *several.parts[register])}
    plan = KernelPlan(starts=streams.starts, steps=streams.steps, times=times, more=several)
    return _in_parts(several.code, parts, set(parts), streams, plan)


def _in_parts(
    code: list[MachineInstruction],
    sums: dict[AnyRegister, MachineInstruction],
    live_out: set[AnyRegister],
    streams: Streams,
    plan: KernelPlan,
) -> KernelPlan | None:
    """With sums in one part each, or in as many as hide the time that one takes if that is faster."""
    best = _scheduled(code, live_out, streams, replace(plan, sums=dict.fromkeys(sums, 1)))
    longest = max((one.row.latency for one in sums.values()), default=1)
    if best is None or best.interval == 1 or longest == 1:
        return best
    interval = 1
    while interval < best.interval:
        parts = {register: -(-one.row.latency // interval) for register, one in sums.items()}
        made = _scheduled(code, live_out, streams, replace(plan, sums=parts))
        if made is None or made.interval <= interval:
            return best if made is None else made
        interval = made.interval
    return best


def _scheduled(
    code: list[MachineInstruction], live_out: set[AnyRegister], streams: Streams, plan: KernelPlan
) -> KernelPlan | None:
    """The shortest interval with names for all values; None where there is none, or it is that of the loop as it is."""
    if not has_few_static_registers(code):
        return None
    try:
        parts = loop_of(code, ways_of, True, frozenset(live_out), streams.distance, plan.sums)
    except ValueError:
        return None
    if any(one.mask is not None and one.mask not in parts.values for one in code) or _carries_predicates(parts):
        return None
    graph, branch = _with_branch(parts.loop)
    for schedule in schedules(graph, RESOURCES):
        turned = _ending_with(schedule, branch)
        if turned.stages > MOST_STAGES:
            continue
        # The loop branch writes p63; the first of the names are the stages'.
        names = rotate(turned, {**LIMITS, "p": LAST_PREDICATE - 15 - turned.stages}, unlike=frozenset("f"))
        if names is not None:
            is_faster = turned.stages > 1 or turned.interval == 1
            return replace(plan, parts=parts, schedule=turned, names=names) if is_faster else None
    return None


def _carries_predicates(parts: LoopBody) -> bool:
    """Whether an iteration asks for a predicate of the one before, or somebody behind the loop does."""
    carried = any(read.distance and read.value.kind == "p" for one in parts.loop.operations for read in one.reads)
    return carried or any(value.kind == "p" for value in parts.loop.live_out)


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
