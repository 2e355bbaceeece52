"""Remainders of what is less than a few times the divisor -> differences that are taken where they do not wrap.

    %r = srem <8 x i32> %x, splat (i32 26)                        ; %x is from 0 to 51 where %r is wanted
    ->
    %less = sub <8 x i32> %x, splat (i32 26)
    %r = call <8 x i32> @llvm.umin.v8i32(<8 x i32> %x, <8 x i32> %less)

What a power of two divides where the quotient is wanted, as a remainder that was asked for says, is shifted.

Twice, first with double the divisor, where it is less than four times; in bytes or 16-bit numbers, where ``%x`` is one and made
of such. A quotient that is 0 or 1 is a comparison. What letters or digits are moved around by, or counters that turn over, are
such numbers; under the condition that tells a letter, often, and not elsewhere (:mod:`voltac.passes.facts.lane_ranges`).
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir.constants import integers
from voltac.ir.constants import written as constant
from voltac.ir.model import Function, Instruction, Module
from voltac.ir.types import element_of, lanes_of
from voltac.ir.uses import uses_of
from voltac.options import Options
from voltac.passes.facts.lane_ranges import WantedRanges
from voltac.system.lazy_patterns import lazy_pattern

_DIVIDED = lazy_pattern(r" = [us](?:div|rem) (?:exact )?<\d+ x i32> %[^\s,]+, splat \(i32 \d+\)")
_DIVISIONS = frozenset(("udiv", "sdiv", "urem", "srem"))
_LOW_BITS = frozenset(("add", "sub", "and", "or", "xor"))
_NARROW = (8, 16)
"""Bits of elements that processors compute with."""
_MOST_STEPS = 2
"""Comparisons of a remainder; a third costs as much as the multiplications that LLVM divides by."""


def subtract_for_remainders(module: Module, options: Options) -> None:
    """Rewrite the module."""
    for function in module.often_called:
        divisions = [
            made for made in function.instructions() if made.op in _DIVISIONS and _DIVIDED.search(made.text) is not None
        ]
        if divisions:
            _rewrite(module, function, divisions)


def _rewrite(module: Module, function: Function, divisions: list[Instruction]) -> None:
    wanted = WantedRanges(function.definitions(), uses_of(function))
    fresh = function.fresh_names()
    compared = {made.name: lines for made in divisions if (lines := _compared(made, wanted, fresh))}
    if compared:
        vectors = sorted({line.type for lines in compared.values() for line in lines if line.op == "call"})
        module.declare(f"declare {vector} {_least(vector)}({vector}, {vector})" for vector in vectors)
        for block in function.blocks:
            block.instructions = [line for made in block.instructions for line in compared.get(made.name, (made,))]


def _compared(made: Instruction, wanted: WantedRanges, fresh: Callable[[str], str]) -> list[Instruction]:
    """What gives the same in all lanes that are wanted; empty where that is no gain."""
    value, divisor = made.operands
    numbers = integers(divisor.type, divisor.value)
    ranges = wanted.where_wanted(made.name)
    low, high = ranges.range(value)
    by = numbers[0] if numbers else 0
    if made.op == "sdiv" and by > 1 and by & (by - 1) == 0 and ranges.is_multiple(value.value, by):
        shift = constant(made.type, (by.bit_length() - 1,) * lanes_of(made.type))
        return [Instruction(f"  {made.name} = ashr {made.type} {value.value}, {shift}")]
    steps = (high // by).bit_length() if by > 1 else 0
    is_quotient = made.op in ("udiv", "sdiv")
    if low < 0 or not 0 < steps <= (1 if is_quotient else _MOST_STEPS):
        return []
    lines, left, vector, lanes = list[Instruction](), value.value, made.type, lanes_of(made.type)
    for bits in _NARROW:
        if high < 1 << bits and wanted.is_made_of(value, bits, _LOW_BITS):
            left, vector = fresh("narrow"), f"<{lanes} x i{bits}>"
            lines.append(Instruction(f"  {left} = trunc {value.type} {value.value} to {vector}"))
            break
    if is_quotient:
        above = fresh("above")
        return [
            *lines,
            Instruction(f"  {above} = icmp uge {vector} {left}, {constant(vector, (by,) * lanes)}"),
            Instruction(f"  {made.name} = zext <{lanes} x i1> {above} to {made.type}"),
        ]
    for step in range(steps - 1, -1, -1):
        less, name = fresh("less"), made.name if step == 0 and vector == made.type else fresh("left")
        lines += [
            Instruction(f"  {less} = sub {vector} {left}, {constant(vector, (by << step,) * lanes)}"),
            Instruction(f"  {name} = call {vector} {_least(vector)}({vector} {left}, {vector} {less})"),
        ]
        left = name
    if left != made.name:
        lines.append(Instruction(f"  {made.name} = zext {vector} {left} to {made.type}"))
    return lines


def _least(vector: str) -> str:
    return f"@llvm.umin.v{lanes_of(vector)}{element_of(vector)}"
