"""Loads and stores -> Python source, for ``translate.py``.

Hits in the cache are written out; what misses or is special is left to the core
(``core.py``). ``x`` is the address, ``y`` its line, ``k`` the cycle in which the access is
done, ``q`` the one before which none of the thread's accesses goes on, ``z`` a value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from voltac.targets.naplespu.regs import FP, FULL_MASK, PC, SP
from voltac.targets.naplespu.simulator import timing
from voltac.targets.naplespu.simulator.instructions import WORD, DecodedInstruction
from voltac.targets.naplespu.simulator.meanings import BITS, DTYPES

if TYPE_CHECKING:
    from voltac.codegen.rows import Row
    from voltac.targets.naplespu.simulator.block_state import BlockState

_VIEWS = {1: "octets[x]", 2: "halves[x >> 1]", 4: "words[x >> 2]"}
SLEEP = f"W[{timing.MEMORY}] += k - 1 - c; c = k - 1"
"""Where stores block, a thread does not issue until the line that its store misses is there."""


def _address(block: BlockState, instruction: DecodedInstruction, wrap: int) -> None:
    """``x`` is the effective address."""
    base, offset = block.read(instruction["rbase"], instruction.pc), instruction["off"]
    block.emit(f"x = {base} + {offset} & {wrap}" if offset or wrap != WORD else f"x = {base}")


def _stored(block: BlockState, instruction: DecodedInstruction, vector: bool, any_form: bool) -> tuple[str, str]:
    """What a store writes, and the form of lanes. A prologue may save a register that nobody has set."""
    number = instruction["rds"]
    kind = "vector" if vector else "scalar"
    saves = block.through_stack or instruction["rbase"] in (SP.number, FP.number)
    if saves and (kind, number) not in block.proven and (kind, number) != ("scalar", PC.number):
        name, form = block.forms.current(number, BITS) if vector else (block.old(number), BITS)
        nothing = block.constant(0, form) if vector else "0"
        block.emit(f"z = {nothing} if {name} is None else {name}")
        if form == BITS or any_form:
            return "z", form
        return f"z.view({DTYPES[BITS][0]})", BITS
    if not vector:
        return block.read(number, instruction.pc), BITS
    form = block.forms.held(number, BITS) if any_form else BITS
    return block.lanes(number, form), form


def _as_bits(source: str, form: str) -> str:
    return source if form == BITS else f"{source}.view({DTYPES[BITS][0]})"


def write_main_memory(block: BlockState, instruction: DecodedInstruction) -> None:
    """An access of main memory: through the data cache, with its stalls."""
    row = instruction.row
    for name in ("K", "G", "A", "q"):
        block.need(name)
    size, alignment = _measure(row, "bytes"), _measure(row, "align")
    vector = "vector" in row.traits
    queue = f"f{block.queued % timing.QUEUE}"
    block.queued += 1
    block.issue(instruction, queue)
    stored, form = _stored(block, instruction, vector, size == 4) if "store" in row.traits else ("", BITS)
    _address(block, instruction, WORD)
    if alignment > 1:
        block.emit(f"if x & {alignment - 1}: raise Misaligned(x, {alignment})")
    block.emit("y = x >> 6")
    if "load" in row.traits:
        signed = "signed" in row.traits
        form = block.forms.next_use(block.at, instruction["rds"]) if vector and size == 4 else BITS
        block.emit("w = G(y)")
        block.emit("if w is None:")
        block.emit(f"k, z = K.slow_load(t, x, c if c > q else q, {size}, {signed}, {vector}); {queue} = q = k", 1)
        if form != BITS:
            block.emit(f"z = z.view({DTYPES[form][0]})", 1)
        block.emit("else:")
        _hit(block, queue, "")
        if not vector:
            block.emit("z = " + _with_sign(_VIEWS[size], size, signed), 1)
            block.set_scalar(instruction["rds"], "z", row, "k")
        else:
            block.emit("z = " + _loaded(size, signed, form), 1)
            block.set_vector(instruction["rds"], "z", row, "k", form)
        block.trace(instruction, "z")
        return
    block.need("D")
    bits = _as_bits(stored, form)
    block.emit(f"w = {block.need('H') if block.shape.coherent else 'G'}(y)")
    block.emit("if w is None:")
    block.emit(f"{queue} = q = k = K.slow_store(t, x, {bits}, c if c > q else q, {size}, {vector})", 1)
    block.emit("else:")
    _hit(block, queue, "; w = None")
    for line in _storing(stored, size, vector, form, block.shape.write_through):
        block.emit(line, 1)
    block.trace(instruction, bits)
    if block.shape.blocking_stores:
        block.emit(f"if w is None: {SLEEP}")


def _hit(block: BlockState, queue: str, waiting: str) -> None:
    """The line is there, or on its way: then ``waiting`` is done, too."""
    if block.shape.coherent:
        block.need("P")
        block.emit("o = y & 31; P[o] = w[P[o]]", 1)
    block.emit(f"{queue} = k = (c if c > q else q) + {timing.LOAD_HIT}", 1)
    block.emit(f"if A and A.get(y, 0) > k: {queue} = q = k = A[y]{waiting}", 1)


def write_scratchpad(block: BlockState, instruction: DecodedInstruction) -> None:
    """An access of the scratchpad, lane by lane."""
    row = instruction.row
    size, vector = _measure(row, "bytes"), "vector" in row.traits
    queue = f"g{block.scratch_queued % timing.QUEUE}"
    block.scratch_queued += 1
    block.issue(instruction, queue)
    if not block.shape.scratchpad:
        block.emit("raise Fault('this device has no scratchpad')")
    stored, form = _stored(block, instruction, vector, size == 4) if "store" in row.traits else ("", BITS)
    _address(block, instruction, 0xFFFF)
    block.emit(f"{queue} = c + {timing.QUEUE_CYCLES}")
    if vector:
        block.need("M")
        block.need("m")
        block.need("K")
    if size > 1:
        block.emit(f"if x & {size - 1}{' and M' if vector else ''}: raise Misaligned(x, {size}, 'the scratchpad')")
    if not vector:
        view = block.need("spad_" + _VIEWS[size].partition("[")[0]) + _VIEWS[size][_VIEWS[size].index("[") :]
    if "load" in row.traits:
        signed = "signed" in row.traits
        if not vector:
            block.set_scalar(instruction["rds"], _with_sign(view, size, signed), row)
        elif size == 4:
            # Lanes beyond the end are at the start.
            form = block.forms.next_use(block.at, instruction["rds"])
            lanes = block.need(f"spad_{form}")
            beyond = f"K.scratchpad.gather(x, 4, False){'' if form == BITS else f'.view({DTYPES[form][0]})'}"
            block.emit(f"z = {lanes}[x >> 2:(x >> 2) + 16].copy() if x <= 0xFFC0 else {beyond}")
            block.set_vector(instruction["rds"], "z", row, form=form)
        else:
            block.set_vector(instruction["rds"], f"K.scratchpad.gather(x, {size}, {signed})", row)
        block.trace(instruction, block.result("vector" if vector else "scalar", instruction["rds"]))
        return
    bits = _as_bits(stored, form)
    if not vector:
        block.emit(f"{view} = {_cut(stored, size)}")
    elif size == 4:
        lanes = block.need(f"spad_{form}")
        block.emit(f"if x > 0xFFC0: K.scratchpad.scatter(x, 4, {bits}, m)")
        block.emit(f"elif M == {FULL_MASK}: {lanes}[x >> 2:(x >> 2) + 16] = {stored}")
        block.emit(f"else: putmask({lanes}[x >> 2:(x >> 2) + 16], m, {stored})")
    else:
        block.emit(f"K.scratchpad.scatter(x, {size}, {stored}, m)")
    block.trace(instruction, bits)


def _measure(row: Row, name: str) -> int:
    """The number of a trait ``bytes 4`` or ``align 64``."""
    return next(int(trait.split()[1]) for trait in row.traits if trait.startswith(name + " "))


def _with_sign(source: str, size: int, signed: bool) -> str:
    return f"sign_extend({source}, {8 * size})" if signed else source


def _cut(source: str, size: int) -> str:
    return source if size == 4 else f"{source} & {(1 << 8 * size) - 1}"


def _loaded(size: int, signed: bool, form: str) -> str:
    """The lanes that a load at ``x`` finds. Narrow ones are broken in hardware: lane i gets its part of word i of the line."""
    if size == 4:
        return f"memory_{form}[y].copy()"
    part = f"(memory_bits[y] >> (x & {4 - size}) * 8 & {(1 << 8 * size) - 1})"
    return f"sign_extend_lanes({part}, {8 * size}).view({DTYPES[BITS][0]})" if signed else part


def _storing(stored: str, size: int, vector: bool, form: str, write_through: bool) -> list[str]:
    """A store at ``x``; vectors of narrow elements are packed."""
    if not vector:
        lines = [f"{_VIEWS[size]} = {_cut(stored, size)}"]
    elif size == 4:
        lines = [f"memory_{form}[y] = {stored}"]
    else:
        lines = [f"octets[x:x + {16 * size}] = {stored}.astype('u{size}').tobytes()"]
    count = 16 * size if vector else size
    if write_through:
        return [*lines, f"K.write_through(x, {count}, k)"]
    return [*lines, "D[y] = 0xFFFFFFFFFFFFFFFF" if count == 64 else f"D[y] = D.get(y, 0) | {(1 << count) - 1} << (x & 63)"]
