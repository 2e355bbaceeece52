"""Which loaded vectors are still known, so that a load of the same addresses for fewer lanes can be dropped.

LLVM merges equal loads, but a load under a mask is not equal to the load of all
lanes that went before it. Knowledge goes from a block to one that has no other
predecessor, until something may write the memory.
"""

from __future__ import annotations

from dataclasses import dataclass

from voltac.ir.lane_values import LaneValues
from voltac.ir.model import Instruction
from voltac.passes.access import Access
from voltac.passes.effects import Effects, touched_by

_DEPTH = 12
"""Conjunctions are followed this far."""


@dataclass(slots=True)
class KnownLoads:
    """The state at one point of a function."""

    effects: Effects
    values: LaneValues
    loads: dict[object, Access]

    def copy(self) -> KnownLoads:
        return KnownLoads(self.effects, self.values, dict(self.loads))

    def find(self, access: Access) -> str:
        """The value that a load would give again, or an empty string; else the load is known from now on."""
        key = self._key(access)
        known = self.loads.get(key)
        if known is not None and (known.all_on or mask_implies(access.mask, known.mask, self.values)):
            return known.instruction.name
        self.loads[key] = access
        return ""

    def pass_by(self, instruction: Instruction, access: Access | None) -> None:
        """Forget what the instruction may overwrite."""
        if not self.loads or (access is not None and not access.is_store):
            return
        if access is not None:
            written = touched_by(access)
            gone = [key for key, known in self.loads.items() if self.effects.may_overlap(written, touched_by(known))]
        else:
            gone = [key for key, known in self.loads.items() if self.effects.may_write(instruction, touched_by(known))]
        for key in gone:
            del self.loads[key]

    def _key(self, access: Access) -> object:
        if access.address is None:
            return access.pointers.value, access.vector
        return access.address.key, access.offsets, access.vector


def mask_implies(narrow: str, wide: str, values: LaneValues, depth: int = _DEPTH) -> bool:
    """Whether every lane that is on in one mask is certainly on in the other."""
    narrow, wide = _root(narrow, values), _root(wide, values)
    if narrow == wide:
        return True
    made = values.definitions.get(narrow)
    if made is None or depth == 0:
        return False
    operands = made.operands
    if made.op == "and":
        return any(mask_implies(operand.value, wide, values, depth - 1) for operand in operands)
    if made.op == "select" and operands[2].value in ("zeroinitializer", "splat (i1 false)"):
        return any(mask_implies(operand.value, wide, values, depth - 1) for operand in operands[:2])
    return False


def _root(mask: str, values: LaneValues) -> str:
    """A mask without its changes of form: the sign bits of integers, their extension, freezing."""
    while (made := values.definitions.get(mask)) is not None:
        sign_test = made.op == "icmp" and made.parts.predicate == "slt" and made.operands[1].value == "zeroinitializer"
        if not sign_test and made.op not in ("sext", "freeze"):
            break
        mask = made.operands[0].value
    return mask
