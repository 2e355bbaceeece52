"""Members of structs of a power of two of elements, all lanes on -> loads of whole registers, transposed by a shared network.

    %x = call <8 x float> @volta.gather.v8f32(<p, p + 32, p + 64, ...>)      and those of %y, %z, ...
    ->
    eight loads of eight floats from p on, three stages of shuffles (``transpose.py``), and a permutation each

Lanes of several registers are those of as many networks; of half a register those of half as wide ones.
"""

from __future__ import annotations

from voltac.passes.accesses.access import Access
from voltac.passes.accesses.emit import Emitter
from voltac.passes.accesses.piece import Piece, join_parts
from voltac.passes.accesses.transpose import Held, contents, network, write_network
from voltac.records import mutable_record


@mutable_record
class RegisterPart:
    """Lanes of one access that fit a register; positions are in elements from a common origin."""

    access: Access
    positions: tuple[int, ...]


Turned = list[tuple[list[RegisterPart], list[Held]]]
"""For each register of lanes the parts of all accesses, and the rows that they come from."""


def transposed_layout(parts: list[RegisterPart], native: int, block: int, masked: bool) -> list[Held] | None:
    """Full registers side by side for parts of one power-of-two stride; None where the shape is another."""
    positions = parts[0].positions
    stride = positions[1] - positions[0] if len(positions) > 1 else 0
    if stride < 4 or stride & (stride - 1) or len(positions) != native or native < block:
        return None
    first = min(part.positions[0] for part in parts)
    if any(part.positions != tuple(range(part.positions[0], part.positions[0] + stride * native, stride)) for part in parts):
        return None
    last = max(part.positions[-1] for part in parts)
    if last >= first + stride * native or (last < first + stride * native - 1 and not masked):
        return None
    return [tuple(range(first + native * row, first + native * (row + 1))) for row in range(stride)]


def transposed_rows(parts: list[list[RegisterPart]], native: int, block: int, masked: bool) -> Turned:
    """Rows for accesses of one or several registers of lanes; empty where the shape is another."""
    turned: Turned = []
    for number, lanes in enumerate(map(list, zip(*parts, strict=True))):
        # What is behind one register's lanes belongs to the next one's structs.
        rows = transposed_layout(lanes, native, block, masked or number < len(parts[0]) - 1)
        if rows is None:
            return []
        turned.append((lanes, rows))
    return turned


def transposed_cost(rows: list[Held], parts: list[RegisterPart]) -> float:
    """Loads, the network as far as it is needed, and a permutation a part."""
    stages = min(len(rows), len(rows[0])).bit_length() - 1
    return len(rows) + min(stages * len(rows), sum(len(rows) - 1 for _ in parts)) + len(parts)


def transposed_piece(cluster: list[Access], turned: Turned, block: int) -> Piece:
    """Writes them; ``block``: elements in 128 bits."""

    def write(emit: Emitter) -> None:
        results: dict[int, list[str]] = {}
        last = max(part.positions[-1] for parts, _ in turned for part in parts)
        for parts, rows in turned:
            vectors = [_row(cluster[0], row, last, emit) for row in rows]
            stages = network(rows, block)
            vector = f"<{len(rows[0])} x {cluster[0].element}>"
            vectors = write_network(vectors, vector, stages, emit)
            held = contents(rows, stages)
            for part in parts:
                number = next(number for number, each in enumerate(held) if part.positions[0] in each)
                order = [held[number].index(position) for position in part.positions]
                is_whole = order == list(range(len(rows[0])))
                result = vectors[number] if is_whole else emit.shuffle(vector, vectors[number], "poison", order)
                results.setdefault(part.access.index, []).append(result)
        for access in cluster:
            join_parts(access, results[access.index], cluster[0].element, emit)

    count = sum(len(rows) for _, rows in turned)
    return Piece(cluster, write, f"{count} vector loads, transposed, serve {len(cluster)} neighbouring accesses")


def _row(access: Access, row: Held, last: int, emit: Emitter) -> str:
    """One load of elements side by side, not beyond the last position."""
    address = access.address
    assert address is not None
    offset = row[0] * access.size + access.offsets[0] % access.size
    pointer = emit.address(address, offset, access.element, access.size)
    if row[-1] <= last:
        return emit.load("span", f"load <{len(row)} x {access.element}>, ptr {pointer}, align {access.align}")
    mask = lane_mask([position <= last for position in row])
    return emit.masked_load("span", access.element, len(row), access.align, pointer, mask)


def lane_mask(lanes: list[bool]) -> str:
    """A mask that is known."""
    return "<" + ", ".join(f"i1 {'true' if each else 'false'}" for each in lanes) + ">"
