"""What the page shows of statements with two paths: the instructions with all lanes on, and under a mask."""

from __future__ import annotations

from voltac.explorer.answers import CommandLine, Question, Reply, answered
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.python.compare_paths import constructs
from voltac.python.source import Source
from voltac.records import replace
from voltac.report.assembly import KINDS
from voltac.report.comparison import Construct, Path
from voltac.report.comparison_page import INSTRUCTION_COLOURS, INSTRUCTION_LEGEND


def paths(words: CommandLine, question: Question) -> Reply:
    """By exported function each foreach and coherent statement; three compilations."""
    return answered(words, question, _paths)


def _paths(words: CommandLine, question: Question, text: str, options: Options, diagnostics: Diagnostics) -> Reply:
    # The lines of the instructions come from the debug information.
    options = replace(options, whole_program=True, debug_info=not options.target.is_device)
    found = constructs(Source(text, words.file, options))
    functions = [{"function": name, "statements": [_statement(one) for one in both]} for name, both in found.items()]
    return {"legend": INSTRUCTION_LEGEND, "functions": functions}


def _statement(found: Construct) -> Reply:
    on, masked = found.all_on.counts, found.masked.counts
    counts = [
        {"kind": kind, "colour": INSTRUCTION_COLOURS[kind], "counts": [on.get(kind, 0), masked.get(kind, 0)]}
        for kind in KINDS
        if kind in on or kind in masked
    ]
    shown = [{"name": path.name, "rows": _rows(path)} for path in (found.all_on, found.masked)]
    return {"kind": found.kind, "line": found.line, "source": found.source.strip(), "paths": shown, "counts": counts}


def _rows(path: Path) -> list[Reply]:
    """Labels that something goes to, and instructions with where they lead."""
    own, targets = {block.label for block in path.blocks}, path.targets
    rows: list[Reply] = []
    for block in path.blocks:
        if block.label in targets:
            rows.append({"label": block.label})
        for instruction, line in zip(block.instructions, block.lines, strict=True):
            target = path.branch_target(instruction)
            kind = path.kind_of(instruction)
            row = {"text": instruction, "line": line, "kind": kind, "colour": INSTRUCTION_COLOURS[kind], "target": target}
            rows.append(row | {"leaves": path.places[target] if target and target not in own else ""})
    return rows
