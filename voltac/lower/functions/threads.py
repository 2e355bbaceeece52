"""Kernels of devices whose threads all enter a kernel: shares of ``foreach``, and waiting for each other.

The threads of all cores are gangs number 0 .. G-1. Of the outermost dimension of a
``foreach`` gang g takes the parts (of W elements, a tile or a row) number g, g + G,
g + 2G, ..: that takes no division, and evens out parts of different length::

    for (i = first + g * span; i < last; i += G * span)

A device may have one piece of the range for each instead, the parts of which differ in number by one at most. No ``i`` may pass
the largest number: gang 0 does ranges that end too near to it alone. A barrier stands behind the
``foreach``. ``sema/analyses/thread_sharing.py`` tells for which kernels this is right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from voltac.ir import marks
from voltac.lower.function_context import FunctionContext, Threads
from voltac.lower.text.ir_values import IR, integer

if TYPE_CHECKING:
    from voltac.target_info.device_facts import DeviceFacts, ThreadFacts


def _device(c: FunctionContext) -> tuple[DeviceFacts, ThreadFacts]:
    device = c.target.device
    assert device is not None and device.threads is not None
    return device, device.threads


def begin_kernel(c: FunctionContext) -> str:
    """Finds out who runs a kernel and makes it known: the attribute of the function."""
    from voltac.sema.analyses.thread_sharing import SHARED, SINGLE, WRITTEN, sharing_of  # for devices only

    sharing = sharing_of(c.symbol, c.target)
    if sharing.way == WRITTEN:
        c.module.lines_have_one_thread = False
    if sharing.way == SHARED:
        facts = _device(c)[1]
        thread = _read(c, facts.thread)
        if facts.least == facts.most and facts.cores == 1:
            c.threads = Threads(sharing, thread, integer("i32", facts.most))
        else:
            core, block, threads = (_read(c, number) for number in (facts.core, facts.arguments, facts.threads_of_a_core))
            gang = c.build.binary("add", c.build.binary("mul", core, threads), thread)
            gangs = c.build.load("i32", c.build.convert("inttoptr", block, "ptr"), 4)
            c.threads = Threads(sharing, gang, gangs)
    entered_by = marks.attribute(marks.THREADS, "one" if sharing.way == SINGLE else "all")
    return f"{entered_by} {marks.attribute(marks.FLUSH, sharing.flushed_by)}"


def _read(c: FunctionContext, number: int) -> IR:
    """A control register."""
    read = c.module.text.declare(_device(c)[0].function("__read_control"), "i32", "i32")
    return c.build.value("i32", f"call i32 {read}(i32 {number})")


def shares_chunks(c: FunctionContext) -> bool:
    """Whether this is a kernel whose threads take one piece of each range."""
    return c.threads is not None and _device(c)[1].has_chunks


def own_chunk(c: FunctionContext, first: IR, last: IR, span: int, from_whole_gangs: bool) -> tuple[IR, IR]:
    """The piece of a range, in parts of ``span``, that is this thread's: the first threads have a part more than the others.

    ``from_whole_gangs``: all but the first begin at a multiple of ``span``, not as far from ``first``.
    """
    assert c.threads is not None
    build, threads = c.build, c.threads
    if threads.sharing.reads_outside:
        wait_for_all(c)
    some = build.compare("icmp slt", first, last)
    base = build.binary("and", first, integer("i32", -span)) if from_whole_gangs and span & (span - 1) == 0 else first
    total = build.select(some, build.binary("sub", last, base), integer("i32", 0))
    parts = total
    if span > 1:
        begun = build.binary("urem", total, integer("i32", span))
        more = build.convert("zext", build.compare("icmp ne", begun, integer("i32", 0)), "i32")
        parts = build.binary("add", build.binary("udiv", total, integer("i32", span)), more)
    each = build.binary("udiv", parts, threads.gangs)
    over = build.binary("sub", parts, build.binary("mul", each, threads.gangs))
    has_more = build.compare("icmp ult", threads.gang, over)
    before = build.select(has_more, threads.gang, over)
    begin = build.binary("add", build.binary("mul", each, threads.gang), before)
    end = build.binary("add", build.binary("add", begin, each), build.convert("zext", has_more, "i32"))
    # The last part may be a shorter one.
    limit = build.select(build.compare("icmp eq", end, parts), total, build.binary("mul", end, integer("i32", span)))
    low = build.binary("add", base, build.binary("mul", begin, integer("i32", span)))
    if first.name != "0":
        # A thread without a part could begin beyond the largest number; from 0 on, nobody sees the end of so long a range.
        low = build.select(build.compare("icmp eq", begin, parts), last, low)
    low = build.select(build.compare("icmp eq", begin, integer("i32", 0)), first, low)
    return low, build.binary("add", base, limit)


def begin_share(c: FunctionContext, first: IR, last: IR, span: int, done: str) -> tuple[IR, IR]:
    """Where this thread begins in a range that is counted in steps of ``span``, and the step to its next part.

    Threads without a part go on at ``done``. Where a step beyond the last value would leave int32, gang 0 does the range.
    """
    assert c.threads is not None
    build, threads = c.build, c.threads
    if threads.sharing.reads_outside:
        wait_for_all(c)
    width = integer("i32", span)
    some, alone, mine = (build.block(f"share.{part}") for part in ("some", "alone", "mine"))
    build.branch(build.compare("icmp slt", first, last), some, done)
    build.start(some)
    step = build.binary("mul nsw", threads.gangs, width)
    leaves = build.compare("icmp slt", build.binary("add", last, step), last)
    rarely = c.module.text.metadata_node('!{!"branch_weights", i32 1, i32 1048575}')
    build.terminate(f"br i1 {leaves.name}, label %{alone}, label %{mine}, !prof {rarely}")
    build.start(alone)
    build.branch(build.compare("icmp eq", threads.gang, integer("i32", 0)), mine, done)
    build.start(mine)
    step = build.phi([(step, some), (width, alone)])
    begin = build.binary("add nsw", first, build.binary("mul nsw", threads.gang, width))
    return begin, step


def wait_for_all(c: FunctionContext) -> None:
    """Until all threads are here, in functions that are shared."""
    if c.threads is not None:
        device, facts = _device(c)
        barrier = c.module.text.declare(device.function("__barrier"), "void", "i32, i32")
        others = c.build.binary("sub", c.threads.gangs, integer("i32", 1))
        c.build.emit(f"call void {barrier}(i32 {facts.barrier}, {others})")


def run_share(c: FunctionContext, task: IR, block: IR, counts: list[IR]) -> None:
    """``launch`` on a device: this thread calls the tasks that are its own, every G-th one; all of them where it is alone.

    ``block`` holds the arguments; tasks take the numbers that ``lower/functions/launches.py`` lists.
    """
    build = c.build
    if c.threads is not None:
        c.module.lines_have_one_thread = False
    first, step = (c.threads.gang, c.threads.gangs) if c.threads is not None else (integer("i32", 0), integer("i32", 1))
    plane = build.binary("mul", counts[0], counts[1])
    total = build.binary("mul", plane, counts[2])
    body, done = build.block("launch.task"), build.block("launch.done")
    counter = build.alloca("i32", 4, "task")
    build.store(first, counter, 4)
    build.branch(build.compare("icmp slt", first, total), body, done)
    build.start(body)
    index = build.load("i32", counter, 4)
    places = (
        build.binary("urem", index, counts[0]),
        build.binary("urem", build.binary("udiv", index, counts[0]), counts[1]),
        build.binary("udiv", index, plane),
    )
    numbers = (first, step, index, total, *places, *counts)
    build.emit(f"call void {task.name}({block}, {', '.join(map(str, numbers))})")
    build.store(build.binary("add", index, step), counter, 4)
    build.branch(build.compare("icmp ugt", build.binary("sub", total, index), step), body, done)
    build.start(done)
