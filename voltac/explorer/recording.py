"""A run of the interpreter → the steps that the page goes through: statements as they were executed, and what each changed.

A step is one statement with the lanes that executed it. What is different when the next one is
reached, the statement has changed: a variable, an element of an array, the output. The changes
of all steps up to one are the state behind it, so that the page can go back as well.

    float v = x[i];      v in every lane
    if (v > 3)           nothing; the lanes of the next step are those where it holds
        v = sqrt(v);     v in these lanes
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from voltac.explorer.shown_values import element_text, scalars, stored, texts
from voltac.interpreter import InterpreterError, Trace
from voltac.interpreter.machine import Frame, Location, ProgramState, location_of
from voltac.interpreter.statements import inner_statements
from voltac.interpreter.values import ADDRESS, Mask
from voltac.messages.message import NOWHERE, Span
from voltac.messages.visible import visible_listing, visible_name
from voltac.records import mutable_record, record
from voltac.sema import tree
from voltac.sema.types import Pointer

Row = dict[str, Any]
"""An object of JSON."""

_STEPS = 2000
"""Nobody goes through more one by one."""
_TEXTS = 300_000
"""Of lanes and elements, in all steps: some ten million bytes of JSON."""


class RecordingFull(Exception):
    """There are as many steps as are recorded, or the time is over; says which."""


Scope = tuple[int, int, int, int]
"""Line and column of a declaration, and of the end of its block."""


def scopes(function: tree.FunctionSymbol) -> dict[tree.VariableSymbol, Scope]:
    """Where the variables may be seen that are declared inside of the function's body."""
    found: dict[tree.VariableSymbol, Scope] = {}

    def visit(node: tree.Statement, block: Span) -> None:
        span = node.span
        whole = (span.line, span.column, span.end_line, span.end_column)
        match node:
            case tree.Declare(symbol=symbol):
                found[symbol] = (span.line, span.column, block.end_line, block.end_column)
            case tree.Block(statements=statements):
                # ``int a, b;`` is a block of declarations, whose names are of the block around.
                is_list = all(isinstance(one, tree.Declare) for one in statements)
                for one in statements:
                    visit(one, block if is_list else span)
            case tree.Foreach(dimensions=dimensions):
                for dimension in dimensions:
                    found[dimension.symbol] = whole
            case tree.ForeachActive(symbol=symbol) | tree.ForeachUnique(symbol=symbol):
                found[symbol] = whole
        if not isinstance(node, tree.Block):
            for inner in inner_statements(node):
                visit(inner, span)

    if function.body is not None:
        visit(function.body, function.body.span)
    return found


@mutable_record
class _Call:
    """A call that has not returned."""

    number: int
    frame: Frame
    scopes: Mapping[tree.VariableSymbol, Scope]
    here: tree.Statement
    lanes: str


@record
class _Array:
    """An array of the caller's, where it lies in the program's memory, and what was in it at the step before."""

    name: str
    address: int
    elements: npt.NDArray[Any]
    bytes: npt.NDArray[np.uint8]
    before: npt.NDArray[np.uint8]


class StepRecorder(Trace):
    """Records a call of the interpreter. Raises :class:`RecordingFull` out of it."""

    def __init__(self, sources: Mapping[str, list[str]], is_shown: Callable[[Span], bool], end: float) -> None:
        """``end`` is when the run is stopped, as ``time.monotonic`` tells it."""
        self.steps: list[Row] = []
        self.statements: list[Row] = []
        self.calls: list[Row] = []
        self.variables: list[Row] = []
        self.arrays: list[Row] = []
        self._sources, self._is_shown = sources, is_shown
        self._end = end
        self._arrays: list[_Array] = []
        self._stack: list[_Call] = []
        self._output: list[str] = []
        self._texts = 0
        self._statement_numbers: dict[int, int] = {}
        self._variable_numbers: dict[tuple[int, tree.VariableSymbol, str], int] = {}
        self._stored: list[bytes] = []
        """By variable: what it held at the step before."""

    def begin(self, machine: ProgramState, function: tree.FunctionSymbol, arguments: Sequence[Any]) -> None:
        """A call of ``function`` comes, whose arrays the page shows."""
        self._machine = machine
        self._given = {symbol: one for symbol, one in zip(function.parameters, arguments, strict=True) if hasattr(one, "dtype")}
        self._globals = [one for one in machine.globals.items() if self._is_shown(one[0].span) and not one[0].type.const]

    def printed(self, text: str) -> None:
        """What the program prints."""
        self._output.append(visible_listing(text))

    # --- what the interpreter tells ---

    def reached(self, statement: tree.Statement, active: Mask) -> None:
        """A step, unless it is of the library."""
        self._look_at_the_clock()
        if not self._is_shown(statement.span) or isinstance(statement, tree.CaseLabel | tree.Label):
            return
        frame = self._machine.frame
        if not self._stack:
            self._find_arrays()
        else:
            self._finish()
        if not self._stack or self._stack[-1].frame is not frame:
            self._stack.append(self._call(frame, statement))
        self._step(statement, active, "")

    def iterating(self, statement: tree.Statement, active: Mask) -> None:
        """The head of the loop once more."""
        self._look_at_the_clock()
        if self._is_shown(statement.span):
            self._finish()
            self._step(statement, active, "iteration")

    def returning(self, function: tree.FunctionSymbol) -> None:
        """What is left to do of the statement that called."""
        if not self._stack or self._stack[-1].frame is not self._machine.frame:
            return
        self._finish()
        self._stack.pop()
        if self._stack:
            caller = self._stack[-1]
            self._step(caller.here, caller.lanes, "return")

    def recording(self) -> Row:
        """All there is when the run is over."""
        if self.steps:
            # What a statement has printed that failed.
            self.steps[-1]["output"] += "".join(self._output)
        names = ("steps", "statements", "calls", "variables", "arrays")
        return {name: getattr(self, name) for name in names}

    def _look_at_the_clock(self) -> None:
        if time.monotonic() > self._end:
            raise RecordingFull(f"the run goes on: it was stopped after {len(self.steps)} steps, as the time is over")

    # --- steps ---

    def _step(self, statement: tree.Statement, active: Mask | str, again: str) -> None:
        if len(self.steps) >= _STEPS:
            raise RecordingFull(f"the run goes on: it was stopped after {_STEPS} steps")
        if self._texts > _TEXTS:
            raise RecordingFull(f"the run goes on: it was stopped after {len(self.steps)} steps, which show too much")
        call = self._stack[-1]
        call.here = statement
        call.lanes = active if isinstance(active, str) else "".join("1" if on else "0" for on in active)
        row = {"at": self._number_of(statement), "call": call.number, "mask": call.lanes, "again": again}
        self.steps.append({**row, "set": [], "elements": [], "output": ""})

    def _number_of(self, statement: tree.Statement) -> int:
        number = self._statement_numbers.get(id(statement))
        if number is None:
            number = self._statement_numbers[id(statement)] = len(self.statements)
            span = statement.span
            if isinstance(statement, tree.Declare) and statement.initial is not None:
                span = span.to(statement.initial.span)
            line = self._sources.get(span.file, [""] * span.line)[span.line - 1]
            end = span.end_column - 1 if span.end_line == span.line else len(line)
            text = visible_listing(line[span.column - 1 : end].strip())
            self.statements.append({"file": visible_name(span.file), "line": span.line, "column": span.column, "text": text})
        return number

    def _call(self, frame: Frame, statement: tree.Statement) -> _Call:
        number = len(self.calls)
        caller = self._stack[-1].number if self._stack else -1
        self.calls.append({"function": frame.function.name, "caller": caller})
        return _Call(number, frame, scopes(frame.function), statement, "")

    def _finish(self) -> None:
        """What the last step has changed."""
        step, call = self.steps[-1], self._stack[-1]
        for symbol, address in self._globals:
            step["set"] += self._changed(-1, None, symbol, address)
        for symbol, address in call.frame.variables.items():
            if symbol not in self._given:
                step["set"] += self._changed(call.number, call.scopes.get(symbol), symbol, address)
        step["elements"] = self._changed_elements()
        step["output"] = "".join(self._output)
        self._output.clear()

    # --- variables ---

    def _changed(self, call: int, scope: Scope | None, symbol: tree.VariableSymbol, address: int) -> list[Any]:
        machine = self._machine
        whole = Location(symbol.type, ADDRESS.type(address))
        if symbol.is_reference and isinstance(symbol.type.type, Pointer):
            whole = location_of(machine.load(whole, machine.all_on, NOWHERE), symbol.type.type.to)
        found: list[Any] = []
        for name, location in scalars(machine, symbol.name, whole):
            try:
                value = stored(machine, location)
            except InterpreterError:
                # A reference that does not lead anywhere yet.
                continue
            content = value.tobytes()
            key = (call, symbol, name)
            number = self._variable_numbers.get(key)
            if number is None:
                number = self._variable_numbers[key] = len(self.variables)
                self.variables.append({"name": name, "type": str(location.storage), "call": call, "scope": scope})
                self._stored.append(b"")
            if content != self._stored[number]:
                self._stored[number] = content
                shown = texts(location.storage.type, value, self._address_text)
                self._texts += len(shown)
                found.append([number, shown])
        return found

    def _address_text(self, address: int) -> str:
        for array in self._arrays:
            if array.address <= address < array.address + array.bytes.size:
                index, rest = divmod(address - array.address, array.bytes.shape[1])
                return f"&{array.name}[{index}]" + (f" + {rest} bytes" if rest else "")
        return f"{address:#x}" if address else "NULL"

    # --- arrays ---

    def _find_arrays(self) -> None:
        machine = self._machine
        for symbol, elements in self._given.items():
            address = int(machine.load(machine.variable(symbol), machine.all_on, NOWHERE))
            rows = elements.view(np.uint8).reshape(len(elements), elements.nbytes // len(elements))
            self._arrays.append(_Array(symbol.name, address, elements, rows, rows.copy()))
            content = [element_text(element) for element in elements]
            self.arrays.append({"name": symbol.name, "elements": content})

    def _changed_elements(self) -> list[Any]:
        found: list[Any] = []
        for number, array in enumerate(self._arrays):
            for index in map(int, np.flatnonzero((array.bytes != array.before).any(axis=1))):
                array.before[index] = array.bytes[index]
                found.append([number, index, element_text(array.elements[index])])
        self._texts += len(found)
        return found
