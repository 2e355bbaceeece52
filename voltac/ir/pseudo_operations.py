"""Pseudo operations: what ``lower`` writes for SPMD memory accesses and divisors, and which pass removes each.

Every access of a gang to memory is one of these calls. ``S`` is the suffix of
the vector type, such as ``v8f32`` or ``v16p`` (pointers); the mask is always
``<W x i1>``. ``ALIGN`` is the ABI alignment of one element.

=====================  ======================================================
``volta.gather.S``     ``<W x T> (<W x ptr>, <W x i1>)``: off lanes read no
                       memory and yield any value
``volta.scatter.S``    ``void (<W x T>, <W x ptr>, <W x i1>)``: on lanes write
                       in lane order, so the highest lane wins
``volta.load.S``       ``<W x T> (ptr, <W x i1>)``: W consecutive elements
``volta.store.S``      ``void (<W x T>, ptr, <W x i1>)``: W consecutive elements
``volta.divisor.S``    ``void (<W x T>, ptr)`` or, of a divisor that all lanes
                       have, ``void (T, ptr)``, S being ``i32`` or ``i64``: the
                       kernel fails if an element is zero; off lanes pass -1.
                       The pointer leads to the message. It need not fail at
                       once.
=====================  ======================================================

A mask that is known to be all on is the constant ``splat (i1 true)``.
Element types: i8 i16 i32 i64 half float double ptr. A varying bool in memory is
i8; ``lower`` converts. Loads are ``memory(read) nounwind willreturn`` so that
LLVM merges equal ones; stores ``memory(write) nounwind willreturn``; divisors touch
nothing that anybody sees. The verifier (``ir/verify.py``) fails if one survives ``passes``.
"""

from __future__ import annotations

ELEMENT_SUFFIXES: dict[str, str] = {
    "i8": "i8",
    "i16": "i16",
    "i32": "i32",
    "i64": "i64",
    "half": "f16",
    "float": "f32",
    "double": "f64",
    "ptr": "p",
}
"""IR element type -> its part of a suffix."""

PREFIX = "volta."
DIVISOR = "volta.divisor"

REMOVED_BY: dict[str, str] = {
    "volta.gather": "passes/resolve_accesses.py",
    "volta.scatter": "passes/resolve_accesses.py",
    "volta.load": "passes/resolve_accesses.py",
    "volta.store": "passes/resolve_accesses.py",
    DIVISOR: "passes/arithmetic/check_divisors.py",
}
"""Operation -> the pass after which none may be left."""

ACCESSES = frozenset(REMOVED_BY) - {DIVISOR}


def suffix(element: str, width: int) -> str:
    """``suffix("float", 8)`` is ``"v8f32"``; without a width it is that of the scalar."""
    return f"v{width}{ELEMENT_SUFFIXES[element]}" if width else ELEMENT_SUFFIXES[element]


def declaration(operation: str, element: str, width: int) -> str:
    """The ``declare`` line of one pseudo operation, attributes included."""
    name = f"{operation}.{suffix(element, width)}"
    vector, mask = f"<{width} x {element}>", f"<{width} x i1>"
    read, write = "nounwind willreturn memory(read)", "nounwind willreturn memory(write)"
    match operation:
        case "volta.gather":
            return f"declare {vector} @{name}(<{width} x ptr>, {mask}) {read}"
        case "volta.scatter":
            return f"declare void @{name}({vector}, <{width} x ptr>, {mask}) {write}"
        case "volta.load":
            return f"declare {vector} @{name}(ptr, {mask}) {read}"
        case "volta.store":
            return f"declare void @{name}({vector}, ptr, {mask}) {write}"
        case "volta.divisor":
            type = vector if width else element
            return f"declare void @{name}({type}, ptr) nounwind willreturn memory(inaccessiblemem: readwrite)"
    raise ValueError(f"no pseudo operation is called {operation}")
