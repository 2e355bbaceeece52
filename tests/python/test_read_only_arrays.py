"""What a kernel only reads may be read-only: memory that the machine itself protects is the judge."""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np
import pytest

import voltac

HELPERS = """
struct Pair { uniform float * uniform a; uniform float * uniform b; };
static float first(uniform float p[], int i) { return p[i]; }
static void put(uniform float p[], int i, float x) { p[i] = x; }
static void exchange(uniform float &p) { p = p + 1; }
static uniform float look(const uniform float &p) { return p; }
static void down(uniform float p[], uniform int n) { if (n > 0) down(p, n - 1); }
static uniform float * uniform same(uniform float p[]) { return p; }
task void reading(uniform float p[], uniform float q[]) { q[taskIndex] = p[taskIndex]; }
uniform float * uniform kept;
typedef uniform float * uniform Address;
"""
READS = {
    "an element": "out[0] = a[1];",
    "vectors": "foreach (i = 0 ... n) out[i] = a[i];",
    "gathers": "foreach (i = 0 ... n) out[i] = a[(i * 7) % n];",
    "a local pointer": "uniform float * uniform p = a + 1; foreach (i = 0 ... n - 1) out[i] = *(p + i);",
    "varying pointers": "uniform float * p = a + programIndex; out[programIndex] = *p;",
    "a function": "foreach (i = 0 ... n) out[i] = first(a, i);",
    "a function that writes another": "foreach (i = 0 ... n) put(out, i, a[i]);",
    "a choice of what is only read": "uniform float * uniform p = n > 3 ? a : a + 1; out[0] = *p;",
    "library functions": "int x; packed_load_active((uniform int * uniform)a, &x); out[programIndex] = x; prefetch_l1(a);",
    "a copy": "memcpy(out, a, n * sizeof(uniform float));",
    "tasks": "launch[4] reading(a, out);",
    "comparisons": "out[0] = a == NULL ? 1 : 2;",
    "nothing": "",
    "a reference": "out[0] = look(a[2]);",
    "a shadow": "{ uniform float a[4]; a[0] = 1; out[0] = a[0]; }",
}
WRITES = {
    "an element": "a[1] = 2;",
    "vectors": "foreach (i = 0 ... n) a[i] = i;",
    "a condition": "if (n > 1000) a[0] = 1;",
    "counting": "a[0]++;",
    "a compound assignment": "foreach (i = 0 ... n) a[i] += 1;",
    "a local pointer": "uniform float * uniform p = a + 1; *p = 1;",
    "a changed pointer": "uniform float * uniform p = out; if (n > 1000) p = a; *p = 1;",
    "a choice": "uniform float * uniform p = n > 1000 ? a : out; *p = 1;",
    "varying pointers": "uniform float * p = n > 1000 ? a + programIndex : out + programIndex; *p = 1;",
    "a function": "foreach (i = 0 ... n) put(n > 1000 ? a : out, i, 1);",
    "a reference": "exchange(a[0]);",
    "library functions": "packed_store_active((uniform int * uniform)a, (int)1);",
    "an atomic": "atomic_add_global(&a[0], 1.0f);",
    "a copy": "memcpy(a, out, n * sizeof(uniform float));",
    "tasks": "launch[4] reading(out, a);",
    "a struct": "uniform Pair p = { out, a }; p.b[0] = 1;",
    "a member": "uniform Pair p; p.a = a; p.a[0] = 1;",
    "a pointer to the pointer": "uniform float * uniform * uniform p = &a; (*p)[0] = 1;",
    "an array of pointers": "uniform float * uniform p[2]; p[1] = a; p[1][0] = 1;",
    "a number": "uniform int64 p = (uniform int64)a; *((uniform float * uniform)p) = 1;",
    "a global": "kept = a; *kept = 1;",
    "a recursion": "down(a, n);",
    "a result": "uniform float * uniform p = same(a); *p = 1;",
    "new": "uniform float * uniform * uniform p = uniform new Address(a); (*p)[0] = 1; delete p;",
}


def kernel(body: str, **options: Any) -> Any:
    source = HELPERS + f"export void f(uniform float a[], uniform float out[], uniform int n) {{ {body} }}"
    return voltac.compile(source, cache=False, **options).f


@pytest.fixture(scope="module")
def protected() -> Any:
    """32 numbers on a page that cannot be written."""
    memory = mmap.mmap(-1, mmap.PAGESIZE)
    np.frombuffer(memory, np.float32)[:32] = np.arange(32)
    array = np.frombuffer(memory, np.float32)[:32]
    libc = ctypes.CDLL(None, use_errno=True)
    assert not libc.mprotect(ctypes.c_void_p(array.__array_interface__["data"][0]), mmap.PAGESIZE, mmap.PROT_READ)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("what", READS)
@pytest.mark.parametrize("target", ["sse4-i32x4", "host"])
def test_what_is_only_read_may_be_read_only(what: str, target: str, protected: Any) -> None:
    f = kernel(READS[what], target=target)
    assert not f.parameters[0].memory.writable
    f(protected, np.zeros(128, np.float32), 32)


@pytest.mark.parametrize("what", WRITES)
def test_what_may_be_written_must_be_writable(what: str, protected: Any) -> None:
    f = kernel(WRITES[what], target="sse4-i32x4")
    with pytest.raises(ValueError, match=r"argument 1 'a' .* must be writable, because the kernel may write to it"):
        f(protected, np.zeros(128, np.float32), 32)
    f(np.zeros(128, np.float32), np.zeros(128, np.float32), 32)


def test_a_c_function_may_write_what_it_is_given() -> None:
    f = voltac.compile(
        'extern "C" void g(uniform float a[]); export void f(uniform float a[]) { g(a); }',
        functions={"g": 1 << 40},
        target="sse4-i32x4",
        cache=False,
    ).f
    memory = f.parameters[0].memory
    assert memory is not None and memory.writable
