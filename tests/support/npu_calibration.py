"""The programs of the reference's calibration points (NaplesPU 6.5), written from their description."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from npu_programs import ALL_ON, END, END_FLAG, THREAD_TO_S40, device_for

from voltac.targets.naplespu.simulator.machine import SimulatedDevice

ADDITIONS = (
    ALL_ON
    + THREAD_TO_S40
    + " movei s2, 0\n movei s3, 50\nloop:\n"
    + " addi s2, s2, 1\n" * 16
    + " subi s3, s3, 1\n bnez s3, loop\n"
    + END_FLAG
    + END
)
"""50 x (16 dependent addi, subi, bnez)."""

_ADDRESSES = "".join(
    f" leah {register}, {name}\n leal {register}, {name}\n" for register, name in (("s30", "A"), ("s31", "B"), ("s32", "C"))
)


def matrix_product(threads: int, flushed: bool = False) -> str:
    """C := A * B, 32 x 32 integers, in vector form.

    Each thread owns a range of result vectors. The inner step is a load of B's row
    piece, getlane of A, multiplication, addition, and the next address; sixteen are
    unrolled and use four temporaries in turn. The reference tells neither where
    the matrices are nor whether the program flushes; here they follow each other,
    and results are flushed only when they are to be looked at.
    """
    steps = "".join(
        f" load_v16i32 v{1 + lane % 4}, (s21)\n getlanei s{24 + lane % 4}, v10, {lane}\n"
        f" mull_i32 v{5 + lane % 4}, v{1 + lane % 4}, s{24 + lane % 4}\n"
        f" add_i32 v0, v0, v{5 + lane % 4}\n addi s21, s21, 128\n"
        for lane in range(16)
    )
    flush = " movei s3, 64\nflushing: flush s32\n addi s32, s32, 64\n subi s3, s3, 1\n bnez s3, flushing\n"
    return (
        ALL_ON + THREAD_TO_S40 + _ADDRESSES + f" mulli s10, s40, {64 // threads}\n addi s11, s10, {64 // threads}\n"
        "outer: shri s12, s10, 1\n andi s13, s10, 1\n shli s14, s12, 7\n shli s15, s13, 6\n add_i32 s20, s30, s14\n"
        " add_i32 s21, s31, s15\n movei v0, 0\n movei s22, 2\ninner: load_v16i32 v10, (s20)\n" + steps
        + " addi s20, s20, 64\n subi s22, s22, 1\n bnez s22, inner\n shli s16, s10, 6\n add_i32 s17, s32, s16\n"
        " store_v16i32 v0, (s17)\n addi s10, s10, 1\n cmplt_i32 s18, s10, s11\n bnez s18, outer\n"
        f" movei s1, 42\n movei s2, {threads - 1}\n barrier s1, s2\n" + (f" bnez s40, done\n{flush}done:\n" if flushed else "")
        + END_FLAG + END + " .data\n .align 64\nA: .space 4096\nB: .space 4096\nC: .space 4096\n"
    )  # fmt: skip


A, B, C = (0x800000 + place * 4096 for place in range(3))


def matrix_device(
    threads: int, flushed: bool = False, **configuration: object
) -> tuple[SimulatedDevice, npt.NDArray[np.int32]]:
    """A device that is ready to multiply two matrices of small integers, and what should come out."""
    device = device_for(matrix_product(threads, flushed), threads, **configuration)
    random = np.random.default_rng(1)
    first, second = (random.integers(-9, 9, (32, 32)).astype(np.int32) for _ in range(2))
    device.write(A, first.tobytes())
    device.write(B, second.tobytes())
    return device, first @ second


# threads, L, cycles, instructions issued
ADDITION_POINTS = [(1, 1, 6101, 964), (2, 1, 6161, 1928), (4, 1, 6277, 3752), (8, 1, 7329, 7305)]
MATRIX_POINTS = [
    (1, 1, 56972, 11930), (2, 1, 31314, 11897), (4, 1, 16896, 11929), (8, 1, 12259, 11925),
    (1, 20, 60718, 11936), (8, 20, 15221, 11952), (8, 100, 34028, 12083),
]  # fmt: skip
# threads, L, cycles a line
STREAMING_POINTS = [(8, 1, 5.8), (8, 20, 23.8), (1, 1, 18.8), (1, 20, 37.2)]
STREAMED_LINES = 128


def lines_streamed(threads: int, latency: int) -> float:
    """Cycles a line where threads load one word from one line after the other.

    The reference does not give the program. Like its other points this one is a whole
    program, boot and end included; the threads share as many lines as the cache has.
    So one thread takes what was measured to three digits, of which the loop alone is
    18 cycles (9 for the branch, 7 from the count to it) or, at L = 20, a miss.
    """
    rounds = STREAMED_LINES // threads
    text = (
        ALL_ON + THREAD_TO_S40 + f" leah s5, data\n leal s5, data\n movei s6, {64 * rounds}\n mull_i32 s6, s6, s40\n"
        f" add_i32 s5, s5, s6\n movei s7, {rounds}\n"
        "again: load32 s10, 0(s5)\n addi s5, s5, 64\n subi s7, s7, 1\n bnez s7, again\n"
        + END_FLAG + END + f"\n .data\n .align 64\ndata: .space {64 * STREAMED_LINES}\n"
    )  # fmt: skip
    return device_for(text, threads, latency=latency).run().cycles / STREAMED_LINES


# threads, L, cycles of an inner iteration
ADDITION_IN_PLACE_POINTS = [(8, 40, 47)]


def lines_added_to(threads: int, latency: int, **configuration: object) -> float:
    """Cycles of an inner iteration where threads add to the elements of an array, a line each time, and flush them.

    The reference tells the cycles, not what lies where: here an iteration reads one line
    that is in no cache and writes it. By the difference of two lengths, so boot does not count.
    """

    def cycles(rounds: int) -> int:
        text = (
            ALL_ON + THREAD_TO_S40 + f" leah s5, data\n leal s5, data\n movei s6, 64\n mull_i32 s6, s6, s40\n"
            f" add_i32 s5, s5, s6\n movei s7, {rounds}\n movei s8, {64 * threads}\n"
            "again: load_v16i32 v1, 0(s5)\n addi v1, v1, 1\n store_v16i32 v1, 0(s5)\n flush s5\n"
            " add_i32 s5, s5, s8\n subi s7, s7, 1\n bnez s7, again\n"
            + END_FLAG + END + f"\n .data\n .align 64\ndata: .space {64 * rounds * threads}\n"
        )  # fmt: skip
        return device_for(text, threads, latency=latency, **configuration).run().cycles

    return (cycles(32) - cycles(16)) / (16 * threads)
