"""Structs, functions and files whose blocks are not closed; loops that a pragma lacks."""

from __future__ import annotations

from voltac.syntax.lexer import MISTAKE
from voltac.syntax.recovery.cursor import ENDS, STATEMENT_STARTS, Cursor
from voltac.syntax.recovery.editor import Editor, Repair
from voltac.syntax.recovery.given_up import mistaken
from voltac.syntax.recovery.guess import Finding, Guess, Tried, advice


def bracket_words(cursor: Cursor, token: int) -> dict[str, object]:
    """What messages say of a bracket."""
    return {"line": cursor.spans[token].line, "column": cursor.spans[token].column, "bracket": cursor.texts[token]}


# --- pragmas


def _pragma_without_loop(cursor: Cursor) -> Finding | None:
    for text in (cursor.text, cursor.previous):
        if text.startswith("#pragma"):
            return Finding(words={"pragma": " ".join(text.split()[:2])})
    return None


PRAGMAS = (Guess("a pragma without a loop", "¦#pragma unroll 4\nint a;", "no loop follows '$pragma'", _pragma_without_loop),)


# --- structs and functions that are not closed, as the indentation shows


def _unclosed_struct(cursor: Cursor) -> Finding | None:
    """A declaration at a struct's members: close the struct in front of it."""
    if cursor.text == "}" or cursor.context_name != "member" or cursor.unclosed_bracket < 0:
        return None
    brace = cursor.unclosed_bracket
    start = cursor.context_start if cursor.context_start >= 0 else cursor.token
    if not cursor.is_outside(start, cursor.line_start(brace)) or cursor.spans[start].line <= cursor.spans[brace].line:
        return None

    def run(editor: Editor) -> int:
        editor.rewind()
        return editor.replace(start, start, ["}", ";"])

    return Finding(run if cursor.text else None, words=bracket_words(cursor, brace))


def _member_function(cursor: Cursor) -> bool:
    return cursor.text == "{" and cursor.previous == ")" and cursor.context_name == "member"


def _nested_function(cursor: Cursor) -> Finding | None:
    """A function in another one: if that is not closed, as the indentation shows, close it."""
    in_statements = cursor.text == "template" and cursor.context_name == "statement"
    if not in_statements and not (cursor.text == "{" and cursor.is_behind_function_head):
        return None
    return Finding(_close_function(cursor), words=bracket_words(cursor, cursor.unclosed_bracket))


def _function_in_block(cursor: Cursor) -> Finding | None:
    return _nested_function(cursor) if cursor.unclosed_bracket >= 0 else None


def _close_function(cursor: Cursor) -> Repair | None:
    outer = cursor.function_start
    start = cursor.token if cursor.text == "template" else cursor.context_start
    if outer < 0 or start < 0 or cursor.context_name != "statement" or not cursor.is_outside(start, outer):
        return None
    if not _is_followed_by_function(cursor, start, cursor.spans[outer].column):
        return None

    def run(editor: Editor) -> int:
        tokens = list(cursor.stacked_tokens())
        texts = [cursor.texts[token] for token in tokens]
        brace = tokens[texts.index("{")]
        # The block ends in front of the first line in it that is not indented: it is read again up to there.
        lines = [token for token in range(brace + 1, start) if cursor.begins_line(token)]
        outside = [token for token in lines if cursor.is_outside(token, outer) and _can_be_outside(cursor, token)]
        end = outside[0] if outside and outside[0] != lines[0] else start
        editor.cut(editor.parse.starts.index(brace) + 1)
        editor.parse.names.close_from(brace)
        editor.replace(end, end, ["}"] * (texts.count("{") - texts.count("}")))
        return brace + 1

    return run


def _can_be_outside(cursor: Cursor, token: int) -> bool:
    """Whether a token at the start of a line could begin a declaration outside of functions."""
    text = cursor.texts[token]
    return text not in ("}", "case", "default") and cursor.texts[token + 1] != ":" and not text.startswith("#")


def _is_followed_by_function(cursor: Cursor, start: int, column: int) -> bool:
    """Whether another function or the end of the file comes behind the one that begins here, not a closing brace."""
    depth, line, begun = 0, start, False
    for token in range(start, len(cursor.texts)):
        if cursor.begins_line(token):
            line = token
        text = cursor.texts[token]
        if text == "{":
            outermost = cursor.spans[line].column <= column and cursor.texts[line] not in STATEMENT_STARTS
            if begun and outermost and cursor.texts[token - 1] == ")":
                return True
            depth += 1
            begun = True
        elif text == "}":
            depth -= 1
            if depth < 0:
                return False
    return True


def _bare_body(cursor: Cursor) -> Finding | None:
    """``int f(int a) return a;``: one statement, and behind it a declaration or the end of the file."""
    begin, texts = cursor.token, cursor.texts
    if not cursor.is_behind_function_head or cursor.context_name != "external":
        return None
    if texts[begin] not in STATEMENT_STARTS and not cursor.is_value(texts[begin]):
        return None
    end = next((token for token in range(begin, len(texts)) if texts[token] in ENDS), -1)
    if end < 0 or texts[end] != ";" or texts[end + 1] == "}":
        return None
    if texts[end + 1] and cursor.spans[end + 1].column > cursor.spans[cursor.context_start].column:
        return None

    def run(editor: Editor) -> int:
        editor.put(end + 1, end + 1, ["}"], cursor.spans[end])
        return editor.replace(begin, begin, ["{"])

    return Finding(run)


UNCLOSED = (
    advice(
        "a body without braces",
        "int f(int a) ¦return a + 1;\nint g(int b) { return f(b); }",
        "the body of a function stands in braces: '{ ... }'",
        _bare_body,
    ),
    Guess(
        "a struct that is not closed",
        "struct S {\n    int a;\n\n¦static int b = 3;\nint f(S s) { return s.a + b; }",
        "$error; is the '{' in line $line not closed?",
        _unclosed_struct,
        Tried.SILENTLY,
    ),
    advice(
        "a function in a struct",
        "struct S { int a; int get() ¦{ return a; } };",
        "a struct has no functions; define it outside, with the struct as a parameter",
        _member_function,
    ),
    Guess(
        "a function in another one",
        "void f(int a) {\n    if (a > 1) {\n        a = 1;\n}\n\nint g(int b) ¦{ return b; }\nint h() { return g(1); }",
        "$error; a function cannot be defined inside another one, is the '{' in line $line not closed?",
        _function_in_block,
        Tried.SILENTLY,
    ),
    Guess(
        "a function behind another declarator",
        "int a, f() ¦{ return 1; }",
        "$error; a function cannot be defined inside another one",
        _nested_function,
        Tried.SILENTLY,
    ),
)


# --- the end of the file


def close_at_end(cursor: Cursor) -> Repair:
    """Close what is open where the file ends, so that what there is can be checked."""

    def run(editor: Editor) -> int:
        start, token = cursor.context_start, cursor.token
        if start >= 0 and cursor.texts[start] != MISTAKE:
            mistake = mistaken(cursor, start, token)
            editor.rewind()
            return editor.replace(start, token, [MISTAKE], mistake)
        match cursor.context_name:
            case "member":
                return editor.replace(token, token, ["}", ";"])
            case "statement":
                return editor.replace(token, token, ["}"])
            case "for_initial":
                editor.rewind()
                return editor.replace(token, token, [MISTAKE, ";", ")", ";"])
        return -1

    return run


def _end(cursor: Cursor) -> Finding | None:
    return None if cursor.text else Finding(close_at_end(cursor))


def _end_in_brackets(cursor: Cursor) -> Finding | None:
    if cursor.text or cursor.unclosed_bracket < 0:
        return None
    return Finding(close_at_end(cursor), words=bracket_words(cursor, cursor.unclosed_bracket))


END = (
    Guess(
        "the end of the file in brackets",
        "int f(int a) {\n    if (a > 1) {\n        a = 2;\n    }¦",
        "$error; the '$bracket' in line $line is not closed",
        _end_in_brackets,
        Tried.SILENTLY,
    ),
    Guess("the end of the file", "int f(int a) { return a; }\nint¦", "$error", _end, Tried.SILENTLY),
)
