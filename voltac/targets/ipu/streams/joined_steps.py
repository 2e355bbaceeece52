"""Steps of a stream that one instruction does together."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from voltac.records import replace
from voltac.targets.ipu.streams.program import SCALED, StreamProgram, StreamStep


def with_clamp(program: StreamProgram) -> StreamProgram:
    """The first ``max`` and ``min`` by scalars, of which nobody else reads what is between, is one operation."""
    uses = [name for step in program.steps for name in step.operands] + [one.value for one in program.stores]
    uses += [one.new for one in program.carries]
    for at, (first, second) in enumerate(pairwise(program.steps)):
        if first.operation[5:] != "max" or second.operation[5:] != "min" or second.operands[0] != first.result:
            continue
        (value, low), (_, high) = first.operands, second.operands
        if low[0] == high[0] == "s" != value[0] and low != high:
            if uses.count(first.result) == uses.count(low) == uses.count(high) == 1:
                clamp = StreamStep(second.result, first.operation[:5] + "clamp", (value, low, high))
                return replace(program, steps=(*program.steps[:at], clamp, *program.steps[at + 2 :]))
    return program


def with_scale(program: StreamProgram, contracted: set[str]) -> Iterator[StreamProgram]:
    """A product by a scalar that is added to something is one operation with it: each way to take one."""
    if program.sums or any(one.is_result for one in program.carries):
        return
    uses = [name for step in program.steps for name in step.operands] + [one.value for one in program.stores]
    made = {step.result: step for step in program.steps}
    for step in program.steps:
        kind = step.operation[:5]
        if step.operation[5:] != "add" or step.result not in contracted:
            continue
        for product, other in (step.operands, step.operands[::-1]):
            first = made.get(product)
            if first is None or first.operation != f"{kind}mul" or uses.count(product) != 1:
                continue
            scale, value = first.operands if first.operands[0][0] == "s" else first.operands[::-1]
            if scale[0] == "s" and value[0] != "s" and product in contracted:
                joined = StreamStep(step.result, SCALED[kind], (value, other))
                steps = tuple(joined if one is step else one for one in program.steps if one is not first)
                yield replace(program, steps=steps, scale=scale)
