"""Source → a module of kernels: from the cache, or through the compiler and into the cache."""

from __future__ import annotations

import ctypes
import sys
from _thread import RLock
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from voltac.ir.marks import PROFILE_COUNTS, PROFILE_PLACES
from voltac.llvm.host import can_run
from voltac.messages.visible import visible_value
from voltac.python import cache as disk
from voltac.python.arguments import Arguments
from voltac.python.callbacks import guarded, note, raise_first, raised, with_print_function
from voltac.python.compiler_state import compiler_state, is_unchanged
from voltac.python.failures import FAILURE_SYMBOL, KEY_SYMBOL, failure_text, guard_key, raise_failure
from voltac.python.hashing import sha256
from voltac.python.interpreter_layout import direct_access, plain_types
from voltac.python.kernel import Kernel, make_kernel
from voltac.python.module import KernelModule
from voltac.python.numpy_formats import described
from voltac.python.object_loader import LoadedCode, Unresolved, load
from voltac.python.prototypes import FUNCTIONS, as_c_functions, is_plain
from voltac.python.signatures import Signature, from_json, to_json
from voltac.python.source import CarriedFiles, Source
from voltac.python.symbols import (
    ARRAY_TYPE,
    NOTE,
    PLAIN_TYPES,
    RAISE,
    RAISED,
    accepted_symbol,
    arguments_symbol,
    call_symbol,
    given_symbol,
    guarded_symbol,
    names_symbol,
    raw_symbol,
)
from voltac.python.tasks import TASK_FUNCTIONS, launches_tasks, task_functions
from voltac.records import replace

if TYPE_CHECKING:
    from voltac.syntax.inputs import Inputs

T = TypeVar("T")

_lock = RLock()
"""LLVM compiles under one lock anyway; waiting here, a second thread finds the first one's result in the cache."""


def build_module(
    source: Source,
    use_cache: bool = True,
    functions: Mapping[str, object] | None = None,
    launch: Mapping[str, Any] | None = None,
) -> KernelModule:
    """Compile, unless the cache knows the program, and load.

    ``functions`` are what the program declares ``extern "C"``: functions of Python or ctypes, or addresses. A program that
    launches tasks gets our task pool, unless they contain another one.
    """
    given = functions or {}
    source = source.with_origin(use_cache=use_cache, functions=given, build=build_module)
    if source.options.target.is_device:
        return _made(source, use_cache, lambda entry: _device_module(source, entry, launch or {}))
    if launch is not None:
        raise TypeError(f"launch={visible_value(launch)} is for devices, and '{source.options.target.name}' is none")
    for name, function in given.items():
        if not is_plain(function):
            _function_address(name, function)

    def module(entry: disk.Entry) -> KernelModule:
        ours = as_c_functions(given, entry.description["prototypes"])
        functions = dict(with_print_function(ours, entry.description["callbacks"]))
        if launches_tasks(entry.objects) and not TASK_FUNCTIONS & given.keys() and can_run(source.options.target):
            functions |= task_functions(lambda runtime, make: _made(runtime, use_cache, make))
        return _module(source, entry, functions)

    return _made(source, use_cache, module)


def exported_code(source: Source, names: Sequence[str]) -> LoadedCode:
    """Exported functions as C has them: nothing catches their failures, and what they need of Python is Unresolved."""
    return _made(source, source.origin.use_cache, lambda entry: load(entry.objects[:1], {}, names))


def _made(source: Source, use_cache: bool, make: Callable[[disk.Entry], T]) -> T:
    """What ``make`` makes of the compiled program; if it cannot use what the cache has, that is compiled anew."""
    key = _key(source) if use_cache else ""
    damaged = False
    if key and (entry := disk.find(key)) is not None:
        try:
            return make(entry)
        except Exception as error:
            from voltac.messages.diagnostics import CompileError  # late: as above

            if isinstance(error, CompileError):
                # The caller gave too few functions.
                raise
            damaged = True
    with _lock:
        found = disk.find(key) if key and not damaged else None
        entry = _compiled(source, key) if found is None else found
    return make(entry)


def _compiled(source: Source, key: str) -> disk.Entry:
    # late: a call of a cached kernel does without the compiler
    from voltac.system.compiling_thread import in_compiling_thread

    return in_compiling_thread(lambda: _compile(source, key))


def _compile(source: Source, key: str) -> disk.Entry:
    # late: a call of a cached kernel does without the compiler
    from voltac.llvm import late
    from voltac.lower.control_flow.failure_exits import FAIL, OPEN_LAUNCH, can_fail
    from voltac.python.callback_entry import c_functions, guard_module
    from voltac.python.conventions import conventions
    from voltac.python.describe import prototype, signature
    from voltac.python.entry import entry_module
    from voltac.sema.overloads.resolution import signature as declaration
    from voltac.sema.type_layout import Layout

    compilation = source.compiled()
    layout = Layout(source.options.target)
    signatures = [signature(function, layout) for function in compilation.program.exports]
    objects: tuple[bytes, ...]
    callbacks: tuple[str, ...] = ()
    prototypes: dict[str, tuple[str, Sequence[str]]] = {}
    if source.options.target.is_device:
        objects = (compilation.device_program.object_code(),)
    else:
        final = compilation.results["passes"]
        guards, callbacks = guard_module(final, compilation.program)
        called = [function for function in c_functions(compilation.program) if function.name in callbacks]
        prototypes = {one.name: (declaration(one), prototype(one.type, layout)) for one in called}
        failing = {function.name for function in compilation.program.exports if can_fail(function, source.options)}
        checked = bool(source.options.checked)
        entries = entry_module(signatures, conventions(final), calls_back(signatures, callbacks), failing, checked)
        # A function that fails may be there without being called.
        if failing or any(f"@{name}(" in final for name in (FAIL, OPEN_LAUNCH)):
            launches = "@ISPCLaunch(" in final
            entries += failure_text(launches, is_x86=source.options.target.is_x86, checked=checked)
        # This is straight code already: optimising it takes ten times as long and saves a nanosecond a call.
        plain = replace(source.options, level=0)
        added = [late(text, plain).object_code() for text in (entries, guards) if text]
        objects = (compilation.optimized.object_code(), *added)
    description = {
        "signatures": [to_json(item) for item in signatures],
        "warnings": compilation.diagnostics.render(),
        "callbacks": callbacks,
        "prototypes": prototypes,
    }
    inputs = compilation.preprocessed.inputs
    entry = disk.Entry(description, objects, _facts(inputs, source.carried or CarriedFiles()))
    if key and not inputs.depends_on_time and is_unchanged():
        disk.store(key, entry.description, entry.objects, entry.facts)
    return entry


def _facts(inputs: Inputs, carried: CarriedFiles) -> disk.FileAnswers:
    """What the file system was asked; what the source brought with it, it was not."""
    contents = {
        path: sha256(content).hexdigest() if isinstance(content, bytes) else ""
        for path, content in inputs.contents.items()
        if path not in carried.contents
    }
    presence = {path: there for path, there in inputs.presence.items() if path not in carried.presence}
    identities = {path: file for path, file in inputs.identities.items() if path not in carried.identities}
    return disk.FileAnswers(contents, presence, identities)


# --- loading ------------------------------------------------------------------------------------------------------


def _module(source: Source, entry: disk.Entry, functions: Mapping[str, object]) -> KernelModule:
    signatures = [from_json(data) for data in entry.description["signatures"]]
    source = source.with_origin(answers=entry.facts)
    if can_run(source.options.target):
        kernels = _loaded(source, signatures, entry, functions)
    else:
        kernels = _unloaded(source, signatures)
    return KernelModule(source, kernels, entry.description["warnings"])


def _device_module(source: Source, entry: disk.Entry, launch: Mapping[str, Any]) -> KernelModule:
    # late: devices are nothing to those who call kernels of the host
    from voltac.codegen.elf_read import read_image
    from voltac.python.device_kernel import device_kernels
    from voltac.python.device_run import changed, first_launch
    from voltac.targets import device_code

    signatures = [from_json(data) for data in entry.description["signatures"]]
    image = read_image(entry.objects[0], device_code(source.options.target))
    target = source.options.target
    source = source.with_origin(answers=entry.facts)
    kernels = device_kernels(source, signatures, image, changed(first_launch(target), dict(launch), target), build_module)
    return KernelModule(source, kernels, entry.description["warnings"])


def _loaded(source: Source, signatures: list[Signature], entry: disk.Entry, functions: Mapping[str, object]) -> list[Kernel]:
    handlers = {item.name: Arguments(item, bool(source.options.checked)) for item in signatures}
    imports = {arguments_symbol(name): id(handler) for name, handler in handlers.items()}
    imports[ARRAY_TYPE] = id(np.ndarray)
    imports[KEY_SYMBOL] = ctypes.addressof(guard_key())
    imports[FAILURE_SYMBOL] = id(raise_failure)
    imports[PLAIN_TYPES] = ctypes.addressof(plain_types())
    imports |= {RAISED: ctypes.addressof(raised), RAISE: id(raise_first)}
    direct = direct_access()
    exports = [
        symbol(item.name)
        for item in signatures
        for symbol in (raw_symbol, accepted_symbol, names_symbol, *((call_symbol,) if direct else ()))
    ]
    if source.options.instrument == "counts":
        exports += [PROFILE_COUNTS, PROFILE_PLACES]
    callbacks = entry.description["callbacks"]
    guards, addresses = _guards(entry.objects[2:], callbacks, functions)
    imports |= addresses
    try:
        loaded = load(entry.objects[:2], imports, exports)
    except Unresolved as error:
        from voltac.messages.diagnostics import Diagnostics  # late: as for the compiler
        from voltac.messages.message import NOWHERE

        Diagnostics(wrap=False).fatal("link", NOWHERE, _unresolved(source, str(error)))
    # The code refers to the handlers and functions, so they live as long as it does.
    code = LoadedCode(loaded.addresses, (loaded, guards, tuple(handlers.values()), tuple(functions.values())))
    kernels = []
    for item in signatures:
        handler = handlers[item.name]
        finish = raise_first if calls_back(signatures, callbacks) else None
        tables = code.addresses[accepted_symbol(item.name)], code.addresses[names_symbol(item.name)]
        handler.connect(code.addresses[raw_symbol(item.name)], *tables, finish)
        entry_point = code.addresses[call_symbol(item.name)] if direct else 0
        kernels.append(make_kernel(item, source, handler, build_module, code, entry_point))
    return kernels


def _guards(
    objects: Sequence[bytes], callbacks: Sequence[str], functions: Mapping[str, object]
) -> tuple[object, dict[str, int]]:
    """What has to live as long as the code that calls these functions, and their addresses, guarded where they are Python's."""
    addresses = {name: _function_address(name, function) for name, function in functions.items()}
    ours = {name: guarded(functions[name]) for name in callbacks if name in functions}
    ours = {name: function for name, function in ours.items() if function is not functions[name]}
    if not ours:
        return None, addresses
    symbols = [symbol(name) for name in ours for symbol in (given_symbol, guarded_symbol)]
    code = load(objects, {NOTE: id(note)}, symbols)
    for name, function in ours.items():
        ctypes.c_void_p.from_address(code.addresses[given_symbol(name)]).value = _function_address(name, function)
        addresses[name] = code.addresses[guarded_symbol(name)]
    return (code, ours), addresses


def calls_back(signatures: Sequence[Signature], callbacks: Sequence[str]) -> bool:
    """Whether a program may call functions of Python: those it declares, or those it is passed."""
    return bool(callbacks) or any(row.kind == "function" for item in signatures for row in item.parameters)


def _function_address(name: str, function: object) -> int:
    expected = f"functions[{visible_value(name)}] must be a function of Python or ctypes, or an address"
    if isinstance(function, FUNCTIONS):
        address = ctypes.cast(function, ctypes.c_void_p).value or 0
    elif isinstance(function, int) and not isinstance(function, bool):
        address = function
    else:
        raise TypeError(f"{expected}, not {described(function)}")
    if not 0 < address < 1 << 64:
        what = described(function) if address else "a null pointer"
        raise ValueError(f"{expected}, not {what}")
    return address


def _unresolved(source: Source, symbol: str) -> str:
    return (
        f"{source.file} uses '{symbol}', which neither it nor a library of this process defines; "
        f"give its address: functions={{'{symbol}': a function of Python or ctypes}}"
    )


def _unloaded(source: Source, signatures: list[Signature]) -> list[Kernel]:
    """Kernels for a CPU other than this one: all but calling works."""
    return [make_kernel(item, source, Arguments(item), build_module, None, 0) for item in signatures]


# --- the key ------------------------------------------------------------------------------------------------------


def _key(source: Source) -> str:
    """Of all that the code depends on besides the files asked for while it is compiled; empty: do without the cache."""
    state = compiler_state()
    if state is None:
        return ""
    carried = source.carried
    return disk.key_of(
        {
            "text": source.text,
            # It stands in messages and assertions, and included files are looked for beside it.
            "file": source.file,
            "options": repr(source.options),
            "files": "" if carried is None else repr(carried),
            "compiler": state,
            # The entry points read its objects. Two builds of one version lay them out alike; direct_access() looks.
            "python": [
                sys.implementation.cache_tag,
                *sys.version_info,
                getattr(sys, "abiflags", ""),
                sys.platform,
                direct_access(),
            ],
            "numpy": [np.__version__, np.dtype("i8").num],
        }
    )
