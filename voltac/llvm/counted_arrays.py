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


def count_in_straight_code(text: str) -> str:
    """The module's text; unchanged where no place of an array becomes known."""
    return rewrite_functions(text, _counted) if " = alloca [" in text else text


def _counted(body: str) -> str:
    if " = alloca [" not in body:
        return body
    known: dict[str, str] = {}
    lines = body.split("\n")
    helps = False
    for at, line in enumerate(lines):
        if known and "%" in line:
            head, is_made, rest = line.partition(" = ")
            part = rest if is_made else line
            replaced = _NAME.sub(lambda found: known.get(found[0], found[0]), part)
            if replaced != part:
                helps = helps or rest.startswith("getelementptr")
                lines[at] = line = f"{head} = {replaced}" if is_made else replaced
        value = _value(line)
        if value is not None:
            known[line[2 : line.index(" = ")]] = str(value)
    return "\n".join(lines) if helps else body


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
