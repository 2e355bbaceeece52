"""Vectors of 16 lanes in memory -> whole lines, shuffles, and scalars where lanes lie anywhere.

    %v = load <16 x i32>, ptr %p, align 4
    ->      (where %p is no multiple of 64, which is tested first unless a constant tells)
    %a = load <16 x i32>, ptr (%p & -64);  %b = load <16 x i32>, ptr ((%p + 60) & -64)
    %v = select (lanes of the first line), shuffle(%a, lane + %p / 4), shuffle(%b, lane + %p / 4)

The core loads whole lines only, and its loads of packed bytes and halves are broken (NaplesPU 2.6).
A line that an active lane touches is always there, so it may be loaded whole; where all
lanes are off, a line of zeros is loaded instead. Stores write only what the program writes, but for
lanes that are off in an aligned line: that is read and written back (NaplesPU 5.3), which is right
as long as work is shared between threads by lines.
"""

from __future__ import annotations

from voltac.codegen.legalize.elements import assembled
from voltac.codegen.legalize.function import Legalizer, VectorMemory, Words
from voltac.codegen.legalize.scalar_accesses import at_offset, bytes_of, load_scalar, store_scalar
from voltac.codegen.legalize.shapes import Shape
from voltac.codegen.legalize.writer import lanes, mask_constant
from voltac.ir import marks
from voltac.targets.naplespu.legalize.machine_facts import LANES

LINE = 64
"""Bytes of a line of the cache, which a vector of words fills (NaplesPU 1.1)."""
_LANE_NUMBERS = lanes(list(range(LANES)))
_OWNS_LINES = marks.attribute(marks.LINES, "own")
"""No other thread writes to a line that the function writes to."""
_WORDS = Shape("i32", LANES, 32, 1, LANES)
_LOWER_HALF = mask_constant([lane < LANES // 2 for lane in range(LANES)])
ALL_ON = "splat (i1 true)"


def _kind(shape: Shape) -> str:
    """What a chunk of it holds."""
    return shape.kind(True)


def _shuffle(f: Legalizer, vector: str, indices: str) -> str:
    return f.write.call("<16 x i32> @npu.shuffle(<16 x i32>, <16 x i32>)", vector, indices)


def _as_kind(f: Legalizer, word: str, kind: str) -> str:
    return f.write.float_of(word, True) if kind == "float" else word


# --- loads


def load_vector(f: Legalizer, shape: Shape, pointer: str, alignment: int) -> Words:
    """16 consecutive elements."""
    w = f.write
    size = bytes_of(shape)
    kind = _kind(shape)
    if size == 4 and alignment >= LINE:
        return [w.value(f"load {w.type(kind, True)}, ptr {pointer}, align {LINE}")]
    if size not in (1, 2, 4, 8) or alignment < min(4, size):
        scalars = []
        for lane in range(LANES):
            place = w.near(pointer, lane * size)
            scalars.append(load_scalar(f, shape, place, at_offset(alignment, lane * size)))
        return assembled(f, Shape(shape.element, LANES, shape.bits, shape.words, LANES), scalars)
    if size == 8:
        low = _line_of_words(f, pointer, alignment)
        high = _line_of_words(f, w.near(pointer, LINE), alignment)
        return _apart(f, low, high)
    if size == 4:
        return [_as_kind(f, _line_of_words(f, pointer, alignment), kind)]
    return [_narrow(f, pointer, size, alignment, "", "")]


def _line_of_words(f: Legalizer, pointer: str, alignment: int) -> str:
    """16 words at an address that is a multiple of four."""
    w = f.write
    if alignment >= LINE:
        return w.value(f"load <16 x i32>, ptr {pointer}, align {LINE}")
    if pointer in f.unaligned:
        return _from_two_lines(f, pointer)
    # Rows of matrices mostly begin at lines, but few addresses can be proved to; the path that falls through is theirs.
    line, lines_, loaded = (w.new_label(name) for name in ("load.line", "load.lines", "loaded"))
    w.branch(w.compare("ne", w.op("and", w.number(pointer), LINE - 1), 0), lines_, line)
    w.start(line)
    whole = w.value(f"load <16 x i32>, ptr {pointer}, align {LINE}")
    w.jump(loaded)
    w.start(lines_)
    parts = _from_two_lines(f, pointer)
    w.jump(loaded)
    w.start(loaded)
    return w.value(f"phi <16 x i32> [ {whole}, %{line} ], [ {parts}, %{lines_} ]")


def _from_two_lines(f: Legalizer, pointer: str) -> str:
    """Written such that what is the same for all iterations of a loop is found before it (``codegen/loops/low_bits.py``)."""
    w = f.write
    start = w.number(pointer)
    off = w.op("and", start, LINE - 1)
    begin = w.op("sub", start, off)
    first = _line(f, begin)
    # The same line once more where the address is a line's.
    second = _line(f, w.op("add", begin, w.op("and", w.op("add", off, LINE - 4), LINE)))
    number = w.op("lshr", off, 2)
    indices = w.op("add", w.splat(number), _LANE_NUMBERS, True)
    in_first = w.mask(w.op("lshr", "65535", number))
    return w.select(in_first, _shuffle(f, first, indices), _shuffle(f, second, indices), "i32", True)


def _line(f: Legalizer, number: str) -> str:
    """The line at an address given as a number."""
    return f.write.value(f"load <16 x i32>, ptr {f.write.pointer(number)}, align {LINE}")


def _apart(f: Legalizer, low: str, high: str) -> Words:
    """Two lines of 64-bit numbers -> their low words and their high words."""
    w = f.write
    made: Words = []
    for word in range(2):
        indices = ", ".join(f"i32 {2 * (lane % 8) + word}" for lane in range(LANES))
        halves = [
            w.value(f"shufflevector <16 x i32> {line}, <16 x i32> poison, <16 x i32> <{indices}>") for line in (low, high)
        ]
        made.append(w.select(_LOWER_HALF, halves[0], halves[1], "i32", True))
    return made


def _together(f: Legalizer, words: Words) -> Words:
    """The inverse: the two lines that pairs of words fill."""
    w = f.write
    even = mask_constant([lane % 2 == 0 for lane in range(LANES)])
    made: Words = []
    for half in range(2):
        indices = ", ".join(f"i32 {8 * half + lane // 2}" for lane in range(LANES))
        spread = [w.value(f"shufflevector <16 x i32> {word}, <16 x i32> poison, <16 x i32> <{indices}>") for word in words]
        made.append(w.select(even, spread[0], spread[1], "i32", True))
    return made


def _narrow(f: Legalizer, pointer: str, size: int, alignment: int, first_line: str, second_line: str) -> str:
    """16 packed bytes or halves, each in the low bits of its lane; the lines' addresses are given for masked loads."""
    w = f.write
    start = w.number(pointer)
    if alignment >= 4:
        indices = w.op("add", w.splat(w.op("lshr", start, 2)), lanes([lane * size // 4 for lane in range(LANES)]), True)
        places = lanes([lane * size % 4 * 8 for lane in range(LANES)])
    else:
        addresses = w.op("add", w.splat(start), lanes([lane * size for lane in range(LANES)]), True)
        indices = w.op("lshr", addresses, 2, True)
        places = w.op("shl", w.op("and", addresses, 3, True), 3, True)
    single = alignment >= LANES * size
    first = _line(f, first_line or w.op("and", start, -LINE))
    picked = _shuffle(f, first, indices)
    if not single:
        second = _line(f, second_line or w.op("and", w.op("add", start, (LANES - 1) * size), -LINE))
        before = (
            w.op("sub", w.op("add", first_line, LINE), start)
            if first_line
            else w.op("sub", str(LINE), w.op("and", start, LINE - 1))
        )
        picked = w.select(_first_lanes(f, before, size), picked, _shuffle(f, second, indices), "i32", True)
    return w.op("lshr", picked, places, True)


def _first_lanes(f: Legalizer, bytes_: str, size: int) -> str:
    """The lanes whose elements lie in the first so many bytes."""
    w = f.write
    count = w.op("lshr", bytes_, size.bit_length() - 1) if size > 1 else bytes_
    few = w.compare("ult", count, LANES)
    limited = w.choose(few, count, str(LANES), "i32")
    return w.mask(w.op("sub", w.op("shl", "1", limited), 1))


# --- stores


def store_vector(f: Legalizer, shape: Shape, words: Words, pointer: str, alignment: int) -> None:
    """A register's lanes as consecutive elements: one line where the address allows it, else lane by lane."""
    w = f.write
    size = bytes_of(shape)
    kind = _kind(shape)
    if size == 4 and alignment >= LINE:
        w.emit(f"store {w.type(kind, True)} {words[0]}, ptr {pointer}, align {LINE}")
    elif size in (1, 2) and alignment >= LANES * size:
        _store_packed(f, words[0], pointer, size)
    elif size == 8 and alignment >= 4:
        for number, line in enumerate(_together(f, words)):
            store_vector(f, _WORDS, [line], w.near(pointer, LINE * number), alignment)
    elif size in (1, 2, 4) and alignment >= min(4, size):
        # Arrays mostly begin at lines, but few addresses can be proved to.
        whole = LANES * size
        start = w.op("and", w.number(pointer), whole - 1)
        paths = [w.new_label(f"{name}") for name in ("store.line", "store.lanes", "stored")]
        w.branch(w.compare("ne", start, 0), paths[1], paths[0])
        w.start(paths[0])
        store_vector(f, shape, words, pointer, whole)
        w.jump(paths[2])
        w.start(paths[1])
        _store_lanes(f, shape, words, pointer, alignment)
        w.jump(paths[2])
        w.start(paths[2])
    else:
        _store_lanes(f, shape, words, pointer, alignment)


def _store_packed(f: Legalizer, word: str, pointer: str, size: int) -> None:
    value = f.write.value(f"trunc <16 x i32> {word} to <16 x i{8 * size}>")
    f.write.emit(f"store <16 x i{8 * size}> {value}, ptr {pointer}, align {LANES * size}")


def _store_lanes(f: Legalizer, shape: Shape, words: Words, pointer: str, alignment: int) -> None:
    w = f.write
    size = bytes_of(shape)
    for lane in range(LANES):
        scalars = [w.lane(word, lane, _kind(shape)) for word in words]
        if shape.element == "ptr":
            scalars = [w.pointer(scalars[0])]
        store_scalar(f, shape, scalars, w.near(pointer, lane * size), at_offset(alignment, lane * size))


# --- under a mask


def load_masked(f: Legalizer, shape: Shape, pointer: str, alignment: int, mask: str, otherwise: Words) -> Words:
    """16 consecutive elements, of which those of lanes that are off touch no memory."""
    w = f.write
    size = bytes_of(shape)
    if mask == ALL_ON:
        return load_vector(f, shape, pointer, alignment)
    if size not in (1, 2, 4, 8) or alignment < min(4, size):
        return gather(f, shape, _lane_addresses(f, pointer, size), alignment, mask, otherwise)
    if size == 8:
        masks = _word_masks(f, mask)
        zero = ["zeroinitializer"]
        lines = [load_masked(f, _WORDS, w.near(pointer, LINE * n), alignment, masks[n], zero)[0] for n in range(2)]
        return _kept(f, shape, mask, _apart(f, *lines), otherwise)
    bits = w.bitmap(mask)
    some = w.compare("ne", bits, 0)
    if alignment >= LANES * size:
        place = w.choose(some, pointer, w.nowhere(), "ptr")
        return _kept(f, shape, mask, load_vector(f, shape, place, alignment), otherwise)
    start = w.number(pointer)
    nowhere = w.number(w.nowhere())
    line_numbers: list[str] = []
    for trailing in (True, False):
        zeros = w.count_zeros(bits, trailing, False)
        lane = zeros if trailing else w.op("sub", "31", zeros)
        place = w.op("add", start, w.op("shl", lane, size.bit_length() - 1) if size > 1 else lane)
        line_numbers.append(w.op("and", w.choose(some, place, nowhere, "i32"), -LINE))
    if size < 4:
        return _kept(f, shape, mask, [_narrow(f, pointer, size, alignment, *line_numbers)], otherwise)
    indices = w.op("add", w.splat(w.op("lshr", start, 2)), _LANE_NUMBERS, True)
    parts = [_shuffle(f, _line(f, number), indices) for number in line_numbers]
    before = w.op("sub", w.op("add", line_numbers[0], LINE), start)
    word_ = w.select(_first_lanes(f, before, 4), parts[0], parts[1], "i32", True)
    return _kept(f, shape, mask, [_as_kind(f, word_, _kind(shape))], otherwise)


def _kept(f: Legalizer, shape: Shape, mask: str, words: Words, otherwise: Words) -> Words:
    """Lanes that are off have another value."""
    return [
        word if other == "poison" else f.write.select(mask, word, other, _kind(shape), True)
        for word, other in zip(words, otherwise)
    ]


def _word_masks(f: Legalizer, mask: str) -> list[str]:
    """Masks for the words of 64-bit lanes, line by line."""
    w = f.write
    numbers = w.to_int(mask, True)
    made = []
    for half in range(2):
        indices = ", ".join(f"i32 {8 * half + lane // 2}" for lane in range(LANES))
        spread = w.value(f"shufflevector <16 x i32> {numbers}, <16 x i32> poison, <16 x i32> <{indices}>")
        made.append(w.compare("ne", spread, 0, True))
    return made


def _lane_addresses(f: Legalizer, pointer: str, size: int) -> str:
    w = f.write
    return w.op("add", w.splat(w.number(pointer)), lanes([lane * size for lane in range(LANES)]), True)


def store_masked(f: Legalizer, shape: Shape, words: Words, pointer: str, alignment: int, mask: str) -> None:
    """16 consecutive elements; those of lanes that are off keep their value."""
    w = f.write
    size = bytes_of(shape)
    if mask == ALL_ON:
        store_vector(f, shape, words, pointer, alignment)
    elif size == 8 and alignment >= LINE and _OWNS_LINES in f.attributes:
        masks = _word_masks(f, mask)
        for number, line in enumerate(_together(f, words)):
            place = w.near(pointer, LINE * number)
            store_masked(f, _WORDS, [line], place, LINE, masks[number])
    elif size in (1, 2, 4) and alignment >= LANES * size and _OWNS_LINES in f.attributes:
        some = w.compare("ne", w.bitmap(mask), 0)
        place = w.choose(some, pointer, w.discard(), "ptr")
        old = load_vector(f, shape, place, alignment)
        store_vector(f, shape, _kept(f, shape, mask, words, old), place, alignment)
    else:
        scatter(f, shape, words, _lane_addresses(f, pointer, size), alignment, mask)


# --- lanes anywhere


def gather(f: Legalizer, shape: Shape, addresses: str, alignment: int, mask: str, otherwise: Words) -> Words:
    """Each lane by a scalar load; lanes that are off load zeros."""
    w = f.write
    if mask != ALL_ON:
        addresses = w.select(mask, addresses, w.splat(w.number(w.nowhere())), "i32", True)
    scalar = Shape(shape.element, 0, shape.bits, shape.words)
    kind = "i32" if shape.element in ("ptr", "float") else scalar.kind(False)
    if shape.element in ("ptr", "float"):
        scalar = Shape("i32", 0, 32, 1)
    columns: list[Words] = []
    for lane in range(LANES):
        columns.append(load_scalar(f, scalar, w.pointer(w.lane(addresses, lane)), alignment))
    made: Words = []
    for word in range(scalar.words):
        place = w.stage(word)
        for lane in range(LANES):
            w.emit(f"store {kind} {columns[lane][word]}, ptr {w.near(place, 4 * lane)}, align 4")
        made.append(w.value(f"load {w.type(_kind(shape), True)}, ptr {place}, align {LINE}"))
    if shape.bits % 32:
        f.zero_above[made[-1]] = bytes_of(shape) * 8 % 32 or 32
    return made if mask == ALL_ON else _kept(f, shape, mask, made, otherwise)


def scatter(f: Legalizer, shape: Shape, words: Words, addresses: str, alignment: int, mask: str) -> None:
    """Each lane by a scalar store, the highest last; lanes that are off store to where nobody looks."""
    w = f.write
    if mask != ALL_ON:
        addresses = w.select(mask, addresses, w.splat(w.number(w.discard())), "i32", True)
    scalar = Shape(shape.element, 0, shape.bits, shape.words)
    if shape.element == "ptr":
        scalar = Shape("i32", 0, 32, 1)
    for lane in range(LANES):
        values = [w.lane(word, lane, _kind(shape)) for word in words]
        store_scalar(f, scalar, values, w.pointer(w.lane(addresses, lane)), alignment)


VECTORS = VectorMemory(load_vector, store_vector, load_masked, store_masked, gather, scatter)
