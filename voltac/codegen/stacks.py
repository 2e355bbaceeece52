"""How much stack the functions of a program need, each with everything it calls."""

from __future__ import annotations

from voltac.codegen.machine_code import LabelOperand, MachineFunction
from voltac.codegen.not_on_device import NotOnDevice


def check_stacks(functions: list[MachineFunction], limit: int) -> dict[str, int]:
    """Bytes that each needs; refuses those that certainly need more. How deep a recursion goes is known at run time only."""
    by_name = {function.name: function for function in functions}
    called = calls(functions)
    needed: dict[str, int] = {}
    for name in called:
        _deepest(name, by_name, called, needed, set())
        if needed[name] > limit:
            raise _too_large(name, needed[name], limit)
    return needed


def calls(functions: list[MachineFunction]) -> dict[str, list[str]]:
    """The functions of a program that each calls by name."""
    names = {function.name for function in functions}
    return {
        function.name: [
            value.name
            for instruction in function.instructions()
            if "call" in instruction.row.traits
            for value in instruction.values
            if isinstance(value, LabelOperand) and value.name in names
        ]
        for function in functions
    }


def depth_is_unknown(functions: list[MachineFunction]) -> bool:
    """Whether some function calls itself, directly or not, or what is known at run time only."""
    left = calls(functions)
    while leaves := [name for name, others in left.items() if not any(other in left for other in others)]:
        for name in leaves:
            del left[name]
    return bool(left) or any("indirect" in one.row.traits for function in functions for one in function.instructions())


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
