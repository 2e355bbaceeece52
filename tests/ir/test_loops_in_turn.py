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


NESTED = """\
define void @f(i1 %c) {
entry:
  br label %outer

inner:
  br i1 %c, label %innermost, label %latch

outer:
  br i1 %c, label %inner, label %second

innermost:
  br i1 %c, label %innermost, label %inner

latch:
  br label %outer

second:
  br i1 %c, label %second, label %end

end:
  ret void
}
"""


def test_loops_are_found_within_those_around_them() -> None:
    flow = control_flow(read(NESTED).functions[0])
    inner = {header: [loop.header for loop in loops] for header, loops in flow.inner_loops().items()}
    assert inner == {"outer": ["inner", "innermost"], "inner": ["innermost"], "innermost": [], "second": []}


def test_blocks_of_a_loop_are_in_order() -> None:
    made = read(NESTED).functions[0]
    flow = control_flow(made)
    names = ["latch", "innermost", "inner", "outer"]
    assert flow.in_order([*names, "unreachable"]) == [name for name in flow.order if name in names]
    assert flow.in_order(names)[:2] == ["outer", "inner"]
    assert [block.name for block in made.blocks_named(names)] == ["inner", "outer", "innermost", "latch"]
    with pytest.raises(KeyError):
        made.blocks_named(["nowhere"])
    made.blocks.reverse()
    assert [block.name for block in made.blocks_named(names)] == ["latch", "innermost", "outer", "inner"]
