"""The blocks before a counted loop that does several iterations at a time, behind a test that there are so many.

choice:  ... br i1 %go, label %begin, label %header
begin:   what is computed once; br label %test
test:    %k.now = phi [ first, %begin ], [ four steps on, %body ];  br i1 %more, label %body, label %header
body:    four iterations; br label %test
header:  the loop as it was, for what is left
"""

from __future__ import annotations

from collections.abc import Sequence

from voltac.ir import marks
from voltac.ir.match import Definitions
from voltac.ir.model import Block, Instruction
from voltac.ir.parts import Operand
from voltac.passes.accesses.emit import Emitter
from voltac.passes.loops.copied_blocks import unquoted
from voltac.passes.loops.counted_loops import CountedLoop

ITERATIONS = 4
"""Of a block: as many 32-bit elements as 128 bits hold."""


class IterationBlocks:
    """Writes them; what is done in ``begin`` and ``body`` its user puts between."""

    def __init__(self, loop: CountedLoop, emit: Emitter, iterations: int = ITERATIONS) -> None:
        self.loop = loop
        self.emit = emit
        self.iterations = iterations
        """Of a block."""
        self.definitions: Definitions = emit.values.definitions
        stem = f"{unquoted(loop.header.name)}.rows"
        parts = ("choice", "begin", "test", "body")
        self.choice, self.begin, self.test, self.body = (emit.fresh(f"{stem}.{part}")[1:] for part in parts)
        self.blocks: list[Block] = []
        self.now = {phi.name: emit.fresh("of.rows") for phi in loop.header.phis()}
        """The phis of the header -> what they are at the beginning of a block of iterations."""
        self.done, self._after = emit.fresh("done"), emit.fresh("done")
        self.results: dict[str, str] = {}
        """Phis of the header -> what they are behind all blocks of iterations, if that is made in a block ``folded``."""
        self.count = ""
        """Of iterations, once :meth:`write_count` has written it."""
        self._entered = ""
        self._whole = ""
        self._folded = ""
        self._last = ""
        self._early: dict[str, str] = {}
        """What the loop computes -> the same for the first iteration, before the loop."""

    def start(self, name: str) -> None:
        """What is emitted from now on is a block of that name."""
        self.emit.begin_block()
        self.blocks.append(Block(name, self.emit.output, f"{name}:"))

    def write_count(self) -> str:
        """How many iterations there are, as 64 bits, where there is one."""
        loop, emit = self.loop, self.emit
        kind = loop.counter.type
        first, limit = loop.arm(loop.counter, loop.outside), self.before(loop.limit)
        self._entered = emit.value("entered", f"icmp {loop.predicate} {kind} {first}, {limit}")
        if kind != "i64":
            first, limit = (emit.value("wide", f"sext {kind} {each} to i64") for each in (first, limit))
        self.count = emit.value("count", f"sub i64 {limit}, {first}")
        if loop.predicate == "sle":
            self.count = emit.value("count", f"add i64 {self.count}, 1")
        return self.count

    def write_choice(self, conditions: list[str]) -> None:
        """Whole blocks are done where there is one, and each of the conditions holds, computed in this block already."""
        emit, count = self.emit, self.count or self.write_count()
        go = emit.value("go", f"and i1 {self._entered}, {emit.value('enough', f'icmp uge i64 {count}, {self.iterations}')}")
        for condition in conditions:
            go = emit.value("go", f"and i1 {go}, {condition}")
        self._whole = emit.value("whole", f"and i64 {count}, {-self.iterations}")
        emit.line(f"br i1 {go}, label %{self.begin}, label %{self.loop.header.name}")

    def before(self, operand: Operand) -> str:
        """A value of the first iteration, computed before it."""
        name = operand.value
        if name not in self.loop.inside:
            return name
        if name not in self._early:
            made = self.definitions[name]
            if made.op == "phi":
                self._early[name] = self.loop.arm(made, self.loop.outside)
            else:
                renamed = {each.value: self.before(each) for each in made.operands if each.value in self.loop.inside}
                again = Instruction(made.text)
                again.rename(renamed)
                self._early[name] = self.emit.value("early", again.text.partition(" = ")[2])
        return self._early[name]

    def write_test(self, folds: bool = False) -> None:
        """Begins ``test``, and ends it; the phis come with :meth:`put_in_place`. ``folds``: :meth:`start_fold` follows."""
        self.start(self.test)
        if folds:
            self._folded = self.emit.fresh(f"{unquoted(self.loop.header.name)}.rows.folded")[1:]
        more = self.emit.value("more", f"icmp ult i64 {self.done}, {self._whole}")
        self.emit.line(f"br i1 {more}, label %{self.body}, label %{self._folded or self.loop.header.name}")

    def start_fold(self) -> None:
        """What is emitted from now on is done once, behind the iterations."""
        self.start(self._folded)

    def end_counter(self) -> None:
        """All iterations are done behind the blocks, and none is left for the loop."""
        loop, emit = self.loop, self.emit
        end = self.before(loop.limit)
        self.results[loop.counter.name] = (
            end if loop.predicate == "slt" else emit.value("end", f"add {loop.counter.type} {end}, 1")
        )

    def write_fold_end(self) -> None:
        """Of the block."""
        self.emit.line(f"br label %{self.loop.header.name}")

    def write_end(self) -> None:
        """Of the last block of the iterations."""
        self.emit.line(f"{self._after} = add nuw i64 {self.done}, {self.iterations}")
        self.emit.line(f"br label %{self.test}")
        self._last = self.blocks[-1].name

    def put_in_place(self, following: dict[str, str], more: Sequence[tuple[str, str, str, str]] = ()) -> None:
        """``following``: the phis of the header -> what they are behind a block of iterations.

        ``more``: phis of the blocks alone, each a name, a type, the first value and that behind a block.
        """
        loop = self.loop
        phis = list(loop.header.phis())
        last = self._last
        around = [(self.now[phi.name], phi.type, loop.arm(phi, loop.outside), following[phi.name]) for phi in phis]
        test = next(block for block in self.blocks if block.name == self.test)
        test.instructions[:0] = [
            Instruction(f"  {name} = phi {kind} [ {first}, %{self.begin} ], [ {then}, %{last} ]")
            for name, kind, first, then in (*around, *more, (self.done, "i64", "0", self._after))
        ]
        self.put_before({phi.name: self.results.get(phi.name, self.now[phi.name]) for phi in phis}, self._folded or self.test)

    def put_before(self, results: dict[str, str], last: str) -> None:
        """Put the blocks before the loop; behind the block ``last`` it goes on with ``results`` for the phis of its header."""
        loop, function, header = self.loop, self.loop.function, self.loop.header
        for phi in header.phis():
            phi.rename({f"%{loop.outside}": f"%{self.choice}"})
            phi.add_arms([(results[phi.name], last)])
        function.block(loop.outside).terminator.rename({f"%{header.name}": f"%{self.choice}"})
        self._name_left_over()
        position = function.blocks.index(header)
        function.blocks[position:position] = self.blocks
        self.emit.begin_block()

    def _name_left_over(self) -> None:
        loop = self.loop
        names = {f"%{block.name}": self.emit.fresh(f"{unquoted(block.name)}.{marks.LEFT_OVER}") for block in loop.blocks}
        for block in (loop.header, *loop.blocks):
            for instruction in block.instructions:
                if instruction.is_terminator or instruction.op == "phi":
                    instruction.rename(names)
        for block in loop.blocks:
            block.name = names[f"%{block.name}"][1:]
            block.label_line = f"{block.name}:"
