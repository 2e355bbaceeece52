"""Words → assembly text that assembles to the same words.

Words that are no instruction, or one with bits that the hardware ignores, are
printed as ``.word``, the latter with the instruction beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from voltac.codegen.device import DeviceCode
from voltac.codegen.encoding import Decoded, Decoder, encode
from voltac.codegen.listing import Line

_PLACES = ("target", "function")
"""Parts of addresses that are where a branch or a call leads."""


class Disassembler:
    """Words of one device's programs -> lines of assembly text."""

    def __init__(self, device: DeviceCode) -> None:
        self._device = device
        self._decoder = Decoder(device)
        self._names = {(register.kind, register.number): register.name for register in device.registers.values()}

    def lines(self, content: bytes, address: int, symbols: Mapping[str, int]) -> Iterator[Line]:
        """A section of code that begins at ``address``."""
        if self._device.bundle_lines is not None:
            yield from self._device.bundle_lines(content, address, symbols)
            return
        step = self._device.word_bytes
        words = {
            address + offset: int.from_bytes(content[offset : offset + step], "little")
            for offset in range(0, len(content) - len(content) % step, step)
        }
        labels: dict[int, list[str]] = {}
        for name, place in symbols.items():
            labels.setdefault(place, []).append(name)
        bit = self._device.bundle_bit
        decoded = {place: self._decoder.decode(word & ~bit) for place, word in words.items()}
        for place, found in decoded.items():
            target = None if found is None else self._target(found, place)
            if target is not None and target in words and target not in labels:
                labels[target] = [f"at_{target:x}"]
        begun = False
        for place, word in words.items():
            text, comment = self._written(word & ~bit, decoded[place], place, labels)
            # The two words of a bundle are a line each, with the braces around both.
            begins = bool(word & bit) and not begun
            if begins and (not words.get(place + step, 0) & bit or None in (decoded[place], decoded[place + step])):
                begins, text, comment = False, self._directive(word), "half a bundle"
            elif word & bit:
                text = f"{{ {text}" if begins else f"  {text} }}"
            begun = begins
            yield Line(place, word, text, comment, tuple(labels.get(place, ())))

    def instruction(self, word: int) -> str:
        """One word by itself, with numbers for distances."""
        found = self._decoder.decode(word)
        return self._directive(word) if found is None else self._text(found, {})

    def _target(self, found: Decoded, place: int) -> int | None:
        for operand, value in zip(found.row.operands, found.values):
            kind = self._device.immediates.get(operand.kind)
            if kind is not None and kind.part == "relative":
                return place + value
            if kind is not None and kind.part in _PLACES:
                return value
        return None

    def _written(self, word: int, found: Decoded | None, place: int, labels: dict[int, list[str]]) -> tuple[str, str]:
        if found is None:
            return self._directive(word), "no instruction"
        if not found.exact:
            return self._directive(word), self._text(found, {})
        target = self._target(found, place)
        names = labels.get(target, []) if target is not None else []
        linked = encode(found.row, found.values, self._device, linked=True)
        if names and linked == word:
            replaced = {operand.field: names[0] for operand in found.row.operands if self._is_distance(operand.kind)}
            return self._text(found, replaced), f"{target:#x}"
        if encode(found.row, found.values, self._device) == word:
            return self._text(found, {}), ""
        return self._directive(word), self._text(found, {})

    def _is_distance(self, kind: str) -> bool:
        return kind in self._device.immediates and self._device.immediates[kind].part in ("relative", *_PLACES)

    def _directive(self, word: int) -> str:
        names = {1: ".byte", 2: ".half", 4: ".word"}
        return f"{names[self._device.word_bytes]} 0x{word:0{2 * self._device.word_bytes}x}"

    def _text(self, found: Decoded, replaced: Mapping[str, str]) -> str:
        values = {
            operand.field: self._names.get((operand.kind, value), str(value))
            for operand, value in zip(found.row.operands, found.values)
        }
        return found.row.text.format_map({**values, **replaced})
