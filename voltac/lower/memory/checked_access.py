"""A load or store of a checked run: what ``lower/checks`` has to say of the address, before it is made.

The plain cases are those without bounds and shadow; who loads and stores asks for that first.
"""

from __future__ import annotations

from voltac.lower.checks.bounds import check_access, keep_bounds, kept_bounds
from voltac.lower.checks.unwritten import check_each_written, check_written, mark_bytes, mark_each, mark_written
from voltac.lower.control_flow import masks
from voltac.lower.function_context import FunctionContext
from voltac.lower.memory.address import Address
from voltac.lower.memory.places import row_or_lane
from voltac.lower.text.ir_values import IR
from voltac.records import replace
from voltac.sema.types import UNIFORM, VARYING, Qual, Vector


def check_scalar_load(c: FunctionContext, address: Address, pointer: IR) -> None:
    """``pointer`` is where the scalar itself lies, for all lanes or for each one."""
    if address.shadow is not None:
        shadow = replace(address.shadow, pointer=row_or_lane(c, replace(address, pointer=address.shadow.pointer)))
        type, varying = _stored(c, address)
        if shadow.pointer.type[0] == "<":
            check_each_written(c, shadow.pointer, shadow.name, _of_lanes(c, address), masks.explicit(c, c.mask))
        else:
            check_written(c, shadow, type, varying)
    if address.bounds:
        check_access(c, address.bounds, pointer, bytes_at(c, pointer, address.storage), c.mask, writes=False)


def check_scalar_store(c: FunctionContext, address: Address, pointer: IR, value: IR, mask: IR | None) -> None:
    """With what the variable is known to hold behind it."""
    if address.shadow is not None:
        shadow = row_or_lane(c, replace(address, pointer=address.shadow.pointer))
        type, varying = _stored(c, address)
        if shadow.type[0] == "<":
            mark_each(c, shadow, _of_lanes(c, address), masks.explicit(c, mask))
        else:
            mark_written(c, shadow, type, mask if varying else None)
    if address.bounds_variables is not None:
        keep_bounds(c, address.bounds_variables, value, mask)
    if address.bounds:
        check_access(c, address.bounds, pointer, bytes_at(c, pointer, address.storage), mask or c.mask, writes=True)


def note_loaded(c: FunctionContext, address: Address, loaded: IR) -> None:
    """What was loaded may be a pointer, with bounds kept beside it."""
    if address.bounds_variables is not None:
        kept_bounds(c, address.bounds_variables, loaded, address.name)


def check_whole_load(c: FunctionContext, address: Address) -> None:
    """Of an object at a uniform address: a short vector, or a pointer to soa data."""
    if address.shadow is not None and isinstance(address.storage.type, Vector):
        lane = c.types.lane_in_memory(address.storage.type.element)
        check_written(c, address.shadow, f"<{address.storage.type.count} x {lane}>", varying=False)
    if address.bounds:
        check_access(c, address.bounds, address.pointer, c.types.sizes.size(address.storage), c.mask, writes=False)


def check_whole_store(c: FunctionContext, address: Address) -> None:
    """The inverse of :func:`check_whole_load`."""
    if address.shadow is not None:
        mark_bytes(c, address.shadow.pointer, c.types.sizes.size(address.storage))
    if address.bounds:
        check_access(c, address.bounds, address.pointer, c.types.sizes.size(address.storage), c.mask, writes=True)


def bytes_at(c: FunctionContext, pointer: IR, storage: Qual) -> int:
    """Of a scalar at an address: the whole row of a varying one, or one lane's, or one slot's."""
    row = storage.rate is VARYING and pointer.type[0] != "<"
    return c.types.sizes.size(storage if row else storage.with_rate(UNIFORM))


def _stored(c: FunctionContext, address: Address) -> tuple[str, bool]:
    varying = address.storage.rate is VARYING
    return _of_lanes(c, address) if varying else c.types.lane_in_memory(address.storage.type), varying


def _of_lanes(c: FunctionContext, address: Address) -> str:
    return f"<{c.width} x {c.types.lane_in_memory(address.storage.type)}>"
