"""Registers that consist of others: after coalescing and allocation random code on pairs and their lanes computes the same."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest

from voltac.codegen.allocation import RegisterFile, allocate, coalesce
from voltac.codegen.fixed_registers import read_fixed_registers
from voltac.codegen.machine_code import (
    FrameSlot,
    Immediate,
    MachineBlock,
    MachineFunction,
    MachineInstruction,
    Register,
    VirtualRegister,
)
from voltac.codegen.rows import Format, InstructionSet, Row, RowOperand

_FORM = Format("F", "00000000", 8)


def row(name: str, *operands: str, traits: str = "") -> Row:
    """The first operand is the result, unless it begins with a star."""
    made = tuple(
        RowOperand(f"o{number}", kind.lstrip("*"), "use" if number or kind[0] == "*" else "def")
        for number, kind in enumerate(operands)
    )
    return Row(name, name, _FORM, {}, made, "alu", 1, traits=frozenset(traits.split()))


ROWS = InstructionSet((
    row("set", "word", "number", traits="rematerialisable"), row("both", "word2", "number", traits="rematerialisable"),
    row("add", "word", "word", "word"), row("add2", "word2", "word2", "word2"),
    row("copy", "word", "word"), row("copy2", "word2", "word2"),
    row("load", "word", "frame"), row("load2", "word2", "frame"),
    row("store", "*word", "frame"), row("store2", "*word2", "frame"),
    row("out", "*word"),
))  # fmt: skip
SINGLE = tuple(Register(f"r{number}", "word", number) for number in range(6))
PAIRS = tuple(Register(f"r{low}:{low + 1}", "word2", low // 2, SINGLE[low : low + 2]) for low in range(0, 6, 2))
ZERO = Register("z", "word", 6)


def make(name: str, *values: Any) -> MachineInstruction:
    return MachineInstruction(ROWS[name], list(values))


FILE = RegisterFile(
    {"word": SINGLE, "word2": PAIRS},
    frozenset(("copy", "copy2")),
    {"word": 4, "word2": 8},
    lambda register, place: make("store2" if register.lanes else "store", register, place),
    lambda register, place: make("load2" if register.lanes else "load", register, place),
)


def outputs(function: MachineFunction) -> list[int]:
    values: dict[Any, int] = {ZERO: 0}
    memory: dict[tuple[int, int], int] = {}
    out: list[int] = []
    for instruction in function.instructions():
        first, *rest = instruction.values
        parts = first.lanes or (first,)  # type: ignore[union-attr]
        match instruction.row.name:
            case "set" | "both":
                values.update(dict.fromkeys(parts, rest[0].value))  # type: ignore[union-attr]
            case "add" | "add2":
                sources = [getattr(one, "lanes", ()) or (one,) for one in rest]
                values.update(zip(parts, [values[a] * 3 + values[b] & 0xFFFF for a, b in zip(*sources)]))
            case "copy" | "copy2":
                values.update(zip(parts, [values[one] for one in getattr(rest[0], "lanes", ()) or (rest[0],)]))
            case "load" | "load2":
                slot: Any = rest[0]
                values.update((one, memory[slot.slot, slot.offset + 4 * lane]) for lane, one in enumerate(parts))
            case "store" | "store2":
                slot = rest[0]
                memory.update(((slot.slot, slot.offset + 4 * lane), values[one]) for lane, one in enumerate(parts))
            case "out":
                out.append(values[first])
    return out


def random_code(seed: int) -> MachineFunction:
    """Pairs made of scalars, of constants, of each other; scalars that are lanes of pairs."""
    dice = random.Random(seed)
    function = MachineFunction("f")
    code: list[MachineInstruction] = []
    words: list[VirtualRegister] = []
    pairs: list[VirtualRegister] = []
    for number in range(4):
        words.append(function.new_register("word"))
        code.append(make("set", words[-1], Immediate(dice.choice((0, 5, 7 * number + 1)))))
    for _ in range(dice.randint(6, 40)):
        kind = dice.choice(["pair", "both", "add", "add2", "copy2", "out"])
        if kind in ("pair", "both") or not pairs:
            pairs.append(function.new_register("word2"))
            if kind == "both":
                code.append(make("both", pairs[-1], Immediate(dice.randint(0, 9))))
            else:
                code += [make("copy", lane, dice.choice(words)) for lane in pairs[-1].lanes]
        elif kind == "out":
            code.append(make("out", dice.choice(words)))
        elif kind == "add":
            words.append(function.new_register("word"))
            code.append(make("add", words[-1], dice.choice(words[:-1]), dice.choice(dice.choice(pairs).lanes)))
        else:
            made = function.new_register("word2")
            code.append(make(kind, made, *(dice.choice(pairs) for _ in range(2 if kind == "add2" else 1))))
            pairs.append(made)
    code += [make("out", lane) for pair in pairs for lane in pair.lanes]
    function.blocks = [MachineBlock("entry", code, [])]
    return function


@pytest.mark.parametrize("first", range(0, 400, 50))
def test_pairs_hold_what_their_lanes_did(first: int) -> None:
    for seed in range(first, first + 50):
        function = random_code(seed)
        expected = outputs(function)
        read_fixed_registers(function, lambda one: ZERO if one.row.name == "set" and one.values[1] == Immediate(0) else None)
        coalesce(function, FILE)
        allocate(function, FILE)
        assert outputs(function) == expected, seed
        assert all(isinstance(register, Register) for one in function.instructions() for register in one.reads())


def test_lanes_are_made_where_their_pair_is() -> None:
    function = MachineFunction("f")
    low, high, made = (function.new_register(kind) for kind in ("word", "word", "word2"))
    code = [make("set", low, Immediate(1)), make("set", high, Immediate(2))]
    code += [make("copy", made.lanes[0], low), make("copy", made.lanes[1], high)]
    code += [make("add2", made, made, made), make("out", made.lanes[0]), make("out", made.lanes[1])]
    function.blocks = [MachineBlock("entry", code, [])]
    coalesce(function, FILE)
    allocate(function, FILE)
    assert [one.row.name for one in function.instructions()] == ["set", "set", "add2", "out", "out"]
    assert outputs(function) == [4, 8]


def test_a_pair_without_a_register_has_one_slot_of_both_words() -> None:
    function = MachineFunction("f")
    pairs = [function.new_register("word2") for _ in range(4)]
    code = [make("both", pairs[0], Immediate(3))]
    code += [make("add2", pair, before, before) for before, pair in pairwise(pairs)]
    code += [make("out", lane) for pair in pairs for lane in pair.lanes]
    function.blocks = [MachineBlock("entry", code, [])]
    allocate(function, FILE)
    assert set(function.slots) == {(8, 8)}
    assert {value.offset for one in function.instructions() for value in one.values if isinstance(value, FrameSlot)} <= {0, 4}
    assert outputs(function) == [3, 3, 12, 12, 48, 48, 192, 192]
