"""Objects that GNU ld links into static programs for Linux, and what the simulator makes of GNU's bundles."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from ia64_linked import executed, run
from ia64_rows import GNU_AS

from voltac.cli.command import main
from voltac.driver import compile_source
from voltac.options import Options
from voltac.target_info import DEVICES

N = 37
KERNEL = """
static uniform float table[4] = { 0.5, 1.5, 2.5, 3.5 };
noinline static uniform float weight(uniform int k) { return table[k & 3]; }
export void f(uniform float s, uniform float x[], uniform float y[], uniform float out[], uniform int n) {
    uniform float w = weight(n);
    foreach (i = 0 ... n)
        out[i] = s * x[i] + y[i] * w;
}
"""
START = """
    .text
    .global _start
    .proc _start
_start:
    alloc r2=ar.pfs,0,0,5,0
    movl r3=0x9804C0270033F
    ;;
    mov.m ar.fpsr=r3
    movl gp=__gp
    movl r32=x
    movl r33=y
    movl r34=out
    addl r35={n},r0
    addl r3={bits:#x},r0
    ;;
    setf.s f8=r3
    br.call.sptk.many b0=f
    ;;
    addl r32=1,r0
    movl r33=out
    addl r34={size},r0
    addl r15=1027,r0
    break.i 0x100000
    ;;
    addl r32=7,r0
    addl r15=1025,r0
    break.i 0x100000
    .endp _start
    .data
    .align 16
x: {x}
y: {y}
out: .skip {size}
"""


@pytest.mark.parametrize("by_gnu", [False, True], ids=["our object", "our text by GNU as"])
def test_gnu_ld_makes_a_program_that_calls_a_kernel_and_writes_the_result(by_gnu: bool, tmp_path: Path) -> None:
    if shutil.which(GNU_AS) is None:
        pytest.skip(f"{GNU_AS} is not installed (apt: binutils-ia64-linux-gnu)")
    job = compile_source(KERNEL, "f.ispc", Options(DEVICES["ia64-x1"], level=2))
    made = tmp_path / "f.o"
    if by_gnu:
        (tmp_path / "f.s").write_text(job.results["select"])
        run([GNU_AS, "-xexplicit", "--fatal-warnings", tmp_path / "f.s", "-o", made])
    else:
        made.write_bytes(job.device_program.relocatable())
    rng = np.random.default_rng(1)
    x, y = rng.integers(-50, 50, (2, N)).astype(np.float32)
    numbers = [", ".join(f"{bits:#x}" for bits in one.view(np.uint32)) for one in (x, y)]
    start = START.format(n=N, bits=0x40200000 >> 12, size=4 * N, x=f"data4 {numbers[0]}", y=f"data4 {numbers[1]}")
    start = start.replace("    ;;\n    setf.s", "    ;;\n    shl r3=r3,12\n    ;;\n    setf.s")
    (tmp_path / "start.s").write_text(start)
    run([GNU_AS, tmp_path / "start.s", "-o", tmp_path / "start.o"])
    linked = tmp_path / "program"
    addresses = ["-Ttext=0x20000", "-Tdata=0x80000"]
    run(["ia64-linux-gnu-ld", "-static", *addresses, tmp_path / "start.o", made, "-o", linked])
    machine, report = executed(linked.read_bytes())
    assert report.status == 7
    # 2.5 times x and 1.5 times y, the second of the weights, are exact.
    assert np.array_equal(np.frombuffer(bytes(machine.console), np.float32), 2.5 * x + 1.5 * y)


EVERYTHING = """
static uniform float table[4] = { 0.5, 1.5, 2.5, 3.5 };
export void f(uniform float s, const uniform float x[], uniform float y[], uniform int8 k, uniform int n) {
    foreach (i = 0 ... n * n) y[i] = s * x[i] + table[i & 3] + k;
}
export uniform double total(const uniform double x[], uniform int64 n, uniform uint8 out[], uniform bool adds) {
    double t = 0;
    foreach (i = 0 ... n) { t += x[i] / 3; if (adds) out[i] += 2 * i; }
    return reduce_add(t);
}
export uniform int last(uniform int16 a[]) { a[1] = 7; return a[4095] - 20; }
export uniform bool is_large(uniform int n) { return n > 15; }
"""
NUMBER, ELEMENTS = 16, 4096


def expected_output() -> bytes:
    places = np.arange(ELEMENTS) % NUMBER
    x = places.astype(np.float32)
    y = x.copy()
    at = np.arange(NUMBER * NUMBER)
    y[: len(at)] = 16 * x[: len(at)] + np.array([0.5, 1.5, 2.5, 3.5], np.float32)[at & 3] + 16
    out = places.astype(np.uint8)
    out[:NUMBER] += (2 * np.arange(NUMBER)).astype(np.uint8)
    a = places.astype(np.int16)
    a[1] = 7
    # One lane adds in order, several each for itself: thirds differ in the last bits.
    return y.tobytes() + out.tobytes() + a.tobytes() + np.int32(15 - 20).tobytes() + b"\1"


@pytest.mark.parametrize("target", ["ia64-x1", "ia64-f32x2", "ia64-i8x8", "ia64-i16x4"])
def test_an_image_for_linux_is_linked_by_gnu_ld_and_writes_what_its_kernels_stored(target: str, tmp_path: Path) -> None:
    if shutil.which(GNU_AS) is None:
        pytest.skip(f"{GNU_AS} is not installed (apt: binutils-ia64-linux-gnu)")
    source, made, linked = tmp_path / "k.ispc", tmp_path / "k.o", tmp_path / "program"
    source.write_text(EVERYTHING)
    assert main([str(source), f"--target={target}", "--emit-image=linux", "--woff", "-o", str(made)]) == 0
    addresses = ["-Ttext=0x20000", "--section-start=.sdata=0x80000"]
    run(["ia64-linux-gnu-ld", "-static", *addresses, made, "-o", linked])
    machine, report = executed(linked.read_bytes())
    assert report.status == 0
    console = bytes(machine.console)
    before = 4 * ELEMENTS + ELEMENTS
    total = np.frombuffer(console[before : before + 8], np.float64)[0]
    assert total == pytest.approx(sum(range(16)) / 3, rel=1e-15)
    assert console[:before] + console[before + 8 :] == expected_output()


def test_what_has_no_sample_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "k.ispc"
    source.write_text("struct S { float a; int b; }; export void f(uniform S s[]) { s[0].b = 1; }")
    assert main([str(source), "--target=ia64-x1", "--emit-image=linux", "-o", str(tmp_path / "k.o")]) == 2
    assert "parameter 1 of 'f' is no array of numbers" in " ".join(capsys.readouterr().err.split())
    assert main([str(source), "--target=naplespu", "--emit-image=linux", "-o", str(tmp_path / "k.o")]) == 2
    assert "for devices that run Linux, and 'naplespu' does not" in " ".join(capsys.readouterr().err.split())
