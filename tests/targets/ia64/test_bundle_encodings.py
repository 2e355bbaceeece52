"""Every row of IA-64 is printed, parsed, encoded and decoded to itself, and GNU as makes the same bytes of it."""

import random
from pathlib import Path

import pytest
from ia64_rows import ROWS, assembled_by_gnu, bundle_of, bundle_text, nop, random_values

from voltac.codegen.rows import Row
from voltac.messages.diagnostics import CompileError, Diagnostics
from voltac.targets.ia64.assembly.program import assemble_program
from voltac.targets.ia64.slots import TEMPLATES, Bundle, Slot, decode_bundle, encode_bundle

UNPREDICATED = ("alloc", "loop", "clrrrb")


def some_slots(rng: random.Random, row: Row) -> Slot:
    predicate = 0 if row.traits & set(UNPREDICATED) else rng.randrange(6)
    return Slot(row, random_values(row, rng), predicate)


def code_of(text: str) -> bytes:
    return bytes(assemble_program(text, "t.s", Diagnostics()).sections[".text"].content)


@pytest.mark.parametrize("seed", range(4))
def test_rows_come_back_from_text_and_bits(seed: int) -> None:
    rng = random.Random(seed)
    for row in ROWS:
        bundle = bundle_of(some_slots(rng, row))
        encoded = encode_bundle(bundle)
        assert decode_bundle(encoded) == bundle, row.name
        assert code_of(bundle_text(bundle)) == encoded, bundle_text(bundle)


def test_gnu_as_makes_the_same_bytes_of_every_row(tmp_path: Path) -> None:
    rng = random.Random(5)
    text, expected = "\t.explicit\nstart:\n", b""
    for number, row in enumerate(ROWS):
        slot = some_slots(rng, row)
        if slot.row.mnemonic.startswith(("br.wtop", "br.wexit")):
            # The condition of these is a predicate of the rotating ones: p63 as it comes.
            slot = Slot(row, slot.values, 0)
        label = ""
        if any(operand.kind == "target" for operand in row.operands):
            label = "start"
            there = tuple(-16 * number if one.kind == "target" else value for one, value in zip(row.operands, slot.values))
            slot = Slot(row, there, slot.predicate)
        values = list(slot.values)
        for place, operand in enumerate(row.operands):
            if operand.kind == "class9":
                # GNU as adds both signs where a class of numbers is named without one.
                values[place] |= 3
        bundle = bundle_of(Slot(row, tuple(values), slot.predicate))
        text += bundle_text(bundle, label)
        expected += encode_bundle(bundle)
    made = assembled_by_gnu(text, tmp_path)
    wrong = [ROWS[at // 16].name for at in range(0, len(expected), 16) if made[at : at + 16] != expected[at : at + 16]]
    assert wrong == []
    assert len(made) == len(expected)


@pytest.mark.parametrize("code", [code + end for code in TEMPLATES for end in (0, 1)], ids="{:02x}".format)
def test_templates_come_back(code: int, tmp_path: Path) -> None:
    units, stops = TEMPLATES[code & ~1]
    rng = random.Random(code)
    by_unit: dict[str, list[Row]] = {}
    for row in ROWS:
        for unit in {"A": "MI", "X": "X"}.get(row.unit, row.unit):
            if not row.traits & {*UNPREDICATED, "branch", "call", "return", "break", "writes pr", "semaphore"}:
                by_unit.setdefault(unit, []).append(row)
    for _ in range(20):
        slots: list[Slot | None] = []
        for unit in units:
            chosen = rng.choice(by_unit[unit]) if unit != "L" else None
            slots.append(None if chosen is None else Slot(chosen, random_values(chosen, rng), 0))
        bundle = Bundle(units, tuple(slots), (*stops, 2) if code & 1 else stops)
        encoded = encode_bundle(bundle)
        assert encoded[0] & 0x1F == code
        assert decode_bundle(encoded) == bundle
        assert code_of(bundle_text(bundle)) == encoded


@pytest.mark.parametrize("code", [0x06, 0x07, 0x14, 0x15, 0x1A, 0x1B, 0x1E, 0x1F])
def test_reserved_templates_are_no_bundles(code: int) -> None:
    whole = int.from_bytes(encode_bundle(Bundle("MII", (nop("M"), nop("I"), nop("I")), ())), "little")
    assert decode_bundle((whole & ~0x1F | code).to_bytes(16, "little")) is None


BAD = {
    "{ .mii\n add r1=r2\n nop.i 0\n nop.i 0 }": "'add' is written add r1=r2,r3 or add r1=r2,r3,1",
    "{ .mii\n addd r14=r2,r3\n nop.i 0\n nop.i 0 }": "unknown instruction 'addd'; did you mean 'add'",
    "{ .mii\n adds r14=8192,r3\n nop.i 0\n nop.i 0 }": "adds: 8192 is out of range: the operand holds -8192 to 8191",
    "{ .mii\n addl r14=1,r9\n nop.i 0\n nop.i 0 }": "'addl' adds to r0, r1, r2 or r3 only",
    "{ .mii\n add r0=r14,r3\n nop.i 0\n nop.i 0 }": "r0 cannot be written",
    "{ .mii\n cmp.eq p6,p6=r14,r3\n nop.i 0\n nop.i 0 }": "p6 is written twice by one instruction",
    "{ .mii\n ldfp8 f32,f34=[r14]\n nop.i 0\n nop.i 0 }": "of the registers of a pair one has an even number",
    "{ .mii\n (p64) add r14=r15,r16\n nop.i 0\n nop.i 0 }": "there is no predicate p64",
    "{ .mii\n (p6) alloc r14=ar.pfs,0,8,0,0\n nop.i 0\n nop.i 0 }": "'alloc' is never predicated",
    "{ .mii\n shl r14=r15,r16\n nop.i 0\n nop.i 0 }": "'shl' goes to a slot I; slot 0 of .mii is M",
    "{ .mfi\n nop.m 0 ;;\n nop.f 0\n nop.i 0 }": ".mfi has no stop there",
    "{ .mix\n nop.m 0\n nop.i 0\n nop.i 0 }": "there is no template '.mix'",
    "{ .mii\n nop.m 0\n nop.i 0 }": "has 2 instructions, and some are missing",
    "{ .mii\n nop.m 0\n": "this bundle is never closed",
    " add r14=r15,r16": "an instruction stands in a bundle",
    "}": "no bundle is open",
    "a:\na:": "'a' is defined twice",
    " .bogus 3": "unknown directive '.bogus'",
    " .data\n data4 5000000000": "5000000000 does not fit 4 bytes",
    " .data\n data4 a": "an address has eight bytes: data8",
    " .section .odd": "there is no section '.odd'",
}


@pytest.mark.parametrize("text", BAD, ids=range(len(BAD)))
def test_mistakes_are_told_at_their_place(text: str) -> None:
    with pytest.raises(CompileError) as raised:
        assemble_program(text, "bad.s", Diagnostics())
    message = " ".join(str(raised.value).split())
    assert BAD[text] in message
    assert message.startswith("bad.s:")
    assert message.count("Error:") == 1
