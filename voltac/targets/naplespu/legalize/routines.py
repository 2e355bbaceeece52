"""Operations too long to be written out at each place: functions in LLVM assembly, legalized with the module.

    call { <16 x i32>, ... } @npu.divide.v(<16 x i32> %a.0, ...)

Each is written once, with ``T(i64)`` for ``i64`` or ``<16 x i64>``, ``K(i64 5)`` for a constant in every lane,
and ``ANY(%c)`` for "in some lane". A module gets those it calls.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from voltac.targets.naplespu.legalize.shapes import vector_of

if TYPE_CHECKING:
    from voltac.targets.naplespu.legalize.function import Legalizer, Words

_DIVIDE = """\
define internal { T(i64), T(i64) } @NAME(T(i64) %a, T(i64) %b) nounwind noinline {
entry:
  %ah = lshr T(i64) %a, K(i64 32)
  %bh = lshr T(i64) %b, K(i64 32)
  %high = or T(i64) %ah, %bh
  %wide = icmp ne T(i64) %high, K(i64 0)
  br i1 ANY(%wide), label %long, label %short
short:
  %as = trunc T(i64) %a to T(i32)
  %bs = trunc T(i64) %b to T(i32)
  %qs = udiv T(i32) %as, %bs
  %ps = mul T(i32) %qs, %bs
  %rs = sub T(i32) %as, %ps
  %qz = zext T(i32) %qs to T(i64)
  %rz = zext T(i32) %rs to T(i64)
  br label %done
long:
  br label %step
step:
  %count = phi i32 [ 64, %long ], [ %less, %step ]
  %left = phi T(i64) [ %a, %long ], [ %quotient, %step ]
  %rest = phi T(i64) [ K(i64 0), %long ], [ %remainder, %step ]
  %top = lshr T(i64) %left, K(i64 63)
  %over = icmp slt T(i64) %rest, K(i64 0)
  %twice = shl T(i64) %rest, K(i64 1)
  %next = or T(i64) %twice, %top
  %enough = icmp uge T(i64) %next, %b
  %fits = or T(i1) %enough, %over
  %reduced = sub T(i64) %next, %b
  %remainder = select T(i1) %fits, T(i64) %reduced, T(i64) %next
  %bit = zext T(i1) %fits to T(i64)
  %shifted = shl T(i64) %left, K(i64 1)
  %quotient = or T(i64) %shifted, %bit
  %less = add i32 %count, -1
  %more = icmp ne i32 %less, 0
  br i1 %more, label %step, label %done
done:
  %q = phi T(i64) [ %qz, %short ], [ %quotient, %step ]
  %r = phi T(i64) [ %rz, %short ], [ %remainder, %step ]
  %both = insertvalue { T(i64), T(i64) } poison, T(i64) %q, 0
  %all = insertvalue { T(i64), T(i64) } %both, T(i64) %r, 1
  ret { T(i64), T(i64) } %all
}
"""

# The remainder keeps the dividend's sign: mantissas are subtracted and doubled once for each power of two between the two.
_REMAINDER = """\
define internal T(float) @NAME(T(float) %x, T(float) %y) nounwind noinline {
entry:
  %xb = bitcast T(float) %x to T(i32)
  %yb = bitcast T(float) %y to T(i32)
  %mx = and T(i32) %xb, K(i32 2147483647)
  %my = and T(i32) %yb, K(i32 2147483647)
  %sign = xor T(i32) %xb, %mx
  %zx = call T(i32) CTLZ(T(i32) %mx, i1 false)
  %zy = call T(i32) CTLZ(T(i32) %my, i1 false)
  %tx = icmp ult T(i32) %mx, K(i32 8388608)
  %ty = icmp ult T(i32) %my, K(i32 8388608)
  %lx = sub T(i32) %zx, K(i32 8)
  %ly = sub T(i32) %zy, K(i32 8)
  %sx = select T(i1) %tx, T(i32) %lx, T(i32) K(i32 0)
  %sy = select T(i1) %ty, T(i32) %ly, T(i32) K(i32 0)
  %fx = and T(i32) %mx, K(i32 8388607)
  %fy = and T(i32) %my, K(i32 8388607)
  %nx = or T(i32) %fx, K(i32 8388608)
  %ny = or T(i32) %fy, K(i32 8388608)
  %cx = shl T(i32) %mx, %sx
  %cy = shl T(i32) %my, %sy
  %ix = select T(i1) %tx, T(i32) %cx, T(i32) %nx
  %iy = select T(i1) %ty, T(i32) %cy, T(i32) %ny
  %px = lshr T(i32) %mx, K(i32 23)
  %py = lshr T(i32) %my, K(i32 23)
  %qx = sub T(i32) K(i32 1), %sx
  %qy = sub T(i32) K(i32 1), %sy
  %ex = select T(i1) %tx, T(i32) %qx, T(i32) %px
  %ey = select T(i1) %ty, T(i32) %qy, T(i32) %py
  %yzero = icmp eq T(i32) %my, K(i32 0)
  %ynan = icmp ugt T(i32) %my, K(i32 2139095040)
  %xspecial = icmp uge T(i32) %mx, K(i32 2139095040)
  %bad1 = or T(i1) %yzero, %ynan
  %bad = or T(i1) %bad1, %xspecial
  %smaller = icmp ult T(i32) %mx, %my
  %skip = or T(i1) %bad, %smaller
  %distance = sub T(i32) %ex, %ey
  %steps = select T(i1) %skip, T(i32) K(i32 0), T(i32) %distance
  br label %test
test:
  %part = phi T(i32) [ %ix, %entry ], [ %kept, %step ]
  %left = phi T(i32) [ %steps, %entry ], [ %fewer, %step ]
  %going = icmp sgt T(i32) %left, K(i32 0)
  br i1 ANY(%going), label %step, label %done
step:
  %less = sub T(i32) %part, %iy
  %fits = icmp uge T(i32) %part, %iy
  %chosen = select T(i1) %fits, T(i32) %less, T(i32) %part
  %twice = shl T(i32) %chosen, K(i32 1)
  %kept = select T(i1) %going, T(i32) %twice, T(i32) %part
  %one = zext T(i1) %going to T(i32)
  %fewer = sub T(i32) %left, %one
  br label %test
done:
  %last = sub T(i32) %part, %iy
  %lastfits = icmp uge T(i32) %part, %iy
  %rest = select T(i1) %lastfits, T(i32) %last, T(i32) %part
  %zero = icmp eq T(i32) %rest, K(i32 0)
  %zr = call T(i32) CTLZ(T(i32) %rest, i1 false)
  %sr = sub T(i32) %zr, K(i32 8)
  %nr0 = select T(i1) %zero, T(i32) K(i32 0), T(i32) %sr
  %nr = shl T(i32) %rest, %nr0
  %er = sub T(i32) %ey, %nr0
  %normal = icmp sgt T(i32) %er, K(i32 0)
  %em = sub T(i32) %er, K(i32 1)
  %ef = shl T(i32) %em, K(i32 23)
  %rn = add T(i32) %ef, %nr
  %down0 = sub T(i32) K(i32 1), %er
  %down1 = icmp ult T(i32) %down0, K(i32 31)
  %down = select T(i1) %down1, T(i32) %down0, T(i32) K(i32 31)
  %rd = lshr T(i32) %nr, %down
  %size0 = select T(i1) %normal, T(i32) %rn, T(i32) %rd
  %size = select T(i1) %zero, T(i32) K(i32 0), T(i32) %size0
  %signed = or T(i32) %size, %sign
  %r1 = select T(i1) %smaller, T(i32) %xb, T(i32) %signed
  %r2 = select T(i1) %bad, T(i32) K(i32 2143289344), T(i32) %r1
  %result = bitcast T(i32) %r2 to T(float)
  ret T(float) %result
}
"""

# Product and addend as 64-bit numbers with bits to spare, what is shifted out kept in the lowest bit, one rounding.
_FUSED = """\
define internal T(float) @NAME(T(float) %x, T(float) %y, T(float) %z) nounwind noinline {
entry:
  %xb = bitcast T(float) %x to T(i32)
  %yb = bitcast T(float) %y to T(i32)
  %zb = bitcast T(float) %z to T(i32)
  %mx = and T(i32) %xb, K(i32 2147483647)
  %my = and T(i32) %yb, K(i32 2147483647)
  %mz = and T(i32) %zb, K(i32 2147483647)
UNPACK(x)
UNPACK(y)
UNPACK(z)
  %wx = zext T(i32) %ix to T(i64)
  %wy = zext T(i32) %iy to T(i64)
  %wz = zext T(i32) %iz to T(i64)
  %p0 = mul T(i64) %wx, %wy
  %p = shl T(i64) %p0, K(i64 14)
  %c = shl T(i64) %wz, K(i64 38)
  %sp0 = add T(i32) %ex, %ey
  %sp = sub T(i32) %sp0, K(i32 314)
  %sc = sub T(i32) %ez, K(i32 188)
  %dp0 = sub T(i32) %sc, %sp
  %dc0 = sub T(i32) %sp, %sc
  %addend_high = icmp sgt T(i32) %dp0, K(i32 0)
  %dp1 = select T(i1) %addend_high, T(i32) %dp0, T(i32) K(i32 0)
  %dc1 = select T(i1) %addend_high, T(i32) K(i32 0), T(i32) %dc0
  %dp2 = icmp ult T(i32) %dp1, K(i32 63)
  %dc2 = icmp ult T(i32) %dc1, K(i32 63)
  %dp3 = select T(i1) %dp2, T(i32) %dp1, T(i32) K(i32 63)
  %dc3 = select T(i1) %dc2, T(i32) %dc1, T(i32) K(i32 63)
  %dp = zext T(i32) %dp3 to T(i64)
  %dc = zext T(i32) %dc3 to T(i64)
  %scale = select T(i1) %addend_high, T(i32) %sc, T(i32) %sp
  %pd = lshr T(i64) %p, %dp
  %pu = shl T(i64) %pd, %dp
  %pl = icmp ne T(i64) %pu, %p
  %ps = zext T(i1) %pl to T(i64)
  %pj = or T(i64) %pd, %ps
  %cd = lshr T(i64) %c, %dc
  %cu = shl T(i64) %cd, %dc
  %cl = icmp ne T(i64) %cu, %c
  %cs = zext T(i1) %cl to T(i64)
  %cj = or T(i64) %cd, %cs
  %psign0 = xor T(i32) %xb, %yb
  %psign = and T(i32) %psign0, K(i32 -2147483648)
  %csign = and T(i32) %zb, K(i32 -2147483648)
  %differ0 = xor T(i32) %psign, %csign
  %differ = icmp ne T(i32) %differ0, K(i32 0)
  %total = add T(i64) %pj, %cj
  %first = sub T(i64) %pj, %cj
  %second = sub T(i64) %cj, %pj
  %pless = icmp ult T(i64) %pj, %cj
  %gap = select T(i1) %pless, T(i64) %second, T(i64) %first
  %gapsign0 = select T(i1) %pless, T(i32) %csign, T(i32) %psign
  %nothing0 = icmp eq T(i64) %gap, K(i64 0)
  %gapsign = select T(i1) %nothing0, T(i32) K(i32 0), T(i32) %gapsign0
  %s = select T(i1) %differ, T(i64) %gap, T(i64) %total
  %sign = select T(i1) %differ, T(i32) %gapsign, T(i32) %psign
  %sl = trunc T(i64) %s to T(i32)
  %sh0 = lshr T(i64) %s, K(i64 32)
  %sh = trunc T(i64) %sh0 to T(i32)
  %zh = call T(i32) CTLZ(T(i32) %sh, i1 false)
  %zl0 = call T(i32) CTLZ(T(i32) %sl, i1 false)
  %zl = add T(i32) %zl0, K(i32 32)
  %nohigh = icmp eq T(i32) %sh, K(i32 0)
  %zs0 = select T(i1) %nohigh, T(i32) %zl, T(i32) %zh
  %zs = and T(i32) %zs0, K(i32 63)
  %zw = zext T(i32) %zs to T(i64)
  %n = shl T(i64) %s, %zw
  %e0 = sub T(i32) %scale, %zs
  %e = add T(i32) %e0, K(i32 190)
  %low = sub T(i32) K(i32 1), %e
  %tiny = icmp sgt T(i32) %low, K(i32 0)
  %low1 = select T(i1) %tiny, T(i32) %low, T(i32) K(i32 0)
  %low2 = icmp ult T(i32) %low1, K(i32 63)
  %low3 = select T(i1) %low2, T(i32) %low1, T(i32) K(i32 63)
  %lw = zext T(i32) %low3 to T(i64)
  %nd = lshr T(i64) %n, %lw
  %nu = shl T(i64) %nd, %lw
  %nl = icmp ne T(i64) %nu, %n
  %ns = zext T(i1) %nl to T(i64)
  %nj = or T(i64) %nd, %ns
  %e1 = select T(i1) %tiny, T(i32) K(i32 1), T(i32) %e
  %m0 = lshr T(i64) %nj, K(i64 40)
  %m = trunc T(i64) %m0 to T(i32)
  %below = and T(i64) %nj, K(i64 1099511627775)
  %over = icmp ugt T(i64) %below, K(i64 549755813888)
  %tie = icmp eq T(i64) %below, K(i64 549755813888)
  %odd0 = and T(i32) %m, K(i32 1)
  %odd = icmp ne T(i32) %odd0, K(i32 0)
  %tieup = and T(i1) %tie, %odd
  %up0 = or T(i1) %over, %tieup
  %up = zext T(i1) %up0 to T(i32)
  %m1 = add T(i32) %m, %up
  %e2 = sub T(i32) %e1, K(i32 1)
  %e3 = shl T(i32) %e2, K(i32 23)
  %r0 = add T(i32) %e3, %m1
  %huge0 = icmp sgt T(i32) %e1, K(i32 254)
  %huge1 = icmp ugt T(i32) %r0, K(i32 2139095040)
  %huge = or T(i1) %huge0, %huge1
  %r1 = select T(i1) %huge, T(i32) K(i32 2139095040), T(i32) %r0
  %nothing = icmp eq T(i64) %s, K(i64 0)
  %r2 = select T(i1) %nothing, T(i32) K(i32 0), T(i32) %r1
  %r3 = or T(i32) %r2, %sign
  %plain0 = fmul T(float) %x, %y
  %plain1 = fadd T(float) %plain0, %z
  %plain2 = bitcast T(float) %plain1 to T(i32)
  %product = bitcast T(float) %plain0 to T(i32)
  %x0 = icmp eq T(i32) %mx, K(i32 0)
  %y0 = icmp eq T(i32) %my, K(i32 0)
  %z0 = icmp eq T(i32) %mz, K(i32 0)
  %xi = icmp uge T(i32) %mx, K(i32 2139095040)
  %yi = icmp uge T(i32) %my, K(i32 2139095040)
  %zi = icmp uge T(i32) %mz, K(i32 2139095040)
  %pzero = or T(i1) %x0, %y0
  %pinf = or T(i1) %xi, %yi
  %special0 = or T(i1) %pzero, %pinf
  %special1 = or T(i1) %special0, %zi
  %zonly = xor T(i1) %special1, K(i1 true)
  %alone = and T(i1) %zonly, %z0
  %finite = xor T(i1) %pinf, K(i1 true)
  %infinite = and T(i1) %zi, %finite
  %r4 = select T(i1) %special1, T(i32) %plain2, T(i32) %r3
  %r5 = select T(i1) %infinite, T(i32) %zb, T(i32) %r4
  %r6 = select T(i1) %alone, T(i32) %product, T(i32) %r5
  %result = bitcast T(i32) %r6 to T(float)
  ret T(float) %result
}
"""
_UNPACK = """\
  %u$ = call T(i32) CTLZ(T(i32) %m$, i1 false)
  %t$ = icmp ult T(i32) %m$, K(i32 8388608)
  %l$ = sub T(i32) %u$, K(i32 8)
  %s$ = select T(i1) %t$, T(i32) %l$, T(i32) K(i32 0)
  %f$ = and T(i32) %m$, K(i32 8388607)
  %n$ = or T(i32) %f$, K(i32 8388608)
  %k$ = and T(i32) %s$, K(i32 31)
  %d$ = shl T(i32) %m$, %k$
  %i$ = select T(i1) %t$, T(i32) %d$, T(i32) %n$
  %a$ = lshr T(i32) %m$, K(i32 23)
  %b$ = sub T(i32) K(i32 1), %s$
  %e$ = select T(i1) %t$, T(i32) %b$, T(i32) %a$"""


def _ascending(name: str, before: str, first: str, last: str, step: int, body: str, behind: str) -> str:
    """A loop over ``%NAME.at`` from ``first``, which comes from the block ``before``, to ``last``."""
    return f"""\
{name}.test:
  %{name}.at = phi i32 [ {first}, %{before} ], [ %{name}.next, %{name} ]
  %{name}.more = icmp ult i32 %{name}.at, {last}
  br i1 %{name}.more, label %{name}, label %{behind}
{name}:
  %{name}.to = getelementptr i8, ptr %to, i32 %{name}.at
{body}  %{name}.next = add i32 %{name}.at, {step}
  br label %{name}.test
"""


def _moved(name: str, type: str, alignment: int, at: str) -> str:
    return f"""\
  %{name}.from = getelementptr i8, ptr %from, i32 {at}
  %{name}.value = load {type}, ptr %{name}.from, align {alignment}
  store {type} %{name}.value, ptr %{name}.to, align {alignment}
"""


_COPY = f"""\
define internal void @NAME(ptr %to, ptr %from, i32 %size) nounwind noinline {{
entry:
  %a = ptrtoint ptr %to to i32
  %b = ptrtoint ptr %from to i32
  %either = or i32 %a, %b
  %low = and i32 %either, 3
  %aligned = icmp eq i32 %low, 0
  %gap = sub i32 %a, %b
  %backward = icmp ult i32 %gap, %size
  %whole = and i32 %size, -4
  %words = select i1 %aligned, i32 %whole, i32 0
  br i1 %backward, label %back.test, label %word.test
{_ascending("word", "entry", "0", "%words", 4, _moved("word", "i32", 4, "%word.at"), "byte.test")}\
{_ascending("byte", "word.test", "%words", "%size", 1, _moved("byte", "i8", 1, "%byte.at"), "done")}\
back.test:
  %left = phi i32 [ %size, %entry ], [ %left.next, %back ]
  %left.more = icmp ne i32 %left, 0
  br i1 %left.more, label %back, label %done
back:
  %left.next = add i32 %left, -1
  %back.to = getelementptr i8, ptr %to, i32 %left.next
{_moved("back", "i8", 1, "%left.next")}\
  br label %back.test
done:
  ret void
}}
"""

_WORD_STORED = "  store i32 %four, ptr %word.to, align 4\n"
_BYTE_STORED = "  store i8 %value, ptr %single.to, align 1\n"
_FILL = f"""\
define internal void @NAME(ptr %to, i32 %byte, i32 %size) nounwind noinline {{
entry:
  %value = trunc i32 %byte to i8
  %low = and i32 %byte, 255
  %four = mul i32 %low, 16843009
  %a = ptrtoint ptr %to to i32
  %odd = and i32 %a, 3
  %aligned = icmp eq i32 %odd, 0
  %whole = and i32 %size, -4
  %words = select i1 %aligned, i32 %whole, i32 0
  br label %word.test
{_ascending("word", "entry", "0", "%words", 4, _WORD_STORED, "single.test")}\
{_ascending("single", "word.test", "%words", "%size", 1, _BYTE_STORED, "done")}\
done:
  ret void
}}
"""

ROUTINES: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "divide": (_DIVIDE, ("i32",) * 4, ("i32",) * 4),
    "remainder": (_REMAINDER, ("float", "float"), ("float",)),
    "fused": (_FUSED, ("float",) * 3, ("float",)),
    "copy": (_COPY, ("ptr", "ptr", "i32"), ()),
    "fill": (_FILL, ("ptr", "i32", "i32"), ()),
}
"""Name -> text, legal parameter types and legal result types of the scalar form."""


def routine_name(name: str, vector: bool) -> str:
    return f"npu.{name}{'.v' if vector else ''}"


def call_routine(f: Legalizer, name: str, vector: bool, arguments: Words) -> Words:
    """A call on words."""
    _, parameters, results = ROUTINES[name]
    w = f.write
    w.routines.add(routine_name(name, vector))
    given = ", ".join(f"{vector_of(type, vector)} {argument}" for type, argument in zip(parameters, arguments))
    types = [vector_of(type, vector) for type in results]
    whole = "void" if not types else types[0] if len(types) == 1 else f"{{ {', '.join(types)} }}"
    text = f"call {whole} @{routine_name(name, vector)}({given})"
    if not types:
        w.emit(text)
        return []
    made = w.value(text)
    if len(types) == 1:
        return [made]
    return [w.value(f"extractvalue {whole} {made}, {number}") for number in range(len(types))]


def routine_text(name: str) -> str:
    """The definition, before legalization."""
    vector = name.endswith(".v")
    text = ROUTINES[name.removeprefix("npu.").removesuffix(".v")][0].replace("NAME", name)
    text = re.sub(r"UNPACK\((\w)\)", lambda found: _UNPACK.replace("$", found[1]), text)
    number = 0
    lines: list[str] = []
    for line in text.splitlines():
        if match := re.search(r"ANY\((%\w+)\)", line):
            condition = match[1]
            if vector:
                number += 1
                lines.append(f"  %bits.{number} = bitcast <16 x i1> {condition} to i16")
                lines.append(f"  %some.{number} = icmp ne i16 %bits.{number}, 0")
                condition = f"%some.{number}"
            line = line.replace(match[0], condition)
        lines.append(line)
    text = "\n".join(lines) + "\n"
    text = text.replace("CTLZ", "@llvm.ctlz.v16i32" if vector else "@llvm.ctlz.i32")
    text = re.sub(r"T\((\w+)\)", lambda found: vector_of(found[1], vector), text)
    return re.sub(r"K\((\w+) ([-\w]+)\)", lambda found: f"splat ({found[1]} {found[2]})" if vector else found[2], text)
