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
    device: Device = import_module(f"voltac.targets.{target.isa}.target").DEVICES[target.name]
    return device


def device_code(target: TargetInfo) -> DeviceCode:
    """The forms of a device's code."""
    code: DeviceCode = import_module(f"voltac.targets.{target.isa}.isa").DEVICE_CODES[target.name]
    return code


def any_device_code() -> DeviceCode:
    """That of some device, for what is the same on all: refusing a file that is none of any."""
    return device_code(target_info.DEVICES[target_info.listed_devices()[0]])


def code_of_machine(number: int) -> DeviceCode | None:
    """The forms of the code in an ELF file with this machine number, None if that is no device of ours."""
    return next((code for target in target_info.DEVICES.values() if (code := device_code(target)).elf_machine == number), None)
