"""Functions that call each other: what is inlined, what goes, and that a kernel's code is its own."""

import re

import pytest

from voltac.driver import compile_source
from voltac.llvm import late
from voltac.options import Options
from voltac.target_info import find_target

OPTIONS = Options(target=find_target("sse2-i32x4"), level=2)
KERNEL = """
export void scale(uniform float a[], uniform int n) {
    foreach (i = 0 ... n)
        a[i] = sqrt(a[i]) * 3;
}
"""
RECURSIVE = """
static uniform int steps(uniform int n) { return n < 2 ? n : steps(n - 1) + steps(n - 2); }
export uniform int count(uniform int n) { return steps(n); }
"""


def compiled(text: str) -> str:
    return late(text, OPTIONS).text()


def definition(text: str, name: str) -> str:
    """The function's lines, without the numbers that it shares with others."""
    found = re.search(rf"^define [^\n]*@{name}\(.*?^\}}", text, re.MULTILINE | re.DOTALL)
    assert found is not None
    return re.sub(r"[#!]\d+", "", found[0])


@pytest.mark.parametrize("target", ["avx2-i32x8", "sse4-i32x8", "avx512skx-x16"])
def test_the_code_of_a_kernel_does_not_depend_on_other_functions_of_its_file(target: str) -> None:
    options = Options(find_target(target), level=2)
    alone, beside = (compile_source(text, "k.ispc", options).optimized for text in (KERNEL, KERNEL + RECURSIVE))
    assert definition(alone.text(), "scale") == definition(beside.text(), "scale")


def work(name: str, lines: int) -> str:
    """An internal function of so many lines that stay: additions to what others see."""
    body = "\n".join(f"  store volatile i32 {k}, ptr %p" for k in range(lines))
    return f"define internal void @{name}(ptr %p) {{\n{body}\n  ret void\n}}\n"


def test_a_function_that_is_called_once_is_inlined() -> None:
    made = compiled(work("once", 900) + "define void @f(ptr %p) {\n  call void @once(ptr %p)\n  ret void\n}\n")
    assert "@once" not in made
    assert made.count("store volatile") == 900


def test_a_function_that_is_called_twice_stays_one() -> None:
    calls = "  call void @twice(ptr %p)\n" * 2
    made = compiled(work("twice", 900) + f"define void @f(ptr %p) {{\n{calls}  ret void\n}}\n")
    assert made.count("store volatile") == 900


def test_functions_that_are_kept_out_of_others_stay_out() -> None:
    text = (
        work("kept", 3).replace(" {", " noinline {", 1) + "define void @f(ptr %p) {\n  call void @kept(ptr %p)\n  ret void\n}\n"
    )
    assert "call fastcc void @kept" in compiled(text)
    called = work("kept", 3) + "define void @f(ptr %p) {\n  call void @kept(ptr %p) noinline\n  ret void\n}\n"
    assert "call fastcc void @kept" in compiled(called)


def test_a_chain_of_single_calls_is_joined_up_to_a_number_of_lines() -> None:
    """Each of ten calls the next one; they are 9,000 lines: too many for one function, and none is copied."""

    def link(k: int) -> str:
        call = f"  call void @link{k + 1}(ptr %p)\n" if k < 9 else ""
        return work(f"link{k}", 900).replace("  ret void", f"{call}  ret void")

    made = compiled("".join(map(link, range(10))) + "define void @f(ptr %p) {\n  call void @link0(ptr %p)\n  ret void\n}\n")
    assert made.count("store volatile") == 9000
    longest = max(block.count("\n") for block in made.split("\ndefine "))
    assert 2000 < longest < 4000


def test_functions_that_only_call_each_other_go() -> None:
    a, b = (
        f"define internal void @{name}() {{\n  call void @{other}()\n  ret void\n}}\n"
        for name, other in (("a", "b"), ("b", "a"))
    )
    made = compiled(a + b + "define i32 @f() {\n  ret i32 1\n}\n")
    assert "@a(" not in made and "@b(" not in made


def test_a_name_in_a_table_is_no_call() -> None:
    """Whoever reads the table may call it: it is not a function of one call."""
    table = "@table = constant [1 x ptr] [ptr @entry]\n"
    made = compiled(table + work("entry", 5) + "define void @f(ptr %p) {\n  call void @entry(ptr %p)\n  ret void\n}\n")
    assert re.search(r"^define internal .*@entry\(", made, re.MULTILINE)


def test_what_every_call_gives_is_known_in_the_function() -> None:
    function = work("step", 300).replace("(ptr %p)", "(ptr %p, i32 %n)").replace("i32 7,", "i32 %n,")
    calls = "  call void @step(ptr %p, i32 7)\n" * 2
    made = compiled(f"{function}define void @f(ptr %p) {{\n{calls}  ret void\n}}\n")
    assert "store volatile i32 7," in made
    assert "%n" not in made


def test_a_function_goes_whose_only_call_never_happens() -> None:
    """LLVM finds that only when it simplifies the caller."""
    text = (
        work("never", 4000)
        + """
define void @f(ptr %p, i32 %n) {
  %half = lshr i32 %n, 1
  %large = icmp slt i32 %half, 0
  br i1 %large, label %call, label %end
call:
  call void @never(ptr %p)
  br label %end
end:
  ret void
}
"""
    )
    assert "@never" not in compiled(text)


def test_a_function_for_another_processor_is_not_inlined() -> None:
    """Its instructions may be none of the caller's: the caller asks before it calls."""
    text = work("wider", 3).replace(" {", ' "target-features"="+avx2" {', 1)
    made = compiled(text + "define void @f(ptr %p) {\n  call void @wider(ptr %p)\n  ret void\n}\n")
    assert re.search(r"^define internal .*@wider\(", made, re.MULTILINE)
    alike = 'define void @f(ptr %p) "target-features"="+avx2" {\n  call void @wider(ptr %p)\n  ret void\n}\n'
    assert "@wider" not in compiled(text + alike)
