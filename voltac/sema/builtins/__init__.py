"""Builtins: operations that the standard library is written in but the language cannot say.

Each is one function: its decorator says type, cost, effect and whose lanes it looks at
(``rows.py``), its docstring what it is, its body what that means on numpy scalars and
arrays. Its code is a row of ``lower/builtins``, found by the name; a builtin that lacks a
fact, or code, ends the import. Names start with two underscores. Builtins ignore the
execution mask except where said.
"""

from collections.abc import Iterable

from voltac.messages.diagnostics import InternalError
from voltac.sema.builtins import across_lanes, atomics, devices, elementwise, memory, system  # noqa: F401  filled by them
from voltac.sema.builtins.c_library import C_ONE, C_TWO
from voltac.sema.builtins.rows import BUILTINS, UNSAFE, BuiltinRow, Callers, Effect, Lanes
from voltac.sema.builtins.tiles import TILE_PRODUCTS, TILES

__all__ = [
    "BUILTINS", "C_ONE", "C_TWO", "TILES", "TILE_PRODUCTS", "UNSAFE", "BuiltinRow", "Callers", "Effect", "Lanes",
    "check_rows",
]  # fmt: skip


def check_rows(part: str, known: Iterable[str]) -> None:
    """A table of another stage has something for every builtin, and for nothing else."""
    wrong = BUILTINS.keys() ^ set(known)
    if wrong:
        raise InternalError(f"builtins without {part}, or {part} without a builtin: {', '.join(sorted(wrong))}")
