"""What stages for devices raise where the device cannot do something."""

from __future__ import annotations

from voltac.ir.model import Instruction


class NotOnDevice(Exception):
    """The device has no way to do something; ``str()`` is the reason."""

    function: str = ""
    """Where it is needed."""
    instruction: Instruction | None = None
    """What needs it, where it is one; with debug information it knows its place in the source."""
