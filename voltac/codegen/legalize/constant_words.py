"""Constants → the words of a machine, as text."""

from __future__ import annotations

from voltac.codegen.legalize.writer import signed
from voltac.ir.interp_values import Value, float_bits


def zero_word(type: str) -> str:
    """All lanes of a legal type are 0."""
    if type[0] == "<":
        return "zeroinitializer"
    return "null" if type.startswith("ptr") else {"float": "0.0", "double": "0.0", "i1": "false"}.get(type, "0")


def constant_word(element: str, word_bits: int, value: Value, word: int) -> str:
    """One part of a constant's element."""
    if value is None:
        # Lanes of masks move as bits of one number, which all would be poison.
        return "false" if element == "i1" else "poison"
    if element == "i1":
        return "true" if value else "false"
    if element in ("float", "double"):
        # The bits of the equal double, as LLVM writes what is no short decimal; a NaN's own bits survive.
        return f"0x{float_bits(value, 64):016X}"
    if element in ("half", "bfloat"):
        return str(float_bits(value, 16))
    if element.startswith("ptr"):
        return "0" if not value else str(signed(value, word_bits))
    return str(signed(value >> word_bits * word, word_bits))
