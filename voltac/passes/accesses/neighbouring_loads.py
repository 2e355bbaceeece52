"""Irregular loads of neighbouring elements -> one or two loads a lane for all of them, and a transposition.

    %x = call <8 x float> @volta.gather.v8f32(<8 x ptr> %p, ...)
    %y = call <8 x float> @volta.gather.v8f32(<8 x ptr> %p + 4, ...)
    ->
    %r0 = load <2 x float>, ptr (lane 0 of %p)     x0 y0
    ...
    %x, %y = the even, and the odd, elements of all rows

This is what members of ``points[index[i]]`` or ``table[j]`` and ``table[j + 1]`` become. Bytes and 16-bit numbers, as the
members of a pixel are, are loaded four bytes at a time and shifted down.
Only bytes between the first and the last that the lane touches are loaded, and an
off lane loads from a readable zero instead.
"""

from __future__ import annotations

from voltac.ir import match as m
from voltac.ir.constants import integers
from voltac.ir.lane_values import LaneValues
from voltac.ir.parts import BINARY, CASTS, FLOAT_BINARY, Operand
from voltac.ir.types import array_parts, element_of, lanes_of
from voltac.passes.accesses.access import Access
from voltac.passes.accesses.emit import NOWHERE_BYTES, Emitter
from voltac.passes.accesses.gather import native_pairs
from voltac.passes.accesses.lane_rows import ROW_BYTES, transposed
from voltac.passes.accesses.piece import Piece
from voltac.records import mutable_record

_PURE = frozenset((*BINARY, *FLOAT_BINARY, *CASTS, "getelementptr", "insertelement", "shufflevector", "extractelement"))
_SUMS = {flag: m.add(m.value("value"), m.constant("added"), flag) for flag in ("", "nsw", "nuw")}
_WORD = 4
"""Bytes that smaller elements are loaded in."""
_HALF = 4
"""Bytes of an element, of which gathers of 64 bits load two."""
_DEPTH = 24
"""Formulas are followed this far; what is below counts as a value of its own."""


class RecordAddresses:
    """Pointers of irregular accesses as a record, the same for all neighbours, and a distance in bytes."""

    def __init__(self, values: LaneValues, same: dict[str, str]) -> None:
        """``same``: a value -> the earlier one it is equal to."""
        self.values = values
        self.same = same
        self._numbers: dict[object, int] = {}
        self._known: dict[str, int] = {}

    def split(self, pointers: Operand) -> tuple[tuple[object, ...], int] | None:
        """Record and distance; None where the distance differs from lane to lane."""
        definition = m.made_by(("getelementptr",), pointers.value, self.values.definitions)
        if definition is None:
            return (self._number(pointers, _DEPTH),), 0
        base, first, *rest = definition.operands
        inner = self.split(base) if lanes_of(base.type) else ((self._number(base, _DEPTH),), 0)
        if inner is None:
            return None
        key, distance = inner
        element = definition.parts.element_type
        layout = self.values.layout
        dynamic: list[object] = []
        for position, index in enumerate((first, *rest)):
            body = layout.resolve(element)
            array = array_parts(body)
            if position and array is not None:
                element = array[1]
            elif position and lanes_of(body):
                element = element_of(body)
            elif position:
                number = _equal_lanes(index)
                if number is None:
                    return None
                distance += layout.member_offset(body, number)
                element = layout.members(body)[0][number]
                continue
            stride = layout.size(element)
            variable, constant = self._index(index)
            distance += stride * constant
            if variable is not None:
                dynamic.append((stride, variable))
        return (*key, *dynamic), distance

    def _index(self, index: Operand) -> tuple[object | None, int]:
        """An index as the number of a value, or None, and a constant that is added."""
        definition = m.made_by(("sext", "zext"), index.value, self.values.definitions)
        if definition is not None:
            variable, constant = self._sum(definition.operands[0], "nsw" if definition.op == "sext" else "nuw")
            return (definition.op, variable) if variable is not None else None, constant
        return self._sum(index, "")

    def _sum(self, operand: Operand, flag: str) -> tuple[int | None, int]:
        """Constants added to a value, by sums that have ``flag`` so that they cannot wrap."""
        constant = _equal_lanes(operand)
        if constant is not None:
            return None, constant
        found = _SUMS[flag].find(operand.value, self.values.definitions)
        added = _equal_lanes(found["added"]) if found else None
        if found is not None and added is not None:
            variable, constant = self._sum(found["value"], flag)
            return variable, constant + added
        return self._number(operand, _DEPTH), 0

    def _number(self, operand: Operand, depth: int) -> int:
        """Equal for values that are computed alike."""
        name = self.same.get(operand.value, operand.value)
        known = self._known.get(name)
        if known is not None:
            return known
        definition = m.made_by(_PURE, name, self.values.definitions) if depth else None
        key: object = (operand.type, name)
        if definition is not None:
            parts = definition.parts
            inputs = tuple(self._number(each, depth - 1) for each in parts.operands)
            key = (parts.op, parts.type, parts.element_type, parts.mask, inputs)
        number = self._numbers.setdefault(key, len(self._numbers))
        if name[0] == "%":
            self._known[name] = number
        return number


def _equal_lanes(operand: Operand) -> int | None:
    """The number that all lanes of a constant have."""
    found = integers(operand.type, operand.value)
    return found[0] if found is not None and len(set(found)) == 1 else None


@mutable_record
class _Row:
    """What is loaded for each lane: ``count`` elements at ``start`` bytes from the record."""

    start: int
    count: int
    members: list[Access]


def plan_records(members: list[Access], distances: dict[int, int], gathers: bool) -> list[Piece]:
    """What is worth loading together, of accesses to one record; ``distances`` by the index of the access.

    ``gathers``: by instructions, where they are much faster than loads of the lanes.
    """
    size = members[0].size
    row_bytes = ROW_BYTES if size >= _WORD else _WORD
    if members[0].lanes < ROW_BYTES // max(size, _WORD):
        return []
    pieces: list[Piece] = []
    leader = members[0]
    ordered = sorted(members, key=lambda access: distances[access.index])
    last = distances[ordered[-1].index] + size
    while ordered:
        start = distances[ordered[0].index]
        own = [
            access
            for access in ordered
            if distances[access.index] + size <= start + row_bytes and (distances[access.index] - start) % size == 0
        ]
        ordered = [access for access in ordered if access not in own]
        count = (max(distances[access.index] for access in own) + size - start) // size
        if count == 3 and start + row_bytes <= last:
            count = 4
        places = len({distances[access.index] for access in own})
        if places >= (3 if count == 3 else 2):
            pieces.append(_piece(_Row(start, count, own), leader, distances, gathers and count == 2 and size == _HALF))
    return pieces


def _piece(row: _Row, leader: Access, distances: dict[int, int], gathers: bool) -> Piece:
    def write(emit: Emitter) -> None:
        size, lanes = leader.size, leader.lanes
        element = row.members[0].element if len({each.element for each in row.members}) == 1 else f"i{8 * size}"
        distance = row.start - distances[leader.index]
        if gathers:
            columns = _gathered_pairs(leader, distance, element, emit)
        elif size < _WORD:
            columns = _small_columns(_row_pointers(leader, distance, emit), row.count, size, lanes, emit)
            element = f"i{8 * size}"
        else:
            rows = [_load_row(pointer, element, row.count, size, emit) for pointer in _row_pointers(leader, distance, emit)]
            columns = transposed(rows, element, row.count, size, lanes, emit)
        for access in row.members:
            column = columns[(distances[access.index] - row.start) // size]
            emit.alias(access.instruction.name, emit.as_element(f"<{lanes} x {element}>", column, access.element))

    loads = "two loads a lane serve" if row.count == 3 else "one load a lane serves"
    loads = "a gather serves" if gathers else loads
    return Piece(row.members, write, f"{loads} {len(row.members)} neighbouring accesses", from_lanes=not gathers)


def _gathered_pairs(leader: Access, distance: int, element: str, emit: Emitter) -> list[str]:
    """The first and the second of two elements of 32 bits of each lane, by a gather of 64 bits."""
    lanes, pointers = leader.lanes, leader.pointers
    moved = pointers.value
    if distance:
        moved = emit.value("rows", f"getelementptr i8, {pointers.type} {moved}, i64 {distance}")
    pairs = native_pairs(leader, moved, emit)
    halves = emit.value("halves", f"bitcast <{lanes} x i64> {pairs} to <{2 * lanes} x {element}>")
    return [emit.shuffle(f"<{2 * lanes} x {element}>", halves, "poison", list(range(at, 2 * lanes, 2))) for at in (0, 1)]


def _small_columns(pointers: list[str], count: int, size: int, lanes: int, emit: Emitter) -> list[str]:
    """The first, the second, ... elements of all lanes as integers: of 2 to 4 bytes of each."""
    words = "poison"
    for lane, pointer in enumerate(pointers):
        word = _load_word(pointer, count * size, emit)
        words = emit.value("words", f"insertelement <{lanes} x i32> {words}, i32 {word}, i64 {lane}")
    columns: list[str] = []
    for shift in range(0, 8 * count * size, 8 * size):
        moved = emit.value("moved", f"lshr <{lanes} x i32> {words}, splat (i32 {shift})") if shift else words
        columns.append(emit.value("narrow", f"trunc <{lanes} x i32> {moved} to <{lanes} x i{8 * size}>"))
    return columns


def _load_word(pointer: str, size: int, emit: Emitter) -> str:
    """Two, three or four bytes as the lowest of 32 bits."""
    if size == _WORD:
        return emit.load("word", f"load i32, ptr {pointer}, align 1")
    low = emit.value("low", f"zext i16 {emit.load('pair', f'load i16, ptr {pointer}, align 1')} to i32")
    if size == _WORD // 2:
        return low
    behind = emit.value("behind", f"getelementptr i8, ptr {pointer}, i64 2")
    high = emit.value("high", f"zext i8 {emit.load('third', f'load i8, ptr {behind}, align 1')} to i32")
    moved = emit.value("high", f"shl nuw i32 {high}, 16")
    return emit.value("word", f"or disjoint i32 {low}, {moved}")


def _row_pointers(leader: Access, distance: int, emit: Emitter) -> list[str]:
    """The address of each lane's row."""
    lanes, pointers = leader.lanes, leader.pointers
    if leader.all_on:
        found = [emit.lane_pointer(pointers.type, pointers.value, lane) for lane in range(lanes)]
        if not distance:
            return found
        return [emit.value("row", f"getelementptr i8, ptr {each}, i64 {distance}") for each in found]
    moved = pointers.value
    if distance:
        moved = emit.value("rows", f"getelementptr i8, {pointers.type} {moved}, i64 {distance}")
    safe = emit.safe_pointers(pointers.type, moved, leader.mask, emit.nowhere())
    return [emit.lane(pointers.type, safe, lane) for lane in range(lanes)]


def _load_row(pointer: str, element: str, count: int, size: int, emit: Emitter) -> str:
    if count != 3:
        return emit.load("row", f"load <{count} x {element}>, ptr {pointer}, align {size}")
    pair = emit.load("row", f"load <2 x {element}>, ptr {pointer}, align {size}")
    behind = emit.value("behind", f"getelementptr {element}, ptr {pointer}, i64 2")
    third = emit.load("third", f"load {element}, ptr {behind}, align {size}")
    wide = emit.shuffle(f"<2 x {element}>", pair, "poison", [0, 1, -1, -1])
    return emit.load("row", f"insertelement <4 x {element}> {wide}, {element} {third}, i64 2")


assert NOWHERE_BYTES >= ROW_BYTES
