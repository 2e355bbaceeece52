"""Frozen conditions of lanes -> conditions of frozen numbers, where masks are vectors of whole lanes.

When LLVM has finished simplifying::

    %this = icmp ne <8 x i32> %x, splat (i32 1)              %compared.1 = freeze <8 x i32> %x
    %that = icmp slt <8 x i32> %y, %x                        %this = icmp ne <8 x i32> %compared.1, splat (i32 1)
    %both = and <8 x i1> %this, %that                   ->   ...
    %m = freeze <8 x i1> %both                               %both = and <8 x i1> %this, %that
                                                             and %both for %m everywhere

Of a frozen condition LLVM's code generator no longer knows that each lane is all ones or all zeros, and spreads its lowest
bit over it, by two shifts for each register and condition; frozen numbers are what they were. What is frozen earlier may
stand for what was to be frozen: it is one of the values that poison may be. Flags by which a comparison may be poison go.
"""

from __future__ import annotations

from voltac.ir.function_texts import rewrite_functions
from voltac.ir.model import Instruction
from voltac.ir.scan import VALUE, renamed
from voltac.options import Options
from voltac.system.lazy_patterns import lazy_pattern

_FREEZE = lazy_pattern(rf"  (?P<name>{VALUE}) = freeze <\d+ x i1> (?P<value>{VALUE})(?:, !dbg !\d+)?$")
_DEBUG = lazy_pattern(r", !dbg !\d+$")
_TAKEN = lazy_pattern(r"%compared\.(\d+) =")
_JOINING = frozenset(("and", "or", "xor", "select"))


def freeze_compared(text: str, options: Options) -> str:
    """The module's text, unchanged if no condition is frozen or the target has mask registers."""
    if options.target.has_mask_registers or " = freeze <" not in text:
        return text
    taken = max(map(int, _TAKEN.findall(text)), default=0) if "%compared." in text else 0

    def rewrite(function: str) -> str:
        nonlocal taken
        lines = function.split("\n") if " = freeze <" in function else []
        if not any(" = freeze <" in each and " x i1> " in each for each in lines):
            return function
        found = _Function(lines, taken)
        made = found.rewritten()
        taken = found.taken
        return "\n".join(made) if found.same else function

    return rewrite_functions(text, rewrite)


class _Function:
    """Lines of one function."""

    def __init__(self, lines: list[str], taken: int) -> None:
        self.lines = lines
        self.taken = taken
        """The last number in use in names."""
        self.places = {line[2 : line.index(" = ")]: at for at, line in enumerate(lines) if line.startswith("  %")}
        self.before: dict[int, list[str]] = {}
        """Place of a comparison -> what is frozen there."""
        self.same: dict[str, str] = {}
        """What was frozen -> what it is now."""

    def rewritten(self) -> list[str]:
        """The lines with conditions of frozen numbers."""
        same, removed = self.same, set[int]()
        for at, line in enumerate(self.lines):
            found = _FREEZE.match(line) if " = freeze <" in line else None
            leaves = self._leaves(found["value"]) if found is not None else None
            if found is None or leaves is None:
                continue
            for leaf in leaves:
                self._freeze(leaf)
            same[found["name"]] = found["value"]
            removed.add(at)
        if not same:
            return self.lines
        for name in same:
            while same[name] in same:
                same[name] = same[same[name]]
        made: list[str] = []
        for at, line in enumerate(self.lines):
            made += self.before.get(at, ())
            if at not in removed:
                made.append(renamed(line, same))
        return made

    def _leaves(self, value: str) -> list[str] | None:
        """The comparisons that a condition is made of, and what else may be poison by itself; None where that is not known."""
        leaves: list[str] = []
        seen: set[str] = set()
        work = [value]
        while work:
            name = work.pop()
            if name in seen or name[0] != "%":
                continue
            seen.add(name)
            if name in self.same:
                work.append(self.same[name])
                continue
            if name not in self.places:
                return None
            made = Instruction(self.lines[self.places[name]])
            if made.op in _JOINING:
                work += [each.value for each in made.operands]
                leaves.append(name)
            elif made.op in ("icmp", "fcmp"):
                if any(each.value[0] != "%" and ("poison" in each.value or "undef" in each.value) for each in made.operands):
                    return None
                leaves.append(name)
            elif made.op != "freeze":
                return None
        return leaves

    def _freeze(self, name: str) -> None:
        at = self.places[name]
        line = self.lines[at]
        made = Instruction(line)
        if made.op in _JOINING:
            self.lines[at] = line.replace(" = or disjoint ", " = or ", 1)
            return
        if at in self.before:
            return
        debug = found[0] if (found := _DEBUG.search(line)) else ""
        frozen: list[str] = []
        values: list[str] = []
        for operand in made.operands:
            if operand.value[0] != "%":
                values.append(operand.value)
                continue
            self.taken += 1
            frozen.append(f"  %compared.{self.taken} = freeze {operand.type} {operand.value}{debug}")
            values.append(f"%compared.{self.taken}")
        self.before[at] = frozen
        kind = made.operands[0].type
        self.lines[at] = f"  {name} = {made.op} {made.parts.predicate} {kind} {', '.join(values)}{debug}"
