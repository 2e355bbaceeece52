"""Upper lanes of a mask moved down, with zeros behind them -> moved first, cleared then, for AVX-512.

When LLVM has finished simplifying::

    %s = shufflevector <8 x i1> %m, <8 x i1> zeroinitializer, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 8, i32 8, i32 8, i32 8>

becomes

    %lanes_moved.1 = shufflevector <8 x i1> %m, <8 x i1> poison, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 poison, ...>
    %lanes_kept.1 = freeze <8 x i1> %lanes_moved.1
    %s = and <8 x i1> %lanes_kept.1, <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false>

Where the mask is a part of a wider one, as that of 8 bytes is of the 16 that a register compares, LLVM 22 shifts the wider
mask to the right and takes what comes from above for the zeros: lanes that are off would store. So with the lower half of 16
lanes that stays where it is, before zeros.
tests/passes/test_zeros_behind_masks.py holds that it still does.
"""

from __future__ import annotations

import re

from voltac.options import Options
from voltac.system.lazy_patterns import lazy_pattern

CLEARING_SHUFFLE = lazy_pattern(
    r"  (?P<name>%\S+) = shufflevector <(?P<given>\d+) x i1> (?P<mask>%[^\s,]+), "
    r"<\d+ x i1> (?P<others>zeroinitializer|<[^>]*>), <(?P<width>\d+) x i32> <(?P<lanes>[^>]*)>(?P<debug>.*)"
)
"""Of a mask of lanes and constants."""
_TAKEN = lazy_pattern(r"%lanes_moved\.(\d+) =")


def clear_moved_lanes(text: str, options: Options) -> str:
    """The module's text, unchanged where no mask is moved down or the target has no mask registers."""
    if (
        options.target.mask_bits != 1
        or not options.target.is_x86
        or (" x i1> zeroinitializer, <" not in text and "i1 false" not in text)
    ):
        return text
    number = max(map(int, _TAKEN.findall(text)), default=0)
    result: list[str] = []
    for line in text.split("\n"):
        if " = shufflevector <" in line and (found := CLEARING_SHUFFLE.match(line)) and (lanes := _moved_lanes(found)):
            number += 1
            mask, width, debug = found["mask"], found["width"], found["debug"]
            chosen = ", ".join("i32 poison" if lane is None else f"i32 {lane}" for lane in lanes)
            wanted = ", ".join("i1 false" if lane is None else "i1 true" for lane in lanes)
            kind = f"<{found['given']} x i1>"
            result.append(
                f"  %lanes_moved.{number} = shufflevector {kind} {mask}, {kind} poison, <{width} x i32> <{chosen}>{debug}"
            )
            result.append(f"  %lanes_kept.{number} = freeze <{width} x i1> %lanes_moved.{number}{debug}")
            line = f"  {found['name']} = and <{width} x i1> %lanes_kept.{number}, <{wanted}>{debug}"
        result.append(line)
    return "\n".join(result)


def _moved_lanes(shuffle: re.Match[str]) -> list[int | None]:
    """The lane of the mask that each of the result is, None where that is off; empty unless some are, others came or stayed."""
    given, lanes = int(shuffle["given"]), cleared_lanes(shuffle)
    # Lanes that stay may be a part of those that were compared, too, unless the mask becomes wider.
    kept = [(lane, at) for at, lane in enumerate(lanes) if lane is not None]
    is_mistaken = any(lane > at for lane, at in kept) or (len(lanes) == given and all(lane == at for lane, at in kept))
    return lanes if is_mistaken else []


def cleared_lanes(shuffle: re.Match[str]) -> list[int | None]:
    """Of a match of ``CLEARING_SHUFFLE``: the lane of the mask that each lane of the result is, None where that is off.

    Empty unless some are lanes of the mask and others are off, and none is on whatever the mask is.
    """
    given, others = int(shuffle["given"]), shuffle["others"].strip("<>").split(", ")
    lanes: list[int | None] = []
    is_cleared = False
    for entry in shuffle["lanes"].split(", "):
        index = entry.removeprefix("i32 ")
        if index == "poison":
            lanes.append(None)
        elif int(index) < given:
            lanes.append(int(index))
        elif others == ["zeroinitializer"] or others[int(index) - given] == "i1 false":
            is_cleared = True
            lanes.append(None)
        elif others[int(index) - given] == "i1 true":
            return []
        else:
            lanes.append(None)
    return lanes if is_cleared and any(lane is not None for lane in lanes) else []
