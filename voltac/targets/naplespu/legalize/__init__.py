"""ir -> ir: makes every value and operation one that NaplesPU has ("legal IR"), ready for selection.

Most of it is written for all machines (``voltac/codegen/legalize``); here is what only this one has. Its legal IR, which
``legalize/verify.py`` checks and ``select`` takes:

* Types: ``i1``, ``i32``, ``float``, ``ptr`` (32 bits), ``<16 x i1>`` (a bitmap in a
  scalar register), ``<16 x i32>``, ``<16 x float>``. No aggregates as values, no
  other integer or vector types but as the operand of a memory access (below).
  Functions take and return these types only (several results: see ``abi.py``'s
  ``{ T, ... }`` returns, put together by ``insertvalue`` right before ``ret`` and taken apart
  by ``extractvalue`` right after the call; at most six scalars and six vectors).
* Integer: ``add sub mul and or xor shl lshr ashr icmp`` on ``i32`` and ``<16 x i32>``;
  ``and or xor`` on ``i1`` and ``<16 x i1>``; ``zext``/``sext`` from ``i1`` forms (of bytes and halves:
  ``ashr (shl x, 24), 24``); ``ptrtoint``/``inttoptr`` between ``ptr`` and ``i32``; ``bitcast
  <16 x i1>`` to ``i16`` only as the operand of a ``zext`` to ``i32`` and back from a
  ``trunc``; intrinsics ``llvm.ctlz llvm.cttz`` and the functions below. No division.
* Float: ``fadd fsub fmul fdiv``, ``sitofp``/``fptosi`` of 32 bits, ``bitcast`` to ``i32``
  forms; a conversion is the core's, right only for some numbers (``integers_to_floats.py``,
  ``truncation.py``). No ``fcmp``: the core's compare orders negative numbers backwards (section 7 of the NaplesPU page).
* ``select`` on ``i1`` (of any legal type, a whole vector or a mask too) or ``<16 x i1>`` (lanes).
* Lanes: ``extractelement``/``insertelement`` with any ``i32`` index, ``shufflevector`` of
  one source (constant indices; a splat is index 0 of an inserted element), constants.
* Memory, main (address space 0): scalars ``i8 i16`` (loads only directly under ``zext``
  or ``sext``, stores only of a ``trunc``), ``i32 float ptr``; whole vectors with
  ``align 64``; stores of ``trunc <16 x i32>`` to ``<16 x i8>`` (``align 16``) or ``<16 x i16>``
  (``align 32``). Scratchpad (address space 68): the scalars, and vectors with
  ``align 4``, ``llvm.masked.load``/``llvm.masked.store`` too.
* ``getelementptr i8, ptr, i32``; ``alloca`` of fixed size in the entry block; ``phi br
  switch call ret unreachable``; ``freeze``; globals with initialisers.

Target functions (declared, never defined; all ``nounwind``)::

    i32 @npu.mulhu(i32, i32)            <16 x i32> @npu.mulhu.v(<16 x i32>, <16 x i32>)   likewise mulhs
    <16 x i32> @npu.shuffle(<16 x i32>, <16 x i32>)         lane i of the result is a[index[i] mod 16]
    i1 @npu.fcmp.{eq,ne,gt,ge,lt,le}(float, float)          the core's own compare (only where the program calls it)
    <16 x i1> @npu.fcmp.{..}.v(<16 x float>, <16 x float>)
    void @npu.barrier(i32 id, i32 others)    void @npu.flush(i32 address)    void @npu.invalidate(i32 address)
    i32 @npu.read_control(i32 id)            void @npu.write_control(i32 data, i32 id)
    i32 @npu.read_mask()                     void @npu.write_mask(i32)      void @npu.trap()
"""

from __future__ import annotations

from voltac.codegen.legalize import FLOAT_RULES, RULES, drop_unused, legal_text, legalize
from voltac.codegen.legalize.elementwise import INTEGER_FUNCTIONS
from voltac.codegen.legalize.float_elementwise import FLOAT_FUNCTIONS, on_float
from voltac.codegen.legalize.float_routines import FLOAT_ROUTINES
from voltac.codegen.legalize.floats import FLOAT_INTRINSICS
from voltac.codegen.legalize.function import LegalMachine
from voltac.codegen.legalize.intrinsics import INTRINSICS
from voltac.codegen.legalize.memory_routines import MEMORY_ROUTINES
from voltac.codegen.legalize.reductions import REDUCTIONS
from voltac.codegen.legalize.routines import INTEGER_ROUTINES
from voltac.codegen.tidying.clean import clean_module
from voltac.options import Options
from voltac.pass_runs import Pass, PassRuns, optimizing
from voltac.targets.naplespu.legalize import control, floats_to_integers, integers_to_floats, scratchpad
from voltac.targets.naplespu.legalize.lines import VECTORS
from voltac.targets.naplespu.legalize.machine_facts import FACTS
from voltac.targets.naplespu.legalize.quotients import quotient_and_rest, small_quotient
from voltac.targets.naplespu.legalize.roots import square_root
from voltac.targets.naplespu.legalize.spaces import separate_spaces
from voltac.targets.naplespu.legalize.verify import verify

MACHINE = LegalMachine(
    FACTS,
    rules={**RULES, **FLOAT_RULES, **floats_to_integers.RULES, **integers_to_floats.RULES, **scratchpad.RULES},
    intrinsics={
        **INTRINSICS, **FLOAT_INTRINSICS, **control.INTRINSICS, **floats_to_integers.INTRINSICS, **scratchpad.INTRINSICS,
    },
    lane_functions={**INTEGER_FUNCTIONS, **FLOAT_FUNCTIONS, "sqrt": on_float(square_root)},
    reductions=REDUCTIONS,
    routines={**INTEGER_ROUTINES, **FLOAT_ROUTINES, **MEMORY_ROUTINES},
    divide=quotient_and_rest,
    divide_small=small_quotient,
    vectors=VECTORS,
)  # fmt: skip
_PURE_CALLS = ("@npu.mulh", "@npu.shuffle", "@npu.fcmp", "@llvm.ctlz.", "@llvm.cttz.")


def run(text: str, options: Options, runs: PassRuns | None = None) -> str:
    """Any module -> the same in legal IR."""
    return legal_text(text, options, PASSES, verify, runs)


PASSES = (
    Pass("legalize", "every value and operation becomes one that the device has",
         lambda module, options: legalize(module, options, MACHINE), required=True),
    Pass("clean", "equal values are computed once, outside of loops; what nobody uses goes",
         lambda module, options: clean_module(module, _PURE_CALLS), optimizing),
    Pass("drop_unused", "declarations that nothing calls any more go, and debug information",
         lambda module, options: drop_unused(module), required=True),
    Pass("separate_spaces", "pointers to the scratchpad are told from those to memory",
         lambda module, options: separate_spaces(module), required=True),
)  # fmt: skip
"""In order; each rewrites the module."""
