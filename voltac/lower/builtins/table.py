"""Builtins of the library -> LLVM intrinsics and instructions, one row each, found by name.

A row gets the context, the node and the lowered arguments. Where a target has an
instruction of its own, a row of its own for that target is tried first.
"""

from __future__ import annotations

from voltac.lower.builtins.argument_types import argument_scalar
from voltac.lower.builtins.checked_memory import check_builtin
from voltac.lower.builtins.device_builtins import DEVICE_BUILTINS
from voltac.lower.builtins.dot_products import dot_product
from voltac.lower.builtins.estimates import estimate
from voltac.lower.builtins.float_parts import FLOAT_PARTS
from voltac.lower.builtins.intrinsic_calls import Emitter, call, overload
from voltac.lower.builtins.lane_movement import element_bits, look_up, moves_in_one_step
from voltac.lower.builtins.packing import compress, expand, load_active, store_active
from voltac.lower.builtins.rounding import rounding
from voltac.lower.control_flow import masks
from voltac.lower.function_context import FunctionContext, lowers_value
from voltac.lower.text.ir_values import (
    IR,
    NOTHING,
    boolean,
    element_type,
    floating,
    integer,
    is_constant,
    lanes_of,
    poison,
    zero,
)
from voltac.sema import tree
from voltac.sema.builtins import TILE_PRODUCTS, check_rows
from voltac.sema.types import Scalar


@lowers_value(tree.Builtin)
def lower_builtin(c: FunctionContext, node: tree.Builtin) -> IR:
    """The row of the builtin's name writes the code; arguments are lowered in their order before."""
    arguments = [c.value(argument) for argument in node.arguments]
    if c.checks.accesses:
        check_builtin(c, node, arguments)
    return BUILTINS[node.name](c, node, arguments)


# --- building blocks


def _plain(intrinsic: str) -> Emitter:
    """The intrinsic of that name on the arguments' type."""

    def emit(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
        type = arguments[0].type
        return call(c, f"llvm.{intrinsic}.{overload(type)}", type, *arguments)

    return emit


def _with_flag(intrinsic: str) -> Emitter:
    """An intrinsic with a last argument ``i1 false``: defined for every input."""

    def emit(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
        type = arguments[0].type
        return call(c, f"llvm.{intrinsic}.{overload(type)}", type, *arguments, "i1 false")

    return emit


def _by_sign(signed: str, unsigned: str) -> Emitter:
    def emit(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
        name = signed if argument_scalar(node).is_signed else unsigned
        return call(c, f"llvm.{name}.{overload(arguments[0].type)}", arguments[0].type, *arguments)

    return emit


def _extremum(comparison: str, signed: str, unsigned: str) -> Emitter:
    """``a < b ? a : b``: for floats exactly that, which is x86's own minimum."""
    integers = _by_sign(signed, unsigned)

    def emit(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
        if argument_scalar(node).kind == "float":
            left, right = arguments
            return c.build.select(c.build.compare(f"fcmp {comparison}", left, right), left, right)
        return integers(c, node, arguments)

    return emit


def _absolute(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    return (_plain("fabs") if argument_scalar(node).kind == "float" else _with_flag("abs"))(c, node, arguments)


def _bitcast(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    return c.build.convert("bitcast", arguments[0], c.register(node.type))


# --- masks and lanes


def _active(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    return masks.explicit(c, c.mask)


def _pack_bits(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    lanes = masks.bits(c, arguments[0])
    return lanes if lanes.type == "i64" else c.build.convert("zext", lanes, "i64")


def _extract(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    vector, index = arguments
    if element_type(vector.type) == "i1":
        lanes = masks.bits(c, vector)
        wide = lanes if c.width >= 32 else c.build.convert("zext", lanes, "i32")
        shift = index if wide.type == "i32" else c.build.convert("zext", index, wide.type)
        return c.build.convert("trunc", c.build.binary("lshr", wide, shift), "i1")
    if not is_constant(index) and moves_in_one_step(c, vector.type):
        # Otherwise LLVM stores the vector and loads the element.
        return c.build.extract(look_up(c, [vector], c.build.splat(c.width, index)), integer("i64", 0))
    return c.build.extract(vector, index)


def _insert(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    vector, index, value = arguments
    if is_constant(index) and element_type(vector.type) != "i1":
        return c.build.insert(vector, value, index)
    # An insertion at a variable place would go through memory.
    lane = "i32" if element_type(vector.type) == "i1" else f"i{element_bits(vector.type)}"
    if lane != "i32":
        index = c.build.convert("trunc" if lane in ("i8", "i16") else "zext", index, lane)
    here = c.build.compare("icmp eq", c.lanes(lane), c.build.splat(c.width, index))
    return c.build.select(here, c.build.splat(c.width, value), vector)


def _shuffle(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    *tables, numbers = arguments
    return look_up(c, tables, numbers)


def _reduce_add(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    vector = arguments[0]
    lane = element_type(vector.type)
    if argument_scalar(node).kind != "float":
        return call(c, f"llvm.vector.reduce.add.{overload(vector.type)}", lane, vector)
    if lane == "half" and c.target.is_x86 and not c.target.has_native_half:
        return _sum_of_halves(c, vector)
    callee = c.module.intrinsic(f"llvm.vector.reduce.fadd.{overload(vector.type)}", lane, lane, vector.type)
    return c.build.value(lane, f"call reassoc {lane} {callee}({floating(lane, -0.0)}, {vector})")


def _sum_of_halves(c: FunctionContext, vector: IR) -> IR:
    """The lower and the upper lanes are added until one is left, as LLVM does, which would call a function for each number."""
    count = c.width
    while count > 1:
        count //= 2
        # One lane stays a vector of two: those are converted together.
        spare = [-1] if count == 1 else []
        low, high = (
            c.build.shuffle(vector, poison(vector.type), [*range(first, first + count), *spare]) for first in (0, count)
        )
        vector = c.build.binary("fadd", low, high)
    return c.build.extract(vector, integer("i64", 0))


def _reduce_extremum(float_comparison: str, signed: str, unsigned: str) -> Emitter:
    def emit(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
        vector = arguments[0]
        scalar = argument_scalar(node)
        if scalar.kind != "float":
            name = f"llvm.vector.reduce.{signed if scalar.is_signed else unsigned}.{overload(vector.type)}"
            return call(c, name, element_type(vector.type), vector)
        half = c.width // 2
        while half:
            other = c.build.shuffle(vector, poison(vector.type), [*range(half, 2 * half), *[-1] * (c.width - half)])
            vector = c.build.select(c.build.compare(f"fcmp {float_comparison}", vector, other), vector, other)
            half //= 2
        return c.build.extract(vector, integer("i64", 0))

    return emit


def _compress(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    return compress(c, *arguments)


def _expand(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    return expand(c, *arguments)


# --- memory


def _load_active(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    address, on = arguments
    return load_active(c, address, on, c.register(node.type))


def _store_active(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    store_active(c, *arguments)
    return NOTHING


def _store_streaming(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    """Non-temporal where the address is aligned as the instructions want it, which is found out when it is there."""
    address, value = arguments
    hint = f", !nontemporal {c.module.text.metadata_node('!{i32 1}')}"
    lane = value.type if value.type[0] != "<" else element_type(value.type)
    size = element_bits(f"<1 x {lane}>") // 8
    if value.type[0] != "<":
        c.build.emit(f"store {value}, ptr {address.name}, align {size}{hint}")
        return NOTHING
    alignment = min(size * lanes_of(value.type), c.target.vector_bits // 8)
    if alignment < 16:
        c.build.store(value, address, size)
        return NOTHING
    number = c.build.convert("ptrtoint", address, "i64")
    below = c.build.binary("and", number, integer("i64", alignment - 1))
    aligned, unaligned, done = (c.build.block(f"streaming.{name}") for name in ("aligned", "unaligned", "done"))
    c.build.branch(c.build.compare("icmp eq", below, integer("i64", 0)), aligned, unaligned)
    c.build.start(aligned)
    c.build.emit(f"store {value}, ptr {address.name}, align {alignment}{hint}")
    c.build.jump(done)
    c.build.start(unaligned)
    c.build.store(value, address, size)
    c.build.start(done)
    return NOTHING


def _block_operation(intrinsic: str) -> Emitter:
    """``llvm.memcpy`` and the like; the last argument says that the access is not volatile."""

    def emit(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
        pointers = ".".join(overload(argument.type) for argument in arguments if argument.type != "i8")
        return call(c, f"llvm.{intrinsic}.{pointers}", "void", *arguments, "i1 false")

    return emit


def _prefetch(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    write, nearness = (argument.value for argument in node.arguments[1:] if isinstance(argument, tree.Constant))
    return call(c, "llvm.prefetch.p0", "void", arguments[0], f"i32 {write}", f"i32 {nearness}", "i32 1")


def _tile_operation(intrinsic: str) -> Emitter:
    def emit(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
        # Tiles, which are the numbers of 8 bits, are part of the instruction.
        given = [str(argument) if argument.type == "i8" else argument for argument in arguments]
        return call(c, f"llvm.x86.{intrinsic}", "void", *given)

    return emit


def _atomic(signed: str, unsigned: str, real: str) -> Emitter:
    def emit(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
        pointer, value = arguments
        assert isinstance(node.type.type, Scalar)
        operation = {"int": signed, "uint": unsigned, "float": real}[node.type.type.kind]
        return c.build.value(value.type, f"atomicrmw {operation} {pointer}, {value} seq_cst")

    return emit


def _compare_exchange(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    pointer, compare, value = arguments
    both = c.build.value(f"{{ {value.type}, i1 }}", f"cmpxchg {pointer}, {compare}, {value} seq_cst seq_cst")
    return c.build.value(value.type, f"extractvalue {both}, 0")


def _fence(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    c.build.emit("fence seq_cst")
    return NOTHING


def _clock(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    if c.target.architecture == "aarch64":
        # The counter of cycles is for the system only; this one counts at a fixed rate.
        callee = c.module.intrinsic("llvm.read_volatile_register.i64", "i64", "metadata")
        return c.build.value("i64", f'call i64 {callee}(metadata !{{!"cntvct_el0"}})')
    # On RISC-V the counter of cycles is for the system only, too.
    return call(c, "llvm.readsteadycounter" if c.target.architecture == "riscv64" else "llvm.readcyclecounter", "i64")


_PROCESSORS_ONLINE = {"linux": 84, "android": 97, "freebsd": 58, "macos": 58}
"""System -> its ``_SC_NPROCESSORS_ONLN``."""
_ALL_GROUPS = 0xFFFF
"""``ALL_PROCESSOR_GROUPS`` of Windows."""


def _processors(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    if c.target.system == "windows":
        return c.build.value(
            "i32", f"call i32 {c.module.intrinsic('GetActiveProcessorCount', 'i32', 'i16')}(i16 {_ALL_GROUPS})"
        )
    long = f"i{c.target.pointer_bits}"
    c.module.text.declarations.setdefault("sysconf", f"declare {long} @sysconf(i32) nounwind")
    number = _PROCESSORS_ONLINE[c.target.system or "linux"]
    found = c.build.value(long, f"call {long} @sysconf(i32 {number})")
    return found if long == "i32" else c.build.convert("trunc", found, "i32")


def _random_bits(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    if not c.target.has_rand:
        c.build.store(integer("i64", 0), arguments[0], 8)
        return boolean(False)
    both = call(c, "llvm.x86.rdrand.64", "{ i64, i32 }")
    c.build.store(c.build.value("i64", f"extractvalue {both}, 0"), arguments[0], 8)
    found = c.build.value("i32", f"extractvalue {both}, 1")
    return c.build.compare("icmp ne", found, zero("i32"))


BUILTINS: dict[str, Emitter] = {
    "__sqrt": _plain("sqrt"),
    "__abs": _absolute,
    "__floor": rounding("floor"),
    "__ceil": rounding("ceil"),
    "__trunc": rounding("trunc"),
    "__round": rounding("roundeven"),
    "__min": _extremum("olt", "smin", "umin"),
    "__max": _extremum("ogt", "smax", "umax"),
    "__copysign": _plain("copysign"),
    "__bits": _bitcast,
    "__float_of_bits": _bitcast,
    "__population_count": _plain("ctpop"),
    "__leading_zeros": _with_flag("ctlz"),
    "__trailing_zeros": _with_flag("cttz"),
    "__rcp_fast": estimate("rcp"),
    "__rsqrt_fast": estimate("rsqrt"),
    "__saturating_add": _by_sign("sadd.sat", "uadd.sat"),
    "__saturating_sub": _by_sign("ssub.sat", "usub.sat"),
    "__active": _active,
    "__pack_bits": _pack_bits,
    "__shuffle": _shuffle,
    "__shuffle_two": _shuffle,
    "__extract": _extract,
    "__insert": _insert,
    "__reduce_add": _reduce_add,
    "__reduce_min": _reduce_extremum("olt", "smin", "umin"),
    "__reduce_max": _reduce_extremum("ogt", "smax", "umax"),
    "__dot_signed_halves": dot_product(16, True, True),
    "__dot_signed_bytes": dot_product(8, True, True),
    "__dot_unsigned_bytes": dot_product(8, False, False),
    "__dot_unsigned_signed_bytes": dot_product(8, False, True),
    "__compress": _compress,
    "__expand": _expand,
    "__load_active": _load_active,
    "__store_active": _store_active,
    "__store_streaming": _store_streaming,
    "__memory_copy": _block_operation("memcpy"),
    "__memory_move": _block_operation("memmove"),
    "__memory_set": _block_operation("memset"),
    "__prefetch": _prefetch,
    "__atomic_add": _atomic("add", "add", "fadd"),
    "__atomic_subtract": _atomic("sub", "sub", "fsub"),
    "__atomic_min": _atomic("min", "umin", "fmin"),
    "__atomic_max": _atomic("max", "umax", "fmax"),
    "__atomic_and": _atomic("and", "and", ""),
    "__atomic_or": _atomic("or", "or", ""),
    "__atomic_xor": _atomic("xor", "xor", ""),
    "__atomic_swap": _atomic("xchg", "xchg", "xchg"),
    "__atomic_compare_exchange": _compare_exchange,
    "__fence": _fence,
    "__clock": _clock,
    "__processors": _processors,
    "__amx_tile_loadconfig": _tile_operation("ldtilecfg"),
    "__amx_tile_storeconfig": _tile_operation("sttilecfg"),
    "__amx_tile_release": _tile_operation("tilerelease"),
    "__amx_tile_zero": _tile_operation("tilezero"),
    "__amx_tile_load": _tile_operation("tileloadd64"),
    "__amx_tile_load_t1": _tile_operation("tileloaddt164"),
    "__amx_tile_store": _tile_operation("tilestored64"),
    **{f"__amx_{name}": _tile_operation(f"t{name}") for name in TILE_PRODUCTS},
    **DEVICE_BUILTINS,
    **FLOAT_PARTS,
    "__random_bits": _random_bits,
}
check_rows("code", BUILTINS)
