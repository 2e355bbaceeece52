"""Lanes of constants that nobody takes -> the same as a lane that somebody does.

When LLVM has finished simplifying::

    %s = shufflevector <4 x i32> <i32 9, i32 9, i32 9, i32 poison>, <4 x i32> %v, <4 x i32> <i32 0, i32 1, i32 2, i32 7>

becomes

    %s = shufflevector <4 x i32> splat (i32 9), <4 x i32> %v, <4 x i32> <i32 0, i32 1, i32 2, i32 7>

and so do constants of ``and``, ``or``, ``xor`` and ``select``. Poison may be any value. A lane that ``or`` with a constant
makes all ones, whatever it was before, LLVM 22 takes for one of the constant that is poison, where it is, and computes with 0.
tests/passes/test_filled_constants.py holds that it still does.
"""

from __future__ import annotations

import re

from voltac.system.lazy_patterns import lazy_pattern

_LINE = lazy_pattern(r"^  %\S+ = (?:shufflevector|and|or|xor|select) .*\bpoison\b.*$", re.MULTILINE)
_CONSTANT = lazy_pattern(r"<(?:(?:\d+ x )?\w+ [^<>,\s]+, )+\w+ [^<>,\s]+>")


def fill_constants(text: str) -> str:
    """The module's text, unchanged where no constant of these instructions has a lane of poison beside others."""
    return _LINE.sub(_filled, text) if "poison" in text else text


def _filled(line: re.Match[str]) -> str:
    # The last constant of a shuffle says which lanes it takes.
    values, comma, lanes = line[0].rpartition(", <") if " = shufflevector " in line[0] else (line[0], "", "")
    return _CONSTANT.sub(_with_values, values) + comma + lanes


def _with_values(constant: re.Match[str]) -> str:
    entries = constant[0][1:-1].split(", ")
    known = [each for each in entries if not each.endswith(" poison")]
    if not known or len(known) == len(entries):
        return constant[0]
    if len(set(known)) == 1:
        return f"splat ({known[0]})"
    return f"<{', '.join(known[0] if each.endswith(' poison') else each for each in entries)}>"
