"""Flags of arithmetic, and integer division lane by lane against exact integers."""

import ctypes
import re

import numpy as np
import pytest
from lowering import AVX2, SSE4, Loaded, function_body, text_after

from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import TargetInfo

SUM = "export void f(uniform {type} a[]) {{ {type} x = a[programIndex]; a[programIndex] = x + x * x - x; }}"


@pytest.mark.parametrize("type", ["int", "int64", "int16", "int8", "uint"])
def test_overflow_is_undefined_for_signed_32_and_64_bits_only(type: str) -> None:
    claims = type in ("int", "int64")
    text = function_body(text_after("lower", SUM.format(type=type)), "f")
    lanes = [line for line in text.split("\n") if " = add " in line or " = mul " in line or " = sub " in line]
    assert lanes
    assert all(("nsw" in line) == claims for line in lanes)


def test_wrap_signed_int_makes_no_claim() -> None:
    assert "nsw" not in function_body(text_after("lower", SUM.format(type="int"), wrap_signed=True), "f")


@pytest.mark.parametrize("type", ["int", "int64", "int16", "int8", "uint"])
@pytest.mark.parametrize("rate", ["", "uniform "])
def test_no_claim_is_made_about_a_left_shift(type: str, rate: str) -> None:
    place = "0" if rate else "programIndex"
    source = f"export void f(uniform {type} a[]) {{ {rate}{type} x = a[{place}]; x <<= 3; a[{place}] = x << (x & 7); }}"
    shifts = [line for line in function_body(text_after("lower", source), "f").split("\n") if " = shl " in line]
    assert len(shifts) == 2
    assert not any("nsw" in line or "nuw" in line for line in shifts)


def test_multiply_and_add_may_be_fused_unless_forbidden() -> None:
    assert "fmul contract" in text_after("lower", SUM.format(type="float"))
    assert "contract" not in text_after("lower", SUM.format(type="float"), disable_fma=True)


@pytest.mark.parametrize("target", [SSE4, AVX2], ids=lambda target: target.name)
@pytest.mark.parametrize("bits", [8, 16, 32, 64])
@pytest.mark.parametrize("sign", ["int", "uint"])
def test_division_and_remainder_are_exact(target: TargetInfo, bits: int, sign: str) -> None:
    source = f"""
    export void divide(uniform {sign}{bits} a[], uniform {sign}{bits} b[], uniform {sign}{bits} q[], uniform {sign}{bits} r[],
                       uniform int n) {{
        foreach (i = 0 ... n) {{ q[i] = a[i] / b[i]; r[i] = a[i] % b[i]; }}
    }}"""
    divide = Loaded(source, "divide", target=target).function("divide", None, *[ctypes.c_void_p] * 4, ctypes.c_int)
    kind = np.dtype(f"{sign}{bits}")
    limits = np.iinfo(kind)
    random = np.random.default_rng(bits)
    edges = [limits.min, limits.min + 1, limits.max, limits.max - 1, 0, 1, 2, 3, 7]
    if sign == "int":
        edges += [-1, -2, -3]
    left = [a for a in edges for _ in edges]
    right = [b for _ in edges for b in edges]
    left += random.integers(limits.min, limits.max, 3000, kind, endpoint=True).tolist()
    right += random.integers(limits.min, limits.max, 2000, kind, endpoint=True).tolist()
    right += random.integers(1, 100, 1000).tolist()
    # quotients that are just integers, and just not
    for _ in range(500):
        y = int(random.integers(1, min(limits.max, 2**31 - 1)))
        k = int(random.integers(0, limits.max // y + 1))
        left += [k * y, max(k * y - 1, 0)]
        right += [y, y]
    pairs = [(x, y) for x, y in zip(left, right) if y != 0 and not (y == -1 and x == limits.min)]
    a, b = (np.array(side, kind) for side in zip(*pairs))
    q, r = np.zeros_like(a), np.zeros_like(a)
    divide(a.ctypes.data, b.ctypes.data, q.ctypes.data, r.ctypes.data, len(a))
    for x, y, quotient, remainder in zip(a.tolist(), b.tolist(), q.tolist(), r.tolist()):
        expected = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        assert (quotient, remainder) == (expected, x - expected * y), (x, y)


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_lanes_that_are_off_may_divide_by_zero(bits: int) -> None:
    source = f"""
    export void divide(uniform int{bits} a[]) {{
        int{bits} x = a[programIndex];
        if (x != 0) {{ a[programIndex] = 100 / x; }}
    }}"""
    values = np.arange(-4, 4).astype(f"int{bits}")
    expected = [-25, -33, -50, -100, 0, 100, 50, 33]
    Loaded(source, "divide").function("divide", None, ctypes.c_void_p)(values.ctypes.data)
    assert values.tolist() == expected


@pytest.mark.parametrize("mode", ["legacy", "balanced", "aggressive"])
def test_fast_math_leaves_the_library_exact(mode: str) -> None:
    source = """
    export void f(uniform float x[], uniform float y[], uniform int n) { foreach (i = 0 ... n) y[i] = exp(x[i]) / 3.0f; }"""
    x = np.linspace(-5, 5, 37, dtype=np.float32)
    y = np.zeros_like(x)
    Loaded(source, "f", fast_math=mode).function("f", None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(
        x.ctypes.data, y.ctypes.data, len(x)
    )
    assert np.allclose(y, np.exp(x.astype(np.float64)) / 3, rtol=1e-6)


@pytest.mark.parametrize("mode", ["balanced", "aggressive"])
def test_fast_math_divides_before_a_loop(mode: str) -> None:
    """By what is the same in all iterations; and the quotient that they multiply by is not put together in each."""
    source = """
    export void f(uniform float a[], uniform float by[], uniform int n) {
        float x = a[programIndex], y = by[programIndex];
        float p = x / (y + 1);
        for (uniform int k = 1; k < n; k++) {
            float before = a[programCount * (k - 1) + programIndex], here = a[programCount * k + programIndex];
            a[programCount * (k - 1) + programIndex] = ((1 - p) * before + p * here) / y;
        }
    }"""
    made = compile_source(source, "f.ispc", Options(AVX2, whole_program=True, fast_math=mode), Diagnostics()).optimized
    assert made is not None
    blocks = function_body(made.text(), "f").split("\n\n")
    assert not any(" phi " in block and " fdiv " in block for block in blocks)
    assert sum(block.count(" fdiv ") for block in blocks) >= 2
    a, by = np.linspace(1, 9, 40, dtype=np.float32), np.linspace(2, 3, 8, dtype=np.float32)
    expected = a.astype(np.float64).reshape(5, 8)
    p = expected[0] / (by + 1.0)
    expected[:4] = ((1 - p) * expected[:4] + p * expected[1:]) / by
    Loaded(source, "f", fast_math=mode).function("f", None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(
        a.ctypes.data, by.ctypes.data, 5
    )
    assert np.allclose(a, expected.ravel(), rtol=1e-5)


@pytest.mark.parametrize(("mode", "divisions"), [("", 2), ("balanced", 1)])
def test_fast_math_divides_once_by_two_numbers(mode: str, divisions: int) -> None:
    source = "export void f(uniform float a[]) { float x = a[programIndex]; a[programIndex] = x / (x + 1) / (x + 2); }"
    assert function_body(text_after("lower", source, fast_math=mode), "f").count("fdiv") == divisions
    a = np.arange(8, dtype=np.float32)
    expected = a / (a + 1.0) / (a + 2.0)
    Loaded(source, "f", fast_math=mode).function("f", None, ctypes.c_void_p)(a.ctypes.data)
    assert np.allclose(a, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("text", "calls"), [("exp(x) * exp(y)", 1), ("exp(x) / exp(y)", 1), ("x / exp2(y)", 1), ("exp(x) * exp2(y)", 2)]
)
def test_fast_math_takes_one_exponential_of_two(text: str, calls: int) -> None:
    source = f"""
    export void f(uniform float a[], uniform float b[]) {{
        float x = a[programIndex], y = b[programIndex];
        a[programIndex] = {text};
    }}"""
    lowered = function_body(text_after("lower", source, fast_math="balanced"), "f")
    assert len(re.findall(r"call [^@]*@exp2?_", lowered)) == calls
    assert " fdiv " not in lowered
    a, b = np.linspace(-2, 3, 8, dtype=np.float32), np.linspace(2, -3, 8, dtype=np.float32)
    expected = eval(text, {"x": a.astype(float), "y": b.astype(float), "exp": np.exp, "exp2": np.exp2})
    Loaded(source, "f", fast_math="balanced").function("f", None, ctypes.c_void_p, ctypes.c_void_p)(
        a.ctypes.data, b.ctypes.data
    )
    assert np.allclose(a, expected, rtol=2e-6)


@pytest.mark.parametrize("target", [SSE4, AVX2], ids=lambda target: target.name)
@pytest.mark.parametrize("bits", [8, 16, 32])
@pytest.mark.parametrize("sign", ["int", "uint"])
def test_division_by_one_number_for_all_lanes_is_exact(target: TargetInfo, bits: int, sign: str) -> None:
    source = f"""
    export void divide(uniform {sign}{bits} a[], uniform {sign}{bits} b, uniform {sign}{bits} q[], uniform {sign}{bits} r[],
                       uniform int n) {{
        foreach (i = 0 ... n) {{ q[i] = a[i] / b; r[i] = a[i] % b; }}
    }}"""
    assert "sdiv" not in text_after("lower", source, target) and "udiv" not in text_after("lower", source, target)
    kind = np.dtype(f"{sign}{bits}")
    number = np.ctypeslib.as_ctypes_type(kind)
    pointer = ctypes.c_void_p
    divide = Loaded(source, "divide", target=target).function("divide", None, pointer, number, pointer, pointer, ctypes.c_int)
    limits = np.iinfo(kind)
    random = np.random.default_rng(bits)
    divisors = [1, 2, 3, 5, 7, 10, 100, limits.max, limits.max - 1, limits.max // 2, limits.max // 3]
    divisors += random.integers(1, limits.max, 60, kind).tolist() + random.integers(1, 100, 20).tolist()
    if sign == "int":
        divisors += [-1, -2, -3, -7, limits.min, limits.min + 1]
    for b in divisors:
        multiples = random.integers(0, limits.max // abs(b) + 1, 200, np.int64) * abs(b)
        near = [m + d for m in multiples.tolist() for d in (-1, 0, 1) if limits.min <= m + d <= limits.max]
        near += [-m for m in near if sign == "int"] + [limits.min, limits.max, 0]
        a = np.array([m for m in near if not (b == -1 and m == limits.min)], kind)
        q, r = np.zeros_like(a), np.zeros_like(a)
        divide(a.ctypes.data, b, q.ctypes.data, r.ctypes.data, len(a))
        wide = a.astype(np.int64)
        expected = np.sign(wide) * np.sign(b) * (np.abs(wide) // abs(b))
        assert (q == expected).all(), (b, a[q != expected][:3])
        assert (r == wide - expected * b).all(), b
