"""Builds the tree of declarations, declarators and types (language 4.2 to 4.4), and says which names become types."""

from __future__ import annotations

from voltac.messages.message import Span
from voltac.records import mutable_record, replace
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


@mutable_record
class _Signature:
    """The head of a function or template definition, built when its body is about to come."""

    specifiers: ast.Specifiers
    declarator: ast.Declarator
    parameters: tuple[ast.TemplateParameter, ...] = ()


_MOST_LAYERS = 500
"""Pointers, arrays and functions one inside the other that a type may have."""


def declared_name(declarator: ast.Declarator) -> ast.NameDeclarator:
    while not isinstance(declarator, ast.NameDeclarator):
        declarator = declarator.inner
    return declarator


def function_parameters(declarator: ast.Declarator) -> tuple[ast.Parameter, ...]:
    """The parameters of the innermost function declarator: those of the function that is declared."""
    found: tuple[ast.Parameter, ...] = ()
    while not isinstance(declarator, ast.NameDeclarator):
        if isinstance(declarator, ast.FunctionDeclarator):
            found = declarator.parameters
        declarator = declarator.inner
    return found


class DeclarationBuilder(ExpressionBuilder):
    # --- files

    def translation_unit(
        self, start: int, end: int, declarations: list[ast.ExternalDeclaration | None] | None = None
    ) -> ast.TranslationUnit:
        kept = tuple(declaration for declaration in declarations or () if declaration is not None)
        return ast.TranslationUnit(self.span(start, end) if end >= start else self.spans[-1], kept)

    def stray_semicolon(self, start: int, end: int) -> None:
        return None

    def extern_block(self, start: int, end: int, language: int, declaration: ast.Declaration) -> ast.Declaration:
        word = self.linkage(start, language)
        specifiers = declaration.specifiers
        # 'extern' inside says the same once more, as in headers of C.
        others = (one for one in specifiers.storage if one.text != "extern")
        return replace(declaration, specifiers=replace(specifiers, storage=(word, *others)))

    def export_types(
        self, start: int, end: int, first: ast.TypeSpecifier, rest: list[ast.TypeSpecifier] | None = None
    ) -> ast.ExportTypes:
        return ast.ExportTypes(self.span(start, end), (first, *(rest or ())))

    def function_head(self, start: int, end: int, specifiers: ast.Specifiers, declarator: ast.Declarator) -> _Signature:
        self.check_layers(declarator)
        self.names.open(start)
        self._declare_parameters(declarator)
        return _Signature(specifiers, declarator)

    def function_definition(self, start: int, end: int, head: _Signature, body: ast.Compound) -> ast.FunctionDefinition:
        self.names.close()
        return ast.FunctionDefinition(self.span(start, end), head.specifiers, head.declarator, body)

    def _declare_parameters(self, declarator: ast.Declarator) -> None:
        for parameter in function_parameters(declarator):
            self.names.add_variable(declared_name(parameter.declarator).name)

    # --- declarations

    def declaration(
        self, start: int, end: int, specifiers: ast.Specifiers, declarators: tuple[ast.InitDeclarator, ...] | None
    ) -> ast.Declaration:
        is_typedef = any(word.text == "typedef" for word in specifiers.storage)
        if is_typedef and not declarators and len(specifiers.types) > 1:
            # "typedef struct S { } S;": the tag has made S a type already, so the name was read as one.
            last = specifiers.types[-1]
            if isinstance(last, ast.NamedType):
                specifiers = replace(specifiers, types=specifiers.types[:-1])
                declarators = (ast.InitDeclarator(last.span, ast.NameDeclarator(last.span, last.name), None),)
        for item in declarators or ():
            name = declared_name(item.declarator).name
            if is_typedef:
                self.names.add_type(name)
            else:
                self.names.add_variable(name)
        return ast.Declaration(self.span(start, end), specifiers, declarators or ())

    def init_declarators(
        self, start: int, end: int, first: ast.InitDeclarator, rest: list[ast.InitDeclarator] | None = None
    ) -> tuple[ast.InitDeclarator, ...]:
        return (first, *(rest or ()))

    def init_declarator(
        self, start: int, end: int, declarator: ast.Declarator, initializer: ast.Initializer | None
    ) -> ast.InitDeclarator:
        self.check_layers(declarator)
        return ast.InitDeclarator(self.span(start, end), declarator, initializer)

    # --- specifiers

    def specifiers(self, start: int, end: int, items: list[_Item]) -> ast.Specifiers:
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
        return qualifiers + types

    def member_qualifiers(self, start: int, end: int, items: list[_Item] | None = None) -> list[_Item]:
        return items or []

    def types(self, start: int, end: int, items: list[_Item] | _Vector) -> list[_Item]:
        return items if isinstance(items, list) else [items]

    def qualifier(self, start: int, end: int, token: int) -> ast.Word:
        return ast.Word(self.spans[token], self.texts[token])

    storage = qualifier

    def storage_extern(self, start: int, end: int, language: int | None) -> ast.Word:
        return ast.Word(self.spans[start], "extern") if language is None else self.linkage(start, language)

    def linkage(self, start: int, language: int) -> ast.Word:
        text = self.texts[language]
        if text not in ('"C"', '"SYCL"'):
            message = f"unknown linkage {text}: 'extern \"C\"' and 'extern \"SYCL\"' are known"
            self.diagnostics.error(self.spans[language], message)
            text = '"C"'
        return ast.Word(self.span(start, language), f"extern {text}")

    def soa(self, start: int, end: int, width: int) -> _Soa:
        return _Soa(self.integer_value(width))

    def vector_type(self, start: int, end: int, element: ast.TypeSpecifier, length: int | str) -> _Vector:
        return _Vector(element, length)

    def vector_length(self, start: int, end: int, token: int) -> int | str:
        text = self.texts[token]
        return self.integer_value(token) if text[0].isdigit() else text

    def declspecs(self, start: int, end: int, first: int, rest: list[int] | None = None) -> _Declspecs:
        return _Declspecs([ast.Word(self.spans[token], self.texts[token]) for token in (first, *(rest or ()))])

    def attributes(
        self, start: int, end: int, first: ast.Attribute, rest: list[ast.Attribute] | None = None
    ) -> tuple[ast.Attribute, ...]:
        return (first, *(rest or ()))

    def attribute(self, start: int, end: int, name: int, argument: int | str | None) -> ast.Attribute:
        return ast.Attribute(self.span(start, end), self.texts[name], argument)

    def attribute_number(self, start: int, end: int, token: int) -> int:
        return self.integer_value(token)

    def atomic_type(self, start: int, end: int, token: int) -> ast.AtomicType:
        text = self.texts[token]
        return ast.AtomicType(self.spans[token], _NORMAL_TYPES.get(text, text), text)

    def named_type(self, start: int, end: int, token: int) -> ast.NamedType:
        return ast.NamedType(self.spans[token], self.texts[token])

    # --- structs and enums

    def struct_head(self, start: int, end: int, word: int, name: int) -> str:
        self.names.add_type(self.texts[name])
        return self.texts[name]

    def struct_name(self, start: int, end: int, name: str) -> ast.StructSpecifier:
        return ast.StructSpecifier(self.span(start, end), name, None)

    def struct_definition(
        self,
        start: int,
        end: int,
        name: str,
        members: tuple[ast.Declaration, ...],
        attributes: tuple[ast.Attribute, ...] | None,
    ) -> ast.StructSpecifier:
        return ast.StructSpecifier(self.span(start, end), name, members, attributes or ())

    def struct_unnamed(
        self,
        start: int,
        end: int,
        word: int,
        members: tuple[ast.Declaration, ...],
        attributes: tuple[ast.Attribute, ...] | None,
    ) -> ast.StructSpecifier:
        return self.struct_definition(start, end, "", members, attributes)

    def members(self, start: int, end: int, items: list[ast.Declaration] | None = None) -> tuple[ast.Declaration, ...]:
        return tuple(items or ())

    def member(
        self,
        start: int,
        end: int,
        specifiers: ast.Specifiers,
        first: ast.InitDeclarator,
        rest: list[ast.InitDeclarator] | None = None,
    ) -> ast.Declaration:
        return ast.Declaration(self.span(start, end), specifiers, (first, *(rest or ())))

    def member_declarator(self, start: int, end: int, declarator: ast.Declarator) -> ast.InitDeclarator:
        self.check_layers(declarator)
        return ast.InitDeclarator(self.span(start, end), declarator, None)

    def enum_head(self, start: int, end: int, word: int, name: int) -> str:
        self.names.add_type(self.texts[name])
        return self.texts[name]

    def enum_name(self, start: int, end: int, name: str) -> ast.EnumSpecifier:
        return ast.EnumSpecifier(self.span(start, end), name, None)

    def enum_definition(
        self, start: int, end: int, name: str, first: ast.Enumerator, rest: list[ast.Enumerator] | None = None
    ) -> ast.EnumSpecifier:
        return ast.EnumSpecifier(self.span(start, end), name, (first, *(rest or ())))

    def enum_unnamed(
        self, start: int, end: int, word: int, first: ast.Enumerator, rest: list[ast.Enumerator] | None = None
    ) -> ast.EnumSpecifier:
        return self.enum_definition(start, end, "", first, rest)

    def enumerator(self, start: int, end: int, name: int, value: ast.Expression | None) -> ast.Enumerator:
        return ast.Enumerator(self.span(start, end), self.texts[name], value)

    # --- declarators

    def check_layers(self, declarator: ast.Declarator) -> None:
        place = declarator.span
        for _ in range(_MOST_LAYERS):
            if isinstance(declarator, ast.NameDeclarator):
                return
            declarator = declarator.inner
        self.diagnostics.fatal(place, f"this declarator is nested too deeply: the limit is {_MOST_LAYERS} levels")

    def name_declarator(self, start: int, end: int, token: int) -> ast.NameDeclarator:
        return ast.NameDeclarator(self.spans[token], self.texts[token])

    def pointers(
        self, start: int, end: int, items: list[tuple[Span, tuple[ast.Word, ...]]]
    ) -> list[tuple[Span, tuple[ast.Word, ...]]]:
        return items

    def pointer(self, start: int, end: int, qualifiers: list[ast.Word] | None = None) -> tuple[Span, tuple[ast.Word, ...]]:
        return self.spans[start], tuple(qualifiers or ())

    def pointer_declarator(
        self, start: int, end: int, pointers: list[tuple[Span, tuple[ast.Word, ...]]], inner: ast.Declarator
    ) -> ast.Declarator:
        last = self.spans[end]
        for span, qualifiers in reversed(pointers):
            inner = ast.PointerDeclarator(span.to(last), inner, qualifiers)
        return inner

    def reference_declarator(self, start: int, end: int, inner: ast.Declarator) -> ast.ReferenceDeclarator:
        return ast.ReferenceDeclarator(self.span(start, end), inner)

    def array_declarator(self, start: int, end: int, inner: ast.Declarator, size: ast.Expression | None) -> ast.ArrayDeclarator:
        return ast.ArrayDeclarator(self.span(start, end), inner, size)

    def function_declarator(
        self, start: int, end: int, inner: ast.Declarator, parameters: tuple[ast.Parameter, ...] | None
    ) -> ast.FunctionDeclarator:
        return ast.FunctionDeclarator(self.span(start, end), inner, parameters or ())

    def parameters(
        self, start: int, end: int, first: ast.Parameter, rest: list[ast.Parameter] | None = None
    ) -> tuple[ast.Parameter, ...]:
        return (first, *(rest or ()))

    def parameter(
        self,
        start: int,
        end: int,
        specifiers: ast.Specifiers,
        declarator: ast.Declarator,
        default: ast.Initializer | None,
    ) -> ast.Parameter:
        self.check_layers(declarator)
        return ast.Parameter(self.span(start, end), specifiers, declarator, default)

    def parameter_unnamed(
        self, start: int, end: int, specifiers: ast.Specifiers, declarator: ast.Declarator | None
    ) -> ast.Parameter:
        declarator = declarator or self._no_name(end)
        self.check_layers(declarator)
        return ast.Parameter(self.span(start, end), specifiers, declarator, None)

    def _no_name(self, end: int) -> ast.NameDeclarator:
        """The missing name of an abstract declarator stands behind what is there."""
        last = self.spans[end]
        return ast.NameDeclarator(Span(last.file, last.end_line, last.end_column, last.end_line, last.end_column), "")

    def type_name(self, start: int, end: int, specifiers: ast.Specifiers, declarator: ast.Declarator | None) -> ast.TypeName:
        declarator = declarator or self._no_name(end)
        self.check_layers(declarator)
        return ast.TypeName(self.span(start, end), specifiers, declarator)

    def abstract_pointer(self, start: int, end: int, pointers: list[tuple[Span, tuple[ast.Word, ...]]]) -> ast.Declarator:
        return self.pointer_declarator(start, end, pointers, self._no_name(end))

    def abstract_reference(self, start: int, end: int) -> ast.ReferenceDeclarator:
        return ast.ReferenceDeclarator(self.span(start, end), self._no_name(end))

    def abstract_array(self, start: int, end: int, size: ast.Expression | None) -> ast.ArrayDeclarator:
        return ast.ArrayDeclarator(self.span(start, end), self._no_name(start), size)

    def abstract_function(self, start: int, end: int, parameters: tuple[ast.Parameter, ...] | None) -> ast.FunctionDeclarator:
        return ast.FunctionDeclarator(self.span(start, end), self._no_name(start), parameters or ())

    # --- templates

    def template_open(self, start: int, end: int, word: int) -> None:
        self.names.open(start)

    def template_head(
        self,
        start: int,
        end: int,
        opened: None,
        first: ast.TemplateParameter,
        rest: list[ast.TemplateParameter] | None = None,
    ) -> tuple[ast.TemplateParameter, ...]:
        return (first, *(rest or ()))

    def type_parameter(self, start: int, end: int, name: int) -> ast.TemplateParameter:
        self.names.add_type(self.texts[name])
        return ast.TemplateParameter(self.span(start, end), self.texts[name], None)

    def value_parameter(self, start: int, end: int, rate: int | None, kind: int, name: int) -> ast.TemplateParameter:
        self.names.add_variable(self.texts[name])
        return ast.TemplateParameter(self.span(start, end), self.texts[name], self.atomic_type(kind, kind, kind))

    def named_value_parameter(self, start: int, end: int, rate: int | None, kind: int, name: int) -> ast.TemplateParameter:
        self.names.add_variable(self.texts[name])
        return ast.TemplateParameter(self.span(start, end), self.texts[name], self.named_type(kind, kind, kind))

    def template_signature(
        self,
        start: int,
        end: int,
        parameters: tuple[ast.TemplateParameter, ...],
        specifiers: ast.Specifiers,
        declarator: ast.Declarator,
    ) -> _Signature:
        self._declare_parameters(declarator)
        self.names.add_outer_template(declared_name(declarator).name)
        return _Signature(specifiers, declarator, parameters)

    def template_definition(
        self, start: int, end: int, head: _Signature, body: ast.Compound | None = None
    ) -> ast.TemplateDeclaration:
        self.names.close()
        return ast.TemplateDeclaration(self.span(start, end), head.parameters, head.specifiers, head.declarator, body)

    template_prototype = template_definition

    def template_specialization(
        self,
        start: int,
        end: int,
        opened: None,
        specifiers: ast.Specifiers,
        declarator: ast.Declarator,
        body: ast.Compound | None = None,
    ) -> ast.TemplateSpecialization:
        self.names.close()
        return ast.TemplateSpecialization(self.span(start, end), specifiers, declarator, body)

    def template_instantiation(
        self, start: int, end: int, opened: None, specifiers: ast.Specifiers, declarator: ast.Declarator
    ) -> ast.TemplateInstantiation:
        self.names.close()
        return ast.TemplateInstantiation(self.span(start, end), specifiers, declarator)

    def template_id(
        self,
        start: int,
        end: int,
        name: int,
        first: ast.TypeName | ast.Expression | None,
        rest: list[ast.TypeName | ast.Expression] | None = None,
    ) -> ast.NameDeclarator:
        arguments = None if first is None else (first, *(rest or ()))
        return ast.NameDeclarator(self.span(start, end), self.texts[name], arguments)

    def type_argument(self, start: int, end: int, specifiers: ast.Specifiers) -> ast.TypeName:
        return ast.TypeName(specifiers.span, specifiers, self._no_name(end))
