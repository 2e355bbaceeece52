"""Bundles -> Python functions: straight code up to a branch, in which names of registers are resolved (IA-64 3, 4).

A function takes the machine, and gives the address to go on at. Each group first waits for what it reads.
Translations are kept for the process: a kernel that is called again is not translated again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from types import CodeType
from typing import Any

from voltac.codegen.rows import Row
from voltac.codegen.simulator import Fault
from voltac.records import field, mutable_record, record, replace
from voltac.targets.ia64.assembly.text import slot_text, target_of
from voltac.targets.ia64.registers import APPLICATION
from voltac.targets.ia64.simulator import float_formats, floats, integers
from voltac.targets.ia64.simulator.dependencies import reads_of, violation, writes_of
from voltac.targets.ia64.simulator.timing import issue_cycles
from voltac.targets.ia64.slots import BUNDLE_BYTES, Slot, decode_bundle

_MOST = 64
"""Bundles of a function at most. Chosen."""
_KEPT = 2048
"""Translations that are kept. Chosen: a suite's programs have some hundreds each."""
_ENDS = frozenset(("branch", "call", "return", "clrrrb", "break"))
_LOADS = {"load": 1, "float load": 6}
"""Cycles until what is loaded may be used, by class: for checks whose load was forgotten (IA-64 10)."""
_FILES = {"r": ("R", "G", 32, 128), "f": ("F", "FN", 32, 128), "p": ("P", "PN", 16, 64)}
"""Kind -> the list, its table of names, and which of its names may be elsewhere."""
_READY = {"r": 0, "f": 1, "p": 2}
_ARS = {APPLICATION[name]: attribute for name, attribute in {
    "ar.lc": "lc", "ar.ec": "ec", "ar.pfs": "pfs", "ar.unat": "unat", "ar.ccv": "ccv", "ar.fpsr": "floats.fpsr",
    "ar.itc": "cycle",
}.items()}  # fmt: skip
_NAME = re.compile(r"[A-Za-z_]\w*")
_ASSIGNMENT = re.compile(r"\s*([A-Za-z_][\w, ]*?)\s*=(?!=)\s*(.*)", re.DOTALL)
_METHODS = (
    "store", "load_s", "load_a", "load_c", "fill", "spill", "spill_f", "advanced_lost", "compare_exchange", "break_", "alloc",
    "get_pr", "set_pr", "clear_rotation", "nat_used",
)  # fmt: skip
_OF_FLOATS = (
    "fma", "pair_fma", "xma", "frcpa", "frsqrta", "fprcpa", "fprsqrta", "fcmp", "pair_compare", "extreme", "pair_extreme",
    "to_integer", "pair_to_integer", "fsetc", "fclrf",
)  # fmt: skip
_PURE: dict[str, Any] = {
    **integers.FUNCTIONS,
    **{name: getattr(floats, name) for name in ("fclass", "of_integer", "fmerge", "fpmerge", "lanes", "bitwise")},
    **{
        name: getattr(float_formats, name)
        for name in ("of_single", "of_double", "to_single", "to_double", "of_extended", "to_extended", "of_significand",
                     "significand", "of_exponent", "exponent")
    },
    "L": 0xFFFFFFFF, "S": 0x80000000, "NAT": integers.NAT, "NATVAL": float_formats.NATVAL, "prefetch": lambda address: None,
}  # fmt: skip


@mutable_record(eq=False)
class Block:
    """Translated code."""

    start: int
    function: Callable[[Any], int]
    origin: list[tuple[int, str]] = field(default_factory=list)
    """For each line of the function the address and the text of the instruction that it is of."""
    counts: dict[str, int] = field(default_factory=dict)
    nops: int = 0
    groups: int = 0
    bundles: int = 0


def translate(machine: Any, start: int, rotated: bool) -> Block:
    """The code from an address on, for a machine of ``machine.py``; a Fault where there is none, or a group breaks rules."""
    content = b"" if start % BUNDLE_BYTES else machine.memory.usable(start, _MOST * BUNDLE_BYTES)
    made = _translation(content, _Setting(start, rotated, machine.has_speculation, machine.trace is not None))
    if made.is_stale:
        machine.expect_nat()
        return translate(machine, start, rotated)
    exec(made.code, machine.names)
    return replace(made.block, function=machine.names["block"])


def bound_names(machine: Any) -> dict[str, Any]:
    """What translated code calls, of a machine."""
    names = {**_PURE, "load": machine.memory.load, "fill_f": lambda address: machine.memory.load(16, address)}
    names |= {name: getattr(machine, name) for name in _METHODS}
    return names | {name: getattr(machine.floats, name) for name in _OF_FLOATS}


@record
class _Setting:
    """What a translation depends on beside the code."""

    start: int
    rotated: bool
    has_speculation: bool
    """Whether registers may have NaT."""
    is_traced: bool


@record(eq=False)
class _Translation:
    """Code that is bound to no machine yet."""

    block: Block
    code: CodeType
    is_stale: bool
    """Whether it was written before it was known that registers may have NaT."""


@lru_cache(maxsize=_KEPT)
def _translation(content: bytes, setting: _Setting) -> _Translation:
    writer = _Writer(content, setting)
    writer.write()
    code = compile("\n".join(writer.lines), f"<block {setting.start:#x}>", "exec")
    return _Translation(writer.block, code, writer.is_stale)


class _Writer:
    def __init__(self, content: bytes, setting: _Setting) -> None:
        self.content = content
        self.setting = setting
        self.start = setting.start
        self.rotated = setting.rotated
        self.block = Block(self.start, lambda machine: 0)
        self.lines: list[str] = []
        self.where = (self.start, "")
        self.is_stale = False

    def emit(self, text: str, depth: int = 1) -> None:
        self.lines.append("    " * depth + text)
        self.block.origin.append(self.where)

    def write(self) -> None:
        self.emit("def block(m):", 0)
        self.emit("R, F, P, B = m.R, m.F, m.P, m.B")
        self.emit("G, FN, PN = m.G, m.FN, m.PN")
        self.emit("RT, FT, PT = m.ready")
        self.emit("t = m.cycle")
        place = self.start
        group: list[tuple[int, Slot, str]] = []
        for _ in range(_MOST):
            content = self.content[place - self.start : place - self.start + BUNDLE_BYTES]
            bundle = decode_bundle(content) if len(content) == BUNDLE_BYTES else None
            if bundle is None:
                if place == self.start:
                    raise Fault("there is no bundle")
                break
            self.block.bundles += 1
            ends = False
            for number, slot in enumerate(bundle.slots):
                if slot is None:
                    continue
                group.append((place + number, slot, bundle.units[number]))
                if "speculative" in slot.row.traits and not self.setting.has_speculation:
                    self.is_stale = True
                ends = ends or bool(slot.row.traits & _ENDS)
                if number in bundle.stops:
                    self.group(group)
                    group = []
            place += BUNDLE_BYTES
            if ends:
                break
        if group:
            self.group(group)
        self.emit("m.cycle = t")
        self.emit(f"return {place}")

    # --- groups

    def group(self, group: list[tuple[int, Slot, str]]) -> None:
        wrong = violation([slot for _, slot, _ in group])
        if wrong:
            raise Fault(wrong)
        self.block.groups += 1
        self.where = (group[0][0] & ~15, slot_text(group[0][1]).strip())
        cycles = issue_cycles([(place & ~15, slot.row, unit) for place, slot, unit in group])
        waits = dict.fromkeys(
            self.ready(kind, number) + (" - 1" if kind == "p" and slot.row.unit == "B" else "")
            for _, slot, _ in group
            for kind, number in reads_of(slot)
            if kind in _READY
        )
        self.emit(f"t = max(t, {', '.join(waits)}) + {cycles}" if waits else f"t += {cycles}")
        for place, slot, _ in group:
            mnemonic = slot.row.mnemonic
            self.block.counts[mnemonic] = self.block.counts.get(mnemonic, 0) + 1
            if "nop" in slot.row.traits:
                self.block.nops += 1
                continue
            self.where = (place & ~15, self.described(slot, place & ~15))
            if self.setting.is_traced:
                self.emit(f"m.trace({f'{place & ~15:#x}: {self.where[1]}'!r})")
            if "check" in slot.row.traits:
                self.emit("m.missed = False")
            self.instruction(slot, place & ~15)
            for kind, number in writes_of(slot):
                if kind in _READY and "writes pr" not in slot.row.traits:
                    latency = self.latency(slot.row, kind, number, slot)
                    # Issued in the cycle before t.
                    late = str(latency - 1)
                    if "check" in slot.row.traits and (slot.row.operands[0].kind, slot.values[0]) == (kind, number):
                        again = _LOADS["float load" if "float load" in slot.row.traits else "load"]
                        late = f"({again - 1} if m.missed else {late})"
                    self.emit(f"{self.ready(kind, number)} = t + {late}")

    def described(self, slot: Slot, place: int) -> str:
        target = target_of(slot, place)
        return slot_text(slot, {} if target is None else {"target": f"{target:#x}"}).strip()

    def latency(self, row: Row, kind: str, number: int, slot: Slot) -> int:
        is_base = any(
            one.role == "update" and (one.kind, value) == (kind, number) and f"[{{{one.field}}}]" in row.text
            for one, value in zip(row.operands, slot.values)
        )
        return 1 if is_base else row.latency

    def index(self, kind: str, number: int) -> str:
        _, table, first, end = _FILES[kind]
        return f"{table}[{number}]" if self.rotated and first <= number < end else str(number)

    def ready(self, kind: str, number: int) -> str:
        return f"{kind.upper()}T[{self.index(kind, number)}]"

    def register(self, kind: str, number: int) -> str:
        """Where a register is, as an expression."""
        if kind == "ar":
            if number not in _ARS:
                raise Fault(f"application register {number} is none that programs may use")
            return f"m.{_ARS[number]}"
        if kind == "b":
            return f"B[{number}]"
        return f"{_FILES[kind][0]}[{self.index(kind, number)}]"

    # --- instructions

    def instruction(self, slot: Slot, place: int) -> None:
        depth = 1
        traits = slot.row.traits
        loops = "loop" in traits
        if slot.predicate and not loops:
            # The instruction may write its own predicate.
            self.emit(f"q = {self.register('p', slot.predicate)}")
            self.emit("if q:")
            depth = 2
        if self.setting.has_speculation and "sees NaT" not in traits:
            depth = self.checks(slot, depth)
        if traits & {"branch", "call", "return"}:
            self.leaves(slot, place, depth)
        else:
            self.meaning(slot, place, depth)
        if slot.predicate and "unc" in traits:
            for operand, value in zip(slot.row.operands, slot.values):
                if operand.kind == "p" and value:
                    self.emit(f"if not q: {self.register('p', value)} = 0")

    def checks(self, slot: Slot, depth: int) -> int:
        """What an instruction does with NaT: it hands it on, or may not have it."""
        looked_at = {"r": "is NAT"}
        if slot.row.traits & {"float compare", "store"}:
            # What else floats are for hands NaTVal on as any number.
            looked_at["f"] = "== NATVAL"
        sources = dict.fromkeys(
            f"{self.register(one.kind, value)} {looked_at[one.kind]}"
            for one, value in zip(slot.row.operands, slot.values)
            if one.kind in looked_at and one.role != "def" and value
        )
        if not sources:
            return depth
        self.emit(f"if {' or '.join(sources)}:", depth)
        made = [(one.kind, value) for one, value in zip(slot.row.operands, slot.values) if one.role != "use"]
        traits = slot.row.traits
        if traits & {"parallel or", "parallel or.andcm"}:
            # What has not come true leaves predicates as they are.
            made = []
        if traits & {"load", "store", "writes pr", "to ar", "to branch", "semaphore"} and not traits & {"speculative"}:
            self.emit("nat_used()", depth + 1)
        for kind, number in made:
            value = {"p": "0", "f": "NATVAL"}.get(kind, "NAT")
            if kind != "p" or number:
                self.emit(f"{self.register(kind, number)} = {value}", depth + 1)
        if not made:
            self.emit("pass", depth + 1)
        self.emit("else:", depth)
        return depth + 1

    def meaning(self, slot: Slot, place: int, depth: int) -> None:
        row = slot.row
        known: dict[str, str] = {"ip": str(place), "pfs": "m.pfs"}
        kinds: dict[str, tuple[str, int]] = {}
        for operand, value in zip(row.operands, slot.values):
            name = "class_" if operand.field == "class" else operand.field
            if operand.kind in (*_FILES, "b", "ar"):
                kinds[name] = (operand.kind, value)
                known[name] = self.register(operand.kind, value)
            else:
                known[name] = f"({value})"
        if row.mnemonic.split(".")[0] in ("fma", "fms", "fnma", "fpma", "fpms", "fpnma") and kinds["f2"] == ("f", 0):
            # Nothing is added, which is not the same as zero: the product keeps its sign.
            known["f2"] = "None"
        if "entry" in row.meaning:
            kind = next(one for one in row.operands if one.kind in ("r", "f"))
            number = slot.values[row.operands.index(kind)]
            known["entry"] = f"({kind.kind!r}, {self.index(kind.kind, number)})"
        if row.mnemonic == "getf.sig" and self.setting.has_speculation:
            self.emit(f"{known['r1']} = NAT if is_nat({known['f2']}) else significand({known['f2']})", depth)
            return
        for number, statement in enumerate(row.meaning.split(";")):
            if not statement.strip():
                continue
            found = _ASSIGNMENT.fullmatch(statement)
            if found is not None:
                targets, expression = [one.strip() for one in found[1].split(",")], found[2]
            elif number == 0:
                targets, expression = [row.defined[0].field], statement.strip()
            else:
                self.emit(self.filled(statement.strip(), known), depth)
                continue
            self.assign(targets, self.filled(expression, known), known, kinds, depth)

    def filled(self, text: str, known: dict[str, str]) -> str:
        return _NAME.sub(lambda found: known.get(found[0], found[0]), text)

    def assign(
        self, targets: list[str], expression: str, known: dict[str, str], kinds: dict[str, tuple[str, int]], depth: int
    ) -> None:
        places = []
        for target in targets:
            kind, number = kinds.get(target, ("", 0))
            places.append("_" if kind == "p" and not number else known.get(target, target))
        if len(targets) == 1 and kinds.get(targets[0], ("",))[0] in ("r", "b", "ar") and not _is_cut(expression):
            expression = f"({expression}) & M"
        self.emit(f"{', '.join(places)} = {expression}", depth)

    # --- branches

    def leaves(self, slot: Slot, place: int, depth: int) -> None:
        row, traits = slot.row, slot.row.traits
        values = {operand.field: value for operand, value in zip(row.operands, slot.values)}
        if "target" in values:
            to = str(place + values["target"])
        else:
            to = f"B[{values['b2']}] & ~15"
        if "loop" in traits:
            kind = row.mnemonic.split(".")[1]
            condition = (
                f"m.wtop({self.register('p', slot.predicate)})"
                if kind[0] == "w"
                else f"m.{'cloop' if kind == 'cloop' else 'ctop'}()"
            )
            self.emit(f"if {'not ' if kind.endswith('exit') else ''}{condition}:", depth)
            depth += 1
        elif "recovery" in traits:
            self.emit("if True:", depth)
            known = {one: self.register(one[0], number) for one, number in values.items() if one[0] in "rf"}
            name, number = next((one, number) for one, number in values.items() if one[0] in "rf")
            known["entry"] = f"({name[0]!r}, {self.index(name[0], number)})"
            self.lines[-1] = "    " * depth + f"if {self.filled(row.meaning, known)}:"
            depth += 1
        elif "call" in traits:
            self.emit(f"to = {to}", depth)
            self.emit(f"B[{values['b1']}] = {place + BUNDLE_BYTES}", depth)
            self.emit("m.call()", depth)
            to = "to"
        elif "return" in traits:
            self.emit("m.return_()", depth)
        self.emit("m.cycle = t", depth)
        self.emit(f"return {to}", depth)


def _is_cut(expression: str) -> bool:
    """Whether what a meaning says is a register's number, or none, as it is."""
    return bool(
        re.match(
            r"(load|load_[sac]|fill|alloc|compare_exchange|each|each_s|mix|unpack|pack|permuted|extr|sx4|x4)\(", expression
        )
    )
