"""The OpenCL view of NaplesPU: the manual's mapping, and errors for what the device has not."""

from typing import Any

import numpy as np
import pytest

from voltac import opencl

# The manual's product of matrices over vectors: each work-item makes a range of the result's vectors.
PRODUCT = """\
export void product(const uniform float a[], const uniform float b[], uniform float c[], uniform int n) {
    uniform int columns = n / 16;
    uniform int share = n * columns / get_global_size(0);
    uniform int first = get_global_id(0) * share;
    for (uniform int r = first; r < first + share; r++) {
        uniform int row = r / columns, column = r % columns;
        float sum = 0;
        for (uniform int k = 0; k < n; k++)
            sum += a[row * n + k] * b[k * n + column * 16 + programIndex];
        c[row * n + column * 16 + programIndex] = sum;
    }
}
export void where(uniform int out[]) {
    out[16 * get_global_id(0)] = 1000 * get_group_id(0) + 100 * get_local_id(0) + 10 * get_num_groups(0) + get_local_size(0);
}
"""


@pytest.fixture(scope="module")
def device() -> opencl.Device:
    return opencl.Device(cores=4, latency=10)


@pytest.mark.parametrize(("items", "group"), [(1, 1), (8, 8), (4, 1), (32, 8)])
def test_product_of_matrices(device: opencl.Device, items: int, group: int) -> None:
    n = 32
    chance = np.random.default_rng(1)
    x, y = (chance.integers(-8, 8, (n, n)).astype(np.float32) for _ in range(2))
    kernel = device.kernel(PRODUCT, "product")
    out = device.buffer(np.zeros((n, n), np.float32), vectors="float16")
    report = kernel.enqueue(opencl.NDRange(items, group), device.buffer(x, space="constant"), device.buffer(y), out, n)
    assert np.array_equal(out.read(), x @ y)
    assert len(report.threads) == items


def test_work_items_are_threads_and_groups_are_cores(device: opencl.Device) -> None:
    out = device.buffer(np.zeros(16 * 6, np.int32))
    device.kernel(PRODUCT, "where").enqueue(opencl.NDRange(6, 2), out)
    assert out.read()[::16].tolist() == [1000 * core + 100 * thread + 32 for core in range(3) for thread in range(2)]


def test_memory_stays_between_kernels(device: opencl.Device) -> None:
    kernel = device.kernel("export void more(uniform int a[]) { foreach (i = 0 ... 16) a[i] += 1; }", "more")
    memory = device.buffer(np.arange(16, dtype=np.int32))
    kernel.set_arg(0, memory)
    for _ in range(3):
        kernel.enqueue(opencl.NDRange(1, 1))
    assert np.array_equal(memory.read(), np.arange(16) + 3)
    memory.write(np.zeros(16, np.int32))
    assert not memory.read().any()


def test_local_memory_is_the_scratchpad(device: opencl.Device) -> None:
    text = """
    __scratchpad uniform int shared[8];
    export void turn(uniform int a[]) {
        shared[get_local_id(0)] = a[16 * get_local_id(0)];
        barrier(1, get_local_size(0));
        a[16 * get_local_id(0)] = shared[get_local_size(0) - 1 - get_local_id(0)];
    }
    """
    kernel = device.kernel(text, "turn")
    assert kernel.local_memory_size == 32
    memory = device.buffer(np.arange(16 * 4, dtype=np.int32))
    kernel.enqueue(opencl.NDRange(4, 4), memory)
    assert memory.read()[::16].tolist() == [48, 32, 16, 0]


def test_vector_types_are_those_of_the_manual() -> None:
    widths = {name: dtype.itemsize for name, dtype in opencl.VECTOR_TYPES.items()}
    assert widths == {"char16": 1, "uchar16": 1, "short16": 2, "ushort16": 2, "int16": 4, "uint16": 4, "float16": 4}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("float4", "vectors have 16 elements on the device; use 'float16'"),
        ("long16", "the device has no vectors of long"),
        ("double8", "the device has no vectors of double"),
        ("flaot16", "is no vector type; did you mean 'float16'"),
    ],
)
def test_other_vector_types_are_refused(name: str, message: str) -> None:
    with pytest.raises(opencl.Unsupported, match=message):
        opencl.vector_type(name)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: opencl.Device(cores=9), opencl.Unsupported, "a device's cores must be 1 to 8, not 9"),
        (lambda: opencl.Device(cores=True), TypeError, "cores must be an integer, not True"),
        (lambda: opencl.Device(latency=0), opencl.Unsupported, "a device's latency must be 1 to 100000, not 0"),
        (lambda: opencl.Device(fpu="RTL"), opencl.Unsupported, "a device's fpu must be one of ideal, rtl, not 'RTL'"),
        (lambda: opencl.Buffer(64, "local"), opencl.Unsupported, "declare a '__scratchpad' variable"),
        (lambda: opencl.Buffer(64, "private"), opencl.Unsupported, "the stack of a thread"),
        (lambda: opencl.Buffer(64, "shared"), opencl.Unsupported, "'shared' is no address space"),
        (lambda: opencl.Buffer(np.zeros(4)), opencl.Unsupported, "no numbers of 64 bits: use an array of f4"),
        (lambda: opencl.Buffer([1]), TypeError, "made of an array or a number of bytes, not of a list"),
        (lambda: opencl.Buffer(np.zeros(15, np.int32), vectors="int16"), ValueError, "no whole number of int16"),
        (lambda: opencl.Buffer(np.zeros(16, np.int32), vectors="float16"), TypeError, "vectors of float32, not of int32"),
    ],
)
def test_what_there_is_not_is_refused(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


def test_ranges_and_arguments_are_checked(device: opencl.Device) -> None:
    kernel = device.kernel(PRODUCT, "where")
    out = device.buffer(np.zeros(1024, np.int32))
    for work, message in (
        (opencl.NDRange(16, 16), "a work-group is the threads of a core, 1 to 8, not 16"),
        (opencl.NDRange(9, 8), "9 work-items are no whole number of groups of 8"),
        (opencl.NDRange(64, 8), "8 work-groups need as many cores, and the device has 4"),
    ):
        with pytest.raises(opencl.Unsupported, match=message):
            kernel.enqueue(work, out)
    with pytest.raises(TypeError, match="argument 0 has not been set"):
        kernel.enqueue(opencl.NDRange(1, 1))
    with pytest.raises(IndexError, match="has arguments 0 to 0, not 1"):
        kernel.set_arg(1, out)
    with pytest.raises(TypeError, match=r"device.buffer\(x\) copies it"):
        kernel.set_arg(0, np.zeros(4, np.int32))
    with pytest.raises(TypeError, match="'out' is not const"):
        kernel.set_arg(0, device.buffer(np.zeros(4, np.int32), space="constant"))
