"""The words of failures that all kinds have in common."""

from __future__ import annotations

from voltac.messages.visible import visible_name


def message_of(text: bytes) -> str:
    """The text of a failure, as it stands in the code."""
    return visible_name(text.decode("utf-8", "surrogateescape").strip())


def named_lanes(lanes: int) -> str:
    """The lanes of a mask, for the end of a message."""
    numbers = [str(lane) for lane in range(64) if lanes >> lane & 1]
    if not numbers:
        return ""
    return f" (in lane {numbers[0]})" if len(numbers) == 1 else f" (in lanes {', '.join(numbers)})"
