"""Integer division and remainder, for machines without -> products and shifts, and routines.

%q = udiv i32 %a, 7          ->    mulhu and shifts (Granlund and Montgomery, "Division by Invariant Integers", 1994)
%q = udiv i32 %a, %b         ->    the machine's own way, if it has one; else call @divide_words (``routines.py``)
%q = udiv i64 %a, %b         ->    call @divide
"""

from __future__ import annotations

from voltac.codegen.legalize.function import Legalizer, Rule, Words
from voltac.codegen.legalize.integers import (
    bits_of,
    is_negative,
    literal,
    negate,
    select_words,
    sign_extended,
    zero_extended,
)
from voltac.codegen.legalize.routines import call_routine
from voltac.codegen.legalize.shapes import NotLegal
from voltac.codegen.legalize.writer import constant
from voltac.ir.model import Instruction


def _legalize_division(f: Legalizer, instruction: Instruction) -> None:
    is_signed, wants_rest = instruction.op[0] == "s", instruction.op.endswith("rem")
    bits = bits_of(f, instruction.operands[0])

    def compute(vector: bool, a: Words, b: Words) -> Words:
        if bits == 1:
            return ["zeroinitializer" if vector else "false"] if wants_rest else a
        if bits > 64:
            raise NotLegal(f"a division of {bits} bits")
        extend = sign_extended if is_signed else zero_extended
        a, b = extend(f, bits, a, vector), extend(f, bits, b, vector)
        if len(a) == 2:
            return _divide_pairs(f, vector, a, b, is_signed, wants_rest)
        return [_divide(f, vector, bits, a[0], b[0], is_signed, wants_rest)]

    f.elementwise(instruction, compute)


def _divide(f: Legalizer, vector: bool, bits: int, a: str, b: str, is_signed: bool, wants_rest: bool) -> str:
    w = f.write
    known = literal(b)
    if known is not None and known != 0:
        quotient = (_by_signed_constant if is_signed else _by_constant)(f, vector, a, known)
        return w.op("sub", a, w.op("mul", quotient, b, vector), vector) if wants_rest else quotient
    small = f.machine.divide_small and f.machine.divide_small(f, vector, bits, a, b, is_signed)
    if small:
        return w.op("sub", a, w.op("mul", small, b, vector), vector) if wants_rest else small
    if is_signed:
        return _signed(f, vector, a, b, wants_rest)
    return _unsigned(f, vector, a, b, wants_rest)


# --- by constants


def _by_constant(f: Legalizer, vector: bool, a: str, divisor: int) -> str:
    w = f.write
    if divisor & (divisor - 1) == 0:
        return w.op("lshr", a, divisor.bit_length() - 1, vector) if divisor > 1 else a
    if divisor >> 31:
        return w.to_int(w.compare("uge", a, divisor, vector), vector)
    twos = (divisor & -divisor).bit_length() - 1
    limit = f.zero_above.get(a, 32)
    for shift in range(32):
        inverse = -(-(1 << (32 + shift)) // divisor)
        # The product is too large by (inverse * divisor - 2^(32 + shift)) / divisor * a, which must stay below one part.
        if inverse < 1 << 32 and (inverse * divisor - (1 << (32 + shift))) << limit <= 1 << (32 + shift):
            return _shifted(f, vector, w.high_product(a, constant(inverse, vector), False, vector), shift)
    if twos:
        part = w.op("lshr", a, twos, vector)
        f.zero_above[part] = min(limit, 32) - twos
        return _by_constant(f, vector, part, divisor >> twos)
    shift = divisor.bit_length()
    inverse = -(-(1 << (32 + shift)) // divisor) - (1 << 32)
    high = w.high_product(a, constant(inverse, vector), False, vector)
    half = w.op("lshr", w.op("sub", a, high, vector), 1, vector)
    return _shifted(f, vector, w.op("add", half, high, vector), shift - 1)


def _shifted(f: Legalizer, vector: bool, a: str, by: int, operation: str = "lshr") -> str:
    return f.write.op(operation, a, by, vector) if by else a


def _by_signed_constant(f: Legalizer, vector: bool, a: str, divisor: int) -> str:
    w = f.write
    negative = divisor >> 31 == 1
    size = (1 << 32) - divisor if negative else divisor
    if size == 1:
        quotient = a
    elif size & (size - 1) == 0:
        places = size.bit_length() - 1
        sign = w.op("ashr", a, 31, vector)
        rounded = w.op("add", a, w.op("lshr", sign, 32 - places, vector), vector)
        quotient = w.op("ashr", rounded, places, vector)
    else:
        shift = 0
        while True:
            inverse = (1 << (32 + shift)) // size + 1
            if inverse * size - (1 << (32 + shift)) <= 1 << (shift + 1):
                break
            shift += 1
        quotient = w.high_product(a, constant(inverse, vector), True, vector)
        if inverse >> 31:
            quotient = w.op("add", quotient, a, vector)
        quotient = _shifted(f, vector, quotient, shift, "ashr")
        quotient = w.op("add", quotient, w.op("lshr", a, 31, vector), vector)
    return w.op("sub", constant(0, vector), quotient, vector) if negative else quotient


# --- by numbers


def _unsigned(f: Legalizer, vector: bool, a: str, b: str, wants_rest: bool) -> str:
    """Of any two words."""
    quotient, rest = (f.machine.divide or _by_routine)(f, vector, a, b)
    return rest if wants_rest else quotient


def _by_routine(f: Legalizer, vector: bool, a: str, b: str) -> tuple[str, str]:
    quotient, rest = call_routine(f, "divide_words", vector, [a, b])
    return quotient, rest


def _signed(f: Legalizer, vector: bool, a: str, b: str, wants_rest: bool) -> str:
    w = f.write
    signs = [w.op("ashr", word, 31, vector) for word in (a, b)]
    sizes = [w.op("sub", w.op("xor", word, sign, vector), sign, vector) for word, sign in zip((a, b), signs)]
    result = _unsigned(f, vector, sizes[0], sizes[1], wants_rest)
    sign = signs[0] if wants_rest else w.op("xor", signs[0], signs[1], vector)
    return w.op("sub", w.op("xor", result, sign, vector), sign, vector)


def _divide_pairs(f: Legalizer, vector: bool, a: Words, b: Words, is_signed: bool, wants_rest: bool) -> Words:
    if not is_signed:
        return call_routine(f, "divide", vector, [*a, *b])[2 * wants_rest :][:2]
    w = f.write
    below = [is_negative(f, vector, 64, words) for words in (a, b)]
    sizes = [select_words(f, vector, test, negate(f, vector, words), words) for test, words in zip(below, (a, b))]
    result = call_routine(f, "divide", vector, [*sizes[0], *sizes[1]])[2 * wants_rest :][:2]
    negative = below[0] if wants_rest else w.bit_op("xor", below[0], below[1], vector)
    return select_words(f, vector, negative, negate(f, vector, result), result)


RULES: dict[str, Rule] = {
    "udiv": _legalize_division,
    "urem": _legalize_division,
    "sdiv": _legalize_division,
    "srem": _legalize_division,
}
