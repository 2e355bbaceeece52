"""What one pattern takes apart has the parts that LLVM's language reference gives it, and those that scanning finds."""

import re

import pytest

from voltac.ir import simple_forms
from voltac.ir.parts import Operand, parse

LOAD = "  %x = load <8 x float>, ptr %p.1, align 4, !tbaa !5"
SHUFFLE = "  %m = shufflevector <8 x float> %a, <8 x float> poison, <4 x i32> <i32 1, i32 3, i32 poison, i32 7>"
CALL = "  %g = tail call fast <4 x i32> @volta.gather.v4i32(<4 x ptr> %at, <4 x i1> splat (i1 true))"
STORE = "  store <4 x i32> splat (i32 -7), ptr @table, align 16"
OTHERS = (
    "  %q = load atomic i32, ptr %p seq_cst, align 4",
    "  %r = load volatile float, ptr getelementptr (i8, ptr @t, i64 4), align 4",
    "  %s = shufflevector <2 x i8> zeroinitializer, <2 x i8> <i8 1, i8 2>, <2 x i32> zeroinitializer",
    "  %t = call noundef i32 @f(ptr noundef align 4 %a, i32 5)",
    "  call fastcc void @g(ptr byval({ i32, i32 }) %a, metadata !4)",
    '  call void @"a name"(<2 x half> <half 0xH3C00, half 0xH0000>, i1 true)',
    "  %u = insertvalue { i32, float } %b, float 1.000000e+00, 1",
    "  br i1 %c, label %yes, label %no, !llvm.loop !7",
    '  br label %"with spaces"',
    "  %v = select i1 %c, <2 x i1> splat (i1 true), <2 x i1> zeroinitializer",
    "  %w = getelementptr inbounds %struct.S, ptr %p, i64 %i, i32 1",
    "  %y = extractelement <4 x ptr> %z, i64 0",
)


def test_parts_are_those_of_the_language_reference() -> None:
    load = parse(LOAD)
    assert (load.name, load.op, load.type, load.element_type, load.alignment) == ("%x", "load", "<8 x float>", "<8 x float>", 4)
    assert (load.operands, load.metadata) == ([Operand("ptr", "%p.1")], {"tbaa": "!5"})
    shuffle = parse(SHUFFLE)
    assert (shuffle.type, shuffle.mask) == ("<4 x float>", "<i32 1, i32 3, i32 poison, i32 7>")
    assert shuffle.operands == [Operand("<8 x float>", "%a"), Operand("<8 x float>", "poison")]
    call = parse(CALL)
    assert (call.op, call.type, call.callee, call.flags) == ("call", "<4 x i32>", "@volta.gather.v4i32", ("tail", "fast"))
    assert call.operands == [Operand("<4 x ptr>", "%at"), Operand("<4 x i1>", "splat (i1 true)")]
    store = parse(STORE)
    assert (store.operands, store.alignment) == ([Operand("<4 x i32>", "splat (i32 -7)"), Operand("ptr", "@table")], 16)


@pytest.mark.parametrize("text", [LOAD, SHUFFLE, CALL, STORE, *OTHERS])
def test_scanning_finds_the_same(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = parse(text)
    assert not found.unknown
    for name in ("pairs", "call", "load", "shuffle"):
        monkeypatch.setattr(simple_forms, name, lambda *_: None)
    monkeypatch.setattr(simple_forms, "PAIR", re.compile("(?!)"))
    assert parse(text) == found
