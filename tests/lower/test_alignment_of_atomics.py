"""On 32-bit x86 atomics of 64 bits are on variables that lie at multiples of 8, as LLVM has them claim."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from run_programs import compile_for, inputs, interpret_ir, ir_after

from voltac.records import replace
from voltac.target_info import find_target

SOURCE = """
static uniform int32 before = 1;
static uniform int64 shared[2];
struct Sums { int64 all; double last; };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int32 beside = n;
    uniform int64 own[3] = { 0, 0, 0 };
    uniform Sums sums = { 0, 0 };
    uniform int64 most = i[0];
    foreach (k = 0 ... n) {
        atomic_add_global(&own[k % 3], (int64)i[k]);
        atomic_max_global(&most, (int64)i[k]);
        atomic_add_global(&shared[k & 1], (int64)before);
        atomic_add_global(&sums.all, (int64)2);
        atomic_add_local(&sums.last, 0.5d);
    }
    out[0] = own[0];
    out[1] = own[1];
    out[2] = own[2];
    out[3] = most;
    out[4] = shared[0] * 100 + shared[1];
    out[5] = sums.all;
    out[6] = sums.last;
    out[7] = beside;
}
"""


@pytest.mark.parametrize("level", [0, 2])
def test_every_stage_has_variables_where_atomics_need_them(level: int) -> None:
    target = replace(find_target("sse4-i32x4"), triple="i686-unknown-linux-gnu", pointer_bits=32)
    job, numbers = compile_for(Path("sums.ispc"), SOURCE, target, level), inputs()[1]
    sums = [numbers[k::3].sum() for k in range(3)]
    # What is the same in all lanes is added once for a gang, of which there are 16.
    for stage in ("lower", "early", "passes", "late"):
        out, _ = interpret_ir(ir_after(job, stage), by_llvm=stage == "late", pointer_bytes=4)
        assert np.array_equal(out[:8], [*sums, numbers.max(), 3232, 32, 8, 64]), stage
