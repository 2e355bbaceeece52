"""Elements that lie in a row for each lane -> vectors of the first, the second, ... elements of all lanes.

x0 y0 z0 w0 | x1 y1 z1 w1 | ...      ->      x0 x1 x2 x3 ... | y0 y1 y2 y3 ... | ...      and back
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.passes.accesses.emit import Emitter

ROW_BYTES = 16
"""Of the elements of a lane that are loaded at a time."""
ROW_SIZES = (1, 2, 4, 8)
"""Of elements, in bytes."""
INTERLEAVED_LANES = 8
"""Lanes of 4 bytes in a register of two halves."""
_WORD = 4
"""Bytes of what smaller elements are moved in."""


def load_rows(pointers: list[str], element: str, size: int, emit: Emitter, packed: bool = False) -> list[str]:
    """Four elements from each of the pointers on, one pointer for each lane: the first ones, the second ones, ...

    ``packed``: bytes are wanted as they are, not as numbers of 32 bits.
    """
    lanes = len(pointers)
    if size == 2 * _WORD:
        behind = [emit.value("behind", f"getelementptr {element}, ptr {each}, i64 2") for each in pointers]
        return [column for places in (pointers, behind) for column in _columns(places, element, 2, size, emit)]
    if size == _WORD:
        return _columns(pointers, element, 4, size, emit)
    words = 4 * size // _WORD
    rows = [emit.load("row", f"load <4 x i{8 * size}>, ptr {each}, align {size}") for each in pointers]
    kind = "i32" if words == 1 else f"<{words} x i32>"
    rows = [emit.value("words", f"bitcast <4 x i{8 * size}> {each} to {kind}") for each in rows]
    if words == 1 and packed:
        return _packed_columns(_gang(rows, lanes, emit), element, lanes, emit)
    columns = [_gang(rows, lanes, emit)] if words == 1 else transposed(rows, "i32", words, _WORD, lanes, emit)
    found: list[str] = []
    for word in columns:
        for shift in range(0, 8 * _WORD, 8 * size):
            moved = emit.value("moved", f"lshr <{lanes} x i32> {word}, splat (i32 {shift})") if shift else word
            narrow = emit.value("narrow", f"trunc <{lanes} x i32> {moved} to <{lanes} x i{8 * size}>")
            found.append(emit.as_element(f"<{lanes} x i{8 * size}>", narrow, element))
    return found


def load_blocks(pointers: list[str], element: str, size: int, emit: Emitter, count: int = 4) -> list[str]:
    """``count`` elements from each of the pointers on; vector m has the rows whose numbers modulo 4 are m."""
    rows = [emit.load("row", f"load <{count} x {element}>, ptr {each}, align {size}") for each in pointers]
    return [_joined(rows[at::4], element, count, emit) for at in range(4)]


def _columns(pointers: list[str], element: str, count: int, size: int, emit: Emitter) -> list[str]:
    rows = [emit.load("row", f"load <{count} x {element}>, ptr {each}, align {size}") for each in pointers]
    return transposed(rows, element, count, size, len(pointers), emit)


def _packed_columns(words: str, element: str, lanes: int, emit: Emitter) -> list[str]:
    """Words of four bytes of each lane -> the first bytes of all lanes, the second ones, ..., by 128 bits first."""
    byte_count, parts = _WORD * lanes, lanes // _WORD
    rows = emit.value("bytes", f"bitcast <{lanes} x i32> {words} to <{byte_count} x i8>")
    kind = f"<{byte_count} x i8>"
    mixed = emit.shuffle(
        kind, rows, "poison", [at + 4 * row + m for at in range(0, byte_count, 16) for m in range(4) for row in range(4)]
    )
    quads = emit.value("quads", f"bitcast {kind} {mixed} to <{lanes} x i32>")
    found: list[str] = []
    for m in range(_WORD):
        column = emit.shuffle(f"<{lanes} x i32>", quads, "poison", [_WORD * part + m for part in range(parts)])
        column = emit.value("column", f"bitcast <{parts} x i32> {column} to <{lanes} x i8>")
        found.append(emit.as_element(f"<{lanes} x i8>", column, element))
    return found


def _gang(words: list[str], lanes: int, emit: Emitter) -> str:
    made = "poison"
    for lane, word in enumerate(words):
        made = emit.value("gang", f"insertelement <{lanes} x i32> {made}, i32 {word}, i64 {lane}")
    return made


def transposed(rows: list[str], element: str, count: int, size: int, lanes: int, emit: Emitter) -> list[str]:
    """Element m of all rows, for each m below ``count``: 2 or 4 of 4 bytes, 2 of 8; all shuffles stay within 128 bits."""
    block = ROW_BYTES // size
    if count * size == 8 and count == 2:
        rows = [emit.shuffle(f"<2 x {element}>", rows[at], rows[at + 1], [0, 1, 2, 3]) for at in range(0, lanes, 2)]
        first, second = (_joined(rows[at::2], element, block, emit) for at in (0, 1))
        return [_in_blocks(first, second, [m, 2 + m, 4 + m, 6 + m], element, lanes, emit) for m in range(2)]
    wide = [_joined(rows[at::block], element, block, emit) for at in range(block)]
    if block == 2:
        return [_in_blocks(wide[0], wide[1], [m, 2 + m], element, lanes, emit) for m in range(2)]
    return four_by_four(wide, element, lanes, emit)


def four_by_four(vectors: list[str], element: str, lanes: int, emit: Emitter) -> list[str]:
    """Four vectors of blocks of four elements -> the first, the second, ... elements of the four, block by block."""
    columns: list[str] = []
    for low in (0, 2):
        mixed = [low, 4 + low, low + 1, 5 + low]
        first, second = (_in_blocks(vectors[at], vectors[at + 1], mixed, element, lanes, emit) for at in (0, 2))
        columns += [_in_blocks(first, second, mask, element, lanes, emit) for mask in ([0, 1, 4, 5], [2, 3, 6, 7])]
    return columns


def interleaved(columns: list[str], element: str, emit: Emitter) -> list[str]:
    """Four vectors of 8 lanes of 4 bytes, first elements, second ones, ... -> what memory holds in order, in four vectors.

    Halves of registers of 256 bits are put together last: lanes in another order need no shuffle there
    (:mod:`voltac.passes.lanes.lane_orders`).
    """
    rows = four_by_four(columns, element, INTERLEAVED_LANES, emit)
    return [
        emit.shuffle(
            f"<{INTERLEAVED_LANES} x {element}>", rows[at], rows[at + 1], [*range(low, low + 4), *range(low + 8, low + 12)]
        )
        for low in (0, 4)
        for at in (0, 2)
    ]


def _joined(parts: list[str], element: str, width: int, emit: Emitter) -> str:
    """Vectors one behind the other."""
    while len(parts) > 1:
        mask = list(range(2 * width))
        parts = [emit.shuffle(f"<{width} x {element}>", parts[at], parts[at + 1], mask) for at in range(0, len(parts), 2)]
        width *= 2
    return parts[0]


def _in_blocks(first: str, second: str, mask: list[int], element: str, lanes: int, emit: Emitter) -> str:
    """A shuffle done alike in every 128 bits; ``mask`` counts through a block of both."""
    block = len(mask)
    whole = [
        start + slot if slot < block else lanes + start + slot - block for start in range(0, lanes, block) for slot in mask
    ]
    return emit.shuffle(f"<{lanes} x {element}>", first, second, whole)


def store_rows(
    columns: list[str], places: Callable[[int], list[str]], element: str, size: int, emit: Emitter, in_order: bool = False
) -> None:
    """Four vectors, of the first, the second, ... elements of all lanes -> a row in memory for each lane, in their order.

    ``places``: pointers of all lanes to the element of that number in their rows; ``in_order``: these are rows of four elements
    of 4 bytes behind each other.
    """
    lanes = len(places(0))
    if in_order:
        for pointer, vector in zip(places(0)[::2], interleaved(columns, element, emit), strict=True):
            emit.line(f"store <{lanes} x {element}> {vector}, ptr {pointer}, align {size}")
    elif size == 2 * _WORD:
        for at in (0, 2):
            pairs = [_in_blocks(columns[at], columns[at + 1], [m, 2 + m], element, lanes, emit) for m in range(2)]
            _store_parts(pairs, element, 2, places(at), size, emit)
    elif size == _WORD:
        _store_parts(four_by_four(columns, element, lanes, emit), element, 4, places(0), size, emit)
    else:
        words = _words(columns, element, size, lanes, emit)
        if len(words) == 1:
            for lane, pointer in enumerate(places(0)):
                emit.line(f"store i32 {emit.lane(f'<{lanes} x i32>', words[0], lane)}, ptr {pointer}, align {size}")
            return
        one, other = words
        halves = [_in_blocks(one, other, [low, 4 + low, low + 1, 5 + low], "i32", lanes, emit) for low in (0, 2)]
        for lane, pointer in enumerate(places(0)):
            first = lane - lane % 4 + 2 * (lane % 2)
            row = emit.shuffle(f"<{lanes} x i32>", halves[lane % 4 // 2], "poison", [first, first + 1])
            emit.line(f"store <2 x i32> {row}, ptr {pointer}, align {size}")


def _words(columns: list[str], element: str, size: int, lanes: int, emit: Emitter) -> list[str]:
    """Vectors of small elements -> of words that hold several of them, the first one lowest."""
    words: list[str] = []
    for number, column in enumerate(columns):
        bits = emit.as_element(f"<{lanes} x {element}>", column, f"i{8 * size}")
        wide = emit.value("wide", f"zext <{lanes} x i{8 * size}> {bits} to <{lanes} x i32>")
        shift = 8 * size * number % (8 * _WORD)
        if not shift:
            words.append(wide)
            continue
        moved = emit.value("moved", f"shl <{lanes} x i32> {wide}, splat (i32 {shift})")
        words[-1] = emit.value("words", f"or disjoint <{lanes} x i32> {words[-1]}, {moved}")
    return words


def _store_parts(vectors: list[str], element: str, count: int, pointers: list[str], size: int, emit: Emitter) -> None:
    """Lane L's part is in vector L modulo ``count``, at the block of ``count`` elements that counts the lanes before."""
    lanes = len(pointers)
    for lane, pointer in enumerate(pointers):
        first = lane - lane % count
        part = emit.shuffle(f"<{lanes} x {element}>", vectors[lane % count], "poison", list(range(first, first + count)))
        emit.line(f"store <{count} x {element}> {part}, ptr {pointer}, align {size}")
