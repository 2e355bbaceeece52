"""What the types of a builtin's arguments say about the code to write."""

from __future__ import annotations

from voltac.lower.values.arithmetic import element_scalar
from voltac.sema import tree
from voltac.sema.types import Scalar


def argument_scalar(node: tree.Builtin) -> Scalar:
    """The T of a call whose first argument is one."""
    scalar = element_scalar(node.arguments[0].type.type)
    assert isinstance(scalar, Scalar)
    return scalar
