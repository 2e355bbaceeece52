"""What of a module of kernels goes to another process: its source as plain data, files it includes among them.

Pickles, tokens of dask and files of recorded calls are made of it. Compiled code never travels: where a copy arrives
it is compiled through the cache there, and a kernel for ``host`` becomes one for the host it arrives at.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Mapping
from copy import copy
from functools import cached_property
from typing import Any

from voltac.llvm.host import host_target
from voltac.messages.visible import visible_name
from voltac.options import Options
from voltac.python.cache import FileAnswers
from voltac.python.hashing import sha256
from voltac.python.source import CarriedFiles, Origin, Source
from voltac.records import replace
from voltac.system.files import read_regular_file
from voltac.target_info import TargetInfo, find_target

Plain = dict[str, Any]
"""What JSON can hold."""


def plain_source(source: Source) -> Plain:
    """The source as data that :func:`source_of` takes.

    TypeError for what other processes cannot have, PicklingError where an included file is no longer the one compiled.
    """
    origin = source.origin
    if origin.functions:
        raise TypeError(
            f"the kernels of {visible_name(source.file)} cannot be pickled or recorded: they were given functions= "
            f"({', '.join(origin.functions)}), which are addresses in this process; "
            "compile the source with functions= in the other one"
        )
    if type(source) is not Source:
        raise TypeError(
            f"the kernels of {visible_name(source.file)} cannot be pickled or recorded: it is a finished program; "
            "send the file, and voltac.load it in the other process"
        )
    files = _files_along(source)
    fields = {
        "text": source.text,
        "file": source.file,
        "target": "host" if origin.for_host else _plain_target(source.options.target),
        "options": _plain_options(source.options),
        "cache": origin.use_cache,
    }
    if files:
        contents = {path: content.decode("utf-8", "surrogateescape") for path, content in files.contents.items()}
        fields["files"] = {"contents": contents, "presence": dict(files.presence), "identities": dict(files.identities)}
    return fields


def source_of(data: Mapping[str, Any], options: Mapping[str, Any] | None = None) -> Source:
    """The source for this process; ``options`` go before its own. TypeError and ValueError for what is no such data."""
    if not isinstance(data["text"], str) or not isinstance(data["file"], str):
        raise TypeError("the source is no text")
    name = data["target"]
    target = host_target() if name == "host" else _target(name)
    fields: dict[str, Any] = {option: _tuples(value) for option, value in data["options"].items()}
    given = Options(target=target, **fields) if options is None else Options(**({"target": target} | fields | dict(options)))
    files = None
    if "files" in data:
        found = data["files"]
        contents = {path: text.encode("utf-8", "surrogateescape") for path, text in found["contents"].items()}
        files = CarriedFiles(contents, found["presence"], found["identities"])
    origin = Origin(for_host=name == "host" and "target" not in (options or {}), use_cache=data["cache"])
    return Source(data["text"], data["file"], given, origin, files)


def token(source: Source) -> tuple[str, ...]:
    """What ``dask.tokenize`` takes for the module: the same in all processes, whatever the name of the file.

    What cannot leave this process has a token that is its own.
    """
    if source.origin.functions or type(source) is not Source:
        import uuid  # late: few need it

        known: str = source.__dict__.setdefault("token", uuid.uuid4().hex)
        return "voltac", known
    data = plain_source(source)
    del data["file"], data["cache"]
    return "voltac", _version(), sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # late: slow to import, and only tokens ask

    try:
        return version("voltac")
    except PackageNotFoundError:
        return ""


def _plain_options(options: Options) -> Plain:
    usual = Options(target=options.target)
    names = [name for name in Options.__match_args__ if name != "target"]
    return {name: getattr(options, name) for name in names if getattr(options, name) != getattr(usual, name)}


def _plain_target(target: TargetInfo) -> str | Plain:
    """Its name, and what was changed of it."""
    usual = find_target(target.name)
    names = TargetInfo.__match_args__
    changes = {name: getattr(target, name) for name in names if getattr(target, name) != getattr(usual, name)}
    return {"name": target.name, "changes": changes} if changes else target.name


def _target(data: str | Plain) -> TargetInfo:
    if isinstance(data, str):
        return find_target(data)
    return replace(find_target(data["name"]), **{name: _tuples(value) for name, value in data["changes"].items()})


def _tuples(value: Any) -> Any:
    """JSON has lists only."""
    return tuple(map(_tuples, value)) if isinstance(value, (list, tuple)) else value


def _files_along(source: Source) -> CarriedFiles | None:
    """What the preprocessor was told of files, with their contents."""
    answers, carried = source.origin.answers, source.carried or CarriedFiles()
    contents = dict(carried.contents)
    for path, digest in answers.contents.items():
        contents[path] = _read(path, digest, source)
    merged = FileAnswers({}, {**answers.presence, **carried.presence}, {**answers.identities, **carried.identities})
    if not (contents or merged.presence):
        return None
    return CarriedFiles(contents, merged.presence, merged.identities)


def _read(path: str, digest: str, source: Source) -> bytes:
    try:
        content = read_regular_file(path)
    except (OSError, ValueError):
        content = b""
    if sha256(content).hexdigest() != digest:
        raise pickle.PicklingError(
            f"{visible_name(path)}, which {visible_name(source.file)} includes, has changed since that was compiled; "
            "load it again, and pickle the new kernels"
        )
    return content


class Program:
    """What the kernels of one module have in common in a pickle: where several arrive together, they share their globals."""

    def __init__(self, source: Source, build: Any) -> None:
        self.source, self.build = source, build

    def __reduce__(self) -> tuple[Any, ...]:
        return _program, (plain_source(self.source), self.build)

    @cached_property
    def module(self) -> Any:
        """The module of kernels, made for all of this pickle."""
        return self.build(self.source, self.source.origin.use_cache)


def _program(data: Plain, build: Callable[..., Any]) -> Program:
    return Program(source_of(data), build)


def program_of(source: Source) -> Program:
    """One for each module: pickles tell by identity what belongs together."""
    known: Program = source.__dict__.setdefault("program", Program(source, source.origin.build))
    return known


def module_again(program: Program, launches: Mapping[str, Plain]) -> Any:
    """What a module is pickled as a call of; ``launches`` are those of a device's kernels."""
    for name, launch in launches.items():
        program.module[name].configure(**launch)
    return program.module


def kernel_again(program: Program, name: str, launch: Plain | None = None) -> Any:
    """The same for a kernel."""
    kernel = program.module[name]
    return kernel if launch is None else copy(kernel).configure(**launch)
