"""x86 assembly text (AT&T syntax, as LLVM prints it) -> functions, blocks and counts of instructions by kind."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from voltac.report.line_assembly import source_line

KINDS = (
    "load",
    "store",
    "masked load",
    "masked store",
    "gather",
    "scatter",
    "blend",
    "mask arithmetic",
    "shuffle",
    "vector arithmetic",
    "scalar",
    "control",
    "call",
)
"""What an instruction is counted as, in the order reports show them."""


@dataclass(slots=True)
class AssemblyBlock:
    """A stretch of code with one label, up to the next."""

    label: str
    """As in the text, e.g. ``.LBB0_3``; ``""`` for the entry."""
    name: str
    """Name of the IR block it starts with, from LLVM's comment."""
    loops: tuple[str, ...]
    """Labels (without the leading dot) of the headers of all loops around the block."""
    instructions: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    """Of the source, by instruction; 0 where it is not known: without debug information."""


_LABEL = re.compile(r"^(\.LBB\d+_\d+):(.*)|^# (%bb\.\d+):(.*)")
_NAME = re.compile(r"# %([\w.\-$]+)")
_HEADER = re.compile(r"=>\s*This (?:Inner )?Loop Header")
_AROUND = re.compile(r"(?:in Loop: Header=|Parent Loop )(BB\d+_\d+)")


def functions(assembly: str, file: str = "") -> dict[str, list[AssemblyBlock]]:
    """Function symbol -> its blocks in text order; ``file`` is the source whose lines are wanted, if any."""
    found: dict[str, list[AssemblyBlock]] = {}
    blocks: list[AssemblyBlock] | None = None
    place = 0
    for line in assembly.splitlines():
        if line.startswith("\t.type\t") and line.endswith("@function"):
            name = line.split("\t")[2].partition(",")[0].strip('"')
            blocks, place = found.setdefault(name, []), 0
            continue
        if blocks is None:
            continue
        match = _LABEL.match(line)
        if match is not None:
            comment = match[2] or match[4] or ""
            named = _NAME.search(comment)
            blocks.append(AssemblyBlock(match[1] or "", named[1] if named else "", ()))
            _note_loop(blocks[-1], comment)
        elif line.lstrip().startswith("#") and blocks and not blocks[-1].instructions:
            _note_loop(blocks[-1], line)
        elif line.startswith(".Lfunc_end"):
            blocks = None
        elif line.startswith("\t.loc\t"):
            place = source_line(line, file)
        elif line.startswith("\t") and not line.startswith(("\t.", "\t#")) and blocks:
            blocks[-1].instructions.append(line.partition("#")[0].strip().replace("\t", " "))
            blocks[-1].lines.append(place)
    for blocks in found.values():
        _complete_loops(blocks)
    return found


def _complete_loops(blocks: list[AssemblyBlock]) -> None:
    """LLVM says all loops around a header; of other blocks the innermost only."""
    chains = {block.loops[-1]: block.loops for block in blocks if block.loops and block.label == ".L" + block.loops[-1]}
    for block in blocks:
        if block.loops:
            block.loops = chains.get(block.loops[-1], block.loops)


def _note_loop(block: AssemblyBlock, comment: str) -> None:
    if _HEADER.search(comment):
        block.loops += (block.label.removeprefix(".L"),)
    elif (around := _AROUND.search(comment)) is not None:
        block.loops += (around[1],)


_MEMORY = re.compile(r"\(%|%[cdefgs]s:|\brip\)")
_REGISTER_MASK = re.compile(r"\{%k\d\}")
_MASK_REGISTER = re.compile(r"%k[0-7]\b")
_SHUFFLE = re.compile(
    r"^v?(p?shuf|p?blend|perm|unpck|punpck|pack|palignr|align|insert|extract|broadcast|pbroadcast|movs[hl]dup|movddup|"
    r"pmov[sz]x|pinsr|pextr|compress|expand|pcompress|pexpand|movhlps|movlhps)"
)
_MASK_MNEMONIC = re.compile(r"^(k[a-z]+|v?p?movmsk|v?ptest|vtest|vpmovm2|vpmov.2m)")
_CONTROL = re.compile(r"^(j|ret|loop)")


def kind_of(instruction: str) -> str:
    """The kind (one of KINDS) of one instruction."""
    mnemonic, _, operands = instruction.partition(" ")
    if mnemonic in ("rep", "lock"):
        mnemonic, _, operands = operands.partition(" ")
    if mnemonic.startswith("call"):
        return "call"
    if _CONTROL.match(mnemonic):
        return "control"
    if "gather" in mnemonic:
        return "gather"
    if "scatter" in mnemonic:
        return "scatter"
    memory = _MEMORY.search(operands) is not None and not mnemonic.startswith(("lea", "nop", "prefetch"))
    to_memory = memory and _MEMORY.search(_last_operand(operands)) is not None
    if mnemonic.startswith(("vmaskmov", "vpmaskmov", "maskmov")) or (memory and _REGISTER_MASK.search(operands)):
        return "masked store" if to_memory else "masked load"
    # A blend by a constant joins parts of vectors, as shuffles do.
    if ("blend" in mnemonic and not operands.startswith("$")) or (_REGISTER_MASK.search(operands) and "{z}" not in operands):
        return "blend"
    if _MASK_MNEMONIC.match(mnemonic) or _MASK_REGISTER.search(_last_operand(operands)):
        return "mask arithmetic"
    if memory and mnemonic.lstrip("v").startswith("mov"):
        return "store" if to_memory else "load"
    if memory and not to_memory and re.search(r"%[xyz]mm", operands):
        return "load"
    if _SHUFFLE.match(mnemonic):
        return "store" if to_memory else "shuffle"
    if re.search(r"%[xyz]mm", operands):
        return "store" if to_memory else "vector arithmetic"
    return "scalar"


def _last_operand(operands: str) -> str:
    """The destination in AT&T syntax: what stands behind the last comma outside of parentheses."""
    depth = 0
    for index in range(len(operands) - 1, -1, -1):
        character = operands[index]
        if character == ")":
            depth += 1
        elif character == "(":
            depth -= 1
        elif character == "," and depth == 0:
            return operands[index + 1 :]
    return operands


def counts(instructions: list[str]) -> Counter[str]:
    """Instructions by kind; a load that is an operand of arithmetic counts as a load."""
    return Counter(kind_of(instruction) for instruction in instructions)
