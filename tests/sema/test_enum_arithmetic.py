"""What operators make of enumerators (language 16.1): one enum stays one, anything else is a number."""

import pytest

from voltac.sema import tree
from voltac.sema.types import BOOL, DOUBLE, FLOAT, INT32, INT64, UINT32, UNIFORM, VARYING, Enum, Type

from .annotated import function, rule_test

_ENUMS = "enum E { A = 1, B = 2 }; enum F { C = 4, D = 8 };\n"
_RESULTS: dict[str, Type | None] = {
    # None: the enum E
    **{f"{left} {sign} {right}": None for sign in "|&^+-*/%" for left, right in (("A", "B"), ("a", "A"), ("a", "v"))},
    **{f"{sign}{operand}": None for sign in "~-+" for operand in "Aav"},
    "a = A | B": None,
    "a |= A": None,
    "v += a": None,
    "v++": None,
    "--a": None,
    "t ? a : A": None,
    "t ? A | B : ~v": None,
    "(a | B) & ~A": None,
    **{f"{left} | {right}": UINT32 for left, right in (("A", "C"), ("a", "D"))},
    "t ? A : C": UINT32,
    "A | 1": INT32,
    "2 + a": INT32,
    "a | i64": INT64,
    "a * 1.5": FLOAT,
    "1.5d - v": DOUBLE,
    "t ? a : 3": INT32,
    "A << B": UINT32,
    "a >> 1": UINT32,
    "a && A": BOOL,
    "!a": BOOL,
    "a == (A | B)": BOOL,
    "v < a": BOOL,
}


@pytest.mark.parametrize("text", list(_RESULTS))
def test_the_type_of_a_result(text: str) -> None:
    source = f"{_ENUMS}void f(uniform E a, E v, bool t, uniform int64 i64) {{ ({text}); }}"
    body = function(source, "f").body
    assert isinstance(body, tree.Block)
    (statement,) = body.statements
    assert isinstance(statement, tree.Evaluate)
    found = statement.value.type
    wanted = _RESULTS[text]
    if wanted is None:
        assert isinstance(found.type, Enum) and found.type.name == "E"
    else:
        assert found.type == wanted
    varies = any(letter in text.replace("~", "") for letter in "vt")
    assert found.rate is (VARYING if varies else UNIFORM)


test_conversions = rule_test(
    {
        "a number is no flag": f"""{_ENUMS}
void g(uniform E a);
void f(uniform E a, E v, uniform int n) {{
    a = A | 1; // error: only by a cast
    a = A | C; // error: only by a cast
    a = A << 1; // error: only by a cast
    a = A && B; // error: only by a cast
    a = (E)(A | 1);
    a |= 1; // error: only by a cast
    a |= C; // error: unrelated
    a <<= A; // error: a shift is a number
    v >>= 1; // error: a shift is a number
    a = a | v; // error: varying
    v = a | v;
    g(A | B);
    g(A | n); // error: accept
    uniform F c = A | B; // error: unrelated
}}
uniform E h() {{ return A | B; }}
uniform E k(uniform E a = A | B) {{ return a + C; }} // error: only by a cast""",
        "overloads": f"""{_ENUMS}
void g(uniform E a, uniform int b);
void g(uniform int a, uniform E b);
void f() {{
    g(A | B, 1 | B);
    g(A, B); // error: equally
}}""",
        "a bool is no number": f"{_ENUMS}void f(uniform E a, bool b) {{ a * b; }} // error: bool",
        "floats have no bits": f"{_ENUMS}void f(uniform E a) {{ a | 1.5; }} // error: neither an integer",
    }
)
