"""Files that cannot be read, compiled or written: one clear error, and what was there before stays."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
OUT = ("-o", "out.o", "--target=sse4")


def said(done: subprocess.CompletedProcess[str]) -> str:
    return " ".join(done.stderr.split())


def refused(done: subprocess.CompletedProcess[str], message: str, errors: int = 1) -> None:
    assert message in said(done)
    assert done.stderr.lower().count("error:") == errors
    assert done.returncode == 1


def test_a_missing_file_is_named(voltac: Run) -> None:
    refused(voltac("missing.ispc", *OUT), "file not found: missing.ispc")


def test_a_directory_is_no_source(voltac: Run, folder: Path) -> None:
    (folder / "dir.ispc").mkdir()
    refused(voltac("dir.ispc", *OUT), "dir.ispc is a directory")


@pytest.mark.skipif(os.geteuid() == 0 and not Path("/proc/self/mem").exists(), reason="root reads everything")
def test_an_unreadable_file_is_refused(voltac: Run, folder: Path) -> None:
    # Root may read any file by its mode; the memory of a process cannot be read from its start by anybody.
    path = "/proc/self/mem"
    if os.geteuid():
        (folder / "locked.ispc").write_text("export void f() {}")
        (folder / "locked.ispc").chmod(0)
        path = "locked.ispc"
    refused(voltac(path, *OUT), f"cannot read {path}")


def test_bytes_that_are_not_utf_8_are_refused_with_their_line(voltac: Run, folder: Path) -> None:
    (folder / "latin.ispc").write_bytes(b"// line 1\n// caf\xe9\nexport void f() {}\n")
    refused(voltac("latin.ispc", *OUT), "latin.ispc is not UTF-8 text: byte 0xe9 in line 2")


@pytest.mark.parametrize("content", ["", "\n  \n"])
def test_an_empty_file_is_refused(voltac: Run, folder: Path, content: str) -> None:
    (folder / "empty.ispc").write_text(content)
    refused(voltac("empty.ispc", *OUT), "empty.ispc is empty")


def test_empty_standard_input_is_refused(voltac: Run) -> None:
    refused(voltac("-", *OUT, input=""), "standard input is empty")


def test_a_missing_argument_file_is_named(voltac: Run) -> None:
    refused(voltac("good.ispc", "@nowhere.txt"), "cannot read the argument file nowhere.txt")


def test_the_input_is_not_overwritten(voltac: Run, folder: Path) -> None:
    before = (folder / "good.ispc").read_text()
    refused(voltac("good.ispc", "-o", "./good.ispc", "--target=sse4", "--woff"), "is the input file")
    assert (folder / "good.ispc").read_text() == before


def test_an_output_folder_that_does_not_exist_is_an_error(voltac: Run) -> None:
    done = voltac("good.ispc", "-o", "no/such/out.o", "--target=sse4")
    refused(done, "output file no/such/out.o is not writable: No such file")


def test_an_output_that_is_a_directory_is_an_error(voltac: Run, folder: Path) -> None:
    (folder / "out.o").mkdir()
    refused(voltac("good.ispc", *OUT), "output file out.o is not writable")


def test_a_failed_compilation_leaves_the_old_output(voltac: Run, folder: Path) -> None:
    (folder / "out.o").write_bytes(b"old")
    (folder / "bad.ispc").write_text("export void f() { undeclared = 1; }\n")
    assert voltac("bad.ispc", *OUT).returncode == 2
    assert (folder / "out.o").read_bytes() == b"old"
    assert [path.name for path in folder.iterdir() if path.name.startswith(".")] == []


def test_if_one_output_fails_the_others_stay_as_they_were(voltac: Run, folder: Path) -> None:
    (folder / "out.o").write_bytes(b"old")
    refused(voltac("good.ispc", *OUT, "-h", "no/such.h"), "output file no/such.h is not writable")
    assert (folder / "out.o").read_bytes() == b"old"
    assert sorted(path.name for path in folder.iterdir()) == ["good.ispc", "out.o"]


def test_a_full_disk_is_one_error(voltac: Run) -> None:
    refused(voltac("good.ispc", "-o", "/dev/full", "--target=sse4"), "output file /dev/full is not writable: No space left")


def test_a_full_standard_output_is_one_error(folder: Path) -> None:
    for words in (["good.ispc", "--target=sse4", "-o", "-"], ["--help"]):
        command = [sys.executable, "-m", "voltac", *words]
        with open("/dev/full", "wb") as full:
            done = subprocess.run(command, cwd=folder, stdout=full, stderr=subprocess.PIPE, text=True)
        assert done.stderr.split("\n")[0].startswith("Error: cannot write standard output: No space left")
        assert "Exception ignored" not in done.stderr
        assert done.returncode == 1


def test_a_reader_that_goes_away_is_no_error(folder: Path) -> None:
    command = f"'{sys.executable}' -m voltac --help | head -c 1"
    done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True)
    assert done.stderr == ""


def test_an_interrupt_ends_quietly(folder: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "voltac", "-", *OUT], cwd=folder, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    # More than a pipe holds: when it is written, the process is reading its input.
    process.stdin.write("// half a program\n" * 10_000)
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert "Traceback" not in err
    assert process.returncode == 130


def test_an_object_keeps_the_mode_and_the_link_it_had(voltac: Run, folder: Path) -> None:
    (folder / "real.o").write_bytes(b"old")
    (folder / "real.o").chmod(0o640)
    (folder / "out.o").symlink_to("real.o")
    assert voltac("good.ispc", *OUT).returncode == 0
    assert (folder / "out.o").is_symlink()
    assert (folder / "real.o").read_bytes()[:4] == b"\x7fELF"
    assert (folder / "real.o").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("command", ["voltac good.ispc -o good.o --target=sse4 >&-", "voltac --help 2>&-"])
def test_streams_may_be_closed(folder: Path, command: str) -> None:
    command = command.replace("voltac", f"'{sys.executable}' -m voltac")
    done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--help >&-", "cannot write standard output: it is closed"),
        ("good.ispc -o - --target=sse4 >&-", "cannot write standard output: it is closed"),
        ("- -o good.o --target=sse4 <&-", "cannot read standard input: it is closed"),
    ],
)
def test_a_closed_stream_that_is_needed_is_an_error(folder: Path, words: str, message: str) -> None:
    command = f"'{sys.executable}' -m voltac {words}"
    done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True)
    assert message in said(done)
    assert done.returncode == 1


def test_file_names_need_not_be_utf_8(folder: Path) -> None:
    name = os.fsdecode(b"caf\xe9 $1.ispc")
    (folder / name).write_text("export uniform int f() { return 7; }")
    words = [name, "-o", "out.o", "-M", "-MF", "out.d", "--target=sse4", "-g"]
    done = subprocess.run([sys.executable, "-m", "voltac", *words], cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    made = subprocess.run(["make", "-n", "-f", "out.d", "out.o"], cwd=folder, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr


def test_code_this_cpu_cannot_run_is_not_run(voltac: Run) -> None:
    from voltac.llvm import can_run
    from voltac.target_info import TARGETS

    lacking = [name for name, target in TARGETS.items() if not can_run(target) and not name.startswith("generic")]
    if not lacking:
        pytest.skip("this CPU runs every target")
    refused(voltac("run", "good.ispc", f"--target={lacking[0]}"), "can be emitted but not called here: this CPU has no")


def test_a_mistake_of_ours_is_reported_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from voltac.cli import command

    def broken(words: list[str], gathered: object) -> int:
        raise KeyError("lost")

    monkeypatch.setattr(command, "_command", broken)
    assert command.main(["x.ispc"]) == 1
    message = " ".join(capsys.readouterr().err.split())
    assert "internal error of the compiler, KeyError: 'lost' where it happened is in" in message
    report = Path(message.rsplit(" ", 1)[1])
    assert "Traceback" in report.read_text()
    report.unlink()


_SITES = """
import os, runpy, signal, sys
def interrupt(event, given):
    if event == "import" and given[0] == {module!r}:
        os.kill(os.getpid(), signal.SIGINT)
sys.addaudithook(interrupt)
sys.argv[1:] = ["good.ispc", "-o", "good.o", "--target=sse4"]
runpy.run_module("voltac", run_name="__main__")
"""


@pytest.mark.parametrize("module", ["voltac.cli.parsing", "voltac.cli.command", "voltac.sema", "llvmlite.binding"])
def test_an_interrupt_while_modules_are_imported_ends_as_quietly(module: str, folder: Path) -> None:
    command = [sys.executable, "-c", _SITES.format(module=module)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (130, "interrupted\n")
    assert not (folder / "good.o").exists()


def test_an_interrupt_that_another_error_hides_is_one(folder: Path) -> None:
    """Code that takes back what it has not done yet may fail at that."""
    code = """
import sys
from voltac.cli import command
def interrupted(words, gathered):
    try:
        raise KeyboardInterrupt
    finally:
        words.lost
command._command = interrupted
command.run()
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (130, "interrupted\n")
