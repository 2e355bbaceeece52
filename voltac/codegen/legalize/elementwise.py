"""LLVM's intrinsics of integers that work lane by lane -> legal operations: rows by the name without its type suffixes.

%m = call i32 @llvm.smax.i32(i32 %a, i32 %b)    ->    select (icmp sgt %a, %b), %a, %b
%c = call i32 @llvm.ctpop.i32(i32 %a)           ->    sums of neighbouring fields
"""

from __future__ import annotations

from voltac.codegen.legalize.function import LaneFunction, Legalizer, Words
from voltac.codegen.legalize.integers import (
    add,
    compare,
    extend,
    is_negative,
    multiply,
    negate,
    select_words,
    shift,
    sign_extended,
    subtract,
    zero_extended,
)
from voltac.codegen.legalize.shapes import NotLegal, Shape


def _choose(predicate: str) -> LaneFunction:
    def choose(f: Legalizer, vector: bool, shape: Shape, a: Words, b: Words) -> Words:
        if shape.bits == 1:
            wants_or = predicate in ("ugt", "slt")
            return [f.write.bit_op("or" if wants_or else "and", a[0], b[0], vector)]
        return select_words(f, vector, compare(f, predicate, vector, shape.bits, a, b), a, b)

    return choose


def _absolute(f: Legalizer, vector: bool, shape: Shape, a: Words, _: Words) -> Words:
    if len(a) == 1:
        w = f.write
        value = sign_extended(f, shape.bits, a, vector)[0]
        sign = w.op("ashr", value, f.word_bits - 1, vector)
        return [w.op("sub", w.op("xor", value, sign, vector), sign, vector)]
    return select_words(f, vector, is_negative(f, vector, shape.bits, a), negate(f, vector, a), a)


def count_bits(f: Legalizer, vector: bool, shape: Shape, a: Words) -> Words:
    """``ctpop``: how many bits of a number are set."""
    w = f.write
    if shape.bits == 1:
        return a
    total = ""
    for word in zero_extended(f, shape.bits, a, vector):
        count = w.count_ones(word, vector)
        total = w.op("add", total, count, vector) if total else count
    f.zero_above[total] = 8
    return [total, *[f.constant(0, vector)] * (len(a) - 1)]


def _leading_zeros(f: Legalizer, vector: bool, shape: Shape, a: Words, _: Words) -> Words:
    w = f.write
    if shape.bits == 1:
        return [w.mask_not(a[0], vector)]
    a = zero_extended(f, shape.bits, a, vector)
    count = ""
    for number, word in enumerate(a):
        zeros = w.count_zeros(word, False, vector)
        if count:
            below = w.op("add", count, f.word_bits, vector)
            count = w.select(w.compare("eq", word, 0, vector), below, zeros, w.word, vector)
        else:
            count = zeros
        if number == len(a) - 1 and shape.bits % f.word_bits:
            count = w.op("sub", count, f.word_bits - shape.bits % f.word_bits, vector)
    f.zero_above[count] = 8
    return [count, *[f.constant(0, vector)] * (len(a) - 1)]


def _trailing_zeros(f: Legalizer, vector: bool, shape: Shape, a: Words, _: Words) -> Words:
    w = f.write
    if shape.bits == 1:
        return [w.mask_not(a[0], vector)]
    if shape.bits % f.word_bits:
        # A bit above the number ends the count.
        a = [*a[:-1], w.op("or", a[-1], 1 << shape.bits % f.word_bits, vector)]
    count = ""
    for word in reversed(a):
        zeros = w.count_zeros(word, True, vector)
        if count:
            count = w.select(w.compare("eq", word, 0, vector), w.op("add", count, f.word_bits, vector), zeros, w.word, vector)
        else:
            count = zeros
    f.zero_above[count] = 8
    return [count, *[f.constant(0, vector)] * (len(a) - 1)]


def _swap_bytes(f: Legalizer, vector: bool, shape: Shape, a: Words) -> Words:
    w = f.write
    made: Words = []
    for word in reversed(a):
        outer = w.op("or", w.op("shl", word, 24, vector), w.op("lshr", word, 24, vector), vector)
        up = w.op("shl", w.op("and", word, 0xFF00, vector), 8, vector)
        down = w.op("and", w.op("lshr", word, 8, vector), 0xFF00, vector)
        made.append(w.op("or", outer, w.op("or", up, down, vector), vector))
    return _from_top(f, vector, shape, made)


def _from_top(f: Legalizer, vector: bool, shape: Shape, words: Words) -> Words:
    """What was reversed as whole words has come to lie at their top."""
    rest = -shape.bits % f.word_bits
    return shift(f, "lshr", vector, f.word_bits * len(words), words, [f.constant(rest, vector)] * len(words)) if rest else words


def _reverse_bits(f: Legalizer, vector: bool, shape: Shape, a: Words) -> Words:
    w = f.write
    made: Words = []
    for word in _swap_bytes(f, vector, Shape("i32", 0, 32 * len(a), len(a)), a):
        for places, mask in ((4, 0x0F0F0F0F), (2, 0x33333333), (1, 0x55555555)):
            up = w.op("shl", w.op("and", word, mask, vector), places, vector)
            word = w.op("or", up, w.op("and", w.op("lshr", word, places, vector), mask, vector), vector)
        made.append(word)
    return _from_top(f, vector, shape, made)


def _funnel(left: bool) -> LaneFunction:
    def funnel(f: Legalizer, vector: bool, shape: Shape, high: Words, low: Words, by: Words) -> Words:
        w = f.write
        bits = shape.bits
        if bits & (bits - 1):
            raise NotLegal(f"a funnel shift of {bits} bits")
        zeros = [f.constant(0, vector)] * (len(by) - 1)
        by = [w.op("and", by[0], bits - 1, vector), *zeros]
        other = [w.op("xor", by[0], bits - 1, vector), *zeros]
        one = [f.constant(1, vector), *zeros]
        if left:
            part = shift(f, "lshr", vector, bits, shift(f, "lshr", vector, bits, low, one), other)
            main = shift(f, "shl", vector, bits, high, by)
        else:
            part = shift(f, "shl", vector, bits, shift(f, "shl", vector, bits, high, one), other)
            main = shift(f, "lshr", vector, bits, low, by)
        return [w.op("or", x, y, vector) for x, y in zip(main, part)]

    return funnel


def with_overflow(kind: str) -> LaneFunction:
    """The result's words, then the condition."""
    is_signed, operation = kind[0] == "s", kind[1:]

    def compute(f: Legalizer, vector: bool, shape: Shape, a: Words, b: Words) -> Words:
        w = f.write
        bits = shape.bits
        extend_ = sign_extended if is_signed else zero_extended
        if operation == "mul":
            return _product_overflow(f, vector, shape, a, b, is_signed)
        made = (add if operation == "add" else subtract)(f, vector, a, b)
        if bits % f.word_bits:
            a, b = extend_(f, bits, a, vector), extend_(f, bits, b, vector)
            exact = (add if operation == "add" else subtract)(f, vector, a, b)
            normal = extend_(f, bits, exact, vector)
            return [*made, compare(f, "ne", vector, f.word_bits * len(a), exact, normal)]
        if not is_signed:
            pair = (made, a) if operation == "add" else (a, b)
            return [*made, compare(f, "ult", vector, bits, *pair)]
        first = w.op("xor", a[-1], made[-1], vector)
        second = w.op("xor", b[-1], made[-1] if operation == "add" else a[-1], vector)
        return [*made, w.compare("slt", w.op("and", first, second, vector), 0, vector)]

    return compute


def _product_overflow(f: Legalizer, vector: bool, shape: Shape, a: Words, b: Words, is_signed: bool) -> Words:
    w = f.write
    bits = shape.bits
    if bits > f.word_bits:
        count = len(a)
        exact = multiply(f, vector, *(extend(f, vector, bits, 2 * count, words, is_signed) for words in (a, b)))
        kept_words = extend(f, vector, bits, 2 * count, exact[:count], is_signed)
        return [*exact[:count], compare(f, "ne", vector, 2 * count * f.word_bits, exact, kept_words)]
    x, y = ((sign_extended if is_signed else zero_extended)(f, bits, words, vector)[0] for words in (a, b))
    low = w.op("mul", x, y, vector)
    high = w.high_product(x, y, is_signed, vector)
    if is_signed:
        kept = sign_extended(f, bits, [low], vector)[0]
        wrong = w.compare("ne", high, w.op("ashr", kept, f.word_bits - 1, vector), vector)
    else:
        kept = zero_extended(f, bits, [low], vector)[0]
        wrong = w.compare("ne", high, 0, vector)
    if kept != low:
        wrong = w.bit_op("or", wrong, w.compare("ne", kept, low, vector), vector)
    return [low, wrong]


def _saturating(kind: str) -> LaneFunction:
    is_signed = kind[0] == "s"
    overflowing = with_overflow(kind)

    def compute(f: Legalizer, vector: bool, shape: Shape, a: Words, b: Words) -> Words:
        bits = shape.bits
        *made, over = overflowing(f, vector, shape, a, b)
        count = len(a)

        def number(value: int) -> Words:
            return [f.constant(value >> f.word_bits * word, vector) for word in range(count)]

        if not is_signed:
            return select_words(f, vector, over, number((1 << bits) - 1 if kind == "uadd" else 0), made)
        low, high = number(1 << (bits - 1)), number((1 << (bits - 1)) - 1)
        limit = select_words(f, vector, is_negative(f, vector, bits, a), low, high)
        return select_words(f, vector, over, limit, made)

    return compute


def _shift_saturating(is_signed: bool) -> LaneFunction:
    def compute(f: Legalizer, vector: bool, shape: Shape, a: Words, by: Words) -> Words:
        bits = shape.bits
        moved = shift(f, "shl", vector, bits, a, by)
        back = shift(f, "ashr" if is_signed else "lshr", vector, bits, moved, by)
        same = compare(f, "eq", vector, bits, back, a)

        def number(value: int) -> Words:
            return [f.constant(value >> f.word_bits * word, vector) for word in range(len(a))]

        limit = number((1 << bits) - 1)
        if is_signed:
            below = is_negative(f, vector, bits, a)
            limit = select_words(f, vector, below, number(1 << (bits - 1)), number((1 << (bits - 1)) - 1))
        return select_words(f, vector, same, moved, limit)

    return compute


INTEGER_FUNCTIONS: dict[str, LaneFunction] = {
    "smax": _choose("sgt"),
    "smin": _choose("slt"),
    "umax": _choose("ugt"),
    "umin": _choose("ult"),
    "abs": _absolute,
    "ctpop": count_bits,
    "ctlz": _leading_zeros,
    "cttz": _trailing_zeros,
    "bswap": _swap_bytes,
    "bitreverse": _reverse_bits,
    "fshl": _funnel(True),
    "fshr": _funnel(False),
    "sadd.sat": _saturating("sadd"),
    "ssub.sat": _saturating("ssub"),
    "uadd.sat": _saturating("uadd"),
    "usub.sat": _saturating("usub"),
    "sshl.sat": _shift_saturating(True),
    "ushl.sat": _shift_saturating(False),
}
