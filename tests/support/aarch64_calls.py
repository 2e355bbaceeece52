"""Calls of kernels, run by an aarch64 Python (tests/python/test_on_aarch64.py): their results as one line of JSON.

The first argument is a folder for what is printed, by file; the program runs again with the cache filled by the first time.
"""

import json
import math
import sys
from typing import Any

import numpy as np

import voltac
from voltac.python.interpreter_layout import direct_access

SOURCE = """
struct Point { float x, y; };
export void saxpy(uniform float s, uniform float x[], uniform float y[], uniform float out[], uniform int n) {
    foreach (i = 0 ... n)
        out[i] = s * x[i] + y[i];
}
export uniform double sums(uniform double x[], uniform int n) {
    double sum = 0;
    foreach (i = 0 ... n)
        sum += sin(x[i]) + pow(x[i], 3.0d);
    return reduce_add(sum);
}
export void divide(uniform int a[], uniform int b[], uniform int n) {
    foreach (i = 0 ... n) {
        assert(b[i] < 100);
        a[i] /= b[i];
    }
}
export uniform Point middle(uniform Point points[], uniform int n) {
    Point sum = {0, 0};
    foreach (i = 0 ... n) {
        sum.x += points[i].x;
        sum.y += points[i].y;
    }
    uniform Point result;
    result.x = reduce_add(sum.x) / n;
    result.y = reduce_add(sum.y) / n;
    return result;
}
extern "C" uniform double given(uniform double x);
export uniform double twice_given(uniform double x) { return 2 * given(x); }
task void square(uniform int a[]) {
    uniform int block = taskIndex;
    assert(a[block * 10] != 77);
    foreach (i = 0 ... 10)
        a[block * 10 + i] *= a[block * 10 + i];
}
export void squares(uniform int a[], uniform int blocks) { launch[blocks] square(a); }
export void tell(uniform int n) { print("% of %\\n", n, programCount); }
float negated(float x) { return -x; }
export void far(uniform float a[], uniform int n) {
    float (*uniform f)(float) = negated;
    foreach (i = 0 ... n)
        a[i] = f(a[i]);
}
"""


def raised(call: Any, *arguments: Any) -> str:
    try:
        call(*arguments)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def main() -> dict[str, Any]:
    found: dict[str, Any] = {}
    kernels = voltac.compile(SOURCE, file="f.ispc", functions={"given": math.exp})
    found["target"] = str(kernels.target)
    found["direct"] = direct_access()
    x, y = np.arange(100, dtype=np.float32), np.full(100, 0.5, np.float32)
    out = np.zeros_like(x)
    kernels.saxpy(2.0, x, y, out, 100)
    found["saxpy"] = out.tolist()
    found["sums"] = kernels.sums(np.linspace(0, 5, 333), 333)
    a = np.arange(50, dtype=np.int32)
    found["zero"] = raised(kernels.divide, a, np.r_[np.full(42, 3), np.zeros(2)].astype(np.int32), 44)
    found["assert"] = raised(kernels.divide, a, np.full(50, 100, np.int32), 50)
    found["short"] = raised(kernels.saxpy, 1.0, x[:9], y, out, 100)
    points = np.arange(20, dtype=np.float32).view([("x", "f4"), ("y", "f4")])
    found["middle"] = [float(value) for value in kernels.middle(points, 10)]
    found["given"] = kernels.twice_given(1.5)
    numbers = np.arange(1000, dtype=np.int32)
    kernels.squares(numbers, 100)
    found["squares"] = numbers.tolist()
    numbers[500] = 77
    found["task"] = raised(kernels.squares, numbers, 100)
    kernels.tell(5)
    kernels.far(x, 100)
    found["far"] = x.tolist()
    one = voltac.compile("export uniform float f(uniform float x) { return sqrt(x) + 1; }")
    found["ufunc"] = voltac.ufunc(one.f)(np.array([[4], [9]], np.float32)).tolist()
    checked = voltac.compile("export void f(uniform int a[], uniform int at[]) { a[at[0]] = 1; }", checked=True)
    found["checked"] = raised(checked.f, a, np.array([50], np.int32))
    found["other"] = raised(voltac.compile("export void f() {}", target="avx2").f)
    found["llvmlite"] = "llvmlite" in sys.modules
    return found


print(json.dumps(main()))
