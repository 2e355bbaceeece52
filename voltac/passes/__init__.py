"""ir -> ir: the passes between the early and the late LLVM pipeline, by name and in order."""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir.model import Module
from voltac.ir.read import read
from voltac.ir.verify import verify
from voltac.ir.write import write
from voltac.options import Options
from voltac.passes.access import AccessReport
from voltac.passes.check_divisors import check_divisors
from voltac.passes.equal_values import merge_equal_values
from voltac.passes.flatten_branches import flatten_branches
from voltac.passes.gangs_in_flight import put_gangs_in_flight
from voltac.passes.narrow_arithmetic import narrow_arithmetic
from voltac.passes.resolve_accesses import resolve_accesses
from voltac.passes.sample_profile import use_sample_profile
from voltac.passes.some_lanes import move_some_lanes
from voltac.passes.whole_copies import copy_whole
from voltac.passes.whole_stores import make_stores_whole
from voltac.passes.wide_gangs import widen_gangs
from voltac.passes.wrapping_indices import test_wrapping_indices

PASSES: dict[str, Callable[[Module, Options], list[AccessReport]]] = {
    "use_sample_profile": use_sample_profile,
    "merge_equal_values": merge_equal_values,
    "test_wrapping_indices": test_wrapping_indices,
    "flatten_branches": flatten_branches,
    "copy_whole": copy_whole,
    "narrow_arithmetic": narrow_arithmetic,
    "widen_gangs": widen_gangs,
    "resolve_accesses": resolve_accesses,
    "gangs_in_flight": put_gangs_in_flight,
    "make_stores_whole": make_stores_whole,
    "check_divisors": check_divisors,
    "move_some_lanes": move_some_lanes,
}
"""Name -> pass; each rewrites the module and reports what became of accesses."""


def run(text: str, options: Options) -> str:
    """All passes over LLVM text that has been through the early pipeline."""
    return run_with_reports(text, options)[0]


def run_with_reports(
    text: str, options: Options, after: Callable[[str, Module], None] | None = None
) -> tuple[str, list[AccessReport]]:
    """As :func:`run`, and what each access became and why; ``after`` sees the module after each pass, by name."""
    module = read(text)
    records = None
    if "#dbg_" in text:
        from voltac.ir.debug_records import DebugRecords  # for -g only

        records = DebugRecords(module)
    reports: list[AccessReport] = []
    for name, run_pass in PASSES.items():
        reports.extend(run_pass(module, options))
        if after is not None:
            after(name, module)
    if records is not None:
        records.put_back()
    verify(module)
    return write(module), reports
