"""Programs of tests/run and random ones for a device without ``double``: before and after legalization, on the IR interpreter.

``out`` becomes an array of ``float`` and every ``double`` a ``float``. What was expected is
expected to the precision of a float.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from run_programs import INPUTS, OUTPUTS, inputs

from voltac.driver import compile_source
from voltac.interpreter import Interpreter
from voltac.ir.interp import IRInterpreter
from voltac.ir.interp_values import InstructionFault, Value, to_signed
from voltac.ir.read import read
from voltac.llvm import simplify_for_device
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import find_target
from voltac.targets.naplespu import legalize

Array = npt.NDArray[Any]
TARGET = find_target("naplespu")
LINE = 64


def options(level: int = 2) -> Options:
    return Options(target=TARGET, level=level, whole_program=True)


def without_double(text: str) -> str:
    """The same program with ``float`` for every ``double``."""
    text = re.sub(r"\bdouble(?=[<\d]?)", "float", text)
    text = re.sub(r"(?<=\d)(\.?)d([-+]?\d+)\b", r"\1e\2f", text)
    return re.sub(r"(?<=\d)(\.?)d\b", r"\1f", text)


# --- the target functions


def _read_control(machine: IRInterpreter, arguments: list[Value]) -> Value:
    """One thread of one core; the argument block says so too."""
    if arguments[0] == 13:
        block = machine.memory.allocate("argument block", LINE, LINE, defined=True)
        machine.memory.store(machine.kinds["i32"], 1, block.base, 4)
        return block.base
    return {20: 1, 14: 1}.get(arguments[0], 0)


def _nothing(machine: IRInterpreter, arguments: list[Value]) -> Value:
    return None


def _trap(machine: IRInterpreter, arguments: list[Value]) -> Value:
    raise InstructionFault("traps")


def _high(a: Value, b: Value, signed: bool) -> Value:
    if a is None or b is None:
        return None
    if signed:
        a, b = to_signed(a, 32), to_signed(b, 32)
    return a * b >> 32 & 0xFFFFFFFF


def _lane_index(vector: list[Value], index: Value) -> Value:
    return None if index is None else vector[index & 15]


EXTERNALS: dict[str, Any] = {
    "npu.read_control": _read_control,
    "npu.write_control": _nothing,
    "npu.barrier": _nothing,
    "npu.flush": _nothing,
    "npu.invalidate": _nothing,
    "npu.trap": _trap,
    "npu.shuffle": lambda machine, given: [_lane_index(given[0], index) for index in given[1]],
}
for _signed, _letter in ((False, "u"), (True, "s")):
    EXTERNALS[f"npu.mulh{_letter}"] = lambda machine, given, s=_signed: _high(given[0], given[1], s)
    EXTERNALS[f"npu.mulh{_letter}.v"] = lambda machine, given, s=_signed: [_high(a, b, s) for a, b in zip(*given)]


def machine(text: str, block_limit: int = 5_000_000) -> IRInterpreter:
    return IRInterpreter(
        read(text),
        pointer_bytes=4,
        externals=EXTERNALS,
        line_bytes=LINE,
        new_is_poison=False,
        block_limit=block_limit,
    )


# --- programs


def compiled(path: Path, text: str, level: int = 2) -> str:
    """The IR that legalization is given."""
    job = compile_source(text, str(path), options(level), Diagnostics(), end="passes")
    return simplify_for_device(job.results["passes"], job.options)


def legalized(text: str, level: int = 2) -> str:
    return legalize.run(text, options(level))


def run(text: str) -> tuple[Array, str]:
    """``out`` after ``test`` has run, and what it printed."""
    out, (floats, integers) = np.zeros(OUTPUTS, np.float32), inputs()
    oracle = machine(text)
    oracle.call("test", [out, floats, integers, INPUTS])
    return out, "".join(oracle.printed)


def interpreted(path: Path, text: str) -> Array:
    """By the interpreter of the typed tree."""
    job = compile_source(text, str(path), options(), Diagnostics(), end="check")
    out, (floats, integers) = np.zeros(OUTPUTS, np.float32), inputs()
    Interpreter(job.program, options(), lambda text: None).call("test", [out, floats, integers, INPUTS])
    return out
