"""The first lane of each value that lanes have -> a mask, by comparing all lanes with all others at once.

Of each lane it is computed which lanes before it have its value, as bits: AVX-512 has an instruction for that, elsewhere each
lane is put into all lanes and compared. First is where none of those bits is of a lane that is on. A loop over the values
then knows all its turns when it begins, and none waits for what the one before compared.
"""

from __future__ import annotations

from voltac.lower.builtins.intrinsic_calls import call
from voltac.lower.control_flow import masks
from voltac.lower.function_context import FunctionContext
from voltac.lower.text.ir_values import IR, integer, vector_constant, vector_type, zero
from voltac.sema.types import Scalar, Type

_MOST_LANES = 16
"""Of a gang: more are compared one after the other."""
_MOST_REGISTERS = 1
"""That the values fill: to compare them then takes less time than one turn of a loop that waits for each compare; in two it
gains nothing where four values are met (Zen 4)."""
_LEAST_BITS = 16
"""Of a number that has a bit for each lane before the last."""


def first_lanes(c: FunctionContext, values: IR, type: Type) -> IR | None:
    """The mask of the lanes that are on and have a value that no lane before them has, of which a NaN is none; None where
    that would take longer than to find them one after the other.
    """
    if c.target.is_device or not isinstance(type, Scalar) or type.kind == "bool" or c.width > _MOST_LANES:
        return None
    bits = max(type.bits, _LEAST_BITS)
    if c.width * bits > _MOST_REGISTERS * c.target.vector_bits:
        return None
    fixed = values if c.mask is None else c.build.value(values.type, f"freeze {values}")
    if not c.target.has_mask_registers:
        before = _compared(c, fixed, type, f"i{bits}")
    elif c.target.has_avx512 and type.is_integer:
        before = _by_instruction(c, fixed, max(bits, 32))
    else:
        return None
    if c.mask is not None:
        element = before.type[before.type.index("i") : -1]
        on = c.build.convert("zext", masks.bits(c, c.mask), element) if element != f"i{c.width}" else masks.bits(c, c.mask)
        before = c.build.binary("and", before, c.build.splat(c.width, on))
    return masks.conjunction(c, c.mask, c.build.compare("icmp eq", before, zero(before.type)))


def equal(c: FunctionContext, values: IR, everywhere: IR, type: Type) -> IR:
    """The lanes whose values are equal: of floats a NaN to none, and 0 to -0."""
    floats = isinstance(type, Scalar) and type.kind == "float"
    return c.build.compare("fcmp oeq" if floats else "icmp eq", values, everywhere)


def _compared(c: FunctionContext, values: IR, type: Type, element: str) -> IR:
    """Of each lane those before it with its value, as bits."""
    before = zero(vector_type(c.width, element))
    for lane in range(c.width - 1):
        same = equal(c, values, c.build.splat(c.width, c.build.extract(values, integer("i64", lane))), type)
        behind = vector_constant([integer(element, (each > lane) << lane) for each in range(c.width)])
        before = c.build.binary("or", before, c.build.select(same, behind, zero(behind.type)))
    return before


def _by_instruction(c: FunctionContext, values: IR, bits: int) -> IR:
    """The same by ``vpconflictd`` and ``vpconflictq``."""
    wide = vector_type(c.width, f"i{bits}")
    if values.type != wide:
        values = c.build.convert("zext", values, wide)
    return call(c, f"llvm.x86.avx512.conflict.{'d' if bits == 32 else 'q'}.{c.width * bits}", wide, values)
