"""Names that stand where a type has to be, and types where a name has to be."""

from __future__ import annotations

import functools

from voltac.messages.suggestions import suggestion
from voltac.syntax.literals import short
from voltac.syntax.recovery.cursor import Cursor
from voltac.syntax.recovery.editor import SETTLED, Editor, Repair
from voltac.syntax.recovery.guess import Finding, Guess, Tried, advice

_BEHIND_VALUES = frozenset((
    ".", "->", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--", "[",
    "+", "-", "/", "%", "==", "!=", "<=", ">=", "&&", "||", "?", "|", "^",
))  # fmt: skip
"""What can stand behind a variable and not behind a type."""


# --- unknown types


@functools.lru_cache(maxsize=1)  # all guesses about one error ask for it
def _unknown_type(cursor: Cursor) -> int:
    """The token that is an identifier where a type has to be, if that is what is wrong; else -1."""
    texts, token = cursor.texts, cursor.token
    if cursor.is_plain(cursor.text) and cursor.text not in cursor.names.variables:
        if cursor.accepts_type and not cursor.accepts_name:
            following, before = cursor.following, cursor.previous
            if cursor.kinds[following] == cursor.kinds.identifier or following in ("*", "&") or before == "new":
                return token
            if following == "(" and texts[token + 2] == "*":
                return token
            if following in (",", ")") and before in ("const", "uniform", "varying"):
                return token
    named, is_cast = _type_in_front(cursor)
    if named < 0 or not cursor.is_plain(texts[named]) or texts[named] in cursor.names.variables:
        return -1
    if is_cast:
        is_call = named > 1 and cursor.is_value(texts[named - 2])
        return named if texts[named - 1] == "(" and not is_call else -1
    if cursor.spans[named].line != cursor.spans[token].line:
        return -1
    first = named
    while first > 0 and (cursor.is_specifier(texts[first - 1]) or texts[first - 2 : first - 1] == ["extern"]):
        first -= 1
    if first > 0 and texts[first - 1] == ">" and cursor.first_word == "template":
        return named
    if first > 2 and texts[first - 1] == "{" and texts[first - 3] == "extern":
        return named
    if first == cursor.context_start or (first > 0 and texts[first - 1] in ("(", ",")):
        return named
    return -1


def _type_in_front(cursor: Cursor) -> tuple[int, bool]:
    """The token that would be a type if the text up to the error were a declaration or, then True, a cast; or -1."""
    texts, token, text, previous = cursor.texts, cursor.token, cursor.text, cursor.previous
    is_named = cursor.is_value(text) or (cursor.is_type(text) and cursor.terminal(text) != "ATOMIC")
    if previous == ")" and (is_named or text[:1].isdigit()):
        return token - 2, True
    if previous == "(" and text == "*":
        return token - 2, False
    if previous == ")" and text == "(" and texts[token - 4 : token - 2] == ["(", "*"]:
        return token - 5, False
    if is_named or text in ("*", "&"):
        return token - 1, False
    behind = token - (text == "=" and cursor.is_value(previous))
    if behind == token and text != ")" and not cursor.is_specifier(text):
        return -1, False
    position = behind - 1
    while position >= 0 and (texts[position] in ("*", "&") or cursor.is_specifier(texts[position])):
        position -= 1
    if position + 1 == behind or texts[position + 1] not in ("*", "&"):
        return -1, False
    return position, text == ")"


def _make_known(cursor: Cursor, named: int) -> Repair:
    """Read a name as a type from here on, and its declaration again."""

    def run(editor: Editor) -> int:
        editor.add_unknown_type(cursor.texts[named])
        editor.be_quiet(named, SETTLED)
        return named if named == cursor.token else editor.rewind()

    return run


def _unknown(cursor: Cursor) -> Finding | None:
    named = _unknown_type(cursor)
    if named < 0:
        return None
    name = cursor.texts[named]
    known = [*cursor.names.types(), *cursor.tables.spellings["ATOMIC"]]
    return Finding(_make_known(cursor, named), named, {"name": short(name), "suggestion": suggestion(name, known)})


def _foreign_type(name: str, example: str, remedy: str) -> Guess:
    """A word of another language where a type has to be."""

    def apply(cursor: Cursor) -> Finding | None:
        named = _unknown_type(cursor)
        return Finding(_make_known(cursor, named), named) if named >= 0 and cursor.texts[named] == name else None

    return Guess(f"'{name}'", example, remedy, apply, Tried.CORRECTION)


_VECTORS = tuple((kind, count) for kind in ("float", "double", "half", "int", "uint", "bool") for count in "234")
"""Names of short vectors in other languages, type and length."""

FOREIGN_TYPES = (
    *(
        _foreign_type(
            f"{kind}{count}",
            f"void f() {{ ¦{kind}{count} a; }}",
            f"there is no type '{kind}{count}' in this language; write '{'float16' if kind == 'half' else kind}<{count}>'",
        )
        for kind, count in _VECTORS
    ),
    *(
        _foreign_type(name, f"void f() {{ ¦{name} a; }}", f"there is no type '{name}' in this language; write '{instead}'")
        for name, instead in {"char": "int8", "short": "int16", "long": "int64", "half": "float16", "string": "int8 *"}.items()
    ),
    *(
        _foreign_type(
            name, f"void f() {{ ¦{name} a = 3; }}", f"syntax error: '{name}' is no type; write the type of the variable"
        )
        for name in ("auto", "let", "var")
    ),
    *(
        _foreign_type(
            name,
            f"¦{name} f(int a) {{ return a; }}",
            "syntax error: a function begins with the type of its result: 'float name(float parameter)'",
        )
        for name in ("function", "def", "func", "fn")
    ),
    _foreign_type(
        "using",
        "¦using namespace std;\nint f() { return 1; }",
        "syntax error: there is no 'using'; write 'typedef type name;', and names without their namespace",
    ),
)


def _undefined_macro(cursor: Cursor) -> Finding | None:
    """A name in front of a declaration that has its type, as a macro leaves it that is not defined. It is read as one more
    type from here on, which the declaration does without: told once."""
    if cursor.is_plain(cursor.text) and cursor.accepts_type and not cursor.accepts_name:
        named, following = cursor.token, cursor.following
    elif cursor.token and cursor.is_plain(cursor.previous) and cursor.is_specifier(cursor.first_word):
        named, following = cursor.token - 1, cursor.text
        words = cursor.texts[cursor.context_start : named]
        if not all(cursor.is_specifier(word) for word in words):
            return None
    else:
        return None
    name = cursor.texts[named]
    if name in cursor.names.variables or not cursor.begins_type(following):
        return None
    return Finding(_make_known(cursor, named), named, {"name": short(name)})


UNDEFINED_MACROS = (
    Guess(
        "a macro that is not defined",
        "¦API void f();\nstatic API int g();\nint h() { return g(); }",
        "'$name' is nothing that can stand in front of a declaration; if it is a macro, it is not defined (#define, -D$name=)",
        _undefined_macro,
        Tried.CORRECTION,
    ),
)
UNKNOWN = (
    Guess("an unknown type", "void f() { ¦Vector a; a = 4; }", "unknown type '$name'$suggestion", _unknown, Tried.CORRECTION),
)


# --- variables taken for unknown types


def _value_taken_for_type(cursor: Cursor) -> Finding | None:
    """A name that was told to be an unknown type is declared or used as a variable here: it is none from here on."""
    token = cursor.token
    if _is_unknown(cursor, cursor.text) and cursor.accepts_name:
        named = token if cursor.following and cursor.following not in ("(", "*", "&") else -1
    elif not _is_unknown(cursor, cursor.previous):
        return None
    else:
        declared = cursor.text in (",", ";", ")") and token > 1 and cursor.is_type(cursor.texts[token - 2])
        named = token - 1 if declared or cursor.text in _BEHIND_VALUES else -1
    if named < 0:
        return None

    def run(editor: Editor) -> int:
        editor.parse.names.forget_type(editor.parse.texts[named])
        return token if named == token else editor.rewind()

    return Finding(run, named)


def _is_unknown(cursor: Cursor, name: str) -> bool:
    return name in cursor.unknown_types and name not in cursor.names.variables


VALUES = (
    Guess(
        "a variable taken for an unknown type",
        "void f(int a) { ¦b * a = 3; b = a; b += a; }",
        "",
        _value_taken_for_type,
        Tried.CORRECTION,
    ),
)


# --- types where a name has to be


def _named_like_type(cursor: Cursor) -> int:
    """The type's name that a variable or function is declared with where the error is, or -1."""
    texts, token, text, previous = cursor.texts, cursor.token, cursor.text, cursor.previous
    type_name = cursor.kinds.type_name
    if token > 1 and text in ("=", ",", ";", "[", "(", ")") and cursor.kind_at(token - 1) == type_name:
        if cursor.accepts_name and (text != "[" or cursor.begins_type(texts[token - 2])):
            return token - 1
    if token > 2 and previous == "(" and cursor.kind_at(token - 2) == type_name:
        if cursor.begins_type(texts[token - 3]) and (text == ")" or cursor.begins_type(text)):
            return token - 2
    if token and cursor.kind_at(token) == type_name and previous in ("(", ","):
        if cursor.following in ("=", ")", "in") and texts[max(0, cursor.context_start)].startswith("foreach"):
            return token
    return -1


def _declared_like_type(cursor: Cursor) -> Finding | None:
    named = _named_like_type(cursor)
    if named < 0:
        return None
    name = cursor.texts[named]

    def run(editor: Editor) -> int:
        start = editor.rewind()
        editor.parse.names.hide_type(name)
        return start

    return Finding(None if cursor.context_name == "external" else run, words={"name": short(name)})


NAMED_LIKE_TYPES = (
    advice(
        "a name that is a type's",
        "typedef float T;\nvoid f() { int T ¦= 3; T += 1; }",
        "'$name' is the name of a type, and nothing else can be called so",
        _declared_like_type,
    ),
)


# --- a type is missing


def _in_front_of_specifiers(cursor: Cursor) -> str:
    """What stands in front of the words that end at the error, as of a cast or member without a type."""
    first = cursor.token - 1
    while first >= 0 and cursor.is_specifier(cursor.texts[first]):
        first -= 1
    return cursor.texts[first] if first >= 0 else ""


def _is_behind_specifier(cursor: Cursor) -> bool:
    return cursor.text in ("=", ",", ";", "[", "(", ")", "*", "&", ">") and cursor.is_specifier(cursor.previous)


def _specifier_without_type(cursor: Cursor) -> Finding | None:
    if _is_behind_specifier(cursor) and _in_front_of_specifiers(cursor) in ("(", "new", "<", "{", ";"):
        return Finding(words={"word": cursor.previous})
    return None


def _specifier_as_name(cursor: Cursor) -> Finding | None:
    return Finding(words={"word": cursor.previous}) if _is_behind_specifier(cursor) else None


def _keyword_as_name(cursor: Cursor) -> Finding | None:
    return Finding(words={"word": cursor.text}) if cursor.is_keyword(cursor.text) and cursor.accepts_name else None


KEYWORDS_AS_NAMES = (
    advice(
        "a keyword as a name",
        "int f() { float ¦in = 3; in += 1; return in; }",
        "'$word' is a keyword, it cannot be used as a name",
        _keyword_as_name,
    ),
    advice(
        "a specifier without a type",
        "int f(int a) { return (uniform¦)a; }",
        "a type is missing after '$word'",
        _specifier_without_type,
    ),
    advice(
        "a specifier as a name",
        "int f() { int task ¦= 3; return task + 1; }",
        "'$word' is a keyword, it cannot be used as a name",
        _specifier_as_name,
    ),
)


def _declarator_without_type(cursor: Cursor) -> Finding | None:
    if cursor.context_name == "external" and cursor.context_start < 0:
        if cursor.is_plain(cursor.text) and cursor.following in ("=", ";", "[", ",", "("):
            return Finding(words={"name": short(cursor.text)})
    return None


WITHOUT_TYPE = (
    advice(
        "a declaration without a type",
        "¦x = 3;\nint f() { return x; }",
        "a type is missing in front of '$name'",
        _declarator_without_type,
    ),
)
