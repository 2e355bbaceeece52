"""Truth values that are converted to floats -> selections of 1 and 0.

When LLVM has finished simplifying::

    %x = sitofp <8 x i1> %m to <8 x double>

becomes

    %x = select <8 x i1> %m, <8 x double> splat (double -1.0), <8 x double> zeroinitializer

which is the mask and a constant. LLVM, which made the first of the selection, converts integers of 32 bits: for doubles it
packs the mask into these, unpacks and converts them.
"""

from __future__ import annotations

import re

from voltac.system.lazy_patterns import lazy_pattern

_CONVERTED = lazy_pattern(r" = ([su])itofp (?:nneg )?(<\d+ x i1>) (%[^\s,]+) to (<\d+ x (float|double|half)>)")


def select_floats(text: str) -> str:
    """The module's text, unchanged if no truth values become floats."""
    return _CONVERTED.sub(_selected, text) if "itofp <" in text or "itofp nneg <" in text else text


def _selected(found: re.Match[str]) -> str:
    sign, masks, mask, floats, element = found.groups()
    one = "-1.0" if sign == "s" else "1.0"
    return f" = select {masks} {mask}, {floats} splat ({element} {one}), {floats} zeroinitializer"
