"""Kernels over the blocks of dask arrays: ``voltac.dask.map_blocks(k.saxpy, 2.0, x, y)``.

What a kernel is called with: blocks for dask arrays, all else as it is given, the lengths that declarations
(``uniform float a[n]``) tie to arrays as each block has them, and for the array it writes to a new one, which is the
result. Workers get the source and compile it through their cache; see :mod:`voltac.python.portable`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from voltac.messages.suggestions import suggestion
from voltac.messages.visible import visible_name, visible_value
from voltac.python import empty
from voltac.python.kernel import Kernel
from voltac.python.lengths import counted_arrays
from voltac.python.numpy_formats import described
from voltac.python.signatures import KernelParameter
from voltac.records import record

try:
    import dask.array as da
except ImportError as error:
    raise ImportError("voltac.dask needs dask: pip install 'voltac[dask]'") from error

__all__ = ["map_blocks", "map_overlap"]

_NUMBERS = {"int": "i", "uint": "u", "float": "f", "bool": "?"}


def map_blocks(
    kernel: Kernel, *arguments: Any, out: str | None = None, dtype: Any = None, chunks: Any = None, **by_name: Any
) -> Any:
    """The dask array of what a kernel makes of each block.

    ``arguments`` are for the kernel's parameters in order, but for lengths of declared arrays, those given by name, and
    the array that ``out`` names, by default the one the kernel writes to. That is made for each block: of the
    shape of its input or ``chunks``, of the kernel's type or ``dtype``, filled with zeros. Given by name, or as the only
    array of the kernel, it is worked on in place, in a copy. A function as an argument is called with the block of
    the result, and gives the number for it. A kernel without such an array gives its result, one for a block.
    """
    call, arrays = _block_call(kernel, arguments, by_name, out, dtype)
    ndim = max(array.ndim for array in arrays)
    if chunks is None and not call.out:
        chunks = (1,) * ndim
    if chunks is None:
        return da.map_blocks(call, *arrays, meta=np.empty((0,) * ndim, call.dtype))
    # A tuple per axis says how long each of its blocks is, a number that all are that long.
    meta = np.empty((0,) * len(chunks), call.dtype)
    return da.map_blocks(_ShapedCall(*(getattr(call, name) for name in _FIELDS)), *arrays, chunks=chunks, meta=meta)


def map_overlap(
    kernel: Kernel,
    *arguments: Any,
    depth: Any,
    boundary: Any = "none",
    out: str | None = None,
    dtype: Any = None,
    **by_name: Any,
) -> Any:
    """The same where each block comes with ``depth`` elements of its neighbours, which are cut off the result again.

    ``depth`` and ``boundary`` are dask's (``dask.array.map_overlap``): a number of elements or a mapping from axes to them;
    ``"reflect"``, ``"periodic"``, ``"nearest"``, a number, or ``"none"``, with which blocks at the edge are shorter.
    """
    call, arrays = _block_call(kernel, arguments, by_name, out, dtype)
    if not call.out:
        raise TypeError(f"{kernel.__name__}() writes to no array: map_overlap would have nothing to cut the overlap off")
    meta = np.empty((0,) * max(array.ndim for array in arrays), call.dtype)
    return da.map_overlap(call, *arrays, depth=depth, boundary=boundary, meta=meta)


@record
class _BlockCall:
    """The call of a kernel on the blocks of some arrays: what goes to the workers."""

    kernel: Kernel
    names: tuple[str, ...]
    """The parameters the blocks are for."""
    fixed: Mapping[str, Any]
    out: str
    """The parameter whose array is the result; empty: the kernel's own result is."""
    dtype: np.dtype[Any]

    @property
    def __name__(self) -> str:
        # What dask calls the array after.
        return self.kernel.__name__

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        from dask.base import normalize_token  # with the rest of dask

        return type(self).__name__, *(normalize_token(getattr(self, name)) for name in _FIELDS)

    def __call__(self, *blocks: Any) -> Any:
        """The block of the result."""
        return self.run(blocks, np.broadcast_shapes(*(block.shape for block in blocks)))

    def run(self, blocks: Sequence[Any], shape: tuple[int, ...]) -> Any:
        """The block of the result, of a shape that is known."""
        given = {name: np.ascontiguousarray(block).reshape(block.shape) for name, block in zip(self.names, blocks, strict=True)}
        given |= self.fixed
        if not self.out:
            result = np.empty(shape, self.dtype)
            result[...] = self.kernel(**_with_numbers(given, blocks[0]))
            return result
        result = empty(shape, self.dtype)
        result[...] = given.get(self.out, 0)
        given[self.out] = result
        self.kernel(**_with_numbers(given, result))
        return result


_FIELDS = ("kernel", "names", "fixed", "out", "dtype")


@record
class _ShapedCall(_BlockCall):
    """The same where the result's blocks have another shape than their input."""

    def __call__(self, *blocks: Any, block_info: Any = None) -> Any:
        """The block of the result; ``block_info`` is what dask tells of it."""
        return self.run(blocks, tuple(block_info[None]["chunk-shape"]))


def _with_numbers(given: Mapping[str, Any], block: Any) -> dict[str, Any]:
    return {name: value(block) if callable(value) else value for name, value in given.items()}


def _block_call(
    kernel: Kernel, arguments: Sequence[Any], by_name: Mapping[str, Any], out: str | None, dtype: Any
) -> tuple[_BlockCall, list[Any]]:
    """The call, and the dask arrays whose blocks it takes; TypeError and ValueError for arguments that fit no call."""
    if not isinstance(kernel, Kernel):
        raise TypeError(f"the first argument must be a kernel, k.name, not {described(kernel)}")
    result = _result_of(kernel, out)
    given = _bound(kernel, arguments, by_name, result)
    arrays = {name: value for name, value in given.items() if isinstance(value, da.Array)}
    if not arrays:
        raise TypeError(f"{kernel.__name__}() is given no dask array; on arrays of numpy call it itself")
    for name, array in arrays.items():
        _check_block(kernel, name, array)
    fixed = {name: value for name, value in given.items() if name not in arrays}
    if result is not None:
        kind = np.dtype(kernel.dtype(result.name) if dtype is None else dtype)
    elif kernel._signature.result.kind in _NUMBERS:
        made = kernel._signature.result
        kind = (
            np.dtype(bool if made.kind == "bool" else f"{_NUMBERS[made.kind]}{made.bits // 8}")
            if dtype is None
            else np.dtype(dtype)
        )
    else:
        raise TypeError(
            f"{kernel.__name__}() neither writes to an array nor gives a number: there is nothing to make blocks of"
        )
    return _BlockCall(kernel, tuple(arrays), fixed, "" if result is None else result.name, kind), list(arrays.values())


def _result_of(kernel: Kernel, out: str | None) -> KernelParameter | None:
    """The parameter whose array is the result; None for kernels that write to none."""
    arrays = [row for row in kernel.parameters if row.kind == "pointer" and row.memory is not None]
    if out is not None:
        for row in arrays:
            if row.name == out:
                return row
        close = suggestion(out, [row.name for row in arrays]) if isinstance(out, str) else ""
        raise ValueError(f"out={visible_value(out)}: {kernel.__name__}() has no array of that name{close}")
    written = [row for row in arrays if row.memory is not None and row.memory.writable]
    if len(written) > 1:
        names = ", ".join(row.name for row in written)
        raise TypeError(f"{kernel.__name__}() may write to several arrays ({names}): say with out= which is the result")
    return written[0] if written else None


def _bound(
    kernel: Kernel, arguments: Sequence[Any], by_name: Mapping[str, Any], result: KernelParameter | None
) -> dict[str, Any]:
    """Parameter -> what is given for it."""
    rows = kernel.parameters
    names = [row.name for row in rows]
    for name in by_name:
        if name not in names:
            raise TypeError(f"{kernel.__name__}() has no parameter '{visible_name(name)}'{suggestion(name, names)}")
    counted = {names[position] for position in counted_arrays(kernel._signature)}
    in_place = sum(row.kind == "pointer" for row in rows) == 1
    left = [name for name in names if name not in by_name and name not in counted]
    if result is not None and not in_place and result.name in left:
        left.remove(result.name)
    if len(arguments) > len(left):
        raise TypeError(
            f"{kernel.__name__}() takes {len(left)} arguments here ({', '.join(left) or 'none'}), and {len(arguments)} are "
            "given: lengths and the array of the result are filled in"
        )
    given = dict(zip(left, arguments, strict=False)) | dict(by_name)
    optional = {row.name for row in rows if row.has_default}
    missing = [name for name in left[len(arguments) :] if name not in optional]
    if missing:
        raise TypeError(
            f"{kernel.__name__}() lacks '{missing[0]}'; for a number that depends on the block give a function of the block, "
            f"{missing[0]}=lambda block: block.shape[0]"
        )
    return given


def _check_block(kernel: Kernel, name: str, array: Any) -> None:
    """What would fail on a worker fails here."""
    row = next(row for row in kernel.parameters if row.name == name)
    if row.kind != "pointer" or row.memory is None:
        raise TypeError(f"{kernel.__name__}(): '{name}' ({row.text}) takes no array; it is given a dask array")
    if isinstance(row.memory.format, str) and array.dtype != kernel.dtype(name):
        wanted = kernel.dtype(name)
        raise TypeError(
            f"{kernel.__name__}(): '{name}' ({row.text}) must be an array of {wanted}, not a dask array of {array.dtype}; "
            f"use x.astype(np.{wanted})"
        )
