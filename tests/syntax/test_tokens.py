"""Tokens that other languages do not have: ``operator`` names, ``delete[]``, digraphs, linkage names (language 2.3, 2.7)."""

from typing import Any

import pytest
from sources import OPTIONS, messages, shown, statements, tokens, tree

from voltac.driver import compile_source
from voltac.messages.diagnostics import CompileError, Diagnostics
from voltac.records import replace
from voltac.syntax import ast
from voltac.target_info import find_target

SIGNS = "* + - << >> / % == != > < >= <= & ^ | && || ++ -- ~ ! *= /= %= += -= <<= >>= &= ^= |= ="


@pytest.mark.parametrize("operator", SIGNS.split())
def test_operator_and_its_sign_are_one_name(operator: str) -> None:
    assert tokens(f"operator{operator}(") == [f"operator{operator}", "("]
    (declaration,) = tree(f"int operator{operator}(int a);")
    assert declaration.declarators[0].declarator.inner.name == f"operator{operator}"


def test_the_longest_operator_is_taken_and_a_blank_ends_the_name() -> None:
    assert tokens("operator<<=x operator<<x operator<x operator+++") == [
        "operator<<=",
        "x",
        "operator<<",
        "x",
        "operator<",
        "x",
        "operator++",
        "+",
    ]
    assert tokens("operator + operator(") == ["operator", "+", "operator", "("]
    (declaration,) = tree("int operator;")
    assert declaration.declarators[0].declarator.name == "operator"


def test_operators_of_templates_are_templates() -> None:
    text = "struct S { int a; };\ntemplate <typename T> S operator+(S a, T b) { return a; }\n"
    (_, template) = tree(text)
    assert isinstance(template, ast.TemplateDeclaration)
    declarator: Any = template.declarator
    assert declarator.inner.name == "operator+"


def test_delete_with_brackets_is_one_token_without_a_blank() -> None:
    assert tokens("delete[] p; delete [] p; delete[ ] p;")[:4] == ["delete[]", "p", ";", "delete"]
    first, second = statements("delete[] p; delete p;")
    assert isinstance(first, ast.Delete)
    assert shown(first.pointer) == shown(second.pointer) == "p"
    assert "'delete[]'" in messages("void f() { delete [] p; }")[0].text


def test_linkage_names_are_ordinary_strings_elsewhere() -> None:
    (statement,) = statements('print("C" "SYCL");')
    assert statement.format == "CSYCL"
    (declaration,) = tree('extern "C" { int f(int a); }')
    assert [word.text for word in declaration.specifiers.storage] == ['extern "C"']
    (declaration,) = tree('extern "SYCL" int f(int a);')
    assert [word.text for word in declaration.specifiers.storage] == ['extern "SYCL"']


SIZES = {
    # target -> sizes of 127, 128, 255, 256, 32767, 65535, 65536
    "sse4-i8x16": (1, 1, 1, 4, 4, 4, 4),
    "sse4-i16x8": (2, 2, 2, 2, 2, 2, 4),
    "avx2-i32x8": (4, 4, 4, 4, 4, 4, 4),
}


@pytest.mark.parametrize("target", SIZES)
def test_literals_are_as_narrow_as_the_elements_of_the_target(target: str) -> None:
    """A size that is not as said makes an array of -1 elements, which is an error."""
    numbers = (127, 128, 255, 256, 32767, 65535, 65536)
    rows = [f"sizeof({number}) == {size} * sizeof(uniform int8)" for number, size in zip(numbers, SIZES[target])]
    options = replace(OPTIONS, target=find_target(target))
    for row in rows:
        compile_source(f"static uniform int a[({row}) ? 1 : -1];", "t.ispc", options, Diagnostics(), end="check")
        with pytest.raises(CompileError, match="negative"):
            compile_source(f"static uniform int a[({row}) ? -1 : 1];", "t.ispc", options, Diagnostics(), end="check")
