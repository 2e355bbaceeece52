"""Instructions of a gang for another number of lanes, where each lane is by itself."""

from __future__ import annotations

import re


def with_lanes(text: str, width: int, count: int) -> str:
    """An instruction of ``width`` lanes for ``count``."""
    text = text.replace(lane_numbers(width), lane_numbers(count))
    text = text.replace(f"<{width} x ", f"<{count} x ")
    return re.sub(rf"\.v{width}(?=[a-z])", f".v{count}", text)


def lane_numbers(width: int) -> str:
    """The constant with each lane's number."""
    return "<" + ", ".join(f"i32 {lane}" for lane in range(width)) + ">"
