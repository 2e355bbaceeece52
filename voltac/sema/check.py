"""The stage as a whole: a translation unit → :class:`tree.Program`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from voltac.messages.diagnostics import Diagnostics
from voltac.messages.message import NOWHERE
from voltac.options import Options
from voltac.sema import tree
from voltac.sema.checker import Checker
from voltac.sema.declarations import type_definitions  # noqa: F401  registers its functions, as the next two do
from voltac.sema.expressions import assignments, calls, operators, type_operands, unary_operators  # noqa: F401
from voltac.sema.expressions.names import declare_builtin_variables
from voltac.sema.library.loading import Library
from voltac.sema.overloads.template_declarations import check_specialisations, make_instance
from voltac.sema.scopes import Poisoned, TypeSymbol
from voltac.sema.statements import jumps, loops  # noqa: F401
from voltac.sema.type_layout import Layout
from voltac.sema.types import INT32, INT64, UINT32, UINT64, UNBOUND, Qual
from voltac.syntax import ast

if TYPE_CHECKING:
    from voltac.sema.watched import Findings


def check(
    unit: ast.TranslationUnit,
    options: Options,
    diagnostics: Diagnostics,
    file: str = "",
    findings: Findings | None = None,
) -> tree.Program:
    """Check a file; mistakes go to ``diagnostics``, and the program is only complete without any.

    ``findings`` is to hold what names and expressions are found to be.
    """
    program = tree.Program(file=file)
    if findings is None:
        checker = Checker(options, diagnostics, program, Layout(options.target))
    else:
        from voltac.sema.watched import WatchedChecker  # for editors only

        checker = WatchedChecker(options, diagnostics, program, Layout(options.target))
        checker.watch(findings)
    checkers = [checker]
    checker.make_instance = lambda template, bindings: make_instance(checker, template, bindings)
    declare_builtin_variables(checker)
    declare_builtin_types(checker)
    if options.standard_library:
        library = Library(checker)
        checker.find_in_library = library.find
        checker.find_part_of_library = library.find_part
        checker.library_names = library.names
        checker.demand_body = library.demand
        inner = library.checker
        inner.make_instance = lambda template, bindings: make_instance(inner, template, bindings)
        declare_builtin_types(inner)
        checkers.append(inner)
    for name in unit.unknown_types:
        checker.scopes.declare_global(name, Poisoned(name, NOWHERE))
    checker.declarations = unit.declarations
    for node, following in zip(unit.declarations, (*unit.declarations[1:], None)):
        checker.doubtful = isinstance(following, ast.Mistake) and following.behind_brace
        checker.declaration(node)
        checker.run_pending()
    check_specialisations(checker)
    checker.run_pending()
    if checker.target.is_device and not diagnostics.error_number:
        from voltac.sema.analyses.device_limits import check_device_limits  # for devices only

        check_device_limits(checker)
    if checker.target.has_threads and not diagnostics.error_number:
        from voltac.sema.analyses.thread_sharing import warn_about_single_threads  # for devices only

        warn_about_single_threads(checker)
    for each in checkers:
        each.finish()
    return program


def declare_builtin_types(checker: Checker) -> None:
    """``size_t`` and its relatives (language 5.2)."""
    wide = checker.target.pointer_bits == 64
    types = {
        "size_t": UINT64 if checker.options.addressing == 64 else UINT32,
        "ptrdiff_t": INT64 if wide else INT32,
        "intptr_t": INT64 if wide else INT32,
        "uintptr_t": UINT64 if wide else UINT32,
    }
    for name, type in types.items():
        checker.scopes.declare_global(name, TypeSymbol(name, Qual(type, UNBOUND), NOWHERE))
