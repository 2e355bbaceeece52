"""legal IR -> legal IR: the low bits of a number that a loop moves on by a multiple of a power of two are found before it.

::

    loop:                                               %m = and i32 %a, 63
      %p = phi i32 [ %a, %before ], [ %n, %loop ]     loop:
      %m = and i32 %p, 63                        ->     %p = phi i32 [ %a, %before ], [ %n, %loop ]
      %n = add i32 %p, 128                              %n = add i32 %p, 128

Where a vector lies in its line is the same for all turns of most loops, and so are the
lanes that shuffles take from one line or the other (``legalize/lines.py``).
"""

from __future__ import annotations

from voltac.ir.cfg import control_flow
from voltac.ir.model import Instruction, Module
from voltac.targets.naplespu.loop_sums import LoopSums, Sum, integer_of

_MOST_BITS = 12


def find_low_bits(module: Module) -> bool:
    """Whether anything has changed."""
    changed = False
    for function in module.functions:
        flow = control_flow(function)
        if not flow.loops:
            continue
        types = {parameter.name: parameter.type for parameter in function.parameters}
        definitions = function.definitions()
        types.update((name, made.type) for name, made in definitions.items())
        fresh = function.fresh_names()
        for loop in reversed(flow.loops):
            sums = LoopSums(function, flow, loop, types, fresh)
            if sums.known and sums.counters:
                changed |= _find(sums, definitions)
    return changed


def _find(sums: LoopSums, definitions: dict[str, Instruction]) -> bool:
    changed = False
    for instruction in sums.inside.values():
        if instruction.op != "and" or instruction.type != "i32":
            continue
        left, right = instruction.operands
        mask = integer_of(right.value)
        if mask is None or not 0 < mask < 1 << _MOST_BITS:
            continue
        found = sums.sum(left)
        if found is not None and stays(sums, found, mask.bit_length(), definitions):
            instruction.text = f"  {instruction.name} = and i32 {sums.start_of(found)}, {mask}"
            changed = True
    return changed


def stays(sums: LoopSums, found: Sum, bits: int, definitions: dict[str, Instruction]) -> bool:
    """Whether the loop moves a number on, and leaves its low bits as they are."""
    moving = [(sums.counters[symbol].step, by, factor) for (symbol, by), factor in found[0].items() if symbol in sums.counters]
    known = [
        zeros(step, definitions) + (zeros(by, definitions) if by else 0) + _zeros_of(factor) for step, by, factor in moving
    ]
    return bool(known) and min(known) >= bits


def zeros(value: str, definitions: dict[str, Instruction], depth: int = 4) -> int:
    """How many low bits of a number are zero."""
    known = integer_of(value)
    if known is not None:
        return _zeros_of(known)
    made = definitions.get(value)
    if made is None or not depth or made.type != "i32":
        return 0
    operands = [operand.value for operand in made.operands]
    if made.op == "shl":
        return zeros(operands[0], definitions, depth - 1) + (integer_of(operands[1]) or 0)
    if made.op == "mul":
        return sum(zeros(operand, definitions, depth - 1) for operand in operands)
    if made.op in ("add", "sub", "or"):
        return min(zeros(operand, definitions, depth - 1) for operand in operands)
    if made.op == "and":
        return max(zeros(operand, definitions, depth - 1) for operand in operands)
    return 0


def _zeros_of(number: int) -> int:
    return (number & -number).bit_length() - 1 if number else 32
