"""Words of a program -> instructions with the numbers of their operands."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from voltac.codegen.encoding import Decoder
from voltac.codegen.rows import Row
from voltac.codegen.simulator import Fault
from voltac.records import record
from voltac.targets.naplespu.isa import DEVICE_CODE
from voltac.targets.naplespu.regs import PC, RM, SCALARS, VECTORS

WORD = 0xFFFFFFFF
"""The bits of a register."""
_decoded = lru_cache(maxsize=1 << 16)(Decoder(DEVICE_CODE).decode)


@record
class DecodedInstruction:
    """An instruction as it was decoded, with its address."""

    pc: Any
    row: Row
    values: tuple[Any, ...]
    """Numbers of registers, and immediates. A template has names of parameters there, and for ``pc``."""

    @property
    def text(self) -> str:
        """As the assembler writes it."""
        names = {}
        for operand, value in zip(self.row.operands, self.values):
            if operand.kind in ("scalar", "vector"):
                names[operand.field] = (SCALARS if operand.kind == "scalar" else VECTORS)[value].name
            elif operand.kind == "label":
                names[operand.field] = f"0x{self.pc + value & WORD:x}"
            else:
                names[operand.field] = str(value)
        return self.row.text.format_map(names)

    def __getitem__(self, name: str) -> Any:
        return next(value for operand, value in zip(self.row.operands, self.values) if operand.field == name)

    def registers(self) -> list[tuple[str, int]]:
        """Everything it has to wait for: sources, the destination, and the mask beside vectors."""
        found = [
            (operand.kind, value)
            for operand, value in zip(self.row.operands, self.values)
            if operand.kind in ("scalar", "vector")
        ]
        if any(kind == "vector" for kind, _ in found):
            found.append(("scalar", RM.number))
        return list(dict.fromkeys(register for register in found if register != ("scalar", PC.number)))


_JUMPS = frozenset(("not_i32", "or_i32", "xor_i32", "add_i32", "sub_i32", "mull_i32"))
"""Operations of R format whose numbers are those of branches too."""


def _is_taken_for_a_branch(instruction: DecodedInstruction) -> bool:
    """Register 63 as the destination in R format (NaplesPU 1.2): of vectors any but a move is trapped."""
    row = instruction.row
    if row.format.name != "R" or not row.operands or row.operands[0].field != "rd" or instruction["rd"] != PC.number:
        return False
    name = row.name.partition(".")[0]
    return name in _JUMPS or (row.operands[0].kind == "vector" and name != "move_i32")


class Listing:
    """Pieces of code: address and content of each."""

    def __init__(self, pieces: tuple[tuple[int, bytes], ...]) -> None:
        self._pieces = pieces
        self._known: dict[int, DecodedInstruction] = {}

    def instruction(self, pc: int) -> DecodedInstruction:
        """What stands at an address; a fault if that is no instruction."""
        known = self._known.get(pc)
        if known is not None:
            return known
        if pc & 3:
            raise Fault("jump to an address that is not a multiple of 4")
        for start, content in self._pieces:
            if start <= pc and pc + 4 <= start + len(content):
                word = int.from_bytes(content[pc - start : pc - start + 4], "little")
                break
        else:
            raise Fault("execution runs off the code")
        decoded = _decoded(word)
        if decoded is None:
            raise Fault(f"undefined encoding 0x{word:08X}")
        if "absent" in decoded.row.traits:
            raise Fault(f"{decoded.row.mnemonic} has no unit: its result never comes")
        found = self._known[pc] = DecodedInstruction(pc, decoded.row, decoded.values)
        if _is_taken_for_a_branch(found):
            del self._known[pc]
            raise Fault(f"'{found.text}' is taken for a branch: register 63 cannot be the destination here, but of a move")
        return found

    def text(self, pc: int) -> str:
        """The instruction at an address in assembly language; empty where there is none."""
        try:
            return self.instruction(pc).text
        except Fault:
            return ""
