"""How much stack the functions of a program need, each with everything it calls."""

from __future__ import annotations

from voltac.codegen.machine_code import LabelOperand, MachineFunction
from voltac.codegen.not_on_device import NotOnDevice


def check_stacks(functions: list[MachineFunction], limit: int) -> dict[str, int]:
    """Bytes that each needs; refuses those that certainly need more. How deep a recursion goes is known at run time only."""
    by_name = {function.name: function for function in functions}
    called = {
        function.name: [
            value.name
            for instruction in function.instructions()
            if "call" in instruction.row.traits
            for value in instruction.values
            if isinstance(value, LabelOperand) and value.name in by_name
        ]
        for function in functions
    }
    needed: dict[str, int] = {}
    for name in called:
        _deepest(name, by_name, called, needed, set())
        if needed[name] > limit:
            raise _too_large(name, needed[name], limit)
    return needed


def _deepest(
    name: str, by_name: dict[str, MachineFunction], called: dict[str, list[str]], needed: dict[str, int], above: set[str]
) -> int:
    if name not in needed:
        above.add(name)
        below = [_deepest(other, by_name, called, needed, above) for other in called[name] if other not in above]
        above.discard(name)
        needed[name] = by_name[name].frame + max(below, default=0)
    return needed[name]


def _too_large(name: str, size: int, limit: int) -> NotOnDevice:
    error = NotOnDevice(f"{size} bytes of stack, of which a thread has {limit}; declare large arrays outside of functions")
    error.function = name
    return error
