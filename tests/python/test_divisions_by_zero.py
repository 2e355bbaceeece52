"""Varying divisions of integers by zero are exceptions in Python, in lanes that are on; the expected numbers are numpy's."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from random_programs import random_program
from some_pairs import some_pairs

import voltac
from voltac.driver import compile_source
from voltac.interpreter import Interpreter
from voltac.llvm.host import can_run
from voltac.lower.control_flow.failure_exits import can_fail
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.python import make_options
from voltac.target_info import find_target

TARGETS = [
    name
    for name in ("sse2-i32x4", "sse4-i32x4", "sse4-i8x16", "avx2-i32x8", "avx2-i16x16", "avx2-i64x4", "avx512skx-x16")
    if can_run(find_target(name))
]
QUICK = ("sse4-i32x4", "avx2-i32x8", "avx512skx-x16")
INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]


def compiled(source: str, **options: Any) -> Any:
    return voltac.compile(source, file="f.ispc", **({"target": "sse4-i32x4"} | options))


def every(kernels: Any) -> list[tuple[str, Any]]:
    return [(name, getattr(kernels, name)) for name in kernels]


# --- every type

EVERY_TYPE = (
    "".join(
        f"""
export void {name}_all(uniform T a[], uniform T b[], uniform T r[], uniform int n) {{
    foreach (i = 0 ... n) r[i] = a[i] {sign} b[i];
}}
export void {name}_some(uniform T a[], uniform T b[], uniform T r[], uniform int n) {{
    foreach (i = 0 ... n) {{
        T x = a[i];
        if (x > 50) x {sign}= b[i];
        r[i] = x;
    }}
}}
export void {name}_not_zero(uniform T a[], uniform T b[], uniform T r[], uniform int n) {{
    foreach (i = 0 ... n) r[i] = b[i] != 0 ? a[i] {sign} b[i] : (T)7;
}}
export void {name}_by_one(uniform T a[], uniform T b[], uniform T r[], uniform int n) {{
    uniform T d = b[0];
    foreach (i = 0 ... n) {{ T x = a[i]; if (x > 50) x {sign}= d; r[i] = x; }}
}}
export void {name}_vectors(uniform T a[], uniform T b[], uniform T r[], uniform int n) {{
    foreach (i = 0 ... n) {{
        T<3> x = {{ a[i], 1, 2 }}, y = {{ 1, 2, b[i] }};
        x {sign}= y;
        r[i] = x.x + x.z;
    }}
}}
"""
        for name, sign in (("divide", "/"), ("remain", "%"))
    )
    .replace("T ", "$ ")
    .replace("(T)", "($)")
    .replace("T<", "$<")
)


def expected(name: str, a: Any, b: Any) -> tuple[Any, Any]:
    """Which elements are divided by zero, and the results of a call if there is none (all numbers are positive)."""
    operate = np.floor_divide if name.startswith("divide") else np.remainder
    kind = name.partition("_")[2]
    divisor = np.full_like(b, b[0]) if kind == "by_one" else b
    on = a > 50 if kind in ("some", "by_one") else b != 0 if kind == "not_zero" else np.ones(len(a), bool)
    safe = np.where(divisor == 0, divisor.dtype.type(1), divisor)
    if kind == "vectors":
        return on & (divisor == 0), (operate(a, 1) + operate(np.full_like(b, 2), safe)).astype(a.dtype)
    otherwise = np.full_like(a, 7) if kind == "not_zero" else a
    return on & (divisor == 0), np.where(on, operate(a, safe), otherwise)


@pytest.mark.parametrize(
    ("type_", "target"),
    [
        *some_pairs(INTEGERS, [target for target in TARGETS if target in QUICK], 5),
        *(zip(["int16", "uint16"] * 2, [target for target in TARGETS if target not in QUICK], strict=False)),
    ],
)
def test_lanes_that_are_on_fail_for_every_type(type_: str, target: str) -> None:
    random = np.random.default_rng(len(type_))
    dtype = np.dtype(type_)
    # The levels are the same for all types.
    for opt in (0, 1, 2, 3) if (type_, target) == ("int16", "avx2-i32x8") else (2,):
        kernels = compiled(EVERY_TYPE.replace("$", type_), target=target, opt=opt)
        for n in (1, 7, 150):
            a, b = (random.integers(1, 100, n).astype(dtype) for _ in range(2))
            holes = b.copy()
            holes[random.integers(0, n, 1 + n // 16)] = 0
            for name, kernel in every(kernels):
                for divisors in (b, holes):
                    r = np.full_like(a, 99)
                    failing, right = expected(name, a, divisors)
                    if not failing.any():
                        kernel(a, divisors, r, n)
                        assert (r == right).all(), (name, opt, n)
                        continue
                    with pytest.raises(ZeroDivisionError, match=r"^f.ispc:\d+:\d+: integer \w+ by zero") as raised:
                        kernel(a, divisors, r, n)
                    named = str(raised.value).partition("in lane")[2]
                    lanes = {int(number) for number in named.lstrip("s ").rstrip(")").split(",")}
                    # At the first that fails where it is looked at once, else all of them.
                    assert lanes <= {index % kernels.width for index in np.flatnonzero(failing)}, (name, opt, n)
                    if opt:
                        assert (r == right)[~failing].all() or (r[~failing] == 99).any()


# --- which lanes are on

FLOW = """
typedef unsigned int Number;
static int quotient(int x, int y) { return x / y; }
noinline static int other_quotient(int x, int y) { return x / y; }
export void logical(uniform int a[], uniform int b[], uniform int r[], uniform int n) {
    foreach (i = 0 ... n) r[i] = b[i] != 0 && a[i] / b[i] >= 0 || b[i] == 0 ? 1 : 0;
}
export void returns(uniform int a[], uniform int b[], uniform int r[], uniform int n) {
    int i = programIndex;
    if (i >= n || b[i] == 0) return;
    r[i] = a[i] / b[i];
}
export void loops(uniform int a[], uniform int b[], uniform int r[], uniform int n) {
    foreach (i = 0 ... n) {
        int x = a[i], y = b[i];
        while (y != 0) { int rest = x % y; x = y; y = rest; }
        r[i] = x;
    }
}
export void coherent(uniform int a[], uniform int b[], uniform int r[], uniform int n) {
    foreach (i = 0 ... n) {
        int y = b[i], count = 0;
        cwhile (true) { cif (y == 0) break; count += a[i] / y; y--; }
        r[i] = count;
    }
}
export void continues(uniform int a[], uniform int b[], uniform int r[], uniform int n) {
    foreach (i = 0 ... n) { if (b[i] == 0) continue; r[i] = a[i] % b[i]; }
}
export void active(uniform int a[], uniform int b[], uniform int r[], uniform int n) {
    foreach (i = 0 ... n) { int x = 0; if (b[i] != 0) foreach_active (lane) x = a[i] / b[i]; r[i] = x; }
}
export void unique(uniform int a[], uniform int b[], uniform int r[], uniform int n) {
    foreach (i = 0 ... n) { int x = 0; if (b[i] != 0) foreach_unique (d in b[i]) x = a[i] / d; r[i] = x; }
}
export void tiled(uniform int a[], uniform int b[], uniform int r[], uniform int n) {
    foreach_tiled (k = 0 ... 1, i = 0 ... n) { int y = b[i]; if (y != 0) r[i] = a[i] % y; }
}
export void calls(uniform int a[], uniform int b[], uniform int r[], uniform int n) {
    foreach (i = 0 ... n) if (b[i] != 0) r[i] = quotient(a[i], b[i]) + other_quotient(a[i], b[i]);
}
export void switches(uniform int a[], uniform int b[], uniform int r[], uniform int n) {
    foreach (i = 0 ... n) switch (b[i]) { case 0: r[i] = 0; break; default: r[i] = a[i] / b[i]; }
}
export void uniform_test(uniform int a[], uniform int b[], uniform int r[], uniform int n) {
    uniform bool whole = n > 1000;
    foreach (i = 0 ... n) r[i] = whole ? a[i] / b[i] : 3;
}
export void uniform_logical(uniform int a[], uniform int b[], uniform int r[], uniform int n) {
    r[0] = n > 1000 && reduce_add(a[0] / (int)(programIndex - 1)) > 3 ? 1 : 0;
}
export void constant_zero(uniform int a[], uniform int b[], uniform int r[], uniform int n) {
    uniform bool whole = n > 1000;
    foreach (i = 0 ... n) { r[i] = whole ? a[i] / 0 : 3; if (b[i] > 1000) r[i] %= 0; }
}
export void wide(uniform int a[], uniform int b[], uniform int r[], uniform int n) {
    foreach (i = 0 ... n) { int64 y = b[i]; if (y != 0) r[i] = (int)((int64)a[i] * 1000000000000 / y >> 40); }
}
"""


@pytest.mark.parametrize(("target", "opt"), [*((target, 2) for target in TARGETS), ("sse4-i32x4", 0), ("sse4-i32x4", 1)])
def test_lanes_that_are_off_never_fail(target: str, opt: int) -> None:
    kernels = compiled(FLOW, target=target, opt=opt)
    random = np.random.default_rng(opt)
    for n in (1, 5, kernels.width, 70):
        a, b = random.integers(1, 90, n, np.int32), random.integers(0, 3, n, np.int32)
        for name, kernel in every(kernels):
            if name != "returns" or n <= kernels.width:
                kernel(a, b, np.zeros(n, np.int32), n)


@pytest.mark.parametrize("target", [target for target in TARGETS if target in QUICK])
def test_the_interpreter_of_the_typed_tree_fails_where_kernels_do(target: str) -> None:
    """The same programs with the tests of zero taken out."""
    source = FLOW.replace("b[i] != 0", "b[i] != 2").replace("y != 0", "y != 2").replace("b[i] == 0", "b[i] == 2")
    source = source.replace("y == 0", "y == 2").replace("case 0", "case 2").replace("n > 1000", "n > 3")
    names = ["logical", "continues", "active", "unique", "tiled", "calls", "switches", "uniform_test", "uniform_logical"]
    kernels = compiled(source, target=target)
    options = Options(find_target(target))
    program = compile_source(source, "f.ispc", options, Diagnostics(), end="check").program
    random = np.random.default_rng(5)
    failed = 0
    for name in names:
        for n in (2, 4, 19):
            a, b = random.integers(1, 90, n, np.int32), random.integers(random.integers(0, 2), 4, n, np.int32)
            results: list[list[int] | str] = []
            for call in (lambda *given: Interpreter(program, options).call(name, list(given)), getattr(kernels, name)):  # noqa: B023
                r = np.zeros(n, np.int32)
                try:
                    call(a, b, r, n)
                    results.append(r.tolist())
                except ZeroDivisionError as error:
                    results.append(str(error).partition(" (in")[0].rpartition(": ")[2])
            failed += isinstance(results[0], str)
            if isinstance(results[0], str):
                assert isinstance(results[1], str), (name, n, results)
            else:
                assert results[0] == results[1], (name, n, results)
    assert 5 < failed < 29


@pytest.mark.parametrize("seed", range(101, 109))
def test_random_programs_whose_divisors_may_be_zero_fail_as_the_interpreter_does(seed: int) -> None:
    source = re.sub(r"& \((\w+)\)7\) \+ \(\1\)1\)", r"& (\1)7) + (\1)0)", str(random_program(seed)))
    target = TARGETS[seed % len(TARGETS)]
    options = Options(find_target(target))
    program = compile_source(source, "f.ispc", options, Diagnostics(), end="check").program
    found: list[Any] = []
    for call in (lambda *given: Interpreter(program, options).call("test", list(given)), compiled(source, target=target).test):
        out, floats, integers = np.zeros(8192), np.zeros(8192, np.float32), np.zeros(8192, np.int32)
        try:
            call(out, floats, integers, 37)
            found.append(out.tolist())
        except ArithmeticError:  # Of several failures one is raised.
            found.append("failed")
    assert repr(found[0]) == repr(found[1])  # NaN is NaN here


# --- how functions are left

CALLS = """
typedef int (*Function)(int x, int y);
static int quotient(int x, int y) { return x / y; }
noinline static int deep(uniform int depth, int x, int y) { return depth == 0 ? x / y : deep(depth - 1, x, y) + 1; }
export void pointer(uniform int a[], uniform int b[], uniform int r[]) {
    uniform Function f = &quotient;
    r[programIndex] = f(a[programIndex], b[programIndex]);
}
export void recursion(uniform int a[], uniform int b[], uniform int r[]) {
    r[programIndex] = deep(3, a[programIndex], b[programIndex]) - 3;
}
export void plain(uniform int a[], uniform int b[], uniform int r[]) { r[programIndex] = a[programIndex] / b[programIndex]; }
export void exported(uniform int a[], uniform int b[], uniform int r[]) { plain(a, b, r); r[0] = r[0]; }
task void one(uniform int a[], uniform int b[], uniform int r[]) {
    int i = taskIndex * programCount + programIndex;
    r[i] = a[i] / b[i];
}
export void tasks(uniform int a[], uniform int b[], uniform int r[], uniform int n) { launch[n] one(a, b, r); }
export uniform int sum(uniform int a[], uniform int b[], uniform int n) {
    int total = 0;
    foreach (i = 0 ... n) total += a[i] / b[i];
    return reduce_add(total);
}
"""


@pytest.mark.parametrize("opt", [0, 2])
def test_functions_and_tasks_fail_where_they_are_left(opt: int) -> None:
    kernels = compiled(CALLS, opt=opt)
    width, tasks = kernels.width, 40
    a, b = np.arange(width * tasks, dtype=np.int32), np.full(width * tasks, 3, np.int32)
    for name in ("pointer", "recursion", "plain", "exported"):
        r = np.zeros(width, np.int32)
        getattr(kernels, name)(a, b, r)
        assert r.tolist() == [index // 3 for index in range(width)], name
        zero = b.copy()
        zero[2] = 0
        with pytest.raises(ZeroDivisionError, match=r"integer division by zero \(in lane 2\)$"):
            getattr(kernels, name)(a, zero, r)
    r = np.zeros_like(a)
    kernels.tasks(a, b, r, tasks)
    assert (r == a // 3).all() and kernels.sum(a, b, len(a)) == (a // 3).sum()
    b[4 * width + 1] = 0
    with pytest.raises(ZeroDivisionError, match=r"f.ispc:\d+:12: integer division by zero \(in lane 1\)$"):
        kernels.tasks(a, b, r, tasks)
    with pytest.raises(ZeroDivisionError):
        kernels.sum(a, b, len(a))
    b[4 * width + 1] = 1
    kernels.tasks(a, b, r, tasks)


def test_what_a_quotient_leads_to_is_not_reached() -> None:
    """Addresses and the ends of loops: the process would end there, or the loop would not."""
    kernels = compiled(
        """export void reads(uniform int a[], uniform int b[], uniform int r[], uniform int n) {
    foreach (i = 0 ... n) r[i] = a[(i * 100000) / b[i]];
}
export void writes(uniform int a[], uniform int b[], uniform int r[], uniform int n) {
    foreach (i = 0 ... n) if (b[i] < 3) r[(i * 100000) % b[i]] = a[i];
}
export void by_one(uniform int a[], uniform int b[], uniform int r[], uniform int n) {
    uniform int d = b[0];
    foreach (i = 0 ... n) r[i] = a[i / d];
}
export void searches(uniform int a[], uniform int b[], uniform int r[], uniform int n) {
    foreach (i = 0 ... n) {
        int x = a[i];
        while (x / b[i] != 0) x = x - 1 > 0 ? x - 1 : 5;
        r[i] = x;
    }
}
export void local(uniform int a[], uniform int b[], uniform int r[], uniform int n) {
    foreach (i = 0 ... n) {
        int kept[2];
        kept[0] = a[i] / b[i];
        kept[1] = 1;
        r[i] = a[kept[i & 1]];
    }
}
""",
        target=TARGETS[-1],
    )
    zeros = np.zeros(40, np.int32)
    for _, kernel in every(kernels):
        with pytest.raises(ZeroDivisionError, match="by zero"):
            kernel(np.arange(1, 41, dtype=np.int32), zeros, np.zeros(40, np.int32), 40)


GUARDS = """
noinline static void put(uniform int r[], uniform int at, uniform int x) { r[at] = x; }
export void masked(uniform int a[], uniform int b[], uniform int r[], uniform int n) {
    foreach (i = 0 ... n) if (a[i] / b[i] < 5) r[i] = i;
}
export void by_one(uniform int a[], uniform int b[], uniform int r[], uniform int n) {
    uniform int d = b[0];
    foreach (i = 0 ... n) if (i / d < 5) r[i] = i;
}
export void scattered(uniform int a[], uniform int b[], uniform int r[], uniform int n) {
    foreach (i = 0 ... n) if (a[i] / b[i] < 5) r[(i * 7) % n] = i;
}
export void coherent(uniform int a[], uniform int b[], uniform int r[], uniform int n) {
    foreach (i = 0 ... n) cif (a[i] % b[i] < 5) r[i] = i;
}
export void reduced(uniform int a[], uniform int b[], uniform int r[], uniform int n) {
    uniform int q = reduce_min(a[programIndex] / b[programIndex]);
    if (q < 5) r[n / 2] = q;
}
export void called(uniform int a[], uniform int b[], uniform int r[], uniform int n) {
    uniform int q = reduce_min(a[programIndex] / b[programIndex]);
    if (q < 5) put(r, n / 2, 1);
}
export void copied(uniform int a[], uniform int b[], uniform int r[], uniform int n) {
    memcpy(r, a, reduce_max(a[programIndex] / b[programIndex]) != 5 ? 12 : 8);
}
export void asserted(uniform int a[], uniform int b[], uniform int r[], uniform int n) {
    foreach (i = 0 ... n) { int q = a[i] / b[i]; assert(q == 5); }
}
"""


@pytest.mark.parametrize("target", TARGETS)
def test_what_a_quotient_guards_is_not_reached(target: str) -> None:
    """A store that only the quotient keeps off is outside of the arrays, maybe."""
    kernels = compiled(GUARDS, target=target)
    n = 3 * kernels.width
    for name, kernel in every(kernels):
        r = np.full(n, 99, np.int32)
        with pytest.raises(ZeroDivisionError, match="by zero"):
            kernel(np.arange(1, n + 1, dtype=np.int32), np.zeros(n, np.int32), r, n)
        assert (r == 99).all(), name


@pytest.mark.parametrize("target", [target for target in TARGETS if target in QUICK])
def test_what_is_stored_before_stays_and_the_places_are_named(target: str) -> None:
    kernels = compiled(
        """export void f(uniform int a[], uniform int b[], uniform int r[], uniform int n) {
    foreach (i = 0 ... n) {
        int x = a[i] / b[i];
        x += a[i] % (b[i] - 1);
        x += a[i] / (b[i] - 2);
        x += a[i] / (b[i] - 3);
        r[i] = x;
    }
}
export void two(uniform int a[], uniform int b[], uniform int r[], uniform int n) {
    foreach (i = 0 ... n) {
        int x = a[i] / b[i];
        x += a[i] % (b[i] - 1);
        r[i] = x;
    }
}
""",
        target=target,
    )
    a, b, r = np.arange(100, dtype=np.int32), np.full(100, 5, np.int32), np.zeros(100, np.int32)
    b[50] = 1
    with pytest.raises(ZeroDivisionError, match=r"^f.ispc:13:14: integer remainder by zero \(in lane \d+\)$"):
        kernels.two(a, b, r, 100)
    right = a // 5 + a % 4
    assert (np.delete(r, 50) == np.delete(right, 50)).all()
    text = r"^f.ispc:3:17: integer division by zero \(or at f.ispc:4:14, f.ispc:5:14, f.ispc:6:14\) \(in lane \d+\)$"
    with pytest.raises(ZeroDivisionError, match=text):
        kernels.f(a, b, r, 100)


def test_divisors_that_cannot_be_zero_are_not_looked_at() -> None:
    source = """
export void known(uniform int a[], uniform int b[], uniform int r[], uniform int n) {
    foreach (i = 1 ... n) {
        int y = b[i];
        r[i] = a[i] / 7 + a[i] / i + a[i] / (y | 1) + a[i] / max(y, 1) + a[i] / ((y & 255) + 1)
            + (y != 0 ? a[i] / y : 0) + (y > 2 ? a[i] % y : 0) + a[i] / (y > 0 ? y : 1);
        if (y != 0) r[i] += a[i] % y;
    }
}
"""
    kernels = compiled(source, target="avx2-i32x8")
    assert "voltac.fail" not in kernels.assembly("known")
    asked = compiled(source.replace("(y | 1)", "(y & 1)"), target="avx2-i32x8")
    assert "voltac.fail" in asked.assembly("known")


def test_c_programs_are_not_changed() -> None:
    source = EVERY_TYPE.replace("$", "int64") + FLOW.replace("quotient", "ratio") + CALLS
    for target in TARGETS:
        lowered = compile_source(source, "f.ispc", Options(find_target(target)), Diagnostics(), end="lower").results["lower"]
        assert "volta.divisor" not in lowered and "voltac.fail" not in lowered and "vector.reduce.or" not in lowered


def test_kernels_that_divide_by_what_varies_are_guarded() -> None:
    options = make_options(target="sse4-i32x4")
    source = """
export void may(uniform int a[], uniform int n) { foreach (i = 0 ... n) a[i] = 3 / a[i]; }
export void may_too(uniform int a[], uniform int n) { foreach (i = 0 ... n) a[i] %= n; }
export void may_not(uniform int a[], uniform float b[], uniform int n) { foreach (i = 0 ... n) { a[i] /= 3; b[i] /= a[i]; } }
"""
    program = compile_source(source, "f.ispc", options, end="check").program
    found = {function.name: can_fail(function, options) for function in program.exports}
    assert found == {"may": True, "may_too": True, "may_not": False}


def test_on_a_device_the_run_ends_and_arrays_stay_as_they_were() -> None:
    source = EVERY_TYPE.replace("$", "int32") + "".join(
        f"export void short_{type_}(uniform {type_} a[], uniform {type_} b[], uniform {type_} r[], uniform int n) {{"
        " foreach (i = 0 ... n) r[i] = a[i] / b[i]; }\n"
        for type_ in ("int8", "uint16", "int64")
    )
    for launch in ({}, {"cores": 2, "threads": 2}):
        kernels = voltac.compile(source, target="naplespu", file="f.ispc", launch=launch)
        for name, kernel in every(kernels) if not launch else [("divide_all", kernels.divide_all)]:
            dtype = name.partition("_")[2] if name.startswith("short") else "int32"
            a, b = np.arange(1, 41).astype(dtype), np.full(40, 3, dtype)
            b[33] = 0
            for divisors in (b, np.maximum(b, 2)):
                failing, right = expected("divide_all" if name.startswith("short") else name, a, divisors)
                r = np.full_like(a, 9)
                if failing.any():
                    with pytest.raises(ZeroDivisionError, match=r"by zero \(in lane 1\) \(core \d, thread \d\)$"):
                        kernel(a, divisors, r, 40)
                    assert (r == 9).all()
                else:
                    kernel(a, divisors, r, 40)
                    assert (r == right).all(), name
