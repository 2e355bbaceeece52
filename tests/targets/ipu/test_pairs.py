"""Pairs of floats in ordinary code: what kernels compute, that pairs do it, and how many issues four elements take."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import voltac
from voltac.targets.ipu.assembly.program import assemble_vertices
from voltac.targets.ipu.simulator.vertex import run_vertex

Array = npt.NDArray[Any]
F32 = np.float32


@dataclass(frozen=True)
class Kernel:
    """A loop over x, y and z that writes o."""

    name: str
    body: str
    expected: Callable[[Array, Array, Array], Array]
    issues: float
    """Of a worker for four elements, in the steady state."""
    wanted: str
    """Mnemonics that there have to be."""

    @property
    def source(self) -> str:
        arrays = ", ".join(f"uniform float {name}[]" for name in "xyzo")
        return f"export void k({arrays}, uniform int n) {{ foreach (i = 0 ... n) {{ {self.body} }} }}"


def escape(cx: Array, cy: Array, z: Array) -> Array:
    """Turns until each point has left the circle, 50 at most."""
    x, y, count = np.zeros_like(cx), np.zeros_like(cx), np.zeros_like(cx)
    for _ in range(50):
        inside = x * x + y * y < F32(4)
        x, y = np.where(inside, x * x - y * y + cx, x), np.where(inside, F32(2) * x * y + cy, y)
        count += inside
    return count


def polynomial(x: Array, y: Array, z: Array) -> Array:
    value = ((F32(0.25) * x + F32(1.5)) * x - F32(3)) * x + F32(0.75)
    return value / (z + F32(1.5)) + (value - y) * x


def branches(x: Array, y: Array, z: Array) -> Array:
    other = np.where(x < F32(-1), x * x * F32(-0.5), x)
    return np.where(x > F32(1), (x - F32(1)) * x + F32(0.5), other)


KERNELS = [
    Kernel("polynomial", "float a = x[i]; float p = ((0.25f * a + 1.5f) * a - 3) * a + 0.75f;"
           "o[i] = p / (z[i] + 1.5f) + (p - y[i]) * a;", polynomial, 40, "f32v2mul f32v2add f32div ld64 st64"),
    Kernel("clamp by arrays", "float a = x[i]; if (a < y[i]) a = y[i]; if (a > z[i]) a = z[i]; o[i] = a;",
           lambda x, y, z: np.where((low := np.where(x < y, y, x)) > z, z, low), 25, "f32v2cmplt f32v2cmpgt and64 andc64 or64"),
    Kernel("branches", "float a = x[i], r; if (a > 1) r = (a - 1) * a + 0.5f; else if (a < -1) r = a * a * -0.5f; else r = a;"
           "o[i] = r;", branches, 88, "f32v2cmplt f32v2mul and64 andc64"),
    Kernel("quotient", "o[i] = (x[i] + y[i]) / (z[i] + 1.5f);",
           lambda x, y, z: (x + y) / (z + F32(1.5)), 16, "f32v2add f32div ld64 st64"),
    Kernel("signs", "float c = z[i]; o[i] = x[i] > y[i] ? -c : abs(x[i]);",
           lambda x, y, z: np.where(x > y, -z, np.abs(x)), 32, "f32v2cmpgt and64 andc64 or64"),
]  # fmt: skip
MANDELBROT = Kernel(
    "Mandelbrot",
    "float zx = 0, zy = 0, count = 0; while (zx * zx + zy * zy < 4 && count < 50) {"
    "float t = zx * zx - zy * zy + x[i]; zy = 2 * zx * zy + y[i]; zx = t; count += 1; } o[i] = count;",
    escape, 2400, "f32v2mul f32v2sub f32v2cmpgt and64 andc64",
)  # fmt: skip


def arrays_of(count: int) -> list[Array]:
    rng = np.random.default_rng(3)
    x, y, z = (rng.uniform(-2, 2, count).astype(F32) for _ in range(3))
    return [x, y, np.abs(z)]


def run(kernel: Kernel, count: int, folder: Path, target: str = "ipu-mk2") -> tuple[Array, int]:
    """The result, with 8 elements behind it, and the most issues of a worker."""
    path = folder / "k.ispc"
    path.write_text(kernel.source)
    loaded = voltac.load(path, target=target)
    out = np.full(count + 8, -7, F32)
    loaded.k(*arrays_of(count), out, count)
    report: Any = loaded.k
    return out, max(worker.issues for worker in report.last_run.workers)


@pytest.mark.parametrize("kernel", [*KERNELS, MANDELBROT], ids=lambda kernel: kernel.name)
def test_pairs_compute_what_scalars_would(kernel: Kernel, tmp_path: Path) -> None:
    found, issues = run(kernel, 6 * 4 * 16, tmp_path)
    expected = kernel.expected(*arrays_of(6 * 4 * 16))
    np.testing.assert_allclose(found[:-8], expected, rtol=2e-6, atol=1e-6)
    _, longer = run(kernel, 6 * 4 * 32, tmp_path)
    if kernel is not MANDELBROT:
        assert (longer - issues) / 16 <= kernel.issues


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
@pytest.mark.parametrize("count", [1, 3, 29])
def test_lanes_that_are_off_store_nothing(kernel: Kernel, count: int, tmp_path: Path) -> None:
    found, _ = run(kernel, count, tmp_path, "ipu-mk1")
    np.testing.assert_allclose(found[:-8], kernel.expected(*arrays_of(count)), rtol=2e-6, atol=1e-6)
    np.testing.assert_array_equal(found[-8:], np.full(8, -7, F32))


@pytest.mark.parametrize("kernel", [*KERNELS, MANDELBROT], ids=lambda kernel: kernel.name)
def test_the_instructions_are_those_of_pairs(kernel: Kernel, tmp_path: Path) -> None:
    path = tmp_path / "k.ispc"
    path.write_text(kernel.source)
    text = voltac.load(path, target="ipu-mk2").assembly("k")
    used = set(re.findall(r"[a-z]\w+", text))
    assert set(kernel.wanted.split()) <= used
    assert not used & {"f32mul", "f32add", "f32sub", "f32cmplt", "f32cmpgt"}


def test_both_halves_of_a_bundle_may_make_pairs() -> None:
    text = """
    .globl f
f:
    ld32 $m0, $mvertex_base, 0
    { ld64 $a0:1, $m0, 0 ; fnop }
    { ld64 $a2:3, $m0, 1 ; fnop }
    { ld64 $a4:5, $m0, 2 ; and64 $a0:1, $a0:1, $a2:3 }
    { st64 $a0:1, $m0, 0 ; or64 $a4:5, $a4:5, $a2:3 }
    st64 $a4:5, $m0, 2
    exitz $mzero
"""
    words = np.array([0xFF, 0xF0F0, 0x3C, 0xFFFF, 1, 2], np.uint32)
    run_vertex(assemble_vertices(text, "mk2"), [words], "f", 1)
    assert words.tolist() == [0x3C, 0xF0F0, 0x3C, 0xFFFF, 0x3D, 0xFFFF]


def test_a_zero_beside_another_constant_is_in_its_pair(tmp_path: Path) -> None:
    path = tmp_path / "k.ispc"
    path.write_text("export void k(uniform float o[], uniform int n) { foreach (i = 0 ... n) o[i + 1] = programIndex; }")
    out = np.full(33, -7, F32)
    voltac.load(path, target="ipu-mk2").k(out, 30)
    np.testing.assert_array_equal(out[1:31], np.arange(30, dtype=F32) % 4)


HALVES = "float16 a = x[i], b = y[i]; float16 r = a * b + a; if (r > b) r = r - b; o[i] = r;"


def branch_of_halves(x: Array, y: Array) -> Array:
    with np.errstate(all="ignore"):
        r = x * y + x
        return np.where(r > y, r - y, r)


def run_halves(x: Array, y: Array, folder: Path) -> tuple[Array, int]:
    path = folder / "k.ispc"
    arrays = ", ".join(f"uniform float16 {name}[]" for name in "xyo")
    path.write_text(f"export void k({arrays}, uniform int n) {{ foreach (i = 0 ... n) {{ {HALVES} }} }}")
    loaded = voltac.load(path, target="ipu-mk2")
    out = np.full(len(x) + 8, -7, np.float16)
    report: Any = loaded.k
    loaded.k(x, y, out, len(x))
    assert {"f32v2tof16", "f16v2tof32", "f32v2mul", "f32v2add"} <= set(re.findall(r"[a-z]\w+", loaded.assembly("k")))
    return out, report.last_run.bundles


@pytest.mark.parametrize("count", [1, 2, 3, 30, 101])
def test_halves_are_rounded_after_each_operation(count: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(count)
    x, y = (rng.uniform(-300, 300, count).astype(np.float16) for _ in range(2))
    x[::5], y[::7] = np.float16(60000), np.float16("-inf")
    x[::11] = np.nan
    found, _ = run_halves(x, y, tmp_path)
    np.testing.assert_array_equal(found[:-8], branch_of_halves(x, y))
    np.testing.assert_array_equal(found[-8:], np.full(8, -7, np.float16))


def test_bundles_of_halves(tmp_path: Path) -> None:
    counts = [run_halves(np.full(n, 1.5, np.float16), np.full(n, 0.5, np.float16), tmp_path)[1] for n in (384, 768)]
    assert (counts[1] - counts[0]) / 16 <= 170
