"""What stands where it cannot, has nothing to belong to, or lacks its end."""

from __future__ import annotations

from voltac.messages.suggestions import suggestion
from voltac.syntax.lexer import is_name
from voltac.syntax.literals import short
from voltac.syntax.recovery.cursor import CLOSING, STATEMENT_STARTS, Cursor
from voltac.syntax.recovery.editor import edit
from voltac.syntax.recovery.guess import Finding, advice
from voltac.syntax.recovery.unclosed_blocks import bracket_words

_CONDITIONAL = ("if", "cif", "while", "cwhile", "switch")


# --- what has nothing to belong to


def _ends_in_front_of_else(cursor: Cursor) -> bool:
    """Whether the statement in front of an ``else`` lacks its end."""
    return cursor.text == "else" and cursor.previous not in (";", "{", "}") and cursor.accepts_text(";")


def _else_alone(cursor: Cursor) -> Finding | None:
    if cursor.text != "else" or _ends_in_front_of_else(cursor):
        return None
    return Finding(edit(cursor.token, cursor.token + 1, []) if cursor.context_name == "statement" else None)


def _template_default(cursor: Cursor) -> bool:
    return cursor.text == "=" and cursor.accepts_text(">") and not cursor.accepts_text("<")


def _unclosed_in_front(cursor: Cursor) -> Finding | None:
    """A closing bracket where another one is open."""
    opener = cursor.unclosed_bracket
    if cursor.text not in CLOSING or opener < 0 or cursor.texts[opener] == CLOSING[cursor.text]:
        return None
    return Finding(words=bracket_words(cursor, opener)) if cursor.text == "}" or cursor.texts[opener] != "{" else None


def _nothing_to_close(cursor: Cursor) -> Finding | None:
    opener = cursor.unclosed_bracket
    if cursor.text in CLOSING and (opener < 0 or cursor.texts[opener] != CLOSING[cursor.text]):
        return Finding(words={"opening": CLOSING[cursor.text]})
    return None


ALONE = (
    advice(
        "an 'else' without an 'if'",
        "void f(int a) { a = 1; ¦else a = 2; }",
        "there is no 'if' for it to belong to",
        _else_alone,
    ),
    advice(
        "a default of a template parameter",
        "template <typename T ¦= int> T f(T a) { return a; }",
        "a template parameter cannot have a default",
        _template_default,
    ),
    advice(
        "a bracket that is closed by another one",
        "int f(int a) { return (a + 1 ¦}\nint g() { return 1; }",
        "the '$bracket' in line $line, column $column is not closed",
        _unclosed_in_front,
    ),
    advice(
        "a bracket that closes nothing",
        "int f(int a) { return a¦); }",
        "there is no '$opening' for it to close",
        _nothing_to_close,
    ),
)


# --- the end of a statement is missing


def _missing_end(cursor: Cursor) -> Finding | None:
    """A statement or declaration could end in front of a line or '}'."""
    if not cursor.token or cursor.text == ";" or cursor.context_start < 0 or not cursor.accepts_text(";"):
        return None
    if cursor.text != "}" and not cursor.begins_line(cursor.token) and not _ends_in_front_of_else(cursor):
        return None
    text = "{" if _has_indented_body(cursor) else ";"
    words = {"missing": text, "previous": short(cursor.previous), "line": cursor.spans[cursor.token - 1].line}
    return Finding(edit(cursor.token, cursor.token, [text]), words=words)


def _has_indented_body(cursor: Cursor) -> bool:
    if not cursor.is_behind_function_head or not cursor.accepts_text("{"):
        return False
    return cursor.spans[cursor.token].column > cursor.spans[cursor.context_start].column


MISSING_ENDS = (
    advice(
        "a ';' or '{' at the end of a line",
        "int f(int a) {\n    a = 3\n    ¦return a;\n}",
        "is a '$missing' missing after '$previous' in line $line?",
        _missing_end,
    ),
)


# --- where it cannot stand


def _in_parentheses(cursor: Cursor) -> tuple[str, bool]:
    """What stands in front of the '(' that the error follows, and whether a rate stands between; empty if none does."""
    bracket = cursor.token - 1
    while cursor.texts[bracket] in ("uniform", "varying"):
        bracket -= 1
    if bracket < 1 or cursor.texts[bracket] != "(":
        return "", False
    return cursor.texts[bracket - 1], bracket < cursor.token - 1


def _cast_as_operand(cursor: Cursor) -> Finding | None:
    operator, _ = _in_parentheses(cursor)
    if operator in ("*", "&", "++", "--") and cursor.begins_type(cursor.text):
        return Finding(words={"operator": operator})
    return None


CASTS = (
    advice(
        "a cast as the operand of a pointer's operator",
        "int f(uniform int a[]) { return *(¦int * uniform)a; }",
        "the operand of '$operator' cannot be a cast; write '$operator((type)value)'",
        _cast_as_operand,
    ),
)


def _condition_declares(cursor: Cursor) -> bool:
    word, has_rate = _in_parentheses(cursor)
    declares = cursor.begins_type(cursor.text) or cursor.text == "enum" or (has_rate and is_name(cursor.text))
    return word in _CONDITIONAL and declares


def _unknown_template(cursor: Cursor) -> Finding | None:
    if cursor.is_plain(cursor.text) and cursor.accepts(cursor.kinds.template_name) and not cursor.accepts_name:
        known = suggestion(cursor.text, cursor.names.templates())
        return Finding(words={"name": short(cursor.text), "suggestion": known})
    return None


def _statement_outside(cursor: Cursor) -> bool:
    if cursor.context_name != "external" or cursor.context_start >= 0:
        return False
    return cursor.text in STATEMENT_STARTS or cursor.is_loose_statement(cursor.token)


def _statement_behind_brace(cursor: Cursor) -> Finding | None:
    if cursor.previous != "}" or not _statement_outside(cursor):
        return None
    return Finding(words={"line": cursor.spans[cursor.token - 1].line})


CONDITIONS = (
    advice(
        "a declaration as a condition",
        "void f(int a) { if (¦int b = a) b = 3; }",
        "a condition cannot declare a variable; declare it in front",
        _condition_declares,
    ),
)

TEMPLATES = (
    advice(
        "an unknown template",
        "template <> int ¦g<int>(int a) { return a; }",
        "there is no template '$name'$suggestion",
        _unknown_template,
    ),
)

OUTSIDE = (
    advice(
        "a statement behind a brace too many",
        "void f(int a) {\n    if (a > 1) { a = 1; } }\n    ¦a = 2;\n    return;\n}",
        "a statement cannot stand outside of a function; is the '}' in line $line one too many?",
        _statement_behind_brace,
    ),
    advice(
        "a statement outside of a function",
        "¦return 3;\nint f() { return 1; }",
        "a statement cannot stand outside of a function",
        _statement_outside,
    ),
)
