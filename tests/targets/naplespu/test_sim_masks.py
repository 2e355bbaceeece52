"""What the lane mask does to each class of instructions (NaplesPU 1.3), and what compares give (2.5)."""

from __future__ import annotations

import pytest
from npu_programs import ALL_ON, constant, run, run_on_state, scalar, vector

from voltac.codegen.simulator import Trap

ODD = 0xAAAA
COUNT = list(range(16))
TENS = [10 * lane for lane in COUNT]


def chosen(mask: int, new: list[int], old: list[int]) -> list[int]:
    return [new[lane] if mask >> lane & 1 else old[lane] for lane in range(16)]


def test_lanes_that_are_off_keep_their_value_whatever_the_m_bit_says() -> None:
    for mnemonic in ("addi", "addi.m"):
        device = run_on_state(f" {mnemonic} v3, v1, 5\n", {}, {1: TENS, 3: COUNT}, ODD)
        assert vector(device, 3) == chosen(ODD, [lane + 5 for lane in TENS], COUNT)


def test_movei_into_a_vector_is_masked() -> None:
    assert vector(run_on_state(" movei v3, 7\n", {}, {3: COUNT}, ODD), 3) == chosen(ODD, [7] * 16, COUNT)


def test_float_results_are_masked() -> None:
    one = 0x3F800000
    device = run_on_state(" fadd_f32 v3, v1, v1\n", {}, {1: [one] * 16, 3: COUNT}, ODD)
    assert vector(device, 3) == chosen(ODD, [0x40000000] * 16, COUNT)


def test_a_mask_without_lanes_changes_nothing() -> None:
    device = run_on_state(" addi v3, v1, 5\n move_i32 v4, s2\n", {2: 9}, {1: TENS, 3: COUNT, 4: COUNT}, 0)
    assert vector(device, 3) == vector(device, 4) == COUNT


def test_scalar_results_of_vectors_do_not_look_at_the_mask() -> None:
    device = run_on_state(
        " cmpgti s10, v1, 50\n getlanei s11, v1, 3\n crt_mask_i32 s12, v2\n", {}, {1: TENS, 2: COUNT}, 1 << 15
    )
    assert scalar(device, 10) == 0xFFC0
    assert scalar(device, 11) == 30
    assert scalar(device, 12) == 0xAAAA


def test_scalar_instructions_are_never_masked() -> None:
    assert scalar(run_on_state(" addi s10, s2, 5\n", {2: 1}, {}, 0), 10) == 6


def test_a_vector_load_writes_the_lanes_that_are_on() -> None:
    device = run_on_state(" leah s5, state1\n leal s5, state1\n load_v16i32 v3, (s5)\n", {}, {1: TENS, 3: COUNT}, ODD)
    assert vector(device, 3) == chosen(ODD, TENS, COUNT)


@pytest.mark.parametrize(("store", "size"), [("store_v16i32", 4), ("store_v16i16", 2), ("store_v16i8", 1)])
def test_a_vector_store_to_main_memory_writes_every_lane(store: str, size: int) -> None:
    text = f" leah s5, state3\n leal s5, state3\n {store} v1, (s5)\n flush s5\n"
    device = run_on_state(text, {}, {1: TENS, 3: COUNT}, ODD)
    packed = b"".join((lane & (1 << 8 * size) - 1).to_bytes(size, "little") for lane in TENS)
    before = b"".join(lane.to_bytes(4, "little") for lane in COUNT)
    assert device.read(0x800040, 64) == packed + before[len(packed) :]


@pytest.mark.parametrize(("form", "bits"), [("32", 32), ("16", 16), ("8", 8)])
def test_scratchpad_vectors_honour_the_mask_and_take_a_word_for_each_lane(form: str, bits: int) -> None:
    text = (
        " movei s5, 260\n movei rm, 65535\n store_v16i32_scratchpad v3, (s5)\n movei rm, 43690\n"
        f" store_v16i{form}_scratchpad v1, (s5)\n movei rm, 61680\n load_v16i{form}_scratchpad v4, (s5)\n"
        " movei rm, 65535\n load_v16i32_scratchpad v5, (s5)\n"
    )
    device = run_on_state(text, {}, {1: [0xFFFF0080 + lane for lane in COUNT], 3: TENS, 4: COUNT})
    part = (1 << bits) - 1
    stored = [(0xFFFF0080 + lane) & part | TENS[lane] & ~part if ODD >> lane & 1 else TENS[lane] for lane in COUNT]
    assert vector(device, 5) == stored

    def loaded(word: int) -> int:
        return ((word & part ^ 1 << bits - 1) - (1 << bits - 1)) & 0xFFFFFFFF

    assert vector(device, 4) == chosen(0xF0F0, [loaded(word) for word in stored], COUNT)


def test_all_32_bits_of_rm_can_be_read_back_and_the_low_ones_are_the_mask() -> None:
    text = constant("rm", 0xABCD00FF) + " move_i32 s10, rm\n addi v3, v1, 1\n"
    device = run_on_state(text, {}, {1: TENS, 3: COUNT})
    assert scalar(device, 10) == 0xABCD00FF
    assert vector(device, 3) == chosen(0x00FF, [lane + 1 for lane in TENS], COUNT)


def test_moveih_into_rm_turns_every_lane_off_although_its_low_half_stays() -> None:
    device = run_on_state(" movei rm, 255\n moveih rm, 7\n move_i32 s10, rm\n addi v3, v1, 1\n", {}, {1: TENS, 3: COUNT})
    assert scalar(device, 10) == 0x000700FF
    assert vector(device, 3) == COUNT


@pytest.mark.parametrize(
    "write",
    [" movei rm, 3\n", " moveil rm, 3\n", " move_i32 rm, s5\n", " addi rm, s5, 0\n", " write_mr s5\n", " load32 rm, (s6)\n"],
)
def test_every_other_write_of_rm_sets_the_mask(write: str) -> None:
    text = " leah s6, state4\n leal s6, state4\n" + write + " addi v3, v1, 1\n"
    device = run_on_state(text, {5: 3}, {1: TENS, 3: COUNT, 4: [3] * 16})
    assert vector(device, 3) == chosen(3, [lane + 1 for lane in TENS], COUNT)


def test_a_write_of_v59_sets_the_mask_from_lane_0_of_what_is_written() -> None:
    device = run_on_state(
        " addi v59, v1, 0\n addi v3, v1, 1\n move_i32 s10, rm\n", {}, {1: [0x10005, *COUNT[1:]], 3: COUNT}, 0xFFFF
    )
    assert vector(device, 3) == chosen(5, [0x10006, *[lane + 1 for lane in COUNT[1:]]], COUNT)
    assert vector(device, 59) == [0x10005, *COUNT[1:]]
    assert scalar(device, 10) == 0xFFFF, "the scalar register itself stays"


def test_the_mask_is_zero_after_boot() -> None:
    device, _ = run(" movei v3, 7\n" + ALL_ON.replace("s0", "s5") + " movei v4, 1\n")
    assert device.cores[0].threads[0].vectors[3] is None
    assert vector(device, 4) == [1] * 16


def test_a_nested_condition_leaves_lanes_off_that_were_off_outside() -> None:
    # The mask sample of the manual with an outer partial mask: else := old and not then.
    text = (
        " move_i32 s20, rm\n cmpgti s10, v1, 70\n and_i32 s11, s10, s20\n move_i32 rm, s11\n movei v3, 1\n"
        " xor_i32 s12, s11, s20\n move_i32 rm, s12\n movei v3, 2\n move_i32 rm, s20\n"
    )
    device = run_on_state(text, {}, {1: TENS, 3: [0] * 16}, 0x0FF0)
    assert vector(device, 3) == [(1 if lane > 7 else 2) if 4 <= lane < 12 else 0 for lane in COUNT]
    assert device.cores[0].threads[0].mask == 0x0FF0


def test_scalar_compares_give_1_and_float_compares_0xffff() -> None:
    one, two = 0x3F800000, 0x40000000
    text = " cmplt_i32 s10, s2, s3\n cmpflt_f32 s11, s2, s3\n cmpfgt_f32 s12, s2, s3\n cmplt_i32 s13, s3, s2\n"
    device = run_on_state(text, {2: one, 3: two}, {})
    assert [scalar(device, number) for number in (10, 11, 12, 13)] == [1, 0xFFFF, 0, 0]


def test_vector_compares_give_a_bitmap_of_16_bits() -> None:
    text = " cmpult_i32 s10, v1, s2\n cmpfle_f32 s11, v1, v2\n cmpulti s12, v1, -1\n"
    device = run_on_state(text, {2: 40}, {1: TENS, 2: [80] * 16})
    assert scalar(device, 10) == 0x000F
    assert scalar(device, 11) == 0x01FF
    assert scalar(device, 12) == 0xFFFF, "an immediate is extended with its sign, then compared without"


def test_the_lanes_of_vector_instructions_that_are_on_are_counted() -> None:
    _, report = run(ALL_ON + " movei v1, 1\n movei v2, 2\n movei rm, 15\n movei v3, 3\n movei v4, 4\n")
    assert report.vector_instructions == 4
    assert report.lane_utilisation == (16 + 16 + 4 + 4) / 64


def test_without_a_lane_memory_is_accessed_all_the_same() -> None:
    text = " leah s5, state3\n leal s5, state3\n store_v16i32 v1, (s5)\n load_v16i32 v4, (s5)\n flush s5\n"
    device = run_on_state(text, {}, {1: TENS, 3: COUNT, 4: COUNT}, 0)
    assert device.read(0x800040, 64) == b"".join(lane.to_bytes(4, "little") for lane in TENS)
    assert vector(device, 4) == COUNT
    with pytest.raises(Trap, match="unmapped memory"):
        run_on_state(" load_v16i32 v4, (s5)\n", {5: 0x300000}, {4: COUNT}, 0)


def test_flushes_barriers_branches_and_control_registers_do_not_look_at_the_mask() -> None:
    text = (
        " leah s5, state3\n leal s5, state3\n store32 s6, (s5)\n flush s5\n movei s7, 0\n barrier s7, s7\n movei s8, 14\n"
        " read_cr s10, s8\n movei s8, 20\n write_cr s6, s8\n bnez s6, there\n movei s6, 0\nthere:\n"
    )
    device = run_on_state(text, {6: 77}, {3: COUNT}, 0)
    assert device.read(0x800000, 4) == (77).to_bytes(4, "little")
    assert scalar(device, 10) == 8
    assert scalar(device, 6) == device.cores[0].registers.debug[0] == 77


@pytest.mark.parametrize(
    "text",
    [
        "or_i32 v63, v1, v2", "xor_i32 v63, v1, s2", "add_i32.m v63, v1, v2", "mull_i32 v63, v1, v2", "sub_i32 v63, v1, v1",
        "not_i32 v63, v1", "fadd_f32 v63, v1, v2", "shuffle_i32 v63, v1, v2", "and_i32 v63, s2, v1", "add_i32 pc, s2, s2",
    ],
)  # fmt: skip
def test_an_operation_into_register_63_would_jump_and_ends_the_run(text: str) -> None:
    with pytest.raises(Trap, match="is taken for a branch") as trap:
        run_on_state(f" nop\n {text}\n nop\n", {2: 5}, {1: [7] * 16, 2: [9] * 16})
    assert text.split(",")[0] in str(trap.value)


def test_other_formats_loads_and_moves_write_v63() -> None:
    for text, found in (("addi v63, v1, 3", 10), ("movei v63, 8", 8), ("move_i32 v63, v1", 7), ("move_i32 v63, s2", 5)):
        device = run_on_state(f" {text}\n addi v10, v63, 0\n", {2: 5}, {1: [7] * 16})
        assert vector(device, 10) == [found] * 16


def test_with_no_lane_on_nothing_is_read() -> None:
    text = " movei rm, 0\n add_i32 v13, v1, v1\n add_i32 v14, v13, v1\n movei rm, 255\n add_i32 v14, v1, v1\n"
    assert vector(run_on_state(text, {}, {1: [7] * 16}), 14)[:8] == [14] * 8
    with pytest.raises(Trap, match="read of v13, which was never written"):
        run_on_state(" movei rm, 0\n add_i32 v13, v1, v1\n movei rm, 1\n add_i32 v14, v13, v1\n", {}, {1: [7] * 16})
