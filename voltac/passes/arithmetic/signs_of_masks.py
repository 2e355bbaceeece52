"""Narrowed signs of the lanes of masks -> the masks' truth values.

When LLVM has finished simplifying::

    %lanes = sext <8 x i1> %m to <8 x i64>
    %sign = lshr <8 x i64> %lanes, splat (i64 63)
    %one = trunc <8 x i64> %sign to <8 x i32>

becomes, within a block::

    %one = zext <8 x i1> %m to <8 x i32>

A mask was whole lanes, wider ones than those of the data, when LLVM made a shift of its truth value; when it is bits again
(:mod:`voltac.passes.masks.from_lanes`) LLVM no longer looks, and would widen the lanes and pack them. The sign of -1 is 1, that
of 0 is 0, in any width. Bits that live across blocks would be packed; signs that are as wide as their use cost nothing.
"""

from __future__ import annotations

from voltac.system.lazy_patterns import lazy_pattern

_LANES = lazy_pattern(r"  (?P<name>%\S+) = sext (?P<mask><\d+ x i1> %\S+) to <\d+ x i(?P<bits>16|32|64)>(?:, !dbg !\d+)?$")
_SIGN = lazy_pattern(r"  (?P<name>%\S+) = lshr <\d+ x i\d+> (?P<value>%[^\s,]+), splat \(i\d+ (?P<by>\d+)\)(?:, !dbg !\d+)?$")
_NARROWED = lazy_pattern(
    r"  (?P<name>%\S+) = trunc (?:nuw |nsw )*<\d+ x i\d+> (?P<value>%\S+) to (?P<type><\d+ x i(?:8|16|32)>)"
    r"(?P<debug>, !dbg !\d+)?$"
)

_SIGN_PLACES = ("splat (i16 15)", "splat (i32 31)", "splat (i64 63)")
"""Of the shifts of signs, of which one is there if anything is to be done."""


def take_truth_values(text: str) -> str:
    """The module's text, unchanged if there are no such signs."""
    if not any(sign in text for sign in _SIGN_PLACES):
        return text
    lanes: dict[str, tuple[str, int]] = {}
    """Lanes of a mask -> the mask, and their width."""
    signs: dict[str, str] = {}
    """Signs -> the mask."""
    result: list[str] = []
    for line in text.split("\n"):
        if not line.startswith(" "):
            lanes, signs = {}, {}
        elif " = sext <" in line and (found := _LANES.match(line)):
            lanes[found["name"]] = found["mask"], int(found["bits"])
        elif lanes and " = lshr <" in line and (found := _SIGN.match(line)):
            mask, bits = lanes.get(found["value"], ("", 0))
            if bits == int(found["by"]) + 1:
                signs[found["name"]] = mask
        elif signs and " = trunc " in line and (found := _NARROWED.match(line)):
            if found["value"] in signs:
                line = f"  {found['name']} = zext {signs[found['value']]} to {found['type']}{found['debug'] or ''}"
        result.append(line)
    return "\n".join(result)
