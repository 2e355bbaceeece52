"""Early and late: what each step does to LLVM text, and that its outputs run."""

import ctypes
import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

from voltac.llvm import early, late, load_objects
from voltac.messages.diagnostics import InternalError
from voltac.options import Options
from voltac.target_info import TARGETS, find_target

OPTIONS = Options(target=find_target("sse2-i32x4"), level=2)

SUM = """
define internal i32 @add(i32 %a, i32 %b) alwaysinline {
  %s = add nsw i32 %a, %b
  ret i32 %s
}
define i32 @twice(i32 %x) {
  %slot = alloca i32
  store i32 %x, ptr %slot
  %a = load i32, ptr %slot
  %s = call i32 @add(i32 %a, i32 %a)
  ret i32 %s
}
define i32 @seven(i32 %x) {
  ret i32 7
}
"""

STEP = """
define ptr @second(ptr %p, i32 %i) {
  %j = add nsw i32 %i, 1
  %wide = sext i32 %j to i64
  %q = getelementptr float, ptr %p, i64 %wide
  ret ptr %q
}
"""


def test_early_inlines_and_promotes() -> None:
    text = early(SUM, OPTIONS)
    assert "alloca" not in text
    assert "call" not in text
    assert "@add" not in text


def test_early_keeps_index_arithmetic_as_written() -> None:
    text = early(STEP, OPTIONS)
    assert "add nsw i32" in text
    assert "sext i32" in text
    assert "getelementptr float" in text


def test_early_names_every_instruction() -> None:
    assert "%1" not in early("define i32 @f(i32 %x) {\n  %1 = mul i32 %x, %x\n  ret i32 %1\n}", OPTIONS)


def test_early_at_level_0_only_inlines() -> None:
    text = early(SUM, dataclasses.replace(OPTIONS, level=0))
    assert "alloca" in text
    assert "call" not in text


@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_object_code_runs_at_every_level(level: int) -> None:
    options = dataclasses.replace(OPTIONS, level=level)
    code = late(early(SUM, options), options).object_code()
    loaded = load_objects([code], ["twice", "seven"])
    twice = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int32)(loaded.address("twice"))
    assert twice(21) == 42


def test_objects_are_linked_with_each_other_and_with_given_addresses() -> None:
    caller = "declare i32 @twice(i32)\ndeclare i32 @given(i32)\ndefine i32 @both(i32 %x) {\n"
    caller += "  %a = call i32 @twice(i32 %x)\n  %b = call i32 @given(i32 %a)\n  ret i32 %b\n}"
    prototype = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int32)
    given = prototype(lambda x: x + 1000)
    address = ctypes.cast(given, ctypes.c_void_p).value
    assert address is not None
    codes = [late(text, OPTIONS).object_code() for text in (SUM, caller)]
    loaded = load_objects(codes, ["both"], {"given": address})
    assert prototype(loaded.address("both"))(4) == 1008


def test_level_1_prefers_size() -> None:
    assert "optsize" in late(SUM, dataclasses.replace(OPTIONS, level=1)).text()
    assert "optsize" not in late(SUM, OPTIONS).text()


def test_a_pipeline_that_breaks_the_module_gives_way_to_a_lower_one(monkeypatch: pytest.MonkeyPatch) -> None:
    from voltac.llvm import optimize
    from voltac.llvm.target_machine import LLVMModule

    levels: list[int] = []

    def simplify(module: LLVMModule, text: str, options: Options, level: int) -> LLVMModule:
        levels.append(level)
        return module

    monkeypatch.setattr(optimize, "_simplify", simplify)
    monkeypatch.setattr(LLVMModule, "is_sound", lambda module: False)
    assert "twice" in late(SUM, OPTIONS).text()
    assert levels == [2, 1]


def test_outputs_do_not_disturb_each_other() -> None:
    optimized = late(SUM, OPTIONS)
    text, assembly = optimized.text(), optimized.assembly()
    optimized.object_code()
    assert optimized.text() == text
    assert optimized.assembly() == assembly
    assert optimized.bitcode()[:2] == b"BC"


def test_the_assembly_is_accepted_by_the_system_assembler(tmp_path: Path) -> None:
    (tmp_path / "sum.s").write_text(late(SUM, OPTIONS).assembly())
    subprocess.run(["gcc", "-c", "sum.s", "-o", "sum.o"], cwd=tmp_path, check=True)
    symbols = subprocess.run(["nm", "sum.o"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert " T twice" in symbols


def test_function_sections_split_the_text_section(tmp_path: Path) -> None:
    options = dataclasses.replace(OPTIONS, function_sections=True)
    assembly = late(SUM, options).assembly()
    assert ".text.twice" in assembly
    assert ".text.seven" in assembly


def test_a_tuning_cpu_keeps_the_instruction_set_of_the_target() -> None:
    wide = "define void @f(ptr %p) {\n  %v = load <8 x float>, ptr %p, align 4\n  store <8 x float> %v, ptr %p\n  ret void\n}"
    assembly = late(wide, dataclasses.replace(OPTIONS, cpu="skylake-avx512")).assembly()
    assert "ymm" not in assembly


def test_invalid_text_names_the_stage_and_leaves_a_reproducer() -> None:
    with pytest.raises(InternalError, match="stage 'early'") as caught:
        early("define i32 @f() {\n  ret i64 0\n}", OPTIONS)
    path = Path(str(caught.value).rsplit(" ", 1)[1])
    assert "ret i64 0" in path.read_text()
    path.unlink()


def test_code_that_fails_verification_is_reported_not_run() -> None:
    body = "br i1 %c, label %a, label %b\na:\n  %x = add i32 1, 2\n  br label %b\nb:\n  ret i32 %x"
    unsound = f"define i32 @f(i1 %c) {{\n  {body}\n}}"
    with pytest.raises(InternalError, match="dominate") as caught:
        late(unsound, OPTIONS)
    Path(str(caught.value).rsplit(" ", 1)[1]).unlink()


def test_a_broken_module_with_debug_information_is_an_internal_error() -> None:
    """LLVM verifies such a module when it reads it, and would end the process."""
    text = """
define i32 @f(i1 %c) {
entry:
  br i1 %c, label %then, label %done
then:
  br label %done
done:
  %x = phi i32 [ 1, %then ]
  ret i32 %x
}
!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 3}
"""
    with pytest.raises(InternalError, match="one entry for each predecessor"):
        late(text, Options(find_target("avx2-i32x8"), level=1))


SUM_OF_CALLS = """
int bit(int v, uniform int at) { return (v >> at) & 1; }
void pack(uint32 to[], int a, int b) {
    uint32 s = a;
    if (a == 2) {
        s += bit(b, 0) << 4;
        s += bit(b, 2) << 5;
    }
    to[0] = s;
}
"""


@pytest.mark.parametrize("target", [name for name in TARGETS if name.startswith("rvv")])
def test_sums_of_three_do_not_end_the_process_on_risc_v(target: str) -> None:
    """LLVM's combiner of machine instructions would: in a process of its own, for the others' sake."""
    words = ("-m", "voltac", "-", f"--target={target}", "-O2", "--woff", "-o", "-")
    done = subprocess.run([sys.executable, *words], input=SUM_OF_CALLS.encode(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
