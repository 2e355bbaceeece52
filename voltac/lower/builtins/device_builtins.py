"""Builtins that only devices have -> the functions that their selectors know (``targets/*/legalize``)."""

from __future__ import annotations

from collections.abc import Callable

from voltac.lower.control_flow import masks
from voltac.lower.function_context import FunctionContext
from voltac.lower.text.ir_values import IR, NOTHING
from voltac.sema import tree
from voltac.sema.tree_walk import nodes


def writes_mask(body: tree.Statement) -> bool:
    """Does a function write the mask itself?"""
    return any(isinstance(node, tree.Builtin) and node.name == "__write_mask" for node in nodes(body))


def _calls(result: str) -> Callable[[FunctionContext, tree.Builtin, list[IR]], IR]:
    """A function of the device on numbers of 32 bits; addresses are numbers too."""

    def emit(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
        assert c.target.device is not None
        function = c.module.text.declare(c.target.device.function(node.name), result, ", ".join("i32" for _ in arguments))
        words = [c.build.convert("ptrtoint", one, "i32") if one.type == "ptr" else one for one in arguments]
        text = f"call {result} {function}({', '.join(map(str, words))})"
        if result == "void":
            c.build.emit(text)
            return NOTHING
        return c.build.value(result, text)

    return emit


def _write_mask(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    masks.write_bits(c, arguments[0])
    return NOTHING


DEVICE_BUILTINS = {
    "__write_mask": _write_mask,
    "__barrier": _calls("void"),
    "__flush": _calls("void"),
    "__invalidate": _calls("void"),
    "__read_control": _calls("i32"),
    "__write_control": _calls("void"),
}
