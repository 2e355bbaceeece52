"""Declarations of qualifiers alone (language 16.1): an int32 and a warning; where no declaration stands, an error."""

import pytest

from voltac.sema.types import INT32, UINT32, UNIFORM, VARYING, Qual, Rate, Type

from .annotated import checked, program, rule_test

_PLACES: dict[str, tuple[str, Type, Rate]] = {
    "const n = 3;": ("int32 is taken", INT32, VARYING),
    "uniform n = 3;": ("uniform int", INT32, UNIFORM),
    "varying n = 3;": ("varying int", INT32, VARYING),
    "static n = 3;": ("static int", INT32, VARYING),
    "static const uniform n = 3;": ("after 'uniform'", INT32, UNIFORM),
    "uniform static n = 3;": ("after 'static'", INT32, UNIFORM),
    "unsigned n = 3;": ("unsigned int", UINT32, VARYING),
    "const uniform unsigned n = 3;": ("unsigned int", UINT32, UNIFORM),
}


@pytest.mark.parametrize("text", list(_PLACES))
@pytest.mark.parametrize("form", ["{}", "void f() {{ {} }}", "void f() {{ if (programIndex > 2) {{ {} }} }}"])
def test_a_variable_of_qualifiers_alone_is_an_int32(text: str, form: str) -> None:
    words, kind, rate = _PLACES[text]
    size = 4 if rate is UNIFORM else 32
    source = form.format(text)
    _, diagnostics = checked(source)
    assert [item.code for item in diagnostics.items] == ["implicit-type"]
    assert words in diagnostics.items[0].text
    inside = form.format(f"{text} uniform int size[sizeof(n) == {size} ? 2 : -1];")
    _, diagnostics = checked(inside, disabled=frozenset(("global-layout", "uniform", "uniform-constant")))
    assert [item.code for item in diagnostics.items] == ["implicit-type"], diagnostics.render()
    if form == "{}":
        (symbol,) = [one for one in program(source).globals if one.name == "n"]
        assert symbol.type == Qual(kind, rate, "const" in text)


test_places = rule_test(
    {
        "results": """
static f(int a) { return a; } // warning: static int
inline uniform g() { return 1; } // warning: uniform int
noinline h(); // warning: noinline int
unmasked uniform u() { return 1; } // warning: uniform int
export uniform e() { return 1; } // warning: uniform int
extern "C" uniform c(uniform int a); // warning: uniform int
struct S { int a; };
uniform operator+(S a, S b) { return 1; } // warning: uniform int
void use() { uniform int a = g() + u(); int b = f(2); uniform int d = c(3); }""",
        "parameters": """
void f(uniform n) { uniform int a = n; } // warning: uniform int
void g(const n, varying m) { n = 3; } // warning: const int // warning: varying int // error: const
void h(uniform); // warning: uniform int
void i(uniform &r, const &c) { r = 3; } // warning: uniform int // warning: const int
void j(uniform p[], const uniform * uniform q) { p[0] = *q; } // warning: uniform int // warning: uniform int
task void t(uniform n) { } // warning: uniform int
export void e(uniform n) { } // warning: uniform int
extern "C" void c(uniform); // warning: uniform int
void d(uniform n = 4) { } // warning: uniform int
void use() { uniform int a = 3; h(a); d(); launch t(a); }""",
        "function pointers": """
typedef uniform (*F)(uniform, const uniform * uniform); // warning: int // warning: int // warning: int
uniform a(uniform n, const uniform * uniform p) { return n + *p; } // warning: int // warning: int // warning: int
void f(uniform (*p)(int)) { } // warning: uniform int
void use() { uniform F g = a; }""",
        "loops and declarations of several": """
void f(uniform int n) {
    for (uniform i = 0; i < n; ++i) ; // warning: uniform int
    cfor (const uniform i = 0; i < n; ) ; // warning: uniform int
    for (uniform i = 0, j = 3; i < j; ++i) ; // warning: uniform int
    const a = 1, b[2] = { 2, 3 }, *c = 0; // warning: const int
}""",
        "templates": """
template <typename T>
uniform f(T a, const b) { // warning: const int // warning: uniform int
    const c = 3; // warning: const int
    return 1;
}
void use() { uniform int a = f(2, 3) + f(2.5f, 4); }""",
        "typedefs": """
typedef uniform Count; // warning: uniform int
typedef const *P; // warning: const int
void f() { Count n = 3; int m = programIndex; n = m; } // error: uniform""",
        "one declaration is one message": """
inline b = 3; // error: a type is missing
void f() { unmasked c = 3; } // error: a type is missing
task t() { } // error: task void
export e() { } // error: export void
typedef x; // error: a type is missing
__attribute__((aligned(16))) y; // error: a type is missing
const; // warning: declares nothing
soa<8> z; // error: a type is missing
void g(static n) { } // error: storage class
void h(task n) { } // error: a type is missing
uniform varying v; // error: already""",
        "what is assigned is converted": """
void f(float x) {
    const a = 2.75f; // warning: int32
    uniform b = x; // error: a varying value // warning: uniform int
}""",
    }
)

_NO_DECLARATIONS = {
    "struct S { int b; uniform x; };": "'x' is no type that is known, or a type is missing",
    "struct S { const *x; };": "a type is missing after 'const'",
    "struct S { unsigned x; };": "a type is missing in front",
    "int f(int a) { return (uniform)a; }": "a type is missing after 'uniform'",
    "int f(int a) { return (unsigned)a; }": "a type is missing after 'unsigned'",
    "void f(uniform int *a) { uniform int *b = (const uniform *)a; }": "a type is missing after 'uniform'",
    "int f() { return sizeof(varying); }": "a type is missing after 'varying'",
    "int f() { return sizeof(const uniform *); }": "a type is missing after 'uniform'",
    "void f() { uniform int *p = uniform new const[4]; }": "a type is missing after 'const'",
    "template <typename T> T g(T a) { return a; }\nint f() { return g<uniform>(3); }": "a type is missing after 'uniform'",
    "void f(Foo x) { }": "unknown type 'Foo'",
    "void f(uniform Foo x) { }": "unknown type 'Foo'",
    "void f() { uniform Foo *uniform x = 0; }": "unknown type 'Foo'",
    "void f() { for (uniform Foo i = 0; i < 3; ++i) ; }": "unknown type 'Foo'",
    "int uniform = 3;": "'uniform' is a keyword",
}


@pytest.mark.parametrize("text", list(_NO_DECLARATIONS))
def test_where_no_declaration_stands_a_missing_type_is_an_error(text: str) -> None:
    _, diagnostics = checked(text)
    assert [item.kind for item in diagnostics.items] == ["Error"], diagnostics.render()
    assert _NO_DECLARATIONS[text] in diagnostics.items[0].text
