"""Numbers that all lanes share, added to bytes and held within bounds: numpy's results for every byte, in 16 bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from judged_kernels import JudgedKernels
from passed_text import passed
from some_pairs import some_pairs

TARGETS = ["sse4-i32x4", "avx2-i32x8", "avx2-i32x16", "avx2-i8x32", "avx512skx-x16"]
TYPES: dict[str, Any] = {"uint8": np.uint8, "int8": np.int8}
SUMS: dict[str, tuple[str, Any]] = {
    "more": ("(int)b[i] + m", lambda b, m: b + m),
    "turned": ("m + (int)b[i]", lambda b, m: b + m),
    "less": ("(int)b[i] - m", lambda b, m: b - m),
    "from": ("m - (int)b[i]", lambda b, m: m - b),
}
HELD = {"some": (-100, 120), "far": (300, 2000)}
HEAD = "(uniform int16 a[], const uniform TYPE b[], uniform int n, uniform int m) { foreach (i = 0 ... n)"
SOURCE = "\n".join(
    f"export void {name}_{held}{HEAD} a[i] = (int16)"
    + (f"clamp({text}, {low}, {high}); }}" if name in ("more", "from") else f"max(min({text}, {high}), {low}); }}")
    for name, (text, _) in SUMS.items()
    for held, (low, high) in HELD.items()
)


@pytest.mark.parametrize(("element", "target"), some_pairs(TYPES, TARGETS, 10))
def test_every_byte_with_every_kind_of_number(element: str, target: str) -> None:
    kernels = JudgedKernels(SOURCE.replace("TYPE", element), target)
    assert kernels.text.count("%bound") > len(SUMS) * len(HELD)
    b = np.arange(256).astype(TYPES[element])
    wide, most = b.astype(np.int64), (1 << 31) - 1
    ends = {held - step for held in (300, 2000, -100, 120) for step in (-256, -255, -128, 0, 1, 127, 255)}
    # No sum with a byte overflows, which would be an error of the program.
    for number, m in enumerate(sorted({*ends, most - 256, 256 - most, 70000, -70000, 1 << 16, 1 << 30})):
        for place, (name, (_, made)) in enumerate(SUMS.items()):
            for held, (low, high) in HELD.items():
                wanted = np.clip(made(wide, m), low, high).astype(np.int16)
                judged = 4 * number + place in (9, 50)
                kernels.expect(
                    f"{name}_{held}", [np.zeros(256, np.int16), b], (256, m), wanted, interpreted=judged, at_ends=(True,)
                )
    kernels.check()


def is_narrow(body: str) -> bool:
    head = "uniform uint8 a[], const uniform uint8 b[], const uniform uint16 c[], const uniform int t[], uniform int n"
    return "%bound" in passed(f"export void f({head}, uniform int m) {{ foreach (i = 0 ... n) {{ {body} }} }}")


def test_which_sums() -> None:
    assert is_narrow("a[i] = (uint8)clamp(b[i] + m, 0, 255);")
    assert is_narrow("a[i] = (uint8)clamp(m - 5 - b[i], 0, 255);")
    assert not is_narrow("a[i] = (uint8)clamp(b[i] + t[3], 0, 255);"), "what each iteration loads is not prepared in each"
    assert not is_narrow("a[i] = (uint8)max(b[i] + m, 0);"), "what is large loses its upper bits"
    assert not is_narrow("int s = b[i] + m; a[i] = (uint8)(clamp(s, 0, 255) + (s & 1));"), "another use sees the sum"
    assert not is_narrow("a[i] = (uint8)clamp((int)c[i] + m, 0, 255);"), "16 bits are not enough"
    assert not is_narrow("a[i] = (uint8)clamp(b[i] + t[i], 0, 255);"), "lanes differ"
    assert not is_narrow("a[i] = (uint8)clamp((int)(b[i] + (unsigned int)m), 0, 255);"), "what may wrap around"
