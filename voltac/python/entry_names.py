"""Arguments given by name, and those left out, put in the order of the parameters: as LLVM text, and the table it reads.

The table has two words a parameter: the object that is its name, and the object to take where the argument is left out,
or zero. Names are interned, those of a call and ours, so that equal ones are the same object; a name that is none of the
table's goes the slow way, which finds out whether it is only an equal one.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Collection

from voltac.python import interpreter_layout as layout
from voltac.python.entry_values import EntryWriter
from voltac.python.signatures import Signature
from voltac.python.symbols import names_symbol

MOST = 63
"""Parameters of a kernel whose omitted arguments fit into the bits of a word."""

_COUNTED = 1
"""Bit of the table's second word: the object only holds the place of a length, which arrays say."""

BINDING = f"""\

define internal i64 @voltac.bind(ptr %arguments, i64 %given, ptr %names, ptr %table, i64 %count, ptr %bound) nounwind {{
  %few = icmp ule i64 %given, %count
  br i1 %few, label %copy, label %fail
copy:
  %position = phi i64 [ 0, %0 ], [ %following, %set ]
  %more = icmp ult i64 %position, %count
  br i1 %more, label %choose, label %named
choose:
  %is.given = icmp ult i64 %position, %given
  %from = getelementptr ptr, ptr %arguments, i64 %position
  br i1 %is.given, label %take, label %set
take:
  %object = load ptr, ptr %from
  br label %set
set:
  %initial = phi ptr [ %object, %take ], [ null, %choose ]
  %to = getelementptr ptr, ptr %bound, i64 %position
  store ptr %initial, ptr %to
  %following = add i64 %position, 1
  br label %copy
named:
  %unnamed = icmp eq ptr %names, null
  br i1 %unnamed, label %defaults, label %sized
sized:
  %size.at = getelementptr i8, ptr %names, i64 {layout.TUPLE_SIZE}
  %size = load i64, ptr %size.at
  %items = getelementptr i8, ptr %names, i64 {layout.TUPLE_ITEMS}
  %values = getelementptr ptr, ptr %arguments, i64 %given
  br label %name
name:
  %number = phi i64 [ 0, %sized ], [ %next.number, %unset ]
  %any = icmp ult i64 %number, %size
  br i1 %any, label %look, label %defaults
look:
  %item.at = getelementptr ptr, ptr %items, i64 %number
  %item = load ptr, ptr %item.at
  br label %search
search:
  %place = phi i64 [ 0, %look ], [ %next.place, %other ]
  %left = icmp ult i64 %place, %count
  br i1 %left, label %compare, label %fail
compare:
  %row = getelementptr [2 x ptr], ptr %table, i64 %place
  %known = load ptr, ptr %row
  %same = icmp eq ptr %known, %item
  br i1 %same, label %found, label %other
other:
  %next.place = add i64 %place, 1
  br label %search
found:
  %slot = getelementptr ptr, ptr %bound, i64 %place
  %before = load ptr, ptr %slot
  %once = icmp eq ptr %before, null
  br i1 %once, label %unset, label %fail
unset:
  %value.at = getelementptr ptr, ptr %values, i64 %number
  %value = load ptr, ptr %value.at
  store ptr %value, ptr %slot
  %next.number = add i64 %number, 1
  br label %name
defaults:
  br label %fill
fill:
  %index = phi i64 [ 0, %defaults ], [ %next.index, %filled ]
  %omitted = phi i64 [ 0, %defaults ], [ %next.omitted, %filled ]
  %rest = icmp ult i64 %index, %count
  br i1 %rest, label %check, label %done
check:
  %here = getelementptr ptr, ptr %bound, i64 %index
  %has = load ptr, ptr %here
  %there = icmp ne ptr %has, null
  br i1 %there, label %filled, label %default
default:
  %default.at = getelementptr [2 x i64], ptr %table, i64 %index, i64 1
  %word = load i64, ptr %default.at
  %none = icmp eq i64 %word, 0
  br i1 %none, label %fail, label %substitute
substitute:
  %address = and i64 %word, -2
  %substitute.object = inttoptr i64 %address to ptr
  store ptr %substitute.object, ptr %here
  %counted = and i64 %word, {_COUNTED}
  %bit = shl i64 %counted, %index
  %with.bit = or i64 %omitted, %bit
  br label %filled
filled:
  %next.omitted = phi i64 [ %omitted, %check ], [ %with.bit, %substitute ]
  %next.index = add i64 %index, 1
  br label %fill
done:
  ret i64 %omitted
fail:
  ret i64 -1
}}
"""
"""``voltac.bind`` fills ``bound`` and gives a bit for each length that was left out, or -1."""


def bind(out: EntryWriter, signature: Signature) -> None:
    """``%given.arguments`` becomes the arguments in the order of the parameters, ``%omitted`` the bits of what is missing."""
    count = len(signature.parameters)
    out.put(f"%given = and i64 %n, {(1 << 63) - 1}")
    out.put(f"%enough = icmp eq i64 %given, {count}")
    out.put("%unnamed = icmp eq ptr %names, null")
    out.put("%plain = and i1 %enough, %unnamed")
    out.put(f"br i1 %plain, label %taken, label %{'named' if 0 < count <= MOST else 'slow'}, !prof !0")
    sources = "[ %arguments, %entry ]", "[ 0, %entry ]"
    if 0 < count <= MOST:
        out.block("named")
        table = f'ptr @"{names_symbol(signature.name)}"'
        out.put(f"%missing = call i64 @voltac.bind(ptr %arguments, i64 %given, ptr %names, {table}, i64 {count}, ptr %bound)")
        out.put("%is.bound = icmp sge i64 %missing, 0")
        out.put("br i1 %is.bound, label %taken, label %slow")
        sources = f"{sources[0]}, [ %bound, %named ]", f"{sources[1]}, [ %missing, %named ]"
    out.block("taken")
    out.put(f"%given.arguments = phi ptr {sources[0]}")
    out.put(f"%omitted = phi i64 {sources[1]}")


class NameTable:
    """Keeps the objects whose addresses stand in the table of one kernel."""

    def __init__(self, signature: Signature, counted: Collection[int], address: int) -> None:
        words = (ctypes.c_uint64 * (2 * max(1, len(signature.parameters)))).from_address(address)
        self._objects: list[object] = []
        for position, parameter in enumerate(signature.parameters):
            name = sys.intern(parameter.name)
            substitute: object = 0 if position in counted else parameter.default_object
            words[2 * position] = id(name)
            if position in counted or parameter.has_default:
                words[2 * position + 1] = id(substitute) | (_COUNTED if position in counted else 0)
            self._objects += (name, substitute)
