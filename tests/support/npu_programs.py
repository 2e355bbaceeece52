"""Assembly text -> a NaplesPU device with the program loaded, and what its registers hold at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from voltac.codegen.assembler import assemble
from voltac.codegen.elf import write_elf
from voltac.codegen.elf_read import read_image
from voltac.codegen.image import Image
from voltac.codegen.link import link
from voltac.codegen.simulator import RunReport
from voltac.targets.naplespu.isa import DEVICE_CODE
from voltac.targets.naplespu.simulator.machine import Configuration, SimulatedDevice

Lanes = Sequence[int] | npt.NDArray[np.uint32]

END = """
 movei s0, 2
 movei s1, 11
 write_cr s0, s1
over: jmp over
"""
"""Status := ended."""
ALL_ON = """
 movei s0, 65535
 move_i32 rm, s0
"""
END_FLAG = """
 moveih s1, 65535
 moveil s1, 65472
 movei s0, 0
 store32 s0, 0(s1)
 flush s1
"""
THREAD_TO_S40 = """
 movei s0, 2
 read_cr s40, s0
"""


def image_of(text: str) -> Image:
    code = link(assemble("\t.text\n\t.global _start\n_start:\n" + text, DEVICE_CODE), DEVICE_CODE)
    return read_image(write_elf(code, DEVICE_CODE, "_start"), DEVICE_CODE)


def device_for(text: str, threads: int = 1, **configuration: object) -> SimulatedDevice:
    device = SimulatedDevice(Configuration(threads=threads, **configuration))  # type: ignore[arg-type]
    device.load(image_of(text))
    return device


def run(text: str, threads: int = 1, **configuration: object) -> tuple[SimulatedDevice, RunReport]:
    """Run a program to its end, which is appended."""
    device = device_for(text + END, threads, **configuration)
    return device, device.run(limit=1_000_000)


def constant(register: str, value: int) -> str:
    return f" moveih {register}, {value >> 16 & 0xFFFF}\n moveil {register}, {value & 0xFFFF}\n"


def scalar(device: SimulatedDevice, number: int, thread: int = 0, core: int = 0) -> int:
    """A register at the end of the run, which the program's end must not have used."""
    found = device.cores[core].threads[thread].scalars[number]
    assert found is not None, f"s{number} was never written"
    return found


def vector(device: SimulatedDevice, number: int, thread: int = 0) -> list[int]:
    found = device.cores[0].threads[thread].vectors[number]
    assert found is not None, f"v{number} was never written"
    return [int(lane) for lane in found]


def run_on_state(
    instructions: str, scalars: Mapping[int, int], vectors: Mapping[int, Lanes], mask: int = 0xFFFF, **configuration: Any
) -> SimulatedDevice:
    """Run instructions on registers that have been set; s0, s1 and s49 are used up by setting and ending."""
    text = ALL_ON + "".join(constant(f"s{number}", value) for number, value in scalars.items())
    data = "\n .data\n .align 64\n"
    for number, lanes in vectors.items():
        text += f" leah s49, state{number}\n leal s49, state{number}\n load_v16i32 v{number}, 0(s49)\n"
        data += f"state{number}:\n" + "".join(f" .word {int(lane)}\n" for lane in lanes)
    text += constant("s49", mask) + " move_i32 rm, s49\n"
    device = device_for(text + instructions + END + data, **configuration)
    device.run(limit=1_000_000)
    return device
