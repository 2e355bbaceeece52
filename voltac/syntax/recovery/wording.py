"""How messages name what was found and what could stand there."""

from __future__ import annotations

from voltac.syntax.literals import short
from voltac.syntax.recovery.cursor import Cursor

_MOST_EXPECTED = 4
"""A longer list tells nobody what is missing."""
_SHOWN_NAMES = {
    "IDENT": "identifier",
    "TYPE_NAME": "type name",
    "TEMPLATE_NAME": "template name",
    "INTEGER": "int32 constant",
    "FLOAT": "float constant",
    "STRING": "string",
    "INTRINSIC": "intrinsic",
    "$END": "end of file",
}
_HIDDEN = {"PRAGMA", "MISTAKE", "MISSING"}


def found(cursor: Cursor, token: int) -> str:
    """A token as messages name it."""
    text = cursor.texts[token]
    if not text:
        return "end of file"
    kind = cursor.kind_at(token)
    if kind in (cursor.kinds.identifier, cursor.kinds.type_name, cursor.kinds.template_name):
        return f"{_SHOWN_NAMES[cursor.tables.terminals[kind]]} '{short(text)}'"
    return f"'{short(text)}'"


def error(cursor: Cursor) -> str:
    """What was found, and what could stand here if that is little."""
    message = f"syntax error: found {found(cursor, cursor.token)}"
    if not cursor.text:
        message += ", the input stops too early"
    expected = _expected(cursor)
    if 0 < len(expected) <= _MOST_EXPECTED:
        listed = [", ".join(expected[:-1]), expected[-1]] if len(expected) > 1 else expected
        message += f"; expected {' or '.join(listed)}"
    return message


def _expected(cursor: Cursor) -> list[str]:
    """How the tokens are written that could stand here."""
    shown = []
    for kind in sorted(cursor.tables.actions[cursor.states[-1]]):
        name = cursor.tables.terminals[kind]
        if name in _HIDDEN or not cursor.accepts(kind):
            continue
        if name in _SHOWN_NAMES:
            shown.append(_SHOWN_NAMES[name])
        else:
            shown += [f"'{spelling}'" for spelling in cursor.tables.spellings[name]]
    return shown
