"""Arrays that are views with steps, for kernels that take the steps: the memory from first to last element, in place."""

from __future__ import annotations

from typing import Any

import numpy as np

from voltac.python.numpy_formats import described

Array = np.ndarray[Any, np.dtype[Any]]


def strided(array: Array) -> tuple[Any, ...]:
    """The memory of a view, and for each axis the elements from one index to the next.

    The memory is an array of one axis that begins with the view's first element and ends with its last: element
    ``[i, j]`` is ``memory[i * steps[0] + j * steps[1]]``. Nothing is copied; what lies between belongs to it, too.
    TypeError for what is no array of numpy; ValueError for negative steps, and for steps that are no whole elements.

        column, step = voltac.strided(image[:, 1])
        k.scale(column, len(image), step)      # column[i * step] in the kernel
    """
    if not isinstance(array, np.ndarray) or isinstance(array, np.ma.MaskedArray) or array.dtype.hasobject:
        raise TypeError(f"voltac.strided() takes an array of numbers, not {described(array)}")
    size = array.dtype.itemsize
    for stride, extent in zip(array.strides, array.shape):
        # That of an axis with one element or none leads nowhere.
        if extent > 1 and stride < 0:
            raise ValueError(f"voltac.strided() takes no negative steps, as in {described(array)} with strides {array.strides}")
        if extent > 1 and stride % (size or 1):
            raise ValueError(
                f"the elements of {described(array)} with strides {array.strides} are no whole number of elements apart;"
                " give the call copy=True"
            )
    steps = tuple(stride // size if extent > 1 else 1 for stride, extent in zip(array.strides, array.shape))
    count = 1 + sum(step * (extent - 1) for step, extent in zip(steps, array.shape)) if array.size else 0
    plain = np.ndarray.view(array, np.ndarray)
    memory = np.lib.stride_tricks.as_strided(plain, (count,), (size,), writeable=array.flags.writeable)
    return (memory, *steps)
