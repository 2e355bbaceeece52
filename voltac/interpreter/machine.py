"""The state of an interpreted program, and how values of every type lie in its memory.

A :class:`Location` is an evaluated place: the address of one object, or of one
object for each lane. Loads and stores take it apart down to its scalars, each
of which is one of the five rows of section 5.5 of the language.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from voltac.messages.message import NOWHERE, Span
from voltac.options import Options
from voltac.sema import tree
from voltac.sema.type_layout import Layout
from voltac.sema.types import VARYING, VOID_QUAL, Array, FunctionType, Pointer, Qual, Reference, Struct, Type, Vector

from .memory import MemoryFault, ProgramMemory
from .values import ADDRESS, Mask, Value, dtype_of, is_slice, members, undefined


class InterpreterError(Exception):
    """The program did something undefined; says what, where and in which lane."""

    def __init__(self, text: str, span: Span = NOWHERE, lane: int | None = None) -> None:
        self.described = text + ("" if lane is None else f" (in lane {lane})")
        super().__init__((f"{span.file}:{span.line}:{span.column}: " if span.line else "") + self.described)
        self.text, self.span, self.lane = text, span, lane


class ZeroDivisor(InterpreterError, ZeroDivisionError):
    """An integer was divided by zero."""


class QuotientOverflow(InterpreterError, OverflowError):
    """The least integer was divided by -1."""


class ProgramAborted(AssertionError):
    """An ``assert`` failed; its message has been written to the output."""


class Trace:
    """Is told what happens; a subclass overrides what it wants to know of."""

    def reached(self, statement: tree.Statement, active: Mask) -> None:
        """Lanes are about to execute a statement."""

    def iterating(self, statement: tree.Statement, active: Mask) -> None:
        """Lanes go on to the next iteration of a loop; its step, its test or new values of its variables come now."""

    def wrote(self, place: tree.Place, value: Value, lanes: Mask) -> None:
        """These lanes have written to a place."""

    def returning(self, function: tree.FunctionSymbol) -> None:
        """A call is about to end; its variables are still there."""


@dataclass(frozen=True, slots=True)
class Location:
    """Where an object of type ``storage`` lies: ``address`` is one uint64, or W of them.

    Inside of soa data ``slot`` tells which of the block's elements is meant; it is
    of the same shape as ``address``, and None outside.
    """

    storage: Qual
    address: Value
    slot: Value = None

    def part(self, storage: Qual, offset: Value) -> Location:
        """A part of this object, ``offset`` bytes behind its start."""
        address = self.address + np.asarray(offset).astype(ADDRESS)
        slot = self.slot if self.slot is None else self.slot + np.zeros_like(address)
        return Location(storage, address, slot)

    @property
    def pointer(self) -> Value:
        """The address as the value of a pointer to this object."""
        if self.storage.rate.kind != "soa":
            return self.address
        return np.stack(np.broadcast_arrays(self.address, ADDRESS.type(0) if self.slot is None else self.slot))


def location_of(pointer: Value, to: Qual) -> Location:
    """What a pointer value points to."""
    return Location(to, pointer[0], pointer[1]) if to.rate.kind == "soa" else Location(to, pointer)


@dataclass(slots=True)
class Leaving:
    """The lanes that left the body of a loop, switch or foreach, by how they did."""

    broke: Mask
    continued: Mask
    joins: dict[int | None, Mask] | None = None
    """Of a switch: label -> lanes that will join there; None of a loop."""


@dataclass(slots=True)
class Frame:
    """One invocation of a function by a gang."""

    function: tree.FunctionSymbol
    entered: Mask
    """The lanes that are on at entry."""
    variables: dict[tree.VariableSymbol, int] = field(default_factory=dict)
    objects: list[int] = field(default_factory=list)
    """Addresses of everything that ends when the function returns."""
    result: Value = None
    has_result: bool = False
    leaving: list[Leaving] = field(default_factory=list)
    """Of the loops around the current statement, innermost last."""
    task: dict[str, int] = field(default_factory=dict)
    """The values of ``taskIndex`` and the like."""
    writes_mask: bool = False
    """The function has written the mask."""
    seeking: str | None = None
    """The label a ``goto`` is on its way to: statements before it are passed over."""


class ProgramState:
    """Memory, globals, function addresses, output: everything but the meaning of nodes."""

    def __init__(self, program: tree.Program, options: Options, output: Callable[[str], object], trace: Trace | None) -> None:
        self.program, self.options, self.output, self.trace = program, options, output, trace
        self.width = options.target.width
        self.layout = Layout(options.target)
        self.memory = ProgramMemory()
        self.computed: Callable[[int], None] | None = None
        """Is told how many floating-point operations lanes that are on have done."""
        self.lanes = np.arange(self.width)
        self.all_on: Mask = np.ones(self.width, np.bool_)
        self.none: Mask = np.zeros(self.width, np.bool_)
        self.frame = Frame(tree.FunctionSymbol("(file scope)", FunctionType(VOID_QUAL, ()), ""), self.all_on)
        self.globals: dict[tree.VariableSymbol, int] = {}
        self.c_functions: dict[str, Callable[..., Any]] = {}
        """Functions declared ``extern "C"``, provided by the host."""
        self.finds_c_functions = True
        """Others are looked for in this process: a program may call whatever is in the C library."""
        self._function_addresses: dict[tree.FunctionSymbol, int] = {}
        self._functions: dict[int, tree.FunctionSymbol] = {}

    # --- functions as addresses ---

    def function_address(self, function: tree.FunctionSymbol) -> int:
        """The fake address of a function, the same each time."""
        known = self._function_addresses.get(function)
        if known is None:
            known = self.memory.allocate(0, 16, f"function '{function.name}'")
            self._function_addresses[function] = known
            self._functions[known] = function
        return known

    def function_at(self, address: int, span: Span, lane: int | None = None) -> tree.FunctionSymbol:
        """The function of an address; an error for any other number."""
        function = self._functions.get(address)
        if function is None:
            raise InterpreterError(f"call through {address:#x}, which is not the address of a function", span, lane)
        return function

    # --- objects ---

    def new_local(self, qual: Qual, name: str, alignment: int = 0) -> int:
        """An object that lives until the current function returns."""
        address = self.memory.allocate(self.layout.size(qual), max(alignment, self.layout.alignment(qual)), name)
        self.frame.objects.append(address)
        return address

    def variable(self, symbol: tree.VariableSymbol) -> Location:
        """Where a variable lies; a local one comes into being when it is first asked for."""
        address = self.frame.variables.get(symbol)
        if address is None:
            address = self.globals.get(symbol)
        if address is None:
            address = self.new_local(symbol.type, f"'{symbol.name}'", symbol.alignment)
            self.frame.variables[symbol] = address
        return Location(symbol.type, ADDRESS.type(address))

    def release_frame(self, frame: Frame) -> None:
        """Its variables are gone: pointers to them lead nowhere from now on."""
        for address in reversed(frame.objects):
            self.memory.release(address)

    # --- parts of objects ---

    def parts(self, whole: Location) -> Iterable[Location]:
        """The members of a struct, or the elements of an array."""
        quals = members(whole.storage)
        if isinstance(whole.storage.type, Array):
            return (self.element(whole, np.int64(index)) for index in range(len(quals)))
        return (self.member(whole, index) for index in range(len(quals)))

    def member(self, struct: Location, index: int) -> Location:
        """A member of the struct at a place, by its number."""
        return struct.part(members(struct.storage)[index], self.layout.offsets(struct.storage)[index])

    def element(self, aggregate: Location, index: Value) -> Location:
        """``aggregate[index]`` of an array or short vector; the index is extended by its own signedness."""
        storage, of = aggregate.storage, aggregate.storage.type
        element = of.element if isinstance(of, Array) else Qual(_vector(of).element, storage.rate, storage.const)
        if element.rate.kind == "soa" and aggregate.slot is None and isinstance(element.type, Struct):
            return self.soa_element(Location(element, aggregate.address, ADDRESS.type(0)), index)
        return aggregate.part(element, index.astype(ADDRESS) * ADDRESS.type(self.layout.size(element)))

    def part(self, whole: Location, index: int) -> Location:
        """Part ``index`` of an object, as a braced list counts them: of soa data blocks, and in them the slots of a scalar."""
        kind = whole.storage.type
        if isinstance(kind, Struct):
            return self.member(whole, index)
        if whole.storage.rate.kind != "soa":
            return self.element(whole, np.int64(index))
        if not isinstance(kind, Array | Vector):
            return Location(whole.storage, whole.address, np.full_like(whole.address, index))
        element = kind.element if isinstance(kind, Array) else Qual(kind.element, whole.storage.rate)
        return whole.part(element, index * self.layout.size(element))

    def soa_element(self, location: Location, index: Value) -> Location:
        """The soa element ``index`` places behind ``location``: N elements fill a block."""
        per_block = ADDRESS.type(location.storage.rate.width)
        slot = location.slot.astype(np.int64) + index.astype(np.int64)
        block = (slot // per_block.astype(np.int64)).astype(ADDRESS)
        address = location.address + block * ADDRESS.type(self.layout.size(location.storage))
        return Location(location.storage, address, slot.astype(ADDRESS) % per_block + np.zeros_like(address))

    # --- loads and stores ---

    def load(self, location: Location, active: Mask, span: Span) -> Value:
        """The value of an object; where lanes have addresses of their own, only active lanes read memory."""
        kind = location.storage.type
        if isinstance(kind, Struct | Array):
            return tuple(self.load(part, active, span) for part in self.parts(location))
        if isinstance(kind, Vector):
            return np.stack([self.load(self.element(location, np.int64(index)), active, span) for index in range(kind.count)])
        if is_slice(kind):
            return np.stack([self._load_scalar(half, kind, active, span) for half in self._halves(location)])
        return self._load_scalar(location, kind, active, span)

    def store(self, location: Location, value: Value, lanes: Mask, span: Span) -> None:
        """Writes an object; ``lanes`` says which lanes of varying data are written."""
        kind = location.storage.type
        if isinstance(kind, Struct | Array):
            for part, part_value in zip(self.parts(location), value, strict=True):
                self.store(part, part_value, lanes, span)
        elif isinstance(kind, Vector):
            for index in range(kind.count):
                self.store(self.element(location, np.int64(index)), value[index], lanes, span)
        elif is_slice(kind):
            for half, part_value in zip(self._halves(location), value, strict=True):
                self._store_scalar(half, kind, part_value, lanes, span)
        else:
            self._store_scalar(location, kind, value, lanes, span)

    def _halves(self, location: Location) -> tuple[Location, Location]:
        """Block addresses and slots of a slice pointer lie one behind the other, as many as there are lanes or slots."""
        rate = location.storage.rate
        row = self.layout.pointer_bytes * (self.width if rate == VARYING else rate.width if rate.kind == "soa" else 1)
        return location, location.part(location.storage, row)

    def _load_scalar(self, location: Location, kind: Type, active: Mask, span: Span) -> Value:
        dtype, stored = dtype_of(kind), self._stored(kind)
        varying = location.storage.rate is VARYING
        address = self._scalar_address(location, stored)
        if address.ndim == 0:
            row = self._view(int(address), stored, span, self.width if varying else 1)
            value = row.copy() if varying else row[0]
        else:
            value = undefined(kind, self.width).astype(stored)
            for lane in map(int, np.flatnonzero(active)):
                value[lane] = self._view(self._in_lane(address, varying, lane, stored), stored, span, lane=lane)[0]
        return value != 0 if dtype == np.bool_ else value.astype(dtype, copy=False)

    def _store_scalar(self, location: Location, kind: Type, value: Value, lanes: Mask, span: Span) -> None:
        stored = self._stored(kind)
        varying = location.storage.rate is VARYING
        address = self._scalar_address(location, stored)
        value = np.asarray(value).astype(stored)
        if address.ndim == 0:
            row = self._view(int(address), stored, span, self.width if varying else 1, write=True)
            if varying:
                np.copyto(row, value, where=lanes)
            else:
                row[0] = value
        else:
            # In the order of the lanes: where several write the same place, the highest lane wins.
            values = np.broadcast_to(value, self.width)
            for lane in map(int, np.flatnonzero(lanes)):
                place = self._in_lane(address, varying, lane, stored)
                self._view(place, stored, span, write=True, lane=lane)[0] = values[lane]

    @staticmethod
    def _scalar_address(location: Location, stored: np.dtype[Any]) -> Value:
        """Of the scalar or the row of W scalars at a location, or at that of each lane."""
        if location.slot is None:
            return location.address
        return location.address + location.slot * ADDRESS.type(stored.itemsize)

    @staticmethod
    def _in_lane(addresses: Value, varying: bool, lane: int, stored: np.dtype[Any]) -> int:
        """Where varying data lies, lane l means element l of the row that its own address designates."""
        return int(addresses[lane]) + (lane * stored.itemsize if varying else 0)

    def _stored(self, kind: Type) -> np.dtype[Any]:
        """The dtype in memory: a bool is a byte, 0 or 1; addresses have the size of the target's."""
        if isinstance(kind, Pointer | Reference | FunctionType):
            return np.dtype(f"u{self.layout.pointer_bytes}")
        dtype = dtype_of(kind)
        return np.dtype(np.uint8) if dtype == np.bool_ else dtype

    def _view(
        self, address: int, dtype: np.dtype[Any], span: Span, count: int = 1, *, write: bool = False, lane: int | None = None
    ) -> Any:
        try:
            return self.memory.view(address, count * dtype.itemsize, write=write).view(dtype)
        except MemoryFault as fault:
            raise InterpreterError(str(fault), span, lane) from None


def _vector(type: Type) -> Vector:
    assert isinstance(type, Vector)
    return type
