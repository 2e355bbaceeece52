"""The last resort: an operand, head, statement, member or declaration is given up and replaced by one token, ``MISTAKE``."""

from __future__ import annotations

from voltac.syntax import ast
from voltac.syntax.lexer import MISSING, MISTAKE
from voltac.syntax.recovery.cursor import (
    CLOSING,
    DECLARATION_STARTS,
    ENDS,
    HEADS,
    OPENING,
    SPECIFIERS,
    STATEMENT_STARTS,
    Cursor,
)
from voltac.syntax.recovery.editor import SETTLED, Editor, Repair, span_of
from voltac.syntax.recovery.guess import Finding, Guess, Tried

_TYPE_WORDS = {*SPECIFIERS, "ATOMIC", "STRUCT", "ENUM"}


def mistaken(cursor: Cursor, begin: int, end: int) -> ast.Mistake:
    """What stands in the tree for tokens that are given up, with the names that are declared and used in them."""
    declared: dict[str, None] = {}
    used: dict[str, None] = {}
    texts = cursor.texts
    external = cursor.context_name == "external"
    behind_brace = False
    depth = 0
    for token in range(begin, end):
        text = texts[token]
        depth += (text in ("(", "{")) - (text in (")", "}"))
        if text == MISTAKE:
            inner = cursor.given_up[token]
            declared.update(dict.fromkeys(inner.declared))
            used.update(dict.fromkeys(inner.used))
            behind_brace = behind_brace or inner.behind_brace
            continue
        if not text or cursor.kinds[text] != cursor.kinds.identifier:
            continue
        before = texts[token - 1] if token > begin else ""
        kind = cursor.kind_of(before) if before else -1
        is_type = kind == cursor.kinds.type_name or cursor.terminal(before) in _TYPE_WORDS
        is_declared = is_type or (
            before in ("*", "&", ",") and (cursor.is_specifier(texts[begin]) or cursor.terminal(texts[begin]) == "ATOMIC")
        )
        if is_declared or texts[begin] == "enum":
            declared[text] = None
        elif depth == 0 or not external:
            used[text] = None
    return ast.Mistake(span_of(cursor.spans, begin, end), tuple(declared), tuple(used), behind_brace)


def give_up(cursor: Cursor) -> Repair:
    """Replace the present statement, member or declaration, or its head."""

    def run(editor: Editor) -> int:
        token, external = cursor.token, cursor.context_name == "external"
        texts = cursor.texts
        start = editor.rewind()
        begin = token if start < 0 else start
        if begin < token:
            _note_typedef(editor, begin, token)
        if cursor.context_name == "for_initial":
            return _replace_initial(editor, begin)
        loose = external and begin == token and cursor.is_loose_statement(begin)
        end, is_head = _end_of(cursor, begin, external)
        if is_head:
            return _replace_head(editor, begin, end)
        if end <= token and begin == token:
            if texts[token] != "}":
                return editor.replace(token, token + 1, [])
            place = span_of(editor.parse.spans, token, token + external)
            return editor.replace(token, token + external, [MISTAKE], ast.Mistake(place, behind_brace=external))
        ended = texts[end - 1] in ENDS
        place = span_of(editor.parse.spans, begin, end)
        mistake = ast.Mistake(place, behind_brace=True) if loose else mistaken(cursor, begin, end)
        return editor.replace(begin, end, [MISTAKE], mistake, settled=0 if ended else SETTLED)

    return run


def _replace_head(editor: Editor, begin: int, end: int) -> int:
    """Put a head without contents in place of ``for (...)``, ``if (...)``."""
    word = editor.parse.texts[begin]
    mistake = mistaken(editor.cursor, begin, end)
    if word in ("for", "cfor"):
        return editor.replace(begin, end, [word, "(", MISTAKE, ";", ")"], mistake)
    if word.startswith("foreach"):
        # Which of the names are dimensions is not known: a loop in which they are all mistaken.
        return editor.replace(begin, end, ["for", "(", MISTAKE, ";", ")"], mistake)
    return editor.replace(begin, end, [word, "(", MISSING, ")"])


def _replace_initial(editor: Editor, begin: int) -> int:
    """The first part of ``for (...)`` is wrong: replace all that stands in the parentheses."""
    depth, end, texts = 0, editor.cursor.token, editor.parse.texts
    while texts[end] and not (depth == 0 and texts[end] in (")", "{", "}")):
        depth += (texts[end] == "(") - (texts[end] == ")")
        end += 1
    parts = [MISTAKE, ";"] if texts[end] == ")" else [MISTAKE, ";", ")"]
    return editor.replace(begin, end, parts, mistaken(editor.cursor, begin, end))


def _note_typedef(editor: Editor, begin: int, token: int) -> None:
    """A type name whose declaration is wrong is known nevertheless."""
    cursor, texts = editor.cursor, editor.parse.texts
    if texts[begin] != "typedef":
        return
    end = token
    while texts[end] not in (";", ""):
        end += 1
    previous = ""
    for position in range(begin + 1, end):
        text, following = texts[position], texts[position + 1]
        # Behind '(*', in front of '[' or at the end stands the name that is declared.
        in_parentheses = following == ")" and (previous == "*" or cursor.is_specifier(previous))
        if cursor.kinds[text] == cursor.kinds.identifier and (in_parentheses or following in ("[", ";", "")):
            editor.add_unknown_type(text)
            return
        previous = text


def _end_of(cursor: Cursor, begin: int, external: bool) -> tuple[int, bool]:
    """Where what is given up ends; True if that is the end of a head such as ``for (...)``, whose body comes next."""
    texts, token = cursor.texts, cursor.token
    opened: list[str] = []
    for text in texts[begin:token]:
        if text in OPENING:
            opened.append(text)
        elif text in CLOSING and opened:
            opened.pop()
    head = texts[begin] in HEADS and not external
    loose = external and cursor.is_loose_statement(begin)
    starts = DECLARATION_STARTS if external else STATEMENT_STARTS
    position = token
    while texts[position]:
        text = texts[position]
        inside_block = "{" in opened
        if text == "{" and not inside_block:
            if head:
                return position, True
            opened = [*opened, "{"] if texts[position - 1] in ("(", ",", "=") else ["{"]
        elif text in OPENING:
            opened.append(text)
        elif text == "}" and not inside_block:
            return (position + 1, False) if external else (position, False)
        elif text in CLOSING:
            while opened and opened.pop() != CLOSING[text]:
                pass
            if not opened and head and text == ")":
                return position + 1, True
            if not opened and text == "}" and not loose:
                return position + 1 + (texts[position + 1] == ";"), False
        elif text == ";" and not inside_block and not (opened and head and texts[begin].startswith(("for", "cfor"))):
            if not loose and not (external and texts[position + 1] == "{"):
                return position + 1, False
        elif text in starts and not inside_block and position > begin and not (head and opened):
            if cursor.begins_line(position):
                return position, False
        elif external and inside_block and text in DECLARATION_STARTS and position > token:
            # A block that was not closed, as the indentation shows.
            if cursor.is_outside(position, begin):
                return position, False
        elif loose and position > token and cursor.begins_line(position) and cursor.spans[position].column == 1:
            return position, False
        position += 1
    return position, False


GIVEN_UP = (
    Guess(
        "something else",
        "void f(int a) { a = a + ¦{ a + 1 }; a = 2; }",
        "$error",
        lambda cursor: Finding(give_up(cursor)),
        Tried.SILENTLY,
    ),
)
