"""LLVM text in, optimised text, objects and addresses out: the only folder that imports llvmlite.

Importing this package does not import llvmlite; the first call that needs LLVM
does. :mod:`voltac.llvm.host` never needs it, so a call of a cached kernel stays
clear of the 60 ms that loading LLVM takes.
"""

from voltac.llvm.host import CannotRun, can_run, host_target, require_runnable
from voltac.llvm.load import LoadedObject, load_objects
from voltac.llvm.machine import llvm_version
from voltac.llvm.optimize import Optimized, early, late

__all__ = [
    "CannotRun",
    "LoadedObject",
    "Optimized",
    "can_run",
    "early",
    "host_target",
    "late",
    "llvm_version",
    "load_objects",
    "require_runnable",
]
