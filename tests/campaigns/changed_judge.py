"""Programs of the suite, changed at random: machine code does what the interpreter of the typed tree says.

Changes make many programs undefined: they read what has no value, convert what does not fit, or never end. Those are found by
the interpreters: what the typed tree's depends on the bytes that stand for no value, what the IR's stops at.
"""

from __future__ import annotations

import contextlib
import itertools
import random
import signal
from collections.abc import Generator
from pathlib import Path
from types import FrameType
from unittest.mock import patch

import numpy as np
from changed_programs import HEAD
from program_judges import first_wrong, interpreted, target_of
from run_programs import Array, NativeRunner, natively, options, same_numbers

from voltac.driver import compile_source
from voltac.interpreter import InterpreterError, ProgramAborted, memory, values
from voltac.messages.diagnostics import CompileError, Diagnostics
from voltac.pipeline import Compilation
from voltac.records import replace

_SECONDS = 10
"""Of processor time for the interpreter, whose programs mostly take less than one: a loop that lost its end takes for ever."""
_FILLS = (0xA5, 0x41, 0x00)
"""What stands for no value: negative, a number of any size, zero."""

_UNDEFINED = "undefined after lower"


@contextlib.contextmanager
def _ended_after(seconds: float) -> Generator[None, None, None]:
    def end(number: int, frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _meaning(job: Compilation, fill: int) -> tuple[Array, str] | None:
    """out and what was printed; None for a program that the interpreter stops at, or that does not end."""
    filled = patch.object(memory, "UNDEFINED_BYTE", fill), patch.object(values, "UNDEFINED_BYTE", fill)
    try:
        with filled[0], filled[1], _ended_after(_SECONDS):
            return interpreted(job)
    except (InterpreterError, ProgramAborted, TimeoutError, RecursionError):
        return None


def _is_defined(job: Compilation) -> bool:
    meanings = [_meaning(job, fill) for fill in _FILLS]
    return all(
        one is not None and other is not None and one[1] == other[1] and same_numbers(one[0], other[0])
        for one, other in itertools.pairwise(meanings)
    )


def _near(found: Array, expected: Array) -> bool:
    """Elementary functions of the C library are no longer exact behind a change."""
    with np.errstate(invalid="ignore"):
        return bool(np.allclose(found, expected, rtol=1e-5, atol=1e-6, equal_nan=True))


def _unless_undefined(job: Compilation, wrong: Compilation, expected: Array, told: str) -> str:
    """What is wrong with one of a program's compilations, ``job`` being that which has the typed tree."""
    where = first_wrong(wrong, expected) if _is_defined(job) else _UNDEFINED
    return "" if where.startswith(_UNDEFINED) else f"{where}: {told}"


def judge_changed(seed: int, text: str) -> str:
    """For one target; at -O2 and at one of the other levels."""
    if HEAD not in text:
        return ""
    target, path = target_of(seed), Path(f"changed_{seed}.ispc")
    try:
        # A product that is fused with a sum has other last bits, and what is subtracted from it few others.
        job = compile_source(text, str(path), replace(options(target), disable_fma=True), Diagnostics())
    except CompileError:
        return ""
    meaning = _meaning(job, _FILLS[0])
    if meaning is None:
        return ""
    level = random.Random(f"level {seed}").choice((0, 0, 1, 3))
    other = compile_source(job.results["lower"], job.file, replace(job.options, level=level), Diagnostics(), begin="early")
    jobs = (job, other)
    try:
        results = NativeRunner().run([natively(each) for each in jobs])
    except AssertionError as crash:
        return _unless_undefined(job, job, meaning[0], f"crash: {crash}")
    for each, (out, printed) in zip(jobs, results, strict=True):
        if not _near(out, meaning[0]) or printed != meaning[1]:
            return _unless_undefined(job, each, meaning[0], f"{each.options.target.name} -O{each.options.level}")
    return ""
