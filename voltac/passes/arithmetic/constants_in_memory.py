"""Constants of vectors, where they are more than registers -> operands in memory, with AVX2.

When LLVM has finished simplifying, in functions with many of them::

    %p = call <8 x float> @llvm.fma.v8f32(<8 x float> %z, <8 x float> %q, <8 x float> splat (float 5.0))

becomes

    %constant.1 = load <8 x float>, ptr @constants.1, align 32, !invariant.load !7
    %p = call <8 x float> @llvm.fma.v8f32(<8 x float> %z, <8 x float> %q, <8 x float> %constant.1)

LLVM keeps one lane of such a constant in memory and broadcasts it into a register, an instruction of its own in each turn of a
loop that is short of registers. A whole vector in memory is an operand of the instruction that needs it. Where registers are
left, LLVM takes the loads out of the loop as before. For SSE constants are whole in memory already; with AVX-512 operands
in memory are broadcast on the way.
"""

from __future__ import annotations

import re
from functools import cached_property

from voltac.ir.function_texts import rewrite_functions
from voltac.system.lazy_patterns import lazy_pattern

MOST_IN_REGISTERS = 6
"""Distinct constants up to which a function is left as it is. Chosen: of 16 registers they leave ten for what is computed."""
_OPERATION = lazy_pattern(r"  %\S+ = (?:(?:tail )?call [^@]*@llvm\.fma\.v|fmul |fadd |fsub |fcmp ).* splat \((?:float|double) ")
_CONSTANT = lazy_pattern(r"(?P<comma>, )?(?P<type><\d+ x (?:float|double)> )?(?P<splat>splat \((?:float|double) [^)]+\))")
_SPLAT = lazy_pattern(r"splat \((?:float|double) [^)]+\)")
_TYPE = lazy_pattern(r"<(?P<lanes>\d+) x (?P<element>float|double)>")
_DEBUG = lazy_pattern(r", !dbg !\d+$")
_TAKEN = lazy_pattern(r"(?:@constants|%constant)\.(\d+)")
_BYTES = {"float": 4, "double": 8}
_REGISTERS = (16, 32, 64)
"""Sizes in bytes of what one instruction takes from memory."""


def keep_constants_in_memory(text: str) -> str:
    """The module's text, unchanged if no function has many constants."""
    return _Constants(text).rewritten() if _has_many(text) else text


def _has_many(text: str) -> bool:
    return text.count(" splat (float ") + text.count(" splat (double ") > MOST_IN_REGISTERS


class _Constants:
    def __init__(self, text: str) -> None:
        self.text = text
        self.loads = 0
        self.names: dict[str, str] = {}
        """Type and value -> the variable that holds it."""

    def rewritten(self) -> str:
        made = rewrite_functions(self.text, self._function)
        if not self.names:
            return self.text
        lines = [f"{name} = private unnamed_addr constant {value}, align {_size(value)}" for value, name in self.names.items()]
        return "\n".join([made, *lines, f"{self.nothing} = !{{}}", ""])

    @cached_property
    def taken(self) -> int:
        """The last number in use in names."""
        return max(map(int, _TAKEN.findall(self.text)), default=0)

    @cached_property
    def nothing(self) -> str:
        """Metadata without operands."""
        nodes = [node.partition(" = ")[0] for node in self.text.split("\n!")[1:]]
        return f"!{max(map(int, filter(str.isdigit, nodes)), default=-1) + 1}"

    def _function(self, body: str) -> str:
        if not _has_many(body):
            return body
        lines = body.split("\n")
        with_constants = [(at, line) for at, line in enumerate(lines) if " splat (" in line]
        operations = [at for at, line in with_constants if _OPERATION.match(line)]
        constants = {one for at in operations for one in _SPLAT.findall(lines[at])}
        if len(constants) <= MOST_IN_REGISTERS:
            return body
        # A comparison and a selection of the same constant are one instruction, if LLVM sees that it is the same.
        selected = {one for _, line in with_constants if " = select " in line for one in _SPLAT.findall(line)}
        for at in operations:
            lines[at] = self._operation(lines[at], constants, selected)
        return "\n".join(lines)

    def _operation(self, line: str, constants: set[str], selected: set[str]) -> str:
        type = _TYPE.search(line)
        if type is None or int(type["lanes"]) * _BYTES[type["element"]] not in _REGISTERS:
            return line
        is_call, is_comparison = " call " in line, " = fcmp " in line
        debug = _DEBUG.search(line)
        loads: list[str] = []

        def operand(found: re.Match[str]) -> str:
            # What is subtracted from or divided is no operand in memory.
            if (not is_call and not found["comma"]) or (is_comparison and found["splat"] in selected):
                return found[0]
            self.loads += 1
            name = self._name(f"{type[0]} {found['splat']}")
            loaded = f"%constant.{self.taken + self.loads}"
            loads.append(
                f"  {loaded} = load {type[0]}, ptr {name}, align {_size(type[0])}, !invariant.load {self.nothing}"
                f"{debug[0] if debug else ''}\n"
            )
            return f"{found['comma'] or ''}{found['type'] or ''}{loaded}"

        if " = fadd " in line and (added := _CONSTANT.search(line)) and (other := _negated(added["splat"])) in constants:
            line = line.replace(" = fadd ", " = fsub ").replace(added["splat"], other)
        line = _CONSTANT.sub(operand, line)
        return "".join(loads) + line

    def _name(self, value: str) -> str:
        if value not in self.names:
            self.names[value] = f"@constants.{self.taken + len(self.names) + 1}"
        return self.names[value]


def _negated(splat: str) -> str:
    """The constant of the other sign, as LLVM writes it."""
    kind, value = splat[len("splat (") : -1].split(" ")
    if value.startswith("0x"):
        value = f"0x{int(value[2:], 16) ^ 1 << 63:016X}"
    else:
        value = value[1:] if value.startswith("-") else f"-{value}"
    return f"splat ({kind} {value})"


def _size(text: str) -> int:
    type = _TYPE.match(text)
    assert type is not None
    return int(type["lanes"]) * _BYTES[type["element"]]
