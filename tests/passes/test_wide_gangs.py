"""Loops over bytes and short integers do several gangs at once, with the same results, where gangs do not meet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernels import compile_kernels
from some_pairs import some_pairs

from voltac.driver import compile_source
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
    kernel = compile_kernels(HEAD + body + TAIL, target=target).f
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
    kernel = compile_kernels(source, target=target).f
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


ROWS = "export void f(uniform unsigned int8 p[], uniform unsigned int8 q[], uniform int n) { "


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (ROWS + "foreach (i = 0 ... n) { q[n - 1 - i] = p[i]; } }", lambda p, width: p[::-1]),
        (
            ROWS + "uniform int w = n / 2; for (uniform int y = 0; y < 2; y++) { foreach (x = 0 ... w) {"
            " q[(1 - y) * w + x] = p[y * w + x] ^ 5; } } }",
            lambda p, width: np.concatenate([p[len(p) // 2 :], p[: len(p) // 2]]) ^ 5,
        ),
        (ROWS + "foreach (i = 0 ... n) { q[i] = p[i] + p[n - 1]; } }", lambda p, width: p + p[-1]),
        (
            ROWS + "unsigned int8 k = p[programIndex]; foreach (i = 0 ... n) { q[i] = p[i] ^ k; } }",
            lambda p, width: p ^ np.resize(p[:width], len(p)),
        ),
    ],
    ids=["reversed", "rows", "an element of all", "lanes from outside"],
)
def test_uniform_numbers_and_falling_addresses_are_widened(source: str, expected: object, target: str) -> None:
    info = find_target(target)
    made = compile_source(source, "f.ispc", Options(info, whole_program=True), end="passes")
    assert ".wide_body:" in made.results["passes"]
    kernel = compile_kernels(source, target=target).f
    for n in (16, 30, 64, 94, 128, 200, 256):
        p = np.random.default_rng(n).integers(0, 256, n, dtype=np.uint8)
        q = np.zeros(n, np.uint8)
        kernel(p, q, n)
        assert np.array_equal(q, expected(p, info.width)), n  # type: ignore[operator]


EXTREMES: dict[str, Any] = {
    "int8": np.int8, "unsigned int8": np.uint8, "int16": np.int16, "unsigned int16": np.uint16,
    "int": np.int32, "unsigned int": np.uint32, "int64": np.int64,
}  # fmt: skip


@pytest.mark.parametrize(("type_name", "target"), some_pairs(EXTREMES, TARGETS, 3))
def test_least_and_greatest_are_found_side_by_side(type_name: str, target: str) -> None:
    info = find_target(target)
    source = (
        f"export void f(uniform {type_name} p[], uniform {type_name} q[], uniform int n) {{"
        f" {type_name} low = p[0], high = p[0]; {type_name} bits = 0;"
        " foreach (i = 0 ... n) { low = min(low, p[i]); high = max(high, p[i]); bits = bits ^ p[i]; }"
        " q[0] = reduce_min(low); q[1] = reduce_max(high); q[programIndex + 2] = bits; }"
    )
    made = compile_source(source, "f.ispc", Options(info, whole_program=True), end="passes")
    assert ".wide_body:" in made.results["passes"] or EXTREMES[type_name] is np.int64
    kernel = compile_kernels(source, target=target).f
    dtype = EXTREMES[type_name]
    for n in (1, 15, 16, 17, 63, 64, 65, 100, 128, 255, 256, 257, 300):
        limits = np.iinfo(dtype)
        p = np.random.default_rng(n).integers(limits.min, limits.max, n, dtype=dtype, endpoint=True)
        q = np.zeros(2 + info.width, dtype)
        kernel(p, q, n)
        lanes = [np.bitwise_xor.reduce(p[lane :: info.width], dtype=dtype) for lane in range(info.width)]
        assert q.tolist() == [p.min(), p.max(), *lanes], n


@pytest.mark.parametrize("target", TARGETS)
def test_of_floats_only_where_the_order_may_change(target: str) -> None:
    source = (
        "export uniform float f(uniform float p[], uniform int n) { float high = p[0];"
        " foreach (i = 0 ... n) { high = max(high, p[i]); } return reduce_max(high); }"
    )
    info = find_target(target)
    for fast, wide in (("", False), ("aggressive", True)):
        made = compile_source(source, "f.ispc", Options(info, whole_program=True, fast_math=fast), end="passes")
        assert (".wide_body:" in made.results["passes"]) == wide
    kernel = compile_kernels(source, target=target, fast_math="aggressive").f
    for n in (1, 16, 17, 64, 100, 130, 260):
        p = np.random.default_rng(n).normal(size=n).astype(np.float32)
        assert kernel(p, n) == p.max()


LIFE = (
    "export void f(uniform unsigned int8 p[], uniform unsigned int8 q[], uniform int n) { foreach (i = 1 ... n - 1) {"
    " unsigned int8 s = p[i - 1] + p[i + 1]; q[i] = s == 2 || (s == 1 && p[i] > 0) ? 1 : 0; } }"
)


@pytest.mark.parametrize("target", TARGETS)
def test_conditions_of_short_circuit_are_no_branches(target: str) -> None:
    made = compile_source(LIFE, "f.ispc", Options(find_target(target), whole_program=True), end="passes")
    text = made.results["passes"]
    # What lies between two loads of all lanes is readable in all lanes too.
    assert ".wide_body:" in text
    assert "masked.load" not in text[text.index(".wide_body:") : text.index(".masked:")]
    kernel = compile_kernels(LIFE, target=target).f
    for n in (2, 17, 64, 100, 130, 200):
        p = np.random.default_rng(n).integers(0, 2, n, dtype=np.uint8)
        q = np.zeros(n, np.uint8)
        kernel(p, q, n)
        s = p[:-2] + p[2:]
        assert np.array_equal(q[1:-1], (s == 2) | ((s == 1) & (p[1:-1] > 0))), n


PIXELS = """export void f(uniform uint8 p[], uniform uint8 q[], uniform int n) {
    foreach (i = 0 ... n) {
        int opaque = 255 - p[4 * i + 3];
        for (uniform int k = 0; k < 4; k++) {
            int v = q[4 * i + k] * opaque + 128;
            q[4 * i + k] = p[4 * i + k] + ((v + (v >> 8)) >> 8);
        }
    }
}
"""


def passed(source: str, target: str) -> str:
    text: str = compile_source(source, "f.ispc", Options(find_target(target), level=3), end="passes").results["passes"]
    return text


def test_rows_of_bytes_and_words_of_members_fill_registers_as_they_are() -> None:
    hashes = """export void f(uniform unsigned int32 a[], uniform uint8 b[], uniform int n) {
        foreach (i = 0 ... n) {
            unsigned int32 h = 5;
            for (uniform int k = 0; k < 24; k++)
                h = (h ^ b[i * 24 + k]) * 16777619;
            a[i] = h;
        }
    }"""
    digits = """export void f(uniform uint8 a[], uniform unsigned int32 b[], uniform int n) {
        foreach (i = 0 ... n)
            for (uniform int k = 0; k < 8; k++)
                a[8 * i + k] = 48 + ((b[i] >> (28 - 4 * k)) & 15);
    }"""
    assert ".wide" not in passed(hashes, "avx2-i32x8") and "rows" in passed(hashes, "avx2-i32x8")
    assert ".wide_body:" not in passed(digits, "avx2-i32x8")


def test_whole_pixels_fill_registers_as_they_are() -> None:
    """Members of 4 bytes, computed with in 32 bits; single bytes that come of them still are packed.

    Members that are computed alike are so side by side, in 16 bits (``join_members``).
    """
    grey = PIXELS.partition("{\n")[0] + "{ foreach (i = 0 ... n) q[i] = (77 * p[4 * i] + 150 * p[4 * i + 1]) >> 8; }"
    members = (
        "q[4 * i] = (77 * p[4 * i] + 150 * p[4 * i + 1]) >> 8; q[4 * i + 1] = p[4 * i + 2] ^ p[4 * i + 1]; q[4 * i + 2] = 5;"
    )
    others = f"{PIXELS.partition('{')[0]}{{ foreach (i = 0 ... n) {{ {members} q[4 * i + 3] = 255 - p[4 * i + 3]; }} }}"
    for target in ("avx2-i32x8", "avx512skx-x16"):
        assert ".wide_body:" not in passed(others, target)
        assert " x i16> %members" in passed(PIXELS, target)
        assert ".wide_body:" in passed(grey, target)


@pytest.mark.parametrize("target", TARGETS)
def test_pixels_are_blended_at_every_length(target: str) -> None:
    kernel = compile_kernels(PIXELS, target=target).f
    for n in (0, 1, 7, 8, 33, 64, 100):
        numbers = np.random.default_rng(n)
        p, q = (numbers.integers(0, 256, (n, 4), dtype=np.uint8) for _ in range(2))
        v = q.astype(int) * (255 - p[:, 3:].astype(int)) + 128
        wanted = (p + ((v + (v >> 8)) >> 8)).astype(np.uint8)
        kernel(p.ravel(), q.reshape(-1), n)
        assert np.array_equal(q, wanted), n


def test_so_many_gangs_are_done_that_registers_hold_what_lives() -> None:
    """Of four pixels that share their colours."""
    source = """
    export void f(uniform uint8 a[], const uniform uint8 b[], const uniform uint8 c[], uniform int n) {
        foreach (i = 0 ... n)
            for (uniform int k = 0; k < 4; k++) {
                int y = 298 * ((int)b[4 * i + k] - 16), u = (int)c[2 * i] - 128, v = (int)c[2 * i + 1] - 128;
                int red = (y + 409 * v + 128) >> 8, green = (y - 100 * u - 208 * v + 128) >> 8, blue = (y + 516 * u + 128) >> 8;
                a[12 * i + 3 * k] = clamp(red, 0, 255);
                a[12 * i + 3 * k + 1] = clamp(green, 0, 255);
                a[12 * i + 3 * k + 2] = clamp(blue, 0, 255);
            }
    }"""
    text = passed(source, "avx2-i32x8")
    assert "mul nsw <16 x i32>" in text
    assert "mul nsw <32 x i32>" not in text
    given, colours = (np.random.default_rng(seed).integers(0, 256, (37, seed)).astype(np.uint8) for seed in (4, 2))
    to = np.zeros((37, 4, 3), np.uint8)
    compile_kernels(source, "avx2-i32x8").f(to.ravel(), given.ravel(), colours.ravel(), 37)
    y, (u, v) = 298 * (given.astype(int) - 16), (colours.astype(int) - 128).T[:, :, None]
    wanted = np.stack([y + 409 * v, y - 100 * u - 208 * v, y + 516 * u], 2) + 128 >> 8
    assert np.array_equal(to, np.clip(wanted, 0, 255))
