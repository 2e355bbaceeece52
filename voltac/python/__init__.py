"""The face to Python: source text or a file in, kernels that are called with numpy arrays out.

A kernel gets the address of an array's first element, as from C: it works in
place, and how many elements there are is for the caller to say. Type, byte order,
contiguity, alignment and writability are checked; that the count passed to the
kernel is not beyond the array's end cannot be.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from voltac.diagnostics import NOWHERE, Diagnostics, suggestion
from voltac.llvm.host import host_target
from voltac.options import MATH_LIBRARIES, Options
from voltac.python.build import build_module
from voltac.python.kernel import Kernel
from voltac.python.module import KernelModule
from voltac.python.printing import PRINT_FUNCTION
from voltac.python.source import Source
from voltac.target_info import TargetInfo, find_target

__all__ = ["Kernel", "KernelModule", "compile", "compile_with_options", "empty", "load"]

Defines = Mapping[str, object] | Iterable[str]


def load(
    path: str | os.PathLike[str],
    *,
    cache: bool = True,
    functions: Mapping[str, object] | None = None,
    launch: Mapping[str, Any] | None = None,
    **options: Any,
) -> KernelModule:
    """Compile the program in a file. Options as for :func:`compile`. A program for a device may be compiled already.

    Raises :class:`OSError` if the file cannot be read, :class:`voltac.CompileError` if it cannot be compiled,
    and ValueError for a damaged ELF file.
    """
    name = os.fsdecode(path)
    with open(name, "rb") as file:
        content = file.read()
    if content.startswith(b"\x7fELF"):
        from voltac.python.device_file import load_file  # for devices only

        return load_file(content, name, launch, options)
    return build_module(Source(_decoded(content, name), name, make_options(**options)), cache, functions, launch)


def compile(
    source: str,
    *,
    file: str = "<string>",
    cache: bool = True,
    functions: Mapping[str, object] | None = None,
    launch: Mapping[str, Any] | None = None,
    **options: Any,
) -> KernelModule:
    """Compile a program.

    ``target`` names the target; the default ``host`` is the best for this CPU.
    ``defines`` are macros, a mapping or ``NAME`` and ``NAME=VALUE`` texts; ``include``
    folders for ``#include``; ``opt`` the level 0 to 3. ``functions`` are what the
    program declares ``extern "C"`` and no library of the process has: functions of
    ctypes, or addresses. For a device, ``launch`` says with how many ``cores`` and
    ``threads`` kernels run on its simulator. Other options are the fields of
    :class:`voltac.options.Options`. Raises :class:`voltac.CompileError`.
    """
    if not isinstance(source, str):
        raise TypeError(f"the source must be a str, not {type(source).__name__}; voltac.load takes the path of a file")
    text = _decoded(source.encode("utf-8", "surrogatepass"), file)
    return build_module(Source(text, file, make_options(**options)), cache, functions, launch)


def compile_with_options(text: str, file: str, options: Options, cache: bool = True) -> KernelModule:
    """Compile a program with options that are complete."""
    return build_module(Source(text, file, options), cache)


def make_options(
    target: str | TargetInfo = "host",
    defines: Defines = (),
    include: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
    opt: int = 3,
    **others: Any,
) -> Options:
    """Options from the arguments of :func:`compile`."""
    known = set(Options.__match_args__) - {"target", "level", "defines", "include_directories"}
    for name in others:
        if name not in known:
            raise TypeError(f"there is no option '{name}'{suggestion(name, {*known, 'target', 'defines', 'include', 'opt'})}")
    if opt not in (0, 1, 2, 3):
        raise ValueError(f"opt must be 0, 1, 2 or 3, not {opt!r}")
    if others.get("math_library", "default") not in MATH_LIBRARIES:
        raise ValueError(f"math_library must be one of {', '.join(MATH_LIBRARIES)}, not {others['math_library']!r}")
    folders = (include,) if isinstance(include, (str, os.PathLike)) else include
    fields: dict[str, Any] = {"whole_program": True, "print_function": PRINT_FUNCTION} | others
    return Options(
        target=_target(target),
        level=opt,
        defines=_defines(defines),
        include_directories=tuple(os.path.abspath(os.fspath(folder)) for folder in folders),
        **fields,
    )


def empty(shape: int | tuple[int, ...], dtype: Any = np.float32, alignment: int = 128) -> np.ndarray[Any, np.dtype[Any]]:
    """An array whose first element is aligned, as pointers to varying data need it; numpy itself promises 16 bytes."""
    kind = np.dtype(dtype)
    if kind.hasobject:
        raise TypeError("Python objects have no place in a kernel")
    if alignment < 1 or alignment & (alignment - 1):
        raise ValueError(f"alignment must be a power of two, not {alignment}")
    dimensions = shape if isinstance(shape, tuple) else (shape,)
    size = int(np.prod(dimensions, dtype=np.int64)) * kind.itemsize
    memory = np.empty(size + alignment, np.uint8)
    start = -memory.__array_interface__["data"][0] % alignment
    aligned: np.ndarray[Any, np.dtype[Any]] = memory[start : start + size].view(kind).reshape(dimensions)
    return aligned


def _target(target: str | TargetInfo) -> TargetInfo:
    if isinstance(target, TargetInfo):
        return target
    return host_target() if target == "host" else find_target(target)


def _defines(defines: Defines) -> tuple[tuple[str, str], ...]:
    if isinstance(defines, Mapping):
        return tuple((name, _macro_value(value)) for name, value in defines.items())
    if isinstance(defines, str):
        defines = (defines,)
    pairs = (define.partition("=") for define in defines)
    return tuple((name, value if equals else "1") for name, equals, value in pairs)


def _macro_value(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return "0" if value is False else "1"
    return str(value)


def _decoded(content: bytes, name: str) -> str:
    """The text of a source; what is wrong with it is a CompileError like any other."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = ""
    if text.strip():
        return text
    from voltac.driver import InputError, decode_source  # only here: a cached kernel is called without the compiler

    diagnostics = Diagnostics(wrap=False)
    try:
        return decode_source(content, name)
    except InputError as error:
        diagnostics.fatal(NOWHERE, str(error))
