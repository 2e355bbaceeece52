"""What editors say of words: everything that the language and its library have is there, and nothing else."""

from __future__ import annotations

from voltac.editors.words import BUILT_IN_VARIABLES, KEYWORDS, LIBRARY, words
from voltac.sema.expressions.names import declare_builtin_variables
from voltac.sema.library.index import index
from voltac.syntax import tables
from voltac.syntax.lexer import is_name


def named(heading: str) -> set[str]:
    return {name for name, word in words().items() if word.heading == heading}


def test_every_function_of_the_library_has_its_text() -> None:
    assert named(LIBRARY) == index().rows.keys() - index().hidden


def test_every_keyword_has_its_text() -> None:
    spellings = {word for group in tables.load().spellings.values() for word in group if is_name(word)}
    # Those with underscores are for the compiler's macros and for other compilers' attributes.
    expected = {word for word in spellings if not word.startswith("__")} - {"invoke_sycl", "delete[]"}
    assert named(KEYWORDS) == expected | {"assert", "alloca"}


def test_every_built_in_variable_has_its_text() -> None:
    class Scopes:
        def __init__(self) -> None:
            self.names: set[str] = set()

        def declare_global(self, name: str, _: object) -> None:
            self.names.add(name)

    class Checker:
        scopes = Scopes()

    declare_builtin_variables(Checker)  # type: ignore[arg-type]
    assert named(BUILT_IN_VARIABLES) == Checker.scopes.names


def test_a_form_of_a_function_has_its_name_and_parentheses() -> None:
    wrong = [
        name
        for name, word in words().items()
        if word.heading == LIBRARY and not (word.text and word.forms and all(f" {name}" in form for form in word.forms))
    ]
    assert wrong == []
    assert [
        name for name in named(LIBRARY) - {"RNGState"} if any(f" {name}(" not in form for form in words()[name].forms)
    ] == []
