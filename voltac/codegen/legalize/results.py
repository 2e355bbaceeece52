"""Calls of functions with legal results: in registers as far as the machine has them, else in memory of the caller's.

call { i32, i32 } @f(...), extractvalue            call void @f(ptr %place, ...), load, load
"""

from __future__ import annotations

from voltac.codegen.legalize.function import Legalizer, Words, result_type


def result_bytes(f: Legalizer, type: str) -> int:
    """Of a result in memory; a mask is a number there."""
    return f.machine.facts.vector_bytes if type[0] == "<" and type != f.write.type("i1", True) else f.machine.facts.word_bytes


def result_slots(f: Legalizer, types: list[str]) -> list[int]:
    """Where each of many results lies in memory."""
    found, at = [], 0
    for type in types:
        size = result_bytes(f, type)
        at = -(-at // size) * size
        found.append(at)
        at += size
    return [*found, at]


def call_function(f: Legalizer, callee: str, arguments: list[str], types: list[str]) -> Words:
    """A call with arguments (each with its type) and results that are legal; the results."""
    w = f.write
    if f.too_many_results(types):
        slots = result_slots(f, types)
        place = w.allocate(slots[-1], f.machine.facts.vector_bytes)
        w.emit(f"call void {callee}({', '.join([f'ptr {place}', *arguments])})")
        loaded = []
        for type, slot in zip(types, slots):
            address = w.near(place, slot)
            if type == w.type("i1", True):
                loaded.append(w.mask(w.value(f"load {w.word}, ptr {address}, align {f.machine.facts.word_bytes}")))
            elif type == "i1":
                loaded.append(w.compare("ne", w.value(f"load {w.word}, ptr {address}, align {f.machine.facts.word_bytes}"), 0))
            else:
                loaded.append(w.value(f"load {type}, ptr {address}, align {result_bytes(f, type)}"))
        return loaded
    text = f"call {result_type(types)} {callee}({', '.join(arguments)})"
    if not types:
        w.emit(text)
        return []
    result = w.value(text)
    if len(types) == 1:
        return [result]
    return [w.value(f"extractvalue {result_type(types)} {result}, {number}") for number in range(len(types))]
