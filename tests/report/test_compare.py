"""``compare`` shows what the two paths differ in; what must differ follows from what masks are."""

import json
import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from command_server import run_command

import voltac
from voltac.llvm.host import can_run
from voltac.python.compare_paths import Comparison
from voltac.report import comparison
from voltac.report.comparison_page import comparison_page
from voltac.report.measure import Ratio, median_interval
from voltac.target_info import find_target

SOURCE = """\
export void scale(uniform float a[], uniform float s, uniform int n) {
    foreach (i = 0 ... n) {
        float x = a[i] * s;
        cif (x > 100)
            a[i] = sqrt(x);
        else
            a[i] = x;
    }
}
export uniform int answer() { return 42; }
"""


def compared(target: str, **options: object) -> Comparison:
    module = voltac.compile(SOURCE, target=target)
    found = module.scale.compare(rounds=5, **options)
    assert isinstance(found, Comparison)
    return found


MASK_WORK = {"masked load", "masked store", "blend", "mask arithmetic"}


@pytest.mark.parametrize("target", ["sse4-i32x4", "avx2-i32x8", "avx512skx-x16"])
def test_the_all_on_path_does_no_work_for_masks(target: str) -> None:
    (function,) = compared(target, elements=256).functions
    foreach, cif = function.constructs
    assert (foreach.kind, foreach.line, cif.kind, cif.line) == ("foreach", 2, "cif", 4)
    assert cif.all_on.assembly and MASK_WORK.isdisjoint(cif.all_on.counts)
    assert MASK_WORK & set(cif.masked.counts)
    if target != "sse4-i32x4":
        assert foreach.masked.counts["masked load"] >= 1


@pytest.mark.parametrize("level", [1, 2, 3])
def test_a_path_whose_work_is_a_loop_is_shown_whole(level: int) -> None:
    """LLVM joins the path's first block with the loop's; rows around the foreach are not part of it."""
    source = """
    export void f(uniform float a[], const uniform float b[], uniform int n, uniform int m) {
        for (uniform int y = 0; y < m; y++)
            foreach (i = 0 ... n) {
                float sum = 0;
                for (uniform int k = 0; k < m; k++)
                    sum += b[i + k];
                a[y * n + i] = sqrt(sum);
            }
    }
    """
    found = voltac.compile(source, target="avx2-i32x8", opt=level).f.compare(rounds=2)
    assert isinstance(found, Comparison)
    (construct,) = found.functions[0].constructs
    assert construct.all_on.counts["vector arithmetic"] >= 2
    assert construct.all_on.counts["store"] >= 1
    assert "masked load" not in construct.all_on.counts
    assert construct.masked.counts["masked load"] >= 1


def test_times_cover_both_paths_and_every_tail() -> None:
    if not can_run(find_target("avx2-i32x8")):
        pytest.skip("this CPU has no AVX2")
    (function,) = compared("avx2-i32x8", elements=256).functions
    assert function.all_on is not None and function.masked is not None
    assert function.all_on.median > 0 and function.masked.median > 0
    assert len(function.tails) == 8


def test_own_arguments_are_used() -> None:
    a = np.ones(64, np.float32)
    (function,) = compared("host", arguments=(a, 1.0, 64), elements=64).functions
    assert "given arguments" in function.arguments


def test_a_kernel_that_crashes_costs_no_more_than_its_times() -> None:
    wild = voltac.compile("""\
export void wild(uniform float * uniform a, uniform int n) {
    // Not every call gets there, so that arguments of any length are taken.
    foreach (i = 0 ... n)
        if (n > 0)
            a[i * (int64)100000000] = 1;
}
""")
    (function,) = wild.wild.compare(rounds=3, elements=256).functions
    assert function.all_on is None
    assert "signal" in function.note


SHORT = comparison.Timing(2.0, 1.9, 2.1)


def measured(ratio: Ratio, *costs: comparison.Timing) -> comparison.FunctionComparison:
    times = (SHORT,) * (len(costs) + 1)
    zero = comparison.Timing(0.0, 0.0, 0.0)
    return comparison.FunctionComparison(
        "f", "f()", "sse4.2-i32x4", 4, (), 64, SHORT, SHORT, times, "my arguments", ratio=ratio, tail_costs=(zero, *costs)
    )


def test_noise_is_not_a_difference() -> None:
    noisy = measured(Ratio(1.1, 0.9, 1.3), comparison.Timing(3.0, -2.0, 9.0), comparison.Timing(8.0, 6.0, 9.0))
    text = comparison.to_text([noisy], 120)
    assert "no clear difference, 1.10 times as long (0.90..1.30)" in text
    assert "adds to a call of 2 ns: ~ +8 ns; ~ is no clear difference" in text
    page = comparison_page([noisy], "f")
    assert "no clear difference" in page and "title='1 more: no clear difference: +3 ns (-2..+9)'" in page
    quiet = comparison_page([measured(Ratio(1.5, 1.4, 1.6), comparison.Timing(3.0, -2.0, 9.0))], "f")
    assert "1.50 times as long (1.40..1.60)" in quiet
    assert "nothing that is clear" in quiet and "class=tails" not in quiet


def test_the_interval_of_a_median_holds_the_median() -> None:
    """Of an exponential distribution, which is not symmetric, it is ln 2."""
    random = np.random.default_rng(5)
    for count in (12, 25, 100):
        found = [median_interval(random.exponential(size=count)) for _ in range(2000)]
        assert sum(low <= np.log(2) <= high for _, low, high in found) / 2000 > 0.98
        assert all(low <= median <= high for median, low, high in found)
    assert median_interval([3.0]) == (3.0, 3.0, 3.0)


def test_branches_lead_to_labels(tmp_path: Path) -> None:
    (function,) = compared("avx2-i32x8", elements=64).functions
    for construct in function.constructs:
        for path in (construct.all_on, construct.masked):
            labels = {line[:-1] for line in path.lines if line.endswith(":")}
            branches = [line for line in path.lines if line.startswith("j")]
            assert all("# to " in line or line.split()[1] in labels for line in branches)
            assert len(path.lines) == len(path.assembly) + len(labels)
    assert "return" in " ".join(function.constructs[0].masked.lines)


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "k.ispc").write_text(SOURCE)
    done = run_command(["compare", *words], folder, None, {**os.environ})
    return subprocess.CompletedProcess(words, done.code, done.out.decode(), done.err.decode())


def test_the_command_prints_both_paths(tmp_path: Path) -> None:
    done = run(tmp_path, "k.ispc", "--target=avx2", "--elements", "256")
    assert done.returncode == 0, done.stderr
    assert "foreach at 2:5" in done.stdout and "cif at 4:9" in done.stdout
    assert "one path only" in done.stdout  # answer() has neither


def test_short_loops_say_that_a_turn_has_two_gangs(tmp_path: Path) -> None:
    source = tmp_path / "twice.ispc"
    source.write_text("export void twice(uniform float a[], uniform int n) { foreach (i = 0 ... n) a[i] = a[i] * 2; }")
    done = run(tmp_path, "twice.ispc", "--target=avx2-i32x8", "--elements", "256")
    assert re.search(r"  store +2 +[01]\n", done.stdout) and re.search(r"  gangs a turn +2 +1\n", done.stdout), done.stdout


def test_the_page_is_self_contained_and_json_is_json(tmp_path: Path) -> None:
    done = run(tmp_path, "k.ispc", "--target=avx2", "--function", "scale", "--html", "page.html", "--json", "--elements", "256")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "page.html").read_text()
    assert "class=bars" in page and "http" not in page and "<script" not in page
    (row,) = json.loads(done.stdout)
    assert row["function"] == "scale" and row["constructs"][0]["all_on"]["counts"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("k.ispc", "--function", "scael"), "no exported function is called 'scael'"),
        (("k.ispc", "--elements", "3", "--target=avx2"), "elements is 3"),
        (("missing.ispc",), "missing.ispc"),
        ((), "takes one file"),
    ],
)
def test_mistakes_are_one_clear_error(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    done = run(tmp_path, *words)
    assert done.returncode in (1, 2)
    assert said in done.stderr and "Traceback" not in done.stderr
