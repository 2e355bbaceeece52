"""Divisions of integers -> shifts for powers of two, else the machine's sequences (IA-64 13).

%q = sdiv i32 %a, 8      ->    ashr (a + (a >> 63 & 7)), 3
%r = urem i64 %a, %b     ->    q = call i64 @ia64.udiv(a, b); a - q * b
"""

from __future__ import annotations

from voltac.codegen.legalize.function import Legalizer, Rule, Words
from voltac.codegen.legalize.integers import sign_extended, zero_extended
from voltac.codegen.legalize.shapes import NotLegal
from voltac.ir.model import Instruction

_SHORT = 32
"""Bits of numbers for which the short sequence is exact."""


def _power_of_two(f: Legalizer, word: str) -> int | None:
    number = f.literal(word)
    return number.bit_length() - 1 if number and not number & (number - 1) and number >> 63 == 0 else None


def _quotient(f: Legalizer, bits: int, is_signed: bool, a: str, b: str) -> str:
    w = f.write
    places = _power_of_two(f, b)
    if places is not None:
        if not is_signed:
            return w.op("lshr", a, places)
        missing = w.op("lshr", w.op("ashr", a, 63), 64 - places) if places else "0"
        return w.op("ashr", w.op("add", a, missing), places)
    letter, size = "s" if is_signed else "u", "4" if bits <= _SHORT else ""
    return w.call(f"i64 @ia64.{letter}div{size}(i64, i64)", a, b)


def _divide(f: Legalizer, instruction: Instruction) -> None:
    operation = instruction.op
    bits = f.shapes.of(instruction.operands[0].type).bits
    if bits > f.word_bits:
        raise NotLegal(f"a division of {bits} bits")
    is_signed, is_remainder = operation[0] == "s", operation.endswith("rem")
    extended = sign_extended if is_signed else zero_extended

    def compute(vector: bool, a: Words, b: Words) -> Words:
        if bits == 1:
            # By one: nothing else divides.
            return ["false" if is_remainder else a[0]]
        (x,), (y,) = extended(f, bits, a, vector), extended(f, bits, b, vector)
        quotient = _quotient(f, bits, is_signed, x, y)
        if not is_remainder:
            return [quotient]
        return [f.write.op("sub", x, f.write.op("mul", quotient, y))]

    f.elementwise(instruction, compute)


RULES: dict[str, Rule] = dict.fromkeys(("sdiv", "udiv", "srem", "urem"), _divide)
