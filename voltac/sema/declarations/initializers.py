"""Initial values (language 7.2): brace lists for arrays, structs, vectors and lanes; what counts as constant."""

from __future__ import annotations

from voltac.messages.message import Span
from voltac.sema import constant_folding, tree
from voltac.sema.checker import Checker, Operand, Rejected
from voltac.sema.operands import address_of, convert_operand, is_reference, operand_qual
from voltac.sema.scopes import FunctionSet
from voltac.sema.types import (
    UNIFORM,
    VARYING,
    Array,
    Enum,
    Pointer,
    Qual,
    Reference,
    Scalar,
    Struct,
    Vector,
    member_qual,
)
from voltac.syntax import ast


def initialize(checker: Checker, qual: Qual, node: ast.Initializer, place: str) -> tree.Initializer:
    """The initial value of an object of type ``qual``; unsized arrays are completed before."""
    if isinstance(node, ast.InitializerList):
        return check_initializer(checker, qual, node, place)
    if isinstance(qual.type, Reference):
        return bind_reference(checker, qual.type.to, node, place)
    return _from_operand(checker, qual, checker.expression(node), node, place)


def _from_operand(checker: Checker, qual: Qual, operand: Operand, node: ast.Expression, place: str) -> tree.Initializer:
    if isinstance(qual.type, Array):
        checker.reject("initializer", node.span, f"{place}: an array of type '{qual}' needs a list of values in braces")
    return convert_operand(checker, operand, qual, place, node.span)


def allocated(checker: Checker, qual: Qual, values: tuple[ast.Initializer, ...], span: Span) -> tree.Initializer:
    """``new T(values)``: a list of values for a T; a single one may be a T itself."""
    only = values[0]
    if len(values) > 1 or (isinstance(qual.type, Struct) and isinstance(only, ast.InitializerList)):
        return check_initializer(checker, qual, ast.InitializerList(span, values), "new")
    if isinstance(only, ast.InitializerList) or not isinstance(qual.type, Struct):
        return initialize(checker, qual, only, "new")
    operand = checker.expression(only)
    if not qual.type.members or (not isinstance(operand, FunctionSet) and operand_qual(operand).type == qual.type):
        return _from_operand(checker, qual, operand, only, "new")
    return tree.Aggregate(span, qual, (_from_operand(checker, member_qual(qual, 0), operand, only, "new"),))


def check_initializer(checker: Checker, qual: Qual, node: ast.InitializerList, place: str) -> tree.Initializer:
    """``{...}``, by what it initialises."""
    if qual.rate.kind == "soa":
        return _soa_list(checker, qual, node, place)
    kind = qual.type
    if isinstance(kind, Array):
        assert kind.count is not None
        _limit(checker, kind.count, node, f"the array '{qual}'")
        return tree.Aggregate(node.span, qual, tuple(initialize(checker, kind.element, one, place) for one in node.elements))
    if isinstance(kind, Struct):
        members = _defined_members(checker, kind, node)
        _limit(checker, members, node, str(kind))
        quals = [member_qual(qual, index) for index in range(len(node.elements))]
        elements = tuple(initialize(checker, of, one, place) for of, one in zip(quals, node.elements))
        return tree.Aggregate(node.span, qual, elements)
    if isinstance(kind, Vector):
        _limit(checker, kind.count, node, f"the vector '{qual}'")
        element = Qual(kind.element, qual.rate)
        return tree.Aggregate(node.span, qual, tuple(initialize(checker, element, one, place) for one in node.elements))
    return _scalar_list(checker, qual, node, place)


def _defined_members(checker: Checker, struct: Struct, node: ast.InitializerList) -> int:
    if struct.members is None:
        checker.reject("incomplete-type", node.span, f"{struct} is declared but not defined, so it cannot be initialised")
    if struct.mistaken:
        raise Rejected
    return len(struct.members)


def _soa_list(checker: Checker, qual: Qual, node: ast.InitializerList, place: str) -> tree.Initializer:
    """soa data, in the order of its layout and without gaps: block by block, each scalar of a block a list of its slots."""
    match qual.type:
        case Array(element, count):
            assert count is not None
            parts, what = [element] * count, f"the array '{qual}'"
        case Struct() as struct:
            parts = [member_qual(qual, index) for index in range(_defined_members(checker, struct, node))]
            what = f"a block of '{qual}'"
        case Vector(element_type, count):
            parts, what = [Qual(element_type, qual.rate)] * count, f"the vector '{qual}'"
        case scalar:
            parts, what = [Qual(scalar, UNIFORM)] * qual.rate.width, f"'{qual}', one for each slot of the block,"
    if len(node.elements) != len(parts):
        few = "few" if len(node.elements) < len(parts) else "many"
        checker.reject(
            "initializer",
            node.span,
            f"too {few} values in the initializer of soa data: {what} takes {len(parts)}, {len(node.elements)} are given",
        )
    for part, one in zip(parts, node.elements):
        if part.rate.kind == "soa" and not isinstance(one, ast.InitializerList):
            checker.reject("initializer", one.span, f"{place}: '{part}' needs a list of values in braces")
    elements = tuple(initialize(checker, part, one, place) for part, one in zip(parts, node.elements))
    return tree.Aggregate(node.span, qual, elements)


def _limit(checker: Checker, limit: int, node: ast.InitializerList, what: str) -> None:
    if len(node.elements) > limit:
        checker.reject(
            "initializer",
            node.span,
            f"too many values in the initializer: {what} takes at most {limit}, {len(node.elements)} are given",
        )


def _scalar_list(checker: Checker, qual: Qual, node: ast.InitializerList, place: str) -> tree.Initializer:
    """One value for all lanes, or one for each lane of a varying variable."""
    given = len(node.elements)
    if given == 1:
        return initialize(checker, qual, node.elements[0], place)
    width = checker.target.width
    if qual.rate is not VARYING or not isinstance(qual.type, (Scalar, Enum)):
        checker.reject("initializer", node.span, f"the initializer has {given} values for the single value '{qual}'")
    if given != width:
        checker.reject(
            "initializer",
            node.span,
            f"the initializer of '{qual}' has {given} values; give one for each of the {width} lanes or a single one",
        )
    lane = Qual(qual.type, UNIFORM)
    values = []
    for one in node.elements:
        value = initialize(checker, lane, one, place)
        if not isinstance(value, tree.Value):
            checker.reject("initializer", one.span, "a lane takes a single value")
        values.append(value)
    return tree.LaneList(node.span, qual.with_const(False), tuple(values))


def bind_reference(checker: Checker, target: Qual, node: ast.Initializer, place: str) -> tree.Value:
    """The address a reference variable stands for."""
    operand = None if isinstance(node, ast.InitializerList) else checker.expression(node)
    if not isinstance(operand, tree.Place) or isinstance(operand, tree.Temporary):
        checker.reject(
            "reference-binding", node.span, f"{place}: the reference is initialised from something without an address"
        )
    if operand.address_rate is VARYING:
        checker.reject(
            "reference-binding",
            node.span,
            f"{place}: the reference cannot be bound to a varying location; copy it to a variable first",
        )
    if not _binds(operand.storage, target):
        checker.reject(
            "reference-binding", node.span, f"{place}: the reference types do not match, '{target} &' and '{operand.storage}'"
        )
    if operand.storage.const and not target.const and not is_reference(operand):
        checker.warning("const", node.span, f"{place}: const is lost, '{operand.storage}' to '{target} &'")
    pointer = address_of(operand, node.span)
    wanted = Qual(Pointer(target))
    return pointer if pointer.type == wanted else tree.Convert(node.span, wanted, pointer)


def _binds(storage: Qual, target: Qual) -> bool:
    from_plain, to_plain = storage.with_const(False), target.with_const(False)
    return from_plain == to_plain


def complete_array(qual: Qual, node: ast.Initializer | None) -> Qual:
    """Give the unsized dimensions of an array the sizes of its initializer."""
    kind = qual.type
    if not isinstance(kind, Array) or not isinstance(node, ast.InitializerList):
        return qual
    element = kind.element
    if isinstance(element.type, Array) and node.elements:
        inner = [complete_array(element, one) for one in node.elements]
        element = max(inner, key=_extent)
    count = len(node.elements) if kind.count is None else kind.count
    return Qual(Array(element, count), qual.rate, qual.const)


def _extent(qual: Qual) -> int:
    kind = qual.type
    return (kind.count or 0) * max(1, _extent(kind.element)) if isinstance(kind, Array) else 1


def is_unsized(qual: Qual) -> bool:
    """An array whose size, or that of its elements, is to come from its initial value."""
    kind = qual.type
    return isinstance(kind, Array) and (kind.count is None or is_unsized(kind.element))


# --- constants --------------------------------------------------------------------------------------------------


def constant_initializer(checker: Checker, initial: tree.Initializer) -> tree.Initializer | None:
    """A global's initial value as ``Constant``, ``LaneList`` of them, address or aggregate; None if not constant."""
    if isinstance(initial, tree.Aggregate):
        elements = [constant_initializer(checker, one) for one in initial.elements]
        if any(one is None for one in elements):
            return None
        return tree.Aggregate(initial.span, initial.type, tuple(one for one in elements if one is not None))
    if isinstance(initial, tree.LaneList):
        return initial if all(type(one) is tree.Constant for one in initial.elements) else None
    if type(initial) is tree.Constant or is_address(initial):
        return initial
    lanes = lane_values(checker, initial)
    if lanes is None:
        return _constant_vector(checker, initial)
    if initial.type.rate is UNIFORM:
        return tree.Constant(initial.span, initial.type, lanes[0])
    lane = Qual(initial.type.type)
    return tree.LaneList(initial.span, initial.type, tuple(tree.Constant(initial.span, lane, one) for one in lanes))


def _constant_vector(checker: Checker, value: tree.Value) -> tree.Initializer | None:
    """A scalar spread over a short vector, or a vector whose values are known from another global."""
    if isinstance(value, (tree.Splat, tree.Broadcast)):
        inner = constant_initializer(checker, value.value)
        if inner is None:
            return None
        if isinstance(value, tree.Splat) and isinstance(value.type.type, Vector):
            return tree.Aggregate(value.span, value.type, (inner,) * value.type.type.count)
    return None


def is_address(value: tree.Value) -> bool:
    """The address of a global or function, possibly with constant offsets and conversions."""
    match value:
        case tree.FunctionAddress():
            return True
        case tree.AddressOf(_, _, place):
            return _is_static_place(place)
        case tree.Convert(_, _, inner) | tree.Broadcast(_, _, inner):
            return is_address(inner)
        case tree.PointerOffset(_, _, pointer, index):
            return is_address(pointer) and type(index) is tree.Constant
    return False


def _is_static_place(place: tree.Place) -> bool:
    match place:
        case tree.Variable(symbol=symbol):
            return symbol.kind in ("global", "static", "extern") and not symbol.is_reference
        case tree.Element(aggregate=aggregate, index=index):
            return type(index) is tree.Constant and _is_static_place(aggregate)
        case tree.MemberPlace(struct=struct):
            return _is_static_place(struct)
    return False


def lane_values(checker: Checker, value: tree.Value) -> list[constant_folding.Number] | None:
    """The value in each lane of a constant expression over literals, const globals and ``programIndex``."""
    width = checker.target.width
    match value:
        case tree.Constant():
            return [value.value] * width
        case tree.ProgramIndex():
            return list(range(width))
        case tree.Broadcast(_, _, inner):
            return lane_values(checker, inner)
        case tree.Convert(_, qual, inner):
            return _each(lambda one: constant_folding.convert(one, inner.type.type, qual.type), lane_values(checker, inner))
        case tree.Unary(_, _, symbol, operand):
            return _each(lambda one: constant_folding.unary(symbol, one, operand.type.type), lane_values(checker, operand))
        case tree.Binary(_, _, symbol, left, right):
            return _both(symbol, left, lane_values(checker, left), lane_values(checker, right))
        case tree.Logical(_, _, symbol, left, right):
            a, b = lane_values(checker, left), lane_values(checker, right)
            if a is None or b is None:
                return None
            return [one and other if symbol == "&&" else one or other for one, other in zip(a, b)]
        case tree.Conditional(_, _, test, then, otherwise):
            chosen = [lane_values(checker, one) for one in (test, then, otherwise)]
            if any(one is None for one in chosen):
                return None
            return [a if t else b for t, a, b in zip(*(one for one in chosen if one is not None))]
        case tree.Load(_, _, tree.Variable(symbol=symbol)) if symbol.type.const and symbol.kind in ("global", "static"):
            return _known_lanes(symbol, width)
    return None


def _known_lanes(symbol: tree.VariableSymbol, width: int) -> list[constant_folding.Number] | None:
    initial = symbol.initial
    if isinstance(initial, tree.Constant):
        return [initial.value] * width
    if isinstance(initial, tree.LaneList):
        return [one.value for one in initial.elements if isinstance(one, tree.Constant)]
    return None


def _each(compute: object, lanes: list[constant_folding.Number] | None) -> list[constant_folding.Number] | None:
    assert callable(compute)
    if lanes is None:
        return None
    results = [compute(one) for one in lanes]
    return None if any(one is None for one in results) else results


def _both(
    symbol: str, left: tree.Value, a: list[constant_folding.Number] | None, b: list[constant_folding.Number] | None
) -> list[constant_folding.Number] | None:
    if a is None or b is None:
        return None
    folded = [constant_folding.binary(symbol, one, other, left.type.type) for one, other in zip(a, b)]
    return None if any(one is None for one in folded) else [one[0] for one in folded if one is not None]


def require_constant(checker: Checker, initial: tree.Initializer, what: str, span: Span) -> tree.Initializer:
    """The initial value as a constant; an error if it is none, naming ``what`` needs it."""
    found = constant_initializer(checker, initial)
    if found is None:
        checker.reject("not-constant", span, f"{what} needs a constant initializer")
    return found
