"""``k.f.bench(...)`` and ``voltac bench``: the forms that are measured, and what is said of their times."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import voltac
from voltac.python import bench_kernels, machine_limits
from voltac.report.bench import Bench
from voltac.report.bench_results import Level, Limits

SAXPY = """\
export void saxpy(uniform float s, uniform float x[], uniform float y[], uniform float out[], uniform int n) {
    foreach (i = 0 ... n)
        out[i] = s * x[i] + y[i];
}
"""
LIMITS = Limits((Level("L1", 24 << 10, 100.0), Level("L2", 1 << 20, 50.0)), 200.0, "some-target")


@pytest.fixture
def stopwatch(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """Target -> nanoseconds of a call, of the machine that the tests are about; its levels are L1 and L2."""
    times = {"sse4.2-i32x4": 4000.0, "avx2-i32x8": 2000.0, "generic-i32x1": 16000.0}

    def timer(kernel: Any, arguments: list[Any]) -> Callable[[], float]:
        kernel(*arguments)
        return lambda: times[kernel.target]

    monkeypatch.setattr(bench_kernels, "timer", timer)
    monkeypatch.setattr(bench_kernels, "machine_limits", lambda build, sizes: LIMITS)
    monkeypatch.setattr(bench_kernels, "level_sizes", lambda: ({"L1": 24 << 10, "L2": 1 << 20}, {"L3": "there is none"}))
    return times


@pytest.fixture
def found(stopwatch: dict[str, float]) -> Bench:
    return voltac.compile(SAXPY).saxpy.bench(targets=["sse4-i32x4", "avx2-i32x8"], rounds=3)


def test_every_target_has_its_paths_and_one_lane_is_scalar(found: Bench) -> None:
    paths = ["both", "all on", "masked"]
    wide = [("sse4.2-i32x4", 4, path) for path in paths] + [("avx2-i32x8", 8, path) for path in paths]
    assert list(found.forms) == [*wide, ("generic-i32x1", 1, "scalar")]
    assert found.levels == ("L1", "L2")
    assert found.notes == ("L3 was left out: there is none",)


def test_arrays_fill_their_level(found: Bench) -> None:
    for level, size in (("L1", 24 << 10), ("L2", 1 << 20)):
        (elements,) = {row.elements for row in found.rows if row.level == level}
        assert 0.95 * size <= 12 * elements <= size and elements % 64 == 0


def test_times_are_compared_with_the_limits(found: Bench) -> None:
    # Two operations and three numbers an element: 12 bytes at 100 GB/s take 0.12 ns, 2 at 200 GFLOP/s 0.01.
    assert (found.operations, found.traffic) == (2, 12)
    assert found.bound("L1") == pytest.approx(0.12) and found.bound("L2") == pytest.approx(0.24)
    row = found.row("avx2-i32x8", "both", "L1")
    assert row is not None
    assert row.time.median == pytest.approx(2000 / row.elements)
    assert found.share(row) == pytest.approx(0.12 * row.elements / 2000)
    assert found.fastest("L1").target == "avx2-i32x8"


def test_the_table_marks_the_fastest(found: Bench) -> None:
    marked = [line.split()[:3] for line in str(found).splitlines() if line.startswith("*")]
    assert marked == [["*", "avx2-i32x8", "both"]] * 2
    rows = json.loads(found.json())["rows"]
    assert {row["level"] for row in rows} == {"L1", "L2"} and len(rows) == 14
    assert "100 GB/s" in found.html() and "avx2-i32x8" in found._repr_html_()


def test_arguments_may_be_given(stopwatch: dict[str, float]) -> None:
    x = np.arange(100, dtype=np.float32)
    given = {"s": 2.0, "x": x, "y": x, "out": (out := np.zeros(100, np.float32)), "n": 100}
    kernel = voltac.compile(SAXPY).saxpy
    found = kernel.bench(targets=["sse4-i32x4"], data=given, rounds=1)
    assert found.levels == ("data",)
    assert {row.elements for row in found.rows} == {100}
    assert (found.operations, found.traffic) == (2, 12)
    assert not out.any()
    with pytest.raises(ValueError, match="no parameter 'z'"):
        kernel.bench(data=given | {"z": x})
    with pytest.raises(ValueError, match="has no 'x'"):
        kernel.bench(data={"s": 2.0})


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        (SAXPY, {"targets": ["avx3"]}, "unknown target 'avx3'"),
        (SAXPY, {"targets": ["naplespu"]}, "is a device"),
        (SAXPY, {"sizes": ["L9"]}, "sizes are of L1, L2, L3, MEM, not 'L9'"),
        ("export void f(uniform int (* uniform g)(uniform int)) { g(1); }", {}, "takes a function"),
        ("export void f(uniform int n) { assert(n > 1000000); }", {"sizes": ["L1"], "targets": ["sse4"]}, "cannot be measured"),
    ],
)
def test_what_cannot_be_measured_says_why(source: str, options: dict[str, Any], message: str, stopwatch: object) -> None:
    (kernel,) = (module[name] for module in (voltac.compile(source),) for name in module)
    with pytest.raises(ValueError, match=message):
        kernel.bench(**options)


def test_caches_are_those_of_the_c_library() -> None:
    for name, size in machine_limits.cache_sizes().items():
        if name not in ("L1", "L2"):
            continue  # of AMD's third level glibc tells that of all groups of cores together
        variable = f"LEVEL{name[1:]}_{'D' if name == 'L1' else ''}CACHE_SIZE"
        told = subprocess.run(["getconf", variable], capture_output=True, text=True).stdout.strip()
        assert told in (str(size), "0", "")
    sizes, _ = machine_limits.level_sizes()
    assert list(sizes.values()) == sorted(sizes.values())


def test_the_command_measures_this_machine(tmp_path: Path) -> None:
    (tmp_path / "f.ispc").write_text(SAXPY)
    x = np.ones(1000, np.float32)
    np.savez(tmp_path / "d.npz", s=np.float32(2), x=x, y=x, out=x, n=1000)
    command = [sys.executable, "-m", "voltac", "bench", "f.ispc", "--targets=sse4,avx2", "--sizes=L1", "--rounds", "2"]
    done = subprocess.run([*command, "--data=d.npz", "--json"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["limits"]["peak"] > 1 and data["limits"]["levels"][0]["bandwidth"] > 1
    assert all(0 < row["time"]["median"] < 1000 for row in data["rows"])
    assert [row["target"] for row in data["rows"]][::3] == ["sse4.2-i32x4", "avx2-i32x8", "generic-i32x1"]
    for words in (["--data=none.npz"], ["--data=f.ispc"], ["--targets=x"], ["more.ispc"]):
        failed = subprocess.run([*command, *words], cwd=tmp_path, capture_output=True, text=True)
        assert failed.returncode in (1, 2) and "Error: " in failed.stderr and "Traceback" not in failed.stderr
