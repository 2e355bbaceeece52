"""Gathers from arrays that each lane has of its own -> 32-bit indices into the array of all lanes.

When LLVM has finished simplifying::

    %stack = alloca [16 x <8 x i32>]
    %own = getelementptr i32, ptr %stack, <8 x i64> <i64 0, i64 1, ..., i64 7>
    %far = sext <8 x i32> %top to <8 x i64>
    %places = getelementptr <8 x i32>, <8 x ptr> %own, <8 x i64> %far
    %x = call <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr> align 4 %places, ...)

becomes

    %of.lanes.1 = shl <8 x i32> %top, splat (i32 3)
    %of.lanes.2 = add <8 x i32> %of.lanes.1, <i32 0, i32 1, ..., i32 7>
    %of.lanes.3 = sext <8 x i32> %of.lanes.2 to <8 x i64>
    %of.lanes.4 = getelementptr i32, ptr %stack, <8 x i64> %of.lanes.3
    and %of.lanes.4 for %places in the gather

Each lane's pointer is a sum of two otherwise, which takes vectors of 64 bits and two gathers with half of the lanes each. A
lane that is on is inside the variable, whose elements have numbers of fewer than 31 bits: nothing that counts wraps around.
A table of dynamic programming in each lane takes 0.84 of the time.
"""

from __future__ import annotations

import re

from voltac.ir.constants import integers, written
from voltac.ir.scan import VALUE
from voltac.passes.lanes.signed_indices import ACCESSES
from voltac.system.lazy_patterns import lazy_pattern

_GATHER = ACCESSES[0]
_VARIABLE = lazy_pattern(rf"  (?P<name>{VALUE}) = alloca (?P<type>(?:\[\d+ x )+<\d+ x (?:i32|float|i64|double)>\]+), align ")
_OWN = lazy_pattern(
    rf"  (?P<name>{VALUE}) = getelementptr (?P<element>i32|float|i64|double), ptr (?P<variable>{VALUE}), "
    r"(?P<type><\d+ x i64>) (?P<lanes><i64 [^>]*>)"
)
_FAR = lazy_pattern(rf"  (?P<name>{VALUE}) = (?:sext|zext nneg) <(?P<lanes>\d+) x i32> (?P<index>{VALUE}) to <\d+ x i64>")
_PLACES = lazy_pattern(
    rf"  (?P<name>{VALUE}) = getelementptr <(?P<lanes>\d+) x (?P<element>\w+)>, <\d+ x ptr> (?P<own>{VALUE}), <\d+ x i64> "
    rf"(?P<far>{VALUE})(?P<rest>, !dbg !\d+)?$"
)
_TAKEN = lazy_pattern(r"%of\.lanes\.(\d+)")
_POINTERS = lazy_pattern(rf"(?P<before>@llvm\.masked\.gather\.\S+\(<\d+ x ptr> align \d+ )(?P<places>{VALUE})(?=,)")
_BITS = {"i32": 32, "float": 32, "i64": 64, "double": 64}
_MOST_BITS = 1 << 31
"""Of a variable: elements inside it then have numbers of far fewer than 31 bits."""


def index_lane_arrays(text: str) -> str:
    """The module's text, unchanged if there is no such gather."""
    if _GATHER not in text or "= alloca [" not in text:
        return text
    taken = max(map(int, _TAKEN.findall(text)), default=0) if "%of.lanes." in text else 0
    functions = text.split("\ndefine ")
    for number, function in enumerate(functions):
        if _GATHER in function and "= alloca [" in function:
            functions[number], taken = _indexed(function.split("\n"), taken)
    return "\ndefine ".join(functions)


def _indexed(lines: list[str], taken: int) -> tuple[str, int]:
    """The lines of a function, and the last number in use in names."""
    variables = {
        found["name"] for line in lines if "= alloca [" in line and (found := _VARIABLE.match(line)) and _is_small(found)
    }
    if not variables:
        return "\n".join(lines), taken
    own: dict[str, re.Match[str]] = {}
    far: dict[str, re.Match[str]] = {}
    new: dict[str, str] = {}
    for at, line in enumerate(lines):
        if "= getelementptr " in line:
            if (found := _OWN.match(line)) is not None and found["variable"] in variables:
                own[found["name"]] = found
            elif (found := _PLACES.match(line)) is not None and found["own"] in own:
                made = _places(found, own[found["own"]], far.get(found["far"]), taken)
                if made:
                    taken += 4
                    lines[at] = f"{line}\n{made}"
                    new[found["name"]] = f"%of.lanes.{taken}"
        elif "ext " in line and (found := _FAR.match(line)) is not None:
            far[found["name"]] = found
        elif new and _GATHER in line:
            lines[at] = _POINTERS.sub(lambda each: each["before"] + new.get(each["places"], each["places"]), line)
    return "\n".join(lines), taken


def _is_small(variable: re.Match[str]) -> bool:
    bits = next(size for name, size in _BITS.items() if f" x {name}>" in variable["type"])
    for count in re.findall(r"\d+(?= x )", variable["type"]):
        bits *= int(count)
    return bits < _MOST_BITS


def _places(places: re.Match[str], own: re.Match[str], far: re.Match[str] | None, taken: int) -> str:
    """The lines that compute them by numbers of elements; empty where they are something else."""
    lanes = int(places["lanes"])
    numbers = integers(own["type"], own["lanes"])
    if far is None or numbers is None or far["lanes"] != places["lanes"] or own["element"] != places["element"]:
        return ""
    if lanes & (lanes - 1) or not all(0 <= each < lanes for each in numbers):
        return ""
    rows, sums, wide, names = (f"%of.lanes.{taken + each}" for each in (1, 2, 3, 4))
    kind, rest = f"<{lanes} x i32>", places["rest"] or ""
    return (
        f"  {rows} = shl {kind} {far['index']}, splat (i32 {lanes.bit_length() - 1}){rest}\n"
        f"  {sums} = add {kind} {rows}, {written(kind, list(numbers))}{rest}\n"
        f"  {wide} = sext {kind} {sums} to <{lanes} x i64>{rest}\n"
        f"  {names} = getelementptr {own['element']}, ptr {own['variable']}, <{lanes} x i64> {wide}{rest}"
    )
