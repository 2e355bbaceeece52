"""Rows that use memory, and those between the general and the floating registers (IA-64 6; formats M1 to M30).

Addresses are multiples of what is accessed. An address is incremented behind the access, and not at all where the access is
predicated off. In meanings ``load(n, a)`` and ``store(n, a, v)`` are of n bytes; what floats are in memory ``of_single`` and
its like say.
"""

from __future__ import annotations

from voltac.codegen.rows import Row
from voltac.targets.ia64.shapes import I, M, row

_COMPLETERS = {"": 0, ".s": 4, ".a": 8, ".sa": 12, ".c.clr": 0x20, ".c.nc": 0x24}
"""What a load is besides, and what that adds to its x6."""
_HINTS = {"": 0, ".nt1": 1, ".nt2": 2, ".nta": 3}


def _meaning(completer: str, size: int, made: str, target: str) -> str:
    """Of a load: speculative ones give NaT where they may not be; advanced ones enter the ALAT, checking ones look there."""
    found = made.format(f"load({size}, r3)")
    match completer:
        case ".s":
            return f"{target} = load_s({size}, r3, lambda value: {made.format('value')}, entry)"
        case ".a" | ".sa":
            return f"{target} = load_a({size}, r3, lambda value: {made.format('value')}, entry, {completer == '.sa'})"
        case ".c.clr" | ".c.nc":
            return f"{target} = load_c({size}, r3, lambda value: {made.format('value')}, entry, {completer == '.c.clr'})"
    return f"{target} = {found}"


def _loads() -> list[Row]:
    rows = []
    kinds = [("r1", f"ld{1 << n}", n, 1 << n, "{}", "4", "5", "load", 1) for n in range(4)]
    kinds += [
        ("f1", "ldfs", 2, 4, "of_single({})", "6", "7", "float load", 6),
        ("f1", "ldfd", 3, 8, "of_double({})", "6", "7", "float load", 6),
        ("f1", "ldf8", 1, 8, "of_significand({})", "6", "7", "float load", 6),
        ("f1", "ldfe", 0, 16, "of_extended({})", "6", "7", "float load", 6),
    ]
    for target, name, code, size, made, op, op_imm, way, latency in kinds:
        for completer, more in _COMPLETERS.items():
            if size == 16 and completer:
                continue
            x6 = code + more
            speculative = {".s": ",speculative", ".sa": ",speculative,advanced", ".a": ",advanced"}.get(completer, "")
            is_check = completer.startswith(".c")
            speculative = ",check" if is_check else speculative
            traits = f"load,{way},bytes {size}{speculative}"
            meaning = _meaning(completer, size, made, target)
            register = f"{target}:7"
            layout = f"{int(op):04b} 0 {x6:06b} 00 0 r3:7 0000000 {register}"
            # What is checked keeps its old value where the ALAT still has it.
            updates = target if is_check else ""
            # Where it has not, the machine waits as for any load.
            cycles = 1 if is_check else latency
            rows.append(row(f"{name}{completer} {{{target}}}=[{{r3}}]", M, layout, meaning, traits, cycles, updates))
            layout = f"{int(op):04b} 1 {x6:06b} 00 0 r3:7 r2:7 {register}"
            step = f"{meaning}; r3 = r3 + r2"
            rows.append(row(f"{name}{completer} {{{target}}}=[{{r3}}],{{r2}}", M, layout, step, traits, cycles, updates))
            layout = f"{int(op_imm):04b} imm9[8:8] {x6:06b} 00 imm9[7:7] r3:7 imm9[6:0] {register}"
            step = f"{meaning}; r3 = r3 + imm9"
            rows.append(row(f"{name}{completer} {{{target}}}=[{{r3}}],{{imm9}}", M, layout, step, traits, cycles, updates))
    for name, target, way, opcode, made in (
        ("ld8.fill", "r1", "load", 4, "fill(r3)"),
        ("ldf.fill", "f1", "float load", 6, "fill_f(r3)"),
    ):
        size = 8 if target == "r1" else 16
        layout = f"{opcode:04b} 0 011011 00 0 r3:7 0000000 {target}:7"
        traits, latency = f"load,{way},bytes {size}", 1 if target == "r1" else 6
        rows.append(row(f"{name} {{{target}}}=[{{r3}}]", M, layout, f"{target} = {made}", traits, latency))
        layout = f"{opcode + 1:04b} imm9[8:8] 011011 00 imm9[7:7] r3:7 imm9[6:0] {target}:7"
        rows.append(
            row(f"{name} {{{target}}}=[{{r3}}],{{imm9}}", M, layout, f"{target} = {made}; r3 = r3 + imm9", traits, latency)
        )
    return rows


def _pairs() -> list[Row]:
    rows = []
    for name, x6, size, made in (
        ("ldfps", 2, 4, "of_single"), ("ldfpd", 3, 8, "of_double"), ("ldfp8", 1, 8, "of_significand"),
    ):  # fmt: skip
        meaning = f"both = load({2 * size}, r3); f1 = {made}(both & (1 << {8 * size}) - 1); f2 = {made}(both >> {8 * size})"
        traits = f"load,pair,bytes {2 * size}"
        layout = "0110 {m} {x6:06b} 00 1 r3:7 f2:7 f1:7"
        rows.append(row(f"{name} {{f1}},{{f2}}=[{{r3}}]", M, layout.format(m=0, x6=x6), meaning, traits, 6))
        step = f"{meaning}; r3 = r3 + {2 * size}"
        text = f"{name} {{f1}},{{f2}}=[{{r3}}],{2 * size}"
        rows.append(row(text, M, layout.format(m=1, x6=x6), step, traits, 6, "r3"))
    return rows


def _stores() -> list[Row]:
    rows = []
    kinds = [("r2", f"st{1 << n}", 0x30 + n, 1 << n, f"r2 & {(1 << (8 << n)) - 1}", 4) for n in range(4)]
    kinds += [
        ("f2", "stfs", 0x32, 4, "to_single(f2)", 6),
        ("f2", "stfd", 0x33, 8, "to_double(f2)", 6),
        ("f2", "stf8", 0x31, 8, "significand(f2)", 6),
        ("f2", "stfe", 0x30, 16, "to_extended(f2)", 6),
        ("r2", "st8.spill", 0x3B, 8, "spill", 4),
        ("f2", "stf.spill", 0x3B, 16, "spill", 6),
    ]
    for source, name, x6, size, value, op in kinds:
        meaning = f"; store({size}, r3, {value})"
        if value == "spill":
            meaning = f"; spill(r3, {source})" if source == "r2" else f"; spill_f(r3, {source})"
        sees = ",sees NaT" if value == "spill" else ""
        traits = f"store,bytes {size}{sees}"
        layout = f"{op:04b} 0 {x6:06b} 00 0 r3:7 {source}:7 0000000"
        rows.append(row(f"{name} [{{r3}}]={{{source}}}", M, layout, meaning, traits))
        layout = f"{op + 1:04b} imm9[8:8] {x6:06b} 00 imm9[7:7] r3:7 {source}:7 imm9[6:0]"
        rows.append(row(f"{name} [{{r3}}]={{{source}}},{{imm9}}", M, layout, f"{meaning}; r3 = r3 + imm9", traits, 1, "r3"))
    return rows


def _others() -> list[Row]:
    rows = []
    for kind, x6 in (("", 0x2C), (".excl", 0x2D), (".fault", 0x2E), (".fault.excl", 0x2F)):
        for hint, code in _HINTS.items():
            name = f"lfetch{kind}{hint}"
            layout = f"0110 0 {x6:06b} {code:02b} 0 r3:7 0000000 0000000"
            rows.append(row(f"{name} [{{r3}}]", M, layout, "; prefetch(r3)", "prefetch"))
            layout = f"0110 1 {x6:06b} {code:02b} 0 r3:7 r2:7 0000000"
            rows.append(row(f"{name} [{{r3}}],{{r2}}", M, layout, "; prefetch(r3); r3 = r3 + r2", "prefetch"))
            layout = f"0111 imm9[8:8] {x6:06b} {code:02b} imm9[7:7] r3:7 imm9[6:0] 0000000"
            rows.append(row(f"{name} [{{r3}}],{{imm9}}", M, layout, "; prefetch(r3); r3 = r3 + imm9", "prefetch"))
    moved = {
        "sig": (0, "of_significand(r2)", "significand(f2)"), "exp": (1, "of_exponent(r2)", "exponent(f2)"),
        "s": (2, "of_single(r2 & 0xFFFFFFFF)", "to_single(f2)"), "d": (3, "of_double(r2)", "to_double(f2)"),
    }  # fmt: skip
    for name, (code, to, back) in moved.items():
        rows.append(row(f"setf.{name} {{f1}}={{r2}}", M, f"0110 0 {0x1C + code:06b} 00 1 0000000 r2:7 f1:7", to, "setf", 5))
        rows.append(
            row(f"getf.{name} {{r1}}={{f2}}", M, f"0100 0 {0x1C + code:06b} 00 1 0000000 f2:7 r1:7", back, "getf,M2", 5)
        )
    layout = "0001 target[20:20] {x3:03b} target[19:7] {register}:7 target[6:0]"
    for name, unit, x3, register, opcode in (("chk.s.m", M, 1, "r2", 1), ("chk.s.i", I, 1, "r2", 0), ("chk.s", M, 3, "f2", 1)):
        text = f"{name} {{{register}}},{{target}}"
        made = f"{opcode:04b}" + layout[4:].format(x3=x3, register=register)
        rows.append(row(text, unit, made, f"is_nat({register})", "branch,conditional,recovery,sees NaT"))
    for name, x3, register in (
        ("chk.a.nc", 4, "r1"), ("chk.a.clr", 5, "r1"), ("chk.a.nc", 6, "f1"), ("chk.a.clr", 7, "f1"),
    ):  # fmt: skip
        meaning = f"advanced_lost(entry, {name.endswith('clr')})"
        layout = f"0000 target[20:20] {x3:03b} target[19:0] {register}:7"
        rows.append(row(f"{name} {{{register}}},{{target}}", M, layout, meaning, "branch,conditional,recovery,ALAT"))
    for size, code in ((4, 2), (8, 3)):
        layout = f"0100 0 {8 + code:06b} 00 1 r3:7 r2:7 r1:7"
        meaning = f"r1 = load({size}, r3); store({size}, r3, r2 & {(1 << 8 * size) - 1})"
        rows.append(
            row(
                f"xchg{size} {{r1}}=[{{r3}}],{{r2}}",
                M,
                layout,
                meaning,
                f"load,store,semaphore,bytes {size}",
                6,
            )
        )
        layout = f"0100 0 {code:06b} 00 1 r3:7 r2:7 r1:7"
        meaning = f"r1 = compare_exchange({size}, r3, r2)"
        text = f"cmpxchg{size}.acq {{r1}}=[{{r3}}],{{r2}},ar.ccv"
        rows.append(row(text, M, layout, meaning, f"load,store,semaphore,bytes {size}", 6))
    rows.append(row("mf", M, "0000 0 000 10 0010 00000000000000000000 0", "", "fence"))
    rows.append(row("invala", M, "0000 0 000 01 0000 00000000000000000000 0", "; forget_advanced()", "fence"))
    return rows


MEMORY_ROWS = (*_loads(), *_pairs(), *_stores(), *_others())
"""Loads, stores, prefetches, what moves between the files, and what checks speculation."""
