"""``@file`` on the command line → the words of the file, and of the files it names in turn."""

from __future__ import annotations

import os
from collections.abc import Iterable

from voltac.cli.option_table import UsageError
from voltac.pipeline import InputError
from voltac.system.files import read_file

_DEEPEST = 50
_MOST_FILES = 5_000
_MOST_WORDS = 500_000
"""Files within files, files in all, and words: far more than a build gives, few enough that nobody waits for the message."""


class ArgumentFiles:
    """Replaces ``@file``; ``read`` are the files in the order they were opened, each as often as it was named."""

    def __init__(self) -> None:
        self.read: list[str] = []
        self._words = 0
        self._open: list[str] = []

    def expanded(self, words: Iterable[str]) -> list[str]:
        """The words with those of the files in place of ``@file``."""
        out: list[str] = []
        for word in words:
            out += self._words_of(word[1:]) if word.startswith("@") else [word]
        return out

    def _words_of(self, path: str) -> list[str]:
        file = os.path.realpath(path)
        if file in self._open:
            raise UsageError(f"the argument file {path} includes itself")
        if len(self._open) == _DEEPEST:
            raise UsageError(f"argument files are nested more than {_DEEPEST} deep, the last is {path}")
        if len(self.read) == _MOST_FILES:
            raise UsageError(f"more than {_MOST_FILES} argument files are named, one by the other; the last is {path}")
        self.read.append(path)
        words = words_in(_content(path), f"the argument file {path}")
        self._words += len(words)
        if self._words > _MOST_WORDS:
            raise UsageError(f"argument files have more than {_MOST_WORDS} words in all; the last is {path}")
        self._open.append(file)
        found = self.expanded(words)
        self._open.pop()
        return found


def words_in(text: str, where: str) -> list[str]:
    """The words of a text as gcc divides those of its ``@file``: quotes keep blanks, a backslash keeps what follows."""
    if not any(mark in text for mark in "\\'\""):
        return text.split()
    import shlex  # late: most command lines quote nothing

    try:
        return shlex.split(text)
    except ValueError:
        raise UsageError(f"{where}: a quotation has no end") from None


def _content(path: str) -> str:
    try:
        content = read_file(path)
    except OSError as error:
        raise InputError(f"cannot read the argument file {path}: {error.strerror}") from None
    if b"\0" in content:
        raise InputError(f"the argument file {path} is not text: there is a zero byte in it")
    return os.fsdecode(content)
