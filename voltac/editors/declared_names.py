"""The declarations of a file as written, with what was found out about them: for outlines, completion and definitions.

They come from the tree as written, so that a declaration is there that could not be checked, and the body of a template that
nobody calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from voltac.editors.positions import Range, Ranges
from voltac.messages.message import Span
from voltac.records import mutable_record
from voltac.sema import tree
from voltac.sema.overloads.resolution import signature
from voltac.sema.scopes import ConstantSymbol, FunctionSet, TypeSymbol
from voltac.sema.types import Array, Pointer, Qual, Reference, Struct, Vector
from voltac.sema.watched import Findings
from voltac.syntax import ast, comment_above

_LONGEST_TEXT = 200
"""Characters of a declaration that is shown as it is written."""
_SCOPES = (ast.Compound, ast.For, ast.Foreach, ast.ForeachActive, ast.ForeachUnique)
_OF_FUNCTIONS = (ast.FunctionDefinition, ast.TemplateDeclaration, ast.TemplateSpecialization)
_LETTERS = "xyzw"

Key = tuple[str, int, int]
"""File, line and column of a symbol's place."""


@mutable_record(eq=False)
class DeclaredName:
    """A name that is declared somewhere."""

    name: str
    kind: str
    """``variable``, ``parameter``, ``function``, ``template``, ``struct``, ``enum``, ``enumerator``, ``type``, ``member``,
    ``macro``, or ``built-in``."""
    detail: str
    """The declaration in a line."""
    documentation: str = ""
    file: str = ""
    """Empty for what is declared in no file."""
    place: Range | None = None
    """Of the name."""
    extent: Range | None = None
    """Of the declaration."""
    scope: Range | None = None
    """Where it is visible, from its place on; None for names of the file."""
    members: str = ""
    """The key of its members, if it is a struct or vector, or leads to one."""
    children: tuple[DeclaredName, ...] = ()
    depth: int = 0
    """How many scopes are around it."""


def key_of(span: Span) -> Key:
    """What tells places apart."""
    return span.file, span.line, span.column


def members_key(qual: Qual | None) -> str:
    """What the members of a value are kept under, pointers and arrays of it included; empty if it has none."""
    if qual is None:
        return ""
    kind = qual.type
    while isinstance(kind, (Pointer, Array, Reference)):
        kind = kind.element.type if isinstance(kind, Array) else kind.to.type
    if isinstance(kind, Vector):
        return f"<{kind.count}>"
    return _struct_key(kind.name, list(kind.indices)) if isinstance(kind, Struct) and kind.members is not None else ""


def vector_members(key: str) -> str:
    """The letters of a short vector's elements; of another key none."""
    return _LETTERS[: int(key[1:-1])] if key.startswith("<") else ""


def _struct_key(name: str, members: Sequence[str]) -> str:
    # Structs of inner scopes may share a name, and some have none.
    return f"{name}({','.join(members)})"


class Declarations:
    """Finds the entries of a translation unit."""

    def __init__(self, findings: Findings, sources: Mapping[str, list[str]], ranges: Ranges) -> None:
        self._sources, self._ranges = sources, ranges
        self.entries: list[DeclaredName] = []
        self.at: dict[Key, DeclaredName] = {}
        """Those of symbols, by the place of the symbol."""
        self.members: dict[str, tuple[DeclaredName, ...]] = {}
        self._symbols: dict[Key, Any] = {}
        self._functions: dict[Key, tree.FunctionSymbol] = {}
        for symbol in findings.declared:
            if isinstance(symbol, FunctionSet):
                for function in symbol.functions:
                    self._functions.setdefault(key_of(function.span), function)
            elif isinstance(symbol, (tree.VariableSymbol, TypeSymbol, ConstantSymbol)):
                self._symbols.setdefault(key_of(symbol.span), symbol)
        self._by_loop = [one for one in findings.declared if isinstance(one, tree.VariableSymbol)]

    def read(self, unit: ast.TranslationUnit) -> None:
        """Enter everything that a file and its included files declare."""
        waiting: list[tuple[ast.Node, Span | None, int]] = [(node, None, 0) for node in reversed(unit.declarations)]
        while waiting:
            node, scope, depth = waiting.pop()
            if isinstance(node, ast.DeclarationStatement):
                node = node.declaration
            if isinstance(node, _OF_FUNCTIONS):
                self._function(node)
                if node.body is not None:
                    waiting.append((node.body, node.span, 1))
                continue
            if isinstance(node, ast.Declaration):
                self._declaration(node, scope, depth)
                continue
            if isinstance(node, _SCOPES):
                scope, depth = node.span, depth + 1
            if isinstance(node, ast.Foreach):
                for dimension in node.dimensions:
                    self._variable(dimension.name, dimension.span, dimension.span, dimension.span, scope, depth)
            elif isinstance(node, (ast.ForeachActive, ast.ForeachUnique)):
                self._loop_variable(node, scope, depth)
            waiting += [(child, scope, depth) for child in reversed(list(_statements(node)))]

    # --- functions

    def _function(self, node: ast.FunctionDefinition | ast.TemplateDeclaration | ast.TemplateSpecialization) -> None:
        name = ast.declared_name(node.declarator)
        is_template = isinstance(node, ast.TemplateDeclaration)
        self._enter_function(name, node, Span(*node.span[:3], *node.declarator.span[3:]), is_template)
        if isinstance(node, ast.TemplateDeclaration):
            for parameter in node.parameters:
                span = parameter.span
                place = Span(span.file, span.end_line, span.end_column - len(parameter.name), span.end_line, span.end_column)
                self._enter(parameter.name, "type", self._text(span), place, span, node.span, 1)
        for one in _parameters(node.declarator):
            named = ast.declared_name(one.declarator)
            self._variable(named.name, one.span, named.span, one.span, node.span, 1, "parameter")

    def _enter_function(self, name: ast.NameDeclarator, node: ast.Node, head: Span, is_template: bool) -> None:
        symbol = self._functions.get(key_of(name.span))
        detail = self._text(head) if symbol is None or is_template else function_detail(symbol)
        documentation = comment_above(self._sources.get(name.span.file, []), node.span.line)
        kind = "template" if is_template else "function"
        self._enter(name.name, kind, detail, name.span, node.span, None, 0, key=name.span, documentation=documentation)

    # --- variables and types

    def _declaration(self, node: ast.Declaration, scope: Span | None, depth: int) -> None:
        children: tuple[DeclaredName, ...] = ()
        for specifier in node.specifiers.types:
            if isinstance(specifier, ast.StructSpecifier) and specifier.members is not None:
                children = self._struct(specifier, scope, depth)
            elif isinstance(specifier, ast.EnumSpecifier) and specifier.enumerators is not None:
                children = self._enum(specifier, scope, depth)
        is_type = any(word.text == "typedef" for word in node.specifiers.storage)
        for one in node.declarators:
            name = ast.declared_name(one.declarator)
            if is_type:
                symbol = self._symbols.get(key_of(name.span))
                qual = symbol.qual if isinstance(symbol, TypeSymbol) else None
                entry = self._enter(name.name, "type", self._text(node.span), name.span, node.span, scope, depth, key=name.span)
                entry.members, entry.children = members_key(qual), children
                # A struct without a name has that of its type.
                self.members.setdefault(entry.members, children)
            elif _is_function(one.declarator):
                self._enter_function(name, node, node.span, False)
            else:
                self._variable(name.name, name.span, name.span, node.span, scope, depth)

    def _variable(
        self, name: str, key: Span, place: Span, extent: Span, scope: Span | None, depth: int, kind: str = "variable"
    ) -> None:
        if name:
            found = self._symbols.get(key_of(key))
            symbol = found if isinstance(found, tree.VariableSymbol) else None
            detail = variable_detail(symbol) if symbol is not None else self._text(extent)
            place = place.first(len(name))
            entry = self._enter(name, kind, detail, place, extent, scope, depth, key=key)
            entry.members = members_key(symbol.type) if symbol is not None else ""

    def _loop_variable(self, node: ast.ForeachActive | ast.ForeachUnique, scope: Span | None, depth: int) -> None:
        for symbol in self._by_loop:
            span = symbol.span
            if symbol.name == node.name and span.file == node.span.file and node.span[1:3] <= span[1:3] < node.body.span[1:3]:
                head = Span(*node.span[:3], *node.body.span[1:3])
                place = self._place_of_word(node.name, head)
                self._enter(node.name, "variable", variable_detail(symbol), place, head, scope, depth, key=span)
                return

    def _struct(self, node: ast.StructSpecifier, scope: Span | None, depth: int) -> tuple[DeclaredName, ...]:
        symbol = self._symbols.get(key_of(node.span))
        struct = symbol.qual.type if isinstance(symbol, TypeSymbol) and isinstance(symbol.qual.type, Struct) else None
        quals = {member.name: member.qual for member in (struct.members or ())} if struct is not None else {}
        found = []
        for declaration in node.members or ():
            if isinstance(declaration, ast.Mistake):
                continue
            for one in declaration.declarators:
                name = ast.declared_name(one.declarator)
                entry = self._entry(name.name, "member", self._text(declaration.span), name.span, declaration.span)
                entry.members = members_key(quals.get(name.name))
                found.append(entry)
        members = tuple(found)
        self.members[_struct_key(node.name, [entry.name for entry in members])] = members
        if node.name:
            place = self._place_of_word(node.name, node.span)
            entry = self._enter(node.name, "struct", f"struct {node.name}", place, node.span, scope, depth, key=node.span)
            entry.members, entry.children = _struct_key(node.name, [one.name for one in members]), members
        return members

    def _enum(self, node: ast.EnumSpecifier, scope: Span | None, depth: int) -> tuple[DeclaredName, ...]:
        found = []
        for one in node.enumerators or ():
            symbol = self._symbols.get(key_of(one.span))
            value = f" = {symbol.value}" if isinstance(symbol, ConstantSymbol) else ""
            detail = f"enum {node.name}: {one.name}{value}" if node.name else f"{one.name}{value}"
            place = one.span.first(len(one.name))
            found.append(self._enter(one.name, "enumerator", detail, place, one.span, scope, depth, key=one.span))
        enumerators = tuple(found)
        if node.name:
            place = self._place_of_word(node.name, node.span)
            entry = self._enter(node.name, "enum", f"enum {node.name}", place, node.span, scope, depth, key=node.span)
            entry.children = enumerators
        return enumerators

    # --- entries

    def _enter(
        self,
        name: str,
        kind: str,
        detail: str,
        place: Span,
        extent: Span,
        scope: Span | None,
        depth: int,
        *,
        key: Span | None = None,
        documentation: str | None = None,
    ) -> DeclaredName:
        entry = self._entry(name, kind, detail, place, extent, documentation)
        entry.scope, entry.depth = None if scope is None else self._ranges.of(scope), depth
        self.entries.append(entry)
        if key is not None:
            self.at[key_of(key)] = entry
        return entry

    def _entry(
        self, name: str, kind: str, detail: str, place: Span, extent: Span, documentation: str | None = None
    ) -> DeclaredName:
        if documentation is None:
            lines = self._sources.get(extent.file, [])
            begin = lines[extent.line - 1][: extent.column - 1] if extent.line <= len(lines) else ""
            # What stands behind something else in a line is not what the comment above is about.
            documentation = "" if begin.strip() else comment_above(lines, extent.line)
        return DeclaredName(name, kind, detail, documentation, place.file, self._ranges.of(place), self._ranges.of(extent))

    def _place_of_word(self, word: str, span: Span) -> Span:
        """Where a name stands behind a keyword at the beginning of a place."""
        for number in range(span.line, span.end_line + 1):
            lines = self._sources.get(span.file, [])
            line = lines[number - 1] if number <= len(lines) else ""
            found = re.compile(rf"\b{re.escape(word)}\b").search(line, span.column if number == span.line else 0)
            if found:
                return Span(span.file, number, found.start() + 1, number, found.end() + 1)
        return span

    def _text(self, span: Span) -> str:
        """What is written at a place, in a line."""
        lines = self._sources.get(span.file, [])[span.line - 1 : span.end_line]
        if not lines:
            return ""
        lines[-1] = lines[-1][: span.end_column - 1]
        lines[0] = lines[0][span.column - 1 :]
        text = " ".join(" ".join(lines).split()).rstrip("; {")
        return text if len(text) <= _LONGEST_TEXT else text[:_LONGEST_TEXT] + " ..."


def variable_detail(symbol: tree.VariableSymbol) -> str:
    """A variable as it would be declared, with its rate."""
    qual = symbol.type
    if symbol.is_reference and isinstance(qual.type, Pointer):
        return f"{qual.type.to} & {symbol.name}"
    text = str(qual)
    if isinstance(qual.type, Array):
        base, bracket, sizes = text.partition("[")
        return f"{base} {symbol.name}{bracket}{sizes}"
    return f"{text} {symbol.name}"


def function_detail(function: tree.FunctionSymbol) -> str:
    """A function's head, with types and rates of its parameters."""
    words = [("export", function.exported), ("task", function.task), ("unmasked", function.unmasked and not function.task)]
    return " ".join([*(word for word, has in words if has), signature(function)])


def _statements(node: ast.Node) -> Iterator[ast.Node]:
    """The statements directly below one; expressions declare nothing."""
    for field in type(node).__match_args__:
        value = getattr(node, field)
        for child in value if isinstance(value, tuple) and not isinstance(value, Span) else (value,):
            if isinstance(child, ast.Node) and not isinstance(child, ast.Expression):
                yield child


def _parameters(declarator: ast.Declarator) -> tuple[ast.Parameter, ...]:
    """Those of the function that a declarator declares."""
    while not isinstance(declarator, ast.NameDeclarator):
        if isinstance(declarator, ast.FunctionDeclarator) and isinstance(declarator.inner, ast.NameDeclarator):
            return declarator.parameters
        declarator = declarator.inner
    return ()


def _is_function(declarator: ast.Declarator) -> bool:
    while not isinstance(declarator, ast.NameDeclarator):
        if isinstance(declarator, ast.FunctionDeclarator) and isinstance(declarator.inner, ast.NameDeclarator):
            return True
        declarator = declarator.inner
    return False
