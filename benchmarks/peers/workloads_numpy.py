"""kernels/workloads.ispc as numpy users write it.

Not `relax`, each of whose steps reads what those before wrote: numpy has no form of it but a loop in Python.
"""

from __future__ import annotations

import numpy as np

F = np.float32
U = np.uint32


def starts_of_runs(a, b, c, n, m):
    starts = np.flatnonzero(b[1:n] != b[: n - 1]) + 1
    a[: starts.size] = starts


def rgb_to_yuv(a, b, c, n, m):
    r, g, u = b[: 3 * n].reshape(n, 3).T.astype(np.int32)
    a[:n] = (66 * r + 129 * g + 25 * u + 4224) >> 8
    a[n : 2 * n] = (-38 * r - 74 * g + 112 * u + 32896) >> 8
    a[2 * n : 3 * n] = (112 * r - 94 * g - 18 * u + 32896) >> 8


def interleave_bytes(a, b, c, n, m):
    a[: 3 * n].reshape(n, 3)[:] = b[: 3 * n].reshape(3, n).T


def bilinear(a, b, c, n, m):
    v, u = np.arange(m, dtype=F) * F(0.7), np.arange(n, dtype=F) * F(0.6)
    rows, columns = v.astype(int), u.astype(int)
    fy, fx = (v - rows.astype(F))[:, None], u - columns.astype(F)
    p = rows[:, None] * n + columns
    top, low = b[p] + fx * (b[p + 1] - b[p]), b[p + n] + fx * (b[p + n + 1] - b[p + n])
    a[: n * m].reshape(m, n)[:] = top + fy * (low - top)


def erode(a, b, c, n, m):
    p = b[: n * m].reshape(m, n)
    rows = np.minimum(np.minimum(p[:, :-2], p[:, 1:-1]), p[:, 2:])
    a[: n * m].reshape(m, n)[1:-1, 1:-1] = np.minimum(np.minimum(rows[:-2], rows[1:-1]), rows[2:])


def integral(a, b, c, n, m):
    sums = a[: n * m].reshape(m, n)
    sums[0] = 0
    np.cumsum(b[n : n * m].reshape(m - 1, n), axis=0, dtype=np.int32, out=sums[1:])
    np.cumsum(sums[1:], axis=1, out=sums[1:])


def dct8(a, b, c, n, m):
    np.matmul(b[: 8 * n].reshape(n, 8), c[:64].reshape(8, 8).T, out=a[: 8 * n].reshape(n, 8))


def fir(a, b, c, n, m):
    taps = np.array([0.02, 0.1, 0, 0.38, 0.3, 0.38, 0, -0.1, -0.02], F)
    a[:n] = np.correlate(b[: n + 8], taps, "valid")


def biquad(a, b, c, n, m):
    x, y = b[: n * m].reshape(m, n), a[: n * m].reshape(m, n)
    x1 = x2 = y1 = y2 = np.zeros(n, F)
    for t in range(m):
        y[t] = F(0.2) * x[t] + F(0.4) * x1 + F(0.2) * x2 + F(0.5) * y1 - F(0.3) * y2
        x2, x1, y2, y1 = x1, x[t], y1, y[t]


def crc_rows(a, b, c, n, m):
    rows, s = b[: n * m].reshape(n, m), np.full(n, 0xFFFFFFFF, U)
    for k in range(m):
        s = c[(s ^ rows[:, k]) & U(255)] ^ (s >> U(8))
    np.invert(s, out=a[:n])


def base64(a, b, c, n, m):
    x = b[: 3 * n].reshape(n, 3).astype(U)
    v = (x[:, 0] << U(16)) | (x[:, 1] << U(8)) | x[:, 2]
    a[: 4 * n].reshape(n, 4)[:] = c[(v[:, None] >> np.array([18, 12, 6, 0], U)) & U(63)]


def hex(a, b, c, n, m):
    digits = np.frombuffer(b"0123456789abcdef", np.uint8)
    a[: 2 * n : 2] = digits[b[:n] >> 4]
    a[1 : 2 * n : 2] = digits[b[:n] & 15]


def utf8_count(a, b, c, n, m):
    a[0] = np.count_nonzero((b[:n] & 0xC0) != 0x80)


def hamming(a, b, c, n, m):
    np.bitwise_count(b[: n * m].reshape(m, n) ^ c[:m, None]).sum(axis=0, dtype=np.int32, out=a[:n])


def mix_audio(a, b, c, n, m):
    a[:n] = np.clip((b[:n].astype(np.int32) * 19000 + c[:n].astype(np.int32) * 23000) >> 15, -32768, 32767)


def alaw(a, b, c, n, m):
    a[:n] = c[b[:n]]


gather_u8 = gather_u16 = alaw


def complex_multiply(a, b, c, n, m):
    x, y = b[: 2 * n].view(np.complex64), c[: 2 * n].view(np.complex64)
    np.multiply(x, y, out=a[: 2 * n].view(np.complex64))


def quaternions(a, b, c, n, m):
    w, x, y, z = b[: 4 * n].reshape(n, 4).T
    p, q, r, s = c[: 4 * n].reshape(n, 4).T
    out = a[: 4 * n].reshape(n, 4)
    out[:, 0] = w * p - x * q - y * r - z * s
    out[:, 1] = w * q + x * p + y * s - z * r
    out[:, 2] = w * r - x * s + y * p + z * q
    out[:, 3] = w * s + x * r - y * q + z * p


def transform4(a, b, c, n, m):
    np.matmul(b[: 4 * n].reshape(n, 4), c[:16].reshape(4, 4).T, out=a[: 4 * n].reshape(n, 4))


def pi_points(a, b, c, n, m):
    s, count = b[:n] | U(1), a[:n]
    count[:] = 0
    for _ in range(m):
        point = []
        for _ in range(2):
            s ^= s << U(13)
            s ^= s >> U(17)
            s ^= s << U(5)
            point.append((s >> U(8)).astype(F) * F(1 / 16777216))
        count += point[0] * point[0] + point[1] * point[1] < 1


def value_noise2(a, b, c, n, m):
    u, v = np.arange(n, dtype=F) * F(0.13), np.arange(m, dtype=F) * F(0.17)
    i, j = u.astype(int), v.astype(int)[:, None]
    f, g = u - i.astype(F), (v - j[:, 0].astype(F))[:, None]
    f, g = f * f * (3 - 2 * f), g * g * (3 - 2 * g)
    p, q = b[i & 255], b[(i + 1) & 255]
    s, t, w, z = c[(p + j) & 255], c[(q + j) & 255], c[(p + j + 1) & 255], c[(q + j + 1) & 255]
    top, low = s + f * (t - s), w + f * (z - w)
    a[: n * m].reshape(m, n)[:] = top + g * (low - top)


def mandelbrot64(a, b, c, n, m):
    steps = a[:n]
    steps[:] = 0
    on, z, start = np.arange(n), np.zeros(n, complex), b[:n] + 1j * c[:n]
    for _ in range(m):
        inside = z.real * z.real + z.imag * z.imag < 4
        on, z, start = on[inside], z[inside], start[inside]
        steps[on] += 1
        z = z * z + start


def heat3d(a, b, c, n, m):
    p = b[: n * m * m].reshape(m, m, n)
    around = (
        p[1:-1, 1:-1, :-2] + p[1:-1, 1:-1, 2:] + p[1:-1, :-2, 1:-1] + p[1:-1, 2:, 1:-1] + p[:-2, 1:-1, 1:-1] + p[2:, 1:-1, 1:-1]
    )
    a[: n * m * m].reshape(m, m, n)[1:-1, 1:-1, 1:-1] = F(0.4) * p[1:-1, 1:-1, 1:-1] + F(0.1) * around


def tridiagonal(a, b, c, n, m):
    rows, out, w = b[: n * m].reshape(m, n), a[: n * m].reshape(m, n), np.zeros(m, F)
    d, q = F(0), np.zeros(n, F)
    for k in range(m):
        w[k] = d = 1 / (4 - d)
        out[k] = q = (rows[k] + q) * d
    for k in range(m - 2, -1, -1):
        out[k] += w[k] * out[k + 1]


def nearest(a, b, c, n, m):
    x, y = b[:n, None] - c[: 2 * m : 2], b[n : 2 * n, None] - c[1 : 2 * m : 2]
    a[:n] = (x * x + y * y).argmin(axis=1)


def bucket_sizes(a, b, c, n, m):
    a[:64] = np.bincount((b[:n] * 64).astype(np.int32), minlength=64)


def ray_box(a, b, c, n, m):
    x, y, z = 1 / b[:n], 1 / b[n : 2 * n], 1 / c[:n]
    sides = ((-x, 2 * x), (F(-0.5) * y, F(1.5) * y), (F(0.25) * z, 3 * z))
    low, high = zip(*((np.minimum(*side), np.maximum(*side)) for side in sides))
    t0, t1 = np.maximum(np.maximum(low[0], low[1]), low[2]), np.minimum(np.minimum(high[0], high[1]), high[2])
    a[:n] = np.where(t0 <= t1, t0, F(-1))


def ray_triangles(a, b, c, n, m):
    rays = np.stack([b[:n] - F(0.5), b[n : 2 * n] - F(0.5), np.ones(n, F)], axis=1)[:, None]
    s, e1, e2 = -c[: 9 * m].reshape(m, 3, 3).transpose(1, 0, 2) * np.array([1, -1, -1], F)[:, None, None]
    p, q = np.cross(rays, e2), np.cross(s, e1)
    inverse = 1 / ((e1 * p).sum(axis=2) + F(1e-6))
    u, v, d = (s * p).sum(axis=2) * inverse, (rays * q).sum(axis=2) * inverse, (e2 * q).sum(axis=1) * inverse
    hit = (u >= 0) & (v >= 0) & (u + v <= 1) & (d > 0)
    np.where(hit, d, F(1e30)).min(axis=1, out=a[:n])


def bit_reverse(a, b, c, n, m):
    v = b[:n]
    for shift, mask in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF), (16, 0xFFFF)):
        v = ((v >> U(shift)) & U(mask)) | ((v & U(mask)) << U(shift))
    a[:n] = v


def match_keys(a, b, c, n, m):
    differ = b[: 16 * n].reshape(n, 16) != c[:16]
    a[:n] = np.where(differ.any(axis=1), differ.argmax(axis=1), 16)


def parse_digits(a, b, c, n, m):
    digits = b[: 8 * n].reshape(n, 8) - np.uint8(48)
    np.matmul(digits.astype(np.int32), 10 ** np.arange(7, -1, -1, dtype=np.int32), out=a[:n])


def layer_norm(a, b, c, n, m):
    x = b[: n * m].reshape(m, n)
    mean = x.mean(axis=1, keepdims=True)
    np.divide(x - mean, np.sqrt(x.var(axis=1, keepdims=True) + F(1e-5)), out=a[: n * m].reshape(m, n))


def absolute_differences(a, b, c, n, m):
    a[0] = np.abs(b[:n].astype(np.int16) - c[:n]).sum()


def blend_over(a, b, c, n, m):
    front, back = b[: 4 * n].reshape(n, 4), c[: 4 * n].reshape(n, 4)
    v = back * (255 - front[:, 3:]).astype(np.int32) + 128
    a[: 4 * n].reshape(n, 4)[:] = front + ((v + (v >> 8)) >> 8)


def halve_bytes(a, b, c, n, m):
    rows = b[: 4 * n * m].reshape(m, 2, 2 * n).astype(np.uint16)
    whole = rows.sum(axis=1, dtype=np.uint16)
    a[: n * m].reshape(m, n)[:] = (whole[:, ::2] + whole[:, 1::2] + 2) >> 2


def double_pixels(a, b, c, n, m):
    a[: 2 * n].reshape(n, 2)[:] = b[:n, None]


def extremes(a, b, c, n, m):
    a[0], a[1] = b[:n].min(), b[:n].max()


def stereo_to_float(a, b, c, n, m):
    np.multiply(b[: 2 * n].reshape(n, 2).T, F(1 / 32768), out=a[: 2 * n].reshape(2, n))


def float_to_pcm(a, b, c, n, m):
    a[:n] = np.clip(b[:n] * 70000 - 35000, -32768, 32767).astype(np.int16)


def byte_swap(a, b, c, n, m):
    a[:n] = b[:n].byteswap()


def mix64(a, b, c, n, m):
    v = b[:n] + np.uint64(0x9E3779B97F4A7C15)
    v = (v ^ (v >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    v = (v ^ (v >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    np.bitwise_xor(v, v >> np.uint64(31), out=a[:n])


def bytes_to_floats(a, b, c, n, m):
    a[:n] = (b[:n].astype(F) - F(127.5)) * F(1 / 127.5)


def row_gradient(a, b, c, n, m):
    x, out = b[: n * m].reshape(m, n), a[: n * m].reshape(m, n)
    np.subtract(x[:, 2:], x[:, :-2], out=out[:, 1:-1])
    out[:, 0], out[:, -1] = x[:, 1] - x[:, 0], x[:, -1] - x[:, -2]


def matrix3(a, b, c, n, m):
    p = b[: 9 * n].reshape(n, 9).T
    first, second = p[0] * (p[4] * p[8] - p[5] * p[7]), p[1] * (p[3] * p[8] - p[5] * p[6])
    a[:n] = first - second + p[2] * (p[3] * p[7] - p[4] * p[6])


def collide(a, b, c, n, m):
    v = c[:n]
    x = b[:n] + F(0.01) * v
    low = x < F(0.1)
    x, v = np.where(low, F(0.2) - x, x), np.where(low, -v, v)
    high = x > F(0.9)
    a[:n], a[n : 2 * n] = np.where(high, F(1.8) - x, x), np.where(high, -v * F(0.5), v)


def moving_average(a, b, c, n, m):
    a[:n] = np.convolve(b[: n + m - 1], np.full(m, 1 / m, F), "valid")


def dot_bytes(a, b, c, n, m):
    a[0] = np.dot(b[:n].astype(np.int32), c[:n].astype(np.int32))


def first_above(a, b, c, n, m):
    above = b[: n * m].reshape(m, n) > F(0.98)
    a[:m] = np.where(above.any(axis=1), above.argmax(axis=1), n)


def quantise(a, b, c, n, m):
    a[:n] = np.clip(b[:n] * 300 - 150, -128, 127).astype(np.int8)
