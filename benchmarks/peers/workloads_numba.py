"""kernels/workloads.ispc as numba users write it: scalar loops, constants of the arrays' type; compiled by contenders.py."""

from __future__ import annotations

import math

import numpy as np
from peers.geometry_numba import (  # noqa: F401
    collide,
    complex_multiply,
    heat3d,
    mandelbrot64,
    matrix3,
    nearest,
    pi_points,
    quaternions,
    ray_box,
    ray_triangles,
    transform4,
    tridiagonal,
    value_noise2,
)

F = np.float32
I = np.int32  # noqa: E741
U = np.uint32
W = np.uint64


def starts_of_runs(a, b, c, n, m):
    k = 0
    for i in range(1, n):
        if b[i] != b[i - 1]:
            a[k] = i
            k += 1


def rgb_to_yuv(a, b, c, n, m):
    for i in range(n):
        r, g, u = I(b[3 * i]), I(b[3 * i + 1]), I(b[3 * i + 2])
        a[i] = (66 * r + 129 * g + 25 * u + 4224) >> 8
        a[n + i] = (-38 * r - 74 * g + 112 * u + 32896) >> 8
        a[2 * n + i] = (112 * r - 94 * g - 18 * u + 32896) >> 8


def interleave_bytes(a, b, c, n, m):
    for i in range(n):
        a[3 * i], a[3 * i + 1], a[3 * i + 2] = b[i], b[n + i], b[2 * n + i]


def bilinear(a, b, c, n, m):
    for y in range(m):
        v = F(y) * F(0.7)
        row = int(v)
        fy = v - F(row)
        for x in range(n):
            u = F(x) * F(0.6)
            column = int(u)
            fx = u - F(column)
            p = row * n + column
            top, low = b[p] + fx * (b[p + 1] - b[p]), b[p + n] + fx * (b[p + n + 1] - b[p + n])
            a[y * n + x] = top + fy * (low - top)


def erode(a, b, c, n, m):
    for y in range(1, m - 1):
        for x in range(1, n - 1):
            least = b[y * n + x]
            for j in range(-1, 2):
                for i in range(-1, 2):
                    least = min(least, b[(y + j) * n + x + i])
            a[y * n + x] = least


def integral(a, b, c, n, m):
    for x in range(n):
        a[x] = 0
    for y in range(1, m):
        total = I(0)
        for x in range(n):
            total = I(total + b[y * n + x])
            a[y * n + x] = a[(y - 1) * n + x] + total


def dct8(a, b, c, n, m):
    for i in range(n):
        for k in range(8):
            total = F(0)
            for j in range(8):
                total += b[8 * i + j] * c[8 * k + j]
            a[8 * i + k] = total


def fir(a, b, c, n, m):
    for i in range(n):
        total = F(0.02) * b[i] + F(0.1) * b[i + 1] + F(0.38) * b[i + 3] + F(0.3) * b[i + 4] + F(0.38) * b[i + 5]
        a[i] = total - F(0.1) * b[i + 7] - F(0.02) * b[i + 8]


def biquad(a, b, c, n, m):
    for i in range(n):
        x1, x2, y1, y2 = F(0), F(0), F(0), F(0)
        for t in range(m):
            x = b[t * n + i]
            y = F(0.2) * x + F(0.4) * x1 + F(0.2) * x2 + F(0.5) * y1 - F(0.3) * y2
            x2, x1, y2, y1 = x1, x, y1, y
            a[t * n + i] = y


def crc_rows(a, b, c, n, m):
    for i in range(n):
        s = U(0xFFFFFFFF)
        for k in range(m):
            s = U(c[(s ^ b[i * m + k]) & 255] ^ (s >> U(8)))
        a[i] = ~s


def base64(a, b, c, n, m):
    for i in range(n):
        v = (U(b[3 * i]) << U(16)) | (U(b[3 * i + 1]) << U(8)) | U(b[3 * i + 2])
        for k in range(4):
            a[4 * i + k] = c[(v >> U(18 - 6 * k)) & U(63)]


def hex(a, b, c, n, m):
    for i in range(n):
        high, low = b[i] >> 4, b[i] & 15
        a[2 * i] = high + (48 if high < 10 else 87)
        a[2 * i + 1] = low + (48 if low < 10 else 87)


def utf8_count(a, b, c, n, m):
    count = 0
    for i in range(n):
        count += (b[i] & 0xC0) != 0x80
    a[0] = count


def hamming(a, b, c, n, m):
    for i in range(n):
        d = U(0)
        for k in range(m):
            x = U(b[k * n + i] ^ c[k])
            x = U(x - ((x >> U(1)) & U(0x55555555)))
            x = U((x & U(0x33333333)) + ((x >> U(2)) & U(0x33333333)))
            x = U((x + (x >> U(4))) & U(0x0F0F0F0F))
            d = U(d + (U(x * U(0x01010101)) >> U(24)))
        a[i] = d


def mix_audio(a, b, c, n, m):
    for i in range(n):
        a[i] = min(max((b[i] * 19000 + c[i] * 23000) >> 15, -32768), 32767)


def alaw(a, b, c, n, m):
    for i in range(n):
        a[i] = c[b[i]]


gather_u8 = gather_u16 = alaw


def bucket_sizes(a, b, c, n, m):
    for k in range(64):
        a[k] = 0
    for i in range(n):
        a[int(b[i] * F(64))] += 1


def relax(a, b, c, n, m):
    for k in range(m):
        a[k] = k & 31
    for i in range(n):
        d, to = a[b[i]] + c[i], b[n + i]
        if d < a[to]:
            a[to] = d


def bit_reverse(a, b, c, n, m):
    for i in range(n):
        v = b[i]
        v = ((v >> U(1)) & U(0x55555555)) | ((v & U(0x55555555)) << U(1))
        v = ((v >> U(2)) & U(0x33333333)) | ((v & U(0x33333333)) << U(2))
        v = ((v >> U(4)) & U(0x0F0F0F0F)) | ((v & U(0x0F0F0F0F)) << U(4))
        v = ((v >> U(8)) & U(0x00FF00FF)) | ((v & U(0x00FF00FF)) << U(8))
        a[i] = (v >> U(16)) | (v << U(16))


def match_keys(a, b, c, n, m):
    for i in range(n):
        k = 0
        while k < 16 and b[16 * i + k] == c[k]:
            k += 1
        a[i] = k


def parse_digits(a, b, c, n, m):
    for i in range(n):
        v = I(0)
        for k in range(8):
            v = I(v * 10 + (b[8 * i + k] - 48))
        a[i] = v


def layer_norm(a, b, c, n, m):
    for y in range(m):
        s, q = F(0), F(0)
        for x in range(n):
            v = b[y * n + x]
            s += v
            q += v * v
        mean = s / F(n)
        scale = F(1) / math.sqrt(q / F(n) - mean * mean + F(1e-5))
        for x in range(n):
            a[y * n + x] = (b[y * n + x] - mean) * scale


def absolute_differences(a, b, c, n, m):
    total = I(0)
    for i in range(n):
        total = I(total + abs(I(b[i]) - I(c[i])))
    a[0] = total


def blend_over(a, b, c, n, m):
    for i in range(n):
        t = 255 - I(b[4 * i + 3])
        for k in range(4):
            v = c[4 * i + k] * t + 128
            a[4 * i + k] = b[4 * i + k] + ((v + (v >> 8)) >> 8)


def halve_bytes(a, b, c, n, m):
    for y in range(m):
        for x in range(n):
            at, below = 4 * y * n + 2 * x, (4 * y + 2) * n + 2 * x
            a[y * n + x] = (2 + b[at] + b[at + 1] + b[below] + b[below + 1]) >> 2


def double_pixels(a, b, c, n, m):
    for i in range(n):
        a[2 * i] = a[2 * i + 1] = b[i]


def extremes(a, b, c, n, m):
    low, high = b[0], b[0]
    for i in range(n):
        low, high = min(low, b[i]), max(high, b[i])
    a[0], a[1] = low, high


def stereo_to_float(a, b, c, n, m):
    for i in range(n):
        a[i], a[n + i] = b[2 * i] * F(1 / 32768), b[2 * i + 1] * F(1 / 32768)


def float_to_pcm(a, b, c, n, m):
    for i in range(n):
        a[i] = I(min(max(b[i] * F(70000) - F(35000), F(-32768)), F(32767)))


def byte_swap(a, b, c, n, m):
    for i in range(n):
        v = b[i]
        a[i] = (v << U(24)) | ((v & U(0xFF00)) << U(8)) | ((v >> U(8)) & U(0xFF00)) | (v >> U(24))


def mix64(a, b, c, n, m):
    for i in range(n):
        v = b[i] + W(0x9E3779B97F4A7C15)
        v = (v ^ (v >> W(30))) * W(0xBF58476D1CE4E5B9)
        v = (v ^ (v >> W(27))) * W(0x94D049BB133111EB)
        a[i] = v ^ (v >> W(31))


def bytes_to_floats(a, b, c, n, m):
    for i in range(n):
        a[i] = (F(b[i]) - F(127.5)) * F(1 / 127.5)


def row_gradient(a, b, c, n, m):
    for y in range(m):
        for x in range(n):
            a[y * n + x] = b[y * n + min(x + 1, n - 1)] - b[y * n + max(x - 1, 0)]


def moving_average(a, b, c, n, m):
    for i in range(n):
        total = F(0)
        for k in range(m):
            total += b[i + k]
        a[i] = total / F(m)


def dot_bytes(a, b, c, n, m):
    total = I(0)
    for i in range(n):
        total = I(total + I(b[i]) * I(c[i]))
    a[0] = total


def first_above(a, b, c, n, m):
    for y in range(m):
        at = n
        for x in range(n):
            if b[y * n + x] > F(0.98):
                at = x
                break
        a[y] = at


def quantise(a, b, c, n, m):
    for i in range(n):
        a[i] = I(min(max(b[i] * F(300) - F(150), F(-128)), F(127)))
