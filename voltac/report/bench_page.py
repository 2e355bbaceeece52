"""The page of ``voltac bench``: the roofline of the machine with the forms of the kernel in it, and the table.

A roofline (Williams, Waterman, Patterson, CACM 52(4), 2009) shows operations a second over operations a byte: a level of
memory is a slope, the arithmetic units are a level roof, and a kernel is a point under both.
"""

from __future__ import annotations

import math

from voltac.report.bench_results import BenchResults, BenchRow
from voltac.report.page import chips, escaped, fragment, legend, page

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 720, 400, 56, 44, 16
_COLOURS = {"both": "control", "all on": "fast", "masked": "mask", "scalar": "plain"}
"""Path -> colour."""
_LABEL = 0.7
"""Where on a line its label stands: to the right of the points of kernels that wait for memory."""
_DECADES_BELOW = 2.5
"""Of operations a byte, and of operations a second, that are shown below a kernel's own and the roof."""


def bench_page(found: BenchResults, title: str) -> str:
    """One self-contained page."""
    return page(title, _body(found))


def bench_fragment(found: BenchResults) -> str:
    """For a notebook."""
    return fragment(_body(found))


def _body(found: BenchResults) -> str:
    parts = [
        f"<p class=title><code>{escaped(found.signature)}</code></p>",
        chips(("function", found.function), ("arguments", found.arguments), ("machine", found.machine)),
        f"<p>{escaped(found.demand())}.</p>",
        _limits(found),
        legend(*((_COLOURS[path], path) for path in dict.fromkeys(row.path for row in found.rows))),
        _roofline(found),
        _table(found),
    ]
    parts += [f"<p class=quiet>{escaped(note)}</p>" for note in found.notes]
    return "\n".join(part for part in parts if part)


def _limits(found: BenchResults) -> str:
    rows = [(f"{one.name} ({one.size >> 10} KB)", f"{one.bandwidth:.1f} GB/s") for one in found.limits.levels]
    return chips(*rows, ("multiply-adds", f"{found.limits.peak:.1f} GFLOP/s"), ("measured with", found.limits.target))


def _table(found: BenchResults) -> str:
    head = "".join(f"<th>{level}, ns an element<th>of the limit" for level in found.levels)
    rows = []
    for target, width, path in found.forms:
        cells = "".join(_cells(found, found.row(target, path, level)) for level in found.levels)
        name = f"<span class='swatch {_COLOURS[path]}'></span>{escaped(target)}"
        rows.append(f"<tr><td>{name}<td>{width}<td>{path}{cells}")
    return f"<div class=listing><table><tr><th>target<th>lanes<th>path{head}{''.join(rows)}</table></div>"


def _cells(found: BenchResults, row: BenchRow | None) -> str:
    if row is None:
        return "<td><td>"
    share, median = found.share(row), f"{row.time.median:.3f}"
    shown = f"<b style='background:none'>{median}</b>" if row is found.fastest(row.level) else median
    reached = "" if share is None else f"{100 * share:.0f} %"
    return f"<td title='{row.time.low:.3f} to {row.time.high:.3f}'>{shown}<td>{reached}"


# --- the roofline -------------------------------------------------------------------------------------------------


def _roofline(found: BenchResults) -> str:
    """Nothing for kernels without floating-point operations, or whose needs are not known."""
    if not found.operations or not found.traffic or not found.limits.levels:
        return ""
    intensity, peak = found.operations / found.traffic, found.limits.peak
    slowest = min(level.bandwidth for level in found.limits.levels)
    right = max(math.log10(intensity), math.log10(peak / slowest)) + 0.5
    left = min(math.log10(intensity) - 1, right - _DECADES_BELOW)
    top = math.log10(peak) + 0.3
    slowest_row = min(found.operations / row.time.median for row in found.rows)
    bottom = min(math.log10(slowest_row) - 0.3, top - _DECADES_BELOW)

    def x(value: float) -> float:
        return _LEFT + (math.log10(value) - left) / (right - left) * (_WIDTH - _LEFT - 10)

    def y(value: float) -> float:
        return _TOP + (top - math.log10(value)) / (top - bottom) * (_HEIGHT - _TOP - _BOTTOM)

    begin, end = 10**left, 10**right
    shown = [_decades(x, y, (left, right), (bottom, top))]
    shown.append(_line(x(peak / found.limits.levels[0].bandwidth), y(peak), x(end), y(peak), "math", f"{peak:.0f} GFLOP/s"))
    for level in found.limits.levels:
        ridge = peak / level.bandwidth
        low = max(begin, 10**bottom / level.bandwidth)
        label = f"{level.name} {level.bandwidth:.0f} GB/s"
        shown.append(_line(x(low), y(low * level.bandwidth), x(ridge), y(peak), "memory", label))
    for row in found.rows:
        rate = found.operations / row.time.median
        told = f"{row.target} {row.path}, {row.level}: {rate:.2f} GFLOP/s, {row.time.median:.3f} ns an element"
        shown.append(
            f"<circle cx={x(intensity):.1f} cy={y(rate):.1f} r=4 fill='var(--{_COLOURS[row.path]})' fill-opacity=.75>"
            f"<title>{escaped(told)}</title></circle>"
        )
    label = f"{found.function}: {intensity:.3g} operations a byte"
    return (
        f"<svg viewBox='0 0 {_WIDTH} {_HEIGHT}' role=img aria-label='roofline' style='max-width:46rem;width:100%'"
        f" font-size=12 fill='var(--ink)'>{''.join(shown)}"
        f"<text x={_WIDTH - 10} y={_HEIGHT - 6} text-anchor=end>operations a byte; {escaped(label)}</text>"
        f"<text x=12 y={_HEIGHT / 2:.0f} transform='rotate(-90 12 {_HEIGHT / 2:.0f})' text-anchor=middle>GFLOP/s</text></svg>"
    )


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, label: str) -> str:
    slope = math.degrees(math.atan2(y2 - y1, x2 - x1))
    x, y = x1 + _LABEL * (x2 - x1), y1 + _LABEL * (y2 - y1) - 5
    at = f"x={x:.1f} y={y:.1f}"
    turn = f"transform='rotate({slope:.1f} {x:.1f} {y:.1f})'"
    return (
        f"<line x1={x1:.1f} y1={y1:.1f} x2={x2:.1f} y2={y2:.1f} stroke='var(--{colour})' stroke-width=1.5 />"
        f"<text {at} {turn} text-anchor=middle fill='var(--{colour})'>{escaped(label)}</text>"
    )


def _decades(x: object, y: object, across: tuple[float, float], up: tuple[float, float]) -> str:
    """Lines at powers of ten, with their numbers."""
    assert callable(x) and callable(y)
    out = []
    for power in range(math.ceil(across[0]), math.floor(across[1]) + 1):
        at = x(10.0**power)
        out.append(f"<line x1={at:.1f} x2={at:.1f} y1={_TOP} y2={_HEIGHT - _BOTTOM} stroke='var(--line)' />")
        out.append(f"<text x={at:.1f} y={_HEIGHT - _BOTTOM + 16} text-anchor=middle>{10.0**power:g}</text>")
    for power in range(math.ceil(up[0]), math.floor(up[1]) + 1):
        at = y(10.0**power)
        out.append(f"<line x1={_LEFT} x2={_WIDTH - 10} y1={at:.1f} y2={at:.1f} stroke='var(--line)' />")
        out.append(f"<text x={_LEFT - 6} y={at + 4:.1f} text-anchor=end>{10.0**power:g}</text>")
    return "".join(out)
