"""The machine as the driver sees it: all of its legalization is the shared one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from voltac.codegen.legalize import RULES, drop_unused, legalize
from voltac.codegen.legalize.elementwise import INTEGER_FUNCTIONS
from voltac.codegen.legalize.function import LegalMachine
from voltac.codegen.legalize.intrinsics import INTRINSICS
from voltac.codegen.legalize.machine_facts import MachineFacts
from voltac.codegen.legalize.memory_routines import MEMORY_ROUTINES
from voltac.codegen.legalize.reductions import REDUCTIONS
from voltac.codegen.legalize.routines import INTEGER_ROUTINES
from voltac.codegen.tidying.clean import clean
from voltac.ir.model import Module
from voltac.ir.read import read
from voltac.ir.write import write
from voltac.options import Options
from voltac.pass_runs import Pass, PassRuns, optimizing
from voltac.targets.device import Device

from .isa import DEVICE_CODE
from .select import assembly
from .simulator import Simulated

MACHINE = LegalMachine(
    MachineFacts("Tiny", "tiny.", accesses=(1, 4), has_high_product=False, has_zero_count=False, scalar_results=4),
    RULES, INTRINSICS, INTEGER_FUNCTIONS, REDUCTIONS, {**INTEGER_ROUTINES, **MEMORY_ROUTINES},
)  # fmt: skip


def _clean(module: Module, options: Options) -> None:
    for function in module.functions:
        clean(function, ())


PASSES = (
    Pass("legalize", "every value and operation becomes one that the device has",
         lambda module, options: legalize(module, options, MACHINE), required=True),
    Pass("clean", "equal values are computed once, outside of loops", _clean, optimizing),
    Pass("drop_unused", "declarations that nothing calls any more go",
         lambda module, options: drop_unused(module), required=True),
)  # fmt: skip


def _legalize(text: str, options: Options, runs: PassRuns) -> str:
    module = read(text)
    for row in runs.of(PASSES, options, lambda: write(module)):
        row.run(module, options)
    return write(module)


def _select(text: str, options: Options, runs: PassRuns) -> str:
    return assembly(text)


def _configuration(**fields: Any) -> Any:
    return SimpleNamespace(**fields)


DEVICES = {"tiny": Device(DEVICE_CODE, _legalize, _select, lambda: PASSES, tuple, Simulated, _configuration)}
