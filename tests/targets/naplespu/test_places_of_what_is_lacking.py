"""What the device has not is an error at the place in the program that needs it."""

import pytest

from voltac.driver import compile_source
from voltac.messages.diagnostics import CompileError, Diagnostics
from voltac.options import Options
from voltac.target_info import find_target


def place_and_text(source: str, level: int) -> tuple[int, int, str]:
    """Line and column of the one error of a program, and what it says."""
    options = Options(find_target("naplespu"), level=level, llvm_intrinsics=True)
    diagnostics = Diagnostics(warnings=False)
    with pytest.raises(CompileError):
        compile_source(source, "lacking.ispc", options, diagnostics)
    (found,) = diagnostics.items
    return found.span.line, found.span.column, found.text


@pytest.mark.parametrize("level", [0, 2])
def test_an_intrinsic_is_refused_at_its_call(level: int) -> None:
    source = """\
export void f(uniform float a[], uniform float b[]) {
    b[0] = a[1] +
           @llvm.sin.f32(a[0]);
}
"""
    line, column, text = place_and_text(source, level)
    assert (line, column) == (3, 12)
    assert text == "this needs what naplespu has not: the operation @llvm.sin.f32"


@pytest.mark.parametrize("level", [0, 2])
def test_in_a_function_that_was_inlined_it_is_refused_where_it_stands_or_is_called(level: int) -> None:
    source = """\
static inline uniform float wave(uniform float x) {
    return @llvm.sin.f32(x);
}
export void f(uniform float a[]) {
    a[0] = wave(a[0]);
}
"""
    line, _, text = place_and_text(source, level)
    assert line in (2, 5)
    assert "@llvm.sin.f32" in text


def test_of_two_calls_in_a_statement_the_statement_is_the_place() -> None:
    source = """\
export void f(uniform float a[]) {
    a[0] = @llvm.sin.f32(a[0]) * @llvm.cos.f32(a[1]);
}
"""
    assert place_and_text(source, 2)[:2] == (2, 5)


def test_too_large_a_stack_is_told_at_the_function() -> None:
    source = """\
static uniform int first(uniform int a[]) { return a[0]; }

export void f(uniform int a[]) {
    uniform int kept[100000];
    for (uniform int i = 0; i < 100000; ++i)
        kept[i] = a[i];
    a[0] = kept[a[1]];
}
"""
    line, _, text = place_and_text(source, 2)
    assert line == 3
    assert text.startswith("function 'f' needs what naplespu has not: 400064 bytes of stack")
