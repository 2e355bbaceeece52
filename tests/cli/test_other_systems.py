"""Objects for macOS and Windows, read back: nothing here runs them.

What is expected stands in Microsoft's "x64 calling convention" and "Overview of ARM64 ABI conventions", and in Apple's
"Writing ARM64 code for Apple platforms".
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lief
import pytest

from voltac.llvm.target_machine import data_layout
from voltac.lower.text.module_header import module_header
from voltac.options import Options
from voltac.records import replace
from voltac.target_info import SYSTEMS, find_target

Run = Callable[..., subprocess.CompletedProcess[str]]

SOURCE = """
struct Pair { float x; int y; };
struct Odd { int8 a, b, c; };
struct Wide { double a, b, c; };
static uniform float table[50];
task void part(uniform float a[]) { a[taskIndex] = num_cores(); }
extern "C" void taken(uniform int8 a, uniform Wide w);
extern "C" uniform Pair next(uniform Pair p) { p.y += 1; return p; }
extern "C" uniform int odd(uniform Odd p) { return p.c; }
extern "C" uniform Wide wide(uniform Wide w, uniform float f) { w.b = f; return w; }
export uniform int narrow(uniform int8 a) { return a + 1; }
export void gives(uniform int a, uniform Wide &w) { taken(a, w); }
export void many(uniform float a[]) { foreach (i = 0 ... 64) a[i] = sin(a[i]) * exp(a[i]) + table[i & 31]; }
export void new_one(uniform float a[]) { uniform float * uniform p = uniform new uniform float[9]; a[0] = p[0]; delete p; }
export void frame(uniform float a[]) {
    uniform float t[3000];
    for (uniform int i = 0; i < 3000; i++) t[i] = a[i];
    uniform int k = a[0];
    a[1] = t[k];
}
export void prints(uniform float a[]) { print("%\\n", a[0]); launch[3] part(a); assert(a[0] > 0); table[3] = a[1]; }
"""
TARGETS = ("sse4-i32x4", "avx2-i32x8", "avx512skx-x16", "neon-i32x4")
EXPORTS = {"next", "odd", "wide", "narrow", "gives", "many", "new_one", "frame", "prints"}


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("target", ["sse4-i32x4", "neon-i32x4"])
def test_the_layout_of_data_is_llvms(system: str, target: str) -> None:
    record = find_target(target)
    there = replace(record, triple=f"{record.triple.partition('-')[0]}-{SYSTEMS[system]}")
    assert there.system == system
    options = Options(there)
    written = next(line for line in module_header(options, "a.ispc") if "datalayout" in line)
    assert written == f'target datalayout = "{data_layout(options)}"'


def compiled(voltac: Run, folder: Path, *options: str) -> Path:
    (folder / "k.ispc").write_text(SOURCE)
    done = voltac("k.ispc", *options, "-o", "k.o", "-h", "k.h")
    assert done.returncode == 0, done.stderr
    return folder / "k.o"


@pytest.mark.parametrize("target", TARGETS)
def test_an_object_of_macos_is_mach_o(voltac: Run, folder: Path, target: str) -> None:
    found: Any = lief.parse(compiled(voltac, folder, f"--target={target}", "--target-os=macos", "-ffunction-sections"))
    assert isinstance(found, lief.MachO.Binary)
    machine = lief.MachO.Header.CPU_TYPE.ARM64 if target.startswith("neon") else lief.MachO.Header.CPU_TYPE.X86_64
    assert found.header.cpu_type == machine and found.header.file_type == lief.MachO.Header.FILE_TYPE.OBJECT
    names = {str(symbol.name) for symbol in found.symbols}
    assert {f"_{name}" for name in EXPORTS} <= names
    assert {"_ISPCLaunch", "_ISPCAlloc", "_ISPCSync", "_printf", "_posix_memalign", "_free", "_sysconf"} <= names
    assert not any("malloc" in name for name in names)


@pytest.mark.parametrize("target", TARGETS)
def test_an_object_of_windows_is_coff(voltac: Run, folder: Path, target: str) -> None:
    found: Any = lief.parse(compiled(voltac, folder, f"--target={target}", "--target-os=windows", "-ffunction-sections"))
    assert isinstance(found, lief.COFF.Binary)
    machine = "ARM64" if target.startswith("neon") else "AMD64"
    assert found.header.machine.name == machine
    names = {str(symbol.name) for symbol in found.symbols}
    expected = {"ISPCLaunch", "printf", "_aligned_malloc", "_aligned_free", "GetActiveProcessorCount", "__chkstk", "_fltused"}
    if target.startswith("neon"):
        expected -= {"_fltused"}
    assert expected | EXPORTS <= names
    assert not names & {"posix_memalign", "free", "sysconf"}
    assert ".text$narrow" in names


@pytest.mark.parametrize("system", ["macos", "windows"])
def test_several_instruction_sets_in_one_build(voltac: Run, folder: Path, system: str) -> None:
    path = compiled(voltac, folder, "--target=sse4,avx2", f"--target-os={system}")
    kind = lief.MachO.Binary if system == "macos" else lief.COFF.Binary
    underscore = "_" if system == "macos" else ""
    for name, symbols in (("k.o", EXPORTS), ("k_avx2.o", {f"{name}_avx2" for name in EXPORTS})):
        found: Any = lief.parse(path.with_name(name))
        assert isinstance(found, kind)
        assert {underscore + symbol for symbol in symbols} <= {str(symbol.name) for symbol in found.symbols}


def functions(voltac: Run, folder: Path, target: str, system: str) -> dict[str, str]:
    """The instructions of each function."""
    (folder / "k.ispc").write_text(SOURCE)
    done = voltac("k.ispc", f"--target={target}", f"--target-os={system}", "-O1", "--emit-asm", "-o", "k.s")
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = {}
    name = ""
    for line in (folder / "k.s").read_text().splitlines():
        if match := re.match(r"_?(\w+):", line):
            name = match[1]
            found[name] = ""
        elif re.match(r"\s+[a-z]", line):
            found[name] = found.get(name, "") + re.split(r"//|;|#", line)[0].rstrip() + "\n"
    return found


def test_the_convention_of_windows_on_x64(voltac: Run, folder: Path) -> None:
    code = functions(voltac, folder, "sse4-i32x4", "windows")
    assert "%rcx, %rax" in code["next"] and "(%rcx)" not in code["next"]  # eight bytes: a register
    assert "2(%rcx)" in code["odd"]  # three bytes: the address of a copy
    assert re.search(r"movq\s+%rcx, %rax", code["wide"]) and "%xmm2" in code["wide"] and "(%rdx)" in code["wide"]
    assert re.search(r"movsbl\s+%cl", code["narrow"])  # nobody has extended it
    assert "callq\ttaken" in code["gives"] and "rsp" in code["gives"]
    assert "__chkstk" in code["frame"] and "__chkstk" not in code["gives"]
    assert "%xmm6" in code["many"] and re.search(r"mova?ps\s+%xmm6, .*\(%r\wp\)", code["many"])  # the caller's, so kept


def test_the_convention_of_macos_on_arm(voltac: Run, folder: Path) -> None:
    code = functions(voltac, folder, "neon-i32x4", "macos")
    assert "sxtb" not in code["narrow"] and re.search(r"sxtb\s+w0, w0", code["gives"])  # who passes it extends it
    assert re.search(r"fcvt\s+d1, s3", code["wide"])  # three doubles travel in three registers


def test_the_convention_of_windows_on_arm(voltac: Run, folder: Path) -> None:
    code = functions(voltac, folder, "neon-i32x4", "windows")
    assert re.search(r"sxtb\s+w\d+, w0", code["narrow"])
    assert re.search(r"fcvt\s+d1, s3", code["wide"])
    assert "__chkstk" in code["frame"]


@pytest.mark.parametrize("system", ["macos", "windows"])
def test_the_task_pool_is_for_linux(voltac: Run, folder: Path, system: str) -> None:
    done = voltac("--task-pool", "--target=sse4", f"--target-os={system}", "-o", "tasks.o")
    assert done.returncode != 0 and "the task pool asks Linux" in done.stderr and system in done.stderr
    assert not (folder / "tasks.o").exists()
