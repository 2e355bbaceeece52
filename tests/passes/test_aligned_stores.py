"""Long loops that store consecutive elements begin with a short gang: each element once, and nothing else is touched."""

from __future__ import annotations

import re

import numpy as np
import pytest
from judged_kernels import JudgedKernels
from kernels import compile_kernels
from passed_text import passed
from some_pairs import some_pairs

from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.target_info import find_target

TARGETS = ["avx1-i32x8", "avx2-i32x8", "avx2-i32x16", "avx2-i64x4", "avx512skx-x8", "avx512skx-x16"]
TYPES = {"int": np.int32, "int64": np.int64, "float": np.float32, "double": np.float64}
HEAD = "(uniform T to[], const uniform T from[], uniform int low, uniform int high) {"
BODIES = {
    "doubled": "to[i] = from[i] * 2;",
    "added": "to[i] += from[i];",
    "shifted": "to[i - low] = from[i + 1] - from[i];",
    "index": "to[i] = (T)(i & 7) + from[low];",
    "filled": "to[i] = 5;",
}
SOURCE = "\n".join(
    f"export void {name}{HEAD}\n    foreach (i = low ... high) {{ {body} }}\n}}" for name, body in BODIES.items()
).replace("uniform T", "uniform TYPE").replace("(T)", "(TYPE)")  # fmt: skip


def expected(name: str, to: np.ndarray, source: np.ndarray, low: int, high: int) -> np.ndarray:
    to, i = to.copy(), np.arange(low, max(low, high))
    if name == "doubled":
        to[i] = source[i] * 2
    elif name == "added":
        to[i] += source[i]
    elif name == "shifted":
        to[i - low] = source[i + 1] - source[i]
    elif name == "index":
        to[i] = (i & 7) + source[low]
    else:
        to[i] = 5
    return to


def begins_short(
    body: str, head: str = "uniform float a[], uniform float b[], uniform int n", target: str = "avx2-i32x8"
) -> bool:
    return ".first.left_over:" in passed(f"export void f({head}) {{ foreach (i = 0 ... n) {{ {body} }} }}", target)


@pytest.mark.parametrize(("element", "target"), some_pairs(TYPES, TARGETS, 4))
def test_each_element_once(element: str, target: str) -> None:
    """At each distance from a border of 64 bytes, at both ends of memory that may be touched."""
    random = np.random.default_rng(1)
    source = SOURCE.replace("TYPE", element)
    dtype = np.dtype(TYPES[element])
    kernels = JudgedKernels(source, target)
    width = kernels.width
    for name in BODIES:
        fewest = 32 * width if name == "shifted" else 16 * width
        lengths = [fewest - 1, fewest, *range(fewest + 1, fewest + 2 * width, max(1, width // 3))]
        for number, length in enumerate(lengths):
            low = number % 3
            high = low + length
            values = random.integers(1, 100, high + 1).astype(dtype)
            before = random.integers(1, 100, high).astype(dtype)
            wanted = expected(name, before, values, low, high)
            # From the lower end the arrays begin at a page; from the upper one wherever their length has them begin.
            kernels.expect(name, [before, values], (low, high), wanted, interpreted=number % 4 == 0)
    kernels.check()


@pytest.mark.parametrize("target", ["avx2-i32x8", "avx512skx-x16"])
@pytest.mark.parametrize("offset", [0, 1, 5, 15])
def test_the_loop_stores_to_multiples_of_a_register(target: str, offset: int) -> None:
    """The interpreter refuses a store that is not aligned as it says; arrays begin at multiples of a line there."""
    text = passed(SOURCE.replace("TYPE", "float"), target)
    assert text.count(".first.left_over:") == len(BODIES)
    width = find_target(target).width
    claim = f"align {4 * width}"
    block, lines = "", []
    for line in text.splitlines():
        block = line if re.match(r"\S+:", line) else block
        is_one = f"store <{width} x float>" in line and ".left_over:" not in block
        lines.append(line.replace("align 4", claim) if is_one else line)
    strict = "\n".join(lines)
    assert claim in strict
    count = 36 * width
    to, values = np.zeros(offset + count, np.float32), np.ones(offset + count, np.float32)
    IRInterpreter(read(strict)).call("doubled", [to, values, offset, offset + count])
    assert to.tolist() == [0] * offset + [2] * count


@pytest.mark.parametrize(
    "body",
    [
        "a[i + 1] = a[i];",  # what another lane stored is loaded
        "a[i] = programIndex;",  # which lane does an element shows
        "a[i] = reduce_add(b[i]);",
        "a[i] = broadcast(b[i], 2);",
        "a[i] = insert(b[i], 3, 1.0f);",
        "a[i] = rotate(b[i], 1);",
        "a[i] = b[i & 1023];",  # consecutive only in gangs that begin at multiples of their width
        "a[i] = b[i / 8];",
        "a[i ^ 1] = b[i];",
        "a[2 * i] = b[i];",
        "a[n - i] = b[i];",
        "a[i] = b[i]; b[i + 1] = 2;",
    ],
)
def test_where_lanes_matter_the_loop_stays(body: str) -> None:
    assert not begins_short(body)


@pytest.mark.parametrize(
    "lanes", ["float k = b[programIndex];", "float k = programIndex;", "float k = 1; if (programIndex & 1) k = 2;"]
)
def test_numbers_that_lanes_have_from_outside_stay_theirs(lanes: str) -> None:
    source = f"export void f(uniform float a[], uniform float b[], uniform int n) {{ {lanes} LOOP }}"
    assert ".first.left_over:" not in passed(source.replace("LOOP", "foreach (i = 0 ... n) a[i] = b[i] + k;"))
    rows = "foreach (y = 0 ... 3, x = 0 ... n) a[y * n + x] = b[y * n + x] * k;"
    assert ".first.left_over:" not in passed(source.replace("LOOP", rows))


def test_vectors_from_outside_keep_their_lanes() -> None:
    head = "export void f(uniform float a[], uniform float b[], uniform float x, uniform int n) { "
    assert ".first.left_over:" not in passed(head + "float k = b[programIndex]; foreach (i = 0 ... n) a[i] = b[i] * k; }")
    assert ".first.left_over:" not in passed(head + "float k = programIndex; foreach (i = 0 ... n) a[i] = b[i] * k; }")
    assert ".first.left_over:" in passed(head + "float k = x; float l = k * k; foreach (i = 0 ... n) a[i] = b[i] * (l - 1); }")


def test_which_loops() -> None:
    assert begins_short("a[i] = b[i];a[i] += 1;") and begins_short("a[i] += b[i + 1];")
    assert begins_short("float x = b[i]; a[i] = x > 0 ? x : -x;")
    assert begins_short("float s = 0; for (uniform int k = 0; k < 5; k++) s += b[i + k] * b[k]; a[i] = s;")
    assert not begins_short("a[i] = b[i] + 1;", target="sse4-i32x4")
    whole = "export void f(uniform float a[], uniform int n) { n &= ~7; foreach (i = 0 ... n) a[i] += 1; }"
    assert ".first.left_over:" not in passed(whole)
    pointers = "uniform float *uniform a, uniform float *uniform b, uniform int n"
    assert not begins_short("a[i] = b[i] + 1;", f"{pointers}, uniform float c[]") or "noalias" in passed(
        f"export void f({pointers}) {{ a[0] = b[0]; }}"
    )


@pytest.mark.parametrize("target", ["avx2-i32x8", "avx512skx-x16"])
def test_each_row_of_a_matrix_begins_short(target: str) -> None:
    """Rows of 300 and some elements begin at any distance from a border."""
    body = "foreach (y = 0 ... h, x = 0 ... w) to[y * w + x] = 3 * from[y * w + x];"
    source = f"export void rows(uniform float to[], uniform float from[], uniform int w, uniform int h) {{ {body} }}"
    assert ".first.left_over:" in passed(source, target)
    for width, height in ((301, 5), (20, 3), (0, 2)):
        values = np.arange(width * height, dtype=np.float32)
        to = np.zeros_like(values)
        compile_kernels(source, target).rows(to, values, width, height)
        assert to.tolist() == (3 * values).tolist()
        to = np.zeros_like(values)
        IRInterpreter(read(passed(source, target))).call("rows", [to, values, width, height])
        assert to.tolist() == (3 * values).tolist()


def test_sums_keep_their_lanes() -> None:
    head = "export uniform float f(uniform float a[], uniform int n) { float s = 0; "
    assert ".first.left_over:" not in passed(head + "foreach (i = 0 ... n) { s += a[i]; a[i] = 0; } return reduce_add(s); }")


@pytest.mark.parametrize(
    ("body", "fewest"), [("a[i] = b[i] + a[i];", 16), ("a[i] = b[i] + b[i + 1];", 32), ("a[i] = b[i + 8] + b[i];", 16)]
)
def test_from_how_many_elements_on(body: str, fewest: int) -> None:
    """Of loads at several distances from each other most cross lines wherever the loop begins."""
    head = "export void f(uniform float a[], uniform float b[], uniform int n)"
    text = passed(f"{head} {{ foreach (i = 0 ... n) {{ {body} }} }}")
    assert re.findall(r"%many\S* = icmp sgt i32 %\S+, (\d+)", text) == [str(fewest * 8)]
