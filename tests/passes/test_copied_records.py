"""Three bytes that lanes copy from a table: the same bytes, and nothing beside them is read or written."""

from functools import partial

import numpy as np
import pytest
from guard_pages import FencedCalls
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.pass_runs import PassRuns
from voltac.pipeline import Watch
from voltac.target_info import find_target

HEAD = "export void f(uniform uint8 a[], const uniform uint8 table[], const uniform int index[], uniform int n)"
COPY = "a[{to} * i] = table[3 * k]; a[{to} * i + 1] = table[3 * k + 1]; a[{to} * i + 2] = table[3 * k + 2];"
OTHERS = {
    "another member": "a[3 * i] = table[3 * k]; a[3 * i + 1] = table[3 * k]; a[3 * i + 2] = table[3 * k + 2];",
    "lanes that overlap": COPY.format(to=2),
    "places of their own": COPY.format(to=3).replace("3 * i", "3 * k"),
    "a sum": COPY.format(to=3).replace("= table[3 * k];", "= table[3 * k] + 1;"),
    "one array": COPY.format(to=3).replace("table", "a"),
    "under a mask": f"if (k > 2) {{ {COPY.format(to=3)} }}",
}


def source(body: str) -> str:
    return f"{HEAD} {{ foreach (i = 0 ... n) {{ int k = index[i]; {body} }} }}"


def is_copied(text: str, target: str = "avx2-i32x8") -> bool:
    watch = Watch(passes=PassRuns(stop_after="copy_records"))
    made = compile_source(text, "f.ispc", Options(find_target(target), level=2), Diagnostics(), watch=watch).stopped
    assert made is not None
    return "%copied" in made


@pytest.mark.parametrize("to", [3, 5])
@pytest.mark.parametrize("target", ["avx2-i32x8", "sse4-i32x4", "avx512skx-x16"])
def test_colours(target: str, to: int) -> None:
    text = source(COPY.format(to=to))
    assert is_copied(text, target)
    kernel, random, calls = compile_kernels(text, target), np.random.default_rng(6), FencedCalls()
    width, table = find_target(target).width, np.arange(60, dtype=np.uint8) * 3 + 1
    for n in (0, 1, width - 1, width, width + 1, 3 * width + 1):
        index, size = random.integers(0, 20, n).astype(np.int32), max(0, n * to - (to - 3))
        a = np.full(size, 7, np.uint8)
        expected = a.copy()
        for i, k in enumerate(index):
            expected[to * i : to * i + 3] = table[3 * k : 3 * k + 3]
        for at_end in (True, False):
            given = calls.copies(a, table, index, at_end=at_end)
            calls.add((n, at_end), partial(kernel.f, *given, n), (given[0], expected))
    calls.check()


@pytest.mark.parametrize("name", OTHERS)
def test_others_stay(name: str) -> None:
    assert not is_copied(source(OTHERS[name]))
