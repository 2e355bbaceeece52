"""Structures of arrays lie in memory in blocks (language 5.11)."""

import numpy as np
import trees as t
from trees import EIGHT, LANE

from voltac.interpreter import Interpreter
from voltac.messages.message import NOWHERE
from voltac.sema import tree
from voltac.sema.types import FLOAT, INT32, UNBOUND, Array, Pointer, Qual, Struct, StructMember, soa, uniform

FOUR = soa(4)
A = Struct("A", (StructMember("a", Qual(FLOAT, UNBOUND)), StructMember("b", Qual(Array(Qual(INT32, UNBOUND), 2), UNBOUND))))
ARRAY = Qual(Array(Qual(A, FOUR), 3), FOUR)
SLICE = uniform(Pointer(Qual(A, FOUR)))


def test_members_of_soa_elements_lie_in_blocks() -> None:
    x = tree.VariableSymbol("x", ARRAY, "global")

    def member(index: tree.Value, part: int) -> tree.Place:
        struct = t.element_of(t.place(x), index)
        return t.element_of(tree.member_place(struct, 1, NOWHERE), t.number(part, Qual(INT32)))

    one = t.operate(LANE, "+", 100)
    body = [t.assign(member(LANE, 1), one), t.assign(member(t.number(9, Qual(INT32)), 0), t.number(7, Qual(INT32)))]
    program = t.program(t.function("f", [], *body))
    program.globals.append(x)
    interpreter = Interpreter(program, EIGHT)
    interpreter.call("f", [])
    # A block is a[4], b[0][4], b[1][4]; element i is slot i % 4 of block i / 4.
    blocks = interpreter.global_bytes("x").view(np.int32).reshape(3, 3, 4)
    assert blocks[:2, 2].ravel().tolist() == list(range(100, 108))
    assert blocks[2, 1].tolist() == [0, 7, 0, 0]
    assert np.count_nonzero(blocks) == 9


def test_slice_pointers_step_through_slots_and_blocks() -> None:
    x, p = tree.VariableSymbol("x", ARRAY, "global"), t.local("p", SLICE)
    third = tree.AddressOf(NOWHERE, SLICE, t.element_of(t.place(x), t.number(3, Qual(INT32))))
    moved = tree.deref(tree.PointerOffset(NOWHERE, SLICE, t.read(p), t.number(2, Qual(INT32))), NOWHERE)
    place = t.element_of(tree.member_place(moved, 1, NOWHERE), t.number(0, Qual(INT32)))
    distance = tree.PointerDifference(NOWHERE, Qual(INT32), tree.AddressOf(NOWHERE, SLICE, moved), t.read(p))
    program = t.program(
        t.function(
            "f",
            [],
            t.declare(p, third),
            t.assign(place, t.number(5, Qual(INT32))),
            tree.Return(NOWHERE, distance),
            result=Qual(INT32),
        )
    )
    program.globals.append(x)
    interpreter = Interpreter(program, EIGHT)
    assert interpreter.call("f", []) == 2
    blocks = interpreter.global_bytes("x").view(np.int32).reshape(3, 3, 4)
    assert np.argwhere(blocks).tolist() == [[1, 1, 1]]
