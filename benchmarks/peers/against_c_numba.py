"""kernels/against_c.ispc as numba users write it: scalar loops, constants of the arrays' type; compiled by contenders.py."""

from __future__ import annotations

import numpy as np

F = np.float32


def matrix_product(a, b, c, n, m):
    for i in range(n):
        for j in range(n):
            a[i * n + j] = 0
        for k in range(n):
            for j in range(n):
                a[i * n + j] += b[i * n + k] * c[k * n + j]


def filter(a, b, c, n, m):
    for i in range(n):
        total = F(0)
        for k in range(m):
            total += c[k] * b[i + k]
        a[i] = total


def convolution(a, b, c, n, m):
    for y in range(1, m - 1):
        for x in range(1, n - 1):
            total = F(0)
            for j in range(3):
                for i in range(3):
                    total += c[j * 3 + i] * b[(y + j - 1) * n + x + i - 1]
            a[y * n + x] = total


def shortest_ways(a, b, c, n, m):
    for i in range(n * n):
        a[i] = b[i]
    for k in range(n):
        for i in range(n):
            way = a[i * n + k]
            for j in range(n):
                a[i * n + j] = min(a[i * n + j], way + a[k * n + j])


def median(a, b, c, n, m):
    for i in range(1, n - 1):
        low, high = min(b[i - 1], b[i]), max(b[i - 1], b[i])
        a[i] = max(low, min(high, b[i + 1]))


def sobel(a, b, c, n, m):
    for y in range(1, m - 1):
        for x in range(1, n - 1):
            above, here, below = (y - 1) * n + x, y * n + x, (y + 1) * n + x
            right = np.int32(b[above + 1]) + 2 * np.int32(b[here + 1]) + b[below + 1]
            left = np.int32(b[above - 1]) + 2 * np.int32(b[here - 1]) + b[below - 1]
            lower = np.int32(b[below - 1]) + 2 * np.int32(b[below]) + b[below + 1]
            upper = np.int32(b[above - 1]) + 2 * np.int32(b[above]) + b[above + 1]
            a[here] = min(abs(right - left) + abs(lower - upper), 255)


def life(a, b, c, n, m):
    for y in range(1, m - 1):
        for x in range(1, n - 1):
            above, here, below = (y - 1) * n + x, y * n + x, (y + 1) * n + x
            around = b[above - 1] + b[above] + b[above + 1] + b[here - 1] + b[here + 1]
            around += b[below - 1] + b[below] + b[below + 1]
            a[here] = around == 3 or (around == 2 and b[here] != 0)


def grey(a, b, c, n, m):
    for i in range(n):
        a[i] = (77 * b[4 * i] + 150 * b[4 * i + 1] + 29 * b[4 * i + 2] + 128) >> 8


def blend(a, b, c, n, m):
    for i in range(n):
        total = np.uint16(np.uint16(b[i]) * c[i] + np.uint16(b[n + i]) * (255 - c[i]) + 128)
        a[i] = np.uint16(total + (total >> 8)) >> 8


def dot_int16(a, b, c, n, m):
    total = np.int32(0)
    for i in range(n):
        total = np.int32(total + np.int32(b[i]) * np.int32(c[i]))
    a[0] = total


def distance(a, b, c, n, m):
    total = np.int32(0)
    for i in range(n):
        total = np.int32(total + abs(np.int32(b[i]) - np.int32(c[i])))
    a[0] = total


def greatest(a, b, c, n, m):
    most = b[0]
    for i in range(n):
        most = max(most, b[i])
    a[0] = most


def compaction(a, b, c, n, m):
    count = 0
    for i in range(n):
        if b[i] > 0:
            a[count] = b[i]
            count += 1
