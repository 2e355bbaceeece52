"""Passes as data: printed, timed, left out, counted, stopped after, bisected; results do not depend on those left out."""

import io
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from run_programs import RunTest, interpret_ir, options, read_run_test
from simulated import difference, for_device, naplespu_launch, simulate

from voltac.cli.bisect import first_bad
from voltac.cli.command import main
from voltac.driver import compile_source
from voltac.ir.model import Module
from voltac.messages.diagnostics import Diagnostics, InternalError
from voltac.options import Options
from voltac.pass_runs import Pass, PassRuns, Stopped
from voltac.pipeline import EVERY_STAGE, Compilation, Watch, passes_of, stages_of
from voltac.target_info import TargetInfo, find_target

SAXPY = """\
export void saxpy(uniform float s, uniform float x[], uniform float y[], uniform float out[], uniform int n) {
    foreach (i = 0 ... n)
        out[i] = s * x[i] + y[i];
}
"""
HERE = Path(__file__).parent
AVX2, NAPLESPU = find_target("avx2-i32x8"), find_target("naplespu")
PROGRAMS = [
    read_run_test(HERE / "run" / f"{name}.ispc")
    for name in (
        "memory/unsigned_and_wide_indices", "memory/pixels_of_three_bytes", "memory/matrix_product",
        "memory/strided_reads", "memory/bytes_are_gathered_and_scattered", "control/foreach_tiled_spans",
    )

]  # fmt: skip


def compiled(program: RunTest, target: TargetInfo, runs: PassRuns) -> Compilation:
    text = for_device(program.path.read_text()) if target.is_device else program.path.read_text()
    return compile_source(text, str(program.path), options(target), Diagnostics(), watch=Watch(passes=runs))


def wrong(program: RunTest, job: Compilation) -> str:
    """What is wrong with what the program computes; empty if nothing."""
    if job.options.target.is_device:
        return difference(program, *simulate(job, naplespu_launch(latency=2)))
    return program.difference(*interpret_ir(job.optimized.text(), by_llvm=True), job.options.target.width)


def optional(target: TargetInfo) -> list[str]:
    return [row.name for row in passes_of(target).values() if not row.required]


# --- the table


@pytest.mark.parametrize("target", [AVX2, NAPLESPU], ids=str)
def test_every_pass_has_a_name_of_its_own_and_a_sentence(target: TargetInfo) -> None:
    rows = [row for stage in stages_of(target) for row in stage.passes(target)]
    assert len({row.name for row in rows}) == len(rows)
    names = {stage.name for stage in EVERY_STAGE} - {"legalize", "select"}
    for row in rows:
        assert row.name.isidentifier() and row.name not in names
        assert len(row.purpose.split()) >= 3 and not row.purpose.endswith(".")


# --- what a result does not depend on


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.path.stem)
def test_no_result_depends_on_passes_that_can_be_left_out(program: RunTest) -> None:
    generator = random.Random(program.path.stem)
    for target in (AVX2, NAPLESPU):
        left_out = [generator.sample(optional(target), 3), generator.sample(optional(target), 6), optional(target)]
        for names in left_out:
            assert not wrong(program, compiled(program, target, PassRuns(disabled=frozenset(names)))), names
        limit = generator.randrange(len(optional(target)))
        assert not wrong(program, compiled(program, target, PassRuns(limit=limit, verifies=True))), limit


@pytest.mark.long
@pytest.mark.parametrize("target", [AVX2, find_target("sse4-i32x4"), NAPLESPU], ids=str)
def test_no_result_depends_on_any_one_pass(target: TargetInfo) -> None:
    for path in sorted((HERE / "run" / "memory").glob("*.ispc")):
        program = read_run_test(path)
        if target.is_device and "double" in program.path.read_text():
            continue
        for name in optional(target):
            assert not wrong(program, compiled(program, target, PassRuns(disabled=frozenset([name])))), (path.stem, name)


def test_the_modules_between_passes_are_well_formed() -> None:
    for program in PROGRAMS:
        compiled(program, AVX2, PassRuns(verifies=True))


def test_a_pass_that_leaves_something_wrong_is_found_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def spoil(module: Module, options: Options) -> None:
        module.functions[0].blocks[0].instructions.pop()

    spoiled = (Pass("spoil", "takes a terminator away", spoil),)
    monkeypatch.setattr("voltac.passes.PASSES", spoiled)
    with pytest.raises(InternalError, match="passes"):
        compiled(PROGRAMS[0], AVX2, PassRuns(verifies=True))


# --- looking


def lines_of(**wanted: Any) -> list[str]:
    output = io.StringIO()
    watch = Watch(passes=PassRuns(output=output, **wanted))
    compile_source(SAXPY, "saxpy.ispc", Options(target=AVX2), Diagnostics(), watch=watch)
    return output.getvalue().splitlines()


def test_time_passes_names_each_that_runs_and_whether_it_changed_anything() -> None:
    rows = [line.split() for line in lines_of(time=True)]
    ran = [name for name, row in passes_of(AVX2).items() if row.applies(Options(target=AVX2))]
    assert [row[0] for row in rows] == ran
    found = {row[0]: row[-1] for row in rows}
    assert found["resolve_accesses"] == found["promote"] == "changed"
    # There are no bytes in it.
    assert found["narrow_arithmetic"] == found["widen_gangs"] == "-"


def test_print_changed_prints_what_changes_and_names_what_does_not() -> None:
    lines = lines_of(print_changed=True)
    assert "; after resolve_accesses" in lines and "; widen_gangs changed nothing" in lines
    assert "; after widen_gangs" not in lines


@pytest.mark.parametrize("target", ["avx2-i32x8", "naplespu"])
def test_stop_after_writes_what_the_pass_has_made(tmp_path: Path, target: str, capsys: pytest.CaptureFixture[str]) -> None:
    source, made = tmp_path / "f.ispc", tmp_path / "f.txt"
    source.write_text(SAXPY)
    for name, row in passes_of(find_target(target)).items():
        if row.applies(Options(target=find_target(target), level=2)):
            words = [str(source), f"--target={target}", f"--stop-after={name}", "-o", str(made), "-O2", "--pic"]
            assert main(words) == 0, capsys.readouterr().err
            assert "saxpy" in made.read_text(), name
            assert ("call void @volta.scatter" in made.read_text()) == (name in BEFORE_RESOLVING), name


BEFORE_RESOLVING = {
    "inline", "promote", "promote_masked", "promote_counted", "name_values", "merge_equal_values", "choose_fused",
    "test_wrapping_indices", "flatten_branches", "copy_whole",
    "narrow_arithmetic", "widen_gangs", "exchange_lanes", "walk_branches", "walk_runs", "load_row_blocks", "store_row_blocks",
    "version_distances", "align_stores", "overlap_last_gangs", "divide_rests", "jam_rows", "jam_stencils", "peel_clamped",
    "unroll_members", "join_members", "reduce_members", "choose_once", "do_rows_in_turn", "change_lanes_in_turn",
    "choose_wanted", "copy_records", "count_bits", "subtract_for_remainders", "find_extremes",
    "narrow_uniform_bounds", "compute_once", "access_single_lanes", "bound_addends",
}  # fmt: skip


def test_a_limit_counts_what_can_be_left_out() -> None:
    runs = PassRuns(limit=2)
    rows = (
        Pass("a", "one two three", print),
        Pass("b", "one two three", print, required=True),
        Pass("c", "one two three", print),
        Pass("d", "one two three", print, lambda options: False),
        Pass("e", "one two three", print),
        Pass("f", "one two three", print, required=True),
    )
    assert [row.name for row in runs.of(rows, Options(target=AVX2), str)] == ["a", "b", "c", "f"]
    assert runs.ran == ["a", "c"]
    with pytest.raises(Stopped, match="text"):
        list(PassRuns(stop_after="c").of(rows, Options(target=AVX2), lambda: "text"))


# --- bisecting


@pytest.mark.parametrize("last", [1, 2, 7, 30])
def test_the_first_bad_limit_is_found(last: int) -> None:
    for first in range(1, last + 1):
        assert first_bad(last, first.__gt__) == first


def test_bisect_names_the_pass_that_makes_it_bad(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "f.ispc"
    source.write_text("export void mark_good(uniform int a[]) { a[programIndex] = 1; }\n")
    check = "grep -q mark_good $VOLTAC_OBJECT"

    def spoil(module: Module, options: Options) -> None:
        for function in module.functions:
            function.header = function.header.replace("mark_good", "mark_bads")
            for call in function.instructions():
                call.text = call.text.replace("@mark_good", "@mark_bads")

    from voltac import passes

    rows = passes.PASSES
    place = [row.name for row in rows].index("narrow_arithmetic")
    spoiled = (*rows[:place], Pass("spoil", "gives it another name", spoil), *rows[place:])
    monkeypatch.setattr(passes, "PASSES", spoiled)
    assert main(["bisect", str(source), "--target=avx2-i32x8", "--check", check]) == 0
    assert ", spoil, it becomes bad" in capfd.readouterr().out
    monkeypatch.setattr(passes, "PASSES", rows)
    assert main(["bisect", str(source), "--target=avx2-i32x8", "--check", check]) == 0
    assert "content with all passes" in capfd.readouterr().out
    assert main(["bisect", str(source), "--target=avx2-i32x8", "--check", "false"]) == 1
    assert "it is not what a pass does" in capfd.readouterr().out
    assert main(["bisect", str(source)]) == 2


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_bisect_judges_a_program_that_is_linked(tmp_path: Path) -> None:
    (tmp_path / "f.ispc").write_text(SAXPY)
    (tmp_path / "main.c").write_text("extern void saxpy(float, float *, float *, float *, int); int main() { return 0; }\n")
    words = ["--target=sse2-i32x4", "--pic", "--check", f"gcc {tmp_path}/main.c $VOLTAC_OBJECT -o {tmp_path}/a && {tmp_path}/a"]
    done = subprocess.run(
        [sys.executable, "-m", "voltac", "bisect", str(tmp_path / "f.ispc"), *words], capture_output=True, text=True
    )
    assert done.returncode == 0 and "nothing to look for" in done.stdout, done.stderr
