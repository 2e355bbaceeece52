"""Members that are computed alike are computed as they lie in memory: what numpy computes, and no byte too many is touched."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from guard_pages import GuardedMemory
from kernels import compile_kernels

from voltac.ir.read import read
from voltac.passes.facts.effects import ModuleEffects

Array = npt.NDArray[Any]
COUNTS = (1, 7, 8, 33, 75)
HEAD = "export void f(uniform {to} a[], const uniform {of} b[], const uniform {of} c[], uniform int s[], uniform int n) {{\n"
LOOP = "foreach (i = 0 ... n) {{ {before} for (uniform int k = 0; k < {m}; k++) a[{m} * i + k] = {value}; }} }}"
KINDS = {
    "sum": ("uint8", "uint8", "", "min(255, (int)b[{m} * i + k] + c[{m} * i + k])"),
    "alpha": ("uint8", "uint8", "int t = 255 - b[{m} * i + {m} - 1];", "(c[{m} * i + k] * t + 128) >> 8"),
    "other array": ("uint8", "uint8", "int t = c[i];", "(b[{m} * i + k] * t) >> 8"),
    "turned": ("uint8", "uint8", "", "b[{m} * i + {m} - 1 - k] + 3"),
    "factors": ("int16", "int16", "", "b[{m} * i + k] * (int16)s[k]"),
    "to bytes": ("uint8", "float", "", "(uint8)(int)(b[{m} * i + k] * 2.0f)"),
    "floats": ("float", "float", "float t = b[{m} * i];", "b[{m} * i + k] * t + c[{m} * i + k]"),
    "in place": ("uint8", "uint8", "", "(a[{m} * i + k] + (int)b[{m} * i + k]) >> 1"),
}


def expected(kind: str, a: Array, b: Array, c: Array, s: Array) -> Array:
    """Rows of members; ``c`` flat."""
    wide, rows = b.astype(np.int64), c[: b.size].reshape(b.shape).astype(np.int64)
    made: dict[str, Array] = {
        "sum": np.minimum(255, wide + rows),
        "alpha": (rows * (255 - wide[:, -1:]) + 128) >> 8,
        "other array": (wide * c[: len(b), None].astype(np.int64)) >> 8,
        "turned": wide[:, ::-1] + 3,
        "factors": wide * s[: b.shape[1]],
        "to bytes": (b * 2).astype(np.int64),
        "floats": b * b[:, :1] + c[: b.size].reshape(b.shape),
        "in place": (a.astype(np.int64).reshape(b.shape) + wide) >> 1,
    }
    return made[kind]


def source(kind: str, members: int) -> str:
    to, of, before, value = KINDS[kind]
    loop = LOOP.format(before=before, value=value, m=members).replace("{m}", str(members))
    return HEAD.format(to=to, of=of) + loop


def guarded(values: Array, memories: list[GuardedMemory]) -> Array:
    memories.append(GuardedMemory(values.nbytes))
    copy: Array = memories[-1].array(values.dtype, values.size)
    copy[:] = values.ravel()
    return copy


@pytest.mark.parametrize(
    ("target", "members", "kinds"),
    [
        ("avx2-i32x8", 4, tuple(KINDS)),
        ("avx2-i32x8", 3, ("sum", "floats")),
        ("avx2-i32x8", 2, ("alpha", "factors")),
        ("avx512skx-x16", 4, ("alpha", "floats")),
    ],
)
def test_members_are_what_numpy_makes_of_them(target: str, members: int, kinds: tuple[str, ...]) -> None:
    kernels = {kind: compile_kernels(source(kind, members), target).f for kind in kinds}
    random = np.random.default_rng(members)
    s = np.array([3, -2, 5, 7], np.int32)
    for kind, kernel in kernels.items():
        to, of = (np.dtype("float32" if each == "float" else each) for each in KINDS[kind][:2])
        for n in COUNTS:
            memories: list[GuardedMemory] = []
            b, c = (random.integers(0, 100, (n, members)).astype(of) for _ in range(2))
            a = random.integers(0, 100, n * members).astype(to)
            wanted = expected(kind, a, b, c.ravel(), s).astype(to).ravel()
            written = guarded(a, memories)
            kernel(written, guarded(b, memories), guarded(c, memories), s, n)
            assert (written == wanted).all(), (kind, n)


def test_operations_of_each_lane_for_other_lanes_than_were_declared_touch_nothing() -> None:
    effects = ModuleEffects(read("declare <8 x i32> @llvm.smin.v8i32(<8 x i32>, <8 x i32>)\ndeclare void @f()\n"))
    assert effects.effect("@llvm.smin.v32i16") == effects.effect("@llvm.smin.v8i32") == "none"
    assert effects.effect("@f") == "any"
