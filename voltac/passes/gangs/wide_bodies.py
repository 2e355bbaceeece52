"""What a loop over gangs does: whether several gangs may do it together, and what decides how many gain by it.

Each value must be made of the same lanes of others, each place must go on from gang to gang as from lane to lane, and what one
gang stores no other may touch.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from voltac.ir.cfg import NaturalLoop
from voltac.ir.lane_formulas import UniformSymbol
from voltac.ir.lane_values import LaneValues
from voltac.ir.model import Instruction
from voltac.ir.parts import BINARY, CASTS, FLOAT_BINARY, LANEWISE_INTRINSICS
from voltac.ir.types import element_of, lanes_of
from voltac.options import Options
from voltac.passes.accesses.access import Access, is_divisor, lane_steps, pseudo_operation, read_access
from voltac.passes.accesses.available_loads import access_key
from voltac.passes.accesses.cost_rows import has_masked
from voltac.passes.accesses.merged_stores import covers_all, mark_readable
from voltac.passes.facts.effects import FunctionEffects
from voltac.passes.loops.accumulators import Accumulator
from voltac.passes.loops.body_branches import BodyBranches
from voltac.passes.loops.distances import Distance, Extents, distance, extents, few
from voltac.passes.loops.gang_loops import GangLoop, root
from voltac.passes.loops.lane_counts import lane_numbers
from voltac.passes.loops.narrow_sums import narrow_sums
from voltac.passes.loops.rare_branches import is_scope
from voltac.passes.loops.wide_walks import is_local, leads_itself

_LANEWISE = frozenset((*BINARY, *FLOAT_BINARY, *CASTS, "fneg", "icmp", "fcmp", "select", "freeze"))
_WIDEST = 8
"""Bytes of an element."""
_NEAR = 8
"""Elements from one lane's to the next one's that are shuffled out of registers."""
MOST_REGISTERS = 4
"""Registers that one value of the widest type may take."""
PIXEL = 4
"""Bytes of an element with several members, which are computed with in 32 bits."""


class WideBody:
    """The body of a loop that is to be done for several gangs at once. :meth:`is_possible` comes first."""

    def __init__(
        self,
        loop: GangLoop,
        values: LaneValues,
        carried: list[Accumulator],
        options: Options,
        within: Sequence[NaturalLoop],
        branches: BodyBranches,
    ) -> None:
        self.loop = loop
        self.carried = carried
        self.target = options.target
        self.narrow = narrow_sums(loop.function, carried, values, options.target)
        """Of what is carried on: sums that neighbours may be added up for."""
        self.is_narrow = bool(carried) and len(self.narrow) == len(carried)
        """Whether all of them are such sums."""
        self.values = values
        self.function = loop.function
        self.counter, self.following, self.width = loop.counter, loop.following, loop.width
        self.only_fills = False
        """Whether that registers are filled is all that is gained."""
        self.inner = {name for each in within for name in each.blocks}
        """Blocks of the loops in the body: in each iteration all gangs do the same there."""
        self.heads = {each.header for each in within}
        """The first blocks of these loops."""
        self.asking: frozenset[str] = frozenset()
        """What asks whether any lane goes on, in a loop of the body that lanes leave one by one."""
        self.branches = branches
        """Those that are no loops."""
        self.in_turn: list[Instruction] = []
        """What is done for one gang after the other, behind the rest: it depends on what the gang before has come to."""
        self.parted: set[str] = set()
        """Calls that are done for each gang: processors' own instructions, which no wide gang has."""
        self.most_lanes = max(1, self.target.vector_bits // 8) * MOST_REGISTERS
        """More than are ever done at once."""
        self.distances: list[Distance | Extents] = []
        """Of accesses that have to be far apart, which is asked for when the loop begins."""
        self.accesses: list[Access] = []
        self.in_loops: set[int] = set()
        """Numbers of the accesses in loops of the body."""
        self.has_floats = False
        self.has_shorts = False
        """Whether something is computed in 16 bits."""
        self.in_blocks = False
        """Whether some place goes on only after several gangs."""
        self.in_cycles = False
        """Whether some place begins again after a number of elements."""
        self.widest = 1
        """Bytes of the widest element that is computed with, loaded or stored."""
        self._scalar_loads: list[Instruction] = []
        self._sums: set[str] = set()
        """What adds to sums that neighbours are added up for."""

    def is_possible(self, effects: FunctionEffects) -> bool:
        """Whether several gangs at once do what they do one after the other."""
        if (
            not self._is_read(effects)
            or not (self.accesses or self.in_turn)
            or any(access.lanes != self.width for access in self.accesses)
        ):
            return False
        return self._go_on() and self._keep_order(effects) and few(self.distances) and not self._may_change(effects)

    def _is_read(self, effects: FunctionEffects) -> bool:
        """Whether every instruction works on each lane by itself."""
        counting: set[str] = set()
        seldom = {branch.rare.name for branch in self.branches.rare}
        tests = {each.name for each in self.in_turn} | self.branches.tests
        self._sums = {name for each in self.carried for name in (each.change.name, each.term) if self.is_narrow}
        if not self.is_narrow:
            self.widest = max((self.values.layout.size(element_of(each.type)) for each in self.carried), default=1)
        for block in self.loop.blocks:
            if block.name in seldom:
                continue
            for index, instruction in enumerate(block.instructions):
                operation = pseudo_operation(instruction)
                if operation:
                    if block.name in self.inner:
                        self.in_loops.add(len(self.accesses))
                    self.accesses.append(read_access(index, instruction, operation, self.values))
                elif instruction.op == "br" or instruction.name in self.asking | tests or is_scope(instruction):
                    continue
                elif instruction.op == "load" and not lanes_of(instruction.type) and self._is_fixed(instruction):
                    self._scalar_loads.append(instruction)
                elif not self._is_lanewise(instruction, counting):
                    if not self._is_parted(instruction, counting, effects):
                        return False
                    self.parted.add(instruction.name)
                    self._look_at(instruction)
                else:
                    self._look_at(instruction)
        # What counts gangs is another one's in a wide gang.
        of_one = counting | {self.counter, self.following}
        alone = [each for branch in self.branches.rare for side in branch.sides for each in side.instructions] + self.in_turn
        return all(of_one.isdisjoint(each.names_used()) for each in alone)

    def _is_parted(self, instruction: Instruction, counting: set[str], effects: FunctionEffects) -> bool:
        """Whether a call does for each gang what it does for one, and nothing else."""
        if self.inner or self.carried or instruction.op != "call" or lanes_of(instruction.type) != self.width:
            return False
        if any(lanes_of(each.type) not in (0, self.width) or each.value in counting for each in instruction.operands):
            return False
        return self.counter not in instruction.names_used() and effects.is_pure(instruction)

    def _look_at(self, instruction: Instruction) -> None:
        """How wide it is what an instruction computes."""
        element = element_of(instruction.type)
        if self.is_data(instruction) and instruction.name not in self._sums:
            self.has_shorts = self.has_shorts or (instruction.op in BINARY and element == "i16")
            self.has_floats = self.has_floats or element == "float"
            self.widest = max(self.widest, self.values.layout.size(element))
        elif self.only_fills and element == "i64" and instruction.op in BINARY:
            if self.values.value(instruction.type, instruction.name) is None:
                self.widest = _WIDEST

    def _go_on(self) -> bool:
        """Whether places of a gang follow those of the one before, and none is touched under a mask that the target has not."""
        mark_readable(self.accesses, [], self.values)
        for number, access in enumerate(self.accesses):
            if not (self.loop.is_even(access) or self._is_same(access) or self.is_irregular_load(access)):
                if self.loop.is_of_blocks(access):
                    self.in_blocks = True
                elif (access.all_on or access.readable) and self.loop.is_cyclic(access):
                    self.in_cycles = True
                else:
                    return False
            masked = not access.all_on and not access.readable and not self._is_merged(access)
            if masked and not has_masked(self.target, access.size):
                return False
            if self.inner and not access.all_on and (access.is_store or not self.asking or number not in self.in_loops):
                return False
            if self.only_fills and any(abs(step) > _NEAR * access.size for step in lane_steps(access)):
                return False  # Rows of lanes are transposed.
            self.widest = max(self.widest, access.size)
        return True

    def _keep_order(self, effects: FunctionEffects) -> bool:
        """Whether no gang touches what another one stores."""
        stores = [access for access in self.accesses if access.is_store]
        for number, access in enumerate(self.accesses):
            if access.is_store and number in self.in_loops:
                return False  # What gangs store in the iterations of a loop may be stored in another order.
            for store in stores:
                if store is access or self._is_elsewhere(store, access, effects):
                    continue
                if number in self.in_loops or access.address is None or not self._is_apart(store, access):
                    return False
        return True

    def _may_change(self, effects: FunctionEffects) -> bool:
        """Whether what is loaded once for all lanes may be stored to."""
        stores = [access for access in self.accesses if access.is_store]
        return any(effects.may_touch(load, store.memory) for load in self._scalar_loads for store in stores)

    def usual(self) -> list[Instruction]:
        """What gangs do at once in each iteration but for what is seldom done."""
        seldom, alone = {branch.rare.name for branch in self.branches.rare}, {each.name for each in self.in_turn}
        work = (block.instructions for block in self.loop.blocks if block.name not in seldom)
        return [each for instructions in work for each in instructions if not each.name or each.name not in alone]

    def start_multiple(self) -> int:
        """Of which number the loop's first index is known to be a multiple; 0 of all."""
        return int(self.loop.start) if self.loop.start.isdigit() else 1

    def is_data(self, instruction: Instruction) -> bool:
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

    def is_in_rows(self, access: Access) -> bool:
        """Whether the lanes' elements are apart."""
        return access.address is not None and any(abs(step) > access.size for step in lane_steps(access))

    def is_irregular_load(self, access: Access) -> bool:
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

    def _is_merged(self, access: Access) -> bool:
        """Whether a masked store will be one with others that together store every lane."""
        key = access_key(access)
        return access.is_store and covers_all(
            [each for each in self.accesses if each.is_store and access_key(each) == key], self.values
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
