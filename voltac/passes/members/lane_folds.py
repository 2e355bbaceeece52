"""Registers with several elements of each lane -> one element a lane: by pairs of registers, each of which becomes half of one.

Where an element stands in the lane's row makes no difference to a sum or a minimum, so that lanes are followed, not
elements. With rows of four elements of 32 bits:

    %low  = shufflevector %a, %b, <0, 4, 1, 5, ...>         a0 b0 a1 b1         (both of the same lanes in the same places)
    %high = shufflevector %a, %b, <2, 6, 3, 7, ...>         a2 b2 a3 b3
    %half = add %low, %high                                 and with that of %c and %d again: a b c d

A transposition has as many shuffles in each step as registers, these have half as many from step to step. All but those of
rows longer than 16 bytes, and the last one, stay within 16 bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from voltac.passes.accesses.emit import Emitter
from voltac.records import mutable_record

CHUNK = 16
"""Bytes within which shuffles of x86 are cheapest."""


@mutable_record(eq=False)
class HeldLanes:
    """A value, and the lane of each of its elements; -1 for what is of none."""

    value: str
    owners: list[int]


class LaneFold:
    """Of registers of integers; each has the elements of its lanes side by side, lanes in their order."""

    def __init__(self, emit: Emitter, bits: int, count: int, operation: Callable[[str, str, str], str]) -> None:
        """``count``: elements of a register. ``operation``: writes it for a type and two values."""
        self.emit = emit
        self.bits = bits
        self.count = count
        self.operation = operation

    @property
    def vector(self) -> str:
        """IR type of a register."""
        return f"<{self.count} x i{self.bits}>"

    @property
    def chunk(self) -> int:
        """Elements within which shuffles are cheap."""
        return CHUNK * 8 // self.bits

    def fold(self, values: list[str], members: int) -> list[HeldLanes]:
        """One element of each lane; ``members``: how many there are of each in a row."""
        registers = [
            HeldLanes(value, [(number * self.count + at) // members for at in range(self.count)])
            for number, value in enumerate(values)
        ]
        while members > self.count:
            registers = [self._pair(registers[at], registers[at + 1]) for at in range(0, len(registers), 2)]
            members //= 2
        while members > self.chunk:
            registers = self._halve(registers, self._of_chunks)
            members //= 2
        if members > 1 and members < self.chunk:
            registers = [self._interleaved(each, members) for each in registers]
        unit = self.chunk // members
        while unit < self.chunk:
            registers = self._halve(registers, partial(self._of_units, unit))
            unit *= 2
        return registers

    def _pair(self, first: HeldLanes, second: HeldLanes) -> HeldLanes:
        assert first.owners == second.owners
        return HeldLanes(self.operation(self.vector, first.value, second.value), first.owners)

    def _halve(self, registers: list[HeldLanes], places: Callable[[int], list[int]]) -> list[HeldLanes]:
        """``places``: of one side of two registers together."""
        made = []
        for at in range(0, len(registers), 2):
            first = registers[at]
            second = registers[at + 1] if at + 1 < len(registers) else HeldLanes("poison", [-1] * self.count)
            owners = [*first.owners, *second.owners]
            sides = []
            for side in (0, 1):
                mask = [place if owners[place] >= 0 else -1 for place in places(side)]
                sides.append(HeldLanes(self._shuffled(first, second, mask), [owners[place] for place in places(side)]))
            made.append(self._pair(*sides))
        return made

    def _shuffled(self, first: HeldLanes, second: HeldLanes, mask: list[int]) -> str:
        return self.emit.shuffle(self.vector, first.value, second.value, mask)

    def _of_chunks(self, side: int) -> list[int]:
        """Every second chunk of both registers."""
        chunks = range(side, 2 * self.count // self.chunk, 2)
        return [chunk * self.chunk + at for chunk in chunks for at in range(self.chunk)]

    def _of_units(self, unit: int, side: int) -> list[int]:
        """The lower or upper halves of the chunks, units of both registers in turn."""
        half = self.chunk // 2
        return [
            register * self.count + chunk + side * half + start + at
            for chunk in range(0, self.count, self.chunk)
            for start in range(0, half, unit)
            for register in (0, 1)
            for at in range(unit)
        ]

    def _interleaved(self, register: HeldLanes, members: int) -> HeldLanes:
        """The first members of all lanes of a chunk, then the second ones, and so on."""
        lanes = self.chunk // members
        places = [
            chunk + lane * members + member
            for chunk in range(0, self.count, self.chunk)
            for member in range(members)
            for lane in range(lanes)
        ]
        value = self.emit.shuffle(self.vector, register.value, "poison", places)
        return HeldLanes(value, [register.owners[place] for place in places])

    def narrow(self, registers: list[HeldLanes], bits: int) -> list[HeldLanes]:
        """The low bits of each lane's element, two registers becoming one."""
        while self.bits > bits:
            self.bits //= 2
            self.count *= 2
            wide = f"<{self.count // 2} x i{2 * self.bits}>"
            low = [
                HeldLanes(
                    self.emit.value("low", f"bitcast {wide} {each.value} to {self.vector}"),
                    [owner for lane in each.owners for owner in (lane, -1)],
                )
                for each in registers
            ]
            packed = []
            for at in range(0, len(low), 2):
                first = low[at]
                second = low[at + 1] if at + 1 < len(low) else HeldLanes("poison", [-1] * self.count)
                owners = [*first.owners, *second.owners]
                places = self._of_low_halves()
                mask = [place if owners[place] >= 0 else -1 for place in places]
                packed.append(HeldLanes(self._shuffled(first, second, mask), [owners[place] for place in places]))
            registers = packed
        return registers

    def _of_low_halves(self) -> list[int]:
        return [
            register * self.count + chunk + at
            for chunk in range(0, self.count, self.chunk)
            for register in (0, 1)
            for at in range(0, self.chunk, 2)
        ]

    def in_order(self, registers: list[HeldLanes], lanes: int) -> str:
        """All lanes in one vector."""
        parts: list[tuple[str, int]] = []
        for each in registers:
            owners = sorted(owner for owner in each.owners if owner >= 0)
            mask = [each.owners.index(owner) for owner in owners]
            value = each.value
            if mask != list(range(self.count)):
                value = self.emit.shuffle(self.vector, value, "poison", mask)
            parts.append((value, len(mask)))
        while len(parts) > 1:
            joined = []
            for at in range(0, len(parts), 2):
                (first, count), (second, _) = parts[at], parts[at + 1]
                type_text = f"<{count} x i{self.bits}>"
                joined.append((self.emit.shuffle(type_text, first, second, list(range(2 * count))), 2 * count))
            parts = joined
        assert parts[0][1] == lanes
        return parts[0][0]
