"""Draws what the lanes do in the examples of docs/by_example.md: ``python docs/lane_pictures.py`` writes docs/lanes/*.svg.

An example is a block ``ispc`` and the command ``voltac run FILE ...`` behind it. The interpreter of the language runs it; each
statement it reaches is a row, each lane a column: white where the lane is off, with the value where it writes one. What is
uniform is one value for all.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from voltac.cli.run_arguments import argument_of
from voltac.driver import compile_source
from voltac.interpreter import Interpreter, Trace
from voltac.messages.message import Span
from voltac.options import Options
from voltac.sema import tree
from voltac.sema.type_layout import Layout
from voltac.sema.types import VARYING, Pointer
from voltac.target_info import find_target

PAGE = Path(__file__).with_name("by_example.md")
FOLDER = Path(__file__).with_name("lanes")
EXAMPLE = re.compile(r"^```ispc\n// (\w+\.ispc)\n(.*?)^```$.*?^\$ (voltac run \1 .*?)$", re.MULTILINE | re.DOTALL)

ON, OFF, WRITTEN, SHARED, LINE = "#d8e7f5", "#ffffff", "#8db9de", "#f2cf8f", "#b8c0c8"
CELL, ROW, LETTER = 0.52, 0.27, 0.083  # inches: a lane, a statement, a letter of the source


@dataclass
class Row:
    """A statement that was reached: its source, the lanes that are on, and what they write."""

    text: str
    on: list[bool]
    span: Span
    values: list[str] | None = None
    """By lane, or one for all; empty where the lane is off."""


@dataclass
class Recorder(Trace):
    """Keeps the statements of one file and what they write; the library's own are left out."""

    file: str
    lines: list[str]
    rows: list[Row] = field(default_factory=list)

    def reached(self, statement: tree.Statement, active: Any) -> None:
        span = statement.span
        # A label is reached by lanes that are on already; those it switches on show in what stands behind it.
        if span.file == self.file and not isinstance(statement, tree.Block | tree.CaseLabel):
            if isinstance(statement, tree.Declare) and statement.initial is not None:
                span = span.to(statement.initial.span)
            self.rows.append(Row(self._source(span), [bool(each) for each in active], span))

    def wrote(self, place: tree.Place, value: Any, lanes: Any) -> None:
        if place.span.file != self.file or not self.rows:
            return
        last = self.rows[-1]
        inside = (last.span.line, last.span.column) <= (place.span.line, place.span.column) and (
            (place.span.end_line, place.span.end_column) <= (last.span.end_line, last.span.end_column)
        )
        if last.values is not None or not inside:
            # The end of a statement with statements in it: a call's, or the step of a loop.
            name = place.symbol.name if isinstance(place, tree.Variable) else self._source(place.span)
            self.rows.append(last := Row(f"{name} =", [bool(each) for each in lanes], place.span))
        if place.type.rate != VARYING:
            last.values = [shown(value, None)]
        elif isinstance(place.type.type, Pointer):
            last.values = [""] * len(lanes)  # an address says nothing
        else:
            last.values = [shown(value, lane) if lanes[lane] else "" for lane in range(len(lanes))]

    def _source(self, span: Span) -> str:
        line = self.lines[span.line - 1]
        whole = span.end_line == span.line
        return line[span.column - 1 : span.end_column - 1 if whole else len(line)].strip().removesuffix("{").rstrip()


def shown(value: Any, lane: int | None) -> str:
    """A value of one lane, or of all, in a few letters."""
    if isinstance(value, tuple):
        return ",".join(shown(part, lane) for part in value)
    array = np.asarray(value)
    if array.ndim > (0 if lane is None else 1):
        return ",".join(shown(part, lane) for part in array)
    one = array[()] if lane is None else array[lane]
    return f"{one:.3g}" if isinstance(one, np.floating) else str(one)


def examples() -> Iterator[tuple[str, str, list[str]]]:
    """Name of the file, its text, and the words of the command that runs it."""
    for found in EXAMPLE.finditer(PAGE.read_text()):
        name, body, command = found.groups()
        yield name, f"// {name}\n{body}", shlex.split(command)[3:]


def rows_of(name: str, text: str, words: list[str]) -> list[Row]:
    """What the interpreter does with an example, statement by statement."""
    target = next(find_target(word.removeprefix("--target=")) for word in words if word.startswith("--target="))
    options = Options(target)
    program = compile_source(text, name, options, end="check").program
    function = next(iter(program.exports))
    layout = Layout(target)
    given = [word for word in words if not word.startswith("--")]
    arguments = [argument_of(symbol, word, layout) for symbol, word in zip(function.parameters, given, strict=True)]
    recorder = Recorder(name, text.splitlines())
    Interpreter(program, options, output=lambda text: None, trace=recorder).call(function.name, arguments)
    return recorder.rows


def draw(rows: list[Row], file: Path) -> None:
    """One picture; its text stays text, and its cells are named ``row-lane-on`` or ``row-lane-off``."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    lanes = len(rows[0].on)
    code = LETTER * max(len(row.text) for row in rows) + 0.15
    width, height = code + lanes * CELL + 0.05, (len(rows) + 1) * ROW + 0.05
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "lanes", "font.family": "monospace", "font.size": 8}):
        figure = Figure((width, height), facecolor="white")
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, width), ylim=(height, 0))
        axes.axis("off")
        for lane in range(lanes):
            axes.text(code + (lane + 0.5) * CELL, ROW / 2, f"lane {lane}", ha="center", va="center", size=6.5, color="#55606a")
        for number, row in enumerate(rows):
            top = (number + 1) * ROW
            axes.text(0.05, top + ROW / 2, row.text, va="center", parse_math=False)
            one = row.values is not None and len(row.values) == 1
            for lane, on in enumerate(row.on):
                colour = OFF if not on else SHARED if one else WRITTEN if row.values else ON
                left = code + lane * CELL
                name = f"{number}-{lane}-{'on' if on else 'off'}"
                axes.add_patch(Rectangle((left, top), CELL, ROW - 0.03, facecolor=colour, edgecolor=LINE, lw=0.5, gid=name))
                if row.values and not one:
                    axes.text(left + CELL / 2, top + ROW / 2, row.values[lane], ha="center", va="center", size=7)
            if one and row.values:
                middle = sum(where := [lane for lane in range(lanes) if row.on[lane]]) / len(where)
                left = code + min(where, key=lambda lane: (abs(lane - middle), lane)) * CELL
                axes.text(left + CELL / 2, top + ROW / 2, row.values[0], ha="center", va="center", size=7)
        figure.savefig(file, metadata={"Date": None, "Creator": None})


def draw_all(folder: Path) -> None:
    """All pictures of the page."""
    folder.mkdir(exist_ok=True)
    for name, text, words in examples():
        draw(rows_of(name, text, words), folder / f"{Path(name).stem}.svg")


if __name__ == "__main__":
    draw_all(FOLDER)
