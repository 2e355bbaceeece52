"""What members of structs cost side by side, and one after the other: in registers' worth of instructions."""

from __future__ import annotations

import math
from functools import cached_property

from voltac.ir.constants import splatted
from voltac.ir.model import Function, Instruction
from voltac.ir.parts import BINARY, Operand
from voltac.ir.types import element_of
from voltac.ir.uses import uses_of
from voltac.passes.accesses.access import Access
from voltac.passes.members.member_trees import Node, Trees, is_long
from voltac.passes.members.member_windows import stride_of
from voltac.passes.members.member_writer import registers_of, row_of, window_of
from voltac.target_info import TargetInfo

_MOST_REGISTERS = 4
"""That a piece of the widest type may take. Chosen, not measured."""
_ROW_BYTES = 16
"""Within so many bytes shuffles are cheapest."""
_FROM_MEMORY = 0.5
"""Of a load, and an element of memory in all lanes: processors load twice in the time of a shuffle."""
_ACROSS = 1.5
"""Of a shuffle of a whole register."""
_KEPT = 0.5
"""Of all registers those for numbers that are the same in all iterations. Chosen, not measured."""
_RELOADED = 0.5
"""Of each further such number, which is an operand in memory."""
_GAIN = 0.97
"""Of the instructions before: fewer are worth it. Chosen, not measured."""
_LONG = 5
"""Of a division or a square root, as of 256 bits on Zen 3 and Skylake (uops.info)."""
_UNEVEN = 1
"""More shuffles for each member of structs whose number of members is no power of two: of three to and from three registers."""
_UPPER = Operand("i32", "16")
"""Bits by which the upper half of a product of 16-bit numbers is shifted down."""
_TRUTH_BYTES = 4
"""Of a truth value, which is as wide as what was compared."""


def piece_of(trees: Trees, stores: list[Access], target: TargetInfo) -> int:
    """Members that are done at a time: registers full of the narrowest type, in not too many of the widest."""
    layout, register = trees.values.layout, target.vector_bits // 8
    nodes = trees.found()
    sizes = [stores[0].size] + [layout.size(node.element) for node in nodes if node.element != "i1"]
    most = min(register // min(sizes), _MOST_REGISTERS * register // max(sizes))
    if any(node.is_broadcast and len(stores) * layout.size(node.element) > _ROW_BYTES for node in nodes):
        most = min(most, len(stores))
    count = len(stores) * stores[0].lanes
    return math.gcd(count, 1 << (most.bit_length() - 1)) if most else 0


class MemberCosts:
    """Of one group of stores."""

    def __init__(self, trees: Trees, stores: list[Access], target: TargetInfo, function: Function) -> None:
        self.trees = trees
        self.stores = stores
        self.target = target
        self.members, self.lanes = len(stores), stores[0].lanes
        self.piece = piece_of(trees, stores, target)
        self.uses = uses_of(function)

    def gain(self) -> bool:
        """Whether it costs less side by side; what is only copied has better ways (``permuted_copies``)."""
        computes = any(node.kind == "op" for node in self.trees.found())
        return computes and self.piece > 1 and self._together() <= _GAIN * self._apart()

    def _size(self, element: str) -> int:
        return _TRUTH_BYTES if element == "i1" else self.trees.values.layout.size(element)

    def _registers(self, element: str, lanes: int) -> float:
        return max(1.0, lanes * self._size(element) / (self.target.vector_bits // 8))

    @cached_property
    def _upper_halves(self) -> dict[str, str]:
        """What one instruction multiplies of 16-bit numbers and shifts down -> its element type; none of the steps around."""
        found: dict[str, str] = {}
        covered = self.trees.covered
        for made in covered.values():
            shifted = covered.get(made.operands[0].value) if made.op == "trunc" and element_of(made.type) == "i16" else None
            if shifted is None or shifted.op not in ("lshr", "ashr") or splatted(shifted.operands[1].value) != _UPPER:
                continue
            product = covered.get(shifted.operands[0].value)
            if product is not None and product.op == "mul":
                around = [made, shifted, *(covered[each.value] for each in product.operands if each.value in covered)]
                found.update((each.name, "") for each in around if each.op not in BINARY or each is shifted)
                found[product.name] = element_of(made.type)
        return found

    def _work(self, made: Instruction, lanes: int) -> float:
        if made.name in self._upper_halves:
            element = self._upper_halves[made.name]
            return self._registers(element, lanes) if element else 0.0
        registers = max(self._registers(element_of(each), lanes) for each in (made.type, made.operands[0].type))
        return registers * (_LONG if is_long(made) else 1)

    def _reloads(self, numbers: int) -> float:
        registers = 32 if self.target.has_avx512 else 16
        return max(0.0, numbers - _KEPT * registers) * _RELOADED

    def _together(self) -> float:
        total, numbers, loads = 0.0, 0, set[object]()
        lanes = self.members * self.lanes
        for node in self.trees.found():
            registers = self._registers(node.element, lanes)
            if node.kind == "op":
                assert node.instruction is not None
                total += self._work(node.instruction, lanes)
            elif node.kind == "blend":
                # Of the two operations, which are counted, only one is left, too.
                total -= registers if node.alternates and self.target.is_x86 else -registers
            elif node.kind == "spread":
                total += _ACROSS * registers + self._taken_apart(node)
            elif node.kind == "uniform":
                numbers += 1 if len(set(node.scalars)) == 1 else self.members // math.gcd(self.members, self.piece)
            else:
                total += self._moved(node) * registers
                assert node.access is not None and node.access.address is not None
                key = node.access.address.key, node.start
                if key not in loads and not self._from_memory(node):
                    loads.add(key)
                    total += _FROM_MEMORY * registers * node.times
        stored = _FROM_MEMORY * self._registers(self.stores[0].element, lanes)
        return total + stored + self._reloads(numbers) * lanes / self.piece

    def _from_memory(self, node: Node) -> bool:
        return node.is_broadcast and self.members % self.piece == 0

    def _moved(self, node: Node) -> float:
        """Of the shuffles of a load, for each register."""
        if self._from_memory(node):
            # Of structs longer than a register, numbers for each part of them are too many.
            return _FROM_MEMORY if self.members == self.piece else math.inf
        if not node.moves:
            return 0.0
        if node.times > 1:
            return self._parts(node)
        if self.members > self.piece and self.members % self.piece == 0:
            phases = range(0, self.members, self.piece)
            return sum(map(self._in_row, (row_of(node, self.piece, phase) for phase in phases))) / len(phases)
        if self.piece % self.members:
            return math.inf
        return 1.0 if self.members * self._size(node.element) <= _ROW_BYTES else _ACROSS

    def _parts(self, node: Node) -> float:
        """Of a part of each of longer structs."""
        if self.piece % self.members:
            return math.inf
        registers = registers_of(node, self.piece, self.members, 0)
        if len(registers) == 1 and next(iter(registers.values())) == {at: at for at in range(self.piece)}:
            return 0.0
        in_order = node.order == tuple(range(node.order[0], node.order[0] + self.members))
        is_row = in_order and self.members * self._size(node.element) >= _ROW_BYTES
        return max(1, len(registers) - 1) * (1.0 if is_row else 2 * _ACROSS)

    def _in_row(self, wanted: list[int]) -> float:
        """Of one register of structs that fill several."""
        start, count = window_of(wanted, self.piece, self.members)
        if count < self.piece:
            return _FROM_MEMORY
        if max(wanted) - start >= count:
            return math.inf
        own = max(1, _ROW_BYTES * self.piece // (self.target.vector_bits // 8))
        return 1.0 if all((each - start) // own == at // own for at, each in enumerate(wanted)) else _ACROSS

    def _apart(self) -> float:
        """Of what is left out then."""
        kept = self._kept()
        total, numbers = 0.0, set[str]()
        for name, made in self.trees.covered.items():
            access = self.trees.loads.get(name)
            if name in kept:
                continue
            total += self._work(made, self.lanes) if access is None else self._shuffled(access)
        for node in self.trees.found():
            if node.kind == "uniform":
                numbers.update(node.scalars)
        total += sum(self._shuffled(store) for store in self.stores)
        return total + self._reloads(len(numbers)) * self._registers(self.stores[0].element, self.lanes)

    def _shuffled(self, access: Access) -> float:
        """Of one member of structs that is taken out of registers, or put into them.

        Within halves of registers each shuffle of two brings twice as many together; permutations of AVX-512 add one register
        each.
        """
        members = stride_of(access) // access.size
        steps = max(_ACROSS, members - 1) if self.target.has_avx512 else math.log2(members)
        if members & (members - 1):
            steps += _UNEVEN
        return (steps + _FROM_MEMORY) * self._registers(access.element, self.lanes)

    def _kept(self) -> set[str]:
        """What is used by others, too."""
        covered, stored = self.trees.covered, {id(store.instruction) for store in self.stores}
        work = [
            name for name in covered if any(each.name not in covered and id(each) not in stored for each in self.uses.of(name))
        ]
        kept: set[str] = set()
        while work:
            name = work.pop()
            if name not in kept:
                kept.add(name)
                work += [each.value for each in covered[name].operands if each.value in covered]
        return kept

    def _taken_apart(self, node: Node) -> float:
        """Of the loads of members that a value of a gang is still made of."""
        work, seen = [node.value], set[str]()
        while work:
            name = work.pop()
            made = self.trees.values.definitions.get(name)
            if made is None or name in seen or name in self.trees.covered:
                continue
            seen.add(name)
            if name not in self.trees.loads:
                work += [each.value for each in made.operands if each.value[0] == "%"]
        return sum(self._shuffled(self.trees.loads[name]) for name in seen if name in self.trees.loads)
