"""Names, literals, members, elements: the expressions that designate something."""

from __future__ import annotations

from collections.abc import Collection

from voltac.messages.message import Span
from voltac.messages.suggestions import suggestion
from voltac.sema import tree
from voltac.sema.checker import Checker, Operand, Rejected, expression
from voltac.sema.constant_folding import round_to
from voltac.sema.conversions import index_value
from voltac.sema.operands import is_null_pointer, load, place_or_temporary, to_value, value_of
from voltac.sema.scopes import BuiltinVariable, ConstantSymbol, FunctionSet, TypeSymbol
from voltac.sema.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    FLOAT16,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    UNIFORM,
    VARYING,
    VARYING_INT32,
    VOID_QUAL,
    Array,
    Pointer,
    Qual,
    Reference,
    Scalar,
    Struct,
    StructMember,
    Vector,
    Void,
)
from voltac.syntax import ast

_MOST_MEMBERS = 6
"""Of a struct, in a message: more are not read, and would hide what it says."""
_UNIFORM: dict[str, Qual] = {
    "int32": Qual(INT32),
    "uint32": Qual(UINT32),
    "int64": Qual(INT64),
    "uint64": Qual(UINT64),
    "float16": Qual(FLOAT16),
    "float": Qual(FLOAT),
    "double": Qual(DOUBLE),
}
_UNIFORM_BOOL = Qual(BOOL)
_NULL = Qual(Pointer(VOID_QUAL))

_LADDER: tuple[tuple[int, Scalar], ...] = (
    (0x7FFFFFFF, INT32), (0xFFFFFFFF, UINT32), (0x7FFFFFFFFFFFFFFF, INT64), (0xFFFFFFFFFFFFFFFF, UINT64),
)  # fmt: skip
_LADDERS: dict[int, tuple[tuple[int, Scalar], ...]] = {
    8: ((0x7F, INT8), (0xFF, UINT8), *_LADDER),
    16: ((0x7FFF, INT16), (0xFFFF, UINT16), *_LADDER),
}
"""Element bits of the target -> (largest value, type), for literals without a suffix."""


# --- literals ---------------------------------------------------------------------------------------------------


@expression(ast.IntegerLiteral)
def check_integer(checker: Checker, node: ast.IntegerLiteral) -> tree.Value:
    """An integer literal (2.4): what its suffix says, else the first type of the target's ladder that holds it."""
    if node.type:
        return tree.Constant(node.span, _UNIFORM[node.type], node.value)
    # The library means what it says on every target.
    ladder = _LADDER if node.before_dots or checker.is_library else _LADDERS.get(checker.target.element_bits, _LADDER)
    if ladder is _LADDER and node.value <= 0x7FFFFFFF:
        return tree.Constant(node.span, _UNIFORM["int32"], node.value)
    for largest, type in ladder:
        if node.value <= largest:
            return tree.Constant(node.span, Qual(type), node.value)
    checker.reject("literal", node.span, f"the literal {node.value} does not fit 64 bits")


@expression(ast.FloatLiteral)
def check_float(checker: Checker, node: ast.FloatLiteral) -> tree.Value:
    """A floating-point literal (2.5), rounded to its type."""
    qual = _UNIFORM[node.type]
    assert isinstance(qual.type, Scalar)
    return tree.Constant(node.span, qual, round_to(node.value, qual.type.bits))


@expression(ast.BoolLiteral)
def check_bool(checker: Checker, node: ast.BoolLiteral) -> tree.Value:
    """``true`` and ``false``."""
    return tree.Constant(node.span, _UNIFORM_BOOL, node.value)


@expression(ast.NullLiteral)
def check_null(checker: Checker, node: ast.NullLiteral) -> tree.Value:
    """``NULL``, which converts to every pointer."""
    return tree.Constant(node.span, _NULL, 0)


# --- names ------------------------------------------------------------------------------------------------------


@expression(ast.Name)
def check_name(checker: Checker, node: ast.Name) -> Operand:
    """What a name stands for: a place, a constant, a built-in variable, a set of functions. A reference is followed."""
    name = node.name
    symbol = checker.scopes.find(name)
    if type(symbol) is not tree.VariableSymbol:
        symbol = checker.look_up(name, node.span)
    if isinstance(symbol, tree.VariableSymbol):
        place = tree.Variable(node.span, symbol.type, UNIFORM, symbol)
        if symbol.is_reference:
            return tree.deref(tree.Load(node.span, symbol.type, place), node.span, of_reference=True)
        return place
    if isinstance(symbol, FunctionSet):
        return symbol
    if isinstance(symbol, ConstantSymbol):
        return tree.Constant(node.span, symbol.qual, symbol.value)
    if isinstance(symbol, BuiltinVariable):
        return builtin_variable(checker, symbol.name, node.span)
    assert isinstance(symbol, TypeSymbol)
    checker.reject("wrong-kind", node.span, f"'{name}' is a type, a value is needed here")


@expression(ast.TemplateName)
def check_template_name(checker: Checker, node: ast.TemplateName) -> Operand:
    """``f<...>`` not followed by arguments."""
    checker.reject("wrong-kind", node.span, f"template '{node.name}' can only be called here")


_TASK_VARIABLES = frozenset(
    {
        *("taskIndex", "taskIndex0", "taskIndex1", "taskIndex2"),
        *("taskCount", "taskCount0", "taskCount1", "taskCount2"),
        *("threadIndex", "threadCount"),
    }
)


def builtin_variable(checker: Checker, name: str, span: Span) -> tree.Value:
    """``programIndex`` and the others (8.11); those of tasks are for tasks only."""
    if name == "programIndex":
        return tree.ProgramIndex(span, VARYING_INT32)
    if name == "programCount":
        return tree.Constant(span, Qual(INT32), checker.target.width)
    if name == "__mask":
        bits = checker.target.mask_bits
        return tree.ActiveMask(span, Qual(BOOL if bits == 1 else Scalar("uint", bits), VARYING))
    assert name in _TASK_VARIABLES
    function = checker.function
    if function is None or not function.symbol.task:
        checker.reject("undeclared", span, f"'{name}' is not declared: it exists inside tasks only")
    return tree.TaskVariable(span, Qual(UINT32), name)


def declare_builtin_variables(checker: Checker) -> None:
    """Makes the names of 8.11 known, outside of all scopes of the program."""
    for name in ("programIndex", "programCount", "__mask", *sorted(_TASK_VARIABLES)):
        checker.scopes.declare_global(name, BuiltinVariable(name))


@expression(ast.Mistake)
def check_mistake(checker: Checker, node: ast.Mistake) -> Operand:
    """An operand with a syntax error, which was reported."""
    raise Rejected


# --- members and elements ---------------------------------------------------------------------------------------

_LETTERS = {"x": 0, "y": 1, "z": 2, "w": 3, "r": 0, "g": 1, "b": 2, "a": 3, "u": 0, "v": 1}


def _members(names: Collection[str]) -> str:
    """The members of a small struct, as the end of a message."""
    return f"; it has {', '.join(names)}" if 0 < len(names) <= _MOST_MEMBERS else ""


@expression(ast.Member)
def check_member(checker: Checker, node: ast.Member) -> Operand:
    """``a.b`` and ``p->b`` (8.6)."""
    base = checker.expression(node.base)
    if isinstance(base, FunctionSet):
        checker.reject("no-member", node.span, f"a function such as '{base.name}' has no members")
    qual = base.storage if isinstance(base, tree.Place) else base.type
    if node.arrow:
        pointer = to_value(checker, base, node.base.span)
        if not isinstance(pointer.type.type, Pointer):
            checker.reject(
                "no-member", node.span, f"'->' needs a pointer but has '{pointer.type}', which is no pointer; use '.'"
            )
        place: tree.Place = tree.deref(pointer, node.base.span)
    else:
        if isinstance(qual.type, Pointer):
            remedy = "use '->'" if isinstance(qual.type.to.type, Struct) else "what it points to has no members"
            checker.reject("no-member", node.span, f"'.{node.name}' on a pointer of type '{qual}'; {remedy}")
        if isinstance(qual.type, Vector) and isinstance(base, tree.Value) and len(node.name) > 1:
            return swizzle(checker, base, qual.type, node)
        place = place_or_temporary(base)
    return member_of(checker, place, node)


def member_of(checker: Checker, place: tree.Place, node: ast.Member) -> Operand:
    """A member of a struct, or elements of a short vector, at a place."""
    kind = place.storage.type
    if isinstance(kind, Vector):
        if len(node.name) > 1:
            return swizzle(checker, load(checker, place, node.span), kind, node)
        return vector_element(checker, place, kind, node)
    if not isinstance(kind, Struct):
        checker.reject("no-member", node.span, f"a value of type '{place.type}' has no members, so no '{node.name}'")
    if kind.members is None:
        checker.reject(
            "incomplete-type", node.span, f"{kind} is declared but not defined, so its member '{node.name}' is not known"
        )
    early = _early_pointer(place)
    if early is not None:
        checker.reject(
            "incomplete-type",
            node.span,
            f"{kind} was declared but not yet defined where '{early.name}' got its type, so member '{node.name}' is not known "
            "through it; copy the pointer into a variable first",
        )
    index = kind.indices.get(node.name)
    if index is None and kind.mistaken:
        raise Rejected
    if index is None:
        told = f"{kind}.{node.name}"
        if checker.function is not None:
            if told in checker.function.undeclared:
                raise Rejected
            checker.function.undeclared.add(told)
        remedy = suggestion(node.name, kind.indices) or _members(kind.indices)
        checker.reject("no-member", node.span, f"{kind} has no member '{node.name}'{remedy}")
    member = tree.member_place(place, index, node.span)
    if isinstance(member.storage.type, Reference):
        target = member.storage.type.to
        pointer = tree.Load(
            node.span,
            Qual(Pointer(target), member.address_rate),
            tree.MemberPlace(node.span, Qual(Pointer(target)), member.address_rate, place, index),
        )
        return tree.deref(pointer, node.span, of_reference=True)
    return member


def _early_pointer(place: tree.Place) -> StructMember | None:
    """The member an object is reached through, if it got its type before the object's was defined (language 16.1)."""
    at: tree.Place | tree.Value = place
    behind = False
    while True:
        match at:
            case tree.Deref(pointer=pointer) | tree.PointerOffset(pointer=pointer):
                at, behind = pointer, True
            case tree.Load(place=loaded):
                at = loaded
            case tree.Element(aggregate=aggregate):
                at = aggregate
            case tree.MemberPlace(struct=struct, index=index):
                assert isinstance(struct.storage.type, Struct) and struct.storage.type.members is not None
                member = struct.storage.type.members[index]
                return member if behind and member.early else None
            case _:
                return None


def vector_element(checker: Checker, place: tree.Place, kind: Vector, node: ast.Member) -> Operand:
    """``v.x``: an element of a short vector, a place like the vector (5.8)."""
    at = _LETTERS.get(node.name)
    if at is None:
        checker.reject(
            "no-member", node.span, f"a short vector has no element '{node.name}'; there are x y z w, r g b a, and u v"
        )
    if at >= kind.count:
        checker.reject("no-member", node.span, f"element '{node.name}' is beyond the length of the vector type '{place.type}'")
    return tree.element(place, tree.Constant(node.span, _UNIFORM["int32"], at), node.span)


def swizzle(checker: Checker, value: tree.Value, kind: Vector, node: ast.Member) -> tree.Value:
    """``v.zyx``: several elements of a short vector, a value (5.8)."""
    indices = []
    for letter in node.name:
        at = _LETTERS.get(letter)
        if at is None:
            checker.reject(
                "no-member",
                node.span,
                f"a short vector has no element '{letter}' as in '{node.name}'; there are x y z w, r g b a, and u v",
            )
        if at >= kind.count:
            checker.reject(
                "no-member", node.span, f"letter '{letter}' of swizzle '{node.name}' is beyond the length of '{value.type}'"
            )
        indices.append(at)
    return tree.Swizzle(node.span, Qual(Vector(kind.element, len(indices)), value.type.rate), value, tuple(indices))


@expression(ast.Index)
def check_index(checker: Checker, node: ast.Index) -> Operand:
    """``a[i]`` of arrays, short vectors and pointers (8.6)."""
    base = checker.expression(node.base)
    index = value_of(checker, node.index)
    if isinstance(base, tree.Place) and isinstance(base.storage.type, (Array, Vector)):
        return element_of(checker, base, index, node)
    if isinstance(base, tree.Value) and isinstance(base.type.type, Vector):
        return element_of(checker, place_or_temporary(base), index, node)
    pointer = to_value(checker, base, node.base.span)
    kind = pointer.type.type
    if not isinstance(kind, Pointer):
        checker.reject(
            "operand", node.span, f"a value of type '{pointer.type}' cannot be indexed; arrays, pointers and short vectors can"
        )
    if isinstance(kind.to.type, Void):
        checker.reject("operand", node.span, "a void pointer cannot be indexed; cast it to the type it points to")
    if isinstance(kind.to.type, Struct) and kind.to.type.members is None:
        checker.reject(
            "incomplete-type", node.span, f"indexing needs the definition of {kind.to.type}, which is only declared here"
        )
    index = index_value(checker, index)
    if is_null_pointer(pointer):
        checker.warning("null", node.span, "the null pointer is indexed")
    varying = index.type.rate is VARYING and pointer.type.rate is not VARYING
    result = Qual(kind, VARYING) if varying else pointer.type
    return tree.deref(tree.PointerOffset(node.span, result, pointer, index), node.span)


def element_of(checker: Checker, base: tree.Place, index: tree.Value, node: ast.Index) -> tree.Place:
    """An element of an array or short vector; warns of constants outside of it."""
    kind = base.storage.type
    assert isinstance(kind, (Array, Vector))
    index = index_value(checker, index)
    # An array without a size, as of the last member, reaches as far as its memory does.
    if type(index) is tree.Constant and kind.count:
        count = kind.count * (kind.element.rate.width if isinstance(kind, Array) and tree.counts_slots(base) else 1)
        if not 0 <= index.value < count:
            checker.warning("bounds", node.span, f"index {index.value} is outside the array of {count} elements")
    return tree.element(base, index, node.span)
