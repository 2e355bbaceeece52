"""Where LLVM would end the process, the compilation fails, and the process goes on."""

import ctypes
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import voltac
from voltac.driver import compile_source
from voltac.llvm.target_machine import stage
from voltac.messages.diagnostics import InternalError
from voltac.options import Options
from voltac.system.compiling_thread import in_compiling_thread
from voltac.target_info import find_target

IMPOSSIBLE = """
export void rough(uniform float a[], uniform int n) {
    foreach (i = 0 ... n)
        a[i] = @llvm.x86.avx.rsqrt.ps.256(a[i]);
}
"""
"""An instruction of AVX: LLVM's code generator for SSE4 calls abort()."""
OPTIONS = Options(find_target("sse4-i32x8"), level=2, llvm_intrinsics=True)


@pytest.mark.parametrize("level", [0, 2])
def test_an_abort_is_an_error_that_says_what_cannot_be_compiled(level: int, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InternalError, match=rf"stage 'object': LLVM cannot compile .* for sse4.2-i32x8 at -O{level}") as caught:
        voltac.compile(IMPOSSIBLE, target="sse4-i32x8", opt=level, llvm_intrinsics=True)
    path = Path(str(caught.value).rsplit(maxsplit=1)[1])
    assert "@llvm.x86.avx.rsqrt.ps.256" in path.read_text()
    path.unlink()
    assert "LLVM ERROR" in capfd.readouterr().err
    a = np.ones(9, np.float32)
    voltac.compile(f"export void add(uniform float a[]) {{ foreach (i = 0 ... 9) a[i] += i + {level}; }}").add(a)
    assert a.tolist() == [k + 1.0 + level for k in range(9)]


def test_assembly_language_fails_likewise_and_forks_do_not_wait(capfd: pytest.CaptureFixture[str]) -> None:
    job = compile_source(IMPOSSIBLE, "x.ispc", OPTIONS)
    with pytest.raises(InternalError, match=r"stage 'assembly': LLVM cannot compile x\.ispc"):
        job.optimized.assembly()
    assert "LLVM ERROR" in capfd.readouterr().err
    if not (child := os.fork()):
        os._exit(0)
    assert os.waitpid(child, 0) == (child, 0)


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGILL, signal.SIGFPE])
def test_other_signals_of_llvm_are_errors_too(number: int) -> None:
    def fails() -> None:
        with stage("late", "define ...", OPTIONS):
            getattr(ctypes.CDLL(None), "raise")(number)

    with pytest.raises(InternalError, match="stage 'late'"):
        in_compiling_thread(fails)


ELSEWHERE = """
import ctypes, os, sys, threading, time
from voltac.llvm.target_machine import stage
from voltac.options import Options
from voltac.system.compiling_thread import in_compiling_thread
from voltac.target_info import find_target

def compiles():
    with stage("late", "", Options(find_target("sse4-i32x8"))):
        threading.Thread(target=ends).start()
        time.sleep(9)

def ends():
    {how}

in_compiling_thread(compiles)
"""


@pytest.mark.parametrize(
    ("how", "number"), [("os.abort()", signal.SIGABRT), ("ctypes.string_at(0)", signal.SIGSEGV)], ids=["abort", "null"]
)
def test_what_other_threads_do_meanwhile_ends_the_process(how: str, number: int) -> None:
    done = subprocess.run([sys.executable, "-c", ELSEWHERE.format(how=how)], capture_output=True, timeout=20)
    assert done.returncode == -number


def test_signals_are_handled_as_before_afterwards() -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-X", "faulthandler", "-c"),
            "import os, voltac; voltac.compile('export void f() {}').f(); os.abort()",
        ],
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert done.returncode == -signal.SIGABRT and "Fatal Python error: Aborted" in done.stderr


def test_the_command_ends_with_one_message_and_leaves_files_as_they_were(tmp_path: Path) -> None:
    (tmp_path / "rough.ispc").write_text(IMPOSSIBLE)
    for name in ("rough.o", "rough.h"):
        (tmp_path / name).write_text("as before")
    words = ["rough.ispc", "--target=sse4-i32x8", "--enable-llvm-intrinsics", "-o", "rough.o", "-h", "rough.h"]
    done = subprocess.run([sys.executable, "-m", "voltac", *words], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    told = " ".join(done.stderr.split())
    assert told.count("Error: ") == 1 and "LLVM cannot compile rough.ispc for sse4.2-i32x8 at -O" in told
    assert "Traceback" not in told
    assert {path.name: path.read_text() for path in tmp_path.iterdir() if path.suffix != ".ispc"} == {
        "rough.o": "as before",
        "rough.h": "as before",
    }
