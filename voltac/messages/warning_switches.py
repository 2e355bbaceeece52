"""The warnings by name, one row each: what ``--wno-NAME``, ``--wNAME`` and ``#pragma ignore warning(NAME)`` switch."""

from __future__ import annotations

from voltac.records import record


@record
class Switch:
    """A warning that has a name."""

    name: str
    default: bool
    """Whether the warning is given unless the command line says otherwise."""
    text: str


ALL = "all"
"""Stands for every warning in a pragma."""
PERFORMANCE = "perf"
"""The performance warnings together."""

SWITCHES: tuple[Switch, ...] = (
    Switch(PERFORMANCE, True, "performance warnings"),
    Switch("ambiguous", True, "another overload is better for some of the arguments"),
    Switch("assignment", True, "an assignment stands where a condition is expected, and not in parentheses of its own"),
    Switch("attribute", True, "an attribute is not known or has no effect where it stands"),
    Switch("bounds", True, "a constant index outside the array or vector"),
    Switch("cast", True, "a cast that does less, or more, than it seems: uniform arguments, pointers cut short"),
    Switch("const", True, "a conversion loses const"),
    Switch("deprecated", True, "a deprecated function, or an old spelling"),
    Switch("division", True, "division or remainder by the constant zero"),
    Switch("empty-declaration", True, "a declaration that declares nothing"),
    Switch("export", True, "calls of exported functions, and qualifiers without effect on them"),
    Switch("global-layout", True, "a global whose layout, or a constant whose value, depends on the target"),
    Switch("implicit-type", True, "no type is given, or a literal lacks its decimal point"),
    Switch("lane-conflict", True, "lanes store different values to one address, or to one uniform member"),
    Switch("missing-return", True, "a function with a result whose end is reached without one"),
    Switch("null", True, "the null pointer is indexed"),
    Switch("operator", True, "a function of an operator with parameters that do not fit"),
    Switch("output", True, "the command line: no output, no target, a suffix that does not fit, old options"),
    Switch("overflow", True, "a constant expression overflows its type"),
    Switch("pragma", True, "a pragma that is not known or has no effect"),
    Switch("preprocessor", True, "warnings of the preprocessor, '#warning' among them"),
    Switch("shadow", True, "a name hides an outer one"),
    Switch("shift", True, "a constant shift amount that is negative or too large"),
    Switch("threads", True, "a kernel with 'foreach' that one thread of a device runs alone"),
    Switch("uniform", True, "a variable that varies only because 'uniform' is not written"),
    Switch("uniform-constant", False, "the same of a variable that only holds a constant, which costs nothing"),
    Switch("uniform-store", True, "a store to something uniform under varying control flow"),
    Switch("uninitialized", True, "a variable is read before it has a value"),
    Switch("unmasked", True, "a jump out of an unmasked block"),
    Switch("unreachable", True, "a statement that is never reached"),
)

WARNINGS: dict[str, Switch] = {switch.name: switch for switch in SWITCHES}
OFF_BY_DEFAULT: frozenset[str] = frozenset(switch.name for switch in SWITCHES if not switch.default)
