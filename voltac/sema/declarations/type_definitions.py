"""Struct and enum definitions and their tags (language 5.7, 5.10)."""

from __future__ import annotations

from contextlib import suppress

from voltac.sema import attributes, tree
from voltac.sema.checker import NAMELESS, Checker, Rejected, Sibling, declared_here, first_in, specifier
from voltac.sema.declarations.declarators import declare, resolve_specifiers
from voltac.sema.operands import value_of
from voltac.sema.scopes import ConstantSymbol, Poisoned, TypeSymbol
from voltac.sema.types import UNBOUND, Array, Enum, FunctionType, Pointer, Qual, Scalar, Struct, StructMember, Type, Void
from voltac.syntax import ast


@specifier(ast.StructSpecifier)
def check_struct(checker: Checker, node: ast.StructSpecifier) -> Qual:
    """``struct name``, or with members its definition."""
    if node.members is None:
        return Qual(_struct_tag(checker, node), UNBOUND)
    struct = Struct(node.name, is_local=checker.scopes.depth > 0)
    if node.name:
        earlier = checker.scopes.find_here(node.name)
        kind = earlier.qual.type if isinstance(earlier, TypeSymbol) else None
        if isinstance(kind, Struct) and kind.members is None:
            struct = kind
        elif isinstance(kind, Struct):
            # Either definition may be the one that is meant.
            kind.mistaken = True
            checker.reject(
                "redeclared",
                node.span,
                f"struct {node.name} is defined twice{first_in(earlier, node.span)}",
                declared_here(earlier, "is first defined here"),
            )
        elif earlier is not None:
            place = first_in(earlier, node.span)
            checker.reject("redeclared", node.span, f"'{node.name}' is already declared here{place}", declared_here(earlier))
        else:
            checker.scopes.declare(node.name, TypeSymbol(node.name, Qual(struct, UNBOUND), node.span))
    members: list[StructMember] = []
    seen: set[str] = set()
    for declaration in node.members:
        if isinstance(declaration, ast.Mistake):
            struct.mistaken = True
            continue
        try:
            check_member_declaration(checker, struct, declaration, members, seen, declaration is node.members[-1])
        except Rejected:
            struct.mistaken = True
    struct.members = tuple(members)
    attributes.warn_about(checker, node.attributes, "struct")
    struct.alignment = attributes.alignment(checker, node.attributes)
    return Qual(struct, UNBOUND)


def _struct_tag(checker: Checker, node: ast.StructSpecifier) -> Struct:
    symbol = checker.scopes.find(node.name)
    if isinstance(symbol, TypeSymbol):
        if isinstance(symbol.qual.type, Struct):
            return symbol.qual.type
        checker.reject("wrong-kind", node.span, f"'{node.name}' is declared, but as no struct", declared_here(symbol))
    struct = Struct(node.name, forward=True, is_local=checker.scopes.depth > 0)
    checker.scopes.declare(node.name, TypeSymbol(node.name, Qual(struct, UNBOUND), node.span))
    return struct


def _is_early(kind: Type) -> bool:
    """Whether a pointer (or an array of them) leads to a struct that has been declared only."""
    while isinstance(kind, Array):
        kind = kind.element.type
    if not isinstance(kind, Pointer):
        return False
    while isinstance(kind, (Array, Pointer)):
        kind = kind.element.type if isinstance(kind, Array) else kind.to.type
    return isinstance(kind, Struct) and kind.members is None and kind.forward


def check_member_declaration(
    checker: Checker, struct: Struct, node: ast.Declaration, members: list[StructMember], seen: set[str], last: bool
) -> None:
    """``last``: no other declaration follows in the struct."""
    base = resolve_specifiers(checker, node.specifiers)
    for word in base.words:
        checker.reject("specifiers", node.span, f"'{word}' is for functions only, not for a member")
    for init in node.declarators:
        declared = declare(checker, init.declarator, base.qual)
        name, qual = declared.name, declared.qual
        if init.initializer is not None:
            checker.reject("initializer", init.span, f"member '{name}' cannot have an initial value")
        if name in seen:
            checker.reject("redeclared", declared.span, f"member name '{name}' is used twice in {struct}")
        seen.add(name)
        struct.mistaken |= name == NAMELESS
        kind = qual.type
        if isinstance(kind, Void):
            checker.reject("impossible-type", declared.span, f"member '{name}' cannot have type void")
        if isinstance(kind, FunctionType):
            checker.reject("impossible-type", declared.span, f"member '{name}' cannot be a function; use a pointer to one")
        if isinstance(kind, Array) and kind.count is None:
            if not last or init is not node.declarators[-1]:
                checker.reject(
                    "array-size", declared.span, f"member array '{name}' needs a size; only the last member may have none"
                )
            if not members:
                checker.reject(
                    "array-size", declared.span, f"member array '{name}' needs a size: {struct} has no other members"
                )
            qual = Qual(Array(kind.element, 0), qual.rate, qual.const)
            kind = kind.element.type
        while isinstance(kind, Array):
            if kind.count is None:
                checker.reject(
                    "array-size", declared.span, f"member array '{name}' needs a size; only its first dimension may have none"
                )
            kind = kind.element.type
        if isinstance(kind, Struct) and kind.members is None:
            checker.reject(
                "incomplete-type",
                declared.span,
                f"{struct} contains an incomplete type\n  Member '{name}' has type '{kind}', which is not complete here",
            )
        members.append(StructMember(name, qual, _is_early(qual.type)))


def _enumerator_value(checker: Checker, name: str, node: ast.Expression) -> int:
    value = value_of(checker, node)
    kind = value.type.type
    if not isinstance(value, tree.Constant) or isinstance(value.value, float) or not isinstance(kind, (Scalar, Enum)):
        checker.reject("not-constant", node.span, f"the value of enumerator '{name}' is not a constant integer")
    return int(value.value)


@specifier(ast.EnumSpecifier)
def check_enum(checker: Checker, node: ast.EnumSpecifier) -> Qual:
    """``enum name``, or with enumerators its definition; they become visible behind the closing brace."""
    if node.enumerators is None:
        symbol = checker.scopes.find(node.name)
        if isinstance(symbol, TypeSymbol) and isinstance(symbol.qual.type, Enum):
            return symbol.qual
        checker.reject("undeclared", node.span, f"there is no enum '{node.name}'{checker.suggest(node.name)}")
    enum = Enum(node.name, is_local=checker.scopes.depth > 0)
    if node.name:
        earlier = checker.scopes.find_here(node.name)
        if earlier is not None:
            for enumerator in node.enumerators:
                if checker.scopes.find_here(enumerator.name) is None:
                    checker.scopes.declare(enumerator.name, Poisoned(enumerator.name, enumerator.span))
            place = first_in(earlier, node.span)
            checker.reject("redeclared", node.span, f"'{node.name}' is already declared here{place}", declared_here(earlier))
        checker.scopes.declare(node.name, TypeSymbol(node.name, Qual(enum, UNBOUND), node.span))
    following = 0
    for enumerator in node.enumerators:
        if enumerator.value is not None:
            with suppress(Rejected):
                following = _enumerator_value(checker, enumerator.name, enumerator.value)
        enum.values[enumerator.name] = following & 0xFFFFFFFF
        advice = f"enumerators of one enum do not see each other; write its value, {following}"
        checker.siblings[enumerator.name] = Sibling(enumerator.span, "}", advice)
        following += 1
    for enumerator in node.enumerators:
        checker.siblings.pop(enumerator.name, None)
    for enumerator in node.enumerators:
        earlier = checker.scopes.find_here(enumerator.name)
        if earlier is not None and not isinstance(earlier, Poisoned):
            place = first_in(earlier, enumerator.span)
            checker.reject(
                "redeclared", enumerator.span, f"'{enumerator.name}' is already declared here{place}", declared_here(earlier)
            )
        constant = ConstantSymbol(enumerator.name, Qual(enum), enum.values[enumerator.name], enumerator.span)
        checker.scopes.declare(enumerator.name, constant)
    return Qual(enum, UNBOUND)
