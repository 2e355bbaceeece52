"""Debug information changes no instruction: records of variables are set aside while passes work."""

import re
from pathlib import Path

import pytest
from run_programs import run_tests

from voltac.driver import compile_source
from voltac.ir.debug_records import DebugRecords
from voltac.ir.model import Instruction
from voltac.ir.read import read
from voltac.ir.write import write
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import TargetInfo, find_target

RUN_TESTS = Path(__file__).parent.parent / "run"

KERNELS = """
enum Kind { PLAIN, ODD = 3 };
struct Item { float x; Kind kind; int16 weight[3]; };
static float shade(float v, bool lit, const uniform Item & item) {
    float result = item.x;
    for (int k = 0; k < (int)v; k++) {
        float part = v * k;
        if (lit) continue;
        result += part;
    }
    return result;
}
export void mix(uniform float a[], const uniform float b[], uniform Item items[], uniform int8 bytes[], uniform int n) {
    uniform int count = 0;
    foreach (i = 0 ... n) {
        float x = b[2 * i] + b[2 * i + 1];
        bool big = x > 3;
        Item item = items[i];
        if (big) {
            float x = item.x * 2;
            a[i] = shade(x, i > 5, items[0]);
        } else if (item.kind == ODD) {
            a[i] = x;
        }
        count += reduce_add(big ? 1 : 0);
    }
    foreach (i = 0 ... n) {
        int8 one = bytes[i], other = 3;
        bytes[i] = one + other;
    }
    a[0] += count;
}
"""


def instructions(text: str, file: str, target: TargetInfo, level: int, debug: bool) -> list[str]:
    """What is executed, without labels of places and without directives."""
    job = compile_source(text, file, Options(target, level=level, debug_info=debug), Diagnostics())
    assert job.optimized is not None
    code = re.split(r"\n\s*\.section\s+\.debug", job.optimized.assembly(), maxsplit=1)[0]
    lines = [line.split("#")[0].strip() for line in code.split("\n")]
    return [line for line in lines if line and not re.match(r"\.(?!LBB|LCPI|LJTI)|\.Ltmp", line)]


@pytest.mark.parametrize("name", ["sse4-i32x4", "avx2-i32x8", "avx2-i32x16", "avx512skx-x16"])
def test_code_is_the_same_with_debug_information(name: str) -> None:
    target = find_target(name)
    assert len(instructions(KERNELS, "kernels.ispc", target, 2, False)) > 100
    assert instructions(KERNELS, "kernels.ispc", target, 2, False) == instructions(KERNELS, "kernels.ispc", target, 2, True)


@pytest.mark.long
@pytest.mark.parametrize("name", ["sse4-i32x4", "avx2-i32x8", "avx512skx-x16"])
def test_code_of_every_run_test_is_the_same_with_debug_information(name: str) -> None:
    target = find_target(name)
    different = []
    for program in run_tests(RUN_TESTS):
        if target.width in program.widths:
            found = [instructions(program.text, str(program.path), target, 2, debug) for debug in (False, True)]
            if found[0] != found[1]:
                different.append(program.path.name)
    assert not different


def test_variables_survive_the_passes() -> None:
    """Of the parameters and locals of the kernel most have a value in the optimised text, and none is invalid."""
    job = compile_source(KERNELS, "kernels.ispc", Options(find_target("avx2-i32x8"), debug_info=True), Diagnostics())
    for stage in ("early", "passes"):
        text = str(job.results[stage])
        known = re.findall(r"#dbg_value\((?!\S+ poison)", text)
        assert len(known) > 20, stage
    assert job.optimized is not None
    assert "#dbg_value(" in job.optimized.text()


MODULE = """define void @f(ptr %p, i1 %c) {
entry:
    #dbg_value(ptr %p, !1, !DIExpression(), !2)
  %a = load <4 x i32>, ptr %p, align 16
    #dbg_value(<4 x i32> %a, !3, !DIExpression(), !2)
    #dbg_value(i32 7, !4, !DIExpression(), !2)
  br label %next

next:
  %b = phi <4 x i32> [ %a, %entry ]
    #dbg_value(<4 x i32> %b, !5, !DIExpression(DW_OP_deref, DW_OP_constu, 1), !2)
  store <4 x i32> %b, ptr %p, align 16
  ret void
}
"""


def test_nothing_changed_means_nothing_moved() -> None:
    module = read(MODULE)
    records = DebugRecords(module)
    assert "#dbg" not in write(module)
    records.put_back()
    assert write(module) == MODULE


def test_a_value_that_is_gone_or_has_another_type_is_not_known() -> None:
    module = read(MODULE)
    records = DebugRecords(module)
    entry, following = module.functions[0].blocks
    entry.instructions[0].text = "  %a = load <8 x i32>, ptr %p, align 16"
    del following.instructions[0]
    following.instructions[0].text = "  store i32 1, ptr %p, align 16"
    records.put_back()
    text = write(module)
    assert "#dbg_value(ptr poison, !3, !DIExpression(), !2)" in text
    assert "#dbg_value(ptr poison, !5, !DIExpression(DW_OP_deref, DW_OP_constu, 1), !2)" in text
    assert "#dbg_value(i32 7, !4, !DIExpression(), !2)" in text


def test_what_was_moved_into_a_block_that_runs_more_often_is_not_known() -> None:
    module = read(MODULE)
    records = DebugRecords(module)
    entry, following = module.functions[0].blocks
    entry.instructions[-1:] = [following.instructions[1], following.instructions[2]]
    del module.functions[0].blocks[1]
    records.put_back()
    assert "#dbg_value(ptr poison, !5," in write(module)


def test_records_stand_behind_the_phis() -> None:
    module = read(MODULE)
    records = DebugRecords(module)
    following = module.functions[0].blocks[1]
    following.instructions.insert(1, Instruction("  %c = phi i32 [ 0, %entry ]"))
    records.put_back()
    ops = [instruction.text.split("(")[0].split(" =")[0].strip() for instruction in following.instructions]
    assert ops[:3] == ["%b", "%c", "#dbg_value"]
