"""What the passes made of each access → performance warnings (language 15.1), and the one of lanes that store to one address.

The reports tell what is in the final code; the typed tree tells which part of the source made it so.
Paths of one statement are one access: whole gangs decide, and what is under a mask only where
there are no others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from voltac.lower.debug.debug_names import recorded
from voltac.messages.diagnostics import Diagnostics
from voltac.messages.message import Note, Span
from voltac.options import Options
from voltac.passes.accesses.access import AccessReport
from voltac.records import record
from voltac.report.irregular import Irregular, LaneAccess, LaneShape, accesses, has_members
from voltac.sema import tree
from voltac.sema.type_layout import Layout
from voltac.sema.types import UNIFORM, Pointer

LANE_BY_LANE = frozenset(("gather", "scatter", "scalar", "rest"))
"""What becomes of an access that is slow."""
_HEAD = {"load": "this load needs a gather", "store": "this store needs a scatter"}
_REPLACED = {"load": "this gather became plain loads and shuffles", "store": "this scatter became plain stores and shuffles"}

Key = tuple[str, int, int, str, tuple[tuple[int, int], ...]]


def warn_about_accesses(
    reports: Sequence[AccessReport],
    program: tree.Program | None,
    files: Iterable[str],
    options: Options,
    diagnostics: Diagnostics,
) -> None:
    """``files`` are the program's own; ``program`` is None where the compilation began behind the typed tree."""
    names = {recorded(name, options): name for name in files}
    groups: dict[Key, list[AccessReport]] = {}
    for report in reports:
        if report.line and report.file in names:
            key = (names[report.file], report.line, report.column, report.operation, report.inlined)
            groups.setdefault(key, []).append(report)
    told = {key: outcome for key, paths in groups.items() if (outcome := _outcome(key[3], paths)) is not None}
    if not told:
        return
    explainer = Explainer(program, {(key[0], key[1]) for key in told}, options, diagnostics.sources)
    warner = _Warner(explainer, diagnostics)
    for (file, line, column, operation, _), outcome in told.items():
        place = Span(file, line, column, line, column + 1)
        if outcome.slow is not None:
            warner.irregular(place, outcome.slow)
        elif outcome.replaced:
            warner.replaced(place, operation, outcome)
        if outcome.conflict:
            warner.conflict(place)


@record
class _Outcome:
    """What became of an access, over all its paths."""

    slow: AccessReport | None
    replaced: str
    """By what, if by something else than one plain access."""
    slow_under_mask: bool
    conflict: bool
    """All lanes have one address, and all are on."""


def _outcome(operation: str, paths: list[AccessReport]) -> _Outcome | None:
    """None where there is nothing to tell."""
    # What is done where an index wraps around or meets a bound, or for odd distances, is no reason to change a program.
    paths = [path for path in paths if not path.is_rare] or paths
    main = [path for path in paths if not path.is_masked] or paths
    slow = next((path for path in main if path.kind in LANE_BY_LANE), None)
    replaced = next((path.reason for path in main if path.kind == "shuffled"), "")
    conflict = operation == "store" and any(path.kind == "broadcast" and path.all_on for path in main)
    if slow is None and not replaced and not conflict:
        return None
    return _Outcome(slow, replaced, any(path.kind in LANE_BY_LANE for path in paths), conflict)


class Explainer:
    """Finds the expressions of accesses in the typed tree, and what makes them slow."""

    def __init__(
        self, program: tree.Program | None, lines: set[tuple[str, int]], options: Options, sources: Mapping[str, Sequence[str]]
    ) -> None:
        self.sources = sources
        self.layout = Layout(options.target)
        self.accesses = accesses(program, lines) if program is not None else {}

    def expressions(self, place: Span, operation: str) -> list[LaneAccess]:
        """The accesses that begin at a place; else those of its line, for whole structs have the place of their statement."""
        is_store = operation == "store"
        found = [one for one in self.accesses.get(place[:3], ()) if (one.stored is not None) == is_store]
        if found:
            return found
        near = [key for key in self.accesses if key[:2] == place[:2] and key[2] > place.column]
        return [one for key in sorted(near) for one in self.accesses[key] if (one.stored is not None) == is_store]

    def irregular(self, place: Span, report: AccessReport) -> tuple[Span, str, list[Note]]:
        """A gather or scatter is in the code: the expression, what made its address irregular, and notes."""
        found = self.expressions(place, report.operation)
        explained = [(one, Irregular(self.layout, one.values).place(one.place)) for one in found]
        fitting = [pair for pair in explained if self._fits(pair[0], report)] or explained
        if not fitting:
            return place, report.reason, []
        access, shape = max(fitting, key=lambda pair: pair[1].rank)
        text, notes = self._explanation(access, shape, report)
        return access.place.span, text, notes

    def _fits(self, access: LaneAccess, report: AccessReport) -> bool:
        return report.element == "ptr" if isinstance(access.place.storage.type, Pointer) else report.element != "ptr"

    def _explanation(self, access: LaneAccess, shape: LaneShape, report: AccessReport) -> tuple[str, list[Note]]:
        if shape.node is not None:
            name = self._source(shape.node.span)
            part = f"'{name}'" if name else "a part"
            text = f"{part} of its address {shape.why}" + (f"; {shape.remedy}" if shape.remedy else "")
            where = shape.given or shape.node.span
            told = f"'{name}' gets its value here" if shape.given is not None else "this part differs from lane to lane"
            return text, [Note(where, told)]
        if shape.factor:
            off = "" if report.all_on else ", and some may be off"
            text = f"neighbouring lanes are {abs(shape.factor)} bytes apart{off}"
            if has_members(access.place):
                return f"{text}; members that lie together, as with soa<{self.layout.width}> or an array each, avoid it", []
            return f"{text}; a layout in which they are side by side avoids it", []
        return report.reason, []

    def _source(self, span: Span) -> str:
        lines = self.sources.get(span.file)
        if lines is None or span.line != span.end_line or not 1 <= span.line <= len(lines):
            return ""
        return lines[span.line - 1][span.column - 1 : span.end_column - 1]


class _Warner:
    def __init__(self, explainer: Explainer, diagnostics: Diagnostics) -> None:
        self.explainer = explainer
        self.diagnostics = diagnostics
        self.told: set[tuple[Span, str]] = set()

    def warn(self, place: Span, head: str, text: str, *notes: Note) -> None:
        if (place, head) not in self.told:
            self.told.add((place, head))
            self.diagnostics.performance_warning(place, f"{head}: {text}", *notes)

    def irregular(self, place: Span, report: AccessReport) -> None:
        span, text, notes = self.explainer.irregular(place, report)
        self.warn(span, _HEAD[report.operation], text, *notes)

    def replaced(self, place: Span, operation: str, outcome: _Outcome) -> None:
        """Plain accesses instead: how many and of what kind."""
        found = self.explainer.expressions(place, operation)
        rest = "; where lanes are off it stays lane by lane" if outcome.slow_under_mask else ""
        self.warn(found[0].place.span if found else place, _REPLACED[operation], outcome.replaced + rest)

    def conflict(self, place: Span) -> None:
        """All lanes are on and have one address: which of their values stays is not defined."""
        for access in self.explainer.expressions(place, "store"):
            value = access.stored
            if value is None or isinstance(value, (tree.Broadcast, tree.Constant)) or value.type.rate is UNIFORM:
                continue
            if Irregular(self.explainer.layout, access.values).is_same(value):
                continue
            self.diagnostics.warning(
                "lane-conflict",
                access.place.span,
                "all lanes store to this one address, and which of their different values stays is undefined; "
                "store one lane's, or a reduction such as reduce_add(...)",
            )
            return
