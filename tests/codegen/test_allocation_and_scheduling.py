"""Allocation, scheduling and layout on a small machine of four registers: the code computes what it computed before."""

from __future__ import annotations

import itertools
import random

import pytest

from voltac.codegen.allocation import OutOfRegisters, RegisterFile, allocate, coalesce
from voltac.codegen.block_placement import Branches, lay_out
from voltac.codegen.dependence import dependences
from voltac.codegen.liveness import liveness
from voltac.codegen.machine_code import (
    FrameSlot,
    Immediate,
    LabelOperand,
    MachineBlock,
    MachineFunction,
    MachineInstruction,
    MemoryOperand,
    Register,
    VirtualRegister,
)
from voltac.codegen.patterns import ConstantPattern, Operation, parse_rule
from voltac.codegen.phi_copies import order_copies
from voltac.codegen.rows import Format, InstructionSet, Row, RowOperand
from voltac.codegen.scheduling import IssueModel, schedule

FORM = Format("F", "00000000", 8)
D, A, B = RowOperand("d", "word", "def"), RowOperand("a", "word"), RowOperand("b", "word")
U, I = RowOperand("d", "word", "update"), RowOperand("i", "number")  # noqa: E741


def row(name: str, operands: tuple[RowOperand, ...], latency: int = 1, *traits: str) -> Row:
    text = name + " " + ", ".join(f"{{{operand.field}}}" for operand in operands)
    return Row(name, text, FORM, {}, operands, "alu", latency, traits=frozenset(traits))


ROWS = InstructionSet((
    row("set", (D, I), 1, "rematerialisable"),
    row("copy", (D, A)),
    row("add", (D, A, B), 3),
    row("mul", (D, A, B), 7),
    row("accumulate", (U, A)),
    row("load", (D, I), 5, "load"),
    row("store", (A, I), 1, "store"),
    row("call", (), 1, "call"),
    row("jump", (RowOperand("l", "label"),), 1, "branch"),
    row("if", (A, RowOperand("l", "label")), 1, "branch"),
    row("unless", (A, RowOperand("l", "label")), 1, "branch"),
    row("return", (A,), 1, "return"),
))  # fmt: skip
REGISTERS = tuple(Register(f"r{number}", "word", number) for number in range(4))


def make(name: str, *values: object, access: MemoryOperand | None = None) -> MachineInstruction:
    return MachineInstruction(ROWS[name], list(values), access=access)  # type: ignore[arg-type]


FILE = RegisterFile(
    {"word": REGISTERS},
    frozenset(("copy",)),
    {"word": 4},
    lambda register, place: make("store", register, place),
    lambda register, place: make("load", register, place),
)
BRANCHES = Branches(ROWS, "jump", {"if": "unless", "unless": "if"})


def execute(function: MachineFunction, calls_destroy: bool = True) -> tuple[int, list[int]]:
    """The result, and the values stored to numbered places."""
    blocks = {block.name: number for number, block in enumerate(function.blocks)}
    values: dict[object, int] = {}
    memory: dict[object, int] = {}
    stored: list[int] = []
    block, position = 0, 0
    for _ in range(100_000):
        if position == len(function.blocks[block].instructions):
            block, position = block + 1, 0
            continue
        instruction = function.blocks[block].instructions[position]
        position += 1
        args = instruction.values
        match instruction.row.name:
            case "set":
                values[args[0]] = args[1].value  # type: ignore[union-attr]
            case "copy":
                values[args[0]] = values[args[1]]
            case "add":
                values[args[0]] = values[args[1]] + values[args[2]] & 0xFFFF
            case "mul":
                values[args[0]] = values[args[1]] * values[args[2]] & 0xFFFF
            case "accumulate":
                values[args[0]] = values[args[0]] * 3 + values[args[1]] & 0xFFFF
            case "load":
                place = args[1]
                values[args[0]] = memory.get(place.slot if isinstance(place, FrameSlot) else ("m", place.value), 0)  # type: ignore[union-attr]
            case "store":
                place = args[1]
                memory[place.slot if isinstance(place, FrameSlot) else ("m", place.value)] = values[args[0]]  # type: ignore[union-attr]
                if isinstance(place, Immediate):
                    stored.append(values[args[0]])
            case "call":
                if calls_destroy:
                    for register in instruction.implicit_defs:
                        values[register] = 0xDEAD
            case "return":
                return values[args[0]], sorted(value for key, value in memory.items() if isinstance(key, tuple))
            case "jump":
                block, position = blocks[args[0].name], 0  # type: ignore[union-attr]
            case branch:
                taken = bool(values[args[0]]) == (branch == "if")
                if taken:
                    block, position = blocks[args[1].name], 0  # type: ignore[union-attr]
    raise AssertionError("no end")


def random_code(seed: int) -> MachineFunction:
    """A loop over random operations on many values, with stores, calls and tied operands."""
    dice = random.Random(seed)
    function = MachineFunction("f")

    def new() -> VirtualRegister:
        return function.new_register("word")

    known: list[VirtualRegister] = []
    entry = MachineBlock("entry", [], ["loop"])
    for number in range(dice.randint(2, 9)):
        known.append(new())
        entry.instructions.append(make("set", known[-1], Immediate(dice.randint(0, 99) * 7 + number)))
    count, one = new(), new()
    entry.instructions += [make("set", count, Immediate(dice.randint(1, 4))), make("set", one, Immediate(0xFFFF))]
    outer = list(known)
    loop = MachineBlock("loop", [], ["loop", "end"], 1)
    for _ in range(dice.randint(5, 30)):
        kind = dice.choice(["add", "mul", "copy", "accumulate", "store", "load", "call", "set"])
        if kind in ("add", "mul"):
            known.append(new())
            loop.instructions.append(make(kind, known[-1], dice.choice(known[:-1]), dice.choice(known[:-1])))
        elif kind == "copy":
            known.append(new())
            loop.instructions.append(make("copy", known[-1], dice.choice(known[:-1])))
        elif kind == "accumulate":
            copied = new()
            loop.instructions += [make("copy", copied, dice.choice(known)), make("accumulate", copied, dice.choice(known))]
            known.append(copied)
        elif kind == "store":
            place = dice.randint(0, 5)
            loop.instructions.append(
                make("store", dice.choice(known), Immediate(place), access=MemoryOperand("m", "", "b", place, 1))
            )
        elif kind == "load":
            known.append(new())
            place = dice.randint(0, 5)
            loop.instructions.append(make("load", known[-1], Immediate(place), access=MemoryOperand("m", "", "b", place, 1)))
        elif kind == "call":
            made = make("call")
            made.implicit_defs = list(REGISTERS[:2])
            loop.instructions.append(made)
        else:
            known.append(new())
            loop.instructions.append(make("set", known[-1], Immediate(dice.randint(0, 999))))
    for register in dice.sample(outer, dice.randint(0, len(outer))):
        loop.instructions.append(make("copy", register, dice.choice(known)))
    loop.instructions += [
        make("add", count, count, one),
        make("if", count, LabelOperand("loop")),
        make("jump", LabelOperand("end")),
    ]
    end = MachineBlock("end", [], [])
    total = known[0]
    for register in outer[1:]:
        summed = new()
        end.instructions.append(make("add", summed, total, register))
        total = summed
    end.instructions.append(make("return", total))
    function.blocks = [entry, loop, end]
    return function


@pytest.mark.parametrize("seed", range(40))
def test_random_code_computes_the_same_through_every_stage(seed: int) -> None:
    function = random_code(seed)
    wanted = execute(function, calls_destroy=False)
    coalesce(function, FILE)
    assert execute(function, calls_destroy=False) == wanted
    schedule(function, IssueModel({"word": 3}, "usual", 10))
    assert execute(function, calls_destroy=False) == wanted
    allocate(function, FILE)
    assert execute(function) == wanted
    lay_out(function, BRANCHES)
    assert execute(function) == wanted
    for instruction in function.instructions():
        assert all(isinstance(value, Register) for value in instruction.reads() + instruction.writes())


@pytest.mark.parametrize("seed", range(20))
def test_what_a_scheduled_loop_has_is_spilled_around_it(seed: int) -> None:
    dice = random.Random(seed)
    function = MachineFunction("f")
    values = [function.new_register("word") for _ in range(dice.randint(6, 9))]
    entry = [make("set", register, Immediate(number + 3)) for number, register in enumerate(values)]
    # Constants that are not made anew.
    entry += [make("mul", register, register, register) for register in dice.sample(values, dice.randint(1, len(values)))]
    count, one, total = (function.new_register("word") for _ in range(3))
    entry += [make("set", count, Immediate(3)), make("set", one, Immediate(0xFFFF)), make("jump", LabelOperand("before"))]
    changed, read = dice.sample(values, 2)
    before = MachineBlock("before", [make("jump", LabelOperand("loop"))], ["loop"])
    # What is behind asks for its values more often.
    added = [make("accumulate", total, dice.choice(values)) for _ in range(20)]
    behind = MachineBlock("behind", [make("copy", total, changed), *added, make("return", total)], [], 5)
    code = [make("accumulate", changed, read), make("add", count, count, one), make("if", count, LabelOperand("loop"))]
    loop = MachineBlock("loop", [*code, make("jump", LabelOperand("behind"))], ["loop", "behind"], around=(before, behind))
    function.blocks = [MachineBlock("entry", entry, ["before"]), before, loop, behind]
    wanted = execute(function)
    allocate(function, FILE)
    assert execute(function) == wanted
    assert loop.instructions[:-1] == code, "nothing is added to the loop"


def straight(count: int) -> tuple[MachineFunction, list[VirtualRegister]]:
    function = MachineFunction("f")
    registers = [function.new_register("word") for _ in range(count)]
    block = MachineBlock("entry", [make("load", register, Immediate(number)) for number, register in enumerate(registers)])
    function.blocks = [block]
    return function, registers


def test_no_spill_where_there_are_registers_enough() -> None:
    function, (a, b, c, d) = straight(4)
    function.blocks[0].instructions += [make("add", a, a, b), make("add", c, c, d), make("add", a, a, c), make("return", a)]
    allocate(function, FILE)
    assert not function.slots


def test_constants_are_made_anew_rather_than_kept_in_memory() -> None:
    function = MachineFunction("f")
    constants = [function.new_register("word") for _ in range(8)]
    code = [make("set", register, Immediate(number + 1)) for number, register in enumerate(constants)]
    total = function.new_register("word")
    code.append(make("set", total, Immediate(0)))
    code += [make("accumulate", total, register) for register in constants]
    function.blocks = [MachineBlock("entry", [*code, make("return", total)])]
    wanted = execute(function)
    allocate(function, FILE)
    assert execute(function) == wanted and not function.slots


def test_a_copy_whose_source_dies_goes_away() -> None:
    function, (a, b) = straight(2)
    c = function.new_register("word")
    function.blocks[0].instructions += [make("copy", c, a), make("accumulate", c, b), make("return", c)]
    coalesce(function, FILE)
    assert [one.row.name for one in function.instructions()] == ["load", "load", "accumulate", "return"]


def test_a_copy_whose_source_lives_on_stays() -> None:
    function, (a, b) = straight(2)
    c = function.new_register("word")
    function.blocks[0].instructions += [make("copy", c, a), make("accumulate", c, b), make("add", c, c, a), make("return", c)]
    coalesce(function, FILE)
    assert [one.row.name for one in function.instructions()].count("copy") == 1


def test_values_live_across_a_call_are_in_registers_it_leaves() -> None:
    function, (a, b) = straight(2)
    call = make("call")
    call.implicit_defs = list(REGISTERS[:3])
    function.blocks[0].instructions += [call, make("add", a, a, b), make("return", a)]
    wanted = execute(function, calls_destroy=False)
    allocate(function, FILE)
    assert execute(function) == wanted
    assert len(function.slots) == 1  # one register is left, two values need one


def test_an_instruction_with_more_operands_than_registers_is_named() -> None:
    function, (a, b, c) = straight(3)
    file = RegisterFile({"word": REGISTERS[:1]}, FILE.copies, FILE.sizes, FILE.spill, FILE.reload)
    function.blocks[0].instructions += [make("add", a, b, c), make("return", a)]
    with pytest.raises(OutOfRegisters):
        allocate(function, file)


def test_live_positions_have_holes() -> None:
    function, (a,) = straight(1)
    b = function.new_register("word")
    function.blocks[0].instructions += [make("store", a, Immediate(1)), make("set", b, Immediate(2)), make("copy", a, b)]
    function.blocks[0].instructions.append(make("return", a))
    # Written by instruction 0 and read by 1; written by 3 and read by 4. Reads are at even positions, writes at odd ones.
    assert liveness(function)[a] == 1 << 1 | 1 << 2 | 1 << 7 | 1 << 8
    assert liveness(function)[b] == 1 << 5 | 1 << 6


def test_independent_work_fills_the_wait_for_a_result() -> None:
    function, (a, b, c, d) = straight(4)
    e, f = function.new_register("word"), function.new_register("word")
    function.blocks[0].instructions += [
        make("mul", e, a, b), make("store", e, Immediate(8)), make("mul", f, c, d), make("store", f, Immediate(9)),
        make("return", a),
    ]  # fmt: skip
    schedule(function, IssueModel({"word": 8}, "usual", 10))
    names = [one.row.name for one in function.instructions()]
    assert names.index("store") > max(index for index, name in enumerate(names) if name == "mul")


def test_loads_and_stores_that_may_meet_keep_their_order() -> None:
    function, (a, b) = straight(2)
    c = function.new_register("word")
    first = make("store", a, Immediate(1), access=MemoryOperand("main", "", "p", 0, 4))
    apart = make("load", b, Immediate(2), access=MemoryOperand("main", "", "p", 4, 4))
    unknown = make("load", c, Immediate(3), access=MemoryOperand("main"))
    nodes = dependences([first, apart, unknown])
    assert [after.number for after, _ in nodes[0].after] == [2]
    elsewhere = make("load", c, Immediate(3), access=MemoryOperand("scratchpad"))
    assert not dependences([first, elsewhere])[0].after


def test_instructions_of_one_state_come_together() -> None:
    function, registers = straight(4)
    code = []
    for number, register in enumerate(registers):
        made = make("accumulate", register, register)
        made.states = ("odd",) if number % 2 else ("usual",)
        code.append(made)
    function.blocks[0].instructions += [*code, make("return", registers[0])]
    schedule(function, IssueModel({"word": 8}, "usual", 50))
    states = [one.states[0] for one in function.instructions() if one.states]
    assert len(list(itertools.groupby(states))) == 2


@pytest.mark.parametrize("seed", range(20))
def test_copies_at_once_are_ordered_right(seed: int) -> None:
    dice = random.Random(seed)
    function = MachineFunction("f")
    registers = [function.new_register("word") for _ in range(7)]
    pending = {to: dice.choice(registers) for to in dice.sample(registers, dice.randint(1, 7))}
    pending = {to: source for to, source in pending.items() if to is not source}
    before = {register: number for number, register in enumerate(registers)}
    values = dict(before)

    def copy(to: VirtualRegister, source: VirtualRegister) -> None:
        values[to] = values[source]

    order_copies(pending, copy, lambda one: function.new_register("word"))
    for register in registers:
        assert values[register] == before[pending.get(register, register)]


def test_rules_are_read_as_written() -> None:
    rule = parse_rule("add.s(a, mul.s(b, c:small)) -> t = mul b c; add a t")
    assert rule.pattern.key == "add.s"
    inner = rule.pattern.operands[1]
    assert isinstance(inner, Operation) and inner.operands[1] == ConstantPattern("c", "small")
    assert [step.result for step in rule.steps] == ["t", ""]


def test_a_loop_that_tests_first_is_turned_round() -> None:
    function = MachineFunction("f")
    a, one = function.new_register("word"), function.new_register("word")
    function.blocks = [
        MachineBlock(
            "entry",
            [make("set", a, Immediate(3)), make("set", one, Immediate(0xFFFF)), make("jump", LabelOperand("head"))],
            ["head"],
        ),
        MachineBlock("head", [make("if", a, LabelOperand("body")), make("jump", LabelOperand("end"))], ["body", "end"], 1),
        MachineBlock("body", [make("add", a, a, one), make("jump", LabelOperand("head"))], ["head"], 1),
        MachineBlock("end", [make("return", a)], []),
    ]
    wanted = execute(function)
    lay_out(function, BRANCHES)
    assert execute(function) == wanted
    body = next(block for block in function.blocks if block.name == "body")
    assert [instruction.row.name for instruction in body.instructions] == ["add", "if"]
