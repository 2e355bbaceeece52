"""Rows that load and store (IPU 3.3, 3.4).

In a meaning ``P`` is a packed address, ``first``, ``second`` and ``third`` are the
addresses in it, and ``advanced(P0, P1, stride, selectors...)`` the pair afterwards;
``apart`` checks that accesses of one instruction are in different banks.
"""

from __future__ import annotations

from voltac.codegen.rows import Row
from voltac.targets.ipu.shapes import MAIN, shape

_LOADS = (
    # Mnemonic, kind, bytes, what it reads; OP with an offset; S and T with a register; S of a step, and S and T of that.
    ("ld32", "m", 4, "load32", 0x01, 0, 0, 1, 1, 0),
    ("lds16", "m", 2, "load16s", 0x04, 1, 0, 4, 4, 0),
    ("lds8", "m", 1, "load8s", 0x05, 1, 1, 5, 5, 0),
    ("ldz16", "m", 2, "load16", 0x06, 1, 4, 6, 6, 0),
    ("ldz8", "m", 1, "load8", 0x07, 1, 5, 7, 7, 0),
    ("ld32", "a", 4, "load32", 0x08, 8, 0, 1, 1, 1),
    ("ld64", "a2", 8, "load64", 0x09, 8, 1, 2, 2, 1),
    ("ld128", "a4", 16, "load128", 0x0B, 8, 5, 10, 2, 3),
    ("ldb16", "a", 2, "load16b", 0x0E, 9, 4, 6, 6, 1),
)


def _load_rows() -> list[Row]:
    rows = []
    for name, kind, size, read, op, s, t, step, step_s, step_t in _LOADS:
        traits = f"load,bytes {size}"
        d, step_op = f"d!:{kind}", 0x1C if kind == "m" else 0x1E
        rows.append(
            shape(
                f"{name} {{d}}, {{b}}, {{x}}, {{imm}}",
                op,
                f"b:m@20 {d}@16 x:m@12 imm:zi12@0",
                MAIN,
                f"{read}(b + x + imm * {size})",
                traits,
            )
        )
        rows.append(
            shape(
                f"{name} {{d}}, {{b}}, {{x}}, {{o}}",
                0x4D,
                f"b:m@20 o:m@16 x:m@12 8:4={s} {d}@4 0:4={t}",
                MAIN,
                f"{read}(b + x + o * {size})",
                traits,
            )
        )
        rows.append(
            shape(
                f"{name}step {{d}}, {{b}}, {{x}}+=, {{imm}}",
                step_op,
                f"b:m@20 {d}@16 x~:m@12 8:4={step} imm:si8@0",
                MAIN,
                f"d = {read}(b + x); x = x + imm * {size} & M",
                traits + ",step",
            )
        )
        rows.append(
            shape(
                f"{name}step {{d}}, {{b}}, {{x}}+=, {{o}}",
                0x47,
                f"b:m@20 o:m@16 x~:m@12 8:4={step_s} {d}@4 0:4={step_t}",
                MAIN,
                f"d = {read}(b + x); x = x + o * {size} & M",
                traits + ",step",
            )
        )
    return rows


def _store_rows() -> list[Row]:
    word, double = "store,bytes 4", "store,bytes 8"
    rows = [
        shape(
            "st32 {s}, {b}, {x}, {imm}", 0x4F, "b:m@20 s:m@16 x:m@12 imm:zi12@0", MAIN, "; store32(b + x + imm * 4, s)", word
        ),
        shape(
            "st32step {s}, {b}, {x}+=, {imm}",
            0x4E,
            "b:m@20 s:m@16 x~:m@12 imm:si8@0",
            MAIN,
            "x = x + imm * 4 & M; store32(b + x, s)",
            word + ",step",
        ),
        shape("stm32 {s}, {b}, {o}", 0x4C, "b:m@20 s:m@16 o:m@12", MAIN, "; store32(b + o * 4, s)", word),
        shape(
            "stm32step {s}, {b}+=, {o}",
            0x47,
            "o:m@20 s:m@16 b~:m@12 8:4=9",
            MAIN,
            "b = b + o * 4 & M; store32(b, s)",
            word + ",step",
        ),
    ]
    # An offset, and a step, whose bits stand around the register that is stored.
    offset, step = "imm:zi12@19[7:4]+11[11:8]+3[3:0]", "imm:si8@19[3:0]+3[7:4]"
    for name, kind, size, value, op, number, traits in (
        ("st32", "a", 4, "s", 0x5E, 0, word),
        ("st64", "a2", 8, "s0, s1", 0x5F, 1, double),
    ):
        write = f"store{8 * size}"
        rows += [
            shape(
                f"{name} {{s}}, {{b}}, {{x}}, {{imm}}",
                op,
                f"b:m@20 {offset} x:m@12 s:{kind}@4",
                MAIN,
                f"; {write}(b + x + imm * {size}, {value})",
                traits,
            ),
            shape(
                f"{name} {{s}}, {{b}}, {{x}}, {{o}}",
                0x54,
                f"b:m@20 o:m@16 x:m@12 s:{kind}@4 8:4={number}",
                MAIN,
                f"; {write}(b + x + o * {size}, {value})",
                traits,
            ),
            shape(
                f"{name}step {{s}}, {{b}}, {{x}}+=, {{imm}}",
                0x5C,
                f"b:m@20 {step} x~:m@12 s:{kind}@4 8:4={number}",
                MAIN,
                f"x = x + imm * {size} & M; {write}(b + x, {value})",
                traits + ",step",
            ),
            shape(
                f"{name}step {{s}}, {{b}}, {{x}}+=, {{o}}",
                0x55,
                f"b:m@20 o:m@16 x~:m@12 s:{kind}@4 8:4={number}",
                MAIN,
                f"x = x + o * {size} & M; {write}(b + x, {value})",
                traits + ",step",
            ),
        ]
    rows.append(shape("atom {d}, {s}", 0x5D, "d!:m@16 s:a@4", MAIN, "s"))
    rows.append(shape("mov {d}, {s}", 0x5D, "d!:m@16 s:a@4", MAIN, "s", "alias"))
    return rows


def _pace_rows() -> list[Row]:
    stride = "stride:m@20"
    return [
        shape("tapack {d}, {p}, {q}, {r}", 0x4D, "p:m@20 r:m@16 q:m@12 0:4=1 d!:m2@4", MAIN, "packed(p, q, r)"),
        shape(
            "ld2x64pace {d}, {e}, {P}+=, {stride}, {imm}",
            0x46,
            f"{stride} d!:a2@16 P~:m2@12 e!:a2@4 imm:zi4@0",
            MAIN,
            "d = load64(first(P0)); e = load64(second(P1)); "
            "P = advanced(P0, P1, stride, imm, imm >> 2, -1); apart(first(P0), second(P1))",
            "load,bytes 8,pace,distinct",
        ),
        shape(
            "ldst64pace {d}, {s}, {P}+=, {stride}, {imm}",
            0x56,
            f"{stride} d!:a2@16 P~:m2@12 8:4=1 s:a2@4 imm:zi4@0",
            MAIN,
            "d = load64(first(P0)); P = advanced(P0, P1, stride, imm, -1, imm >> 2); "
            "apart(first(P0), third(P0, P1)); store64(third(P0, P1), s0, s1)",
            "load,store,bytes 8,pace",
        ),
        shape(
            "st64pace {s}, {P}+=, {stride}, {imm}",
            0x5C,
            f"{stride} imm:zi8@19[3:0]+3[7:4] P~:m2@12 8:4=2 s:a2@4",
            MAIN,
            "P = advanced(P0, P1, stride, -1, -1, imm); store64(third(P0, P1), s0, s1)",
            "store,bytes 8,pace",
        ),
        shape(
            "ld2xst64pace {d}, {s}, {P}+=, {stride}, {imm}",
            0x56,
            f"{stride} d!:a4@16 P~:m2@12 10:2=2 imm:zi6@9[5:4]+3[3:0] s:a2@4",
            MAIN,
            "d = load2x64(first(P0), second(P1)); P = advanced(P0, P1, stride, imm, imm >> 2, imm >> 4); "
            "apart(first(P0), second(P1), third(P0, P1)); store64(third(P0, P1), s0, s1)",
            "load,store,bytes 8,pace",
        ),
        # Dense and sparse together: d from the first address, e from the second.
        shape(
            "ld64b16pace {d}, {e}, {P}+=, {stride}, {imm}",
            0x46,
            f"{stride} d!:a2@16 P~:m2@12 8:4=2 e!:a@4 imm:zi4@0",
            MAIN,
            "",
            "load,pace,unspecified",
        ),
        shape(
            "ld64a32pace {d}, {e}, {P}+=, {stride}, {imm}",
            0x46,
            f"{stride} d!:a2@16 P~:m2@12 8:4=3 e!:a@4 imm:zi4@0",
            MAIN,
            "",
            "load,pace,unspecified",
        ),
    ]


_GATHERS = (
    ("ldd16v2a32", 8, "a"),
    ("ldb16b16", 9, "a2"),
    ("ldd16a32", 10, "a2"),
    ("ldd16a64", 11, "a4"),
    ("ldd16b16", 12, "a2"),
)


def _gather_rows() -> list[Row]:
    """Known as words; the reference does not say what they do in all detail (IPU 3.3)."""
    rows = [
        shape(
            f"{name} {{d}}, {{b}}, {{x}}++, {{o}}@",
            0x45,
            f"b:m@20 x~:m@16 o~:m@12 8:4={number} d!:{kind}@4",
            MAIN,
            "",
            "load,unspecified",
        )
        for name, number, kind in _GATHERS
    ]
    places = "b:m@20 o:m@16 x~:m@12 8:4=7 d!:a2@4 0:4=3"
    return [*rows, shape("ld64a32 {d}, {b}, {x}+=, {o}", 0x47, places, MAIN, "", "load,unspecified")]


MEMORY_ROWS = (*_load_rows(), *_store_rows(), *_pace_rows(), *_gather_rows())
"""Everything that touches memory, and what makes the addresses for it."""
