"""The name of a file on the command line → a device's program, or one message that says why it is none."""

from __future__ import annotations

from voltac.cli.assembled import SUFFIXES, assembled
from voltac.cli.option_table import UsageError
from voltac.codegen.device import DeviceCode
from voltac.codegen.elf_read import BadElf, ElfFile, read_elf
from voltac.driver import read_file
from voltac.pipeline import InputError
from voltac.target_info import DEVICES
from voltac.targets import code_for_file, device_code
from voltac.targets.device import PLAIN, Preprocessing

_SOURCES = (".ispc", ".c")


def open_program(path: str, target: str | None = None, preprocessing: Preprocessing = PLAIN) -> tuple[DeviceCode, ElfFile]:
    """Read and check a file; :class:`InputError` has the reason if it cannot be used.

    Assembly text is assembled for ``target``.
    """
    if path.endswith(SUFFIXES):
        known = ", ".join(DEVICES)
        if target is None or target not in DEVICES:
            said = f"'{target}' is no device" if target else "assembly text does not say for which device it is"
            raise UsageError(f"{path}: {said}; give --target: {known}")
        return device_code(DEVICES[target]), assembled(path, DEVICES[target], preprocessing)
    if target is not None and not path.endswith(_SOURCES):
        raise UsageError(f"{path} says itself for which device it is; --target is for files of assembly text (.s, .S)")
    content = read_file(path, "a program")
    # Which device it is for stands in the header; a file without one is refused by any of them.
    try:
        found = code_for_file(content)
        return found, read_elf(content, found)
    except BadElf as error:
        hint = "; it looks like a source: 'voltac run' runs those" if path.endswith(_SOURCES) else ""
        raise InputError(f"{path} is no program for a device: {error}{hint}") from None
