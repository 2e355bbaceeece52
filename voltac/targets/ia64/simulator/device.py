"""The machine as the driver runs kernels on it: arrays behind the program, a stack at the end of memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from voltac.records import record
from voltac.targets.ia64.instructions import MEMORY_END, SLOT_CODE
from voltac.targets.ia64.simulator.machine import LIMIT, Itanium, MachineReport
from voltac.targets.ia64.simulator.memory import Memory

if TYPE_CHECKING:
    from voltac.codegen.image import Image

_ALIGNMENT = 64
_APART = 64
"""Bytes between arrays that are none's, so that an access behind one is found. Chosen: a line of the cache."""
STACK_BYTES = 1 << 20
_GP, _SP = 1, 12
"""The registers of the global pointer and the stack pointer."""
_SCRATCH_AREA = 16
"""Bytes at it that belong to whoever is called (IA-64 2)."""


@record
class MachineConfiguration:
    """There is nothing to choose: one core, one thread."""

    cores: int = 1
    threads: int = 1

    @property
    def memory(self) -> int:
        """Bytes of memory."""
        return MEMORY_END


class SimulatedMachine:
    """A machine with its memory; what a run needs is allocated behind the program."""

    def __init__(self, configuration: MachineConfiguration) -> None:
        self.configuration = configuration
        self.memory = Memory(MEMORY_END)
        self._machine = Itanium(self.memory)
        self._next = 0
        self._pointer = 0
        """To the program's short data."""

    def load(self, image: Image) -> None:
        """Put a program into memory."""
        self._machine.load(image)
        # A finished program of an earlier version has none, and needs none.
        self._pointer = image.symbols.get(SLOT_CODE.global_pointer, 0)
        self._next = -(-image.end // _ALIGNMENT) * _ALIGNMENT + _APART
        self.memory.map(MEMORY_END - STACK_BYTES, STACK_BYTES)

    @property
    def free(self) -> int:
        """Bytes that :meth:`allocate` has."""
        return max(0, MEMORY_END - STACK_BYTES - _APART - self._next)

    def allocate(self, size: int) -> int:
        """The address of zeroed memory."""
        address = self._next
        self._next = -(-(address + size + _APART) // _ALIGNMENT) * _ALIGNMENT
        self.memory.map(address, size)
        return address

    def allocate_array(self, size: int) -> int:
        """The same for an array: no place is better than another."""
        return self.allocate(size)

    def write(self, address: int, content: bytes) -> None:
        """From the host."""
        self.memory.bytes[address : address + len(content)] = content

    def read(self, address: int, size: int) -> bytes:
        """For the host."""
        return self.memory.bytes[address : address + size]

    def run(
        self, entry: int, argc: int, argv: int, trace: Callable[[str], None] | None = None, limit: int | None = None
    ) -> MachineReport:
        """From an address on, with the address of the launch's block as parameter; ``limit`` is a number of cycles."""
        machine = self._machine
        machine.trace = trace
        machine.limit = LIMIT if limit is None else limit
        machine.frame = (1, 0, 0)
        machine.R[32], machine.R[_GP], machine.R[_SP] = argv, self._pointer, MEMORY_END - _SCRATCH_AREA
        return machine.run(entry)
