"""What a row of the table of guesses is, and what it finds."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import Enum

from voltac.records import field, record
from voltac.syntax.recovery.cursor import Cursor
from voltac.syntax.recovery.editor import Repair
from voltac.syntax.recovery.wording import error, found


@record
class Finding:
    """What a guess found."""

    repair: Repair | None = None
    """None: the first edit that fits, else the statement is given up."""
    place: int = -1
    """The token that the message points at; -1: the one that does not fit."""
    words: Mapping[str, object] = field(default_factory=dict)
    """What stands in the message for ``$name``."""
    macro: int = -1
    """A token that, if a macro's text has it, makes this a mistake of the macro: told once for all its uses."""


class Tried(Enum):
    """When a guess is tried."""

    REPORTED = "only where the error is reported"
    SILENTLY = "where it is a consequence of another one too, without a message"
    CORRECTION = "the same; a token is read as another one, and only errors right in front of it make it a consequence"


@record(eq=False)
class Guess:
    """What may be wrong where a token does not fit."""

    name: str
    example: str
    """A file with this one mistake; ``¦`` marks the token that the message points at."""
    message: str
    """``$error``: what was found and could stand there; ``$found``: the token; the others are words of the mistake."""
    apply: Callable[[Cursor], Finding | None]
    tried: Tried = Tried.REPORTED

    def text(self, cursor: Cursor, mistake: Finding) -> str:
        """The message about a mistake."""
        place = mistake.place if mistake.place >= 0 else cursor.token

        def word(match: re.Match[str]) -> str:
            name = match[1]
            return error(cursor) if name == "error" else found(cursor, place) if name == "found" else str(mistake.words[name])

        return re.sub(r"\$(\w+)", word, self.message)


def advice(name: str, example: str, say: str, apply: Callable[[Cursor], Finding | bool | None]) -> Guess:
    """A guess with a remedy behind what was found; ``apply`` may just say whether it fits."""

    def applied(cursor: Cursor) -> Finding | None:
        mistake = apply(cursor)
        return mistake if isinstance(mistake, Finding) else Finding() if mistake else None

    return Guess(name, example, "$error; " + say, applied)
