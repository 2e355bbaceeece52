"""The meaning of every row of ``sema/builtins.py``, on numpy scalars and arrays alike."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from voltac.sema.builtins import C_ONE, C_TWO, TILE_PRODUCTS, check_rows
from voltac.target_info import TargetInfo

from . import arithmetic
from .memory import Memory
from .values import Mask, Value


@dataclass(frozen=True, slots=True)
class Lanes:
    """Who executes a builtin, the dtype of its result (None for void), the memory it may touch, the machine it stands for."""

    active: Mask
    width: int
    result: np.dtype[Any] | None
    memory: Memory
    target: TargetInfo


def _bits(lanes: Lanes, a: Value) -> Value:
    return a.view(lanes.result)


def _min(lanes: Lanes, a: Value, b: Value) -> Value:
    smaller: Value = np.where(np.less(a, b), a, b)
    return smaller[()]


def _max(lanes: Lanes, a: Value, b: Value) -> Value:
    larger: Value = np.where(np.greater(a, b), a, b)
    return larger[()]


def _split(a: Value) -> tuple[Value, Value]:
    """Significand from 3/4 to 3/2 and exponent, as floats."""
    with np.errstate(all="ignore"):
        significand, exponent = np.frexp(a)
        low = significand < 0.75
        exponent = np.where(a == 0, -np.inf, np.where(np.isinf(a), a, (exponent - low).astype(a.dtype))).astype(a.dtype)
        significand = np.where(low, significand * a.dtype.type(2), significand)
        plain = (a > 0) & np.isfinite(a)
    return np.where(plain, significand, np.where(a < 0, np.nan, 1)).astype(a.dtype)[()], np.where(a != a, a, exponent)[()]


def _scale_sum(lanes: Lanes, a: Value, b: Value, shifted: Value) -> Value:
    with np.errstate(all="ignore"):
        n = np.where(shifted == shifted, shifted - np.float32(12582912), 0).astype(np.int32)
        scaled: Value = np.ldexp(a + b, n)
    return scaled


def _lookup(size: int) -> Callable[..., Value]:
    def run(lanes: Lanes, table: Value, index: Value) -> Value:
        found: Value = lanes.memory.view(int(table), 4 * size).view(np.float32)[index & (size - 1)]
        return found

    return run


def _c_function(name: str) -> Callable[..., Value]:
    """The function itself, of the C library of this process."""

    def run(lanes: Lanes, *arguments: Value) -> Value:
        dtype = arguments[0].dtype
        number = ctypes.c_float if dtype == np.float32 else ctypes.c_double
        function = getattr(ctypes.CDLL("libm.so.6"), name + "f" * (dtype == np.float32))
        function.restype, function.argtypes = number, [number] * len(arguments)
        return dtype.type(function(*map(float, arguments)))

    return run


def _leading_zeros(lanes: Lanes, a: Value) -> Value:
    return _per_element(lambda number, bits: bits - number.bit_length(), a)


def _trailing_zeros(lanes: Lanes, a: Value) -> Value:
    return _per_element(lambda number, bits: (number & -number).bit_length() - 1 if number else bits, a)


def _population_count(lanes: Lanes, a: Value) -> Value:
    return _per_element(lambda number, bits: number.bit_count(), a)


def _per_element(count: Callable[[int, int], int], a: Value) -> Value:
    """Applies a function of (unsigned number, width in bits) to every element."""
    bits = a.dtype.itemsize * 8
    numbers = np.asarray(a)
    out = [count(int(number) & ((1 << bits) - 1), bits) for number in numbers.flat]
    return np.array(out, a.dtype).reshape(numbers.shape)[()]


def _dot(first: type, second: type) -> Callable[[Lanes, Value, Value], Value]:
    """Products of the parts of each lane, added."""

    def dot(lanes: Lanes, a: Value, b: Value) -> Value:
        parts = a.dtype.itemsize // np.dtype(first).itemsize
        sides = (np.ascontiguousarray(each).view(kind).astype(np.int64) for each, kind in ((a, first), (b, second)))
        products: Value = np.prod(list(sides), axis=0).reshape(-1, parts)
        return products.sum(axis=1).astype(np.uint32).view(np.int32)

    return dot


def _saturate(exact: Callable[[Any, Any], Any]) -> Callable[[Lanes, Value, Value], Value]:
    """An operation on exact integers, its result clamped to the range of the type."""

    def saturating(lanes: Lanes, a: Value, b: Value) -> Value:
        info = np.iinfo(a.dtype)
        whole = exact(np.asarray(a).astype(object), np.asarray(b).astype(object))
        return np.clip(whole, int(info.min), int(info.max)).astype(a.dtype)[()]

    return saturating


def _pack_bits(lanes: Lanes, v: Value) -> Value:
    return np.uint64(sum(1 << lane for lane in range(lanes.width) if v[lane]))


def _insert(lanes: Lanes, v: Value, index: Value, value: Value) -> Value:
    out = v.copy()
    out[int(index) % lanes.width] = value
    return out


def _reduce_add(lanes: Lanes, v: Value) -> Value:
    return np.add.reduce(v, dtype=v.dtype)


def _compress(lanes: Lanes, v: Value, wanted: Value) -> Value:
    return np.concatenate([v[wanted], v[~wanted]])


def _expand(lanes: Lanes, v: Value, wanted: Value) -> Value:
    return np.where(wanted, v[np.cumsum(wanted) - wanted], v)


def _load_active(lanes: Lanes, pointer: Value, wanted: Value) -> Value:
    assert lanes.result is not None
    out = np.zeros(lanes.width, lanes.result)
    out[wanted] = lanes.memory.view(int(pointer), int(np.sum(wanted)) * lanes.result.itemsize).view(lanes.result)
    return out


def _store_active(lanes: Lanes, pointer: Value, v: Value, wanted: Value) -> None:
    chosen = v[wanted]
    lanes.memory.view(int(pointer), chosen.nbytes, write=True).view(v.dtype)[:] = chosen


def _store_streaming(lanes: Lanes, pointer: Value, v: Value) -> None:
    lanes.memory.view(int(pointer), v.nbytes, write=True).view(v.dtype)[:] = v


def _memory_copy(lanes: Lanes, target: Value, source: Value, size: Value) -> None:
    lanes.memory.view(int(target), int(size), write=True)[:] = lanes.memory.view(int(source), int(size)).copy()


def _memory_set(lanes: Lanes, target: Value, value: Value, size: Value) -> None:
    lanes.memory.view(int(target), int(size), write=True)[:] = value.astype(np.uint8)


def _load_config(lanes: Lanes, pointer: Value) -> None:
    lanes.memory.tiles.configure(lanes.memory.view(int(pointer), 64))


def _store_config(lanes: Lanes, pointer: Value) -> None:
    lanes.memory.view(int(pointer), 64, write=True)[:] = lanes.memory.tiles.configuration


def _tile_zero(lanes: Lanes, tile: Value) -> None:
    lanes.memory.tiles.contents[tile] = 0


def _tile_load(lanes: Lanes, tile: Value, pointer: Value, stride: Value) -> None:
    rows, size = lanes.memory.tiles.shape(int(tile))
    _tile_zero(lanes, tile)
    for row in range(rows):
        lanes.memory.tiles.contents[tile, row, :size] = lanes.memory.view(int(pointer) + row * int(stride), size)


def _tile_store(lanes: Lanes, tile: Value, pointer: Value, stride: Value) -> None:
    rows, size = lanes.memory.tiles.shape(int(tile))
    for row in range(rows):
        lanes.memory.view(int(pointer) + row * int(stride), size, write=True)[:] = lanes.memory.tiles.contents[tile, row, :size]


def _tile_product(name: str) -> Callable[[Lanes, Value, Value, Value], None]:
    return lambda lanes, target, a, b: lanes.memory.tiles.add_product(name, int(target), int(a), int(b))


def _atomic(combine: Callable[[Value, Value], Value]) -> Callable[[Lanes, Value, Value], Value]:
    """The interpreter has one thread: reading, computing and writing one after the other is atomic."""

    def step(lanes: Lanes, pointer: Value, value: Value) -> Value:
        place = lanes.memory.view(int(pointer), value.dtype.itemsize, write=True).view(value.dtype)
        old = place[0]
        place[0] = combine(old, value)
        return old

    return step


def _compare_exchange(lanes: Lanes, pointer: Value, compare: Value, value: Value) -> Value:
    return _atomic(lambda old, new: new if old == compare else old)(lanes, pointer, value)


def _clock(lanes: Lanes) -> Value:
    return np.int64(time.perf_counter_ns())


def _random_bits(lanes: Lanes, pointer: Value) -> Value:
    found = os.urandom(8) if lanes.target.has_rand else bytes(8)
    lanes.memory.view(int(pointer), 8, write=True)[:] = np.frombuffer(found, np.uint8)
    return np.bool_(lanes.target.has_rand)


BUILTINS: dict[str, Callable[..., Value]] = {
    **{f"__c_{name}": _c_function(name) for name in (*C_ONE, *C_TWO)},
    "__sqrt": lambda lanes, a: np.sqrt(a),
    "__abs": lambda lanes, a: np.abs(a),
    "__floor": lambda lanes, a: np.floor(a),
    "__ceil": lambda lanes, a: np.ceil(a),
    "__trunc": lambda lanes, a: np.trunc(a),
    "__round": lambda lanes, a: np.rint(a),
    "__min": _min,
    "__max": _max,
    "__fma": lambda lanes, a, b, c: arithmetic.fused_multiply_add(a, b, c),
    "__exponent": lambda lanes, a: _split(a)[1],
    "__significand": lambda lanes, a: _split(a)[0],
    "__all_plain": lambda lanes, a: np.bool_(False),
    "__scale_sum": _scale_sum,
    "__lookup": _lookup(16),
    "__lookup_eight": _lookup(8),
    "__copysign": lambda lanes, a, b: np.copysign(a, b),
    "__bits": _bits,
    "__float_of_bits": _bits,
    "__population_count": _population_count,
    "__leading_zeros": _leading_zeros,
    "__trailing_zeros": _trailing_zeros,
    "__rcp_fast": lambda lanes, a: a.dtype.type(1) / a,
    "__rsqrt_fast": lambda lanes, a: a.dtype.type(1) / np.sqrt(a),
    "__dot_signed_halves": _dot(np.int16, np.int16),
    "__dot_signed_bytes": _dot(np.int8, np.int8),
    "__dot_unsigned_bytes": _dot(np.uint8, np.uint8),
    "__dot_unsigned_signed_bytes": _dot(np.uint8, np.int8),
    "__saturating_add": _saturate(lambda a, b: a + b),
    "__saturating_sub": _saturate(lambda a, b: a - b),
    "__active": lambda lanes: lanes.active.copy(),
    "__pack_bits": _pack_bits,
    "__shuffle": lambda lanes, v, p: v[p % lanes.width],
    "__shuffle_two": lambda lanes, v, w, p: np.concatenate([v, w])[p % (2 * lanes.width)],
    "__extract": lambda lanes, v, index: v[int(index) % lanes.width],
    "__insert": _insert,
    "__reduce_add": _reduce_add,
    "__reduce_min": lambda lanes, v: np.minimum.reduce(v),
    "__reduce_max": lambda lanes, v: np.maximum.reduce(v),
    "__compress": _compress,
    "__expand": _expand,
    "__load_active": _load_active,
    "__store_active": _store_active,
    "__store_streaming": _store_streaming,
    "__memory_copy": _memory_copy,
    "__memory_move": _memory_copy,
    "__memory_set": _memory_set,
    "__prefetch": lambda lanes, pointer, write, nearness: None,
    "__atomic_add": _atomic(np.add),
    "__atomic_subtract": _atomic(np.subtract),
    "__atomic_min": _atomic(lambda old, value: value if value < old else old),
    "__atomic_max": _atomic(lambda old, value: value if value > old else old),
    "__atomic_and": _atomic(np.bitwise_and),
    "__atomic_or": _atomic(np.bitwise_or),
    "__atomic_xor": _atomic(np.bitwise_xor),
    "__atomic_swap": _atomic(lambda old, value: value),
    "__atomic_compare_exchange": _compare_exchange,
    "__amx_tile_loadconfig": _load_config,
    "__amx_tile_storeconfig": _store_config,
    "__amx_tile_release": lambda lanes: lanes.memory.tiles.configure(np.zeros(64, np.uint8)),
    "__amx_tile_zero": _tile_zero,
    "__amx_tile_load": _tile_load,
    "__amx_tile_load_t1": _tile_load,
    "__amx_tile_store": _tile_store,
    **{f"__amx_{name}": _tile_product(name) for name in TILE_PRODUCTS},
    "__fence": lambda lanes: None,
    "__clock": _clock,
    "__write_mask": lambda lanes, bits: None,  # the set of lanes that go on is the business of statements.py
    # The interpreter is the one thread of a device: nobody else is waited for, and memory has no caches.
    "__barrier": lambda lanes, number, others: None,
    "__flush": lambda lanes, address: None,
    "__invalidate": lambda lanes, address: None,
    "__read_control": lambda lanes, register: np.uint32(0),
    "__write_control": lambda lanes, value, register: None,
    "__processors": lambda lanes: np.int32(os.cpu_count() or 1),
    "__random_bits": _random_bits,
}
check_rows("meaning", BUILTINS)
