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


def code_for_file(content: bytes) -> DeviceCode:
    """The forms of the code in an ELF file, by the machine number in its header.

    :class:`BadElf` for the number of none of our devices. What is no ELF file at all, any of them refuses.
    """
    number = int.from_bytes(content[18:20], "little")
    codes = [device_code(target) for target in target_info.DEVICES.values()]
    found = next((code for code in codes if code.elf_machine == number), None)
    if found is None and content[:4] == b"\x7fELF" and len(content) >= 20:
        from voltac.codegen.elf_read import BadElf  # late: few files are refused

        known = ", ".join(f"{code.name} {code.elf_machine}" for code in codes)
        raise BadElf(f"it is for machine {number}; the devices have numbers: {known}")
    return found or codes[0]
