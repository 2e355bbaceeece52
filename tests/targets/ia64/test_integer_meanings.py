"""What integer rows compute, by numpy and by bits looked at one after the other, on random registers."""

import random
from collections.abc import Callable

import numpy as np
import pytest
from ia64_rows import ROWS, execute, machine, random_values

from voltac.codegen.rows import Row
from voltac.targets.ia64.slots import Slot

M = (1 << 64) - 1
U, S = np.uint64, np.int64
Values = dict[str, int]


def signed(value: int, bits: int = 64) -> int:
    """By subtracting twice the sign bit."""
    value &= (1 << bits) - 1
    return value - 2 * (value & 1 << bits - 1)


def field(value: int, position: int, length: int) -> list[str]:
    """Bits as characters, the lowest first."""
    return list(f"{value:0128b}"[::-1])[position : position + length]


def number(bits: list[str]) -> int:
    return int("".join(reversed(bits)) or "0", 2)


def zero_index(value: int, size: int, left: bool) -> int:
    pieces = list(value.to_bytes(8, "little"))
    elements = [pieces[at : at + size] for at in range(0, 8, size)]
    order = elements[::-1] if left else elements
    return next((at for at, one in enumerate(order) if not any(one)), len(order))


def deposited(v: Values, source: int, length: int) -> int:
    bits = list(f"{v.get('r3', 0):064b}"[::-1])
    new = list(f"{source & M:064b}"[::-1])[:length]
    bits[v["cpos"] : v["cpos"] + length] = new[: 64 - v["cpos"]]
    return number(bits[:64])


RESULTS: dict[str, Callable[[Values], int]] = {
    "add.r=r,r": lambda v: v["r2"] + v["r3"],
    "add.r=r,r,1": lambda v: v["r2"] + v["r3"] + 1,
    "sub.r=r,r": lambda v: v["r2"] - v["r3"],
    "sub.r=r,r,1": lambda v: v["r2"] - v["r3"] - 1,
    "sub.r=imm8,r": lambda v: v["imm8"] - v["r3"],
    **{f"{op}.r=r,r": fn for op, fn in {
        "and": lambda v: int(U(v["r2"]) & U(v["r3"])), "andcm": lambda v: int(U(v["r2"]) & ~U(v["r3"])),
        "or": lambda v: int(U(v["r2"]) | U(v["r3"])), "xor": lambda v: int(U(v["r2"]) ^ U(v["r3"])),
    }.items()},
    **{f"{op}.r=imm8,r": fn for op, fn in {
        "and": lambda v: int(S(v["imm8"]) & S(signed(v["r3"]))), "andcm": lambda v: int(S(v["imm8"]) & ~S(signed(v["r3"]))),
        "or": lambda v: int(S(v["imm8"]) | S(signed(v["r3"]))), "xor": lambda v: int(S(v["imm8"]) ^ S(signed(v["r3"]))),
    }.items()},
    "shladd.r=r,count4,r": lambda v: v["r2"] * 2 ** v["count4"] + v["r3"],
    "adds.r=imm14,r": lambda v: v["imm14"] + v["r3"],
    "addl.r=imm22,r": lambda v: v["imm22"] + v["r3"],
    "movl.r=imm64": lambda v: v["imm64"],
    "shr.r=r,r": lambda v: signed(v["r3"]) // 2 ** min(v["r2"], 70),
    "shr.u.r=r,r": lambda v: v["r3"] // 2 ** min(v["r2"], 70),
    "shl.r=r,r": lambda v: v["r2"] * 2 ** min(v["r3"], 70),
    "popcnt.r=r": lambda v: f"{v['r3']:b}".count("1"),
    "shrp.r=r,r,count6": lambda v: number(field(v["r2"] << 64 | v["r3"], v["count6"], 64)),
    "extr.r=r,pos6,len6": lambda v: signed(number(field(v["r3"], v["pos"], v["len"])), v["len"]),
    "extr.u.r=r,pos6,len6": lambda v: number(field(v["r3"], v["pos"], v["len"])),
    "dep.z.r=r,cpos6,len6": lambda v: deposited({"cpos": v["cpos"]}, v["r2"], v["len"]),
    "dep.r=r,r,cpos6,len4": lambda v: deposited(v, v["r2"], v["len4"]),
    "dep.r=imm1,r,cpos6,len6": lambda v: deposited(v, v["imm1"], v["len"]),
    "zxt1.r=r": lambda v: v["r3"] % 256,
    "zxt2.r=r": lambda v: v["r3"] % 256**2,
    "zxt4.r=r": lambda v: v["r3"] % 256**4,
    "sxt1.r=r": lambda v: signed(v["r3"], 8),
    "sxt2.r=r": lambda v: signed(v["r3"], 16),
    "sxt4.r=r": lambda v: signed(v["r3"], 32),
    "czx1.l.r=r": lambda v: zero_index(v["r3"], 1, True),
    "czx1.r.r=r": lambda v: zero_index(v["r3"], 1, False),
    "czx2.l.r=r": lambda v: zero_index(v["r3"], 2, True),
    "czx2.r.r=r": lambda v: zero_index(v["r3"], 2, False),
}  # fmt: skip

DTYPES = {1: np.uint8, 2: np.uint16, 4: np.uint32}


def lanes(value: int, size: int, is_signed: bool = False) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """Elements as wide integers, the lowest first."""
    kind = np.dtype(f"<{'i' if is_signed else 'u'}{size}")
    return np.frombuffer(value.to_bytes(8, "little"), kind).astype(np.int64)


def packed(values: "np.ndarray[tuple[int], np.dtype[np.int64]]", size: int) -> int:
    return int.from_bytes(values.astype(DTYPES[size]).tobytes(), "little")


def parallel(name: str, v: Values) -> int | None:
    """Of rows over elements; None for others."""
    mnemonic = name.split(".r=")[0]
    base, _, rest = mnemonic.partition(".")
    if not base[-1].isdigit() or not base.startswith("p") or base in ("popcnt",):
        return None
    size, operation = int(base[-1]), base[:-1]
    a, b = v.get("r2", 0), v.get("r3", 0)
    least, most = -(1 << 8 * size - 1), (1 << 8 * size - 1) - 1
    match operation, rest:
        case "padd" | "psub", _:
            is_signed = rest == "sss"
            x, y = lanes(a, size, is_signed), lanes(b, size, rest in ("sss", "uus"))
            total = x + y if operation == "padd" else x - y
            if is_signed:
                total = np.clip(total, least, most)
            elif rest:
                total = np.clip(total, 0, 256**size - 1)
            return packed(total, size)
        case "pavg", "":
            x, y = lanes(a, size), lanes(b, size)
            return packed(((x + y) // 2) | ((x + y) % 2), size)
        case "pavg", "raz":
            return packed((lanes(a, size) + lanes(b, size) + 1) // 2, size)
        case "pavgsub", _:
            x, y = lanes(a, size), lanes(b, size)
            return packed(((x - y) // 2) | ((x - y) % 2), size)
        case "pcmp", "eq":
            return packed(np.where(lanes(a, size) == lanes(b, size), -1, 0), size)
        case "pcmp", "gt":
            return packed(np.where(lanes(a, size, True) > lanes(b, size, True), -1, 0), size)
        case "pmin" | "pmax", _:
            x, y = lanes(a, size, rest != "u"), lanes(b, size, rest != "u")
            return packed(np.minimum(x, y) if operation == "pmin" else np.maximum(x, y), size)
        case "pshladd" | "pshradd", _:
            x, y = lanes(a, 2, True), lanes(b, 2, True)
            moved = x * 2 ** v["count3"] if operation == "pshladd" else x // 2 ** v["count3"]
            return packed(np.clip(np.clip(moved, least, most) + y, least, most), 2)
        case "psad", _:
            return int(np.abs(lanes(a, 1) - lanes(b, 1)).sum())
        case "pmpy", _:
            first = 0 if rest == "r" else 1
            return packed(lanes(a, 2, True)[first::2] * lanes(b, 2, True)[first::2], 4)
        case "pmpyshr", _:
            count = int(name.rpartition(",")[2])
            is_signed = rest != "u"
            return packed(lanes(a, 2, is_signed) * lanes(b, 2, is_signed) // 2**count, 2)
        case "pshr", _:
            by = v.get("count5", v.get("r2", 0))
            return packed(lanes(b, size, rest != "u") // 2 ** min(by, 40), size)
        case "pshl", _:
            by = v.get("ccount5", b)
            return packed(lanes(a, size) * 2 ** min(by, 31) if by < 8 * size else lanes(a, size) * 0, size)
        case "pack", _:
            both = np.concatenate([lanes(a, size, True), lanes(b, size, True)])
            half = 1 << 4 * size
            return packed(np.clip(both, 0, half - 1) if rest == "uss" else np.clip(both, -half // 2, half // 2 - 1), size // 2)
    return None


def arranged(name: str, v: Values) -> int | None:
    """Of rows that move elements; None for others."""
    mnemonic = name.split(".r=")[0]
    a, b = v.get("r2", 0), v.get("r3", 0)
    if mnemonic.startswith(("mix", "unpack")):
        size = int(mnemonic.partition(".")[0][-1])
        x, y = lanes(a, size), lanes(b, size)
        if mnemonic.startswith("mix"):
            at = slice(1, None, 2) if mnemonic.endswith("l") else slice(0, None, 2)
        else:
            half = 4 // size
            at = slice(half, None) if mnemonic.endswith("h") else slice(0, half)
        return packed(np.stack([y[at], x[at]], axis=1).ravel(), size)
    if mnemonic == "mux1":
        orders = {"@rev": "76543210", "@brcst": "00000000", "@mix": "04261537", "@shuf": "04152637", "@alt": "02461357"}
        order = [int(one) for one in orders[name.rpartition(",")[2]]]
        return packed(lanes(a, 1)[order], 1)
    if mnemonic == "mux2":
        order = [v["mux"] % 4, v["mux"] // 4 % 4, v["mux"] // 16 % 4, v["mux"] // 64]
        return packed(lanes(a, 2)[order], 2)
    return None


INTERESTING = (0, 1, M, 1 << 63, (1 << 63) - 1, 0xFF, 0x8000800080008000, 0x7F80FF0100807FFF, 0x80000000, 0xFFFFFFFF, 33, 64)


def registers(rng: random.Random, row: Row) -> int:
    if rng.random() < 0.3:
        return rng.choice(INTERESTING)
    return rng.randrange(200) if rng.random() < 0.2 else rng.getrandbits(64)


def expected(row: Row, v: Values) -> int | None:
    if row.name in RESULTS:
        return RESULTS[row.name](v)
    found = parallel(row.name, v)
    return arranged(row.name, v) if found is None else found


COMPUTING = [
    row for row in ROWS
    if row.unit in "AIX" and [one.kind for one in row.operands if one.role != "use"] == ["r"]
    and all(one.kind not in ("b", "ar", "f") for one in row.operands) and not row.name.startswith(("mov.r=pr", "mov.r=ip"))
]  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_rows_compute_what_numpy_does(seed: int) -> None:
    rng = random.Random(seed)
    here = machine()
    for row in COMPUTING:
        slot = Slot(row, random_values(row, rng), 0)
        here.R[1:32] = [registers(rng, row) for _ in range(31)]
        values = {
            operand.field: here.R[value] if operand.kind == "r" else value for operand, value in zip(row.operands, slot.values)
        }
        wanted = expected(row, values)
        assert wanted is not None, f"{row.name} is not known to this test"
        execute(here, slot)
        assert here.R[slot.values[0]] == wanted & M, (row.name, values)


def relation(name: str, a: int, b: int, is_half: bool) -> bool:
    bits = 32 if is_half else 64
    x, y = a % (1 << bits), b % (1 << bits)
    sx, sy = signed(a, bits), signed(b, bits)
    holds = {"eq": x == y, "ne": x != y, "ltu": x < y, "lt": sx < sy, "gt": sx > sy, "le": sx <= sy, "ge": sx >= sy}
    return holds[name]


COMPARING = [row for row in ROWS if "compare" in row.traits and row.mnemonic.startswith("cmp")]


def outcome(kind: str, holds: bool, before: tuple[int, int]) -> tuple[int, int]:
    match kind:
        case "and":
            return before if holds else (0, 0)
        case "or":
            return (1, 1) if holds else before
        case "or.andcm":
            return (1, 0) if holds else before
    return int(holds), int(not holds)


@pytest.mark.parametrize("seed", range(6))
def test_comparisons_write_their_predicates(seed: int) -> None:
    rng = random.Random(seed)
    here = machine()
    for row in COMPARING:
        head, rel, *kind = row.mnemonic.split(".", 2)
        values = random_values(row, rng)
        predicate = rng.randrange(6)
        here.R[1:32] = [registers(rng, row) for _ in range(31)]
        here.P[1:] = [rng.randrange(2) for _ in range(63)]
        if rng.random() < 0.4:
            here.R[values[-1]] = here.R[values[2]] if len(values) == 4 else 0
        first = 0 if len(values) == 3 else here.R[values[2]] if row.operands[2].kind == "r" else values[2]
        before = here.P[values[0]], here.P[values[1]]
        on = here.P[predicate]
        holds = relation(rel, first, here.R[values[-1]], head == "cmp4")
        execute(here, Slot(row, values, predicate))
        if on:
            wanted = outcome(kind[0] if kind else "", holds, before)
        else:
            wanted = (0, 0) if kind == ["unc"] else before
        assert (here.P[values[0]], here.P[values[1]]) == wanted, (row.name, values)


def test_bits_are_tested() -> None:
    rng = random.Random(3)
    here = machine()
    for name in ("tbit.z.p,p=r,pos6", "tbit.z.unc.p,p=r,pos6"):
        row = next(row for row in ROWS if row.name == name)
        for position in range(64):
            here.R[14] = rng.getrandbits(64)
            execute(here, Slot(row, (6, 7, 14, position), 0))
            is_zero = f"{here.R[14]:064b}"[63 - position] == "0"
            assert (here.P[6], here.P[7]) == (int(is_zero), int(not is_zero))


def test_a_predicate_that_is_off_changes_nothing() -> None:
    rng = random.Random(9)
    here = machine()
    here.P[3] = 0
    for row in (*COMPUTING, *[row for row in COMPARING if "unc" not in row.traits]):
        here.R[1:32] = [rng.getrandbits(64) for _ in range(31)]
        here.P[6:] = [rng.randrange(2) for _ in range(58)]
        before = list(here.R), list(here.P)
        execute(here, Slot(row, random_values(row, rng), 3))
        assert before == (here.R, here.P), row.name
