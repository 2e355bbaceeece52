"""Declarations of functions and templates, and the file of all there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from voltac.records import record
from voltac.syntax.ast.node import Mistake, Node
from voltac.syntax.ast.types_and_expressions import Declaration

if TYPE_CHECKING:
    from voltac.syntax.ast.statements import Compound
    from voltac.syntax.ast.types_and_expressions import Declarator, Specifiers, TypeSpecifier


@record
class FunctionDefinition(Node):
    """``specifiers declarator { ... }``."""

    specifiers: Specifiers
    declarator: Declarator
    body: Compound


@record
class TemplateParameter(Node):
    """``typename name`` (``type`` is None), or a value parameter of the given type."""

    name: str
    type: Specifiers | None


@record
class TemplateDeclaration(Node):
    """``template <parameters>`` of a definition (``body``) or a prototype (``body`` None)."""

    parameters: tuple[TemplateParameter, ...]
    specifiers: Specifiers
    declarator: Declarator
    body: Compound | None


@record
class TemplateSpecialization(Node):
    """``template <> ...``; the declarator's name carries the template arguments."""

    specifiers: Specifiers
    declarator: Declarator
    body: Compound | None


@record
class TemplateInstantiation(Node):
    """``template float f<float>(float);``."""

    specifiers: Specifiers
    declarator: Declarator


@record
class ExportTypes(Node):
    """``export { A, B };``."""

    types: tuple[TypeSpecifier, ...]


ExternalDeclaration = (
    Declaration
    | FunctionDefinition
    | TemplateDeclaration
    | TemplateSpecialization
    | TemplateInstantiation
    | ExportTypes
    | Mistake
)


@record
class TranslationUnit(Node):
    """A file, with all it includes."""

    declarations: tuple[ExternalDeclaration, ...]
    unknown_types: tuple[str, ...] = ()
    """Names that were used as types and are none, reported by the parser."""
