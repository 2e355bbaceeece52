"""ELF files: what another reader finds in them, and that no changed byte gets through ours."""

import io
import random
import struct
import zlib
from typing import Any

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import SymbolTableSection

from voltac.codegen.assembler import assemble
from voltac.codegen.elf import write_elf
from voltac.codegen.elf_read import BadElf, read_elf, read_image
from voltac.codegen.image import Image, ImageSegment, memory_text, toolchain_text
from voltac.codegen.link import link
from voltac.messages.diagnostics import CompileError
from voltac.targets.naplespu.isa import DEVICE_CODE

PROGRAM = """
        .global _start, helper
        .section .trap
        jmp     0
        .text
_start: leah    s2, table
        leal    s2, table
        load32  s3, (s2)
        leal    s4, local+8
        jmpsr   helper
        jmp     _start
helper: jret
        .rodata
table:  .word   1, -2, helper+4, table
        .float  0.5
        .asciz  "a\\n#b"
        .data
        .align  64
state:  .half   1, 2
        .section scratchpad
local:  .word   7
        .space  20
        .bss
        .align  64
room:   .space  100
"""


def linked(text: str = PROGRAM) -> bytes:
    return write_elf(link(assemble(text, DEVICE_CODE), DEVICE_CODE), DEVICE_CODE, "_start", {"kernels": b"[]"})


def relocatable() -> bytes:
    return write_elf(assemble(PROGRAM, DEVICE_CODE), DEVICE_CODE)


def test_another_reader_finds_what_was_written() -> None:
    elf = ELFFile(io.BytesIO(linked()))
    assert (elf.elfclass, elf.little_endian, elf["e_machine"], elf["e_type"]) == (32, True, 9876, "ET_EXEC")
    assert elf["e_entry"] == 0x400
    addresses = {section.name: section["sh_addr"] for section in elf.iter_sections() if section["sh_flags"] & 2}
    main = {".trap": 0x380, ".text": 0x400, ".rodata": 0x800000, ".data": 0x800040, ".bss": 0x8000C0}
    assert addresses == {**main, "scratchpad": 0xFE000000}
    table = elf.get_section_by_name(".symtab")
    assert isinstance(table, SymbolTableSection)
    values = {symbol.name: symbol["st_value"] for symbol in table.iter_symbols()}
    assert values["helper"] == 0x400 + 24
    assert values["__scratchpad_image"] == 0x800080 and values["__scratchpad_end"] == 0xFE000018 and values["__end"] == 0x800140
    loads = [(segment["p_vaddr"], segment["p_paddr"], segment["p_memsz"]) for segment in elf.iter_segments()]
    assert loads == [
        (0x380, 0x380, 4),
        (0x400, 0x400, 28),
        (0x800000, 0x800000, 25),
        (0x800040, 0x800040, 4),
        (0xFE000000, 0x800080, 24),
        (0x8000C0, 0x8000C0, 100),
    ]
    rodata = elf.get_section_by_name(".rodata").data()  # type: ignore[union-attr]
    assert rodata == struct.pack("<4If", 1, 0xFFFFFFFE, 0x41C, 0x800000, 0.5) + b"a\n#b\0"


def test_address_halves_and_scratchpad_addresses_are_filled_in() -> None:
    words = memoryview(read_elf(linked(), DEVICE_CODE).code.sections[".text"].content).cast("I").tolist()
    halves = [word >> 2 & 0xFFFF for word in words]
    assert (halves[0], halves[1], halves[3]) == (0x80, 0, 8)


def test_relocations_of_the_reference() -> None:
    elf = ELFFile(io.BytesIO(relocatable()))
    assert elf["e_type"] == "ET_REL"
    found = {}
    symbols: Any = elf.get_section_by_name(".symtab")
    for section in elf.iter_sections():
        if isinstance(section, RelocationSection):
            assert section.is_RELA()
            found[section.name] = [
                (item["r_offset"], item["r_info_type"], symbols.get_symbol(item["r_info_sym"]).name, item["r_addend"])
                for item in section.iter_relocations()
            ]
    assert found == {
        ".rela.text": [(0, 6, "table", 0), (4, 7, "table", 0), (12, 7, "local", 8)],
        ".rela.rodata": [(8, 1, "helper", 4), (12, 1, "table", 0)],
    }


def test_a_relocatable_file_can_be_read_and_linked() -> None:
    code = link(read_elf(relocatable(), DEVICE_CODE).code, DEVICE_CODE)
    assert write_elf(code, DEVICE_CODE, "_start", {"kernels": b"[]"}) == linked()


def test_a_branch_to_another_section_is_linked() -> None:
    text = ".global _start\n_start: jmp far\n.section .trap\nfar: jret\n"
    relocations = read_elf(write_elf(assemble(text, DEVICE_CODE), DEVICE_CODE), DEVICE_CODE).code.relocations
    assert [(item.part, item.symbol) for item in relocations] == [("relative", "far")]
    content = link(assemble(text, DEVICE_CODE), DEVICE_CODE).sections[".text"].content
    assert int.from_bytes(content, "little") == 0x78000000 | -0x80 & 0x3FFFF


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("_start: jmp nowhere", "'nowhere' is used and defined nowhere"),
        ("_start: leah s1, tabel\n.data\ntable: .word 1", "did you mean 'table'?"),
        ("nop\n.section scratchpad\n.space 0xF801", "section 'scratchpad' has 63489 bytes; naplespu has room for 63488"),
        ("_start: nop\n.space 0x7FC00", "section '.text' has 523268 bytes; naplespu has room for 523264"),
    ],
)
def test_what_has_no_address_or_no_room_is_refused(text: str, message: str) -> None:
    with pytest.raises(CompileError) as raised:
        link(assemble(text, DEVICE_CODE), DEVICE_CODE)
    assert message in str(raised.value)


# --- damaged files ----------------------------------------------------------------------------------------------------


def test_a_changed_byte_is_found() -> None:
    content = linked()
    chance = random.Random(1)
    for place in range(len(content)):
        changed = bytearray(content)
        changed[place] ^= chance.randrange(1, 256)
        with pytest.raises(BadElf):
            read_image(bytes(changed), DEVICE_CODE)


def test_a_file_that_was_cut_off_is_found() -> None:
    content = linked()
    for length in range(len(content)):
        with pytest.raises(BadElf):
            read_image(content[:length], DEVICE_CODE)


def with_checksum(content: bytearray) -> bytes:
    """The file as if it had been written this way."""
    place = content.find(b"voltac\0\0")
    if place >= 0:
        content[place + 8 : place + 12] = bytes(4)
        content[place + 8 : place + 12] = struct.pack("<I", zlib.crc32(content))
    return bytes(content)


@pytest.mark.parametrize("content", [linked(), relocatable()], ids=["executable", "relocatable"])
def test_nonsense_with_a_fitting_checksum_is_read_or_refused(content: bytes) -> None:
    chance = random.Random(2)
    refused = 0
    for _ in range(3000):
        changed = bytearray(content)
        for _ in range(chance.randrange(1, 5)):
            place = chance.randrange(len(changed)) // 2 * 2
            changed[place : place + 2] = chance.choice((b"\0\0", b"\xff\xff", b"\x7f\xff", chance.randbytes(2)))
        try:
            read_elf(with_checksum(changed[: len(content)]), DEVICE_CODE)
        except BadElf:
            refused += 1
    assert refused > 1000


def changed(content: bytes, offset: int, form: str, value: int) -> bytes:
    out = bytearray(content)
    struct.pack_into(form, out, offset, value)
    return with_checksum(out)


def section_row(content: bytes, name: str) -> int:
    elf = ELFFile(io.BytesIO(content))
    return int(elf["e_shoff"]) + 40 * int(elf.get_section_index(name) or 0)


@pytest.mark.parametrize(
    ("offset", "form", "value", "message"),
    [
        (0, "B", 1, "does not begin like an ELF file"),
        (4, "B", 2, "its class is 2"),
        (5, "B", 2, "its byte order is 2"),
        (16, "<H", 3, "type 3 is neither relocatable (1) nor executable (2)"),
        (18, "<H", 62, "it is for machine 62; naplespu has number 9876"),
        (24, "<I", 0x402, "the entry 0x402 is not the address of an instruction"),
        (24, "<I", 0x800000, "the entry 0x800000 is not the address of an instruction"),
        (28, "<I", 1 << 20, "the table of segments ends at offset"),
        (32, "<I", 1 << 20, "the table of sections ends at offset"),
        (46, "<H", 64, "headers of sections have 64 bytes"),
        (50, "<H", 1, "section 1 is not the names of the sections"),
    ],
)
def test_reasons_for_bad_headers(offset: int, form: str, value: int, message: str) -> None:
    with pytest.raises(BadElf) as raised:
        read_elf(changed(linked(), offset, form, value), DEVICE_CODE)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("section", "column", "value", "message"),
    [
        (".text", 3, 0x402, "at address 0x402 is not aligned to 64"),
        (".text", 3, 0x7FFFC0, "section '.text' ends at 0x7fffdc, beyond 0x80000"),
        (".text", 3, 0x380, "overlap in memory"),
        (".text", 4, 0xFFFFFF, "beyond the file's"),
        (".text", 5, 27, "no whole number of instructions"),
        (".text", 2, 7, "has flags 0x7 instead of 0x6"),
        (".text", 8, 48, "is aligned to 48, no power of two"),
        (".data", 4, 64, "overlap in the file"),
        (".symtab", 9, 24, "has rows of 24 bytes"),
        (".symtab", 6, 1, "section 1 is not the names of the symbols"),
    ],
)
def test_reasons_for_bad_sections(section: str, column: int, value: int, message: str) -> None:
    content = linked()
    place = section_row(content, section) + 4 * column
    with pytest.raises(BadElf) as raised:
        read_elf(changed(content, place, "<I", value), DEVICE_CODE)
    assert message in str(raised.value)


def test_reasons_for_bad_relocations() -> None:
    content = relocatable()
    place = int(ELFFile(io.BytesIO(content)).get_section_by_name(".rela.text")["sh_offset"])  # type: ignore[index]
    for offset, value, message in (
        (place + 4, 9, "relocation type 9"),
        (place + 4, 0xFFFF07, "names symbol 65535, which there is not"),
        (place, 2, "a relocation at offset 0x2 of section '.text'"),
        (place, 4096, "which is no place of a word"),
    ):
        with pytest.raises(BadElf) as raised:
            read_elf(changed(content, offset, "<I", value), DEVICE_CODE)
        assert message in str(raised.value)


def test_a_relocatable_file_does_not_run() -> None:
    with pytest.raises(BadElf, match="it has to be linked"):
        read_image(relocatable(), DEVICE_CODE)


# --- other formats of memory --------------------------------------------------------------------------------------------


def test_memory_as_text() -> None:
    image = Image(0, (ImageSegment(64 + 60, bytes(range(1, 9)), 8), ImageSegment(256, b"", 64)), {})
    first, second = bytes(60) + bytes((1, 2, 3, 4)), bytes((5, 6, 7, 8)) + bytes(60)
    assert toolchain_text(image) == f"0x00000040,0x{first.hex()}\n0x00000080,0x{second.hex()}\n"
    # 512 bits a line as one number, so the byte at the highest address stands first; from address 0 on.
    assert memory_text(image) == f"{'0' * 128}\n{first[::-1].hex()}\n{second[::-1].hex()}\n"
