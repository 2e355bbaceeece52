"""kernels/by_shape.ispc as numba users write it: scalar loops, constants of the arrays' type; compiled by contenders.py."""

from __future__ import annotations

import numpy as np

F = np.float32
U = np.uint32


def collatz(a, b, c, n, m):
    for i in range(n):
        x, steps = b[i], 0
        while x > 1:
            x = 3 * x + 1 if x & 1 else x >> 1
            steps += 1
        a[i] = steps


def mandelbrot(a, b, c, n, m):
    for i in range(n):
        x, y = b[i], c[i]
        zx, zy = x, y
        steps = 0
        while steps < m:
            xx, yy = zx * zx, zy * zy
            if xx + yy > F(4):
                break
            zy = F(2) * zx * zy + y
            zx = xx - yy + x
            steps += 1
        a[i] = steps


def gcd64(a, b, c, n, m):
    for i in range(n):
        x, y = b[i], c[i]
        while x != y:
            if x > y:
                x -= y
            else:
                y -= x
        a[i] = x


def lattice(a, b, c, n, m):
    up, p, q = F(1.02), F(0.55), F(0.44)
    down = F(1) / up
    v = np.empty(64, F)
    for i in range(n):
        price, strike = b[i], c[i]
        s = price
        for k in range(64):
            v[k] = max(F(0), strike - s)
            s *= up
        for j in range(63, 0, -1):
            price *= down
            s = price
            for k in range(j):
                v[k] = max(p * v[k + 1] + q * v[k], strike - s)
                s *= up
        a[i] = v[0]


def newton(a, b, c, n, m):
    for i in range(n):
        t = b[i] + F(1)
        x = t
        while True:
            following = (F(2) * x + t / (x * x)) * F(1 / 3)
            if abs(following - x) <= F(1e-6) * x:
                break
            x = following
        a[i] = x


def sparse_rows(a, b, c, n, m):
    value = c[m:].view(F)
    for i in range(n):
        total = F(0)
        for k in range(b[i], b[i + 1]):
            total += value[k] * value[c[k]]
        a[i] = total


def row_sums(a, b, c, n, m):
    for i in range(n):
        total = F(0)
        for k in range(m):
            total += b[i * m + k]
        a[i] = total


def string_lengths(a, b, c, n, m):
    for i in range(n):
        k = b[i]
        while c[k] != 0:
            k += 1
        a[i] = k - b[i]


def string_hashes(a, b, c, n, m):
    for i in range(n):
        value = U(2166136261)
        k = b[i]
        while c[k] != 0:
            value = U((value ^ c[k]) * U(16777619))
            k += 1
        a[i] = value


def transpose(a, b, c, n, m):
    for y in range(m):
        for x in range(n):
            a[x * m + y] = b[y * n + x]


transpose_bytes = transpose


def column_sums(a, b, c, n, m):
    for x in range(n):
        a[x] = 0
    for y in range(m):
        for x in range(n):
            a[x] += b[y * n + x]


def exchange(a, b, c, n, m):
    j = m
    while j > 0:
        for i in range(n):
            a[i] = b[i ^ j] + a[i]
        j >>= 1


def bitonic_sort(a, b, c, n, m):
    for i in range(n):
        a[i] = b[i]
    k = 2
    while k <= n:
        j = k >> 1
        while j > 0:
            for i in range(n):
                other = i ^ j
                if other > i:
                    low, high = a[i], a[other]
                    if (low > high) == ((i & k) == 0):
                        a[i] = high
                        a[other] = low
            j >>= 1
        k <<= 1


def walsh_hadamard(a, b, c, n, m):
    for i in range(n):
        a[i] = b[i]
    j = 1
    while j < n:
        for i in range(0, n, 2 * j):
            for k in range(j):
                x, y = a[i + k], a[i + k + j]
                a[i + k] = x + y
                a[i + k + j] = x - y
        j <<= 1


def active_lanes(a, b, c, n, m):
    for i in range(n):
        if b[i] & 1:
            a[b[i] & 255] += 1


def unique_values(a, b, c, n, m):
    for i in range(n):
        a[b[i] & 3] += 1


def histogram(a, b, c, n, m):
    for i in range(n):
        a[b[i] & 255] += 1


def scan(a, b, c, n, m):
    total = 0
    for i in range(n):
        a[i] = total
        total += b[i]


def lookup(a, b, c, n, m):
    for i in range(n):
        a[i] = c[b[i] & 1023] * F(2)


def lookup_bytes(a, b, c, n, m):
    for i in range(n):
        a[i] = c[b[i]]


def scatter(a, b, c, n, m):
    for i in range(n):
        a[b[i] & 1023] = c[i & 1023]


def scatter_some(a, b, c, n, m):
    for i in range(n):
        if b[i] & 4096:
            a[b[i] & 1023] = c[i & 1023]


def sum(a, b, c, n, m):
    total = F(0)
    for i in range(n):
        total += b[i]
    a[0] = total


def dot(a, b, c, n, m):
    total = F(0)
    for i in range(n):
        total += b[i] * c[i]
    a[0] = total


def logistic(a, b, c, n, m):
    for i in range(n):
        x = b[i]
        for _ in range(m):
            x = F(3.7) * x * (F(1) - x)
        a[i] = x


def random_numbers(a, b, c, n, m):
    for i in range(n):
        x, total = U(b[i] | 1), U(0)
        for _ in range(m):
            x = U(x ^ U(x << U(13)))
            x = U(x ^ U(x >> U(17)))
            x = U(x ^ U(x << U(5)))
            total = U(total + U(x >> U(8)))
        a[i] = total


def horner(a, b, c, n, m):
    for i in range(n):
        x, y = b[i], F(0)
        for k in range(m):
            y = y * x + c[k]
        a[i] = y


def saxpy_unaligned(a, b, c, n, m):
    for i in range(n):
        a[i + 1] = F(2) * b[i + 1] + c[i + 1]


def triad_large(a, b, c, n, m):
    for i in range(n):
        a[i] = F(2) * b[i] + c[i]
