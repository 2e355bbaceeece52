"""Assembly text of a device's program → functions, blocks and kinds of instructions, as :mod:`voltac.report.assembly` has them.

Labels of blocks are ``function.block``. A loop is what stands between a label and a branch back to it.
"""

from __future__ import annotations

import re

from voltac.codegen.rows import Row
from voltac.report.assembly import AssemblyBlock
from voltac.targets import device_code

_LABEL = re.compile(r"^([\w.$@]+):")
_BRANCH = re.compile(r"([\w.$@]+)$")


def functions(assembly: str) -> dict[str, list[AssemblyBlock]]:
    """Function symbol → its blocks in text order."""
    found: dict[str, list[AssemblyBlock]] = {}
    for line in assembly.splitlines():
        label = _LABEL.match(line)
        if label is not None:
            function, name = _parts(label[1], found)
            blocks = found.setdefault(function, [])
            blocks.append(AssemblyBlock(label[1], name, ()))
        elif line.startswith("\t") and not line.startswith("\t.") and found:
            blocks[-1].instructions.append(line.partition("#")[0].strip().replace("\t", " "))
    for blocks in found.values():
        _note_loops(blocks)
    return found


def _parts(label: str, found: dict[str, list[AssemblyBlock]]) -> tuple[str, str]:
    """The function a label belongs to, the longest name that it begins with, and what follows."""
    function = max((name for name in found if label.startswith(f"{name}.")), key=len, default="")
    return (function, label[len(function) + 1 :]) if function else (label, "")


def _note_loops(blocks: list[AssemblyBlock]) -> None:
    places = {block.label: number for number, block in enumerate(blocks)}
    ends: dict[int, int] = {}
    for number, block in enumerate(blocks):
        for instruction in block.instructions:
            target = _BRANCH.search(instruction)
            place = places.get(target[1]) if target is not None else None
            if place is not None and place <= number:
                ends[place] = max(number, ends.get(place, number))
    for place, end in sorted(ends.items()):
        for block in blocks[place : end + 1]:
            block.loops += (blocks[place].label,)


def kind_of(instruction: str, device: str) -> str:
    """The kind, one of :data:`voltac.report.assembly.KINDS`."""
    mnemonic, _, operands = instruction.partition(" ")
    code = device_code(device)
    rows = code.instructions.by_mnemonic.get(mnemonic, [])
    if not rows:
        return "scalar"
    traits = rows[0].traits
    if traits & {"load", "store"}:
        return ("masked " if "masked" in traits else "") + ("load" if "load" in traits else "store")
    if "call" in traits:
        return "call"
    if traits & {"branch", "return", "barrier", "flush"}:
        return "control"
    if mnemonic in _MASK_MOVES or "rm" in re.split(r"[\s,]+", operands):
        return "mask arithmetic"
    first, *_ = (*re.split(r"[\s,]+", operands), "")
    register = code.registers.get(first)
    if any(row.meaning.startswith(("shuffled", "lane")) for row in rows):
        return "shuffle"
    if "masked" in traits and any(_is_move(row) for row in rows):
        return "blend"
    return "vector arithmetic" if register is not None and register.kind == "vector" else "scalar"


_MASK_MOVES = ("read_mr", "write_mr")


def _is_move(row: Row) -> bool:
    return row.meaning in (operand.field for operand in row.operands)
