"""Members of structs are loaded as they lie in memory, in gangs of half a register and of several: nothing else is touched."""

from __future__ import annotations

import numpy as np
import pytest
from guard_pages import FencedCalls
from kernels import InterpretedModule, compile_kernels

from voltac.driver import compile_source
from voltac.options import Options
from voltac.target_info import find_target

SOURCE = """
struct Body { float px, py, pz, vx, vy, vz, life; int kind; };
struct Pair { double at[4]; };
export void moved(uniform Body to[], const uniform Body from[], uniform int n) {
    foreach (i = 0 ... n) {
        to[i] = from[i];
        if (from[i].life > 0.4f) {
            to[i].px = from[i].px + from[i].vx;
            to[i].pz = from[i].pz + from[i].vz;
            to[i].life = from[i].life - 0.25f;
            to[i].kind = from[i].kind + 1;
        }
    }
}
export void some(uniform float to[], const uniform Body from[], uniform int n) {
    foreach (i = 0 ... n)
        to[i] = from[i].py * from[i].vx + from[i].vz - from[i].life;
}
export void of_doubles(uniform double to[], const uniform Pair from[], uniform int n) {
    foreach (i = 0 ... n)
        to[i] = from[i].at[0] * from[i].at[3] + from[i].at[1] - from[i].at[2];
}
"""
BODY = np.dtype([(name, np.float32) for name in ("px", "py", "pz", "vx", "vy", "vz", "life")] + [("kind", np.int32)])
PAIR = np.dtype([("at", np.float64, (4,))])
TARGETS = ["sse4-i32x4", "sse4-i32x8", "avx2-i32x4", "avx2-i32x8", "avx2-i32x16", "avx2-i64x4", "avx512skx-x16", "avx512skx-x4"]


def bodies(n: int) -> np.ndarray:
    made = np.zeros(n, BODY)
    for at, name in enumerate(BODY.names or ()):
        # Quarters: no result is rounded.
        made[name] = (np.arange(n) * 7 + at * 5) % 23 / (1 if name == "kind" else 4)
    return made


@pytest.mark.parametrize("target", TARGETS)
def test_members_of_eight_words(target: str) -> None:
    kernels = compile_kernels(SOURCE, target)
    calls = FencedCalls()
    for n in (1, 5, 16, 37):
        given = bodies(n)
        expected = given.copy()
        on = given["life"] > 0.4
        expected["px"][on] += given["vx"][on]
        expected["pz"][on] += given["vz"][on]
        expected["life"][on] -= 0.25
        expected["kind"][on] += 1
        lanes = np.arange(4.0 * n).reshape(n, 4) % 13
        start, quads = given.copy(), lanes.view(PAIR)[:, 0]
        to, sums, wide = np.zeros(n, BODY), np.zeros(n, np.float32), np.zeros(n)
        if not isinstance(kernels, InterpretedModule):
            to, sums, wide, start, quads = calls.copies(to, sums, wide, start, quads, at_end=n % 2 == 1)
        kernels.moved(to, start, n)
        kernels.some(sums, start, n)
        kernels.of_doubles(wide, quads, n)
        assert to.tolist() == expected.tolist()
        assert sums.tolist() == (given["py"] * given["vx"] + given["vz"] - given["life"]).tolist()
        assert wide.tolist() == (lanes[:, 0] * lanes[:, 3] + lanes[:, 1] - lanes[:, 2]).tolist()


@pytest.mark.parametrize("target", ["avx2-i32x4", "avx2-i32x8", "avx2-i32x16"])
def test_whole_structs_are_loaded_and_stored(target: str) -> None:
    head, _, rest = SOURCE.partition("export void moved")
    copies = f"{head}export void moved{rest.partition('if (')[0]} }} }}"
    made = compile_source(copies, "f.ispc", Options(find_target(target), level=3)).optimized.assembly(comments=True)
    loop = made[made.index(".all_on\n") : made.index(".finished\n")]
    assert "vmovss" not in loop and "vinsertps" not in loop
