"""Types, declarators and declarations of variables as written, and expressions: they contain each other."""

from __future__ import annotations

from voltac.records import record
from voltac.syntax.ast.node import Mistake, Node

# --- types ----------------------------------------------------------------------------------------------------------


@record
class AtomicType(Node):
    """A keyword type; ``name`` is normalised: ``int`` is ``int32``, ``uint`` is ``uint32``; ``written`` is not."""

    name: str
    written: str


@record
class NamedType(Node):
    """A typedef name, struct tag, enum name or template type parameter."""

    name: str


@record
class StructSpecifier(Node):
    """``struct name``, or with ``members`` a definition; an unnamed struct has name ``""``."""

    name: str
    members: tuple[Declaration | Mistake, ...] | None
    attributes: tuple[Attribute, ...] = ()


@record
class Enumerator(Node):
    """``name`` or ``name = value``."""

    name: str
    value: Expression | None


@record
class EnumSpecifier(Node):
    """``enum name``, or with ``enumerators`` a definition; an unnamed enum has name ``""``."""

    name: str
    enumerators: tuple[Enumerator, ...] | None


TypeSpecifier = AtomicType | NamedType | StructSpecifier | EnumSpecifier


@record
class Word(Node):
    """A qualifier or storage class at its place: ``uniform``, ``const``, ``static``, ``extern "C"`` ..."""

    text: str


@record
class Attribute(Node):
    """``__attribute__((name(argument)))``."""

    name: str
    argument: int | str | None


@record
class Specifiers(Node):
    """Everything before the declarator, sorted by kind, source order kept within each."""

    storage: tuple[Word, ...]
    """``typedef``, ``extern``, ``extern "C"``, ``extern "SYCL"``, ``static``."""
    qualifiers: tuple[Word, ...]
    """``const uniform varying task unmasked export inline noinline __vectorcall __regcall signed unsigned``."""
    types: tuple[TypeSpecifier, ...]
    """Usually one; none for ``unsigned x`` and mistakes, several for mistakes."""
    soa: int | None = None
    vector_length: int | str | None = None
    """N of ``T<N>``: a literal, or the name of a template parameter."""
    attributes: tuple[Attribute, ...] = ()
    declspecs: tuple[Word, ...] = ()


@record
class NameDeclarator(Node):
    """The innermost declarator; ``""`` in abstract ones. ``is_template`` for a template name."""

    name: str
    template_arguments: tuple[TypeName | Expression, ...] | None = None
    """Types, integer literals, ``true``/``false`` and names."""


@record
class PointerDeclarator(Node):
    """``* qualifiers inner``: inner is declared as a pointer (inner binds tighter)."""

    inner: Declarator
    qualifiers: tuple[Word, ...]


@record
class ReferenceDeclarator(Node):
    """``& inner``."""

    inner: Declarator


@record
class ArrayDeclarator(Node):
    """``inner[size]``; ``size`` is None in ``inner[]``."""

    inner: Declarator
    size: Expression | None


@record
class FunctionDeclarator(Node):
    """``inner(parameters)``."""

    inner: Declarator
    parameters: tuple[Parameter, ...]


Declarator = NameDeclarator | PointerDeclarator | ReferenceDeclarator | ArrayDeclarator | FunctionDeclarator


@record
class Parameter(Node):
    """``specifiers declarator = default``; without a name the declarator's is empty."""

    specifiers: Specifiers
    declarator: Declarator
    default: Initializer | None


@record
class TypeName(Node):
    """A type in a cast, sizeof, new or template argument: specifiers and an abstract declarator."""

    specifiers: Specifiers
    declarator: Declarator


def declared_name(declarator: Declarator) -> NameDeclarator:
    """The innermost declarator of one, which has the name."""
    while not isinstance(declarator, NameDeclarator):
        declarator = declarator.inner
    return declarator


# --- declarations of variables and members --------------------------------------------------------------------------


@record
class InitDeclarator(Node):
    """``declarator = initializer``."""

    declarator: Declarator
    initializer: Initializer | None


@record
class Declaration(Node):
    """Variables, typedefs, prototypes, bare types; also the members of a struct."""

    specifiers: Specifiers
    declarators: tuple[InitDeclarator, ...]


# --- expressions ----------------------------------------------------------------------------------------------------


@record
class Name(Node):
    """A name that is no type: of a variable, function, enumerator, built-in variable."""

    name: str


@record
class IntegerLiteral(Node):
    """``type`` is what the suffix fixes (``int32``, ``uint64`` ...); ``""``: by value and target (2.4).

    ``before_dots`` marks the literal of ``0...n``, whose type is at least 32 bits.
    """

    value: int
    type: str
    before_dots: bool = False


@record
class FloatLiteral(Node):
    """``type`` is ``float16``, ``float`` or ``double``; ``value`` is the text rounded to double."""

    value: float
    type: str


@record
class BoolLiteral(Node):
    """``true`` or ``false``."""

    value: bool


@record
class NullLiteral(Node):
    """``NULL``."""


@record
class Unary(Node):
    """Prefix operator: ``++ -- & * + - ~ !``."""

    operator: str
    operand: Expression


@record
class Postfix(Node):
    """``++`` or ``--`` behind its operand."""

    operator: str
    operand: Expression


@record
class Binary(Node):
    """Any binary operator but assignments, with ``&& || ,`` among them."""

    operator: str
    left: Expression
    right: Expression


@record
class Conditional(Node):
    """``condition ? then : otherwise``."""

    condition: Expression
    then: Expression
    otherwise: Expression


@record
class Assignment(Node):
    """``operator`` is ``=``, ``+=`` ..."""

    operator: str
    target: Expression
    value: Expression


@record
class Index(Node):
    """``base[index]``."""

    base: Expression
    index: Expression


@record
class Member(Node):
    """``base.name``, or with ``arrow`` ``base->name``."""

    base: Expression
    name: str
    arrow: bool


@record
class Call(Node):
    """``function(arguments)``."""

    function: Expression
    arguments: tuple[Expression, ...]


@record
class TemplateName(Node):
    """``name<arguments>`` as the function of a call."""

    name: str
    arguments: tuple[TypeName | Expression, ...]


@record
class IntrinsicCall(Node):
    """``@llvm.name(arguments)``."""

    name: str
    arguments: tuple[Expression, ...]


@record
class InvokeSycl(Node):
    """``invoke_sycl(function, arguments)``."""

    function: Expression
    arguments: tuple[Expression, ...]


@record
class Launch(Node):
    """``counts`` in the order n0, n1, n2 (the bracketed C-like order is already turned round)."""

    counts: tuple[Expression, ...]
    function: Expression
    arguments: tuple[Expression, ...]


@record
class Cast(Node):
    """``(type)operand``."""

    type: TypeName
    operand: Expression


@record
class SizeOf(Node):
    """``sizeof(type)`` or ``sizeof operand``."""

    operand: TypeName | Expression


@record
class Alloca(Node):
    """``alloca(size)``."""

    size: Expression


@record
class New(Node):
    """``rate`` is ``uniform``, ``varying`` or ``""``; at most one of ``initial`` and ``count`` is given."""

    rate: str
    type: TypeName
    initial: tuple[Initializer, ...] | None
    count: Expression | None


@record
class InitializerList(Node):
    """``{a, b}``; only in declarations and ``new``."""

    elements: tuple[Initializer, ...]


Expression = (
    Name
    | IntegerLiteral
    | FloatLiteral
    | BoolLiteral
    | NullLiteral
    | Unary
    | Postfix
    | Binary
    | Conditional
    | Assignment
    | Index
    | Member
    | Call
    | TemplateName
    | IntrinsicCall
    | InvokeSycl
    | Launch
    | Cast
    | SizeOf
    | Alloca
    | New
    | Mistake
)
Initializer = Expression | InitializerList
