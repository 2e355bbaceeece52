"""Ten kernels, and their pictures for docs/gallery.md: ``python examples/gallery.py`` writes docs/gallery/*.png.

A function here calls the kernel of its name at any size and gives the arrays that the picture, or a test, is made of.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import voltac

HERE = Path(__file__).resolve().parent
PICTURES = HERE.parent / "docs" / "gallery"
F, N = np.float32, np.int32
Array = npt.NDArray[Any]


def load(name: str) -> voltac.KernelModule:
    """The kernels of a file of this folder."""
    return voltac.load(HERE / f"{name}.ispc")


def magnets(width: int = 420, height: int = 280, friction: float = 0.16, most: int = 4000) -> tuple[Array, Array]:
    """The number of the magnet under which the pendulum rests, -1 for none, and after how many steps."""
    angle = np.pi / 2 + 2 * np.pi * np.arange(3) / 3
    which, steps = np.empty((2, height, width), N)
    kernel = load("magnets").magnets
    kernel(np.cos(angle).astype(F), np.sin(angle).astype(F), which, steps, 2.4, friction, most, width, height, 3)
    return which, steps


def waves(width: int = 420, height: int = 280, steps: int = 640) -> Array:
    """The height of the water behind a wall with two gaps, after waves have come from the left."""
    now, before = np.zeros((2, height, width), F)
    speed = np.full((height, width), 0.25, F)
    wall = np.ones(height, bool)
    for gap in (0.4, 0.6):
        wall[int(gap * height) - 5 : int(gap * height) + 5] = False
    speed[wall, width // 4 : width // 4 + 3] = 0
    kernel = load("waves").wave
    for step in range(steps):
        now[1:-1, 1] = np.sin(0.35 * step)
        kernel(now, before, speed, width, height)
        now, before = before, now
    return now


def cells(width: int = 420, height: int = 280, sites: int = 60, seed: int = 3) -> tuple[Array, Array, Array]:
    """The sites, whose cell each pixel is in, and how much further the next site is."""
    places = np.random.default_rng(seed).random((2, sites), F)
    owner, margin = np.empty((height, width), N), np.empty((height, width), F)
    load("cells").cells(*places, owner, margin, width, height, sites)
    return places, owner, margin


def spots(width: int = 420, height: int = 280, steps: int = 6000, feed: float = 0.037, kill: float = 0.06) -> Array:
    """How much there is of the second substance."""
    u, v = np.ones((height, width), F), np.zeros((height, width), F)
    random = np.random.default_rng(1)
    for _ in range(12):
        y, x = random.integers(5, height - 10), random.integers(5, width - 10)
        v[y : y + 5, x : x + 5] = 1
    next_u, next_v = u.copy(), v.copy()
    kernel = load("spots").react
    for _ in range(steps):
        kernel(u, v, next_u, next_v, feed, kill, width, height)
        u, next_u, v, next_v = next_u, u, next_v, v
    return v


def stability(size: int = 360, steps: int = 400, word: str = "AABAB", low: float = 2.5, high: float = 4.0) -> Array:
    """The mean logarithm of the slope, for each pair of numbers."""
    exponent = np.empty((size, size), F)
    letters = np.array([letter == "B" for letter in word], N)
    load("stability").stability(letters, low, high, exponent, steps, len(word), size)
    return exponent


def kepler(eccentricity: float, times: int = 40) -> tuple[Array, Array, Array, Array]:
    """The mean anomalies, the places at these times, and how many steps it took to find them."""
    mean = np.linspace(0, 2 * np.pi, times, endpoint=False, dtype=F)
    x, y, steps = np.empty_like(mean), np.empty_like(mean), np.empty(times, N)
    load("kepler").kepler(mean, eccentricity, x, y, steps)
    return mean, x, y, steps


def sound(samples: int) -> Array:
    """A tone that rises, and a second one that is switched on and off."""
    t = np.arange(samples) / samples
    beeps = 0.5 * np.sin(2 * np.pi * 0.33 * samples * t) * (np.floor(12 * t) % 2)
    return (np.sin(2 * np.pi * samples * (0.02 * t + 0.10 * t**2)) + beeps).astype(F)


def spectrum(window: int = 512, hop: int = 64, frames: int = 400) -> tuple[Array, Array]:
    """The sound, and its power by frame and frequency."""
    samples = sound((frames - 1) * hop + window)
    power = np.empty((frames, window // 2), F)
    load("spectrum").spectrum(samples, power, window, hop, window // 2, frames)
    return samples, power


def median(width: int = 320, height: int = 240) -> tuple[Array, Array]:
    """A picture with specks, and without."""
    y, x = np.mgrid[:height, :width] / height
    image = np.where((x - 0.65) ** 2 + (y - 0.5) ** 2 < 0.1, 60 + 150 * y, 200 - 140 * (np.floor(6 * x) % 2))
    random = np.random.default_rng(5)
    image = image.astype(np.uint8)
    specks = random.random(image.shape) < 0.12
    image[specks] = random.integers(0, 2, np.count_nonzero(specks)) * 255
    out = image.copy()
    load("median").median(image, out, width, height)
    return image, out


def rings(width: int = 420, height: int = 300) -> tuple[Array, Array]:
    """How far each ray goes (0: past everything), and how light it is there."""
    depth, light = np.empty((2, height, width), F)
    load("rings").rings(depth, light, width, height)
    return depth, light


def walks(size: int = 200, count: int = 200, seed: int = 1) -> Array:
    """The mean temperature that the walks from each point found."""
    mean = np.empty((size, size), F)
    load("walks").walks(mean, count, seed, size)
    return mean


def pictures() -> dict[str, Any]:
    """Name -> a matplotlib figure."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib.figure import Figure

    figures = {}

    def show(name: str, image: Array, cmap: str = "viridis", **options: Any) -> None:
        height, width = image.shape[:2]
        figures[name] = figure = Figure((width / 100, height / 100), dpi=100)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.axis("off")
        axes.imshow(image, cmap=cmap, interpolation="nearest", aspect="auto", **options)

    which, steps = magnets()
    colours = np.array([[0.85, 0.35, 0.25], [0.25, 0.6, 0.45], [0.25, 0.4, 0.75], [0, 0, 0]])
    show("magnets", colours[which] * np.exp(-steps / 3000.0)[..., None])
    show("waves", waves(), "RdBu", vmin=-0.6, vmax=0.6)
    _, owner, margin = cells()
    show("cells", margin * (1 + 0.5 * (owner % 3)), "cividis", vmin=0, vmax=0.18)
    show("spots", spots(), "magma")
    show("stability", stability(), "twilight_shifted", vmin=-1.5, vmax=1.5)
    show("spectrum", np.log10(spectrum()[1].T[::-1] + 1e-2), "inferno")
    show("median", np.concatenate(median(), axis=1), "gray")
    show("rings", rings()[1], "copper")
    show("walks", walks(), "coolwarm")

    figures["kepler"] = figure = Figure((4.2, 3), dpi=100)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.axis("off")
    axes.set_aspect("equal")
    axes.plot([0], [0], "o", color="goldenrod", ms=9)
    for eccentricity in (0.0, 0.3, 0.6, 0.9):
        _, x, y, _ = kepler(eccentricity)
        axes.plot(np.append(x, x[0]), np.append(y, y[0]), "o", ms=3, lw=0.6)
    return figures


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for name, figure in pictures().items():
        figure.savefig(PICTURES / f"{name}.png", metadata={"Software": None})
