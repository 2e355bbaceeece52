"""Random numbers: the sequences of the reference, by its own formulas in numpy; appendix A 229, 230."""

from __future__ import annotations

import numpy as np
from gangs import Array, compiled, every_target, lanes_on, masks, under_masks, usable

# component: q, r, m, t of the reference
COMPONENTS = ((6, 13, 0xFFFFFFFE, 18), (2, 27, 0xFFFFFFF8, 2), (13, 21, 0xFFFFFFF0, 7), (3, 12, 0xFFFFFF80, 13))
M32 = 0xFFFFFFFF


class Generator:
    def __init__(self, seed: int) -> None:
        rotated = (seed << 16 | seed >> 16) & M32
        self.state = [seed, seed ^ 0xBEEFF00D, rotated, int.from_bytes(seed.to_bytes(4, "little"), "big")]

    def random(self) -> int:
        result = 0
        for number, (q, r, m, t) in enumerate(COMPONENTS):
            z = self.state[number]
            b = (((z << q) & M32) ^ z) >> r
            self.state[number] = (((z & m) << t) & M32) ^ b
            result ^= self.state[number]
        return result

    def frandom(self) -> float:
        return (self.random() & 0x7FFFFF) / 2**23


SOURCE = f"""
export void lanes_of(uniform unsigned int seeds[], uniform unsigned int r[], uniform float f[], uniform int64 lanes) {{
    RNGState state;
    unsigned int seed = seeds[programIndex];
    seed_rng(&state, seed);
    {under_masks("r[programIndex] = random(&state); r[programCount + programIndex] = random(&state);")}
    f[programIndex] = frandom(&state);
    r[2 * programCount + programIndex] = random(&state);
}}
export void seeded_under_mask(uniform unsigned int r[]) {{
    RNGState state;
    seed_rng(&state, 1);
    if (programIndex < 2) seed_rng(&state, (unsigned int)programIndex + 7);
    r[programIndex] = random(&state);
}}
export void one(uniform unsigned int seed, uniform unsigned int r[], uniform float f[]) {{
    uniform RNGState state;
    seed_rng(&state, seed);
    r[0] = random(&state); r[1] = random(&state); f[0] = frandom(&state); r[2] = random(&state);
}}
"""


def _drawn(seed: int, masked: int) -> tuple[list[int], float]:
    """Two numbers if ``masked``, a float, a number."""
    generator = Generator(seed)
    first = [generator.random() for _ in range(masked)]
    number = generator.frandom()
    return [*first, generator.random()], number


@every_target
def test_the_sequences_are_exact(target: str) -> None:
    width = usable(target).width
    kernels = compiled(SOURCE, target)
    seeds = (np.arange(width) * 2654435761 + 1).astype(np.uint32)
    for mask in masks(width):
        on = lanes_on(mask, width)
        r, f = np.zeros(3 * width, np.uint32), np.zeros(width, np.float32)
        kernels.lanes_of(seeds, r, f, mask)
        for lane in range(width):
            numbers, real = _drawn(int(seeds[lane]), 2 if on[lane] else 0)
            assert f[lane] == np.float32(real)
            assert r[lane::width].tolist() == (numbers if on[lane] else [0, 0, *numbers])
    r = np.zeros(width, np.uint32)
    kernels.seeded_under_mask(r)
    assert r.tolist() == [Generator(lane + 7 if lane < 2 else 1).random() for lane in range(width)]
    for seed in (12345, 0xDEADBEEF, 0, M32):
        out, real_out = np.zeros(3, np.uint32), np.zeros(1, np.float32)
        kernels.one(seed, out, real_out)
        numbers, real = _drawn(seed, 2)
        assert out.tolist() == numbers and real_out[0] == np.float32(real)


def test_the_formulas_give_the_vectors_of_the_reference() -> None:
    """Appendix B.1."""
    generator = Generator(12345)
    assert [generator.random() for _ in range(4)] == [667945768, 1310426035, 2805848953, 637111807]
    assert round(generator.frandom(), 6) == 0.704437
    lanes = [Generator(lane + 1) for lane in range(8)]
    assert [lane.random() for lane in lanes][:2] == [4215230760, 4206289448]


HARDWARE = "".join(
    f"""
export void one_{type}(uniform {type} a[], uniform int8 found[]) {{ found[0] = rdrand(&a[0]) ? 1 : 0; }}
export void own_{type}(uniform {type} a[], uniform int8 found[], uniform int64 lanes) {{
    {type} x = 0;
    bool ok = false;
    {under_masks("ok = rdrand(&x);")}
    a[programIndex] = x;
    found[programIndex] = ok ? 1 : 0;
}}
export void scattered_{type}(uniform {type} a[], uniform int8 found[], uniform int64 lanes) {{
    uniform {type} * varying p = a + 2 * programIndex;
    bool ok = false;
    {under_masks("ok = rdrand(p);")}
    found[programIndex] = ok ? 1 : 0;
}}
"""
    for type in ("int16", "int32", "int64", "float")
)


def _varied(x: Array, on: Array, type: str) -> bool:
    if type == "float":
        return bool(((x[on] >= 0) & (x[on] < 1)).all()) and (on.sum() == 1 or len(set(x[on])) > 1)
    return on.sum() < 4 or len(set(x[on].tolist())) > 1


@every_target
def test_hardware_numbers_come_for_active_lanes_or_say_false(target: str) -> None:
    info = usable(target)
    width, kinds = info.width, {"int16": np.int16, "int32": np.int32, "int64": np.int64, "float": np.float32}
    kernels = compiled(HARDWARE, target)
    for type, kind in kinds.items():
        for mask in masks(width):
            on = lanes_on(mask, width)
            x, found = np.zeros(width, kind), np.zeros(width, np.int8)
            kernels[f"own_{type}"](x, found, mask)
            assert (found == (on & info.has_rand)).all() and not x[~on].any()
            assert not info.has_rand or _varied(x, on, type)
            spread = np.zeros(2 * width, kind)
            kernels[f"scattered_{type}"](spread, found, mask)
            assert (found == (on & info.has_rand)).all() and not spread[::2][~on].any() and not spread[1::2].any()
            assert not info.has_rand or _varied(spread[::2], on, type)
        x, found = np.zeros(2, kind), np.zeros(1, np.int8)
        kernels[f"one_{type}"](x, found)
        assert found[0] == info.has_rand and x[1] == 0
