"""The standard library as sema sees it: an index of names over ``stdlib/*.ispc``, parsed and checked piece by piece.

The files are preprocessed once for a target and cut into their top-level declarations. A
declaration is parsed when its name is first looked up, a body checked when its function is
first called; so a program pays for what it uses.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from voltac.diagnostics import Diagnostics, InternalError, Span
from voltac.options import Options
from voltac.paths import STANDARD_LIBRARY
from voltac.sema import tree
from voltac.sema.check_names import declare_builtin_variables
from voltac.sema.context import Checker
from voltac.sema.functions import check_body
from voltac.sema.scopes import FunctionSet, Symbol
from voltac.syntax import Preprocessed, ast, parse, preprocess


@dataclass(frozen=True, slots=True)
class Chunk:
    """One top-level declaration: a stretch of tokens."""

    texts: tuple[str, ...]
    spans: tuple[Span, ...]


@dataclass(slots=True)
class Index:
    """What the library declares, as tokens."""

    chunks: dict[str, list[Chunk]] = field(default_factory=dict)
    types: set[str] = field(default_factory=set)
    templates: set[str] = field(default_factory=set)
    hidden: set[str] = field(default_factory=set)
    """Static functions and templates: for the library's own use."""


_INDICES: dict[Options, Index] = {}


def index_for(options: Options) -> Index:
    """The index for a target; the macros of the program have no influence on it."""
    key = replace(options, defines=(), include_directories=(), preprocess=True, ignore_preprocessor_errors=False, cpu="")
    known = _INDICES.get(key)
    if known is None:
        known = _INDICES[key] = Index()
        diagnostics = Diagnostics()
        for path in sorted(STANDARD_LIBRARY.glob("*.ispc")):
            source = preprocess(path.read_text(encoding="utf-8"), str(path), key, diagnostics)
            _cut(source, known)
        _check(diagnostics)
    return known


def _check(diagnostics: Diagnostics) -> None:
    if diagnostics.error_count:
        raise InternalError("the standard library has mistakes:\n" + diagnostics.render())


def _cut(source: Preprocessed, index: Index) -> None:
    """Cut at the semicolons and closing braces that stand outside of all brackets."""
    texts, spans = source.texts, source.spans
    begin = depth = 0
    for position, text in enumerate(texts):
        if text in "([{":
            depth += 1
        elif text in ")]}":
            depth -= 1
        else:
            if depth or text != ";":
                continue
        if depth == 0 and (text == ";" or (text == "}" and texts[position + 1 : position + 2] != [";"])):
            _add(Chunk(tuple(texts[begin : position + 1]), tuple(spans[begin : position + 1])), index)
            begin = position + 1


def _add(chunk: Chunk, index: Index) -> None:
    """Find the name a chunk declares: what stands before the first parenthesis, or behind struct and enum."""
    texts = chunk.texts
    position = 0
    if texts[0] == "template":
        angle = 0
        for position, text in enumerate(texts):
            angle += (text == "<") - (text == ">")
            if text == ">" and angle == 0:
                break
    if texts[position] in ("struct", "enum"):
        name = texts[position + 1]
        index.types.add(name)
    elif texts[position] == "typedef":
        name = texts[-2]
        index.types.add(name)
    elif "(" in texts[position:]:
        name = texts[texts.index("(", position) - 1]
    else:
        # A variable: its name stands before the initial value, the brackets or the end.
        name = next(texts[at - 1] for at, text in enumerate(texts) if text in ("=", "[", ";"))
    if texts[0] == "template":
        index.templates.add(name)
    if texts[0] == "template" or "static" in texts[: position + 3]:
        index.hidden.add(name)
    index.chunks.setdefault(name, []).append(chunk)


class Library:
    """The library of one compilation."""

    def __init__(self, user: Checker) -> None:
        self.index = index_for(user.options)
        self.diagnostics = Diagnostics(warnings=False)
        self.checker = Checker(user.options, self.diagnostics, user.program, user.layout)
        self.checker.is_library = True
        self.checker.pending = user.pending
        self.checker.instance_bodies = user.instance_bodies
        self.checker.find_in_library = self._find
        self.checker.demand_body = self.demand
        self.checker.keep_body = self._keep_body
        self._bodies: dict[tree.FunctionSymbol, ast.Compound] = {}
        declare_builtin_variables(self.checker)

    def names(self) -> set[str]:
        """What a program may use."""
        return set(self.index.chunks) - self.index.hidden

    def find(self, name: str) -> Symbol | None:
        """For the program: the library's functions and types of a name."""
        if name not in self.index.chunks or name in self.index.hidden:
            return None
        return self.checker.scopes.find(name) or self._find(name)

    def _find(self, name: str) -> Symbol | None:
        """Parse and declare what has a name."""
        chunks = self.index.chunks.get(name)
        if chunks is None or self.checker.scopes.find_global(name) is not None:
            return None
        self._declare(chunks)
        found = self.checker.scopes.find_global(name)
        if isinstance(found, FunctionSet):
            found.joined_library = True
        return found

    def _declare(self, chunks: Iterable[Chunk]) -> None:
        before = self.checker.scopes
        self.checker.scopes = before.globals_only()
        for chunk in chunks:
            for node in parse_chunk(chunk, self.index, self.checker.options).declarations:
                self.checker.declaration(node)
        self.checker.scopes = before
        _check(self.diagnostics)

    def _keep_body(self, function: tree.FunctionSymbol, body: ast.Compound) -> bool:
        self._bodies[function] = body
        return True

    def demand(self, function: tree.FunctionSymbol) -> None:
        """The function is used: check its body after the function at hand."""
        body = self._bodies.pop(function, None)
        if body is not None:
            self.checker.pending.append(lambda: self._check_body(function, body))

    def _check_body(self, function: tree.FunctionSymbol, body: ast.Compound) -> None:
        check_body(self.checker, function, body)
        _check(self.diagnostics)


_PARSED: dict[tuple[int, str], ast.TranslationUnit] = {}


def parse_chunk(chunk: Chunk, index: Index, options: Options) -> ast.TranslationUnit:
    """The tree of a chunk; trees are never changed, so compilations of one process share them."""
    key = (id(chunk), options.target.name)
    known = _PARSED.get(key)
    if known is None:
        source = Preprocessed(chunk.spans[0].file)
        source.texts, source.spans = list(chunk.texts), list(chunk.spans)
        diagnostics = Diagnostics()
        known = parse(source, options, diagnostics, sorted(index.types), sorted(index.templates))
        _check(diagnostics)
        _PARSED[key] = known
    return known
