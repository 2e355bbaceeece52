"""An access whose lanes are rows of consecutive elements -> one vector access a row.

    %v = gather at  (y + <0, 0, 0, 0, 1, 1, 1, 1>) * width + x + <0, 1, 2, 3, 0, 1, 2, 3>
    ->
    %a = load <4 x float>, ptr (p + y * width + x);  %b = load <4 x float>, ptr (p + (y + 1) * width + x)
    %v = shufflevector %a, %b, <0, 1, 2, 3, 4, 5, 6, 7>

That is what ``foreach_tiled`` asks for. No formula covers all lanes, because the width
has another factor in each row; so the halves, or the quarters, of the gang are looked
at by themselves.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir.lane_formulas import LaneValue
from voltac.ir.lane_values import LaneValues
from voltac.passes.accesses.access import Access, with_base
from voltac.passes.accesses.emit import Emitter
from voltac.records import record

_ROWS = (2, 4)
"""Into how many rows a gang may fall: with more, few lanes would be in each."""


@record
class TileRow:
    """Lanes ``first`` to ``first + lanes`` of a gang."""

    first: int
    lanes: int
    address: LaneValue
    values: LaneValues


def find_rows(access: Access, values_of: Callable[[tuple[int, ...]], LaneValues]) -> list[TileRow]:
    """The rows of an access, or nothing if it has another shape."""
    for count in _ROWS:
        lanes = access.lanes // count
        if lanes < 2:
            break
        rows: list[TileRow] = []
        for first in range(0, access.lanes, lanes):
            values = values_of(tuple(range(first, first + lanes)))
            address = with_base(values.of(access.pointers))
            if address is None:
                break
            if any(offset != address.offsets[0] + access.size * lane for lane, offset in enumerate(address.offsets)):
                break
            rows.append(TileRow(first, lanes, address, values))
        if len(rows) == count:
            return rows
    return []


def load_rows(access: Access, emit: Emitter, rows: list[TileRow]) -> None:
    """A vector load for each row, joined two by two."""
    parts: list[str] = []
    for row in rows:
        pointer = _pointer(access, row, emit)
        if access.all_on:
            parts.append(emit.load("row", f"load <{row.lanes} x {access.element}>, ptr {pointer}, align {access.size}"))
        else:
            mask = _mask(access, row, emit)
            parts.append(emit.masked_load("row", access.element, row.lanes, access.size, pointer, mask))
    lanes = rows[0].lanes
    while len(parts) > 1:
        vector = f"<{lanes} x {access.element}>"
        lanes *= 2
        parts = [emit.shuffle(vector, parts[at], parts[at + 1], list(range(lanes))) for at in range(0, len(parts), 2)]
    emit.alias(access.instruction.name, parts[0])


def store_rows(access: Access, emit: Emitter, rows: list[TileRow]) -> None:
    """A vector store for each row, of the lanes that are its."""
    for row in rows:
        pointer = _pointer(access, row, emit)
        value = emit.shuffle(access.vector, access.value, "poison", list(range(row.first, row.first + row.lanes)))
        if access.all_on:
            emit.line(f"store <{row.lanes} x {access.element}> {value}, ptr {pointer}, align {access.size}")
        else:
            emit.masked_store(value, access.element, row.lanes, access.size, pointer, _mask(access, row, emit))


def _pointer(access: Access, row: TileRow, emit: Emitter) -> str:
    return emit.for_lanes(row.values).address(row.address, row.address.offsets[0], access.element, access.size)


def _mask(access: Access, row: TileRow, emit: Emitter) -> str:
    return emit.mask_of(access.mask, access.lanes, [[lane] for lane in range(row.first, row.first + row.lanes)])
