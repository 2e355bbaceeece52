"""Lanes of a mask that are spread, with zeros between them -> spread as bytes, for SVE.

When LLVM has finished simplifying::

    %s = shufflevector <4 x i1> %m, <4 x i1> zeroinitializer, <8 x i32> <i32 0, i32 4, i32 1, i32 4, i32 2, i32 4, ...>

becomes

    %spread_bytes.1 = sext <4 x i1> %m to <4 x i8>
    %spread_lanes.1 = shufflevector <4 x i8> %spread_bytes.1, <4 x i8> zeroinitializer, <8 x i32> <i32 0, i32 4, ...>
    %s = icmp ne <8 x i8> %spread_lanes.1, zeroinitializer

Of a mask of 64 lanes with seven or more zeros between them LLVM 22 makes an extension of truth values that it then cannot
promote, and the process ends; of others it moves one lane after the other: 110 to 155 instructions for 64, 35 to 110 for bytes.
tests/passes/test_spread_masks.py holds that it still does.
"""

from __future__ import annotations

import re

from voltac.options import Options
from voltac.passes.masks.zeros_behind_masks import CLEARING_SHUFFLE, cleared_lanes
from voltac.system.lazy_patterns import lazy_pattern

_TAKEN = lazy_pattern(r"%spread_bytes\.(\d+) =")


def spread_masks_as_bytes(text: str, options: Options) -> str:
    """The module's text, unchanged where no mask is spread or the target has no predicates."""
    if not options.target.has_sve or (" x i1> zeroinitializer, <" not in text and "i1 false" not in text):
        return text
    number = max(map(int, _TAKEN.findall(text)), default=0)
    result: list[str] = []
    for line in text.split("\n"):
        if " = shufflevector <" in line and (found := CLEARING_SHUFFLE.match(line)) and _is_spread(cleared_lanes(found)):
            number += 1
            result += _as_bytes(found, number)
        else:
            result.append(line)
    return "\n".join(result)


def _is_spread(lanes: list[int | None]) -> bool:
    return any(lane is not None and lane < at for at, lane in enumerate(lanes))


def _as_bytes(shuffle: re.Match[str], number: int) -> list[str]:
    given, width, debug = shuffle["given"], shuffle["width"], shuffle["debug"]
    zero = f"i32 {given}"
    lanes = ", ".join(zero if lane is None else f"i32 {lane}" for lane in cleared_lanes(shuffle))
    kind, bytes_, moved = f"<{given} x i8>", f"%spread_bytes.{number}", f"%spread_lanes.{number}"
    return [
        f"  {bytes_} = sext <{given} x i1> {shuffle['mask']} to {kind}{debug}",
        f"  {moved} = shufflevector {kind} {bytes_}, {kind} zeroinitializer, <{width} x i32> <{lanes}>{debug}",
        f"  {shuffle['name']} = icmp ne <{width} x i8> {moved}, zeroinitializer{debug}",
    ]
