"""What every statement of the typed tree means: a function from the set of lanes that reach it to the set that go on behind it.

This is section 1 of the language read literally, in one file as it is there. A lane is active at a
statement exactly if, alone, it would be executing it. Lanes that ``break``,
``continue`` or ``return`` are missing from the set that goes on; they are kept in
the :class:`Leaving` of the loop they left, and join again at its end. Uniform and
varying conditions differ only in that a uniform one is the same for all lanes.

A statement is executed if at least one lane reaches it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from voltac.messages.message import NOWHERE, Span
from voltac.sema import tree
from voltac.sema.types import Void

from .c_functions import find_c_function
from .expressions import Expressions
from .machine import Frame, InterpreterError, Leaving, ProgramAborted, ProgramState
from .memory import MemoryFault
from .printing import print_text
from .values import Mask, Value, constant, dtype_of, lanes_holding, merge

_DEEPEST_CALL = 2000
"""Calls that recursive programs may be deep; one that does not end says so after half a second."""


class Jump(Exception):
    """A ``goto`` on its way out to the block that holds its label."""

    def __init__(self, label: str, active: Mask) -> None:
        super().__init__(label)
        self.label, self.active = label, active


class Statements:
    """Executes statements and function bodies on a machine."""

    def __init__(self, machine: ProgramState) -> None:
        self.machine = machine
        self.expressions = Expressions(machine, self.call)
        self.depth = 0
        self._holds_case: dict[int, bool] = {}
        self._methods: dict[type, Callable[[Any, Mask], Mask]] = {
            tree.Block: self.block,
            tree.Declare: self.declare,
            tree.Evaluate: self.evaluate,
            tree.If: self.if_,
            tree.Loop: self.loop,
            tree.Foreach: self.foreach,
            tree.ForeachActive: self.foreach_active,
            tree.ForeachUnique: self.foreach_unique,
            tree.Switch: self.switch,
            tree.CaseLabel: self.case_label,
            tree.Label: self.label,
            tree.Goto: self.goto,
            tree.Break: self.break_,
            tree.Continue: self.continue_,
            tree.Return: self.return_,
            tree.Unmasked: self.unmasked,
            tree.Print: self.print,
            tree.Assert: self.assert_,
            tree.Sync: self.sync,
            tree.Delete: self.delete,
        }

    def execute(self, node: tree.Statement, active: Mask) -> Mask:
        """The lanes that go on behind the statement, of those that reach it."""
        if self.machine.trace is not None and not isinstance(node, tree.Block):
            self.machine.trace.reached(node, active)
        return self._methods[type(node)](node, active)

    # --- functions ---

    def call(
        self,
        function: tree.FunctionSymbol,
        arguments: Sequence[Value],
        active: Mask,
        *,
        span: Span = NOWHERE,
        task: dict[str, int] | None = None,
    ) -> Value:
        """Runs a function for the ``active`` lanes; varying results are merged from its returns."""
        machine = self.machine
        if function.body is None:
            return self.call_host(function, arguments, span)
        if self.depth >= _DEEPEST_CALL:
            raise InterpreterError(f"calls nested deeper than {_DEEPEST_CALL}", span)
        entered = machine.all_on if function.type.unmasked or function.unmasked or function.c_linkage else active
        frame, caller = Frame(function, entered, task=task or {}), machine.frame
        machine.frame = frame
        self.depth += 1
        try:
            for symbol, value in zip(function.parameters, arguments, strict=True):
                machine.store(machine.variable(symbol), value, machine.all_on, span)
            self.execute(function.body, entered)
            result = frame.result if frame.has_result else constant(0, function.type.result, machine.width)
            if machine.trace is not None:
                machine.trace.returning(function)
        finally:
            self.depth -= 1
            machine.release_frame(frame)
            machine.frame = caller
        return result

    def call_host(self, function: tree.FunctionSymbol, arguments: Sequence[Value], span: Span) -> Value:
        """A function from outside: one call for the gang."""
        machine = self.machine
        provided = machine.c_functions.get(function.name)
        if provided is None and machine.finds_c_functions:
            provided = find_c_function(function, machine.memory)
        if provided is None:
            raise InterpreterError(f"function '{function.name}' has no body, and none was provided or found", span)
        try:
            result = provided(*arguments)
        except MemoryFault as fault:
            raise InterpreterError(str(fault), span) from None
        if isinstance(function.type.result.type, Void):
            return None
        return np.asarray(result, dtype_of(function.type.result.type))[()]

    def return_(self, node: tree.Return, active: Mask) -> Mask:
        """Lanes leave the function with their values (9.3); no lane goes on."""
        frame = self.machine.frame
        if node.value is not None:
            value = self.expressions.evaluate(node.value, active)
            frame.result = merge(active, value, frame.result, node.value.type) if frame.has_result else value
            frame.has_result = True
        return self.machine.none

    # --- sequences and jumps ---

    def _runs(self, statement: tree.Statement, active: Mask) -> bool:
        """A program that writes the mask may switch lanes on again where none is."""
        return bool(active.any()) or self.machine.frame.writes_mask or self.holds_case(statement)

    def block(self, node: tree.Block, active: Mask) -> Mask:
        """One statement after the other; what no lane reaches is not executed. ``goto`` is looked for from here."""
        statements, index = node.statements, 0
        while index < len(statements):
            statement = statements[index]
            seeking = self.machine.frame.seeking
            if self._holds_label(statement, seeking) if seeking else self._runs(statement, active):
                try:
                    active = self.execute(statement, active)
                except Jump as jump:
                    found = [self._holds_label(other, jump.label) for other in statements]
                    if True not in found:
                        raise
                    self.machine.frame.seeking, active, index = jump.label, jump.active, found.index(True)
                    continue
            index += 1
        return active

    def goto(self, node: tree.Goto, active: Mask) -> Mask:
        """All lanes that are on go to the label (9.8)."""
        raise Jump(node.name, active)

    def label(self, node: tree.Label, active: Mask) -> Mask:
        """The label was found, and execution goes on."""
        self.machine.frame.seeking = None
        return active

    def _holds_label(self, node: tree.Statement, name: str) -> bool:
        if isinstance(node, tree.Label):
            return node.name == name
        return any(self._holds_label(inner, name) for inner in inner_statements(node))

    def holds_case(self, node: tree.Statement) -> bool:
        """Is a ``case`` or ``default`` of the enclosing switch in it? Then it is entered though no lane reaches it yet."""
        known = self._holds_case.get(id(node))
        if known is None:
            inner = () if isinstance(node, tree.Switch) else inner_statements(node)
            known = isinstance(node, tree.CaseLabel) or any(self.holds_case(statement) for statement in inner)
            self._holds_case[id(node)] = known
        return known

    # --- simple statements ---

    def declare(self, node: tree.Declare, active: Mask) -> Mask:
        """The initial value is stored in all lanes, of those that are off too (7.2)."""
        machine = self.machine
        location = machine.variable(node.symbol)
        if node.initial is not None:
            self.expressions.initialize(location, node.initial, active, machine.all_on)
            if machine.trace is not None:
                place = tree.variable(node.symbol, node.span)
                machine.trace.wrote(place, machine.load(location, machine.all_on, node.span), active)
        return active

    def evaluate(self, node: tree.Evaluate, active: Mask) -> Mask:
        """An expression for its effects. On devices one of them is to write the mask itself."""
        if isinstance(node.value, tree.Builtin) and node.value.name == "__write_mask":
            (bits,) = self.expressions.arguments(node.value.arguments, active)
            self.machine.frame.writes_mask = True
            written: Mask = (int(bits) >> np.arange(self.machine.width) & 1).astype(bool)
            return written
        self.expressions.evaluate(node.value, active)
        return active

    def delete(self, node: tree.Delete, active: Mask) -> Mask:
        """``delete`` (8.9)."""
        self.expressions.delete(node, active)
        return active

    def print(self, node: tree.Print, active: Mask) -> Mask:
        """``print`` (13.12): one text for the gang, at once."""
        values = self.expressions.arguments(node.arguments, active)
        self.machine.output(print_text(node, values, active))
        return active

    def assert_(self, node: tree.Assert, active: Mask) -> Mask:
        """``assert`` (13.11): it fails if it does in any lane that is on."""
        if self.machine.options.disable_assertions:
            return active
        test = self.expressions.evaluate(node.test, active)
        if not np.all(test[active] if test.ndim else test):
            self.machine.output(node.message)
            raise ProgramAborted(node.message.strip())
        return active

    def sync(self, node: tree.Sync, active: Mask) -> Mask:
        """``sync`` (11)."""
        # Tasks have run at their launch.
        return active

    # --- conditions ---

    def lanes_where(self, test: tree.Value, active: Mask) -> Mask:
        """The active lanes for which a condition holds."""
        holds: Mask = active & self.expressions.evaluate(test, active)
        return holds

    def if_(self, node: tree.If, active: Mask) -> Mask:
        """Both branches, each for its lanes, one after the other (9.1)."""
        branches = [branch for branch in (node.then, node.otherwise) if branch is not None]
        seeking = self.machine.frame.seeking
        if seeking:
            return self.execute(next(branch for branch in branches if self._holds_label(branch, seeking)), active)
        yes = self.lanes_where(node.test, active) if active.any() else active
        no = active & ~yes
        if yes.any() or self.holds_case(node.then):
            yes = self.execute(node.then, yes)
        if node.otherwise is not None and (no.any() or self.holds_case(node.otherwise)):
            no = self.execute(node.otherwise, no)
        return yes | no

    def switch(self, node: tree.Switch, active: Mask) -> Mask:
        """Lanes join at their label; the body runs once from top to bottom."""
        machine = self.machine
        joins: dict[int | None, Mask] = {}
        leaving = Leaving(machine.none, machine.none, joins)
        if machine.frame.seeking:
            return self._inside(leaving, node.body, active) | leaving.broke
        value = self.expressions.evaluate(node.value, active)
        unmatched = active
        for label in node.labels:
            if label is not None:
                joins[label] = active & np.equal(value, np.asarray(label).astype(value.dtype))
                unmatched = unmatched & ~joins[label]
        if None in node.labels:
            joins[None], unmatched = unmatched, machine.none
        return self._inside(leaving, node.body, machine.none) | leaving.broke | unmatched

    def case_label(self, node: tree.CaseLabel, active: Mask) -> Mask:
        """The lanes with this value join those that come from above (9.4)."""
        # Lanes join once, also where a loop passes the label again.
        joins = next(leaving.joins for leaving in reversed(self.machine.frame.leaving) if leaving.joins is not None)
        return active | joins.pop(node.value, self.machine.none)

    # --- loops ---

    def _inside(self, leaving: Leaving, body: tree.Statement, active: Mask) -> Mask:
        """Executes a body that lanes may leave by ``break`` or ``continue``; these go along with a ``goto`` out of it."""
        self.machine.frame.leaving.append(leaving)
        try:
            return self.execute(body, active)
        except Jump as jump:
            jump.active = jump.active | leaving.broke | leaving.continued
            raise
        finally:
            self.machine.frame.leaving.pop()

    def break_(self, node: tree.Break, active: Mask) -> Mask:
        """Lanes leave the loop or switch; they go on behind it."""
        leaving = self.machine.frame.leaving[-1]
        leaving.broke = leaving.broke | active
        return self.machine.none

    def continue_(self, node: tree.Continue, active: Mask) -> Mask:
        """Lanes leave the body; they go on with the step of the loop."""
        leaving = self.machine.frame.leaving[-1]
        leaving.continued = leaving.continued | active
        return self.machine.none

    def loop(self, node: tree.Loop, active: Mask) -> Mask:
        """Until no lane runs (9.2): a lane runs until its test fails, or it breaks or returns."""
        machine = self.machine
        leaving = Leaving(machine.none, machine.none)
        # Entered by a goto or at a case label, the loop starts in its body.
        test_now = node.test_first and not machine.frame.seeking and bool(active.any())
        joined_inside = self.holds_case(node.body)
        running, finished = active, machine.none
        while True:
            if test_now and node.test is not None:
                going_on = self.lanes_where(node.test, running)
                finished = finished | (running & ~going_on)
                running = going_on
                if not running.any() and not joined_inside:
                    break
            joined_inside = False
            leaving.continued = machine.none
            running = self._inside(leaving, node.body, running) | leaving.continued
            if not running.any():
                break
            self._iterating(node, running)
            if node.step is not None:
                self.expressions.evaluate(node.step, running)
            test_now = True
        return finished | leaving.broke

    def unmasked(self, node: tree.Unmasked, active: Mask) -> Mask:
        """The body for all lanes (9.9); behind it those of before go on."""
        if not self.holds_case(node.body):
            try:
                return active & self.execute(node.body, self.machine.all_on)
            except Jump as jump:
                jump.active = jump.active & active
                raise
        # All lanes are on from the first label at which any joins.
        machine = self.machine
        switch = next(leaving for leaving in reversed(machine.frame.leaving) if leaving.joins is not None)
        joins = switch.joins or {}
        switch.joins = {label: machine.all_on if lanes.any() else machine.none for label, lanes in joins.items()}
        behind = self.execute(node.body, machine.all_on if active.any() else machine.none)
        joined = [lanes for label, lanes in joins.items() if label not in switch.joins]
        switch.joins = {label: lanes for label, lanes in joins.items() if label in switch.joins}
        reached: Mask = np.logical_or.reduce([active, *joined])
        return reached & behind

    def _set(self, symbol: tree.VariableSymbol, value: Value) -> None:
        """Gives the variable of a foreach its value, in all lanes."""
        self.machine.store(self.machine.variable(symbol), value, self.machine.all_on, symbol.span)

    def _each(self, body: tree.Statement, active: Mask) -> None:
        """One group of a foreach: lanes that continue are done with it like the others."""
        self._inside(Leaving(self.machine.none, self.machine.none), body, active)

    def _iterating(self, node: tree.Statement, active: Mask) -> None:
        if self.machine.trace is not None:
            self.machine.trace.iterating(node, active)

    def foreach(self, node: tree.Foreach, active: Mask) -> Mask:
        """Starts with all lanes on, whoever reaches it (language 9.5)."""
        width = self.machine.width
        evaluate = self.expressions.evaluate
        bounds = [(int(evaluate(d.first, active)), int(evaluate(d.last, active))) for d in node.dimensions]
        spans = tiled_spans(width, len(bounds)) if node.tiled else [1] * (len(bounds) - 1) + [width]
        inner = [math.prod(spans[dimension + 1 :]) for dimension in range(len(spans))]
        offsets = [np.arange(width) // within % span for within, span in zip(inner, spans)]
        ranges = [range(first, last, span) for (first, last), span in zip(bounds, spans)]
        for number, bases in enumerate(groups_of(ranges)):
            indices = [base + offset for base, offset in zip(bases, offsets)]
            inside = np.all([index < last for index, (_, last) in zip(indices, bounds)], axis=0)
            if number:
                self._iterating(node, active)
            for dimension, index in zip(node.dimensions, indices):
                self._set(dimension.symbol, index.astype(np.int32))
            self._each(node.body, inside)
        return active

    def foreach_active(self, node: tree.ForeachActive, active: Mask) -> Mask:
        """The body once for each lane that is on, in order (9.6)."""
        for number, lane in enumerate(np.flatnonzero(active)):
            if number:
                self._iterating(node, active)
            self._set(node.symbol, np.int64(lane))
            self._each(node.body, self.machine.lanes == lane)
        return active

    def foreach_unique(self, node: tree.ForeachUnique, active: Mask) -> Mask:
        """The body once for each value that lanes have, for those lanes (9.7)."""
        for number, (value, lanes) in enumerate(lanes_holding(self.expressions.evaluate(node.value, active), active)):
            if number:
                self._iterating(node, active)
            self._set(node.symbol, value)
            self._each(node.body, lanes)
        return active


def groups_of(ranges: Sequence[range]) -> Iterator[tuple[int, ...]]:
    """Their product, without keeping any of it: a range may be as long as numbers go."""
    if not ranges:
        yield ()
        return
    for first in ranges[0]:
        for rest in groups_of(ranges[1:]):
            yield (first, *rest)


def tiled_spans(width: int, dimensions: int) -> list[int]:
    """How many lanes ``foreach_tiled`` gives each dimension, outermost first."""
    spans, left = [], width
    for rest in reversed(range(dimensions)):
        if rest == 0:
            span = left
        elif rest >= int(math.log2(left)):
            span = 1
        elif left >= 16 and rest == 1:
            span = 4
        else:
            span = 2
        spans.append(span)
        left //= span
    return spans


def inner_statements(node: tree.Statement) -> tuple[tree.Statement, ...]:
    """The statements directly inside one."""
    match node:
        case tree.Block(statements=statements):
            return statements
        case tree.If(then=then, otherwise=otherwise):
            return (then,) if otherwise is None else (then, otherwise)
        case tree.Loop() | tree.Foreach() | tree.ForeachActive() | tree.ForeachUnique() | tree.Switch() | tree.Unmasked():
            return (node.body,)
    return ()
