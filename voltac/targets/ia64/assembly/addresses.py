"""Addresses into bundles and data: what the linker does for a relocation (IA-64 16)."""

from __future__ import annotations

from voltac.codegen.object_file import Relocation, Section
from voltac.codegen.patch import DoesNotFit
from voltac.records import replace
from voltac.targets.ia64.shapes import IMMEDIATES
from voltac.targets.ia64.slots import BUNDLE_BYTES, Bundle, Slot, decode_bundle, encode_bundle

POINTER_BYTES = 8
"""Of an address in data."""
_MASK = (1 << 64) - 1
"""The bits of an address."""


def put_address(section: Section, relocation: Relocation, value: int) -> None:
    """Write an address, or the distance to it, where a relocation says: in the slot whose number its offset ends with,
    of ``movl`` the first of two."""
    offset = relocation.offset
    if relocation.part == "absolute":
        section.content[offset : offset + POINTER_BYTES] = (value & _MASK).to_bytes(POINTER_BYTES, "little")
        return
    start = offset - offset % BUNDLE_BYTES
    if relocation.part == "target":
        value -= section.address + start
        kind = IMMEDIATES["target"]
        if not kind.lowest <= value <= kind.highest:
            raise DoesNotFit(f"{value} bytes, and a branch reaches {kind.lowest} to {kind.highest}")
        if value % BUNDLE_BYTES:
            raise DoesNotFit(f"{value} bytes are no whole number of bundles")
    if relocation.part == "gprel22":
        kind = IMMEDIATES["imm22"]
        if not kind.lowest <= value <= kind.highest:
            raise DoesNotFit(f"{value} bytes from __gp, and 'addl' reaches {kind.lowest} to {kind.highest}")
    bundle = decode_bundle(bytes(section.content[start : start + BUNDLE_BYTES]))
    assert bundle is not None
    number = offset - start + (bundle.units == "MLX" and offset > start)
    slot = bundle.slots[number]
    assert slot is not None
    values = tuple(
        value & _MASK if operand.kind == "imm64" else value if operand.kind in ("target", "imm22") else old
        for operand, old in zip(slot.row.operands, slot.values)
    )
    slots: list[Slot | None] = list(bundle.slots)
    slots[number] = replace(slot, values=values)
    section.content[start : start + BUNDLE_BYTES] = encode_bundle(Bundle(bundle.units, tuple(slots), bundle.stops))
