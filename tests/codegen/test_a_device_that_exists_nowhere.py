"""Assembler, linker, ELF files and disassembler serve a device of 16-bit words with a syntax of its own."""

import pytest
from small_machine import SMALL

from voltac.codegen.assembler import assemble
from voltac.codegen.disassembler import Disassembler
from voltac.codegen.elf import write_elf
from voltac.codegen.elf_read import read_elf
from voltac.codegen.link import link
from voltac.messages.diagnostics import CompileError

PROGRAM = """
        .global start
start:  set r1, -3
        low r2, table           # address in two halves
        high r2, table
again:  load r3, [r2]
        add r4 = r3, r1
        branch r4 ? again
        branch r4 ? start
        .data
table:  .half 7, -1
"""


def test_words_are_those_written_down_by_hand() -> None:
    code = link(assemble(PROGRAM, SMALL), SMALL)
    words = memoryview(code.sections[".text"].content).cast("H").tolist()
    by_hand = [
        0b10_00_001_111111101,
        0b10_01_010_000000000,  # table is at 0x200: its low nine bits are zero
        0b10_10_010_000000000,
        0b0_001_011_010_000_000,
        0b0_000_100_011_001_000,
        0b11_00_100_111111100,  # back four bytes
        0b11_00_100_111110100,  # back twelve bytes
    ]
    assert words == by_hand
    assert bytes(code.sections[".data"].content) == b"\x07\0\xff\xff"


def test_disassembly_assembles_to_the_same_words() -> None:
    code = link(assemble(PROGRAM, SMALL), SMALL)
    content = bytes(code.sections[".text"].content) + (0b0_111 << 12).to_bytes(2, "little")
    lines = list(Disassembler(SMALL).lines(content, 0x100, {"start": 0x100}))
    assert lines[-1].text == ".half 0x7000" and lines[-1].comment == "no instruction"
    text = "\n".join("".join(f"{label}:\n" for label in line.labels) + line.text for line in lines)
    assert bytes(assemble(text, SMALL).sections[".text"].content) == content


def test_file_is_read_back() -> None:
    code = link(assemble(PROGRAM, SMALL), SMALL)
    found = read_elf(write_elf(code, SMALL, "start"), SMALL)
    assert found.entry == 0x100
    assert found.code.sections[".text"].content == code.sections[".text"].content
    assert found.image is not None and [segment.address for segment in found.image.segments] == [0x100, 0x200]


def test_code_that_does_not_fit_is_refused() -> None:
    with pytest.raises(CompileError, match=r"section '.text' has 258 bytes; small has room for 256"):
        link(assemble("set r0, 1\n" * 129, SMALL), SMALL)


def test_distance_that_does_not_fit_is_refused() -> None:
    far = "start:\n" + "set r0, 1\n" * 200 + "branch r0 ? start\n"
    with pytest.raises(CompileError, match=r"'start' is too far away: -400 bytes, and the instruction reaches -256 to 255"):
        assemble(far, SMALL)
