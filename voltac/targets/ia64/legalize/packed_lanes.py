"""Lanes that move between registers with several numbers, and these as other types (IA-64 7, 8).

    %r = shufflevector <4 x i16> %a, poison, <3, 2, 1, 0>    ->    call i64 @ia64.mux2(i64 %a, i64 27)
    %b = bitcast <8 x i1> %m to i8                           ->    the sum of the bytes of %m & 0x8040201008040201

What no instruction does is left to be done lane by lane.
"""

from __future__ import annotations

from voltac.codegen.legalize.function import Legalizer, Words
from voltac.codegen.legalize.lanes import shuffle_indices
from voltac.codegen.legalize.packed import PackedRule
from voltac.codegen.legalize.shapes import Shape
from voltac.codegen.legalize.writer import signed
from voltac.ir.model import Instruction
from voltac.targets.ia64.legalize.packed_integers import is_packed
from voltac.targets.ia64.legalize.packed_registers import (
    REGISTER_BITS,
    as_pair,
    bits_of_pair,
    integers,
    lane_bits,
    pairs,
    splat,
)

Lane = tuple[str, int] | None
"""A register and a lane of it; None for what may be anything."""

_OF_BYTES = {
    "rev": (7, 6, 5, 4, 3, 2, 1, 0), "mix": (0, 4, 2, 6, 1, 5, 3, 7), "shuf": (0, 4, 1, 5, 2, 6, 3, 7),
    "alt": (0, 2, 4, 6, 1, 3, 5, 7),
}  # fmt: skip
"""What ``mux1`` puts where."""


def _fits(row: list[Lane], wanted: list[Lane]) -> bool:
    return all(lane is None or lane == other for lane, other in zip(row, wanted))


def _shuffle(f: Legalizer, instruction: Instruction) -> bool:
    first, second = instruction.operands
    source, target = f.shapes.of(first.type), f.shapes.of(instruction.type)
    if not is_packed(source) or not is_packed(target):
        return False
    registers = [*f.words(first), *f.words(second)]
    indices = shuffle_indices(instruction)
    lanes: list[Lane] = []
    for index in indices:
        register = registers[index // source.width] if index >= 0 else "poison"
        lanes.append(None if register == "poison" else (register, index % source.width))
    rows = [lanes[at : at + target.width] for at in range(0, len(lanes), target.width)]
    ways = [_way(f, source, row) for row in rows]
    if any(way is None for way in ways):
        return False
    f.define(instruction, [_written(f, *way) for way in ways if way is not None])
    return True


Way = tuple[str, Words]
"""An instruction and its operands; no instruction: the register itself."""


def _way(f: Legalizer, shape: Shape, row: list[Lane]) -> Way | None:
    """How a register of these lanes is made."""
    width = shape.width
    registers = list(dict.fromkeys(lane[0] for lane in row if lane is not None))
    if not registers:
        return "", ["poison"]
    same = {lane for lane in row if lane is not None}
    if len(same) == 1 and shape.element != "float":
        return "splat", [*next(iter(same))[:1], str(next(iter(same))[1]), str(lane_bits(shape)), shape.element]
    if len(registers) > 2:
        return None
    a, b = registers[0], registers[-1]
    for x, y in ((a, b), (b, a)):
        if _fits(row, [(x, lane) for lane in range(width)]):
            return "", [x]
        alone = _of_one(row, x, width) if a == b and shape.element != "float" else None
        found = (_of_floats if shape.element == "float" else _of_two)(row, x, y, width)
        if alone is not None or found is not None:
            return alone or found
    return None


def _of_floats(row: list[Lane], a: str, b: str, width: int) -> Way | None:
    """The lower lane from ``a``, the upper one from ``b``."""
    ways = {(0, 0): ("fmix.r", [b, a]), (1, 1): ("fmix.l", [b, a]), (0, 1): ("fmix.lr", [b, a]), (1, 0): ("fswap", [a, b])}
    return next((way for (low, high), way in ways.items() if _fits(row, [(a, low), (b, high)])), None)


def _of_two(row: list[Lane], a: str, b: str, width: int) -> Way | None:
    size = 8 // width
    for name, first, step in ((f"unpack{size}.l", 0, 1), (f"unpack{size}.h", width // 2, 1), (f"mix{size}.r", 0, 2),
                              (f"mix{size}.l", 1, 2)):  # fmt: skip
        taken = range(first, first + step * (width // 2), step)
        if _fits(row, [lane for number in taken for lane in ((a, number), (b, number))]):
            return name, [b, a]
    for by in range(1, width):
        # The upper lanes of one, and the lower ones of the other.
        if _fits(row, [(a, lane) if lane < width else (b, lane - width) for lane in range(by, by + width)]):
            return "shrp", [a, b, str(by * size * 8)]
    return None


def _of_one(row: list[Lane], a: str, width: int) -> Way | None:
    if width == 8:
        found = next((name for name, order in _OF_BYTES.items() if _fits(row, [(a, lane) for lane in order])), None)
        return None if found is None else (f"mux1.{found}", [a])
    lanes = [lane[1] if lane is not None else place for place, lane in enumerate(row)]
    if width == 2:
        lanes = [2 * lane + half for lane in lanes for half in range(2)]
    return "mux2", [a, str(sum(lane << 2 * place for place, lane in enumerate(lanes)))]


def _written(f: Legalizer, name: str, words: Words) -> str:
    w = f.write
    if not name:
        return words[0]
    if name == "splat":
        register, lane, bits, element = words
        known = f.packed.made_of.get((element, register))
        if known is not None and element != "i1":
            made = splat(f, int(bits), known[int(lane)])
            f.packed.made_of[element, made] = [known[int(lane)]] * len(known)
            return made
        if int(bits) == 16:
            return integers(f, "mux2", register, str(int(lane) * 0x55))
        at = int(lane) * int(bits)
        return splat(f, int(bits), w.op("lshr", register, at) if at else register)
    if name == "shrp":
        low, high, by = words
        return w.op("or", w.op("lshr", low, int(by)), w.op("shl", high, REGISTER_BITS - int(by)))
    return (pairs if name.startswith("f") else integers)(f, name, *words)


# --- single lanes whose number is not known before


def _extract(f: Legalizer, instruction: Instruction) -> bool:
    vector, index = instruction.operands
    shape = f.shapes.of(vector.type)
    if not is_packed(shape) or shape.lanes != shape.width or f.literal(f.words(index)[0]) is not None:
        return False
    w = f.write
    register, by = f.words(vector)[0], w.op("mul", f.words(index)[0], lane_bits(shape))
    if shape.element == "float":
        register = bits_of_pair(f, register)
    word = w.op("lshr", register, w.op("and", by, REGISTER_BITS - 1))
    if shape.element == "i1":
        word = w.compare("ne", w.op("and", word, 1), 0)
    f.define(instruction, [w.float_of(word, False) if shape.element == "float" else word])
    return True


def _insert(f: Legalizer, instruction: Instruction) -> bool:
    """One element of a register whose other ones are not known lane by lane."""
    vector, scalar, index = instruction.operands
    shape = f.shapes.of(vector.type)
    at = f.literal(f.words(index)[0])
    if not is_packed(shape) or shape.bits in (0, 1) or at is None or at >= shape.lanes:
        return False
    words = list(f.words(vector))
    number, lane = divmod(at, shape.width)
    if words[number][0] != "%" or (shape.element, words[number]) in f.packed.made_of:
        return False
    w, size = f.write, lane_bits(shape)
    mask = (1 << size) - 1
    cleared = w.op("and", words[number], signed(~(mask << size * lane), REGISTER_BITS))
    word = w.op("and", f.words(scalar)[0], mask)
    words[number] = w.op("or", cleared, w.op("shl", word, size * lane) if lane else word)
    f.define(instruction, words)
    return True


# --- as other types


def _bits_of_lanes(shape: Shape) -> int:
    """A register with, in each lane, the bit of its number."""
    return signed(sum(1 << lane * lane_bits(shape) + lane for lane in range(shape.width)), REGISTER_BITS)


def _bitcast(f: Legalizer, instruction: Instruction) -> bool:
    operand = instruction.operands[0]
    source, target = f.shapes.of(operand.type), f.shapes.of(instruction.type)
    words = f.words(operand)
    if source.element == "i1" and is_packed(source) and not target.lanes and target.bits == source.lanes <= REGISTER_BITS:
        f.define(instruction, [_bitmap(f, source, words)])
    elif target.element == "i1" and is_packed(target) and not source.lanes and source.bits == target.lanes <= REGISTER_BITS:
        f.define(instruction, _mask(f, target, words[0]))
    elif "i1" in (source.element, target.element) or not _is_register(source) or not _is_register(target):
        return False
    elif source.element == target.element:
        f.define(instruction, words)
    else:
        f.define(instruction, [_as(f, target, _as_word(f, source, word)) for word in words])
    return True


def _is_register(shape: Shape) -> bool:
    """Whether it is made of registers of 64 bits, all used."""
    return is_packed(shape) or (not shape.lanes and (shape.element == "double" or shape.bits == REGISTER_BITS))


def _as_word(f: Legalizer, shape: Shape, word: str) -> str:
    if shape.element == "float":
        return bits_of_pair(f, word)
    return f.write.value(f"bitcast double {word} to i64") if shape.element == "double" else word


def _as(f: Legalizer, shape: Shape, word: str) -> str:
    if shape.element == "float":
        return as_pair(f, word)
    return f.write.value(f"bitcast i64 {word} to double") if shape.element == "double" else word


def _bitmap(f: Legalizer, shape: Shape, words: Words) -> str:
    w = f.write
    total = ""
    for number, word in enumerate(words):
        bits = integers(f, "psad1", w.op("and", word, _bits_of_lanes(shape)), "0")
        if number:
            bits = w.op("shl", bits, number * shape.width)
        total = w.op("or", total, bits) if total else bits
    f.zero_above[total] = shape.lanes
    return total


def _mask(f: Legalizer, shape: Shape, number: str) -> Words:
    w = f.write
    size, bits = lane_bits(shape), _bits_of_lanes(shape)
    made = []
    for at in range(0, shape.lanes, shape.width):
        part = splat(f, size, w.op("lshr", number, at) if at else number)
        made.append(integers(f, f"pcmp{size // 8}.eq", w.op("and", part, bits), str(bits)))
    return made


LANES: dict[str, PackedRule] = {
    "shufflevector": _shuffle,
    "extractelement": _extract,
    "insertelement": _insert,
    "bitcast": _bitcast,
}
