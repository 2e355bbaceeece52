"""The commonest operations of the aux pipe for common operands; all others go to the general form.

Common: rounding to the nearest, and a result that neither overflows nor is subnormal,
so there is no flag to raise and nothing to flush. A sum of at least 2**-100 is not
changed by a subnormal operand's being zero: that is less than half of its last digit.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct
from typing import TYPE_CHECKING, Any

from voltac.targets.ipu.simulator.float_formats import HALVES, LARGEST, LARGEST_HALF, SMALLEST_NORMAL

if TYPE_CHECKING:
    from voltac.targets.ipu.simulator.float_state import FloatState

_LEAST_SUM = 2.0**-100
"""See above."""

_words_1, _words_2, _words_4 = Struct("<I").pack, Struct("<2I").pack, Struct("<4I").pack
_singles_1, _singles_2, _singles_4 = Struct("<f").pack, Struct("<2f").pack, Struct("<4f").pack
_halves_2, _halves_4 = Struct("<2e").pack, Struct("<4e").pack
_as_words_1, _as_words_2 = Struct("<I").unpack, Struct("<2I").unpack
_as_singles_1, _as_singles_2, _as_singles_4 = Struct("<f").unpack, Struct("<2f").unpack, Struct("<4f").unpack

Operation = Callable[..., Any]
Maker = Callable[[Operation], Operation]
"""The general form → the fast one, which calls it for what is not common."""


def _is_sum(value: float) -> bool:
    return _LEAST_SUM < value < LARGEST or -LARGEST < value < -_LEAST_SUM or value == 0.0


def _is_product(value: float, x: float, y: float) -> bool:
    if value == 0.0:
        return True
    return SMALLEST_NORMAL <= abs(value) < LARGEST and abs(x) >= SMALLEST_NORMAL <= abs(y)


def _add(general: Operation) -> Operation:
    def f32v2add(self: Any, s0: int, s1: int, t0: int, t1: int) -> Any:
        x0, x1, y0, y1 = _as_singles_4(_words_4(s0, s1, t0, t1))
        x0 += y0
        x1 += y1
        if _is_sum(x0) and _is_sum(x1) and self.state.plain:
            return _as_words_2(_singles_2(x0, x1))
        return general(self, s0, s1, t0, t1)

    return f32v2add


def _subtract(general: Operation) -> Operation:
    def f32v2sub(self: Any, s0: int, s1: int, t0: int, t1: int) -> Any:
        x0, x1, y0, y1 = _as_singles_4(_words_4(s0, s1, t0, t1))
        x0 -= y0
        x1 -= y1
        if _is_sum(x0) and _is_sum(x1) and self.state.plain:
            return _as_words_2(_singles_2(x0, x1))
        return general(self, s0, s1, t0, t1)

    return f32v2sub


def _multiply(general: Operation) -> Operation:
    def f32v2mul(self: Any, s0: int, s1: int, t0: int, t1: int) -> Any:
        x0, x1, y0, y1 = _as_singles_4(_words_4(s0, s1, t0, t1))
        p0, p1 = x0 * y0, x1 * y1
        if _is_product(p0, x0, y0) and _is_product(p1, x1, y1) and self.state.plain:
            return _as_words_2(_singles_2(p0, p1))
        return general(self, s0, s1, t0, t1)

    return f32v2mul


def _add_one(general: Operation) -> Operation:
    def f32add(self: Any, s: int, t: int) -> Any:
        x, y = _as_singles_2(_words_2(s, t))
        x += y
        if _is_sum(x) and self.state.plain:
            return _as_words_1(_singles_1(x))[0]
        return general(self, s, t)

    return f32add


def _subtract_one(general: Operation) -> Operation:
    def f32sub(self: Any, s: int, t: int) -> Any:
        x, y = _as_singles_2(_words_2(s, t))
        x -= y
        if _is_sum(x) and self.state.plain:
            return _as_words_1(_singles_1(x))[0]
        return general(self, s, t)

    return f32sub


def _multiply_one(general: Operation) -> Operation:
    def f32mul(self: Any, s: int, t: int) -> Any:
        x, y = _as_singles_2(_words_2(s, t))
        p = x * y
        if _is_product(p, x, y) and self.state.plain:
            return _as_words_1(_singles_1(p))[0]
        return general(self, s, t)

    return f32mul


def _clear(x: float, y: float) -> bool:
    """Whether two numbers are of different size and neither is subnormal or NaN: the greater one is plain to see."""
    return (abs(x) >= SMALLEST_NORMAL or x == 0.0) and (abs(y) >= SMALLEST_NORMAL or y == 0.0) and (x < y or x > y)


def _extreme(greatest: bool) -> Maker:
    def make(general: Operation) -> Operation:
        def f32v2max(self: Any, s0: int, s1: int, t0: int, t1: int) -> Any:
            x0, x1, y0, y1 = _as_singles_4(_words_4(s0, s1, t0, t1))
            if _clear(x0, y0) and _clear(x1, y1):
                return (s0 if (x0 > y0) == greatest else t0), (s1 if (x1 > y1) == greatest else t1)
            return general(self, s0, s1, t0, t1)

        return f32v2max

    return make


def _clamp(general: Operation) -> Operation:
    def f32v2clamp(self: Any, s0: int, s1: int, low: int, high: int) -> Any:
        x0, x1, y0, y1 = _as_singles_4(_words_4(s0, s1, low, high))
        if _clear(x0, y0) and _clear(x0, y1) and _clear(x1, y0) and _clear(x1, y1) and y0 < y1:
            return (
                low if x0 < y0 else high if x0 > y1 else s0,
                low if x1 < y0 else high if x1 > y1 else s1,
            )
        return general(self, s0, s1, low, high)

    return f32v2clamp


# --- halves -------------------------------------------------------------------------------------------------------------


def _is_half(value: float) -> bool:
    return -LARGEST_HALF <= value <= LARGEST_HALF


_LANES = (("a", "s0 & 0xFFFF", "t0 & 0xFFFF"), ("b", "s0 >> 16", "t0 >> 16"), ("c", "s1 & 0xFFFF", "t1 & 0xFFFF"),
          ("d", "s1 >> 16", "t1 >> 16"))  # fmt: skip
"""Names of four lanes, and where the operands of each are."""


def _on_halves(term: str) -> Maker:
    """An operation whose exact result a double holds, or rounds so that a half does not notice; of numbers ``x`` and ``y``."""
    lines = [f"        x, y = HALVES[{x}], HALVES[{y}]; {name} = {term}" for name, x, y in _LANES]
    fits = " and ".join(f"-{LARGEST_HALF} <= {name} <= {LARGEST_HALF}" for name, *_ in _LANES)
    return _made(lines, f"{fits} and self.state.plain", "words(halves(a, b, c, d))")


def _chosen_halves(relation: str) -> Maker:
    """The one of which the relation holds, where one is less than the other."""
    lines = [
        f"        p, q = {x}, {y}; x, y = HALVES[p], HALVES[q]; {name} = p if x {relation} y else q if x < y or x > y else -1"
        for name, x, y in _LANES
    ]
    return _made(lines, "a >= 0 and b >= 0 and c >= 0 and d >= 0", "(a | b << 16, c | d << 16)")


def _made(lines: list[str], condition: str, result: str) -> Maker:
    source = "\n".join(
        [
            "def make(general):",
            "    def operation(self, s0, s1, t0, t1):",
            *lines,
            f"        return {result} if {condition} else general(self, s0, s1, t0, t1)",
            "    return operation",
        ]
    )
    scope: dict[str, Any] = {"HALVES": HALVES, "words": _as_words_2, "halves": _halves_4}
    exec(source, scope)
    made: Maker = scope["make"]
    return made


def _clamp_of_halves(general: Operation) -> Operation:
    def lane(half: int, low: int, high: int) -> int:
        x, y, z = HALVES[half], HALVES[low], HALVES[high]
        if y < x < z:
            return half
        return low if x < y < z else high if y < z < x else -1

    def f16v4clamp(self: Any, s0: int, s1: int, t: int) -> Any:
        low, high = t & 0xFFFF, t >> 16
        a, b, c, d = (lane(half, low, high) for half in (s0 & 0xFFFF, s0 >> 16, s1 & 0xFFFF, s1 >> 16))
        if a >= 0 and b >= 0 and c >= 0 and d >= 0:
            return a | b << 16, c | d << 16
        return general(self, s0, s1, t)

    return f16v4clamp


def _to_halves(general: Operation) -> Operation:
    def f32v2tof16(self: Any, s0: int, s1: int) -> Any:
        x0, x1 = _as_singles_2(_words_2(s0, s1))
        if _is_half(x0) and _is_half(x1) and self.state.plain:
            return _as_words_1(_halves_2(x0, x1))[0]
        return general(self, s0, s1)

    return f32v2tof16


def _from_halves(general: Operation) -> Operation:
    def f16v2tof32(self: Any, s: int) -> Any:
        x0, x1 = HALVES[s & 0xFFFF], HALVES[s >> 16]
        if _is_half(x0) and _is_half(x1):
            return _as_words_2(_singles_2(x0, x1))
        return general(self, s)

    return f16v2tof32


# --- accumulators -------------------------------------------------------------------------------------------------------


def _axpy(general: Operation) -> Operation:
    def f32v2axpy(self: Any, s0: int, s1: int, t0: int, t1: int) -> Any:
        state: FloatState = self.state
        x0, x1, y0, y1 = _as_singles_4(_words_4(s0, s1, t0, t1))
        scale = _as_singles_1(_words_1(state.scale))[0]
        p0, p1 = scale * x0, scale * x1
        if _is_product(p0, scale, x0) and _is_product(p1, scale, x1) and state.plain:
            p0, p1 = _as_singles_2(_singles_2(p0, p1))
            y0 += p0
            y1 += p1
            if _is_sum(y0) and _is_sum(y1):
                accumulators = state.accumulators
                old = _as_words_2(_singles_2(accumulators[0], accumulators[2]))
                accumulators[0], accumulators[2] = _as_singles_2(_singles_2(y0, y1))
                return old
        return general(self, s0, s1, t0, t1)

    return f32v2axpy


def _multiply_accumulate(general: Operation) -> Operation:
    def f32v2mac(self: Any, s0: int, s1: int, t0: int, t1: int) -> Any:
        state: FloatState = self.state
        x0, x1, y0, y1 = _as_singles_4(_words_4(s0, s1, t0, t1))
        p0, p1 = x0 * y0, x1 * y1
        if _is_product(p0, x0, y0) and _is_product(p1, x1, y1) and state.plain:
            p0, p1 = _as_singles_2(_singles_2(p0, p1))
            accumulators = state.accumulators
            p0 += accumulators[0]
            p1 += accumulators[2]
            if _is_sum(p0) and _is_sum(p1):
                accumulators[0], accumulators[2] = _as_singles_2(_singles_2(p0, p1))
                return None
        return general(self, s0, s1, t0, t1)

    return f32v2mac


def _dot_of_halves(general: Operation) -> Operation:
    def f16v4cmac(self: Any, s0: int, s1: int, t0: int, t1: int) -> Any:
        state: FloatState = self.state
        p0 = HALVES[s0 & 0xFFFF] * HALVES[t0 & 0xFFFF] + HALVES[s0 >> 16] * HALVES[t0 >> 16]
        p1 = HALVES[s1 & 0xFFFF] * HALVES[t1 & 0xFFFF] + HALVES[s1 >> 16] * HALVES[t1 >> 16]
        if _is_sum(p0) and _is_sum(p1) and state.plain:
            p0, p1 = _as_singles_2(_singles_2(p0, p1))
            accumulators = state.accumulators
            p0 += accumulators[0]
            p1 += accumulators[2]
            if _is_sum(p0) and _is_sum(p1):
                accumulators[0], accumulators[2] = _as_singles_2(_singles_2(p0, p1))
                return None
        return general(self, s0, s1, t0, t1)

    return f16v4cmac


def _sum_of_four(general: Operation) -> Operation:
    def f32v4acc(self: Any, s0: int, s1: int, s2: int, s3: int) -> Any:
        accumulators = self.state.accumulators
        x0, x1, x2, x3 = _as_singles_4(_words_4(s0, s1, s2, s3))
        x0 += accumulators[0]
        x1 += accumulators[2]
        x2 += accumulators[4]
        x3 += accumulators[6]
        if _is_sum(x0) and _is_sum(x1) and _is_sum(x2) and _is_sum(x3) and self.state.plain:
            accumulators[0:8:2] = _as_singles_4(_singles_4(x0, x1, x2, x3))
            return None
        return general(self, s0, s1, s2, s3)

    return f32v4acc


FAST: dict[str, Maker] = {
    "f32add": _add_one,
    "f32sub": _subtract_one,
    "f32mul": _multiply_one,
    "f32v2add": _add,
    "f32v2sub": _subtract,
    "f32v2mul": _multiply,
    "f32v2max": _extreme(True),
    "f32v2min": _extreme(False),
    "f32v2clamp": _clamp,
    "f16v4add": _on_halves("x + y"),
    "f16v4sub": _on_halves("x - y"),
    "f16v4mul": _on_halves("x * y"),
    "f16v4absadd": _on_halves("abs(x) + abs(y)"),
    "f16v4max": _chosen_halves(">"),
    "f16v4min": _chosen_halves("<"),
    "f16v4clamp": _clamp_of_halves,
    "f32v2tof16": _to_halves,
    "f16v2tof32": _from_halves,
    "f32v2axpy": _axpy,
    "f32v2mac": _multiply_accumulate,
    "f16v4cmac": _dot_of_halves,
    "f32v4acc": _sum_of_four,
}
"""Mnemonic → how its fast form is made."""
