"""A program of several files and C++ that call each other and share structs, enums, bools, vectors and globals."""

import subprocess
import sys
from pathlib import Path

import pytest

from voltac.llvm.host import can_run
from voltac.target_info import find_target

FOLDER = Path(__file__).resolve().parent / "several_files"


@pytest.mark.parametrize(
    ("name", "level", "isa"),
    [("avx2-i32x8", "-O0", "avx2"), ("avx2-i32x8", "-O2", "avx2"), ("avx512skx-x16", "-O2", "avx512f")],
)
def test_a_program_of_several_files_and_c_calls_both_ways(tmp_path: Path, name: str, level: str, isa: str) -> None:
    target = find_target(name)
    if not can_run(target):
        pytest.skip(f"this CPU cannot run {name}; what it shows of both levels is shown for AVX2")
    for stem in ("particles", "helpers"):
        outputs = ["-o", f"{tmp_path}/{stem}.o", "-h", f"{tmp_path}/{stem}.h"]
        command = [sys.executable, "-m", "voltac", f"{FOLDER}/{stem}.ispc", f"--target={name}", level, "--woff", "--pic"]
        subprocess.run([*command, *outputs], check=True)
    # gcc has another name for the type that the header must call __fp16.
    options = [f"-m{isa}", f"-DLANES={target.width}", "-D__fp16=_Float16", "-I", str(tmp_path), "-Wno-psabi"]
    objects = [f"{tmp_path}/particles.o", f"{tmp_path}/helpers.o"]
    subprocess.run(["g++", *options, f"{FOLDER}/main.cpp", *objects, "-o", f"{tmp_path}/main"], check=True)
    done = subprocess.run([f"{tmp_path}/main"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "all right\n")
