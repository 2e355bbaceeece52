"""What may follow ``%%voltac``: the names of options, and what some of them may be."""

from __future__ import annotations

import re

from IPython.core.completer import CompletionContext, SimpleCompletion, SimpleMatcherResult, context_matcher

from voltac.options.checks import ADDRESSINGS, DWARF_VERSIONS, FAST_MATH, LEVELS, MATH_LIBRARIES, SIZES, STACK_PROTECTORS
from voltac.python.call_options import CompileOptions
from voltac.target_info import target_names

_OTHERS = ("cache", "functions", "launch")
"""Arguments of voltac.compile that are no options of the compilation."""
_VALUES: dict[str, tuple[object, ...]] = {
    "addressing": ADDRESSINGS,
    "code_model": SIZES,
    "dwarf_version": DWARF_VERSIONS,
    "fast_math": FAST_MATH,
    "math_library": MATH_LIBRARIES,
    "opt": LEVELS,
    "position_independent": SIZES,
    "stack_protector": STACK_PROTECTORS,
}


@context_matcher()  # type: ignore[untyped-decorator]
def complete_options(context: CompletionContext) -> SimpleMatcherResult:
    """Words for the place of the cursor in the magic's line; IPython's own are none of them."""
    if context.cursor_line or not context.text_until_cursor.startswith("%%voltac "):
        return {"completions": []}
    words = [word for word in _words(context.text_until_cursor) if word.startswith(context.token)]
    return {"completions": [SimpleCompletion(text=word, type="param") for word in words], "suppress": True, "ordered": True}


def _words(line: str) -> list[str]:
    value = re.search(r"""(\w+)=(["']?)[\w.-]*$""", line)
    if value is None:
        return [f"{name}=" for name in sorted({*CompileOptions.__annotations__, *_OTHERS})]
    option, quote = value.groups()
    known = ("host", *target_names()) if option == "target" else _VALUES.get(option, (True, False))
    return [str(one) if quote else repr(one) for one in known if one != ""]
