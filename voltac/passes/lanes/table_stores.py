"""Masked stores of bytes and 16-bit numbers -> a store for each lane, of those that are on in the order of a table.

    call void @some_lanes.store.v8i8(<8 x i8> %v, ptr %p, <8 x i1> %mask)          a function that is inlined:

    %order = the row of the mask's bits in the table: the lanes that are on, the last one again for each that is off
    %moved = pshufb %v, %order
    store i8 (lane 0 of %moved), ptr (%p + lane 0 of %order) ... for all lanes

Nothing is asked, so masks that do not repeat themselves cost no more than others. Lanes that are off are never written.
"""

from __future__ import annotations

_PIECE = 8
"""Bytes that are moved at once, in a register of 64 bits."""
_LANES = 8
"""That one row of the table is for: of 16 it would fill the cache."""
TABLE = "@some_lanes.order"
SHUFFLE = "@llvm.x86.ssse3.pshuf.b.128"


def table_store(name: str, lanes: int, size: int, processor: str, shuffles: bool) -> list[str]:
    """The function of that name; ``shuffles``: the processor moves any bytes of a register to any place."""
    vector, count, element = f"<{lanes} x i{8 * size}>", min(lanes, _LANES), f"i{8 * size}"
    pieces = lanes // count
    lines = [
        f"define internal void {name}({vector} %value, ptr %p, <{lanes} x i1> %mask) alwaysinline nounwind {processor} {{",
        "entry:",
        f"  %known = freeze {vector} %value",
    ]
    if not shuffles:
        lines += [f"  %lanes = alloca {vector}, align {_PIECE}", f"  store {vector} %known, ptr %lanes, align {_PIECE}"]
    lines.append("  br label %piece.0")
    for k in range(pieces):
        part = f"<{count} x {element}>"
        lines += [
            *begin_piece(k, lanes, count, f"some.{k}"),
            f"some.{k}:",
            f"  %to.{k} = getelementptr {element}, ptr %p, i64 {k * count}",
            f"  %part.{k} = shufflevector {vector} %known, {vector} poison, {_places(k * count, count)}",
        ]
        if pieces > 1:
            lines += [
                f"  %all.{k} = icmp eq i32 %on.{k}, {(1 << count) - 1}",
                f"  br i1 %all.{k}, label %whole.{k}, label %each.{k}",
                f"whole.{k}:",
                f"  store {part} %part.{k}, ptr %to.{k}, align {size}",
                f"  br label %done.{k}",
                f"each.{k}:",
            ]
        lines += [
            f"  %number.{k} = zext i32 %on.{k} to i64",
            f"  %row.{k} = getelementptr [{_LANES} x i8], ptr {TABLE}, i64 %number.{k}",
            *(_moved_together(k, count, size) if shuffles else ()),
        ]
        for lane in range(count):
            each = f"{k}.{lane}"
            lines += [
                f"  %entry.{each} = getelementptr i8, ptr %row.{k}, i64 {lane}",
                f"  %short.{each} = load i8, ptr %entry.{each}",
                f"  %lane.{each} = zext i8 %short.{each} to i64",
                f"  %lane_to.{each} = getelementptr {element}, ptr %to.{k}, i64 %lane.{each}",
            ]
            if shuffles:
                lines.append(f"  %lane_value.{each} = extractelement <{16 // size} x {element}> %moved.{k}, i64 {lane}")
            else:
                lines += [
                    f"  %place.{each} = add i64 %lane.{each}, {k * count}",
                    f"  %lane_from.{each} = getelementptr {element}, ptr %lanes, i64 %place.{each}",
                    f"  %lane_value.{each} = load {element}, ptr %lane_from.{each}, align {size}",
                ]
            lines.append(f"  store {element} %lane_value.{each}, ptr %lane_to.{each}, align {size}")
        lines += [f"  br label %done.{k}", f"done.{k}:", f"  br label %{f'piece.{k + 1}' if k + 1 < pieces else 'end'}"]
    return [*lines, "end:", "  ret void", "}"]


def _moved_together(k: int, count: int, size: int) -> list[str]:
    """``%moved``: the lanes of a piece in the order of its row of the table."""
    element, lanes = f"i{8 * size}", 16 // size
    numbers = f"<{_LANES} x i8>"
    lines = [
        f"  %numbers.{k} = load {numbers}, ptr %row.{k}, align {_LANES}",
        f"  %bytes.{k} = shufflevector {numbers} %numbers.{k}, {numbers} zeroinitializer, {_places(0, 16, 1 / size)}",
    ]
    order = f"%bytes.{k}"
    if size > 1:
        parts = ", ".join(f"i8 {at % size}" for at in range(16))
        lines += [
            f"  %scaled.{k} = mul <16 x i8> %bytes.{k}, splat (i8 {size})",
            f"  %places.{k} = or <16 x i8> %scaled.{k}, <{parts}>",
        ]
        order = f"%places.{k}"
    padded = f"<{count} x {element}>"
    return [
        *lines,
        f"  %padded.{k} = shufflevector {padded} %part.{k}, {padded} poison, {_places(0, lanes, most=count)}",
        f"  %from.{k} = bitcast <{lanes} x {element}> %padded.{k} to <16 x i8>",
        f"  %in_order.{k} = call <16 x i8> {SHUFFLE}(<16 x i8> %from.{k}, <16 x i8> {order})",
        f"  %moved.{k} = bitcast <16 x i8> %in_order.{k} to <{lanes} x {element}>",
    ]


def _places(first: int, count: int, step: float = 1, most: int = 0) -> str:
    """The mask of a shuffle; behind ``most`` places anything."""
    places = ", ".join("i32 poison" if most and at >= most else f"i32 {first + int(at * step)}" for at in range(count))
    return f"<{count} x i32> <{places}>"


def table() -> list[str]:
    """For each mask of eight lanes those that are on in order, the last one again for each that is off."""
    rows = []
    for mask in range(1 << _LANES):
        lanes = [lane for lane in range(_LANES) if mask >> lane & 1] or [0]
        rows += [*lanes, *[lanes[-1]] * (_LANES - len(lanes))]
    text = ", ".join(f"i8 {lane}" for lane in rows)
    return [f"{TABLE} = internal unnamed_addr constant [{len(rows)} x i8] [{text}], align {_PIECE}"]


def begin_piece(k: int, lanes: int, count: int, some: str) -> list[str]:
    """``%on``: a bit for each of ``count`` lanes that is on; where there are any, on to the block ``some``."""
    part, lines = "%mask", [f"piece.{k}:"]
    if count < lanes:
        part = f"%mask.{k}"
        places = ", ".join(f"i32 {lane}" for lane in range(k * count, (k + 1) * count))
        lines.append(f"  {part} = shufflevector <{lanes} x i1> %mask, <{lanes} x i1> poison, <{count} x i32> <{places}>")
    return [
        *lines,
        f"  %bits.{k} = bitcast <{count} x i1> {part} to i{count}",
        f"  %on.{k} = zext i{count} %bits.{k} to i32",
        f"  %any.{k} = icmp ne i32 %on.{k}, 0",
        f"  br i1 %any.{k}, label %{some}, label %done.{k}",
    ]
