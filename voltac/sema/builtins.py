"""Builtins: operations that the standard library is written in but the language cannot say.

A row here says all that is known of one; its meaning is a row of ``interpreter/builtins.py``
and its code one of ``lower/builtins/table.py``, found by the name. A row that lacks a fact, a
meaning or code ends the import. Names start with two underscores. Builtins ignore the
execution mask except where said.

Type patterns: ``u`` / ``v`` / ``R`` is the rate (``R``: varying if any ``R`` argument
is, and the result with it), then ``T`` (one of the row's element types) or a fixed
type; ``U(T)`` is the unsigned integer of T's width, ``u T *`` a uniform pointer to
uniform T, ``u T * R`` one of rate R, ``u const T *`` one through which nothing is
written; through all others it is. Arguments convert to ``T`` implicitly only in their rate.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from voltac.messages.diagnostics import InternalError
from voltac.records import record
from voltac.sema.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    FLOAT16,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    Scalar,
)

SIGNED = (INT8, INT16, INT32, INT64)
UNSIGNED = (UINT8, UINT16, UINT32, UINT64)
INTEGERS = SIGNED + UNSIGNED
FLOATS = (FLOAT16, FLOAT, DOUBLE)
REALS = (FLOAT, DOUBLE)
NUMBERS = INTEGERS + FLOATS
WIDE = (INT32, UINT32, INT64, UINT64)


class Effect(Enum):
    """What a call does besides finding its result."""

    NONE = "none"
    HINT = "nothing that is seen; what it points to need not even be there"
    STORE = "writes as assignments do: other threads do not see when"
    ORDERED = "is seen in order: threads of a device cannot do it at the same time, even at places of their own"
    THREADS = "the same, and who uses it looks after threads himself"


class Lanes(Enum):
    """Whose values a lane's result, or what is written, is made of."""

    OWN = "the lane's own"
    ALL = "those of any lane, active or not"


UNSAFE = 10_000
"""The cost of what must not be run where no lane needs it; other costs are instructions, roughly."""


class Callers(Enum):
    """Who may name it."""

    LIBRARY = "the standard library"
    AMX_HEADER = "programs through amx.isph: a tile is part of an instruction, no parameter of a function"
    DEVICE_PROGRAMS = "programs for devices: what it means for a function cannot be said by calling another one"


@record
class BuiltinRow:
    """All facts of one builtin but its meaning on numpy and its LLVM text, which are found by its name."""

    name: str
    result: str
    parameters: tuple[str, ...]
    elements: tuple[Scalar, ...]
    meaning: str
    effect: Effect
    lanes: Lanes
    cost: int
    callers: Callers = Callers.LIBRARY

    def reads_only(self, number: int) -> bool:
        """Whether nothing is written through a parameter that is a pointer."""
        return "const" in self.parameters[number].split()


C_ONE = ("acos", "asin", "atan", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "exp2", "expm1", "log", "log1p", "log2",
         "sin", "sinh", "tan", "tanh")  # fmt: skip
C_TWO = ("atan2", "pow")
"""Functions of the C library that ``--math-lib=system`` calls."""

TILE_PRODUCTS = {
    "dpbssd": "int8",
    "dpbsud": "int8",
    "dpbusd": "int8",
    "dpbuud": "int8",
    "dpbf16ps": "bf16",
    "dpfp16ps": "fp16",
}
"""Instruction of AMX -> what a target multiplies that has it; the signs of bytes are those of the two factors."""
TILES = 8
"""Registers for tiles of AMX."""

_Row = tuple[int, str, str, tuple[str, ...], tuple[Scalar, ...], str]
"""Cost, name, result, parameters, element types, meaning."""


def _rows(effect: Effect, lanes: Lanes, *rows: _Row, callers: Callers = Callers.LIBRARY) -> list[BuiltinRow]:
    return [
        BuiltinRow(name, result, parameters, elements, meaning, effect, lanes, cost, callers)
        for cost, name, result, parameters, elements, meaning in rows
    ]


_ELEMENT_BY_ELEMENT = _rows(
    Effect.NONE, Lanes.OWN,
    (6, "__sqrt", "R T", ("R T",), FLOATS, "correctly rounded square root"),
    (1, "__abs", "R T", ("R T",), SIGNED + FLOATS, "absolute value; the smallest integer is undefined"),
    (2, "__floor", "R T", ("R T",), FLOATS, "largest integral value not above"),
    (2, "__ceil", "R T", ("R T",), FLOATS, "smallest integral value not below"),
    (2, "__trunc", "R T", ("R T",), FLOATS, "integral part"),
    (2, "__round", "R T", ("R T",), FLOATS, "nearest integral value, ties to even"),
    (1, "__min", "R T", ("R T", "R T"), NUMBERS, "a < b ? a : b"),
    (1, "__max", "R T", ("R T", "R T"), NUMBERS, "a > b ? a : b"),
    (2, "__fma", "R T", ("R T", "R T", "R T"), FLOATS, "a * b + c, rounded once, on every target"),
    (UNSAFE, "__exponent", "R T", ("R T",), (FLOAT,), "e of a = m 2^e with 3/4 <= m < 3/2; -inf for 0, a for inf"),
    (UNSAFE, "__significand", "R T", ("R T",), (FLOAT,), "that m; for a NaN or below 0 one of both is NaN"),
    (UNSAFE, "__scale_sum", "R T", ("R T", "R T", "R T"), (FLOAT,), "(a + b) 2^n, sum rounded too; c is n + 3 * 2^22"),
    (UNSAFE, "__lookup", "R float", ("u const float *", "R int32"), (), "entry i mod 16 of a table of 16"),
    (UNSAFE, "__lookup_eight", "R float", ("u const float *", "R int32"), (), "entry i mod 8 of a table of 8"),
    (1, "__copysign", "R T", ("R T", "R T"), FLOATS, "magnitude of a, sign of b"),
    (1, "__bits", "R U(T)", ("R T",), FLOATS, "bit pattern"),
    (1, "__float_of_bits", "R T", ("R U(T)",), FLOATS, "value of a bit pattern; T is found from U(T)"),
    (4, "__population_count", "R T", ("R T",), WIDE, "number of 1 bits"),
    (4, "__leading_zeros", "R T", ("R T",), WIDE, "width of T for 0"),
    (4, "__trailing_zeros", "R T", ("R T",), WIDE, "width of T for 0"),
    (4, "__rcp_fast", "R T", ("R T",), REALS, "1/a to about 11 bits or better"),
    (4, "__rsqrt_fast", "R T", ("R T",), REALS, "1/sqrt(a) to about 11 bits or better"),
    (2, "__saturating_add", "R T", ("R T", "R T"), INTEGERS, "sum clamped to the range of T"),
    (2, "__saturating_sub", "R T", ("R T", "R T"), INTEGERS, "difference clamped to the range of T"),
    (UNSAFE, "__dot_signed_halves", "v int32", ("v uint32", "v uint32"), (), "products of 16-bit halves, added; wraps"),
    (UNSAFE, "__dot_signed_bytes", "v int32", ("v uint32", "v uint32"), (), "the same of bytes"),
    (UNSAFE, "__dot_unsigned_bytes", "v int32", ("v uint32", "v uint32"), (), "the same of unsigned bytes"),
    (UNSAFE, "__dot_unsigned_signed_bytes", "v int32", ("v uint32", "v uint32"), (), "a's unsigned, b's signed"),
    *((UNSAFE, f"__c_{name}", "u T", ("u T",), REALS, f"C's {name}") for name in C_ONE),
    *((UNSAFE, f"__c_{name}", "u T", ("u T", "u T"), REALS, f"C's {name}") for name in C_TWO),
    # The mask.
    (1, "__active", "v bool", (), (), "true in the lanes that are active here"),
)  # fmt: skip

_ACROSS_LANES = _rows(
    Effect.NONE, Lanes.ALL,
    (4, "__pack_bits", "u uint64", ("v bool",), (), "bit l is lane l, active or not"),
    (UNSAFE, "__all_plain", "u bool", ("R T",), (FLOAT,), "only if all lanes, active or not, are normal numbers above 0"
     " and __exponent and __significand better taken from their bits"),
    (2, "__shuffle", "v T", ("v T", "v int32"), NUMBERS, "lane l of the result is v[p[l] mod W]"),
    (UNSAFE, "__shuffle_two", "v T", ("v T", "v T", "v int32"), NUMBERS, "element p[l] mod 2W of both values"),
    (2, "__extract", "u T", ("v T", "u int32"), (*NUMBERS, BOOL), "v[i]"),
    (2, "__insert", "v T", ("v T", "u int32", "u T"), (*NUMBERS, BOOL), "v with lane i replaced"),
    (8, "__reduce_add", "u T", ("v T",), NUMBERS, "sum over all lanes; floats in any association"),
    (8, "__reduce_min", "u T", ("v T",), NUMBERS, "smallest of all lanes"),
    (8, "__reduce_max", "u T", ("v T",), NUMBERS, "largest of all lanes"),
    (UNSAFE, "__compress", "v T", ("v T", "v bool"), NUMBERS, "lanes with true moved to the front; any value behind"),
    (UNSAFE, "__expand", "v T", ("v T", "v bool"), NUMBERS, "inverse: lane l with true gets v[number of true below l]"),
    (UNSAFE, "__load_active", "v T", ("u const T *", "v bool"), NUMBERS,
     "consecutive elements to lanes with true; others: any"),
)  # fmt: skip

_MEMORY = [
    *_rows(
        Effect.STORE, Lanes.ALL,
        (UNSAFE, "__store_active", "u void", ("u T *", "v T", "v bool"), NUMBERS, "lanes with true to consecutive elements"),
        (UNSAFE, "__store_streaming", "u void", ("u T *", "R T"), NUMBERS, "one element past the caches, or W"),
        # Once, whatever the mask.
        (UNSAFE, "__memory_copy", "u void", ("u void *", "u const void *", "u int64"), (), "n bytes that do not overlap"),
        (UNSAFE, "__memory_move", "u void", ("u void *", "u const void *", "u int64"), (), "n bytes that may overlap"),
        (UNSAFE, "__memory_set", "u void", ("u void *", "u int8", "u int64"), (), "sets n bytes"),
    ),
    *_rows(
        Effect.HINT, Lanes.ALL,
        (UNSAFE, "__prefetch", "u void", ("u const void *", "u int32", "u int32"), (), "constants: write?, nearness 0..3"),
    ),
    # One sequentially consistent step on memory; yields the old value.
    *_rows(
        Effect.ORDERED, Lanes.ALL,
        (UNSAFE, "__atomic_add", "u T", ("u T *", "u T"), (*WIDE, *REALS), "old + v"),
        (UNSAFE, "__atomic_subtract", "u T", ("u T *", "u T"), (*WIDE, *REALS), "old - v"),
        (UNSAFE, "__atomic_min", "u T", ("u T *", "u T"), (*WIDE, *REALS), "the smaller"),
        (UNSAFE, "__atomic_max", "u T", ("u T *", "u T"), (*WIDE, *REALS), "the larger"),
        (UNSAFE, "__atomic_and", "u T", ("u T *", "u T"), WIDE, "old & v"),
        (UNSAFE, "__atomic_or", "u T", ("u T *", "u T"), WIDE, "old | v"),
        (UNSAFE, "__atomic_xor", "u T", ("u T *", "u T"), WIDE, "old ^ v"),
        (UNSAFE, "__atomic_swap", "u T", ("u T *", "u T"), (*WIDE, *REALS), "v"),
        (UNSAFE, "__atomic_compare_exchange", "u T", ("u T *", "u T", "u T"), WIDE, "(p, compare, v): v if old is compare"),
    ),
]  # fmt: skip

_MACHINE = [
    *_rows(
        Effect.ORDERED, Lanes.OWN,
        (UNSAFE, "__fence", "u void", (), (), "full memory fence"),
        (UNSAFE, "__clock", "u int64", (), (), "cycle counter"),
        (UNSAFE, "__random_bits", "u bool", ("u int64 *",), (), "writes 64 hardware random bits; 0 and false if none"),
    ),
    *_rows(Effect.NONE, Lanes.OWN, (UNSAFE, "__processors", "u int32", (), (), "number of processors that are online")),
    # Tiles of a matrix in registers (AMX); a tile is a constant.
    *_rows(
        Effect.ORDERED, Lanes.ALL,
        (UNSAFE, "__amx_tile_loadconfig", "u void", ("u const int8 *",), (), "64 bytes: rows and columns of the tiles"),
        (UNSAFE, "__amx_tile_storeconfig", "u void", ("u int8 *",), (), "stores them"),
        (UNSAFE, "__amx_tile_release", "u void", (), (), "tiles are not in use any more"),
        (UNSAFE, "__amx_tile_zero", "u void", ("u tile",), (), "all zero"),
        (UNSAFE, "__amx_tile_load", "u void", ("u tile", "u const int8 *", "u int64"), (), "rows a stride in bytes apart"),
        (UNSAFE, "__amx_tile_load_t1", "u void", ("u tile", "u const int8 *", "u int64"), (), "the same, past the caches"),
        (UNSAFE, "__amx_tile_store", "u void", ("u tile", "u int8 *", "u int64"), (), "rows a stride in bytes apart"),
        *((UNSAFE, f"__amx_{name}", "u void", ("u tile", "u tile", "u tile"), (), "adds the product of two tiles to a tile")
          for name in TILE_PRODUCTS),
        callers=Callers.AMX_HEADER,
    ),
]  # fmt: skip

_DEVICES = [
    *_rows(
        Effect.THREADS, Lanes.ALL,
        (UNSAFE, "__barrier", "u void", ("u uint32", "u uint32"), (), "(number, others): waits for as many threads"),
        (UNSAFE, "__flush", "u void", ("u void *",), (), "makes the line of memory visible to the host"),
        (UNSAFE, "__invalidate", "u void", ("u void *",), (), "the same, and forgets the line"),
        (UNSAFE, "__read_control", "u uint32", ("u uint32",), (), "control register"),
        (UNSAFE, "__write_control", "u void", ("u uint32", "u uint32"), (), "(value, register)"),
    ),
    *_rows(
        Effect.ORDERED, Lanes.ALL,
        (UNSAFE, "__write_mask", "u void", ("u uint32",), (), "from here on the lanes whose bits are 1 run"),
        callers=Callers.DEVICE_PROGRAMS,
    ),
]  # fmt: skip

BUILTINS: dict[str, BuiltinRow] = {
    row.name: row for row in (*_ELEMENT_BY_ELEMENT, *_ACROSS_LANES, *_MEMORY, *_MACHINE, *_DEVICES)
}


def check_rows(part: str, known: Iterable[str]) -> None:
    """A table of another stage has something for every builtin, and for nothing else."""
    wrong = BUILTINS.keys() ^ set(known)
    if wrong:
        raise InternalError(f"builtins without {part}, or {part} without a builtin: {', '.join(sorted(wrong))}")


for _row in BUILTINS.values():
    # What writes, or has no result, does something.
    _writes = any("*" in pattern and not _row.reads_only(number) for number, pattern in enumerate(_row.parameters))
    if _row.effect is Effect.NONE and (_writes or _row.result == "u void"):
        raise InternalError(f"builtin '{_row.name}' has an effect: its row has to say which")
    if _row.effect in (Effect.STORE, Effect.HINT) and _writes != (_row.effect is Effect.STORE):
        raise InternalError(f"builtin '{_row.name}': effect '{_row.effect.name}' does not go with what its pointers are for")
