"""Lanes of vectors of indices that leave the vector register two at a time, as words of 64 bits.

    %i = sext <8 x i32> %v to <8 x i64>, lanes 2 and 3 as scalars
    ->
    %words = bitcast <8 x i32> %v to <4 x i64>            %word = extractelement <4 x i64> %words, i64 1
    %lane2 = sext (trunc %word to i32) to i64             %lane3 = ashr %word, 32

Scalars are shifted and cut at four a cycle, what leaves a vector register at one. What is added to all lanes is so
behind them, as a part of the address: lookups beside each other share the words.
"""

from __future__ import annotations

from itertools import pairwise

from voltac.ir.constants import integers
from voltac.ir.lane_values import LaneValues
from voltac.ir.match import made_by, scalar_of_splat, source
from voltac.ir.model import Instruction
from voltac.ir.parts import BINARY, CASTS, Operand
from voltac.ir.types import element_of, integer_bits, lanes_of
from voltac.ir.uses import Uses
from voltac.passes.accesses.access import pseudo_operation
from voltac.records import record

HALF = 32
"""Bits of a lane in a word."""


@record
class LaneWord:
    """Where a lane is, and how it is extended."""

    source: Operand
    lane: int
    extension: str
    """``zext`` where it is known not to be negative, else ``sext``."""
    added: int
    """To the extended lane."""

    @property
    def words(self) -> int:
        """That the vector has, of 64 bits."""
        return lanes_of(self.source.type) // 2


def word_of_lane(extended: Instruction, lane: int, values: LaneValues) -> LaneWord | None:
    """Of one lane of an extension; None where lanes fill no words, or LLVM would compute the lane on scalars."""
    lanes, added = _without_constants(extended, values)
    if element_of(lanes.type) != f"i{HALF}" or lanes_of(lanes.type) % 2 or not _is_data(lanes.value, values):
        return None
    return LaneWord(lanes, lane, "zext" if _is_small(lanes.value, values) else extended.op, added)


def _without_constants(extended: Instruction, values: LaneValues) -> tuple[Operand, int]:
    """What is extended without the constants that are added to all lanes, and their sum: what does not wrap is the same sum in
    64 bits."""
    lanes, added = extended.operands[0], 0
    claim = "nsw" if extended.op == "sext" else "nuw"
    while (made := values.definitions.get(lanes.value)) is not None and made.op == "add" and claim in made.parts.flags:
        constants = [integers(each.type, each.value) if each.value[0] != "%" else None for each in made.operands]
        known = next((each for each in constants if each is not None and len(set(each)) == 1), None)
        if known is None or (claim == "nuw" and known[0] < 0):
            break
        added += known[0]
        lanes = made.operands[known is constants[0]]
    return lanes, added


def without_uniform(extended: Instruction, values: LaneValues) -> tuple[Instruction, list[Operand]]:
    """The extension of what is left without the scalars that are added to all lanes, and these.

    Their sum with it does not wrap, and is the same in 64 bits.
    """
    lanes, scalars = extended.operands[0], list[Operand]()
    claim = "nsw" if extended.op == "sext" else "nuw"
    while (made := values.definitions.get(lanes.value)) is not None and made.op == "add" and claim in made.parts.flags:
        splats = [scalar_of_splat(each.value, values.definitions) if each.value[0] == "%" else None for each in made.operands]
        known = next((each for each in splats if each is not None), None)
        if known is None or all(splats):
            break
        scalars.append(known)
        lanes = made.operands[known is splats[0]]
    if not scalars:
        return extended, []
    kind = f"<{lanes_of(extended.type)} x {element_of(extended.type)}>"
    return Instruction(f"  {extended.name} = {extended.op} {lanes.type} {lanes.value} to {kind}"), scalars


def _is_small(vector: str, values: LaneValues) -> bool:
    """Whether no lane is negative, as is plain to see."""
    vector = source(vector, ("sext",), values.definitions)
    made = made_by(("zext", "and", "lshr"), vector, values.definitions)
    if made is None or made.op == "zext":
        return made is not None
    last = made.operands[1]
    numbers = integers(last.type, last.value) if last.value[0] != "%" else None
    return numbers is not None and min(numbers) >= (made.op == "lshr")


def stays_in_scalars(loaded: str, uses: Uses, values: LaneValues) -> bool:
    """Whether lanes that are loaded one by one are only stored so: vector registers have little to do then, scalars much."""
    users = uses.of(loaded)
    return bool(users) and all(_scatters(user, loaded, values) for user in users)


def _scatters(user: Instruction, loaded: str, values: LaneValues) -> bool:
    if pseudo_operation(user) != "scatter" or user.operands[0].value != loaded:
        return False
    place = values.of(user.operands[1])
    size = integer_bits(element_of(user.operands[0].type)) // 8
    return place is None or any(after - before != size for before, after in pairwise(place.offsets))


_MOST_STEPS = 60
"""Values that are looked at. Chosen, not measured."""


def _is_data(vector: str, values: LaneValues) -> bool:
    """Whether lanes come from vectors. Arithmetic of uniform values and constants LLVM does on scalars, and what is loaded lane
    by lane may stay there (:mod:`voltac.passes.lanes.lanes_in_scalars`), unless it is computed with other vectors."""
    work, seen, found = [(vector, False)], {vector}, False
    while work:
        name, mixed = work.pop()
        made = values.definitions.get(name)
        if made is None or pseudo_operation(made):
            if made is not None and not mixed and values.of(made.operands[0]) is None:
                return False
            found = True
            continue
        if made.op not in BINARY and made.op not in CASTS:
            if scalar_of_splat(made.name, values.definitions) is not None:
                continue
            found = True
        inside = [each for each in made.operands if each.value[0] == "%" and lanes_of(each.type)]
        mixed = mixed or (made.op in BINARY and sum(values.of(each) is None for each in inside) > 1)
        for operand in inside:
            if operand.value not in seen:
                seen.add(operand.value)
                work.append((operand.value, mixed))
        if len(seen) > _MOST_STEPS:
            return False
    return found and vector[0] == "%"
