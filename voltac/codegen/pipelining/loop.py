"""A loop of one block as a scheduler sees it: operations, what each occupies of the machine, and what must come before what.

Iteration i of an operation that reads ``ReadValue(v, d)`` reads what iteration
i - d made of v: distance 0 is its own iteration, 1 the one before.
"""

from __future__ import annotations

from voltac.records import field, record


@record(eq=False)
class LoopValue:
    """What an operation makes new in each iteration, in a register."""

    name: str
    kind: str
    """The register class."""

    def __str__(self) -> str:
        return self.name


@record
class ReadValue:
    """A value that an operation reads."""

    value: LoopValue
    distance: int = 0
    """How many iterations ago it was made."""


Occupied = tuple[tuple[str, int], ...]
"""Resources, each with the number of cycles after issue at which one unit of it is taken."""


@record(eq=False)
class LoopOperation:
    """One operation of the loop's body."""

    name: str
    ways: tuple[Occupied, ...]
    """What it occupies; one of several ways, where it has a choice of units."""
    latency: int = 1
    """Cycles from its issue to the first issue of an operation that reads its result."""
    defines: tuple[LoopValue, ...] = ()
    reads: tuple[ReadValue, ...] = ()

    def __str__(self) -> str:
        return self.name


@record
class Order:
    """A dependence that is in no register: through memory, an accumulator, the state of the machine."""

    before: LoopOperation
    after: LoopOperation
    cycles: int
    """From issue to issue, at least; 0 where both may issue in one cycle."""
    distance: int = 0
    """Iterations from the first to the second. Two orders of 0 cycles, at distance d from one operation and -d from the other,
    let both issue together always, the second d iterations behind: halves of one instruction, of which filling and draining
    have only one."""


@record
class Edge:
    """A dependence between the operations of two numbers: ``time[after] >= time[before] + cycles - interval * distance``."""

    before: int
    after: int
    cycles: int
    distance: int


@record(eq=False)
class LoopGraph:
    """The body of a loop. ValueError where a value has two definitions, none, or is read before it is made."""

    operations: tuple[LoopOperation, ...]
    orders: tuple[Order, ...] = ()
    live_out: frozenset[LoopValue] = field(default_factory=frozenset)
    """Values whose last iteration is read behind the loop."""

    def edges(self) -> tuple[Edge, ...]:
        """All dependences, those of registers from the operations' reads."""
        number = {operation: at for at, operation in enumerate(self.operations)}
        maker = self._makers()
        found = [Edge(number[order.before], number[order.after], order.cycles, order.distance) for order in self.orders]
        for at, operation in enumerate(self.operations):
            for read in operation.reads:
                if read.value not in maker or read.distance < 0:
                    raise ValueError(f"{operation} reads {read.value} at distance {read.distance}, which no iteration has made")
                made_by = maker[read.value]
                found.append(Edge(made_by, at, self.operations[made_by].latency, read.distance))
        return tuple(found)

    def _makers(self) -> dict[LoopValue, int]:
        maker: dict[LoopValue, int] = {}
        for at, operation in enumerate(self.operations):
            for value in operation.defines:
                if value in maker:
                    raise ValueError(f"{value} has two definitions")
                maker[value] = at
        return maker


@record
class IssueResources:
    """What of a machine operations compete for in a cycle: pipes, ports, banks of memory."""

    units: dict[str, int]
    """How many of each there are."""
