"""The rules of section 1 of the language and the vectors of appendix B.5, on trees built by hand."""

import numpy as np
import pytest
import trees as t
from trees import BREAK, CONTINUE, EIGHT, INT_POINTER, LANE

from voltac.interpreter import Interpreter, InterpreterError, Trace
from voltac.messages.message import NOWHERE
from voltac.sema import tree
from voltac.sema.types import FLOAT, INT8, INT32, VARYING, VARYING_INT32, FunctionType, Pointer, Qual, uniform


def lanes_after(*body: tree.Statement, result: tree.VariableSymbol) -> list[int]:
    """Runs the statements with all of eight lanes on; the lanes of ``result`` at the end."""
    function = t.function("f", [], *body, tree.Return(NOWHERE, t.read(result)), result=VARYING_INT32)
    return [int(lane) for lane in Interpreter(t.program(function), EIGHT).call("f", [])]


def test_a_uniform_variable_changes_if_some_lane_takes_the_path() -> None:
    who = t.local("who", Qual(INT32))

    def add(amount: int) -> tree.Statement:
        return t.assign(who, t.operate(t.read(who), "+", amount))

    function = t.function(
        "f",
        [],
        t.declare(who, 0),
        t.when(t.operate(LANE, "<", 2), add(1), add(10)),
        t.when(t.operate(LANE, "<", 0), add(99)),
        tree.Return(NOWHERE, t.read(who)),
        result=Qual(INT32),
    )
    assert Interpreter(t.program(function), EIGHT).call("f", []) == 11


def test_break_and_continue_remove_lanes_until_the_end_of_loop_and_iteration() -> None:
    i, r = t.local("i"), t.local("r")
    body = (
        t.when(t.operate(t.read(i), "==", 2), CONTINUE),
        t.when(t.operate(t.read(i), "==", 5), BREAK),
        t.assign(r, t.operate(t.read(r), "+", t.read(i))),
    )
    looping = t.loop(t.operate(t.read(i), "<", LANE), t.step(i), *body)
    assert lanes_after(t.declare(r, 0), t.declare(i, 0), looping, result=r) == [0, 0, 1, 1, 4, 8, 8, 8]


def test_a_uniform_loop_goes_on_while_a_lane_has_not_broken() -> None:
    i, n, times = t.local("i", Qual(INT32)), t.local("n"), t.local("times", Qual(INT32))
    looping = t.loop(
        t.operate(t.read(i), "<", 10),
        t.step(i),
        t.when(t.operate(t.read(i), "==", LANE), BREAK),
        tree.Evaluate(NOWHERE, t.step(n)),
        tree.Evaluate(NOWHERE, t.step(times)),
    )
    both = t.assign(n, t.operate(t.operate(t.read(n), "*", 100), "+", t.read(times)))
    start = (t.declare(i, 0), t.declare(n, 0), t.declare(times, 0))
    assert lanes_after(*start, looping, both, result=n) == [100 * lane + 7 for lane in range(8)]


def test_switch_joins_at_labels_falls_through_and_returns() -> None:
    r = t.local("r")

    def add(amount: int) -> tree.Statement:
        return t.assign(r, t.operate(t.read(r), "+", amount))

    body = t.block(
        tree.CaseLabel(NOWHERE, 0),
        tree.CaseLabel(NOWHERE, 1),
        add(1),
        tree.CaseLabel(NOWHERE, 2),
        add(10),
        BREAK,
        tree.CaseLabel(NOWHERE, 5),
        add(100),
        tree.Return(NOWHERE, tree.Unary(NOWHERE, VARYING_INT32, "-", t.read(r))),
        tree.CaseLabel(NOWHERE, None),
        add(1000),
    )
    switch = tree.Switch(NOWHERE, LANE, (0, 1, 2, 5, None), body)
    assert lanes_after(t.declare(r, 0), switch, result=r) == [11, 11, 10, 1000, 1000, -100, 1000, 1000]


def test_a_colliding_scatter_keeps_the_highest_lane() -> None:
    x = tree.VariableSymbol("x", INT_POINTER, "parameter")
    out = np.zeros(2, np.int32)
    scatter = t.assign(t.item(x, t.operate(LANE, "&", 1)), LANE)
    Interpreter(t.program(t.function("f", [x], scatter)), EIGHT).call("f", [out])
    assert out.tolist() == [6, 7]


def groups(tiled: bool, *ranges: tuple[int, int]) -> list[list[tuple[int, ...]]]:
    """The index tuples of the active lanes of every group of a foreach, as its body sees them."""
    x = tree.VariableSymbol("x", INT_POINTER, "parameter")
    symbols = [t.local(f"i{n}", Qual(VARYING_INT32.type, VARYING, True)) for n in range(len(ranges))]
    dimensions = tuple(
        tree.ForeachDimension(symbol, t.number(first, Qual(INT32)), t.number(last, Qual(INT32)))
        for symbol, (first, last) in zip(symbols, ranges, strict=True)
    )
    seen: list[list[tuple[int, ...]]] = []

    class Watch(Trace):
        def reached(self, statement: tree.Statement, active: np.ndarray) -> None:
            if statement is body:
                values = [interpreter.machine.load(interpreter.machine.variable(s), active, NOWHERE) for s in symbols]
                seen.append([tuple(int(v[lane]) for v in values) for lane in np.flatnonzero(active)])

    body = CONTINUE
    function = t.function("f", [x], tree.Foreach(NOWHERE, dimensions, body, tiled, None))
    interpreter = Interpreter(t.program(function), EIGHT, trace=Watch())
    interpreter.call("f", [np.zeros(1, np.int32)])
    return seen


def test_foreach_takes_eight_of_the_innermost_dimension_at_a_time() -> None:
    assert groups(False, (3, 14)) == [[(i,) for i in range(3, 11)], [(11,), (12,), (13,)]]
    assert groups(False, (0, 2), (0, 3)) == [[(0, 0), (0, 1), (0, 2)], [(1, 0), (1, 1), (1, 2)]]
    assert groups(False, (5, 5)) == []


def test_foreach_tiled_takes_tiles_of_two_by_four() -> None:
    tiles = groups(True, (0, 3), (0, 5))
    assert tiles[0] == [(j, i) for j in range(2) for i in range(4)]
    assert tiles[1] == [(0, 4), (1, 4)]
    assert tiles[2] == [(2, i) for i in range(4)]
    assert [len(tile) for tile in groups(True, (0, 2), (0, 2), (0, 4))] == [8, 8]


def test_foreach_unique_visits_values_in_order_and_each_nan_lane_alone() -> None:
    values = t.local("values", Qual(FLOAT, VARYING))
    one, order, count = t.local("v", uniform(FLOAT)), t.local("order"), t.local("count", Qual(INT32))
    nan = float("nan")
    lanes = tree.LaneList(NOWHERE, values.type, tuple(t.number(v, uniform(FLOAT)) for v in (3, nan, 3, 1, nan, 1, 3, 2)))
    note = t.block(tree.Evaluate(NOWHERE, t.step(count)), t.assign(order, t.varying(t.read(count))))
    each = tree.ForeachUnique(NOWHERE, one, t.read(values), note)
    assert lanes_after(t.declare(values, lanes), t.declare(count, 0), each, result=order) == [1, 2, 1, 3, 4, 3, 1, 5]


def test_small_integers_wrap_in_their_own_type() -> None:
    hundred = t.number(100, uniform(INT8))
    function = t.function("f", [], tree.Return(NOWHERE, t.operate(hundred, "+", hundred)), result=uniform(INT8))
    assert Interpreter(t.program(function), EIGHT).call("f", []) == -56


@pytest.mark.parametrize(("operator", "expected"), [("/", -3), ("%", -1), (">>", -2)])
def test_integer_division_truncates(operator: str, expected: int) -> None:
    value = t.operate(t.number(-7, Qual(INT32)), operator, 2)
    function = t.function("f", [], tree.Return(NOWHERE, value), result=Qual(INT32))
    assert Interpreter(t.program(function), EIGHT).call("f", []) == expected


def test_an_access_outside_an_array_names_the_lane() -> None:
    x = tree.VariableSymbol("x", INT_POINTER, "parameter")
    function = t.function("f", [x], t.assign(t.item(x, LANE), LANE))
    interpreter = Interpreter(t.program(function), EIGHT)
    with pytest.raises(InterpreterError, match=r"byte 20 of an array argument.*in lane 5"):
        interpreter.call("f", [np.zeros(5, np.int32)])
    guarded = t.function("g", [x], t.when(t.operate(LANE, "<", 5), t.assign(t.item(x, LANE), LANE)))
    out = np.zeros(5, np.int32)
    Interpreter(t.program(guarded), EIGHT).call("g", [out])
    assert out.tolist() == [0, 1, 2, 3, 4]


def test_a_division_by_zero_matters_in_active_lanes_only() -> None:
    r = t.local("r")
    divide = t.assign(r, t.operate(t.number(12), "/", LANE))
    assert lanes_after(t.declare(r, 0), t.when(t.operate(LANE, ">", 0), divide), result=r) == [0, 12, 6, 4, 3, 2, 2, 1]
    with pytest.raises(InterpreterError, match=r"division by zero \(in lane 0\)"):
        lanes_after(divide, result=r)


def test_overlapping_host_arrays_are_one_object() -> None:
    a = tree.VariableSymbol("a", INT_POINTER, "parameter")
    b = tree.VariableSymbol("b", INT_POINTER, "parameter")
    first = t.item(a, t.number(1, Qual(INT32)))
    copy = t.assign(t.item(b, t.number(1, Qual(INT32))), t.operate(t.read(first), "+", 1))
    data = np.arange(4, dtype=np.int32)
    function = t.function("f", [a, b], t.assign(first, t.number(40, Qual(INT32))), copy)
    Interpreter(t.program(function), EIGHT).call("f", [data, data[1:]])
    assert data.tolist() == [0, 40, 41, 3]


def test_recursion_calls_with_the_lanes_that_still_need_it() -> None:
    n = tree.VariableSymbol("n", VARYING_INT32, "parameter")
    factorial = tree.FunctionSymbol("factorial", FunctionType(VARYING_INT32, (VARYING_INT32,)), "factorial", (n,))
    again = tree.Call(NOWHERE, VARYING_INT32, factorial, (t.operate(t.read(n), "-", 1),))
    factorial.body = t.block(
        t.when(t.operate(t.read(n), "<=", 1), tree.Return(NOWHERE, t.number(1))),
        tree.Return(NOWHERE, t.operate(t.read(n), "*", again)),
    )
    result = Interpreter(t.program(factorial), EIGHT).call("factorial", [np.arange(8)])
    assert result.tolist() == [1, 1, 2, 6, 24, 120, 720, 5040]


def test_a_varying_function_pointer_calls_each_target_once() -> None:
    printed: list[str] = []
    kind = FunctionType(VARYING_INT32, (VARYING_INT32,))

    def target(name: str, factor: int) -> tree.FunctionSymbol:
        x = tree.VariableSymbol("x", VARYING_INT32, "parameter")
        say = tree.Print(NOWHERE, (name,), ())
        return t.function(name, [x], say, tree.Return(NOWHERE, t.operate(t.read(x), "*", factor)), result=VARYING_INT32)

    twice, thrice = target("twice ", 2), target("thrice ", 3)
    pointer = Qual(Pointer(Qual(kind)), VARYING)

    def address(function: tree.FunctionSymbol) -> tree.Value:
        return t.varying(tree.FunctionAddress(NOWHERE, uniform(pointer.type), function))

    chosen = tree.Conditional(NOWHERE, pointer, t.operate(t.operate(LANE, "&", 1), "==", 1), address(twice), address(thrice))
    call = tree.CallPointer(NOWHERE, VARYING_INT32, chosen, (LANE,))
    function = t.function("f", [], tree.Return(NOWHERE, call), result=VARYING_INT32)
    result = Interpreter(t.program(function), EIGHT, output=printed.append).call("f", [])
    assert result.tolist() == [0, 2, 6, 6, 12, 10, 18, 14]
    assert printed == ["thrice ", "twice "]


def test_goto_moves_back_and_forth_under_uniform_control() -> None:
    n, r = t.local("n", Qual(INT32)), t.local("r")
    body = (
        t.declare(n, 0),
        t.declare(r, 0),
        tree.Label(NOWHERE, "again"),
        t.block(
            t.assign(r, t.operate(t.read(r), "+", LANE)),
            tree.Evaluate(NOWHERE, t.step(n)),
            t.when(t.operate(t.read(n), "<", 3), tree.Goto(NOWHERE, "again")),
            tree.Goto(NOWHERE, "end"),
        ),
        t.assign(r, t.number(-1)),
        t.block(tree.Label(NOWHERE, "end")),
    )
    assert lanes_after(*body, result=r) == [3 * lane for lane in range(8)]


def test_print_marks_the_lanes_that_are_off() -> None:
    printed: list[str] = []
    as_float = t.convert(LANE, FLOAT)
    say = tree.Print(NOWHERE, ("<", " ", ">"), (t.operate(LANE, "<", 3), as_float))
    function = t.function("f", [], t.when(t.operate(LANE, ">", 5), say))
    Interpreter(t.program(function), EIGHT, output=printed.append).call("f", [])
    offs = ",".join(f"(({lane}.000000))" for lane in range(6))
    assert printed == ["<[" + "_________," * 6 + "false,false] [" + offs + ",6.000000,7.000000]>"]


def test_objects_end_with_their_function_and_with_delete() -> None:
    pointer = t.local("p", INT_POINTER)
    inner = t.local("inner", Qual(INT32))
    address = tree.AddressOf(NOWHERE, INT_POINTER, t.place(inner))
    leak = t.function("leak", [], t.declare(inner, 1), tree.Return(NOWHERE, address), result=INT_POINTER)
    first = t.item(pointer, t.number(0, Qual(INT32)))

    def using(*start: tree.Statement) -> None:
        user = t.function("user", [], *start, tree.Return(NOWHERE, t.read(first)), result=Qual(INT32))
        Interpreter(t.program(user), EIGHT).call("user", [])

    with pytest.raises(InterpreterError, match="no object"):
        using(t.declare(pointer, tree.Call(NOWHERE, INT_POINTER, leak, ())))
    made = t.declare(pointer, tree.New(NOWHERE, INT_POINTER, None, t.number(5, Qual(INT32))))
    using(made)
    with pytest.raises(InterpreterError, match="no object"):
        using(made, tree.Delete(NOWHERE, t.read(pointer)))
    with pytest.raises(InterpreterError, match="deleted before"):
        using(made, tree.Delete(NOWHERE, t.read(pointer)), tree.Delete(NOWHERE, t.read(pointer)))
