"""Quotients of integers that are computed in floating point, as ``lower/values/division.py`` does, recognised.

    %inverse = fdiv double 1 + 2^-48, (sitofp i32 %b)
    %x = fptosi (fmul (sitofp <8 x i32> %a), splat %inverse) to <8 x i32>            %a / %b, rounded to zero

The inverse is too large by more than the rounding of both operations, and by so little that no product of 32 bits reaches
the next integer.
"""

from __future__ import annotations

from voltac.ir import match as m
from voltac.ir.match import Definitions
from voltac.ir.parts import Operand

_EXCESS = "0x3FF0000000000010"
_INVERSE = m.op("fdiv", m.value("excess"), m.op("sitofp", m.value("divisor")))
_QUOTIENT = m.op("fptosi", m.op("fmul", m.op("sitofp", m.value("dividend")), m.splat(_INVERSE)))


def quotient(name: str, definitions: Definitions) -> tuple[Operand, Operand] | None:
    """Dividend and divisor, a scalar, of a signed quotient of 32 bits; None for any other value."""
    found = _QUOTIENT.find(name, definitions)
    if found is None or found["excess"].value != _EXCESS or found["divisor"].type != "i32":
        return None
    return found["dividend"], found["divisor"]
