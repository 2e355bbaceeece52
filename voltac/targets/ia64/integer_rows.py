"""Rows of the integer units: arithmetic, shifts, compares, extensions, moves (IA-64 5; formats A1 to A8 and I5 to I29).

A meaning is a Python expression of the operands' names, registers as numbers of 64 bits without a sign, or assignments
separated by ``;``. What goes to a general register is cut to 64 bits by whoever reads the meaning; ``s64`` is the number that
the same bits are with a sign.
"""

from __future__ import annotations

from voltac.codegen.rows import Row
from voltac.targets.ia64.shapes import A, I, M, X, row

_ARITHMETIC = (
    ("add {r1}={r2},{r3}", 0, 0, "r2 + r3"),
    ("add {r1}={r2},{r3},1", 0, 1, "r2 + r3 + 1"),
    ("sub {r1}={r2},{r3}", 1, 1, "r2 - r3"),
    ("sub {r1}={r2},{r3},1", 1, 0, "r2 - r3 - 1"),
    ("and {r1}={r2},{r3}", 3, 0, "r2 & r3"),
    ("andcm {r1}={r2},{r3}", 3, 1, "r2 & ~r3"),
    ("or {r1}={r2},{r3}", 3, 2, "r2 | r3"),
    ("xor {r1}={r2},{r3}", 3, 3, "r2 ^ r3"),
)
"""Text, x4, x2b, meaning (A1)."""
_WITH_NUMBER = (
    ("sub {r1}={imm8},{r3}", 9, 1, "imm8 - r3"),
    ("and {r1}={imm8},{r3}", 11, 0, "imm8 & r3"),
    ("andcm {r1}={imm8},{r3}", 11, 1, "imm8 & ~r3"),
    ("or {r1}={imm8},{r3}", 11, 2, "imm8 | r3"),
    ("xor {r1}={imm8},{r3}", 11, 3, "imm8 ^ r3"),
)
"""The same (A3)."""


def _arithmetic_rows() -> list[Row]:
    rows = [
        row(text, A, "1000 0 00 0 x4:4 x2b:2 r3:7 r2:7 r1:7", meaning, "alu", fixed=f"x4={x4} x2b={x2b}")
        for text, x4, x2b, meaning in _ARITHMETIC
    ]
    rows += [
        row(text, A, "1000 imm8[7:7] 00 0 x4:4 x2b:2 r3:7 imm8[6:0] r1:7", meaning, "alu", fixed=f"x4={x4} x2b={x2b}")
        for text, x4, x2b, meaning in _WITH_NUMBER
    ]
    shifted = "r2 << count4"
    layout = "1000 0 00 0 0100 count4:2 r3:7 r2:7 r1:7"
    rows.append(row("shladd {r1}={r2},{count4},{r3}", A, layout, f"({shifted}) + r3", "alu"))
    layout = "1000 imm14[13:13] 10 0 imm14[12:7] r3:7 imm14[6:0] r1:7"
    rows.append(row("adds {r1}={imm14},{r3}", A, layout, "imm14 + r3", "alu"))
    # Of r0 to r3, which the assembler sees to.
    layout = "1001 imm22[21:21] imm22[15:7] imm22[20:16] r3:2 imm22[6:0] r1:7"
    rows.append(row("addl {r1}={imm22},{r3}", A, layout, "imm22 + r3", "alu"))
    layout = "0110 imm64[63:63] imm64[15:7] imm64[20:16] imm64[21:21] 0 imm64[6:0] r1:7"
    rows.append(row("movl {r1}={imm64}", X, layout, "imm64", "alu,long"))
    return rows


_RELATIONS = (("lt", 12, "s64({a}) < s64({b})"), ("ltu", 13, "{a} < {b}"), ("eq", 14, "{a} == {b}"))
"""Relation, opcode, meaning of a, b (A6, A8)."""
_PARALLEL = (("and", 12), ("or", 13), ("or.andcm", 14))
_EFFECTS = {
    "and": "p1 = p1 & c; p2 = p2 & c",
    "or": "p1 = p1 | c; p2 = p2 | c",
    "or.andcm": "p1 = p1 | c; p2 = p2 & (1 - c)",
}
"""What a parallel compare makes of its predicates, by the comparison's result c."""
_AGAINST_ZERO = (
    ("gt", 0, 0, "0 > s64({b})"), ("le", 0, 1, "0 <= s64({b})"),
    ("ge", 1, 0, "0 >= s64({b})"), ("lt", 1, 1, "0 < s64({b})"),
)  # fmt: skip
"""Relation of r0 to a register, ta, c, meaning (A7)."""


def _compare_rows() -> list[Row]:
    rows = []
    for suffix, x2, cut in (("", 0, "{}"), ("4", 1, "x4({})")):
        for relation, op, meaning in _RELATIONS:
            part = "sx4({})" if suffix and relation == "lt" else cut
            condition = meaning.format(a=part.format("r2"), b=part.format("r3"))
            # The number is extended to 64 bits, and for unsigned relations taken without its sign.
            number = meaning.format(a=part.format("(imm8 & M)"), b=part.format("r3"))
            for unc, c in (("", 0), (".unc", 1)):
                traits = "compare" + (",unc" if c else "")
                for second, layout, truth in (
                    ("{r2}", f"{op:04b} 0 {x2:02b} 0 p2:6 r3:7 r2:7 {c} p1:6", condition),
                    ("{imm8}", f"{op:04b} imm8[7:7] {x2 + 2:02b} 0 p2:6 r3:7 imm8[6:0] {c} p1:6", number),
                ):
                    text = f"cmp{suffix}.{relation}{unc} {{p1}},{{p2}}={second},{{r3}}"
                    rows.append(row(text, A, layout, f"c = int({truth}); p1 = c; p2 = 1 - c", traits))
        for kind, op in _PARALLEL:
            for relation, c, sign in (("eq", 0, "=="), ("ne", 1, "!=")):
                for second, layout, truth in (
                    ("{r2}", f"{op:04b} 0 {x2:02b} 1 p2:6 r3:7 r2:7 {c} p1:6", f"{cut.format('r2')} {sign} {cut.format('r3')}"),
                    ("{imm8}", f"{op:04b} imm8[7:7] {x2 + 2:02b} 1 p2:6 r3:7 imm8[6:0] {c} p1:6",
                     f"{cut.format('(imm8 & M)')} {sign} {cut.format('r3')}"),
                ):  # fmt: skip
                    text = f"cmp{suffix}.{relation}.{kind} {{p1}},{{p2}}={second},{{r3}}"
                    rows.append(
                        row(text, A, layout, f"c = int({truth}); {_EFFECTS[kind]}", f"compare,parallel {kind}", 1, "p1 p2")
                    )
            for relation, ta, c, truth in _AGAINST_ZERO:
                b = "sx4(r3)" if suffix else "r3"
                text = f"cmp{suffix}.{relation}.{kind} {{p1}},{{p2}}=r0,{{r3}}"
                meaning = f"c = int({truth.format(b=b)}); {_EFFECTS[kind]}"
                layout = f"{op:04b} 1 {x2:02b} {ta} p2:6 r3:7 0000000 {c} p1:6"
                rows.append(row(text, A, layout, meaning, f"compare,parallel {kind}", 1, "p1 p2"))
    for bit, c in (("z", 0), ("z.unc", 1)):
        traits = "compare,I0" + (",unc" if c else "")
        layout = f"0101 0 00 0 p2:6 r3:7 pos:6 0 {c} p1:6"
        meaning = "c = 1 - (r3 >> pos & 1); p1 = c; p2 = 1 - c"
        rows.append(row(f"tbit.{bit} {{p1}},{{p2}}={{r3}},{{pos}}", I, layout, meaning, traits))
        meaning = "c = 1 - is_nat(r3); p1 = c; p2 = 1 - c"
        layout = f"0101 0 00 0 p2:6 r3:7 000000 1 {c} p1:6"
        rows.append(row(f"tnat.{bit} {{p1}},{{p2}}={{r3}}", I, layout, meaning, traits + ",sees NaT"))
    return rows


def _shift_rows() -> list[Row]:
    rows = [
        row("shr {r1}={r3},{r2}", I, "0111 1 00 1 0 00 10 0 r3:7 r2:7 r1:7", "s64(r3) >> min(r2, 63)", "shift,I0"),
        row("shr.u {r1}={r3},{r2}", I, "0111 1 00 1 0 00 00 0 r3:7 r2:7 r1:7", "r3 >> r2 if r2 < 64 else 0", "shift,I0"),
        row("shl {r1}={r2},{r3}", I, "0111 1 00 1 0 01 00 0 r3:7 r2:7 r1:7", "r2 << r3 if r3 < 64 else 0", "shift,I0"),
        row("popcnt {r1}={r3}", I, "0111 0 01 1 0 10 01 0 r3:7 0000000 r1:7", "r3.bit_count()", "shift,I0"),
        row("shrp {r1}={r2},{r3},{count6}", I, "0101 0 11 0 count6:6 r3:7 r2:7 r1:7", "(r2 << 64 | r3) >> count6", "shift,I0"),
        row("extr {r1}={r3},{pos},{len}", I, "0101 0 01 0 len:6 r3:7 pos:6 1 r1:7", "extr(r3, pos, len)", "shift,I0"),
        row("extr.u {r1}={r3},{pos},{len}", I, "0101 0 01 0 len:6 r3:7 pos:6 0 r1:7", "r3 >> pos & (1 << len) - 1", "shift,I0"),
        row("dep.z {r1}={r2},{cpos},{len}", I, "0101 0 01 1 len:6 0 cpos:6 r2:7 r1:7", "(r2 & (1 << len) - 1) << cpos",
            "shift,I0"),
        row("dep {r1}={r2},{r3},{cpos},{len4}", I, "0100 cpos:6 len4:4 r3:7 r2:7 r1:7",
            "r3 & ~((1 << len4) - 1 << cpos) | (r2 & (1 << len4) - 1) << cpos", "shift,I0"),
        row("dep {r1}={imm1},{r3},{cpos},{len}", I, "0101 imm1:1 11 1 len:6 r3:7 cpos:6 0 r1:7",
            "r3 & ~((1 << len) - 1 << cpos) | (imm1 & (1 << len) - 1) << cpos", "shift,I0"),
    ]  # fmt: skip
    extensions = (
        ("zxt1", 0x10, "r3 & 0xFF"), ("zxt2", 0x11, "r3 & 0xFFFF"), ("zxt4", 0x12, "x4(r3)"),
        ("sxt1", 0x14, "extr(r3, 0, 8)"), ("sxt2", 0x15, "extr(r3, 0, 16)"), ("sxt4", 0x16, "sx4(r3)"),
        ("czx1.l", 0x18, "czx(r3, 8, True)"), ("czx2.l", 0x19, "czx(r3, 16, True)"),
        ("czx1.r", 0x1C, "czx(r3, 8, False)"), ("czx2.r", 0x1D, "czx(r3, 16, False)"),
    )  # fmt: skip
    rows += [
        row(f"{name} {{r1}}={{r3}}", I, "0000 0 000 x6:6 r3:7 0000000 r1:7", meaning, "alu", fixed=f"x6={x6}")
        for name, x6, meaning in extensions
    ]
    return rows


def _move_rows() -> list[Row]:
    return [
        row("mov {b1}={r2}", I, "0000 0 111 000000000 0 0 01 r2:7 0000 b1:3", "r2", "I0,to branch"),
        row("mov {r1}={b2}", I, "0000 0 000 110001 00000000000 b2:3 r1:7", "b2", "I0", 2),
        row("mov pr={r2},{mask17}", I, "0000 mask17[15:15] 011 0 mask17[14:7] 0000 r2:7 mask17[6:0]", "; set_pr(r2, mask17)",
            "I0,writes pr"),
        row("mov pr.rot={rotated}", I, "0000 rotated[27:27] 010 rotated[26:0]", "; set_pr(rotated & M, -1 << 16)",
            "I0,writes pr"),
        row("mov {r1}=pr", I, "0000 0 000 110011 00000000000000 r1:7", "get_pr()", "I0,reads pr", 2),
        row("mov {r1}=ip", I, "0000 0 000 110000 00000000000000 r1:7", "ip", "I0", 2),
        row("mov.i {ar3}={r2}", I, "0000 0 000 101010 ar3:7 r2:7 0000000", "r2", "I0,to ar"),
        row("mov.i {ar3}={imm8}", I, "0000 imm8[7:7] 000 001010 ar3:7 imm8[6:0] 0000000", "imm8 & M", "I0,to ar"),
        row("mov.i {r1}={ar3}", I, "0000 0 000 110010 ar3:7 0000000 r1:7", "ar3", "I0", 13),
        row("mov.m {ar3}={r2}", M, "0001 0 000 101010 ar3:7 r2:7 0000000", "r2", "M2,to ar", 5),
        row("mov.m {r1}={ar3}", M, "0001 0 000 100010 ar3:7 0000000 r1:7", "ar3", "M2", 6),
        row("alloc {r1}=ar.pfs,0,{sol},{out},{rot}", M, "0001 0 110 00 rot:4 sol:7 out:7 r1:7", "alloc(sol, out, rot)",
            "M2,alloc"),
        row("nop.m {uimm}", M, "0000 uimm[20:20] 000 00 0001 0 uimm[19:0]", "", "nop"),
        row("nop.i {uimm}", I, "0000 uimm[20:20] 000 00 0001 0 uimm[19:0]", "", "nop"),
        row("break.m {uimm}", M, "0000 uimm[20:20] 000 00 0000 0 uimm[19:0]", "; break_(uimm)", "break"),
        row("break.i {uimm}", I, "0000 uimm[20:20] 000 00 0000 0 uimm[19:0]", "; break_(uimm)", "break"),
    ]  # fmt: skip


INTEGER_ROWS = (*_arithmetic_rows(), *_compare_rows(), *_shift_rows(), *_move_rows())
"""What computes in the general registers, one number each."""
