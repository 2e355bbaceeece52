"""Conversions: which are possible (language 6.2, a table of rows), and the nodes that perform them.

A row answers, for the class of the source type and that of the target type, why a
conversion is not possible; an empty text means it is. Rates are checked apart:
uniform goes to varying, never back.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.messages.message import Span
from voltac.sema import constant_folding, tree
from voltac.sema.checker import Checker, declared_here
from voltac.sema.types import (
    BOOL,
    INT32,
    UINT32,
    UNIFORM,
    VARYING,
    Array,
    Enum,
    Pointer,
    Qual,
    Scalar,
    Struct,
    Type,
    Vector,
    Void,
    same_but_const,
    same_type,
)

Row = Callable[[Type, Type], str]


def _allowed(source: Type, target: Type) -> str:
    return ""


def _enum_from_number(source: Type, target: Type) -> str:
    return "a number becomes an enum only by a cast"


def _enum_to_enum(source: Type, target: Type) -> str:
    return "" if source is target else "these are two unrelated enums"


def _vectors(source: Type, target: Type) -> str:
    assert isinstance(source, Vector) and isinstance(target, Vector)
    return "" if source.count == target.count else "the vector lengths differ"


def _structs(source: Type, target: Type) -> str:
    return "" if source is target else "these are two different structs"


def _number_to_pointer(source: Type, target: Type) -> str:
    of_variable = "the address of a variable is taken by '&'"
    if isinstance(source, Scalar) and not source.is_integer:
        return f"a number is no pointer; {of_variable}"
    return f"an integer other than the constant 0 becomes a pointer only by a cast; {of_variable}"


def _pointer_to_number(source: Type, target: Type) -> str:
    if target is BOOL or target == BOOL:
        return ""
    assert isinstance(source, Pointer) and isinstance(target, Scalar)
    to = source.to.type
    element = "; the number that it points to is 'p[i]' or '*p'" if isinstance(to, Scalar | Enum) else ""
    only = "an address becomes an integer only by a cast" if target.is_integer else "an address is no floating-point number"
    return only + element


def _pointers(source: Type, target: Type) -> str:
    assert isinstance(source, Pointer) and isinstance(target, Pointer)
    if same_but_const(source, target):
        return ""
    if isinstance(target.to.type, Void):
        if source.to.rate.kind == "soa":
            return "the void pointer would lose the slot number of a slice pointer"
        if source.to.const and not target.to.const:
            return f"the pointee is const: '{source.to}'"
        return ""
    if isinstance(source.to.type, Void):
        return "a void pointer becomes another pointer only by a cast"
    if source.to.rate.kind == "soa" and target.to.rate.kind != "soa":
        return f"a slice pointer is no plain pointer; write '{Pointer(source.to)}'"
    if isinstance(source.to.type, Array) and isinstance(target.to.type, Array):
        if None in (source.to.type.count, target.to.type.count) and same_type(source.to.type.element, target.to.type.element):
            return ""
    there, here = source.to, target.to
    if there.rate is not here.rate and same_type(there.with_rate(here.rate), here):
        return (
            f"it points to {there.rate} data, '{target}' to {here.rate} data; write '{Pointer(there.with_const(here.const))}'"
        )
    rows = isinstance(source.to.type, Array) and same_type(source.to.type.element, target.to)
    return "the pointer types are unrelated" + ("; '[0]' behind it is its first row" if rows else "")


_NUMBERS: tuple[type, ...] = (Scalar, Enum)

IMPLICIT: dict[tuple[type, type], Row] = {
    (Scalar, Scalar): _allowed,
    (Scalar, Enum): _enum_from_number,
    (Scalar, Vector): _allowed,
    (Scalar, Pointer): _number_to_pointer,
    (Enum, Scalar): _allowed,
    (Enum, Enum): _enum_to_enum,
    (Enum, Vector): _allowed,
    (Enum, Pointer): _number_to_pointer,
    (Vector, Vector): _vectors,
    (Struct, Struct): _structs,
    (Pointer, Pointer): _pointers,
    (Pointer, Scalar): _pointer_to_number,
    (Array, Array): lambda source, target: "" if same_but_const(source, target) else "arrays do not convert",
}
"""(class of the source, class of the target) -> row, for conversions that need no cast."""


def _cast_pointers(source: Type, target: Type) -> str:
    assert isinstance(source, Pointer) and isinstance(target, Pointer)
    if source.to.rate.kind == "soa" and target.to.rate.kind != "soa":
        if isinstance(target.to.type, Void):
            return "the void pointer would lose the slot number of a slice pointer"
        return "a slice pointer is no plain pointer"
    return ""


def _pointer_and_integer(source: Type, target: Type) -> str:
    number = target if isinstance(source, Pointer) else source
    if isinstance(number, Scalar) and number.kind == "float":
        return "pointers and floating-point numbers have no conversion"
    return ""


EXPLICIT: dict[tuple[type, type], Row] = IMPLICIT | {
    (Scalar, Enum): _allowed,
    (Enum, Enum): _allowed,
    (Scalar, Pointer): _pointer_and_integer,
    (Enum, Pointer): _pointer_and_integer,
    (Pointer, Scalar): _pointer_and_integer,
    (Pointer, Pointer): _cast_pointers,
}
"""The same for casts."""


_VARYING_TO_UNIFORM = "a varying value does not fit a uniform one"
_ONE_VALUE = "; declare both alike, or make one value of all lanes: reduce_add(), extract(), ..."


def _remedy(value: tree.Value, reason: str) -> str:
    """What to write where a varying value is to be uniform, as the end of a message."""
    if reason is not _VARYING_TO_UNIFORM:
        return ""
    return "; 'new' allocates in each lane, 'uniform new' once" if type(value) is tree.New else _ONE_VALUE


def argument_remedy(reason: str) -> str:
    """The same for an argument of the only function that may be meant."""
    if reason is not _VARYING_TO_UNIFORM:
        return ""
    return "; make the parameter varying, or one value of all lanes: reduce_add(), extract(), ..."


def obstacle(source: Qual, target: Qual, rows: dict[tuple[type, type], Row]) -> str:
    """Why the conversion is impossible; empty if it is possible."""
    if source.type is not target.type:
        row = rows.get((type(source.type), type(target.type)))
        if row is None:
            if isinstance(source.type, Void) or isinstance(target.type, Void):
                return "there is no conversion with void"
            if not same_but_const(source.type, target.type):
                return "there is no such conversion"
        else:
            reason = row(source.type, target.type)
            if reason:
                return reason
    if source.rate is target.rate or (source.rate is UNIFORM and target.rate is VARYING):
        return ""
    if source.rate is VARYING and target.rate is UNIFORM:
        return _VARYING_TO_UNIFORM
    return f"'{source.rate}' does not convert to '{target.rate}'"


def is_null(value: tree.Value) -> bool:
    """A constant integer 0 or ``NULL``: converts to every pointer."""
    if type(value) is not tree.Constant or value.value != 0:
        return False
    kind = value.type.type
    if isinstance(kind, Pointer):
        return isinstance(kind.to.type, Void)
    return isinstance(kind, Scalar) and kind.is_integer


def convert(checker: Checker, value: tree.Value, target: Qual, place: str, span: Span | None = None) -> tree.Value:
    """The implicit conversion to ``target``; a mistake if there is none. ``place`` asks for it ("assignment")."""
    source = value.type
    if source is target:
        return value
    wanted = target.with_const(False) if target.const else target
    if source == wanted:
        return value
    if isinstance(wanted.type, Pointer) and is_null(value):
        return tree.Constant(value.span, wanted, 0)
    reason = obstacle(source, wanted, IMPLICIT)
    if reason:
        text = f"{place}: cannot convert '{source}' to '{wanted}': {reason}{_remedy(value, reason)}"
        checker.reject("conversion", span or value.span, text, declared_here(checker.converted_for, "is declared here"))
    if isinstance(source.type, Pointer) and isinstance(wanted.type, Pointer):
        if _loses_const(source.type, wanted.type):
            checker.warning("const", span or value.span, f"{place}: const is lost converting '{source}' to '{wanted}'")
    elif isinstance(source.type, Scalar) and isinstance(wanted.type, Scalar):
        _warn_slow(checker, source.type, wanted.type, wanted, value)
    return build(value, wanted)


def _loses_const(source: Pointer, target: Pointer) -> bool:
    return source.to.const and not target.to.const and not isinstance(target.to.type, Void)


def _warn_slow(checker: Checker, source: Scalar, target: Scalar, result: Qual, value: tree.Value) -> None:
    """Unsigned integers and floating point have no direct instruction before AVX-512."""
    if value.type.rate is not VARYING or checker.target.has_mask_registers:
        return
    for one, other in ((source, target), (target, source)):
        if one.kind == "uint" and one.bits >= 32 and other.kind == "float":
            checker.performance_warning(
                value.span,
                f"the conversion of '{value.type}' to '{result}' is slow on this target; use the signed type 'int{one.bits}'",
            )


def cast(checker: Checker, value: tree.Value, target: Qual, span: Span) -> tree.Value:
    """The explicit conversion ``(target)value``."""
    wanted = target.with_const(False)
    source = value.type
    if source == wanted:
        return value
    if isinstance(wanted.type, Pointer) and is_null(value):
        return tree.Constant(value.span, wanted, 0)
    if isinstance(wanted.type, Void):
        return tree.Convert(span, wanted, value)
    reason = obstacle(source, wanted, EXPLICIT)
    if reason:
        remedy = _ONE_VALUE if reason is _VARYING_TO_UNIFORM else ""
        checker.reject("impossible-cast", span, f"cannot cast '{source}' to '{wanted}': {reason}{remedy}")
    if isinstance(source.type, Pointer) and isinstance(wanted.type, Scalar) and wanted.type is not BOOL:
        if wanted.type.bits < checker.target.pointer_bits:
            checker.warning("cast", span, f"'{wanted}' is too small for a pointer of type '{source}'")
    return build(value, wanted)


def build(value: tree.Value, target: Qual) -> tree.Value:
    """The nodes of a conversion known to be possible."""
    source = value.type
    kind = target.type
    if source.type is not kind and source.type != kind:
        if isinstance(kind, Vector) and not isinstance(source.type, Vector):
            value = tree.Splat(value.span, Qual(kind, source.rate), build(value, Qual(kind.element, source.rate)))
        elif isinstance(source.type, Array):
            return value
        else:
            value = _convert(value, Qual(kind, source.rate))
    if value.type.rate is not target.rate:
        value = broadcast(value, target)
    return value


def _convert(value: tree.Value, target: Qual) -> tree.Value:
    if type(value) is tree.Constant:
        folded = constant_folding.convert(value.value, value.type.type, target.type)
        if folded is not None:
            return tree.Constant(value.span, target, folded)
    return tree.Convert(value.span, target, value)


def broadcast(value: tree.Value, target: Qual) -> tree.Value:
    """From uniform to the rate of ``target``, of the same type."""
    if type(value) is tree.Constant:
        return tree.Constant(value.span, target, value.value)
    return tree.Broadcast(value.span, target, value)


def spread(value: tree.Value) -> tree.Value:
    """The value at varying rate."""
    if value.type.rate is VARYING:
        return value
    return broadcast(value, Qual(value.type.type, VARYING))


def to_bool(checker: Checker, value: tree.Value, place: str) -> tree.Value:
    """A condition: anything scalar, ``!= 0``. Keeps the rate."""
    kind = value.type.type
    if kind is BOOL:
        return value
    if isinstance(kind, Vector):
        checker.reject(
            "operand", value.span, f"{place}: a vector of type '{value.type}' cannot be tested; combine its elements first"
        )
    if not isinstance(kind, (Scalar, Enum, Pointer)):
        checker.reject("operand", value.span, f"{place}: '{value.type}' is no condition; a bool, number, enum or pointer is")
    return build(value, Qual(BOOL, value.type.rate))


def is_constant(value: object, wanted: bool) -> bool:
    """Whether an operand is a constant that is true, or false, as a condition."""
    return type(value) is tree.Constant and isinstance(value.value, (bool, int, float)) and bool(value.value) is wanted


def index_value(checker: Checker, index: tree.Value) -> tree.Value:
    """What may stand between brackets or beside a pointer: bools and floats convert to int32, enums to uint32."""
    kind = index.type.type
    if isinstance(kind, Scalar):
        return index if kind.is_integer else build(index, Qual(INT32, index.type.rate))
    if isinstance(kind, Enum):
        return build(index, Qual(UINT32, index.type.rate))
    checker.reject("operand", index.span, f"'{index.type}' is no index; an integer is")
