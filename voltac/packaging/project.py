"""The table ``[tool.voltac]`` of a project: what ``voltac build`` builds when it is given no sources."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from typing import Any

from voltac.messages.suggestions import suggestion
from voltac.pipeline import InputError
from voltac.records import record

_EXAMPLE = 'build = [{sources = ["src/mine/kernels.ispc"], output = "src/mine/kernels"}]'


@record
class ProjectBuild:
    """One output of a project; its names are relative to the project."""

    sources: tuple[str, ...]
    output: str
    options: tuple[str, ...]

    def words(self) -> list[str]:
        """The command line of ``voltac build``."""
        return [*self.sources, "-o", self.output, *self.options]


def project_builds(folder: str) -> list[ProjectBuild]:
    """What ``pyproject.toml`` in the folder says; InputError if it says nothing, or something wrong."""
    path = os.path.join(folder, "pyproject.toml")
    try:
        with open(path, "rb") as file:
            content = tomllib.load(file)
    except FileNotFoundError:
        raise InputError(f"no source files are given, and there is no file {path} that names some") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {error}") from None
    table = content.get("tool", {}).get("voltac")
    if not isinstance(table, dict) or not isinstance(table.get("build"), list) or not table["build"]:
        raise InputError(f"{path} has no table [tool.voltac] with a list of what to build: {_EXAMPLE}")
    return list(_builds(table, path))


def _builds(table: dict[str, Any], path: str) -> Iterator[ProjectBuild]:
    _check_names(table, ("build",), f"{path}: [tool.voltac]")
    for number, row in enumerate(table["build"], 1):
        where = f"{path}: [tool.voltac], build {number}"
        if not isinstance(row, dict):
            raise InputError(f"{where} must be a table: {_EXAMPLE}")
        _check_names(row, ("sources", "output", "options"), where)
        for name in ("sources", "options"):
            value = row.get(name, [])
            if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
                raise InputError(f"{where}: {name} must be a list of texts")
        if not row.get("sources") or not isinstance(row.get("output"), str) or not row["output"]:
            raise InputError(f"{where} needs sources and an output: {_EXAMPLE}")
        yield ProjectBuild(tuple(row["sources"]), row["output"], tuple(row.get("options", [])))


def _check_names(table: dict[str, Any], known: tuple[str, ...], where: str) -> None:
    for name in table:
        if name not in known:
            raise InputError(f"{where} has no '{name}'{suggestion(name, known)}; it has: {', '.join(known)}")
