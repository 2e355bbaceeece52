"""voltac: a compiler for SPMD programs, one program run on every lane of a SIMD gang.

    import numpy as np, voltac
    k = voltac.load("kernels.ispc")        # or voltac.compile(source, target="avx2-i32x8", defines={...})
    k.saxpy(2.0, x, y, out, len(x))        # numpy arrays in place, no copies

Importing this package imports nothing else; the first use does.
"""

from __future__ import annotations

from importlib import import_module

from voltac.system.forking import compiling

# What type checkers take for true; ``typing`` takes long to import, and Ctrl-C would be a traceback meanwhile.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from voltac.llvm.host import CannotRun
    from voltac.messages.diagnostics import CompileError, InternalError
    from voltac.messages.exceptions import VoltacWarning
    from voltac.python import Kernel, KernelModule, compile, empty, load
    from voltac.python.choices import choose
    from voltac.python.strided import strided
    from voltac.python.ufuncs import ufunc

__all__ = [
    "CannotRun", "CompileError", "InternalError", "Kernel", "KernelModule", "VoltacWarning",
    "choose", "compile", "empty", "load", "strided", "ufunc",
]  # fmt: skip

__version__ = "0.1.0"

_HOMES = {
    "CannotRun": "voltac.llvm.host",
    "CompileError": "voltac.messages.diagnostics",
    "InternalError": "voltac.messages.diagnostics",
    "Kernel": "voltac.python",
    "KernelModule": "voltac.python",
    "VoltacWarning": "voltac.messages.exceptions",
    "choose": "voltac.python.choices",
    "compile": "voltac.python",
    "empty": "voltac.python",
    "load": "voltac.python",
    "load_ipython_extension": "voltac.notebook.magics",
    "strided": "voltac.python.strided",
    "ufunc": "voltac.python.ufuncs",
    "unload_ipython_extension": "voltac.notebook.magics",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'voltac' has no attribute {name!r}")
    # Of a module that another thread is importing, the child of a fork would wait for the end for ever.
    with compiling():
        found = globals()[name] = getattr(import_module(home), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
