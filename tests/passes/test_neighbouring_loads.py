"""Neighbours of bytes and 16-bit numbers at an index are loaded together: numpy's results, and nothing beyond is read."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from guard_pages import FencedCalls
from kernels import InterpretedModule, compile_kernels
from passed_text import passed

from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read

TYPES: dict[str, type[np.generic]] = {"uint8": np.uint8, "int8": np.int8, "uint16": np.uint16, "int16": np.int16}
# Which neighbours of an element are added up, each times one more than the one before.
NEIGHBOURS = {
    "pair": (0, 1),
    "three": (0, 1, 2),
    "four": (0, 1, 2, 3),
    "around": (-1, 0, 1),
    "gap": (0, 3),
    "far": (0, 1, 4, 5, 6),
}
TARGETS = ["sse2-i32x4", "sse4-i32x8", "avx2-i32x8", "avx2-i32x16", "avx2-i8x32", "avx512skx-x16"]


def source(kind: str) -> str:
    text = ""
    for (name, steps), masked in product(NEIGHBOURS.items(), (False, True)):
        terms = " + ".join(f"{number + 1} * (int)b[k + {step}]" for number, step in enumerate(steps))
        text += f"export void {name}{'_masked' * masked}"
        text += f"(uniform int a[], const uniform {kind} b[], const uniform int c[], uniform int n) {{\n"
        text += f"    foreach (i = 0 ... n) {{ int k = c[i]; {'if (k % 3 != 0) ' * masked}a[i] = {terms}; }}\n}}\n"
    return text


@pytest.mark.parametrize(("kind", "target"), [(list(TYPES)[at % 4], target) for at, target in enumerate(TARGETS)])
def test_what_numpy_adds_up(kind: str, target: str) -> None:
    text = source(kind)
    interpreter, compiled = IRInterpreter(read(passed(text, target))), compile_kernels(text, target)
    calls, size = FencedCalls(), 23
    for (name, steps), masked, count in product(NEIGHBOURS.items(), (False, True), (1, 8, 37)):
        random = np.random.default_rng(count)
        table = random.integers(0, 100, size).astype(TYPES[kind])
        first, last = -min(steps), size - 1 - max(steps)
        index = random.integers(first, last + 1, count).astype(np.int32)
        index[0], index[-1] = first, last
        on = (index % 3 != 0) | (not masked)
        # Lanes that are off may point anywhere.
        wanted = np.where(on, sum((at + 1) * table[index + step].astype(np.int32) for at, step in enumerate(steps)), 0)
        given = np.where(on, index, 3_000_000).astype(np.int32)
        kernel = name + "_masked" * masked
        found = np.zeros(count, np.int32)
        interpreter.call(kernel, [found, table.copy(), given.copy(), count])
        assert found.tolist() == wanted.tolist(), (kernel, kind)
        for at_end in (True, False):
            to, fenced, indices = calls.copies(np.zeros(count, np.int32), table, given, at_end=at_end)
            calls.add((kernel, kind, count), partial(compiled[kernel], to, fenced, indices, count), (to, wanted))
    if not isinstance(compiled, InterpretedModule):
        calls.check()


def test_pixels_are_loaded_and_stored_whole() -> None:
    members = " ".join(f"a[4 * i + {at}] = b[4 * k + {at}];" for at in range(4))
    head = "export void f(uniform uint8 a[], const uniform uint8 b[], const uniform int c[], uniform int n)"
    text = passed(f"{head} {{ foreach (i = 0 ... n) {{ int k = c[i]; {members} }} }}", "avx2-i32x8")
    body = text.partition(".all_on:")[2].partition("\n\n")[0]
    assert body.count(" = load i32, ") == 16 and "load i8" not in body  # eight indices, eight pixels
    assert body.count("  store ") == 1
