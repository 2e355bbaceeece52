"""legal IR -> legal IR: a loop whose vectors may lie across lines becomes two, one for where none does.

::

    loop:                                            %any = (%a | %step) & 63
      ...                                            br i1 (%any != 0), label %loop, label %loop.aligned
      %m = and i32 %p, 63                     ->   loop:
      br i1 (%m != 0), label %lines, label %line     ... as it was
                                                   loop.aligned:
                                                     ... without %lines

Addresses are where they are for all iterations, or for none: those of rows are apart by a length that
only the caller knows. What tells an address that is aligned from one that is not is known before the loop if
it begins at a line and moves on by lines. The loop for these has neither the tests nor the other paths.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.codegen.loops.loop_sums import LoopSums, integer_of
from voltac.codegen.loops.strides import with_own_exits
from voltac.ir.cfg import ControlFlow, NaturalLoop
from voltac.ir.match import made_by
from voltac.ir.model import Block, Function, Instruction, Module

_MOST_INSTRUCTIONS = 400
"""Of a loop that is copied. Chosen, not measured: what is longer is seldom the innermost part of a kernel, and fills the
instruction cache by itself."""


def version_loops(module: Module, widths: tuple[int, ...]) -> bool:
    """``widths``: what tests of alignment ask of an address, by ``and``. Whether any loop has become two."""
    changed = False
    for function in module.functions:
        while _version_one(function, widths):
            changed = True
    return changed


def _version_one(function: Function, widths: tuple[int, ...]) -> bool:
    tests = tuple(f", {width}" for width in widths)
    if not any(one.op == "and" and one.text.endswith(tests) for one in function.instructions()):
        return False
    flow = with_own_exits(function)
    fresh, definitions = function.fresh_names(), function.definitions()
    types = {parameter.name: parameter.type for parameter in function.parameters}
    types.update((name, made.type) for name, made in definitions.items())
    inner = [loop for loop in flow.loops if not any(other is not loop and other.blocks < loop.blocks for other in flow.loops)]
    return any(
        ".tested" not in loop.header and _Version(function, flow, loop, types, fresh, definitions, widths).write()
        for loop in inner
    )


class _Version:
    def __init__(
        self,
        function: Function,
        flow: ControlFlow,
        loop: NaturalLoop,
        types: dict[str, str],
        fresh: Callable[[str], str],
        definitions: dict[str, Instruction],
        widths: tuple[int, ...],
    ) -> None:
        self.widths = widths
        self.function = function
        self.flow = flow
        self.loop = loop
        self.fresh = fresh
        self.definitions = definitions
        self.types = types

    def write(self) -> bool:
        loop, flow = self.loop, self.flow
        sums = LoopSums(self.function, flow, loop, self.types, self.fresh)
        if not sums.known:
            return False
        self.sums = sums
        leaves = [(name, to) for name in loop.blocks for to in flow.successors[name] if to not in loop.blocks]
        size = sum(len(sums.blocks[name].instructions) for name in loop.blocks)
        if len(leaves) != 1 or leaves[0][0] != sums.latch.name or size > _MOST_INSTRUCTIONS:
            return False
        exit_ = sums.blocks[leaves[0][1]]
        if flow.predecessors[exit_.name] != [sums.latch.name]:
            return False
        tests = {name: found for name in loop.blocks if (found := self._aligned_side(sums.blocks[name])) is not None}
        if not tests:
            return False
        bits = "0"
        for _, needed in tests.values():
            bits = sums.outside.joined(bits, needed)
        self._copy(exit_, bits, {name: side for name, (side, _) in tests.items()})
        return True

    def _aligned_side(self, block: Block) -> tuple[str, str] | None:
        """Where a test of an address goes if it is aligned, and a number that is zero if that is so in every iteration."""
        branch = block.terminator
        if branch.op != "br" or len(block.successors) != 2:
            return None
        compare = self.sums.inside.get(branch.operands[0].value)
        if compare is None:
            return self._invariant_side(branch)
        if compare.op != "icmp" or compare.parts.predicate not in ("eq", "ne") or compare.operands[1].value != "0":
            return None
        masked = self.sums.inside.get(compare.operands[0].value)
        if masked is None or masked.op != "and":
            return None
        mask = integer_of(masked.operands[1].value)
        found = self.sums.sum(masked.operands[0])
        if mask not in self.widths or found is None:
            return None
        outside = self.sums.outside
        needed = self.sums.start_of(found)
        for (symbol, by), factor in found[0].items():
            counter = self.sums.counters.get(symbol)
            if counter is not None:
                needed = outside.joined(needed, outside.scaled(outside.times(counter.step, by), factor))
        labels = branch.parts.labels
        side = labels[compare.parts.predicate == "ne"]
        needed = outside.masked(needed, mask)
        return (side, needed) if set(labels) <= self.loop.blocks and not integer_of(needed) else None

    def _invariant_side(self, branch: Instruction) -> tuple[str, str] | None:
        """The same of a test that was moved out of the loop."""
        compare = made_by(("icmp",), branch.operands[0].value, self.definitions)
        if compare is None or compare.parts.predicate not in ("eq", "ne"):
            return None
        masked = made_by(("and",), compare.operands[0].value, self.definitions)
        if masked is None or compare.operands[1].value != "0":
            return None
        labels = branch.parts.labels
        if integer_of(masked.operands[1].value) not in self.widths or not set(labels) <= self.loop.blocks:
            return None
        return labels[compare.parts.predicate == "ne"], masked.name

    def _copy(self, exit_: Block, bits: str, sides: dict[str, str]) -> None:
        """The loop once more, without what is never reached; ``bits`` are zero where it is the one to run."""
        sums, loop = self.sums, self.loop
        reached = self._reached(sides)
        new_names = {f"%{name}": self.fresh(f"{name}.aligned" if '"' not in name else "aligned") for name in reached}
        new_names.update(
            (made.name, self.fresh(made.name[1:] if '"' not in made.name else "aligned"))
            for name in reached for made in sums.blocks[name].instructions if made.name
        )  # fmt: skip
        choice = self.fresh("tested")
        copies = [self._copied(sums.blocks[name], sides.get(name), set(reached), new_names, choice) for name in reached]
        self._choose(choice, bits, new_names[f"%{loop.header}"])
        self._join(exit_, reached, new_names)
        straight, merged = _straightened(copies)
        for phi in exit_.phis():
            phi.rename(merged)
        place = self.function.blocks.index(exit_)
        self.function.blocks[place:place] = straight

    def _reached(self, sides: dict[str, str]) -> list[str]:
        seen: dict[str, None] = {}
        pending = [self.loop.header]
        while pending:
            name = pending.pop()
            if name in self.loop.blocks and name not in seen:
                seen[name] = None
                pending += [sides[name]] if name in sides else self.sums.blocks[name].successors[::-1]
        return list(seen)

    def _copied(self, block: Block, side: str | None, reached: set[str], new_names: dict[str, str], choice: str) -> Block:
        name = new_names[f"%{block.name}"][1:]
        copy = Block(name, [], f"{name}:")
        for instruction in block.instructions:
            text = instruction.text
            if instruction is block.terminator and side is not None:
                text = f"  br label %{side}"
            elif instruction.op == "phi":
                parts = instruction.parts
                kept = [
                    f"[ {operand.value}, {choice if label == self.sums.before.name else '%' + label} ]"
                    for operand, label in zip(parts.operands, parts.labels)
                    if label in reached or label == self.sums.before.name
                ]
                text = f"  {instruction.name} = phi {parts.type} {', '.join(kept)}"
            made = Instruction(text)
            made.rename(new_names)
            if instruction.name:
                made.text = made.text.replace(instruction.name, new_names[instruction.name], 1)
            copy.instructions.append(made)
        return copy

    def _choose(self, choice: str, bits: str, copy: str) -> None:
        """Between the block before the loop and its two headers."""
        sums, name = self.sums, choice[1:]
        test = self.fresh("aligned")
        block = Block(name, [Instruction(f"  {test} = icmp eq i32 {bits}, 0")], f"{name}:")
        # The old header keeps its name with a mark, so that nobody divides the loop again.
        header = sums.header
        marked = self.fresh(f"{header.name}.tested" if '"' not in header.name else "loop.tested")
        block.instructions.append(Instruction(f"  br i1 {test}, label {copy}, label {marked}"))
        sums.before.terminator.rename({f"%{header.name}": choice})
        for other in self.function.blocks:
            for instruction in other.instructions:
                if instruction.op in ("br", "switch", "phi"):
                    instruction.rename({f"%{header.name}": marked})
        for phi in header.phis():
            phi.rename({f"%{sums.before.name}": choice})
        header.name, header.label_line = marked[1:], f"{marked[1:]}:"
        self.function.blocks.insert(self.function.blocks.index(sums.before) + 1, block)

    def _join(self, exit_: Block, reached: list[str], new_names: dict[str, str]) -> None:
        """Behind the loops, values are those of the one that ran."""
        latch = self.sums.latch
        label = new_names[f"%{latch.name}" if f"%{latch.name}" in new_names else f"%{self.loop.header}"]
        for phi in exit_.phis():
            value = phi.operands[0].value
            phi.text = f"{phi.text}, [ {new_names.get(value, value)}, {label} ]"
        own = {made.name: made.type for name in reached for made in self.sums.blocks[name].instructions if made.name}
        joined: dict[str, str] = {}
        code: list[Instruction] = []
        inside = {id(self.sums.blocks[name]) for name in self.loop.blocks}
        old_phis = {id(phi) for phi in exit_.phis()}
        for block in self.function.blocks:
            if id(block) in inside:
                continue
            for instruction in block.instructions:
                if id(instruction) in old_phis:
                    continue
                for name in instruction.names_used():
                    if name in own and name not in joined:
                        joined[name] = self.fresh("joined")
                        code.append(
                            Instruction(
                                f"  {joined[name]} = phi {own[name]} [ {name}, %{latch.name} ], [ {new_names[name]}, {label} ]"
                            )
                        )
                instruction.rename(joined)
        exit_.instructions[:0] = code


def _straightened(blocks: list[Block]) -> tuple[list[Block], dict[str, str]]:
    """Blocks that only follow each other become one, and phis of one value go; also the names that are gone, with new ones."""
    gone: dict[str, str] = {}
    while True:
        before: dict[str, list[Block]] = {}
        for block in blocks:
            for name in block.successors:
                before.setdefault(name, []).append(block)
        follower = next(
            (
                block
                for block in blocks[1:]
                if len(ways := before.get(block.name, [])) == 1 and ways[0] is not block and len(ways[0].successors) == 1
            ),
            None,
        )
        if follower is None:
            return blocks, _followed(gone)
        first = before[follower.name][0]
        gone.update((phi.name, phi.operands[0].value) for phi in follower.phis())
        gone[f"%{follower.name}"] = f"%{first.name}"
        first.instructions = first.instructions[:-1] + [one for one in follower.instructions if one.op != "phi"]
        blocks = [one for one in blocks if one is not follower]
        new_names = _followed(gone)
        for one in blocks:
            for instruction in one.instructions:
                instruction.rename(new_names)


def _followed(replaced: dict[str, str]) -> dict[str, str]:
    found = {}
    for name, value in replaced.items():
        while value in replaced:
            value = replaced[value]
        found[name] = value
    return found
