"""Packed targets: what registers of several numbers compute is what numpy says, with the instructions there are for it."""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ia64_rows import GNU_AS, refused_by_gnu_as
from some_pairs import some_pairs

import voltac
from voltac.driver import compile_source
from voltac.options import Options
from voltac.target_info import DEVICES

GANGS = {"ia64-f32x2": 2, "ia64-i8x8": 8, "ia64-i16x4": 4}
N = 27
"""A number of elements that no gang divides."""


def compiled(text: str, target: str, tmp_path: Path, **options: Any) -> Any:
    path = tmp_path / "k.ispc"
    path.write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", voltac.VoltacWarning)  # of what is slow
        return voltac.load(path, target=target, **options)


U8, S8, U16, S16, F, W = np.uint8, np.int8, np.uint16, np.int16, np.float32, np.int32
NAMES = {U8: "uint8", S8: "int8", U16: "uint16", S16: "int16", F: "float", W: "int32"}
TARGET_OF = {U8: "ia64-i8x8", S8: "ia64-i8x8", U16: "ia64-i16x4", S16: "ia64-i16x4", F: "ia64-f32x2", W: "ia64-f32x2"}


def clipped(dtype: Any, wide: Any) -> Any:
    return np.clip(wide, np.iinfo(dtype).min, np.iinfo(dtype).max).astype(dtype)


def wide(x: Any) -> Any:
    return x.astype(np.int64)


# Element type, expression of a and b, what numpy says, an instruction that has to be there ("": done lane by lane).
INTEGERS: list[tuple[Any, str, Any, str]] = [
    *((t, "a + b", lambda a, b: a + b, f"padd{np.dtype(t).itemsize}") for t in (U8, S8, U16, S16, W)),
    *((t, "a - b", lambda a, b: a - b, f"psub{np.dtype(t).itemsize}") for t in (U8, S8, U16, S16, W)),
    *((t, "a * b", lambda a, b: a * b, "pmpyshr2.u") for t in (U8, S8, U16, S16, W)),
    *((t, "(a & ~b) | (a ^ 5)", lambda a, b: (a & ~b) | (a ^ 5), "andcm") for t in (U8, S16, W)),
    *((t, f"a {sign} b ? a : b", meaning, f"pcmp{np.dtype(t).itemsize}.gt")
      for t in (S8, W) for sign, meaning in (("<", np.minimum), (">", np.maximum), (">=", np.maximum))),
    *((t, f"a {sign} b ? (T)1 : (T)9", meaning, "pcmp")
      for t in (U8, S8, U16, S16, W) for sign, meaning in
      (("<", lambda a, b: np.where(a < b, 1, 9)), (">=", lambda a, b: np.where(a >= b, 1, 9)),
       ("==", lambda a, b: np.where(a == b, 1, 9)), ("!=", lambda a, b: np.where(a != b, 1, 9)))),
    *((U8, f"{name}(a, b)", meaning, f"p{name}1.u") for name, meaning in (("min", np.minimum), ("max", np.maximum))),
    *((S16, f"{name}(a, b)", meaning, f"p{name}2") for name, meaning in (("min", np.minimum), ("max", np.maximum))),
    *((U16, f"{name}(a, b)", meaning, "psub2.uuu") for name, meaning in (("min", np.minimum), ("max", np.maximum))),
    *((t, "saturating_add(a, b)", lambda a, b: clipped(a.dtype, wide(a) + b), f"padd{np.dtype(t).itemsize}.{kind}")
      for t, kind in ((U8, "uuu"), (S8, "sss"), (U16, "uuu"), (S16, "sss"))),
    *((t, "saturating_sub(a, b)", lambda a, b: clipped(a.dtype, wide(a) - b), f"psub{np.dtype(t).itemsize}.{kind}")
      for t, kind in ((U8, "uuu"), (S8, "sss"), (U16, "uuu"), (S16, "sss"))),
    *((t, "avg_up(a, b)", lambda a, b: (wide(a) + b + 1) >> 1, f"pavg{np.dtype(t).itemsize}.raz") for t in (U8, U16)),
    *((t, "avg_down(a, b)", lambda a, b: (wide(a) + b) >> 1, "xor") for t in (U8, U16)),
    *((t, "abs(a)", lambda a, b: np.abs(a), "psub") for t in (S8, S16)),
    *((t, "a << 3", lambda a, b: a << 3, name) for t, name in ((U8, "dep.z"), (S16, "pshl2"), (W, "pshl4"))),
    *((t, "a >> 3", lambda a, b: a >> 3, name)
      for t, name in ((U8, "extr.u"), (S8, "psub1"), (U16, "pshr2.u"), (S16, "pshr2"), (W, "pshr4"))),
    *((t, "a >> (b & 7)", lambda a, b: a >> (b & 7), "") for t in (U8, S16, W)),
    *((t, "b == 0 ? a : a / b", lambda a, b: np.where(b == 0, a, np.fix(a / np.where(b == 0, 1, b)).astype(np.int64)), "")
      for t in (U8, S8, U16, S16)),
    *((t, "shuffle(a, programCount - 1 - programIndex)", None, name) for t, name in ((U8, "mux1"), (S16, "mux2"), (W, "mux2"))),
    *((t, "broadcast(a, 1)", None, name) for t, name in ((U8, "mux1"), (S16, "mux2"), (W, "unpack4.l"))),
    *((t, "rotate(a, 1)", None, "") for t in (U8, S16, W)),
    *((t, "shift(a, -1)", None, "") for t in (U8, S16, W)),
    *((t, "shuffle(a, programIndex ^ 1)", None, "") for t in (U8, S16, W)),
    *((t, "(T)(a > b && (a & 1) == 0 || b == 3)", lambda a, b: (a > b) & ((a & 1) == 0) | (b == 3), "pcmp")
      for t in (U8, S8, S16, W)),
]  # fmt: skip
FLOATS: list[tuple[Any, str, Any, str]] = [
    (F, "a + b", lambda a, b: a + b, "fpma"),
    (F, "a - b", lambda a, b: a - b, "fpms"),
    (F, "a * b", lambda a, b: a * b, "fpma"),
    (F, "a / b", lambda a, b: a / b, ""),
    (F, "-a", lambda a, b: -a, "fpmerge.ns"),
    (F, "abs(a)", lambda a, b: np.abs(a), "fpmerge.s"),
    (F, "a < b ? a : b", lambda a, b: np.where(a < b, a, b), "fpmin"),
    (F, "a > b ? a : b", lambda a, b: np.where(a > b, a, b), "fpmax"),
    *((F, f"a {sign} b ? a : 2 * b", meaning, "fselect") for sign, meaning in (
        ("<", lambda a, b: np.where(a < b, a, 2 * b)), ("<=", lambda a, b: np.where(a <= b, a, 2 * b)),
        ("==", lambda a, b: np.where(a == b, a, 2 * b)), ("!=", lambda a, b: np.where(a != b, a, 2 * b)),
        (">", lambda a, b: np.where(a > b, a, 2 * b)), (">=", lambda a, b: np.where(a >= b, a, 2 * b)))),
    *((F, f"!(a {sign} b) ? a : 2 * b", meaning, "fselect") for sign, meaning in (
        ("<", lambda a, b: np.where(~(a < b), a, 2 * b)), ("<=", lambda a, b: np.where(~(a <= b), a, 2 * b)),
        (">", lambda a, b: np.where(~(a > b), a, 2 * b)))),
    (F, "isnan(a) ? (T)1 : sqrt(a)", lambda a, b: np.where(np.isnan(a), F(1), np.sqrt(a)), "fpcmp"),
    (F, "floor(a)", lambda a, b: np.floor(a), ""),
    (F, "(a < b && a != 0) || b > 1 ? a : b", lambda a, b: np.where((a < b) & (a != 0) | (b > 1), a, b), "fpcmp.lt"),
    (F, "shuffle(a, programCount - 1 - programIndex)", None, "fswap"),
    (F, "broadcast(a, 1)", None, "fmix"),
]  # fmt: skip


def moved(expression: str, a: Any, width: int) -> Any:
    """Of whole gangs."""
    rows = a.reshape(-1, width)
    zeros = np.zeros((len(rows), 1), a.dtype)
    meanings: dict[str, Any] = {
        "shuffle(a, programCount - 1 - programIndex)": lambda: rows[:, ::-1],
        "broadcast(a, 1)": lambda: np.repeat(rows[:, 1:2], width, 1),
        "rotate(a, 1)": lambda: np.roll(rows, -1, 1),
        "shift(a, -1)": lambda: np.hstack([zeros, rows[:, :-1]]),
        "shuffle(a, programIndex ^ 1)": lambda: rows[:, np.arange(width) ^ 1],
    }
    return meanings[expression]().ravel()


def given(dtype: Any, count: int, rng: np.random.Generator) -> Any:
    if dtype is F:
        special = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1e-40, 3e38], F)
        return np.where(rng.random(count) < 0.3, rng.choice(special, count), rng.normal(size=count).astype(F))
    information = np.iinfo(dtype)
    numbers = rng.integers(information.min, information.max, count, dtype=dtype, endpoint=True)
    edges = rng.choice(np.array([information.min + (dtype is not W and 0), 0, 1, information.max], dtype), count)
    small = rng.integers(0, 7, count).astype(dtype)
    return np.where(rng.random(count) < 0.3, edges, np.where(rng.random(count) < 0.5, small, numbers))


@pytest.mark.parametrize("dtype", NAMES, ids=NAMES.values())
def test_operations_are_what_numpy_says(dtype: Any, tmp_path: Path) -> None:
    """All of a type in one program; each alone in a loop over arrays, whose last gang is not whole."""
    rows = [row for row in INTEGERS + FLOATS if row[0] is dtype]
    target, name = TARGET_OF[dtype], NAMES[dtype]
    width = GANGS[target]
    kernels = [
        f"""export void f{number}(uniform T p[], uniform T q[], uniform T o[], uniform int n) {{
            foreach (i = 0 ... n) {{ T a = p[i], b = q[i]; o[i] = {expression}; }}
        }}"""
        for number, (_, expression, _, _) in enumerate(rows)
    ]
    k = compiled(f"typedef {name} T;\n" + "\n".join(kernels), target, tmp_path)
    rng = np.random.default_rng(3)
    for number, (_, expression, meaning, instruction) in enumerate(rows):
        for count in (N, 16):
            # Lanes of a gang that is not whole are nobody's.
            count -= count % width if meaning is None else 0
            a, b = given(dtype, count, rng), given(dtype, count, rng)
            if dtype is W and expression in ("a + b", "a - b", "a * b"):
                # Signed overflow is undefined.
                a, b = a % 30000, b % 30000
            out = np.zeros(count, dtype)
            f = getattr(k, f"f{number}")
            f(a, b, out, count)
            with np.errstate(all="ignore"):
                wanted = (moved(expression, a, width) if meaning is None else meaning(a, b)).astype(dtype)
            assert np.array_equal(out, wanted, equal_nan=dtype is F), (expression, a, b, out, wanted)
            if dtype is F:
                assert np.array_equal(np.signbit(out[out == 0]), np.signbit(wanted[out == 0])), expression
        assert any(one.startswith(instruction) for one in f.last_run.counts), (NAMES[dtype], expression, f.last_run.counts)


BOTH = """
typedef T_ T;
export void f(uniform T p[], uniform T o[], uniform int bits[], uniform int n) {
    foreach (i = 0 ... n) {
        T x = p[i];
        o[i] = p[i + 1] + p[2 * i];
        if (x > 3) o[i] = p[i] * 2;
        else if (x == 1) o[n - 1 - i] = 7;
    }
    uniform int at = 0;
    for (uniform int i = 0; i + programCount <= n; i += programCount) {
        T x = p[i + programIndex];
        bits[at++] = packmask(x > 2);
        bits[at++] = (any(x == 5) ? 1 : 0) + (all(x < 60) ? 2 : 0);
        bits[at++] = (int)reduce_add(x);
        bits[at++] = (int)extract(x, i % 3 % programCount);
        int wide = x;
        double d = wide * 0.5d;
        bits[at++] = (int)(2 * reduce_max(d)) + (int)reduce_min(wide);
        x = insert(x, 1, (uniform T)9);
        bits[at++] = (int)reduce_max(x);
    }
}
"""


@pytest.mark.parametrize(("dtype", "target"), some_pairs([U8, S16, W, F], GANGS, 3))
def test_lanes_and_registers_go_together(target: str, dtype: Any, tmp_path: Path) -> None:
    """Types that a target packs, and others, side by side: neighbours, gathers, masks as numbers, reductions, conversions."""
    k = compiled(BOTH.replace("T_", NAMES[dtype]), target, tmp_path)
    width, n = GANGS[target], 21
    p = np.random.default_rng(5).integers(0, 70, 2 * n + 2).astype(dtype)
    out, bits = np.zeros(n, dtype), np.zeros(6 * n, W)
    k.f(p, out, bits, n)
    wanted = np.zeros(n, dtype)
    for start in range(0, n, width):
        lanes = range(start, min(n, start + width))
        for i in lanes:
            wanted[i] = p[i + 1] + p[2 * i]
        for i in lanes:
            if p[i] > 3:
                wanted[i] = p[i] * 2
        for i in lanes:
            if p[i] == 1:
                wanted[n - 1 - i] = 7
    assert np.array_equal(out, wanted)
    numbers: list[int] = []
    for start in range(0, n - width + 1, width):
        x = p[start : start + width].copy()
        numbers.append(sum(int(lane > 2) << number for number, lane in enumerate(x)))
        numbers.append(int((x == 5).any()) + 2 * int((x < 60).all()))
        numbers.append(int(x.sum(dtype=dtype)))
        numbers.append(int(x[start % 3 % width]))
        numbers.append(int(x.max()) + int(x.min()))
        x[1] = 9
        numbers.append(int(x.max()))
    assert bits[: len(numbers)].tolist() == numbers


def test_gnu_as_takes_packed_code(tmp_path: Path) -> None:
    if shutil.which(GNU_AS) is None:
        pytest.skip(f"{GNU_AS} is not installed (apt: binutils-ia64-linux-gnu)")
    for target in GANGS:
        for dtype in (U8, S16, F):
            job = compile_source(BOTH.replace("T_", NAMES[dtype]), "k.ispc", Options(DEVICES[target], level=2))
            assert refused_by_gnu_as(job.results["select"], tmp_path) == ""


def test_the_last_lane_is_asked_for_by_no_condition() -> None:
    """Of a gang of two that is not whole the first is on, the second is off."""
    text = "export void f(uniform float a[], uniform float o[], uniform int n) { foreach (i = 0 ... n) o[i] = a[i] + 1; }"
    made = compile_source(text, "k.ispc", Options(DEVICES["ia64-f32x2"], level=2)).results["select"]
    tail = made[made.index(".masked:") : made.index("_start.f")]
    assert tail.count("ldfs") == tail.count("stfs") == 1
    assert "cmp" not in tail


# Target, parameters, body, types of the arrays, cycles for a gang: the bound, of slots and ports (IA-64 10, 11).
LOOPS: dict[str, tuple[str, str, str, list[Any], float]] = {
    "scale": ("ia64-f32x2", "uniform float a[], uniform float o[]", "o[i] = 2.5f * a[i];", [F, F], 0.5),
    "saxpy": ("ia64-f32x2", "uniform float a[], uniform float b[], uniform float o[]", "o[i] = 2.5f * a[i] + b[i];",
              [F, F, F], 0.75),
    "maximum": ("ia64-f32x2", "uniform float a[], uniform float b[], uniform float o[]", "o[i] = a[i] > b[i] ? a[i] : b[i];",
                [F, F, F], 0.75),
    "if and else": ("ia64-f32x2", "uniform float a[], uniform float o[]", "o[i] = a[i] > 0 ? a[i] * 2 : a[i] + 3;", [F, F], 2),
    "sum of int32": ("ia64-f32x2", "uniform int a[], uniform int b[], uniform int o[]", "o[i] = a[i] + b[i];", [W, W, W], 1),
    "product of int32": ("ia64-f32x2", "uniform int a[], uniform int b[], uniform int o[]", "o[i] = a[i] * b[i];",
                         [W, W, W], 4),
    "saturating sum": ("ia64-i8x8", "uniform uint8 a[], uniform uint8 b[], uniform uint8 o[]",
                       "o[i] = saturating_add(a[i], b[i]);", [U8, U8, U8], 1),
    "average": ("ia64-i8x8", "uniform uint8 a[], uniform uint8 b[], uniform uint8 o[]", "o[i] = avg_up(a[i], b[i]);",
                [U8, U8, U8], 1),
    "threshold": ("ia64-i8x8", "uniform uint8 a[], uniform uint8 o[]", "o[i] = a[i] > 100 ? 255 : 0;", [U8, U8], 0.75),
    "product of int16": ("ia64-i16x4", "uniform int16 a[], uniform int16 b[], uniform int16 o[]", "o[i] = a[i] * b[i];",
                         [S16, S16, S16], 1),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOPS)
def test_the_interval_of_a_packed_loop_is_the_bound(name: str, tmp_path: Path) -> None:
    target, parameters, body, types, bound = LOOPS[name]
    width = GANGS[target]
    k = compiled(f"export void f({parameters}, uniform int n) {{ foreach (i = 0 ... n) {{ {body} }} }}", target, tmp_path)
    taken = {}
    for gangs in (100, 300):
        n = gangs * width
        k.f(*(np.ones(n, dtype) for dtype in types), n)
        taken[gangs] = k.f.last_run.cycles
    assert taken[300] - taken[100] == 200 * bound


BLOCK = """
export uniform int sad(const uniform uint8 a[], const uniform uint8 b[], uniform int64 words, uniform int rows) {
    uniform int s = 0;
    const uniform uint8 * uniform p = a, * uniform q = b;
    for (uniform int y = 0; y < rows; y++) {
        s += reduce_add(abs((int)p[programIndex] - q[programIndex]))
           + reduce_add(abs((int)p[8 + programIndex] - q[8 + programIndex]));
        p += 8 * words;
        q += 8 * words;
    }
    return s;
}
"""


def test_a_row_of_absolute_differences_takes_two_cycles(tmp_path: Path) -> None:
    k = compiled(BLOCK, "ia64-i8x8", tmp_path)
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 256, (2, 216, 24), dtype=U8)
    taken = {}
    for rows in (1, 2, 16, 116, 216):
        wanted = np.abs(a[:rows, :16].astype(W) - b[:rows, :16]).sum()
        assert k.sad(a.ravel(), b.ravel(), 3, rows) == wanted
        taken[rows] = k.sad.last_run.cycles
    assert taken[216] - taken[116] == 100 * 2


@pytest.mark.parametrize(("start", "end", "step"), [(0, 7, 2), (3, 4, 4), (5, 5, 2), (6, 2, 8), (-9, 11, 4), (0, 64, 8)])
def test_loops_up_to_a_limit_iterate_as_often_as_they_should(start: int, end: int, step: int, tmp_path: Path) -> None:
    """Of signed and unsigned numbers, with and without the limit itself."""
    text = "".join(
        f"""export uniform int f{number}(uniform int o[], uniform {t} start, uniform {t} end) {{
            uniform int k = 0;
            uniform {t} i = start;
            do {{ o[k] = o[k] * 2 + 1; k++; i += {step}; }} while (i {relation} end);
            return k;
        }}"""
        for number, (t, relation) in enumerate((t, relation) for t in ("int64", "uint64") for relation in ("<", "<="))
    )
    k = compiled(text, "ia64-i8x8", tmp_path)
    for number in range(4):
        if start < 0 and number > 1:
            continue
        i, count = start, 0
        while True:
            count, i = count + 1, i + step
            if not (i < end if number % 2 == 0 else i <= end):
                break
        out = np.zeros(40, W)
        assert getattr(k, f"f{number}")(out, start, end) == count
        assert out.tolist() == [1] * count + [0] * (40 - count)
