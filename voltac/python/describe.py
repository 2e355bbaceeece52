"""Exported functions of a typed tree → :mod:`voltac.python.signatures`: C types become numpy dtypes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, zip_longest
from math import prod

from voltac.lower.analyses.aliasing import memory_effects
from voltac.messages.message import Span
from voltac.messages.visible import visible_name
from voltac.python.prototypes import KNOWN
from voltac.python.signatures import Apart, Format, KernelParameter, Needed, Pointee, Result, Signature
from voltac.records import replace
from voltac.sema.analyses.needed_elements import UsedElement, needed_elements
from voltac.sema.analyses.null_pointers import may_be_null
from voltac.sema.analyses.overlaps import may_be_the_same
from voltac.sema.tree import Constant, FunctionSymbol, Value, VariableSymbol
from voltac.sema.type_layout import Layout
from voltac.sema.types import (
    UNIFORM,
    VARYING,
    Array,
    Enum,
    FunctionType,
    Pointer,
    Qual,
    Reference,
    Scalar,
    Struct,
    Vector,
    Void,
    member_qual,
)


def signature(function: FunctionSymbol, layout: Layout) -> Signature:
    """What callers have to know of an exported function."""
    effects = memory_effects(function)
    parameters = tuple(
        replace(_parameter(symbol, position, layout, nullable, effects.may_be_written(symbol)), default=_default(default))
        for position, (symbol, nullable, default) in enumerate(
            zip_longest(function.parameters, may_be_null(function), function.defaults), 1
        )
    )
    elements, narrowed = needed_elements(function)
    parameters = tuple(
        replace(parameter, narrowed=_line(narrowed[number], function)) if number in narrowed else parameter
        for number, parameter in enumerate(parameters)
    )
    needed = tuple(
        _needed(one, function)
        for one in elements
        if (memory := parameters[one.parameter].memory) is not None and memory.format is not None
    )
    result = _result(function.type.result, layout)
    return Signature(function.name, result, parameters, function.documentation, needed, tuple(_apart(function, parameters)))


def _apart(function: FunctionSymbol, parameters: tuple[KernelParameter, ...]) -> Iterator[Apart]:
    effects = memory_effects(function)
    arrays = [(number, symbol) for number, symbol in enumerate(function.parameters) if parameters[number].memory is not None]
    same = may_be_the_same(function) if len(arrays) > 1 else set()
    for one, other in combinations(arrays, 2):
        if effects.is_written(one[1]) and effects.is_touched(other[1]):
            written, read = one, other
        elif effects.is_written(other[1]) and effects.is_touched(one[1]):
            written, read = other, one
        else:
            continue
        yield Apart(written[0], read[0], (written[0], read[0]) in same)


def _line(span: Span, function: FunctionSymbol) -> str:
    return f"line {span.line}" + ("" if span.file == function.span.file else f" of {visible_name(span.file)}")


def _default(value: Value | None) -> int | float | bool | None:
    """The number; the address of a function is none yet."""
    return value.value if isinstance(value, Constant) else None


def _needed(one: UsedElement, function: FunctionSymbol) -> Needed:
    place = "" if one.span is None else _line(one.span, function)
    return Needed(one.parameter, one.index, one.below_end, one.unless_empty, place)


def _parameter(symbol: VariableSymbol, position: int, layout: Layout, nullable: bool, written: bool) -> KernelParameter:
    qual = symbol.type
    name = symbol.name or f"argument{position}"
    if not isinstance(qual.type, Pointer):
        kind, bits = _scalar(qual)
        return KernelParameter(name, str(qual), kind, bits)
    pointee = qual.type.to
    if symbol.is_reference:
        return KernelParameter(name, f"{pointee} &", "pointer", 64, _memory(pointee, layout, written, at_least_one=True), False)
    kind, bits = _scalar(qual)
    if kind == "function":
        assert isinstance(pointee.type, FunctionType)
        return KernelParameter(name, str(qual), kind, bits, None, nullable, prototype=prototype(pointee.type, layout))
    return KernelParameter(name, str(qual), kind, bits, _memory(pointee, layout, written, at_least_one=False), nullable)


def prototype(function: FunctionType, layout: Layout) -> tuple[str, ...]:
    """The letters of a C function's result and parameters; none if it has others than uniform numbers and addresses."""
    letters = tuple(_letter(qual, layout) for qual in (function.result, *function.parameters))
    return letters if function.unmasked and not function.task and KNOWN.issuperset(letters) else ()


def _letter(qual: Qual, layout: Layout) -> str:
    match qual.type:
        case Void():
            return "v"
        case Reference():
            return "p"
        case Pointer() if qual.rate == UNIFORM:
            return "p"
        case Scalar() | Enum() if qual.rate == UNIFORM:
            return str(_format(qual, layout))
    return ""


def _result(qual: Qual, layout: Layout) -> Result:
    if isinstance(qual.type, Void):
        return Result("void", "void", 0)
    if isinstance(qual.type, Struct):
        return Result(str(qual), "struct", 0, _format(qual, layout), layout.size(qual))
    kind, bits = _scalar(qual)
    return Result(str(qual), kind, bits)


def _scalar(qual: Qual) -> tuple[str, int]:
    match qual.type:
        case Scalar(kind, bits):
            return kind, bits
        case Enum():
            return "uint", 32
        case Pointer(to) if _is_data(to):
            return "pointer", 64
        case Pointer():
            return "function", 64
    raise ValueError(f"{qual} cannot be passed from Python")


def _is_data(qual: Qual) -> bool:
    return isinstance(qual.type, Void | Scalar | Enum | Pointer | Array | Vector | Struct)


def _memory(pointee: Qual, layout: Layout, written: bool, at_least_one: bool) -> Pointee:
    writable = written and not pointee.const
    try:
        alignment = layout.alignment(pointee)
        element, shape, unused = _element(pointee, layout)
    except ValueError:  # declared, not defined: only its users know what it is
        return Pointee(None, 1, 1, writable, at_least_one)
    if isinstance(element.type, Void):
        return Pointee(None, 1, 1, writable, at_least_one)
    # The lanes of a gang are no rows: memory is shared out to them as it comes.
    rows = () if pointee.rate == VARYING or prod(shape) == 1 else shape
    return Pointee(_format(element, layout), prod(shape), alignment, writable, at_least_one, rows, unused)


def _element(qual: Qual, layout: Layout) -> tuple[Qual, tuple[int, ...], int]:
    """The type whose elements an array in memory consists of, the shape of one object of type ``qual``, and what is
    unused in each row of that."""
    match qual.type:
        case Array(of, count):
            element, inner, unused = _element(of, layout)
            return element, (count or 1, *inner), unused
        case Vector(of, count):
            stored = layout.size(qual) // layout.scalar_bytes(of)
            return Qual(of, UNIFORM), (stored,), 0 if qual.rate == VARYING else stored - count
        case Scalar() | Enum() | Pointer() if qual.rate == VARYING:
            return Qual(qual.type, UNIFORM), (layout.width,), 0
    return qual, (), 0


def _format(qual: Qual, layout: Layout) -> Format:
    match qual.type:
        case Scalar("bool", _):
            return "?"
        case Scalar(kind, bits):
            return {"int": "i", "uint": "u", "float": "f"}[kind] + str(bits // 8)
        case Enum():
            return "u4"
        case Struct(_, members) if members is not None:
            names, formats = [], []
            for index, member in enumerate(members):
                element, shape = _member(member_qual(qual, index), layout)
                names.append(member.name)
                formats.append([_format(element, layout), shape])
            return {
                "names": names,
                "formats": formats,
                "offsets": list(layout.offsets(qual)),
                "itemsize": layout.size(qual),
            }
    return f"u{layout.pointer_bytes}"


def _member(qual: Qual, layout: Layout) -> tuple[Qual, list[int]]:
    """Element type and shape of a struct's member."""
    match qual.type:
        case Array(of, count):
            element, shape = _member(of, layout)
            return element, [count or 0, *shape]
        case Vector(of, count):
            # An array of vectors has to step over the padding of each.
            stored = layout.size(qual) // layout.scalar_bytes(of)
            return Qual(of, UNIFORM), [count, layout.width] if qual.rate == VARYING else [stored]
        case Scalar() | Enum() | Pointer() if qual.rate == VARYING:
            return Qual(qual.type, UNIFORM), [layout.width]
    return qual, []
