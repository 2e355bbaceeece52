"""LLVM assembly text -> :class:`voltac.ir.model.Module`; the inverse is ``ir/write.py``, to the character."""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir.model import Block, Function, Instruction, Module


def read(text: str, is_wanted: Callable[[str, list[str]], bool] | None = None) -> Module:
    """Read a module as LLVM prints it (one instruction a line; blocks separated by blank lines).

    Functions that ``is_wanted`` says no to, by their header and the lines behind it, stay lines.
    """
    lines = text.split("\n")
    module = Module()
    start = 0
    position = 0
    count = len(lines)
    while position < count:
        if lines[position].startswith("define "):
            end = lines.index("}", position)
            inside = lines[position + 1 : end]
            if is_wanted is None or is_wanted(lines[position], inside):
                if position > start:
                    module.items.append(lines[start:position])
                module.items.append(_function(lines[position], inside))
                start = end + 1
            position = end + 1
        else:
            position += 1
    if start < count:
        module.items.append(lines[start:])
    return module


def _function(header: str, lines: list[str]) -> Function:
    function = Function(header)
    instructions: list[Instruction] = []
    add = instructions.append
    position = 0
    count = len(lines)
    while position < count:
        line = lines[position]
        position += 1
        if line[:1] == " ":
            if line[-1] == "[":
                end = next(number for number in range(position, count) if lines[number].startswith("  ]"))
                line = "\n".join(lines[position - 1 : end + 1])
                position = end + 1
            elif not function.blocks:
                function.blocks.append(Block(_unlabelled_entry(function), instructions))
            add(Instruction(line))
        elif line:
            name = _label_name(line)
            instructions = []
            add = instructions.append
            function.blocks.append(Block(name, instructions, line))
    return function


def _label_name(line: str) -> str:
    if line[0] == '"':
        return line[: line.index('"', 1) + 1]
    return line[: line.index(":")]


def _unlabelled_entry(function: Function) -> str:
    """LLVM numbers unnamed values; the entry block comes after the unnamed parameters."""
    numbers = [int(parameter.name[1:]) for parameter in function.parameters if parameter.name[1:].isdigit()]
    return str(max(numbers, default=-1) + 1)
