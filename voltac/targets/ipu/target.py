"""The tile as the driver sees it: its stages and its simulator.

Each is imported late, when it is used: who runs a finished program needs no code generator, who compiles no simulator.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from voltac.targets.device import Device, Preprocessing
from voltac.targets.ipu.facts import ENTRY, ROOM_BYTES
from voltac.targets.ipu.isa import code_of
from voltac.targets.ipu.memory_map import MAPS

if TYPE_CHECKING:
    from voltac.codegen.object_file import ObjectFile
    from voltac.messages.diagnostics import Diagnostics
    from voltac.options import Options
    from voltac.pass_runs import Pass, PassRuns


def _legalize(text: str, options: Options, runs: PassRuns) -> str:
    from voltac.targets.ipu.legalize import run  # late: where the stage runs, or its passes are asked for

    return run(text, options, runs)


def _select(text: str, options: Options, runs: PassRuns) -> str:
    from voltac.targets.ipu.select import run  # late: where the stage runs, or its passes are asked for

    return run(text, options, runs)


def _legalize_passes() -> tuple[Pass, ...]:
    from voltac.targets.ipu.legalize import PASSES  # late: where the stage runs, or its passes are asked for

    return PASSES


def _select_passes() -> tuple[Pass, ...]:
    from voltac.targets.ipu.select import (  # late: where the stage runs, or its passes are asked for
        FUNCTION_PASSES,
        MODULE_PASSES,
    )

    return (*MODULE_PASSES, *FUNCTION_PASSES)


def _assembler(generation: str) -> Callable[[str, str, Diagnostics, Preprocessing], ObjectFile]:
    def run(text: str, file: str, diagnostics: Diagnostics, preprocessing: Preprocessing) -> ObjectFile:
        from voltac.targets.ipu.assembly.program import assemble_vertices  # late: where the stage runs

        directories, macros = preprocessing.directories, dict(preprocessing.macros)
        return assemble_vertices(text, generation, file, diagnostics, directories, macros).code

    return run


def _simulator(configuration: Any) -> Any:
    from voltac.targets.ipu.simulator.device import SimulatedTile  # late: where it is simulated only

    return SimulatedTile(configuration)


def _configuration(generation: str) -> Callable[..., Any]:
    def make(**fields: Any) -> Any:
        from voltac.targets.ipu.simulator.device import TileConfiguration  # late: where it is simulated only

        return TileConfiguration(generation, **fields)

    return make


def _device(generation: str) -> Device:
    return Device(
        code_of(generation),
        _legalize,
        _select,
        _legalize_passes,
        _select_passes,
        _simulator,
        _configuration(generation),
        ROOM_BYTES,
        _assembler(generation),
        has_preprocessor=True,
        entry_prefix=ENTRY,
    )


DEVICES = {device.code.name: device for device in map(_device, MAPS)}
