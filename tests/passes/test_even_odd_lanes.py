"""64-bit arithmetic between numbers of 32 bits on even and on odd lanes: what numpy computes in 64 bits."""

from collections.abc import Callable

import numpy as np
import pytest
from kernels import compile_kernels
from passed_text import passed

from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read

TARGETS = ["sse4-i32x4", "sse4-i32x8", "avx2-i32x8", "avx2-i32x16", "avx512skx-x16"]
Formula = Callable[[np.ndarray, np.ndarray], np.ndarray]
# What becomes of x and y, in the language and in numpy: of unsigned numbers, then of signed ones.
UNSIGNED: dict[str, tuple[str, Formula]] = {
    "upper_half": ("(uint32)(((uint64)x * y) >> 32)", lambda x, y: x * y >> 32),
    "both_halves": ("(uint32)(((uint64)x * y) >> 32) ^ (uint32)((uint64)x * y)", lambda x, y: x * y >> 32 ^ x * y),
    "by_a_constant": ("(uint32)(((uint64)x * 0xD2511F53u) >> 32) ^ y", lambda x, y: x * 0xD2511F53 >> 32 ^ y),
    "rounded": ("(uint32)(((uint64)x * y + 0x80000000u) >> 32)", lambda x, y: x * y + 0x80000000 >> 32),
    "far_up": ("(uint32)(((uint64)x * y) >> 45)", lambda x, y: x * y >> 45),
    "in_the_middle": ("(uint32)(((uint64)x * y) >> 7)", lambda x, y: x * y >> 7),
    "two_products": ("(uint32)(((uint64)x * y + (uint64)y * 3 - x) >> 20)", lambda x, y: x * y + y * 3 - x >> 20),
    "scaled": ("(uint32)((((uint64)x * y) << 3 | 5) >> 31)", lambda x, y: (x * y << 3 | 5) >> 31),
    "uniform_factor": ("(uint32)(((uint64)x * (uint64)s) >> 32)", lambda x, y: x * 0x9E3779B9 >> 32),
}
SIGNED: dict[str, tuple[str, Formula]] = {
    "fixed_point": ("(int)(((int64)x * y) >> 16)", lambda x, y: x * y >> 16),
    "upper": ("(int)(((int64)x * y) >> 32)", lambda x, y: x * y >> 32),
    "far": ("(int)(((int64)x * y) >> 40)", lambda x, y: x * y >> 40),
    "with_sum": ("(int)(((int64)x * y + ((int64)y << 12) + 2048) >> 12)", lambda x, y: x * y + (y << 12) + 2048 >> 12),
    "difference": ("(int)(((int64)x * x - (int64)y * y) >> 5)", lambda x, y: x * x - y * y >> 5),
}
NUMBERS = [0, 1, 2, 3, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0xFFFF, 0x10000, 0xD2511F53]
COUNT = 45
# Done under a mask too.
MASKED = ("upper_half", "fixed_point")


def kernel(name: str, kind: str, body: str, masked: bool) -> str:
    test = "if (x != 3) " if masked else ""
    return f"""export void {name}(uniform {kind} a[], const uniform {kind} b[], const uniform {kind} c[], uniform int n) {{
    uniform uint32 s = 0x9E3779B9u;
    foreach (i = 0 ... n) {{ {kind} x = b[i], y = c[i]; {test}a[i] = {body}; }}
}}
"""


SOURCE = "".join(
    kernel(name + "_masked" * masked, kind, body, masked)
    for rows, kind in ((UNSIGNED, "uint32"), (SIGNED, "int"))
    for name, (body, _) in rows.items()
    for masked in ((False, True) if name in MASKED else (False,))
)


def function(text: str, name: str) -> str:
    return text[text.index(f"define void @{name}(") :].partition("\n}")[0]


def numbers(dtype: type) -> tuple[np.ndarray, np.ndarray]:
    """Each of the numbers with others, and random ones behind."""
    random = np.random.default_rng(5)
    x, y = (np.concatenate([random.permutation(NUMBERS), random.integers(0, 1 << 32, COUNT)])[:COUNT] for _ in range(2))
    x[3] = 3
    return x.astype(np.uint32).view(dtype), y.astype(np.uint32).view(dtype)


@pytest.mark.parametrize("target", TARGETS)
def test_what_numpy_computes(target: str) -> None:
    text = passed(SOURCE, target)
    ir = IRInterpreter(read(text))
    runs_here = not target.startswith("avx512")  # that one by the interpreter alone, which stops at poison
    compiled = compile_kernels(SOURCE, target) if runs_here else None
    for rows, dtype, wide in ((UNSIGNED, np.uint32, np.uint64), (SIGNED, np.int32, np.int64)):
        x, y = numbers(dtype)
        for name, (_, formula) in rows.items():
            computed = formula(x.astype(wide), y.astype(wide)).astype(np.uint64).astype(np.uint32).view(dtype)
            kernels = {name: computed}
            if name in MASKED:
                kernels[f"{name}_masked"] = np.where(x != 3, computed, 0).astype(dtype)
            for kernel_name, expected in kernels.items():
                assert "%even" in function(text, kernel_name), kernel_name
                found = np.zeros(COUNT, dtype)
                ir.call(kernel_name, [found, x, y, COUNT])
                assert found.tolist() == expected.tolist(), (kernel_name, target)
                if compiled is not None:
                    for count in (0, 1, 7, 16, COUNT):
                        found = np.zeros(count, dtype)
                        getattr(compiled, kernel_name)(found, x[:count].copy(), y[:count].copy(), count)
                        assert found.tolist() == expected[:count].tolist(), (kernel_name, target, count)


@pytest.mark.parametrize(
    "body",
    [
        "a[i] = ((uint64)b[i] * c[i]) % 1000003;",  # a remainder of 64 bits
        "a[i] = ((uint64)b[i] * c[i]) > 5;",  # a comparison
        "a[i] = b[i] * c[i];",  # 32 bits
    ],
)
def test_what_needs_whole_numbers_of_64_bits_stays(body: str) -> None:
    head = "export void f(uniform uint32 a[], const uniform uint32 b[], const uniform uint32 c[], uniform int n)"
    assert "%even" not in passed(f"{head} {{ foreach (i = 0 ... n) {{ {body} }} }}", "avx2-i32x8")


def test_registers_that_hold_them_whole_need_no_halves() -> None:
    assert "%even" not in passed(SOURCE, "avx2-i64x4")
