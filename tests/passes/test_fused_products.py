"""Which products are fused with additions hangs on what is written, not on gangs: the rule's results, in exact numbers.

Factors lie in 1 to 2: products of two have 46 bits behind the point, and a sum of one with a float below 8 fits a double.
"""

from collections.abc import Callable

import numpy as np
import pytest
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import find_target

TARGETS = ["avx2-i32x4", "avx2-i32x8", "avx2-i32x16", "avx512skx-x8", "avx512skx-x16"]
Floats = np.ndarray
PARAMETERS = "uniform float a[], const uniform float b[], const uniform float c[], const uniform float d[], uniform int n"


def product(a: Floats, b: Floats) -> np.ndarray:
    """Exact."""
    exact: np.ndarray = a.astype(float) * b
    return exact


def rounded(a: np.ndarray) -> Floats:
    return a.astype(np.float32)


CASES: dict[str, tuple[str, Callable[[Floats, Floats, Floats], np.ndarray]]] = {
    "first": ("b[i] * c[i] + c[i] * d[i]", lambda b, c, d: product(b, c) + rounded(product(c, d))),
    "difference": ("b[i] * c[i] - d[i] * d[i]", lambda b, c, d: product(b, c) - rounded(product(d, d))),
    "subtrahend": ("b[i] - c[i] * d[i]", lambda b, c, d: b - product(c, d)),
    "minuend": ("c[i] * d[i] - b[i]", lambda b, c, d: product(c, d) - b),
    "fewer uses": (
        "0; float p = b[i] * c[i]; a[i] = p + d[i] * (c[i] * d[i] - p)",
        lambda b, c, d: rounded(product(b, c)) + product(d, rounded(product(c, d) - rounded(product(b, c)))),
    ),
    "neighbours": (
        "b[i] * c[0] + b[i + 4] * c[1] + b[i + 8] * c[0]",
        lambda b, c, d: product(b[8:], c[0]) + rounded(product(b[:-8], c[0]) + rounded(product(b[4:-4], c[1]))),
    ),
    "no sum": ("0; float p = b[i] * c[i]; a[i] = p - floor(p)", lambda b, c, d: rounded(product(b, c)) % 1),
    "both sums": (
        "0; float p = b[i] * c[i]; a[i] = (p + d[i]) * (p - 8)",
        lambda b, c, d: product(rounded(product(b, c) + d), rounded(product(b, c) - 8)),
    ),
}
SOURCE = "\n".join(
    f"export void case_{number}({PARAMETERS}) {{ foreach (i = 0 ... n) {{ a[i] = {text}; }} }}"
    for number, (text, _) in enumerate(CASES.values())
)
N = 61


@pytest.mark.parametrize("opt", [1, 2])
@pytest.mark.parametrize("target", TARGETS)
def test_what_is_written_decides(target: str, opt: int) -> None:
    kernels = compile_kernels(SOURCE, target, opt=opt)
    random = np.random.default_rng(1)
    b, c, d = (random.uniform(1, 2, N + 8).astype(np.float32) for _ in range(3))
    for number, (name, (_, expected)) in enumerate(CASES.items()):
        a = np.zeros(N, np.float32)
        getattr(kernels, f"case_{number}")(a, b, c, d, N)
        wanted = expected(b, c, d) if name == "neighbours" else expected(b[:N], c[:N], d[:N])
        np.testing.assert_array_equal(a, rounded(wanted), err_msg=f"{name}: {CASES[name][0]}")


@pytest.mark.parametrize(
    ("target", "options", "fused"),
    [
        ("avx2-i32x8", {}, True),
        ("neon-i32x4", {}, True),
        ("avx2-i32x8", {"disable_fma": True}, False),
        ("avx2-i32x8", {"fast_math": "balanced"}, False),
        ("avx2-i32x8", {"level": 0}, False),
        ("sse4-i32x4", {}, False),
    ],
)
def test_where_it_is_done(target: str, options: dict[str, object], fused: bool) -> None:
    chosen = Options(find_target(target), **{"level": 2, **options})  # type: ignore[arg-type]
    job = compile_source(SOURCE, "sums.ispc", chosen, Diagnostics(), end="passes")
    text = job.results["passes"]
    assert ("@llvm.fma." in text) == fused
    assert (" contract " in text) == (not fused and not options.get("disable_fma"))
