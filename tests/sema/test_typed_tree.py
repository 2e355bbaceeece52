"""What the typed tree looks like: nothing implicit is left, and the forms later stages rely on."""

import pytest

from voltac.sema import tree
from voltac.sema.types import Pointer

from .annotated import assert_reports, checked, function, program


def value(body: str, parameters: str, before: str = "") -> tree.Value:
    """The value of the first statement of a function."""
    found = function(f"{before}\nvoid f({parameters}) {{ {body} }}", "f")
    assert found.body is not None
    statement = found.body.statements[0]
    assert isinstance(statement, tree.Evaluate)
    return statement.value


def test_a_uniform_base_keeps_its_rate_beside_a_varying_index() -> None:
    found = value("a[i];", "uniform float a[], int i")
    assert isinstance(found, tree.Load) and isinstance(found.place, tree.Deref)
    offset = found.place.pointer
    assert isinstance(offset, tree.PointerOffset)
    assert str(offset.type) == "uniform float * varying"
    assert str(offset.pointer.type) == "uniform float * uniform"
    assert str(offset.index.type) == "varying int32"


def test_both_sides_of_an_operator_have_one_type() -> None:
    found = value("u + v;", "uniform int u, float v")
    assert isinstance(found, tree.Binary)
    assert isinstance(found.left, tree.Broadcast) and isinstance(found.left.value, tree.Convert)
    assert str(found.left.type) == str(found.right.type) == "varying float"


def test_the_right_side_of_a_compound_assignment_takes_the_type_of_the_left() -> None:
    found = value("x *= 2.5;", "uniform int x")
    assert isinstance(found, tree.CompoundAssign) and isinstance(found.value, tree.Constant)
    assert found.value.value == 2 and str(found.value.type) == "uniform int32"


def test_shifts_take_the_type_of_the_left_side() -> None:
    found = value("a << b;", "int8 a, uniform int64 b")
    assert isinstance(found, tree.Binary)
    assert str(found.type) == str(found.right.type) == "varying int8"


def test_references_are_pointers() -> None:
    found = value("r = 3;", "uniform float &r")
    assert isinstance(found, tree.Assign) and isinstance(found.place, tree.Deref)
    pointer = found.place.pointer
    assert isinstance(pointer, tree.Load) and isinstance(pointer.place, tree.Variable)
    assert pointer.place.symbol.is_reference and isinstance(pointer.place.symbol.type.type, Pointer)


def test_reference_arguments_are_addresses() -> None:
    found = value("g(x);", "float x", "void g(float &r);")
    assert isinstance(found, tree.Call) and isinstance(found.arguments[0], tree.AddressOf)
    place = found.arguments[0].place
    assert isinstance(place, tree.Variable) and place.symbol.address_taken


def test_default_arguments_are_filled_in() -> None:
    found = value("g(1);", "int x", "void g(int a, float b = 2, uniform int c = 3);")
    assert isinstance(found, tree.Call)
    assert [one.value for one in found.arguments if isinstance(one, tree.Constant)] == [1, 2.0, 3]
    assert [str(one.type) for one in found.arguments] == ["varying int32", "varying float", "uniform int32"]


def test_operators_on_structs_are_calls() -> None:
    found = value("a + b;", "V a, V b", "struct V { float x; }; V operator+(V a, V b) { return a; }")
    assert isinstance(found, tree.Call) and found.function.name == "operator+"


def test_members_of_varying_structs_take_the_rate_of_the_object() -> None:
    source = "struct S { float free; uniform float bound; };"
    for member, expected in (("free", "varying float"), ("bound", "uniform float")):
        assert str(value(f"s.{member};", "S s", source).type) == expected


def test_swizzles_and_elements() -> None:
    assert isinstance(value("v.zyx;", "float<3> v"), tree.Swizzle)
    element = value("v.y;", "float<3> v")
    assert isinstance(element, tree.Load) and isinstance(element.place, tree.Element)


def test_logic_on_different_rates_is_varying() -> None:
    found = value("u && v;", "uniform bool u, bool v")
    assert isinstance(found, tree.Logical) and str(found.left.type) == str(found.right.type) == "varying bool"


def test_switch_lists_its_labels() -> None:
    found = function("void f(int x) { switch (x) { case 3: case 1: x = 1; default: { case -2: x = 2; } } }", "f")
    assert found.body is not None and isinstance(found.body.statements[0], tree.Switch)
    assert found.body.statements[0].labels == (3, 1, None, -2)


def test_foreach_bounds_are_int32_and_the_variable_const() -> None:
    found = function("void f(uniform int64 n) { foreach (i = 0 ... n) { } }", "f")
    assert found.body is not None and isinstance(found.body.statements[0], tree.Foreach)
    dimension = found.body.statements[0].dimensions[0]
    assert str(dimension.first.type) == str(dimension.last.type) == "uniform int32"
    assert str(dimension.symbol.type) == "const varying int32"


def test_only_what_is_called_of_the_library_is_compiled() -> None:
    names = {one.name for one in program("void f(float x) { min(x, sqrt(x)); }").functions}
    assert names == {"f", "min", "sqrt"}


def test_a_function_of_the_program_replaces_that_of_the_library() -> None:
    found = program("float sqrt(float x) { return x; } void f(float x) { sqrt(x); }")
    assert [one.library for one in found.functions if one.name == "sqrt"] == [False]


def test_a_launch_marks_its_function_and_fills_the_counts() -> None:
    found = function("task void t() { } void f() { launch[5] t(); }", "f")
    assert found.launches and found.body is not None
    statement = found.body.statements[0]
    assert isinstance(statement, tree.Evaluate) and isinstance(statement.value, tree.Launch)
    assert [one.value for one in statement.value.counts if isinstance(one, tree.Constant)] == [5, 1, 1]


def test_comments_above_a_function_are_its_documentation() -> None:
    found = function("int x;\n\n// Adds one.\n// Really.\nint f(int a) { return a + 1; }", "f")
    assert found.documentation == "Adds one.\nReally."


def test_mistakes_in_one_function_leave_the_others_alone() -> None:
    source = "void f() { unknown = 1; } // line 1\nvoid g() { return 1; }\nint h(int x) { return x; }"
    found, diagnostics = checked(source)
    assert found is not None and [item.span.line for item in diagnostics.items] == [1, 2]
    assert "h" in {one.name for one in found.functions}


# declaration -> symbol name (language 12.5, worked out by hand from its table)
MANGLED = {
    "void f(uniform float a[], uniform int n);": "f___un_3C_unf_3E_uni",
    "void f();": "f___",
    "int f(int8 a, uint8 b, int16 c, uint16 d);": "f___vytvyTvysvyS",
    "int f(int64 a, uint64 b, double c, float16 d, bool e, uint32 g);": "f___vyIvyUvydvyhvybvyu",
    "void f(const uniform int a);": "f___Cuni",
    "void f(float &a);": "f___REFvyf",
    "void f(float<3> a);": "f___vyf_3C_3_3E_",
    "struct S { int a; }; void f(S a, uniform S * uniform b);": "f___s_5B_vyS_5D_un_3C_s_5B_unS_5D__3E_",
    "enum E { A }; void f(E a);": "f___vyenum_5B_E_5D_",
    "unmasked void f(int a);": "f___UM_vyi",
    "void f(uniform float a[][4]);": "f___un_3C_unf_5B_4_5D__3E_",
    'extern "C" void f(uniform int a);': "f",
    "__attribute__((unmangled)) void f(int a);": "f",
    "template <typename T> T f(T a) { return a; } template int f<int>(int a);": "f___vyi___vyi",
}


@pytest.mark.parametrize("declaration", list(MANGLED))
def test_symbol_names(declaration: str) -> None:
    source = declaration + "\nvoid user() { &f; }" if "template" not in declaration else declaration
    if "template" in declaration:
        found = function(source, "f").mangled
    else:
        definition = declaration.rsplit(";", 1)[0]
        if 'extern "C"' in definition:
            definition = definition.replace("void f", "void f")
        body = " { return 0; }" if definition.lstrip().startswith("int ") else " { }"
        found = function(definition + body, "f").mangled
    assert found == MANGLED[declaration]


def test_a_wrong_declaration_of_a_function_makes_no_second_mistake() -> None:
    assert_reports("int f(int a = 1, int b) { return a; } // error: default\nvoid g() { f(1, 2); }")
