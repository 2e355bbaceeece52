"""What the lowering of one function knows while it goes through the body, and the dispatch from nodes to code."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from voltac.lower.analyses.escapes import EscapeScan
from voltac.lower.analyses.lane_visibility import observes_lanes
from voltac.lower.analyses.lifetimes import Lifetimes
from voltac.lower.checks.chosen import chosen
from voltac.lower.control_flow.merge_point import MergePoint
from voltac.lower.control_state import Control, FunctionMasks, LaneVariable, LoopTarget, Region, SwitchTarget
from voltac.lower.debug.function_debug import FunctionDebug
from voltac.lower.memory.address import Address, PointerBounds, VariableTable
from voltac.lower.module_context import ModuleContext, Version
from voltac.lower.text.function_builder import FunctionBuilder
from voltac.lower.text.ir_values import IR
from voltac.records import field, mutable_record, record
from voltac.sema import tree
from voltac.sema.types import Qual

if TYPE_CHECKING:
    from voltac.sema.analyses.thread_sharing import Sharing  # only kernels of devices load it


@record
class Threads:
    """What a kernel knows of the threads of a device that run it."""

    sharing: Sharing
    gang: IR
    """The number of this one, from 0; an i32."""
    gangs: IR
    """How many there are."""


@mutable_record
class Tasks:
    """What a function knows of the task that it is, and of those that it launches."""

    values: dict[str, IR] = field(default_factory=dict)
    """``taskIndex`` and the like, in a task."""
    handle: IR | None = None
    """Where the handle of its launches is; in functions that launch, on hosts."""
    guarded: bool = False
    """Something may fail while tasks of this function run."""


class FunctionContext:
    """One version of one function: what is known of it, and what its parts tell each other while it is written.

    What belongs together is one object: ``control`` the place in the control flow, ``debug`` the place in the source,
    ``variables``, ``masks``, ``tasks``. What holds for a part of the function only is changed by ``with``.
    """

    def __init__(self, module: ModuleContext, version: Version, body: tree.Block, escapes: EscapeScan) -> None:
        self.module = module
        self.version = version
        self.symbol = version.symbol
        self.body = body
        self.escapes = escapes
        self.options = module.options
        self.target = module.options.target
        self.width = self.target.width
        self.types = module.types
        self.costs = module.costs
        self.build = FunctionBuilder()
        self.debug = FunctionDebug(module.debug, self.build, self.symbol, body, self.target)
        self.exit = MergePoint(module.text, self.build, self.build.block("return"))
        """Where returns go on."""
        self.result: Address | None = None
        """Where the value to return is kept; set with the parameters."""
        self.control = Control(None, Region(self.exit.final), lane_scope=body)
        """Only :meth:`within` and :meth:`go_on` replace it."""
        self.variables = VariableTable()
        self.checks = chosen(module.options, version.symbol.library)
        self.pointer_bounds: dict[str, PointerBounds] = {}
        """Name of a pointer -> where it may lead; for checked runs."""
        self.masks = FunctionMasks()
        self.tasks = Tasks()
        self.threads: Threads | None = None
        """In a kernel that the threads of a device share."""
        self.labels: dict[str, str] = {}
        """Label of the program -> block."""
        self.probe: Callable[[FunctionContext, tree.Statement], None] | None = None
        """In an instrumented build: what is written before a statement (``control_flow/probes.py``)."""
        self.loops = 0
        """How many have been written."""
        self._lifetimes: Lifetimes | None = None
        self._observes_lanes: dict[int, bool] = {}

    # --- the place in the control flow

    @property
    def mask(self) -> IR | None:
        """The execution mask: None while all lanes are known to be on."""
        return self.control.mask

    @property
    def region(self) -> Region:
        """The stretch of code that the lanes of the mask entered together."""
        return self.control.region

    @property
    def touched(self) -> frozenset[LaneVariable]:
        """What lanes have escaped by in the statement that is being lowered."""
        return self.control.touched

    @property
    def targets(self) -> tuple[LoopTarget | SwitchTarget, ...]:
        """What ``break`` and ``continue`` may leave, innermost last."""
        return self.control.targets

    def within(self, **changes: Any) -> _Part:
        """A part of a statement, with some fields of ``control`` changed; behind it only what escaped stays known."""
        return _Part(self, changes)

    def go_on(self, **changes: Any) -> None:
        """From here on some fields of ``control`` are others, to the end of the part."""
        self.control = self.control.changed(changes)

    # --- what follows from it

    @property
    def values_dominate(self) -> bool:
        """Is what a declaration computes available wherever its variable is? Jumps into blocks may go around it."""
        return not (self.escapes.has_goto or self.escapes.has_switch or self.control.unmasked)

    @property
    def lifetimes(self) -> Lifetimes:
        """Found when they are first asked for."""
        if self._lifetimes is None:
            self._lifetimes = Lifetimes(self.symbol, self.body)
        return self._lifetimes

    @property
    def cross_lane(self) -> bool:
        """Can values of lanes that are off be observed here?"""
        scope = self.control.lane_scope
        if self.escapes.has_goto or scope is None or self.masks.written is not None:
            return True
        known = self._observes_lanes.get(id(scope))
        if known is None:
            known = self._observes_lanes[id(scope)] = observes_lanes(scope)
        return known

    # --- nodes to code

    def value(self, node: tree.Value) -> IR:
        """Code for an expression, at the place in the control flow and with its mask; a struct's value is its address."""
        return VALUES[type(node)](self, node)

    def statement(self, node: tree.Statement) -> None:
        """Code for a statement; lanes that leave in it are in ``touched`` behind it."""
        self.debug.at(node.span)
        if self.probe is not None:
            self.probe(self, node)
        STATEMENTS[type(node)](self, node)

    def passed(self, *nodes: tree.Statement) -> None:
        """Statements that are executed here without code of their own; an instrumented build counts them, too."""
        if self.probe is not None:
            for node in nodes:
                self.probe(self, node)

    def place(self, node: tree.Place) -> Address:
        """Code for an address, without an access to what lies there."""
        address: Address = PLACES[type(node)](self, node)
        return address

    # --- constants of this target

    def register(self, qual: Qual) -> str:
        """LLVM type of a value of this type."""
        return self.types.register(qual)

    def memory(self, qual: Qual) -> str:
        """LLVM type of an object of this type."""
        return self.types.memory(qual)

    def lanes(self, type: str) -> IR:
        """``<0, 1, .. W-1>``."""
        return self.module.lane_numbers(type)


class _Part:
    """What ``within`` gives. Not by ``contextmanager``, which takes twice as long: most statements have parts."""

    __slots__ = ("_changes", "_context", "_outside")

    def __init__(self, context: FunctionContext, changes: dict[str, Any]) -> None:
        self._context, self._changes = context, changes

    def __enter__(self) -> None:
        self._outside = self._context.control
        if self._changes:
            self._context.control = self._outside.changed(self._changes)

    def __exit__(self, *failure: object) -> None:
        touched, outside = self._context.control.touched, self._outside
        more = touched and not touched <= outside.touched
        self._context.control = outside.changed({"touched": outside.touched | touched}) if more else outside


N = TypeVar("N")


class _Lowering(dict[type, Any]):
    """Kind of node -> the function that lowers it; those in :data:`_SELDOM` come with their module when they are met."""

    def __missing__(self, node: type) -> Any:
        import_module(f"voltac.lower.{_SELDOM[node]}")
        return self[node]


_SELDOM: dict[type, str] = {
    **dict.fromkeys((tree.Switch, tree.CaseLabel), "control_flow.switch"),
    **dict.fromkeys((tree.Launch, tree.Sync), "functions.launches"),
    **dict.fromkeys((tree.New, tree.Delete, tree.Alloca), "memory.heap"),
    **dict.fromkeys((tree.Print, tree.Assert), "values.print_support"),
}
"""What few programs have -> the module that registers what lowers it."""
VALUES: dict[type, Callable[[FunctionContext, Any], IR]] = _Lowering()
STATEMENTS: dict[type, Callable[[FunctionContext, Any], None]] = _Lowering()
PLACES: dict[type, Callable[[FunctionContext, Any], Any]] = {}


def lowers_value(node: type[N]) -> Callable[[Callable[[FunctionContext, N], IR]], Callable[[FunctionContext, N], IR]]:
    """Registers the function that lowers one kind of value."""

    def register(function: Callable[[FunctionContext, N], IR]) -> Callable[[FunctionContext, N], IR]:
        VALUES[node] = function
        return function

    return register


def lowers_statement(node: type[N]) -> Callable[[Callable[[FunctionContext, N], None]], Callable[[FunctionContext, N], None]]:
    """Registers the function that lowers one kind of statement."""

    def register(function: Callable[[FunctionContext, N], None]) -> Callable[[FunctionContext, N], None]:
        STATEMENTS[node] = function
        return function

    return register


def lowers_place(
    node: type[N],
) -> Callable[[Callable[[FunctionContext, N], Address]], Callable[[FunctionContext, N], Address]]:
    """Registers the function that lowers one kind of place."""

    def register(function: Callable[[FunctionContext, N], Address]) -> Callable[[FunctionContext, N], Address]:
        PLACES[node] = function
        return function

    return register
