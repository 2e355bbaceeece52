"""Sources, each compiled for every target → a Python package of their kernels that needs numpy and no voltac."""

from __future__ import annotations

import json
import keyword
import os
import re
from collections.abc import Sequence, Set
from typing import Any

from voltac import __version__
from voltac.driver import read_source
from voltac.llvm import late
from voltac.llvm.dispatch import asking_function, dispatcher, worst_first
from voltac.lower.control_flow.failure_exits import FAIL, OPEN_LAUNCH, can_fail
from voltac.messages.visible import visible_name
from voltac.options import Options
from voltac.packaging.dispatching import for_any_cpu
from voltac.packaging.library import BuiltSource, linked
from voltac.pipeline import Compilation, InputError
from voltac.python.conventions import conventions
from voltac.python.describe import signature
from voltac.python.entry import raw_module
from voltac.python.failures import KEY_SYMBOL, failure_module
from voltac.python.lengths import counted_arrays
from voltac.python.signatures import Signature, to_json
from voltac.python.stubs import stub
from voltac.python.symbols import raw_symbol
from voltac.records import replace
from voltac.sema.type_layout import Layout
from voltac.system.shipped_files import PACKAGE

_TARGET_SYMBOL = "voltac.target"


def for_package(options: Options) -> Options:
    """Failures of kernels are exceptions, and only what is exported is there."""
    return replace(options, catch_failures=True, whole_program=True)


def package(sources: Sequence[BuiltSource]) -> dict[str, bytes]:
    """The files of the package, by their names."""
    names = [found.name for found in signatures_of(sources)]
    paths = _paths(sources)
    return {
        "__init__.py": _init(names, paths).encode(),
        "__init__.pyi": stub_text(sources).encode(),
        "py.typed": b"",
        "_loader.py": loader_text().encode(),
        "_kernels.json": described(sources).encode(),
        "_kernels.so": kernels_library(sources, "_kernels.so"),
    }


def stub_text(sources: Sequence[BuiltSource]) -> str:
    """What type checkers and editors read of it."""
    return stub(signatures_of(sources), _paths(sources))


def loader_text() -> str:
    """The file that calls the kernels, as it is."""
    return read_source(os.path.join(PACKAGE, "packaging", "loader.py"))


def described(sources: Sequence[BuiltSource]) -> str:
    """What the loader has to know, as JSON."""
    targets = worst_first([job.options.target for job in sources[0].jobs])
    functions = [_described(found) for found in signatures_of(sources)]
    return json.dumps({"targets": [target.name for target in targets], "functions": functions}, indent=1)


def signatures_of(sources: Sequence[BuiltSource]) -> list[Signature]:
    """Of all exported functions; InputError if two have one name."""
    signatures = [found for source in sources for found in _signatures(source)]
    names = [found.name for found in signatures]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"two of the sources export a function '{visible_name(twice)}': give one another name")
    return signatures


def _paths(sources: Sequence[BuiltSource]) -> str:
    return ", ".join(visible_name(source.path) for source in sources)


def _signatures(source: BuiltSource) -> list[Signature]:
    """Of the exported functions: the same for all targets, or the package could not choose one of them."""
    first, *others = ([signature(item, Layout(job.options.target)) for item in job.program.exports] for job in source.jobs)
    for other, job in zip(others, source.jobs[1:], strict=True):
        for one, two in zip(first, other, strict=True):
            if to_json(one) != to_json(two):
                targets = f"{source.jobs[0].options.target.name} and {job.options.target.name}"
                raise InputError(
                    f"{visible_name(source.path)}: '{visible_name(one.name)}' takes other arguments for {targets} "
                    "(of gangs that are not as wide): build packages of one target each"
                )
    return first


def _described(found: Signature) -> dict[str, Any]:
    data = to_json(found)
    for row, parameter in zip(data["parameters"], found.parameters, strict=True):
        row["range_bits"] = parameter.range_bits
    return data | {"text": str(found), "counted": list(counted_arrays(found).items())}


def _init(names: list[str], paths: str) -> str:
    # The loader's name is the last to be taken.
    usable = sorted((name for name in names if not keyword.iskeyword(name)), key=lambda name: name == "_loader")
    lines = [f'"""Kernels of {paths}, compiled by voltac {__version__}."""'.replace("\\", "\\\\"), ""]
    lines += ["from . import _loader", "", f"__all__ = {usable!r}", ""]
    return "\n".join([*lines, *(f'{name} = _loader.KERNELS["{name}"]' for name in usable), ""])


def kernels_library(
    sources: Sequence[BuiltSource], file: str, more: str = "", shown: Set[str] = frozenset(), api: Set[str] = frozenset()
) -> bytes:
    """The library that the loader opens. ``more`` is LLVM text that shows other symbols besides, and uses those of ``api``."""
    options = sources[0].jobs[0].options
    base = for_any_cpu(options)
    objects = [_object(asking_function(_TARGET_SYMBOL, [job.options.target for job in sources[0].jobs]), base)]
    texts = []
    for source in sources:
        objects += [job.optimized.object_code() for job in source.jobs]
        raw = [_raw_text(job) for job in source.jobs]
        objects += [_object(text, replace(job.options, level=0)) for text, job in zip(raw, source.jobs, strict=True)]
        own = [raw_symbol(function.name) for function in source.jobs[0].program.exports]
        if len(raw) > 1 and own:
            objects.append(_object(dispatcher(own, [job.options.target for job in source.jobs], raw[0]), base))
        texts += [*raw, *(job.results["passes"] for job in source.jobs)]
    exports = {_TARGET_SYMBOL, *shown, *(raw_symbol(found.name) for found in signatures_of(sources))}
    if more:
        objects.append(_object(more, replace(base, level=0)))
    if any(f"@{name}(" in text for name in (FAIL, OPEN_LAUNCH, "voltac.guard.call") for text in texts):
        launches = any("@ISPCLaunch(" in text for text in texts)
        objects.append(_object(failure_module(launches), base))
        exports.add(KEY_SYMBOL)
    return linked(objects, exports, file, options, api)


def _raw_text(job: Compilation) -> str:
    """Of the functions that take their arguments from a table, for one target."""
    suffix = job.options.symbol_suffix
    found = [(function, signature(function, Layout(job.options.target))) for function in job.program.exports]
    signatures = [replace(item, name=item.name + suffix) for _, item in found]
    failing = {item.name + suffix for function, item in found if can_fail(function, job.options)}
    text = raw_module(signatures, conventions(job.results["passes"]), failing)
    # As the dispatching functions have them.
    return re.sub(r'@"([\w.]+)"', r"@\1", text, flags=re.ASCII)


def _object(text: str, options: Options) -> bytes:
    return late(text, options).object_code()
