"""``k.f.bench(...)`` and ``voltac bench``: a kernel for several targets, its two paths each, on arrays of several sizes.

All forms of a kernel are timed on the same arrays, interleaved, in a child process; times are compared with what the
machine allows (:mod:`voltac.python.machine_limits`), given what a call has to do (:mod:`voltac.interpreter.work`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from voltac.interpreter import InterpreterError, ProgramAborted, work_of
from voltac.llvm.host import can_run, host_target, require_runnable
from voltac.messages.suggestions import suggestion
from voltac.python.building import Build
from voltac.python.generated_arguments import generated_arguments, range_parameters
from voltac.python.machine_limits import level_sizes, machine_limits
from voltac.python.source import Source
from voltac.python.timed_calls import ChildFailed, in_child, timer, timing
from voltac.records import replace
from voltac.report.bench import Bench
from voltac.report.bench_results import LEVELS, BenchRow
from voltac.report.measure import interleaved, machine
from voltac.sema import tree
from voltac.target_info import TargetInfo, find_target

SCALAR = "generic-i32x1"
_SMALL, _USUAL = "sse4-i32x4", "avx2-i32x8"
_WIDEST = 64
"""Lanes: what elements are a multiple of, so that whole gangs are all there is."""
_SPARE, _LARGE = 4, 8 << 20
"""How many times longer arrays are than elements are asked for; only up to so many bytes."""
_COUNTED = 256
"""Elements of the call whose work the interpreter counts."""

Form = tuple[TargetInfo, str]
"""A target and ``all on``, ``masked``, ``both`` or ``scalar``."""


def bench(
    build: Build,
    source: Source,
    function: str,
    *,
    targets: Sequence[str] | None = None,
    sizes: Sequence[str] | None = None,
    data: Mapping[str, Any] | None = None,
    rounds: int = 11,
) -> Bench:
    """Measure an exported function.

    ``targets`` are names, by default the usual gang of each instruction set of this CPU; a gang of one is always
    measured. ``sizes`` are words of :data:`LEVELS`, in which the made-up arrays lie all together; ``data`` are arguments
    by name, of all parameters, instead. Raises ValueError for unknown names and for what cannot be measured, and
    :class:`voltac.CannotRun` for a target this CPU lacks the instructions of.
    """
    if not source.text or source.options.target.is_device:
        raise ValueError(f"{source.file}: only sources, compiled for this computer, are measured here")
    source = replace(source)
    symbol = next(one for one in source.kept.program.exports if one.name == function)
    forms = _forms(_targets(targets))
    kernels = {form: build(_form_source(source, form), functions=source.origin.functions)[function] for form in forms}
    first = kernels[forms[0]]
    if any(row.kind == "function" for row in first.parameters):
        raise ValueError(f"'{function}' takes a function: no arguments can be made up")
    notes: list[str] = []
    wanted = _sizes(sizes, notes)
    limits = machine_limits(build, wanted)
    ranges = range_parameters(symbol)
    element = _bytes_an_element(first)
    rows: list[BenchRow] = []
    if data is not None:
        values = _given(first, data)
        rows += _measured("data", _elements_of(values), dict.fromkeys(forms, values), kernels, rounds, notes)
    else:
        for level, size in wanted.items():
            side = _side(size // element, len(ranges))
            spare = _SPARE if size <= _LARGE else 1
            given = _shared(kernels, partial(generated_arguments, ranges=ranges, side=side, extra=0, spare=spare))
            rows += _measured(level, side ** max(1, len(ranges)), given, kernels, rounds, notes)
    if not rows:
        raise ValueError(f"'{function}' cannot be measured: {'; '.join(notes)}; give arguments of your own")
    operations, traffic = _work(source, symbol, first, ranges, data, notes)
    what = "the given arguments" if data is not None else f"made-up arguments, {element} bytes an element in arrays"
    return Bench(
        function, first.signature, tuple(rows), limits, operations, traffic, what, tuple(dict.fromkeys(notes)), machine()
    )


def _targets(names: Sequence[str] | None) -> list[TargetInfo]:
    if names is None:
        host = host_target()
        usual = [find_target(name) for name in (_SMALL, _USUAL)]
        return [target for target in usual if can_run(target) and target.isa != host.isa] + [host]
    found = [host_target() if name == "host" else find_target(name) for name in names]
    for target in found:
        if target.is_device:
            raise ValueError(f"'{target.name}' is a device; 'voltac sim' counts its cycles")
        require_runnable(target)
    return list(dict.fromkeys(found))


def _forms(targets: list[TargetInfo]) -> list[Form]:
    wide = [target for target in targets if target.name != SCALAR]
    return [(target, path) for target in wide for path in ("both", "all on", "masked")] + [(find_target(SCALAR), "scalar")]


def _form_source(source: Source, form: Form) -> Source:
    target, path = form
    changes = {"all on": {"masked_paths": False}, "masked": {"all_on_paths": False}}.get(path, {})
    return replace(source, options=replace(source.options, target=target, cpu="", **changes))


def _sizes(names: Sequence[str] | None, notes: list[str]) -> dict[str, int]:
    """Level -> bytes of all arrays."""
    sizes, missing = level_sizes()
    for name in LEVELS if names is None else names:
        if name not in LEVELS:
            raise ValueError(f"sizes are of {', '.join(LEVELS)}, not '{name}'{suggestion(name, LEVELS)}")
        if name in missing:
            notes.append(f"{name} was left out: {missing[name]}")
    return {name: size for name, size in sizes.items() if names is None or name in names}


def _side(elements: int, dimensions: int) -> int:
    """Of a range of so many dimensions: a multiple of the widest gang, where there is room for one."""
    side = max(1, int(elements ** (1 / max(1, dimensions))))
    return side - side % _WIDEST or min(side, _WIDEST)


def _bytes_an_element(kernel: Any) -> int:
    """In all arrays together, one object of each: what the kernel reads of them may be more or less."""
    rows = [row for row in kernel.parameters if row.memory is not None]
    sizes = [row.memory.count * int(kernel.dtype(row.name).itemsize if row.memory.format else 1) for row in rows]
    found: int = sum(sizes)
    return max(1, found)


def _shared(kernels: Mapping[Form, Any], make: Callable[[Any], list[Any]]) -> dict[Form, list[Any]]:
    """The same arrays for all kernels that take them, so that each finds them where the others left them."""
    made: list[tuple[list[Any], list[Any]]] = []
    given = {}
    for form, kernel in kernels.items():
        memory = [row.memory for row in kernel.parameters]
        known = next((arguments for taken, arguments in made if taken == memory), None)
        if known is None:
            known = make(kernel)
            made.append((memory, known))
        given[form] = known
    return given


def _measured(
    level: str, elements: int, given: Mapping[Form, list[Any]], kernels: Mapping[Form, Any], rounds: int, notes: list[str]
) -> list[BenchRow]:
    def measure() -> dict[Form, list[float]]:
        return interleaved({form: timer(kernels[form], given[form]) for form in kernels}, rounds)

    try:
        times = in_child(measure)
    except ChildFailed as failure:
        notes.append(f"{level}: {failure}")
        return []
    return [
        BenchRow(target.name, target.width, path, level, elements, timing(measured, elements))
        for (target, path), measured in times.items()
    ]


# --- arguments that are given -------------------------------------------------------------------------------------


def _given(kernel: Any, data: Mapping[str, Any]) -> list[Any]:
    names = [row.name for row in kernel.parameters]
    unknown = [name for name in data if name not in names]
    if unknown:
        raise ValueError(f"there is no parameter '{unknown[0]}'{suggestion(unknown[0], names)}; there are: {', '.join(names)}")
    missing = [name for name in names if name not in data]
    if missing:
        raise ValueError(f"the data has no '{missing[0]}'; it needs all of: {', '.join(names)}")
    return [_plain(data[name]) for name in names]


def _plain(value: Any) -> Any:
    """A number that came from a file of arrays as a number; an array as its own copy, which kernels may write."""
    if not isinstance(value, np.ndarray):
        return value
    return value.item() if value.ndim == 0 else np.array(value, order="C")


def _elements_of(given: Sequence[Any]) -> int:
    """Of the largest array, its rows."""
    return max([1, *(len(one) for one in given if isinstance(one, np.ndarray))])


# --- what has to be done ------------------------------------------------------------------------------------------


def _work(
    source: Source,
    symbol: tree.FunctionSymbol,
    kernel: Any,
    ranges: list[str],
    data: Mapping[str, Any] | None,
    notes: list[str],
) -> tuple[float | None, float | None]:
    """Operations and bytes an element, of a call on few of them, or on what was given."""
    if data is not None:
        given = _given(kernel, data)
        elements = _elements_of(given)
    else:
        side = _side(_COUNTED, len(ranges))
        given = generated_arguments(kernel, ranges, side, 0)
        elements = side ** max(1, len(ranges))
    options = replace(source.options, catch_failures=False, checked=())
    try:
        work = in_child(partial(work_of, source.kept.program, options, symbol.name, given))
    except (ChildFailed, InterpreterError, ProgramAborted) as failure:
        notes.append(f"what a call has to do is not known: {failure}")
        return None, None
    return work.operations / elements, (work.read + work.written) / elements
