"""The report of ``voltac compare``: the all-on and the masked path of each statement, as text, JSON and HTML."""

from __future__ import annotations

import html
import json
from collections import Counter
from dataclasses import asdict, dataclass

from voltac.report.assembly import KINDS, counts
from voltac.report.device_assembly import kind_of


@dataclass(frozen=True, slots=True)
class Path:
    """One compiled form of a statement: the instructions of its innermost blocks."""

    name: str
    assembly: tuple[str, ...]
    device: str = ""
    """Whose instructions these are, empty for LLVM's targets."""

    @property
    def counts(self) -> dict[str, int]:
        """Kind of instruction -> how many there are."""
        if self.device:
            return dict(Counter(kind_of(instruction, self.device) for instruction in self.assembly))
        return dict(counts(list(self.assembly)))


@dataclass(frozen=True, slots=True)
class Construct:
    """A foreach or coherent statement with both of its paths."""

    kind: str
    line: int
    column: int
    source: str
    all_on: Path
    masked: Path


@dataclass(frozen=True, slots=True)
class Timing:
    """Nanoseconds an element, median and 10th..90th percentile of interleaved rounds; or cycles of a simulator."""

    median: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class FunctionComparison:
    """One function on one target; timings are None where this CPU cannot run the target.

    ``tails[r]`` are whole calls with r elements beyond a multiple of W, in nanoseconds.
    """

    function: str
    signature: str
    target: str
    width: int
    constructs: tuple[Construct, ...]
    elements: int
    all_on: Timing | None
    masked: Timing | None
    tails: tuple[Timing, ...]
    arguments: str
    note: str = ""
    unit: str = "ns"
    """``ns`` or ``cycles``."""


def to_json(comparisons: list[FunctionComparison]) -> str:
    """One JSON array, an object a function; every path carries its counts."""
    rows = []
    for comparison in comparisons:
        row = asdict(comparison)
        for construct, made in zip(row["constructs"], comparison.constructs):
            construct["all_on"]["counts"] = made.all_on.counts
            construct["masked"]["counts"] = made.masked.counts
        rows.append(row)
    return json.dumps(rows, indent=1)


def to_text(comparisons: list[FunctionComparison], columns: int) -> str:
    """Both paths side by side in ``columns`` characters, counts below, times last."""
    out: list[str] = []
    for comparison in comparisons:
        out.append(f"{comparison.signature}   [{comparison.target}]")
        if comparison.note:
            out.append(f"  note: {comparison.note}")
        half = max(24, (columns - 5) // 2)
        for construct in comparison.constructs:
            out += ["", f"  {construct.kind} at {construct.line}:{construct.column}   {construct.source.strip()}"]
            out.append(f"  {'all on':<{half}} | masked")
            left, right = construct.all_on.assembly, construct.masked.assembly
            for number in range(max(len(left), len(right))):
                a = left[number] if number < len(left) else ""
                b = right[number] if number < len(right) else ""
                out.append(f"  {_cut(a, half):<{half}} | {_cut(b, half)}".rstrip())
            out += ["", *("  " + line for line in _count_table(construct))]
        out += ["", *("  " + line for line in _time_lines(comparison)), ""]
    return "\n".join(out)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "~"


def _count_table(construct: Construct) -> list[str]:
    on, masked = construct.all_on.counts, construct.masked.counts
    rows = [f"{'instructions':18} {'all on':>7} {'masked':>7}"]
    rows += [f"{kind:18} {on.get(kind, 0):7} {masked.get(kind, 0):7}" for kind in KINDS if kind in on or kind in masked]
    return [*rows, f"{'total':18} {sum(on.values()):7} {sum(masked.values()):7}"]


def _time_lines(comparison: FunctionComparison) -> list[str]:
    if comparison.all_on is None or comparison.masked is None:
        return []
    on, masked = comparison.all_on, comparison.masked
    lines = [
        f"measured on {comparison.arguments}:",
        f"  all on {_shown(on, comparison.unit)} an element, masked {_shown(masked, comparison.unit)}:"
        f" {masked.median / on.median:.2f} times as long",
    ]
    if comparison.tails:
        whole = comparison.tails[0].median
        shown = " ".join(f"{tail.median - whole:+.0f}" for tail in comparison.tails[1:])
        unit = comparison.unit
        lines.append(f"  a tail of 1..{comparison.width - 1} elements adds to a call of {whole:.0f} {unit}: {shown} {unit}")
    return lines


def _shown(timing: Timing, unit: str) -> str:
    spread = f" ({timing.low:.3f}..{timing.high:.3f})" if timing.low != timing.high else ""
    return f"{timing.median:.3f} {unit}{spread}"


_STYLE = """\
:root{color-scheme:light dark;--line:#8884;--soft:#8881;--on:#2a7de1;--masked:#d9822b}
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:76rem;padding:0 1rem}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2.5rem;border-top:1px solid var(--line);padding-top:1rem}
code,pre{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:13px}
.paths{display:grid;grid-template-columns:1fr 1fr;gap:1rem}.paths section{min-width:0}
pre{overflow-x:auto;background:var(--soft);border-radius:6px;padding:.7rem;margin:.3rem 0}
table{border-collapse:collapse;margin:.8rem 0}td,th{padding:.15rem .8rem;text-align:right;border-bottom:1px solid var(--line)}
td:first-child,th:first-child{text-align:left}svg text{font:11px system-ui,sans-serif;fill:currentColor}
"""


def to_html(comparisons: list[FunctionComparison], title: str) -> str:
    """One self-contained page: no scripts, no references to other files."""
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>",
        f"<title>{html.escape(title)}</title><style>{_STYLE}</style><h1>{html.escape(title)}</h1>",
    ]
    for comparison in comparisons:
        parts.append(f"<h2><code>{html.escape(comparison.signature)}</code> &middot; {comparison.target}</h2>")
        if comparison.note:
            parts.append(f"<p>{html.escape(comparison.note)}</p>")
        parts.append(_time_chart(comparison))
        for construct in comparison.constructs:
            parts.append(
                f"<h3>{construct.kind}, line {construct.line}</h3><pre>{html.escape(construct.source.strip())}</pre>"
                "<div class=paths>"
            )
            for path, label in ((construct.all_on, "all on"), (construct.masked, "masked")):
                text = html.escape("\n".join(path.assembly)) or "(this path was removed by the optimiser)"
                parts.append(f"<section><b>{label}</b>, {len(path.assembly)} instructions<pre>{text}</pre></section>")
            parts.append("</div><table><tr><th>instructions<th>all on<th>masked")
            on, masked = construct.all_on.counts, construct.masked.counts
            for kind in KINDS:
                if kind in on or kind in masked:
                    parts.append(f"<tr><td>{kind}<td>{on.get(kind, 0)}<td>{masked.get(kind, 0)}")
            parts.append("</table>")
    return "\n".join(parts) + "\n"


def _time_chart(comparison: FunctionComparison) -> str:
    """Bars: time an element of both paths, then the cost of each tail."""
    if comparison.all_on is None or comparison.masked is None:
        return ""
    bars = [("all on", comparison.all_on.median, "--on"), ("masked", comparison.masked.median, "--masked")]
    longest = max(value for _, value, _ in bars)
    unit = comparison.unit
    rows = [
        f"<text x=0 y={18 + 24 * k}>{label}</text><rect x=60 y={6 + 24 * k} height=16 rx=3 width={460 * value / longest:.0f} "
        f"fill='var({colour})'/><text x={66 + 460 * value / longest:.0f} y={18 + 24 * k}>{value:.3f} {unit} an element</text>"
        for k, (label, value, colour) in enumerate(bars)
    ]
    chart = f"<p>Measured on {html.escape(comparison.arguments)}:</p><svg width=680 height=56 role=img>{''.join(rows)}</svg>"
    if len(comparison.tails) < 2:
        return chart
    base = comparison.tails[0].median
    extra = [max(0.0, tail.median - base) for tail in comparison.tails]
    tallest = max(extra) or 1.0
    step = max(10, min(40, 600 // len(extra)))
    columns = [
        f"<rect x={k * step} y={104 - 90 * value / tallest:.0f} width={step - 3} height={90 * value / tallest:.0f} rx=2 "
        f"fill='var(--masked)'><title>{k} elements beyond a multiple of {comparison.width}: "
        f"{value:.0f} {unit} more</title></rect>"
        f"<text x={k * step} y=118>{k}</text>"
        for k, value in enumerate(extra)
    ]
    return (
        f"{chart}<p>What a tail of 0..{comparison.width - 1} elements adds to a call of {base:.0f} {unit} "
        f"(tallest bar {tallest:.0f} {unit}):</p><svg width=680 height=122 role=img>{''.join(columns)}</svg>"
    )
