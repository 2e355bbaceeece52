"""Roots and whole numbers of float16 -> those of float, on processors that compute with float.

    %r = call <8 x half> @llvm.floor.v8f16(<8 x half> %a)
    ->
    %r.half.of = fpext <8 x half> %a to <8 x float>
    %r.half.as = call <8 x float> @llvm.floor.v8f32(<8 x float> %r.half.of)
    %r = fptrunc <8 x float> %r.half.as to <8 x half>

LLVM would take the lanes one by one, and its simplification would undo this, so it comes behind that. Whole numbers stay
float16, and a root that is rounded to float first is rounded to float16 as if at once: a float has two digits more than twice
as many.
"""

from __future__ import annotations

import re

from voltac.system.lazy_patterns import lazy_pattern

_CALL = lazy_pattern(
    r"^  (?P<result>%[\w.$-]+) = (?P<how>(?:tail |notail )?call(?: [a-z]+)*) <(?P<lanes>\d+) x half> "
    r"@llvm\.(?P<name>sqrt|floor|ceil|trunc|roundeven)\.v\d+f16\(<\d+ x half> (?P<value>%[^\s,]+|zeroinitializer)\)"
    r"(?P<rest>[^\n]*)$",
    re.MULTILINE,
)
_NAMES = ("sqrt", "floor", "ceil", "trunc", "roundeven")


def widen_half_functions(text: str) -> str:
    """The module's text, unchanged without such calls."""
    if " x half>" not in text or not any(f"@llvm.{name}.v" in text for name in _NAMES):
        return text
    declarations = set()

    def widened(found: re.Match[str]) -> str:
        result, rest = found["result"], found["rest"]
        # LLVM numbers what has no name, and takes digits for a number only.
        stem = f"%number.{result[1:]}" if result[1].isdigit() else result
        wide, narrow = f"<{found['lanes']} x float>", f"<{found['lanes']} x half>"
        function = f"@llvm.{found['name']}.v{found['lanes']}f32({wide}"
        declarations.add(f"declare {wide} {function})")
        return (
            f"  {stem}.half.of = fpext {narrow} {found['value']} to {wide}{rest}\n"
            f"  {stem}.half.as = {found['how']} {wide} {function} {stem}.half.of){rest}\n"
            f"  {result} = fptrunc {wide} {stem}.half.as to {narrow}{rest}"
        )

    text = _CALL.sub(widened, text)
    for declaration in sorted(declarations):
        # Another declaration may have attributes behind it.
        if declaration not in text:
            text += f"\n{declaration}\n"
    return text
