"""Slots and bundles -> assembly language, as GNU as reads it in its explicit mode."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from voltac.codegen.listing import Line
from voltac.targets.ia64.registers import APPLICATION, BY_NAME
from voltac.targets.ia64.shapes import SLOT_BITS
from voltac.targets.ia64.slots import BUNDLE_BYTES, Slot, decode_bundle

_AR_NAMES = {number: name for name, number in APPLICATION.items()}
_FILES = ("r", "f", "p", "b")
_MNEMONIC_COLUMN = 7
"""Where a mnemonic begins, behind the predicate."""


def operand_text(kind: str, value: int) -> str:
    """A register's name, or a number."""
    if kind == "ar":
        return _AR_NAMES.get(value, f"ar{value}")
    return f"{kind}{value}" if kind in _FILES else str(value)


def symbol_text(name: str) -> str:
    """A symbol where it is used; one that is called like a register is told from it by a mark (IA-64 16)."""
    return f"{name}#" if name in BY_NAME else name


def slot_text(slot: Slot, replaced: Mapping[str, str] | None = None) -> str:
    """An instruction with its predicate; ``replaced`` has texts for operands: labels."""
    values = {operand.field: operand_text(operand.kind, value) for operand, value in zip(slot.row.operands, slot.values)}
    return with_predicate(slot.row.text.format_map({**values, **(replaced or {})}), slot.predicate)


def with_predicate(text: str, predicate: int) -> str:
    """The predicate before an instruction, in a column of its own; none for p0."""
    return f"{f'(p{predicate})' if predicate else '':<{_MNEMONIC_COLUMN}}{text}"


def bundle_lines(content: bytes, address: int, symbols: Mapping[str, int]) -> Iterator[Line]:
    """A section of code, a line for each slot; its address is that of the bundle plus the slot's number."""
    labels: dict[int, list[str]] = {}
    for name, place in symbols.items():
        labels.setdefault(place, []).append(name)
    starts = range(0, len(content) - len(content) % BUNDLE_BYTES, BUNDLE_BYTES)
    bundles = {address + at: decode_bundle(content[at : at + BUNDLE_BYTES]) for at in starts}
    for place, bundle in bundles.items():
        for slot in bundle.slots if bundle is not None else ():
            target = None if slot is None else target_of(slot, place)
            if target in bundles and target not in labels:
                labels[target] = [f"at_{target:x}"]
    for place, bundle in bundles.items():
        word = int.from_bytes(content[place - address : place - address + BUNDLE_BYTES], "little")
        if bundle is None:
            low, high = word & (1 << 64) - 1, word >> 64
            yield Line(place, low, f"data8 {low:#x}, {high:#x}", "no bundle", tuple(labels.get(place, ())))
            continue
        for number, slot in enumerate(bundle.slots):
            if slot is None:
                continue
            target = target_of(slot, place)
            named = {} if target not in labels else {"target": symbol_text(labels[target][0])}
            text = slot_text(slot, named) + (" ;;" if number in bundle.stops else "")
            begins = f"{{ .{bundle.units.lower()} {text}" if not number else f"  {text}"
            bits = word >> 5 + SLOT_BITS * number & (1 << SLOT_BITS) - 1
            comment = "" if target is None else f"{target:#x}"
            before = tuple(labels.get(place, ())) if not number else ()
            yield Line(place + number, bits, begins + (" }" if number == 2 else ""), comment, before)


def target_of(slot: Slot, place: int) -> int | None:
    """Where a branch leads, from the bundle at an address."""
    for operand, value in zip(slot.row.operands, slot.values):
        if operand.kind == "target":
            return place + value
    return None
