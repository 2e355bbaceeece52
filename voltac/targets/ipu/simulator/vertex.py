"""A vertex called with arguments: they are put into the tile's memory, and arrays are read back (IPU 4.1, 4.2).

The state has a word for each argument: an array's address, an integer, the bits of a
float; a half stands in the low half of its word.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from voltac.records import record
from voltac.targets.ipu.assembly.program import TileProgram
from voltac.targets.ipu.facts import ENTRY
from voltac.targets.ipu.memory_map import ELEMENT
from voltac.targets.ipu.simulator.memory import SLACK
from voltac.targets.ipu.simulator.report import TileReport
from voltac.targets.ipu.simulator.tile import Tile
from voltac.targets.ipu.simulator.worker import WORKERS

if TYPE_CHECKING:
    import numpy.typing as npt

_ALIGNMENT = 16
"""Bytes: any load may begin at an array's beginning."""


@record(eq=False)
class PlacedArray:
    """An argument that says where it is to lie: in a region, or at an address."""

    array: npt.NDArray[Any]
    region: int = 1
    address: int | None = None


@record(eq=False)
class VertexRun:
    """What a vertex did: the arrays that were given have their new values."""

    report: TileReport
    addresses: list[int]
    """Of each array among the arguments, in their order."""


def run_vertex(
    program: TileProgram,
    arguments: Sequence[Any],
    vertex: str = "",
    workers: int = WORKERS,
    supervisor: bool = False,
    tile: Tile | None = None,
) -> VertexRun:
    """Run ``vertex``, the only one of the program if none is named, on ``workers`` workers that share one state.

    Arrays lie in region 1, each in elements of its own as long as there are any, and change in place. With
    ``supervisor`` the supervisor runs the vertex. ValueError for what does not fit or is not there; what an
    instruction may not do is a :class:`~voltac.targets.ipu.simulator.faults.WorkerTrap`.
    """
    tile = Tile(program.generation) if tile is None else tile
    tile.load(program.image())
    entry = tile.symbols[_entry(program, vertex)]
    state_address = -(-tile.end_of_program // _ALIGNMENT) * _ALIGNMENT
    places = _Places(tile, state_address + -(-4 * len(arguments) // _ALIGNMENT) * _ALIGNMENT + _ALIGNMENT)
    words = bytearray()
    placed: list[tuple[npt.NDArray[Any], int]] = []
    for argument in arguments:
        if isinstance(argument, (np.ndarray, PlacedArray)):
            one = argument if isinstance(argument, PlacedArray) else PlacedArray(argument)
            address = places.of(one)
            tile.memory.write(address, np.ascontiguousarray(one.array).tobytes())
            tile.declare(address, one.array.nbytes)
            placed.append((one.array, address))
            words += struct.pack("<I", address)
        else:
            words += _word(argument)
    tile.memory.write(state_address, bytes(words))
    tile.declare(state_address, len(words))
    if supervisor:
        report = tile.run_supervisor(entry, state_address)
    else:
        report = tile.run_workers(entry, [state_address] * workers)
    for array, address in placed:
        content = tile.memory.read(address, array.nbytes)
        array[...] = np.frombuffer(content, array.dtype).reshape(array.shape)
    return VertexRun(report, [address for _, address in placed])


def _entry(program: TileProgram, vertex: str) -> str:
    there = [name for name, symbol in program.code.symbols.items() if symbol.is_global and symbol.section]
    if vertex:
        found = [name for name in there if name in (vertex, ENTRY + vertex)]
    else:
        found = [name for name in there if name.startswith(ENTRY)] or there
    if len(found) != 1:
        raise ValueError(f"the program has the vertices {', '.join(there) or 'none'}; {vertex or 'none'} is chosen")
    return found[0]


def _word(argument: Any) -> bytes:
    if isinstance(argument, np.float16):
        return argument.tobytes() + b"\0\0"
    if isinstance(argument, (float, np.floating)):
        return struct.pack("<f", argument)
    return struct.pack("<I", int(argument) & 0xFFFFFFFF)


class _Places:
    """Where arrays go: region 0 upwards from the program, region 1 an element after the other."""

    def __init__(self, tile: Tile, first_free: int) -> None:
        self.tile = tile
        self.next = [first_free, tile.memory.map.interleaved]
        self.ends = [tile.lowest_stack, tile.memory.map.end]

    def of(self, placed: PlacedArray) -> int:
        """The address of an array."""
        if placed.address is not None:
            return placed.address
        region, size = placed.region, placed.array.nbytes + SLACK
        address = self.next[region]
        own = -(-address // (2 * ELEMENT)) * (2 * ELEMENT)
        if region == 1 and own + size <= self.ends[1]:
            address = own
        if address + size > self.ends[region]:
            left = self.ends[region] - address
            raise ValueError(f"an array of {placed.array.nbytes} bytes: region {region} has {left} left")
        self.next[region] = -(-(address + size) // _ALIGNMENT) * _ALIGNMENT
        return address
