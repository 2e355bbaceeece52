"""Lanes that write different values to one element: the highest one wins, which is seldom what somebody meant."""

from __future__ import annotations

from voltac.lower.checks.failed_check import fail_in_lanes
from voltac.lower.control_flow import masks
from voltac.lower.control_flow.failure_exits import RACE
from voltac.lower.function_context import FunctionContext
from voltac.lower.text.ir_values import IR, element_type, integer, lanes_of, poison, zero


def check_race(c: FunctionContext, pointers: IR, value: IR, mask: IR | None, size: int) -> None:
    """Of a scatter of ``size`` bytes a lane. Addresses in ascending order, as of neighbours, are told apart at once."""
    lanes = lanes_of(pointers.type)
    if not c.checks.races or lanes < 2:
        return
    type = f"<{lanes} x i64>"
    at = c.build.convert("ptrtoint", pointers, type)
    # Lanes that are off may have poison for an address.
    at = at if mask is None else c.build.value(type, f"freeze {at}")
    following = c.build.shuffle(at, poison(type), [*range(1, lanes), -1])
    step = c.build.binary("sub", following, at)
    close = c.build.compare("icmp slt", step, c.build.splat(lanes, integer("i64", size)))
    # The last lane has nobody behind it.
    close = c.build.shuffle(close, zero(close.type), [*range(lanes - 1), lanes])
    look, done = c.build.block("race.look"), c.build.block("race.none")
    c.build.branch(masks.any_on(c, close), look, done)
    c.build.start(look)
    fail_in_lanes(c, _same_element(c, at, _as_integers(c, value), masks.explicit(c, mask)), mask, RACE, (), _no_values)
    c.build.start(done)


def _same_element(c: FunctionContext, at: IR, value: IR, mask: IR) -> IR:
    """The lanes whose element another one of the mask writes, with another value."""
    lanes = lanes_of(at.type)
    value = c.build.value(value.type, f"freeze {value}")
    found = masks.all_off(c)
    for distance in range(1, lanes):
        turned = [(lane + distance) % lanes for lane in range(lanes)]
        others = [c.build.shuffle(one, poison(one.type), turned) for one in (at, value, mask)]
        same = c.build.compare("icmp eq", at, others[0])
        differs = c.build.compare("icmp ne", value, others[1])
        clash = c.build.binary("and", c.build.binary("and", same, differs), others[2])
        found = c.build.binary("or", found, clash)
    return found


def _as_integers(c: FunctionContext, value: IR) -> IR:
    lane, lanes = element_type(value.type), lanes_of(value.type)
    if lane == "ptr":
        return c.build.convert("ptrtoint", value, f"<{lanes} x i64>")
    bits = {"half": 16, "float": 32, "double": 64}.get(lane)
    return value if bits is None else c.build.convert("bitcast", value, f"<{lanes} x i{bits}>")


def _no_values(lane: IR | None) -> list[IR]:
    return [integer("i64", 0)] * 3
