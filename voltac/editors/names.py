"""What the names and expressions of a source are, and where they are declared: what a worker tells the language server."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from voltac.editors.declared_names import (
    Declarations,
    DeclaredName,
    function_detail,
    key_of,
    members_key,
    variable_detail,
)
from voltac.editors.positions import NO_RANGE, Range, Ranges
from voltac.editors.words import words
from voltac.messages.message import BUILT_IN, Expanded, Span
from voltac.pipeline import Compilation
from voltac.records import field, mutable_record
from voltac.sema import tree
from voltac.sema.library.index import LIBRARY, index, overlays_of
from voltac.sema.scopes import BuiltinVariable, ConstantSymbol, FunctionSet, Symbol, TypeSymbol
from voltac.sema.types import Qual, Struct
from voltac.sema.watched import Findings
from voltac.syntax import ast, comment_above

_OF_LIBRARY = "<stdlib>/"


@mutable_record(eq=False)
class KnownNames:
    """All that is known of the names in one text of a document."""

    uses: list[tuple[Range, DeclaredName]] = field(default_factory=list)
    """Where names stand in the document, their declarations included, and what they stand for."""
    types: list[tuple[Range, str]] = field(default_factory=list)
    """Expressions without a name, and their types."""
    entries: list[DeclaredName] = field(default_factory=list)
    """What the document and the files it includes declare."""
    members: dict[str, tuple[DeclaredName, ...]] = field(default_factory=dict)
    includes: list[tuple[Range, str]] = field(default_factory=list)
    """The directives that include files, and these."""
    library: dict[str, str] = field(default_factory=dict)
    """What the library has for the target, and the declaration of what has no other documentation."""

    def at(self, line: int, column: int) -> tuple[Range, DeclaredName] | None:
        """The name at a position of the document."""
        found = [use for use in self.uses if use[0][:2] <= (line, column) <= use[0][2:]]
        # Where two names touch, the one that begins there.
        return max(found, key=lambda use: use[0][:2], default=None)

    def visible(self, file: str, line: int, column: int) -> dict[str, DeclaredName]:
        """Name -> what it means at a position, inner scopes before outer ones."""
        found: dict[str, DeclaredName] = {}
        for entry in sorted(self.entries, key=lambda entry: entry.depth):
            scope = entry.scope
            if scope is None or (entry.file == file and scope[:2] <= (line, column) <= scope[2:]):
                if scope is None or (entry.place or NO_RANGE)[:2] <= (line, column):
                    found[entry.name] = entry
        return found


def names_of(job: Compilation, findings: Findings, ranges: Ranges) -> KnownNames:
    """What a compilation, finished or not, knows of the names in its file."""
    return _Collector(job, findings, ranges).names


class _Collector:
    def __init__(self, job: Compilation, findings: Findings, ranges: Ranges) -> None:
        self.names = KnownNames()
        self._job, self._ranges = job, ranges
        self._sources = job.diagnostics.sources
        self._seen: set[Range] = set()
        self._called: dict[int, DeclaredName] = {}
        """Functions without a declaration in the tree as written, or of templates."""
        if job.options.standard_library:
            self._library_names()
        self._includes()
        if "preprocess" in job.results:
            self._macros()
        unit = job.results.get("parse")
        if not isinstance(unit, ast.TranslationUnit):
            return
        self._declared = Declarations(findings, self._sources, ranges)
        self._declared.read(unit)
        self.names.entries += self._declared.entries
        self.names.members = self._declared.members
        for entry in self._declared.entries:
            if entry.file == job.file and entry.place is not None:
                self._use(entry.place, entry)
        for members in self._declared.members.values():
            for entry in members:
                if entry.file == job.file and entry.place is not None:
                    self._use(entry.place, entry)
        self._calls(findings)
        for span, symbol in findings.uses:
            if self._is_here(span) and (found := self._entry_of(symbol)) is not None:
                self._use(ranges.of(span), found)
        self._expressions(findings)
        self._rest(unit)

    def _is_here(self, span: Span) -> bool:
        return span.file == self._job.file and not isinstance(span, Expanded)

    def _use(self, range: Range, entry: DeclaredName) -> None:
        """What was said first of a place holds."""
        if range not in self._seen:
            self._seen.add(range)
            self.names.uses.append((range, entry))

    def _library_names(self) -> None:
        known, options = words(), self._job.options
        overlays = overlays_of(options.target, options.math_library)
        rows = {*index().rows}.union(*(index().overlays.get(one, ()) for one in overlays)) - index().hidden
        for name in sorted(rows):
            head = "" if name in known else " ".join(index().chunks(name, overlays)[0].head().texts)
            self.names.library[name] = head.removesuffix("{ }").strip()

    # --- the preprocessor

    def _includes(self) -> None:
        for file, places in self._job.diagnostics.included.items():
            self.names.includes += [(self._ranges.of(place), file) for place in places if place.file == self._job.file]

    def _macros(self) -> None:
        made = self._job.preprocessed
        entries: dict[str, DeclaredName] = {}
        for macro in made.macro_table.values():
            span, text = macro.span, f"#define {macro.definition()}"
            if span.file == BUILT_IN:
                entries[macro.name] = DeclaredName(macro.name, "macro", text)
                continue
            lines = self._sources.get(span.file, [])
            line = lines[span.line - 1] if span.line <= len(lines) else ""
            found = re.search(rf"define\s+({re.escape(macro.name)})\b", line)
            begin = found.start(1) + 1 if found else span.column
            place = self._ranges.of(Span(span.file, span.line, begin, span.line, begin + len(macro.name)))
            entry = DeclaredName(
                macro.name, "macro", text, comment_above(lines, span.line), span.file, place, self._ranges.of(span)
            )
            entries[macro.name] = entry
            if span.file == self._job.file:
                self._use(place, entry)
        self.names.entries += entries.values()
        for span in made.spans:
            while isinstance(span, Expanded):
                name, _, span = span.origin
                if self._is_here(span) and name in entries:
                    self._use(self._ranges.of(span.first(len(name))), entries[name])

    # --- what was found out

    def _calls(self, findings: Findings) -> None:
        """The overload that a call has chosen."""
        for node, operand in findings.expressions:
            if not isinstance(node, (ast.Call, ast.Launch)) or not self._is_here(node.function.span):
                continue
            called = operand.pointer if isinstance(operand, tree.Deref) else operand
            function = called.function if isinstance(called, (tree.Call, tree.Launch)) else None
            name = node.function
            if isinstance(function, tree.FunctionSymbol) and isinstance(name, (ast.Name, ast.TemplateName)):
                self._use(self._ranges.of(name.span.first(len(name.name))), self._function(function))

    def _function(self, function: tree.FunctionSymbol) -> DeclaredName:
        declared = self._declared.at.get(key_of(function.span))
        if declared is not None and declared.kind != "template":
            return declared
        if id(function) not in self._called:
            entry = DeclaredName(function.name, "function", function_detail(function), function.documentation)
            if declared is not None:
                entry.documentation, entry.file, entry.place = declared.documentation, declared.file, declared.place
            elif function.span.file.startswith(_OF_LIBRARY):
                file = os.path.join(LIBRARY, function.span.file.removeprefix(_OF_LIBRARY))
                line = _line_in_library(file, function.span.line, function.name)
                entry.kind, entry.file, entry.place = "library", file, (line - 1, 0, line - 1, 0)
            self._called[id(function)] = entry
        return self._called[id(function)]

    def _entry_of(self, symbol: Symbol) -> DeclaredName | None:
        match symbol:
            case tree.VariableSymbol():
                known = self._declared.at.get(key_of(symbol.span))
                return known or DeclaredName(symbol.name, "variable", variable_detail(symbol), members=members_key(symbol.type))
            case TypeSymbol() | ConstantSymbol():
                return self._declared.at.get(key_of(symbol.span))
            case FunctionSet():
                places = [ast.declared_name(one.declaration.declarator).span for one in symbol.templates]
                templates = (self._declared.at.get(key_of(place)) for place in places)
                functions = (self._function(one) for one in symbol.functions)
                return next((one for one in (*functions, *templates) if one is not None), None)
            case BuiltinVariable():
                return DeclaredName(symbol.name, "built-in", symbol.name)
        return None

    def _expressions(self, findings: Findings) -> None:
        seen: set[Range] = set()
        for node, operand in findings.expressions:
            if isinstance(operand, FunctionSet) or not self._is_here(node.span):
                continue
            range = self._ranges.of(node.span)
            if isinstance(node, ast.Member) and (member := self._member(node, operand)) is not None:
                end = node.span
                name = Span(end.file, end.end_line, end.end_column - len(node.name), end.end_line, end.end_column)
                self._use(self._ranges.of(name), member)
            elif range not in seen and range not in self._seen:
                seen.add(range)
                self.names.types.append((range, str(operand.type)))

    def _member(self, node: ast.Member, operand: tree.Place | tree.Value) -> DeclaredName | None:
        place: object = operand
        while isinstance(place, (tree.Deref, tree.Load)):
            place = place.pointer if isinstance(place, tree.Deref) else place.place
        if not isinstance(place, tree.MemberPlace) or not isinstance(place.struct.storage.type, Struct):
            return None
        members = self._declared.members.get(members_key(place.struct.storage), ())
        declared = next((entry for entry in members if entry.name == node.name), None)
        if declared is None:
            return None
        # The rate of a member may be that of its struct.
        return DeclaredName(
            node.name, "member", _member_detail(operand.type, declared), declared.documentation, declared.file, declared.place
        )

    # --- what was not checked

    def _rest(self, unit: ast.TranslationUnit) -> None:
        """KnownNames in templates that nobody calls and in statements with mistakes, by what is visible there."""
        for name, span in _names_written(unit):
            if self._is_here(span):
                range = self._ranges.of(span)
                if range not in self._seen and (entry := self._named(name, range)) is not None:
                    self._use(range, entry)

    def _named(self, name: str, range: Range) -> DeclaredName | None:
        best: DeclaredName | None = None
        for entry in self._declared.entries:
            if entry.name != name or (best is not None and entry.depth < best.depth):
                continue
            if entry.scope is None or (entry.file == self._job.file and entry.scope[:2] <= range[:2] <= entry.scope[2:]):
                best = entry
        return best


def _line_in_library(file: str, line: int, name: str) -> int:
    """Where a function is written that begins in a line; most come out of macros, which have the name."""
    # Columns of the library are numbers of tokens, and of no use here.
    with open(file, encoding="utf-8") as opened:
        lines = opened.read().split("\n")
    pattern = re.compile(rf"\b{name}\(")
    if pattern.search(lines[line - 1]):
        return line
    return next((number for number, text in enumerate(lines, 1) if pattern.search(text)), line)


def _member_detail(qual: Qual, declared: DeclaredName) -> str:
    return f"{qual} {declared.name}" if "[" not in str(qual) else declared.detail


def _names_written(unit: ast.TranslationUnit) -> Iterator[tuple[str, Span]]:
    for node in ast.nodes(unit):
        if isinstance(node, (ast.Name, ast.NamedType, ast.TemplateName)):
            yield node.name, node.span.first(len(node.name))
        elif isinstance(node, (ast.StructSpecifier, ast.EnumSpecifier)) and node.name:
            # ``struct name`` in a row, as it is nearly always written.
            word = "struct " if isinstance(node, ast.StructSpecifier) else "enum "
            begin = node.span.column + len(word)
            yield node.name, Span(node.span.file, node.span.line, begin, node.span.line, begin + len(node.name))
