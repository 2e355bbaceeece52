"""Which functions of a module are kernels, and what their attributes say."""

from __future__ import annotations

import re

from voltac.ir import marks
from voltac.ir.model import Function, Module

_INTERNAL = re.compile(r"define (?:internal|private) ")


def exported(module: Module) -> list[Function]:
    """The kernels: functions that say which threads run them, or in a module where none does, all that are not internal."""
    marked = [function for function in module.functions if attribute(module, function, marks.THREADS)]
    return marked or [function for function in module.functions if not _INTERNAL.match(function.header)]


def attribute(module: Module, function: Function, key: str) -> str:
    """The value of a string attribute of a function, directly or through its group of attributes."""
    texts = [function.attributes]
    groups = re.findall(r"#\d+", function.attributes)
    texts += [line for line in module.lines() for group in groups if line.startswith(f"attributes {group} = ")]
    for text in texts:
        found = re.search(rf'"{key}"="([^"]*)"', text)
        if found:
            return found.group(1)
    return ""
