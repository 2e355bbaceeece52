"""What loops take, estimated from their assembly language: by hand, and against llvm-mca."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from voltac.driver import compile_source, explanation_of
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.report.assembly import functions
from voltac.report.cycles.families import ICE_LAKE, SKYLAKE, ZEN, Family, family_for
from voltac.report.cycles.instructions import demand_of
from voltac.report.cycles.loops import estimate, innermost_loops
from voltac.target_info import find_target

KERNELS = Path(__file__).resolve().parents[2] / "benchmarks" / "kernels"
END = ["addq $32, %rax", "cmpq %rdx, %rax", "jl .LBB0_1"]


@pytest.mark.parametrize(
    "text, kind, reads, writes, loads, stores",
    [
        ("vaddps %ymm1, %ymm2, %ymm2", "add", {"v1", "v2"}, {"v2"}, 0, 0),
        ("vaddps (%rdi,%rax,4), %ymm2, %ymm3", "add", {"v2"}, {"v3"}, 32, 0),
        ("vfmadd231ps %zmm1, %zmm2, %zmm3", "fma", {"v1", "v2", "v3"}, {"v3"}, 0, 0),
        ("addps %xmm1, %xmm2", "add", {"v1", "v2"}, {"v2"}, 0, 0),
        ("vmovups %ymm3, 32(%rsi,%rax)", "", {"v3"}, set(), 0, 32),
        ("vmovss 4(%rsi), %xmm0", "", set(), {"v0"}, 4, 0),
        ("vpmovzxbd (%rsi), %ymm0", "cross", set(), {"v0"}, 8, 0),
        ("vbroadcastss (%rsi), %ymm0", "", set(), {"v0"}, 4, 0),
        ("vpxor %xmm4, %xmm4, %xmm4", "free", set(), {"v4"}, 0, 0),
        ("vpaddd %ymm1, %ymm2, %ymm3 {%k1}", "vector_add", {"v1", "v2", "v3", "k1"}, {"v3"}, 0, 0),
        ("vpaddd %ymm1, %ymm2, %ymm3 {%k1} {z}", "vector_add", {"v1", "v2", "k1"}, {"v3"}, 0, 0),
        ("vcmpltps %zmm1, %zmm2, %k1", "compare_mask", {"v1", "v2"}, {"k1"}, 0, 0),
        ("vmovd %eax, %xmm1", "from_scalar", {"rax"}, {"v1"}, 0, 0),
        ("vmovmskps %ymm1, %eax", "to_scalar", {"v1"}, {"rax"}, 0, 0),
        ("movl %r8d, %eax", "move", {"r8"}, {"rax"}, 0, 0),
        ("movzbl (%rdi,%rcx), %edx", "", set(), {"rdx"}, 1, 0),
        ("addl %ebx, %ecx", "integer", {"rbx", "rcx"}, {"rcx", "flags"}, 0, 0),
        ("incl (%rdi)", "integer", set(), {"flags"}, 4, 4),
        ("leaq 8(%rdi,%rax,4), %rcx", "address", {"rdi", "rax"}, {"rcx"}, 0, 0),
        ("cmpq %rdx, %rax", "integer", {"rdx", "rax"}, {"flags"}, 0, 0),
        ("jl .LBB0_1", "branch", {"flags"}, set(), 0, 0),
        ("adcq $0, %rbx", "integer_shift", {"rbx", "flags"}, {"rbx", "flags"}, 0, 0),
        ("imull %ecx, %edx", "integer_multiply", {"rcx", "rdx"}, {"rdx", "flags"}, 0, 0),
        ("imull $7, %ecx, %edx", "integer_multiply", {"rcx"}, {"rdx", "flags"}, 0, 0),
        ("vdivps %ymm1, %ymm2, %ymm3", "divide32", {"v1", "v2"}, {"v3"}, 0, 0),
        ("vinsertps $16, (%rdi,%rax,4), %xmm0, %xmm1", "shuffle", {"v0"}, {"v1"}, 4, 0),
        ("vpermd (%rdi), %ymm1, %ymm2", "cross", {"v1"}, {"v2"}, 32, 0),
        ("vbroadcastf128 (%rdi), %ymm2", "", set(), {"v2"}, 16, 0),
    ],
)
def test_an_instruction(text: str, kind: str, reads: set[str], writes: set[str], loads: int, stores: int) -> None:
    step = demand_of(text)
    assert (step.kind, set(step.reads), set(step.writes), step.loads, step.stores) == (kind, reads, writes, loads, stores)


@pytest.mark.parametrize(
    "text, moved",
    [
        ("vbroadcasti32x2 (%rdi), %ymm2", 8),
        ("vbroadcastf64x4 (%rdi), %zmm2", 32),
        ("vbroadcastsd (%rdi), %ymm2", 8),
        ("vpbroadcastd (%rdi), %ymm2", 4),
        ("vpbroadcastq (%rdi), %ymm2", 8),
        ("vaddps (%rdi){1to16}, %zmm1, %zmm2", 4),
        ("vinserti128 $1, (%rdi), %ymm1, %ymm2", 16),
        ("vextractf128 $1, %ymm1, (%rdi)", 16),
        ("vextracti64x4 $1, %zmm1, (%rdi)", 32),
        ("vmovlps %xmm1, (%rdi)", 8),
        ("movhpd (%rdi), %xmm1", 8),
        ("vpinsrb $3, (%rdi), %xmm1, %xmm2", 1),
        ("vpextrw $3, %xmm1, (%rdi)", 2),
        ("vmovq %xmm1, (%rdi)", 8),
        ("vpmaxsd (%rdi), %ymm1, %ymm2", 32),
        ("vmaxsd (%rdi), %xmm1, %xmm2", 8),
        ("vfmadd231ss (%rdi), %xmm1, %xmm2", 4),
        ("vcvtsi2sdl (%rdi), %xmm1, %xmm2", 4),
        ("vcvtsi2ssq (%rdi), %xmm1, %xmm2", 8),
        ("vcvtsd2ss (%rdi), %xmm1, %xmm2", 8),
        ("vcvtdq2pd (%rdi), %ymm1", 16),
        ("vcvtps2ph $4, %ymm1, (%rdi)", 16),
        ("vcvtdq2ps (%rdi), %ymm1", 32),
        ("vpmovdb %zmm1, (%rdi)", 16),
        ("vpmovusqd %ymm1, (%rdi)", 16),
        ("vpmovsxwd (%rdi), %ymm1", 16),
        ("sete (%rdi)", 1),
        ("addw $3, (%rdi)", 2),
    ],
)
def test_the_bytes_of_memory_that_an_instruction_moves(text: str, moved: int) -> None:
    step = demand_of(text)
    assert max(step.loads, step.stores) == moved


@pytest.mark.parametrize(
    "body, processor, cycles, bound",
    [
        # A sum: the latency of an addition.
        (["vaddps (%rdi,%rax,4), %ymm0, %ymm0"], SKYLAKE, 4, "chain"),
        (["vaddps (%rdi,%rax,4), %ymm0, %ymm0"], ZEN, 3, "chain"),
        # Six loads by two ports, and by three.
        ([f"vmovups {32 * k}(%rdi,%rax), %ymm{k}" for k in range(6)], SKYLAKE, 3, "loads"),
        ([f"vmovups {32 * k}(%rdi,%rax), %ymm{k}" for k in range(6)], ZEN, 2, "loads"),
        # Three stores of 32 bytes: one a cycle, two, one.
        ([f"vmovups %ymm{k}, {32 * k}(%rdi,%rax)" for k in range(3)], SKYLAKE, 3, "stores"),
        ([f"vmovups %ymm{k}, {32 * k}(%rdi,%rax)" for k in range(3)], ICE_LAKE, 1.5, "stores"),
        ([f"vmovups %ymm{k}, {32 * k}(%rdi,%rax)" for k in range(3)], ZEN, 3, "stores"),
        # Two quotients, five cycles each, that do not wait for each other.
        (["vdivps %ymm1, %ymm2, %ymm3", "vdivps %ymm1, %ymm4, %ymm5"], SKYLAKE, 10, "divisions"),
        # Four shuffles by the one port that does them.
        ([f"vunpcklps %ymm1, %ymm2, %ymm{k}" for k in (3, 4, 5, 6)], SKYLAKE, 4, "5"),
        # Eight additions of what does not change, four operations a cycle: with the loop's own two ten.
        ([f"addl $1, %r{k}d" for k in range(8, 16)], SKYLAKE, 2.5, "entering"),
        # A value in the frame: stored and loaded, 5 cycles, and an addition.
        (["vaddps 32(%rsp), %ymm1, %ymm2", "vmovups %ymm2, 32(%rsp)"], SKYLAKE, 9, "chain"),
        # What is made anew in each turn waits for nothing.
        (["vxorps %xmm0, %xmm0, %xmm0", "vaddps %ymm0, %ymm1, %ymm0", "vaddps %ymm0, %ymm1, %ymm0"], SKYLAKE, 1.25, "entering"),
        # Through the flags.
        (["addq %rcx, %r8", "adcq %r9, %r9"], SKYLAKE, 1, "chain"),
    ],
)  # fmt: skip
def test_a_loop_by_hand(body: list[str], processor: Family, cycles: float, bound: str) -> None:
    found = estimate([*body, *END], processor)
    assert found.cycles == pytest.approx(cycles)
    assert found.bound == bound


def test_the_family_comes_from_the_processor_or_from_the_instruction_set() -> None:
    assert family_for("zen3", True) is ZEN
    assert family_for("alderlake", False) is ICE_LAKE
    assert family_for("", False) is SKYLAKE
    assert family_for("", True) is ICE_LAKE


SAXPY = """export void saxpy(uniform float y[], const uniform float x[], uniform float a, uniform int n) {
    foreach (i = 0 ... n)
        y[i] = a * x[i] + y[i];
}
"""
SUM = """export uniform float total(const uniform float x[], uniform int n) {
    float sum = 0;
    foreach (i = 0 ... n)
        sum += x[i];
    return reduce_add(sum);
}
"""
WITHIN = """export void iterate(uniform float a[], uniform int n) {
    foreach (i = 0 ... n) {
        float x = a[i];
        for (uniform int k = 0; k < 1000; k++)
            x = x * x + 0.25f;
        a[i] = x;
    }
}
"""


def cycles_told(text: str, target: str, level: int = 2, cpu: str = "") -> list[tuple[int, str]]:
    options = Options(find_target(target), level=level, whole_program=True, cpu=cpu)
    found = explanation_of(compile_source(text, "k.ispc", options), cycles=True)
    facts = json.loads(found.json())["facts"]
    assert all(fact["text"] in found.text() for fact in facts)
    return [(fact["line"], fact["text"]) for fact in facts if fact["operation"] == "cycles"]


@pytest.mark.parametrize("target", ["avx2-i32x4", "avx2-i32x8", "avx2-i32x16", "sse4-i32x4"])
def test_a_gang_of_a_loop_with_its_bytes(target: str) -> None:
    ((line, text),) = cycles_told(SAXPY, target)
    assert line == 2
    assert re.fullmatch(r"about [\d.]+ cycles? a gang on Skylake: .*; 12 bytes an element", text), text


def test_copies_that_do_several_gangs_count_as_such() -> None:
    """However often LLVM unrolls: an addition of 4 cycles for each gang."""
    ((line, text),) = cycles_told(SUM, "avx2-i32x8", level=3)
    assert (line, text) == (
        3,
        "about 4 cycles a gang on Skylake: each turn waits for results of the one before; 4 bytes an element",
    )


def test_a_loop_within_is_told_of_where_it_stands() -> None:
    ((line, text),) = cycles_told(WITHIN, "avx2-i32x8")
    assert line == 2
    assert text.startswith("on Skylake a turn of the loop within takes about")


def test_the_processor_asked_for() -> None:
    assert "on Zen 3 and later" in cycles_told(SAXPY, "avx2-i32x8", cpu="znver3")[0][1]


@pytest.mark.parametrize("target, level", [("neon-i32x4", 2), ("avx2-i32x8", 0)])
def test_nothing_is_told_without_figures_or_without_optimisation(target: str, level: int) -> None:
    assert cycles_told(SAXPY, target, level) == []


MCA = next((path for path in map(shutil.which, ("llvm-mca-19", "llvm-mca", "llvm-mca-16", "llvm-mca-14")) if path), None)


@pytest.mark.skipif(MCA is None, reason="llvm-mca is not installed (apt-get install llvm)")
@pytest.mark.parametrize(
    "target, cpu, processor", [("avx2-i32x8", "skylake", SKYLAKE), ("avx512icl-x16", "icelake-server", ICE_LAKE)]
)
def test_llvm_mca_says_about_the_same(target: str, cpu: str, processor: Family) -> None:
    """Of the loops of the benchmarks that are one block; it also counts what waits for a place in a queue."""
    ours, loops = {}, {}
    for file in ("by_shape", "against_c"):
        options = Options(find_target(target), level=3, whole_program=True)
        job = compile_source((KERNELS / f"{file}.ispc").read_text(), file, options, Diagnostics(warnings=False))
        for name, blocks in functions(job.optimized.assembly(comments=True)).items():
            for loop in innermost_loops(blocks, processor):
                (header, *others) = [block for block in blocks if block.name in loop.names and block.loops]
                if not others and not loop.is_most:
                    ours[name, header.name], loops[name, header.name] = loop.cycles, header.instructions
    quotients = {key: ours[key] / cycles for key, cycles in zip(loops, _by_mca(loops.values(), cpu), strict=True)}
    assert len(quotients) > 60
    near = [key for key, quotient in quotients.items() if 0.7 < quotient < 1.4]
    assert len(near) > 0.85 * len(quotients), {key: quotient for key, quotient in quotients.items() if key not in near}


def _by_mca(loops: Iterable[list[str]], cpu: str) -> list[float]:
    """Cycles of each."""
    assert MCA is not None
    text = ""
    for number, instructions in enumerate(loops):
        label = f"L{number}"
        lines = re.sub(r"\.LBB\d+_\d+", label, "\n".join(instructions))
        text += f"# LLVM-MCA-BEGIN {label}\n{label}:\n{lines}\n# LLVM-MCA-END\n"
    command = [MCA, "-mtriple=x86_64", f"-mcpu={cpu}", "-iterations=100"]
    made = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    return [int(found) / 100 for found in re.findall(r"Total Cycles:\s+(\d+)", made)]
