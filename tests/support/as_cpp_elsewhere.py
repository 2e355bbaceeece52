"""Programs of ``as_cpp.py`` on other machines: a C program linked with them reads the arrays, and writes what is left."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
from as_cpp import Twin
from emulated import Machine
from run_programs import launches, task_pool

from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import TargetInfo

_QEMUS_OWN = "decode_save_opc: Assertion"
"""QEMU 7.2 ends itself where two conversions to integers follow each other (it saves the place of an instruction once,
and sets the rounding mode twice)."""
SECONDS = 60


def differences_elsewhere(
    twin: Twin, model: list[tuple[str, list[Any]]], target: TargetInfo, level: int, machine: Machine | None, folder: Path
) -> list[str]:
    """What is wrong on a machine under its emulator; without one it is a module of WebAssembly."""
    job = compile_source(twin.text, str(twin.path), Options(target, level=level, disable_fma=True), Diagnostics())
    code, calls = job.optimized.object_code(), twin.arguments()
    if machine is None:
        return twin.compared(_in_wasm(code, calls), model)
    given, left = folder / "given", folder / "left"
    given.write_bytes(b"".join(array.tobytes() for _, values in calls for array in _arrays(values)))
    program = _linked(code, calls, target, machine, folder)
    done = subprocess.run([*machine.emulator, program, given, left], capture_output=True, text=True, timeout=SECONDS)
    if done.returncode != 0:
        return [] if _QEMUS_OWN in done.stderr else [f"status {done.returncode}: {done.stderr}"]
    content, at = left.read_bytes(), 0
    for _, values in calls:
        for array in _arrays(values):
            array[...] = np.frombuffer(content, array.dtype, array.size, at).reshape(array.shape)
            at += array.nbytes
    return twin.compared(calls, model)


def _arrays(values: list[Any]) -> list[Any]:
    return [value for value in values if isinstance(value, np.ndarray)]


def _in_wasm(code: bytes, calls: list[tuple[str, list[Any]]]) -> list[tuple[str, list[Any]]]:
    from wasm_objects import Instance  # late: wasmtime may not be installed

    instance = Instance(code)
    for name, values in calls:
        placed = [instance.place(value.tobytes()) if isinstance(value, np.ndarray) else int(value) for value in values]
        instance.call(name, placed)
        for value, place in zip(values, placed):
            if isinstance(value, np.ndarray):
                value[...] = np.frombuffer(instance.read(place, value.nbytes), value.dtype).reshape(value.shape)
    return calls


def _linked(code: bytes, calls: list[tuple[str, list[Any]]], target: TargetInfo, machine: Machine, folder: Path) -> Path:
    objects = [folder / "kernels.o"]
    objects[0].write_bytes(code)
    if launches(code):
        objects.append(folder / "tasks.o")
        objects[1].write_bytes(task_pool(target))
    source, program = folder / "main.c", folder / "program"
    source.write_text(_main(calls))
    command: list[str | Path] = [*machine.compiler, "-w", "-o", program, source, *objects, *machine.libraries]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return program


def _main(calls: list[tuple[str, list[Any]]]) -> str:
    declared, body = [], []
    for number, (name, values) in enumerate(calls):
        words, behind = [], []
        for place, value in enumerate(values):
            if not isinstance(value, np.ndarray):
                words.append(str(int(value)))
                continue
            array = f"a{number}_{place}"
            body.append(f"char *{array} = malloc({value.nbytes}); fread({array}, 1, {value.nbytes}, given);")
            behind.append(f"fwrite({array}, 1, {value.nbytes}, left);")
            words.append(array)
        kinds = ", ".join("void *" if isinstance(value, np.ndarray) else "int" for value in values)
        declared.append(f"void {name}({kinds});")
        body += [f"{name}({', '.join(words)});", *behind]
    return "\n".join(
        [
            "#include <stdio.h>\n#include <stdlib.h>",
            *declared,
            'int main(int count, char **names) {\nFILE *given = fopen(names[1], "rb"), *left = fopen(names[2], "wb");',
            *body,
            "return fclose(left);\n}\n",
        ]
    )
