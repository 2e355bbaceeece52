"""Members that are copied from elements to elements -> one shuffle of what is loaded for each vector to store.

    %b = gather <p, p + 4, ...>   %r = gather <p + 2, p + 6, ...>          (bytes of pixels, others likewise)
    scatter %r to <q, q + 4, ...>, %b to <q + 2, q + 6, ...>
    ->
    %pixels = load <32 x i8>, ptr %p
    store <32 x i8> (shufflevector %pixels, <2, 1, 0, 3, 6, 5, 4, 7, ...>), ptr %q

Taken apart by members and put together again, each byte is shuffled several times. What is loaded begins and ends
with bytes that the program loads, and is not written before it is stored. Where bytes leave their half of a register of
AVX2, each half is loaded for itself: both of bytes that are doubled are one broadcast, for one shuffle and one store.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

from voltac.ir import match as m
from voltac.ir.model import Instruction
from voltac.passes.accesses.access import Access
from voltac.passes.accesses.cost_rows import shuffle_elements
from voltac.passes.accesses.emit import Emitter
from voltac.passes.accesses.piece import Piece, reason
from voltac.records import record
from voltac.target_info import TargetInfo

_HALF_SHUFFLE = 16
"""Bytes of the parts of a register within which x86 shuffles bytes at no cost."""
_SMALL = 2
"""Bytes of the elements that x86 shuffles within these parts only, before AVX-512."""
_MOST_LOADS = 2
"""For a vector: what one instruction shuffles where there is one for two, and two and a blend do everywhere."""
_SAME_BITS = m.op("trunc", m.one_of(m.op("zext", m.value("copied")), m.op("sext", m.value("copied"))))
"""What becomes of a narrow number that was a wide one in between."""


@record
class _Chunk:
    """A vector to store: where, the loads that it is shuffled out of, and which element of them goes where."""

    start: int
    loads: tuple[int, ...]
    """Positions where they begin; of two vectors of half the length, where it is made of halves."""
    mask: tuple[int, ...]


def copied_from(store: Access, loads: Mapping[str, Access], definitions: Mapping[str, Instruction]) -> Access | None:
    """The load of which a store writes the result as it is."""
    found = loads.get(store.value)
    if found is None and (extended := _SAME_BITS.find(store.value, definitions)) is not None:
        found = loads.get(extended["copied"].value)
    return found if found is not None and found.element == store.element else None


def plan_copies(stores: list[Access], loads: list[Access], target: TargetInfo) -> Piece | None:
    """``loads``: what each of the stores writes, of one address but for constants; all lanes of all are on.

    None where the elements that are written have gaps, or a vector to store needs more than two that are loaded.
    """
    size = stores[0].size
    origin: dict[int, int] = {}
    for store, load in zip(stores, loads, strict=True):
        for to, source in zip(store.offsets, load.offsets, strict=True):
            origin[to // size] = source // size
    first, last = min(origin), max(origin)
    if last - first + 1 != len(origin):
        return None
    touched = sorted({position for load in loads for position in (offset // size for offset in load.offsets)})
    most = max(1, target.vector_bits // 8 // size)
    if any(after - before > most for before, after in pairwise(touched)):
        return None
    count = most
    while count * size >= _HALF_SHUFFLE:
        chunks = _chunks(origin, first, last, touched, count)
        if chunks is not None and (
            count <= shuffle_elements(target, size) or all(_stays(each, count, size) for each in chunks)
        ):
            used = len({start for each in chunks for start in each.loads})
            return Piece(stores, _writer(stores[0], loads[0], chunks, count), _told(used, len(chunks)))
        if chunks is not None and size <= _SMALL and count * size == 2 * _HALF_SHUFFLE and target.isa.startswith("avx2"):
            halves = _of_halves(origin, chunks, touched, count)
            if halves:
                used = len({start for each in halves for start in each.loads})
                return Piece(stores, _writer(stores[0], loads[0], halves, count // 2), _told(used, len(halves)))
        count //= 2
    return None


def _told(loads: int, vectors: int) -> str:
    return f"{reason('load', loads, 1)}, which are stored as {vectors} vector{'s' if vectors > 1 else ''}"


def _of_halves(origin: dict[int, int], chunks: list[_Chunk], touched: list[int], count: int) -> list[_Chunk]:
    """The same vectors, each half of what is next to each other in memory; none where a half of one is not."""
    half = count // 2
    made: list[_Chunk] = []
    for chunk in chunks:
        loads: list[int] = []
        mask: list[int] = []
        for start in (chunk.start, chunk.start + half):
            wanted = [origin[position] for position in range(start, start + half)]
            begins = _loads(sorted(set(wanted)), touched, half)
            if len(begins) > 1:
                return []
            mask += [len(loads) * half + position - begins[0] for position in wanted]
            loads += begins
        made.append(_Chunk(chunk.start, tuple(loads), tuple(mask)))
    return made


def _chunks(origin: dict[int, int], first: int, last: int, touched: list[int], count: int) -> list[_Chunk] | None:
    """Vectors of ``count`` elements that cover what is written; the last may overlap the one before."""
    if last - first + 1 < count or touched[-1] - touched[0] + 1 < count:
        return None
    chunks: list[_Chunk] = []
    for at in range(first, last + 1, count):
        start = min(at, last - count + 1)
        wanted = [origin[position] for position in range(start, start + count)]
        begins = _loads(sorted(set(wanted)), touched, count)
        if len(begins) > _MOST_LOADS:
            return None
        mask = []
        for position in wanted:
            number = next(number for number, begin in enumerate(begins) if begin <= position < begin + count)
            mask.append(number * count + position - begins[number])
        chunks.append(_Chunk(start, tuple(begins), tuple(mask)))
    return chunks


def _loads(wanted: list[int], touched: list[int], count: int) -> list[int]:
    """Where vectors begin that hold all of these positions: one behind the other if that takes no more of them.

    Then several vectors to store are made of the same ones, and fewer loads go over the borders of lines.
    """
    latest = touched[-1] - count + 1
    side_by_side = sorted({min(at - (at - touched[0]) % count, latest) for at in wanted})
    begins: list[int] = []
    for position in wanted:
        if not begins or position >= begins[-1] + count:
            begins.append(min(position, latest))
    return side_by_side if len(side_by_side) <= len(begins) else begins


def _stays(chunk: _Chunk, count: int, size: int) -> bool:
    """Whether no element leaves its part of a register."""
    part = _HALF_SHUFFLE // size
    return all(source % count // part == at // part for at, source in enumerate(chunk.mask))


def _writer(store: Access, load: Access, chunks: list[_Chunk], count: int) -> Callable[[Emitter], None]:
    def write(emit: Emitter) -> None:
        element, size = store.element, store.size
        vector = f"<{count} x {element}>"
        loaded: dict[int, str] = {}
        for begin in dict.fromkeys(begin for chunk in chunks for begin in chunk.loads):
            pointer = _pointer(load, begin, emit)
            loaded[begin] = emit.load("span", f"load {vector}, ptr {pointer}, align {size}")
        for chunk in chunks:
            first, second = loaded[chunk.loads[0]], loaded[chunk.loads[1]] if len(chunk.loads) > 1 else "poison"
            whole = emit.shuffle(vector, first, second, list(chunk.mask))
            stored = f"<{len(chunk.mask)} x {element}>"
            emit.line(f"store {stored} {whole}, ptr {_pointer(store, chunk.start, emit)}, align {size}")

    return write


def _pointer(access: Access, position: int, emit: Emitter) -> str:
    address = access.address
    assert address is not None
    return emit.address(address, position * access.size + access.offsets[0] % access.size, access.element, access.size)
