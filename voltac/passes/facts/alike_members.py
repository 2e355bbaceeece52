"""Members of structs that are all computed alike from members at the same places: what memory has in order can stay in order.

    a[4 * i + k] = f(b[4 * i + k], t)     for k = 0, 1, 2, 3        t the same for all k: of the lane, or of a member of b

What is the same for all members is computed once for each of them then, so little may be.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from voltac.ir.constants import splatted
from voltac.ir.lane_values import LaneValues
from voltac.ir.match import scalar_of_splat
from voltac.ir.model import Block, Instruction
from voltac.ir.parts import BINARY, CASTS, FLOAT_BINARY
from voltac.ir.types import element_of, integer_bits, lanes_of
from voltac.passes.accesses.access import Access, pseudo_operation, read_access
from voltac.passes.loops.lane_loops import scalar_callee

MEMBERS = (2, 3, 4)
_LANEWISE = frozenset((*BINARY, *FLOAT_BINARY, *CASTS, "icmp", "fcmp", "select", "freeze", "fneg"))
_SLOW = frozenset(("fdiv", "frem", "udiv", "sdiv", "urem", "srem"))
_MOST_SHARED = 4
"""Operations that are the same for all members: to do them once a member takes as much as the shuffles that are saved.
Chosen by ``blend_over`` of the benchmarks, which has two."""
_MOST_MOVED = 1
"""Rows whose members change places: a shuffle for each vector, where members apart take two for all that is done to them."""
_MOST_VALUES = 60
"""Of what is looked at for a group of stores. Chosen, not measured."""
_WORD = 32
"""Bits of the elements that members of bytes are cut out of."""

Values = tuple[str, ...]
"""A value of each member."""


def whole(members: Iterable[Access]) -> list[Access]:
    """Members of each lane's element in order, if they are all of it, side by side from lane to lane; else nothing."""
    ordered = sorted(members, key=lambda access: access.offsets[0])
    first, count = ordered[0], len(ordered)
    if count not in MEMBERS or not first.all_on:
        return []
    stride = count * first.size
    for number, each in enumerate(ordered):
        start = first.offsets[0] + number * first.size
        if each.element != first.element or each.offsets != tuple(range(start, start + stride * each.lanes, stride)):
            return []
    return ordered


def whole_groups(members: Iterable[Access]) -> list[list[Access]]:
    """Those of accesses of one key that are members of the same elements, all of them."""
    found: list[list[Access]] = []
    group: list[Access] = []
    for access in sorted(members, key=lambda each: each.offsets[0]):
        if len(access.offsets) < 2:
            continue
        stride = access.offsets[1] - access.offsets[0]
        if group and access.offsets[0] - group[0].offsets[0] >= stride:
            group = []
        if group and access.offsets == group[-1].offsets:
            continue
        group.append(access)
        if len(group) * access.size == stride and (ordered := whole(group)):
            found.append(ordered)
            group = []
    return found


class AlikeMembers:
    """Of one group of stores."""

    def __init__(
        self,
        members: int,
        lanes: int,
        rows: Mapping[str, tuple[object, int]],
        same: Mapping[str, str],
        values: LaneValues,
    ) -> None:
        self.members = members
        self.lanes = lanes
        self.rows = rows
        """A loaded value -> what was loaded with it, and the number of its member."""
        self.same = same
        """One that was loaded again -> the first one."""
        self.definitions = values.definitions
        self.order: dict[Values, tuple[str, str]] = {}
        """Values, operands first: how they are made, and their type. ``same``: one that all lanes have; ``mixed``: one for each
        member; ``row``: loaded; ``computed``; ``repeated``: the lane's for each member."""
        self.shared = 0
        self.read = 0

    def are_alike(self, values: Values, type_text: str) -> bool:
        """Whether what is stored is computed alike from members that were loaded."""
        if not self._reads(values, type_text) or self.shared > _MOST_SHARED:
            return False
        rows = [each for each, (kind, _) in self.order.items() if kind == "row"]
        moved = sum(self.numbers(each) != list(range(self.members)) for each in rows)
        return bool(rows) and moved <= _MOST_MOVED

    def in_words(self) -> bool:
        """Whether bytes are computed with in 32 bits: they are cut out of whole elements as well (wide_elements)."""
        return any(kind == "row" and element_of(of) == "i8" for kind, of in self.order.values()) and any(
            kind == "computed" and integer_bits(element_of(of)) == _WORD for kind, of in self.order.values()
        )

    def _reads(self, values: Values, type_text: str) -> bool:
        if values in self.order:
            return True
        self.read += 1
        if self.read > _MOST_VALUES or lanes_of(type_text) != self.lanes:
            return False
        kind = self._kind(values)
        if kind:
            self.order[values] = kind, type_text
        return bool(kind)

    def _kind(self, values: Values) -> str:
        same = values.count(values[0]) == len(values)
        if all(map(self._is_uniform, values)):
            return "same" if same else "mixed"
        if self._is_row(values):
            return "row"
        if self._is_computed(values):
            self.shared += same
            return "computed"
        if same and values[0] in self.definitions:
            self.shared += 1
            return "repeated"
        return ""

    def _is_uniform(self, value: str) -> bool:
        """Whether it is the same in all lanes."""
        if value[0] != "%":
            return splatted(value) is not None or value == "zeroinitializer"
        return scalar_of_splat(value, self.definitions) is not None

    def _is_row(self, values: Values) -> bool:
        """Whether they are members that were loaded together."""
        found = [self.rows.get(self.same.get(each, each)) for each in values]
        if found[0] is None or any(each is None or each[0] is not found[0][0] for each in found):
            return False
        # In another order each lane takes from its own vector.
        return self.numbers(values) == list(range(self.members)) or self.lanes % self.members == 0

    def numbers(self, values: Values) -> list[int]:
        """Which members they are."""
        return [self.rows[self.same.get(each, each)][1] for each in values]

    def operands(self, values: Values) -> list[Values]:
        """First operands of all members, second ones, ..."""
        return list(zip(*([each.value for each in self.definitions[value].operands] for value in values), strict=True))

    def _is_computed(self, values: Values) -> bool:
        one, *others = (self.definitions.get(each) for each in values)
        if one is None or not _is_lanewise(one) or not all(other is not None and _is_alike(one, other) for other in others):
            return False
        if one in others and (one.op in _SLOW or ".sqrt." in one.text):
            return False
        pairs = zip(one.operands, self.operands(values), strict=True)
        return all(lanes_of(operand.type) and self._reads(each, operand.type) for operand, each in pairs)


def _is_lanewise(made: Instruction) -> bool:
    return made.op in _LANEWISE or (made.op == "call" and scalar_callee(made.parts.callee) is not None)


def _is_alike(one: Instruction, other: Instruction) -> bool:
    """Whether they are the same operation on other values."""
    first, second = one.parts, other.parts
    return one is other or (
        (one.op, one.type, first.flags, first.predicate, first.callee)
        == (other.op, other.type, second.flags, second.predicate, second.callee)
        and [each.type for each in one.operands] == [each.type for each in other.operands]
    )


def alike_in(block: Block, values: LaneValues, in_words: bool) -> set[int]:
    """The accesses of a block, by place, that are of groups of stores whose members are computed alike, and of their rows;
    ``in_words``: of bytes that are computed with in 32 bits, too."""
    groups: dict[tuple[object, ...], list[Access]] = {}
    for index, each in enumerate(block.instructions):
        operation = pseudo_operation(each)
        if operation not in ("gather", "scatter"):
            continue
        access = read_access(index, each, operation, values)
        if access.address is not None and access.all_on and access.lanes > 1:
            groups.setdefault((access.is_store, access.element, access.lanes, access.address.key), []).append(access)
    rows: dict[str, tuple[object, int]] = {}
    stores: list[list[Access]] = []
    loads: dict[str, Access] = {}
    same: dict[str, str] = {}
    for members in groups.values():
        loads.update((each.instruction.name, each) for each in members if not each.is_store)
        for group in whole_groups(members):
            if group[0].is_store:
                stores.append(group)
                continue
            rows.update((access.instruction.name, (group, number)) for number, access in enumerate(group))
            first = {access.offsets: access.instruction.name for access in group}
            same.update((each.instruction.name, first[each.offsets]) for each in members if each.offsets in first)
    found: set[int] = set()
    for group in stores if rows else ():
        alike = AlikeMembers(len(group), group[0].lanes, rows, same, values)
        if not alike.are_alike(tuple(each.value for each in group), group[0].vector) or (alike.in_words() and not in_words):
            continue
        taken = [loads[name] for each, (kind, _) in alike.order.items() if kind in _LOADED for name in each if name in loads]
        begin = min(each.index for each in group)
        # Stores to the array between its loads would keep these apart.
        if not any(each.index > begin and each.memory.root == group[0].memory.root for each in taken):
            found.update(each.index for each in (*group, *taken))
    return found


_LOADED = ("row", "repeated")
