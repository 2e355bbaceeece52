"""``.if`` and its like: which lines of a text are assembled."""

from __future__ import annotations

from collections.abc import Callable

from voltac.codegen.assembly.lines import BadStatement, LinePiece, SourceLine
from voltac.codegen.assembly.state import AssemblyState
from voltac.records import field, mutable_record


@mutable_record(eq=False)
class _Group:
    """A condition that is open."""

    line: SourceLine
    outer: bool
    """The text around it is assembled."""
    taken: bool
    """One of its parts has been."""
    reading: bool
    closed: bool = False
    """``.else`` has been seen."""


@mutable_record(eq=False)
class ConditionStack:
    """The conditions that are open, the innermost last."""

    groups: list[_Group] = field(default_factory=list)

    @property
    def reading(self) -> bool:
        """Whether lines are assembled now."""
        return not self.groups or self.groups[-1].reading

    def open(self, word: str, rest: LinePiece, state: AssemblyState) -> None:
        """``.if``, ``.ifdef`` ..."""
        # A condition that is wrong is open all the same, and none of its parts is assembled.
        group = _Group(state.line, self.reading, True, False)
        self.groups.append(group)
        group.taken = group.reading = group.outer and _TESTS[word](state, rest)

    def go_on(self, word: str, rest: LinePiece, state: AssemblyState) -> None:
        """``.elseif``, ``.else``, ``.endif``."""
        if not self.groups:
            raise BadStatement(f"'{word}' without '.if'")
        group = self.groups[-1]
        if word == ".endif":
            self.groups.pop()
            return
        if group.closed:
            raise BadStatement(f"'{word}' behind '.else'")
        group.closed = word == ".else"
        wanted = group.outer and not group.taken
        group.reading = wanted and (group.closed or _number(state, rest) != 0)
        group.taken = group.taken or group.reading


def _number(state: AssemblyState, rest: LinePiece) -> int:
    if not rest.text:
        raise BadStatement("a condition is missing")
    return state.known_number(rest, "a condition")


def _compared(holds: Callable[[int], bool]) -> Callable[[AssemblyState, LinePiece], bool]:
    return lambda state, rest: holds(_number(state, rest))


def _defined(state: AssemblyState, rest: LinePiece) -> bool:
    if not rest.text:
        raise BadStatement("the name of a symbol is missing")
    return rest.text in state.labels or rest.text in state.assigned


def _same(state: AssemblyState, rest: LinePiece) -> bool:
    left, comma, right = _two_texts(rest.text)
    if not comma:
        raise rest.wrong("here stand two texts with a comma between them")
    return left == right


def _two_texts(text: str) -> tuple[str, str, str]:
    if text.startswith(('"', "'")):
        end = text.find(text[0], 1)
        left, rest = text[1:end], text[end + 1 :]
        comma = rest.lstrip()[:1]
        right = rest.lstrip()[1:]
    else:
        left, comma, right = text.partition(",")
    return left.strip(), "," if comma == "," else "", right.strip().strip("\"'")


_TESTS: dict[str, Callable[[AssemblyState, LinePiece], bool]] = {
    ".if": _compared(lambda number: number != 0),
    ".ifne": _compared(lambda number: number != 0),
    ".ifeq": _compared(lambda number: number == 0),
    ".ifgt": _compared(lambda number: number > 0),
    ".ifge": _compared(lambda number: number >= 0),
    ".iflt": _compared(lambda number: number < 0),
    ".ifle": _compared(lambda number: number <= 0),
    ".ifdef": _defined,
    ".ifndef": lambda state, rest: not _defined(state, rest),
    ".ifnotdef": lambda state, rest: not _defined(state, rest),
    ".ifb": lambda state, rest: not rest.text,
    ".ifnb": lambda state, rest: bool(rest.text),
    ".ifc": _same,
    ".ifeqs": _same,
    ".ifnc": lambda state, rest: not _same(state, rest),
    ".ifnes": lambda state, rest: not _same(state, rest),
}
OPENING = frozenset(_TESTS)
"""Directives that begin a condition."""
GOING_ON = frozenset((".elseif", ".else", ".endif"))
"""Those that belong to one that is open."""
