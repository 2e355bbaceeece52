"""Headers of whole programs: C and C++ compilers accept them and lay everything out as the program does."""

from __future__ import annotations

import random
import re
import subprocess
from pathlib import Path

import pytest

from voltac.driver import compile_source
from voltac.lower.functions.c_header import c_header, general_c_header
from voltac.options import Options
from voltac.sema.tree import Program
from voltac.sema.type_layout import Layout
from voltac.sema.types import UNIFORM, VARYING, Qual, Struct, member_qual
from voltac.target_info import find_target

TARGETS = ("sse4-i32x4", "avx2-i32x8", "avx512skx-x16")
_FLAGS = ("-Wall", "-Wextra", "-Werror", "-Wno-invalid-offsetof", "-c")


def checked(source: str, target: str = "avx2-i32x8") -> tuple[Program, Options]:
    options = Options(target=find_target(target))
    return compile_source(source, "x.ispc", options, end="check").program, options


def header_of(source: str, target: str = "avx2-i32x8") -> str:
    return c_header(*checked(source, target), "x.h")


def accept(header: str, folder: Path, *lines: str) -> None:
    (folder / "x.h").write_text(header)
    includes, body = '#include <stddef.h>\n#include "x.h"\n#include "x.h"\n', "\n".join(lines) + "\n"
    (folder / "c.c").write_text(includes + body)
    (folder / "cpp.cpp").write_text(f"{includes}using namespace ispc;\n#define _Static_assert static_assert\n{body}")
    for compiler, file in (("gcc", "c.c"), ("g++", "cpp.cpp")):
        flags = [flag for flag in _FLAGS if compiler == "g++" or flag != "-Wno-invalid-offsetof"]
        done = subprocess.run([compiler, *flags, file, "-o", "/dev/null"], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr + header


def layout_checks(layout: Layout, struct: Qual, name: str) -> list[str]:
    """That a struct has its size, and each member, of nameless structs too, its place."""
    lines = [f'_Static_assert(sizeof({name}) == {layout.size(struct)}, "size");']

    def walk(qual: Qual, start: int, path: str) -> None:
        assert isinstance(qual.type, Struct) and qual.type.members is not None
        for index, (member, offset) in enumerate(zip(qual.type.members, layout.offsets(qual), strict=True)):
            place = f"{path}{member.name}"
            lines.append(f'_Static_assert(offsetof({name}, {place}) == {start + offset}, "{place}");')
            inner = member_qual(qual, index)
            if isinstance(inner.type, Struct) and not inner.type.name:
                walk(inner, start + offset, f"{place}.")

    walk(struct, 0, "")
    return lines


def structs_of(program: Program) -> dict[str, Struct]:
    return {type.name: type for type in program.exported_types if isinstance(type, Struct)}


def test_nameless_structs_are_defined_where_they_are_used(tmp_path: Path) -> None:
    text = header_of("""
struct Outer {
    struct { int8 a; double b; } part;
    struct { int c[2]; struct { int8 q; } deep[3]; } rows[2][2];
    struct { float f; } * uniform pointer;
    varying struct { bool flag; float x; } lanes;
};
export void f(uniform Outer outer[]) { }
""")
    assert "struct  " not in text
    accept(
        text,
        tmp_path,
        '_Static_assert(offsetof(struct Outer, part.b) == 8 && offsetof(struct Outer, rows) == 16, "places");',
        '_Static_assert(offsetof(struct Outer, rows[1][1].deep[2].q) == 16 + 3 * 12 + 10, "deep");',
        '_Static_assert(offsetof(struct Outer, lanes) == 96 && offsetof(struct Outer, lanes.x) == 128, "lanes");',
        '_Static_assert(sizeof(struct Outer) == 160, "size");',
    )


def test_what_only_imported_functions_use_is_there(tmp_path: Path) -> None:
    text = header_of("""
enum Mode { FAST, SLOW = 7 };
enum Kind { ROUND };
struct Inner { Kind kind; };
struct Given { int k; Inner inner; float<3> v; struct Later * uniform later; };
struct Later { double d; };
struct Unused { int k; };
extern "C" void take(uniform Given * uniform p, uniform Mode m);
extern "C" uniform Later * uniform make();
export void f() { }
""")
    assert "take" not in text and "make" not in text and "Unused" not in text
    accept(text, tmp_path, "struct Given g; struct Later l; enum Mode m = SLOW; enum Kind k = ROUND;")


def test_exported_functions_that_are_only_declared_are_there(tmp_path: Path) -> None:
    text = header_of("""
struct S { int k; };
export void declared(uniform S s[], uniform int);
export void both(uniform float a[]);
export void both(uniform float a[]) { a[0] = 1; }
export uniform float result(uniform float x);
export uniform float result(uniform float x);
""")
    functions = [line.strip() for line in text.splitlines() if line.startswith("    extern ")]
    assert functions == [
        "extern void both(float * a);",
        "extern void declared(struct S * s, int32_t);",
        "extern float result(float x);",
    ]
    accept(text, tmp_path, "void (*user)(struct S *, int32_t) = declared;")


def test_empty_structs_and_members_without_size_agree(tmp_path: Path) -> None:
    text = header_of("""
struct Empty { };
struct Holder { Empty e; int k; Empty few[3]; };
struct Tail { int count; double values[0]; };
struct Open { int8 count; struct { int16 a; } rows[][2]; };
export { Holder, Tail, Open };
export void f(varying Empty * uniform lanes, uniform Empty one[]) { }
""")
    accept(
        text,
        tmp_path,
        '_Static_assert(sizeof(struct Empty) == 1 && sizeof(struct v8_varying_Empty) == 1, "empty");',
        '_Static_assert(sizeof(struct Holder) == 12 && offsetof(struct Holder, few) == 8, "holder");',
        '_Static_assert(sizeof(struct Tail) == 8 && offsetof(struct Tail, values) == 8, "tail");',
        '_Static_assert(sizeof(struct Open) == 2 && offsetof(struct Open, rows) == 2, "open");',
    )


def test_words_of_c_references_and_blocks_of_soa_data(tmp_path: Path) -> None:
    text = header_of("""
enum register { auto, class = 3 };
struct namespace { int new_; register typeid; };
struct Point { float x; float<2> v; };
struct Holder { uniform float &r; soa<4> Point * uniform slice; soa<4> Point blocks[2]; uniform namespace n; };
export void f(uniform Holder h[], void (* uniform callback)(uniform float &, uniform Point * uniform)) { }
""")
    accept(
        text,
        tmp_path,
        '_Static_assert(offsetof(struct Holder, blocks) == 24 && offsetof(struct Holder, n) == 24 + 2 * 48, "blocks");',
        "enum register_ r = class_;",
    )


@pytest.mark.parametrize("target", TARGETS)
def test_random_structs_have_the_same_layout_in_c(target: str, tmp_path: Path) -> None:
    names, parts = [], ["enum E { E0, E1 };"]
    chance = random.Random(target)
    for number in range(25):
        names.append(f"S{number}")
        parts.append(f"struct S{number} {{ {_members(chance, names[:-1])}{_tail(chance)} }};")
    parameters = ", ".join(f"varying {name} * uniform v{name}" for name in names)
    source = "\n".join([*parts, f"export {{ {', '.join(names)} }};", f"export void f({parameters}) {{ }}"])
    program, options = checked(source, target)
    layout = Layout(options.target)
    checks: list[str] = []
    for name, struct in structs_of(program).items():
        checks += layout_checks(layout, Qual(struct, UNIFORM), f"struct {name}")
        lanes = f"struct v{options.target.width}_varying_{name}"
        checks += layout_checks(layout, Qual(struct, VARYING), lanes)
    accept(c_header(program, options, "x.h"), tmp_path, *checks)


def _members(chance: random.Random, known: list[str], depth: int = 0) -> str:
    found = []
    for number in range(chance.randrange(0 if depth == 0 else 1, 5)):
        kind = chance.random()
        name = f"m{number}"
        sizes = "".join(f"[{chance.randrange(1, 4)}]" for _ in range(chance.choice((0, 0, 1, 2))))
        if kind < 0.2 and depth < 3:
            found.append(f"struct {{ {_members(chance, known, depth + 1)} }} {name}{sizes};")
        elif kind < 0.35 and known:
            found.append(f"{chance.choice(known)} {name}{sizes};")
        elif kind < 0.45:
            found.append(f"{chance.choice(['float', 'int8', *known])} * uniform {name}{sizes};")
        elif kind < 0.55:
            found.append(f"{chance.choice(('float', 'int16', 'double'))}<{chance.randrange(2, 5)}> {name}{sizes};")
        elif kind < 0.65:
            result, *taken = (_of_signature(chance, known) for _ in range(chance.randrange(1, 4)))
            found.append(f"{result} (* uniform {name}{sizes})({', '.join(taken)});")
        else:
            rate = chance.choice(("", "", "", "uniform ", "varying "))
            types = ("bool", "int8", "unsigned int16", "int", "int64", "float", "double", "E")
            found.append(f"{rate}{chance.choice(types)} {name}{sizes};")
    return " ".join(found)


def _of_signature(chance: random.Random, known: list[str]) -> str:
    """The type of a result or parameter of a function pointer."""
    name = chance.choice(("bool", "int8", "unsigned int", "float", "double", "E", "float<3>", *known))
    return f"{chance.choice(('', 'uniform ', 'varying '))}{name}{chance.choice(('', '', ' * uniform', ' *', ' &'))}"


def _tail(chance: random.Random) -> str:
    return chance.choice(("", "", "", " int count; float rest[];", " int8 count; double rest[0][3];"))


def test_the_header_of_several_targets_has_the_structs_of_all(tmp_path: Path) -> None:
    source = """
struct Empty { };
struct S { float x; struct { int k; } part[2]; Empty e; };
extern "C" void take(uniform S * uniform s);
export void declared(uniform S s[]);
export void f(varying S * uniform lanes, uniform S one[]) { }
"""
    text = general_c_header([checked(source, target) for target in TARGETS], "x.h")
    structs = [f"struct v{width}_varying_S v{width};" for width in (4, 8, 16)]
    assert text.count("extern void declared(") == 1
    accept(text, tmp_path, *structs, '_Static_assert(sizeof(struct S) == 16, "size");')


def test_signatures_say_what_c_can_say(tmp_path: Path) -> None:
    """References are pointers, nameless structs and what has no name in C are unknown, later structs are announced."""
    source = """
typedef uniform int * uniform Place;
struct S { int k; };
struct Table {
    void (* uniform set[2])(uniform float &x, uniform S &s, const uniform int &c);
    uniform S & (* uniform get)(uniform int i);
    void (* uniform lanes)(varying float &x, S &s);
    void (* uniform deep)(void (* uniform inner)(uniform float &x), Place &p, uniform float (&row)[4]);
    int8 between;
    void (* uniform nameless)(struct { int a; } * uniform p, uniform struct { int a; } &r);
    struct { double d; } * uniform (* uniform result)();
    struct { int q; void (* uniform of)(varying struct { int a; } * uniform p, uniform Late * uniform l); } part;
    void (* uniform slice)(soa<4> S * uniform p);
    struct { int a; } (* uniform value)(struct { int b; } x);
    int (* uniform by_lane)(int x);
    uniform float (* uniform of_lanes)(float<3> v, uniform int n);
    int * (* uniform to_lanes)(uniform int n);
    S (* one_a_lane)(const S &s, int * varying p);
    enum { X, Y = -1 } kind[3];
    void (* uniform kinds)(uniform enum { P, Q } k);
};
struct Late { double d; };
uniform S one;
export { Table, Late };
export uniform S & pick(uniform int &i) { return one; }
export struct { int a; } * uniform unknown() { return NULL; }
export uniform int (* uniform choose(uniform int k))(uniform S &s) { return NULL; }
""".replace("typedef", "struct Late;\ntypedef", 1)
    program, options = checked(source)
    text = c_header(program, options, "x.h")
    layout = Layout(options.target)
    names = structs_of(program)
    checks = [line for name in ("Table", "Late") for line in layout_checks(layout, Qual(names[name]), f"struct {name}")]
    assert "&" not in re.sub(r"#if defined\(__cplusplus\)\n.*?#else\n|#if.*", "", text, flags=re.S)
    accept(text, tmp_path, *checks, "struct S s; void use(struct Table *t) { s = *t->get(2); t->set[1](0, &s, &s.k); }")
