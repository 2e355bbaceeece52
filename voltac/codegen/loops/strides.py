"""legal IR -> legal IR: addresses that a loop moves on by the same each iteration become pointers that it steps.

::

    loop:                                          loop:
      %i = phi i32 [ 0, %before ], ...               %p = phi ptr [ %a, %before ], [ %p.next, %loop ]
      %o = shl i32 %i, 2                      ->     load ..., ptr %p
      %q = getelementptr i8, ptr %a, i32 %o          %p.next = getelementptr i8, ptr %p, i32 4
      load ..., ptr %q

One addition per iteration, where a machine that has no address with an index would need a shift and an
addition. Addresses that differ by a constant share a pointer. This
is strength reduction (Cocke and Kennedy, "An algorithm for reduction of operator
strength", 1977) of sums of products of words, which may wrap.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cached_property

from voltac.codegen.loops.loop_sums import LoopSums, wrapped
from voltac.ir.cfg import ControlFlow, control_flow
from voltac.ir.model import Block, Function, Instruction, Module
from voltac.ir.parts import Operand
from voltac.ir.uses import Uses
from voltac.records import record

_MOST_POINTERS = 12
"""Of one loop: each takes a register throughout."""
_LONGEST_STEP = 1 << 24
"""In bytes: from an address that is accessed, so many more do not lead past the last address."""

_Group = tuple[tuple[tuple[str, str], int], ...]
"""The part of a sum without the constant."""


MostLoaded = Callable[[Instruction, dict[str, Instruction]], int]
"""A load, and the definitions of its function -> the greatest number that it gives; 0 where that is not known."""


def step_addresses(module: Module, most_loaded: MostLoaded = lambda load, definitions: 0, word: str = "i32") -> bool:
    """``most_loaded``: what the machine knows of loads, usually nothing. Whether any loop has changed."""
    changed = False
    for function in module.functions:
        flow = with_own_exits(function)
        types = {parameter.name: parameter.type for parameter in function.parameters}
        types.update((made.name, made.type) for made in function.instructions() if made.name)
        fresh = function.fresh_names()
        # What an inner loop starts from may be stepped by the loop around it.
        for loop in reversed(flow.loops):
            changed |= _LoopAddresses(function, flow, loop, types, fresh, word).rewrite(most_loaded)
    return changed


def with_own_exits(function: Function) -> ControlFlow:
    """What a loop's last block leaves for gets a block before it that nothing else leads to."""
    flow = control_flow(function)
    blocks = {block.name: block for block in function.blocks}
    fresh = function.fresh_names()
    changed = False
    for loop in flow.loops:
        outward = [name for name in flow.successors[loop.latches[0]] if name not in loop.blocks]
        if len(loop.latches) != 1 or len(outward) != 1 or len(flow.predecessors[outward[0]]) == 1:
            continue
        latch, behind = blocks[loop.latches[0]], blocks[outward[0]]
        label = fresh(f"{behind.name.strip(chr(34))}.exit") if '"' not in behind.name else fresh("exit")
        latch.terminator.rename({f"%{behind.name}": label})
        for phi in behind.phis():
            phi.rename({f"%{latch.name}": label})
        block = Block(label[1:], [Instruction(f"  br label %{behind.name}")], f"{label[1:]}:")
        function.blocks.insert(function.blocks.index(latch) + 1, block)
        changed = True
    return control_flow(function) if changed else flow


class _LoopAddresses(LoopSums):
    def rewrite(self, most_loaded: MostLoaded) -> bool:
        if not self.known:
            return False
        self.most_loaded = most_loaded
        latch = self.latch
        self.pointers: dict[str, _Pointer] = {}
        """Counter -> a pointer that moves on with it, by a number that is not zero."""
        groups: dict[_Group, list[tuple[Instruction, int]]] = {}
        for name in self.flow.order:
            if name in self.loop.blocks and self.flow.dominates(name, latch.name):
                for instruction in self.blocks[name].instructions:
                    self._sort_in(instruction, groups)
        clusters: dict[_Group, list[_Group]] = {}
        for symbols in groups:
            clusters.setdefault(self._moving(symbols), []).append(symbols)
        for cluster in list(clusters.values())[:_MOST_POINTERS]:
            place = self._step(cluster[0], groups[cluster[0]])
            for before_it, symbols in itertools.pairwise(cluster):
                place = self._chain(place, before_it, symbols, groups[symbols])
        if groups:
            self._end_by_pointer()
        return bool(groups)

    def _sort_in(self, instruction: Instruction, groups: dict[_Group, list[tuple[Instruction, int]]]) -> None:
        if instruction.type != "ptr" or not (
            instruction.op == "inttoptr" or (instruction.op == "getelementptr" and instruction.parts.element_type == "i8")
        ):
            return
        found = self.sum(Operand("ptr", instruction.name))
        if found is None:
            return
        symbols, constant = found
        pointers = [pair for pair in symbols if self.is_pointer(pair[0])]
        moving = [pair for pair in symbols if pair[0] in self.counters]
        if len(pointers) == 1 and symbols[pointers[0]] == 1 and len(moving) == 1:
            groups.setdefault(tuple(sorted(symbols.items())), []).append((instruction, constant))

    def _moving(self, symbols: _Group) -> _Group:
        """The part of a sum that one pointer can stand for: what is left apart is the same in every iteration."""
        return tuple(item for item in symbols if item[0][0] in self.counters or self.is_pointer(item[0][0]))

    def _step(self, symbols: _Group, members: list[tuple[Instruction, int]]) -> tuple[str, int]:
        """Make the pointer; returns its name and the constant it includes."""
        header, latch, outside = self.header, self.latch, self.outside
        lowest = min(constant for _, constant in members)
        pointer, following = outside.fresh("stepped"), outside.fresh("stepped")
        base = origin = next(symbol for (symbol, _), _ in symbols if self.is_pointer(symbol))
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
        latch.instructions.insert(-1, Instruction(f"  {following} = getelementptr i8, ptr {pointer}, {self.word} {step}"))
        _off(members, pointer, lowest, self.word)
        (counter_name, by), factor = next(item for item in symbols if item[0][0] in self.counters)
        ordered = not by and factor > 0 and any(self._is_accessed(member) for member, _ in members)
        if (self.integer(step) or ordered) and counter_name not in self.pointers:
            self.pointers[counter_name] = _Pointer(base, following, step, factor if ordered else 0)
        return pointer, lowest

    def _chain(
        self, place: tuple[str, int], before: _Group, symbols: _Group, members: list[tuple[Instruction, int]]
    ) -> tuple[str, int]:
        """Addresses that are apart from others by the same in every iteration: one addition from the last of these."""
        (first, constant), (name, known) = members[0], place
        outside = self.outside
        apart = dict(symbols)
        for pair, factor in before:
            apart[pair] = self.wrapped(apart.get(pair, 0) - factor)
        distance = str(self.wrapped(constant - known))
        for (symbol, by), factor in apart.items():
            if factor:
                distance = outside.added(outside.scaled(outside.times(symbol, by), factor), distance)
        first.text = f"  {first.name} = getelementptr i8, ptr {name}, {self.word} {distance}"
        _off(members[1:], first.name, constant, self.word)
        return first.name, constant

    def _is_accessed(self, address: Instruction) -> bool:
        """Whether something is loaded from or stored to an address in every iteration."""
        return any(
            one.op in ("load", "store") and one.operands[-1].value == address.name
            for name in self.loop.blocks
            if self.flow.dominates(name, self.latch.name)
            for one in self.blocks[name].instructions
        )

    def _end_by_pointer(self) -> None:
        """A counter that is left only to end the loop goes: a pointer that moves on with it tells the end as well.

        A pointer is at each place once, as long as the places fit into memory, which they do if the loop accesses them;
        and where its steps are short, it does not get past the end of all addresses. What is behind the loop
        has the counter from the pointer.
        """
        latch, outside = self.latch, self.outside
        branch = latch.instructions[-1]
        compare = self.inside.get(branch.operands[0].value) if branch.op == "br" and branch.operands else None
        if compare is None or compare.op != "icmp":
            return
        predicate = compare.parts.predicate
        if predicate not in ("eq", "ne") and not (predicate in ("slt", "ult") and branch.parts.labels[0] == self.header.name):
            return
        inside = Uses(made for name in self.loop.blocks for made in self.blocks[name].instructions)
        for name, counter in self.counters.items():
            pointer = self.pointers.get(name)
            phi = self.inside[name]
            following = phi.operands[phi.parts.labels.index(latch.name)].value
            left, right = compare.operands
            if pointer is None or left.value != following or right.value in self.inside:
                continue
            if predicate in ("eq", "ne"):
                if counter.step not in ("1", "-1") or not self.integer(pointer.step):
                    continue
            elif not 0 < self._most(counter.step) * pointer.factor <= _LONGEST_STEP:
                continue
            uses = _live_uses(self.function)
            if uses.count(name) != 1 or inside.count(following) != 2 or uses.count(compare.name) != 1:
                continue
            if uses.count(following) != 2 and not self._count_behind(following, counter.start, pointer):
                continue
            turns = outside.difference(right.value, counter.start)
            if predicate in ("eq", "ne"):
                distance = outside.times(outside.scaled(turns, int(counter.step)), pointer.step)
            else:
                predicate, distance = "ult", outside.scaled(turns, pointer.factor)
            end = outside.moved(pointer.start, distance)
            compare.text = f"  {compare.name} = icmp {predicate} ptr {pointer.following}, {end}"
            # Behind the pointer's step, which is at the end.
            for block in self.function.blocks:
                if any(one is compare for one in block.instructions):
                    block.instructions = [one for one in block.instructions if one is not compare]
            latch.instructions.insert(-1, compare)
            return

    def _most(self, step: str, depth: int = 4) -> int:
        """The largest number that a step can be where it is above zero, 0 where that is not known."""
        known = self.integer(step)
        if known is not None:
            return max(known, 0)
        made = self.definitions.get(step)
        if made is None or not depth:
            return 0
        factor = self.integer(made.operands[-1].value)
        if made.op in ("shl", "mul") and factor is not None:
            return self._most(made.operands[0].value, depth - 1) * (1 << factor if made.op == "shl" else max(factor, 0))
        if made.op == "phi":
            most = [self._most(operand.value, depth - 1) for operand in made.operands]
            return max(most) if all(most) else 0
        if made.op == "load":
            return self.most_loaded(made, self.definitions)
        return 0

    @cached_property
    def definitions(self) -> dict[str, Instruction]:
        return self.function.definitions()

    def _count_behind(self, following: str, start: str, pointer: _Pointer) -> bool:
        """Where the loop ends, compute the counter from the pointer; whether that can be."""
        factor = pointer.factor
        exit_ = next(name for name in self.latch.successors if name != self.header.name)
        leaves = [(name, to) for name in self.loop.blocks for to in self.flow.successors[name] if to not in self.loop.blocks]
        if factor <= 0 or factor & factor - 1 or leaves != [(self.latch.name, exit_)]:
            return False
        block = self.blocks[exit_]
        if self.flow.predecessors[exit_] != [self.latch.name] or any(True for _ in block.phis()):
            return False
        last, first, way, turns, count = (self.fresh("counted") for _ in range(5))
        code = [
            f"{last} = ptrtoint ptr {pointer.following} to {self.word}",
            f"{first} = ptrtoint ptr {pointer.start} to {self.word}",
            f"{way} = sub {self.word} {last}, {first}",
            f"{turns} = lshr {self.word} {way}, {factor.bit_length() - 1}",
            f"{count} = add {self.word} {turns}, {start}",
        ]
        for other in self.function.blocks:
            if other.name not in self.loop.blocks:
                for one in other.instructions:
                    if following in one.names_used():
                        one.rename({following: count})
        block.instructions[:0] = [Instruction("  " + line) for line in code]
        self.types.update(dict.fromkeys((last, first, way, turns, count), self.word))
        return True


def _off(members: list[tuple[Instruction, int]], pointer: str, known: int, word: str) -> None:
    """Addresses at constant distances from one that includes the constant ``known``."""
    for instruction, constant in members:
        instruction.text = (
            f"  {instruction.name} = getelementptr i8, ptr {pointer}, {word} {wrapped(constant - known, word)}"
            if constant != known
            else f"  {instruction.name} = bitcast ptr {pointer} to ptr"
        )


@record
class _Pointer:
    """A pointer that a loop steps."""

    start: str
    following: str
    step: str
    factor: int
    """Bytes that it moves for each one that the counter moves, where it is accessed in every iteration; else 0."""


def _live_uses(function: Function) -> Uses:
    """The uses by what has a use itself, or an effect."""
    definitions = function.definitions()
    uses = Uses(function.instructions())
    pending = [name for name in definitions if uses.is_unused(name)]
    while pending:
        unused = definitions[pending.pop()]
        if unused.op not in ("call", "load", "store"):
            uses.remove(unused)
            operands = dict.fromkeys(operand.value for operand in unused.operands)
            pending += [name for name in operands if name in definitions and uses.is_unused(name)]
    return uses
