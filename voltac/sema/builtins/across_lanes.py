"""Builtins that look at the values of all lanes, active or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from voltac.sema.builtins.rows import NUMBERS, REALS, UNSAFE, Effect, Lanes, Value, declares
from voltac.sema.types import BOOL

if TYPE_CHECKING:
    from voltac.sema.builtins.gang import Gang

_builtin = declares(Effect.NONE, Lanes.ALL)


@_builtin(4, "u uint64", ("v bool",))
def __pack_bits(gang: Gang, v: Value) -> Value:
    """Bit l is lane l, active or not."""
    return gang.np.uint64(sum(1 << lane for lane in range(gang.width) if v[lane]))


@_builtin(UNSAFE, "u bool", ("R T",), REALS)
def __all_plain(gang: Gang, a: Value) -> Value:
    """Only if lanes that are on are normal and above 0, and ``__exponent`` and ``__significand`` better taken from bits."""
    return gang.np.bool_(False)


# --- moves


@_builtin(2, "v T", ("v T", "v int32"), NUMBERS)
def __shuffle(gang: Gang, v: Value, p: Value) -> Value:
    """Lane l of the result is v[p[l] mod W]."""
    return v[p % gang.width]


@_builtin(UNSAFE, "v T", ("v T", "v T", "v int32"), NUMBERS)
def __shuffle_two(gang: Gang, v: Value, w: Value, p: Value) -> Value:
    """Element p[l] mod 2W of both values."""
    return gang.np.concatenate([v, w])[p % (2 * gang.width)]


@_builtin(2, "u T", ("v T", "u int32"), (*NUMBERS, BOOL))
def __extract(gang: Gang, v: Value, index: Value) -> Value:
    """v[i]."""
    return v[int(index) % gang.width]


@_builtin(2, "v T", ("v T", "u int32", "u T"), (*NUMBERS, BOOL))
def __insert(gang: Gang, v: Value, index: Value, value: Value) -> Value:
    """v with lane i replaced."""
    out = v.copy()
    out[int(index) % gang.width] = value
    return out


@_builtin(UNSAFE, "v T", ("v T", "v bool"), NUMBERS)
def __compress(gang: Gang, v: Value, wanted: Value) -> Value:
    """Lanes with true moved to the front; any value behind."""
    return gang.np.concatenate([v[wanted], v[~wanted]])


@_builtin(UNSAFE, "v T", ("v T", "v bool"), NUMBERS)
def __expand(gang: Gang, v: Value, wanted: Value) -> Value:
    """The inverse: lane l with true gets v[number of true below l]."""
    return gang.np.where(wanted, v[gang.np.cumsum(wanted) - wanted], v)


@_builtin(UNSAFE, "v T", ("u const T *", "v bool"), NUMBERS)
def __load_active(gang: Gang, pointer: Value, wanted: Value) -> Value:
    """Consecutive elements to lanes with true; others: any."""
    np, dtype = gang.np, gang.result
    out = np.zeros(gang.width, dtype)
    out[wanted] = gang.memory.view(int(pointer), int(np.sum(wanted)) * dtype.itemsize).view(dtype)
    return out


# --- reductions


@_builtin(8, "u T", ("v T",), NUMBERS)
def __reduce_add(gang: Gang, v: Value) -> Value:
    """Sum over all lanes; floats in any association."""
    return gang.np.add.reduce(v, dtype=v.dtype)


@_builtin(8, "u T", ("v T",), NUMBERS)
def __reduce_min(gang: Gang, v: Value) -> Value:
    """Smallest of all lanes."""
    return gang.np.minimum.reduce(v)


@_builtin(8, "u T", ("v T",), NUMBERS)
def __reduce_max(gang: Gang, v: Value) -> Value:
    """Largest of all lanes."""
    return gang.np.maximum.reduce(v)
