"""Lanes that change rows of their own do one row after the other: as ordered, and nothing else."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from passed_text import passed
from row_kernels import TARGETS, TYPES, check_fenced, every_size
from some_pairs import some_pairs

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import find_target

HEAD = "(uniform T to[], const uniform T from[], const uniform int order[], uniform int n, uniform int m) {"
Cell = Callable[[np.ndarray, np.ndarray, np.ndarray, int, int, int, int, int], int]
"""What is stored for lane x in iteration y, given to, from, order, x, y, n, m and the width of the gang."""
KERNELS: dict[str, tuple[str, Cell]] = {
    "scaled": ("to[x * m + y] = from[x * m + y] * 2 + 1;", lambda t, f, o, x, y, n, m, w: f[x * m + y] * 2 + 1),
    "outer": ("to[x * m + y] = from[y] + from[x];", lambda t, f, o, x, y, n, m, w: f[y] + f[x]),
    "counted": ("to[x * m + y] += (T)(x + y);", lambda t, f, o, x, y, n, m, w: t[x * m + y] + x + y),
    "first": ("to[x * m + y] += to[y];", lambda t, f, o, x, y, n, m, w: t[x * m + y] + t[y]),
    "fifth": ("to[x * m + y] += to[4 * m + y];", lambda t, f, o, x, y, n, m, w: t[x * m + y] + t[4 * m + y]),
    "fifth_changed": (
        "to[x * m + y] += 1; to[x * m + y] += to[4 * m + y];",
        lambda t, f, o, x, y, n, m, w: t[x * m + y] + 1 + t[4 * m + y] + (n > 4 and x // w == 4 // w),
    ),
    "bounded": (
        "T v = from[x * m + y]; to[x * m + y] = v > from[x] ? min(v, (T)7) : abs(v);",
        lambda t, f, o, x, y, n, m, w: min(f[x * m + y], 7) if f[x * m + y] > f[x] else abs(f[x * m + y]),
    ),
    "in_order": ("to[row + y] = from[x * m + y];", lambda t, f, o, x, y, n, m, w: f[x * m + y]),
    "some": ("to[x * m + y] = from[x * m + y];", lambda t, f, o, x, y, n, m, w: f[x * m + y]),
}
CONDITIONS = {"some": "if (from[x] > 20)", "first": "", "in_order": ""}
SOURCE = "\n".join(
    f"export void {name}{HEAD}\n    foreach (x = 0 ... n) {CONDITIONS.get(name, '')} {{ int row = order[x] * m;"
    f" for (uniform int y = 0; y < m; y++) {{ {body} }} }}\n}}"
    for name, (body, cell) in KERNELS.items()
)
SHAPES = [(8, 4), (21, 9), (9, 16), (13, 31), (6, 40), (9, 3), (0, 4)]


def expected(kernel: str, source: np.ndarray, order: np.ndarray, n: int, m: int, width: int) -> np.ndarray:
    """Gang by gang, iteration by iteration, all lanes at once."""
    result = source.copy()
    cell = KERNELS[kernel][1]
    for start in range(0, n, width):
        lanes = [x for x in range(start, min(n, start + width)) if kernel != "some" or source[x] > 20]
        for y in range(m):
            values = [cell(result, source, order, x, y, n, m, width) for x in lanes]
            for x, value in zip(lanes, values, strict=True):
                result[(order[x] if kernel == "in_order" else x) * m + y] = np.array(value).astype(source.dtype)
    return result


def in_turn(source: str, target: str = "avx2-i32x8") -> bool:
    return ".row.next:" in passed(source, target)


def case(kind: str, n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows in ascending order, but for some where two are the same, or fall."""
    random = np.random.default_rng(n)
    order = np.arange(n) if m % 2 else random.integers(0, max(1, n), n)
    return random.integers(-9 if n % 2 else 0, 40, max(n, 5) * m).astype(TYPES[kind]), order.astype(np.int32)


@pytest.mark.parametrize(("kind", "target"), some_pairs(TYPES, TARGETS, len(TYPES)))
def test_each_element_is_what_it_was_in_the_order_of_the_loop(kind: str, target: str) -> None:
    """By the interpreter of the IR, where an access outside of an array is an error, as is poison."""
    text = passed(SOURCE.replace("T ", f"{kind} ").replace("(T)", f"({kind})"), target)
    assert text.count(".row.next:") >= len(KERNELS)
    ir, width = read(text), find_target(target).width
    for number, (kernel, (n, m)) in enumerate(product(KERNELS, SHAPES)):
        if number % 2 and not kernel.startswith(("first", "fifth")):
            continue
        given, order = case(kind, n, m)
        to, wanted = given.copy(), expected(kernel, given, order, n, m, width)
        IRInterpreter(ir).call(kernel, [to, given, order, n, m])
        assert to.tolist() == wanted.tolist(), (kernel, n, m)


@every_size
def test_nothing_beyond_the_arrays_is_touched(kind: str, target: str) -> None:
    width = find_target(target).width
    calls = (
        (kernel, given, given, (order, n, m), expected(kernel, given, order, n, m, width))
        for kernel, (n, m) in product(KERNELS, SHAPES)
        if n >= 5
        for given, order in [case(kind, n, m)]
    )
    check_fenced(SOURCE.replace("T ", f"{kind} ").replace("(T)", f"({kind})"), target, calls)


ROWS = f"""export void f{HEAD}
    foreach (x = 0 ... n) {{
        for (uniform int y = 0; y < m; y++) to[x * m + y] = from[x * m + y] * 2;
    }}
}}
"""
ROWS = ROWS.replace("T ", "int ")


def test_rows_that_lie_closer_than_they_are_long_are_stored_in_the_order_of_the_loop() -> None:
    source = ROWS.replace("to[x * m", "to[x * apart").replace("{\n", "{\n    uniform int apart = order[0];\n", 1)
    assert in_turn(source)
    n, m = 11, 9
    given = np.arange(n * m, dtype=np.int32)
    for apart in (-10, -9, -4, -1, 0, 1, 3, 8, 9, 12):
        first = max(0, -apart * (n - 1))
        to, wanted = np.zeros((2, first + abs(apart) * n + m), np.int32)
        for start, y in product(range(0, n, 8), range(m)):
            for x in range(start, min(n, start + 8)):
                wanted[first + x * apart + y] = 2 * given[x * m + y]
        moved = source.replace("to[x * apart + y]", f"to[{first} + x * apart + y]")
        IRInterpreter(read(passed(moved))).call("f", [to, given, np.array([apart], np.int32), n, m])
        assert to.tolist() == wanted.tolist(), apart


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("= from[x * m + y]", "= to[x * m + y - 1]"),  # of the iteration before
        ("= from[x * m + y]", "= to[x * m]"),
        ("= from[x * m + y]", "= to[0] + from[x * m + y]"),
        ("= from[x * m + y]", "= from[y * n + x]"),  # lanes are beside each other there
        ("to[x * m + y]", "to[x * m + 2 * y]"),
        ("to[x * m + y]", "to[x * 4 + y]"),  # structs
        ("* 2;", "* 2, order[x];"),
        ("y++) to", "y++) if (from[y] > x) to"),
        ("to[x * m + y] =", "to[x] +="),
    ],
)
def test_other_loops_are_left_as_they_are(before: str, after: str) -> None:
    changed = ROWS.replace(before, after)
    assert changed != ROWS and in_turn(ROWS)
    if "order[x]" in after:
        changed = ROWS.replace("{\n        for", "{ int sum = 0;\n        for").replace("* 2;", "* 2 + (sum += y);")
    assert not in_turn(changed)


def test_what_is_told_is_told_of_the_rows() -> None:
    options = Options(find_target("avx2-i32x8"), 3)
    reports = compile_source(ROWS, "f.ispc", options, Diagnostics(), end="passes").access_reports
    reason = "each lane changes a row of its own, so one row is done after the other"
    told = {(each.kind, each.operation) for each in reports if each.reason == reason}
    assert told == {("vector", "store"), ("vector", "load")}
