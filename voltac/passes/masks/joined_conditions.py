"""Conditions of lanes joined by ``&&`` and ``||`` -> joined by ``and`` and ``or``, where masks are vectors of whole lanes.

When LLVM has finished simplifying::

    %both = select <32 x i1> %x, <32 x i1> %y, <32 x i1> zeroinitializer
    %any = select <32 x i1> %x, <32 x i1> splat (i1 true), <32 x i1> %y

become

    %known = freeze <32 x i1> %y
    %both = and <32 x i1> %x, %known
    %any = or <32 x i1> %x, %known

Where ``%x`` decides, it does not matter to a selection whether ``%y`` is poison; frozen it is some truth value there, which
does not matter to the ``and`` and the ``or`` either. LLVM's code for the second selection blends numbers, which
takes two to three operations for each register of AVX2 on Intel's processors, in place of one.
"""

from __future__ import annotations

from voltac.options import Options
from voltac.system.lazy_patterns import lazy_pattern

_SELECTION = lazy_pattern(
    r"  (?P<name>%\S+) = select (?P<type><\d+ x i1>) (?P<first>%[^\s,]+), <\d+ x i1> (?P<yes>%[^\s,]+|splat \(i1 true\)), "
    r"<\d+ x i1> (?P<no>%[^\s,]+|zeroinitializer)(?P<debug>, !dbg !\d+)?$"
)
_TAKEN = lazy_pattern(r"%joined\.(\d+) =")


def join_conditions(text: str, options: Options) -> str:
    """The module's text, unchanged if there is no such selection."""
    if " x i1> splat (i1 true), <" not in text and " x i1> zeroinitializer" not in text:
        return text
    number = max(map(int, _TAKEN.findall(text)), default=0)
    result: list[str] = []
    for line in text.split("\n"):
        if " = select <" in line and (found := _SELECTION.match(line)):
            is_any, is_both = found["yes"][0] != "%", found["no"][0] != "%"
            if is_any != is_both:
                number += 1
                kind, debug = found["type"], found["debug"] or ""
                result.append(f"  %joined.{number} = freeze {kind} {found['no'] if is_any else found['yes']}{debug}")
                line = f"  {found['name']} = {'or' if is_any else 'and'} {kind} {found['first']}, %joined.{number}{debug}"
        result.append(line)
    return "\n".join(result)
