"""The compiled modules of this package in one file, from which the command's process imports them.

A compilation imports 340 modules. To find each, and to open, read and close its ``.pyc``, takes a fifth of the time of all
that; from one file it takes one question for the time stamp of the source, and one read. The file lies among the
package's own ``.pyc`` and is kept as those are: for one version of Python, a module that is not as it was is compiled
again, and where Python may write no ``.pyc`` there is none. A process that imported modules from elsewhere writes it anew.
"""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType
from typing import Any

from voltac.system.kept_values import Stamp, keep, place_of, stamp_of

_Place = tuple[str, bool, Stamp, int, int]
"""Path within the folder, whether it is a package, its source, where its code begins in the file, and its length."""
_HEAD = 8
"""Bytes that say how long the table is behind them; then come the codes."""


class PackedModules:
    """A finder of modules (:data:`sys.meta_path`), and the loader of those that it finds."""

    def __init__(self, package: ModuleType) -> None:
        spec = package.__spec__
        assert spec is not None and spec.origin is not None
        self._package = f"{spec.name}."
        self._folder = os.path.dirname(spec.origin)
        self._file = place_of("modules", spec)
        self._places: dict[str, _Place] = {}
        self._handle, self._codes = -1, 0
        """Of the file, which stays open, and where in it the codes begin."""
        with suppress(OSError, ValueError, EOFError, TypeError):
            self._handle = os.open(self._file, os.O_RDONLY | os.O_CLOEXEC)
            length = min(int.from_bytes(os.pread(self._handle, _HEAD, 0), "little"), os.fstat(self._handle).st_size)
            written_by, places = marshal.loads(os.pread(self._handle, length, _HEAD))
            if written_by == self._writer():
                self._places, self._codes = places, _HEAD + length

    def _writer(self) -> tuple[str, Stamp | None]:
        """Where modules lie, and this one's stamp: what another version of it wrote may have another form."""
        return self._folder, stamp_of(__file__)

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Of a module that is as it was when the file was written."""
        place = self._places.get(name)
        if place is None:
            return None
        within, is_package, stamp, _, _ = place
        origin = self._folder + within
        if stamp_of(origin) != stamp:
            return None
        loader: Any = self
        spec = ModuleSpec(name, loader, origin=origin, is_package=is_package)
        spec.has_location = True
        if is_package:
            spec.submodule_search_locations = [os.path.dirname(origin)]
        return spec

    def create_module(self, spec: ModuleSpec) -> None:
        """As Python makes it."""

    def exec_module(self, module: ModuleType) -> None:
        """Run its code."""
        exec(self.get_code(module.__name__), vars(module))

    def get_code(self, name: str) -> CodeType:
        """Of a module that was found."""
        code: CodeType = marshal.loads(self._code(name))
        return code

    def _code(self, name: str) -> bytes:
        *_, begin, length = self._places[name]
        return os.pread(self._handle, length, self._codes + begin)

    def keep(self) -> None:
        """Write those that this process imported from elsewhere, beside what there was."""
        if not self._file or sys.dont_write_bytecode:
            return
        specs = {name: module.__spec__ for name, module in list(sys.modules.items()) if name.startswith(self._package)}
        new = {name: found for name, spec in specs.items() if (found := self._new(name, spec)) is not None}
        if not new:
            return
        places, codes, length = dict(self._places), [], 0
        for name in {**places, **new}:
            head, code = new.get(name) or (places[name][:3], self._code(name))
            places[name] = (*head, length, len(code))
            codes.append(code)
            length += len(code)
        table = marshal.dumps((self._writer(), places))
        keep(self._file, [len(table).to_bytes(_HEAD, "little"), table, *codes])

    def _new(self, name: str, spec: ModuleSpec | None) -> tuple[tuple[str, bool, Stamp], bytes] | None:
        """What belongs into the file of a module that is not there, or from another source: its place's head, its code."""
        loader: Any = spec and spec.loader
        if spec is None or loader is self or not spec.cached or not (spec.origin or "").startswith(self._folder):
            return None
        origin = str(spec.origin)
        stamp = stamp_of(origin)
        if stamp is None or (name in self._places and self._places[name][2] == stamp):
            return None
        code = loader.get_code(name)
        # It is read again, and may have changed meanwhile.
        if stamp_of(origin) != stamp:
            return None
        return (origin[len(self._folder) :], spec.submodule_search_locations is not None, stamp), marshal.dumps(code)
