"""Directives of GNU as: the bytes that they make, as its manual has it, and what is said where they are wrong."""

from pathlib import Path

import pytest

import voltac
from voltac.messages.diagnostics import Diagnostics
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
        (".1byte 1, 2", b"\1\2"),
        (".dc.b 1\n.dc.w 2\n.dc.l 3\n.dc 4\n.dc.s 1.5", b"\1\2\0\3\0\0\0\4\0\0\0\xc0\x3f"),
        (".dcb.b 3, 7\n.dcb.w 1, 258\n.ds.l 1", b"\7\7\7\2\1\0\0\0\0"),
        (".octa 1 << 64", bytes(8) + b"\1" + bytes(7)),
        (".uleb128 0, 127, 128, 624485", b"\0\x7f\x80\1\xe5\x8e\x26"),  # The last is DWARF's own example.
        (".sleb128 2, -2, 127, -127, 128, -128", b"\2\x7e\xff\0\x81\x7f\x80\1\x80\x7f"),  # DWARF 4, figure 23.
        (".float 0x1.8p0, 0f-2.5, 0x10", b"\0\0\xc0\x3f\0\0\x20\xc0\0\0\x80\x41"),
        (".value 1.5h\n.float16 1.5", b"\0\x3e\0\x3e"),
        ('.ascii "a" "b", "c"\n.asciz "d" "e"', b"abcde\0"),
        ('.string16 "a"\n.string32 "b"', b"a\0\0\0b\0\0\0\0\0\0\0"),
        (".macro a\n.byte \\+\n.endm\n.macro b\n.byte \\+ + 16, \\@\n.endm\na\nb\na\nb", b"\0\x10\1\1\x11\3"),
        (".rept 2\n.byte \\+\n.endr\n.irp a, 7, 8\n.byte \\a, \\+\n.endr", b"\0\1\7\0\x08\1"),
        (".rept 1\n.byte \\+\n.macro m a\nx\\a\\()y = 3\n.byte xky\n.endm\n.endr\nm k", b"\0\3"),
        (".IF 1\n.Macro m\n.Byte 5\n.ENDM\n.REPT 2\nm\n.ENDR\n.ELSE\n.ERR\n.ENDIF", b"\5\5"),
        (".macro .Own\n.byte 5\n.endm\n.Own", b"\5"),
        (".rep 2\n.byte 1\n.endr", b"\1\1"),
        (".macro m(a, b=3)\n.byte \\a, \\b\n.endm\nm 4", b"\4\3"),
        (".byte 1\n.subsection 1\n.byte 2\n.subsection 0\n.byte 3", b"\1\3"),
        (".data 1\n.byte 2\n.data\n.byte 3", b"\3"),
        (".type f @function\n.type f, STT_FUNC\n.type f, \"object\"\n.type f, %function\nf: .byte 1", b"\1"),
        (".cfi_escape 1, 2\n.cfi_signal_frame\n.addrsig\n.addrsig_sym f\n.byte 1", b"\1"),
        ('.pushsection .debug_line,"",@progbits\n.long f\n.popsection\n.byte 1', b"\1"),
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


def test_what_is_for_other_tools_lies_nowhere() -> None:
    text = '.section .debug_info,"",@progbits\n.long f - nowhere\n.section .comment\n.asciz "v"\n.text\nf: nop\n'
    assert list(assembled(text).code.sections) == [".text"]


def test_an_address_of_eight_bytes_has_zeros_above() -> None:
    image = assembled(".data\n.quad f, 1\n.text\nf: nop\n").image()
    data = next(segment for segment in image.segments if segment.size == 16)
    assert data.content == image.symbols["f"].to_bytes(8, "little") + (1).to_bytes(8, "little")


def test_a_numbered_part_lies_behind_what_it_interrupts() -> None:
    image = assembled("a: nop\n.subsection 1\nb: nop\n.previous\nc: nop\nbri b\n").image()
    assert image.symbols["c"] == image.symbols["a"] + 4
    assert image.symbols["b"] >= image.symbols["c"] + 8


def test_warnings_of_the_text_are_given_and_it_is_assembled() -> None:
    messages = Diagnostics(wrap=False)
    made = assemble_vertices('.if 1\n .warning "slow path"\n.endif\n#warning old header\nnop\n', "mk2", "k.S", messages)
    assert [(item.span.line, item.text) for item in messages.items] == [(4, "old header"), (2, "slow path")]
    assert bytes(made.code.sections[".text"].content) == NOP


@pytest.mark.parametrize(
    "declared", ["8 f", "8, f", "(4 + 4) f", "(4 + 4), f", "(8, f)", '(8, "f")', "((4 + 4), f)", "4 * 2 f"]
)
def test_stacks_are_declared_as_in_assembly_and_in_cpp(declared: str) -> None:
    assert assembled(f"DEF_STACK_USAGE {declared}\nf: nop\n").stacks == {"f": 8}
    assert assembled(f"DEF_STACK_SIZE_OWN {declared}\nf: nop\nDEF_FUNC_CALL_PTRS f, g\n").stacks == {"f": 8}


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
        (" .uleb128 -1", "k.S:1:11: Error: -1 has a sign"),
        (" .subsection -1", "k.S:1:14: Error: parts of a section have numbers from 0 to 8192, not -1"),
        (" .type f, @fun", "k.S:1:8: Error: '.type' takes a label and @function or @object"),
        (" DEF_STACK_USAGE (8, f", "k.S:1:18: Error: a parenthesis is missing here"),
        (" DEF_STACK_USAGE 8", "k.S:1:2: Error: here stand a number of bytes and the name"),
        (" .float 0x", "k.S:1:9: Error: '0x' is no number that fits here"),
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


def test_code_without_room_is_told_once_with_all_of_it() -> None:
    text = "".join(f".section .text.f{number}\nf{number}: nop\n.space 65532\n" for number in range(4))
    with pytest.raises(voltac.CompileError) as raised:
        assemble_vertices(text, "mk1").image()
    message = " ".join(str(raised.value).split())
    assert message == (
        "Error: section '.text.f2' has 65536 bytes; ipu-mk1 has room for 0; all that begin with '.text' have 262144"
    )
