"""Shifts by 0 or 1 -> selections, where the target shifts all lanes by one count.

When LLVM has finished simplifying::

    %by = zext <8 x i1> %m to <8 x i32>
    %y = ashr <8 x i32> %x, %by

becomes

    %shifted = ashr <8 x i32> %x, splat (i32 1)
    %y = select <8 x i1> %m, <8 x i32> %shifted, <8 x i32> %x

The program had a branch there. Counts that differ cost a multiplication, or a shift for each bit of the count.
"""

from __future__ import annotations

from voltac.options import Options
from voltac.system.lazy_patterns import lazy_pattern

_MASK = lazy_pattern(r"  (?P<name>%\S+) = zext (?:nneg )?(?P<type><\d+ x i1>) (?P<mask>%[^\s,]+) to <\d+ x i\d+>")
_BIT = lazy_pattern(r"  (?P<name>%\S+) = and (?P<type><\d+ x i\d+>) %[^\s,]+, splat \(i\d+ 1\)")
_SHIFT = lazy_pattern(
    r"  (?P<name>%\S+) = (?P<op>shl|lshr|ashr) (?:\w+ )*(?P<type><\d+ x i(?:16|32|64)>) (?P<value>%[^\s,]+), "
    r"(?P<count>%[^\s,]+)(?P<debug>, !dbg !\d+)?"
)
_SHIFTED = lazy_pattern(r"(?:shl|shr) (?:\w+ )*<\d+ x i\d+> %[^,]+, %")
_TAKEN = lazy_pattern(r"%shifted\.(\d+) =")


def select_shifted(text: str, options: Options) -> str:
    """The module's text, unchanged if there is no such shift or the target has an instruction for it."""
    if options.target.has_lane_shifts or not _SHIFTED.search(text):
        return text
    number = max(map(int, _TAKEN.findall(text)), default=0)
    conditions: dict[str, str] = {}
    """Count -> the mask that it is."""
    bits: dict[str, str] = {}
    """Count that is the lowest bit of a number -> its type."""
    result: list[str] = []
    for line in text.split("\n"):
        if line.startswith("define "):
            conditions, bits = {}, {}
        elif " = zext <" in line and (found := _MASK.match(line)):
            conditions[found["name"]] = f"{found['type']} {found['mask']}"
        elif " = and <" in line and (found := _BIT.match(line)):
            bits[found["name"]] = found["type"]
        elif ("shr " in line or "shl " in line) and (found := _SHIFT.match(line)):
            count, kind, value, debug = found["count"], found["type"], found["value"], found["debug"] or ""
            if count in conditions or count in bits:
                number += 1
                condition = conditions.get(count)
                if condition is None:
                    result.append(f"  %shifts.{number} = icmp ne {bits[count]} {count}, zeroinitializer{debug}")
                    condition = f"{kind.partition(' x ')[0]} x i1> %shifts.{number}"
                one = f"splat ({kind.partition(' x ')[2][:-1]} 1)"
                result.append(f"  %shifted.{number} = {found['op']} {kind} {value}, {one}{debug}")
                line = f"  {found['name']} = select {condition}, {kind} %shifted.{number}, {kind} {value}{debug}"
        result.append(line)
    return "\n".join(result)
