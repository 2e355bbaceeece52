"""Outputs: all of them or none, whatever ends the process; never over a file that was read; nothing stays behind."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from command_server import run_command

from voltac.cli.outputs import Output, OutputError, write_all

Run = Callable[..., subprocess.CompletedProcess[str]]
NAMES = ("out.o", "out.h", "out.d", "out.txt")
WORDS = ("good.ispc", "--target=sse4", "-O0", "-o", "out.o", "-h", "out.h", "-M", "-MF", "out.d", "-MMM", "out.txt")


def said(done: subprocess.CompletedProcess[str]) -> str:
    return " ".join(done.stderr.split())


def old_outputs(folder: Path) -> None:
    for name in NAMES:
        (folder / name).write_text("old")


def state(folder: Path) -> str:
    """``old`` or ``new`` if all outputs are that, and nothing else is in the folder."""
    assert {path.name for path in folder.iterdir()} == {"good.ispc", *NAMES}
    (found,) = {"old" if (folder / name).read_text(errors="replace") == "old" else "new" for name in NAMES}
    return found


def patched(folder: Path, code: str) -> int:
    """The exit status of the command line after some code ran in its process."""
    program = f"import os, signal, sys\nfrom voltac.cli import outputs\n{code}\nsys.argv[1:] = {list(WORDS)!r}\n"
    program += "from voltac.cli.main import entry\nentry()\n"
    return subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, timeout=60).returncode


SIGNALS = [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT]


@pytest.mark.parametrize("number, when", [(SIGNALS[0], 1), (SIGNALS[0], 4), *((number, 2) for number in SIGNALS)])
def test_a_signal_between_the_renames(number: signal.Signals, when: int, folder: Path) -> None:
    old_outputs(folder)
    code = f"""
real, calls = os.replace, []
def replace(*given):
    # A first run of a fresh tree keeps values among its .pyc, too.
    calls.extend(given[1:] if os.path.basename(given[1]) in {NAMES} else ())
    if len(calls) == {when}: os.kill(os.getpid(), {int(number)})
    return real(*given)
os.replace = replace
"""
    status = patched(folder, code)
    assert status == (130 if number == signal.SIGINT else -number)
    assert state(folder) == "new"


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_while_the_files_are_written(number: signal.Signals, folder: Path) -> None:
    old_outputs(folder)
    code = f"""
real = outputs._stage
def stage(item):
    real(item)
    if item.place.endswith("out.h"): os.kill(os.getpid(), {int(number)})
outputs._stage = stage
"""
    assert patched(folder, code) == (130 if number == signal.SIGINT else -number)
    assert state(folder) == "old"


def test_a_signal_at_any_time(folder: Path) -> None:
    old_outputs(folder)
    chance = random.Random(3)
    for _ in range(8):
        process = subprocess.Popen([sys.executable, "-m", "voltac", *WORDS], cwd=folder, stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0, 0.5))
        process.send_signal(chance.choice(SIGNALS[:3]))
        process.wait(60)
        state(folder)


def test_ignored_signals_stay_ignored(folder: Path) -> None:
    """As ``nohup`` does it."""
    code = """
signal.signal(signal.SIGHUP, signal.SIG_IGN)
real = outputs._stage
def stage(item):
    real(item)
    os.kill(os.getpid(), signal.SIGHUP)
outputs._stage = stage
"""
    assert patched(folder, code) == 0 and state(folder) == "new"


def test_who_waits_for_a_reader_can_be_ended(folder: Path) -> None:
    os.mkfifo(folder / "pipe.h")
    words = [sys.executable, "-m", "voltac", "good.ispc", "--target=sse4", "-o", "out.o", "-h", "pipe.h"]
    process = subprocess.Popen(words, cwd=folder, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not list(folder.glob(".voltac-*")) and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.2)
    process.terminate()
    assert process.wait(60) == -signal.SIGTERM
    assert {path.name for path in folder.iterdir()} == {"good.ispc", "pipe.h"}


@pytest.mark.parametrize("existing", [0, 1, 2, 3])
@pytest.mark.parametrize("links", [True, False])
def test_a_rename_that_fails_takes_the_others_back(
    existing: int, links: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("a", "b", "c")
    for name in names[:existing]:
        (tmp_path / name).write_text(f"old {name}")
    real = os.replace

    def replace(source: str, place: str) -> None:
        if place.endswith("c") and ".tmp" in source and Path(source).read_text() == "new c":
            raise PermissionError(1, "Operation not permitted")
        real(source, place)

    def link(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "replace", replace)
    if not links:
        monkeypatch.setattr(os, "link", link)
    with pytest.raises(OutputError, match="c is not writable: Operation not permitted"):
        write_all([Output(str(tmp_path / name), f"new {name}".encode()) for name in names], [])
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {name: f"old {name}" for name in names[:existing]}


def test_what_a_dead_process_left_blocks_nobody(folder: Path) -> None:
    """In a container each build has the same process numbers."""
    code = """
for name in ("out.o", "out.h"):
    for number in range(1, 40000):
        if number == os.getpid(): open(f".{name}.{number}.tmp", "w").close()
"""
    assert patched(folder, code) == 0
    assert (folder / "out.o").read_bytes()[:4] == b"\x7fELF"


# --- never over what was read -----------------------------------------------------------------------------------


@pytest.fixture
def program(folder: Path) -> Path:
    (folder / "main.ispc").write_text(
        '#include "included.isph"\n#line 1 "shown.txt"\nexport void f(uniform float a[]) { a[0] = X; }\n'
    )
    (folder / "included.isph").write_text("#define X 1\n")
    (folder / "shown.txt").write_text("shown\n")
    (folder / "words").write_text("-O1 @more\n")
    (folder / "more").write_text("--target=sse4\n")
    os.link(folder / "included.isph", folder / "second name")
    (folder / "link").symlink_to("included.isph")
    return folder


INPUTS = ["main.ispc", "./main.ispc", "included.isph", "second name", "link", "words", "more", "shown.txt"]


@pytest.mark.parametrize(
    "option, name",
    [("-o", name) for name in INPUTS]
    + [(option, name) for option in ("-h", "-MF", "-MMM", "-E -o") for name in ("included.isph", "second name")],
)
def test_no_output_replaces_a_file_that_was_read(option: str, name: str, program: Path, voltac: Run) -> None:
    before = {path.name: path.read_bytes() for path in program.iterdir()}
    words = option.split()
    done = voltac("@words", "main.ispc", *(["-M"] if option == "-MF" else []), *words, name)
    assert done.returncode == 1 and f"output file {name} is " in said(done) and "it was left as it is" in said(done)
    assert {path.name: path.read_bytes() for path in program.iterdir()} == before


@pytest.mark.parametrize("command, name", [("explain", "link"), ("explain", "main.ispc"), ("compare", "included.isph")])
def test_no_page_replaces_a_file_that_was_read(command: str, name: str, program: Path, voltac: Run) -> None:
    before = {path.name: path.read_bytes() for path in program.iterdir()}
    done = voltac(command, "main.ispc", "--target=sse4", "--html", name)
    assert done.returncode == 1 and f"output file {name} is " in said(done)
    assert {path.name: path.read_bytes() for path in program.iterdir()} == before


def test_standard_input_that_is_a_file_is_not_replaced(folder: Path) -> None:
    before = (folder / "good.ispc").read_bytes()
    words = [sys.executable, "-m", "voltac", "-", "--target=sse4", "-o", "good.ispc"]
    with (folder / "good.ispc").open("rb") as source:
        done = subprocess.run(words, cwd=folder, stdin=source, capture_output=True, text=True)
    assert done.returncode == 1 and "is the input file" in done.stderr and (folder / "good.ispc").read_bytes() == before


def test_builds_for_several_targets_do_not_replace_what_they_read(folder: Path, voltac: Run) -> None:
    (folder / "out_sse4.h").write_text("#define X 1\n")
    (folder / "main.ispc").write_text('#include "out_sse4.h"\nexport void f(uniform float a[]) { a[0] = X; }\n')
    done = voltac("main.ispc", "--target=sse4,avx2", "-o", "out.o", "-h", "out.h")
    assert done.returncode == 1 and "out_sse4.h" in said(done) and not (folder / "out.o").exists()
    assert (folder / "out_sse4.h").read_text() == "#define X 1\n"


def test_all_targets_see_the_same_header(folder: Path) -> None:
    """Although another takes its place after the first was compiled."""
    (folder / "value.isph").write_text("#define X 1111\n")
    (folder / "main.ispc").write_text('#include "value.isph"\nexport uniform int f() { return X; }\n')
    code = """
import os, sys
from voltac import syntax
real = syntax.preprocess
def preprocess(*given):
    made = real(*given)
    with open("new", "w") as file: file.write("#define X 2222\\n")
    os.rename("new", "value.isph")
    return made
syntax.preprocess = preprocess
sys.argv[1:] = ["main.ispc", "--target=sse4,avx2", "--emit-llvm-text", "-o", "out.ll"]
from voltac.cli.main import entry
entry()
"""
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True)
    for name in ("out_sse4.ll", "out_avx2.ll"):
        assert "1111" in (folder / name).read_text() and "2222" not in (folder / name).read_text()


def test_two_outputs_of_one_name_are_an_error(folder: Path, voltac: Run) -> None:
    (folder / "link").symlink_to("x")
    for other in ("x", "./x", "link"):
        done = voltac("good.ispc", "--target=sse4", "-o", "x", "-h", other, "--wno-output")
        assert done.returncode == 1 and "two outputs are to be written to one file" in said(done)
        assert not (folder / "x").exists()
    assert voltac("good.ispc", "--target=sse4", "-o", "/dev/null", "-h", "/dev/null").returncode == 0


def test_endings_are_left_alone_in_other_threads(tmp_path: Path) -> None:
    import threading

    thread = threading.Thread(target=write_all, args=([Output(str(tmp_path / "x"), b"new")], []))
    thread.start()
    thread.join()
    assert (tmp_path / "x").read_text() == "new" and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


# --- long and strange names -------------------------------------------------------------------------------------

STRANGE = {
    "250 characters": b"n" * 245,
    "not UTF-8": b"caf\xe9\xff",
    "control characters": b"a\x1b[31m\x7fb",
    "a line end": b"a\nb",
    "quotes and blanks": b"a 'b' \"c\" $d #e \\f g",
    "Unicode": "größe数🎉\u202e".encode(),
    "invalid surrogates": b"a\xed\xa0\x80b",
}


@pytest.mark.parametrize("name", STRANGE)
def test_strange_names_work_everywhere(name: str, folder: Path) -> None:
    strange = STRANGE[name]
    inner = os.path.join(os.fsencode(folder), strange)
    os.mkdir(inner)
    source, header = strange + b".ispc", strange + b".isph"
    with open(os.path.join(inner, source), "wb") as file:
        file.write(b'#include HEADER\nexport void f(uniform float a[], uniform int n) {\n print(__FILE__); print(VALUE);\n'
                   b" assert(n > 0); foreach (i = 0 ... n) a[i] = a[2 * i] + X; }\n")  # fmt: skip
    with open(os.path.join(inner, header), "wb") as file:
        file.write(b"#define X 1\nstatic inline float g(uniform float a[]) { return a[programIndex * 3]; }\n")
    quoted = header.replace(b"\\", b"\\\\").replace(b'"', b'\\"') if b'"' not in header else b""
    define = (
        b'-DHEADER="' + quoted + b'"' if quoted and b"\n" not in quoted and b"\\" not in header else b"-DHEADER=<empty.isph>"
    )
    if b"empty" in define:
        with open(os.path.join(inner, b"empty.isph"), "wb") as file:
            file.write(b"#define X 1\n")
    value = b'-DVALUE="' + bytes(c for c in strange if c >= 32 and c not in b'"\\%') + b'"'
    common = [b"--target=sse4", b"-I" + inner, define, value, os.path.join(strange, source)]

    def run(*words: bytes, forked: bool = True) -> None:
        if forked:
            ended = run_command([*map(os.fsdecode, words)], folder, None, dict(os.environ))
            code, errors = ended.code, ended.err
        else:
            done = subprocess.run([sys.executable, "-m", "voltac", *words], cwd=folder, capture_output=True, timeout=60)
            code, errors = done.returncode, done.stderr
        assert code == 0, errors
        assert b"Traceback" not in errors and b"\x1b" not in errors
        errors.decode()

    made = {}
    kinds = {
        b".o": b"",
        b"_g.o": b"-g",
        b".s": b"--emit-asm -g",
        b".ll": b"--emit-llvm-text -g",
        b".bc": b"--emit-llvm",
        b".i": b"-E",
    }
    thorough = name in ("not UTF-8", "a line end")
    for suffix, options in kinds.items() if thorough else [(b"_g.o", b"-g"), (b".i", b"-E")]:
        out = strange[:240] + suffix
        words = [b"-h", strange[:240] + b".h", b"-M", b"-MF", strange[:240] + b".d", b"-MMM", b"list"]
        # One as a shell starts it.
        run(*common, *options.split(), b"-o", out, *(words if suffix != b".i" else []), forked=suffix != b"_g.o")
        with open(os.path.join(os.fsencode(folder), out), "rb") as written:
            made[suffix] = written.read()
    with open(folder / "list", "rb") as written:
        assert os.path.join(strange, source) in written.read()
    # What was preprocessed is compiled again: the markers name the same files.
    run(strange[:240] + b".i", b"--target=sse4", b"-o", b"again.o")
    assert (folder / "again.o").read_bytes()[:4] == b"\x7fELF"
    with open(os.path.join(os.fsencode(folder), strange[:240] + b".h"), "rb") as written:
        subprocess.run(["gcc", "-fsyntax-only", "-x", "c", "-"], input=written.read(), check=True, capture_output=True)
    # The name of the file is in the debug information by its bytes, and in what the program prints.
    assert source in made[b"_g.o"]
    run(b"explain", *common, b"--html", b"page.html")
    (folder / "page.html").read_bytes().decode()
    if thorough:
        run(b"explain", *common)
        run(b"explain", *common, b"--json")
        run(b"run", *common, b"--function", b"f", b"--interpret", b"random:64", b"16")


@pytest.mark.parametrize("name", [b"a b$c#d\xe9", b"a\\ b", b"a\\#b:c", b"a\tb%c", b"a*b?c[d", b"n" * 245], ids=repr)
def test_a_make_rule_with_strange_names_is_read_by_make(name: bytes, folder: Path) -> None:
    path = os.path.join(os.fsencode(folder), name + b".ispc")
    os.rename(folder / "good.ispc", path)
    words = [name + b".ispc", b"--target=sse4", b"-o", b"out.o", b"-M", b"-MF", b"rule"]
    subprocess.run([sys.executable, "-m", "voltac", *words], cwd=folder, check=True)
    os.utime(path, (time.time() + 100, time.time() + 100))
    with (folder / "rule").open("ab") as file:
        file.write(b"\techo made anew\n")
    target = b"out.o"
    done = subprocess.run(["make", "-f", "rule", target], cwd=folder, capture_output=True)
    assert b"made anew" in done.stdout, done.stderr


# --- argument files ---------------------------------------------------------------------------------------------


def test_argument_files_that_name_each_other_without_end(folder: Path, voltac: Run) -> None:
    for number in range(40):
        (folder / f"{number}.txt").write_text(f"@{number + 1}.txt @{number + 1}.txt")
    (folder / "40.txt").write_text("")
    done = voltac("@0.txt")
    assert done.returncode == 2 and "argument files are named, one by the other" in said(done)


def test_argument_files_nested_too_deeply(folder: Path, voltac: Run) -> None:
    for number in range(200):
        (folder / f"{number}.txt").write_text(f"@{number + 1}.txt")
    done = voltac("@0.txt")
    assert done.returncode == 2 and "nested more than 50 deep" in said(done)


def test_argument_files_with_too_many_words(folder: Path, voltac: Run) -> None:
    (folder / "many.txt").write_text("-O1 " * 100_000)
    done = voltac(*["@many.txt"] * 6)
    assert done.returncode == 2 and "more than 500000 words" in said(done)


@pytest.mark.parametrize(
    "content, message", [("/dev/zero", "it is larger than 256 MB"), (".", "Is a directory|it is a directory")]
)
def test_argument_files_that_are_none(content: str, message: str, voltac: Run) -> None:
    import re

    done = voltac(f"@{content}")
    assert done.returncode == 1 and re.search(message, said(done))


def test_argument_files_with_zero_bytes(folder: Path, voltac: Run) -> None:
    (folder / "zero.txt").write_bytes(b"a\0b.ispc")
    done = voltac("@zero.txt")
    assert done.returncode == 1 and "there is a zero byte in it" in said(done)


def test_an_argument_file_may_be_repeated_and_may_be_a_pipe(folder: Path, voltac: Run) -> None:
    (folder / "common.txt").write_text("--target=sse4 -O1")
    assert voltac("@common.txt", "good.ispc", "@common.txt", "-o", "out.o").returncode == 0
    command = f"{sys.executable} -m voltac @<(echo --target=sse4 -o x.o) good.ispc"
    assert subprocess.run(["bash", "-c", command], cwd=folder).returncode == 0 and (folder / "x.o").exists()


def test_a_source_without_an_end_is_an_error(voltac: Run) -> None:
    done = voltac("/dev/zero", "-o", "out.o")
    assert done.returncode == 1 and "it is larger than 256 MB" in said(done)
