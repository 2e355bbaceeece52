"""From types as written to types: specifiers, declarators, the rate defaults of section 5.3 of the language.

A rate that is not written stays ``UNBOUND`` on the way through a declarator and is
decided by where the type stands: :func:`bind` gives it the default of the place.
"""

from __future__ import annotations

from contextlib import suppress

from voltac.messages.message import Span
from voltac.records import mutable_record, replace
from voltac.sema import attributes, tree
from voltac.sema.checker import SPECIFIERS, Checker, Rejected, specifier
from voltac.sema.expressions.soa import check_soa, soa_rate
from voltac.sema.operands import value_of
from voltac.sema.scopes import ConstantSymbol, Poisoned, TypeSymbol
from voltac.sema.types import (
    ATOMIC_TYPES,
    INT32,
    UINT32,
    UNBOUND,
    UNIFORM,
    VARYING,
    VOID,
    Array,
    ArrayPattern,
    Enum,
    FunctionType,
    Pointer,
    Qual,
    Rate,
    Reference,
    Scalar,
    Struct,
    Type,
    TypeParameter,
    Vector,
    VectorPattern,
    Void,
)
from voltac.syntax import ast


@mutable_record
class Base:
    """What the specifiers of a declaration say."""

    qual: Qual
    span: Span
    storage: str = ""
    words: tuple[str, ...] = ()
    """Qualifiers that belong to functions."""
    attributes: tuple[ast.Attribute, ...] = ()
    declspecs: tuple[ast.Word, ...] = ()
    untyped: str = ""
    """The last word, where no type is written."""


@mutable_record
class Declared:
    """What one declarator declares; the rate of ``qual`` may be unbound."""

    name: str
    qual: Qual
    span: Span
    parameters: tuple[ast.Parameter, ...] = ()
    """Of a function, as written."""


def bind(qual: Qual, rate: Rate) -> Qual:
    """Give an unbound type the rate of its place; a template parameter has its own."""
    if qual.rate is not UNBOUND:
        return qual
    innermost = _innermost(qual)
    if isinstance(innermost, TypeParameter) or (
        isinstance(innermost, VectorPattern) and isinstance(innermost.element, TypeParameter)
    ):
        return qual
    if isinstance(qual.type, (Void, FunctionType, Reference)):
        return Qual(qual.type, UNIFORM, qual.const)
    return qual.with_rate(rate)


def _innermost(qual: Qual) -> Type:
    kind = qual.type
    while isinstance(kind, (Array, ArrayPattern)):
        kind = kind.element.type
    return kind


# --- specifiers -------------------------------------------------------------------------------------------------


def resolve_specifiers(checker: Checker, node: ast.Specifiers, outer_rate: bool = False) -> Base:
    """The base type and everything else before the declarators; ``outer_rate`` replaces that of a typedef."""
    storage = ""
    for word in node.storage:
        if storage and storage != word.text:
            checker.reject("specifiers", word.span, f"conflicting storage classes: '{storage}' and '{word.text}'")
        storage = word.text
    const = False
    rate = UNBOUND
    sign = ""
    words: tuple[str, ...] = ()
    for word in node.qualifiers:
        text = word.text
        if text == "const":
            const = True
        elif text in ("uniform", "varying"):
            wanted = UNIFORM if text == "uniform" else VARYING
            if rate is not UNBOUND and rate is not wanted:
                checker.reject(
                    "specifiers",
                    word.span,
                    f"the type is already '{rate}' and cannot be '{text}' as well; keep one of the two words",
                )
            rate = wanted
        elif text in ("signed", "unsigned"):
            if sign and sign != text:
                checker.reject("specifiers", word.span, "'signed' and 'unsigned' contradict each other")
            sign = text
        else:
            words += (text,)
    if node.soa is not None:
        if rate is not UNBOUND:
            checker.reject("specifiers", node.span, f"'soa<{node.soa}>' and '{rate}' exclude each other")
        rate = soa_rate(checker, node.soa, node.span)
    base = base_type(checker, node, sign)
    if node.vector_length is not None:
        base = Qual(vector_type(checker, base.type, node), base.rate, base.const)
    if rate is not UNBOUND:
        base = _apply_rate(checker, node, base, rate, outer_rate)
    if const and not base.const:
        base = base.with_const(True)
    untyped = "" if node.types else _last_word(node)
    return Base(base, node.span, storage, words, node.attributes, node.declspecs, untyped)


def _apply_rate(checker: Checker, node: ast.Specifiers, base: Qual, rate: Rate, outer: bool) -> Qual:
    span = next((word.span for word in node.qualifiers if word.text == str(rate)), node.span)
    if isinstance(base.type, Void):
        checker.reject("specifiers", span, f"void has no '{rate}': there is nothing to have once or for each lane")
    if isinstance(base.type, Reference):
        checker.reject("specifiers", span, f"a reference has no '{rate}' of its own; write it before the type referred to")
    if rate.kind == "soa":
        check_soa(checker, base.type, rate, node.span)
    if base.rate is UNBOUND or base.rate is rate or outer:
        return base.with_rate(rate)
    if _names_template_parameter(checker, node):
        return base.with_rate(rate)
    checker.reject("specifiers", span, f"the type '{base}' is already {base.rate}, so it cannot be made {rate}")


def _last_word(node: ast.Specifiers) -> str:
    words = sorted((*node.storage, *node.qualifiers), key=lambda word: (word.span.line, word.span.column))
    return words[-1].text if words else ""


def warn_if_untyped(checker: Checker, base: Base) -> None:
    """Words alone declare an int32; said where nothing else is wrong with them."""
    if base.untyped:
        text = f"no type is given after '{base.untyped}', int32 is taken; write '{base.untyped} int' if that is meant"
        checker.warning("implicit-type", base.span, text)


def _names_template_parameter(checker: Checker, node: ast.Specifiers) -> bool:
    for named in node.types:
        if isinstance(named, ast.NamedType):
            symbol = checker.scopes.find(named.name)
            return isinstance(symbol, TypeSymbol) and symbol.from_template
    return False


def _is_definition(node: ast.TypeSpecifier) -> bool:
    match node:
        case ast.StructSpecifier(members=body) | ast.EnumSpecifier(enumerators=body):
            return body is not None
    return False


def _was_told(checker: Checker, node: ast.TypeSpecifier) -> bool:
    """Whether it is a name that is nothing, as a macro that is not defined, which was an error where it stood first."""
    return isinstance(node, ast.NamedType) and isinstance(checker.find(node.name), Poisoned)


def base_type(checker: Checker, node: ast.Specifiers, sign: str) -> Qual:
    """The type that specifiers name, without a type int32 (16.1), its rate open unless the type has one."""
    if not node.types:
        if _last_word(node) in ("", "typedef"):
            checker.reject("specifiers", node.span, "a type is missing in this declaration")
        return Qual(UINT32 if sign == "unsigned" else INT32, UNBOUND)
    first = node.types[0]
    if len(node.types) > 1:
        known = [each for each in node.types if not _was_told(checker, each)]
        if known and len(known) < len(node.types):
            return base_type(checker, replace(node, types=known), sign)
        message = "the declaration names more than one type"
        if node.types[1].span.line == first.span.end_line or not isinstance(first, (ast.StructSpecifier, ast.EnumSpecifier)):
            second = node.types[1]
            if any(word.text == "typedef" for word in node.storage) and isinstance(second, ast.AtomicType):
                message += f": '{second.written}' is a type of the language; delete this typedef, or give it another name"
            checker.reject("specifiers", second.span, message)
        if not _is_definition(first):
            if first.name and checker.find(first.name) is None:
                checker.scopes.declare(first.name, Poisoned(first.name, first.span))
            message += f": is a '{{' missing after '{first.name}' in line {first.span.end_line}?"
            checker.reject("specifiers", node.types[1].span, message)
        message += f": is a ';' missing after the '}}' in line {first.span.end_line}?"
        checker.error("specifiers", node.types[1].span, message)
        with suppress(Rejected):
            specified_type(checker, first)
        return base_type(checker, replace(node, types=node.types[1:]), sign)
    found = specified_type(checker, first)
    if sign:
        kind = found.type
        if not isinstance(kind, Scalar) or not kind.is_integer:
            checker.reject("specifiers", node.span, f"'{sign}' goes with integer types only, not with '{kind}'")
        if sign == "signed" and kind.kind == "uint":
            checker.reject("specifiers", node.span, "'signed' and 'unsigned' contradict each other")
        return Qual(ATOMIC_TYPES[f"{'u' if sign == 'unsigned' else ''}int{kind.bits}"], found.rate, found.const)
    return found


_UNBOUND_ATOMIC: dict[str, Qual] = {name: Qual(type, UNBOUND) for name, type in ATOMIC_TYPES.items()} | {"void": Qual(VOID)}


def specified_type(checker: Checker, node: ast.TypeSpecifier) -> Qual:
    """The type of one specifier: atomic, named, struct, enum."""
    return SPECIFIERS[type(node)](checker, node)


@specifier(ast.AtomicType)
def check_atomic_type(checker: Checker, node: ast.AtomicType) -> Qual:
    """``int``, ``float`` and the others of 5.2."""
    return _UNBOUND_ATOMIC[node.name]


@specifier(ast.NamedType)
def check_named_type(checker: Checker, node: ast.NamedType) -> Qual:
    """A typedef's name, or a template parameter's."""
    symbol = checker.look_up(node.name, node.span)
    if isinstance(symbol, TypeSymbol):
        return symbol.qual
    checker.reject("wrong-kind", node.span, f"'{node.name}' is no type")


def vector_type(checker: Checker, element: Type, node: ast.Specifiers) -> Type:
    """``T<N>``."""
    if isinstance(element, TypeParameter):
        return VectorPattern(element, node.vector_length or 0)
    if not isinstance(element, Scalar):
        checker.reject("impossible-type", node.span, f"the element of a short vector must be an atomic type, not '{element}'")
    length = node.vector_length
    if isinstance(length, str):
        symbol = checker.look_up(length, node.span)
        if isinstance(symbol, TypeSymbol) and isinstance(symbol.qual.type, TypeParameter):
            return VectorPattern(element, length)
        if not isinstance(symbol, ConstantSymbol):
            checker.reject(
                "array-size",
                node.span,
                f"the length of a short vector must be a number or a template parameter, '{length}' is neither",
            )
        length = int(symbol.value)
    assert length is not None
    if length <= 0:
        checker.reject("impossible-type", node.span, "a short vector must have at least one element")
    return Vector(element, length)


# --- declarators ------------------------------------------------------------------------------------------------


def declare(
    checker: Checker,
    declarator: ast.Declarator,
    base: Qual,
    among: frozenset[str] | None = None,
    words: tuple[str, ...] = (),
    referred: Rate = VARYING,
) -> Declared:
    """Apply a declarator to the base type.

    ``among``: it is a parameter, one of those of these names. ``words`` are qualifiers of the function type that is
    declared, ``referred`` is the rate of what a reference refers to where none is written.
    """
    match declarator:
        case ast.NameDeclarator(span, name):
            return Declared(name, base, span)
        case ast.PointerDeclarator(span, inner, qualifiers):
            if isinstance(base.type, Reference):
                checker.reject("impossible-type", span, f"there are no pointers to references such as '{base}'")
            const, rate = _pointer_words(checker, qualifiers)
            return declare(checker, inner, Qual(Pointer(bind(base, UNIFORM)), rate, const), among, words, referred)
        case ast.ReferenceDeclarator(span, inner):
            if isinstance(base.type, Reference):
                checker.reject("impossible-type", span, f"there are no references to references such as '{base}'")
            if isinstance(base.type, Void):
                checker.reject("impossible-type", span, "there are no references to void")
            return declare(checker, inner, Qual(Reference(bind(base, referred))), among, words, referred)
        case ast.ArrayDeclarator(span, inner, size):
            if isinstance(base.type, Reference):
                checker.reject("impossible-type", span, f"there are no arrays of references such as '{base}'")
            if isinstance(base.type, Void):
                checker.reject("impossible-type", span, "there are no arrays of void")
            if isinstance(base.type, FunctionType):
                checker.reject("impossible-type", span, "there are no arrays of functions; use an array of pointers to them")
            if size is not None and (open_size := _open_size(checker, size)) is not None:
                pattern = Qual(ArrayPattern(base, open_size), base.rate, base.const)
                return declare(checker, inner, pattern, among, words, referred)
            if size is not None and isinstance(inner, ast.NameDeclarator) and _names_one(size, among):
                size = None
            count = None if size is None else array_size(checker, size)
            if isinstance(base.type, Array) and base.type.count is None and among is not None:
                checker.reject("array-size", span, "only the first dimension of an array parameter may be empty: 'a[][4]'")
            return declare(checker, inner, Qual(Array(base, count), base.rate, base.const), among, words, referred)
        case ast.FunctionDeclarator(span, inner, parameters):
            if isinstance(base.type, Array):
                checker.reject(
                    "impossible-type", span, f"a function cannot return an array such as '{base}'; return a pointer or a struct"
                )
            if isinstance(base.type, FunctionType):
                checker.reject("impossible-type", span, "a function cannot return a function; return a pointer to it")
            quals = parameter_quals(checker, parameters)
            function = FunctionType(bind(base, VARYING), quals, "unmasked" in words or "task" in words, "task" in words)
            found = declare(checker, inner, Qual(function), among, words, referred)
            if isinstance(inner, ast.NameDeclarator):
                found.parameters = parameters
            return found


def check_function_words(checker: Checker, base: Base, declared: Declared, what: str) -> None:
    """``task`` and ``unmasked`` may describe the function a pointer points to; nothing else has words of functions."""
    kind = declared.qual.type
    while isinstance(kind, (Pointer, Array)):
        kind = kind.to.type if isinstance(kind, Pointer) else kind.element.type
    for word in base.words:
        if not isinstance(kind, FunctionType) or word not in ("task", "unmasked"):
            if base.untyped:
                checker.reject(
                    "specifiers", base.span, f"a type is missing after '{base.untyped}'; '{word}' is for functions only{what}"
                )
            checker.reject("specifiers", base.span, f"'{word}' is for functions only{what}")


def _pointer_words(checker: Checker, words: tuple[ast.Word, ...]) -> tuple[bool, Rate]:
    const, rate = False, UNBOUND
    for word in words:
        if word.text == "const":
            const = True
        elif word.text in ("uniform", "varying"):
            wanted = UNIFORM if word.text == "uniform" else VARYING
            if rate is not UNBOUND and rate is not wanted:
                checker.reject("specifiers", word.span, f"the pointer is already '{rate}' and cannot be '{word.text}' as well")
            rate = wanted
        else:
            checker.reject("specifiers", word.span, f"'{word.text}' does not go with a pointer")
    return const, rate


def parameter_quals(checker: Checker, parameters: tuple[ast.Parameter, ...]) -> tuple[Qual, ...]:
    """The types of a function's parameters: arrays are pointers to their element."""
    names = frozenset(ast.declared_name(one.declarator).name for one in parameters)
    return tuple(_parameter_qual(checker, one, names) for one in parameters)


def _parameter_qual(checker: Checker, node: ast.Parameter, among: frozenset[str]) -> Qual:
    base = resolve_specifiers(checker, node.specifiers)
    if base.storage:
        checker.reject("specifiers", node.span, f"a parameter has no storage class, '{base.storage}' does not belong here")
    declared = declare(checker, node.declarator, base.qual, among, base.words)
    check_function_words(checker, base, declared, ", not for a parameter")
    warn_if_untyped(checker, base)
    attributes.warn_about(checker, base.attributes, "parameter")
    return adjust_parameter(checker, declared, node.span)


def array_length(node: ast.Parameter) -> ast.Expression | None:
    """What is written as the length of a parameter that is an array; None without."""
    declarator, length = node.declarator, None
    while not isinstance(declarator, ast.NameDeclarator):
        length = declarator.size if isinstance(declarator, ast.ArrayDeclarator) else None
        declarator = declarator.inner
    return length


def _names_one(node: ast.Expression, names: frozenset[str] | None) -> bool:
    return names is not None and any(isinstance(part, ast.Name) and part.name in names for part in ast.nodes(node))


def adjust_parameter(checker: Checker, declared: Declared, span: Span) -> Qual:
    """The type that a parameter really has: arrays and functions are pointers (5.9, 5.12), rates are decided."""
    qual = declared.qual
    kind = qual.type
    if isinstance(kind, Void):
        checker.reject("impossible-type", span, "a parameter cannot have type void; write () for no parameters")
    if isinstance(kind, (Array, ArrayPattern)):
        return Qual(Pointer(bind(kind.element, VARYING)))
    if isinstance(kind, FunctionType):
        return Qual(Pointer(qual))
    if isinstance(kind, Struct) and kind.members is None:
        name = f"'{declared.name}'" if declared.name else "here"
        checker.reject(
            "incomplete-type",
            span,
            f"parameter {name} has the incomplete type '{kind}'; use a pointer or define the struct first",
        )
    return bind(qual, VARYING)


def _open_size(checker: Checker, node: ast.Expression) -> str | None:
    """The template parameter that is the size of an array and not bound yet; empty for an expression of such ones."""
    for part in ast.nodes(node):
        if isinstance(part, (ast.Name, ast.NamedType)):
            symbol = checker.find(part.name)
            if isinstance(symbol, TypeSymbol) and isinstance(symbol.qual.type, TypeParameter):
                return part.name if part is node else ""
    return None


def array_size(checker: Checker, node: ast.Expression) -> int | None:
    """A compile-time size; 0 counts as unsized. Negative sizes and non-constants are mistakes."""
    value = value_of(checker, node)
    if not isinstance(value, tree.Constant):
        checker.reject(
            "array-size", node.span, "the size of an array must be constant: a number, an enumerator or a const at file scope"
        )
    kind = value.type.type
    if isinstance(value.value, float) or not isinstance(kind, (Scalar, Enum)):
        checker.reject("array-size", node.span, f"the size of an array must be an integer, not '{value.type}'")
    if value.value < 0:
        checker.reject("array-size", node.span, f"the size of an array cannot be negative, this one is {value.value}")
    return int(value.value) or None


# --- types in expressions ---------------------------------------------------------------------------------------


def resolve_type_name(checker: Checker, node: ast.TypeName, default: Rate) -> Qual:
    """A type in a cast, ``sizeof``, ``new`` or template argument, where a rate may be written before a typedef that has one."""
    base = resolve_specifiers(checker, node.specifiers, outer_rate=True)
    declared = declare(checker, node.declarator, base.qual, words=base.words, referred=default)
    check_function_words(checker, base, declared, "")
    return bind(declared.qual, default)
