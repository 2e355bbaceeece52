"""LLVM assembly text as Module / Function / Block / Instruction, each keeping its text.

The text of an instruction is the truth; its parts are read only when asked for
(``ir/parts.py``) and forgotten when the text is set anew. So what no pass
touches goes through unchanged, character for character.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import Any, TypeVar

from voltac.ir import marks
from voltac.ir import parts as instruction_parts
from voltac.ir.heads import split_head
from voltac.ir.parts import Operand, Parts
from voltac.ir.scan import VALUES, end_of_type, match_bracket, split_list
from voltac.ir.types import DataLayout
from voltac.records import field, mutable_record

T = TypeVar("T")


class Instruction:
    """One instruction, its indentation included (switch tables keep their line breaks)."""

    __slots__ = ("_names", "_parts", "_text", "name", "op")

    name: str
    """``%x``, or an empty string for an instruction without a result."""
    op: str
    """``add``, ``call``, ``br``, ...; ``#dbg_value`` and the like for debug records."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.name, self.op, _, _ = split_head(text)
        self._parts: Parts | None = None
        self._names: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        return f"Instruction({self._text.strip()!r})"

    @property
    def text(self) -> str:
        """As it stands in the module, with its indentation; assigning it forgets the parts."""
        return self._text

    @text.setter
    def text(self, text: str) -> None:
        self._text = text
        self.name, self.op, _, _ = split_head(text)
        self._parts = self._names = None

    @property
    def parts(self) -> Parts:
        """Its operands, flags and types, read when they are first asked for."""
        if self._parts is None:
            self._parts = instruction_parts.parse(self._text)
        return self._parts

    @property
    def type(self) -> str:
        """Of its result."""
        parts = self._parts
        return parts.type if parts is not None else self.parts.type

    @property
    def operands(self) -> list[Operand]:
        """Values with their types, in the order of the text."""
        parts = self._parts
        return parts.operands if parts is not None else self.parts.operands

    def names_used(self) -> tuple[str, ...]:
        """Every ``%name`` in the text but the result: values, labels and named types alike."""
        if self._names is None:
            names = tuple(VALUES.findall(self._text))
            self._names = names[1:] if self.name else names
        return self._names

    def rename(self, new_names: dict[str, str]) -> None:
        """Replace the used names that are keys; the result's own name stays."""
        if not new_names or new_names.keys().isdisjoint(self.names_used()):
            return
        own = len(self.name) + self._text.index("%") if self.name else 0
        body = VALUES.sub(lambda found: new_names.get(found.group(), found.group()), self._text[own:])
        if body != self._text[own:]:
            # What it is named and does is as before.
            self._text = self._text[:own] + body
            self._parts = self._names = None

    def add_arms(self, arms: Iterable[tuple[str, str]]) -> None:
        """To a phi, in front of its metadata: values, and the names of the blocks that they come from."""
        end = self._text.rindex("]") + 1
        self.text = self._text[:end] + "".join(f", [ {value}, %{label} ]" for value, label in arms) + self._text[end:]

    @property
    def is_terminator(self) -> bool:
        """It ends its block."""
        return self.op in TERMINATORS


_FEW_NAMES = 3
"""So many are looked for one by one, which is faster than to look up every name of a function."""
TERMINATORS = frozenset(("br", "switch", "ret", "unreachable", "indirectbr", "invoke", "resume", "callbr"))


@mutable_record
class Block:
    """A label and its instructions. ``name`` has no ``%``; the label line is kept as it was written."""

    name: str
    instructions: list[Instruction] = field(default_factory=list)
    label_line: str = ""
    """Empty for an entry block without a label, and then ``name`` is the number LLVM gives it."""

    @property
    def terminator(self) -> Instruction:
        """The last instruction."""
        return self.instructions[-1]

    @property
    def successors(self) -> list[str]:
        """Names of the blocks control may go to, each once."""
        last = self.instructions[-1]
        return list(dict.fromkeys(last.parts.labels)) if last.op in ("br", "switch") else []

    def phis(self) -> Iterator[Instruction]:
        """Those at its head."""
        for instruction in self.instructions:
            if instruction.op == "phi":
                yield instruction
            elif not instruction.op.startswith("#"):
                return

    def first_after_phis(self) -> int:
        """Index of the first instruction that is not a phi."""
        for index, instruction in enumerate(self.instructions):
            if instruction.op != "phi":
                return index
        return len(self.instructions)


@mutable_record
class Parameter:
    """Of a function, as its header says."""

    type: str
    attributes: str
    name: str
    """``%p``."""


@mutable_record
class Function:
    """A definition. Declarations stay text, see :class:`Module`."""

    header: str
    """The ``define`` line, up to and including ``{``."""
    blocks: list[Block] = field(default_factory=list)
    replaced: dict[str, str] = field(default_factory=dict)
    """Names of values that are gone -> what has stood for them since."""
    flow: tuple[list[tuple[str, str]], Any] | None = None
    """What :func:`voltac.ir.cfg.control_flow` found last, and of which blocks with which terminators."""
    places: dict[str, int] = field(default_factory=dict)
    """Where blocks stood when :meth:`block` last looked for one."""
    known: tuple[list[str], dict[Hashable, Any]] | None = None
    """What :meth:`remembered` keeps, and of which instructions."""

    def remembered(self, question: Hashable, find: Callable[[], T]) -> T:
        """What ``find`` finds out about the function; the same for all who ask until an instruction comes, goes or changes.

        To compare all texts takes a thirtieth of what it takes to find the users of values.
        """
        texts = [instruction._text for block in self.blocks for instruction in block.instructions]
        texts.append(self.header)
        if self.known is None or self.known[0] != texts:
            self.known = texts, {}
        answers = self.known[1]
        if question not in answers:
            answers[question] = find()
        answer: T = answers[question]
        return answer

    def forget(self) -> None:
        """What was found out holds the function: two that hold each other live on until Python looks for such."""
        self.known = None

    @property
    def name(self) -> str:
        """Without the ``@``, quotes kept."""
        found = re.search(r'@("[^"]*"|[-\w$.]+)\(', self.header)
        return found.group(1) if found else ""

    @property
    def return_type(self) -> str:
        """As its header says, without attributes."""
        before = self.header[: self.header.index("@" + self.name + "(")].rstrip()
        return before[_start_of_last_type(before) :]

    @property
    def parameters(self) -> list[Parameter]:
        """In order."""
        return _parameters(self.header)

    @property
    def attributes(self) -> str:
        """What follows the parameter list, without the brace."""
        opening = self.header.index("@" + self.name + "(") + len(self.name) + 1
        return self.header[match_bracket(self.header, opening) :].strip(" {")

    def block(self, name: str) -> Block:
        """By its label; KeyError if there is none."""
        at = self.places.get(name, len(self.blocks))
        if at >= len(self.blocks) or self.blocks[at].name != name:
            self.places = {block.name: number for number, block in enumerate(self.blocks)}
            at = self.places[name]
        return self.blocks[at]

    def blocks_named(self, names: Iterable[str]) -> list[Block]:
        """Those blocks, in the order of the function; KeyError if there is none of a name."""
        return sorted(map(self.block, names), key=lambda block: self.places[block.name])

    def instructions(self) -> Iterator[Instruction]:
        """Of all blocks, in order."""
        return chain.from_iterable(block.instructions for block in self.blocks)

    def definitions(self) -> dict[str, Instruction]:
        """``%name`` -> the instruction that defines it (parameters are not in it)."""
        return {
            instruction.name: instruction for block in self.blocks for instruction in block.instructions if instruction.name
        }

    def replace_uses(self, new_names: dict[str, str]) -> None:
        """Replace value names everywhere; chains in the dictionary are followed."""
        if not new_names:
            return
        resolved: dict[str, str] = {}
        for old, new in new_names.items():
            while new in new_names:
                new = new_names[new]
            resolved[old] = new
        self.replaced |= resolved
        if len(resolved) > _FEW_NAMES:
            for instruction in self.instructions():
                instruction.rename(resolved)
            return
        for old in resolved:
            for instruction in self.instructions():
                if old in instruction._text:
                    instruction.rename(resolved)

    def fresh_names(self) -> Callable[[str], str]:
        """A function that makes unused names: ``fresh("wide")`` is ``%wide``, then ``%wide.1``, ..."""
        taken = {parameter.name for parameter in self.parameters}
        for block in self.blocks:
            taken.add("%" + block.name)
            taken.update(instruction.name for instruction in block.instructions)
        counters: dict[str, int] = {}

        def fresh(stem: str) -> str:
            stem = f"at.{stem}" if stem[0].isdigit() else stem  # of a block that LLVM has numbered; no name begins so
            number = counters.get(stem, 0)
            while (name := f"%{stem}.{number}" if number else f"%{stem}") in taken:
                number += 1
            counters[stem] = number + 1
            taken.add(name)
            return name

        return fresh


@mutable_record
class Module:
    """Functions, and the text between them: lists of lines, in order."""

    items: list[Function | list[str]] = field(default_factory=list)
    known: tuple[list[int], dict[Hashable, Any]] | None = None
    """What :meth:`remembered` keeps, and of how many lines between functions."""

    def remembered(self, question: Hashable, find: Callable[[], T]) -> T:
        """What ``find`` finds out about the lines outside of functions; the same for all who ask until some are added."""
        lengths = [len(item) if isinstance(item, list) else -1 for item in self.items]
        if self.known is None or self.known[0] != lengths:
            self.known = lengths, {}
        answers = self.known[1]
        if question not in answers:
            answers[question] = find()
        answer: T = answers[question]
        return answer

    @property
    def functions(self) -> list[Function]:
        """Those with a body, in order."""
        return [item for item in self.items if isinstance(item, Function)]

    @property
    def often_called(self) -> list[Function]:
        """Those that are worth the work of passes that only make code faster."""
        return [function for function in self.functions if not marks.is_seldom_called(function.name)]

    def function(self, name: str) -> Function:
        """By its name, without ``@``; KeyError if there is none."""
        for function in self.functions:
            if function.name == name:
                return function
        raise KeyError(name)

    def lines(self) -> Iterator[str]:
        """Every line outside of functions: globals, declarations, types, attributes, metadata, comments."""
        for item in self.items:
            if isinstance(item, list):
                yield from item

    def named_types(self) -> dict[str, str]:
        """``%struct.S`` -> ``{ i32, float }``."""
        found: dict[str, str] = {}
        for line in self.lines():
            if line.startswith("%"):
                name, _, body = line.partition(" = type ")
                found[name] = body
        return found

    def layout(self, pointer_bytes: int = 8) -> DataLayout:
        """Sizes and offsets of its types in memory."""
        return self.remembered((DataLayout, pointer_bytes), lambda: self._layout(pointer_bytes))

    def _layout(self, pointer_bytes: int) -> DataLayout:
        natural = pointer_bytes == 8 or any(line.startswith("target datalayout") and "i64:64" in line for line in self.lines())
        return DataLayout(self.named_types(), pointer_bytes, natural)

    def globals(self) -> dict[str, str]:
        """``@name`` -> what follows `` = `` (linkage, type, value, alignment)."""
        found: dict[str, str] = {}
        for line in self.lines():
            if line.startswith("@"):
                name, _, body = line.partition(" = ")
                found[name] = body
        return found

    def declared(self) -> set[str]:
        """Names (no ``@``) of the declared functions."""
        found: set[str] = set()
        for line in self.lines():
            if line.startswith("declare "):
                match = re.search(r'@("[^"]*"|[-\w$.]+)\(', line)
                if match:
                    found.add(match.group(1))
        return found

    def declare(self, declarations: Iterable[str]) -> None:
        """Add ``declare`` lines of functions that are not declared yet."""
        known = self.declared() | {function.name for function in self.functions}
        new: list[str] = []
        for line in declarations:
            match = re.search(r'@("[^"]*"|[-\w$.]+)\(', line)
            if match and match.group(1) not in known:
                known.add(match.group(1))
                new.append(line)
        if new:
            self.items.append(new)


def _start_of_last_type(text: str) -> int:
    """Where the type begins that ends at the end of ``text``."""
    last = text[-1]
    if last == ")":
        opening = text.rindex(" addrspace(")
        return text.rindex(" ", 0, opening) + 1
    if last in ">]}":
        depth = 0
        for position in range(len(text) - 1, -1, -1):
            character = text[position]
            depth += character in ">]}"
            depth -= character in "<[{"
            if depth == 0:
                return position
    return text.rindex(" ") + 1


@lru_cache(maxsize=256)
def _parameters(header: str) -> list[Parameter]:
    found = re.search(r'@("[^"]*"|[-\w$.]+)\(', header)
    if found is None:
        return []
    opening = found.end() - 1
    inside = header[opening + 1 : match_bracket(header, opening) - 1]
    parameters: list[Parameter] = []
    for number, item in enumerate(split_list(inside)):
        if item == "...":
            continue
        end = end_of_type(item, 0)
        rest = item[end:].strip()
        name_match = re.search(r'%(?:"[^"]*"|[-\w$.]+)$', rest)
        name = name_match.group() if name_match else f"%{number}"
        attributes = rest[: name_match.start()].strip() if name_match else rest
        parameters.append(Parameter(item[:end], attributes, name))
    return parameters
