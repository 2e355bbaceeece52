"""Masked loads and stores of bytes and 16-bit numbers -> a few scalar ones, where the target has no masked ones of that size.

    %v = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr %p, <8 x i1> %mask, zeroinitializer)
    ->
    %v = call <8 x i8> @some_lanes.load.v8i8(ptr %p, <8 x i1> %mask)       a function of a dozen instructions, inlined

LLVM's code generator asks for each lane and branches over it. Here the bytes from the first lane
that is on to the last one are read by two loads that overlap, or three of single bytes; what lies
between them is in the same object, and no page is touched that the program does not touch. Lanes
that are off are never written: a store by a mask of the program's goes by a table
(:mod:`voltac.passes.lanes.table_stores`). Where a foreach ends it does as a load does if no lane between
is off, else it goes from lane to lane that is on, or stores the first of these again for each that is off.
"""

from __future__ import annotations

import re
from collections import Counter

from voltac.ir import match as m
from voltac.ir.model import Instruction, Module
from voltac.options import Options
from voltac.passes.lanes.table_stores import SHUFFLE, begin_piece, table, table_store
from voltac.system.lazy_patterns import lazy_pattern

_MASKED = lazy_pattern(r"@llvm\.masked\.(load|store)\.v(\d+)i(8|16)\.p0\(")
_PROCESSOR = lazy_pattern(r'"target-cpu"=.*(?= })')
_END_OF_RANGE = m.op("icmp", predicate="ult")
_PIECE = 8
"""Bytes that are moved at once, in a register of 64 bits."""
_MOST_INLINED = 40
"""With more uses in a program a helper is called: LLVM's time grows with the square of the branches."""


def move_some_lanes(module: Module, options: Options) -> None:
    """Rewrite the module."""
    helpers: dict[str, list[str]] = {}
    uses: Counter[str] = Counter()
    processor = processor_attributes(module)
    shuffles = options.target.is_x86 and options.target.isa != "sse2"
    for function in module.functions:
        definitions: dict[str, Instruction] = {}
        for instruction in function.instructions():
            found = _MASKED.search(instruction.text) if "@llvm.masked." in instruction.text else None
            if found is not None:
                definitions = definitions or function.definitions()
                if _is_worth_it(instruction, int(found[2]), int(found[3]) // 8, definitions):
                    at_end = found[1] == "store" and _END_OF_RANGE.matches(instruction.operands[2].value, definitions)
                    uses[_replace(instruction, found, helpers, processor, at_end, shuffles)] += 1
    for name, lines in helpers.items():
        if uses[name] > _MOST_INLINED:
            lines[0] = lines[0].replace(" alwaysinline ", " noinline ")
    if any(".store.v" in name for name in helpers):
        module.items.append(table())
        if shuffles:
            module.declare([f"declare <16 x i8> {SHUFFLE}(<16 x i8>, <16 x i8>)"])
    module.items += helpers.values()


def processor_attributes(module: Module) -> str:
    """The attributes that say which processor the functions of a module are for; one that is inlined has the same."""
    return next((found[0] for line in module.lines() if (found := _PROCESSOR.search(line))), "")


def _is_worth_it(instruction: Instruction, lanes: int, size: int, definitions: dict[str, Instruction]) -> bool:
    """Not for a constant mask, which takes no branches, nor for long vectors where a foreach ends: those are foreseen."""
    mask = instruction.operands[1 if instruction.name else 2].value
    if lanes * size <= _PIECE:
        return mask[0] == "%"
    return lanes * size % _PIECE == 0 and mask in definitions and not _END_OF_RANGE.matches(mask, definitions)


def _replace(
    instruction: Instruction, found: re.Match[str], helpers: dict[str, list[str]], processor: str, at_end: bool, shuffles: bool
) -> str:
    """Call a helper, which is made at its first use; its name."""
    operation, lanes, bits = found[1], int(found[2]), int(found[3])
    vector, size = f"<{lanes} x i{bits}>", bits // 8
    name = f"@some_lanes.{operation}.{'end.' if at_end else ''}v{lanes}i{bits}"
    tail = instruction.text[instruction.text.rindex(")") + 1 :] if "!dbg" in instruction.text else ""
    operands = instruction.operands
    if operation == "load":
        pointer, mask = operands[0].value, operands[1]
        text = f"{instruction.name} = call {vector} {name}(ptr {pointer}, {mask.type} {mask.value})"
    else:
        value, pointer, mask = operands[0].value, operands[1].value, operands[2]
        text = f"call void {name}({vector} {value}, ptr {pointer}, {mask.type} {mask.value})"
    instruction.text = f"  {text}{tail}"
    if name not in helpers:
        if operation == "store" and not at_end:
            helpers[name] = table_store(name, lanes, size, processor, shuffles)
        else:
            write = _load if operation == "load" else _store
            helpers[name] = write(name, lanes, size, processor)
    return name


def _load(name: str, lanes: int, size: int, processor: str) -> list[str]:
    vector, pieces = f"<{lanes} x i{8 * size}>", _pieces(lanes, size)
    lines = [f"define internal {vector} {name}(ptr %p, <{lanes} x i1> %mask) alwaysinline nounwind {processor} {{", "entry:"]
    lines += ["  br label %piece.0"]
    for k in range(pieces):
        lines += [
            *begin_piece(k, lanes, min(lanes, _PIECE // size), f"some.{k}"),
            f"some.{k}:",
            *_span(k, lanes, size),
            f"four.{k}:",
            f"  %low.{k} = load i32, ptr %start.{k}, align 1",
            f"  %lower.{k} = zext i32 %low.{k} to i64",
            *_last_four(k),
            f"  %high.{k} = load i32, ptr %four_at.{k}, align 1",
            f"  %higher.{k} = zext i32 %high.{k} to i64",
            f"  %moved.{k} = shl i64 %higher.{k}, %four_shift.{k}",
            f"  %both.{k} = or i64 %lower.{k}, %moved.{k}",
            f"  br label %join.{k}",
            f"few.{k}:",
            *_few_loaded(k, size),
            f"  br label %join.{k}",
            f"join.{k}:",
            f"  %span.{k} = phi i64 [ %both.{k}, %four.{k} ], [ %few_value.{k}, %few.{k} ]",
            f"  %placed.{k} = shl i64 %span.{k}, %shift.{k}",
            f"  br label %done.{k}",
            f"done.{k}:",
            f"  %word.{k} = phi i64 [ 0, %piece.{k} ], [ %placed.{k}, %join.{k} ]",
            f"  br label %{f'piece.{k + 1}' if k + 1 < pieces else 'end'}",
        ]
    lines += [
        "end:",
        *_joined(lanes, size),
        f"  %result = select <{lanes} x i1> %mask, {vector} %whole, {vector} zeroinitializer",
    ]
    return [*lines, f"  ret {vector} %result", "}"]


def _store(name: str, lanes: int, size: int, processor: str) -> list[str]:
    vector, pieces = f"<{lanes} x i{8 * size}>", _pieces(lanes, size)
    lines = [
        f"define internal void {name}({vector} %value, ptr %p, <{lanes} x i1> %mask) alwaysinline nounwind {processor} {{",
        "entry:",
    ]
    lines += [*_taken_apart(lanes, size), "  br label %piece.0"]
    for k in range(pieces):
        after = f"piece.{k + 1}" if k + 1 < pieces else "end"
        lines += [
            *begin_piece(k, lanes, min(lanes, _PIECE // size), f"some.{k}"),
            f"some.{k}:",
            *_span(k, lanes, size, one_run=True),
            f"run.{k}:",
            f"  %span.{k} = lshr i64 %word.{k}, %shift.{k}",
            f"  br i1 %is_wide.{k}, label %four.{k}, label %few.{k}",
            f"four.{k}:",
            f"  %low.{k} = trunc i64 %span.{k} to i32",
            f"  store i32 %low.{k}, ptr %start.{k}, align 1",
            *_last_four(k),
            f"  %moved.{k} = lshr i64 %span.{k}, %four_shift.{k}",
            f"  %high.{k} = trunc i64 %moved.{k} to i32",
            f"  store i32 %high.{k}, ptr %four_at.{k}, align 1",
            f"  br label %done.{k}",
            f"few.{k}:",
            *_few_stored(k, size),
            f"  br label %done.{k}",
            f"each.{k}:",
            *(_each_byte(k, lanes) if size == 1 else _each_in_turn(k, size)),
            f"done.{k}:",
            f"  br label %{after}",
        ]
    return [*lines, "end:", "  ret void", "}"]


def _pieces(lanes: int, size: int) -> int:
    return max(1, lanes * size // _PIECE)


def _span(k: int, lanes: int, size: int, one_run: bool = False) -> list[str]:
    """Where the lanes that are on begin and how many bytes they and those between them take."""
    lines = [
        f"  %first.{k} = call i32 @llvm.cttz.i32(i32 %on.{k}, i1 true)",
        f"  %above.{k} = call i32 @llvm.ctlz.i32(i32 %on.{k}, i1 true)",
        f"  %last.{k} = sub i32 32, %above.{k}",
        f"  %count.{k} = sub i32 %last.{k}, %first.{k}",
        f"  %bytes.{k} = mul i32 %count.{k}, {size}",
        f"  %piece_at.{k} = getelementptr i8, ptr %p, i32 {k * _PIECE}",
        f"  %start.{k} = getelementptr i{8 * size}, ptr %piece_at.{k}, i32 %first.{k}",
        f"  %first_bits.{k} = mul i32 %first.{k}, {8 * size}",
        f"  %shift.{k} = zext i32 %first_bits.{k} to i64",
        f"  %is_wide.{k} = icmp uge i32 %bytes.{k}, 4",
    ]
    if not one_run:
        return [*lines, f"  br i1 %is_wide.{k}, label %four.{k}, label %few.{k}"]
    return [
        *lines,
        f"  %run_bits.{k} = lshr i32 %on.{k}, %first.{k}",
        f"  %next.{k} = add i32 %run_bits.{k}, 1",
        f"  %gaps.{k} = and i32 %run_bits.{k}, %next.{k}",
        f"  %is_run.{k} = icmp eq i32 %gaps.{k}, 0",
        f"  br i1 %is_run.{k}, label %run.{k}, label %each.{k}",
    ]


def _last_four(k: int) -> list[str]:
    """Place of the last four bytes, and how far they are shifted in the span."""
    return [
        f"  %four_after.{k} = sub i32 %bytes.{k}, 4",
        f"  %four_at.{k} = getelementptr i8, ptr %start.{k}, i32 %four_after.{k}",
        f"  %four_bits.{k} = mul i32 %four_after.{k}, 8",
        f"  %four_shift.{k} = zext i32 %four_bits.{k} to i64",
    ]


def _few_places(k: int) -> list[str]:
    """Of one to three bytes: the one in the middle and the last, and how far they are shifted in the span."""
    lines = []
    for stem, number in (("middle", f"lshr i32 %bytes.{k}, 1"), ("end", f"sub i32 %bytes.{k}, 1")):
        lines += [
            f"  %{stem}_after.{k} = {number}",
            f"  %{stem}_at.{k} = getelementptr i8, ptr %start.{k}, i32 %{stem}_after.{k}",
            f"  %{stem}_bits.{k} = mul i32 %{stem}_after.{k}, 8",
            f"  %{stem}_shift.{k} = zext i32 %{stem}_bits.{k} to i64",
        ]
    return lines


def _few_loaded(k: int, size: int) -> list[str]:
    if size == 2:
        return [f"  %single.{k} = load i16, ptr %start.{k}, align 1", f"  %few_value.{k} = zext i16 %single.{k} to i64"]
    return [
        *_few_places(k),
        f"  %byte0.{k} = load i8, ptr %start.{k}",
        f"  %byte1.{k} = load i8, ptr %middle_at.{k}",
        f"  %byte2.{k} = load i8, ptr %end_at.{k}",
        f"  %wide0.{k} = zext i8 %byte0.{k} to i64",
        f"  %wide1.{k} = zext i8 %byte1.{k} to i64",
        f"  %wide2.{k} = zext i8 %byte2.{k} to i64",
        f"  %middle.{k} = shl i64 %wide1.{k}, %middle_shift.{k}",
        f"  %end.{k} = shl i64 %wide2.{k}, %end_shift.{k}",
        f"  %two.{k} = or i64 %wide0.{k}, %middle.{k}",
        f"  %few_value.{k} = or i64 %two.{k}, %end.{k}",
    ]


def _few_stored(k: int, size: int) -> list[str]:
    if size == 2:
        return [f"  %single.{k} = trunc i64 %span.{k} to i16", f"  store i16 %single.{k}, ptr %start.{k}, align 1"]
    return [
        *_few_places(k),
        f"  %middle.{k} = lshr i64 %span.{k}, %middle_shift.{k}",
        f"  %end.{k} = lshr i64 %span.{k}, %end_shift.{k}",
        f"  %byte0.{k} = trunc i64 %span.{k} to i8",
        f"  %byte1.{k} = trunc i64 %middle.{k} to i8",
        f"  %byte2.{k} = trunc i64 %end.{k} to i8",
        f"  store i8 %byte0.{k}, ptr %start.{k}",
        f"  store i8 %byte1.{k}, ptr %middle_at.{k}",
        f"  store i8 %byte2.{k}, ptr %end_at.{k}",
    ]


def _each_in_turn(k: int, size: int) -> list[str]:
    """A loop over the lanes that are on."""
    return [
        f"  %left.{k} = phi i32 [ %on.{k}, %some.{k} ], [ %rest.{k}, %each.{k} ]",
        f"  %lane.{k} = call i32 @llvm.cttz.i32(i32 %left.{k}, i1 true)",
        f"  %lane_at.{k} = getelementptr i{8 * size}, ptr %piece_at.{k}, i32 %lane.{k}",
        f"  %lane_bits.{k} = mul i32 %lane.{k}, {8 * size}",
        f"  %lane_shift.{k} = zext i32 %lane_bits.{k} to i64",
        f"  %lane_moved.{k} = lshr i64 %word.{k}, %lane_shift.{k}",
        f"  %lane_value.{k} = trunc i64 %lane_moved.{k} to i{8 * size}",
        f"  store i{8 * size} %lane_value.{k}, ptr %lane_at.{k}, align 1",
        f"  %less.{k} = sub i32 %left.{k}, 1",
        f"  %rest.{k} = and i32 %left.{k}, %less.{k}",
        f"  %more.{k} = icmp ne i32 %rest.{k}, 0",
        f"  br i1 %more.{k}, label %each.{k}, label %done.{k}",
    ]


def _each_byte(k: int, lanes: int) -> list[str]:
    """One store for each lane; in place of a lane that is off the first that is on is stored again.

    A loop over those that are on, up to seven, ends where no processor foresees it: 1.5 times the time with masks that do not
    repeat themselves. Of two or three 16-bit numbers it takes less than this.
    """
    count = min(lanes, _PIECE)
    bits, ones, numbers = 8 * count, sum(1 << 8 * lane for lane in range(count)), sum(lane << 8 * lane for lane in range(count))
    lines = [
        f"  %spread.{k} = sext <{count} x i1> {'%mask' if count == lanes else f'%mask.{k}'} to <{count} x i8>",
        f"  %packed.{k} = bitcast <{count} x i8> %spread.{k} to i{bits}",
        f"  %on_bits.{k} = {f'zext i{bits} %packed.{k} to i64' if bits < 64 else f'or i64 %packed.{k}, 0'}",
        f"  %off_bits.{k} = xor i64 %on_bits.{k}, -1",
        f"  %first_down.{k} = lshr i64 %word.{k}, %shift.{k}",
        f"  %first_value.{k} = and i64 %first_down.{k}, 255",
        f"  %first_place.{k} = zext i32 %first.{k} to i64",
    ]
    for stem, own in (("value", f"%word.{k}"), ("place", str(numbers))):
        lines += [
            f"  %{stem}_everywhere.{k} = mul i64 %first_{stem}.{k}, {ones}",
            f"  %{stem}_on.{k} = and i64 %on_bits.{k}, {own}",
            f"  %{stem}_off.{k} = and i64 %off_bits.{k}, %{stem}_everywhere.{k}",
            f"  %{stem}s.{k} = or i64 %{stem}_on.{k}, %{stem}_off.{k}",
        ]
    for lane in range(count):
        each = f"{k}.{lane}"
        lines += [
            f"  %place_down.{each} = lshr i64 %places.{k}, {8 * lane}",
            f"  %place.{each} = and i64 %place_down.{each}, 255",
            f"  %place_at.{each} = getelementptr i8, ptr %piece_at.{k}, i64 %place.{each}",
            f"  %value_down.{each} = lshr i64 %values.{k}, {8 * lane}",
            f"  %value.{each} = trunc i64 %value_down.{each} to i8",
            f"  store i8 %value.{each}, ptr %place_at.{each}",
        ]
    return [*lines, f"  br label %done.{k}"]


def _joined(lanes: int, size: int) -> list[str]:
    """``%whole``, the vector of the words."""
    vector, pieces = f"<{lanes} x i{8 * size}>", _pieces(lanes, size)
    if lanes * size < _PIECE:
        bits = 8 * lanes * size
        return [f"  %short = trunc i64 %word.0 to i{bits}", f"  %whole = bitcast i{bits} %short to {vector}"]
    if pieces == 1:
        return [f"  %whole = bitcast i64 %word.0 to {vector}"]
    words, lines = f"<{pieces} x i64>", []
    for k in range(pieces):
        before = f"%words.{k - 1}" if k else "poison"
        lines.append(f"  %words.{k} = insertelement {words} {before}, i64 %word.{k}, i64 {k}")
    return [*lines, f"  %whole = bitcast {words} %words.{pieces - 1} to {vector}"]


def _taken_apart(lanes: int, size: int) -> list[str]:
    """The words of ``%value``."""
    vector, pieces = f"<{lanes} x i{8 * size}>", _pieces(lanes, size)
    known = f"  %known = freeze {vector} %value"
    if lanes * size < _PIECE:
        bits = 8 * lanes * size
        return [known, f"  %short = bitcast {vector} %known to i{bits}", f"  %word.0 = zext i{bits} %short to i64"]
    if pieces == 1:
        return [known, f"  %word.0 = bitcast {vector} %known to i64"]
    words = f"<{pieces} x i64>"
    return [
        known,
        f"  %words = bitcast {vector} %known to {words}",
        *(f"  %word.{k} = extractelement {words} %words, i64 {k}" for k in range(pieces)),
    ]
