"""Short loops within loops over gangs -> the same, beginning with a line of the instruction cache.

When LLVM has finished simplifying::

    body:
      ...
      br i1 %last, label %done, label %body

becomes

      br i1 %last, label %done, label %body, !llvm.loop !7        !7 = distinct !{!7, !{!"llvm.loop.align", i32 64}}

and so do loops of few blocks, such as searches that leave in the middle. A loop that lies in two lines takes a cycle more in
each iteration, one of ten instructions half as long again, a search of six twice as long. Loops over gangs say so from the
beginning (``lower/control_flow/loops.py``); of others the passes before ask whether something is said of them.
"""

from __future__ import annotations

from voltac.system.lazy_patterns import lazy_pattern

_MOST_LINES = 24
"""Of a loop, as LLVM writes it: instructions of 5 to 9 bytes then fill two to three lines. What longer ones take hangs less on
where they begin."""
_LINE = 120
"""Characters, at most about: a label that is further away is of a longer loop."""
_BRANCH_BEGINS = "\n  br i1 "
_BRANCH = lazy_pattern(r"\n  br i1 [^\n]*, label %(?P<first>[^\s,]+), label %(?P<second>[^\s,]+)(?P<debug>, !dbg !\d+)?(?=\n)")
_NODE = lazy_pattern(r"\n!(\d+) = ")


def align_short_loops(text: str) -> str:
    """The module's text, unchanged where it has no short loops of which nothing is said."""
    places: list[int] = []
    at = text.find(_BRANCH_BEGINS)
    while at >= 0:
        found = _BRANCH.match(text, at)
        if found is not None:
            header = max(_label_before(text, found[each], at) for each in ("first", "second"))
            inner = bool(places) and places[-1] > header
            if header >= 0 and not inner and text.count("\n", header, found.end()) <= _MOST_LINES:
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


def _label_before(text: str, label: str, at: int) -> int:
    """Where the block of a label begins, if that is before a place of the same function and not too far; -1 for others."""
    start = max(0, at - _MOST_LINES * _LINE)
    return text.find(f"\n{label}:", max(start, text.rfind("\ndefine ", start, at)), at) + 1 or -1
