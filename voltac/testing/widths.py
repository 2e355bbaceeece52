"""One call of a kernel on every gang width this machine has and by the interpreter: what differs, as a report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from voltac.llvm.host import can_run
from voltac.messages.visible import visible_value
from voltac.python.call_outcomes import Array, CallOutcome, differences, usual_tolerance
from voltac.python.given_argument import OMITTED
from voltac.python.kernel import Kernel
from voltac.python.numpy_formats import described
from voltac.records import record, replace
from voltac.target_info import TARGETS, TargetInfo, find_target
from voltac.testing.runs import run_compiled, run_interpreted

_BEST_FIRST = ("avx512icl", "avx512skx", "avx2", "avx1", "sse4.2", "sse4.1", "sse2", "sve512", "sve256", "sve", "neon", "wasm")


class WidthsDiffer(AssertionError):
    """Runs of one call that differ; the text is the report."""


@record(eq=False)
class Agreed:
    """What all runs gave."""

    arrays: Mapping[str, Array]
    result: Any
    targets: tuple[str, ...]
    """Those that ran."""

    def __getitem__(self, name: str) -> Array:
        """The array of a parameter, as the call left it."""
        return self.arrays[name]


def widths_of_host() -> list[TargetInfo]:
    """For each gang width that code for this CPU can have, the best target of it."""
    ranks = {isa: rank for rank, isa in enumerate(_BEST_FIRST)}
    found: dict[int, TargetInfo] = {}
    for target in sorted(TARGETS.values(), key=lambda target: ranks.get(target.name.rpartition("-")[0], len(ranks))):
        if target.device is None and can_run(target):
            found.setdefault(target.width, target)
    return [found[width] for width in sorted(found)]


def compare_widths(
    kernel: Kernel,
    *given: Any,
    expect: Mapping[str, Any] | None = None,
    rtol: float | None = None,
    targets: Iterable[str] | None = None,
    **by_name: Any,
) -> Agreed:
    """Call a kernel on copies of the arrays, for every gang width of this machine and by the interpreter.

    All have to leave the same: floats within ``rtol``, relative, by default some roundings of their type
    (:data:`voltac.python.call_outcomes.DEFAULT_TOLERANCES`). ``expect`` is what arrays have to be then, by parameter, and
    ``"result"``. :class:`WidthsDiffer` is the report of those that differ.
    """
    if not isinstance(kernel, Kernel):
        raise TypeError(f"voltac_kernel() takes a kernel, k.name, not {described(kernel)}")
    source, name = kernel._source, kernel.__name__
    if source.origin.functions:
        raise TypeError(f"{name}() was given functions=, which the interpreter cannot call")
    values, _ = kernel._arguments.bound(given, by_name)
    arguments = {row.name: value for row, value in zip(kernel.parameters, values, strict=True) if value is not OMITTED}
    for parameter, value in arguments.items():
        if not isinstance(value, (np.ndarray, np.generic, bool, int, float, type(None))):
            raise TypeError(f"{name}(): {described(value)} for '{parameter}' cannot be copied; give an array, a number or None")
    chosen = widths_of_host() if targets is None else [find_target(target) for target in targets]

    def tolerance(dtype: np.dtype[Any]) -> float:
        return usual_tolerance(dtype) if rtol is None or dtype.kind != "f" else rtol

    runs: list[tuple[str, CallOutcome]] = []
    for target in chosen:
        here = replace(source, options=replace(source.options, target=target))
        runs.append((target.name, run_compiled(here, name, arguments)))
    oracle = run_interpreted(source, name, arguments)
    report: dict[str, list[str]] = {}
    if expect is not None:
        wanted = _expected(kernel, oracle, expect)
        report["interpreter"] = differences(wanted, oracle, ("expected", "found"), tolerance)
    else:
        wanted = oracle
    for target_name, run in runs:
        # An assertion that fails is told in other words by the interpreter.
        same = run if wanted.error is None or run.error is None else replace(run, error=wanted.error)
        word = "expected" if expect is not None else "the interpreter has"
        report[target_name] = differences(wanted, same, (word, "found"), tolerance)
    if any(report.values()):
        raise WidthsDiffer(_text(kernel, report))
    if oracle.error is not None:
        raise WidthsDiffer(f"{kernel.signature}\nfails on every width: {': '.join(runs[0][1].error or oracle.error)}")
    return Agreed(oracle.arrays, oracle.result, tuple(target_name for target_name, _ in runs))


def _expected(kernel: Kernel, oracle: CallOutcome, expect: Mapping[str, Any]) -> CallOutcome:
    arrays = {}
    result = oracle.result
    for name, value in expect.items():
        if name in oracle.arrays:
            found = oracle.arrays[name]
            arrays[name] = np.broadcast_to(np.asarray(value), found.shape).astype(found.dtype)
        elif name == "result":
            result = np.asarray(value).astype(np.asarray(oracle.result).dtype)[()]
        else:
            known = ", ".join([*oracle.arrays, "result"])
            raise TypeError(f"expect= has {visible_value(name)}; {kernel.__name__}() has {known}")
    return CallOutcome(arrays, result)


def _text(kernel: Kernel, report: Mapping[str, list[str]]) -> str:
    lines = [f"{kernel.signature}", f"differs on {sum(map(bool, report.values()))} of {len(report)}:"]
    width = max(map(len, report))
    for name, found in report.items():
        first, *others = found or ["as it should be"]
        lines.append(f"  {name:{width}}  {first}")
        lines += [f"  {'':{width}}  {line}" for line in others]
    return "\n".join(lines)
