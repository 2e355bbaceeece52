"""Indices of gathers and scatters that are known not to be negative -> extended by their sign, as the instructions do.

When LLVM has finished simplifying::

    %far = zext nneg <8 x i32> %index to <8 x i64>
    %places = getelementptr i32, ptr %table, <8 x i64> %far

becomes

    %far = sext <8 x i32> %index to <8 x i64>

``vpgatherdd`` and its kind extend 32-bit indices by their sign. LLVM's simplification says instead that zeros do as well, and
its code generator, which cannot always see why, makes indices of 64 bits and two gathers with half of the lanes each (a search
by halves without that: 0.85 of the time with AVX2, 0.89 with AVX-512, on an Intel Xeon). Of a number that is not negative both
are the same; of one that is, the first is poison, which may be anything.
"""

from __future__ import annotations

from voltac.system.lazy_patterns import lazy_pattern

ACCESSES = ("@llvm.masked.gather.", "@llvm.masked.scatter.")
"""Of lanes at places of their own."""
_EXTENDED = lazy_pattern(r"  (?P<name>%\S+) = zext nneg (?P<rest><\d+ x i32> \S+ to <\d+ x i64>.*)")
_PLACES = lazy_pattern(r"= getelementptr .*, ptr \S+, <\d+ x i64> (%[^\s,]+)")


def extend_by_sign(text: str) -> str:
    """The module's text, unchanged if there is no such index."""
    if "= zext nneg <" not in text or not any(mark in text for mark in ACCESSES):
        return text
    functions = text.split("\ndefine ")
    for number, function in enumerate(functions):
        if "= zext nneg <" not in function:
            continue
        indices = set(_PLACES.findall(function))
        lines = function.split("\n")
        for at, line in enumerate(lines):
            found = _EXTENDED.match(line) if "= zext nneg <" in line else None
            if found is not None and found["name"] in indices:
                lines[at] = f"  {found['name']} = sext {found['rest']}"
        functions[number] = "\n".join(lines)
    return "\ndefine ".join(functions)
