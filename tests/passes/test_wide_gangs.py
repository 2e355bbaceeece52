"""Loops over bytes and short integers do several gangs at once, with the same results, where gangs do not meet."""

from __future__ import annotations

import numpy as np
import pytest

import voltac
from voltac.driver import compile_source
from voltac.llvm import can_run
from voltac.options import Options
from voltac.target_info import find_target

TARGETS = ["sse4-i32x4", "avx2-i32x8", "avx512skx-x16"]
HEAD = "export void f(uniform unsigned int8 p[], uniform unsigned int8 q[], uniform int n) { foreach (i = 0 ... n) { "
TAIL = " } }"


def is_widened(body: str, target: str = "avx2-i32x8", head: str = HEAD) -> bool:
    made = compile_source(head + body + TAIL, "f.ispc", Options(find_target(target), whole_program=True), end="passes")
    return ".wide_body:" in made.results["passes"]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("q[i] = q[i] + p[i];", lambda p, q: q + p),
        ("q[i] = p[i] > 100 ? p[i] - q[i] : 7;", lambda p, q: np.where(p > 100, p - q, 7).astype(np.uint8)),
        (
            "q[i] = (p[i] * 77 + q[i] * 151) >> 8;",
            lambda p, q: ((p.astype(int) * 77 + q.astype(int) * 151) >> 8).astype(np.uint8),
        ),
        ("if (p[i] < 50) q[i] = 1; else q[i] = p[i] ^ q[i];", lambda p, q: np.where(p < 50, 1, p ^ q).astype(np.uint8)),
    ],
)
def test_every_length_gives_numpys_result(target: str, body: str, expected: object) -> None:
    assert is_widened(body, target)
    if not can_run(find_target(target)):
        pytest.skip(f"this CPU cannot run {target}")
    kernel = voltac.compile(HEAD + body + TAIL, target=target).f
    numbers = np.random.default_rng(1)
    for n in [*range(0, 70, 3), 127, 128, 129, 200]:
        p, q = (numbers.integers(0, 256, n, dtype=np.uint8) for _ in range(2))
        wanted = expected(p, q)  # type: ignore[operator]
        kernel(p, q, n)
        assert np.array_equal(q, wanted), n


@pytest.mark.parametrize("target", TARGETS)
def test_colours_are_swapped_at_every_length(target: str) -> None:
    source = (
        "struct C { unsigned int8 r, g, b; };"
        "export void f(uniform C p[], uniform C q[], uniform int n) {"
        "  foreach (i = 0 ... n) { q[i].r = p[i].b; q[i].g = p[i].g; q[i].b = p[i].r; } }"
    )
    if not can_run(find_target(target)):
        pytest.skip(f"this CPU cannot run {target}")
    kernel = voltac.compile(source, target=target).f
    colour = np.dtype([("r", np.uint8), ("g", np.uint8), ("b", np.uint8)])
    for n in [*range(0, 70, 5), 128, 131]:
        p = np.random.default_rng(n).integers(0, 256, (n, 3), dtype=np.uint8)
        q = np.zeros((n, 3), np.uint8)
        kernel(p.view(colour).reshape(n), q.view(colour).reshape(n), n)
        assert np.array_equal(q, p[:, ::-1]), n


@pytest.mark.parametrize(
    "body",
    [
        "q[i + 1] = q[i];",
        "q[2 * i] = q[i];",
        "q[i] = p[i] + programIndex;",
        "q[i] = p[i] + reduce_add(p[i]);",
        "q[i] = rotate(p[i], 1);",
        "q[p[i]] = q[i];",
    ],
)
def test_loops_whose_gangs_meet_or_can_be_told_apart_stay_as_they_are(body: str) -> None:
    assert not is_widened(body)


def test_loops_over_full_registers_stay_as_they_are() -> None:
    head = "export void f(uniform float p[], uniform float q[], uniform int n) { foreach (i = 0 ... n) { "
    assert not is_widened("q[i] = q[i] + p[i];", head=head)
