"""legal IR -> legal IR: addresses that a loop moves on by the same each turn become pointers that it steps.

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

import itertools
from collections.abc import Callable

from voltac.ir.cfg import ControlFlow, Loop, control_flow
from voltac.ir.constants import integers
from voltac.ir.interp_values import to_signed
from voltac.ir.model import Block, Function, Instruction, Module
from voltac.ir.parts import Operand
from voltac.records import record

_MOST_POINTERS = 12
"""Of one loop: each takes a register throughout."""

_Sum = tuple[dict[tuple[str, str], int], int]
"""(Symbol, another one it is multiplied by or nothing) -> factor, and a constant."""

_Group = tuple[tuple[tuple[str, str], int], ...]
"""The part of a sum without the constant."""


@record
class _Counter:
    """A number that a loop moves on by the same each turn: a constant, or a value from outside."""

    start: str
    step: str


def step_addresses(module: Module) -> bool:
    """Whether any loop has changed."""
    changed = False
    for function in module.functions:
        flow = control_flow(function)
        types = {parameter.name: parameter.type for parameter in function.parameters}
        types.update((made.name, made.type) for made in function.instructions() if made.name)
        fresh = function.fresh_names()
        # What an inner loop starts from may be stepped by the loop around it.
        for loop in reversed(flow.loops):
            changed |= _LoopAddresses(function, flow, loop, types, fresh).rewrite()
    return changed


class _LoopAddresses:
    def __init__(
        self, function: Function, flow: ControlFlow, loop: Loop, types: dict[str, str], fresh: Callable[[str], str]
    ) -> None:
        self.function = function
        self.flow = flow
        self.loop = loop
        self.types = types
        self.fresh = fresh
        self.blocks = {block.name: block for block in function.blocks}
        self.inside: dict[str, Instruction] = {
            instruction.name: instruction
            for name in loop.blocks
            for instruction in self.blocks[name].instructions
            if instruction.name
        }
        self.counters: dict[str, _Counter] = {}
        self.sums: dict[str, _Sum | None] = {}
        """Of the values in the loop that were asked for."""
        self.pointers: dict[str, _Pointer] = {}
        """Counter -> a pointer that moves on with it, by a number that is not zero."""

    def rewrite(self) -> bool:
        entries = [name for name in self.flow.predecessors[self.loop.header] if name not in self.loop.blocks]
        if len(entries) != 1 or len(self.loop.latches) != 1 or entries[0] not in self.flow.immediate_dominator:
            return False
        before, latch = self.blocks[entries[0]], self.blocks[self.loop.latches[0]]
        header = self.blocks[self.loop.header]
        self._find_counters(header, before, latch)
        groups: dict[_Group, list[tuple[Instruction, int]]] = {}
        for name in self.flow.order:
            if name in self.loop.blocks and self.flow.dominates(name, latch.name):
                for instruction in self.blocks[name].instructions:
                    self._sort_in(instruction, groups)
        outside = _Outside(before, self.types, self.fresh)
        clusters: dict[_Group, list[_Group]] = {}
        for symbols in groups:
            clusters.setdefault(self._moving(symbols), []).append(symbols)
        for cluster in list(clusters.values())[:_MOST_POINTERS]:
            place = self._step(cluster[0], groups[cluster[0]], header, latch, outside)
            for before_it, symbols in itertools.pairwise(cluster):
                place = self._chain(place, before_it, symbols, groups[symbols], outside)
        if groups:
            self._end_by_pointer(latch, outside)
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
            if first.value == phi.name and second.value not in self.inside:
                self.counters[phi.name] = _Counter(start, second.value)

    def _sort_in(self, instruction: Instruction, groups: dict[_Group, list[tuple[Instruction, int]]]) -> None:
        if instruction.op != "getelementptr" or instruction.type != "ptr" or instruction.parts.element_type != "i8":
            return
        found = self._sum(Operand("ptr", instruction.name))
        if found is None:
            return
        symbols, constant = found
        pointers = [pair for pair in symbols if self._is_pointer(pair[0])]
        moving = [pair for pair in symbols if pair[0] in self.counters]
        if len(pointers) == 1 and symbols[pointers[0]] == 1 and len(moving) == 1:
            groups.setdefault(tuple(sorted(symbols.items())), []).append((instruction, constant))

    def _moving(self, symbols: _Group) -> _Group:
        """The part of a sum that one pointer can stand for: what is left apart is the same in every turn."""
        return tuple(item for item in symbols if item[0][0] in self.counters or self._is_pointer(item[0][0]))

    def _is_pointer(self, symbol: str) -> bool:
        return self.types.get(symbol, "ptr") == "ptr"

    def _sum(self, operand: Operand) -> _Sum | None:
        """A value as a sum of counters and of what does not change in the loop."""
        number = _number(operand)
        if number is not None:
            return {}, number
        made = self.inside.get(operand.value)
        if made is None or made.name in self.counters:
            return {(operand.value, ""): 1}, 0
        if made.name not in self.sums:
            self.sums[made.name] = self._sum_of(made)
        return self.sums[made.name]

    def _sum_of(self, made: Instruction) -> _Sum | None:
        if made.op in ("add", "getelementptr") or (made.op == "or" and self._is_sum(made)):
            return self._combined(made.operands[0], made.operands[1], 1)
        if made.op == "sub":
            return self._combined(made.operands[0], made.operands[1], -1)
        if made.op in ("shl", "mul") and made.type == "i32":
            return self._product(made)
        return None

    def _is_sum(self, made: Instruction) -> bool:
        """Whether an ``or`` adds: no bit is set on both sides."""
        left = self.inside.get(made.operands[0].value)
        number = _number(made.operands[1])
        if "disjoint" in made.parts.flags or left is None or number is None or left.op != "shl":
            return "disjoint" in made.parts.flags
        zeros = _number(left.operands[1])
        return zeros is not None and 0 <= number < 1 << zeros

    def _product(self, made: Instruction) -> _Sum | None:
        left, right = made.operands
        if made.op == "mul" and left.value not in self.inside:
            left, right = right, left
        inner = self._sum(left)
        factor = _number(right)
        if inner is None:
            return None
        if factor is not None:
            factor = 1 << factor if made.op == "shl" else factor
            return {pair: _wrapped(times * factor) for pair, times in inner[0].items()}, _wrapped(inner[1] * factor)
        if made.op == "shl" or right.value in self.inside or any(by for _, by in inner[0]):
            return None
        # Times something from outside.
        products: dict[tuple[str, str], int] = {(symbol, right.value): times for (symbol, _), times in inner[0].items()}
        if inner[1]:
            products[right.value, ""] = inner[1]
        return products, 0

    def _combined(self, left: Operand, right: Operand, sign: int) -> _Sum | None:
        first, second = self._sum(left), self._sum(right)
        if first is None or second is None:
            return None
        symbols = dict(first[0])
        for symbol, times in second[0].items():
            symbols[symbol] = _wrapped(symbols.get(symbol, 0) + sign * times)
        return {symbol: times for symbol, times in symbols.items() if times}, _wrapped(first[1] + sign * second[1])

    def _step(
        self, symbols: _Group, members: list[tuple[Instruction, int]], header: Block, latch: Block, outside: _Outside
    ) -> tuple[str, int]:
        """Make the pointer; returns its name and the constant it includes."""
        lowest = min(constant for _, constant in members)
        pointer, following = outside.fresh("stepped"), outside.fresh("stepped")
        base = origin = next(symbol for (symbol, _), _ in symbols if self._is_pointer(symbol))
        step = "0"
        for (symbol, by), factor in symbols:
            if symbol == origin:
                continue
            counter = self.counters.get(symbol)
            if counter is not None:
                step = outside.scaled(outside.times(counter.step, by), factor)
                symbol = counter.start
            base = outside.moved(base, outside.scaled(outside.times(symbol, by), factor))
        base = outside.moved(base, str(lowest))
        phi = f"  {pointer} = phi ptr [ {base}, %{outside.block.name} ], [ {following}, %{latch.name} ]"
        header.instructions.insert(0, Instruction(phi))
        latch.instructions.insert(-1, Instruction(f"  {following} = getelementptr i8, ptr {pointer}, i32 {step}"))
        _off(members, pointer, lowest)
        counter_name = next(symbol for (symbol, _), _ in symbols if symbol in self.counters)
        if _number(Operand("i32", step)):
            self.pointers.setdefault(counter_name, _Pointer(base, following, step))
        return pointer, lowest

    def _chain(
        self, place: tuple[str, int], before: _Group, symbols: _Group, members: list[tuple[Instruction, int]], outside: _Outside
    ) -> tuple[str, int]:
        """Addresses that are apart from others by the same in every turn: one addition from the last of these."""
        (first, constant), (name, known) = members[0], place
        apart = dict(symbols)
        for pair, factor in before:
            apart[pair] = _wrapped(apart.get(pair, 0) - factor)
        distance = str(_wrapped(constant - known))
        for (symbol, by), factor in apart.items():
            if factor:
                distance = outside.added(outside.scaled(outside.times(symbol, by), factor), distance)
        first.text = f"  {first.name} = getelementptr i8, ptr {name}, i32 {distance}"
        _off(members[1:], first.name, constant)
        return first.name, constant

    def _end_by_pointer(self, latch: Block, outside: _Outside) -> None:
        """A counter that is left only to end the loop goes: a pointer that moves on with it tells the end as well.

        Only where the loop ends at one number exactly. The pointer is at each place once, as long as the places fit into
        memory, which they do if the loop accesses them.
        """
        branch = latch.instructions[-1]
        if branch.op != "br" or not branch.operands:
            return
        compare = self.inside.get(branch.operands[0].value)
        if compare is None or compare.op != "icmp" or compare.parts.predicate not in ("eq", "ne"):
            return
        uses = _uses(self.function)
        for name, counter in self.counters.items():
            pointer = self.pointers.get(name)
            phi = self.inside[name]
            following = phi.operands[phi.parts.labels.index(latch.name)].value
            left, right = compare.operands
            if pointer is None or left.value != following or right.value in self.inside:
                continue
            if uses[name] != 1 or uses[following] != 2 or uses[compare.name] != 1 or counter.step not in ("1", "-1"):
                continue
            turns = outside.difference(right.value, counter.start)
            distance = outside.times(outside.scaled(turns, int(counter.step)), pointer.step)
            end = outside.moved(pointer.start, distance)
            compare.text = f"  {compare.name} = icmp {compare.parts.predicate} ptr {pointer.following}, {end}"
            # Behind the pointer's step, which is at the end.
            for block in self.function.blocks:
                if any(one is compare for one in block.instructions):
                    block.instructions = [one for one in block.instructions if one is not compare]
            latch.instructions.insert(-1, compare)
            return


def _off(members: list[tuple[Instruction, int]], pointer: str, known: int) -> None:
    """Addresses at constant distances from one that includes the constant ``known``."""
    for instruction, constant in members:
        instruction.text = (
            f"  {instruction.name} = getelementptr i8, ptr {pointer}, i32 {_wrapped(constant - known)}"
            if constant != known
            else f"  {instruction.name} = bitcast ptr {pointer} to ptr"
        )


@record
class _Pointer:
    """A pointer that a loop steps."""

    start: str
    following: str
    step: str


class _Outside:
    """Writes operations at the end of the block before a loop; constants are computed here."""

    def __init__(self, block: Block, types: dict[str, str], fresh: Callable[[str], str]) -> None:
        self.block = block
        self.types = types
        self.fresh = fresh
        self.made: dict[str, str] = {}

    def _emit(self, stem: str, text: str) -> str:
        if text not in self.made:
            name = self.made[text] = self.fresh(stem)
            self.types[name] = "ptr" if text.startswith("getelementptr") else "i32"
            self.block.instructions.insert(-1, Instruction(f"  {name} = {text}"))
        return self.made[text]

    def scaled(self, value: str, factor: int) -> str:
        number = _number(Operand("i32", value))
        if number is not None:
            return str(_wrapped(number * factor))
        if factor == 1:
            return value
        if factor > 0 and not factor & factor - 1:
            return self._emit("scaled", f"shl i32 {value}, {factor.bit_length() - 1}")
        return self._emit("scaled", f"mul i32 {value}, {factor}")

    def times(self, value: str, by: str) -> str:
        if not by:
            return value
        for one, other in ((value, by), (by, value)):
            number = _number(Operand("i32", one))
            if number is not None:
                return self.scaled(other, number) if number else "0"
        return self._emit("scaled", f"mul i32 {value}, {by}")

    def added(self, left: str, right: str) -> str:
        return left if right == "0" else self._emit("sum", f"add i32 {left}, {right}")

    def difference(self, value: str, less: str) -> str:
        first, second = _number(Operand("i32", value)), _number(Operand("i32", less))
        if first is not None and second is not None:
            return str(_wrapped(first - second))
        return value if second == 0 else self._emit("turns", f"sub i32 {value}, {less}")

    def moved(self, pointer: str, by: str) -> str:
        return pointer if by == "0" else self._emit("start", f"getelementptr i8, ptr {pointer}, i32 {by}")


def _uses(function: Function) -> dict[str, int]:
    """How often each value is used by what has a use itself."""
    definitions = function.definitions()
    uses: dict[str, int] = dict.fromkeys(definitions, 0)
    for instruction in function.instructions():
        for operand in instruction.operands:
            if operand.value in uses:
                uses[operand.value] += 1
    pending = [name for name, count in uses.items() if not count]
    while pending:
        unused = definitions[pending.pop()]
        if unused.op in ("call", "load", "store"):
            continue
        for operand in unused.operands:
            if operand.value in uses:
                uses[operand.value] -= 1
                if not uses[operand.value]:
                    pending.append(operand.value)
    return uses


def _number(operand: Operand) -> int | None:
    if operand.value[0] not in "-0123456789":
        return None
    known = integers("i32", operand.value)
    return known[0] if known else None


def _wrapped(value: int) -> int:
    return to_signed(value & 0xFFFF_FFFF, 32)
