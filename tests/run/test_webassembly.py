"""Objects for WebAssembly, run by node: run-tests, and calls as JavaScript makes them."""

from __future__ import annotations

import pytest
from run_programs import RunTest, at_level, compile_for
from test_run import ALL, FOLDER, every_program
from wasm_modules import NODE, run, run_test

from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import find_target

on_node = pytest.mark.skipif(NODE is None, reason="not installed: node (apt: nodejs)")
USUAL = (
    *("control/varying_while_collatz", "library/cross_lane_movement", "library/packed_store_and_load"),
    *("library/half_and_srgb_conversions", "memory/masked_gather_and_scatter", "memory/deinterleave_and_interleave"),
    "structs/three_floats_in_a_row",
)
SYSTEM = "is called"
"""What the error of a function says that a C library would have."""


def check(program: RunTest, *names: str) -> None:
    for target in map(find_target, names):
        if target.width in program.widths and not program.prints:
            job = compile_for(program.path, program.text, target)
            for each in (at_level(job, 0), job):
                difference = program.difference(run_test(each), "", target.width, target.pointer_bits // 8)
                assert difference == "", f"for {target.name} -O{each.options.level}"


@on_node
@pytest.mark.parametrize("name", USUAL)
def test_usual_programs_run_as_webassembly(name: str) -> None:
    (program,) = [program for program in ALL if str(program.path.relative_to(FOLDER).with_suffix("")) == name]
    check(program, "wasm")


@pytest.mark.long
@on_node
@every_program
def test_every_program_runs_as_webassembly(program: RunTest) -> None:
    try:
        check(program, "wasm-i32x4", "wasm-i32x8", "wasm-i8x16", "wasm-i16x8")
    except AssertionError as error:
        if SYSTEM not in str(error):
            raise
        pytest.skip("the program needs a C library")


SOURCE = """
struct One { float value; };
struct Two { int8 small; double large; };
export uniform float scaled(const uniform float x[], uniform float out[], uniform int n, uniform float by) {
    float sum = 0;
    foreach (i = 0 ... n) {
        out[i] = by * x[i];
        sum += out[i];
    }
    return reduce_add(sum);
}
export uniform int8 least(uniform int8 a, uniform unsigned int8 b) { return min((uniform int)a, (uniform int)b); }
extern "C" uniform One one(uniform One given);
extern "C" uniform Two two(uniform Two given);
export uniform double structs(uniform float x) {
    uniform One single = { x };
    uniform Two both = { (int8)(uniform int)x, one(single).value };
    both = two(both);
    return both.small * 1000 + both.large;
}
"""
CALLS = """
const values = [...Array(21).keys()];
const x = array(Float32Array, values), out = array(Float32Array, values);
console.log(f.scaled(x.byteOffset, out.byteOffset, 20, 3), out.join(" "));
console.log(f.least(-5, 200), f.least(100, 200), f.structs(5.5));
"""
FUNCTIONS = """{
one: value => value + 1,
two: (made, given) => {
  const view = new DataView(memory.buffer);
  view.setInt8(made, view.getInt8(given) + 1);
  view.setFloat64(made + 8, view.getFloat64(given + 8, true) * 2, true);
}}"""


@on_node
@pytest.mark.parametrize("level", [0, 2])
def test_calls_from_javascript(level: int) -> None:
    """By the C convention of WebAssembly: a struct of one member is that member, others are in memory."""
    options = Options(target=find_target("wasm"), level=level)
    code = compile_source(SOURCE, "calls.ispc", options, Diagnostics(wrap=False)).optimized.object_code()
    first, second = run(code, CALLS, FUNCTIONS).splitlines()
    assert first == f"570 {' '.join(str(3 * k) for k in range(20))} 20"
    assert second == "-5 100 6013"


@on_node
def test_the_code_is_made_of_vector_instructions() -> None:
    """Of WebAssembly's SIMD: f32x4.mul and v128.store."""
    options = Options(target=find_target("wasm"), level=2)
    text = compile_source(SOURCE, "calls.ispc", options, Diagnostics(wrap=False)).optimized.assembly()
    assert "f32x4.mul" in text and "v128.store" in text
