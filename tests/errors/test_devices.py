"""Mistakes that only programs for devices can make, each with a wrong program."""

import pytest

from voltac.options import Options
from voltac.target_info import find_target

from .marked import Row, assert_row, reported

NAPLESPU = Options(target=find_target("naplespu"))

_ROWS = (
    ("a local in the scratchpad", "error: global variables ... 'x' is a local", "void f() { __scratchpad uniform int «x»; }"),
    ("an extern in the scratchpad", "error: global variables ... declared extern", "__scratchpad extern uniform int «x»;"),
    (
        "the mask under varying control flow",
        "error: varying control flow",
        "export void f(uniform int a[]) { if (a[programIndex] > 0) { «write_mask»(3); } }",
    ),
    (
        "the mask in foreach",
        "error: 'foreach'",
        "export void f(uniform int a[]) { foreach (i = 0 ... 9) { a[i] = 1; «write_mask»(3); } }",
    ),
)


@pytest.mark.parametrize("row", _ROWS, ids=[row[0] for row in _ROWS])
def test_mistakes(row: Row) -> None:
    assert_row(row, NAPLESPU)


def test_a_global_in_the_scratchpad_is_fine() -> None:
    assert reported("__scratchpad uniform int x[16];\nstatic __scratchpad uniform float y = 1.5f;", NAPLESPU) == []


def test_hosts_have_no_scratchpad() -> None:
    assert_row(("no scratchpad", "error: 'avx2-i32x8' has no scratchpad", "__attribute__((scratchpad)) uniform int «x»;"))
