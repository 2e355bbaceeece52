"""Random operands for the rows of IA-64, and instructions run one at a time on the simulator."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from voltac.codegen.rows import Row
from voltac.messages.diagnostics import Diagnostics
from voltac.targets.ia64.assembly.program import assemble_program
from voltac.targets.ia64.assembly.text import slot_text
from voltac.targets.ia64.instructions import INSTRUCTIONS
from voltac.targets.ia64.shapes import IMMEDIATES
from voltac.targets.ia64.simulator.machine import Itanium
from voltac.targets.ia64.simulator.memory import Memory
from voltac.targets.ia64.simulator.translate import translate
from voltac.targets.ia64.slots import NOPS, Bundle, Slot, encode_bundle

ROWS = list(INSTRUCTIONS.rows.values())
PLACES = {"A": ("MII", 0), "M": ("MII", 0), "I": ("MII", 1), "F": ("MFI", 1), "B": ("MIB", 2), "X": ("MLX", 2)}
"""A template with a slot for each class, and the slot."""
_REGISTERS = {"r": (14, 32), "f": (32, 128), "p": (6, 16), "b": (1, 8)}
"""Those that instructions under test take; p1 to p5 qualify them."""
CODE, DATA, DATA_BYTES = 0x10000, 0x20000, 0x1000
GNU_AS = "ia64-linux-gnu-as"


def nop(unit: str) -> Slot:
    return Slot(INSTRUCTIONS[NOPS[unit]], (0,))


def bundle_of(slot: Slot, stops: tuple[int, ...] = (2,)) -> Bundle:
    """A bundle with one instruction."""
    units, at = PLACES[slot.row.unit]
    slots: list[Slot | None] = [None if unit in "LX" else nop(unit) for unit in units]
    slots[at] = slot
    return Bundle(units, tuple(slots), stops)


def bundle_text(bundle: Bundle, label: str = "") -> str:
    """As the compiler prints it."""
    lines = [f"{{ .{bundle.units.lower()}"]
    for number, slot in enumerate(bundle.slots):
        if slot is not None:
            lines.append(slot_text(slot, {"target": label} if label else {}) + (" ;;" if number in bundle.stops else ""))
    return "\n".join(lines) + " }\n"


def random_values(row: Row, rng: random.Random) -> tuple[int, ...]:
    """Operands that the row may have, no register written twice or written and read."""
    taken: set[tuple[str, int]] = set()
    values: list[int] = []
    for operand in row.operands:
        if operand.kind in _REGISTERS:
            low, end = (0, 4) if row.mnemonic == "addl" and operand.field == "r3" else _REGISTERS[operand.kind]
            choices = [number for number in range(low, end) if (operand.kind, number) not in taken]
            if operand.field == "f2" and "pair" in row.traits:
                choices = [number for number in choices if (number - values[0]) % 2]
            value = rng.choice(choices)
            taken.add((operand.kind, value))
        elif operand.kind == "ar":
            value = 65 if row.mnemonic == "mov.i" else 36
        else:
            kind = IMMEDIATES[operand.kind]
            value = kind.lowest + rng.randrange((kind.highest - kind.lowest) // kind.multiple + 1) * kind.multiple
        values.append(value)
    return _fitting(row, values, rng)


def _fitting(row: Row, values: list[int], rng: random.Random) -> tuple[int, ...]:
    """Numbers that depend on each other."""
    names = [operand.field for operand in row.operands]
    for place in ("pos", "cpos"):
        if place in names and ("len" in names or "len4" in names):
            at = values[names.index(place)]
            size = names.index("len" if "len" in names else "len4")
            values[size] = rng.randint(1, min(64 - at, 64 if "len" in names else 16))
    if "alloc" in row.traits:
        values[1:] = [rng.randrange(8, 40), rng.randrange(8), 8]
    if "class" in names:
        # Of numbers at least one of both signs is meant.
        values[names.index("class")] |= rng.choice((1, 2, 3))
    return tuple(values)


def assembled_by_gnu(text: str, folder: Path) -> bytes:
    """The code of ``.text``; the test is skipped, with the reason, where there is no GNU as for ia64."""
    if shutil.which(GNU_AS) is None:
        pytest.skip(f"{GNU_AS} is not installed (apt: binutils-ia64-linux-gnu)")
    source, made, code = folder / "t.s", folder / "t.o", folder / "t.bin"
    source.write_text(text)
    done = subprocess.run(
        [GNU_AS, "-xexplicit", "--fatal-warnings", str(source), "-o", str(made)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    subprocess.run(["ia64-linux-gnu-objcopy", "-O", "binary", "-j", ".text", str(made), str(code)], check=True)
    return code.read_bytes()


def refused_by_gnu_as(text: str, folder: Path) -> str:
    """What it says in explicit mode with all warnings, and whether it makes other bytes of the code; empty if all is well."""
    source, made = folder / "k.s", folder / "k.o"
    source.write_text(text)
    command = [GNU_AS, "-xexplicit", "--fatal-warnings", str(source), "-o", str(made)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr
    for section in assemble_program(text, "k.s", Diagnostics()).sections.values():
        if section.kind != "text":
            continue
        code = folder / "k.bin"
        subprocess.run(["ia64-linux-gnu-objcopy", "-O", "binary", "-j", section.name, str(made), str(code)], check=True)
        # Calls and addresses are the linker's, in both.
        if code.read_bytes() != bytes(section.content):
            return f"other bytes in {section.name}"
    return ""


def machine() -> Itanium:
    """With memory for code and data."""
    memory = Memory(1 << 20)
    memory.map(CODE, 0x1000)
    memory.map(DATA, DATA_BYTES)
    return Itanium(memory)


def execute(machine: Itanium, slot: Slot) -> int:
    """One instruction; where it goes on."""
    machine.memory.bytes[CODE : CODE + 16] = encode_bundle(bundle_of(slot))
    machine.memory.bytes[CODE + 16 : CODE + 32] = encode_bundle(Bundle("MIB", (nop("M"), nop("I"), RETURN), (2,)))
    machine._blocks.clear()
    return translate(machine, CODE, machine.is_rotated).function(machine)


RETURN = Slot(INSTRUCTIONS["br.ret.sptk.many.b"], (0,))
