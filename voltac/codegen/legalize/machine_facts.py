"""What the shared legalization has to know of a machine: one record, made by the device."""

from __future__ import annotations

from voltac.records import record


@record
class PackedType:
    """Numbers of which a register holds several side by side."""

    element: str
    """Their type; of ``i1`` the lanes are those of the others, all their bits 0 or 1."""
    lanes: int
    part: str
    """The legal type of such a register: a word, or a vector where its registers are others."""


@record
class MachineFacts:
    """Registers and instructions of a machine; what it lacks is written out."""

    title: str
    """Its name in messages."""
    prefix: str
    """What the names of its functions and of the routines begin with."""
    lanes: int = 0
    """Words of a vector register; 0: there are none, and each lane of a vector is a scalar."""
    accesses: tuple[int, ...] = (1, 2, 4)
    """Bytes that one instruction loads or stores."""
    has_high_product: bool = True
    """The upper words of products: ``mulhu`` and ``mulhs``."""
    has_zero_count: bool = True
    """``llvm.ctlz`` and ``llvm.cttz`` of a word."""
    scalar_results: int = 1
    """Registers in which a function returns scalars and masks; what is more comes back in memory."""
    vector_results: int = 0
    has_double: bool = False
    word_bits: int = 32
    """Of a register, of an address, and of what integers are computed in."""

    packed: tuple[PackedType, ...] = ()
    """What registers hold several of; all have as many lanes (``packed.py``)."""

    @property
    def word(self) -> str:
        """The type of a word."""
        return f"i{self.word_bits}"

    @property
    def word_bytes(self) -> int:
        """Of a word in memory."""
        return self.word_bits // 8

    @property
    def vector_bytes(self) -> int:
        """To so many bytes memory for vectors is aligned; without vectors, to those of two words."""
        return self.word_bytes * (self.lanes or 2)
