"""ir -> ir: makes every value and operation one that NaplesPU has ("legal IR"), ready for selection.

Legal IR, which ``legalize/verify.py`` checks and ``select.py`` takes:

* Types: ``i1``, ``i32``, ``float``, ``ptr`` (32 bits), ``<16 x i1>`` (a bitmap in a
  scalar register), ``<16 x i32>``, ``<16 x float>``. No aggregates as values, no
  other integer or vector types but as the operand of a memory access (below).
  Functions take and return these types only (several results: see ``abi.py``'s
  ``{ T, ... }`` returns taken apart by ``extractvalue`` right after the call).
* Integer: ``add sub mul and or xor shl lshr ashr icmp`` on ``i32`` and ``<16 x i32>``;
  ``and or xor`` on ``i1`` and ``<16 x i1>``; ``zext``/``sext`` from ``i1`` forms; ``bitcast
  <16 x i1>`` to ``i16`` only as the operand of a ``zext`` to ``i32`` and back from a
  ``trunc``; intrinsics ``llvm.ctlz llvm.cttz`` and the functions below. No division.
* Float: ``fadd fsub fmul fdiv``, ``sitofp``/``fptosi`` of 32 bits, ``bitcast`` to ``i32``
  forms. ``fcmp`` only with the metadata-free marker call below: the core's compare
  orders negative numbers backwards (reference 7).
* ``select`` on ``i1`` (scalars) or ``<16 x i1>`` (lanes); ``select i1`` of a vector too.
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
    i1 @npu.fcmp.{eq,ne,gt,ge,lt,le}(float, float)          the core's own compare, both operands known to
    <16 x i1> @npu.fcmp.{..}.v(<16 x float>, <16 x float>)      be non-negative and no NaN
    void @npu.barrier(i32 id, i32 others)    void @npu.flush(i32 address)    void @npu.invalidate(i32 address)
    i32 @npu.read_control(i32 id)            void @npu.write_control(i32 data, i32 id)
    i32 @npu.read_mask()                     void @npu.write_mask(i32)
"""
