"""What must be known of halves before they are overwritten: the hardware makes 65504 of what is infinite in the language.

It tells that something overflowed only behind (IPU 1.3, 3.8), and with another setting makes no number of it, of which the sign
is lost. So what goes on in place needs a proof: of the scalars, or by computing all of it once without storing it.
"""

from __future__ import annotations

from voltac.records import record, replace
from voltac.targets.ipu.streams.program import StreamProgram, StreamStep

_MOST_FACTOR, _MOST_TERM = 0x3C00, 0x4BFF
"""Halves as bits: 1, and the largest below 16. Halves are 65504 at most and rounded to that below 65520, so no product by one
that is not above the first overflows, nor a sum with one that is not above the second."""


@record
class OverflowTest:
    """Shows that nothing overflows, if it applies."""

    limits: tuple[tuple[str, int], ...]
    """Scalars, and halves as bits that their magnitudes must not exceed for that."""
    program: StreamProgram | None
    """What is to run without overflowing, if that is not certain yet. It stores nothing."""


def overflow_tests(program: StreamProgram) -> list[OverflowTest]:
    """From the cheapest on; the last applies always and is exact."""
    tests = [OverflowTest((), replace(program, stores=()))]
    limits = _limits(program)
    if limits is not None:
        return [OverflowTest(limits, None), *tests]
    magnitudes = _magnitudes(program)
    return [magnitudes, *tests] if magnitudes is not None else tests


def _scalars(step: StreamStep) -> list[str]:
    return [name for name in step.operands if name[0] == "s"]


def _limits(program: StreamProgram) -> tuple[tuple[str, int], ...] | None:
    """Of scalars that are never too large; None where that takes more than them."""
    found: dict[str, int] = {}
    for step in program.steps:
        if step.operation == "f32v2tof16":
            return None
        if step.operation in ("f16v4add", "f16v4sub", "f16v4mul"):
            if not _scalars(step):
                return None
            most = _MOST_FACTOR if step.operation == "f16v4mul" else _MOST_TERM
            for name in _scalars(step):
                found[name] = min(most, found.get(name, most))
    return tuple(found.items())


def _magnitudes(program: StreamProgram) -> OverflowTest | None:
    """Where factors are 1 at most: sums of magnitudes, without products; none is less than what it stands for."""
    same: dict[str, str] = {}
    steps: list[StreamStep] = []
    limits: dict[str, int] = {}
    for step in program.steps:
        operands = tuple(same.get(name, name) for name in step.operands)
        if step.operation == "f16v4mul" and _scalars(step):
            scalar, value = operands if operands[0][0] == "s" else operands[::-1]
            limits[scalar] = _MOST_FACTOR
            same[step.result] = value
        elif step.operation in ("f16v4add", "f16v4sub") and not _scalars(step):
            steps.append(StreamStep(step.result, "f16v4absadd", operands))
        else:
            return None
    if program.carries or not limits:
        return None
    return OverflowTest(tuple(limits.items()), replace(program, steps=tuple(steps), stores=()))
