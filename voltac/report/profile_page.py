"""The page of ``voltac profile``: the source in colours, each line as warm as it was executed often."""

from __future__ import annotations

from voltac.report.lane_counts import LaneCounts, Place
from voltac.report.page import chips, escaped, fragment, legend, page, spans
from voltac.report.source_colours import Piece, coloured

_LEGEND = (("fast", "at least 75 % of the lanes on"), ("mask", "at least 40 %"), ("slow", "fewer"))
_HEAD = "<tr><th>executed<th>lanes on<th>all<th>none<th><th style='text-align:left'>line"


def profile_page(found: LaneCounts, title: str) -> str:
    """One self-contained page."""
    return page(title, _body(found))


def profile_fragment(found: LaneCounts) -> str:
    """For a notebook."""
    return fragment(_body(found))


def _body(found: LaneCounts) -> str:
    shown = chips(("function", found.function), ("target", found.target), ("lanes", str(found.width)))
    parts = [f"{shown}<p>{escaped(found.summary())}</p>", legend(*_LEGEND)]
    parts.append("<p class=quiet>The warmer a line, the more often gangs executed it.</p>")
    for file in found.files:
        if file != found.file:
            parts.append(f"<h2>{escaped(file)}</h2>")
        parts.append(_table(found, file))
    return "\n".join(parts)


def _table(found: LaneCounts, file: str) -> str:
    places, source = found.lines(file), list(found.sources.get(file, ()))
    source += [""] * (max([len(source), *places]) - len(source))
    rows = (_row(number, pieces, places.get(number), found.most) for number, pieces in enumerate(coloured(source), 1))
    return f"<div class=listing><table class=heat>{_HEAD}{''.join(rows)}</table></div>"


def _row(number: int, pieces: list[Piece], place: Place | None, most: int) -> str:
    code = f"<td>{number}<td><code>{spans(pieces)}</code>"
    if place is None or not place.runs:
        return f"<tr><td>{'' if place is None else 0}<td><td><td>{code}"
    colour = "fast" if place.share >= 0.75 else "mask" if place.share >= 0.4 else "slow"
    share = f"{100 * place.share:.0f}"
    every, none = (f"{100 * one / place.runs:.0f} %" for one in (place.all_on, place.none_on))
    # The square root: what is executed a hundredth as often as the hottest line is still a tenth as warm.
    heat = 40 * (place.runs / most) ** 0.5
    track = f"<span class=track><b class={colour} style='width:{share}%'></b></span>"
    return f"<tr style='--heat:{heat:.0f}%'><td>{place.runs}<td>{track} {share} %<td>{every}<td>{none}{code}"
