"""What is said of the words of the language and of the library's functions; the texts are in ``words.txt``."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from voltac.records import record

KEYWORDS, BUILT_IN_VARIABLES, LIBRARY = "keywords", "built-in variables", "library"
"""The headings in the file."""


@record
class Word:
    """A name that every program knows."""

    name: str
    heading: str
    forms: tuple[str, ...]
    """How it is declared or written, a line each."""
    text: str


@cache
def words() -> dict[str, Word]:
    """Name -> what is said of it."""
    found: dict[str, Word] = {}
    heading = ""
    text = Path(__file__).with_name("words.txt").read_text(encoding="utf-8")
    # What stands before the first heading is about the file.
    for entry in text.split("\n\n"):
        lines = entry.strip("\n").split("\n")
        if lines[0].startswith("= "):
            heading = lines[0].removeprefix("= ")
        elif heading:
            forms = [line.strip() for line in lines[1:] if line.startswith(" ")]
            said = " ".join(line for line in lines[1:] if not line.startswith(" "))
            for name in lines[0].split():
                found[name] = Word(name, heading, tuple(form.replace("#", name) for form in forms), said)
    return found
