"""Long loops over gangs that store consecutive elements and do not load them -> stores that bypass the caches.

    body:    store <8 x float> %v, ptr %p, align 4
             br label %test
    ->
    before:  %far = icmp sgt i64 %bytes, 16777216          of all gangs
    body:    %cached = icmp ne i64 (%p & 31), 0
             br (%far and not %cached), direct, through
    direct:  store <8 x float> %v, ptr %p, align 32, !nontemporal !{i32 1}
    through: store <8 x float> %v, ptr %p, align 4

``--opt=streaming-stores`` asks for it. A store through the caches first reads the line that it is to fill, and drives out
another. On an Intel Xeon ``a[i] = b[i] + 3 * c[i]`` takes 0.4 to 0.55 of the time from 16 MB an array on, a loop that only
fills 0.15 from 64 MB on; what fits in the caches would take 2 to 2.5 times as long. :mod:`voltac.passes.gangs.aligned_stores`
begins such loops where their stores are aligned. Direct stores become visible to other cores in any order: where the loop is
left, a fence ends that (Intel, Software Developer's Manual, volume 1, 10.4.6.2).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from voltac.ir.cfg import loops_in_turn
from voltac.ir.lane_formulas import LaneValue
from voltac.ir.lane_values import LaneValues, lane_values
from voltac.ir.model import Block, Function, Instruction, Module
from voltac.options import Options
from voltac.passes.loops.gang_loops import GangLoop, root
from voltac.system.lazy_patterns import lazy_pattern

LEAST_BYTES = 16 << 20
"""Of what a loop stores to an array. By measurement: equal at 4 MB, with caches of 2 MB a core, and better from 16 on."""
_MOST_INSTRUCTIONS = 200
_MOST_STORES = 4
"""Of a body: one that computes longer does not wait for memory, and each store is a branch. Chosen, not measured."""
_STORE = lazy_pattern(r"\s*store (?P<value>(?P<type><\d+ x \w+>) .+?), ptr (?P<pointer>%[^ ,]+), align \d+(?P<rest>.*)")
_FENCE = "void @llvm.x86.sse.sfence()"
_NUMBER = lazy_pattern(r"!(\d+) = ")


def stream_stores(module: Module, options: Options) -> None:
    """Rewrite the module."""
    layout = module.layout(options.target.pointer_bits // 8)
    numbers = [int(match[1]) for line in module.lines() if (match := _NUMBER.match(line))]
    hint = f"!{max(numbers, default=-1) + 1}"
    changed = False
    for function in module.often_called:
        values: LaneValues | None = None
        for flow, loop in loops_in_turn(function):
            values = values or lane_values(function, layout)
            gangs = GangLoop.of(function, loop, flow, values, _MOST_INSTRUCTIONS)
            if gangs is not None and gangs.blocks == [gangs.body]:
                stores = _streams(gangs, options)
                if 0 < len(stores) <= _MOST_STORES:
                    _write(gangs, stores, options, hint)
                    values, changed = None, True
    if changed:
        module.declare([f"declare {_FENCE}"])
        module.items.append([f"{hint} = !{{i32 1}}"])


def _streams(loop: GangLoop, options: Options) -> list[tuple[Instruction, re.Match[str], int]]:
    """Stores, what they say, and the bytes of one element of the counter."""
    values = loop.values
    loaded = {_array(address, loop) for each in loop.body.instructions if (address := _loaded_from(each, values)) is not None}
    found = []
    for each in loop.body.instructions:
        match = _STORE.fullmatch(each.text) if each.op == "store" else None
        address = values.value("ptr", match["pointer"]) if match else None
        if match is None or address is None or _array(address, loop) in loaded:
            continue
        size = values.layout.size(match["type"])
        step = [factor for symbol, factor in address.terms.items() if root(symbol) == loop.counter]
        fills_lines = len(step) == 1 and step[0] * loop.width == size and size * 8 >= options.target.vector_bits
        if fills_lines and "!nontemporal" not in match["rest"]:
            found.append((each, match, step[0]))
    return found


def _loaded_from(instruction: Instruction, values: LaneValues) -> LaneValue | None:
    return values.value("ptr", instruction.operands[0].value) if instruction.op == "load" else None


def _array(address: LaneValue, loop: GangLoop) -> frozenset[object]:
    """What is the same for all gangs: accesses next to each other have it in common."""
    return frozenset(symbol for symbol in address.terms if root(symbol) != loop.counter)


def _write(loop: GangLoop, stores: list[tuple[Instruction, re.Match[str], int]], options: Options, hint: str) -> None:
    function = loop.function
    fresh = function.fresh_names()
    far = _test_of_length(function.block(loop.outside), loop, max(size for *_, size in stores), fresh)
    alignment = options.target.vector_bits // 8
    blocks = [loop.body]
    for store, match, _ in stores:
        current = blocks[-1]
        place = current.instructions.index(store)
        behind = current.instructions[place + 1 :]
        current.instructions = current.instructions[:place]
        blocks += _branch(current, store, match, (far, alignment, hint), fresh)
        blocks[-1].instructions += behind
    position = function.blocks.index(loop.body)
    function.blocks[position : position + 1] = blocks
    for phi in loop.header.phis():
        phi.rename({f"%{loop.body.name}": f"%{blocks[-1].name}"})
    _fence(loop, function, far, fresh)


def _test_of_length(outside: Block, loop: GangLoop, size: int, fresh: Callable[[str], str]) -> str:
    start, limit, count, far = (fresh(name) for name in ("first", "end", "elements", "far"))
    outside.instructions[-1:-1] = [
        Instruction(f"  {start} = sext i32 {loop.start} to i64"),
        Instruction(f"  {limit} = sext i32 {loop.limit} to i64"),
        Instruction(f"  {count} = sub nsw i64 {limit}, {start}"),
        Instruction(f"  {far} = icmp sgt i64 {count}, {LEAST_BYTES // size}"),
    ]
    return far


def _branch(
    before: Block, store: Instruction, match: re.Match[str], how: tuple[str, int, str], fresh: Callable[[str], str]
) -> list[Block]:
    """The store past the caches, that through them, and where they meet."""
    far, alignment, hint = how
    number, low, aligned, both = (fresh(name) for name in ("at", "below", "aligned", "streams"))
    direct, through, done = (fresh(f"store.{name}") for name in ("direct", "through", "done"))
    before.instructions += [
        Instruction(f"  {number} = ptrtoint ptr {match['pointer']} to i64"),
        Instruction(f"  {low} = and i64 {number}, {alignment - 1}"),
        Instruction(f"  {aligned} = icmp eq i64 {low}, 0"),
        Instruction(f"  {both} = and i1 {aligned}, {far}"),
        Instruction(f"  br i1 {both}, label {direct}, label {through}"),
    ]
    jump = f"  br label {done}"
    streamed = f"  store {match['value']}, ptr {match['pointer']}, align {alignment}, !nontemporal {hint}{match['rest']}"
    return [
        _block(direct, [Instruction(streamed), Instruction(jump)]),
        _block(through, [store, Instruction(jump)]),
        _block(done, []),
    ]


def _fence(loop: GangLoop, function: Function, far: str, fresh: Callable[[str], str]) -> None:
    """On the way out of the loop."""
    header = loop.header
    after = header.successors[1]
    left, fence, joined = (fresh(f"streams.{name}") for name in ("left", "fence", "joined"))
    header.terminator.rename({f"%{after}": left})
    for phi in function.block(after).phis():
        phi.rename({f"%{header.name}": joined})
    position = function.blocks.index(header) + 1
    function.blocks[position:position] = [
        _block(left, [Instruction(f"  br i1 {far}, label {fence}, label {joined}")]),
        _block(fence, [Instruction(f"  call {_FENCE}"), Instruction(f"  br label {joined}")]),
        _block(joined, [Instruction(f"  br label %{after}")]),
    ]


def _block(name: str, instructions: list[Instruction]) -> Block:
    return Block(name[1:], instructions, f"{name[1:]}:")
