"""Members that lie between one another in memory do not meet: what was stored to one is known behind a store to the next."""

import numpy as np
import pytest
from judged_kernels import JudgedKernels

# All members are stored, read back, and changed in place one after the other.
SCALED = """export void scale(uniform TYPE out[], const uniform TYPE src[], uniform int n) {
    foreach (i = 0 ... n) {
        for (uniform int k = 0; k < COUNT; k++)
            out[COUNT * i + k] = src[COUNT * i + k] + 1;
        TYPE sum = 0;
        for (uniform int k = 0; k < COUNT; k++)
            sum += out[COUNT * i + k];
        for (uniform int k = 0; k < COUNT; k++)
            out[COUNT * i + k] *= sum;
    }
}
"""
# Elements of other lanes and of other sizes do meet.
MEETING = """export void meet(uniform int out[], const uniform int src[], uniform int n) {
    uniform int16 * uniform halves = (uniform int16 * uniform)out;
    foreach (i = 0 ... n) {
        out[2 * i] = src[i];
        halves[4 * i + 1] = 7;
        out[2 * i + 1] = out[2 * i] + 1;
    }
}
"""
TYPES = {"int": np.int32, "float": np.float32, "int16": np.int16, "double": np.float64}


@pytest.mark.parametrize("type_name", TYPES)
@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("target", ["avx2-i32x8", "avx2-i32x16"])
def test_members_changed_in_place(target: str, count: int, type_name: str) -> None:
    judged = JudgedKernels(SCALED.replace("TYPE", type_name).replace("COUNT", str(count)), target)
    for n in (1, 8, 37):
        src = np.random.default_rng(n).integers(0, 20, count * n).astype(TYPES[type_name])
        records = (src + 1).reshape(n, count)
        wanted = (records * records.sum(1, dtype=records.dtype)[:, None]).ravel()
        judged.expect("scale", [np.zeros_like(src), src], (n,), wanted, interpreted=n == 8)
    judged.check()


def test_members_are_loaded_once() -> None:
    judged = JudgedKernels(SCALED.replace("TYPE", "float").replace("COUNT", "4"))
    gang = judged.text.partition(".all_on:")[2].partition("llvm.loop")[0]
    assert gang.count(" = load <8 x float>, ptr") == 4


@pytest.mark.parametrize("target", ["avx2-i32x8", "avx2-i32x16"])
def test_halves_of_elements_meet_them(target: str) -> None:
    judged = JudgedKernels(MEETING, target)
    for n in (1, 8, 21):
        src = np.random.default_rng(n).integers(0, 1 << 30, n).astype(np.int32)
        first = (src & 0xFFFF) | (7 << 16)
        wanted = np.stack([first, first + 1], axis=1).astype(np.int32).ravel()
        judged.expect("meet", [np.zeros(2 * n, np.int32), src], (n,), wanted, interpreted=n == 8)
    judged.check()
