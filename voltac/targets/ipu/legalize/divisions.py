"""Words divided by small constants: one product where the number is small enough for it, else the shared way (IPU 4.6).

    %q = udiv i32 %n, 6    ->    %n <u 98304 ? (%n * 0xAAAB) >> 18 : the quotient by the upper half of a product

There is no instruction for the upper half of a product: it takes a dozen.
"""

from __future__ import annotations

from voltac.codegen.legalize.division import RULES as SHARED
from voltac.codegen.legalize.function import Legalizer, Rule, Words
from voltac.codegen.legalize.integers import literal
from voltac.ir.model import Instruction

_LARGEST = 1 << 8
"""Divisors beyond this leave few numbers for which the short product is right. Chosen."""


def inverse_of(divisor: int) -> tuple[int, int, int]:
    """A factor of at most 17 bits, a shift, and the number below which ``n * factor >> shift`` is ``n // divisor``.

    The product must fit a word, and the factor's excess over ``2^shift / divisor``, times n, stay below one part of it
    (Granlund and Montgomery, "Division by Invariant Integers", 1994).
    """
    shift = 15 + divisor.bit_length()
    factor = -(-(1 << shift) // divisor)
    excess = factor * divisor - (1 << shift)
    bound = ((1 << 32) - 1) // factor + 1
    return factor, shift, min(bound, -(-(1 << shift) // excess)) if excess else bound


def _divide(f: Legalizer, instruction: Instruction) -> None:
    shape = f.shapes.of(instruction.type)
    divisor = literal(f.words(instruction.operands[1])[0]) if shape.bits == 32 and not shape.lanes else None
    if divisor is None or not 2 < divisor <= _LARGEST or divisor & (divisor - 1) == 0:
        SHARED[instruction.op](f, instruction)
        return
    w = f.write
    (number,) = f.words(instruction.operands[0])
    factor, shift, bound = inverse_of(divisor)
    short, long, done = (w.new_label(f"divide.{part}") for part in ("short", "long", "done"))
    w.branch(w.compare("ult", number, bound), short, long)
    w.start(short)
    near = w.op("lshr", w.op("mul", number, factor), shift)
    w.jump(done)
    w.start(long)
    SHARED["udiv"](f, Instruction(instruction.text.replace("urem", "udiv", 1)))
    far, end = f.values[instruction.name][0], w.label
    w.jump(done)
    w.start(done)
    quotient = w.value(f"phi i32 [ {near}, %{short} ], [ {far}, %{end} ]")
    made: Words = [quotient]
    if instruction.op == "urem":
        made = [w.op("sub", number, w.op("mul", quotient, divisor))]
    f.define(instruction, made)


RULES: dict[str, Rule] = {"udiv": _divide, "urem": _divide}
