"""What the options of the plain compile do."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from voltac import target_info
from voltac.cli.opt_words import OPT_WORDS
from voltac.cli.option_table import COMPILE, options_of
from voltac.messages.warning_switches import SWITCHES

Run = Callable[..., subprocess.CompletedProcess[str]]
TARGET = "--target=sse4-i32x4"


def said(done: subprocess.CompletedProcess[str]) -> str:
    return " ".join(done.stderr.split())


@pytest.fixture
def parts(folder: Path) -> Path:
    """A program of three files."""
    (folder / "inc").mkdir()
    (folder / "near.isph").write_text("#define NEAR 3\n")
    (folder / "inc" / "far.isph").write_text("#pragma once\n#ifndef FAR\n#define FAR 4\n#endif\n")
    source = '#include "near.isph"\n#include <far.isph>\nexport uniform int sum() { return NEAR + FAR; }\n'
    (folder / "parts.ispc").write_text(source)
    return folder


def test_without_an_output_the_program_is_checked_and_a_warning_says_so(voltac: Run, folder: Path) -> None:
    done = voltac("good.ispc", TARGET)
    assert "Warning: no output name given (-o or -h), so nothing will be written" in said(done)
    assert done.returncode == 0
    assert [path.name for path in folder.iterdir()] == ["good.ispc"]


def test_without_a_target_a_warning_names_the_one_used(voltac: Run) -> None:
    from voltac.llvm import host_target

    done = voltac("good.ispc", "-o", "good.o")
    assert f"Warning: no --target given, using '{host_target().name}', the best for this machine" in said(done)
    assert done.returncode == 0


def test_host_is_a_target_and_warns_of_nothing(voltac: Run) -> None:
    done = voltac("good.ispc", "-o", "good.o", "--target=host")
    assert (done.stderr, done.returncode) == ("", 0)


@pytest.mark.parametrize(
    ("cpu", "target"),
    [("core-avx2", "avx2-i32x8"), ("skx", "avx512skx-x16"), ("nehalem", "sse4.2-i32x4"), ("znver3", "avx2-i32x8")],
)
def test_a_cpu_selects_the_target(voltac: Run, cpu: str, target: str) -> None:
    done = voltac("good.ispc", "-o", "good.o", f"--cpu={cpu}")
    assert f"no --target given, using '{target}', the one for this CPU name" in said(done)
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("words", "name"), [(["-o", "x.s"], "x.s"), (["--emit-asm", "-o", "x.o"], "x.o"), (["-h", "x.c"], "x.c")]
)
def test_a_suffix_that_does_not_fit_is_warned_of(voltac: Run, folder: Path, words: list[str], name: str) -> None:
    done = voltac("good.ispc", TARGET, *words)
    assert f"of '{name}' does not fit the output" in said(done)
    assert done.returncode == 0
    assert (folder / name).exists()


def test_standard_input_and_standard_output(voltac: Run) -> None:
    done = voltac("-", TARGET, "--emit-asm", "-o", "-", input="export uniform int seven() { return 7; }")
    assert "seven:" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("words", [["-Iinc"], ["-I", "inc"]])
def test_include_directories_are_searched(voltac: Run, parts: Path, words: list[str]) -> None:
    done = voltac("parts.ispc", TARGET, "--emit-asm", "-o", "-", *words)
    assert "$7" in done.stdout
    assert done.stderr == ""


def test_macros_are_defined_on_the_command_line(voltac: Run, parts: Path) -> None:
    done = voltac("parts.ispc", TARGET, "--emit-asm", "-o", "-", "-Iinc", "-DFAR=40", "-DUNUSED")
    assert "$43" in done.stdout


def test_preprocessing_only(voltac: Run, parts: Path) -> None:
    done = voltac("parts.ispc", TARGET, "-E", "-Iinc")
    assert "return 3 + 4 ;" in " ".join(done.stdout.split())
    assert done.returncode == 0
    assert voltac("parts.ispc", TARGET, "-E", "-Iinc", "-o", "parts.i").stdout == ""
    assert "return 3 + 4 ;" in " ".join((parts / "parts.i").read_text().split())


def test_macros_can_be_listed_alone_or_in_place(voltac: Run, parts: Path) -> None:
    alone = voltac("parts.ispc", TARGET, "-E", "-dM", "-Iinc").stdout
    assert "#define FAR 4\n" in alone
    assert "#define TARGET_WIDTH 4\n" in alone
    assert "return" not in alone
    both = voltac("parts.ispc", TARGET, "-E", "-dD", "-Iinc").stdout
    assert "#define FAR 4\n" in both
    assert "return 3 + 4 ;" in " ".join(both.split())


def test_a_make_rule_is_printed(voltac: Run, parts: Path) -> None:
    done = voltac("parts.ispc", TARGET, "-o", "parts.o", "-Iinc", "-M")
    assert done.stdout == "parts.o: parts.ispc \\\n ./near.isph \\\n ./inc/far.isph\n"
    assert (parts / "parts.o").exists()


def test_a_make_rule_goes_to_a_file_with_the_target_given(voltac: Run, parts: Path) -> None:
    done = voltac("parts.ispc", TARGET, "-Iinc", "-M", "-MF", "parts.d", "-MT", "all")
    assert done.stdout == ""
    assert done.stderr == ""
    assert (parts / "parts.d").read_text().startswith("all: parts.ispc \\\n")
    subprocess.run(["make", "-n", "-f", "parts.d", "all"], cwd=parts, check=True, capture_output=True)


def test_the_target_of_a_make_rule_is_the_source_with_suffix_o(voltac: Run, parts: Path) -> None:
    assert voltac("parts.ispc", TARGET, "-Iinc", "-M").stdout.startswith("parts.o: parts.ispc")


def test_standard_input_is_no_file_that_make_could_look_for(voltac: Run, parts: Path) -> None:
    source = (parts / "parts.ispc").read_text()
    done = voltac("-", TARGET, "-Iinc", "-M", "-MMM", "files.txt", "-o", "parts.o", input=source)
    assert done.stdout.split() == ["parts.o:", "\\", "./near.isph", "\\", "./inc/far.isph"]
    assert (parts / "files.txt").read_text().split() == ["inc/far.isph", "near.isph"]


def test_the_list_of_dependencies_is_sorted(voltac: Run, parts: Path) -> None:
    assert voltac("parts.ispc", TARGET, "-Iinc", "-MMM", "files.txt", "-o", "parts.o").returncode == 0
    assert (parts / "files.txt").read_text().split() == ["inc/far.isph", "near.isph", "parts.ispc"]


def test_arguments_come_from_files_and_the_environment(voltac: Run, parts: Path) -> None:
    (parts / "inner.txt").write_text("-Iinc\n--emit-asm")
    (parts / "outer.txt").write_text("@inner.txt  -o -")
    done = voltac("@outer.txt", "parts.ispc", environment={"ISPC_ARGS": f"-DNEAR=1 -DFAR=90 {TARGET} --woff"})
    assert "$93" in done.stdout


def test_warnings_can_be_errors(voltac: Run, folder: Path) -> None:
    (folder / "hides.ispc").write_text("int a;\nvoid f() {\n    int a = 1;\n}\n")
    words = ("hides.ispc", TARGET, "-o", "hides.o", "--werror")
    done = voltac(*words)
    assert "Warning: 'a' hides" in said(done)
    assert done.returncode != 0
    assert not (folder / "hides.o").exists()
    assert voltac(*words, "--woff").returncode == 0


def test_a_build_made_for_ispc_stays_as_it_is_with_warnings_as_errors(voltac: Run, folder: Path) -> None:
    (folder / "own.ispc").write_text("float f(float x) {\n    if (x > 0) return x;\n}\n")
    words = ("own.ispc", TARGET, "-o", "own.o", "--werror")
    done = voltac(*words)
    assert "a return is missing" in said(done)
    assert done.returncode == 0
    assert voltac(*words, "--wmissing-return").returncode != 0


@pytest.mark.parametrize("word", ["--woff", "-woff", "--quiet"])
def test_warnings_can_be_silenced(voltac: Run, word: str) -> None:
    done = voltac("good.ispc", word)
    assert (done.stderr, done.returncode) == ("", 0)


BAD = "export void f() { one = 1; }\nexport void g() { two = 2; }\nexport void h() { three = 3; }\n"


def test_the_exit_code_counts_errors(voltac: Run, folder: Path) -> None:
    (folder / "bad.ispc").write_text(BAD)
    done = voltac("bad.ispc", TARGET, "-o", "bad.o")
    assert done.stderr.count("Error:") == 3
    assert done.returncode == 4
    assert not (folder / "bad.o").exists()


def test_the_number_of_errors_printed_is_limited(voltac: Run, folder: Path) -> None:
    (folder / "bad.ispc").write_text(BAD)
    done = voltac("bad.ispc", TARGET, "-o", "bad.o", "--error-limit=1")
    assert done.stderr.count("Error:") == 1
    assert done.returncode == 4


def test_quiet_prints_no_errors_either(voltac: Run, folder: Path) -> None:
    (folder / "bad.ispc").write_text(BAD)
    done = voltac("bad.ispc", TARGET, "-o", "bad.o", "--quiet")
    assert (done.stderr, done.returncode) == ("", 4)


def test_many_errors_do_not_become_exit_code_0(voltac: Run, folder: Path) -> None:
    (folder / "bad.ispc").write_text("".join(f"export void f{k}() {{ missing{k} = 1; }}\n" for k in range(255)))
    assert voltac("bad.ispc", TARGET, "-o", "bad.o").returncode not in (0, 256)


def test_errors_are_coloured_on_request(voltac: Run, folder: Path) -> None:
    (folder / "bad.ispc").write_text(BAD)
    assert "\033[" in voltac("bad.ispc", TARGET, "--colored-output").stderr
    assert "\033[" not in voltac("bad.ispc", TARGET).stderr


def test_long_messages_are_wrapped_unless_told_not_to(voltac: Run) -> None:
    lines = voltac("good.ispc", "--target=nothing").stderr.splitlines()
    assert max(map(len, lines)) <= 81
    assert len(lines) > 2


def test_the_stages_are_timed_and_printed(voltac: Run) -> None:
    done = voltac("good.ispc", TARGET, "-o", "good.o", "--time", "--print-stage=lower")
    assert "define" in done.stderr
    for stage in ("preprocess", "parse", "check", "lower", "early", "passes", "late", "write"):
        assert f"\n{stage} " in "\n" + done.stderr


def test_the_pipeline_can_be_left_and_entered_again(voltac: Run, folder: Path) -> None:
    whole = voltac("good.ispc", TARGET, "--emit-asm", "-o", "-").stdout
    assert voltac("good.ispc", TARGET, "--end-after=early", "-o", "good.ll").returncode == 0
    rest = voltac("good.ll", TARGET, "--begin-at=passes", "--emit-asm", "-o", "-")
    assert rest.stdout == whole


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-O3"])
def test_every_level_makes_an_object(voltac: Run, folder: Path, level: str) -> None:
    assert voltac("good.ispc", TARGET, level, "-o", "good.o").returncode == 0
    assert (folder / "good.o").read_bytes()[:4] == b"\x7fELF"


ACCEPTED = """
--pic --PIC --mcmodel=small --mcmodel=large -ffunction-sections -fno-function-sections -g --dwarf-version=4
--opt=disable-fma --opt=fast-math --math-lib=fast --addressing=64 --wrap-signed-int
--no-wrap-signed-int --no-internal-export-functions --internal-export-functions --force-alignment=64
--include-float16-conversions --no-omit-frame-pointer --stack-protector --stack-protector=strong
--x86-asm-syntax=intel --no-vectorcall --arch=x86-64 --target-os=linux -O
--cpu=skylake --nowrap --device=znver4
"""


def test_options_of_a_build_for_ispc_are_accepted(voltac: Run) -> None:
    done = voltac("good.ispc", TARGET, "-o", "good.o", *ACCEPTED.split())
    assert (done.stderr, done.returncode) == ("", 0)


def test_options_with_separate_values(voltac: Run, folder: Path) -> None:
    words = "--target sse4-i32x4 --arch x86-64 --cpu skylake --addressing 64 --math-lib fast --opt disable-fma --opt fast-math"
    done = voltac("good.ispc", "--outfile", "good.s", "--emit-asm", *words.split(), "--dwarf-version", "4")
    assert (done.stderr, done.returncode) == ("", 0)
    joined = words.replace(" ", "=").replace("=--", " --")
    assert voltac("good.ispc", "-o", "other.s", "--emit-asm", *joined.split(), "--dwarf-version=4").returncode == 0
    assert (folder / "good.s").read_text() == (folder / "other.s").read_text()


def test_every_option_with_a_value_takes_it_separately(voltac: Run, folder: Path) -> None:
    for option in options_of(COMPILE):
        if option.form == "equals" and option.choices and option.field != "emit":
            value = option.choices.split()[-1]
            name = option.names.split()[0]
            separate, joined = (
                voltac("good.ispc", TARGET, "-o", "good.o", *words) for words in ([name, value], [f"{name}={value}"])
            )
            assert (separate.returncode, separate.stderr) == (joined.returncode, joined.stderr), name


IDLE = [
    "--vectorcall",
    "--dllexport",
    *("--print-target", "--time-trace", "--debug-pm", "--ast-dump", "--dump-file"),
    *(f"--opt={word}" for word, does in OPT_WORDS.items() if isinstance(does, str)),
]


def test_what_is_accepted_without_effect_is_warned_of(voltac: Run) -> None:
    done = voltac("good.ispc", TARGET, "-o", "good.o", *IDLE, "--opt=disable-apx=egpr")
    for name in (*IDLE, "--opt=disable-apx=egpr"):
        assert f"Warning: option '{name}' has no effect: " in said(done)
    assert done.returncode == 0
    assert voltac("good.ispc", TARGET, "-o", "good.o", *IDLE, "--wno-output").stderr == ""


def test_no_warning_of_the_command_line_is_an_error(voltac: Run, folder: Path) -> None:
    """ispc takes these options, and no target, with ``--werror``: a build made for it goes on."""
    done = voltac("good.ispc", "--werror", "-o", "good.s", "--nocpp", *IDLE)
    assert "has no effect" in said(done) and "no --target given" in said(done) and "suffix" in said(done)
    assert done.returncode == 0
    assert (folder / "good.s").exists()
    assert voltac("good.ispc", TARGET, "--werror").returncode == 0
    assert voltac("good.ispc", TARGET, "--werror", "--woutput").returncode != 0


def test_what_developers_of_ispc_set_is_accepted(voltac: Run) -> None:
    done = voltac("good.ispc", TARGET, "-o", "good.o", "--ast-dump=all", "--off-phase=3,5", "--time-trace-granularity=9")
    assert done.returncode == 0 and said(done).count("has no effect") == 3


def test_directories_of_included_files_have_a_long_name_too(voltac: Run, tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "far.isph").write_text("#define N 3\n")
    (tmp_path / "near.ispc").write_text('#include "far.isph"\nexport uniform int f() { return N; }\n')
    for words in (("--include-path=more",), ("--include-path", "more")):
        assert voltac("near.ispc", TARGET, "-o", "near.o", *words).returncode == 0


# --- diagnostics ------------------------------------------------------------------------------------------------

HIDING = "int a;\nexport void f(uniform int n) {\n    uniform int a = n;\n    assert(a == n);\n}\n"
"""A program with one warning, 'shadow'."""


def hidden(voltac: Run, folder: Path, *words: str) -> int:
    (folder / "h.ispc").write_text(HIDING)
    return voltac("h.ispc", "-o", "h.o", "--target=sse4", *words).stderr.count("hides an outer")


@pytest.mark.parametrize(
    ("words", "count"),
    [
        ((), 1),
        (("--wno-shadow",), 0),
        (("--wno-shadow", "--wshadow"), 1),
        (("--wshadow", "--wno-shadow"), 0),
        (("--wno-bounds",), 1),
        (("--woff",), 0),
    ],
)
def test_warnings_are_switched_by_name_and_the_last_word_counts(
    voltac: Run, folder: Path, words: tuple[str], count: int
) -> None:
    assert hidden(voltac, folder, *words) == count


def test_an_unknown_warning_is_named_with_the_nearest(voltac: Run) -> None:
    done = voltac("good.ispc", "--wno-shadw")
    assert done.returncode == 2
    assert "did you mean '--wno-shadow'" in " ".join(done.stderr.split())


def test_the_help_lists_every_warning(voltac: Run) -> None:
    text = voltac("--help").stdout
    for switch in SWITCHES:
        assert f"--wno-{switch.name}" in text
        assert f"--w{switch.name}" in text


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("bad.ispc", "-o", "bad.o", "--target=sse4"), 3),
        (("nowhere.ispc",), 1),
        (("good.ispc", "--frob"), 2),
        (("good.ispc", "two.ispc"), 2),
        (("good.ispc", "-o", "no/such/folder/x.o", "--target=sse4"), 1),
        (("good.ispc", "--opt=frob"), 2),
        (("broken.ispc",), 2),
    ],
)
def test_json_diagnostics_are_one_object_a_line_with_the_same_exit_code(
    voltac: Run, folder: Path, words: tuple[str, ...], code: int
) -> None:
    (folder / "bad.ispc").write_text("export void f() {\n    a = 1;\n    b = 2;\n}\n")
    (folder / "broken.ispc").write_text("#error stop\n")
    assert voltac(*words).returncode == code
    done = voltac(*words, "--diagnostics=json")
    assert done.returncode == code
    rows = [json.loads(line) for line in done.stderr.splitlines()]
    assert [row for row in rows if row["kind"] == "error"]
    for row in rows:
        assert set(row) == {"kind", "code", "file", "line", "column", "end", "message", "notes", "chain", "option"}
    if words[0] == "bad.ispc":
        assert [(row["file"], row["line"], row["column"]) for row in rows] == [("bad.ispc", 2, 5), ("bad.ispc", 3, 5)]


def test_sim_offers_what_the_records_of_devices_say_there_is_to_choose() -> None:
    offered = {name for option in options_of("sim") for name in option.names.split()}
    device = target_info.DEVICES["naplespu"].device
    assert device is not None
    assert {f"--{setting.name.replace('_', '-')}" for setting in device.settings} <= offered
    assert offered >= {"--cores", "--threads", "--latency", "--write-latency", "--blocking-stores", "--fpu"}
    assert not {"--latency", "--fpu"} & {name for option in options_of(COMPILE) for name in option.names.split()}
