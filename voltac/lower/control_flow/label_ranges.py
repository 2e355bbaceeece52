"""Is a value one of the labels of a switch? -> comparisons with the ranges of neighbouring labels.

Where the ranges are many, they are tables in which each lane searches: code as long as
the logarithm of their number.
"""

from __future__ import annotations

from collections.abc import Sequence

from voltac.lower.control_flow import masks
from voltac.lower.function_context import FunctionContext, lowers_value
from voltac.lower.memory.constant_data import scalar_constant
from voltac.lower.text.ir_values import IR, element_type, integer, splat_constant
from voltac.records import record
from voltac.sema import tree
from voltac.sema.types import Enum, Qual, Scalar

_FEW_RANGES = 16
"""Ranges that a value is compared with one by one."""


@record
class HasLabel(tree.Value):
    """Is the value, without poison, that of one of the labels? Stands only in trees that are lowered at once."""

    value: tree.Value
    labels: tuple[int | None, ...]


@lowers_value(HasLabel)
def lower_has_label(c: FunctionContext, node: HasLabel) -> IR:
    """A test without poison; constant where no label can be met."""
    value = c.value(node.value)
    test = with_label(c, value, node.value.type, node.labels)
    if test is not None:
        return test
    return masks.all_off(c) if value.type[0] == "<" else IR("i1", "false")


def label_constant(c: FunctionContext, type: Qual, label: int | None) -> IR | None:
    """The label in the type of the value; None for default and for what the value can never be."""
    if label is None:
        return None
    match type.type:
        case Scalar("bool", _):
            return scalar_constant(c.module, type.type, label) if label in (0, 1) else None
        case Scalar("int", bits) if bits < 32 and not -(1 << bits - 1) <= label < 1 << bits - 1:
            return None
        case Scalar("uint", bits) if bits < 32 and not 0 <= label < 1 << bits:
            return None
        case Scalar() | Enum():
            return scalar_constant(c.module, type.type, label)
    raise TypeError(f"{type} cannot be switched over")


def with_label(c: FunctionContext, value: IR, type: Qual, labels: Sequence[int | None]) -> IR | None:
    """Has the value, or the value of a lane, one of the labels? None if it never can."""
    ranges = _ranges(c, type, labels)
    if len(ranges) > _FEW_RANGES:
        return _search(c, value, ranges)
    result = None
    for low, high in ranges:
        inside = inside_range(c, value, low, high)
        result = inside if result is None else c.build.binary("or", result, inside)
    return result


def _ranges(c: FunctionContext, type: Qual, labels: Sequence[int | None]) -> list[tuple[IR, IR]]:
    """First and last of each row of neighbouring labels, as signed numbers in rising order."""
    constants = {constant for label in labels if (constant := label_constant(c, type, label)) is not None}
    if any(constant.type == "i1" for constant in constants):
        return [(constant, constant) for constant in sorted(constants, key=lambda constant: constant.name)]
    rows: list[tuple[IR, IR]] = []
    for constant in sorted(constants, key=lambda constant: int(constant.name)):
        if rows and int(constant.name) == int(rows[-1][1].name) + 1:
            rows[-1] = rows[-1][0], constant
        else:
            rows.append((constant, constant))
    return rows


def inside_range(c: FunctionContext, value: IR, low: IR, high: IR) -> IR:
    """Is the value one of the numbers from ``low`` to ``high``?"""
    if low == high:
        return c.build.compare("icmp eq", value, _like(c, value, low))
    above = c.build.binary("sub", value, _like(c, value, low))
    reach = IR(low.type, str(int(high.name) - int(low.name)))
    return c.build.compare("icmp ule", above, _like(c, value, reach))


def _like(c: FunctionContext, value: IR, constant: IR) -> IR:
    """The constant, once or once for each lane as the value is."""
    return splat_constant(c.width, constant) if value.type[0] == "<" else constant


def _search(c: FunctionContext, value: IR, ranges: list[tuple[IR, IR]]) -> IR:
    """Binary search among the first numbers of the ranges. All lanes search: every one stays inside the table."""
    size = 1 << (len(ranges) - 1).bit_length()
    padded = ranges + ranges[-1:] * (size - len(ranges))
    tables = []
    for column in zip(*padded):
        content = IR(f"[{size} x {column[0].type}]", f"[{', '.join(map(str, column))}]")
        tables.append(c.module.constant_image(content, 64))
    found = _like(c, value, integer("i32", 0))
    step = size // 2
    while step:
        probe = c.build.binary("or", found, _like(c, value, integer("i32", step)))
        reached = c.build.compare("icmp sle", _looked_up(c, tables[0], value, probe), value)
        found = c.build.select(reached, probe, found)
        step //= 2
    low, high = (_looked_up(c, table, value, found) for table in tables)
    above, below = c.build.compare("icmp sle", low, value), c.build.compare("icmp sle", value, high)
    return c.build.binary("and", above, below)


def _looked_up(c: FunctionContext, table: IR, like: IR, index: IR) -> IR:
    """Elements of a table, in the type of another value."""
    if like.type[0] != "<":
        wide = c.build.convert("zext", index, "i64")
        return c.build.load(like.type, c.build.gep(like.type, table, wide), 1)
    element = element_type(like.type)
    wide = c.build.convert("zext", index, f"<{c.width} x i64>")
    callee = c.module.pseudo("volta.gather", element)
    return c.build.value(like.type, f"call {like.type} {callee}({c.build.gep(element, table, wide)}, {masks.all_on(c)})")
