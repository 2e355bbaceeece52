"""A compiled source → what each line became, and why: as text or JSON.

    4 |         out[i] = table[index[i]];
      |         ^^^^^^ a vector store; under a mask a masked store
      |                  ^^^^^^^^^^^^^^^ 16 scalar loads: 'index[i]' of its address is read from memory; ...

What became of an access is what the passes report; paths of one statement stand together. Only
accesses whose addresses may differ from lane to lane are listed: all others are scalar as written.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from voltac.ir import marks
from voltac.lower.debug.debug_names import recorded
from voltac.messages.message import Span
from voltac.messages.visible import visible_listing, visible_name
from voltac.options import Options
from voltac.passes.accesses.access import AccessReport
from voltac.records import field, mutable_record, record, replace
from voltac.report.ordered_sums import ORDERED_SUM, ordered_sums
from voltac.report.paths import block_names, keyword
from voltac.report.repeats import Repeat, of_statement
from voltac.report.slow_accesses import LANE_BY_LANE, Explainer
from voltac.sema import tree
from voltac.sema.tree_walk import nodes

_WORDS = {
    ("broadcast", "load"): "a scalar load for all lanes",
    ("broadcast", "store"): "a scalar store",
    ("vector", "load"): "a vector load",
    ("vector", "store"): "a vector store",
    ("masked", "load"): "a masked load",
    ("masked", "store"): "a masked store",
    ("gather", "load"): "a gather",
    ("scatter", "store"): "a scatter",
    ("rest", "load"): "a scalar load for each lane that is left",
    ("copied", "load"): "part of a memcpy of all",
    ("copied", "store"): "part of a memcpy of all",
    ("run", "load"): "a scalar load for each lane, whose loops are done one after the other",
    ("run", "store"): "a scalar store for each lane, whose loops are done one after the other",
}
_ELEMENTS = {"i1": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "half": "float16", "ptr": "pointer"}


@record
class Fact:
    """One thing to say of a place of the source."""

    file: str
    line: int
    column: int
    end_column: int
    operation: str
    """``load``, ``store``, the keyword of a statement, ``sum`` or ``cycles``."""
    kind: str
    """Of the main path, as in :class:`AccessReport`; empty for statements."""
    element: str
    text: str
    reason: str
    remark: str
    """Why it is slow and what to write instead; empty where it is not."""


@record
class ExplainedFunction:
    """Where a function stands."""

    name: str
    file: str
    first: int
    last: int
    """Lines."""
    exported: bool


@mutable_record
class Explanation:
    """What is to be told of one compiled file."""

    file: str
    target: str
    lanes: int
    level: int
    sources: dict[str, list[str]]
    facts: list[Fact]
    functions: list[ExplainedFunction] = field(default_factory=list)
    """Those of the program, the library's aside, in the order of the source."""

    def files(self) -> list[str]:
        """The main file first, then the included ones that have something to tell."""
        return [self.file, *sorted({fact.file for fact in self.facts} - {self.file})]

    def summary(self) -> str:
        """How many accesses of lanes there are, by what they became."""
        return summary_of(self.facts)

    def heading(self) -> str:
        """The first line of each form of the report."""
        return f"{self.file} for {self.target}, -O{self.level}: {self.lanes} lanes a gang; {self.summary()}"

    def text(self) -> str:
        """The source with what each line became below it; of included files only lines of which there is something to tell."""
        out = [visible_name(self.heading()), ""]
        for file in self.files():
            if file != self.file:
                out += ["", visible_name(file), ""]
            lines = self.sources.get(file, [])
            digits = len(str(len(lines)))
            for number, line in enumerate(lines, 1):
                facts = self._at(file, number)
                if file != self.file and not facts:
                    continue
                out.append(f"{number:{digits}} | {visible_listing(line)}".rstrip())
                for fact in facts:
                    width = max(1, len(visible_listing(line[fact.column - 1 : fact.end_column - 1])))
                    blanks = re.sub(r"[^\t]", " ", visible_listing(line[: fact.column - 1]))
                    remark = f": {fact.remark}" if fact.remark else ""
                    out.append(f"{'':{digits}} | {blanks}{'^' * width} {visible_name(fact.text + remark)}")
        return "\n".join(out) + "\n"

    def _at(self, file: str, line: int) -> list[Fact]:
        return [fact for fact in self.facts if fact.file == file and fact.line == line]

    def json(self) -> str:
        """One object: ``file``, ``target``, ``lanes``, ``level``, and ``facts``, one for each place."""
        return json.dumps(
            {
                "file": self.file,
                "target": self.target,
                "lanes": self.lanes,
                "level": self.level,
                "facts": [asdict(fact) for fact in self.facts],
            },
            indent=1,
        )

    def of_function(self, name: str) -> Explanation:
        """The same about the lines of one function, wherever it is defined."""
        functions = [function for function in self.functions if function.name == name]
        file = functions[0].file if functions else self.file
        lines = {(one.file, line) for one in functions for line in range(one.first, one.last + 1)}
        facts = [fact for fact in self.facts if (fact.file, fact.line) in lines]
        return replace(self, file=file, functions=functions, facts=facts)


def summary_of(facts: Sequence[Fact]) -> str:
    """How many accesses of lanes there are among them, by what they became."""
    counts = Counter(fact.kind for fact in facts if fact.kind)
    total = sum(counts.values())
    if not total:
        return "no access differs from lane to lane"
    parts = ", ".join(f"{count} {kind}" for kind, count in counts.most_common())
    return f"{total} access{'es' if total != 1 else ''} of lanes: {parts}"


@record
class Compiled:
    """What there is to explain."""

    file: str
    options: Options
    program: tree.Program
    sources: Mapping[str, list[str]]
    """Lines of each file."""
    dependencies: Sequence[str]
    reports: Sequence[AccessReport]
    resolved: str
    """LLVM text behind the passes."""
    final: str
    """LLVM text of the code."""
    repeats: Sequence[Repeat] = ()
    """Of a device's code."""
    assembly: str = ""
    """The code, for estimates of its loops; empty if none are wanted."""


def explain(job: Compiled) -> Explanation:
    """What each access and each statement of two paths became."""
    options, sources = job.options, job.sources
    names = {recorded(name, options): name for name in job.dependencies}
    groups: dict[tuple[str, int, int, str], list[AccessReport]] = {}
    for report in job.reports:
        if report.line and report.file in names:
            groups.setdefault((names[report.file], report.line, report.column, report.operation), []).append(report)
    explainer = Explainer(job.program, {(file, line) for file, line, _, _ in groups}, options, sources)
    facts = [_access(explainer, key, reports) for key, reports in groups.items()]
    facts += _statements(job, options)
    facts += _cycles(job, options)
    facts.sort(key=lambda fact: (fact.file, fact.line, fact.column, fact.operation != "load"))
    target = options.target
    # A file ends with a line break, not with an empty line.
    lines = {name: text[:-1] if text and not text[-1] else text for name, text in sources.items()}
    functions = [
        ExplainedFunction(one.name, one.span.file, one.span.line, _last_line(one), one.exported)
        for one in job.program.functions
        if not one.library and one.body is not None
    ]
    functions.sort(key=lambda function: (function.file, function.first))
    return Explanation(job.file, target.name, target.width, options.level, lines, facts, functions)


def _last_line(function: tree.FunctionSymbol) -> int:
    spans = [node.span for node in nodes(function.body) if isinstance(node, tree.Statement)]
    return max(span.end_line for span in (function.span, *spans) if span.file == function.span.file)


def _access(explainer: Explainer, key: tuple[str, int, int, str], reports: list[AccessReport]) -> Fact:
    file, line, column, operation = key
    place = Span(file, line, column, line, column + 1)
    wrapping = [report for report in reports if report.is_wrapping and report.kind in LANE_BY_LANE]
    uneven = [report for report in reports if report.is_uneven]
    edges = [report for report in reports if report.is_at_edge and not report.is_masked]
    reports = [report for report in reports if not report.is_rare] or reports
    main = [report for report in reports if report.all_on] or [report for report in reports if not report.is_masked] or reports
    text = _outcomes(main)
    rest = [report for report in reports if report not in main]
    if rest and (other := _outcomes(rest)) != text:
        text += f"; under a mask {other}"
    if wrapping and not main[0].is_wrapping:
        whole = [report for report in wrapping if report.all_on] or wrapping
        text += f"; where the index wraps around between two lanes {_outcomes(whole)}"
    if uneven and not main[0].is_uneven:
        text += f"; at distances that are no power of two {_outcomes(uneven)}"
    if edges and not main[0].is_at_edge and (other := _outcomes(edges)) != _outcomes(main):
        text += f"; where the index meets a bound {other}"
    found = explainer.expressions(place, operation)
    span = found[0].place.span if found else place
    slow = next((report for report in main if report.kind in LANE_BY_LANE), None)
    remark = ""
    if slow is not None:
        span, remark, _ = explainer.irregular(place, slow)
    end = span.end_column if span.end_line == line else column + 1
    element = main[0].element
    return Fact(
        file,
        line,
        column,
        end,
        operation,
        (slow or main[0]).kind,
        _ELEMENTS.get(element, element),
        text,
        main[0].reason,
        remark,
    )


def _outcomes(reports: list[AccessReport]) -> str:
    """What became of an access; in several places, if it was inlined, several things."""
    return " or ".join(dict.fromkeys(_outcome(report) for report in reports))


def _outcome(report: AccessReport) -> str:
    match report.kind:
        case "scalar":
            return f"{report.lanes} scalar {report.operation}s"
        case "shuffled":
            return report.reason
        case "shared":
            return f"no load: {report.reason}"
        case "merged":
            return f"one store: {report.reason}"
    return _WORDS[report.kind, report.operation]


def _paths(text: str) -> dict[tuple[int, int], set[str]]:
    """Line and column of a statement -> the paths of it that the code has."""
    paths: dict[tuple[int, int], set[str]] = {}
    for found in marks.paths_of_blocks(text):
        paths.setdefault((found.line, found.column), set()).add(found.path)
    return paths


def _statements(job: Compiled, options: Options) -> list[Fact]:
    """Which paths of the statements with two of them are in the code, and what sums wait for."""
    paths = _paths(job.resolved)
    left = {(found.line, found.column, found.path) for found in marks.paths_mentioned(job.final)}
    copies = {marks.path_of(report.block) for report in job.reports if report.kind == "copied"}
    copied = {(found.line, found.column) for found in copies if found is not None}
    for place, possible in paths.items():
        if (*place, marks.ALL_ON) in left and not any((*place, path) in left for path in (marks.MASKED, marks.FINISHED)):
            # LLVM has seen that nothing is left over.
            possible.discard(marks.MASKED)
    facts: list[Fact] = []
    for function in job.program.functions:
        if function.library or function.body is None:
            continue
        for node in nodes(function.body):
            if isinstance(node, tree.Foreach) or (isinstance(node, (tree.If, tree.Loop)) and node.coherent):
                at = (node.span.line, node.span.column)
                there = paths.get(at)
                if there:
                    if not isinstance(node, tree.Foreach):
                        text = _coherent(there)
                    elif at in copied and marks.ALL_ON not in there:
                        text = "no gangs: all is copied at once"
                    else:
                        text = _foreach(there, options.target.width)
                    fastest = of_statement(job.repeats, block_names(node)[0].rpartition(".")[0])[:1]
                    text += "".join(f"; where addresses and banks allow, a repeat: {one.told()}" for one in fastest)
                    word = keyword(node)
                    column = node.span.column
                    end = column + len(word)
                    facts.append(Fact(node.span.file, node.span.line, column, end, word, "", "", text, "", ""))
        for span in ordered_sums(function, options) if options.level > 0 else ():
            end = span.end_column if span.end_line == span.line else span.column + 1
            facts.append(Fact(span.file, span.line, span.column, end, "sum", "", "", ORDERED_SUM, "", ""))
    return facts


def _cycles(job: Compiled, options: Options) -> list[Fact]:
    """What the loops of statements with two paths take."""
    if not job.assembly:
        return []
    from voltac.report.cycles.families import family_of  # both late: they compile patterns that only this report needs
    from voltac.report.cycles.statements import estimates

    family = family_of(options)
    if family is None:
        return []
    words = {
        (node.span.line, node.span.column): (node.span.file, keyword(node))
        for function in job.program.functions
        if not function.library and function.body is not None
        for node in nodes(function.body)
        if isinstance(node, tree.Foreach) or (isinstance(node, (tree.If, tree.Loop)) and node.coherent)
    }
    facts = []
    for found in estimates(job.assembly, job.final, options.target.width, family):
        file, word = words.get((found.line, found.column), ("", ""))
        if word:
            facts.append(Fact(file, found.line, found.column, found.column + len(word), "cycles", "", "", found.text, "", ""))
    return facts


def _foreach(paths: set[str], width: int) -> str:
    if marks.ALL_ON not in paths:
        return "every gang runs under a mask"
    if marks.MASKED not in paths:
        return f"gangs of {width} with all lanes on; nothing is left over"
    return f"gangs of {width} with all lanes on, then the rest once under a mask"


def _coherent(paths: set[str]) -> str:
    if marks.ALL_ON not in paths:
        return "under a mask, as lanes may be off here anyway"
    return "without a mask while all lanes take part, else under one"
