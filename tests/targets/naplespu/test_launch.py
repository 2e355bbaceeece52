"""Arguments of kernels on their way to the device and back, with kernels written in assembly language."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from simulated import naplespu_launch

from voltac.codegen.image import Image
from voltac.messages.diagnostics import Diagnostics
from voltac.python.device_run import DeviceLaunch, Outcome, changed, run_kernel
from voltac.python.signatures import KernelParameter, Pointee, Result, Signature
from voltac.records import replace
from voltac.target_info import DEVICES
from voltac.targets import find_device
from voltac.targets.device import kernels, make_program

DEVICE = find_device(DEVICES["naplespu"])

# Every thread goes through BODY with s10: the argument block, s11 = thread of the core, s12 = core, s13 = threads of a core.
START = """
        .global _start.k
_start.k:
        movei   s0, 13
        read_cr s10, s0
        movei   s0, 2
        read_cr s11, s0
        movei   s0, 0
        read_cr s12, s0
        movei   s0, 20
        read_cr s13, s0
        movei   s0, 65535
        write_mr s0
{body}
        movei   s0, 11
        movei   s1, 2
        write_cr s1, s0
end:    jmp     end
{rest}
"""

POINTER = KernelParameter("a", "uniform int * uniform", "pointer", 64, Pointee("i4", 1, 4, True, False))
CONSTANT = KernelParameter("c", "const uniform int * uniform", "pointer", 64, Pointee("i4", 1, 4, False, False))


def number(kind: str, bits: int) -> KernelParameter:
    return KernelParameter("x", f"uniform {kind}{bits}", kind, bits)


def image(body: str, rest: str = "") -> Image:
    def no_ir(*_: str) -> Any:
        raise AssertionError

    text = START.format(body=body, rest=rest)
    return make_program(text, "k.s", DEVICE, Diagnostics(wrap=False), no_ir, no_ir).image()


def call(
    body: str, parameters: Sequence[KernelParameter], values: Sequence[Any], launch: DeviceLaunch, result: str = "void"
) -> Outcome:
    kinds = {"void": Result("void", "void", 0), "int": Result("int", "int", 32), "float": Result("float", "float", 32)}
    signature = Signature("k", kinds[result], tuple(parameters), "")
    return run_kernel(DEVICE, image(body), signature, list(values), launch)


ONE = naplespu_launch(latency=2)

BLOCK_TO_ARRAY = """
        load32  s1, 4(s10)
        movei   s2, 8
copy:   load32  s3, (s10)
        store32 s3, (s1)
        addi    s1, s1, 4
        addi    s10, s10, 4
        subi    s2, s2, 1
        bnez    s2, copy
        subi    s1, s1, 32
        flush   s1
"""


def test_the_block_has_gangs_and_then_the_parameters() -> None:
    out = np.zeros(16, np.int32)
    parameters = [POINTER, number("int", 32), number("float", 32), number("bool", 8), number("int", 8), number("uint", 64)]
    call(BLOCK_TO_ARRAY, parameters, [out, -5, 0.5, True, -2, 0x1_0000_0003], ONE)
    block = out.view(np.uint32).tolist()
    assert block[0] == 1
    assert block[1] % 64 == 0
    assert block[2:8] == [0xFFFFFFFB, 0x3F000000, 1, 0xFFFFFFFE, 3, 1]


@pytest.mark.parametrize(("cores", "threads"), [(1, 1), (1, 8), (3, 2), (8, 8)])
def test_as_many_threads_run_as_were_asked_for(cores: int, threads: int) -> None:
    mark = """
        mull_i32 s1, s12, s13
        add_i32 s1, s1, s11
        shli    s2, s1, 6
        load32  s3, 4(s10)
        add_i32 s3, s3, s2
        load32  s4, (s10)
        store32 s4, (s3)
        flush   s3
    """
    out = np.zeros((64, 16), np.int32)
    outcome = call(mark, [POINTER], [out], naplespu_launch(cores, threads, latency=2))
    expected = np.zeros((64, 16), np.int32)
    expected[: cores * threads, 0] = cores * threads
    assert np.array_equal(out, expected)
    assert len(outcome.report.threads) == cores * threads


def test_what_is_not_flushed_the_host_does_not_see() -> None:
    store = "\n load32 s1, 4(s10)\n movei s2, 7\n store32 s2, (s1)\n store32 s2, 64(s1)\n flush s1\n"
    out = np.zeros(32, np.int32)
    call(store, [POINTER], [out], ONE)
    assert out[0] == 7 and out[16] == 0


def test_arrays_lie_apart_and_padded() -> None:
    both = "\n load32 s1, 4(s10)\n load32 s2, 8(s10)\n sub_i32 s3, s2, s1\n store32 s3, (s1)\n flush s1\n"
    first, second = np.zeros(17, np.int32), np.zeros(1, np.int32)
    call(both, [POINTER, POINTER], [first, second], ONE)
    assert abs(int(first[0])) >= 64 and first[0] % 64 == 0


def test_overlapping_arrays_stay_together() -> None:
    both = """
        load32  s1, 4(s10)
        load32  s2, 8(s10)
        sub_i32 s3, s2, s1
        store32 s3, (s1)
        store32 s3, (s2)
        flush   s1
        flush   s2
    """
    whole = np.zeros(40, np.int32)
    call(both, [POINTER, POINTER], [whole, whole[3:]], ONE)
    assert whole.nonzero()[0].tolist() == [0, 3] and whole[0] == whole[3] == 12


def test_what_the_program_promises_not_to_write_is_not_copied_back() -> None:
    store = "\n load32 s1, 4(s10)\n movei s2, 7\n store32 s2, (s1)\n flush s1\n"
    given = np.zeros(16, np.int32)
    call(store, [CONSTANT], [given], ONE)
    assert not given.any()


def test_null_pointers_and_empty_arrays() -> None:
    out = np.zeros(16, np.int32)
    call(BLOCK_TO_ARRAY, [POINTER, POINTER, POINTER], [out, None, np.zeros(0, np.int32)], ONE)
    assert out[2] == 0 and out[3] != 0


@pytest.mark.parametrize(("kind", "word", "expected"), [("int", -3, -3), ("float", 0x3FC00000, 1.5)])
def test_results_stand_behind_the_parameters(kind: str, word: int, expected: float) -> None:
    high, low = word >> 16 & 0xFFFF, word & 0xFFFF
    body = f"\n moveih s1, {high}\n moveil s1, {low}\n store32 s1, 8(s10)\n flush s10\n"
    assert call(body, [number("int", 32)], [1], ONE, kind).result == expected


def test_global_variables_keep_their_values() -> None:
    body = """
        leah    s1, count
        leal    s1, count
        load32  s2, (s1)
        addi    s2, s2, 1
        store32 s2, (s1)
        flush   s1
        store32 s2, 4(s10)
        flush   s10
    """
    before = image(body, ".data\ncount: .word 40\n")
    signature = Signature("k", Result("int", "int", 32), (), "")
    first = run_kernel(DEVICE, before, signature, [], ONE)
    second = run_kernel(DEVICE, first.image, signature, [], ONE)
    assert (first.result, second.result) == (41, 42)


def test_the_kernel_begins_at_its_label() -> None:
    assert kernels(image("").symbols) == {"k": 0x400}


# --- refused -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"cores": 9}, ValueError, "cores must be 1 to 8, not 9"),
        ({"threads": 0}, ValueError, "threads must be 1 to 8, not 0"),
        ({"threads": 2.0}, TypeError, "threads must be an integer, not 2.0"),
        ({"threads": True}, TypeError, "threads must be an integer, not True"),
        ({"latency": 10**5000}, ValueError, "latency must be 1 to 100000, not 0x31e2"),
        ({"latency": 0}, ValueError, "latency must be 1 to 100000, not 0"),
        ({"write_latency": 0}, ValueError, "write_latency must be 1 to 100000, not 0"),
        ({"blocking_stores": 1}, TypeError, "blocking_stores must be True or False, not 1"),
        ({"fpu": "fast"}, ValueError, "fpu must be one of ideal, rtl, not 'fast'"),
        ({"thread": 2}, TypeError, "a launch has no 'thread'; did you mean 'threads'"),
    ],
)
def test_launches_that_there_are_not(changes: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        changed(naplespu_launch(), changes, DEVICES["naplespu"])


def test_integers_of_numpy_are_integers() -> None:
    found = changed(naplespu_launch(), {"cores": np.int64(2), "latency": np.uint8(7)}, DEVICES["naplespu"])
    assert found == naplespu_launch(cores=2, latency=7)


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (np.zeros(4, np.float32), TypeError, "must be an array of int32, not an array of float32"),
        (np.zeros((4, 4), np.int32)[:, 1], ValueError, "must be C-contiguous"),
        ([1, 2], TypeError, r"use np.array\(x, np.int32\)"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(value: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call("", [POINTER], [value], ONE)


def test_more_than_the_device_has_room_for_is_refused() -> None:
    huge = np.lib.stride_tricks.as_strided(np.zeros(1, np.int32), (1 << 29,), (4,))
    left = r"\d+ of its 268435456 are left; pass less at a time"
    with pytest.raises(MemoryError, match=rf"k\(\): array 'c' of 2147483648 bytes does not fit the device's memory: {left}"):
        call("", [CONSTANT], [huge], ONE)


def test_of_several_arrays_the_one_without_room_is_named() -> None:
    most = np.zeros(200 << 20, np.uint8).view(np.int32)
    more = np.zeros(80 << 20, np.uint8).view(np.int32)
    parameters = [replace(POINTER, name=name) for name in ("first", "second", "third")]
    with pytest.raises(MemoryError, match=r"array 'second' of 83886080 bytes does not fit"):
        call("", parameters[:2], [most, more], ONE)
    with pytest.raises(MemoryError, match=r"arrays 'second', 'third' \(which share memory\) of 83886080 bytes do not fit"):
        call("", parameters, [most, more, more[1:]], ONE)


def test_arrays_lie_in_the_order_of_the_parameters() -> None:
    both = np.zeros(64, np.int32)
    first, second = both[32:], both[:32]
    body = "".join(f" load32 s1, {4 * number}(s10)\n store32 s1, (s1)\n flush s1\n" for number in (1, 2))
    call(body, [POINTER, POINTER], [first, second], ONE)
    assert second[0] - first[0] == 128
