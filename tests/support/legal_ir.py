"""Runs legal IR for NaplesPU twice: on the IR interpreter, and compiled on the simulator. The two must agree to the bit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from voltac.codegen.assembler import assemble
from voltac.codegen.elf import write_elf
from voltac.codegen.elf_read import read_image
from voltac.codegen.link import link
from voltac.codegen.simulator import RunReport
from voltac.ir.interp import IRInterpreter
from voltac.ir.interp_values import to_signed
from voltac.ir.read import read
from voltac.options import Options
from voltac.target_info import find_target
from voltac.targets.naplespu.isa import DEVICE_CODE
from voltac.targets.naplespu.select import run
from voltac.targets.naplespu.simulator.machine import Configuration, SimulatedDevice

Argument = int | float | np.ndarray[Any, Any]


def _lanes(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda machine, arguments: [function(*values) for values in zip(*arguments)]


def _high(signed: bool) -> Callable[[int, int], int]:
    def product(a: int, b: int) -> int:
        if signed:
            a, b = to_signed(a, 32), to_signed(b, 32)
        return a * b >> 32 & 0xFFFF_FFFF

    return product


_COMPARES: dict[str, Callable[[float, float], int]] = {
    "eq": lambda a, b: int(a == b),
    "ne": lambda a, b: int(a != b),
    "gt": lambda a, b: int(a > b),
    "ge": lambda a, b: int(a >= b),
    "lt": lambda a, b: int(a < b),
    "le": lambda a, b: int(a <= b),
}

EXTERNALS: dict[str, Callable[..., Any]] = {
    "npu.shuffle": lambda machine, arguments: [arguments[0][index % 16] for index in arguments[1]],
    "npu.barrier": lambda machine, arguments: None,
    "npu.flush": lambda machine, arguments: None,
    "npu.invalidate": lambda machine, arguments: None,
    "npu.read_control": lambda machine, arguments: 0,
    "npu.read_mask": lambda machine, arguments: 0xFFFF,
}
for _name, _signed in (("npu.mulhs", True), ("npu.mulhu", False)):
    _product = _high(_signed)
    EXTERNALS[_name] = lambda machine, arguments, product=_product: product(*arguments)
    EXTERNALS[_name + ".v"] = _lanes(_product)
for _name, _compare in _COMPARES.items():
    EXTERNALS["npu.fcmp." + _name] = lambda machine, arguments, compare=_compare: compare(*arguments)
    EXTERNALS[f"npu.fcmp.{_name}.v"] = _lanes(_compare)


class Compiled:
    """A module of legal IR as an image, and its runs."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.assembly = run(text, Options(find_target("naplespu")))
        code = link(assemble(self.assembly, DEVICE_CODE), DEVICE_CODE)
        first = next(line.split()[-1] for line in self.assembly.splitlines() if line.startswith("\t.global _start."))
        self.image = read_image(write_elf(code, DEVICE_CODE, first), DEVICE_CODE)

    def interpreted(self, name: str, arguments: Sequence[Argument]) -> tuple[Any, list[Argument]]:
        copies = [np.copy(one) if isinstance(one, np.ndarray) else one for one in arguments]
        # The interpreter has one memory.
        text = self.text.replace("ptr addrspace(68)", "ptr").replace("addrspace(68) global", "global").replace(".p68(", ".p0(")
        machine = IRInterpreter(read(text), pointer_bytes=4, externals=EXTERNALS)
        values: list[Any] = []
        for one in copies:
            if isinstance(one, np.ndarray):
                data = one.reshape(-1).view("uint8").data
                values.append(machine.memory.place("an argument", data, defined=True, alignment=64, writable=True).base)
            else:
                values.append(one)
        return machine.call(name, values), copies

    def simulated(
        self,
        name: str,
        arguments: Sequence[Argument],
        cores: int = 1,
        threads: int = 1,
        limit: int | None = 2_000_000,
        **more: Any,
    ) -> tuple[int, list[Argument], RunReport]:
        """The result's bits, the arrays behind the run, the report."""
        settings: dict[str, Any] = {"fpu": "ideal", "latency": 2} | more
        device = SimulatedDevice(Configuration(cores=cores, threads=threads, **settings))
        device.load(self.image)
        words = [cores * threads]
        places: list[int | None] = []
        for one in arguments:
            if isinstance(one, np.ndarray):
                address = device.allocate(one.nbytes)
                device.write(address, one.tobytes())
                places.append(address)
                words.append(address)
            else:
                bits = int(np.float32(one).view(np.uint32)) if isinstance(one, float) else int(one)
                places.append(None)
                words.append(bits & 0xFFFF_FFFF)
        words.append(0xDEAD_BEEF)
        block = device.allocate(4 * len(words))
        device.write(block, np.array(words, np.uint32).tobytes())
        report = device.run(entry=self.image.symbols["_start." + name], argc=len(words), argv=block, limit=limit)
        after: list[Argument] = []
        for one, place in zip(arguments, places):
            if isinstance(one, np.ndarray) and place is not None:
                after.append(np.frombuffer(device.read(place, one.nbytes), one.dtype).reshape(one.shape))
            else:
                after.append(one)
        result = int.from_bytes(device.read(block + 4 * (len(words) - 1), 4), "little")
        return result, after, report

    def check(self, name: str, *arguments: Argument, **more: Any) -> RunReport:
        """Both runs; memory and the result agree to the bit."""
        wanted, arrays = self.interpreted(name, arguments)
        result, after, report = self.simulated(name, arguments, **more)
        for number, (one, other) in enumerate(zip(arrays, after)):
            if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
                bits = (one.view(np.uint8).reshape(-1), other.view(np.uint8).reshape(-1))
                np.testing.assert_array_equal(bits[1].view(one.dtype), bits[0].view(one.dtype), f"argument {number}")
        if wanted is not None:
            expected = int(np.float32(wanted).view(np.uint32)) if isinstance(wanted, float) else wanted
            assert result == expected, f"the result is {result:#x} instead of {expected:#x}"
        return report


def instructions_of_loop(assembly: str, label: str) -> int:
    """Instructions from a block's label to the first branch back to it."""
    lines = assembly.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(label + ":"))
    count = 0
    for line in lines[start + 1 :]:
        count += line.startswith("\t")
        if line.endswith(label):
            return count
    raise AssertionError(f"no way back to {label}")
