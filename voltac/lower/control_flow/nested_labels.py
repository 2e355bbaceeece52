"""Case labels inside the branches and loops of their switch (language 9.4) -> plain statements.

Lanes that enter a switch at a label in the middle of an ``if`` or a loop have to get past
the conditions before it. They carry a flag until they are at their label::

    switch (v) {                        value = v, waiting = true
    case 0: a;                          waiting = waiting && value != 0
        if (t) {                        if (!waiting) a;
            b;                          if (waiting ? value == 1 : t) {
    case 1: c;                              if (!waiting) b;
        }                                   waiting = waiting && value != 1
    }                                       if (!waiting) c;
                                        }

The flag is as varying as the value. Around it all stands a switch of one label, for
``break``. Switches whose labels are all reached by their own jumps or masks stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

from voltac.lower.analyses.escapes import EscapeScan, scan
from voltac.lower.control_flow.label_ranges import HasLabel
from voltac.messages.message import Span
from voltac.records import mutable_record, replace
from voltac.sema import tree
from voltac.sema.types import BOOL, INT32, UINT64, UNIFORM, VARYING, Qual

Label = int | None

_FEW_LABELS = 4
"""Labels that are tested one by one."""


def plain_switches(body: tree.Block) -> tuple[tree.Block, EscapeScan]:
    """The body of a function without labels that a switch cannot reach by itself, and what lanes escape from in it."""
    escapes = scan(body)
    if not escapes.has_switch:
        return body, escapes
    result = _Rewriting(escapes).statement(body)
    if result is body:
        return body, escapes
    assert isinstance(result, tree.Block)
    return result, scan(result)


class _Rewriting:
    """A walk through one function; what has no such switch in it stays the same object."""

    def __init__(self, escapes: EscapeScan) -> None:
        self._escapes = escapes
        self._labels: dict[int, tuple[Label, ...]] = {}
        """Of the statements as written, by identity."""

    def statement(self, node: tree.Statement) -> tree.Statement:
        match node:
            case tree.Block(_, statements):
                inner = tuple([self.statement(child) for child in statements])
                changed = any(new is not old for new, old in zip(inner, statements))
                return replace(node, statements=inner) if changed else node
            case tree.If(_, _, then, otherwise):
                branches = self.statement(then), None if otherwise is None else self.statement(otherwise)
                if branches[0] is then and branches[1] is otherwise:
                    return node
                return replace(node, then=branches[0], otherwise=branches[1])
            case tree.Switch():
                masked = node.value.type.rate is VARYING or self._escapes[node].needs_live or self._escapes[node].changes_mask
                enters = self._enters(node.body, masked)
                return self._waiting_switch(node) if enters else self._with_body(node)
            case tree.Loop() | tree.Foreach() | tree.ForeachActive() | tree.ForeachUnique() | tree.Unmasked():
                return self._with_body(node)
        return node

    def _with_body(
        self, node: tree.Switch | tree.Loop | tree.Foreach | tree.ForeachActive | tree.ForeachUnique | tree.Unmasked
    ) -> tree.Statement:
        body = self.statement(node.body)
        return node if body is node.body else replace(node, body=body)

    def _enters(self, node: tree.Statement, masked: bool) -> bool:
        """Is a label behind a condition that the dispatch does not pass? It passes none if the mask may differ there."""
        if not self.labels(node):
            return False
        match node:
            case tree.Block(_, statements):
                return any(self._enters(child, masked) for child in statements)
            case tree.If(_, test, then, otherwise):
                if masked or test.type.rate is VARYING:
                    return True
                return self._enters(then, masked) or (otherwise is not None and self._enters(otherwise, masked))
            case tree.Loop(_, test, _, body):
                if masked or (test is not None and test.type.rate is VARYING) or self._escapes[node].needs_live:
                    return True
                return self._enters(body, masked)
        return isinstance(node, tree.Unmasked)

    def labels(self, node: tree.Statement) -> tuple[Label, ...]:
        """Labels of the innermost switch around the statement that are in it."""
        known = self._labels.get(id(node))
        if known is None:
            known = self._labels[id(node)] = tuple(self._find_labels(node))
        return known

    def _find_labels(self, node: tree.Statement) -> list[Label]:
        match node:
            case tree.CaseLabel(_, value):
                return [value]
            case tree.Block(_, statements):
                return [label for child in statements for label in self.labels(child)]
            case tree.If(_, _, then, otherwise):
                return [*self.labels(then), *(() if otherwise is None else self.labels(otherwise))]
            case tree.Loop() | tree.Unmasked():
                return [*self.labels(node.body)]
        return []

    def _waiting_switch(self, node: tree.Switch) -> tree.Statement:
        span = node.span
        type = node.value.type
        value = tree.VariableSymbol("switch.value", type, "local", span)
        before: list[tree.Statement] = [tree.Declare(span, value, _frozen(node.value))]
        joins: dict[Label, tree.Value] = {
            label: tree.Binary(span, Qual(BOOL, type.rate), "==", _load(value, span), tree.Constant(span, type, label))
            for label in node.labels
            if label is not None
        }
        if None in node.labels:
            unmatched = _not(HasLabel(span, Qual(BOOL, type.rate), _load(value, span), tuple(joins))) if joins else True
            joins[None] = _load(_flag("unmatched", type, unmatched, before, span), span)
        waiting = _flag("waiting", type, True, before, span)
        inside = _Waiting(self, waiting, joins, value).rewritten(node.body)
        zero = tree.Constant(span, Qual(INT32), 0)
        around = tree.Switch(span, zero, (0,), tree.Block(span, (tree.CaseLabel(span, 0), *inside)))
        return tree.Block(span, (*before, around))


@mutable_record(eq=False)
class _Waiting:
    """The inside of one switch."""

    function: _Rewriting
    waiting: tree.VariableSymbol
    joins: dict[Label, tree.Value]
    """Label -> is it the one that the switch goes to?"""
    value: tree.VariableSymbol | None
    """The value of the switch, where it is as varying as the flag."""

    def rewritten(self, node: tree.Statement) -> list[tree.Statement]:
        span = node.span
        match node:
            case tree.CaseLabel(_, value):
                still = _both(_load(self.waiting, span), _not(self.joins[value]))
                return [_assign(self.waiting, still, span)]
            case tree.Block(_, statements):
                return [tree.Block(span, tuple(self._sequence(statements)))]
            case tree.If(_, test, then, otherwise):
                entered = self._joining(self.function.labels(then), span)
                outcome = _select(_load(self.waiting, span), entered, _frozen(test))
                branches = [self._alone(branch) for branch in (then, otherwise) if branch is not None]
                return [tree.If(span, outcome, branches[0], branches[1] if otherwise else None, node.coherent)]
            case tree.Loop(_, test, _, body, test_first):
                if test is not None and test_first and not isinstance(test, tree.Constant):
                    yes = tree.Constant(span, Qual(BOOL, self.waiting.type.rate), True)
                    test = _select(_load(self.waiting, span), yes, _frozen(test))
                return [self._entered(node, replace(node, test=test, body=self._alone(body)))]
            case tree.Unmasked():
                return self._unmasked(node)
        return [self._guarded(span, (node,))]

    def _alone(self, node: tree.Statement) -> tree.Statement:
        return tree.Block(node.span, tuple(self._sequence((node,))))

    def _sequence(self, statements: Sequence[tree.Statement]) -> list[tree.Statement]:
        """What stands between labels, guarded as one."""
        out: list[tree.Statement] = []
        between: list[tree.Statement] = []
        for statement in statements:
            if not self.function.labels(statement):
                between.append(self.function.statement(statement))
                continue
            if between:
                out.append(self._guarded(between[0].span, between))
                between = []
            out += self.rewritten(statement)
        return [*out, self._guarded(between[0].span, between)] if between else out

    def _guarded(self, span: Span, statements: Sequence[tree.Statement]) -> tree.Statement:
        """For the lanes that have been at their label; a ``goto`` that comes from outside is one of them."""
        inside: list[tree.Statement] = []
        for statement in statements:
            inside.append(statement)
            if isinstance(statement, tree.Label):
                inside.append(_assign(self.waiting, tree.Constant(span, self.waiting.type, False), span))
        return tree.If(span, _sound(_not(_load(self.waiting, span))), tree.Block(span, tuple(inside)), None, False)

    def _entered(self, labelled: tree.Statement, statement: tree.Statement) -> tree.Statement:
        """A statement for the lanes that come to it or join in it."""
        joins = self._joining(self.function.labels(labelled), labelled.span)
        test = _sound(_either(_not(_load(self.waiting, labelled.span)), joins))
        return tree.If(labelled.span, test, statement, None, False)

    def _unmasked(self, node: tree.Unmasked) -> list[tree.Statement]:
        """All lanes are on inside, from the beginning or from the first label at which any lane joins."""
        span = node.span
        before: list[tree.Statement] = []
        inner = self
        if self.waiting.type.rate is VARYING:
            uniform = Qual(BOOL)
            passing = _any(_not(_load(self.waiting, span)))
            waiting = _flag("waiting", uniform, _not(passing), before, span)
            joins: dict[Label, tree.Value] = {}
            for label in self.function.labels(node):
                joins[label] = _load(_flag("joins", uniform, _any(self.joins[label]), before, span), span)
            inner = _Waiting(self.function, waiting, joins, None)
        inside = tree.Unmasked(span, inner._alone(node.body))
        after = _assign(self.waiting, tree.Constant(span, self.waiting.type, False), span)
        return [self._entered(node, tree.Block(span, (*before, inside, after)))]

    def _joining(self, labels: Sequence[Label], span: Span) -> tree.Value:
        """Is the label that the switch goes to one of these?"""
        tests = [self.joins[label] for label in labels]
        if self.value is not None and len(labels) > _FEW_LABELS:
            tests = [HasLabel(span, self.waiting.type, _load(self.value, span), tuple(labels))]
            tests += [self.joins[None]] if None in labels else []
        result: tree.Value = tree.Constant(span, self.waiting.type, False)
        for number, test in enumerate(tests):
            result = _either(result, test) if number else test
        return result


# --- nodes


def _flag(name: str, like: Qual, initial: tree.Value | bool, before: list[tree.Statement], span: Span) -> tree.VariableSymbol:
    """A bool variable as varying as something else, declared in ``before``."""
    type = Qual(BOOL, like.rate)
    symbol = tree.VariableSymbol(f"switch.{name}", type, "local", span, assigned=True)
    value = tree.Constant(span, type, initial) if isinstance(initial, bool) else initial
    before.append(tree.Declare(span, symbol, value))
    return symbol


def _load(symbol: tree.VariableSymbol, span: Span) -> tree.Value:
    return tree.Load(span, symbol.type.with_const(False), tree.variable(symbol, span))


def _assign(symbol: tree.VariableSymbol, value: tree.Value, span: Span) -> tree.Statement:
    return tree.Evaluate(span, tree.Assign(span, symbol.type, tree.variable(symbol, span), value))


def _not(value: tree.Value) -> tree.Value:
    return tree.Unary(value.span, value.type, "!", value)


def _frozen(value: tree.Value) -> tree.Value:
    """The value without poison in lanes that are off, or values of their own."""
    return tree.Unary(value.span, value.type, "freeze", value) if value.type.rate is VARYING else value


def _sound(test: tree.Value) -> tree.Value:
    """A test without poison. Else a mask is made of it by a freeze, which LLVM pushes up to the first of the flags.

    ``?:`` is none: where no lane needs a side, what it yields for lanes that are off is poison.
    """
    return tree.Unary(test.span, test.type, "sound", test) if test.type.rate is VARYING else test


def _both(left: tree.Value, right: tree.Value) -> tree.Value:
    return tree.Binary(left.span, left.type, "&", left, right)


def _either(left: tree.Value, right: tree.Value) -> tree.Value:
    return tree.Binary(left.span, left.type, "|", left, right)


def _select(test: tree.Value, then: tree.Value, otherwise: tree.Value) -> tree.Value:
    """``test ? then : otherwise``, varying if any of them is."""
    rate = VARYING if VARYING in (test.type.rate, then.type.rate, otherwise.type.rate) else UNIFORM
    return tree.Conditional(test.span, Qual(BOOL, rate), test, _at_rate(then, rate), _at_rate(otherwise, rate))


def _at_rate(value: tree.Value, rate: object) -> tree.Value:
    return value if value.type.rate is rate else tree.Broadcast(value.span, Qual(BOOL, VARYING), value)


def _any(value: tree.Value) -> tree.Value:
    """``any(value)``: is it true in an active lane?"""
    span = value.span
    active = tree.Builtin(span, Qual(BOOL, VARYING), "__active", ())
    lanes = tree.Builtin(span, Qual(UINT64), "__pack_bits", (_both(active, value),))
    return tree.Binary(span, Qual(BOOL), "!=", lanes, tree.Constant(span, Qual(UINT64), 0))
