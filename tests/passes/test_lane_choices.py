"""Loops whose lanes go alone: selections by what branches ask anyway, and loads that only some lanes may do, are branches."""

import numpy as np
import pytest
from judged_kernels import JudgedKernels

from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.pass_runs import PassRuns
from voltac.passes.rows import branching_walks
from voltac.pipeline import Watch
from voltac.target_info import find_target

# Which of both arrays a lane reads is its key's to say: each is only as long as the indices that are right for it.
CHOSEN = """export void find(uniform int out[], const uniform TYPE key[], const uniform int less[], const uniform int more[],
                 const uniform TYPE wanted[], uniform int n) {
    foreach (i = 0 ... n) {
        int at = 0, steps = 0;
        TYPE k = wanted[i];
        while (at >= 0) {
            TYPE here = key[at];
            if (here == k) {
                steps += 1000;
                break;
            }
            at = k < here ? less[at] : more[at];
            steps++;
        }
        out[i] = steps;
    }
}
"""
SKIPPED = """export void walk(uniform int out[], const uniform TYPE low[], const uniform int skip[], const uniform TYPE x[],
                 uniform int nodes, uniform int n) {
    foreach (i = 0 ... n) {
        int at = 0, sum = 0;
        while (at < nodes) {
            if (low[at] <= x[i]) {
                sum += at & 7;
                at++;
            } else
                at = skip[at];
        }
        out[i] = sum;
    }
}
"""
TYPES = {"int": np.int32, "float": np.float32, "int16": np.int16, "double": np.float64}
NODES = 31


def written(source: str, target: str) -> str:
    watch = Watch(passes=PassRuns(stop_after="walk_branches"))
    made = compile_source(source, "f.ispc", Options(target=find_target(target), level=3), Diagnostics(), watch=watch).stopped
    assert made is not None
    return made


TARGETS = ["avx2-i32x4", "avx2-i32x8", "avx2-i32x16"]


@pytest.mark.parametrize("type_name", TYPES)
@pytest.mark.parametrize("target", TARGETS)
def test_a_lane_reads_what_it_chose_only(target: str, type_name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys fall along the chain: lanes that look for small ones go on to the end, and ``more`` has the root's element only."""
    # A gang is faster, mostly.
    monkeypatch.setattr(branching_walks, "_GUESS_OF_LOAD", 0)
    judged = JudgedKernels(CHOSEN.replace("TYPE", type_name), target)
    key = np.arange(NODES, 0, -1).astype(TYPES[type_name])
    less, more = np.array([*range(1, NODES), -1], np.int32), np.full(1, -1, np.int32)
    for n in (1, 7, 8, 37):
        wanted = np.random.default_rng(n).integers(0, NODES + 3, n).astype(TYPES[type_name])
        steps = [NODES if k == 0 else 1 if k > NODES else NODES - int(k) + 1000 for k in wanted.tolist()]
        arrays = [np.zeros(n, np.int32), key, less, more, wanted]
        judged.expect("find", arrays, (n,), np.array(steps, np.int32), interpreted=n < 8)
    judged.check()
    assert ".taken:" in written(CHOSEN.replace("TYPE", type_name), target)


@pytest.mark.parametrize("type_name", TYPES)
@pytest.mark.parametrize("target", TARGETS)
def test_walks_that_skip(target: str, type_name: str) -> None:
    judged = JudgedKernels(SKIPPED.replace("TYPE", type_name), target)
    rng = np.random.default_rng(4)
    low = rng.integers(0, 40, NODES).astype(TYPES[type_name])
    skip = np.minimum(np.arange(NODES) + rng.integers(1, 6, NODES), NODES).astype(np.int32)
    for n in (0, 5, 8, 29):
        x = rng.integers(0, 40, n).astype(TYPES[type_name])
        wanted = np.zeros(n, np.int32)
        for i, value in enumerate(x):
            at = 0
            while at < NODES:
                wanted[i] += (at & 7) * (low[at] <= value)
                at = at + 1 if low[at] <= value else skip[at]
        judged.expect("walk", [np.zeros(n, np.int32), low, skip, x], (NODES, n), wanted, interpreted=0 < n < 8)
    judged.check()
    # A gang loads small numbers one by one anyway.
    assert type_name == "int16" or ".taken:" in written(SKIPPED.replace("TYPE", type_name), target)
