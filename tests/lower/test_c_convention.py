"""Exported functions follow the C convention of x86-64: ctypes calls them as it calls C."""

import ctypes

from lowering import Loaded, function_body, text_after

SOURCE = """
struct Two { float x, y; };
struct Three { double x, y, z; };
struct Mixed { int a; float b; double c; };
struct Short { int8 a; int16 b; };
struct Bytes { uint8 v[7]; };
export uniform Two two(uniform float a) { uniform Two r = {a, a + 1}; return r; }
export uniform Three three(uniform float a) { uniform Three r = {a, a + 1, a + 2}; return r; }
export uniform Mixed mixed(uniform float a) { uniform Mixed r = {a, a + 1, a + 2}; return r; }
export uniform Short short_(uniform float a) { uniform Short r = {a, a + 1}; return r; }
export uniform Bytes bytes(uniform int a) { uniform Bytes r; for (uniform int k = 0; k < 7; k++) r.v[k] = a + k; return r; }
export uniform bool less(uniform int8 a, uniform uint16 b, uniform bool flip) { return (a < b) != flip; }
export uniform int8 narrow(uniform int a) { return a; }
"""


class Two(ctypes.Structure):
    _fields_ = (("x", ctypes.c_float), ("y", ctypes.c_float))


class Three(ctypes.Structure):
    _fields_ = (("x", ctypes.c_double), ("y", ctypes.c_double), ("z", ctypes.c_double))


class Mixed(ctypes.Structure):
    _fields_ = (("a", ctypes.c_int), ("b", ctypes.c_float), ("c", ctypes.c_double))


class Short(ctypes.Structure):
    _fields_ = (("a", ctypes.c_int8), ("b", ctypes.c_int16))


class Bytes(ctypes.Structure):
    _fields_ = (("v", ctypes.c_uint8 * 7),)


def test_structs_arrive_as_c_returns_them() -> None:
    loaded = Loaded(SOURCE, "two", "three", "mixed", "short_", "bytes")
    two = loaded.function("two", Two, ctypes.c_float)(1.5)
    assert (two.x, two.y) == (1.5, 2.5)
    three = loaded.function("three", Three, ctypes.c_float)(1.5)
    assert (three.x, three.y, three.z) == (1.5, 2.5, 3.5)
    mixed = loaded.function("mixed", Mixed, ctypes.c_float)(-3)
    assert (mixed.a, mixed.b, mixed.c) == (-3, -2, -1)
    short = loaded.function("short_", Short, ctypes.c_float)(-100)
    assert (short.a, short.b) == (-100, -99)
    assert list(loaded.function("bytes", Bytes, ctypes.c_int)(250).v) == [250, 251, 252, 253, 254, 255, 0]


def test_small_integers_and_bools() -> None:
    loaded = Loaded(SOURCE, "less", "narrow")
    less = loaded.function("less", ctypes.c_bool, ctypes.c_int8, ctypes.c_uint16, ctypes.c_bool)
    assert less(3, 65535, False) is True
    assert less(3, 65535, True) is False
    assert loaded.function("narrow", ctypes.c_int8, ctypes.c_int)(200) == -56


def test_pointer_parameters_do_not_alias() -> None:
    source = "export void f(uniform float a[], uniform float * uniform b, uniform int &c) { a[0] = *b; c = 1; }"
    assert text_after("lower", source).count("ptr noalias") == 3


def test_pointer_parameters_may_point_to_globals_and_to_what_pointers_in_memory_point_to() -> None:
    source = """
    uniform float table[8];
    static const uniform float fixed[4] = { 1, 2, 3, 4 };
    static uniform float hidden[8];
    struct View { uniform float * uniform data; uniform float scale; };
    void writes_too(uniform float c[], uniform int n) { c[n] = table[1]; }
    export void writes(uniform float a[], uniform float b[], uniform int n) { a[n] = b[n] + table[n]; }
    export void calls(uniform float a[], uniform float b[], uniform int n) { writes_too(a, n); b[1] = 0; }
    export void through(uniform View &v, uniform float a[], uniform int n) { v.data[n] = a[n]; }
    export void from(uniform View &v, uniform float a[], uniform int n) { a[n] = v.data[n] * v.scale; }
    export void keeps(uniform float a[], uniform float b[], uniform int n) {
        uniform float * uniform * uniform p = &a;
        (*p)[n] = table[1] + b[n];
    }
    export void own(uniform float a[], uniform float b[], uniform int n) {
        hidden[n] = fixed[n];
        uniform float * uniform p = n > 3 ? a : b;
        *++p = hidden[1];
        atomic_add_local(&a[programIndex], 1);
    }"""
    text = text_after("lower", source)

    def assumed(name: str) -> list[bool]:
        head = next(line for line in text.split("\n") if f"@{name}(" in line)
        return ["noalias" in parameter for parameter in head.split(",")[:2]]

    assert assumed("writes") == [False, True]
    assert assumed("calls") == [False, False]
    assert assumed("through") == [False, False]
    assert assumed("from") == [True, False]
    assert assumed("own") == [True, True]
    # What is written through *p may be the global's memory, as far as the language goes.
    assert assumed("keeps") == [False, False]


def test_only_reachable_functions_are_written() -> None:
    source = """
    static float unused(float x) { return x; }
    static float used(float x) { return x; }
    float external(float x) { return x; }
    export void f(uniform float a[]) { a[programIndex] = used(a[programIndex]); }"""
    text = text_after("lower", source)
    assert "@unused" not in text
    assert "define <8 x float> @external___vyf(<8 x float> %p0, <8 x i32> %mask)" in text
    assert "@external___vyf.all_on" not in text
    assert function_body(text, "used___vyf.all_on")


def test_denormals_are_flushed_on_request_and_the_state_comes_back() -> None:
    source = "export uniform float half(uniform float a) { return a * 0.5f; }"
    tiny = 1.2e-38
    plain = Loaded(source, "half").function("half", ctypes.c_float, ctypes.c_float)
    flushing = Loaded(source, "half", reset_ftz_daz=True).function("half", ctypes.c_float, ctypes.c_float)
    assert plain(tiny) > 0
    assert flushing(tiny) == 0
    assert plain(tiny) > 0
