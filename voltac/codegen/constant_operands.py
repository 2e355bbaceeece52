"""Constants as operands of a machine whose words have so many bytes: their bits, the addresses they name, what fits."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from voltac.codegen.origins import GLOBAL_NAME
from voltac.codegen.selection import CannotSelect, Selection, label_of
from voltac.ir.interp_constants import constant
from voltac.ir.interp_values import InstructionFault, KindTable, float_bits, to_signed
from voltac.ir.model import Instruction
from voltac.ir.parts import Operand
from voltac.ir.types import DataLayout


class ConstantOperands:
    """Asked again and again for the same ones, so answers are kept."""

    def __init__(self, word_bytes: int) -> None:
        self._word_bytes = word_bytes
        self.kinds = KindTable(DataLayout({}, word_bytes))
        self.bits = lru_cache(maxsize=8192)(self._bits)
        self.address = lru_cache(maxsize=4096)(self._address)

    def _bits(self, type_text: str, value: str) -> int | None:
        """Bits of a constant scalar; undefined ones are 0. None for what is no number."""
        if value[0] == "%" or "@" in value:
            return None
        known = self.evaluated(type_text, value)
        if known is None:
            return 0
        return float_bits(known, 32 if type_text == "float" else 64) if type_text in ("float", "double") else int(known)

    def _address(self, type_text: str, value: str) -> tuple[str, int] | None:
        """The label of a global and the offset from it that a constant address names; None for another constant."""
        found = GLOBAL_NAME.search(value)
        if found is None:
            return None
        offset = 0 if value[0] == "@" else int(self.evaluated("ptr", value, type_text))
        return label_of(found.group(1)), to_signed(offset, 8 * self._word_bytes)

    def evaluated(self, type_text: str, value: str, told: str = "") -> Any:
        """The value as the interpreter has it, with globals at address 0; ``told`` is the type to name in an error.

        :class:`CannotSelect` for what is no constant.
        """
        try:
            return constant(self.kinds, self.kinds[type_text], value, lambda name: 0)
        except InstructionFault as fault:
            raise CannotSelect(f"a constant of type {told or type_text}: {value}") from fault

    def word(self, operand: Operand) -> int | None:
        """A scalar integer, signed; None for any other operand."""
        if operand.value[0] == "%" or operand.type in ("float", "double"):
            return None
        bits = self.bits(operand.type, operand.value)
        return None if bits is None else to_signed(bits, 8 * self._word_bytes)

    def give_slots(self, selection: Selection, allocas: Iterable[Instruction]) -> None:
        """Places in the frame for these of the instructions that are allocas, at least as aligned as words.

        :class:`CannotSelect` for one of unknown size.
        """
        layout = selection.module.layout(self._word_bytes)
        for instruction in allocas:
            if instruction.op != "alloca":
                continue
            parts = instruction.parts
            count = self.bits(parts.operands[0].type, parts.operands[0].value) if parts.operands else 1
            if count is None:
                raise CannotSelect(f"in @{selection.function.name}: an alloca of unknown size")
            alignment = max(parts.alignment, layout.alignment(parts.element_type), self._word_bytes)
            slot = selection.machine.new_slot(layout.size(parts.element_type) * count, alignment)
            selection.frame_slots[instruction.name] = slot


def between(word: Callable[[Operand], int | None], low: int, high: int, more: int = 0) -> Callable[[Operand], int | None]:
    """What takes numbers from ``low`` to ``high``, which ``word`` reads, and gives them ``more`` greater."""

    def fitting(operand: Operand) -> int | None:
        value = word(operand)
        return value + more if value is not None and low <= value <= high else None

    return fitting
