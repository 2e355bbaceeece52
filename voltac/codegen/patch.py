"""An address into the bits of a word that wait for it."""

from __future__ import annotations

from voltac.codegen.device import RelocationKind


class DoesNotFit(ValueError):
    """The value needs more bits than there are; ``str()`` says which it is."""


def patched(content: bytearray, offset: int, kind: RelocationKind, value: int, word_bytes: int) -> None:
    """Put ``value``, an address or for ``relative`` a distance, into the word at ``offset``."""
    if kind.part == "relative":
        limit = 1 << kind.bits - 1
        if not -limit <= value < limit:
            raise DoesNotFit(f"{value} bytes, and the instruction reaches {-limit} to {limit - 1}")
        if value % word_bytes:
            raise DoesNotFit(f"{value} bytes are no whole number of instructions")
    elif value % (1 << kind.shift):
        raise DoesNotFit(f"address {value:#x} is no multiple of {1 << kind.shift}")
    elif kind.part == "high":
        value >>= 16
    size = 4 if kind.part == "absolute" else word_bytes
    mask = (1 << kind.bits) - 1
    word = int.from_bytes(content[offset : offset + size], "little")
    word = word & ~(mask << kind.low) | (value >> kind.shift & mask) << kind.low
    content[offset : offset + size] = word.to_bytes(size, "little")
