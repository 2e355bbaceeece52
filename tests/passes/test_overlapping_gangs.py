"""What fills no gang is done by a whole gang over the last elements: the same results, and nothing else is touched."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from guard_pages import FencedCalls
from judged_kernels import JudgedKernels
from kernels import compile_kernels
from passed_text import passed
from some_pairs import some_pairs

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.options import Options
from voltac.target_info import find_target

TARGETS = ["sse2-i32x4", "sse4-i32x8", "sse4-i8x16", "avx1-i32x8", "avx2-i32x8", "avx2-i32x16", "avx2-i8x32", "avx2-i64x4"]
TYPES = {"uint8": np.uint8, "int16": np.int16, "int": np.int32, "float": np.float32, "double": np.float64}
HEAD = "(uniform TYPE to[], const uniform TYPE from[], uniform int low, uniform int high) {"
BODIES = {
    "doubled": "to[i] = from[i] * 2;",
    "shifted": "to[i - low] = from[i + 1] - from[i];",
    "some": "to[i] = from[i] > 50 ? from[i] : 7;",
    "strided": "to[i] = from[2 * i + 1];",
    "pairs": "to[2 * i] = from[i]; to[2 * i + 1] = 3;",
    "members": "to[3 * i + 2] = from[i]; to[3 * i] = from[low];",
    "products": "to[i] = from[i] * from[i + 1] + from[i + 1] * from[i + 2] + from[i] * from[i + 2];",
    "index": "to[i] = (TYPE)(i & 7) + from[low];",
    "in_place": "to[i] += from[i];",
    "ahead": "to[i] = to[high + i] + from[i];",
    "far": "to[i] = to[i + 64] + from[i];",
    "rows": "to[(k + 1) * high + i] = to[k * high + i] + from[i];",
}
OVERLAPPING = set(BODIES) - {"in_place"}
SOURCE = "\n".join(
    f"export void {name}{HEAD}\n    for (uniform int k = 0; k < 2; k++) foreach (i = low ... high) {{ {body} }}\n}}"
    for name, body in BODIES.items()
)


def expected(name: str, to: np.ndarray, source: np.ndarray, low: int, high: int) -> np.ndarray:
    to, i = to.copy(), np.arange(low, max(low, high))
    if name == "doubled":
        to[i] = source[i] * 2
    elif name == "shifted":
        to[i - low] = source[i + 1] - source[i]
    elif name == "some":
        to[i] = np.where(source[i] > 50, source[i], 7)
    elif name == "strided":
        to[i] = source[2 * i + 1]
    elif name == "pairs":
        to[2 * i], to[2 * i + 1] = source[i], 3
    elif name == "members":
        to[3 * i + 2], to[3 * i] = source[i], source[low]
    elif name == "products":
        to[i] = source[i] * source[i + 1] + source[i + 1] * source[i + 2] + source[i] * source[i + 2]
    elif name == "index":
        to[i] = (i & 7) + source[low]
    elif name == "ahead":
        to[i] = to[high + i] + source[i]
    elif name == "far":
        for _ in range(2):
            for part in np.split(i, range(64, len(i), 64)):
                to[part] = to[part + 64] + source[part]
    elif name == "rows":
        to[high + i] = to[i] + source[i]
        to[2 * high + i] = to[high + i] + source[i]
    else:
        to[i] += 2 * source[i]
    return to


def sizes(name: str, high: int) -> tuple[int, int]:
    """Elements of ``to`` and of ``from``, of which the last one is touched."""
    written = {"pairs": 2 * high, "members": 3 * high, "ahead": 2 * high, "far": high + 64, "rows": 3 * high}
    return written.get(name, high), {"shifted": high + 1, "products": high + 2, "strided": 2 * high}.get(name, high)


def overlaps(
    body: str,
    head: str = "uniform float a[], uniform float b[], uniform int n",
    target: str = "avx2-i32x8",
    outer: bool = True,
) -> bool:
    rows = "for (uniform int y = 0; y < 2; y++)" if outer else ""
    return ".last.left_over:" in passed(f"export void f({head}) {{ {rows} foreach (i = 0 ... n) {{ {body} }} }}", target)


@pytest.mark.parametrize(("element", "target"), some_pairs(TYPES, TARGETS, 5))
def test_each_remainder_at_both_ends_of_memory(element: str, target: str) -> None:
    """Fewer elements than a gang, one gang, several at a time, and each rest of them."""
    random = np.random.default_rng(1)
    source = SOURCE.replace("TYPE", element)
    dtype = np.dtype(TYPES[element])
    kernels = JudgedKernels(source, target)
    assert kernels.text.count(".last.left_over:") >= len(OVERLAPPING)
    width, widest = kernels.width, kernels.elements(dtype)
    lengths = sorted({*range(width + 2), *range(widest - 1, 3 * widest, width // 2 + 1), widest, 2 * widest, 2 * widest + 1})
    for number, length in enumerate(lengths):
        low = number % 3
        high = low + length
        for name in BODIES:
            written, needed = sizes(name, high)
            values = random.integers(1, 100, needed).astype(dtype)
            before = random.integers(1, 100, written).astype(dtype)
            wanted = expected(name, before, values, low, high) if length else before
            kernels.expect(name, [before, values], (low, high), wanted, interpreted=number % 7 == 0)
    kernels.check()


@pytest.mark.parametrize(
    "body",
    [
        "a[i] += b[i];",  # an element that is done twice changes twice
        "a[i] = a[i + 1];",  # what was stored is loaded
        "a[i] = a[i + 7];",
        "a[i] = programIndex;",  # which lane does an element shows
        "a[i] = rotate(b[i], 1);",
        "a[i] = b[i & 1023];",  # consecutive only in gangs that begin at multiples of their width
        "a[i] = b[i / 8];",
        "a[i ^ 1] = b[i];",
        "a[i] = b[i]; a[i + 1] = 2;",  # which store is the last one counts
        "a[2 * i] = b[i]; a[2 * i + 2] = 2;",
        "a[2 * i] = b[i]; a[3 * i + 1] = 2;",
    ],
)
def test_where_twice_is_not_once_the_loop_stays(body: str) -> None:
    assert not overlaps(body)


def test_vectors_from_outside_keep_their_lanes() -> None:
    rows = "for (uniform int y = 0; y < 2; y++) foreach (i = 0 ... n)"
    for given, expected in (("b[programIndex]", False), ("b[0] * b[1]", True)):
        head = f"export void f(uniform float a[], uniform float b[], uniform int n) {{ float k = {given};"
        assert (".last.left_over:" in passed(f"{head} {rows} a[i] = k; }}")) == expected


def test_numbers_that_lanes_have_from_outside_stay_theirs() -> None:
    head = "export void f(uniform float a[], uniform float b[], uniform int n) { float k = b[programIndex]; "
    assert ".last.left_over:" not in passed(head + "foreach (i = 0 ... n) a[i] = b[i] + k; }", "sse4-i32x4")
    assert ".last.left_over:" in passed(
        head.replace("b[programIndex]", "b[0]") + "foreach (i = 0 ... n) a[i] = b[i] + k; }", "sse4-i32x4"
    )


def test_which_loops() -> None:
    assert overlaps("a[i] = b[i + 1] - b[i];") and overlaps("a[i] = 1; a[i] = b[i];")
    assert overlaps("a[i] = b[i] + 1;", target="sse4-i32x4", outer=False)
    assert not overlaps("a[i] = b[i] + 1;", outer=False), "one mask of floats costs nothing"
    assert overlaps("a[i] = b[2 * i];", outer=False) and overlaps("a[3 * i + 2] = b[i];", outer=False), "each lane by itself"
    assert not overlaps("a[i] = b[i] + 1;", target="avx512skx-x16"), "masks cost nothing there"
    assert not overlaps("a[i] = b[i];", "uniform float *uniform a, uniform float *uniform b, uniform int n, uniform int m[]")
    head = "export uniform float f(uniform float a[], uniform int n) { float s = 0; "
    assert ".last.left_over:" not in passed(head + "foreach (i = 0 ... n) s += a[i]; return reduce_add(s); }")
    whole = "export void f(uniform float a[], uniform int n) { n &= ~7; foreach (i = 0 ... n) a[i] = 1; }"
    assert ".last.left_over:" not in passed(whole)


def test_long_bodies_leave_one_gang_to_itself() -> None:
    """Where several gangs take several registers, those are not done for what one does."""
    sums = "a[i] = ((int)b[i] * 3 + (int)b[i + 1] * 5 + (int)b[i + 2] * 7) >> 4;"
    for body, few in ((sums, 8), ("a[i] = b[i] & b[i + 1];", 0)):
        head = "export void f(uniform uint8 a[], const uniform uint8 b[], uniform int n) { for (uniform int y = 0; y < 2; y++) "
        text = passed(f"{head} foreach (i = 0 ... n) {{ {body} }} }}")
        assert [text.count(f" = icmp sgt i32 %left{end}") for end in (f", {few}", ".1, 0")] == [1, 1], body


@pytest.mark.parametrize("target", ["sse4-i32x4", "avx2-i32x8"])
def test_rows_that_lie_behind_each_other(target: str) -> None:
    """A row's last gang does not go into the row before it or behind it."""
    body = "foreach (y = 0 ... h, x = 1 ... w - 1) to[y * w + x] = from[y * w + x - 1] + from[y * w + x + 1];"
    source = f"export void rows(uniform uint8 to[], uniform uint8 from[], uniform int w, uniform int h) {{ {body} }}"
    assert passed(source, target).count(".last.left_over:") == 2, "of several gangs at a time, and of one"
    for width in (2, 3, 9, 10, 11, 34, 35, 41, 67):
        values = np.arange(width * 5, dtype=np.uint8).reshape(5, width)
        for made in (compile_kernels(source, target).rows, None):
            to = np.full(values.size, 77, np.uint8)
            if made is None:
                IRInterpreter(read(passed(source, target))).call("rows", [to, values.ravel().copy(), width, 5])
            else:
                made(to, values.ravel(), width, 5)
            wanted = np.full((5, width), 77, np.uint8)
            wanted[:, 1:-1] = values[:, :-2] + values[:, 2:]
            assert to.tolist() == wanted.ravel().tolist(), width


def test_ranges_as_long_as_numbers_go() -> None:
    """Where the length is no number of 32 bits, nothing is done by a gang before the beginning."""
    source = "export void f(uniform int8 a[], uniform int n, uniform int m) { foreach (i = n ... m) a[i - n] = 1; }"
    text = passed(source)
    assert ".last.left_over:" in text
    for low, high in ((2**31 - 40, 2**31 - 1), (-(2**31), -(2**31) + 5), (5, -(2**31)), (2**31 - 1, -(2**31))):
        count = max(0, high - low)
        a = np.zeros(count + 1, np.int8)
        IRInterpreter(read(text)).call("f", [a, low, high])
        assert a.tolist() == [1] * count + [0]


LOOKUP = """
export void look(uniform uint8 to[], const uniform uint8 table[], const uniform uint8 from[], uniform int n, uniform int m) {
    foreach (y = 0 ... m, x = 0 ... n)
        to[y * n + x] = table[from[y * n + x]];
}
"""


def test_lookups_are_done_again_as_well() -> None:
    """Each lane loads from where it did before, and nothing behind the last element of the table."""
    text = compile_source(LOOKUP, "f.ispc", Options(find_target("avx2-i32x8"), 3), end="passes").results["passes"]
    assert ".last." in text
    own = LOOKUP.replace("const uniform uint8 table[], ", "").replace("table[", "to[")
    assert ".last." not in compile_source(own, "f.ispc", Options(find_target("avx2-i32x8"), 3), end="passes").results["passes"]
    look = compile_kernels(LOOKUP, "avx2-i32x8").look
    calls = FencedCalls()
    made = []
    for n in (1, 7, 8, 9, 15, 16, 31):
        table = np.arange(100, 0, -1, dtype=np.uint8)
        source = np.random.default_rng(n).integers(0, len(table), 3 * n, np.uint8)
        given = calls.copies(np.zeros(3 * n, np.uint8), table, source, at_end=True)
        calls.add(n, partial(look, *given, n, 3))
        made.append((given[0], table[source]))
    calls.check()
    assert all((to == wanted).all() for to, wanted in made)
