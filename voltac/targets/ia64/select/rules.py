"""The selection rules: ``codegen/patterns.py`` says how they are written, ``values.py`` has the letters of shapes.

What takes a fixed register, a predicate or two numbers that depend on each other is in ``arithmetic.py``, ``conditions.py``,
``quotients.py`` and ``operations.py``.
"""

from __future__ import annotations

from voltac.codegen.patterns import SelectionRule, rules
from voltac.targets.ia64.select.packed_rules import PACKED_RULES_TEXT

_TEXT = """
add.s(a, b)                 -> add.r=r,r a b
add.s(a, b:imm14)           -> adds.r=imm14,r b a
add.s(b:imm14, a)           -> adds.r=imm14,r b a
add.s(shl.s(a, n:count4), b) -> shladd.r=r,count4,r a n b
add.s(b, shl.s(a, n:count4)) -> shladd.r=r,count4,r a n b
getelementptr(a, b)         -> add.r=r,r a b
getelementptr(a, b:imm14)   -> adds.r=imm14,r b a
getelementptr(a, shl.s(b, n:count4)) -> shladd.r=r,count4,r b n a
sub.s(a, b)                 -> sub.r=r,r a b
sub.s(a, b:negative)        -> adds.r=imm14,r b a
sub.s(a:imm8, b)            -> sub.r=imm8,r a b
and.s(a, b)                 -> and.r=r,r a b
and.s(a, b:imm8)            -> and.r=imm8,r b a
and.s(a, b:low_bits)        -> extr.u.r=r,pos6,len6 a 0 b
and.s(a, b:mask8)           -> zxt1.r=r a
and.s(a, b:mask16)          -> zxt2.r=r a
and.s(a, b:mask32)          -> zxt4.r=r a
and.s(a, b:one)             -> and.r=imm8,r b a
and.s(a, xor.s(b, m:minus_one)) -> andcm.r=r,r a b
and.s(xor.s(b, m:minus_one), a) -> andcm.r=r,r a b
or.s(a, b)                  -> or.r=r,r a b
or.s(a, b:imm8)             -> or.r=imm8,r b a
xor.s(a, b)                 -> xor.r=r,r a b
xor.s(a, b:imm8)            -> xor.r=imm8,r b a
# Conditions are 0 or 1 where they are numbers.
and.c(a, b)                 -> and.r=r,r a b
or.c(a, b)                  -> or.r=r,r a b
xor.c(a, b)                 -> xor.r=r,r a b
xor.c(a, b:true)            -> xor.r=imm8,r 1 a
sext.c.s(a)                 -> sub.r=imm8,r 0 a
zext.y.s(a)                 -> zxt1.r=r a
zext.h.s(a)                 -> zxt2.r=r a
zext.w.s(a)                 -> zxt4.r=r a
sext.y.s(a)                 -> sxt1.r=r a
sext.h.s(a)                 -> sxt2.r=r a
sext.w.s(a)                 -> sxt4.r=r a
call.llvm.ctpop.i64(a)      -> popcnt.r=r a
call.llvm.bswap.i64(a)      -> mux1.r=r,@rev a
call.llvm.cttz.i64(a, b)    -> t = adds.r=imm14,r -1 a; u = andcm.r=r,r t a; popcnt.r=r u
bitcast.w.f(a)              -> setf.s.f=r a
bitcast.f.w(a)              -> getf.s.r=f a
bitcast.s.d(a)              -> setf.d.f=r a
bitcast.d.s(a)              -> getf.d.r=f a
fneg.f(a)                   -> fmerge.ns.f=f,f a a
fneg.d(a)                   -> fmerge.ns.f=f,f a a
call.llvm.copysign.f32(a, b) -> fmerge.s.f=f,f b a
call.llvm.copysign.f64(a, b) -> fmerge.s.f=f,f b a
call.llvm.fma.f32(a, b, c)  -> fma.s.s0.f=f,f,f a b c
call.llvm.fma.f64(a, b, c)  -> fma.d.s0.f=f,f,f a b c
call.ia64.fmin.f32(a, b)    -> fmin.s0.f=f,f a b
call.ia64.fmin.f64(a, b)    -> fmin.s0.f=f,f a b
call.ia64.fmax.f32(a, b)    -> fmax.s0.f=f,f a b
call.ia64.fmax.f64(a, b)    -> fmax.s0.f=f,f a b
call.ia64.rint.f32(a)       -> t = fcvt.fx.s0.f=f a; getf.sig.r=f t
call.ia64.rint.f64(a)       -> t = fcvt.fx.s0.f=f a; getf.sig.r=f t
fptosi.f.s(a)               -> t = fcvt.fx.trunc.s1.f=f a; getf.sig.r=f t
fptosi.d.s(a)               -> t = fcvt.fx.trunc.s1.f=f a; getf.sig.r=f t
fptoui.f.s(a)               -> t = fcvt.fxu.trunc.s1.f=f a; getf.sig.r=f t
fptoui.d.s(a)               -> t = fcvt.fxu.trunc.s1.f=f a; getf.sig.r=f t
"""

RULES: dict[str, list[SelectionRule]] = rules(_TEXT + PACKED_RULES_TEXT)
"""By key; of those for a key the last that fits is taken."""
