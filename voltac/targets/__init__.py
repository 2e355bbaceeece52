"""The devices: one folder each, with the same file names; ``find_device`` knows which there are.

Nothing of a device is imported before somebody asks for it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from voltac import target_info
from voltac.target_info import TargetInfo

if TYPE_CHECKING:
    from voltac.codegen.device import DeviceCode
    from voltac.targets.device import Device


def find_device(target: TargetInfo) -> Device:
    """How code for a device is made and run."""
    device: Device = import_module(f"voltac.targets.{target.isa}.target").DEVICE
    return device


def device_code(name: str) -> DeviceCode:
    """The forms of a device's code, by the device's name."""
    code: DeviceCode = import_module(f"voltac.targets.{name}.isa").DEVICE_CODE
    return code


def code_of_machine(number: int) -> DeviceCode | None:
    """The forms of the code in an ELF file with this machine number, None if that is no device of ours."""
    return next((code for name in target_info.DEVICES if (code := device_code(name)).elf_machine == number), None)
