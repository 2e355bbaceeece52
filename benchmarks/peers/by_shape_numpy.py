"""kernels/by_shape.ispc as numpy users write it; where numpy has the whole of a kernel (gcd, sort), by that."""

from __future__ import annotations

import numpy as np


def collatz(a, b, c, n, m):
    x, steps = b[:n].copy(), a[:n]
    steps[:] = 0
    on = np.flatnonzero(x > 1)
    while on.size:
        some = x[on]
        some = np.where(some & 1, 3 * some + 1, some >> 1)
        x[on] = some
        steps[on] += 1
        on = on[some > 1]


def mandelbrot(a, b, c, n, m):
    x, y, steps = b[:n], c[:n], a[:n]
    zx, zy = x, y
    steps[:] = 0
    on = np.arange(n)
    for _ in range(m):
        xx, yy = zx * zx, zy * zy
        inside = xx + yy <= 4
        on, x, y = on[inside], x[inside], y[inside]
        zx, zy = (xx - yy)[inside] + x, 2 * zx[inside] * zy[inside] + y
        steps[on] += 1


def gcd64(a, b, c, n, m):
    np.gcd(b[:n], c[:n], out=a[:n])


def lattice(a, b, c, n, m):
    up, p, q = np.float32(1.02), np.float32(0.55), np.float32(0.44)
    powers = np.cumprod(np.full(64, up, np.float32)) / up
    price, strike = b[:n].copy(), c[:n]
    v = np.maximum(strike - powers[:, None] * price, 0)
    for j in range(63, 0, -1):
        price /= up
        v[:j] = np.maximum(p * v[1 : j + 1] + q * v[:j], strike - powers[:j, None] * price)
    a[:n] = v[0]


def newton(a, b, c, n, m):
    t = b[:n] + 1
    x = t.copy()
    on = np.arange(n)
    while on.size:
        old = x[on]
        new = (2 * old + t[on] / (old * old)) * np.float32(1 / 3)
        far = np.abs(new - old) > np.float32(1e-6) * old
        on = on[far]
        x[on] = new[far]
    a[:n] = x


def sparse_rows(a, b, c, n, m):
    value = c[m:].view(np.float32)
    products = np.append(value[:m] * value[c[:m]], np.float32(0))
    np.add.reduceat(products, b[:n], out=a[:n])
    a[:n][b[:n] == b[1 : n + 1]] = 0


def row_sums(a, b, c, n, m):
    b[: n * m].reshape(n, m).sum(axis=1, out=a[:n])


def string_lengths(a, b, c, n, m):
    ends = np.flatnonzero(c == 0)
    a[:n] = ends[np.searchsorted(ends, b[:n])] - b[:n]


def string_hashes(a, b, c, n, m):
    hashes = a[:n].view(np.uint32)
    hashes[:] = 2166136261
    at, on = b[:n].copy(), np.arange(n)
    while True:
        letters = c[at]
        inside = letters != 0
        on, at, letters = on[inside], at[inside] + 1, letters[inside]
        if not on.size:
            break
        hashes[on] = (hashes[on] ^ letters) * np.uint32(16777619)


def transpose(a, b, c, n, m):
    a[: n * m].reshape(n, m)[:] = b[: n * m].reshape(m, n).T


transpose_bytes = transpose


def column_sums(a, b, c, n, m):
    b[: n * m].reshape(m, n).sum(axis=0, out=a[:n])


def exchange(a, b, c, n, m):
    j = m
    while j > 0:
        a[:n].reshape(-1, 2, j)[:] += b[:n].reshape(-1, 2, j)[:, ::-1]
        j >>= 1


def bitonic_sort(a, b, c, n, m):
    a[:n] = b[:n]
    a[:n].sort()


def walsh_hadamard(a, b, c, n, m):
    a[:n] = b[:n]
    j = 1
    while j < n:
        pairs = a[:n].reshape(-1, 2, j)
        difference = pairs[:, 0] - pairs[:, 1]
        pairs[:, 0] += pairs[:, 1]
        pairs[:, 1] = difference
        j <<= 1


def active_lanes(a, b, c, n, m):
    x = b[:n]
    a[:256] += np.bincount(x[x & 1 != 0] & 255, minlength=256)


def unique_values(a, b, c, n, m):
    a[:4] += np.bincount(b[:n] & 3, minlength=4)


def histogram(a, b, c, n, m):
    a[:256] += np.bincount(b[:n] & 255, minlength=256)


def scan(a, b, c, n, m):
    a[0] = 0
    np.cumsum(b[: n - 1], dtype=np.int32, out=a[1:n])


def lookup(a, b, c, n, m):
    np.multiply(c[b[:n] & 1023], 2, out=a[:n])


def lookup_bytes(a, b, c, n, m):
    a[:n] = c[b[:n]]


def scatter(a, b, c, n, m):
    a[b[:n] & 1023] = c[np.arange(n) & 1023]


def scatter_some(a, b, c, n, m):
    on = np.flatnonzero(b[:n] & 4096)
    a[b[on] & 1023] = c[on & 1023]


def sum(a, b, c, n, m):
    a[0] = b[:n].sum()


def dot(a, b, c, n, m):
    a[0] = np.dot(b[:n], c[:n])


def logistic(a, b, c, n, m):
    x = a[:n]
    x[:] = b[:n]
    for _ in range(m):
        x[:] = np.float32(3.7) * x * (1 - x)


def random_numbers(a, b, c, n, m):
    x, total = b[:n].view(np.uint32) | np.uint32(1), a[:n].view(np.uint32)
    total[:] = 0
    for _ in range(m):
        x ^= x << np.uint32(13)
        x ^= x >> np.uint32(17)
        x ^= x << np.uint32(5)
        total += x >> np.uint32(8)


def horner(a, b, c, n, m):
    x, y = b[:n], a[:n]
    y[:] = 0
    for k in range(m):
        y *= x
        y += c[k]


def saxpy_unaligned(a, b, c, n, m):
    out = a[1 : n + 1]
    np.multiply(b[1 : n + 1], 2, out=out)
    out += c[1 : n + 1]


def triad_large(a, b, c, n, m):
    out = a[:n]
    np.multiply(b[:n], 2, out=out)
    out += c[:n]
