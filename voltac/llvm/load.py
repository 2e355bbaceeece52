"""Object code → addresses of its functions in this process, by LLVM's own linker."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from voltac.llvm.target_machine import binding
from voltac.messages.diagnostics import InternalError
from voltac.records import record

_numbers = itertools.count()


@record(eq=False)
class LoadedObject:
    """Code in memory; it is unloaded when this object is no longer referenced."""

    _tracker: Any
    names: tuple[str, ...]

    def address(self, name: str) -> int:
        """Where a symbol asked for when loading is."""
        address: int = self._tracker[name]
        return address


def load_objects(codes: Iterable[bytes], names: Iterable[str], imports: Mapping[str, int] | None = None) -> LoadedObject:
    """Link objects with each other, load them and find ``names`` in them.

    Symbols they do not define come from ``imports`` (name → address), then from this process.
    """
    wanted = tuple(names)
    library = binding().JITLibraryBuilder().add_current_process()
    for code in codes:
        library.add_object_img(code)
    for name, address in (imports or {}).items():
        library.import_symbol(name, address)
    for name in wanted:
        library.export_symbol(name)
    try:
        tracker = library.link(_linker(), f"voltac{next(_numbers)}")
    except RuntimeError as error:
        raise InternalError(f"stage 'load': {str(error).strip()}") from error
    return LoadedObject(tracker, wanted)


@cache
def _linker() -> Any:
    llvm = binding()
    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(codemodel="small", reloc="pic")
    return llvm.create_lljit_compiler(machine)
