"""Sources, each compiled for every target → one shared library for C programs, and what it needs of others."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Sequence, Set
from functools import cache

from voltac.driver import compile_source, read_source
from voltac.messages.diagnostics import Diagnostics
from voltac.messages.visible import visible_name
from voltac.options import Options
from voltac.packaging.dispatching import dispatching, for_any_cpu
from voltac.packaging.shared_object import shared_object, undefined_symbols
from voltac.pipeline import Compilation, InputError
from voltac.python.elf_objects import LOCAL, UNDEFINED, NotSupported, read_object
from voltac.records import record, replace
from voltac.system.shipped_files import shipped_folder

_LIBRARIES = ("libc.so.6", "libm.so.6", "libgcc_s.so.1")
"""Where kernels may find what they do not define: every Linux has them."""


@record(eq=False)
class BuiltSource:
    """A source compiled for each target."""

    path: str
    jobs: tuple[Compilation, ...]


def built(path: str, targets: Sequence[Options], diagnostics: Diagnostics) -> BuiltSource:
    """The source in a file, compiled with each of these options."""
    text = read_source(path)
    jobs: list[Compilation] = []
    for options in targets:
        inputs = jobs[0].inputs if jobs else None
        jobs.append(compile_source(text, path, replace(options, position_independent="small"), diagnostics, inputs=inputs))
    return BuiltSource(path, tuple(jobs))


def library(sources: Sequence[BuiltSource], name: str) -> bytes:
    """The content of the shared library called ``name``: it shows what the sources define for C."""
    objects = []
    for source in sources:
        objects += [job.optimized.object_code() for job in source.jobs]
        if len(source.jobs) > 1:
            objects.append(dispatching(source.jobs, source.path).optimized.object_code())
    return linked(objects, {name for code in objects for name in _defined(code)}, name, sources[0].jobs[0].options)


def linked(objects: list[bytes], exports: Set[str], name: str, options: Options, api: Set[str] = frozenset()) -> bytes:
    """The library, with the task pool if the objects launch tasks. Whoever loads it defines what is in ``api``."""
    try:
        missing = undefined_symbols(objects)
        if "ISPCLaunch" in missing:
            objects = [*objects, _task_pool(options)]
            missing = undefined_symbols(objects)
        return shared_object(objects, exports, name, _needed_libraries(missing - api))
    except (NotSupported, struct.error) as error:
        raise InputError(
            f"{visible_name(name)} takes a linker that voltac does not have, for {error}: "
            f"write objects (voltac FILE -o FILE.o --pic) and link them with cc -shared -o {visible_name(name)}"
        ) from None
    except ValueError as error:
        raise InputError(f"cannot link {visible_name(name)}: {visible_name(str(error))}") from None


def _defined(code: bytes) -> list[str]:
    return [symbol.name for symbol in read_object(code).symbols if symbol.binding != LOCAL and symbol.section != UNDEFINED]


def _task_pool(options: Options) -> bytes:
    path = os.path.join(shipped_folder("runtime"), "tasks.ispc")
    base = Options(target=for_any_cpu(options).target, level=2, position_independent="small")
    return compile_source(read_source(path), path, base).optimized.object_code()


def _needed_libraries(names: set[str]) -> list[str]:
    found = {}
    for name in sorted(names):
        for library in _LIBRARIES:
            if name in found:
                break
            if _opened(library) is not None and hasattr(_opened(library), name):
                found[name] = library
        if name not in found:
            raise InputError(
                f"'{visible_name(name)}' is neither defined by these sources nor a function of the C library: "
                "write objects (voltac FILE -o FILE.o --pic) and link them with what defines it"
            )
    return [library for library in _LIBRARIES if library in found.values()]


@cache
def _opened(library: str) -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL(library)
    except OSError:
        return None
