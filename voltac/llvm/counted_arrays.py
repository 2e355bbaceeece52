"""Indices that are counted up in straight code -> the numbers that they are, so that arrays become registers.

    uniform int k = 0;                          %k1 = add nsw i32 0, 1
    for (uniform int j = 0; j < 3; j++)   ->    %at = sext i32 %k1 to i64
        v[k++] = a[i + j];                      %place = getelementptr <8 x float>, ptr %v, i64 %at          is  i64 1

When LLVM makes registers of variables it takes one after the other and computes nothing meanwhile: ``k`` is one then, the array
is still in memory. What is known here stays where it is, without users; a sum that claims not to wrap and does is left alone.
Where the counter is one number in all lanes, though not uniform, the lanes' own elements are vectors
(:mod:`voltac.llvm.counted_lanes`).
"""

from __future__ import annotations

from voltac.ir.function_texts import rewrite_functions
from voltac.llvm.counted_lanes import KnownLanes
from voltac.system.lazy_patterns import lazy_pattern

_SUM = lazy_pattern(r"  (%[\w.$-]+) = (add|sub|mul)((?: nuw| nsw)*) i(8|16|32|64) (-?\d+), (-?\d+)(?:, !dbg !\d+)?$")
_CAST = lazy_pattern(r"  (%[\w.$-]+) = (sext|zext)( nneg)? i(?:8|16|32) (-?\d+) to i(?:16|32|64)(?:, !dbg !\d+)?$")
_SPLAT = r"(?:zeroinitializer|splat \(i\d+ -?\d+\))"
_VECTOR_SUM = lazy_pattern(
    r"  (%[\w.$-]+) = (?:add|sub|mul)(?: nuw| nsw)* <\d+ x i(8|16|32|64)> " + f"({_SPLAT}), ({_SPLAT})(?:, !dbg !\\d+)?$"
)
_VECTOR_CAST = lazy_pattern(
    r"  (%[\w.$-]+) = (?:sext|zext)(?: nneg)? <\d+ x i(8|16|32)> " + f"({_SPLAT})" + r" to <\d+ x i(16|32|64)>(?:, !dbg !\d+)?$"
)
_LANES = lazy_pattern(r"<\d+ x (i\d+)>")
_NUMBER = lazy_pattern(r"zeroinitializer|splat \(i\d+ (-?\d+)\)")
_NAME = lazy_pattern(r"%[\w.$-]+")
_OF_NUMBERS = lazy_pattern(
    r" = (?:(?:add|sub|mul)(?: n[us]w)*|[sz]ext(?: nneg)?) (?:i\d+ -?\d|<\d+ x i\d+> (?:zeroinitializer|splat))"
)
"""Where one of these may be: most functions have none, and are not looked at line by line."""


def count_in_straight_code(text: str) -> str:
    """The module's text; unchanged where no place of an array becomes known."""
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
    lanes, helps_lanes = KnownLanes(body), False
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
        elif (splat := _splat(line)) is not None:
            known[head[2:]] = splat
        elif (instead := lanes.rewritten(line)) is not None:
            helps_lanes = True
            lines[at] = "\n".join(instead)
    if not helps_lanes and not helped - unhelped:
        return body
    return "\n".join(_without(lanes.pointers(), lines))


def _without(names: list[str], lines: list[str]) -> list[str]:
    """The lines but those that make a value of these that nothing uses; what uses another comes behind it in ``names``."""
    for name in reversed(names):
        makes = f"  {name} = "
        uses = [at for at, line in enumerate(lines) if name in line and name in _NAME.findall(line)]
        # Values without a name are counted, each line makes the next.
        if len(uses) == 1 and lines[uses[0]].startswith(makes) and not name[1:].isdigit():
            del lines[uses[0]]
    return lines


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


def _splat(line: str) -> str | None:
    """The same of an instruction of vectors that are one number in all lanes."""
    if "zeroinitializer" not in line and "splat (" not in line:
        return None
    if _VECTOR_SUM.match(line) is None and _VECTOR_CAST.match(line) is None:
        return None
    scalar = _NUMBER.sub(lambda found: found[1] or "0", _LANES.sub(lambda found: found[1], line))
    value = _value(scalar)
    if value is None:
        return None
    bits = scalar.rpartition(" to ")[2].split(",")[0] if " to " in scalar else scalar.split(" i", 1)[1].split(" ")[0]
    return f"splat (i{bits.removeprefix('i')} {value})"
