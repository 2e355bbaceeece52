"""Lanes of vectors of indices that leave the vector register several at a time, as words of 64 bits.

    %i = sext <8 x i32> %v to <8 x i64>, lanes 2 and 3 as scalars
    ->
    %words = bitcast <8 x i32> %v to <4 x i64>            %word = extractelement <4 x i64> %words, i64 1
    %lane2 = sext (trunc %word to i32) to i64             %lane3 = ashr %word, 32

Scalars are shifted and cut at four a cycle, what leaves a vector register at one.
"""

from __future__ import annotations

from voltac.ir.lane_values import LaneValues
from voltac.ir.match import made_by, scalar_of_splat
from voltac.ir.model import Instruction
from voltac.ir.parts import BINARY, CASTS, Operand
from voltac.ir.types import element_of, integer_bits, lanes_of
from voltac.passes.accesses.access import pseudo_operation
from voltac.records import record

_WORD = 64
"""Bits."""


@record
class LaneWord:
    """Where a lane is, and how it is extended."""

    source: Operand
    bits: int
    """Of a lane."""
    lane: int
    is_signed: bool

    @property
    def words(self) -> int:
        """That the vector has."""
        return lanes_of(self.source.type) * self.bits // _WORD

    @property
    def number(self) -> int:
        """Of the word."""
        return self.lane * self.bits // _WORD

    @property
    def place(self) -> int:
        """Of the lowest bit in the word."""
        return self.lane * self.bits % _WORD

    @property
    def is_last(self) -> bool:
        """Whether nothing is above it."""
        return self.place + self.bits == _WORD


def word_of_lane(extended: Instruction, lane: int, values: LaneValues) -> LaneWord | None:
    """Of one lane of an extension; None where lanes fill no words, or LLVM would compute the lane on scalars."""
    source, op = extended.operands[0], extended.op
    inner = made_by(("zext", "sext"), source.value, values.definitions)
    if inner is not None and element_of(inner.operands[0].type) == "i16" and (inner.op, op) != ("sext", "zext"):
        source, op = inner.operands[0], inner.op
    bits = integer_bits(element_of(source.type))
    if bits not in (16, 32) or lanes_of(source.type) * bits % _WORD or not _is_data(source.value, values):
        return None
    return LaneWord(source, bits, lane, op == "sext")


_MOST_STEPS = 60
"""Values that are looked at. Chosen, not measured."""


def _is_data(vector: str, values: LaneValues) -> bool:
    """Whether lanes come from vectors. Arithmetic of uniform values and constants LLVM does on scalars, and what is loaded lane
    by lane may stay there (:mod:`voltac.passes.lanes_in_scalars`)."""
    work, seen, found = [vector], {vector}, False
    while work:
        made = values.definitions.get(work.pop())
        if made is None or pseudo_operation(made):
            if made is not None and values.of(made.operands[0]) is None:
                return False
            found = True
            continue
        if made.op not in BINARY and made.op not in CASTS:
            if scalar_of_splat(made.name, values.definitions) is not None:
                continue
            found = True
        for operand in made.operands:
            if operand.value[0] == "%" and operand.value not in seen and lanes_of(operand.type):
                seen.add(operand.value)
                work.append(operand.value)
        if len(seen) > _MOST_STEPS:
            return False
    return found and vector[0] == "%"
