"""Assembly text of a device's program → functions, blocks and kinds of instructions, as :mod:`voltac.report.assembly` has them.

Labels of blocks are ``function.block``. Loops are the natural loops of the branches: Aho, Lam, Sethi, Ullman, Compilers, 9.6.
"""

from __future__ import annotations

import re

from voltac.codegen.rows import Row
from voltac.report.assembly import AssemblyBlock
from voltac.target_info import DEVICES
from voltac.targets import device_code

_LABEL = re.compile(r"^([\w.$@]+):")
_END_OF_GROUP = re.compile(r"\s*(?:;;)?\s*\}?$")
_PREDICATE = re.compile(r"^\(p\d+\)\s*")
_TARGET = re.compile(r"([\w.$@]+)$")


def functions(assembly: str) -> dict[str, list[AssemblyBlock]]:
    """Function symbol → its blocks in text order; no lines of the source are known."""
    found: dict[str, list[AssemblyBlock]] = {}
    for line in assembly.splitlines():
        label = _LABEL.match(line)
        if label is not None:
            function, name = _parts(label[1], found)
            blocks = found.setdefault(function, [])
            blocks.append(AssemblyBlock(label[1], name, ()))
        elif line.startswith("\t") and not line.startswith("\t.") and found:
            instruction = line.partition("#")[0].strip().replace("\t", " ")
            if not instruction.startswith("{"):
                # The last of a group, or of a bundle, whose brace stands on a line of its own.
                instruction = _END_OF_GROUP.sub("", instruction)
            if instruction and not instruction.startswith("nop."):
                blocks[-1].instructions.append(instruction)
                blocks[-1].lines.append(0)
    for blocks in found.values():
        _note_loops(blocks)
    return found


def _parts(label: str, found: dict[str, list[AssemblyBlock]]) -> tuple[str, str]:
    """The function a label belongs to, the longest name that it begins with, and what follows."""
    function = max((name for name in found if label.startswith(f"{name}.")), key=len, default="")
    return (function, label[len(function) + 1 :]) if function else (label, "")


def _note_loops(blocks: list[AssemblyBlock]) -> None:
    following = _successors(blocks)
    before: list[list[int]] = [[] for _ in blocks]
    for number, targets in enumerate(following):
        for target in targets:
            before[target].append(number)
    dominators = _dominators(before)
    bodies: dict[int, set[int]] = {}
    for number, targets in enumerate(following):
        for header in targets:
            if dominators[number] >> header & 1:
                bodies.setdefault(header, {header}).update(_body(header, number, before))
    # The loops around a block, the outermost first.
    for header, body in sorted(bodies.items(), key=lambda item: -len(item[1])):
        for number in body:
            blocks[number].loops += (blocks[header].label,)


def _successors(blocks: list[AssemblyBlock]) -> list[list[int]]:
    """Numbers of the blocks that may follow each."""
    places = {block.label: number for number, block in enumerate(blocks)}
    out = []
    for number, block in enumerate(blocks):
        targets = [
            places[match[1]]
            for line in block.instructions
            for instruction in halves(line)
            if (match := _TARGET.search(instruction)) is not None and match[1] in places
        ]
        last = halves(block.instructions[-1])[0].split() if block.instructions else [""]
        if not is_end(last[0]) and number + 1 < len(blocks):
            targets.append(number + 1)
        out.append(targets)
    return out


def halves(line: str) -> list[str]:
    """The instructions of a line: those of a bundle, the others by themselves."""
    if not line.startswith("{"):
        return [line]
    return [text.strip() for text in line.strip("{} ").split(" ; ")]


def is_end(word: str) -> bool:
    """Whether nothing comes behind a line that begins with a word. A predicate before a mnemonic says that something may."""
    return word in _ENDS or word.startswith(("br.cond", "br.ret"))


_ENDS = ("jmp", "jret", "br", "bri", "exitz")


def _dominators(before: list[list[int]]) -> list[int]:
    """For each block the set of blocks, as bits, that every way to it goes through."""
    everything = (1 << len(before)) - 1
    found = [1] + [everything] * (len(before) - 1)
    changed = True
    while changed:
        changed = False
        for number in range(1, len(before)):
            common = everything
            for other in before[number]:
                common &= found[other]
            common |= 1 << number
            changed |= common != found[number]
            found[number] = common
    return found


def _body(header: int, latch: int, before: list[list[int]]) -> set[int]:
    """The blocks from which one comes to the branch back without passing the header."""
    body, waiting = {header}, [latch]
    while waiting:
        number = waiting.pop()
        if number not in body:
            body.add(number)
            waiting += before[number]
    return body


def kind_of(line: str, device: str) -> str:
    """The kind, one of :data:`voltac.report.assembly.KINDS`; of a bundle that of its first instruction that does something."""
    working = [each for each in halves(line) if each not in _FILLERS]
    return _kind_of(working[0] if working else line, device)


def kinds_of(line: str, device: str) -> list[str]:
    """The kinds of all instructions of a line that do something."""
    return [_kind_of(each, device) for each in halves(line) if each not in _FILLERS]


_FILLERS = ("nop", "fnop")


def _kind_of(instruction: str, device: str) -> str:
    mnemonic, _, operands = _PREDICATE.sub("", instruction).partition(" ")
    code = device_code(DEVICES[device])
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
    return "vector arithmetic" if register is not None and register.kind in _VECTORS else "scalar"


_VECTORS = ("vector", "a2", "a4")
"""Kinds of registers with several lanes."""
_MASK_MOVES = ("read_mr", "write_mr")


def _is_move(row: Row) -> bool:
    return row.meaning in (operand.field for operand in row.operands)
