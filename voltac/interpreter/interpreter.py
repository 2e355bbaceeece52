"""Calling interpreted functions from Python: arguments become values, numpy arrays become objects in the program's memory."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from voltac.options import Options
from voltac.sema import tree
from voltac.sema.types import VARYING, Array, Pointer, Qual, Struct, Vector
from voltac.system.deep_stack import deep_recursion

from .machine import InterpreterError, ProgramState, Trace
from .statements import Statements
from .values import ADDRESS, Mask, Value, constant, dtype_of, members

ARRAY_ARGUMENT = "an array argument"
"""What the names of the caller's arrays begin with, as objects in memory."""
_PYTHON_FRAMES = 100_000
"""A call within a loop within an ``if``, its result in a sum in a product, takes 25 frames (counted): room for twice the
``_DEEPEST_CALL`` of them."""


class Interpreter:
    """A program with its memory: globals keep their values from call to call."""

    def __init__(
        self,
        program: tree.Program,
        options: Options,
        output: Callable[[str], object] | None = None,
        trace: Trace | None = None,
        *,
        find_c_functions: bool = True,
    ) -> None:
        self.machine = ProgramState(program, options, output or _to_standard_output, trace)
        self.machine.finds_c_functions = find_c_functions
        self.statements = Statements(self.machine)
        with _running():
            self._make_globals()

    @property
    def c_functions(self) -> dict[str, Callable[..., Any]]:
        """Name -> what an ``extern "C"`` function without body does; gets and returns numpy values."""
        return self.machine.c_functions

    def call(self, name: str, arguments: Sequence[Any], active: Sequence[bool] | None = None) -> Value:
        """Calls a function with all lanes on, or the ``active`` ones.

        Arrays are passed for pointers and are read and written in place; numbers
        for scalars; for varying parameters arrays of W elements, or one number.
        """
        function = self.find(name)
        if len(arguments) != len(function.parameters):
            raise TypeError(f"'{name}' takes {len(function.parameters)} arguments, {len(arguments)} given")
        mask: Mask = self.machine.all_on if active is None else np.asarray(active, np.bool_)
        pointed = [
            self._array(symbol, argument)
            for symbol, argument in zip(function.parameters, arguments, strict=True)
            if isinstance(symbol.type.type, Pointer) and symbol.type.rate != VARYING and isinstance(argument, np.ndarray)
        ]
        with _running(), self._mapped(pointed) as addresses:
            values = [
                self._value(symbol.type, addresses.get(id(argument), argument))
                for symbol, argument in zip(function.parameters, arguments, strict=True)
            ]
            return self.statements.call(function, values, mask, span=function.span)

    def find(self, name: str) -> tree.FunctionSymbol:
        """The exported function of a name, else the only one of that name."""
        found = [function for function in self.machine.program.functions if function.name == name and function.body is not None]
        exported = [function for function in found if function.exported]
        if len(exported or found) != 1:
            raise KeyError(f"there {'are several functions' if found else 'is no function'} '{name}'")
        return (exported or found)[0]

    def global_bytes(self, name: str) -> npt.NDArray[np.uint8]:
        """The bytes of a global variable, in place."""
        symbol = next(symbol for symbol in self.machine.globals if symbol.name == name)
        return self.machine.memory.view(self.machine.globals[symbol], self.machine.layout.size(symbol.type), write=True)

    # --- globals ---

    def _make_globals(self) -> None:
        machine = self.machine
        for symbol in machine.program.globals:
            size, alignment = machine.layout.size(symbol.type), max(symbol.alignment, machine.layout.alignment(symbol.type))
            content = np.zeros(size, np.uint8)
            machine.globals[symbol] = machine.memory.map(content, f"global '{symbol.name}'", alignment)
        for symbol in machine.program.globals:
            if symbol.initial is not None:
                location = machine.variable(symbol)
                self.statements.expressions.initialize(location, symbol.initial, machine.all_on, machine.all_on)

    # --- arguments ---

    @staticmethod
    def _array(symbol: tree.VariableSymbol, argument: npt.NDArray[Any]) -> npt.NDArray[Any]:
        if not argument.flags.c_contiguous or argument.ndim == 0:
            raise TypeError(f"argument '{symbol.name}' is not a C-contiguous array")
        return argument

    def _value(self, qual: Qual, argument: Any) -> Value:
        if isinstance(qual.type, Struct | Array):
            return tuple(self._value(part, value) for part, value in zip(members(qual), argument, strict=True))
        dtype = dtype_of(qual.type.element if isinstance(qual.type, Vector) else qual.type)
        argument = 0 if argument is None else argument
        like = constant(0, qual, self.machine.width)
        return np.broadcast_to(np.asarray(argument).astype(dtype), like.shape).copy()[()]

    @contextmanager
    def _mapped(self, arrays: Sequence[npt.NDArray[Any]]) -> Iterator[dict[int, Any]]:
        """Makes arrays objects in memory for the time of a call: id of the array -> address.

        Arrays that overlap become one object, so that a store through one is seen through the other.
        """
        arrays = sorted(arrays, key=lambda array: array.ctypes.data)
        addresses: dict[int, Any] = {}
        mapped: list[int] = []
        start = end = -1
        for position, array in enumerate(arrays):
            if array.ctypes.data >= end:
                start, end = array.ctypes.data, array.ctypes.data + array.nbytes
                for other in arrays[position + 1 :]:
                    if other.ctypes.data < end:
                        end = max(end, other.ctypes.data + other.nbytes)
                content = np.ctypeslib.as_array((ctypes.c_uint8 * (end - start)).from_address(start))
                name = f"{ARRAY_ARGUMENT} of {array.size} {array.dtype} elements"
                mapped.append(self.machine.memory.map(content, name, writable=array.flags.writeable))
            addresses[id(array)] = ADDRESS.type(mapped[-1] + array.ctypes.data - start)
        try:
            yield addresses
        finally:
            for address in mapped:
                self.machine.memory.release(address)


def _to_standard_output(text: str) -> None:
    # Bytes that a program writes by escapes are surrogates in its strings.
    sys.stdout.write(text.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))


@contextmanager
def _running() -> Iterator[None]:
    """Quiet arithmetic, and room for recursive programs on Python's stack."""
    try:
        with deep_recursion(_PYTHON_FRAMES), np.errstate(all="ignore"):
            yield
    except RecursionError:
        raise InterpreterError("the program nests too deeply for the interpreter") from None
