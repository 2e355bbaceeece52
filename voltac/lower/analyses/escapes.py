"""Which loops and switches lanes can leave on their own, found before a function is lowered.

An escape is *varying* if some lanes may take it and others not: it stands under
varying control flow inside the construct that it leaves, or behind another
varying escape. Constructs without varying escapes need no bookkeeping of lanes.
"""

from __future__ import annotations

from voltac.records import field, mutable_record
from voltac.sema import tree
from voltac.sema.types import VARYING


@mutable_record(eq=False)
class Escapes:
    """What leaves one loop or switch under a mask."""

    depth: int
    is_loop: bool
    varying_break: bool = False
    varying_continue: bool = False
    varying_return: bool = False
    changes_mask: bool = False
    """Some lanes of the function return in here, all that come to that place; behind it the mask is found anew."""

    @property
    def needs_live(self) -> bool:
        """Are there lanes that leave while others stay, so that a variable has to say which?"""
        return self.varying_break or self.varying_return or self.varying_continue


@mutable_record(eq=False)
class EscapeScan:
    """Results by the identity of the statement."""

    of: dict[int, Escapes] = field(default_factory=dict)
    varying_return: bool = False
    has_goto: bool = False
    has_switch: bool = False
    endless: bool = False
    """Some loop has no test or a constant one."""
    labels: dict[str, tuple[tree.Statement, ...]] = field(default_factory=dict)
    """Label, in a function with a ``goto`` -> the loops, switches and unmasked blocks around it, innermost last."""
    around: dict[int, tuple[tree.Statement, ...]] = field(default_factory=dict)
    """The same for each ``goto``, and for statements that one may jump into, by identity."""

    def __getitem__(self, statement: tree.Statement) -> Escapes:
        return self.of[id(statement)]


def scan(body: tree.Statement) -> EscapeScan:
    """One walk over a function's body; then returns are carried outwards until nothing changes."""
    result = EscapeScan()
    _find_labels(body, (), result)
    returns: list[list[Escapes]] = []
    _scan(body, 0, [], result, returns)
    changed = True
    while changed:
        changed = False
        for enclosing in returns:
            inner_leaves = False
            for construct in reversed(enclosing):
                if inner_leaves and not construct.varying_return:
                    construct.varying_return = changed = True
                inner_leaves = inner_leaves or construct.needs_live
            if inner_leaves:
                result.varying_return = True
    for enclosing in returns if result.varying_return else ():
        for construct in enclosing:
            construct.changes_mask = True
    if not result.has_goto:
        result.labels.clear()
        result.around.clear()
    return result


def _scan(node: tree.Statement, depth: int, enclosing: list[Escapes], result: EscapeScan, returns: list[list[Escapes]]) -> None:
    match node:
        case tree.Block():
            for child in node.statements:
                _scan(child, depth, enclosing, result, returns)
        case tree.If():
            inner = depth + (node.test.type.rate is VARYING)
            _scan(node.then, inner, enclosing, result, returns)
            if node.otherwise is not None:
                _scan(node.otherwise, inner, enclosing, result, returns)
        case tree.Loop():
            varying = node.test is not None and node.test.type.rate is VARYING
            if node.test is None or isinstance(node.test, tree.Constant):
                result.endless = True
            _construct(node, node.body, depth + varying, True, enclosing, result, returns)
        case tree.Switch():
            result.has_switch = True
            _construct(node, node.body, depth + (node.value.type.rate is VARYING), False, enclosing, result, returns)
        case tree.Foreach():
            _construct(node, node.body, depth + 1, True, enclosing, result, returns)
        case tree.ForeachActive() | tree.ForeachUnique():
            _construct(node, node.body, depth + 1, True, enclosing, result, returns)
        case tree.Unmasked():
            _scan(node.body, depth + 1, enclosing, result, returns)
        case tree.Break():
            if enclosing and depth > enclosing[-1].depth:
                enclosing[-1].varying_break = True
        case tree.Continue():
            for construct in reversed(enclosing):
                if construct.is_loop:
                    if depth > construct.depth:
                        construct.varying_continue = True
                    break
        case tree.Return():
            for construct in enclosing:
                if depth > construct.depth:
                    construct.varying_return = True
            if depth:
                result.varying_return = True
            returns.append(list(enclosing))
        case tree.Goto():
            result.has_goto = True


def _find_labels(node: tree.Statement, around: tuple[tree.Statement, ...], result: EscapeScan) -> bool:
    """Is there a label in a statement?"""
    found = False
    match node:
        case tree.Block():
            for child in node.statements:
                found = _find_labels(child, around, result) or found
            return found
        case tree.If():
            found = _find_labels(node.then, around, result)
            if node.otherwise is not None:
                found = _find_labels(node.otherwise, around, result) or found
        case tree.Loop() | tree.Switch() | tree.Unmasked():
            found = _find_labels(node.body, (*around, node), result)
        case tree.Label(_, name):
            result.labels[name] = around
            return True
        case tree.Goto():
            result.around[id(node)] = around
    if found:
        result.around[id(node)] = around
    return found


def _construct(
    node: tree.Statement,
    body: tree.Statement,
    depth: int,
    is_loop: bool,
    enclosing: list[Escapes],
    result: EscapeScan,
    returns: list[list[Escapes]],
) -> None:
    escapes = result.of[id(node)] = Escapes(depth, is_loop)
    enclosing.append(escapes)
    _scan(body, depth, enclosing, result, returns)
    enclosing.pop()
