"""``--budget FILE``: what each function may cost by what the compiler counts, kept in a file, and what costs more than that.

Counted are things that make code slow and that a change brings in unseen: accesses lane by lane, accesses under masks, loops
whose lanes go on for different times, values that do not fit the registers, estimated cycles. They need no measurement, so
the same source and compiler count the same everywhere.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping

from voltac.messages.message import NOWHERE, Span
from voltac.records import record
from voltac.report.assembly import functions
from voltac.report.cycles.families import Family
from voltac.report.cycles.loops import innermost_loops
from voltac.report.explanation import Explanation, Fact
from voltac.report.slow_accesses import LANE_BY_LANE
from voltac.sema import tree
from voltac.sema.tree_walk import nodes
from voltac.sema.types import VARYING

KINDS: dict[str, str] = {
    "gathers": "loads lane by lane",
    "scatters": "stores lane by lane",
    "masked": "accesses under a mask, where all lanes are not known to be on",
    "divergent_loops": "loops whose lanes go on for different times",
    "spills": "instructions that save values which do not fit the registers",
    "cycles": "estimated for one turn of each of its innermost loops",
}
"""What is counted, and what that is."""

Counts = dict[str, dict[str, int]]
"""Function -> kind -> how many."""
Budget = dict[str, Counts]
"""Target -> functions. What a file holds."""

_FORMAT = "voltac budget 1"
_SPILL = re.compile(r"#.*\bSpill\b")


class NotABudget(ValueError):
    """A file that is none; ``str()`` says what is wrong with it."""


@record
class Cost:
    """What the functions of a program cost for one target."""

    target: str
    counts: Counts
    places: Mapping[tuple[str, str], tuple[Span, ...]]
    """Function and kind -> where they are."""


@record
class Excess:
    """What a function costs more than its budget."""

    function: str
    kind: str
    allowed: int
    found: int
    places: tuple[Span, ...]
    """Where they are; those that were there before among them."""


def cost_of(explanation: Explanation, program: tree.Program, assembly: str, family: Family | None) -> Cost:
    """Of the functions of the program; spills and cycles are those of exported ones, with what is inlined there.

    ``family`` is whose cycles are estimated; without one there are none.
    """
    spills = spills_of(assembly)
    cycles = cycles_of(assembly, family) if family is not None else {}
    counts: Counts = {}
    places: dict[tuple[str, str], tuple[Span, ...]] = {}
    for function in program.functions:
        if function.library or function.body is None or function.name in counts:
            continue
        facts = explanation.of_function(function.name).facts
        same = [one for one in program.functions if one.name == function.name and not one.library and one.body is not None]
        found = {
            "gathers": _spans(fact for fact in facts if fact.operation == "load" and fact.kind in LANE_BY_LANE),
            "scatters": _spans(fact for fact in facts if fact.operation == "store" and fact.kind in LANE_BY_LANE),
            "masked": _spans(fact for fact in facts if fact.kind == "masked"),
            "divergent_loops": tuple(span for one in same for span in _divergent_loops(one)),
            "spills": (function.span,) * spills.get(function.name, 0),
        }
        counts[function.name] = {kind: len(spans) for kind, spans in found.items()}
        places |= {(function.name, kind): spans for kind, spans in found.items()}
        if family is not None:
            counts[function.name]["cycles"] = cycles.get(function.name, 0)
            places[function.name, "cycles"] = (function.span,)
    return Cost(explanation.target, counts, places)


def _spans(facts: Iterable[Fact]) -> tuple[Span, ...]:
    return tuple(Span(fact.file, fact.line, fact.column, fact.line, fact.end_column) for fact in facts)


def _divergent_loops(function: tree.FunctionSymbol) -> list[Span]:
    loops = [node for node in nodes(function.body) if isinstance(node, tree.Loop)]
    return [loop.span for loop in loops if loop.test is not None and loop.test.type.rate is VARYING]


def cycles_of(assembly: str, family: Family) -> dict[str, int]:
    """Function -> cycles of a turn of each innermost loop, rounded up and added up."""
    return {
        name: sum(math.ceil(loop.cycles) for loop in innermost_loops(blocks, family))
        for name, blocks in functions(assembly).items()
    }


def spills_of(assembly: str) -> dict[str, int]:
    """Function -> stores of registers to the stack, in assembly language with LLVM's comments."""
    found: dict[str, int] = {}
    function = ""
    for line in assembly.splitlines():
        if line.startswith("\t.type\t") and line.endswith("@function"):
            function = line.split("\t")[2].partition(",")[0].strip('"')
        elif _SPILL.search(line) or line.endswith("Spill"):
            found[function] = found.get(function, 0) + 1
    return found


def read_budget(text: str) -> Budget:
    """The text of a file. Raises :class:`NotABudget`."""
    try:
        data = json.loads(text)
    except ValueError as error:
        raise NotABudget(f"it is no JSON: {error}") from None
    if not isinstance(data, dict) or data.get("format") != _FORMAT or not isinstance(data.get("targets"), dict):
        raise NotABudget(f'it does not say "format": "{_FORMAT}"; remove it, and a build writes a new one')
    budget: Budget = data["targets"]
    for named in budget.values():
        for counts in named.values() if isinstance(named, dict) else (None,):
            known = isinstance(counts, dict) and all(isinstance(count, int) and count >= 0 for count in counts.values())
            if not known:
                raise NotABudget("a function's counts are numbers by name")
    return budget


def budget_text(budget: Budget) -> str:
    """The text of a file, the same for the same budget."""
    return json.dumps({"format": _FORMAT, "targets": budget}, indent=1, sort_keys=True) + "\n"


def excesses(cost: Cost, budget: Budget) -> list[Excess]:
    """What costs more than the budget has for this target; functions that it does not know cost what they want."""
    known = budget.get(cost.target, {})
    return [
        Excess(function, kind, known[function][kind], count, cost.places[function, kind])
        for function, counts in cost.counts.items()
        if function in known
        for kind, count in counts.items()
        if count > known[function].get(kind, count)
    ]


def with_cost(budget: Budget, cost: Cost) -> Budget:
    """The budget, and what it has nothing of yet: the target, or functions for it."""
    known = budget.get(cost.target, {})
    return budget | {cost.target: {**cost.counts, **known}}


def told(excess: Excess, target: str, file: str) -> tuple[Span, str]:
    """Where and in what words."""
    span = excess.places[-1] if excess.places else NOWHERE
    text = (
        f"'{excess.function}' is over its budget for {target}: {excess.found} {excess.kind.replace('_', ' ')}"
        f" ({KINDS[excess.kind]}), {excess.allowed} in {file}"
    )
    return span, text
