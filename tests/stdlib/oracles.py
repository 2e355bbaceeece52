"""Library functions run by the interpreter of the typed tree (on a very wide gang) and as compiled code for this machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import numpy.typing as npt

import voltac
from voltac.driver import compile_source
from voltac.interpreter import Interpreter
from voltac.options import Options
from voltac.target_info import find_target

Array = npt.NDArray[np.generic]
DTYPES = {"float16": np.float16, "float": np.float32, "double": np.float64}
WIDE = 2048


@cache
def wide() -> Options:
    return Options(target=replace(find_target("generic-i1x64"), width=WIDE))


def interpreted(name: str, type: str, *arguments: Array) -> Array:
    """``name`` on varying arguments, WIDE at a time."""
    parameters = ", ".join(f"{type} x{k}" for k in range(len(arguments)))
    source = f"{type} f({parameters}) {{ return {name}({', '.join(f'x{k}' for k in range(len(arguments)))}); }}\n"
    interpreter = Interpreter(compile_source(source, "f.ispc", wide(), end="check").program, wide())
    size = len(arguments[0])
    parts = [
        interpreter.call("f", [np.resize(a[start : start + WIDE], WIDE) for a in arguments])[: size - start]
        for start in range(0, size, WIDE)
    ]
    return np.concatenate(parts)


def compiled(name: str, type: str, *arguments: Array) -> Array:
    """``name`` in a foreach, for this machine."""
    parameters = ", ".join(f"uniform {type} x{k}[]" for k in range(len(arguments)))
    call = f"{name}({', '.join(f'x{k}[i]' for k in range(len(arguments)))})"
    source = f"export void f({parameters}, uniform {type} r[], uniform int n) {{ foreach (i = 0 ... n) r[i] = {call}; }}\n"
    out = np.empty(len(arguments[0]), DTYPES[type])
    voltac.compile(source).f(*arguments, out, len(out))
    return out


def uniformly(name: str, type: str, *arguments: Array) -> Array:
    """The uniform overload of ``name``, compiled, element by element."""
    parameters = ", ".join(f"uniform {type} x{k}" for k in range(len(arguments)))
    call = f"{name}({', '.join(f'x{k}' for k in range(len(arguments)))})"
    kernel = voltac.compile(f"export uniform {type} f({parameters}) {{ return {call}; }}\n").f
    return np.array([kernel(*map(float, row)) for row in zip(*arguments, strict=True)], DTYPES[type])


ORACLES: dict[str, Callable[..., Array]] = {"interpreted": interpreted, "compiled": compiled}
