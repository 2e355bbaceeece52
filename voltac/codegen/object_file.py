"""Assembled code before linking: sections of bytes, symbols, and the places that wait for addresses."""

from __future__ import annotations

from voltac.messages.message import NOWHERE, Span
from voltac.records import field, mutable_record, record


@mutable_record(eq=False)
class Section:
    """``size`` is that of ``content``, except where a section has zeros only."""

    name: str
    kind: str
    """As in :class:`voltac.codegen.device.SectionPlace`."""
    content: bytearray = field(default_factory=bytearray)
    zeros: int = 0
    """Bytes of a section of zeros."""
    alignment: int = 1
    address: int = 0
    """Where the program sees it, after linking."""
    loaded_at: int = 0
    """Where its bytes lie when the program begins; elsewhere only for sections of another address space."""

    @property
    def size(self) -> int:
        """Bytes in memory."""
        return len(self.content) or self.zeros


@record
class Symbol:
    """A name for a place in a section, or for a number."""

    name: str
    section: str
    """Empty: an absolute number."""
    offset: int
    is_global: bool = False


@record
class Relocation:
    """A word that the linker writes an address into, or a part of one."""

    section: str
    offset: int
    """Of the word to change."""
    part: str
    """Of the address, as in :class:`voltac.codegen.device.RelocationKind`."""
    symbol: str
    addend: int = 0
    line: int = 0
    """Of the assembly text, for messages."""
    place: Span = NOWHERE
    """Of the operand, in text that is written by hand."""


@mutable_record(eq=False)
class ObjectFile:
    """What the assembler makes of one text."""

    sections: dict[str, Section] = field(default_factory=dict)
    symbols: dict[str, Symbol] = field(default_factory=dict)
    relocations: list[Relocation] = field(default_factory=list)

    def address(self, symbol: str) -> int:
        """Of a symbol, after linking."""
        found = self.symbols[symbol]
        # An empty section is not kept; its labels stand nowhere.
        return (self.sections[found.section].address if found.section in self.sections else 0) + found.offset
