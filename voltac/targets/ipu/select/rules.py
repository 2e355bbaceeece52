"""The selection rules: ``codegen/patterns.py`` says how they are written, ``values.py`` has the letters of shapes.

A condition is 0 or 1 in the MRF. What a comparison of floats makes is a mask in the ARF, which is used as it is where
possible: to choose among floats, or moved, to branch.
"""

from __future__ import annotations

from voltac.codegen.patterns import SelectionRule, rules

_BINARY = "{op}.s(a, b) -> {row}.mmm a b\n"
_SHORT = """
{op}.s(a, b:{kind}) -> {row}.mm{immediate} a b
"""
_COMMUTED = """
{op}.s(b:{kind}, a) -> {row}.mm{immediate} a b
"""

# Row, its immediate forms: predicate of the number, kind of the row's operand.
_INTEGER = {
    "add": ("add", "si16", "si16"), "mul": ("mul", "si16", "si16"), "and": ("and", "zi12", "zi12"),
    "or": ("or", "zi12", "zi12"), "xor": ("xor", "", ""), "sub": ("sub", "", ""),
    "shl": ("shl", "shift", "zi12"), "lshr": ("shr", "shift", "zi12"), "ashr": ("shrs", "shift", "zi12"),
}  # fmt: skip
_COMMUTATIVE = ("add", "mul", "and", "or")

_DIRECT = """
icmp.{condition}.s(a, b)            -> {row}.mmm {operands}
br.if(icmp.{condition}.s(a, b))     -> t = {row}.mmm {operands}; brnz.mtarget t
br.if(xor.c(icmp.{condition}.s(a, b), one:true)) -> t = {row}.mmm {operands}; brz.mtarget t
"""
_OPPOSITE = """
icmp.{condition}.s(a, b)            -> t = {row}.mmm {operands}; cmpeq.mmsi16 t 0
br.if(icmp.{condition}.s(a, b))     -> t = {row}.mmm {operands}; brz.mtarget t
br.if(xor.c(icmp.{condition}.s(a, b), one:true)) -> t = {row}.mmm {operands}; brnz.mtarget t
"""
_DIRECT_SHORT = """
icmp.{condition}.s(a, b:{kind})     -> {row} a b
br.if(icmp.{condition}.s(a, b:{kind})) -> t = {row} a b; brnz.mtarget t
"""
_OPPOSITE_SHORT = """
icmp.{condition}.s(a, b:{kind})     -> t = {row} a b; cmpeq.mmsi16 t 0
br.if(icmp.{condition}.s(a, b:{kind})) -> t = {row} a b; brz.mtarget t
"""
_CONDITIONS = (
    # condition, row, operands, whether the row says the opposite
    ("eq", "cmpeq", "a b", False), ("ne", "cmpne", "a b", False),
    ("slt", "cmpslt", "a b", False), ("sgt", "cmpslt", "b a", False),
    ("sge", "cmpslt", "a b", True), ("sle", "cmpslt", "b a", True),
    ("ult", "cmpult", "a b", False), ("ugt", "cmpult", "b a", False),
    ("uge", "cmpult", "a b", True), ("ule", "cmpult", "b a", True),
)  # fmt: skip
_SHORT_CONDITIONS = (
    # condition, predicate of the number, row, whether the row says the opposite; a <= n is a < n + 1
    ("eq", "si16", "cmpeq.mmsi16", False), ("ne", "si16", "cmpeq.mmsi16", True),
    ("slt", "si16", "cmpslt.mmsi16", False), ("sge", "si16", "cmpslt.mmsi16", True),
    ("sle", "si16up", "cmpslt.mmsi16", False), ("sgt", "si16up", "cmpslt.mmsi16", True),
    ("ult", "zi16", "cmpult.mmzi16", False), ("uge", "zi16", "cmpult.mmzi16", True),
    ("ule", "zi16up", "cmpult.mmzi16", False), ("ugt", "zi16up", "cmpult.mmzi16", True),
)  # fmt: skip

_FLOAT_TRUE = """
fcmp.{condition}.f(a, b)            -> {mask}; w = atom.ma k; and.mmzi12 w 1
sext.c.s(fcmp.{condition}.f(a, b))  -> {mask}; atom.ma k
br.if(fcmp.{condition}.f(a, b))     -> {mask}; w = atom.ma k; brnz.mtarget w
br.if(xor.c(fcmp.{condition}.f(a, b), one:true)) -> {mask}; w = atom.ma k; brz.mtarget w
select.c.f(fcmp.{condition}.f(a, b), x, y) -> {mask}; p = and.aaa k x; q = andc.aaa y k; or.aaa p q
select.c.f(fcmp.{condition}.f(a, b), x, z:float_zero) -> {mask}; and.aaa k x
select.c.f(fcmp.{condition}.f(a, b), z:float_zero, y) -> {mask}; andc.aaa y k
"""
_FLOAT_FALSE = """
fcmp.{condition}.f(a, b)            -> {mask}; w = atom.ma k; cmpeq.mmsi16 w 0
br.if(fcmp.{condition}.f(a, b))     -> {mask}; w = atom.ma k; brz.mtarget w
br.if(xor.c(fcmp.{condition}.f(a, b), one:true)) -> {mask}; w = atom.ma k; brnz.mtarget w
select.c.f(fcmp.{condition}.f(a, b), x, y) -> {mask}; p = andc.aaa x k; q = and.aaa k y; or.aaa p q
select.c.f(fcmp.{condition}.f(a, b), x, z:float_zero) -> {mask}; andc.aaa x k
select.c.f(fcmp.{condition}.f(a, b), z:float_zero, y) -> {mask}; and.aaa k y
"""
_EITHER = "i = f32cmplt.aaa a b; j = f32cmpgt.aaa a b; k = or.aaa i j"
_MASKS = {
    # condition: what makes its mask, whether that is the mask of the opposite (every comparison but cmpne is false of a NaN)
    **{f"o{relation}": (f"k = f32cmp{relation}.aaa a b", False) for relation in ("eq", "gt", "ge", "lt", "le")},
    "une": ("k = f32cmpne.aaa a b", False),
    "ugt": ("k = f32cmple.aaa a b", True), "uge": ("k = f32cmplt.aaa a b", True),
    "ult": ("k = f32cmpge.aaa a b", True), "ule": ("k = f32cmpgt.aaa a b", True),
    "one": (_EITHER, False), "ueq": (_EITHER, True),
    "ord": ("i = f32cmpeq.aaa a a; j = f32cmpeq.aaa b b; k = and.aaa i j", False),
    "uno": ("i = f32cmpne.aaa a a; j = f32cmpne.aaa b b; k = or.aaa i j", False),
}  # fmt: skip

_ROUNDING = {"roundeven": 0, "ceil": 1, "floor": 2, "trunc": 3, "round": 4}
"""Modes of ``f32int`` (IPU 1.3)."""

_OTHERS = """
sub.s(a, b:negative)        -> add.mmsi16 a b
sub.s(a:si16, b)            -> sub.msi16m a b
and.s(a, b:inverse)         -> andc.mmzi12 a b
and.s(a, xor.s(b, m:minus_one)) -> andc.mmm a b
and.s(xor.s(b, m:minus_one), a) -> andc.mmm a b
xor.s(a, m:minus_one)       -> sub.msi16m -1 a
and.c(a, b)                 -> and.mmm a b
or.c(a, b)                  -> or.mmm a b
xor.c(a, b)                 -> xor.mmm a b
xor.c(a, b:true)            -> cmpeq.mmsi16 a 0
and.c(a, xor.c(b, one:true)) -> andc.mmm a b
and.c(xor.c(b, one:true), a) -> andc.mmm a b
icmp.ne.c(a, b)             -> xor.mmm a b
icmp.eq.c(a, b)             -> cmpeq.mmm a b
sext.c.s(a)                 -> sub.msi16m 0 a
sext.c.h(a)                 -> t = sub.msi16m 0 a; and.mmm t =0xFFFF
sext.h.s(a)                 -> t = shl.mmzi12 a 16; shrs.mmzi12 t 16
sext.y.s(a)                 -> t = shl.mmzi12 a 24; shrs.mmzi12 t 24
trunc.s.c(a)                -> and.mmzi12 a 1
trunc.s.y(a)                -> and.mmzi12 a 255
trunc.s.h(a)                -> and.mmm a =0xFFFF
select.c.c(c, a, b:zero)    -> and.mmm c a
select.c.c(c, a:true, b)    -> or.mmm c b
select.c.c(c, a:zero, b)    -> andc.mmm b c
select.c.s(c, a, b:zero)    -> m = sub.msi16m 0 c; and.mmm m a
select.c.s(c, a:zero, b)    -> m = add.mmsi16 c -1; and.mmm m b
select.c.s(icmp.slt.s(a, b), a, b) -> min.mmm a b
select.c.s(icmp.slt.s(a, b), b, a) -> max.mmm a b
select.c.s(icmp.sgt.s(a, b), a, b) -> max.mmm a b
select.c.s(icmp.sgt.s(a, b), b, a) -> min.mmm a b
call.llvm.ctlz.i32(a, p)    -> clz.mm a
call.llvm.cttz.i32(a, p)    -> n = sub.msi16m 0 a; l = and.mmm a n; m = add.mmsi16 l -1; popc.mm m
call.llvm.ctpop.i32(a)      -> popc.mm a
getelementptr(a, b)         -> add.mmm a b
getelementptr(a, b:si16)    -> add.mmsi16 a b
fadd.f(a, b)                -> f32add.aaa a b
fsub.f(a, b)                -> f32sub.aaa a b
fmul.f(a, b)                -> f32mul.aaa a b
fdiv.f(a, b)                -> f32div.aaa a b
# x without its sign, or the opposite sign.
fneg.f(a)                   -> s = and.aaiz12 a 0x80000000; o = or.aaiz12 a 0x80000000; andc.aaa o s
call.llvm.fabs.f32(a)       -> andc.aaiz12 a 0x80000000
fneg.f(call.llvm.fabs.f32(a)) -> or.aaiz12 a 0x80000000
call.llvm.copysign.f32(a, b) -> s = and.aaiz12 b 0x80000000; m = andc.aaiz12 a 0x80000000; or.aaa m s
call.llvm.sqrt.f32(a)       -> f32sqrt.aa a
call.llvm.minnum.f32(a, b)  -> f32min.aaa a b
call.llvm.maxnum.f32(a, b)  -> f32max.aaa a b
bitcast.f.s(a)              -> atom.ma a
fptosi.f.s(a)               -> i = f32int.aazi4 a 3; t = f32toi32.aa i; atom.ma t
fptoui.f.s(a)               -> i = f32int.aazi4 a 3; t = f32toui32.aa i; atom.ma t
call.ipu.to_half(a)         -> h = f32tof16.aa a; w = atom.ma h; and.mmm w =0xFFFF
call.ipu.rounded.f32(a)     -> h = f32tof16.aa a; f16tof32.aa h
fpext.half.f(a)             -> f16tof32.aa a
# Branches: the selector adds the target.
br.if(a)                    -> brnz.mtarget a
br.if(xor.c(a, b:true))     -> brz.mtarget a
br.if(icmp.ne.s(a, b:zero)) -> brnz.mtarget a
br.if(icmp.eq.s(a, b:zero)) -> brz.mtarget a
br.if(icmp.slt.s(a, b:zero)) -> brneg.mtarget a
br.if(icmp.sgt.s(a, b:minus_one)) -> brpos.mtarget a
br.if(icmp.sge.s(a, b:zero)) -> brpos.mtarget a
"""


# Pairs: p are floats, k masks. One number for both lanes is read from one register, if it is the first operand.
_PAIR_ARITHMETIC = {"fadd": "f32v2add", "fmul": "f32v2mul", "fsub": "f32v2sub"}
_PAIR_BINARY = """
{op}.p(a, b)                -> {row}.a2a2a2 a b
{op}.p(splat(a), b)         -> {row}.a2aBa2 a b
"""
_PAIR_COMMUTED = """
{op}.p(b, splat(a))         -> {row}.a2aBa2 a b
"""
_PAIR_COMPARISONS = {
    # condition: that of the row, whether the row says the opposite, the row for exchanged operands
    "oeq": ("eq", False, "eq"), "une": ("ne", False, "ne"), "olt": ("lt", False, "gt"), "ole": ("le", False, "ge"),
    "ogt": ("gt", False, "lt"), "oge": ("ge", False, "le"), "ult": ("ge", True, "le"), "ule": ("gt", True, "lt"),
    "ugt": ("le", True, "ge"), "uge": ("lt", True, "gt"),
}  # fmt: skip
_PAIR_TRUE = """
fcmp.{condition}.p({operands}) -> {row} a b
"""
_PAIR_FALSE = """
fcmp.{condition}.p({operands}) -> t = {row} a b; not64.a2a2 t
select.k.p(fcmp.{condition}.p({operands}), x, y) -> t = {row} a b; p = andc64.a2a2a2 x t; q = and64.a2a2a2 t y; or64.a2a2a2 p q
"""
_PAIR_EITHER = "i = f32v2cmplt.a2a2a2 a b; j = f32v2cmpgt.a2a2a2 a b"
_PAIR_OTHERS = f"""
fcmp.one.p(a, b)            -> {_PAIR_EITHER}; or64.a2a2a2 i j
fcmp.ueq.p(a, b)            -> {_PAIR_EITHER}; t = or64.a2a2a2 i j; not64.a2a2 t
fcmp.ord.p(a, b)            -> i = f32v2cmpeq.a2a2a2 a a; j = f32v2cmpeq.a2a2a2 b b; and64.a2a2a2 i j
fcmp.uno.p(a, b)            -> i = f32v2cmpne.a2a2a2 a a; j = f32v2cmpne.a2a2a2 b b; or64.a2a2a2 i j
select.k.p(m, x, y)         -> p = and64.a2a2a2 m x; q = andc64.a2a2a2 y m; or64.a2a2a2 p q
select.k.p(m, x, z:pair_zero) -> and64.a2a2a2 m x
select.k.p(m, z:pair_zero, y) -> andc64.a2a2a2 y m
select.k.p(xor.k(m, t:all_on), x, y) -> p = andc64.a2a2a2 x m; q = and64.a2a2a2 m y; or64.a2a2a2 p q
select.k.k(m, x, y)         -> p = and64.a2a2a2 m x; q = andc64.a2a2a2 y m; or64.a2a2a2 p q
select.k.k(m, x, z:pair_zero) -> and64.a2a2a2 m x
select.k.k(m, z:pair_zero, y) -> andc64.a2a2a2 y m
select.k.k(m, x:all_on, y)  -> or64.a2a2a2 m y
and.k(a, b)                 -> and64.a2a2a2 a b
and.k(a, xor.k(b, t:all_on)) -> andc64.a2a2a2 a b
and.k(xor.k(b, t:all_on), a) -> andc64.a2a2a2 a b
or.k(a, b)                  -> or64.a2a2a2 a b
xor.k(a, b)                 -> p = andc64.a2a2a2 a b; q = andc64.a2a2a2 b a; or64.a2a2a2 p q
xor.k(a, t:all_on)          -> not64.a2a2 a
call.ipu.rounded.v2f32(a)   -> h = f32v2tof16.aa2 a; f16v2tof32.a2a h
call.ipu.or(a, b)           -> or.aaa a b
call.ipu.and(a, b)          -> and.aaa a b
call.llvm.minnum.v2f32(a, b) -> f32v2min.a2a2a2 a b
call.llvm.maxnum.v2f32(a, b) -> f32v2max.a2a2a2 a b
"""


def _pair_text() -> str:
    parts = []
    for op, row in _PAIR_ARITHMETIC.items():
        parts.append(_PAIR_BINARY.format(op=op, row=row))
        if op != "fsub":
            parts.append(_PAIR_COMMUTED.format(op=op, row=row))
    for condition, (relation, is_opposite, exchanged) in _PAIR_COMPARISONS.items():
        text = _PAIR_FALSE if is_opposite else _PAIR_TRUE
        ways = (("a, b", f"{relation}.a2a2a2"), ("splat(a), b", f"{relation}.a2aBa2"), ("b, splat(a)", f"{exchanged}.a2aBa2"))
        parts += [text.format(condition=condition, operands=operands, row=f"f32v2cmp{row}") for operands, row in ways]
    return "\n".join([_PAIR_OTHERS, *parts])


def _text() -> str:
    parts = []
    for op, (row, kind, immediate) in _INTEGER.items():
        parts.append(_BINARY.format(op=op, row=row))
        if kind:
            parts.append(_SHORT.format(op=op, row=row, kind=kind, immediate=immediate))
            if op in _COMMUTATIVE:
                parts.append(_COMMUTED.format(op=op, row=row, kind=kind, immediate=immediate))
    for condition, row, operands, is_opposite in _CONDITIONS:
        parts.append((_OPPOSITE if is_opposite else _DIRECT).format(condition=condition, row=row, operands=operands))
    for condition, kind, row, is_opposite in _SHORT_CONDITIONS:
        parts.append((_OPPOSITE_SHORT if is_opposite else _DIRECT_SHORT).format(condition=condition, row=row, kind=kind))
    for condition, (mask, is_opposite) in _MASKS.items():
        parts.append((_FLOAT_FALSE if is_opposite else _FLOAT_TRUE).format(condition=condition, mask=mask))
    parts += [f"call.llvm.{name}.f32(a) -> f32int.aazi4 a {mode}" for name, mode in _ROUNDING.items()]
    return "\n".join([*parts, _OTHERS, _pair_text()])


RULES: dict[str, list[SelectionRule]] = rules(_text())
