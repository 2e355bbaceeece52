"""The line on a terminal that says what a long compilation is doing."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

SLOW = "export void f(uniform float a[], uniform int n) { foreach (i = 0 ... n) a[i] = exp(a[i]); }\n"
IMPATIENT = "import sys, voltac.cli.progress as p; p._PATIENCE = 0.001; from voltac.cli.command import main; sys.exit(main())"


def seen_on_terminal(folder: Path, *options: str) -> str:
    """Standard error of a compilation, where that is a terminal and patience is short."""
    (folder / "slow.ispc").write_text(SLOW)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", IMPATIENT, "slow.ispc", "-o", "slow.o", "--target=sse4", *options]
    process = subprocess.Popen(command, cwd=folder, stderr=theirs, stdout=subprocess.DEVNULL)
    os.close(theirs)
    seen = b""
    try:
        while piece := os.read(ours, 4096):
            seen += piece
    except OSError:
        pass  # the other side is closed
    os.close(ours)
    assert process.wait() == 0
    return seen.decode()


def test_a_long_compilation_says_on_a_terminal_what_it_does_and_leaves_nothing_there(tmp_path: Path) -> None:
    seen = seen_on_terminal(tmp_path)
    assert "slow.ispc: late (" in seen and "slow.ispc: code" in seen
    assert seen.endswith("\r\033[K")


@pytest.mark.parametrize("option", ("--quiet", "--diagnostics=json"))
def test_no_progress_where_nobody_wants_it(tmp_path: Path, option: str) -> None:
    assert "late (" not in seen_on_terminal(tmp_path, option)


def test_no_progress_where_standard_error_is_no_terminal(tmp_path: Path) -> None:
    (tmp_path / "slow.ispc").write_text(SLOW)
    command = [sys.executable, "-c", IMPATIENT, "slow.ispc", "-o", "slow.o", "--target=sse4"]
    done = subprocess.run(command, cwd=tmp_path, stderr=subprocess.PIPE, check=True, text=True)
    assert done.stderr == ""
