"""An instruction with its qualifying predicate ⇄ the 41 bits of a slot, and three slots ⇄ the 16 bytes of a bundle (IA-64 3).

``movl`` has 41 bits of its number in the slot before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from voltac.codegen.encoding import Decoder, encode
from voltac.codegen.rows import InstructionSet, Row
from voltac.records import record, replace
from voltac.targets.ia64.instructions import INSTRUCTIONS, SLOT_CODE
from voltac.targets.ia64.shapes import SLOT_BITS, A, B, F, I, M, X

TEMPLATES = {
    0x00: ("MII", ()), 0x02: ("MII", (1,)), 0x04: ("MLX", ()), 0x08: ("MMI", ()), 0x0A: ("MMI", (0,)), 0x0C: ("MFI", ()),
    0x0E: ("MMF", ()), 0x10: ("MIB", ()), 0x12: ("MBB", ()), 0x16: ("BBB", ()), 0x18: ("MMB", ()), 0x1C: ("MFB", ()),
}  # fmt: skip
"""Code -> units of the slots, and the slots behind which there is a stop. The code one higher has a stop at the end too."""
CODES = {(units, (*stops, *((2,) if end else ()))): code + end for code, (units, stops) in TEMPLATES.items() for end in (0, 1)}
"""Units and stops -> code."""
BUNDLE_BYTES = 16
_SLOT = (1 << SLOT_BITS) - 1
_LOW_OF_MOVL = (1 << 22) - 1, 1 << 63
"""The bits of a long number that stand in its own slot."""
_QP = 0x3F
UNITS_OF = {A: "MI", M: "M", I: "I", F: "F", B: "B", X: "X"}
"""Class of an instruction -> the units that take it."""
NOPS = {"M": "nop.m.uimm21", "I": "nop.i.uimm21", "F": "nop.f.uimm21", "B": "nop.b.uimm21"}
"""What fills a slot."""


@record
class Slot:
    """What is in a slot."""

    row: Row
    values: tuple[int, ...]
    """Of the row's operands."""
    predicate: int = 0


@record
class Bundle:
    """Three slots, of which the second is None where the third takes both, and the slots behind which there is a stop."""

    units: str
    slots: tuple[Slot | None, ...]
    stops: tuple[int, ...]


def encode_slot(slot: Slot) -> tuple[int, int]:
    """The slot's bits, and those of the slot before it where it takes both."""
    word = encode(slot.row, _stored(slot.row, slot.values), SLOT_CODE, linked=True) | slot.predicate
    return word, slot.values[1] >> 22 & _SLOT if slot.row.unit == X else 0


def _stored(row: Row, values: Sequence[int]) -> Sequence[int]:
    """What ``alloc`` has is the size of the whole frame, not that of its last part."""
    if "alloc" not in row.traits:
        return values
    target, locals_, out, rotating = values
    return target, locals_, locals_ + out, rotating


@cache
def _decoders() -> dict[str, Decoder]:
    """By unit: the same bits say different things in different slots."""
    made = {}
    for unit in "MIFBX":
        rows = tuple(row for row in INSTRUCTIONS.rows.values() if unit in UNITS_OF[row.unit])
        made[unit] = Decoder(replace(SLOT_CODE, instructions=InstructionSet(rows)))
    return made


def decode_slot(word: int, unit: str, before: int = 0) -> Slot | None:
    """None for bits that are no instruction of the unit; ``before`` is the slot before one that takes both."""
    found = _decoders()[unit].decode(word & ~_QP)
    if found is None or not found.exact:
        return None
    values = found.values
    if "alloc" in found.row.traits:
        values = (values[0], values[1], values[2] - values[1], values[3])
        if values[2] < 0:
            return None
    elif unit == "X":
        number = values[1] & (_LOW_OF_MOVL[0] | _LOW_OF_MOVL[1]) | before << 22
        values = (values[0], number)
    return Slot(found.row, values, word & _QP)


def encode_bundle(bundle: Bundle) -> bytes:
    """Sixteen bytes; KeyError for units and stops of which there is no template."""
    return join_slots(bundle.units, bundle.stops, [None if slot is None else encode_slot(slot) for slot in bundle.slots])


def join_slots(units: str, stops: tuple[int, ...], encoded: Sequence[tuple[int, int] | None]) -> bytes:
    """The same of what :func:`encode_slot` made of the slots."""
    word = CODES[units, stops]
    for number, slot in enumerate(encoded):
        if slot is not None:
            bits, before = slot
            word |= bits << 5 + SLOT_BITS * number
            if before:
                word |= before << 5 + SLOT_BITS * (number - 1)
    return word.to_bytes(BUNDLE_BYTES, "little")


def decode_bundle(content: bytes) -> Bundle | None:
    """None for a reserved template, and for a slot that is no instruction."""
    word = int.from_bytes(content, "little")
    code = word & 0x1F
    if code & ~1 not in TEMPLATES:
        return None
    units, stops = TEMPLATES[code & ~1]
    bits = [word >> 5 + SLOT_BITS * number & _SLOT for number in range(3)]
    slots: list[Slot | None] = []
    for number, unit in enumerate(units):
        if unit == "L":
            slots.append(None)
            continue
        slot = decode_slot(bits[number], unit, bits[number - 1])
        if slot is None:
            return None
        slots.append(slot)
    return Bundle(units, tuple(slots), (*stops, *((2,) if code & 1 else ())))
