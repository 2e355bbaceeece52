"""``target="auto"``: the width of the gang and the instruction set that a program runs fastest with here, measured once.

A program is compiled for each candidate and its exported functions are timed on made-up arguments, interleaved. The
default, ``host``, is kept unless another candidate is clearly faster and leaves the same bits in all arrays: a program whose
results depend on the width of the gang stays at that of the default. What was chosen is kept in the cache.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np

from voltac.llvm.host import can_run, cpu_description, host_target, instruction_sets
from voltac.messages.diagnostics import CompileError
from voltac.python import cache as disk
from voltac.python.building import Build, Built
from voltac.python.compiler_state import compiler_state
from voltac.python.generated_arguments import generated_arguments, range_parameters
from voltac.python.hashing import sha256
from voltac.python.source import Source
from voltac.python.target_choice import Choice, TriedTarget, choice_of
from voltac.python.timed_calls import ChildFailed, in_child, timer
from voltac.records import replace
from voltac.report.measure import Ratio, interleaved, median_interval
from voltac.target_info import TargetInfo, find_target, target_names

_ELEMENTS = 4096
"""That the made-up arguments are for: the arrays of a usual kernel fit the second level of the cache."""
_LENGTHS = (4096, 4095, 3001, 2050, 1777, 1001, 555, 333, 77, 13)
"""For which the results are compared: sums in another order may be the same for one by chance."""
_ROUNDS = 21
_CLEARLY = 1.03
"""Times as fast as the default, with 99% confidence, that another target must be: less is not worth another width."""
_DESCRIBED = ("vendor_id", "cpu family", "model", "stepping")
"""What of a CPU a choice is kept for, besides its instruction sets."""
_ALSO = ("avx2-i32x8", "avx2-i32x16")
"""Of the lesser instruction sets, those that may be faster where wide registers slow down the clock."""


def with_chosen_target(build: Build, source: Source, use_cache: bool, functions: Mapping[str, object] | None) -> Source:
    """The source, which is for the default target, for the one that is chosen. Raises :class:`voltac.CompileError`."""
    key = _key(source) if use_cache else ""
    entry = disk.find(key) if key else None
    if entry is None:
        choice, answers = _measured(build, source, functions)
        if key:
            disk.store(key, asdict(choice), (), answers)
    else:
        choice = choice_of(entry.description)
    options = replace(source.options, target=next(one for one in candidates() if one.name == choice.target))
    return replace(source, options=options).with_origin(choice=choice)


def candidates() -> list[TargetInfo]:
    """The default, then the other gangs of its instruction set, then some of a lesser one."""
    default = host_target()
    names = [name for name in target_names() if name.partition("-")[0] == default.name.partition("-")[0]]
    same = [replace(find_target(name), cpu=default.cpu) for name in names if name != default.name and "i64" not in name]
    lesser = [find_target(name) for name in _ALSO if name not in names]
    return [default, *same, *(target for target in lesser if can_run(target) and default.has_avx512)]


def _key(source: Source) -> str:
    state = compiler_state()
    if state is None:
        return ""
    cpu = cpu_description()
    return disk.key_of(
        {
            "choice": [target.name for target in candidates()],
            "text": source.text,
            "file": source.file,
            "options": repr(source.options),
            "compiler": state,
            "cpu": [cpu.get(name, "") for name in _DESCRIBED],
            "instructions": sorted(instruction_sets()),
        }
    )


# --- measuring ----------------------------------------------------------------------------------------------------


def _measured(build: Build, source: Source, functions: Mapping[str, object] | None) -> tuple[Choice, disk.FileAnswers]:
    default, *others = candidates()
    built: dict[str, Built] = {default.name: build(source, functions=functions)}
    answers: disk.FileAnswers = built[default.name].answers
    notes: dict[str, str] = {}
    for target in others:
        try:
            built[target.name] = build(replace(source, options=replace(source.options, target=target)), functions=functions)
        except CompileError as error:
            notes[target.name] = f"does not compile: {str(error).strip().splitlines()[0]}"
    times: list[dict[str, list[float]]] = []
    unmeasured: list[str] = []
    for symbol in replace(source).compiled().program.exports:
        kernels = {name: module[symbol.name] for name, module in built.items() if name not in notes}
        if any(row.kind == "function" for row in kernels[default.name].parameters):
            unmeasured.append(f"{symbol.name} takes a function")
            continue
        try:
            measured = in_child(partial(_times, kernels, range_parameters(symbol)))
        except ChildFailed as failure:
            unmeasured.append(f"{symbol.name}: {failure}")
            continue
        for name in kernels:
            if name not in measured:
                notes[name] = f"other results than with {default.name}"
        times.append(measured)
    return _decided(default.name, [target.name for target in others], times, notes, unmeasured), answers


def _made(kernel: Any, ranges: list[str], elements: int) -> list[Any]:
    return generated_arguments(kernel, ranges, max(1, round(elements ** (1 / max(1, len(ranges))))), 0)


def _times(kernels: Mapping[str, Any], ranges: list[str]) -> dict[str, list[float]]:
    """The times of those kernels that leave what the first one does, one a round."""
    left = {name: [_left_by(kernel, _made(kernel, ranges, length)) for length in _LENGTHS] for name, kernel in kernels.items()}
    same = [name for name in kernels if left[name] == next(iter(left.values()))]
    return interleaved({name: timer(kernels[name], _made(kernels[name], ranges, _ELEMENTS)) for name in same}, _ROUNDS)


def _left_by(kernel: Callable[..., Any], arguments: list[Any]) -> str:
    """A hash of the bytes that a call leaves in its arrays and returns."""
    result = np.asarray(kernel(*arguments))
    arrays = [one for one in arguments if isinstance(one, np.ndarray)]
    return sha256(b"".join(one.tobytes() for one in (*arrays, result) if one.dtype != object)).hexdigest()


def _decided(
    default: str, others: Sequence[str], times: list[dict[str, list[float]]], notes: dict[str, str], unmeasured: list[str]
) -> Choice:
    rows = [TriedTarget(default, Ratio(1, 1, 1), "the default of this CPU")]
    for name in others:
        speed = None if name in notes or not times else _speed([(one[default], one[name]) for one in times])
        rows.append(TriedTarget(name, speed, notes.get(name, "")))
    faster = [row for row in rows if row.speed is not None and row.speed.low > _CLEARLY]
    best = max(faster, key=lambda row: row.speed.median if row.speed else 0.0, default=rows[0])
    what = (
        f"the fastest of {len(rows)} on made-up arguments for {_ELEMENTS} elements" if faster else "no other is clearly faster"
    )
    if not times:
        what = "nothing could be measured"
    return Choice(best.target, tuple(rows), what + (f" (left out: {'; '.join(unmeasured)})" if unmeasured else ""))


def _speed(pairs: list[tuple[list[float], list[float]]]) -> Ratio:
    """The geometric mean over the functions, round by round."""
    rounds = zip(*([math.log(before / now) for before, now in zip(*pair, strict=True)] for pair in pairs), strict=True)
    return Ratio(*median_interval(math.exp(sum(logarithms) / len(logarithms)) for logarithms in rounds))
