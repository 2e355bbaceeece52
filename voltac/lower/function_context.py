"""What the lowering of one function knows while it goes through the body, and the dispatch from nodes to code."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from voltac.lower.analyses.lane_visibility import observes_lanes
from voltac.lower.analyses.lifetimes import Lifetimes
from voltac.lower.control_state import Control, Lanes, Region, Target
from voltac.lower.text.function_builder import FunctionBuilder
from voltac.lower.text.ir_values import IR
from voltac.messages.message import Span
from voltac.sema import tree
from voltac.sema.types import Qual

if TYPE_CHECKING:
    from voltac.lower.analyses.escapes import EscapeScan
    from voltac.lower.control_flow.merge_point import MergePoint
    from voltac.lower.functions.threads import Threads
    from voltac.lower.memory.places import Address
    from voltac.lower.module_context import ModuleContext, Version


class FunctionContext:
    """One version of one function. Everything that changes during lowering is here."""

    def __init__(self, module: ModuleContext, symbol: tree.FunctionSymbol, body: tree.Block, escapes: EscapeScan) -> None:
        self.module = module
        self.symbol = symbol
        self.body = body
        self.escapes = escapes
        self.options = module.options
        self.target = module.options.target
        self.width = self.target.width
        self.types = module.types
        self.costs = module.costs
        self.build = FunctionBuilder()
        self.control = Control(None, Region(""), lane_scope=body)
        """Only :meth:`within` and :meth:`go_on` replace it."""
        self.entry_mask: IR | None = None
        self.written: Lanes | None = None
        """The lanes that the program has switched on itself."""
        self.threads: Threads | None = None
        """In a kernel that the threads of a device share."""
        self.variables: dict[tree.VariableSymbol, Address] = {}
        self.values: dict[tree.VariableSymbol, IR] = {}
        """Variables that never change and need no storage."""
        self.stored_masks: dict[str, IR] = {}
        """Name of a mask -> the same mask in storage form, where it was made from that."""
        self.sound_masks: set[str] = set()
        """Names of masks without poison; bools of the program may hold some in lanes that are off."""
        self.returned: Lanes | None = None
        """Lanes that have not returned; made when the first return under a mask is met."""
        self.result: Address | None = None
        self.loops = 0
        """How many have been written."""
        self.exit_label = ""
        self.exit: MergePoint
        self.labels: dict[str, str] = {}
        self.live: dict[int, Lanes] = {}
        self.iterations: dict[int, Lanes] = {}
        """Lanes that are still in a construct, and in this iteration of it, by its identity."""
        self.task_values: dict[str, IR] = {}
        self.task_handle: IR | None = None
        self.guards_launches = False
        """Something may fail while tasks of this function run."""
        self._lifetimes: Lifetimes | None = None
        self._observes_lanes: dict[int, bool] = {}
        self.version: Version | None = None
        self.span: Span = symbol.span
        """The place of the source that is being lowered."""
        self.scope = ""
        """The scope of variables in the debug information."""
        self.retained_variables = ""
        """Its list of the function's variables."""

    # --- the place in the control flow

    @property
    def mask(self) -> IR | None:
        return self.control.mask

    @property
    def region(self) -> Region:
        return self.control.region

    @property
    def touched(self) -> frozenset[Lanes]:
        return self.control.touched

    @property
    def targets(self) -> tuple[Target, ...]:
        return self.control.targets

    def within(self, **changes: Any) -> Part:
        """A part of a statement, with some fields of ``control`` changed; behind it only what escaped stays known."""
        return Part(self, changes)

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
        if self._lifetimes is None:
            self._lifetimes = Lifetimes(self.symbol, self.body)
        return self._lifetimes

    @property
    def cross_lane(self) -> bool:
        """Can values of lanes that are off be observed here?"""
        scope = self.control.lane_scope
        if self.escapes.has_goto or scope is None or self.written is not None:
            return True
        known = self._observes_lanes.get(id(scope))
        if known is None:
            known = self._observes_lanes[id(scope)] = observes_lanes(scope)
        return known

    # --- nodes to code

    def value(self, node: tree.Value) -> IR:
        return VALUES[type(node)](self, node)

    def statement(self, node: tree.Statement) -> None:
        self.module.debug.at(self, node.span)
        STATEMENTS[type(node)](self, node)

    def place(self, node: tree.Place) -> Address:
        address: Address = PLACES[type(node)](self, node)
        return address

    # --- constants of this target

    def register(self, qual: Qual) -> str:
        return self.types.register(qual)

    def memory(self, qual: Qual) -> str:
        return self.types.memory(qual)

    def lanes(self, type: str) -> IR:
        """``<0, 1, .. W-1>``."""
        return self.module.lane_numbers(type)


class Part:
    """What ``within`` gives. Not by ``contextmanager``, which takes twice as long: most statements have parts."""

    __slots__ = ("_changes", "_context", "_outside")

    def __init__(self, context: FunctionContext, changes: dict[str, Any]) -> None:
        self._context, self._changes, self._outside = context, changes, context.control

    def __enter__(self) -> None:
        if self._changes:
            self._context.control = self._outside.changed(self._changes)

    def __exit__(self, *failure: object) -> None:
        touched, outside = self._context.control.touched, self._outside
        more = touched and not touched <= outside.touched
        self._context.control = outside.changed({"touched": outside.touched | touched}) if more else outside


N = TypeVar("N")

VALUES: dict[type, Callable[[FunctionContext, Any], IR]] = {}
STATEMENTS: dict[type, Callable[[FunctionContext, Any], None]] = {}
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
