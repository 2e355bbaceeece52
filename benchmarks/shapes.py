"""Sources of one shape and any size: what compilers are known to take too long for.

A shape is a row of :data:`SHAPES`: its source as a function of the size, and the size
at which programs of that shape are large. Whatever the shape, twice the size must
take twice the work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Shape:
    """``source(n)`` is the text; ``headers(n)`` the files it includes, by name."""

    source: Callable[[int], str]
    size: int
    targets: str = "avx2-i32x8"
    headers: Callable[[int], dict[str, str]] = lambda n: {}


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(lines)


def _kernel(body: str, before: str = "") -> str:
    """A kernel with varying ``x`` and ``i``, uniform ``n``, and ``body`` for each element."""
    return (
        f"{before}\nexport void kernel(uniform int from[], uniform int to[], uniform int n) {{\n"
        f"    foreach (i = 0 ... n) {{\n        int x = from[i];\n{body}\n        to[i] = x;\n    }}\n}}\n"
    )


def _function(body: str, before: str = "") -> str:
    """A kernel that runs ``body`` once, with uniform ``u`` and ``n`` and varying ``x``."""
    return (
        f"{before}\nexport void kernel(uniform int from[], uniform int to[], uniform int n) {{\n"
        f"    uniform int u = n;\n    int x = from[programIndex];\n{body}\n    to[programIndex] = x + u;\n}}\n"
    )


def _nested(n: int, head: str, inside: str, tail: str = "") -> str:
    """``head`` n times, each in the one before; ``@`` stands for the depth."""
    opened = "".join(head.replace("@", str(k)) + " {\n" for k in range(n))
    closed = "".join("} " + tail.replace("@", str(k)) + "\n" for k in reversed(range(n)))
    return opened + inside + "\n" + closed


def _else_chain(n: int, value: str) -> str:
    tests = " else ".join(f"if ({value} == {3 * k}) {value} += {k + 1};" for k in range(n))
    return f"{tests} else {value} = 0;"


def _switch(n: int, kind: str, value: str, together: int, apart: int = 3) -> str:
    """Of ``together`` cases each falls through to the next."""
    rows = [(apart * k % (1 << 31), k * 7 % 31 + 1, "break;" if (k + 1) % together == 0 else "") for k in range(n)]
    cases = _lines(f"case {label}: chosen = (chosen ^ {number}) * 5; {end}" for label, number, end in rows)
    # What is computed must not depend on the value: LLVM would compute it for every case.
    head = f"{kind} int chosen = {'from[1]' if kind == 'uniform' else 'from[i + 1]'};\nswitch ({value})"
    return f"{head} {{\n{cases}\nbreak;\ndefault: chosen = 0;\n}}\n{value} = chosen;"


def _labels_inside(n: int, together: int, head: str) -> str:
    """A varying switch with ``together`` of its labels in each of many statements."""
    groups = []
    for first in range(0, n, together):
        labels = _lines(f"case {3 * k}: x = (x ^ {k * 7 % 31 + 1}) * 5;" for k in range(first, min(first + together, n)))
        groups.append(f"{head.replace('@', str(first))} {{ x += 1;\n{labels}\n}} break;")
    return f"switch (from[i + 1]) {{ case -1:\n{_lines(groups)}\ndefault: x = 0;\n}}"


def _statements(n: int) -> str:
    """Lines of a long function: something different each time, as far as it goes."""
    kinds = (
        "int a@ = x * @ + from[i + @];",
        "if (x > @) x -= from[i] + @;",
        "x = (x ^ @) + (x >> 3);",
        "for (uniform int k = 0; k < n; ++k) x += from[k + @];",
        "float f@ = x * 0.5f + @;",
        "x = f@ > 100 ? (int)f@ : x;",
        "while (x > @ + 1000) x = x / 2 - 1;",
        "to[i + @ * n] = x + a@;",
    )
    group = len(kinds)
    return _lines(kinds[k % group].replace("@", str(k - k % group)) for k in range(n)).replace("a@", "a")


def _numbered(count: int, text: str) -> str:
    """``text`` for each number, ``@`` in it replaced."""
    return _lines(text.replace("@", str(k)) for k in range(count))


def _local_variables(n: int) -> str:
    loop = "while (x > 0) {\n" + _numbered(n, "v@ += x;") + "\nx -= v1;\n}\n"
    return _kernel(_numbered(n, "int v@ = x + @;") + loop + _numbered(n, "x += v@;"))


def _local_array(n: int) -> str:
    return _kernel(f"int a[{n + 8}];\n" + _numbered(n, "a[@] = x * @;") + _numbered(n, "x += a[(x + @) & 7];"))


def _doubling_calls(n: int) -> str:
    """Each function calls the one before twice."""
    text = "static int step{0}(int x) {{ return step{1}(x + {0}) ^ step{1}(x - {0}); }}"
    steps = _lines(text.format(k, k - 1) for k in range(1, n))
    return _kernel(f"x = step{n - 1}(x);", f"static int step0(int x) {{ return x * 3; }}\n{steps}")


def _chain_of_calls(n: int) -> str:
    steps = _lines(f"static int step{k}(int x) {{ if (x > {k}) x -= {k}; return step{k - 1}(x + {k}); }}" for k in range(1, n))
    return _kernel(f"x = step{n - 1}(x);", f"static int step0(int x) {{ return x * 3; }}\n{steps}")


def _functions(n: int, qualifier: str) -> str:
    functions = _numbered(
        n,
        f"{qualifier} int work@(int x, uniform int y) {{\n    int a = x * @ + y;\n"
        "    if (a > 10)\n        a -= x;\n    return a;\n}",
    )
    calls = _numbered(n, "x = work@(x, n);")
    return _kernel(calls, functions)


def _exports(n: int) -> str:
    return _numbered(
        n,
        "export void work@(uniform float from[], uniform float to[], uniform int n) {\n    foreach (i = 0 ... n) {\n"
        "        float x = from[i] * @;\n        if (x > @)\n            x = sqrt(x);\n        to[i] = x;\n    }\n}",
    )


def _templates(n: int) -> str:
    body = _numbered(n, "x = scaled<@>(x);")
    return _kernel(body, "template <int N>\nstatic int scaled(int x) { if (x > N) x -= N; return x * N; }")


def _structs(n: int) -> str:
    structs = _numbered(n, "struct Record@ { float a; int b[4]; uniform double c; };")
    functions = _numbered(n, "static float read@(uniform Record@ * uniform p, float x) { return p->a + p->b[1] * x + p->c; }")
    calls = _numbered(n, "y += read@((uniform Record@ * uniform)from, y);")
    return _kernel(f"float y = x;\n{calls}\nx = y;", f"{structs}\n{functions}")


def _globals(n: int) -> str:
    declared = _numbered(n, "static uniform int global@ = @; static varying float lanes@ = @;")
    return _function(_numbered(n, "u += global@; lanes@ += u; global@ = n;"), declared)


def _enumerators(n: int) -> str:
    names = ",\n".join(f"NAME{k} = {2 * k}" for k in range(n))
    return _function(_lines(f"u += NAME{k};" for k in range(0, n, 10)), f"enum Names {{\n{names}\n}};")


def _macros(n: int) -> str:
    uses = _lines(f"x += M{k}(x); u += C{k};" for k in range(n))
    return _function(uses, _numbered(n, "#define M@(x) ((x) * @ + 1)\n#define C@ @"))


def _macros_of_macros(n: int) -> str:
    chain = _lines(f"#define M{k}(x) M{k - 1}((x) + {k})" for k in range(1, n))
    return _function(f"u = M{n - 1}(u);", f"#define M0(x) (x)\n{chain}")


def _header_chain(n: int) -> dict[str, str]:
    last = {f"h{n - 1}.isph": "#define LAST 1\n"}
    text = '#pragma once\n#include "h{}.isph"\nstatic inline int f{}(int x) {{ return x + 1; }}\n'
    return {f"h{k}.isph": text.format(k + 1, k) for k in range(n - 1)} | last


def _initializer(n: int, kind: str, use: str) -> str:
    values = ", ".join(str(k * 7 % 1000) for k in range(n))
    return _function(use, f"static const {kind} table[{n}] = {{ {values} }};")


def _local_initializer(n: int) -> str:
    return _function(f"int t[] = {{ {', '.join(f'x + {k}' for k in range(n))} }}; x += t[u];")


def _struct_initializer(n: int) -> str:
    values = ",\n".join(f"{{ {k}, {k}.5f, {{ 1, {k}, 3 }} }}" for k in range(n))
    before = f"struct Entry {{ int a; float b; int8 c[3]; }};\nstatic const uniform Entry table[{n}] = {{\n{values}\n}};"
    return _function("u += table[n].a + table[n].c[1];", before)


def _deep_struct(n: int) -> str:
    structs = "struct S0 { int a; };\n" + _lines(f"struct S{k} {{ int b; S{k - 1} s; }};" for k in range(1, n))
    return _function(f"S{n - 1} v; v{'.s' * (n - 1)}.a = x; S{n - 1} w = v; x += w{'.s' * (n - 1)}.a;", structs)


def _overloads(n: int) -> str:
    types = ("int8", "int16", "int", "int64", "float", "double", "uniform int", "uniform float")
    return _kernel(
        _lines(f"x += pick(({types[k % 6]})x, {k});" for k in range(n)),
        _lines(f"static int pick({one} a, {other} b) {{ return a + b; }}" for one in types for other in types),
    )


def _many_gotos(n: int) -> str:
    return _function(_lines(f"if (u > {k}) goto label{k};\nu += {k};\nlabel{k}: u ^= 1;" for k in range(n)))


SHAPES: dict[str, Shape] = {
    # Nesting.
    "nested varying if": Shape(lambda n: _kernel(_nested(n, "if (x > @)", "x += 1;")), 50),
    "nested varying if with else": Shape(lambda n: _kernel(_nested(n, "if (x > @)", "x += 1;", "else { x -= @; }")), 50),
    "nested uniform if": Shape(lambda n: _kernel(_nested(n, "if (n > @)", "x += 1;", "else { x -= @; }")), 50),
    "nested cif": Shape(lambda n: _kernel(_nested(n, "cif (x > @)", "x += 1;", "else { x -= @; }")), 25),
    "nested while": Shape(lambda n: _kernel(_nested(n, "while (x > @)", "x -= 1;")), 25),
    "nested cwhile": Shape(lambda n: _kernel(_nested(n, "cwhile (x > @)", "x -= 1;")), 25),
    "nested for": Shape(lambda n: _kernel(_nested(n, "for (int a@ = 0; a@ < x; ++a@)", "x -= 1; if (x < 0) break;")), 25),
    "nested uniform for": Shape(
        lambda n: _function(_nested(n, "for (uniform int a@ = 0; a@ < n; ++a@)", "foreach (i = 0 ... n) to[i] += from[i];")), 25
    ),
    "nested foreach_active": Shape(lambda n: _function(_nested(n, "foreach_active (a@)", "x += 1;")), 25),
    "nested unmasked": Shape(lambda n: _kernel(_nested(n, "if (x > @) unmasked", "x += 1;")), 50),
    "nested switch": Shape(
        lambda n: _kernel(_nested(n, "switch (x + @) { case 1: x += @; break; case 2: x -= 3; default:", "x += 1;", "}")), 25
    ),
    "nested blocks": Shape(lambda n: _kernel(_nested(n, "", "int y = x; x = y + 1;")), 250),
    "nested parentheses": Shape(lambda n: _kernel(f"x = {'(x + ' * n}1{')' * n};"), 480),
    "nested uniform parentheses": Shape(lambda n: _function(f"u = {'(u * 3 ^ ' * n}1{')' * n};"), 480),
    "nested selections": Shape(lambda n: _kernel(f"x = {''.join(f'x > {k} ? x + {k} : (' for k in range(n))}0{')' * n};"), 100),
    "nested calls": Shape(lambda n: _kernel(f"x = {'max(' * n}x{''.join(f', {k})' for k in range(n))};"), 250),
    "nested && and ||": Shape(
        lambda n: _kernel(f"if ({''.join(f'x != {k} && (x > {k + 5} || ' for k in range(n))}true{')' * n}) x = 1;"), 100
    ),
    "nested structs": Shape(_deep_struct, 50),
    # Length.
    "sum of many terms": Shape(lambda n: _kernel(f"x = {' + '.join(f'x * {k}' for k in range(n))};"), 2500),
    "chain of &&": Shape(lambda n: _kernel(f"if ({' && '.join(f'x != {k}' for k in range(n))}) x = 1;"), 500),
    "chain of uniform &&": Shape(lambda n: _function(f"if ({' && '.join(f'u != {k}' for k in range(n))}) u = 1;"), 500),
    "uniform else-if": Shape(lambda n: _function(_else_chain(n, "u")), 500),
    "varying else-if": Shape(lambda n: _kernel(_else_chain(n, "x")), 500),
    "uniform switch": Shape(lambda n: _function(_switch(n, "uniform", "u", 1)), 5000),
    "uniform switch, falling through": Shape(lambda n: _function(_switch(n, "uniform", "u", 4)), 5000),
    "varying switch": Shape(lambda n: _kernel(_switch(n, "varying", "x", 1)), 5000),
    "varying switch, falling through": Shape(lambda n: _kernel(_switch(n, "varying", "x", 4)), 5000),
    "varying switch, labels far apart": Shape(lambda n: _kernel(_switch(n, "varying", "x", 4, 2654435761)), 5000),
    "labels in ifs": Shape(lambda n: _kernel(_labels_inside(n, 4, "if (from[i] > @)")), 500),
    "labels in one if": Shape(lambda n: _kernel(_labels_inside(n, n, "if (from[i] > @)")), 1000),
    "labels in loops": Shape(lambda n: _kernel(_labels_inside(n, 4, "while (x > @)")), 500),
    "lines of a function": Shape(lambda n: _kernel(_statements(n)), 2500),
    "lines of a function, 64 lanes": Shape(lambda n: _kernel(_statements(n)), 250, "avx512skx-x64"),
    "if after if": Shape(lambda n: _kernel(_numbered(n, "if (x > @) x += from[@];")), 400),
    "if after if with else": Shape(lambda n: _kernel(_numbered(n, "if (x > @) x += 3; else x ^= @;")), 400),
    "cif after cif": Shape(lambda n: _kernel(_numbered(n, "cif (x > @) x += from[@]; else x ^= 1;")), 200),
    "while after while": Shape(lambda n: _kernel(_numbered(n, "while (x > @ * 100) x -= 7;")), 200),
    "for after for": Shape(lambda n: _kernel(_numbered(n, "for (uniform int k = 0; k < n; ++k) x += from[k + @];")), 200),
    "foreach after foreach": Shape(lambda n: _function(_numbered(n, "foreach (i = 0 ... n) to[i] += from[i] * @;")), 200),
    "gathers": Shape(lambda n: _kernel(_numbered(n, "x += from[x & @];")), 500),
    "neighbours": Shape(lambda n: _kernel(_numbered(n, "x += from[i + @];")), 500),
    "stores": Shape(lambda n: _kernel(_numbered(n, "to[2 * i + @] = x + @;")), 500),
    "local variables": Shape(_local_variables, 250),
    "local array": Shape(_local_array, 250),
    "gotos": Shape(_many_gotos, 500),
    "prints": Shape(lambda n: _function(_numbered(n, 'print("value @ is % and %\\n", x, u);')), 200),
    "library calls": Shape(lambda n: _kernel("float f = x;" + _numbered(n, "f = exp(f * 0.1f) + sin(f + @);") + "x = f;"), 50),
    "initializer": Shape(lambda n: _initializer(n, "uniform int", "u += table[n];"), 50000),
    "varying initializer": Shape(lambda n: _initializer(n, "varying float", "x += table[n];"), 10000),
    "initializer of structs": Shape(_struct_initializer, 5000),
    "local initializer": Shape(_local_initializer, 500),
    # Number of declarations.
    "functions": Shape(lambda n: _functions(n, "static"), 1000),
    "functions not inlined": Shape(lambda n: _functions(n, "static noinline"), 1000),
    "exported functions": Shape(_exports, 200),
    "exported functions, three targets": Shape(_exports, 50, "sse4-i32x4,avx2-i32x8,avx512skx-x16"),
    "chain of calls": Shape(_chain_of_calls, 250),
    "doubling calls": Shape(_doubling_calls, 8),
    "overloads": Shape(_overloads, 500),
    "templates": Shape(_templates, 500),
    "structs": Shape(_structs, 500),
    "globals": Shape(_globals, 5000),
    "enumerators": Shape(_enumerators, 5000),
    "macros": Shape(_macros, 1500),
    "macros of macros": Shape(_macros_of_macros, 150),
    "includes": Shape(lambda n: _kernel("x = f0(x);", '#include "h0.isph"'), 50, headers=_header_chain),
    "comment lines": Shape(lambda n: _kernel("") + "// Something is said here.\n" * n, 50000),
    "one long line": Shape(lambda n: _kernel(" ".join(f"x += {k};" for k in range(n))), 5000),
    "nested conditionals": Shape(lambda n: "#if 1\n" * n + _kernel("") + "#endif\n" * n, 5000),
}
