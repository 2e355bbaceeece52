"""Functions in bundles -> the text of an assembly file, a section each (IPU 4.5, 7)."""

from __future__ import annotations

from voltac.codegen.issue_groups import IssueGroup


def function_text(name: str, blocks: dict[str, list[IssueGroup]], is_global: bool) -> str:
    """A function in its section, with what the linker and tools want to know of it."""
    lines = [f'\t.section .text.{name},"ax"', "\t.align 8"]
    lines += [f"\t.globl {name}"] if is_global else []
    lines += [f"\t.type {name}, @function", f"{name}:"]
    for label, code in blocks.items():
        if label != name:
            lines.append(f"{label}:")
        lines += [_line(bundle) for bundle in code]
    return "\n".join([*lines, f"\t.size {name}, . - {name}", ""])


def _line(bundle: IssueGroup) -> str:
    if len(bundle) == 1:
        return f"\t{bundle[0]}"
    return f"\t{{ {' ; '.join(map(str, bundle))} }}"
