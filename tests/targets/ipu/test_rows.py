"""Words of instructions: the check words of the reference, and every row there and back with random operands."""

import random

import pytest

from voltac.codegen.disassembler import Disassembler
from voltac.codegen.encoding import Decoder, encode
from voltac.codegen.rows import Row
from voltac.targets.ipu.isa import DEVICE_CODES, INSTRUCTIONS
from voltac.targets.ipu.registers import BY_NAME

MK2 = DEVICE_CODES["ipu-mk2"]
DECODER = Decoder(MK2)
LISTING = Disassembler(MK2)

# IPU 3.12: word, and how this assembler writes it.
CHECK_WORDS = {
    0x19040388: "setzi $m0, 263048", 0x4201803D: "and $m1, $m0, 61", 0x44201021: "add $m2, $m2, $m1",
    0x432080A0: "put 160, $m2", 0x18A100B7: "call $m10, 262876", 0x4FF10000: "st32 $m1, $mzero, $m0, 0",
    0x4203B03C: "andc $m3, $m0, 60", 0x4232D004: "shr $m2, $m3, 4",
    0x44203321: "or $m2, $m2, $m3", 0x39190012: "sub $m9, 18, $m1", 0x4244C00F: "or $m4, $m4, 15728640",
    0x4205A00E: "shl $m5, $m0, 14", 0x1331003B: "brz $m3, 262380", 0x13190037: "brnzdec $m1, 262364",
    0x4081003F: "bri 262396", 0x01B0F000: "ld32 $m0, $m11, $mzero, 0", 0x22010001: "add $m1, $m0, 1",
    0x118100AC: "brnz $m8, 262832", 0x33170107: "min $m7, $m1, 263", 0x30770011: "max $m7, $m7, 17",
    0x44107711: "xor $m1, $m1, $m7", 0x2277FFFF: "add $m7, $m7, -1", 0x2A600011: "cmpult $m0, $m6, 17",
    0x28440000: "cmpeq $m4, $m4, 0", 0x4410F533: "sort4x16lo $m3, $m1, $mzero", 0x44304142: "cmpeq $m4, $m3, $m4",
    0x44400140: "andc $m4, $m4, $m0", 0x44804642: "sub $m4, $m4, $m8", 0x4EFF8001: "st32step $mzero, $mzero, $m8+=, 1",
    0x4D09F080: "ld32 $m8, $m0, $mzero, $m9", 0x4CB89000: "stm32 $m8, $m11, $m9", 0x41000003: "get $m0, $WORKER_BASE",
    0x19E00000: "nop", 0x1AD00000: "fnop",
}  # fmt: skip


@pytest.mark.parametrize("word", CHECK_WORDS, ids=hex)
def test_a_word_of_the_reference(word: int) -> None:
    found = DECODER.decode(word)
    assert found is not None and found.exact
    assert LISTING.instruction(word) == CHECK_WORDS[word]
    assert encode(found.row, found.values, MK2) == word


@pytest.mark.parametrize(
    ("name", "operands", "word"),
    [("zero.m", ["$m8"], 0x44F0F381), ("mov.mm", ["$m7", "$m0"], 0x42079000)],
)
def test_another_way_to_write_a_word(name: str, operands: list[str], word: int) -> None:
    assert encode(INSTRUCTIONS[name], [BY_NAME[operand].number for operand in operands], MK2) == word


def random_values(row: Row, some: random.Random) -> list[int]:
    values = []
    for operand in row.operands:
        kind = MK2.immediates.get(operand.kind)
        if kind is None:
            values.append(some.choice([register.number for register in BY_NAME.values() if register.kind == operand.kind]))
        else:
            values.append(
                some.choice([kind.lowest, kind.highest, some.randrange(kind.lowest, kind.highest + 1, kind.multiple)])
            )
    return values


@pytest.mark.parametrize("name", INSTRUCTIONS.rows)
def test_words_of_a_row_are_its_own(name: str) -> None:
    row = INSTRUCTIONS[name]
    some = random.Random(name)
    for _ in range(40):
        values = random_values(row, some)
        word = encode(row, values, MK2)
        assert word >> 31 == 0
        found = DECODER.decode(word)
        assert found is not None and found.exact
        if "alias" in row.traits:
            assert encode(found.row, found.values, MK2) == word
        elif found.row.name not in ("nop", "fnop"):
            assert (found.row.name, list(found.values)) == (name, values)


def test_rows_that_are_no_aliases_never_share_a_word() -> None:
    rows = [row for row in INSTRUCTIONS.rows.values() if "alias" not in row.traits and row.name not in ("nop", "fnop")]
    for at, one in enumerate(rows):
        for other in rows[at + 1 :]:
            common = one.format.fixed_mask & other.format.fixed_mask
            assert (one.format.fixed ^ other.format.fixed) & common, f"{one.name} and {other.name}"
