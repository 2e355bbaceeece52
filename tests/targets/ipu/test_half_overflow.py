"""Halves that overflow in loops over streams: infinite in the language, 65504 in the hardware, never stored in place."""

from __future__ import annotations

import numpy as np
import pytest
from stream_loops import ONE_BANK_EACH, Array, StreamRow, bundles_a_word, loaded

F, FF = "float16", "float16 float16"
ROWS = {
    row.name: row
    for row in (
        StreamRow("add scalar", F, "x[i] += a;", 1, lambda x, a, b: x[4:-4] + a),
        StreamRow("scale", F, "x[i] *= a;", 1, lambda x, a, b: x[4:-4] * a),
        StreamRow("b - x", F, "x[i] = b - x[i];", 1, lambda x, a, b: b - x[4:-4]),
        StreamRow("scale and add", F, "x[i] = a * x[i] + b;", 2, lambda x, a, b: a * x[4:-4] + b),
        StreamRow("axpy", FF, "y[i] = a * x[i] + y[i];", 3, lambda x, y, a, b: a * x[4:-4] + y[4:-4]),
        StreamRow("difference", FF, "y[i] = b * y[i] - a * x[i];", 4, lambda x, y, a, b: b * y[4:-4] - a * x[4:-4]),
        StreamRow("x + y", FF, "y[i] = x[i] + y[i];", 2, lambda x, y, a, b: x[4:-4] + y[4:-4]),
        StreamRow("elsewhere", FF, "y[i] = a * x[i];", 1, lambda x, y, a, b: x[4:-4] * a),
    )
}
EDGES = (65504, -65504, 65472, -65472, 32752, 32768, -32768, np.inf, -np.inf, np.nan, 16, -16, 6e-8, 0)


@pytest.mark.parametrize(
    ("name", "scalars", "bundles"),
    [("add scalar", (-15.99, 0), 1), ("add scalar", (16, 0), 2), ("scale", (-1, 0), 1), ("scale", (1.001, 0), 2),
     ("b - x", (0, 15.99), 1), ("b - x", (0, -16), 2), ("scale and add", (1, 15.99), 2), ("scale and add", (2, 1), 4),
     ("axpy", (1, 0), 3), ("axpy", (-2, 0), 4), ("difference", (1, -1), 4), ("x + y", (0, 0), 2), ("elsewhere", (2, 0), 1)],
)  # fmt: skip
def test_only_what_may_overflow_is_computed_before(name: str, scalars: tuple[float, float], bundles: int) -> None:
    row = ROWS[name]
    assert bundles_a_word(row, loaded(row), ONE_BANK_EACH, scalars=scalars) == bundles


@pytest.mark.parametrize("name", ROWS)
def test_what_overflows_is_infinite_as_in_the_language(name: str) -> None:
    row = ROWS[name]
    kernel = loaded(row)
    x, y = (order(np.array(EDGES, np.float16), len(EDGES)) for order in (np.repeat, np.tile))

    def expected(arrays: list[Array], a: np.float16) -> Array:
        with np.errstate(all="ignore"):
            return row.expected(*(np.pad(array, 4) for array in arrays), a, a)

    for scalar in (0, 15.99, -15.99, 16, -16, 1, -1, 1.001, 0.9995, 32, np.inf, np.nan):
        a = np.float16(scalar)
        arrays = [x, y][: len(row.types.split())]
        # Without what overflows, too, so that nothing keeps the rest from the fast way.
        finite = np.isfinite(expected(arrays, a)) | ~np.isfinite(arrays[0]) | ~np.isfinite(arrays[-1])
        for chosen in (np.ones_like(finite), finite):
            given = [array[chosen] for array in arrays]
            wanted = expected(given, a)
            kernel(*given, a, a, 0, len(wanted))
            assert np.array_equal(given[-1], wanted, equal_nan=True), scalar
