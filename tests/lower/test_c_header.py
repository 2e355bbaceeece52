"""The header: what C and C++ compilers make of it is what the layout promises."""

import dataclasses
import shutil
import subprocess
from pathlib import Path

import pytest

from voltac.lower.functions.c_header import c_header
from voltac.messages.message import NOWHERE
from voltac.options import Options
from voltac.sema.tree import Block, FunctionSymbol, Program, VariableSymbol
from voltac.sema.type_layout import Layout
from voltac.sema.types import (
    DOUBLE,
    FLOAT,
    FLOAT16,
    INT8,
    INT32,
    UINT64,
    UNBOUND,
    UNIFORM,
    VARYING,
    VOID,
    Array,
    Enum,
    FunctionType,
    Pointer,
    Qual,
    Struct,
    StructMember,
    Type,
    Vector,
    uniform,
    varying,
)
from voltac.target_info import find_target

OPTIONS = Options(target=find_target("avx2-i32x8"))


def exported(name: str, result: Qual, **parameters: Qual) -> FunctionSymbol:
    symbols = tuple(VariableSymbol(key, qual, "parameter") for key, qual in parameters.items())
    type = FunctionType(result, tuple(parameters.values()))
    return FunctionSymbol(name, type, name, symbols, Block(NOWHERE, ()), exported=True)


def pointer(to: Qual) -> Qual:
    return uniform(Pointer(to))


def header(*functions: FunctionSymbol, types: tuple[Type, ...] = (), options: Options = OPTIONS, once: bool = True) -> str:
    program = Program(functions=list(functions), exported_types=list(types))  # type: ignore[arg-type]
    return c_header(program, options, "out/simple.h", once)


def prototype(text: str) -> str:
    return next(line.strip() for line in text.splitlines() if "extern" in line and ";" in line)


COMPILERS = (("gcc", "c.c"), ("g++ -Wno-invalid-offsetof", "cpp.cpp"))


def compiles(text: str, folder: Path, body: str, compilers: tuple[tuple[str, str], ...] = COMPILERS) -> None:
    (folder / "simple.h").write_text(text)
    includes = '#include <stddef.h>\n#include "simple.h"\n#include "simple.h"\n'
    (folder / "c.c").write_text(f"{includes}{body}\n")
    (folder / "cpp.cpp").write_text(f"{includes}using namespace ispc;\n#define _Static_assert static_assert\n{body}\n")
    for compiler, file in compilers:
        command = [*compiler.split(), "-Wall", "-Wextra", "-Werror", "-c", file, "-o", "/dev/null"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


FLOAT_U = uniform(FLOAT)
INT_U = uniform(INT32)


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, "extern void f(void);"),
        ({"a": pointer(FLOAT_U), "n": INT_U}, "extern void f(float * a, int32_t n);"),
        ({"a": pointer(Qual(FLOAT, UNIFORM, True))}, "extern void f(const float * a);"),
        ({"a": pointer(uniform(Array(FLOAT_U, 4)))}, "extern void f(float a[][4]);"),
        ({"v": pointer(varying(FLOAT))}, "extern void f(float( * v)[8]);"),
        ({"fp": pointer(uniform(FunctionType(INT_U, (INT_U,))))}, "extern void f(int32_t ( * fp)(int32_t));"),
        ({"p": pointer(uniform(VOID)), "x": uniform(UINT64)}, "extern void f(void * p, uint64_t x);"),
        ({"p": pointer(pointer(FLOAT_U))}, "extern void f(float * * p);"),
        ({"class": INT_U}, "extern void f(int32_t class_);"),
        ({"h": uniform(FLOAT16), "p": pointer(uniform(FLOAT16))}, "extern void f(__fp16 h, __fp16 * p);"),
    ],
)  # fmt: skip
def test_prototypes_look_as_in_the_reference(parameters: dict[str, Qual], expected: str, tmp_path: Path) -> None:
    text = header(exported("f", uniform(VOID), **parameters))
    assert prototype(text) == expected
    compiles(text, tmp_path, "")


@pytest.mark.skipif(shutil.which("clang") is None, reason="not installed: clang")
def test_every_clang_reads_pointers_to_halves(tmp_path: Path) -> None:
    """Before version 15 it has ``__fp16`` alone, for memory."""
    text = header(exported("f", uniform(VOID), p=pointer(uniform(FLOAT16))))
    compiles(text, tmp_path, "", (("clang", "c.c"), ("clang++", "cpp.cpp")))


def test_references_are_references_in_cpp_and_pointers_in_c(tmp_path: Path) -> None:
    function = exported("f", uniform(VOID), x=pointer(FLOAT_U))
    function.parameters[0].is_reference = True
    text = header(function)
    assert "extern void f(float & x);" in text
    assert "extern void f(float * x);" in text
    compiles(text, tmp_path, "")


def everything() -> Struct:
    inner = Struct("Inner", (StructMember("a", Qual(INT8, UNBOUND)), StructMember("b", Qual(DOUBLE, UNBOUND))))
    node = Struct("Node", None)
    node.members = (StructMember("next", pointer(uniform(node))), StructMember("value", Qual(FLOAT, UNBOUND)))
    return Struct(
        "Everything",
        (
            StructMember("small", Qual(INT8, UNBOUND)),
            StructMember("w", Qual(Vector(FLOAT, 3), UNBOUND)),
            StructMember("inner", Qual(inner, UNBOUND)),
            StructMember("lanes", varying(FLOAT)),
            StructMember("grid", Qual(Array(Qual(Array(Qual(INT32, UNBOUND), 3), UNBOUND), 2), UNBOUND)),
            StructMember("color", Qual(Enum("Color", {"RED": 0, "BLUE": 7}), UNBOUND)),
            StructMember("node", pointer(uniform(node))),
            StructMember("fixed", uniform(UINT64)),
        ),
    )


@pytest.mark.parametrize("target", ["sse4-i32x4", "avx2-i32x8", "avx512skx-x16"])
@pytest.mark.parametrize("rate", [UNIFORM, VARYING])
def test_structs_have_the_same_layout_in_c(rate: object, target: str, tmp_path: Path) -> None:
    options = dataclasses.replace(OPTIONS, target=find_target(target))
    struct = everything()
    qual = Qual(struct, UNIFORM if rate is UNIFORM else VARYING)
    text = header(exported("f", uniform(VOID), p=pointer(qual)), options=options)
    layout = Layout(options.target)
    name = "struct " + ("Everything" if rate is UNIFORM else f"v{options.target.width}_varying_Everything")
    assert struct.members is not None
    checks = [f'_Static_assert(sizeof({name}) == {layout.size(qual)}, "size");']
    for member, offset in zip(struct.members, layout.offsets(qual)):
        checks.append(f'_Static_assert(offsetof({name}, {member.name}) == {offset}, "{member.name}");')
    compiles(text, tmp_path, "\n".join(checks))


def test_explicitly_aligned_structs_say_so(tmp_path: Path) -> None:
    struct = Struct("Aligned", (StructMember("x", Qual(FLOAT, UNBOUND)),), 32)
    text = header(exported("f", uniform(VOID), p=pointer(uniform(struct))))
    assert "__ISPC_ALIGNED_STRUCT__(32) Aligned {" in text
    compiles(text, tmp_path, '_Static_assert(sizeof(struct Aligned) == 32, "size");')


def test_exported_types_appear_without_a_function(tmp_path: Path) -> None:
    text = header(types=(everything(), Vector(DOUBLE, 2), Enum("Shape", {"ROUND": 3})))
    compiles(text, tmp_path, "struct Everything e; struct double2 d; enum Shape s = ROUND;")


def test_structs_that_point_to_each_other_come_out(tmp_path: Path) -> None:
    left, right = Struct("Left", None), Struct("Right", None)
    left.members = (StructMember("r", pointer(uniform(right))),)
    right.members = (StructMember("l", pointer(uniform(left))),)
    compiles(header(exported("f", uniform(VOID), p=pointer(uniform(left)))), tmp_path, "struct Left l; struct Right r;")


def test_an_include_guard_replaces_pragma_once(tmp_path: Path) -> None:
    text = header(exported("f", uniform(VOID)), once=False)
    assert "#ifndef ISPC_SIMPLE_H" in text
    assert "#pragma once" not in text
    compiles(text, tmp_path, "")


def test_the_banner_names_the_file() -> None:
    lines = header().splitlines()
    assert lines[:5] == [
        "//",
        "// simple.h",
        "// (Header automatically generated by the voltac compiler.)",
        "// DO NOT EDIT THIS FILE.",
        "//",
    ]
