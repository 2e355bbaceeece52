"""What checked kernels call, as LLVM text: where the arrays of the call are, and where the program called the library.

The guard of the call knows both (:mod:`voltac.python.failures`).
"""

from __future__ import annotations

_FIRST_PAGE = 4096
"""Bytes from address 0 that belong to nobody: where null pointers with an index lead."""
_EVERYWHERE = (1 << 63) - 1
"""Bytes, as ``voltac.lower.checks.bounds`` has it."""

BOUNDS_TEXT = f"""\
define void @voltac.called_from(ptr %place) noinline nounwind willreturn {{
  %guard = call ptr @voltac.guard.innermost()
  %unguarded = icmp eq ptr %guard, null
  br i1 %unguarded, label %done, label %note
note:
  %caller.at = getelementptr %voltac.guard, ptr %guard, i64 0, i32 14
  store ptr %place, ptr %caller.at
  br label %done
done:
  ret void
}}

define internal ptr @voltac.arrays() nounwind {{
  %guard = call ptr @voltac.guard.innermost()
  %unguarded = icmp eq ptr %guard, null
  br i1 %unguarded, label %none, label %look
none:
  ret ptr null
look:
  %call.at = getelementptr %voltac.guard, ptr %guard, i64 0, i32 1
  %call = load ptr, ptr %call.at
  %arrays.at = getelementptr %voltac.guard, ptr %call, i64 0, i32 13
  %arrays = load ptr, ptr %arrays.at
  ret ptr %arrays
}}

define {{ i64, i64 }} @voltac.parameter_bounds(ptr %pointer, i64 %position) noinline nounwind willreturn memory(read) {{
  %arrays = call ptr @voltac.arrays()
  %none = icmp eq ptr %arrays, null
  br i1 %none, label %other, label %look
look:
  %entries = getelementptr i64, ptr %arrays, i64 1
  %start.at = getelementptr [2 x i64], ptr %entries, i64 %position
  %start = load i64, ptr %start.at
  %bytes.at = getelementptr i64, ptr %start.at, i64 1
  %bytes = load i64, ptr %bytes.at
  %given = ptrtoint ptr %pointer to i64
  %same = icmp eq i64 %start, %given
  br i1 %same, label %known, label %other
known:
  %first = insertvalue {{ i64, i64 }} poison, i64 %start, 0
  %both = insertvalue {{ i64, i64 }} %first, i64 %bytes, 1
  ret {{ i64, i64 }} %both
other:
  %found = call {{ i64, i64 }} @voltac.bounds(ptr %pointer)
  ret {{ i64, i64 }} %found
}}

define {{ i64, i64 }} @voltac.bounds(ptr %pointer) noinline nounwind willreturn memory(read) {{
entry:
  %given = ptrtoint ptr %pointer to i64
  %null = icmp ult i64 %given, {_FIRST_PAGE}
  %anything = select i1 %null, i64 0, i64 {_EVERYWHERE}
  %arrays = call ptr @voltac.arrays()
  %none = icmp eq ptr %arrays, null
  br i1 %none, label %done, label %begin
begin:
  %count = load i64, ptr %arrays
  %entries = getelementptr i64, ptr %arrays, i64 1
  br label %test
test:
  %n = phi i64 [ 0, %begin ], [ %next, %keep ]
  %start.before = phi i64 [ 0, %begin ], [ %start.best, %keep ]
  %bytes.before = phi i64 [ 0, %begin ], [ %bytes.best, %keep ]
  %more = icmp ult i64 %n, %count
  br i1 %more, label %keep, label %end
keep:
  %start.at = getelementptr [2 x i64], ptr %entries, i64 %n
  %start = load i64, ptr %start.at
  %bytes.at = getelementptr i64, ptr %start.at, i64 1
  %bytes = load i64, ptr %bytes.at
  %offset = sub i64 %given, %start
  %inside = icmp ult i64 %offset, %bytes
  %larger = icmp ugt i64 %bytes, %bytes.before
  %better = and i1 %inside, %larger
  %start.best = select i1 %better, i64 %start, i64 %start.before
  %bytes.best = select i1 %better, i64 %bytes, i64 %bytes.before
  %next = add i64 %n, 1
  br label %test
end:
  %found = icmp ne i64 %bytes.before, 0
  %bytes.found = select i1 %found, i64 %bytes.before, i64 %anything
  br label %done
done:
  %start.result = phi i64 [ 0, %entry ], [ %start.before, %end ]
  %bytes.result = phi i64 [ %anything, %entry ], [ %bytes.found, %end ]
  %first = insertvalue {{ i64, i64 }} poison, i64 %start.result, 0
  %both = insertvalue {{ i64, i64 }} %first, i64 %bytes.result, 1
  ret {{ i64, i64 }} %both
}}

define void @voltac.bounds_each(ptr %pointers, ptr %starts, ptr %bytes, i64 %on, i64 %lanes) noinline nounwind willreturn {{
entry:
  br label %test
test:
  %lane = phi i64 [ 0, %entry ], [ %next, %set ]
  %more = icmp ult i64 %lane, %lanes
  br i1 %more, label %lane.begin, label %done
lane.begin:
  %start.to = getelementptr i64, ptr %starts, i64 %lane
  %bytes.to = getelementptr i64, ptr %bytes, i64 %lane
  %shifted = lshr i64 %on, %lane
  %active = trunc i64 %shifted to i1
  br i1 %active, label %look, label %set
look:
  %at = getelementptr ptr, ptr %pointers, i64 %lane
  %pointer = load ptr, ptr %at
  %both = call {{ i64, i64 }} @voltac.bounds(ptr %pointer)
  %start.found = extractvalue {{ i64, i64 }} %both, 0
  %bytes.found = extractvalue {{ i64, i64 }} %both, 1
  br label %set
set:
  %start = phi i64 [ 0, %lane.begin ], [ %start.found, %look ]
  %size = phi i64 [ {_EVERYWHERE}, %lane.begin ], [ %bytes.found, %look ]
  store i64 %start, ptr %start.to
  store i64 %size, ptr %bytes.to
  %next = add i64 %lane, 1
  br label %test
done:
  ret void
}}
"""
