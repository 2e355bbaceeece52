"""What may be a parameter of a function template (language 10.5)."""

from __future__ import annotations

from voltac.sema.checker import Checker
from voltac.sema.declarations import declarators
from voltac.sema.scopes import TemplateSymbol
from voltac.sema.types import Enum, Scalar
from voltac.syntax import ast


def check_parameters(checker: Checker, template: TemplateSymbol) -> None:
    """Types, integers, bools and enums may be parameters, each with a name of its own."""
    names: set[str] = set()
    for parameter in template.declaration.parameters:
        if parameter.name in names:
            checker.reject(
                "redeclared", parameter.span, f"'{parameter.name}' stands here already: two template parameters have one name"
            )
        names.add(parameter.name)
        if parameter.type is not None:
            for word in (*parameter.type.storage, *parameter.type.qualifiers):
                if word.text not in ("const", "uniform", "signed", "unsigned"):
                    reason = (
                        "it is one number for all lanes" if word.text == "varying" else f"'{word.text}' does not belong here"
                    )
                    checker.reject(
                        "template", word.span, f"template parameter '{parameter.name}' is always 'const uniform': {reason}"
                    )
            for specifier in parameter.type.types:
                if isinstance(specifier, ast.EnumSpecifier) and specifier.enumerators is not None:
                    # Each instance would declare it anew.
                    what = f"the enum of template parameter '{parameter.name}'"
                    checker.reject(
                        "template", specifier.span, f"{what} cannot be defined here; define it in front of the template"
                    )
            kind = declarators.resolve_specifiers(checker, parameter.type).qual.type
            if not isinstance(kind, Enum) and not (isinstance(kind, Scalar) and kind.kind != "float"):
                checker.reject(
                    "template",
                    parameter.span,
                    f"template parameter '{parameter.name}' must be a type, integer or enum, not '{kind}'",
                )
