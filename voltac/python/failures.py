"""How failures leave kernels (``lower/control_flow/failure_exits.py``): functions as LLVM text, and exceptions to raise.

Each call of a kernel that can fail has a *guard* on its stack: a place to jump back
to, the launches that are open, and what failed. Those of a thread are linked, the
innermost in a variable of the thread. A failure writes itself into the guard of the
call, if it is the first, waits for the tasks of all functions it leaves, and jumps to
the innermost guard. There are only frames of kernels in between: whatever Python
calls has a guard of its own. Tasks have one each, which refers to that of the call,
so that a failure on another thread is found when the launching function waits.
"""

from __future__ import annotations

import ctypes
from typing import NoReturn

from voltac.messages.exceptions import of_caller
from voltac.python.bounds_text import BOUNDS_TEXT
from voltac.python.callbacks import raise_first
from voltac.python.failure_texts import message_of, named_lanes
from voltac.system.once import once

KEY_SYMBOL = "voltac.guard.key"
FAILURE_SYMBOL = "voltac.guard.failed"
"""The Python function that raises."""
_PLAIN_WORDS, FAILURE_WORDS = 3, 7
"""Of 64 bits, that tell of a failure: kind, text, lanes; of a check also three numbers and a place.

Before the call a checked kernel has in the fourth the address of its arrays: their number, then address and bytes of
each, in the order of the parameters."""

# Of the guard: the one outside of it, that of the call, open launches, state, kind, text, lanes, floating-point state,
# jmp_buf, three numbers for the message, the place it is about, the arrays of the call, the place where the library was
# called last. State: 0 nothing failed, 1 somebody writes what, 2 it is written.
_TEXT = """\
%voltac.guard = type { ptr, ptr, ptr, i32, i32, ptr, i64, i64, [48 x i64], i64, i64, i64, ptr, ptr, ptr }
declare ptr @pthread_getspecific(i32) nounwind nonlazybind
declare i32 @pthread_setspecific(i32, ptr) nounwind nonlazybind
declare i32 @_setjmp(ptr) nounwind returns_twice nonlazybind
declare void @longjmp(ptr, i32) nounwind noreturn cold nonlazybind
declare i32 @puts(ptr) nounwind cold
declare i32 @fflush(ptr) nounwind cold
declare void @abort() nounwind noreturn cold
@"voltac.guard.key" = external global i32

define internal ptr @voltac.guard.innermost() nounwind {
  %key = load i32, ptr @"voltac.guard.key"
  %guard = call ptr @pthread_getspecific(i32 %key)
  ret ptr %guard
}

define internal i32 @voltac.guard.run(ptr %guard, ptr %call, ptr %code, ptr %given) noinline nounwind {
  %outer = call ptr @voltac.guard.innermost()
  store ptr %outer, ptr %guard
  %call.at = getelementptr %voltac.guard, ptr %guard, i64 0, i32 1
  store ptr %call, ptr %call.at
  %launches.at = getelementptr %voltac.guard, ptr %guard, i64 0, i32 2
  store ptr null, ptr %launches.at
  %state.at = getelementptr %voltac.guard, ptr %guard, i64 0, i32 3
  store i32 0, ptr %state.at
  %caller.at = getelementptr %voltac.guard, ptr %guard, i64 0, i32 14
  store ptr null, ptr %caller.at
  %key = load i32, ptr @"voltac.guard.key"
  %set = call i32 @pthread_setspecific(i32 %key, ptr %guard)
  SAVE
  %jump = getelementptr %voltac.guard, ptr %guard, i64 0, i32 8
  %back = call i32 @_setjmp(ptr %jump) returns_twice
  %begins = icmp eq i32 %back, 0
  br i1 %begins, label %run, label %left
run:
  call void %code(ptr %given)
  br label %done
left:
  RESTORE
  br label %done
done:
  %before = load ptr, ptr %guard
  %key.again = load i32, ptr @"voltac.guard.key"
  %reset = call i32 @pthread_setspecific(i32 %key.again, ptr %before)
  %state = load atomic i32, ptr %state.at acquire, align 4
  ret i32 %state
}

define internal i32 @voltac.guard.call(ptr %code, ptr %slots, ptr %failure) noinline nounwind {
  %guard = alloca %voltac.guard, align 16
  ARRAYS
  %state = call i32 @voltac.guard.run(ptr %guard, ptr %guard, ptr %code, ptr %slots)
  %failed = icmp ne i32 %state, 0
  br i1 %failed, label %tell, label %done
tell:
  %kind.at = getelementptr %voltac.guard, ptr %guard, i64 0, i32 4
  %kind = load i32, ptr %kind.at
  %kind.wide = zext i32 %kind to i64
  store i64 %kind.wide, ptr %failure
  %text.at = getelementptr %voltac.guard, ptr %guard, i64 0, i32 5
  %text = load ptr, ptr %text.at
  %text.to = getelementptr i64, ptr %failure, i64 1
  store ptr %text, ptr %text.to
  %lanes.at = getelementptr %voltac.guard, ptr %guard, i64 0, i32 6
  %lanes = load i64, ptr %lanes.at
  %lanes.to = getelementptr i64, ptr %failure, i64 2
  store i64 %lanes, ptr %lanes.to
  NUMBERS
  br label %done
done:
  ret i32 %state
}

define void @voltac.fail(i32 %kind, ptr %text, i64 %lanes) noinline noreturn nounwind cold {
  call void @voltac.fail_with(i32 %kind, ptr %text, i64 %lanes, i64 0, i64 0, i64 0)
  unreachable
}

define void @voltac.fail_with(i32 %kind, ptr %text, i64 %lanes, i64 %a, i64 %b, i64 %c) noinline noreturn nounwind cold {
  %guard = call ptr @voltac.guard.innermost()
  %alone = icmp eq ptr %guard, null
  br i1 %alone, label %abort, label %record
abort:
  %written = call i32 @puts(ptr %text)
  %flushed = call i32 @fflush(ptr null)
  call void @abort()
  unreachable
record:
  %call.at = getelementptr %voltac.guard, ptr %guard, i64 0, i32 1
  %call = load ptr, ptr %call.at
  %state.at = getelementptr %voltac.guard, ptr %call, i64 0, i32 3
  %pair = cmpxchg ptr %state.at, i32 0, i32 1 acq_rel acquire
  %first = extractvalue { i32, i1 } %pair, 1
  br i1 %first, label %write, label %leave
write:
  %kind.at = getelementptr %voltac.guard, ptr %call, i64 0, i32 4
  store i32 %kind, ptr %kind.at
  %text.at = getelementptr %voltac.guard, ptr %call, i64 0, i32 5
  store ptr %text, ptr %text.at
  %lanes.at = getelementptr %voltac.guard, ptr %call, i64 0, i32 6
  store i64 %lanes, ptr %lanes.at
  %a.at = getelementptr %voltac.guard, ptr %call, i64 0, i32 9
  store i64 %a, ptr %a.at
  %b.at = getelementptr %voltac.guard, ptr %call, i64 0, i32 10
  store i64 %b, ptr %b.at
  %c.at = getelementptr %voltac.guard, ptr %call, i64 0, i32 11
  store i64 %c, ptr %c.at
  %caller.at = getelementptr %voltac.guard, ptr %guard, i64 0, i32 14
  %caller = load ptr, ptr %caller.at
  %place.at = getelementptr %voltac.guard, ptr %call, i64 0, i32 12
  store ptr %caller, ptr %place.at
  store atomic i32 2, ptr %state.at release, align 4
  br label %leave
leave:
  call void @voltac.guard.leave(ptr %guard)
  unreachable
}

define internal void @voltac.guard.leave(ptr %guard) noinline noreturn nounwind cold {
  %launches.at = getelementptr %voltac.guard, ptr %guard, i64 0, i32 2
  br label %test
test:
  %launch = load ptr, ptr %launches.at
  %none = icmp eq ptr %launch, null
  br i1 %none, label %jump, label %wait
wait:
  %handle = load ptr, ptr %launch
  %outer.at = getelementptr ptr, ptr %launch, i64 1
  %outer = load ptr, ptr %outer.at
  store ptr %outer, ptr %launches.at
  %empty = icmp eq ptr %handle, null
  br i1 %empty, label %test, label %sync
sync:
  SYNC
  br label %test
jump:
  %buffer = getelementptr %voltac.guard, ptr %guard, i64 0, i32 8
  call void @longjmp(ptr %buffer, i32 1)
  unreachable
}
"""

_RAISE = """\
declare void @Py_DecRef(ptr) nounwind cold nonlazybind
@"voltac.guard.failed" = external global i8

define internal ptr @voltac.guard.raise(ptr %failure) noinline nounwind cold {
  %objects = alloca [COUNT x ptr]
  OBJECTS
  %raised = call ptr @PyObject_Vectorcall(ptr @"voltac.guard.failed", ptr %objects, i64 COUNT, ptr null)
  RELEASED
  ret ptr %raised
}
"""

_TASKS = """\
declare void @ISPCSync(ptr)

define ptr @voltac.open_launch(ptr %record) nounwind {
  %guard = call ptr @voltac.guard.innermost()
  %unguarded = icmp eq ptr %guard, null
  br i1 %unguarded, label %none, label %look
none:
  ret ptr null
look:
  %call.at = getelementptr %voltac.guard, ptr %guard, i64 0, i32 1
  %call = load ptr, ptr %call.at
  %handle = load ptr, ptr %record
  %known = icmp ne ptr %handle, null
  br i1 %known, label %done, label %enter
enter:
  %launches.at = getelementptr %voltac.guard, ptr %guard, i64 0, i32 2
  %outer = load ptr, ptr %launches.at
  %outer.at = getelementptr ptr, ptr %record, i64 1
  store ptr %outer, ptr %outer.at
  store ptr %record, ptr %launches.at
  br label %done
done:
  ret ptr %call
}

define void @voltac.close_launch(ptr %record) nounwind {
  %guard = call ptr @voltac.guard.innermost()
  %unguarded = icmp eq ptr %guard, null
  br i1 %unguarded, label %done, label %close
close:
  %outer.at = getelementptr ptr, ptr %record, i64 1
  %outer = load ptr, ptr %outer.at
  %launches.at = getelementptr %voltac.guard, ptr %guard, i64 0, i32 2
  store ptr %outer, ptr %launches.at
  %call.at = getelementptr %voltac.guard, ptr %guard, i64 0, i32 1
  %call = load ptr, ptr %call.at
  %state.at = getelementptr %voltac.guard, ptr %call, i64 0, i32 3
  %state = load atomic i32, ptr %state.at acquire, align 4
  %failed = icmp ne i32 %state, 0
  br i1 %failed, label %leave, label %done
leave:
  call void @voltac.guard.leave(ptr %guard)
  unreachable
done:
  ret void
}

%voltac.task = type { ptr, PARAMETERS }

define void @voltac.run_task(ptr %data, ARGUMENTS) nounwind {
  %call.at = getelementptr ptr, ptr %data, i64 1
  %call = load ptr, ptr %call.at
  %given = alloca %voltac.task
  %guard = alloca %voltac.guard, align 16
  store ptr %data, ptr %given
  STORES
  %unguarded = icmp eq ptr %call, null
  br i1 %unguarded, label %plain, label %look
plain:
  call void @voltac.call_task(ptr %given)
  ret void
look:
  %state.at = getelementptr %voltac.guard, ptr %call, i64 0, i32 3
  %state = load atomic i32, ptr %state.at acquire, align 4
  %failed = icmp ne i32 %state, 0
  br i1 %failed, label %done, label %run
run:
  %ended = call i32 @voltac.guard.run(ptr %guard, ptr %call, ptr @voltac.call_task, ptr %given)
  br label %done
done:
  ret void
}

define internal void @voltac.call_task(ptr %given) nounwind {
  %data = load ptr, ptr %given
  %function = load ptr, ptr %data
  %head.at = getelementptr i64, ptr %data, i64 2
  %head = load i64, ptr %head.at
  %arguments = getelementptr i8, ptr %data, i64 %head
  LOADS
  call void %function(ptr %arguments, ARGUMENTS)
  ret void
}
"""

_ARRAYS = """\
%given.at = getelementptr i64, ptr %failure, i64 3
  %given = load ptr, ptr %given.at
  %arrays.at = getelementptr %voltac.guard, ptr %guard, i64 0, i32 13
  store ptr %given, ptr %arrays.at"""

_SAVE_FLOAT_STATE = """\
%float.at = getelementptr %voltac.guard, ptr %guard, i64 0, i32 7
  call void @llvm.x86.sse.stmxcsr(ptr %float.at)"""
_RESTORE_FLOAT_STATE = "call void @llvm.x86.sse.ldmxcsr(ptr %float.at)"


_OBJECT = """\
%at# = getelementptr i64, ptr %failure, i64 #
  %v# = load i64, ptr %at#
  %object# = call ptr @PyLong_FromUnsignedLongLong(i64 %v#)
  %to# = getelementptr ptr, ptr %objects, i64 #
  store ptr %object#, ptr %to#"""
_NUMBERS = "\n  ".join(
    f"%from{n} = getelementptr %voltac.guard, ptr %guard, i64 0, i32 {n}\n  %number{n} = load i64, ptr %from{n}\n"
    f"  %to{n} = getelementptr i64, ptr %failure, i64 {n - 6}\n  store i64 %number{n}, ptr %to{n}"
    for n in range(9, 13)
)


def failure_text(launches: bool, is_x86: bool, checked: bool) -> str:
    """The definitions of these functions, of those for tasks, and of those that checks call, for a module that raises
    exceptions in Python."""
    words = range(FAILURE_WORDS if checked else _PLAIN_WORDS)
    objects = "\n  ".join(_OBJECT.replace("#", str(n)) for n in words)
    released = "\n  ".join(f"call void @Py_DecRef(ptr %object{n})" for n in words)
    raising = _RAISE.replace("OBJECTS", objects).replace("RELEASED", released).replace("COUNT", str(len(words)))
    return _text(launches, is_x86, checked) + raising


def failure_module(launches: bool) -> str:
    """The same as a module of its own, without Python: ``voltac.guard.call`` says what failed. Its user sets the key."""
    text = _text(launches, is_x86=True, checked=False)
    text = text.replace("define internal i32 @voltac.guard.call", "define i32 @voltac.guard.call")
    return text.replace(f'@"{KEY_SYMBOL}" = external global i32', f'@"{KEY_SYMBOL}" = global i32 0')


def _text(launches: bool, is_x86: bool, checked: bool) -> str:
    text = _TEXT + BOUNDS_TEXT if checked else _TEXT
    text = text.replace("NUMBERS", _NUMBERS if checked else "").replace("ARRAYS", _ARRAYS if checked else "")
    text = text.replace("SYNC", "call void @ISPCSync(ptr %handle)" if launches else "call void @abort()")
    text = text.replace("SAVE", _SAVE_FLOAT_STATE if is_x86 else "").replace("RESTORE", _RESTORE_FLOAT_STATE if is_x86 else "")
    if is_x86:
        text += "declare void @llvm.x86.sse.stmxcsr(ptr)\ndeclare void @llvm.x86.sse.ldmxcsr(ptr)\n"
    return text + (_with_parameters(_TASKS) if launches else "")


def _with_parameters(text: str) -> str:
    numbers = range(1, 11)
    place = "getelementptr %voltac.task, ptr %given, i64 0, i32"
    text = text.replace("PARAMETERS", ", ".join("i32" for _ in numbers))
    text = text.replace("ARGUMENTS", ", ".join(f"i32 %p{n}" for n in numbers))
    text = text.replace("STORES", "\n  ".join(f"%at{n} = {place} {n}\n  store i32 %p{n}, ptr %at{n}" for n in numbers))
    return text.replace("LOADS", "\n  ".join(f"%at{n} = {place} {n}\n  %p{n} = load i32, ptr %at{n}" for n in numbers))


# --- the Python side ----------------------------------------------------------------------------------------------


@once
def guard_key() -> ctypes.c_uint:
    """The variable of each thread that holds its innermost guard: pthread's number of it, for all programs of the process."""
    key = ctypes.c_uint()
    if ctypes.CDLL(None).pthread_key_create(ctypes.byref(key), None):
        from voltac.messages.diagnostics import InternalError  # late: a cached kernel is called without messages

        raise InternalError("stage 'load': the process has no room for another variable of threads")
    return key


EXCEPTIONS = (AssertionError, ZeroDivisionError, OverflowError)
"""By the kinds of ``voltac.lower.control_flow.failure_exits``."""


def raise_failure(kind: int, text: int, lanes: int, *more: int) -> NoReturn:
    """Raise what a kernel failed with; ``text`` is the address of its message. An exception of a callback came before."""
    raise_first()
    if kind >= len(EXCEPTIONS):
        from voltac.python.failed_checks import failed_check  # late: for checked runs

        raise of_caller(failed_check(kind, ctypes.string_at(text), lanes, *more))
    raise of_caller(EXCEPTIONS[kind](message_of(ctypes.string_at(text)) + named_lanes(lanes)))
