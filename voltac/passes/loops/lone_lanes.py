"""A loop of lanes that have nothing to do with each other -> the same loop for one lane after the other, in scalars."""

from __future__ import annotations

from voltac.ir.constants import integers, is_all_true
from voltac.ir.match import scalar_of_splat
from voltac.ir.model import Block, Instruction, Module
from voltac.ir.types import element_of, lanes_of
from voltac.passes.loops.copied_blocks import unquoted
from voltac.passes.loops.known_counts import most_iterations
from voltac.passes.loops.known_masks import KnownMasks
from voltac.passes.loops.lane_choices import LaneChoices
from voltac.passes.loops.lane_loops import MOST_LANES, LaneLoop
from voltac.passes.loops.lane_texts import LaneTexts
from voltac.passes.loops.lanes_in_turn import do_all_lanes
from voltac.passes.loops.loop_hints import free_node, rarely_taken, unrolled
from voltac.passes.loops.row_searches import RowSearch

_MOST_COPIES, _MOST_WRITTEN = 16, 800
"""Lanes that have a loop each, and instructions of all those loops together."""


def do_lanes_alone(loop: LaneLoop, module: Module, search: RowSearch | None = None) -> None:
    """Put the loop over the lanes in its place, or a loop for each lane where all are on, or what searches their rows."""
    first = loop.arm(loop.values.definitions[loop.live], False)
    written = loop.lanes * sum(1 for each in loop.instructions() if not each.op.startswith("#"))
    branches = len(loop.inner_blocks()) > 1 or loop.guarded
    if search is not None:
        do_all_lanes(loop, module, search)
    elif (
        not branches
        and (is_all_true(first) or first.endswith("-1)"))
        and loop.lanes <= _MOST_COPIES
        and written <= _MOST_WRITTEN
    ):
        do_all_lanes(loop, module)
    else:
        _Writer(loop, module, loop.function.fresh_names()).put()


class _Writer(LaneTexts):
    """The new blocks of one loop. What lanes begin with and end with goes through places of the stack, one for each value."""

    def put(self) -> None:
        walk, function, fresh = self.walk, self.walk.function, self.fresh
        self.before: list[Instruction] = []
        self.at_lane: list[Instruction] = []
        self.slots: dict[str, str] = {}
        self.allocas: list[Instruction] = []
        self.lane = fresh("lane")
        header, body, lanes = walk.header, walk.body, walk.lanes
        stem = f"{unquoted(header.name)}.lane"
        inner = walk.inner_blocks()
        new = {each: fresh(f"{stem}.{each}")[1:] for each in ("begin", "next", "test", "left", "done")}
        labels = {header.name: new["test"]} | {each.name: fresh(f"{stem}.body")[1:] for each in inner}
        first = walk.arm(self.live, False)
        on = first
        if element_of(self.live.type) != "i1":
            on = self.write("on", f"icmp slt {self.live.type} {first}, zeroinitializer", self.before)
        packed = self.write("packed", f"bitcast <{lanes} x i1> {on} to i{lanes}", self.before)
        bits = packed if lanes == MOST_LANES else self.write("bits", f"zext i{lanes} {packed} to i64", self.before)
        some = self.write("some", f"icmp ne i64 {bits}, 0", self.before)
        left, fewer, more = fresh("left"), fresh("fewer"), fresh("more")

        phis = list(header.phis())
        self._name(header, *inner)
        # A lane that is not in the loop any more has left it at the end of the iteration.
        self.names[walk.live] = self.on()
        known = KnownMasks(walk)
        test: list[Instruction] = []
        for phi in phis:
            if phi.name == walk.live:
                continue
            following = f"[ {self.scalar(phi.type, known.chosen(walk.following(phi), True))}, %{labels[body.name]} ]"
            arms = f"[ {self.start(phi)}, %{new['next']} ], {following}"
            test.append(Instruction(f"  {self.names[phi.name]} = phi {element_of(phi.type)} {arms}"))
        test += self.scalars(header.instructions[len(phis) :])
        tested = self.scalar(f"<{lanes} x i1>", walk.tested)
        entered = labels[header.terminator.parts.labels[0]]
        test.append(Instruction(f"  br i1 {tested}, label %{entered}, label %{new['left']}"))
        rest = {labels[each.name]: self._inner(each, labels) for each in inner}
        hint = ""
        if walk.options.loop_unrolling and len(inner) == 1:
            size = len(test) + len(rest[entered]) - 1
            hint = unrolled(self.module, free_node(self.module), size, most_iterations(walk))
        used = [phi for phi in phis if phi.name in walk.used_outside]
        last, leave = rest[labels[body.name]], list[Instruction]()
        last.pop()
        if self.live_is_constant:
            last.append(Instruction(f"  br label %{new['test']}{hint}"))
        else:
            live = self.scalar(self.live.type, walk.following(self.live))
            stays = self.write("stays", f"icmp ne {element_of(self.live.type)} {live}, {self.off()}", last)
            last.append(Instruction(f"  br i1 {stays}, label %{new['test']}, label %{new['left']}{hint}"))
            for phi in used:
                arms = f"[ {self.names[phi.name]}, %{new['test']} ]"
                arms += f", [ {self.scalar(phi.type, known.chosen(walk.following(phi), False))}, %{labels[body.name]} ]"
                self.names[phi.name] = self.write("walked", f"phi {element_of(phi.type)} {arms}", leave)
        rest = self._split([*test, *leave], rest)

        results: dict[str, str] = {}
        done: list[Instruction] = []
        for phi in used:
            element = element_of(phi.type)
            slot = self._slot(phi.type, walk.arm(phi, False), phi.name)
            place = self.write("place", f"getelementptr {element}, ptr {slot}, i64 {self.lane}", leave)
            leave.append(Instruction(f"  store {element} {self.names[phi.name]}, ptr {place}, align {self.size(element)}"))
            results[phi.name] = self.write("walked", f"load {phi.type}, ptr {slot}, align {self._alignment(phi.type)}", done)
        leave += [
            Instruction(f"  {fewer} = add i64 {left}, -1"),
            Instruction(f"  {more} = and i64 {left}, {fewer}"),
        ]
        again = self.write("again", f"icmp ne i64 {more}, 0", leave)
        leave.append(Instruction(f"  br i1 {again}, label %{new['next']}, label %{new['done']}"))
        done.append(Instruction(f"  br label %{walk.exit_name}"))
        first_lane = [
            Instruction(f"  {left} = phi i64 [ {bits}, %{new['begin']} ], [ {more}, %{new['left']} ]"),
            Instruction(f"  {self.lane} = call i64 @llvm.cttz.i64(i64 {left}, i1 true)"),
            *self.at_lane,
            Instruction(f"  br label %{new['test']}"),
        ]
        # What is the same in each iteration may be used behind the loop.
        self.before += [Instruction(each.text) for each in walk.invariants()]
        self.before.append(Instruction(f"  br i1 {some}, label %{new['next']}, label %{new['done']}"))
        self.module.declare(["declare i64 @llvm.cttz.i64(i64, i1)"])
        contents = {
            new["begin"]: self.before, new["next"]: first_lane, new["test"]: test, **rest,
            new["left"]: leave, new["done"]: done,
        }  # fmt: skip
        made = [Block(each, instructions, f"{each}:") for each, instructions in contents.items()]
        walk.replace_blocks(made, results)
        function.blocks[0].instructions[:0] = self.allocas

    def _split(self, test: list[Instruction], rest: dict[str, list[Instruction]]) -> dict[str, list[Instruction]]:
        """The blocks behind the test with branches for what branches ask anyway, and around loads under masks of their own."""
        walk, mask = self.walk, f"<{self.walk.lanes} x i1>"
        choices = LaneChoices(walk, self.fresh, rarely_taken(self.module))
        definitions = walk.values.definitions
        conditions = {each: definitions[each].operands[0].value for each in choices.selections} | walk.guarded
        if not conditions:
            return rest
        conditions = {self.names[each]: self.scalar(mask, condition) for each, condition in conditions.items()}
        phis = [each for instructions in (test, *rest.values()) for each in instructions if each.op == "phi"]
        split, ends = dict[str, list[Instruction]](), dict[str, str]()
        for label, instructions in rest.items():
            parts = choices.split(instructions[:-1], label, conditions)
            end = list(parts)[-1]
            parts[end].append(instructions[-1])
            ends[f"%{label}"] = f"%{end}"
            split |= parts
        for phi in phis:
            phi.rename(ends)
        return split

    def _name(self, *blocks: Block) -> None:
        """Give a name to what one lane has for each value of the loop."""
        made = [each for block in blocks for each in block.instructions if each.name and each.name not in self.walk.deciding]
        self.names |= {each.name: self.fresh("of.lane") for each in made}
        for each in made:
            # Where it is used first may stand before it.
            scalar = scalar_of_splat(each.name, self.walk.values.definitions)
            if scalar is not None:
                self.names[each.name] = self.names.get(scalar.value, scalar.value)

    def _inner(self, block: Block, labels: dict[str, str]) -> list[Instruction]:
        """A block behind the test."""
        made: list[Instruction] = []
        for phi in block.phis():
            arms = ", ".join(
                f"[ {self.scalar(phi.type, value.value)}, %{labels[label]} ]"
                for value, label in zip(phi.operands, phi.parts.labels, strict=True)
            )
            made.append(Instruction(f"  {self.names[phi.name]} = phi {element_of(phi.type)} {arms}"))
        made += self.scalars([each for each in block.instructions if each.op != "phi"])
        targets = [f"label %{labels[each]}" for each in block.terminator.parts.labels]
        if len(targets) > 1:
            targets.insert(0, f"i1 {self.scalar(f'<{self.walk.lanes} x i1>', self.walk.asked[block.name])}")
        hint = rarely_taken(self.module) if len(targets) > 1 else ""
        made.append(Instruction(f"  br {', '.join(targets)}{hint}"))
        return made

    def _alignment(self, vector: str) -> int:
        """Of a slot: that of the register it is stored from."""
        return min(64, self.size(element_of(vector)) * lanes_of(vector))

    def _slot(self, vector: str, value: str, of: str) -> str:
        """A place of the stack with all lanes of a value from outside; ``of``: what lanes write theirs to, if they do."""
        key = f"{vector} {value} {of}"
        if key not in self.slots:
            slot = self.slots[key] = self.fresh("slot")
            align = self._alignment(vector)
            self.allocas.append(Instruction(f"  {slot} = alloca {vector}, align {align}"))
            self.before.append(Instruction(f"  store {vector} {value}, ptr {slot}, align {align}"))
        return self.slots[key]

    def lane_of(self, vector: str, value: str) -> str:
        """Loaded from where all of them are."""
        element = element_of(vector)
        if element == "i1":
            # Bits of a mask lie packed: its lanes are stored as bytes.
            wide = f"<{lanes_of(vector)} x i8>"
            known = self.slots.get(f"mask {value}")
            if known is None:
                known = self.slots[f"mask {value}"] = self.write("bytes", f"zext {vector} {value} to {wide}", self.before)
            byte = self.scalar(wide, known)
            self.names[value] = self.write("of.lane", f"trunc i8 {byte} to i1", self.at_lane)
            return self.names[value]
        if element == "i64" and integers(vector, value) == tuple(range(self.walk.lanes)):
            return self.lane
        slot = self._slot(vector, value, "")
        place = self.write("place", f"getelementptr {element}, ptr {slot}, i64 {self.lane}", self.at_lane)
        name = self.write("of.lane", f"load {element}, ptr {place}, align {self.size(element)}", self.at_lane)
        if value[0] == "%":
            self.names[value] = name
        return name
