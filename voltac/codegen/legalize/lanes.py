"""Vectors of any number of lanes -> vector registers, here of 16 lanes, and scalars.

    %v = shufflevector <16 x i32> %a, <16 x i32> %b, <16 x i32> <0, 16, 1, 17, ...>
    ->
    %x = shufflevector <16 x i32> %a, poison, <0, poison, 1, ...>;  %y = shufflevector <16 x i32> %b, ...
    %v = select <16 x i1> <true, false, ...>, %x, %y

Masks move as numbers: their lanes are bits of a scalar register.
"""

from __future__ import annotations

from voltac.codegen.legalize import memory
from voltac.codegen.legalize.elements import assembled, element, lane_of, mask_of
from voltac.codegen.legalize.function import Legalizer, Rule, Words
from voltac.codegen.legalize.scalar_accesses import bits_of_float, bytes_of, float_of, load_scalar, store_scalar
from voltac.codegen.legalize.shapes import Shape
from voltac.codegen.legalize.writer import mask_constant
from voltac.ir.constants import integers
from voltac.ir.model import Instruction
from voltac.ir.parts import Operand

Source = tuple[int, int]
"""Number of a chunk among those of both operands, and lane in it (-1: a scalar); (-1, -1) is poison."""
_ANYTHING: Source = (-1, -1)
"""For a lane that nobody reads."""


def _put(f: Legalizer, shape: Shape, vector: str, scalar: str, lane: str) -> str:
    w = f.write
    if shape.element == "i1":
        if vector == "poison":
            vector = "zeroinitializer"
        place = w.op("shl", "1", lane)
        cleared = w.op("and", w.bitmap(vector), w.op("xor", place, -1))
        return w.mask(w.op("or", cleared, w.op("shl", w.to_int(scalar, False), lane)))
    if shape.element == "ptr":
        scalar = "poison" if scalar == "poison" else w.number(scalar)
    return w.set_lane(vector, scalar, lane, shape.kind(True))


def _index(f: Legalizer, operand: Operand) -> str:
    return f.words(operand)[0]


def _legalize_extract(f: Legalizer, instruction: Instruction) -> None:
    vector, index = instruction.operands
    shape, columns = f.shapes.of(vector.type), f.columns(vector)
    at = _index(f, index)
    known = f.literal(at)
    if known is not None and known < shape.lanes:
        f.define(instruction, element(f, shape, columns, known))
    elif shape.lanes == f.width and known is None:
        f.define(instruction, [lane_of(f, shape, word, at) for word in columns[0]])
    elif known is not None:
        f.define(instruction, ["poison"] * shape.words)
    else:
        place = _in_memory(f, vector)
        address = f.write.value(f"getelementptr i8, ptr {place}, {f.write.word} {_scaled(f, shape, at)}")
        f.define(instruction, load_scalar(f, shape, address, bytes_of(shape)))


def _room(f: Legalizer) -> int:
    return f.machine.facts.vector_bytes


def _scaled(f: Legalizer, shape: Shape, index: str) -> str:
    return f.write.op("mul", index, bytes_of(shape))


def _in_memory(f: Legalizer, vector: Operand) -> str:
    """Where a vector has been stored; a lane of a mask takes a byte there."""
    shape, columns = f.shapes.of(vector.type), f.columns(vector)
    place = f.write.allocate(max(_room(f), bytes_of(shape) * shape.lanes), _room(f))
    for lane in range(shape.lanes):
        address = f.write.near(place, lane * bytes_of(shape))
        store_scalar(f, shape, element(f, shape, columns, lane), address, bytes_of(shape))
    return place


def _legalize_insert(f: Legalizer, instruction: Instruction) -> None:
    vector, scalar, index = instruction.operands
    shape, columns = f.shapes.of(vector.type), [list(column) for column in f.columns(vector)]
    words = f.words(scalar)
    at = _index(f, index)
    known = f.literal(at)
    chain = _inserted_lanes(f, instruction, shape) if known is not None else None
    if chain is not None:
        f.define(instruction, _put_many(f, shape, *chain))
    elif known is not None:
        if known >= shape.lanes:
            f.define(instruction, ["poison"] * len(f.shapes.parts(vector.type)))
            return
        number, within = shape.place(known)
        if within < 0:
            columns[number] = words
        else:
            columns[number] = [_put(f, shape, old, new, str(within)) for old, new in zip(columns[number], words)]
        f.define(instruction, [word for column in columns for word in column])
    elif shape.lanes == f.width:
        f.define(instruction, [_put(f, shape, old, new, at) for old, new in zip(columns[0], words)])
    else:
        place = _in_memory(f, vector)
        size = bytes_of(shape)
        address = f.write.value(f"getelementptr i8, ptr {place}, {f.write.word} {_scaled(f, shape, at)}")
        store_scalar(f, shape, words, address, size)
        lanes = [load_scalar(f, shape, f.write.near(place, lane * size), size) for lane in range(shape.lanes)]
        f.define(instruction, assembled(f, shape, lanes))


_FEW = 3
"""Lanes below which each is inserted by itself: a lane takes a mask and its move, or a store and a share of a load."""


def _inserted_lanes(f: Legalizer, last: Instruction, shape: Shape) -> tuple[Words, dict[int, Words]] | None:
    """What goes into which lanes of a vector by a chain of insertions whose last one this is, where they are many."""
    if shape.lanes != f.width or shape.element == "i1" or _continues(f, last):
        return None
    definitions = f.definitions
    lanes: dict[int, Words] = {}
    vector = last.operands[0]
    made: Instruction | None = last
    while made is not None and made.op == "insertelement":
        lane = f.literal(_index(f, made.operands[2]))
        if lane is None or lane >= f.width:
            break
        lanes.setdefault(lane, f.words(made.operands[1]))
        vector = made.operands[0]
        made = definitions.get(vector.value)
        if made is None or not _continues(f, made):
            break
    return (f.columns(vector)[0], lanes) if len(lanes) >= _FEW else None


def _continues(f: Legalizer, insertion: Instruction) -> bool:
    """Whether an insertion is only one step of a chain."""
    user = f.uses.single_use(insertion.name)
    return (
        user is not None
        and insertion.op == user.op == "insertelement"
        and user.operands[0].value == insertion.name
        and user.operands[2].value.isdigit()
    )


def _put_many(f: Legalizer, shape: Shape, old: Words, lanes: dict[int, Words]) -> Words:
    """Some lanes of a vector, through the stack."""
    w = f.write
    kind = shape.kind(True)
    made: Words = []
    for word, vector in enumerate(old):
        place = w.stage(word)
        if vector != "poison" and len(lanes) < f.width:
            w.emit(f"store {w.type(kind, True)} {vector}, ptr {place}, align {_room(f)}")
        for lane, words in lanes.items():
            scalar = words[word]
            if shape.element == "ptr" and scalar != "poison":
                scalar = w.number(scalar)
            if scalar != "poison":
                w.emit(f"store {kind} {scalar}, ptr {w.near(place, 4 * lane)}, align 4")
        made.append(w.value(f"load {w.type(kind, True)}, ptr {place}, align {_room(f)}"))
    return made


# --- shuffles


def _legalize_shuffle(f: Legalizer, instruction: Instruction) -> None:
    first, second = instruction.operands
    shape = f.shapes.of(first.type)
    target = f.shapes.of(instruction.type)
    columns = f.columns(first) + f.columns(second)
    count = len(shape.chunks)
    indices = shuffle_indices(instruction)
    sources: list[Source] = []
    unknown = [all(word == "poison" for word in column) for column in columns]
    for index in indices:
        if index < 0:
            sources.append(_ANYTHING)
            continue
        number, within = shape.place(index % shape.lanes)
        number += count if index >= shape.lanes else 0
        sources.append(_ANYTHING if unknown[number] else (number, within))
    f.define(instruction, shuffled(f, shape, target, columns, sources))


def shuffle_indices(instruction: Instruction) -> list[int]:
    """Lane for lane, -1 for what may be anything."""
    mask = instruction.parts.mask
    lanes = int(instruction.type[1:].partition(" ")[0])
    if mask in ("poison", "undef"):
        return [-1] * lanes
    if "poison" in mask or "undef" in mask:
        items = mask.strip("<>").split(", ")
        return [-1 if item.endswith(("poison", "undef")) else int(item.rpartition(" ")[2]) for item in items]
    found = integers(f"<{lanes} x i32>", mask)
    assert found is not None
    return list(found)


def shuffled(f: Legalizer, shape: Shape, target: Shape, columns: list[Words], sources: list[Source]) -> Words:
    """The vector whose lanes come from these places."""
    made: Words = []
    at = 0
    for chunk in target.chunks:
        row = sources[at : at + (f.width if chunk else 1)]
        at += len(row)
        for word in range(shape.words):
            if chunk:
                made.append(_shuffled_chunk(f, shape, columns, row, word))
            else:
                (number, within) = row[0]
                if number < 0:
                    made.append("poison")
                else:
                    made.append(columns[number][word] if within < 0 else lane_of(f, shape, columns[number][word], str(within)))
    return made


def _shuffled_chunk(f: Legalizer, shape: Shape, columns: list[Words], row: list[Source], word: int) -> str:
    w = f.write
    numbers = sorted({number for number, within in row if within >= 0})
    scalars = any(number >= 0 and within < 0 for number, within in row)
    if not numbers:
        texts = [columns[number][word] if number >= 0 else "poison" for number, _ in row]
        known = {text for text in texts if text != "poison"}
        if len(known) == 1 and shape.element != "i1":
            # A splat: unwanted lanes may hold the same.
            texts = list(known) * f.width
        if shape.element == "i1":
            return mask_of(f, list(known) * f.width if len(known) == 1 else texts)
        if shape.element == "ptr":
            texts = [each if each == "poison" else w.number(each) for each in texts]
        return w.gathered(texts, shape.kind(True))
    kind = shape.kind(True)
    type = w.type(kind, True)
    result = ""
    covered = [False] * f.width
    for number in numbers:
        wanted = [within if owner == number and within >= 0 else -1 for owner, within in row]
        vector = columns[number][word]
        if all(lane in (-1, place) for place, lane in enumerate(wanted)):
            part = vector
        elif shape.element == "i1":
            part = _shuffled_mask(f, vector, wanted)
        else:
            indices = "<" + ", ".join("i32 poison" if lane < 0 else f"i32 {lane}" for lane in wanted) + ">"
            mask = "zeroinitializer" if set(wanted) <= {0, -1} else indices
            part = w.value(f"shufflevector {type} {vector}, {type} poison, <{f.width} x i32> {mask}")
        if result:
            result = w.select(mask_constant(covered), result, part, kind, True)
        else:
            result = part
        covered = [old or lane >= 0 for old, lane in zip(covered, wanted)]
    if scalars:
        for lane, (number, within) in enumerate(row):
            if number >= 0 and within < 0:
                result = _put(f, shape, result, columns[number][word], str(lane))
    return result


def _shuffled_mask(f: Legalizer, mask: str, wanted: list[int]) -> str:
    """Lanes of a mask: by shifts where few distances occur, else as a vector of numbers."""
    w = f.write
    distances: dict[int, int] = {}
    for place, lane in enumerate(wanted):
        if lane >= 0:
            distances[place - lane] = distances.get(place - lane, 0) | 1 << place
    if len(distances) <= 3:
        bits = w.bitmap(mask)
        result = ""
        for distance, places in distances.items():
            moved = bits
            if distance:
                moved = w.op("shl" if distance > 0 else "lshr", bits, abs(distance))
            part = w.op("and", moved, places) if len(distances) > 1 else moved
            result = w.op("or", result, part) if result else part
        return w.mask(result)
    numbers = w.to_int(mask, True)
    texts = ", ".join("i32 poison" if lane < 0 else f"i32 {lane}" for lane in wanted)
    type = w.type("i32", True)
    moved = w.value(f"shufflevector {type} {numbers}, {type} poison, <{f.width} x i32> <{texts}>")
    return w.compare("ne", moved, 0, True)


# --- bitcast


def _legalize_bitcast(f: Legalizer, instruction: Instruction) -> None:
    operand = instruction.operands[0]
    source, target = f.shapes.of(operand.type), f.shapes.of(instruction.type)
    words = f.words(operand)
    if source.lanes == target.lanes and source.bits == target.bits and source.element == target.element:
        f.define(instruction, words)
        return
    made = _same_parts(f, source, target, words) or _through_bits(f, source, target, words)
    if made is None:
        size = max(f.layout.size(operand.type), f.layout.size(instruction.type))
        place = f.write.allocate(size, _room(f))
        memory.store(f, operand.type, words, place, _room(f))
        made = memory.load(f, instruction.type, place, _room(f))
    f.define(instruction, made)


def _same_parts(f: Legalizer, source: Shape, target: Shape, words: Words) -> Words | None:
    """Where each part becomes one part: ``float`` and ``i32``, ``half`` and ``i16``, ``<2 x i32>`` and ``i64``."""
    before, after = source.part_types(), target.part_types()
    if f.word_bits != 32 and "float" in (source.element, target.element):
        # A float is half a word.
        return None
    narrow = {source.bits, target.bits} & set(range(1, f.word_bits))
    if len(before) != len(after) or "ptr" in (source.element, target.element) or (narrow and source.bits != target.bits):
        return None
    if [type[0] == "<" for type in before] != [type[0] == "<" for type in after]:
        return None
    if source.lanes != target.lanes and any(type[0] == "<" for type in before):
        return None
    return [
        word if old == new else f.write.value(f"bitcast {old} {word} to {new}") for word, old, new in zip(words, before, after)
    ]


def _through_bits(f: Legalizer, source: Shape, target: Shape, words: Words) -> Words | None:
    """Masks and numbers, and short vectors of at most 32 bits in all."""
    w = f.write
    total = (source.bits or 8 * source.size) * max(1, source.lanes)
    most = f.width or f.word_bits + 1
    if source.element == "i1" and not target.lanes:
        bits: Words = []
        at = 0
        for chunk, word in zip(source.chunks, words):
            piece = w.bitmap(word) if chunk else w.to_int(word, False)
            while len(bits) <= at // f.word_bits:
                bits.append("")
            if at % f.word_bits:
                piece = w.op("shl", piece, at % f.word_bits)
            bits[at // f.word_bits] = w.op("or", bits[at // f.word_bits], piece) if bits[at // f.word_bits] else piece
            at += f.width if chunk else 1
        if total < f.word_bits:
            f.zero_above[bits[-1]] = total
        return [float_of(f, target, bits[0])] if _is_float(target) else bits
    if target.element == "i1" and not source.lanes:
        if _is_float(source):
            words = [bits_of_float(f, source, words[0])]
        made: Words = []
        at = 0
        for chunk in target.chunks:
            word = words[at // f.word_bits]
            moved = w.op("lshr", word, at % f.word_bits) if at % f.word_bits else word
            made.append(w.mask(moved) if chunk else w.compare("ne", w.op("and", moved, 1), 0))
            at += f.width if chunk else 1
        return made
    if total <= f.word_bits and source.lanes < most and target.lanes < most and "ptr" not in (source.element, target.element):
        number = _packed(f, source, words)
        width = target.bits or 8 * target.size
        pieces = [w.op("lshr", number, width * lane) if lane else number for lane in range(max(1, target.lanes))]
        if target.element == "i1":
            return [w.compare("ne", w.op("and", piece, 1), 0) for piece in pieces]
        return [float_of(f, target, piece) for piece in pieces] if _is_float(target) else pieces
    return None


def _is_float(shape: Shape) -> bool:
    return shape.element in ("float", "double")


def _packed(f: Legalizer, shape: Shape, words: Words) -> str:
    w = f.write
    if not shape.lanes:
        return bits_of_float(f, shape, words[0]) if _is_float(shape) else words[0]
    result = ""
    for lane, word in enumerate(words):
        if shape.element == "i1":
            piece = w.to_int(word, False)
        elif _is_float(shape):
            piece = bits_of_float(f, shape, word)
        else:
            piece = w.op("and", word, (1 << shape.bits) - 1)
        if lane:
            piece = w.op("shl", piece, (shape.bits or 8 * shape.size) * lane)
        result = w.op("or", result, piece) if result else piece
    return result


RULES: dict[str, Rule] = {
    "extractelement": _legalize_extract,
    "insertelement": _legalize_insert,
    "shufflevector": _legalize_shuffle,
    "bitcast": _legalize_bitcast,
}
