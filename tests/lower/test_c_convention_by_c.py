"""Structs, small integers and bools cross calls between volta and a C compiler's code in both directions."""

import shutil
import subprocess
from pathlib import Path

import pytest

from voltac.driver import compile_source
from voltac.options import Options
from voltac.target_info import TargetInfo, find_target

FOLDER = Path(__file__).with_name("c_convention")
CASES = {
    "sse4-i32x4": ("gcc", "-DHALF=_Float16"),
    "avx2-i32x8": ("gcc", "-DHALF=_Float16"),
    "neon-i32x4": ("aarch64-linux-gnu-gcc", "-DHALF=__fp16", "-static"),
}
EMULATORS = {"neon-i32x4": ["qemu-aarch64"]}


def object_file(folder: Path, target: TargetInfo, level: int) -> Path:
    source = FOLDER / "values.ispc"
    job = compile_source(source.read_text(), str(source), Options(target=target, level=level))
    path = folder / "values.o"
    path.write_bytes(job.optimized.object_code())
    return path


@pytest.mark.parametrize("level", (0, 2))
@pytest.mark.parametrize("name", CASES)
def test_values_arrive_as_sent(name: str, level: int, tmp_path: Path) -> None:
    compiler, *flags = CASES[name]
    emulator = EMULATORS.get(name, [])
    for needed in (compiler, *emulator):
        if shutil.which(needed) is None:
            pytest.skip(f"not installed: {needed}")
    program = tmp_path / "program"
    objects = object_file(tmp_path, find_target(name), level)
    subprocess.run([compiler, *flags, f"-O{level}", "-o", program, FOLDER / "hosted.c", objects], check=True)
    done = subprocess.run([*emulator, program], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")
