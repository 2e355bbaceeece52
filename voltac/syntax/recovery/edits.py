"""Small changes: tokens put in, taken out or changed where the rest of the statement can be read then."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from voltac.records import record
from voltac.syntax.lexer import MISSING
from voltac.syntax.literals import short
from voltac.syntax.recovery.cursor import CLOSING, ENDS, INVENTED, INVENTED_TYPE, Cursor
from voltac.syntax.recovery.editor import Editor, Repair, edit
from voltac.syntax.recovery.guess import Finding, Guess, advice
from voltac.syntax.recovery.placement import MISSING_ENDS
from voltac.syntax.recovery.words import doubled

Change = Callable[[Cursor], tuple[int, Sequence[str]] | None]
"""How many tokens are taken out at the error, and what is put in there; None where the change makes no sense."""


@record(eq=False)
class Edit:
    """A change of tokens that may be what was meant."""

    change: Change
    message: str = ""
    """What is asked or advised; empty where an earlier guess always says more."""
    name: str = ""
    example: str = ""

    def repair(self, cursor: Cursor) -> Repair | None:
        """The change, if the parser gets on with it."""
        change = self.change(cursor)
        if change is None or not cursor.fits(*change):
            return None
        removed, texts = change
        repair = edit(cursor.token, cursor.token + removed, texts)
        return _with_invented_type(repair) if INVENTED_TYPE in texts else repair

    def guess(self) -> Guess:
        """The row of the table: it fits where the change does."""

        def apply(cursor: Cursor) -> Finding | None:
            repair = None if _is_outside(cursor) else self.repair(cursor)
            words = {"token": short(cursor.text), "following": short(cursor.following)}
            return Finding(repair, words=words) if repair is not None else None

        return advice(self.name, self.example, self.message, apply)


def _with_invented_type(repair: Repair) -> Repair:
    def run(editor: Editor) -> int:
        editor.add_unknown_type(INVENTED_TYPE)
        return repair(editor)

    return run


def _is_outside(cursor: Cursor) -> bool:
    """Whether the error is a statement at file scope, which no small change makes a declaration."""
    return cursor.context_name == "external" and cursor.is_loose_statement(cursor.token)


def first_edit(cursor: Cursor) -> Repair | None:
    """The first small change with which the statement can be read on."""
    if doubled(cursor):
        return edit(cursor.token, cursor.token + 1, [])
    for guess in MISSING_ENDS:
        mistake = guess.apply(cursor)
        if mistake is not None:
            return mistake.repair
    return _first_of(cursor, EDITS)


def _first_of(cursor: Cursor, edits: Sequence[Edit]) -> Repair | None:
    if _is_outside(cursor):
        return None
    return next((repair for edit in edits if (repair := edit.repair(cursor)) is not None), None)


# --- what is tried


def _in_function(text: str) -> str:
    return f"int f(int a, int b, uniform int c[]) {{ {text} return a; }}"


def _insert(texts: str, name: str, example: str, message: str = "", fits: Callable[[Cursor], bool] | None = None) -> Edit:
    parts = texts.split()
    change = (0, parts)
    message = message or f"is '{texts}' missing here?"
    return Edit(lambda cursor: change if fits is None or fits(cursor) else None, message, name, example)


def _exchange(text: str, instead: str, example: str) -> Edit:
    change = (1, [instead])
    message = f"write '{instead}' instead of '{text}'"
    return Edit(lambda cursor: change if cursor.text == text else None, message, f"'{text}' for '{instead}'", example)


def _unclosed_block(cursor: Cursor) -> bool:
    """Whether a brace was opened in the statement, and not by a linkage's string."""
    brace = cursor.unclosed_bracket
    if not brace > cursor.context_start >= 0:
        return False
    return cursor.texts[brace] == "{" and cursor.texts[brace - 1][0] != '"'


def _attribute(cursor: Cursor) -> tuple[int, Sequence[str]] | None:
    if cursor.text != "__attribute__":
        return None
    depth, end, texts = 0, cursor.token + 1, cursor.texts
    while texts[end] and (depth or end == cursor.token + 1) and texts[end] not in ENDS:
        depth += (texts[end] == "(") - (texts[end] == ")")
        end += 1
    return end - cursor.token, []


def _swap(cursor: Cursor) -> tuple[int, Sequence[str]] | None:
    text, following = cursor.text, cursor.following
    return (2, [following, text]) if following and (following in CLOSING or text in CLOSING) else None


_REMOVAL = Edit(
    lambda cursor: (1, []) if cursor.text not in CLOSING else None,
    "is '$token' one too many?",
    "a token too many",
    _in_function("a = b ¦~;"),
)

EDITS: tuple[Edit, ...] = (
    Edit(lambda cursor: (0, ["["]) if cursor.text == "]" else None),
    Edit(
        lambda cursor: (1, []) if cursor.text in CLOSING else None,
        "is '$token' one too many?",
        "a bracket too many",
        _in_function("for ¦} (;;) { break; }"),
    ),
    Edit(_attribute),
    _insert(
        ">",
        "a '>' is missing",
        "template <typename A ¦void f(A a) { }\nvoid g() { f(1); }",
        fits=lambda cursor: cursor.accepts_text(">") and not cursor.accepts_text("<"),
    ),
    Edit(lambda cursor: (1, [INVENTED]) if cursor.text[0].isdigit() and cursor.accepts_name else None),
    _insert(
        INVENTED_TYPE,
        "a type that is not known, or none",
        "typedef int (*T)(¦Foo);\nvoid f(T a) { a(3); }",
        "'$token' is no type that is known, or a type is missing in front of it",
        lambda cursor: cursor.is_plain(cursor.text) and cursor.accepts_type,
    ),
    _insert(
        "{",
        "a function's '{' is missing",
        "void f(int a) ¦if (a > 1) { a = 1; } }\nint b;",
        fits=lambda cursor: cursor.is_behind_function_head and cursor.context_name == "external",
    ),
    _insert(",", "a ',' is missing", "int f(int a ¦int b) { return a + b; }"),
    _insert(")", "a ')' is missing", _in_function("a = (a + b¦;")),
    _insert("]", "a ']' is missing", _in_function("a = c[b¦;")),
    _insert(";", "a ';' is missing", _in_function("int d = 3 ¦int e = 4; a = d + e;")),
    _insert("(", "a '(' is missing", _in_function("if ¦a > b) { a = b; }")),
    _insert(":", "a ':' is missing", _in_function("switch (a) { case 1 ¦a = 2; break; }")),
    _insert(MISSING, "a value is missing", _in_function("a = b + ¦;"), "a value is missing here"),
    _insert(
        "while", "a 'while' is missing", _in_function("do { a--; } ¦(a > 1);"), "a 'do' loop ends with 'while (condition);'"
    ),
    _insert(
        f"while ( {MISSING} ) ;",
        "the end of a 'do' loop is missing",
        _in_function("while (a > 1) do { a--; }\n¦a = 2;"),
        "a 'do' loop ends with 'while (condition);'",
    ),
    _insert(INVENTED, "a name is missing", "struct S { int a; };\nvoid f(S s) { s.¦; }", "a name is missing here"),
    _insert("}", "a '}' is missing", "const int a[] = { 1, 2, 3¦;\nint f() { return a[0]; }", fits=_unclosed_block),
    Edit(
        _swap,
        "should it be '$following $token'?",
        "two tokens in the wrong order",
        _in_function("for (int i = 0; i < b; ++i¦; ) { a += i; }"),
    ),
    _REMOVAL,
    _exchange(";", ",", "void f(int a¦; int b) { a = b; }"),
    _exchange(";", ")", "void f(int a¦; { a = 1; }"),
    _exchange(",", ";", _in_function("while (a > 1) { break¦, a = 2; }")),
    _exchange("==", "=", _in_function("int d ¦== 5; a = d;")),
    _exchange("=", "==", _in_function("a * b ¦= 3;")),
    _exchange(".", ",", _in_function("int d¦.e; a = 3;")),
    _exchange(":", ";", _in_function("int d ¦: 3; a = 4;")),
    _exchange(":", "=", _in_function("foreach (i ¦: 0 ... b) { c[i] = a; }")),
    Edit(lambda cursor: (1, [")"]) if cursor.text == "}" else None),
    Edit(lambda cursor: (1, [INVENTED]) if cursor.is_keyword(cursor.text) else None),
)


DIGITS = (
    advice(
        "a name that begins with a digit",
        "void f() { int ¦3a = 3; }",
        "a name cannot begin with a digit",
        lambda cursor: cursor.text[0].isdigit() and cursor.accepts_name,
    ),
)


def _twice(cursor: Cursor) -> Finding | None:
    """A token stands there twice, and it can be taken out, or nothing else helps; of two dots later guesses say more."""
    text = cursor.text
    if not text or text != cursor.previous or text in CLOSING or text == ".":
        return None
    if not doubled(cursor):
        before = EDITS[: EDITS.index(_REMOVAL)]
        if (
            any(guess.apply(cursor) for guess in MISSING_ENDS)
            or _first_of(cursor, before)
            or not _first_of(cursor, (_REMOVAL,))
        ):
            return None
    return Finding(edit(cursor.token, cursor.token + 1, []), words={"token": short(text)})


TWICE = (
    advice("a token twice", _in_function("a = b ¦b;"), "is '$token' one too many?", _twice),
)  # fmt: skip
SMALL_CHANGES = tuple(edit.guess() for edit in EDITS if edit.message)
