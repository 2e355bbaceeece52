"""The demo's kernels as one writes them in numpy, and for numba where it is installed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


def mandelbrot(x0: float, y0: float, x1: float, y1: float, width: int, height: int, limit: int, counts: Array) -> None:
    """Whole-array iteration; points that have escaped are dropped from the working set."""
    cx = np.float32(x0) + np.arange(width, dtype=np.float32) * np.float32((x1 - x0) / width)
    cy = np.float32(y0) + np.arange(height, dtype=np.float32) * np.float32((y1 - y0) / height)
    c = (cx[None, :] + 1j * cy[:, None]).astype(np.complex64).ravel()
    z, left = c.copy(), np.arange(c.size)
    counts[:] = limit
    for step in range(limit):
        gone = z.real * z.real + z.imag * z.imag > 4
        if gone.any():
            counts[left[gone]] = step
            stay = ~gone
            z, c, left = z[stay], c[stay], left[stay]
        z = z * z + c


def bilateral(source: Array, to: Array, width: int, height: int, radius: int, place: float, colour: float) -> None:
    """One whole-array step for each neighbour."""
    picture = source.reshape(height, width, 3).astype(np.float32)
    inside = (slice(radius, height - radius), slice(radius, width - radius))
    centre = picture[inside]
    total, weights = np.zeros_like(centre), np.zeros(centre.shape[:2], np.float32)
    for dy in range(-radius, radius + 1):
        for dx in range(-radius, radius + 1):
            there = picture[radius + dy : height - radius + dy, radius + dx : width - radius + dx]
            apart = ((there - centre) ** 2).sum(axis=2)
            weight = np.exp(-np.float32(place) * (dx * dx + dy * dy) - np.float32(colour) * apart)
            total += weight[..., None] * there
            weights += weight
    to.reshape(height, width, 3)[inside] = (total / weights[..., None] + np.float32(0.5)).astype(np.uint8)


def numba_kernels() -> dict[str, Callable[..., None]] | None:
    """The same loops as the kernels', under ``@njit(fastmath=True)``; None where numba is missing."""
    try:
        from numba import njit
    except ImportError:
        return None
    f = np.float32

    def scalar_mandelbrot(x0: Any, y0: Any, x1: Any, y1: Any, width: int, height: int, limit: int, counts: Array) -> None:
        dx, dy = f((x1 - x0) / width), f((y1 - y0) / height)
        for row in range(height):
            for column in range(width):
                cx, cy = f(x0 + column * dx), f(y0 + row * dy)
                x, y, count = cx, cy, 0
                while count < limit and x * x + y * y <= f(4):
                    x, y = x * x - y * y + cx, f(2) * x * y + cy
                    count += 1
                counts[row * width + column] = count

    def scalar_bilateral(source: Array, to: Array, width: int, height: int, radius: int, place: Any, colour: Any) -> None:
        for y in range(radius, height - radius):
            for x in range(radius, width - radius):
                at = 3 * (y * width + x)
                red, green, blue = f(source[at]), f(source[at + 1]), f(source[at + 2])
                sum_red = sum_green = sum_blue = total = f(0)
                for dy in range(-radius, radius + 1):
                    for dx in range(-radius, radius + 1):
                        there = at + 3 * (dy * width + dx)
                        r, g, b = f(source[there]), f(source[there + 1]), f(source[there + 2])
                        apart = (r - red) * (r - red) + (g - green) * (g - green) + (b - blue) * (b - blue)
                        weight = f(math.exp(f(-place * f(dx * dx + dy * dy) - colour * apart)))
                        sum_red += weight * r
                        sum_green += weight * g
                        sum_blue += weight * b
                        total += weight
                to[at] = np.uint8(sum_red / total + f(0.5))
                to[at + 1] = np.uint8(sum_green / total + f(0.5))
                to[at + 2] = np.uint8(sum_blue / total + f(0.5))

    compiled = njit(fastmath=True)
    return {"mandelbrot": compiled(scalar_mandelbrot), "bilateral": compiled(scalar_bilateral)}
