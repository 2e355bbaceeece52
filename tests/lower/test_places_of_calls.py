"""Calls of described functions say where they stand: LLVM throws away every description where one does not, and tells so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lowering import text_after

from voltac.messages.diagnostics import CompileError
from voltac.target_info import TargetInfo, find_target

_CALL = re.compile(r'\bcall [^@]*@("[^"]*"|[-\w$.]+)\(')
_DEFINITION = re.compile(r'^define [^@]*@("[^"]*"|[-\w$.]+)\(')
PROGRAMS = Path(__file__).resolve().parent.parent / "run"

EVERY_KIND = """
struct Pair { float first, second; };
Pair operator+(Pair a, Pair b) { Pair sum = { a.first + b.first, a.second + b.second }; return sum; }
template <typename T> noinline T twice(T x) { return x + x; }
typedef float (*Step)(float x);
float up(float x) { return x + 1; }
float down(float x) { return x - 1; }
uniform Pair swapped(uniform Pair p) { uniform Pair q = { p.second, p.first }; return q; }
task void part(uniform float a[], uniform int n) { foreach (i = 0 ... n) a[i] += taskIndex; }
task void line(uniform float a[]) { a[taskIndex0 + taskIndex1] += 1; }
inline unmasked float bare(float x) { return sqrt(x) + sin(x); }
#if TARGET_HAS_THREADS
#else
extern "C" uniform int outside(uniform int n);
extern "C" uniform int here(uniform int n) { return n + 1; }
#endif
export void kernel(uniform float a[], uniform int n) {
    launch[4] part(a, n);
    launch[2, 2] line(a);
    sync;
    foreach (i = 0 ... n) {
        Pair p = { a[i], i };
        p = p + p;
        Step step = a[i] < 0 ? up : down;
        uniform Pair q = { 1, 2 };
        q = swapped(q);
        a[i] = twice<float>(p.first) + step(p.second) + pow(a[i], q.first) + exp(a[i]) + bare(a[i]);
        if (a[i] > 3)
            a[i] = log(a[i]);
        cif (a[i] > 9)
            a[i] = fmod(a[i], 2.0f);
    }
#if TARGET_HAS_THREADS
#else
    print("%\\n", here(outside(n)));
    assert(n < 100);
    float * uniform memory = uniform new float[n];
    delete memory;
#endif
}
export void again(uniform float a[], uniform int n) { kernel(a, n); }
"""


def unplaced(text: str) -> list[str]:
    """Calls without a place, of described functions in described functions."""
    described = {found.group(1) for line in text.split("\n") if (found := _DEFINITION.match(line)) and " !dbg " in line}
    assert described
    wrong, inside = [], False
    for line in text.split("\n"):
        if line.startswith("define "):
            inside = " !dbg " in line
        called = _CALL.search(line) if inside else None
        if called and called.group(1) in described and ", !dbg " not in line:
            wrong.append(line)
    return wrong


TARGETS = [find_target(name) for name in ("sse4-i32x8", "avx2-i32x16", "avx512skx-x16", "neon-i32x4", "naplespu")]


@pytest.mark.parametrize("debug_info", [False, True], ids=["plain", "debug"])
@pytest.mark.parametrize("level", [0, 2])
@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_every_kind_of_call_has_a_place(
    target: TargetInfo, level: int, debug_info: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    defines = (("TARGET_HAS_THREADS", "1"),) if target.is_device else ()
    source = EVERY_KIND.replace("#if TARGET_HAS_THREADS", "#ifdef TARGET_HAS_THREADS")
    for stage in ("lower", "early"):
        text = text_after(stage, source, target, level=level, debug_info=debug_info, defines=defines)
        assert not unplaced(text)
    # LLVM writes to standard error what it throws away.
    assert "debug" not in capfd.readouterr().err


@pytest.mark.parametrize("target", [find_target("avx2-i32x8"), find_target("naplespu")], ids=lambda target: target.name)
def test_calls_of_programs_have_places(target: TargetInfo) -> None:
    looked_at = 0
    for path in sorted(PROGRAMS.glob("*/*.ispc"))[::25]:
        try:
            source = path.read_text()
            text = text_after("lower", source.replace("double", "float") if target.is_device else source, target)
        except CompileError:
            continue  # something that a device has not
        assert not unplaced(text), path.name
        looked_at += 1
    assert looked_at > 5
