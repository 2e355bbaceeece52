"""What devices lack is refused at its place, with the reason and a remedy."""

import pytest

from voltac.driver import compile_source
from voltac.messages.diagnostics import CompileError
from voltac.options import Options
from voltac.target_info import find_target

DEVICE = Options(find_target("naplespu"))
HOST = Options(find_target("sse4-i32x4"))


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("export void k(uniform double a[]) {}", "1:15", "naplespu has no double precision; use 'float'"),
        ("export void k(uniform float a[]) { uniform double d = 1; a[0] = d + 2; }", "1:51", "no double precision"),
        ("export void k(uniform float a[]) { a[0] = a[1] * 2.0d; }", "1:", "naplespu has no double precision"),
        ("struct S { float x; double y; };\nuniform S s;\nexport void k() { s.x = 1; }", "2:11", "no double precision"),
        ('export void k(uniform int n) { print("%", n); }', "1:32", "the device has no output; store what is to be seen"),
        ("export void k(uniform int n) { uniform int * uniform p = uniform new uniform int[n]; }", "1:58", "has no heap"),
        ("export void k(uniform int n) { void * uniform p = alloca(n); }", "1:51", "'alloca' on naplespu needs a size"),
    ],
)
def test_what_devices_lack_is_refused_at_its_place(text: str, place: str, message: str) -> None:
    compile_source(text, "k.ispc", HOST, end="check")
    with pytest.raises(CompileError) as raised:
        compile_source(text, "k.ispc", DEVICE, end="check")
    said = str(raised.value)
    assert f"k.ispc:{place}" in said and message in " ".join(said.split())
    assert said.count("Error:") == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("barrier(511, 4)", "naplespu has no barrier 511: programs have 0 to 510"),
        ("__builtin_npu_barrier(-1, 3)", "naplespu has no barrier -1"),
        ("barrier(1, 65)", "a barrier of naplespu is for 1 to 64 threads: this number is 1 to 64"),
        ("barrier(1, 0)", "this number is 1 to 64"),
        ("__builtin_npu_barrier(1, 64)", "this number is 0 to 63"),
    ],
)
def test_barriers_that_there_are_not_are_refused(call: str, message: str) -> None:
    with pytest.raises(CompileError) as raised:
        compile_source(f"export void k() {{ {call}; }}", "k.ispc", DEVICE, end="check")
    assert message in " ".join(str(raised.value).split())


@pytest.mark.parametrize("call", ["barrier(510, 64)", "barrier(0, 1)", "__builtin_npu_barrier(42, 0)"])
def test_barriers_that_there_are_are_taken(call: str) -> None:
    compile_source(f"export void k() {{ {call}; }}", "k.ispc", DEVICE, end="check")


def test_what_devices_have_is_taken() -> None:
    text = """
    struct S { int64 a; float b; };
    export void k(uniform float a[], uniform S s[], uniform int n) {
        uniform int8 * uniform p = (uniform int8 * uniform)alloca(16);
        assert(n > 3);
        p[0] = n;
        foreach (i = 0 ... n)
            a[i] = pow(a[i], 2.5f) + s[i].b + p[0];
    }
    """
    compile_source(text, "k.ispc", DEVICE, end="check")
