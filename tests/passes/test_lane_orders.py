"""Lanes between shuffles stand in another order: the same results, and shuffles within halves of registers."""

import itertools
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from guard_pages import FencedCalls
from kernels import compile_kernels, compile_with_text
from some_pairs import some_pairs

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.pass_runs import PassRuns
from voltac.passes.lanes.values_by_register import compute_by_register
from voltac.pipeline import Watch
from voltac.target_info import find_target

TYPES = {"float": np.float32, "double": np.float64, "int": np.int32, "int64": np.int64}
# What becomes of pairs x, y of b and u, v of c, in the language and in Python.
BODIES: dict[str, tuple[str, str, Callable[..., Any]]] = {
    "products": ("x * u - y * v", "x * v + y * u", lambda x, y, u, v: (x * u - y * v, x * v + y * u)),
    "swapped": ("y", "x", lambda x, y, u, v: (y, x)),
    "chosen": ("x > u ? x : v", "min(y, v) + 3", lambda x, y, u, v: (np.where(x > u, x, v), np.minimum(y, v) + 3)),
    "scaled": ("x * s", "y - s", lambda x, y, u, v: (x * 7, y - 7)),
    "one twice": ("x + u", "x + u", lambda x, y, u, v: (x + u, x + u)),
    "by index": ("x + i", "y - i", lambda x, y, u, v: (x + np.arange(len(x)), y - np.arange(len(x)))),
}


def kernel(type_name: str, name: str) -> str:
    first, second, _ = BODIES[name]
    arrays = f"uniform {type_name} a[], const uniform {type_name} b[], const uniform {type_name} c[]"
    return f"""export void pairs_{type_name}({arrays}, uniform int n) {{
    uniform {type_name} s = 7;
    foreach (i = 0 ... n) {{
        {type_name} x = b[2 * i], y = b[2 * i + 1], u = c[2 * i], v = c[2 * i + 1];
        a[2 * i] = {first};
        a[2 * i + 1] = {second};
    }}
}}
"""


def passed(source: str, target: str, disabled: str = "") -> str:
    options, watch = Options(target=find_target(target), level=3), Watch(passes=PassRuns(disabled=frozenset([disabled])))
    text: str = compile_source(source, "f.ispc", options, Diagnostics(), end="passes", watch=watch).results["passes"]
    return text


@pytest.mark.parametrize(("name", "target"), some_pairs(BODIES, ["avx2-i32x8", "avx2-i64x4", "avx2-i32x4", "avx2-i32x16"], 4))
def test_pairs(name: str, target: str) -> None:
    source = "".join(kernel(type_name, name) for type_name in TYPES)
    compiled, text = compile_with_text(source, target)
    interpreter, calls = IRInterpreter(read(text)), FencedCalls()
    for type_name, count in itertools.product(TYPES, (0, 1, 8, 45)):
        function = f"pairs_{type_name}"
        rng = np.random.default_rng(count)
        b, c = (rng.integers(-50, 50, 2 * count).astype(TYPES[type_name]) for _ in range(2))
        wanted = np.empty_like(b)
        wanted[::2], wanted[1::2] = BODIES[name][2](b[::2], b[1::2], c[::2], c[1::2])
        interpreted = np.zeros_like(b)
        interpreter.call(function, [interpreted, b.copy(), c.copy(), count])
        assert interpreted.tolist() == wanted.tolist()
        for at_end in (True, False):
            to, one, other = calls.copies(np.zeros_like(b), b, c, at_end=at_end)
            calls.add(source, partial(getattr(compiled, function), to, one, other, count), (to, wanted))
    calls.check()


def masks(text: str) -> list[list[int]]:
    """Of the shuffles of two registers of floats or doubles, all lanes on."""
    body = text.partition(".all_on:")[2].partition("\n\n")[0]
    found = re.findall(r"shufflevector <(?:8 x float|4 x double)> %\S+ <\d x \w+> \S+ <[48] x i32> <(.*?)>", body)
    return [[int(each.split()[1].replace("poison", "-1")) for each in mask.split(", ")] for mask in found]


def within_halves(mask: list[int]) -> bool:
    half = len(mask) // 2
    return all(lane < 0 or lane % len(mask) // half == place // half for place, lane in enumerate(mask))


@pytest.mark.parametrize("name", ["products", "swapped", "chosen", "scaled"])
def test_pairs_are_shuffled_within_halves(name: str) -> None:
    found = masks(passed(kernel("float", name), "avx2-i32x8"))
    assert found and all(map(within_halves, found))


@pytest.mark.parametrize(
    ("type_name", "target"), [("float", "avx2-i32x16"), ("double", "avx2-i32x8"), ("double", "avx2-i32x16")]
)
def test_pairs_in_several_registers(type_name: str, target: str) -> None:
    source = kernel(type_name, "products")
    found = masks(passed(source, target))
    assert found and all(map(within_halves, found))
    assert not all(map(within_halves, masks(passed(source, target, disabled="compute_by_register"))))


QUATERNIONS = """export void product(uniform float a[], const uniform float b[], const uniform float c[], uniform int n) {
    foreach (i = 0 ... n) {
        float w = b[4 * i], x = b[4 * i + 1], y = b[4 * i + 2], z = b[4 * i + 3];
        float p = c[4 * i], q = c[4 * i + 1], r = c[4 * i + 2], s = c[4 * i + 3];
        a[4 * i] = w * p - x * q - y * r - z * s;
        a[4 * i + 1] = w * q + x * p + y * s - z * r;
        a[4 * i + 2] = w * r - x * s + y * p + z * q;
        a[4 * i + 3] = w * s + x * r - y * q + z * p;
    }
}
"""


@pytest.mark.parametrize("target", ["avx2-i32x8", "avx2-i32x16", "avx1-i32x8"])
def test_structs_of_four(target: str) -> None:
    """The product of quaternions, of small whole numbers: by 4 by 4 matrices."""
    compiled = compile_kernels(QUATERNIONS, target)
    interpreter = IRInterpreter(read(passed(QUATERNIONS, target)))
    for count in (1, 8, 19, 32):
        rng = np.random.default_rng(count)
        b, c = (rng.integers(-9, 9, (count, 4)).astype(np.float32) for _ in range(2))
        w, x, y, z = b.T
        left = np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]])
        wanted = np.einsum("ijk,kj->ki", left, c)
        to, interpreted = np.zeros(4 * count, np.float32), np.zeros(4 * count, np.float32)
        compiled.product(to, b.ravel(), c.ravel(), count)
        interpreter.call("product", [interpreted, b.ravel(), c.ravel(), count])
        assert np.array_equal(to.reshape(count, 4), wanted) and np.array_equal(interpreted, to)


def test_structs_of_four_are_shuffled_within_halves() -> None:
    found = masks(passed(QUATERNIONS, "avx2-i32x8"))
    assert found and all(map(within_halves, found))


# What becomes of structs x, y, z, w of b, and of a matrix c: statements, and the rows in Python.
FOURS: dict[str, tuple[str, Callable[..., Any]]] = {
    "matrix": (
        "for (uniform int r = 0; r < 4; r++)"
        " a[4 * i + r] = c[4 * r] * x + c[4 * r + 1] * y + c[4 * r + 2] * z + c[4 * r + 3] * w;",
        lambda b, c: b @ c.reshape(4, 4).T,
    ),
    "turned": ("a[4 * i] = w; a[4 * i + 1] = x; a[4 * i + 2] = y; a[4 * i + 3] = z;", lambda b, c: np.roll(b, 1, 1)),
    "filled": (
        "a[4 * i] = x + y; a[4 * i + 1] = c[2]; a[4 * i + 2] = z; a[4 * i + 3] = z;",
        lambda b, c: np.stack([b[:, 0] + b[:, 1], np.full(len(b), c[2]), b[:, 2], b[:, 2]], 1),
    ),
    "by index": (
        "a[4 * i] = x; a[4 * i + 1] = i; a[4 * i + 2] = z; a[4 * i + 3] = y;",
        lambda b, c: np.stack([b[:, 0], np.arange(len(b)), b[:, 2], b[:, 1]], 1),
    ),
    "put together": (
        "a[4 * i] = b[i]; a[4 * i + 1] = b[n + i]; a[4 * i + 2] = b[2 * n + i]; a[4 * i + 3] = b[3 * n + i];",
        lambda b, c: b.ravel().reshape(4, -1).T,
    ),
}


def fours(type_name: str, name: str) -> str:
    arrays = f"uniform {type_name} a[], const uniform {type_name} b[], const uniform {type_name} c[], uniform int n"
    members = "x = b[4 * i], y = b[4 * i + 1], z = b[4 * i + 2], w = b[4 * i + 3]"
    function = f"{name.replace(' ', '_')}_{type_name}"
    return f"export void {function}({arrays}) {{ foreach (i = 0 ... n) {{ {type_name} {members}; {FOURS[name][0]} }} }}\n"


@pytest.mark.parametrize(
    ("target", "type_name"),
    [
        ("avx2-i32x8", "float"),
        ("avx2-i32x8", "int"),
        ("avx2-i32x16", "float"),
        ("avx1-i32x8", "float"),
        ("avx2-i64x4", "double"),
    ],
)
def test_structs_of_four_members(target: str, type_name: str) -> None:
    source = "".join(fours(type_name, name) for name in FOURS)
    compiled, text = compile_with_text(source, target)
    interpreter, calls = IRInterpreter(read(text)), FencedCalls()
    for name, count in itertools.product(FOURS, (1, 8, 21)):
        function = f"{name.replace(' ', '_')}_{type_name}"
        rng = np.random.default_rng(count)
        b, c = (rng.integers(-9, 9, size).astype(TYPES[type_name]) for size in (4 * count, 16))
        wanted = FOURS[name][1](b.reshape(count, 4), c).astype(b.dtype).ravel()
        if count == 21:
            interpreted = np.zeros_like(b)
            interpreter.call(function, [interpreted, b.copy(), c.copy(), count])
            assert interpreted.tolist() == wanted.tolist(), (name, count)
        for at_end in (True, False):
            to, one, other = calls.copies(np.zeros_like(b), b, c, at_end=at_end)
            calls.add((function, count), partial(getattr(compiled, function), to, one, other, count), (to, wanted))
    calls.check()


@pytest.mark.parametrize("name", ["matrix", "turned"])
def test_structs_of_four_members_are_shuffled_within_halves(name: str) -> None:
    found = masks(passed(fours("float", name), "avx2-i32x8", disabled="join_members"))
    assert found and all(map(within_halves, found))
    assert len([mask for mask in found if mask != list(range(8))]) <= 16, "8 before and 8 behind"


def test_lanes_that_know_their_number_stay_in_order() -> None:
    found = masks(passed(kernel("float", "by index"), "avx2-i32x8"))
    assert found and not all(map(within_halves, found))


def test_lanes_that_go_to_consecutive_elements_stay_in_order() -> None:
    source = kernel("float", "products").replace("a[2 * i + 1] =", "a[2 * n + i] =")
    b = np.arange(64, dtype=np.float32)
    to = np.zeros(96, np.float32)
    compile_kernels(source, "avx2-i32x8").pairs_float(to, b, b[::-1].copy(), 32)
    c = b[::-1]
    assert to[64:].tolist() == (b[::2] * c[1::2] + b[1::2] * c[::2]).tolist()
    assert to[0:64:2].tolist() == (b[::2] * c[::2] - b[1::2] * c[1::2]).tolist()


@pytest.mark.parametrize(("type_name", "target"), [("float", "avx2-i32x8"), ("int", "avx2-i32x16"), ("double", "avx2-i64x4")])
def test_what_is_stored_as_it_is_has_its_lanes_in_order(type_name: str, target: str) -> None:
    arrays = f"uniform {type_name} a[], const uniform {type_name} b[], const uniform {type_name} c[], uniform int n"
    squares = "x * x + y * y + c[2 * i] * c[2 * i + 1]"
    source = f"""export void f({arrays}) {{ foreach (i = 0 ... n) {{ {type_name} x = b[2 * i], y = b[2 * i + 1];
        a[i] = {squares}; a[n + i] = x - y; }} }}"""
    found = [mask for mask in masks(passed(source, target)) if len(mask) == find_target(target).width]
    assert any(map(within_halves, found)) or type_name != "float"
    calls = FencedCalls()
    kernel = compile_kernels(source, target).f
    for n in (1, 8, 35):
        b, c = (np.random.default_rng(n).integers(-9, 9, (n, 2)).astype(TYPES[type_name]) for _ in range(2))
        wanted = np.concatenate([(b * b).sum(1) + c.prod(1), b[:, 0] - b[:, 1]]).astype(b.dtype)
        for at_end in (True, False):
            to, *given = calls.copies(np.zeros(2 * n, b.dtype), b.ravel(), c.ravel(), at_end=at_end)
            calls.add(n, partial(kernel, to, *given, n), (to, wanted))
    calls.check()


def test_values_that_cannot_be_split_leave_others_of_their_block() -> None:
    first = ", ".join(f"i32 {lane}" for lane in (0, 8, 1, 9, 2, 10, 3, 11))
    whole, low = (", ".join(f"i32 {lane}" for lane in range(count)) for count in (16, 8))
    module = read(f"""define void @f(<8 x float> %a, <8 x float> %b, ptr %p) {{
entry:
  %s = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <{first}>
  %t = shufflevector <8 x float> %b, <8 x float> %a, <8 x i32> <{first}>
  %kept = shufflevector <8 x float> %s, <8 x float> %t, <16 x i32> <{whole}>
  %stored = fadd <16 x float> %kept, %kept
  store <16 x float> %stored, ptr %p, align 4
  %also = shufflevector <8 x float> %t, <8 x float> %s, <16 x i32> <{whole}>
  %with = fadd <16 x float> %also, %kept
  store <16 x float> %with, ptr %p, align 4
  %x = shufflevector <8 x float> %s, <8 x float> %t, <16 x i32> <{whole}>
  %r = fmul <16 x float> %x, %x
  %part = shufflevector <16 x float> %r, <16 x float> poison, <8 x i32> <{low}>
  store <8 x float> %part, ptr %p, align 4
  ret void
}}
""")
    compute_by_register(module, Options(find_target("avx2-i32x8")))
    made = {each.name: each.text for each in module.functions[0].instructions()}
    assert made["%stored"] == "  %stored = fadd <16 x float> %kept, %kept"
    assert made["%with"] == "  %with = fadd <16 x float> %also, %kept"
    assert "%r" not in made and sum("fmul <8 x float>" in text for text in made.values()) == 2
