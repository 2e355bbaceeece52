"""A sample profile weighs the branches of the lines it counts; a text that is none is refused with its line."""

import re

import pytest

from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.passes.sample_profile import NotAProfile, read_profile
from voltac.target_info import find_target

SOURCE = """static inline uniform int helper(uniform int a) {
    if (a > 5)
        return a * 3;
    return a / 7;
}
export void f(uniform int a[], uniform int n) {
    for (uniform int k = 0; k < n; k++) {
        if (a[k] > 3)
            a[k] = a[k + 1] / a[k + 2];
        else
            a[k] = a[k + 3] % a[k + 4];
        a[k + 9] = helper(a[k + 7]);
    }
}
"""

PROFILE = """f:1000:1
 1: 500
 2: 500
 3: 2
 5.1: 498 div:3
 6: helper___uni:600
  1: 300
  2: 299
  3: 1
"""


def code(profile: str, level: int = 2) -> str:
    options = Options(find_target("avx2-i32x8"), level=level, sample_profile=profile, whole_program=True)
    optimized = compile_source(SOURCE, "profiled.ispc", options, Diagnostics()).optimized
    assert optimized is not None
    return optimized.text()


def weights(text: str) -> list[tuple[int, int]]:
    return [(int(a), int(b)) for a, b in re.findall(r'!\{!"branch_weights", i32 (\d+), i32 (\d+)\}', text)]


def test_branches_have_the_counts_of_their_lines_and_one() -> None:
    found = weights(code(PROFILE))
    assert (3, 499) in found
    assert (300, 2) in found


def test_functions_that_are_not_in_the_profile_have_no_weights() -> None:
    assert weights(code("other:10:1\n 1: 10\n")) == []
    assert weights(code("")) == []


def test_a_profile_of_the_inlined_function_itself_serves_where_its_caller_has_none() -> None:
    assert (41, 8) in weights(code("f:1000:1\n 2: 5\nhelper:50:5\n 2: 40\n 3: 7\n"))


def test_a_profile_changes_no_instruction_without_optimisation() -> None:
    def instructions(text: str) -> list[str]:
        return [line.split(", !")[0] for line in text.split("\n") if line.startswith("  ")]

    assert instructions(code(PROFILE, 0)) == instructions(code("", 0))


def test_the_text_form_is_read() -> None:
    profile = read_profile("# comment\n" + PROFILE + "g___vyf.all_on:7:1\n 0: 7\n !CFGChecksum: 9\n")
    assert profile["f"].lines == {1: 500, 2: 500, 3: 2, 5: 498}
    assert profile["f"].inlined[6, "helper"].lines == {1: 300, 2: 299, 3: 1}
    assert profile["g"].lines == {0: 7}


@pytest.mark.parametrize("text", ["xyz\n", " 1: 2\n", "f:1:1\n   1: 2\n", "f:1:1\n one: 2\n"])
def test_what_is_no_profile_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(NotAProfile, match=f"line {text.count(chr(10))} is none"):
        read_profile(text)
