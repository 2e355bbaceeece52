"""Iterations of a counted loop, several at a time: neighbours are loaded in pairs, sums are made in parts (IA-64 6, 12).

::

    ldf8 a=[p],8                        ldfp8 a,b=[q],16                with q = p before the loop, and p stepped behind it
    fpma c=a,s,t             ->         fpma c=a,s,t    fpma d=b,s,t
    stf8 [o]=c,8                        stf8 [r]=c,16   stf8 [u]=d,16

A loop is written so often only if nothing but addresses, counters and sums goes from one iteration to the next. Where stores
might be to what other iterations load from elsewhere, the code is for where they are not, which is tested before the loop.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from voltac.codegen.dependence import may_meet
from voltac.codegen.machine_code import AnyRegister, Immediate, MachineInstruction, Value, VirtualRegister
from voltac.codegen.rows import Row
from voltac.records import field, record, replace
from voltac.targets.ia64.select.conventions import copy
from voltac.targets.ia64.select.kernel_parts import of_row
from voltac.targets.ia64.select.pseudo import ROWS
from voltac.targets.ia64.select.registers import ONE, ZERO
from voltac.targets.ia64.select.streams import AccessPlace, Streams, address_of, is_short

_PAIRS = {"ldf8.f=[r]": ("ldfp8.f,f=[r],16", 16), "ldfs.f=[r]": ("ldfps.f,f=[r],8", 8), "ldfd.f=[r]": ("ldfpd.f,f=[r],16", 16)}
"""Load -> what loads two, and the bytes."""
_INTEGER_SUMS = ("add.r=r,r", "padd1.r=r,r", "padd2.r=r,r", "padd4.r=r,r")
_FLOAT_SUMS = ("fma.s.s0.f=f,f,f", "fma.d.s0.f=f,f,f", "fpma.s0.f=f,f,f")
"""What adds its last operand."""
_FARTHEST_OFFSET = 0x1000
"""Of a copy's address from the loop's: one addition makes it."""
_MOST_APART = 6
"""Tests before a loop that two addresses are apart. Chosen: each is five instructions."""
_PAIR_OF_ONES = 0x3F8000003F800000
"""Two floats that are 1 (IA-64 7)."""


@record
class TouchedStretch:
    """What the accesses at one stepped address touch in an iteration, from its address on in the first."""

    register: VirtualRegister
    first: int
    size: int
    step: int


@record(eq=False)
class Unrolled:
    """A loop's code for so many iterations."""

    code: list[MachineInstruction]
    parts: dict[AnyRegister, list[AnyRegister]] = field(default_factory=dict)
    """A register that the loop adds to -> those of the other iterations, which begin with 0."""
    aligned: list[tuple[VirtualRegister, int]] = field(default_factory=list)
    """Addresses of pairs before the loop, and what they have to be multiples of."""
    apart: list[tuple[TouchedStretch, TouchedStretch]] = field(default_factory=list)
    """What has to be apart in all iterations."""


def sums_of(streams: Streams, any_order: bool) -> dict[AnyRegister, MachineInstruction]:
    """The registers that a loop only adds to, and what does; those of floats where they may be added in ``any_order``."""
    found: dict[AnyRegister, MachineInstruction] = {}
    for one in streams.code:
        rows, places = (_INTEGER_SUMS, (1, 2)) if one.row.name in _INTEGER_SUMS else (_FLOAT_SUMS, (3,))
        register = one.values[0] if one.values else None
        if one.row.name not in rows or one.mask is not None or (rows is _FLOAT_SUMS and not any_order):
            continue
        is_only = (
            isinstance(register, VirtualRegister) and one.values[1:].count(register) == 1 and register not in streams.steps
        )
        if not is_only or not any(one.values[place] == register for place in places):
            continue
        assert isinstance(register, VirtualRegister)
        if not any(register in (*other.reads(), *other.writes()) for other in streams.code if other is not one):
            found[register] = one
    return found


def nothing_of(register: AnyRegister) -> MachineInstruction:
    """Lets a part of a sum begin."""
    return copy(register, ZERO[register.kind])


def added(
    one: MachineInstruction, to: AnyRegister, parts: Iterable[AnyRegister], ones: VirtualRegister
) -> list[MachineInstruction]:
    """Adds parts of a sum as the loop's own instruction does; ``ones`` is a register to use for a pair of them."""
    code = []
    if one.row.name in _INTEGER_SUMS:
        return [of_row(one.row.name, to, to, part) for part in parts]
    factor: AnyRegister = ONE
    if one.row.name.startswith("fpma"):
        factor = ones
        code.append(of_row("constant.pair", ones, Immediate(_PAIR_OF_ONES)))
    return [*code, *(of_row(one.row.name, to, part, factor, to) for part in parts)]


def unrolled(
    streams: Streams, times: int, sums: dict[AnyRegister, MachineInstruction], counter: VirtualRegister
) -> Unrolled | None:
    """The code for ``times`` iterations, with addresses of its own; None where the loop is none that can be written so, or
    once and nothing is gained."""
    if not _is_independent(streams, sums, counter):
        return None
    apart = _apart(streams)
    return _Copies(streams, times, sums, apart).write() if times > 1 or apart else None


def _apart(streams: Streams) -> list[tuple[TouchedStretch, TouchedStretch]]:
    """What stores of one address and accesses of another might meet in, where all accesses are at stepped addresses."""
    placed: dict[VirtualRegister, list[MachineInstruction]] = {}
    for one in streams.code:
        place = streams.places.get(id(one))
        if place is not None and one.access is not None:
            placed.setdefault(place.register, []).append(one)
        elif one.row.traits & {"load", "store"}:
            return []
    pairs = [
        (first, second)
        for first, second in combinations(placed, 2)
        if any(
            may_meet(one, other) and "store" in one.row.traits | other.row.traits
            for one in placed[first]
            for other in placed[second]
        )
    ]
    stretches = {register: _stretch(streams, register, accesses) for register, accesses in placed.items()}
    return [(stretches[first], stretches[second]) for first, second in pairs] if len(pairs) <= _MOST_APART else []


def _stretch(streams: Streams, register: VirtualRegister, accesses: list[MachineInstruction]) -> TouchedStretch:
    step = streams.steps[register]
    assert isinstance(step, int)
    places = [streams.places[id(one)] for one in accesses]
    starts = [place.offset + step * place.is_moved for place in places]
    ends = [start + one.access.size for start, one in zip(starts, accesses) if one.access is not None]
    return TouchedStretch(register, min(starts), max(ends) - min(starts), step)


def _is_independent(streams: Streams, sums: dict[AnyRegister, MachineInstruction], counter: VirtualRegister) -> bool:
    """Whether what is stepped is stepped by a constant and serves for addresses only, and else nothing is carried."""
    written: set[AnyRegister] = set()
    for one in streams.code:
        if streams.is_address(one):
            continue
        address = address_of(one)
        if address is not None and (id(one) in streams.places) != (address in streams.steps or address in streams.near):
            return False
        if address is not None and id(one) in streams.places and one.mask is not None:
            return False
        for register in dict.fromkeys(one.reads()):
            is_stepped = register in streams.steps or register in streams.near
            if is_stepped and (register != address or one.reads().count(register) > 1):
                return False
            is_carried = register in streams.written and register not in written and not is_stepped
            if is_carried and register not in sums:
                return False
        written.update(one.writes())
    steps = [step for register, step in streams.steps.items() if register not in sums]
    return all(isinstance(step, int) and step > 0 and not step & step - 1 for step in steps) and counter not in sums


class _Copies:
    def __init__(
        self,
        streams: Streams,
        times: int,
        sums: dict[AnyRegister, MachineInstruction],
        apart: list[tuple[TouchedStretch, TouchedStretch]],
    ) -> None:
        self.streams = streams
        self.apart = apart
        self.times = times
        self.sums = sums
        self.code: list[MachineInstruction] = []
        self.parts: dict[AnyRegister, list[AnyRegister]] = {register: [] for register in sums}
        self.aligned: list[tuple[VirtualRegister, int]] = []
        self.firsts: dict[int, MachineInstruction] = {}
        """Half a pair, by the load that it is of."""
        self.addresses: dict[int, VirtualRegister] = {}
        """Of pairs, by load."""

    def write(self) -> Unrolled | None:
        streams = self.streams
        for number in range(self.times):
            names: dict[Value, AnyRegister] = {}
            if number:
                for register, parts in self.parts.items():
                    names[register] = self._new(register)
                    parts.append(names[register])
            for one in streams.code:
                if streams.is_address(one):
                    continue
                place = streams.places.get(id(one))
                if place is None:
                    self.code.append(self._renamed(one, one.row, one.values, names, number))
                elif not self._access(one, place, number, names):
                    return None
        streams.times = self.times
        return Unrolled(self.code, self.parts, self.aligned, self.apart)

    def _new(self, register: AnyRegister) -> VirtualRegister:
        return self.streams.function.new_register(register.kind)

    def _renamed(
        self, one: MachineInstruction, row: Row, values: list[Value], names: dict[Value, AnyRegister], number: int
    ) -> MachineInstruction:
        """A copy whose results have names of their own; the first one has those of the loop."""
        if number:
            for register in one.writes():
                if isinstance(register, VirtualRegister) and register not in self.streams.steps:
                    names.setdefault(register, self._new(register))
        mask = names.get(one.mask, one.mask) if isinstance(one.mask, VirtualRegister) else one.mask
        return MachineInstruction(
            row,
            [names.get(value, value) for value in values],
            [names.get(value, value) for value in one.implicit_uses],
            [names.get(value, value) for value in one.implicit_defs],
            one.line, mask, one.access,
        )  # fmt: skip

    def _access(self, one: MachineInstruction, place: AccessPlace, number: int, names: dict[Value, AnyRegister]) -> bool:
        """A copy of an access, at an address of its own; whether there is one."""
        streams, address = self.streams, address_of(one)
        step = streams.steps[place.register]
        assert isinstance(step, int) and one.access is not None
        assert address is not None
        offset = place.offset + step * (place.is_moved + number)
        plain = one.row.name.removesuffix(",imm9")
        row = ROWS.rows.get(f"{plain},imm9")
        if row is None or not is_short(step * self.times) or not -_FARTHEST_OFFSET <= offset < _FARTHEST_OFFSET:
            return False
        own = self._new(address)
        origin = str(place.register) if self.apart else one.access.origin
        known = replace(one.access, origin=origin, base=f"{place.register} of {self.times}", offset=offset)
        values: list[Value] = [
            value for value in one.values if not ("increments" in one.row.traits and value is one.values[-1])
        ]
        values = [own if value == address else value for value in values]
        made_one = self._renamed(one, row, [*values, Immediate(step * self.times)], names, number)
        made_one.access = known
        if self._is_paired(one, plain, step):
            return self._half(one, plain, made_one, AccessPlace(place.register, offset, False), number)
        self._put(made_one, own, AccessPlace(place.register, offset, False))
        return True

    def _put(self, made_one: MachineInstruction, own: VirtualRegister, place: AccessPlace) -> None:
        self.streams.start(own, place, 0)
        self.streams.places[id(made_one)] = place
        self.code.append(made_one)

    def _half(self, one: MachineInstruction, plain: str, made_one: MachineInstruction, place: AccessPlace, number: int) -> bool:
        """One of two that a load of a pair loads, which is put where the first is."""
        if number % 2 == 0:
            self.firsts[id(one)] = made_one
            self.code.append(made_one)
            return True
        name, size = _PAIRS[plain]
        first = self.firsts[id(one)]
        place = replace(place, offset=place.offset - size // 2)
        assert first.access is not None
        own = self.addresses.get(id(one))
        if own is None:
            own = self.addresses[id(one)] = self.streams.function.new_register("r")
            self.streams.start(own, place, 0)
            self.aligned.append((own, size))
        both = MachineInstruction(ROWS[name], [first.values[0], made_one.values[0], own], line=one.line)
        both.access = replace(first.access, size=size)
        self.streams.places[id(both)] = place
        self.code[next(at for at, each in enumerate(self.code) if each is first)] = both
        return True

    def _is_paired(self, one: MachineInstruction, plain: str, step: int) -> bool:
        """Whether two iterations load neighbours, and no store between the two may change the second."""
        if plain not in _PAIRS or self.times % 2 or step * 2 != _PAIRS[plain][1]:
            return False
        at = next(number for number, each in enumerate(self.streams.code) if each is one)
        return not any(
            "store" in other.row.traits and self._spoils(other, one, step, number < at)
            for number, other in enumerate(self.streams.code)
        )

    def _spoils(self, store: MachineInstruction, load: MachineInstruction, step: int, is_before: bool) -> bool:
        first, second = (self.streams.places.get(id(one)) for one in (store, load))
        if first is None or second is None or first.register != second.register or store.access is None or load.access is None:
            return not self.apart and may_meet(store, load)
        # A store behind the load is one of the iteration before.
        begin = first.offset + step * first.is_moved
        start = second.offset + step * second.is_moved + (0 if is_before else step)
        return begin < start + load.access.size and start < begin + store.access.size
