"""Loads and stores of scalars -> accesses that the machine has.

Others, and what is not aligned, are put together from smaller pieces.
"""

from __future__ import annotations

from voltac.codegen.legalize.function import Legalizer, Words
from voltac.codegen.legalize.integers import literal, zero_extended
from voltac.codegen.legalize.shapes import Shape


def bytes_of(shape: Shape) -> int:
    """Bytes an element takes in memory; a bit alone takes one."""
    return (shape.bits + 7) // 8 if shape.bits else 4


def at_offset(alignment: int, offset: int) -> int:
    """What is known of an address ``offset`` behind one that is aligned."""
    return min(alignment, offset & -offset) if offset else alignment


def load_scalar(f: Legalizer, shape: Shape, pointer: str, alignment: int) -> Words:
    """The words of a scalar in memory."""
    w = f.write
    if shape.element == "i1":
        return [w.compare("ne", w.op("and", _load_bytes(f, pointer, 1, 1), 1), 0)]
    if shape.element in ("float", "ptr"):
        if alignment >= 4:
            return [w.value(f"load {shape.element}, ptr {pointer}, align 4")]
        word = _load_bytes(f, pointer, 4, alignment)
        return [w.float_of(word, False) if shape.element == "float" else w.pointer(word)]
    made: Words = []
    size = bytes_of(shape)
    for number in range(shape.words):
        count = min(4, size - 4 * number)
        made.append(_load_bytes(f, w.near(pointer, 4 * number), count, at_offset(alignment, 4 * number)))
    if shape.bits % 32:
        f.zero_above[made[-1]] = size * 8 % 32 or 32
    return made


def _load_bytes(f: Legalizer, pointer: str, count: int, alignment: int) -> str:
    """1 to 4 bytes as a number."""
    w = f.write
    is_direct = count == 1 or (count in f.machine.facts.accesses and alignment >= count)
    if count == 4 and is_direct:
        return w.value(f"load i32, ptr {pointer}, align 4")
    if is_direct:
        bits = 8 * count
        number = w.value(f"zext i{bits} {w.value(f'load i{bits}, ptr {pointer}, align {count}')} to i32")
        f.zero_above[number] = bits
        return number
    low_count = 2 if count > 2 else 1
    low = _load_bytes(f, pointer, low_count, alignment)
    high = _load_bytes(f, w.near(pointer, low_count), count - low_count, at_offset(alignment, low_count))
    return w.op("or", low, w.op("shl", high, 8 * low_count))


def store_scalar(f: Legalizer, shape: Shape, words: Words, pointer: str, alignment: int) -> None:
    """Writes the words of a scalar to memory."""
    w = f.write
    if shape.element == "i1":
        _store_bytes(f, w.to_int(words[0], False), pointer, 1, 1)
        return
    if shape.element in ("float", "ptr"):
        if alignment >= 4:
            w.emit(f"store {shape.element} {words[0]}, ptr {pointer}, align 4")
            return
        words = [w.bits_of(words[0], False) if shape.element == "float" else w.number(words[0])]
    size = bytes_of(shape)
    if shape.bits % 8 and shape.bits:
        words = zero_extended(f, shape.bits, words, False)
    for number, word in enumerate(words):
        _store_bytes(f, word, w.near(pointer, 4 * number), min(4, size - 4 * number), at_offset(alignment, 4 * number))


def _store_bytes(f: Legalizer, word: str, pointer: str, count: int, alignment: int) -> None:
    w = f.write
    is_direct = count == 1 or (count in f.machine.facts.accesses and alignment >= count)
    if count == 4 and is_direct:
        w.emit(f"store i32 {word}, ptr {pointer}, align 4")
    elif is_direct:
        known = literal(word)
        bits = 8 * count
        if known is None and word != "poison":
            value = w.value(f"trunc i32 {word} to i{bits}")
        else:
            value = "poison" if known is None else str((known & ((1 << bits) - 1)) - (known >> (bits - 1) & 1) * (1 << bits))
        w.emit(f"store i{bits} {value}, ptr {pointer}, align {count}")
    else:
        low_count = 2 if count > 2 else 1
        _store_bytes(f, word, pointer, low_count, alignment)
        rest = w.op("lshr", word, 8 * low_count)
        _store_bytes(f, rest, w.near(pointer, low_count), count - low_count, at_offset(alignment, low_count))
