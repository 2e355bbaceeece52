"""One argument of a call: what it has to be, what it becomes, and the error that says what to write instead."""

from __future__ import annotations

import ctypes
import math
import operator
from typing import Any, NoReturn

import numpy as np

from voltac.messages.visible import visible_name
from voltac.python.callbacks import guarded
from voltac.python.lengths import reason, value_of
from voltac.python.numpy_formats import Dtype, described, dtype_of, named, only_element, same_layout
from voltac.python.prototypes import FUNCTIONS, c_function, is_plain
from voltac.python.signatures import KernelParameter, Needed, Pointee, Signature
from voltac.records import replace

Array = np.ndarray[Any, np.dtype[Any]]
Owners = list[object]
"""What has to stay alive while the kernel runs."""

_POINTERS = (ctypes.c_void_p, ctypes.c_char_p, ctypes._Pointer)
_ADDRESSES: tuple[type[Any], ...] = (*FUNCTIONS, *_POINTERS)
OMITTED = object()
"""In place of an argument that is the length of arrays, by their declarations."""
_LOWEST_ADDRESS = 1 << 16
"""Linux gives programs no memory below (vm.mmap_min_addr), so that a smaller integer is no address."""
_WHERE_NONE_IS_ALLOWED = "None is for parameters that the kernel compares with NULL"


def _elements(count: int) -> str:
    return "1 element" if count == 1 else f"{count} elements"


class GivenArgument:
    """One argument: its value, its parameter, and how to say what is wrong with it."""

    def __init__(self, kernel: str, position: int, parameter: KernelParameter, value: Any, copy: bool = False) -> None:
        self.kernel = kernel
        self.copy = copy
        """Where an array is not contiguous or aligned, or shares memory, a copy may be used."""
        self.number = position + 1
        self.parameter = parameter
        self.value = value
        self.plain = False
        """An array of the parameter's own dtype, rather than of another one that happens to fit."""
        self.held: Any = None
        """What :meth:`hold` found."""
        self.whole = 0
        """The value of an integer, once it is converted."""
        self.objects: int | None = None
        """The objects of an array, once it is checked; None where nobody knows how many follow the address."""
        self.start: int | None = None
        """The address, once it is checked; None for a null pointer."""
        self.bytes = 0
        """Those of an array, from there on."""
        self.located: Array | None = None
        """The array that the kernel gets, once it is checked."""
        self.is_copy = False
        """Of what was given."""

    def refuse(
        self, error: type[Exception], expected: str, remedy: str = "", given: str = "", cause: Exception | None = None
    ) -> NoReturn:
        """Raise the error of this argument; an exception that code of the argument raised goes on as it is."""
        if cause is not None and cause.__traceback__ is not None and cause.__traceback__.tb_next is not None:
            raise cause
        advice = f"; {remedy}" if remedy else ""
        raise error(
            f"{self.kernel}(): argument {self.number} '{self.parameter.name}' ({self.parameter.text}) "
            f"must be {expected}, not {given or described(self.value)}{advice}"
        ) from None

    # --- numbers ---

    def float_bytes(self) -> bytes:
        """The number in the parameter's precision; what is beyond its range becomes infinite, as in C."""
        value = self._scalar("a number")
        if isinstance(value, (complex, np.complexfloating, str, bytes)):
            self.refuse(TypeError, "a real number")
        if isinstance(value, (np.timedelta64, np.void)):
            # They convert to float all the same: the one as an integer, the other as a text.
            self.refuse(TypeError, "a number")
        try:
            # Unlike float(), this takes no text and no buffers.
            number = math.ldexp(value, 0)
        except OverflowError as error:
            self.refuse(ValueError, "a number in the range of a double", cause=error)
        except (TypeError, ValueError) as error:
            self.refuse(TypeError, "a number", cause=error)
        with np.errstate(all="ignore"):
            return np.array(number, f"f{self.parameter.bits // 8}").tobytes()

    def integer(self) -> int:
        """The number, checked against the parameter's range, and noted as :attr:`whole`."""
        value = self._scalar("an integer")
        try:
            number = operator.index(value)
        except TypeError as error:
            remedy = "use int(x) to cut off the fraction" if isinstance(value, (float, np.floating)) else ""
            self.refuse(TypeError, "an integer", remedy, cause=error)
        bits, signed = self.parameter.range_bits, self.parameter.kind == "int"
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
        if not low <= number <= high:
            narrowed = self.parameter.narrowed
            self.refuse(ValueError, f"in the range {low} .. {high}", f"{narrowed} converts it to int32" if narrowed else "")
        self.whole = number
        return number

    def boolean(self) -> int:
        """0 or 1, of a bool, one of numpy, or an integer that is one of them; TypeError for all else."""
        value = self._scalar("a bool")
        if isinstance(value, (bool, np.bool)):
            return int(value)
        try:
            number = operator.index(value)
        except TypeError as error:
            self.refuse(TypeError, "True or False", "use bool(x)", cause=error)
        if number not in (0, 1):
            self.refuse(TypeError, "True or False", "use bool(x)")
        return number

    def _scalar(self, expected: str) -> Any:
        """The value itself; an array of no dimensions counts as its element."""
        if isinstance(self.value, np.ma.MaskedArray):
            self.refuse(TypeError, expected, "its mask would be ignored: use x.data or x.filled(value)")
        if isinstance(self.value, np.ndarray):
            if self.value.ndim:
                self.refuse(TypeError, expected, "use x.item() or x[i] for one element" if self.value.size else "")
            return self.value.item()
        return self.value

    # --- addresses ---

    def function_address(self, owners: Owners) -> int:
        """Address of a function: None, an integer, or a function of ctypes or Python."""
        plain = "Python or ctypes" if self.parameter.prototype else "ctypes"
        expected = f"a function of {plain}, or the address of one"
        value = self.value
        if value is None:
            self._require_nullable(expected, "None")
            return 0
        if self.parameter.prototype and is_plain(value):
            value = c_function(value, self.parameter.prototype)
        if isinstance(value, _ADDRESSES):
            owners.append(value)
            address = ctypes.cast(guarded(value), ctypes.c_void_p).value or 0
        elif isinstance(self.value, int) and not isinstance(self.value, bool) and 0 <= self.value < 1 << 64:
            address = self.value
        else:
            self.refuse(TypeError, f"{'None, ' if self.parameter.nullable else ''}{expected}")
        if not address:
            self._require_nullable(expected, "a null pointer")
        return address

    def _require_nullable(self, expected: str, given: str) -> None:
        """A null pointer is for kernels that look whether it is one."""
        if not self.parameter.nullable:
            remedy = "" if self.parameter.memory is None or self.parameter.memory.at_least_one else _WHERE_NONE_IS_ALLOWED
            self.refuse(TypeError, expected, remedy, given)

    def hold(self, memory: Pointee) -> Any:
        """What has the memory: an array, a pointer of ctypes, or None. Buffers of other objects stay exported while it lives.

        This may run code of the argument, :meth:`address` does not.
        """
        if self.value is None:
            self._require_nullable(self._wanted(memory), "None")
        elif isinstance(self.value, _POINTERS):
            self.held = self.value
        else:
            self.held = self._array(memory)
        return self.held

    def locate(self, memory: Pointee) -> None:
        """Check the memory that is held, as it is now, and find where it is."""
        if isinstance(self.held, np.ndarray):
            # A class derived from it may have attributes of its own.
            array = self.held if type(self.held) is np.ndarray else np.ndarray.view(self.held, np.ndarray)
            self._check(array, memory)
        elif self.held is not None:
            self.start = ctypes.cast(self.held, ctypes.c_void_p).value
            if not self.start:
                self._require_nullable(self._wanted(memory), "a null pointer")

    def _use(self, array: Array) -> None:
        self.located, self.start, self.bytes = array, array.__array_interface__["data"][0], array.nbytes

    def _use_copy(self, array: Array, alignment: int) -> None:
        space = np.empty(array.nbytes + alignment, np.uint8)
        skipped = -space.__array_interface__["data"][0] % alignment
        copied = space[skipped : skipped + array.nbytes].view(array.dtype).reshape(array.shape)
        copied[...] = array
        self.is_copy = True
        self._use(copied)

    def write_back(self) -> None:
        """The kernel has ended: what it did to a copy is done to the array."""
        memory = self.parameter.memory
        if self.is_copy and memory is not None and memory.writable:
            self.held[...] = self.located

    def _wanted(self, memory: Pointee) -> str:
        if memory.format is None:
            return "an array"
        return f"an array of {named(dtype_of(memory.format))}"

    def _array(self, memory: Pointee) -> Array:
        """The argument's memory as an array, without a copy."""
        value = self.value
        if isinstance(value, np.ma.MaskedArray):
            self.refuse(TypeError, self._wanted(memory), "its mask would be ignored: use x.data or x.filled(value)")
        if isinstance(value, np.ndarray):
            return value
        if memory.at_least_one and not memory.writable and isinstance(memory.format, str):
            if isinstance(value, (bool, int, float, np.generic)):
                return self._constant(memory.format)
        if isinstance(value, (str, np.generic)):
            self.refuse(TypeError, self._wanted(memory))
        if hasattr(value, "__array_interface__"):
            return np.asarray(value)
        if hasattr(value, "__dlpack__"):
            return self._from_dlpack(memory)
        try:
            view = memoryview(value)
        except TypeError:
            remedy = f"use np.array(x, {self._argument_dtype(memory)})" if isinstance(value, (list, tuple, range)) else ""
            if isinstance(value, int) and value >= _LOWEST_ADDRESS:
                remedy = "an address, such as a kernel returns, is given as ctypes.c_void_p(x)"
            self.refuse(TypeError, self._wanted(memory), remedy)
        try:
            return np.asarray(view)
        except (ValueError, TypeError, NotImplementedError):
            self.refuse(TypeError, self._wanted(memory), given=f"a buffer of format {view.format!r}")

    def _from_dlpack(self, memory: Pointee) -> Array:
        """The memory of another library's tensor, if it is one that the CPU can read."""
        try:
            array: Array = np.from_dlpack(self.value)
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            what = f"{described(self.value)}, which numpy.from_dlpack does not take: {error}"
            self.refuse(TypeError, self._wanted(memory), "copy it to the CPU's memory", what)
        return array

    def _constant(self, format_: str) -> Array:
        """A number passed for a reference to const: an object made for the call."""
        bits = 8 * np.dtype(format_).itemsize
        kind = {"f": "float", "i": "int", "u": "uint", "?": "bool"}[format_[0]]
        number = GivenArgument(
            self.kernel, self.number - 1, KernelParameter(self.parameter.name, self.parameter.text, kind, bits), self.value
        )
        if kind == "float":
            return np.frombuffer(number.float_bytes(), format_)
        return np.array(number.boolean() if kind == "bool" else number.integer(), format_)

    def _argument_dtype(self, memory: Pointee) -> str:
        if memory.format is None:
            return "dtype"
        dtype = dtype_of(memory.format)
        return f"np.{dtype.name}" if dtype.names is None else "dtype"

    def _check(self, array: Array, memory: Pointee) -> None:
        objects = self._check_type(array, memory)
        if not array.flags.c_contiguous and not self.copy:
            self.refuse(
                ValueError,
                "C-contiguous",
                f"{self._copied('np.ascontiguousarray(x)', memory)}, or give the call copy=True",
                f"{described(array)} and strides {array.strides}",
            )
        if memory.writable and not array.flags.writeable:
            self.refuse(
                ValueError,
                "writable, because the kernel may write to it",
                "use x.copy(), or declare the parameter const",
                f"read-only: {described(self.value)}",
            )
        is_misaligned = array.__array_interface__["data"][0] % memory.alignment != 0 and array.size > 0
        if is_misaligned and not self.copy:
            self._refuse_alignment(array, memory, array.__array_interface__["data"][0])
        if is_misaligned or not array.flags.c_contiguous:
            self._use_copy(array, memory.alignment)
        else:
            self._use(array)
        self.objects = objects
        if memory.at_least_one and not objects:
            self.refuse(ValueError, f"{self._wanted(memory)} with at least one object")

    def _check_type(self, array: Array, memory: Pointee) -> int:
        """The number of whole objects in the array."""
        if array.dtype.hasobject:
            self.refuse(TypeError, self._wanted(memory), "Python objects have no place in a kernel")
        if memory.format is None:
            self.plain = True
            return array.size
        expected = dtype_of(memory.format)
        count, whole = memory.count, memory
        self.plain = same_layout(array.dtype, expected)
        if not self.plain:
            # A struct of three floats may also be a row of three floats.
            element = only_element(expected)
            if expected.names is None or element is None or not same_layout(array.dtype, element[0]):
                given = "" if isinstance(self.value, np.ndarray) else f"{described(self.value)} of {named(array.dtype)}"
                self.refuse(TypeError, self._wanted(memory), self._converted(array, expected, memory), given)
            count *= element[1]
            whole = replace(memory, shape=(*memory.shape, element[1]))
        if array.size % count:
            self.refuse(
                ValueError,
                f"a whole number of objects of {count} x {named(array.dtype)} each",
                given=f"{described(array)}: {array.size} elements",
            )
        if array.size and not whole.fits(array.shape):
            self._refuse_shape(array, whole)
        return array.size // count

    def refuse_length(self, needed: Needed, numbers: dict[int, int], signature: Signature) -> NoReturn:
        """Raise the error of an array that lacks an element."""
        memory, why = self.parameter.memory, reason(needed, signature, numbers)
        assert memory is not None
        if not needed.below_end:
            self.refuse(ValueError, "an array whose elements before the first are not used", why)
        count = value_of(needed.index, numbers) + 1
        what = f"{count} objects of {memory.count} elements each" if memory.count > 1 else _elements(count)
        self.refuse(ValueError, f"{self._wanted(memory)} with at least {what}", why)

    def refuse_overlap(self, written: GivenArgument) -> None:
        """Raise the error of an array that shares memory with one that is written, unless a copy of it will do."""
        memory = self.parameter.memory
        assert memory is not None
        if self.copy and not memory.writable:
            assert self.located is not None
            self._use_copy(self.located, memory.alignment)
            return
        name = visible_name(written.parameter.name)
        remedy = "pass x.copy()" if memory.writable else "pass x.copy(), or give the call copy=True"
        self.refuse(
            ValueError,
            f"apart from argument {written.number} '{name}', which the kernel writes",
            remedy,
            f"an array that shares memory with it, and the result may depend on the order of accesses: {described(self.value)}",
        )

    def _refuse_shape(self, array: Array, memory: Pointee) -> NoReturn:
        layout = ", ".join(str(count) for count in (..., *memory.shape)).replace("Ellipsis", "...")
        rest, remedy = "", f"use x.reshape(-1, {', '.join(map(str, memory.shape))}) if that is what they mean"
        if memory.unused:
            used = memory.shape[-1] - memory.unused
            are = "is" if memory.unused == 1 else "are"
            rest = f": each {used} elements are followed by {memory.unused} that {are} not used"
            if array.ndim and array.shape[-1] == used:
                axes = ", ".join(["(0, 0)"] * (array.ndim - 1) + [f"(0, {memory.unused})"])
                remedy = self._copied(f"np.pad(x, ({axes}{',' if array.ndim == 1 else ''}))", memory)
        self.refuse(ValueError, f"an array of {named(array.dtype)} with shape ({layout}){rest}", remedy)

    def _refuse_alignment(self, array: Array, memory: Pointee, start: int) -> NoReturn:
        dtype = f"np.{array.dtype.name}" if array.dtype.names is None else "x.dtype"
        remedy = f"use voltac.empty(x.shape, {dtype}) and fill it" if memory.alignment > 16 else "use x.copy()"
        self.refuse(
            ValueError,
            f"aligned to {memory.alignment} bytes",
            remedy,
            f"{described(array)} at address {start:#x}",
        )

    def _converted(self, array: Array, expected: Dtype, memory: Pointee) -> str:
        """What to write instead of an array of the wrong dtype."""
        if expected.names is not None:
            return f"use k[{self.kernel!r}].dtype({self.parameter.name!r})"
        if array.dtype.names is not None or array.dtype.kind in "USVmMO":
            return ""
        wanted = f"np.{expected.name}"
        if not isinstance(self.value, np.ndarray):
            is_raw = array.dtype.itemsize == 1 and array.ndim == 1
            return f"use np.frombuffer(x, {wanted})" if is_raw else self._copied(f"np.array(x, {wanted})", memory)
        same_size = array.dtype.isnative and array.dtype.itemsize == expected.itemsize
        if (same_size and array.dtype.kind + expected.kind in ("iu", "ui", "ub", "bu", "ib", "bi")) or (
            array.dtype.kind == "c" and expected.kind == "f" and array.dtype.itemsize == 2 * expected.itemsize
        ):
            return f"use x.view({wanted})"
        return self._copied(f"x.astype({wanted})", memory)

    @staticmethod
    def _copied(expression: str, memory: Pointee) -> str:
        if memory.writable:
            return f"use {expression}; that is a copy, so read what the kernel writes from it"
        return f"use {expression}"
