"""The plugin for pytest: ``voltac_kernel`` runs a kernel on every width and by the interpreter, and reports what differs."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import voltac
from voltac.testing.widths import WidthsDiffer, compare_widths, widths_of_host

PROGRAM = """
export uniform float saxpy(uniform float s, uniform float x[n], uniform float y[n], uniform float out[n], uniform int n) {
    foreach (i = 0 ... n) out[i] = s * x[i] + y[i];
    return s;
}
export void width(uniform int out[]) { out[0] = programCount; }
export void last(uniform float a[n], uniform float out[n], uniform int n) {
    for (uniform int i = 0; i < n; i += programCount) {
        int at = i + programIndex;
        if (at < n - programCount) out[at] = a[at];
    }
}
export void fail(uniform int a) { assert(a != 3); }
"""


@pytest.fixture(scope="module")
def k() -> voltac.KernelModule:
    return voltac.compile(PROGRAM, file="widths.ispc")


def test_a_right_kernel_agrees_on_all_widths(k: voltac.KernelModule) -> None:
    x, y = np.random.default_rng(1).random((2, 100), np.float32)
    out = np.zeros_like(x)
    agreed = compare_widths(k.saxpy, 2.0, x, y, out, expect={"out": 2 * x + y, "result": 2})
    assert not out.any(), "it works on copies"
    np.testing.assert_allclose(agreed["out"], 2 * x + y, rtol=1e-6)
    assert agreed.result == 2 and len(agreed.targets) == len(widths_of_host()) >= 3
    assert compare_widths(k.saxpy, s=2.0, x=x, y=y, out=out, targets=["sse4.1-i32x4"]).targets == ("sse4.1-i32x4",)


def test_each_width_is_there_once() -> None:
    widths = [target.width for target in widths_of_host()]
    assert widths == sorted(set(widths)) and {4, 8, 16} <= set(widths)


def test_the_report_says_which_differ_and_where(k: voltac.KernelModule) -> None:
    with pytest.raises(WidthsDiffer) as caught:
        compare_widths(k["width"], np.zeros(1, np.int32))
    lines = str(caught.value).splitlines()
    assert lines[0] == "void width(uniform int32 * uniform out)"
    assert lines[1].startswith("differs on ")
    own = next(line for line in lines if f" {k.width} lanes" in line or line.split()[0] == k.target)
    assert own.endswith("as it should be")
    four = next(line for line in lines if "-i32x4 " in line or "-x4 " in line)
    assert f"out: 1 of 1 elements differ, the first at [0]: the interpreter has {k.width}, found 4" in four


def test_what_is_expected_counts_for_all(k: voltac.KernelModule) -> None:
    a = np.arange(1, 41, dtype=np.float32)
    with pytest.raises(WidthsDiffer) as caught:
        compare_widths(k.last, a, np.zeros_like(a), expect={"out": a})
    text = str(caught.value)
    assert "interpreter" in text and text.count("elements differ") == len(widths_of_host()) + 1
    with pytest.raises(TypeError, match=r"expect= has 'outt'; last\(\) has a, out, result"):
        compare_widths(k.last, a, a, expect={"outt": a})


def test_a_kernel_that_fails_says_so(k: voltac.KernelModule) -> None:
    with pytest.raises(WidthsDiffer, match=r"fails on every width: AssertionError: .*widths\.ispc"):
        compare_widths(k.fail, 3)


def test_wrong_arguments_are_told_as_in_a_call(k: voltac.KernelModule) -> None:
    with pytest.raises(TypeError, match="takes a kernel"):
        compare_widths(abs, 3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="takes 1 argument"):
        compare_widths(k.fail, 3, 4)
    with pytest.raises(TypeError, match="cannot be copied"):
        compare_widths(k.fail, [3])


def pytest_in(folder: Path, text: str) -> str:
    (folder / "test_it.py").write_text(text)
    words = ["-m", "pytest", "-q", "-p", "voltac.testing.plugin", "-p", "no:cacheprovider", "test_it.py"]
    return subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, text=True, check=False, timeout=100).stdout


def test_a_user_has_the_fixture(tmp_path: Path) -> None:
    text = f"""
import numpy as np, voltac

k = voltac.compile({PROGRAM!r})

def test_right(voltac_kernel):
    x = np.ones(10, np.float32)
    voltac_kernel(k.saxpy, 2.0, x, x, np.zeros_like(x), expect={{"out": 3}})

def test_wrong(voltac_kernel):
    voltac_kernel(k["width"], np.zeros(1, np.int32))
"""
    printed = pytest_in(tmp_path, text)
    assert "1 failed, 1 passed" in printed and "differs on" in printed and "Traceback" not in printed


def test_tests_that_do_not_use_it_import_nothing_of_the_compiler(tmp_path: Path) -> None:
    text = """
import sys

def test_nothing_is_there():
    there = {name for name in sys.modules if name.split(".")[0] in ("numpy", "llvmlite", "lark") or name.startswith("voltac.")}
    assert there <= {"voltac.system", "voltac.system.forking", "voltac.testing", "voltac.testing.plugin"}, there
"""
    assert "1 passed" in pytest_in(tmp_path, text)


def test_pytest_finds_the_plugin() -> None:
    project = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"voltac.testing.plugin": "voltac.testing.plugin"}


def test_the_fixture_is_what_compares(k: voltac.KernelModule) -> None:
    from voltac.testing import plugin

    made: Callable[..., Any] = plugin.voltac_kernel.__wrapped__()  # type: ignore[attr-defined]
    with pytest.raises(pytest.fail.Exception, match="differs on"):
        made(k["width"], np.zeros(1, np.int32))
