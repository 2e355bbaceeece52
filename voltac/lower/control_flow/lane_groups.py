"""Once for each value that lanes have, under the mask of the lanes that have it: ``foreach_unique``, calls by varying pointers.

Which lanes still wait is kept as bits, and lanes are compared with all that are on at the beginning, of which those that
have had their turn have another value: so what one turn computes waits for the one before only as long as it takes to find
the next lane. The lanes are put into memory twice: of one copy the value is read as a scalar, of the other into all lanes at
once. Read from one copy, both would be one load, and the value would go from a scalar register into a vector on that path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from voltac.lower.control_flow import masks
from voltac.lower.control_flow.first_lanes import equal, first_lanes
from voltac.lower.function_context import FunctionContext
from voltac.lower.text.ir_values import IR, zero
from voltac.records import record
from voltac.sema.types import UNIFORM, VARYING, Qual, Scalar, Type


@record
class LaneGroup:
    """The lanes that share a value."""

    value: IR
    mask: IR


def lane_groups(c: FunctionContext, values: IR, type: Type, name: str) -> Iterator[LaneGroup]:
    """Of ``values`` in the lanes that are on, by first lane: a loop, of which what the caller writes for the one group that
    this gives is the body. A NaN equals nothing, so its lane is a group by itself.
    """
    first = first_lanes(c, values, type)
    beginning = masks.waiting(c, masks.explicit(c, c.mask) if first is None else first)
    bits = beginning.type
    waiting = c.build.alloca(bits, 8, "waiting")
    c.build.store(beginning, waiting, 8)
    value_of, value_to_compare = _lane_of(c, values, type), _lane_of(c, values, type)
    head, body, done = (c.build.block(f"{name}.{part}") for part in ("test", "body", "done"))
    c.build.start(head)
    lanes = c.build.load(bits, waiting, 8)
    c.build.branch(c.build.compare("icmp ne", lanes, zero(bits)), body, done)
    c.build.start(body)
    lane = masks.next_lane(c, lanes)
    value = value_of(lane)
    everywhere = c.build.splat(c.width, value_to_compare(lane))
    group = masks.conjunction(c, c.mask, equal(c, values, everywhere, type))
    if isinstance(type, Scalar) and type.kind == "float":
        group = c.build.binary("or", group, masks.only_lane(c, lane))
    if first is None:
        left = c.build.binary("xor", masks.waiting(c, group), IR(bits, "-1"))
    else:
        left = c.build.binary("add", lanes, IR(bits, "-1"))
    c.build.store(c.build.binary("and", lanes, left), waiting, 8)
    yield LaneGroup(value, group)
    c.build.jump(head)
    c.build.start(done)


def _lane_of(c: FunctionContext, values: IR, type: Type) -> Callable[[IR], IR]:
    """How to get at a lane by its number: from memory, where the lanes are put once."""
    if c.target.is_device or c.types.lane(type) == "i1":
        return partial(c.build.extract, values)
    place = c.build.alloca(values.type, c.types.alignment(Qual(type, VARYING)), "values")
    c.build.store(values, place, c.types.alignment(Qual(type, VARYING)))
    element = c.types.lane(type)
    return lambda lane: c.build.load(element, c.build.gep(element, place, lane), c.types.element_alignment(Qual(type, UNIFORM)))
