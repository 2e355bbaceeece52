"""Operations of floats that few machines have, on their bits: routines (``routines.py``) for those that list them.

    %r = frem float %a, %b                                    ->    call float @remainder(float %a, float %b)
    %r = call float @llvm.fma.f32(float %a, float %b, float %c)      ->    call float @fused(...)

Both round as IEEE 754 says. What is written once for all arguments in ``UNPACK(x)`` is the number's bits taken apart.
"""

from __future__ import annotations

import re

from voltac.codegen.legalize.function import Routine

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


def _unpacked(text: str) -> str:
    return re.sub(r"UNPACK\((\w)\)", lambda found: _UNPACK.replace("$", found[1]), text)


FLOAT_ROUTINES: dict[str, Routine] = {
    "remainder": Routine(_unpacked(_REMAINDER), ("float", "float"), ("float",)),
    "fused": Routine(_unpacked(_FUSED), ("float",) * 3, ("float",)),
}
