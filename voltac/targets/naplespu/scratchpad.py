"""Variables of the scratchpad with an initial value -> start-up code that puts it there.

The values wait in main memory (``__scratchpad_image``), in the order of the
variables. Before a kernel begins, the threads of each core together copy the
lines with the variables that the kernel can reach, every thread each T-th
line; then all wait for each other. A kernel without such variables copies
nothing, and variables without an initial value are never touched.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from voltac.codegen.selection import label_of
from voltac.ir.interp_values import KindTable
from voltac.ir.model import Function, Module
from voltac.ir.scan import end_of_type
from voltac.ir.sections import SCRATCHPAD, in_section
from voltac.records import record

_NAME = re.compile(r'@(?:"[^"]*"|[-\w$.]+)')
_TYPE = re.compile(r"\b(?:global|constant) ")
_LINE = 64
"""Bytes of a line of the cache (NaplesPU 1.1)."""
_WORTH_A_GAP = 2 * _LINE
"""Bytes that are sooner copied along than the code of another stretch is fetched."""


@record
class Stretch:
    """Variables that lie one behind the other."""

    first: str
    """Label of the first,"""
    last: str
    size: int
    """and of the last, with its bytes."""


def stretches(module: Module, kernel: Function) -> list[Stretch]:
    """What has to be copied for a kernel: the variables that it reaches, also through functions and other globals."""
    reached = _reached(module, kernel)
    kinds = KindTable(module.layout(4))
    found: list[Stretch] = []
    skipped = 0
    for name, body in module.globals().items():
        if in_section(SCRATCHPAD) not in body:
            continue
        size = _size(kinds, body)
        if name in reached:
            label = label_of(name[1:])
            first = found.pop().first if found and skipped <= _WORTH_A_GAP else label
            found.append(Stretch(first, label, size))
            skipped = 0
        else:
            skipped += size
    return found


def _reached(module: Module, kernel: Function) -> set[str]:
    functions = {"@" + function.name: function for function in module.functions}
    variables = module.globals()
    reached: set[str] = set()
    pending = ["@" + kernel.name]
    while pending:
        name = pending.pop()
        if name in reached:
            continue
        reached.add(name)
        if name in functions:
            for instruction in functions[name].instructions():
                pending += _NAME.findall(instruction.text)
        elif name in variables:
            pending += _NAME.findall(variables[name])
    return reached


def _size(kinds: KindTable, body: str) -> int:
    found = _TYPE.search(body)
    assert found is not None, "a variable says whether it is constant"
    return kinds[body[found.end() : end_of_type(body, found.end())]].size


def copying(label: str, parts: Sequence[Stretch], thread: str, threads: str) -> list[tuple[str, str]]:
    """Instructions, labels among them, that copy; two registers have the thread's number in its core and how many there are."""
    lines = [
        ("shli", f"s4, {thread}, {_LINE.bit_length() - 1}"),
        ("shli", f"s5, {threads}, {_LINE.bit_length() - 1}"),
        ("leah", "s0, __scratchpad_image"),
        ("leal", "s0, __scratchpad_image"),
    ]
    for number, part in enumerate(parts):
        fill, filled = f"{label}.fill.{number}", f"{label}.filled.{number}"
        lines += [
            # The low halves of addresses are offsets, here and in the image.
            *(("moveih", "s1, 0"), ("leal", f"s1, {part.first}")),
            *(("moveih", "s2, 0"), ("leal", f"s2, {part.last}+{part.size}")),
            ("andi", f"s1, s1, -{_LINE}"),
            ("add_i32", "s1, s1, s4"),
            ("cmpult_i32", "s6, s1, s2"),
            ("add_i32", "s3, s0, s1"),
            ("beqz", f"s6, {filled}"),
            (f"{fill}:", ""),
            ("load_v16i32", "v0, 0(s3)"),
            ("add_i32", "s3, s3, s5"),
            ("add_i32", "s6, s1, s5"),
            ("cmpult_i32", "s7, s6, s2"),
            ("store_v16i32_scratchpad", "v0, 0(s1)"),
            ("move_i32", "s1, s6"),
            ("bnez", f"s7, {fill}"),
            (f"{filled}:", ""),
        ]
    return lines
