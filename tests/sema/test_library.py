"""The library's index: fresh, complete, and every function of the library correct enough to be checked."""

import pytest

from voltac.messages.diagnostics import Diagnostics
from voltac.sema import tree
from voltac.sema.checker import Checker
from voltac.sema.library.index import _read, build, checksums, index
from voltac.sema.library.loading import Library
from voltac.sema.scopes import FunctionSet
from voltac.sema.type_layout import Layout

from .annotated import checked, options, program


def test_the_stored_index_belongs_to_the_library() -> None:
    assert _read() is not None, "stdlib/index.json is old: run python -m voltac.sema.library.generate"
    assert build() == index()
    assert checksums()


@pytest.mark.parametrize("target", ["avx2-i32x8", "avx512skx-x16", "sse4-i8x16"])
def test_every_library_function_checks(target: str) -> None:
    of = options(target)
    checker = Checker(of, Diagnostics(), tree.Program(), Layout(of.target))
    library = Library(checker)
    from voltac.sema.overloads.template_declarations import make_instance

    inner = library.checker
    inner.make_instance = lambda template, bindings: make_instance(inner, template, bindings)
    for name in sorted(library.names()):
        found = library.find(name)
        if isinstance(found, FunctionSet):
            for function in found.functions:
                library.demand(function)
            checker.run_pending()
    assert len(checker.program.functions) > 100


def test_a_replaced_function_stays_what_the_library_itself_calls() -> None:
    found = program("float sqrt(float x) { return 0; } void f(float x) { asin(x); sqrt(x); }").functions
    symbols = [one.mangled for one in found if one.name == "sqrt"]
    assert sorted(symbols) == ["sqrt___vyf", "sqrt___vyf.library"]


def test_a_function_whose_head_names_a_type_first() -> None:
    """Its body is found behind the type, which is declared while the head is."""
    _, diagnostics = checked("uniform int n = frandom;\nfloat f(RNGState state) { return frandom(&state); }")
    assert [item.span.line for item in diagnostics.items] == [1]
