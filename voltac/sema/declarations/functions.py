"""Functions: prototypes, definitions, bodies, qualifiers (language 10)."""

from __future__ import annotations

from voltac.messages.message import Span
from voltac.sema import attributes, tree
from voltac.sema.analyses.flow import warn_about_flow
from voltac.sema.analyses.uniformity import warn_about_rates
from voltac.sema.checked_function import CheckedFunction
from voltac.sema.checker import (
    Checker,
    Rejected,
    declaration,
    declared_here,
    first_in,
    place_of,
    replaces,
)
from voltac.sema.conversions import convert
from voltac.sema.declarations.declarators import Base, Declared, declare, resolve_specifiers, warn_if_untyped
from voltac.sema.declarations.exports import check_export
from voltac.sema.declarations.lengths import declare_lengths
from voltac.sema.declarations.mangle import in_library, mangle
from voltac.sema.declarations.operator_functions import is_operator, warn_about_operator
from voltac.sema.operands import value_of
from voltac.sema.scopes import FunctionSet, Poisoned
from voltac.sema.statements.jumps import check_gotos
from voltac.sema.types import (
    FunctionType,
    Pointer,
    Qual,
    Reference,
    Void,
    same_parameters,
)
from voltac.syntax import ast, comment_above

_EXCLUDE_EACH_OTHER = (("task", "export"), ("inline", "noinline"))


@declaration(ast.FunctionDefinition)
def check_function_definition(checker: Checker, node: ast.FunctionDefinition) -> None:
    """A function with its body (10); the body is checked when all of the file is declared, or it is demanded."""
    try:
        base = resolve_specifiers(checker, node.specifiers)
        declared = declare(checker, node.declarator, base.qual)
        if not isinstance(declared.qual.type, FunctionType):
            checker.reject(
                "wrong-kind",
                declared.span,
                f"'{declared.name}' is followed by a body, but it is no function: '{declared.qual}'",
            )
        declare_function(checker, base, declared, node.body, node.span)
    except Rejected:
        checker.scopes.poison(ast.declared_name(node.declarator), at_file_scope=True)
        raise


def declare_function(checker: Checker, base: Base, declared: Declared, body: ast.Compound | None, span: Span) -> None:
    """A prototype or definition becomes visible; the body is checked at once."""
    symbol = make_symbol(checker, base, declared)
    if is_operator(symbol.name):
        warn_about_operator(checker, symbol)
    symbol = enter(checker, symbol, declared, body is not None)
    attributes.apply_to_function(checker, symbol, base.attributes)
    attributes.apply_declspecs(checker, symbol, base.declspecs)
    _check_name_of_symbol(checker, symbol)
    if symbol.exported:
        check_export(checker, symbol, declared)
    if body is None and not symbol.library and (symbol.exported or symbol.c_linkage):
        if all(symbol is not other for other in checker.program.declared):
            checker.program.declared.append(symbol)
    if body is not None:
        symbol.documentation = comment_above(checker.diagnostics.sources.get(span.file, []), span.line)
        if not checker.keep_body(symbol, body):
            check_body(checker, symbol, body)


def _check_name_of_symbol(checker: Checker, symbol: tree.FunctionSymbol) -> None:
    """Overloads are told apart by their mangled names; only one can have the plain one."""
    known = checker.scopes.find_global(symbol.name)
    for other in known.functions if isinstance(known, FunctionSet) else ():
        if other is not symbol and other.mangled == symbol.mangled:
            checker.reject(
                "redeclared",
                symbol.span,
                f"two functions have the symbol '{symbol.mangled}': unmangled functions and those of C cannot be overloaded "
                "by others of that kind",
                declared_here(other),
            )


def make_symbol(checker: Checker, base: Base, declared: Declared) -> tree.FunctionSymbol:
    """The symbol a declaration describes, before it is matched with earlier ones."""
    name, span = declared.name, declared.span
    words = base.words
    check_words(checker, base, name, span)
    plain = declared.qual.type
    assert isinstance(plain, FunctionType)
    c_linkage = base.storage.startswith('extern "')
    task = "task" in words
    unmasked = "unmasked" in words
    if base.untyped and (task or ("export" in words and plain.result.is_varying)):
        text = f"a type is missing after '{base.untyped}': write '{base.untyped} void' where '{name}' has no result"
        checker.reject("specifiers", base.span, text)
    warn_if_untyped(checker, base)
    if task and not isinstance(plain.result.type, Void):
        checker.reject("task", span, f"task '{name}' cannot have a result, its type must be void, not '{plain.result}'")
    if unmasked and "export" in words:
        checker.warning(
            "export", span, f"unmasked adds nothing to the exported function '{name}': it starts with all lanes on anyway"
        )
    function = FunctionType(plain.result, plain.parameters, unmasked or c_linkage or task, task)
    if c_linkage:
        mangled = ("__regcall3__" if "__regcall" in words else "") + name
    else:
        mangled = mangle(name, function.parameters, unmasked)
        if checker.is_library:
            mangled = in_library(mangled)
    parameters = make_parameters(checker, declared, function)
    attributes_of_linkage = ("sycl",) if base.storage == 'extern "SYCL"' else ()
    return tree.FunctionSymbol(
        name,
        function,
        mangled,
        parameters,
        None,
        span,
        exported="export" in words,
        c_linkage=c_linkage,
        static=base.storage == "static",
        inline="inline" in words,
        no_inline="noinline" in words,
        unmasked=unmasked,
        task=task,
        library=checker.is_library,
        attributes=attributes_of_linkage,
        defaults=default_arguments(checker, declared, function),
    )


def check_words(checker: Checker, base: Base, name: str, span: Span) -> None:
    """Qualifiers that exclude each other."""
    words = base.words
    for one, other in _EXCLUDE_EACH_OTHER:
        if one in words and other in words:
            checker.reject("specifiers", span, f"'{one}' and '{other}' exclude each other, both stand at function '{name}'")
    if base.storage.startswith('extern "'):
        for word in ("export", "task"):
            if word in words:
                checker.reject(
                    "specifiers", span, f"'{base.storage}' and '{word}' exclude each other, both stand at function '{name}'"
                )
    else:
        for word in ("__vectorcall", "__regcall"):
            if word in words:
                checker.reject(
                    "linkage", span, f"'{word}' goes with extern \"C\" only; function '{name}' has the volta convention"
                )
    if "__vectorcall" in words:
        made = (
            "is not made; leave it out" if checker.target.system == "windows" else "exists on Windows only, not on this system"
        )
        checker.reject("bad-attribute", span, f"'__vectorcall' of function '{name}' {made}")
    if base.storage == "typedef":
        checker.reject("specifiers", span, f"typedef does not go with the function body of '{name}'")


def make_parameters(checker: Checker, declared: Declared, function: FunctionType) -> tuple[tree.VariableSymbol, ...]:
    """The symbols of a function's parameters; one that is a reference holds a pointer."""
    symbols = []
    for node, qual in zip(declared.parameters, function.parameters):
        name = ast.declared_name(node.declarator).name
        reference = isinstance(qual.type, Reference)
        held = Qual(Pointer(qual.type.to)) if isinstance(qual.type, Reference) else qual
        symbol = tree.VariableSymbol(name, held, "parameter", node.span, reference)
        symbol.alignment = attributes.alignment(checker, node.specifiers.attributes)
        attributes.check_noescape(checker, qual, node.specifiers.attributes)
        symbols.append(symbol)
    declare_lengths(checker, declared.parameters, symbols)
    return tuple(symbols)


def default_arguments(checker: Checker, declared: Declared, function: FunctionType) -> tuple[tree.Value | None, ...]:
    """Default values: constant, and only at the end of the list."""
    if not any(node.default is not None for node in declared.parameters):
        return ()
    found: list[tree.Value | None] = []
    for node, qual in zip(declared.parameters, function.parameters):
        name = ast.declared_name(node.declarator).name
        if node.default is None:
            if found and found[-1] is not None:
                checker.reject(
                    "default-value", node.span, f"parameter '{name}' behind a defaulted one lacks a default value of its own"
                )
            found.append(None)
            continue
        if isinstance(node.default, ast.InitializerList):
            checker.reject(
                "default-value", node.default.span, f"the default value of parameter '{name}' must be a single constant"
            )
        value = value_of(checker, node.default)
        if not isinstance(value, (tree.Constant, tree.FunctionAddress)):
            checker.reject("default-value", node.default.span, f"the default value of parameter '{name}' is not constant")
        found.append(convert(checker, value, qual, f"default value of parameter '{name}'", node.default.span))
    return tuple(found)


# --- matching declarations --------------------------------------------------------------------------------------


def enter(checker: Checker, symbol: tree.FunctionSymbol, declared: Declared, is_definition: bool) -> tree.FunctionSymbol:
    """Add the symbol to the functions of its name, or unite it with an earlier declaration."""
    name, span = symbol.name, declared.span
    known = checker.scopes.find_global(name)
    if known is None or isinstance(known, Poisoned):
        known = FunctionSet(name)
        checker.scopes.declare_global(name, known)
    if not isinstance(known, FunctionSet):
        checker.reject(
            "redeclared",
            span,
            f"'{name}' is already declared here as something else than a function{first_in(known, span)}",
            declared_here(known),
        )
    # Of C functions there are few of a name.
    alike = known.functions if symbol.c_linkage else known.by_parameters.get(symbol.type.parameters, ())
    for earlier in alike:
        if (earlier.library and not symbol.library) or not _is_same(earlier, symbol):
            continue
        return _unite(checker, earlier, symbol, is_definition)
    if symbol.c_linkage:
        _check_library_namesake(checker, symbol)
    if known.joined_library and not symbol.library:
        for replaced in [one for one in known.functions if replaces(symbol, one)]:
            known.remove(replaced)
    for earlier in known.functions:
        if earlier.library and not symbol.library:
            continue
        if symbol.c_linkage and earlier.c_linkage:
            checker.reject(
                "linkage",
                span,
                f"the extern \"C\" function '{name}' cannot be overloaded by another one of C; that is in "
                f"{place_of(earlier, span)}",
                declared_here(earlier),
            )
        if symbol.exported or earlier.exported:
            checker.reject(
                "linkage",
                span,
                f"the exported function '{name}' cannot be overloaded; the other one is in {place_of(earlier, span)}",
                declared_here(earlier),
            )
    known.add(symbol)
    return symbol


def _is_same(earlier: tree.FunctionSymbol, symbol: tree.FunctionSymbol) -> bool:
    """Whether two declarations are of one function; C functions have no overloads that differ in const."""
    if earlier.c_linkage and symbol.c_linkage:
        return same_parameters(earlier.type, symbol.type)
    return earlier.type.parameters == symbol.type.parameters


def _check_library_namesake(checker: Checker, symbol: tree.FunctionSymbol) -> None:
    """A C function may stand for the library's function of its name only with the same result."""
    found = checker.find_in_library(symbol.name)
    for other in found.functions if isinstance(found, FunctionSet) else ():
        if other.type.parameters == symbol.type.parameters and other.type.result != symbol.type.result:
            checker.reject(
                "redeclared",
                symbol.span,
                f"the extern \"C\" function '{symbol.name}' differs from the library's only in the result: "
                f"'{symbol.type.result}' here, '{other.type.result}' there",
            )


def _unite(
    checker: Checker, earlier: tree.FunctionSymbol, symbol: tree.FunctionSymbol, is_definition: bool
) -> tree.FunctionSymbol:
    name, span = symbol.name, symbol.span
    if earlier.type.result != symbol.type.result:
        checker.reject(
            "redeclared",
            span,
            f"overloads of '{name}' differ only in the result: '{symbol.type.result}' here, '{earlier.type.result}' "
            f"in {place_of(earlier, span)}",
            declared_here(earlier),
        )
    if earlier.type.task != symbol.type.task or earlier.type.unmasked != symbol.type.unmasked:
        text = f"the declarations of function '{name}' disagree in task, unmasked or extern \"C\""
        checker.reject("redeclared", span, text, declared_here(earlier))
    if is_definition and earlier.body is not None:
        checker.reject(
            "redeclared",
            span,
            f"function '{name}' is defined twice; the first definition is in {place_of(earlier, span)}",
            declared_here(earlier, "is first defined here"),
        )
    if is_definition:
        earlier.parameters, earlier.span = symbol.parameters, symbol.span
    if symbol.defaults:
        earlier.defaults = symbol.defaults
    for flag in ("exported", "static", "inline", "no_inline"):
        if getattr(symbol, flag):
            setattr(earlier, flag, True)
    return earlier


# --- bodies -----------------------------------------------------------------------------------------------------


def check_body(checker: Checker, symbol: tree.FunctionSymbol, body: ast.Compound) -> None:
    """Check the body of a function and add it to the program."""
    before = checker.function
    context = checker.function = CheckedFunction(symbol, body.span)
    errors = checker.diagnostics.error_number
    checker.scopes.push()
    # Recursive calls and a second definition have to see that there is a body.
    symbol.body = tree.Block(body.span, ())
    try:
        for parameter in symbol.parameters:
            if parameter.name:
                declare_parameter(checker, parameter)
        checked = checker.statement(body)
        check_gotos(checker)
        assert isinstance(checked, tree.Block)
        has_mistakes = checker.diagnostics.error_number != errors or context.has_gaps or checker.is_garbled
        if not checker.is_library and not has_mistakes:
            warn_about_flow(checker, symbol, checked, bool(context.gotos))
            warn_about_rates(checker, context)
    finally:
        checker.scopes.pop()
        checker.function = before
    symbol.body = checked
    checker.program.functions.append(symbol)


def declare_parameter(checker: Checker, symbol: tree.VariableSymbol) -> None:
    """Makes a parameter known in the body; two of one name are an error."""
    name = symbol.name
    here = checker.scopes.find_here(name)
    if here is not None:
        text = f"parameter '{name}' is already declared here: two parameters have one name"
        checker.error("redeclared", symbol.span, text, declared_here(here))
        return
    outer = checker.scopes.find(name)
    if isinstance(outer, FunctionSet):
        if outer.functions and not outer.functions[0].library:
            text = f"parameter '{name}' hides the function of the same name"
            checker.warning("shadow", symbol.span, text, declared_here(outer.functions[0], "is declared here"))
    elif isinstance(outer, tree.VariableSymbol):
        text = f"parameter '{name}' hides an outer variable of the same name{first_in(outer, symbol.span)}"
        checker.warning("shadow", symbol.span, text, declared_here(outer, "is declared here"))
    checker.scopes.declare(name, symbol)
