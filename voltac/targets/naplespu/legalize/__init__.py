"""ir -> ir: makes every value and operation one that NaplesPU has ("legal IR"), ready for selection.

Legal IR, which ``legalize/verify.py`` checks and ``select.py`` takes:

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

from voltac.ir import marks
from voltac.ir.model import Function, Module
from voltac.ir.read import read
from voltac.ir.write import write
from voltac.options import Options
from voltac.pass_runs import Pass, PassRuns, optimizing
from voltac.targets.naplespu.legalize import (
    aggregates,
    atomics,
    division,
    floats,
    integers,
    integers_to_floats,
    lanes,
    memory,
)
from voltac.targets.naplespu.legalize.clean import clean
from voltac.targets.naplespu.legalize.function import RULES, Legalizer
from voltac.targets.naplespu.legalize.routines import routine_text
from voltac.targets.naplespu.legalize.shapes import NotLegal, Shapes
from voltac.targets.naplespu.legalize.spaces import separate_spaces
from voltac.targets.naplespu.legalize.verify import verify
from voltac.targets.naplespu.legalize.writer import NOWHERE_LINE

__all__ = ["NotLegal", "legalize", "run", "verify"]

RULE_FILES = (aggregates, atomics, division, floats, integers, integers_to_floats, lanes, memory)
"""Each adds its rules to :data:`RULES`."""
assert RULES
_OWNS_LINES, _HAS_THREADS = marks.attribute(marks.LINES, "own"), marks.attribute(marks.THREADS, "all")


def run(text: str, options: Options, runs: PassRuns | None = None) -> str:
    """Any module -> the same in legal IR."""
    module = read(text)
    runs = runs or PassRuns()
    for row in runs.of(PASSES, options, lambda: write(module)):
        row.run(module, options)
    verify(module)
    return write(module)


def legalize(module: Module, options: Options) -> None:
    """Rewrite the functions of a module, and add the routines they call."""
    shapes = Shapes(module.layout(options.target.pointer_bits // 8))
    declarations: set[str] = set()
    wanted: set[str] = set()
    uses_nowhere = False
    groups = {line.split()[1]: line for line in module.lines() if line.startswith("attributes #")}

    def rewrite(function: Function) -> Function:
        nonlocal uses_nowhere
        words = " ".join(groups.get(word, word) for word in function.attributes.split())
        legalizer = Legalizer(shapes, function, _OWNS_LINES in words, _HAS_THREADS in words)
        made = legalizer.run()
        declarations.update(legalizer.write.declarations)
        wanted.update(legalizer.write.routines)
        uses_nowhere = uses_nowhere or legalizer.write.uses_nowhere
        return made

    items: list[Function | list[str]] = []
    for item in module.items:
        items.append(rewrite(item) if isinstance(item, Function) else item)
    done: set[str] = set()
    while wanted - done:
        name = min(wanted - done)
        done.add(name)
        routine = read(routine_text(name)).functions[0]
        items.append(rewrite(routine))
    module.items = items
    module.declare(f"declare {line} nounwind" for line in sorted(declarations))
    if uses_nowhere:
        module.items.insert(1, [NOWHERE_LINE])


def _clean(module: Module, options: Options) -> None:
    for function in module.functions:
        clean(function)


def _drop_unused(module: Module, options: Options) -> None:
    called = {callee for function in module.functions for callee in _callees(function)}
    for item in module.items:
        if isinstance(item, list):
            item[:] = [line for line in item if _is_kept(line, called)]


PASSES = (
    Pass("legalize", "every value and operation becomes one that the device has", legalize, required=True),
    Pass("clean", "equal values are computed once, outside of loops; what nobody uses goes", _clean, optimizing),
    Pass("drop_unused", "declarations that nothing calls any more go, and debug information", _drop_unused, required=True),
    Pass("separate_spaces", "pointers to the scratchpad are told from those to memory",
         lambda module, options: separate_spaces(module), required=True),
)  # fmt: skip
"""In order; each rewrites the module."""


def _callees(function: Function) -> set[str]:
    return {instruction.parts.callee for instruction in function.instructions() if instruction.op == "call"}


def _is_kept(line: str, called: set[str]) -> bool:
    """Declarations of what is no longer called, and debug information, go."""
    if line.startswith("declare "):
        name = line[line.index("@") :].partition("(")[0]
        return name in called or not name.startswith("@llvm.")
    return not line.startswith("!")
