"""Checked runs: what a kernel does outside of its arrays, in a race or with what was never written is an exception."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from some_pairs import some_pairs

import voltac
from voltac.llvm.host import can_run
from voltac.target_info import find_target

TARGETS = [name for name in ("sse4-i32x4", "avx2-i32x8", "avx512skx-x16") if can_run(find_target(name))]
ELEMENTS = {
    "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int": "i4", "uint": "u4", "int64": "i8", "uint64": "u8",
    "float16": "f2", "float": "f4", "double": "f8", "bool": "?",
}  # fmt: skip


def checked(source: str, checks: Any = True, **options: Any) -> Any:
    return voltac.compile(source, file="f.ispc", checked=checks, **({"target": TARGETS[-1]} | options))


def failure(kind: type[Exception], kernel: Any, *arguments: Any) -> str:
    with pytest.raises(kind) as raised:
        kernel(*arguments)
    return str(raised.value)


# --- accesses

COPY = """export void copy(uniform T a[], uniform int index[], uniform T out[], uniform int n) {
    foreach (i = 0 ... n) {
        if (index[i] != 99)
            out[i] = a[index[i]];
    }
}
"""


@pytest.mark.parametrize(("element", "code"), some_pairs(ELEMENTS, product((0, 3), TARGETS)))
def test_a_read_outside_names_array_index_and_lane(element: str, code: tuple[int, str]) -> None:
    """Every type on every target, and at each level on some."""
    opt, target = code
    kernels = checked(COPY.replace("T ", f"{element} "), target=target, opt=opt)
    a = np.arange(10).astype(ELEMENTS[element])
    index = np.arange(32, dtype=np.int32) % 10
    out = np.zeros(32, a.dtype)
    index[17] = 99  # a lane that is off may have any index
    kernels.copy(a, index, out, 32)
    expected = a[index % 10]
    expected[17] = 0
    assert (out == expected).all()
    for wrong in (10, -1, -(1 << 31), (1 << 31) - 1):
        index[18] = wrong
        lane = 18 % kernels.width
        assert failure(IndexError, kernels.copy, a, index, out, 32) == (
            f"f.ispc:4:22: reads a[{wrong}] in lane {lane}, and a has 10 elements"
        )


@pytest.mark.parametrize("target", TARGETS)
def test_a_write_outside_leaves_memory_alone(target: str) -> None:
    kernels = checked("export void f(uniform float a[], uniform int k[], uniform int n) { foreach (i = 0 ... n) a[k[i]] = i; }")
    buffer = np.zeros(48, np.float32)
    a = buffer[16:32]
    index = np.array([3, 1, 16, 5], np.int32)
    assert "writes a[16] in lane 2, and a has 16 elements" in failure(IndexError, kernels.f, a, index, 4)
    assert not buffer.any()


def test_an_array_beside_another_one_is_not_the_same() -> None:
    kernels = checked("export void f(uniform float a[], uniform float b[], uniform int k) { a[k ^ 0] = 1; b[k ^ 0] = 2; }")
    both = np.zeros(20, np.float32)
    assert "writes a[10]" in failure(IndexError, kernels.f, both[:10], both[10:], 10)
    assert "writes a[-1]" in failure(IndexError, kernels.f, both[10:], both[:10], -1)
    kernels.f(both[:10], both[10:], 9)
    assert both[9] == 1 and both[19] == 2


def test_an_index_that_wraps_around_is_what_it_wrapped_to() -> None:
    kernels = checked("export void f(uniform float a[], uniform int k) { a[(k ^ 0) * 65536] = 1; }")
    a = np.zeros(4, np.float32)
    kernels.f(a, 65536)
    assert a[0] == 1
    assert "writes a[-2147483648]" in failure(IndexError, kernels.f, a, 32768)


POINTERS = """
struct Point { float x; float y[3]; };
struct List { uniform float * uniform data; uniform int n; };
static uniform float table[6];
static void add(uniform float * uniform p, uniform int n) { foreach (i = 0 ... n) p[i] += 1; }
static void add_to(uniform float &r) { r += 1; }
typedef void (*Action)(uniform float * uniform p, uniform int n);
export void called(uniform float a[], uniform int n) { add(a, n); }
export void pointed(uniform float a[], uniform int n) { Action act = add; act(a + 2, n); }
export void referred(uniform float a[], uniform int n) { add_to(a[n]); }
export void walked(uniform float a[], uniform int n) {
    uniform float * uniform p = a;
    for (uniform int i = 0; i < n; ++i) *p++ = 1;
}
export void back(uniform float a[], uniform int n) {
    uniform float * uniform end = a + n;
    while (end != a - 1) { end -= 1; *end = 1; }
}
export void lanes(uniform float a[], uniform int n) {
    foreach (i = 0 ... n) {
        uniform float * varying p = &a[i];
        if (i % 2 == 1) p += 1;
        *p = i;
    }
}
export void local(uniform float a[], uniform int n) {
    uniform float t[8];
    for (uniform int i = 0; i < n; ++i) t[i] = i;
    a[0] = t[0];
}
export void passed(uniform float a[], uniform int n) {
    uniform float t[8] = { 0 };
    add(t, n);
    a[0] = t[0];
}
export void global(uniform float a[], uniform int n) { table[n] = 1; a[0] = table[n]; }
export void rows(uniform float a[], uniform int n) {
    uniform float t[4][5] = { { 0 } };
    t[1][n] = 1;
    a[0] = t[1][n];
}
export void members(uniform Point p[], uniform int n, uniform int k) { foreach (i = 0 ... n) p[i].y[k] = i; }
export void allocated(uniform float a[], uniform int n) {
    uniform float * uniform p = uniform new uniform float[8];
    p[n] = 1;
    a[0] = p[n];
    delete p;
}
export void each(uniform float a[], uniform int n) {
    uniform float * varying p = new uniform float[4];
    p[n] = programIndex;
    a[programIndex] = p[n];
    delete p;
}
export void held(uniform float a[], uniform int n) {
    uniform List list;
    list.data = a;
    list.n = n;
    list.data[list.n] = 1;
}
export void none(uniform float a[], uniform float b[], uniform int n) { if (b == NULL) a[0] = b[n]; }
export void vector(uniform float a[], uniform int n) {
    uniform float<4> v = { 1, 2, 3, 4 };
    a[0] = v[n];
}
"""
OUTSIDE = [
    ("called", 10, 11, "reads p[10] in lane"), ("pointed", 8, 9, "reads p[10] in lane"), ("referred", 9, 10, "reads r[10]"),
    ("walked", 10, 11, "writes p[10]"), ("lanes", 9, 10, "writes p[10] in lane"), ("local", 8, 9, "writes t[8]"),
    ("passed", 8, 9, "reads p[8] in lane"), ("global", 5, 6, "writes table[6]"), ("rows", 4, 5, "writes t[...][5], and"),
    ("allocated", 7, 8, "writes p[8]"), ("each", 3, 4, "writes p[4] in lane 0"), ("held", 9, -1, "writes"),
    ("vector", 3, 4, "reads v[4]"),
]  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
def test_pointers_carry_the_bounds_of_their_array(target: str) -> None:
    kernels = checked(POINTERS, "accesses", target=target)
    for name, fine, wrong, message in OUTSIDE:
        a = np.zeros(10 if name != "each" else 16, np.float32)
        kernel = getattr(kernels, name)
        kernel(a, fine)
        if name != "held":
            assert message in failure(IndexError, kernel, a, wrong), name
    a = np.zeros(10, np.float32)
    assert "writes end[-1], and end has 10 elements" in failure(IndexError, kernels.back, a, 10)
    assert (a == 1).all()
    assert "reads through b, a null pointer" in failure(IndexError, kernels.none, a, None, 3)
    points = np.zeros(10, kernels.members.dtype("p"))
    kernels.members(points, 10, 2)
    assert points["y"][:, 2].tolist() == list(range(10))
    assert "writes y[3] in lane 0, and y has 3 elements" in failure(IndexError, kernels.members, points, 10, 3)


CALLED = """
typedef float (*uniform One)(float);
typedef float (*Each)(float);
float twice(float x) { return 2 * x; }
export void one(uniform float a[], uniform int n) {
    One f = n == 5 ? NULL : twice;
    foreach (i = 0 ... n)
        a[i] = f(a[i]);
}
export void each(uniform float a[], uniform int n, uniform int none) {
    foreach (i = 0 ... n) {
        Each f = i == none ? NULL : twice;
        if (a[i] > 0)
            a[i] = f(a[i]);
    }
}
"""


@pytest.mark.parametrize("target", TARGETS)
def test_a_null_pointer_is_not_called(target: str) -> None:
    """In lanes that are on."""
    kernels = checked(CALLED, "accesses", target=target)
    a = np.arange(9, dtype=np.float32)
    kernels.one(a, 9)
    kernels.each(a, 9, 0)
    assert (a == 4 * np.arange(9)).all()
    assert "f.ispc:8:9: calls through a null pointer" in failure(IndexError, kernels.one, a, 5)
    assert "f.ispc:14:13: calls through a null pointer in lane 2" in failure(IndexError, kernels.each, a, 9, 2)


LIBRARY = """
export void pack(uniform int a[], uniform int n) {
    foreach (i = 0 ... n)
        packed_store_active(a, i);
}
export void add(uniform int a[], uniform int n) { atomic_add_global(&a[n ^ 0], 1); }
export void set(uniform int a[], uniform int n) { memset(a, 0, n * 4); }
export void move(uniform int a[], uniform int n) { memcpy(a, a + 8, n * 4); }
export void stream(uniform int a[], uniform int n) { streaming_store(a + n, programIndex); }
"""


@pytest.mark.parametrize("target", TARGETS)
def test_what_the_library_does_with_an_array_is_told_where_it_was_called(target: str) -> None:
    kernels = checked(LIBRARY, "accesses", target=target)
    width = kernels.width
    a = np.zeros(16, np.int32)
    kernels.pack(a, 16)
    short = np.zeros(width - 1, np.int32)
    text = failure(IndexError, kernels.pack, short, width)
    assert text == f"f.ispc:4:9: writes {width} elements from a[0] on, and a has {width - 1} elements"
    kernels.add(a, 15)
    assert failure(IndexError, kernels.add, a, 16) == "f.ispc:6:51: writes p[16], and p has 16 elements".replace("p", "ptr", 0)
    kernels.set(a, 16)
    assert "f.ispc:7:51: writes" in failure(IndexError, kernels.set, a, 17)
    kernels.move(a, 8)
    assert "f.ispc:8:52: reads" in failure(IndexError, kernels.move, a, 9)
    kernels.stream(a, 16 - width)
    assert "f.ispc:9:54: writes" in failure(IndexError, kernels.stream, a, 17 - width)


def test_tasks_are_checked_too() -> None:
    kernels = checked(
        "task void part(uniform float a[]) { a[taskIndex] = 1; }\n"
        "export void f(uniform float a[], uniform int n) { launch[n] part(a); }"
    )
    a = np.zeros(64, np.float32)
    kernels.f(a, 64)
    assert a.all()
    assert "writes a[64], and a has 64 elements" in failure(IndexError, kernels.f, a, 65)


# --- races


@pytest.mark.parametrize("target", TARGETS)
def test_lanes_that_write_different_values_to_one_element_race(target: str) -> None:
    kernels = checked(
        "export void f(uniform float a[], uniform int k[], uniform float v[], uniform int n) {\n"
        "    foreach (i = 0 ... n) if (v[i] >= 0) a[k[i]] = v[i];\n"
        "}",
        target=target,
    )
    a = np.zeros(16, np.float32)
    values = np.array([1, 2, 3, 4], np.float32)
    kernels.f(a, np.array([5, 3, 4, 0], np.int32), values, 4)
    assert a[[5, 3, 4, 0]].tolist() == [1, 2, 3, 4]
    values[:] = 1
    kernels.f(a, np.array([5, 3, 5, 0], np.int32), values, 4)  # the same value
    values[:] = [1, 2, -1, 3]
    kernels.f(a, np.array([5, 3, 5, 0], np.int32), values, 4)  # one of them is off
    values[:] = [1, 2, 7, 3]
    text = failure(RuntimeError, kernels.f, a, np.array([5, 3, 5, 0], np.int32), values, 4)
    assert text == "f.ispc:2:42: several lanes write different values to one element (in lanes 0, 2)"


# --- what was never written


UNWRITTEN = """
struct Pair { float x, y; };
export void scalar(uniform float a[], uniform float out[], uniform int n) {
    foreach (i = 0 ... n) {
        float x;
        if (a[i] > 0) x = a[i];
        out[i] = x;
    }
}
export void masked(uniform float a[], uniform float out[], uniform int n) {
    foreach (i = 0 ... n) {
        bool x;
        if (a[i] > 0) x = true;
        if (a[i] > 0) out[i] = x ? 1 : 2;
        if (a[i] == -5) out[i] = x ? 1 : 2;
    }
}
export void again(uniform float a[], uniform float out[], uniform int n) {
    for (uniform int i = 0; i < n; ++i) {
        uniform float x;
        if (a[i] > 0) x = a[i];
        out[i] = x;
    }
}
export void member(uniform float a[], uniform float out[], uniform int n) {
    foreach (i = 0 ... n) {
        Pair p;
        p.x = a[i];
        Pair q = p;
        if (a[i] > 0) p.y = 1;
        out[i] = q.x + p.y;
    }
}
export void element(uniform float a[], uniform float out[], uniform int n) {
    foreach (i = 0 ... n) {
        float t[4];
        for (uniform int k = 0; k < 3; ++k) t[k] = a[i];
        out[i] = t[a[i] > 0 ? 2 : 3];
    }
}
export void vector(uniform float a[], uniform float out[], uniform int n) {
    for (uniform int i = 0; i < n; ++i) {
        uniform float<3> v;
        v.x = a[i];
        v.y = a[i];
        if (a[i] > 0) v.z = a[i];
        out[i] = (v + v).z;
    }
}
"""


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["scalar", "masked", "again", "member", "element", "vector"])
def test_what_was_never_written_is_not_read(target: str, name: str) -> None:
    kernel = getattr(checked(UNWRITTEN, target=target), name)
    a = np.full(32, 2, np.float32)
    out = np.zeros(32, np.float32)
    kernel(a, out, 32)
    assert out.all()
    a[21] = -5
    text = failure(RuntimeError, kernel, a, out, 32)
    assert "before it is written" in text
    if name not in ("again", "vector"):
        assert text.endswith(f"(in lane {21 % voltac.compile(UNWRITTEN, target=target).width})")


# --- numbers that are not finite

BORN = """export void f(uniform T a[], uniform T b[], uniform T out[], uniform int n) {
    foreach (i = 0 ... n) if (a[i] != 7) out[i] = a[i] OP b[i];
}
export uniform T g(uniform T a) { return sqrt(a); }
"""


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("element", ["float16", "float", "double"])
def test_infinity_and_nan_are_told_where_they_are_born(target: str, element: str) -> None:
    dtype = np.dtype(ELEMENTS[element])
    largest, infinity = np.finfo(dtype).max, np.inf
    ones = np.ones(4, dtype)
    cases = [
        ("+", largest, largest, "inf"), ("-", -largest, largest, "-inf"), ("*", largest, 2, "inf"), ("/", 1, 0, "inf"),
        ("-", infinity, infinity, "nan"), ("*", 0, infinity, "nan"), ("/", 0, 0, "nan"),
    ]  # fmt: skip
    for operator, left, right, born in cases:
        kernels = checked(BORN.replace("T ", f"{element} ").replace("OP", operator), "nonfinite", target=target)
        a, b = ones.copy(), ones.copy()
        kernels.f(a, b, ones.copy(), 4)
        a[2], b[2] = left, right
        text = failure(FloatingPointError, kernels.f, a, b, ones.copy(), 4)
        shown = [f"{float(value):.9g}" for value in (a[2], b[2])]
        assert text == f"f.ispc:2:51: {born} is born in lane 2: {shown[0]} {operator} {shown[1]}"
        # What was not finite before is not born here, and lanes that are off bear nothing.
        a[2], b[2] = infinity if operator != "-" else 1, 3 if operator in "+*/" else infinity
        kernels.f(a, b, ones.copy(), 4)
        a[2], b[2] = 7, 0
        kernels.f(a, b, ones.copy(), 4)
    assert kernels.g(4) == 2
    assert failure(FloatingPointError, kernels.g, -1.0).endswith(": nan is born: sqrt(-1)")


# --- options


def test_checks_are_chosen_by_their_names() -> None:
    source = "export void f(uniform float a[], uniform float b, uniform int k) { a[k ^ 0] = 1 / b; }"
    a = np.zeros(4, np.float32)
    assert "inf is born" in failure(FloatingPointError, checked(source, "nonfinite").f, a, 0, 0)
    checked(source, "accesses").f(a, 0, 0)
    assert a[0] == np.inf
    failure(IndexError, checked(source, ("nonfinite", "accesses")).f, a, 1, 4)
    failure(FloatingPointError, checked(source, True).f, a, 0, 0)
    checked(source, False).f(a, 0, 0)


def test_wrong_checks_are_refused() -> None:
    source = "export void f(uniform float a[]) { a[0] = 1; }"
    with pytest.raises(
        ValueError, match=r"checked must be True, False, or one or a tuple of .*'unwritten' or 'nonfinite', not 'acesses'"
    ):
        checked(source, "acesses")
    with pytest.raises(TypeError, match="checked must be"):
        checked(source, 3)
    with pytest.raises(ValueError, match="is a device"):
        checked(source, True, target="naplespu")
    with pytest.raises(TypeError, match="without 'checked'"):
        voltac.ufunc(checked("export uniform float f(uniform float x) { return x; }").f)


def test_a_checked_kernel_in_another_process_is_checked() -> None:
    kernel = checked("export void f(uniform float a[], uniform int k) { a[k ^ 0] = 1; }").f
    for again in (pickle.loads(pickle.dumps(kernel)), copy.deepcopy(kernel)):
        assert "writes a[4]" in failure(IndexError, again, np.zeros(4, np.float32), 4)


def test_arrays_that_are_no_plain_ones_have_bounds_too() -> None:
    kernel = checked("export void f(uniform float a[], uniform int k) { a[k ^ 0] = 1; }").f
    given = memoryview(bytearray(16)).cast("f")
    kernel(given, 3)
    assert given[3] == 1
    assert "a has 4 elements" in failure(IndexError, kernel, given, 4)
    import ctypes

    memory = (ctypes.c_float * 8)()
    kernel(ctypes.cast(memory, ctypes.POINTER(ctypes.c_float)), 7)  # nobody knows how long it is
    assert memory[7] == 1


def test_the_command_line_checks_runs(tmp_path: Path) -> None:
    path = tmp_path / "k.ispc"
    path.write_text("export void f(uniform float a[], uniform int k) { a[k ^ 0] = 1 / a[0]; }\n")

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "voltac", "run", str(path), *words]
        return subprocess.run(command, capture_output=True, text=True)

    assert run("--checked", "range:8", "9").returncode == 1
    wrong = run("--checked=accesses", "random:8", "9")
    assert wrong.returncode == 1 and "writes a[9], and a has 8 elements" in wrong.stderr
    # Lines are as long as the path allows.
    assert "inf is born" in " ".join(run("--checked", "zeros:8", "3").stderr.split())
    assert run("--checked=accesses", "zeros:8", "3").returncode == 0
    nearest = run("--checked=acesses", "zeros:8", "3")
    assert nearest.returncode == 2 and "option '--checked'" in nearest.stderr and "Traceback" not in nearest.stderr
