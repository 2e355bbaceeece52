"""The command's own process imports llvmlite without what a compiler never calls; every other process as it is."""

import ctypes
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = "export void twice(uniform float x[], uniform int n) { foreach (i = 0 ... n) x[i] *= 2; }"
LEFT_OUT = ("importlib.resources", "llvmlite.ir", "platform")


def modules_after(folder: Path, own: bool, before: str = "") -> set[str]:
    """What a process has imported once it has compiled a file by the command line."""
    (folder / "twice.ispc").write_text(SOURCE)
    code = f"""
import sys
{before}
from voltac.cli import command
from voltac.llvm import light_import
if {own}:
    light_import.process_is_own()
assert command.main(["twice.ispc", "-o", "twice.o", "--target=sse4"]) == 0
print(*sys.modules)
import importlib.resources, llvmlite.ir, platform
assert platform.machine() and llvmlite.ir.IntType(32) and importlib.resources.files("voltac")
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True, timeout=60)
    assert (folder / "twice.o").read_bytes().startswith(b"\x7fELF")
    return set(done.stdout.split())


def test_the_command_leaves_out_what_it_does_not_need_and_takes_away_what_stood_for_it(tmp_path: Path) -> None:
    assert modules_after(tmp_path, own=True).isdisjoint(LEFT_OUT)


def test_other_processes_import_all_of_it(tmp_path: Path) -> None:
    assert modules_after(tmp_path, own=False).issuperset(LEFT_OUT)


def test_where_the_light_way_fails_the_ordinary_one_is_taken(tmp_path: Path) -> None:
    broken = "from voltac.llvm import light_import\nlight_import._folder_of = lambda package: 1 / 0"
    assert modules_after(tmp_path, own=True, before=broken).issuperset(LEFT_OUT)


ARENAS = """
import ctypes, threading
from voltac.llvm import light_import
if {own}:
    light_import.process_is_own()
light_import.choose()
libc = ctypes.CDLL(None)
libc.malloc.restype = libc.fdopen.restype = ctypes.c_void_p
threads = [threading.Thread(target=libc.malloc, args=(1000,)) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
file = ctypes.c_void_p(libc.fdopen(1, b"w"))
libc.malloc_info(0, file)
libc.fflush(file)
"""
"""What glibc says of its arenas where three threads have allocated."""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_info"), reason="glibc's")
def test_threads_of_the_own_process_alone_share_an_arena() -> None:
    def arenas(own: bool) -> int:
        code = ARENAS.format(own=own)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
        return done.stdout.count("<heap nr=")

    assert arenas(own=True) == 1
    assert arenas(own=False) > 1
