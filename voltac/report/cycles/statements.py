"""A compiled file → the foreach and coherent statements with what a gang's turn of their loops takes, about."""

from __future__ import annotations

import re
from collections.abc import Iterator

from voltac.ir import marks
from voltac.ir.model import Function
from voltac.ir.read import read
from voltac.records import record
from voltac.report.assembly import functions
from voltac.report.cycles.families import Family
from voltac.report.cycles.loops import LoopEstimate, innermost_loops

_MOST_INNER = 2
"""Loops within one statement of which something is said; more would be no help."""
_WORDS = {
    "chain": "each turn waits for results of the one before",
    "entering": "no more instructions enter the core in a cycle",
    "loads": "no more loads are done in a cycle",
    "stores": "no more stores are done in a cycle",
    "divisions": "divisions and square roots follow each other",
}


@record
class StatementEstimate:
    """What is said of a statement; line and column are those of the file that is compiled."""

    line: int
    column: int
    text: str


def estimates(assembly: str, module: str, width: int, processor: Family) -> Iterator[StatementEstimate]:
    """Of the x86 assembly language (with LLVM's comments) and the LLVM text that it was made of, for gangs of ``width``."""
    by_name = {function.name.removeprefix("@").strip('"'): function for function in read(module).functions}
    found: dict[tuple[int, int], list[tuple[LoopEstimate, float]]] = {}
    for name, blocks in functions(assembly).items():
        for loop in innermost_loops(blocks, processor):
            place = next((marks.path_of(each) for each in loop.names), None)
            if place is None or place.path == marks.MASKED or ".epil" in loop.names[0]:
                continue  # what runs seldom
            gangs = _gangs(by_name.get(name), loop.names, width)
            found.setdefault((place.line, place.column), []).append((loop, gangs))
    for (line, column), loops in found.items():
        if any(loop.cycles > 1 or loop.bytes_moved for loop, _ in loops):
            yield StatementEstimate(line, column, _text(loops, processor, width))


def _text(loops: list[tuple[LoopEstimate, float]], processor: Family, width: int) -> str:
    own = [(loop, gangs) for loop, gangs in loops if ".loop" not in loop.names[0] and loop.bytes_moved]
    if own:
        # Of the copies that LLVM and the passes made, that which does most at a time runs most of the time.
        loop, gangs = max(own, key=lambda each: each[1])
        cycles = f"{_about(loop, loop.cycles / gangs)} a gang"
        moved = loop.bytes_moved / gangs / width
        return f"{cycles} on {processor.name}: {_bound(loop)}; {moved:.3g} bytes an element"
    within = list(dict.fromkeys(f"{_about(loop, loop.cycles)}: {_bound(loop)}" for loop, _ in loops))
    more = f"; and {len(within) - _MOST_INNER} more" if len(within) > _MOST_INNER else ""
    return f"on {processor.name} a turn of the loop within takes {'; of another '.join(within[:_MOST_INNER])}{more}"


def _about(loop: LoopEstimate, cycles: float) -> str:
    number = f"{cycles:.1f}".removesuffix(".0")
    return f"{'at most' if loop.is_most else 'about'} {number} cycle{'' if number == '1' else 's'}"


def _bound(loop: LoopEstimate) -> str:
    return _WORDS.get(loop.bound, f"port{'s' if ',' in loop.bound else ''} {loop.bound} would have to do more in a cycle")


_STEP = re.compile(r"(?P<name>%\S+) = add (?:nuw |nsw )*i(?:32|64) (?P<of>%\S+), (?P<step>\d+)(?:,|$)")


def _gangs(function: Function | None, names: tuple[str, ...], width: int) -> float:
    """Gangs of an iteration: by how much a number of elements grows that the loop counts; 1 if it counts none."""
    if function is None:
        return 1
    inside = [block for block in function.blocks if block.name.strip('"') in names]
    phis = {phi.name: {each.value for each in phi.operands} for block in inside for phi in block.phis()}
    steps = [1]
    for block in inside:
        for instruction in block.instructions:
            step = _STEP.match(instruction.text.strip()) if instruction.op == "add" else None
            if step and step["name"] in phis.get(step["of"], ()) and not int(step["step"]) % width:
                steps.append(int(step["step"]) // width)
    return max(steps)
