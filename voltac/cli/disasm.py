"""``voltac disasm FILE.elf``: the code of a device's program, as text or JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from voltac.cli.assembled import preprocessing_of
from voltac.cli.device_files import open_program
from voltac.cli.option_table import Namespace, UsageError
from voltac.cli.outputs import write_standard_output
from voltac.codegen.device import DeviceCode
from voltac.codegen.disassembler import Disassembler
from voltac.codegen.elf_read import ElfFile
from voltac.codegen.listing import Line
from voltac.codegen.object_file import Section
from voltac.messages.visible import visible_name

_BYTES = 16
"""Of data on a line."""
_TEXT_COLUMNS = 44
"""Where comments begin: behind the longest usual instruction."""


def disasm_command(arguments: Namespace) -> int:
    """The exit code, 0: whatever is wrong with the file is an InputError."""
    if len(arguments.operands) != 1:
        raise UsageError("disasm takes one file: voltac disasm FILE.elf [--json]")
    (path,) = arguments.operands
    device, file = open_program(path, arguments.target, preprocessing_of(arguments))
    if arguments.json:
        text = json.dumps(_described(device, file), indent=1) + "\n"
    else:
        text = "".join(f"{visible_name(line)}\n" for line in _listing(path, device, file))
    write_standard_output(text.encode())
    return 0


def _lines(device: DeviceCode, file: ElfFile, section: Section) -> Iterator[tuple[Line, list[str]]]:
    """The instructions of a section, each with the names of the addresses it still waits for."""
    own = [symbol for symbol in file.code.symbols.values() if symbol.section == section.name]
    # Of several labels at one place the one that others use stands for it.
    own.sort(key=lambda symbol: (not symbol.is_global, len(symbol.name)))
    symbols = {symbol.name: file.code.address(symbol.name) for symbol in own}
    waits: dict[int, list[str]] = {}
    for item in file.code.relocations:
        if item.section == section.name:
            addend = f"{item.addend:+}" if item.addend else ""
            waits.setdefault(section.address + item.offset, []).append(f"{item.part} of {item.symbol}{addend}")
    for line in Disassembler(device).lines(bytes(section.content), section.address, symbols):
        yield line, waits.get(line.address, [])


def _listing(path: str, device: DeviceCode, file: ElfFile) -> Iterator[str]:
    starts = [name for name in file.code.symbols if file.executable and file.code.address(name) == file.entry]
    begin = f", begins at {file.entry:#x}{''.join(f' ({name})' for name in starts[:1])}" if file.executable else ", not linked"
    yield f"{path}: {device.name}{begin}"
    for section in file.code.sections.values():
        yield ""
        yield f"section {section.name}, {section.address:#x} to {section.address + section.size:#x}"
        if section.kind == "text":
            for line, waits in _lines(device, file, section):
                yield from (f"{label}:" for label in line.labels)
                # The brace of a bundle, or the blanks below it.
                brace = line.text[:2] if line.text[:1] in ("{", " ") else ""
                mnemonic, _, operands = line.text[len(brace) :].partition(" ")
                word = f"{line.word:0{device.word_digits}X}"
                text = f"{line.address:8x}:  {word}  {brace}{mnemonic:<{14 - len(brace)}} {operands}"
                comment = ", ".join([*([line.comment] if line.comment else []), *waits])
                yield f"{text:{_TEXT_COLUMNS}}  # {comment}" if comment else text.rstrip()
        elif section.kind != "zeros":
            yield from _data(file, section)


def _data(file: ElfFile, section: Section) -> Iterator[str]:
    """Labels and bytes."""
    labels = sorted((symbol.offset, name) for name, symbol in file.code.symbols.items() if symbol.section == section.name)
    stops = sorted({0, section.size, *(offset for offset, _ in labels)})
    for start, end in zip(stops, stops[1:] or stops):
        yield from (f"{name}:" for offset, name in labels if offset == start)
        for offset in range(start, end, _BYTES):
            content = section.content[offset : min(end, offset + _BYTES)]
            yield f"{section.address + offset:8x}:  {content.hex(' ', -4)}"


def _described(device: DeviceCode, file: ElfFile) -> dict[str, Any]:
    sections = []
    for section in file.code.sections.values():
        row: dict[str, Any] = {"name": section.name, "address": section.address, "size": section.size}
        if section.kind == "text":
            row["instructions"] = [
                {"address": line.address, "word": line.word, "text": line.text, "labels": list(line.labels), "waits_for": waits}
                for line, waits in _lines(device, file, section)
            ]
        elif section.kind != "zeros":
            row["bytes"] = section.content.hex()
        sections.append(row)
    return {
        "device": device.name,
        "linked": file.executable,
        "entry": file.entry,
        "kernels": json.loads(file.notes.get("kernels", b"[]")),
        "symbols": {name: file.code.address(name) for name in file.code.symbols},
        "sections": sections,
    }
