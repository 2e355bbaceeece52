"""Regular expressions that are compiled when they are first used.

A compilation imports some hundred modules with patterns, of which a small program uses a quarter; ``re`` takes 0.2 ms for
each. The first use puts the methods of the compiled pattern into the object, so that later ones cost what they always do.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr

_METHODS = ("match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer")


class _Lazy:
    def __init__(self, text: Any, flags: int) -> None:
        self.pattern = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self.pattern, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def lazy_pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As ``re.compile``, later; for the methods of a pattern, not to be handed to the functions of ``re``."""
    made: Any = _Lazy(text, flags)
    return made  # type: ignore[no-any-return]
