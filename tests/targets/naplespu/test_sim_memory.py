"""Loads, stores, caches and what the host sees (NaplesPU 1.5, 1.6, 2.6, 2.7)."""

from __future__ import annotations

import pytest
from npu_programs import ALL_ON, END, END_FLAG, constant, device_for, run, run_on_state, scalar, vector

from voltac.codegen.simulator import Trap

DATA = """
 .data
 .align 64
data:
"""
BYTES = bytes((37 * number + 5) & 0xFF for number in range(64))
WORDS = [int.from_bytes(BYTES[4 * lane : 4 * lane + 4], "little") for lane in range(16)]
WITH_DATA = DATA + "".join(f" .word {word}\n" for word in WORDS) + " .space 192\n"
TO_S5 = " leah s5, data\n leal s5, data\n"
AT = 0x800000


def signed(value: int, bits: int) -> int:
    return ((value ^ 1 << bits - 1) - (1 << bits - 1)) & 0xFFFFFFFF


@pytest.mark.parametrize(
    ("mnemonic", "size", "extend"),
    [("load32", 4, False), ("load32_s8", 1, True), ("load32_u8", 1, False), ("load32_s16", 2, True), ("load32_u16", 2, False)],
)
def test_scalar_loads_extend_and_take_signed_offsets(mnemonic: str, size: int, extend: bool) -> None:
    offsets = (0, size, 12 + size, 60)
    text = TO_S5 + " addi s6, s5, 64\n"
    text += "".join(f" {mnemonic} s{10 + number}, {offset - 64}(s6)\n" for number, offset in enumerate(offsets))
    device = device_for(text + END + WITH_DATA)
    device.run()
    for number, offset in enumerate(offsets):
        value = int.from_bytes(BYTES[offset : offset + size], "little")
        assert scalar(device, 10 + number) == (signed(value, 8 * size) if extend else value)


def test_an_address_wraps_at_32_bits_and_may_start_from_pc() -> None:
    text = constant("s6", 0xFFFFFFFC) + TO_S5 + " add_i32 s7, s5, s6\n load32 s10, 4(s7)\nhere: load32 s11, 0(pc)\n"
    device = device_for(text + END + WITH_DATA)
    device.run()
    assert scalar(device, 10) == WORDS[0]
    assert scalar(device, 11) == int.from_bytes(device.read(0x400 + 6 * 4, 4), "little"), "the load itself"


@pytest.mark.parametrize(
    ("mnemonic", "bits", "extend", "alignment"),
    [
        ("load_v16i8", 8, True, 16), ("load_v16u8", 8, False, 16),
        ("load_v16i16", 16, True, 32), ("load_v16u16", 16, False, 32), ("load_v16i32", 32, False, 64),
    ],
)  # fmt: skip
def test_narrow_vector_loads_pick_a_part_of_every_word_of_the_line(
    mnemonic: str, bits: int, extend: bool, alignment: int
) -> None:
    text = ALL_ON + TO_S5 + f" {mnemonic} v1, 0(s5)\n addi s6, s5, {64 - alignment}\n {mnemonic} v2, 0(s6)\n"
    device = device_for(text + END + WITH_DATA)
    device.run()
    # A place that is aligned to 16 has the remainder 0 modulo 4: the low part of the word.
    parts = [word & (1 << bits) - 1 for word in WORDS]
    expected = [signed(part, bits) if extend else part for part in parts]
    assert vector(device, 1) == vector(device, 2) == expected


@pytest.mark.parametrize(("mnemonic", "size"), [("store32", 4), ("store32_16", 2), ("store32_8", 1)])
def test_scalar_stores_write_their_bytes_only(mnemonic: str, size: int) -> None:
    text = TO_S5 + constant("s6", 0x11223344) + f" {mnemonic} s6, 8(s5)\n flush s5\n"
    device = device_for(text + END + WITH_DATA)
    device.run()
    stored = bytes.fromhex("44332211")[:size]
    assert device.read(AT, 64) == BYTES[:8] + stored + BYTES[8 + size :]


def test_the_host_sees_nothing_that_was_not_flushed() -> None:
    text = TO_S5 + " movei s6, 1\n store32 s6, 0(s5)\n store32 s6, 64(s5)\n flush s5\n"
    device = device_for(text + END + WITH_DATA)
    report = device.run()
    assert device.read(AT, 4) == b"\1\0\0\0"
    assert device.read(AT + 64, 4) == b"\0\0\0\0"
    assert report.unflushed == 1
    assert "1 not flushed" in str(report)


def test_a_flush_writes_the_dirty_bytes_only_and_keeps_the_line() -> None:
    text = TO_S5 + " movei s6, 255\n store32_8 s6, 3(s5)\n flush s5\n load32 s10, 0(s5)\n"
    device = device_for(text + END + WITH_DATA)
    report = device.run()
    assert device.read(AT, 64) == BYTES[:3] + b"\xff" + BYTES[4:]
    assert report.data_misses == 1
    assert scalar(device, 10) == int.from_bytes(BYTES[:3] + b"\xff", "little")


def test_an_invalidation_writes_back_and_drops_the_line() -> None:
    text = TO_S5 + " movei s6, 255\n store32_8 s6, 3(s5)\n dcache_inv s5\n load32 s10, 0(s5)\n"
    device = device_for(text + END + WITH_DATA)
    report = device.run()
    assert device.read(AT, 4) == BYTES[:3] + b"\xff"
    assert report.data_misses == 2


def test_a_fifth_line_of_a_set_evicts_the_least_recently_used_one() -> None:
    # Lines 2 KiB apart share a set of four ways.
    text = TO_S5 + " movei s6, 9\n movei s7, 2048\n" + " store32 s6, 0(s5)\n add_i32 s5, s5, s7\n" * 5
    device = device_for(text + END + DATA + " .space 12288\n")
    report = device.run()
    assert report.written_back == 1
    assert device.read(AT, 4) == b"\x09\0\0\0", "the first of them"
    assert [device.read(AT + 2048 * way, 4)[0] for way in range(1, 5)] == [0, 0, 0, 0]


def test_write_through_shows_every_store_to_the_host() -> None:
    text = (
        ALL_ON + TO_S5 + " movei s6, 255\n store32_8 s6, 3(s5)\n store32_8 s6, 5(s5)\n movei v1, 7\n store_v16i32 v1, 64(s5)\n"
    )
    device = device_for(text + END + WITH_DATA, write_through=True)
    report = device.run()
    assert device.read(AT, 8) == BYTES[:3] + b"\xff" + BYTES[4:5] + b"\xff" + BYTES[6:8]
    assert device.read(AT + 64, 64) == b"\7\0\0\0" * 16
    assert report.unflushed == 0


def test_what_one_run_did_not_flush_the_next_run_does_not_see() -> None:
    text = TO_S5 + " load32 s10, 0(s5)\n movei s6, 1\n store32 s6, 0(s5)\n"
    device = device_for(text + END + WITH_DATA)
    for _ in range(2):
        device.run()
        assert scalar(device, 10) == WORDS[0]


@pytest.mark.parametrize(
    ("instruction", "reason"),
    [
        ("load32 s10, 2(s5)", "main memory: address 0x00800002 is not a multiple of 4"),
        ("load32_s16 s10, 1(s5)", "not a multiple of 2"),
        ("store32 s6, 1(s5)", "not a multiple of 4"),
        ("load_v16i32 v1, 32(s5)", "not a multiple of 64"),
        ("load_v16i16 v1, 16(s5)", "not a multiple of 32"),
        ("load_v16i8 v1, 8(s5)", "not a multiple of 16"),
        ("store_v16i32 v2, 4(s5)", "not a multiple of 64"),
        ("store_v16i8 v2, 4(s5)", "not a multiple of 16"),
        ("load32_scratchpad s10, 2(s6)", "the scratchpad: address 0x00000002 is not a multiple of 4"),
        ("load_v16i32_scratchpad v1, 2(s6)", "not a multiple of 4"),
        ("store_v16i16_scratchpad v2, 1(s6)", "not a multiple of 2"),
    ],
)
def test_a_misaligned_access_ends_the_run(instruction: str, reason: str) -> None:
    text = ALL_ON + TO_S5 + f" movei s6, 0\n movei v2, 0\n {instruction}\n"
    with pytest.raises(Trap, match=reason) as trap:
        device_for(text + END + WITH_DATA).run()
    assert trap.value.pc == 0x400 + 4 * 6
    assert trap.value.instruction == instruction
    assert (trap.value.core, trap.value.thread) == (0, 0)


def test_a_flush_wants_an_aligned_address() -> None:
    with pytest.raises(Trap, match="not a multiple of 4"):
        device_for(TO_S5 + " addi s5, s5, 2\n flush s5\n" + END + WITH_DATA).run()


def test_scratchpad_lanes_that_are_off_are_not_checked() -> None:
    device = run_on_state(" load_v16i32_scratchpad v1, 2(s2)\n", {2: 0}, {1: range(16)}, 0)
    assert vector(device, 1) == list(range(16))


@pytest.mark.parametrize(("access", "reason"), [(" load32 s10, 0(s5)\n", 0x80), (" load32_scratchpad s10, 0(s5)\n", 0x40)])
def test_in_hardware_a_misaligned_thread_goes_to_the_trap_vector(access: str, reason: int) -> None:
    handler = " .section .trap\n movei s20, 10\n read_cr s21, s20\n movei s0, 3\n movei s1, 11\n write_cr s0, s1\n"
    device = device_for(" movei s5, 1\n movei s10, 77\n movei s22, 5\n" + access + END + handler, trap_vector=True)
    device.run()
    assert scalar(device, 21) == reason
    assert scalar(device, 10) == 77, "the access was dropped"
    assert scalar(device, 22) == 5
    assert device.cores[0].threads[0].status == 3


@pytest.mark.parametrize(
    "instruction", ["load32 s10, 0(s5)", "store32 s5, 0(s5)", "load_v16i32 v1, 0(s5)", "store_v16i32 v2, 0(s5)"]
)
@pytest.mark.parametrize("address", [0, 0x300000, 0x8000000, 0xFFFFFF40])
def test_unmapped_memory_ends_the_run(instruction: str, address: int) -> None:
    text = ALL_ON + constant("s5", address) + f" movei v2, 0\n {instruction}\n"
    with pytest.raises(Trap, match=f"unmapped memory at 0x{address:08x}") as trap:
        device_for(text + END).run()
    assert trap.value.instruction == instruction


def test_the_io_window_prints_and_takes_words_only() -> None:
    text = constant("s5", 0xFF000000)
    printing = text + "".join(f" movei s6, {ord(letter)}\n store32 s6, 0(s5)\n" for letter in "hi!") + " load32 s10, 4(s5)\n"
    _, report = run(printing)
    assert report.console == "hi!"
    with pytest.raises(Trap, match="32 bits only"):
        run(text + " movei s6, 1\n store32_8 s6, 0(s5)\n")


def test_the_end_flags_line_exists() -> None:
    run(END_FLAG)


def test_scratchpad_addresses_wrap_at_64_kib() -> None:
    text = (
        ALL_ON
        + constant("s5", 0xFE00FFF8)
        + " store_v16i32_scratchpad v1, 0(s5)\n movei s6, 0\n load32_scratchpad s10, 4(s6)\n"
        " load32_scratchpad s11, -4(s6)\n load_v16i32_scratchpad v2, 0(s5)\n"
    )
    device = run_on_state(text, {}, {1: [100 + lane for lane in range(16)]})
    assert scalar(device, 10) == 103
    assert scalar(device, 11) == 101
    assert vector(device, 2) == [100 + lane for lane in range(16)]


def test_scalar_scratchpad_accesses_work_on_bytes_and_halves() -> None:
    text = (
        constant("s5", 0x8081F2F3) + " movei s6, 64\n store32_scratchpad s5, 0(s6)\n load32_s8_scratchpad s10, 1(s6)\n"
        " load32_u8_scratchpad s11, 1(s6)\n load32_s16_scratchpad s12, 2(s6)\n load32_u16_scratchpad s13, 2(s6)\n"
        " store32_8_scratchpad s6, 3(s6)\n store32_16_scratchpad s6, 0(s6)\n load32_scratchpad s14, 0(s6)\n"
    )
    device, _ = run(text)
    assert [scalar(device, number) for number in range(10, 15)] == [0xFFFFFFF2, 0xF2, 0xFFFF8081, 0x8081, 0x40810040]


def test_a_machine_without_scratchpad_says_so() -> None:
    with pytest.raises(Trap, match="no scratchpad"):
        run(" movei s6, 64\n store32_scratchpad s6, 0(s6)\n", scratchpad=False)
