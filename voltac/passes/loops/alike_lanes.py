"""What lanes compute of numbers that are the same in all of them -> computed once, and put into all lanes.

    %v = mul nsw <8 x i32> %y8, %n8          %once = mul nsw i32 %y, %n
                                      ->     %one = insertelement <8 x i32> poison, i32 %once, i64 0
                                             %v = shufflevector <8 x i32> %one, <8 x i32> poison, zeroinitializer

of ``%y8`` with ``%y`` and ``%n8`` with ``%n`` in all lanes. The flags are those of each lane. A ``foreach`` over rows and
columns counts its rows in lanes; what is computed of them is behind this what a loop over rows around a ``foreach`` over
columns computes, which is the form that other passes know: several gangs of bytes at a time, rows joined. Only integers:
which products of floats are fused has been chosen by then.

Of what is known before an innermost loop they are computed there: a row's place, where stores begin, is asked for
before the loop (:mod:`voltac.passes.gangs.aligned_stores`). So are numbers that elements are compared with or that are
added to small ones, which are then prepared there (:mod:`voltac.passes.arithmetic.prepared_numbers`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from voltac.ir.cfg import control_flow
from voltac.ir.constants import splatted
from voltac.ir.match import Definitions, made_by, scalar_of_splat
from voltac.ir.model import Function, Instruction, Module
from voltac.ir.parts import Operand
from voltac.ir.types import element_of, integer_bits, lanes_of
from voltac.ir.uses import remove_unused
from voltac.options import Options
from voltac.system.lazy_patterns import lazy_pattern

_OPERATIONS = frozenset(("add", "sub", "mul", "shl", "lshr", "ashr", "and", "or", "xor"))
"""None that may fail: quotients stay."""
_CASTS = frozenset(("sext", "zext", "trunc"))
_OF_TWO = lazy_pattern(r"@llvm\.(smin|smax|umin|umax)\.")
_SPLATS = ("insertelement", "shufflevector")


def compute_once(module: Module, options: Options) -> None:
    """Rewrite the module."""
    called: set[tuple[str, str]] = set()
    for function in module.often_called:
        if any(" zeroinitializer" in made.text and made.op == "shufflevector" for made in function.instructions()):
            called |= _rewrite(function)
    module.declare(f"declare {element} @llvm.{name}.{element}({element}, {element})" for name, element in sorted(called))


def _rewrite(function: Function) -> set[tuple[str, str]]:
    """The intrinsics that are now called of scalars, by name and type."""
    definitions, fresh = function.definitions(), function.fresh_names()
    called: set[tuple[str, str]] = set()
    scalars: set[str] = set()
    for block in function.blocks:
        lines: list[Instruction] = []
        for made in block.instructions:
            once = _once(made, definitions, called)
            if once:
                written = _in_all_lanes(made, once, fresh)
                definitions.update((new.name, new) for new in written)
                scalars.add(written[0].name)
                lines += written
            else:
                lines.append(made)
        block.instructions = lines
    if scalars:
        remove_unused(function, {made.name for made in definitions.values() if made.op in _SPLATS})
    scalars |= _bounds(definitions)
    if scalars:
        _move_out_of_loops(function, scalars)
    return called


def _bounds(definitions: Definitions) -> set[str]:
    """Numbers that lanes are compared with or that are added to small elements, and what they are computed of."""
    found: set[str] = set()
    for made in definitions.values():
        if made.op == "icmp" or (made.op in ("add", "sub") and any(_is_small(each, definitions) for each in made.operands)):
            scalars = [scalar_of_splat(each.value, definitions) for each in made.operands]
            work = [scalar.value for scalar in scalars if scalar is not None]
            while work:
                name = work.pop()
                scalar = definitions.get(name)
                if scalar is not None and name not in found and scalar.op in _OPERATIONS:
                    found.add(name)
                    work += scalar.names_used()
    return found


def _is_small(operand: Operand, definitions: Definitions) -> bool:
    extended = made_by(("zext", "sext"), operand.value, definitions)
    return extended is not None and integer_bits(element_of(extended.operands[0].type)) in (8, 16)


def _move_out_of_loops(function: Function, scalars: Collection[str]) -> None:
    """To before the innermost loops that they stand in: none of them may fail."""
    flow = control_flow(function)
    around = {loop.header for inner in flow.loops for loop in flow.loops if loop is not inner and inner.header in loop.blocks}
    for loop in flow.loops:
        outside = [name for name in flow.predecessors[loop.header] if name not in loop.blocks]
        if loop.header in around or len(outside) != 1:
            continue
        blocks = [function.block(name) for name in flow.in_order(loop.blocks)]
        inside = {made.name for block in blocks for made in block.instructions if made.name}
        moved: list[Instruction] = []
        for block in blocks:
            stays: list[Instruction] = []
            for made in block.instructions:
                if made.name in scalars and inside.isdisjoint(made.names_used()):
                    inside.discard(made.name)
                    moved.append(made)
                else:
                    stays.append(made)
            if len(stays) != len(block.instructions):
                block.instructions = stays
        function.block(outside[0]).instructions[-1:-1] = moved


def _once(made: Instruction, definitions: Definitions, called: set[tuple[str, str]]) -> str:
    """The operation on what is in all lanes; empty where lanes differ, and for other operations."""
    op = made.op
    if op not in _OPERATIONS and op not in _CASTS and op != "call":
        return ""
    if not lanes_of(made.type) or integer_bits(element_of(made.type)) < 8:
        return ""
    intrinsic = _OF_TWO.match(made.parts.callee) if op == "call" else None
    if op == "call" and intrinsic is None:
        return ""
    operands = made.operands
    if all(each.value[0] != "%" for each in operands):
        return ""
    scalars = [_scalar(each, definitions) for each in operands]
    if None in scalars:
        return ""
    element, flags = element_of(made.type), "".join(f"{flag} " for flag in made.parts.flags)
    if op in _CASTS:
        return f"{op} {flags}{element_of(operands[0].type)} {scalars[0]} to {element}"
    if intrinsic is not None:
        called.add((intrinsic[1], element))
        return f"call {element} @llvm.{intrinsic[1]}.{element}({element} {scalars[0]}, {element} {scalars[1]})"
    return f"{op} {flags}{element} {scalars[0]}, {scalars[1]}"


def _scalar(operand: Operand, definitions: Definitions) -> str | None:
    """What is in all lanes."""
    if operand.value == "zeroinitializer":
        return "0"
    found = scalar_of_splat(operand.value, definitions) if operand.value[0] == "%" else splatted(operand.value)
    return found.value if found is not None else None


def _in_all_lanes(made: Instruction, once: str, fresh: Callable[[str], str]) -> list[Instruction]:
    element, vector = element_of(made.type), made.type
    name, one, places = fresh("once"), fresh("one"), f"<{lanes_of(made.type)} x i32> zeroinitializer"
    return [
        Instruction(f"  {name} = {once}"),
        Instruction(f"  {one} = insertelement {vector} poison, {element} {name}, i64 0"),
        Instruction(f"  {made.name} = shufflevector {vector} {one}, {vector} poison, {places}"),
    ]
