"""A command line that cannot be understood: one clear error, exit code 2."""

import re
import subprocess
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest

from voltac.cli.commands import COMMANDS
from voltac.cli.option_table import COMPILE, Option, options_of

Run = Callable[..., subprocess.CompletedProcess[str]]


def said(done: subprocess.CompletedProcess[str]) -> str:
    """Standard error with the line breaks of wrapping undone."""
    return " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--tagret=avx2"], "unknown option '--tagret'; did you mean '--target'"),
        (["-O4"], "unknown option '-O4'"),
        (["-frobnicate"], "unknown option '-frobnicate'"),
        (["--target=avx3"], "unknown target 'avx3'; did you mean 'avx' or 'avx2' or 'avx1'?; families of targets are: sse2, "),
        (["--target=avx2-i32x7"], "; those for avx2 are: avx2-i8x32, avx2-i16x16"),
        (["--target=sse4,avx2", "-o", "x.o", "--opt=disable-zmm"], "not for 'sse4.2-i32x4' and 'avx2-i32x8'"),
        (["--target", "-O2"], "option '--target' needs a value"),
        (["--target"], "option '--target' needs a value, given as --target=VALUE"),
        (["--target=sse4,avx2"], "several targets need an output file name"),
        (["--target=sse4,avx2", "-o", "-"], "several targets need an output file name"),
        (["--target=sse4,avx2", "-o", "x.o", "-E"], "several targets cannot be compiled in parts"),
        (["--target=avx2-i32x8,avx2-i32x4", "-o", "x.o"], "two targets of one ISA, avx2: 'avx2-i32x8' and 'avx2-i32x4'"),
        (["--target=sse4.1-i32x4,sse4.2-i32x4", "-o", "x.o"], "both SSE4 levels in one build"),
        (["--target=sse4,avx2", "--cpu=skx", "-o", "x.o"], "'--cpu' does not go with several targets"),
        (["--target=sse4,avx4", "-o", "x.o"], "unknown target 'avx4'"),
        (["--arch=mips"], "unknown architecture 'mips'; supported are: x86-64, x86, aarch64, riscv64, wasm32"),
        (["--arch=x86", "--target=neon-i32x4"], "target 'neon-i32x4' is for aarch64, not for architecture 'x86'"),
        (["--arch=aarch64", "--target=avx2"], "target 'avx2-i32x8' is for x86-64, not for architecture 'aarch64'"),
        (
            ["--target=neon", "--cpu=skylake"],
            "'skylake' is a CPU for x86-64 and 'neon-i32x4' a target for aarch64, whose CPUs are: cortex-a35, ",
        ),
        (
            ["--target=avx2", "--cpu=cortex-a72"],
            "'cortex-a72' is a CPU for aarch64 and 'avx2-i32x8' a target for x86-64, whose CPUs are: x86-64, atom, ",
        ),
        (
            ["--target=sse4", "--arch=x86", "--cpu=neoverse-n1"],
            "'neoverse-n1' is a CPU for aarch64 and 'sse4.2-i32x4' a target for x86, whose CPUs are: x86-64, atom, ",
        ),
        (["--cpu=cortex-a72", "--arch=x86-64"], "target 'neon-i32x4' is for aarch64, not for architecture 'x86-64'"),
        (["--cpu=cortex-a7"], "unknown CPU 'cortex-a7'; did you mean 'cortex-a7"),
        (["--target=sse4,neon", "-o", "x.o"], "one build is for one architecture: 'sse4.2-i32x4' and 'neon-i32x4' are for two"),
        (["--target=neon,neon-x2", "-o", "x.o"], "two targets of one ISA, neon: 'neon-i32x4' and 'neon-i32x8'; take"),
        (["--target-os=plan9"], "unknown target system 'plan9'; supported are: linux, android, freebsd, macos, windows"),
        (["--target-os=ps5"], "no objects are made for 'ps5', only for linux, android, freebsd, macos, windows"),
        (["--target-os=macos", "--arch=x86", "--target=sse4"], "no objects are made for 'macos' with 32 bits"),
        (
            ["--target-os=linx"],
            "unknown target system 'linx'; did you mean 'linux'?; supported are: linux, android, freebsd, macos, windows",
        ),
        (["--arch=arm"], "no code is made for 'arm', which has 32 bits; write --arch=aarch64"),
        (["--frobb"], "unknown option '--frobb'; 'voltac --help' lists them all"),
        (["--cpu=zen4"], "unknown CPU 'zen4'"),
        (["--opt=fast-maths"], "unknown word of --opt 'fast-maths'; did you mean 'fast-math'"),
        (["--math-lib=amd"], "option '--math-lib' must be 'default', 'fast' or 'system', not 'amd'"),
        (["--addressing=16"], "option '--addressing' must be '32' or '64', not '16'"),
        (["--error-limit=many"], "option '--error-limit' needs a number, not 'many'"),
        (["-D"], "option '-D' needs its value attached"),
        (["-D1=2"], "'1' is no identifier"),
        (["--host-stub", "stub.c", "--dev-stub", "more.c"], "option '--host-stub' is not supported; '-h FILE' writes a header"),
        (["--dev-stub", "stub.c"], "option '--dev-stub' is not supported; '-h FILE' writes a header"),
        (["--nanobind-wrapper=m.cpp"], "option '--nanobind-wrapper' is not supported; 'voltac.load(FILE)' in Python calls"),
        (["--nanobind-wrapper", "m.cpp"], "option '--nanobind-wrapper' is not supported"),
        (["--force-alignment=24"], "option '--force-alignment' needs a power of two, not '24'"),
        (["--force-alignment=2147483648"], "option '--force-alignment' needs at most 1073741824, not '2147483648'"),
        (["-DA=1\n2"], "the value of macro 'A' must be one line of text"),
        (["--target=avx2", "--opt=disable-zmm"], "--opt=disable-zmm is for the targets avx512skx-x16, avx512icl-x16, not"),
        (["--dwarf-version=6"], "option '--dwarf-version' must be '2', '3', '4' or '5', not '6'"),
        (["--mcmodel=medium"], "option '--mcmodel' must be 'small' or 'large', not 'medium'"),
        (["--pic=yes"], "option '--pic' takes no value"),
        (["--html=x.html"], "option '--html' belongs to 'voltac compare'"),
        (["other.ispc"], "two input files given, 'good.ispc' and 'other.ispc'"),
        (["-o"], "option '-o' needs a value"),
        (["--print-after=resolve"], "has no pass 'resolve'"),
        (["--disable-pass=widen_gang"], "has no pass 'widen_gang'; did you mean 'widen_gangs'?"),
        (["--disable-pass=resolve_accesses"], "pass 'resolve_accesses' cannot be left out"),
        (["--stop-after=tidy"], "has no pass 'tidy'"),
        (["--stop-after=convert_half_vectors"], "pass 'convert_half_vectors' does not run here"),
        (["--pass-limit=-1"], "option '--pass-limit' needs a number of at least 0, not '-1'"),
        (["--begin-at=parse"], "option '--begin-at' must be 'preprocess', 'early', "),
        (["@loop.txt"], "the argument file loop.txt includes itself"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_usage_errors_name_what_is_wrong(voltac: Run, folder: Path, words: list[str], message: str) -> None:
    (folder / "loop.txt").write_text("-O1 @loop.txt\n")
    done = voltac("good.ispc", *words)
    assert message in said(done)
    assert done.stderr.count("Error:") == 1
    assert done.returncode == 2
    assert done.stdout == ""


def test_without_an_input_the_error_mentions_standard_input(voltac: Run) -> None:
    done = voltac("-O2")
    assert "no input file given; '-' reads standard input" in said(done)
    assert done.returncode == 2


def test_an_option_of_compare_is_unknown_to_demo(voltac: Run) -> None:
    done = voltac("demo", "--json")
    assert "belongs to 'voltac compare'" in said(done)
    assert done.returncode == 2


def test_no_arguments_are_an_error_that_names_the_help(voltac: Run) -> None:
    done = voltac()
    assert "no input file given" in said(done) and "'voltac --help'" in said(done)
    assert done.returncode == 2


@pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS)], ids=lambda words: " ".join(words) or "compile")
def test_help_shows_usage_examples_and_options_in_80_columns(voltac: Run, command: list[str]) -> None:
    done = voltac(*command, "--help")
    assert done.stdout.startswith("usage: " + " ".join(["voltac", *command]))
    assert "Examples:" in done.stdout
    assert "--help" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert done.returncode == 0


def test_version_is_what_build_systems_look_for(voltac: Run) -> None:
    done = voltac("--version")
    assert done.stdout.startswith("voltac") and "ISPC), 1.32.0 " in done.stdout
    # What is searched for by those that know nothing of the words around it.
    assert re.findall(r" ([0-9]+[.][0-9]+[.][0-9]+)(?:dev)? ", done.stdout)[0] == "1.32.0"
    assert f"(voltac {version('voltac')}, " in done.stdout and done.stdout.count("\n") == 1
    assert done.returncode == 0


@pytest.mark.parametrize("option", [row for row in options_of(COMPILE) if row.form == "optional"], ids=lambda row: row.names)
def test_an_option_whose_value_may_be_left_out_leaves_the_file_alone(voltac: Run, option: Option) -> None:
    for word in (option.names, *(f"{option.names}={choice}" for choice in option.choices.split())):
        for words in ((word, "good.ispc"), ("good.ispc", word)):
            done = voltac(*words, "--target=sse4", "-o", "good.o")
            assert (done.returncode, done.stderr) == (0, ""), words
    done = voltac("good.ispc", f"{option.names}=perhaps")
    assert done.returncode == 2 and "not 'perhaps'" in said(done)


def test_the_support_matrix_lists_every_target(voltac: Run) -> None:
    from voltac.target_info import TARGETS, listed_devices

    lines = voltac("--support-matrix").stdout.splitlines()
    assert [line.split()[0] for line in lines] == [*TARGETS, *listed_devices()]
    assert any("runs here" in line for line in lines)
