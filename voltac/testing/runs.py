"""A call of a kernel made again: as compiled code for some target, or by the interpreter of the typed tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from voltac.python import empty
from voltac.python.build import build_module
from voltac.python.call_outcomes import Array, CallOutcome, outcome_of
from voltac.python.lengths import counted_arrays
from voltac.python.signatures import Signature
from voltac.python.source import Source


def run_compiled(
    source: Source, name: str, arguments: Mapping[str, Any], launch: Mapping[str, Any] | None = None
) -> CallOutcome:
    """The call on copies of its arrays."""
    kernel = build_module(source, source.origin.use_cache, launch=launch)[name]
    values, arrays = copied(arguments)
    return outcome_of(lambda: kernel(**values), arrays)[0]


def run_interpreted(source: Source, name: str, arguments: Mapping[str, Any]) -> CallOutcome:
    """The same by the interpreter, which finds each access outside of an array; ValueError for arrays it cannot take."""
    # late: compiled runs do without
    from voltac.driver import compile_source
    from voltac.interpreter import Interpreter, InterpreterError, ProgramAborted
    from voltac.messages.diagnostics import Diagnostics
    from voltac.python.describe import signature
    from voltac.sema.type_layout import Layout

    inputs = source.inputs()
    job = compile_source(source.text, source.file, source.options, Diagnostics(wrap=False), end="check", inputs=inputs)
    found = next(function for function in job.program.exports if function.name == name)
    values, arrays = copied(arguments)
    complete = _complete(signature(found, Layout(source.options.target)), values)
    printed: list[str] = []

    def call() -> Any:
        try:
            result = Interpreter(job.program, source.options, printed.append).call(name, complete)
        except ProgramAborted:
            raise AssertionError("an assertion failed") from None
        except InterpreterError as error:
            raise RuntimeError(f"{error.span}: {error.described}") from None
        return result.item() if isinstance(result, np.generic) else result

    return outcome_of(call, arrays)[0]


def copied(arguments: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Array]]:
    """Arguments whose arrays are new, aligned as kernels may want it; one that is given twice stays one."""
    known: dict[int, Array] = {}
    values: dict[str, Any] = {}
    arrays: dict[str, Array] = {}
    for name, value in arguments.items():
        if isinstance(value, np.ndarray):
            if id(value) not in known:
                copy = empty(value.shape, value.dtype)
                copy[...] = value
                known[id(value)] = copy
            value = arrays[name] = known[id(value)]
        values[name] = value
    return values, arrays


def _complete(signature: Signature, values: Mapping[str, Any]) -> list[Any]:
    """In the order of the parameters, with the lengths and defaults that a call fills in."""
    rows = signature.parameters
    counted = counted_arrays(signature)
    found = []
    for position, row in enumerate(rows):
        if row.name in values:
            found.append(values[row.name])
        elif position in counted:
            sizes = [
                values[rows[array].name].size // memory.count
                for array in counted[position]
                if (memory := rows[array].memory) is not None and values[rows[array].name] is not None
            ]
            found.append(min(sizes, default=0))
        else:
            found.append(row.default_object)
    return found
