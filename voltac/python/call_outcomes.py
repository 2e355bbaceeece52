"""What a call of a kernel leaves: arrays, result, exception; and in which of them two calls differ, as lines of text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from voltac.records import record

Array = np.ndarray[Any, np.dtype[Any]]
DEFAULT_TOLERANCES = {"f2": 1e-2, "f4": 1e-5, "f8": 1e-12}
"""Type of floats → relative difference that fused products and the order of sums may make. Chosen: some ten roundings."""


@record(eq=False)
class CallOutcome:
    """What is there after a call."""

    arrays: Mapping[str, Array]
    """By the names of the parameters."""
    result: Any = None
    error: tuple[str, str] | None = None
    """Type and text of the exception."""


def outcome_of(call: Callable[[], Any], arrays: Mapping[str, Array]) -> tuple[CallOutcome, Exception | None]:
    """What a call leaves in ``arrays`` and gives, and the exception it raises."""
    try:
        result = call()
    except Exception as error:  # whatever it is, it is what the call did
        return CallOutcome(arrays, None, (type(error).__name__, str(error))), error
    return CallOutcome(arrays, result), None


def differences(
    expected: CallOutcome,
    found: CallOutcome,
    words: tuple[str, str],
    tolerance: Callable[[np.dtype[Any]], float] = lambda dtype: 0.0,
) -> list[str]:
    """A line for each array, the result and the exception that differ; ``words`` are what the two sides are called.

    ``tolerance`` is the relative difference of floats that counts as none, by their type.
    """
    one, other = words
    lines = []
    if expected.error != found.error:
        lines.append(f"exception: {one} {_raised(expected)}, {other} {_raised(found)}")
    for name, array in expected.arrays.items():
        now = found.arrays.get(name)
        if now is None or now.shape != array.shape or now.dtype != array.dtype:
            lines.append(f"{name}: {one} {_kind(array)}, {other} {_kind(now)}")
            continue
        wrong = np.flatnonzero(_unequal(array, now, tolerance(array.dtype)))
        if wrong.size:
            place = np.unravel_index(wrong[0], array.shape) if array.ndim else ()
            where = f"[{', '.join(map(str, place))}]"
            elements = f"{wrong.size} of {array.size} elements differ, the first at {where}"
            lines.append(f"{name}: {elements}: {one} {array[place]}, {other} {now[place]}{_furthest(array, now, wrong)}")
    if expected.error is None and found.error is None:
        first, second = np.asarray(expected.result), np.asarray(found.result)
        # Structs may differ in what is known of their alignment.
        alike = first.dtype == second.dtype or (first.dtype.names and first.dtype.names == second.dtype.names)
        if not alike or _unequal(first, second, tolerance(first.dtype)).any():
            lines.append(f"result: {one} {expected.result}, {other} {found.result}")
    return lines


def usual_tolerance(dtype: np.dtype[Any]) -> float:
    """That of :data:`DEFAULT_TOLERANCES`; none for all but floats."""
    return DEFAULT_TOLERANCES.get(dtype.str[1:], 0.0)


def _unequal(one: Array, other: Array, tolerance: float) -> Array:
    """Which elements differ, flat; a NaN is like another."""
    first, second = (np.ascontiguousarray(array).reshape(-1) for array in (one, other))
    if first.dtype.names:
        fields = [_unequal(first[name], second[name], tolerance) for name in first.dtype.names]
        # A field may be an array. What is between fields does not count.
        return np.asarray(np.any([field.reshape(first.size, -1).any(axis=1) for field in fields], axis=0))
    if first.dtype.kind not in "fiub":
        if first.dtype.hasobject:
            return np.array([first.tolist() != second.tolist()])
        changed: Any = (first.view(np.uint8) != second.view(np.uint8)).reshape(first.size, -1).any(axis=1)
        return np.asarray(changed)
    unequal: Array = first != second
    if first.dtype.kind == "f":
        close: Any = np.isclose(second.astype(float), first.astype(float), tolerance, tolerance * 1e-3, equal_nan=True)
        return np.asarray(np.logical_not(close))
    return unequal


def _furthest(one: Array, other: Array, wrong: Array) -> str:
    if one.dtype.kind != "f" or wrong.size == 1:
        return ""
    with np.errstate(all="ignore"):
        far = np.abs(one.reshape(-1)[wrong].astype(float) - other.reshape(-1)[wrong].astype(float))
    return f"; the largest difference is {np.nanmax(far):.3g}" if np.isfinite(far).any() else ""


def _raised(outcome: CallOutcome) -> str:
    return "none" if outcome.error is None else ": ".join(outcome.error)


def _kind(array: Array | None) -> str:
    return "none" if array is None else f"{array.dtype} array of shape {array.shape}"
