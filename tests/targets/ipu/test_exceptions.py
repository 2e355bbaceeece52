"""What a worker may not do: the exception of the reference (IPU 1.4, 1.5, 2.1 to 2.3, 8), its address and its place."""

from __future__ import annotations

import numpy as np
import pytest

from voltac.targets.ipu.assembly.program import assemble_vertices
from voltac.targets.ipu.simulator.faults import WorkerTrap
from voltac.targets.ipu.simulator.report import TileReport
from voltac.targets.ipu.simulator.tile import Tile
from voltac.targets.ipu.simulator.vertex import run_vertex

REGION_0, REGION_1 = 0x66000, 0x80000
ENABLE_ALL = 7
"""Traps of ``$FP_CTL``."""


def run(text: str, tile: Tile | None = None, generation: str = "mk2", workers: int = 1) -> TileReport:
    program = assemble_vertices(f".align 8\n.globl f\nf:\n{text}\nexitz $mzero\n", generation)
    tile = Tile(generation) if tile is None else tile
    map = tile.memory.map
    middle = (map.start + map.interleaved) // 2 // 8 * 8
    tile.declare(middle, 0x4000)
    tile.declare(map.interleaved, 0x10000)
    return run_vertex(program, [], "f", workers, tile=tile).report


def trap(text: str, tile: Tile | None = None, generation: str = "mk2") -> WorkerTrap:
    with pytest.raises(WorkerTrap) as caught:
        run(text, tile, generation)
    return caught.value


FAULTS = (
    # Code, text, words of the message. $m0 is an address of interleaved memory, $m1 of the other region.
    (8, "ld32 $m2, $m0, $mzero, $mone", None),
    (8, "add $m0, $m0, 4\nld64 $a0:1, $m0, 0", "multiple of 8"),
    (8, "add $m0, $m0, 2\nld32 $a0, $m0, 0", "multiple of 4"),
    (8, "add $m0, $m0, 1\nldz16 $m2, $m0, 0", "multiple of 2"),
    (8, "add $m0, $m0, 8\nld128 $a0:3, $m0, 0", "multiple of 16"),
    (8, "add $m0, $m0, 4\nst64 $a0:1, $m0, 0", "multiple of 8"),
    (8, "ld32 $m2, $mzero, 0", "no memory"),
    (8, "st32 $mzero, $mzero, 0", "no memory"),
    (8, "setzi $m2, 0xE8000\nld32 $a0, $m2, 0", "no memory"),
    (8, "ldconst $m2, 0x80000000\nld32 $a0, $m2, 0", "no memory"),
    (8, "ld128 $a0:3, $m1, 0", "interleaved"),
    (8, "setzi $m2, 0xA0000\nld32 $a0, $m2, 0", "behind any array"),
    (8, "setzi $m2, 0xA0000\nst32 $mzero, $m2, 0", "in no array"),
    (8, "setzi $m2, f\nst32 $mzero, $m2, 0", "code"),
    (8, "add $m3, $m0, 8\ntapack $m4:5, $m0, $m1, $m3\nld2xst64pace $a0:3, $a4:5, $m4:5+=, $mzero, 0", "region 0"),
    (6, "tapack $m4:5, $m0, $m0, $m0\nld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0", "meet in a bank"),
    (6, "add $m2, $m0, 16\ntapack $m4:5, $m2, $mzero, $m0\nldst64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0", "meet in a bank"),
    (6, "add $m2, $m1, 24\ntapack $m4:5, $m2, $mzero, $m1\nldst64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0", "meet in a bank"),
    (9, "ldconst $m2, 0x10000\nrpt $m2, 0\n{ nop ; fnop }", "counts to 65535"),
    (10, "br $mzero", "region 0"),
    (10, "br $m0", "region 0"),
    (10, "add $m2, $m1, 2\nbr $m2", "multiple of 4"),
    (12, "ld64a32pace $a0:1, $a2, $m2:3+=, $mzero, 0", "ld64a32pace does is not specified"),
    (12, "ld64b16pace $a0:1, $a2, $m2:3+=, $mzero, 0", "ld64b16pace does is not specified"),
    (12, "br $m1", "no instruction"),
    (12, "runall $m0, $m1, 0", "of the supervisor"),
    (12, ".long 0xffffffff", "no instruction"),
    (12, ".long 0x99E00000\nnop", "of none"),
    (12, "ldd16a32 $a0:1, $m0, $m1++, $m2@", "not specified"),
    (1, "trap 3", "trap 3"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("code", "text", "message"), [row for row in FAULTS if row[2]], ids=[row[1] for row in FAULTS if row[2]]
)
def test_an_exception(code: int, text: str, message: str) -> None:
    found = trap(f"setzi $m0, {REGION_1}\nsetzi $m1, {REGION_0}\n{text}")
    assert (found.code, message in str(found)) == (code, True), str(found)


def test_an_exception_says_where() -> None:
    found = trap("setzi $m0, 0x80004\n{ ld64 $a0:1, $m0, 0 ; f32add $a2, $a3, $a4 }")
    assert found.pc == 0x4C004
    assert found.addresses == (0x80004,)
    assert "{ ld64 $a0:1, $m0, $mzero, 0 ; f32add $a2, $a3, $a4 }" in str(found)
    assert not found.in_repeat


def test_a_register_that_nothing_was_written_to() -> None:
    checking = Tile(checks_registers=True)
    found = trap("setzi $m0, 1\n{ add $m1, $m0, 1 ; f32add $a1, $a0, $azero }", checking)
    assert found.reason == "invalid operation: $a0 is read, and nothing was written to it"
    assert "f32add $a1, $a0" in found.instruction
    # What a caller may have in a register is saved; both halves see the old state; the hardware's own are there.
    saved = "st32 $a6, $mworker_base, $mzero, 0\nld32 $a6, $mworker_base, $mzero, 0\nf32add $a0, $a6, $azero"
    run(f"{saved}\nld32 $m2, $mvertex_base, $mzero, 0\nadd $m2, $m2, $mzero", Tile(checks_registers=True))
    assert "$m3 is read" in str(trap("{ add $m0, $m3, 1 ; setzi $a3, 1 }", Tile(checks_registers=True)))


def test_an_exception_in_a_repeat() -> None:
    text = "setzi $m0, 0x80000\nsetzi $m1, 20000\nnop\nrpt $m1, 1\n{ nop ; fnop }\n{ ld64step $a0:1, $mzero, $m0+=, 1 ; fnop }"
    found = trap(text)
    # 64 KB and the 32 bytes behind may be read.
    assert found.addresses == (0x80000 + 0x10000 + 32,)
    assert (found.pc, found.in_repeat) == (0x4C018, True)


def test_bodies_of_repeats_that_the_assembler_does_not_see() -> None:
    # Words, for the assembler refuses the text: rpt 1, 0 (0x40000100) and one bundle.
    single = trap("nop\n.long 0x40000100\nnop\nnop")
    assert (single.code, "single instruction" in str(single)) == (9, True)
    branch = trap("nop\n.long 0x40000100\n.long 0xC0810000\n.long 0x9AD00000")
    assert (branch.code, "bri" in str(branch)) == (9, True)
    crooked = trap(".long 0x40000100\n.long 0x99E00000\n.long 0x9AD00000")
    assert (crooked.code, "not 8-byte aligned" in str(crooked)) == (9, True)
    # The same body no time at all.
    run("nop\n.long 0x40000000\n.long 0x99E00000\n.long 0x9AD00000")


@pytest.mark.parametrize(("generation", "most"), [("mk1", 4095), ("mk2", 65535)])
def test_the_most_that_a_repeat_counts_to(generation: str, most: int) -> None:
    text = "nop\nnop\nldconst $m0, {}\n.align 8\n{{ rpt $m0, 0 ; fnop }}\n{{ nop ; fnop }}"
    assert run(text.format(most), generation=generation).workers[0].repeat_slots == most
    assert trap(text.format(most + 1), generation=generation).code == 9


FLOAT_FLAGS = (
    # Flags as $FP_STS has them: invalid 1, division by zero 2, overflow 4.
    (1, "f32sub $a0, $a1, $a1", "infinity less infinity"),
    (1, "f32mul $a0, $a1, $azero", "infinity times zero"),
    (2, "f32div $a0, $a2, $azero", "one by zero"),
    (1, "f32div $a0, $azero, $azero", "zero by zero"),
    (4, "f32mul $a0, $a3, $a3", "the largest number squared"),
    (4, "f32tof16 $a0, $a3", "too large for a half"),
    (0, "f32tof16 $a0, $a1", "infinity is no overflow"),
    (4, "f16v2exp $a0, $a7", "a function too large for a half"),
    (1, "f32sqrt $a0, $a4", "the root of -1"),
    (1, "f32toi32 $a0, $a3", "too large for an integer"),
    (1, "f32add $a0, $a5, $a2", "a signalling NaN"),
    (0, "f32add $a0, $a2, $a2", "nothing wrong"),
    (0, "f32cmpeq $a0, $a6, $a2", "a quiet NaN compared"),
)
VALUES = "\n".join(
    f"ldconst $a{number}, {bits:#x}"
    for number, bits in enumerate((0x7F800000, 0x3F800000, 0x7F7FFFFF, 0xBF800000, 0x7F800001, 0x7FC00000, 0x78007800), 1)
)


@pytest.mark.parametrize(("flags", "text", "why"), FLOAT_FLAGS, ids=[row[2] for row in FLOAT_FLAGS])
def test_flags_and_traps_of_the_float_unit(flags: int, text: str, why: str) -> None:
    status = np.zeros(1, np.uint32)
    begin = f".align 8\n.globl f\nf:\nld32 $m0, $mvertex_base, 0\n{VALUES}"
    program = f"{begin}\n{text}\nuget $a0, $FP_STS\nst32 $a0, $m0, 0\nexitz $mzero"
    run_vertex(assemble_vertices(program), [status], "f", 1)
    assert status[0] == flags
    if not flags:
        run_vertex(assemble_vertices(program), [status], "f", 1, tile=Tile(control=ENABLE_ALL))
        return
    with pytest.raises(WorkerTrap) as caught:
        run_vertex(assemble_vertices(program), [status], "f", 1, tile=Tile(control=ENABLE_ALL))
    assert caught.value.code == 5
    # Only the trap of that flag matters.
    run_vertex(assemble_vertices(program), [status], "f", 1, tile=Tile(control=ENABLE_ALL & ~flags))


def test_a_worker_that_never_ends() -> None:
    found = trap("1: bri 1b", Tile(limit=1000))
    assert "more than 1000 issue slots" in str(found)


def test_both_halves_see_the_old_state() -> None:
    x = np.array([1, 2, 0, 0], np.float32)
    text = """
.align 8
.globl f
f:  ld32 $m0, $mvertex_base, 0
    ld64 $a0:1, $m0, 0
    ldconst $a2, 0x40400000
    { st32 $a0, $m0, 2 ; f32add $a0, $a0, $a2 }     // stores 1, a0 = 4
    { ld32 $a1, $m0, 0 ; f32add $a3, $a1, $a2 }     // a1 = 1, a3 = 2 + 3
    st32 $a3, $m0, 3
    st32 $a1, $m0, 1
    st32 $a0, $m0, 0
    exitz $mzero
"""
    run_vertex(assemble_vertices(text), [x], "f", 1)
    assert x.tolist() == [4, 1, 1, 5]


def test_slots_of_operations_that_take_several() -> None:
    # IPU 2.4: division 3, square root 5, an exponential 3 but 1 of zero.
    text = "ldconst $a0, 0x3f800000\n{ nop ; f32div $a1, $a0, $a0 }\nf32sqrt $a1, $a0\nf32exp $a1, $a0\nf32exp $a1, $azero"
    report = run(text).workers[0]
    assert (report.issues, report.slots) == (6, 1 + 3 + 5 + 3 + 1 + 1)


def test_bits_of_what_is_always_zero_are_counted() -> None:
    run("setzi $m1, 1\npopc $m0, $mzero\nclz $m2, $mzero\nstm32 $m0, $mworker_base, $mzero")


def test_counters_and_the_number_of_the_worker() -> None:
    out = np.zeros(18, np.uint32)
    text = """
.globl f
f:  get $m1, $WSR
    ld32 $m0, $mvertex_base, 0
    and $m1, $m1, 7
    get $m2, $COUNT_L
    nop
    get $m3, $COUNT_L
    mul $m4, $m1, 12
    add $m0, $m0, $m4
    st32 $m1, $m0, 0
    st32 $m2, $m0, 1
    st32 $m3, $m0, 2
    exitz $mzero
"""
    run_vertex(assemble_vertices(text), [out], "f", 6)
    # Slot k of worker w is cycle 6k + w; the counters are read in slots 3 and 5.
    assert out.reshape(6, 3).tolist() == [[w, 18 + w, 30 + w] for w in range(6)]


def test_workers_wait_for_each_other() -> None:
    """Worker 0 waits until the others have set their words; each waits for the one behind it."""
    flags = np.zeros(6, np.uint32)
    text = """
.globl f
f:  get $m1, $WSR
    and $m1, $m1, 7
    ld32 $m0, $mvertex_base, 0
    cmpeq $m2, $m1, 5
    brnz $m2, 2f
    add $m3, $m1, 1
1:  ld32 $m4, $m0, $mzero, $m3
    brz $m4, 1b
2:  add $m5, $m1, 10
    stm32 $m5, $m0, $m1
    exitz $mzero
"""
    report = run_vertex(assemble_vertices(text), [flags], "f", 6, tile=Tile(limit=10_000)).report
    assert flags.tolist() == [10, 11, 12, 13, 14, 15]
    slots = [worker.slots for worker in report.workers]
    assert slots == sorted(slots, reverse=True)
