"""Rows of parallel integers in the general registers: 8 of 8, 4 of 16 or 2 of 32 bits (IA-64 8; formats A9, A10, I1 to I8).

Element 0 is the lowest. In meanings ``each(n, f, a, b)`` is what f makes of every two elements of n bits, ``each_s`` of
elements with their signs.
"""

from __future__ import annotations

from voltac.codegen.rows import Row
from voltac.targets.ia64.shapes import A, I, row

_SIZES = {1: "0 0", 2: "0 1", 4: "1 0"}
"""Bytes of an element -> za, zb."""


def _sums() -> list[Row]:
    rows = []
    for size, code in _SIZES.items():
        za, zb = code.split()
        n = 8 * size
        layout = f"1000 {za} 01 {zb} x4:4 x2b:2 r3:7 r2:7 r1:7"

        def add(text: str, x4: int, x2b: int, meaning: str, layout: str = layout, size: int = size) -> None:
            head, _, rest = text.partition(" ")
            name, dot, more = head.partition(".")
            rows.append(
                row(f"{name}{size}{dot}{more} {rest or '{r1}={r2},{r3}'}", A, layout, meaning, "parallel",
                    2, fixed=f"x4={x4} x2b={x2b}")
            )  # fmt: skip

        for name, x4, sign in (("padd", 0, "+"), ("psub", 1, "-")):
            add(name, x4, 0, f"each({n}, lambda a, b: a {sign} b, r2, r3)")
            if size < 4:
                least, most = -(1 << n - 1), (1 << n - 1) - 1
                add(f"{name}.sss", x4, 1, f"each_s({n}, lambda a, b: clip(a {sign} b, {least}, {most}), r2, r3)")
                add(f"{name}.uuu", x4, 2, f"each({n}, lambda a, b: clip(a {sign} b, 0, {(1 << n) - 1}), r2, r3)")
                add(f"{name}.uus", x4, 3,
                    f"each({n}, lambda a, b: clip(a {sign} sign(b, {n}), 0, {(1 << n) - 1}), r2, r3)")  # fmt: skip
        if size < 4:
            add("pavg", 2, 2, f"each({n}, lambda a, b: a + b >> 1 | a + b & 1, r2, r3)")
            add("pavg.raz", 2, 3, f"each({n}, lambda a, b: a + b + 1 >> 1, r2, r3)")
            add("pavgsub", 3, 2, f"each({n}, lambda a, b: a - b >> 1 | a - b & 1, r2, r3)")
        add("pcmp.eq", 9, 0, f"each({n}, lambda a, b: -(a == b), r2, r3)")
        add("pcmp.gt", 9, 1, f"each_s({n}, lambda a, b: -(a > b), r2, r3)")
    # pcmp1.eq is written so, not pcmp.eq1.
    shifted = "clip(clip(a {shift} count3, -0x8000, 0x7FFF) + b, -0x8000, 0x7FFF)"
    for name, x4, shift in (("pshladd2", 4, "<<"), ("pshradd2", 6, ">>")):
        layout = f"1000 0 01 1 {x4:04b} count3:2 r3:7 r2:7 r1:7"
        meaning = f"each_s(16, lambda a, b: {shifted.format(shift=shift)}, r2, r3)"
        rows.append(row(f"{name} {{r1}}={{r2}},{{count3}},{{r3}}", A, layout, meaning, "parallel", 2))
    return rows


_I2 = (
    # Text, za, zb, x2c, x2b, meaning, whether I0 alone does it
    ("pmpy2.r", 0, 1, 3, 1, "pmpy2(r2, r3, 0)", True),
    ("pmpy2.l", 0, 1, 3, 3, "pmpy2(r2, r3, 1)", True),
    *((f"mix{n}.r", za, zb, 2, 0, f"mix({8 * n}, r2, r3, 0)", False) for n, za, zb in ((1, 0, 0), (2, 0, 1), (4, 1, 0))),
    *((f"mix{n}.l", za, zb, 2, 2, f"mix({8 * n}, r2, r3, 1)", False) for n, za, zb in ((1, 0, 0), (2, 0, 1), (4, 1, 0))),
    ("pack2.uss", 0, 1, 0, 0, "pack(16, r2, r3, 0, 255)", False),
    ("pack2.sss", 0, 1, 0, 2, "pack(16, r2, r3, -128, 127)", False),
    ("pack4.sss", 1, 0, 0, 2, "pack(32, r2, r3, -32768, 32767)", False),
    *((f"unpack{n}.h", za, zb, 1, 0, f"unpack({8 * n}, r2, r3, 32)", False) for n, za, zb in ((1, 0, 0), (2, 0, 1), (4, 1, 0))),
    *((f"unpack{n}.l", za, zb, 1, 2, f"unpack({8 * n}, r2, r3, 0)", False) for n, za, zb in ((1, 0, 0), (2, 0, 1), (4, 1, 0))),
    ("pmin1.u", 0, 0, 0, 1, "each(8, min, r2, r3)", False),
    ("pmax1.u", 0, 0, 1, 1, "each(8, max, r2, r3)", False),
    ("pmin2", 0, 1, 0, 3, "each_s(16, min, r2, r3)", False),
    ("pmax2", 0, 1, 1, 3, "each_s(16, max, r2, r3)", False),
    ("psad1", 0, 0, 2, 3, "psad(r2, r3)", False),
)


def _of_units() -> list[Row]:
    rows = []
    for stored, count in ((0, 0), (1, 7), (2, 15), (3, 16)):
        for suffix, x2b, each in ((".u", 1, "each"), ("", 3, "each_s")):
            layout = f"0111 0 00 1 0 {stored:02b} {x2b:02b} 0 r3:7 r2:7 r1:7"
            meaning = f"{each}(16, lambda a, b: a * b >> {count}, r2, r3)"
            rows.append(row(f"pmpyshr2{suffix} {{r1}}={{r2}},{{r3}},{count}", I, layout, meaning, "parallel,I0", 2))
    for name, za, zb, x2c, x2b, meaning, is_i0 in _I2:
        layout = f"0111 {za} 10 {zb} 0 {x2c:02b} {x2b:02b} 0 r3:7 r2:7 r1:7"
        rows.append(row(f"{name} {{r1}}={{r2}},{{r3}}", I, layout, meaning, "parallel" + (",I0" if is_i0 else ""), 2))
    permutations = {"brcst": (0, [0] * 8), "mix": (8, [0, 4, 2, 6, 1, 5, 3, 7]), "shuf": (9, [0, 4, 1, 5, 2, 6, 3, 7]),
                    "alt": (10, [0, 2, 4, 6, 1, 3, 5, 7]), "rev": (11, [7, 6, 5, 4, 3, 2, 1, 0])}  # fmt: skip
    for name, (code, order) in permutations.items():
        layout = f"0111 0 11 0 0 10 10 0000 {code:04b} r2:7 r1:7"
        rows.append(row(f"mux1 {{r1}}={{r2}},@{name}", I, layout, f"permuted(8, r2, {order})", "parallel", 2))
    layout = "0111 0 11 1 0 10 10 mux:8 r2:7 r1:7"
    meaning = "permuted(16, r2, [mux >> 2 * j & 3 for j in range(4)])"
    rows.append(row("mux2 {r1}={r2},{mux}", I, layout, meaning, "parallel", 2))
    for size, za, zb in ((2, 0, 1), (4, 1, 0)):
        n = 8 * size
        for suffix, by_register, by_number, function in (("", 2, 3, "each_s"), (".u", 0, 1, "each")):
            layout = f"0111 {za} 00 {zb} 0 00 {by_register:02b} 0 r3:7 r2:7 r1:7"
            meaning = f"{function}({n}, lambda a, b: a >> min(r2, {n}), r3, r3)"
            rows.append(row(f"pshr{size}{suffix} {{r1}}={{r3}},{{r2}}", I, layout, meaning, "parallel,I0", 2))
            layout = f"0111 {za} 01 {zb} 0 00 {by_number:02b} 0 r3:7 0 count5:5 0 r1:7"
            meaning = f"{function}({n}, lambda a, b: a >> count5, r3, r3)"
            rows.append(row(f"pshr{size}{suffix} {{r1}}={{r3}},{{count5}}", I, layout, meaning, "parallel,I0", 2))
        layout = f"0111 {za} 00 {zb} 0 01 00 0 r3:7 r2:7 r1:7"
        meaning = f"each({n}, lambda a, b: a << min(r3, {n}), r2, r2)"
        rows.append(row(f"pshl{size} {{r1}}={{r2}},{{r3}}", I, layout, meaning, "parallel,I0", 2))
        layout = f"0111 {za} 11 {zb} 0 01 01 000 ccount5:5 r2:7 r1:7"
        meaning = f"each({n}, lambda a, b: a << ccount5, r2, r2)"
        rows.append(row(f"pshl{size} {{r1}}={{r2}},{{ccount5}}", I, layout, meaning, "parallel,I0", 2))
    return rows


PARALLEL_ROWS = (*_sums(), *_of_units())
"""What computes on several numbers of a register at once."""
