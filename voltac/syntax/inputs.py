"""What the preprocessor's result depends on besides the text and the options: all it asked the system, and the answers.

Each question is asked once a compilation, so the answers fit each other whatever happens to the files meanwhile.
"""

from __future__ import annotations

import os

from voltac.system.files import read_regular_file


class Inputs:
    """Every question to the file system goes through here; asked again with the same answers, the result is the same."""

    def __init__(self) -> None:
        self.contents: dict[str, bytes | Exception] = {}
        """Path -> the bytes of the file as they were read, or why they could not be."""
        self.presence: dict[str, bool] = {}
        """Path -> whether a file was there when one was looked for."""
        self.identities: dict[str, str] = {}
        """Path -> the file it leads to, where that mattered (``#pragma once``)."""
        self.depends_on_time = False
        """``__DATE__`` or ``__TIME__`` was used."""

    def read(self, path: str) -> bytes:
        """The content of a plain file; OSError or ValueError where it cannot be read."""
        found = self.contents.get(path)
        if found is None:
            try:
                found = read_regular_file(path)
            except (OSError, ValueError) as error:
                found = error
            self.contents[path] = found
        if isinstance(found, Exception):
            raise found
        return found

    def is_there(self, path: str) -> bool:
        """Whether there is a file of this name."""
        found = self.presence.get(path)
        if found is None:
            found = self.presence[path] = os.path.isfile(path)
        return found

    def identity(self, path: str) -> str:
        """The name of the file without links."""
        found = self.identities.get(path)
        if found is None:
            found = self.identities[path] = os.path.realpath(path)
        return found
