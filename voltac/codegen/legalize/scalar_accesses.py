"""Loads and stores of scalars -> accesses that the machine has.

Others, and what is not aligned, are put together from smaller pieces.
"""

from __future__ import annotations

from voltac.codegen.legalize.function import Legalizer, Words
from voltac.codegen.legalize.integers import zero_extended
from voltac.codegen.legalize.shapes import Shape


def bytes_of(shape: Shape) -> int:
    """Bytes an element takes in memory; a bit alone takes one."""
    return (shape.bits + 7) // 8 if shape.bits else shape.size


def at_offset(alignment: int, offset: int) -> int:
    """What is known of an address ``offset`` behind one that is aligned."""
    return min(alignment, offset & -offset) if offset else alignment


def load_scalar(f: Legalizer, shape: Shape, pointer: str, alignment: int) -> Words:
    """The words of a scalar in memory."""
    w = f.write
    if shape.element == "i1":
        return [w.compare("ne", w.op("and", _load_bytes(f, pointer, 1, 1), 1), 0)]
    if not shape.bits:
        size = shape.size
        if alignment >= size:
            return [w.value(f"load {shape.element}, ptr {pointer}, align {size}")]
        word = _load_bytes(f, pointer, size, alignment)
        return [w.pointer(word) if shape.element == "ptr" else float_of(f, shape, word)]
    made: Words = []
    size, step = bytes_of(shape), f.machine.facts.word_bytes
    for number in range(shape.words):
        count = min(step, size - step * number)
        made.append(_load_bytes(f, w.near(pointer, step * number), count, at_offset(alignment, step * number)))
    if shape.bits % f.word_bits:
        f.zero_above[made[-1]] = size * 8 % f.word_bits or f.word_bits
    return made


def float_of(f: Legalizer, shape: Shape, word: str) -> str:
    """The float or double whose bits a word has."""
    return f.write.float_of(word, False) if shape.element == "float" else f.write.value(f"bitcast i64 {word} to double")


def bits_of_float(f: Legalizer, shape: Shape, value: str) -> str:
    """The bits of a float or double, as a word."""
    return f.write.bits_of(value, False) if shape.element == "float" else f.write.value(f"bitcast double {value} to i64")


def _load_bytes(f: Legalizer, pointer: str, count: int, alignment: int) -> str:
    """No more bytes than a word has as a number."""
    w = f.write
    is_direct = count == 1 or (count in f.machine.facts.accesses and alignment >= count)
    if 8 * count == f.word_bits and is_direct:
        return w.value(f"load {w.word}, ptr {pointer}, align {count}")
    if is_direct:
        bits = 8 * count
        number = w.value(f"zext i{bits} {w.value(f'load i{bits}, ptr {pointer}, align {count}')} to {w.word}")
        f.zero_above[number] = bits
        return number
    low_count = 1 << (count - 1).bit_length() - 1
    low = _load_bytes(f, pointer, low_count, alignment)
    high = _load_bytes(f, w.near(pointer, low_count), count - low_count, at_offset(alignment, low_count))
    return w.op("or", low, w.op("shl", high, 8 * low_count))


def store_scalar(f: Legalizer, shape: Shape, words: Words, pointer: str, alignment: int) -> None:
    """Writes the words of a scalar to memory."""
    w = f.write
    if shape.element == "i1":
        _store_bytes(f, w.to_int(words[0], False), pointer, 1, 1)
        return
    if not shape.bits:
        if alignment >= shape.size:
            w.emit(f"store {shape.element} {words[0]}, ptr {pointer}, align {shape.size}")
            return
        words = [w.number(words[0]) if shape.element == "ptr" else bits_of_float(f, shape, words[0])]
    size, step = bytes_of(shape), f.machine.facts.word_bytes
    if shape.bits % 8 and shape.bits:
        words = zero_extended(f, shape.bits, words, False)
    for number, word in enumerate(words):
        _store_bytes(
            f, word, w.near(pointer, step * number), min(step, size - step * number), at_offset(alignment, step * number)
        )


def _store_bytes(f: Legalizer, word: str, pointer: str, count: int, alignment: int) -> None:
    w = f.write
    is_direct = count == 1 or (count in f.machine.facts.accesses and alignment >= count)
    if 8 * count == f.word_bits and is_direct:
        w.emit(f"store {w.word} {word}, ptr {pointer}, align {count}")
    elif is_direct:
        known = f.literal(word)
        bits = 8 * count
        if known is None and word != "poison":
            value = w.value(f"trunc {w.word} {word} to i{bits}")
        else:
            value = "poison" if known is None else str((known & ((1 << bits) - 1)) - (known >> (bits - 1) & 1) * (1 << bits))
        w.emit(f"store i{bits} {value}, ptr {pointer}, align {count}")
    else:
        low_count = 1 << (count - 1).bit_length() - 1
        _store_bytes(f, word, pointer, low_count, alignment)
        rest = w.op("lshr", word, 8 * low_count)
        _store_bytes(f, rest, w.near(pointer, low_count), count - low_count, at_offset(alignment, low_count))
