"""Library functions on gangs of every host target: programs made from rows, run under full, partial and single-lane masks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from kernels import InterpretedModule, compile_kernels
from some_pairs import some_pairs

from voltac.llvm.host import can_run
from voltac.python.module import KernelModule
from voltac.target_info import TARGETS, TargetInfo, find_target

Array = npt.NDArray[Any]

QUICK = ("sse4-i32x4", "avx2-i32x8", "avx512skx-x16")
"""One target of each kind; the others are asked in long runs."""
DTYPES: dict[str, Any] = {
    "bool": np.bool_,
    "int8": np.int8, "int16": np.int16, "int32": np.int32, "int64": np.int64,
    "uint8": np.uint8, "uint16": np.uint16, "uint32": np.uint32, "uint64": np.uint64,
    "float16": np.float16, "float": np.float32, "double": np.float64,
}  # fmt: skip
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGERS = SIGNED + UNSIGNED
FLOATS = ("float16", "float", "double")
NUMBERS = INTEGERS + FLOATS
WIDE = ("int32", "uint32", "int64", "uint64")

_OTHERS = [name for name in TARGETS if name not in QUICK and not name.startswith("generic")]

_MORE = [*_OTHERS, "generic-i1x8", "generic-i16x16"]

every_target = pytest.mark.parametrize("target", [*QUICK, *(pytest.param(name, marks=pytest.mark.long) for name in _MORE)])


def some_targets(name: str, values: Iterable[str]) -> pytest.MarkDecorator:
    """Parameters ``name`` and ``target``: half of the pairs with a quick target; all of them, and the others, in long runs."""
    values = list(values)
    others = [pytest.param(*pair, marks=pytest.mark.long) for pair in product(values, _MORE)]
    return pytest.mark.parametrize((name, "target"), [*some_pairs(values, QUICK), *others])


def some(types: tuple[str, ...], target: str) -> tuple[str, ...]:
    """All types on the targets of long runs; on the others one of each size and kind: signs matter to few functions."""
    return ("int8", "int16", "int64", "float16", "float", "double") if types == NUMBERS and target in QUICK else types


def usable(name: str) -> TargetInfo:
    """The target. The quick ones are checked everywhere, on the interpreter of the IR where the CPU cannot run them."""
    target = find_target(name)
    if name not in QUICK and not can_run(target):
        pytest.skip(f"this CPU cannot run {name}")
    return target


@cache
def compiled(source: str, target: str) -> KernelModule | InterpretedModule:
    return compile_kernels(source, target=target, opt=2)


def masks(width: int) -> Iterator[int]:
    """Bits of the lanes that are on, as an int64; -1 asks for a mask that is known to be all on."""
    full = (1 << width) - 1
    for mask in (-1, full, 0x5555555555555555 & full, 0xF0E1D2C3B4A59687 & full, 1, 1 << width - 1, 1 << width // 3):
        yield mask - (1 << 64) if mask >= 1 << 63 else mask


def lanes_on(mask: int, width: int) -> Array:
    return np.array([mask >> lane & 1 for lane in range(width)], np.bool_)


def under_masks(statements: str) -> str:
    """Statements of an exported function: with all lanes on, or with those of the parameter ``lanes``."""
    return f"if (lanes == -1) {{ {statements} }} else if ((lanes >> programIndex) & 1) {{ {statements} }}"


def varying(type: str, name: str, array: str) -> str:
    """Declares a varying value read from an array; bools lie in memory as bytes."""
    return f"{type} {name} = {array}[programIndex]{' != 0' if type == 'bool' else ''};"


def stored(type: str) -> str:
    return "uint8" if type == "bool" else type


def dtype(type: str) -> Any:
    return np.dtype(DTYPES[stored(type)])


def values(type: str, count: int, seed: int) -> Array:
    """Numbers of a type: the ends of its range and what is special, then random ones."""
    random = np.random.default_rng([seed, len(type), ord(type[0])])
    if type == "bool":
        return random.integers(0, 2, count).astype(np.uint8)
    kind = DTYPES[type]
    if type in FLOATS:
        info = np.finfo(kind)
        special = np.array([0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3, 100.25, np.inf, -np.inf, np.nan, info.max, info.min,
                            info.tiny, -info.tiny, info.smallest_subnormal, 1 + float(info.eps)]).astype(kind)  # fmt: skip
        size = np.exp(random.uniform(-8, 8, count))
        plain = (size * random.choice([-1, 1], count)).astype(kind)
    else:
        whole = np.iinfo(kind)
        least, most = int(whole.min), int(whole.max)
        ends = (most, most - 1, least, least + 1, most // 2 + 1)
        special = np.array([0, 1, 2, 3, *ends, *((-1, -2) if least else (5, 7))], kind)
        bits = random.integers(0, whole.bits, count)
        plain = random.integers(least, most, count, kind, endpoint=True) >> bits.astype(kind)
    return np.concatenate([special, plain.astype(kind)])[:count]


def arguments(types: tuple[str, ...], count: int) -> list[Array]:
    """Values of several parameters: special ones of each meet special ones of the others."""
    found = []
    for number, type in enumerate(types):
        pool = values(type, count, number)
        order = np.random.default_rng([7, number]).permutation(count)
        half = count // 2
        mixed = np.concatenate([np.resize(pool[:24], half), pool[: count - half]])
        found.append(mixed if number == 0 else mixed[order])
    return found


def same(found: Array, expected: Array, units: float = 0) -> Any:
    """Equal bits, NaN for NaN, or within ``units`` of the last place."""
    expected = np.asarray(expected).astype(found.dtype)
    equal = found == expected
    if found.dtype.kind != "f":
        return equal
    equal = (equal & (np.signbit(found) == np.signbit(expected))) | (np.isnan(found) & np.isnan(expected))
    if units:
        with np.errstate(all="ignore"):
            equal |= np.abs(found - expected) <= units * np.spacing(np.abs(expected))
    return equal
