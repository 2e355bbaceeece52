"""Stores to the same elements in both sides of an if are one behind it: numpy's results, and no lane that is off is touched."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from guard_pages import Array, FencedCalls
from kernels import InterpretedModule, compile_kernels

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.pass_runs import PassRuns
from voltac.pipeline import Watch
from voltac.target_info import find_target

TARGETS = ["sse4-i32x4", "avx2-i32x8"]
HEAD = "uniform uint32 a[], const uniform uint32 b[], uniform int n"
LONG = "t = t * (t * (t * 3 + 1) + 7) ^ (t >> 3); t = t * (t * (t * 5 + 3) + 1) ^ (t >> 5); t = t * (t * 9 + 5) ^ (t >> 7);"
"""More than is done for nothing."""


def long(t: Array) -> Array:
    """LONG."""
    for factors, shift in (((3, 1, 7), 3), ((5, 3, 1), 5), ((9, 5), 7)):
        inner = np.full_like(t, factors[0])
        for each in factors[1:]:
            inner = t * inner + np.uint32(each)
        t = t * inner ^ (t >> np.uint32(shift))
    return t


def _fold(a: Array, b: Array, times: int) -> Array:
    for _ in range(times):
        a = b = long(b ^ a)
    return a


# Name -> body, what stands in a, of a before and b.
BODIES: dict[str, tuple[str, Callable[[Array, Array], Array]]] = {
    "both": (
        f"uint32 t = b[i]; if (t & 1) {{ {LONG} a[i] = t; }} else {{ t ^= 77; {LONG} a[i] = t + 1; }}",
        lambda a, b: np.where(b & 1, long(b), long(b ^ 77) + 1),
    ),
    "three": (
        f"uint32 t = b[i]; if (t & 1) a[i] = 3; else if (t & 2) {{ {LONG} a[i] = t; }} else {{ t ^= 9; {LONG} a[i] = ~t; }}",
        lambda a, b: np.select([b & 1 != 0, b & 2 != 0], [b * 0 + 3, long(b)], ~long(b ^ 9)),
    ),
    "four": (
        f"uint32 t = b[i]; if (t & 1) {{ if (t & 4) {{ {LONG} a[i] = t; }} else a[i] = 1; }}"
        f" else if (t & 2) {{ {LONG} a[i] = t + 5; }} else a[i] = 7;",
        lambda a, b: np.select([b & 5 == 5, b & 1 != 0, b & 2 != 0], [long(b), b * 0 + 1, long(b) + 5], 7),
    ),
    "in_place": (
        f"uint32 t = a[i]; if (t & 1) {{ {LONG} a[i] = t; }} else {{ t = a[i] ^ b[i]; {LONG} a[i] = t; }}",
        lambda a, b: np.where(a & 1, long(a), long(a ^ b)),
    ),
    "one_side_only": (
        f"uint32 t = b[i]; if (t & 1) {{ {LONG} a[i] = t; }} else if (t & 2) {{ t ^= 3; {LONG} a[i] = t; }}",
        lambda a, b: np.select([b & 1 != 0, b & 2 != 0], [long(b), long(b ^ 3)], a),
    ),
    "overlapping": (
        f"uint32 t = b[i]; if (t & 1) {{ {LONG} a[i] = t; }} if (t & 2) {{ {LONG} a[i] = t + 1; }}",
        lambda a, b: np.where((u := np.where(b & 1, long(b), b)) & 2, long(u) + 1, np.where(b & 1, u, a)),
    ),
    "loop_at_the_end": (
        f"uint32 t = b[i]; if (t & 1) {{ {LONG} a[i] = t; }}"
        f" else {{ uniform int k = 0; do {{ t ^= a[i]; {LONG} a[i] = t; }} while (++k < n - 3); }}",
        lambda a, b: np.where(b & 1, long(b), _fold(a, b, max(1, len(a) - 3))),
    ),
    "leaves": (
        f"uint32 t = b[i]; if (t & 1) {{ {LONG} a[i] = t; }} else {{ if (n > 9) continue; t ^= 5; {LONG} a[i] = t; }}",
        lambda a, b: np.where(b & 1, long(b), a if len(a) > 9 else long(b ^ 5)),
    ),
    "loop_inside": (
        f"uint32 t = b[i]; if (t & 1) {{ {LONG} a[i] = t; }}"
        f" else {{ for (uniform int k = 0; k < 3; k++) {{ {LONG} }} a[i] = t; }}",
        lambda a, b: np.where(b & 1, long(b), long(long(long(b)))),
    ),
}
SOURCE = "".join(f"export void {name}({HEAD}) {{ foreach (i = 0 ... n) {{ {body} }} }}\n" for name, (body, _) in BODIES.items())


@pytest.mark.parametrize("target", TARGETS)
def test_each_remainder_at_both_ends_of_memory(target: str) -> None:
    kernels = compile_kernels(SOURCE, target)
    made = compile_source(SOURCE, "f.ispc", Options(find_target(target), 3), Diagnostics(), end="passes").results["passes"]
    interpreter = IRInterpreter(read(made))
    width = find_target(target).width
    calls, random = FencedCalls(), np.random.default_rng(1)
    for n in (1, width, 2 * width + 3):
        for name, (_, formula) in BODIES.items():
            a, b = (random.integers(0, 1 << 32, n).astype(np.uint32) for _ in "ab")
            b[:width] |= 1  # all lanes of a gang go one way
            with np.errstate(over="ignore"):
                wanted = formula(a, b).astype(np.uint32)
            if n > width and target == TARGETS[-1]:
                to = a.copy()
                interpreter.call(name, [to, b.copy(), n])
                assert to.tolist() == wanted.tolist(), name
            for at_end in (False, True):
                to, given = calls.copies(a, b, at_end=at_end)
                calls.add((name, n, at_end), partial(kernels[name], to, given, n), (to, wanted))
    if not isinstance(kernels, InterpretedModule):
        calls.check()


def stores_under_masks(body: str, parameters: str = HEAD) -> int:
    """Of whole gangs, behind the passes."""
    source = f"export void f({parameters}) {{ foreach (i = 0 ... n) {{ {body} }} }}"
    watch = Watch(passes=PassRuns(stop_after="resolve_accesses"))
    text = compile_source(source, "f.ispc", Options(find_target("avx2-i32x8"), 3), Diagnostics(), watch=watch).stopped
    assert text is not None
    return text[text.index(".all_on:") : text.index(".finished:")].count("@llvm.masked.store")


@pytest.mark.parametrize("name", ["both", "three", "four", "in_place", "loop_inside"])
def test_where_all_lanes_are_stored_to_no_store_is_masked(name: str) -> None:
    assert stores_under_masks(BODIES[name][0]) == 0


def test_what_minds_stays() -> None:
    """Another element is read that the other side may have stored to; or the elements are others."""
    reads = f"uint32 t = b[i]; if (t & 1) {{ {LONG} a[i] = t; }} else {{ t = a[c]; {LONG} a[i] = t; }}"
    assert stores_under_masks(reads, f"{HEAD}, uniform int c") == 2
    others = f"uint32 t = b[i]; if (t & 1) {{ {LONG} a[i] = t; }} else {{ t ^= 1; {LONG} a[i + 1] = t; }}"
    assert stores_under_masks(others) == 2


def test_a_side_sees_what_the_other_stored() -> None:
    source = f"""export void f(uniform uint32 a[], const uniform uint32 b[], uniform int n) {{
    foreach (i = 0 ... n) {{
        uint32 t = b[i];
        if (t & 1) {{ {LONG} a[i] = t; }} else {{ t = a[i ^ 1]; {LONG} a[i] = t; }}
    }}
}}
"""
    b = np.arange(64, dtype=np.uint32) ^ (np.arange(64, dtype=np.uint32) >> 3 & 1)
    a = np.arange(64, dtype=np.uint32) * 3
    odd = (b & 1) != 0
    with np.errstate(over="ignore"):
        first = np.where(odd, long(b), a)
        wanted = np.where(odd, first, long(first[np.arange(64) ^ 1]))
    compile_kernels(source, "avx2-i32x8").f(a, b, 64)
    assert a.tolist() == wanted.tolist()
