"""One sequentially consistent step on memory that yields the old value.

The interpreter has one thread: reading, computing and writing one after the other is atomic.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from voltac.sema.builtins.rows import REALS, UNSAFE, WIDE, Effect, Lanes, Value, declares

if TYPE_CHECKING:
    from voltac.sema.builtins.gang import Gang

_builtin = declares(Effect.ORDERED, Lanes.ALL)
_numbers, _integers = ((UNSAFE, "u T", ("u T *", "u T"), elements) for elements in ((*WIDE, *REALS), WIDE))


def _step(gang: Gang, pointer: Value, value: Value, combine: Callable[[Value, Value], Value]) -> Value:
    place = gang.memory.view(int(pointer), value.dtype.itemsize, write=True).view(value.dtype)
    old = place[0]
    place[0] = combine(old, value)
    return old


@_builtin(*_numbers)
def __atomic_add(gang: Gang, pointer: Value, value: Value) -> Value:
    """Stores old + v."""
    return _step(gang, pointer, value, gang.np.add)


@_builtin(*_numbers)
def __atomic_subtract(gang: Gang, pointer: Value, value: Value) -> Value:
    """Stores old - v."""
    return _step(gang, pointer, value, gang.np.subtract)


@_builtin(*_numbers)
def __atomic_min(gang: Gang, pointer: Value, value: Value) -> Value:
    """Stores the smaller."""
    return _step(gang, pointer, value, lambda old, new: new if new < old else old)


@_builtin(*_numbers)
def __atomic_max(gang: Gang, pointer: Value, value: Value) -> Value:
    """Stores the larger."""
    return _step(gang, pointer, value, lambda old, new: new if new > old else old)


@_builtin(*_integers)
def __atomic_and(gang: Gang, pointer: Value, value: Value) -> Value:
    """Stores old & v."""
    return _step(gang, pointer, value, gang.np.bitwise_and)


@_builtin(*_integers)
def __atomic_or(gang: Gang, pointer: Value, value: Value) -> Value:
    """Stores old | v."""
    return _step(gang, pointer, value, gang.np.bitwise_or)


@_builtin(*_integers)
def __atomic_xor(gang: Gang, pointer: Value, value: Value) -> Value:
    """Stores old ^ v."""
    return _step(gang, pointer, value, gang.np.bitwise_xor)


@_builtin(*_numbers)
def __atomic_swap(gang: Gang, pointer: Value, value: Value) -> Value:
    """Stores v."""
    return _step(gang, pointer, value, lambda old, new: new)


@_builtin(UNSAFE, "u T", ("u T *", "u T", "u T"), WIDE)
def __atomic_compare_exchange(gang: Gang, pointer: Value, compare: Value, value: Value) -> Value:
    """Stores v if old is the second argument."""
    return _step(gang, pointer, value, lambda old, new: new if old == compare else old)
