"""Random code, branches and loops included, gives what stepping through it gives, in as many cycles."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from npu_programs import ALL_ON, END, THREAD_TO_S40, constant, image_of
from npu_stepper import Machine

from voltac.codegen.rows import RowOperand
from voltac.targets.naplespu.isa import INSTRUCTIONS
from voltac.targets.naplespu.simulator import program
from voltac.targets.naplespu.simulator.machine import Configuration, SimulatedDevice

DATA_LINES = 6
AT = 0x800000
SCALARS, VECTORS = range(2, 10), range(1, 7)
"""Registers that random code uses; s40 and up are pointers and counters."""
COMPUTING = [row for row in INSTRUCTIONS.rows.values() if row.meaning and "alias" not in row.traits]
ACCESSES = [row for row in INSTRUCTIONS.rows.values() if row.unit in ("memory", "scratchpad")]


def some_register(random: Random, operand: RowOperand) -> str:
    if operand.kind == "scalar":
        return random.choice([f"s{random.choice(SCALARS)}"] * 30 + (["rm"] if operand.role == "def" else ["rm", "pc"]))
    return random.choice([f"v{random.choice(VECTORS)}"] * 60 + ["v59"])


def some_instruction(random: Random) -> str:
    if random.random() < 0.75:
        row = random.choice(COMPUTING)
        texts = {}
        for operand in row.operands:
            if operand.kind in ("scalar", "vector"):
                texts[operand.field] = some_register(random, operand)
            else:
                texts[operand.field] = str(random.randrange(65536) if operand.kind == "imm16" else random.randrange(-256, 256))
        return " " + row.text.format_map(texts)
    if random.random() < 0.1:
        return random.choice((" flush s40", " movei rm, 65535", " nop", f" movei rm, {random.randrange(65536)}"))
    row = random.choice(ACCESSES)
    size = next(int(trait.split()[1]) for trait in row.traits if trait.startswith("bytes"))
    alignment = next(int(trait.split()[1]) for trait in row.traits if trait.startswith("align"))
    # s41 points to the data's third line, s42 into the scratchpad.
    base = "s42" if row.unit == "scratchpad" else "s41"
    step = max(size, alignment if row.unit == "memory" else size)
    offset = random.randrange(-128 // step, 192 // step) * step
    kind = row.operands[0].kind
    return " " + row.text.format_map(
        {"rds": f"{kind[0]}{random.choice(SCALARS if kind == 'scalar' else VECTORS)}", "off": offset, "rbase": base}
    )


def some_program(random: Random) -> str:
    text = ALL_ON + THREAD_TO_S40 + " move_i32 s2, s40\n"
    text += " leah s40, data\n leal s40, data\n addi s41, s40, 128\n movei s42, 1024\n"
    text += "".join(constant(f"s{number}", random.getrandbits(32)) for number in SCALARS[1:])
    text += "".join(f" load_v16i32 v{number}, {64 * (number % 3)}(s40)\n" for number in VECTORS) + " movei v59, 65535\n"
    text += " jmpsr function\n"
    for piece in range(random.randrange(2, 6)):
        text += f" movei s43, {random.randrange(1, 5)}\nloop{piece}:\n"
        for part in range(random.randrange(1, 4)):
            text += "".join(some_instruction(random) + "\n" for _ in range(random.randrange(0, 12)))
            if random.random() < 0.5:
                branch = random.choice(("beqz", "bnez"))
                text += f" {branch} s{random.choice(SCALARS)}, skip{piece}_{part}\n"
                text += "".join(some_instruction(random) + "\n" for _ in range(random.randrange(0, 8)))
                text += f"skip{piece}_{part}:\n"
        text += f" subi s43, s43, 1\n bnez s43, loop{piece}\n"
    text += " jmp out\nfunction:\n" + "".join(some_instruction(random) + "\n" for _ in range(5)) + " jret\nout:\n"
    words = "".join(f" .word {random.getrandbits(32)}\n" for _ in range(16 * DATA_LINES))
    text += "".join(f" addi s41, s40, {64 * line}\n flush s41\n" for line in range(4))
    text += " addi s40, s40, 255\n addi s41, s40, 1\n flush s41\n addi s41, s40, 65\n flush s41\n"
    return text + END + "\n .data\n .align 64\ndata:\n" + words


def check(seed: int, threads: int = 1) -> None:
    random = Random(seed)
    machine_shape: dict[str, Any] = {
        "threads": threads,
        "fpu": random.choice(("ideal", "rtl")),
        "latency": random.choice((1, 7, 40, 400)),
        "write_latency": random.choice((1, 2, 60)),
        "blocking_stores": random.random() < 0.3,
    }
    image = image_of(some_program(random))
    device = SimulatedDevice(Configuration(**machine_shape))
    device.load(image)
    code = next(segment.content for segment in image.segments if segment.executable)
    size = 64 * DATA_LINES
    machine = Machine(code, 0x400, device.read(AT, size), AT, **machine_shape)
    with np.errstate(all="ignore"):
        machine.run()
    report = device.run(limit=100_000)
    for stepper, thread, told in zip(machine.threads, device.cores[0].threads, report.threads):
        assert told.instructions == stepper.instructions
        assert told.cycles == stepper.cycle
        assert thread.mask == stepper.mask
        for (kind, number), value in stepper.registers.items():
            found = (thread.scalars if kind == "scalar" else thread.vectors)[number]
            assert found is not None
            assert np.array_equal(found, value), f"{kind} {number}: {found} for {value}"
    if not report.unflushed:
        assert device.read(AT, size) == bytes(machine.memory)
    assert bytes(device.cores[0].scratchpad.bytes) == bytes(machine.scratchpad)


@pytest.mark.parametrize("visits", [0, 2, program.VISITS], ids="visits_{}".format)
@pytest.mark.parametrize("seed", range(6))
def test_random_code_runs_as_it_does_step_by_step(seed: int, visits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # Translated at once, in the middle of the run, or not at all.
    monkeypatch.setattr(program, "VISITS", visits)
    check(10 * seed + visits)


@pytest.mark.parametrize(("seed", "threads"), [(100, 2), (101, 2), (102, 4), (103, 8)])
def test_threads_take_turns_as_they_do_cycle_by_cycle(seed: int, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "VISITS", 3)
    check(seed, threads)


@pytest.mark.long
@pytest.mark.parametrize("shard", range(20))
def test_more_random_code_runs_as_it_does_step_by_step(shard: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "VISITS", shard % 4)
    for seed in range(1000 + 25 * shard, 1025 + 25 * shard):
        check(seed, 1 + seed % 8)
