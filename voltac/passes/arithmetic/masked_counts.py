"""Numbers to which the truth values of lanes are added -> numbers plus one, where the lanes are on; with AVX-512.

When LLVM has finished simplifying::

    %one = zext <16 x i1> %mask to <16 x i32>
    %sum = add <16 x i32> %count, %one

become

    %counted.1 = add <16 x i32> %count, splat (i32 1)
    %sum = select <16 x i1> %mask, <16 x i32> %counted.1, <16 x i32> %count

and likewise ``sub``, and ``sext``, which is minus one. Where masks are registers of bits an addition under a mask is one
instruction; to make lanes of the mask first is another, which waits for the port of the comparison.

A lane that is on is 1 or -1, one that is off 0. Flags are left off: a lane that is off may hold the largest number.
"""

from __future__ import annotations

from voltac.system.lazy_patterns import lazy_pattern

_WIDENED = lazy_pattern(
    r"  (?P<name>%\S+) = (?P<op>zext|sext) (?P<mask><\d+ x i1> %\S+) to <\d+ x i(?:8|16|32|64)>(?:, !dbg !\d+)?$"
)
_ADDED = lazy_pattern(
    r"  (?P<name>%\S+) = (?P<op>add|sub) (?:nuw |nsw )*(?P<type><\d+ x (?P<element>i\d+)>) "
    r"(?P<first>%[^\s,]+), (?P<second>%[^\s,]+)(?P<debug>, !dbg !\d+)?$"
)
_TAKEN = lazy_pattern(r"%counted\.(\d+) =")


def add_under_masks(text: str) -> str:
    """The module's text, unchanged if there is no such addition."""
    if " = zext <" not in text and " = sext <" not in text:
        return text
    number = max(map(int, _TAKEN.findall(text)), default=0)
    result: list[str] = []
    widened: dict[str, tuple[str, int]] = {}
    for line in text.split("\n"):
        if line.startswith("define "):
            widened = {}
        elif " = zext <" in line or " = sext <" in line:
            if found := _WIDENED.match(line):
                widened[found["name"]] = found["mask"], 1 if found["op"] == "zext" else -1
        elif widened and (" = add " in line or " = sub " in line) and (found := _ADDED.match(line)):
            first, second = found["first"], found["second"]
            if second not in widened and found["op"] == "add":
                first, second = second, first
            if second in widened:
                number += 1
                mask, one = widened[second]
                kind, debug = found["type"], found["debug"] or ""
                one = one if found["op"] == "add" else -one
                result.append(f"  %counted.{number} = add {kind} {first}, splat ({found['element']} {one}){debug}")
                line = f"  {found['name']} = select {mask}, {kind} %counted.{number}, {kind} {first}{debug}"
        result.append(line)
    return "\n".join(result)
