"""Arithmetic on bytes and 16-bit numbers is done in 16 bits where nothing is lost: numpy's results, and the instructions."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kernels import compile_kernels
from some_pairs import some_pairs, some_seeds

from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import find_target

TARGETS = ["sse4-i32x4", "avx1-i32x8", "avx2-i32x8", "avx512skx-x16"]
TYPES: dict[str, Any] = {"uint8": np.uint8, "int8": np.int8, "uint16": np.uint16, "int16": np.int16, "int": np.int32}
COUNT = 301


class Expressions:
    """Random ones of the language over the arrays p, q (of a narrow type each) and a uniform w, and what numpy says of them."""

    def __init__(self, seed: int, arrays: dict[str, np.ndarray], w: int) -> None:
        self.rng = random.Random(seed)
        self.arrays = arrays
        self.w = w

    def make(self, depth: int) -> tuple[str, np.ndarray]:
        """The text, of type int, and its value in int32, which wraps."""
        choice = self.rng.randrange(17)
        if depth == 0 or choice == 0:
            name = self.rng.choice(list(self.arrays))
            at = self.rng.randrange(3)
            return f"(int){name}[i + {at}]", self.arrays[name][at : at + COUNT].astype(np.int32)
        first, x = self.make(depth - 1)
        if choice == 1:
            return f"abs({first})", np.abs(x)
        if choice in (2, 3):
            number = self.rng.choice((1, 2, 3, 5, 9, 77, 255, 1000))
            if choice == 2:
                return f"(({first}) / {number})", (np.sign(x) * (np.abs(x.astype(np.int64)) // number)).astype(np.int32)
            return f"(({first}) % {number})", np.fmod(x, number).astype(np.int32)
        if choice in (4, 5):
            count = self.rng.randrange(9)
            return (f"(({first}) >> {count})", x >> count) if choice == 4 else (f"(({first}) << {count})", x << count)
        if choice == 6:
            return f"(({first}) * w)", x * np.int32(self.w)
        if choice == 7:
            number = self.rng.choice((0, 1, 2, 20, 128, 255, 300, 40000))
            return f"(({first}) + {number})", x + np.int32(number)
        if choice == 16:
            number, count = self.rng.choice((257, 21846, 32767, 32897, 65535, -300, -32768)), self.rng.choice((16, 17, 20, 23))
            return f"((({first}) * {number}) >> {count})", (x * np.int32(number)) >> count
        second, y = self.make(depth - 1)
        if choice in (8, 9, 10):
            operator = "+-*"[choice - 8]
            return f"(({first}) {operator} ({second}))", {"+": np.add, "-": np.subtract, "*": np.multiply}[operator](x, y)
        if choice == 11 and self.rng.random() < 0.5:
            mask = self.rng.choice((1, 15, 127, 255, 4095))
            return f"(({first}) & {mask})", x & mask
        if choice == 11:
            operator = self.rng.choice("&|^")
            return f"(({first}) {operator} ({second}))", {"&": x & y, "|": x | y, "^": x ^ y}[operator]
        if choice in (12, 13):
            name = ("min", "max")[choice - 12]
            return f"{name}({first}, {second})", (np.minimum, np.maximum)[choice - 12](x, y)
        third, z = self.make(depth - 1)
        if choice == 14:
            element, e = self.make(0)
            number = self.rng.choice((-129, -128, -1, 0, 65, 127, 128, 255, 256, 40000))
            return f"({element} <= {number} ? ({second}) : ({third}))", np.where(e <= number, y, z)
        relation = self.rng.choice(("<", ">=", "==", "!="))
        test = {"<": x < y, ">=": x >= y, "==": x == y, "!=": x != y}[relation]
        return f"(({first}) {relation} ({second}) ? ({third}) : ({first}))", np.where(test, z, x)


@pytest.mark.parametrize("seeds", some_seeds(8, 60))
@pytest.mark.parametrize("target", TARGETS)
def test_random_expressions_are_numpys(target: str, seeds: range) -> None:
    functions, cases = [], []
    for seed in seeds:
        numbers = random.Random(seed)
        names = numbers.choices(list(TYPES)[:4], k=2)
        result = numbers.choice(("uint8", "int8", "uint16", "int16", "int", "float"))
        arrays = {}
        for array, name in zip("pq", names, strict=True):
            limits = np.iinfo(TYPES[name])
            arrays[array] = np.random.default_rng(seed).integers(limits.min, limits.max, COUNT + 2, TYPES[name], endpoint=True)
            arrays[array][: COUNT // 4] = limits.min
            arrays[array][COUNT // 4 : COUNT // 2] = limits.max
        w = numbers.choice((0, 3, -1, 200, 70000))
        with np.errstate(all="ignore"):
            text, value = Expressions(seed, arrays, w).make(numbers.choice((2, 3, 4)))
        parameters = ", ".join(f"uniform {kind} {array}[]" for array, kind in zip("apq", (result, *names), strict=True))
        functions.append(
            f"export void f{seed}({parameters}, uniform int w, uniform int n) {{\n"
            f"    foreach (i = 0 ... n) {{ int v = {text}; a[i] = ({result})v; }}\n}}\n"
        )
        dtype = np.float32 if result == "float" else TYPES[result]
        cases.append((seed, text, arrays, w, dtype, value.astype(dtype)))
    kernels = compile_kernels("".join(functions), target=target)
    for seed, text, arrays, w, dtype, want in cases:
        got = np.zeros(COUNT, dtype)
        getattr(kernels, f"f{seed}")(got, arrays["p"], arrays["q"], w, COUNT)
        assert np.array_equal(got, want), f"f{seed}: {text}"


def wide_loop(body: str, target: str) -> str:
    """The instructions of the loop over several gangs."""
    source = (
        "export void f(uniform uint8 a[], const uniform uint8 p[], uniform int w, uniform int n) {\n"
        f"    foreach (i = 0 ... n) {{ {body} }}\n}}\n"
    )
    made = compile_source(source, "f.ispc", Options(find_target(target), whole_program=True))
    assert made.optimized is not None and ".wide_body:" in made.results["passes"]
    loops = re.findall(r"^(\.LBB\d+_\d+):((?:\n\t.*)*?)\n\tj\w+\t\1$", made.optimized.assembly(), re.M)
    return str(max((text for _, text in loops), key=len))


def test_what_is_compared_and_cut_off_stays_in_16_bits() -> None:
    edges = "int x = (int)p[i + 1] - (int)p[i]; int y = (int)p[i + w] - (int)p[i]; a[i] = min(abs(x) + abs(y), 255);"
    threshold = "int x = (int)p[i] - (int)p[i + w]; a[i] = x > 20 ? 255 : x < -20 ? 128 : 0;"
    for body in (edges, threshold):
        for target in ("avx2-i32x8", "avx512skx-x16"):
            text = wide_loop(body, target)
            assert re.search(r"v\w+w\t", text), text
            assert not re.search(r"vp(?:add|sub|abs|min|cmpgt|blend)\w*d\t.*[yz]mm|vpmovzxbd", text), text


def test_elements_are_compared_as_they_were_loaded() -> None:
    for statement in ("a[i] = p[i] > 100 ? 3 : 7;", "a[i] = (int)p[i] < (int)p[i + w] ? 3 : 7;"):
        text = wide_loop(statement, "avx2-i32x8")
        assert not re.search(r"vpmovzx|vpcmp\w+[wd]\t", text), text


def test_upper_halves_of_products_are_numpys() -> None:
    """At the ends of ranges, signed and unsigned, shifted further and not."""
    kinds: dict[str, Any] = {"uint8": np.uint8, "uint16": np.uint16, "int16": np.int16}
    formulas: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
        "((int)p[i] * 257) >> 16": lambda p, q: p * 257 >> 16,
        "((int)p[i] * -300 >> 16) + (int)q[i]": lambda p, q: (p * -300 >> 16) + q,
        "(uint32)((int)p[i] & 65535) * (uint32)((int)q[i] & 65535) >> 16": lambda p, q: (p & 65535) * (q & 65535) >> 16,
        "(uint32)((int)p[i] & 65535) * 0x8081u >> 23": lambda p, q: (p & 65535) * 0x8081 >> 23,
        "max((int)p[i] * (int)q[i] >> 18, -2)": lambda p, q: np.maximum(p * q >> 18, -2),
    }
    for target in ("sse2-i32x4", "avx2-i32x8", "avx512skx-x16"):
        kernels = compile_kernels(
            "".join(
                f"export void f{at}_{kind}(uniform uint16 a[], uniform {kind} p[], uniform {kind} q[], uniform int n) {{\n"
                f"    foreach (i = 0 ... n) a[i] = {text};\n}}\n"
                for at, text in enumerate(formulas)
                for kind in kinds
            ),
            target,
        )
        for kind, dtype in kinds.items():
            limits = np.iinfo(dtype)
            ends = np.unique(np.array([limits.min, limits.min + 1, 0, 1, 127, 128, 255, limits.max - 1, limits.max]))
            p, q = (each.ravel().astype(dtype) for each in np.meshgrid(ends, ends))
            for at, (text, formula) in enumerate(formulas.items()):
                if kind == "uint16" and text.startswith("max("):
                    continue  # beyond 32 bits
                a = np.zeros(len(p), np.uint16)
                kernels[f"f{at}_{kind}"](a, p, q, len(p))
                want = formula(p.astype(np.int64), q.astype(np.int64)).astype(np.uint16)
                assert a.tolist() == want.tolist(), (target, kind, text)


def test_upper_halves_of_products_are_multiplied_in_16_bits() -> None:
    for target in ("avx2-i32x8", "avx512skx-x16"):
        text = wide_loop("a[i] = ((int)p[i] * (int)p[i + w] + 128) * 257 >> 16;", target)
        assert "vpmulhuw" in text and not re.search(r"vpmulld|vpslld|vpmovzxbd", text), text


def test_what_16_bits_do_not_hold_stays_in_32() -> None:
    # 255 * 255 * 2 is larger than 65535, and which is the lesser depends on all bits.
    product = "int x = (int)p[i] * (int)p[i + w]; a[i] = (uint8)(min(x + x, 100000) >> 9);"
    assert re.search(r"vpmin[su]d", wide_loop(product, "avx512skx-x16"))
    # The halves of pixels are there already.
    pixels = "a[i] = (uint8)(((int)p[4 * i] * 77 + (int)p[4 * i + 1] * 150 + (int)p[4 * i + 2] * 29) >> 8);"
    assert "vpmullw" not in wide_loop(pixels, "avx512skx-x16")


def comparison(number: int, test: str, arrays: str) -> str:
    """Kernels that choose by a test, and that count."""
    return f"""export void bits{number}(uniform int to[], {arrays}, uniform int n) {{
    foreach (i = 0 ... n)
        to[i] = {test} ? 5 : 2;
}}
export uniform int count{number}({arrays}, uniform int n) {{
    int k = 0;
    foreach (i = 0 ... n)
        k += {test} ? 1 : 0;
    return reduce_add(k);
}}
"""


@pytest.mark.parametrize(("type_name", "target"), some_pairs(["uint8", "int8", "uint16", "int16"], TARGETS, 4))
def test_bits_of_elements_are_compared_in_their_type(type_name: str, target: str) -> None:
    """Of all bytes, and of 16-bit numbers near the ends of their range and around zero."""
    dtype = TYPES[type_name]
    limits = np.iinfo(dtype)
    numbers = np.concatenate([np.arange(limits.min, limits.min + 128), np.arange(limits.max - 256, limits.max + 1)])
    p = np.unique(np.concatenate([numbers, np.arange(0, 129)])).astype(dtype)
    q = np.roll(p, 3)
    x, y = p.astype(np.int32), q.astype(np.int32)
    tests = {
        "(p[i] & 0xC0) != 0x80": (x & 0xC0) != 0x80,
        "(p[i] & 96) > 40": (x & 96) > 40,
        "(p[i] | 1) >= (q[i] ^ 3)": (x | 1) >= (y ^ 3),
        "(p[i] & q[i]) == 0": (x & y) == 0,
        "((p[i] ^ 15) & 127) < 64": ((x ^ 15) & 127) < 64,
        "(p[i] ^ -1) < -20": (x ^ -1) < -20,
        "(p[i] & 300) == 256": (x & 300) == 256,
    }
    arrays = f"const uniform {type_name} p[], const uniform {type_name} q[]"
    kernels = compile_kernels("".join(comparison(number, test, arrays) for number, test in enumerate(tests)), target)
    for number, (test, wanted) in enumerate(tests.items()):
        to = np.zeros(len(p), np.int32)
        kernels[f"bits{number}"](to, p, q, len(p))
        assert to.tolist() == np.where(wanted, 5, 2).tolist(), test
        assert kernels[f"count{number}"](p, q, len(p)) == wanted.sum(), test


def test_bits_of_bytes_are_counted_as_bytes() -> None:
    source = """export uniform int letters(const uniform uint8 p[], uniform int n) {
    int k = 0;
    foreach (i = 0 ... n)
        k += (p[i] & 0xC0) != 0x80 ? 1 : 0;
    return reduce_add(k);
}
"""
    options = Options(target=find_target("avx2-i32x8"), level=3)
    text = compile_source(source, "f.ispc", options, Diagnostics(), end="passes").results["passes"]
    assert "llvm.x86.avx2.psad.bw" in text


def test_bits_from_the_lower_half_of_a_sum_need_no_more_than_16() -> None:
    """Sums of two products of bytes exceed 16 bits; a byte of them, from the eighth bit on, does not."""
    source = """export void blend(uniform uint8 a[], const uniform uint8 p[], const uniform uint8 q[], uniform int n) {
    foreach (i = 0 ... n)
        a[i] = ((int)p[i] * q[i] + (int)p[n + i] * q[n + i] + 128) >> 8;
}
export void both(uniform uint8 a[], uniform int b[], const uniform uint8 p[], const uniform uint8 q[], uniform int n) {
    foreach (i = 0 ... n) {
        int sum = (int)p[i] * q[i] + (int)p[n + i] * q[n + i];
        a[i] = (sum >> 8) & 127;
        b[i] = (sum >> 8) & 2047;
    }
}
"""
    kernels = compile_kernels(source, "avx2-i32x8")
    p, q = (np.random.default_rng(seed).integers(0, 256, 2 * COUNT, np.uint8) for seed in (1, 2))
    p[:20], q[:20] = 255, 255
    p[COUNT : COUNT + 20], q[COUNT : COUNT + 20] = 255, 255
    products = p.astype(int) * q
    sums = products[:COUNT] + products[COUNT:]
    a, b = np.zeros(COUNT, np.uint8), np.zeros(COUNT, np.int32)
    kernels.blend(a, p, q, COUNT)
    assert (a == (sums + 128 >> 8).astype(np.uint8)).all()
    kernels.both(a, b, p, q, COUNT)
    assert (a == (sums >> 8 & 127)).all() and (b == (sums >> 8 & 2047)).all()
    loop = wide_loop("a[i] = ((int)p[i] * p[i + n] + (int)p[i + w] * p[i + 1] + 128) >> 8;", "avx2-i32x8")
    assert "pmullw" in loop and "pmaddwd" not in loop


def test_squares_of_differences_are_summed_up_as_products_of_words() -> None:
    source = """export uniform int squares(const uniform uint8 p[], const uniform uint8 q[], uniform int n) {
    int sum = 0;
    foreach (i = 0 ... n) {
        int d = (int)p[i] - (int)q[i];
        sum += d * d;
    }
    return reduce_add(sum);
}
"""
    kernels = compile_kernels(source, "avx2-i32x8")
    p, q = (np.random.default_rng(seed).integers(0, 256, COUNT, np.uint8) for seed in (1, 2))
    assert kernels.squares(p, q, COUNT) == ((p.astype(int) - q) ** 2).sum()
    options = Options(target=find_target("avx2-i32x8"), level=3)
    text = compile_source(source, "f.ispc", options, Diagnostics(), end="passes").results["passes"]
    assert "llvm.x86.avx2.pmadd.wd" in text


def test_of_what_is_shifted_and_added_only_the_bits_of_a_byte_are_computed() -> None:
    """A product with any number, of which eight bits are wanted that come from its lower half."""
    blend = "a[i] = (int)p[i] + ((((int)p[i + 1] - (int)p[i]) * w) >> 8);"
    for target in ("avx2-i32x8", "avx512skx-x16"):
        text = wide_loop(blend, target)
        assert "vpmullw" in text and not re.search(r"vpmulld|vpmovzxbd", text), text
    # All bits of the sum count here, and the 17th of the product there.
    for whole in (
        "a[i] = max((int)p[i] + ((((int)p[i + 1] - (int)p[i]) * w) >> 8), 0);",
        "a[i] = (int)p[i] + ((((int)p[i + 1] - (int)p[i]) * w) >> 9);",
    ):
        assert "vpmulld" in wide_loop(whole, "avx2-i32x8")


@pytest.mark.parametrize("target", TARGETS)
def test_blended_by_any_number(target: str) -> None:
    body = "int d = (((int)p[i] - (int)q[i]) * w) >> 8; a[i] = ((int)q[i] + d * 3) ^ (p[i] > q[i] ? d : -d);"
    header = "export void f(uniform uint8 a[], const uniform uint8 p[], const uniform uint8 q[], uniform int w, uniform int n)"
    kernels = compile_kernels(f"{header} {{ foreach (i = 0 ... n) {{ {body} }} }}", target)
    rng = np.random.default_rng(5)
    for w in (0, 77, 255, 256, -3, 70001, 2**22 + 12345):
        p, q = (rng.integers(0, 256, 301).astype(np.uint8) for _ in "pq")
        a = np.zeros_like(p)
        kernels.f(a, p, q, w, len(p))
        d = ((p.astype(np.int64) - q) * w) >> 8
        assert (a == ((q + 3 * d) ^ np.where(p > q, d, -d)).astype(np.uint8)).all()
