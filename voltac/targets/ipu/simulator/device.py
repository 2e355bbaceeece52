"""A tile as the driver runs kernels on it: arrays in elements of their own, stacks as large as the program says.

All six workers enter a kernel with the same state (MultiVertex, IPU 4.1).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from voltac.records import record
from voltac.targets.ipu.facts import STACK_SIZE
from voltac.targets.ipu.memory_map import ELEMENT, MAPS
from voltac.targets.ipu.simulator.memory import SLACK
from voltac.targets.ipu.simulator.report import TileReport
from voltac.targets.ipu.simulator.tile import STACK, Tile
from voltac.targets.ipu.simulator.worker import WORKERS

if TYPE_CHECKING:
    from voltac.codegen.image import Image

_ALIGNMENT = 16
_SMALL = 512
"""Bytes: what is no larger shares region 0 with the program as long as there is room. Chosen: the state of a vertex is."""


@record
class TileConfiguration:
    """The machine."""

    generation: str = "mk2"
    cores: int = 1
    threads: int = WORKERS
    """Workers that enter a kernel."""

    @property
    def memory(self) -> int:
        """Bytes of memory."""
        return MAPS[self.generation].end - MAPS[self.generation].start


@record
class _Extent:
    size: int
    """The first address behind the memory."""


class SimulatedTile:
    """A tile with its memory; what a run needs is allocated behind the program."""

    def __init__(self, configuration: TileConfiguration) -> None:
        self.configuration = configuration
        map = MAPS[configuration.generation]
        self.memory = _Extent(map.end)
        self._next = [map.start, map.interleaved]

    @cached_property
    def _tile(self) -> Tile:
        """Without a program; :meth:`load` puts one with the program's stacks in its place."""
        return Tile(self.configuration.generation)

    @property
    def _ends(self) -> list[int]:
        return [self._tile.lowest_stack, self._tile.memory.map.end]

    def load(self, image: Image) -> None:
        """Put a program into memory; MemoryError where it leaves the stacks no room."""
        self._tile = Tile(self.configuration.generation, stack=image.symbols.get(STACK_SIZE, STACK))
        try:
            self._tile.load(image)
        except ValueError as error:
            raise MemoryError(str(error)) from None
        map = self._tile.memory.map
        end = -(-self._tile.end_of_program // _ALIGNMENT) * _ALIGNMENT
        self._next = [min(end, map.interleaved), max(end, map.interleaved)]

    @property
    def free(self) -> int:
        """Bytes that :meth:`allocate` has in one piece."""
        return max(0, *(end - SLACK - place for place, end in zip(self._next, self._ends)))

    def allocate(self, size: int) -> int:
        """The address of zeroed memory: of what is small near the program, else as of an array."""
        if size > _SMALL or self._next[0] + size + SLACK > self._ends[0]:
            return self.allocate_array(size)
        return self._taken(0, self._next[0], size)

    def allocate_array(self, size: int) -> int:
        """The address of zeroed memory, if possible in elements of region 1 of its own, where nothing conflicts with it."""
        own = -(-self._next[1] // (2 * ELEMENT)) * (2 * ELEMENT)
        if own + size + SLACK <= self._ends[1]:
            return self._taken(1, own, size)
        region = next(one for one in (1, 0) if self._next[one] + size + SLACK <= self._ends[one])
        return self._taken(region, self._next[region], size)

    def _taken(self, region: int, address: int, size: int) -> int:
        self._next[region] = -(-(address + size + SLACK) // _ALIGNMENT) * _ALIGNMENT
        self._tile.declare(address, size)
        return address

    def write(self, address: int, content: bytes) -> None:
        """From the host."""
        self._tile.memory.write(address, content)

    def read(self, address: int, size: int) -> bytes:
        """For the host."""
        return self._tile.memory.read(address, size)

    def run(
        self, entry: int, argc: int, argv: int, trace: Callable[[str], None] | None = None, limit: int | None = None
    ) -> TileReport:
        """All workers, or the supervisor where its code is, from one address on, with the state of the vertex at ``argv``.

        ``limit`` is a number of cycles.
        """
        self._tile.trace = trace
        if limit is not None:
            self._tile.limit = -(-limit // WORKERS)
        if self._tile.is_of_supervisor(entry):
            return self._tile.run_supervisor(entry, argv)
        return self._tile.run_workers(entry, [argv] * self.configuration.threads)
