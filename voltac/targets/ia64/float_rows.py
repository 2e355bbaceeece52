"""Rows of the floating-point unit (IA-64 7; formats F1 to F15), scalars in register format and pairs of singles.

In meanings registers are numbers of 82 bits: sign, 17 bits of exponent, 64 of significand. ``fma(pc, sf, a, b, c)`` is a * b +
c rounded once, to the precision ``pc`` ("s", "d", or "" for what the status field says) by the status field ``sf``; ``pair`` is
the like in both singles of a significand.
"""

from __future__ import annotations

from voltac.codegen.rows import Row
from voltac.targets.ia64.shapes import F, row

_FIELDS = range(4)
"""Status fields."""


def _multiplications() -> list[Row]:
    rows = []
    for name, opcode, signs in (("fma", 8, ("", "")), ("fms", 10, ("", "-")), ("fnma", 12, ("-", ""))):
        negate = f"{signs[0]!r}, {signs[1]!r}"
        for precision, more, x in (("", 0, 0), (".s", 0, 1), (".d", 1, 0)):
            for sf in _FIELDS:
                layout = f"{opcode + more:04b} {x} {sf:02b} f4:7 f3:7 f2:7 f1:7"
                text = f"{name}{precision}.s{sf} {{f1}}={{f3}},{{f4}},{{f2}}"
                rows.append(row(text, F, layout, f"fma({precision[1:]!r}, {sf}, f3, f4, f2, {negate})", "float,status", 4))
        for sf in _FIELDS:
            layout = f"{opcode + 1:04b} 1 {sf:02b} f4:7 f3:7 f2:7 f1:7"
            text = f"fp{name[1:]}.s{sf} {{f1}}={{f3}},{{f4}},{{f2}}"
            rows.append(row(text, F, layout, f"pair_fma({sf}, f3, f4, f2, {negate})", "float,status,packed", 4))
    for name, x2, meaning in (("xma.l", 0, "False, False"), ("xma.h", 3, "True, True"), ("xma.hu", 2, "True, False")):
        layout = f"1110 1 {x2:02b} f4:7 f3:7 f2:7 f1:7"
        rows.append(row(f"{name} {{f1}}={{f3}},{{f4}},{{f2}}", F, layout, f"xma(f3, f4, f2, {meaning})", "float", 4))
    layout = "1110 0 00 f4:7 f3:7 f2:7 f1:7"
    meaning = "of_significand(significand(f3) & significand(f2) | significand(f4) & ~significand(f2))"
    rows.append(row("fselect {f1}={f3},{f4},{f2}", F, layout, meaning, "float", 4))
    return rows


def _comparisons() -> list[Row]:
    rows = []
    for relation, ra, rb in (("eq", 0, 0), ("lt", 0, 1), ("le", 1, 0), ("unord", 1, 1)):
        for unc, ta in (("", 0), (".unc", 1)):
            for sf in _FIELDS:
                layout = f"0100 {rb} {sf:02b} {ra} p2:6 f3:7 f2:7 {ta} p1:6"
                meaning = f"c = fcmp({relation!r}, {sf}, f2, f3); p1 = c; p2 = 1 - c"
                traits = "float compare,status" + (",unc" if ta else "")
                rows.append(row(f"fcmp.{relation}{unc}.s{sf} {{p1}},{{p2}}={{f2}},{{f3}}", F, layout, meaning, traits, 2))
    for unc, ta in (("", 0), (".unc", 1)):
        layout = f"0101 00 class[1:0] p2:6 class[8:2] f2:7 {ta} p1:6"
        meaning = "c = fclass(f2, class_); p1 = c; p2 = 1 - c"
        traits = "float compare,sees NaT" + (",unc" if ta else "")
        rows.append(row(f"fclass.m{unc} {{p1}},{{p2}}={{f2}},{{class}}", F, layout, meaning, traits, 2))
    for code, relation in enumerate(("eq", "lt", "le", "unord", "neq", "nlt", "nle", "ord")):
        for sf in _FIELDS:
            layout = f"0001 0 {sf:02b} 0 {0x30 + code:06b} f3:7 f2:7 f1:7"
            meaning = f"pair_compare({relation!r}, {sf}, f2, f3)"
            rows.append(row(f"fpcmp.{relation}.s{sf} {{f1}}={{f2}},{{f3}}", F, layout, meaning, "float,status,packed", 4))
    return rows


def _approximations() -> list[Row]:
    rows = []
    for prefix, op in (("f", 0), ("fp", 1)):
        for sf in _FIELDS:
            layout = f"{op:04b} 0 {sf:02b} 1 p2:6 f3:7 f2:7 f1:7"
            meaning = f"f1, p2 = {prefix}rcpa({sf}, f2, f3)"
            rows.append(row(f"{prefix}rcpa.s{sf} {{f1}},{{p2}}={{f2}},{{f3}}", F, layout, meaning, "float,status,unc", 4))
            layout = f"{op:04b} 1 {sf:02b} 1 p2:6 f3:7 0000000 f1:7"
            meaning = f"f1, p2 = {prefix}rsqrta({sf}, f3)"
            rows.append(row(f"{prefix}rsqrta.s{sf} {{f1}},{{p2}}={{f3}}", F, layout, meaning, "float,status,unc", 4))
    return rows


_EXTREMES = (("min", 0x14), ("max", 0x15), ("amin", 0x16), ("amax", 0x17))
_CONVERSIONS = (
    ("fx", 0x18, True, False),
    ("fxu", 0x19, False, False),
    ("fx.trunc", 0x1A, True, True),
    ("fxu.trunc", 0x1B, False, True),
)
"""Name, x6, whether signed, whether towards zero."""
_LANES = (
    # Name, x6, meaning of a (f2) and b (f3), each as high and low single
    ("fmix.lr", 0x39, "(a >> 32, b & L)"), ("fmix.r", 0x3A, "(a & L, b & L)"), ("fmix.l", 0x3B, "(a >> 32, b >> 32)"),
    ("fsxt.r", 0x3C, "(L * (a >> 31 & 1), b & L)"), ("fsxt.l", 0x3D, "(L * (a >> 63), b >> 32)"),
    ("fswap", 0x34, "(b & L, a >> 32)"), ("fswap.nl", 0x35, "(b & L ^ S, a >> 32)"), ("fswap.nr", 0x36, "(b & L, a >> 32 ^ S)"),
)  # fmt: skip
_BITS = (("fand", 0x2C, "a & b"), ("fandcm", 0x2D, "a & ~b"), ("for", 0x2E, "a | b"), ("fxor", 0x2F, "a ^ b"))


def _others() -> list[Row]:
    rows = []
    for sf in _FIELDS:
        for name, x6 in _EXTREMES:
            for prefix, op, function in (("f", 0, "extreme"), ("fp", 1, "pair_extreme")):
                layout = f"{op:04b} 0 {sf:02b} 0 {x6:06b} f3:7 f2:7 f1:7"
                text = f"{prefix}{name}.s{sf} {{f1}}={{f2}},{{f3}}"
                rows.append(row(text, F, layout, f"{function}({name!r}, {sf}, f2, f3)", "float,status", 4))
        for name, x6, is_signed, truncates in _CONVERSIONS:
            for prefix, op, function in (("f", 0, "to_integer"), ("fp", 1, "pair_to_integer")):
                layout = f"{op:04b} 0 {sf:02b} 0 {x6:06b} 0000000 f2:7 f1:7"
                text = f"{prefix}cvt.{name}.s{sf} {{f1}}={{f2}}"
                meaning = f"{function}({sf}, f2, {is_signed}, {truncates})"
                rows.append(row(text, F, layout, meaning, "float,status", 4))
    rows.append(row("fcvt.xf {f1}={f2}", F, "0000 0 00 0 011100 0000000 f2:7 f1:7", "of_integer(f2)", "float", 4))
    for prefix, op in (("f", 0), ("fp", 1)):
        for name, x6 in (("s", 0x10), ("ns", 0x11), ("se", 0x12)):
            layout = f"{op:04b} 0 00 0 {x6:06b} f3:7 f2:7 f1:7"
            rows.append(
                row(f"{prefix}merge.{name} {{f1}}={{f2}},{{f3}}", F, layout, f"{prefix}merge({name!r}, f2, f3)", "float", 4)
            )
    for name, x6, halves in _LANES:
        layout = f"0000 0 00 0 {x6:06b} f3:7 f2:7 f1:7"
        rows.append(row(f"{name} {{f1}}={{f2}},{{f3}}", F, layout, f"lanes(lambda a, b: {halves}, f2, f3)", "float", 4))
    layout = "0000 0 00 0 101000 f3:7 f2:7 f1:7"
    rows.append(row("fpack {f1}={f2},{f3}", F, layout, "of_significand(to_single(f2) << 32 | to_single(f3))", "float", 4))
    for name, x6, bits in _BITS:
        layout = f"0000 0 00 0 {x6:06b} f3:7 f2:7 f1:7"
        rows.append(row(f"{name} {{f1}}={{f2}},{{f3}}", F, layout, f"bitwise(lambda a, b: {bits}, f2, f3)", "float", 4))
    for sf in _FIELDS:
        layout = f"0000 0 {sf:02b} 0 000100 or7:7 and7:7 0000000"
        rows.append(row(f"fsetc.s{sf} {{and7}},{{or7}}", F, layout, f"; fsetc({sf}, and7, or7)", "sets status"))
        layout = f"0000 0 {sf:02b} 0 000101 0000000 0000000 0000000"
        rows.append(row(f"fclrf.s{sf}", F, layout, f"; fclrf({sf})", "sets status"))
    rows.append(row("nop.f {uimm}", F, "0000 uimm[20:20] 00 0 000001 0 uimm[19:0]", "", "nop"))
    rows.append(row("break.f {uimm}", F, "0000 uimm[20:20] 00 0 000000 0 uimm[19:0]", "; break_(uimm)", "break"))
    return rows


FLOAT_ROWS = (*_multiplications(), *_comparisons(), *_approximations(), *_others())
"""What computes in the floating registers."""
