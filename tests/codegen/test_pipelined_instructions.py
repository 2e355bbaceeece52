"""Dependences of a loop of instructions: in the order of any schedule it computes what it computes in its own."""

from __future__ import annotations

import random

import pytest

from voltac.codegen.machine_code import MachineInstruction, MemoryOperand, Register, Value, VirtualRegister
from voltac.codegen.pipelining.instructions import LoopBody, loop_of
from voltac.codegen.pipelining.loop import IssueResources, Occupied
from voltac.codegen.pipelining.modulo import ModuloSchedule, schedules
from voltac.codegen.rows import Format, Row, RowOperand

FORM = Format("F", "00000000", 8)
D, U = RowOperand("d", "word", "def"), RowOperand("d", "word", "update")
A, B = RowOperand("a", "word"), RowOperand("b", "word")


def row(name: str, operands: tuple[RowOperand, ...], latency: int = 1, *traits: str) -> Row:
    text = name + " " + ", ".join(f"{{{operand.field}}}" for operand in operands)
    return Row(name, text, FORM, {}, operands, "alu", latency, traits=frozenset(traits))


ADD, MOVE, COUNT = row("add", (D, A, B), 2), row("move", (D, A)), row("count", (U, A), 3)
LOAD, STORE, BRANCH = row("load", (D, A), 4, "load"), row("store", (A, B), 1, "store"), row("jump", (), 1, "branch")
PHYSICAL = [Register(f"r{number}", "word", number) for number in range(2)]
MACHINE = IssueResources({"alu": 2, "memory": 1})


def ways(instruction: MachineInstruction) -> tuple[Occupied, ...]:
    return ((("memory", 0),),) if instruction.row in (LOAD, STORE) else ((("alu", 0),),)


def random_body(rng: random.Random) -> list[MachineInstruction]:
    virtual = [VirtualRegister(number, "word") for number in range(5)]
    registers: list[Value] = [*virtual, *PHYSICAL]
    body = []
    for _ in range(rng.randint(1, 8)):
        kind = rng.choice((ADD, MOVE, COUNT, LOAD, STORE))
        access = MemoryOperand(rng.choice(("near", "far")), rng.choice(("", "x", "y"))) if kind in (LOAD, STORE) else None
        body.append(MachineInstruction(kind, [rng.choice(registers) for _ in kind.operands], access=access))
    return body


def compute(instruction: MachineInstruction, number: int, iteration: int, operands: list[int]) -> int:
    return hash((number, iteration, *operands)) % 1_000_003


def place(instruction: MachineInstruction, number: int, iteration: int) -> tuple[str, str, int]:
    """The location of an access: some other in each iteration, so that accesses of one object meet at any distance."""
    access = instruction.access
    assert access is not None
    # What has no origin may be in either object.
    origin = access.origin or ("x", "y")[(number + iteration) % 2]
    return access.space, origin, (number * 7 + iteration * 5) % 3


def in_order(body: list[MachineInstruction], iterations: int) -> dict[tuple[int, int], int]:
    registers: dict[object, int] = {}
    memory: dict[tuple[str, str, int], int] = {}
    made = {}
    for iteration in range(iterations):
        for number, instruction in enumerate(body):
            operands = [registers.get(register, 0) for register in instruction.reads()]
            if instruction.row is LOAD:
                operands.append(memory.get(place(instruction, number, iteration), 0))
            result = made[number, iteration] = compute(instruction, number, iteration, operands)
            if instruction.row is STORE:
                memory[place(instruction, number, iteration)] = result
            for register in instruction.writes():
                registers[register] = result
    return made


def scheduled(body: LoopBody, schedule: ModuloSchedule, iterations: int) -> dict[tuple[int, int], int]:
    """Cycle by cycle: each reads, then writes memory, and a result is in its register after the latency."""
    values: dict[object, int] = {}
    memory: dict[tuple[str, str, int], int] = {}
    made = {}
    landing: list[tuple[int, object, int]] = []
    events = sorted(
        (schedule.times[number] + iteration * schedule.interval, number, iteration)
        for iteration in range(iterations)
        for number in range(len(body.instructions))
    )
    for time in range(events[-1][0] + 1):
        for at, register, result in landing:
            if at == time:
                values[register] = result
        stored = []
        for _, number, iteration in (event for event in events if event[0] == time):
            instruction, operation = body.instructions[number], body.loop.operations[number]
            distances = {read.value: read.distance for read in operation.reads}
            operands = []
            for register in instruction.reads():
                value = body.values.get(register)
                key: object = register if value is None else (value, max(-1, iteration - distances[value]))
                operands.append(values.get(key, 0))
            if instruction.row is LOAD:
                operands.append(memory.get(place(instruction, number, iteration), 0))
            result = made[number, iteration] = compute(instruction, number, iteration, operands)
            if instruction.row is STORE:
                stored.append((place(instruction, number, iteration), result))
            for register in instruction.writes():
                value = body.values.get(register)
                landing.append((time + instruction.row.latency, register if value is None else (value, iteration), result))
        memory.update(stored)
    return made


def test_schedules_of_random_instructions_compute_what_the_loop_computes() -> None:
    rng = random.Random(4)
    overlapped = 0
    for _ in range(300):
        instructions = random_body(rng)
        body = loop_of(instructions, ways, True)
        schedule = next(schedules(body.loop, MACHINE))
        overlapped += schedule.stages > 1
        assert scheduled(body, schedule, 6) == in_order(instructions, 6)
    assert overlapped > 50


def test_what_nothing_passes_is_refused() -> None:
    with pytest.raises(ValueError, match="does not overlap"):
        loop_of([MachineInstruction(BRANCH, [])], ways, True)
