"""Addresses are followed back to where they are counted from, and no further."""

import pytest

from voltac.codegen.addresses import is_on_stack, place_of
from voltac.ir.read import read

TEXT = """\
define void @f(ptr %p, i32 %n) {
entry:
  %own = alloca i32, align 4
  %q = getelementptr i8, ptr %p, i32 8
  %r = getelementptr i8, ptr %q, i32 -3
  %computed = getelementptr i8, ptr %r, i32 %n
  %behind = getelementptr i8, ptr %computed, i32 4
  %word = getelementptr i32, ptr %p, i32 2
  %cast = bitcast ptr %q to ptr
  %inside = getelementptr i8, ptr %own, i32 %n
  %frozen = freeze ptr %inside
  ret void
}
"""


@pytest.mark.parametrize(
    ("pointer", "place"),
    [
        ("%p", ("%p", 0)),
        ("%q", ("%p", 8)),
        ("%r", ("%p", 5)),
        ("%cast", ("%p", 8)),
        ("%computed", ("%computed", 0)),
        ("%behind", ("%computed", 4)),
        # Steps of other than bytes are not of legal IR: nothing is said of them.
        ("%word", ("%word", 0)),
        ("@global", ("@global", 0)),
    ],
)
def test_a_place_is_a_pointer_and_bytes_from_it(pointer: str, place: tuple[str, int]) -> None:
    assert place_of(pointer, read(TEXT).functions[0].definitions()) == place


@pytest.mark.parametrize(("pointer", "own"), [("%own", True), ("%frozen", True), ("%r", False), ("%p", False), ("@g", False)])
def test_only_what_is_counted_from_an_own_variable_is_on_the_stack(pointer: str, own: bool) -> None:
    assert is_on_stack(pointer, read(TEXT).functions[0].definitions()) is own
