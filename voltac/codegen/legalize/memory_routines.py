"""Copies and fills of memory, by words where both begin at one: routines (``routines.py``).

    call void @llvm.memmove.p0.p0.i32(ptr %to, ptr %from, i32 %size, i1 false)      ->    call void @copy(...)

A copy goes backward where the memory read begins in front of that written and overlaps it.
"""

from __future__ import annotations

from voltac.codegen.legalize.function import Routine


def _ascending(name: str, before: str, first: str, last: str, step: int, body: str, behind: str) -> str:
    """A loop over ``%NAME.at`` from ``first``, which comes from the block ``before``, to ``last``."""
    return f"""\
{name}.test:
  %{name}.at = phi WORD [ {first}, %{before} ], [ %{name}.next, %{name} ]
  %{name}.more = icmp ult WORD %{name}.at, {last}
  br i1 %{name}.more, label %{name}, label %{behind}
{name}:
  %{name}.to = getelementptr i8, ptr %to, WORD %{name}.at
{body}  %{name}.next = add WORD %{name}.at, {step}
  br label %{name}.test
"""


def _moved(name: str, type: str, alignment: int, at: str) -> str:
    return f"""\
  %{name}.from = getelementptr i8, ptr %from, WORD {at}
  %{name}.value = load {type}, ptr %{name}.from, align {alignment}
  store {type} %{name}.value, ptr %{name}.to, align {alignment}
"""


_COPY = f"""\
define internal void @NAME(ptr %to, ptr %from, WORD %size) nounwind noinline {{
entry:
  %a = ptrtoint ptr %to to WORD
  %b = ptrtoint ptr %from to WORD
  %either = or WORD %a, %b
  %low = and WORD %either, 3
  %aligned = icmp eq WORD %low, 0
  %gap = sub WORD %a, %b
  %backward = icmp ult WORD %gap, %size
  %whole = and WORD %size, -4
  %words = select i1 %aligned, WORD %whole, WORD 0
  br i1 %backward, label %back.test, label %word.test
{_ascending("word", "entry", "0", "%words", 4, _moved("word", "i32", 4, "%word.at"), "byte.test")}\
{_ascending("byte", "word.test", "%words", "%size", 1, _moved("byte", "i8", 1, "%byte.at"), "done")}\
back.test:
  %left = phi WORD [ %size, %entry ], [ %left.next, %back ]
  %left.more = icmp ne WORD %left, 0
  br i1 %left.more, label %back, label %done
back:
  %left.next = add WORD %left, -1
  %back.to = getelementptr i8, ptr %to, WORD %left.next
{_moved("back", "i8", 1, "%left.next")}\
  br label %back.test
done:
  ret void
}}
"""

_WORD_STORED = "  store i32 %four, ptr %word.to, align 4\n"
_BYTE_STORED = "  store i8 %value, ptr %single.to, align 1\n"
_FILL = f"""\
define internal void @NAME(ptr %to, i32 %byte, WORD %size) nounwind noinline {{
entry:
  %value = trunc i32 %byte to i8
  %low = and i32 %byte, 255
  %four = mul i32 %low, 16843009
  %a = ptrtoint ptr %to to WORD
  %odd = and WORD %a, 3
  %aligned = icmp eq WORD %odd, 0
  %whole = and WORD %size, -4
  %words = select i1 %aligned, WORD %whole, WORD 0
  br label %word.test
{_ascending("word", "entry", "0", "%words", 4, _WORD_STORED, "single.test")}\
{_ascending("single", "word.test", "%words", "%size", 1, _BYTE_STORED, "done")}\
done:
  ret void
}}
"""

MEMORY_ROUTINES: dict[str, Routine] = {
    "copy": Routine(_COPY, ("ptr", "ptr", "WORD"), ()),
    "fill": Routine(_FILL, ("ptr", "WORD", "WORD"), ()),
}
