"""Unsigned compares of lanes whose signs are known to be the same -> signed ones.

When LLVM has finished simplifying::

    %m = icmp samesign ult <8 x i32> %x, %y       ->       %m = icmp slt <8 x i32> %x, %y

LLVM writes the unsigned compare wherever either would do, and its code generator does not look at the flag. SSE and AVX2
compare signed numbers only: an unsigned compare is a maximum, a compare with that, and often the inversion of the result.
Numbers of one sign stand in the same order either way; where signs differ the compare was poison and may be anything.
"""

from __future__ import annotations

from voltac.system.lazy_patterns import lazy_pattern

_MARK = " = icmp samesign u"
_COMPARE = lazy_pattern(r" = icmp samesign u(?P<order>[gl][te]) (?=<\d+ x i\d+> )")


def compare_signed(text: str) -> str:
    """The module's text, unchanged if there is no such compare."""
    return _COMPARE.sub(r" = icmp s\g<order> ", text) if _MARK in text else text
