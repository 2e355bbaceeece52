"""A text with vertices → a program that a tile runs."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import cache

from voltac.codegen.assembly.assembler import Dialect, assemble_lines
from voltac.codegen.assembly.data_directives import Directive
from voltac.codegen.assembly.lines import BadStatement, LinePiece, SourceLine
from voltac.codegen.assembly.operands import InstructionForms
from voltac.codegen.assembly.preprocess import preprocessed_lines, read_file
from voltac.codegen.assembly.state import AssemblyState
from voltac.codegen.image import Image, ImageSegment
from voltac.codegen.link import link
from voltac.codegen.object_file import ObjectFile
from voltac.messages.diagnostics import Diagnostics
from voltac.messages.message import Span
from voltac.records import field, mutable_record
from voltac.targets.ipu.assembly.bundles import check_repeats, issued_together
from voltac.targets.ipu.assembly.headers import HEADERS, predefined_macros
from voltac.targets.ipu.assembly.pseudo import rewritten
from voltac.targets.ipu.isa import code_of

_STACK = re.compile(r"(?P<size>.*?)[\s,]\s*\"?(?P<name>[\w.$]+)\"?\s*(?P<closing>\)?)", re.ASCII)
"""What stands behind ``DEF_STACK_USAGE``."""


@mutable_record(eq=False)
class TileProgram:
    """Assembled vertices."""

    generation: str
    """``mk1`` or ``mk2``."""
    code: ObjectFile
    sizes: dict[str, int] = field(default_factory=dict)
    """Bytes of code, by the name of ``.size``."""
    stacks: dict[str, int] = field(default_factory=dict)
    """Bytes of stack that functions and sections declare."""

    def image(self) -> Image:
        """What lies in the tile's memory before a vertex runs; CompileError where something has no place or no address."""
        linked = link(self.code, code_of(self.generation))
        segments = tuple(
            ImageSegment(section.address, bytes(section.content), section.size, section.kind == "text")
            for section in linked.sections.values()
        )
        symbols = {name: linked.address(name) for name in linked.symbols}
        return Image(min((segment.address for segment in segments), default=0), segments, symbols)


def assemble_vertices(
    text: str,
    generation: str = "mk2",
    file: str = "<assembly>",
    diagnostics: Diagnostics | None = None,
    directories: Sequence[str] = (),
    macros: Mapping[str, str] | None = None,
) -> TileProgram:
    """Raises :class:`voltac.CompileError` with every statement that is wrong, each with line and column.

    ``directories`` are those where included files are looked for besides the file's own; ``macros`` are defined beforehand.
    """
    messages = Diagnostics(wrap=False) if diagnostics is None else diagnostics
    device = code_of(generation)
    lines = preprocessed_lines(text, file, messages, predefined_macros(generation) | dict(macros or {}), directories, HEADERS)
    messages.raise_if_errors()
    stacks: dict[str, int] = {}

    def include(rest: LinePiece, place: Span) -> list[SourceLine]:
        """The lines of a file, whose ``#`` lines know nothing of those of this one: GNU as does not read them."""
        name = rest.text.strip('"')
        for directory in [os.path.dirname(place.file), *directories]:
            content = read_file(os.path.join(directory, name))
            if content is not None:
                path = os.path.join(directory, name)
                return preprocessed_lines(content, path, messages, predefined_macros(generation), directories, HEADERS)
        raise rest.wrong(f"'{name}' file not found; '.include' takes a file's name in quotation marks, -I adds directories")

    dialect = Dialect(_forms(generation), rewritten, issued_together, True, _directives(stacks), check_repeats, include)
    state = assemble_lines(lines, device, dialect, messages)
    return TileProgram(generation, state.made, state.final_sizes, stacks)


@cache
def _forms(generation: str) -> InstructionForms:
    return InstructionForms(code_of(generation), frozenset(("csr", "ucsr")))


def _directives(stacks: dict[str, int]) -> dict[str, Directive]:
    def stack(state: AssemblyState, rest: LinePiece) -> None:
        # In parentheses, too, and the name in quotation marks, as in C++. The number may be an expression with blanks.
        match = _STACK.fullmatch(rest.text)
        if match is None:
            raise BadStatement("here stand a number of bytes and the name of a function or section: DEF_STACK_USAGE 0 f")
        bracketed = match["size"].count("(") - match["size"].count(")")
        size, begin, name = match["size"], rest.begin + match.start("size"), match["name"]
        if bracketed > 0:
            size, begin = size.removeprefix("("), begin + 1
        if bracketed != bool(match["closing"]):
            raise rest.wrong("a parenthesis is missing here")
        if name in stacks:
            raise rest.wrong(f"the stack of '{name}' is declared twice")
        stacks[name] = state.known_number(LinePiece(size, begin), "the size of a stack")

    def nothing(state: AssemblyState, rest: LinePiece) -> None:
        """What says something to other tools."""

    return {
        "DEF_STACK_USAGE": stack,
        "DEF_STACK_SIZE_OWN": stack,
        "DEF_FUNC_CALL_PTRS": nothing,
        ".worker": nothing,
        ".supervisor": nothing,
        ".allow_optimizations": nothing,
    }
