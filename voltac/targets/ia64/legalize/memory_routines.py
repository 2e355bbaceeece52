"""Copies and fills of memory: routines of loops that are pipelined, by eight, four or single bytes (IA-64 6, 12).

    call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %size, i1 false)      ->      call void @copy_apart(...)

What may overlap has the shared routine: there a load waits for the store before it.
"""

from __future__ import annotations

from voltac.codegen.legalize.function import Routine
from voltac.codegen.legalize.memory_routines import MEMORY_ROUTINES

_SIZES = (8, 4, 1)
"""Bytes of an access: each goes on from where the one before it ends, at its last multiple, if all addresses are multiples."""


def _loops(body: str) -> str:
    """For each size the loop of a block, entered if there is anything to do."""
    made, start = "", "0"
    for size, following in zip(_SIZES, (*_SIZES[1:], 0)):
        after = f"from{following}" if following else "done"
        made += f"""\
from{size}:
  %low{size} = and i64 %all, {size - 1}
  %aligned{size} = icmp eq i64 %low{size}, 0
  %whole{size} = and i64 %size, {-size}
  %end{size} = select i1 %aligned{size}, i64 %whole{size}, i64 0
  %some{size} = icmp ult i64 {start}, %end{size}
  br i1 %some{size}, label %by{size}, label %{after}
by{size}:
  %at{size} = phi i64 [ {start}, %from{size} ], [ %next{size}, %by{size} ]
  %to{size} = getelementptr i8, ptr %to, i64 %at{size}
{body.format(n=size, bits=8 * size)}
  %next{size} = add i64 %at{size}, {size}
  %more{size} = icmp ult i64 %next{size}, %end{size}
  br i1 %more{size}, label %by{size}, label %{after}
"""
        start = f"%end{size}"
    return made


_COPY = f"""\
define internal void @NAME(ptr noalias %to, ptr noalias %from, i64 %size) nounwind noinline {{
entry:
  %a = ptrtoint ptr %to to i64
  %b = ptrtoint ptr %from to i64
  %all = or i64 %a, %b
  br label %from8
{
    _loops('''  %place{n} = getelementptr i8, ptr %from, i64 %at{n}
  %value{n} = load i{bits}, ptr %place{n}, align {n}
  store i{bits} %value{n}, ptr %to{n}, align {n}''')
}\
done:
  ret void
}}
"""
_FILL = f"""\
define internal void @NAME(ptr noalias %to, i64 %byte, i64 %size) nounwind noinline {{
entry:
  %all = ptrtoint ptr %to to i64
  %low = and i64 %byte, 255
  %value8 = mul i64 %low, 72340172838076673
  %value4 = trunc i64 %value8 to i32
  %value1 = trunc i64 %value8 to i8
  br label %from8
{_loops('''  store i{bits} %value{n}, ptr %to{n}, align {n}''')}\
done:
  ret void
}}
"""
ROUTINES: dict[str, Routine] = {
    **MEMORY_ROUTINES,
    "copy_apart": Routine(_COPY, ("ptr", "ptr", "WORD"), ()),
    "fill": Routine(_FILL, ("ptr", "WORD", "WORD"), ()),
}
