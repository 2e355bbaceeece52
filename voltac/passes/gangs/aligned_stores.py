"""Loops over gangs that store consecutive elements -> the first gang is a short one, behind which stores are aligned.

    test:    %i = phi [ 0, %before ], ...          begin:    %count = elements up to the next border of a register
             br (%i < %limit), body, after                   br (there are many gangs, and %count > 0), first, aligned
    body:    ...                            ->     first:    the body for %i = 0, which stores lanes below %count only
             store %v, (%p + %i)                   aligned:  the loop from %count on, with a limit and a rest to match

An access over the border of two cache lines takes as long as two. numpy's arrays begin at multiples of 16 bytes, mostly at
the same distance from a line's border: where a store's accesses cross none, those of the loads cross none either. In the
first-level cache that is 1.2 to 1.5 times as fast, beyond it 1.1 to 1.4 (saxpy on an Intel Xeon).

Which lane does an element must not matter: every operation is one of each lane by itself, nothing goes from one gang to the
next, and nothing that is stored is loaded by another lane. Where elements may be done twice, the short gang is a whole one.
"""

from __future__ import annotations

from functools import partial

from voltac.ir.cfg import ControlFlow, NaturalLoop, loops_in_turn
from voltac.ir.lane_formulas import uniform_multiple
from voltac.ir.lane_values import LaneValues, lane_values
from voltac.ir.marks import LEFT_OVER
from voltac.ir.model import Block, Function, Instruction, Module
from voltac.ir.types import element_of, lanes_of
from voltac.options import Options
from voltac.passes.accesses.access import Access, pseudo_operation
from voltac.passes.accesses.cost_rows import has_masked
from voltac.passes.accesses.emit import Emitter, declare
from voltac.passes.facts.effects import FunctionEffects, ModuleEffects, module_effects
from voltac.passes.loops.copied_blocks import unquoted
from voltac.passes.loops.gang_loops import GangLoop
from voltac.passes.loops.shiftable import ShiftableLoop

_MOST_INSTRUCTIONS = 48
"""Of a body, without what becomes addresses: one that computes longer does not wait for memory. Chosen, not measured."""
_MOST_WRITTEN = 160
"""Of a body, all together: five neighbours are multiplied and added up in 68. Chosen, not measured."""
_FEWEST_GANGS = 16
"""For which it is worth to begin with a short one: 17 take 0.4 to 0.9 of the time (AVX2, Xeon)."""
_FEWEST_OF_STENCILS = 32
"""Where most loads cross lines all the same: 17 to 25 took 1.06 to 1.1 times as long, 50 take 0.9 to 1.0 of the time."""
_NARROWEST = 32
"""Bytes of registers that cross lines often enough: arrays begin at multiples of 16."""


def align_stores(module: Module, options: Options) -> None:
    """Rewrite the module."""
    if options.target.vector_bits // 8 < _NARROWEST:
        return
    effects: ModuleEffects | None = None
    emitters: list[Emitter] = []
    layout = module.layout(options.target.pointer_bits // 8)
    for function in module.often_called:
        if not any(pseudo_operation(each) == "scatter" for each in function.instructions()):
            continue
        values: LaneValues | None = None
        for flow, loop in loops_in_turn(function, partial(_stores, function)):
            values = values or lane_values(function, layout)
            gangs = GangLoop.of(function, loop, flow, values, _MOST_WRITTEN)
            effects = effects or module_effects(module)
            if gangs is not None and not gangs.carried and _computed(gangs, values) <= _MOST_INSTRUCTIONS:
                found = _Stream(gangs, flow, values, FunctionEffects(effects, function, values), options)
                if found.can_begin_anywhere():
                    emitter = Emitter(module, function, values)
                    if (before := found.address_before(emitter)) is not None:
                        _write(found, *before, emitter)
                        emitters.append(emitter)
                        values = None
    declare(module, emitters)


_BLOCKS = 2
"""A test and a body."""


def _stores(function: Function, loop: NaturalLoop) -> bool:
    if len(loop.blocks) != _BLOCKS or len(loop.latches) != 1:
        return False
    return any(pseudo_operation(each) == "scatter" for each in function.block(loop.latches[0]).instructions)


def _computed(loop: GangLoop, values: LaneValues) -> int:
    """Instructions of lanes whose numbers do not follow from the counter."""
    return sum(
        lanes_of(each.type) > 0 and element_of(each.type) not in ("ptr", "i64") and values.value(each.type, each.name) is None
        for each in loop.body.instructions
        if each.name
    )


class _Stream(ShiftableLoop):
    """What there is to know of a loop."""

    def __init__(
        self, loop: GangLoop, flow: ControlFlow, values: LaneValues, effects: FunctionEffects, options: Options
    ) -> None:
        super().__init__(loop, values, effects)
        self.flow = flow
        self.options = options
        self.inside = {each.name for block in (loop.header, loop.body) for each in block.instructions if each.name}

    @property
    def aligned(self) -> Access:
        """The store that decides."""
        return next(each for each in self.accesses if each.is_store)

    @property
    def register(self) -> int:
        """Bytes to whose multiples the store is to go."""
        return min(self.options.target.vector_bits // 8, self.loop.width * self.aligned.size)

    @property
    def fewest_gangs(self) -> int:
        """For which it is worth it: of loads at several distances from each other one is aligned at most."""
        distances: dict[object, set[int]] = {}
        for each in self.accesses:
            if each.address is not None and not each.is_store and not each.is_uniform:
                distances.setdefault(each.address.key, set()).add(each.offsets[0] % self.register)
        return _FEWEST_GANGS if all(len(each) == 1 for each in distances.values()) else _FEWEST_OF_STENCILS

    def can_begin_anywhere(self) -> bool:
        """Whether which element is in which lane makes no difference, and the loop has the shape."""
        if not self._is_divided() or not self.is_shiftable():
            return False
        stores = [each for each in self.accesses if each.is_store]
        if not stores or self.register < _NARROWEST or not has_masked(self.options.target, min(each.size for each in stores)):
            return False
        if any(each.size != stores[0].size or not each.all_on for each in stores):
            return False
        if any(not each.is_consecutive for each in self.accesses if not each.is_uniform):
            return False
        return all(self.same_place(one, other) or self.apart(one, other) for one, other in self.pairs())

    def address_before(self, emitter: Emitter) -> tuple[list[Instruction], str] | None:
        """Where the first gang stores, and what computes it before the loop; None where that cannot be."""
        access = self.aligned
        assert access.address is not None
        emitter.begin_block()
        address = emitter.address(access.address, access.offsets[0], access.element, access.size)
        for each in emitter.output:
            each.rename({self.loop.counter: self.loop.start})
        used = {name for each in emitter.output for name in each.names_used()}
        elsewhere = emitter.new_phis or emitter.at_end
        return (emitter.output, address) if used.isdisjoint(self.inside) and not elsewhere else None

    def _is_divided(self) -> bool:
        """``rest = extent & (width - 1)``, ``limit = end - rest``, used for nothing but this loop and what is behind it."""
        loop = self.loop
        if not self.has_limits(loop.start):
            return False
        known = self.values.scalar("i32", self.extent)
        if uniform_multiple(known, self.values.facts) % loop.width == 0 and known.offsets[0] % loop.width == 0:
            # Whole gangs only, with nothing behind them: that is what was asked for.
            return False
        for block in loop.function.blocks:
            if self.flow.dominates(loop.header.name, block.name) or self.flow.dominates(block.name, loop.header.name):
                continue
            if any(name in (self.rest, loop.limit) for each in block.instructions for name in each.names_used()):
                return False
        return True


def _write(found: _Stream, before: list[Instruction], address: str, emitter: Emitter) -> None:
    """The three blocks before the loop."""
    loop, function, fresh = found.loop, found.loop.function, emitter.fresh
    stem = unquoted(loop.header.name)
    begin, first, aligned = (fresh(f"{stem}.{part}")[1:] for part in ("begin", f"first.{LEFT_OVER}", "aligned"))
    access = found.aligned

    def value(where: list[Instruction], stem: str, text: str) -> str:
        name = fresh(stem)
        where.append(Instruction(f"  {name} = {text}"))
        return name

    bits = f"i{found.options.target.pointer_bits}"
    down = value(before, "down", f"sub {bits} 0, {value(before, 'at', f'ptrtoint ptr {address} to {bits}')}")
    to_border = value(before, "bytes", f"and {bits} {down}, {found.register - 1}")
    elements = value(before, "elements", f"lshr {bits} {to_border}, {access.size.bit_length() - 1}")
    count = elements if bits == "i32" else value(before, "count", f"trunc {bits} {elements} to i32")
    many = value(before, "many", f"icmp sgt i32 {found.extent}, {found.fewest_gangs * loop.width}")
    crosses = value(before, "crosses", f"icmp ne i32 {count}, 0")
    shorter = value(before, "shorter", f"and i1 {many}, {crosses}")
    before.append(Instruction(f"  br i1 {shorter}, label %{first}, label %{aligned}"))

    body: list[Instruction] = []
    if found.may_do_twice() and not found.perhaps_the_same():
        body += found.body_at(loop.start, fresh)
    else:
        lanes = f"<{loop.width} x i32>"
        one = value(body, "one", f"insertelement {lanes} poison, i32 {count}, i64 0")
        all_lanes = value(body, "all", f"shufflevector {lanes} {one}, {lanes} poison, {lanes} zeroinitializer")
        numbers = ", ".join(f"i32 {lane}" for lane in range(loop.width))
        body += found.body_at(loop.start, fresh, value(body, "first.lanes", f"icmp ult {lanes} <{numbers}>, {all_lanes}"))
    start = value(body, "start", f"add nsw i32 {loop.start}, {count}")
    left = value(body, "left", f"sub nsw i32 {found.extent}, {count}")
    rest = value(body, "rest", f"and i32 {left}, {loop.width - 1}")
    limit = value(body, "limit", f"sub i32 {found.end}, {rest}")
    body.append(Instruction(f"  br label %{aligned}"))

    joined: list[Instruction] = []
    new = {
        old: value(joined, stem, f"phi i32 [ {old}, %{begin} ], [ {other}, %{first} ]")
        for stem, old, other in (("rest", found.rest, rest), ("limit", loop.limit, limit))
    }
    start = value(joined, "start", f"phi i32 [ {loop.start}, %{begin} ], [ {start}, %{first} ]")
    joined.append(Instruction(f"  br label %{loop.header.name}"))

    for block in function.blocks:
        if found.flow.dominates(loop.header.name, block.name):
            for instruction in block.instructions:
                instruction.rename(new)
    others = [(operand, label) for operand, label in zip(loop.phi.operands, loop.phi.parts.labels) if label != loop.outside]
    arms = [f"[ {operand.value}, %{label} ]" for operand, label in others]
    loop.phi.text = f"  {loop.phi.name} = phi i32 {', '.join([*arms, f'[ {start}, %{aligned} ]'])}"
    function.block(loop.outside).terminator.rename({f"%{loop.header.name}": f"%{begin}"})
    position = function.blocks.index(loop.header)
    blocks = ((begin, before), (first, body), (aligned, joined))
    function.blocks[position:position] = [Block(name, instructions, f"{name}:") for name, instructions in blocks]
