"""Assembly text, read a statement at a time: conditions, macros, labels, directives, instructions and bundles.

What is special about a device's text is a :class:`Dialect`. Instructions in braces go
to it together; whoever reads ``{ ld64 $a0:1, $m0, 0 ; f32v2add ... }`` gets the two.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from voltac.codegen.assembly.alternate import bare_names, computed_arguments, own_labels
from voltac.codegen.assembly.conditions import GOING_ON, OPENING, ConditionStack
from voltac.codegen.assembly.data_directives import Directive
from voltac.codegen.assembly.directives import DIRECTIVES
from voltac.codegen.assembly.expansion import (
    AssemblyMacro,
    bound_arguments,
    each_of,
    macro_head,
    not_a_macro,
    numbered,
    substituted,
)
from voltac.codegen.assembly.finish import Report, finish
from voltac.codegen.assembly.lines import BadStatement, LinePiece, SourceLine, split_at_commas
from voltac.codegen.assembly.operands import InstructionForms, MatchedInstruction
from voltac.codegen.assembly.state import AssemblyState, WaitingInstruction
from voltac.codegen.assembly.statements import BODIES, LABEL, WORD, body_of, end_of_statement, named
from voltac.codegen.device import DeviceCode
from voltac.codegen.object_file import ObjectFile, Section
from voltac.messages.diagnostics import Diagnostics
from voltac.messages.message import Note, Span
from voltac.messages.suggestions import suggestion
from voltac.records import mutable_record, record

_ASSIGNMENT = re.compile(r"([A-Za-z_.][\w.$]*)\s*=(?!=)\s*", re.ASCII)
_MOST_LINES = 500_000
"""Lines that macros and repetitions may make: a macro that uses itself ends."""
_DEEPEST = 60
"""Macros within macros: some of Python's calls each, of which there are 1000."""

Rewrite = Callable[[LinePiece, list[LinePiece], AssemblyState], list[tuple[LinePiece, list[LinePiece]]]]
"""An instruction as written → those that stand for it."""
Group = Callable[[Sequence[MatchedInstruction], bool], Sequence[int]]
"""Instructions that issue together, and whether they stand in braces → the bits to set in each of their words. Raises
BadStatement for what may not be so."""

Include = Callable[[LinePiece, Span], list[SourceLine]]
"""The lines of the file that stands behind ``.include``, which stands at a place. Raises BadStatement where there is none."""


@record(eq=False)
class Dialect:
    """What a device's assembly text has besides what all have."""

    forms: InstructionForms
    rewrite: Rewrite
    group: Group
    in_braces: bool
    """Whether there are groups in braces."""
    directives: Mapping[str, Directive]
    check: Callable[[AssemblyState, Report], None]
    """Looks at the whole text when all words are known."""
    include: Include
    """For ``.include``."""
    first_section: str = ".text"


@mutable_record(eq=False)
class _Frame:
    """Lines being read: those of the text, or those that a macro or repetition makes."""

    lines: Iterable[SourceLine]
    conditions: int
    """How many were open when it began."""
    is_macro: bool


def assemble_lines(
    lines: Sequence[SourceLine], device: DeviceCode, dialect: Dialect, diagnostics: Diagnostics
) -> AssemblyState:
    """Raises :class:`voltac.CompileError` with every statement that is wrong."""
    return _Assembler(lines, device, dialect, diagnostics).run()


class _Assembler:
    def __init__(self, lines: Sequence[SourceLine], device: DeviceCode, dialect: Dialect, diagnostics: Diagnostics) -> None:
        self.device = device
        self.dialect = dialect
        self.diagnostics = diagnostics
        made = ObjectFile()
        place = device.place(dialect.first_section)
        assert place is not None
        first = made.sections[dialect.first_section] = Section(dialect.first_section, place.kind)
        self.state = AssemblyState(device, made, first, SourceLine("", []))
        self.frames = [_Frame(iter(lines), 0, False)]
        self.conditions = ConditionStack()
        self.macros: dict[str, AssemblyMacro] = {}
        self.uses = 0
        self.made_lines = 0
        self.alternate = False
        """Whether ``.altmacro`` holds."""
        self.own_labels = 0
        self.group: list[MatchedInstruction] | None = None
        self.group_begin: tuple[SourceLine, int] | None = None
        self.directives = {**DIRECTIVES, **dialect.directives}

    # --- lines ------------------------------------------------------------------------------------------------------

    def run(self) -> AssemblyState:
        while (line := self._next()) is not None:
            self.state.line = line
            try:
                self._line(line)
            except BadStatement as wrong:
                self._report(wrong, self.state.line)
                if self.group_begin is not None and self.group_begin[0] is line and "}" in line.text[self.group_begin[1] :]:
                    # One mistake, not one for each bundle behind it.
                    self.group = self.group_begin = None
        if self.group_begin is not None:
            line, begin = self.group_begin
            self._report(BadStatement("this '{' is not closed", begin, begin + 1), line)
        for group in self.conditions.groups:
            self._report(BadStatement("this condition is not closed: '.endif' is missing"), group.line)
        finish(self.state, self._report)
        self.dialect.check(self.state, self._report)
        self.diagnostics.raise_if_errors()
        return self.state

    def _next(self) -> SourceLine | None:
        while self.frames:
            for line in self.frames[-1].lines:
                return line
            self._leave()
        return None

    def _leave(self) -> None:
        frame = self.frames.pop()
        for group in self.conditions.groups[frame.conditions :] if self.frames else ():
            self._report(BadStatement("this condition is not closed: '.endif' is missing"), group.line)
        if self.frames:
            del self.conditions.groups[frame.conditions :]

    def _report(self, wrong: BadStatement, line: SourceLine) -> None:
        span = line.whole() if wrong.begin < 0 else line.span(wrong.begin, max(wrong.end, wrong.begin + 1))
        self.diagnostics.within = line.chain
        self.diagnostics.error("assembly", span, str(wrong))
        self.diagnostics.within = ()

    # --- statements -------------------------------------------------------------------------------------------------

    def _line(self, line: SourceLine) -> None:
        text = line.text
        position = 0
        while position < len(text):
            character = text[position]
            if character == "#":
                # The rest is a comment.
                return
            if character.isspace() or character == ";":
                position += 1
            elif character in "{}" and self.dialect.in_braces:
                if self.conditions.reading:
                    self._brace(line, character, position)
                position += 1
            else:
                found = LABEL.match(text, position)
                if found is not None:
                    if self.conditions.reading:
                        name = LinePiece(found[1], position)
                        self.state.define_label(name.text.strip('"'), name)
                    position = found.end()
                    continue
                end = end_of_statement(text, position, self.dialect.in_braces)
                behind = self._statement(LinePiece(text[position:end], position), end)
                if behind is not None:
                    self.state.line = line = behind
                    text, end = line.text, 0
                position = end

    def _brace(self, line: SourceLine, character: str, position: int) -> None:
        if character == "{":
            if self.group is not None:
                raise BadStatement("'{' within a bundle: the one before is not closed", position, position + 1)
            self.group, self.group_begin = [], (line, position)
            return
        if self.group is None:
            raise BadStatement("'}' without '{'", position, position + 1)
        group, self.group, begin = self.group, None, self.group_begin
        self.group_begin = None
        assert begin is not None
        try:
            self._emit(group, True)
        except BadStatement as wrong:
            if wrong.begin < 0:
                # The bundle as a whole: where it begins.
                self._report(BadStatement(str(wrong), begin[1], begin[1] + 1), begin[0])
            else:
                raise

    def _statement(self, piece: LinePiece, end: int) -> SourceLine | None:
        """A statement that ends at an offset of its line; returns what is to be read next if that is not what follows there."""
        match = WORD.match(piece.text)
        if match is None:
            raise piece.wrong(f"'{piece.text[:1]}' begins nothing: here stands a label, an instruction or a directive")
        word = LinePiece(match[0] if match[0] in self.macros else named(match[0]), piece.begin)
        rest = LinePiece(piece.text[match.end() :], piece.begin + match.end())
        name = word.text
        if name in OPENING:
            self.conditions.open(name, rest, self.state)
        elif name in GOING_ON:
            self.conditions.go_on(name, rest, self.state)
        elif not self.conditions.reading:
            pass
        elif name in BODIES:
            return self._body(name, rest, end)
        elif name in self.macros:
            self._use(self.macros[name], rest, piece)
        elif (assigned := _ASSIGNMENT.match(piece.text)) is not None:
            value = LinePiece(piece.text[assigned.end() :], piece.begin + assigned.end())
            self.state.assign(LinePiece(assigned[1], piece.begin), value, False)
        elif name.startswith(".") or name in self.directives:
            self._directive(word, rest)
        else:
            self._instruction(word, rest)
        return None

    def _directive(self, word: LinePiece, rest: LinePiece) -> None:
        name = word.text
        if name == ".exitm":
            self._exit_macro()
        elif name == ".end":
            for frame in self.frames:
                frame.lines = iter(())
        elif name == ".include":
            self._include(rest)
        elif name in (".altmacro", ".noaltmacro"):
            self.alternate = name == ".altmacro"
        elif name == ".purgem":
            if self.macros.pop(rest.text, None) is None:
                raise rest.wrong(not_a_macro(rest.text, self.macros))
        elif name in (".error", ".warning", ".err", ".print"):
            self._said(name, rest)
        elif name in (".endm", ".endr"):
            raise word.wrong(f"'{name}' without what it would end")
        elif name in self.directives:
            self.directives[name](self.state, rest)
        elif not name.startswith(".cfi_"):
            known = [*self.directives, *BODIES, *OPENING, *GOING_ON, *self.macros]
            raise word.wrong(f"unknown directive '{name}'{suggestion(name, known)}")

    def _said(self, name: str, rest: LinePiece) -> None:
        if name in (".error", ".err"):
            raise BadStatement(rest.text.strip('"') or "the text says that this is an error")
        if name == ".warning":
            self.diagnostics.preprocessor_warning(self.state.line.whole(), rest.text.strip('"') or "the text warns of this")

    # --- macros -----------------------------------------------------------------------------------------------------

    def _body(self, word: str, rest: LinePiece, end: int) -> SourceLine:
        """``.macro`` or a repetition, of which the head ends at an offset; returns what stands behind it on its last line."""
        begin = self.state.line
        lines = itertools.chain([begin.part(end)], self.frames[-1].lines)
        body, behind = body_of(word, lines, self.dialect.in_braces)
        if word == ".macro":
            name, parameters = macro_head(rest)
            if name in self.macros:
                raise rest.wrong(f"there is a macro '{name}' already; '.purgem {name}' removes it")
            self.macros[name] = AssemblyMacro(name, parameters, tuple(body), begin.whole())
        elif word in (".rept", ".rep"):
            count = self.state.known_number(rest, "the number of repetitions")
            if count * max(1, len(body)) > _MOST_LINES:
                raise rest.wrong(f"{count} repetitions make more than {_MOST_LINES} lines")
            # What is left of a body's backslashes belongs to the macros that it defines.
            rounds = [numbered(line, number) if "\\+" in line.text else line for number in range(count) for line in body]
            self._push(rounds, False)
        else:
            name, values = each_of(rest, word == ".irpc")
            bare = bare_names([name]) if self.alternate else None
            given = [{name: value, "+": str(number)} for number, value in enumerate(values)]
            self._push([substituted(line, texts, line.chain, bare) for texts in given for line in body], False)
        return behind

    def _use(self, macro: AssemblyMacro, rest: LinePiece, piece: LinePiece) -> None:
        if sum(frame.is_macro for frame in self.frames) >= _DEEPEST:
            raise piece.wrong(f"macro '{macro.name}' is used within itself without end")
        body, bare = macro.body, None
        if self.alternate:
            rest = computed_arguments(rest, lambda piece: self.state.known_number(piece, "an argument behind '%'"))
        values = bound_arguments(macro, rest)
        if self.alternate:
            labels, body = own_labels(body, self._own_label)
            values |= labels
            bare = bare_names(values)
        line = self.state.line
        place = Note(line.span(piece.begin, piece.end), f"in the expansion of macro '{macro.name}'", "macro")
        chain = (place, *line.chain)
        values |= {"@": str(self.uses), "+": str(macro.uses)}
        self.uses += 1
        macro.uses += 1
        self._push([substituted(one, values, chain, bare) for one in body], True)
        # What stands behind the use on its line comes after the macro's lines.

    def _own_label(self) -> str:
        self.own_labels += 1
        return f".LL{self.own_labels}"

    def _include(self, rest: LinePiece) -> None:
        if sum(not frame.is_macro for frame in self.frames) >= _DEEPEST:
            raise rest.wrong("this file is included within itself without end")
        self._push(self.dialect.include(rest, self.state.line.whole()), False)

    def _push(self, lines: list[SourceLine], is_macro: bool) -> None:
        self.made_lines += len(lines)
        if self.made_lines > _MOST_LINES:
            raise BadStatement(f"the macros of this text make more than {_MOST_LINES} lines")
        self.frames.append(_Frame(iter(lines), len(self.conditions.groups), is_macro))
        depth = len(self.frames)
        # Now, for the rest of the line at hand comes behind them.
        line = self.state.line
        while len(self.frames) >= depth:
            made = next(iter(self.frames[-1].lines), None)
            if made is None:
                self._leave()
                continue
            self.state.line = made
            try:
                self._line(made)
            except BadStatement as wrong:
                self._report(wrong, self.state.line)
        self.state.line = line

    def _exit_macro(self) -> None:
        if not any(frame.is_macro for frame in self.frames):
            raise BadStatement("'.exitm' stands in no macro")
        while True:
            frame = self.frames[-1]
            frame.lines = iter(())
            del self.conditions.groups[frame.conditions :]
            if frame.is_macro:
                return
            self.frames.pop()

    # --- instructions -----------------------------------------------------------------------------------------------

    def _instruction(self, mnemonic: LinePiece, rest: LinePiece) -> None:
        section = self.state.section
        if section.kind != "text":
            raise mnemonic.wrong(f"an instruction in section '{section.name}'; '.text' leads back to the code")
        forms = self.dialect.forms
        for name, operands in self.dialect.rewrite(mnemonic, split_at_commas(rest), self.state):
            if not forms.knows(name.text):
                known = [*self.device.instructions.by_mnemonic, *self.macros]
                raise name.wrong(f"unknown instruction or macro '{name.text}'{suggestion(name.text, known)}")
            matched = forms.match(name, operands)
            if self.group is not None:
                self.group.append(matched)
            else:
                self._emit([matched], False)

    def _emit(self, group: Sequence[MatchedInstruction], in_braces: bool) -> None:
        state = self.state
        step = self.device.word_bytes
        if state.section.size % step:
            raise BadStatement(f"an instruction at offset {state.section.size}: '.align {step}' before it is missing")
        for matched, bits in zip(group, self.dialect.group(group, in_braces)):
            known = tuple(None if isinstance(one, int) else state.number_by_now(one) for one in matched.operands)
            place, context = state.section.size, state.context()
            state.instructions.append(WaitingInstruction(state.section, place, matched, bits, state.line, context, known))
            state.section.content += bytes(step)
