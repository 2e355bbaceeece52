"""The object a program calls: ``k.saxpy``. Its type has the generated entry point as its vectorcall function.

The methods are plain Python, in :class:`Kernel`; :func:`_calling_type` derives from
it a type with one more field, the address of the code that CPython jumps to when
an instance is called. So a call costs no more than one of a builtin function,
which itself could not carry ``signature`` and ``compare``.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from voltac.llvm.host import require_runnable
from voltac.messages.visible import visible_value
from voltac.python.arguments import Arguments
from voltac.python.lengths import omissible
from voltac.python.numpy_formats import Dtype, dtype_of, named
from voltac.python.object_loader import LoadedCode
from voltac.python.signatures import KernelParameter, Signature
from voltac.system.once import once

if TYPE_CHECKING:
    import inspect
    import os

    from voltac.python.building import Build
    from voltac.python.recorded_calls import Recorder
    from voltac.python.source import Source
    from voltac.python.target_choice import Choice
    from voltac.report.bench import Bench
    from voltac.report.profile import Profile


class Kernel:
    """An exported function of a compiled program, called with numpy arrays and numbers."""

    __slots__ = ("__weakref__", "_arguments", "_build", "_code", "_signature", "_source")

    _arguments: Arguments
    _build: Build
    """What made it of its source, and makes variants of it to compare."""
    _code: LoadedCode | None
    """Keeps the machine code loaded."""
    _signature: Signature
    _source: Source

    if TYPE_CHECKING:

        def __call__(self, /, *given: Any, **by_name: Any) -> Any:
            """Call the kernel with numpy arrays, numbers and None, by position or by name."""

    @property
    def signature(self) -> str:
        """The function as the language declares it."""
        return str(self._signature)

    @property
    def parameters(self) -> tuple[KernelParameter, ...]:
        """What the function takes, one record a parameter."""
        return self._signature.parameters

    @property
    def target(self) -> str:
        """Name of the target the code is for."""
        return self._source.options.target.name

    @property
    def target_choice(self) -> Choice | None:
        """Why the target was taken, with ``target="auto"``; else None."""
        return self._source.origin.choice

    @property
    def __name__(self) -> str:
        return self._signature.name

    @property
    def __signature__(self) -> inspect.Signature:
        import inspect  # late: calls do not need it

        optional = omissible(self._signature)
        return inspect.Signature(
            [
                inspect.Parameter(
                    row.name,
                    inspect.Parameter.POSITIONAL_OR_KEYWORD,
                    default=row.default_object if position in optional else inspect.Parameter.empty,
                )
                for position, row in enumerate(self.parameters)
            ]
        )

    def dtype(self, parameter: str) -> Dtype:
        """The dtype of the array a pointer parameter takes."""
        for row in self.parameters:
            if row.name == parameter and row.memory is not None and row.memory.format is not None:
                return dtype_of(row.memory.format)
        raise ValueError(f"{self.__name__}() has no parameter {visible_value(parameter)} that takes an array of one dtype")

    def assembly(self) -> str:
        """The machine code of this function, as assembly language."""
        return self._source.assembly(self.__name__)

    def compare(self, **options: Any) -> Any:
        """The all-on and the masked path of each construct side by side; see :mod:`voltac.python.compare_paths`."""
        from voltac.python.compare_paths import compare  # late: this compiles, a call does not

        return compare(self._build, self._source, self.__name__, **options)

    def profile(self, /, *given: Any, **by_name: Any) -> Profile:
        """A call, arguments as usual, of code that counts for each statement how often it ran with how many lanes on.

        Raises what the call raises, and ValueError for a device.
        """
        from voltac.python.profiled_call import profile  # late: this compiles, a call does not

        return profile(self._build, self._source, self.__name__, given, by_name)

    def bench(self, **options: Any) -> Bench:
        """Times for targets and sizes, against what the machine allows; see :func:`voltac.python.bench_kernels.bench`."""
        from voltac.python.bench_kernels import bench  # late: this compiles, a call does not

        return bench(self._build, self._source, self.__name__, **options)

    def record(self, path: str | os.PathLike[str]) -> Recorder:
        """The kernel, with each call written to a file before it is made: source, options, arguments; then what it left.

        ``voltac replay`` makes the call again.
        """
        from voltac.python.recorded_calls import Recorder  # late: calls do not need it

        return Recorder(self, path)

    def _repr_html_(self) -> str:
        from voltac.python.html_views import kernel_view  # late: calls do not need it

        return kernel_view(self._source, self._signature, [_accepted(row) for row in self.parameters])

    def __repr__(self) -> str:
        return f"<kernel {self.signature} for {self.target}>"

    def __copy__(self) -> Kernel:
        # As with functions: there is one of it, with its module's globals.
        return self

    def __deepcopy__(self, memo: object) -> Kernel:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        from voltac.python.portable import kernel_again, program_of  # late: calls do not need it

        return kernel_again, (program_of(self._source), self.__name__)

    def __dask_tokenize__(self) -> tuple[str, ...]:
        from voltac.python.portable import token  # late: as above

        return (*token(self._source), self.__name__)


def _documentation(kernel: Kernel) -> str:
    """Signature, the comment above the function, and what each parameter takes."""
    signature = kernel._signature
    parts = [str(signature), signature.documentation.strip()]
    parts.append("\n".join(f"{row.name}: {_accepted(row)}" for row in signature.parameters))
    return "\n\n".join(part for part in parts if part)


# A class whose docstring is the documentation of its instances: set afterwards, or it would be the class's own.
Kernel.__doc__ = property(_documentation)  # type: ignore[assignment]


def _accepted(parameter: KernelParameter) -> str:
    memory = parameter.memory
    match parameter.kind:
        case "function":
            return "address of a function"
        case "pointer" if memory is not None:
            words = ["" if memory.writable else "read-only", "array"]
            if memory.format is not None:
                words += ["of", named(dtype_of(memory.format))]
            if memory.shape:
                words.append(f"with shape (..., {', '.join(map(str, memory.shape))})")
            elif memory.count > 1:
                words.append(f"in groups of {memory.count}")
            if memory.alignment > 16:
                words.append(f"aligned to {memory.alignment} bytes")
            if parameter.nullable:
                words.append("or None")
            return " ".join(word for word in words if word)
        case "bool":
            return "bool"
        case "float":
            return "number"
    return f"integer of {parameter.bits} bits, {'signed' if parameter.kind == 'int' else 'unsigned'}"


class CheckedKernel(Kernel):
    """A kernel for interpreters whose objects the entry point cannot read, and for CPUs that cannot run the code."""

    __slots__ = ()

    def __call__(self, /, *given: Any, **by_name: Any) -> Any:
        """The same call, by Python code; ``CannotRun`` if this CPU lacks instructions of the target."""
        if self._code is None:
            require_runnable(self._source.options.target)
        return self._arguments(*given, **by_name)


def make_kernel(
    signature: Signature, source: Source, arguments: Arguments, build: Build, code: LoadedCode | None, entry: int
) -> Kernel:
    """A kernel that calls the code at ``entry``; with 0, through ``arguments`` alone."""
    if entry:
        type_, place = _calling_type()
        kernel: Kernel = object.__new__(type_)
    else:
        kernel = CheckedKernel()
    kernel._signature, kernel._source, kernel._arguments = signature, source, arguments
    kernel._build, kernel._code = build, code
    if entry:
        ctypes.c_void_p.from_address(id(kernel) + place).value = entry
    return kernel


# --- the type, as C would declare it ------------------------------------------------------------------------------

_HAVE_VECTORCALL, _DEFAULT_FLAGS = 1 << 11, 1 << 18
_TP_CALL, _TP_MEMBERS = 50, 72
_SSIZE_MEMBER, _READ_ONLY = 19, 1
"""Flags of a type, slots and members as Python's headers number them; part of its stable ABI."""


class _Slot(ctypes.Structure):
    _fields_ = (("slot", ctypes.c_int), ("function", ctypes.c_void_p))


class _Member(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_int),
        ("offset", ctypes.c_ssize_t),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class _Spec(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("basicsize", ctypes.c_int),
        ("itemsize", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("slots", ctypes.POINTER(_Slot)),
    )


_kept: list[object] = []
"""What the type's declaration points to."""


@once
def _calling_type() -> tuple[type[Kernel], int]:
    """The type of kernels, and where in an instance the address of its code stands."""
    python = ctypes.pythonapi
    place: int = Kernel.__basicsize__
    members = (_Member * 2)(_Member(b"__vectorcalloffset__", _SSIZE_MEMBER, place, _READ_ONLY, None), _Member())
    call = ctypes.cast(python.PyVectorcall_Call, ctypes.c_void_p)
    slots = (_Slot * 3)(_Slot(_TP_MEMBERS, ctypes.addressof(members)), _Slot(_TP_CALL, call), _Slot(0, None))
    spec = _Spec(b"voltac.Kernel", place + ctypes.sizeof(ctypes.c_void_p), 0, _DEFAULT_FLAGS | _HAVE_VECTORCALL, slots)
    _kept.extend((members, slots, spec))
    make = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object)(("PyType_FromSpecWithBases", python))
    type_: type[Kernel] = make(ctypes.addressof(spec), (Kernel,))
    type_.__doc__ = Kernel.__dict__["__doc__"]  # a type made this way has None there
    return type_, place
