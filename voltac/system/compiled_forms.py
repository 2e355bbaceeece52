"""What Python compiles while it runs, kept among the package's ``.pyc``: the forms of patterns, the initializers of records.

A compilation of a small program needs 50 patterns and 40 initializers, which take 10 of its 140 ms to compile and one to
read. Each is found by all that it is made of, so nothing that is kept of older sources is taken for what newer ones need.
"""

from __future__ import annotations

import marshal
from contextlib import suppress
from types import ModuleType
from typing import Any

from voltac import records
from voltac.system import lazy_patterns
from voltac.system.kept_values import Stamp, keep, place_of, stamp_of


class CompiledForms:
    """Of the command's process: what is kept is read when this is made."""

    def __init__(self, package: ModuleType) -> None:
        self._file = place_of("forms", package.__spec__)
        with suppress(OSError, ValueError, EOFError, TypeError):
            with open(self._file, "rb") as file:
                written_by, patterns, codes = marshal.loads(file.read())
            if written_by == _writer():
                lazy_patterns.forms.update(patterns)
                records.codes.update(codes)
        self._read = self._count()

    def keep(self) -> None:
        """Write them anew if this process has compiled others."""
        if self._count() != self._read:
            keep(self._file, [marshal.dumps((_writer(), lazy_patterns.forms, records.codes))])

    @staticmethod
    def _count() -> int:
        return len(lazy_patterns.forms) + len(records.codes)


def _writer() -> tuple[Any, list[Stamp | None]]:
    """What made the forms: another version of it may make others of the same texts."""
    return lazy_patterns.ENGINE, [stamp_of(str(module.__file__)) for module in (records, lazy_patterns)]
