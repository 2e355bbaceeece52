"""Tiles of a matrix in registers (AMX); a tile is a constant, the number of its register."""

from __future__ import annotations

from typing import TYPE_CHECKING

from voltac.sema.builtins.rows import UNSAFE, Callers, Effect, Lanes, Meaning, Value, declares

if TYPE_CHECKING:
    from voltac.sema.builtins.gang import Gang

TILE_PRODUCTS = {
    "dpbssd": "int8",
    "dpbsud": "int8",
    "dpbusd": "int8",
    "dpbuud": "int8",
    "dpbf16ps": "bf16",
    "dpfp16ps": "fp16",
}
"""Instruction of AMX -> what a target multiplies that has it; the signs of bytes are those of the two factors."""
TILES = 8
"""Registers for tiles of AMX."""

_builtin = declares(Effect.ORDERED, Lanes.ALL, Callers.AMX_HEADER)


@_builtin(UNSAFE, "u void", ("u const int8 *",))
def __amx_tile_loadconfig(gang: Gang, pointer: Value) -> None:
    """64 bytes: rows and columns of the tiles."""
    gang.tiles.configure(gang.memory.view(int(pointer), 64))


@_builtin(UNSAFE, "u void", ("u int8 *",))
def __amx_tile_storeconfig(gang: Gang, pointer: Value) -> None:
    """Stores them."""
    gang.memory.view(int(pointer), 64, write=True)[:] = gang.tiles.configuration


@_builtin(UNSAFE, "u void", ())
def __amx_tile_release(gang: Gang) -> None:
    """Tiles are not in use any more."""
    gang.tiles.configure(gang.np.zeros(64, gang.np.uint8))


@_builtin(UNSAFE, "u void", ("u tile",))
def __amx_tile_zero(gang: Gang, tile: Value) -> None:
    """All zero."""
    gang.tiles.contents[tile] = 0


def _load(gang: Gang, tile: Value, pointer: Value, stride: Value) -> None:
    rows, size = gang.tiles.shape(int(tile))
    gang.tiles.contents[tile] = 0
    for row in range(rows):
        gang.tiles.contents[tile, row, :size] = gang.memory.view(int(pointer) + row * int(stride), size)


@_builtin(UNSAFE, "u void", ("u tile", "u const int8 *", "u int64"))
def __amx_tile_load(gang: Gang, tile: Value, pointer: Value, stride: Value) -> None:
    """Rows a stride in bytes apart."""
    _load(gang, tile, pointer, stride)


@_builtin(UNSAFE, "u void", ("u tile", "u const int8 *", "u int64"))
def __amx_tile_load_t1(gang: Gang, tile: Value, pointer: Value, stride: Value) -> None:
    """The same, past the caches."""
    _load(gang, tile, pointer, stride)


@_builtin(UNSAFE, "u void", ("u tile", "u int8 *", "u int64"))
def __amx_tile_store(gang: Gang, tile: Value, pointer: Value, stride: Value) -> None:
    """Rows a stride in bytes apart."""
    rows, size = gang.tiles.shape(int(tile))
    for row in range(rows):
        gang.memory.view(int(pointer) + row * int(stride), size, write=True)[:] = gang.tiles.contents[tile, row, :size]


def _product(name: str) -> Meaning:
    """Adds the product of two tiles to a tile."""
    return lambda gang, target, a, b: gang.tiles.add_product(name, int(target), int(a), int(b))


for _name in TILE_PRODUCTS:
    _builtin(UNSAFE, "u void", ("u tile", "u tile", "u tile"), name=f"__amx_{_name}")(_product(_name))
