""":class:`voltac.ir.model.Module` -> LLVM assembly text."""

from __future__ import annotations

from voltac.ir.model import Function, Module


def write(module: Module) -> str:
    """The module as text; what was read and not changed comes out as it was."""
    lines: list[str] = []
    for item in module.items:
        if isinstance(item, Function):
            _write_function(item, lines)
        else:
            lines.extend(item)
    return "\n".join(lines)


def _write_function(function: Function, lines: list[str]) -> None:
    lines.append(function.header)
    for number, block in enumerate(function.blocks):
        if number:
            lines.append("")
        if block.label_line or number:
            lines.append(block.label_line or f"{block.name}:")
        lines.extend([instruction._text for instruction in block.instructions])
    lines.append("}")
