"""A call that the generated entry point did not take → the same call with everything checked, or an error that helps.

This is the complete definition of what a kernel accepts from Python; the entry
point takes the common cases of it. Whatever is not clear is an error that names
the argument, what was expected, what was given and what to write instead.

Converting an argument may run code of its own, which may change or free the memory
of another one. So there is one order, in three steps, each in the order of the
parameters: numbers are converted, once; objects are asked for their memory; and
when no such code runs any more, arrays are checked and their addresses taken. The
entry point takes only what runs no code at all: numbers of Python and numpy and
plain arrays.

What is asked of one argument stands in :mod:`voltac.python.given_argument`, what of several in
:mod:`voltac.python.array_rules`.
"""

from __future__ import annotations

import ctypes
import struct
from _thread import RLock
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from voltac.messages.exceptions import of_caller
from voltac.messages.suggestions import suggestion
from voltac.messages.visible import visible_name
from voltac.python.array_rules import check_lengths, check_overlaps, fill_in
from voltac.python.entry_names import NameTable
from voltac.python.failures import FAILURE_WORDS, raise_failure
from voltac.python.given_argument import OMITTED, GivenArgument, Owners
from voltac.python.lengths import counted_arrays
from voltac.python.numpy_formats import described, dtype_of
from voltac.python.signatures import Signature
from voltac.system.forking import new_in_child

COPY = "copy"
"""Name of the argument of a call that is for us, where no parameter has it."""

_accepting = RLock()
"""Two threads that put a dtype into a table at once could leave the one there that is not kept."""


def _new_lock() -> None:
    global _accepting
    _accepting = RLock()


new_in_child(_new_lock)


class Arguments:
    """Checks and converts the arguments of one kernel and calls it. ``connect`` it to the code before the first call."""

    def __init__(self, signature: Signature, checked: bool = False) -> None:
        self.signature = signature
        self._checked = checked
        """The kernel asks where the arrays are and how long."""
        self._counted = counted_arrays(signature)
        self._accepted: list[object] = [None] * len(signature.parameters)
        self._table: Any = None
        self._names: NameTable | None = None
        self._call: Any = None
        self._finish: Callable[[], None] | None = None

    def connect(self, raw: int, accepted: int, names: int, finish: Callable[[], None] | None = None) -> None:
        """Where the code is: ``voltac.raw.f``, and the tables ``voltac.accepted.f`` and ``voltac.names.f``. Whoever
        calls keeps it loaded.

        ``finish`` is called after each call.
        """
        self._finish = finish
        self._names = NameTable(self.signature, self._counted, names)
        self._call = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(raw)
        self._table = (ctypes.c_void_p * max(1, len(self._accepted))).from_address(accepted)

    def __call__(self, /, *given: Any, **by_name: Any) -> Any:
        """The whole call, from the objects given to the object returned."""
        try:
            values, copy = self.bound(given, by_name)
            slots, arguments, owners = self.pack(values, copy)
        except (TypeError, ValueError) as error:
            raise of_caller(error) from error.__cause__
        failure = (ctypes.c_uint64 * FAILURE_WORDS)()
        if self._checked:
            arrays = _arrays(arguments)
            failure[3] = ctypes.addressof(arrays)
        failed = self._call(ctypes.addressof(slots), ctypes.addressof(failure))
        for argument in arguments:
            argument.write_back()
        if failed:
            raise_failure(*failure)
        del owners
        if self._finish is not None:
            self._finish()
        return self._result(slots)

    def bound(self, given: tuple[Any, ...], by_name: dict[str, Any]) -> tuple[list[Any], bool]:
        """The arguments in the order of the parameters, and whether arrays may be copied (``copy=True``, where no parameter
        has that name); TypeError if there are too many, too few or unknown ones."""
        parameters = self.signature.parameters
        names = [parameter.name for parameter in parameters]
        copy = False
        if COPY in by_name and COPY not in names:
            copy = by_name.pop(COPY)
            if not isinstance(copy, bool):
                self._refuse_call(f"takes copy=True or copy=False, not {described(copy)}")
        unknown = [name for name in by_name if name not in names]
        if unknown:
            self._refuse_call(f"has no parameter '{visible_name(unknown[0])}'{suggestion(unknown[0], names)}")
        if len(given) > len(parameters):
            self._refuse_call(f"takes {self._expected()}, {len(given) + len(by_name)} given")
        values = list(given) + [
            by_name.get(names[number], self._substitute(number)) for number in range(len(given), len(parameters))
        ]
        twice = [name for name in names[: len(given)] if name in by_name]
        if twice:
            self._refuse_call(f"got two values for '{twice[0]}'")
        missing = [names[number] for number, value in enumerate(values) if value is OMITTED and number not in self._counted]
        if missing:
            which = ", ".join(f"'{name}'" for name in missing)
            self._refuse_call(f"takes {self._expected()}, {len(given) + len(by_name)} given; missing: {which}")
        return values, copy

    def _substitute(self, number: int) -> object:
        """For an argument left out; a length is that of the arrays, whatever default it has."""
        parameter = self.signature.parameters[number]
        return parameter.default_object if parameter.has_default and number not in self._counted else OMITTED

    def _expected(self) -> str:
        most = len(self.signature.parameters)
        least = most - sum(row.has_default or number in self._counted for number, row in enumerate(self.signature.parameters))
        return _counted(most) if least == most else f"{least} to {_counted(most)}"

    def _refuse_call(self, problem: str) -> NoReturn:
        raise TypeError(f"{self.signature.name}() {problem}\nit is: {self.signature}")

    def pack(self, values: list[Any], copy: bool = False) -> tuple[Any, list[GivenArgument], Owners]:
        """The slots ``voltac.raw.f`` reads, the arguments, and what has to stay alive while it runs."""
        slots = (ctypes.c_uint64 * (len(values) + 2 + self.signature.result.bytes // 8))()
        arguments = [
            GivenArgument(self.signature.name, position, parameter, value, copy)
            for position, (parameter, value) in enumerate(zip(self.signature.parameters, values, strict=True))
        ]
        owners: Owners = []
        for position, argument in enumerate(arguments):
            if argument.parameter.memory is None and argument.value is not OMITTED:
                struct.pack_into(*self._packing(argument, position, owners, slots))
        for argument in arguments:
            if argument.parameter.memory is not None:
                owners.append(argument.hold(argument.parameter.memory))
        for argument in arguments:
            if argument.parameter.memory is not None:
                argument.locate(argument.parameter.memory)
        for argument in fill_in(arguments, self.signature):
            struct.pack_into(*self._packing(argument, argument.number - 1, owners, slots))
        check_lengths(arguments, self.signature)
        check_overlaps(arguments, self.signature)
        for position, argument in enumerate(arguments):
            if argument.parameter.memory is not None:
                struct.pack_into("Q", slots, 8 * position, self._address(argument, position))
        return slots, arguments, owners

    def _packing(self, argument: GivenArgument, position: int, owners: Owners, slots: Any) -> tuple[Any, ...]:
        """The arguments for ``struct.pack_into``."""
        parameter = argument.parameter
        match parameter.kind:
            case "float":
                return f"{parameter.bits // 8}s", slots, 8 * position, argument.float_bytes()
            case "bool":
                return "Q", slots, 8 * position, argument.boolean()
            case "int" | "uint":
                return "q" if parameter.kind == "int" else "Q", slots, 8 * position, argument.integer()
        return "Q", slots, 8 * position, argument.function_address(owners)

    def _address(self, argument: GivenArgument, position: int) -> int:
        if type(argument.value) is np.ndarray and argument.plain:
            # The entry point takes this dtype object by itself from now on. The table never holds a dtype that is gone.
            dtype = argument.value.dtype
            if self._accepted[position] is not dtype:
                with _accepting:
                    self._table[position] = id(dtype)
                    self._accepted[position] = dtype
        return argument.start or 0

    def _result(self, slots: Any) -> Any:
        result = self.signature.result
        place = 8 * len(self.signature.parameters)
        match result.kind:
            case "void":
                return None
            case "bool":
                return struct.unpack_from("?", slots, place)[0]
            case "float":
                return struct.unpack_from({16: "e", 32: "f", 64: "d"}[result.bits], slots, place)[0]
            case "int" | "uint":
                code = {8: "b", 16: "h", 32: "i", 64: "q"}[result.bits]
                return struct.unpack_from(code.upper() if result.kind == "uint" else code, slots, place)[0]
            case "struct":
                assert result.format is not None
                return np.frombuffer(bytes(slots), dtype_of(result.format), 1, place)[0].copy()
        return struct.unpack_from("Q", slots, place)[0]


def _arrays(arguments: list[GivenArgument]) -> Any:
    """What :data:`voltac.python.failures.FAILURE_WORDS` says of them; numbers have no bytes."""
    words = [len(arguments)]
    for argument in arguments:
        start = argument.start or 0
        # Of a mere address nobody knows how much follows it.
        words += [start, argument.bytes if argument.objects is not None or not start else (1 << 63) - 1 - start]
    return (ctypes.c_uint64 * len(words))(*words)


def _counted(count: int) -> str:
    return "no arguments" if not count else "1 argument" if count == 1 else f"{count} arguments"
