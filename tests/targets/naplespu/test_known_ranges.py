"""Integers of known size become floats by one instruction of the core, which is wrong for others (NaplesPU 7): what is
claimed of sizes, by hand and on random expressions, and what code it makes."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import voltac
from voltac.codegen.legalize.known_ranges import KnownRanges
from voltac.ir.parts import Operand
from voltac.ir.read import read

WHOLE = (-(1 << 31), (1 << 31) - 1)


def ranges_of(body: str) -> KnownRanges:
    return KnownRanges(read(f"define i32 @f(i32 %a, i8 %b, i1 %c, float %x, i64 %w) {{\n{body}}}\n").functions[0])


@pytest.mark.parametrize(
    ("lines", "type", "wanted"),
    [
        ("%r = zext i8 %b to i32", "i32", (0, 255)),
        ("%r = sext i8 %b to i32", "i32", (-128, 127)),
        ("%r = sext i1 %c to i32", "i32", (-1, 0)),
        ("%r = and i32 %a, 65535", "i32", (0, 65535)),
        ("%r = and i32 %a, -65536", "i32", WHOLE),
        ("%r = lshr i32 %a, 8", "i32", (0, (1 << 24) - 1)),
        ("%r = ashr i32 %a, 8", "i32", (-(1 << 23), (1 << 23) - 1)),
        ("%r = lshr i32 %a, %a", "i32", WHOLE),
        ("%r = sdiv i32 %a, 1000", "i32", (-2147483, 2147483)),
        ("%r = udiv i32 %a, 1000", "i32", (0, 4294967)),
        ("%r = urem i32 %a, 1000", "i32", (0, 999)),
        ("%r = srem i32 %a, 1000", "i32", (-999, 999)),
        ("%s = and i32 %a, 7\n %r = add i32 %s, 2147483647", "i32", WHOLE),
        ("%s = and i32 %a, 7\n %r = add nsw i32 %s, 2147483647", "i32", (2147483647, 2147483647)),
        ("%s = zext i8 %b to i32\n %r = mul i32 %s, -3", "i32", (-765, 0)),
        ("%s = and i32 %a, 255\n %r = trunc i32 %s to i8", "i8", (-128, 127)),
        ("%s = and i32 %a, 127\n %r = trunc i32 %s to i8", "i8", (0, 127)),
        ("%r = and i64 %w, -2", "i64", (-(1 << 63), (1 << 63) - 1)),
        ("%r = lshr i64 %w, 60", "i64", (0, 15)),
        ("%r = select i1 %c, i32 -5, i32 9", "i32", (-5, 9)),
        ("%r = freeze i32 poison", "i32", WHOLE),
        ("%r = call i32 @llvm.smin.i32(i32 %a, i32 4)", "i32", (WHOLE[0], 4)),
        ("%r = call i32 @llvm.umin.i32(i32 %a, i32 4)", "i32", WHOLE),
        ("%r = call i32 @llvm.ctpop.i32(i32 %a)", "i32", (0, 32)),
        ("%s = insertelement <4 x i32> poison, i32 3, i32 0\n"
         " %t = shufflevector <4 x i32> %s, <4 x i32> poison, <4 x i32> zeroinitializer\n"
         " %r = or <4 x i32> %t, <i32 0, i32 8, i32 16, i32 24>", "<4 x i32>", (0, 31)),
    ],
)  # fmt: skip
def test_sizes_of_results(lines: str, type: str, wanted: tuple[int, int]) -> None:
    assert ranges_of(f" {lines}\n ret i32 0\n").of(Operand(type, "%r")) == wanted


@pytest.mark.parametrize(
    ("start", "add", "test", "wanted"),
    [
        ("0", "add i32 %i, 1", "icmp slt i32 %n, 100", (0, 99)),
        ("0", "add i32 %i, 16", "icmp ult i32 %n, 100", (0, 99)),
        ("-8", "add i32 %i, 1", "icmp sle i32 %n, 100", (-8, 100)),
        ("-8", "add i32 %i, 1", "icmp ult i32 %n, 100", WHOLE),
        ("200", "add i32 %i, 1", "icmp slt i32 %n, 100", (200, 200)),
        ("0", "add i32 %i, 4", "icmp ne i32 %n, 100", (0, 96)),
        ("0", "add i32 %i, 3", "icmp ne i32 %n, 100", WHOLE),
        ("100", "add i32 %i, 1", "icmp ne i32 %n, 100", WHOLE),
        ("0", "add i32 %i, 1", "icmp slt i32 %n, %a", (0, WHOLE[1] - 1)),
        ("0", "add i32 %i, 2", "icmp slt i32 %n, %a", WHOLE),
        ("0", "add nsw i32 %i, 2", "icmp slt i32 %n, %a", (0, WHOLE[1] - 1)),
        ("0", "add i32 %i, 2", "icmp sle i32 %n, 2147483646", WHOLE),
        ("%a", "add i32 %i, 1", "icmp slt i32 %n, 100", WHOLE),
        ("0", "add i32 %i, -1", "icmp slt i32 %n, 100", WHOLE),
        ("0", "add i32 %i, 1", "icmp sgt i32 %n, 100", WHOLE),
    ],
)
@pytest.mark.parametrize("is_turned", [False, True])
def test_sizes_of_counters(start: str, add: str, test: str, wanted: tuple[int, int], is_turned: bool) -> None:
    if is_turned:
        pairs = {"slt": "sge", "sle": "sgt", "ult": "uge", "ne": "eq", "sgt": "sle"}
        predicate = test.split()[1]
        test = test.replace(predicate, pairs[predicate])
    labels = "label %done, label %loop" if is_turned else "label %loop, label %done"
    body = f"entry:\n br label %loop\nloop:\n %i = phi i32 [ {start}, %entry ], [ %n, %loop ]\n %n = {add}\n"
    found = ranges_of(f"{body} %t = {test}\n br i1 %t, {labels}\ndone:\n ret i32 %i\n")
    assert found.of(Operand("i32", "%i")) == wanted


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        ("%r = and i32 %a, 16777215", True),
        ("%r = and i32 %a, 33554431", False),
        ("%r = and i32 %a, -256", True),
        ("%r = and i32 %a, -128", False),
        ("%r = shl i32 %a, 8", True),
        ("%s = shl i32 %a, 3\n %r = mul i32 %s, 96", True),
        ("%s = shl i32 %a, 8\n %r = or i32 %s, 1", False),
        ("%r = fptosi float %x to i32", True),
        ("%s = fptosi float %x to i32\n %r = add i32 %s, 1", False),
        ("%s = fptosi float %x to i32\n %r = select i1 %c, i32 %s, i32 -1", True),
        ("%s = fptosi float %x to i32\n %r = select i1 %c, i32 %s, i32 %a", False),
    ],
)
def test_what_a_float_holds_exactly(lines: str, wanted: bool) -> None:
    assert ranges_of(f" {lines}\n ret i32 0\n").is_exact(Operand("i32", "%r")) == wanted


_LOOPS = {"varying": "foreach (i = 0 ... n)", "uniform": "for (uniform int i = 0; i < n; ++i)"}


def _number(random: Random, depth: int) -> str:
    """An expression of a[i] and b[i]; uint32 arithmetic wraps, so nothing in it is undefined."""
    if not depth or random.random() < 0.1:
        return random.choice(("a[i]", "b[i]", "(unsigned int)(unsigned int8)a[i]", "(unsigned int)(int16)b[i]"))
    one, two = (_number(random, depth - 1) for _ in range(2))
    number = random.choice((1, 3, 255, 256, 1000, 65535, 0xFFFFFF, 0x1FFFFFF, 0x7FFFFFFF, 0xFFFFFF00))
    return random.choice((
        f"({one} + {two})", f"({one} - {two})", f"({one} * {number}u)", f"({one} & {two})", f"({one} & {number}u)",
        f"({one} | {two})", f"({one} ^ {two})", f"({one} >> {random.randrange(32)})", f"({one} << {random.randrange(32)})",
        f"((unsigned int)((int){one} >> {random.randrange(32)}))", f"({one} / {number}u)", f"({one} % {number}u)",
        f"((unsigned int)((int){one} / {min(number, 1000) + 1}))", f"min({one}, {two})",
        f"(unsigned int)max((int){one}, (int){two})",
        f"((int){one} < (int){two} ? {one} : {number}u)",
    ))  # fmt: skip


@pytest.mark.parametrize("rate", _LOOPS)
@pytest.mark.parametrize("seed", range(2))
def test_random_numbers_of_many_sizes(seed: int, rate: str) -> None:
    random = Random(seed)
    expressions = [_number(random, 1 + index % 3) for index in range(24)]
    source = "".join(
        f"export void f{index}(uniform unsigned int a[], uniform unsigned int b[], uniform float s[], uniform float u[],"
        f" uniform unsigned int o[], uniform int n)\n"
        f"{{ {_LOOPS[rate]} {{ s[i] = (float)(int)({text}); u[i] = (float)({text}); o[i] = {text}; }} }}\n"
        for index, text in enumerate(expressions)
    )
    kernels: Any = voltac.compile(source, target="naplespu", launch={"threads": 1, "latency": 2})
    special = [(1 << bit) + step for bit in range(33) for step in (-1, 0)]
    special += [0x01FFFFFF, 0x03FFFFFB, 0x7FFFFFC0, 0x80000040]
    a, b = (np.array([random.choice(special) & 0xFFFFFFFF for _ in range(96)], np.uint32) for _ in range(2))
    for fpu in ("ideal", "rtl"):
        for index, text in enumerate(expressions):
            signed, unsigned, number = np.zeros(96, np.float32), np.zeros(96, np.float32), np.zeros(96, np.uint32)
            getattr(kernels, f"f{index}").configure(fpu=fpu)(a, b, signed, unsigned, number, 96)
            assert np.array_equal(signed, number.view(np.int32).astype(np.float32)), text
            assert np.array_equal(unsigned, number.astype(np.float32)), text


@pytest.mark.parametrize(
    ("number", "conversions"),
    [
        ("p[i]", 1), ("h[i]", 1), ("a[i] & 0xFFFF", 1), ("a[i] >> 8", 1), ("a[i] / 1000", 1), ("a[i] % 1000", 1),
        ("(a[i] & 7) * 5 - i % 16", 1), ("(int)x[i]", 1), ("a[i] << 8", 1), ("(a[i] > 0 ? p[i] : 7)", 1),
        ("a[i]", 2), ("a[i] + 1", 2),
    ],
)  # fmt: skip
@pytest.mark.parametrize("rate", _LOOPS)
def test_numbers_of_known_size_take_one_instruction(number: str, conversions: int, rate: str) -> None:
    arrays = "uniform unsigned int8 p[], uniform int16 h[], uniform int a[], uniform float x[], uniform float o[]"
    source = f"export void f({arrays}, uniform int n) {{ {_LOOPS[rate]} o[i] = {number}; }}"
    kernels: Any = voltac.compile(source, target="naplespu")
    loops = 2 if rate == "varying" else 1
    assert kernels.assembly("f").count("itof_i32") == conversions * loops
