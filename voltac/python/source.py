"""One source text with its options: all it takes to compile it, now or later for its assembly."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from voltac.options import Options
from voltac.python.cache import NO_FACTS, FileAnswers
from voltac.records import field, record, replace

if TYPE_CHECKING:
    from voltac.pipeline import Compilation
    from voltac.python.target_choice import Choice
    from voltac.syntax.inputs import Inputs


@record(eq=False)
class Origin:
    """How kernels were asked for, besides their source: what it takes to ask for the same in another process."""

    for_host: bool = False
    """The target was not named: it is the best of the computer where they are."""
    use_cache: bool = True
    functions: Mapping[str, object] = field(default_factory=dict)
    """The C functions they were given."""
    answers: FileAnswers = NO_FACTS
    choice: Choice | None = None
    """What was measured, with ``target="auto"``."""
    build: Callable[..., Any] | None = None
    """What makes a module of kernels of a source."""


_UNKNOWN = Origin()


@record(eq=False)
class CarriedFiles:
    """What the preprocessor asks of files, answered already: a source that came from another process brings its own."""

    contents: Mapping[str, bytes] = field(default_factory=dict)
    presence: Mapping[str, bool] = field(default_factory=dict)
    identities: Mapping[str, str] = field(default_factory=dict)


@record
class Source:
    """What a module of kernels is made of."""

    text: str
    file: str
    options: Options
    origin: Origin = _UNKNOWN
    carried: CarriedFiles | None = None

    def with_origin(self, **changes: Any) -> Source:
        """The same source with a changed origin; what is compiled of it already stays known."""
        changed = replace(self, origin=replace(self.origin, **changes))
        if "kept" in self.__dict__:
            changed.__dict__["kept"] = self.kept
        return changed

    def inputs(self) -> Inputs | None:
        """What the preprocessor is to know of files beforehand."""
        if self.carried is None:
            return None
        from voltac.syntax.inputs import Inputs  # late: as for the compiler

        inputs = Inputs()
        inputs.contents.update(self.carried.contents)
        inputs.presence.update(self.carried.presence)
        inputs.identities.update(self.carried.identities)
        return inputs

    def compiled(self) -> Compilation:
        """All that a compilation makes."""
        known: Compilation | None = self.__dict__.get("kept")
        if known is not None:
            return known
        # late: a cached kernel is called without the compiler
        from voltac.driver import compile_source
        from voltac.messages.diagnostics import Diagnostics

        return compile_source(self.text, self.file, self.options, Diagnostics(wrap=False), inputs=self.inputs())

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
