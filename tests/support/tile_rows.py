"""Rows of the IPU executed on random state: a vertex loads every register, executes an instruction, stores every register."""

from __future__ import annotations

from random import Random

import numpy as np

from voltac.codegen.disassembler import Disassembler
from voltac.codegen.rows import Row
from voltac.targets.ipu.assembly.program import assemble_vertices
from voltac.targets.ipu.isa import DEVICE_CODES, INSTRUCTIONS
from voltac.targets.ipu.simulator.tile import Tile

DEVICE = next(code for name, code in DEVICE_CODES.items() if name.endswith("mk2"))
LISTING = Disassembler(DEVICE)
ROWS = [row for row in INSTRUCTIONS.rows.values() if "alias" not in row.traits]
WIDTH = {"m": 1, "m2": 2, "a": 1, "a2": 2, "a4": 4}


def random_values(row: Row, random: Random) -> list[int]:
    values = []
    for operand in row.operands:
        kind = DEVICE.immediates.get(operand.kind)
        if kind is not None:
            values.append(
                random.choice([kind.lowest, kind.highest, random.randrange(kind.lowest, kind.highest + 1, kind.multiple)])
            )
        elif operand.kind in WIDTH:
            # Each operand in registers of its own, and none of those that hold nothing.
            values.append(random.randrange((12 if operand.kind[0] == "m" else 8) // WIDTH[operand.kind]))
        else:
            values.append(random.choice([0, 1, 2, 8]))
    return values


def distinct(row: Row, values: list[int]) -> bool:
    """Whether no two registers that are written are the same."""
    written = [
        (operand.kind[0], register)
        for operand, value in zip(row.operands, values)
        if operand.role != "use" and operand.kind in WIDTH
        for register in range(value * WIDTH[operand.kind], (value + 1) * WIDTH[operand.kind])
    ]
    return len(set(written)) == len(written)


STATE_WORDS = 20
SETUP = "ldconst $a7, 8\nuput $FP_CLR, $a7\nldconst $a7, {scale}\nuput $TAS, $a7\n"
LOADS = [
    f"ld32 ${name}, $mvertex_base, {at}" for at, name in enumerate([f"m{n}" for n in range(12)] + [f"a{n}" for n in range(8)])
]
STORES = [line.replace("ld32", "st32") for line in LOADS]


def executed(instruction: str, states: list[list[int]], scale: int = 0) -> list[list[int]]:
    """The registers afterwards, $m0 to $m11 and $a0 to $a7, for each state before."""
    body = "\n".join([".globl f", "f:", SETUP.format(scale=scale), *LOADS, instruction, *STORES, "exitz $mzero"])
    tile = Tile()
    tile.load(assemble_vertices(body).image())
    base = tile.memory.map.interleaved
    tile.declare(base, 0x10000)
    after = []
    for state in states:
        tile.memory.write(base, np.array(state, np.uint32).tobytes())
        tile.run_workers(tile.symbols["f"], [base])
        after.append(np.frombuffer(tile.memory.read(base, 4 * STATE_WORDS), np.uint32).tolist())
    return after


def registers_of(row: Row, values: list[int], state: list[int]) -> dict[str, list[int]]:
    """The words of each operand that is a register, and numbers."""
    found = {}
    for operand, value in zip(row.operands, values):
        if operand.kind in WIDTH:
            first = value * WIDTH[operand.kind] + (12 if operand.kind[0] == "a" else 0)
            found[operand.field] = state[first : first + WIDTH[operand.kind]]
        else:
            found[operand.field] = [value & 0xFFFFFFFF]
    return found


def random_word(random: Random) -> int:
    return random.choice((0, 1, 31, 32, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, random.getrandbits(32), random.getrandbits(8)))
