"""Registers that are read before anything was written to them: at launch they hold what is left over (IPU 1.2).

A store may read one: functions save what their callers may have in registers.
"""

from __future__ import annotations

from voltac.targets.ipu.registers import written_registers
from voltac.targets.ipu.simulator.decoded import CodeReader
from voltac.targets.ipu.simulator.faults import INVALID_OPERATION, TileFault
from voltac.targets.ipu.simulator.translate import WorkerBlock

RegisterUse = tuple[dict[str, int], frozenset[str]]
"""Of a block: registers that it reads before it writes them, with the address of the reader; those that it writes."""


def register_use(reader: CodeReader, block: WorkerBlock) -> RegisterUse:
    """What a block reads and writes; the body of a repeat counts as executed."""
    read: dict[str, int] = {}
    written: set[str] = set()
    for pc in dict.fromkeys(pc for pc, _ in block.origin):
        new: set[str] = set()
        for half in reader.issue_at(pc).halves:
            for operand, value in zip(half.row.operands, half.values):
                registers = written_registers(operand.kind, value)
                if operand.role != "use":
                    new.update(registers)
                is_stored = "store" in half.row.traits and operand.kind[0] == "a"
                if operand.role != "def" and not is_stored:
                    read |= {register: pc for register in registers if register not in written and register not in read}
        written |= new
    return read, frozenset(written)


def check_registers(use: RegisterUse, written: set[str]) -> None:
    """Before a block runs: ``written`` so far, which the block's own are added to; a fault for what nothing was written to."""
    read, new = use
    missing = read.keys() - written
    if missing:
        register = min(missing, key=lambda one: read[one])
        raise TileFault(INVALID_OPERATION, f"{register} is read, and nothing was written to it", read[register])
    written |= new
