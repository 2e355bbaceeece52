"""The operations of the aux pipe by their mnemonics: the bits of each register → those of the result (IPU 3.5 to 3.9).

``fpu.f32v2add(s0, s1, t0, t1)`` gives two words. Operations of several lanes are made
from those of one lane, one after the other from the low-addressed lane on.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from voltac.targets.ipu.simulator.float_fast import FAST
from voltac.targets.ipu.simulator.float_formats import HALVES, INFINITY, LARGEST, single, single_bits
from voltac.targets.ipu.simulator.float_lanes import (
    BINARY_LANES,
    Lane,
    centred,
    class_code,
    divided,
    elementary,
    from_integer,
    half_bits_of,
    to_half,
    to_integer,
    to_integral,
    to_single,
)
from voltac.targets.ipu.simulator.float_state import FloatState

Words = tuple[int, ...]


class FloatUnit:
    """A worker's; its operations read and change the worker's :class:`FloatState`."""

    def __init__(self, state: FloatState) -> None:
        self.state = state

    # --- clamps, division, random masks ---

    def f32clamp(self, s: int, low: int, high: int) -> int:
        """min(max(s, low), high)."""
        state = self.state
        return _MIN[0](state, _MAX[0](state, s, low), high)

    def f32v2clamp(self, s0: int, s1: int, low: int, high: int) -> Words:
        """The same limits for both lanes."""
        return self.f32clamp(s0, low, high), self.f32clamp(s1, low, high)

    def f16v2clamp(self, s: int, t: int) -> int:
        """The limits are the halves of ``t``, the lower one below."""
        state = self.state
        low, high = t & 0xFFFF, t >> 16
        lanes = [_MIN[1](state, _MAX[1](state, lane, low), high) for lane in (s & 0xFFFF, s >> 16)]
        return lanes[0] | lanes[1] << 16

    def f16v4clamp(self, s0: int, s1: int, t: int) -> Words:
        """The same limits for all lanes."""
        return self.f16v2clamp(s0, t), self.f16v2clamp(s1, t)

    def f32div(self, s: int, t: int) -> int:
        """s / t."""
        return divided(self.state, s, t)

    def f32v2rmask(self, s0: int, s1: int, p: int) -> Words:
        """Lanes are kept with probability p[15:0] / 65536, always where bit 16 is set."""
        return tuple(lane if self._kept(p) else 0 for lane in (s0, s1))

    def f16v4rmask(self, s0: int, s1: int, p: int) -> Words:
        """The same on four lanes."""
        masks = [0xFFFF if self._kept(p) else 0 for _ in range(4)]
        return s0 & (masks[0] | masks[1] << 16), s1 & (masks[2] | masks[3] << 16)

    def _kept(self, p: int) -> bool:
        return bool(p >> 16 & 1) or (self.state.next_random() & 0xFFFF) < (p & 0xFFFF)

    # --- accumulators ---

    def _accumulate(self, number: int, value: float) -> None:
        """A sum that is rounded once; ``value`` is rounded already."""
        state = self.state
        state.accumulators[number] = single(to_single(state, state.accumulators[number] + value))

    def _product(self, x: float, y: float) -> float:
        return single(to_single(self.state, x * y))

    def f32mac(self, s: int, t: int) -> None:
        """A0 += s·t."""
        self._accumulate(0, self._product(single(s), single(t)))

    def f32v2mac(self, s0: int, s1: int, t0: int, t1: int) -> None:
        """A0, A2 += products of the lanes."""
        self._accumulate(0, self._product(single(s0), single(t0)))
        self._accumulate(2, self._product(single(s1), single(t1)))

    def _dot(self, s: int, t: int) -> float:
        products = HALVES[s & 0xFFFF] * HALVES[t & 0xFFFF] + HALVES[s >> 16] * HALVES[t >> 16]
        return single(to_single(self.state, products))

    def f16v2cmac(self, s: int, t: int) -> None:
        """A0 += s0·t0 + s1·t1."""
        self._accumulate(0, self._dot(s, t))

    def f16v4cmac(self, s0: int, s1: int, t0: int, t1: int) -> None:
        """The same for two words, into A0 and A2."""
        self._accumulate(0, self._dot(s0, t0))
        self._accumulate(2, self._dot(s1, t1))

    def f32v2aop(self, x0: int, x1: int, y0: int, y1: int, imm: int) -> None:
        """Outer product: A0, A2, A4, A6 += x0·y0, x1·y0, x0·y1, x1·y1."""
        for number, (x, y) in enumerate(((x0, y0), (x1, y0), (x0, y1), (x1, y1))):
            self._accumulate(2 * number, self._product(single(x), single(y)))

    def f32v2axpy(self, x0: int, x1: int, y0: int, y1: int) -> Words:
        """(A0, A2) as they were; then A = TAS·x + y."""
        state, scale = self.state, single(self.state.scale)
        old = (self._read(0), self._read(2))
        for number, (x, y) in enumerate(((x0, y0), (x1, y1))):
            state.accumulators[2 * number] = self._product(scale, single(x))
            self._accumulate(2 * number, single(y))
        return old

    def f16v4mix(self, x0: int, x1: int, y0: int, y1: int) -> Words:
        """The accumulators as halves as they were; then A = TAS.low·x + TAS.high·y."""
        state = self.state
        old = self.f16v4gacc()
        low, high = HALVES[state.scale & 0xFFFF], HALVES[state.scale >> 16]
        for number, (x, y) in enumerate(zip(_halves(x0, x1), _halves(y0, y1))):
            state.accumulators[2 * number] = self._product(low, x)
            self._accumulate(2 * number, self._product(high, y))
        return old

    def _read(self, number: int) -> int:
        return single_bits(self.state.accumulators[number])

    def f16v4gacc(self) -> Words:
        """A0, A2, A4, A6 as halves."""
        state = self.state
        lanes = [to_half(state, state.accumulators[number]) for number in (0, 2, 4, 6)]
        return lanes[0] | lanes[1] << 16, lanes[2] | lanes[3] << 16

    def f32v2gina(self, s0: int, s1: int, imm: int) -> Words:
        """(A0, A2); the others move down by four, and s comes in at A12 and A14."""
        old = (self._read(0), self._read(2))
        self._shift(single(s0), single(s1))
        return old

    def f16v2gina(self, s: int, imm: int) -> int:
        """The same with halves."""
        state = self.state
        old = to_half(state, state.accumulators[0]) | to_half(state, state.accumulators[2]) << 16
        self._shift(HALVES[s & 0xFFFF], HALVES[s >> 16])
        return old

    def _shift(self, first: float, second: float) -> None:
        accumulators = self.state.accumulators
        for number in range(0, 12, 2):
            accumulators[number] = accumulators[number + 4]
        accumulators[12], accumulators[14] = first, second

    def _add_all(self, values: list[float], form: str) -> None:
        for number, value in enumerate(values):
            if form == "sqacc":
                value = self._product(value, value)
            self._accumulate(2 * number, abs(value) if form == "absacc" else value)

    # --- conversions ---

    def f32fromi32(self, s: int) -> int:
        """Of a signed integer."""
        return from_integer(self.state, (s ^ 0x80000000) - 0x80000000)

    def f32fromui32(self, s: int) -> int:
        """Of an integer without sign."""
        return from_integer(self.state, s)

    def f32toi32(self, s: int) -> int:
        """To a signed integer."""
        return to_integer(self.state, s, -(1 << 31), (1 << 31) - 1)

    def f32toui32(self, s: int) -> int:
        """To an integer without sign."""
        return to_integer(self.state, s, 0, (1 << 32) - 1)

    def f32int(self, s: int, mode: int) -> int:
        """The integral number next to ``s``."""
        return to_integral(self.state, s, mode)

    def f32tof16(self, s: int) -> int:
        """A half, in both halves of the word."""
        return to_half(self.state, single(s)) * 0x10001

    def f32v2tof16(self, s0: int, s1: int) -> int:
        """Two halves in a word."""
        state = self.state
        return to_half(state, single(s0)) | to_half(state, single(s1)) << 16

    def f32v4tof16(self, s0: int, s1: int, s2: int, s3: int) -> Words:
        """Four halves in two words."""
        return self.f32v2tof16(s0, s1), self.f32v2tof16(s2, s3)

    def f16tof32(self, s: int) -> int:
        """The low half."""
        return single_bits(HALVES[s & 0xFFFF])

    def f16v2tof32(self, s: int) -> Words:
        """Both halves."""
        return single_bits(HALVES[s & 0xFFFF]), single_bits(HALVES[s >> 16])

    # --- sums, maxima and classes across lanes ---

    def f16v2sum(self, s: int) -> int:
        """The sum in single precision."""
        return to_single(self.state, HALVES[s & 0xFFFF] + HALVES[s >> 16])

    def f16v4sum(self, s0: int, s1: int) -> Words:
        """Of each word."""
        return self.f16v2sum(s0), self.f16v2sum(s1)

    def f16v2maxc(self, s: int) -> int:
        """The larger half, in both halves of the word."""
        return _MAX[1](self.state, s & 0xFFFF, s >> 16) * 0x10001

    def f16v4maxc(self, s0: int, s1: int) -> int:
        """The largest of four."""
        state = self.state
        return _MAX[1](state, self.f16v2maxc(s0) & 0xFFFF, self.f16v2maxc(s1) & 0xFFFF) * 0x10001

    def f32class(self, s: int) -> int:
        """The code of its class."""
        return class_code(s, 8, 23)

    def f32v2class(self, s0: int, s1: int) -> int:
        """A byte for each lane."""
        return class_code(s0, 8, 23) | class_code(s1, 8, 23) << 8

    def f16v2class(self, s: int) -> int:
        """A byte for each lane."""
        return class_code(s & 0xFFFF, 5, 10) | class_code(s >> 16, 5, 10) << 8

    def f16v4class(self, s0: int, s1: int) -> int:
        """A byte for each lane."""
        return self.f16v2class(s0) | self.f16v2class(s1) << 16

    # --- random numbers ---

    def f32sufromui(self, s: int) -> int:
        """Uniform in (-1/2, 1/2)."""
        return single_bits(centred(s, 32))

    def f32v2sufromui(self, s0: int, s1: int) -> Words:
        """Both lanes."""
        return self.f32sufromui(s0), self.f32sufromui(s1)

    def f16v2sufromui(self, s: int) -> int:
        """Two lanes of 16 bits."""
        return half_bits_of(centred(s & 0xFFFF, 16)) | half_bits_of(centred(s >> 16, 16)) << 16

    def f16v4sufromui(self, s0: int, s1: int) -> Words:
        """Four lanes of 16 bits."""
        return self.f16v2sufromui(s0), self.f16v2sufromui(s1)

    def urand32(self) -> int:
        """32 random bits."""
        return self.state.next_random()

    def urand64(self) -> Words:
        """64 random bits."""
        return self.state.next_random(), self.state.next_random()

    def f32v2grand(self) -> Words:
        """Two normally distributed numbers (Box and Muller, 1958)."""
        first, second = self._normal()
        return single_bits(first), single_bits(second)

    def f16v2grand(self) -> int:
        """The same as halves."""
        first, second = self._normal()
        return half_bits_of(first) | half_bits_of(second) << 16

    def _normal(self) -> tuple[float, float]:
        radius = math.sqrt(-2.0 * math.log((self.state.next_random() + 1) / 2.0**32))
        angle = 2.0 * math.pi * self.state.next_random() / 2.0**32
        return radius * math.cos(angle), radius * math.sin(angle)


_MAX, _MIN = BINARY_LANES["max"], BINARY_LANES["min"]


def _halves(*words: int) -> tuple[float, ...]:
    return tuple(HALVES[half] for word in words for half in (word & 0xFFFF, word >> 16))


def _singles(*words: int) -> tuple[float, ...]:
    return tuple(map(single, words))


def _on_singles(lane: Lane) -> Callable[..., int]:
    return lambda self, s, t: lane(self.state, s, t)


def _on_pairs(lane: Lane) -> Callable[..., Words]:
    return lambda self, s0, s1, t0, t1: (lane(self.state, s0, t0), lane(self.state, s1, t1))


def _on_two_halves(lane: Lane) -> Callable[..., int]:
    def operation(self: FloatUnit, s: int, t: int) -> int:
        return lane(self.state, s & 0xFFFF, t & 0xFFFF) | lane(self.state, s >> 16, t >> 16) << 16

    return operation


def _on_four_halves(lane: Lane) -> Callable[..., Words]:
    two = _on_two_halves(lane)
    return lambda self, s0, s1, t0, t1: (two(self, s0, t0), two(self, s1, t1))


def _function(name: str) -> Callable[..., int]:
    def operation(self: FloatUnit, s: int) -> int:
        return (
            to_single(self.state, elementary(self.state, name, single(s)))
            if s & INFINITY != INFINITY
            else _special(self, name, s)
        )

    return operation


def _special(unit: FloatUnit, name: str, s: int) -> int:
    """Of infinities and NaN: what comes out raises no overflow."""
    return single_bits(elementary(unit.state, name, single(s)))


def _function_of_halves(name: str) -> Callable[..., int]:
    def lane(unit: FloatUnit, half: int) -> int:
        x = HALVES[half]
        value = elementary(unit.state, name, x)
        if math.isinf(value) and math.isfinite(x) and x:
            # It overflowed; at zero there is a pole.
            value = math.copysign(LARGEST, value)
        return to_half(unit.state, value)

    return lambda self, s: lane(self, s & 0xFFFF) | lane(self, s >> 16) << 16


def _sum_of(form: str, of_halves: bool) -> Callable[..., None]:
    values = _halves if of_halves else _singles
    return lambda self, *words: self._add_all(list(values(*words)), form)


def _install(name: str, operation: Callable[..., Any]) -> None:
    setattr(FloatUnit, name, operation)


for _name, (_single_lane, _half_lane) in BINARY_LANES.items():
    _install(f"f32{_name}", _on_singles(_single_lane))
    _install(f"f32v2{_name}", _on_pairs(_single_lane))
    _install(f"f16v2{_name}", _on_two_halves(_half_lane))
    _install(f"f16v4{_name}", _on_four_halves(_half_lane))
for _name in ("exp", "exp2", "ln", "log2", "tanh", "sqrt", "sigm", "oox", "oorx"):
    _install(f"f32{_name}", _function(_name))
for _name in ("exp", "exp2", "ln", "log2", "tanh", "sigm"):
    _install(f"f16v2{_name}", _function_of_halves(_name))
for _name in ("acc", "absacc", "sqacc"):
    _install(f"f32v4{_name}", _sum_of(_name, False))
    _install(f"f16v8{_name}", _sum_of(_name, True))
    _install(f"f16v4{_name}", _sum_of(_name, True))
for _name, _make in FAST.items():
    _install(_name, _make(getattr(FloatUnit, _name)))
