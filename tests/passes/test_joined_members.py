"""Members of structs that are computed alike are so side by side: the same results, and nothing else is touched."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from guard_pages import Array
from judged_kernels import JudgedKernels
from kernels import compile_kernels
from some_pairs import some_pairs

from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.pass_runs import PassRuns
from voltac.pipeline import Watch
from voltac.target_info import find_target

TARGETS = ["avx2-i32x8", "sse2-i32x4", "sse4-i8x16", "avx1-i32x8", "avx2-i32x4", "avx2-i32x16", "avx2-i64x4", "avx512skx-x16"]
TYPES: dict[str, type] = {
    "uint8": np.uint8,
    "int16": np.int16,
    "int": np.int32,
    "float": np.float32,
    "double": np.float64,
    "int64": np.int64,
}
HEAD = "(uniform TYPE a[], const uniform TYPE b[], const uniform TYPE c[], uniform int n)"


def _members(count: int, formula: Callable[[Array, int], Array], first: Array, n: int, stride: int = 0) -> Array:
    """What stands in ``a`` where member ``k`` of element ``i`` is the formula of the structs in ``b`` and ``k``."""
    rows = first.reshape(-1, stride or count)[:n]
    return np.stack([formula(rows, k) for k in range(count)], 1).ravel() if n else first[:0]


# Name -> body, members, what is stored, of the rows of b, the member and c.
BODIES: dict[str, tuple[str, int, Callable[[Array, int, Array], Array]]] = {
    "scaled": ("for (uniform int k = 0; k < 4; k++) a[4 * i + k] = b[4 * i + k] * c[k];", 4, lambda b, k, c: b[:, k] * c[k]),
    "pairs": ("a[2 * i] = b[2 * i] + 3; a[2 * i + 1] = b[2 * i + 1] + 5;", 2, lambda b, k, c: b[:, k] + (3, 5)[k]),
    "threes": (
        "for (uniform int k = 0; k < 3; k++) a[3 * i + k] = b[3 * i + k] * 2 + c[k];",
        3,
        lambda b, k, c: b[:, k] * 2 + c[k],
    ),
    "swapped": ("a[2 * i] = b[2 * i + 1] + 1; a[2 * i + 1] = b[2 * i] + 2;", 2, lambda b, k, c: b[:, 1 - k] + 1 + k),
    "last": (
        "TYPE t = b[4 * i + 3]; for (uniform int k = 0; k < 4; k++) a[4 * i + k] = b[4 * i + k] - t;",
        4,
        lambda b, k, c: b[:, k] - b[:, 3],
    ),
    "matrix": (
        "for (uniform int k = 0; k < 4; k++) { TYPE s = 0;"
        " for (uniform int j = 0; j < 4; j++) s += b[4 * i + j] * c[4 * k + j];\n a[4 * i + k] = s; }",
        4,
        lambda b, k, c: (b * c[4 * k : 4 * k + 4]).sum(1, dtype=b.dtype),
    ),
    "eights": (
        "for (uniform int k = 0; k < 8; k++) { TYPE s = 1;"
        " for (uniform int j = 0; j < 8; j++) s += b[8 * i + j] * c[8 * k + j];\n a[8 * i + k] = s; }",
        8,
        lambda b, k, c: (b * c[8 * k : 8 * k + 8]).sum(1, dtype=b.dtype) + 1,
    ),
    "kept": (
        "for (uniform int k = 0; k < 3; k++) a[4 * i + k] = b[4 * i + k] * 2; a[4 * i + 3] = b[4 * i + 3];",
        4,
        lambda b, k, c: b[:, k] * (2, 2, 2, 1)[k],
    ),
    "chosen": (
        "for (uniform int k = 0; k < 4; k++) { TYPE v = b[4 * i + k]; a[4 * i + k] = v > c[k] ? v : c[k]; }",
        4,
        lambda b, k, c: np.maximum(b[:, k], c[k]),
    ),
    "turned": (
        "TYPE x = b[2 * i], y = b[2 * i + 1]; a[2 * i] = x * c[0] - y * c[1]; a[2 * i + 1] = x * c[1] + y * c[0];",
        2,
        lambda b, k, c: (b[:, 0] * c[0] - b[:, 1] * c[1], b[:, 0] * c[1] + b[:, 1] * c[0])[k],
    ),
    "numbered": (
        "for (uniform int k = 0; k < 4; k++) a[4 * i + k] = b[4 * i + k] + (TYPE)i;",
        4,
        lambda b, k, c: b[:, k] + np.arange(len(b)).astype(b.dtype),
    ),
}  # fmt: skip
JOINED = {"scaled", "pairs", "threes", "last", "matrix", "eights", "chosen"}
"""With float on AVX2."""
SOURCE = "\n".join(f"export void {name}{HEAD} {{ foreach (i = 0 ... n) {{ {row[0]} }} }}" for name, row in BODIES.items())


def joined(source: str, target: str = "avx2-i32x8") -> str:
    """The text behind the pass."""
    watch = Watch(passes=PassRuns(stop_after="join_members"))
    made = compile_source(source, "f.ispc", Options(find_target(target), 3), Diagnostics(), watch=watch).stopped
    assert made is not None
    return made


def stores_lane_by_lane(body: str, head: str = HEAD, element: str = "float", target: str = "avx2-i32x8") -> int:
    """Pseudo stores of several lanes that are left."""
    text = joined(f"export void f{head} {{ foreach (i = 0 ... n) {{ {body} }} }}".replace("TYPE", element), target)
    return len(re.findall(r"@volta\.scatter\.v(?!1[if]).* splat \(i1 true\)\)", text))


@pytest.mark.parametrize(("element", "target"), some_pairs(TYPES, TARGETS, 14))
def test_each_remainder_at_both_ends_of_memory(element: str, target: str) -> None:
    source = SOURCE.replace("TYPE", element)
    dtype = np.dtype(TYPES[element])
    kernels = JudgedKernels(source, target)
    width, random = kernels.width, np.random.default_rng(1)
    for number, n in enumerate((0, 1, width - 1, width, width + 1, 2 * width, 4 * width + 3)):
        for name, (_, members, formula) in BODIES.items():
            first, second = (random.integers(0, 4, size).astype(dtype) for size in (members * n, 64))
            wanted = _members(members, lambda rows, k: formula(rows, k, second), first, n).astype(dtype)  # noqa: B023
            arrays = [np.zeros(members * n, dtype), first, second[: 64 if n else 1]]
            kernels.expect(name, arrays, (n,), wanted, interpreted=number == 4)
    kernels.check()


@pytest.mark.parametrize("name", sorted(JOINED))
def test_stores_of_members_are_whole_vectors(name: str) -> None:
    assert stores_lane_by_lane(BODIES[name][0]) == 0
    assert stores_lane_by_lane(BODIES[name][0], target="avx512skx-x16") == 0


def test_bytes_of_pixels_are_computed_in_16_bits_and_stored_together() -> None:
    body = """int t = 255 - b[4 * i + 3];
        for (uniform int k = 0; k < 4; k++) {
            int v = c[4 * i + k] * t + 128;
            a[4 * i + k] = b[4 * i + k] + ((v + (v >> 8)) >> 8);
        }"""
    text = joined(f"export void f{HEAD} {{ foreach (i = 0 ... n) {{ {body} }} }}".replace("TYPE", "uint8"))
    assert stores_lane_by_lane(body, element="uint8") == 0
    assert "mul <32 x i16>" in text
    source = f"export void f{HEAD} {{ foreach (i = 0 ... n) {{ {body} }} }}".replace("TYPE", "uint8")
    random = np.random.default_rng(2)
    over, under = (random.integers(0, 256, 4 * 77).astype(np.uint8) for _ in range(2))
    to = np.zeros_like(over)
    compile_kernels(source, "avx2-i32x8").f(to, over, under, 77)
    v = under.reshape(-1, 4).astype(int) * (255 - over.reshape(-1, 4)[:, 3:].astype(int)) + 128
    assert to.tolist() == ((over.astype(int) + ((v + (v >> 8)) >> 8).ravel()) & 255).tolist()


def test_upper_halves_of_products_are_members_side_by_side_and_what_is_copied_is_blended() -> None:
    body = """int t = b[4 * i + 3];
        for (uniform int k = 0; k < 3; k++)
            a[4 * i + k] = ((int)b[4 * i + k] * t + 128) * 257 >> 16;
        a[4 * i + 3] = t;"""
    source = f"export void f{HEAD} {{ foreach (i = 0 ... n) {{ {body} }} }}".replace("TYPE", "uint8")
    assert stores_lane_by_lane(body, element="uint8") == 0
    assert "mul <32 x i16>" in joined(source)
    pixels = np.random.default_rng(2).integers(0, 256, (77, 4)).astype(np.uint8)
    pixels[:9], pixels[9:19] = 255, (255, 254, 1, 255)
    wanted = ((pixels.astype(int) * pixels[:, 3:] + 128) * 257 >> 16).astype(np.uint8)
    wanted[:, 3] = pixels[:, 3]
    for target in ("sse4-i32x4", "avx2-i32x8", "avx512skx-x16"):
        to = np.zeros_like(pixels)
        compile_kernels(source, target).f(to.ravel(), pixels.ravel(), pixels.ravel(), len(pixels))
        assert to.tolist() == wanted.tolist()


@pytest.mark.parametrize(
    "body",
    [
        "a[2 * i] = b[2 * i] * 2; a[2 * i + 1] = c[i] - 3;",  # another formula
        "a[2 * i] = b[2 * i] * 2;",  # a gap, which is not written
        "a[2 * i] = b[2 * i] + 1; a[2 * i + 1] = a[2 * i] + b[2 * i + 1];",  # what the store before has changed
        "a[2 * i] = b[2 * i] + 1; a[2 * i + 1] = a[2 * i + 2] + 1;",  # of the next lane, before it is stored
        "a[2 * i] = b[2 * i] + 1; c[0] = a[2 * n]; a[2 * i + 1] = b[2 * i + 1] + 1;",  # perhaps that is loaded between
        "if (b[i] > 0) { a[2 * i] = b[2 * i] + 1; a[2 * i + 1] = b[2 * i + 1] + 1; }",  # of some lanes
        "a[4 * i] = b[4 * i + 1] * 2; a[4 * i + 1] = b[4 * i + 1] * 3; a[4 * i + 2] = b[4 * i + 2] * 3; "
        "a[4 * i + 3] = b[4 * i + 1] * 7;",
    ],
)
def test_what_minds_stays(body: str) -> None:
    """In the last, of the last struct neither the first nor the last member may be read."""
    head = "(uniform TYPE a[], const uniform TYPE b[], uniform TYPE c[], uniform int n)"
    whole = stores_lane_by_lane(body, head)
    assert whole == 0 if body.startswith("if") else whole > 0


def test_one_array_is_changed_in_place() -> None:
    """Members are loaded before the structs that they are of are stored."""
    body = "for (uniform int k = 0; k < 4; k++) a[4 * i + k] = a[4 * i + k] * c[k] + 1;"
    for element, target in (("float", "avx2-i32x8"), ("int16", "avx2-i32x8"), ("int", "sse4-i32x4")):
        source = f"export void f{HEAD} {{ foreach (i = 0 ... n) {{ {body} }} }}".replace("TYPE", element)
        assert stores_lane_by_lane(body, element=element, target=target) == 0
        before: Array = (np.arange(4 * 29) % 7).astype(TYPES[element])
        factors: Array = np.array([1, 2, 3, 4], TYPES[element])
        given = before.copy()
        compile_kernels(source, target).f(given, np.zeros(1, given.dtype), factors, 29)
        assert given.tolist() == (before.reshape(-1, 4) * factors + 1).ravel().tolist()


def test_members_of_the_same_array_that_are_exchanged_are_read_before() -> None:
    source = "export void f(uniform int a[], uniform int n) { foreach (i = 0 ... n) { int x = a[2 * i], y = a[2 * i + 1]; a[2 * i] = y + 1; a[2 * i + 1] = x + 2; } }"  # noqa: E501
    before = np.arange(46, dtype=np.int32)
    given = before.copy()
    compile_kernels(source, "avx2-i32x8").f(given, 23)
    assert given.tolist() == (before.reshape(-1, 2)[:, ::-1] + [1, 2]).ravel().tolist()


@pytest.mark.parametrize("target", ["avx2-i32x8", "avx512skx-x16"])
def test_a_quotient_of_each_struct_is_divided_once(target: str) -> None:
    body = "float w = 1 / b[4 * i + 3]; for (uniform int k = 0; k < 4; k++) a[4 * i + k] = b[4 * i + k] * w;"
    source = f"export void f{HEAD} {{ foreach (i = 0 ... n) {{ {body} }} }}".replace("TYPE", "float")
    assert stores_lane_by_lane(body, target=target) == 0
    assert re.findall(r"fdiv.*<(\d+) x float>", joined(source, target))[0] == str(find_target(target).width)
    given = (np.random.default_rng(3).random((37, 4)) + 1).astype(np.float32)
    to = np.zeros(4 * 37, np.float32)
    compile_kernels(source, target).f(to, given.ravel(), to[:1].copy(), 37)
    assert to.tolist() == (given * (np.float32(1) / given[:, 3:])).ravel().tolist()


def test_structs_longer_than_a_register_are_taken_apart() -> None:
    """Their loop stays, too."""
    assert stores_lane_by_lane(BODIES["eights"][0], element="double", target="sse4-i32x4") == 1


def test_a_division_is_of_members_only() -> None:
    """What a member is not divided by may be zero."""
    body = "a[2 * i] = b[2 * i] / b[2 * i + 1]; a[2 * i + 1] = b[2 * i + 1] + 1;"
    source = f"export void f{HEAD} {{ foreach (i = 0 ... n) {{ {body} }} }}".replace("TYPE", "int")
    given = np.stack([np.zeros(21), np.arange(1, 22)], 1).astype(np.int32).ravel()
    to = np.zeros_like(given)
    compile_kernels(source, "avx2-i32x8").f(to, given, given, 21)
    assert to.reshape(-1, 2).tolist() == [[0, at + 1] for at in range(1, 22)]
