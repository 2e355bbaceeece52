"""Functions in bundles -> the text of an assembly file, a section each (IA-64 3, 16)."""

from __future__ import annotations

from voltac.codegen.machine_code import LabelOperand, MachineInstruction, Register
from voltac.records import replace
from voltac.targets.ia64.assembly.text import symbol_text, with_predicate
from voltac.targets.ia64.select.packing import PackedBundle
from voltac.targets.ia64.select.pseudo import GP_RELATIVE
from voltac.targets.ia64.slots import NOPS


def function_text(name: str, blocks: dict[str, list[PackedBundle]], is_global: bool) -> str:
    """A function in its section."""
    lines = [f'\t.section .text.{name},"ax"', "\t.align 32"]
    named = symbol_text(name)
    lines += [f"\t.global {named}"] if is_global else []
    lines += [f"\t.proc {named}", f"{name}:"]
    for label, bundles in blocks.items():
        if label != name:
            lines.append(f"{label}:")
        for bundle in bundles:
            lines += bundle_text(bundle)
    return "\n".join([*lines, f"\t.endp {named}", ""])


def bundle_text(bundle: PackedBundle) -> list[str]:
    """The lines of a bundle."""
    lines = [f"{{ .{bundle.units.lower()}"]
    for number, (unit, instruction) in enumerate(zip(bundle.units, bundle.slots)):
        if unit == "L":
            continue
        if instruction is None:
            text = with_predicate(f"{NOPS['I' if unit == 'X' else unit].partition('.uimm21')[0]} 0", 0)
        else:
            text = instruction_text(instruction)
        lines.append(f"\t{text}{' ;;' if number in bundle.stops else ''}")
    lines[-1] += " }"
    return lines


def instruction_text(instruction: MachineInstruction) -> str:
    """An instruction with its predicate."""
    mask = instruction.mask
    values = [_label_text(value) if isinstance(value, LabelOperand) else value for value in instruction.values]
    named = MachineInstruction(instruction.row, values)
    return with_predicate(str(named), mask.number if isinstance(mask, Register) else 0)


def _label_text(label: LabelOperand) -> LabelOperand:
    named = replace(label, name=symbol_text(label.name))
    return replace(named, name=f"@gprel({named})", addend=0) if label.part == GP_RELATIVE else named
