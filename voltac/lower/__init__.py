"""Typed tree -> LLVM text in which every SPMD access to memory is a pseudo operation (``ir/pseudo_operations.py``).

Only what can be reached is lowered: exported and external functions, and the
versions of others that they call.
"""

from __future__ import annotations

from voltac.ir import marks

# Modules that are not used here register what they lower; what few programs have is in ``function_context.py``.
from voltac.lower.builtins import table  # noqa: F401
from voltac.lower.control_flow import foreach, loops, probes, statements  # noqa: F401
from voltac.lower.functions import calls  # noqa: F401
from voltac.lower.functions.definitions import roots, text_of, write_version
from voltac.lower.functions.shared_versions import (
    can_be_alias,
    can_forward,
    forward,
    shared_functions,
    write_alias,
    write_shared_version,
)
from voltac.lower.memory import memory_access, places, variables  # noqa: F401
from voltac.lower.module_context import MASKED, SOME_ON, ModuleContext, Version
from voltac.lower.text.module_header import function_attributes, module_header
from voltac.lower.values import arithmetic, conversions, expressions  # noqa: F401
from voltac.options import Options
from voltac.sema import tree

__all__ = ["lower"]


def _written(module: ModuleContext) -> list[Version]:
    """Write all versions that are asked for, and those that these ask for."""
    written = []
    while module.waiting:
        version = module.waiting.pop()
        write_version(module, version)
        if version.kind == MASKED and not version.reads_mask and can_forward(module, version.symbol):
            forward(module, version)
        if version.body:
            written.append(version)
    return written


def lower(program: tree.Program, options: Options) -> str:
    """The module as LLVM text."""
    module = ModuleContext(options, program.file)
    for symbol in program.globals:
        if symbol.kind == "global":
            module.global_address(symbol)
    shared = shared_functions(module, program)
    for function, kind in roots(program, options, shared):
        module.version(function, kind)
    written = _written(module)
    module.for_other_files = True
    for function in shared:
        if module.has(function, MASKED):
            continue  # somebody here calls it
        if can_be_alias(module, function):
            write_alias(module, function)
            continue
        some_on = module.version(function, SOME_ON)
        written += _written(module)
        written.append(write_shared_version(module, some_on))
        if not some_on.reads_mask:
            written.remove(some_on)
    module.finish_debug_info(program.globals)
    probes.finish(module)
    attributes = function_attributes(options)
    if options.target.has_threads and module.lines_have_one_thread:
        attributes += " " + marks.attribute(marks.LINES, "own")
    for version in written:
        module.text.definitions.append(text_of(module, version, attributes))
    return module.text.text(module_header(options, program.file))
