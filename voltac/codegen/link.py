"""Assembled code → code with addresses: sections get their places, labels their values, open words are filled in.

The linker defines ``__end``, the first byte behind everything, where the device has a
global pointer its symbol, the middle of the short sections, and for a section
with a memory of its own ``__NAME_image`` (where its bytes wait in main memory),
``__NAME_start`` and ``__NAME_end`` (where they belong).
"""

from __future__ import annotations

from voltac.codegen.device import DeviceCode, SectionPlace
from voltac.codegen.object_file import ObjectFile, Section, Symbol
from voltac.codegen.patch import DoesNotFit, patched
from voltac.messages.diagnostics import Diagnostics
from voltac.messages.message import NOWHERE
from voltac.messages.suggestions import suggestion

_POINTER_ALIGNMENT = 16
"""Of the global pointer. Chosen: the greatest that variables usually have."""


def link(code: ObjectFile, device: DeviceCode, diagnostics: Diagnostics | None = None) -> ObjectFile:
    """The same object, linked; a :class:`voltac.CompileError` tells what has no place or no address."""
    messages = Diagnostics(wrap=False) if diagnostics is None else diagnostics
    _place(code, device, messages)
    for relocation in code.relocations:
        section = code.sections[relocation.section]
        if relocation.symbol not in code.symbols:
            messages.error(
                "link",
                relocation.place,
                f"'{relocation.symbol}' is used and defined nowhere{suggestion(relocation.symbol, code.symbols)}",
            )
            continue
        value = code.address(relocation.symbol) + relocation.addend
        if relocation.part == "relative":
            value -= section.address + relocation.offset
        if device.relocation(relocation.part).from_pointer:
            value -= code.address(device.global_pointer)
        try:
            if device.put_address is not None:
                device.put_address(section, relocation, value)
                continue
            patched(section.content, relocation.offset, device.relocation(relocation.part), value, device.word_bytes)
        except DoesNotFit as error:
            messages.error("link", relocation.place, f"a reference to '{relocation.symbol}' does not reach it: {error}")
    messages.raise_if_errors()
    code.relocations = []
    return code


def _place(code: ObjectFile, device: DeviceCode, messages: Diagnostics) -> None:
    cursor = 0
    ordered: dict[str, Section] = {}
    for place in device.places:
        cursor = cursor if place.address is None else place.address
        sections = _sections_of(code, device, place)
        is_full = False
        if place.kind == "local":
            size = sum(section.size for section in sections)
            _define(code, f"__{place.name}_image", "", cursor)
            _define(code, f"__{place.name}_start", "", place.base)
            _define(code, f"__{place.name}_end", "", place.base + size)
        for section in sections:
            ordered[section.name] = section
            section.alignment = max(section.alignment, device.section_alignment)
            cursor = -(-cursor // section.alignment) * section.alignment
            section.loaded_at = cursor
            section.address = place.base if place.kind == "local" else cursor
            if place.kind == "local":
                _define(code, f"__{place.name}_image", "", cursor)
            room = place.limit - section.address
            if section.size > room and not is_full:
                # Once: of those behind it the same is true.
                is_full = True
                all_of_them = sum(one.size for one in sections)
                wanted = f"; all that begin with '{place.name}' have {all_of_them}" if len(sections) > 1 else ""
                messages.error(
                    "link",
                    NOWHERE,
                    f"section '{section.name}' has {section.size} bytes; {device.name} has room for {max(0, room)}{wanted}",
                )
            cursor += section.size
    if device.global_pointer:
        short = [section for place in device.places if place.is_short for section in _sections_of(code, device, place)]
        first = min((section.address for section in short), default=0)
        end = max((section.address + section.size for section in short), default=0)
        _define(code, device.global_pointer, "", first + (end - first) // 2 // _POINTER_ALIGNMENT * _POINTER_ALIGNMENT)
    # Whoever copies and loads does so in whole lines.
    cursor = -(-cursor // device.section_alignment) * device.section_alignment
    _define(code, "__end", "", cursor)
    code.sections = ordered


def _sections_of(code: ObjectFile, device: DeviceCode, place: SectionPlace) -> list[Section]:
    return [section for section in code.sections.values() if device.place(section.name) is place]


def _define(code: ObjectFile, name: str, section: str, offset: int) -> None:
    code.symbols[name] = Symbol(name, section, offset)
