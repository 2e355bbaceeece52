"""Kernels of devices whose threads all enter a kernel: shares of ``foreach``, and waiting for each other.

The threads of all cores are gangs number 0 .. G-1. A ``foreach`` gives each a
contiguous share of its outermost dimension, in whole gangs or tiles, so that a
line of memory mostly belongs to one thread (NaplesPU reference, 5.4)::

    blocks = ceil((last - first) / span);  share = ceil(blocks / G)
    first' = first + span * min(g * share, blocks);  last' likewise for g + 1

and a barrier stands behind it. ``sema/thread_sharing.py`` tells for which kernels this is right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from voltac.lower.builder import IR, integer
from voltac.lower.context import FunctionContext
from voltac.records import record

if TYPE_CHECKING:
    from voltac.sema.thread_sharing import Sharing

_TILE, _THREAD, _ARGUMENTS, _THREADS_OF_A_CORE = 0, 2, 13, 20
"""Control registers (NaplesPU reference, 1.4); the host writes the number of threads of a core into the last one."""
BARRIER = 42
"""Where the threads of a launch meet; programs that wait at barriers of their own take other numbers."""


@record
class Threads:
    """What a kernel knows of the threads that run it."""

    sharing: Sharing
    gang: IR
    gangs: IR


def begin_kernel(c: FunctionContext) -> str:
    """Finds out who runs a kernel and makes it known: the attribute of the function."""
    from voltac.sema.thread_sharing import SHARED, SINGLE, sharing_of  # for devices only

    sharing = sharing_of(c.body)
    if sharing.way == SHARED:
        read = c.module.text.declare("npu.read_control", "i32", "i32")
        tile, thread, block, threads = (
            c.build.value("i32", f"call i32 {read}(i32 {number})")
            for number in (_TILE, _THREAD, _ARGUMENTS, _THREADS_OF_A_CORE)
        )
        gang = c.build.binary("add", c.build.binary("mul", tile, threads), thread)
        gangs = c.build.load("i32", c.build.convert("inttoptr", block, "ptr"), 4)
        c.threads = Threads(sharing, gang, gangs)
    return f'"voltac-threads"="{"one" if sharing.way == SINGLE else "all"}" "voltac-flush"="{sharing.flushed_by}"'


def share(c: FunctionContext, first: IR, last: IR, span: int) -> tuple[IR, IR]:
    """The part of a range that this thread takes; the whole range in functions that are not shared."""
    if c.threads is None:
        return first, last
    build = c.build
    if c.threads.sharing.reads_outside:
        wait(c)
    smax, umin = (c.module.text.declare(f"llvm.{name}.i32", "i32", "i32, i32") for name in ("smax", "umin"))
    count = build.value("i32", f"call i32 {smax}({build.binary('sub', last, first)}, i32 0)")
    blocks = _quotient_above(c, count, integer("i32", span))
    share_of_each = _quotient_above(c, blocks, c.threads.gangs)
    begin = build.value("i32", f"call i32 {umin}({build.binary('mul', share_of_each, c.threads.gang)}, {blocks})")
    end = build.value("i32", f"call i32 {umin}({build.binary('add', begin, share_of_each)}, {blocks})")
    own_first = build.binary("add nsw", first, build.binary("mul nsw", begin, integer("i32", span)))
    behind = build.binary("add nsw", first, build.binary("mul nsw", end, integer("i32", span)))
    smin = c.module.text.declare("llvm.smin.i32", "i32", "i32, i32")
    return own_first, build.value("i32", f"call i32 {smin}({behind}, {last})")


def wait(c: FunctionContext) -> None:
    """Until all threads are here, in functions that are shared."""
    if c.threads is not None:
        barrier = c.module.text.declare("npu.barrier", "void", "i32, i32")
        others = c.build.binary("sub", c.threads.gangs, integer("i32", 1))
        c.build.emit(f"call void {barrier}(i32 {BARRIER}, {others})")


def _quotient_above(c: FunctionContext, number: IR, divisor: IR) -> IR:
    """``number / divisor`` rounded up, of numbers that are not negative."""
    raised = c.build.binary("add", number, c.build.binary("sub", divisor, integer("i32", 1)))
    return c.build.binary("udiv", raised, divisor)
