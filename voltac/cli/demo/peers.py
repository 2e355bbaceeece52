"""The demo's kernels as one writes them in numpy, and for numba where it is installed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


def newton(x: float, y: float, pixel: float, width: int, height: int, degree: int, most: int, results: Array) -> None:
    """Whole-array steps; starts that have arrived are dropped from the working set."""
    across = np.float32(x) + (np.arange(width) + 0.5 - 0.5 * width).astype(np.float32) * np.float32(pixel)
    up = np.float32(y) - (np.arange(height) + 0.5 - 0.5 * height).astype(np.float32) * np.float32(pixel)
    ends = (across[None, :] + 1j * up[:, None]).astype(np.complex64).ravel()
    taken, under_way = np.zeros(ends.size, np.int32), np.arange(ends.size)
    z, part = ends.copy(), np.float32(1 / degree)
    for _ in range(most):
        step = part * ((1 / z) ** (degree - 1) - z)
        z = z + step
        ends[under_way] = z
        taken[under_way] += 1
        left = np.abs(step.real) + np.abs(step.imag) > np.float32(1e-6)
        under_way, z = under_way[left], z[left]
    roots = np.round(np.angle(ends) * np.float32(degree / (2 * np.pi))).astype(np.int32) % degree
    results[:] = degree * taken + roots


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
        from numba import njit  # late: it may be missing
    except ImportError:
        return None
    f = np.float32

    def scalar_newton(x: Any, y: Any, pixel: Any, width: int, height: int, degree: int, most: int, results: Array) -> None:
        part = f(1) / f(degree)
        for row in range(height):
            for column in range(width):
                re = x + (f(column) + f(0.5) - f(0.5) * f(width)) * pixel
                im = y - (f(row) + f(0.5) - f(0.5) * f(height)) * pixel
                moved, steps = f(1), 0
                while moved > f(1e-6) and steps < most:
                    scale = f(1) / (re * re + im * im)
                    inverse_re, inverse_im = re * scale, -im * scale
                    power_re, power_im = inverse_re, inverse_im
                    for _ in range(2, degree):
                        power_re, power_im = (
                            power_re * inverse_re - power_im * inverse_im,
                            power_re * inverse_im + power_im * inverse_re,
                        )
                    step_re, step_im = part * (power_re - re), part * (power_im - im)
                    re, im = re + step_re, im + step_im
                    moved = abs(step_re) + abs(step_im)
                    steps += 1
                root = round(math.atan2(im, re) * f(degree / (2 * math.pi)))
                results[row * width + column] = degree * steps + root % degree

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
    return {"newton": compiled(scalar_newton), "bilateral": compiled(scalar_bilateral)}
