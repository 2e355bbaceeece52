"""Declarations of variables and typedefs, at file scope, in blocks and in ``for`` (language 7.1 to 7.3).

One file: a declaration may be of any of them, which is known only from its specifiers.
"""

from __future__ import annotations

from voltac.messages.message import Span
from voltac.records import mutable_record
from voltac.sema import attributes, tree
from voltac.sema.analyses.uniformity import note_declaration
from voltac.sema.checker import Checker, Rejected, Sibling, declaration, declared_here, first_in, place_of, statement
from voltac.sema.declarations.declarators import (
    Base,
    Declared,
    bind,
    check_function_words,
    declare,
    resolve_specifiers,
    warn_if_untyped,
)
from voltac.sema.declarations.functions import declare_function
from voltac.sema.declarations.initializers import complete_array, initialize, is_unsized, require_constant
from voltac.sema.scopes import BuiltinVariable, FunctionSet, Poisoned, Symbol, TypeSymbol
from voltac.sema.types import (
    UNBOUND,
    VARYING,
    Array,
    Enum,
    FunctionType,
    Pointer,
    Qual,
    Reference,
    Struct,
    Vector,
    Void,
)
from voltac.syntax import ast

_MOST_OF_A_FRAME = 2**31 - 1
"""Bytes of a local variable that instructions can reach."""
_MOST_OF_MEMORY = 2**47
"""Bytes a process can have."""


def declare_local(checker: Checker, symbol: tree.VariableSymbol) -> None:
    """A local or parameter becomes visible."""
    name = symbol.name
    outer = checker.scopes.find(name)
    if outer is not None:
        here = checker.scopes.find_here(name)
        # That a type of the name is in the way the parser has said.
        if here is not None and not isinstance(here, (Poisoned, TypeSymbol)):
            checker.error(
                "redeclared",
                symbol.span,
                f"'{name}' is already declared here{first_in(here, symbol.span)}",
                declared_here(here),
            )
            return
        warn_hiding(checker, symbol, outer)
    checker.scopes.declare(name, symbol)


def warn_hiding(checker: Checker, symbol: tree.VariableSymbol, outer: Symbol) -> None:
    """The warning ``shadow``, with the place of what is hidden."""
    if isinstance(outer, tree.VariableSymbol):
        text = f"'{symbol.name}' hides an outer variable of the same name{first_in(outer, symbol.span)}"
        checker.warning("shadow", symbol.span, text, declared_here(outer, "is declared here"))
    elif isinstance(outer, FunctionSet):
        function = next((one for one in outer.functions if not one.library), None)
        if function is not None:
            text = f"'{symbol.name}' hides the function of the same name"
            checker.warning("shadow", symbol.span, text, declared_here(function, "is declared here"))


@mutable_record
class _Variable:
    """A variable whose initial value is checked but which is not visible yet."""

    name: str
    qual: Qual
    span: Span
    initial: tree.Initializer | None
    alignment: int
    implicit: bool = False
    """No rate is written."""
    wrong: bool = False


# --- the two places of a declaration ----------------------------------------------------------------------------


@statement(ast.DeclarationStatement)
def check_declaration_statement(checker: Checker, node: ast.DeclarationStatement) -> tree.Statement:
    """Initial values are checked before any name of the declaration becomes visible."""
    declared = node.declaration
    try:
        base = resolve_specifiers(checker, declared.specifiers)
    except Rejected:
        _poison_all(checker, declared)
        return tree.Block(node.span, ())
    attributes.apply_declspecs(checker, None, base.declspecs)
    if not declared.declarators:
        _check_no_words(checker, base)
        attributes.warn_about(checker, base.attributes, "declaration without variables")
        return tree.Block(node.span, ())
    if base.storage == "typedef":
        for init in declared.declarators:
            define_or_poison(checker, init, base)
        return tree.Block(node.span, ())
    # All initial values first: later variables of a declaration don't see the earlier ones (language 16.1).
    variables = [_check_variable(checker, init, base, local=True) for init in declared.declarators]
    checker.siblings.clear()
    statements: list[tree.Statement] = []
    for variable in variables:
        if variable is not None:
            statements.extend(_define_local(checker, variable, base))
    return statements[0] if len(statements) == 1 else tree.Block(node.span, tuple(statements))


@declaration(ast.Declaration)
def check_file_declaration(checker: Checker, node: ast.Declaration) -> None:
    """A declaration outside of functions: variables, prototypes, typedefs, or a struct or enum alone."""
    try:
        base = resolve_specifiers(checker, node.specifiers)
    except Rejected:
        _poison_all(checker, node)
        return
    if not node.declarators:
        _check_bare(checker, node, base)
        return
    if base.storage == "typedef":
        for init in node.declarators:
            define_or_poison(checker, init, base)
        return
    variables = []
    for init in node.declarators:
        try:
            declared = declare(checker, init.declarator, base.qual, words=base.words)
        except Rejected:
            checker.scopes.poison(ast.declared_name(init.declarator))
            continue
        if isinstance(declared.qual.type, FunctionType):
            declare_function(checker, base, declared, None, node.span)
            if init.initializer is not None:
                checker.error("initializer", init.span, f"function '{declared.name}' cannot have an initial value")
        else:
            variables.append(_check_variable(checker, init, base, local=False, declared=declared))
    checker.siblings.clear()
    for variable in variables:
        if variable is not None:
            _define_global(checker, variable, base)


def _check_bare(checker: Checker, node: ast.Declaration, base: Base) -> None:
    """``struct S;``, ``enum E {...};`` and declarations that declare nothing."""
    _check_no_words(checker, base)
    attributes.warn_about(checker, base.attributes, "declaration without variables")
    if not any(isinstance(one, (ast.StructSpecifier, ast.EnumSpecifier)) for one in node.specifiers.types):
        checker.warning("empty-declaration", node.span, "the declaration declares nothing")


def _check_no_words(checker: Checker, base: Base) -> None:
    for word in base.words:
        checker.reject("specifiers", base.span, f"'{word}' is for functions only")


def _poison_all(checker: Checker, node: ast.Declaration) -> None:
    for init in node.declarators:
        checker.scopes.poison(ast.declared_name(init.declarator))


# --- typedef ----------------------------------------------------------------------------------------------------


def define_or_poison(checker: Checker, init: ast.InitDeclarator, base: Base) -> None:
    """A typedef; one with a mistake makes the name known all the same, so that its uses are no mistakes."""
    try:
        define_typedef(checker, init, base)
    except Rejected:
        checker.scopes.poison(ast.declared_name(init.declarator))


def define_typedef(checker: Checker, init: ast.InitDeclarator, base: Base) -> None:
    """The name stands for the declared type, whose rate may stay open (5.3)."""
    declared = declare(checker, init.declarator, base.qual, words=base.words)
    check_function_words(checker, base, declared, "")
    warn_if_untyped(checker, base)
    attributes.warn_about(checker, base.attributes, "typedef")
    if init.initializer is not None:
        checker.reject("initializer", init.span, f"typedef '{declared.name}' cannot have an initial value")
    kind = declared.qual.type
    if isinstance(kind, (Struct, Enum)) and not kind.name:
        kind.name = declared.name
    earlier = checker.scopes.find_here(declared.name)
    if isinstance(earlier, TypeSymbol):
        if earlier.qual.type is kind or earlier.qual == declared.qual:
            return
        checker.reject(
            "redeclared",
            declared.span,
            f"type '{declared.name}' is already declared here as '{earlier.qual}'{first_in(earlier, declared.span)}",
            declared_here(earlier),
        )
    if earlier is not None:
        checker.reject(
            "redeclared",
            declared.span,
            f"'{declared.name}' is already declared here{first_in(earlier, declared.span)}",
            declared_here(earlier),
        )
    checker.scopes.declare(declared.name, TypeSymbol(declared.name, declared.qual, declared.span))


# --- variables --------------------------------------------------------------------------------------------------


def _check_variable(
    checker: Checker, init: ast.InitDeclarator, base: Base, local: bool, declared: Declared | None = None
) -> _Variable | None:
    """Type and initial value of one variable; None if its type is wrong, and its name poisoned then."""
    try:
        if declared is None:
            declared = declare(checker, init.declarator, base.qual, words=base.words)
        qual = _variable_type(checker, declared, base, init, local)
        alignment = attributes.alignment(checker, base.attributes)
    except Rejected:
        checker.scopes.poison(ast.declared_name(init.declarator))
        return None
    variable = _Variable(declared.name, qual, declared.span, None, alignment, declared.qual.rate is UNBOUND)
    try:
        variable.initial = _initial(checker, qual, base, init, declared, local)
    except Rejected:
        variable.wrong = True
        checker.note_gap()
    advice = "variables of one declaration do not see each other; write two declarations"
    checker.siblings[declared.name] = Sibling(declared.span, ";", advice)
    return variable


def _variable_type(checker: Checker, declared: Declared, base: Base, init: ast.InitDeclarator, local: bool) -> Qual:
    name, span = declared.name, declared.span
    check_function_words(checker, base, declared, f", '{name}' is a variable")
    if base.storage.startswith('extern "'):
        checker.reject("specifiers", span, f"C linkage is for functions only; write plain extern for the variable '{name}'")
    if attributes.has(base.attributes, "noescape"):
        checker.reject("bad-attribute", span, f"noescape is for parameters, '{name}' is a variable")
    warn_if_untyped(checker, base)
    attributes.warn_about(checker, base.attributes, "variable")
    _check_scratchpad(checker, declared, base, local)
    qual = bind(declared.qual, VARYING)
    kind = qual.type
    if isinstance(kind, Void):
        checker.reject("impossible-type", span, f"variable '{name}' cannot have type void")
    if isinstance(kind, FunctionType):
        checker.reject(
            "impossible-type",
            span,
            f"a function declarator is not allowed in a local declaration; declare '{name}' at file scope",
        )
    if isinstance(kind, Array):
        qual = complete_array(qual, init.initializer)
        if is_unsized(qual) and base.storage != "extern":
            where = "local" if local else "global"
            checker.reject("array-size", span, f"the {where} array '{name}' has neither size nor initializer")
        if is_unsized(qual):
            checker.reject("array-size", span, f"the global array '{name}' has neither size nor initializer")
        while isinstance(kind, Array):
            kind = kind.element.type
    if isinstance(kind, Struct) and kind.members is None:
        checker.reject(
            "incomplete-type",
            span,
            f"variable '{name}' has the incomplete type '{kind}'; define the struct first or use a pointer",
        )
    if isinstance(qual.type, (Array, Struct, Vector)):
        _check_size(checker, qual, name, span, _MOST_OF_A_FRAME if local and base.storage != "static" else _MOST_OF_MEMORY)
    return qual


def _check_size(checker: Checker, qual: Qual, name: str, span: Span, most: int) -> None:
    try:
        size = checker.layout.size(qual)
    except ValueError:
        # A member without a size has been reported.
        return
    if size > most:
        where = "memory" if most == _MOST_OF_MEMORY else "the stack"
        checker.reject(
            "array-size", span, f"variable '{name}' is too large for {where}: it takes {size} bytes, {most} are possible"
        )


def _check_scratchpad(checker: Checker, declared: Declared, base: Base, local: bool) -> None:
    if attributes.has(base.attributes, "scratchpad"):
        if local or base.storage == "extern":
            what = "a local variable" if local else "declared extern"
            checker.reject(
                "specifiers", declared.span, f"only global variables lie in the scratchpad, '{declared.name}' is {what}"
            )
        if not checker.target.has_scratchpad:
            checker.reject(
                "specifiers", declared.span, f"target '{checker.target.name}' has no scratchpad for '{declared.name}'"
            )


def _initial(
    checker: Checker, qual: Qual, base: Base, init: ast.InitDeclarator, declared: Declared, local: bool
) -> tree.Initializer | None:
    name = declared.name
    if init.initializer is None:
        if isinstance(qual.type, Reference) and base.storage != "extern":
            checker.reject("initializer", declared.span, f"reference '{name}' is not initialised; bind it to a variable")
        if local and qual.const and not base.storage:
            checker.reject("initializer", declared.span, f"const variable '{name}' lacks its initial value")
        return None
    if base.storage == "extern":
        checker.reject(
            "initializer", init.span, f"extern variable '{name}' cannot be initialised here; its definition does that"
        )
    initial = initialize(checker, qual, init.initializer, f"initializer of '{name}'")
    if not local:
        return require_constant(checker, initial, f"global variable '{name}'", init.initializer.span)
    if base.storage == "static":
        return require_constant(checker, initial, f"static variable '{name}'", init.initializer.span)
    return initial


def _object_type(qual: Qual) -> tuple[Qual, bool]:
    """The type of the symbol: a reference is a pointer."""
    if isinstance(qual.type, Reference):
        return Qual(Pointer(qual.type.to)), True
    return qual, False


def _define_local(checker: Checker, variable: _Variable, base: Base) -> list[tree.Statement]:
    qual, reference = _object_type(variable.qual)
    kind = {"static": "static", "extern": "extern"}.get(base.storage, "local")
    symbol = tree.VariableSymbol(variable.name, qual, kind, variable.span, reference, alignment=variable.alignment)
    declare_local(checker, symbol)
    if kind == "static":
        symbol.initial = variable.initial
        checker.program.globals.append(symbol)
        return []
    if kind == "extern":
        known = checker.scopes.find_global(variable.name)
        if isinstance(known, tree.VariableSymbol) and known.type == qual:
            checker.scopes.declare(variable.name, known)
        else:
            checker.program.globals.append(symbol)
        return []
    note_declaration(checker, symbol, variable.initial, variable.implicit)
    return [tree.Declare(variable.span, symbol, variable.initial)]


def _define_global(checker: Checker, variable: _Variable, base: Base) -> None:
    qual, reference = _object_type(variable.qual)
    kind = {"static": "static", "extern": "extern"}.get(base.storage, "global")
    name, span = variable.name, variable.span
    earlier = checker.scopes.find_here(name)
    symbol = tree.VariableSymbol(name, qual, kind, span, reference, alignment=variable.alignment, initial=variable.initial)
    symbol.scratchpad = attributes.has(base.attributes, "scratchpad")
    if isinstance(earlier, tree.VariableSymbol):
        _redeclare(checker, earlier, symbol)
        return
    of_library = None if earlier is not None or checker.is_library else checker.find_in_library(name)
    if isinstance(earlier, FunctionSet) or isinstance(of_library, FunctionSet):
        function = earlier.functions[0] if isinstance(earlier, FunctionSet) and earlier.functions else None
        of = "" if isinstance(earlier, FunctionSet) else " of the standard library"
        checker.reject("redeclared", span, f"variable '{name}' has the name of a function{of}", declared_here(function))
    if earlier is not None and not isinstance(earlier, (Poisoned, BuiltinVariable)):
        checker.reject(
            "redeclared", span, f"'{name}' is already declared here{first_in(earlier, span)}", declared_here(earlier)
        )
    if isinstance(earlier, BuiltinVariable):
        checker.warning("shadow", span, f"'{name}' hides the built-in variable of the same name")
    if variable.wrong and qual.const:
        checker.scopes.declare(name, Poisoned(name, span))
        return
    checker.scopes.declare(name, symbol)
    checker.program.globals.append(symbol)


def _redeclare(checker: Checker, earlier: tree.VariableSymbol, again: tree.VariableSymbol) -> None:
    """A second declaration of a global: the same object if the types agree."""
    if earlier.type != again.type:
        checker.reject(
            "redeclared",
            again.span,
            f"the definitions of '{again.name}' disagree: '{again.type}' here, "
            f"'{earlier.type}' in {place_of(earlier, again.span)}",
            declared_here(earlier),
        )
    if earlier.initial is not None and again.initial is not None:
        checker.reject(
            "redeclared",
            again.span,
            f"variable '{again.name}' is defined twice{first_in(earlier, again.span)}",
            declared_here(earlier, "is first defined here"),
        )
    if again.initial is not None:
        earlier.initial = again.initial
    if earlier.kind == "extern" and again.kind != "extern":
        earlier.kind = again.kind
    earlier.alignment = max(earlier.alignment, again.alignment)


@declaration(ast.Mistake)
def check_mistake(checker: Checker, node: ast.Mistake) -> None:
    """A declaration with a syntax error, which was reported: its names are known to be mistaken."""
    checker.poison(node)


@declaration(ast.ExportTypes)
def check_export_types(checker: Checker, node: ast.ExportTypes) -> None:
    """``export { A, B };`` puts types into the header."""
    for specifier in node.types:
        qual = resolve_specifiers(checker, ast.Specifiers(specifier.span, (), (), (specifier,))).qual
        kind = qual.type
        if not isinstance(kind, (Struct, Enum, Vector)):
            checker.error(
                "specifiers", specifier.span, f"type '{kind}' cannot be exported; structs, enums and short vectors can"
            )
        elif kind not in checker.program.exported_types:
            checker.program.exported_types.append(kind)
