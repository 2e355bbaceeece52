"""LLVM text in, optimised text, objects and addresses out: the only folder that imports llvmlite.

Importing this package does not import llvmlite; the first call that needs LLVM
does. :mod:`voltac.llvm.host` never needs it, so a call of a cached kernel stays
clear of the 60 ms that loading LLVM takes.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from voltac.llvm.host import CannotRun, can_run, host_target, require_runnable
    from voltac.llvm.load import LoadedObject, load_objects
    from voltac.llvm.optimize import FOR_DEVICE, LATE, Optimized, bitcode, late, simplify_for_device
    from voltac.llvm.promotion import EARLY, early
    from voltac.llvm.target_machine import llvm_version

__all__ = [
    "EARLY",
    "FOR_DEVICE",
    "LATE",
    "CannotRun",
    "LoadedObject",
    "Optimized",
    "bitcode",
    "can_run",
    "early",
    "host_target",
    "late",
    "llvm_version",
    "load_objects",
    "require_runnable",
    "simplify_for_device",
]

_HOMES = {
    "host": ("CannotRun", "can_run", "host_target", "require_runnable"),
    "load": ("LoadedObject", "load_objects"),
    "target_machine": ("llvm_version",),
    "promotion": ("EARLY", "early"),
    "optimize": ("FOR_DEVICE", "LATE", "Optimized", "bitcode", "late", "simplify_for_device"),
}


def __getattr__(name: str) -> Any:
    """Each name comes from its module when it is first used: a cached kernel needs only ``host``."""
    for module, names in _HOMES.items():
        if name in names:
            found = globals()[name] = getattr(import_module(f"voltac.llvm.{module}"), name)
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
