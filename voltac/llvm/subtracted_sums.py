"""Sums that loops take by subtraction alone -> sums of negated numbers, before LLVM unrolls these loops.

When LLVM has simplified, and is to give copies of the loop a sum each::

    %v = phi <8 x i32> [ zeroinitializer, %entry ], [ %w, %loop ]
    %w = sub <8 x i32> %v, %x

becomes

    %v = phi <8 x i32> [ zeroinitializer, %entry ], [ %w, %loop ]
    %subtracted.1 = sub <8 x i32> zeroinitializer, %x
    %w = add <8 x i32> %v, %subtracted.1

LLVM 22 puts the sums of the copies together by the operation of the loop, and takes the sum of one copy from that of the other
(``--unroll-add-parallel-reductions``); where there are additions, too, it adds. What unrolls is followed by what makes one
subtraction of both again. Integers wrap, so that both ways are the same number; the flags that say they do not are left out.
tests/llvm/test_subtracted_sums.py holds what they are.
"""

from __future__ import annotations

import re

from voltac.system.lazy_patterns import lazy_pattern

_FUNCTION = lazy_pattern(r"^define .*?^}$", re.MULTILINE | re.DOTALL)
_VALUE = lazy_pattern(r"^  (?P<name>%\S+) = (?P<op>phi|sub|select)\b(?P<rest>.*)$", re.MULTILINE)
_SUBTRACTION = lazy_pattern(
    r"^  (%\S+) = sub (?:nuw |nsw )*(<\d+ x i\d+>|i\d+) (%[^\s,]+), ([^\s,]+|<[^>]*>|splat \([^)]*\))(.*)$"
)
_INCOMING = lazy_pattern(r"\[ (%[^\s,]+), ")
_OPERAND = lazy_pattern(r"(%[^\s,]+)")
_TAKEN = lazy_pattern(r"%subtracted\.(\d+) =")


def add_what_is_subtracted(text: str) -> str:
    """The module's text, unchanged where no loop subtracts from what it carries to the next iteration."""
    if " = sub " not in text:
        return text
    number = max(map(int, _TAKEN.findall(text)), default=0)

    def function(found: re.Match[str]) -> str:
        nonlocal number
        body = found[0]
        names = _subtracted(body) if " = sub " in body and " = phi " in body else set[str]()
        if not names:
            return body
        lines = []
        for line in body.split("\n"):
            subtraction = _SUBTRACTION.match(line)
            if subtraction is not None and subtraction[1] in names:
                number += 1
                name, kind, carried, subtracted, debug = subtraction.groups()
                zero = "zeroinitializer" if kind.startswith("<") else "0"
                lines.append(f"  %subtracted.{number} = sub {kind} {zero}, {subtracted}{debug}")
                line = f"  {name} = add {kind} {carried}, %subtracted.{number}{debug}"
            lines.append(line)
        return "\n".join(lines)

    return _FUNCTION.sub(function, text)


def _subtracted(body: str) -> set[str]:
    """The names of the differences that a phi of the function leads to itself by, with nothing but selections between."""
    values = {found["name"]: (found["op"], found["rest"]) for found in _VALUE.finditer(body)}
    return {
        name for phi, (op, _) in values.items() if op == "phi" for name in _on_the_way(phi, values) if values[name][0] == "sub"
    }


def _on_the_way(phi: str, values: dict[str, tuple[str, str]]) -> set[str]:
    """The values that are made of the phi, and are what it is made of."""
    users: dict[str, list[str]] = {}
    seen, waiting = set[str](), [phi]
    while waiting:
        name = waiting.pop()
        if name in seen or name not in values:
            continue
        seen.add(name)
        op, rest = values[name]
        operands = _INCOMING.findall(rest) if op == "phi" else _OPERAND.findall(rest)
        # Of a difference only what is subtracted from.
        for operand in operands[:1] if op == "sub" else operands:
            users.setdefault(operand, []).append(name)
            waiting.append(operand)
    made, waiting = set[str](), [phi]
    while waiting:
        for user in users.get(waiting.pop(), ()):
            if user not in made:
                made.add(user)
                waiting.append(user)
    return made if phi in made else set()
