"""The page of ``voltac explain``: the source in colours, below each line what became of it."""

from __future__ import annotations

from itertools import pairwise

from voltac.report.explanation import ExplainedFunction, Explanation, Fact, summary_of
from voltac.report.page import chips, escaped, index, legend, page
from voltac.report.slow_accesses import LANE_BY_LANE
from voltac.report.source_colours import Piece, coloured

_LEGEND = (
    ("fast", "vectors, and single accesses for all lanes"),
    ("mask", "under a mask"),
    ("slow", "lane by lane"),
    ("plain", "how lanes are gathered into gangs"),
)
_TAB = " " * 4


def explanation_page(found: Explanation) -> str:
    """One self-contained page."""
    parts = [_head(found)]
    if found.functions:
        parts.append(index((f"f-{one.name}", one.name, _said(found, one)) for one in found.functions if one.file == found.file))
    for number, file in enumerate(found.files()):
        if number:
            parts.append(f"<h2>{escaped(file)}</h2>")
        parts.append(_source(found, file, f"L{number or ''}{'-' if number else ''}"))
    return page(f"{found.file}: what it became", "\n".join(parts) + "\n")


def explained_lines(found: Explanation) -> str:
    """The lines of its functions and what they became, without anchors: for a page of somebody else's."""
    return f"<p>{escaped(found.summary())}</p>{legend(*_LEGEND)}{_source(found, found.file, '')}"


def _head(found: Explanation) -> str:
    shown = chips(("target", found.target), ("lanes", str(found.lanes)), ("optimised", f"-O{found.level}"))
    return f"{shown}<p>{escaped(found.summary())}</p>{legend(*_LEGEND)}"


def _said(found: Explanation, function: ExplainedFunction) -> str:
    facts = [fact for fact in found.facts if fact.file == function.file and function.first <= fact.line <= function.last]
    return ("" if function.exported else "not exported; ") + summary_of(facts)


def _source(found: Explanation, file: str, anchor: str) -> str:
    """``anchor`` begins the anchors of lines; empty: there are none."""
    lines = found.sources.get(file, [])
    facts: dict[int, list[Fact]] = {}
    for fact in found.facts:
        if fact.file == file:
            facts.setdefault(fact.line, []).append(fact)
    starts = {one.first: f"f-{one.name}" for one in found.functions if one.file == file and file == found.file}
    shown = set(range(1, len(lines) + 1)) if anchor and file == found.file else set(facts)
    if not anchor:
        shown = {number for one in found.functions if one.file == file for number in range(one.first, one.last + 1)}
    rows = []
    for number, (line, pieces) in enumerate(zip(lines, coloured(lines), strict=True), 1):
        if number in shown:
            start = f"<a id={starts[number]}></a>" if anchor and number in starts else ""
            rows.append(start + _row(number, line, pieces, facts.get(number, []), anchor))
    return f"<div class=source>{''.join(rows)}</div>"


def _row(number: int, line: str, pieces: list[Piece], facts: list[Fact], anchor: str) -> str:
    # Lines are indented by a hanging indent, which tabs do not go with.
    plain = line.replace("\t", _TAB)
    indent = len(plain) - len(plain.lstrip())
    code = f"<code style='--i:{indent}'>{_marked(pieces, facts).replace(chr(9), _TAB)}</code>"
    label = f"<a href='#{anchor}{number}'>{number}</a>" if anchor else f"<span>{number}</span>"
    identity = f" id={anchor}{number}" if anchor else ""
    return f"<div class=row{identity}>{label}{code}</div>{''.join(_note(fact, line) for fact in facts)}"


def _marked(pieces: list[Piece], facts: list[Fact]) -> str:
    """The line; what a fact is about is underlined in its colour, the innermost where they nest."""
    ends, place = {0}, 0
    for text, _ in pieces:
        place += len(text)
        ends.add(place)
    ends |= {edge - 1 for fact in facts for edge in (fact.column, fact.end_column) if edge - 1 < place}
    kinds = [kind for text, kind in pieces for _ in text]
    line = "".join(text for text, _ in pieces)
    shown = []
    for begin, end in pairwise(sorted(ends)):
        around = [fact for fact in facts if fact.column - 1 <= begin < fact.end_column - 1]
        text = f"<span class={kinds[begin]}>{escaped(line[begin:end])}</span>" if kinds[begin] else escaped(line[begin:end])
        if around:
            fact = min(around, key=lambda one: one.end_column - one.column)
            text = f"<span class='mark {_colour(fact)}'><span style='color:var(--ink)'>{text}</span></span>"
        shown.append(text)
    return "".join(shown)


def _note(fact: Fact, line: str) -> str:
    expression = line[fact.column - 1 : fact.end_column - 1].strip()
    remark = f": {escaped(fact.remark)}" if fact.remark else ""
    return (
        f"<div class='note {_colour(fact)}'><span><code>{escaped(expression)}</code> {escaped(fact.text)}{remark}</span></div>"
    )


def _colour(fact: Fact) -> str:
    if not fact.kind:
        return "plain"
    return "slow" if fact.kind in LANE_BY_LANE else "mask" if fact.kind == "masked" else "fast"
