"""Accesses of builtins in a checked run: what lies at their pointers is what their rows say."""

from __future__ import annotations

from voltac.lower.checks.bounds import bounds_of, check_access
from voltac.lower.control_flow import masks
from voltac.lower.function_context import FunctionContext
from voltac.lower.text.ir_values import IR, integer
from voltac.records import replace
from voltac.sema import tree
from voltac.sema.builtins import BUILTINS, Effect
from voltac.sema.types import Pointer, Qual


def check_builtin(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> None:
    """Each array that it reads or writes has room for it. Hints read nothing; what a tile covers only the program knows."""
    row = BUILTINS.get(node.name)
    if row is None or row.effect is Effect.HINT:
        return
    for number, (pointer, argument) in enumerate(zip(arguments, node.arguments, strict=True)):
        type = argument.type.type
        if isinstance(type, Pointer) and pointer.type == "ptr" and "*" in row.parameters[number]:
            size = _size(c, node, arguments, type.to)
            if size is not None:
                bounds = replace(bounds_of(c, pointer), unit=max(1, c.types.sizes.size(type.to)))
                check_access(c, (bounds,), pointer, size, None, not row.reads_only(number))


def _size(c: FunctionContext, node: tree.Builtin, arguments: list[IR], to: Qual) -> int | IR | None:
    """Bytes at each pointer."""
    if node.name.startswith("__memory_"):
        return arguments[-1]
    if node.name in ("__store_active", "__load_active"):
        lanes = masks.bits(c, arguments[-1])
        count = c.module.intrinsic(f"llvm.ctpop.{lanes.type}", lanes.type, lanes.type)
        active = c.build.value(lanes.type, f"call {lanes.type} {count}({lanes})")
        wide = active if active.type == "i64" else c.build.convert("zext", active, "i64")
        return c.build.binary("mul", wide, integer("i64", c.types.sizes.size(to)))
    if node.name == "__store_streaming":
        stored = arguments[1].type
        return c.types.sizes.size(to) * (c.width if stored[0] == "<" else 1)
    return c.types.sizes.size(to) or None
