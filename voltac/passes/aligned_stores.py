"""Loops over gangs that store consecutive elements -> the first gang is a short one, behind which stores are aligned.

    test:    %i = phi [ 0, %before ], ...          begin:    %count = elements up to the next border of a register
             br (%i < %limit), body, after                   br (there are many gangs, and %count > 0), first, aligned
    body:    ...                            ->     first:    the body for %i = 0, which stores lanes below %count only
             store %v, (%p + %i)                   aligned:  the loop from %count on, with a limit and a rest to match

An access over the border of two cache lines takes as long as two. numpy's arrays begin at multiples of 16 bytes, mostly at
the same distance from a line's border: where a store's accesses cross none, those of the loads cross none either. In the
first-level cache that is 1.2 to 1.5 times as fast, beyond it 1.1 to 1.4 (saxpy on an Intel Xeon).

Which lane does an element must not matter: every operation is one of each lane by itself, nothing goes from one gang to the
next, and nothing that is stored is loaded by another lane.
"""

from __future__ import annotations

from voltac.ir import match as m
from voltac.ir.cfg import ControlFlow, control_flow
from voltac.ir.constants import integers
from voltac.ir.lane_formulas import LaneValue, uniform_multiple
from voltac.ir.lane_values import LaneValues
from voltac.ir.marks import LEFT_OVER
from voltac.ir.match import scalar_of_splat
from voltac.ir.model import Block, Function, Instruction, Module
from voltac.ir.parts import Operand
from voltac.ir.types import lanes_of
from voltac.options import Options
from voltac.passes.accesses.access import Access, pseudo_operation, read_access
from voltac.passes.accesses.cost_rows import has_masked
from voltac.passes.accesses.emit import Emitter, declare
from voltac.passes.facts.effects import FunctionEffects, ModuleEffects
from voltac.passes.loops.copied_blocks import unquoted
from voltac.passes.loops.gang_loops import GangLoop, root
from voltac.passes.loops.lane_loops import PLAIN, scalar_callee
from voltac.passes.loops.outlined_blocks import is_seldom_called

_MOST_INSTRUCTIONS = 48
"""Of a body: one that computes longer does not wait for memory. Chosen, not measured."""
_FEWEST_GANGS = 16
"""For which it is worth to begin with a short one. Chosen, not measured."""
_NARROWEST = 32
"""Bytes of registers that cross lines often enough: arrays begin at multiples of 16."""
_REST = m.op("and", m.value("extent"), m.constant("last"))
_LIMIT = m.op("sub", m.value("end"), m.value("rest"))
_EXTENT = m.op("sub", m.value("end"), m.value("start"))


def align_stores(module: Module, options: Options) -> None:
    """Rewrite the module."""
    if options.target.vector_bits // 8 < _NARROWEST:
        return
    effects: ModuleEffects | None = None
    emitters: list[Emitter] = []
    layout = module.layout(options.target.pointer_bits // 8)
    for function in module.functions:
        if is_seldom_called(function) or not any(pseudo_operation(each) == "scatter" for each in function.instructions()):
            continue
        looked_at: set[str] = set()
        while True:
            # What is written changes the flow.
            flow = control_flow(function)
            loop = next((each for each in flow.loops if each.header not in looked_at), None)
            if loop is None:
                break
            looked_at.add(loop.header)
            if len(loop.blocks) != _BLOCKS or not _stores(function, loop.latches):
                continue
            values = LaneValues(function, layout)
            gangs = GangLoop.of(function, loop, flow, values, _MOST_INSTRUCTIONS)
            effects = effects or ModuleEffects(module)
            if gangs is not None and not gangs.carried:
                found = _Stream(gangs, flow, values, FunctionEffects(effects, function, values), options)
                if found.can_begin_anywhere():
                    emitter = Emitter(module, function, values)
                    if (before := found.address_before(emitter)) is not None:
                        _write(found, *before, emitter)
                        emitters.append(emitter)
    declare(module, emitters)


_BLOCKS = 2
"""A test and a body."""


def _stores(function: Function, latches: list[str]) -> bool:
    return len(latches) == 1 and any(pseudo_operation(each) == "scatter" for each in function.block(latches[0]).instructions)


class _Stream:
    """What there is to know of a loop."""

    def __init__(
        self, loop: GangLoop, flow: ControlFlow, values: LaneValues, effects: FunctionEffects, options: Options
    ) -> None:
        self.loop = loop
        self.flow = flow
        self.values = values
        self.effects = effects
        self.options = options
        self.inside = {each.name for block in (loop.header, loop.body) for each in block.instructions if each.name}
        self.counting = {loop.counter}
        """What depends on the counter."""
        for each in loop.body.instructions:
            if each.name and not self.counting.isdisjoint(each.names_used()):
                self.counting.add(each.name)
        self.accesses: list[Access] = []
        self.loads: list[Instruction] = []
        """Of numbers that are no lanes'."""
        self.extent = self.end = self.rest = ""

    @property
    def aligned(self) -> Access:
        """The store that decides."""
        return next(each for each in self.accesses if each.is_store)

    @property
    def register(self) -> int:
        """Bytes to whose multiples the store is to go."""
        return min(self.options.target.vector_bits // 8, self.loop.width * self.aligned.size)

    def can_begin_anywhere(self) -> bool:
        """Whether which element is in which lane makes no difference, and the loop has the shape."""
        if not self._has_limits() or not all(self._is_free(at, each) for at, each in enumerate(self.loop.body.instructions)):
            return False
        stores = [each for each in self.accesses if each.is_store]
        if not stores or self.register < _NARROWEST or not has_masked(self.options.target, min(each.size for each in stores)):
            return False
        if any(each.size != stores[0].size or not each.all_on for each in stores):
            return False
        if any(self.effects.may_touch(load, each.memory) for load in self.loads for each in stores):
            return False
        return all(self._apart(one, other) for one in stores for other in self.accesses if one is not other)

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

    def _has_limits(self) -> bool:
        """``rest = extent & (width - 1)``, ``limit = end - rest``, used for nothing but this loop and what is behind it."""
        loop, definitions = self.loop, self.values.definitions
        limit = _LIMIT.find(loop.limit, definitions)
        rest = _REST.find(limit["rest"].value, definitions) if limit is not None else None
        if limit is None or rest is None or integers(*rest["last"]) != (loop.width - 1,):
            return False
        self.end, self.rest, self.extent = limit["end"].value, limit["rest"].value, rest["extent"].value
        if loop.start != "0" or self.extent != self.end:
            length = _EXTENT.find(self.extent, definitions)
            if length is None or (length["end"].value, length["start"].value) != (self.end, loop.start):
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

    def _is_free(self, position: int, instruction: Instruction) -> bool:
        """Whether an instruction is one of each lane by itself, with the lane's index for all that differs."""
        op, loop = instruction.op, self.loop
        if op.startswith("#") or instruction.is_terminator or instruction.name == loop.following:
            return True
        if instruction.parts.unknown:
            return False
        lanes = lanes_of(instruction.type)
        if op == "call":
            operation = pseudo_operation(instruction)
            if operation not in ("gather", "scatter"):
                return scalar_callee(instruction.parts.callee) is not None and self._is_even(instruction.operands)
            access = read_access(position, instruction, operation, self.values)
            self.accesses.append(access)
            return self._goes_on(access) and self._is_even(instruction.operands)
        if op == "insertelement":
            # The beginning of a splat.
            return instruction.operands[0].value == "poison" and instruction.operands[1].value != loop.following
        if op == "shufflevector":
            return scalar_of_splat(instruction.name, self.values.definitions) is not None
        operands = {lanes_of(each.type) for each in instruction.operands}
        if not lanes:
            if op == "load":
                self.loads.append(instruction)
            return (op in PLAIN or op == "load") and operands <= {0} and loop.counter not in instruction.names_used()
        if lanes != loop.width or op not in PLAIN or not operands <= {0, lanes}:
            return False
        return self._is_even(instruction.operands) or self._is_index(instruction)

    def _is_even(self, operands: list[Operand]) -> bool:
        """Whether no operand is a constant that differs between lanes."""
        return not any(each.value.startswith("<") for each in operands)

    def _is_index(self, instruction: Instruction) -> bool:
        """The counter and the lane's number."""
        if instruction.op != "add":
            return False
        first, second = instruction.operands
        scalar = scalar_of_splat(first.value, self.values.definitions)
        numbers = integers(second.type, second.value)
        return scalar is not None and scalar.value == self.loop.counter and numbers == tuple(range(self.loop.width))

    def _goes_on(self, access: Access) -> bool:
        """Whether the lanes touch consecutive elements by the counter, or load one that is the same in each iteration."""
        if access.address is None or access.lanes != self.loop.width:
            return False
        terms = access.address.terms
        if any(root(symbol) in self.counting - {self.loop.counter} for symbol in terms):
            return False
        if any(root(symbol) == self.loop.counter for symbol in terms):
            return access.is_consecutive and self.loop.is_even(access)
        return access.is_uniform and not access.is_store

    def _apart(self, store: Access, other: Access) -> bool:
        """Whether a store and another access never meet but in one lane of one gang."""
        assert store.address is not None and other.address is not None
        if _place(store.address) == _place(other.address):
            return True
        return store.memory.root != other.memory.root and not self.effects.may_overlap(store.memory, other.memory)


def _place(address: LaneValue) -> tuple[object, ...]:
    return address.key, address.offsets


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
    count = value(before, "count", f"trunc {bits} {elements} to i32")
    many = value(before, "many", f"icmp sgt i32 {found.extent}, {_FEWEST_GANGS * loop.width}")
    crosses = value(before, "crosses", f"icmp ne i32 {count}, 0")
    shorter = value(before, "shorter", f"and i1 {many}, {crosses}")
    before.append(Instruction(f"  br i1 {shorter}, label %{first}, label %{aligned}"))

    body: list[Instruction] = []
    lanes = f"<{loop.width} x i32>"
    one = value(body, "one", f"insertelement {lanes} poison, i32 {count}, i64 0")
    all_lanes = value(body, "all", f"shufflevector {lanes} {one}, {lanes} poison, {lanes} zeroinitializer")
    numbers = ", ".join(f"i32 {lane}" for lane in range(loop.width))
    mask = value(body, "first.lanes", f"icmp ult {lanes} <{numbers}>, {all_lanes}")
    names = {loop.counter: loop.start}
    stores = {id(each.instruction) for each in found.accesses if each.is_store}
    for instruction in loop.body.instructions:
        if instruction.is_terminator or instruction.name == loop.following or instruction.op.startswith("#"):
            continue
        text = instruction.text
        if id(instruction) in stores:
            whole = f"<{loop.width} x i1> {instruction.operands[-1].value}"
            text = text.replace(whole, f"<{loop.width} x i1> {mask}")
        made = Instruction(text)
        made.rename(names)
        if instruction.name:
            names[instruction.name] = fresh("of.first")
            made.text = made.text.replace(instruction.name, names[instruction.name], 1)
        body.append(made)
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
