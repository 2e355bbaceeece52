"""The standard library as sema sees it: parsed and checked piece by piece, by the index of ``index.py``.

The head of a function is parsed when its name is first looked up, its body when it is first
called; so a program pays for what it uses.
"""

from __future__ import annotations

from collections.abc import Sequence

from voltac.messages.diagnostics import Diagnostics, InternalError
from voltac.options import Options
from voltac.sema import tree
from voltac.sema.checker import Checker
from voltac.sema.declarations.functions import check_body
from voltac.sema.expressions.names import declare_builtin_variables
from voltac.sema.library.index import Chunk, LibraryIndex, index, overlays_of
from voltac.sema.scopes import FunctionSet, Symbol
from voltac.syntax import Preprocessed, ast, parse


def _check(diagnostics: Diagnostics) -> None:
    if diagnostics.error_count:
        raise InternalError("the standard library has mistakes:\n" + diagnostics.render())


class Library:
    """The library of one compilation."""

    def __init__(self, user: Checker) -> None:
        self.index = index()
        self.overlays = overlays_of(user.options.target, user.options.math_library)
        self.diagnostics = Diagnostics(warnings=False)
        self.checker = Checker(user.options, self.diagnostics, user.program, user.layout)
        self.checker.is_library = True
        self.checker.pending = user.pending
        self.checker.instance_bodies = user.instance_bodies
        self.checker.find_in_library = self._find
        self.checker.find_part_of_library = self.find_part
        self.checker.demand_body = self.demand
        self.checker.keep_body = self._keep_body
        self._bodies: dict[tree.FunctionSymbol, Chunk] = {}
        self._declaring: Chunk | None = None
        declare_builtin_variables(self.checker)

    def names(self) -> set[str]:
        """What a program may use."""
        return {*self.index.rows}.union(*(self.index.overlays.get(one, ()) for one in self.overlays)) - self.index.hidden

    def find(self, name: str) -> Symbol | None:
        """For the program: the library's functions and types of a name."""
        if name in self.index.hidden or not self.index.has(name, self.overlays):
            return None
        return self.find_part(name)

    def find_part(self, name: str) -> Symbol | None:
        """The same, of names that are the library's own too."""
        return self.checker.scopes.find(name) or self._find(name)

    def _find(self, name: str) -> Symbol | None:
        """Parse and declare what has a name."""
        if not self.index.has(name, self.overlays) or self.checker.scopes.find_global(name) is not None:
            return None
        self._declare(self.index.chunks(name, self.overlays))
        found = self.checker.scopes.find_global(name)
        if isinstance(found, FunctionSet):
            found.joined_library = True
        return found

    def _declare(self, chunks: Sequence[Chunk]) -> None:
        before, outer = self.checker.scopes, self._declaring
        self.checker.scopes = before.globals_only()
        heads = parse_chunks([chunk.head() for chunk in chunks], self.index, self.checker.options)
        for chunk, node in zip(chunks, heads.declarations, strict=True):
            self._declaring = chunk
            self.checker.declaration(node)
        # A function's head may be what named a type of the library first.
        self.checker.scopes, self._declaring = before, outer
        _check(self.diagnostics)

    def _keep_body(self, function: tree.FunctionSymbol, body: ast.Compound) -> bool:
        assert self._declaring is not None
        self._bodies[function] = self._declaring
        return True

    def demand(self, function: tree.FunctionSymbol) -> None:
        """The function is used: check its body after the function at hand."""
        chunk = self._bodies.pop(function, None)
        if chunk is not None:
            self.checker.pending.append(lambda: self._check_body(function, chunk))

    def _check_body(self, function: tree.FunctionSymbol, chunk: Chunk) -> None:
        definition = parse_chunks([chunk], self.index, self.checker.options).declarations[0]
        assert isinstance(definition, ast.FunctionDefinition)
        check_body(self.checker, function, definition.body)
        _check(self.diagnostics)


_PARSED: dict[tuple[Chunk, ...], ast.TranslationUnit] = {}
"""Trees are never changed, so the compilations of one process share them."""


def parse_chunks(chunks: Sequence[Chunk], index: LibraryIndex, options: Options) -> ast.TranslationUnit:
    """The tree of pieces of the library; each combination is parsed once in a process."""
    key = tuple(chunks)
    known = _PARSED.get(key)
    if known is None:
        source = Preprocessed(chunks[0].file)
        for chunk in chunks:
            source.texts += chunk.texts
            source.spans += chunk.spans()
        diagnostics = Diagnostics()
        known = parse(source, options, diagnostics, sorted(index.types), sorted(index.templates))
        _check(diagnostics)
        _PARSED[key] = known
    return known
