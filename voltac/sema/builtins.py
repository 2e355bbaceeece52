"""Builtins: operations that the standard library is written in but the language cannot say.

A builtin is a row here, its meaning a row of ``interpreter/builtins.py``, its
code a row of ``lower/builtins.py``; all three are found by the name. Names start
with two underscores. Builtins ignore the execution mask except where said.

Type patterns: ``u`` / ``v`` / ``R`` is the rate (``R``: varying if any ``R``
argument is, and the result with it), then ``T`` (one of ``elements``) or a fixed
type; ``U(T)`` is the unsigned integer of T's width, ``u T *`` a uniform pointer to
uniform T, ``u T * R`` one of rate R. Arguments convert to ``T`` implicitly only in their rate.
"""

from __future__ import annotations

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
NUMBERS = INTEGERS + FLOATS
WIDE = (INT32, UINT32, INT64, UINT64)


@record
class BuiltinRow:
    name: str
    result: str
    parameters: tuple[str, ...]
    elements: tuple[Scalar, ...]
    meaning: str


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

BUILTINS: dict[str, BuiltinRow] = {
    row.name: row
    for row in (
        *(BuiltinRow(f"__c_{name}", "u T", ("u T",), (FLOAT, DOUBLE), f"C's {name}") for name in C_ONE),
        *(BuiltinRow(f"__c_{name}", "u T", ("u T", "u T"), (FLOAT, DOUBLE), f"C's {name}") for name in C_TWO),
        # Element by element, at either rate.
        BuiltinRow("__sqrt", "R T", ("R T",), FLOATS, "correctly rounded square root"),
        BuiltinRow("__abs", "R T", ("R T",), SIGNED + FLOATS, "absolute value; the smallest integer is undefined"),
        BuiltinRow("__floor", "R T", ("R T",), FLOATS, "largest integral value not above"),
        BuiltinRow("__ceil", "R T", ("R T",), FLOATS, "smallest integral value not below"),
        BuiltinRow("__trunc", "R T", ("R T",), FLOATS, "integral part"),
        BuiltinRow("__round", "R T", ("R T",), FLOATS, "nearest integral value, ties to even"),
        BuiltinRow("__min", "R T", ("R T", "R T"), NUMBERS, "a < b ? a : b"),
        BuiltinRow("__max", "R T", ("R T", "R T"), NUMBERS, "a > b ? a : b"),
        BuiltinRow("__fma", "R T", ("R T", "R T", "R T"), FLOATS, "a * b + c, rounded once, on every target"),
        BuiltinRow("__exponent", "R T", ("R T",), (FLOAT,), "e of a = m 2^e with 3/4 <= m < 3/2; -inf for 0, a for inf"),
        BuiltinRow("__significand", "R T", ("R T",), (FLOAT,), "that m; for a NaN or below 0 one of both is NaN"),
        BuiltinRow("__all_plain", "u bool", ("R T",), (FLOAT,), "only if all lanes, active or not, are normal numbers above 0"
                   " and these two better taken from their bits"),
        BuiltinRow("__scale_sum", "R T", ("R T", "R T", "R T"), (FLOAT,), "(a + b) 2^n, sum rounded too; c is n + 3 * 2^22"),
        BuiltinRow("__lookup", "R float", ("u float *", "R int32"), (), "entry i mod 16 of a table of 16"),
        BuiltinRow("__lookup_eight", "R float", ("u float *", "R int32"), (), "entry i mod 8 of a table of 8"),
        BuiltinRow("__copysign", "R T", ("R T", "R T"), FLOATS, "magnitude of a, sign of b"),
        BuiltinRow("__bits", "R U(T)", ("R T",), FLOATS, "bit pattern"),
        BuiltinRow("__float_of_bits", "R T", ("R U(T)",), FLOATS, "value of a bit pattern; T is found from U(T)"),
        BuiltinRow("__population_count", "R T", ("R T",), WIDE, "number of 1 bits"),
        BuiltinRow("__leading_zeros", "R T", ("R T",), WIDE, "width of T for 0"),
        BuiltinRow("__trailing_zeros", "R T", ("R T",), WIDE, "width of T for 0"),
        BuiltinRow("__rcp_fast", "R T", ("R T",), (FLOAT, DOUBLE), "1/a to about 11 bits or better"),
        BuiltinRow("__rsqrt_fast", "R T", ("R T",), (FLOAT, DOUBLE), "1/sqrt(a) to about 11 bits or better"),
        BuiltinRow("__saturating_add", "R T", ("R T", "R T"), INTEGERS, "sum clamped to the range of T"),
        BuiltinRow("__saturating_sub", "R T", ("R T", "R T"), INTEGERS, "difference clamped to the range of T"),
        BuiltinRow("__dot_signed_halves", "v int32", ("v uint32", "v uint32"), (), "products of 16-bit halves, added; wraps"),
        BuiltinRow("__dot_signed_bytes", "v int32", ("v uint32", "v uint32"), (), "the same of bytes"),
        BuiltinRow("__dot_unsigned_bytes", "v int32", ("v uint32", "v uint32"), (), "the same of unsigned bytes"),
        BuiltinRow("__dot_unsigned_signed_bytes", "v int32", ("v uint32", "v uint32"), (), "a's unsigned, b's signed"),
        # The mask.
        BuiltinRow("__active", "v bool", (), (), "true in the lanes that are active here"),
        BuiltinRow("__pack_bits", "u uint64", ("v bool",), (), "bit l is lane l, active or not"),
        # Across lanes, reading active and inactive ones alike.
        BuiltinRow("__shuffle", "v T", ("v T", "v int32"), NUMBERS, "lane l of the result is v[p[l] mod W]"),
        BuiltinRow("__shuffle_two", "v T", ("v T", "v T", "v int32"), NUMBERS, "element p[l] mod 2W of both values"),
        BuiltinRow("__extract", "u T", ("v T", "u int32"), (*NUMBERS, BOOL), "v[i]"),
        BuiltinRow("__insert", "v T", ("v T", "u int32", "u T"), (*NUMBERS, BOOL), "v with lane i replaced"),
        BuiltinRow("__reduce_add", "u T", ("v T",), NUMBERS, "sum over all lanes; floats in any association"),
        BuiltinRow("__reduce_min", "u T", ("v T",), NUMBERS, "smallest of all lanes"),
        BuiltinRow("__reduce_max", "u T", ("v T",), NUMBERS, "largest of all lanes"),
        BuiltinRow("__compress", "v T", ("v T", "v bool"), NUMBERS, "lanes with true moved to the front; any value behind"),
        BuiltinRow("__expand", "v T", ("v T", "v bool"), NUMBERS, "inverse: lane l with true gets v[number of true below l]"),
        BuiltinRow(
            "__load_active", "v T", ("u T *", "v bool"), NUMBERS, "consecutive elements to lanes with true; others: any"
        ),
        BuiltinRow(
            "__store_active", "u void", ("u T *", "v T", "v bool"), NUMBERS, "lanes with true to consecutive elements"
        ),
        BuiltinRow("__store_streaming", "u void", ("u T *", "R T"), NUMBERS, "one element past the caches, or W"),
        # Memory: once, whatever the mask.
        BuiltinRow("__memory_copy", "u void", ("u void *", "u void *", "u int64"), (), "copies n bytes that do not overlap"),
        BuiltinRow("__memory_move", "u void", ("u void *", "u void *", "u int64"), (), "copies n bytes that may overlap"),
        BuiltinRow("__memory_set", "u void", ("u void *", "u int8", "u int64"), (), "sets n bytes"),
        BuiltinRow("__prefetch", "u void", ("u void *", "u int32", "u int32"), (), "constants: write?, nearness 0..3"),
        # One sequentially consistent step on memory; yields the old value.
        BuiltinRow("__atomic_add", "u T", ("u T *", "u T"), (*WIDE, FLOAT, DOUBLE), "old + v"),
        BuiltinRow("__atomic_subtract", "u T", ("u T *", "u T"), (*WIDE, FLOAT, DOUBLE), "old - v"),
        BuiltinRow("__atomic_min", "u T", ("u T *", "u T"), (*WIDE, FLOAT, DOUBLE), "the smaller"),
        BuiltinRow("__atomic_max", "u T", ("u T *", "u T"), (*WIDE, FLOAT, DOUBLE), "the larger"),
        BuiltinRow("__atomic_and", "u T", ("u T *", "u T"), WIDE, "old & v"),
        BuiltinRow("__atomic_or", "u T", ("u T *", "u T"), WIDE, "old | v"),
        BuiltinRow("__atomic_xor", "u T", ("u T *", "u T"), WIDE, "old ^ v"),
        BuiltinRow("__atomic_swap", "u T", ("u T *", "u T"), (*WIDE, FLOAT, DOUBLE), "v"),
        BuiltinRow("__atomic_compare_exchange", "u T", ("u T *", "u T", "u T"), WIDE, "(p, compare, v): v if old is compare"),
        # The machine.
        BuiltinRow("__fence", "u void", (), (), "full memory fence"),
        BuiltinRow("__clock", "u int64", (), (), "cycle counter"),
        # Tiles of a matrix in registers (AMX); a tile is a constant.
        BuiltinRow("__amx_tile_loadconfig", "u void", ("u int8 *",), (), "64 bytes: rows and columns of the tiles"),
        BuiltinRow("__amx_tile_storeconfig", "u void", ("u int8 *",), (), "stores them"),
        BuiltinRow("__amx_tile_release", "u void", (), (), "tiles are not in use any more"),
        BuiltinRow("__amx_tile_zero", "u void", ("u tile",), (), "all zero"),
        BuiltinRow("__amx_tile_load", "u void", ("u tile", "u int8 *", "u int64"), (), "rows a stride in bytes apart"),
        BuiltinRow("__amx_tile_load_t1", "u void", ("u tile", "u int8 *", "u int64"), (), "the same, not to stay in caches"),
        BuiltinRow("__amx_tile_store", "u void", ("u tile", "u int8 *", "u int64"), (), "rows a stride in bytes apart"),
        *(
            BuiltinRow(f"__amx_{name}", "u void", ("u tile", "u tile", "u tile"), (), "adds the product of two tiles to a tile")
            for name in TILE_PRODUCTS
        ),
        # Threads of a device.
        BuiltinRow("__barrier", "u void", ("u uint32", "u uint32"), (), "(number, others): waits for as many threads"),
        BuiltinRow("__flush", "u void", ("u void *",), (), "makes the line of memory visible to the host"),
        BuiltinRow("__invalidate", "u void", ("u void *",), (), "the same, and forgets the line"),
        BuiltinRow("__read_control", "u uint32", ("u uint32",), (), "control register"),
        BuiltinRow("__write_control", "u void", ("u uint32", "u uint32"), (), "(value, register)"),
        BuiltinRow("__write_mask", "u void", ("u uint32",), (), "from here on the lanes whose bits are 1 run"),
        BuiltinRow("__processors", "u int32", (), (), "number of processors that are online"),
        BuiltinRow("__random_bits", "u bool", ("u int64 *",), (), "writes 64 hardware random bits; 0 and false if none"),
    )
}

OF_PROGRAMS = frozenset(("__write_mask",))
"""Rows that programs for devices call themselves: what they mean for a function cannot be said by calling another one."""

TILE_OPERATIONS = frozenset(name for name in BUILTINS if name.startswith("__amx_"))
"""Rows that programs call through ``amx.isph``: a tile is part of an instruction, no parameter."""

ONLY_READ: dict[str, tuple[int, ...]] = {
    "__lookup": (0,), "__lookup_eight": (0,), "__load_active": (0,), "__prefetch": (0,), "__memory_copy": (1,),
    "__memory_move": (1,),
}  # fmt: skip
"""Row -> parameters that are pointers through which it does not write. Through all others it does."""

_PLAIN_STORES = frozenset(("__store_active", "__store_streaming", "__memory_copy", "__memory_move", "__memory_set"))
"""Rows that write as assignments do: other threads do not see when."""
_SEEN_IN_ORDER = frozenset(("__clock", "__read_control"))
"""Rows with a result and without a pointer whose calls are seen in order all the same."""
WITHOUT_EFFECT = frozenset(("__prefetch",))
"""Rows without a result that do nothing that is seen: what they point to need not even be there."""


def _pointers(name: str) -> set[int]:
    return {number for number, pattern in enumerate(BUILTINS[name].parameters) if "*" in pattern}


def _writes(name: str) -> bool:
    return bool(_pointers(name) - set(ONLY_READ.get(name, ())))


# What is not listed counts as an effect, and what is listed has to be as the lists say: a row that is renamed or gets
# another signature ends the import, not in a data race.
for _name, _positions in ONLY_READ.items():
    assert set(_positions) <= _pointers(_name), _name
assert all(_writes(_name) for _name in _PLAIN_STORES)
assert not any(_pointers(_name) or BUILTINS[_name].result == "u void" for _name in _SEEN_IN_ORDER)
assert all(BUILTINS[_name].result == "u void" and not _writes(_name) for _name in WITHOUT_EFFECT)

EFFECTS = _SEEN_IN_ORDER | {
    name for name, row in BUILTINS.items() if (row.result == "u void" or _writes(name)) and name not in WITHOUT_EFFECT
}
"""Rows that do more than find their result."""
ORDERED_EFFECTS = EFFECTS - _PLAIN_STORES
"""Those of them that threads of a device cannot do at the same time, even at places of their own."""
