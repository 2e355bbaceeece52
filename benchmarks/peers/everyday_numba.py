"""kernels/everyday.ispc as numba users write it: scalar loops, constants of the arrays' type; compiled by contenders.py."""

from __future__ import annotations

import math

import numpy as np

F = np.float32
U = np.uint32


def clamp_inplace(a, b, c, n, m):
    for i in range(n):
        a[i] = min(max(a[i] * F(0.5) + b[i], F(-1)), F(1))


def blur_bytes(a, b, c, n, m):
    for i in range(1, n - 1):
        a[i] = (b[i - 1] + 2 * b[i] + b[i + 1] + 2) >> 2


def box5(a, b, c, n, m):
    for y in range(2, m - 2):
        for x in range(2, n - 2):
            total = F(0)
            for j in range(-2, 3):
                for i in range(-2, 3):
                    total += b[(y + j) * n + x + i]
            a[y * n + x] = total * F(0.04)


def jacobi(a, b, c, n, m):
    for y in range(1, m - 1):
        for x in range(1, n - 1):
            at = y * n + x
            a[at] = F(0.25) * (b[at - 1] + b[at + 1] + b[at - n] + b[at + n])


def rgb3(a, b, c, n, m):
    for i in range(n):
        a[i] = (77 * b[3 * i] + 150 * b[3 * i + 1] + 29 * b[3 * i + 2] + 128) >> 8


def nbody(a, b, c, n, m):
    for i in range(n):
        x, y, z = b[i], b[n + i], b[2 * n + i]
        fx, fy, fz = F(0), F(0), F(0)
        for j in range(n):
            dx, dy, dz = b[j] - x, b[n + j] - y, b[2 * n + j] - z
            d = dx * dx + dy * dy + dz * dz + F(0.01)
            w = F(1) / (d * math.sqrt(d))
            fx += dx * w
            fy += dy * w
            fz += dz * w
        a[i], a[n + i], a[2 * n + i] = fx, fy, fz


def spheres(a, b, c, n, m):
    for i in range(n):
        dx, dy, dz = b[i], c[i], F(1)
        best = F(1e30)
        for j in range(m):
            ox, oy, oz = b[j] * F(4), c[j] * F(4), F(3 + j)
            half, square = dx * ox + dy * oy + dz * oz, dx * dx + dy * dy + dz * dz
            inside = half * half - square * (ox * ox + oy * oy + oz * oz - F(1))
            if inside > F(0):
                t = (half - math.sqrt(inside)) / square
                if t > F(0) and t < best:
                    best = t
        a[i] = best


def oddeven(a, b, c, n, m):
    for i in range(n):
        a[i] = b[i]
    for p in range(32):
        for k in range(p & 1, n - 1, 2):
            low, high = min(a[k], a[k + 1]), max(a[k], a[k + 1])
            a[k], a[k + 1] = low, high


def ell(a, b, c, n, m):
    for i in range(n):
        total = F(0)
        for k in range(m):
            total += c[k * n + i] * c[b[k * n + i]]
        a[i] = total


def noise1(a, b, c, n, m):
    for i in range(n):
        x = b[i] * F(50)
        k = np.int32(math.floor(x))
        f = x - F(k)
        h0, h1 = U(U(k) * U(374761393)), U(U(k + 1) * U(374761393))
        h0 = U(U(h0 ^ (h0 >> U(13))) * U(1274126177))
        h1 = U(U(h1 ^ (h1 >> U(13))) * U(1274126177))
        v0, v1 = F(np.int32(h0 >> U(8))) * F(1 / 16777216), F(np.int32(h1 >> U(8))) * F(1 / 16777216)
        a[i] = v0 + f * f * (F(3) - F(2) * f) * (v1 - v0)


def matvec(a, b, c, n, m):
    for i in range(m):
        total = F(0)
        for j in range(n):
            total += b[i * n + j] * c[j]
        a[i] = total


def matvec_t(a, b, c, n, m):
    for j in range(n):
        a[j] = 0
    for i in range(m):
        for j in range(n):
            a[j] += b[i * n + j] * c[i]


def lcg(a, b, c, n, m):
    for i in range(n):
        s, total = b[i], F(0)
        for _ in range(m):
            s = U(U(s * U(1664525)) + U(1013904223))
            total += F(np.int32(s >> U(9)))
        a[i] = total


def running_max(a, b, c, n, m):
    most = b[0]
    for i in range(n):
        most = max(most, b[i])
        a[i] = most


def count_above(a, b, c, n, m):
    count = 0
    for i in range(n):
        count += b[i] > F(0.3)
    a[0] = count


def argmin(a, b, c, n, m):
    best, at = F(1e30), 0
    for i in range(n):
        if b[i] < best:
            best, at = b[i], i
    a[0] = at


def lower(a, b, c, n, m):
    for i in range(n):
        x = b[i]
        a[i] = x + 32 if x >= 65 and x <= 90 else x


def lower_inplace(a, b, c, n, m):
    for y in range(31):
        for i in range(n):
            x = a[y * n + i]
            a[y * n + i] = x + 32 if x >= 65 and x <= 90 else x


def count_letter(a, b, c, n, m):
    count = 0
    for i in range(n):
        count += b[i] == 101
    a[0] = count


def xor_bytes(a, b, c, n, m):
    for i in range(n):
        a[i] = b[i] ^ c[i & 15]


def normalise4(a, b, c, n, m):
    for i in range(n):
        x, y, z = b[4 * i], b[4 * i + 1], b[4 * i + 2]
        r = F(1) / math.sqrt(x * x + y * y + z * z + F(1e-9))
        a[4 * i], a[4 * i + 1], a[4 * i + 2], a[4 * i + 3] = x * r, y * r, z * r, F(0)


def aos3(a, b, c, n, m):
    for i in range(n):
        x, y, z = b[3 * i], b[3 * i + 1], b[3 * i + 2]
        a[3 * i], a[3 * i + 1], a[3 * i + 2] = y, z * F(2), x + z


def every_fourth(a, b, c, n, m):
    for i in range(n):
        a[i] = b[4 * i]


def reverse(a, b, c, n, m):
    for i in range(n):
        a[i] = b[n - 1 - i]


def int16_add_sat(a, b, c, n, m):
    for i in range(n):
        a[i] = min(max(np.int32(b[i]) + np.int32(c[i]), -32768), 32767)


def transpose64(a, b, c, n, m):
    for y in range(m):
        for x in range(n):
            a[x * m + y] = b[y * n + x]


def isqrt_int(a, b, c, n, m):
    for i in range(n):
        x, r = b[i], 0
        bit = 1 << 14
        while bit > 0:
            if (r + bit) * (r + bit) <= x:
                r += bit
            bit >>= 1
        a[i] = r


def binary_search(a, b, c, n, m):
    for i in range(n):
        x, low = b[i], 0
        step = 512
        while step > 0:
            if c[low + step - 1] < x:
                low += step
            step >>= 1
        a[i] = low


def popcounts(a, b, c, n, m):
    for i in range(n):
        x = U(b[i])
        x = U(x - ((x >> U(1)) & U(0x55555555)))
        x = U((x & U(0x33333333)) + ((x >> U(2)) & U(0x33333333)))
        x = U((x + (x >> U(4))) & U(0x0F0F0F0F))
        a[i] = U(x * U(0x01010101)) >> U(24)


def daxpy(a, b, c, n, m):
    for i in range(n):
        a[i] = 2 * b[i] + c[i]


def int_div(a, b, c, n, m):
    for i in range(n):
        a[i] = b[i] // (c[i] | 1)


def mod7(a, b, c, n, m):
    for i in range(n):
        a[i] = b[i] % 7
