"""What LLVM says of a module that it refuses → errors at the calls of intrinsics that it names (language 8.10).

It knows the types of thousands of intrinsics, the checker those of a few families.
"""

from __future__ import annotations

import os

from voltac.messages.diagnostics import Diagnostics, InternalError
from voltac.sema import tree
from voltac.sema.tree_walk import nodes_of
from voltac.system.lazy_patterns import lazy_pattern

_COMPLAINT = lazy_pattern(r"(?P<what>Intrinsic .*)\nptr @(?P<name>llvm\.[\w.]+)")


def report_refused(error: InternalError, program: tree.Program, diagnostics: Diagnostics) -> None:
    """Raises :class:`CompileError` where the program's own calls are what was refused."""
    complaints = {found["name"]: found["what"] for found in _COMPLAINT.finditer(str(error))}
    for function in program.functions:
        for node in nodes_of(function) if complaints else ():
            if isinstance(node, tree.Intrinsic) and (what := complaints.get(node.name.removeprefix("@"))) is not None:
                passed = ", ".join(str(argument.type) for argument in node.arguments)
                text = (
                    f"LLVM does not take intrinsic '{node.name}' of ({passed}) with the result '{node.type}': {_lowered(what)}"
                )
                diagnostics.error("call", node.span, text)
    if diagnostics.error_count:
        if error.input_file:
            os.unlink(error.input_file)
        diagnostics.raise_if_errors()


def _lowered(what: str) -> str:
    return what.rstrip("!").removeprefix("Intrinsic has ")
