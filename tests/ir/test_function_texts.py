"""Functions of a module's text are rewritten one by one, what stands between them and those seldom called left as it is."""

from voltac.ir.function_texts import rewrite_functions

TEXT = """; a line
define void @f() {
  ret void
}

define internal void @f.some_on(<8 x i32> %mask) {
  ret void
}
declare void @h()
define i32 @g.wrapping.cold(i32 %a) {
  ret i32 %a
}

define i32 @g(i32 %a) {
  ret i32 %a
}
!0 = !{}
"""


def test_each_function_that_is_often_called_is_rewritten() -> None:
    seen: list[str] = []

    def rewrite(function: str) -> str:
        seen.append(function)
        return function.replace("ret", "; here\n  ret")

    made = rewrite_functions(TEXT, rewrite)
    assert seen == ["define void @f() {\n  ret void\n}", "define i32 @g(i32 %a) {\n  ret i32 %a\n}"]
    assert made == TEXT.replace("@f() {\n", "@f() {\n  ; here\n").replace("@g(i32 %a) {\n", "@g(i32 %a) {\n  ; here\n")


def test_a_text_in_which_nothing_changes_is_the_same_object() -> None:
    assert rewrite_functions(TEXT, lambda function: function) is TEXT
