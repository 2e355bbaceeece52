"""Kernels compiled for NaplesPU against hand-written assembly: instructions an inner iteration, cycles of threads and cores.

    python benchmarks/naplespu.py

Instructions are counted on the simulator, by the difference of two sizes, so what is done once does not
count; results are compared with numpy. The hand-written versions (``naplespu/by_hand.s``) take the
places of the compiled kernels in the same program, with the same start-up code. Nothing here depends on the
machine it runs on.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import voltac
from voltac.codegen.assembler import assemble
from voltac.codegen.elf import write_elf
from voltac.codegen.elf_read import read_image
from voltac.codegen.link import link
from voltac.targets.naplespu.isa import DEVICE_CODE

HERE = Path(__file__).resolve().parent / "naplespu"
HAND = (HERE / "by_hand.s").read_text()
LAUNCHES = ((1, 1), (1, 2), (1, 4), (1, 8), (4, 8))

Arguments = list[Any]


def ints(*shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(sum(shape)).integers(-99, 99, shape).astype(np.int32)


def add(n: int) -> tuple[Arguments, np.ndarray[Any, Any], int]:
    a, b, c = ints(n), ints(n + 1)[:n].copy(), np.zeros(n, np.int32)
    return [a, b, c, n], a + b, n // 16


def saxpy(n: int) -> tuple[Arguments, np.ndarray[Any, Any], int]:
    x, y, out = ints(n).astype(np.float32), ints(n).astype(np.float32), np.zeros(n, np.float32)
    return [2.0, x, y, out, n], 2 * x + y, n // 16


def scalar_product(n: int) -> tuple[Arguments, np.ndarray[Any, Any], int]:
    a, b = ints(n, n), ints(n, n + 1)[:, :n].copy()
    return [a, b, np.zeros((n, n), np.int32), n], a @ b, n**3


def vector_product(n: int) -> tuple[Arguments, np.ndarray[Any, Any], int]:
    arguments, expected, count = scalar_product(n)
    return arguments, expected, count // 16


def henon(n: int) -> tuple[Arguments, np.ndarray[Any, Any], int]:
    f = np.float32
    y, x = (part.astype(f) * f(0.0625) - f(1) for part in np.mgrid[0:32, 0:32])
    turns, gangs = np.zeros((32, 32), np.int32), 0
    for _ in range(n):
        inside = x * x < 9
        gangs += int(inside.reshape(-1, 16).any(1).sum())
        x, y = np.where(inside, y + f(1) - f(1.4) * (x * x), x), np.where(inside, f(0.3) * x, y)
        turns += inside
    return [-1.0, -1.0, 0.0625, 32, 32, n, np.zeros((32, 32), np.int32)], turns, gangs


def neighbours(n: int) -> tuple[Arguments, np.ndarray[Any, Any], int]:
    a = ints(n + 2)
    return [a, np.zeros(n, np.int32), n, 3, -5, 7], 3 * a[:n] - 5 * a[1:-1] + 7 * a[2:], n // 16


def matrix_vector(n: int) -> tuple[Arguments, np.ndarray[Any, Any], int]:
    a, x = ints(n, n).astype(np.float32), ints(n).astype(np.float32)
    return [a, x, np.zeros(n, np.float32), n], x @ a, n * n // 16


def lookup(n: int) -> tuple[Arguments, np.ndarray[Any, Any], int]:
    table, index = ints(n), np.random.default_rng(n).integers(0, n, n).astype(np.int32)
    return [table, index, np.zeros(n, np.int32), n], table[index], n // 16


KERNELS: dict[str, tuple[Callable[[int], tuple[Arguments, np.ndarray[Any, Any], int]], int, int]] = {
    "add": (add, 1024, 2048),
    "saxpy": (saxpy, 1024, 2048),
    "scalar_product": (scalar_product, 16, 32),
    "vector_product": (vector_product, 32, 64),
    "henon": (henon, 16, 64),
    "neighbours": (neighbours, 1024, 2048),
    "matrix_vector": (matrix_vector, 64, 128),
    "lookup": (lookup, 1024, 2048),
}
"""Kernel -> its arguments, what it should compute and inner iterations for a size; two sizes."""


def by_hand(assembly: str, name: str) -> Any:
    """The image of a program in which the hand-written kernel stands for the compiled one."""
    own = re.search(rf"^{name}:\n.*?^\tjret\n", HAND, re.M | re.S)
    compiled = re.search(rf"^{name}:\n(?:(?!^\t\.).*\n)*", assembly, re.M)
    assert own and compiled
    data = HAND[HAND.index("\t.rodata") :]
    text = assembly[: compiled.start()] + own.group() + assembly[compiled.end() :] + data
    code = link(assemble(text, DEVICE_CODE), DEVICE_CODE)
    return read_image(write_elf(code, DEVICE_CODE, f"_start.{name}"), DEVICE_CODE)


def main() -> int:
    module = voltac.load(HERE / "kernels.ispc", target="naplespu", cache=False)
    print(f"{'kernel':16}{'instructions an iteration':>40}   cycles, compiled (by hand), latency 40, cores x threads")
    print(f"{'':16}{'compiled':>14}{'by hand':>12}{'ratio':>14}   " + "".join(f"{c} x {t:<14}" for c, t in LAUNCHES))
    worst = 0.0
    for name, (make, small, large) in KERNELS.items():
        kernel = getattr(module, name)
        hand = by_hand(module.assembly(), name)
        counts: list[float] = []
        cycles: list[list[int]] = []
        for image in (None, hand):
            if image is not None:
                kernel._program.image = image
            runs = []
            for cores, threads in ((1, 1), *LAUNCHES):
                for size in (small, large):
                    arguments, expected, iterations = make(size)
                    kernel.configure(cores=cores if image is None else 1, threads=threads)
                    kernel(*arguments)
                    out = [one for one in arguments if isinstance(one, np.ndarray)][-1]
                    np.testing.assert_array_equal(out, expected)
                    runs.append((kernel.last_run.instructions, iterations, kernel.last_run.cycles))
            counts.append((runs[1][0] - runs[0][0]) / (runs[1][1] - runs[0][1]))
            cycles.append([run[2] for run in runs[3::2]])
        ratio = counts[0] / counts[1]
        worst = max(worst, ratio)
        columns = "".join(f"{ours} ({theirs})".ljust(18) for ours, theirs in zip(*cycles))
        print(f"{name:16}{counts[0]:14.2f}{counts[1]:12.2f}{ratio:14.2f}   {columns}")
    print(f"at most {worst:.2f} times the instructions of hand-written code")
    return 0


if __name__ == "__main__":
    sys.exit(main())
