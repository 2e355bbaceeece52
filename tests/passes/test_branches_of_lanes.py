"""Random nested ifs over array elements, from source to machine code, give what each lane alone would give."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from kernels import compile_kernels
from some_pairs import some_seeds

from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import find_target

TARGETS = ["sse4-i32x4", "avx2-i32x8", "avx512skx-x16"]
ARRAYS = ("u", "v", "w")
"""Arrays a program writes; each lane touches its own elements only. ``p`` is read."""


class RandomSource:
    """The same statements as source of the language and of Python."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.source: list[str] = []
        self.python: list[str] = []
        self.statements(1, 3)

    def element(self, array: str) -> str:
        """The place of lane i in an array: itself, or one of its pair."""
        return f"{array}[{self.random.choice(['i', 'i', 'i', '2*i', '2*i+1'])}]"

    def value(self) -> str:
        kind = self.random.randrange(5)
        if kind == 0:
            return str(self.random.randrange(1, 9))
        if kind == 1:
            return f"p[{self.random.choice(['i', 'i+1', '3*i', '2*i+1', '5', 'q[i]'])}]"
        if kind == 2:
            return self.element(self.random.choice(self.own))
        operator, first, second = self.random.choice("+-*"), self.value(), self.value()
        # Products are cut off: signed numbers must not overflow.
        return f"(({first} * {second}) & 1023)" if operator == "*" else f"({first} {operator} {second})"

    def emit(self, depth: int, source: str, python: str) -> None:
        self.source.append("    " * depth + source)
        self.python.append("    " * depth + python)

    def statements(self, depth: int, most: int) -> None:
        # Elements that overlap between lanes are never mixed: an array is used either by i or by pairs.
        for _ in range(self.random.randrange(1, most + 1)):
            self.own = ARRAYS
            if depth < 4 and self.random.random() < 0.5:
                condition = f"{self.value()} {self.random.choice(['<', '>', '!='])} {self.value()}"
                keyword = self.random.choice(["if", "if", "cif"])
                self.emit(depth, f"{keyword} ({condition}) {{", f"if {condition}:")
                self.statements(depth + 1, 2)
                if self.random.random() < 0.6:
                    self.emit(depth, "} else {", "else:")
                    self.statements(depth + 1, 2)
                self.source.append("    " * depth + "}")
            else:
                place = self.element(self.random.choice(ARRAYS))
                operation = self.random.choice(["=", "=", "+="])
                text = f"{place} {operation} {self.value()}"
                self.emit(depth, text + ";", text)

    def kernel(self) -> str:
        parameters = ", ".join(f"uniform int {name}[]" for name in (*ARRAYS, "p", "q"))
        body = "\n".join(self.source)
        return f"export void f({parameters}, uniform int n) {{\n  foreach (i = 0 ... n) {{\n{body}\n  }}\n}}\n"

    def expected(self, arrays: dict[str, np.ndarray], n: int) -> dict[str, np.ndarray]:
        code = compile("for i in range(n):\n" + "\n".join(self.python) + "\n", "reference", "exec")
        results = {name: array.copy() for name, array in arrays.items()}
        with np.errstate(over="ignore"):
            exec(code, {"n": n, **results})
        return results


def run_case(seed: int, target: str) -> None:
    program = RandomSource(seed)
    text = program.kernel()
    # Lanes of different gangs must not meet: an array indexed by i may not be indexed by pairs as well.
    for name in ARRAYS:
        if f"{name}[i]" in text and f"{name}[2*i" in text:
            text = text.replace(f"{name}[2*i+1]", f"{name}[i]").replace(f"{name}[2*i]", f"{name}[i]")
            program.python = [
                line.replace(f"{name}[2*i+1]", f"{name}[i]").replace(f"{name}[2*i]", f"{name}[i]") for line in program.python
            ]
    kernels = compile_kernels(text, target=target)
    for n in (0, 1, 7, 16, 37):
        numbers = np.random.default_rng(seed)
        arrays = {name: numbers.integers(-9, 9, 2 * n + 2, dtype=np.int32) for name in ARRAYS}
        arrays["p"] = numbers.integers(-9, 9, 3 * n + 6, dtype=np.int32)
        arrays["q"] = numbers.integers(0, 5, n + 1, dtype=np.int32)
        expected = program.expected(arrays, n)
        kernels.f(*arrays.values(), n)
        for name, array in arrays.items():
            assert np.array_equal(array, expected[name]), f"seed {seed} {target} n {n} array {name}\n{text}"


@pytest.mark.parametrize("seeds", some_seeds(5, 60))
@pytest.mark.parametrize("target", TARGETS)
def test_random_branches_agree_with_one_lane_at_a_time(target: str, seeds: range) -> None:
    for seed in seeds:
        run_case(seed, target)


@pytest.mark.parametrize(
    ("target", "cpu", "stays"), [("avx2-i32x8", "", True), ("avx2-i32x8", "alderlake", False), ("avx512skx-x16", "", False)]
)
def test_a_branch_past_masked_stores_stays_where_these_take_long(target: str, cpu: str, stays: bool) -> None:
    """Two stores to where nothing else stores; those of both sides of an if are one store without a mask."""
    head = (
        "export void f(uniform float a[], uniform float d[], const uniform float b[], uniform int n) { foreach (i = 0 ... n) "
    )
    alone = f"{head} {{ if (b[i] > 1) {{ a[i] = 1 / b[i]; d[i] = b[i] - 2; }} }} }}"
    both = f"{head} {{ if (b[i] > 1) {{ a[i] = 1 / b[i]; d[i] = b[i] - 2; }} else {{ a[i] = 1; d[i] = 2; }} }} }}"

    def branches(source: str) -> bool:
        options = Options(target=find_target(target), level=3, cpu=cpu)
        text = compile_source(source, "f.ispc", options, Diagnostics(), end="passes").results["passes"]
        return re.search(r"\.all_on\.(?!step|two_gangs)\S+:", text) is not None

    assert branches(alone) == stays
    assert not branches(both)
