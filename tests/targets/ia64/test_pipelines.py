"""Pipelined loops: right for every number of iterations, an interval that is the bound, what callers keep is kept."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ia64_rows import GNU_AS, refused_by_gnu_as

import voltac
from voltac.driver import compile_source
from voltac.options import Options
from voltac.target_info import DEVICES

compiled_for = voltac.load


def kernel(text: str, tmp_path: Path, **options: Any) -> Any:
    path = tmp_path / "k.ispc"
    path.write_text(text)
    return compiled_for(path, target="ia64-x1", **options)


def loop(parameters: str, body: str) -> str:
    return f"export void f({parameters}, uniform int n) {{ foreach (i = 0 ... n) {{ {body} }} }}"


F, D, W, L = np.float32, np.float64, np.int32, np.int64
# Parameters, body, types of the arrays (the last is written), what numpy says, the initiation interval (IA-64 11).
LOOPS: dict[str, tuple[str, str, list[Any], Any, float]] = {
    "copy": ("uniform int64 a[], uniform int64 o[]", "o[i] = a[i];", [L, L], lambda a: a, 0.5),
    "copy of floats": ("uniform float a[], uniform float o[]", "o[i] = a[i];", [F, F], lambda a: a, 0.5),
    "scale": ("uniform float a[], uniform float o[]", "o[i] = 2.5f * a[i];", [F, F], lambda a: F(2.5) * a, 0.5),
    "saxpy": ("uniform float a[], uniform float b[], uniform float o[]", "o[i] = 2.5f * a[i] + b[i];", [F, F, F],
              lambda a, b: (2.5 * a.astype(D) + b).astype(F), 0.75),
    "daxpy": ("uniform double a[], uniform double b[], uniform double o[]", "o[i] = 0.5d * a[i] + b[i];", [D, D, D],
              lambda a, b: 0.5 * a + b, 0.75),
    "sum of integers": ("uniform int a[], uniform int b[], uniform int o[]", "o[i] = a[i] + b[i];", [W, W, W],
                        lambda a, b: a + b, 1),
    "to float": ("uniform int a[], uniform float o[]", "o[i] = a[i];", [W, F], lambda a: a.astype(F), 1.5),
    "to integer": ("uniform float a[], uniform int o[]", "o[i] = a[i];", [F, W], lambda a: a.astype(W), 1),
    "product": ("uniform int a[], uniform int b[], uniform int o[]", "o[i] = a[i] * b[i];", [W, W, W], lambda a, b: a * b, 2),
    "in place": ("uniform float b[], uniform float o[]", "o[i] = o[i] * 2 + b[i];", [F, F],
                 lambda b: (14 + b.astype(D)).astype(F), 0.75),
    "quotient": ("uniform float a[], uniform float b[], uniform float o[]", "o[i] = a[i] / b[i];", [F, F, F],
                 lambda a, b: a / b, 5),
    "root": ("uniform float a[], uniform float o[]", "o[i] = sqrt(a[i]);", [F, F], np.sqrt, 6),
    "choice": ("uniform float a[], uniform float o[]", "o[i] = a[i] > 0 ? a[i] : 2;", [F, F],
               lambda a: np.where(a > 0, a, F(2)), 1.5),
    "if and else": ("uniform float a[], uniform float o[]", "if (a[i] > 0) o[i] = a[i] * 2; else o[i] = a[i] + 3;", [F, F],
                    lambda a: np.where(a > 0, a * 2, a + 3), 2),
    "masked store": ("uniform float a[], uniform float o[]", "if (a[i] > 0) o[i] = a[i] * a[i] + 1;", [F, F],
                     lambda a: np.where(a > 0, (a.astype(D) * a + 1).astype(F), F(7)), 1),
    "both": ("uniform int a[], uniform int b[], uniform int o[]", "o[i] = a[i] > 0 && b[i] > 0 ? a[i] : 5;", [W, W, W],
             lambda a, b: np.where((a > 0) & (b > 0), a, 5), 2),
    "saturated": ("uniform uint8 a[], uniform uint8 b[], uniform uint8 o[]", "o[i] = saturating_add(a[i], b[i]);",
                  [np.uint8, np.uint8, np.uint8], lambda a, b: np.minimum(a.astype(W) + b, 255).astype(np.uint8), 1.5),
    "of an index": ("uniform int a[], uniform float o[]", "o[i] = a[a[i] & 7] * 0.5f;", [W, F], lambda a: a[a & 7] * F(0.5), 2),
    "polynomial": ("uniform double a[], uniform double o[]", "double x = a[i]; o[i] = ((x * 2 + 3) * x + 4) * x + 5;", [D, D],
                   None, 1.5),
}  # fmt: skip
"""Cycles for an iteration. The bound is: 6 slots a cycle, 2 of them F, 2 stores and moves to floating registers; a copy of two
takes 5 slots with its branch, a scale of two 6, a saxpy of four 2 x 2 pairs, 4 sums, 4 stores and the branch, so 3 cycles."""


def arrays(types: list[Any], count: int, seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    made = []
    for dtype in types[:-1]:
        whole = rng.integers(-1000, 1000, count).astype(dtype)
        made.append(rng.normal(size=count).astype(dtype) * dtype(50) if dtype in (F, D) else whole)
    return made


@pytest.mark.parametrize("name", LOOPS)
def test_every_number_of_iterations_is_right(name: str, tmp_path: Path) -> None:
    parameters, body, types, meaning, _ = LOOPS[name]
    k = kernel(loop(parameters, body), tmp_path)
    plain = kernel(loop(parameters, body), tmp_path, loop_unrolling=False)
    for n in (0, 1, 2, 3, 5, 10, 12, 13, 100):
        given = arrays(types, n + 8, n)
        out, other = np.full(n + 8, 7, types[-1]), np.full(n + 8, 7, types[-1])
        k.f(*given, out, n)
        plain.f(*given, other, n)
        assert np.array_equal(out, other, equal_nan=out.dtype.kind == "f")
        assert np.all(out[n:] == 7)
        if meaning is not None:
            with np.errstate(invalid="ignore"):
                # An index may lead behind the others, so it gets all.
                wanted = meaning(*given)[:n]
            assert np.array_equal(out[:n], wanted, equal_nan=out.dtype.kind == "f")


@pytest.mark.parametrize("name", LOOPS)
def test_the_interval_is_the_bound(name: str, tmp_path: Path) -> None:
    parameters, body, types, _, bound = LOOPS[name]
    k = kernel(loop(parameters, body), tmp_path)
    taken = {}
    for n in (100, 300):
        k.f(*arrays(types, n, 1), np.zeros(n, types[-1]), n)
        taken[n] = k.f.last_run
    assert taken[300].groups - taken[100].groups == 200 * bound
    assert taken[300].cycles - taken[100].cycles == 200 * bound


def test_a_sum_waits_for_its_sum(tmp_path: Path) -> None:
    """The recurrence bound: a product and a sum take 4 cycles."""
    text = """
    export uniform float f(uniform float a[], uniform int n) {
        uniform float s = 0;
        for (uniform int i = 0; i < n; i++) s += a[i];
        return s;
    }
    """
    k = kernel(text, tmp_path)
    a = np.arange(300, dtype=F)
    taken = {}
    for n in (100, 300):
        assert k.f(a, n) == a[:n].sum()
        taken[n] = k.f.last_run.cycles
    assert taken[300] - taken[100] == 200 * 4


def test_sums_with_choices_survive_the_end_of_rotation(tmp_path: Path) -> None:
    """What is left of a loop is read when registers have their own names again."""
    text = """
    export uniform int f(uniform int i[], uniform int n) {
        int s = 0;
        foreach (k = 0 ... n) { if (i[k] > 0) s += i[k]; else s += 3 * k; }
        return reduce_add(s);
    }
    """
    k = kernel(text, tmp_path)
    i = np.random.default_rng(1).integers(-50, 50, 40).astype(W)
    for n in (1, 2, 3, 9, 40):
        assert k.f(i, n) == np.where(i > 0, i, 3 * np.arange(40))[:n].sum()


@pytest.mark.parametrize("target", ["ia64-x1", "ia64-f32x2"])
@pytest.mark.parametrize(
    "choice", ["u & 1 ? (uint8)(u + u) : (uint8)(u % 8)", "((uint8)~u & 1) != 0 ? (uint8)(u % (uint8)8) : (uint8)(u + u)"]
)
def test_a_number_that_is_chosen_anew_begins_with_what_it_was(choice: str, target: str, tmp_path: Path) -> None:
    """Its register is written under predicates only, so that the first iteration finds what stood there before the loop."""
    body = f"int16 v = (int16)u + ((int16)u / (int16)2 & (int16)63); u = {choice}; to[i] = i; to[64 + i] = v;"
    path = tmp_path / "k.ispc"
    path.write_text(f"""
    export void f(uniform double to[], uniform int n) {{
        uniform uint8 u = 7;
        for (uniform int i = 0; i < n; i++) {{ uniform {body} }}
    }}
    export void gangs(uniform double to[], uniform int n) {{
        uniform uint8 u = 7;
        foreach (i = 0 ... n) {{ {body} }}
    }}
    """)
    made = compiled_for(path, target=target)
    for lanes, function in ((1, made.f), (DEVICES[target].width, made.gangs)):
        for n in (0, 1, 2, 3, 9, 40):
            to, expected, number = np.zeros(128), np.zeros(128), 7
            function(to, n)
            for first in range(0, n, lanes):
                for i in range(first, min(first + lanes, n)):
                    expected[i], expected[64 + i] = i, number + (number >> 1 & 63)
                number = 2 * number & 255 if number % 2 else number % 8
            assert to.tolist() == expected.tolist(), (lanes, n)


def test_what_the_caller_keeps_is_kept(tmp_path: Path) -> None:
    """Values around two loops, of which one is in a callee that is called in a loop."""
    text = """
    noinline uniform float total(uniform float a[], uniform int n) {
        uniform float s = 0;
        for (uniform int i = 0; i < n; i++) s += a[i];
        return s;
    }
    export void f(uniform float a[], uniform float o[], uniform int n) {
        foreach (i = 0 ... n) o[i] = a[i] * 2;
        for (uniform int k = 0; k < 3; k++) {
            uniform float s = total(a, n);
            foreach (i = 0 ... n) o[i] += s + k;
        }
    }
    """
    a = np.arange(25, dtype=F)
    o = np.zeros(25, F)
    kernel(text, tmp_path).f(a, o, 25)
    assert np.array_equal(o, a * 2 + 3 * a.sum() + 3)


def test_gnu_as_takes_the_kernels(tmp_path: Path) -> None:
    if shutil.which(GNU_AS) is None:
        pytest.skip(f"{GNU_AS} is not installed (apt: binutils-ia64-linux-gnu)")
    for parameters, body, *_ in LOOPS.values():
        job = compile_source(loop(parameters, body), "k.ispc", Options(DEVICES["ia64-x1"], level=2))
        assert ".ctop" in job.results["select"]
        assert refused_by_gnu_as(job.results["select"], tmp_path) == ""


def test_what_is_stored_next_is_not_loaded_before(tmp_path: Path) -> None:
    """A place that every iteration writes and reads: the store of the next iteration waits for the load of this one."""
    text = """
    export void f(uniform int a[], uniform int o[], uniform int n) {
        uniform int t[4] = { 0, 0, 0, 0 };
        for (uniform int i = 0; i < n; i++) {
            t[0] = a[i];
            t[a[i] & 3] = 7;
            o[i] = t[0] + t[1];
        }
    }
    """
    a = np.random.default_rng(2).integers(0, 60, 50).astype(W)
    out, t, wanted = np.zeros(50, W), [0] * 4, []
    for one in a:
        t[0] = int(one)
        t[one & 3] = 7
        wanted.append(t[0] + t[1])
    kernel(text, tmp_path).f(a, out, 50)
    assert out.tolist() == wanted
