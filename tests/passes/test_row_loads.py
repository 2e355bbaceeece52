"""Lanes that load from rows of their own in a loop around a foreach load several elements at a time: what numpy says."""

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

HEAD = "(uniform T to[], const uniform T from[], uniform int n, uniform int m) {"
KERNELS = {
    "transposed": "to[y * m + x] = from[x * n + y];",
    "backwards": "to[(n - 1 - y) * m + x] = from[x * n + (n - 1 - y)] + 1;",
    "some": "if (from[x] > 20) to[y * m + x] = from[x * n + y];",
    "behind": "if (x > 1) to[y * m + x] = from[(x - 2) * n + y] + from[x * n + y];",
}
SOURCE = "\n".join(
    f"export void {name}{HEAD}\n    for (uniform int y = 0; y < n; y++)\n        foreach (x = 0 ... m) {{ {body} }}\n}}"
    for name, body in KERNELS.items()
)
SHAPES = [(8, 4), (21, 9), (16, 8), (13, 5), (9, 3), (3, 7), (5, 17), (0, 4)]


def expected(kernel: str, source: np.ndarray, n: int, m: int) -> np.ndarray:
    rows, result = source.reshape(m, n), np.zeros((n, m), source.dtype)
    if kernel == "transposed":
        result[:] = rows.T
    elif kernel == "backwards":
        result[:] = rows.T + source.dtype.type(1)
    elif kernel == "some":
        on = source[:m] > 20
        result[:, on] = rows.T[:, on]
    else:
        result[:, 2:] = (rows[:-2] + rows[2:]).T
    return result.ravel()


def in_rows(source: str, target: str = "avx2-i32x8") -> bool:
    return ".rows.choice:" in passed(source, target)


def case(kind: str, n: int, m: int) -> np.ndarray:
    return np.random.default_rng(n).integers(0, 50, max(n, 1) * m)[: n * m].astype(TYPES[kind])


@pytest.mark.parametrize(("kind", "target"), some_pairs(TYPES, TARGETS, len(TARGETS)))
def test_each_element_is_in_its_place(kind: str, target: str) -> None:
    """By the interpreter of the IR, where an access outside of an array is an error, as is poison."""
    text = passed(SOURCE.replace("T ", f"{kind} "), target)
    assert text.count(".rows.choice:") >= 3
    ir = read(text)
    for kernel, (n, m) in product(KERNELS, SHAPES):
        if n == 0 and kernel == "some":
            continue
        given = case(kind, n, m)
        to = np.zeros(n * m, given.dtype)
        IRInterpreter(ir).call(kernel, [to, given, n, m])
        assert to.tolist() == expected(kernel, given, n, m).tolist(), (kernel, n, m)


@every_size
def test_nothing_beyond_the_arrays_is_touched(kind: str, target: str) -> None:
    calls = (
        (kernel, np.zeros_like(given), given, (n, m), expected(kernel, given, n, m))
        for kernel, (n, m) in product(KERNELS, SHAPES)
        for given in [case(kind, n, m)]
    )
    check_fenced(SOURCE.replace("T ", f"{kind} "), target, calls)


TRANSPOSE = f"""export void f{HEAD}
    for (uniform int y = 0; y < n; y++) {{
        foreach (x = 2 ... m) to[y * m + x] = from[x * n + y];
    }}
}}
"""
TRANSPOSE = TRANSPOSE.replace("T ", "int ")


def test_lines_that_lie_closer_than_they_are_long_are_stored_in_the_order_of_the_loop() -> None:
    """Each later iteration writes over what the one before stored."""
    source = TRANSPOSE.replace("to[y * m", "to[y * apart").replace("{\n", "{\n    uniform int apart = from[0];\n", 1)
    assert in_rows(source)
    n, m = 11, 19
    for apart in (-19, -17, -16, -8, -1, 0, 1, 4, 8, 16, 17, 20):
        given = np.arange(n * m, dtype=np.int32)
        given[0] = apart
        first = max(0, -apart * (n - 1))
        to, wanted = np.zeros((2, first + abs(apart) * n + m), np.int32)
        for y, x in product(range(n), range(2, m)):
            wanted[first + y * apart + x] = given[x * n + y]
        moved = source.replace("to[y * apart + x]", f"to[{first} + y * apart + x]")
        IRInterpreter(read(passed(moved))).call("f", [to, given, n, m])
        assert to.tolist() == wanted.tolist(), apart


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("= from[x * n + y]", "= to[x * n + y]"),  # may have been stored before
        ("= from[x * n + y]", "= to[0] + from[x * n + y]"),
        ("= from[x * n + y]", "= from[x * n + 2 * y]"),
        ("= from[x * n + y]", "= from[x + n * y]"),
        ("to[y * m + x]", "to[y + x]"),
        ("to[y * m + x]", "to[y * m + 3 * x]"),
        ("to[y * m + x]", "to[y * y * m + x]"),
        ("to[y * m + x]", "to[x]"),
        ("2 ... m)", "y ... m)"),
        ("= from[x * n + y];", "= from[x * n + y]; to[y] = y;"),
    ],
)
def test_other_loops_are_left_as_they_are(before: str, after: str) -> None:
    changed = TRANSPOSE.replace(before, after)
    assert changed != TRANSPOSE and in_rows(TRANSPOSE)
    assert not in_rows(changed)


def test_what_is_told_is_told_of_the_rows() -> None:
    options = Options(find_target("avx2-i32x8"), 3)
    reports = compile_source(TRANSPOSE, "f.ispc", options, Diagnostics(), end="passes").access_reports
    told = {(report.kind, report.reason) for report in reports if report.operation == "load"}
    assert ("shuffled", "one load a lane serves 4 iterations") in told
