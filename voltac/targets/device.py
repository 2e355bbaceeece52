"""What the driver and the faces have to know of a device, and a program compiled for one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from voltac.codegen.assembler import assemble
from voltac.codegen.device import DeviceCode
from voltac.codegen.elf import write_elf
from voltac.codegen.elf_read import read_image
from voltac.codegen.image import Image, memory_text, toolchain_text
from voltac.codegen.link import link
from voltac.codegen.object_file import ObjectFile
from voltac.messages.diagnostics import Diagnostics
from voltac.messages.message import NOWHERE
from voltac.records import mutable_record, record

if TYPE_CHECKING:
    from voltac.options import Options
    from voltac.pass_runs import Pass, PassRuns


START = "_start"
"""Label where a program begins; a kernel ``f`` begins at ``_start.f``."""


@record
class SampleParameter:
    """What a program that calls its kernels itself has to know of a parameter."""

    format: str
    """Of the number, or of an array's elements, as numpy writes it; empty for others."""
    is_array: bool
    is_written: bool


@record
class SampleKernel:
    """The same of a kernel."""

    parameters: tuple[SampleParameter, ...]
    result_bytes: int
    """0: it gives nothing."""


@record
class Preprocessing:
    """What the preprocessor of assembly text is told."""

    directories: tuple[str, ...] = ()
    """Where included files are looked for besides the file's own."""
    macros: tuple[tuple[str, str], ...] = ()
    """Name and text of what is defined beforehand."""


PLAIN = Preprocessing()
"""Nothing."""


@record(eq=False)
class Device:
    """A device's stages behind ``passes``, and its simulator."""

    code: DeviceCode
    legalize: Callable[[str, Options, PassRuns], str]
    select: Callable[[str, Options, PassRuns], str]
    legalize_passes: Callable[[], tuple[Pass, ...]]
    select_passes: Callable[[], tuple[Pass, ...]]
    """The steps of these two, in order."""
    simulator: Callable[[Any], Any]
    """A device to run programs on, made from :attr:`configuration`'s result."""
    configuration: Callable[..., Any]
    """How a device is set up: takes ``cores``, ``threads`` and what else it knows, by name; ValueError for what it has not."""
    room_bytes: int = 0
    """In front of a launch's block, zero at first: where its threads tell each other that they have come to a barrier."""
    own_assembler: Callable[[str, str, Diagnostics, Preprocessing], ObjectFile] | None = None
    """Of text, given the file and where mistakes are told. None: the shared one reads it."""
    has_preprocessor: bool = False
    """Whether assembly text has ``#define`` and its like."""
    entry_prefix: str = ""
    """What the names of functions that may be run begin with."""

    linux_object: Callable[[str, Mapping[str, SampleKernel], str, Options, Diagnostics], bytes] | None = None
    """An object that is a program for Linux when it is linked: of legal IR, its kernels, the file's name.
    None: the device runs no Linux."""

    def assemble(self, text: str, file: str, diagnostics: Diagnostics, preprocessing: Preprocessing = PLAIN) -> ObjectFile:
        """The code of a text, not linked; CompileError with everything that is wrong."""
        if self.own_assembler is not None:
            return self.own_assembler(text, file, diagnostics, preprocessing)
        return assemble(text, self.code, file, diagnostics)


def kernels(symbols: Mapping[str, int]) -> dict[str, int]:
    """The kernels of a program and the addresses where they begin."""
    return {
        name.removeprefix(START + "."): address
        for name, address in sorted(symbols.items(), key=lambda item: item[1])
        if name.startswith(START + ".")
    }


@mutable_record(eq=False)
class DeviceProgram:
    """A finished program, in every form somebody may want; the methods are those of :class:`voltac.llvm.Optimized`."""

    _assembly: str
    _linked: ObjectFile
    _entry: str
    _device: DeviceCode
    _assemble: Callable[[], ObjectFile]
    _legal: Callable[[], str]
    """Its IR, as the selector took it."""
    _bitcode: Callable[[str], bytes]

    def object_code(self, notes: Mapping[str, bytes] | None = None) -> bytes:
        """A linked ELF file."""
        return write_elf(self._linked, self._device, self._entry, notes)

    def relocatable(self) -> bytes:
        """An ELF file that is not linked."""
        return write_elf(self._assemble(), self._device)

    def assembly(self, comments: bool = False) -> str:
        """Assembly language."""
        return self._assembly

    def text(self) -> str:
        """LLVM assembly language with what the device has."""
        return self._legal()

    def bitcode(self) -> bytes:
        """LLVM bitcode of the same."""
        return self._bitcode(self._legal())

    def image(self) -> Image:
        """What lies in memory before the program runs."""
        return read_image(self.object_code(), self._device)

    def toolchain_text(self) -> str:
        """The image in the text format of the device's toolchain."""
        return toolchain_text(self.image())

    def memory_text(self) -> str:
        """The image as the memory model of the hardware's source reads it."""
        return memory_text(self.image())


def make_program(
    text: str,
    file: str,
    device: Device,
    diagnostics: Diagnostics,
    legal: Callable[[], str],
    bitcode: Callable[[str], bytes],
) -> DeviceProgram:
    """Assemble and link; what is wrong is told to ``diagnostics`` and raised as CompileError."""
    code = device.code
    linked = link(device.assemble(text, file, diagnostics), code, diagnostics)
    starts = [name for name, symbol in linked.symbols.items() if name == START or name.startswith(START + ".")]
    if not starts:
        diagnostics.fatal(
            "device", NOWHERE, f"{file} exports no function: {code.name} runs kernels, and those are exported functions"
        )
    again = partial(device.assemble, text, file, diagnostics)
    return DeviceProgram(text, linked, min(starts, key=linked.address), code, again, legal, bitcode)
