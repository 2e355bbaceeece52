"""ir -> ir: makes every value and operation one that a worker has ("legal IR"), ready for selection.

Types: ``i1 i32 float ptr``; lanes of vectors are scalars, or pairs (``pairs``). Operations: those of ``codegen/legalize``;
``fadd fsub fmul fdiv fneg fcmp``, conversions between words and floats, the intrinsics ``sqrt fabs copysign minnum maxnum floor
ceil trunc round roundeven`` of floats and ``ctlz cttz ctpop`` of words; loads of bytes, halves, words and pairs, stores of the
last two; and ::

    float @ipu.from_half(i32)    i32 @ipu.to_half(float)    float @ipu.rounded.f32(float)    fpext half (load half)
    void @ipu.trap()    i32 @ipu.cycles.low()    i32 @ipu.cycles.high()
    i32 @ipu.read_control(i32 1)    void @ipu.barrier(i32, i32)
"""

from __future__ import annotations

from voltac.codegen.legalize import RULES, drop_unused, legal_text, legalize
from voltac.codegen.legalize.elementwise import INTEGER_FUNCTIONS
from voltac.codegen.legalize.float_routines import FLOAT_ROUTINES
from voltac.codegen.legalize.floats import FLOAT_INTRINSICS
from voltac.codegen.legalize.function import Legalizer, LegalMachine, Rule, Words
from voltac.codegen.legalize.integers import zero_extended
from voltac.codegen.legalize.intrinsics import INTRINSICS
from voltac.codegen.legalize.memory_routines import MEMORY_ROUTINES
from voltac.codegen.legalize.reductions import REDUCTIONS
from voltac.codegen.legalize.routines import INTEGER_ROUTINES
from voltac.codegen.legalize.shapes import Shape
from voltac.codegen.tidying.clean import clean_module
from voltac.ir.model import Instruction
from voltac.ir.verify import verify
from voltac.options import Options
from voltac.pass_runs import Pass, PassRuns, optimizing
from voltac.targets.ipu.legalize import conversions, divisions, float_rules
from voltac.targets.ipu.legalize.barriers import drop_last_barriers
from voltac.targets.ipu.legalize.machine_facts import FACTS
from voltac.targets.ipu.legalize.narrow_stores import expand_narrow_stores
from voltac.targets.ipu.memory_map import map_of
from voltac.targets.ipu.pairs import pair_lanes
from voltac.targets.ipu.pairs.types import FUNCTIONS as OF_PAIRS
from voltac.targets.ipu.streams.find import find_streams


def _trap(f: Legalizer, instruction: Instruction) -> None:
    f.write.call("void @ipu.trap()")


def _cycles(f: Legalizer, instruction: Instruction) -> None:
    """The high half is read on both sides of the low one until it is the same."""
    w = f.write
    again, done = w.new_label("cycles"), w.new_label("cycles.read")
    w.jump(again)
    w.start(again)
    high = w.call("i32 @ipu.cycles.high()")
    low = w.call("i32 @ipu.cycles.low()")
    w.branch(w.compare("eq", high, w.call("i32 @ipu.cycles.high()")), done, again)
    w.start(done)
    f.define(instruction, [low, high])


def _count_ones(f: Legalizer, vector: bool, shape: Shape, a: Words) -> Words:
    if shape.bits == 1:
        return a
    counts = [f.write.call("i32 @llvm.ctpop.i32(i32)", word) for word in zero_extended(f, shape.bits, a, vector)]
    total = counts[0]
    for count in counts[1:]:
        total = f.write.op("add", total, count)
    return [total, *["0"] * (len(a) - 1)]


_CORE: dict[str, Rule] = {"trap": _trap, "debugtrap": _trap, "readcyclecounter": _cycles}

MACHINE = LegalMachine(
    FACTS,
    rules={**RULES, **divisions.RULES, **float_rules.RULES, **conversions.RULES},
    intrinsics={**INTRINSICS, **FLOAT_INTRINSICS, **conversions.INTRINSICS, **_CORE},
    lane_functions={**INTEGER_FUNCTIONS, "ctpop": _count_ones, **float_rules.FUNCTIONS},
    reductions={**REDUCTIONS, **float_rules.REDUCTIONS},
    routines={**INTEGER_ROUTINES, **FLOAT_ROUTINES, **MEMORY_ROUTINES},
    pair_lanes=pair_lanes,
)
_OF_FLOATS = ("sqrt", "fabs", "copysign", "minnum", "maxnum", "floor", "ceil", "trunc", "round", "roundeven")
PURE = (
    "@ipu.from_half", "@ipu.to_half", "@ipu.rounded.", *(f"@llvm.{name}.i32" for name in ("ctlz", "cttz", "ctpop")),
    *(f"@llvm.{name}.f32" for name in _OF_FLOATS), *(f"@llvm.{name}.v2f32" for name in _OF_FLOATS), *OF_PAIRS,
)  # fmt: skip
"""Functions of the machine that have no effects."""


def run(text: str, options: Options, runs: PassRuns | None = None) -> str:
    """Any module -> the same in legal IR."""
    return legal_text(text, options, PASSES, lambda module: verify(module, stage="legalize"), runs)


PASSES = (
    Pass("find_streams", "loops over streams become calls of pipelined functions",
         lambda module, options: find_streams(module, map_of(options.target.name), not options.loop_unrolling),
         lambda options: options.level > 1),
    Pass("legalize", "every value and operation becomes one that the device has",
         lambda module, options: legalize(module, options, MACHINE), required=True),
    Pass("expand_narrow_stores", "bytes and halves are stored as parts of words",
         lambda module, options: expand_narrow_stores(module), required=True),
    Pass("drop_last_barriers", "workers end without waiting for each other",
         lambda module, options: drop_last_barriers(module), optimizing),
    Pass("clean", "equal values are computed once, outside of loops; what nobody uses goes",
         lambda module, options: clean_module(module, PURE), optimizing),
    Pass("drop_unused", "declarations that nothing calls any more go, and debug information",
         lambda module, options: drop_unused(module), required=True),
)  # fmt: skip
"""In order; each rewrites the module."""
