"""Files compiled apart call each other's functions, exported ones too, under the caller's mask (language 10.1, 12.5)."""

import ctypes
import subprocess
import sys
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np
import pytest

from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.llvm.host import can_run
from voltac.target_info import find_target

CALLEE = """\
export void scale(uniform float a[], uniform float s, uniform int n) { foreach (i = 0 ... n) a[i] *= s; }
export uniform int count(uniform int x) { int v = programIndex; return reduce_add(v > x ? 1 : 0); }
export uniform bool flip(uniform bool b) { return !b; }
float add(float a, float b) { return a + b; }
unmasked uniform int lanes() { return popcnt(programIndex >= 0); }
"""
CALLER = """\
void scale(uniform float a[], uniform float s, uniform int n);
uniform int count(uniform int x);
uniform bool flip(uniform bool b);
float add(float a, float b);
unmasked uniform int lanes();
export void all(uniform float a[], uniform int r[], uniform int n) {
    scale(a, 2, n);
    foreach (i = 0 ... n) a[i] = add(a[i], 1);
    r[0] = r[1] = 0;
    if (programIndex >= 2) {
        r[0] = count(0);
        r[1] = lanes();
    }
    r[2] = flip(false) ? 7 : 8;
}
"""


@pytest.mark.parametrize("name", ["sse4-i32x4", "avx2-i32x8", "avx512skx-x16"])
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_files_call_each_other(tmp_path: Path, name: str, level: str) -> None:
    target = find_target(name)
    form, suffix = ("--emit-obj", "o") if can_run(target) else ("--emit-llvm-text", "ll")
    for stem, text in (("callee", CALLEE), ("caller", CALLER)):
        (tmp_path / f"{stem}.ispc").write_text(text)
        words = [f"{stem}.ispc", f"--target={name}", level, "--pic", form, "-o", f"{stem}.{suffix}"]
        subprocess.run([sys.executable, "-m", "voltac", *words], cwd=tmp_path, check=True)
    a, r = np.arange(21, dtype=np.float32), np.zeros(3, np.int32)
    if can_run(target):
        subprocess.run(["gcc", "-shared", "-o", "both.so", "callee.o", "caller.o"], cwd=tmp_path, check=True)
        library = ctypes.CDLL(str(tmp_path / "both.so"))
        library.all(a.ctypes.data_as(ctypes.c_void_p), r.ctypes.data_as(ctypes.c_void_p), 21)
    else:
        both, caller = (llvm.parse_assembly((tmp_path / f"{stem}.ll").read_text()) for stem in ("callee", "caller"))
        both.link_in(caller)
        IRInterpreter(read(str(both)), new_is_poison=False).call("all", [a, r, 21])
    assert np.array_equal(a, np.arange(21, dtype=np.float32) * 2 + 1)
    # Lanes from 2 on are active in count and all of them above 0; lanes() starts with all on.
    assert r.tolist() == [target.width - 2, target.width, 7]


def test_no_internal_export_functions_leaves_one_symbol_a_function(tmp_path: Path) -> None:
    (tmp_path / "k.ispc").write_text("export uniform int f(uniform int x) { return x; }\n")
    symbols = {}
    for option in ("--internal-export-functions", "--no-internal-export-functions"):
        command = [sys.executable, "-m", "voltac", "k.ispc", "--target=avx2", option, "-o", "k.o"]
        subprocess.run(command, cwd=tmp_path, check=True)
        done = subprocess.run(["nm", "--defined-only", "k.o"], cwd=tmp_path, check=True, capture_output=True, text=True)
        symbols[option] = {line.split()[-1] for line in done.stdout.splitlines() if " T " in line}
    assert symbols["--internal-export-functions"] == {"f", "f___uni"}
    assert symbols["--no-internal-export-functions"] == {"f"}
