"""``None`` for a pointer: taken where the kernel looks for it, or never follows the pointer; a TypeError everywhere else."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import voltac

BELOW = """
struct Node { uniform float * uniform data; };
uniform float * uniform kept;
static void writes(uniform float a[]) { a[0] = 1; }
static void writes_deeper(uniform float b[], uniform int depth) { if (depth) writes_deeper(b + 1, depth - 1); else writes(b); }
static void looks(uniform float a[]) { if (a != NULL) a[0] = 1; }
static uniform float * uniform same(uniform float a[]) { return a; }
typedef uniform float * uniform Address;
static void by_reference(Address & p) { p[0] = 1; }
static void of_struct(uniform Node & node) { node.data[0] = 1; }
typedef void (*Function)(uniform float a[]);
task void in_task(uniform float a[]) { a[taskIndex] = 1; }
task void looks_in_task(uniform float a[]) { if (a) a[taskIndex] = 1; }
extern "C" uniform int c_function(void * uniform p);
"""

REFUSED = [
    "a[0] = 1;",
    "foreach (i = 0 ... 4) a[i] += 1;",
    "uniform float x = *a;",
    "varying float * uniform p = (varying float * uniform)a; *p = 1;",
    "writes(a);",
    "writes_deeper(a, 3);",
    "uniform float * uniform b = a + 3; b[1] = 1;",
    "uniform float * uniform b; b = a; ++b; *b = 1;",
    "float * p = a + programIndex; *p = 1;",
    "same(a)[0] = 1;",
    "uniform float * uniform b = same(a); b[0] = 1;",
    "by_reference(a);",
    "uniform Node n = { a }; of_struct(n);",
    "kept = a;",
    "uniform Function f = &writes; f(a);",
    "launch[3] in_task(a);",
    "packed_store_active((uniform int * uniform)a, 1);",
    "memset(a, 0, 4);",
    "uniform int64 bits = (uniform int64)a; uniform float * uniform b = (uniform float * uniform)bits; *b = 1;",
    "uniform float * uniform end = a + 4; for (uniform float * uniform p = a; p != end; ++p) *p = 1;",
    "unmasked { a[0] = 1; }",
    "uniform float * uniform b[2] = { a, a }; b[1][0] = 1;",
    "foreach_unique (p in (varying float * varying)(a + programIndex)) { *p = 1; }",
]

TAKEN = [
    "",
    "if (a) a[0] = 1;",
    "if (a != NULL) a[0] = 1;",
    "if (NULL == a) return; a[0] = 1;",
    "if (!a) return; a[0] = 1;",
    "uniform bool there = a != 0; if (there) a[0] = 1;",
    "uniform float * uniform b = a; if (b) a[0] = 1;",
    "uniform float x = a ? a[0] : 0.f;",
    "uniform int n = 4; if (n > 3 && a) a[0] = 1;",
    "looks(a);",
    "launch[3] looks_in_task(a);",
    "uniform float * uniform b = a + 3; print('%', (uniform int64)b == 12);",
    "uniform float * uniform b = &a[2];",
    "uniform bool same_one = a == a + 1;",
    "delete a;",
    "c_function(a);",
    "while (a) { a[0] = 1; return; }",
    "cif (a) a[0] = 1;",
]


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)  # type: ignore[untyped-decorator]
def c_function(pointer: int | None) -> int:
    return int(pointer is not None)


def kernel(statement: str) -> Any:
    source = BELOW + "export void f(uniform float a[]) {\n" + statement.replace("'", '"') + "\n}\n"
    return voltac.compile(source, target="sse4-i32x4", functions={"c_function": c_function}).f


@pytest.mark.parametrize("statement", REFUSED)
def test_none_is_refused_where_the_pointer_is_followed(statement: str) -> None:
    f = kernel(statement)
    message = r"argument 1 'a' \(uniform float \* uniform\) must be an array of float32, not None; None is for parameters that"
    calls: list[Callable[[], Any]] = [lambda: f(None), lambda: f(a=None)]
    for call in calls:
        with pytest.raises(TypeError, match=message):
            call()
    with pytest.raises(TypeError, match="not a null pointer"):
        f(ctypes.c_void_p(0))
    assert "or None" not in f.__doc__


@pytest.mark.parametrize("statement", TAKEN)
def test_none_is_taken_where_the_kernel_looks_for_it(statement: str, capsys: pytest.CaptureFixture[str]) -> None:
    f = kernel(statement)
    f(None)
    f(a=ctypes.c_void_p(0))
    assert "or None" in f.__doc__
    if "delete" not in statement:
        f(np.zeros(8, np.float32))


def test_functions_that_are_called_are_no_null_pointers_either() -> None:
    kernels = voltac.compile(
        """typedef unmasked uniform int (*Function)(uniform int n);
export uniform int calls(uniform Function f, uniform int n) { return f(n); }
export uniform int looks(uniform Function f, uniform int n) { return f ? f(n) : -1; }
""",
        target="sse4-i32x4",
    )
    double = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda n: 2 * n)
    assert kernels.calls(double, 4) == kernels.looks(double, 4) == 8
    assert kernels.looks(None, 4) == -1
    for nothing in (None, 0):
        with pytest.raises(TypeError, match="must be a function of Python or ctypes, or the address of one, not "):
            kernels.calls(nothing, 4)


def test_none_on_a_device() -> None:
    kernels = voltac.compile(
        """export void writes(uniform float a[]) { a[0] = 1; }
export uniform int looks(uniform float a[]) { return a ? 1 : 0; }
""",
        target="naplespu",
    )
    assert kernels.looks(None) == 0 and kernels.looks(np.zeros(2, np.float32)) == 1
    with pytest.raises(TypeError, match="must be an array of float32, not None"):
        kernels.writes(None)
