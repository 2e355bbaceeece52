"""One source text with its options: all it takes to compile it, now or later for its assembly."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from voltac.options import Options
from voltac.records import record

if TYPE_CHECKING:
    from voltac.pipeline import Compilation


@record
class Source:
    """What a module of kernels is made of."""

    text: str
    file: str
    options: Options

    def compiled(self) -> Compilation:
        """All that a compilation makes."""
        known: Compilation | None = self.__dict__.get("kept")
        if known is not None:
            return known
        # late: a cached kernel is called without the compiler
        from voltac.driver import compile_source
        from voltac.messages.diagnostics import Diagnostics

        return compile_source(self.text, self.file, self.options, Diagnostics(wrap=False))

    @cached_property
    def kept(self) -> Compilation:
        """The same, kept for the next who asks as long as this object lives."""
        return self.compiled()

    def assembly(self, function: str | None = None) -> str:
        """Assembly language of the whole program or of one function."""
        text = self._assembly
        if function is None:
            return text
        return device_function(text, function) if self.options.target.is_device else _function_assembly(text, function)

    @cached_property
    def _assembly(self) -> str:
        return self.compiled().product.assembly()


def device_function(text: str, function: str) -> str:
    """The lines of one function: from its label to one that is no part of it, or to another section."""
    label = re.escape(function)
    ends = r"^\s*\.(?:global|section|text|data|rodata|bss)\b"
    match = re.search(rf"^{label}:.*?(?={ends}|^(?!{label}\.)[\w.$@]+:|\Z)", text, re.MULTILINE | re.DOTALL)
    if match is None:
        raise ValueError(f"the assembly has no function '{function}'")
    return match[0]


def _function_assembly(text: str, function: str) -> str:
    """The lines of one function: from its label to the directive that states its size."""
    name = re.escape(function)
    match = re.search(rf'^"?{name}"?:.*?(?=^\s*\.size\s+"?{name}"?,|\Z)', text, re.MULTILINE | re.DOTALL)
    if match is None:
        raise ValueError(f"the assembly has no function '{function}'")
    lines = [line for line in match[0].splitlines() if not line.lstrip().startswith((".cfi_", ".p2align", ".Lfunc_"))]
    return "\n".join(lines) + "\n"
