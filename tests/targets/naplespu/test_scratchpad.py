"""Variables of the scratchpad have their initial values on every core, and only what needs copying is copied."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import voltac

TABLE = np.random.default_rng(1).integers(-(1 << 31), 1 << 31, 1152).astype(np.int32)
BYTES = np.random.default_rng(2).integers(-128, 128, 77).astype(np.int8)


def numbers(values: object) -> str:
    return ", ".join(str(value) for value in values)  # type: ignore[attr-defined]


SOURCE = f"""
__scratchpad uniform int room[1152];
__scratchpad uniform int8 bytes[77] = {{ {numbers(BYTES)} }};
__scratchpad uniform int table[1152] = {{ {numbers(TABLE.tolist())} }};
__scratchpad uniform int nobodys[64] = {{ 1, 2, 3 }};
__scratchpad uniform int factor = 3, zero = 0;
uniform int * uniform inside = &table[5];

export void none(const uniform int a[], uniform int out[], uniform int n) {{
    foreach (i = 0 ... n)
        out[i] = a[i] + 1;
}}
export void rooms(const uniform int a[], uniform int out[], uniform int n) {{
    foreach (i = 0 ... n)
        room[i] = a[i];
    foreach (i = 0 ... n)
        out[i] = room[i] + 1;
}}
export void all(const uniform int a[], uniform int out[], uniform int n) {{
    foreach (i = 0 ... n)
        out[i] = table[a[i]] * factor + zero;
}}
export void small(const uniform int a[], uniform int out[], uniform int n) {{
    foreach (i = 0 ... n)
        out[i] = bytes[a[i] % 77];
}}
noinline int looked_up(int index) {{ return table[index]; }}
export void called(const uniform int a[], uniform int out[], uniform int n) {{
    foreach (i = 0 ... n)
        out[i] = looked_up(a[i]);
}}
export void pointed(const uniform int a[], uniform int out[], uniform int n) {{
    foreach (i = 0 ... n)
        out[i] = inside[a[i] % 1000];
}}
"""
SIZE = 100
INDICES = np.random.default_rng(3).integers(0, 1152, SIZE).astype(np.int32)
EXPECTED = {
    "none": INDICES + 1,
    "rooms": INDICES + 1,
    "all": TABLE[INDICES] * np.int32(3),
    "small": BYTES[INDICES % 77].astype(np.int32),
    "called": TABLE[INDICES],
    "pointed": TABLE[5 + INDICES % 1000],
}


@pytest.fixture(scope="module")
def kernels() -> voltac.Module:
    return voltac.compile(SOURCE, target="naplespu", cache=False)


def cycles(kernels: voltac.Module, name: str, cores: int = 1, threads: int = 8) -> int:
    out = np.zeros(SIZE, np.int32)
    kernels[name].configure(cores=cores, threads=threads)
    kernels[name](INDICES, out, SIZE)
    np.testing.assert_array_equal(out, EXPECTED[name])
    taken: int = kernels[name].last_run.cycles
    return taken


@pytest.mark.parametrize(("cores", "threads"), [(1, 1), (1, 3), (1, 8), (2, 5), (8, 8)])
@pytest.mark.parametrize("name", list(EXPECTED))
def test_initial_values_are_there(kernels: voltac.Module, name: str, cores: int, threads: int) -> None:
    cycles(kernels, name, cores, threads)


def test_a_kernel_without_them_copies_nothing(kernels: voltac.Module) -> None:
    alone = voltac.compile(SOURCE[SOURCE.index("export void none") : SOURCE.index("export void rooms")], target="naplespu")
    assert cycles(kernels, "none") == pytest.approx(cycles(alone, "none"), abs=100)


def test_variables_without_initial_value_are_not_copied(kernels: voltac.Module) -> None:
    text = kernels.assembly()
    entry = text[text.index("_start.rooms:") : text.index("_start.rooms.end:")]
    assert "scratchpad" not in entry
    entry = text[text.index("_start.all:") : text.index("_start.all.end:")]
    # The bytes before the table and what is nobody's behind it stay where they are.
    assert "bytes" not in entry and "nobodys" not in entry and "load_v16i32" in entry


@pytest.mark.parametrize(("threads", "a_line"), [(8, 44), (1, 90)])
def test_a_line_takes_little_longer_than_its_miss(threads: int, a_line: int) -> None:
    kernel = """
    export void read(const uniform int a[], uniform int out[], uniform int n) {
        foreach (i = 0 ... n)
            out[i] = table[i];
    }"""
    given, unset = f" = {{ {numbers(TABLE.tolist())} }}", ""
    taken = []
    for values in (given, unset):
        module: Any = voltac.compile(f"__scratchpad uniform int table[1152]{values};{kernel}", target="naplespu")
        out = np.zeros(SIZE, np.int32)
        module.read.configure(threads=threads)
        module.read(INDICES, out, SIZE)
        taken.append(module.read.last_run.cycles)
    # 1,152 words are 72 lines; a line that misses takes the controller 4 + 40 cycles, one thread alone waits for it. The
    # copying moves the kernel's code behind it, which may then take a line of instructions more.
    assert 72 * 44 <= taken[0] - taken[1] < 72 * a_line + 300 + 44
