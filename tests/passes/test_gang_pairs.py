"""Short loops that store do two gangs an iteration: each element once, in the order of before, and nothing else is touched."""

from __future__ import annotations

import numpy as np
import pytest
from judged_kernels import JudgedKernels
from passed_text import passed
from some_pairs import some_pairs

from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.target_info import find_target

TARGETS = ["sse4-i32x4", "sse4-i8x16", "avx2-i32x8", "avx2-i32x16", "avx2-i8x32", "avx2-i64x4", "avx512skx-x16"]
TYPES = {"uint8": np.uint8, "int16": np.int16, "int": np.int32, "float": np.float32, "double": np.float64}
HEAD = "(uniform T to[], const uniform T from[], uniform int low, uniform int high) {"
BODIES = {
    "doubled": "to[i] = from[i] * 2;",
    "added": "to[i] += from[i];",
    "handed_on": "to[i + 1] = to[i];",  # a gang loads what the gang before stored
    "backwards": "to[i] = from[high - 1 - i];",
    "some": "if (from[i] > 50) to[i] = from[i];",
    "odd": "to[2 * i + 1] = from[i];",
}
SOURCE = "\n".join(
    f"export void {name}{HEAD}\n    foreach (i = low ... high) {{ {body} }}\n}}" for name, body in BODIES.items()
).replace("uniform T", "uniform TYPE")  # fmt: skip


def expected(name: str, to: np.ndarray, source: np.ndarray, low: int, high: int, width: int) -> np.ndarray:
    to, i = to.copy(), np.arange(low, max(low, high))
    if name == "doubled":
        to[i] = source[i] * 2
    elif name == "added":
        to[i] += source[i]
    elif name == "handed_on":
        for first in range(low, high, width):
            lanes = np.arange(first, min(first + width, high))
            to[lanes + 1] = to[lanes].copy()
    elif name == "backwards":
        to[i] = source[high - 1 - i]
    elif name == "some":
        to[i] = np.where(source[i] > 50, source[i], to[i])
    else:
        to[2 * i + 1] = source[i]
    return to


def is_paired(body: str, target: str = "avx2-i32x8", before: str = "", level: int = 3) -> bool:
    head = "export void f(uniform float a[], const uniform float b[], uniform int n, uniform int m)"
    return ".pairs:" in passed(f"{head} {{ {before} foreach (i = 0 ... n) {{ {body} }} }}", target, level)


@pytest.mark.parametrize(("element", "target"), some_pairs(TYPES, TARGETS, 5))
def test_each_remainder_at_both_ends_of_memory(element: str, target: str) -> None:
    random = np.random.default_rng(1)
    source = SOURCE.replace("TYPE", element)
    dtype = np.dtype(TYPES[element])
    kernels = JudgedKernels(source, target)
    assert kernels.text.count(".pairs:") >= len(BODIES) - 2, "wide elements are stored at strides by more instructions"
    width, widest = kernels.width, kernels.elements(dtype)
    lengths = sorted(
        {*range(3), *range(width - 1, 5 * width, max(1, width // 2 - 1)), *range(widest, 4 * widest + 2, widest // 2)}
    )
    for number, length in enumerate(lengths):
        low = number % 3
        high = low + length
        for name in BODIES:
            written = 2 * high if name == "odd" else high + (name == "handed_on")
            values, before = (random.integers(1, 100, each).astype(dtype) for each in (high, written))
            wanted = expected(name, before, values, low, high, width)
            kernels.expect(name, [before, values], (low, high), wanted, interpreted=number % 5 == 0)
    kernels.check()


LEAST = -(2**31)


@pytest.mark.parametrize(("low", "high"), [(LEAST, LEAST + 5), (LEAST, LEAST + 21), (-LEAST - 20, -LEAST - 1), (5, LEAST)])
def test_ends_of_the_range_of_numbers(low: int, high: int) -> None:
    """The last pair begins where two gangs are left, also where no number is a gang below the end."""
    source = """export void f(uniform int to[], uniform int low, uniform int high) {
        foreach (i = low ... high) to[i - low] = i - low + 1;
    }"""
    assert ".pairs:" in passed(source)
    length = max(0, high - low)
    to = np.zeros(length + 1, np.int32)
    IRInterpreter(read(passed(source))).call("f", [to, low, high])
    assert to.tolist() == [*range(1, length + 1), 0]


def test_which_loops() -> None:
    assert is_paired("a[i] = b[i] + 1;") and is_paired("a[i] = b[i] + 1;", "avx512skx-x16")
    assert is_paired("a[i] = b[i] + 1;", before="for (uniform int y = 0; y < m; y++)")
    assert not is_paired("a[i] = 0;"), "that is memset's"
    assert not is_paired("a[i] = sin(b[i]);"), "a long one has no use for it"
    assert not is_paired("a[i] = b[i] + 1;", before="\n#pragma nounroll\n")
    assert not is_paired("a[i] = b[i] + 1;", before="\n#pragma unroll(3)\n")
    assert not is_paired("a[i] = b[i] + 1;", level=1)
    assert not is_paired("a[i] = b[i] + 1;", "naplespu"), "nobody has measured a device"


@pytest.mark.parametrize("target", TARGETS)
def test_loops_that_follow_each_other_at_once(target: str) -> None:
    """Of a length that gangs divide: nothing is between them."""
    width = find_target(target).width
    source = f"""
    static void step(uniform int a[], uniform int b[], uniform int c[], uniform int x) {{
        foreach (i = 0 ... {5 * width}) a[i] += x * b[i];
        foreach (i = 0 ... {5 * width}) c[i] += x * a[i];
        foreach (i = 0 ... {4 * width}) b[i] = c[i] + x * b[i];
    }}
    export void f(uniform int a[], uniform int b[], uniform int c[], uniform int m) {{
        for (uniform int r = 0; r < m; r++) step(a, b, c, 3);
    }}"""
    text = passed(source, target)
    # Gangs that fill half of a register are done together instead.
    assert text.count(".pairs:") >= 3 or text.count(".wide:") >= 3
    a, b, c = (np.arange(5 * width, dtype=np.int32) * factor + 1 for factor in (1, 5, 7))
    given = [each.copy() for each in (a, b, c)]
    IRInterpreter(read(text)).call("f", [*given, 3])
    for _ in range(3):
        a += 3 * b
        c += 3 * a
        b[: 4 * width] = (c + 3 * b)[: 4 * width]
    assert [each.tolist() for each in given] == [each.tolist() for each in (a, b, c)]


def test_rows_of_bytes_stay_single() -> None:
    rows = "export void f(uniform uint8 a[], uniform int n, uniform int m) {{ {} foreach (i = 0 ... n) a[i] += 1; }}"
    assert ".pairs:" in passed(rows.format(""))
    assert passed(rows.format("for (uniform int y = 0; y < m; y++)")).count(".pairs:") <= 1, "32 bytes at a time in rows"
