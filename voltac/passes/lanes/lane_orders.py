"""Shuffles before and behind arithmetic -> such as stay within halves of a register, the lanes between in another order.

    %re = shufflevector %v0, %v1, <0, 2, 4, 6, 8, 10, 12, 14>           <0, 2, 8, 10, 4, 6, 12, 14>
    %im = shufflevector %v0, %v1, <1, 3, 5, 7, 9, 11, 13, 15>           <1, 3, 9, 11, 5, 7, 13, 15>
    %x, %y = arithmetic on all lanes alike                        ->    the same
    %r0 = shufflevector %x, %y, <0, 8, 1, 9, 2, 10, 3, 11>              <0, 8, 1, 9, 4, 12, 5, 13>
    %r1 = shufflevector %x, %y, <4, 12, 5, 13, 6, 14, 7, 15>            <2, 10, 3, 11, 6, 14, 7, 15>

Registers of 256 bits shuffle each half by itself in one instruction; what goes over from half to half takes two, or one that
takes three times as long. Interleaved pairs (complex numbers, points, two channels) come so from vectors, and go back; so do
members of structs of four.
Which lane is computed where makes no difference to values that only shuffles take in and let out: each of those gets
the lanes from where they are now. Values that are the same in all lanes stay as they are. What is stored as it is has its lanes
put in order before; that gains where several values were shuffled to make it.
"""

from __future__ import annotations

from voltac.ir import match as m
from voltac.ir.constants import splatted
from voltac.ir.model import Block, Function, Instruction, Module
from voltac.ir.parts import BINARY, CASTS, FLOAT_BINARY, Operand
from voltac.ir.types import element_of, lanes_of
from voltac.ir.uses import Uses
from voltac.options import Options
from voltac.passes.facts.shuffles_behind import ShufflesBehind, mask_of
from voltac.passes.loops.lane_loops import scalar_callee

_ORDERS = {8: ((0, 1, 4, 5, 2, 3, 6, 7), (0, 2, 4, 6, 1, 3, 5, 7)), 4: ((0, 2, 1, 3),)}
"""By lanes of 256 bits: what shuffles within the halves make of every second element of two registers, every fourth of four."""
REGISTER = 256
BITS = {"float": 32, "i32": 32, "double": 64, "i64": 64}
"""Of a register, and of the lanes that are looked at."""
_LANEWISE = frozenset((*BINARY, *FLOAT_BINARY, *CASTS, "fneg", "freeze", "icmp", "fcmp", "select"))
_MOST_VALUES = 200
"""That are looked at for one of these. Chosen, not measured."""
_ACROSS = 3
"""What a shuffle from half to half takes, in those within halves: cycles until its result is there."""


def order_lanes(module: Module, options: Options) -> None:
    """Rewrite the module."""
    for function in module.often_called:
        uses: Uses | None = None
        definitions: dict[str, Instruction] = {}
        for block in function.blocks:
            seen: set[str] = set()
            for each in list(block.instructions):
                if each.name in seen or not _goes_across(each):
                    continue
                if uses is None:
                    uses, definitions = Uses(function.instructions()), function.definitions()
                lanes = _Lanes(function, block, uses, definitions, lanes_of(each.type))
                if lanes.collect(each) and lanes.gains():
                    lanes.write()
                seen |= lanes.values


def _goes_across(made: Instruction) -> bool:
    """Whether it is a shuffle of registers of which an order of lanes may make a better one."""
    if (
        made.op != "shufflevector"
        or made.text.endswith("zeroinitializer")
        or not _is_register(made.type)
        or not _is_register(made.operands[0].type)
    ):
        return False
    return len(set(mask_of(made))) > 1 and _cost(mask_of(made)) > 1


def _is_register(vector: str) -> bool:
    return BITS.get(element_of(vector), 0) * lanes_of(vector) == REGISTER


class _Lanes:
    """Values of a block whose lanes may stand in any order."""

    def __init__(self, function: Function, block: Block, uses: Uses, definitions: dict[str, Instruction], count: int) -> None:
        self.function = function
        self.uses = uses
        self.definitions = definitions
        self.inside = {each.name: each for each in block.instructions if each.name}
        self.count = count
        self.order: tuple[int, ...] = tuple(range(count))
        self.values: set[str] = set()
        self.stores: list[Instruction] = []
        """Of values: their lanes are put in order before."""
        self.shuffles: dict[str, Instruction] = {}
        """What takes them in or lets them out."""
        self.behind = ShufflesBehind(block, uses)
        """What follows those that let them out."""

    def collect(self, first: Instruction) -> bool:
        """All that a shuffle's result is computed with; whether only such shuffles are around it."""
        work = [first.name]
        while work:
            name = work.pop()
            if name in self.values:
                continue
            made = self.inside.get(name)
            if made is None or len(self.values) >= _MOST_VALUES or lanes_of(made.type) != self.count:
                return False
            self.values.add(name)
            if made.op == "shufflevector":
                self.shuffles[name] = made
            elif not self._demand(made.operands, work):
                return False
            for user in self.uses.of(name):
                if user.op == "store" and user.operands[0].value == name and _is_register(user.operands[0].type):
                    self.stores.append(user)
                    continue
                if user.name not in self.inside or not lanes_of(user.type):
                    return False
                if user.op == "shufflevector":
                    self.shuffles[user.name] = user
                    if not self._demand(user.operands, work):
                        return False
                elif is_lanewise(user):
                    work.append(user.name)
                else:
                    return False
        return all(_is_register(each.type) and _is_register(each.operands[0].type) for each in self.shuffles.values())

    def _demand(self, operands: tuple[Operand, ...] | list[Operand], work: list[str]) -> bool:
        """Whether operands are the same in all lanes, or can be among the values."""
        for each in operands:
            if not lanes_of(each.type) or is_same_in_lanes(each, self.definitions):
                continue
            made = self.inside.get(each.value)
            if made is None or not (made.op == "shufflevector" or is_lanewise(made)):
                return False
            work.append(each.value)
        return True

    def gains(self) -> bool:
        """Whether more stays within halves in another order, which is chosen."""

        as_it_is = tuple(range(self.count))
        self.behind.collect([each for each in self.shuffles.values() if each.name not in self.values])
        last = sum(_cost(mask_of(each)) for each in self.behind.last)

        def cost(order: tuple[int, ...]) -> int:
            self.order = order
            if self.stores:
                back = _ACROSS * len(self.stores) * (order != as_it_is)
                return back + sum(_cost(self._reordered(each)) for each in self.shuffles.values())
            if order != as_it_is and self.behind.find_held(order):
                return sum(
                    _cost(self._reordered(each) if each.name in self.values else mask_of(each))
                    for each in self.shuffles.values()
                )
            return last + sum(_cost(self._reordered(each)) for each in self.shuffles.values())

        self.order = min((as_it_is, *_ORDERS[self.count]), key=cost)
        return self.order != as_it_is

    def _reordered(self, shuffle: Instruction) -> tuple[int, ...]:
        mask = mask_of(shuffle)
        if shuffle.name in self.values:
            mask = tuple(mask[lane] for lane in self.order)
        place = {lane: at for at, lane in enumerate(self.order)}
        moved = [each.value in self.values for each in shuffle.operands]
        return tuple(
            lane if lane < 0 or not moved[lane // self.count] else lane - lane % self.count + place[lane % self.count]
            for lane in mask
        )

    def write(self) -> None:
        """Give the shuffles their masks, and what is stored its order."""
        self._order_stored()
        held = self.behind.find_held(self.order)
        for each, value in held.items():
            _set_mask(each, value, "poison", tuple(range(self.count)))
        for each in self.shuffles.values():
            if each.name in self.values or not held:
                first, second = each.operands
                _set_mask(each, first.value, second.value, self._reordered(each))

    def _order_stored(self) -> None:
        if not self.stores:
            return
        fresh = self.function.fresh_names()
        place = [self.order.index(lane) for lane in range(self.count)]
        mask = ", ".join(f"i32 {at}" for at in place)
        for store in self.stores:
            value, name = store.operands[0], fresh("ordered")
            home = next(block for block in self.function.blocks if any(each is store for each in block.instructions))
            at = next(number for number, each in enumerate(home.instructions) if each is store)
            text = f"  {name} = shufflevector {value.type} {value.value}, {value.type} poison, <{self.count} x i32> <{mask}>"
            home.instructions.insert(at, Instruction(text))
            self.uses.remove(store)
            store.rename({value.value: name})
            self.uses.add(home.instructions[at])
            self.uses.add(store)
            self.values.add(name)


def _cost(mask: tuple[int, ...]) -> int:
    if all(lane in (-1, place) for place, lane in enumerate(mask)):
        return 0
    return 1 if stays_within(mask) else _ACROSS


def stays_within(mask: tuple[int, ...]) -> bool:
    """Whether lanes stay in their halves of a register."""
    half = len(mask) // 2
    return all(lane < 0 or lane % len(mask) // half == place // half for place, lane in enumerate(mask))


def _set_mask(shuffle: Instruction, first: str, second: str, lanes: tuple[int, ...]) -> None:
    attached = shuffle.parts.metadata.get("dbg")
    mask = ", ".join("i32 poison" if lane < 0 else f"i32 {lane}" for lane in lanes)
    shuffle.text = (
        f"  {shuffle.name} = shufflevector {shuffle.type} {first}, {shuffle.type} {second}, "
        f"<{len(lanes)} x i32> <{mask}>" + (f", !dbg {attached}" if attached else "")
    )


def is_lanewise(made: Instruction) -> bool:
    """Whether an instruction computes each lane by itself."""
    if made.op == "call":
        return scalar_callee(made.parts.callee) is not None
    return made.op in _LANEWISE and all(lanes_of(each.type) in (0, lanes_of(made.type)) for each in made.operands)


def is_same_in_lanes(operand: Operand, definitions: dict[str, Instruction]) -> bool:
    """Whether a vector is one value in all lanes, or none that counts."""
    if operand.value[0] != "%":
        return operand.value in ("zeroinitializer", "poison", "undef") or splatted(operand.value) is not None
    return m.scalar_of_splat(operand.value, definitions) is not None
