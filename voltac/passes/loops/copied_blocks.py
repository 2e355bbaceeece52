"""Some blocks of a function once more, for a case in which they run otherwise, behind one test before both.

    before:  br label %loop                     before:  ... br i1 %simple, label %loop, label %loop.again
    loop:    ... br label %after          ->    loop:    ... br label %after        loop.again: ... br label %after
    after:   uses %x of the loop                after:   %joined = phi [ %x, %loop ], [ %x.again, %loop.again ]

The blocks have one way in, the edge to the first of them.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir.model import Block, Function, Instruction


class CopiedBlocks:
    """``names``: the blocks, in the order of the function; the first one is entered, from ``before`` only."""

    def __init__(self, function: Function, names: list[str], before: str, predecessors: dict[str, list[str]]) -> None:
        self.function = function
        self.names = names
        self.before = before
        inside = set(names)
        self.blocks = [block for block in function.blocks if block.name in inside]
        self.others = [block for block in function.blocks if block.name not in inside]
        self.own = {made.name: made.type for block in self.blocks for made in block.instructions if made.name}
        self.exits = list(dict.fromkeys(to for block in self.blocks for to in block.successors if to not in inside))
        self.predecessors = predecessors
        self.used_outside = self._used_outside()

    def _used_outside(self) -> dict[str, None]:
        """Values of the blocks that others use, other than phis behind them."""
        found: dict[str, None] = {}
        for block in self.others:
            for instruction in block.instructions:
                if instruction.op == "phi" and block.name in self.exits:
                    continue
                found.update(dict.fromkeys(name for name in instruction.names_used() if name in self.own))
        return found

    @property
    def can_be_copied(self) -> bool:
        """Values that are used behind the blocks need one place where both meet."""
        if not self.used_outside:
            return True
        return len(self.exits) == 1 and set(self.predecessors[self.exits[0]]) <= set(self.names)

    def write(self, mark: str, tests: list[Instruction], simple: str, fresh: Callable[[str], str]) -> set[str]:
        """Put the copies, named with ``mark``, behind the blocks; ``tests`` compute ``simple``, which asks for the old ones.

        The names of the copies.
        """
        new_names = {f"%{block.name}": fresh(f"{unquoted(block.name)}.{mark}") for block in self.blocks}
        new_names.update((name, fresh(f"{unquoted(name[1:])}.{mark}")) for name in self.own)
        first = self.names[0]
        choice = fresh(f"{unquoted(first)}.choice")
        header = self.function.block(first)
        copies = [self._copied(block, new_names, choice) for block in self.blocks]
        for phi in header.phis():
            phi.rename({f"%{self.before}": choice})
        branch = Instruction(f"  br i1 {simple}, label %{first}, label {new_names[f'%{first}']}")
        self._join(new_names, fresh)
        self.function.block(self.before).terminator.rename({f"%{first}": choice})
        place = self.function.blocks.index(self.blocks[0])
        self.function.blocks.insert(place, Block(choice[1:], [*tests, branch], f"{choice[1:]}:"))
        place = self.function.blocks.index(self.blocks[-1]) + 1
        self.function.blocks[place:place] = copies
        return {copy.name for copy in copies}

    def _copied(self, block: Block, new_names: dict[str, str], choice: str) -> Block:
        name = new_names[f"%{block.name}"][1:]
        copy = Block(name, [], f"{name}:")
        renamed = new_names | {f"%{self.before}": choice}
        for instruction in block.instructions:
            made = Instruction(instruction.text)
            made.rename(renamed if instruction.op == "phi" and block.name == self.names[0] else new_names)
            if instruction.name:
                made.text = made.text.replace(instruction.name, new_names[instruction.name], 1)
            copy.instructions.append(made)
        return copy

    def _join(self, new_names: dict[str, str], fresh: Callable[[str], str]) -> None:
        inside = {block.name for block in self.blocks}
        old_phis: set[int] = set()
        for block in self.others:
            if block.name not in self.exits:
                continue
            for phi in block.phis():
                old_phis.add(id(phi))
                phi.add_arms(
                    [
                        (new_names.get(operand.value, operand.value), new_names[f"%{label}"][1:])
                        for operand, label in zip(phi.operands, phi.parts.labels)
                        if label in inside
                    ]
                )
        if not self.used_outside:
            return
        meeting = self.function.block(self.exits[0])
        joined = {name: fresh("joined") for name in self.used_outside}
        ways = [label for label in dict.fromkeys(self.predecessors[meeting.name]) if label in inside]
        for block in self.others:
            for instruction in block.instructions:
                if id(instruction) not in old_phis:
                    instruction.rename(joined)
        meeting.instructions[:0] = [
            Instruction(
                f"  {joined[name]} = phi {self.own[name]} "
                + ", ".join(f"[ {name}, %{label} ], [ {new_names[name]}, {new_names[f'%{label}']} ]" for label in ways)
            )
            for name in self.used_outside
        ]


def unquoted(name: str) -> str:
    """A name without the quotes that LLVM text needs around some."""
    return name.strip('"')
