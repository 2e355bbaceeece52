"""Loops in which each lane searches a row of its own -> the elements of a row compared at once, where the row may be read.

    while (k < 16 && row[k] != c) k++;            rows of neighbouring lanes, 16 bytes apart
    ->
    %all = load <16 x i8>, ptr %row               of each lane but the last one
    %stops = icmp eq <16 x i8> %all, splat of %c
    %k = cttz (bits of %stops, and a bit at 16)

The lane does not read what is behind the element at which it stops, so that might be anywhere. But where all lanes are on they
all read the first element of their rows, and what lies between two of these is of one array. So the whole row of a lane may be
read where another lane's begins at its last element or behind it: of all lanes but the last, mostly, which searches as before.
"""

from __future__ import annotations

from functools import cached_property

from voltac.ir import match as m
from voltac.ir.constants import integers, is_all_true, splatted
from voltac.ir.match import made_by, scalar_of_splat
from voltac.ir.model import Instruction
from voltac.ir.parts import Operand
from voltac.ir.types import element_of, integer_bits
from voltac.passes.accesses.access import Access, pseudo_operation
from voltac.passes.accesses.available_loads import conjuncts
from voltac.passes.loops.lane_loops import DIVISIONS, PLAIN, LaneLoop
from voltac.passes.loops.lane_texts import LaneTexts
from voltac.passes.loops.same_operation import same_operation

_FEWEST, _MOST = 8, 32
"""Elements of a row: fewer are soon looked at one by one, more fill too many registers. Chosen."""
_MOST_BYTES = 64
"""Of a row: two registers of 256 bits. Chosen."""
_WORD = 4
"""Bytes of what bytes are computed with, though there are many."""
_REGISTER = 16
"""Bytes of the least register."""
_MOST_LOADS = 3
"""Of an iteration. Chosen."""
_BOUND = m.op("icmp", m.value("counter"), m.constant("end"), predicate="slt")
_NEXT = m.add(m.value("counter"), m.number(1), "nsw")


class RowSearch:
    """One loop that may be such a search."""

    def __init__(self, loop: LaneLoop) -> None:
        self.loop = loop
        self.definitions = loop.values.definitions
        self.inside = {each.name: each for each in loop.instructions() if each.name}
        self.counter = ""
        """The phi of the places in the rows."""
        self.end = 0
        """How many places there are."""
        self.stays: dict[str, bool] = {}
        """What must be so, or not so, for a lane to go on behind an iteration."""
        self.entered: dict[str, bool] = {}
        """The same for it to be in the iteration."""
        self.exits: dict[str, str] = {}
        """Phi -> what it is behind the loop for a lane that stops before the end."""
        self.rows: dict[str, tuple[int, ...]] = {}
        """Load of a row -> how many bytes each lane's row begins behind that of the first lane."""
        self.same: list[str] = []
        """What elements are compared with that is the same in all lanes, computed in the loop or before it."""
        self.lanes: frozenset[int] = frozenset()
        """Those that may read their whole rows."""

    @staticmethod
    def of(loop: LaneLoop) -> RowSearch | None:
        """None where the loop is another."""
        if not loop.options.target.is_x86 or not 0 < len(loop.loads) <= _MOST_LOADS:
            return None
        if not is_all_true(loop.arm(loop.values.definitions[loop.live], False).replace("splat (i32 -1)", "splat (i1 true)")):
            return None
        if any(each.op == "load" for each in loop.instructions()):
            return None  # What is compared with would have to be loaded before the loop.
        found = RowSearch(loop)
        return found if found._counts() and found._leaves() and found._compares() and found._may_read() else None

    @property
    def elements(self) -> int:
        """Of the vector of a row: a power of two."""
        return 1 << (self.end - 1).bit_length()

    @property
    def lanes_of_row(self) -> int:
        """Of the vectors that are computed with: no less than a register of the smallest elements has."""
        sizes = [access.size for access, _ in self.loop.loads if access.instruction.name in self.rows]
        return max(self.elements, _REGISTER // min(sizes))

    @property
    def _bits(self) -> str:
        """The number that has a bit for each element, and one for the end."""
        return "i32" if self.end < 32 and self.lanes_of_row <= 32 else "i64"

    def _counts(self) -> bool:
        """Whether a lane is in the loop while a counter that begins with 0 is less than a number."""
        entered = self._leaves_of(self.loop.tested)
        if entered is None or entered.pop(self.loop.live, False) is not True or len(entered) != 1:
            return False
        ((bound, sense),) = entered.items()
        found = _BOUND.find(bound, self.definitions)
        end = integers(*found["end"]) if found is not None else None
        phi = self.inside.get(found["counter"].value) if found is not None else None
        if not sense or end is None or phi is None or phi.op != "phi" or len(set(end)) != 1:
            return False
        self.counter, self.end, self.entered = phi.name, end[0], {bound: True, self.loop.live: True}
        zeros = integers(phi.type, self.loop.arm(phi, False))
        return zeros is not None and not any(zeros) and _FEWEST <= self.end <= _MOST

    def _leaves(self) -> bool:
        """Whether it only counts while a lane stays, and what it has when it leaves is soon said."""
        following = self._leaves_of(self.loop.following(self.definitions[self.loop.live]))
        if following is None:
            return False
        self.stays = {name: sense for name, sense in following.items() if name not in self.entered}
        if not self.stays:
            return False
        for phi in self.loop.header.phis():
            if phi.name == self.loop.live:
                continue
            stays, leaves = (self._chosen(self.loop.following(phi), leaves) for leaves in (False, True))
            if phi.name == self.counter:
                if not _NEXT.matches(stays, self.definitions, counter=Operand(phi.type, phi.name)):
                    return False
                leaves = "next" if leaves == stays else leaves
            elif stays != phi.name:
                return False
            if leaves in self.inside and leaves not in (self.counter, phi.name):
                return False
            self.exits[phi.name] = leaves
        return True

    def _leaves_of(self, mask: str) -> dict[str, bool] | None:
        """The conditions that a mask is the conjunction of, with their sense; None where one of them is put together."""
        found: dict[str, bool] = {}
        for name, sense in conjuncts(mask, self.loop.values).items():
            if len(conjuncts(name, self.loop.values)) == 1:
                found[name] = sense
            elif not sense:
                return None
        return found

    def _chosen(self, value: str, leaves: bool) -> str:
        """What a value is for a lane that stays, or leaves, in an iteration: one side of selects."""
        while (made := made_by(("select",), value, self.definitions)) is not None:
            sense = self._sense(made.operands[0].value, leaves)
            if sense is None:
                break
            value = made.operands[1 if sense else 2].value
        return value

    def _sense(self, mask: str, leaves: bool) -> bool | None:
        needed = self._leaves_of(mask)
        if needed is None:
            return None
        asked = {name: sense for name, sense in needed.items() if self.entered.get(name) != sense}
        if not leaves:
            if any(self.stays.get(name, sense) != sense for name, sense in asked.items()):
                return False
            return True if all(name in self.stays for name in asked) else None
        if self.stays.items() <= asked.items():
            return False
        is_one = len(self.stays) == 1 and len(asked) <= 1
        return True if is_one and all(self.stays.get(name) == (not sense) for name, sense in asked.items()) else None

    def _compares(self) -> bool:
        """Whether rows can be looked at as vectors; finds out where those of the lanes begin."""
        for access, _ in self.loop.loads:
            needed = self._leaves_of(access.mask) if not access.all_on else {}
            if needed is None or not needed.items() <= self.entered.items():
                return False
            if not self._is_computed(access.pointers.value):
                return False
            step, offsets = self._place(access.pointers.value) or (0, ())
            if self._depends(access.pointers.value):
                if step != access.size or self.elements * step > _MOST_BYTES:
                    return False
                self.rows[access.instruction.name] = offsets
        return bool(self.rows) and all(self._is_compared(name) for name in self.stays)

    def _is_computed(self, value: str) -> bool:
        """Whether an address is computed without loading anything."""
        made = self.inside.get(value)
        if made is None or made.op == "phi":
            return made is None or value == self.counter
        if made.op in ("insertelement", "shufflevector"):
            scalar = scalar_of_splat(value, self.definitions)
            return scalar is not None and self._is_computed(scalar.value)
        return made.op in PLAIN and made.op not in DIVISIONS and all(self._is_computed(each.value) for each in made.operands)

    def _depends(self, value: str) -> bool:
        """Whether a value is another in each iteration, as far as can be seen."""
        made = self.inside.get(value)
        return made is not None and (made.op == "phi" or any(self._depends(each.value) for each in made.operands))

    def _place(self, value: str, type_text: str = "") -> tuple[int, tuple[int, ...]] | None:
        """How much a number or an address grows with the counter, and by how much each lane's is more than that of the first;
        both as numbers that do not wrap."""
        nothing = (0,) * self.loop.lanes
        if value == self.counter:
            return 1, nothing
        if value[0] != "%":
            numbers = integers(type_text, value)
            return (0, tuple(each - numbers[0] for each in numbers)) if numbers else None
        if scalar_of_splat(value, self.definitions) is not None:
            return 0, nothing
        made = self.definitions.get(value)
        if made is None:
            return None
        if made.op == "sext":
            return self._place(made.operands[0].value, made.operands[0].type)
        if made.op == "getelementptr" and len(made.operands) == 2:
            base, index = made.operands
            size = self.loop.values.layout.size(made.parts.element_type)
            start = self._place(base.value, base.type) if base.type[0] == "<" else (0, nothing)
            place = self._place(index.value, index.type) if index.type[0] == "<" else (0, nothing)
            return _sum(start, place, size)
        if made.op not in ("add", "mul") or "nsw" not in made.parts.flags:
            return None
        one, other = made.operands
        if made.op == "add":
            return _sum(self._place(one.value, one.type), self._place(other.value, other.type), 1)
        for factor, of in ((one, other), (other, one)):
            numbers = integers(factor.type, factor.value) if factor.value[0] != "%" else None
            if numbers and len(set(numbers)) == 1:
                return _sum((0, nothing), self._place(of.value, of.type), numbers[0])
        return None

    def _is_compared(self, value: str) -> bool:
        """Whether it can be computed of all elements of a row at once."""
        made = self.inside.get(value)
        if made is None:
            return value[0] == "%" or splatted(value) is not None or value == "zeroinitializer"
        if value == self.counter or pseudo_operation(made):
            return True
        if made.op in ("insertelement", "shufflevector"):
            self.same.append(value)
            return self._is_computed(value)
        element = element_of(made.type)
        if made.op not in PLAIN or made.op in DIVISIONS or element == "ptr":
            return False
        if element != "i1" and self.elements * (size := self.loop.values.layout.size(element)) > _MOST_BYTES and size > _WORD:
            return False
        return all(self._is_compared(each.value) for each in made.operands)

    def _may_read(self) -> bool:
        sizes = {access.instruction.name: access.size for access, _ in self.loop.loads}
        self.lanes = frozenset(
            lane
            for lane in range(self.loop.lanes)
            if all(max(at) - at[lane] >= (self.elements - 1) * sizes[name] for name, at in self.rows.items())
        )
        return 2 * len(self.lanes) >= self.loop.lanes

    # --- writing ---

    @cached_property
    def _scalars(self) -> list[Instruction]:
        """What the loop computes for addresses and for all elements of a row alike, in order."""
        wanted: set[str] = set()
        work = [access.pointers.value for access, _ in self.loop.loads] + self.same
        while work:
            name = work.pop()
            if name in self.inside and name not in wanted and self.inside[name].op != "phi":
                wanted.add(name)
                work += self.inside[name].names_used()
        return [each for each in self.loop.instructions() if each.name in wanted]

    def write(self, texts: LaneTexts, where: list[Instruction]) -> dict[str, str]:
        """Search for the lane that ``texts`` writes for; what each phi used behind the loop is then."""
        phis = [phi for phi in self.loop.header.phis() if phi.name != self.loop.live]
        starts = {phi.name: texts.start(phi) for phi in phis}
        texts.names = starts | {self.loop.live: texts.on()}
        texts.names |= {each.name: texts.fresh("of.lane") for each in self._scalars}
        where += texts.scalars(self._scalars)
        vectors = {access.instruction.name: self._loaded(access, texts, where) for access, _ in self.loop.loads}
        mask, bits, ended = f"<{self.lanes_of_row} x i1>", self._bits, str(1 << self.end)
        for name, sense in self.stays.items():
            answers = self._vector(Operand(self.definitions[name].type, name), vectors, texts, where)
            # What is computed of elements behind the one at which the lane stops may be poison.
            frozen = texts.write("frozen", f"freeze {mask} {answers}", where)
            packed = texts.write("packed", f"bitcast {mask} {frozen} to i{self.lanes_of_row}", where)
            if self.lanes_of_row < integer_bits(bits):
                packed = texts.write("bits", f"zext i{self.lanes_of_row} {packed} to {bits}", where)
            if sense:
                packed = texts.write("stops", f"xor {bits} {packed}, -1", where)
            ended = texts.write("ended", f"or {bits} {packed}, {ended}", where)
        texts.module.declare([f"declare {bits} @llvm.cttz.{bits}({bits}, i1)"])
        at = texts.write("at", f"call {bits} @llvm.cttz.{bits}({bits} {ended}, i1 true)", where)
        stopped = texts.write("stopped", f"icmp ne {bits} {at}, {self.end}", where)
        return {
            phi.name: self._result(phi, starts[phi.name], at, stopped, texts, where)
            for phi in phis
            if phi.name in self.loop.used_outside
        }

    def _result(self, phi: Instruction, start: str, at: str, stopped: str, texts: LaneTexts, where: list[Instruction]) -> str:
        kind, leaves = element_of(phi.type), self.exits[phi.name]
        place = at
        if self.counter in (phi.name, leaves):
            counted = element_of(self.definitions[self.counter].type)
            if counted != self._bits:
                change = "trunc" if integer_bits(counted) < integer_bits(self._bits) else "zext"
                place = texts.write("place", f"{change} {self._bits} {at} to {counted}", where)
        if phi.name == self.counter:
            if leaves == self.counter:
                return place
            start = str(self.end)
        if leaves == "next":
            left = texts.write("left", f"add {kind} {place}, 1", where)
        elif leaves == self.counter:
            left = place
        else:
            left = start if leaves == phi.name else texts.scalar(phi.type, leaves)
        return start if left == start else texts.write("found", f"select i1 {stopped}, {kind} {left}, {kind} {start}", where)

    def _loaded(self, access: Access, texts: LaneTexts, where: list[Instruction]) -> str:
        """The lane's row, or what it loads in each iteration."""
        pointer = texts.scalar(access.pointers.type, access.pointers.value)
        attached = access.instruction.parts.metadata.get("dbg")
        ending = f", align {access.size}" + (f", !dbg {attached}" if attached else "")
        if access.instruction.name in self.rows:
            kind = f"<{self.lanes_of_row} x {access.element}>"
            if self.elements == self.lanes_of_row:
                return texts.write("row", f"load {kind}, ptr {pointer}{ending}", where)
            # As one number: LLVM would compute the lower part of vectors that are filled up.
            word = f"i{8 * access.size * self.elements}"
            words = f"<{self.lanes_of_row // self.elements} x {word}>"
            number = texts.write("row", f"load {word}, ptr {pointer}{ending}", where)
            filled = texts.write("filled", f"insertelement {words} zeroinitializer, {word} {number}, i64 0", where)
            return texts.write("row", f"bitcast {words} {filled} to {kind}", where)
        one = texts.write("of.lane", f"load {access.element}, ptr {pointer}{ending}", where)
        return self._splat(access.element, one, texts, where)

    def _splat(self, element: str, scalar: str, texts: LaneTexts, where: list[Instruction]) -> str:
        kind = f"<{self.lanes_of_row} x {element}>"
        if scalar[0] != "%":
            return f"splat ({element} {scalar})"
        first = texts.write("first", f"insertelement {kind} poison, {element} {scalar}, i64 0", where)
        order = f"<{self.lanes_of_row} x i32> zeroinitializer"
        return texts.write("same", f"shufflevector {kind} {first}, {kind} poison, {order}", where)

    def _vector(self, operand: Operand, made: dict[str, str], texts: LaneTexts, where: list[Instruction]) -> str:
        """A value for all elements of the row."""
        value, element = operand.value, element_of(operand.type)
        if value in made:
            return made[value]
        instruction = self.inside.get(value)
        if value == self.counter:
            text = "<" + ", ".join(f"{element} {number}" for number in range(self.lanes_of_row)) + ">"
        elif value == "zeroinitializer":
            text = value
        elif instruction is None or instruction.op in ("insertelement", "shufflevector"):
            text = self._splat(element, texts.scalar(operand.type, value), texts, where)
        else:
            types = [f"<{self.lanes_of_row} x {element_of(each.type)}>" for each in instruction.operands]
            given = [self._vector(each, made, texts, where) for each in instruction.operands]
            kind = f"<{self.lanes_of_row} x {element}>"
            text = texts.write("of.row", same_operation(instruction, kind, types, given), where)
        made[value] = text
        return text


def _sum(
    one: tuple[int, tuple[int, ...]] | None, other: tuple[int, tuple[int, ...]] | None, times: int
) -> tuple[int, tuple[int, ...]] | None:
    """One and so many times the other."""
    if one is None or other is None:
        return None
    return one[0] + times * other[0], tuple(a + times * b for a, b in zip(one[1], other[1], strict=True))
