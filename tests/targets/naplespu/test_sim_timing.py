"""The cycle model against the figures measured on the hardware's simulation (NaplesPU 6.2, 6.3, 6.5)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from npu_calibration import (
    ADDITION_IN_PLACE_POINTS,
    ADDITION_POINTS,
    ADDITIONS,
    MATRIX_POINTS,
    STREAMING_POINTS,
    C,
    lines_added_to,
    lines_streamed,
    matrix_device,
)
from npu_programs import ALL_ON, END, THREAD_TO_S40, device_for

from voltac.targets.naplespu.isa import INSTRUCTIONS

WITHIN = 0.1
SETTING = (
    ALL_ON + " leah s5, data\n leal s5, data\n movei s6, 64\n movei s2, 2\n movei s3, 1\n movei v1, 1\n movei v2, 2\n"
    " movei v8, 8\n movei s29, 2\n"
    " movei s7, 5\n movei s8, 0\n"
)
DATA = "\n .data\n .align 64\ndata: .space 4096\n"


def issues(text: str, threads: int = 1, **configuration: object) -> list[tuple[int, str]]:
    """Cycle and text of every instruction of a program, in the order of their issue."""
    lines: list[str] = []
    device_for(text + END + DATA, threads, **configuration).run(trace=lines.append, limit=100_000)
    return [(int(line.split()[0]), line.split(maxsplit=3)[3]) for line in lines]


def warm_distance(producer: str, consumer: str) -> int:
    """Cycles between two instructions that stand one behind the other, in the second round of a loop."""
    marked = SETTING + f"again: nop\n {producer}\n {consumer}\n nop\n" + " nop\n" * 30 + " subi s29, s29, 1\n bnez s29, again\n"
    found = issues(marked)
    starts = [number for number, (_, text) in enumerate(found) if text.startswith("nop")]
    # The second round's first: each round has 32.
    first = starts[32]
    return found[first + 2][0] - found[first + 1][0]


def of_table(distance: int, *pairs: tuple[str, str]) -> list[tuple[str, str, int]]:
    return [(producer, consumer, distance) for producer, consumer in pairs]


DISTANCES = [
    *of_table(
        7,
        ("addi s10, s2, 1", "addi s11, s10, 1"), ("mull_i32 s10, s2, s3", "addi s11, s10, 1"),
        ("shli s10, s2, 1", "addi s11, s10, 1"),
        ("move_i32 s10, s2", "addi s11, s10, 1"), ("movei s10, 2", "addi s11, s10, 1"),
        ("cmplti s10, s2, 1", "addi s11, s10, 1"),
        ("cmplt_i32 s10, v1, v2", "addi s11, s10, 1"), ("shuffle_i32 v10, v1, v2", "addi v11, v10, 1"),
        ("getlanei s10, v1, 3", "addi s11, s10, 1"), ("crt_mask_i32 s10, v1", "addi s11, s10, 1"),
        ("read_cr s10, s2", "addi s11, s10, 1"), ("add_i32 v10, v1, v2", "addi v11, v10, 1"),
        ("moveil rm, 65535", "addi v11, v1, 1"), ("add_i32 v10, v1, v2", "store_v16i32 v10, (s5)"),
        # Writing what is still to be written waits as well.
        ("addi s10, s2, 1", "movei s10, 1"),
    ),
    *of_table(8, ("cmpflt_f32 s10, s2, s3", "addi s11, s10, 1"), ("cmpflt_f32 s10, v1, v2", "addi s11, s10, 1")),
    *of_table(11, ("fmul_f32 s10, s2, s3", "addi s11, s10, 1"), ("ftoi_i32 v10, v1", "addi v11, v10, 1")),
    *of_table(12, ("fadd_f32 v10, v1, v2", "addi v11, v10, 1"), ("fsub_f32 s10, s2, s3", "addi s11, s10, 1")),
    *of_table(13, ("itof_i32 s10, s2", "addi s11, s10, 1")),
    *of_table(24, ("fdiv_f32 v10, v1, v2", "addi v11, v10, 1")),
    *of_table(9, ("load32 s10, (s5)", "addi s11, s10, 1"), ("load_v16i32 v10, (s5)", "addi v11, v10, 1")),
    *of_table(
        11, ("load32_scratchpad s10, (s6)", "addi s11, s10, 1"), ("load_v16i32_scratchpad v10, (s6)", "addi v11, v10, 1")
    ),
    # Independent instructions, a store, a flush and a branch that is not taken: one slot.
    *of_table(
        1,
        ("addi s10, s2, 1", "addi s11, s2, 1"), ("fdiv_f32 v10, v1, v2", "fdiv_f32 v11, v1, v2"),
        ("store32 s2, (s5)", "addi s11, s2, 1"),
        ("store_v16i32 v1, (s5)", "addi v11, v1, 1"), ("store32_scratchpad s2, (s6)", "addi s11, s2, 1"),
        ("flush s5", "addi s11, s2, 1"), ("bnez s8, over", "addi s11, s2, 1"), ("load32 s10, (s5)", "load32 s11, 4(s5)"),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("producer", "consumer", "distance"), DISTANCES)
def test_distances_are_those_of_the_table(producer: str, consumer: str, distance: int) -> None:
    assert warm_distance(producer, consumer) == distance


@pytest.mark.parametrize("branch", ["jmp 4", "bnez s2, 4", "beqz s8, 4", "jmpsr 4"])
def test_a_branch_that_is_taken_costs_9(branch: str) -> None:
    mnemonic, _, operands = branch.partition(" ")
    operands = operands.replace("4", "there")
    assert warm_distance(f"{mnemonic} {operands}", "there: addi s11, s2, 1") == 9


def test_a_return_costs_9() -> None:
    found = issues(
        SETTING + " movei s30, 2\nagain: jmpsr function\n addi s11, s2, 1\n subi s30, s30, 1\n bnez s30, again\n"
        " jmp out\nfunction: jret\nout:\n"
    )
    returns = [number for number, (_, text) in enumerate(found) if text.startswith("jret")]
    assert found[returns[1] + 1][0] - found[returns[1]][0] == 9


@pytest.mark.parametrize("latency", [1, 20, 100])
def test_a_miss_takes_16_cycles_beside_the_latency(latency: int) -> None:
    text = SETTING.replace("again", "") + " jmp far\n .align 64\nfar: load32 s10, (s5)\n addi s11, s10, 1\n"
    found = issues(text, latency=latency)
    load = next(number for number, (_, line) in enumerate(found) if line.startswith("load32"))
    assert found[load + 1][0] - found[load][0] == 16 + latency


COLD = SETTING + " jmp far\n .align 64\nfar: "


@pytest.mark.parametrize("latency", [1, 40])
@pytest.mark.parametrize("store", ["store32 s2, (s5)", "store_v16i32 v1, (s5)", "store32_8 s2, 3(s5)"])
def test_a_store_that_misses_takes_one_slot(store: str, latency: int) -> None:
    found = issues(COLD + f"{store}\n addi s11, s2, 1\n", latency=latency)
    at = next(number for number, (_, line) in enumerate(found) if line.startswith("store"))
    assert found[at + 1][0] - found[at][0] == 1


def test_a_store_that_misses_stops_its_thread_where_that_is_asked_for() -> None:
    found = issues(COLD + "store32 s2, (s5)\n addi s11, s2, 1\n", latency=40, blocking_stores=True)
    at = next(number for number, (_, line) in enumerate(found) if line.startswith("store"))
    assert found[at + 1][0] - found[at][0] == 16 + 40


def test_accesses_of_the_thread_stand_behind_a_store_that_misses() -> None:
    # The load of the same line is there as soon as the line is, and one cycle of issue apart.
    found = issues(COLD + "store32 s2, (s5)\n load32 s10, 4(s5)\n addi s11, s10, 1\n", latency=40)
    at = next(number for number, (_, line) in enumerate(found) if line.startswith("store"))
    assert found[at + 2][0] - found[at][0] == 16 + 40 + 9


def cycles_to_flush(lines: int, **configuration: Any) -> int:
    """From the first flush of so many dirty lines until a barrier behind the last lets the thread go on."""
    flushes = "".join(f" flush s{20 + line}\n" for line in range(lines))
    text = (
        SETTING + "".join(f" movei s4, {64 * line}\n add_i32 s{20 + line}, s5, s4\n" for line in range(lines))
        + "".join(f" store32 s2, 0(s{20 + line})\n" for line in range(lines)) + " barrier s7, s8\n"
        # The second round flushes clean lines, and has the code in the cache.
        + f"again: nop\n barrier s7, s8\n nop\n{flushes} barrier s7, s8\n addi s11, s2, 1\n"
    )  # fmt: skip
    found = issues(text, **configuration)
    first = next(cycle for cycle, line in found if line.startswith("flush"))
    return next(cycle for cycle, line in found if line.startswith("addi s11")) - first


@pytest.mark.parametrize("latency", [1, 40, 400])
def test_lines_are_written_in_the_time_memory_takes_to_accept_them(latency: int) -> None:
    # 8 until the request stands before the controller, for each line its 1 and memory's 60, 10 for the barrier.
    assert cycles_to_flush(3, latency=latency, write_latency=60) == 8 + 3 * (1 + 60) + 10


def test_write_through_takes_a_write_for_every_store() -> None:
    text = SETTING + " load32 s10, (s5)\n addi s11, s10, 1\n" + " store32 s2, (s5)\n" * 3 + " load32 s12, 1024(s5)\n"
    text = text.replace("1024(s5)", "(s4)").replace(" load32 s10", " movei s4, 1024\n add_i32 s4, s4, s5\n load32 s10", 1)
    text += " addi s13, s12, 1\n"
    taken = {}
    for through in (False, True):
        found = issues(text, latency=1, write_latency=100, write_through=through)
        load = next(cycle for cycle, line in found if line.startswith("load32 s12"))
        taken[through] = next(cycle for cycle, line in found if line.startswith("addi s13")) - load
    assert taken[False] == 17
    # The load waits until memory has accepted what was stored before it.
    assert taken[True] > 3 * 101 - 10


@pytest.mark.parametrize(("threads", "latency", "cycles"), ADDITION_IN_PLACE_POINTS)
def test_an_addition_in_place_takes_as_long_as_measured(threads: int, latency: int, cycles: int) -> None:
    assert lines_added_to(threads, latency) == pytest.approx(cycles, rel=0.03)


def test_the_data_cache_of_a_core_alone_replaces_its_ways_in_turn() -> None:
    # Five lines of one set; the first is used again before the fifth comes, and goes nevertheless.
    text = " leah s5, data\n leal s5, data\n movei s4, 2048\n" + "".join(
        f" load32 s{10 + line}, (s5)\n" + " add_i32 s5, s5, s4\n" for line in range(4)
    )
    text += " leah s6, data\n leal s6, data\n load32 s20, (s6)\n addi s21, s20, 1\n load32 s14, (s5)\n load32 s22, (s6)\n"
    device = device_for(text + END + "\n .data\n .align 64\ndata: .space 16384\n")
    assert device.run().data_misses == 4 + 1 + 1


@pytest.mark.parametrize("latency", [1, 40])
def test_an_instruction_line_takes_10_cycles_beside_the_latency(latency: int) -> None:
    found = issues(" nop\n" * 100, latency=latency)
    cycles = [cycle for cycle, _ in found[:96]]
    assert [after - before - 1 for before, after in pairwise(cycles) if after - before > 1] == [10 + latency] * 5


def test_a_barrier_alone_takes_10_cycles() -> None:
    assert warm_distance("barrier s7, s8", "addi s11, s2, 1") == 10


def test_the_last_of_eight_arrivals_in_a_row_lets_the_first_thread_go_24_cycles_later() -> None:
    text = " movei s7, 5\n movei s8, 7\n" + " nop\n" * 12 + " barrier s7, s8\n sub_i32 s9, s7, s8\n"
    found = issues(text, threads=8)
    arrivals = [cycle for cycle, line in found if line.startswith("barrier")]
    leavings = [cycle for cycle, line in found if line.startswith("sub_i32")]
    assert arrivals == list(range(arrivals[0], arrivals[0] + 8))
    assert leavings[0] - arrivals[-1] == 24


def test_a_sixth_memory_instruction_in_flight_waits_four_cycles_more() -> None:
    for suffix, base in (("", "s5"), ("_scratchpad", "s6")):
        loads = "".join(f" load32{suffix} s{10 + number}, {4 * number}({base})\n" for number in range(6))
        found = issues(SETTING + f" movei s28, 2\nagain: nop\n{loads} subi s28, s28, 1\n bnez s28, again\n")
        cycles = [cycle for cycle, line in found if line.startswith("load32")][6:]
        assert [after - before for before, after in pairwise(cycles)] == [1, 1, 1, 1, 5]


def test_float_results_do_not_leave_the_pipe_in_one_cycle() -> None:
    # An addition (12) and a multiplication (11) one cycle later: the second result comes a cycle late.
    text = (
        SETTING + " movei s28, 2\nagain: nop\n fadd_f32 s10, s2, s3\n fmul_f32 s11, s2, s3\n addi s12, s11, 1\n"
        " subi s28, s28, 1\n bnez s28, again\n"
    )
    found = issues(text)
    multiplication = [cycle for cycle, line in found if line.startswith("fmul")][1]
    assert next(cycle for cycle, line in found if line.startswith("addi s12") and cycle > multiplication) - multiplication == 12


@pytest.mark.parametrize(("threads", "latency", "per_line"), STREAMING_POINTS)
def test_streaming_misses_take_as_long_as_measured(threads: int, latency: int, per_line: float) -> None:
    assert lines_streamed(threads, latency) == pytest.approx(per_line, rel=WITHIN)


@pytest.mark.parametrize("latency", [1, 20])
def test_a_line_that_streams_through_the_controller_takes_4_cycles_beside_the_latency(latency: int) -> None:
    # Eight threads, each with four lines of its own at once: more than they can have under way.
    text = THREAD_TO_S40 + " leah s5, data\n leal s5, data\n shli s6, s40, 8\n add_i32 s5, s5, s6\n nop\n"
    found = issues(text + "".join(f" load32 s{10 + line}, {64 * line}(s5)\n" for line in range(4)) + " addi s20, s13, 1\n", 8,
                   latency=latency)  # fmt: skip
    used = [cycle for cycle, line in found if line.startswith("addi s20")]
    assert used[-1] - used[0] == 7 * (4 + latency)


@pytest.mark.parametrize(("threads", "latency", "cycles", "issued"), ADDITION_POINTS)
def test_dependent_additions_take_as_long_as_measured(threads: int, latency: int, cycles: int, issued: int) -> None:
    report = device_for(ADDITIONS, threads, latency=latency).run()
    assert report.cycles == pytest.approx(cycles, rel=WITHIN)
    assert report.issued == pytest.approx(issued, rel=WITHIN)


@pytest.mark.parametrize(("threads", "latency", "cycles", "issued"), MATRIX_POINTS)
def test_the_matrix_product_takes_as_long_as_measured(threads: int, latency: int, cycles: int, issued: int) -> None:
    device, _ = matrix_device(threads, latency=latency)
    report = device.run()
    assert report.cycles == pytest.approx(cycles, rel=WITHIN)
    assert report.issued == pytest.approx(issued, rel=WITHIN)


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_the_matrix_product_is_right(threads: int) -> None:
    device, product = matrix_device(threads, flushed=True)
    device.run()
    assert (np.frombuffer(device.read(C, 4096), np.int32).reshape(32, 32) == product).all()


def test_stalls_and_instructions_add_up_to_the_cycles() -> None:
    device, _ = matrix_device(8)
    report = device.run()
    for thread in report.threads:
        assert thread.instructions + sum(thread.stalls.values()) == thread.cycles
        assert min(thread.stalls.values()) >= 0
    assert sum(block.visits for block in report.blocks) > 0
    assert sum(report.counts.values()) == report.instructions == sum(thread.instructions for thread in report.threads)
    assert report.data_hits + report.data_misses == report.counts["load_v16i32"] + report.counts["store_v16i32"] + 8


def test_every_row_has_the_latency_that_the_table_tests() -> None:
    assert {row.latency for row in INSTRUCTIONS.rows.values()} <= {0, 1, *(distance for _, _, distance in DISTANCES), 10}
