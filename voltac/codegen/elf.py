"""Assembled or linked code → an ELF file of 32 or 64 bits.

A note of our own carries a checksum, so that the reader finds a changed byte even
where the file still makes sense.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping

from voltac.codegen.device import DeviceCode
from voltac.codegen.elf_format import (
    ABSOLUTE,
    ALLOCATED,
    CLASSES,
    EXECUTABLE,
    GLOBAL,
    LOCAL_SPACE,
    NOTE,
    NOTE_HEADER,
    NOTE_OWNER,
    NOTES,
    OBJECT,
    PROGBITS,
    PROGRAM_EXECUTE,
    PROGRAM_LOAD,
    PROGRAM_READ,
    PROGRAM_WRITE,
    RELA,
    STRTAB,
    SYMTAB,
    WRITABLE,
    ZEROS,
    ElfClass,
)
from voltac.codegen.object_file import ObjectFile, Section
from voltac.records import field, mutable_record

_FLAGS = {
    "text": ALLOCATED | EXECUTABLE,
    "data": ALLOCATED | WRITABLE,
    "constants": ALLOCATED,
    "zeros": ALLOCATED | WRITABLE,
    "local": ALLOCATED | WRITABLE | LOCAL_SPACE,
}
_PROGRAM_FLAGS = {
    "text": PROGRAM_READ | PROGRAM_EXECUTE,
    "data": PROGRAM_READ | PROGRAM_WRITE,
    "constants": PROGRAM_READ,
    "zeros": PROGRAM_READ | PROGRAM_WRITE,
    "local": PROGRAM_READ | PROGRAM_WRITE,
}


@mutable_record(eq=False)
class _Part:
    """A section of the file."""

    name: str
    type: int
    flags: int = 0
    address: int = 0
    content: bytes = b""
    size: int = 0
    link: int = 0
    info: int = 0
    alignment: int = 1
    entry_size: int = 0
    offset: int = 0


@mutable_record(eq=False)
class _Strings:
    content: bytearray = field(default_factory=lambda: bytearray(1))

    def add(self, text: str) -> int:
        if not text:
            return 0
        start = len(self.content)
        self.content += text.encode() + b"\0"
        return start


def write_elf(code: ObjectFile, device: DeviceCode, entry: str = "", notes: Mapping[str, bytes] | None = None) -> bytes:
    """An executable file where ``entry`` names the label to start at, and a relocatable one without it.

    ``notes`` go into the file as they are, under the kinds of :data:`NOTES`.
    """
    linked = bool(entry)
    form = CLASSES[device.elf_bits]
    parts = [_Part("", 0, alignment=0)]
    numbers: dict[str, int] = {}
    for section in code.sections.values():
        numbers[section.name] = len(parts)
        parts.append(_section_part(section, device))
    strings = _Strings()
    places, table, locals_ = _symbols(code, numbers, strings, form)
    symbol_part = _Part(".symtab", SYMTAB, content=table, alignment=4, entry_size=form.symbol_size)
    string_part = _Part(".strtab", STRTAB, content=bytes(strings.content))
    relocations = [] if linked else _relocation_parts(code, device, numbers, places)
    # The checksum is filled in last, and zero while it is computed.
    note_part = _Part(".note.voltac", NOTE, content=_notes({"checksum": bytes(4), **(notes or {})}), alignment=4)
    name_strings = _Strings()
    name_part = _Part(".shstrtab", STRTAB)
    parts += [*relocations, note_part, symbol_part, string_part, name_part]
    symbol_part.link, symbol_part.info = parts.index(string_part), locals_
    for part in relocations:
        part.link = parts.index(symbol_part)
    starts = [name_strings.add(part.name) for part in parts]
    name_part.content = bytes(name_strings.content)

    segments = list(code.sections.values()) if linked else []
    position = form.header.size + form.program_size * len(segments)
    body = bytearray()
    for part in parts[1:]:
        missing = -position % max(1, part.alignment)
        body += bytes(missing)
        position += missing
        part.offset = position
        body += part.content
        position += len(part.content)
        part.size = part.size or len(part.content)
    table_at = position + -position % (form.bits // 8)
    body += bytes(table_at - position)
    header = form.header.pack(
        b"\x7fELF" + bytes((form.number, 1, 1)) + bytes(9),
        2 if linked else 1,
        device.elf_machine,
        1,
        code.address(entry) if linked else 0,
        form.header.size if segments else 0,
        table_at,
        device.elf_flags,
        form.header.size,
        form.program_size if segments else 0,
        len(segments),
        form.section.size,
        len(parts),
        parts.index(name_part),
    )
    programs = b"".join(_program(form, section, parts[numbers[section.name]].offset) for section in segments)
    rows = b"".join(
        form.section.pack(
            start,
            part.type,
            part.flags,
            part.address,
            part.offset,
            part.size,
            part.link,
            part.info,
            part.alignment,
            part.entry_size,
        )
        for start, part in zip(starts, parts)
    )
    whole = bytearray(header + programs + bytes(body) + rows)
    place = note_part.offset + note_part.content.index(NOTE_OWNER) + len(NOTE_OWNER)
    whole[place : place + 4] = struct.pack("<I", zlib.crc32(whole))
    return bytes(whole)


def _section_part(section: Section, device: DeviceCode) -> _Part:
    zeros = section.kind == "zeros"
    place = device.place(section.name)
    return _Part(
        section.name,
        ZEROS if zeros else PROGBITS,
        _FLAGS[section.kind] | (device.short_flag if place is not None and place.is_short else 0),
        section.address,
        b"" if zeros else bytes(section.content),
        section.size,
        alignment=section.alignment,
    )


def _symbols(code: ObjectFile, numbers: dict[str, int], strings: _Strings, form: ElfClass) -> tuple[dict[str, int], bytes, int]:
    """Number of each symbol, the table, and how many of its rows are local."""
    undefined = dict.fromkeys(item.symbol for item in code.relocations if item.symbol not in code.symbols)
    ordered = sorted(code.symbols.values(), key=lambda symbol: symbol.is_global)
    rows = [form.symbol(0, 0, 0, 0, 0, 0)]
    places: dict[str, int] = {}
    for symbol in ordered:
        places[symbol.name] = len(rows)
        # A section with nothing in it is not there, whatever labels it has.
        section = code.sections.get(symbol.section)
        number = ABSOLUTE if section is None else numbers[section.name]
        kind = OBJECT if section is not None and section.kind != "text" else 0
        value = symbol.offset + (0 if section is None else section.address)
        information = (GLOBAL if symbol.is_global else 0) << 4 | kind
        rows.append(form.symbol(strings.add(symbol.name), value, 0, information, 0, number))
    for name in undefined:
        places[name] = len(rows)
        rows.append(form.symbol(strings.add(name), 0, 0, GLOBAL << 4, 0, 0))
    return places, b"".join(rows), 1 + sum(not symbol.is_global for symbol in ordered)


def _relocation_parts(code: ObjectFile, device: DeviceCode, numbers: dict[str, int], places: dict[str, int]) -> list[_Part]:
    parts = []
    form = CLASSES[device.elf_bits]
    for name, number in numbers.items():
        rows = [
            form.relocation.pack(
                item.offset, places[item.symbol] << form.symbol_shift | device.relocation(item.part).number, item.addend
            )
            for item in code.relocations
            if item.section == name
        ]
        if rows:
            parts.append(
                _Part(f".rela{name}", RELA, content=b"".join(rows), info=number, alignment=4, entry_size=form.relocation.size)
            )
    return parts


def _notes(notes: Mapping[str, bytes]) -> bytes:
    out = b""
    for kind, content in notes.items():
        out += NOTE_HEADER.pack(len(NOTE_OWNER) - 1, len(content), NOTES[kind]) + NOTE_OWNER
        out += content + bytes(-len(content) % 4)
    return out


def _program(form: ElfClass, section: Section, offset: int) -> bytes:
    return form.program(
        PROGRAM_LOAD,
        offset,
        section.address,
        section.loaded_at,
        0 if section.kind == "zeros" else section.size,
        section.size,
        _PROGRAM_FLAGS[section.kind] | (LOCAL_SPACE if section.kind == "local" else 0),
        section.alignment,
    )
