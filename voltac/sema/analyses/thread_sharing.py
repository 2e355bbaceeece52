"""A kernel for a device with threads → who runs it: all threads, each a share, or one of them.

Every thread of every core enters a kernel. Three ways are right:

* ``shared``: all threads execute the statements outside of ``foreach`` alike, on
  variables of their own; each takes its share of the iterations of a ``foreach``
  and of the tasks of a ``launch``, then waits for the others;
* ``written``: the program looks after threads itself (it asks for the thread, waits
  at barriers, flushes): all threads run it as it stands;
* ``single``: one thread runs it, the others wait at the end.

``shared`` needs iterations that are independent (``independence.py``) and no memory
written outside of ``foreach``; where that is not known one thread does the work.
"""

from __future__ import annotations

from voltac.messages.message import Note
from voltac.records import record
from voltac.sema import tree
from voltac.sema.analyses.effects import (
    effects_of,
    has_effect,
    has_ordered_effects,
    is_own,
    root_of,
    unchanged_variables,
    writes,
)
from voltac.sema.analyses.independence import Obstacle, why_dependent
from voltac.sema.builtins import BUILTINS, Effect
from voltac.sema.checker import Checker
from voltac.sema.tree_walk import children, nodes_of, nodes_reached
from voltac.sema.types import Pointer
from voltac.target_info import TargetInfo

SHARED, WRITTEN, SINGLE = "shared", "written", "single"
COMPILER, PROGRAM = "compiler", "program"


@record
class Sharing:
    """Who runs a kernel, and why."""

    way: str
    obstacle: Obstacle | None = None
    """What keeps a ``single`` kernel from being shared."""
    reads_outside: bool = False
    """Memory is read outside of ``foreach``, so nobody may begin to write before all have read."""
    flushed_by: str = COMPILER
    """Who makes what is written visible to the host."""


def sharing_of(function: tree.FunctionSymbol, target: TargetInfo) -> Sharing:
    """For an exported function."""
    asked = thread_builtins(function)
    if asked:
        return Sharing(WRITTEN, flushed_by=PROGRAM if "__flush" in asked else COMPILER)
    narrow = _narrow_store(function, target)
    if narrow is not None:
        return Sharing(SINGLE, narrow)
    reads = False
    initials = unchanged_variables(function)
    waiting: list[object] = [function.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tree.Foreach):
            obstacle = why_dependent(node, initials)
            if obstacle is not None:
                return Sharing(SINGLE, obstacle)
            waiting += [dimension.first for dimension in node.dimensions] + [dimension.last for dimension in node.dimensions]
            continue
        if isinstance(node, tree.Launch) and not (
            isinstance(node.function, tree.FunctionSymbol) and not has_ordered_effects(node.function)
        ):
            return Sharing(SINGLE, Obstacle(node.span, "what the tasks do is not known to be possible at the same time"))
        if isinstance(node, tree.Goto | tree.Unmasked) or (has_effect(node) and not isinstance(node, tree.Launch | tree.Sync)):
            return Sharing(SINGLE, Obstacle(node.span, "what it does outside of 'foreach' is done once"))  # type: ignore[attr-defined]
        if isinstance(node, tree.Call):
            effects = effects_of(node.function)
            obstacle_of_call = effects.obstacle
            for parameter, argument in zip(node.function.parameters, node.arguments):
                if parameter in effects.parameters_written and not is_own(argument, None):
                    obstacle_of_call = obstacle_of_call or "may write what its argument points to"
            if obstacle_of_call:
                return Sharing(SINGLE, Obstacle(node.span, f"'{node.function.name}' {obstacle_of_call}, outside of 'foreach'"))
            reads = reads or effects.reads_memory
        elif writes(node):
            root = root_of(node.place)
            if not (isinstance(root, tree.Variable) and root.symbol.kind in ("local", "parameter")):
                return Sharing(SINGLE, Obstacle(node.span, "memory is written outside of 'foreach'"))
        elif isinstance(node, tree.Builtin):
            reads = reads or any(isinstance(argument.type.type, Pointer) for argument in node.arguments)
        elif isinstance(node, tree.Load):
            reads = reads or not isinstance(root_of(node.place), tree.Variable | tree.Temporary)
        waiting += reversed(children(node))
    return Sharing(SHARED, None, reads)


def _narrow_store(function: tree.FunctionSymbol, target: TargetInfo) -> Obstacle | None:
    """Where a kernel stores less to memory than the device has an instruction for: the rest may be another thread's."""
    least = target.device.store_bytes if target.device is not None else 1
    counters = {
        node.dimensions[0].symbol for node in nodes_of(function) if isinstance(node, tree.Foreach) and len(node.dimensions) == 1
    }
    for node in nodes_reached(function, launches=True) if least > 1 else ():
        if writes(node):
            root = root_of(node.place)
            bits = getattr(node.place.type.type, "bits", 8 * least)
            if bits * target.width >= 8 * least and _is_own_element(node.place, counters):
                continue
            if bits < 8 * least and not (isinstance(root, tree.Variable) and root.symbol.kind in ("local", "parameter")):
                return Obstacle(node.span, f"numbers of {bits} bits are stored, of which {target.name} cannot store one alone")
    return None


def _is_own_element(place: tree.Place, counters: set[tree.VariableSymbol]) -> bool:
    """Element i of an array that the host has passed, for the counter i of a ``foreach``: pieces of it begin at whole gangs."""
    offset = place.pointer if isinstance(place, tree.Deref) else None
    if not isinstance(offset, tree.PointerOffset) or offset.negative:
        return False
    pointer, index = offset.pointer, offset.index
    if not (isinstance(pointer, tree.Load) and isinstance(pointer.place, tree.Variable)):
        return False
    array = pointer.place.symbol
    if array.kind != "parameter" or array.assigned or array.address_taken:
        return False
    return isinstance(index, tree.Load) and isinstance(index.place, tree.Variable) and index.place.symbol in counters


def thread_builtins(function: tree.FunctionSymbol) -> set[str]:
    """By which builtins a kernel, or a function that it calls, looks after threads."""
    return {
        node.name
        for node in nodes_reached(function, launches=False)
        if isinstance(node, tree.Builtin) and BUILTINS[node.name].effect is Effect.THREADS
    }


def warn_about_single_threads(checker: Checker) -> None:
    """The kernels that contain a ``foreach`` which only one thread of the device works on."""
    for function in checker.program.exports:
        if function.library or not any(isinstance(node, tree.Foreach) for node in nodes_of(function)):
            continue
        sharing = sharing_of(function, checker.target)
        if sharing.obstacle is not None:
            note = Note(sharing.obstacle.span, f"{sharing.obstacle.reason}")
            text = f"only one thread of the device runs '{function.name}'; write it with 'launch', or with barriers of its own"
            checker.warning("threads", function.span, text, note)
