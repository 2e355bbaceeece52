"""Builds the tree of files, declarations and templates (language 4.2 to 4.4), and says which names become types."""

from __future__ import annotations

from voltac.records import mutable_record, replace
from voltac.syntax import ast
from voltac.syntax.written_types import TypeBuilder


@mutable_record
class _Signature:
    """The head of a function or template definition, built when its body is about to come."""

    specifiers: ast.Specifiers
    declarator: ast.Declarator
    parameters: tuple[ast.TemplateParameter, ...] = ()


def function_parameters(declarator: ast.Declarator) -> tuple[ast.Parameter, ...]:
    """The parameters of the innermost function declarator: those of the function that is declared."""
    found: tuple[ast.Parameter, ...] = ()
    while not isinstance(declarator, ast.NameDeclarator):
        if isinstance(declarator, ast.FunctionDeclarator):
            found = declarator.parameters
        declarator = declarator.inner
    return found


class DeclarationBuilder(TypeBuilder):
    """Rules for declarations of all kinds."""

    # --- files

    """Rules for declarations of all kinds, each a method of its name; how they look stands in ``grammar.lark``."""

    def translation_unit(
        self, start: int, end: int, declarations: list[ast.ExternalDeclaration | None] | None = None
    ) -> ast.TranslationUnit:
        """All declarations of a file; stray semicolons are none. An empty file has the place of its end."""
        kept = tuple(declaration for declaration in declarations or () if declaration is not None)
        return ast.TranslationUnit(self.span(start, end) if end >= start else self.spans[-1], kept)

    def stray_semicolon(self, start: int, end: int) -> None:
        """``;`` among declarations."""
        return None

    def extern_block(self, start: int, end: int, language: int, declaration: ast.Declaration) -> ast.Declaration:
        """``extern "C" { declaration }``: the same as without braces."""
        word = self.linkage(start, language)
        specifiers = declaration.specifiers
        # 'extern' inside says the same once more, as in headers of C.
        others = (one for one in specifiers.storage if one.text != "extern")
        return replace(declaration, specifiers=replace(specifiers, storage=(word, *others)))

    def export_types(
        self, start: int, end: int, first: ast.TypeSpecifier, rest: list[ast.TypeSpecifier] | None = None
    ) -> ast.ExportTypes:
        """``export { type, ... };``."""
        return ast.ExportTypes(self.span(start, end), (first, *(rest or ())))

    def function_head(self, start: int, end: int, specifiers: ast.Specifiers, declarator: ast.Declarator) -> _Signature:
        """Opens the scope of a function with its parameters: its body is about to come."""
        self.check_layers(declarator)
        self.names.open(start)
        self._declare_parameters(declarator)
        return _Signature(specifiers, declarator)

    def function_definition(self, start: int, end: int, head: _Signature, body: ast.Compound) -> ast.FunctionDefinition:
        """The function, once its body has been read."""
        self.names.close()
        return ast.FunctionDefinition(self.span(start, end), head.specifiers, head.declarator, body)

    def _declare_parameters(self, declarator: ast.Declarator) -> None:
        for parameter in function_parameters(declarator):
            self.names.add_variable(ast.declared_name(parameter.declarator).name)

    # --- declarations

    def declaration(
        self, start: int, end: int, specifiers: ast.Specifiers, declarators: tuple[ast.InitDeclarator, ...] | None
    ) -> ast.Declaration:
        """The names are types or variables from here on."""
        is_typedef = any(word.text == "typedef" for word in specifiers.storage)
        if is_typedef and not declarators and len(specifiers.types) > 1:
            # "typedef struct S { } S;": the tag has made S a type already, so the name was read as one.
            last = specifiers.types[-1]
            if isinstance(last, ast.NamedType):
                specifiers = replace(specifiers, types=specifiers.types[:-1])
                declarators = (ast.InitDeclarator(last.span, ast.NameDeclarator(last.span, last.name), None),)
        for item in declarators or ():
            name = ast.declared_name(item.declarator).name
            if is_typedef:
                self.names.add_type(name)
            else:
                self.names.add_variable(name)
        return ast.Declaration(self.span(start, end), specifiers, declarators or ())

    def init_declarators(
        self, start: int, end: int, first: ast.InitDeclarator, rest: list[ast.InitDeclarator] | None = None
    ) -> tuple[ast.InitDeclarator, ...]:
        """One or more, with commas between."""
        return (first, *(rest or ()))

    def init_declarator(
        self, start: int, end: int, declarator: ast.Declarator, initializer: ast.Initializer | None
    ) -> ast.InitDeclarator:
        """``declarator = initializer``."""
        self.check_layers(declarator)
        return ast.InitDeclarator(self.span(start, end), declarator, initializer)

    # --- templates

    def template_open(self, start: int, end: int, word: int) -> None:
        """Opens the scope of a template's parameters."""
        self.names.open(start)

    def template_head(
        self,
        start: int,
        end: int,
        opened: None,
        first: ast.TemplateParameter,
        rest: list[ast.TemplateParameter] | None = None,
    ) -> tuple[ast.TemplateParameter, ...]:
        """``template <parameters>``."""
        return (first, *(rest or ()))

    def type_parameter(self, start: int, end: int, name: int) -> ast.TemplateParameter:
        """``typename name``: a type from here on."""
        self.names.add_type(self.texts[name])
        return ast.TemplateParameter(self.span(start, end), self.texts[name], None)

    def value_parameter(self, start: int, end: int, specifiers: ast.Specifiers, name: int) -> ast.TemplateParameter:
        """``int name`` among the parameters of a template."""
        self.names.add_variable(self.texts[name])
        return ast.TemplateParameter(self.span(start, end), self.texts[name], specifiers)

    def template_signature(
        self,
        start: int,
        end: int,
        parameters: tuple[ast.TemplateParameter, ...],
        specifiers: ast.Specifiers,
        declarator: ast.Declarator,
    ) -> _Signature:
        """A template's name is known outside its scope as soon as its head has been read."""
        self._declare_parameters(declarator)
        self.names.add_outer_template(ast.declared_name(declarator).name)
        return _Signature(specifiers, declarator, parameters)

    def template_definition(
        self, start: int, end: int, head: _Signature, body: ast.Compound | None = None
    ) -> ast.TemplateDeclaration:
        """A definition, or (``template_prototype``) a prototype without a body."""
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
        """``template <> ...``, with a body or without."""
        self.names.close()
        return ast.TemplateSpecialization(self.span(start, end), specifiers, declarator, body)

    def template_instantiation(
        self, start: int, end: int, opened: None, specifiers: ast.Specifiers, declarator: ast.Declarator
    ) -> ast.TemplateInstantiation:
        """``template ...;`` without parameters."""
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
        """``name<arguments>``, or a template's name alone."""
        arguments = None if first is None else (first, *(rest or ()))
        return ast.NameDeclarator(self.span(start, end), self.texts[name], arguments)

    def type_argument(self, start: int, end: int, specifiers: ast.Specifiers) -> ast.TypeName:
        """A type among the arguments of a template."""
        return ast.TypeName(specifiers.span, specifiers, self._no_name(end))
