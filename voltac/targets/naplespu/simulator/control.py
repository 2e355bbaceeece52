"""Control registers and barriers (NaplesPU 1.4, 1.8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from voltac.codegen.simulator import Fault
from voltac.records import field, mutable_record
from voltac.targets.naplespu.isa import CONTROL_REGISTERS
from voltac.targets.naplespu.simulator import timing

BARRIERS = 512
"""A barrier's number is taken modulo this (NaplesPU 1.8)."""
NAMES = {number: name for name, number in CONTROL_REGISTERS.items()}
# Numbers of control registers, and what is in a thread's status (NaplesPU 1.4).
FIRST_DEBUG, LAST_DEBUG = 20, 35
RUNNING, ENDED, TRAPPED, BOOTING = 1, 2, 3, 5


@mutable_record
class CoreRegisters:
    """What a core's control registers keep."""

    argc: int = 0
    argv: int = 0
    cpu_control: int = 0
    debug: list[int] = field(default_factory=lambda: [0] * (LAST_DEBUG - FIRST_DEBUG + 1))


class _Cache(Protocol):
    misses: int


class _Thread(Protocol):
    """What control registers and barriers know of a thread."""

    number: int
    status: int
    trap_reason: int
    stalls: list[int]

    @property
    def waiting(self) -> bool:
        """Whether it waits at a barrier."""

    @property
    def core(self) -> _Core:
        """Where it runs."""

    def wake(self, cycle: int) -> None:
        """It may go on."""


class _Core(Protocol):
    """What control registers know of a core."""

    number: int
    hardware_threads: int
    registers: CoreRegisters

    @property
    def threads(self) -> Sequence[_Thread]:
        """Those that a program was started on."""

    @property
    def data(self) -> _Cache:
        """The data cache."""

    @property
    def instructions(self) -> _Cache:
        """The instruction cache."""

    def declare_window(self, value: int) -> None:
        """A window of addresses is not kept coherent."""


def read(core: _Core, thread: _Thread, register: int, cycle: int, pc: int) -> int:
    """The value of a control register; of a number that does not exist, a fault."""
    register &= 63
    if FIRST_DEBUG <= register <= LAST_DEBUG:
        return core.registers.debug[register - FIRST_DEBUG]
    match NAMES.get(register):
        case "tile_id":
            return core.number
        case "core_id" | "power" | "uncoherence_map":
            return 0
        case "thread_id" | "global_id":
            return thread.number
        case "cycles_low":
            return cycle & 0xFFFFFFFF
        case "cycles_high":
            return cycle >> 32 & 0xFFFFFFFF
        case "threads_enabled":
            return sum(1 << other.number for other in core.threads if other.status in (RUNNING, BOOTING) and not other.waiting)
        case "data_misses":
            return core.data.misses
        case "instruction_misses":
            return core.instructions.misses
        case "pc":
            return pc + 4
        case "trap_reason":
            return thread.trap_reason
        case "thread_status":
            return thread.status
        case "argc":
            return core.registers.argc
        case "argv":
            return core.registers.argv
        case "thread_number":
            return core.hardware_threads
        case "thread_miss_cycles":
            return thread.stalls[timing.FULL_QUEUE]
        case "kernel_work":
            return cycle & 0xFFFFFFFF
        case "cpu_control":
            return core.registers.cpu_control
    raise Fault(f"there is no control register {register}")


def write(core: _Core, thread: _Thread, register: int, value: int) -> None:
    """A control register (NaplesPU 1.4), with what follows from it for the thread."""
    register &= 63
    if FIRST_DEBUG <= register <= LAST_DEBUG:
        core.registers.debug[register - FIRST_DEBUG] = value
        return
    match NAMES.get(register):
        case "argc":
            core.registers.argc = value
        case "argv":
            core.registers.argv = value
        case "thread_status":
            thread.status = value
        case "uncoherence_map":
            core.declare_window(value)
        case None:
            raise Fault(f"there is no control register {register}")
        case name:
            raise Fault(f"control register {register} ({name}) cannot be written by the core")


@mutable_record
class _Barrier:
    participants: int
    arrived: list[_Thread] = field(default_factory=list)
    served: int = 0
    """When the home of the barrier has dealt with the last arrival."""


class Barriers:
    """All barriers of the machine; a number is known while somebody waits at it."""

    def __init__(self) -> None:
        self.waiting: dict[int, _Barrier] = {}

    def arrive(self, thread: _Thread, number: int, others: int, cycle: int) -> int | None:
        """A thread that has no memory access and no result outstanding comes; when it may go on, None: when others let it."""
        number %= BARRIERS
        participants = (others & 127) + 1
        barrier = self.waiting.setdefault(number, _Barrier(participants))
        if barrier.participants != participants:
            first = barrier.arrived[0]
            raise Fault(
                f"barrier {number} is reached with {participants} participants, but core {first.core.number}"
                f" thread {first.number} waits at it for {barrier.participants}"
            )
        barrier.arrived.append(thread)
        barrier.served = max(barrier.served, cycle) + timing.BARRIER_SERVICE
        if len(barrier.arrived) < participants:
            return None
        del self.waiting[number]
        release = barrier.served + timing.BARRIER_RELEASE
        for other in barrier.arrived[:-1]:
            other.wake(release)
        return release

    def complaint(self, ended: list[str]) -> str:
        """Why the machine stands still."""
        parts = []
        for number, barrier in sorted(self.waiting.items()):
            names = ", ".join(f"core {thread.core.number} thread {thread.number}" for thread in barrier.arrived)
            verb = "waits" if len(barrier.arrived) == 1 else "wait"
            parts.append(f"{names} {verb} at barrier {number} for {barrier.participants} participants")
        return f"no thread can go on: {'; '.join(parts)}; ended: {', '.join(ended) or 'none'}"
