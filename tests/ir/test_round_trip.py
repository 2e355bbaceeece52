"""Reading and writing LLVM text is exact, and the parts of instructions are what LLVM's syntax says."""

from __future__ import annotations

import pytest
from llvmlite import binding

from voltac.ir.cfg import control_flow
from voltac.ir.model import Instruction, Module
from voltac.ir.parts import Operand
from voltac.ir.read import read
from voltac.ir.verify import verify
from voltac.ir.write import write
from voltac.messages.diagnostics import InternalError

SAMPLE = r"""; ModuleID = '<string>'
source_filename = "<string>"

%struct.S = type { i32, [4 x float], <{ i8, i32 }> }

$f = comdat any

@g = internal constant <4 x i32> <i32 1, i32 2, i32 3, i32 4>, align 16
@s = private unnamed_addr constant [4 x i8] c"a\0A\22\00"

; Function Attrs: nounwind willreturn memory(read)
declare <8 x float> @volta.gather.v8f32(<8 x ptr>, <8 x i1>) #0

define dso_local i32 @f(ptr noalias captures(none) %p, i32 %n, i1 %c, float %x, <4 x i32> %v) #1 comdat {
entry:
  switch i32 %n, label %d [
    i32 0, label %a
    i32 1, label %"b b"
  ], !prof !3

a:                                                ; preds = %"b b", %entry
  %x1 = add nsw <4 x i32> %v, splat (i32 4)
  %x2 = select fast i1 %c, float %x, float 0x3FB99999A0000000
  %x3 = getelementptr inbounds nuw %struct.S, ptr %p, <4 x i32> %v, i32 1, i32 2
  %x4 = tail call i32 (ptr, ...) @printf(ptr align 4 @s, float 1.000000e+00, ptr getelementptr inbounds (i8, ptr @g, i64 4)) #4
  %x6 = icmp samesign ult i32 %n, 4
  %x8 = shufflevector <4 x i32> %v, <4 x i32> poison, <2 x i32> <i32 0, i32 poison>
  %x9 = load atomic i32, ptr %p seq_cst, align 4
  %xa = atomicrmw add ptr %p, i32 1 seq_cst, align 4
  %xb = cmpxchg ptr %p, i32 1, i32 2 acq_rel monotonic, align 4
  %xc = extractvalue { i32, i1 } %xb, 0
  %xd = load volatile <4 x i32>, ptr %p, align 4, !tbaa !0
  %xe = alloca [4 x i32], i64 2, align 16
  fence seq_cst
    #dbg_value(i32 %x9, !10, !DIExpression(), !11)
  %xf = call <4 x i32> asm sideeffect "nop $0", "=x,0"(<4 x i32> %v)
  %xg = call range(i32 0, 4) i32 @llvm.ctpop.i32(i32 %n)
  %xh = call float @llvm.minnum.f32(float nofpclass(nan) %x, float 1.000000e+00)
  %xi = sext <4 x i32> %v to <4 x i64>
  %xj = insertelement <4 x i32> poison, i32 %n, i64 0
  store <4 x i32> %xj, ptr %xe, align 16, !tbaa !0, !noalias !2
  br label %d

"b b":                                            ; preds = %entry
  br i1 %c, label %a, label %d

d:                                                ; preds = %"b b", %a, %entry
  %r = phi i32 [ 0, %entry ], [ %x4, %a ], [ 5, %"b b" ]
  ret i32 %r
}

attributes #0 = { nounwind willreturn memory(read) }

!0 = !{!1, !1, i64 0}
"""


def sample() -> Module:
    return read(SAMPLE)


def by_name(name: str) -> Instruction:
    return sample().function("f").definitions()[name]


def test_what_is_read_is_written_character_for_character() -> None:
    assert write(sample()) == SAMPLE


def test_an_unlabelled_entry_block_has_the_number_llvm_gives_it() -> None:
    text = "define i32 @f(i32 %0, ptr %1) {\n  br label %3\n\n3:\n  %4 = phi i32 [ %0, %2 ]\n  ret i32 %4\n}\n"
    module = read(text)
    assert [block.name for block in module.function("f").blocks] == ["2", "3"]
    verify(module)
    assert write(module) == text


def test_the_function_header_is_taken_apart() -> None:
    function = sample().function("f")
    assert function.return_type == "i32"
    assert [(p.type, p.name) for p in function.parameters] == [
        ("ptr", "%p"),
        ("i32", "%n"),
        ("i1", "%c"),
        ("float", "%x"),
        ("<4 x i32>", "%v"),
    ]
    assert function.parameters[0].attributes == "noalias captures(none)"
    assert function.attributes == "#1 comdat"


@pytest.mark.parametrize(
    ("name", "type_text", "operands"),
    [
        ("%x1", "<4 x i32>", ["<4 x i32> %v", "<4 x i32> splat (i32 4)"]),
        ("%x2", "float", ["i1 %c", "float %x", "float 0x3FB99999A0000000"]),
        ("%x3", "<4 x ptr>", ["ptr %p", "<4 x i32> %v", "i32 1", "i32 2"]),
        ("%x4", "i32", ["ptr @s", "float 1.000000e+00", "ptr getelementptr inbounds (i8, ptr @g, i64 4)"]),
        ("%x6", "i1", ["i32 %n", "i32 4"]),
        ("%x8", "<2 x i32>", ["<4 x i32> %v", "<4 x i32> poison"]),
        ("%x9", "i32", ["ptr %p"]),
        ("%xa", "i32", ["ptr %p", "i32 1"]),
        ("%xb", "{ i32, i1 }", ["ptr %p", "i32 1", "i32 2"]),
        ("%xd", "<4 x i32>", ["ptr %p"]),
        ("%xe", "ptr", ["i64 2"]),
        ("%xf", "<4 x i32>", ["<4 x i32> %v"]),
        ("%xg", "i32", ["i32 %n"]),
        ("%xh", "float", ["float %x", "float 1.000000e+00"]),
        ("%xi", "<4 x i64>", ["<4 x i32> %v"]),
        ("%xj", "<4 x i32>", ["<4 x i32> poison", "i32 %n", "i64 0"]),
        ("%r", "i32", ["i32 0", "i32 %x4", "i32 5"]),
    ],
)
def test_types_and_operands_are_read(name: str, type_text: str, operands: list[str]) -> None:
    instruction = by_name(name)
    assert instruction.type == type_text
    assert [f"{operand.type} {operand.value}" for operand in instruction.operands] == operands


def test_the_other_parts_are_read() -> None:
    assert by_name("%x1").parts.flags == ("nsw",)
    assert by_name("%x3").parts.flags == ("inbounds", "nuw")
    assert by_name("%x3").parts.element_type == "%struct.S"
    assert by_name("%x4").parts.callee == "@printf"
    assert by_name("%x6").parts.predicate == "ult"
    assert by_name("%x8").parts.mask == "<i32 0, i32 poison>"
    assert by_name("%xa").parts.predicate == "add"
    assert by_name("%xc").parts.indices == [0]
    assert by_name("%xd").parts.metadata == {"tbaa": "!0"}
    assert by_name("%xd").parts.alignment == 4
    assert by_name("%r").parts.labels == ["entry", "a", '"b b"']
    entry = sample().function("f").blocks[0]
    assert entry.terminator.operands == [Operand("i32", "%n"), Operand("i32", "0"), Operand("i32", "1")]
    assert entry.successors == ["d", "a", '"b b"']


def test_renaming_leaves_the_result_and_longer_names_alone() -> None:
    instruction = Instruction("  %a = add i32 %a1, %a.b")
    instruction.rename({"%a": "%x", "%a1": "%y"})
    assert instruction.text == "  %a = add i32 %y, %a.b"


def test_sizes_and_offsets_follow_the_data_layout() -> None:
    layout = sample().layout()
    assert layout.size("%struct.S") == 28
    assert layout.member_offset("%struct.S", 2) == 20
    assert layout.size("[3 x %struct.S]") == 84
    assert layout.size("<3 x float>") == 16
    assert layout.size("{ i8, double, i8 }") == 24


LOOP = """define void @f(i32 %n) {
entry:
  br label %outer

outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %latch ]
  br label %inner

inner:
  %j = phi i32 [ 0, %outer ], [ %j1, %inner ]
  %j1 = add i32 %j, 1
  %c = icmp slt i32 %j1, %n
  br i1 %c, label %inner, label %latch

latch:
  %i1 = add i32 %i, 1
  %d = icmp slt i32 %i1, %n
  br i1 %d, label %outer, label %exit

exit:
  ret void
}
"""


def test_dominators_and_loops_are_found() -> None:
    flow = control_flow(read(LOOP).function("f"))
    assert flow.immediate_dominator["exit"] == "latch"
    assert flow.dominates("outer", "exit") and not flow.dominates("latch", "inner")
    assert {loop.header: (sorted(loop.blocks), loop.depth) for loop in flow.loops} == {
        "outer": (["inner", "latch", "outer"], 1),
        "inner": (["inner"], 2),
    }
    assert flow.loop_of["inner"].header == "inner"


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ("%d = icmp slt i32 %i1, %n", "%c = icmp slt i32 %i1, %n", "defined twice"),
        ("%d = icmp slt i32 %i1, %n", "%d = icmp slt i32 %nowhere, %n", "is not defined"),
        ("br label %inner", "br label %nowhere", "no block nowhere"),
        ("[ 0, %entry ], [ %i1, %latch ]", "[ 0, %entry ]", "does not name the predecessors"),
        ("%j1 = add i32 %j, 1", "%j1 = add i32 %c, 1", "before its definition"),
        ("br label %inner", "%z = add i32 %j1, 1\n  br label %inner", "does not dominate"),
        ("  ret void", "  call void @volta.scatter.v4f32(<4 x float> poison, <4 x ptr> poison, <4 x i1> poison)\n  ret void",
         "resolve_accesses.py should have removed"),
    ],
)  # fmt: skip
def test_the_verifier_names_what_is_wrong(before: str, after: str, complaint: str) -> None:
    verify(read(LOOP))
    with pytest.raises(InternalError, match=complaint):
        verify(read(LOOP.replace(before, after)))


def test_a_fresh_name_is_one_for_llvm_where_blocks_are_numbered() -> None:
    (function,) = read("define void @f() {\n  br label %1\n\n1:\n  ret void\n}\n").functions
    name = function.fresh_names()(f"{function.blocks[1].name}.rows")
    text = f"define i32 @g(i32 %a) {{\n  {name} = add i32 %a, 1\n  ret i32 {name}\n}}\n"
    binding.parse_assembly(text).verify()
