"""How many gangs a loop does at once: enough that registers are filled, or that something is done while others wait."""

from __future__ import annotations

from voltac.ir.types import lanes_of
from voltac.passes.accesses.access import Access, lane_steps
from voltac.passes.gangs.wide_bodies import MOST_REGISTERS, PIXEL, WideBody
from voltac.passes.loops.live_values import most_live
from voltac.passes.loops.long_chains import GANGS, WORK_OF_CYCLE, is_division, waits_in_line
from voltac.passes.loops.narrow_sums import enough, fewest_gangs
from voltac.passes.loops.wide_walks import MOST_LONG_CHAINS, factor_of_walk, waits_long

_MOST_LIVE = 28
"""Registers that all values together may take at a time, where there are 16: with 26 a transform of 8 words still gains by two
gangs, with 32 the colours of two pixels take 2.3 times as long by four gangs as by two, most of them in memory."""
_MOST_BESIDE_CONSTANTS = 24
"""The same of bodies that are as long as several loops, and have many constants: pow, with 22, gains."""
_WORK_BESIDE_LOOKUPS = 1
"""Instructions for each cycle of the longest chain where lookups in registers of 512 bits, which have one unit, are among
them: by two gangs erfc, with 1.16, takes 1.12 of the time, erf, with 0.8, 0.94."""
_MOST_AT_ONCE = 32
"""Vector instructions of a loop in the body, of all gangs together."""
_MOST_CHAINS = 8
"""What such a loop carries on, of all gangs together: enough for two additions a cycle that take four."""
_IRREGULAR = 8
"""Such instructions that a load lane by lane counts for: two of them side by side keep a processor busy."""


def factors_of(body: WideBody, only_waits: bool) -> tuple[int, int]:
    """For a body that several gangs may do at once, and for what those leave; 1 where that gains nothing.

    ``only_waits``: it is too long for anything but that one gang's work is done while another one's waits. Of the sums of
    ``body.narrow`` those stay that are narrow with so many gangs.
    """
    choice = _Choice(body, only_waits)
    factor = choice.factor()
    return factor, choice.fewer if 2 * choice.fewer <= factor else 1


def _fills_words(access: Access) -> bool:
    """Whether the elements of single gangs, equally far apart, fill registers."""
    apart = set(lane_steps(access))
    return len(apart) == 1 and min(apart) > 0 and min(apart) % PIXEL == 0


class _Choice:
    def __init__(self, body: WideBody, only_waits: bool) -> None:
        self.body = body
        self.only_waits = only_waits
        self.many = 1 + body.target.has_avx512
        """Registers, in multiples of 16."""
        self.register = body.target.vector_bits // 8
        self.filling = max(1, self.register // (body.widest * body.width))
        """Gangs that together fill a register, which cost what one does."""
        self.fewer = 1
        """How many gangs to do at once of what the others leave."""

    def factor(self) -> int:
        body = self.body
        if body.inner:
            return self._around_loops()
        if body.branches.tests or body.parted or body.in_turn:
            return GANGS if self._waits_in_line() else 1
        smallest = self._smallest()
        most = self._most(smallest)
        body.narrow = {
            each.phi.name: body.narrow[each.phi.name]
            for each in body.carried
            if each.phi.name in body.narrow and enough(body.narrow[each.phi.name], each.type, most * body.width)
        }
        if body.carried and len(body.narrow) == len(body.carried):
            self.fewer = fewest_gangs(body.narrow, self.register // (smallest * body.width))
        if body.carried and (smallest <= 2 or not all(each.is_sum for each in body.carried)):
            return max(1, most)
        if (body.in_blocks or body.in_cycles) and body.start_multiple() % (self.register // smallest):
            return 1
        if body.in_cycles and body.target.has_avx512 and body.widest > 1:
            return 1  # Gangs of 16 words or 16-bit numbers lose nothing, and leave less.
        if self._waits_in_line():
            return GANGS
        if self.only_waits or self._is_full():
            return 1
        factor = max(1, min(self.register // (smallest * body.width), most))
        if body.only_fills:
            return min(factor, self.filling)
        if not body.carried and factor > self.filling and self._live(factor) > _MOST_LIVE * self.many:
            return max(self.filling, factor // 2)
        return factor

    def _smallest(self) -> int:
        """Bytes of the smallest element, of which many gangs fill a register."""
        body = self.body
        cuts_words = body.has_shorts and any(access.size == PIXEL for access in body.accesses)
        if body.widest >= PIXEL and not cuts_words and all(_fills_words(access) for access in body.accesses):
            # Whole elements that members are cut out of (wide_elements): they fill registers, and so does what is computed.
            return PIXEL
        return min(access.size for access in body.accesses)

    def _most(self, smallest: int) -> int:
        """Gangs of which a value of the widest type takes no more registers than it may."""
        body = self.body
        most = MOST_REGISTERS * self.register // (body.widest * body.width)
        if not body.is_narrow or any(access.is_store for access in body.accesses):
            return most
        # What is wide in single gangs stays narrow here.
        counted = [each.divisor for each in body.narrow.values() if each.counts]
        return max(most, *counted) if counted else MOST_REGISTERS * self.register // (smallest * body.width)

    def _waits_in_line(self) -> bool:
        """Whether each step of a long body waits for the one before, and registers suffice for two gangs."""
        body = self.body
        if body.carried or body.widest != PIXEL or body.widest * body.width != self.register:
            return False
        bound = _WORK_BESIDE_LOOKUPS if body.parted and body.target.has_avx512 else WORK_OF_CYCLE
        return waits_in_line(body.usual(), body.is_data, bound) and self._live(GANGS) <= _MOST_BESIDE_CONSTANTS * self.many

    def _is_full(self) -> bool:
        """Whether single gangs fill registers with floats already.

        Packing what is stored may gain nevertheless, but AVX-512 stores the lower parts of lanes anyway.
        """
        body = self.body
        if not body.has_floats or body.in_blocks or body.carried or 4 * body.width < self.register:
            return False
        return body.target.has_avx512 or all(access.size >= 4 for access in body.accesses if access.is_store)

    def _live(self, factor: int) -> int:
        """Registers that values of so many gangs take at a time."""
        body = self.body
        return max(most_live(block, body.is_data, body.values.layout, factor, self.register) for block in body.loop.blocks)

    def _around_loops(self) -> int:
        """Of a body with loops in it."""
        body = self.body
        inner = [body.accesses[number] for number in body.in_loops]
        irregular = {each.instruction.name for each in inner if body.is_irregular_load(each)}
        if not irregular and any(each.size < PIXEL and body.is_in_rows(each) for each in inner):
            return 1  # Lanes that go along rows of their own load words of them, which fill registers.
        registers = max(1, body.widest * body.width // self.register)
        if body.asking:
            return factor_of_walk(body.loop, body.inner, registers, body.is_data)
        self.fewer = self.filling
        return self.filling * self._of_loops(registers, irregular)

    def _of_loops(self, registers: int, irregular: set[str]) -> int:
        """Enough gangs that a short loop, which waits for what it sums up, has something to do meanwhile.

        ``registers``: that a value takes; ``irregular``: loads lane by lane.
        """
        body = self.body
        chains, work, divides = 0, len(irregular) * _IRREGULAR, False
        for block in body.loop.blocks:
            if block.name not in body.inner:
                continue
            if block.name in body.heads:
                chains += sum(lanes_of(phi.type) == body.width for phi in block.phis())
            for instruction in block.instructions:
                divides = divides or (lanes_of(instruction.type) > 0 and is_division(instruction))
                work += body.is_data(instruction) and instruction.op not in ("phi", "insertelement", "shufflevector")
        factor = 1 if divides else MOST_REGISTERS
        while factor > 1 and (factor * work * registers > _MOST_AT_ONCE or factor * chains * registers > _MOST_CHAINS):
            factor //= 2
        if factor == 1 and registers == 1 and 0 < chains <= MOST_LONG_CHAINS:
            if waits_long(body.loop, body.inner, irregular, body.is_data):
                return GANGS
        return factor if chains else 1
