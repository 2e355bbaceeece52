"""Branches that both end in a store to one place store once behind them; what may be seen in between keeps its order."""

import numpy as np
import pytest
from kernels import compile_kernels
from lowering import function_body, text_after

N = 40
X = (np.where(np.arange(N) % 3 == 0, -1, 1) * np.arange(1, N + 1)).astype(np.float32)
POSITIVE = X > 0
INDEX = np.arange(N)
# cbrt has a call for the ends of its range, so no branch is run without a test; cubes make its results exact.
JOINED = {
    "both": ("if (x > 0) a[i] = cbrt(x * x * x); else a[i] = 7;", np.where(POSITIVE, X, 7)),
    "in a chain": (
        "if (x > 9) a[i] = cbrt(x * x * x); else if (x > 0) { float t = x + 1; a[i] = t; } else a[i] = -x;",
        np.where(X > 9, X, np.where(POSITIVE, X + 1, -X)),
    ),
    "under a mask": (
        "a[i] = 5; if (i % 5 != 2) { if (x > 0) a[i] = cbrt(x * x * x); else a[i] = 7; }",
        np.where(INDEX % 5 != 2, np.where(POSITIVE, X, 7), 5),
    ),
    "uniform below": (
        "if (x > 0) a[i] = cbrt(x * x * x); else if (n > 1000) a[i] = 1; else a[i] = 2;",
        np.where(POSITIVE, X, 2),
    ),
}
GANG = 8
FIRST, REST = INDEX[:GANG][POSITIVE[:GANG]], INDEX[:GANG][~POSITIVE[:GANG]]


def in_order(body: str) -> np.ndarray:
    """One gang's elements: the lanes of the first branch store, then those of the second do theirs."""
    a = np.zeros(GANG, np.float32)
    a[FIRST] = X[FIRST]
    if "n - 1 - i] = 7" in body:
        a[GANG - 1 - REST] = 7
    elif "n - 1 - i]" in body:
        a[REST] = a[GANG - 1 - REST]
    elif "k = 0" in body:
        a[0] = 7
    elif "touch" in body:
        a[REST + 1] = 3
        a[REST] = 7
    else:
        a[REST] = a[1]
    return a


KEPT = {
    "the other branch loads": "if (x > 0) a[i] = cbrt(x * x * x); else { float t = a[n - 1 - i]; a[i] = t; }",
    "other places": "if (x > 0) a[i] = cbrt(x * x * x); else a[n - 1 - i] = 7;",
    "an index that changes": "int k = i; if (x > 0) a[k] = cbrt(x * x * x); else { k = 0; a[k] = 7; }",
    "a call that stores": "if (x > 0) a[i] = cbrt(x * x * x); else { touch(a, i); a[i] = 7; }",
    "through a reference": "float t = 0; float &r = t; if (x > 0) a[i] = cbrt(x * x * x); else { r = a[1]; a[i] = r; }",
}


def source(body: str) -> str:
    return (
        "static noinline void touch(uniform float a[], int i) { a[i + 1] = 3; }\n"
        "export void f(uniform float a[], uniform float b[], uniform int n) {\n"
        f"    foreach (i = 0 ... n) {{ float x = b[i]; {body} }}\n}}\n"
    )


def stores(body: str) -> int:
    """Of whole gangs and of the rest."""
    return function_body(text_after("lower", source(body)), "f").count(".scatter.")


@pytest.mark.parametrize("target", ["sse4-i32x4", "avx2-i32x8", "avx512skx-x16"])
@pytest.mark.parametrize("name", JOINED)
def test_the_result_is_numpys(name: str, target: str) -> None:
    body, expected = JOINED[name]
    a = np.zeros(N, np.float32)
    compile_kernels(source(body), target=target).f(a, X, N)
    assert np.array_equal(a, expected.astype(np.float32))


@pytest.mark.parametrize("name", JOINED)
def test_there_is_one_store(name: str) -> None:
    body, _ = JOINED[name]
    assert stores(body) == 2 + 2 * body.count("a[i] = 5")


@pytest.mark.parametrize("name", KEPT)
def test_what_may_be_seen_stays_in_order(name: str) -> None:
    a = np.zeros(GANG, np.float32)
    compile_kernels(source(KEPT[name]), target="avx2-i32x8").f(a, X[:GANG].copy(), GANG)
    assert np.array_equal(a, in_order(KEPT[name]))
    assert stores(KEPT[name]) == 4
