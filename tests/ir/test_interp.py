"""The IR interpreter against results worked out by hand and by numpy."""

import math

import numpy as np
import pytest

from voltac.ir.interp import IRInterpreter
from voltac.ir.interp_frame import ExecutionError
from voltac.ir.read import read


def run(text: str, name: str, *arguments: object) -> object:
    return IRInterpreter(read(text)).call(name, arguments)  # type: ignore[arg-type]


def expression(result: str, body: str, parameters: str = "", *arguments: object) -> object:
    """The value of a straight-line function that returns ``%r``."""
    return run(f"define {result} @f({parameters}) {{\n{body}\n  ret {result} %r\n}}\n", "f", *arguments)


def test_a_loop_sums_an_array() -> None:
    text = """
define i32 @f(ptr %p, i32 %n) {
entry:
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %loop, label %done

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi i32 [ 0, %entry ], [ %t, %loop ]
  %e = sext i32 %i to i64
  %q = getelementptr inbounds i32, ptr %p, i64 %e
  %v = load i32, ptr %q, align 4
  %t = add i32 %s, %v
  %next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done

done:
  %r = phi i32 [ 0, %entry ], [ %t, %loop ]
  ret i32 %r
}
"""
    values = np.arange(10, dtype=np.int32) * 7
    assert run(text, "f", values, 10) == int(values.sum())
    assert run(text, "f", values, 0) == 0


@pytest.mark.parametrize(
    ("operation", "a", "b", "expected"),
    [
        ("add", 200, 100, 44),
        ("sub", 5, 10, 251),
        ("mul", 20, 20, 144),
        ("sdiv", 249, 2, 253),
        ("srem", 249, 2, 255),
        ("udiv", 249, 2, 124),
        ("urem", 249, 10, 9),
        ("shl", 129, 1, 2),
        ("lshr", 248, 1, 124),
        ("ashr", 248, 1, 252),
        ("and", 12, 10, 8),
        ("or", 12, 10, 14),
        ("xor", 12, 10, 6),
    ],
)
def test_integer_operations_on_eight_bits(operation: str, a: int, b: int, expected: int) -> None:
    assert expression("i8", f"  %r = {operation} i8 %a, %b", "i8 %a, i8 %b", a, b) == expected
    assert (
        expression("<2 x i8>", f"  %r = {operation} <2 x i8> %a, %b", "<2 x i8> %a, <2 x i8> %b", [a, a], [b, b])
        == [expected] * 2
    )


@pytest.mark.parametrize(
    ("body", "poisoned"),
    [
        ("  %r = add nsw i8 %a, 1", [127]),
        ("  %r = add nuw i8 %a, 1", [255]),
        ("  %r = sub nsw i8 %a, 1", [128]),
        ("  %r = mul nsw i8 %a, 2", list(range(64, 192))),
        ("  %r = shl i8 1, %a", list(range(8, 256))),
        ("  %r = shl nuw i8 %a, 4", list(range(16, 256))),
        ("  %r = shl nsw i8 %a, 4", list(range(8, 248))),
        ("  %r = shl nsw i8 %a, 7", list(range(1, 255))),
        ("  %r = ashr exact i8 %a, 1", list(range(1, 256, 2))),
        ("  %r = udiv exact i8 %a, 3", [v for v in range(256) if v % 3]),
        ("  %w = zext i8 %a to i16\n  %x = trunc nuw i16 %w to i4\n  %r = zext i4 %x to i8", list(range(16, 256))),
        ("  %f = uitofp nneg i8 %a to float\n  %r = fptoui float %f to i8", list(range(128, 256))),
        ("  %r = lshr exact i8 %a, 1", list(range(1, 256, 2))),
        ("  %r = sdiv exact i8 %a, 2", list(range(1, 256, 2))),
        ("  %r = or disjoint i8 %a, 3", [v for v in range(256) if v & 3]),
        ("  %w = zext nneg i8 %a to i16\n  %r = trunc i16 %w to i8", list(range(128, 256))),
        ("  %w = zext i8 %a to i16\n  %x = trunc nsw i16 %w to i4\n  %r = zext i4 %x to i8", list(range(8, 256))),
        ("  %c = icmp samesign ult i8 %a, 5\n  %r = zext i1 %c to i8", list(range(128, 256))),
    ],
)
def test_flags_make_poison_exactly_where_they_do_not_hold(body: str, poisoned: list[int]) -> None:
    found = [value for value in range(256) if expression("i8", body, "i8 %a", value) is None]
    assert found == poisoned


@pytest.mark.parametrize(
    ("integer", "floating", "patterns"),
    [
        ("i16", "half", [0x7C01, 0xFDFF, 0x7E00, 0xFE2A, 0x3C00]),
        ("i32", "float", [0x7F800001, 0xFFFFFF7F, 0xFF812345, 0x7FC00000, 0x3F800000]),
        ("i64", "double", [0x7FF0000000000001, 0xFFF8000000000007, 0x3FF0000000000000]),
    ],
)
def test_integers_travel_as_floats_bit_by_bit(integer: str, floating: str, patterns: list[int]) -> None:
    """Also those that are signalling NaNs: through bitcasts, memory and selects, in scalars and vectors."""
    body = (
        f"  %f = bitcast {integer} %a to {floating}\n  %m = alloca {floating}\n  store {floating} %f, ptr %m\n"
        f"  %g = load {floating}, ptr %m\n  %n = fneg {floating} %g\n  %s = select i1 true, {floating} %g, {floating} %n\n"
        f"  %r = bitcast {floating} %s to {integer}"
    )
    sign = 1 << int(integer[1:]) - 1
    vector = body.replace(f" {floating}", f" <2 x {floating}>").replace(f" {integer}", f" <2 x {integer}>")
    for pattern in patterns:
        assert expression(integer, body, f"{integer} %a", pattern) == pattern
        assert expression(integer, body.replace("true", "false"), f"{integer} %a", pattern) == pattern ^ sign
        assert expression(f"<2 x {integer}>", vector, f"<2 x {integer}> %a", [pattern, 1]) == [pattern, 1]


@pytest.mark.parametrize(
    ("body", "poisoned"),
    [
        ("  %r = fadd nnan float %a, 1.0", "nan"),
        ("  %r = fadd ninf float %a, 1.0", "inf"),
        ("  %r = fneg fast float %a", "nan inf"),
        ("  %r = fadd reassoc nsz arcp contract afn float %a, 1.0", ""),
        ("  %c = fcmp nnan olt float %a, 1.0\n  %r = uitofp i1 %c to float", "nan"),
        ("  %r = select ninf i1 true, float %a, float 1.0", "inf"),
        ("  %r = select fast i1 false, float %a, float 1.0", ""),
        ("  %r = call nnan float @llvm.maxnum.f32(float %a, float 1.0)", "nan"),
        ("  %r = call fast float @llvm.fabs.f32(float %a)", "nan inf"),
    ],
)
def test_fast_math_flags_make_poison_exactly_where_they_do_not_hold(body: str, poisoned: str) -> None:
    values = {"nan": math.nan, "inf": -math.inf, "one": 1.0}
    found = [name for name, value in values.items() if expression("float", body, "float %a", value) is None]
    assert found == poisoned.split()


@pytest.mark.parametrize(
    ("conversion", "result", "expected"),
    [("fpext half %f to float", "i32", 0xFFC00000), ("fpext half %f to double", "i64", 0xFFF8000000000000)],
)
def test_a_nan_of_another_type_is_a_nan_of_its_sign(conversion: str, result: str, expected: int) -> None:
    floating = conversion.rpartition(" ")[2]
    body = f"  %f = bitcast i16 %a to half\n  %w = {conversion}\n  %r = bitcast {floating} %w to {result}"
    found = expression(result, body, "i16 %a", 0xFFFF)
    assert isinstance(found, int) and found & expected == expected


def test_poison_stays_in_its_lane_and_a_select_drops_it() -> None:
    body = "  %s = add nsw <4 x i8> %a, splat (i8 1)\n  %r = select <4 x i1> %m, <4 x i8> %s, <4 x i8> zeroinitializer"
    assert expression("<4 x i8>", body, "<4 x i8> %a, <4 x i1> %m", [1, 127, 3, 127], [1, 0, 1, 1]) == [2, 0, 4, None]


def test_freeze_turns_poison_into_a_value() -> None:
    assert expression("i8", "  %r = freeze i8 poison") is not None


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("  br i1 poison, label %a, label %a\n\na:\n  ret void", "branches on poison"),
        ("  store i32 1, ptr poison, align 4\n  ret void", "poisoned address"),
        ("  store i32 1, ptr null, align 4\n  ret void", "no object"),
        ("  %q = getelementptr i32, ptr %p, i64 4\n  store i32 1, ptr %q, align 4\n  ret void", "bytes 16 to 20 of argument 0"),
        ("  %q = getelementptr inbounds i32, ptr %p, i64 -1\n  store i32 1, ptr %q, align 4\n  ret void", "poisoned address"),
        ("  %q = getelementptr i8, ptr %p, i64 2\n  %v = load i32, ptr %q, align 4\n  ret void", "not aligned to 4"),
        ("  %v = load <8 x i32>, ptr %p, align 4\n  ret void", "bytes 0 to 32 of argument 0"),
        ("  %v = load <4 x i32>, ptr %p, align 16\n  ret void", "not aligned to 16"),
        ("  %v = sdiv i32 1, 0\n  ret void", "divides by zero"),
        ("  %v = udiv <2 x i32> splat (i32 1), <i32 1, i32 poison>\n  ret void", "divides by poison"),
        ("  %v = sdiv i32 -2147483648, -1\n  ret void", "smallest integer by -1"),
        ("  unreachable", "unreachable"),
        ("  store i32 poison, ptr %p, align 4\n  ret void", "poison was stored to byte 0 of argument 0"),
        (
            "  %a = alloca i32, align 4\n  %v = load i32, ptr %a, align 4\n  store i32 %v, ptr %p, align 4\n  ret void",
            "poison was stored",
        ),
        ("  call void @nowhere()\n  ret void", "no body"),
        ("  br label %a\n\na:\n  br label %a", "does not seem to end"),
        ("  call void @llvm.assume(i1 false)\n  ret void", "does not hold"),
        ("  store i8 1, ptr @constant, align 1\n  ret void", "constant"),
    ],
)
def test_what_a_program_must_not_do_is_named(body: str, complaint: str) -> None:
    text = f"@constant = internal constant i8 7\n\ndefine void @f(ptr %p) {{\nentry:\n{body}\n}}\n"
    with pytest.raises(ExecutionError, match=complaint):
        IRInterpreter(read(text), block_limit=1000).call("f", [np.zeros(4, np.int32)])


def test_an_error_names_function_block_and_instruction() -> None:
    text = "define void @f(ptr %p) {\nentry:\n  br label %here\n\nhere:\n  store i32 1, ptr null, align 4\n  ret void\n}\n"
    with pytest.raises(ExecutionError, match=r"in @f, block here: .*\n  store i32 1, ptr null, align 4"):
        run(text, "f", np.zeros(1))


def test_a_vanished_local_is_no_object_any_more() -> None:
    text = """
define ptr @leak() {
  %a = alloca i32, align 4
  ret ptr %a
}

define i32 @f() {
  %p = call ptr @leak()
  %v = load i32, ptr %p, align 4
  ret i32 %v
}
"""
    with pytest.raises(ExecutionError, match="no object"):
        run(text, "f")


def test_pseudo_operations_touch_active_lanes_only() -> None:
    text = """
define void @f(ptr %p, ptr %out, <4 x i1> %m) {
  %q = getelementptr float, ptr %p, <4 x i32> <i32 3, i32 900, i32 1, i32 -900>
  %v = call <4 x float> @volta.gather.v4f32(<4 x ptr> %q, <4 x i1> %m)
  %w = call <4 x float> @volta.load.v4f32(ptr %out, <4 x i1> %m)
  %s = fadd <4 x float> %v, %w
  call void @volta.store.v4f32(<4 x float> %s, ptr %out, <4 x i1> %m)
  ret void
}

define void @g(ptr %p, <4 x i1> %m) {
  %q = getelementptr i32, ptr %p, <4 x i64> <i64 1, i64 0, i64 0, i64 1>
  call void @volta.scatter.v4i32(<4 x i32> <i32 10, i32 11, i32 12, i32 13>, <4 x ptr> %q, <4 x i1> %m)
  ret void
}
"""
    source, out = np.arange(4, dtype=np.float32), np.full(3, 100, np.float32)
    run(text, "f", source, out, [1, 0, 1, 0])
    assert out.tolist() == [103, 100, 101]
    cells = np.zeros(2, np.int32)
    run(text, "g", cells, [1, 1, 1, 1])
    assert cells.tolist() == [12, 13]
    run(text, "g", cells, [1, 1, 0, 0])
    assert cells.tolist() == [11, 10]


def test_masked_intrinsics_touch_active_lanes_only() -> None:
    text = """
define void @f(ptr %p, ptr %q, <4 x i1> %m) {
  %v = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 4 %p, <4 x i1> %m, <4 x i32> splat (i32 -1))
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %v, ptr align 4 %q, <4 x i1> <i1 true, i1 true, i1 true, i1 false>)
  ret void
}

define void @g(ptr %p, ptr %q, <4 x i1> %m) {
  %v = call <4 x i32> @llvm.masked.expandload.v4i32.p0(ptr %p, <4 x i1> %m, <4 x i32> zeroinitializer)
  %w = add <4 x i32> %v, splat (i32 1)
  call void @llvm.masked.compressstore.v4i32.p0(<4 x i32> %w, ptr %q, <4 x i1> %m)
  ret void
}
"""
    source, target = np.array([5, 6], np.int32), np.zeros(3, np.int32)
    run(text, "f", source, target, [0, 1, 0, 0])
    assert target.tolist() == [-1, 6, -1]
    run(text, "g", source, target, [0, 1, 0, 1])
    assert target.tolist() == [6, 7, -1]
    with pytest.raises(ExecutionError, match="bytes 8 to 12"):
        run(text, "f", source, target, [0, 1, 1, 0])


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("i32 @llvm.ctpop.i32(i32 255)", 8),
        ("i32 @llvm.ctlz.i32(i32 1, i1 false)", 31),
        ("i32 @llvm.cttz.i32(i32 0, i1 false)", 32),
        ("i32 @llvm.cttz.i32(i32 0, i1 true)", None),
        ("i32 @llvm.bswap.i32(i32 287454020)", 0x44332211),
        ("i8 @llvm.bitreverse.i8(i8 3)", 0xC0),
        ("i8 @llvm.fshl.i8(i8 -127, i8 -127, i8 1)", 3),
        ("i8 @llvm.fshr.i8(i8 1, i8 -128, i8 9)", 0xC0),
        ("i8 @llvm.sadd.sat.i8(i8 100, i8 100)", 127),
        ("i8 @llvm.ssub.sat.i8(i8 -100, i8 100)", 128),
        ("i8 @llvm.uadd.sat.i8(i8 -56, i8 100)", 255),
        ("i8 @llvm.usub.sat.i8(i8 5, i8 6)", 0),
        ("i8 @llvm.smax.i8(i8 -1, i8 1)", 1),
        ("i8 @llvm.umax.i8(i8 -1, i8 1)", 255),
        ("i8 @llvm.abs.i8(i8 -5, i1 false)", 5),
        ("i8 @llvm.abs.i8(i8 -128, i1 true)", None),
        ("i8 @llvm.scmp.i8.i8(i8 -3, i8 2)", 255),
        ("i32 @llvm.vector.reduce.add.v4i32(<4 x i32> <i32 1, i32 2, i32 3, i32 4>)", 10),
        ("i32 @llvm.vector.reduce.smin.v4i32(<4 x i32> <i32 1, i32 -2, i32 3, i32 4>)", 2**32 - 2),
        ("i1 @llvm.vector.reduce.or.v4i1(<4 x i1> <i1 false, i1 true, i1 false, i1 false>)", 1),
        ("float @llvm.vector.reduce.fadd.v2f32(float 1.0, <2 x float> <float 2.0, float 4.0>)", 7.0),
        ("float @llvm.vector.reduce.fmax.v2f32(<2 x float> <float 2.0, float 4.0>)", 4.0),
        ("float @llvm.sqrt.f32(float 2.0)", float(np.sqrt(np.float32(2)))),
        ("double @llvm.rint.f64(double 2.5)", 2.0),
        ("double @llvm.round.f64(double 2.5)", 3.0),
        ("float @llvm.floor.f32(float -1.5)", -2.0),
        ("float @llvm.copysign.f32(float 2.0, float -0.0)", -2.0),
        ("float @llvm.minnum.f32(float 0x7FF8000000000000, float 1.0)", 1.0),
        ("i32 @llvm.fptosi.sat.i32.f32(float 1.0e+20)", 2**31 - 1),
        ("double @llvm.fma.f64(double 3.0, double 4.0, double 5.0)", 17.0),
    ],
)
def test_intrinsics(call: str, expected: object) -> None:
    assert expression(call.split(" ")[0], f"  %r = call {call}") == expected


def test_overflow_intrinsics_return_value_and_flag() -> None:
    body = "  %p = call { i8, i1 } @llvm.{}.with.overflow.i8(i8 %a, i8 %b)\n  %r = extractvalue {{ i8, i1 }} %p, 1"
    assert expression("i1", body.replace("{}", "sadd").replace("{{", "{").replace("}}", "}"), "i8 %a, i8 %b", 100, 28) == 1
    assert expression("i1", body.replace("{}", "uadd").replace("{{", "{").replace("}}", "}"), "i8 %a, i8 %b", 100, 28) == 0


def test_a_fused_multiply_add_rounds_once() -> None:
    body = "  %r = call float @llvm.fma.f32(float %a, float %b, float %c)"
    for a, b, c in np.random.default_rng(5).standard_normal((200, 3)).astype(np.float32):
        exact = np.longdouble(a) * np.longdouble(b) + np.longdouble(c)
        assert expression("float", body, "float %a, float %b, float %c", a, b, c) == float(np.float32(exact))


def test_single_and_half_results_are_rounded_to_their_type() -> None:
    values = np.random.default_rng(1).standard_normal((50, 2))
    for a, b in values:
        for type_name, dtype in (("float", np.float32), ("half", np.float16)):
            x, y = dtype(a), dtype(b)
            for operation, expected in (("fadd", x + y), ("fsub", x - y), ("fmul", x * y), ("fdiv", x / y)):
                body = f"  %r = {operation} {type_name} %a, %b"
                assert expression(type_name, body, f"{type_name} %a, {type_name} %b", x, y) == float(expected)


def test_wide_integers_become_floats_with_one_rounding() -> None:
    values = [2**24 + 1, 2**53 + 1, 2**62 + 2**38, 2**62 + 2**38 + 1, -(2**62) - 2**38 - 1, 2**64 - 1]
    for value in values:
        unsigned = value % 2**64
        signed = unsigned - 2**64 if unsigned >= 2**63 else unsigned
        assert expression("float", "  %r = sitofp i64 %a to float", "i64 %a", value) == float(np.float32(np.int64(signed)))
        assert expression("float", "  %r = uitofp i64 %a to float", "i64 %a", value) == float(np.float32(np.uint64(unsigned)))


def test_floats_outside_the_range_of_an_integer_convert_to_poison() -> None:
    for value, expected in ((2147483000.0, 2147483008), (3e9, None), (math.nan, None), (-math.inf, None)):
        assert expression("i32", "  %r = fptosi float %a to i32", "float %a", value) == expected


@pytest.mark.parametrize(
    "predicate", ["oeq", "one", "olt", "ole", "ogt", "oge", "ord", "ueq", "une", "ult", "ule", "ugt", "uge", "uno"]
)
def test_float_comparisons(predicate: str) -> None:
    values = [-1.0, 0.0, 2.0, math.nan]
    orders = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
    for a in values:
        for b in values:
            unordered = math.isnan(a) or math.isnan(b)
            if predicate in ("ord", "uno"):
                expected = unordered == (predicate == "uno")
            elif unordered:
                expected = predicate[0] == "u"
            else:
                expected = bool(eval(f"a {orders[predicate[1:]]} b"))
            assert expression("i1", f"  %r = fcmp {predicate} float %a, %b", "float %a, float %b", a, b) == int(expected)


def test_masks_and_integers_are_bitcast_with_lane_0_lowest() -> None:
    assert expression("i8", "  %r = bitcast <8 x i1> %m to i8", "<8 x i1> %m", [1, 0, 0, 0, 0, 0, 1, 0]) == 0x41
    assert expression("<8 x i1>", "  %r = bitcast i8 %a to <8 x i1>", "i8 %a", 0x41) == [1, 0, 0, 0, 0, 0, 1, 0]
    assert expression("<2 x i16>", "  %r = bitcast <4 x i8> %a to <2 x i16>", "<4 x i8> %a", [1, 2, 3, None]) == [0x0201, None]
    assert expression("i32", "  %r = bitcast float %a to i32", "float %a", -2.0) == 0xC0000000


def test_shuffles_insertions_and_extractions() -> None:
    body = """  %s = shufflevector <4 x i32> %a, <4 x i32> %b, <3 x i32> <i32 0, i32 7, i32 poison>
  %i = insertelement <3 x i32> %s, i32 9, i64 2
  %x = extractelement <3 x i32> %i, i64 1
  %r = insertelement <3 x i32> %i, i32 %x, i32 0"""
    assert expression("<3 x i32>", body, "<4 x i32> %a, <4 x i32> %b", [1, 2, 3, 4], [5, 6, 7, 8]) == [8, 8, 9]


def test_aggregates_and_globals() -> None:
    text = """
%S = type { i8, [2 x float], ptr }

@word = private constant [3 x i8] c"a\\0Ab"
@s = internal global %S { i8 3, [2 x float] [float 1.0, float 2.5], ptr getelementptr (i8, ptr @word, i64 1) }, align 8
@zeros = global [4 x <4 x i32>] zeroinitializer

define float @f(i32 %k) {
  %q = getelementptr inbounds %S, ptr @s, i64 0, i32 1, i32 %k
  %v = load float, ptr %q, align 4
  ret float %v
}

define i8 @g() {
  %s = load %S, ptr @s, align 8
  %p = extractvalue %S %s, 2
  %b = load i8, ptr %p, align 1
  ret i8 %b
}

define [2 x float] @h() {
  %s = load %S, ptr @s, align 8
  %t = insertvalue %S %s, float 7.0, 1, 0
  %a = extractvalue %S %t, 1
  ret [2 x float] %a
}
"""
    assert run(text, "f", 1) == 2.5
    assert run(text, "g") == 10
    assert run(text, "h") == [7.0, 2.5]


def test_calls_direct_indirect_recursive_and_external() -> None:
    text = """
declare i32 @outside(i32)

define i32 @factorial(i32 %n) {
entry:
  %small = icmp ult i32 %n, 2
  br i1 %small, label %one, label %more

one:
  ret i32 1

more:
  %m = add i32 %n, -1
  %r = call i32 @factorial(i32 %m)
  %p = mul i32 %r, %n
  ret i32 %p
}

define i32 @f(i32 %n) {
  %p = select i1 true, ptr @factorial, ptr null
  %r = call i32 %p(i32 %n)
  %s = call i32 @outside(i32 %r)
  ret i32 %s
}
"""
    machine = IRInterpreter(read(text), externals={"outside": lambda machine, arguments: arguments[0] + 1})
    assert machine.call("f", [6]) == 721


def test_atomics_return_the_old_value() -> None:
    text = """
define i32 @f(ptr %p) {
  %a = atomicrmw add ptr %p, i32 5 seq_cst, align 4
  %b = atomicrmw umax ptr %p, i32 100 seq_cst, align 4
  %c = cmpxchg ptr %p, i32 100, i32 7 seq_cst seq_cst, align 4
  %d = extractvalue { i32, i1 } %c, 0
  %s = add i32 %a, %b
  %t = add i32 %s, %d
  ret i32 %t
}
"""
    cell = np.array([10], np.int32)
    assert run(text, "f", cell) == 10 + 15 + 100
    assert cell[0] == 7


def test_switch_and_memory_intrinsics() -> None:
    text = """
define i32 @f(ptr %p, ptr %q, i32 %k) {
entry:
  call void @llvm.memset.p0.i64(ptr %p, i8 1, i64 8, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %p, i64 4, i1 false)
  switch i32 %k, label %other [
    i32 1, label %one
    i32 -2, label %two
  ]

one:
  ret i32 10

two:
  ret i32 20

other:
  ret i32 30
}
"""
    p, q = np.zeros(4, np.int32), np.zeros(2, np.int32)
    assert [run(text, "f", p, q, k) for k in (1, -2, 3)] == [10, 20, 30]
    assert p.tolist() == [0x01010101] * 2 + [0, 0] and q.tolist() == [0x01010101, 0]
    table = text[text.index("[") : text.index("]")]
    in_one_line = text.replace(table, " ".join(table.split()))
    assert in_one_line.count("label %one i32 -2") == 1
    assert [run(in_one_line, "f", p, q, k) for k in (1, -2, 3)] == [10, 20, 30]


def test_functions_of_the_c_library() -> None:
    text = """
@format = private constant [18 x i8] c"%d %u %lld %f %s|\\00"
@word = private constant [4 x i8] c"abc\\00"

define i32 @f(ptr %p, ptr %q) {
  %n = call i32 (ptr, i64, ptr, ...) @snprintf(ptr %p, i64 6, ptr @format, i64 -1, i32 -1, i64 -1, double 1.5, ptr @word)
  %m = call i32 (ptr, ...) @printf(ptr @word)
  %s = call i32 @posix_memalign(ptr %q, i64 64, i64 4)
  %r = load ptr, ptr %q, align 8
  store i32 %n, ptr %r, align 4
  %v = load i32, ptr %r, align 64
  call void @free(ptr %r)
  store ptr null, ptr %q, align 8
  ret i32 %v
}
"""
    machine = IRInterpreter(read(text))
    room = np.full(8, 7, np.uint8)
    full = "-1 4294967295 -1 1.500000 abc|"
    assert machine.call("f", [room, np.zeros(1, np.int64)]) == len(full)
    assert bytes(room) == full[:5].encode() + b"\0\7\7"
    assert machine.printed == ["abc"]


def test_freed_memory_is_no_object_any_more() -> None:
    text = """
define void @f() {
  %p = call ptr @malloc(i64 8)
  call void @free(ptr %p)
  call void @free(ptr %p)
  ret void
}
"""
    with pytest.raises(ExecutionError, match="freed already"):
        run(text, "f")


def test_permutes_and_estimates_of_x86() -> None:
    body = "  %r = call <8 x i32> @llvm.x86.avx2.permd(<8 x i32> %a, <8 x i32> %b)"
    values = [10, 11, 12, 13, 14, 15, 16, 17]
    assert expression("<8 x i32>", body, "<8 x i32> %a, <8 x i32> %b", values, [7, 6, 5, 4, 3, 2, 1, 8]) == [*values[:0:-1], 10]
    body = "  %r = call <4 x double> @llvm.x86.avx.vpermilvar.pd.256(<4 x double> %a, <4 x i64> %b)"
    # Within each 16 bytes, by the second bit.
    given, chosen = [1.0, 2.0, 3.0, 4.0], [2, 1, 1, -2]
    assert expression("<4 x double>", body, "<4 x double> %a, <4 x i64> %b", given, chosen) == [2, 1, 3, 4]
    body = "  %r = call <8 x float> @llvm.x86.avx.vpermilvar.ps.256(<8 x float> %a, <8 x i32> %b)"
    floats = [float(value) for value in values]
    expected = [13, 12, 11, 10, 14, 15, 14, 17]
    assert expression("<8 x float>", body, "<8 x float> %a, <8 x i32> %b", floats, [3, 2, 1, 4, 0, 5, 8, -1]) == expected
    body = "  %r = call <4 x float> @llvm.x86.sse.rcp.ps(<4 x float> %a)"
    assert expression("<4 x float>", body, "<4 x float> %a", [2.0, 4.0, -0.5, 0.0]) == [0.5, 0.25, -2.0, math.inf]


@pytest.mark.parametrize("name", ["ssse3.pmul.hr.sw.128", "avx2.pmul.hr.sw", "avx512.pmul.hr.sw.512"])
def test_rounded_high_products_of_x86(name: str) -> None:
    """``pmulhrsw``: a * b / 2^15, halves up, in 16 bits; by hand."""
    first = [0x4000, 0x8000, 1, 1, 0xFFFF, 0xFFFF, 0x7FFF, 3]
    second = [0x4000, 0x8000, 0x4000, 0x3FFF, 0x4000, 0x4001, 0x8000, 0x6000]
    expected = [0x2000, -0x8000, 1, 0, 0, -1, -0x7FFF, 2]
    copies = {"128": 1, "512": 4}.get(name[-3:], 2)
    kind = f"<{8 * copies} x i16>"
    body = f"  %r = call {kind} @llvm.x86.{name}({kind} %a, {kind} %b)"
    found = expression(kind, body, f"{kind} %a, {kind} %b", first * copies, second * copies)
    assert found == [each & 0xFFFF for each in expected] * copies


def test_constant_addresses_of_several_lanes() -> None:
    text = """
@g = internal constant [4 x i32] [i32 5, i32 6, i32 7, i32 8]

define <2 x i32> @f() {
  %p = freeze <2 x ptr> getelementptr (i32, ptr @g, <2 x i64> <i64 3, i64 1>)
  %r = call <2 x i32> @volta.gather.v2i32(<2 x ptr> %p, <2 x i1> splat (i1 true))
  ret <2 x i32> %r
}
"""
    assert run(text, "f") == [8, 6]


def test_constant_lanes_as_one_number() -> None:
    """As LLVM writes what is stored of addresses that are known."""
    text = """
@g = internal constant [4 x i32] [i32 5, i32 6, i32 7, i32 8]

define i64 @f() {
  %p = alloca [2 x i64], align 16
  store i128 bitcast (<2 x i64> <i64 ptrtoint (ptr getelementptr (i8, ptr @g, i64 8) to i64), i64 3> to i128), ptr %p, align 16
  %first = load ptr, ptr %p, align 8
  %value = load i32, ptr %first, align 4
  %wide = zext i32 %value to i64
  %at = getelementptr i64, ptr %p, i64 1
  %second = load i64, ptr %at, align 8
  %sum = add i64 %wide, %second
  ret i64 %sum
}
"""
    assert run(text, "f") == 7 + 3
