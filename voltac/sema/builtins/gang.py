"""What the meaning of a builtin is given: who executes it, and where. Loaded for types only: a compilation needs none of it."""

from __future__ import annotations

from typing import Any, Protocol

from voltac.sema.builtins.rows import Value


class AddressSpace(Protocol):
    """The memory of a program: every access is checked."""

    def view(self, address: int, size: int, *, write: bool = False) -> Value:
        """The bytes there, to read or to write in place."""


class TileRegisters(Protocol):
    """The tiles of AMX: ``contents`` by tile, row and byte; ``configuration`` is its 64 bytes."""

    configuration: Value
    contents: Value

    def configure(self, bytes: Value) -> None:
        """Take a configuration; all tiles are zero then."""

    def shape(self, tile: int) -> tuple[int, int]:
        """Rows, and bytes in a row."""

    def add_product(self, name: str, target: int, a: int, b: int) -> None:
        """By the instruction of that name."""


class Gang(Protocol):
    """Who executes a builtin, and where; numpy too, which a compilation does not load."""

    @property
    def np(self) -> Any:
        """The module numpy."""

    @property
    def active(self) -> Value:
        """Of each lane whether it is on."""

    @property
    def width(self) -> int:
        """Number of lanes."""

    @property
    def result(self) -> Any:
        """The dtype of the result; None for void."""

    @property
    def memory(self) -> AddressSpace:
        """What pointers lead into."""

    @property
    def tiles(self) -> TileRegisters:
        """Of the thread."""

    @property
    def has_random_bits(self) -> bool:
        """Whether the machine has a hardware generator."""

    @property
    def has_fused_products(self) -> bool:
        """Whether the machine multiplies and adds with one rounding."""

    def fused_multiply_add(self, a: Value, b: Value, c: Value) -> Value:
        """``a * b + c``, rounded once."""
