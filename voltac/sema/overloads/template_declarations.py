"""Template definitions, instances, specialisations and explicit instantiations (language 10.5)."""

from __future__ import annotations

from voltac.messages.message import Span
from voltac.sema import attributes, tree
from voltac.sema.checker import Checker, Rejected, declaration, declared_here, first_in
from voltac.sema.declarations.declarators import Base, Declared, declare, resolve_specifiers
from voltac.sema.declarations.functions import check_body, make_symbol
from voltac.sema.declarations.mangle import in_library, mangle_instance
from voltac.sema.overloads import templates
from voltac.sema.overloads.template_parameters import check_parameters
from voltac.sema.scopes import FunctionSet, Poisoned, TemplateSymbol
from voltac.sema.types import Array, Enum, FunctionType, Pointer, Qual, Reference, Struct
from voltac.syntax import ast

_IMPOSSIBLE_WORDS = ("task", "export")


@declaration(ast.TemplateDeclaration)
def check_template_declaration(checker: Checker, node: ast.TemplateDeclaration) -> None:
    """A function template, declared or defined (10.5); its body is checked for each instance."""
    name = ast.declared_name(node.declarator)
    _check_specifiers(checker, node.specifiers, name.name)
    known = checker.scopes.find_global(name.name)
    if known is None or isinstance(known, Poisoned):
        known = FunctionSet(name.name)
        checker.scopes.declare_global(name.name, known)
    if not isinstance(known, FunctionSet):
        checker.reject(
            "redeclared",
            name.span,
            f"'{name.name}' is already declared here as something else than a function",
            declared_here(known),
        )
    try:
        _enter(checker, known, node, name)
    except Rejected:
        known.mistaken = True
        raise


def _enter(checker: Checker, known: FunctionSet, node: ast.TemplateDeclaration, name: ast.NameDeclarator) -> None:
    """Add a template to those of its name, or unite it with its prototype."""
    template = TemplateSymbol(name.name, node)
    check_parameters(checker, template)
    patterns = templates.parameter_patterns(checker, template, {})
    for earlier in known.templates:
        if _same_shape(checker, earlier, patterns, node):
            if earlier.declaration.body is not None and node.body is not None:
                first = ast.declared_name(earlier.declaration.declarator)
                checker.reject(
                    "redeclared",
                    name.span,
                    f"template '{name.name}' is defined twice{first_in(first, name.span)}",
                    declared_here(first, "is first defined here"),
                )
            if node.body is not None:
                earlier.declaration = node
            template = earlier
            break
    else:
        known.templates.append(template)
        known.resolved.clear()
    if node.body is not None and not checker.is_library:
        template.mistaken = _report_unknown_names(checker, node)


def _same_shape(checker: Checker, earlier: TemplateSymbol, patterns: tuple[Qual, ...], node: ast.TemplateDeclaration) -> bool:
    """A prototype and its definition have the same parameters, template parameters included."""
    mine = [(one.name, one.type is None) for one in node.parameters]
    theirs = [(one.name, one.type is None) for one in earlier.declaration.parameters]
    return mine == theirs and templates.parameter_patterns(checker, earlier, {}) == patterns


def _check_specifiers(checker: Checker, node: ast.Specifiers, name: str) -> None:
    for word in (*node.qualifiers, *node.storage):
        if word.text in _IMPOSSIBLE_WORDS or word.text == "typedef" or word.text.startswith('extern "'):
            checker.reject("template", word.span, f"'{word.text}' is not possible for the template '{name}'")


# --- names in bodies --------------------------------------------------------------------------------------------


def _report_unknown_names(checker: Checker, node: ast.TemplateDeclaration) -> bool:
    """Names that are declared nowhere are mistakes even if the template is never called; whether there are any."""
    own = {parameter.name for parameter in node.parameters}
    used: list[ast.Name] = []
    for found in ast.nodes((node.declarator, node.body)):
        if isinstance(found, ast.Name):
            used.append(found)
        elif isinstance(found, ast.Mistake):
            own.update(found.declared, found.used)
        else:
            name = getattr(found, "name", None)
            if isinstance(name, str):
                own.add(name)
    unknown: dict[str, Span] = {}
    for use in used:
        if use.name not in own and checker.find(use.name) is None:
            unknown.setdefault(use.name, use.span)
    for missing, span in unknown.items():
        checker.error("undeclared", span, f"'{missing}' is not declared{checker.suggest(missing)}")
    return bool(unknown)


# --- instances --------------------------------------------------------------------------------------------------


def make_instance(checker: Checker, template: TemplateSymbol, bindings: templates.Bindings) -> tree.FunctionSymbol:
    """The signature of an instance; called with the template parameters bound."""
    node = template.declaration
    base, declared = _declare(checker, node.specifiers, node.declarator)
    symbol = make_symbol(checker, base, declared)
    attributes.apply_to_function(checker, symbol, base.attributes)
    _name_instance(checker, symbol, template, bindings)
    body = node.body
    if body is not None:
        checker.instance_bodies[symbol] = templates.body_checker(
            checker, template, bindings, lambda: None if template.mistaken else check_body(checker, symbol, body)
        )
    return symbol


def _declare(checker: Checker, specifiers: ast.Specifiers, declarator: ast.Declarator) -> tuple[Base, Declared]:
    base = resolve_specifiers(checker, specifiers)
    declared = declare(checker, declarator, base.qual)
    if not isinstance(declared.qual.type, FunctionType):
        checker.reject("template", declared.span, f"'{declared.name}' is no function; only functions can be templates")
    return base, declared


def _name_instance(
    checker: Checker, symbol: tree.FunctionSymbol, template: TemplateSymbol, bindings: templates.Bindings
) -> None:
    values = [bindings[parameter.name] for parameter in template.declaration.parameters]
    codes = [value if isinstance(value, Qual) else int(value.value) for value in values]
    mangled = mangle_instance(template.name, codes, symbol.type.parameters, symbol.unmasked)
    # Types of functions, and those without a name, may have one name and be different ones, in other files too.
    symbol.static |= any(isinstance(value, Qual) and _has_local_type(value) for value in values)
    instance, number, name = (template, templates.key_of(template, bindings)), 1, mangled
    while checker.instance_names.setdefault(name, instance) != instance:
        number += 1
        name = f"{mangled}.{number}"
    symbol.mangled = in_library(name) if symbol.library else name
    symbol.weak = True


def _has_local_type(qual: Qual) -> bool:
    match qual.type:
        case Struct() | Enum() as named:
            return named.is_local or not named.name
        case Pointer(to) | Reference(to):
            return _has_local_type(to)
        case Array(element):
            return _has_local_type(element)
        case FunctionType(result, parameters):
            return any(map(_has_local_type, (result, *parameters)))
    return False


def _find_template(
    checker: Checker, node: ast.TemplateSpecialization | ast.TemplateInstantiation, declared: Declared, verb: str
) -> tuple[TemplateSymbol, templates.Bindings]:
    """The template that a specialisation or instantiation names, and the arguments it is for."""
    name = ast.declared_name(node.declarator)
    known = checker.scopes.find_global(name.name)
    if isinstance(known, Poisoned) or (isinstance(known, FunctionSet) and known.mistaken):
        raise Rejected
    if not isinstance(known, FunctionSet) or not known.templates:
        checker.reject("undeclared", name.span, f"there is no template '{name.name}' to {verb}")
    if name.template_arguments is None:
        checker.reject(
            "template", name.span, f"the template arguments of '{name.name}' must be spelled out here: {name.name}<...>"
        )
    explicit = templates.resolve_arguments(checker, name.template_arguments)
    assert isinstance(declared.qual.type, FunctionType)
    wanted = declared.qual.type.parameters
    reasons = []
    for template in known.templates:
        bindings = templates.match_explicit(checker, template, explicit, name.span)
        if isinstance(bindings, str):
            reasons.append(bindings)
            continue
        if len(bindings) < len(template.declaration.parameters):
            reasons.append("not all template arguments are given")
            continue
        if template.declaration.body is None and verb == "instantiate":
            reasons.append("it is declared but not defined")
            continue
        if templates.instance_parameters(checker, template, bindings) == wanted:
            return template, bindings
        reasons.append("its parameter types are different")
    checker.reject(
        "template", name.span, f"there is no template '{name.name}' to {verb} with these types: {'; '.join(reasons)}"
    )


def _check_agreement(checker: Checker, template: TemplateSymbol, node: ast.Specifiers, name: ast.NameDeclarator) -> None:
    primary = template.declaration.specifiers
    if node.storage and {word.text for word in node.storage} != {word.text for word in primary.storage}:
        checker.reject("template", name.span, f"the storage class differs from that of the primary template '{name.name}'")
    unmasked = any(word.text == "unmasked" for word in node.qualifiers)
    if unmasked != any(word.text == "unmasked" for word in primary.qualifiers):
        checker.reject("template", name.span, f"'unmasked' differs from the primary template '{name.name}'")


@declaration(ast.TemplateSpecialization)
def check_template_specialization(checker: Checker, node: ast.TemplateSpecialization) -> None:
    """``template <> ...``: another body for some arguments of a template that is declared."""
    name = ast.declared_name(node.declarator)
    _check_specifiers(checker, node.specifiers, name.name)
    base, declared = _declare(checker, node.specifiers, node.declarator)
    template, bindings = _find_template(checker, node, declared, "specialise")
    _check_agreement(checker, template, node.specifiers, name)
    key = templates.key_of(template, bindings)
    earlier = template.instances.get(key)
    if earlier is not None and earlier in checker.specialisations and earlier.body is None:
        symbol = earlier
        symbol.parameters = make_symbol(checker, base, declared).parameters
    else:
        if earlier is not None and earlier not in checker.instance_bodies:
            checker.reject(
                "redeclared",
                name.span,
                f"a specialisation of '{name.name}' for these types exists already, or it has been used before",
                declared_here(earlier, "is first defined here"),
            )
        if earlier is not None:
            del checker.instance_bodies[earlier]
        symbol = make_symbol(checker, base, declared)
        _name_instance(checker, symbol, template, bindings)
        template.instances[key] = symbol
        checker.specialisations.append(symbol)
    if node.body is not None:
        check_body(checker, symbol, node.body)


@declaration(ast.TemplateInstantiation)
def check_template_instantiation(checker: Checker, node: ast.TemplateInstantiation) -> None:
    """``template f<...>(...);``: the instance is made, whether it is called or not."""
    name = ast.declared_name(node.declarator)
    _check_specifiers(checker, node.specifiers, name.name)
    _, declared = _declare(checker, node.specifiers, node.declarator)
    template, bindings = _find_template(checker, node, declared, "instantiate")
    _check_agreement(checker, template, node.specifiers, name)
    templates.demand(checker, templates.instance(checker, template, bindings, name.span), name.span)


def check_specialisations(checker: Checker) -> None:
    """At the end of the file: each specialisation has a body."""
    for symbol in checker.specialisations:
        if symbol.body is None:
            checker.error("template", symbol.span, f"the specialisation of '{symbol.name}' has no definition")
