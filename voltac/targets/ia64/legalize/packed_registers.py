"""Registers with several numbers: how they are put together, taken apart, loaded and stored (IA-64 7, 8).

Integers and masks are in general registers, element 0 lowest; a lane of a mask is 0 or -1, of as many bits as the target's
elements have. Pairs of floats are in floating registers, ``<2 x float>`` in legal IR.
"""

from __future__ import annotations

from voltac.codegen.legalize.function import Legalizer, Words
from voltac.codegen.legalize.packed_values import PackedVectors
from voltac.codegen.legalize.scalar_accesses import at_offset, bytes_of, load_scalar, store_scalar
from voltac.codegen.legalize.shapes import Shape
from voltac.codegen.legalize.writer import signed

REGISTER_BITS = 64
"""Of a general register, and of a significand."""
PAIR = "<2 x float>"


def lane_bits(shape: Shape) -> int:
    """Bits of a lane in its register."""
    return REGISTER_BITS // shape.width


def everywhere(bits: int, value: int) -> int:
    """A number in every element of so many bits, signed as LLVM writes it."""
    value &= (1 << bits) - 1
    return signed(sum(value << at for at in range(0, REGISTER_BITS, bits)), REGISTER_BITS)


def integers(f: Legalizer, name: str, *words: str) -> str:
    """What the machine's instruction of a name makes of general registers."""
    return f.write.call(f"i64 @ia64.{name}({', '.join(['i64'] * len(words))})", *words)


def pairs(f: Legalizer, name: str, *words: str) -> str:
    """The same of pairs of floats."""
    return f.write.call(f"{PAIR} @ia64.{name}({', '.join([PAIR] * len(words))})", *words)


def as_pair(f: Legalizer, word: str) -> str:
    """The bits of a general register in a floating one."""
    known = f.packed.made_of.get((PAIR, word))
    return f.write.value(f"bitcast i64 {word} to {PAIR}") if known is None else known[0]


def bits_of_pair(f: Legalizer, pair: str) -> str:
    """The opposite."""
    word = f.write.value(f"bitcast {PAIR} {pair} to i64")
    f.packed.made_of[PAIR, word] = [pair]
    return word


def splat(f: Legalizer, bits: int, word: str) -> str:
    """An element's number in all elements."""
    if bits == 8:
        return integers(f, "mux1.brcst", word)
    return integers(f, "mux2", word, "0") if bits == 16 else integers(f, "unpack4.l", word, word)


def _join(f: Legalizer, shape: Shape, lanes: Words) -> str:
    if shape.element == "float":
        low, high = (lanes[n] if lanes[n] != "poison" else lanes[1 - n] for n in range(2))
        return f.write.call(f"{PAIR} @ia64.fpack(float, float)", high, low)
    different = {lane for lane in lanes if lane != "poison"}
    if shape.element == "i1":
        made = {"true": "-1", "false": "0", "poison": "poison"}
        made.update((lane, f.write.to_all_bits(lane, False)) for lane in sorted(different - {*made}))
        lanes = [made[lane] for lane in lanes]
    bits = lane_bits(shape)
    if len(different) == 1:
        (lane,) = different
        return made[lane] if shape.element == "i1" else splat(f, bits, lane)
    while len(lanes) > 1:
        lanes = [_side_by_side(f, bits, low, high) for low, high in zip(lanes[::2], lanes[1::2])]
        bits *= 2
    return lanes[0]


def _side_by_side(f: Legalizer, bits: int, low: str, high: str) -> str:
    """What is above the bits of each is anything, and so it may be of the result."""
    if high == "poison":
        return low
    return integers(f, f"unpack{bits // 8}.l", high, high if low == "poison" else low)


def _split(f: Legalizer, shape: Shape, register: str) -> Words:
    w = f.write
    if shape.element == "float":
        if register == "zeroinitializer":
            return ["0.0", "0.0"]
        bits = bits_of_pair(f, register)
        return [w.float_of(bits, False), w.float_of(w.op("lshr", bits, 32), False)]
    size, known = lane_bits(shape), f.literal(register)
    if known is not None:
        numbers = [known >> at & (1 << size) - 1 for at in range(0, REGISTER_BITS, size)]
        if shape.element == "i1":
            return ["true" if number else "false" for number in numbers]
        return [str(signed(number, size)) for number in numbers]
    if shape.element == "i1":
        return [w.compare("ne", w.op("and", register, 1 << at), 0) for at in range(0, REGISTER_BITS, size)]
    lanes = [w.op("lshr", register, at) if at else register for at in range(0, REGISTER_BITS, size)]
    f.zero_above[lanes[-1]] = size
    return lanes


def _constant(shape: Shape, lanes: Words) -> str:
    if shape.element == "float":
        texts = ["0.0" if lane == "poison" else lane for lane in lanes]
        return "zeroinitializer" if texts == ["0.0", "0.0"] else f"<{', '.join(f'float {text}' for text in texts)}>"
    size, total = lane_bits(shape), 0
    for number, lane in enumerate(lanes):
        value = {"true": -1, "false": 0, "poison": 0}.get(lane)
        total |= ((int(lane) if value is None else value) & (1 << size) - 1) << number * size
    return str(signed(total, REGISTER_BITS))


def _load(f: Legalizer, shape: Shape, pointer: str, alignment: int) -> str:
    if alignment >= REGISTER_BITS // 8:
        return f.write.value(f"load {shape.part}, ptr {pointer}, align 8")
    lane = Shape(shape.element, 0, shape.bits, 1, 0, shape.word, shape.size)
    size = bytes_of(lane)
    places = range(0, size * shape.width, size)
    return f.packed.joined(
        shape, [load_scalar(f, lane, f.write.near(pointer, at), at_offset(alignment, at))[0] for at in places]
    )


def _store(f: Legalizer, shape: Shape, register: str, pointer: str, alignment: int) -> None:
    if alignment >= REGISTER_BITS // 8:
        f.write.emit(f"store {shape.part} {register}, ptr {pointer}, align 8")
        return
    lane = Shape(shape.element, 0, shape.bits, 1, 0, shape.word, shape.size)
    for number, word in enumerate(f.packed.lanes(shape, register)):
        at = number * bytes_of(lane)
        if word != "poison":
            store_scalar(f, lane, [word], f.write.near(pointer, at), at_offset(alignment, at))


PACKED = PackedVectors(_join, _split, _constant, _load, _store)
