"""Runs the command line for tests as a process of its own each time, forked from one that has imported the compiler.

A command takes a tenth of the time that way. It has a folder, an environment, standard streams and an end of its own, as
one that a shell starts. ``python tests/support/command_server.py`` reads requests and writes answers, a line of JSON each.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any

SECONDS = 120
_WARMED = "export void f(uniform float a[], uniform int n) { foreach (i = 0 ... n) a[i] = sqrt(a[i]); }\n"


@dataclass(frozen=True)
class Ended:
    """How a command ended: its exit code, negative after a signal, and what it wrote."""

    code: int
    out: bytes
    err: bytes


def run_command(
    words: list[str], folder: Path, input: bytes | None, environment: dict[str, str], together: bool = False
) -> Ended:
    """``voltac`` with these words in a folder; with ``together`` its errors stand in its output, as they come.

    AssertionError where it takes longer than ``SECONDS``.
    """
    server = _server()
    assert server.stdin is not None and server.stdout is not None
    with tempfile.TemporaryDirectory() as streams:
        (Path(streams) / "stdin").write_bytes(input or b"")
        (Path(streams) / "stdout").touch()
        if together:
            (Path(streams) / "stderr").symlink_to("stdout")
        else:
            (Path(streams) / "stderr").touch()
        request = {"words": words, "folder": str(folder), "environment": environment, "streams": streams}
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        code = json.loads(server.stdout.readline())
        assert code is not None, f"voltac {words} did not end within {SECONDS} s"
        out, err = ((Path(streams) / name).read_bytes() for name in ("stdout", "stderr"))
        return Ended(code, out, b"" if together else err)


@cache
def _server() -> subprocess.Popen[str]:
    """The process that commands are forked from; it ends with this one."""
    server = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(server.communicate)
    return server


# --- in the server


def _serve(requests: IO[str], answers: IO[str]) -> None:
    _warm_up()
    for line in requests:
        answers.write(json.dumps(_answer(json.loads(line))) + "\n")
        answers.flush()


def _warm_up() -> None:
    """Load what most commands use, llvmlite among it."""
    from voltac.cli.command import main

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "f.ispc"
        path.write_text(_WARMED)
        assert main([str(path), "-o", str(path.with_suffix(".o")), "--target=sse4"]) == 0


def _answer(request: dict[str, Any]) -> int | None:
    child = os.fork()
    if not child:
        _become_command(request)
    ended = threading.Timer(SECONDS, os.kill, (child, 9))
    ended.start()
    _, status = os.waitpid(child, 0)
    in_time = ended.is_alive()
    ended.cancel()
    ended.join()
    return os.waitstatus_to_exitcode(status) if in_time else None


def _become_command(request: dict[str, Any]) -> None:
    from voltac.cli.main import entry

    try:
        for number, (name, flags) in enumerate((("stdin", os.O_RDONLY), ("stdout", os.O_WRONLY), ("stderr", os.O_WRONLY))):
            opened = os.open(os.path.join(request["streams"], name), flags | os.O_APPEND)
            os.dup2(opened, number)
            os.close(opened)
        os.chdir(request["folder"])
        os.environ.clear()
        os.environ.update(request["environment"])
        sys.argv = ["voltac", *request["words"]]
        entry()
    finally:
        # Nothing of the server goes on here.
        os._exit(99)


if __name__ == "__main__":
    _serve(sys.stdin, sys.stdout)
