"""Statements with statements inside: the mask behind them, and their parts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from voltac.lower.control_flow import masks
from voltac.lower.control_state import NO_LANES, LaneVariable, Region
from voltac.lower.function_context import FunctionContext
from voltac.lower.text.ir_values import IR
from voltac.sema import tree


@contextmanager
def construct(c: FunctionContext, entered: tree.Statement | None = None) -> Iterator[None]:
    """A statement that lanes may escape from; it ends at the block behind it, where these are off.

    Into the statement ``entered`` a ``goto`` may lead, and then the mask before it is not that of all who come.
    """
    with c.within(touched=NO_LANES):
        yield
        touched = c.touched
    if entered is not None and id(entered) in c.escapes.around:
        remember_mask(c, c.escapes.around[id(entered)])
    else:
        go_on_without(c, touched)


def go_on_without(c: FunctionContext, touched: frozenset[LaneVariable]) -> None:
    """Behind a construct, from which lanes escaped by way of these variables."""
    if touched:
        c.go_on(mask=masks.without_escaped(c, c.mask, touched), shrunk=True)


def remember_mask(c: FunctionContext, around: tuple[tree.Statement, ...]) -> None:
    """The mask of a place to which ``goto`` may have led; lanes that left one of the constructs around are off."""
    shrunk = c.escapes.varying_return or any(c.escapes[node].needs_live for node in around if id(node) in c.escapes.of)
    c.go_on(mask=masks.remembered(c, around), shrunk=shrunk)


def run_branch(c: FunctionContext, body: tree.Statement, mask: IR | None, done: str) -> None:
    """A branch that is known to have lanes, in a region of its own; goes on at ``done``."""
    with c.within(mask=mask, region=Region(done), shrunk=False):
        c.statement(body)
    c.build.start(done)
