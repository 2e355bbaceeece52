"""``voltac.choose``: kernels for several types under one name; a call goes to the first that takes its arguments."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from voltac.python.kernel import Kernel
from voltac.python.numpy_formats import Dtype, described, dtype_of, named, only_element, same_layout
from voltac.python.signatures import KernelParameter

_MOST_KNOWN = 1000
"""Combinations of types of which is kept what they go to: few programs have a hundred, dtypes may be made at run time."""


class KernelChoice:
    """Kernels of which a call chooses one, by the dtypes of its arrays and whether its numbers are whole."""

    def __init__(self, kernels: tuple[Kernel, ...]) -> None:
        self.kernels = kernels
        """In the order in which they are tried."""
        self._known: dict[tuple[object, ...], Kernel] = {}

    def __call__(self, /, *given: Any, **by_name: Any) -> Any:
        """Call the first kernel that takes arguments of these types; TypeError where none does."""
        return self.kernel_for(*given, **by_name)(*given, **by_name)

    def kernel_for(self, /, *given: Any, **by_name: Any) -> Kernel:
        """The kernel that a call with these arguments goes to."""
        key = (*map(_type_of, given), *((name, _type_of(by_name[name])) for name in by_name))
        found = self._known.get(key)
        if found is None:
            found = next((kernel for kernel in self.kernels if _takes(kernel, given, by_name)), None)
            if found is None:
                raise TypeError(self._no_kernel(given, by_name))
            if len(self._known) < _MOST_KNOWN:
                self._known[key] = found
        return found

    def _no_kernel(self, given: tuple[Any, ...], by_name: dict[str, Any]) -> str:
        words = [*map(_words, given), *(f"{name}={_words(value)}" for name, value in by_name.items())]
        kernels = "".join(f"\n  {kernel.signature}" for kernel in self.kernels)
        return f"no kernel of {self.__name__}() takes ({', '.join(words)}); there are:{kernels}"

    @property
    def __name__(self) -> str:
        return self.kernels[0].__name__

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        return "\n\n".join(str(kernel.__doc__) for kernel in self.kernels)

    def __repr__(self) -> str:
        return f"<one of {len(self.kernels)} kernels: {'; '.join(kernel.signature for kernel in self.kernels)}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return choose, self.kernels


def choose(*kernels: Kernel) -> KernelChoice:
    """One name for several kernels: a call goes to the first whose parameters have the types of the arguments.

    Arrays decide by their dtype, numbers by whether they are whole: an int is taken for a float, not the other way round.
    """
    if not kernels:
        raise TypeError("choose() needs kernels, k.name")
    for kernel in kernels:
        if not isinstance(kernel, Kernel):
            raise TypeError(f"choose() takes kernels, k.name, not {described(kernel)}")
    return KernelChoice(kernels)


def _type_of(value: Any) -> object:
    """What the choice depends on."""
    kind = type(value)
    if kind in _NUMBERS:
        return kind
    if isinstance(value, np.ndarray):
        return value.dtype, value.ndim > 0
    # Buffers of all kinds have formats of their own.
    return kind if isinstance(value, np.generic) else _format_of(value) or kind


_NUMBERS = frozenset((int, float, bool, type(None)))


def _format_of(value: Any) -> Dtype | None:
    """The dtype of what has memory as an array has; None for all else."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype
    if hasattr(value, "__array_interface__"):
        dtype: Dtype = np.asarray(value).dtype
        return dtype
    try:
        return np.asarray(memoryview(value)).dtype
    except (TypeError, ValueError, NotImplementedError):
        return None


def _takes(kernel: Kernel, given: tuple[Any, ...], by_name: dict[str, Any]) -> bool:
    parameters = kernel.parameters
    names = {parameter.name: parameter for parameter in parameters}
    if len(given) > len(parameters) or not by_name.keys() <= names.keys() | {"copy"}:
        return False
    pairs = [*zip(parameters, given), *((names[name], value) for name, value in by_name.items() if name in names)]
    return all(_fits(parameter, value) for parameter, value in pairs)


def _fits(parameter: KernelParameter, value: Any) -> bool:
    """Whether an argument has the type of a parameter; what else may be wrong with it is for the call to say."""
    match parameter.kind:
        case "int" | "uint":
            return _is_whole(value)
        case "bool":
            return isinstance(value, np.bool) or _is_whole(value)
        case "float":
            return _is_whole(value) or isinstance(value, (float, np.floating)) or _is_number_in_array(value)
    memory = parameter.memory
    if value is None or memory is None or memory.format is None:
        return True
    dtype = _format_of(value)
    if dtype is None or (memory.at_least_one and not isinstance(value, np.ndarray)):
        # An object of another library, an address, or a number for a reference: the call looks at it.
        return True
    expected = dtype_of(memory.format)
    element = only_element(expected)
    return same_layout(dtype, expected) or (element is not None and same_layout(dtype, element[0]))


def _is_whole(value: Any) -> bool:
    try:
        operator.index(value)
    except TypeError:
        return False
    return True


def _is_number_in_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "fiub"


def _words(value: Any) -> str:
    dtype = None if type(value) in _NUMBERS else _format_of(value)
    return described(value) if dtype is None or isinstance(value, np.generic) else f"an array of {named(dtype)}"
