"""Which object an address points into, as far as a function says."""

from __future__ import annotations

import re

from voltac.codegen.selection import Selection
from voltac.ir.parts import Operand

GLOBAL_NAME = re.compile(r'@("[^"]*"|[-\w$.]+)')


def origin_of(selection: Selection, operand: Operand) -> str:
    """The alloca, the global, or the parameter that nothing else points into; empty where it is not known."""
    found: set[str] = set()
    pending, seen = [operand], set()
    while pending:
        one = selection.resolve(pending.pop())
        if one.value in seen:
            continue
        seen.add(one.value)
        made = selection.definitions.get(one.value)
        if one.value in selection.frame_slots:
            found.add(one.value)
        elif one.value[0] != "%":
            symbol = GLOBAL_NAME.search(one.value)
            found.add(symbol.group() if symbol else "")
        elif made is None:
            found.add(one.value if one.value in selection.private_parameters else "")
        elif made.op in ("getelementptr", "phi"):
            # A pointer that a loop steps stays in its object.
            pending += made.operands[:1] if made.op == "getelementptr" else made.operands
        else:
            found.add("")
    return found.pop() if len(found) == 1 else ""
