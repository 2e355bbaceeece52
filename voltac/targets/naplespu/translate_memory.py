"""Loads and stores -> Python source, for ``translate.py``.

Hits in the cache are written out; what misses or is special is left to the core
(``core.py``). ``x`` is the address, ``y`` its line, ``k`` the cycle in which the access is
done, ``q`` the one before which none of the thread's accesses goes on, ``z`` a value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from voltac.targets.naplespu import timing
from voltac.targets.naplespu.instructions import WORD, Instruction
from voltac.targets.naplespu.regs import FP, FULL_MASK, PC, SP

if TYPE_CHECKING:
    from voltac.codegen.rows import Row
    from voltac.targets.naplespu.translate import BlockWriter

_VIEWS = {1: "octets[x]", 2: "halves[x >> 1]", 4: "words[x >> 2]"}
SLEEP = f"W[{timing.MEMORY}] += k - 1 - c; c = k - 1"
"""A thread whose store misses does not issue until the line is there; behind a load that misses it goes on."""


def _address(block: BlockWriter, instruction: Instruction, wrap: int) -> None:
    """``x`` is the effective address."""
    base, offset = block.read("scalar", instruction["rbase"], instruction.pc), instruction["off"]
    block.emit(f"x = {base} + {offset} & {wrap}" if offset or wrap != WORD else f"x = {base}")


def _stored(block: BlockWriter, instruction: Instruction, kind: str) -> str:
    """What a store writes. A prologue may save a register that nobody has set."""
    number = instruction["rds"]
    if (
        (block.through_stack or instruction["rbase"] in (SP.number, FP.number))
        and (kind, number) not in block.proven
        and (kind, number) != ("scalar", PC.number)
    ):
        name = block.old(kind, number)
        nothing = "0" if kind == "scalar" else "zeros"
        block.emit(f"z = {nothing} if {name} is None else {name}")
        return "z"
    return block.read(kind, number, instruction.pc)


def write_main_memory(block: BlockWriter, instruction: Instruction) -> None:
    row = instruction.row
    for name in ("K", "G", "P", "A", "q"):
        block.need(name)
    size, alignment = _measure(row, "bytes"), _measure(row, "align")
    kind = "vector" if "vector" in row.traits else "scalar"
    queue = f"f{block.queued % timing.QUEUE}"
    block.queued += 1
    block.issue(instruction, queue)
    stored = _stored(block, instruction, kind) if "store" in row.traits else ""
    _address(block, instruction, WORD)
    if alignment > 1:
        block.emit(f"if x & {alignment - 1}: raise Misaligned(x, {alignment})")
    block.emit("y = x >> 6")
    if "load" in row.traits:
        signed = "signed" in row.traits
        block.emit("w = G(y)")
        block.emit("if w is None:")
        block.emit(f"k, z = K.slow_load(t, x, c if c > q else q, {size}, {signed}, {kind == 'vector'}); {queue} = q = k", 1)
        block.emit("else:")
        _hit(block, queue, "")
        block.emit("z = " + _loaded(size, signed, kind == "vector"), 1)
        if kind == "scalar":
            block.set_scalar(instruction["rds"], "z", row, "k")
        else:
            block.set_vector(instruction["rds"], "z", row, "k")
        block.trace(instruction, "z")
        return
    block.need("D")
    block.emit(f"w = {block.need('H') if block.shape.coherent else 'G'}(y)")
    block.emit("if w is None:")
    block.emit(f"{queue} = q = k = K.slow_store(t, x, {stored}, c if c > q else q, {size}, {kind == 'vector'})", 1)
    block.emit(SLEEP, 1)
    block.emit("else:")
    _hit(block, queue, f"; {SLEEP}")
    for line in _storing(stored, size, kind == "vector", block.shape.write_through):
        block.emit(line, 1)
    block.trace(instruction, stored)


def _hit(block: BlockWriter, queue: str, waiting: str) -> None:
    """The line is there, or on its way: then ``waiting`` is done, too."""
    block.emit("o = y & 31; P[o] = w[P[o]]", 1)
    block.emit(f"{queue} = k = (c if c > q else q) + {timing.LOAD_HIT}", 1)
    block.emit(f"if A and A.get(y, 0) > k: {queue} = q = k = A[y]{waiting}", 1)


def write_scratchpad(block: BlockWriter, instruction: Instruction) -> None:
    row = instruction.row
    size, vector = _measure(row, "bytes"), "vector" in row.traits
    queue = f"g{block.scratch_queued % timing.QUEUE}"
    block.scratch_queued += 1
    block.issue(instruction, queue)
    if not block.shape.scratchpad:
        block.emit("raise Fault('this device has no scratchpad')")
    stored = _stored(block, instruction, "vector" if vector else "scalar") if "store" in row.traits else ""
    _address(block, instruction, 0xFFFF)
    block.emit(f"{queue} = c + {timing.QUEUE_CYCLES}")
    if vector:
        block.need("M")
        block.need("m")
    if size > 1:
        block.emit(f"if x & {size - 1}{' and M' if vector else ''}: raise Misaligned(x, {size}, 'the scratchpad')")
    if "load" in row.traits:
        signed = "signed" in row.traits
        if not vector:
            view = _VIEWS[size]
            block.need("spad_" + view.partition("[")[0])
            block.set_scalar(instruction["rds"], _with_sign("spad_" + view, size, signed), row)
        elif size == 4:
            # Lanes beyond the end are at the start.
            block.need("spad_lanes")
            block.need("K")
            block.emit("z = spad_lanes[x >> 2:(x >> 2) + 16].copy() if x <= 0xFFC0 else K.scratchpad.gather(x, 4, False)")
            block.set_vector(instruction["rds"], "z", row)
        else:
            block.set_vector(instruction["rds"], f"{block.need('K')}.scratchpad.gather(x, {size}, {signed})", row)
        block.trace(instruction, block.result("vector" if vector else "scalar", instruction["rds"]))
        return
    if not vector:
        view = _VIEWS[size]
        block.need("spad_" + view.partition("[")[0])
        block.emit(f"spad_{view} = {_cut(stored, size)}")
    elif size == 4:
        block.need("spad_lanes")
        block.need("K")
        block.emit(f"if M == {FULL_MASK} and x <= 0xFFC0: spad_lanes[x >> 2:(x >> 2) + 16] = {stored}")
        block.emit(f"else: K.scratchpad.scatter(x, 4, {stored}, m)")
    else:
        block.emit(f"{block.need('K')}.scratchpad.scatter(x, {size}, {stored}, m)")
    block.trace(instruction, stored)


def _measure(row: Row, name: str) -> int:
    """The number of a trait ``bytes 4`` or ``align 64``."""
    return next(int(trait.split()[1]) for trait in row.traits if trait.startswith(name + " "))


def _with_sign(source: str, size: int, signed: bool) -> str:
    return f"sign_extend({source}, {8 * size})" if signed else source


def _cut(source: str, size: int) -> str:
    return source if size == 4 else f"{source} & {(1 << 8 * size) - 1}"


def _loaded(size: int, signed: bool, vector: bool) -> str:
    """What a load at ``x`` finds. Narrow vectors are broken in hardware: lane i gets its part of word i of the line."""
    if not vector:
        return _with_sign(_VIEWS[size], size, signed)
    line = "memory_lanes[y << 4:(y << 4) + 16]"
    if size == 4:
        return f"{line}.copy()"
    part = f"({line} >> (x & {4 - size}) * 8 & {(1 << 8 * size) - 1})"
    return f"sign_extend_lanes({part}, {8 * size})" if signed else part


def _storing(stored: str, size: int, vector: bool, write_through: bool) -> list[str]:
    """A store at ``x``; vectors of narrow elements are packed."""
    if not vector:
        lines = [f"{_VIEWS[size]} = {_cut(stored, size)}"]
    elif size == 4:
        lines = [f"memory_lanes[y << 4:(y << 4) + 16] = {stored}"]
    else:
        lines = [f"octets[x:x + {16 * size}] = {stored}.astype('u{size}').tobytes()"]
    count = 16 * size if vector else size
    if write_through:
        return [*lines, f"K.write_through(x, {count})"]
    return [*lines, "D[y] = 0xFFFFFFFFFFFFFFFF" if count == 64 else f"D[y] = D.get(y, 0) | {(1 << count) - 1} << (x & 63)"]
