"""Vectors of addresses that LLVM knows: numbers of 64 bits, of which machines with words of 32 bits keep two words each."""

import numpy as np
import pytest

import voltac

EXCHANGES = """
static uniform int places[3];
static void clear() {
    unmasked {
        for (uniform int k = 0; k < 3; k++)
            places[k] = 0;
    }
}
static noinline void exchange(uniform int old[], uniform int now[]) {
    clear();
    old[programIndex] = atomic_compare_exchange_local(&places[programIndex % 3], 0, programIndex + 1);
    now[programIndex] = places[programIndex % 3];
}
export void exchanges(uniform int old[], uniform int now[], uniform int chosen[]) {
    if (chosen[programIndex] != 0)
        exchange(old, now);
}
export void constant_mask(uniform int old[], uniform int now[]) {
    clear();
    if (programIndex & 1) {
        old[programIndex] = atomic_compare_exchange_local(&places[programIndex % 3], programIndex * 0, programIndex + 1);
        now[programIndex] = places[programIndex % 3];
    }
}
"""


def expected(chosen: list[int]) -> tuple[list[int], list[int]]:
    """Of each place the first chosen lane finds 0 and leaves its number, which the others find."""
    first: dict[int, int] = {}
    for lane in (lane for lane, on in enumerate(chosen) if on):
        first.setdefault(lane % 3, lane)
    old = [first[lane % 3] + 1 if on and first[lane % 3] != lane else 0 for lane, on in enumerate(chosen)]
    return old, [first[lane % 3] + 1 if on else 0 for lane, on in enumerate(chosen)]


@pytest.mark.parametrize("target", ["naplespu", "ipu-mk2", "ia64-x1", "ia64-f32x2", "generic-i1x16"])
def test_lanes_exchange_at_the_addresses_of_a_static_array(target: str) -> None:
    kernels = voltac.compile(EXCHANGES, target=target, opt=2)
    width = kernels.width
    for chosen in ([1] * width, [lane & 1 for lane in range(width)], [int(lane % 5 == 0) for lane in range(width)]):
        old, now = np.zeros(width, np.int32), np.zeros(width, np.int32)
        kernels.exchanges(old, now, np.array(chosen, np.int32))
        assert (old.tolist(), now.tolist()) == expected(chosen)
    old, now = np.zeros(width, np.int32), np.zeros(width, np.int32)
    kernels.constant_mask(old, now)
    assert (old.tolist(), now.tolist()) == expected([lane & 1 for lane in range(width)])
