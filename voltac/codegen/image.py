"""What lies in a device's memory before its program runs, and the text formats in which others want to have it."""

from __future__ import annotations

from collections.abc import Iterator

from voltac.records import field, record

BLOCK = 64
"""Bytes of a line of the text formats."""


@record
class ImageSegment:
    """``size`` bytes from ``address`` on: ``content``, then zeros."""

    address: int
    content: bytes
    size: int
    executable: bool = False


@record
class Image:
    """A program as it lies in memory, with its names."""

    entry: int
    segments: tuple[ImageSegment, ...]
    symbols: dict[str, int]
    """Name → address."""
    notes: dict[str, bytes] = field(default_factory=dict)
    """What the file says of itself beside the program, by kind."""

    @property
    def end(self) -> int:
        """First address behind everything."""
        return max((segment.address + segment.size for segment in self.segments), default=0)


def blocks(image: Image) -> Iterator[tuple[int, bytes]]:
    """The memory's blocks that are not all zeros, in the order of their addresses."""
    lines: dict[int, bytearray] = {}
    for segment in image.segments:
        for address in range(segment.address - segment.address % BLOCK, segment.address + len(segment.content), BLOCK):
            line = lines.setdefault(address, bytearray(BLOCK))
            start = max(address, segment.address)
            part = segment.content[start - segment.address : address + BLOCK - segment.address]
            line[start - address : start - address + len(part)] = part
    return ((address, bytes(line)) for address, line in sorted(lines.items()) if any(line))


def toolchain_text(image: Image) -> str:
    """``0xADDRESS,0x`` and 64 bytes in ascending order, a line for each block that is not zero."""
    return "".join(f"0x{address:08x},0x{line.hex()}\n" for address, line in blocks(image))


def memory_text(image: Image) -> str:
    """What the memory model of the hardware's source reads: a number of 512 bits a line, from address 0 on without gaps."""
    out = []
    expected = 0
    for address, line in blocks(image):
        out.append(f"{0:0{2 * BLOCK}x}\n" * ((address - expected) // BLOCK))
        out.append(f"{int.from_bytes(line, 'little'):0{2 * BLOCK}x}\n")
        expected = address + BLOCK
    return "".join(out)
