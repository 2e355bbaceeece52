"""All-on loops over bytes and short integers, or that find the least or greatest -> several gangs at once, before single ones.

    loop over i by 8:   %v = gather <8 x i8> at i + <0 .. 7> ...
    ->
    loop over i by 32:  %v = gather <32 x i8> at i + <0 .. 31> ...
    then the loop over i by 8 for what is left

Eight lanes of bytes fill a quarter of a register. Where every statement works on
each lane by itself, and no element that one gang stores is touched by another
gang, the statements of neighbouring gangs may be done together. What the loop sums up
(:mod:`voltac.passes.loops.accumulators`) is done side by side too: its steps need not wait for each other.
So with gangs whose work is a short loop, the same number of iterations for all of them.
"""

from __future__ import annotations

import re

from voltac.ir.cfg import control_flow
from voltac.ir.lane_formulas import UniformSymbol
from voltac.ir.lane_values import LaneValues, lane_values
from voltac.ir.model import Function, Instruction, Module
from voltac.ir.parts import BINARY, CASTS, FLOAT_BINARY, LANEWISE_INTRINSICS
from voltac.ir.types import DataLayout, element_of, lanes_of
from voltac.options import Options
from voltac.passes.accesses.access import Access, is_divisor, pseudo_operation, read_access
from voltac.passes.accesses.available_loads import access_key
from voltac.passes.accesses.cost_rows import has_masked
from voltac.passes.accesses.merged_stores import covers_all, mark_readable
from voltac.passes.facts.effects import FunctionEffects, ModuleEffects, module_effects
from voltac.passes.loops.accumulators import Accumulator, accumulators, move_conditions_into_terms
from voltac.passes.loops.distances import Distance, Extents, distance, extents, few
from voltac.passes.loops.gang_loops import GangLoop, root
from voltac.passes.loops.lane_counts import lane_numbers
from voltac.passes.loops.live_values import most_live
from voltac.passes.loops.long_chains import GANGS, is_division, waits_in_line
from voltac.passes.loops.narrow_sums import enough, narrow_sums
from voltac.passes.loops.wide_loops import WideLoop, gains_by_width
from voltac.passes.loops.wide_walks import MOST_LONG_CHAINS, asking_of, factor_of_walk, is_local, leads_itself, waits_long
from voltac.target_info import TargetInfo

_LANEWISE = frozenset((*BINARY, *FLOAT_BINARY, *CASTS, "fneg", "icmp", "fcmp", "select", "freeze"))
_MOST_INSTRUCTIONS, _MOST_FILLING = 200, 600
"""Of a loop; where single gangs leave half of each register empty it may be longer. Chosen, not measured."""
_WIDEST = 8
"""Bytes of an element."""
_NEAR = 8
"""Elements from one lane's to the next one's that are shuffled out of registers."""
_MOST_REGISTERS = 4
"""Registers that one value of the widest type may take."""
_MOST_LIVE = 28
"""Registers that all values together may take at a time, where there are 16: with 26 a transform of 8 words still gains by two
gangs, with 32 the colours of two pixels take 2.3 times as long by four gangs as by two, most of them in memory."""
_MOST_BESIDE_CONSTANTS = 16
"""The same of bodies that are as long as several loops, and have many constants. Chosen, not measured."""
_MOST_AT_ONCE = 32
"""Vector instructions of a loop in the body, of all gangs together."""
_MOST_CHAINS = 8
"""What such a loop carries on, of all gangs together: enough for two additions a cycle that take four."""
_IRREGULAR = 8
"""Such instructions that a load lane by lane counts for: two of them side by side keep a processor busy."""
_WORD_BITS = 32
"""Of float and int, a gang of which may fill half of a register or less."""
_PIXEL = 4
"""Bytes of an element with several members, which are computed with in 32 bits."""


def widen_gangs(module: Module, options: Options) -> None:
    """Rewrite the module."""
    layout = module.layout(options.target.pointer_bits // 8)
    effects: ModuleEffects | None = None
    is_narrow = 2 * _WORD_BITS * options.target.width <= options.target.vector_bits
    for function in module.often_called:
        gains = gains_by_width(function, options)
        if gains or is_narrow:
            effects = effects or module_effects(module)
            _widen_function(function, layout, effects, options, _MOST_FILLING if is_narrow else _MOST_INSTRUCTIONS, not gains)


def _steps(access: Access) -> list[int]:
    """Bytes from each lane's element to that of the next."""
    return [after - before for before, after in zip(access.offsets, access.offsets[1:])]


def _fills_words(step: int) -> bool:
    """Whether the elements of single gangs, that far apart, fill registers."""
    return step > 0 and step % _PIXEL == 0


def _widen_function(
    function: Function, layout: DataLayout, effects: ModuleEffects, options: Options, most: int, only_fills: bool
) -> None:
    """Rewrite loops of up to ``most`` instructions, longer ones only where they wait; ``only_fills``: that registers are filled
    is all that is gained."""
    flow = control_flow(function)
    inner = flow.inner_loops()
    candidates = [loop for loop in flow.loops if len(loop.blocks) == 2 or inner[loop.header]]
    if not candidates:
        return
    values = lane_values(function, layout)
    known = FunctionEffects(effects, function, values)
    for loop in candidates:
        found = GangLoop.of(function, loop, flow, values, _MOST_FILLING)
        if found is None or (len(found.blocks) > 1 and (found.carried or not inner[loop.header])):
            continue
        move_conditions_into_terms(found, values)
        carried = accumulators(found, values, options)
        if carried is not None:
            wide = _Widening(found, values, carried, options.target)
            wide.only_fills = only_fills
            wide.only_waits = sum(len(block.instructions) for block in found.blocks) > most
            wide.inner = set().union(*(each.blocks for each in inner[loop.header]))
            wide.heads = {each.header for each in inner[loop.header]}
            if len(inner[loop.header]) == 1 and not carried:
                wide.asking = asking_of(function, inner[loop.header][0], flow, values, options)
            factor = wide.factor(known, options)
            if factor > 1:
                written = WideLoop(found, carried, wide.narrow, options.target)
                written.asking = wide.asking
                written.write(factor, wide.distances)


class _Widening:
    def __init__(self, loop: GangLoop, values: LaneValues, carried: list[Accumulator], target: TargetInfo) -> None:
        self.loop = loop
        self.carried = carried
        self.narrow = narrow_sums(loop.function, carried, values, target)
        """Of what is carried on: sums that neighbours may be added up for."""
        self.values = values
        self.function = loop.function
        self.counter, self.following, self.width = loop.counter, loop.following, loop.width
        self.only_fills = False
        self.only_waits = False
        """It is too long for anything else."""
        self.inner: set[str] = set()
        """Blocks of loops in the body: in each iteration all gangs do the same there."""
        self.heads: set[str] = set()
        """The first blocks of these loops."""
        self.asking: frozenset[str] = frozenset()
        """What asks whether any lane goes on, in a loop of the body that lanes leave one by one."""
        self.most_lanes = max(1, target.vector_bits // 8) * _MOST_REGISTERS
        """More than are ever done at once."""
        self.distances: list[Distance | Extents] = []
        """Of accesses that have to be far apart, which is asked for when the loop begins."""

    def factor(self, effects: FunctionEffects, options: Options) -> int:
        """How many gangs to do at once; 1 where that is not possible or gains nothing."""
        accesses: list[Access] = []
        scalar_loads: list[Instruction] = []
        counting: set[str] = set()
        in_loops: set[int] = set()
        floats = words = False
        is_narrow = bool(self.carried) and len(self.narrow) == len(self.carried)
        sums = {name for each in self.carried for name in (each.change.name, each.term) if is_narrow}
        widest, blocks = 1, False
        if not is_narrow:
            widest = max((self.values.layout.size(element_of(each.type)) for each in self.carried), default=1)
        for block in self.loop.blocks:
            for index, instruction in enumerate(block.instructions):
                operation = pseudo_operation(instruction)
                if operation:
                    if block.name in self.inner:
                        in_loops.add(len(accesses))
                    accesses.append(read_access(index, instruction, operation, self.values))
                elif instruction.op == "br" or instruction.name in self.asking:
                    continue
                elif instruction.op == "load" and not lanes_of(instruction.type) and self._is_fixed(instruction):
                    scalar_loads.append(instruction)
                elif not self._is_lanewise(instruction, counting):
                    return 1
                elif self._is_data(instruction) and instruction.name not in sums:
                    words = words or (instruction.op in BINARY and element_of(instruction.type) == "i16")
                    floats = floats or element_of(instruction.type) == "float"
                    widest = max(widest, self.values.layout.size(element_of(instruction.type)))
                elif self.only_fills and element_of(instruction.type) == "i64" and instruction.op in BINARY:
                    if self.values.value(instruction.type, instruction.name) is None:
                        widest = _WIDEST
        if not accesses or any(access.lanes != self.width for access in accesses):
            return 1
        mark_readable(accesses, [], self.values)
        for access in accesses:
            if not (self.loop.is_even(access) or self._is_same(access) or self._is_irregular_load(access)):
                if not self.loop.is_of_blocks(access):
                    return 1
                blocks = True
            masked = not access.all_on and not access.readable and not self._is_merged(access, accesses)
            if masked and not has_masked(options.target, access.size):
                return 1
            widest = max(widest, access.size)
        stores = [access for access in accesses if access.is_store]
        for number, access in enumerate(accesses):
            if self.inner and not access.all_on and (access.is_store or not self.asking or number not in in_loops):
                return 1
        for number, store in enumerate(accesses):
            if store.is_store and number in in_loops:
                return 1  # What gangs store in the iterations of a loop may be stored in another order.
        for number, access in enumerate(accesses):
            for store in stores:
                if store is access or self._is_elsewhere(store, access, effects):
                    continue
                if number in in_loops or access.address is None or not self._is_apart(store, access):
                    return 1
        if not few(self.distances):
            return 1
        if any(effects.may_touch(load, store.memory) for load in scalar_loads for store in stores):
            return 1
        register = options.target.vector_bits // 8
        # Gangs that together fill a register cost what one does.
        filling = max(1, register // (widest * self.width))
        if self.only_fills and any(abs(step) > _NEAR * access.size for access in accesses for step in _steps(access)):
            return 1  # Rows of lanes are transposed.
        if self.inner:
            inner = [accesses[number] for number in in_loops]
            irregular = {each.instruction.name for each in inner if self._is_irregular_load(each)}
            if not irregular and any(each.size < _PIXEL and self._is_in_rows(each) for each in inner):
                return 1  # Lanes that go along rows of their own load words of them, which fill registers.
            if self.asking:
                return factor_of_walk(self.loop, self.inner, max(1, widest * self.width // register), self._is_data)
            return filling * self._factor_of_loops(max(1, widest * self.width // register), irregular)
        smallest = min(access.size for access in accesses)
        cuts_words = words and any(access.size == _PIXEL for access in accesses)
        is_of_pixels = all(len(set(_steps(access))) == 1 and _fills_words(_steps(access)[0]) for access in accesses)
        if widest >= _PIXEL and is_of_pixels and not cuts_words:
            # Whole elements that members are cut out of (wide_elements): they fill registers, and so does what is computed.
            smallest = _PIXEL
        most = _MOST_REGISTERS * register // (widest * self.width)
        if is_narrow and not stores:
            # What is wide in single gangs stays narrow here.
            counted = [each.divisor for each in self.narrow.values() if each.counts]
            most = max(most, *counted) if counted else _MOST_REGISTERS * register // (smallest * self.width)
        self.narrow = {
            each.phi.name: self.narrow[each.phi.name]
            for each in self.carried
            if each.phi.name in self.narrow and enough(self.narrow[each.phi.name], each.type, most * self.width)
        }
        if self.carried and (smallest <= 2 or not all(each.is_sum for each in self.carried)):
            return max(1, most)
        if blocks and self._start_multiple() % (register // smallest):
            return 1
        if not self.carried and widest == _PIXEL and widest * self.width == register:
            most = _MOST_BESIDE_CONSTANTS * (1 + options.target.has_avx512)
            if waits_in_line(self.loop.body, self._is_data) and self._live(GANGS, register) <= most:
                return GANGS
        if self.only_waits:
            return 1
        if floats and not blocks and not self.carried and 4 * self.width >= register:
            # Whole registers already: packing what is stored may gain, and AVX-512 stores the lower parts of lanes anyway.
            if options.target.has_avx512 or all(store.size >= 4 for store in stores):
                return 1
        factor = max(1, min(register // (smallest * self.width), most))
        if self.only_fills:
            return min(factor, filling)
        most = _MOST_LIVE * (1 + options.target.has_avx512)
        if not self.carried and factor > filling and self._live(factor, register) > most:
            return max(filling, factor // 2)
        return factor

    def _live(self, factor: int, register: int) -> int:
        """Registers that values of so many gangs take at a time."""
        return max(most_live(block, self._is_data, self.values.layout, factor, register) for block in self.loop.blocks)

    def _factor_of_loops(self, registers: int, irregular: set[str]) -> int:
        """Enough gangs that a short loop, which waits for what it sums up, has something to do meanwhile.

        ``registers``: that a value takes; ``irregular``: loads lane by lane.
        """
        chains, work, divides = 0, len(irregular) * _IRREGULAR, False
        for block in self.loop.blocks:
            if block.name not in self.inner:
                continue
            if block.name in self.heads:
                chains += sum(lanes_of(phi.type) == self.width for phi in block.phis())
            for instruction in block.instructions:
                divides = divides or (lanes_of(instruction.type) > 0 and is_division(instruction))
                work += self._is_data(instruction) and instruction.op not in ("phi", "insertelement", "shufflevector")
        factor = 1 if divides else _MOST_REGISTERS
        while factor > 1 and (factor * work * registers > _MOST_AT_ONCE or factor * chains * registers > _MOST_CHAINS):
            factor //= 2
        if factor == 1 and registers == 1 and 0 < chains <= MOST_LONG_CHAINS:
            if waits_long(self.loop, self.inner, irregular, self._is_data):
                return GANGS
        return factor if chains else 1

    def _is_data(self, instruction: Instruction) -> bool:
        """Whether its lanes will be in registers: places, which are regular, become scalars."""
        element = element_of(instruction.type)
        if not lanes_of(instruction.type) or element in ("ptr", "i64", "i1"):
            return False
        return self.values.value(instruction.type, instruction.name) is None

    def _is_fixed(self, instruction: Instruction) -> bool:
        """Whether a scalar instruction does the same in each iteration, if what it reads is not written."""
        counting = (self.counter, self.following)
        return all(not lanes_of(operand.type) and operand.value not in counting for operand in instruction.operands)

    def _is_same(self, access: Access) -> bool:
        """Whether it loads one element that all gangs load."""
        terms = access.address.terms if access.address is not None else {}
        if access.is_store or not access.is_uniform:
            return False
        return all(root(symbol) != self.counter and not self._is_made_in_loop(symbol) for symbol in terms)

    def _start_multiple(self) -> int:
        """Of which number the loop's first index is known to be a multiple; 0 of all."""
        return int(self.loop.start) if self.loop.start.isdigit() else 1

    def _is_in_rows(self, access: Access) -> bool:
        """Whether the lanes' elements are apart."""
        return access.address is not None and any(abs(step) > access.size for step in _steps(access))

    def _is_irregular_load(self, access: Access) -> bool:
        """Whether each lane loads from where what it loaded before in a short loop leads it, which waits for that."""
        if self.asking and not access.is_store and access.address is None:
            return not is_local(access.memory.root, self.values)
        if not self.inner or access.is_store or access.address is not None or not access.all_on:
            return False
        return leads_itself(access, self.function, self.values, self.heads)

    def _is_lanewise(self, instruction: Instruction, counting: set[str]) -> bool:
        """Whether each lane of the result is made of the same lanes of the operands, in a wide gang too.

        ``counting`` collects the vectors that hold the counter in every lane: a wide gang has
        other numbers there, so that only lane numbers may be made of them.
        """
        op, parts = instruction.op, instruction.parts
        if instruction.name == self.following:
            return True
        if is_divisor(instruction):
            divisor = parts.operands[0]
            counts = divisor.value == self.counter or divisor.value in counting
            return not counts and lanes_of(divisor.type) in (0, self.width)
        intrinsic = re.match(r"@llvm\.(\w+)\.", parts.callee) if op == "call" else None
        known = op in _LANEWISE or op in ("getelementptr", "phi")
        if intrinsic is not None:
            known = intrinsic[1] in LANEWISE_INTRINSICS
        if not lanes_of(instruction.type) and known and self._is_fixed(instruction):
            return True
        if op.startswith("#") or lanes_of(parts.type) != self.width:
            return False
        names = [operand.value for operand in parts.operands]
        if op in ("insertelement", "shufflevector"):
            if self.counter in names or counting.intersection(names):
                counting.add(instruction.name)
            splat = parts.mask == "zeroinitializer" and lanes_of(parts.operands[0].type) == self.width
            return splat if op == "shufflevector" else names[0] == "poison" and names[2] == "0"
        if counting.intersection(names) or self.counter in names:
            return op == "add" and names[0] in counting and names[1] == lane_numbers(self.width)
        if any(lanes_of(operand.type) not in (0, self.width) or operand.value[0] == "<" for operand in parts.operands):
            return False
        return known and (intrinsic is None or f".v{self.width}" in parts.callee)

    def _is_merged(self, access: Access, accesses: list[Access]) -> bool:
        """Whether a masked store will be one with others that together store every lane."""
        key = access_key(access)
        return access.is_store and covers_all(
            [each for each in accesses if each.is_store and access_key(each) == key], self.values
        )

    def _is_apart(self, store: Access, access: Access) -> bool:
        """Whether no lane of another gang touches an element that a lane stores, if their distance is enough."""
        assert store.address is not None and access.address is not None
        if store.address.terms != access.address.terms:
            found = distance(self.loop, store, access) or extents(self.loop, store, access)
            if found is not None:
                self.distances.append(found)
            return found is not None
        if len(store.offsets) == 1 or any(self._is_made_in_loop(symbol) for symbol in store.address.terms):
            return False
        step = store.offsets[1] - store.offsets[0]
        if access.offsets[1] - access.offsets[0] != step:
            return False
        ahead = access.offsets[0] - store.offsets[0]
        if ahead == 0 and access.size == store.size:
            return True
        if abs(ahead) >= self.most_lanes * abs(step) + max(store.size, access.size):
            return True  # Planes of a known size.
        # Members of one struct: in the same iteration, side by side.
        turn = ahead % abs(step)
        return abs(ahead) < abs(step) and store.size <= turn <= abs(step) - access.size

    def _is_made_in_loop(self, symbol: UniformSymbol) -> bool:
        """Whether it is what lanes of a vector of the loop have in common, which may go with the counter in any way."""
        while symbol.inner is not None:
            symbol = symbol.inner
        return symbol.kind == "lane" and any(
            made.name == symbol.name for block in self.loop.blocks for made in block.instructions
        )

    def _is_elsewhere(self, store: Access, access: Access, effects: FunctionEffects) -> bool:
        """Whether they are of different objects."""
        first, second = store.memory, access.memory
        return first.root != second.root and not effects.may_overlap(first, second)
