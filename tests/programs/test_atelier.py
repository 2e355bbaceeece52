"""A renderer of eight files, as libraries of renderers are written, does what plain C++ does, bit for bit.

Objects continue a head with functions and are known to the host by ``void *``; vectors are made for both rates by macros. The
tree is built in tasks, with memory from ``new``; rays of a gang share a stack or have one each; textures are read by varying
calls of functions in tables. What becomes of the film takes exchanges of lanes, packed stores, atomics, halves, saturation;
smoke lies in nested structs of blocks, which tasks of tasks move. Films go to an archive, which packs a block a lane; what
they cost is known by tables of formulas, which a machine with a stack in each lane computes in tasks of tasks.
"""

import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from run_programs import task_pool

from voltac.cli.command import main
from voltac.llvm.host import can_run, host_target
from voltac.target_info import find_target

FOLDER = Path(__file__).resolve().parent / "atelier"
FILES = ("geometry", "tree", "material", "render", "film", "volume", "archive", "sheet")
pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="not installed: g++")


def said_by_it(folder: Path, targets: str, *options: str) -> list[str]:
    """What the program prints: lines of its own and the host's alike, and what differs or that all is right."""
    if not all(can_run(find_target(name)) for name in targets.split(",")):
        pytest.skip(f"this CPU cannot run {targets}")
    for stem in FILES:
        outputs = ["-o", f"{folder}/{stem}.o", "-h", f"{folder}/{stem}_ispc.h"]
        words = [f"{FOLDER}/{stem}.ispc", f"--target={targets}", *options, "--woff", "--pic", "--opt=disable-fma"]
        assert main([*words, *outputs]) == 0
    (folder / "tasks.o").write_bytes(task_pool(host_target()))
    objects = map(str, sorted(folder.glob("*.o")))
    flags = ["-std=c++17", "-w", "-ffp-contract=off", "-I", str(folder), "-I", str(FOLDER), "-pthread"]
    subprocess.run(["g++", *flags, f"{FOLDER}/main.cpp", *objects, "-o", f"{folder}/main"], check=True)
    return subprocess.run([f"{folder}/main"], capture_output=True, text=True, check=False).stdout.splitlines()


def assert_right(lines: list[str]) -> None:
    *told, end = lines
    assert end == "all right", lines
    assert all(times % 2 == 0 for times in Counter(told).values()), lines


@pytest.mark.long  # eight files and their host take ten seconds to compile
@pytest.mark.parametrize("options", [["-O0"], ["-O2"], ["-O3", "-g", "--addressing=64"]], ids=" ".join)
@pytest.mark.parametrize(
    "targets",
    [
        *("avx2-i32x8", "sse2-i32x8", "sse4-i32x4", "sse4-i16x8", "sse4-i8x16", "avx1-i32x16"),
        *("avx2-i32x16", "avx2-i64x4", "avx2-i8x32"),
        *("avx512skx-x4", "avx512skx-x8", "avx512skx-x16", "avx512icl-x32", "avx512skx-x64", "generic-i1x4", "generic-i32x1"),
        "sse4-i32x4,avx2-i32x8,avx512skx-x16",
    ],
)
def test_frames_and_what_becomes_of_them_are_those_of_cpp(targets: str, options: list[str], tmp_path: Path) -> None:
    assert_right(said_by_it(tmp_path, targets, *options))
