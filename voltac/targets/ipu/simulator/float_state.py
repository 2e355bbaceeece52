"""What a worker's float unit remembers: flags, control bits, accumulators, the scale, the random generator (IPU 1.3)."""

from __future__ import annotations

from voltac.targets.ipu.simulator.faults import FLOAT, TileFault

INVALID, DIVIDE_BY_ZERO, OVERFLOW = 1, 2, 4
"""Flags of ``$FP_STS``, bits of ``$FP_CLR``, trap enables of ``$FP_CTL``."""
CLEAR_ACCUMULATORS = 8
"""The bit of ``$FP_CLR`` that zeroes ``$AACC``."""
_NAMES = {INVALID: "invalid", DIVIDE_BY_ZERO: "division by zero", OVERFLOW: "overflow"}
_ROUNDING, _STOCHASTIC, _NAN_ON_OVERFLOW = 16, 1 << 19, 1 << 20
"""Where ``$FP_CTL`` has the rounding mode, and its bits ESR and NANOO."""
_WORD = 0xFFFFFFFF
"""All bits of a register."""
_STS, _CLR, _CTL, _PRNG, _SEED, _TAS = 0, 1, 2, 3, 7, 8
"""Numbers of the registers of the upper file; the generator's state takes four."""


class FloatState:
    """Control registers of the upper file, by their numbers."""

    def __init__(self, control: int, accumulators: int) -> None:
        self.flags = 0
        self.accumulators = [float("nan")] * accumulators
        """Undefined at launch (IPU 1.2)."""
        self.scale = 0x7FC00BAD
        """``$TAS``: undefined at launch, so a NaN."""
        self.random = [1, 2, 3, 4]
        self.seed(0)
        self.set_control(control)

    def set_control(self, control: int) -> None:
        """``$FP_CTL``."""
        self.control = control
        self.traps = control & 7
        self.mode = control >> _ROUNDING & 7
        if self.mode > 4:
            self.mode = 0
        self.stochastic = bool(control & _STOCHASTIC)
        self.nan_on_overflow = bool(control & _NAN_ON_OVERFLOW)
        self.plain = not self.mode and not self.stochastic
        """Results are rounded to the nearest, as the fast forms of the operations do it."""

    def raise_flag(self, flag: int) -> None:
        """An operation was invalid, divided by zero or overflowed."""
        self.flags |= flag
        if flag & self.traps:
            raise TileFault(FLOAT, f"{_NAMES[flag]}, whose trap is enabled in $FP_CTL")

    def seed(self, value: int) -> None:
        """``$PRNG_SEED`` (IPU 1.3)."""
        other = value ^ _WORD
        self.random = [value, other, _rotated(value), _rotated(other)]

    def next_random(self) -> int:
        """32 random bits, by Marsaglia's xorshift of 128 bits (Xorshift RNGs, 2003); the hardware's is not public.

        Appleby's finalizer (MurmurHash3, 2011) mixes them, so that seeds that are close give numbers that are not.
        """
        x, y, z, w = self.random
        if not x | y | z | w:
            w = 1
        t = x ^ x << 11 & _WORD
        new = w ^ w >> 19 ^ t ^ t >> 8
        self.random = [y, z, w, new]
        mixed = (new ^ new >> 16) * 0x85EBCA6B & _WORD
        mixed = (mixed ^ mixed >> 13) * 0xC2B2AE35 & _WORD
        return mixed ^ mixed >> 16

    def read(self, number: int) -> int:
        """``uget``."""
        match number:
            case 0:
                return self.flags
            case 2:
                return self.control
            case 8:
                return self.scale
        return self.random[number - _PRNG] if _PRNG <= number < _SEED else 0

    def write(self, number: int, value: int) -> None:
        """``uput``."""
        if number == _STS:
            self.flags = value & 7
        elif number == _CLR:
            self.flags &= ~value
            if value & CLEAR_ACCUMULATORS:
                self.accumulators[:] = [0.0] * len(self.accumulators)
        elif number == _CTL:
            self.set_control(value)
        elif number == _TAS:
            self.scale = value
        elif number == _SEED:
            self.seed(value)
        elif _PRNG <= number < _SEED:
            self.random[number - _PRNG] = value


def _rotated(value: int) -> int:
    return (value << 13 | value >> 19) & _WORD
