"""Copies and fills of memory -> routines of loops that are pipelined, by eight, four or single bytes (IA-64 6, 12).

    call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %size, i1 false)      ->      call void @copy_apart(...)

What may overlap goes the shared way: there a load waits for the stores before it.
"""

from __future__ import annotations

_SIZES = (8, 4, 1)
"""Bytes of an access, each from where the one before has stopped."""


def _loop(size: int, before: str, start: str, end: str, following: str, body: str) -> str:
    """One block, entered if there is anything to do; ``%atSIZE`` is where it stores."""
    return f"""\
from{size}:
  %begin{size} = phi i64 [ {start}, %{before} ]
  %some{size} = icmp ult i64 %begin{size}, {end}
  br i1 %some{size}, label %by{size}, label %{following}
by{size}:
  %at{size} = phi i64 [ %begin{size}, %from{size} ], [ %next{size}, %by{size} ]
  %to{size} = getelementptr i8, ptr %to, i64 %at{size}
{body}  %next{size} = add i64 %at{size}, {size}
  %more{size} = icmp ult i64 %next{size}, {end}
  br i1 %more{size}, label %by{size}, label %{following}
"""
