"""The name of a file on the command line → a device's program, or one message that says why it is none."""

from __future__ import annotations

from voltac.codegen.device import DeviceCode
from voltac.codegen.elf_read import BadElf, ElfFile, read_elf
from voltac.driver import read_file
from voltac.pipeline import InputError
from voltac.targets import any_device_code, code_of_machine


def open_program(path: str) -> tuple[DeviceCode, ElfFile]:
    """Read and check a file; :class:`InputError` has the reason if it cannot be used."""
    content = read_file(path, "a program")
    # Which device it is for stands in the header; a file without one is refused by any of them.
    found = code_of_machine(int.from_bytes(content[18:20], "little")) or any_device_code()
    try:
        return found, read_elf(content, found)
    except BadElf as error:
        hint = "; it looks like a source: 'voltac run' runs those" if path.endswith((".ispc", ".c")) else ""
        raise InputError(f"{path} is no program for a device: {error}{hint}") from None
