"""Runs programs: one instruction after the other, what each means from its row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from voltac.codegen.encoding import Decoder
from voltac.codegen.image import Image
from voltac.codegen.simulator import DeviceMemory

from .isa import DEVICE_CODE

WORD = 0xFFFFFFFF


class Simulated:
    """A machine with its memory."""

    def __init__(self, configuration: Any) -> None:
        self.memory = DeviceMemory(1 << 20)
        self.end = 0x20000

    @property
    def free(self) -> int:
        return self.memory.size - self.end

    def load(self, image: Image) -> None:
        for segment in image.segments:
            self.memory.map(segment.address, len(segment.content))
            self.memory.write(segment.address, segment.content)

    def allocate(self, size: int) -> int:
        place, self.end = self.end, self.end + size
        self.memory.map(place, size)
        return place

    def write(self, address: int, content: bytes) -> None:
        self.memory.write(address, content)

    def read(self, address: int, size: int) -> bytes:
        return bytes(self.memory.bytes[address : address + size])

    def run(
        self, entry: int, argc: int, argv: int, trace: Callable[[str], None] | None = None, limit: int | None = None
    ) -> int:
        """The number of instructions."""
        decode, words, registers, pc, count = Decoder(DEVICE_CODE).decode, self.memory.words, [0, 0, argv], entry, 0
        while True:
            decoded = decode(words[pc // 4])
            assert decoded is not None, hex(pc)
            fields = dict(zip((operand.field for operand in decoded.row.operands), decoded.values))
            count, following, name = count + 1, pc + 4, decoded.row.name
            values = {field: registers[value] if field != "imm" else value for field, value in fields.items()}
            if name == "halt":
                return count
            if name == "branch":
                following = pc + values["imm"] if values["rd"] else following
            elif name == "jump":
                following = values["ra"]
            elif name == "storeb":
                self.memory.bytes[values["ra"]] = values["rb"] & 0xFF
            elif name == "loadb":
                registers[fields["rd"]] = self.memory.bytes[values["ra"]]
            elif name == "store":
                words[values["ra"] // 4] = values["rb"]
            elif name == "load":
                registers[fields["rd"]] = words[values["ra"] // 4]
            else:
                result = eval(decoded.row.meaning, {"signed": lambda a: a - ((a & 0x80000000) << 1)}, values)
                registers[fields["rd"]] = int(result) & WORD
            pc = following
