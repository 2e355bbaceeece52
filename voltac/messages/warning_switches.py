"""The warnings by name, one row each: what ``--wno-NAME``, ``--wNAME`` and ``#pragma ignore warning(NAME)`` switch."""

from __future__ import annotations

from voltac.records import record


@record
class WarningSwitch:
    """A warning that has a name."""

    name: str
    default: bool
    """Whether the warning is given unless the command line says otherwise."""
    text: str
    own: bool = False
    """ispc, and the language, have no such warning, or it is about the command line, which ispc never counts: in builds made
    for them it is no error, unless it is asked for by name."""


ALL = "all"
"""Stands for every warning in a pragma."""
PERFORMANCE = "perf"
"""The performance warnings together."""

SWITCHES: tuple[WarningSwitch, ...] = (
    WarningSwitch(PERFORMANCE, True, "performance warnings"),
    WarningSwitch("ambiguous", True, "another overload is better for some of the arguments"),
    WarningSwitch(
        "assignment", True, "an assignment stands where a condition is expected, and not in parentheses of its own", own=True
    ),
    WarningSwitch("attribute", True, "an attribute is not known or has no effect where it stands"),
    WarningSwitch("bounds", True, "a constant index outside the array or vector"),
    WarningSwitch("cast", True, "a cast that does less, or more, than it seems: uniform arguments, pointers cut short"),
    WarningSwitch("const", True, "a conversion loses const"),
    WarningSwitch("deprecated", True, "a deprecated function, or an old spelling"),
    WarningSwitch("division", True, "division or remainder by the constant zero"),
    WarningSwitch(
        "empty-body", True, "a ';' is all that an 'if' controls, or the body of a loop with a block behind it", own=True
    ),
    WarningSwitch("empty-declaration", True, "a declaration that declares nothing", own=True),
    WarningSwitch("export", True, "calls of exported functions, and qualifiers without effect on them"),
    WarningSwitch("global-layout", True, "a global whose layout, or a constant whose value, depends on the target"),
    WarningSwitch("implicit-type", True, "no type is given, or a literal lacks its decimal point"),
    WarningSwitch("lane-conflict", True, "lanes store different values to one address, or to one uniform member"),
    WarningSwitch("local-address", True, "the address of a variable is returned, which ends with its function", own=True),
    WarningSwitch("missing-return", True, "a function with a result whose end is reached without one", own=True),
    WarningSwitch("null", True, "the null pointer is indexed", own=True),
    WarningSwitch("operator", True, "a function of an operator with parameters that do not fit", own=True),
    WarningSwitch(
        "output", True, "the command line: no output, no target, a suffix or an option without effect, old options", own=True
    ),
    WarningSwitch("overflow", True, "a constant expression overflows its type"),
    WarningSwitch("pragma", True, "a pragma that is not known or has no effect"),
    WarningSwitch("preprocessor", True, "warnings of the preprocessor, '#warning' among them"),
    WarningSwitch("shadow", True, "a name hides an outer one"),
    WarningSwitch("shift", True, "a constant shift amount that is negative"),
    WarningSwitch(
        "shift-width", True, "a constant shift amount that is not below the bits of the type, or a bool shifted", own=True
    ),
    WarningSwitch("threads", True, "a kernel with 'foreach' that one thread of a device runs alone", own=True),
    WarningSwitch("uniform", True, "a variable that varies only because 'uniform' is not written", own=True),
    WarningSwitch(
        "uniform-constant", False, "the same of a variable that only holds a constant, which costs nothing", own=True
    ),
    WarningSwitch("uniform-store", True, "a store to something uniform under varying control flow", own=True),
    WarningSwitch("uninitialized", True, "a variable is read before it has a value", own=True),
    WarningSwitch("unmasked", True, "a jump out of an unmasked block", own=True),
    WarningSwitch("unreachable", True, "a statement that is never reached", own=True),
    WarningSwitch("unused-value", True, "a statement that is an operator whose value nobody uses", own=True),
)

WARNINGS: dict[str, WarningSwitch] = {switch.name: switch for switch in SWITCHES}
AS_ERRORS: frozenset[str] = frozenset(switch.name for switch in SWITCHES if not switch.own)
"""What ``--werror`` makes errors in any case."""
OFF_BY_DEFAULT: frozenset[str] = frozenset(switch.name for switch in SWITCHES if not switch.default)
