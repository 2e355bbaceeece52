"""Lanes that store to rows of their own store several elements at a time: as ordered, and nothing else."""

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
KERNELS = {
    "transposed": "to[x * m + y] = from[y * n + x];",
    "backwards": "to[(x - (n - 1)) * (-m) + y] = from[y * n + x] + 1;",
    "turned": "to[x * m + (m - 1 - y)] = from[y * n + x];",
    "some": "if (from[x] > 1) to[y + m * x] = from[y * n + x];",
    "in_order": "to[order[x] * m + y] = from[y * n + x];",
}
SOURCE = "\n".join(
    f"export void {name}{HEAD}\n    for (uniform int y = 0; y < m; y++)\n        foreach (x = 0 ... n) {{ {body} }}\n}}"
    for name, body in KERNELS.items()
)
SHAPES = [(8, 4), (21, 9), (16, 8), (13, 5), (9, 3), (3, 7), (5, 1), (0, 4)]


def expected(kernel: str, source: np.ndarray, order: np.ndarray, n: int, m: int) -> np.ndarray:
    result = np.zeros(n * m, source.dtype)
    for y, x in product(range(m), range(n)):
        value = source[y * n + x]
        if kernel == "turned":
            result[x * m + m - 1 - y] = value
        elif kernel == "backwards":
            result[(n - 1 - x) * m + y] = value + 1
        elif kernel != "some" or source[x] > 1:
            result[(order[x] if kernel == "in_order" else x) * m + y] = value
    return result


def in_rows(source: str, target: str = "avx2-i32x8") -> bool:
    return ".rows.choice:" in passed(source, target)


def case(kind: str, n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Some of the places are the same: the last lane's value stays."""
    random = np.random.default_rng(n)
    return random.integers(0, 100, n * m).astype(TYPES[kind]), random.integers(0, max(1, n), n).astype(np.int32)


@pytest.mark.parametrize(("kind", "target"), some_pairs(TYPES, TARGETS, len(TARGETS)))
def test_each_element_is_in_its_place(kind: str, target: str) -> None:
    """By the interpreter of the IR, where an access outside of an array is an error, as is poison."""
    text = passed(SOURCE.replace("T ", f"{kind} "), target)
    assert text.count(".rows.choice:") == len(KERNELS)
    interpreter = IRInterpreter(read(text))
    for kernel, (n, m) in product(KERNELS, SHAPES):
        given, order = case(kind, n, m)
        to = np.zeros(n * m, given.dtype)
        interpreter.call(kernel, [to, given, order, n, m])
        assert to.tolist() == expected(kernel, given, order, n, m).tolist(), (kernel, n, m)


@every_size
def test_nothing_beyond_the_arrays_is_touched(kind: str, target: str) -> None:
    calls = (
        (kernel, np.zeros_like(given), given, (order, n, m), expected(kernel, given, order, n, m))
        for kernel, (n, m) in product(KERNELS, SHAPES)
        for given, order in [case(kind, n, m)]
    )
    check_fenced(SOURCE.replace("T ", f"{kind} "), target, calls)


TRANSPOSE = f"""export void f{HEAD}
    for (uniform int y = 0; y < m; y++) {{
        foreach (x = 0 ... n) to[x * m + y] = from[y * n + x];
    }}
}}
"""
TRANSPOSE = TRANSPOSE.replace("T ", "int ")


def test_rows_that_lie_closer_than_a_block_are_stored_in_the_order_of_the_loop() -> None:
    """Each later iteration writes over what the one before stored for the next lane."""
    source = TRANSPOSE.replace("to[x * m + y]", "to[x * order[0] + y]")
    source = source.replace("{\n", "{\n    uniform int apart = order[0];\n", 1).replace("x * order[0]", "x * apart")
    assert in_rows(source)
    n, m = 11, 9
    given = np.arange(n * m, dtype=np.int32)
    for apart in (-5, -4, -3, -1, 0, 1, 2, 3, 4, 6):
        first = max(0, -apart * (n - 1))
        to, wanted = np.zeros((2, first + abs(apart) * n + m), np.int32)
        for y, x in product(range(m), range(n)):
            wanted[first + x * apart + y] = given[y * n + x]
        moved = source.replace("to[x * apart + y]", f"to[{first} + x * apart + y]")
        IRInterpreter(read(passed(moved))).call("f", [to, given, np.array([apart], np.int32), n, m])
        assert to.tolist() == wanted.tolist(), apart


def test_two_arrays_and_a_number_known_now() -> None:
    source = TRANSPOSE.replace("uniform int n", "uniform int other[], uniform int n")
    source = source.replace(
        "to[x * m + y] = from[y * n + x];", "{ to[x * 16 + y] = from[y * n + x] * 2; other[x * m + y] = y; }"
    )
    assert in_rows(source)
    n, m = 10, 7
    given, to, other = np.arange(n * m, dtype=np.int32), np.zeros(16 * n, np.int32), np.zeros(n * m, np.int32)
    IRInterpreter(read(passed(source))).call("f", [to, given, np.zeros(1, np.int32), other, n, m])
    assert to.reshape(n, 16)[:, :m].tolist() == (2 * given.reshape(m, n).T).tolist()
    assert other.reshape(n, m).tolist() == [list(range(m))] * n


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("= from[y * n + x]", "= to[y * n + x]"),  # may have been stored before
        ("= from[y * n + x]", "= to[0] + from[y * n + x]"),
        ("x * m + y]", "x * m + 2 * y]"),
        ("x * m + y]", "x * m - y]"),
        ("x * m + y]", "x * (m + y) + y]"),  # rows that are not
        ("0 ... n)", "0 ... y)"),
        ("foreach (x = 0 ... n)", "foreach (x = 0 ... n) if (from[y] > 0)"),
        ("= from[y * n + x];", "= from[y * n + x]; to[y] = y;"),
    ],
)
def test_other_loops_are_left_as_they_are(before: str, after: str) -> None:
    changed = TRANSPOSE.replace(before, after)
    assert changed != TRANSPOSE and in_rows(TRANSPOSE)
    assert not in_rows(changed)


def test_what_is_told_is_told_of_the_rows() -> None:
    options = Options(find_target("avx2-i32x8"), 3)
    reports = compile_source(TRANSPOSE, "f.ispc", options, Diagnostics(), end="passes").access_reports
    assert {(report.kind, report.reason) for report in reports if report.operation == "store"} == {
        ("shuffled", "one store a lane serves 4 iterations")
    }
