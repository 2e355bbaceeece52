"""Source → a module of kernels: from the cache, or through the compiler and into the cache."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np

import voltac
from voltac.diagnostics import NOWHERE, Diagnostics
from voltac.llvm.host import can_run
from voltac.paths import shipped_folder
from voltac.python import cache as disk
from voltac.python.arguments import FUNCTIONS, Arguments
from voltac.python.hashing import sha256
from voltac.python.interpreter_layout import direct_access
from voltac.python.kernel import Kernel, make_kernel
from voltac.python.module import KernelModule
from voltac.python.numpy_formats import described
from voltac.python.object_loader import Code, Unresolved, load
from voltac.python.printing import print_functions
from voltac.python.signatures import Signature, from_json, to_json
from voltac.python.source import Source
from voltac.python.symbols import ARRAY_TYPE, accepted_symbol, arguments_symbol, call_symbol, raw_symbol
from voltac.python.tasks import TASK_FUNCTIONS, launches_tasks, task_functions

_compiling = threading.Lock()
"""LLVM compiles under one lock anyway; waiting here, a second thread finds the first one's result in the cache."""


def build_module(
    source: Source,
    use_cache: bool = True,
    functions: Mapping[str, object] | None = None,
    launch: Mapping[str, Any] | None = None,
) -> KernelModule:
    """Compile, unless the cache knows the program, and load.

    ``functions`` are what the program declares ``extern "C"``: functions of ctypes, or addresses. A program that
    launches tasks gets our task pool, unless they contain another one.
    """
    given = functions or {}
    if not source.options.target.is_device and launch is not None:
        raise TypeError(f"launch={launch!r} is for devices, and '{source.options.target.name}' is none")
    entry = _entry(source, use_cache)
    if source.options.target.is_device:
        return _device_module(source, entry, launch or {})
    if launches_tasks(entry.objects) and not TASK_FUNCTIONS & given.keys() and can_run(source.options.target):
        given = {**task_functions(lambda runtime: _entry(runtime, use_cache)), **given}
    return _module(source, entry, {**print_functions(entry.objects), **given})


def _entry(source: Source, use_cache: bool) -> disk.Entry:
    key = _key(source) if use_cache and _repeatable(source.text) else ""
    entry = disk.find(key) if key else None
    if entry is None:
        with _compiling:
            entry = disk.find(key) if key else None
            if entry is None:
                entry = _compiled(source, key)
    return entry


def _compiled(source: Source, key: str) -> disk.Entry:
    # Only here: a call of a cached kernel does without the compiler.
    from voltac.driver import compile_source
    from voltac.llvm import late
    from voltac.python.describe import signature
    from voltac.python.entry import conventions, entry_module
    from voltac.records import replace
    from voltac.sema.layout import Layout

    start = time.time()
    diagnostics = Diagnostics(wrap=False)
    compilation = compile_source(source.text, source.file, source.options, diagnostics)
    layout = Layout(source.options.target)
    signatures = [signature(function, layout) for function in compilation.program.exports]
    objects: tuple[bytes, ...]
    if source.options.target.is_device:
        objects = (compilation.device_program.object_code(),)
    else:
        entries = entry_module(signatures, conventions(compilation.results["passes"]))
        # The entries are straight code already: optimising them takes ten times as long and saves a nanosecond a call.
        objects = (compilation.optimized.object_code(), late(entries, replace(source.options, level=0)).object_code())
    description = {"signatures": [to_json(item) for item in signatures], "warnings": diagnostics.render()}
    entry = disk.Entry(description, objects)
    if key:
        included = {os.path.abspath(path) for path in compilation.dependencies} - {os.path.abspath(source.file)}
        # A file that changed while it was being compiled may have been compiled as it was before.
        if all(_modified(path) < start for path in included):
            hashes = {path: disk.content_hash(path) for path in sorted(included)}
            disk.store(key, entry.description, entry.objects, hashes, sorted(_shadowing(source, included)))
    return entry


def _modified(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return float("inf")


def _shadowing(source: Source, included: set[str]) -> set[str]:
    """Files that do not exist; if one did, an ``#include`` might find it first."""
    folders = {os.path.dirname(path) for path in [os.path.abspath(source.file), *included]}
    folders |= set(source.options.include_directories)
    names = {
        os.path.relpath(path, folder) for path in included for folder in folders if path.startswith(folder.rstrip("/") + "/")
    }
    candidates = {os.path.join(folder, name) for folder in folders for name in names}
    return {path for path in candidates if not os.path.exists(path)}


# --- loading ------------------------------------------------------------------------------------------------------


def _module(source: Source, entry: disk.Entry, functions: Mapping[str, object]) -> KernelModule:
    signatures = [from_json(data) for data in entry.description["signatures"]]
    if can_run(source.options.target):
        kernels = _loaded(source, signatures, entry.objects, functions)
    else:
        kernels = _unloaded(source, signatures)
    return KernelModule(source, kernels, entry.description["warnings"])


def _device_module(source: Source, entry: disk.Entry, launch: Mapping[str, Any]) -> KernelModule:
    # Only here: devices are nothing to those who call kernels of the host.
    from voltac.codegen.elf_read import read_image
    from voltac.python.device_kernel import device_kernels
    from voltac.python.device_run import Launch, changed
    from voltac.targets import device_code

    signatures = [from_json(data) for data in entry.description["signatures"]]
    image = read_image(entry.objects[0], device_code(source.options.target.isa))
    kernels = device_kernels(source, signatures, image, changed(Launch(), dict(launch)))
    return KernelModule(source, kernels, entry.description["warnings"])


def _loaded(
    source: Source, signatures: list[Signature], objects: tuple[bytes, ...], functions: Mapping[str, object]
) -> list[Kernel]:
    handlers = {item.name: Arguments(item) for item in signatures}
    imports = {arguments_symbol(name): id(handler) for name, handler in handlers.items()}
    imports[ARRAY_TYPE] = id(np.ndarray)
    imports |= {name: _function_address(name, function) for name, function in functions.items()}
    direct = direct_access()
    exports = [
        symbol(item.name)
        for item in signatures
        for symbol in (raw_symbol, accepted_symbol, *((call_symbol,) if direct else ()))
    ]
    try:
        loaded = load(objects, imports, exports)
    except Unresolved as error:
        Diagnostics(wrap=False).fatal(NOWHERE, _unresolved(source, str(error)))
    # The code refers to the handlers and functions, so they live as long as it does.
    code = Code(loaded.addresses, (loaded, tuple(handlers.values()), tuple(functions.values())))
    kernels = []
    for item in signatures:
        handler = handlers[item.name]
        handler.connect(code.addresses[raw_symbol(item.name)], code.addresses[accepted_symbol(item.name)])
        kernels.append(make_kernel(item, source, handler, code, code.addresses[call_symbol(item.name)] if direct else 0))
    return kernels


def _function_address(name: str, function: object) -> int:
    if isinstance(function, FUNCTIONS):
        return ctypes.cast(function, ctypes.c_void_p).value or 0
    if isinstance(function, int) and not isinstance(function, bool):
        return function
    raise TypeError(f"functions[{name!r}] must be a function of ctypes or an address, not {described(function)}")


def _unresolved(source: Source, symbol: str) -> str:
    return (
        f"{source.file} uses '{symbol}', which neither it nor a library of this process defines; "
        f"give its address: functions={{'{symbol}': a function of ctypes}}"
    )


def _unloaded(source: Source, signatures: list[Signature]) -> list[Kernel]:
    """Kernels for a CPU other than this one: all but calling works."""
    return [make_kernel(item, source, Arguments(item), None, 0) for item in signatures]


# --- the key ------------------------------------------------------------------------------------------------------


def _repeatable(text: str) -> bool:
    """Whether the same text means the same program tomorrow."""
    return "__DATE__" not in text and "__TIME__" not in text


def _key(source: Source) -> str:
    return disk.key_of(
        {
            "text": source.text,
            # Names in messages and assertions; the folder is where the search for included files begins.
            "file": [source.file, os.path.dirname(os.path.abspath(source.file)) if "include" in source.text else ""],
            "options": repr(source.options),
            "compiler": _compiler_state(),
            "python": [sys.implementation.cache_tag, sys.platform, direct_access(), np.dtype("i8").num],
        }
    )


@cache
def _compiler_state() -> list[Any]:
    """What changes whenever voltac or llvmlite does."""
    digest = sha256()
    for path, size, modified in sorted(_compiler_files()):
        digest.update(f"{path} {size} {modified}\n".encode())
    return [voltac.__version__, digest.hexdigest(), _llvmlite_state()]


def _compiler_files() -> Iterator[tuple[str, int, int]]:
    pending = [os.path.dirname(os.path.abspath(voltac.__file__)), shipped_folder("stdlib"), shipped_folder("runtime")]
    while pending:
        with os.scandir(pending.pop()) as items:
            for item in items:
                if item.name == "__pycache__":
                    continue
                if item.is_dir():
                    pending.append(item.path)
                else:
                    status = item.stat()
                    yield item.path, status.st_size, status.st_mtime_ns


def _llvmlite_state() -> list[Any]:
    """Place and age of the installed llvmlite: finding it does not import it, and asking for its version would."""
    found = importlib.util.find_spec("llvmlite")
    if found is None or found.origin is None:
        return []
    folder = os.path.dirname(os.path.dirname(found.origin))
    versions = sorted(name for name in os.listdir(folder) if name.startswith("llvmlite-"))
    return [found.origin, os.stat(found.origin).st_mtime_ns, versions]
