"""ir -> ir: makes every value and operation one that the machine has ("legal IR"), ready for selection.

Types: ``i1 i64 float double ptr``; lanes of vectors are scalars. Operations: those of ``codegen/legalize``, on words of 64
bits; ``fadd fsub fmul fdiv fneg fcmp`` of floats and doubles, conversions between them and to and from words, the intrinsics
``sqrt fabs copysign fma`` of both and ``ctpop ctlz cttz bswap`` of words; loads and stores of 1 to 8 bytes; and ::

    i64 @ia64.sdiv(i64, i64)    i64 @ia64.udiv(i64, i64)    i64 @ia64.sdiv4(i64, i64)    i64 @ia64.udiv4(i64, i64)
    i64 @ia64.mulhs(i64, i64)    i64 @ia64.mulhu(i64, i64)    i64 @ia64.rint.f64(double)
    double @ia64.fmin.f64(double, double)    double @ia64.fmax.f64(double, double)
    i64 @ia64.cycles()    void @ia64.trap()    float @ia64.load_if.float(i1, ptr, float)    void @ia64.store_if.i8(i1, ptr, i64)

of which ``sdiv4`` and ``udiv4`` are of numbers that 32 bits hold, and those of double are there of float (``f32``) too;
accesses under a condition are there of 1 to 8 bytes and of floats, a load gives its last operand where it is not made.
"""

from __future__ import annotations

from voltac.codegen.legalize import RULES, drop_unused, legal_text, legalize
from voltac.codegen.legalize.function import Legalizer, LegalMachine, Rule
from voltac.codegen.legalize.intrinsics import INTRINSICS
from voltac.codegen.legalize.packed import by_registers
from voltac.codegen.legalize.reductions import REDUCTIONS
from voltac.codegen.tidying.clean import clean_module
from voltac.ir.model import Instruction
from voltac.ir.verify import verify
from voltac.options import Options
from voltac.pass_runs import Pass, PassRuns, optimizing
from voltac.records import replace
from voltac.targets.ia64.legalize import conversions, divisions, float_rules
from voltac.targets.ia64.legalize.entries import add_entries
from voltac.targets.ia64.legalize.functions import FUNCTIONS, ROUTINES
from voltac.targets.ia64.legalize.machine_facts import FACTS_OF
from voltac.targets.ia64.legalize.masked import MASKED
from voltac.targets.ia64.legalize.memory_routines import ROUTINES as MEMORY_ROUTINES
from voltac.targets.ia64.legalize.packed_floats import FLOATS
from voltac.targets.ia64.legalize.packed_idioms import IDIOMS
from voltac.targets.ia64.legalize.packed_integers import INTEGERS
from voltac.targets.ia64.legalize.packed_lanes import LANES
from voltac.targets.ia64.legalize.packed_registers import PACKED


def _trap(f: Legalizer, instruction: Instruction) -> None:
    f.write.call("void @ia64.trap()")


def _cycles(f: Legalizer, instruction: Instruction) -> None:
    f.define(instruction, [f.write.call("i64 @ia64.cycles()")])


_CORE: dict[str, Rule] = {"trap": _trap, "debugtrap": _trap, "readcyclecounter": _cycles}

MACHINE = LegalMachine(
    FACTS_OF["ia64-x1"],
    rules={**RULES, **divisions.RULES, **float_rules.RULES, **conversions.RULES},
    intrinsics={**INTRINSICS, **conversions.INTRINSICS, **float_rules.INTRINSICS, **MASKED, **_CORE},
    lane_functions=FUNCTIONS,
    reductions=REDUCTIONS,
    routines={**ROUTINES, **MEMORY_ROUTINES},
)
_PACKED_RULES = {**INTEGERS, **FLOATS, **LANES, **IDIOMS}
MACHINES = {
    name: MACHINE if not facts.packed else replace(
        MACHINE, facts=facts, rules=by_registers(MACHINE.rules, _PACKED_RULES), packed=PACKED
    )
    for name, facts in FACTS_OF.items()
}  # fmt: skip
"""By target."""
_OF_BOTH = ("sqrt", "fabs", "copysign", "fma")
PURE = (
    *(f"@llvm.{name}.{suffix}" for name in _OF_BOTH for suffix in ("f32", "f64")),
    *(f"@llvm.{name}.i64" for name in ("ctlz", "cttz", "ctpop", "bswap")),
    "@ia64.sdiv", "@ia64.udiv", "@ia64.mulh", "@ia64.rint", "@ia64.fmin", "@ia64.fmax",
    # All on registers with several numbers.
    "@ia64.p", "@ia64.mix", "@ia64.mux", "@ia64.unpack", "@ia64.fp", "@ia64.fselect", "@ia64.fmix", "@ia64.fswap",
    "@ia64.for", "@ia64.fand",
)  # fmt: skip
"""Functions of the machine that have no effects."""


def run(text: str, options: Options, runs: PassRuns | None = None) -> str:
    """Any module -> the same in legal IR."""
    return legal_text(text, options, PASSES, lambda module: verify(module, stage="legalize"), runs)


PASSES = (
    Pass("add_entries", "each kernel gets a function that reads its parameters",
         lambda module, options: add_entries(module), required=True),
    Pass("legalize", "every value and operation becomes one that the device has",
         lambda module, options: legalize(module, options, MACHINES[options.target.name]), required=True),
    Pass("clean", "equal values are computed once, outside of loops; what nobody uses goes",
         lambda module, options: clean_module(module, PURE), optimizing),
    Pass("drop_unused", "declarations that nothing calls any more go, and debug information",
         lambda module, options: drop_unused(module), required=True),
)  # fmt: skip
"""In order; each rewrites the module."""
