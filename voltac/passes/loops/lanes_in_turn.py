"""A loop that all lanes begin -> a loop for each lane, one behind the other.

    begin:   what lane 0 tests first; br (it goes on), body.0, left.0
    body.0:  an iteration of lane 0, and its next test; br (it goes on), body.0, left.0
    left.0:  what lane 1 tests first; br (it goes on), body.1, left.1
    ...
    left.7:  the lanes' results become a vector again

With a loop of its own for each lane the processor foresees each by itself, nothing goes through memory, and lanes of what was
loaded are loaded one by one: where a loop ends is foreseen wrongly, and the next lane's first element waits for its index
(measured on an Intel Xeon, strings of 0 to 24 bytes: 0.68 to 0.95 times the time of a loop over the lanes, which LLVM unrolls
for up to 8 of them; hashes of strings take 0.93 times as long as with indices taken from a vector).
"""

from __future__ import annotations

from voltac.ir.constants import integers, is_all_true
from voltac.ir.match import scalar_of_splat
from voltac.ir.model import Block, Instruction, Module
from voltac.ir.parts import BINARY
from voltac.ir.types import element_of, integer_bits
from voltac.passes.accesses.access import pseudo_operation
from voltac.passes.loops.copied_blocks import unquoted
from voltac.passes.loops.known_counts import most_iterations
from voltac.passes.loops.known_masks import KnownMasks
from voltac.passes.loops.lane_loops import LaneLoop, scalar_callee
from voltac.passes.loops.lane_texts import LaneTexts
from voltac.passes.loops.loop_hints import free_node, unrolled
from voltac.passes.loops.row_searches import RowSearch


def do_all_lanes(loop: LaneLoop, module: Module, search: RowSearch | None = None) -> None:
    """Put the loops in its place, or what searches whole rows for the lanes that may read theirs."""
    _Writer(loop, module, loop.function.fresh_names()).put(search)


class _Writer(LaneTexts):
    """The new blocks of one loop."""

    known: KnownMasks
    lane = 0
    """The one that is written for."""
    node = 0
    """Of metadata: the first of those of the loops."""
    most: int | None
    """Iterations of a lane, if that is known."""
    before: list[Instruction]
    """Where it writes what comes from outside."""

    def put(self, search: RowSearch | None) -> None:
        walk, fresh = self.walk, self.fresh
        stem = f"{unquoted(walk.header.name)}.lane"
        begin = fresh(f"{stem}.begin")[1:]
        blocks = [Block(begin, [Instruction(each.text) for each in walk.invariants()], f"{begin}:")]
        results: dict[str, list[str]] = {}
        self.node, self.known, self.most = free_node(self.module), KnownMasks(walk), most_iterations(walk)
        for self.lane in range(walk.lanes):
            if search is None or self.lane not in search.lanes:
                blocks += self._loop(blocks[-1], results)
                continue
            self.before = blocks[-1].instructions
            for name, result in search.write(self, self.before).items():
                results.setdefault(name, []).append(result)
        last = blocks[-1].instructions
        vectors = {name: self._vector(name, scalars, last) for name, scalars in results.items()}
        last.append(Instruction(f"  br label %{walk.exit_name}"))
        walk.replace_blocks(blocks, vectors)

    def _tests(self, where: list[Instruction]) -> dict[str, str]:
        """Write the test for what the names of the phis are now; all names then."""
        header = self.walk.header
        rest = [each for each in header.instructions if each.op != "phi"]
        self.names |= {each.name: self.fresh("of.lane") for each in rest if each.name and each.name not in self.walk.deciding}
        where += self.scalars(rest)
        return dict(self.names)

    def _loop(self, before: Block, results: dict[str, list[str]]) -> list[Block]:
        """The blocks of a lane, entered from ``before``; ``results`` gets the scalars of what is used behind."""
        walk = self.walk
        body, left = (self.fresh(f"{unquoted(walk.header.name)}.lane.{each}")[1:] for each in ("body", "left"))
        phis = list(walk.header.phis())
        self.before, self.names = before.instructions, {}
        self.names = {phi.name: self.start(phi) for phi in phis}
        first = self._tests(self.before)
        types = {each.name: element_of(each.type) for each in walk.header.instructions if each.name in first}
        needed = self._needed()
        entering = {name: self.fresh("of.lane") for name in types if name in needed and name != walk.tested}
        entering.pop(walk.live, None)
        # Who is in the loop has passed the test, and what that asks for, too.
        passed = {name: "true" if types[name] == "i1" else "-1" for name in entering if self.known.is_on(name)}
        entering = {name: value for name, value in entering.items() if name not in passed}
        self.names = first | entering | passed | {walk.tested: "true", walk.live: self.on()}
        inside = [each for each in walk.body.instructions if each.name]
        self.names |= {each.name: self.fresh("of.lane") for each in inside}
        written = self.scalars(walk.body.instructions)
        following, leaving = (
            {phi.name: self.scalar(phi.type, self.known.chosen(walk.following(phi), stays)) for phi in phis}
            for stays in (True, False)
        )
        in_loop = following[walk.live]
        following[walk.live] = self.on()
        self.names = {name: value for name, value in self.names.items() if name not in types} | following
        blocks = [Block(body, written, f"{body}:")]
        if not self.live_is_constant:
            # Where a lane leaves in the midst of an iteration it asks for no test any more.
            on = self.fresh(f"{body}.on")[1:]
            stays = self.write("stays", f"icmp ne {types[walk.live]} {in_loop}, 0", written)
            written.append(Instruction(f"  br i1 {stays}, label %{on}, label %{left}"))
            blocks.append(Block(on, [], f"{on}:"))
        latch = blocks[-1]
        again = self._tests(latch.instructions)
        written[:0] = [
            Instruction(f"  {name} = phi {types[of]} [ {first[of]}, %{before.name} ], [ {again[of]}, %{latch.name} ]")
            for of, name in entering.items()
        ]
        hint = ""
        if walk.options.loop_unrolling:
            size = sum(len(each.instructions) for each in blocks)
            hint = unrolled(self.module, self.node + self.lane, size, self.most)
        latch.instructions.append(Instruction(f"  br i1 {again[walk.tested]}, label %{body}, label %{left}{hint}"))
        # Last, since lanes of what comes from outside are taken before it.
        before.instructions.append(Instruction(f"  br i1 {first[walk.tested]}, label %{body}, label %{left}"))
        after: list[Instruction] = []
        for phi in phis:
            if phi.name in walk.used_outside:
                arms = [f"[ {first[phi.name]}, %{before.name} ]"]
                arms += [f"[ {leaving[phi.name]}, %{each.name} ]" for each in blocks if each is not latch]
                arms.append(f"[ {following[phi.name]}, %{latch.name} ]")
                made = self.write("walked", f"phi {types[phi.name]} {', '.join(arms)}", after)
                results.setdefault(phi.name, []).append(made)
        return [*blocks, Block(left, after, f"{left}:")]

    def _needed(self) -> set[str]:
        """What an iteration takes from the test before it."""
        walk = self.walk
        found = {name for each in walk.body.instructions for name in each.names_used()}
        return found | {walk.following(phi) for phi in walk.header.phis()} - {walk.tested}

    def _vector(self, name: str, scalars: list[str], where: list[Instruction]) -> str:
        phi = self.walk.values.definitions[name]
        vector = "poison"
        for lane, scalar in enumerate(scalars):
            vector = self.write(
                "walked", f"insertelement {phi.type} {vector}, {element_of(phi.type)} {scalar}, i64 {lane}", where
            )
        return vector

    def lane_of(self, vector: str, value: str) -> str:
        """Computed from scalars where there are any, else taken from the vector."""
        if value[0] == "%" and self._is_computed(value):
            self.names[value] = self.fresh("of.lane")
            self.before += self.scalars([self.walk.values.definitions[value]])
            return self.names[value]
        if integer_bits(element_of(vector)) > 1 and (constants := integers(vector, value)) is not None:
            return str(constants[self.lane])
        found = self.write("of.lane", f"extractelement {vector} {value}, i64 {self.lane}", self.before)
        if value[0] == "%":
            self.names[value] = found
        return found

    def _is_computed(self, value: str) -> bool:
        """Whether a lane of it is there without taking it from a vector."""
        definitions = self.walk.values.definitions
        made = definitions.get(value)
        if made is None or (made.op not in _CHEAP and not self._is_loaded_last(made)):
            return False
        return any(
            scalar_of_splat(each.value, definitions) is not None or self._is_computed(each.value) for each in made.operands
        )

    def _is_loaded_last(self, made: Instruction) -> bool:
        """Whether all lanes of it are loaded right before the loop, with nothing stored since: each may be loaded once more."""
        if self.walk.lanes > _MOST_LOADED or pseudo_operation(made) != "gather" or not is_all_true(made.operands[-1].value):
            return False
        header = self.walk.header.name
        before = next(name for name in self.walk.flow.predecessors[header] if name != self.walk.body.name)
        instructions = self.walk.function.block(before).instructions
        position = next((at for at, each in enumerate(instructions) if each is made), None)
        return position is not None and not any(map(_may_write, instructions[position:]))


_MOST_LOADED = 8
"""Lanes for which that gains: with 16 of them on AVX2 hashes of strings take 1.17 times as long, lengths the same."""


def _may_write(instruction: Instruction) -> bool:
    if instruction.op != "call":
        return instruction.op in ("store", "atomicrmw", "cmpxchg", "fence")
    return pseudo_operation(instruction) != "gather" and scalar_callee(instruction.parts.callee) is None


_CHEAP = frozenset((*BINARY, "sext", "zext", "trunc", "getelementptr")) - {"udiv", "sdiv", "urem", "srem"}
"""What is done again for each lane."""
