"""IR -> IR: loops whose accesses are streams become calls of pipelined functions, where addresses and banks allow it.

    loop:                                                  %block = (iterations, addresses, scalars)
      %i = phi i32 [ %begin, %before ], [ %n, %loop ]      call void @ipu.stream.0.run.plain.0.1(ptr %block)
      %p = getelementptr float, ptr %x, i32 %i             br label %behind
      %v = load <4 x float>, ptr %p                ->
      %r = fadd <4 x float> %v, %splat
      store <4 x float> %r, ptr %p
      ...

The loop stays, for addresses that are no multiples of eight, and for halves that overflow: the hardware has no infinity for
those, so what it computed is forgotten; what is written in place is known not to overflow before it is stored.
"""

from __future__ import annotations

from voltac.ir.model import Block, Function, Instruction, Module
from voltac.targets.ipu.memory_map import MemoryMap
from voltac.targets.ipu.streams.body import StreamBody
from voltac.targets.ipu.streams.calls import StreamCall
from voltac.targets.ipu.streams.loop_streams import WORD
from voltac.targets.ipu.streams.loops import OtherLoop, StreamLoop, loop_of
from voltac.targets.ipu.streams.program import PREFIX


def find_streams(module: Module, map: MemoryMap, naive: bool = False) -> None:
    """In all functions of a module before legalization; ``naive`` loops are there to be compared with."""
    number = 0
    declarations: list[str] = []
    for function in module.functions:
        for block in list(function.blocks):
            try:
                loop = loop_of(function, block)
                bodies = _bodies(function, loop, naive)
            except OtherLoop:
                continue
            names = [f"{PREFIX}{number}.{way}" if way else f"{PREFIX}{number}" for way in range(len(bodies))]
            calls = [StreamCall(name, loop, body, function, map) for name, body in zip(names, bodies)]
            if calls:
                _replace(function, loop, calls)
                number += 1
                declarations += [line for call in calls for line in call.declarations]
    if declarations:
        module.items.append(declarations)


def _bodies(function: Function, loop: StreamLoop, naive: bool) -> list[StreamBody]:
    """The ways to do a loop: where the floats of one array are at odd and at even places, either are words."""
    body = StreamBody(function, loop)
    starts = {at.constant % WORD for access, at in (*body.loads, *body.stores) if access.kind == "word"}
    parities: list[int | None] = [*sorted(starts)] if len(starts) > 1 else [None]
    if body.has_halves and len(starts) > 1 and body.stores:
        # Words are what is stored.
        parities = [body.stores[0][1].constant % WORD]
    found = []
    for parity in parities:
        # To keep what was loaded takes registers.
        ways = (StreamBody(function, loop, parity, delays, naive) for delays in (True, False))
        found += [next((way for way in ways if way.is_possible), None)]
    return [way for way in found if way is not None]


def _replace(function: Function, loop: StreamLoop, calls: list[StreamCall]) -> None:
    done = f"{calls[0].name}.behind"
    entries: list[str] = []
    blocks: list[Block] = []
    for number, call in enumerate(calls):
        entries += call.write(done)
        other = f"{calls[number + 1].name}.check" if number + 1 < len(calls) else ""
        if not other:
            other = loop.block.name
            entries.append(f"{call.name}.check")
        for block in call.blocks:
            block.terminator.rename({f"%{call.name}.else": f"%{other}"})
        blocks += call.blocks
    last = Block(done, [Instruction(f"  br label %{loop.behind}")])
    last.label_line = f"{done}:"
    blocks.append(last)
    at = function.blocks.index(loop.block)
    function.blocks[at:at] = blocks
    _enter(function, loop, calls, entries, done)


def _enter(function: Function, loop: StreamLoop, calls: list[StreamCall], entries: list[str], done: str) -> None:
    """What led to the loop leads to the first check; the loop is entered from ``entries``, left also by ``done``."""
    results = {loop.following: calls[0].end, **calls[0].results}
    for block in function.blocks:
        if block.name == loop.before:
            block.terminator.rename({f"%{loop.block.name}": f"%{calls[0].name}.check"})
        if block.name == loop.behind:
            for phi in block.phis():
                arms = dict(zip(phi.parts.labels, phi.operands))
                arm = arms[loop.block.name].value
                phi.add_arms([(results.get(arm, arm), done)])
    for phi in loop.block.phis():
        arms = dict(zip(phi.parts.labels, phi.operands))
        value = arms[loop.before].value
        phi.text = phi.text.replace(f"[ {value}, %{loop.before} ]", ", ".join(f"[ {value}, %{entry} ]" for entry in entries))
