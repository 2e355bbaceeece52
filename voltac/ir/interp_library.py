"""Functions of the C library that compiled programs call, for the IR interpreter: name -> what it does."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from voltac.ir.interp_frame import RunningModule
from voltac.ir.interp_values import InstructionFault, Value, to_signed
from voltac.system.lazy_patterns import lazy_pattern

External = Callable[[RunningModule, list[Value]], Value]
"""Gets the arguments, yields the result."""


def _aligned_allocation(machine: RunningModule, arguments: list[Value]) -> Value:
    """``posix_memalign(where, alignment, size)``."""
    where, alignment, size = arguments
    placed = machine.memory.allocate("what posix_memalign gave", size, alignment)
    machine.memory.store(machine.kinds["ptr"], placed.base, where, 1)
    return 0


def _allocation(machine: RunningModule, arguments: list[Value]) -> Value:
    return machine.memory.allocate("what malloc gave", arguments[0], 16).base


def _free(machine: RunningModule, arguments: list[Value]) -> Value:
    if arguments[0]:
        machine.memory.free(arguments[0])
    return None


def _move(machine: RunningModule, arguments: list[Value]) -> Value:
    machine.memory.copy(*arguments)
    return arguments[0]


def _set(machine: RunningModule, arguments: list[Value]) -> Value:
    machine.memory.fill(arguments[0], arguments[1] & 0xFF, arguments[2])
    return arguments[0]


def _abort(machine: RunningModule, arguments: list[Value]) -> Value:
    raise InstructionFault("aborts")


# --- text -------------------------------------------------------------------------------------------------------


def _string(machine: RunningModule, address: Value) -> str:
    """The text up to the NUL at an address."""
    found, offset = machine.memory.find(address, 1, 1)
    data = bytes(found.data[offset:])
    if 0 not in data:
        raise InstructionFault(f"reads text in {found.name} that does not end")
    length = data.index(0)
    if found.defined.find(0, offset, offset + length + 1) >= 0:
        raise InstructionFault("reads text that is poison")
    return data[:length].decode("utf-8", "surrogateescape")


_DIRECTIVE = lazy_pattern(r"%(l*)([dufsp%])")


def _formatted(machine: RunningModule, template: Value, arguments: list[Value]) -> str:
    """The directives that ``print`` needs: %d %u %f %s %p, and l for 64 bits."""
    remaining = iter(arguments)

    def one(directive: re.Match[str]) -> str:
        longs, letter = directive.groups()
        if letter == "%":
            return "%"
        value = next(remaining)
        if value is None:
            raise InstructionFault("prints poison")
        bits = 64 if longs else 32
        match letter:
            case "d":
                return str(to_signed(value & ((1 << bits) - 1), bits))
            case "u":
                return str(value & ((1 << bits) - 1))
            case "f":
                return f"{value:f}"
            case "s":
                return _string(machine, value)
        return f"{value:#x}" if value else "(nil)"

    return _DIRECTIVE.sub(one, _string(machine, template))


def _print(machine: RunningModule, arguments: list[Value]) -> Value:
    text = _formatted(machine, arguments[0], arguments[1:])
    machine.printed.append(text)
    return len(text)


def _print_to_memory(machine: RunningModule, arguments: list[Value]) -> Value:
    """``snprintf(where, size, format, ...)``: at most ``size`` bytes with the NUL; yields the whole length."""
    where, size, template, *others = arguments
    text = _formatted(machine, template, others).encode("utf-8", "surrogateescape")
    if size:
        kept = text[: size - 1] + b"\0"
        target, at = machine.memory.find(where, len(kept), 1, write=True)
        target.data[at : at + len(kept)] = kept
        target.defined[at : at + len(kept)] = b"\1" * len(kept)
    return len(text)


EXTERNALS: dict[str, External] = {
    "posix_memalign": _aligned_allocation,
    "malloc": _allocation,
    "free": _free,
    "memcpy": _move,
    "memmove": _move,
    "memset": _set,
    "sysconf": lambda machine, arguments: os.sysconf(arguments[0]),
    "abort": _abort,
    "volta_fail": _abort,
    "voltac.fail": _abort,
    "printf": _print,
    "snprintf": _print_to_memory,
    "fflush": lambda machine, arguments: 0,
}
"""``IRInterpreter(externals=...)`` adds to them."""
