"""The two paths of a kernel for a device, compared by the cycles they take on its simulator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from voltac.codegen.simulator import Trap
from voltac.python.building import Build
from voltac.python.source import Source
from voltac.report import comparison
from voltac.report.measure import Ratio


def measured_on_device(
    build: Build,
    result: comparison.FunctionComparison,
    variants: dict[str, Source],
    whole: Source,
    made: Callable[[int], list[Any]],
    count: int,
    described: str,
    has_tails: bool,
) -> comparison.FunctionComparison:
    """``made(extra)`` gives arguments for ``count`` elements and ``extra`` more."""
    facts = whole.options.target.device
    threads = facts.threads.least if facts is not None and facts.threads is not None else 1
    try:
        paths = {name: _cycles(build, one, result.function, made(0), threads) for name, one in variants.items()}
        tails = (
            [_cycles(build, whole, result.function, made(extra), threads) for extra in range(result.width)] if has_tails else []
        )
    except Trap as trap:
        return replace(result, note=f"no cycles: {trap}; give arguments of your own: kernel.compare(arguments=[...])")
    return replace(
        result,
        elements=count,
        all_on=_exactly(paths["all on"] / count),
        masked=_exactly(paths["masked"] / count),
        ratio=Ratio(*[paths["masked"] / paths["all on"]] * 3),
        tails=tuple(_exactly(cycles) for cycles in tails),
        tail_costs=tuple(_exactly(cycles - tails[0]) for cycles in tails),
        arguments=f"{described}, on {'one thread' if threads == 1 else f'{threads} threads'} of the simulator",
        unit="cycles",
    )


def _exactly(value: float) -> comparison.Timing:
    """The simulator is deterministic."""
    return comparison.Timing(value, value, value)


def _cycles(build: Build, source: Source, function: str, arguments: Sequence[Any], threads: int) -> float:
    kernel: Any = build(source, launch={"threads": threads})[function]
    kernel(*arguments)
    return float(kernel.last_run.cycles)
