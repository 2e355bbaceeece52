"""The types of the language, and :class:`Qual`: a type with its rate and constness.

The rate (uniform, varying, soa) stands *outside* the type, so that the rules of
uniform and varying are one table instead of a case in every type. Types are
immutable and compare by structure, except structs and enums, which are nominal.

Conventions:

* an array's ``Qual`` has the rate and constness of its element;
* a struct member keeps its declared ``Qual``; an unqualified one has rate
  ``UNBOUND`` and takes the rate of the object (:func:`member_qual`);
* references exist in signatures only: the typed tree has pointers instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property

from voltac.records import field, mutable_record, record


@record(eq=False)
class Rate:
    """How many values an object has: one a gang, one a lane, or soa blocks of ``width``.

    One object a rate (:func:`soa` interns), so rates compare by identity.
    """

    kind: str
    width: int = 0

    def __str__(self) -> str:
        return {"soa": f"soa<{self.width}>", "unbound": "/*unbound*/"}.get(self.kind, self.kind)


UNIFORM = Rate("uniform")
VARYING = Rate("varying")
UNBOUND = Rate("unbound")


@cache
def soa(width: int) -> Rate:
    """The rate ``soa<width>``."""
    return Rate("soa", width)


@record
class Void:
    """No value, or a pointee of unknown type."""

    def __str__(self) -> str:
        return "void"


@record
class Scalar:
    """``kind`` is ``bool``, ``int``, ``uint`` or ``float``; a bool has 8 ``bits``, its size in memory."""

    kind: str
    bits: int

    @property
    def is_integer(self) -> bool:
        """Signed or unsigned; no bool."""
        return self.kind in ("int", "uint")

    @property
    def is_signed(self) -> bool:
        """Integers only: floats are not called signed."""
        return self.kind == "int"

    def __str__(self) -> str:
        if self.kind == "bool":
            return "bool"
        if self.kind == "float":
            return {16: "float16", 32: "float", 64: "double"}[self.bits]
        return ("unsigned " if self.kind == "uint" else "") + f"int{self.bits}"


@mutable_record(eq=False)
class Enum:
    """An enumeration, represented as uint32. Nominal: two definitions are two types."""

    name: str
    values: dict[str, int] = field(default_factory=dict)
    is_local: bool = False
    """Declared within a function, so that other types may have its name."""

    def __str__(self) -> str:
        return f"enum {self.name}" if self.name else "enum"


@record
class Pointer:
    """A pointer to ``to``; where ``to`` has an soa rate it is a slice pointer (block address and slot)."""

    to: Qual

    def __str__(self) -> str:
        return f"{self.to} *"


@record
class Reference:
    """Of variables, parameters, members and results; expressions of it are places (5.6)."""

    to: Qual

    def __str__(self) -> str:
        return f"{self.to} &"


@record
class Array:
    """``count`` is None while the size is unknown (``T a[]``)."""

    element: Qual
    count: int | None

    def __str__(self) -> str:
        sizes, inner = "", self.element
        here: Array | None = self
        while here is not None:
            sizes += f"[{'' if here.count is None else here.count}]"
            inner = here.element
            here = inner.type if isinstance(inner.type, Array) else None
        return f"{inner.type}{sizes}"


@record
class Vector:
    """A short vector ``element<count>`` of scalars."""

    element: Scalar
    count: int

    def __str__(self) -> str:
        return f"{self.element}<{self.count}>"


@record
class StructMember:
    """A member of a struct; its rate may be open, and is the struct's then."""

    name: str
    qual: Qual
    early: bool = False
    """A pointer to a struct that was declared before, and not yet defined when the member was."""


@mutable_record(eq=False)
class Struct:
    """Nominal. ``members`` is None until the definition is complete; ``alignment`` 0 means natural."""

    name: str
    members: tuple[StructMember, ...] | None = None
    alignment: int = 0
    mistaken: bool = False
    """The definition has mistakes: not all members are known."""
    forward: bool = False
    """Declared before it is defined."""
    is_local: bool = False
    """Declared within a function, so that other types may have its name."""

    def __str__(self) -> str:
        return f"struct {self.name}"

    @cached_property
    def indices(self) -> dict[str, int]:
        """Member name -> index; only for complete structs."""
        return {member.name: index for index, member in enumerate(self.members or ())}


@record
class FunctionType:
    """The type of a function, as seen by callers."""

    result: Qual
    parameters: tuple[Qual, ...]
    unmasked: bool = False
    """No hidden mask parameter: ``unmasked``, ``extern "C"``, or a task."""
    task: bool = False

    def __str__(self) -> str:
        qualifier = "task " if self.task else "unmasked " if self.unmasked else ""
        return f"{qualifier}{self.result}({', '.join(map(str, self.parameters))})"


@record
class TypeParameter:
    """A type parameter of a template, in the patterns arguments are matched with; never in a typed tree."""

    name: str

    def __str__(self) -> str:
        return self.name


@record
class VectorPattern:
    """``T<N>`` where T or N is a template parameter (``count`` its name); never in a typed tree."""

    element: Scalar | TypeParameter
    count: int | str

    def __str__(self) -> str:
        return f"{self.element}<{self.count}>"


@record
class ArrayPattern:
    """``T a[N]`` where N is a template parameter, or empty for an expression of some; never in a typed tree."""

    element: Qual
    count: str

    def __str__(self) -> str:
        return f"{self.element.type}[{self.count or '...'}]"


_Pattern = TypeParameter | VectorPattern | ArrayPattern
Type = Void | Scalar | Enum | Pointer | Reference | Array | Vector | Struct | FunctionType | _Pattern


@record
class Qual:
    """A type as an object has it: with its rate and whether it may be assigned."""

    type: Type
    rate: Rate = UNIFORM
    const: bool = False

    @property
    def is_varying(self) -> bool:
        """A value for each lane."""
        return self.rate is VARYING

    @property
    def is_uniform(self) -> bool:
        """One value for the gang."""
        return self.rate is UNIFORM

    def with_rate(self, rate: Rate) -> Qual:
        """The same type at another rate; reaches into arrays down to their element."""
        if self.rate is rate:
            return self
        if isinstance(self.type, Array):
            return Qual(Array(self.type.element.with_rate(rate), self.type.count), rate, self.const)
        return Qual(self.type, rate, self.const)

    def with_const(self, const: bool) -> Qual:
        """The same type, const or not; reaches into arrays down to their element."""
        if self.const == const:
            return self
        if isinstance(self.type, Array):
            return Qual(Array(self.type.element.with_const(const), self.type.count), self.rate, const)
        return Qual(self.type, self.rate, const)

    def __str__(self) -> str:
        """The spelling of section 5.3 of the language: rate first, then the type, pointers to the right."""
        const = "const " if self.const else ""
        match self.type:
            case Void():
                return const + "void"
            case Pointer(to):
                return f"{to} * {const}{self.rate}"
            case Reference(to):
                return f"{to} &"
            case FunctionType():
                return str(self.type)
            case _:
                return f"{const}{self.rate} {self.type}"


VOID = Void()
BOOL = Scalar("bool", 8)
INT8, INT16, INT32, INT64 = (Scalar("int", bits) for bits in (8, 16, 32, 64))
UINT8, UINT16, UINT32, UINT64 = (Scalar("uint", bits) for bits in (8, 16, 32, 64))
FLOAT16, FLOAT, DOUBLE = (Scalar("float", bits) for bits in (16, 32, 64))

ATOMIC_TYPES: dict[str, Scalar] = {
    "bool": BOOL,
    "int8": INT8,
    "int16": INT16,
    "int32": INT32,
    "int64": INT64,
    "uint8": UINT8,
    "uint16": UINT16,
    "uint32": UINT32,
    "uint64": UINT64,
    "float16": FLOAT16,
    "float": FLOAT,
    "double": DOUBLE,
}
"""Keyword -> type, for every atomic type but void."""

PROMOTION_ORDER: tuple[Scalar, ...] = (
    BOOL, INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT16, FLOAT, INT64, UINT64, DOUBLE,
)  # fmt: skip
"""The usual arithmetic conversions go to the later of two types in this order (language 6.1)."""

VOID_QUAL = Qual(VOID)
VARYING_INT32 = Qual(INT32, VARYING)


def uniform(type: Type) -> Qual:
    """The type at rate uniform."""
    return Qual(type, UNIFORM)


def varying(type: Type) -> Qual:
    """The type at rate varying."""
    return Qual(type, VARYING)


def member_qual(struct: Qual, index: int) -> Qual:
    """The Qual of a member as the object ``struct`` has it: unbound members take its rate, const is inherited."""
    assert isinstance(struct.type, Struct) and struct.type.members is not None
    declared = struct.type.members[index].qual
    bound = declared.with_rate(struct.rate) if declared.rate is UNBOUND else declared
    return bound.with_const(True) if struct.const and not bound.const else bound


def joint_rate(quals: Sequence[Qual]) -> Rate:
    """Varying if any is varying, else uniform."""
    return VARYING if any(qual.rate is VARYING for qual in quals) else UNIFORM


# --- equal but for const ----------------------------------------------------------------------------------------


def same_type(left: Qual, right: Qual) -> bool:
    """Equal but for const, at any depth."""
    return left.rate is right.rate and same_but_const(left.type, right.type)


def same_but_const(left: Type, right: Type) -> bool:
    """Equal but for const of what they lead to or consist of."""
    if left is right or left == right:
        return True
    match left, right:
        case Pointer(to), Pointer(other):
            return same_type(to, other)
        case Reference(to), Reference(other):
            return same_type(to, other)
        case Array(element, count), Array(of, number):
            return count == number and same_type(element, of)
        case FunctionType(result), FunctionType(other):
            is_alike = (left.unmasked, left.task) == (right.unmasked, right.task)
            return is_alike and same_type(result, other) and same_parameters(left, right)
    return False


def same_parameters(left: FunctionType, right: FunctionType) -> bool:
    """Whether calls could not choose between two functions but by const."""
    return len(left.parameters) == len(right.parameters) and all(map(same_type, left.parameters, right.parameters))
