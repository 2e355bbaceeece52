"""What all checking functions share: the state of one compilation, and the dispatch by node.

A checking function takes the :class:`Checker` and one node of the tree as written,
and registers itself for the node's class with :func:`expression`, :func:`statement`,
:func:`declaration` or :func:`specifier`. A mistake is reported once by :meth:`Checker.reject`, which
unwinds to the statement; checking goes on behind it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

from voltac.messages.diagnostics import Diagnostics
from voltac.messages.message import Note, Span
from voltac.messages.suggestions import suggestion
from voltac.options import Options
from voltac.records import record
from voltac.sema import tree
from voltac.sema.checked_function import CheckedFunction, EnclosingStatement
from voltac.sema.scopes import FunctionSet, Poisoned, Scopes, Symbol, TemplateSymbol
from voltac.sema.type_layout import Layout
from voltac.sema.types import Qual, same_parameters
from voltac.syntax import ast

Operand = tree.Place | tree.Value | FunctionSet
"""What an expression is, before it is asked for its value."""


_WORDS_ALONE = {"break", "continue", "return", "sync", "true", "false", "NULL"}
"""Keywords that may stand where a name may."""

_MEMORY = "memory comes from 'new', and 'delete' frees it"
_INSTEAD = {
    **dict.fromkeys(("malloc", "calloc", "realloc", "free"), _MEMORY),
    **dict.fromkeys(("nullptr", "null", "nil", "None"), "write 'NULL'"),
    **dict.fromkeys(("M_PI", "pi", "M_PI_F"), "write 'PI'"),
    **dict.fromkeys(("cout", "std", "puts"), "write with 'print(\"% %\\n\", a, b);'"),
    **dict.fromkeys(("this", "self"), "structs have no methods; pass the struct as a parameter"),
    **dict.fromkeys(("laneIndex", "lane_id", "get_global_id"), "the number of a lane is 'programIndex'"),
    "strlen": "there are no strings",
    "static_assert": "constants are tested by '#if' and '#error'",
    "log10": "write 'log(x) * 0.434294482f'",
    "hypot": "write 'sqrt(x * x + y * y)'",
    **dict.fromkeys(("fma", "mad"), "write 'a * b + c', which is fused where the target can"),
    "True": "write 'true'",
    "False": "write 'false'",
}
"""Names of other languages -> what to write."""

_OF_VALUES = frozenset(("bounds", "division", "null", "overflow", "shift", "shift-width"))
"""Warnings about what happens when a place is reached."""

_LEFT_OVER = 3
"""Lines behind a function in which a syntax error casts doubt on the function's end."""

NAMELESS = "__missing_name"
"""What the parser declares where a name is missing."""


class Rejected(Exception):
    """The statement at hand has a mistake that was reported."""


@record
class Sibling:
    """A name that is not yet known in the declaration that declares it, and what to write instead."""

    span: Span
    until: str
    """Behind what it is known."""
    advice: str


class Checker:
    """One compilation: its options, names, and the program that comes into being."""

    def __init__(self, options: Options, diagnostics: Diagnostics, program: tree.Program, layout: Layout) -> None:
        self.options = options
        self.target = options.target
        self.diagnostics = diagnostics
        self.program = program
        self.layout = layout
        self.scopes = Scopes()
        self.function: CheckedFunction | None = None
        self.pending: deque[Callable[[], None]] = deque()
        """Bodies to check when the function at hand is finished: template instances, library functions."""
        self.find_in_library: Callable[[str], Symbol | None] = lambda name: None
        self.find_part_of_library: Callable[[str], Symbol | None] = lambda name: None
        """The same for names that programs do not see."""
        self.library_names: Callable[[], set[str]] = set
        self.demand_body: Callable[[tree.FunctionSymbol], None] = lambda function: None
        """Called for each library function that is used."""
        self.instance_bodies: dict[tree.FunctionSymbol, Callable[[Span], Callable[[], None]]] = {}
        """Template instances nobody has called yet -> what makes, of the place that asks for one, a check of its body."""
        self.make_instance: Callable[[TemplateSymbol, Any], tree.FunctionSymbol]
        """From ``overloads/template_declarations.py``: the signature of an instance."""
        self.instance_names: dict[str, tuple[TemplateSymbol, object]] = {}
        """Symbols of template instances, and what has them."""
        self.specialisations: list[tree.FunctionSymbol] = []
        self.keep_body: Callable[[tree.FunctionSymbol, ast.Compound], bool] = lambda function, body: False
        """The library keeps bodies until they are called."""
        self.is_library = False
        self.converted_for: tree.VariableSymbol | tree.FunctionSymbol | None = None
        """What a value is being converted for, to be pointed at if that is not possible."""
        self.doubtful = False
        """The declaration at hand was closed too early by a brace."""
        self.siblings: dict[str, Sibling] = {}
        """Earlier names of the declaration at hand, which its initial values don't see."""
        self.declarations: Sequence[ast.ExternalDeclaration] = ()
        """All of the file."""
        self._definitions: dict[str, tuple[Span, str]] | None = None
        """Functions of the file by their names, once a name is missing."""

    def finish(self) -> None:
        """Nothing more is checked: what holds each other is let go at once, not when Python looks for such."""
        self.instance_bodies.clear()
        del self.find_in_library, self.find_part_of_library, self.library_names
        del self.demand_body, self.make_instance, self.keep_body

    # --- messages -----------------------------------------------------------------------------------------------

    def error(self, code: str, span: Span, text: str, *notes: Note | None) -> None:
        """Report a mistake and go on; notes that are None are left out."""
        self.diagnostics.error(code, span, text, *[note for note in notes if note is not None])

    def reject(self, code: str, span: Span, text: str, *notes: Note | None) -> NoReturn:
        """Report a mistake and leave the statement."""
        self.error(code, span, text, *notes)
        raise Rejected

    def misplaced(self, span: Span, text: str, *notes: Note | None) -> NoReturn:
        """A statement that cannot stand where it stands, as far as the syntax errors of the function let one know."""
        if self.is_garbled:
            raise Rejected
        self.reject("misplaced", span, text, *notes)

    @property
    def is_garbled(self) -> bool:
        """Whether there are syntax errors in the function, so that its statements may not be those that are meant."""
        function = self.function
        if function is None or function.mistaken:
            return function is not None
        body = function.body
        lines = [line for file, line in self.diagnostics.mistaken_lines if file == body.file]
        # Where a brace is one too many, what is left over stands right behind the body.
        return any(body.line <= line <= body.end_line + _LEFT_OVER for line in lines)

    def warning(self, switch: str, span: Span, text: str, *notes: Note | None) -> None:
        """``switch`` names the row of ``warning_switches.py``."""
        if not self.is_library and not (switch in _OF_VALUES and self.is_left_out):
            self.diagnostics.warning(switch, span, text, *[note for note in notes if note is not None])

    @staticmethod
    def note(span: Span, text: str) -> Note | None:
        """A note at a place, if it is one."""
        return Note(span, text) if span.line else None

    def note_frame(self, frame: EnclosingStatement) -> Note | None:
        """A note at the statement around that is in the way."""
        return self.note(frame.span, f"this {frame.kind} begins here")

    def performance_warning(self, span: Span, text: str, *notes: Note) -> None:
        """Unless it is about the library, or about code that constants leave out."""
        if not self.is_library and not self.is_left_out:
            self.diagnostics.performance_warning(span, text, *notes)

    # --- what constants leave out --------------------------------------------------------------------------------

    @property
    def is_left_out(self) -> bool:
        """The place never runs: instances of templates have statements for other arguments."""
        function = self.function
        return function is not None and (function.operands_left_out > 0 or any(frame.left_out for frame in function.frames))

    @contextmanager
    def operand(self, left_out: bool) -> Iterator[None]:
        """While an operand is checked that ``left_out`` says is never evaluated: nothing is warned of."""
        function = self.function
        if function is None or not left_out:
            yield
            return
        function.operands_left_out += 1
        try:
            yield
        finally:
            function.operands_left_out -= 1

    # --- names --------------------------------------------------------------------------------------------------

    def find(self, name: str) -> Symbol | None:
        """The meaning of a name here, the standard library included."""
        symbol = self.scopes.find(name)
        if symbol is None:
            return self.find_in_library(name)
        if type(symbol) is FunctionSet and not symbol.joined_library:
            join_library(self, symbol)
        return symbol

    def look_up(self, name: str, span: Span) -> Symbol:
        """What a name stands for; one that is not declared is an error, one whose declaration was wrong ends the statement."""
        symbol = self.find(name)
        if symbol is None:
            self.reject_unknown(name, span)
        if type(symbol) is Poisoned:
            raise Rejected
        return symbol

    def reject_unknown(self, name: str, span: Span, message: str = "") -> NoReturn:
        """Once a function for each name, and never where a syntax error may have hidden its declaration."""
        nameless = self.scopes.find(NAMELESS)
        if self.doubtful or (nameless is not None and nameless is not self.scopes.find_global(NAMELESS)):
            raise Rejected
        if self.function is not None:
            if name in self.function.undeclared:
                raise Rejected
            self.function.undeclared.add(name)
        if name in self.siblings:
            earlier = self.siblings[name]
            note = self.note(earlier.span, f"'{name}' is declared here, and known after the '{earlier.until}'")
            self.reject("undeclared", span, f"'{name}' is not declared yet: {earlier.advice}", note)
        later = None if message else self._defined_later(name)
        if later is not None:
            place, remedy = later
            text = f"'{name}' is not declared yet: {remedy}"
            self.reject("undeclared", span, text, self.note(place, f"'{name}' is defined here"))
        instead = _INSTEAD.get(name)
        remedy = f"; {instead}" if instead else self.suggest(name)
        self.reject("undeclared", span, message or f"'{name}' is not declared{remedy}")

    def _defined_later(self, name: str) -> tuple[Span, str] | None:
        """Where the file defines a function or variable of a name that is not visible yet, and what to do about it."""
        if self._definitions is None:
            found = self._definitions = {}
            for node in self.declarations:
                if type(node) is ast.FunctionDefinition:
                    remedy = "write its declaration in front, with ';' in place of the body"
                    known = ast.declared_name(node.declarator)
                    found[known.name] = known.span, remedy
                elif type(node) is ast.Declaration:
                    for known in (ast.declared_name(one.declarator) for one in node.declarators):
                        found.setdefault(known.name, (known.span, "move its declaration in front"))
        return self._definitions.get(name)

    def suggest(self, name: str) -> str:
        """Names that are visible here and spelt much like it, as the end of a message; empty if there is none."""
        visible = {known for known, _ in self.scopes.visible()}
        return suggestion(name, visible | self.library_names() | _WORDS_ALONE)

    # --- dispatch -----------------------------------------------------------------------------------------------

    def expression(self, node: ast.Expression) -> Operand:
        """Check an expression; one with a mistake raises :class:`Rejected`."""
        return EXPRESSIONS[type(node)](self, node)

    def statement(self, node: ast.Statement) -> tree.Statement:
        """Check a statement; one with a mistake becomes an empty block."""
        try:
            return STATEMENTS[type(node)](self, node)
        except Rejected:
            self.note_gap()
            return tree.Block(node.span, ())

    def note_gap(self) -> None:
        """Something of the function at hand was rejected, perhaps silently, so that its flow is not known."""
        if self.function is not None:
            self.function.has_gaps = True

    def declaration(self, node: ast.ExternalDeclaration) -> None:
        """Check a declaration of the file; what is wrong with it has been reported."""
        try:
            DECLARATIONS[type(node)](self, node)
        except Rejected:
            return

    def poison(self, mistake: ast.Mistake) -> None:
        """The names in a text with a syntax error are no second mistake."""
        for name in mistake.declared:
            self.scopes.declare(name, Poisoned(name, mistake.span))
        for name in mistake.used:
            if self.find(name) is None:
                self.scopes.declare(name, Poisoned(name, mistake.span))

    def run_pending(self) -> None:
        """Check the bodies that were put off, and those that they demand."""
        while self.pending:
            self.pending.popleft()()

    @property
    def frames(self) -> list[EnclosingStatement]:
        """The loops, branches and switches around the statement, innermost last."""
        return self.function.frames if self.function is not None else []


def join_library(checker: Checker, functions: FunctionSet) -> None:
    """Add the library's functions of the name, but for those the program replaces."""
    functions.joined_library = True
    found = checker.find_in_library(functions.name)
    if isinstance(found, FunctionSet):
        own = list(functions.functions)
        for function in found.functions:
            if not any(replaces(one, function) for one in own):
                functions.add(function)


def replaces(function: tree.FunctionSymbol, other: tree.FunctionSymbol) -> bool:
    """Whether a function of the program takes the place of one of the library (language 16.1)."""
    return other.library and not function.library and same_parameters(function.type, other.type)


def place_of(symbol: object, here: Span) -> str:
    """``line 3`` of this file or ``other.isph:3``, where the symbol has a place; else empty."""
    span = getattr(symbol, "span", None)
    if not isinstance(span, Span) or not span.line:
        return ""
    return f"line {span.line}" if span.file == here.file else f"{span.file}:{span.line}"


def first_in(symbol: object, here: Span) -> str:
    """``, first in line 3``, to end a message with."""
    place = place_of(symbol, here)
    return f", first in {place}" if place else ""


def declared_here(symbol: object, text: str = "is first declared here") -> Note | None:
    """A note at the declaration of a symbol, where it has one in a file of the program."""
    span = getattr(symbol, "span", None)
    if not isinstance(span, Span) or not span.line or getattr(symbol, "library", False):
        return None
    return Note(span, f"'{getattr(symbol, 'name', '')}' {text}")


ExpressionCheck = Callable[[Checker, Any], Operand]
StatementCheck = Callable[[Checker, Any], tree.Statement]
DeclarationCheck = Callable[[Checker, Any], None]

SpecifierCheck = Callable[[Checker, Any], Qual]

EXPRESSIONS: dict[type, ExpressionCheck] = {}
STATEMENTS: dict[type, StatementCheck] = {}
DECLARATIONS: dict[type, DeclarationCheck] = {}
SPECIFIERS: dict[type, SpecifierCheck] = {}


def expression(*nodes: type) -> Callable[[ExpressionCheck], ExpressionCheck]:
    """Register the function that checks expressions of these classes."""

    def register(check: ExpressionCheck) -> ExpressionCheck:
        for node in nodes:
            EXPRESSIONS[node] = check
        return check

    return register


def statement(*nodes: type) -> Callable[[StatementCheck], StatementCheck]:
    """Registers a function as the check of these kinds of statements."""

    def register(check: StatementCheck) -> StatementCheck:
        for node in nodes:
            STATEMENTS[node] = check
        return check

    return register


def declaration(*nodes: type) -> Callable[[DeclarationCheck], DeclarationCheck]:
    """Registers a function as the check of these kinds of declarations."""

    def register(check: DeclarationCheck) -> DeclarationCheck:
        for node in nodes:
            DECLARATIONS[node] = check
        return check

    return register


def specifier(*nodes: type) -> Callable[[SpecifierCheck], SpecifierCheck]:
    """Registers a function as what resolves these kinds of type specifiers."""

    def register(check: SpecifierCheck) -> SpecifierCheck:
        for node in nodes:
            SPECIFIERS[node] = check
        return check

    return register
