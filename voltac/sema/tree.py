"""The typed tree: what ``sema`` makes of a program, and all that ``lower`` and ``interpreter`` read.

Nothing is optional and nothing is implicit: every conversion, broadcast, decay
and address is a node; overloads and templates are chosen and instantiated;
operators on structs are calls; references are pointers; ``sizeof`` and
enumerators are constants; ``p[i]`` on a pointer is ``Deref(PointerOffset(p, i))``.

A *value* is what an expression yields; its ``type`` never is const. A *place*
is storage: it is read by :class:`Load`, written by the assigning nodes.
Nodes are never changed after they are built; symbols are, and compare by identity.

The file is long because it is one table: every node stands once, and values, places and
statements refer to each other.
"""

from __future__ import annotations

from collections.abc import Iterator

from voltac.messages.message import NOWHERE, Span
from voltac.records import field, mutable_record, record
from voltac.sema.types import (
    UNIFORM,
    VARYING,
    Array,
    Enum,
    FunctionType,
    Pointer,
    Qual,
    Rate,
    Struct,
    Vector,
    member_qual,
)

# --- symbols ----------------------------------------------------------------------------------------------------


@mutable_record(eq=False)
class VariableSymbol:
    """A variable. A reference has ``is_reference`` and the type ``Qual(Pointer(target), UNIFORM)``."""

    name: str
    type: Qual
    kind: str
    """``local``, ``parameter``, ``global`` (defined here), ``extern`` (defined elsewhere) or ``static`` (both scopes)."""
    span: Span = NOWHERE
    is_reference: bool = False
    address_taken: bool = False
    assigned: bool = False
    """Written after its declaration, wholly or in part, other than through its address."""
    alignment: int = 0
    """From ``__attribute__((aligned(N)))``; 0 is natural."""
    initial: Initializer | None = None
    """Of globals and statics: made of constants only; None is zero."""
    length: Value | None = None
    """Of a parameter that is an array: how many elements its declaration says there are."""
    scratchpad: bool = False
    """A global in the memory of a device's core."""


@mutable_record(eq=False)
class FunctionSymbol:
    """A function. ``body`` is None for a prototype; library bodies are checked when first called."""

    name: str
    type: FunctionType
    mangled: str
    """Symbol of the version with a mask parameter (language 12.5), or the plain name for C linkage."""
    parameters: tuple[VariableSymbol, ...] = ()
    body: Block | None = None
    span: Span = NOWHERE
    exported: bool = False
    c_linkage: bool = False
    """``extern "C"``: plain name, C convention, no mask."""
    static: bool = False
    inline: bool = False
    no_inline: bool = False
    unmasked: bool = False
    task: bool = False
    external_only: bool = False
    weak: bool = False
    """Template instances: one copy a program."""
    library: bool = False
    """From ``stdlib/``: internal linkage, compiled only if called."""
    attributes: tuple[str, ...] = ()
    """``memory(none)``, ``memory(read)``, ``deprecated``, ``safe``; what ``attributes.py`` knows of the library's functions."""
    launches: bool = False
    """The body contains a launch: it has a task handle and syncs when it returns."""
    defaults: tuple[Value | None, ...] = ()
    """Default arguments, one for each parameter; calls in the tree have them filled in."""
    documentation: str = ""
    """The comment right above the definition, without its comment marks."""


# --- places -----------------------------------------------------------------------------------------------------


@record
class Place:
    """Storage of one object, or with a varying address one object a lane.

    ``storage`` is the type as it lies in memory: at a uniform address a varying
    int is W ints in a row. ``address_rate`` tells whether the lanes have addresses
    of their own. At a varying address with varying storage, lane l means element l
    of the row its own address designates.
    """

    span: Span
    storage: Qual
    address_rate: Rate

    @property
    def type(self) -> Qual:
        """What a load yields: varying if either the address or the storage is; soa storage yields the rate
        of the address. Keeps const. Arrays are not loaded: at a uniform address one of soa data stays that."""
        if self.address_rate is VARYING:
            return self.storage.with_rate(VARYING)
        if self.storage.rate.kind == "soa" and type(self.storage.type) is not Array:
            return self.storage.with_rate(UNIFORM)
        return self.storage


@record
class Variable(Place):
    """A variable as a place: of the gang, whatever its rate."""

    symbol: VariableSymbol


@record
class Deref(Place):
    """What a pointer points to; ``address_rate`` is the pointer's rate, ``storage`` its pointee."""

    pointer: Value
    of_reference: bool = False
    """The pointer is a reference, as overload resolution wants to know."""


@record
class Element(Place):
    """``aggregate[index]`` of an array or a short vector; ``index`` is of any integer type, not bounds-checked.

    A signed index is sign-extended to the address width, an unsigned one zero-extended.
    """

    aggregate: Place
    index: Value


@record
class MemberPlace(Place):
    """Member number ``index`` of a struct."""

    struct: Place
    index: int


@record
class Temporary(Place):
    """A fresh local object holding ``value``: where a value needs an address or a member of it is taken."""

    value: Value


def variable(symbol: VariableSymbol, span: Span) -> Variable:
    """The place of a variable (of the pointer itself for a reference)."""
    return Variable(span, symbol.type, UNIFORM, symbol)


def deref(pointer: Value, span: Span, of_reference: bool = False) -> Deref:
    """The place that a pointer value leads to."""
    assert isinstance(pointer.type.type, Pointer)
    return Deref(span, pointer.type.type.to, pointer.type.rate, pointer, of_reference)


def element(aggregate: Place, index: Value, span: Span) -> Element:
    """An element of an array or short vector; a varying index makes it a place for each lane."""
    match aggregate.storage.type:
        case Array(of, _):
            storage = of
        case Vector(of, _):
            storage = Qual(of, aggregate.storage.rate, aggregate.storage.const)
        case _:
            raise TypeError("only arrays and short vectors have elements")
    rate = VARYING if index.type.rate is VARYING else aggregate.address_rate
    return Element(span, storage, rate, aggregate, index)


def counts_slots(aggregate: Place) -> bool:
    """Whether an index counts the elements of soa blocks in a row, not parts of something within a block."""
    array = aggregate.storage.type
    if not isinstance(array, Array) or array.element.rate.kind != "soa" or not isinstance(array.element.type, Struct):
        return False
    place = aggregate
    while isinstance(place, Element):
        place = place.aggregate
    return isinstance(place, Variable) or (isinstance(place, MemberPlace) and place.struct.storage.rate.kind != "soa")


def member_place(struct: Place, index: int, span: Span) -> MemberPlace:
    """A member of a struct, by its number."""
    assert isinstance(struct.storage.type, Struct)
    return MemberPlace(span, member_qual(struct.storage, index), struct.address_rate, struct, index)


# --- values -----------------------------------------------------------------------------------------------------


@record
class Value:
    """An expression that yields a value of ``type``; what it reads is in it as a place."""

    span: Span
    type: Qual


@record
class Constant(Value):
    """A number, bool, enumerator or null pointer (``value`` 0); at a varying rate the same in all lanes.

    Integers are in the range of their type; float values are rounded to it.
    """

    value: int | float | bool


@record
class ProgramIndex(Value):
    """``programIndex``: varying int32, 0 .. W-1."""


@record
class ActiveMask(Value):
    """``__mask``: all bits set in active lanes; bool for 1-bit masks, else an unsigned integer of the mask's width."""


@record
class TaskVariable(Value):
    """``taskIndex``, ``taskCount0``, ``threadIndex`` ...: uniform uint32, inside tasks only."""

    name: str


@record
class Load(Value):
    """Reads a place. A varying place is read for active lanes only where its address is varying."""

    place: Place


@record
class AddressOf(Value):
    """Pointer to a place, at the place's ``address_rate``. The decay of an array is the address of its element 0."""

    place: Place


@record
class FunctionAddress(Value):
    """Uniform pointer to (the masked version of) a function."""

    function: FunctionSymbol


@record
class Convert(Value):
    """Conversion at equal rate: between scalars, enums and scalars, pointers, integers and pointers,
    anything scalar to bool (``!= 0``), and element-wise between short vectors of one length (language 6.2)."""

    value: Value


@record
class Broadcast(Value):
    """Uniform to varying of the same type: scalars, enums, pointers, short vectors, structs member-wise."""

    value: Value


@record
class Splat(Value):
    """Scalar to a short vector of the same element type and rate."""

    value: Value


@record
class Unary(Value):
    """``-`` on numbers, ``~`` on integers, ``!`` on bools; element-wise on short vectors."""

    operator: str
    operand: Value


@record
class Binary(Value):
    """``+ - * / % << >> & | ^`` and comparisons on two values of one type and rate; comparisons yield bool.

    Element-wise on short vectors. Comparisons take pointers too. Shifts have the
    right operand converted to the type of the left.
    """

    operator: str
    left: Value
    right: Value


@record
class PointerOffset(Value):
    """``pointer + index`` in elements of the pointee's storage size; varying if either is.

    ``pointer`` and ``index`` may differ in rate: a uniform base with a varying index
    is the form the access analysis likes best, so it is not broadcast. Extension of
    the index as for :class:`Element`.
    """

    pointer: Value
    index: Value
    negative: bool = False
    """Subtract the index instead."""


@record
class PointerDifference(Value):
    """``left - right`` in elements, of the type in ``type``."""

    left: Value
    right: Value


@record
class Logical(Value):
    """``&&`` or ``||`` on bools of one rate, short-circuiting; for varying ones the right side runs
    with the mask of the lanes that still need it. On ``bool<N>`` both sides are evaluated."""

    operator: str
    left: Value
    right: Value


@record
class Conditional(Value):
    """``test ? then : otherwise``; both sides of one type. With a ``bool<N>`` test: element-wise, both evaluated."""

    test: Value
    then: Value
    otherwise: Value


@record
class Assign(Value):
    """``place = value``; yields the value. Masked where the place is varying."""

    place: Place
    value: Value


@record
class CompoundAssign(Value):
    """``place op= value``: the place is evaluated once, the operation done in the place's type.

    ``operator`` is without the ``=``. For pointers ``value`` is an integer index; for
    the others it has the place's type and rate (for shifts too).
    """

    operator: str
    place: Place
    value: Value


@record
class Increment(Value):
    """``++`` or ``--``; ``prefix`` yields the new value, else the old. Works on numbers, enums and pointers."""

    place: Place
    operator: str
    prefix: bool


@record
class Comma(Value):
    """Both are evaluated, in order; the second is the value."""

    first: Value
    second: Value


@record
class Swizzle(Value):
    """Elements ``indices`` of a short vector value, as a short vector; of length 1: still a vector."""

    value: Value
    indices: tuple[int, ...]


@record
class Call(Value):
    """Arguments are of exactly the parameter types; a reference parameter gets the address."""

    function: FunctionSymbol
    arguments: tuple[Value, ...]


@record
class CallPointer(Value):
    """Call through a function pointer; a varying one is called once for each distinct target."""

    pointer: Value
    arguments: tuple[Value, ...]


@record
class Builtin(Value):
    """A row of ``sema/builtins/``: what the library is made of. ``elements`` is the T it was chosen for."""

    name: str
    arguments: tuple[Value, ...]


@record
class Intrinsic(Value):
    """``@llvm.name(...)`` (language 8.10)."""

    name: str
    arguments: tuple[Value, ...]


@record
class New(Value):
    """``type`` is the pointer. ``count`` (None for one object) has the pointer's rate and type int64."""

    count: Value | None
    initial: Initializer | None


@record
class Alloca(Value):
    """Memory of the stack until the function returns; a uniform ``void *``."""

    size: Value
    """Uniform int64 bytes."""


@record
class Launch(Value):
    """``counts`` are three uniform int32; ``function`` is a task or a uniform pointer to one. Yields void."""

    function: FunctionSymbol | Value
    counts: tuple[Value, Value, Value]
    arguments: tuple[Value, ...]


@record
class Aggregate:
    """``{...}`` for an array, struct or short vector of type ``type``; missing elements are zero."""

    span: Span
    type: Qual
    elements: tuple[Initializer, ...]


@record
class LaneList:
    """``{...}`` for a varying scalar: ``elements`` are W uniform values of its type, lane 0 first."""

    span: Span
    type: Qual
    elements: tuple[Value, ...]


Initializer = Value | Aggregate | LaneList


# --- statements -------------------------------------------------------------------------------------------------


@record
class Statement:
    """What is executed; ``span`` is its place for debuggers and messages."""

    span: Span


@record
class Block(Statement):
    """Statements one after the other; names are resolved, so it is no scope."""

    statements: tuple[Statement, ...]


@record
class Declare(Statement):
    """A local variable comes into being; all lanes are initialised."""

    symbol: VariableSymbol
    initial: Initializer | None


@record
class Evaluate(Statement):
    """An expression for its effects."""

    value: Value


@record
class If(Statement):
    """``test`` is a bool; its rate decides between a jump and masks."""

    test: Value
    then: Statement
    otherwise: Statement | None
    coherent: bool


@record
class Loop(Statement):
    """``for``, ``while`` (no ``step``) and ``do`` (``test_first`` false). ``test`` None is true for ever.

    What ``for`` declares stands in a Block around the loop. ``unroll``: 0 forbids, -1
    asks for full unrolling, n > 0 for n copies, None leaves it open.
    """

    test: Value | None
    step: Value | None
    body: Statement
    test_first: bool
    coherent: bool
    unroll: int | None


@record
class ForeachDimension:
    """``symbol`` (const varying int32) runs from ``first`` up to but not including ``last`` (uniform int32)."""

    symbol: VariableSymbol
    first: Value
    last: Value


@record
class Foreach(Statement):
    """Dimensions in source order, the last one innermost (language 9.5)."""

    dimensions: tuple[ForeachDimension, ...]
    body: Statement
    tiled: bool
    unroll: int | None


@record
class ForeachActive(Statement):
    """``symbol``: const uniform int64, the lane."""

    symbol: VariableSymbol
    body: Statement


@record
class ForeachUnique(Statement):
    """``symbol``: const uniform, of the type of ``value`` (varying)."""

    symbol: VariableSymbol
    value: Value
    body: Statement


@record
class Switch(Statement):
    """``labels`` are the values of all cases inside (None for default), for uniform dispatch and the mask of default."""

    value: Value
    labels: tuple[int | None, ...]
    body: Statement


@record
class CaseLabel(Statement):
    """``case value:``, or ``default:`` with None; belongs to the innermost switch."""

    value: int | None


@record
class Label(Statement):
    """Where ``goto`` leads."""

    name: str


@record
class Goto(Statement):
    """To the label of the name in this function, under uniform control flow."""

    name: str


@record
class Break(Statement):
    """Lanes that are on leave the innermost loop or switch."""


@record
class Continue(Statement):
    """Lanes that are on go on with the next iteration of the innermost loop."""


@record
class Return(Statement):
    """Lanes that are on leave the function; ``value`` has its result's type."""

    value: Value | None


@record
class Unmasked(Statement):
    """The body begins with all lanes on."""

    body: Statement


@record
class Print(Statement):
    """``pieces`` are the texts around the percent signs: one more than ``arguments``."""

    pieces: tuple[str, ...]
    arguments: tuple[Value, ...]


@record
class Assert(Statement):
    """``message`` is the whole text that is written if ``test`` (a bool) is false."""

    test: Value
    message: str


@record
class Sync(Statement):
    """Wait for the tasks that this call of the function launched."""


@record
class Delete(Statement):
    """Give back what ``new`` made; of a varying pointer, for each lane that is on. NULL is nothing."""

    pointer: Value


# --- program ----------------------------------------------------------------------------------------------------


@mutable_record
class Program:
    """A checked file. ``functions`` holds every function with a body that was checked, library ones included."""

    functions: list[FunctionSymbol] = field(default_factory=list)
    globals: list[VariableSymbol] = field(default_factory=list)
    """Globals and statics of both scopes, and the extern ones that are used."""
    exported_types: list[Struct | Enum | Vector] = field(default_factory=list)
    """From ``export { ... };``, for the header."""
    declared: list[FunctionSymbol] = field(default_factory=list)
    """Exported and C functions that were declared, by prototypes; some are defined too."""
    file: str = ""

    @property
    def exports(self) -> Iterator[FunctionSymbol]:
        """The functions that C and Python call by their names."""
        return (function for function in self.functions if function.exported)

    @property
    def entries(self) -> Iterator[FunctionSymbol]:
        """What C programs may call: exported functions and C functions that are defined here."""
        for function in self.functions:
            if function.exported or (function.c_linkage and function.body is not None and not function.static):
                yield function
