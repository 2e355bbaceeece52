"""WebAssembly objects run by node, without a linker: an object is a module whose functions are not exported yet.

LLVM numbers functions, types and data of an object as a module with nothing else in it has them, so that the values that
stand where a linker would relocate are right. What is left is a section that exports the functions (WebAssembly 5.5.10),
named by the object's table of symbols (WebAssembly Object File Linking, "Symbol Table Subsection").
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from run_programs import INPUTS, OUTPUTS, Array, inputs

from voltac.pipeline import Compilation

CUSTOM, EXPORT = 0, 7
ORDER = (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 10, 11)
"""Sections, in the order they have to stand in."""
SYMBOL_TABLE, FUNCTION = 8, 0
UNDEFINED, EXPLICIT_NAME = 0x10, 0x40
MAGIC = 8
NODE = shutil.which("node")

RUN = """
const fs = require("fs");
const memory = new WebAssembly.Memory({initial: 64});
const module_ = new WebAssembly.Module(fs.readFileSync(process.argv[1]));
const given = {
  __linear_memory: memory,
  __stack_pointer: new WebAssembly.Global({value: "i32", mutable: true}, 1 << 20),
  __indirect_function_table: new WebAssembly.Table({initial: 64, element: "anyfunc"}),
};
const functions = FUNCTIONS;
const env = {};
for (const {name, kind} of WebAssembly.Module.imports(module_))
  env[name] = given[name] ?? functions[name] ?? ((...words) => { throw new Error(`${name} is called`); });
const f = new WebAssembly.Instance(module_, {env}).exports;
const DATA = 2 << 20;
let next = DATA;
function array(type, values) {
  const made = new type(memory.buffer, next, values.length);
  made.set(values);
  next += (made.byteLength + 63) & ~63;
  return made;
}
"""
"""What scripts find: ``f``, the functions; ``array(Float32Array, [...])``, in the memory of the module."""


def number(code: bytes, at: int) -> tuple[int, int]:
    """An unsigned LEB128, and where it ends."""
    value = shift = 0
    while True:
        byte = code[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def leb(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def sections(code: bytes) -> Iterator[tuple[int, bytes]]:
    at = MAGIC
    while at < len(code):
        kind = code[at]
        size, start = number(code, at + 1)
        yield kind, code[start : start + size]
        at = start + size


def defined_functions(code: bytes) -> dict[str, int]:
    """Name -> number, of the functions an object defines."""
    found: dict[str, int] = {}
    for kind, body in sections(code):
        length, at = number(body, 0) if kind == CUSTOM else (0, 0)
        if kind != CUSTOM or body[at : at + length] != b"linking":
            continue
        _, at = number(body, at + length)
        while at < len(body):
            subsection = body[at]
            size, at = number(body, at + 1)
            if subsection == SYMBOL_TABLE:
                found |= _functions(body[at : at + size])
            at += size
    return found


def _functions(table: bytes) -> dict[str, int]:
    found: dict[str, int] = {}
    count, at = number(table, 0)
    for _ in range(count):
        kind = table[at]
        flags, at = number(table, at + 1)
        if kind == 3:
            _, at = number(table, at)
        elif kind == 1:
            length, at = number(table, at)
            at += length
            for _ in range(0 if flags & UNDEFINED else 3):
                _, at = number(table, at)
        else:
            index, at = number(table, at)
            if not flags & UNDEFINED or flags & EXPLICIT_NAME:
                length, at = number(table, at)
                if kind == FUNCTION and not flags & UNDEFINED:
                    found[table[at : at + length].decode()] = index
                at += length
    return found


def module(code: bytes) -> bytes:
    """The object as a module that exports its functions."""
    functions = defined_functions(code)
    rows = [leb(len(name.encode())) + name.encode() + b"\0" + leb(index) for name, index in functions.items()]
    parts = [(kind, body) for kind, body in sections(code) if kind != CUSTOM]
    parts.append((EXPORT, leb(len(rows)) + b"".join(rows)))
    parts.sort(key=lambda part: ORDER.index(part[0]))
    return code[:MAGIC] + b"".join(bytes([kind]) + leb(len(body)) + body for kind, body in parts)


def run(code: bytes, script: str, functions: str = "{}") -> str:
    """What a script prints that calls the functions of an object; ``functions`` are those that the object calls."""
    assert NODE is not None
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "module.wasm"
        made.write_bytes(module(code))
        done = subprocess.run(
            [NODE, "-e", RUN.replace("FUNCTIONS", functions) + script, str(made)], capture_output=True, text=True, timeout=120
        )
    assert done.returncode == 0, done.stderr
    return done.stdout


def run_test(job: Compilation) -> Array:
    """``out`` of a run-test that prints nothing."""
    floats, integers = inputs()
    script = f"""
const out = array(Float64Array, new Float64Array({OUTPUTS}));
const floats = array(Float32Array, {floats.tolist()}), integers = array(Int32Array, {integers.tolist()});
f.test(out.byteOffset, floats.byteOffset, integers.byteOffset, {INPUTS});
console.log(Buffer.from(out.buffer, out.byteOffset, out.byteLength).toString("hex"));
"""
    return np.frombuffer(bytes.fromhex(run(job.optimized.object_code(), script).strip()), np.float64)
