"""The convention of the library's functions that a loop seldom calls: they keep the caller's registers.

An elementary function leaves the ends of its range to a function that is not inlined. With the platform's convention a call
loses all vector registers, so that a loop around it loads its constants in every turn, though the call hardly ever happens.
"""

from __future__ import annotations

from voltac.sema import tree
from voltac.target_info import TargetInfo


def convention(target: TargetInfo, symbol: tree.FunctionSymbol) -> str:
    """What stands before the result's type in definition and calls, which must agree: a word and a space, or nothing.

    Worth it where constants are broadcast into registers, so with AVX2: without it they are operands in memory, and with
    AVX-512 the convention keeps no whole register. On Windows the platform's own keeps most of them.
    """
    if not (symbol.library and symbol.static and symbol.no_inline):
        return ""
    keeps = target.architecture == "x86-64" and target.has_fma and not target.has_avx512 and target.system != "windows"
    return "preserve_allcc " if keeps else ""
