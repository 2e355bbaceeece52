"""legal IR -> legal IR: the low bits of a number that a loop moves on by a multiple of a power of two are found before it.

::

    loop:                                               %m = and i32 %a, 63
      %p = phi i32 [ %a, %before ], [ %n, %loop ]     loop:
      %m = and i32 %p, 63                        ->     %p = phi i32 [ %a, %before ], [ %n, %loop ]
      %n = add i32 %p, 128                              %n = add i32 %p, 128

Where a vector lies in its line is the same for all iterations of most loops, and so are the
lanes that shuffles take from one line or the other (a device's legalization). Where it is known, as that of the neighbour
of an element of an array that begins at a line, it is a constant.
"""

from __future__ import annotations

from voltac.codegen.loops.loop_sums import LoopSums, Sum, integer_of
from voltac.codegen.tidying.constant_folding import fold_constants
from voltac.ir.cfg import control_flow
from voltac.ir.model import Function, Instruction, Module

_MOST_BITS = 12
_DEEPEST = 12
"""Operations that are looked through."""


def find_low_bits(module: Module) -> bool:
    """Whether anything has changed."""
    changed = False
    for function in module.functions:
        changed |= _know_low_bits(function)
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


def _know_low_bits(function: Function) -> bool:
    """Low bits that are the same always become constants."""
    known = Residues.of_function(function)
    constants: dict[str, str] = {}
    for instruction in function.instructions():
        if instruction.op == "and" and instruction.type == "i32":
            left, right = instruction.operands
            mask = integer_of(right.value)
            if mask is not None and 0 < mask < 1 << _MOST_BITS:
                found = known.of(left.value, mask.bit_length())
                if found is not None:
                    constants[instruction.name] = str(found & mask)
    return fold_constants(function, constants)


class Residues:
    """What numbers and addresses are modulo a power of two."""

    @classmethod
    def of_function(cls, function: Function) -> Residues:
        """With what is said of its parameters."""
        aligned = {
            parameter.name: int(words[words.index("align") + 1])
            for parameter in function.parameters
            if "align" in (words := parameter.attributes.split())
        }
        return cls(function.definitions(), aligned)

    def __init__(self, definitions: dict[str, Instruction], aligned: dict[str, int]) -> None:
        self.definitions = definitions
        self.aligned = aligned
        self.assumed: dict[tuple[str, int], int] = {}
        """Phis of loops, while what comes back to them is looked at."""
        self.found: dict[tuple[str, int], int | None] = {}
        """What was found without assumptions."""

    def of(self, value: str, bits: int, depth: int = _DEEPEST) -> int | None:
        """The low bits of a value; None where they are not known."""
        if bits <= 0:
            return 0
        if self.assumed:
            return self._look(value, bits, depth)
        if (value, bits) not in self.found:
            self.found[value, bits] = self._look(value, bits, depth)
        return self.found[value, bits]

    def _look(self, value: str, bits: int, depth: int) -> int | None:
        number = integer_of(value)
        if number is not None:
            return number % (1 << bits)
        if self.aligned.get(value, 1) % (1 << bits) == 0:
            return 0
        made = self.definitions.get(value)
        if made is None or not depth:
            return None
        if (value, bits) in self.assumed:
            return self.assumed[value, bits]
        operands = [operand.value for operand in made.operands]
        if made.op in ("ptrtoint", "inttoptr"):
            return self.of(operands[0], bits, depth - 1)
        if made.op == "phi" and made.type in ("i32", "ptr"):
            return self._of_phi(made, operands, bits, depth - 1)
        if made.op == "shl" and made.type == "i32":
            by = integer_of(operands[1])
            inner = self.of(operands[0], bits - by, depth - 1) if by is not None and by >= 0 else None
            return None if inner is None or by is None else (inner << by) % (1 << bits)
        if made.op == "mul" and made.type == "i32":
            factor = integer_of(operands[1])
            if factor:
                places = (factor & -factor).bit_length() - 1
                inner = self.of(operands[0], bits - places, depth - 1)
                return None if inner is None else inner * factor % (1 << bits)
        if made.op in ("add", "sub", "getelementptr") and made.type in ("i32", "ptr"):
            left, right = (self.of(operand, bits, depth - 1) for operand in operands)
            if left is not None and right is not None:
                return (left - right if made.op == "sub" else left + right) % (1 << bits)
        if made.op == "and" and made.type == "i32":
            mask = integer_of(operands[1])
            if mask is not None:
                inner = self.of(operands[0], bits, depth - 1)
                return 0 if not mask % (1 << bits) else None if inner is None else inner & mask % (1 << bits)
        return None

    def _of_phi(self, phi: Instruction, operands: list[str], bits: int, depth: int) -> int | None:
        for operand in operands:
            guess = self.of(operand, bits, depth) if operand != phi.name else None
            if guess is None:
                continue
            self.assumed[phi.name, bits] = guess
            holds = all(operand == phi.name or self.of(operand, bits, depth) == guess for operand in operands)
            del self.assumed[phi.name, bits]
            return guess if holds else None
        return None


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
    if made.op in ("add", "sub", "or", "phi"):
        return min(zeros(operand, definitions, depth - 1) for operand in operands)
    if made.op == "and":
        return max(zeros(operand, definitions, depth - 1) for operand in operands)
    return 0


def _zeros_of(number: int) -> int:
    return (number & -number).bit_length() - 1 if number else 32
