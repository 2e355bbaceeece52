"""row + operands ⇄ instruction word.

Operands are numbers, in the row's order: register numbers and immediates. Bits
that no row mentions are zero in what :func:`encode` makes; hardware ignores them,
so the decoder does too and says with ``exact`` whether they were zero.
"""

from __future__ import annotations

from collections.abc import Sequence

from voltac.codegen.device import DeviceCode
from voltac.codegen.rows import Row, RowOperand
from voltac.records import record


class EncodingError(ValueError):
    """An operand does not fit its place; ``str()`` says which, and what would."""

    def __init__(self, operand: int, text: str) -> None:
        super().__init__(text)
        self.operand = operand
        """Its number in the row."""


def encode(row: Row, values: Sequence[int], device: DeviceCode, linked: bool = False) -> int:
    """The word of an instruction; ``linked`` as the linker leaves it, who fills no more bits than a label's part has."""
    word = row.format.fixed
    fields = row.format.fields
    for name, value in row.fixed.items():
        word |= fields[name].put(value)
    for number, (operand, value) in enumerate(zip(row.operands, values, strict=True)):
        field = fields[operand.field]
        problem = _problem(operand, value, field.width, device)
        if problem:
            raise EncodingError(number, f"{row.mnemonic}: {problem}")
        kind = device.immediates.get(operand.kind)
        if linked and kind is not None and kind.part:
            value &= (1 << kind.bits) - 1
        word |= field.put(value if kind is None else kind.stored(value))
    return word


def _problem(operand: RowOperand, value: int, width: int, device: DeviceCode) -> str:
    """Why a value cannot stand in a field; empty if it can."""
    kind = device.immediates.get(operand.kind)
    if kind is None:
        return "" if 0 <= value < 1 << width else f"there is no {operand.kind} register number {value}"
    if not kind.lowest <= value <= kind.highest:
        negative = not kind.signed and -(1 << kind.bits - 1) <= value < 0
        hint = f"; {value & (1 << kind.bits) - 1} has the same bits" if negative else ""
        return f"{value} is out of range: the operand holds {kind.lowest} to {kind.highest}{hint}"
    if value % kind.multiple:
        return f"{value} is not a multiple of {kind.multiple}"
    return ""


@record
class Decoded:
    """What a word says."""

    row: Row
    values: tuple[int, ...]
    """Register numbers and immediates with their sign, in the order of the row's operands."""
    exact: bool
    """The row and the values encode to just this word; else bits that the hardware ignores are set."""


class Decoder:
    """Finds the row of a word."""

    def __init__(self, device: DeviceCode) -> None:
        self._device = device
        self._exact: dict[int, dict[int, Row]] = {}
        """Mask → the bits under it → row; bits that nobody mentions have to be zero."""
        self._hardware: dict[int, dict[int, Row]] = {}
        """The same without these bits, as the hardware looks at a word."""
        for row in device.instructions.rows.values():
            if "alias" in row.traits:
                continue
            bits, seen, filled = row.format.fixed, row.format.fixed_mask, 0
            for name, value in row.fixed.items():
                bits |= row.format.fields[name].put(value)
                seen |= row.format.fields[name].mask
            for operand in row.operands:
                filled |= row.format.fields[operand.field].mask
            whole = (1 << row.format.bits) - 1 & ~filled
            self._exact.setdefault(whole, {})[bits] = row
            self._hardware.setdefault(seen, {})[bits] = row

    def decode(self, word: int) -> Decoded | None:
        """The instruction, None where the word is none."""
        for mask, rows in self._exact.items():
            row = rows.get(word & mask)
            if row is not None:
                values = self._values(row, word)
                return Decoded(row, values, self._encodes_to(row, values, word))
        # A row that looks at more bits is the more special one.
        for mask in sorted(self._hardware, key=int.bit_count, reverse=True):
            row = self._hardware[mask].get(word & mask)
            if row is not None:
                return Decoded(row, self._values(row, word), False)
        return None

    def _values(self, row: Row, word: int) -> tuple[int, ...]:
        values = []
        for operand in row.operands:
            field = row.format.fields[operand.field]
            value = field.take(word)
            kind = self._device.immediates.get(operand.kind)
            values.append(value if kind is None else kind.number(value))
        return tuple(values)

    def _encodes_to(self, row: Row, values: tuple[int, ...], word: int) -> bool:
        try:
            return word in (encode(row, values, self._device), encode(row, values, self._device, linked=True))
        except EncodingError:
            return False
