"""Integer arithmetic on two constants -> its result, where nothing can wrap around.

The counter of a loop whose bodies are written one after the other is a constant in each. What is computed from it is seen to be
the same in two of them only if it is a constant, too: LLVM finds that out behind the passes that look at addresses.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from voltac.lower.text.ir_values import IR

_COMPUTED: dict[str, Callable[[int, int], int]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul,
    "and": operator.and_, "or": operator.or_, "xor": operator.xor,
    "ashr": operator.rshift, "lshr": operator.rshift, "shl": operator.lshift,
}  # fmt: skip
_SHIFTS = ("ashr", "lshr", "shl")
_MOST = (1 << 15) - 1
"""Of an operand: sums, products, and shifts by up to 15 bits then have 31 bits at most."""
_MOST_SHIFTED = 15
"""Bits, by the same reckoning."""
_TYPES = ("i32", "i64")


def folded(operation: str, left: IR, right: IR) -> IR | None:
    """None for what is no such operation on two small numbers."""
    if left.type not in _TYPES or not left.name.lstrip("-").isdecimal() or not right.name.lstrip("-").isdecimal():
        return None
    op, one, other = operation.partition(" ")[0], int(left.name), int(right.name)
    if op not in _COMPUTED or max(abs(one), abs(other)) > _MOST:
        return None
    if op in _SHIFTS and (one < 0 or not 0 <= other <= _MOST_SHIFTED):
        return None
    return IR(left.type, str(_COMPUTED[op](one, other)))
