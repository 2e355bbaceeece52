"""The kernels of examples/ at small size, against numpy or what mathematics says of the result; the page shows all of them."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

ROOT = Path(__file__).resolve().parents[2]
Array = npt.NDArray[Any]


def script() -> ModuleType:
    """examples/gallery.py, which is in no package."""
    spec = importlib.util.spec_from_file_location("gallery", ROOT / "examples" / "gallery.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


gallery = script()


def test_the_page_shows_each_kernel() -> None:
    kernels = sorted(path.stem for path in (ROOT / "examples").glob("*.ispc"))
    text = (ROOT / "docs" / "gallery.md").read_text()
    assert len(kernels) == 10
    assert sorted(re.findall(r"\(gallery/(\w+)\.png\)", text)) == kernels
    assert sorted(re.findall(r"\(\.\./examples/(\w+)\.ispc\)", text)) == kernels
    assert sorted(path.stem for path in (ROOT / "docs" / "gallery").iterdir()) == kernels


def test_a_pendulum_with_much_friction_rests_at_the_nearest_magnet() -> None:
    width, height = 24, 16
    which, steps = gallery.magnets(width, height, friction=20, most=20000)
    angle = np.pi / 2 + 2 * np.pi * np.arange(3) / 3
    y, x = np.mgrid[:height, :width]
    x, y = (x + 0.5 - width / 2) * 4.8 / width, (height / 2 - y - 0.5) * 4.8 / width
    distance = np.hypot(x[..., None] - np.cos(angle), y[..., None] - np.sin(angle))
    clear = np.diff(np.sort(distance, axis=-1))[..., 0] > 0.3
    assert (which == distance.argmin(axis=-1))[clear].all() and clear.mean() > 0.5
    # The magnets are mirrored by x -> -x, and so is what happens.
    assert (np.array([0, 2, 1, -1])[which[:, ::-1]] == which).all() and (steps > 0).all()


def test_waves_follow_the_equation() -> None:
    width, height, steps = 40, 30, 25
    now, before = np.zeros((2, height, width))
    speed = np.full((height, width), 0.25)
    wall = np.ones(height, bool)
    for gap in (0.4, 0.6):
        wall[int(gap * height) - 5 : int(gap * height) + 5] = False
    speed[wall, width // 4 : width // 4 + 3] = 0
    for step in range(steps):
        now[1:-1, 1] = np.sin(0.35 * step)
        bend = now[1:-1, :-2] + now[1:-1, 2:] + now[:-2, 1:-1] + now[2:, 1:-1] - 4 * now[1:-1, 1:-1]
        following = 2 * now[1:-1, 1:-1] - before[1:-1, 1:-1] + speed[1:-1, 1:-1] * bend
        before[1:-1, 1:-1] = np.where(speed[1:-1, 1:-1] > 0, following, 0)
        now, before = before, now
    assert np.allclose(gallery.waves(width, height, steps), now, atol=1e-4)


def test_cells_belong_to_the_nearest_site() -> None:
    width, height = 37, 21
    (site_x, site_y), owner, margin = gallery.cells(width, height, sites=9)
    y, x = np.mgrid[:height, :width] + 0.5
    distance = np.sort(np.hypot(x[..., None] / width - site_x, y[..., None] / height - site_y), axis=-1)
    assert np.allclose(margin, distance[..., 1] - distance[..., 0], atol=1e-5)
    assert np.allclose(np.hypot(x / width - site_x[owner], y / height - site_y[owner]), distance[..., 0], atol=1e-5)


def test_substances_spread_and_react() -> None:
    def spread(a: Array) -> Array:
        sides = np.roll(a, 1, 0) + np.roll(a, -1, 0) + np.roll(a, 1, 1) + np.roll(a, -1, 1)
        corners = sum(np.roll(a, (dy, dx), (0, 1)) for dy in (-1, 1) for dx in (-1, 1))
        return 0.2 * sides + 0.05 * corners - a

    width, height, steps, inner = 50, 40, 20, np.s_[1:-1, 1:-1]
    v = gallery.spots(width, height, steps=0).astype(float)
    u = np.ones_like(v)
    for _ in range(steps):
        eaten = u * v * v
        following = u + spread(u) - eaten + 0.037 * (1 - u), v + 0.5 * spread(v) + eaten - 0.097 * v
        u, v = u.copy(), v.copy()
        u[inner], v[inner] = following[0][inner], following[1][inner]
    assert np.allclose(gallery.spots(width, height, steps), v, atol=1e-4)


def test_one_number_in_the_word_is_the_population_map() -> None:
    """At r = 2 the map rests at 1/2, where its slope is 0; at r = 3.2 in a pair whose slopes multiply to 4 + 2 r - r^2."""
    exponent = gallery.stability(size=40, steps=2000, word="A", low=1.995, high=3.995)
    r = 1.995 + (np.arange(40) + 0.5) * 0.05
    assert (exponent == exponent[0]).all() or np.allclose(exponent, exponent[0], atol=0.05)
    resting, pair = (r > 1.9) & (r < 2.9), (r > 3.05) & (r < 3.4)
    assert np.allclose(np.exp(exponent[0][resting]), abs(2 - r[resting]), atol=0.02)
    assert np.allclose(np.exp(2 * exponent[0][pair]), abs(4 + 2 * r[pair] - r[pair] ** 2), atol=0.02)
    assert exponent[0][-1] > 0.4


def test_places_of_planets_solve_keplers_equation() -> None:
    for e in (0.0, 0.3, 0.9):
        mean, x, y, steps = gallery.kepler(e)
        anomaly = np.arctan2(y / np.sqrt(1 - e * e), x + e)
        difference = anomaly - e * np.sin(anomaly) - mean
        assert np.allclose(np.sin(difference / 2), 0, atol=1e-5) and (steps < 20).all()


def test_the_spectrum_is_the_fourier_transform() -> None:
    sound, power = gallery.spectrum(window=64, hop=16, frames=10)
    frames = np.lib.stride_tricks.sliding_window_view(sound, 64)[::16]
    expected = abs(np.fft.rfft(frames * (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(64) / 64)))[:, :32]) ** 2
    assert np.allclose(power, expected, atol=1e-2)


def test_the_median_is_one_of_nine() -> None:
    image, out = gallery.median(61, 40)
    windows = np.lib.stride_tricks.sliding_window_view(image, (3, 3))
    assert (out[1:-1, 1:-1] == np.median(windows, axis=(2, 3))).all()


def test_rays_end_on_a_ring() -> None:
    width, height = 42, 30
    depth, light = gallery.rings(width, height)
    towards, up = np.array([0, 0.62469505, -0.78086881]), np.array([0, 0.78086881, 0.62469505])
    y, x = np.mgrid[:height, :width]
    across, above = (x + 0.5 - width / 2) * 3.6 / width, (height / 2 - y - 0.5) * 3.6 / width
    eye = np.array([0.5, -3.2, 4]) + across[..., None] * [1, 0, 0] + above[..., None] * up
    end = eye + depth[..., None] * towards

    def ring(along: Array, across: Array, up: Array) -> Array:
        found: Array = np.hypot(np.hypot(along, across) - 1, up) - 0.3
        return found

    hit = depth > 0
    one, other = ring(end[..., 0], end[..., 1], end[..., 2]), ring(end[..., 0] - 1, end[..., 2], end[..., 1])
    assert (abs(np.minimum(one, other))[hit] < 2e-3).all() and 0.2 < hit.mean() < 0.8
    assert (light[hit] >= 0.25).all() and (light[~hit] == 0).all()


def test_the_mean_of_walks_is_the_temperature() -> None:
    """x^2 - y^2 is its own mean on every circle, so it is the temperature inside, too."""
    size, count = 24, 400
    mean = gallery.walks(size, count)
    x = 2 * (np.arange(size) + 0.5) / size - 1
    error = mean - (x**2 - x[::-1, None] ** 2)
    assert abs(error).max() < 6 / np.sqrt(count) and abs(error.mean()) < 0.01
