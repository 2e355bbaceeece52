"""Names and what they stand for: block scopes, overload sets, templates.

``Scopes`` answers "what does this name mean here" in constant time: each name
has the stack of its visible meanings, each scope the list of names it pushed.
"""

from __future__ import annotations

from collections.abc import Iterator

from voltac.messages.message import Span
from voltac.records import field, mutable_record
from voltac.sema import tree
from voltac.sema.types import Qual, Type
from voltac.syntax import ast


@mutable_record(eq=False)
class TypeSymbol:
    """A typedef, struct tag, enum tag or template type parameter; a rate still unbound is decided at each use."""

    name: str
    qual: Qual
    span: Span
    from_template: bool = False
    """Stands for a template argument: an explicit rate replaces that of the argument."""


@mutable_record(eq=False)
class ConstantSymbol:
    """An enumerator, a value parameter of a template, or ``programCount``."""

    name: str
    qual: Qual
    value: int | bool
    span: Span


@mutable_record(eq=False)
class BuiltinVariable:
    """``programIndex``, ``__mask``, ``taskIndex`` ...: the name decides what is made of it."""

    name: str


@mutable_record(eq=False)
class Poisoned:
    """A name whose declaration was wrong: using it is no second mistake."""

    name: str
    span: Span


@mutable_record(eq=False)
class TemplateSymbol:
    """A function template: the tree as written, and the instances made of it so far."""

    name: str
    declaration: ast.TemplateDeclaration
    instances: dict[tuple[Type | Qual | int, ...], tree.FunctionSymbol] = field(default_factory=dict)
    mistaken: bool = False
    """The body has mistakes that were reported, so those of instances are not looked at."""


@mutable_record(eq=False)
class FunctionSet:
    """All functions and templates of one name."""

    name: str
    functions: list[tree.FunctionSymbol] = field(default_factory=list)
    templates: list[TemplateSymbol] = field(default_factory=list)
    resolved: dict[tuple[object, ...], object] = field(default_factory=dict)
    """Calls decided before: kinds of arguments -> decision."""
    failures: list[tuple[TemplateSymbol, str]] = field(default_factory=list)
    """Why the templates did not fit the call considered last."""
    mistaken: bool = False
    """A declaration of one was wrong: what it would accept is not known."""
    joined_library: bool = False
    """The library's functions of the name are among ``functions``."""
    by_parameters: dict[tuple[Qual, ...], list[tree.FunctionSymbol]] = field(default_factory=dict)
    """``functions`` by what they take: each is looked for among the others, and operators of vectors have a hundred."""

    def add(self, function: tree.FunctionSymbol) -> None:
        """One more overload."""
        self.functions.append(function)
        self.by_parameters.setdefault(function.type.parameters, []).append(function)
        self.resolved.clear()

    def remove(self, function: tree.FunctionSymbol) -> None:
        """An overload that another one takes the place of."""
        self.functions.remove(function)
        self.by_parameters[function.type.parameters].remove(function)


Symbol = tree.VariableSymbol | FunctionSet | TypeSymbol | ConstantSymbol | BuiltinVariable | Poisoned


class Scopes:
    """The stack of scopes; the outermost one is the file."""

    def __init__(self, file: Scopes | None = None) -> None:
        """With ``file``, the outermost scope is that of another stack, and scopes are opened beside its own."""
        self._file = file
        self._meanings: dict[str, list[tuple[int, Symbol]]] = {}
        self._scopes: list[list[str]] = [[]]

    def globals_only(self) -> Scopes:
        """A new stack that sees the file scope of this one and nothing else."""
        return Scopes(self._file or self)

    @property
    def depth(self) -> int:
        """0 at file scope."""
        return len(self._scopes) - 1

    def push(self) -> None:
        """Begin a scope within the innermost one."""
        self._scopes.append([])

    def pop(self) -> None:
        """End the innermost scope: names mean again what they meant before it."""
        for name in self._scopes.pop():
            self._meanings[name].pop()

    def find(self, name: str) -> Symbol | None:
        """The innermost meaning of a name."""
        stack = self._meanings.get(name)
        if stack:
            return stack[-1][1]
        return self._file.find_global(name) if self._file is not None else None

    def find_here(self, name: str) -> Symbol | None:
        """Only the innermost scope."""
        if self._file is not None and len(self._scopes) == 1:
            return self._file.find_global(name)
        stack = self._meanings.get(name)
        return stack[-1][1] if stack and stack[-1][0] == len(self._scopes) - 1 else None

    def find_global(self, name: str) -> Symbol | None:
        """The meaning of a name at file scope, also where an inner one hides it."""
        if self._file is not None:
            return self._file.find_global(name)
        stack = self._meanings.get(name)
        return stack[0][1] if stack and stack[0][0] == 0 else None

    def poison(self, named: ast.NameDeclarator, at_file_scope: bool = False) -> None:
        """A declaration with a mistake that was told of: its name, if it has no other meaning, brings no more."""
        known = self.find_global(named.name) if at_file_scope else self.find_here(named.name)
        if isinstance(known, FunctionSet):
            known.mistaken = True
        elif named.name and known is None:
            declare = self.declare_global if at_file_scope else self.declare
            declare(named.name, Poisoned(named.name, named.span))

    def declare(self, name: str, symbol: Symbol) -> None:
        """In the innermost scope; a second meaning there replaces the first."""
        depth = len(self._scopes) - 1
        if depth == 0 and self._file is not None:
            self._file.declare_global(name, symbol)
            return
        stack = self._meanings.setdefault(name, [])
        if stack and stack[-1][0] == depth:
            stack[-1] = (depth, symbol)
            return
        stack.append((depth, symbol))
        self._scopes[-1].append(name)

    def declare_global(self, name: str, symbol: Symbol) -> None:
        """At file scope, from wherever the checker is."""
        if self._file is not None:
            self._file.declare_global(name, symbol)
            return
        stack = self._meanings.setdefault(name, [])
        if stack and stack[0][0] == 0:
            stack[0] = (0, symbol)
            return
        stack.insert(0, (0, symbol))
        self._scopes[0].append(name)

    def visible(self) -> Iterator[tuple[str, Symbol]]:
        """Every visible name, for suggestions."""
        if self._file is not None:
            yield from self._file.visible()
        for name, stack in self._meanings.items():
            if stack:
                yield name, stack[-1][1]
