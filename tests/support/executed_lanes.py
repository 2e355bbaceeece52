"""How often each statement is executed with how many lanes on, as the interpreter of the typed tree says: for profiles."""

from collections import defaultdict
from typing import Any

from voltac.driver import compile_source
from voltac.interpreter import Interpreter
from voltac.interpreter.machine import Trace
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.sema import tree
from voltac.target_info import find_target

Counts = dict[tuple[int, int], dict[int, int]]
"""Line and column -> lanes on, at least one -> how often."""


class _Counter(Trace):
    """A trace that counts the statements of one file."""

    def __init__(self, file: str) -> None:
        self.file, self.counts = file, defaultdict[tuple[int, int], dict[int, int]](lambda: defaultdict(int))

    def reached(self, statement: tree.Statement, active: Any) -> None:
        if (
            statement.span.file == self.file
            and active.any()
            and not isinstance(statement, tree.Block | tree.Label | tree.CaseLabel)
        ):
            self.counts[statement.span.line, statement.span.column][int(active.sum())] += 1


def executed_lanes(text: str, target: str, function: str, arguments: list[Any], file: str = "<string>") -> Counts:
    """What one call of an exported function executes; the arrays are written."""
    options = Options(target=find_target(target))
    program = compile_source(text, file, options, Diagnostics(), end="check").program
    counter = _Counter(file)
    Interpreter(program, options, output=lambda printed: None, trace=counter).call(function, arguments)
    return {place: dict(counts) for place, counts in counter.counts.items()}
