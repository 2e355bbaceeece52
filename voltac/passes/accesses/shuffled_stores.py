"""Strided stores -> constant shuffles and full vector stores, combined with neighbouring members.

    call void @volta.scatter.v8f32(%x, <p, p + 8, ...>, <all on>)
    call void @volta.scatter.v8f32(%y, <p + 4, p + 12, ...>, <all on>)
    ->
    store <8 x float> (shufflevector %x, %y, <0, 8, 1, 9, ...>), ptr %p
    store <8 x float> (shufflevector %x, %y, <4, 12, 5, 13, ...>), ptr (p + 32)

Only bytes that the program writes are written: where the members leave gaps, a
store under a constant mask is used if the target has a cheap one, else each lane
is stored alone. Where lanes may be off the stores are masked, each element by its lane.
"""

from __future__ import annotations

from voltac.passes.accesses.access import Access
from voltac.passes.accesses.byte_groups import plan_group_stores
from voltac.passes.accesses.cost_rows import cost_row, has_halves, has_masked, shuffle_elements
from voltac.passes.accesses.emit import Emitter
from voltac.passes.accesses.lane_rows import INTERLEAVED_LANES, interleaved
from voltac.passes.accesses.paired_stores import plan_store_pairs
from voltac.passes.accesses.piece import Piece, reason
from voltac.passes.accesses.reversed_runs import plan_reversed
from voltac.passes.accesses.shuffled_loads import clusters, wanting_lanes
from voltac.passes.accesses.wide_elements import plan_wide_stores
from voltac.passes.members.member_halves import plan_half_stores
from voltac.passes.members.member_pairs import plan_pair_stores
from voltac.passes.members.member_words import plan_word_stores
from voltac.target_info import TargetInfo
from voltac.target_info.access_costs import CostRow

Source = tuple[int, int]
"""Number of the access in its cluster, and the lane."""
Chunk = tuple[int, list[Source | None]]
"""Start of a vector to store, and what goes into each element; None for one that is not written."""


def plan_stores(members: list[Access], target: TargetInfo) -> list[Piece]:
    """What is worth to be written with shuffles, out of accesses of one key."""
    row = cost_row(target)
    first = members[0]
    native = shuffle_elements(target, first.size)
    lane_cost = row.scatter_lane if first.all_on else row.masked_scatter_lane
    pieces: list[Piece] = []
    for cluster in clusters(members, 0):
        if not first.all_on and any(len(lanes) > 1 for lanes in wanting_lanes(cluster).values()):
            # Which lane is the highest active one is not known.
            continue
        wide = plan_group_stores(cluster, target) or plan_wide_stores(cluster, target)
        wide = wide or plan_half_stores(cluster, target) or plan_reversed(cluster, target)
        wide = wide or plan_pair_stores(cluster, target) or plan_word_stores(cluster, target, plan_stores)
        if [len(piece.members) for piece in wide] == [len(cluster)]:
            pieces += wide
            continue
        contents = _contents(cluster)
        choices = [_solid_chunks(contents, native)]
        if has_masked(target, first.size):
            choices.append(_masked_chunks(contents, native))
        costs = [_cost(chunks, row, first.all_on) for chunks in choices]
        best = min(range(len(choices)), key=costs.__getitem__)
        if costs[best] <= sum(lane_cost * access.lanes for access in cluster):
            fills = _fills_halves(cluster, choices[best], target)
            pieces.append((_interleaving if fills else _piece)(cluster, choices[best]))
        else:
            pieces += plan_store_pairs(cluster, target)
    return pieces


def _contents(cluster: list[Access]) -> dict[int, Source]:
    """Element position -> what it holds in the end: later stores and higher lanes win."""
    contents: dict[int, Source] = {}
    for number, access in enumerate(cluster):
        for lane, offset in enumerate(access.offsets):
            contents[offset // access.size] = (number, lane)
    return dict(sorted(contents.items()))


def _solid_chunks(contents: dict[int, Source], native: int) -> list[Chunk]:
    """Vectors that cover each run of neighbouring elements exactly; the last may overlap the one before."""
    runs: list[tuple[int, int]] = []
    for position in contents:
        if runs and position == runs[-1][1]:
            runs[-1] = (runs[-1][0], position + 1)
        else:
            runs.append((position, position + 1))
    chunks: list[Chunk] = []
    for start, end in runs:
        width = min(native, 1 << ((end - start).bit_length() - 1))
        for at in range(start, end, width):
            first = min(at, end - width)
            chunks.append((first, [contents[position] for position in range(first, first + width)]))
    return chunks


def _masked_chunks(contents: dict[int, Source], native: int) -> list[Chunk]:
    """Vectors side by side from the first to the last element, with gaps."""
    positions = list(contents)
    first, last = positions[0], positions[-1]
    if last - first + 1 < native:
        return []
    # Only the vectors that hold something are looked at: the gaps may be gigabytes.
    starts = dict.fromkeys(first + (position - first) // native * native for position in positions)
    return [(start, [contents.get(position) for position in range(start, start + native)]) for start in starts]


def _cost(chunks: list[Chunk], row: CostRow, all_on: bool) -> float:
    if not chunks:
        return float("inf")
    total = 0.0
    for _, held in chunks:
        total += row.masked_store if None in held or not all_on else 1
        total += 0 if all_on else row.mask_shuffle
        total += len({source[0] for source in held if source is not None}) if len(held) > 1 else 1
    return total


def _fills_halves(cluster: list[Access], chunks: list[Chunk], target: TargetInfo) -> bool:
    """Whether four members of structs fill registers of two halves, in order."""
    if not (has_halves(target) and cluster[0].all_on and len(cluster) == len(chunks) == 4):
        return False
    start = chunks[0][0]
    held = [(at % 4, at // 4) for at in range(4 * INTERLEAVED_LANES)]
    ordered = sorted(range(4), key=lambda number: cluster[number].offsets[0])
    return [(first, content) for first, content in chunks] == [
        (start + at, [(ordered[member], lane) for member, lane in held[at : at + INTERLEAVED_LANES]])
        for at in range(0, len(held), INTERLEAVED_LANES)
    ]


def _interleaving(cluster: list[Access], chunks: list[Chunk]) -> Piece:
    def write(emit: Emitter) -> None:
        first = cluster[0]
        ordered = sorted(cluster, key=lambda access: access.offsets[0])
        columns = [emit.as_element(access.vector, access.value, first.element) for access in ordered]
        for (start, held), vector in zip(chunks, interleaved(columns, first.element, emit), strict=True):
            _store(first, start, held, vector, emit)

    return Piece(cluster, write, reason("store", len(chunks), len(cluster)))


def _piece(cluster: list[Access], chunks: list[Chunk]) -> Piece:
    def write(emit: Emitter) -> None:
        first = cluster[0]
        values = [emit.as_element(access.vector, access.value, first.element) for access in cluster]
        places = _places(cluster, chunks)
        if places is not None:
            values = [emit.shuffle(first.vector, value, "poison", mask) for value, mask in zip(values, places)]
        for start, held in chunks:
            if places is not None:
                held_in_place = [None if source is None else (source[0], slot) for slot, source in enumerate(held)]
                vector = _assemble(first, values, held_in_place, emit)
            else:
                vector = _assemble(first, values, held, emit)
            _store(first, start, held, vector, emit)

    return Piece(cluster, write, reason("store", len(chunks), len(cluster)))


def _places(cluster: list[Access], chunks: list[Chunk]) -> list[list[int]] | None:
    """For three and more odd strides one permutation of each value puts all its lanes where they belong in the vectors.

    Then the vectors are blends. None where lanes of one value would need the same place.
    """
    lanes = cluster[0].lanes
    if len(cluster) < 3 or any(len(held) != lanes for _, held in chunks):
        return None
    places = [[-1] * lanes for _ in cluster]
    for _, held in chunks:
        for slot, source in enumerate(held):
            if source is None:
                continue
            number, lane = source
            if places[number][slot] not in (-1, lane):
                return None
            places[number][slot] = lane
    return places


def _assemble(first: Access, values: list[str], held: list[Source | None], emit: Emitter) -> str:
    """The contents of one vector: pairs of sources put in place, then blended."""
    lanes = first.lanes
    if len(held) == 1 and held[0] is not None and first.all_on:
        return emit.lane(first.vector, values[held[0][0]], held[0][1])
    used = list(dict.fromkeys(source[0] for source in held if source is not None))
    partial: list[tuple[str, set[int]]] = []
    for start in range(0, len(used), 2):
        pair = used[start : start + 2]
        mask = [
            source[1] + lanes * pair.index(source[0]) if source is not None and source[0] in pair else -1 for source in held
        ]
        second = values[pair[1]] if len(pair) == 2 else "poison"
        partial.append(
            (emit.shuffle(first.vector, values[pair[0]], second, mask), {at for at, lane in enumerate(mask) if lane >= 0})
        )
    result, have = partial[0]
    width = len(held)
    for other, own in partial[1:]:
        mask = [at + width if at in own else at if at in have else -1 for at in range(width)]
        result = emit.shuffle(f"<{width} x {first.element}>", result, other, mask)
        have = have | own
    return result


def _store(first: Access, start: int, held: list[Source | None], vector: str, emit: Emitter) -> None:
    address = first.address
    assert address is not None
    width, element, size = len(held), first.element, first.size
    pointer = emit.address(address, start * size + first.offsets[0] % size, element, size)
    if first.all_on and None not in held:
        type_text = f"<{width} x {element}>" if width > 1 else element
        emit.line(f"store {type_text} {vector}, ptr {pointer}, align {first.align}")
        return
    if first.all_on:
        mask = "<" + ", ".join(f"i1 {'false' if source is None else 'true'}" for source in held) + ">"
    else:
        mask = emit.mask_of(first.mask, first.lanes, [[] if source is None else [source[1]] for source in held])
    emit.masked_store(vector, element, width, first.align, pointer, mask)
