"""Blocks of a function in assembly language → its innermost loops with what bounds the cycles of an iteration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from voltac.records import record
from voltac.report.assembly import AssemblyBlock
from voltac.report.cycles.families import Family, PortUse
from voltac.report.cycles.instructions import Demand, demand_of

_ROUNDS = 24
"""Iterations after which the chain grows by the same number of cycles in each."""
_FUSED = frozenset(("cmp", "test", "add", "sub", "inc", "dec", "and"))
"""Become one operation with a branch right behind them."""


@record
class LoopEstimate:
    """Cycles of one iteration, and what bounds them."""

    names: tuple[str, ...]
    """Of the IR blocks it consists of, its header first."""
    cycles: float
    bound: str
    """``entering``, ``chain``, ``loads``, ``stores``, ``divisions``, or the ports: ``0, 1``."""
    is_most: bool
    """It has branches, all of whose instructions are counted."""
    bytes_moved: int
    """Loaded and stored, places in the frame aside."""


def innermost_loops(blocks: Sequence[AssemblyBlock], processor: Family) -> Iterator[LoopEstimate]:
    """The loops that no other is within, in the order of the text."""
    around = {loop for block in blocks for loop in block.loops[:-1]}
    members: dict[str, list[AssemblyBlock]] = {}
    for block in blocks:
        if block.loops and block.loops[-1] not in around:
            members.setdefault(block.loops[-1], []).append(block)
    for header, inside in members.items():
        # The text may have the header last: what it is named is said first.
        inside.sort(key=lambda block: block.label != f".L{header}")
        names = tuple(block.name for block in inside if block.name)
        yield estimate([text for block in inside for text in block.instructions], processor, names)


def estimate(instructions: Sequence[str], processor: Family, names: tuple[str, ...] = ()) -> LoopEstimate:
    """Of a loop with these instructions, in order."""
    steps = [demand_of(text) for text in instructions]
    branches = [text for text in instructions if text.startswith("j")]
    fused = sum(
        first.partition(" ")[0].rstrip("bwlq") in _FUSED and second.startswith("j") and not second.startswith("jmp")
        for first, second in pairwise(instructions)
    )
    operations = sum(_operations(step, processor) for step in steps) - fused
    bounds = {"chain": _chain(steps, processor), "entering": operations / processor.width}
    bounds |= _busiest(steps, processor, fused)
    bound = max(bounds, key=lambda name: bounds[name])
    moved = sum(step.loads + step.stores for step in steps if not step.slot)
    return LoopEstimate(names, bounds[bound], bound, len(branches) > 1, moved)


def _timing(step: Demand, processor: Family) -> PortUse:
    if step.bits == 512 and step.kind in processor.wide:
        return processor.wide[step.kind]
    return processor.kinds[step.kind] if step.kind else PortUse((), 0)


def _operations(step: Demand, processor: Family) -> int:
    """As a core counts what enters it: a load together with its arithmetic, and a store, are one."""
    return max(1, len(_timing(step, processor).ports)) + bool(step.stores and step.kind)


def _busiest(steps: Sequence[Demand], processor: Family, fused: int) -> dict[str, float]:
    """What bounds the loop among ports: each set of ports has to do what no other can."""
    wanted: Counter[str] = Counter()
    for step in steps:
        timing = _timing(step, processor)
        for ports in timing.ports:
            wanted[ports] += timing.occupies
        if step.loads and step.kind not in ("gather", "scatter"):
            wanted[processor.load[0]] += 1
        if step.stores and step.kind not in ("gather", "scatter"):
            for ports in processor.store:
                wanted[ports] += -(-step.stores // processor.store_bytes)
    wanted[processor.kinds["integer"].ports[0]] -= fused
    divides = any(step.kind.startswith("divide") for step in steps)
    found: dict[str, float] = {}
    for size in range(1, len(wanted) + 1):
        for sets in combinations(wanted, size):
            ports = "".join(sorted(set("".join(sets))))
            count = sum(wanted[each] for each in wanted if set(each) <= set(ports))
            name = _name(ports, processor, divides)
            found[name] = max(found.get(name, 0.0), count / len(ports))
    return found


def _name(ports: str, processor: Family, divides: bool) -> str:
    if ports == "".join(sorted(processor.load[0])):
        return "loads"
    if ports in {"".join(sorted(each)) for each in processor.store}:
        return "stores"
    return "divisions" if divides and ports == processor.kinds["divide32"].ports[0] else ", ".join(ports)


def _chain(steps: Sequence[Demand], processor: Family) -> float:
    """Cycles by which an iteration's results are later than those of the one before, if nothing else is waited for."""
    ready: dict[str, float] = {}
    ends: list[float] = []
    for _ in range(_ROUNDS):
        for step in steps:
            timing = _timing(step, processor)
            start = max((ready.get(each, 0.0) for each in step.reads), default=0.0)
            loaded = 0.0
            if step.loads:
                loaded = max((ready.get(each, 0.0) for each in step.address), default=0.0) + processor.load[1]
                if step.slot:
                    loaded = ready.get(step.slot, 0.0) + processor.forwarding if step.slot in ready else 0.0
            done = max(start, loaded) + timing.latency
            for name in step.writes:
                ready[name] = done
            if step.slot and step.stores:
                ready[step.slot] = done
        ends.append(max(ready.values(), default=0.0))
    half = _ROUNDS // 2
    return (ends[-1] - ends[half - 1]) / (_ROUNDS - half)
