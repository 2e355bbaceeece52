"""Builds the tree of types: specifiers, structs, enums and declarators (language 4.3)."""

from __future__ import annotations

from voltac.messages.message import Span
from voltac.records import mutable_record
from voltac.syntax import ast
from voltac.syntax.expressions import ExpressionBuilder

_NORMAL_TYPES = {"int": "int32", "uint": "uint32"}


@mutable_record
class _Vector:
    type: ast.TypeSpecifier
    length: int | str


@mutable_record
class _Soa:
    width: int


@mutable_record
class _Declspecs:
    words: list[ast.Word]


_Item = (
    ast.Word
    | ast.AtomicType
    | ast.NamedType
    | ast.StructSpecifier
    | ast.EnumSpecifier
    | _Vector
    | _Soa
    | _Declspecs
    | tuple[ast.Attribute, ...]
)
_STORAGE = frozenset({"typedef", "static", "extern", 'extern "C"', 'extern "SYCL"'})


_MOST_LAYERS = 500
"""Pointers, arrays and functions one inside the other that a type may have."""


class TypeBuilder(ExpressionBuilder):
    """Rules for types and what is declared of them, each a method of its name; how they look stands in ``grammar.lark``."""

    # --- specifiers

    def specifiers(self, start: int, end: int, items: list[_Item]) -> ast.Specifiers:
        """Sorted by kind, whatever order they are written in."""
        span = self.span(start, end)
        if len(items) == 1 and isinstance(items[0], ast.AtomicType):
            return ast.Specifiers(span, (), (), (items[0],))
        storage: list[ast.Word] = []
        qualifiers: list[ast.Word] = []
        types: list[ast.TypeSpecifier] = []
        attributes: list[ast.Attribute] = []
        declspecs: list[ast.Word] = []
        soa: int | None = None
        length: int | str | None = None
        for item in items:
            if isinstance(item, ast.Word):
                (storage if item.text in _STORAGE else qualifiers).append(item)
            elif isinstance(item, _Vector):
                types.append(item.type)
                length = item.length
            elif isinstance(item, _Soa):
                soa = item.width
            elif isinstance(item, _Declspecs):
                declspecs += item.words
            elif isinstance(item, tuple):
                attributes += item
            else:
                types.append(item)
        return ast.Specifiers(
            span, tuple(storage), tuple(qualifiers), tuple(types), soa, length, tuple(attributes), tuple(declspecs)
        )

    def type_specifiers(self, start: int, end: int, qualifiers: list[_Item], types: list[_Item]) -> list[_Item]:
        """Qualifiers and types of a member, a cast, ``new``."""
        return qualifiers + types

    def member_qualifiers(self, start: int, end: int, items: list[_Item] | None = None) -> list[_Item]:
        """Those in front of the type; none is fine."""
        return items or []

    def types(self, start: int, end: int, items: list[_Item] | _Vector) -> list[_Item]:
        """The type and what stands behind it."""
        return items if isinstance(items, list) else [items]

    def qualifier(self, start: int, end: int, token: int) -> ast.Word:
        """A qualifier, or (``storage``) a storage class, as it is spelled."""
        return ast.Word(self.spans[token], self.texts[token])

    storage = qualifier

    def storage_extern(self, start: int, end: int, language: int | None) -> ast.Word:
        """``extern``, with a language or without."""
        return ast.Word(self.spans[start], "extern") if language is None else self.linkage(start, language)

    def linkage(self, start: int, language: int) -> ast.Word:
        """``extern "C"`` or ``extern "SYCL"`` as one word; another language is reported and taken for C."""
        text = self.texts[language]
        if text not in ('"C"', '"SYCL"'):
            message = f"unknown linkage {text}: 'extern \"C\"' and 'extern \"SYCL\"' are known"
            self.diagnostics.error("syntax", self.spans[language], message)
            text = '"C"'
        return ast.Word(self.span(start, language), f"extern {text}")

    def soa(self, start: int, end: int, width: int) -> _Soa:
        """``soa<width>``."""
        return _Soa(self.integer_value(width))

    def vector_type(self, start: int, end: int, element: ast.TypeSpecifier, length: int | str) -> _Vector:
        """``element<length>``."""
        return _Vector(element, length)

    def vector_length(self, start: int, end: int, token: int) -> int | str:
        """A number, or the name of a template's parameter."""
        text = self.texts[token]
        return self.integer_value(token) if text[0].isdigit() else text

    def declspecs(self, start: int, end: int, first: int, rest: list[int] | None = None) -> _Declspecs:
        """``__declspec(word, ...)``."""
        return _Declspecs([ast.Word(self.spans[token], self.texts[token]) for token in (first, *(rest or ()))])

    def attributes(
        self, start: int, end: int, first: ast.Attribute, rest: list[ast.Attribute] | None = None
    ) -> tuple[ast.Attribute, ...]:
        """One or more, in order."""
        return (first, *(rest or ()))

    def attribute(self, start: int, end: int, name: int, argument: int | str | None) -> ast.Attribute:
        """``__attribute__((name(argument)))``."""
        return ast.Attribute(self.span(start, end), self.texts[name], argument)

    def attribute_number(self, start: int, end: int, token: int) -> int:
        """The argument of an attribute that takes a number."""
        return self.integer_value(token)

    def atomic_type(self, start: int, end: int, token: int) -> ast.AtomicType:
        """A type that is a word of the language."""
        text = self.texts[token]
        return ast.AtomicType(self.spans[token], _NORMAL_TYPES.get(text, text), text)

    def named_type(self, start: int, end: int, token: int) -> ast.NamedType:
        """A name that is known to be a type."""
        return ast.NamedType(self.spans[token], self.texts[token])

    # --- structs and enums

    def struct_head(self, start: int, end: int, word: int, name: int) -> str:
        """``struct name``: a type from here on, also inside its own definition."""
        self.names.add_type(self.texts[name])
        return self.texts[name]

    def struct_name(self, start: int, end: int, name: str) -> ast.StructSpecifier:
        """``struct name`` without members."""
        return ast.StructSpecifier(self.span(start, end), name, None)

    def struct_definition(
        self,
        start: int,
        end: int,
        name: str,
        members: tuple[ast.Declaration, ...],
        attributes: tuple[ast.Attribute, ...] | None,
    ) -> ast.StructSpecifier:
        """``struct name { members } attributes``."""
        return ast.StructSpecifier(self.span(start, end), name, members, attributes or ())

    def struct_unnamed(
        self,
        start: int,
        end: int,
        word: int,
        members: tuple[ast.Declaration, ...],
        attributes: tuple[ast.Attribute, ...] | None,
    ) -> ast.StructSpecifier:
        """``struct { members } attributes``."""
        return self.struct_definition(start, end, "", members, attributes)

    def members(self, start: int, end: int, items: list[ast.Declaration] | None = None) -> tuple[ast.Declaration, ...]:
        """In order; a struct may have none."""
        return tuple(items or ())

    def member(
        self,
        start: int,
        end: int,
        specifiers: ast.Specifiers,
        first: ast.InitDeclarator,
        rest: list[ast.InitDeclarator] | None = None,
    ) -> ast.Declaration:
        """One declaration of members that share a type."""
        return ast.Declaration(self.span(start, end), specifiers, (first, *(rest or ())))

    def member_declarator(self, start: int, end: int, declarator: ast.Declarator) -> ast.InitDeclarator:
        """A member's name with what makes a pointer or array of it."""
        self.check_layers(declarator)
        return ast.InitDeclarator(self.span(start, end), declarator, None)

    def enum_head(self, start: int, end: int, word: int, name: int) -> str:
        """``enum name``: a type from here on."""
        self.names.add_type(self.texts[name])
        return self.texts[name]

    def enum_name(self, start: int, end: int, name: str) -> ast.EnumSpecifier:
        """``enum name`` without enumerators."""
        return ast.EnumSpecifier(self.span(start, end), name, None)

    def enum_definition(
        self, start: int, end: int, name: str, first: ast.Enumerator, rest: list[ast.Enumerator] | None = None
    ) -> ast.EnumSpecifier:
        """``enum name { enumerators }``."""
        return ast.EnumSpecifier(self.span(start, end), name, (first, *(rest or ())))

    def enum_unnamed(
        self, start: int, end: int, word: int, first: ast.Enumerator, rest: list[ast.Enumerator] | None = None
    ) -> ast.EnumSpecifier:
        """``enum { enumerators }``."""
        return self.enum_definition(start, end, "", first, rest)

    def enumerator(self, start: int, end: int, name: int, value: ast.Expression | None) -> ast.Enumerator:
        """``name = value``."""
        return ast.Enumerator(self.span(start, end), self.texts[name], value)

    # --- declarators

    def check_layers(self, declarator: ast.Declarator) -> None:
        """Fatal where pointers, arrays and functions are nested more deeply than all stages have room for."""
        place = declarator.span
        for _ in range(_MOST_LAYERS):
            if isinstance(declarator, ast.NameDeclarator):
                return
            declarator = declarator.inner
        self.diagnostics.fatal("nesting", place, f"this declarator is nested too deeply: the limit is {_MOST_LAYERS} levels")

    def name_declarator(self, start: int, end: int, token: int) -> ast.NameDeclarator:
        """The name that is declared."""
        return ast.NameDeclarator(self.spans[token], self.texts[token])

    def pointers(
        self, start: int, end: int, items: list[tuple[Span, tuple[ast.Word, ...]]]
    ) -> list[tuple[Span, tuple[ast.Word, ...]]]:
        """One or more stars, the outermost first."""
        return items

    def pointer(self, start: int, end: int, qualifiers: list[ast.Word] | None = None) -> tuple[Span, tuple[ast.Word, ...]]:
        """The place of a star, and its qualifiers."""
        return self.spans[start], tuple(qualifiers or ())

    def pointer_declarator(
        self, start: int, end: int, pointers: list[tuple[Span, tuple[ast.Word, ...]]], inner: ast.Declarator
    ) -> ast.Declarator:
        """``* qualifiers inner``, once for each star."""
        last = self.spans[end]
        for span, qualifiers in reversed(pointers):
            inner = ast.PointerDeclarator(span.to(last), inner, qualifiers)
        return inner

    def reference_declarator(self, start: int, end: int, inner: ast.Declarator) -> ast.ReferenceDeclarator:
        """``& inner``."""
        return ast.ReferenceDeclarator(self.span(start, end), inner)

    def array_declarator(self, start: int, end: int, inner: ast.Declarator, size: ast.Expression | None) -> ast.ArrayDeclarator:
        """``inner[size]``."""
        return ast.ArrayDeclarator(self.span(start, end), inner, size)

    def function_declarator(
        self, start: int, end: int, inner: ast.Declarator, parameters: tuple[ast.Parameter, ...] | None
    ) -> ast.FunctionDeclarator:
        """``inner(parameters)``."""
        return ast.FunctionDeclarator(self.span(start, end), inner, parameters or ())

    def parameters(
        self, start: int, end: int, first: ast.Parameter, rest: list[ast.Parameter] | None = None
    ) -> tuple[ast.Parameter, ...]:
        """One or more, with commas between."""
        return (first, *(rest or ()))

    def parameter(
        self,
        start: int,
        end: int,
        specifiers: ast.Specifiers,
        declarator: ast.Declarator,
        default: ast.Initializer | None,
    ) -> ast.Parameter:
        """``specifiers declarator = default``."""
        self.check_layers(declarator)
        return ast.Parameter(self.span(start, end), specifiers, declarator, default)

    def parameter_unnamed(
        self, start: int, end: int, specifiers: ast.Specifiers, declarator: ast.Declarator | None
    ) -> ast.Parameter:
        """A parameter without a name."""
        declarator = declarator or self._no_name(end)
        self.check_layers(declarator)
        return ast.Parameter(self.span(start, end), specifiers, declarator, None)

    def _no_name(self, end: int) -> ast.NameDeclarator:
        """The missing name of an abstract declarator stands behind what is there."""
        last = self.spans[end]
        return ast.NameDeclarator(Span(last.file, last.end_line, last.end_column, last.end_line, last.end_column), "")

    def type_name(self, start: int, end: int, specifiers: ast.Specifiers, declarator: ast.Declarator | None) -> ast.TypeName:
        """A type in a cast, ``sizeof`` or template argument."""
        declarator = declarator or self._no_name(end)
        self.check_layers(declarator)
        return ast.TypeName(self.span(start, end), specifiers, declarator)

    def abstract_pointer(self, start: int, end: int, pointers: list[tuple[Span, tuple[ast.Word, ...]]]) -> ast.Declarator:
        """Stars without a name."""
        return self.pointer_declarator(start, end, pointers, self._no_name(end))

    def abstract_reference(self, start: int, end: int) -> ast.ReferenceDeclarator:
        """``&`` without a name."""
        return ast.ReferenceDeclarator(self.span(start, end), self._no_name(end))

    def abstract_array(self, start: int, end: int, size: ast.Expression | None) -> ast.ArrayDeclarator:
        """``[size]`` without a name."""
        return ast.ArrayDeclarator(self.span(start, end), self._no_name(start), size)

    def abstract_function(self, start: int, end: int, parameters: tuple[ast.Parameter, ...] | None) -> ast.FunctionDeclarator:
        """``(parameters)`` without a name."""
        return ast.FunctionDeclarator(self.span(start, end), self._no_name(start), parameters or ())
