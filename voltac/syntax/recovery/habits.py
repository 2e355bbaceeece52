"""Habits from C++ and elsewhere: what the three tokens around the error, or the statement's first word, tell."""

from __future__ import annotations

from collections.abc import Callable

from voltac.syntax.recovery.cursor import Cursor
from voltac.syntax.recovery.guess import Guess, advice
from voltac.syntax.recovery.words import ELSE_IF_WORDS

NAME, TYPE, ANY = "a name", "a type", ""
"""Kinds of token a pattern may ask for besides spellings."""


def _test(wanted: str) -> Callable[[Cursor, str], bool]:
    """Whether a token is what a pattern asks for."""
    if wanted == NAME:
        return Cursor.is_value
    if wanted == TYPE:
        return Cursor.is_type
    spellings = frozenset(wanted.split())
    return lambda cursor, text: wanted == ANY or text in spellings


def _habit(before: str, found: str, behind: str, say: str, example: str, touching: bool = False) -> Guess:
    """A pattern for the tokens before, at and behind the error: spellings separated by blanks, or a kind of token."""

    fits_before, fits, fits_behind = _test(before), _test(found), _test(behind)

    def apply(cursor: Cursor) -> bool:
        if not fits(cursor, cursor.text) or not fits_before(cursor, cursor.previous):
            return False
        return fits_behind(cursor, cursor.following) and (not touching or cursor.touches)

    name = f"{before or 'anything'}, {found or 'anything'}" + (f", {behind}" if behind else "")
    return advice(name, example, say, apply)


def _in_function(text: str) -> str:
    return f"int f(int a, int b, uniform int c[]) {{ {text} return a; }}"


PATTERNS = (
    # before the error, at the error, behind it, what to say
    _habit("*", "/", ANY, "'*/' ends no comment here; is '/*' missing?", _in_function("*¦/ a = 2;"), touching=True),
    _habit(ANY, "*", "/", "'*/' ends no comment here; is '/*' missing?", "¦*/ int a;", touching=True),
    _habit(
        "launch", "<", ANY, "this is the old 'launch' syntax; drop the angle brackets: 'launch f(x);'",
        "task void t() { }\nvoid f() { launch ¦<t()>; }",
    ),
    _habit("delete", "[", ANY, "write 'delete[]', without a blank", "void f(uniform int * uniform p) { delete ¦[] p; }"),
    _habit(
        "export task", "template", "<", "a template cannot be exported or launched itself; let a function be that, and call it",
        "export ¦template <typename T> void g(uniform T a[]) { }",
    ),
    _habit(
        "static inline noinline unmasked extern", "template", "<", "write this word behind 'template <...>'",
        "static ¦template <typename T> T g(T a) { return a; }",
    ),
    _habit(")", ":", ANY, "a body stands right behind the ')', without ':'", _in_function("if (a > b)¦: a = b;")),
    _habit(ANY, ":", ":", "there are no namespaces; write the name alone", _in_function("a = std¦::max(a, b);")),
    _habit(
        "static_cast reinterpret_cast const_cast dynamic_cast <", TYPE, "> *", "write the cast as in C: '(type)value'",
        _in_function("a = static_cast<¦int>(b);"),
    ),
    _habit("<", TYPE, ANY, "write a cast as in C, '(type)value'; only templates take types in '<>'",
           _in_function("a = cast<¦int, 3>(b);")),
    _habit(ANY, TYPE, "(", "a conversion is written as a cast: '(type)value'", _in_function("a = ¦int(b);")),
    _habit("sync", "(", ANY, "it is a statement: 'sync;'", _in_function("sync¦();")),
    _habit(ANY, "public private protected", ":", "all members are public; leave this out", "struct S { ¦public: int a; };"),
    _habit(ANY, "&&", NAME, "a reference is written with one '&'", _in_function("int ¦&&d = a;")),
    _habit(
        "* uniform varying const", "&", NAME, "a reference to a pointer needs a name for its type: 'typedef type * name;'",
        "void f(int * uniform ¦&p) { }",
    ),
    _habit(TYPE, "*", ANY, "a pointer type is no single word, as is needed here; give it a name: 'typedef type * name;'",
           "void f(int n) { int * uniform p = new int ¦*[n]; }"),
    _habit(TYPE, "[", ANY, "the size of an array stands behind its name: 'type name[size]'", _in_function("int¦[4] d;")),
    _habit("=", ">", ANY, "comparisons are '==', '!=', '<=' and '>='", _in_function("if (a =¦> b) a = b;")),
    _habit("== !=", "=", ANY, "comparisons are '==' and '!=', with two characters", _in_function("if (a ==¦= b) a = b;")),
    _habit("*", "*=", ANY, "a power is written 'pow(x, y)'", _in_function("a *¦*= 2;"), touching=True),
    _habit("=", "< <=", ANY, "comparisons are '<=' and '>=', with '=' last", _in_function("if (a =¦< b) a = b;")),
    _habit("<", ">", ANY, "'not equal' is written '!='", _in_function("if (a <¦> b) a = b;")),
    _habit("?", ":", ANY, "the middle of '?:' cannot be left out", _in_function("a = b ?¦: a;")),
    _habit(")", "-> const", ANY, "nothing can stand between a parameter list and the body", "void f(int a) ¦const { a = 1; }"),
    _habit("struct", "__attribute__", ANY, "the attributes of a struct stand behind its '}'",
           "struct ¦__attribute__((aligned(16))) S { int a; };"),
    _habit(ANY, "__attribute__", ANY, "attributes stand in front of what is declared",
           "int f(int a) ¦__attribute__((noinline)) { return a; }"),
    _habit("sizeof", TYPE, ANY, "write 'sizeof(type)'", _in_function("a = sizeof ¦int;")),
    _habit(".", ".", ANY, "a range is written with three dots: 'first ... last'",
           _in_function("foreach (i = 0 .¦. a) { c[i] = i; }")),
)  # fmt: skip


def _first_word(word: str, remedy: str, example: str) -> Guess:
    """A statement or declaration that begins with a word of another language."""
    return advice(f"'{word}' in front", example, remedy, lambda cursor: cursor.first_word == word)


FIRST_WORDS = (
    _first_word("catch", "there are no exceptions", _in_function("catch (¦...) { a = b; }")),
    _first_word("throw", "there are no exceptions", _in_function("throw ¦3;")),
    _first_word("unless", "write 'if (!(condition))'", _in_function("unless (a > b) ¦{ a = b; }")),
    _first_word("until", "write 'while (!(condition))'", _in_function("until (a > b) ¦{ a = b; }")),
    _first_word("repeat", "write 'do { } while (condition);'", _in_function("repeat ¦{ a = b; }")),
    _first_word("loop", "write 'for (;;)'", _in_function("loop ¦{ a = b; }")),
    _first_word("forall", "write 'foreach'", _in_function("forall (i ¦: c) { a = b; }")),
    _first_word("with", "there is no 'with'", _in_function("with (a) ¦{ a = b; }")),
)

CHOICES = (
    advice(
        "a choice written as in Python",
        _in_function("a = b ¦if a > b else 3;"),
        "a choice is written 'condition ? value : other'",
        lambda cursor: cursor.text == "if" and cursor.following != "(" and cursor.previous not in (";", "{", "}", ")", "else"),
    ),
    advice(
        "several values of a case",
        _in_function("switch (a) { case 1¦, 2: a = b; }"),
        "each value has its own 'case': 'case 1: case 2:'",
        lambda cursor: cursor.first_word == "case" and cursor.text in (",", "..."),
    ),
)

BRACKETS = (
    advice(
        "'delete' with brackets behind",
        "void f(uniform int * uniform p) { delete p[¦]; }",
        "what is freed stands last: 'delete[] p;'",
        lambda cursor: cursor.first_word == "delete" and cursor.previous == "[" and cursor.text == "]",
    ),
    advice(
        "'launch' without a call",
        "task void t() { }\nvoid f(uniform int n) { launch[n] t¦; }",
        "what is launched is a call: 'launch[n] f(x);'",
        lambda cursor: cursor.first_word == "launch" and cursor.text == ";" and cursor.previous != ")",
    ),
    advice(
        "the number of tasks in parentheses",
        "task void t() { }\nvoid f(uniform int n) { launch(n) ¦t(); }",
        "the number of tasks stands in brackets: 'launch[n] f(x);'",
        lambda cursor: cursor.first_word == "launch" and cursor.previous == ")" and cursor.is_value(cursor.text),
    ),
)

ELSE_IF = tuple(
    advice(
        f"'{word}' with a condition",
        _in_function(f"if (a > b) {{ a = b; }} {word} (a > 2) ¦{{ a = 3; }}"),
        "write 'else if'",
        lambda cursor, word=word: cursor.first_word == word and (cursor.text == "{" or cursor.previous == ")"),  # type: ignore[misc]
    )
    for word in ELSE_IF_WORDS
)
