"""What stands for a loop over streams: tests of addresses and banks, the block of a call, the form that fits (IPU 1.4).

One load and one store of one instruction must be in different banks: in place that is so in region 1, as the pipeline's load is
an odd number of words ahead; two streams must be further apart than an element, or in no element both.
"""

from __future__ import annotations

from voltac.ir.model import Block, Function, Instruction
from voltac.ir.parts import Operand
from voltac.ir.types import vector_parts
from voltac.records import replace
from voltac.targets.ipu.memory_map import ELEMENT, MemoryMap
from voltac.targets.ipu.streams.body import StreamBody
from voltac.targets.ipu.streams.loop_streams import WORD
from voltac.targets.ipu.streams.loops import StreamLoop, StreamPlace
from voltac.targets.ipu.streams.overflow import OverflowTest, overflow_tests
from voltac.targets.ipu.streams.program import KEY, LOOP_KEY, PART_BYTES, PARTS, StreamProgram
from voltac.targets.ipu.streams.schedule import StreamPipeline

_AHEAD = 256
"""Bytes that a load may be ahead of a store, and more."""
_FAR = 2 * ELEMENT + _AHEAD
"""Bytes between streams that never meet in a bank, wherever they are: an element of region 1, and how far loads run ahead."""
_QUAD = 16
"""Bytes of four registers."""


class StreamCall:
    """One way to do a loop: writes blocks."""

    def __init__(self, name: str, loop: StreamLoop, body: StreamBody, function: Function, map: MemoryMap) -> None:
        """``name``: what the names of its functions, blocks and values begin with."""
        self.name = name
        self.loop = loop
        self.body = body
        self.program = body.program()
        self.function = function
        self.map = map
        self.lines: list[str] = []
        self.blocks: list[Block] = []
        self.declarations: list[str] = []
        self.addresses: list[str] = []
        self.gangs = ""
        self.results: dict[str, str] = {}
        """Phis' names and what they are behind the loop."""
        self.tests = overflow_tests(self.program) if body.tests_first else []
        if self.tests:
            self.program = replace(self.program, guard=False)

    def value(self, label: str, text: str) -> str:
        """An instruction; the name of its result."""
        name = f"%{self.name}.{label}"
        self.lines.append(f"{name} = {text}")
        return name

    def _end_block(self, label: str, jump: str) -> None:
        block = Block(label, [Instruction(f"  {line}") for line in (*self.lines, jump)])
        block.label_line = f"{label}:"
        self.blocks.append(block)
        self.lines = []

    def write(self, done: str) -> list[str]:
        """All blocks from ``NAME.check`` on; the names of those from which the loop is entered that is to run itself.

        They jump to ``NAME.else`` where another way may fit.
        """
        self._count()
        fits = self._fits()
        again = []
        self._end_block(f"{self.name}.check", f"br i1 {fits}, label %{self.name}.fill, label %{self.name}.else")
        blocks = [self._fill(number) for number in range(self.body.passes)]
        label = f"{self.name}.fill"
        for number, test in enumerate(self.tests):
            is_last = number + 1 == len(self.tests)
            other = self.loop.block.name if is_last else f"{self.name}.test{number + 1}"
            self._test(number, test, label, blocks, other)
            if is_last:
                again.append(self.blocks[-1].name)
            label = f"{self.name}.pick" if is_last else other
        self._run(self.program, blocks, "run", label, f"{self.name}.done")
        self._load_results(blocks)
        if self.program.guard:
            again.append(f"{self.name}.done")
            told = self._overflowed(blocks[0])
            self._end_block(f"{self.name}.done", f"br i1 {told}, label %{self.loop.block.name}, label %{done}")
        else:
            self._end_block(f"{self.name}.done", f"br label %{done}")
        return again

    def _count(self) -> None:
        loop = self.loop
        distance = self.value("distance", f"sub i32 {loop.limit}, {loop.begin}")
        rounded = self.value("rounded", f"add i32 {distance}, {loop.step - 1}")
        self.gangs = self.value("gangs", f"udiv i32 {rounded}, {loop.step}")
        self.end = self.value("end", f"add i32 {loop.begin}, {self.value('elements', f'mul i32 {self.gangs}, {loop.step}')}")
        self.iterations = self.value("iterations", f"mul i32 {self.gangs}, {self.body.iterations}")
        self.addresses = [self._address(f"{number}", at) for number, at in enumerate(self._places())]

    def _places(self) -> list[StreamPlace]:
        return [at for _, at in (*self.body.loads, *self.body.stores)]

    def _address(self, label: str, at: StreamPlace) -> str:
        """Where a stream begins."""
        total = ""
        for number, (product, factor) in enumerate(at.bytes):
            text = str(factor)
            for index, name in enumerate(product):
                known = self.loop.begin if name == self.loop.counter else name
                text = self.value(f"product{label}.{number}.{index}", f"mul i32 {known}, {text}")
            total = self.value(f"offset{label}.{number}", f"add i32 {total}, {text}") if total else text
        first = self.value(f"place{label}", f"getelementptr i8, ptr {at.base.value}, i32 {total or 0}")
        return self.value(f"address{label}", f"ptrtoint ptr {first} to i32")

    # --- tests

    def _fits(self) -> str:
        """Whether words are aligned, and scalars that must be numbers are."""
        words = [at for at, access in zip(self.addresses, self.program.accesses) if access.kind not in ("singles", PARTS)]
        low = words[0] if words else "0"
        for index, address in enumerate(words[1:]):
            low = self.value(f"either{index}", f"or i32 {low}, {address}")
        fits = self.value("fits", f"icmp eq i32 {self.value('low', f'and i32 {low}, {WORD - 1}')}, 0")
        for index, (at, access) in enumerate(zip(self.addresses, self.program.accesses)):
            if access.kind == PARTS:
                below = self.value(f"low.part{index}", f"and i32 {at}, {PART_BYTES - 1}")
                whole = self.value(f"whole{index}", f"icmp eq i32 {below}, 0")
                fits = self.value(f"fits.part{index}", f"and i1 {fits}, {whole}")
        for number, zeros in self.body.numbers.items():
            scalar = self.body.scalars[int(number[1:])]
            label = f"number.{number}"
            ordered = self.value(label, f"fcmp ord {scalar.type} {scalar.value}, {scalar.value}")
            fits = self.value(f"fits.{number}", f"and i1 {fits}, {ordered}")
            type, sign = ("i32", 1 << 31) if scalar.type == "float" else ("i16", 1 << 15)
            bits = self.value(f"bits.{label}", f"bitcast {scalar.type} {scalar.value} to {type}")
            for zero in sorted(zeros):
                other = self.value(f"zero.{label}{zero}", f"icmp ne {type} {bits}, {-sign if zero == '-0' else 0}")
                fits = self.value(f"fits.{number}{zero}", f"and i1 {fits}, {other}")
        return fits

    def _test(self, number: int, test: OverflowTest, label: str, blocks: list[str], other: str) -> None:
        """What begins at ``label`` and goes on to ``NAME.pick`` where nothing overflows, else to ``other``."""
        pick, certain = f"{self.name}.pick", ""
        for name, most in test.limits:
            bits = self._bits(f"{number}.{name}", self.body.scalars[int(name[1:])])
            magnitude = self.value(f"magnitude{number}.{name}", f"and i16 {bits}, {(1 << 15) - 1}")
            small = self.value(f"small{number}.{name}", f"icmp ule i16 {magnitude}, {most}")
            certain = self.value(f"certain{number}.{name}", f"and i1 {certain}, {small}") if certain else small
        if certain:
            begin = pick if test.program is None else f"{self.name}.begin{number}"
            self._end_block(label, f"br i1 {certain}, label %{begin}, label %{other}")
            label = begin
        if test.program is not None:
            tested = f"{self.name}.tested{number}"
            self._run(test.program, blocks, f"dry{number}", label, tested)
            told = self._overflowed(blocks[0])
            self.lines.append(f"store i32 {self.iterations}, ptr {blocks[0]}, align 4")
            self._end_block(tested, f"br i1 {told}, label %{other}, label %{pick}")

    def _may_take(self, pipeline: StreamPipeline) -> str:
        """Whether the accesses of one instruction are in different banks, and where they must be."""
        tests: list[str] = []
        accesses = self.program.accesses
        label = f"{len(self.blocks)}"
        if pipeline.is_wide:
            for number, access in enumerate(accesses):
                if access.kind == "quad":
                    if not self.program.has_eights:
                        low = self.value(f"low{label}.{number}", f"and i32 {self.addresses[number]}, {_QUAD - 1}")
                        tests.append(self.value(f"aligned{label}.{number}", f"icmp eq i32 {low}, 0"))
                    tests.append(self._is_interleaved(f"{label}.{number}", number))
        for at, first in enumerate(pipeline.joined):
            for second in pipeline.joined[at + 1 :]:
                if accesses[second].over == accesses[first].value and accesses[second].over:
                    tests.append(self._is_interleaved(f"{label}.{first}", first))
                else:
                    tests.append(self._apart(f"{label}.{first}.{second}", first, second))
        if len(pipeline.joined) == 3:
            tests.append(self._is_interleaved(f"{label}.second", pipeline.joined[1]))
        all_hold = tests[0]
        for index, test in enumerate(tests[1:]):
            all_hold = self.value(f"holds{label}.{index}", f"and i1 {all_hold}, {test}")
        return all_hold

    def _is_interleaved(self, label: str, number: int) -> str:
        return self.value(f"inside{label}", f"icmp uge i32 {self.addresses[number]}, {self.map.interleaved}")

    def _apart(self, label: str, first: int, second: int) -> str:
        accesses = self.program.accesses
        element = (2 * ELEMENT).bit_length() - 1
        limits = []
        for each, number in enumerate((first, second)):
            size = self.value(f"size{label}.{each}", f"mul i32 {self.iterations}, {accesses[number].bytes}")
            behind = self.value(f"behind{label}.{each}", f"add i32 {self.addresses[number]}, {size}")
            last = self.value(f"last{label}.{each}", f"add i32 {behind}, {_AHEAD}")
            limits.append(
                [
                    self.value(f"{end}{label}.{each}", f"lshr i32 {at}, {element}")
                    for end, at in (("low", self.addresses[number]), ("high", last))
                ]
            )
        below = self.value(f"below{label}", f"icmp ult i32 {limits[0][1]}, {limits[1][0]}")
        above = self.value(f"above{label}", f"icmp ult i32 {limits[1][1]}, {limits[0][0]}")
        disjoint = self.value(f"disjoint{label}", f"or i1 {below}, {above}")
        if accesses[first].step != accesses[second].step:
            return disjoint
        difference = self.value(f"difference{label}", f"sub i32 {self.addresses[first]}, {self.addresses[second]}")
        moved = self.value(f"moved{label}", f"add i32 {difference}, {_FAR}")
        far = self.value(f"far{label}", f"icmp ugt i32 {moved}, {2 * _FAR}")
        return self.value(f"apart{label}", f"or i1 {far}, {disjoint}")

    # --- calls

    def _run(self, program: StreamProgram, blocks: list[str], label: str, start: str, behind: str) -> None:
        """From the block ``start``, the calls of the first form that fits; what follows is the block ``behind``."""
        choices = self.body.pipelines(program)
        for index, pipeline in enumerate(choices[:-1]):
            form, other = f"{self.name}.{label}.way{index}", f"{self.name}.{label}.not{index}"
            test = self._may_take(pipeline)
            self._end_block(start, f"br i1 {test}, label %{form}, label %{other}")
            self._call(program, pipeline, blocks, label)
            self._end_block(form, f"br label %{behind}")
            start = other
        self._call(program, choices[-1], blocks, label)
        self._end_block(start, f"br label %{behind}")

    def _call(self, program: StreamProgram, pipeline: StreamPipeline, blocks: list[str], label: str) -> None:
        callee = f"@{self.name}.{label}.{pipeline.form}"
        place = f'"{LOOP_KEY}"="{self.loop.block.name}"'
        self.declarations.append(f'declare void {callee}(ptr) "{KEY}"="{program}" {place}')
        self.lines += [f"call void {callee}(ptr {block})" for block in blocks]

    def _overflowed(self, block: str) -> str:
        told = self.value(f"told{len(self.blocks)}", f"load i32, ptr {block}, align 4")
        return self.value(f"overflowed{len(self.blocks)}", f"icmp ne i32 {told}, 0")

    # --- the block of a call

    def _fill(self, number: int) -> str:
        """Of a pass."""
        body = self.body
        texts = [f"i32 {self.iterations}"]
        texts += [self._word(f"{number}.{index}", scalar) for index, scalar in enumerate(body.scalars)]
        if self.program.has_distance:
            texts.append(f"i32 {body.distance}")
        fields = [(4 * index, text) for index, text in enumerate(texts)]
        fields += self._first_pairs(number, self._first_field)
        at = self._first_field + WORD * (len(self.program.carries) + sum(one.pairs for one in self.program.sums))
        for index, address in enumerate(self.addresses):
            moved = self.value(f"pass{number}.{index}", f"add i32 {address}, {WORD * number}") if number else address
            fields.append((at + 4 * index, f"i32 {moved}"))
        block = f"%{self.name}.block{number}"
        size = max(at for at, _ in fields) + WORD
        self.function.blocks[0].instructions.insert(0, Instruction(f"  {block} = alloca [{size} x i8], align 8"))
        for index, (at, text) in enumerate(fields):
            field = self.value(f"field{number}.{index}", f"getelementptr i8, ptr {block}, i32 {at}")
            self.lines.append(f"store {text}, ptr {field}, align 4")
        return block

    def _word(self, label: str, scalar: Operand) -> str:
        """A scalar as a field: a half stands in both halves of its word."""
        if scalar.type == "float":
            return f"float {scalar.value}"
        low = self.value(f"half{label}", f"zext i16 {self._bits(label, scalar)} to i32")
        return f"i32 {self.value(f'both{label}', f'mul i32 {low}, 65537')}"

    def _bits(self, label: str, half: Operand) -> str:
        return self.value(f"bits{label}", f"bitcast half {half.value} to i16")

    @property
    def _first_field(self) -> int:
        """Where the carried pairs begin, in bytes."""
        return 4 * (1 + len(self.body.scalars) + self.program.has_distance)

    def _carried_fields(self, start: int) -> list[tuple[str, int, int]]:
        """Phis whose pairs the block has, with the field of the first and how many."""
        found, summed = [], {phi: one.pairs for phi, one in self.body.sums}
        for phi in self.loop.carried:
            if phi not in summed:
                found.append((phi, start, len(self.body.values[phi])))
                start += WORD * len(self.body.values[phi])
        start += WORD * len(self.body.delayed)
        return found + [(phi, start, pairs) for phi, pairs in summed.items()]

    def _first_pairs(self, number: int, start: int) -> list[tuple[int, str]]:
        fields = []
        for phi, at, pairs in self._carried_fields(start):
            first = self.loop.carried[phi][0]
            if vector_parts(first.type) == (4, "half"):
                fields.append((at, f"{first.type} {first.value}"))
                continue
            for index in range(pairs):
                lane = 2 * (index + number)
                mask = f"<2 x i32> <i32 {lane}, i32 {lane + 1}>"
                text = f"shufflevector {first.type} {first.value}, {first.type} poison, {mask}"
                fields.append((at + WORD * index, f"<2 x float> {self.value(f'first{number}.{at}.{index}', text)}"))
        delayed = start + sum(WORD * len(self.body.values[phi]) for phi in self.loop.carried if phi not in dict(self.body.sums))
        for index, first_place in enumerate(self.body.delayed.values()):
            address = self._address(f".delayed{index}", first_place)
            pointer = self.value(f"pointer.delayed{index}", f"inttoptr i32 {address} to ptr")
            fields.append(
                (
                    delayed + WORD * index,
                    f"<2 x float> {self.value(f'delayed{index}', f'load <2 x float>, ptr {pointer}, align 4')}",
                )
            )
        for index, (_, place_of_it) in enumerate(self.body.kept):
            fields += self._kept_half(f"kept{index}", place_of_it, delayed + WORD * (len(self.body.delayed) + index))
        return fields

    def _kept_half(self, label: str, at: StreamPlace, field: int) -> list[tuple[int, str]]:
        """The second half of a pair of halves; of the first nobody reads anything."""
        address = self._address(f".{label}", at)
        words = []
        for number in (0, 1):
            behind = self.value(f"address.{label}.{number}", f"add i32 {address}, {2 * number}")
            pointer = self.value(f"pointer.{label}.{number}", f"inttoptr i32 {behind} to ptr")
            half = self.value(f"half.{label}.{number}", f"load i16, ptr {pointer}, align 2")
            words.append(self.value(f"word.{label}.{number}", f"zext i16 {half} to i32"))
        high = self.value(f"high.{label}", f"shl i32 {words[1]}, 16")
        return [(field, "i32 0"), (field + WORD // 2, f"i32 {self.value(f'both.{label}', f'or i32 {words[0]}, {high}')}")]

    def _load_results(self, blocks: list[str]) -> None:
        for phi, at, pairs in self._carried_fields(self._first_field):
            first, following = self.loop.carried[phi]
            label = f"result{at}"
            if vector_parts(first.type) == (4, "half"):
                field = self.value(f"{label}.field", f"getelementptr i8, ptr {blocks[0]}, i32 {at}")
                self.results[following] = self.value(label, f"load {first.type}, ptr {field}, align 4")
                continue
            halves = []
            for number, block in enumerate(blocks):
                for index in range(pairs):
                    field = self.value(
                        f"{label}.field{number}.{index}", f"getelementptr i8, ptr {block}, i32 {at + WORD * index}"
                    )
                    halves.append(self.value(f"{label}.{number}.{index}", f"load <2 x float>, ptr {field}, align 4"))
            if len(halves) == 1:
                # Lanes that had nothing to do.
                halves.append(
                    self.value(
                        f"{label}.rest",
                        f"shufflevector {first.type} {first.value}, {first.type} poison, <2 x i32> <i32 2, i32 3>",
                    )
                )
            mask = "<4 x i32> <i32 0, i32 1, i32 2, i32 3>"
            self.results[following] = self.value(
                label, f"shufflevector <2 x float> {halves[0]}, <2 x float> {halves[1]}, {mask}"
            )
