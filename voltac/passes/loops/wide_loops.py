"""A loop over gangs -> one that does several gangs at once, and behind it the loop for what is left."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from voltac.ir import marks
from voltac.ir.model import Block, Function, Instruction
from voltac.ir.types import element_of, lanes_of
from voltac.options import Options
from voltac.passes.accesses.access import pseudo_operation
from voltac.passes.loops.accumulators import Accumulator, begun, folded, repeated
from voltac.passes.loops.distances import Distance, Extents, are_far
from voltac.passes.loops.gang_loops import GangLoop
from voltac.passes.loops.lane_counts import with_lanes
from voltac.passes.loops.long_chains import begins_with_long_body
from voltac.passes.loops.narrow_sums import NarrowSum, summed
from voltac.passes.loops.preheader import Preheader
from voltac.passes.loops.rare_branches import RareBranch, in_parts, named, parts_of_gang, take_apart
from voltac.records import replace
from voltac.system.lazy_patterns import lazy_pattern
from voltac.target_info import TargetInfo

_EXTREME = lazy_pattern(r"@llvm\.[su](?:min|max)\.v")
NEVER = "-2147483648"
"""The end of a loop that is not entered, whatever its counter begins with."""


def gains_by_width(function: Function, options: Options) -> bool:
    """Whether it may have a loop that gains by several gangs at once, though one fills a register of words.

    That is one over small elements, around a short loop, with a long body, or for the least or greatest of all.
    """
    if any(marks.begins_gang(block.name, block.successors) for block in function.blocks):
        return True
    if not options.target.is_device and any(map(begins_with_long_body, function.blocks)):
        return True  # Devices begin one instruction after the other.
    return any(_is_small(each) or _is_extreme(each, options) for each in function.instructions())


def _is_small(instruction: Instruction) -> bool:
    return bool(pseudo_operation(instruction)) and instruction.parts.callee.endswith(("i8", "i16"))


def _is_extreme(instruction: Instruction, options: Options) -> bool:
    """Whether it may be what finds the least or greatest of all."""
    text = instruction.text
    if options.fast_math == "aggressive" and " = select <" in text:
        return True
    return "@llvm." in text and _EXTREME.search(text) is not None


class WideLoop:
    """The loop to be put before another one."""

    def __init__(self, loop: GangLoop, carried: list[Accumulator], narrow: Mapping[str, NarrowSum], target: TargetInfo) -> None:
        self.loop = loop
        self.carried = carried
        self.narrow = narrow
        """Of what is carried on: sums that neighbours are added up for."""
        self.target = target
        self.asking: frozenset[str] = frozenset()
        """What asks whether any lane of a mask is on, or all are."""
        self.rare: list[RareBranch] = []
        """Branches that gangs take one by one where they do not all go the usual way."""
        self.in_turn: list[Instruction] = []
        """What depends on what the gang before has come to."""
        self.parted: frozenset[str] = frozenset()
        """What no wide gang has, and is done for each."""
        self.function = loop.function
        self.header, self.body, self.outside = loop.header, loop.body, loop.outside
        self.counter, self.following, self.width = loop.counter, loop.following, loop.width

    def write(self, factor: int, distances: Sequence[Distance | Extents]) -> None:
        """Put the wide loop before the loop; it is only entered where all ``distances`` are of a wide gang or more."""
        fresh = self.function.fresh_names()
        width, wide = self.width, self.width * factor
        begin, test, body = (fresh(f"{self.header.name.strip(chr(34))}.{part}") for part in ("wide_begin", "wide", "wide_body"))
        counter = fresh("wide_counter")
        seldom = {branch.rare.name for branch in self.rare}
        usual = [block for block in self.loop.blocks if block.name not in seldom]
        inside = {made.name for block in usual for made in block.instructions if made.name}
        names = {name: fresh(name[1:].strip('"') + ".wide") for name in inside}
        # Of what is seldom done no wide gang has anything; where ways join, what the gangs come to takes its place.
        names.update({each.name: "poison" for branch in self.rare for each in branch.rare.instructions if each.name})
        names[self.counter] = counter
        names.update({each.phi.name: fresh("accumulated") for each in self.carried})
        enter = Block(begin[1:], [])
        copies = {block.name: Block(fresh(f"{block.name.strip(chr(34))}.wide")[1:], []) for block in usual[1:]}
        copies[self.loop.blocks[0].name] = Block(body[1:], [])
        names.update({f"%{name}": f"%{copy.name}" for name, copy in copies.items()})
        changes = {each.change.name for each in self.carried}
        depending = {each.name for each in self.in_turn}
        sums = {phi.name: fresh("carried") for phi in (self.loop.carried if self.in_turn else ())}
        last_block = f"%{copies[self.body.name].name}"
        for name, instruction in [(block.name, made) for block in usual for made in block.instructions]:
            lines = copies[name].instructions
            if instruction.name and instruction.name in depending:
                continue
            if instruction is self.body.terminator:
                lines += self._done_in_turn(sums, names, wide, fresh)
                # Hints for the loop hold for the wide one from now on; few iterations are left for the other.
                lines.append(Instruction(instruction.text.replace(f"%{self.header.name}", test, 1)))
                continue
            if instruction.name == self.following:
                lines.append(Instruction(f"  {names[self.following]} = add nsw i32 {counter}, {wide}"))
                continue
            for operand in instruction.operands:
                if lanes_of(operand.type) and operand.value[0] == "%" and operand.value not in names:
                    names[operand.value] = fresh("outer")
                    enter.instructions.append(repeated(names[operand.value], operand.type, operand.value, wide))
            if instruction.name in self.parted:
                lines += in_parts(instruction, names[instruction.name], width, wide, names, fresh)
                continue
            made = self.widened(instruction, width, wide, names)
            if instruction.name in changes and instruction.op == "add":
                # Sums of some of the terms may be larger than the sum of all.
                made.text = re.sub(r" = add [ a-z]*<", " = add <", made.text, count=1)
            lines.append(made)
        limit, more = fresh("wide_limit"), fresh("wide_more")
        start = self.loop.start
        end = self.loop.limit
        if distances:
            code = Preheader(fresh)
            far, end = are_far(self.loop, distances, wide, code), fresh("far_limit")
            enter.instructions += [
                *code.instructions,
                Instruction(f"  {end} = select i1 {far}, i32 {self.loop.limit}, i32 {NEVER}"),
            ]
        enter.instructions.append(Instruction(f"  {limit} = call i32 @llvm.ssub.sat.i32(i32 {end}, i32 {wide - width})"))
        ask = [Instruction(f"  {counter} = phi i32 [ {start}, {begin} ], [ {names[self.following]}, {last_block} ]")]
        done = f"%{self.header.name}"
        ends: list[Block] = []
        if self.carried:
            done = fresh(f"{self.header.name.strip(chr(34))}.wide_end")
            ends.append(Block(done[1:], []))
        for each in self.carried:
            first, (name, last) = begun(each, wide, enter, fresh), (names[each.phi.name], names[each.change.name])
            count, terms = wide, self.narrow.get(each.phi.name)
            if terms is not None:
                count = wide // terms.divisor
                lines = copies[self.body.name].instructions
                back = lines.pop()
                lines.remove(next(line for line in lines if line.name == last))
                last = summed(terms, name, wide, names, lines, self.target, fresh)
                lines.append(back)
            vector = f"<{count} x {element_of(each.type)}>"
            ask.append(Instruction(f"  {name} = phi {vector} [ {first}, {begin} ], [ {last}, {last_block} ]"))
            result = folded(each, name, count, ends[0], fresh)
            each.phi.text = self._entered(each.phi, [(each.start, begin), (result, done)])
        ask += [
            Instruction(f"  {more} = icmp slt i32 {counter}, {limit}"),
            Instruction(f"  br i1 {more}, label {body}, label {done}"),
        ]
        for phi in self.loop.carried if self.in_turn else ():
            incoming = dict(zip(phi.parts.labels, (operand.value for operand in phi.operands)))
            arms = f"[ {incoming[self.outside]}, {begin} ], [ {names[incoming[self.body.name]]}, {last_block} ]"
            ask.insert(1, Instruction(f"  {sums[phi.name]} = phi {phi.type} {arms}"))
            phi.text = self._entered(phi, [(sums[phi.name], test)])
        self.body.terminator.text = f"  br label %{self.header.name}"
        # The way into the loop goes through the wide one, and the loop begins where that ends.
        if self.carried:
            # Nothing is begun, nor folded, for a few elements.
            worth = fresh("wide_worth")
            enter.instructions += [
                Instruction(f"  {worth} = icmp slt i32 {start}, {limit}"),
                Instruction(f"  br i1 {worth}, label {test}, label %{self.header.name}"),
            ]
            ends[0].instructions.append(Instruction(f"  br label %{self.header.name}"))
            self.loop.phi.text = self._entered(self.loop.phi, [(start, begin), (counter, done)])
        else:
            enter.instructions.append(Instruction(f"  br label {test}"))
            self.loop.phi.text = self._entered(self.loop.phi, [(counter, test)])
        at = next(number for number, block in enumerate(self.function.blocks) if block is self.header)
        work = [copies[block.name] for block in usual]
        for branch in self.rare:
            work += self._take_apart(branch, copies, wide, names, fresh)
        self.function.blocks[at:at] = [enter, Block(test[1:], ask), *work, *ends]
        before = self.function.block(self.outside)
        before.terminator.rename({f"%{self.header.name}": begin})

    def _done_in_turn(
        self, sums: Mapping[str, str], names: dict[str, str], wide: int, fresh: Callable[[str], str]
    ) -> list[Instruction]:
        """What is done for one gang after the other, from what ``sums`` say on; ``names`` say what that comes to."""
        lines: list[Instruction] = []
        inside = {made.name for block in self.loop.blocks for made in block.instructions}
        inside -= {each.name for each in self.in_turn}
        used = [each for made in self.in_turn for each in made.operands]
        vectors = [each for each in used if each.value in inside and lanes_of(each.type)]
        now = dict(sums)
        for gang in range(wide // self.width if self.in_turn else 0):
            own = now | parts_of_gang(vectors, names, gang, wide, lines, fresh)
            for each in self.in_turn:
                made = fresh("in_turn")
                lines.append(named(each, made, own))
                own[each.name] = made
            for phi in self.loop.carried:
                following = dict(zip(phi.parts.labels, (operand.value for operand in phi.operands)))[self.body.name]
                now[phi.name] = names[following] = own.get(following, following)
        return lines

    def _take_apart(
        self, branch: RareBranch, copies: dict[str, Block], wide: int, names: dict[str, str], fresh: Callable[[str], str]
    ) -> list[Block]:
        """The blocks that do what is seldom done for each gang, and the ways into and out of them."""
        inside = {made.name: made for block in self.loop.blocks for made in block.instructions if made.name}
        blocks, results = take_apart(branch, inside, self.width, wide, names, fresh)
        copies[branch.block.name].terminator.rename({f"%{branch.rare.name}": f"%{blocks[0].name}"})
        for phi, copy in zip(branch.join.phis(), copies[branch.join.name].phis()):
            ways = zip(phi.operands, phi.parts.labels, copy.operands, copy.parts.labels)
            usual = next((value.value, f"%{label}") for _, of, value, label in ways if of != branch.rare.name)
            arms = (usual, (results[phi.name], f"%{blocks[-1].name}"))
            copy.text = f"  {copy.name} = phi {copy.type} {', '.join(f'[ {value}, {label} ]' for value, label in arms)}"
        return blocks

    def begin_behind(self) -> None:
        """Another wide loop, of fewer gangs, may be put before the loop now: it begins where this one ended, or was left out.

        A block of its own gathers what came from there.
        """
        fresh = self.function.fresh_names()
        between = Block(fresh(f"{self.header.name.strip(chr(34))}.between")[1:], [])
        starts: dict[str, str] = {}
        for phi in (self.loop.phi, *(each.phi for each in self.carried)):
            ways = [way for way in zip(phi.operands, phi.parts.labels, strict=True) if way[1] != self.body.name]
            starts[phi.name] = fresh("between")
            arms = ", ".join(f"[ {value.value}, %{label} ]" for value, label in ways)
            between.instructions.append(Instruction(f"  {starts[phi.name]} = phi {phi.type} {arms}"))
        before = {label for label in self.loop.phi.parts.labels if label != self.body.name}
        for block in self.function.blocks:
            if block.name in before:
                block.terminator.rename({f"%{self.header.name}": f"%{between.name}"})
        for phi in (self.loop.phi, *(each.phi for each in self.carried)):
            phi.text = self._entered(phi, [(starts[phi.name], f"%{between.name}")])
        between.instructions.append(Instruction(f"  br label %{self.header.name}"))
        self.function.blocks.insert(self.function.blocks.index(self.header), between)
        self.loop.start, self.loop.outside = starts[self.loop.phi.name], between.name
        self.outside = between.name
        self.carried = [replace(each, start=starts[each.phi.name]) for each in self.carried]

    def _entered(self, phi: Instruction, arms: list[tuple[str, str]]) -> str:
        """A phi of the loop that is entered from other blocks."""
        incoming = dict(zip(phi.parts.labels, (operand.value for operand in phi.operands)))
        ways = [*arms, (incoming[self.body.name], f"%{self.body.name}")]
        return f"  {phi.name} = phi {phi.type} {', '.join(f'[ {value}, {label} ]' for value, label in ways)}"

    def widened(self, instruction: Instruction, width: int, wide: int, names: dict[str, str]) -> Instruction:
        """It for so many lanes, of renamed values."""
        made = Instruction(with_lanes(instruction.text, width, wide))
        if instruction.name in self.asking:
            # Bits of a mask as one number; -1 are all of them. Names may end like a type: %v.i8.
            made.text = re.sub(rf"(?<= )i{width}\b", f"i{wide}", made.text)
        made.rename(names)
        if instruction.name in names:
            made.text = made.text.replace(f"{instruction.name} = ", f"{names[instruction.name]} = ", 1)
        return made
