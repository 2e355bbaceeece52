"""What the lowering of one function knows while it goes through the body, and the dispatch from nodes to code.

The execution mask is ``FunctionContext.mask``: None while all lanes are known
to be on, else a ``<W x i1>`` value. A :class:`Region` is a stretch of code that
a set of lanes enters together; lanes that leave it early (break, continue,
return) do not come back within it. A :class:`Lanes` object remembers in a local
variable which lanes have not left a construct yet.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from voltac.diagnostics import Span
from voltac.lower.builder import IR, FunctionBuilder
from voltac.lower.lane_visibility import observes_lanes
from voltac.lower.lifetimes import Lifetimes
from voltac.records import mutable_record
from voltac.sema import tree
from voltac.sema.types import Qual

if TYPE_CHECKING:
    from voltac.lower.escapes import EscapeScan
    from voltac.lower.merge_point import MergePoint
    from voltac.lower.module import ModuleContext, Version
    from voltac.lower.places import Address
    from voltac.lower.threads import Threads


@mutable_record(eq=False)
class Region:
    """``end``: where control goes when no lane is left here; empty where a branch is run without jumps."""

    end: str
    end_used: bool = False


@mutable_record(eq=False)
class Lanes:
    """A local variable in mask storage form: the lanes that have not left a construct."""

    address: IR


@mutable_record(eq=False)
class Target:
    """A construct that break or continue leave."""

    is_loop: bool
    region: Region
    mask: IR | None
    """The mask with which the body began: while it is unchanged all lanes act together."""
    break_label: str
    continue_label: str
    live: Lanes | None = None
    """Lanes that neither broke nor returned; None where none can under a mask."""
    iteration: Lanes | None = None
    """Lanes that did not continue in this iteration."""


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
        self.build = FunctionBuilder()
        self.mask: IR | None = None
        self.entry_mask: IR | None = None
        self.region = Region("")
        self.targets: list[Target] = []
        self.written: Lanes | None = None
        """The lanes that the program has switched on itself; ``written_mask`` is the mask made of it."""
        self.written_mask: IR | None = None
        self.threads: Threads | None = None
        """In a kernel that the threads of a device share."""
        self.touched: set[Lanes] = set()
        """Lanes variables written by escapes in the statement being lowered."""
        self.shrunk = False
        """The mask lost lanes and has not been tested for being empty."""
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
        self.switch: Any = None
        self.task_values: dict[str, IR] = {}
        self.task_handle: IR | None = None
        self.guards_launches = False
        """Something may fail while tasks of this function run."""
        self._lifetimes: Lifetimes | None = None
        self.lane_scope: tree.Statement | None = body
        """The part of the function whose lanes are under consideration: a foreach body switches all lanes on."""
        self._observes_lanes: dict[int, bool] = {}
        self.version: Version | None = None
        self.span: Span = symbol.span
        """The place of the source that is being lowered."""
        self.scope = ""
        """The scope of variables in the debug information."""
        self.retained_variables = ""
        """Its list of the function's variables."""
        self.unmasked_blocks = 0
        self.unrolled = 1
        """How many copies of the bodies of unrolled loops the statement being lowered stands in."""
        self.copies = 1
        """How often the statement being lowered is written, for all-on and masked paths."""

    @property
    def values_dominate(self) -> bool:
        """Is what a declaration computes available wherever its variable is? Jumps into blocks may go around it."""
        return not (self.escapes.has_goto or self.escapes.has_switch or self.unmasked_blocks)

    @property
    def lifetimes(self) -> Lifetimes:
        if self._lifetimes is None:
            self._lifetimes = Lifetimes(self.symbol, self.body)
        return self._lifetimes

    @property
    def cross_lane(self) -> bool:
        """Can values of lanes that are off be observed here?"""
        if self.escapes.has_goto or self.lane_scope is None or self.written is not None:
            return True
        known = self._observes_lanes.get(id(self.lane_scope))
        if known is None:
            known = self._observes_lanes[id(self.lane_scope)] = observes_lanes(self.lane_scope)
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
