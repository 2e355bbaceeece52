"""The machine as the driver sees it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from voltac.options import Options
from voltac.pass_runs import PassRuns
from voltac.targets.device import Device

from .isa import DEVICE_CODE
from .select import assembly
from .simulator import Simulated


def _legalize(text: str, options: Options, runs: PassRuns) -> str:
    return text


def _select(text: str, options: Options, runs: PassRuns) -> str:
    return assembly(text)


def _configuration(**fields: Any) -> Any:
    return SimpleNamespace(**fields)


DEVICE = Device(DEVICE_CODE, _legalize, _select, tuple, tuple, Simulated, _configuration)
