"""Short loops within loops over gangs -> the same, beginning with a line of the instruction cache.

When LLVM has finished simplifying::

    body:
      ...
      br i1 %last, label %done, label %body

becomes

      br i1 %last, label %done, label %body, !llvm.loop !7        !7 = distinct !{!7, !{!"llvm.loop.align", i32 64}}

A loop that lies in two lines takes a cycle more in each iteration, one of ten instructions half as long again. Loops over gangs
say so from the beginning (``lower/control_flow/loops.py``); of others the passes before ask whether something is said of them.
"""

from __future__ import annotations

from voltac.system.lazy_patterns import lazy_pattern

_MOST_LINES = 24
"""Of a block, as LLVM writes it: instructions of 5 to 9 bytes then fill two to three lines. What longer ones take hangs less on
where they begin."""
_BRANCH = lazy_pattern(r"\n  br i1 [^\n]*, label %(?P<first>[^\s,]+), label %(?P<second>[^\s,]+)(?P<debug>, !dbg !\d+)?(?=\n)")
_NODE = lazy_pattern(r"\n!(\d+) = ")


def align_short_loops(text: str) -> str:
    """The module's text, unchanged where no block goes back to itself without anything being said of it."""
    places: list[int] = []
    for found in _BRANCH.finditer(text):
        start = text.rfind("\n\n", 0, found.start()) + 2
        label = text[start : text.find(":", start)]
        if label in (found["first"], found["second"]) and text.count("\n", start, found.end()) <= _MOST_LINES:
            places.append(found.end())
    if not places:
        return text
    number = max(map(int, _NODE.findall(text)), default=-1) + 1
    pieces, nodes, before = [], [], 0
    for place in places:
        pieces += [text[before:place], f", !llvm.loop !{number}"]
        nodes.append(f'!{number} = distinct !{{!{number}, !{{!"llvm.loop.align", i32 64}}}}\n')
        before, number = place, number + 1
    return "".join([*pieces, text[before:], "" if text.endswith("\n") else "\n", *nodes])
