"""Kernels for NaplesPU from Python: called on numpy arrays like any other, run on the simulator."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import voltac
from voltac.cli.command import main

SOURCE = """\
export void scale(uniform float a[], uniform float factor, uniform int n) {
    foreach (i = 0 ... n)
        a[i] *= factor;
}
export uniform int total(const uniform int a[], uniform int n) {
    int sum = 0;
    foreach (i = 0 ... n)
        sum += a[i];
    return reduce_add(sum);
}
export uniform float half(uniform float x) { return x * 0.5f; }
uniform int calls = 0;
export uniform int count() { calls += 1; return calls; }
"""


@pytest.fixture(scope="module")
def kernels() -> Any:
    return voltac.compile(SOURCE, target="naplespu", cache=False)


def test_arrays_are_changed_in_place(kernels: Any) -> None:
    x = np.arange(101, dtype=np.float32)
    kernels.scale(x, 2.0, 100)
    assert np.array_equal(x, np.append(2 * np.arange(100), 100).astype(np.float32))


def test_views_are_changed_where_they_are(kernels: Any) -> None:
    x = np.ones(64, np.float32)
    kernels.scale(x[5:], 3.0, 20)
    assert x.tolist() == [1.0] * 5 + [3.0] * 20 + [1.0] * 39


@pytest.mark.parametrize(("cores", "threads"), [(1, 1), (1, 8), (4, 8)])
def test_results_do_not_depend_on_the_machine(kernels: Any, cores: int, threads: int) -> None:
    a = np.arange(1000, dtype=np.int32)
    kernels.total.configure(cores=cores, threads=threads)
    assert kernels.total(a, 1000) == 499500
    x = np.arange(1000, dtype=np.float32)
    kernels.scale.configure(cores=cores, threads=threads)(x, 2.0, 1000)
    assert np.array_equal(x, 2 * np.arange(1000, dtype=np.float32))
    assert len(kernels.scale.last_run.threads) == cores * threads


def test_results_of_scalars_and_globals_that_stay(kernels: Any) -> None:
    assert kernels.half(3.0) == 1.5
    assert [kernels.count(), kernels.count()] == [1, 2]


def test_the_last_run_is_told(kernels: Any) -> None:
    fresh: Any = voltac.compile(SOURCE, target="naplespu", cache=False, launch={"threads": 2})
    assert fresh.scale.last_run is None
    fresh.scale(np.ones(256, np.float32), 2.0, 256)
    run: Any = fresh.scale.last_run
    assert run.instructions > 0 and run.cycles > run.instructions / 2
    assert run.data_misses >= 16
    assert 0.9 < run.lane_utilisation <= 1.0
    assert len(run.threads) == 2
    assert f"{run.instructions} instructions in {run.cycles} cycles" in str(run)


def test_faster_memory_takes_fewer_cycles(kernels: Any) -> None:
    cycles = {}
    for latency in (2, 100):
        kernels.scale.configure(cores=1, threads=1, latency=latency)(np.ones(512, np.float32), 2.0, 512)
        cycles[latency] = kernels.scale.last_run.cycles
    assert cycles[100] > cycles[2] + 32 * 90


def test_programs_are_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOLTAC_CACHE_DIR", str(tmp_path))
    file = tmp_path / "k.ispc"
    file.write_text(SOURCE)
    for _ in range(2):
        assert voltac.load(file, target="naplespu").half(5.0) == 2.5


def test_modules_tell_of_themselves(kernels: Any) -> None:
    assert (kernels.target, kernels.width) == ("naplespu", 16)
    assert "uniform float factor" in kernels.scale.signature
    assert kernels.assembly("scale").startswith("scale:") and "fmul_f32" in kernels.scale.assembly()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([1.0], 2.0, 1), TypeError, "must be an array of float32, not a list"),
        ((np.ones(4), 2.0, 4), TypeError, r"use x.astype\(np.float32\)"),
        ((np.ones(4, np.float32), "2", 4), TypeError, "must be a real number"),
        ((np.ones(4, np.float32), 2.0), TypeError, "missing: 'n'"),
        ((np.ones(4, np.float32), 2.0, 1 << 40), ValueError, "in the range"),
    ],
)
def test_arguments_are_checked(kernels: Any, arguments: tuple[Any, ...], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        kernels.scale(*arguments)


def test_launches_are_checked(kernels: Any) -> None:
    with pytest.raises(ValueError, match="threads must be 1 to 8, not 16"):
        kernels.scale.configure(threads=16)
    with pytest.raises(TypeError, match="is for devices"):
        voltac.compile("export void f() {}", target="sse4-i32x4", launch={"cores": 1})


def test_comparison_has_cycles(kernels: Any) -> None:
    found = kernels.scale.compare(elements=256)
    (function,) = found.functions
    assert function.unit == "cycles" and function.all_on.median < function.masked.median
    (construct,) = function.constructs
    assert construct.all_on.counts["store"] == 1
    assert "cycles an element" in str(found)


def test_a_comparison_takes_as_many_elements_as_the_device_has_room_for() -> None:
    text = "export void k(uniform float x[], uniform float y[], uniform float z[], uniform int n) {\n"
    text += "    foreach (i = 0 ... n) z[i] = x[i] + y[i];\n}\n"
    kernel: Any = voltac.compile(text, target="ipu-mk1").k
    (function,) = kernel.compare().functions
    assert function.all_on.median < function.masked.median and 4 <= function.elements < 4096
    with pytest.raises(MemoryError, match=rf"of its {256 << 10} are left; pass less at a time"):
        kernel.compare(elements=1 << 16)


# --- finished programs ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("program")
    (folder / "k.ispc").write_text(SOURCE)
    assert main(["--target=naplespu", str(folder / "k.ispc"), "-o", str(folder / "k.elf")]) == 0
    return folder / "k.elf"


def test_finished_programs_are_loaded(program: Path) -> None:
    k: Any = voltac.load(program, launch={"threads": 3})
    x = np.arange(50, dtype=np.float32)
    k.scale(x, 2.0, 50)
    assert np.array_equal(x, 2 * np.arange(50, dtype=np.float32))
    assert k.total(np.arange(9, dtype=np.int32), 9) == 36 and len(k.total.last_run.threads) == 3
    assert [k.count(), k.count()] == [1, 2]
    assert "fmul_f32" in k.scale.assembly() and "fmul_f32" not in k.count.assembly()
    with pytest.raises(ValueError, match="is a finished program: only its source has both paths"):
        k.scale.compare()


def test_files_that_are_no_programs_are_refused(program: Path, tmp_path: Path) -> None:
    content = bytearray(program.read_bytes())
    content[len(content) // 2] ^= 4
    damaged = tmp_path / "damaged.elf"
    damaged.write_bytes(content)
    with pytest.raises(ValueError, match=r"damaged.elf is no program for a device: its checksum does not fit"):
        voltac.load(damaged)
    with pytest.raises(ValueError, match="it is for machine 62"):
        damaged.write_bytes(b"\x7fELF\1\1\1" + bytes(9) + b"\2\0\x3e" + bytes(99))
        voltac.load(damaged)
    with pytest.raises(TypeError, match="is a finished program: option 'opt' is for compiling"):
        voltac.load(program, opt=1)
    with pytest.raises(ValueError, match="is a program for naplespu, not for 'host'"):
        voltac.load(program, target="host")


def test_threads_that_use_their_stacks_do_not_fight_for_the_cache() -> None:
    # What lies on the stacks: the lanes of an index that differs from lane to lane.
    source = """
    export void picked(const uniform int a[], uniform int out[], uniform int n) {
        foreach (i = 0 ... n) {
            int sum = 0;
            for (uniform int k = 0; k < 4; k++)
                sum += a[(i * 37 + k * sum) & 255];
            out[i] = sum;
        }
    }
    """
    values, out = np.arange(256, dtype=np.int32), np.zeros(512, np.int32)
    cycles = {}
    for threads in (1, 8):
        kernel: Any = voltac.compile(source, target="naplespu", launch={"threads": threads}).picked
        kernel(values, out, 512)
        cycles[threads] = kernel.last_run.cycles
    assert cycles[8] < 0.6 * cycles[1]


@pytest.mark.parametrize(("cores", "threads"), [(1, 1), (1, 8), (2, 4)])
def test_kernels_give_structs_back(cores: int, threads: int) -> None:
    source = """
    struct Pair { int a; float b; };
    struct One { int8 only; };
    struct Many { float v; int few[5]; bool on; };
    export uniform Pair pair(uniform int a, uniform float b) { uniform Pair p = { a + 1, b * 2 }; return p; }
    export uniform One one(uniform int a) { uniform One p = { (int8)a }; return p; }
    export uniform Many many(const uniform int few[], uniform float x) {
        uniform Many m;
        for (uniform int i = 0; i < 5; ++i)
            m.few[i] = few[i] - 1;
        m.v = x;
        m.on = true;
        return m;
    }
    """
    k = voltac.compile(source, target="naplespu", launch={"cores": cores, "threads": threads})
    assert k.pair(6, 1.5).tolist() == (7, 3.0)
    assert k.one(-3).tolist() == (-3,)
    found = k.many(np.arange(5, dtype=np.int32), 2.5)
    assert found["few"].tolist() == [-1, 0, 1, 2, 3] and found["v"] == 2.5 and found["on"]
