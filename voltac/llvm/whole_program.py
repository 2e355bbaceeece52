"""What LLVM does about functions that call each other, before each is simplified by itself.

LLVM's own pipeline of whole modules inlines by estimates of its own, simplifies every function twice and takes nearly
twice as long; and what became of a kernel hung on whether another one of the file called something. Which functions are
copied into which is decided by rules instead: in ``lower/functions/definitions.py`` before the passes, and here for those that
one call is left of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

from voltac.llvm.target_machine import LLVMModule, binding
from voltac.system.lazy_patterns import lazy_pattern

_NAME = lazy_pattern(r'@("[^"]*"|[\w.$-]+)')
_KEPT_OUT = lazy_pattern(rb"\bnoinline\b")
_PROCESSOR = lazy_pattern(rb'"target-[a-z]+"="[^"]*"|vscale_range\([^)]*\)')
_MOST_LINES = 3000
"""Of a function once everything that is inlined stands in it: the work on a function grows faster than the function."""


def join_functions(module: LLVMModule, text: str, builder: Any) -> None:
    """Inline, carry constants from calls into functions, drop parameters, variables and functions that nobody uses.

    ``text`` is that of the module.
    """
    _inline_single_calls(module, text)
    manager = binding().create_new_module_pass_manager()
    manager.add_always_inliner_pass()
    manager.add_ipsccp_pass()
    manager.add_global_opt_pass()
    manager.add_dead_arg_elimination_pass()
    manager.add_post_order_function_attributes_pass()
    manager.add_global_dead_code_eliminate_pass()
    manager.run(module.ref, builder)


def is_internal(function: Any) -> bool:
    """Whether only this module can call it, and take its address."""
    internal: bool = function.linkage == binding().Linkage.internal
    return internal


def drop_unused_functions(module: LLVMModule, builder: Any) -> None:
    """Drop the internal functions whose last call has gone."""
    manager = binding().create_new_module_pass_manager()
    manager.add_global_dead_code_eliminate_pass()
    manager.run(module.ref, builder)


def _inline_single_calls(module: LLVMModule, text: str) -> None:
    processors = {function.name: _processor(function) for function in module.definitions()}
    internal = {
        function.name: function
        for function in module.definitions()
        if is_internal(function) and not _KEPT_OUT.search(_attributes(function))
    }
    if not internal:
        return
    start, *definitions = f"\n{text}".split("\ndefine ")
    named = Counter(_NAME.findall(start))
    """How often each function and variable is named."""
    lines, names_within = {}, {}
    for definition in definitions:
        name, *names = (each.strip('"') for each in _NAME.findall(definition))
        lines[name], names_within[name] = definition.count("\n"), names
        named.update(names)

    @cache
    def single_callees(name: str) -> list[str]:
        return [
            callee
            for callee in names_within[name]
            if named[callee] == 1 and callee in internal and callee != name and processors[callee] == processors[name]
        ]

    joined: dict[str, int] = {}

    for caller in names_within:
        for callee in single_callees(caller):
            if _lines_joined(callee, lines, single_callees, joined) <= _MOST_LINES:
                internal[callee].add_function_attribute("alwaysinline")


def _lines_joined(name: str, lines: dict[str, int], callees: Callable[[str], list[str]], known: dict[str, int]) -> int:
    """Of a function and of what becomes a part of it; ``known`` keeps the answers."""
    if name not in known:
        known[name] = _MOST_LINES + 1  # of one that is in its own callees, which nobody else calls
        counts = (_lines_joined(callee, lines, callees, known) for callee in callees(name))
        known[name] = lines[name] + sum(count for count in counts if count <= _MOST_LINES)
    return known[name]


def _attributes(function: Any) -> bytes:
    return b" ".join(function.attributes)


def _processor(function: Any) -> list[bytes]:
    """What code it may become: a function that asks which instructions there are calls others that use them."""
    return sorted(_PROCESSOR.findall(_attributes(function)))
