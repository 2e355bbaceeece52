"""Masked stores of one lane, known by number -> scalar stores.

When LLVM has finished simplifying::

    call void @llvm.masked.store.v8i8.p0(<8 x i8> %v, ptr align 1 %p, <8 x i1> <i1 true, i1 false, ...>)

becomes

    %lane = extractelement <8 x i8> %v, i64 0
    store i8 %lane, ptr %p, align 1

LLVM 22's code generator for AVX-512 does the same itself, but where ``%v`` is cut off from wider lanes
it stores the wide lane, and with it bytes of other lanes (``reduceMaskedStoreToScalarStore`` takes a
truncating store for a plain one).
"""

from __future__ import annotations

from voltac.ir.types import DataLayout, element_of
from voltac.system.lazy_patterns import lazy_pattern

_STORE = lazy_pattern(
    r"  (?:tail )?call void @llvm\.masked\.store\.\w+\.p0\((?P<vector><\d+ x \w+>) (?P<value>.+), ptr align (?P<align>\d+) "
    r"(?P<pointer>.+), <\d+ x i1> <(?P<mask>i1 (?:true|false)(?:, i1 (?:true|false))*)>\)(?:, (?P<debug>!dbg !\d+))?"
)
_TAKEN = lazy_pattern(r"%only_lane\.(\d+) =")
_MARK = "@llvm.masked.store."
_LAYOUT = DataLayout({})


def store_one_lane(text: str) -> str:
    """The module's text, unchanged if there is no such store."""
    if _MARK not in text or "x i1> <i1 " not in text:
        return text
    result: list[str] = []
    number = max(map(int, _TAKEN.findall(text)), default=0)
    for line in text.split("\n"):
        found = _STORE.match(line) if _MARK in line else None
        lanes = found["mask"].split(", ") if found is not None else []
        if found is None or lanes.count("i1 true") != 1:
            result.append(line)
            continue
        number += 1
        lane, element = lanes.index("i1 true"), element_of(found["vector"])
        debug = f", {found['debug']}" if found["debug"] else ""
        value, pointer, align = f"%only_lane.{number}", found["pointer"], int(found["align"])
        result.append(f"  {value} = extractelement {found['vector']} {found['value']}, i64 {lane}{debug}")
        if lane:
            pointer = f"%only_place.{number}"
            result.append(f"  {pointer} = getelementptr {element}, ptr {found['pointer']}, i64 {lane}{debug}")
            distance = lane * _LAYOUT.size(element)
            align = min(align, distance & -distance)
        result.append(f"  store {element} {value}, ptr {pointer}, align {align}{debug}")
    return "\n".join(result)
