"""A stream's body -> a pipelined loop on pairs of aux registers, by the modulo scheduler.

A load and a store that share an instruction (``ldst64pace``) issue together, the store some iterations behind. In place they
must be an odd number of words apart (IPU 5.2): of the odd numbers the one that gives the shortest kernel is taken.
"""

from __future__ import annotations

from voltac.codegen.pipelining.loop import IssueResources, LoopGraph, LoopOperation, LoopValue, Order, ReadValue
from voltac.codegen.pipelining.pipeline import PipelinedLoop, PipelineLimits, pipelined
from voltac.targets.ipu.shapes import AUX, MAIN
from voltac.targets.ipu.streams.program import StreamProgram

_PIPES = IssueResources({MAIN: 1, AUX: 1})
_MAIN, _AUX = (((MAIN, 0),),), (((AUX, 0),),)
_WITH_ANOTHER = ((),)
LOAD, STORE = "load", "store"
"""Names of the operations that access memory; others are ``result = operation operands``."""
_LEADS = (1, 3, 5, 7, 9)
"""Words by which a load may be ahead. Chosen: beyond, registers do not suffice."""
_MOST_UNROLLED = 8
"""Iterations of a kernel. Chosen: four pairs of registers need no more."""


def schedule(program: StreamProgram, pairs: int, paced: bool) -> PipelinedLoop | None:
    """The best pipeline with so many pairs of registers; ``paced`` joins accesses. None where the pairs do not suffice."""
    joins_store = paced and program.loads == 1
    leads = _LEADS if joins_store else (0,)
    found = []
    for lead in leads:
        loop = pipelined(_graph(program, paced, lead), PipelineLimits(_PIPES, {"a2": pairs}, True, _MOST_UNROLLED))
        # The store is the last operation, so no pass before the kernel has one.
        if loop is not None and (not joins_store or loop.before == lead):
            found.append(loop)
    return min(found, key=lambda loop: (loop.schedule.interval, loop.before + loop.unroll), default=None)


def _graph(program: StreamProgram, paced: bool, lead: int) -> LoopGraph:
    values = {f"v{number}": LoopValue(f"v{number}", "a2") for number in range(program.loads)}
    operations: list[LoopOperation] = []
    if paced and program.loads > 1:
        operations.append(LoopOperation(LOAD, _MAIN, 1, tuple(values.values())))
    else:
        operations += [LoopOperation(f"{LOAD} {number}", _MAIN, 1, (value,)) for number, value in enumerate(values.values())]
    for step in program.steps:
        reads = tuple(ReadValue(values[name]) for name in step.operands if name[0] == "v")
        values[step.result] = LoopValue(step.result, "a2")
        operations.append(LoopOperation(step.result, _AUX, 1, (values[step.result],), reads))
    is_joined = paced and program.loads == 1
    stored = (ReadValue(values[program.stored]),)
    store = LoopOperation(STORE, _WITH_ANOTHER if is_joined else _MAIN, 1, (), stored)
    orders: tuple[Order, ...] = ()
    if is_joined:
        load = operations[0]
        orders = (Order(load, store, 0, -lead), Order(store, load, 0, lead))
    else:
        # In place a word is read before it is written.
        orders = tuple(Order(one, store, 0, 0) for one in operations if one.name.startswith(LOAD))
    return LoopGraph((*operations, store), orders)
