"""Assembly text: expressions, macros, conditions, data, the C preprocessor's lines; and what is said of mistakes."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from voltac.messages.diagnostics import CompileError
from voltac.targets.ipu.assembly.program import TileProgram, assemble_vertices


def assembled(text: str, **options: object) -> TileProgram:
    return assemble_vertices(text, file="t.S", **options)  # type: ignore[arg-type]


def data_of(text: str) -> bytes:
    return bytes(assembled(f".data\n{text}\n").code.sections[".data"].content)


def words_of(text: str) -> list[int]:
    content = bytes(assembled(text).code.sections[".text"].content)
    return [int.from_bytes(content[at : at + 4], "little") for at in range(0, len(content), 4)]


EXPRESSIONS = {
    "1 + 2 * 3": 7, "(1 + 2) * 3": 9, "-7 / 2": -3, "-7 % 2": -1, "1 << 4 - 1": 15, "6 & 3 | 8": 10, "5 ^ 1": 4,
    "~0": -1, "-(3 - 5)": 2, "!0 + !7": 1, "3 == 3": -1, "3 != 3": 0, "2 < 3": -1, "2 >= 3": 0, "1 && 0": 0, "2 || 0": 1,
    "0x1F": 31, "0b101": 5, "017": 15, "'A'": 65, "'\\n'": 10, "1.5h": 0x3E00, "-1.0h": 0xBC00, "0xFFFFFFFF - 1": -2,
    "end - start": 12, "(end - start) / 4 - 1": 2, ". - start": 12, "later + 1": 43, "2b - 1b": 4,
}  # fmt: skip


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_an_expression(text: str) -> None:
    # Precedence as GNU as has it: '<<' binds as '*' does, and '&' before '+'.
    content = data_of(f"start: 1: .long 0\n2: .long 0, 0\nend: .long {text}\n.set later, 42")
    assert int.from_bytes(content[12:16], "little", signed=True) == EXPRESSIONS[text]


def test_numbers_of_all_sizes() -> None:
    assert data_of(".byte 1, -1\n.half 0x1234, 1.5, -2.0h\n.long 0xdeadbeef\n.quad -2") == (
        b"\1\xff\x34\x12"
        + np.array([1.5, -2], np.float16).tobytes()
        + b"\xef\xbe\xad\xde"
        + (-2).to_bytes(8, "little", signed=True)
    )
    assert data_of(".float 1.5, -0.1\n.double 0.1") == np.array([1.5, -0.1], np.float32).tobytes() + np.float64(0.1).tobytes()
    assert data_of('.ascii "a\\n"\n.asciz "b;c"\n.string "{\\061"') == b"a\nb;c\0{1\0"
    assert data_of(".byte 1\n.align 4\n.byte 2\n.p2align 3\n.space 2, 0xff\n.fill 2, 2, 7") == (
        b"\1\0\0\0\2\0\0\0\xff\xff\7\0\7\0"
    )


def test_addresses_as_data_wait_for_the_linker() -> None:
    image = assembled(".data\n.long here + 4, here - 4\nhere: .long 0").image()
    (segment,) = image.segments
    address = image.symbols["here"]
    assert segment.content[:8] == (address + 4).to_bytes(4, "little") + (address - 4).to_bytes(4, "little")


# --- symbols ------------------------------------------------------------------------------------------------------------


def test_a_symbol_may_be_set_again() -> None:
    assert data_of(".set n, 1\n.byte n\n.set n, n + 1\n.byte n\nn = n * 5\n.byte n\n.equ k, n\n.byte k") == b"\1\2\x0a\x0a"


def test_an_instruction_takes_the_value_that_a_symbol_has_there() -> None:
    text = ".set n, 1\nld32 $m0, $m1, $mzero, n\n.set n, n + 1\n{ ld32 $m2, $m1, $mzero, n ; fnop }\n.set n, 7"
    assert [word & 0xFFF for word in words_of(text)[:2]] == [1, 2]


def test_numbered_labels() -> None:
    # 'setzi $m0, 4' and branches to word addresses 0, 2, 3.
    program = assembled("1: br $m0\n bri 1b\n bri 1f\n1: bri 1b\n bri 2f\n2:")
    image = program.image()
    words = np.frombuffer(image.segments[0].content, np.uint32)
    assert [int(word & 0x7FFFF) * 4 - image.segments[0].address for word in words[1:]] == [0, 12, 12, 20]


# --- macros -------------------------------------------------------------------------------------------------------------


def test_arguments_of_macros() -> None:
    text = """
.macro pair first second=7 third
    .byte \\first, \\second
.ifnb \\third
    .byte \\third
.endif
.endm
pair 1
pair 1 2
pair 1, 2, 3
pair third=9, first=8
pair (1 + 1), 3 - 1
pair 4 - 1 , "5"
"""
    assert data_of(text) == bytes([1, 7, 1, 2, 1, 2, 3, 8, 7, 9, 2, 2, 3, 5])


def test_names_made_in_macros() -> None:
    text = """
.macro define name
\\name\\()_begin:
    .byte \\@
\\name: .byte \\name - \\name\\()_begin
.endm
define alpha
define beta
.byte beta - alpha
"""
    assert data_of(text) == bytes([0, 1, 1, 1, 2])


def test_macros_in_macros() -> None:
    text = """
.macro outer n
    .macro inner_\\n value
        .byte \\n, \\value
    .endm
    inner_\\n 5
.endm
outer 1
outer 2
inner_1 6
.purgem inner_1
"""
    assert data_of(text) == bytes([1, 5, 2, 5, 1, 6])


def test_a_macro_ends_early_and_calls_itself() -> None:
    text = """
.macro count n
    .byte \\n
.if \\n == 0
    .exitm
.endif
    count (\\n - 1)
.endm
count 3
"""
    assert data_of(text) == bytes([3, 2, 1, 0])


def test_all_that_is_left_and_what_is_needed() -> None:
    assert data_of(".macro all first:req rest:vararg\n.byte \\first\n.byte \\rest\n.endm\nall 1, 2, 3, 4") == bytes(
        [1, 2, 3, 4]
    )


def test_repetitions() -> None:
    text = """
.set n, 0
.rept 3
    .byte n
    .set n, n + 1
.endr
.irp value, 7, 8, (9 + 1)
    .byte \\value
.endr
.irpc digit, 123
    .byte \\digit
.endr
"""
    assert data_of(text) == bytes([0, 1, 2, 7, 8, 10, 1, 2, 3])


CONDITIONS = {
    ".if 1": True, ".if 0": False, ".if known == 3": True, ".ifdef known": True, ".ifdef unknown": False,
    ".ifndef unknown": True,
    ".ifc a b, a b": True, '.ifc "half", "float"': False, ".ifnc half, float": True, ".ifb": True, ".ifnb x": True,
    ".ifeq 0": True, ".ifne 1": True, ".ifgt 1": True, ".ifge 0": True, ".iflt 0": False, ".ifle 0": True,
    ".if (. - start) & 1": True, ".if later_label > 1": None,
}  # fmt: skip


@pytest.mark.parametrize("condition", [text for text, holds in CONDITIONS.items() if holds is not None])
def test_a_condition(condition: str) -> None:
    text = f".set known, 3\nstart: .byte 0\n{condition}\n.byte 1\n.if 0\n.byte 9\n.else\n.endif\n.else\n.byte 2\n.endif"
    assert data_of(text) == bytes([0, 1 if CONDITIONS[condition] else 2])


def test_the_first_part_that_holds() -> None:
    parts = ".if \\n == 1\n.byte 10\n.elseif \\n == 2\n.byte 20\n.elseif 1\n.byte 30\n.else\n.byte 40\n.endif"
    text = f".macro which n\n{parts}\n.endm\n"
    assert data_of(text + "which 1\nwhich 2\nwhich 3") == bytes([10, 20, 30])


# --- the C preprocessor's lines -----------------------------------------------------------------------------------------


def test_definitions_and_conditions(tmp_path: Path) -> None:
    (tmp_path / "local.h").write_text("#define ONE 1\n#define PLUS(a, b) ((a) + (b))\n")
    text = """
#include "local.h"
#include <poplar/TileConstants.hpp>
#if defined(__IPU__) && __IPU_ARCH_VERSION__ >= 2
# a comment, for that is no directive
.byte PLUS(ONE, 2)          // another one
#else
.byte 99
#endif
#define NAME(type) f__ ## type
#define SEVERAL .byte 5 ; \\
    .byte 6
NAME(half): SEVERAL
.byte NAME(half) - 0f + 1 /* a
comment */
0:
.byte CTXT_WORKERS, CSR_W_WSR__CTXTID_M1__MASK
"""
    text = text.replace(" - 0f + 1", " - (0f - 3) + 0")
    assert data_of_file(text, tmp_path) == bytes([3, 5, 6, 0, 6, 7])


def data_of_file(text: str, folder: Path) -> bytes:
    program = assemble_vertices(".data\n" + text, file=str(folder / "t.S"))
    return bytes(program.code.sections[".data"].content)


def test_registers_have_other_names() -> None:
    names = "#define acc a0:1\n#define count m3\n#define BOTH(x) x, x\n"
    text = names + "ld64step $acc, $mzero, $count+=, 1\n{ nop ; f32v2add $a2:3, BOTH($acc) }"
    plain = "ld64step $a0:1, $mzero, $m3+=, 1\n{ nop ; f32v2add $a2:3, $a0:1, $a0:1 }"
    assert words_of(text) == words_of(plain)


def test_macros_of_both_kinds_together() -> None:
    body = ".section SECTION_OF(\\n), FUNCTION_IS_WORKER\nnop"
    text = f"#define SECTION_OF(x) .text.part_##x\n.macro make n\n{body}\n.endm\nmake a\nmake b"
    assert list(assembled(text).code.sections) == [".text.part_a", ".text.part_b"]


# --- pseudo-instructions ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("ld32 $m0, $mvertex_base, 3", "ld32 $m0, $mvertex_base, $mzero, 3"),
        ("ld64 $a0:1, $m2, $m3", "ld64 $a0:1, $m2, $mzero, $m3"),
        ("st32 $m0, $mworker_base, 1", "st32 $m0, $mworker_base, $mzero, 1"),
        ("sub $m0, $m1, 4", "add $m0, $m1, -4"),
        ("swap16 $a0, $a1", "roll16 $a0, $a1, $a1"),
        ("ldconst $m0, 0x12345", "setzi $m0, 0x12345"),
        ("ldconst $a0, 0x3f800000", "or $a0, $azero, 0x3f800000"),
        ("ldconst $a0, -2", "setzi $a0, 0xffffe\nor $a0, $a0, 0xfff00000"),
        ("movz $m0, $m1, $m2", "movnz $m0, $m1, $m2"),
        ("mov $m1, $a2", "atom $m1, $a2"),
        ("get $a0, $FP_CTL", "uget $a0, $FP_CTL"),
        ("put $TAS, $a0", "uput $TAS, $a0"),
        ("get $m0, 1", "get $m0, $WSR"),
        ("max $m0, $m1, 40000", "max $m0, $m1, 0x9c40"),
        ("stm32 $m0, $m1, $m2", "stm32 $m0, $m1, $m2"),
    ],
)
def test_another_way_to_write_an_instruction(written: str, meant: str) -> None:
    assert words_of(written) == words_of(meant)


# --- mistakes -----------------------------------------------------------------------------------------------------------

MISTAKES = (
    # The text with ¦ before the place, words of the message.
    ("¦bogus $m0", "unknown instruction or macro 'bogus'"),
    ("ad¦d", None),
    ("¦addd $m0, $m1, $m2", "did you mean 'add'"),
    ("add $m0, ¦$a1, $m2", "must be a register of kind m"),
    ("add $m0, ¦$m16, $m2", "no register '$m16'"),
    ("add $m0, $m1, ¦70000", "from -32768 to 32767"),
    ("¦add $m0, $m1", "is written add d, s, t"),
    ("or $m0, $m1, ¦0x12345", "0x100000"),
    ("ld64step $a0:1, $mzero, ¦$m0, 1", "like $m1+="),
    ("brz $m0, ¦nowehre + 2\nnowhere:\n.globl x\nx:", None),
    (".long 1 +¦", "missing here"),
    (".long ¦)", "expected before ')'"),
    (".long ¦(1", "not closed"),
    (".long 1 ¦/ 0", "division by zero"),
    (".long 3 ¦4", "not expected here"),
    (".byte ¦256", "does not fit 1 byte"),
    (".long here ¦* 2\nhere:", "takes numbers"),
    ("¦.bogus 1", "unknown directive '.bogus'"),
    ("¦.algn 4", "did you mean '.align'"),
    (".align ¦3", "power of two"),
    (".section ¦.strange", "no section '.strange'"),
    ("a: nop\n¦a: nop", "defined twice"),
    ("bri ¦1f", "no label '1f' below"),
    ("bri ¦1b", "no label '1b' above"),
    ("bri ¦.Lx", "no label '.Lx'"),
    ("¦.globl f", "no such label"),
    ("{ ¦f32add $a0, $a1, $a2 ; fnop }", "the first of a bundle"),
    ("{ nop ; ¦nop }", "the second of a bundle"),
    ("¦{ nop }", "this one has 1"),
    ("¦{ nop ; fnop ; fnop }", "this one has 3"),
    ("{ ¦exitz $mzero ; fnop }", "never in a bundle"),
    ("¦{ nop", "not closed"),
    ("nop ¦}", "without '{'"),
    ("{ ld64step $a0:1, $mzero, $m0+=, 1 ; f32add ¦$a1, $a2, $a3 }", "$a1 is written twice"),
    ("ld2x64pace $a0:1, ¦$a0:1, $m0:1+=, $mzero, 0", "they are equal"),
    ("nop\n{ ¦rpt $m0, 0 ; fnop }\n{ nop ; fnop }", "no multiple of 8"),
    ("nop\n¦rpt $m0, 1\n{ nop ; fnop }\nnop\nnop", "only bundles are repeated"),
    ("nop\n¦rpt $m0, 0\n{ brz $m1, 0x4c000 ; fnop }", "where it may not be"),
    ("nop\n¦rpt $m0, 3\n{ nop ; fnop }", "there is none"),
    ("rpt $m0, ¦(1f - 0f) / 8 - 1\n0: 1: nop", "from 0 to 255"),
    (".if ¦later\nlater:\n.endif", "not defined above"),
    ("¦.endif", "without '.if'"),
    (".if 1\n.else\n¦.else\n.endif", "behind '.else'"),
    ("¦.if 1", "'.endif' is missing"),
    ("¦.macro m\nnop", "'.endm' is missing"),
    (".macro m a\nnop\n.endm\nm 1, ¦2", "takes 1 argument"),
    (".macro m a:req\nnop\n.endm\n¦m", "without its argument 'a'"),
    (".macro m\n¦m\n.endm\nm", "without end"),
    ("¦.rept\n.endr", None),
    ("¦.endm", "without what it would end"),
    (".data\n¦nop", "an instruction in section"),
    (".half 1\n¦nop", None),
    (".set n, ¦n + 1", "defined by itself"),
    (".bss\n¦.byte 1", "zeros only"),
    ("DEF_STACK_USAGE 0 f\n¦DEF_STACK_USAGE 8 f", None),
    ("¦#if\nnop\n#endif", "no condition"),
    ("¦#if 1\nnop", "#endif is missing"),
    ("#include ¦\"missing.h\"", "file not found"),
    ("#define F(a) a\n¦F(1, 2)", "2 arguments"),
    ("¦.error \"not for this machine\"", "not for this machine"),
    (".float ¦1.x", "no number"),
    (".ascii ¦hello", "quotation marks"),
    (".type f, ¦@variable", None),
    ("setzi $m0, ¦label - other\nlabel: nop\n.data\nother: .byte 0", None),
)  # fmt: skip


@pytest.mark.parametrize(("text", "message"), [row for row in MISTAKES if row[1]], ids=[row[0] for row in MISTAKES if row[1]])
def test_a_mistake_is_told_at_its_place(text: str, message: str) -> None:
    before, _, after = text.partition("¦")
    with pytest.raises(CompileError) as caught:
        assembled(before + after).image()
    item = caught.value.diagnostics.items[0]
    assert message in item.text
    column = len(before) - before.rfind("\n")
    assert (item.span.line, item.span.column) == (before.count("\n") + 1, column), item


def test_a_mistake_in_a_bundle_is_no_mistake_of_the_next() -> None:
    with pytest.raises(CompileError) as raised:
        assembled("{ add $m0, $a1, $m2 ; fnop }\n{ nop ; fnop }\n{ nop ; fnop }")
    assert len(raised.value.diagnostics.items) == 1


def test_a_mistake_in_a_macro_names_its_uses() -> None:
    text = ".macro load from\n    ld32 $m0, \\from, 0\n.endm\n.macro twice r\n    load \\r\n    load \\r\n.endm\ntwice $a0\n"
    with pytest.raises(CompileError) as caught:
        assembled(text)
    (item,) = caught.value.diagnostics.items
    assert (item.span.line, item.span.column) == (2, 15)
    assert "'$a0' cannot be operand 2" in item.text
    assert [(link.span.line, link.text) for link in item.chain] == [
        (5, "in the expansion of macro 'load'"),
        (8, "in the expansion of macro 'twice'"),
    ]


def test_every_mistake_is_told() -> None:
    with pytest.raises(CompileError) as caught:
        assembled("bogus\nnop\nadd $m0\n.byte 300\n")
    assert [item.span.line for item in caught.value.diagnostics.items] == [1, 3, 4]


def test_nothing_makes_the_assembler_fail_otherwise() -> None:
    text = (Path(__file__).parents[1] / "targets" / "ipu" / "vertices" / "add_scalar.S").read_text()
    some = np.random.default_rng(7)
    for _ in range(150):
        broken = list(text)
        for _ in range(int(some.integers(1, 6))):
            at = int(some.integers(len(broken)))
            broken[at : at + int(some.integers(0, 4))] = some.choice(
                list("{}();:.\\#\"$,+-/*0aZ\n' "), int(some.integers(0, 3))
            )
        try:
            assemble_vertices(
                "".join(broken), file=str(Path(__file__).parents[1] / "targets" / "ipu" / "vertices" / "t.S")
            ).image()
        except CompileError as error:
            assert re.search(r":\d+:\d+: [Ee]rror: |^Error: ", str(error)), str(error)
