"""Addresses of objects, and where the variables of a function are."""

from __future__ import annotations

from collections.abc import Iterable

from voltac.lower.control_state import Region
from voltac.lower.text.ir_values import IR
from voltac.records import record, replace
from voltac.sema import tree
from voltac.sema.types import Qual


@record
class PointerBounds:
    """In a checked run: where a pointer may lead, for all lanes or for each one."""

    start: IR
    """Address of the first byte, ``i64`` or ``<W x i64>``."""
    bytes: IR
    """From there on; signed, never negative."""
    name: str = ""
    """What the program calls it."""
    unit: int = 1
    """Bytes of an element, for the index in a message."""


@record
class Shadow:
    """In a checked run: what of a variable was written, in an object of the same shape."""

    pointer: IR
    name: str
    """The variable's."""


@record
class Address:
    """Where an object lies, for all lanes or for each one."""

    pointer: IR
    """``ptr`` or ``<W x ptr>``."""
    storage: Qual
    """The type as it lies in memory."""
    private: bool = False
    """In a local variable at a uniform address: nobody minds if lanes that are off are written with their own value."""
    as_mask: bool = False
    """A local varying bool, kept in mask storage form."""
    home: Region | None = None
    """The region that declared the variable: lanes that are off there never read it, so stores need no mask."""
    slot: IR | None = None
    """Within soa data: the element of the block, one for all lanes or one a lane; None for a block as a whole."""
    bounds: tuple[PointerBounds, ...] = ()
    """In a checked run: of all that it lies in, outermost first."""
    bounds_variables: tuple[IR, IR] | None = None
    """In a checked run, of a variable that holds a pointer: where the bounds of what it holds are kept."""
    name: str = ""
    """The variable's, with ``bounds_variables``."""
    shadow: Shadow | None = None

    @property
    def is_varying(self) -> bool:
        """Does each lane have an address of its own?"""
        return self.pointer.type[0] == "<" or (self.slot is not None and self.slot.type[0] == "<")


class VariableTable:
    """Where the variables of a function are, at the place where code is being written."""

    def __init__(self) -> None:
        self.addresses: dict[tree.VariableSymbol, Address] = {}
        self.values: dict[tree.VariableSymbol, IR] = {}
        """Variables that never change and need no storage."""
        self.first: dict[tree.VariableSymbol, tree.Value] = {}
        """What declarations say that they are."""

    def with_home(self, symbols: Iterable[tree.VariableSymbol], region: Region) -> _Moved:
        """``with``: those of the variables that are local objects count as declared in a region, which no lane enters later."""
        known = self.addresses
        private = {symbol: known[symbol] for symbol in symbols if symbol in known and known[symbol].private}
        return _Moved(self, {symbol: replace(address, home=region) for symbol, address in private.items()})


class _Moved:
    """What :meth:`VariableTable.with_home` gives."""

    __slots__ = ("_homes", "_outside", "_table")

    def __init__(self, table: VariableTable, homes: dict[tree.VariableSymbol, Address]) -> None:
        self._table, self._homes, self._outside = table, homes, table.addresses

    def __enter__(self) -> None:
        self._table.addresses = {**self._outside, **self._homes}

    def __exit__(self, *failure: object) -> None:
        self._table.addresses = self._outside
