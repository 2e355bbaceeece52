"""Who uses which value: as counted by hand."""

from __future__ import annotations

from voltac.ir.model import Function, Instruction
from voltac.ir.read import read
from voltac.ir.uses import Uses, remove_unused

FUNCTION = """define i32 @f(i32 %x, i32 %y) {
entry:
  %a = add i32 %x, %x
  %b = mul i32 %a, %x
  #dbg_value(i32 %b, !1, !DIExpression(), !2)
  %dead = sub i32 %y, 1
  %deader = sub i32 %dead, 1
  br label %next

next:
  %c = phi i32 [ %a, %entry ], [ %d, %next ]
  %d = add i32 %c, 1
  %test = icmp slt i32 %d, %x
  br i1 %test, label %next, label %exit

exit:
  ret i32 %d
}
"""


def function() -> Function:
    return read(FUNCTION).function("f")


def written(users: list[Instruction]) -> list[str]:
    return [user.name or user.op for user in users]


def test_users_are_in_the_order_of_the_text_each_once() -> None:
    uses = Uses(function().instructions())
    assert written(uses.of("%x")) == ["%a", "%b", "%test"]
    assert written(uses.of("%d")) == ["%c", "%test", "ret"]
    assert written(uses.of("%unknown")) == []


def test_each_use_counts() -> None:
    uses = Uses(function().instructions())
    assert [uses.count(name) for name in ("%x", "%a", "%d", "%y", "%b")] == [4, 2, 3, 1, 0]


def test_the_single_use_of_a_value() -> None:
    uses = Uses(function().instructions())
    assert [user and (user.name or user.op) for user in map(uses.single_use, ("%test", "%dead", "%a", "%b"))] == [
        "br", "%deader", None, None,
    ]  # fmt: skip


def test_a_debug_record_is_no_use() -> None:
    uses = Uses(function().instructions())
    assert uses.is_unused("%b") and uses.is_unused("%deader")
    assert not uses.is_unused("%dead")


def test_a_block_alone_can_be_asked_about() -> None:
    uses = Uses(function().block("next").instructions)
    assert (uses.count("%x"), uses.count("%d"), uses.count("%a")) == (1, 2, 1)


def test_what_is_added_and_removed_is_counted() -> None:
    made = function()
    uses = Uses(made.instructions())
    more = Instruction("  %more = add i32 %b, %a")
    uses.add(more)
    assert written(uses.of("%a")) == ["%b", "%c", "%more"]
    assert uses.single_use("%b") is more
    uses.remove(more)
    uses.remove(made.definitions()["%a"])
    assert (uses.count("%a"), uses.count("%x"), uses.is_unused("%b")) == (2, 2, True)


def test_only_what_is_named_and_unused_is_taken_out() -> None:
    made = function()
    remove_unused(made, {"%dead", "%deader", "%a", "%d"})
    assert "%dead" not in made.definitions() and "%deader" not in made.definitions()
    assert {"%a", "%b", "%c", "%d", "%test"} <= made.definitions().keys()


def test_what_something_else_uses_stays_with_what_it_is_made_of() -> None:
    made = function()
    remove_unused(made, {"%dead"})
    assert "%dead" in made.definitions()
