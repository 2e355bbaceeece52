"""Indices that are counted up in straight code -> the numbers that they are, so that arrays become registers.

    uniform int k = 0;                          %k1 = add nsw i32 0, 1
    for (uniform int j = 0; j < 3; j++)   ->    %at = sext i32 %k1 to i64
        v[k++] = a[i + j];                      %place = getelementptr <8 x float>, ptr %v, i64 %at          is  i64 1

When LLVM makes registers of variables it takes one after the other and computes nothing meanwhile: ``k`` is one then, the array
is still in memory. What is known here stays where it is, without users; a sum that claims not to wrap and does is left alone.
"""

from __future__ import annotations

from voltac.ir.function_texts import rewrite_functions
from voltac.system.lazy_patterns import lazy_pattern

_SUM = lazy_pattern(r"  (%[\w.$-]+) = (add|sub|mul)((?: nuw| nsw)*) i(8|16|32|64) (-?\d+), (-?\d+)(?:, !dbg !\d+)?$")
_CAST = lazy_pattern(r"  (%[\w.$-]+) = (sext|zext)( nneg)? i(?:8|16|32) (-?\d+) to i(?:16|32|64)(?:, !dbg !\d+)?$")
_NAME = lazy_pattern(r"%[\w.$-]+")
_OF_NUMBERS = lazy_pattern(r" = (?:(?:add|sub|mul)(?: n[us]w)* i\d+ -?\d+, -?\d|[sz]ext (?:nneg )?i\d+ -?\d)")
"""Where one of the two may be: most functions have none, and are not looked at line by line."""


def count_in_straight_code(text: str) -> str:
    """The module's text; unchanged where no place in a variable becomes known."""
    return rewrite_functions(text, _counted) if " = alloca [" in text else text


def _counted(body: str) -> str:
    if " = alloca [" not in body or _OF_NUMBERS.search(body) is None:
        return body
    known: dict[str, str] = {}
    variable_of: dict[str, str] = {}
    """Place in a variable -> its name."""
    helped: set[str] = set()
    unhelped: set[str] = set()
    """Variables with places that become known, and with others that do not: those stay in memory."""
    lines = body.split("\n")
    for at, line in enumerate(lines):
        head, is_made, rest = line.partition(" = ")
        was = rest
        if known and "%" in line:
            part = rest if is_made else line
            replaced = _NAME.sub(lambda found: known.get(found[0], found[0]), part)
            if replaced != part:
                rest = replaced
                lines[at] = line = f"{head} = {replaced}" if is_made else replaced
        if rest.startswith("alloca "):
            variable_of[head[2:]] = head[2:]
        elif rest.startswith("getelementptr"):
            place, _, indices = rest.partition(", ptr ")[2].partition(",")
            if place in variable_of:
                variable = variable_of[head[2:]] = variable_of[place]
                if "%" in indices:
                    unhelped.add(variable)
                elif rest != was:
                    helped.add(variable)
        value = _value(line)
        if value is not None:
            known[head[2:]] = str(value)
    return "\n".join(lines) if helped - unhelped else body


def _value(line: str) -> int | None:
    """Of an instruction whose operands are numbers; LLVM writes them with a sign."""
    if (found := _SUM.match(line)) is not None:
        first, second, bits = int(found[5]), int(found[6]), int(found[4])
        value = {"add": first + second, "sub": first - second, "mul": first * second}[found[2]]
        # Then it does not wrap around without a sign either.
        is_positive = min(first, second, value) >= 0
        return value if value.bit_length() < bits and (is_positive or " nuw" not in found[3]) else None
    if (found := _CAST.match(line)) is not None and (found[2] == "sext" or found[4][0] != "-"):
        return int(found[4])
    return None
