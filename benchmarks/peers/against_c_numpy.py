"""kernels/against_c.ispc as numpy users write it; matrix_product is that of its BLAS."""

from __future__ import annotations

import numpy as np


def matrix_product(a, b, c, n, m):
    np.matmul(b.reshape(n, n), c.reshape(n, n), out=a.reshape(n, n))


def filter(a, b, c, n, m):
    a[:n] = np.correlate(b[: n + m - 1], c[:m], "valid")


def convolution(a, b, c, n, m):
    picture, weights = b[: n * m].reshape(m, n), c[:9].reshape(3, 3)
    inside = a[: n * m].reshape(m, n)[1:-1, 1:-1]
    inside[:] = 0
    for j in range(3):
        for i in range(3):
            inside += weights[j, i] * picture[j : j + m - 2, i : i + n - 2]


def shortest_ways(a, b, c, n, m):
    ways = a.reshape(n, n)
    ways[:] = b.reshape(n, n)
    for k in range(n):
        np.minimum(ways, ways[:, k, None] + ways[k], out=ways)


def median(a, b, c, n, m):
    before, here, behind = b[: n - 2], b[1 : n - 1], b[2:n]
    high = np.minimum(np.maximum(before, here), behind)
    np.maximum(np.minimum(before, here), high, out=a[1 : n - 1])


def sobel(a, b, c, n, m):
    p = b[: n * m].reshape(m, n).astype(np.int16)
    columns = p[:-2] + 2 * p[1:-1] + p[2:]
    rows = p[:, :-2] + 2 * p[:, 1:-1] + p[:, 2:]
    total = np.abs(columns[:, 2:] - columns[:, :-2]) + np.abs(rows[2:] - rows[:-2])
    a[: n * m].reshape(m, n)[1:-1, 1:-1] = np.minimum(total, 255)


def life(a, b, c, n, m):
    p = b[: n * m].reshape(m, n)
    columns = p[:-2] + p[1:-1] + p[2:]
    here = p[1:-1, 1:-1]
    around = columns[:, :-2] + columns[:, 1:-1] + columns[:, 2:] - here
    a[: n * m].reshape(m, n)[1:-1, 1:-1] = (around == 3) | ((around == 2) & (here != 0))


def grey(a, b, c, n, m):
    pixels = b[: 4 * n].reshape(n, 4).astype(np.uint16)
    a[:n] = (77 * pixels[:, 0] + 150 * pixels[:, 1] + 29 * pixels[:, 2] + 128) >> 8


def blend(a, b, c, n, m):
    opacity = c[:n].astype(np.uint16)
    total = b[:n] * opacity + b[n : 2 * n] * (255 - opacity) + 128
    a[:n] = (total + (total >> 8)) >> 8


def dot_int16(a, b, c, n, m):
    a[0] = np.dot(b[:n].astype(np.int32), c[:n].astype(np.int32))


def distance(a, b, c, n, m):
    a[0] = np.abs(b[:n].astype(np.int16) - c[:n]).sum()


def greatest(a, b, c, n, m):
    a[0] = b[:n].max()


def compaction(a, b, c, n, m):
    x = b[:n]
    positive = x[x > 0]
    a[: positive.size] = positive
