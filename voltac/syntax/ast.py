"""The tree as written: what the parser makes of a file, one class a construct.

Nothing is resolved here: names are text, types are type syntax, operators are
their spelling. Section 4 of the language reference is the grammar. Nodes are
never changed after they are built; each carries the span of its text.
"""

from __future__ import annotations

from dataclasses import dataclass

from voltac.diagnostics import Span


@dataclass(frozen=True, slots=True)
class Node:
    span: Span


# --- types as written -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AtomicType(Node):
    """A keyword type; ``name`` is normalised: ``int`` is ``int32``, ``uint`` is ``uint32``."""

    name: str


@dataclass(frozen=True, slots=True)
class NamedType(Node):
    """A typedef name, struct tag, enum name or template type parameter."""

    name: str


@dataclass(frozen=True, slots=True)
class StructSpecifier(Node):
    """``struct name``, or with ``members`` a definition; an unnamed struct has name ``""``."""

    name: str
    members: tuple[Declaration, ...] | None
    attributes: tuple[Attribute, ...] = ()


@dataclass(frozen=True, slots=True)
class Enumerator(Node):
    name: str
    value: Expression | None


@dataclass(frozen=True, slots=True)
class EnumSpecifier(Node):
    """``enum name``, or with ``enumerators`` a definition; an unnamed enum has name ``""``."""

    name: str
    enumerators: tuple[Enumerator, ...] | None


TypeSpecifier = AtomicType | NamedType | StructSpecifier | EnumSpecifier


@dataclass(frozen=True, slots=True)
class Word(Node):
    """A qualifier or storage class at its place: ``uniform``, ``const``, ``static``, ``extern "C"`` ..."""

    text: str


@dataclass(frozen=True, slots=True)
class Attribute(Node):
    """``__attribute__((name(argument)))``."""

    name: str
    argument: int | str | None


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class NameDeclarator(Node):
    """The innermost declarator; ``""`` in abstract ones. ``is_template`` for a template name."""

    name: str
    template_arguments: tuple[TypeName | Expression, ...] | None = None
    """Types, integer literals, ``true``/``false`` and names."""


@dataclass(frozen=True, slots=True)
class PointerDeclarator(Node):
    """``* qualifiers inner``: inner is declared as a pointer (inner binds tighter)."""

    inner: Declarator
    qualifiers: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class ReferenceDeclarator(Node):
    inner: Declarator


@dataclass(frozen=True, slots=True)
class ArrayDeclarator(Node):
    """``inner[size]``; ``size`` is None in ``inner[]``."""

    inner: Declarator
    size: Expression | None


@dataclass(frozen=True, slots=True)
class FunctionDeclarator(Node):
    inner: Declarator
    parameters: tuple[Parameter, ...]


Declarator = NameDeclarator | PointerDeclarator | ReferenceDeclarator | ArrayDeclarator | FunctionDeclarator


@dataclass(frozen=True, slots=True)
class Parameter(Node):
    specifiers: Specifiers
    declarator: Declarator
    default: Initializer | None


@dataclass(frozen=True, slots=True)
class TypeName(Node):
    """A type in a cast, sizeof, new or template argument: specifiers and an abstract declarator."""

    specifiers: Specifiers
    declarator: Declarator




# --- declarations -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class InitDeclarator(Node):
    declarator: Declarator
    initializer: Initializer | None


@dataclass(frozen=True, slots=True)
class Declaration(Node):
    """Variables, typedefs, prototypes, bare types; also the members of a struct."""

    specifiers: Specifiers
    declarators: tuple[InitDeclarator, ...]


@dataclass(frozen=True, slots=True)
class FunctionDefinition(Node):
    specifiers: Specifiers
    declarator: Declarator
    body: Compound


@dataclass(frozen=True, slots=True)
class TemplateParameter(Node):
    """``typename name`` (``type`` is None), or a value parameter of the given type."""

    name: str
    type: TypeSpecifier | None


@dataclass(frozen=True, slots=True)
class TemplateDeclaration(Node):
    """``template <parameters>`` of a definition (``body``) or a prototype (``body`` None)."""

    parameters: tuple[TemplateParameter, ...]
    specifiers: Specifiers
    declarator: Declarator
    body: Compound | None


@dataclass(frozen=True, slots=True)
class TemplateSpecialization(Node):
    """``template <> ...``; the declarator's name carries the template arguments."""

    specifiers: Specifiers
    declarator: Declarator
    body: Compound | None


@dataclass(frozen=True, slots=True)
class TemplateInstantiation(Node):
    """``template float f<float>(float);``."""

    specifiers: Specifiers
    declarator: Declarator


@dataclass(frozen=True, slots=True)
class ExportTypes(Node):
    """``export { A, B };``."""

    types: tuple[TypeSpecifier, ...]


ExternalDeclaration = (
    Declaration | FunctionDefinition | TemplateDeclaration | TemplateSpecialization | TemplateInstantiation | ExportTypes
)


@dataclass(frozen=True, slots=True)
class TranslationUnit(Node):
    declarations: tuple[ExternalDeclaration, ...]


# --- statements -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Compound(Node):
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class ExpressionStatement(Node):
    """``expression`` is None for an empty statement."""

    expression: Expression | None


@dataclass(frozen=True, slots=True)
class DeclarationStatement(Node):
    declaration: Declaration


@dataclass(frozen=True, slots=True)
class If(Node):
    condition: Expression
    then: Statement
    otherwise: Statement | None
    coherent: bool
    """``cif``."""


@dataclass(frozen=True, slots=True)
class While(Node):
    condition: Expression
    body: Statement
    coherent: bool


@dataclass(frozen=True, slots=True)
class DoWhile(Node):
    body: Statement
    condition: Expression
    coherent: bool


@dataclass(frozen=True, slots=True)
class For(Node):
    initial: Statement | None
    condition: Expression | None
    step: Expression | None
    body: Statement
    coherent: bool


@dataclass(frozen=True, slots=True)
class Dimension(Node):
    """``name = first ... last`` of a foreach."""

    name: str
    first: Expression
    last: Expression


@dataclass(frozen=True, slots=True)
class Foreach(Node):
    dimensions: tuple[Dimension, ...]
    body: Statement
    tiled: bool


@dataclass(frozen=True, slots=True)
class ForeachActive(Node):
    name: str
    body: Statement


@dataclass(frozen=True, slots=True)
class ForeachUnique(Node):
    name: str
    values: Expression
    body: Statement


@dataclass(frozen=True, slots=True)
class Switch(Node):
    value: Expression
    body: Statement


@dataclass(frozen=True, slots=True)
class Case(Node):
    value: Expression
    statement: Statement


@dataclass(frozen=True, slots=True)
class Default(Node):
    statement: Statement


@dataclass(frozen=True, slots=True)
class Labelled(Node):
    name: str
    statement: Statement


@dataclass(frozen=True, slots=True)
class Goto(Node):
    name: str


@dataclass(frozen=True, slots=True)
class Break(Node):
    pass


@dataclass(frozen=True, slots=True)
class Continue(Node):
    pass


@dataclass(frozen=True, slots=True)
class Return(Node):
    value: Expression | None


@dataclass(frozen=True, slots=True)
class Unmasked(Node):
    body: Compound


@dataclass(frozen=True, slots=True)
class Print(Node):
    format: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Assert(Node):
    text: str
    condition: Expression


@dataclass(frozen=True, slots=True)
class Sync(Node):
    pass


@dataclass(frozen=True, slots=True)
class Delete(Node):
    pointer: Expression


@dataclass(frozen=True, slots=True)
class Pragma(Node):
    """A pragma in front of a statement: ``kind`` is ``unroll`` (count or None) or ``nounroll``."""

    kind: str
    count: int | None
    statement: Statement


Statement = (
    Compound
    | ExpressionStatement
    | DeclarationStatement
    | If
    | While
    | DoWhile
    | For
    | Foreach
    | ForeachActive
    | ForeachUnique
    | Switch
    | Case
    | Default
    | Labelled
    | Goto
    | Break
    | Continue
    | Return
    | Unmasked
    | Print
    | Assert
    | Sync
    | Delete
    | Pragma
)


# --- expressions ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Name(Node):
    name: str


@dataclass(frozen=True, slots=True)
class IntegerLiteral(Node):
    """``type`` is what the suffix fixes (``int32``, ``uint64`` ...); ``""``: by value and target (2.4).

    ``before_dots`` marks the literal of ``0...n``, whose type is at least 32 bits.
    """

    value: int
    type: str
    before_dots: bool = False


@dataclass(frozen=True, slots=True)
class FloatLiteral(Node):
    """``type`` is ``float16``, ``float`` or ``double``; ``value`` is the text rounded to double."""

    value: float
    type: str


@dataclass(frozen=True, slots=True)
class BoolLiteral(Node):
    value: bool


@dataclass(frozen=True, slots=True)
class NullLiteral(Node):
    pass


@dataclass(frozen=True, slots=True)
class Unary(Node):
    """Prefix operator: ``++ -- & * + - ~ !``."""

    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Postfix(Node):
    """``++`` or ``--`` behind its operand."""

    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """Any binary operator but assignments, with ``&& || ,`` among them."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Conditional(Node):
    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True)
class Assignment(Node):
    """``operator`` is ``=``, ``+=`` ..."""

    operator: str
    target: Expression
    value: Expression


@dataclass(frozen=True, slots=True)
class Index(Node):
    base: Expression
    index: Expression


@dataclass(frozen=True, slots=True)
class Member(Node):
    """``base.name``, or with ``arrow`` ``base->name``."""

    base: Expression
    name: str
    arrow: bool


@dataclass(frozen=True, slots=True)
class Call(Node):
    function: Expression
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class TemplateName(Node):
    """``name<arguments>`` as the function of a call."""

    name: str
    arguments: tuple[TypeName | Expression, ...]


@dataclass(frozen=True, slots=True)
class IntrinsicCall(Node):
    """``@llvm.name(arguments)``."""

    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class InvokeSycl(Node):
    function: Expression
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Launch(Node):
    """``counts`` in the order n0, n1, n2 (the bracketed C-like order is already turned round)."""

    counts: tuple[Expression, ...]
    function: Expression
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Cast(Node):
    type: TypeName
    operand: Expression


@dataclass(frozen=True, slots=True)
class SizeOf(Node):
    operand: TypeName | Expression


@dataclass(frozen=True, slots=True)
class Alloca(Node):
    size: Expression


@dataclass(frozen=True, slots=True)
class New(Node):
    """``rate`` is ``uniform``, ``varying`` or ``""``; at most one of ``initial`` and ``count`` is given."""

    rate: str
    type: TypeName
    initial: tuple[Initializer, ...] | None
    count: Expression | None


@dataclass(frozen=True, slots=True)
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
)
Initializer = Expression | InitializerList
