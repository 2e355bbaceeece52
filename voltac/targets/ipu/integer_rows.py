"""Rows of the main pipe that compute and that control (IPU 3.1, 3.2).

A meaning is a Python expression of the operands' names, as numbers without a
sign, or assignments separated by ``;``, all evaluated on the old state. ``M`` is the
mask of 32 bits and ``signed`` the number that the same bits are with a sign.
"""

from __future__ import annotations

from voltac.codegen.rows import Row
from voltac.targets.ipu.shapes import MAIN, shape

_REGISTERS = (
    ("add", 1, "s + t & M"),
    ("mul", 12, "s * t & M"),
    ("and", 3, "s & t"),
    ("andc", 4, "s & ~t"),
    ("or", 13, "s | t"),
    ("xor", 29, "s ^ t"),
    ("xnor", 28, "(s ^ t) ^ M"),
    ("shl", 17, "shl(s, t)"),
    ("shr", 18, "shr(s, t)"),
    ("shrs", 19, "shrs(s, t)"),
    ("cmpeq", 6, "int(s == t)"),
    ("cmpne", 7, "int(s != t)"),
    ("cmpslt", 8, "int(signed(s) < signed(t))"),
    ("cmpult", 9, "int(s < t)"),
    ("max", 10, "s if signed(s) > signed(t) else t"),
    ("min", 11, "s if signed(s) < signed(t) else t"),
    ("roll16", 14, "s >> 16 | (t & 0xFFFF) << 16"),
    ("roll8l", 15, "s >> 24 | t << 8 & M"),
    ("roll8r", 16, "s >> 8 | (t & 0xFF) << 24"),
    ("shuf8x8hi", 20, "shuf8(s >> 16, t >> 16)"),
    ("shuf8x8lo", 21, "shuf8(s, t)"),
    ("sort4x16hi", 22, "s >> 16 | t & 0xFFFF0000"),
    ("sort4x16lo", 23, "s & 0xFFFF | (t & 0xFFFF) << 16"),
    ("sort8x8hi", 24, "even8(s >> 8) | even8(t >> 8) << 16"),
    ("sort8x8lo", 25, "even8(s) | even8(t) << 16"),
)
"""Mnemonic, F, meaning."""

_WIDE = (
    ("add", 0x22, 0x20, "s + imm & M"),
    ("cmpeq", 0x28, 0x26, "int(s == imm & M)"),
    ("cmpslt", 0x29, None, "int(signed(s) < imm)"),
    ("cmpult", None, 0x2A, "int(s < imm)"),
    ("max", 0x30, 0x2E, "max(signed(s), imm) & M"),
    ("min", 0x33, 0x31, "min(signed(s), imm) & M"),
    ("mul", 0x36, None, "s * imm & M"),
    ("sub", 0x39, 0x37, "imm - s & M"),
)
"""With a number of 16 bits: mnemonic, OP of the sign-extended and of the zero-extended form."""

_NARROW = (
    ("and", 0, "zi12", "s & imm"),
    ("or", 1, "zi12", "s | imm"),
    ("shl", 2, "zi12", "shl(s, imm)"),
    ("andc", 3, "zi12", "s & ~imm"),
    ("or", 4, "iz12", "s | imm"),
    ("shr", 5, "zi12", "shr(s, imm)"),
    ("shrs", 6, "zi12", "shrs(s, imm)"),
)
"""With a number of 12 bits: mnemonic, fn, kind of the number."""

_UNARY = (
    ("bitrev8", 0, "bitrev8(s)"),
    ("cms", 1, "cms(s)"),
    ("clz", 2, "32 - (s).bit_length()"),
    ("popc", 3, "(s).bit_count()"),
    ("sort8", 4, "s & 0xFF0000FF | (s & 0xFF00) << 8 | s >> 8 & 0xFF00"),
    ("swap8", 5, "(s & 0x00FF00FF) << 8 | s >> 8 & 0x00FF00FF"),
    ("abs", 7, "abs(signed(s)) & M"),
)


def _integer_rows() -> list[Row]:
    rows = [shape("nop", 0x19, "20:4=14", MAIN)]
    for name, function, meaning in _REGISTERS:
        fixed = f"8:3={function >> 2} 0:2={function & 3}"
        rows.append(shape(f"{name} {{d}}, {{s}}, {{t}}", 0x44, f"s:m@20 t:m@12 d!:m@4 {fixed}", MAIN, meaning))
    # The first operand stands where others have their second one (IPU 3.1).
    rows.append(shape("sub {d}, {s}, {t}", 0x44, "s:m@12 t:m@20 d!:m@4 8:3=6 0:2=2", MAIN, "s - t & M"))
    for name, signed, unsigned, meaning in _WIDE:
        operands = "{imm}, {s}" if name == "sub" else "{s}, {imm}"
        # The sign-extended one comes first: it is preferred (IPU 3.12).
        for op, kind in ((signed, "si16"), (unsigned, "zi16")):
            if op is not None:
                rows.append(shape(f"{name} {{d}}, {operands}", op, f"s:m@20 d!:m@16 imm:{kind}@0", MAIN, meaning))
    for name, function, kind, meaning in _NARROW:
        places = f"s:m@20 d!:m@16 15:1=1 12:3={function} imm:{kind}@0"
        rows.append(shape(f"{name} {{d}}, {{s}}, {{imm}}", 0x42, places, MAIN, meaning))
    for name, function, meaning in _UNARY:
        rows.append(shape(f"{name} {{d}}, {{s}}", 0x42, f"s:m@20 d!:m@4 12:3={function}", MAIN, meaning))
    rows.append(shape("setzi {d}, {imm}", 0x19, "d!:m@20 imm:zi20@0", MAIN, "imm"))
    rows.append(shape("movnz {d}, {c}, {s}", 0x47, "c:m@20 s:m@16 d~:m@12 8:4=10", MAIN, "s if c else d"))
    # The summary's name for the same operation (IPU 3.1).
    rows.append(shape("movz {d}, {c}, {s}", 0x47, "c:m@20 s:m@16 d~:m@12 8:4=10", MAIN, "s if c else d", "alias"))
    rows.append(shape("mov {d}, {s}", 0x42, "s:m@20 d!:m@16 15:1=1 12:3=1", MAIN, "s", "alias"))
    rows.append(shape("zero {d}", 0x44, "20:4=15 12:4=15 d!:m@4 8:3=3 0:2=1", MAIN, "0", "alias"))
    return rows


_BRANCHES = (
    ("brz", 0x13, "m == 0"),
    ("brnz", 0x11, "m != 0"),
    ("brneg", 0x10, "m >> 31"),
    ("brpos", 0x12, "not m >> 31"),
)
_EXITS = (("exitneg", 1, "m >> 31"), ("exitnz", 2, "m != 0"), ("exitpos", 3, "not m >> 31"), ("exitz", 4, "m == 0"))


def _control_rows() -> list[Row]:
    rows = [shape("bri {l}", 0x40, "23:1=1 l:target@0", MAIN, "", "branch,control,end")]
    rows.append(shape("br {m}", 0x43, "m:m@20", MAIN, "", "branch,control,end,indirect"))
    for name, op, condition in _BRANCHES:
        rows.append(shape(f"{name} {{m}}, {{l}}", op, "m:m@20 l:target@0", MAIN, condition, "branch,control,conditional"))
    decrement = "m != 0; m = m - 1 if m else 0"
    rows.append(
        shape("brnzdec {m}, {l}", 0x13, "m~:m@20 19:1=1 l:target@0", MAIN, decrement, "branch,control,conditional,decrement")
    )
    rows.append(shape("call {m}, {l}", 0x18, "m!:m@20 l:function@0", MAIN, "", "call,control"))
    rows.append(shape("rpt {m}, {n}", 0x43, "m:m@20 15:1=1 12:3=2 n:zi8@0", MAIN, "m", "repeat,control"))
    rows.append(shape("rpt {count}, {n}", 0x40, "count:zi12@8 n:zi8@0", MAIN, "count", "repeat,control"))
    for name, function, status in _EXITS:
        rows.append(shape(f"{name} {{m}}", 0x43, f"m:m@20 12:3={function}", MAIN, status, "exit,control,end,solo"))
    rows.append(shape("get {d}, {csr}", 0x41, "d!:m@16 csr:csr@0", MAIN, "get(csr)", "csr,not in repeat"))
    rows.append(shape("put {csr}, {s}", 0x43, "s:m@20 15:1=1 csr:csr@0", MAIN, "; put(csr, s)", "csr,not in repeat"))
    rows.append(shape("trap {imm}", 0x41, "23:1=1 12:3=1 imm:zi4@0", MAIN, "; trap(imm)", "not in repeat"))
    # Of the supervisor (IPU 4.1); the reference names no words for these, and the numbers are chosen.
    launch, traits = "entry:m@20 base:m@16 12:2={} imm:zi12@0", "supervisor,not in repeat"
    rows.append(shape("runall {entry}, {base}, {imm}", 0x48, launch.format(1), MAIN, "; runall(entry, base, imm)", traits))
    rows.append(shape("run {entry}, {base}, {imm}", 0x48, launch.format(2), MAIN, "; run(entry, base, imm)", traits))
    rows.append(shape("sync {zone}", 0x48, "12:2=3 zone:zi8@0", MAIN, "; sync(zone)", traits))
    return rows


MAIN_ROWS = (*_integer_rows(), *_control_rows())
"""What computes in the MRF, and what decides where the worker goes on."""
