"""Files of assembly text on the command line: assembled for a device, and run there with the arguments that are given."""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from voltac.cli.option_table import Namespace, UsageError
from voltac.cli.run_arguments import filled, printed
from voltac.cli.settings import defined_macro
from voltac.codegen.elf import write_elf
from voltac.codegen.elf_read import ElfFile, read_elf
from voltac.codegen.link import link
from voltac.driver import read_file
from voltac.messages.diagnostics import Diagnostics
from voltac.messages.suggestions import suggestion
from voltac.targets import find_device
from voltac.targets.device import PLAIN, START, Preprocessing

if TYPE_CHECKING:
    import numpy.typing as npt

    from voltac.target_info import TargetInfo
    from voltac.targets.device import Device

SUFFIXES = (".s", ".S")
"""What names of files with assembly text end in."""
_WORD = 0xFFFFFFFF
"""Integers are words of 32 bits, with or without a sign."""


def preprocessing_of(arguments: Namespace) -> Preprocessing:
    """What the options say to the preprocessor of assembly text."""
    return Preprocessing(tuple(arguments.include_directories), tuple(defined_macro(text) for text in arguments.defines))


def assembled(path: str, target: TargetInfo, preprocessing: Preprocessing) -> ElfFile:
    """The program of a file; :class:`voltac.CompileError` with what is wrong in it. Warnings are written to standard error."""
    device = find_device(target)
    if preprocessing != PLAIN and not device.has_preprocessor:
        raise UsageError(f"assembly text of {target.name} has no preprocessor: options '-I' and '-D' mean nothing there")
    diagnostics = Diagnostics(wrap=False, colored=sys.stderr.isatty())
    code = device.assemble(read_file(path, "a program").decode("utf-8", "replace"), path, diagnostics, preprocessing)
    linked = link(code, device.code, diagnostics)
    sys.stderr.write(diagnostics.render())
    globals = [name for name, symbol in linked.symbols.items() if symbol.is_global and symbol.section]
    first = min(globals, key=linked.address) if globals else next(iter(linked.symbols), "")
    return read_elf(write_elf(linked, device.code, first), device.code)


def run_assembled(
    device: Device, file: ElfFile, name: str | None, words: list[str], trace: Callable[[str], None] | None, limit: int | None
) -> Any:
    """A function of the program with a state of one word for each argument; its report. Arrays are printed if they change."""
    assert file.image is not None
    configuration = device.configuration()
    machine = device.simulator(configuration)
    machine.load(file.image)
    entry = file.image.symbols[_chosen(file, device.entry_prefix, name)]
    values = [_value(word, number, configuration.memory) for number, word in enumerate(words, 1)]
    arrays: list[tuple[str, npt.NDArray[Any], int]] = []
    state = bytearray()
    for word, value in zip(words, values):
        if isinstance(value, np.ndarray):
            address = machine.allocate_array(value.nbytes)
            machine.write(address, value.tobytes())
            arrays.append((word, value, address))
            state += struct.pack("<I", address)
        else:
            state += struct.pack("<f", value) if isinstance(value, float) else struct.pack("<I", value & _WORD)
    place = machine.allocate(max(4, len(state)))
    machine.write(place, bytes(state))
    report = machine.run(entry, len(values), place, trace, limit)
    for word, before, address in arrays:
        after = np.frombuffer(machine.read(address, before.nbytes), before.dtype).reshape(before.shape)
        sys.stdout.write(f"{word} = {'unchanged' if after.tobytes() == before.tobytes() else printed(after)}\n")
    return report


def _chosen(file: ElfFile, prefix: str, name: str | None) -> str:
    """The label of a function, which may be named without the prefix that the device asks for."""
    there = [one for one, symbol in file.code.symbols.items() if symbol.is_global and symbol.section]
    if not prefix and any(one.startswith(f"{START}.") for one in there):
        raise UsageError(
            "the text of a compiled program does not say what its kernels take; compile to a program, '-o NAME.elf'"
        )
    entries = [one for one in there if one.startswith(prefix)] or there
    exact = [one for one in (f"{prefix}{name}", name) if one in there]
    found = exact[:1] or [one for one in entries if name is None or one.endswith("_" + name)]
    if len(found) != 1:
        which = f"no function '{name}'{suggestion(name, there)}" if name is not None and not found else "several functions"
        if not there:
            raise UsageError("the program has no function: '.globl NAME' makes one known")
        raise UsageError(f"the program has {which}; choose one with --function: {', '.join(entries)}")
    return found[0]


def _value(word: str, number: int, memory: int) -> Any:
    if word.endswith(".npy"):
        try:
            return np.ascontiguousarray(np.load(word, allow_pickle=False))
        except (OSError, ValueError) as error:
            raise UsageError(f"argument {number}, '{word}', cannot be read: {error}") from None
    if ":" in word:
        return filled(word, np.dtype(np.float32), f"number {number}", (memory, "the device"))
    try:
        value = int(word, 0)
    except ValueError:
        try:
            return float(word)
        except ValueError:
            raise UsageError(
                f"argument {number}, '{word}', is no number and no array: give 64, 1.5, random:64 or a file.npy"
            ) from None
    if not -(1 << 31) <= value <= _WORD:
        raise UsageError(f"argument {number}, {word}, does not fit 32 bits")
    return value
