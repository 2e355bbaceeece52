"""Where the scalars of a stream are: registers from the top, what is left for the pipeline from the bottom."""

from __future__ import annotations

from voltac.records import record
from voltac.targets.ipu.streams.program import StreamProgram, StreamStep

PAIRS = 4
"""Pairs of registers that there are (IPU 1.2)."""
COMMUTATIVE = frozenset(("add", "mul"))


@record
class ScalarPlaces:
    """Registers of the scalars."""

    registers: tuple[tuple[int, ...], ...]
    """By number of the scalar: one that is broadcast, two that are a pair, none for what no operation reads."""
    pairs: int
    """Pairs that are free, the lowest ones; negative where there are too many scalars."""


def ordered(step: StreamStep) -> tuple[str, ...]:
    """The operands, a scalar first where that makes no difference: the first can be broadcast."""
    first, *others = step.operands
    if others and others[0][0] == "s" and step.operation[5:] in COMMUTATIVE:
        return (others[0], first)
    return step.operands


def _as_pairs(step: StreamStep) -> list[str]:
    """The scalars of a step that cannot be broadcast: only the first operand is, and not of every operation."""
    operation = step.operation[5:]
    if operation == "clamp":
        return []
    operands = ordered(step) if operation in ("add", "sub", "mul") else ("", *ordered(step))
    return [name for name in operands[1:] if name and name[0] == "s"]


def place_scalars(program: StreamProgram) -> ScalarPlaces:
    """Pairs, and the limits of clamps, at even numbers; ``f32v2axpy`` has its scale elsewhere."""
    free = list(range(2 * PAIRS))
    pairs = {name for step in program.steps for name in _as_pairs(step)}
    used = {name for step in program.steps for name in step.operands}
    places: list[tuple[int, ...]] = [()] * program.scalars
    for step in program.steps:
        if step.operation.endswith("clamp"):
            for name, register in zip(step.operands[1:], free[-2:]):
                places[int(name[1:])] = (register,)
            del free[-2:]
    # Pairs first, so that they stay aligned.
    for number in sorted(range(program.scalars), key=lambda one: f"s{one}" not in pairs):
        if places[number] or f"s{number}" not in used:
            continue
        count = 2 if f"s{number}" in pairs else 1
        places[number] = tuple(free[-count:])
        del free[-count:]
        if not free:
            return ScalarPlaces(tuple(places), -1)
    return ScalarPlaces(tuple(places), len(free) // 2)


def rest_pairs(program: StreamProgram) -> dict[str, int] | None:
    """The pair of each value, and for a quad the first of two, where an iteration runs by itself; None if there are too few.

    What was carried into the iteration has the highest pairs. They are free behind the last use, if that is the only one.
    """
    count = place_scalars(program).pairs
    places = {carry.old: count - 1 - number for number, carry in enumerate(program.carries)}
    kept = set(places.values()) if len(places) > 1 else set()
    begins = {step.result: step.into for step in program.steps if step.into}
    at_end = {one.value for one in program.stores} | {one.new for one in program.carries}
    at_end |= {name for one in program.sums for name in one.operands}
    made = [(load.value, "", 2 if load.kind == "quad" else 1) for load in program.loads]
    made += [(step.result, step.into, 1) for step in program.steps]
    for at, (name, into, size) in enumerate(made):
        if into:
            places[name] = places[into]
            continue
        later = program.steps[max(0, at + 1 - len(program.loads)) :]
        needed = at_end | {each.partition(".")[0] for one in later for each in (*one.operands, one.into)}
        needed |= {begins[each] for each in needed if each in begins}
        taken = {place for each, place in places.items() if each in needed} | kept
        free = [place for place in range(count + 1 - size) if taken.isdisjoint(range(place, place + size))]
        if not free:
            return None
        places[name] = free[0]
    return places
