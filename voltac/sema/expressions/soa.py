"""The rules of ``soa<N>`` (language 5.11)."""

from __future__ import annotations

from voltac.messages.message import Span
from voltac.sema.checker import Checker
from voltac.sema.types import UNBOUND, Array, Rate, Reference, Struct, Type, soa


def soa_rate(checker: Checker, width: int, span: Span) -> Rate:
    """``soa<width>``: the width is a power of two, and below the gang's it is slow (5.11)."""
    if width <= 0 or width & (width - 1):
        checker.reject("impossible-type", span, f"the width of soa must be a positive power of two, {width} is not")
    if width < checker.target.width:
        checker.performance_warning(
            span, f"soa<{width}> is narrower than the gang of {checker.target.width}, so access is slow"
        )
    return soa(width)


def check_soa(checker: Checker, kind: Type, rate: Rate, span: Span) -> None:
    """soa is for structs whose members leave their rate open."""
    if not isinstance(kind, Struct):
        checker.reject("impossible-type", span, f"'{rate}' applies only to structs, not to '{kind}'")
    for member in kind.members or ():
        if isinstance(member.qual.type, Reference):
            checker.reject("impossible-type", span, f"{kind} cannot be soa: its member '{member.name}' is a reference")
        if member.qual.rate is not UNBOUND:
            checker.reject(
                "impossible-type", span, f"{kind} cannot be soa: its member '{member.name}' is bound to {member.qual.rate}"
            )
        inner: Type = member.qual.type
        while isinstance(inner, Array):
            inner = inner.element.type
        if isinstance(inner, Struct):
            check_soa(checker, inner, rate, span)
