"""Lanes of 32 and 64 are looked up on aarch64, where the bytes of a vector are more than a table's numbers count."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from run_programs import compile_for, inputs, interpret_ir, ir_after

from voltac.target_info import find_target

TYPES = {"int8": np.int8, "int16": np.int16, "int32": np.int32, "float": np.float32, "int64": np.int64, "double": np.float64}
ONE = """
static TYPE one_NUMBER(TYPE a, int p) { return shuffle(a, p); }
static TYPE two_NUMBER(TYPE a, TYPE b, int p) { return shuffle(a, b, p); }
"""
LOOKED_UP = """
    { TYPE v = i[programIndex] * 3 + NUMBER;
      int p = programIndex * 5 + NUMBER & 2 * programCount - 1;
      out[NUMBER * 2 * programCount + programIndex] = one_NUMBER(v, i[programIndex] * 7);
      out[(NUMBER * 2 + 1) * programCount + programIndex] = two_NUMBER(v, v + 1, p); }
"""


def program() -> str:
    def of_each(text: str) -> str:
        return "".join(text.replace("TYPE", name).replace("NUMBER", str(k)) for k, name in enumerate(TYPES))

    head = "export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n)"
    return f"{of_each(ONE)}\n{head} {{\n{of_each(LOOKED_UP)}\n}}"


@pytest.mark.parametrize("name", ["neon-i8x32", "sve512-i8x64"])
def test_each_lane_gets_the_lane_it_names(name: str) -> None:
    target, numbers = find_target(name), inputs()[1]
    width, expected = target.width, []
    lanes = np.arange(width)
    for number, kind in enumerate(TYPES.values()):
        values = (numbers[:width] * 3 + number).astype(kind)
        both = np.concatenate([values, values + kind(1)])
        expected += [values[numbers[:width] * 7 % width], both[(lanes * 5 + number) % (2 * width)]]
    job = compile_for(Path("lookups.ispc"), program(), target)
    for stage in ("early", "late"):
        found = interpret_ir(ir_after(job, stage), by_llvm=stage == "late")[0]
        assert np.array_equal(found[: len(expected) * width], np.concatenate(expected)), stage
