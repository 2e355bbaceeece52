"""Calls of kernels in an aarch64 Python, which an emulator runs (``tests/support/aarch64_python.sh`` fetches it)."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / "build/aarch64"
LACKING = (
    "needs qemu-aarch64 of Debian's package qemu-user" if shutil.which("qemu-aarch64") is None
    else "" if (PYTHON / "python").exists()
    else "needs a Python for aarch64: run 'sh tests/support/aarch64_python.sh'"
)  # fmt: skip
pytestmark = pytest.mark.skipif(LACKING != "", reason=LACKING)


def emulated(*words: str, cache: Path, timeout: float = 1500) -> subprocess.CompletedProcess[str]:
    """The aarch64 Python with these arguments."""
    python = PYTHON / "root/usr/bin" / (PYTHON / "python").read_text().strip()
    paths = {"PYTHONPATH": f"{PYTHON / 'site'}:{ROOT}", "XDG_CACHE_HOME": str(cache), "PYTHONDONTWRITEBYTECODE": "1"}
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("VOLTAC", "PYTEST"))} | paths
    command = ["qemu-aarch64", "-L", str(PYTHON / "root"), str(python), *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=timeout, cwd=ROOT)


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> list[list[str]]:
    """The lines that the program writes, the first time and the second."""
    cache = tmp_path_factory.mktemp("cache")
    runs = [emulated("-W", "ignore", "tests/support/aarch64_calls.py", cache=cache) for _ in range(2)]
    assert [run.stderr for run in runs] == ["", ""]
    return [run.stdout.splitlines() for run in runs]


@pytest.fixture(scope="module")
def found(calls: list[list[str]]) -> dict[str, Any]:
    results: dict[str, Any] = json.loads(calls[0][-1])
    return results


def test_results_are_those_of_numpy(found: dict[str, Any]) -> None:
    assert found["target"] == "neon-i32x4"
    x = np.arange(100, dtype=np.float32)
    assert found["saxpy"] == (2 * x + np.float32(0.5)).tolist()
    points = np.linspace(0, 5, 333)
    assert found["sums"] == pytest.approx((np.sin(points) + points**3).sum(), rel=1e-13)
    assert found["middle"] == [9, 10]
    assert found["given"] == pytest.approx(2 * np.exp(1.5), rel=1e-15)
    numbers = np.arange(1000) ** 2
    assert found["squares"] == numbers.tolist()
    assert found["far"] == (-x).tolist()
    assert found["ufunc"] == [[3], [4]]


def test_failures_are_exceptions(found: dict[str, Any]) -> None:
    """Those of tasks on other threads, too."""
    assert found["zero"].startswith("ZeroDivisionError: f.ispc:16:") and "lanes 2, 3" in found["zero"]
    assert found["assert"].startswith("AssertionError: f.ispc:15:")
    assert found["task"].startswith("AssertionError: f.ispc:34:")
    assert found["short"].startswith("ValueError: saxpy(): ")
    assert found["checked"].startswith("IndexError: ") and "writes a[50], and a has 50 elements" in found["checked"]


def test_code_for_another_architecture_is_not_called(found: dict[str, Any]) -> None:
    assert found["other"].startswith("CannotRun: code for target 'avx2-i32x8' can be emitted but not called here")
    assert "this process runs on aarch64; the best target for it is 'neon-i32x4'" in found["other"]


def test_entry_points_read_objects_directly(found: dict[str, Any]) -> None:
    assert found["direct"]


def test_prints_reach_standard_output(calls: list[list[str]]) -> None:
    assert [lines[0] for lines in calls] == ["5 of 4"] * 2


def test_the_cache_serves_the_second_process(calls: list[list[str]]) -> None:
    """Which links the code without LLVM."""
    first, second = (json.loads(lines[-1]) for lines in calls)
    assert (first.pop("llvmlite"), second.pop("llvmlite")) == (True, False)
    assert first == second
