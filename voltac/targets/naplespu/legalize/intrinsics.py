"""LLVM's intrinsics -> legal operations: rows by the name without its type suffixes.

    %m = call i32 @llvm.smax.i32(i32 %a, i32 %b)    ->    select (icmp sgt %a, %b), %a, %b
    %c = call i32 @llvm.ctpop.i32(i32 %a)           ->    sums of neighbouring fields

What works lane by lane is in ``ELEMENTWISE``; the rest, which sees the instruction, in ``WHOLE``.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from voltac.ir.model import Instruction
from voltac.ir.parts import Operand
from voltac.targets.naplespu.legalize import floats, lines, memory
from voltac.targets.naplespu.legalize.function import Legalizer, Words
from voltac.targets.naplespu.legalize.integers import (
    add,
    compare,
    is_negative,
    literal,
    multiply,
    negate,
    select_words,
    shift,
    sign_extended,
    subtract,
    zero_extended,
)
from voltac.targets.naplespu.legalize.routines import call_routine
from voltac.targets.naplespu.legalize.shapes import LANES, NotLegal, Shape, vector_of
from voltac.targets.naplespu.legalize.writer import constant

Elementwise = Callable[..., Words]
"""``(f, vector, shape of the first operand, words of each operand)``."""
Whole = Callable[[Legalizer, Instruction], None]


def _choose(predicate: str) -> Elementwise:
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
        sign = w.op("ashr", value, 31, vector)
        return [w.op("sub", w.op("xor", value, sign, vector), sign, vector)]
    return select_words(f, vector, is_negative(f, vector, shape.bits, a), negate(f, vector, a), a)


def _count_bits(f: Legalizer, vector: bool, shape: Shape, a: Words) -> Words:
    w = f.write
    if shape.bits == 1:
        return a
    total = ""
    for word in zero_extended(f, shape.bits, a, vector):
        pairs = w.op("sub", word, w.op("and", w.op("lshr", word, 1, vector), 0x55555555, vector), vector)
        low = w.op("and", pairs, 0x33333333, vector)
        fours = w.op("add", low, w.op("and", w.op("lshr", pairs, 2, vector), 0x33333333, vector), vector)
        bytes_ = w.op("and", w.op("add", fours, w.op("lshr", fours, 4, vector), vector), 0x0F0F0F0F, vector)
        count = w.op("lshr", w.op("mul", bytes_, 0x01010101, vector), 24, vector)
        total = w.op("add", total, count, vector) if total else count
    f.zero_above[total] = 8
    return [total, *[constant(0, vector)] * (len(a) - 1)]


def _leading_zeros(f: Legalizer, vector: bool, shape: Shape, a: Words, _: Words) -> Words:
    w = f.write
    if shape.bits == 1:
        return [w.mask_not(a[0], vector)]
    a = zero_extended(f, shape.bits, a, vector)
    count = ""
    for number, word in enumerate(a):
        zeros = w.count_zeros(word, False, vector)
        if count:
            below = w.op("add", count, 32, vector)
            count = w.select(w.compare("eq", word, 0, vector), below, zeros, "i32", vector)
        else:
            count = zeros
        if number == len(a) - 1 and shape.bits % 32:
            count = w.op("sub", count, 32 - shape.bits % 32, vector)
    f.zero_above[count] = 8
    return [count, *[constant(0, vector)] * (len(a) - 1)]


def _trailing_zeros(f: Legalizer, vector: bool, shape: Shape, a: Words, _: Words) -> Words:
    w = f.write
    if shape.bits == 1:
        return [w.mask_not(a[0], vector)]
    if shape.bits % 32:
        # A bit above the number ends the count.
        a = [*a[:-1], w.op("or", a[-1], 1 << shape.bits % 32, vector)]
    count = ""
    for word in reversed(a):
        zeros = w.count_zeros(word, True, vector)
        if count:
            count = w.select(
                w.compare("eq", word, 0, vector), w.op("add", count, 32, vector), zeros, "i32", vector
            )
        else:
            count = zeros
    f.zero_above[count] = 8
    return [count, *[constant(0, vector)] * (len(a) - 1)]


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
    rest = -shape.bits % 32
    return shift(f, "lshr", vector, 32 * len(words), words, [constant(rest, vector)] * len(words)) if rest else words


def _reverse_bits(f: Legalizer, vector: bool, shape: Shape, a: Words) -> Words:
    w = f.write
    made: Words = []
    for word in _swap_bytes(f, vector, Shape("i32", 0, 32 * len(a), len(a)), a):
        for places, mask in ((4, 0x0F0F0F0F), (2, 0x33333333), (1, 0x55555555)):
            up = w.op("shl", w.op("and", word, mask, vector), places, vector)
            word = w.op("or", up, w.op("and", w.op("lshr", word, places, vector), mask, vector), vector)
        made.append(word)
    return _from_top(f, vector, shape, made)


def _funnel(left: bool) -> Elementwise:
    def funnel(f: Legalizer, vector: bool, shape: Shape, high: Words, low: Words, by: Words) -> Words:
        w = f.write
        bits = shape.bits
        if bits & (bits - 1):
            raise NotLegal(f"a funnel shift of {bits} bits")
        zeros = [constant(0, vector)] * (len(by) - 1)
        by = [w.op("and", by[0], bits - 1, vector), *zeros]
        other = [w.op("xor", by[0], bits - 1, vector), *zeros]
        one = [constant(1, vector), *zeros]
        if left:
            part = shift(f, "lshr", vector, bits, shift(f, "lshr", vector, bits, low, one), other)
            main = shift(f, "shl", vector, bits, high, by)
        else:
            part = shift(f, "shl", vector, bits, shift(f, "shl", vector, bits, high, one), other)
            main = shift(f, "lshr", vector, bits, low, by)
        return [w.op("or", x, y, vector) for x, y in zip(main, part)]

    return funnel


def _with_overflow(kind: str) -> Elementwise:
    """The result's words, then the condition."""
    is_signed, operation = kind[0] == "s", kind[1:]

    def compute(f: Legalizer, vector: bool, shape: Shape, a: Words, b: Words) -> Words:
        w = f.write
        bits = shape.bits
        extend_ = sign_extended if is_signed else zero_extended
        if operation == "mul":
            return _product_overflow(f, vector, shape, a, b, is_signed)
        made = (add if operation == "add" else subtract)(f, vector, a, b)
        if bits % 32:
            a, b = extend_(f, bits, a, vector), extend_(f, bits, b, vector)
            exact = (add if operation == "add" else subtract)(f, vector, a, b)
            normal = extend_(f, bits, exact, vector)
            return [*made, compare(f, "ne", vector, 32 * len(a), exact, normal)]
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
    if bits > 32:
        raise NotLegal(f"the overflow of a product of {bits} bits")
    x, y = ((sign_extended if is_signed else zero_extended)(f, bits, words, vector)[0] for words in (a, b))
    low = w.op("mul", x, y, vector)
    high = w.high_product(x, y, is_signed, vector)
    if is_signed:
        kept = sign_extended(f, bits, [low], vector)[0]
        wrong = w.compare("ne", high, w.op("ashr", kept, 31, vector), vector)
    else:
        kept = zero_extended(f, bits, [low], vector)[0]
        wrong = w.compare("ne", high, 0, vector)
    if kept != low:
        wrong = w.bit_op("or", wrong, w.compare("ne", kept, low, vector), vector)
    return [low, wrong]


def _saturating(kind: str) -> Elementwise:
    is_signed = kind[0] == "s"
    overflowing = _with_overflow(kind)

    def compute(f: Legalizer, vector: bool, shape: Shape, a: Words, b: Words) -> Words:
        bits = shape.bits
        *made, over = overflowing(f, vector, shape, a, b)
        count = len(a)

        def number(value: int) -> Words:
            return [constant(value >> 32 * word, vector) for word in range(count)]

        if not is_signed:
            return select_words(f, vector, over, number((1 << bits) - 1 if kind == "uadd" else 0), made)
        low, high = number(1 << (bits - 1)), number((1 << (bits - 1)) - 1)
        limit = select_words(f, vector, is_negative(f, vector, bits, a), low, high)
        return select_words(f, vector, over, limit, made)

    return compute


def _shift_saturating(is_signed: bool) -> Elementwise:
    def compute(f: Legalizer, vector: bool, shape: Shape, a: Words, by: Words) -> Words:
        bits = shape.bits
        moved = shift(f, "shl", vector, bits, a, by)
        back = shift(f, "ashr" if is_signed else "lshr", vector, bits, moved, by)
        same = compare(f, "eq", vector, bits, back, a)

        def number(value: int) -> Words:
            return [constant(value >> 32 * word, vector) for word in range(len(a))]

        limit = number((1 << bits) - 1)
        if is_signed:
            below = is_negative(f, vector, bits, a)
            limit = select_words(f, vector, below, number(1 << (bits - 1)), number((1 << (bits - 1)) - 1))
        return select_words(f, vector, same, moved, limit)

    return compute


def _on_float(compute: Callable[..., str]) -> Elementwise:
    """A function of floats, for halves too."""

    def convert(f: Legalizer, vector: bool, shape: Shape, *operands: Words) -> Words:
        if shape.element == "half":
            values = [floats.from_half(f, vector, words[0]) for words in operands]
            return [floats.to_half(f, vector, compute(f, vector, *values))]
        return [compute(f, vector, *(words[0] for words in operands))]

    return convert


def _sign_bit(shape: Shape) -> int:
    return 0x8000 if shape.element == "half" else 0x80000000


def _float_absolute(f: Legalizer, vector: bool, shape: Shape, a: Words) -> Words:
    w = f.write
    if shape.element == "half":
        return [w.op("and", a[0], 0x7FFF, vector)]
    return [w.float_of(floats.magnitude(f, vector, w.bits_of(a[0], vector)), vector)]


def _copy_sign(f: Legalizer, vector: bool, shape: Shape, a: Words, b: Words) -> Words:
    w = f.write
    sign = _sign_bit(shape)
    half = shape.element == "half"
    x, y = (words[0] if half else w.bits_of(words[0], vector) for words in (a, b))
    made = w.op("or", w.op("and", x, sign - 1, vector), w.op("and", y, sign, vector), vector)
    return [made if half else w.float_of(made, vector)]


def _fused(f: Legalizer, vector: bool, a: str, b: str, c: str) -> str:
    return call_routine(f, "fused", vector, [a, b, c])[0]


def _product_sum(f: Legalizer, vector: bool, a: str, b: str, c: str) -> str:
    return f.write.float_op("fadd", f.write.float_op("fmul", a, b, vector), c, vector)


def _rounding(way: str) -> Elementwise:
    return _on_float(lambda f, vector, a: floats.rounded(f, vector, way, a))


def _extreme(least: bool, number_wins: bool) -> Elementwise:
    return _on_float(lambda f, vector, a, b: floats.least_or_greatest(f, vector, a, b, least, number_wins))


def _three_way(is_signed: bool) -> Whole:
    def compute(f: Legalizer, instruction: Instruction) -> None:
        shape, target = f.shapes.of(instruction.operands[0].type), f.shapes.of(instruction.type)
        letter = "s" if is_signed else "u"

        def one(vector: bool, a: Words, b: Words) -> Words:
            w = f.write
            more = w.to_int(compare(f, f"{letter}gt", vector, shape.bits, a, b), vector)
            less = w.to_int(compare(f, f"{letter}lt", vector, shape.bits, a, b), vector)
            word = w.op("sub", more, less, vector)
            f.sign_from[word] = 2
            return [word, *[w.op("ashr", word, 31, vector)] * (target.words - 1)]

        f.elementwise(instruction, one)

    return compute


ELEMENTWISE: dict[str, Elementwise] = {
    "smax": _choose("sgt"),
    "smin": _choose("slt"),
    "umax": _choose("ugt"),
    "umin": _choose("ult"),
    "abs": _absolute,
    "ctpop": _count_bits,
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
    "fabs": _float_absolute,
    "copysign": _copy_sign,
    "sqrt": _on_float(floats.square_root),
    "fma": _on_float(_fused),
    "fmuladd": _on_float(_product_sum),
    "floor": _rounding("floor"),
    "ceil": _rounding("ceil"),
    "trunc": _rounding("trunc"),
    "round": _rounding("round"),
    "roundeven": _rounding("roundeven"),
    "rint": _rounding("roundeven"),
    "nearbyint": _rounding("roundeven"),
    "minnum": _extreme(True, True),
    "maxnum": _extreme(False, True),
    "minimumnum": _extreme(True, True),
    "maximumnum": _extreme(False, True),
    "minimum": _extreme(True, False),
    "maximum": _extreme(False, False),
    "canonicalize": lambda f, vector, shape, a: a,
}


# --- those that see the instruction


def _overflow(kind: str) -> Whole:
    """The result is a struct: the numbers of all chunks, then their conditions."""
    compute = _with_overflow(kind)

    def whole(f: Legalizer, instruction: Instruction) -> None:
        first, second = instruction.operands
        shape = f.shapes.of(first.type)
        words: Words = []
        tests: Words = []
        for vector, a, b in zip(shape.chunks, f.columns(first), f.columns(second)):
            *made, test = compute(f, vector, shape, a, b)
            words += made
            tests.append(test)
        f.define(instruction, words + tests)

    return whole


def _to_integer_saturating(is_signed: bool) -> Whole:
    def whole(f: Legalizer, instruction: Instruction) -> None:
        bits = f.shapes.of(instruction.type).bits

        def one(vector: bool, a: Words) -> Words:
            w = f.write
            count = (bits + 31) // 32

            def number(value: int) -> Words:
                return [constant(value >> 32 * word, vector) for word in range(count)]

            limit = float(1 << (bits - is_signed))
            low = -limit if is_signed else 0.0
            texts = [f"splat (float {each!r})" if vector else repr(each) for each in (limit, low)]
            found = floats.to_integer(f, vector, bits, a[0], is_signed)
            over = floats.compare(f, "oge", vector, a[0], texts[0])
            under = floats.compare(f, "olt", vector, a[0], texts[1])
            nan = floats.is_nan(f, vector, w.bits_of(a[0], vector))
            found = select_words(f, vector, over, number((1 << (bits - is_signed)) - 1), found)
            found = select_words(f, vector, under, number(1 << (bits - 1) if is_signed else 0), found)
            return select_words(f, vector, nan, number(0), found)

        f.elementwise(instruction, one)

    return whole


def _class_test(f: Legalizer, instruction: Instruction) -> None:
    """``llvm.is.fpclass``: each class is an interval of bit patterns."""
    value, classes = instruction.operands
    wanted = int(classes.value)
    intervals = [
        (0x7F800001, 0x7FBFFFFF), (0x7FC00000, 0x7FFFFFFF), (0xFF800000, 0xFF800000), (0x80800000, 0xFF7FFFFF),
        (0x80000001, 0x807FFFFF), (0x80000000, 0x80000000), (0, 0), (1, 0x007FFFFF), (0x00800000, 0x7F7FFFFF),
        (0x7F800000, 0x7F800000),
    ]  # fmt: skip
    made: Words = []
    for vector, words in zip(f.shapes.of(value.type).chunks, f.columns(value)):
        bits = f.write.bits_of(words[0], vector)
        chosen = [interval for number, interval in enumerate(intervals) if wanted >> number & 1]
        if wanted & 3:
            # Not-a-numbers of both signs.
            chosen += [(low | 0x80000000, high | 0x80000000) for low, high in intervals[:2] if (low, high) in chosen]
        made.append(floats._in_intervals(f, vector, bits, chosen))
    f.define(instruction, made)


def _reduced(combine: Callable[[Legalizer, bool, Shape, Words, Words], Words]) -> Whole:
    """All lanes into one: halves of the lanes until one is left."""

    def whole(f: Legalizer, instruction: Instruction) -> None:
        operand = instruction.operands[-1]
        shape, columns = f.shapes.of(operand.type), f.columns(operand)
        result: Words = []
        vectors = [words for vector, words in zip(shape.chunks, columns) if vector]
        scalars = [words for vector, words in zip(shape.chunks, columns) if not vector]
        if vectors:
            total = vectors[0]
            for words in vectors[1:]:
                total = combine(f, True, shape, total, words)
            for distance in (8, 4, 2, 1):
                turned = [_turned(f, shape, word, distance) for word in total]
                total = combine(f, True, shape, total, turned)
            from voltac.targets.naplespu.legalize.lanes import element

            result = element(f, Shape(shape.element, LANES, shape.bits, shape.words), [total], 0)
        for words in scalars:
            result = combine(f, False, shape, result, words) if result else words
        if len(instruction.operands) == 2:
            result = combine(f, False, shape, f.words(instruction.operands[0]), result)
        f.define(instruction, result)

    return whole


def _turned(f: Legalizer, shape: Shape, word: str, distance: int) -> str:
    type = vector_of(shape.kind(True), True)
    indices = ", ".join(f"i32 {(lane + distance) % LANES}" for lane in range(LANES))
    return f.write.value(f"shufflevector {type} {word}, {type} poison, <{LANES} x i32> <{indices}>")


def _reduced_in_order(operation: str) -> Whole:
    """``vector.reduce.fadd``: the start value, then lane by lane; in any order where that is allowed."""

    def combine(f: Legalizer, vector: bool, shape: Shape, a: Words, b: Words) -> Words:
        return [f.write.float_op(operation, a[0], b[0], vector)]

    in_halves = _reduced(combine)

    def whole(f: Legalizer, instruction: Instruction) -> None:
        flags = instruction.parts.flags
        if "reassoc" in flags or "fast" in flags:
            in_halves(f, instruction)
            return
        from voltac.targets.naplespu.legalize.lanes import element

        start, vector = instruction.operands
        shape, columns = f.shapes.of(vector.type), f.columns(vector)
        total = f.words(start)
        for lane in range(shape.lanes):
            total = combine(f, False, shape, total, element(f, shape, columns, lane))
        f.define(instruction, total)

    return whole


def _reduced_conditions(f: Legalizer, instruction: Instruction) -> bool:
    """Reductions of masks are questions about their bits."""
    operand = instruction.operands[-1]
    shape = f.shapes.of(operand.type)
    if shape.element != "i1":
        return False
    w = f.write
    operation = instruction.parts.callee.split(".")[3]
    meaning = {"umax": "or", "smin": "or", "mul": "and", "umin": "and", "smax": "and", "add": "xor"}.get(operation, operation)
    result = ""
    for vector, word in zip(shape.chunks, f.words(operand)):
        if vector:
            bits = w.bitmap(word)
            if meaning == "xor":
                count = _count_bits(f, False, Shape("i32", 0, 32, 1), [bits])[0]
                test = w.compare("ne", w.op("and", count, 1), 0)
            else:
                test = w.compare("ne" if meaning == "or" else "eq", bits, 0 if meaning == "or" else 0xFFFF)
        else:
            test = word
        result = w.bit_op(meaning, result, test, False) if result else test
    f.define(instruction, [result])
    return True


def _plain(operation: str) -> Callable[[Legalizer, bool, Shape, Words, Words], Words]:
    def combine(f: Legalizer, vector: bool, shape: Shape, a: Words, b: Words) -> Words:
        if operation in ("and", "or", "xor"):
            return [f.write.op(operation, x, y, vector) for x, y in zip(a, b)]
        return {"add": add, "mul": multiply}[operation](f, vector, a, b)

    return combine


REDUCTIONS: dict[str, Whole] = {
    **{name: _reduced(_plain(name)) for name in ("add", "mul", "and", "or", "xor")},
    **{name: _reduced(ELEMENTWISE[name]) for name in ("smax", "smin", "umax", "umin")},
    "fmax": _reduced(ELEMENTWISE["maxnum"]),
    "fmin": _reduced(ELEMENTWISE["minnum"]),
    "fmaximum": _reduced(ELEMENTWISE["maximum"]),
    "fminimum": _reduced(ELEMENTWISE["minimum"]),
    "fadd": _reduced_in_order("fadd"),
    "fmul": _reduced_in_order("fmul"),
}


def _pointer_alignment(instruction: Instruction, default: int) -> int:
    found = re.search(r"align (\d+)", instruction.text)
    return int(found[1]) if found else default


def _masked_load(f: Legalizer, instruction: Instruction) -> None:
    pointer, mask, otherwise = instruction.operands
    if pointer.type != "ptr":
        from voltac.targets.naplespu.legalize.scratchpad import masked_load_from_scratchpad

        f.define(instruction, masked_load_from_scratchpad(f, instruction))
        return
    shape = f.shapes.of(instruction.type)
    alignment = _pointer_alignment(instruction, 1)
    base = f.words(pointer)[0]
    made: Words = []
    at = 0
    for vector, on, other in zip(shape.chunks, f.words(mask), f.columns(otherwise)):
        place, known = f.write.near(base, at), memory.at_offset(alignment, at)
        if vector:
            made += lines.load_masked(f, shape, place, known, on, other)
        else:
            made += _load_one(f, shape, place, known, on, other)
        at += memory.bytes_of(shape) * (LANES if vector else 1)
    f.define(instruction, made)


def _load_one(f: Legalizer, shape: Shape, place: str, alignment: int, on: str, other: Words) -> Words:
    w = f.write
    safe = w.choose(on, place, w.nowhere(), "ptr")
    loaded = memory.load_scalar(f, shape, safe, alignment)
    return [w.choose(on, x, y, shape.kind(False)) for x, y in zip(loaded, other)]


def _masked_store(f: Legalizer, instruction: Instruction) -> None:
    value, pointer, mask = instruction.operands
    if pointer.type != "ptr":
        from voltac.targets.naplespu.legalize.scratchpad import masked_store_to_scratchpad

        masked_store_to_scratchpad(f, instruction)
        return
    shape = f.shapes.of(value.type)
    alignment = _pointer_alignment(instruction, 1)
    base = f.words(pointer)[0]
    at = 0
    for vector, on, words in zip(shape.chunks, f.words(mask), f.columns(value)):
        place, known = f.write.near(base, at), memory.at_offset(alignment, at)
        if vector:
            lines.store_masked(f, shape, words, place, known, on)
        else:
            memory.store_scalar(f, shape, words, f.write.choose(on, place, f.write.discard(), "ptr"), known)
        at += memory.bytes_of(shape) * (LANES if vector else 1)


def _gather(f: Legalizer, instruction: Instruction) -> None:
    pointers, mask, otherwise = instruction.operands
    shape = f.shapes.of(instruction.type)
    alignment = _pointer_alignment(instruction, 1)
    made: Words = []
    for vector, addresses, on, other in zip(shape.chunks, f.words(pointers), f.words(mask), f.columns(otherwise)):
        if vector:
            made += lines.gather(f, shape, addresses, alignment, on, other)
        else:
            made += _load_one(f, shape, addresses, alignment, on, other)
    f.define(instruction, made)


def _scatter(f: Legalizer, instruction: Instruction) -> None:
    value, pointers, mask = instruction.operands
    shape = f.shapes.of(value.type)
    alignment = _pointer_alignment(instruction, 1)
    for vector, words, addresses, on in zip(shape.chunks, f.columns(value), f.words(pointers), f.words(mask)):
        if vector:
            lines.scatter(f, shape, words, addresses, alignment, on)
        else:
            memory.store_scalar(f, shape, words, f.write.choose(on, addresses, f.write.discard(), "ptr"), alignment)


_MOST_COPIED = 128


def _copy(f: Legalizer, instruction: Instruction) -> None:
    target, source, size = (f.words(operand)[0] for operand in instruction.operands[:3])
    known = literal(size)
    alignments = re.findall(r"ptr[^,%@]*?align (\d+)", instruction.text)
    alignment = min(map(int, alignments)) if len(alignments) == 2 else 1
    if known is not None and known <= _MOST_COPIED and (alignment >= 4 or known <= 16):
        # All is read before anything is written: it may overlap.
        pieces = []
        at = 0
        while at < known:
            count = next(count for count in (4, 2, 1) if count <= known - at and count <= alignment)
            shape = Shape(f"i{8 * count}", 0, 8 * count, 1)
            pieces.append((shape, memory.load_scalar(f, shape, f.write.near(source, at), count), at, count))
            at += count
        for shape, words, place, count in pieces:
            memory.store_scalar(f, shape, words, f.write.near(target, place), count)
        return
    call_routine(f, "copy", False, [target, source, size])


def _fill(f: Legalizer, instruction: Instruction) -> None:
    target, byte, size = (f.words(operand)[0] for operand in instruction.operands[:3])
    known, value = literal(size), literal(byte)
    alignment = _pointer_alignment(instruction, 1)
    if known is not None and value is not None and known <= _MOST_COPIED and (alignment >= 4 or known <= 16):
        at = 0
        while at < known:
            count = next(count for count in (4, 2, 1) if count <= known - at and count <= alignment)
            number = constant((value & 0xFF) * 0x01010101 & ((1 << 8 * count) - 1), False)
            memory.store_scalar(f, Shape(f"i{8 * count}", 0, 8 * count, 1), [number], f.write.near(target, at), count)
            at += count
        return
    call_routine(f, "fill", False, [target, byte, size])


def _nothing(f: Legalizer, instruction: Instruction) -> None:
    """Hints and marks."""


def _first_operand(f: Legalizer, instruction: Instruction) -> None:
    f.define(instruction, f.words(instruction.operands[0]))


def _trap(f: Legalizer, instruction: Instruction) -> None:
    f.write.call("void @npu.trap()")


def _cycles(f: Legalizer, instruction: Instruction) -> None:
    """The high half is read on both sides of the low one until it is the same."""
    w = f.write
    again, done = w.new_label("cycles"), w.new_label("cycles.read")
    w.jump(again)
    w.start(again)
    high = w.call("i32 @npu.read_control(i32)", "5")
    low = w.call("i32 @npu.read_control(i32)", "4")
    check = w.call("i32 @npu.read_control(i32)", "5")
    w.branch(w.compare("eq", high, check), done, again)
    w.start(done)
    f.define(instruction, [low, high])


def _compress(f: Legalizer, instruction: Instruction) -> None:
    """``llvm.experimental.vector.compress``: active lanes move to the front, by stores to the stack."""
    value, mask, otherwise = instruction.operands
    shape = f.shapes.of(value.type)
    if shape.chunks != [True] or shape.element in ("i1",):
        raise NotLegal("a compression of other than 16 numbers")
    w = f.write
    on = f.words(mask)[0]
    bits = w.bitmap(on)
    made: Words = []
    for number, (word, other) in enumerate(zip(f.words(value), f.words(otherwise))):
        kind = shape.kind(True)
        place = w.stage(number)
        if other != "poison":
            w.emit(f"store {vector_of(kind, True)} {other}, ptr {place}, align 64")
        at = "0"
        for lane in range(LANES):
            address = w.value(f"getelementptr i8, ptr {place}, i32 {at}")
            bit = w.op("and", w.op("lshr", bits, lane), 1)
            safe = w.choose(w.compare("ne", bit, 0), address, w.discard(), "ptr")
            w.emit(f"store {kind} {w.lane(word, lane, kind)}, ptr {safe}, align 4")
            at = w.op("add", at, w.op("shl", bit, 2))
        made.append(w.value(f"load {vector_of(kind, True)}, ptr {place}, align 64"))
    f.define(instruction, made)


def _subvector(f: Legalizer, instruction: Instruction) -> None:
    """``llvm.vector.extract``."""
    from voltac.targets.naplespu.legalize.lanes import shuffled

    operand, start = instruction.operands
    shape, target = f.shapes.of(operand.type), f.shapes.of(instruction.type)
    first = int(start.value)
    sources = [shape.place(first + lane) for lane in range(target.lanes)]
    f.define(instruction, shuffled(f, shape, target, f.columns(operand), sources))


WHOLE: dict[str, Whole] = {
    **{f"{kind}.with.overflow": _overflow(kind) for kind in ("sadd", "uadd", "ssub", "usub", "smul", "umul")},
    "fptosi.sat": _to_integer_saturating(True),
    "fptoui.sat": _to_integer_saturating(False),
    "is.fpclass": _class_test,
    "scmp": _three_way(True),
    "ucmp": _three_way(False),
    "masked.load": _masked_load,
    "masked.store": _masked_store,
    "masked.gather": _gather,
    "masked.scatter": _scatter,
    "memcpy": _copy,
    "memmove": _copy,
    "memcpy.inline": _copy,
    "memset": _fill,
    "memset.inline": _fill,
    "readcyclecounter": _cycles,
    "experimental.vector.compress": _compress,
    "vector.extract": _subvector,
    "expect": _first_operand,
    "expect.with.probability": _first_operand,
    "ssa.copy": _first_operand,
    "launder.invariant.group": _first_operand,
    "trap": _trap,
    "debugtrap": _trap,
    **dict.fromkeys(
        (
            *("assume", "lifetime.start", "lifetime.end", "sideeffect", "prefetch", "donothing"),
            *("experimental.noalias.scope.decl", "dbg.value", "dbg.declare", "pseudoprobe", "invariant.start"),
        ),
        _nothing,
    ),
}

_TYPE_SUFFIX = re.compile(r"(?:\.(?:v\d+)?(?:i\d+|f\d+|bf16|p\d+))+$")


def legalize_intrinsic(f: Legalizer, instruction: Instruction) -> None:
    name = _TYPE_SUFFIX.sub("", instruction.parts.callee.removeprefix("@llvm."))
    if name.startswith("vector.reduce."):
        if not _reduced_conditions(f, instruction):
            REDUCTIONS[name.removeprefix("vector.reduce.")](f, instruction)
        return
    whole = WHOLE.get(name)
    if whole is not None:
        whole(f, instruction)
        return
    elementwise = ELEMENTWISE.get(name)
    if elementwise is None:
        raise NotLegal(f"the operation {instruction.parts.callee}")
    _lane_by_lane(f, instruction, elementwise)


def _lane_by_lane(f: Legalizer, instruction: Instruction, compute: Elementwise) -> None:
    """Operands that are the same for all lanes, such as the ``i1`` of ``abs``, are given as they are."""
    operands = instruction.operands
    shape = f.shapes.of(operands[0].type)
    columns = [_columns(f, operand, shape) for operand in operands]
    made = [compute(f, vector, shape, *(column[n] for column in columns)) for n, vector in enumerate(shape.chunks)]
    f.define(instruction, [word for words in made for word in words])


def _columns(f: Legalizer, operand: Operand, shape: Shape) -> list[Words]:
    if shape.lanes and not f.shapes.of(operand.type).lanes:
        return [f.words(operand)] * len(shape.chunks)
    return f.columns(operand)
