"""Sums of narrow elements, several gangs at a time -> what is left is summed up by as many gangs over the last elements.

    between: %i, %s = where the loop over several gangs ended          between: br (%extent >= WIDE and %left > 0), last, test
    test:    the loop over single gangs                          ->    last:    %s + the terms from %end - WIDE on, 0 for those
    finished: br (%rest != 0), masked, done                                     that were added before; br done
                                                                       test:    as it was, for fewer elements

Only the total counts of these sums (:mod:`voltac.passes.loops.narrow_sums`), so a term may be added in any lane. Terms must be
of their elements alone, not of lanes (:mod:`voltac.passes.loops.shiftable`), and nothing is stored: elements that were added
before are loaded and computed again as they were. In rows of some hundred bytes the gangs that were left, one by one, took
as long as all others.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir import marks
from voltac.ir.model import Block, Function, Instruction
from voltac.passes.loops.accumulators import folded, repeated
from voltac.passes.loops.copied_blocks import unquoted
from voltac.passes.loops.gang_loops import GangLoop
from voltac.passes.loops.narrow_sums import NarrowSum, summed
from voltac.passes.loops.rests import blocks_of_rest, ways_behind
from voltac.passes.loops.shiftable import ShiftableLoop
from voltac.passes.loops.wide_loops import WideLoop
from voltac.records import replace


class LastSums:
    """What is left by a loop over several gangs, which is yet to be written before ``loop``."""

    def __init__(self, found: ShiftableLoop) -> None:
        self.loop = found.loop
        self.found = found
        self.done = _block_behind(found.loop)
        self.is_possible = (
            self.done is not None
            and found.has_limits(found.loop.start)
            and found.is_shiftable(carries=True)
            and not any(each.is_store for each in found.accesses)
        )

    def write(self, wide: WideLoop, factor: int) -> None:
        """Behind the wide loop of so many gangs, the last before the loop of single ones."""
        assert self.done is not None
        lanes = factor * self.loop.width
        wide.begin_behind()
        between = wide.function.block(wide.outside)
        fresh = wide.function.fresh_names()
        last = Block(fresh(f"{unquoted(self.loop.header.name)}.last.{marks.LEFT_OVER}")[1:], [])
        left, more, enough, overlap = (fresh(name) for name in ("left", "more", "enough", "overlap"))
        between.instructions[-1:] = [
            # What the wide loop leaves of any range that it is entered for.
            Instruction(f"  {left} = and i32 {self.found.extent}, {lanes - 1}"),
            Instruction(f"  {more} = icmp ne i32 {left}, 0"),
            Instruction(f"  {enough} = icmp sge i32 {self.found.extent}, {lanes}"),
            Instruction(f"  {overlap} = and i1 {enough}, {more}"),
            Instruction(f"  br i1 {overlap}, label %{last.name}, label %{self.loop.header.name}"),
        ]
        totals = self._last_gang(wide, lanes, left, last, fresh)
        last.instructions.append(Instruction(f"  br label %{self.done.name}"))
        finished = self.loop.header.terminator.parts.labels[1]
        for phi in self.done.phis():
            before = dict(zip(phi.parts.labels, (operand.value for operand in phi.operands)))[finished]
            phi.text = f"{phi.text.partition(', !dbg')[0]}, [ {totals.get(before, before)}, %{last.name} ]"
        wide.function.blocks.insert(wide.function.blocks.index(self.loop.header), last)

    def _last_gang(self, wide: WideLoop, lanes: int, left: str, block: Block, fresh: Callable[[str], str]) -> dict[str, str]:
        """The terms of the last elements; what each sum is with them, by its phi."""
        lines, changes = block.instructions, {each.change.name for each in wide.carried}
        position = fresh("last")
        lines.append(Instruction(f"  {position} = sub i32 {self.found.end}, {lanes}"))
        names = {self.loop.counter: position}
        for instruction in self.loop.body.instructions:
            if (
                instruction.is_terminator
                or instruction.name in (self.loop.following, *changes)
                or instruction.op.startswith("#")
            ):
                continue
            for operand in instruction.operands:
                if operand.type.startswith("<") and operand.value[0] == "%" and operand.value not in names:
                    names[operand.value] = fresh("outer")
                    lines.append(repeated(names[operand.value], operand.type, operand.value, lanes))
            made = wide.widened(instruction, self.loop.width, lanes, names)
            if instruction.name:
                names[instruction.name] = fresh("of.gang")
                made.text = made.text.replace(f"{instruction.name} = ", f"{names[instruction.name]} = ", 1)
            lines.append(made)
        totals: dict[str, str] = {}
        for each in wide.carried:
            terms = _new_ones(wide.narrow[each.phi.name], lanes, left, names, lines, fresh)
            added = summed(terms, "zeroinitializer", lanes, names, lines, wide.target, fresh)
            totals[each.phi.name] = folded(each, added, lanes // terms.divisor, block, fresh)
        return totals


def _new_ones(
    terms: NarrowSum, lanes: int, left: str, names: dict[str, str], lines: list[Instruction], fresh: Callable[[str], str]
) -> NarrowSum:
    """The terms of the last ``left`` lanes alone: zeros in place of the elements before."""

    def value(text: str) -> str:
        name = fresh("new")
        lines.append(Instruction(f"  {name} = {text}"))
        names[name] = name
        return name

    def cut(name: str, extension: str, bits: int) -> tuple[str, int]:
        size = max(bits, 8)
        element, vector = f"i{size}", f"<{lanes} x i{size}>"
        before = value(f"sub i32 {lanes}, {left}")
        some = value(f"insertelement {vector} poison, {element} {value(f'trunc i32 {before} to {element}')}, i64 0")
        all_ = value(f"shufflevector {vector} {some}, {vector} poison, <{lanes} x i32> zeroinitializer")
        numbers = ", ".join(f"{element} {lane}" for lane in range(lanes))
        mask = value(f"sext <{lanes} x i1> {value(f'icmp uge {vector} <{numbers}>, {all_}')} to {vector}")
        element_value = names[name] if size == bits else value(f"{extension} <{lanes} x i{bits}> {names[name]} to {vector}")
        return value(f"and {vector} {element_value}, {mask}"), size

    first, first_bits = cut(terms.first, terms.first_extension, terms.first_bits)
    second, second_bits = terms.second, terms.second_bits
    if second and terms.kind == "distances":
        second, second_bits = cut(second, terms.second_extension, second_bits)
    return replace(terms, first=first, first_bits=first_bits, second=second, second_bits=second_bits)


def _block_behind(loop: GangLoop) -> Block | None:
    """The block behind the loop and its rest, which takes what the loop carries by phis alone."""
    function, ways = loop.function, ways_behind(loop)
    if ways is None or len(ways[0].instructions) != 2:
        return None
    finished, masked, done = ways
    behind = function.block(done)
    rest = {*blocks_of_rest(function, masked, done), finished.name, loop.header.name, *(block.name for block in loop.blocks)}
    given = loop.names | {finished.instructions[0].name}
    carried = {each.name for each in loop.carried}
    for phi in behind.phis():
        for operand, label in zip(phi.operands, phi.parts.labels, strict=True):
            if label == finished.name and operand.value in given - carried:
                return None
    return behind if _is_unused(function, given, rest, behind) else None


def _is_unused(function: Function, given: set[str], rest: set[str], behind: Block) -> bool:
    """Whether nothing but the phis of the block behind takes a value of the loop."""
    for block in function.blocks:
        if block.name in rest:
            continue
        for instruction in block.instructions:
            if block is behind and instruction.op == "phi":
                used = {
                    operand.value for operand, label in zip(instruction.operands, instruction.parts.labels) if label not in rest
                }
            else:
                used = set(instruction.names_used())
            if not given.isdisjoint(used):
                return False
    return True
