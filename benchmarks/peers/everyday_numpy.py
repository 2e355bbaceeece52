"""kernels/everyday.ispc as numpy users write it."""

from __future__ import annotations

import numpy as np


def clamp_inplace(a, b, c, n, m):
    x = a[:n]
    x *= 0.5
    x += b[:n]
    np.clip(x, -1, 1, out=x)


def blur_bytes(a, b, c, n, m):
    x = b[:n].astype(np.uint16)
    a[1 : n - 1] = (x[:-2] + 2 * x[1:-1] + x[2:] + 2) >> 2


def box5(a, b, c, n, m):
    p = b[: n * m].reshape(m, n)
    rows = p[:, :-4] + p[:, 1:-3] + p[:, 2:-2] + p[:, 3:-1] + p[:, 4:]
    total = rows[:-4] + rows[1:-3] + rows[2:-2] + rows[3:-1] + rows[4:]
    np.multiply(total, 0.04, out=a[: n * m].reshape(m, n)[2:-2, 2:-2])


def jacobi(a, b, c, n, m):
    p = b[: n * m].reshape(m, n)
    total = p[1:-1, :-2] + p[1:-1, 2:] + p[:-2, 1:-1] + p[2:, 1:-1]
    np.multiply(total, 0.25, out=a[: n * m].reshape(m, n)[1:-1, 1:-1])


def rgb3(a, b, c, n, m):
    pixels = b[: 3 * n].reshape(n, 3).astype(np.uint16)
    a[:n] = (77 * pixels[:, 0] + 150 * pixels[:, 1] + 29 * pixels[:, 2] + 128) >> 8


def nbody(a, b, c, n, m):
    places = b[: 3 * n].reshape(3, n)
    away = places[:, None, :] - places[:, :, None]
    d = (away * away).sum(axis=0) + np.float32(0.01)
    np.einsum("kij,ij->ki", away, 1 / (d * np.sqrt(d)), out=a[: 3 * n].reshape(3, n))


def spheres(a, b, c, n, m):
    dx, dy = b[:n, None], c[:n, None]
    ox, oy, oz = b[:m] * 4, c[:m] * 4, np.arange(3, m + 3, dtype=np.float32)
    half, square = dx * ox + dy * oy + oz, dx * dx + dy * dy + 1
    inside = half * half - square * (ox * ox + oy * oy + oz * oz - 1)
    t = (half - np.sqrt(np.maximum(inside, 0))) / square
    np.min(np.where((inside > 0) & (t > 0), t, np.float32(1e30)), axis=1, out=a[:n])


def oddeven(a, b, c, n, m):
    a[:n] = b[:n]
    for p in range(32):
        first = p & 1
        pairs = a[first : first + (n - first) // 2 * 2].reshape(-1, 2)
        low, high = pairs.min(axis=1), pairs.max(axis=1)
        pairs[:, 0], pairs[:, 1] = low, high


def ell(a, b, c, n, m):
    size = n * m
    (c[:size] * c[b[:size]]).reshape(m, n).sum(axis=0, out=a[:n])


def noise1(a, b, c, n, m):
    x = b[:n] * 50
    k = np.floor(x).astype(np.int32)
    f = x - k.astype(np.float32)
    ends = []
    for start in (k, k + 1):
        h = start.view(np.uint32) * np.uint32(374761393)
        h = (h ^ (h >> np.uint32(13))) * np.uint32(1274126177)
        ends.append((h >> np.uint32(8)).astype(np.float32) * np.float32(1 / 16777216))
    a[:n] = ends[0] + f * f * (3 - 2 * f) * (ends[1] - ends[0])


def matvec(a, b, c, n, m):
    np.matmul(b[: n * m].reshape(m, n), c[:n], out=a[:m])


def matvec_t(a, b, c, n, m):
    np.matmul(c[:m], b[: n * m].reshape(m, n), out=a[:n])


def lcg(a, b, c, n, m):
    s, total = b[:n].copy(), a[:n]
    total[:] = 0
    for _ in range(m):
        s *= np.uint32(1664525)
        s += np.uint32(1013904223)
        total += (s >> np.uint32(9)).astype(np.float32)


def running_max(a, b, c, n, m):
    np.maximum.accumulate(b[:n], out=a[:n])


def count_above(a, b, c, n, m):
    a[0] = np.count_nonzero(b[:n] > np.float32(0.3))


def argmin(a, b, c, n, m):
    a[0] = b[:n].argmin()


def lower(a, b, c, n, m):
    x = b[:n]
    a[:n] = np.where((x >= 65) & (x <= 90), x + np.uint8(32), x)


def lower_inplace(a, b, c, n, m):
    x = a[: 31 * n]
    x[(x >= 65) & (x <= 90)] += np.uint8(32)


def count_letter(a, b, c, n, m):
    a[0] = np.count_nonzero(b[:n] == 101)


def xor_bytes(a, b, c, n, m):
    whole = n // 16 * 16
    np.bitwise_xor(b[:whole].reshape(-1, 16), c[:16], out=a[:whole].reshape(-1, 16))
    np.bitwise_xor(b[whole:n], c[: n - whole], out=a[whole:n])


def normalise4(a, b, c, n, m):
    x = b[: 4 * n].reshape(n, 4)[:, :3]
    out = a[: 4 * n].reshape(n, 4)
    np.divide(x, np.sqrt((x * x).sum(axis=1) + np.float32(1e-9))[:, None], out=out[:, :3])
    out[:, 3] = 0


def aos3(a, b, c, n, m):
    x, out = b[: 3 * n].reshape(n, 3), a[: 3 * n].reshape(n, 3)
    out[:, 0] = x[:, 1]
    np.multiply(x[:, 2], 2, out=out[:, 1])
    np.add(x[:, 0], x[:, 2], out=out[:, 2])


def every_fourth(a, b, c, n, m):
    a[:n] = b[: 4 * n : 4]


def reverse(a, b, c, n, m):
    a[:n] = b[:n][::-1]


def int16_add_sat(a, b, c, n, m):
    a[:n] = np.clip(b[:n].astype(np.int32) + c[:n], -32768, 32767)


def transpose64(a, b, c, n, m):
    a[: n * m].reshape(n, m)[:] = b[: n * m].reshape(m, n).T


def isqrt_int(a, b, c, n, m):
    a[:n] = np.sqrt(b[:n].astype(np.float64))


def binary_search(a, b, c, n, m):
    a[:n] = np.searchsorted(c[:1023], b[:n])


def popcounts(a, b, c, n, m):
    a[:n] = np.bitwise_count(b[:n])


def daxpy(a, b, c, n, m):
    out = a[:n]
    np.multiply(b[:n], 2, out=out)
    out += c[:n]


def int_div(a, b, c, n, m):
    np.floor_divide(b[:n], c[:n] | 1, out=a[:n])


def mod7(a, b, c, n, m):
    np.remainder(b[:n], 7, out=a[:n])
