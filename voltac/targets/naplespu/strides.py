"""legal IR -> legal IR: addresses that a loop moves on by a constant become pointers that it steps.

::

    loop:                                          loop:
      %i = phi i32 [ 0, %before ], ...               %p = phi ptr [ %a, %before ], [ %p.next, %loop ]
      %o = shl i32 %i, 2                      ->     load ..., ptr %p
      %q = getelementptr i8, ptr %a, i32 %o          %p.next = getelementptr i8, ptr %p, i32 4
      load ..., ptr %q

One addition a turn, where the core would need a shift and an addition: it has no
address with an index. Addresses that differ by a constant share a pointer. This
is strength reduction (Cocke and Kennedy, "An algorithm for reduction of operator
strength", 1977) of sums of products of 32 bits, which may wrap.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir.cfg import ControlFlow, Loop, control_flow
from voltac.ir.constants import integers
from voltac.ir.interp_values import to_signed
from voltac.ir.model import Block, Function, Instruction, Module
from voltac.ir.parts import Operand
from voltac.records import record

_MOST_POINTERS = 12
"""Of one loop: each takes a register throughout."""

_Sum = tuple[dict[str, int], int]
"""Symbol -> factor, and a constant."""


@record
class _Counter:
    """A number that a loop moves on by a constant each turn."""

    start: str
    step: int


def step_addresses(module: Module) -> bool:
    """Whether any loop has changed."""
    changed = False
    for function in module.functions:
        flow = control_flow(function)
        # What an inner loop starts from may be stepped by the loop around it.
        for loop in reversed(flow.loops):
            changed |= _LoopAddresses(function, flow, loop).rewrite()
    return changed


class _LoopAddresses:
    def __init__(self, function: Function, flow: ControlFlow, loop: Loop) -> None:
        self.function = function
        self.flow = flow
        self.loop = loop
        self.blocks = {block.name: block for block in function.blocks}
        self.types: dict[str, str] = {parameter.name: parameter.type for parameter in function.parameters}
        self.inside: dict[str, Instruction] = {}
        for block in function.blocks:
            for instruction in block.instructions:
                if instruction.name:
                    self.types[instruction.name] = instruction.type
                    if block.name in loop.blocks:
                        self.inside[instruction.name] = instruction
        self.counters: dict[str, _Counter] = {}

    def rewrite(self) -> bool:
        outside = [name for name in self.flow.predecessors[self.loop.header] if name not in self.loop.blocks]
        if len(outside) != 1 or len(self.loop.latches) != 1 or outside[0] not in self.flow.immediate_dominator:
            return False
        before, latch = self.blocks[outside[0]], self.blocks[self.loop.latches[0]]
        header = self.blocks[self.loop.header]
        self._find_counters(header, before, latch)
        groups: dict[tuple[tuple[str, int], ...], list[tuple[Instruction, int]]] = {}
        for name in self.flow.order:
            if name in self.loop.blocks and self.flow.dominates(name, latch.name):
                for instruction in self.blocks[name].instructions:
                    self._sort_in(instruction, groups)
        fresh = self.function.fresh_names()
        for symbols, members in list(groups.items())[:_MOST_POINTERS]:
            self._step(symbols, members, header, before, latch, fresh)
        return bool(groups)

    def _find_counters(self, header: Block, before: Block, latch: Block) -> None:
        for phi in header.phis():
            parts = phi.parts
            if phi.op != "phi" or parts.type != "i32" or set(parts.labels) != {before.name, latch.name}:
                continue
            start = parts.operands[parts.labels.index(before.name)].value
            following = self.inside.get(parts.operands[parts.labels.index(latch.name)].value)
            if following is None or following.op != "add":
                continue
            first, second = following.operands
            if second.value == phi.name:
                first, second = second, first
            step = _number(second)
            if first.value == phi.name and step is not None:
                self.counters[phi.name] = _Counter(start, step)

    def _sort_in(
        self, instruction: Instruction, groups: dict[tuple[tuple[str, int], ...], list[tuple[Instruction, int]]]
    ) -> None:
        if instruction.op != "getelementptr" or instruction.type != "ptr" or instruction.parts.element_type != "i8":
            return
        found = self._sum(Operand("ptr", instruction.name))
        if found is None:
            return
        symbols, constant = found
        pointers = [symbol for symbol in symbols if self.types.get(symbol, "ptr") == "ptr"]
        moving = [symbol for symbol in symbols if symbol in self.counters]
        if len(pointers) == 1 and symbols[pointers[0]] == 1 and len(moving) == 1:
            groups.setdefault(tuple(sorted(symbols.items())), []).append((instruction, constant))

    def _sum(self, operand: Operand) -> _Sum | None:
        """A value as a sum of counters and of what does not change in the loop."""
        number = _number(operand)
        if number is not None:
            return {}, number
        made = self.inside.get(operand.value)
        if made is None:
            return {operand.value: 1}, 0
        if made.name in self.counters:
            return {made.name: 1}, 0
        if made.op in ("add", "getelementptr") or (made.op == "or" and "disjoint" in made.parts.flags):
            return self._combined(made.operands[0], made.operands[1], 1)
        if made.op == "sub":
            return self._combined(made.operands[0], made.operands[1], -1)
        if made.op in ("shl", "mul") and made.type == "i32":
            factor = _number(made.operands[1])
            inner = self._sum(made.operands[0])
            if factor is None or inner is None:
                return None
            factor = 1 << factor if made.op == "shl" else factor
            return {symbol: _wrapped(times * factor) for symbol, times in inner[0].items()}, _wrapped(inner[1] * factor)
        return None

    def _combined(self, left: Operand, right: Operand, sign: int) -> _Sum | None:
        first, second = self._sum(left), self._sum(right)
        if first is None or second is None:
            return None
        symbols = dict(first[0])
        for symbol, times in second[0].items():
            symbols[symbol] = _wrapped(symbols.get(symbol, 0) + sign * times)
        return {symbol: times for symbol, times in symbols.items() if times}, _wrapped(first[1] + sign * second[1])

    def _step(
        self,
        symbols: tuple[tuple[str, int], ...],
        members: list[tuple[Instruction, int]],
        header: Block,
        before: Block,
        latch: Block,
        fresh: Callable[[str], str],
    ) -> None:
        lowest = min(constant for _, constant in members)
        pointer, following = fresh("stepped"), fresh("stepped")
        code: list[str] = []
        base, offset, step = "", lowest, 0
        sums: list[str] = []
        for symbol, factor in symbols:
            counter = self.counters.get(symbol)
            if counter is not None:
                step = _wrapped(counter.step * factor)
                symbol = counter.start
                start = _number(Operand("i32", symbol))
                if start is not None:
                    offset = _wrapped(offset + start * factor)
                    continue
            elif self.types.get(symbol, "ptr") == "ptr":
                base = symbol
                continue
            if factor != 1:
                product = fresh("scaled")
                power = factor > 0 and not factor & factor - 1
                code.append(
                    f"{product} = shl i32 {symbol}, {factor.bit_length() - 1}"
                    if power
                    else f"{product} = mul i32 {symbol}, {factor}"
                )
                symbol = product
            sums.append(symbol)
        for one in sums:
            moved = fresh("start")
            code.append(f"{moved} = getelementptr i8, ptr {base}, i32 {one}")
            base = moved
        if offset:
            moved = fresh("start")
            code.append(f"{moved} = getelementptr i8, ptr {base}, i32 {offset}")
            base = moved
        before.instructions[-1:-1] = [Instruction("  " + line) for line in code]
        phi = f"  {pointer} = phi ptr [ {base}, %{before.name} ], [ {following}, %{latch.name} ]"
        header.instructions.insert(0, Instruction(phi))
        latch.instructions.insert(-1, Instruction(f"  {following} = getelementptr i8, ptr {pointer}, i32 {step}"))
        for instruction, constant in members:
            distance = constant - lowest
            instruction.text = (
                f"  {instruction.name} = getelementptr i8, ptr {pointer}, i32 {distance}"
                if distance
                else f"  {instruction.name} = bitcast ptr {pointer} to ptr"
            )


def _number(operand: Operand) -> int | None:
    if operand.value[0] not in "-0123456789":
        return None
    known = integers("i32", operand.value)
    return known[0] if known else None


def _wrapped(value: int) -> int:
    return to_signed(value & 0xFFFF_FFFF, 32)
