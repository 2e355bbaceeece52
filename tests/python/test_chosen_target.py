"""``target="auto"``: what is measured once decides, results stay those of the default, and the choice is kept."""

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import voltac
from voltac.llvm.host import host_target
from voltac.python import chosen_target
from voltac.report.measure import Ratio
from voltac.target_info import find_target

SAXPY = """\
export void saxpy(uniform float s, uniform float x[], uniform float y[], uniform int n) {
    foreach (i = 0 ... n)
        y[i] += s * x[i];
}
"""
SUM = """\
export uniform float sum(uniform float x[], uniform int n) {
    float partial = 0;
    foreach (i = 0 ... n)
        partial += x[i];
    return reduce_add(partial);
}
"""


@pytest.fixture(autouse=True)
def _few_targets_and_an_own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The default and two others: each is compiled for."""
    default, *others = chosen_target.candidates()
    picked = [target for target in others if target.isa == default.isa and target.width in (4, 8, 16)][:2]
    monkeypatch.setattr(chosen_target, "candidates", lambda: [default, *picked])
    monkeypatch.setenv("VOLTAC_CACHE_DIR", str(tmp_path / "cache"))


def stopwatch(nanoseconds: Callable[[str], float], monkeypatch: pytest.MonkeyPatch) -> None:
    """Times that the targets' names say, in place of those of the machine."""

    def timer(kernel: Any, arguments: list[Any]) -> Callable[[], float]:
        return lambda: nanoseconds(kernel.target)

    monkeypatch.setattr(chosen_target, "timer", timer)


def width_of(target: str) -> int:
    return find_target(target).width


def test_the_fastest_is_taken_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    stopwatch(lambda target: 100 if width_of(target) == 4 else 250, monkeypatch)
    module = voltac.compile(SAXPY, target="auto")
    assert module.width == 4
    assert module.saxpy.target == module.target
    choice = module.saxpy.target_choice
    assert choice is not None and choice.target == module.target
    speeds = {one.target: one.speed for one in choice.candidates}
    assert speeds[module.target] == Ratio(2.5, 2.5, 2.5)
    assert f"* {module.target}" in str(choice) and "2.50" in str(choice)
    x, y = np.ones(10, np.float32), np.ones(10, np.float32)
    module.saxpy(2.0, x, y, 10)
    assert y.tolist() == [3.0] * 10


def test_a_little_faster_is_not_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    stopwatch(lambda target: 98 if width_of(target) == 4 else 100, monkeypatch)
    assert voltac.compile(SAXPY, target="auto").target == host_target().name


def test_several_functions_decide_together(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = max(chosen_target.candidates(), key=lambda target: target.width).name
    first = {4: 10.0, width_of(wide): 90.0}
    second = {4: 90.0, width_of(wide): 5.0}

    def timer(kernel: Any, arguments: list[Any]) -> Callable[[], float]:
        times = first if kernel.__name__ == "saxpy" else second
        return lambda: times.get(width_of(kernel.target), 100.0)

    monkeypatch.setattr(chosen_target, "timer", timer)
    module = voltac.compile(SAXPY + SAXPY.replace("saxpy", "other"), target="auto")
    # Products of the ratios: 10 * 1.1 for four lanes, 1.1 * 20 for the widest.
    assert module.width == width_of(wide)


@pytest.mark.parametrize(
    "source", [SUM, "export void f(uniform int a[]) { a[0] = programCount; }"], ids=["sum", "programCount"]
)
def test_results_stay_those_of_the_default(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stopwatch(lambda target: width_of(target), monkeypatch)
    module = voltac.compile(source, target="auto")
    assert module.width == host_target().width
    assert module.target_choice is not None
    notes = {one.target: one.note for one in module.target_choice.candidates}
    assert all("other results" in note for target, note in notes.items() if width_of(target) != module.width)


def test_the_choice_is_kept_for_this_source(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[str] = []

    def in_child(measure: Callable[[], Any]) -> Any:
        measured.append("")
        return measure()

    monkeypatch.setattr(chosen_target, "in_child", in_child)
    stopwatch(lambda target: 100 if width_of(target) == 4 else 250, monkeypatch)
    first, again = (voltac.compile(SAXPY, target="auto") for _ in range(2))
    assert first.target == again.target and first.target_choice == again.target_choice
    assert len(measured) == 1
    voltac.compile(SAXPY.replace("+=", "-="), target="auto")
    assert len(measured) == 2
    voltac.compile(SAXPY, target="auto", cache=False)
    assert len(measured) == 3


def test_an_included_file_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "f.ispc").write_text('#include "g.isph"\n' + SAXPY)
    for width in (4, host_target().width):
        (tmp_path / "g.isph").write_text(f"// {width}\n")
        stopwatch(lambda target, best=width: 100 if width_of(target) == best else 250, monkeypatch)  # type: ignore[misc]
        assert voltac.load(tmp_path / "f.ispc", target="auto").width == width


def test_targets_that_do_not_compile_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    stopwatch(lambda target: width_of(target), monkeypatch)
    other = 4
    module = voltac.compile(f"#if TARGET_WIDTH == {other}\n#error not this one\n#endif\n" + SAXPY, target="auto")
    assert module.target_choice is not None
    assert module.width != other
    assert any("does not compile" in one.note for one in module.target_choice.candidates)


def test_programs_with_errors_are_refused() -> None:
    with pytest.raises(voltac.CompileError, match="undefined_name"):
        voltac.compile("export void f() { undefined_name = 1; }", target="auto")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("export void f(uniform int a[]) { *((uniform int * uniform)8) = 1; }", "ended by signal"),
        ("export void f(uniform int (* uniform g)(uniform int)) { g(1); }", "takes a function"),
        ("export void f(uniform int n) { assert(n > 1000000); }", "n > 1000000"),
    ],
    ids=["crash", "function", "assertion"],
)
def test_what_cannot_be_measured_stays_at_the_default(source: str, reason: str) -> None:
    module = voltac.compile(source, target="auto")
    assert module.target == host_target().name
    assert module.target_choice is not None
    assert "nothing could be measured" in module.target_choice.note and reason in module.target_choice.note


def test_other_targets_have_no_choice() -> None:
    module = voltac.compile(SAXPY)
    assert module.target_choice is None and module.saxpy.target_choice is None


def test_a_copy_elsewhere_has_the_same_target(monkeypatch: pytest.MonkeyPatch) -> None:
    stopwatch(lambda target: 100 if width_of(target) == 4 else 250, monkeypatch)
    kernel = voltac.compile(SAXPY, target="auto").saxpy
    assert pickle.loads(pickle.dumps(kernel)).target == kernel.target


def test_it_measures_on_this_machine() -> None:
    code = f"import voltac; m = voltac.compile({SAXPY!r}, target='auto'); print(m.target); print(m.target_choice)"
    environment = {**os.environ, "VOLTAC_HOST_CPU": "haswell"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    if "can pass for a lesser one only" in done.stderr:
        pytest.skip(done.stderr.strip().splitlines()[-1])
    target, _, *rows = done.stdout.splitlines()
    assert target.startswith("avx2-") and len(rows) == len([row for row in rows if "avx2-" in row]) >= 3
