"""Masked accesses in loops -> plain ones while all lanes are on, where the target's masked ones are slow.

    call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr align 4 %p, <8 x i1> %m)
    ->
    %bits = bitcast <8 x i1> %m to i8
    %known = freeze i8 %bits
    %all = icmp eq i8 %known, -1
    br i1 %all, label %whole, label %part
  whole:                                     store <8 x float> %v, ptr %p, align 4
  part:
    %none = icmp eq i8 %known, 0
    br i1 %none, label %done, label %some
  some:                                      the masked store

AVX's masked stores take tens of cycles on AMD, where Intel's take one (``target_info/processors.py``), and SSE and NEON have
none: LLVM goes lane by lane. Masks of
loops tend to be all on or not for a while, and those of conditions to be all off, so the branches are foreseen (what bounces
off walls: 0.6 of the time where few do). Nothing is ever written to a lane that is off.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from voltac.ir.cfg import control_flow
from voltac.ir.model import Block, Function, Instruction, Module
from voltac.options import Options
from voltac.passes.facts.effects import ModuleEffects, module_effects
from voltac.records import mutable_record
from voltac.system.lazy_patterns import lazy_pattern
from voltac.target_info.processors import find_processor

_MOST_IN_A_BLOCK = 4
"""Accesses, those under one mask behind each other as one: each is a branch, with code for both ways. Chosen, not measured."""
_IN_MEMORY = frozenset(("load", "store", "fence", "atomicrmw", "cmpxchg"))
_STORE = lazy_pattern(
    r"call void @llvm\.masked\.store\.\S+\((?P<value><(?P<lanes>\d+) x \w+> \S+), ptr align (?P<align>\d+) (?P<pointer>\S+), "
    r"<\d+ x i1> (?P<mask>%[^ )]+)\)(?P<rest>.*)"
)
_LOAD = lazy_pattern(
    r"(?P<result>%\S+) = call (?P<type><(?P<lanes>\d+) x \w+>) @llvm\.masked\.load\.\S+\("
    r"ptr align (?P<align>\d+) (?P<pointer>\S+), <\d+ x i1> (?P<mask>%[^ )]+), <[^>]*> .*?\)(?P<rest>(?:, !.*)?)$"
)


def make_stores_whole(module: Module, options: Options) -> None:
    """Rewrite the module."""
    target = options.target
    processor = find_processor(target.processor)
    if target.has_masked_load and processor is not None and processor.masked_stores:
        return
    effects: ModuleEffects | None = None
    for function in module.often_called:
        if any("@llvm.masked." in instruction.text for instruction in function.instructions()):
            effects = effects or module_effects(module)
            _rewrite(function, effects, loads=not target.has_masked_load, skips=not target.is_device)


@mutable_record
class _Masked:
    """An access under a mask, or several stores under one that may be done at the place of the last."""

    places: list[int]
    """In the block."""
    matches: list[re.Match[str]]
    is_store: bool

    @property
    def mask(self) -> str:
        return self.matches[0]["mask"]


def _rewrite(function: Function, effects: ModuleEffects, loads: bool, skips: bool) -> None:
    """``loads`` as well; ``skips``: stores of no lane are skipped."""
    flow = control_flow(function)
    fresh, definitions = function.fresh_names(), function.definitions()
    names: dict[str, str] = {}
    blocks: list[Block] = []
    for block in function.blocks:
        parts = [block]
        if block.name in flow.loop_of:
            found = _accesses(block, effects, loads)
            if 0 < len(found) <= _MOST_IN_A_BLOCK:
                parts = _split(block, found, fresh, lambda mask: skips and _may_be_none(mask, definitions))
                names[f"%{block.name}"] = f"%{parts[-1].name}"
        blocks += parts
    if names:
        function.blocks = blocks
        for block in blocks:
            for phi in block.phis():
                # Only the blocks that values come from: a phi may use no other label.
                phi.rename(names)


def _accesses(block: Block, effects: ModuleEffects, loads: bool) -> list[_Masked]:
    found: list[_Masked] = []
    is_open = False
    for index, instruction in enumerate(block.instructions):
        is_call = instruction.op == "call"
        stored = _STORE.match(instruction.text.strip()) if is_call else None
        if stored is not None:
            if is_open and found[-1].mask == stored["mask"]:
                found[-1].places.append(index)
                found[-1].matches.append(stored)
            else:
                found.append(_Masked([index], [stored], True))
            is_open = True
            continue
        if instruction.op in _IN_MEMORY or (is_call and effects.effect(instruction.parts.callee) != "none"):
            is_open = False
        loaded = _LOAD.match(instruction.text.strip()) if is_call and loads else None
        if loaded is not None:
            found.append(_Masked([index], [loaded], False))
    return found


def _split(block: Block, found: list[_Masked], fresh: Callable[[str], str], may_be_none: Callable[[str], bool]) -> list[Block]:
    instructions, block.instructions = block.instructions, []
    parts, start = [block], 0
    for each in found:
        last = each.places[-1]
        parts[-1].instructions += [instructions[at] for at in range(start, last) if at not in each.places]
        masked = [instructions[at].text for at in each.places]
        if each.is_store:
            parts += _stored(parts[-1], masked, each.matches, fresh, may_be_none(each.mask))
        else:
            parts += _loaded(parts[-1], masked[0], each.matches[0], fresh)
        start = last + 1
    parts[-1].instructions += instructions[start:]
    return parts


def _may_be_none(mask: str, definitions: dict[str, Instruction]) -> bool:
    """Whether all lanes may be off: not of the first lanes, of which there are some."""
    made = definitions.get(mask)
    return made is None or made.op != "icmp" or not any(each.value.startswith("<") for each in made.operands)


def _ask(before: Block, match: re.Match[str], whole: str, part: str, fresh: Callable[[str], str]) -> str:
    """Whether all lanes are on, at the end of a block; the lanes' bits."""
    lanes = match["lanes"]
    bits, known, every = fresh("bits"), fresh("known"), fresh("all")
    before.instructions += [
        Instruction(f"  {bits} = bitcast <{lanes} x i1> {match['mask']} to i{lanes}"),
        Instruction(f"  {known} = freeze i{lanes} {bits}"),
        Instruction(f"  {every} = icmp eq i{lanes} {known}, -1"),
        Instruction(f"  br i1 {every}, label {whole}, label {part}"),
    ]
    return known


def _stored(
    before: Block, masked: list[str], matches: list[re.Match[str]], fresh: Callable[[str], str], may_be_none: bool
) -> list[Block]:
    """The blocks behind ``before``: the plain stores, the masked ones, and where they meet."""
    whole, part, done = (fresh(f"masked.{name}") for name in ("whole", "part", "done"))
    known = _ask(before, matches[0], whole, part, fresh)
    plain = [f"  store {one['value']}, ptr {one['pointer']}, align {one['align']}{one['rest']}" for one in matches]
    jump = f"  br label {done}"
    blocks = [_block(whole, *plain, jump)]
    if may_be_none:
        none, some = fresh("none"), fresh("masked.some")
        ask = f"  {none} = icmp eq i{matches[0]['lanes']} {known}, 0"
        blocks.append(_block(part, ask, f"  br i1 {none}, label {done}, label {some}"))
        part = some
    return [*blocks, _block(part, *masked, jump), _block(done)]


def _loaded(before: Block, masked: str, match: re.Match[str], fresh: Callable[[str], str]) -> list[Block]:
    """The blocks behind ``before``: the plain load, the masked one, and where they meet."""
    whole, part, done = (fresh(f"masked.{name}") for name in ("whole", "part", "done"))
    _ask(before, match, whole, part, fresh)
    loaded, chosen = fresh("loaded"), fresh("chosen")
    plain = f"  {loaded} = load {match['type']}, ptr {match['pointer']}, align {match['align']}{match['rest']}"
    jump = f"  br label {done}"
    result = f"  {match['result']} = phi {match['type']} [ {loaded}, {whole} ], [ {chosen}, {part} ]"
    return [
        _block(whole, plain, jump),
        _block(part, masked.replace(match["result"], chosen, 1), jump),
        _block(done, result),
    ]


def _block(name: str, *texts: str) -> Block:
    return Block(name[1:], [Instruction(text) for text in texts], f"{name[1:]}:")
