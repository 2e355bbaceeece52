"""A renderer of two files with tasks gives each pixel that plain C++ gives without its tree, bit for bit.

Rays of a gang share a stack, shadow rays have one each; materials are dispatched by ``foreach_unique`` and by varying pointers
to functions; the tree is built by recursion, with memory from ``new`` and costs by a pointer.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from voltac.llvm.host import can_run
from voltac.target_info import find_target

FOLDER = Path(__file__).resolve().parent / "path_tracer"
pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="not installed: g++")


def said_by_it(folder: Path, target: str, level: str) -> str:
    """What the program prints that compares the two."""
    if not can_run(find_target(target)):
        pytest.skip(f"this CPU cannot run {target}")
    for stem in ("build", "trace"):
        outputs = ["-o", f"{folder}/{stem}.o", "-h", f"{folder}/{stem}.h"]
        command = [sys.executable, "-m", "voltac", f"{FOLDER}/{stem}.ispc", f"--target={target}", level, "--woff", "--pic"]
        subprocess.run([*command, "--opt=disable-fma", *outputs], check=True)
    objects = [f"{folder}/build.o", f"{folder}/trace.o"]
    options = ["-w", "-ffp-contract=off", "-I", str(folder)]
    subprocess.run(["g++", *options, f"{FOLDER}/main.cpp", *objects, "-o", f"{folder}/main"], check=True)
    return subprocess.run([f"{folder}/main"], capture_output=True, text=True, check=False).stdout


def test_pixels_are_those_of_cpp(tmp_path: Path) -> None:
    assert said_by_it(tmp_path, "avx2-i32x8", "-O2") == "all right\n"


@pytest.mark.long
@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("target", ["sse4-i32x4", "sse4-i16x8", "avx2-i32x16", "avx2-i64x4", "avx512skx-x16"])
def test_pixels_are_those_of_cpp_for_every_target(target: str, level: str, tmp_path: Path) -> None:
    assert said_by_it(tmp_path, target, level) == "all right\n"
