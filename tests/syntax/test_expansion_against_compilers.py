"""Macro expansion and conditions give the tokens that gcc and clang give: tricky macros, and random ones."""

import random
import shutil
import subprocess

import pytest
from sources import tokens

from voltac.messages.diagnostics import CompileError
from voltac.syntax.lexer import TOKEN

COMPILERS = [name for name in ("gcc", "clang-19", "clang") if shutil.which(name)]

CORPUS = {
    "names that come out of macros": r"""
#define x(a) a y
#define y x
x(1)(2)(3) y(4)
#define f(a) a*g
#define g(a) f(a)
f(2)(9) g(f)(1)(2)
#define NIL(xxx) xxx
#define G_0(arg) NIL(G_1)(arg)
#define G_1(arg) NIL(arg)
G_0(42)
#define AA BB
#define BB AA
AA BB
#define a1 b1
#define b1 a1 c
a1 b1
#define REC REC + rec(REC)
#define rec(x) REC [x] rec
REC rec(REC)(2)
""",
    "arguments": r"""
#define ONE(x) [x]
#define NOPE() x
#define TWO(x, y) x-y
NOPE NOPE () NOPE( ) ONE() ONE( ) ONE((,)) ONE("a,b") ONE(',') ONE((a)(b)) TWO(,) TWO(a,) TWO(,b) TWO((a,b),(c,d))
ONE
(1) ONE (
2

) ONE(ONE(ONE(3))) TWO(ONE(1), TWO(2, 3)) ONE
""",
    "parentheses out of macros": r"""
#define EMPTY
#define LP (
#define RP )
#define F(x) <x>
#define E(...) __VA_ARGS__
#define D(x) x EMPTY
F EMPTY (1) F LP 2 RP E(F LP 3 RP) E(F, LP, 4, RP) D(F)(5) E(D(F)(6))
#define LATE() LATER
#define LATER() done
LATE()() E(LATE EMPTY ())() E(E(LATE EMPTY ())())
""",
    "stringizing": r"""
#define s(a) #a
#define xs(a) s(a)
#define Q "q\n"
s(  "a\n\\" 'c' '"' "'"   +
  b /* c */ d // e
  ) s() s( ) s(a  b) s(-1) s("\0\"") s(@ $) xs(Q) xs(s(Q)) s(Q Q) s((a, b)) s(a ## b) s(#) xs(xs(1))
""",
    "pasting": r"""
#define CAT(a, b) a##b
#define XCAT(a, b) CAT(a, b)
#define CAT3(a, b, c) a##b##c
#define AB ab
#define O(a) x a##_##a y
CAT(A, B) XCAT(A, B) XCAT(XCAT(1, 2), 3) CAT(XCA, T)(1, 2) CAT3(1e,-,5) CAT3(0x1p,+,4) CAT3(1,.,5) CAT3(x,1,_y) CAT(.5,f)
CAT(<,<=) CAT(-,>) CAT(,) CAT(a,) CAT(,b) CAT3(,,c) CAT3(a,,c) O(1) O(a b) [CAT(,)] CAT(L,__LINE__) XCAT(L,__LINE__)
#define hash_hash # ## #
#define mkstr(a) # a
#define in_between(a) mkstr(a)
#define join(c, d) in_between(c hash_hash d)
join(x, y) hash_hash
""",
    "variadic macros": r"""
#define t(x,y,...) #__VA_ARGS__ #x #y
t(1,2) t(1,2,) t(1,2,3, 4 ,  5) t(,)
#define u(...) #__VA_ARGS__ [__VA_ARGS__]
u() u( ) u(,) u(a,,b) u((a,b),c)
#define v(a, ...) f(a, ##__VA_ARGS__) g(a __VA_OPT__(,) __VA_ARGS__)
v(1) v(1,2) v(1,2,3) v((1,2),3)
#define E(x...) <x> #x
E() E(1,2) E(a)
#define W(...) a __VA_OPT__(b ## c __VA_ARGS__ (d)) e __VA_OPT__() f
W() W(1) W(1, 2)
#define COUNT(...) COUNTED(__VA_ARGS__, 5, 4, 3, 2, 1, 0)
#define COUNTED(a, b, c, d, e, n, ...) n
COUNT(x) COUNT(x, y) COUNT(x, y, z) COUNT(x, y, z, u, v)
""",
    "loops by recursion": r"""
#define EVAL(...) EVAL1(EVAL1(EVAL1(__VA_ARGS__)))
#define EVAL1(...) EVAL2(EVAL2(EVAL2(__VA_ARGS__)))
#define EVAL2(...) __VA_ARGS__
#define EMPTY()
#define DEFER(id) id EMPTY()
#define OBSTRUCT(...) __VA_ARGS__ DEFER(EMPTY)()
#define PRIMITIVE_CAT(a, ...) a ## __VA_ARGS__
#define CAT(a, ...) PRIMITIVE_CAT(a, __VA_ARGS__)
#define DEC(x) PRIMITIVE_CAT(DEC_, x)
#define DEC_0 0
#define DEC_1 0
#define DEC_2 1
#define DEC_3 2
#define CHECK_N(x, n, ...) n
#define CHECK(...) CHECK_N(__VA_ARGS__, 0,)
#define PROBE(x) x, 1,
#define NOT(x) CHECK(PRIMITIVE_CAT(NOT_, x))
#define NOT_0 PROBE(~)
#define COMPL(b) PRIMITIVE_CAT(COMPL_, b)
#define COMPL_0 1
#define COMPL_1 0
#define BOOL(x) COMPL(NOT(x))
#define IIF(c) PRIMITIVE_CAT(IIF_, c)
#define IIF_0(t, ...) __VA_ARGS__
#define IIF_1(t, ...) t
#define IF(c) IIF(BOOL(c))
#define EAT(...)
#define EXPAND(...) __VA_ARGS__
#define WHEN(c) IF(c)(EXPAND, EAT)
#define REPEAT(count, macro, ...) \
    WHEN(count) ( \
        OBSTRUCT(REPEAT_INDIRECT) () (DEC(count), macro, __VA_ARGS__) \
        OBSTRUCT(macro) (DEC(count), __VA_ARGS__) \
    )
#define REPEAT_INDIRECT() REPEAT
#define M(i, a) a[i];
EVAL(REPEAT(3, M, x)) NOT(0) NOT(2) BOOL(7) IF(0)(a, b) IF(1)(a, b)
""",
    "lists of entries": r"""
#define COLORS(X) X(RED, 1) X(GREEN, 2) X(BLUE, 4)
#define AS_ENUM(name, value) name = value,
#define AS_CASE(name, value) case name: print(#name "=" #value);
enum Color { COLORS(AS_ENUM) };
COLORS(AS_CASE)
#undef COLORS
COLORS(AS_ENUM)
""",
    "conditions": r"""
#define D defined(X)
#define X
#define Y 3
#define F(a, b) ((a) < (b))
#if D && defined Y && !defined(Z) && F(1, Y)
one
#endif
#if (1, 2) == 2
two
#endif
#if 1 << 64 == 0 && -1 >> 70 == -1 && (1 << -1) == 0
three
#endif
#if 'a' == 97 && '\0' == 0 && '\x41' == 65 && '\101' == 65 && '\377' == -1 && '\n' == 10 && '\'' == 39
four
#endif
#if -1 > 0u && (0 ? -1 : 0u) - 1 > 0 && 18446744073709551615u == -1 && -9223372036854775807 - 1 < 0
five
#endif
#if (~0u >> 63) == 1 && 7 % -3 == 1 && -7 / 2 == -3 && !!5 == 1 && (5 & 3 | 8 ^ 1) == 9 && 0b101 == 5 && 010 == 8
six
#endif
#if 1 ? 2 : (1 / 0)
seven
#elif 1 / 0
no
#endif
#if (0 && (1 / 0)) || 1
eight
#endif
#if 2 - 1 - 1 || 2 * 3 + 4 != 10 || !(1 + 2 << 3 == 24) || (1 ? 0 : 1 ? 2 : 3)
no
#else
nine
#endif
#if -1 / 2u > 1000 && -8 >> 1 == -4 && 0xFFFFFFFFFFFFFFFF + 1 == 0 && UNKNOWN == 0 && Y == 3L
ten
#endif
#if 0
#if 1
no
#else
no
#endif
don't "care
#elif 1
eleven
#else
no
#endif
""",
    "lines and comments": r"""
a/\
* comment *\
/b /\
/ line
c "/* no */" '/' /* // */ d // /* \
 still
e
/* x
*/ # /* y */ define /* z
*/ JOINED(a) a \
 + a
JOINED(1) JOINED(/* , */ 2) jo\
ined "str\
ing" __LINE__
#line 7
__LINE__
#line 20 "z.c"
__LINE__ __FILE__
#line __LINE__
__LINE__
""",
    "comments in directives": r"""
#define DECLARE(rate)       \
  rate first;    /* the next \
  * one */       \
  /* and      \
  the */ rate second; \
  rate third;  /* last    \
  */
DECLARE(a) DECLARE(b)
#define LONG(x) x /* one
 two */ + x \
 /* three
 four */ - x // five \
 still five
LONG(1)
a /*
*/ # define NOT 1
/* x
*/ /* y */ # /* z */ define YES /* u
*/ 2 // v
NOT YES
/* a */ b /* c
d */ # define NOR 3
NOR
#if 1 /* one \
  #else */ == /*
  #endif
  */ 1 \
  /* */ && 1
one
#else /* no
*/
two
#endif /*
*/
# /*
*/ undef /* \
*/ YES
YES
#define /**/ F( /**/ x /*
*/ , /* */ y ) [x /* # */ y] #x /*
#y */ #y
F(/*
*/ 1 /* */ 2 /*
*/, // no
3)
#define G /* */ (x)
G
#define H/**/(x) x
H(1)
x /*\
/ still a comment */ y /* a *\
\
/ z /*/ no */ u /**\
/ v //\
no \ 	
no
"/* \
" w // no
/* /* */ * /* // */ t
\
#define T t \
\

T
#define S(x) #x
S(a /*
 */ b/**/c /* \
 */ d)
""",
    "no directives": r"""
#define h #
h define Z 1
Z
#define KEEP(x) x
KEEP(h) include <nothing>
x # define Z 2
Z
""",
}


def expanded_by(text: str, compiler: str) -> list[str] | None:
    """The tokens that are left, or None if the compiler refuses the text."""
    command = [compiler, "-E", "-P", "-x", "c", "-std=gnu2x", "-w", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return None if done.returncode else TOKEN.findall(done.stdout)


def ours(text: str) -> list[str] | None:
    try:
        return tokens(text)
    except CompileError:
        return None


@pytest.fixture(params=COMPILERS or [None])  # type: ignore[list-item]
def compiler(request: pytest.FixtureRequest) -> str:
    if request.param is None:
        pytest.skip("neither gcc nor clang is installed")
    return str(request.param)


@pytest.mark.parametrize("text", CORPUS.values(), ids=CORPUS.keys())
def test_the_corpus_expands_as_by_other_compilers(text: str, compiler: str) -> None:
    expected = expanded_by(text, compiler)
    assert expected is not None
    assert ours(text) == expected


def random_macros(chance: random.Random) -> str:
    """Definitions of eight macros in terms of each other, and lines that use them."""
    names = "ABCDEFGH"
    shapes = {name: (chance.randrange(4), chance.random() < 0.25) if chance.random() < 0.5 else None for name in names}

    def use(name: str, words: list[str]) -> str:
        shape = shapes[name]
        if shape is None or chance.random() < 0.2:
            return name
        count = shape[0] + (chance.randrange(3) if shape[1] else 0)
        return f"{name}({','.join(' '.join(chance.choice(words) for _ in range(chance.randrange(3))) for _ in range(count))})"

    lines = []
    for name, shape in shapes.items():
        parameters = [*"xyz"[: shape[0]], *(["__VA_ARGS__"] if shape[1] else [])] if shape else []
        body: list[str] = []
        for _ in range(chance.randrange(7)):
            kind = chance.random()
            if parameters and kind < 0.35:
                body.append(chance.choice(parameters))
            elif parameters and kind < 0.45:
                body.append("#" + chance.choice(parameters))
            elif body and kind < 0.5:
                body += ["##", chance.choice(["p", "q", "1", *parameters])]
            elif kind < 0.75:
                body.append(use(chance.choice(names), [*names, "p", "1", *parameters]))
            else:
                body.append(chance.choice(["p", "q", "1", "2", "foo", name]))
        head = name + (f"({','.join(parameters).replace('__VA_ARGS__', '...')})" if shape else "")
        lines.append(f"#define {head} {' '.join(body)}")
    for _ in range(6):
        lines.append(" ".join(use(chance.choice(names), [*names, "p", "(1,2)", "A(p)", "\n"]) for _ in range(4)) + " ;")
    return "\n".join(lines) + "\n"


def with_comments(chance: random.Random, text: str) -> str:
    """The text with comments and joined lines at many of its blanks."""
    blanks = ["/* c */", "/* a\nb */", "/* a \\\n # b */", "/**/ \\\n", "/*\n\n*/ /*\\\n*/", " \\\n ", "/* // */"]
    blanks.append("// a \\\n b \n")
    found = []
    for line in text.split("\n"):
        # A line comment ends a directive.
        kinds = blanks[:-1] if line.startswith("#") else blanks
        words = line.split(" ")
        found.append("".join(word + (chance.choice(kinds) if chance.random() < 0.4 else " ") for word in words))
        if chance.random() < 0.2:
            found[-1] += "// c" + chance.choice(["", " \\\n d", " \\"])
    return "\n".join(found) + "\n"


def test_comments_are_blanks_as_by_other_compilers(compiler: str) -> None:
    accepted = 0
    for seed in range(60 if compiler == "gcc" else 20):
        chance = random.Random(seed)
        text = with_comments(chance, random_macros(chance))
        expected = expanded_by(text, compiler)
        assert ours(text) == expected, text
        accepted += expected is not None
    assert accepted >= 3


def test_random_macros_expand_as_by_other_compilers(compiler: str) -> None:
    """What the compiler refuses is refused, most often for a number of arguments or a paste that makes no token."""
    accepted = 0
    for seed in range(60 if compiler == "gcc" else 20):
        text = random_macros(random.Random(seed))
        expected = expanded_by(text, compiler)
        assert ours(text) == expected, text
        accepted += expected is not None
    assert accepted >= 3
