"""Workloads of images, sound, text, geometry and numbers, against the same in C by clang and gcc.

python benchmarks/workloads_against_c.py [--rounds N] [--only NAME,...] [--targets T,...] [--options=OPTIONS] [--strict]

Options are those of shapes_against_c.py.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from contenders import Arrays
from shapes_against_c import COUNT, compare, floats, integers, written

ALIKE = 16
"""Elements of most rows of keys that are alike."""


def _floats(count: int = COUNT, m: int = 0, elements: int = 2 * COUNT + 64) -> Callable[[], Arrays]:
    return lambda: (written(np.float32, elements), floats(elements), floats(elements), count, m)


def _bytes(count: int = COUNT, m: int = 0, to: type = np.uint8, elements: int = 4 * COUNT + 64) -> Callable[[], Arrays]:
    return lambda: (written(to, elements), *(integers(elements, 0, 256, np.uint8) for _ in range(2)), count, m)


def _int16(to: type, count: int = COUNT) -> Callable[[], Arrays]:
    return lambda: (written(to, 2 * count), *(integers(2 * count, -32768, 32768, np.int16) for _ in range(2)), count, 0)


def _words(count: int = COUNT, m: int = 0, dtype: type = np.uint32) -> Callable[[], Arrays]:
    size = max(2, m) * count
    return lambda: (written(dtype, size), *(integers(size, 0, 1 << 31, dtype) for _ in range(2)), count, m)


def _keys() -> Arrays:
    """500 keys, which differ from the one that is looked for somewhere among their first letters, or behind."""
    key = integers(ALIKE, 97, 123, np.uint8)
    keys = np.tile(key, (500, 1))
    keys[np.arange(500), integers(500, 0, ALIKE)] ^= 1
    return written(np.int32), keys.ravel(), key, 500, 0


def _doubles() -> Arrays:
    return written(np.int32), floats().astype(float) * 3 - 2, floats().astype(float) * 2 - 1, 253, 50


# Kernel -> its arrays, n and m.
ROWS: dict[str, Callable[[], Arrays]] = {
    "starts_of_runs": lambda: (written(np.int32), integers(high=4, dtype=np.uint8), integers(), COUNT, 0),
    "rgb_to_yuv": _bytes(1365),
    "interleave_bytes": _bytes(1365),
    "bilinear": _floats(131, 37),
    "erode": _bytes(131, 37),
    "integral": lambda: (written(np.int32, 131 * 37), integers(131 * 37, 0, 256, np.uint8), integers(), 131, 37),
    "dct8": _floats(509),
    "fir": _floats(),
    "biquad": _floats(61, 60),
    "crc_rows": lambda: (written(np.uint32), integers(8192, 0, 256, np.uint8), integers(256, dtype=np.uint32), 253, 32),
    "base64": _bytes(1365),
    "hex": _bytes(2045),
    "utf8_count": _bytes(to=np.int32),
    "hamming": _words(509, 8),
    "mix_audio": _int16(np.int16),
    "alaw": lambda: (written(np.int16), integers(high=256, dtype=np.uint8), integers(256, dtype=np.int16), COUNT, 0),
    "complex_multiply": _floats(2045),
    "quaternions": _floats(1021),
    "transform4": _floats(1021),
    "pi_points": _words(253, 40),
    "value_noise2": lambda: (written(np.float32), integers(256, 0, 256), floats(256), 61, 37),
    "mandelbrot64": _doubles,
    "heat3d": _floats(40, 14, 40 * 14 * 14),
    "tridiagonal": _floats(61, 60),
    "nearest": lambda: (written(np.int32), floats(), floats(), 253, 40),
    "bucket_sizes": lambda: (written(np.int32), floats(), floats(), COUNT, 0),
    "relax": lambda: (written(np.float32, 512), integers(high=512), floats(), 2045, 512),
    "ray_box": _floats(2045),
    "ray_triangles": _floats(253, 20),
    "bit_reverse": _words(),
    "gather_u8": lambda: (written(np.float32), integers(high=256, dtype=np.uint8), floats(256), COUNT, 0),
    "gather_u16": lambda: (written(np.int32), integers(high=4000, dtype=np.uint16), integers(), COUNT, 0),
    "match_keys": _keys,
    "parse_digits": lambda: (written(np.int32), integers(8 * 509, 48, 58, np.uint8), integers(), 509, 0),
    "layer_norm": _floats(131, 37),
    "absolute_differences": _bytes(to=np.int32),
    "blend_over": _bytes(1021),
    "halve_bytes": _bytes(65, 37),
    "double_pixels": _words(2045, dtype=np.int32),
    "extremes": _floats(),
    "stereo_to_float": _int16(np.float32, 2045),
    "float_to_pcm": lambda: (written(np.int16), floats(), floats(), COUNT, 0),
    "byte_swap": _words(),
    "mix64": _words(1021, dtype=np.uint64),
    "bytes_to_floats": _bytes(to=np.float32),
    "row_gradient": _floats(131, 37),
    "matrix3": _floats(509),
    "collide": _floats(2045),
    "moving_average": _floats(2045, 9),
    "dot_bytes": lambda: (written(np.int32), integers(high=256, dtype=np.uint8), integers(COUNT, -128, 128, np.int8), COUNT, 0),
    "first_above": lambda: (written(np.int32), floats(131 * 37), floats(), 131, 37),
    "quantise": lambda: (written(np.int8), floats(), floats(), COUNT, 0),
}


if __name__ == "__main__":
    compare(ROWS, "workloads", __doc__)
