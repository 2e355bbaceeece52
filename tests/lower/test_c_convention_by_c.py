"""Structs, small integers and bools cross calls between the language and a C compiler's code in both directions."""

import subprocess
from pathlib import Path

import pytest
from emulated import AARCH64, X86, Machine, missing

from voltac.driver import compile_source
from voltac.llvm import can_run
from voltac.options import Options
from voltac.records import replace
from voltac.target_info import TargetInfo, find_target

FOLDER = Path(__file__).with_name("c_convention")
X86_64 = Machine({"gcc": "gcc"}, ("gcc", "-DHALF=_Float16"), "objcopy")
CASES: dict[str, tuple[TargetInfo, Machine, str]] = {
    "x86-64 SSE": (find_target("sse4-i32x4"), X86_64, "hosted.c"),
    "x86-64 AVX2": (find_target("avx2-i32x8"), X86_64, "hosted.c"),
    "x86": (replace(find_target("avx2-i32x8"), triple="i686-unknown-linux-gnu", pointer_bits=32), X86, "freestanding.c"),
    "aarch64": (find_target("neon-i32x4"), AARCH64, "hosted.c"),
}


@pytest.mark.parametrize("level", (0, 2))
@pytest.mark.parametrize("case", CASES)
def test_values_arrive_as_sent(case: str, level: int, tmp_path: Path) -> None:
    target, machine, main = CASES[case]
    if missing(machine):
        pytest.skip(missing(machine))
    if machine is not AARCH64 and not can_run(find_target(target.name)):
        pytest.skip(f"this CPU does not run {target.name}")
    source = FOLDER / "values.ispc"
    job = compile_source(source.read_text(), str(source), Options(target=target, level=level))
    objects = tmp_path / "values.o"
    objects.write_bytes(job.optimized.object_code())
    program = tmp_path / "program"
    # Halves are compared by instructions, not by calls of a library that x86 has none of here.
    flags = [f"-O{level}", *(["-mf16c"] if machine is X86 else [])]
    subprocess.run([*machine.compiler, *flags, "-o", program, FOLDER / main, objects], check=True)
    done = subprocess.run([*machine.emulator, program], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")
