"""Texts that ask for much: macros that double, files that include themselves or what is no file, conditions and brackets
without end, templates that instantiate themselves, types of any size, line directives with strange names."""

from __future__ import annotations

import random

BODY = "export void f(uniform int a[], uniform int n) {{ foreach (i = 0 ... n) a[i] += {}; }}\n"


def doubling(chance: random.Random) -> str:
    levels, piece = chance.randint(5, 60), chance.choice(("x x", "x + x", "x(x)", "x, x", "{ x } { x }", "x##x x", "#x x"))
    lines = [f"#define A0 {chance.choice(('1', 'a', '(', 'A0', '1 +'))}"]
    for level in range(1, levels):
        lines.append(f"#define A{level} {piece.replace('x', f'A{level - 1}')}")
    return "\n".join([*lines, BODY.format(f"A{levels - 1}")])


def calling(chance: random.Random) -> str:
    """Macros with arguments: each passes on its own, twice, or itself."""
    depth = chance.randint(3, 40)
    twice = chance.choice(("F{}(x x)", "F{}(F{}(x))", "F{}(x)F{}(x)", "F{}((x), (x))", "F{}(#x)", "F{}(x ## x)"))
    lines = ["#define F0(x) x"]
    lines += [f"#define F{k}(x) {twice.replace('{}', str(k - 1))}" for k in range(1, depth)]
    return "\n".join([*lines, BODY.format(f"F{depth - 1}({chance.choice(('1', 'F1', 'i', ')', ''))})")])


def including(chance: random.Random) -> str:
    name = chance.choice(
        ("bomb.ispc", "./bomb.ispc", "/dev/zero", "/dev/stdin", "/", ".", "..", "", "\x1b[31m", "a\0b", "/proc/self/mem")
    )
    name = chance.choice((name, name, "x" * chance.choice((10, 300, 5000)), "../" * 2000 + "etc/passwd"))
    mark = chance.choice(('"{}"', "<{}>", '"{}', "<{}", "FILE")).replace("{}", name)
    return f'#define FILE "{name}"\n' + f"#include {mark}\n" * chance.choice((1, 1, 3, 50)) + BODY.format(1)


def conditions(chance: random.Random) -> str:
    count = chance.choice((3, 100, 3000))
    test = chance.choice(
        ("#if 1", "#ifdef A", "#ifndef A", "#if 0", "#if A(", "#if 1 / 0", "#if " + "(" * 500 + "1" + ")" * 500)
    )
    lines = [f"#if {test}"] * count + [BODY.format(1)]
    lines += [chance.choice(("#endif", "#endif", "#endif", "#else", "#elif 1")) for _ in range(count + chance.randrange(-1, 2))]
    return "\n".join(lines)


def nesting(chance: random.Random) -> str:
    depth = chance.choice((10, 200, 3000, 40000))
    opening, middle, closing = chance.choice(
        (
            ("(", "1", ")"), ("-", "1", ""), ("!", "1", ""), ("a[", "0", "]"), ("1 ? 2 : ", "3", ""), ("f(", "", ")"),
            ("*", "a", ""), ("1 + ", "1", ""), ("(int)", "1", ""), ("{", "", "}"), ("if (n) ", ";", ""),
            ("foreach (i = 0 ... 1) {", "", "}"), ("{", "a[0]++;", "}"), ("{ int w = n; ", "w++;", "}"),
            ("if (i > 1) {", "", "} else n++;"), ("cif (i > 1) {", "", "}"), ("while (i < 1) {", "", "}"),
            ("cwhile (i < 1) {", "", "}"), ("for (int w = 0; w < i; w++) {", "", "}"), ("do {", "", "} while (i < 1);"),
            ("switch (i) { case 1:", "", "}"), ("foreach_active (k) {", "", "}"), ("foreach_unique (k in i) {", "", "}"),
            ("unmasked {", "", "}"), ("switch (n) { default: i;", "", "}"),
            ("sizeof(", "int", ")"), ("1 << ", "1", ""), ("i, ", "i", ""), ("++", "i", ""),
        )
    )  # fmt: skip
    nest = opening * depth + middle + closing * (depth if chance.random() < 0.9 else depth - 1)
    return BODY.format(f"1; {nest}" if "{" in opening or ";" in closing else nest)


def names(chance: random.Random) -> str:
    """Long ones that differ at their ends or nowhere, of everything that has a name."""
    long = chance.choice(("x", "ab_", "q1")) * chance.choice((40, 300, 1030, 5000))
    one, two = long + "1", long + chance.choice(("1", "2", "3"))
    kinds = (
        f"struct {one} {{ int {one}; float {two}; }}; struct {two} {{ float {one}; }};",
        f"int {one}(int {one}) {{ return {one}; }} int {two}(int {two}, int b) {{ return b; }}",
        f"enum {one} {{ {two}, {long}4 }};", f"static uniform int {one} = 1; static int {two} = 2;",
        f"void g() {{ int {one} = programIndex; {{ int {two} = {one}; foreach ({long}5 = 0 ... 3) {two} += {long}5; }} }}",
        f"template <typename {one}> {one} {two}({one} x) {{ return x; }} int g(int a) {{ return {two}<int>(a); }}",
        f"void g(uniform int n) {{ goto {one}; {one}: n++; goto {two}; {two}: ; }}",
        f"#define {one} 1\n#define {two}(x) x\nint g() {{ return {one} + {two}(2); }}",
    )  # fmt: skip
    return chance.choice(kinds) + "\n" + BODY.format("1")


def types(chance: random.Random) -> str:
    size = chance.choice(
        ("-1", "0", "1 << 20", "1 << 31", "4294967296", "9223372036854775807", "sizeof(S)", "n", "1 / 0", "~0")
    )
    head = chance.choice(
        (
            f"struct S {{ int a[{size}]; S b; }};", f"struct S {{ int a[{size}]; }};", f"static int<{size}> v;",
            f"soa<{size}> S s;",
            f"static uniform int g[{size}][{size}];", f"enum E {{ A = {size}, B, C = B << 40 }};",
            f"typedef int T[{size}]; typedef T U[{size}];",
            "template <typename T, int N> T h(T x) { return h<T, N + 1>(x); }\nint k() { return h<int, 0>(1); }",
            "template <typename T> T h(T x) { return h<T *>(&x)[0]; }\nint k() { return h<int>(1); }",
            f"template <int N> int h() {{ int a[N]; return a[0]; }}\nint k() {{ return h<{size}>(); }}",
        )
    )  # fmt: skip
    return head + "\n" + BODY.format("1")


def lines(chance: random.Random) -> str:
    """Line directives, with errors behind them."""
    names = ("x.ispc", "\\x1b[31m", "\x1b]0;t\x07", "", "<b>", "../../../etc/passwd", "a\nb", "\u202e", "x" * 3000, "\\")
    number = chance.choice(("0", "1", "-1", "4294967295", "99999999999999999999", "x", "1e5", "2147483647"))
    directive = f'#line {number} "{chance.choice(names)}"\n'
    return directive * chance.choice((1, 1, 200)) + BODY.format(
        chance.choice(("1", "undeclared", "(", '"', "'", "\x1b", "\0", "/*"))
    )


KINDS = (doubling, calling, including, conditions, nesting, names, types, lines)


def bomb(seed: int) -> str:
    chance = random.Random(f"bomb {seed}")
    return chance.choice(KINDS)(chance)
