"""Varying bools that go from one call straight into another, at -O0 on AVX-512 -> through a mask register, as LLVM text.

    %b = call <16 x i1> @g(...)
    %r = call <16 x i32> @h(<16 x i1> %b)
    ->
    %b = call <16 x i1> @g(...)
    %b.mask = and <16 x i1> %b, splat (i1 true)
    %r = call <16 x i32> @h(<16 x i1> %b.mask)

The result of a call lies in a vector register. LLVM's fast selector copies it as if it were in a mask register, and the
process ends ("Cannot emit physreg copy instruction").
"""

from __future__ import annotations

import re

_RESULT = re.compile(r"^  (?P<name>%\S+) = call (?P<type><\d+ x i1>) (?P<rest>.*)$", re.MULTILINE)


def keep_masks_in_mask_registers(text: str) -> str:
    """Every result of mask type is copied once, and calls take the copy."""
    parts = re.split(r"(?m)^(?=define )", text)
    return "".join(_in_function(part) if " = call <" in part else part for part in parts)


def _in_function(text: str) -> str:
    results = {match["name"]: match["type"] for match in _RESULT.finditer(text) if "@llvm." not in match["rest"]}
    if not results:
        return text
    taken: set[str] = set()
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if " call " in line and "x i1> %" in line:
            lines[number] = _ARGUMENT.sub(lambda match: _argument(match, results, taken), line)
    for number, line in enumerate(lines):
        found = _RESULT.match(line)
        if found is not None and found["name"] in taken:
            name = found["name"]
            lines[number] += f"\n  {_copy(name)} = and {found['type']} {name}, splat (i1 true)"
    return "\n".join(lines)


_ARGUMENT = re.compile(r"(?<=x i1> )%[^\s,)]+")


def _argument(match: re.Match[str], results: dict[str, str], taken: set[str]) -> str:
    name = match[0]
    if name not in results:
        return name
    taken.add(name)
    return _copy(name)


def _copy(name: str) -> str:
    return f'{name[:-1]}.mask"' if name.endswith('"') else f"{name}.mask"
