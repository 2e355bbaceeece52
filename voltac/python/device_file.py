"""A finished program of a device, an ELF file → a module of kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from voltac.codegen.disassembler import Disassembler
from voltac.codegen.elf_read import BadElf, read_elf
from voltac.messages.visible import visible_name, visible_value
from voltac.options import Options
from voltac.python.building import Build
from voltac.python.device_kernel import device_kernels
from voltac.python.device_program import signatures_of
from voltac.python.device_run import changed, first_launch
from voltac.python.module import KernelModule
from voltac.python.source import Source, device_function
from voltac.records import record
from voltac.target_info import DEVICES
from voltac.targets import code_for_file, device_code


@record
class DeviceFile(Source):
    """A program without its source: its assembly language is what its words say."""

    content: bytes = b""

    def assembly(self, function: str | None = None) -> str:
        """The text of the sections with code, of one kernel if it is named; ValueError if there is none of that name."""
        code = device_code(self.options.target)
        found = read_elf(self.content, code).code
        out = []
        for section in found.sections.values():
            if section.kind == "text":
                own = [symbol.name for symbol in found.symbols.values() if symbol.section == section.name]
                symbols = {name: found.address(name) for name in own}
                out.append(f"\t.section {section.name}")
                for line in Disassembler(code).lines(bytes(section.content), section.address, symbols):
                    out += [f"{label}:" for label in line.labels]
                    out.append(f"\t{line.text}")
        text = "\n".join(out) + "\n"
        return text if function is None else device_function(text, function)


def load_file(
    content: bytes, name: str, launch: Mapping[str, Any] | None, options: Mapping[str, Any], build: Build
) -> KernelModule:
    """The kernels of a file; :class:`BadElf` has the reason if it is no program for a device.

    Of the options it takes the target, if that is the device the file is for: it has been compiled.
    """
    try:
        code = code_for_file(content)
        found = read_elf(content, code)
        if found.image is None:
            raise BadElf("it is not linked")
        signatures = signatures_of(found.notes)
        if not signatures:
            raise BadElf("it does not say what kernels it has")
    except BadElf as error:
        raise BadElf(f"{visible_name(name)} is no program for a device: {error}") from None
    for option, value in options.items():
        if option != "target":
            raise TypeError(f"{visible_name(name)} is a finished program: option '{visible_name(option)}' is for compiling")
        if value != code.name:
            raise ValueError(f"{visible_name(name)} is a program for {code.name}, not for {visible_value(value)}")
    source = DeviceFile("", name, Options(DEVICES[code.name]), content=content)
    target = source.options.target
    first = changed(first_launch(target), dict(launch or {}), target)
    kernels = device_kernels(source, signatures.values(), found.image, first, build)
    return KernelModule(source, kernels, "")
