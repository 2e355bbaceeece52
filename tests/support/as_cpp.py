"""Programs whose model is their own text as C++: one element after the other, by another compiler.

A program says in its first lines what is called, with arrays and numbers as Python makes them:

    // call: name: F(4096), Z(64, np.uint8), 64, 12
    // tolerance: 1e-9                               of floats, relative and absolute; default exact

``F(count, low, high)`` and ``D`` are floats, ``I(count, low, high, type)`` integers, ``Z(count, type)`` zeros. It must not
ask which lane it is, nor depend on the order of lanes.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
_HEADER = Path(__file__).with_name("as_cpp.h")
_CALL, _TOLERANCE = re.compile(r"^// call: (\w+): (.*)$", re.MULTILINE), re.compile(r"^// tolerance: (.*)$", re.MULTILINE)
_FOREACH = re.compile(r"foreach(?:_tiled)? \(((?:[^()]|\([^()]*\))*)\)")
_RANGE = re.compile(r"\s*(\w+) = (.*) \.\.\. (.*)", re.DOTALL)
_REWRITTEN = (
    (r"foreach_active \((\w+)\)", r"for (int \1 = 0; \1 < 1; \1++)"),
    (r"foreach_unique \((\w+) in (\w+)\)", r"if (auto \1 = \2; true)"),
    (
        r"launch\[([^\]]*)\] (\w+)\((.*)\);",
        r"{ taskCount = \1; for (taskIndex = 0; taskIndex < taskCount; taskIndex++) \2(\3); }",
    ),
    (r"(\d)d\b", r"\1"),
    (r"\bsoa<\d+>", ""),
    (r"\bround\(", "nearbyint("),
    (r"\b(float|u?int(?:8)?)<(\d+)>", r"vec<\1, \2>"),
)


@dataclass(frozen=True)
class Twin:
    """A program, what is called, and how near floats must be."""

    path: Path
    text: str
    calls: list[tuple[str, str]]
    tolerance: float

    def arguments(self) -> list[tuple[str, list[Any]]]:
        """The same ones each time: function, arrays and numbers."""
        random = np.random.default_rng(zlib.crc32(self.path.stem.encode()))

        def whole(count: int, low: int = -100, high: int = 100, type: Any = np.int32) -> Array:
            return random.integers(low, high, count).astype(type)

        def real(count: int, low: float = -1, high: float = 1) -> Array:
            return random.random(count) * (high - low) + low

        known = {
            "I": whole,
            "D": real,
            "F": lambda *given: real(*given).astype(np.float32),
            "Z": lambda count, type=np.int32: np.zeros(count, type),
            "np": np,
        }
        return [(name, list(eval(f"({text},)", known))) for name, text in self.calls]

    def differences(self, kernels: Any, model: list[tuple[str, list[Any]]]) -> list[str]:
        """What the functions leave in arrays and the model does not."""
        calls = self.arguments()
        for name, given in calls:
            getattr(kernels, name)(*given)
        return self.compared(calls, model)

    def compared(self, calls: list[tuple[str, list[Any]]], model: list[tuple[str, list[Any]]]) -> list[str]:
        """Where arrays differ from those of the model."""
        found = []
        for (name, given), (_, wanted) in zip(calls, model):
            for number, (one, other) in enumerate(zip(given, wanted)):
                if isinstance(one, np.ndarray) and not self._same(one, other):
                    at = np.flatnonzero(one != other)
                    found.append(f"{name}, argument {number}, [{at[0]}]: {one[at[0]]}, not {other[at[0]]}; {len(at)} differ")
        return found

    def _same(self, one: Array, other: Array) -> bool:
        if one.dtype.kind == "f" and self.tolerance:
            return np.allclose(one, other, rtol=self.tolerance, atol=self.tolerance, equal_nan=True)
        return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


def read_twin(path: Path) -> Twin:
    text = path.read_text()
    tolerance = _TOLERANCE.search(text)
    return Twin(path, text, _CALL.findall(text), float(tolerance[1]) if tolerance else 0)


def _loops(match: re.Match[str]) -> str:
    found = (_RANGE.fullmatch(part) for part in re.split(r",(?![^(]*\))", match[1]))
    return " ".join(f"for (int {r[1]} = {r[2]}; {r[1]} < ({r[3]}); {r[1]}++)" for r in found if r is not None)


def as_cpp(text: str) -> str:
    for pattern, by in _REWRITTEN:
        text = re.sub(pattern, by, text)
    return f'#include "{_HEADER}"\n{_FOREACH.sub(_loops, text)}'


def model_of(twin: Twin, folder: Path) -> list[tuple[str, list[Any]]]:
    """The arguments as C++ leaves them."""
    source, library = folder / f"{twin.path.stem}.cpp", folder / f"{twin.path.stem}.so"
    source.write_text(as_cpp(twin.text))
    # No product is fused with a sum, and sums of integers that leave their type wrap, as those of 8 and 16 bits do.
    options = ("-std=c++17", "-O1", "-w", "-fwrapv", "-ffp-contract=off", "-shared", "-fPIC")
    done = subprocess.run(["g++", *options, str(source), "-o", str(library)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    functions, arguments = ctypes.CDLL(str(library)), twin.arguments()
    for name, given in arguments:
        getattr(functions, name)(*(_as_c(value) for value in given))
    return arguments


def _as_c(value: Any) -> Any:
    return value.ctypes.data_as(ctypes.c_void_p) if isinstance(value, np.ndarray) else ctypes.c_int(value)
