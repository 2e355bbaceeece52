"""Numbers of new nodes of metadata: behind all that a module has, however many were written before."""

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
