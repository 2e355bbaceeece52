"""Atomic operations: each on every type, local and global, in all three forms, lane after lane; appendix A 223 to 225."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from gangs import (
    QUICK,
    Array,
    compiled,
    dtype,
    every_target,
    lanes_on,
    masks,
    some_targets,
    under_masks,
    usable,
    values,
    varying,
)

Step = Callable[[Any, Any], Any]
ARITHMETIC: dict[str, Step] = {
    "add": lambda old, v: old + v,
    "subtract": lambda old, v: old - v,
    "min": lambda old, v: min(old, v),
    "max": lambda old, v: max(old, v),
    "swap": lambda old, v: v,
}
BITS: dict[str, Step] = {"and": lambda old, v: old & v, "or": lambda old, v: old | v, "xor": lambda old, v: old ^ v}
TYPES = ("int32", "uint32", "int64", "uint64", "float", "double")


def operations(type: str) -> dict[str, Step]:
    return ARITHMETIC | (BITS if "int" in type else {})


def types_for(target: str) -> tuple[str, ...]:
    """Quick runs ask for some of the types on each target."""
    return {QUICK[0]: ("int32", "double"), QUICK[1]: ("uint32", "float"), QUICK[2]: ("int64", "float")}.get(target, TYPES)


def _exports(type: str, name: str, parameters: int) -> str:
    """The three forms; ``at`` picks the elements the lanes work on."""
    x, y = varying(type, "x", "a"), varying(type, "y", "b")
    call = {1: "x", 2: "y, x"}[parameters]
    once = {1: "a[0]", 2: "b[0], a[0]"}[parameters]
    head = f"uniform {type} p[], uniform {type} a[], uniform {type} b[], uniform int at[], uniform {type} r[], "
    head += "uniform int64 lanes"
    return (
        f"export void one_{name}_{type}({head}) {{ {x} {y} {under_masks(f'r[programIndex] = {name}(p, {call});')} }}\n"
        f"export void gang_{name}_{type}({head}) {{ {under_masks(f'r[0] = {name}(p, {once});')} }}\n"
        f"export void own_{name}_{type}({head}) {{\n    {x} {y} uniform {type} * varying q = p + at[programIndex];\n"
        f"    {under_masks(f'r[programIndex] = {name}(q, {call});')} }}\n"
    )


def _source(types: tuple[str, ...], places: tuple[str, ...]) -> str:
    text = ""
    for type in types:
        for place in places:
            text += "".join(_exports(type, f"atomic_{operation}_{place}", 1) for operation in operations(type))
            text += _exports(type, f"atomic_compare_exchange_{place}", 2)
    return text


def _in_order(step: Callable[[Any, int], Any], memory: Array, at: Array, on: Array) -> tuple[Array, Array]:
    """Lane after lane: memory at the end, and the old values."""
    memory, old = memory.copy(), np.zeros(len(at), memory.dtype)
    with np.errstate(all="ignore"):
        for lane in np.flatnonzero(on):
            old[lane] = memory[at[lane]]
            memory[at[lane]] = step(memory[at[lane]], int(lane))
    return memory, old


def _check(kernels: Any, type: str, name: str, step: Callable[[Any, int], Any], a: Array, b: Array, width: int) -> None:
    memory = np.array([7, 3, 100, 5], dtype(type))
    for number, mask in enumerate(masks(width)):
        on = lanes_on(mask, width)
        for form, at in (("one", np.zeros(width, int)), ("own", np.arange(width) * (number + 1) % 4), ("gang", None)):
            p, r = memory.copy(), np.zeros(width, dtype(type))
            places = np.zeros(width, int) if at is None else at
            kernels[f"{form}_{name}_{type}"](p, a, b, places.astype(np.int32), r, mask)
            acting = on if at is not None else np.arange(width) == 0
            expected, old = _in_order(step, memory, places, acting)
            assert (p == expected).all() and (r == old).all(), (form, name, type, hex(mask), a, p, expected, r, old)


@some_targets("place", ["local", "global"])
def test_lanes_take_their_turns_in_order(place: str, target: str) -> None:
    width = usable(target).width
    kernels = compiled(_source(types_for(target), (place,)), target)
    for type in types_for(target):
        a = (np.arange(width) * 5 % 13 + 1).astype(dtype(type))
        wild = values(type, 64 + width, 3)[-width:] if "int" in type else a
        for operation, step in operations(type).items():
            name = f"atomic_{operation}_{place}"
            _check(kernels, type, name, lambda old, lane, step=step, v=wild: step(old, v[lane]), wild, a, width)  # type: ignore[misc]
        compare = np.where(np.arange(width) % 3, np.roll(a, 1), 7).astype(dtype(type))
        _check(
            kernels, type, f"atomic_compare_exchange_{place}",
            lambda old, lane, c=compare, v=a: v[lane] if old == c[lane] else old, a, compare, width,  # type: ignore[misc]
        )  # fmt: skip


POINTERS = "".join(
    f"""
export void one_{place}(uniform int64 p[], uniform int64 a[], uniform int64 c[], uniform int64 r[], uniform int64 lanes) {{
    void * uniform * uniform q = (void * uniform * uniform)p;
    void * varying x = (void * varying)a[programIndex];
    void * varying y = (void * varying)c[programIndex];
    {under_masks(f"r[programIndex] = (int64)atomic_swap_{place}(q, x);")}
    {under_masks(f"r[programCount + programIndex] = (int64)atomic_compare_exchange_{place}(q, y, x);")}
}}
export void own_{place}(uniform int64 p[], uniform int64 a[], uniform int64 c[], uniform int64 r[], uniform int64 lanes) {{
    void * uniform * varying q = (void * uniform * varying)(p + (programIndex & 3));
    void * varying x = (void * varying)a[programIndex];
    void * varying y = (void * varying)c[programIndex];
    {under_masks(f"r[programIndex] = (int64)atomic_swap_{place}(q, x);")}
    {under_masks(f"r[programCount + programIndex] = (int64)atomic_compare_exchange_{place}(q, y, x);")}
}}
export void gang_{place}(uniform int64 p[], uniform int64 a[], uniform int64 c[], uniform int64 r[], uniform int64 lanes) {{
    void * uniform * uniform q = (void * uniform * uniform)p;
    void * uniform x = (void * uniform)a[0];
    void * uniform y = (void * uniform)c[0];
    r[0] = (uniform int64)atomic_swap_{place}(q, x);
    r[programCount] = (uniform int64)atomic_compare_exchange_{place}(q, y, x);
}}
"""
    for place in ("local", "global")
)


@every_target
def test_pointers_are_exchanged(target: str) -> None:
    width = usable(target).width
    kernels = compiled(POINTERS, target)
    a, c = np.arange(width) * 16 + 1000, np.where(np.arange(width) % 2, 5000, np.arange(width) * 16 + 984)
    for place in ("local", "global"):
        for mask in masks(width):
            for form, at in (("one", np.zeros(width, int)), ("own", np.arange(width) & 3), ("gang", np.zeros(width, int))):
                on = lanes_on(mask, width) if form != "gang" else np.arange(width) == 0
                p = np.full(4, 5000)
                r = np.zeros(2 * width, np.int64)
                kernels[f"{form}_{place}"](p, a, c, r, mask)
                memory, swapped = _in_order(lambda old, lane: a[lane], np.full(4, 5000), at, on)
                memory, exchanged = _in_order(lambda old, lane: a[lane] if old == c[lane] else old, memory, at, on)
                assert (p == memory).all() and (r == np.concatenate([swapped, exchanged])).all(), (form, place, hex(mask))


def test_global_atomics_of_threads_lose_nothing() -> None:
    """Two threads, one counter of each kind; the old values of the additions are all different."""
    rounds, width = 20_000, 8
    kernels = compiled(
        """
export void count(uniform int p[], uniform float f[], uniform int64 seen[], uniform int rounds) {
    for (uniform int k = 0; k < rounds; ++k) {
        int old = atomic_add_global(p, 1 + (programIndex & 0));
        if (k == 0) seen[programIndex] = old;
        if (programIndex & 1) atomic_add_global(f, 1.0f + 0 * programIndex);
        atomic_subtract_global(p + 1 + programIndex, 2 + (programIndex & 0));
    }
}
""",
        "avx2-i32x8",
    )
    p, f = np.zeros(1 + width, np.int32), np.zeros(1, np.float32)
    seen = [np.zeros(width, np.int64) for _ in range(2)]
    threads = [threading.Thread(target=kernels.count, args=(p, f, one, rounds)) for one in seen]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert p[0] == 2 * rounds * width and (p[1:] == -4 * rounds).all() and f[0] == rounds * width
    assert len({*seen[0], *seen[1]}) == 2 * width
