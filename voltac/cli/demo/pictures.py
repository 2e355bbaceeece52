"""Pictures of the demo: colours for roots and steps, and the photograph to filter."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


def save_png(pixels: Array, path: Path) -> None:
    """``pixels``: uint8, height x width x 3."""
    from PIL import Image  # late: it may be missing

    Image.fromarray(pixels).save(path)


def colours(results: Array, degree: int) -> Array:
    """What ``newton.ispc`` found (height x width) as RGB: a hue for each root, darker where more steps lead there."""
    roots, steps = results % degree, results // degree
    phase = roots[..., None] / degree + np.array([0.0, 0.25, 0.55])
    hue = 0.6 + 0.4 * np.cos(2 * np.pi * phase)
    light = 0.92 ** np.maximum(steps - 4, 0)[..., None]
    picture: Array = (255 * hue * light).astype(np.uint8)
    return picture


def photograph() -> tuple[Array, str]:
    """A photograph (uint8, height x width x 3) and where it is from: scikit-image ships one, else one is rendered."""
    try:
        from PIL import Image  # late: as above

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
