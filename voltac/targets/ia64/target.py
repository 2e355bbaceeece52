"""The machine as the driver sees it: its stages and its simulator.

Each is imported late, when it is used: who runs a finished program needs no code generator, who compiles no simulator.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from voltac.targets.device import Device, Preprocessing, SampleKernel
from voltac.targets.ia64.isa import DEVICE_CODES

if TYPE_CHECKING:
    from voltac.codegen.object_file import ObjectFile
    from voltac.messages.diagnostics import Diagnostics
    from voltac.options import Options
    from voltac.pass_runs import Pass, PassRuns


def _legalize(text: str, options: Options, runs: PassRuns) -> str:
    from voltac.targets.ia64.legalize import run  # late: where the stage runs, or its passes are asked for

    return run(text, options, runs)


def _select(text: str, options: Options, runs: PassRuns) -> str:
    from voltac.targets.ia64.select import run  # late: where the stage runs, or its passes are asked for

    return run(text, options, runs)


def _legalize_passes() -> tuple[Pass, ...]:
    from voltac.targets.ia64.legalize import PASSES  # late: where the stage runs, or its passes are asked for

    return PASSES


def _select_passes() -> tuple[Pass, ...]:
    from voltac.targets.ia64.select import (  # late: where the stage runs, or its passes are asked for
        FUNCTION_PASSES,
        MODULE_PASSES,
    )

    return (*MODULE_PASSES, *FUNCTION_PASSES)


def _assemble(text: str, file: str, diagnostics: Diagnostics, _: Preprocessing) -> ObjectFile:
    from voltac.targets.ia64.assembly.program import assemble_program  # late: where the stage runs

    return assemble_program(text, file, diagnostics)


def _linux_object(
    legal: str, kernels: Mapping[str, SampleKernel], file: str, options: Options, diagnostics: Diagnostics
) -> bytes:
    from voltac.targets.ia64.linux import linux_object  # late: where such a program is asked for

    return linux_object(legal, kernels, file, options, diagnostics)


def _simulator(configuration: Any) -> Any:
    from voltac.targets.ia64.simulator.device import SimulatedMachine  # late: where it is simulated only

    return SimulatedMachine(configuration)


def _configuration(**fields: Any) -> Any:
    from voltac.targets.ia64.simulator.device import MachineConfiguration  # late: where it is simulated only

    return MachineConfiguration(**fields)


DEVICES = {
    name: Device(
        code, _legalize, _select, _legalize_passes, _select_passes, _simulator, _configuration,
        own_assembler=_assemble, linux_object=_linux_object,
    )
    for name, code in DEVICE_CODES.items()
}  # fmt: skip
