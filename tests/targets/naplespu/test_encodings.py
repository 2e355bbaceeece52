"""Text ⇄ word for every row, the words of section 10 of the NaplesPU page, and messages for what cannot be encoded."""

import random
import re
from pathlib import Path

import pytest

from voltac.codegen.assembler import assemble
from voltac.codegen.disassembler import Disassembler
from voltac.codegen.encoding import Decoder, EncodingError, encode
from voltac.codegen.link import link
from voltac.codegen.machine_code import Immediate, MachineInstruction, Register, Value
from voltac.codegen.rows import Row, RowOperand
from voltac.messages.diagnostics import CompileError
from voltac.targets.naplespu.isa import DEVICE_CODE, INSTRUCTIONS
from voltac.targets.naplespu.regs import SCALARS, VECTORS

# Section 10 of the NaplesPU page: text and word.
GOLDEN = r"""
or_i32 s3, s1, s2 | 010C1080 | and_i32 v3, v1, v2 | 020C108E
add_i32 s3, s1, s2 | 040C1080 | add_i32 v3, v1, s2 | 040C108C
add_i32.m v3, v1, v2 | 040C108F | sub_i32 v3, v1, v2 | 050C108E
mull_i32 v10, v2, s20 | 0628250C | mulhs_i32 s3, s1, s2 | 070C1080
mulhu_i32 s3, s1, s2 | 080C1080 | ashr_i32 s3, s1, s2 | 090C1080
shr_i32 s3, s1, s2 | 0A0C1080 | shl_i32 v3, v1, v2 | 0B0C108E
clz_i32 s3, s1 | 0C0C1000 | ctz_i32 v3, v1 | 0D0C100C
cmplt_i32 s3, s1, s2 | 120C1080 | cmplt_i32 s3, v1, v2 | 120C1086
cmpult_i32 s3, v1, s2 | 160C1084 | shuffle_i32 v3, v1, v2 | 180C108E
getlane_i32 s3, v1, s2 | 190C1084 | getlanei s3, v1, 7 | 590C103A
move_i32 s3, s1 | 200C1000 | move_i32 v3, s1 | 200C1008
move_i32 v3, v1 | 200C100C | read_mr s3 | 200FB000
write_mr s3 | 20EC3000 | fadd_f32 s3, s1, s2 | 210C1080
fmul_f32 v3, v1, v2 | 230C108E | fdiv_f32.m v3, v1, s2 | 240C108D
cmpflt_f32 s3, v1, v2 | 290C1086 | sext8_i32 s3, s1 | 2B0C1000
itof_i32 v3, v1 | 300C100C | ftoi_i32 s3, s1 | 310C1000
crt_mask_i32 s3, v1 | 320C1004 | crp v3, v1, v2 | 3F0C108E
addi s3, s1, -1 | 440C1FF8 | addi v3, v1, 255 | 440C17FE
addi.m v3, v1, 5 | 440C102F | cmplti s3, s1, 64 | 520C1200
cmpgti s3, v1, 12 | 500C1062 | moveil s3, 4660 | 600C48D0
moveih s3, 4660 | 610C48D0 | movei s3, 4660 | 620C48D0
movei v3, 7 | 620C001E | load32_s8 s3, (s1) | 800C1000
load32 s3, 8(s1) | 820C1040 | load32_u16 s3, -2(s1) | 850C1FF0
load_v16i32 v3, 64(s1) | 890C1200 | load_v16i32.m v3, (s1) | 890C1001
load_v16i32_scratchpad v3, (s1) | 890C1002 | store32 s3, 8(s1) | A20C1040
store32_8 s3, (s1) | A00C1000 | store_v16i32 v3, -64(s1) | A60C1E00
store_v16i32_scratchpad.m v3, (s1) | A60C1003 | store32_scratchpad s3, 4(s1) | A20C1022
jmp s3 | 700C0000 | jmpsr s3 | 710C0000
jret | 73000000 | barrier s3, s4 | 680C4000
flush s3 | 6A0C0000 | read_cr s3, s4 | 6B0C4000
write_cr s3, s4 | 6C0C4000 | nop | FFFFFFFF
jmp -16 | 78FFFFF0 | here: jmp here | 78000000
jmp on\nnop\non: nop | 78000008 | bnez s3, on\nnop\non: nop | 760C0008
back: nop\nbeqz s3, back | 750FFFFC | back: nop\nnop\njmp back | 7803FFF8
"""

# The bit m of section 2.1 of the NaplesPU page, and what only the hardware's source has (NaplesPU 2.2, 2.6): words by hand.
GOLDEN += r"""
moveil.m v3, 4660 | 600C48D3 | moveih.m v3, 4660 | 610C48D3
movei.m v3, 7 | 620C001F | store_v16i8.m v3, (s1) | A40C1001
store_v16i16.m v3, (s1) | A50C1001 | store_v16i32.m v3, -64(s1) | A60C1E01
store_v16i8_scratchpad.m v3, (s1) | A40C1003 | load_v16u8.m v3, (s1) | 8B0C1001
cmplt_i32.m s3, v1, v2 | 120C1087 | crt_mask_i32.m s3, v1 | 320C1005
getlanei.m s3, v1, 7 | 590C103B | cmpgti.m s3, v1, 12 | 500C1063
sext32_i32 s3, s1 | 2D0C1000 | load_32_u s3, 8(s1) | 860C1040
load_v_32_u v3, 64(s1) | 8D0C1200 | not_i32 v3, v1 | 000C100C
sub_i32 v3, s1, v2 | 050C108A | addi v3, s1, 5 | 440C102C
dcache_inv s3 | 6D0C0000 | jeret s3 | 740C0000
"""


def golden() -> list[tuple[str, int]]:
    cells = [cell.strip() for line in GOLDEN.splitlines() if line for cell in line.split("|")]
    return [(text.replace("\\n", "\n"), int(word, 16)) for text, word in zip(cells[::2], cells[1::2])]


def words(text: str) -> list[int]:
    return memoryview(assemble(text, DEVICE_CODE).sections[".text"].content).cast("I").tolist()


@pytest.mark.parametrize(("text", "word"), golden(), ids=lambda value: value if isinstance(value, str) else f"{value:08X}")
def test_golden_encodings(text: str, word: int) -> None:
    made = words(text)
    assert made[-1 if text.startswith("back") else 0] == word


REFERENCE = (Path(__file__).resolve().parents[3] / "docs" / "naplespu.md").read_text()


def table(section: str) -> list[list[str]]:
    """The rows of the table of a section of the reference."""
    text = REFERENCE[REFERENCE.index(f"\n### {section} ") + 1 :]
    text = text[: text.index("\n### ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")][2:]


def test_golden_words_are_the_references() -> None:
    told = re.findall(r"\b[0-9A-F]{8}\b", REFERENCE[REFERENCE.index("## 10. Golden encodings") :])
    missing = [text for text, word in golden() if f"{word:08X}" not in told]
    assert all(text in GOLDEN[GOLDEN.index("moveil.m") :] for text in missing)
    assert len(golden()) - len(missing) >= 65


def test_every_register_instruction_of_the_reference_is_there() -> None:
    shapes: list[str] = []
    checked = 0
    for numbers, _, _, mnemonics, told, *_ in table("2.2"):
        shapes = shapes if told == '"' else {"S V": ["SV"], "S V S": ["SVS"]}.get(told) or told.split()
        names = mnemonics.replace(" _i32", "_i32").replace(" _f32", "_f32").split()
        if mnemonics == "-" or "(" in mnemonics:
            continue
        first, _, last = numbers.partition("..")
        ops = list(range(int(first, 16), int(last, 16) + 1)) if last else [int(number, 16) for number in numbers.split()]
        suffix = "_" + names[-1].rpartition("_")[2] if "_" in names[-1] else ""
        for op, name in zip(ops, names, strict=True):
            full = name if not suffix or name.endswith(suffix) else name + suffix
            for shape in shapes:
                registers = ", ".join(f"{kind.lower()}{number}" for number, kind in zip((3, 1, 2), shape))
                bits = sum(bit for bit, kind in zip((8, 4, 2), shape) if kind == "V")
                word = op << 24 | 3 << 18 | 1 << 12 | (2 << 6 if len(shape) == 3 else 0) | bits
                assert words(f"{full} {registers}") == [word], f"{full} {registers}"
                checked += 1
    assert checked > 100


@pytest.mark.parametrize("suffix", ["", "_scratchpad"])
def test_every_memory_instruction_of_the_reference_is_there(suffix: str) -> None:
    checked = 0
    for number, _, name, *_ in table("2.6"):
        if "(" in name and name not in ("(load_32_u)", "(load_v_32_u)"):
            continue
        name = name.strip("()")
        vector = "_v" in name
        word = 2 << 30 | int(number, 16) << 24 | 3 << 18 | 1 << 12 | 0x1FC << 3 | 2 * bool(suffix)
        register = "v3" if vector else "s3"
        assert words(f"{name}{suffix} {register}, -4(s1)") == [word]
        if vector:
            assert words(f"{name}{suffix}.m {register}, -4(s1)") == [word | 1]
        checked += 1
    assert checked == 18


def operand(of: RowOperand, chance: random.Random) -> int:
    kind = DEVICE_CODE.immediates.get(of.kind)
    if kind is None:
        return chance.randrange(64)
    return chance.choice((kind.lowest, kind.highest, 0, chance.randrange(kind.lowest, kind.highest + 1, kind.multiple)))


def value(of: RowOperand, number: int) -> Value:
    registers: dict[str, tuple[Register, ...]] = {"scalar": SCALARS, "vector": VECTORS}
    return registers[of.kind][number] if of.kind in registers else Immediate(number)


def without_alias(row: Row) -> bool:
    return "alias" not in row.traits


@pytest.mark.parametrize("row", INSTRUCTIONS.rows.values(), ids=lambda row: row.name)
def test_print_parse_encode_decode(row: Row) -> None:
    chance = random.Random(row.name)
    decoder, disassembler = Decoder(DEVICE_CODE), Disassembler(DEVICE_CODE)
    for _ in range(10):
        values = tuple(operand(item, chance) for item in row.operands)
        word = encode(row, values, DEVICE_CODE)
        if without_alias(row):
            instruction = MachineInstruction(row, [value(item, number) for item, number in zip(row.operands, values)])
            assert words(str(instruction)) == [word]
            found = decoder.decode(word)
            assert found is not None and (found.row, found.values, found.exact) == (row, values, True)
        assert words(disassembler.instruction(word)) == [word]


def test_undefined_words_are_recognised() -> None:
    decoder = Decoder(DEVICE_CODE)
    undefined = (
        0x00000000 | 26 << 24,  # register operation 26
        0x040C1090,  # addition of 64 bits
        0x120C108E,  # comparison into a vector
        0x890C1004,  # load of 64 bits
        0x830C1000,  # load64
        0x900C1000,  # gather
        0x2E0C1000,  # conversion to 64 bits
        0xC0000000,
        0x69000000,  # barrier of threads
    )
    assert [decoder.decode(word) for word in undefined] == [None] * len(undefined)


def test_bits_that_the_hardware_ignores_are_ignored() -> None:
    decoder, disassembler = Decoder(DEVICE_CODE), Disassembler(DEVICE_CODE)
    for word, same in ((0x040C1081, 0x040C1080), (0x700C0003, 0x700C0000), (0xA20C1041, 0xA20C1040), (0x73FFFFFF, 0x73000000)):
        found, meant = decoder.decode(word), decoder.decode(same)
        assert found is not None and meant is not None
        assert (found.row, found.values, found.exact, meant.exact) == (meant.row, meant.values, False, True)
        (line,) = disassembler.lines(word.to_bytes(4, "little"), 0x400, {})
        assert words(line.text) == [word] and line.comment


def test_any_word_disassembles_to_text_of_the_same_word() -> None:
    chance = random.Random(5)
    drawn = [chance.getrandbits(32) for _ in range(4000)]
    content = b"".join(word.to_bytes(4, "little") for word in drawn)
    lines = Disassembler(DEVICE_CODE).lines(content, 0x400, {"start": 0x400})
    text = "\n".join("".join(f"{label}:\n" for label in line.labels) + line.text for line in lines)
    assert words(text) == drawn


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("addi s3, s1, 256", "256 is out of range: the operand holds -256 to 255"),
        ("load32 s3, -260(s1)", "-260 is out of range: the operand holds -256 to 255"),
        ("movei s3, -1", "-1 is out of range: the operand holds 0 to 65535; 65535 has the same bits"),
        ("beqz s3, 6", "6 is not a multiple of 4"),
        ("jmp 131072", "131072 is out of range: the operand holds -131072 to 131068"),
        ("add_i32 s3, s1, s64", "there is no scalar register 's64'; did you mean"),
        ("add_i32 s3, s1, v2", "'v2' is a vector register, but here stands a scalar register"),
        ("add_i32 s3, s1, 4", "here stands a scalar register, not the number 4; 'addi' takes numbers"),
        ("getlane_i32 s1, v1, 4", "'getlanei' takes numbers"),
        ("cmplt_i32 v3, v1, v2", "'v3' is a vector register, but here stands a scalar register"),
        ("ad_i32 s3, s1, s2", "naplespu has no instruction 'ad_i32'; did you mean"),
        ("jret s1", "wrong operands of 'jret'; it is written 'jret'"),
        ("load32 s3, s1", "it is written 'load32 rds, off(rbase)'"),
        ("leah s3, v2", "'v2' cannot stand here: it must be a label"),
        (".wrod 3", "unknown directive '.wrod'; did you mean '.word'?"),
        (".section .dat", "there is no section '.dat' on naplespu; did you mean '.data'"),
        (".byte 256", "256 does not fit 1 byte"),
        (".half name", "only '.word' takes the address of a label"),
        (".align 3", "'.align' takes a power of two"),
        (".global nowhere", "there is no such label"),
        ("one: nop\none: nop", "label 'one' is defined twice"),
        ("s3: nop", "'s3' is a register and cannot be a label"),
        (".data\nnop", "an instruction in section '.data'"),
        (".bss\n.word 1", "section '.bss' has zeros only"),
        (".byte 1\nnop", "an instruction at offset 1: '.align 4' before it is missing"),
        ("movei s3, 010", "'010' begins with 0, by which others mean octal: write 10 or 0xa"),
        ("movei s3, " + "9" * 5000, "a number of 5000 characters is too large for any operand"),
        (".word 07", "'07' begins with 0"),
        (".word " + "1" * 5000, "a number of 5000 characters is too large"),
        (".space 08", "'08' begins with 0"),
        ("leah s3, there+010\nthere: nop", "'+010' begins with 0"),
        ('.asciz "open', "here stands a text in quotation marks"),
    ],
)
def test_mistakes_are_named_at_their_line(text: str, message: str) -> None:
    with pytest.raises(CompileError) as raised:
        assemble(text, DEVICE_CODE, "k.s")
    said = str(raised.value)
    line = 1 if "there:" in text else 1 + text.count("\n")
    assert message in said and said.startswith(f"k.s:{line}:")
    assert said.count("Error:") == 1


def test_every_mistake_of_a_text_is_told() -> None:
    with pytest.raises(CompileError) as raised:
        assemble("addd s1, s2, s3\n nop\n addi s1, s1, 999\n", DEVICE_CODE, "k.s")
    assert str(raised.value).count("Error:") == 2


def test_encoding_names_the_operand_that_does_not_fit() -> None:
    with pytest.raises(EncodingError) as raised:
        encode(INSTRUCTIONS["load32"], (3, 300, 1), DEVICE_CODE)
    assert raised.value.operand == 1


SAMPLE = """
        .section scratchpad
t:      .word 1, t+4, -1
        .rodata
        .asciz "a\\n#b"
        .float 1.5, nan
        .align 64
        .space 5, 1
        .bss
        .space 10
        .text
        .global a
a:      leah s1, t+4
        moveil.m v3, 0x10
        beqz s1, a+8
        jmp -16
        load32 s3, -4(s1)
"q u":  nop
"""
PIECES = [
    "010", "0x", "-", "9" * 5000, "0b12", '"', "\\", "#", ",", "(", ")", ":", ".", "\0", "\x1b[31m", "\u0663", "+", "1e999",
    ".section", ".align", ".space", ".float", ".word", '.asciz "', "\r", "\u2028", "v63", "s64", "pc", ".global", "{rd}", "%",
    "_" * 300,
]  # fmt: skip


def test_any_text_is_assembled_or_refused() -> None:
    chance = random.Random(9)
    for _ in range(1500):
        text = SAMPLE
        for _ in range(chance.randrange(1, 5)):
            place = chance.randrange(len(text))
            text = text[:place] + chance.choice([*PIECES, ""]) + text[place + chance.choice((0, 1, 5)) :]
        try:
            link(assemble(text, DEVICE_CODE), DEVICE_CODE)
        except CompileError as error:
            assert "Error:" in str(error)
