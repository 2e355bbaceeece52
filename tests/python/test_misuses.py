"""Calls that are wrong in some random way end in an exception that names the kernel, with every array as it was.

All arrays lie in memory with margins; a call that is refused leaves arrays and margins alone, one that is taken (not every
change is a mistake) at least the margins.
"""

from __future__ import annotations

import array
import ctypes
import importlib
import math
import random
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import voltac
from voltac.cli.command import main

SOURCE = """
struct Pair { float x; float y; };
enum Colour { RED, GREEN };
export void scale(uniform float x[n], uniform float out[n], uniform float by, uniform int n) {
    foreach (i = 0 ... n)
        out[i] = by * x[i];
}
export void stencil(uniform float x[], uniform float out[], uniform int w, uniform int h) {
    foreach (r = 1 ... h - 1, c = 1 ... w - 1)
        out[r * w + c] = x[(r - 1) * w + c] + x[(r + 1) * w + c] + x[r * w + c - 1] + x[r * w + c + 1];
}
export uniform int64 total(const uniform int16 a[], uniform unsigned int8 n, uniform bool twice, uniform double &last) {
    varying int sum = 0;
    foreach (i = 0 ... n)
        sum += a[i] * (twice ? 2 : 1);
    last = reduce_add(sum);
    return reduce_add(sum);
}
export void rows(uniform float<3> p[n], uniform float m[][2][3], uniform int n) {
    foreach (i = 0 ... n)
        p[i].x = m[i][0][0] + m[i][1][2];
}
export uniform float pairs(uniform Pair p[], uniform int64 n, uniform Colour c, const uniform float other[] = NULL) {
    varying float sum = 0;
    foreach (i = 0 ... n)
        sum += p[i].x * p[i].y;
    return reduce_add(sum) + (other != NULL ? other[0] : (uniform float)c);
}
"""
N, MARGIN = 12, 512


class Raising:
    """Looks like a number until somebody asks."""

    def __index__(self) -> int:
        raise ArithmeticError("no number today")

    __float__ = __int__ = __bool__ = __len__ = __index__


class Memory:
    """Arrays within margins, and what all of it was."""

    def __init__(self) -> None:
        self.blocks: list[np.ndarray[Any, Any]] = []

    def array(self, dtype: Any, *shape: int) -> Any:
        kind = np.dtype(dtype)
        size = math.prod(shape) * kind.itemsize
        block = np.full(size + 2 * MARGIN, 0x2A, np.uint8)
        block[MARGIN : MARGIN + size] = 1
        self.blocks.append(block)
        return block[MARGIN : MARGIN + size].view(kind).reshape(shape)

    def contents(self) -> list[bytes]:
        return [block.tobytes() for block in self.blocks]

    def margins(self) -> list[bytes]:
        return [block[:MARGIN].tobytes() + block[-MARGIN:].tobytes() for block in self.blocks]


PAIR = np.dtype([("x", "f4"), ("y", "f4")])


def right(name: str, memory: Memory) -> dict[str, Any]:
    """A call that works."""
    of: Callable[..., Any] = memory.array
    return {
        "scale": lambda: {"x": of("f4", N), "out": of("f4", N), "by": 2.0, "n": N},
        "stencil": lambda: {"x": of("f4", 3, 4), "out": of("f4", 3, 4), "w": 4, "h": 3},
        "total": lambda: {"a": of("i2", N), "n": N, "twice": True, "last": of("f8", 1)},
        "rows": lambda: {"p": of("f4", N, 4), "m": of("f4", N, 2, 3), "n": N},
        "pairs": lambda: {"p": of(PAIR, N), "n": N, "c": 1, "other": of("f4", 1)},
    }[name]()


def wrong(chance: random.Random, value: Any, memory: Memory, others: list[Any]) -> Any:
    """Something else in the place of an argument."""
    anything: list[Callable[[], Any]] = [
        lambda: None, lambda: "text", lambda: b"bytes" * 7, lambda: [1.0] * N, dict, lambda: object(), lambda: Raising(),
        lambda: math.nan, lambda: math.inf, lambda: 1 << 70, lambda: -1, lambda: 0.5, lambda: 1j, lambda: Decimal(3),
        lambda: Fraction(1, 3), lambda: np.float64(1e300), lambda: np.datetime64(5, "s"), lambda: range(N), lambda: iter(()),
        lambda: np.array(3), lambda: np.zeros(0, np.float32), lambda: memory.array("f4", chance.randrange(N)),
        lambda: memory.array(chance.choice(("f8", "i4", "u1", "?", "f2", "i8", ">f4", "c8", "S4")), N),
        lambda: np.ma.masked_array(memory.array("f4", N), mask=True), lambda: np.array([None] * N),
        lambda: array.array("d", range(N)), lambda: memoryview(b"x" * 48), lambda: ctypes.c_float(1), lambda: ctypes.c_void_p(),
        lambda: np.broadcast_to(np.float32(1), N), lambda: True, lambda: 2**31 - 1, lambda: 300, lambda: type, lambda: ...,
        lambda: chance.choice(others),
    ]  # fmt: skip
    if isinstance(value, np.ndarray):
        fixed = value.copy()
        fixed.flags.writeable = False
        anything += [
            lambda: value[::2], lambda: value[::-1], lambda: value[1:], lambda: value[:-1], lambda: fixed, lambda: value.T,
            lambda: value.byteswap().view(value.dtype.newbyteorder()), lambda: value.copy(),
            lambda: np.frombuffer(bytes(1) + value.tobytes(), np.uint8)[1:].view(value.dtype), lambda: value.tolist(),
            lambda: value.reshape(-1), lambda: value[:0], lambda: value.view(np.uint8),
        ] * 2  # fmt: skip
    elif isinstance(value, int):
        anything += [lambda: value + 1, lambda: value * 1000, lambda: -value, lambda: float(value), lambda: str(value)] * 3
    return chance.choice(anything)()


def call_wrongly(chance: random.Random, kernels: Any) -> bool:
    """Whether the call was refused."""
    memory = Memory()
    name = chance.choice(list(kernels))
    arguments = right(name, memory)
    for changed in chance.sample(list(arguments), chance.choice((1, 1, 2))):
        arguments[changed] = wrong(chance, arguments[changed], memory, list(arguments.values()))
    if chance.random() < 0.1:
        del arguments[chance.choice(list(arguments))]
    if chance.random() < 0.1:
        arguments[chance.choice(("nn", "copy", "", "self", "x"))] = chance.choice((1, True, None))
    split = chance.randrange(len(arguments) + 1)
    given = list(arguments.values())[:split] + [1] * (chance.random() < 0.03)
    by_name = dict(list(arguments.items())[split:])
    contents, margins = memory.contents(), memory.margins()
    call = kernels[name] if chance.random() < 0.5 else getattr(kernels[name], "_arguments", kernels[name])
    try:
        call(*given, **by_name)
    except (TypeError, ValueError) as error:
        assert str(error).startswith(f"{name}()"), error
        assert memory.contents() == contents, error
        return True
    except ArithmeticError as error:
        assert "no number today" in str(error)
        assert memory.contents() == contents
        return True
    assert memory.margins() == margins, (name, given, by_name)
    return False


@pytest.fixture(scope="module")
def kernels() -> Any:
    return voltac.compile(SOURCE, target="sse4-i32x4", cache=False)


@pytest.mark.parametrize("seed", range(4))
def test_wrong_calls_are_refused(seed: int, kernels: Any) -> None:
    chance = random.Random(seed)
    assert sum(call_wrongly(chance, kernels) for _ in range(5000)) > 2500


def test_wrong_calls_of_a_package_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "source.ispc").write_text(SOURCE)
    assert main(["build", str(tmp_path / "source.ispc"), "-o", str(tmp_path / "misused"), "--target=sse4", "--woff"]) == 0
    monkeypatch.syspath_prepend(tmp_path)
    kernels = importlib.import_module("misused._loader").KERNELS
    chance = random.Random(4)
    assert sum(call_wrongly(chance, kernels) for _ in range(5000)) > 2500


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4, 44))
def test_many_wrong_calls_are_refused(seed: int, kernels: Any) -> None:
    test_wrong_calls_are_refused(seed, kernels)
