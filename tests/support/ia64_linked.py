"""Static programs for Linux on IA-64, linked by GNU ld, on the simulated machine."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

from voltac.targets.ia64.simulator.machine import Itanium, MachineReport
from voltac.targets.ia64.simulator.memory import Memory


def run(command: list[str | Path]) -> None:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def executed(program: bytes) -> tuple[Itanium, MachineReport]:
    """A static ELF file, its segments loaded as its program headers say (System V ABI)."""
    entry, headers = struct.unpack_from("<QQ", program, 24)
    size, count = struct.unpack_from("<HH", program, 54)
    memory = Memory(1 << 21)
    for number in range(count):
        kind, _, offset, address, _, in_file, in_memory, _ = struct.unpack_from("<IIQQQQQQ", program, headers + number * size)
        if kind == 1:
            memory.map(address, in_memory)
            memory.bytes[address : address + in_file] = program[offset : offset + in_file]
    memory.map(0x180000, 0x10000)
    machine = Itanium(memory)
    machine.frame = (0, 0, 0)
    machine.R[12] = 0x18FFF0
    return machine, machine.run(entry)
