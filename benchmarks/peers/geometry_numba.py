"""The kernels of geometry and of numbers of kernels/workloads.ispc, as in workloads_numba.py."""

from __future__ import annotations

import numpy as np

F = np.float32
I = np.int32  # noqa: E741
U = np.uint32


def complex_multiply(a, b, c, n, m):
    for i in range(n):
        x, y, u, v = b[2 * i], b[2 * i + 1], c[2 * i], c[2 * i + 1]
        a[2 * i], a[2 * i + 1] = x * u - y * v, x * v + y * u


def quaternions(a, b, c, n, m):
    for i in range(n):
        w, x, y, z = b[4 * i], b[4 * i + 1], b[4 * i + 2], b[4 * i + 3]
        p, q, r, s = c[4 * i], c[4 * i + 1], c[4 * i + 2], c[4 * i + 3]
        a[4 * i] = w * p - x * q - y * r - z * s
        a[4 * i + 1] = w * q + x * p + y * s - z * r
        a[4 * i + 2] = w * r - x * s + y * p + z * q
        a[4 * i + 3] = w * s + x * r - y * q + z * p


def transform4(a, b, c, n, m):
    for i in range(n):
        for r in range(4):
            total = c[4 * r] * b[4 * i] + c[4 * r + 1] * b[4 * i + 1]
            a[4 * i + r] = total + c[4 * r + 2] * b[4 * i + 2] + c[4 * r + 3] * b[4 * i + 3]


def pi_points(a, b, c, n, m):
    for i in range(n):
        s, count = U(b[i] | U(1)), 0
        for _ in range(m):
            s = U(s ^ U(s << U(13)))
            s = U(s ^ (s >> U(17)))
            s = U(s ^ U(s << U(5)))
            x = F(I(s >> U(8))) * F(1 / 16777216)
            s = U(s ^ U(s << U(13)))
            s = U(s ^ (s >> U(17)))
            s = U(s ^ U(s << U(5)))
            y = F(I(s >> U(8))) * F(1 / 16777216)
            count += x * x + y * y < F(1)
        a[i] = count


def value_noise2(a, b, c, n, m):
    for y in range(m):
        for x in range(n):
            u, v = F(x) * F(0.13), F(y) * F(0.17)
            i, j = int(u), int(v)
            f, g = u - F(i), v - F(j)
            f, g = f * f * (F(3) - F(2) * f), g * g * (F(3) - F(2) * g)
            p, q = b[i & 255], b[(i + 1) & 255]
            s, t, w, z = c[(p + j) & 255], c[(q + j) & 255], c[(p + j + 1) & 255], c[(q + j + 1) & 255]
            top, low = s + f * (t - s), w + f * (z - w)
            a[y * n + x] = top + g * (low - top)


def mandelbrot64(a, b, c, n, m):
    for i in range(n):
        x, y, k = 0.0, 0.0, 0
        while k < m and x * x + y * y < 4:
            x, y = x * x - y * y + b[i], 2 * x * y + c[i]
            k += 1
        a[i] = k


def heat3d(a, b, c, n, m):
    for z in range(1, m - 1):
        for y in range(1, m - 1):
            for x in range(1, n - 1):
                i = (z * m + y) * n + x
                around = b[i - 1] + b[i + 1] + b[i - n] + b[i + n] + b[i - n * m] + b[i + n * m]
                a[i] = F(0.4) * b[i] + F(0.1) * around


def tridiagonal(a, b, c, n, m):
    w = np.empty(64, F)
    for i in range(n):
        p, q = F(0), F(0)
        for k in range(m):
            d = F(1) / (F(4) - p)
            p = d
            w[k] = d
            q = (b[k * n + i] + q) * d
            a[k * n + i] = q
        for k in range(m - 2, -1, -1):
            q = a[k * n + i] + w[k] * q
            a[k * n + i] = q


def nearest(a, b, c, n, m):
    for i in range(n):
        best, at = F(1e30), 0
        for k in range(m):
            x, y = b[i] - c[2 * k], b[n + i] - c[2 * k + 1]
            d = x * x + y * y
            if d < best:
                best, at = d, k
        a[i] = at


def ray_box(a, b, c, n, m):
    for i in range(n):
        ix, iy, iz = F(1) / b[i], F(1) / b[n + i], F(1) / c[i]
        x0, x1, y0, y1, z0, z1 = -ix, F(2) * ix, F(-0.5) * iy, F(1.5) * iy, F(0.25) * iz, F(3) * iz
        t0 = max(max(min(x0, x1), min(y0, y1)), min(z0, z1))
        t1 = min(min(max(x0, x1), max(y0, y1)), max(z0, z1))
        a[i] = t0 if t0 <= t1 else F(-1)


def ray_triangles(a, b, c, n, m):
    for i in range(n):
        dx, dy, dz, best = b[i] - F(0.5), b[n + i] - F(0.5), F(1), F(1e30)
        for k in range(m):
            e1x, e1y, e1z = c[9 * k + 3], c[9 * k + 4], c[9 * k + 5]
            e2x, e2y, e2z = c[9 * k + 6], c[9 * k + 7], c[9 * k + 8]
            px, py, pz = dy * e2z - dz * e2y, dz * e2x - dx * e2z, dx * e2y - dy * e2x
            inv = F(1) / (e1x * px + e1y * py + e1z * pz + F(1e-6))
            sx, sy, sz = -c[9 * k], -c[9 * k + 1], -c[9 * k + 2]
            u = (sx * px + sy * py + sz * pz) * inv
            qx, qy, qz = sy * e1z - sz * e1y, sz * e1x - sx * e1z, sx * e1y - sy * e1x
            v = (dx * qx + dy * qy + dz * qz) * inv
            d = (e2x * qx + e2y * qy + e2z * qz) * inv
            if u >= F(0) and v >= F(0) and u + v <= F(1) and d > F(0) and d < best:
                best = d
        a[i] = best


def matrix3(a, b, c, n, m):
    for i in range(n):
        p = b[9 * i : 9 * i + 9]
        first, second = p[0] * (p[4] * p[8] - p[5] * p[7]), p[1] * (p[3] * p[8] - p[5] * p[6])
        a[i] = first - second + p[2] * (p[3] * p[7] - p[4] * p[6])


def collide(a, b, c, n, m):
    for i in range(n):
        x, v = b[i] + F(0.01) * c[i], c[i]
        if x < F(0.1):
            x, v = F(0.2) - x, -v
        if x > F(0.9):
            x, v = F(1.8) - x, -v * F(0.5)
        a[i], a[n + i] = x, v
