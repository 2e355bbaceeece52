"""Misspelt keywords: a word is read as the keyword that it is close to, if the text can be read with that."""

from __future__ import annotations

from voltac.messages.suggestions import close_words
from voltac.syntax.recovery.cursor import Cursor
from voltac.syntax.recovery.editor import edit
from voltac.syntax.recovery.guess import Finding, Guess, Tried
from voltac.syntax.recovery.habits import FIRST_WORDS
from voltac.syntax.recovery.type_names import FOREIGN_TYPES
from voltac.syntax.recovery.words import FOREIGN, doubled

_LEAST_LIKENESS = 0.65
"""Of a misspelt keyword: 'fro' and 'for' have 0.67, and that the text can be read with the keyword speaks for it too."""

_WELL_SPELT = frozenset(guess.name.split("'")[1] for guess in (*FOREIGN, *FOREIGN_TYPES, *FIRST_WORDS))
"""Words of other languages: they are meant, and have their own messages."""


def _misspelt_keyword(cursor: Cursor) -> Finding | None:
    """The keyword that stands misspelt at the error or where its statement begins, if the text can be read with it."""
    if not cursor.text or doubled(cursor):
        return None
    for place in dict.fromkeys((cursor.context_start, cursor.token)):
        text = cursor.texts[place] if place >= 0 else ""
        if not text or text in cursor.names.variables or text in _WELL_SPELT or not cursor.is_plain(text):
            continue
        was_read = place < cursor.token
        if _is_misspelt_type(cursor, text):
            continue
        read = [cursor.kind_at(token) for token in range(place + 1, cursor.token + was_read)]
        behind = read + cursor.kinds_ahead[1:]
        for keyword in close_words(text, cursor.tables.keywords, _LEAST_LIKENESS):
            begin = cursor.context if was_read else -1
            if cursor.read([cursor.kinds[keyword], *behind], begin) == 1 + len(behind):
                return Finding(edit(place, place + 1, [keyword], reread=was_read), place, {"keyword": keyword})
    return None


def _is_misspelt_type(cursor: Cursor, text: str) -> bool:
    """A type that the program names is closer than all keywords."""
    closest = close_words(text, [*cursor.tables.keywords, *cursor.names.types()], _LEAST_LIKENESS)[:1]
    return bool(closest) and closest[0] not in cursor.tables.keywords


MISSPELT = (
    Guess(
        "a misspelt keyword",
        "void f(int a) { ¦whlie (a > 3) { a--; } }",
        "syntax error: found $found; did you mean '$keyword'?",
        _misspelt_keyword,
        Tried.CORRECTION,
    ),
)
