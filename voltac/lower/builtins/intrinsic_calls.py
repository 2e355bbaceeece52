"""Calls of LLVM's intrinsics: their names for a type, and the declarations they need; what the code of a builtin is."""

from __future__ import annotations

from collections.abc import Callable

from voltac.lower.function_context import FunctionContext
from voltac.lower.text.ir_values import IR, NOTHING
from voltac.sema import tree

Emitter = Callable[[FunctionContext, tree.Builtin, list[IR]], IR]
"""The code of a builtin, from its lowered arguments."""


def overload(type: str) -> str:
    """The part of an intrinsic's name for a type: ``v8f32``, ``i64``."""
    if type[0] == "<":
        count, lane = type[1:-1].split(" x ")
        return f"v{count}{overload(lane)}"
    return {"half": "f16", "float": "f32", "double": "f64", "ptr": "p0"}.get(type, type)


def call(c: FunctionContext, name: str, result: str, *arguments: IR | str) -> IR:
    """Call an intrinsic; texts are immediate arguments such as ``i1 false``."""
    types = [argument.type if isinstance(argument, IR) else f"{argument.split()[0]} immarg" for argument in arguments]
    callee = c.module.intrinsic(name, result, *types)
    text = f"call {result} {callee}({', '.join(map(str, arguments))})"
    if result == "void":
        c.build.emit(text)
        return NOTHING
    return c.build.value(result, text)
