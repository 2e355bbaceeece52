"""The kernels as numba users write them: scalar loops under ``@njit(fastmath=True)``."""

from __future__ import annotations

import math

import numpy as np
from numba import njit


@njit(fastmath=True)
def normal_distribution(x):
    t = np.float32(1) / (np.float32(1) + np.float32(0.2316419) * abs(x))
    tail = (
        np.float32(0.3989422804)
        * math.exp(np.float32(-0.5) * x * x)
        * (
            t
            * (
                np.float32(0.319381530)
                + t
                * (
                    np.float32(-0.356563782)
                    + t * (np.float32(1.781477937) + t * (np.float32(-1.821255978) + t * np.float32(1.330274429)))
                )
            )
        )
    )
    return np.float32(1) - tail if x > 0 else tail


@njit(fastmath=True)
def black_scholes(spot, strike, years, rate, volatility, price, n):
    for i in range(n):
        root = volatility * math.sqrt(years[i])
        d1 = (math.log(spot[i] / strike[i]) + (rate + np.float32(0.5) * volatility * volatility) * years[i]) / root
        d2 = d1 - root
        price[i] = spot[i] * normal_distribution(d1) - strike[i] * math.exp(-rate * years[i]) * normal_distribution(d2)


@njit(fastmath=True)
def stencil(source, to, width, height):
    for y in range(1, height - 1):
        for x in range(1, width - 1):
            at = y * width + x
            to[at] = np.float32(0.5) * source[at] + np.float32(0.125) * (
                source[at - 1] + source[at + 1] + source[at - width] + source[at + width]
            )


@njit(fastmath=True)
def scramble(x, y):
    h = np.uint32((np.uint32(np.uint32(x) * np.uint32(0x6F4F2A35)) + np.uint32(y)) * np.uint32(0xA3D8B1C7))
    h = np.uint32((h ^ (h >> np.uint32(16))) * np.uint32(0x5E2D58B3))
    return np.uint32(h ^ (h >> np.uint32(14)))


@njit(fastmath=True)
def gradient(x, y, dx, dy):
    h = scramble(x, y)
    along_x = np.float32(np.int32(h & np.uint32(0xFFFF)) - np.int32(32768))
    along_y = np.float32(np.int32(h >> np.uint32(16)) - np.int32(32768))
    return (along_x * dx + along_y * dy) * np.float32(1 / 32768)


@njit(fastmath=True)
def fade(t):
    return t * t * t * (t * (t * np.float32(6) - np.float32(15)) + np.float32(10))


@njit(fastmath=True)
def noise(x, y):
    one = np.float32(1)
    left, top = np.float32(math.floor(x)), np.float32(math.floor(y))
    ix, iy = np.int32(left), np.int32(top)
    dx, dy = x - left, y - top
    u, v = fade(dx), fade(dy)
    a, b = gradient(ix, iy, dx, dy), gradient(ix + 1, iy, dx - one, dy)
    c, d = gradient(ix, iy + 1, dx, dy - one), gradient(ix + 1, iy + 1, dx - one, dy - one)
    upper, lower = a + u * (b - a), c + u * (d - c)
    return upper + v * (lower - upper)


@njit(fastmath=True)
def turbulence(out, width, height, scale, octaves):
    for row in range(height):
        for column in range(width):
            x, y = np.float32(column * scale), np.float32(row * scale)
            total, weight = np.float32(0), np.float32(1)
            for _ in range(octaves):
                if total >= np.float32(0.4):
                    break
                total += weight * abs(noise(x, y))
                x *= np.float32(2)
                y *= np.float32(2)
                weight *= np.float32(0.5)
            out[row * width + column] = total
