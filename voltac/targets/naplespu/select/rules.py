"""The selection rules of NaplesPU, see ``codegen/patterns.py`` for how they are written.

Letters of shapes: ``s`` a scalar of 32 bits, ``v`` a vector of 16, ``c`` an ``i1``
(0 or 1 in a register), ``b`` a ``<16 x i1>`` (a bitmap in a scalar register, the upper
half zero), ``h`` an ``i16`` and ``y`` an ``i8`` (zero-extended in a register).
"""

from __future__ import annotations

from voltac.codegen.patterns import SelectionRule, rules

_BINARY = """
{op}.s(a, b)                -> {row}.sss a b
{op}.v(a, b)                -> {row}.vvv a b
# A scalar that is in every lane of an operand stays a scalar.
{op}.v(a, splat(b))         -> {row}.vvs a b
{op}.v(splat(a), b)         -> {row}.vsv a b
{op}.v(splat(a), splat(b))  -> {row}.vss a b
"""

_SHORT = """
{op}.s(a, b:imm9)           -> {short}.ssi a b
{op}.v(a, splat(b:imm9))    -> {short}.vvi a b
{op}.v(splat(a), splat(b:imm9)) -> {short}.vsi a b
"""

_COMMUTATIVE_SHORT = """
{op}.s(b:imm9, a)           -> {short}.ssi a b
{op}.v(splat(b:imm9), a)    -> {short}.vvi a b
"""

_COMPARE = """
icmp.{condition}.s(a, b)             -> {row}_i32.sss a b
icmp.{condition}.s(a, b:imm9)        -> {row}i.ssi a b
icmp.{condition}.v(a, b)             -> {row}_i32.svv a b
icmp.{condition}.v(a, splat(b))      -> {row}_i32.svs a b
icmp.{condition}.v(a, splat(b:imm9)) -> {row}i.svi a b
icmp.{condition}.s(b:imm9, a)        -> {swapped}i.ssi a b
icmp.{condition}.v(splat(b), a)      -> {swapped}_i32.svs a b
icmp.{condition}.v(splat(b:imm9), a) -> {swapped}i.svi a b
# "Not" of a comparison is the opposite comparison. On 32 bits only: that of floats knows no NaN.
xor.c(icmp.{condition}.s(a, b), one:true)             -> {opposite}_i32.sss a b
xor.c(icmp.{condition}.s(a, b:imm9), one:true)        -> {opposite}i.ssi a b
xor.b(icmp.{condition}.v(a, b), one:true)             -> {opposite}_i32.svv a b
xor.b(icmp.{condition}.v(a, splat(b)), one:true)      -> {opposite}_i32.svs a b
xor.b(icmp.{condition}.v(a, splat(b:imm9)), one:true) -> {opposite}i.svi a b
"""

_AND_NOT_COMPARE = """
and.b(m, xor.b(icmp.{condition}.v(a, b), one:true))             -> t = {opposite}_i32.svv a b; and_i32.sss m t
and.b(m, xor.b(icmp.{condition}.v(a, splat(b)), one:true))      -> t = {opposite}_i32.svs a b; and_i32.sss m t
and.b(m, xor.b(icmp.{condition}.v(a, splat(b:imm9)), one:true)) -> t = {opposite}i.svi a b; and_i32.sss m t
"""

_FLOAT_COMPARE = """
# The core's result for scalars is 0 or 0xFFFF.
call.npu.fcmp.{condition}(a, b)          -> t = cmpf{condition}_f32.sss a b; andi.ssi t 1
br.if(call.npu.fcmp.{condition}(a, b))   -> t = cmpf{condition}_f32.sss a b; bnez t
br.if(xor.c(call.npu.fcmp.{condition}(a, b), one:true)) -> t = cmpf{condition}_f32.sss a b; beqz t
call.npu.fcmp.{condition}.v(a, b)        -> cmpf{condition}_f32.svv a b
call.npu.fcmp.{condition}.v(a, splat(b)) -> cmpf{condition}_f32.svs a b
call.npu.fcmp.{condition}.v(splat(b), a) -> cmpf{swapped}_f32.svs a b
"""

_OTHERS = """
fneg.s(a)       -> xor_i32.sss a =0x80000000
fneg.v(a)       -> xor_i32.vvs a =0x80000000
# Products of an i1 choose without a branch, which would cost 9 cycles.
select.c.s(c, a, b)           -> d = sub_i32.sss a b; e = mull_i32.sss c d; add_i32.sss e b
select.c.s(c, a, b:imm9)      -> d = subi.ssi a b; e = mull_i32.sss c d; addi.ssi e b
select.c.s(c, a, b:zero)      -> mull_i32.sss c a
select.c.s(c, a:imm9, b:zero) -> mulli.ssi c a
select.c.s(c, a:zero, b)      -> d = xori.ssi c 1; mull_i32.sss d b
select.c.c(c, a, b)           -> d = xor_i32.sss a b; e = and_i32.sss c d; xor_i32.sss e b
select.c.c(c, a, b:zero)      -> and_i32.sss c a
select.c.c(c, a:true, b)      -> or_i32.sss c b
select.c.c(c, a:zero, b)      -> d = xori.ssi c 1; and_i32.sss d b
select.c.c(c, a, b:true)      -> d = xori.ssi c 1; or_i32.sss d a
select.c.c(c, a:zero, b:true) -> xori.ssi c 1
select.c.b(c, a, b)           -> d = sub_i32.sss a b; e = mull_i32.sss c d; add_i32.sss e b
select.c.b(c, a, b:zero)      -> mull_i32.sss c a
select.b.b(c, a, b)           -> d = xor_i32.sss a b; e = and_i32.sss c d; xor_i32.sss e b
select.b.b(c, a, b:zero)      -> and_i32.sss c a
select.b.b(c, a:true, b)      -> or_i32.sss c b
select.b.b(c, a:zero, b)      -> d = and_i32.sss c b; xor_i32.sss d b
and.c(a, b)     -> and_i32.sss a b
or.c(a, b)      -> or_i32.sss a b
xor.c(a, b)     -> xor_i32.sss a b
xor.c(a, b:true) -> xori.ssi a 1
and.b(a, b)     -> and_i32.sss a b
or.b(a, b)      -> or_i32.sss a b
xor.b(a, b)     -> xor_i32.sss a b
# a & ~b: the lanes of a bitmap that another has not.
and.b(a, xor.b(b, one:true)) -> t = and_i32.sss a b; xor_i32.sss t a
and.b(xor.b(b, one:true), a) -> t = and_i32.sss a b; xor_i32.sss t a
icmp.ne.c(a, b) -> xor_i32.sss a b
icmp.eq.c(a, b) -> t = xor_i32.sss a b; xori.ssi t 1
sext.c.s(a)     -> mulli.ssi a -1
sext.c.h(a)     -> mull_i32.sss a =0xFFFF
sext.h.s(a)     -> sext16_i32.ss a
sext.y.s(a)     -> sext8_i32.ss a
# A shift up and back down is how legal IR extends a sign.
ashr.s(shl.s(a, l:count24), r:count24)               -> sext8_i32.ss a
ashr.s(shl.s(a, l:count16), r:count16)               -> sext16_i32.ss a
ashr.v(shl.v(a, splat(l:count24)), splat(r:count24)) -> sext8_i32.vv a
ashr.v(shl.v(a, splat(l:count16)), splat(r:count16)) -> sext16_i32.vv a
trunc.s.c(a)    -> andi.ssi a 1
trunc.s.y(a)    -> andi.ssi a 255
trunc.s.h(a)    -> and_i32.sss a =0xFFFF
trunc.v.b(a)    -> crt_mask_i32.sv a
icmp.eq.h(a, b) -> cmpeq_i32.sss a b
icmp.ne.h(a, b) -> cmpne_i32.sss a b
icmp.eq.h(a, b:imm9) -> cmpeqi.ssi a b
icmp.ne.h(a, b:imm9) -> cmpnei.ssi a b
sitofp.s.s(a)   -> itof_i32.ss a
sitofp.v.v(a)   -> itof_i32.vv a
fptosi.s.s(a)   -> ftoi_i32.ss a
fptosi.v.v(a)   -> ftoi_i32.vv a
call.llvm.ctlz.i32(a, p)    -> clz_i32.ss a
call.llvm.cttz.i32(a, p)    -> ctz_i32.ss a
call.llvm.ctlz.v16i32(a, p) -> clz_i32.vv a
call.llvm.cttz.v16i32(a, p) -> ctz_i32.vv a
call.npu.shuffle(a, b)      -> shuffle_i32.vvv a b
call.npu.barrier(a, b)      -> barrier a b
call.npu.flush(a)           -> flush a
call.npu.invalidate(a)      -> dcache_inv a
call.npu.read_control(a)    -> read_cr a
call.npu.write_control(a, b) -> write_cr a b
call.npu.read_mask()        -> read_mr
call.npu.write_mask(a)      -> write_mr a
# Branches: the selector adds the target. Any number that is not zero is true.
br.if(a)                              -> bnez a
br.if(icmp.ne.s(a, b:zero))           -> bnez a
br.if(icmp.eq.s(a, b:zero))           -> beqz a
br.if(xor.c(a, b:true))               -> beqz a
getelementptr(a, b)         -> add_i32.sss a b
getelementptr(a, b:imm9)    -> addi.ssi a b
extractelement.v(a, i)      -> getlane_i32.svs a i
extractelement.v(a, i:imm9) -> getlanei.svi a i
extractelement.b(a, i)      -> t = shr_i32.sss a i; andi.ssi t 1
extractelement.b(a, i:imm9) -> t = shri.ssi a i; andi.ssi t 1
extractelement.b(a, i:zero) -> andi.ssi a 1
"""

_INTEGER_OPERATIONS = {
    "add": "add", "sub": "sub", "mul": "mull", "and": "and", "or": "or", "xor": "xor",
    "shl": "shl", "lshr": "shr", "ashr": "ashr",
}  # fmt: skip
_COMMUTATIVE = frozenset(("add", "mul", "and", "or", "xor"))
_FLOAT_OPERATIONS = ("fadd", "fsub", "fmul", "fdiv")
_HIGH_PRODUCTS = ("mulhs", "mulhu")

# condition of icmp, mnemonic, the same with operands swapped, the opposite
_CONDITIONS = (
    ("eq", "cmpeq", "cmpeq", "cmpne"),
    ("ne", "cmpne", "cmpne", "cmpeq"),
    ("sgt", "cmpgt", "cmplt", "cmple"),
    ("sge", "cmpge", "cmple", "cmplt"),
    ("slt", "cmplt", "cmpgt", "cmpge"),
    ("sle", "cmple", "cmpge", "cmpgt"),
    ("ugt", "cmpugt", "cmpult", "cmpule"),
    ("uge", "cmpuge", "cmpule", "cmpult"),
    ("ult", "cmpult", "cmpugt", "cmpuge"),
    ("ule", "cmpule", "cmpuge", "cmpugt"),
)
_FLOAT_CONDITIONS = {"eq": "eq", "ne": "ne", "gt": "lt", "ge": "le", "lt": "gt", "le": "ge"}


def _text() -> str:
    parts = []
    for op, short in _INTEGER_OPERATIONS.items():
        row = short + "_i32"
        parts.append((_BINARY + _SHORT).format(op=op, row=row, short=short + "i"))
        if op in _COMMUTATIVE:
            parts.append(_COMMUTATIVE_SHORT.format(op=op, short=short + "i"))
    for op in _FLOAT_OPERATIONS:
        parts.append(_BINARY.format(op=op, row=op + "_f32"))
    for condition, row, swapped, opposite in _CONDITIONS:
        parts.append(_COMPARE.format(condition=condition, row=row, swapped=swapped, opposite=opposite))
    for condition, swapped in _FLOAT_CONDITIONS.items():
        parts.append(_FLOAT_COMPARE.format(condition=condition, swapped=swapped))
    for name in _HIGH_PRODUCTS:
        both = (_BINARY + _SHORT).format(op="call.npu." + name, row=name + "_i32", short=name + "i")
        # The vector forms have names of their own.
        parts.append(both.replace(f"call.npu.{name}.s", f"call.npu.{name}"))
    parts.append(_OTHERS)
    # Behind the rule for "and not" of anything.
    parts += [_AND_NOT_COMPARE.format(condition=condition, opposite=opposite) for condition, _, _, opposite in _CONDITIONS]
    return "\n".join(parts)


RULES: dict[str, list[SelectionRule]] = rules(_text())
