"""Selections by conditions that exclude each other, and of lanes still in a loop: each lane is what it would be alone."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from judged_kernels import JudgedKernels

from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.pass_runs import PassRuns
from voltac.pipeline import Watch
from voltac.target_info import find_target

HEAD = "(uniform int a[], const uniform int b[], const uniform int c[], uniform int n)"


def collatz(x: int, y: int) -> int:
    steps = 0
    while x > 1:
        x = 3 * x + 1 if x & 1 else x >> 1
        steps += 1
    return steps


def divisor(x: int, y: int) -> int:
    while x != y:
        if x > y:
            x -= y
        else:
            y -= x
    return x


def halves(x: int, y: int) -> int:
    while x > 3:
        y = x
        x = x // 2 if x & 1 else x - 3
    return 1000 * x + y


def table(x: int, y: int) -> int:
    total = 0
    while x < 60:
        total += x * y
        x += 1 + (y & 3)
    return total


def left(x: int, y: int) -> int:
    k = 0
    while k < 30:
        if x & 7 == 5:
            break
        x = x * 3 & 1023
        k += 1
    return k


def ways(x: int, y: int) -> int:
    if x < 20:
        y = 2 * x
    elif y < 40:
        y = x + 1
    elif x < y:
        y = 3 - x
        if y < -30:
            y = x
    elif x + y < 80:
        y = x ^ 5
    else:
        y += 1
    return y


def twice(x: int, y: int) -> int:
    if x < 50:
        x += y
    else:
        x -= y
    if x < 50:
        x = 50 - x
    return x


CASES: dict[str, tuple[str, Callable[[int, int], int]]] = {
    "collatz": ("int s = 0; while (x > 1) { if (x & 1) x = 3 * x + 1; else x = x >> 1; s++; } a[i] = s;", collatz),
    "divisor": ("while (x != y) { if (x > y) x -= y; else y -= x; } a[i] = x;", divisor),
    "halves": ("while (x > 3) { y = x; if (x & 1) x = x / 2; else x -= 3; } a[i] = 1000 * x + y;", halves),
    "table": ("int s = 0; while (x < 60) { s += b[i - x + x] * 0 + x * y; x += 1 + (y & 3); } a[i] = s;", table),
    "left": ("int k = 0; while (k < 30) { if ((x & 7) == 5) break; x = x * 3 & 1023; k++; } a[i] = k;", left),
    "ways": (
        "if (x < 20) y = 2 * x; else if (y < 40) y = x + 1; else if (x < y) { y = 3 - x; if (y < -30) y = x; }"
        " else if (x + y < 80) y = x ^ 5; else y += 1; a[i] = y;",
        ways,
    ),
    "twice": ("if (x < 50) x += y; else x -= y; if (x < 50) x = 50 - x; a[i] = x;", twice),
}
SOURCES = {
    name: f"export void {name}{HEAD} {{ foreach (i = 0 ... n) {{ int x = b[i], y = c[i]; {body} }} }}"
    for name, (body, _) in CASES.items()
}


def passed(source: str, target: str = "avx2-i32x8") -> str:
    watch = Watch(passes=PassRuns(stop_after="choose_once"))
    text = compile_source(source, "f.ispc", Options(find_target(target), 3), Diagnostics(), watch=watch).stopped
    assert text is not None
    return text


@pytest.mark.parametrize("target", ["avx2-i32x8", "sse4-i32x4", "avx512skx-x16"])
def test_each_lane_is_what_it_would_be_alone(target: str) -> None:
    kernels, random = JudgedKernels("\n".join(SOURCES.values()), target), np.random.default_rng(1)
    for n in (1, 16, 53):
        b, c = (random.integers(1, 100, n).astype(np.int32) for _ in range(2))
        for name, (_, alone) in CASES.items():
            wanted = np.array([alone(int(x), int(y)) for x, y in zip(b, c)], np.int32)
            kernels.expect(name, [np.zeros(n, np.int32), b, c], (n,), wanted, interpreted=n == 16)
    kernels.check()


def selections(name: str, of: str) -> int:
    """Of vectors of ints in whole gangs."""
    text = passed(SOURCES[name])
    return sum(of in line for line in text[: text.index(".finished:")].splitlines())


def test_what_a_loop_carries_on_is_chosen_by_its_condition_alone() -> None:
    assert selections("collatz", "select <8 x i1>") == 2, "by the lowest bit; and steps, which are used behind the loop"
    assert selections("divisor", "select <8 x i1>") == 2, "x and y, of which only y is used by the loop alone"


def test_what_is_used_behind_a_loop_is_held_fast() -> None:
    assert len(re.findall(r"= select <8 x i1>", passed(SOURCES["halves"]))) >= 4


def test_a_chain_of_conditions_takes_no_masks() -> None:
    text = passed(SOURCES["ways"])
    gang = text[: text.index(".finished:")]
    assert " and <8 x i" not in gang
    assert gang.count(" = select <8 x i1>") == 5
