"""Pictures of the demo: colours for iteration counts, and the photograph to filter."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


def save_png(pixels: Array, path: Path) -> None:
    """``pixels``: uint8, height x width x 3."""
    from PIL import Image

    Image.fromarray(pixels).save(path)


def colours(counts: Array, limit: int) -> Array:
    """Iteration counts (height x width) as RGB: black inside the set, a smooth palette outside."""
    t = np.sqrt(counts.astype(np.float32) / limit)[..., None]
    phase = np.array([0.05, 0.35, 0.65], np.float32)
    wave = 0.5 - 0.5 * np.cos(2 * np.pi * (1.4 * t + phase))
    picture: Array = (255 * wave * (counts < limit)[..., None]).astype(np.uint8)
    return picture


def photograph() -> tuple[Array, str]:
    """A photograph (uint8, height x width x 3) and where it is from: scikit-image ships one, else one is rendered."""
    try:
        from PIL import Image

        with resources.as_file(resources.files("skimage") / "data" / "coffee.png") as path:
            pixels: Array = np.array(Image.open(path).convert("RGB"))
        return pixels, "scikit-image's coffee.png"
    except (ImportError, FileNotFoundError):
        return rendered(), "rendered by the demo: scikit-image is not installed"


def rendered(height: int = 400, width: int = 600) -> Array:
    """A lit sphere on a chequered floor with sensor noise: edges and grain for the filter to work on."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    floor = ((x // 40 + y // 40) % 2)[..., None] * np.array([70, 60, 40]) + np.array([90, 95, 110])
    u, v = (x - width / 2) / 150, (y - height / 2) / 150
    inside = u * u + v * v < 1
    z = np.sqrt(np.maximum(1 - u * u - v * v, 0))
    light = np.clip(-0.5 * u - 0.6 * v + 0.6 * z, 0.08, 1)[..., None] * np.array([250, 180, 90])
    picture = np.where(inside[..., None], light, floor)
    noise = np.random.default_rng(7).normal(0, 9, picture.shape)
    pixels: Array = np.clip(picture + noise, 0, 255).astype(np.uint8)
    return pixels
