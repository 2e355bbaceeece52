"""The pipeline: begins and ends where asked, prints what it is asked to, and reports failures by stage."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from voltac import pipeline
from voltac.driver import compile_source, decode_source, read_source
from voltac.messages.diagnostics import CompileError, InternalError
from voltac.options import Options
from voltac.pass_runs import PassRuns
from voltac.pipeline import STAGE_NAMES, InputError, Watch
from voltac.records import record
from voltac.system.deep_stack import with_deep_stack
from voltac.target_info import find_target

OPTIONS = Options(target=find_target("sse2-i32x4"))
SOURCE = "export uniform int twice(uniform int x) { return x + x; }\n"
LLVM = "define i32 @twice(i32 %x) {\n  %y = add i32 %x, %x\n  ret i32 %y\n}\n"


def test_the_pipeline_reads_as_the_design_tells_it() -> None:
    assert STAGE_NAMES == ("preprocess", "parse", "check", "lower", "early", "passes", "late")


def test_all_stages_make_an_object() -> None:
    job = compile_source(SOURCE, "twice.ispc", OPTIONS)
    assert job.optimized.object_code()[:4] == b"\x7fELF"
    assert [function.name for function in job.program.exports] == ["twice"]
    assert job.dependencies == ("twice.ispc",)


def test_a_compilation_begins_at_llvm_text() -> None:
    job = compile_source(LLVM, "twice.ll", OPTIONS, begin="late")
    assert list(job.results) == ["late"]
    assert "twice:" in job.optimized.assembly()


def test_a_compilation_ends_after_any_stage_and_goes_on_from_its_text() -> None:
    whole = compile_source(SOURCE, "twice.ispc", OPTIONS)
    lowered = compile_source(SOURCE, "twice.ispc", OPTIONS, end="lower")
    assert list(lowered.results) == ["preprocess", "parse", "check", "lower"]
    rest = compile_source(lowered.results["lower"], "twice.ll", OPTIONS, begin="early")
    assert rest.optimized.assembly() == whole.optimized.assembly()


def test_every_stage_can_be_printed() -> None:
    output = io.StringIO()
    compile_source(SOURCE, "twice.ispc", OPTIONS, watch=Watch(frozenset(STAGE_NAMES), output=output))
    text = output.getvalue()
    for part in ("return x + x;", "TranslationUnit", "exported function twice(x: uniform int32)", "define", "ret i32"):
        assert part in text


def test_the_module_can_be_printed_after_each_pass() -> None:
    output = io.StringIO()
    watch = Watch(passes=PassRuns(frozenset(["resolve_accesses"]), output=output))
    compile_source("export void f(uniform int a[]) { a[programIndex] = 1; }", "f.ispc", OPTIONS, watch=watch)
    assert output.getvalue().startswith("; after resolve_accesses\n")
    assert "store <4 x i32>" in output.getvalue()


def test_the_watch_tells_how_long_each_stage_took() -> None:
    output = io.StringIO()
    compile_source(LLVM, "twice.ll", OPTIONS, begin="early", watch=Watch(time=True, output=output))
    assert [line.split()[0] for line in output.getvalue().splitlines()] == ["early", "passes", "late"]


def test_mistakes_of_the_program_stop_before_code_is_made() -> None:
    with pytest.raises(CompileError, match="undeclared"):
        compile_source("export void f() { undeclared = 1; }", "bad.ispc", OPTIONS)


SLOW = """\
#include "pick.isph"
export void f(uniform float t[], uniform int at[], uniform float out[], uniform int n, uniform int k) {
    foreach (i = 0 ... n) {
        out[i] = t[at[i]] + t[k] + t[i + 1];
        out[programIndex] += pick(t, at[i]);
        t[at[i]] = 3;
    }
}
"""


@pytest.mark.parametrize("target", ["sse4-i32x4", "avx2-i32x8", "avx512skx-x16"])
def test_accesses_that_stay_lane_by_lane_are_warned_of_at_their_place(target: str, tmp_path: Path) -> None:
    (tmp_path / "pick.isph").write_text("inline float pick(uniform float t[], int k) { return t[k]; }\n")
    file = str(tmp_path / "slow.ispc")
    options = Options(target=find_target(target))
    items = compile_source(SLOW, file, options).diagnostics.items
    warnings = [item for item in items if item.kind == "Performance Warning"]
    found = {(Path(item.span.file).name, item.span.line, item.text.split(":")[0]) for item in warnings}
    assert found == {
        ("slow.ispc", 4, "this load needs a gather"),
        ("pick.isph", 1, "this load needs a gather"),
        ("slow.ispc", 6, "this store needs a scatter"),
    }
    assert len(warnings) == len(found)  # once each, though there is an all-on and a masked path


def test_without_optimisation_no_access_is_warned_of() -> None:
    options = Options(target=OPTIONS.target, level=0)
    job = compile_source("export void f(uniform float t[], uniform int at[]) { t[at[programIndex]] = 1; }", "f.ispc", options)
    assert job.diagnostics.items == []


def test_a_failing_stage_is_named_and_leaves_a_report(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(given: object, job: object) -> None:
        raise KeyError("lost")

    stages = tuple(
        pipeline.Stage(stage.name, stage.purpose, broken, stage.show, stage.takes_text) if stage.name == "passes" else stage
        for stage in pipeline.STAGES
    )
    monkeypatch.setattr(pipeline, "STAGES", stages)
    with pytest.raises(InternalError, match="stage 'passes': KeyError: 'lost'") as caught:
        compile_source(LLVM, "twice.ll", OPTIONS, begin="early")
    report = Path(str(caught.value).rsplit(" ", 1)[1])
    assert "Traceback" in report.read_text()
    assert LLVM in report.read_text()
    report.unlink()


def test_a_deep_stack_holds_a_hundred_thousand_calls_less_some() -> None:
    @record
    class Node:
        inner: "Node | None"

        def depth(self) -> int:
            return 1 + (self.inner.depth() if self.inner else 0)

    def deep() -> int:
        node = Node(None)
        for _ in range(90_000):
            node = Node(node)
        return node.depth()

    before = sys.getrecursionlimit()
    assert with_deep_stack(deep) == 90_001
    assert sys.getrecursionlimit() == before


def test_what_goes_wrong_in_the_deep_stack_comes_out() -> None:
    def fails() -> None:
        raise ValueError("inside")

    with pytest.raises(ValueError, match="inside"):
        with_deep_stack(fails)


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert decode_source(b"\xef\xbb\xbfint x;", "x") == "int x;"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"a\n\xff", "is not UTF-8 text: byte 0xff in line 2"),
        (b"\xef\xbb\xbfa\nb\xff", "is not UTF-8 text: byte 0xff in line 2"),
    ],
)
def test_unreadable_sources_say_why(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "x.ispc").write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_source(str(tmp_path / "x.ispc"))


@pytest.mark.parametrize("target", ["avx2-i32x8", "naplespu"])
def test_code_is_the_same_in_every_process(target: str) -> None:
    kernel = Path(__file__).parent.parent / "benchmarks" / "kernels" / "stencil.ispc"
    words = [sys.executable, "-m", "voltac", str(kernel), f"--target={target}", "-O3", "--emit-asm", "-o", "-", "--quiet"]
    texts = {
        subprocess.run(words, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout
        for seed in ("0", "7", "11")
    }
    assert len(texts) == 1 and b"stencil" in texts.pop()


def test_names_of_even_and_odd_lanes_are_the_same_in_every_process(tmp_path: Path) -> None:
    source = tmp_path / "products.ispc"
    source.write_text(
        "export void products(uniform int a[], uniform int b[], uniform int n) { foreach (i = 0 ... n) {"
        "int64 p = (int64)a[i] * b[i]; int64 q = p * 3 + 5; b[i] = (int)((p + q * 7) >> 16); } }"
    )
    words = [sys.executable, "-m", "voltac", str(source), "--target=avx2-i32x8", "--emit-llvm-text", "-o", "-", "--quiet"]
    texts = {
        subprocess.run(words, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout
        for seed in ("0", "7", "11")
    }
    assert len(texts) == 1 and b"%even" in texts.pop()


def test_names_of_masks_are_the_same_in_every_process(tmp_path: Path) -> None:
    """Several masks that live across blocks, of lanes that fill two registers."""
    steps = "".join(f"if (x[i] > {k}) s += k; else if (s > {k}.5) {{ do s *= 0.5; while (s > t + {k}); }}\n" for k in range(4))
    source = tmp_path / "masks.ispc"
    source.write_text(
        "export void masks(uniform double x[], uniform double y[], uniform int n) { foreach (i = 0 ... n) {"
        f"double s = 0, t = y[i]; for (int k = 0; k < (int)t; ++k) {{ if (x[i] < k) break; {steps} }} y[i] = s; }} }}"
    )
    words = [sys.executable, "-m", "voltac", str(source), "--target=avx2-i32x8", "--emit-llvm-text", "-o", "-", "--quiet"]
    texts = {
        subprocess.run(words, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout
        for seed in ("0", "7", "11")
    }
    assert len(texts) == 1 and b".wide" in texts.pop()
