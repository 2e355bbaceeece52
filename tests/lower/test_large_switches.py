"""A varying switch with very many labels finds the lanes of each and those of the default."""

from typing import Any

import numpy as np
import pytest
from kernels import compile_kernels

TARGETS = ["sse4-i32x4", "avx2-i32x8", "avx512skx-x16"]

ROWS: dict[str, tuple[str, type[np.integer[Any]], list[int]]] = {
    # type of the value, labels
    "far apart": ("int32", np.int32, [(k * 2654435761) % (1 << 32) - (1 << 31) for k in range(200)]),
    "neighbours": ("int32", np.int32, [*range(-100, 60), *range(100, 180)]),
    "steps": ("uint32", np.uint32, [k * 8589934 for k in range(150)]),
    "of wide values": ("int64", np.int64, [k * 28000000 - 2**31 for k in range(150)]),
    "bytes": ("int8", np.int8, list(range(-128, 127, 2))),
    "bytes without sign": ("uint8", np.uint8, list(range(0, 256, 3))),
}


def source(type: str, labels: list[int], before: int, together: int) -> str:
    """``before`` labels come before the default; of ``together`` each falls through to the next."""
    cases = [f"case {label}: r = r * 3 + {k};{' break;' if (k + 1) % together == 0 else ''}" for k, label in enumerate(labels)]
    cases.insert(before, "default: r = r * 5 + 1; break;")
    text = "\n".join(cases)
    return (
        f"export void f(uniform {type} from[], uniform uint32 to[], uniform int n) {{ foreach (i = 0 ... n) {{\n"
        f"uint32 r = i; if ((i & 7) != 3) {{ switch (from[i]) {{\n{text}\n}} }} to[i] = r; }} }}"
    )


def expected(values: list[int], labels: list[int], before: int, together: int) -> np.ndarray:
    out = []
    places: list[int | None] = [*range(before), None, *range(before, len(labels))]
    for lane, value in enumerate(values):
        result = lane
        if lane & 7 != 3:
            at = places.index(labels.index(value) if value in labels else None)
            for k in places[at:]:
                result = result * 5 + 1 if k is None else result * 3 + k
                if k is None or (k + 1) % together == 0:
                    break
        out.append(result & 0xFFFFFFFF)
    return np.array(out, np.uint32)


@pytest.mark.parametrize(("row", "target"), [(row, TARGETS[k % len(TARGETS)]) for k, row in enumerate(ROWS)])
def test_each_value_goes_to_its_label(row: str, target: str) -> None:
    type, element, labels = ROWS[row]
    before, together = len(labels) // 3, 4
    limits = np.iinfo(element)
    near = {label + d for label in labels for d in (-1, 0, 1, 2**32)} | {int(limits.min), int(limits.max), 0}
    values = sorted(value for value in near if limits.min <= value <= limits.max)
    np.random.default_rng(1).shuffle(values)
    from_, to = np.array(values, element), np.zeros(len(values), np.uint32)
    compile_kernels(source(type, labels, before, together), target=target, opt=1).f(from_, to, len(values))
    np.testing.assert_array_equal(to, expected(values, labels, before, together))
