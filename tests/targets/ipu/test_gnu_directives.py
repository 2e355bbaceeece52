"""Directives of GNU as: the bytes that they make, as its manual has it, and what is said where they are wrong."""

from pathlib import Path

import pytest

import voltac
from voltac.targets.ipu.assembly.program import TileProgram, assemble_vertices

NOP = bytes.fromhex("0000e019")
"""IPU 3.2, the lowest byte first."""


def assembled(text: str, file: str = "<assembly>") -> TileProgram:
    return assemble_vertices(text, "mk2", file)


def data(text: str) -> bytes:
    return bytes(assembled(f".data\n{text}\n").code.sections[".data"].content)


def code(text: str) -> bytes:
    return bytes(assembled(f".text\n{text}\n").code.sections[".text"].content)


@pytest.mark.parametrize(
    ("text", "bytes_made"),
    [
        (r'.ascii "\x41\102\tC\b\f\\\""', b"AB\tC\b\f\\\""),
        (".byte 1\n.org 4\n.byte 2", b"\1\0\0\0\2"),
        (".byte 1\n.org 3, 7\n.byte 2", b"\1\7\7\2"),
        (".byte 1\n.balignw 4, 0x1234\n.byte 2", b"\1\0\x34\x12\2"),
        (".byte 1, 2, 3, 4\n.p2alignl 3, 0x01020304\n.byte 2", b"\1\2\3\4\4\3\2\1\2"),
        (".byte 1\n.balign 4, 9, 2\n.byte 2", b"\1\2"),
        (".byte 1\n.balign 4, 9, 3\n.byte 2", b"\1\x09\x09\x09\2"),
        (".byte 1\n.p2align 2,, 3\n.byte 2", b"\1\0\0\0\2"),
        (".byte 1\n.end\n.byte 2", b"\1"),
        (".rept 2 ; .byte 1 ; .rept 2 ; .byte 2 ; .endr ; .endr ; .byte 3", b"\1\2\2\1\2\2\3"),
        (".macro m a, b=7 ; .byte \\a, \\b ; .endm ; m 4 ; m 5, 6", b"\4\7\5\6"),
        (".byte 0 ; 1: .irp a, 1, 2 ; .byte \\a + . - 1b\n.endr ; .byte 9", b"\0\1\3\x09"),
        ("#define MAKE(name) .macro name a ; .byte a_##name, \\a ; .endm\na_m = 3\nMAKE(m)\nm 4", b"\3\4"),
        (".float 1.5f, inf, -Infinity, 2.f", b"\0\0\xc0\x3f\0\0\x80\x7f\0\0\x80\xff\0\0\0\x40"),
        (".cfi_startproc\n.list\n.title \"t\"\n.byte 1\n.cfi_endproc", b"\1"),
        (".altmacro\n.macro m a, b\n.byte a, b\n.endm\nm %(1 + 2 * 3), %8 >> 1\n.noaltmacro", b"\7\4"),
        (".altmacro\n.macro m a\n.byte a\n.endm\nm <1, 2>\nm <3>", b"\1\2\3"),
        ('.altmacro\n.macro m a\n.ascii "b&a;"\n.endm\nm <x!>>', b"bx>;"),
        (".altmacro\n.macro m a\n.irp b, a, 5\n.byte b\n.endr\n.endm\nm 4", b"\4\5"),
        (".altmacro\n.noaltmacro\n.macro m a\n.byte \\a\n.endm\nm 4", b"\4"),
    ],
)  # fmt: skip
def test_bytes_of_directives(text: str, bytes_made: bytes) -> None:
    assert data(text) == bytes_made


def test_labels_of_a_macro_of_its_own() -> None:
    body = "LOCAL again, behind\nbrz register, behind\nagain: brnzdec register, again\nbehind:\n"
    text = f".altmacro\n.macro wait register\n{body}.endm\n"
    by_hand = "brz $m{0}, 2f\n1: brnzdec $m{0}, 1b\n2:\n"
    assert code(f"{text}wait $m0\nwait $m1") == code(by_hand.format(0) + by_hand.format(1))


def test_zeros_with_a_label() -> None:
    made = assembled(".byte 0\n.lcomm a, 6\n.comm b, 16, 8\n.data\n.long b - a").code
    assert made.sections[".bss"].zeros == 24
    assert bytes(made.sections[".data"].content) == (8).to_bytes(4, "little")


def test_a_file_is_included_where_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "counts.inc").write_text("# a comment\n.set count, 3\n.byte count\n")
    text = '.data\n.include "counts.inc"\n.byte count + 1\n.if 0\n.include "missing.inc"\n.endif\n'
    made = assembled(text, str(tmp_path / "k.S"))
    assert bytes(made.code.sections[".data"].content) == b"\3\4"


def test_a_file_that_includes_itself_is_told(tmp_path: Path) -> None:
    (tmp_path / "self.inc").write_text('.include "self.inc"\n')
    with pytest.raises(voltac.CompileError, match="this file is included within itself without end"):
        assembled('.include "self.inc"\n', str(tmp_path / "k.S"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (' .include "missing.inc"', "k.S:1:11: Error: 'missing.inc' file not found"),
        (" .org 4\n .org 0", "k.S:2:7: Error: '.org' goes back to 0, and the section has 4 bytes"),
        (" .comm a", "k.S:1:8: Error: here stand a name, a number of bytes"),
        (" .balign 4, 0, 1, 2", "k.S:1:2: Error: '.align' takes a number of bytes"),
        (" .balign 3", "k.S:1:10: Error: an alignment is a power of two"),
        (' .ascii "\\q"', "k.S:1:9: Error: unknown escape '\\q'"),
        (" .altmacro\n .macro m a\n .byte a\n .endm\n m %later", "k.S:5:5: Error: an argument behind '%' has to be known"),
        (" .macro m a:req\n .endm\n m", "k.S:3:2: Error: macro 'm' is used without its argument 'a'"),
        (' .incbin "f"', "k.S:1:2: Error: unknown directive '.incbin'"),
    ],
)
def test_mistakes_have_line_and_column(text: str, message: str) -> None:
    with pytest.raises(voltac.CompileError) as raised:
        assembled(f"{text}\n", "k.S")
    assert message in " ".join(str(raised.value).split())


@pytest.mark.parametrize(
    ("flags", "section"),
    [('"ax", @progbits', ".text.own"), ('"aw"', ".data.own"), ('"a",@progbits', ".rodata.own"), ('"aw", @nobits', ".bss.own")],
)
def test_sections_of_any_name_lie_where_their_flags_say(flags: str, section: str) -> None:
    made = assembled(f".section own,{flags}\n.space 4\n").code.sections
    assert made[section].size == 4


def test_mistakes_in_bodies_on_one_line_have_their_columns() -> None:
    with pytest.raises(voltac.CompileError) as raised:
        assembled("nop ; .rept 1 ; nop ; nup ; .endr ; nip\n", "k.S")
    message = " ".join(str(raised.value).split())
    assert "k.S:1:23: Error: unknown instruction or macro 'nup'" in message
    assert "k.S:1:37: Error: unknown instruction or macro 'nip'" in message


def test_code_is_aligned_by_instructions_that_do_nothing() -> None:
    assert code("nop\n.p2align 3\nnop") == NOP * 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f:\n  bri nowhere", "k.S:2:7: Error: 'nowhere' is used and defined nowhere"),
        ("f:\n  bri f + 2", "k.S:2:7: Error: a reference to 'f' does not reach it: address 0x4c002 is no multiple of 4"),
        (".macro jump to\n  nop\n  bri \\to\n.endm\nf: jump far", "k.S:3:7: Error: 'far' is used and defined nowhere"),
        ("f: nop\n.data\n.long 1, fa", "k.S:3:10: Error: 'fa' is used and defined nowhere"),
    ],
)
def test_addresses_that_are_none_have_their_places(text: str, message: str) -> None:
    with pytest.raises(voltac.CompileError) as raised:
        assembled(f"{text}\n", "k.S").image()
    assert message in " ".join(str(raised.value).split())
