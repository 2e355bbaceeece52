"""The code in a device's memory -> Python functions, block by block, as they are reached.

Translating a block takes longer than running it a few times, so translations
are kept for the process: a kernel that is called again is not translated again.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import lru_cache
from types import CodeType
from typing import TYPE_CHECKING, Any

import numpy as np

from voltac.codegen.meanings import LANES, namespace
from voltac.codegen.simulator import Fault, Memory, Misaligned
from voltac.targets.naplespu import control
from voltac.targets.naplespu.instructions import Instruction, Listing
from voltac.targets.naplespu.translate import NEVER, BlockFacts, BlockWriter, Shape

if TYPE_CHECKING:
    import numpy.typing as npt

    Block = Callable[[Any, int, int], Generator[int, tuple[int, int], tuple[int, int, int]]]

TRANSLATIONS = 64
"""Programs whose translations are kept."""


class Unwritten(Fault):
    def __init__(self, register: str) -> None:
        super().__init__(f"read of {register}, which was never written")


def blend(
    old: npt.NDArray[np.uint32] | None, new: npt.NDArray[np.uint32], flags: npt.NDArray[np.bool_]
) -> npt.NDArray[np.uint32] | None:
    """The new value in the lanes that are on; an old one that was never written stays so where no lane is on."""
    if old is None:
        return np.where(flags, new, np.uint32(0)) if flags.any() else None
    result = old.copy()
    np.copyto(result, new, where=flags)
    return result


class Translation:
    """A program's blocks as compiled Python, bound to no memory yet."""

    def __init__(self, pieces: tuple[tuple[int, bytes], ...], shape: Shape) -> None:
        self.listing = Listing(pieces)
        self.shape = shape
        self.facts: list[BlockFacts] = []
        self.constants: dict[str, npt.NDArray[np.uint32]] = {}
        """Arrays with a number in every lane, by the names that blocks use."""
        self._codes: dict[int, CodeType] = {}
        self._by_file: dict[str, BlockFacts] = {}

    def code(self, pc: int) -> CodeType:
        """Of the block from an address on."""
        known = self._codes.get(pc)
        if known is None:
            source, facts = BlockWriter(self.listing, self.shape, pc, len(self.facts), self._constant).write()
            file = f"<NaplesPU block {len(self.facts)} at 0x{pc:x}>"
            known = self._codes[pc] = compile(source, file, "exec")
            self.facts.append(facts)
            self._by_file[file] = facts
        return known

    def place(self, file: str, line: int) -> Instruction | None:
        """The instruction that a line of generated source belongs to."""
        facts = self._by_file.get(file)
        return facts.instructions[facts.origin[line - 1]] if facts is not None else None

    def _constant(self, value: int) -> str:
        name = f"lanes_{value & 0xFFFFFFFF}"
        if name not in self.constants:
            constant: npt.NDArray[np.uint32] = np.full(LANES, value & 0xFFFFFFFF, np.uint32)
            constant.flags.writeable = False
            self.constants[name] = constant
        return name


@lru_cache(maxsize=TRANSLATIONS)
def translation(pieces: tuple[tuple[int, bytes], ...], shape: Shape) -> Translation:
    return Translation(pieces, shape)


class Program:
    """A translation that works on a device's memory."""

    def __init__(self, memory: Memory, mode: str, translated: Translation) -> None:
        self.translation = translated
        self.blocks: dict[int, Block] = {}
        self._names: dict[str, Any] = {
            **namespace(mode), "NEVER": NEVER, "zeros": np.zeros(LANES, np.uint32), "blend": blend,
            "words": memory.words, "halves": memory.halves, "octets": memory.bytes, "memory_lanes": memory.lanes,
            "read_control": control.read, "write_control": control.write,
            "Misaligned": Misaligned, "Unwritten": Unwritten, "Fault": Fault,
        }  # fmt: skip

    def block(self, pc: int) -> Block:
        """The block from an address on; ``blocks`` knows those that were asked for before."""
        code = self.translation.code(pc)
        self._names.update(self.translation.constants)
        exec(code, self._names)
        made: Block = self._names.pop("block")
        self.blocks[pc] = made
        return made
