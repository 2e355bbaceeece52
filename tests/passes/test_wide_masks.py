"""Masks that cross blocks are carried as whole lanes; the meaning stays."""

import random
import re

import llvmlite.binding as llvm
import numpy as np
import pytest

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.ir.verify import verify
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.passes.masks.wide_masks import keep_masks_wide
from voltac.target_info import find_target

AVX2 = Options(find_target("avx2-i32x8"))

CROSSING = """
define void @f(ptr %a, i32 %n) {
entry:
  %x = load <8 x float>, ptr %a, align 4
  %m = fcmp ogt <8 x float> %x, zeroinitializer
  %go = icmp sgt i32 %n, 0
  br i1 %go, label %loop, label %done

loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %live = phi <8 x i1> [ <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false>, %entry ], [ %still, %loop ]
  %y = phi <8 x float> [ %x, %entry ], [ %z, %loop ]
  %sum = fadd <8 x float> %y, splat (float 1.000000e+00)
  %both = and <8 x i1> %live, %m
  %z = select <8 x i1> %both, <8 x float> %sum, <8 x float> %y
  %small = fcmp olt <8 x float> %z, splat (float 4.000000e+00)
  %still = and <8 x i1> %live, %small
  %next = add i32 %k, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done

done:
  %r = phi <8 x float> [ %x, %entry ], [ %z, %loop ]
  %end = phi <8 x i1> [ zeroinitializer, %entry ], [ %still, %loop ]
  %s = select <8 x i1> %m, <8 x float> %r, <8 x float> splat (float -1.000000e+00)
  %t = select <8 x i1> %end, <8 x float> splat (float 9.000000e+00), <8 x float> %s
  store <8 x float> %t, ptr %a, align 4
  ret void
}
"""


def run(text: str, n: int) -> list[float]:
    values = np.array([-2, -1, 0, 1, 2, 3, 4, 5], np.float32)
    IRInterpreter(read(text)).call("f", [values, n])
    return [float(value) for value in values]


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_the_result_is_the_same(n: int) -> None:
    widened = keep_masks_wide(CROSSING, AVX2)
    assert run(widened, n) == run(CROSSING, n)


def test_no_mask_of_bits_crosses_a_block() -> None:
    widened = read(keep_masks_wide(CROSSING, AVX2))
    verify(widened)
    blocks = widened.functions[0].blocks
    for block in blocks:
        masks = {instruction.name for instruction in block.instructions if instruction.type == "<8 x i1>"}
        assert not [phi for phi in block.phis() if phi.type == "<8 x i1>"]
        for other in blocks:
            if other is not block:
                assert not [line for line in other.instructions if masks & set(line.names_used())]


def test_functions_that_are_seldom_called_are_left_alone() -> None:
    seldom = CROSSING.replace("@f(", "@f.some_on(")
    assert keep_masks_wide(seldom, AVX2) == seldom
    assert keep_masks_wide(CROSSING + seldom, AVX2) == keep_masks_wide(CROSSING, AVX2) + seldom


def test_targets_with_mask_registers_are_left_alone() -> None:
    assert keep_masks_wide(CROSSING, Options(find_target("avx512skx-x8"))) == CROSSING


def test_branches_under_masks_pack_and_unpack_nothing() -> None:
    source = """
    export void f(uniform float a[], uniform float b[], uniform int n) {
        foreach (i = 0 ... n) {
            float x = a[i];
            if (x > 0) { for (uniform int k = 0; k < n; k++) x += b[k] * x; }
            else { for (uniform int k = 0; k < n; k++) x -= b[k] * x; }
            a[i] = x;
        }
    }"""
    compilation = compile_source(source, "f.ispc", AVX2, Diagnostics())
    assert not re.search(r"vpackss|vpmov[sz]x", compilation.optimized.assembly())


def test_a_condition_within_another_is_joined_to_its_lanes() -> None:
    """The signs of the outer one are not asked for before: LLVM would compare for them."""
    source = """export void f(uniform float a[], uniform float b[], uniform int n) {
        foreach (i = 0 ... n) {
            float x = a[i];
            if (x > 0) {
                float y = sqrt(x) / (x + 3);
                if (y < b[i]) b[i] = x / (y + 1) + y / (x + 2);
            }
        }
    }"""
    late = compile_source(source, "f.ispc", AVX2, Diagnostics()).optimized.text()
    whole = late.partition(".all_on.if.then:")[2].partition("\n\n")[0]
    assert re.search(r"= and <8 x i32> %\S+wide, %\S+wide", whole) and "= and <8 x i1>" not in whole


def inner_loops(source: str, target: str) -> list[str]:
    """The assembly of the loops that no loop is in."""
    compilation = compile_source(source, "f.ispc", Options(find_target(target)), Diagnostics())
    lines = compilation.optimized.assembly().splitlines()
    labels = {line[:-1]: number for number, line in enumerate(lines) if line.startswith(".LBB")}
    jumps = [(labels[line.split()[-1]], number) for number, line in enumerate(lines) if re.match(r"\tj\w+\t\.LBB", line)]
    loops = [(begin, end) for begin, end in jumps if begin < end and "\tretq" not in lines[begin:end]]
    inner = [loop for loop in loops if not any(loop[0] < each[0] and each[1] < loop[1] for each in loops)]
    return ["\n".join(lines[begin : end + 1]) for begin, end in inner]


SMALLER = """
export void f(uniform TYPE a[], uniform TYPE b[], uniform int n) {
    foreach (i = 0 ... n) {
        TYPE x = a[i], y = b[i];
        while (x != y) {
            if (x > y) x -= y;
            else y -= x;
        }
        a[i] = x;
    }
}"""


@pytest.mark.parametrize(
    ("kind", "target"),
    [("int", "avx2-i32x16"), ("float", "avx2-i32x16"), ("int64", "avx2-i32x8"), ("double", "avx2-i32x8"), ("int", "sse4-i32x8"),
     ("int64", "avx2-i32x16"), ("int64", "sse4-i32x4")],
)  # fmt: skip
def test_masks_of_several_registers_are_not_packed_in_a_loop(kind: str, target: str) -> None:
    loops = inner_loops(SMALLER.replace("TYPE", kind), target)
    assert loops
    for loop in loops:
        assert not re.search(r"pack[su]s|pmov[sz]x|punpck|pshufb", loop), loop


LANES_THAT_ARE_MASKS = """
define void @f(ptr %a, i32 %n) {
entry:
  %x = load <8 x double>, ptr %a, align 8
  %m = fcmp ogt <8 x double> %x, zeroinitializer
  %lanes = sext <8 x i1> %m to <8 x i32>
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %live = phi <8 x i32> [ %lanes, %entry ], [ %still, %loop ]
  %count = phi <8 x i32> [ zeroinitializer, %entry ], [ %counted, %loop ]
  %y = phi <8 x double> [ %x, %entry ], [ %z, %loop ]
  %off = icmp sgt <8 x i32> %live, splat (i32 -1)
  %half = fmul <8 x double> %y, splat (double 5.000000e-01)
  %z = select <8 x i1> %off, <8 x double> %y, <8 x double> %half
  %large = fcmp ogt <8 x double> %z, splat (double 1.000000e+00)
  %still = select <8 x i1> %large, <8 x i32> %live, <8 x i32> zeroinitializer
  %counted = sub <8 x i32> %count, %live
  %next = add i32 %k, 1
  %on = icmp slt <8 x i32> %still, zeroinitializer
  %bits = bitcast <8 x i1> %on to i8
  %none = icmp eq i8 %bits, 0
  br i1 %none, label %done, label %loop

done:
  %counts = sitofp <8 x i32> %counted to <8 x double>
  %result = fadd <8 x double> %z, %counts
  store <8 x double> %result, ptr %a, align 8
  ret void
}
"""


def test_lanes_that_are_masks_are_carried_as_masks_of_the_width_of_what_they_select() -> None:
    widened = keep_masks_wide(LANES_THAT_ARE_MASKS, AVX2)
    verify(read(widened))
    assert re.search(r"phi <8 x i64>", widened) and not re.search(r"phi <8 x i1>", widened)
    # Halved until it is 1 at most, counted; what is not above 0 is halved never, and counted never.
    values = np.array([-2, 0, 0.5, 1, 2, 3, 8, 100], np.float64)
    IRInterpreter(read(widened)).call("f", [values, 0])
    assert values.tolist() == [-2, 0, 0.25 + 1, 0.5 + 1, 1 + 1, 0.75 + 2, 1 + 3, 100 / 128 + 7]


@pytest.mark.parametrize("seed", range(60))
def test_random_masks_mean_the_same(seed: int) -> None:
    numbers = random.Random(seed)
    width, target = numbers.choice([(8, "avx2-i32x8"), (16, "avx2-i32x16"), (8, "sse4-i32x8"), (4, "sse4-i32x4")])
    text = random_masks(numbers, width)
    widened = keep_masks_wide(text, Options(find_target(target)))
    verify(read(widened))
    results = []
    for each in (text, widened):
        given = np.random.default_rng(seed).integers(-3, 4, 4 * width).astype(np.int64)
        IRInterpreter(read(each)).call("f", [given])
        results.append(given.tolist())
    assert results[0] == results[1]


def random_masks(numbers: random.Random, width: int) -> str:
    """A loop that carries masks and lanes of several types, joins and tests them, and stores what they select."""
    types = {kind: f"<{width} x {kind}>" for kind in ("i1", "i8", "i16", "i32", "i64", "float", "double")}
    known: dict[str, list[str]] = {kind: [] for kind in types}
    lines: list[str] = []

    def make(kind: str, text: str) -> str:
        name = f"%x{len(lines)}"
        lines.append(f"  {name} = {text}")
        known[kind].append(name)
        return name

    def some(kind: str) -> str:
        constants = {"i1": ["splat (i1 true)", "zeroinitializer"]}.get(kind, ["zeroinitializer"])
        return numbers.choice(known[kind] or constants) if numbers.random() < 0.9 else numbers.choice(constants)

    def step() -> None:
        kind = numbers.choice(["i8", "i16", "i32", "i32", "i64", "float", "double"])
        what = numbers.randrange(8)
        if what < 2:
            compare = (
                f"fcmp {numbers.choice(['olt', 'une'])}"
                if kind in ("float", "double")
                else f"icmp {numbers.choice(['slt', 'eq', 'sgt'])}"
            )
            make("i1", f"{compare} {types[kind]} {some(kind)}, {some(kind)}")
        elif what == 2:
            make("i1", f"{numbers.choice(['and', 'or', 'xor'])} {types['i1']} {some('i1')}, {some('i1')}")
        elif what == 3:
            make("i1", f"select {types['i1']} {some('i1')}, {types['i1']} {some('i1')}, {types['i1']} {some('i1')}")
        elif what == 4 and kind[0] == "i":
            make(kind, f"{numbers.choice(['sext', 'zext'])} {types['i1']} {some('i1')} to {types[kind]}")
        elif what == 5 and kind[0] == "i":
            make("i1", f"trunc {types[kind]} {some(kind)} to {types['i1']}")
        else:
            make(kind, f"select {types['i1']} {some('i1')}, {types[kind]} {some(kind)}, {types[kind]} {some(kind)}")

    loaded = ["i64", "i32", "i16", "double"]
    for number, kind in enumerate(loaded):
        lines.append(f"  %p{number} = getelementptr i64, ptr %a, i64 {number * width}")
        whole = make("i64", f"load {types['i64']}, ptr %p{number}, align 8")
        if kind == "double":
            make(kind, f"sitofp {types['i64']} {whole} to {types[kind]}")
        elif kind != "i64":
            make(kind, f"trunc {types['i64']} {whole} to {types[kind]}")
    for _ in range(8):
        step()
    first, lines = lines, []
    begun = {kind: list(names) for kind, names in known.items()}
    phis = {}
    for number, kind in enumerate(("i1", "i1", "i32", "i64")):
        phis[f"%carried{number}"] = kind, numbers.choice(begun[kind] or ["zeroinitializer"])
        known[kind].append(f"%carried{number}")
    lines = [""] * len(first)  # names go on
    for _ in range(16):
        step()
    body = [line for line in lines if line]
    ends = {name: numbers.choice(known[kind]) for name, (kind, _) in phis.items()}
    heads = [
        f"  {name} = phi {types[kind]} [ {start}, %entry ], [ {ends[name]}, %loop ]" for name, (kind, start) in phis.items()
    ]
    out = []
    for number, kind in enumerate(("i64", "i32", "i1")):
        value = numbers.choice(known[kind])
        wide = value if kind == "i64" else f"%out{number}"
        out += [f"  %out{number} = sext {types[kind]} {value} to {types['i64']}"] if kind != "i64" else []
        out.append(f"  store {types['i64']} {wide}, ptr %p{number}, align 8")
    tested = numbers.choice(known["i1"])
    test, limit = numbers.choice([("eq", 0), ("ne", 0), ("eq", -1), ("ne", -1)])
    return "\n".join([
        "define void @f(ptr %a) {", "entry:", *first, "  br label %loop", "", "loop:",
        "  %k = phi i32 [ 0, %entry ], [ %next, %loop ]", *heads, *body,
        f"  %bits = bitcast {types['i1']} {tested} to i{width}",
        f"  %stop = icmp {test} i{width} %bits, {limit}",
        "  %next = add i32 %k, 1", "  %last = icmp sgt i32 %next, 4", "  %end = or i1 %stop, %last",
        "  br i1 %end, label %done, label %loop", "", "done:", *out, "  ret void", "}", "",
    ])  # fmt: skip


def test_a_mask_without_a_name_is_read_in_the_order_of_numbers() -> None:
    """LLVM wants the numbers of values to go up; the mask of a phi is read behind the value that follows it."""
    text = """
define void @f(ptr %0, i32 %n) {
entry:
  %1 = load <8 x float>, ptr %0, align 4
  %go = icmp sgt i32 %n, 0
  br i1 %go, label %some, label %done

some:
  %some.mask = fcmp ogt <8 x float> %1, zeroinitializer
  br label %done

done:
  %2 = phi <8 x i1> [ zeroinitializer, %entry ], [ %some.mask, %some ]
  %3 = fadd <8 x float> %1, %1
  %4 = select <8 x i1> %2, <8 x float> %3, <8 x float> splat (float -1.000000e+00)
  store <8 x float> %4, ptr %0, align 4
  ret void
}
"""
    widened = keep_masks_wide(text, AVX2)
    llvm.parse_assembly(widened)
    assert run(widened, 0) == [-1] * 8
    assert run(widened, 1) == [-1, -1, -1, 2, 4, 6, 8, 10]


def test_lanes_that_are_a_mask_may_be_made_narrower_as_numbers() -> None:
    """-1 and 0 of 32 bits are that in 8 bits; only in one bit they are the mask."""
    text = """
define void @f(ptr %out, i32 %n) {
entry:
  %v = load <16 x float>, ptr %out, align 4
  %m = fcmp ogt <16 x float> %v, splat (float 5.000000e+00)
  %lanes = sext <16 x i1> %m to <16 x i32>
  %go = icmp sgt i32 %n, 0
  br i1 %go, label %some, label %done

some:
  br label %done

done:
  %kept = phi <16 x i32> [ zeroinitializer, %entry ], [ %lanes, %some ]
  %bytes = trunc <16 x i32> %kept to <16 x i8>
  %on = icmp slt <16 x i32> %kept, zeroinitializer
  %sum = add <16 x i8> %bytes, splat (i8 3)
  %numbers = sitofp <16 x i8> %sum to <16 x float>
  %chosen = select <16 x i1> %on, <16 x float> %numbers, <16 x float> splat (float -1.000000e+00)
  store <16 x float> %chosen, ptr %out, align 4
  ret void
}
"""
    widened = keep_masks_wide(text, Options(find_target("avx2-i32x16")))
    assert widened != text
    llvm.parse_assembly(widened)
    for n in (0, 1):
        values = np.arange(16, dtype=np.float32)
        IRInterpreter(read(widened), new_is_poison=False).call("f", [values, n])
        assert values.tolist() == [2 if n and k > 5 else -1 for k in range(16)]
