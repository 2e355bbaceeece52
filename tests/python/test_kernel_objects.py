"""Modules and kernels as Python objects: what they tell of themselves, how long they live, what they leak."""

from __future__ import annotations

import contextlib
import gc
import inspect
import subprocess
import sys
import threading
import time
import tracemalloc
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import voltac
from voltac import driver
from voltac.options import Options
from voltac.pipeline import Compilation

PROGRAM = """
// Adds one to each element.
export void increment(uniform int values[], uniform int count) {
    foreach (i = 0 ... count) values[i] += 1;
}
export uniform float half(uniform float x) { return x / 2; }
export void spin(uniform int turns, uniform int out[]) {
    uniform unsigned int state = 1;
    for (uniform int i = 0; i < turns; ++i) state = state * 2891336453u + 1;
    out[0] = state >> 1;
}
export void target(uniform int out[]) { out[0] = programCount; }
"""


@pytest.fixture(scope="module")
def k() -> voltac.KernelModule:
    return voltac.compile(PROGRAM, file="objects.ispc")


def test_a_kernel_tells_what_it_is(k: voltac.KernelModule) -> None:
    assert k.increment.signature == "void increment(uniform int32 * uniform values, uniform int32 count)"
    assert k.increment.__name__ == "increment"
    text = str(k.increment.__doc__)
    assert "Adds one to each element." in text
    assert "values: array of int32" in text and "count: integer of 32 bits, signed" in text
    assert list(inspect.signature(k.increment).parameters) == ["values", "count"]
    assert k.increment.signature in repr(k.increment)
    assert isinstance(k.increment, voltac.Kernel)
    assert callable(k.increment)


def test_a_module_tells_what_it_has() -> None:
    k = voltac.compile(PROGRAM, target="avx2-i32x8")
    assert k.target == "avx2-i32x8" and k.width == 8
    assert list(k) == ["increment", "half", "spin", "target"] and len(k) == 4 and "half" in k
    assert "increment" in dir(k) and "half" in repr(k)
    with pytest.raises(AttributeError) as caught:
        k.increnemt  # noqa: B018
    assert "increment" in dir(caught.value.obj), "what Python looks for suggestions in"
    assert str(caught.value).startswith("'module with increment, half, spin, target' object has no attribute 'increnemt'")
    many = voltac.compile("".join(f"export void k{n}() {{ }}\n" for n in range(14)), target="avx2-i32x8")
    with pytest.raises(AttributeError, match=r"^'module with k0, k1, .*, [.][.][.]' object has no"):
        many.other  # noqa: B018
    with pytest.raises(KeyError, match="exports no function 'hal'; did you mean 'half'"):
        k["hal"]


def test_a_kernel_named_like_a_member_is_reached_by_its_name(k: voltac.KernelModule) -> None:
    out = np.zeros(1, np.int32)
    k["target"](out)
    assert out[0] == k.width and isinstance(k.target, str)


def test_the_assembly_is_that_of_one_function() -> None:
    k = voltac.compile(PROGRAM, target="avx512skx-x16")
    text = k.assembly("increment")
    assert text.startswith("increment:") and "vpsub" in text + "vpsubd" and "ret" in text
    assert "half:" not in text and "half:" in k.assembly()
    assert k.increment.assembly() == text
    with pytest.raises(KeyError, match="no function 'incremnt'; did you mean 'increment'"):
        k.assembly("incremnt")


@pytest.mark.whole
def test_the_stub_is_what_a_type_checker_understands(k: voltac.KernelModule, tmp_path: Path) -> None:
    text = k.stub()
    assert "def increment(values: NDArray[np.int32] | None, count: int) -> None:" in text
    assert "def half(x: float) -> float: ..." in text
    (tmp_path / "kernels.pyi").write_text(text)
    (tmp_path / "user.py").write_text(
        "import numpy as np\nimport kernels\nkernels.increment(np.zeros(3, np.int32), 3)\nkernels.increment(3, 3)\n"
    )
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "mypy"), "--config-file", "", "user.py"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False).stdout
    assert "user.py:4: error" in found and "Found 1 error in 1 file" in found, found


def test_an_instance_made_by_hand_is_no_kernel(k: voltac.KernelModule) -> None:
    empty = object.__new__(type(k.increment))
    with pytest.raises(TypeError):
        empty()


def test_code_for_another_cpu_is_emitted_but_not_called(monkeypatch: pytest.MonkeyPatch) -> None:
    import voltac.llvm.host

    lacking = frozenset(voltac.llvm.host.instruction_sets() - {"avx2"})
    monkeypatch.setattr(voltac.llvm.host, "instruction_sets", lambda: lacking)
    k = voltac.compile(PROGRAM, target="avx2-i32x8")
    assert "ymm" in k.assembly("increment")
    with pytest.raises(voltac.CannotRun, match=r"target 'avx2-i32x8' can be emitted but not called here: this CPU has no avx2"):
        k.increment(np.zeros(3, np.int32), 3)


def test_the_code_lives_as_long_as_a_kernel_of_it() -> None:
    k = voltac.compile(PROGRAM)
    kernel, code = k.half, weakref.ref(k.half._code)
    del k
    gc.collect()
    assert code() is not None and kernel(3.0) == 1.5
    del kernel
    gc.collect()
    assert code() is None


def test_two_modules_of_one_source_do_not_share_their_globals() -> None:
    source = "static uniform int count = 0; export uniform int next() { return ++count; }"
    a, b = voltac.compile(source), voltac.compile(source)
    assert [a.next(), a.next(), b.next(), a.next()] == [1, 2, 1, 3]


def test_calls_leak_nothing(k: voltac.KernelModule) -> None:
    values = np.zeros(10, np.int32)
    kernel = k.increment

    def calls(times: int) -> None:
        for _ in range(times):
            kernel(values, 10)
            k.half(0.25)
            kernel(values.data, count=10)
            with contextlib.suppress(TypeError):
                kernel(values.astype(float), 10)

    calls(100)
    references = [sys.getrefcount(item) for item in (None, values, kernel, values.dtype)]
    grown = []
    tracemalloc.start()
    try:
        # A leak shows in every round; tables of the interpreter, which grow a few times at first, do not.
        for _ in range(6):
            before = tracemalloc.get_traced_memory()[0]
            calls(300)
            gc.collect()
            grown.append(tracemalloc.get_traced_memory()[0] - before)
    finally:
        tracemalloc.stop()
    assert min(grown) < 300 * 8, grown
    after = [sys.getrefcount(item) for item in (None, values, kernel, values.dtype)]
    # One a call would be 1,200 and more; what the interpreter does meanwhile with None is some hundred.
    assert all(abs(one - other) < 600 for one, other in zip(references, after)), (references, after)


def test_modules_leak_nothing() -> None:
    def once() -> None:
        voltac.compile(PROGRAM).half(1.0)

    def mapped() -> int:
        return sum("voltac" in line or " 00:00 0" in line for line in Path("/proc/self/maps").read_text().splitlines())

    for _ in range(5):
        once()
    gc.collect()
    before = mapped()
    for _ in range(50):
        once()
    gc.collect()
    assert mapped() <= before + 10


def test_other_threads_run_while_a_kernel_does(k: voltac.KernelModule) -> None:
    out = np.zeros(1, np.int32)
    turns = 1
    # As many turns as take a good while on this machine.
    while True:
        start = time.perf_counter()
        k.spin(turns, out)
        if time.perf_counter() - start > 0.2:
            break
        turns *= 2
    counted = 0
    done = threading.Event()
    worker = threading.Thread(target=lambda: (k.spin(turns, out), done.set()))  # type: ignore[func-returns-value]
    worker.start()
    while not done.is_set():
        counted += 1
        time.sleep(0.001)
    worker.join()
    # With the GIL held this thread would not have got a turn before the end.
    assert counted > 10


def test_threads_may_compile_at_once() -> None:
    sources = [f"export uniform int value() {{ return {number % 3} + 100; }}" for number in range(6)]
    results: dict[int, object] = {}

    def work(number: int) -> None:
        try:
            results[number] = voltac.compile(sources[number], cache=number % 2 == 0).value()
        except BaseException as error:
            results[number] = error

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(sources))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {number: number % 3 + 100 for number in range(len(sources))}


def test_nothing_is_compiled_twice_for_assembly_and_comparisons(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen: list[Options] = []
    real = driver.compile_source

    def counting(text: str, file: str, options: Options, *others: Any, **more: Any) -> Compilation:
        seen.append(options)
        return real(text, file, options, *others, **more)

    monkeypatch.setattr(driver, "compile_source", counting)
    monkeypatch.setenv("VOLTAC_CACHE_DIR", str(tmp_path / "cache"))
    k = voltac.compile("export void f(uniform float a[], uniform int n) { foreach (i = 0 ... n) a[i] += 1; }")
    assert len(seen) == 1
    assert "f:" in k.assembly() and k.assembly("f") == k.f.assembly()
    assert len(seen) == 2
    seen.clear()
    assert "all on" in str(k.f.compare(rounds=1))
    assert len(seen) == 3 and len(set(seen)) == 3
