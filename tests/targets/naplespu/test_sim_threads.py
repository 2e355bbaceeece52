"""Boot, threads, cores, barriers, control registers, branches, how a program may go wrong (NaplesPU 1.4, 1.7, 1.8, 2.8)."""

from __future__ import annotations

import numpy as np
import pytest
from npu_programs import ALL_ON, END, THREAD_TO_S40, constant, device_for, run, scalar

from voltac.codegen.simulator import Trap
from voltac.targets.naplespu.simulator.machine import Configuration, SimulatedDevice

CORE_TO_S41 = " movei s0, 0\n read_cr s41, s0\n"
PLACES = "\n .data\n .align 64\ndata: .space 8192\n"
OWN_LINE_TO_S5 = (
    THREAD_TO_S40
    + CORE_TO_S41
    + " leah s5, data\n leal s5, data\n shli s6, s41, 9\n add_i32 s5, s5, s6\n shli s6, s40, 6\n add_i32 s5, s5, s6\n"
)
AT = 0x800000


def barrier(number: int, participants: int) -> str:
    return f" movei s0, {number}\n movei s1, {participants - 1}\n barrier s0, s1\n"


@pytest.mark.parametrize(("cores", "threads"), [(1, 1), (1, 8), (4, 2), (8, 8)])
def test_every_thread_of_every_core_runs_the_program(cores: int, threads: int) -> None:
    text = (
        OWN_LINE_TO_S5
        + " muli s7, s41, 100\n".replace("muli", "mulli")
        + " add_i32 s7, s7, s40\n store32 s7, 0(s5)\n flush s5\n"
    )
    device = device_for(text + END + PLACES, threads, cores=cores)
    report = device.run(limit=100_000)
    found = np.frombuffer(device.read(AT, 8 * 512), np.uint32).reshape(8, 8, 16)[:, :, 0]
    expected = np.zeros((8, 8), int)
    for core in range(cores):
        for thread in range(threads):
            expected[core, thread] = 100 * core + thread
    assert (found == expected).all()
    assert len(report.threads) == cores * threads


def test_control_registers_tell_who_and_how_many() -> None:
    numbers = {1: 0, 3: 2, 14: 8, 18: 0, 19: 0, 10: 0, 11: 1, 17: 0, 12: 5, 13: 0x1234, 20: 3, 21: 2}
    text = "".join(f" movei s0, {number}\n read_cr s{number + 2}, s0\n" for number in numbers)
    device = device_for(text + END, threads=3, cores=2)
    device.run(argc=5, argv=0x1234)
    for number, value in numbers.items():
        assert scalar(device, number + 2, thread=2, core=1) == value, f"control register {number}"


def test_the_identifier_of_a_control_register_is_its_low_six_bits() -> None:
    device, _ = run(" movei s0, 64\n addi s0, s0, 14\n read_cr s10, s0\n")
    assert scalar(device, 10) == 8


def test_the_cycle_counter_counts_cycles() -> None:
    device, _ = run(" movei s0, 4\n movei s1, 0\n read_cr s10, s0\n nop\n nop\n nop\n read_cr s11, s0\n")
    assert scalar(device, 11) - scalar(device, 10) == 4


def test_write_cr_takes_data_first_and_the_host_reads_argc_and_argv() -> None:
    device, _ = run(" movei s2, 1024\n movei s3, 12\n write_cr s2, s3\n movei s2, 4096\n movei s3, 13\n write_cr s2, s3\n")
    assert (device.argc, device.argv) == (1024, 4096)


def test_debug_registers_keep_what_is_written() -> None:
    device, _ = run(" movei s2, 99\n movei s3, 35\n write_cr s2, s3\n read_cr s10, s3\n")
    assert scalar(device, 10) == 99


@pytest.mark.parametrize("number", [36, 63])
def test_a_control_register_that_does_not_exist_is_an_error(number: int) -> None:
    with pytest.raises(Trap, match=f"no control register {number}"):
        run(f" movei s3, {number}\n read_cr s10, s3\n")
    with pytest.raises(Trap, match=f"no control register {number}"):
        run(f" movei s3, {number}\n write_cr s3, s3\n")


def test_a_read_only_control_register_cannot_be_written() -> None:
    with pytest.raises(Trap, match=r"thread_id.* cannot be written"):
        run(" movei s3, 2\n write_cr s3, s3\n")


def test_the_barrier_sample_of_the_manual() -> None:
    # Four threads add a pair each, all meet, two add pairs of sums, two meet, one adds and flushes.
    add = " load_v16i32 v1, 0(s10)\n load_v16i32 v2, 0(s11)\n add_i32 v3, v1, v2\n store_v16i32 v3, 0(s12)\n"
    text = (
        ALL_ON + THREAD_TO_S40 + " leah s20, data\n leal s20, data\n movei s21, 1024\n add_i32 s21, s20, s21\n"
        " shli s5, s40, 7\n add_i32 s10, s20, s5\n addi s11, s10, 64\n shli s5, s40, 6\n"
        " add_i32 s12, s21, s5\n" + add + barrier(1, 4)
        + " cmpgti s6, s40, 1\n bnez s6, out\n shli s5, s40, 7\n add_i32 s10, s21, s5\n addi s11, s10, 64\n"
        " shli s5, s40, 6\n movei s22, 1024\n add_i32 s12, s21, s22\n add_i32 s12, s12, s5\n" + add + barrier(2, 2)
        + " bnez s40, out\n add_i32 s10, s21, s22\n addi s11, s10, 64\n add_i32 s12, s10, s22\n" + add + " flush s12\nout:\n"
    )  # fmt: skip
    device = device_for(text + END + PLACES, threads=4)
    pairs = np.arange(8 * 16, dtype=np.uint32).reshape(8, 16) ** 2
    device.write(AT, pairs.tobytes())
    device.run(limit=100_000)
    assert (np.frombuffer(device.read(AT + 3072, 64), np.uint32) == pairs.sum(axis=0)).all()


def test_barriers_hold_threads_of_several_cores_and_may_be_used_again() -> None:
    # Each thread in turn adds to one word; only barriers keep them apart.
    turn = " bnez s7, skip{0}\n load32 s8, 0(s5)\n addi s8, s8, 1\n store32 s8, 0(s5)\n flush s5\nskip{0}:\n subi s7, s7, 1\n"
    text = THREAD_TO_S40 + CORE_TO_S41 + " leah s5, data\n leal s5, data\n shli s7, s41, 2\n add_i32 s7, s7, s40\n"
    text += "".join(turn.format(number) + barrier(700, 12) for number in range(12))
    device = device_for(text + END + PLACES, threads=4, cores=3)
    report = device.run(limit=1_000_000)
    assert device.read(AT, 4) == (12).to_bytes(4, "little")
    assert all(thread.stalls["barrier"] for thread in report.threads)


def test_barrier_numbers_count_modulo_512() -> None:
    text = THREAD_TO_S40 + " movei s0, 5\n beqz s40, go\n movei s0, 517\ngo: movei s1, 1\n barrier s0, s1\n"
    device_for(text + END, threads=2).run(limit=100_000)


def test_threads_that_disagree_about_a_barriers_participants_are_told() -> None:
    text = THREAD_TO_S40 + " movei s0, 5\n addi s1, s40, 1\n barrier s0, s1\n"
    with pytest.raises(Trap, match="barrier 5 is reached with 3 participants, but core 0 thread 0 waits at it for 2") as trap:
        device_for(text + END, threads=2).run(limit=100_000)
    assert (trap.value.thread, trap.value.instruction) == (1, "barrier s0, s1")


def test_a_thread_that_ended_while_others_wait_for_it_is_told() -> None:
    text = THREAD_TO_S40 + " bnez s40, over_it\n" + barrier(3, 2) + "over_it:\n"
    expected = "core 0 thread 0 waits at barrier 3 for 2 participants; ended: core 0 thread 1"
    with pytest.raises(Trap, match=expected) as trap:
        device_for(text + END, threads=2).run(limit=100_000)
    assert trap.value.instruction == "barrier s0, s1"


def test_cores_see_each_others_stores_without_a_flush() -> None:
    text = (
        CORE_TO_S41 + " leah s5, data\n leal s5, data\n load32 s9, 0(s5)\n"
        + barrier(9, 2)
        + " bnez s41, reader\n movei s6, 7\n"
        " store32 s6, 0(s5)\nreader:\n"
        + barrier(1, 2) + " load32 s10, 0(s5)\n"
    )  # fmt: skip
    device = device_for(text + END + PLACES, threads=1, cores=2)
    report = device.run(limit=100_000)
    assert scalar(device, 9, core=1) == 0
    assert scalar(device, 10, core=1) == 7
    assert device.read(AT, 4) == b"\0\0\0\0", "but the host does not"
    assert report.unflushed == 1


def test_a_core_may_flush_what_another_has_dirty() -> None:
    # Both cores store to one line, one of them flushes it: through the directory.
    text = (
        CORE_TO_S41 + " leah s5, data\n leal s5, data\n shli s6, s41, 2\n add_i32 s7, s5, s6\n addi s8, s41, 1\n"
        " store32 s8, 0(s7)\n"
        + barrier(1, 2) + " bnez s41, out\n flush s5\nout:\n"
    )  # fmt: skip
    device = device_for(text + END + PLACES, threads=1, cores=2)
    report = device.run(limit=100_000)
    assert device.read(AT, 8) == b"\1\0\0\0\2\0\0\0"
    assert report.unflushed == 0


def test_a_window_without_coherence_keeps_each_cores_stores_to_itself() -> None:
    # Window 0: the 4 MiB with the upper bits 2.
    window = 2 << 11 | 2 << 1 | 1
    text = (
        CORE_TO_S41 + f" movei s0, {window}\n movei s1, 19\n write_cr s0, s1\n leah s5, data\n leal s5, data\n"
        f" load32 s9, 0(s5)\n"
        " addi s8, s41, 5\n"
        " store32 s8, 0(s5)\n" + barrier(1, 2) + " load32 s10, 0(s5)\n" + barrier(1, 2) + " bnez s41, out\n flush s5\nout:\n"
        + barrier(1, 2) + " load32 s11, 0(s5)\n dcache_inv s5\n load32 s12, 0(s5)\n"
    )  # fmt: skip
    device = device_for(text + END + PLACES, threads=1, cores=2)
    device.run(limit=100_000)
    assert [scalar(device, number, core=1) for number in (9, 10, 11)] == [0, 6, 6]
    assert scalar(device, 10, core=0) == 5


def test_scratchpads_are_a_cores_own_and_its_threads_share_them() -> None:
    text = (
        CORE_TO_S41 + THREAD_TO_S40 + " movei s5, 128\n bnez s40, wait\n addi s6, s41, 40\n"
        " store32_scratchpad s6, 0(s5)\nwait:\n"
        + barrier(1, 4) + " load32_scratchpad s10, 0(s5)\n"
    )  # fmt: skip
    device = device_for(text + END, threads=2, cores=2)
    device.run(limit=100_000)
    assert [scalar(device, 10, thread=1, core=core) for core in (0, 1)] == [40, 41]


# --- branches ---


def test_calls_and_returns() -> None:
    text = " movei s2, 1\n jmpsr function\n addi s10, s2, 100\n jmp out\nfunction: addi s2, s2, 1\n jret\nout:\n"
    assert scalar(run(text)[0], 10) == 102


def test_an_indirect_call_leaves_its_target_plus_4_in_ra() -> None:
    text = " leah s5, function\n leal s5, function\n jmpsr s5\nfunction: move_i32 s10, ra\n sub_i32 s11, s10, s5\n"
    assert scalar(run(text)[0], 11) == 4


def test_a_call_through_a_pointer_by_hand() -> None:
    text = (
        " leah s5, function\n leal s5, function\n leah ra, after\n leal ra, after\n"
        " jmp s5\nafter: addi s10, s2, 100\n jmp out\n"
        "function: movei s2, 1\n jret\nout:\n"
    )
    assert scalar(run(text)[0], 10) == 101


def test_conditional_branches_look_at_all_32_bits() -> None:
    text = constant("s5", 0x10000) + " movei s6, 0\n movei s10, 0\n"
    for number, (branch, register) in enumerate((("bnez", 5), ("beqz", 5), ("bnez", 6), ("beqz", 6))):
        text += f" {branch} s{register}, taken{number}\n addi s10, s10, {1 << number}\ntaken{number}:\n"
    assert scalar(run(text)[0], 10) == 0b0110


def test_jsys_and_nop_do_nothing_and_jeret_is_a_jump() -> None:
    text = " jsys\n nop\n leah s5, there\n leal s5, there\n jeret s5\n movei s10, 1\n jmp out\nthere: movei s10, 2\nout:\n"
    assert scalar(run(text)[0], 10) == 2


def test_a_loop_of_several_blocks() -> None:
    text = (
        " movei s2, 0\n movei s10, 0\n movei s11, 0\nagain: andi s3, s2, 1\n beqz s3, even\n addi s11, s11, 1\n jmp next\n"
        "even: add_i32 s10, s10, s2\nnext: addi s2, s2, 1\n cmplti s3, s2, 100\n bnez s3, again\n"
    )
    device, _ = run(text)
    assert scalar(device, 10) == sum(range(0, 100, 2))
    assert scalar(device, 11) == 50


# --- going wrong ---


@pytest.mark.parametrize(
    ("instruction", "register"),
    [
        ("addi s10, s5, 1", "s5"), ("move_i32 s10, s5", "s5"), ("cmpeq_i32 s10, s6, s5", "s5"), ("fadd_f32 s10, s5, s6", "s5"),
        ("add_i32 v3, v1, v2", "v2"), ("cmpeq_i32 s10, v2, v1", "v2"), ("move_i32 v3, v2", "v2"),
        ("getlane_i32 s10, v1, s5", "s5"),
        ("beqz s5, over", "s5"), ("jmp s5", "s5"), ("jret", "ra"), ("load32 s10, (s5)", "s5"), ("store32 s5, 0(s6)", "s5"),
        ("flush s5", "s5"), ("barrier s5, s6", "s5"), ("write_cr s5, s6", "s5"), ("read_cr s10, s5", "s5"),
        ("store_v16i32_scratchpad v2, 0(s6)", "v2"), ("move_i32 rm, s5", "s5"), ("shuffle_i32 v3, v1, v2", "v2"),
    ],
)  # fmt: skip
def test_reading_a_register_never_written_ends_the_run(instruction: str, register: str) -> None:
    with pytest.raises(Trap, match=f"read of {register}, which was never written") as trap:
        run(ALL_ON + f" movei s6, 64\n movei v1, 1\n {instruction}\n")
    assert trap.value.instruction.replace("0(", "(") == instruction.replace("over", "0x420").replace("0(", "(")
    assert trap.value.pc == 0x410


def test_a_prologue_may_save_registers_that_nobody_has_set() -> None:
    device, _ = run(
        ALL_ON + constant("sp", 0x84000) + " store32 s50, -4(sp)\n store_v16i32 v56, -128(sp)\n load32 s10, -4(sp)\n"
    )
    assert scalar(device, 10) == 0


def test_undefined_encodings_end_the_run() -> None:
    # An R operation without meaning, a gather, f32tof64, a 64-bit addition, and the unit that was not built.
    for word in (0x1A0C1080, 0x900C1000, 0x2E0C1000, 0x040C1090):
        with pytest.raises(Trap, match=f"undefined encoding 0x{word:08X}") as trap:
            run(f" nop\n .word {word}\n")
        assert trap.value.pc == 0x404
    with pytest.raises(Trap, match="crp has no unit"):
        run(ALL_ON + " movei v1, 1\n crp v3, v1, v1\n")


def test_a_program_that_runs_off_its_code_is_told() -> None:
    device = device_for(" movei s2, 1\n")
    with pytest.raises(Trap, match="runs off the code") as trap:
        device.run()
    assert trap.value.pc == 0x404
    with pytest.raises(Trap, match="runs off the code"):
        run(" movei s2, 4096\n jmp s2\n")
    with pytest.raises(Trap, match="not a multiple of 4"):
        run(" movei s2, 1026\n jmp s2\n")


def test_a_program_that_sets_its_status_to_trapped_was_aborted() -> None:
    text = " nop\n jmpsr abort\n nop\nabort: movei s0, 3\n movei s1, 11\n write_cr s0, s1\n"
    with pytest.raises(Trap, match="the program was aborted") as trap:
        device_for(text).run()
    assert (trap.value.pc, trap.value.instruction) == (0x404, "jmpsr 0x40c"), "who called what aborts"


def test_a_loop_without_end_meets_the_limit() -> None:
    with pytest.raises(Trap, match="more than 10000 cycles"):
        device_for("again: movei s2, 1\n bnez s2, again\n").run(limit=10_000)
    with pytest.raises(Trap, match="jumps to the same place for ever"):
        device_for("again: jmp again\n").run()


@pytest.mark.parametrize("configuration", [{"cores": 0}, {"cores": 9}, {"threads": 0}, {"threads": 9}, {"fpu": "exact"}])
def test_machines_that_do_not_exist_are_refused(configuration: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"NaplesPU has 1 to 8 cores|has 1 to 8 threads|no arithmetic 'exact'"):
        SimulatedDevice(Configuration(**configuration))  # type: ignore[arg-type]


def test_the_host_is_told_when_it_uses_unmapped_memory_or_too_much_of_it() -> None:
    device = device_for(END)
    with pytest.raises(ValueError, match="unmapped memory: 0x300000"):
        device.read(0x300000, 4)
    with pytest.raises(ValueError, match="exceed the device's memory"):
        device.allocate(1 << 30)


def test_allocations_are_aligned_apart_and_zero() -> None:
    device = device_for(END + PLACES)
    first, second = device.allocate(10), device.allocate(100)
    assert first % 64 == second % 64 == 0
    assert AT + 8192 <= first < second
    assert device.read(second, 100) == bytes(100)


def test_the_same_run_is_the_same_run() -> None:
    text = (
        OWN_LINE_TO_S5
        + " movei s6, 20\nagain: load32 s7, 0(s5)\n addi s7, s7, 3\n store32 s7, 0(s5)\n subi s6, s6, 1\n bnez s6, again\n"
    )
    reports = [str(device_for(text + END + PLACES, 8, cores=2).run()) for _ in range(2)]
    assert reports[0] == reports[1]


def test_a_trace_tells_every_instruction() -> None:
    lines: list[str] = []
    device = device_for(ALL_ON + " movei s5, 7\n movei v1, 3\n" + END)
    report = device.run(trace=lines.append)
    assert len(lines) == report.instructions
    assert lines[2].split() == [lines[2].split()[0], "0.0", "00000408", "movei", "s5,", "7", "00000007"]
    assert lines[3].endswith(" ".join(["00000003"] * 16))
    untraced = device.run()
    assert untraced.cycles == report.cycles
    assert untraced.counts == report.counts


@pytest.mark.parametrize("threads", [1, 3, 8])
def test_a_run_ends_at_any_limit_and_tells_where(threads: int) -> None:
    text = THREAD_TO_S40 + " movei s2, 4\nloop: addi s3, s40, 1\n subi s2, s2, 1\n bnez s2, loop\n" + END
    whole = device_for(text, threads).run().cycles
    for limit in range(1, whole, 3 if threads == 1 else 7):
        with pytest.raises(Trap) as raised:
            device_for(text, threads).run(limit=limit)
        assert raised.value.reason == f"the run takes more than {limit} cycles" and raised.value.cycle > limit
        assert raised.value.instruction
    assert device_for(text, threads).run(limit=whole).cycles == whole
