"""Numbers of new nodes of metadata: behind all that a module has, however many were written before."""

import re

from passed_text import passed

from voltac.ir.read import read
from voltac.passes.loops.loop_hints import free_node, unrolled

TEXT = """\
define void @f() {
  ret void
}

!llvm.module.flags = !{!3}
!3 = !{i32 1, !"a flag", i32 1}
!11 = !{}
"""


def test_each_new_node_has_a_number_of_its_own() -> None:
    module = read(TEXT)
    assert free_node(module) == 12
    assert unrolled(module, 12, 10) == ", !llvm.loop !12"
    assert unrolled(module, free_node(module), 10) == ", !llvm.loop !13"
    module.items.append(["!40 = !{i32 1}"])
    assert free_node(module) == 41
    assert unrolled(module, 41, 10) == ", !llvm.loop !41"
    assert free_node(module) == 42


def test_a_module_without_nodes_begins_at_none() -> None:
    module = read("define void @f() {\n  ret void\n}\n")
    assert free_node(module) == 0
    assert unrolled(module, 0, 1000) == ""
    assert free_node(module) == 0


def test_short_loops_of_known_length_are_written_out_whole() -> None:
    """Such as the eight characters of a number; others four iterations at a time."""
    source = """
export void f(uniform int to[], const uniform uint8 text[], uniform int n, uniform int longest) {
    foreach (i = 0 ... n) {
        int v = 0;
        for (uniform int k = START; k < LIMIT; k += STEP) {
            int d = text[i * 8 + k] - 48;
            if (d < 0 || d > 9) break;
            v = v * 10 + d;
        }
        to[i] = v;
    }
}
"""
    for start, limit, step, times in ((0, "8", 1, 8), (1, "8", 1, 7), (0, "11", 2, 6), (0, "longest", 1, 4), (0, "200", 1, 4)):
        text = passed(source.replace("START", str(start)).replace("LIMIT", limit).replace("STEP", str(step)), "avx2-i32x8")
        assert set(re.findall(r'llvm\.loop\.unroll\.count", i32 (\d+)', text)) == {str(times)}, (start, limit, step)
