"""The language's own story, from source to machine code: what the loops of three small functions must be.

The expectations are the issue's: plain vector code where the mask is all on, masked
accesses in the tail, no gathers where neighbouring elements are read.
"""

import re
from collections import Counter

import pytest

from voltac.driver import compile_source
from voltac.ir.pseudo_operations import PREFIX
from voltac.options import Options
from voltac.report.assembly import AssemblyBlock, counts, functions
from voltac.target_info import find_target

TARGETS = ("sse4-i32x4", "avx2-i32x8", "avx512skx-x16")

INCREMENT = """\
export void increment(uniform float ptr[], uniform int count) {
    foreach (i = 0 ... count)
        ptr[i] += 1;
}
"""
WHOLE_GANGS = INCREMENT.replace("    foreach", "    count &= ~(programCount - 1);\n    foreach")
REDUCE = """\
export void reduce(uniform float ptr[], uniform float result[], uniform int count) {
    foreach (i = 0 ... count)
        result[i] = ptr[i / 2];
}
"""
DEINTERLEAVE = """\
export void deinterleave(uniform float ptr[], uniform float a[], uniform float b[], uniform int count) {
    foreach (i = 0 ... count) {
        a[i] = ptr[2 * i];
        b[i] = ptr[2 * i + 1];
    }
}
"""
STRUCTS = """\
struct Point { float x, y, z; };
export void norms(uniform Point points[], uniform float out[], uniform int count) {
    foreach (i = 0 ... count)
        out[i] = points[i].x * points[i].x + points[i].y * points[i].y + points[i].z * points[i].z;
}
"""


class Compiled:
    def __init__(self, source: str, target: str) -> None:
        made = compile_source(source, "story.ispc", Options(find_target(target), whole_program=True))
        self.resolved: str = made.results["passes"]
        self.text = made.optimized.text()
        (self.blocks,) = functions(made.optimized.assembly(comments=True)).values()
        self.target = find_target(target)

    def named(self, part: str) -> list[AssemblyBlock]:
        return [block for block in self.blocks if part in block.name and ".preheader" not in block.name]

    @property
    def loop(self) -> Counter[str]:
        """Instructions of the all-on loop, with every block of it."""
        headers = {header for block in self.named(".all_on") for header in block.loops}
        assert len(headers) == 1
        return counts([line for block in self.blocks if headers & set(block.loops) for line in block.instructions])

    @property
    def body(self) -> list[str]:
        headers = {header for block in self.named(".all_on") for header in block.loops}
        return [line for block in self.blocks if headers & set(block.loops) for line in block.instructions]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "source", [INCREMENT, REDUCE, DEINTERLEAVE, STRUCTS], ids=["increment", "reduce", "deinterleave", "structs"]
)
def test_no_pseudo_operation_and_no_gather_survives(source: str, target: str) -> None:
    made = Compiled(source, target)
    assert not re.search(rf"call .*@{re.escape(PREFIX)}", made.resolved)
    assert not re.search(r"call .*(gather|scatter)", made.text)
    assert {"gather", "scatter"}.isdisjoint(counts([line for block in made.blocks for line in block.instructions]))


@pytest.mark.parametrize("target", TARGETS)
def test_increment_is_one_add_from_memory_and_one_store_a_gang(target: str) -> None:
    made = Compiled(INCREMENT, target)
    adds = [line for line in made.body if re.match(r"v?addps", line)]
    stores = [line for line in made.body if re.match(r"v?movups %[xyz]mm\d+, .*\(", line)]
    assert len(adds) == len(stores) >= 1
    if not target.startswith("sse"):  # an SSE operand in memory has to be aligned, so there the load is apart
        assert all("(" in add for add in adds)
    extra = set(made.loop) - {"load", "store", "vector arithmetic", "scalar", "control"}
    assert not extra
    assert made.loop["store"] == len(stores)
    assert made.loop["load"] == len(adds)


@pytest.mark.parametrize("target", ["avx2-i32x8", "avx512skx-x16"])
def test_the_tail_is_masked_load_and_masked_store(target: str) -> None:
    made = Compiled(INCREMENT, target)
    assert "llvm.masked.load" in made.resolved and "llvm.masked.store" in made.resolved
    tail = counts([line for block in made.named(".masked") for line in block.instructions])
    assert tail["masked load"] == 1 and tail["masked store"] == 1


@pytest.mark.parametrize("target", TARGETS)
def test_whole_gangs_have_no_tail(target: str) -> None:
    made = Compiled(WHOLE_GANGS, target)
    assert not made.named(".masked")
    found = counts([line for block in made.blocks for line in block.instructions])
    assert found["masked load"] == found["masked store"] == found["mask arithmetic"] == 0
    assert not re.search(r"call .*masked", made.text)


@pytest.mark.parametrize("target", TARGETS)
def test_reduce_is_a_half_width_load_and_a_permute(target: str) -> None:
    made = Compiled(REDUCE, target)
    width = made.target.width
    assert re.search(rf"load <{width // 2} x float>", made.text) or target.startswith("sse")
    gangs = made.loop["store"]
    assert 1 <= made.loop["load"] <= gangs
    assert 1 <= made.loop["shuffle"] <= 2 * gangs
    assert set(made.loop) <= {"load", "store", "shuffle", "scalar", "control", "vector arithmetic"}


@pytest.mark.parametrize("target", TARGETS)
def test_deinterleave_is_plain_loads_and_shuffles(target: str) -> None:
    made = Compiled(DEINTERLEAVE, target)
    gangs = made.loop["store"] // 2
    assert made.loop["load"] <= 4 * gangs  # each half of two registers; constants of permutes are loaded outside
    assert made.loop["shuffle"] >= 1 * gangs
    assert {"masked load", "masked store", "blend", "mask arithmetic"}.isdisjoint(made.loop)


@pytest.mark.parametrize("target", TARGETS)
def test_a_function_called_with_all_lanes_on_has_no_mask_arithmetic(target: str) -> None:
    source = """\
static noinline float halve_large(float x, uniform float limit) {
    if (limit > 0)
        x = x > limit ? x * 0.5f : x + 1;
    return x;
}
export void all(uniform float a[], uniform int count) {
    count &= ~(programCount - 1);
    foreach (i = 0 ... count)
        a[i] = halve_large(a[i], 3.0f);
}
"""
    made = compile_source(source, "story.ispc", Options(find_target(target), whole_program=True))
    (name,) = [name for name in functions(made.optimized.assembly()) if name.startswith("halve_large")]
    assert name.endswith(".all_on")
    define = next(line for line in made.optimized.text().splitlines() if line.startswith("define") and "halve_large" in line)
    width = find_target(target).width
    assert f"<{width} x i" not in define  # no mask among the parameters
