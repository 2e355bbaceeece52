"""Rows of the aux pipe (IPU 3.5 to 3.10).

A float operation's meaning calls the function of its name of the simulated
float unit with the bits of each register: ``s0, s1`` of a pair.
"""

from __future__ import annotations

from voltac.codegen.rows import Row
from voltac.targets.ipu.shapes import AUX, shape

SLOTS = {
    "f32div": 3, "f32oox": 3, "f32oorx": 4, "f32sqrt": 5, "f32exp": 3, "f32exp2": 3, "f32ln": 6, "f32log2": 6, "f32tanh": 6,
    "f32sigm": 6, "f16v2exp": 2, "f16v2exp2": 2, "f16v2ln": 2, "f16v2log2": 2, "f16v2tanh": 2, "f16v2sigm": 3,
}  # fmt: skip
"""Issue slots of those that take more than one: public estimates (IPU 2.4)."""

_TYPES = (("f32", "a"), ("f16v2", "a"), ("f16v4", "a2"), ("f32v2", "a2"))
"""In the order of their numbers, with the kind of their registers."""

_BINARY = (
    ("add", 0, 0), ("sub", 3, 1), ("mul", 3, 0),
    ("cmpeq", 0, 3), ("cmpne", 2, 0), ("cmpge", 1, 0), ("cmpgt", 1, 1), ("cmple", 1, 2), ("cmplt", 1, 3),
)  # fmt: skip
"""Mnemonic, fn, minor of those whose first operand may be broadcast."""

COUNT = {"m": 1, "m2": 2, "a": 1, "a2": 2, "a4": 4}
"""Registers of each kind."""


def words(name: str, kind: str) -> str:
    """The names of an operand's words, in order."""
    return name if COUNT[kind] == 1 else ", ".join(f"{name}{number}" for number in range(COUNT[kind]))


def _arithmetic(
    name: str, type_number: int, fn: int, minor: int, d: str, s: str, t: str, more: str = "", swapped: bool = False
) -> Row:
    """Of the main encoding, without a broadcast; ``swapped`` where the operands stand in each other's places."""
    first, second = (12, 20) if swapped else (20, 12)
    places = f"d!:{d}@4 s:{s}@{first} t:{t}@{second} 8:3={fn} 2:2={minor} 0:2={type_number} {more}"
    meaning = f"fpu.{name}({words('s', s)}, {words('t', t)})"
    return shape(f"{name} {{d}}, {{s}}, {{t}}", 0x58, places, AUX, meaning, latency=SLOTS.get(name, 1))


def _binary_rows() -> list[Row]:
    rows = []
    for number, (kind, registers) in enumerate(_TYPES):
        for operation, fn, minor in _BINARY:
            name = kind + operation
            rows.append(_arithmetic(name, number, fn, minor, registers, registers, registers))
            for suffix, bc in {"f32": (), "f32v2": (("B", 2),)}.get(kind, (("BL", 2), ("BU", 3))):
                # One register stands for all lanes.
                broadcast = {"B": "s", "BL": "low2(s)", "BU": "high2(s)"}[suffix]
                first = ", ".join([broadcast] * (2 if registers == "a2" else 1))
                places = f"d!:{registers}@4 s:a@20 18:2={bc} t:{registers}@12 8:3={fn} 2:2={minor} 0:2={number}"
                meaning = f"fpu.{name}({first}, {words('t', registers)})"
                rows.append(shape(f"{name} {{d}}, {{s}}:{suffix}, {{t}}", 0x58, places, AUX, meaning, "broadcast"))
        vector = number > 0
        rows.append(
            _arithmetic(f"{kind}absadd", number, 3 if vector else 0, 3 if vector else 2, registers, registers, registers)
        )
        rows.append(_arithmetic(f"{kind}max", number, 2, 1, registers, registers, registers))
        rows.append(_arithmetic(f"{kind}min", number, 2, 3, registers, registers, registers))
        rows.append(_arithmetic(f"{kind}absmax", number, 2, 2, registers, registers, registers, swapped=vector))
        limits = "a2" if kind.startswith("f32") else "a"
        rows.append(_arithmetic(f"{kind}clamp", number, 4, 3, registers, registers, limits))
    rows.append(_arithmetic("f32div", 0, 5, 0, "a", "a", "a"))
    rows.append(_arithmetic("f16v4mix", 2, 0, 2, "a2", "a2", "a2"))
    rows.append(_arithmetic("f32v2axpy", 3, 0, 2, "a2", "a2", "a2", swapped=True))
    rows.append(_arithmetic("f16v4rmask", 2, 5, 2, "a2", "a2", "a"))
    rows.append(_arithmetic("f32v2rmask", 3, 5, 2, "a2", "a2", "a"))
    return rows


_LOGIC = (
    # Mnemonic, X, fn, minor, type, kind of register, meaning.
    ("and", 0, 6, 0, 0, "a", "s & t"),
    ("andc", 0, 6, 0, 1, "a", "s & ~t"),
    ("and64", 0, 6, 0, 2, "a2", "s0 & t0, s1 & t1"),
    ("andc64", 0, 6, 0, 3, "a2", "s0 & ~t0, s1 & ~t1"),
    ("or", 1, 6, 0, 0, "a", "s | t"),
    ("or64", 1, 6, 0, 1, "a2", "s0 | t0, s1 | t1"),
    ("roll16", 0, 6, 1, 0, "a", "s >> 16 | (t & 0xFFFF) << 16"),
    ("roll32", 0, 6, 1, 3, "a2", "s1, t0"),
    ("sort4x16hi", 0, 6, 2, 0, "a", "s >> 16 | t & 0xFFFF0000"),
    ("sort4x32hi", 0, 6, 2, 3, "a2", "s1, t1"),
    ("sort4x16lo", 0, 6, 3, 0, "a", "s & 0xFFFF | (t & 0xFFFF) << 16"),
    ("sort4x32lo", 0, 6, 3, 3, "a2", "s0, t0"),
)
_IMMEDIATE_LOGIC = (("and", 0, "s & imm"), ("or", 1, "s | imm"), ("andc", 3, "s & ~imm"))


def _logic_rows() -> list[Row]:
    rows = [shape("fnop", 0x1A, "20:4=13", AUX)]
    for name, x, fn, minor, number, kind, meaning in _LOGIC:
        places = f"d!:{kind}@4 s:{kind}@20 t:{kind}@12 11:1={x} 8:3={fn} 2:2={minor} 0:2={number}"
        rows.append(shape(f"{name} {{d}}, {{s}}, {{t}}", 0x58, places, AUX, meaning))
    for name, fn, meaning in _IMMEDIATE_LOGIC:
        for kind, more in (("zi12", 0), ("iz12", 4)):
            places = f"15:1=1 s:a@20 d!:a@16 12:3={fn + more} imm:{kind}@0"
            rows.append(shape(f"{name} {{d}}, {{s}}, {{imm}}", 0x52, places, AUX, meaning))
    rows.append(shape("not {d}, {s}", 0x52, "s:a@20 d!:a@4 8:4=8 12:3=7", AUX, "s ^ M"))
    rows.append(shape("not64 {d}, {s}", 0x52, "s:a2@20 d!:a2@4 8:4=9 12:3=7", AUX, "s0 ^ M, s1 ^ M"))
    rows.append(shape("setzi {d}, {imm}", 0x1A, "d!:a@20 imm:zi20@0", AUX, "imm"))
    rows.append(shape("mov {d}, {s}", 0x52, "15:1=1 s:a@20 d!:a@16 12:3=1", AUX, "s", "alias"))
    zeros = "20:4={0} 12:4={0} 11:1=1 8:3=6"
    rows.append(shape("mov {d}, {s}", 0x58, "d!:a2@4 s:a2@20 12:4=14 11:1=1 8:3=6 0:2=1", AUX, "s0, s1", "alias"))
    rows.append(shape("zero {d}", 0x58, "d!:a@4 " + zeros.format(15), AUX, "0", "alias"))
    rows.append(shape("zero {d}", 0x58, "d!:a2@4 0:2=1 " + zeros.format(14), AUX, "0, 0", "alias"))
    return rows


_PRODUCTS = (("f32v2mac", "a2", 0, 1), ("f32mac", "a", 1, 1), ("f16v4cmac", "a2", 2, 0), ("f16v2cmac", "a", 3, 0))
"""Mnemonic, kind of both operands, bits 10 to 8, bit 7."""
_SUMS = (
    ("f16v4acc", "a2", 0), ("f16v8acc", "a4", 1), ("f32v4acc", "a4", 2), ("f16v4absacc", "a2", 4), ("f16v8absacc", "a4", 5),
    ("f32v4absacc", "a4", 6), ("f16v8sqacc", "a4", 9), ("f32v4sqacc", "a4", 10),
)  # fmt: skip


def _accumulator_rows() -> list[Row]:
    traits = "accumulates"
    rows = []
    for name, kind, number, bit in _PRODUCTS:
        meaning = f"; fpu.{name}({words('s', kind)}, {words('t', kind)})"
        places = f"s:{kind}@20 t:{kind}@12 8:3={number} 7:1={bit}"
        rows.append(shape(f"{name} {{s}}, {{t}}", 0x5A, places, AUX, meaning, traits))
    outer = "; fpu.f32v2aop(s0, s1, t0, t1, imm)"
    rows.append(shape("f32v2aop {s}, {t}, {imm}", 0x5A, "s:a2@20 t:a2@12 11:1=1 8:3=4 imm:zi8@0", AUX, outer, traits))
    for name, kind, number in _SUMS:
        places = f"15:1=1 s:{kind}@20 8:4={number}"
        rows.append(shape(f"{name} {{s}}", 0x59, places, AUX, f"; fpu.{name}({words('s', kind)})", traits))
    for name, kind, number in (("f32v2gina", "a2", 4), ("f16v2gina", "a", 5)):
        places = f"s:{kind}@20 d!:{kind}@16 12:3={number} imm:zi12@0"
        meaning = f"fpu.{name}({words('s', kind)}, imm)"
        rows.append(shape(f"{name} {{d}}, {{s}}, {{imm}}", 0x59, places, AUX, meaning, traits))
    rows.append(shape("f16v4gacc {d}", 0x50, "d!:a2@4 8:3=4", AUX, "fpu.f16v4gacc()", traits))
    return rows


_UNARY = (
    # Mnemonic, kinds of result and operand, sub, fn.
    ("f32fromi32", "a", "a", 0, 7),
    ("f32fromui32", "a", "a", 0, 0),
    ("f32toi32", "a", "a", 0, 4),
    ("f32toui32", "a", "a", 0, 5),
    ("f32tof16", "a", "a", 5, 3),
    ("f32v2tof16", "a", "a2", 7, 6),
    ("f32v4tof16", "a2", "a4", 5, 6),
    ("f16tof32", "a", "a", 4, 0),
    ("f16v2tof32", "a2", "a", 4, 1),
    ("f32exp", "a", "a", 1, 3),
    ("f32exp2", "a", "a", 1, 2),
    ("f32ln", "a", "a", 1, 1),
    ("f32log2", "a", "a", 1, 0),
    ("f32tanh", "a", "a", 1, 5),
    ("f32sqrt", "a", "a", 1, 6),
    ("f32sigm", "a", "a", 9, 5),
    ("f32oox", "a", "a", 11, 0),
    ("f32oorx", "a", "a", 10, 0),
    ("f16v2exp", "a", "a", 2, 3),
    ("f16v2exp2", "a", "a", 2, 2),
    ("f16v2ln", "a", "a", 2, 1),
    ("f16v2log2", "a", "a", 2, 0),
    ("f16v2tanh", "a", "a", 2, 5),
    ("f16v2sigm", "a", "a", 10, 5),
    ("f16v2sum", "a", "a", 2, 4),
    ("f16v4sum", "a2", "a2", 6, 4),
    ("f16v2maxc", "a", "a", 10, 6),
    ("f16v4maxc", "a", "a2", 14, 6),
    ("f32class", "a", "a", 9, 2),
    ("f16v2class", "a", "a", 10, 2),
    ("f32v2class", "a", "a2", 15, 2),
    ("f16v4class", "a", "a2", 14, 2),
    ("f32sufromui", "a", "a", 9, 4),
    ("f16v2sufromui", "a", "a", 10, 4),
    ("f32v2sufromui", "a2", "a2", 11, 4),
    ("f16v4sufromui", "a2", "a2", 14, 4),
)


def _unary_rows() -> list[Row]:
    rows = []
    for name, d, s, sub, fn in _UNARY:
        places = f"s:{s}@20 d!:{d}@4 8:4={sub} 12:3={fn}"
        rows.append(
            shape(f"{name} {{d}}, {{s}}", 0x52, places, AUX, f"fpu.{name}({words('s', s)})", latency=SLOTS.get(name, 1))
        )
    rows.append(shape("f32int {d}, {s}, {mode}", 0x51, "s:a@20 d!:a@16 mode:zi4@0", AUX, "fpu.f32int(s, mode)"))
    for name, kind, number in (("urand32", "a", 0), ("urand64", "a2", 1), ("f16v2grand", "a", 2), ("f32v2grand", "a2", 3)):
        rows.append(shape(f"{name} {{d}}", 0x50, f"d!:{kind}@4 8:3={number}", AUX, f"fpu.{name}()", "random"))
    rows.append(shape("uget {d}, {csr}", 0x51, "8:4=8 d!:a@16 csr:ucsr@0", AUX, "uget(csr)", "csr,not in repeat"))
    rows.append(shape("uput {csr}, {s}", 0x51, "15:1=1 s:a@20 csr:ucsr@0", AUX, "; uput(csr, s)", "csr,not in repeat"))
    rows.append(shape("get {d}, {csr}", 0x51, "8:4=8 d!:a@16 csr:ucsr@0", AUX, "uget(csr)", "alias,csr,not in repeat"))
    rows.append(shape("put {csr}, {s}", 0x51, "15:1=1 s:a@20 csr:ucsr@0", AUX, "; uput(csr, s)", "alias,csr,not in repeat"))
    return rows


AUX_ROWS = (*_logic_rows(), *_binary_rows(), *_accumulator_rows(), *_unary_rows())
"""Everything on the ARF that is no load or store."""
