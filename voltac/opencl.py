"""The OpenCL view of a device with threads, as its manual maps the notions: small, and nothing the manual does not say.

    from voltac import opencl

    device = opencl.Device(cores=4)
    kernel = device.kernel("product.ispc", "product")
    a, b = device.buffer(x), device.buffer(y, space="constant")
    out = device.buffer(np.zeros_like(x))
    kernel.enqueue(opencl.NDRange(32, 8), a, b, out, 32)      # 32 work-items in groups of 8: 4 cores with 8 threads
    result = out.read()

=============== ============================
compute unit    core
work-group      the threads of one core
work-item       one hardware thread: 16 lanes
global memory   main memory
constant memory main memory, only read
local memory    scratchpad: ``__scratchpad`` variables of the program
private memory  the stack of a thread
=============== ============================

In a kernel ``get_local_id(0)`` is the number of the thread and ``get_group_id(0)`` that of the core.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from voltac.messages.suggestions import suggestion
from voltac.python import compile as compile_text
from voltac.python import load
from voltac.python.device_kernel import DeviceKernel
from voltac.python.device_run import changed, first_launch
from voltac.python.numpy_formats import described
from voltac.records import record
from voltac.target_info import DEVICES

_TARGET = next(target for target in DEVICES.values() if target.has_threads and target.has_scratchpad)
_FACTS: Any = _TARGET.device
LANES = _TARGET.width
MAX_THREADS: int = _FACTS.threads.most
LOCAL_MEMORY: int = _FACTS.scratchpad_bytes
"""Bytes of a core's scratchpad that programs have; the compiler keeps the rest."""


class Unsupported(ValueError):
    """OpenCL has it, and the device does not; ``str()`` says what it has."""


_HELD: dict[str, type[np.generic]] = {
    "char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32, "uint": np.uint32,
    "float": np.float32,
}  # fmt: skip
"""Scalar type of OpenCL → element in memory. In a register each takes a lane of 32 bits."""

VECTOR_TYPES: dict[str, np.dtype[Any]] = {f"{name}{LANES}": np.dtype(kind) for name, kind in _HELD.items()}
"""The vector types of the device."""


def vector_type(name: str) -> np.dtype[Any]:
    """The dtype of a vector type's elements; :class:`Unsupported` for those that the device has not."""
    found = VECTOR_TYPES.get(name)
    if found is not None:
        return found
    scalar = name.rstrip("0123456789")
    known = ", ".join(VECTOR_TYPES)
    if scalar in ("long", "ulong", "double", "half"):
        raise Unsupported(f"'{name}': the device has no vectors of {scalar}, only {known}")
    if scalar in _HELD and scalar != name:
        raise Unsupported(f"'{name}': vectors have {LANES} elements on the device; use '{scalar}{LANES}'")
    raise Unsupported(f"'{name}' is no vector type{suggestion(name, VECTOR_TYPES) or f'; there are {known}'}")


@record
class NDRange:
    """``global_size`` work-items in groups of ``local_size``."""

    global_size: int
    local_size: int

    @property
    def groups(self) -> int:
        """How many work-groups there are."""
        return self.global_size // self.local_size


class Device:
    """A many-core array with its main memory."""

    def __init__(
        self,
        cores: int = 1,
        latency: int = 40,
        fpu: str = "ideal",
        write_latency: int = 2,
        blocking_stores: bool = False,
    ) -> None:
        self._machine = {
            "latency": latency,
            "fpu": fpu,
            "write_latency": write_latency,
            "blocking_stores": blocking_stores,
        }
        try:
            launch = changed(first_launch(_TARGET), {**self._machine, "cores": cores}, _TARGET)
        except ValueError as error:
            raise Unsupported(f"a device's {error}") from None
        self.max_compute_units = launch.cores
        self.max_work_group_size = MAX_THREADS
        self.local_memory_size = LOCAL_MEMORY

    def kernel(self, source: str | os.PathLike[str], name: str, **options: Any) -> Kernel:
        """A kernel of a program: ``source`` is the path of a file, or the text itself. Options as for ``voltac.compile``."""
        text = os.fspath(source)
        build: Any = compile_text if "\n" in text or "{" in text else load
        module = build(text, target=_TARGET.name, launch=self._machine, **options)
        return Kernel(self, module[name])

    def buffer(self, content: Any, space: str = "global", vectors: str | None = None) -> Buffer:
        """Memory that kernels are given: a copy of an array, or zeros for a number of bytes.

        ``space`` is ``global`` or ``constant``; ``vectors`` names a vector type that the elements make up.
        """
        return Buffer(content, space, vectors)

    def __repr__(self) -> str:
        return f"<OpenCL device {_FACTS.title}, {self.max_compute_units} compute units of {self.max_work_group_size} threads>"


_NOT_FROM_HOST = {
    "local": "local memory is the scratchpad, which the host does not reach: declare a '__scratchpad' variable in the program",
    "private": "private memory is the stack of a thread: declare a variable in the kernel",
}


class Buffer:
    """A piece of main memory."""

    def __init__(self, content: Any, space: str = "global", vectors: str | None = None) -> None:
        if space in _NOT_FROM_HOST:
            raise Unsupported(_NOT_FROM_HOST[space])
        if space not in ("global", "constant"):
            raise Unsupported(f"'{space}' is no address space; there are global, constant, local and private")
        if isinstance(content, int):
            content = np.zeros(content, np.uint8)
        if not isinstance(content, np.ndarray):
            raise TypeError(f"a buffer is made of an array or a number of bytes, not of {described(content)}")
        if content.dtype.itemsize == 8 and content.dtype.kind in "iuf":
            narrow = f"{content.dtype.kind}4"
            raise Unsupported(f"the device has no numbers of 64 bits: use an array of {narrow}, not {content.dtype}")
        self.space = space
        self._memory = np.ascontiguousarray(content).copy()
        if vectors is not None:
            self._check(vectors)

    def _check(self, vectors: str) -> None:
        wanted = vector_type(vectors)
        if self._memory.dtype != wanted:
            raise TypeError(f"{vectors} are vectors of {wanted}, not of {self._memory.dtype}")
        if self._memory.size % LANES:
            raise ValueError(f"{self._memory.size} elements are no whole number of {vectors}")

    def read(self) -> np.ndarray[Any, np.dtype[Any]]:
        """A copy of what lies in the memory now."""
        return self._memory.copy()

    def write(self, content: np.ndarray[Any, np.dtype[Any]]) -> None:
        """Replace what lies in the memory."""
        if content.shape != self._memory.shape or content.dtype != self._memory.dtype:
            raise TypeError(f"the buffer holds {described(self._memory)}, not {described(content)}")
        self._memory[...] = content

    @property
    def size(self) -> int:
        """In bytes."""
        return self._memory.nbytes

    def __repr__(self) -> str:
        return f"<{self.space} buffer, {described(self._memory)}>"


class Kernel:
    """A kernel and its arguments."""

    def __init__(self, device: Device, kernel: Any) -> None:
        self._device = device
        self._kernel: DeviceKernel = kernel
        self._arguments: dict[int, Any] = {}

    @property
    def name(self) -> str:
        """As in the source."""
        return self._kernel.__name__

    @property
    def num_args(self) -> int:
        """How many arguments :meth:`enqueue` takes behind the range."""
        return len(self._kernel.parameters)

    @property
    def local_memory_size(self) -> int:
        """Bytes of a core's scratchpad that the kernel's program has variables in."""
        return self._kernel.scratchpad_bytes

    def set_arg(self, number: int, value: Any) -> None:
        """Set one argument: a :class:`Buffer` or a number."""
        if not 0 <= number < self.num_args:
            raise IndexError(f"kernel {self.name} has arguments 0 to {self.num_args - 1}, not {number}")
        parameter = self._kernel.parameters[number]
        place = f"argument {number} of {self.name}"
        if isinstance(value, np.ndarray):
            raise TypeError(f"{place}: an array lies in the host's memory; device.buffer(x) copies it")
        if isinstance(value, Buffer) and value.space == "constant" and (parameter.memory is None or parameter.memory.writable):
            raise TypeError(f"{place}: '{parameter.name}' is not const, and the buffer is constant memory")
        self._arguments[number] = value

    def enqueue(self, work: NDRange, *arguments: Any) -> Any:
        """Run on as many work-items as the range has, and wait; ``arguments`` are set first. Gives the run's report."""
        self._check(work)
        if arguments and len(arguments) != self.num_args:
            raise TypeError(f"kernel {self.name} takes {self.num_args} arguments, {len(arguments)} given")
        for number, value in enumerate(arguments):
            self.set_arg(number, value)
        missing = [str(number) for number in range(self.num_args) if number not in self._arguments]
        if missing:
            raise TypeError(f"kernel {self.name}: argument {', '.join(missing)} has not been set")
        given = [self._arguments[number] for number in range(self.num_args)]
        self._kernel.configure(cores=work.groups, threads=work.local_size)
        self._kernel(*(value._memory if isinstance(value, Buffer) else value for value in given))
        return self._kernel.last_run

    def _check(self, work: NDRange) -> None:
        if not 1 <= work.local_size <= MAX_THREADS:
            raise Unsupported(f"a work-group is the threads of a core, 1 to {MAX_THREADS}, not {work.local_size}")
        if work.global_size < 1 or work.global_size % work.local_size:
            raise Unsupported(f"{work.global_size} work-items are no whole number of groups of {work.local_size}")
        units = self._device.max_compute_units
        if work.groups > units:
            raise Unsupported(
                f"{work.groups} work-groups need as many cores, and the device has {units}: a work-item is a hardware thread,"
                f" not an index; let each do several"
            )

    def __repr__(self) -> str:
        return f"<OpenCL kernel {self._kernel.signature}>"
