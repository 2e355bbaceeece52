"""Regular expressions that are compiled when they are first used.

A compilation imports modules with a hundred patterns, of which a small program uses a third; ``re`` takes 0.2 ms for
each. The first use puts the methods of the compiled pattern into the object, so that later ones cost what they always do.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any, AnyStr

_engine: Any = import_module("_sre")
ENGINE: Any = getattr(_engine, "MAGIC", None)
"""The version of what runs patterns, which takes no form that was made for another one."""
forms: dict[tuple[Any, int], tuple[Any, ...]] = {}
"""Text and flags of a pattern -> what ``re`` makes of them, as :func:`_compiled` takes it. The command begins with those of
processes before."""
_METHODS = ("match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer")


class _Lazy:
    def __init__(self, text: Any, flags: int) -> None:
        self.pattern = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        compiled = _compiled(self.pattern, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def _compiled(text: Any, flags: int) -> re.Pattern[Any]:
    """As ``re.compile``, which takes a hundred times as long to find the form as the engine takes to make a pattern of it."""
    try:
        form = forms.get((text, flags)) or _form(text, flags)
        made: re.Pattern[Any] = _engine.compile(text, *form)
    except (AttributeError, ImportError, TypeError, ValueError, RuntimeError):
        # These are parts of Python that another version may have elsewhere.
        return re.compile(text, flags)
    forms[text, flags] = form
    return made


def _form(text: Any, flags: int) -> tuple[Any, ...]:
    """Flags, instructions, number of groups, their names, and the name of each."""
    compiler: Any = import_module("re._compiler")
    parsed = import_module("re._parser").parse(text, flags)
    names: dict[str, int] = parsed.state.groupdict
    of_group = {group: name for name, group in names.items()}
    groups = parsed.state.groups
    instructions = list(map(int, compiler._code(parsed, flags)))
    return flags | parsed.state.flags, instructions, groups - 1, names, tuple(map(of_group.get, range(groups)))


def lazy_pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As ``re.compile``, later; for the methods of a pattern, not to be handed to the functions of ``re``."""
    made: Any = _Lazy(text, int(flags))
    return made  # type: ignore[no-any-return]
