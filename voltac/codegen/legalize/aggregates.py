"""Structs and arrays as values, calls, returns and branches -> the same on parts.

    %r = call { i64, <16 x float> } @f(i64 %a)    ->    call { i32, i32, <16 x float> } @f(i32 %a.0, i32 %a.1), extractvalue
    ret i64 %x                                    ->    insertvalue, insertvalue, ret { i32, i32 }

Results that do not fit into registers come back in memory of the caller's.
"""

from __future__ import annotations

from voltac.codegen.legalize.function import Legalizer, Rule, result_type
from voltac.codegen.legalize.integers import compare, zero_extended
from voltac.codegen.legalize.intrinsics import legalize_intrinsic
from voltac.codegen.legalize.results import call_function, result_bytes, result_slots
from voltac.codegen.legalize.shapes import NotLegal
from voltac.ir.model import Instruction


def _legalize_extractvalue(f: Legalizer, instruction: Instruction) -> None:
    operand = instruction.operands[0]
    _, start, end = f.shapes.part_range(operand.type, instruction.parts.indices)
    f.define(instruction, f.words(operand)[start:end])


def _legalize_insertvalue(f: Legalizer, instruction: Instruction) -> None:
    whole, part = instruction.operands
    _, start, end = f.shapes.part_range(whole.type, instruction.parts.indices)
    words = f.words(whole)
    f.define(instruction, [*words[:start], *f.words(part), *words[end:]])


def _legalize_call(f: Legalizer, instruction: Instruction) -> None:
    parts = instruction.parts
    callee = parts.callee
    if callee.startswith("@llvm."):
        legalize_intrinsic(f, instruction)
        return
    if callee.startswith("asm"):
        raise NotLegal("inline assembly")
    if callee[0] != "@":
        callee = f.values[callee][0]
    if "..." in instruction.text[: instruction.text.index(parts.callee)]:
        raise NotLegal(f"a call of {callee} with a variable number of arguments")
    arguments = []
    for operand in parts.operands:
        words = f.words(operand)
        if f.shapes.parts(operand.type) == [f.write.word] and not f.shapes.of(operand.type).part:
            words = zero_extended(f, f.shapes.of(operand.type).bits or f.word_bits, words, False)
        arguments += [f"{type} {word}" for type, word in zip(f.shapes.parts(operand.type), words)]
    words = call_function(f, callee, arguments, f.shapes.parts(parts.type))
    if instruction.name:
        f.define(instruction, words)


def _legalize_ret(f: Legalizer, instruction: Instruction) -> None:
    w = f.write
    if not instruction.operands:
        w.emit("ret void")
        return
    operand = instruction.operands[0]
    types, words = f.shapes.parts(operand.type), f.words(operand)
    if f.result_address:
        for type, word, slot in zip(types, words, result_slots(f, types)):
            address = w.near(f.result_address, slot)
            if type == w.type("i1", True):
                type, word = w.word, w.bitmap(word)
            elif type == "i1":
                type, word = w.word, w.to_int(word, False)
            w.emit(f"store {type} {word}, ptr {address}, align {result_bytes(f, type)}")
        w.emit("ret void")
        return
    if len(types) == 1:
        w.emit(f"ret {types[0]} {words[0]}")
        return
    whole = result_type(types)
    made = "poison"
    for number, (type, word) in enumerate(zip(types, words)):
        made = w.value(f"insertvalue {whole} {made}, {type} {word}, {number}")
    w.emit(f"ret {whole} {made}" if types else "ret void")


def _legalize_br(f: Legalizer, instruction: Instruction) -> None:
    labels = instruction.parts.labels
    if not instruction.operands:
        f.write.jump(labels[0])
    else:
        f.write.branch(f.words(instruction.operands[0])[0], labels[0], labels[1])


def _legalize_unreachable(f: Legalizer, instruction: Instruction) -> None:
    f.write.emit("unreachable")


def _legalize_switch(f: Legalizer, instruction: Instruction) -> None:
    """Numbers of more than one word are compared one after the other."""
    value, *cases = instruction.operands
    default, *labels = instruction.parts.labels
    w = f.write
    bits = f.shapes.of(value.type).bits
    words = f.words(value)
    if bits == 1:
        words, bits = [w.to_int(words[0], False)], 1
    else:
        words = zero_extended(f, bits, words, False)
    if len(words) == 1:
        rows = []
        for case, label in zip(cases, labels):
            number = {"true": 1, "false": 0}.get(case.value)
            number = int(case.value) if number is None else number
            rows.append(f"{w.word} {f.constant(number & ((1 << bits) - 1), False)}, label %{label}")
        w.emit(f"switch {w.word} {words[0]}, label %{default} [ {' '.join(rows)} ]")
        return
    tests = [compare(f, "eq", False, bits, words, f.words(case)) for case in cases]
    found = "0"
    for position, test in enumerate(tests, 1):
        found = w.choose(test, str(position), found, w.word)
    rows = [f"{w.word} {position}, label %{label}" for position, label in enumerate(labels, 1)]
    w.emit(f"switch {w.word} {found}, label %{default} [ {' '.join(rows)} ]")


def _legalize_fence(f: Legalizer, instruction: Instruction) -> None:
    """Loads and stores of a thread stay in order; between threads there is only the barrier."""


RULES: dict[str, Rule] = {
    "extractvalue": _legalize_extractvalue,
    "insertvalue": _legalize_insertvalue,
    "call": _legalize_call,
    "ret": _legalize_ret,
    "br": _legalize_br,
    "unreachable": _legalize_unreachable,
    "switch": _legalize_switch,
    "fence": _legalize_fence,
}
