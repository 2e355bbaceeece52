"""Why a worker stops: the exceptions of the hardware (IPU 1.5)."""

from __future__ import annotations

from voltac.codegen.simulator import Fault, Trap

BREAKPOINT, FLOAT, CONFLICT, INVALID_ADDRESS, INVALID_OPERATION, INVALID_PC, INVALID_INSTRUCTION = 1, 5, 6, 8, 9, 10, 12
"""Codes of the exceptions that a worker of this tile can raise."""
NAMES = {
    BREAKPOINT: "breakpoint", FLOAT: "floating-point exception", CONFLICT: "bank conflict", INVALID_ADDRESS: "invalid address",
    INVALID_OPERATION: "invalid operation", INVALID_PC: "invalid program counter", INVALID_INSTRUCTION: "invalid instruction",
}  # fmt: skip


class TileFault(Fault):
    """An exception of an instruction, before it is known where that stands."""

    def __init__(self, code: int, text: str, *addresses: int) -> None:
        super().__init__(text)
        self.code = code
        self.addresses = addresses


class WorkerTrap(Trap):
    """A worker stopped: ``code`` as in the hardware's ``$WSR``, and the addresses that have to do with it."""

    def __init__(self, fault: TileFault, pc: int, worker: int, instruction: str, cycle: int, in_repeat: bool) -> None:
        where = ", in the body of a repeat" if in_repeat else ""
        super().__init__(f"{NAMES[fault.code]}: {fault}{where}", pc, 0, worker, instruction, cycle)
        self.code = fault.code
        self.addresses = fault.addresses
        self.address = fault.addresses[0] if fault.addresses else None
        self.in_repeat = in_repeat
