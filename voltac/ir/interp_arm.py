"""What the intrinsics of aarch64 mean, for the IR interpreter: rows found by the name without ``llvm.``.

Estimates are given exactly: a program may count on their accuracy, not on their error.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir.interp_memory import Called
from voltac.ir.interp_values import Value
from voltac.ir.interp_x86 import estimate, reciprocal, reciprocal_root


def _table(called: Called) -> Value:
    """``tbl``: bytes of the registers, one after the other, by number; zero for numbers past their end."""
    *registers, numbers = called.arguments
    table = [byte for register in registers for byte in register]
    return [None if number is None else table[number] if number < len(table) else 0 for number in numbers]


def _unchanged(called: Called) -> Value:
    """The factor of a Newton step: one, for an estimate that is exact."""
    return [None if left is None or right is None else 1.0 for left, right in zip(*called.arguments)]


AARCH64: dict[str, Callable[[Called], Value]] = {
    **{f"aarch64.neon.tbl{count}": _table for count in (1, 2, 3, 4)},
    "aarch64.neon.frecpe": estimate(reciprocal),
    "aarch64.neon.frecps": _unchanged,
    "aarch64.neon.frsqrte": estimate(reciprocal_root),
    "aarch64.neon.frsqrts": _unchanged,
    "aarch64.get.fpcr": lambda called: 0,
    "aarch64.set.fpcr": lambda called: None,
}
