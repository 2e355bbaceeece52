"""The page of ``voltac compare``: both paths with their labels, instructions by kind, times with their spread."""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

from voltac.report.assembly import KINDS
from voltac.report.comparison import Construct, FunctionComparison, Path, Timing, shown_timing, verdict
from voltac.report.page import chips, escaped, fragment, index, legend, page, spans
from voltac.report.source_colours import coloured

INSTRUCTION_COLOURS = {
    "load": "memory",
    "store": "memory",
    "masked load": "mask",
    "masked store": "mask",
    "gather": "slow",
    "scatter": "slow",
    "blend": "mask",
    "mask arithmetic": "mask",
    "shuffle": "shuffle",
    "vector arithmetic": "math",
    "scalar": "plain",
    "control": "control",
    "call": "slow",
}
"""The colours of kinds, by their names in ``page.css``."""
INSTRUCTION_LEGEND = (
    ("memory", "loads and stores of whole vectors"),
    ("math", "arithmetic"),
    ("shuffle", "shuffles"),
    ("mask", "work for masks"),
    ("slow", "lane by lane, calls"),
    ("control", "control"),
    ("plain", "scalars"),
)
"""Colours and what they mean."""


def comparison_page(comparisons: Sequence[FunctionComparison], title: str) -> str:
    """One self-contained page."""
    return page(title, _body(comparisons))


def comparison_fragment(comparisons: Sequence[FunctionComparison]) -> str:
    """The same for a notebook."""
    return fragment(_body(comparisons))


def _body(comparisons: Sequence[FunctionComparison]) -> str:
    parts = []
    if len(comparisons) > 1:
        parts.append(index((_anchor(one), one.function, _brief(one)) for one in comparisons))
    parts.append(instruction_legend())
    return "\n".join([*parts, *map(_function, comparisons)]) + "\n"


def instruction_legend() -> str:
    """The colours of instructions."""
    return legend(*INSTRUCTION_LEGEND)


def _brief(comparison: FunctionComparison) -> str:
    return comparison.note if comparison.note else f"masked: {verdict(comparison)}"


def _anchor(comparison: FunctionComparison) -> str:
    """The same page may have the function twice: notebooks show what they are asked for."""
    return f"f{_checksum(comparison)}"


def _checksum(value: object) -> str:
    return f"{crc32(repr(value).encode('utf-8', 'backslashreplace')):08x}"


def _function(comparison: FunctionComparison) -> str:
    anchor = _anchor(comparison)
    (signature,) = coloured([comparison.signature])
    parts = [
        f"<h2 id={anchor}><code>{spans(signature)}</code></h2>",
        chips(("target", comparison.target), ("lanes", str(comparison.width))),
    ]
    if comparison.note:
        parts.append(f"<p>{escaped(comparison.note)}</p>")
    parts.append(_times(comparison))
    parts += [paths_of(construct, f"{anchor}-{number}") for number, construct in enumerate(comparison.constructs)]
    return "\n".join(parts)


def paths_of(construct: Construct, anchor: str) -> str:
    """Both paths of one statement, and what they consist of; ``anchor`` begins those of labels, empty for one by content."""
    anchor = anchor or f"p{_checksum(construct)}"
    (line,) = coloured([construct.source.strip()])
    sections = ""
    for side, path in (("a", construct.all_on), ("m", construct.masked)):
        count = f"<span class=quiet>{len(path.assembly)} instructions</span>"
        sections += f"<section><b>{path.name}</b> {count}{_listing(path, f'{anchor}{side}')}</section>"
    return (
        f"<h3>{escaped(construct.kind)} in line {construct.line}: <code>{spans(line)}</code></h3>"
        f"<div class=paths>{sections}</div>{_counts(construct)}"
    )


def _listing(path: Path, anchor: str) -> str:
    if not path.assembly:
        return "<p class=quiet>The optimiser has removed this path.</p>"
    own, targets = {block.label: f"{anchor}-{number}" for number, block in enumerate(path.blocks)}, path.targets
    rows = []
    for block in path.blocks:
        if block.label in targets:
            rows.append(f"<code class=label id={own[block.label]}>{escaped(block.label)}:</code>")
        rows += [_instruction(path, instruction, own) for instruction in block.instructions]
    return f"<div class=listing tabindex=0>{''.join(rows)}</div>"


def _instruction(path: Path, instruction: str, own: dict[str, str]) -> str:
    mnemonic, blank, operands = instruction.partition(" ")
    kind = path.kind_of(instruction)
    target = path.branch_target(instruction)
    shown = escaped(operands)
    if target:
        before = escaped(operands.removesuffix(target))
        if target in own:
            shown = f"{before}<a href='#{own[target]}'>{escaped(target)}</a>"
        else:
            shown = f"{before}{escaped(target)} <i>→ {escaped(path.places[target])}</i>"
    return f"<code title='{kind}'><span class={INSTRUCTION_COLOURS[kind]}>{escaped(mnemonic)}</span>{blank}{shown}</code>"


def _counts(construct: Construct) -> str:
    on, masked = construct.all_on.counts, construct.masked.counts
    rows = [
        f"<tr><td><span class='swatch {INSTRUCTION_COLOURS[kind]}'></span>{kind}<td>{on.get(kind, 0)}<td>{masked.get(kind, 0)}"
        for kind in KINDS
        if kind in on or kind in masked
    ]
    total = f"<tr><td>total<td>{sum(on.values())}<td>{sum(masked.values())}"
    if construct.all_on.gangs > 1:
        total += f"<tr><td>gangs a turn<td>{construct.all_on.gangs}<td>{construct.masked.gangs}"
    return f"<table><tr><th>instructions<th>all on<th>masked{''.join(rows)}{total}</table>"


# --- times ------------------------------------------------------------------------------------------------------


def _times(comparison: FunctionComparison) -> str:
    on, masked = comparison.all_on, comparison.masked
    if on is None or masked is None:
        return ""
    unit = comparison.unit
    # An outlier may go out of the picture: the numbers have it.
    widest = min(max(on.high, masked.high), 1.6 * max(on.median, masked.median))
    rows = "".join(
        f"<div><span>{name}</span><div class=track><b class={colour} style='width:{100 * timing.median / widest:.1f}%'></b>"
        f"{_spread(timing, widest)}</div><span>{shown_timing(timing, unit)} an element</span></div>"
        for name, timing, colour in (("all on", on, "fast"), ("masked", masked, "mask"))
    )
    text = f"Measured on {comparison.arguments}. The masked path: {verdict(comparison)}."
    how = (
        ""
        if unit == "cycles"
        else (
            " Brackets and whiskers are the 10th to the 90th percentile of the rounds; those of a difference are"
            " what its median lies between with 99% confidence."
        )
    )
    return f"<div class=bars>{rows}</div><p class=quiet>{escaped(text + how)}</p>{_tails(comparison)}"


def _spread(timing: Timing, widest: float) -> str:
    if timing.low == timing.high:
        return ""
    return f"<i style='left:{100 * timing.low / widest:.1f}%;right:{100 - 100 * timing.high / widest:.1f}%'></i>"


def _tails(comparison: FunctionComparison) -> str:
    """Bars of what 1, 2, ... elements more cost; where it may be nothing there is no bar."""
    costs = comparison.tail_costs[1:]
    if not costs:
        return ""
    whole, unit = comparison.tails[0].median, comparison.unit
    clear = [cost.median for cost in costs if cost.is_clear]
    most = f"at most {max(clear, key=abs):+.0f} {unit}" if clear else "nothing that is clear"
    said = f"<p>What 1 to {len(costs)} elements beyond whole gangs add to a call of {whole:.0f} {unit}: {most}.</p>"
    if not clear:
        return said
    reach = 3 * max(abs(cost.median) for cost in costs)
    low = max(-reach, min(0.0, *(cost.low for cost in costs)))
    high = min(reach, max(0.0, *(cost.high for cost in costs)))
    scale = 100 / ((high - low) or 1)
    every = max(1, -(-len(costs) // 8))
    bars = []
    for extra, cost in enumerate(costs, 1):
        begin, end = sorted((0.0, cost.median if cost.is_clear else 0.0))
        label = f"<small>{extra}</small>" if extra == 1 or extra % every == 0 else ""
        told = f"{cost.median:+.0f} {unit} ({cost.low:+.0f}..{cost.high:+.0f})"
        title = told if cost.is_clear else f"no clear difference: {told}"
        bottom, top = max(low, cost.low), min(high, cost.high)
        bars.append(
            f"<div title='{extra} more: {title}'><hr style='bottom:{-low * scale:.1f}%'>"
            f"<b class=mask style='bottom:{(begin - low) * scale:.1f}%;height:{(end - begin) * scale:.1f}%'></b>"
            f"<i style='bottom:{(bottom - low) * scale:.1f}%;height:{(top - bottom) * scale:.1f}%'></i>{label}</div>"
        )
    return f"{said}<div class=tails role=img aria-label='{most}'>{''.join(bars)}</div>"
