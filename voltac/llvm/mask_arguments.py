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

from voltac.system.lazy_patterns import lazy_pattern

_RESULT = lazy_pattern(
    r"^  (?P<name>%\S+) = call (?P<type>(?:\[(?P<count>\d+) x )?(?P<mask><\d+ x i1>)\]?) (?P<rest>.*)$", re.MULTILINE
)


def keep_masks_in_mask_registers(text: str) -> str:
    """Every result that is a mask, or a short vector of them, is copied once, and calls take the copy."""
    parts = re.split(r"(?m)^(?=define )", text)
    return "".join(_in_function(part) if " = call <" in part else part for part in parts)


def _in_function(text: str) -> str:
    results = {match["name"] for match in _RESULT.finditer(text) if "@llvm." not in match["rest"]}
    if not results:
        return text
    taken: set[str] = set()
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if " call " in line and "x i1>" in line:
            lines[number] = _ARGUMENT.sub(lambda match: _argument(match, results, taken), line)
    for number, line in enumerate(lines):
        found = _RESULT.match(line)
        if found is not None and found["name"] in taken:
            lines[number] = "\n".join([line, *_copied(found)])
    return "\n".join(lines)


_ARGUMENT = lazy_pattern(r"(?<=x i1> )%[^\s,)]+|(?<=x i1>\] )%[^\s,)]+")


def _argument(match: re.Match[str], results: set[str], taken: set[str]) -> str:
    name = match[0]
    if name not in results:
        return name
    taken.add(name)
    return _copy(name)


def _copied(result: re.Match[str]) -> list[str]:
    name, mask, count = result["name"], result["mask"], result["count"]
    if count is None:
        return [f"  {_copy(name)} = and {mask} {name}, splat (i1 true)"]
    lines, whole = [], "poison"
    for k in range(int(count)):
        part, kept = _copy(name, f".part{k}"), _copy(name, f".kept{k}")
        joined = _copy(name, f".mask{k}" if k + 1 < int(count) else ".mask")
        lines += [
            f"  {part} = extractvalue {result['type']} {name}, {k}",
            f"  {kept} = and {mask} {part}, splat (i1 true)",
            f"  {joined} = insertvalue {result['type']} {whole}, {mask} {kept}, {k}",
        ]
        whole = joined
    return lines


def _copy(name: str, suffix: str = ".mask") -> str:
    return f'{name[:-1]}{suffix}"' if name.endswith('"') else f"{name}{suffix}"
