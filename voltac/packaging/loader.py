"""Kernels that voltac compiled, called with numpy arrays: this file, the library and the signatures beside it need numpy only.

Arrays are passed in place, without copies. What a call gives is checked before the kernel runs: types, contiguity,
alignment, the lengths that the kernel needs, and that arrays it writes lie apart from others it uses.
"""

from __future__ import annotations

import ctypes
import json
import math
import operator
import os
import platform
import struct
import sys
from typing import Any

import numpy as np

_HOME = __name__.removesuffix("._loader")
"""The module that has the kernels: the package, or the extension module that runs this text."""
_DESCRIBED: str | None = globals().get("_DESCRIBED")
"""What the library has, as JSON: an extension module says it, which is the library itself."""
_FAILURES = (AssertionError, ZeroDivisionError, OverflowError)
_OMITTED = object()


class PackagedKernel:
    """A compiled function: call it with numbers and arrays, by position or by name."""

    def __init__(self, library: ctypes.CDLL, signature: dict[str, Any]) -> None:
        self.__name__: str = signature["name"]
        self.__qualname__ = self.__name__
        self.__module__ = _HOME
        self.__doc__ = "\n\n".join(filter(None, (signature["text"], signature["documentation"].strip())))
        self._parameters = signature["parameters"]
        self._names = [row["name"] for row in self._parameters]
        self._result = signature["result"]
        self._needed, self._apart = signature["needed"], signature["apart"]
        self._counted = {row[0]: row[1] for row in signature["counted"]}
        self._call = library[f"voltac.raw.{signature['name']}"]
        self._call.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
        self._dtypes = [_dtype(row["memory"] and row["memory"]["format"]) for row in self._parameters]

        self._scalars = [number for number, row in enumerate(self._parameters) if not row["memory"]]
        self._pointers = [number for number, row in enumerate(self._parameters) if row["memory"]]
        self._size = 8 * (len(self._parameters) + 2) + self._result["bytes"]
        self._expected = [f"an array of {dtype}" if dtype is not None else "an array" for dtype in self._dtypes]

    def __repr__(self) -> str:
        return f"<kernel {self.__name__} for {TARGET}>"

    def __reduce__(self) -> str:
        return self.__name__

    def __call__(self, /, *given: Any, **by_name: Any) -> Any:
        """What the kernel returns; TypeError or ValueError for arguments that it cannot take."""
        values = self._bound(given, by_name)
        slots = bytearray(self._size)
        # Numbers first: converting them may run code of theirs, which must not change arrays that are checked already.
        numbers = {
            number: self._number(number, values[number], slots) for number in self._scalars if values[number] is not _OMITTED
        }
        arrays = {number: self._array(number, values[number]) for number in self._pointers}
        for number, counted in self._counted.items():
            if values[number] is _OMITTED:
                length = self._length(number, [arrays[other] for other in counted], counted)
                numbers[number] = self._number(number, length, slots)
        starts = {number: 0 if array is None else _address(array) for number, array in arrays.items()}
        for number, start in starts.items():
            if start % self._parameters[number]["memory"]["alignment"] and arrays[number].size:
                alignment = self._parameters[number]["memory"]["alignment"]
                self._refuse(ValueError, number, values[number], f"aligned to {alignment} bytes")
            struct.pack_into("Q", slots, 8 * number, start)
        self._check_lengths(arrays, numbers)
        self._check_overlaps(arrays, starts)
        memory = (ctypes.c_char * len(slots)).from_buffer(slots)
        failure = (ctypes.c_uint64 * 3)()
        if self._call(ctypes.addressof(memory), ctypes.addressof(failure)):
            lanes = [str(lane) for lane in range(64) if failure[2] >> lane & 1]
            text = ctypes.string_at(failure[1]).decode("utf-8", "replace").strip()
            raise _FAILURES[failure[0]](text + (f" (in lane{'s' * (len(lanes) > 1)} {', '.join(lanes)})" if lanes else ""))
        return self._returned(slots)

    # --- the arguments together ---

    def _bound(self, given: tuple[Any, ...], by_name: dict[str, Any]) -> list[Any]:
        for name in by_name:
            if name not in self._names or name in self._names[: len(given)]:
                problem = f"got two values for '{name}'" if name in self._names else f"has no parameter '{name}'"
                raise TypeError(f"{self.__name__}() {problem}; it is: {self.__doc__}")
        values = [*given, *(by_name.get(name, _OMITTED) for name in self._names[len(given) :])]
        for number, row in enumerate(self._parameters[: len(values)]):
            if values[number] is _OMITTED and number not in self._counted:
                if row["default"] is None:
                    raise TypeError(f"{self.__name__}() misses '{row['name']}'; it is: {self.__doc__}")
                values[number] = None if row["kind"] in ("pointer", "function") else row["default"]
        if len(values) > len(self._names):
            raise TypeError(f"{self.__name__}() takes {len(self._names)} arguments, not {len(values)}; it is: {self.__doc__}")
        return values

    def _length(self, number: int, arrays: list[Any], counted: list[int]) -> int:
        if any(array is None for array in arrays):
            raise TypeError(f"{self.__name__}() needs '{self._names[number]}' where an array is None")
        lengths = [self._objects(other, array) for other, array in zip(counted, arrays)]
        if len(set(lengths)) > 1:
            found = ", ".join(f"'{self._names[other]}' has {length}" for other, length in zip(counted, lengths))
            raise ValueError(f"{self.__name__}() needs '{self._names[number]}', as arrays differ in length: {found}")
        return lengths[0]

    def _objects(self, number: int, array: Any) -> int:
        return int(array.size // self._parameters[number]["memory"]["count"])

    def _check_lengths(self, arrays: dict[int, Any], numbers: dict[int, int]) -> None:
        for row in self._needed:
            array = arrays[row["parameter"]]
            if array is None:
                continue
            index, length = _sum(row["index"], numbers), self._objects(row["parameter"], array)
            is_outside = index >= length if row["below_end"] else index < 0
            if is_outside and all(_sum(extent, numbers) > 0 for extent in row["extents"]):
                use = f"{row['place']} uses element {index}" if row["place"] else f"it is declared to have {index + 1}"
                self._refuse(ValueError, row["parameter"], array, "longer", f"; {use}")

    def _check_overlaps(self, arrays: dict[int, Any], starts: dict[int, int]) -> None:
        for row in self._apart:
            written, other = arrays[row["written"]], arrays[row["other"]]
            if written is None or other is None or not (written.nbytes and other.nbytes):
                continue
            first, second = starts[row["written"]], starts[row["other"]]
            if row["may_be_same"] and first == second:
                continue
            if first < second + other.nbytes and second < first + written.nbytes:
                name = self._names[row["written"]]
                self._refuse(ValueError, row["other"], other, f"apart from '{name}', which the kernel writes", "; use x.copy()")

    # --- one argument ---

    def _refuse(self, error: type[Exception], number: int, value: Any, expected: str, advice: str = "") -> None:
        row = self._parameters[number]
        given = f"an array of {value.dtype} with shape {value.shape}" if isinstance(value, np.ndarray) else repr(value)
        given = given if len(given) < 100 else type(value).__name__
        raise error(
            f"{self.__name__}(): argument {number + 1} '{row['name']}' ({row['text']}) must be {expected}, not {given}{advice}"
        )

    def _array(self, number: int, value: Any) -> Any:
        row, dtype = self._parameters[number], self._dtypes[number]
        memory = row["memory"]
        expected = self._expected[number]
        if value is None and row["nullable"]:
            return None
        if memory["at_least_one"] and not memory["writable"] and isinstance(value, (bool, int, float, np.generic)):
            value = np.array(value, dtype)
        if not isinstance(value, np.ndarray) or isinstance(value, np.ma.MaskedArray):
            self._refuse(TypeError, number, value, expected)
        array = np.asarray(value)
        if array.dtype.hasobject or (dtype is not None and array.dtype != dtype):
            self._refuse(TypeError, number, value, expected, "; use x.astype(dtype), or declare the parameter for it")
        if not array.flags.c_contiguous:
            self._refuse(ValueError, number, value, "C-contiguous", "; use np.ascontiguousarray(x)")
        if memory["writable"] and not array.flags.writeable:
            self._refuse(ValueError, number, value, "writable, because the kernel may write to it")
        if memory["count"] > 1 and (array.size % memory["count"] or not _fits(array.shape, memory)):
            shape = tuple(memory["shape"]) or memory["count"]
            self._refuse(
                ValueError, number, value, f"whole objects of {shape} elements", " and padding" * bool(memory["unused"])
            )
        if memory["at_least_one"] and not array.size:
            self._refuse(ValueError, number, value, f"{expected} with at least one object")
        return array

    def _number(self, number: int, value: Any, slots: bytearray) -> int:
        """The value, which goes into its slot, if it is an integer."""
        row = self._parameters[number]
        bits, kind = row["bits"], row["kind"]
        if isinstance(value, np.ndarray) and not value.ndim:
            value = value.item()
        if kind == "float":
            if isinstance(value, (str, bytes, complex, np.ndarray)):
                self._refuse(TypeError, number, value, "a number")
            try:
                # Unlike float(), this takes no text.
                self._pack_float(bits, math.ldexp(value, 0), slots, 8 * number)
            except (TypeError, OverflowError):
                self._refuse(TypeError, number, value, "a number")
            return 0
        if kind == "function" and (value is None or not isinstance(value, int)):
            if value is None and not row["nullable"]:
                self._refuse(TypeError, number, value, "a function of ctypes, or its address")
            value = 0 if value is None else ctypes.cast(value, ctypes.c_void_p).value or 0
        try:
            whole = operator.index(bool(value) if isinstance(value, np.bool_) else value)
        except TypeError:
            self._refuse(TypeError, number, value, "an integer")
        if kind == "bool":
            low, high = 0, 1
        else:
            size = row["range_bits"] - (kind == "int")
            low, high = -(1 << size) if kind == "int" else 0, (1 << size) - 1
        if kind == "bool" and whole not in (0, 1):
            self._refuse(TypeError, number, value, "True or False", "; use bool(x)")
        if not low <= whole <= high:
            self._refuse(ValueError, number, value, f"in the range {low} .. {high}")
        struct.pack_into("q" if whole < 0 else "Q", slots, 8 * number, whole)
        return whole

    def _pack_float(self, bits: int, value: float, slots: bytearray, place: int) -> None:
        try:
            struct.pack_into({16: "e", 32: "f", 64: "d"}[bits], slots, place, value)
        except OverflowError:
            # What is beyond the range becomes infinite, as in C.
            struct.pack_into({16: "e", 32: "f"}[bits], slots, place, math.copysign(math.inf, value))

    def _returned(self, slots: bytearray) -> Any:
        kind, bits, place = self._result["kind"], self._result["bits"], 8 * len(self._parameters)
        if kind == "void":
            return None
        if kind == "struct":
            return np.frombuffer(bytes(slots), _dtype(self._result["format"]), 1, place)[0].copy()
        codes = {"float": "..efd", "bool": "????", "int": "bbhiq", "uint": "BBHIQ"}.get(kind, "QQQQQ")
        return struct.unpack_from("?" if kind == "bool" else codes[{8: 1, 16: 2, 32: 3, 64: 4}[bits]], slots, place)[0]


def _address(array: Any) -> int:
    return int(array.__array_interface__["data"][0])


def _sum(terms: list[Any], numbers: dict[int, int]) -> int:
    total = 0
    for factor, product in terms:
        for number in product:
            factor *= numbers[number]
        total += factor
    return total


def _fits(shape: tuple[int, ...], memory: dict[str, Any]) -> bool:
    """Whether objects that are arrays are whole in the last axes, with none that goes on in another row."""
    own, unused = tuple(memory["shape"]), memory["unused"]
    if not own or not math.prod(shape):
        return True
    for axes in range(1 if unused else 0, len(own) + 1):
        rest = math.prod(own[: len(own) - axes])
        if len(shape) >= axes and shape[len(shape) - axes :] == own[len(own) - axes :]:
            if rest == 1 or (len(shape) > axes and shape[len(shape) - axes - 1] % rest == 0):
                return True
    return len(own) == 1 and not unused and any(math.prod(shape[axis:]) == own[0] for axis in range(len(shape)))


def _dtype(format_: Any) -> Any:
    if format_ is None or isinstance(format_, str):
        return format_ and np.dtype(format_)
    formats = [(_dtype(element), tuple(shape)) if shape else _dtype(element) for element, shape in format_["formats"]]
    layout: Any = {**format_, "formats": formats}
    return np.dtype(layout)


def _loaded() -> tuple[dict[str, PackagedKernel], str]:
    folder = os.path.dirname(os.path.abspath(__file__))
    text, file = _DESCRIBED, __file__
    if text is None:
        file = os.path.join(folder, "_kernels.so")
        with open(os.path.join(folder, "_kernels.json"), encoding="utf-8") as content:
            text = content.read()
    described = json.loads(text)
    needed = f"{_HOME} has kernels for"
    if sys.platform != "linux" or platform.machine() not in ("x86_64", "AMD64"):
        raise ImportError(f"{needed} Linux on x86-64, not for {sys.platform} on {platform.machine()}")
    library = ctypes.CDLL(file)
    best = library["voltac.target"]()
    if best < 0:
        raise ImportError(f"{needed} CPUs with one of {', '.join(described['targets'])}; this one has none of them")
    try:
        key = ctypes.c_uint.in_dll(library, "voltac.guard.key")
    except ValueError:
        pass  # no kernel can fail
    else:
        if ctypes.CDLL(None).pthread_key_create(ctypes.byref(key), None):
            raise ImportError("the process has no room for another variable of threads")
    return {row["name"]: PackagedKernel(library, row) for row in described["functions"]}, described["targets"][best]


KERNELS, TARGET = _loaded()
