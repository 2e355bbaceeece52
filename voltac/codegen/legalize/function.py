"""One function -> the same function on legal values: the walk, and what is the same for all types.

    define i64 @f(i64 %a, <16 x i64> %b)      ->    define { i32, i32 } @f(i32 %a.0, i32 %a.1, <16 x i32> %b.0, ...)

Every value is replaced by its parts (``shapes.py``); a rule a kind of instruction,
found by operation in the machine's table, says how. Blocks keep their names and order; those a rule
begins follow the block it stands in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property

from voltac.codegen.legalize.constant_words import constant_word, zero_word
from voltac.codegen.legalize.known_ranges import KnownRanges
from voltac.codegen.legalize.machine_facts import MachineFacts
from voltac.codegen.legalize.packed_values import PackedValues, PackedVectors
from voltac.codegen.legalize.shapes import NotLegal, Shape, Shapes
from voltac.codegen.legalize.writer import Writer
from voltac.ir.cfg import control_flow
from voltac.ir.interp_constants import constant
from voltac.ir.interp_values import KindTable, Value
from voltac.ir.model import Block, Function, Instruction
from voltac.ir.parts import Operand, parse_operand
from voltac.ir.scan import match_bracket, split_list
from voltac.ir.uses import Uses
from voltac.records import record

Words = list[str]
Rule = Callable[["Legalizer", Instruction], None]
LaneFunction = Callable[..., Words]
"""``(legalizer, vector, shape of the first operand, words of each operand)``: the result's words in each lane."""


@record
class Routine:
    """A function in LLVM assembly that legal code calls (``routines.py``)."""

    text: str
    parameters: tuple[str, ...]
    """Legal types, of the form for scalars."""
    results: tuple[str, ...]


@record(eq=False)
class VectorMemory:
    """How a machine's vectors get from and to memory; ``on`` is a mask, ``alignment`` what is known of the address."""

    load: Callable[[Legalizer, Shape, str, int], Words]
    """Shape, pointer, alignment."""
    store: Callable[[Legalizer, Shape, Words, str, int], None]
    """Shape, words, pointer, alignment."""
    load_masked: Callable[[Legalizer, Shape, str, int, str, Words], Words]
    """Shape, pointer, alignment, mask, values of the lanes that are off."""
    store_masked: Callable[[Legalizer, Shape, Words, str, int, str], None]
    gather: Callable[[Legalizer, Shape, str, int, str, Words], Words]
    """Like a masked load, of a vector of addresses."""
    scatter: Callable[[Legalizer, Shape, Words, str, int, str], None]


@record(eq=False)
class LegalMachine:
    """How values and operations become those of one machine: the shared rows it takes, and its own."""

    facts: MachineFacts
    rules: Mapping[str, Rule]
    """Operation -> what writes it."""
    intrinsics: Mapping[str, Rule]
    """LLVM's intrinsics, by the name without ``llvm.`` and type suffixes, that need to see the instruction."""
    lane_functions: Mapping[str, LaneFunction]
    """Those that work lane by lane."""
    reductions: Mapping[str, Rule]
    """Those behind ``llvm.vector.reduce.``."""
    routines: Mapping[str, Routine]
    divide: Callable[[Legalizer, bool, str, str], tuple[str, str]] | None = None
    """The machine's own way to divide words without a sign: quotient and remainder. None: a routine does."""
    divide_small: Callable[[Legalizer, bool, int, str, str, bool], str | None] | None = None
    """A shorter way for numbers of few bits, given the bits of their type and whether they have a sign: the quotient, None for
    other numbers."""
    vectors: VectorMemory | None = None
    pair_lanes: Callable[[Function, list[Words]], set[str]] | None = None
    """Given a function that is legal, and the lanes of its vectors, makes single values of those that one instruction computes;
    returns the functions that are called then, as they are declared. Left out where nothing is optimized."""
    packed: PackedVectors | None = None


class Legalizer:
    """State of one function's rewriting."""

    def __init__(self, machine: LegalMachine, shapes: Shapes, function: Function, attributes: str = "") -> None:
        """``attributes`` of the function, written out: what is claimed of its threads and of its memory is found there."""
        self.machine = machine
        self.width = machine.facts.lanes
        """Lanes of a vector register."""
        self.word_bits = machine.facts.word_bits
        self.attributes = attributes
        self.shapes = shapes
        self.packed = PackedValues(self, machine.packed, shapes)
        self.layout = shapes.layout
        self.function = function
        self.write = Writer(function.blocks[0].name, machine.facts)
        self.values: dict[str, Words] = {}
        self.zero_above: dict[str, int] = {}
        """Part -> number of its low bits that may be set."""
        self.sign_from: dict[str, int] = {}
        """Part -> bits it was sign-extended from."""
        self.extended_from: dict[str, tuple[bool, str]] = {}
        """High word of a 64-bit number -> (signed, low word): the number is that word, extended."""
        self.unaligned: set[str] = set()
        """Addresses a constant distance from another that is not a multiple of a vector: neighbours in a stencil."""
        self._kinds = KindTable(shapes.layout)
        self._phis: list[tuple[Block, int, str, str, int]] = []
        """Block and position of the phi to be, its name and type, and which part it is."""
        self._last_block: dict[str, str] = {}
        self.floats: dict[str, str] = {}
        """Words with the bits of a number of 16 bits -> the number as a float, where a machine computes with that."""
        self.unrounded: dict[str, str] = {}
        """And what that was before it was rounded to 16 bits."""
        self.loaded_halves: set[str] = set()
        """Those of these words that are as they were loaded."""
        self.result_address = ""
        self.lanes: list[Words] = []
        """Of vectors that are made of scalars: one word for each lane."""

    @cached_property
    def _lane_shapes(self) -> Shapes:
        return Shapes(self.layout, self.machine.facts, is_packed=False)

    @cached_property
    def definitions(self) -> dict[str, Instruction]:
        """Of the function as it is given."""
        return self.function.definitions()

    @cached_property
    def uses(self) -> Uses:
        """Of the function as it is given."""
        return Uses(self.function.instructions())

    @cached_property
    def ranges(self) -> KnownRanges:
        """Of the integers of the function as it is given."""
        return KnownRanges(self.function)

    # --- operands ---

    def constant(self, value: int, vector: bool) -> str:
        """A word in every lane."""
        return self.write.constant(value, vector)

    def literal(self, word: str) -> int | None:
        """The number a word is in every lane, without a sign, if that is known."""
        opening = f"splat ({self.write.word} "
        text = word[len(opening) : -1] if word.startswith(opening) else word
        if text == "zeroinitializer":
            return 0
        return int(text) & (1 << self.word_bits) - 1 if text.lstrip("-").isdigit() else None

    def words(self, operand: Operand) -> Words:
        """The parts of an operand."""
        text = operand.value
        if text[0] == "%":
            words = self.values[text]
            return words if self.shapes is self.packed.shapes else self.packed.split_parts(operand.type, words)
        types = self.shapes.parts(operand.type)
        if text in ("poison", "undef"):
            return ["poison"] * len(types)
        if text in ("zeroinitializer", "null"):
            return [zero_word(type) for type in types]
        return self._constant(operand)

    def columns(self, operand: Operand) -> list[Words]:
        """The words of each chunk."""
        shape = self.shapes.of(operand.type)
        words = self.words(operand)
        return [words[start : start + shape.words] for start in range(0, len(words), shape.words)]

    def _expression(self, text: str) -> Words:
        """A constant expression, as the instruction it stands for."""
        opening = text.index("(")
        inside = text[opening + 1 : match_bracket(text, opening) - 1]
        name = self.write.name("constant")
        instruction = Instruction(f"  {name} = {text.split()[0].partition('(')[0]} {inside}")
        self.machine.rules[instruction.op](self, instruction)
        return self.words(Operand(instruction.type, name))

    def _constant(self, operand: Operand) -> Words:
        text = operand.value
        if "@" not in text and "inttoptr" not in text:
            value = constant(self._kinds, self._kinds[operand.type], text, lambda name: 0)
            return self._encoded(operand.type, value)
        if text[0] == "@":
            return [text]
        aggregate = self.shapes.is_aggregate(operand.type)
        if text.startswith("splat "):
            items = [parse_operand(text[7:-1])] * self.shapes.of(operand.type).lanes
        elif text[0] in "<[{":
            items = [parse_operand(item) for item in split_list(text[2:-2] if text.startswith("<{") else text[1:-1])]
        else:
            return self._expression(text)
        if aggregate:
            return [word for item in items for word in self.words(item)]
        parts = [self.words(item) for item in items]
        shape = self.shapes.of(operand.type)
        if shape.part:
            return self.packed.join_parts(operand.type, [words[0] for words in parts])
        found: Words = []
        at = 0
        for chunk in shape.chunks:
            members = parts[at : at + (shape.width if chunk else 1)]
            at += len(members)
            for word in range(shape.words):
                row = [words[word] for words in members]
                if chunk and shape.element.startswith("ptr"):
                    row = [each if each == "poison" else "0" if each == "null" else self.write.number(each) for each in row]
                found.append(self.write.gathered(row) if chunk else row[0])
        return found

    def _encoded(self, type: str, value: Value) -> Words:
        """The parts of a constant's value."""
        if self.shapes.is_aggregate(type):
            return [word for (member, _), part in zip(self.shapes.members(type), value) for word in self._encoded(member, part)]
        shape = self.shapes.of(type)
        elements = value if shape.lanes else [value]
        found: Words = []
        at = 0
        for chunk in shape.chunks:
            row = elements[at : at + (shape.width if chunk else 1)]
            at += len(row)
            for word in range(shape.words):
                texts = [constant_word(shape.element, self.word_bits, element, word) for element in row]
                if not chunk:
                    found.append(texts[0])
                elif shape.part:
                    found.append(self.packed.joined(shape, texts))
                elif len(set(texts)) == 1:
                    kind = shape.kind(True)
                    found.append("poison" if texts[0] == "poison" else f"splat ({kind} {texts[0]})")
                else:
                    found.append("<" + ", ".join(f"{shape.kind(True)} {text}" for text in texts) + ">")
        return found

    def too_many_results(self, types: list[str]) -> bool:
        """Whether results of these parts come back in memory."""
        facts, mask = self.machine.facts, self.write.type("i1", True)
        vectors = sum(type[0] == "<" and type != mask for type in types)
        return vectors > facts.vector_results or len(types) - vectors > facts.scalar_results

    def lane_function(self, name: str) -> LaneFunction:
        """What an intrinsic does in each lane; NotLegal where the machine has no such row."""
        found = self.machine.lane_functions.get(name)
        if found is None:
            raise NotLegal(f"the operation {name}")
        return found

    # --- results ---

    def define(self, instruction: Instruction, words: Words) -> None:
        """These are the parts of the instruction's result from now on."""
        if self.shapes is not self.packed.shapes:
            words = self.packed.join_parts(instruction.type, words)
        self.values[instruction.name] = words
        if not self.width and len(words) > 1 and instruction.type[0] == "<":
            self.lanes.append(words)

    def elementwise(self, instruction: Instruction, compute: Callable[..., Words]) -> None:
        """``compute(vector, *words of each operand)`` for each chunk."""
        columns = [self.columns(operand) for operand in instruction.operands]
        chunks = self.shapes.of(instruction.operands[-1].type).chunks
        made = [compute(chunk, *(column[number] for column in columns)) for number, chunk in enumerate(chunks)]
        self.define(instruction, [word for words in made for word in words])

    @contextmanager
    def in_lanes(self) -> Iterator[None]:
        """Rules see a value for each lane, also of registers that hold several numbers."""
        before, self.shapes = self.shapes, self._lane_shapes
        yield
        self.shapes = before

    # --- the walk ---

    def run(self) -> Function:
        """The function anew; NotLegal, with the function's name, where the machine has no way."""
        flow = control_flow(self.function)
        blocks = {block.name: block for block in self.function.blocks}
        header = self._header()
        for number, name in enumerate(flow.order):
            if number:
                self.write.start(name)
            self._block(blocks[name])
            self._last_block[name] = self.write.label
        self._finish_phis()
        entry = self.write.blocks[0]
        entry.instructions[:0] = [Instruction(f"  {line}") for line in self.write.allocated]
        for number, block in enumerate(self.write.blocks):
            block.label_line = f"{block.name}:" if number else ""
        entry.label_line = "entry:" if entry.name.isdigit() else f"{entry.name}:"
        return Function(header, self.write.blocks)

    def _header(self) -> str:
        texts: list[str] = []
        types = self.shapes.parts(self.function.return_type)
        if self.too_many_results(types):
            self.result_address = "%result.0x"
            texts.append("ptr %result.0x")
        for parameter in self.function.parameters:
            parts = self.shapes.parts(parameter.type)
            attributes = " ".join(re.findall(r"\bnoalias\b|\balign \d+", parameter.attributes))
            names = [f"{parameter.name}.{number}x" for number in range(len(parts))]
            self.values[parameter.name] = names
            texts += [f"{type} {attributes} {name}".replace("  ", " ") for type, name in zip(parts, names)]
        header = self.function.header
        name = self.function.name
        before = header[: header.index("@" + name + "(")]
        words = [word for word in before.split() if word in ("internal", "private", "dso_local", "linkonce_odr")]
        result = "void" if self.result_address else result_type(types)
        attributes = " ".join(word for word in self.function.attributes.split() if word[0] in '#"')
        return f"define {' '.join([*words, result])} @{name}({', '.join(texts)}) {attributes} {{".replace("  {", " {")

    def _block(self, block: Block) -> None:
        for instruction in block.instructions:
            if instruction.op.startswith("#"):
                continue
            found = self.machine.rules.get(instruction.op)
            try:
                if found is None:
                    raise NotLegal(f"the operation {instruction.op}")
                found(self, instruction)
            except NotLegal as reason:
                reason.function, reason.instruction = self.function.name, instruction
                raise

    def phi(self, instruction: Instruction) -> None:
        """Its parts are filled in when all values are known."""
        names: Words = []
        for number, type in enumerate(self.shapes.parts(instruction.type)):
            name = self.write.name()
            names.append(name)
            block = self.write.blocks[-1]
            self._phis.append((block, len(block.instructions), name, type, number))
            block.instructions.append(instruction)
        self.define(instruction, names)

    def _finish_phis(self) -> None:
        constants: dict[tuple[str, str], Words] = {}
        for block, index, name, type, number in self._phis:
            original = block.instructions[index]
            incoming = []
            for operand, label in zip(original.operands, original.parts.labels):
                if label not in self._last_block:
                    continue  # comes from a block that is never reached
                if operand.value[0] == "%":
                    words = self.values[operand.value]
                else:
                    key = operand.type, operand.value
                    if operand.value[0] != "@" and ("@" in operand.value or "inttoptr" in operand.value):
                        words = self._words_at_end(operand, self._last_block[label])
                    else:
                        words = constants.get(key) or constants.setdefault(key, self.words(operand))
                incoming.append(f"[ {words[number]}, %{self._last_block[label]} ]")
            block.instructions[index] = Instruction(f"  {name} = phi {type} {', '.join(incoming)}")

    def _words_at_end(self, operand: Operand, label: str) -> Words:
        """A constant that takes instructions, computed before the terminator of a block."""
        block = next(block for block in self.write.blocks if block.name == label)
        last = block.instructions.pop()
        blocks, self.write.blocks = self.write.blocks, [block]
        words = self.words(operand)
        self.write.blocks = blocks
        block.instructions.append(last)
        return words


def vector_memory(f: Legalizer) -> VectorMemory:
    """How vectors are accessed, where there are any."""
    assert f.machine.vectors is not None
    return f.machine.vectors


def result_type(types: list[str]) -> str:
    """Of a function with these results: nothing, the one, or a struct."""
    return "void" if not types else types[0] if len(types) == 1 else f"{{ {', '.join(types)} }}"


def _legalize_phi(f: Legalizer, instruction: Instruction) -> None:
    f.phi(instruction)


RULES: dict[str, Rule] = {
    "phi": _legalize_phi,
}
