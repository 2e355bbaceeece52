"""Words of code → what issues together: a bundle, or an instruction alone (IPU 2.1)."""

from __future__ import annotations

from functools import cache

from voltac.codegen.disassembler import Disassembler
from voltac.codegen.encoding import Decoded, Decoder
from voltac.records import record
from voltac.targets.ipu.isa import code_of
from voltac.targets.ipu.shapes import AUX, BUNDLED, MAIN
from voltac.targets.ipu.simulator.faults import INVALID_INSTRUCTION, INVALID_PC, TileFault
from voltac.targets.ipu.simulator.memory import TileMemory


@record(eq=False)
class IssuedCode:
    """What a worker issues in one slot; a bundle has both halves."""

    pc: int
    main: Decoded | None
    aux: Decoded | None
    is_bundle: bool

    @property
    def end(self) -> int:
        """The address behind it."""
        return self.pc + (8 if self.is_bundle else 4)

    @property
    def halves(self) -> tuple[Decoded, ...]:
        """The instructions, the main one first."""
        return tuple(half for half in (self.main, self.aux) if half is not None)

    @property
    def slots(self) -> int:
        """IssuedCode slots that it takes (IPU 2.4)."""
        return max(half.row.latency for half in self.halves)

    def has(self, trait: str) -> bool:
        """Whether one of its instructions has a trait."""
        return any(trait in half.row.traits for half in self.halves)


@cache
def _readers(generation: str) -> tuple[Decoder, Disassembler]:
    device = code_of(generation)
    return Decoder(device), Disassembler(device)


class CodeReader:
    """Decodes the code of a tile's memory."""

    def __init__(self, memory: TileMemory, generation: str) -> None:
        self._memory = memory
        self._decoder, self._listing = _readers(generation)

    def issue_at(self, pc: int) -> IssuedCode:
        """What issues at an address; a fault where no code may be, or where there is none."""
        map = self._memory.map
        if pc % 4:
            raise TileFault(INVALID_PC, f"{pc:#x} is no multiple of 4", pc)
        if not map.start <= pc < map.interleaved:
            raise TileFault(INVALID_PC, f"code is fetched from region 0 only, and {pc:#x} is not there", pc)
        word = self._memory.words[pc >> 2]
        first = self._decoded(word & ~BUNDLED, pc)
        if not word & BUNDLED:
            return IssuedCode(pc, first, None, False) if first.row.unit == MAIN else IssuedCode(pc, None, first, False)
        after = self._memory.words[pc + 4 >> 2] if pc + 4 < map.interleaved else 0
        if not after & BUNDLED:
            raise TileFault(INVALID_INSTRUCTION, f"a bundle has two words, and that at {pc + 4:#x} is of none", pc)
        second = self._decoded(after & ~BUNDLED, pc + 4)
        if first.row.unit != MAIN or second.row.unit != AUX:
            raise TileFault(INVALID_INSTRUCTION, "a bundle has an instruction of the main pipe and one of the aux pipe", pc)
        if "solo" in first.row.traits:
            raise TileFault(INVALID_INSTRUCTION, f"{first.row.mnemonic} is never in a bundle", pc)
        return IssuedCode(pc, first, second, True)

    def _decoded(self, word: int, pc: int) -> Decoded:
        found = self._decoder.decode(word)
        if found is None or not found.exact:
            raise TileFault(INVALID_INSTRUCTION, f"the word {word:#010x} at {pc:#x} is no instruction", pc)
        if "unspecified" in found.row.traits:
            raise TileFault(INVALID_INSTRUCTION, f"what {found.row.mnemonic} does is not specified, so it is not simulated", pc)
        return found

    def text_at(self, pc: int) -> str:
        """What issues at an address, as text; empty where nothing does."""
        try:
            issue = self.issue_at(pc)
        except TileFault:
            return ""
        return self.text(issue)

    def text(self, issue: IssuedCode) -> str:
        """As the assembler reads it."""
        texts = [self._listing.instruction(self._memory.words[(issue.pc >> 2) + number] & ~BUNDLED) for number in
                 range(len(issue.halves))]  # fmt: skip
        return f"{{ {texts[0]} ; {texts[1]} }}" if issue.is_bundle else texts[0]
