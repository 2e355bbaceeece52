"""Declarations mean what sections 4.3 and 4.4 of the language say."""

from typing import Any

import pytest
from sources import declared, message, shown, tree

from voltac.syntax import ast


def declarations(text: str) -> list[str]:
    """Each declared name with its type, read aloud."""
    found = []
    for declaration in tree(text):
        found += [declared(declaration.specifiers, item.declarator) for item in declaration.declarators]
    return found


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("int a;", ["a: int32"]),
        ("uint a;", ["a: uint32"]),
        ("uniform unsigned int64 a, * b;", ["a: uniform unsigned int64", "b: pointer to uniform unsigned int64"]),
        ("int unsigned uniform a;", ["a: unsigned uniform int32"]),
        ("float a[3][4];", ["a: array [3] of array [4] of float"]),
        ("float *a[3];", ["a: array [3] of pointer to float"]),
        ("float (*a)[3];", ["a: pointer to array [3] of float"]),
        ("uniform int (&r)[3][2] = a;", ["r: reference to array [3] of array [2] of uniform int32"]),
        ("float * uniform a;", ["a: uniform pointer to float"]),
        ("const float * const * uniform a;", ["a: uniform pointer to const pointer to const float"]),
        (
            "float f(int, float x[], int &r);",
            ["f: function (int32, x: array [] of float, r: reference to int32) returning float"],
        ),
        ("float (*f)(int);", ["f: pointer to function (int32) returning float"]),
        ("float (*f[4])(int);", ["f: array [4] of pointer to function (int32) returning float"]),
        ("int *f();", ["f: function () returning pointer to int32"]),
        ("int &f();", ["f: function () returning reference to int32"]),
        (
            "void f(int (*)(float), int (int));",
            ["f: function (pointer to function (float) returning int32, function (int32) returning int32) returning void"],
        ),
        ("float<3> v;", ["v: float<3>"]),
        ("static const varying double<4> v = 1;", ["v: static const varying double<4>"]),
        ("extern uniform int a;", ["a: extern uniform int32"]),
        ('extern "C" void f(uniform int a);', ['f: function (a: uniform int32) returning extern "C" void']),
        ('extern "C" { void f(); }', ['f: function () returning extern "C" void']),
        ('extern "C" { extern void f(); }', ['f: function () returning extern "C" void']),
        ('extern "SYCL" { void f(); }', ['f: function () returning extern "SYCL" void']),
        ("size_t a; ptrdiff_t b; intptr_t c; uintptr_t d;", ["a: size_t", "b: ptrdiff_t", "c: intptr_t", "d: uintptr_t"]),
        ("typedef float F; F a;", ["F: typedef float", "a: F"]),
        ("typedef float (*F)(float); F a;", ["F: pointer to function (float) returning typedef float", "a: F"]),
        ("typedef uniform float<3> V; V a;", ["V: typedef uniform float<3>", "a: V"]),
        ("struct S; S * uniform p; struct S * q;", ["p: uniform pointer to S", "q: pointer to struct S"]),
        ("enum E { A }; E a; enum E b;", ["a: E", "b: enum E"]),
        ("struct P { int a; }; soa<8> P a[3];", ["a: array [3] of soa<8> P"]),
        ("unsigned a;", ["a: unsigned"]),
    ],
)
def test_declarators(text: str, meaning: list[str]) -> None:
    assert declarations(text) == meaning


def test_structs_have_members_and_attributes() -> None:
    ((first), *_) = tree("struct P { float a, *b; uniform int c[3]; P * next; struct { int d; } e; unsigned int8 f; };")
    struct = first.specifiers.types[0]
    assert isinstance(struct, ast.StructSpecifier)
    assert struct.name == "P"
    written = [member for member in struct.members or () if isinstance(member, ast.Declaration)]
    members = [declared(m.specifiers, d.declarator) for m in written for d in m.declarators]
    assert members == [
        "a: float",
        "b: pointer to float",
        "c: array [3] of uniform int32",
        "next: pointer to P",
        "e: struct ",
        "f: unsigned int8",
    ]
    (declaration,) = tree("struct E { } __attribute__((aligned(64), noescape));")
    attributes = declaration.specifiers.types[0].attributes
    assert [(attribute.name, attribute.argument) for attribute in attributes] == [("aligned", 64), ("noescape", None)]
    assert declaration.specifiers.attributes == ()


def test_a_struct_is_a_typedef_of_its_own_name() -> None:
    assert declarations("typedef struct S { int a; } S; S x;") == ["S: typedef struct S", "x: S"]
    assert declarations("struct S { int a; }; typedef struct S S; S x;") == ["S: typedef struct S", "x: S"]
    assert declarations("typedef struct { int a; } T; T x;") == ["T: typedef struct ", "x: T"]


def test_enums_have_values() -> None:
    (declaration,) = tree("enum E { A, B = 1 << 3, C, };")
    enum = declaration.specifiers.types[0]
    assert [(item.name, item.value and shown(item.value)) for item in enum.enumerators] == [
        ("A", None),
        ("B", "(1 << 3)"),
        ("C", None),
    ]
    assert tree("enum { A };")[0].specifiers.types[0].name == ""
    assert "expected identifier" in message("enum E { };").text


def test_attributes_and_declspecs() -> None:
    text = (
        '__declspec(safe, cost1) __attribute__((deprecated("no" "pe"))) __attribute__((unmangled)) '
        "void f(__attribute__((noescape)) int * uniform p);"
    )
    (declaration,) = tree(text)
    specifiers = declaration.specifiers
    assert [word.text for word in specifiers.declspecs] == ["safe", "cost1"]
    assert [(attribute.name, attribute.argument) for attribute in specifiers.attributes] == [
        ("deprecated", "nope"),
        ("unmangled", None),
    ]
    (parameter,) = declaration.declarators[0].declarator.parameters
    assert [attribute.name for attribute in parameter.specifiers.attributes] == ["noescape"]


def test_functions() -> None:
    (function,) = tree("export uniform int f(uniform int a, uniform float b = -1.5) { return a; }")
    assert isinstance(function, ast.FunctionDefinition)
    assert [word.text for word in function.specifiers.qualifiers] == ["export", "uniform"]
    first, second = function.declarator.parameters  # type: ignore[union-attr]
    assert (first.default, shown(second.default)) == (None, "(-1.5)")
    assert (function.span.line, function.span.column, function.span.end_column) == (1, 1, 74)
    (task,) = tree("task void t() { }")
    assert [word.text for word in task.specifiers.qualifiers] == ["task"]


def test_initializers_nest_and_may_end_in_a_comma() -> None:
    (declaration,) = tree("int a[2][2] = { { 1, 2 }, { 3, }, };")
    initializer = declaration.declarators[0].initializer
    assert [[shown(value) for value in row.elements] for row in initializer.elements] == [["1", "2"], ["3"]]


def test_exported_types() -> None:
    *_, exported = tree("struct S { int a; }; enum E { A }; export { S, E, float<3> };".replace(", float<3>", ", struct S"))
    assert isinstance(exported, ast.ExportTypes)
    assert len(exported.types) == 3


def templates(text: str) -> tuple[Any, ...]:
    return tree("template <typename T, int N> T f(T a); " + text)[1:]


def test_template_heads() -> None:
    (template,) = tree(
        "enum E { A }; template <typename T, uniform int N, bool B, size_t S, E V> T<N> f(T a[N]) { return a[0]; }"
    )[1:]
    assert isinstance(template, ast.TemplateDeclaration)
    kinds = [None if p.type is None else p.type.types[0].name for p in template.parameters]
    assert [p.name for p in template.parameters] == ["T", "N", "B", "S", "V"]
    assert kinds == [None, "int32", "bool", "size_t", "E"]
    assert template.specifiers.vector_length == "N"
    assert template.body is not None


def test_template_calls_have_arguments() -> None:
    (function,) = templates("void g() { f<uniform float, 3>(1); f(2); f<int8<4>, true>(x); }")
    calls = [statement.expression for statement in function.body.statements]
    assert isinstance(calls[0].function, ast.TemplateName)
    assert [type(argument).__name__ for argument in calls[0].function.arguments] == ["TypeName", "IntegerLiteral"]
    assert isinstance(calls[1].function, ast.Name)
    assert calls[2].function.arguments[0].specifiers.vector_length == 4


def test_specializations_and_instantiations() -> None:
    definition, prototype, instance = templates(
        "template <> int f<int, 3>(int a) { return 1; } template <> float * f<float, 2>(float); "
        "template double f<double, 1>(double);"
    )
    assert isinstance(definition, ast.TemplateSpecialization) and definition.body is not None
    assert isinstance(prototype, ast.TemplateSpecialization) and prototype.body is None
    assert isinstance(prototype.declarator, ast.PointerDeclarator)
    assert isinstance(instance, ast.TemplateInstantiation)
    name: Any = instance.declarator.inner  # type: ignore[union-attr]
    assert (name.name, len(name.template_arguments or ())) == ("f", 2)


def test_operators_are_functions() -> None:
    text = (
        "struct S { int a; }; S operator+(S a, S b) { return a; } S operator<<=(S &a, int b) { return a; } "
        "template <typename T> T operator*(T a);"
    )
    names = []
    for function in tree(text)[1:]:
        names.append(function.declarator.inner.name)
    assert names == ["operator+", "operator<<=", "operator*"]


def test_an_empty_file_is_legal() -> None:
    assert tree("") == tree("// nothing\n") == tree(";;") == ()
