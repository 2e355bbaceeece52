"""Structs, small integers and bools cross calls between the language and a C compiler's code in both directions."""

import subprocess
from pathlib import Path

import pytest
from emulated import AARCH64, RISCV64, X86, Machine, missing

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
    "riscv64": (find_target("rvv-i32x4"), RISCV64, "hosted.c"),
}


@pytest.mark.parametrize("level", (0, 2))
@pytest.mark.parametrize("case", CASES)
def test_values_arrive_as_sent(case: str, level: int, tmp_path: Path) -> None:
    target, machine, main = CASES[case]
    if missing(machine):
        pytest.skip(missing(machine))
    if target.is_x86 and not can_run(find_target(target.name)):
        pytest.skip(f"this CPU does not run {target.name}")
    source = FOLDER / "values.ispc"
    # gcc has _Float16 for RISC-V from version 13 on.
    defines = (("WITHOUT_HALVES", "1"),) if machine is RISCV64 else ()
    job = compile_source(source.read_text(), str(source), Options(target=target, level=level, defines=defines))
    objects = tmp_path / "values.o"
    objects.write_bytes(job.optimized.object_code())
    program = tmp_path / "program"
    # Halves are compared by instructions, not by calls of a library that x86 has none of here.
    flags = [f"-O{level}", *(f"-D{name}" for name, _ in defines), *(["-mf16c"] if machine is X86 else [])]
    subprocess.run([*machine.compiler, *flags, "-o", program, FOLDER / main, objects], check=True)
    done = subprocess.run([*machine.emulator, program], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")
