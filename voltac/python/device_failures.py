"""A device that stopped at a failure -> the exception that the host has for it (``lower/control_flow/failure_exits.py``)."""

from __future__ import annotations

import re

from voltac.codegen.image import Image
from voltac.codegen.simulator import Trap
from voltac.lower.control_flow.failure_exits import DEVICE_FAIL
from voltac.python.failure_texts import message_of, named_lanes
from voltac.python.failures import EXCEPTIONS


def failure_of(trap: Trap, image: Image) -> Exception | None:
    """None for a trap that is none of the program's own."""
    target = re.search(r"0x[0-9a-f]+$", trap.instruction)
    at = {trap.pc, int(target[0], 16) if target is not None else None}
    if image.symbols.get(DEVICE_FAIL, 0) not in at or len(trap.arguments) != 3:
        return None
    text, kind, lanes = trap.arguments
    if text is None or kind is None or kind >= len(EXCEPTIONS):
        return None
    message = message_of(_text_at(image, text)) + named_lanes(lanes or 0)
    return EXCEPTIONS[kind](f"{message} (core {trap.core}, thread {trap.thread})")


def _text_at(image: Image, address: int) -> bytes:
    """What stands in the image from an address to the next zero byte."""
    for segment in image.segments:
        if segment.address <= address < segment.address + len(segment.content):
            return bytes(segment.content[address - segment.address :]).partition(b"\0")[0]
    return b""
