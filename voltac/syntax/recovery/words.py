"""Words of other languages, misspelt keywords, operators' names: a token is read as another one."""

from __future__ import annotations

import re
from collections.abc import Callable

from voltac.messages.message import Expanded
from voltac.syntax.lexer import OPERATOR_NAME
from voltac.syntax.recovery.cursor import Cursor
from voltac.syntax.recovery.editor import Editor, edit
from voltac.syntax.recovery.guess import Finding, Guess, Tried

ELSE_IF_WORDS = ("elif", "elsif", "elseif")


def _word(
    word: str, remedy: str, instead: str, example: str, fits: Callable[[str], bool] = lambda before: True, name: str = ""
) -> Guess:
    """A word that is replaced where it does not fit, unless a variable has its name; ``fits`` gets the token before it."""

    def apply(cursor: Cursor) -> Finding | None:
        if word not in (cursor.text, cursor.previous) or word in cursor.names.variables:
            return None
        place = cursor.token - (cursor.text != word)
        if not fits(cursor.texts[place - 1] if place else ""):
            return None
        return Finding(edit(place, place + 1, instead.split(), reread=place < cursor.token, settled=2), place)

    return Guess(name or f"'{word}'", example, f"syntax error: found $found; {remedy}", apply, Tried.CORRECTION)


def _in_function(text: str) -> str:
    return f"int f(int a, int b) {{ {text} return a; }}"


def _enum_class(cursor: Cursor) -> Finding | None:
    """``enum class`` is read as an enumeration ``class``, and what follows as a variable's or function's name."""
    for start in (cursor.function_start, cursor.context_start):
        if start >= 0 and cursor.texts[start : start + 2] == ["enum", "class"]:

            def run(editor: Editor, start: int = start) -> int:
                editor.cut(editor.parse.starts.index(start))
                editor.parse.names.close_from(start)
                editor.replace(start + 1, start + 2, [])
                return start

            return Finding(run, start + 1)
    return None


FOREIGN: tuple[Guess, ...] = (
    Guess(
        "'enum class'",
        "enum ¦class E { A, B };\nint f() { return A; }",
        "syntax error: found $found; enumerations have no scope of their own; write 'enum'",
        _enum_class,
        Tried.CORRECTION,
    ),
    _word(
        "class",
        "write 'typename' for a type parameter",
        "typename",
        "template <¦class A> A f(A a) { return a; }",
        lambda before: before in ("<", ","),
        "'class' of a type parameter",
    ),
    _word("class", "there are no classes; write 'struct'", "struct", "¦class S { int a; };"),
    _word("union", "there are no unions; write 'struct'", "struct", "¦union S { int a; };"),
    _word("constexpr", "write 'const'", "const", "¦constexpr int n = 3;"),
    _word("volatile", "there is no 'volatile'; leave it out", "", _in_function("¦volatile int c;")),
    _word("register", "there is no 'register'; leave it out", "", _in_function("¦register int c;")),
    *(
        _word(
            word,
            "leave it out; parameters point to different objects in any case",
            "",
            f"void f(float * ¦{word} a) {{ *a = 1; }}",
        )
        for word in ("restrict", "__restrict", "__restrict__")
    ),
    _word("virtual", "there are no methods; leave this out", "", "¦virtual int f() { return 1; }"),
    _word("friend", "there are no classes; leave this out", "", "struct S { ¦friend int a; };"),
    _word("then", "there is no 'then'; leave it out", "", _in_function("if (a > b) ¦then a = b;")),
    _word("and", "write '&&'", "&&", _in_function("if (a ¦and b) a = b;")),
    _word("or", "write '||'", "||", _in_function("if (a ¦or b) a = b;")),
    _word("not", "write '!'", "!", _in_function("if (¦not a) a = b;")),
    *(
        _word(word, "write 'else if'", "else if", _in_function(f"if (a) {{ a = b; }} ¦{word} b {{ a = 2; }}"))
        for word in ELSE_IF_WORDS
    ),
    _word("noexcept", "leave it out", "", "int f(int a) ¦noexcept { return a; }"),
    _word("override", "leave it out", "", "int f(int a) ¦override { return a; }"),
)


def _operator_apart(cursor: Cursor) -> Finding | None:
    """The name of an operator stands there with the blank that C++ allows: it is read as one token."""
    token = cursor.token
    name = "operator" + cursor.text
    if cursor.previous != "operator" or not re.fullmatch(OPERATOR_NAME, name):
        return None
    return Finding(edit(token - 1, token + 1, [name], reread=True), token, {"name": name}, macro=token - 1)


def _operator_apart_in_macro(cursor: Cursor) -> Finding | None:
    """The same where the operator is a parameter of a macro: it has a place of its own."""
    before = cursor.spans[cursor.token - 1]
    return _operator_apart(cursor) if isinstance(before, Expanded) and before != cursor.spans[cursor.token] else None


def doubled(cursor: Cursor) -> bool:
    """Whether a token that stands there twice in one line can be taken out, and the rest can be read then."""
    text = cursor.text
    if not text or text != cursor.previous or cursor.begins_line(cursor.token) or text in (",", ")", "]"):
        return False
    if text == "}" and cursor.context_start < 0:
        return False
    return cursor.fits(1, [])


_OPERATOR = "syntax error: found $found; the name of an operator has no blank in it: write '$name'"
_VECTOR = "struct V { float x; };\n"

OPERATORS = (
    Guess(
        "an operator's name with a blank, in a macro",
        _VECTOR + "#define D(op) V operator op(V a, V b) { V r = { a.x op b.x }; return r; }\nD(¦+)",
        _OPERATOR + " (in a macro, 'operator##op' with its parameter 'op')",
        _operator_apart_in_macro,
        Tried.CORRECTION,
    ),
    Guess(
        "an operator's name with a blank",
        _VECTOR + "V operator ¦+(V a, V b) { V r = { a.x + b.x }; return r; }",
        _OPERATOR,
        _operator_apart,
        Tried.CORRECTION,
    ),
)
