"""Integer arithmetic of any width -> arithmetic on words, here of 32 bits.

    %s = add i64 %a, %b      ->    low = add a0, b0; carry = icmp ult low, a0; high = add (add a1, b1), zext carry
    %d = lshr i8 %a, %b      ->    lshr i32 (and a, 255), (and b, 255)

A number narrower than its words has anything in the bits above; who depends on
them clears or extends them first (``zero_extended``, ``sign_extended``).
"""

from __future__ import annotations

from voltac.codegen.legalize.function import Legalizer, Words
from voltac.codegen.legalize.shapes import NotLegal
from voltac.ir.parts import Operand

ALL = 0xFFFFFFFF
"""A word of ones, of machines whose words have 32 bits."""


def literal(word: str) -> int | None:
    """The number that such a word is in every lane, if that is known."""
    text = word[len("splat (i32 ") : -1] if word.startswith("splat (i32 ") else word
    if text == "zeroinitializer":
        return 0
    return int(text) & ALL if text.lstrip("-").isdigit() else None


def zero_extended(f: Legalizer, bits: int, words: Words, vector: bool) -> Words:
    """Clear what lies above the number."""
    rest = bits % f.word_bits
    if not rest:
        return words
    last = words[-1]
    known = f.literal(last)
    if known is not None:
        return [*words[:-1], f.constant(known & ((1 << rest) - 1), vector)]
    if f.zero_above.get(last, f.word_bits) <= rest:
        return words
    cleared = f.write.op("and", last, (1 << rest) - 1, vector)
    f.zero_above[cleared] = rest
    return [*words[:-1], cleared]


def sign_extended(f: Legalizer, bits: int, words: Words, vector: bool) -> Words:
    """Repeat the number's sign above it."""
    rest = bits % f.word_bits
    if not rest:
        return words
    last = words[-1]
    known = f.literal(last)
    if known is not None:
        low = known & ((1 << rest) - 1)
        return [*words[:-1], f.constant(low - (1 << rest) if low >> (rest - 1) else low, vector)]
    if f.sign_from.get(last, f.word_bits) <= rest or f.zero_above.get(last, f.word_bits) < rest:
        return words
    extended = f.write.op("ashr", f.write.op("shl", last, f.word_bits - rest, vector), f.word_bits - rest, vector)
    f.sign_from[extended] = rest
    return [*words[:-1], extended]


# --- arithmetic


def add(f: Legalizer, vector: bool, a: Words, b: Words) -> Words:
    """The sum, its carries passed on from word to word."""
    w = f.write
    made: Words = []
    carry = ""
    for number, (x, y) in enumerate(zip(a, b)):
        total = w.plus(x, y, vector)
        last = number == len(a) - 1
        over = "" if last else w.compare("ult", total, x, vector)
        if carry:
            total_before = total
            total = w.plus(total, w.to_int(carry, vector), vector)
            if not last:
                over = w.bit_op("or", over, w.compare("ult", total, total_before, vector), vector)
        made.append(total)
        carry = over
    return made


def subtract(f: Legalizer, vector: bool, a: Words, b: Words) -> Words:
    """The difference, what is borrowed passed on from word to word."""
    w = f.write
    made: Words = []
    borrow = ""
    for number, (x, y) in enumerate(zip(a, b)):
        total = w.op("sub", x, y, vector)
        last = number == len(a) - 1
        below = "" if last else w.compare("ult", x, y, vector)
        if borrow:
            taken = w.to_int(borrow, vector)
            if not last:
                below = w.bit_op("or", below, w.compare("ult", total, taken, vector), vector)
            total = w.op("sub", total, taken, vector)
        made.append(total)
        borrow = below
    return made


def negate(f: Legalizer, vector: bool, a: Words) -> Words:
    """The number with the other sign, in two's complement."""
    return subtract(f, vector, [f.constant(0, vector)] * len(a), a)


def multiply(f: Legalizer, vector: bool, a: Words, b: Words) -> Words:
    """As many words of the product as the factors have."""
    w = f.write
    if len(a) == 1:
        return [w.op("mul", a[0], b[0], vector)]
    if len(a) == 2:
        low = w.op("mul", a[0], b[0], vector)
        forms = [_extension(f, words) for words in (a, b)]
        if forms[0] is not None and forms[0] == forms[1]:
            return [low, w.high_product(a[0], b[0], forms[0], vector)]
        high = w.high_product(a[0], b[0], False, vector)
        for x, y in ((a[0], b[1]), (a[1], b[0])):
            if 0 not in (f.literal(x), f.literal(y)):
                high = w.op("add", high, w.op("mul", x, y, vector), vector)
        return [low, high]
    zero = f.constant(0, vector)
    total = [zero] * len(a)
    for number, x in enumerate(a):
        for other in range(len(a) - number):
            place = number + other
            product = [w.op("mul", x, b[other], vector), w.high_product(x, b[other], False, vector)]
            row = ([zero] * place + product + [zero] * len(a))[: len(a)]
            total = add(f, vector, total, row)
    return total


def _extension(f: Legalizer, words: Words) -> bool | None:
    """Whether a 64-bit number is a word with its sign (True), or with zeros (False), above it."""
    known = f.extended_from.get(words[1])
    if known is not None and known[1] == words[0]:
        return known[0]
    low, high = f.literal(words[0]), f.literal(words[1])
    all_ones = (1 << f.word_bits) - 1
    if low is not None and high in (0, all_ones):
        return True if (low >> f.word_bits - 1 == 1) == (high == all_ones) else (False if high == 0 else None)
    return False if high == 0 else None


# --- shifts


def shift(f: Legalizer, operation: str, vector: bool, bits: int, a: Words, by: Words) -> Words:
    """``shl``, ``lshr`` or ``ashr``."""
    w = f.write
    by = zero_extended(f, bits, by, vector)
    if operation == "lshr":
        a = zero_extended(f, bits, a, vector)
    elif operation == "ashr":
        a = sign_extended(f, bits, a, vector)
    known = f.literal(by[0])
    if len(a) == 1:
        made = w.op(operation, a[0], by[0], vector)
        if operation == "lshr":
            f.zero_above[made] = max(0, min(bits, f.zero_above.get(a[0], f.word_bits)) - (known or 0))
        elif operation == "ashr":
            f.sign_from[made] = max(1, min(bits, f.sign_from.get(a[0], f.word_bits)) - (known or 0))
        return [made]
    if known is not None:
        return _shift_by_constant(f, operation, vector, a, known)
    if len(a) > 2:
        raise NotLegal(f"a shift of {bits} bits by a variable amount")
    return _shift_pair(f, operation, vector, a, by[0])


def _shift_by_constant(f: Legalizer, operation: str, vector: bool, a: Words, by: int) -> Words:
    w = f.write
    count, rest = by // f.word_bits, by % f.word_bits
    zero = f.constant(0, vector)
    fill = w.op("ashr", a[-1], f.word_bits - 1, vector) if operation == "ashr" else zero
    if operation == "shl":
        moved = [zero] * count + a
        below = [zero, *moved]
        if not rest:
            return moved[: len(a)]
        return [
            _joined(f, vector, w.op("shl", moved[n], rest, vector), below[n], "lshr", f.word_bits - rest, zero)
            for n in range(len(a))
        ]
    moved = a[count:] + [fill] * (count + 1)
    if not rest:
        return moved[: len(a)]
    made: Words = []
    for number in range(len(a)):
        is_top = number == len(a) - 1 - count
        if number > len(a) - 1 - count:
            made.append(fill)
        elif is_top:
            made.append(w.op(operation, moved[number], rest, vector))
        else:
            low = w.op("lshr", moved[number], rest, vector)
            made.append(_joined(f, vector, low, moved[number + 1], "shl", f.word_bits - rest, zero))
    return made


def _joined(f: Legalizer, vector: bool, part: str, other: str, operation: str, by: int, zero: str) -> str:
    return part if other == zero else f.write.op("or", part, f.write.op(operation, other, by, vector), vector)


def _shift_pair(f: Legalizer, operation: str, vector: bool, a: Words, by: str) -> Words:
    """By less than two words have: first as if by less than one has, then words change places."""
    w, most = f.write, f.word_bits - 1
    low, high = a
    part = w.op("and", by, most, vector)
    inverse = w.op("xor", part, most, vector)
    far = w.compare("ugt", by, most, vector)
    if operation == "shl":
        near_low = w.op("shl", low, part, vector)
        crossing = w.op("lshr", w.op("lshr", low, 1, vector), inverse, vector)
        near_high = w.op("or", w.op("shl", high, part, vector), crossing, vector)
        return [
            w.select(far, f.constant(0, vector), near_low, w.word, vector),
            w.select(far, near_low, near_high, w.word, vector),
        ]
    near_high = w.op(operation, high, part, vector)
    crossing = w.op("shl", w.op("shl", high, 1, vector), inverse, vector)
    near_low = w.op("or", w.op("lshr", low, part, vector), crossing, vector)
    fill = w.op("ashr", high, most, vector) if operation == "ashr" else f.constant(0, vector)
    return [w.select(far, near_high, near_low, w.word, vector), w.select(far, fill, near_high, w.word, vector)]


# --- comparison


def compare(f: Legalizer, predicate: str, vector: bool, bits: int, a: Words, b: Words) -> str:
    """A condition."""
    w = f.write
    if predicate in ("eq", "ne"):
        signs = [f.sign_from.get(words[-1], f.word_bits) <= bits % f.word_bits for words in (a, b)]
        extend = sign_extended if bits % f.word_bits and any(signs) else zero_extended
        a, b = extend(f, bits, a, vector), extend(f, bits, b, vector)
        if len(a) == 1:
            return w.compare(predicate, a[0], b[0], vector)
        different = ""
        for x, y in zip(a, b):
            one = x if f.literal(y) == 0 else w.op("xor", x, y, vector)
            different = w.op("or", different, one, vector) if different else one
        return w.compare(predicate, different, 0, vector)
    extend = sign_extended if predicate[0] == "s" else zero_extended
    a, b = extend(f, bits, a, vector), extend(f, bits, b, vector)
    if len(a) == 1:
        return w.compare(predicate, a[0], b[0], vector)
    constants = [f.literal(word) for word in b]
    if (predicate == "slt" and set(constants) == {0}) or (predicate == "sgt" and set(constants) == {(1 << f.word_bits) - 1}):
        return w.compare(predicate, a[-1], b[-1], vector)
    if predicate[1:] in ("gt", "le"):
        a, b = b, a
    sign = predicate[0]
    less = w.compare("ult", a[0], b[0], vector)
    for number in range(1, len(a)):
        letter = sign if number == len(a) - 1 else "u"
        equal = w.compare("eq", a[number], b[number], vector)
        below = w.compare(f"{letter}lt", a[number], b[number], vector)
        less = w.bit_op("or", below, w.bit_op("and", equal, less, vector), vector)
    return less if predicate[1:] in ("lt", "gt") else w.mask_not(less, vector)


def is_negative(f: Legalizer, vector: bool, bits: int, a: Words) -> str:
    """A condition: the highest of the number's bits."""
    return compare(f, "slt", vector, bits, a, [f.constant(0, vector)] * len(a))


def select_words(f: Legalizer, vector: bool, condition: str, a: Words, b: Words) -> Words:
    """The words of one number or of the other, by a condition for each lane."""
    return [x if x == y else f.write.select(condition, x, y, f.write.word, vector) for x, y in zip(a, b)]


def bits_of(f: Legalizer, operand: Operand) -> int:
    """Of an integer, or of each lane of a vector of them."""
    return f.shapes.of(operand.type).bits


def extend(f: Legalizer, vector: bool, bits: int, count: int, a: Words, is_signed: bool) -> Words:
    """A number of ``bits`` bits on ``count`` words."""
    w = f.write
    if bits == 1:
        word = w.to_all_bits(a[0], vector) if is_signed else w.to_int(a[0], vector)
        (f.sign_from if is_signed else f.zero_above)[word] = 1
        a = [word]
    elif is_signed:
        a = sign_extended(f, bits, a, vector)
    else:
        a = zero_extended(f, bits, a, vector)
    if len(a) == count:
        return a
    if not is_signed:
        return [*a, *[f.constant(0, vector)] * (count - len(a))]
    fill = a[-1] if bits == 1 else w.op("ashr", a[-1], f.word_bits - 1, vector)
    if len(a) == 1:
        f.extended_from[fill] = (True, a[0])
    return [*a, *[fill] * (count - len(a))]
