"""An ELF file of 32 or 64 bits → its sections and symbols, and the memory image of an executable one.

Nothing is taken on trust: whatever does not fit together is a :class:`BadElf` with
the reason, and a file of ours has a checksum besides.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from itertools import pairwise

from voltac.codegen.device import DeviceCode
from voltac.codegen.elf_format import (
    ABSOLUTE,
    ALLOCATED,
    CHECKSUM,
    CLASSES,
    EXECUTABLE,
    GLOBAL,
    LOCAL_SPACE,
    NOTE,
    NOTE_HEADER,
    NOTE_OWNER,
    NOTES,
    PROGBITS,
    PROGRAM_EXECUTE,
    PROGRAM_LOAD,
    RELA,
    STRTAB,
    SYMTAB,
    WRITABLE,
    ZEROS,
)
from voltac.codegen.image import Image, ImageSegment
from voltac.codegen.object_file import ObjectFile, Relocation, Section, Symbol
from voltac.records import mutable_record, record

_ADDRESSES = 1 << 32
"""Of any device's memory; a segment that goes beyond them is a broken file."""


class BadElf(ValueError):
    """The file is no program for the device; ``str()`` is the reason."""


@record
class ElfFile:
    """``code`` has its addresses if the file is executable, and open relocations if not."""

    code: ObjectFile
    executable: bool
    entry: int
    image: Image | None
    """Of an executable file."""
    notes: dict[str, bytes]


def read_elf(content: bytes, device: DeviceCode) -> ElfFile:
    """Read and check a whole file."""
    return _Reader(content, device).run()


def read_image(content: bytes, device: DeviceCode) -> Image:
    """The memory image of an executable file."""
    found = read_elf(content, device)
    if found.image is None:
        raise BadElf("the file is relocatable: it has to be linked before it can run")
    return found.image


@mutable_record(eq=False)
class _Header:
    name_at: int
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry_size: int
    name: str = ""


class _Reader:
    def __init__(self, content: bytes, device: DeviceCode) -> None:
        self.content = content
        self.device = device
        self.form = CLASSES[device.elf_bits]
        self.headers: list[_Header] = []
        self.tables: list[tuple[int, int, str]] = []
        """What of the file is no section: begin, end, name."""
        self.made = ObjectFile()
        self.numbers: dict[int, str] = {}
        """Number of a section → name, for those with code and data."""

    def run(self) -> ElfFile:
        content = self.content
        if content[:4] != b"\x7fELF":
            raise BadElf("it does not begin like an ELF file" if content else "the file is empty")
        if len(content) < self.form.header.size:
            raise BadElf(f"the file ends within its header, after {len(content)} bytes")
        identification, kind, machine, version, entry, *rest = self.form.header.unpack_from(content)
        programs_at, sections_at, _, header_size, program_size, programs, section_size, sections, names = rest
        self._check_identification(identification, machine, version, header_size)
        if kind not in (1, 2):
            raise BadElf(f"type {kind} is neither relocatable (1) nor executable (2)")
        if section_size != self.form.section.size:
            raise BadElf(f"headers of sections have {section_size} bytes instead of {self.form.section.size}")
        self._inside("the table of sections", sections_at, sections * self.form.section.size)
        if sections_at % (self.form.bits // 8):
            raise BadElf(f"the table of sections begins at offset {sections_at}, no multiple of {self.form.bits // 8}")
        self.tables = [
            (0, self.form.header.size, "header"),
            (sections_at, sections_at + sections * self.form.section.size, "table of sections"),
            (programs_at, programs_at + programs * self.form.program_size, "table of segments"),
        ]
        for number in range(sections):
            self.headers.append(_Header(*self.form.section.unpack_from(content, sections_at + number * self.form.section.size)))
        self._check_sections(names)
        notes = dict(self._notes())
        if not notes and NOTE_OWNER in content:
            raise BadElf("its notes are not where its sections say: the file was changed after it was written")
        self._read_symbols(kind == 2)
        self._read_relocations(kind == 2)
        image = self._image(entry, programs_at, program_size, programs, notes) if kind == 2 else None
        return ElfFile(self.made, kind == 2, entry, image, notes)

    def _check_identification(self, identification: bytes, machine: int, version: int, header_size: int) -> None:
        wanted = self.form.number
        for position, what, number in ((4, "class", wanted), (5, "byte order", 1), (6, "version", 1)):
            if identification[position] != number:
                of_bits = f"an ELF file of {self.form.bits} bits, little endian"
                raise BadElf(f"its {what} is {identification[position]} instead of {number} ({of_bits})")
        if machine != self.device.elf_machine:
            raise BadElf(f"it is for machine {machine}; {self.device.name} has number {self.device.elf_machine}")
        if version != 1:
            raise BadElf(f"its version is {version} instead of 1")
        if header_size != self.form.header.size:
            raise BadElf(f"its header has {header_size} bytes instead of {self.form.header.size}")

    def _inside(self, what: str, offset: int, size: int) -> None:
        if offset + size > len(self.content):
            raise BadElf(f"{what} ends at offset {offset + size}, beyond the file's {len(self.content)} bytes")

    # --- sections -----------------------------------------------------------------------------------------------------

    def _check_sections(self, names: int) -> None:
        headers = self.headers
        if not headers or headers[0].type:
            raise BadElf("the table of sections does not begin with an empty row")
        if not 0 < names < len(headers) or headers[names].type != STRTAB:
            raise BadElf(f"section {names} is not the names of the sections")
        for number, header in enumerate(headers[1:], 1):
            if header.type != ZEROS:
                self._inside(f"section {number}", header.offset, header.size)
            if header.alignment & (header.alignment - 1):
                raise BadElf(f"section {number} is aligned to {header.alignment}, no power of two")
            if header.address % max(1, header.alignment):
                raise BadElf(f"section {number} at address {header.address:#x} is not aligned to {header.alignment}")
        for number, header in enumerate(headers[1:], 1):
            header.name = self._text(names, header.name_at, f"section {number}")
            if header.flags & ALLOCATED and header.type in (PROGBITS, ZEROS):
                self._take(number, header)
            elif header.flags & ALLOCATED:
                raise BadElf(f"section '{header.name}' of type {header.type} has a place in memory")
        self._check_overlaps()

    def _take(self, number: int, header: _Header) -> None:
        place = self.device.place(header.name)
        if place is None:
            known = ", ".join(place.name for place in self.device.places)
            raise BadElf(f"{self.device.name} has no place for a section '{header.name}'; it has {known}")
        if header.name in self.made.sections:
            raise BadElf(f"there are two sections '{header.name}'")
        flags = {"text": EXECUTABLE, "constants": 0, "local": WRITABLE | LOCAL_SPACE}.get(place.kind, WRITABLE)
        flags |= self.device.short_flag if place.is_short else 0
        if header.flags != ALLOCATED | flags:
            raise BadElf(f"section '{header.name}' has flags {header.flags:#x} instead of {ALLOCATED | flags:#x}")
        if (header.type == ZEROS) != (place.kind == "zeros"):
            raise BadElf(f"section '{header.name}' is of type {header.type}")
        if place.kind == "text" and header.size % self.device.word_bytes:
            raise BadElf(f"section '{header.name}' has {header.size} bytes, no whole number of instructions")
        if header.address + header.size > place.limit:
            raise BadElf(f"section '{header.name}' ends at {header.address + header.size:#x}, beyond {place.limit:#x}")
        section = Section(header.name, place.kind, alignment=max(1, header.alignment), address=header.address)
        section.loaded_at = header.address
        if place.kind == "zeros":
            section.zeros = header.size
        else:
            section.content = bytearray(self.content[header.offset : header.offset + header.size])
        self.made.sections[header.name] = section
        self.numbers[number] = header.name

    def _check_overlaps(self) -> None:
        def refuse_overlaps(spans: list[tuple[int, int, str]], where: str) -> None:
            for (_, end, first), (start, _, second) in pairwise(sorted(spans)):
                if start < end:
                    raise BadElf(f"'{first}' and '{second}' overlap in {where}")

        stored = [item for item in self.headers[1:] if item.type != ZEROS and item.size]
        in_file = [(item.offset, item.offset + item.size, item.name) for item in stored]
        refuse_overlaps(in_file + self.tables, "the file")
        taken = [self.made.sections[name] for name in self.numbers.values()]
        in_memory = [(item.address, item.address + item.size, item.name) for item in taken if item.kind != "local"]
        if any(start for start, _, _ in in_memory):
            refuse_overlaps(in_memory, "memory")

    def _text(self, table: int, offset: int, what: str) -> str:
        header = self.headers[table]
        content = self.content[header.offset : header.offset + header.size]
        end = content.find(b"\0", offset)
        if offset >= len(content) or end < 0:
            raise BadElf(f"the name of {what} is not in '{header.name or 'the names'}'")
        try:
            return content[offset:end].decode()
        except UnicodeDecodeError:
            raise BadElf(f"the name of {what} is no text") from None

    # --- symbols, relocations, notes ----------------------------------------------------------------------------------

    def _table(self, header: _Header, row_size: int) -> Iterator[int]:
        """Offsets of a section's rows."""
        if header.entry_size != row_size or header.size % row_size:
            raise BadElf(f"section '{header.name}' has rows of {header.entry_size} bytes and {header.size} bytes in all")
        return iter(range(header.offset, header.offset + header.size, row_size))

    def _read_symbols(self, linked: bool) -> None:
        tables = [header for header in self.headers if header.type == SYMTAB]
        if len(tables) > 1:
            raise BadElf("there are several tables of symbols")
        for header in tables:
            if not 0 < header.link < len(self.headers) or self.headers[header.link].type != STRTAB:
                raise BadElf(f"section {header.link} is not the names of the symbols")
            for number, offset in enumerate(self._table(header, self.form.symbol_size)):
                if number:
                    self._read_symbol(number, offset, header, linked)

    def _read_symbol(self, number: int, offset: int, header: _Header, linked: bool) -> None:
        name_at, value, _, information, _, section_number = self.form.read_symbol(self.content, offset)
        name = self._text(header.link, name_at, f"symbol {number}")
        if not name:
            raise BadElf(f"symbol {number} has no name")
        if section_number == 0 and not linked:
            return
        if name in self.made.symbols:
            raise BadElf(f"there are two symbols '{name}'")
        is_global = information >> 4 == GLOBAL
        if section_number == ABSOLUTE:
            self.made.symbols[name] = Symbol(name, "", value, is_global)
            return
        section = self.made.sections.get(self.numbers.get(section_number, ""))
        if section is None:
            raise BadElf(f"symbol '{name}' belongs to section {section_number}, which has no place in memory")
        inside = value - section.address
        if not 0 <= inside <= section.size:
            raise BadElf(f"symbol '{name}' is at {value:#x}, outside of section '{section.name}'")
        self.made.symbols[name] = Symbol(name, section.name, inside, is_global)

    def _read_relocations(self, linked: bool) -> None:
        kinds = {kind.number: kind for kind in self.device.relocations}
        for header in self.headers:
            if header.type != RELA:
                continue
            if linked:
                raise BadElf(f"section '{header.name}' in an executable file: its addresses are not final")
            name = self.numbers.get(header.info)
            if name is None:
                raise BadElf(f"section '{header.name}' changes section {header.info}, which has no place in memory")
            if not 0 < header.link < len(self.headers) or self.headers[header.link].type != SYMTAB:
                raise BadElf(f"section '{header.name}' names section {header.link} as its symbols")
            symbols = self.headers[header.link]
            for offset in self._table(header, self.form.relocation.size):
                place, information, addend = self.form.relocation.unpack_from(self.content, offset)
                type, number = information & (1 << self.form.symbol_shift) - 1, information >> self.form.symbol_shift
                kind = kinds.get(type)
                if kind is None:
                    known = ", ".join(str(number) for number in sorted(kinds))
                    raise BadElf(f"relocation type {type} in '{header.name}'; {self.device.name} has {known}")
                size = self.form.bits // 8 if kind.part == "absolute" else self.device.word_bytes
                in_slot = bool(self.device.bundle_bytes) and kind.part != "absolute"
                start = place - place % size if in_slot else place
                if start + size > len(self.made.sections[name].content) or start % size:
                    raise BadElf(f"a relocation at offset {place:#x} of section '{name}', which is no place of a word")
                if not 0 < number < symbols.size // self.form.symbol_size:
                    raise BadElf(f"a relocation names symbol {number}, which there is not")
                row = self.form.read_symbol(self.content, symbols.offset + number * self.form.symbol_size)
                symbol = self._text(symbols.link, row[0], f"symbol {number}")
                self.made.relocations.append(Relocation(name, place, kind.part, symbol, addend))

    def _notes(self) -> Iterator[tuple[str, bytes]]:
        kinds = {number: name for name, number in NOTES.items()}
        for header in self.headers:
            if header.type != NOTE or header.name != ".note.voltac":
                continue
            offset, end = header.offset, header.offset + header.size
            while offset < end:
                if offset + NOTE_HEADER.size + len(NOTE_OWNER) > end:
                    raise BadElf("a note is cut off")
                name_size, size, kind = NOTE_HEADER.unpack_from(self.content, offset)
                start = offset + NOTE_HEADER.size + len(NOTE_OWNER)
                if name_size != len(NOTE_OWNER) - 1 or self.content[offset + NOTE_HEADER.size : start] != NOTE_OWNER:
                    raise BadElf("a note in '.note.voltac' has another owner")
                if start + size > end or kind not in kinds:
                    raise BadElf(f"a note of type {kind} with {size} bytes")
                if kind == CHECKSUM:
                    self._compare_checksum(start, size)
                yield kinds[kind], self.content[start : start + size]
                offset = start + size + -size % 4

    def _compare_checksum(self, start: int, size: int) -> None:
        without = self.content[:start] + bytes(size) + self.content[start + size :]
        if size != 4 or zlib.crc32(without) != int.from_bytes(self.content[start : start + size], "little"):
            raise BadElf("its checksum does not fit: the file was changed after it was written")

    # --- the image ----------------------------------------------------------------------------------------------------

    def _image(self, entry: int, start: int, row_size: int, rows: int, notes: dict[str, bytes]) -> Image:
        if not rows:
            raise BadElf("an executable file without anything to load")
        if row_size != self.form.program_size:
            raise BadElf(f"headers of segments have {row_size} bytes instead of {self.form.program_size}")
        self._inside("the table of segments", start, rows * self.form.program_size)
        segments = []
        for number in range(rows):
            kind, *values = self.form.read_program(self.content, start + number * self.form.program_size)
            if kind == PROGRAM_LOAD:
                segments.append(self._segment(number, *values))
        spans = sorted((segment.address, segment.address + segment.size) for segment in segments)
        for (_, end), (following, _) in pairwise(spans):
            if following < end:
                raise BadElf(f"two segments overlap in memory at {following:#x}")
        code = [segment for segment in segments if segment.executable]
        if entry % self.device.word_bytes or not any(item.address <= entry < item.address + item.size for item in code):
            raise BadElf(f"the entry {entry:#x} is not the address of an instruction")
        symbols = {name: self.made.address(name) for name in self.made.symbols}
        return Image(entry, tuple(segments), symbols, notes)

    def _segment(
        self, number: int, offset: int, address: int, loaded_at: int, in_file: int, size: int, flags: int, alignment: int
    ) -> ImageSegment:
        self._inside(f"segment {number}", offset, in_file)
        if in_file > size:
            raise BadElf(f"segment {number} has {in_file} bytes in the file and {size} in memory")
        if alignment & (alignment - 1) or loaded_at % max(1, alignment):
            raise BadElf(f"segment {number} at {loaded_at:#x} is not aligned to {alignment}")
        if loaded_at + size > min(_ADDRESSES, max(place.limit for place in self.device.places)):
            raise BadElf(f"segment {number} ends at {loaded_at + size:#x}, beyond the memory")
        local = bool(flags & LOCAL_SPACE)
        same = [item for item in self.made.sections.values() if item.address == address and (item.kind == "local") == local]
        if not any(item.size == size for item in same) or (not local and address != loaded_at):
            raise BadElf(f"segment {number} at {address:#x} is no section of the file")
        content = self.content[offset : offset + in_file]
        for item in same:
            item.loaded_at = loaded_at
            if content != item.content:
                raise BadElf(f"segment {number} has other bytes than section '{item.name}'")
        return ImageSegment(loaded_at, content, size, bool(flags & PROGRAM_EXECUTE))
