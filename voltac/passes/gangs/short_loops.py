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
_BRANCH_BEGINS = "\n  br i1 "
_BRANCH = lazy_pattern(r"\n  br i1 [^\n]*, label %(?P<first>[^\s,]+), label %(?P<second>[^\s,]+)(?P<debug>, !dbg !\d+)?(?=\n)")
_NODE = lazy_pattern(r"\n!(\d+) = ")


def align_short_loops(text: str) -> str:
    """The module's text, unchanged where no block goes back to itself without anything being said of it."""
    places: list[int] = []
    at = text.find(_BRANCH_BEGINS)
    while at >= 0:
        start = text.rfind("\n\n", 0, at) + 2
        label = text[start : text.find(":", start, at)]
        if text.find(f" label %{label}", at, text.find("\n", at + 1)) >= 0 and (found := _BRANCH.match(text, at)) is not None:
            is_back = label in (found["first"], found["second"])
            if is_back and text.count("\n", start, found.end()) <= _MOST_LINES:
                places.append(found.end())
        at = text.find(_BRANCH_BEGINS, at + 1)
    if not places:
        return text
    number = max(map(int, _NODE.findall(text)), default=-1) + 1
    pieces, nodes, before = [], [], 0
    for place in places:
        pieces += [text[before:place], f", !llvm.loop !{number}"]
        nodes.append(f'!{number} = distinct !{{!{number}, !{{!"llvm.loop.align", i32 64}}}}\n')
        before, number = place, number + 1
    return "".join([*pieces, text[before:], "" if text.endswith("\n") else "\n", *nodes])
