"""From operands to values and places: loading, the decay of arrays and functions, addresses, temporaries."""

from __future__ import annotations

from voltac.messages.message import Span
from voltac.sema import tree
from voltac.sema.checker import Checker, Operand, Rejected, declared_here
from voltac.sema.conversions import convert
from voltac.sema.scopes import FunctionSet
from voltac.sema.types import (
    INT32,
    UNBOUND,
    UNIFORM,
    VARYING,
    Array,
    Enum,
    FunctionType,
    Pointer,
    Qual,
    Scalar,
    Struct,
    Void,
    same_parameters,
    same_type,
)
from voltac.syntax import ast

ZERO = Qual(INT32)


def value_of(checker: Checker, node: ast.Expression) -> tree.Value:
    """Check an expression and take its value."""
    operand = checker.expression(node)
    if isinstance(operand, tree.Value):
        return operand
    return to_value(checker, operand, node.span)


def to_value(checker: Checker, operand: Operand, span: Span) -> tree.Value:
    """The value of an operand: a place is read, a function becomes its address."""
    if isinstance(operand, tree.Value):
        return operand
    if isinstance(operand, tree.Place):
        return load(checker, operand, span)
    return function_address(checker, operand, span)


def load(checker: Checker, place: tree.Place, span: Span) -> tree.Value:
    """Read a place; an array is the address of its first element, a constant global its value."""
    kind = place.storage.type
    if isinstance(kind, Array):
        return decay(place, span)
    if type(place) is tree.Variable and place.symbol.kind != "local":
        known = known_constant(place.symbol)
        if known is not None:
            return tree.Constant(span, known.type, known.value)
    if isinstance(kind, Struct):
        if kind.members is None:
            checker.reject("incomplete-type", span, f"{kind} is declared but not defined, so its value cannot be read")
        if place.address_rate is VARYING:
            _warn_about_shared_members(checker, kind, span, "the lowest active lane's value is read")
    elif isinstance(kind, Void):
        checker.reject("dereference", span, "a void pointer cannot be dereferenced; cast it to the type it points to")
    elif isinstance(kind, FunctionType):
        checker.reject("wrong-kind", span, "a function has no value; call it, or write its name alone for its address")
    result = place.type
    if result.const:
        result = Qual(result.type, result.rate)
    return tree.Load(span, result, place)


def known_constant(symbol: tree.VariableSymbol) -> tree.Constant | None:
    """The value of a const global that is known now."""
    if symbol.type.const and symbol.kind in ("global", "static") and type(symbol.initial) is tree.Constant:
        if isinstance(symbol.type.type, (Scalar, Enum)):
            return symbol.initial
    return None


def _warn_about_shared_members(checker: Checker, struct: Struct, span: Span, what: str) -> None:
    """A member bound to uniform is one for all lanes, though each reads or writes a struct of its own."""
    name = _shared_member(struct)
    if name is not None:
        text = f"the uniform member '{name}' of {struct} is reached through a varying pointer; {what}"
        checker.warning("lane-conflict", span, text)


def _shared_member(struct: Struct) -> str | None:
    for member in struct.members or ():
        if member.qual.rate is UNIFORM:
            return member.name
        if isinstance(member.qual.type, Struct) and member.qual.rate is UNBOUND:
            inner = _shared_member(member.qual.type)
            if inner is not None:
                return f"{member.name}.{inner}"
    return None


def decay(place: tree.Place, span: Span) -> tree.Value:
    """An array becomes the address of its element 0."""
    assert isinstance(place.storage.type, Array)
    mark_address_taken(place)
    first = tree.element(place, tree.Constant(span, ZERO, 0), span)
    return tree.AddressOf(span, Qual(Pointer(first.storage), first.address_rate), first)


def mark_address_taken(place: tree.Place) -> None:
    """The variable that a place lies in can be reached through pointers from now on."""
    root = root_variable(place)
    if root is not None:
        root.address_taken = True


def root_variable(place: tree.Place) -> tree.VariableSymbol | None:
    """The variable that a place is (part of); None for what lies behind a pointer or is temporary."""
    here = place
    while True:
        if type(here) is tree.Variable:
            return here.symbol
        if type(here) is tree.Element:
            here = here.aggregate
        elif type(here) is tree.MemberPlace:
            here = here.struct
        else:
            return None


def address_of(place: tree.Place, span: Span) -> tree.Value:
    """``&place``."""
    if type(place) is tree.Deref:
        return place.pointer
    mark_address_taken(place)
    return tree.AddressOf(span, Qual(Pointer(place.storage), place.address_rate), place)


def function_address(checker: Checker, functions: FunctionSet, span: Span) -> tree.Value:
    """The address of the only function of a name."""
    if len(functions.functions) != 1 or functions.templates:
        checker.reject(
            "conversion",
            span,
            f"'{functions.name}' names several functions; assign it to a function pointer of the type you mean, or call it",
        )
    return address_of_function(checker, functions.functions[0], span)


def address_of_function(checker: Checker, function: tree.FunctionSymbol, span: Span) -> tree.Value:
    """A uniform pointer to a function, whose body is demanded."""
    checker.demand_body(function)
    return tree.FunctionAddress(span, Qual(Pointer(Qual(function.type))), function)


def temporary(value: tree.Value) -> tree.Temporary:
    """A place for a value that has none."""
    return tree.Temporary(value.span, value.type, UNIFORM, value)


def place_or_temporary(operand: tree.Place | tree.Value) -> tree.Place:
    """The operand as a place: a value gets one of its own."""
    if isinstance(operand, tree.Place):
        return operand
    return temporary(operand)


def operand_qual(operand: tree.Place | tree.Value) -> Qual:
    """The type of an operand as overload resolution sees it: places and constants keep const."""
    if isinstance(operand, tree.Place):
        return operand.type
    if type(operand) is tree.Constant:
        return operand.type.with_const(True)
    return operand.type


def is_reference(operand: Operand) -> bool:
    """The name of a reference, a member that is one, a call that returns one, or a cast to one."""
    return type(operand) is tree.Deref and operand.of_reference


def require_place(checker: Checker, operand: Operand, span: Span, what: str) -> tree.Place:
    """The operand of an assignment or step: something that can be written."""
    if isinstance(operand, FunctionSet):
        checker.reject("not-assignable", span, f"{what} is not assignable: it is the function '{operand.name}'")
    if type(operand) in (tree.Constant, tree.ProgramIndex, tree.ActiveMask, tree.TaskVariable):
        assert isinstance(operand, tree.Value)
        checker.reject(
            "not-assignable", span, f"{what} is not assignable: it is const, its type is '{operand.type.with_const(True)}'"
        )
    if not isinstance(operand, tree.Place) or is_temporary(operand):
        letters = "; assign the elements of a vector one by one" if type(operand) is tree.Swizzle else ""
        checker.reject("not-assignable", span, f"{what} is not assignable: it is a value without a place in memory{letters}")
    kind = operand.storage
    if kind.const:
        declared = declared_here(root_variable(operand), "is declared here")
        checker.reject("not-assignable", span, f"{what} is const and cannot be assigned: its type is '{kind}'", declared)
    if isinstance(kind.type, Array):
        checker.reject(
            "not-assignable", span, f"{what} is an array of type '{kind}'; arrays cannot be assigned, copy their elements"
        )
    if isinstance(kind.type, FunctionType):
        checker.reject("not-assignable", span, f"{what} is a function and cannot be assigned")
    if isinstance(kind.type, Void):
        checker.reject("dereference", span, "a void pointer cannot be dereferenced; cast it to the type it points to")
    if isinstance(kind.type, Struct):
        if kind.type.members is None:
            checker.reject("incomplete-type", span, f"{kind.type} is declared but not defined, so it cannot be assigned")
        const_member = _const_member(kind.type)
        if const_member is not None:
            checker.reject("not-assignable", span, f"{what} is not assignable: member '{const_member}' of {kind.type} is const")
        if operand.address_rate is VARYING:
            _warn_about_shared_members(checker, kind.type, span, "of lanes that share a struct one value stays")
    if type(operand) is tree.MemberPlace and operand.address_rate is VARYING:
        _warn_about_uniform_member(checker, operand, span)
    return operand


def _warn_about_uniform_member(checker: Checker, place: tree.MemberPlace, span: Span) -> None:
    """Lanes that point to one struct share its uniform member."""
    struct = place.struct.storage.type
    assert isinstance(struct, Struct) and struct.members is not None
    member = struct.members[place.index]
    if member.qual.rate is UNIFORM:
        checker.warning(
            "lane-conflict",
            span,
            f"the uniform member '{member.name}' is reached through a varying pointer; of lanes that share it one value stays",
        )


def _const_member(struct: Struct) -> str | None:
    for member in struct.members or ():
        if member.qual.const:
            return member.name
        if isinstance(member.qual.type, Struct):
            inner = _const_member(member.qual.type)
            if inner is not None:
                return f"{member.name}.{inner}"
    return None


def is_temporary(place: tree.Place) -> bool:
    """Whether a place is (part of) the place of a value that has none."""
    while True:
        if type(place) is tree.Element:
            place = place.aggregate
        elif type(place) is tree.MemberPlace:
            place = place.struct
        else:
            return type(place) is tree.Temporary


def assignable_type(place: tree.Place) -> Qual:
    """The type a value needs to be assigned to the place, whose variable is marked as written."""
    root = root_variable(place)
    if root is not None:
        root.assigned = True
    result = place.type
    return result.with_const(False) if result.const else result


def is_null_pointer(value: tree.Value) -> bool:
    """A null pointer that has a type; a plain NULL too."""
    return type(value) is tree.Constant and isinstance(value.type.type, Pointer)


def convert_operand(checker: Checker, operand: Operand, wanted: Qual, place: str, span: Span) -> tree.Value:
    """The operand converted for an assignment, initializer, argument or result; picks an overload for a pointer."""
    if isinstance(operand, FunctionSet):
        return pick_function(checker, operand, wanted, place, span)
    return convert(checker, to_value(checker, operand, span), wanted, place, span)


def fitting_functions(functions: FunctionSet, wanted: FunctionType) -> list[tree.FunctionSymbol]:
    """Those of a type, const aside, that pointers may lead to; one of exactly the type comes first."""
    fitting = [one for one in functions.functions if not one.c_linkage and same_type(Qual(one.type), Qual(wanted))]
    return sorted(fitting, key=lambda one: one.type != wanted)


def pick_function(checker: Checker, functions: FunctionSet, wanted: Qual, place: str, span: Span) -> tree.Value:
    """The address of the function of a set that has the type the pointer wants, exactly or but for const."""
    if not isinstance(wanted.type, Pointer) or not isinstance(wanted.type.to.type, FunctionType):
        return convert(checker, function_address(checker, functions, span), wanted, place, span)
    target = wanted.type.to.type
    only = functions.functions[0] if len(functions.functions) == 1 else None
    fitting = fitting_functions(functions, target)
    if fitting and (len(fitting) == 1 or fitting[0].type == target):
        return convert(checker, address_of_function(checker, fitting[0], span), wanted, place, span)
    if any(one.c_linkage and (one is only or same_parameters(one.type, target)) for one in functions.functions):
        text = f"the extern \"C\" function '{functions.name}' has another convention than those that pointers lead to"
        checker.reject("conversion", span, f"{place}: {text}")
    if functions.mistaken:
        raise Rejected
    if only is not None:
        checker.reject(
            "conversion",
            span,
            f"{place}: function '{functions.name}' has type '{only.type}', the pointer wants '{wanted.type.to}'",
        )
    if fitting:
        text = f"several overloads of '{functions.name}' differ from the pointer's type '{wanted.type.to}' in const only"
        checker.reject("conversion", span, f"{place}: {text}", *[declared_here(one, "is declared here") for one in fitting])
    checker.reject("conversion", span, f"{place}: no overload of '{functions.name}' has the pointer's type '{wanted.type.to}'")
