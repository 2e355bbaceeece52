"""Loops are met once each while a function is rewritten, and its blocks are found by their names."""

import pytest

from voltac.ir.cfg import control_flow, loops_in_turn
from voltac.ir.model import Block, Function, Instruction
from voltac.ir.read import read

TEXT = """\
define void @f(i1 %c) {
entry:
  br label %one

one:
  br i1 %c, label %one, label %two

two:
  br i1 %c, label %two, label %three

three:
  br i1 %c, label %three, label %end

end:
  ret void
}
"""


def function() -> Function:
    return read(TEXT).functions[0]


def put_before(made: Function, name: str) -> None:
    """A block on the only way to a loop."""
    before = next(each for each in control_flow(made).predecessors[name] if each != name)
    made.block(before).terminator.rename({f"%{name}": f"%before.{name}"})
    new = Block(f"before.{name}", [Instruction(f"  br label %{name}")], f"before.{name}:")
    made.blocks.insert(made.blocks.index(made.block(name)), new)


def test_each_loop_that_is_wanted_comes_once_whatever_is_rewritten() -> None:
    made = function()
    met = []
    for flow, loop in loops_in_turn(made, lambda loop: loop.header != "two"):
        assert flow is control_flow(made)
        met.append(loop.header)
        put_before(made, loop.header)
    assert met == ["one", "three"]
    assert [block.name for block in made.blocks] == ["entry", "before.one", "one", "two", "before.three", "three", "end"]


def test_a_block_is_found_where_it_stands_now() -> None:
    made = function()
    assert made.block("end") is made.blocks[-1]
    put_before(made, "two")
    assert [made.block(block.name) for block in made.blocks] == made.blocks
    gone = made.blocks.pop(1)
    with pytest.raises(KeyError):
        made.block(gone.name)
    with pytest.raises(KeyError):
        made.block("nowhere")
