"""The face to Python: source text or a file in, kernels that are called with numpy arrays out.

A kernel gets the address of an array's first element, as from C: it works in
place, and how many elements there are is for the caller to say. Type, byte order,
contiguity, alignment and writability are checked; that the count passed to the
kernel is not beyond the array's end cannot be.
"""

from __future__ import annotations

import math
import operator
import os
import sys
import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, SupportsIndex, Unpack

import numpy as np

from voltac.llvm.host import host_target
from voltac.messages.exceptions import VoltacWarning, is_compile_error, of_caller
from voltac.messages.suggestions import suggestion
from voltac.messages.visible import visible_name, visible_value
from voltac.options import Options
from voltac.options.checks import CHECKS, plain_text
from voltac.python.build import build_module
from voltac.python.callbacks import PRINT_FUNCTION
from voltac.python.kernel import Kernel
from voltac.python.module import KernelModule
from voltac.python.numpy_formats import described
from voltac.python.source import Origin, Source
from voltac.system.files import read_file
from voltac.system.forking import compiling
from voltac.target_info import TargetInfo, find_target

if TYPE_CHECKING:
    from voltac.python.call_options import CompileOptions

__all__ = ["Kernel", "KernelModule", "VoltacWarning", "compile", "compile_with_options", "empty", "load"]

Defines = Mapping[str, object] | Iterable[str]
Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]


def load(
    path: str | os.PathLike[str],
    *,
    cache: bool = True,
    functions: Mapping[str, object] | None = None,
    launch: Mapping[str, Any] | None = None,
    **options: Unpack[CompileOptions],
) -> KernelModule:
    """Compile the program in a file. Options as for :func:`compile`. A program for a device may be compiled already.

    Raises :class:`OSError` if the file cannot be read, :class:`voltac.CompileError` if it cannot be compiled,
    and ValueError for a damaged ELF file.
    """
    _check_arguments(cache, functions, launch)
    name = os.fsdecode(path)
    content = read_file(name)
    if content.startswith(b"\x7fELF"):
        from voltac.python.device_file import load_file  # late: for devices only

        with compiling():
            return load_file(content, name, launch, options, build_module)
    try:
        return _told(_built(content, name, cache, functions, launch, options))
    except Exception as error:
        if is_compile_error(error) or isinstance(error, (TypeError, ValueError)):
            # Without the compiler's frames, which are not what is wrong.
            raise of_caller(error) from None
        raise


def compile(
    source: str,
    *,
    file: str = "<string>",
    cache: bool = True,
    functions: Mapping[str, object] | None = None,
    launch: Mapping[str, Any] | None = None,
    **options: Unpack[CompileOptions],
) -> KernelModule:
    """Compile a program.

    ``target`` names the target; the default ``host`` is the best for this CPU, ``auto`` the fastest as measured once.
    ``defines`` are macros, a mapping or ``NAME`` and ``NAME=VALUE`` texts; ``include``
    folders for ``#include``; ``opt`` the level 0 to 3; ``debug_prefix_map`` a mapping or pairs. ``functions`` are what the
    program declares ``extern "C"`` and no library of the process has: functions of Python
    or ctypes, or addresses. For a device, ``launch`` says with how many ``cores`` and
    ``threads`` kernels run on its simulator. Other options are the fields of
    :class:`voltac.options.Options`. Raises :class:`voltac.CompileError`.
    """
    if not isinstance(source, str):
        raise TypeError(f"the source must be a str, not {type(source).__name__}; voltac.load takes the path of a file")
    if not isinstance(file, str):
        raise TypeError(f"file must be a str, the name that messages give the source, not {described(file)}")
    _check_arguments(cache, functions, launch)
    name = plain_text(file)
    try:
        return _told(_built(source.encode("utf-8", "surrogatepass"), name, cache, functions, launch, options))
    except Exception as error:
        if is_compile_error(error) or isinstance(error, (TypeError, ValueError)):
            # Without the compiler's frames, which are not what is wrong.
            raise of_caller(error) from None
        raise


def _built(
    content: bytes,
    name: str,
    cache: bool,
    functions: Mapping[str, object] | None,
    launch: Mapping[str, Any] | None,
    options: Mapping[str, Any],
) -> KernelModule:
    with compiling():
        text = _decoded(content, name)
        if options.get("target") != AUTOMATIC:
            return build_module(_source(text, name, options), cache, functions, launch)
        from voltac.python.chosen_target import with_chosen_target  # late: it brings what measures, and few ask for it

        source = _source(text, name, {**options, "target": "host"}).with_origin(for_host=False)
        return build_module(with_chosen_target(build_module, source, cache, functions), cache, functions, launch)


def _told(module: KernelModule) -> KernelModule:
    """The module; what the compiler had to say about it is a warning where the caller's caller stands."""
    if module.warnings:
        warnings.warn(VoltacWarning(module.warnings.strip()), stacklevel=3)
    return module


def _source(text: str, name: str, options: Mapping[str, Any]) -> Source:
    return Source(text, name, make_options(**options), Origin(for_host=options.get("target", "host") == "host"))


def _check_arguments(cache: object, functions: object, launch: object) -> None:
    if not isinstance(cache, bool):
        raise TypeError(f"cache must be True or False, not {described(cache)}")
    for name, given in (("functions", functions), ("launch", launch)):
        if given is not None and not (isinstance(given, Mapping) and all(isinstance(key, str) for key in given)):
            raise TypeError(f"{name} must be a mapping from names, or None, not {described(given)}")


def compile_with_options(text: str, file: str, options: Options, cache: bool = True) -> KernelModule:
    """Compile a program with options that are complete."""
    with compiling():
        return build_module(Source(text, file, options), cache)


def make_options(
    target: str | TargetInfo = "host",
    defines: Defines = (),
    include: Path | Iterable[Path] = (),
    opt: int = 3,
    **others: Any,
) -> Options:
    """Options from the arguments of :func:`compile`: TypeError or ValueError for whatever is none."""
    known = set(Options.__match_args__) - _RENAMED.keys() - _NOT_FOR_CALLERS
    for name in others:
        if name not in known:
            close = suggestion(name, {*known, *_RENAMED.values()})
            raise TypeError(f"there is no option '{visible_name(name)}'{_OTHER_NAMES.get(name, close)}")
    fields: dict[str, Any] = {"whole_program": True, "print_function": PRINT_FUNCTION, "catch_failures": True} | others
    if "debug_prefix_map" in others:
        fields["debug_prefix_map"] = _prefixes(others["debug_prefix_map"])
    # As on the command line, what is about debug information asks for some.
    if "dwarf_version" in others or others.get("profiling") is True:
        fields.setdefault("debug_info", True)
    CHECKS["level"]("opt", opt)
    options = Options(
        target=_target(target), level=opt, defines=_defines(defines), include_directories=_folders(include), **fields
    )
    if options.sample_profile:
        from voltac.passes.sample_profile import NotAProfile, read_profile  # late: brings all passes, for this only

        try:
            read_profile(options.sample_profile)
        except NotAProfile as error:
            raise ValueError(f"sample_profile must be the text of a sample profile: {error}") from None
    return options


def empty(
    shape: SupportsIndex | Iterable[SupportsIndex], dtype: Any = np.float32, alignment: int = 128
) -> np.ndarray[Any, np.dtype[Any]]:
    """An array whose first element is aligned, as pointers to varying data need it; numpy itself promises 16 bytes."""
    kind = np.dtype(dtype)
    if kind.hasobject:
        raise TypeError("Python objects have no place in a kernel")
    bound = _whole(alignment, "alignment must be a power of two")
    if bound < 1 or bound & (bound - 1):
        raise ValueError(f"alignment must be a power of two, not {visible_value(alignment)}")
    expected = "shape must be a number or numbers, none of them negative"
    extents = shape if isinstance(shape, Iterable) and not isinstance(shape, (str, bytes)) else (shape,)
    dimensions = tuple(_whole(extent, expected) for extent in extents)
    if min(dimensions, default=0) < 0:
        raise ValueError(f"{expected}, not {visible_value(shape)}")
    size = math.prod(dimensions) * kind.itemsize
    if size + bound > sys.maxsize:
        raise ValueError(f"an array of shape {visible_value(shape)} has more bytes than there are addresses")
    memory = np.empty(size + bound, np.uint8)
    start = -memory.__array_interface__["data"][0] % bound
    aligned: np.ndarray[Any, np.dtype[Any]] = memory[start : start + size].view(kind).reshape(dimensions)
    return aligned


def _whole(value: Any, expected: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{expected}, not {visible_value(value)}") from None


AUTOMATIC = "auto"
"""The name of a target that is chosen by measuring."""
_NOT_FOR_CALLERS = {"masked_paths", "symbol_suffix"}
"""Code without masked paths is wrong wherever they are taken, and kernels are found by the names they have in the source."""
_RENAMED = {"target": "target", "level": "opt", "defines": "defines", "include_directories": "include"}
"""Fields of Options that are given in another form -> the argument for them."""
_OTHER_NAMES = {name: f"; it is called '{other}' here" for name, other in _RENAMED.items()}


def _target(target: Any) -> TargetInfo:
    if isinstance(target, str):
        return host_target() if target == "host" else find_target(plain_text(target))
    checked: TargetInfo = CHECKS["target"]("target", target)
    return checked


def _folders(include: Any) -> tuple[str, ...]:
    folders = (include,) if isinstance(include, (str, bytes, os.PathLike)) else include
    expected = "include must be the path of a folder or several of them"
    try:
        paths = None if isinstance(folders, Mapping) else tuple(os.path.abspath(os.fsdecode(folder)) for folder in folders)
    except TypeError:
        paths = None
    if paths is None:
        raise TypeError(f"{expected}, not {visible_value(include)}")
    for path in paths:
        if "\0" in path:
            raise ValueError(f"{expected}, and '{visible_name(path)}' is none: it has a null character")
    return paths


def _prefixes(given: Any) -> tuple[tuple[str, str], ...]:
    """Beginnings of paths and what stands for them in debug information, from a mapping or pairs."""
    expected = "debug_prefix_map must be a mapping of paths, or pairs (old, new) of them"
    pairs: Any = given.items() if isinstance(given, Mapping) else given
    if isinstance(pairs, (str, bytes)) or not isinstance(pairs, Iterable):
        raise TypeError(f"{expected}, not {visible_value(given)}")
    found = []
    for pair in pairs:
        try:
            old, new = map(os.fsdecode, pair if isinstance(pair, (tuple, list)) else (pair,))
        except (TypeError, ValueError):
            raise TypeError(f"{expected}, and {visible_value(pair)} is none") from None
        if not old or "\0" in old + new:
            what = "a null character" if old else "nothing in the place of the old path"
            raise ValueError(f"{expected}, and {visible_value(pair)} has {what}")
        found.append((old, new))
    return tuple(found)


def _defines(defines: Any) -> tuple[tuple[str, str], ...]:
    if isinstance(defines, Mapping):
        return tuple((_macro_name(name), _macro_value(name, value)) for name, value in defines.items())
    texts = (defines,) if isinstance(defines, str) else defines
    if isinstance(texts, bytes) or not isinstance(texts, Iterable):
        raise TypeError(f"defines must be a mapping, or texts NAME or NAME=VALUE, not {visible_value(defines)}")
    pairs = (_macro_name(define).partition("=") for define in texts)
    return tuple((name, value if equals else "1") for name, equals, value in pairs)


def _macro_name(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"the names of macros in defines must be str, not {visible_value(name)}")
    return name


def _macro_value(name: str, value: object) -> str:
    if isinstance(value, (bool, np.bool)) or value is None:
        return "1" if value is None or value else "0"
    if isinstance(value, str):
        return plain_text(value)
    what = f"the value of macro '{visible_name(name)}' in defines must be"
    if isinstance(value, (int, np.integer)) and not isinstance(value, np.timedelta64):
        number = operator.index(value)
        if number.bit_length() > 64:
            raise ValueError(f"{what} a number of at most 64 bits, not {visible_value(value)}")
        return str(number)
    if isinstance(value, (float, np.floating)):
        if not np.isfinite(value):
            raise ValueError(f"{what} finite, not {visible_value(value)}: write it as a text of the language")
        return float.__repr__(value) if isinstance(value, float) else str(value)
    raise TypeError(f"{what} text, a number, a bool or None, not {visible_value(value)}")


def _decoded(content: bytes, name: str) -> str:
    """The text of a source; what is wrong with it is a CompileError like any other."""
    try:
        # What "utf-8-sig" does, which is a module of its own.
        text = content.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError:
        text = ""
    if text.strip():
        return text
    # late: a cached kernel is called without the compiler
    from voltac.driver import decode_source
    from voltac.messages.diagnostics import Diagnostics
    from voltac.messages.message import NOWHERE
    from voltac.pipeline import InputError

    diagnostics = Diagnostics(wrap=False)
    try:
        return decode_source(content, name)
    except InputError as error:
        diagnostics.fatal("file", NOWHERE, str(error))
