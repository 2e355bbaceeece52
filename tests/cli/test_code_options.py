"""Options of section 14 of the language that change the code: each seen in what comes out."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from voltac.cli.command import main
from voltac.target_info import TARGETS, find_target

Run = Callable[..., subprocess.CompletedProcess[str]]
Compile = Callable[..., str]


@pytest.fixture
def compiled(folder: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Compile:
    """Compiles a source in this process; gives what goes to standard output, LLVM text if nothing else is asked for."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("ISPC_ARGS", "")

    def run(source: str, *words: str) -> str:
        Path("code.ispc").write_text(source)
        given = list(words) if "-o" in words or "-E" in words else [*words, "--emit-llvm-text", "-o", "-"]
        given += [] if any(word.startswith(("--target", "--cpu")) for word in given) else ["--target=avx2-i32x8"]
        code = main(["code.ispc", "--woff", *given])
        captured = capfdbinary.readouterr()
        assert code == 0, captured.err.decode()
        return captured.out.decode()

    return run


def body(text: str, name: str) -> str:
    """The definition of one function in LLVM text."""
    return next(part for part in text.split("\ndefine ") if f"@{name}(" in part.split("\n", 1)[0]).split("\n}")[0]


SUM = "export void f(uniform float a[], uniform float b[], uniform int n) { foreach (i = 0 ... n) a[i] += a[i] * b[i]; }\n"
GATHER = "export void f(uniform float a[], uniform int k[], uniform int n) { foreach (i = 0 ... n) a[i] = a[k[i]]; }\n"
SCATTER = "export void f(uniform float a[], uniform int k[], uniform int n) { foreach (i = 0 ... n) a[k[i]] = i; }\n"
ALLOCATION = "export uniform int8 * uniform f() { return uniform new uniform int8; }\n"


# --- targets


@pytest.mark.parametrize("name", TARGETS)
def test_every_target_has_the_width_and_the_mask_of_its_name(compiled: Compile, name: str) -> None:
    shape = name.rpartition("-")[2]
    bits, _, width = shape.rpartition("x")
    macros = compiled("export void f() { }\n", f"--target={name}", "-E", "-dM")
    found = dict(re.findall(r"#define (\w+) ?(.*)", macros))
    mask_bits = int(bits.lstrip("i") or 1)
    assert found["TARGET_WIDTH"] == width
    assert found["ISPC_MASK_BITS"] == str(mask_bits)
    assert found["TARGET_ELEMENT_WIDTH"] == str({1: 4}.get(mask_bits, mask_bits // 8))
    assert len([macro for macro in found if re.fullmatch(r"ISPC_TARGET_(SSE|AVX|NEON|SVE|RVV|WASM)\w*", macro)]) == 1


SHORT_NAMES = {
    "sse2": "sse2-i32x4", "sse2-x2": "sse2-i32x8", "sse4": "sse4.2-i32x4", "sse4-x2": "sse4.2-i32x8", "avx": "avx1-i32x8",
    "avx1": "avx1-i32x8", "avx-x2": "avx1-i32x16", "avx1-x2": "avx1-i32x16", "avx2": "avx2-i32x8", "avx2-x2": "avx2-i32x16",
    "sse4-i32x8": "sse4.2-i32x8", "avx512skx-i32x16": "avx512skx-x16",
    "AVX2": "avx2-i32x8", "SSE4.2-i32x4": "sse4.2-i32x4", "AVX512SKX-X16": "avx512skx-x16",
}  # fmt: skip


@pytest.mark.parametrize("name", SHORT_NAMES)
def test_a_short_name_is_the_target_it_stands_for(compiled: Compile, name: str) -> None:
    source = "export uniform int f() { return programCount; }\n"
    assert compiled(source, f"--target={name}", "-O1") == compiled(source, f"--target={SHORT_NAMES[name]}", "-O1")


@pytest.mark.parametrize(
    ("words", "triple", "bits"),
    [
        ((), "x86_64-unknown-linux-gnu", 64),
        (("--arch=x86-64",), "x86_64-unknown-linux-gnu", 64),
        (("--arch=x86",), "i686-unknown-linux-gnu", 32),
        (("--target-os=freebsd",), "x86_64-unknown-freebsd", 64),
        (("--target-os=android", "--arch=x86"), "i686-unknown-linux-android", 32),
        (("--arch=aarch64", "--target=neon"), "aarch64-unknown-linux-gnu", 64),
    ],
)
def test_architecture_and_system_are_in_the_code(compiled: Compile, words: tuple[str, ...], triple: str, bits: int) -> None:
    source = "export uniform int f() { return ISPC_POINTER_SIZE + sizeof(uniform int * uniform); }\n"
    text = compiled(source, *words)
    assert f'target triple = "{triple}"' in text
    assert f"ret i32 {bits + bits // 8}" in text


CPUS = (
    "x86-64 atom core2 penryn corei7 corei7-avx core-avx-i core-avx2 broadwell skylake skx icelake-client icelake-server slm "
    "tigerlake alderlake meteorlake sapphirerapids graniterapids arrowlake lunarlake diamondrapids novalake btver2 znver1 "
    "znver2 znver3 znver4 znver5 nehalem sandybridge ivybridge haswell silvermont icl icx tgl adl mtl spr gnr arl lnl dmr nvl "
    "ps4 ps5 bonnell"
)
ARM_CPUS = (
    "cortex-a35 cortex-a53 cortex-a55 cortex-a57 cortex-a72 cortex-a76 cortex-a78 cortex-x1 neoverse-n1 neoverse-v1 "
    "neoverse-n2 neoverse-v2 apple-m1 apple-m2 apple-m4 graviton graviton2 graviton3 graviton4 grace"
)


@pytest.mark.parametrize("name", CPUS.split())
def test_every_cpu_of_the_reference_tunes_code(compiled: Compile, name: str) -> None:
    assert '"tune-cpu"=' in compiled("export void f() { }\n", f"--cpu={name}", "--target=sse2", "-O1")


@pytest.mark.parametrize("name", ARM_CPUS.split())
def test_every_cpu_of_arm_tunes_code_and_chooses_the_target(compiled: Compile, name: str) -> None:
    assert '"tune-cpu"=' in compiled("export void f() { }\n", f"--cpu={name}", "--target=neon", "-O1")
    assert 'target triple = "aarch64-unknown-linux-gnu"' in compiled("export void f() { }\n", f"--cpu={name}", "-O1")


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_a_cpu_brings_no_instructions_to_another_target(compiled: Compile, level: str) -> None:
    """The code is for every CPU of the target, whichever it is tuned for."""
    text = compiled(SUM, "--cpu=skx", "--target=avx2", level)
    assert set(re.findall(r'"target-cpu"="(.*?)"', text)) == {find_target("avx2").cpu}


# --- levels, debug information


def test_levels_make_smaller_or_faster_code(compiled: Compile) -> None:
    texts = {level: compiled(SUM, f"-O{level}") for level in range(4)}
    assert "alloca" in texts[0] and "alloca" not in texts[1]
    assert "optsize" in texts[1] and "optsize" not in texts[2] + texts[3]


@pytest.mark.parametrize("version", ["2", "3", "4", "5"])
def test_the_version_of_the_debug_information(compiled: Compile, version: str) -> None:
    text = compiled(SUM, f"--dwarf-version={version}")
    assert f'!"Dwarf Version", i32 {version}}}' in text
    assert "emissionKind: FullDebug" in text


def test_debug_information_on_request_only(compiled: Compile) -> None:
    assert "emissionKind: FullDebug" in compiled(SUM, "-g")
    assert '!"Dwarf Version", i32 5}' in compiled(SUM, "-g")
    assert "emissionKind: FullDebug" not in compiled(SUM)
    profiled = compiled(SUM, "--sample-profiling-debug-info")
    assert "emissionKind: FullDebug" in profiled and "debugInfoForProfiling: true" in profiled


def test_a_sample_profile_weighs_branches(compiled: Compile, voltac: Run, folder: Path) -> None:
    source = "export void f(uniform int a[]) {\n  if (a[0] > 3)\n    a[1] = a[2] / a[3];\n  else\n    a[4] = a[5] % a[6];\n}\n"
    (folder / "code.prof").write_text("f:100:1\n 2: 90\n 4: 10\n")
    assert '!{!"branch_weights", i32 91, i32 11}' in compiled(source, "--profile-sample-use=code.prof")
    (folder / "bad.prof").write_text("f:100:1\nwrong\n")
    done = voltac("good.ispc", "--profile-sample-use=bad.prof", "-o", "good.o")
    assert "bad.prof: line 2 is none of a sample profile" in " ".join(done.stderr.split()) and done.returncode == 1
    done = voltac("good.ispc", "--profile-sample-use=missing.prof", "-o", "good.o")
    assert "file not found: missing.prof" in done.stderr and done.returncode == 1


def test_llvm_text_with_debug_information_is_accepted_again(compiled: Compile) -> None:
    from voltac.llvm.target_machine import binding

    for level in ("-O0", "-O2"):
        text = compiled(SUM, "-g", level)
        assert "!DILocalVariable(name: " in text
        binding().parse_assembly(text).verify()


# --- words of --opt


def test_disabled_assertions_leave_no_trace(compiled: Compile) -> None:
    source = "export void f(uniform int n) { assert(n > 3); }\n"
    assert "Assertion failed" in compiled(source)
    assert "Assertion failed" not in compiled(source, "--opt=disable-assertions")


def test_products_and_sums_are_fused_unless_disabled(compiled: Compile) -> None:
    words = ("--emit-asm", "-o", "-", "-O2")
    assert "vfmadd" in compiled(SUM, *words)
    assert "vfmadd" not in compiled(SUM, *words, "--opt=disable-fma")


def test_gathers_and_scatters_are_disabled(compiled: Compile) -> None:
    asm = ("--emit-asm", "-o", "-", "-O2", "--target=avx512skx-x16")
    assert "gather" in compiled(GATHER, *asm) and "scatter" in compiled(SCATTER, *asm)
    assert "gather" not in compiled(GATHER, *asm, "--opt=disable-gathers")
    assert "scatter" not in compiled(SCATTER, *asm, "--opt=disable-scatters")


def test_loops_are_not_unrolled_when_disabled(compiled: Compile) -> None:
    source = """export uniform int f(uniform int a[]) {
    uniform int sum = 0;
    for (uniform int k = 0; k < 12; k++) sum = sum * 3 + a[k];
    return sum;
}
"""
    assert compiled(source, "-O2", "--opt=disable-loop-unroll").count("load i32") < compiled(source, "-O2").count("load i32")


def test_without_zmm_registers_a_gang_of_sixteen_is_two_of_eight(compiled: Compile) -> None:
    asm = ("--emit-asm", "-o", "-", "-O2", "--target=avx512skx-x16")
    assert "zmm" in compiled(SUM, *asm)
    halves = compiled(SUM, *asm, "--opt=disable-zmm")
    assert "zmm" not in halves and "ymm" in halves


def test_without_zmm_registers_is_for_those_of_several_targets_that_have_them(compiled: Compile, folder: Path) -> None:
    compiled(SUM, "--emit-asm", "-o", "f.s", "--target=avx2,avx512skx-x16", "--opt=disable-zmm")
    assert all(
        "ymm" in text and "zmm" not in text for text in ((folder / f"f_{isa}.s").read_text() for isa in ("avx2", "avx512skx"))
    )


@pytest.mark.parametrize(("value", "attribute"), [("", "ssp"), ("=on", "ssp"), ("=strong", "sspstrong"), ("=all", "sspreq")])
def test_functions_check_the_stack_on_request(compiled: Compile, value: str, attribute: str) -> None:
    assert re.search(rf"attributes #\d+ = {{[^\n]* {attribute}\b", compiled(SUM, f"--stack-protector{value}"))
    assert "ssp" not in compiled(SUM, "--stack-protector=none") + compiled(SUM)
    calls = compiled(SUM, "--stack-protector=all", "--emit-asm", "-o", "-")
    assert "__stack_chk_fail" in calls


def test_functions_keep_a_frame_pointer_on_request(compiled: Compile) -> None:
    asm = ("--emit-asm", "-o", "-", "--target=sse4")
    assert "movq\t%rsp, %rbp" in compiled(SUM, *asm, "--no-omit-frame-pointer")
    assert "movq\t%rsp, %rbp" not in compiled(SUM, *asm)


def test_assembly_language_in_the_syntax_of_intel(voltac: Run, folder: Path) -> None:
    (folder / "code.ispc").write_text(SUM)
    done = voltac("code.ispc", "--target=sse4,avx2", "--emit-asm", "--x86-asm-syntax=intel", "-o", "code.s")
    assert done.stderr == ""
    for name in ("code", "code_sse4", "code_avx2"):
        assert "\t.intel_syntax noprefix\n" in (folder / f"{name}.s").read_text()
        subprocess.run(["gcc", "-c", f"{name}.s", "-o", f"{name}.o"], cwd=folder, check=True)
    assert "%rsp" not in voltac("code.ispc", "--target=sse4", "--emit-asm", "--x86-asm-syntax=intel", "-o", "-").stdout
    assert "%r" in voltac("code.ispc", "--target=sse4", "--emit-asm", "--x86-asm-syntax=att", "-o", "-").stdout


def test_fast_math_divides_by_reciprocals_and_more_on_request(compiled: Compile) -> None:
    source = "export void f(uniform float a[], uniform int n) { foreach (i = 0 ... n) a[i] = a[i] / 3.0f; }\n"
    assert "fdiv" in compiled(source) and "fdiv" not in compiled(source, "--opt=fast-math")
    assert compiled(source, "--opt=fast-math") == compiled(source, "--opt=fast-math:legacy")
    balanced = compiled(SUM, "--opt=fast-math:balanced")
    for flag in ("reassoc", "contract", "arcp", "nsz"):
        assert flag in balanced
    assert "nnan" not in balanced
    assert "fast" in body(compiled(SUM, "--opt=fast-math:aggressive"), "f")


def test_denormals_are_flushed_on_request(compiled: Compile) -> None:
    assert "ldmxcsr" not in compiled(SUM)
    assert compiled(SUM, "--opt=reset-ftz-daz").count("call void @llvm.x86.sse.ldmxcsr") == 2


def test_the_other_words_change_nothing(compiled: Compile) -> None:
    words = """fast-masked-vload force-aligned-memory disable-apx disable-apx=egpr,ccmp disable-blended-masked-stores
        disable-blending-removal disable-coalescing disable-coherent-control-flow disable-gather-scatter-flattening
        disable-handle-pseudo-memory-ops disable-uniform-control-flow disable-uniform-memory-optimizations
        enable-ldst-vectorizer enable-slp-vectorizer"""
    assert compiled(SUM, *(f"--opt={word}" for word in words.split())) == compiled(SUM)


def test_developer_switches_are_accepted(compiled: Compile) -> None:
    assert "all_on" not in compiled(SUM, "--opt=disable-all-on-optimizations")
    assert "gather" in compiled(SUM, "--opt=disable-gather-scatter-optimizations", "--target=avx512skx-x16", "-O1")


# --- addresses, position, sections


def test_addressing_is_the_width_of_size_t_and_of_index_arithmetic(compiled: Compile) -> None:
    source = """export uniform int sizes() { return sizeof(uniform size_t) * 10 + sizeof(sizeof(int)); }
uniform int * uniform p;
uniform int * uniform q;
export uniform int64 distance() { return sizeof(p - q); }
"""
    narrow, wide = (compiled(source, f"--addressing={bits}", "-O2") for bits in (32, 64))
    width = 8
    assert f"ret i32 {40 + 4 * width}" in body(narrow, "sizes") or "ret i32 44" in body(narrow, "sizes")
    assert "ret i32 88" in body(wide, "sizes")
    assert "ret i64 4" in body(narrow, "distance") and "ret i64 8" in body(wide, "distance")
    assert compiled(source, "-O2") == narrow


def test_code_is_position_independent(compiled: Compile, folder: Path) -> None:
    source = "extern uniform int other;\nexport uniform int f() { return other; }\n"
    for words in ((), ("--pic",), ("--PIC",), ("--mcmodel=small",), ("--mcmodel=large",)):
        compiled(source, "-o", "code.o", *words)
        made = subprocess.run(["gcc", "-shared", "code.o", "-o", "code.so"], cwd=folder, capture_output=True, text=True)
        assert made.returncode == 0, made.stderr
    large = compiled(source, "--emit-asm", "-o", "-", "--mcmodel=large")
    assert "movabsq" in large and "movabsq" not in compiled(source, "--emit-asm", "-o", "-")


def test_functions_get_sections_of_their_own(compiled: Compile) -> None:
    source = "export void one() { }\nexport void two() { }\n"
    words = ("--emit-asm", "-o", "-")
    split = compiled(source, *words, "-ffunction-sections")
    assert ".section\t.text.one" in split and ".section\t.text.two" in split
    assert ".text.one" not in compiled(source, *words)
    assert ".text.one" not in compiled(source, *words, "-ffunction-sections", "-fno-function-sections")


def test_signed_integers_wrap_on_request(compiled: Compile) -> None:
    source = """export uniform bool bigger(uniform int a) { return a + 1 > a; }
export uniform bool doubled(uniform int a) { return a * 2 / 2 == a; }
"""
    assert "ret i1 true" in body(compiled(source, "-O2"), "bigger")
    wrapped = compiled(source, "-O2", "--wrap-signed-int")
    assert "ret i1 true" not in wrapped and " nsw " not in wrapped
    assert compiled(source, "-O2", "--wrap-signed-int", "--no-wrap-signed-int") == compiled(source, "-O2")


def test_what_new_allocates_is_aligned_as_asked(compiled: Compile) -> None:
    for words, alignment in (((), 8), (("--force-alignment=128",), 128), (("--force-alignment=2",), 8)):
        assert re.search(rf"@posix_memalign\(ptr [^,]*, i64 {alignment}, ", compiled(ALLOCATION, *words))


# --- language


def test_without_the_standard_library_its_names_are_unknown(voltac: Run, folder: Path) -> None:
    (folder / "own.ispc").write_text(
        "float sqrt(float x) { return x / 2; }\n"
        "export void f(uniform float a[], uniform int n) { foreach (i = 0 ... n) a[i] = sqrt(a[i]); }\n"
    )
    (folder / "root.ispc").write_text(
        "export void f(uniform float a[], uniform int n) { foreach (i = 0 ... n) a[i] = sqrt(a[i]); }\n"
    )
    assert voltac("own.ispc", "--nostdlib", "--target=avx2", "-o", "own.o").returncode == 0
    done = voltac("root.ispc", "--nostdlib", "--target=avx2", "-o", "root.o")
    assert "'sqrt' is not declared" in " ".join(done.stderr.split())
    assert done.returncode == 2
    assert voltac("root.ispc", "--target=avx2", "-o", "root.o").returncode == 0


def test_intrinsics_are_an_option(voltac: Run, folder: Path) -> None:
    source = "export uniform float f(uniform float a) { return @llvm.sqrt.f32(a); }\n"
    (folder / "code.ispc").write_text(source)
    assert voltac("code.ispc", "--target=avx2", "-o", "code.o", "--enable-llvm-intrinsics").returncode == 0
    done = voltac("code.ispc", "--target=avx2", "-o", "code.o")
    assert "--enable-llvm-intrinsics" in done.stderr and done.returncode == 2


def test_headers_have_an_include_guard_on_request(compiled: Compile, folder: Path) -> None:
    compiled(SUM, "-o", "code.o", "-h", "my-code.h", "--no-pragma-once")
    header = (folder / "my-code.h").read_text()
    assert "#pragma once" not in header and "#ifndef ISPC_MY_CODE_H" in header
    compiled(SUM, "-o", "code.o", "-h", "my-code.h")
    assert "#pragma once" in (folder / "my-code.h").read_text()


def test_preprocessor_errors_can_be_passed_over(voltac: Run, folder: Path) -> None:
    (folder / "code.ispc").write_text("#error stop\nexport void f() { }\n")
    done = voltac("code.ispc", "--target=avx2", "-o", "code.o")
    assert "error: stop" in done.stderr and done.returncode == 2
    assert voltac("code.ispc", "--target=avx2", "-o", "code.o", "--ignore-preprocessor-errors").returncode == 0
    assert (folder / "code.o").exists()


def test_performance_warnings_count_as_errors_on_request(voltac: Run, folder: Path) -> None:
    (folder / "code.ispc").write_text(GATHER)
    words = ("code.ispc", "--target=avx2", "-o", "code.o")
    done = voltac(*words, "--werror")
    assert "Performance Warning" in done.stderr and done.returncode != 0
    assert not (folder / "code.o").exists()
    for silent in ("--wno-perf", "-wno-perf", "--woff"):
        done = voltac(*words, "--werror", silent)
        assert (done.stderr, done.returncode) == ("", 0)
