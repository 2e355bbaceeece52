"""Strided loads -> vector loads of the span and constant shuffles, shared by neighbouring accesses.

    %x = call <8 x float> @volta.gather.v8f32(<p, p + 8, p + 16, ...>, <all on>)
    ->
    %a = load <8 x float>, ptr %p
    %b = load <8 x float>, ptr (p + 28)          ends with the last byte touched
    %x = shufflevector %a, %b, <0, 2, 4, 6, 9, 11, 13, 15>

The loads begin with the first byte touched and end with the last, by a mask where the
target has masked loads, so they stay on memory pages the program touches. Where the loads
start in between is free: it is searched for starts that put the wanted elements in different
slots, so that blends and a single permutation collect them. Where masks and permutations of two
registers cost nothing, the loads begin at multiples of their width, as arrays and so lines of the cache do.
Where lanes may be off the loads are masked, each element by the lanes that want it.
"""

from __future__ import annotations

from functools import lru_cache

from voltac.passes.accesses.access import Access
from voltac.passes.accesses.byte_groups import plan_group_loads
from voltac.passes.accesses.byte_words import plan_byte_words
from voltac.passes.accesses.cost_rows import cost_row, has_masked, shuffle_elements
from voltac.passes.accesses.emit import Emitter
from voltac.passes.accesses.piece import Piece, join_parts, reason
from voltac.passes.accesses.reversed_runs import plan_reversed
from voltac.passes.accesses.stride_pairs import stride_pairs
from voltac.passes.accesses.transposed_loads import RegisterPart, lane_mask, transposed_cost, transposed_piece, transposed_rows
from voltac.passes.accesses.wide_elements import plan_wide_loads
from voltac.passes.members.member_fours import plan_four_loads
from voltac.passes.members.member_halves import plan_half_loads
from voltac.passes.members.member_pairs import plan_pair_loads
from voltac.passes.members.member_words import plan_word_loads
from voltac.records import mutable_record, replace
from voltac.target_info import TargetInfo
from voltac.target_info.access_costs import CostRow


@mutable_record
class LoadLayout:
    """Loads of ``width`` elements at ``starts``, and where each part finds its lanes in them."""

    width: int
    starts: list[int]
    slots: list[list[tuple[int, int]]]
    """For each part, for each lane: which load, which element of it."""
    first: int
    last: int
    """The positions that may be read; a load that begins before or goes on is masked."""


def plan_loads(members: list[Access], target: TargetInfo) -> list[Piece]:
    """What is worth to be written with shuffles, out of accesses of one key."""
    row = cost_row(target)
    all_on = members[0].all_on
    native = shuffle_elements(target, members[0].size)
    if native * members[0].size < row.shuffle_bytes:
        row = replace(row, crossing_load=1.0)
    pieces = plan_group_loads(members, target) or plan_half_loads(members, target) or plan_wide_loads(members, target)
    pieces = pieces or plan_byte_words(members, target) or plan_reversed(members, target) or plan_pair_loads(members, target)
    pieces = pieces or plan_word_loads(members, target, plan_loads) or plan_four_loads(members, target)
    done = {access.index for piece in pieces for access in piece.members}
    for cluster in clusters([access for access in members if access.index not in done], native):
        load_cost = 1.0
        if not all_on:
            wanting = max(len(lanes) for lanes in wanting_lanes(cluster).values())
            if wanting > _MOST_WANTING:
                continue
            load_cost += row.mask_shuffle * wanting
        lane_cost = row.gather_lane if all_on else row.masked_gather_lane
        parts = [split(access, native) for access in cluster]
        masked = has_masked(target, cluster[0].size)
        separate = [[own_layout(part.positions, native, row, masked) for part in own] for own in parts]
        separate_costs = [sum(_cost(layout, row, load_cost) for layout in layouts) for layouts in separate]
        every = [part for own in parts for part in own]
        if all_on and len(cluster) > 1:
            block = 16 // cluster[0].size
            turned = transposed_rows(parts, min(native, cluster[0].lanes), block, masked)
            if turned:
                rest = sum(separate_costs), sum(lane_cost * access.lanes for access in cluster)
                others = min(*rest, _cost(shared_layout(every, native, masked), row, load_cost))
                if sum(transposed_cost(rows, lanes) for lanes, rows in turned) <= others:
                    pieces.append(transposed_piece(cluster, turned, block))
                    continue
        if len(every) > 1:
            shared = shared_layout(every, native, masked)
            if _cost(shared, row, load_cost) <= min(sum(separate_costs), sum(lane_cost * access.lanes for access in cluster)):
                pieces.append(_piece(cluster, every, [shared]))
                continue
        paired: set[int] = set()
        for one, other in stride_pairs(cluster) if all_on else ():
            both = [cluster[one], cluster[other]]
            halves = [*parts[one], *parts[other]]
            shared = shared_layout(halves, native, masked)
            alone = min(separate_costs[one] + separate_costs[other], 2 * lane_cost * both[0].lanes)
            if _cost(shared, row, load_cost) <= alone:
                pieces.append(_piece(both, halves, [shared]))
                paired |= {one, other}
        for at, (access, own, layouts, cost) in enumerate(zip(cluster, parts, separate, separate_costs, strict=True)):
            if at not in paired and cost <= lane_cost * access.lanes:
                pieces.append(_piece([access], own, layouts))
    return pieces


_MOST_WANTING = 4
"""Masks of at most this many lanes are joined for one element."""


def wanting_lanes(cluster: list[Access]) -> dict[int, list[int]]:
    """Element position -> the lanes that want it."""
    found: dict[int, list[int]] = {}
    for access in cluster:
        for lane, offset in enumerate(access.offsets):
            lanes = found.setdefault(offset // access.size, [])
            if lane not in lanes:
                lanes.append(lane)
    return found


def clusters(members: list[Access], reach: int) -> list[list[Access]]:
    """Accesses near enough to share vectors: no gap of more than ``reach`` elements."""
    ordered = sorted(members, key=lambda access: min(access.offsets))
    found: list[list[Access]] = []
    end = 0
    for access in ordered:
        if found and min(access.offsets) - end <= reach * access.size:
            found[-1].append(access)
        else:
            found.append([access])
            end = max(access.offsets)
        end = max(end, *access.offsets)
    for cluster in found:
        cluster.sort(key=lambda access: access.index)
    return found


def split(access: Access, native: int) -> list[RegisterPart]:
    """The lanes in parts that one register of ``native`` elements can hold."""
    positions = tuple(offset // access.size for offset in access.offsets)
    step = min(access.lanes, native)
    return [RegisterPart(access, positions[start : start + step]) for start in range(0, access.lanes, step)]


def _floor_power(number: int) -> int:
    return 1 << (number.bit_length() - 1)


@lru_cache(maxsize=1024)
def _relative_layout(positions: tuple[int, ...], native: int, row: CostRow, masked: bool) -> LoadLayout:
    first, last = min(positions), max(positions)
    width = min(native, _floor_power(last - first + 1))
    wanted = sorted(set(positions))
    starts = _greedy_starts(wanted, width, last)
    if len(starts) > 2 or (len(starts) == 2 and width >= 8):
        starts = _separated_starts(wanted, width, first, last, len(starts)) or starts
    tried = [starts]
    if masked and len(starts) > 1:
        # Where the array begins with a cache line, loads side by side cross none.
        tried += [sorted({(position - origin) // width * width + origin for position in wanted}) for origin in (0, first)]
    layouts = [LoadLayout(width, starts, [_find_slots(positions, starts, width)], first, last) for starts in reversed(tried)]
    return min(layouts, key=lambda layout: _cost(layout, row, 1.0))


def own_layout(positions: tuple[int, ...], native: int, row: CostRow, masked: bool) -> LoadLayout:
    """The best loads for one part alone; ``masked``: whether the target can mask them."""
    origin = min(positions) // native * native
    layout = _relative_layout(tuple(position - origin for position in positions), native, row, masked)
    starts = [start + origin for start in layout.starts]
    return LoadLayout(layout.width, starts, layout.slots, layout.first + origin, layout.last + origin)


def _greedy_starts(wanted: list[int], width: int, last: int) -> list[int]:
    starts: list[int] = []
    for position in wanted:
        if not starts or position >= starts[-1] + width:
            starts.append(min(position, last - width + 1))
    return starts


def _separated_starts(wanted: list[int], width: int, first: int, last: int, count: int) -> list[int] | None:
    """Starts of ``count`` loads such that no two wanted elements have the same place in their loads."""
    if len(wanted) > width:
        return None
    budget = 2000

    def search(index: int, used: int, starts: list[int]) -> list[int] | None:
        nonlocal budget
        if index == len(wanted):
            return starts
        budget -= 1
        if len(starts) == count or budget < 0:
            return None
        position = wanted[index]
        for start in range(min(position, last - width + 1), max(first, position - width + 1) - 1, -1):
            taken = used
            following = index
            while following < len(wanted) and wanted[following] < start + width:
                bit = 1 << (wanted[following] - start)
                if taken & bit:
                    break
                taken |= bit
                following += 1
            else:
                found = search(following, taken, [*starts, start])
                if found is not None:
                    return found
        return None

    return search(0, 0, [])


def shared_layout(parts: list[RegisterPart], native: int, masked: bool) -> LoadLayout:
    """Loads side by side over the span of all parts."""
    wanted = sorted({position for part in parts for position in part.positions})
    first, last = wanted[0], wanted[-1]
    width = min(native, _floor_power(last - first + 1))
    end = last if masked else last - width + 1
    starts = sorted({min(first + (position - first) // width * width, end) for position in wanted})
    return LoadLayout(width, starts, [_find_slots(part.positions, starts, width) for part in parts], first, last)


def _find_slots(positions: tuple[int, ...], starts: list[int], width: int) -> list[tuple[int, int]]:
    """Where each position is found; the later load where two overlap only if the earlier one does not have it."""
    found: list[tuple[int, int]] = []
    for position in positions:
        number = next(number for number, start in enumerate(starts) if start <= position < start + width)
        found.append((number, position - starts[number]))
    return found


def _cost(layout: LoadLayout, row: CostRow, load_cost: float) -> float:
    crossing = sum(start % layout.width != 0 for start in layout.starts) * (row.crossing_load - 1)
    shuffles = sum(_shuffle_cost(slots, layout.width, row) for slots in layout.slots)
    return len(layout.starts) * load_cost + crossing + shuffles


def _shuffle_cost(slots: list[tuple[int, int]], width: int, row: CostRow) -> float:
    loads = len({number for number, _ in slots})
    if loads == 1:
        return 0 if [slot for _, slot in slots] == list(range(width)) else 1
    if is_separated(slots):
        return 1 + 0.5 * (loads - 1)
    return row.two_source_shuffle * (loads - 1)


def is_separated(slots: list[tuple[int, int]]) -> bool:
    """Whether different wanted elements have different slots."""
    owners: dict[int, int] = {}
    return all(owners.setdefault(slot, number) == number for number, slot in slots)


# ---- writing --------------------------------------------------------------------


def _piece(cluster: list[Access], parts: list[RegisterPart], layouts: list[LoadLayout]) -> Piece:
    """``layouts``: one for all parts, or one for each."""

    def write(emit: Emitter) -> None:
        element = cluster[0].element
        results: dict[int, list[str]] = {}
        waiting = iter(parts)
        for layout in layouts:
            loads = _write_loads(cluster, layout, emit)
            for slots in layout.slots:
                collected = _collect(loads, slots, layout.width, element, emit)
                results.setdefault(next(waiting).access.index, []).append(collected)
        for access in cluster:
            join_parts(access, results[access.index], element, emit)

    return Piece(cluster, write, reason("load", sum(len(layout.starts) for layout in layouts), len(cluster)))


def _write_loads(cluster: list[Access], layout: LoadLayout, emit: Emitter) -> list[str]:
    access = cluster[0]
    address = access.address
    assert address is not None
    remainder = access.offsets[0] % access.size
    vector = f"<{layout.width} x {access.element}>"
    wanting = {} if access.all_on else wanting_lanes(cluster)
    loads: list[str] = []
    for start in layout.starts:
        pointer = emit.address(address, start * access.size + remainder, access.element, access.size)
        if access.all_on and layout.first <= start and start + layout.width - 1 <= layout.last:
            loads.append(emit.load("span", f"load {vector}, ptr {pointer}, align {access.align}"))
            continue
        if access.all_on:
            touched = range(layout.first, layout.last + 1)
            mask = lane_mask([position in touched for position in range(start, start + layout.width)])
            loads.append(emit.masked_load("span", access.element, layout.width, access.align, pointer, mask))
            continue
        wanted = [wanting.get(position, []) for position in range(start, start + layout.width)]
        mask = emit.mask_of(access.mask, access.lanes, wanted)
        loads.append(emit.masked_load("span", access.element, layout.width, access.align, pointer, mask))
    return loads


def _collect(loads: list[str], slots: list[tuple[int, int]], width: int, element: str, emit: Emitter) -> str:
    """A vector of the wanted elements, in lane order."""
    vector = f"<{width} x {element}>"
    used = sorted({number for number, _ in slots})
    if len(used) == 1:
        mask = [slot for _, slot in slots]
        if mask == list(range(width)):
            return loads[used[0]]
        return emit.shuffle(vector, loads[used[0]], "poison", mask)
    if len(used) == 2:
        return emit.shuffle(
            vector, loads[used[0]], loads[used[1]], [slot + width * (number == used[1]) for number, slot in slots]
        )
    if is_separated(slots):
        blended = loads[used[0]]
        filled = {slot for number, slot in slots if number == used[0]}
        for number in used[1:]:
            own = {slot for each, slot in slots if each == number}
            mask = [slot + width if slot in own else slot if slot in filled else -1 for slot in range(width)]
            blended = emit.shuffle(vector, blended, loads[number], mask)
            filled |= own
        return emit.shuffle(vector, blended, "poison", [slot for _, slot in slots])
    return _collect_in_pairs(loads, slots, used, width, element, emit)


def _collect_in_pairs(
    loads: list[str], slots: list[tuple[int, int]], used: list[int], width: int, element: str, emit: Emitter
) -> str:
    """Each pair of loads gives its lanes at their final places; the results are blended."""
    vector, lanes = f"<{width} x {element}>", len(slots)
    result_type = f"<{lanes} x {element}>"
    partial: list[tuple[str, set[int]]] = []
    for start in range(0, len(used), 2):
        pair = used[start : start + 2]
        mask = [slot + width * pair.index(number) if number in pair else -1 for number, slot in slots]
        second = loads[pair[1]] if len(pair) == 2 else "poison"
        mixed = emit.shuffle(vector, loads[pair[0]], second, mask)
        partial.append((mixed, {lane for lane, place in enumerate(mask) if place >= 0}))
    result, have = partial[0]
    for other, own in partial[1:]:
        mask = [lane + lanes if lane in own else lane if lane in have else -1 for lane in range(lanes)]
        result = emit.shuffle(result_type, result, other, mask)
        have = have | own
    return result
