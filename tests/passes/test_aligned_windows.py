"""With masks for free, strided loads begin at multiples of a register of 64 bytes, and read nothing that no lane wants."""

import re
from functools import partial

import numpy as np
import pytest
from guard_pages import FencedCalls
from kernels import InterpretedModule, compile_kernels

from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import find_target

SOURCE = """export void every_KIND_STEP_AT(uniform KIND to[], const uniform KIND from[], uniform int first, uniform int n) {
    foreach (i = 0 ... n)
        to[i] = from[STEP * i + AT - first];
}
"""
KINDS = {"float": np.float32, "double": np.float64, "uint8": np.uint8}
STEPS = (2, 3, 4, 5)
OFFSETS = (1, 6)


def _source(kind: str, step: int, at: int) -> str:
    return SOURCE.replace("KIND", kind).replace("STEP", str(step)).replace("AT", str(at))


def test_every_fourth_element_is_in_four_aligned_loads() -> None:
    options = Options(find_target("avx512skx-x16"), 3)
    text = compile_source(_source("float", 4, 1), "f.ispc", options, Diagnostics(), end="passes").results["passes"]
    gang = text.partition(".all_on:")[2].partition("\n\n")[0].partition("br label")[0]
    loads = [line for line in gang.splitlines() if "load" in line and "<16 x float>" in line]
    near = re.findall(r"getelementptr float, ptr [%\w.]+, i64 (\d+)", gang)
    assert len(loads) == 4
    assert {"16", "32", "48"} <= set(near)
    assert "i1 false, i1 true" in loads[0]  # Element 0, which no lane wants, is not read.


@pytest.mark.parametrize(
    ("target", "kind"), [("avx512skx-x16", "float"), ("avx512skx-x8", "double"), ("avx512icl-x16", "uint8")]
)
def test_nothing_but_what_is_wanted_is_read(target: str, kind: str) -> None:
    kernels = compile_kernels("\n".join(_source(kind, step, at) for step in STEPS for at in OFFSETS), target)
    if isinstance(kernels, InterpretedModule):
        pytest.skip(f"this processor does not run code for {target}")
    calls = FencedCalls()
    for step in STEPS:
        for at in OFFSETS:
            for n in (1, 16, 35):
                given = np.random.default_rng(n).integers(0, 100, step * (n - 1) + 1).astype(KINDS[kind])
                for at_end in (True, False):
                    to, source = calls.copies(np.zeros(n, given.dtype), given, at_end=at_end)
                    call = partial(kernels[f"every_{kind}_{step}_{at}"], to, source, at, n)
                    calls.add((kind, step, at, n, at_end), call, (to, given[::step]))
    calls.check()
