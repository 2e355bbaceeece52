"""Operations too long to be written out at each place: functions in LLVM assembly, legalized with the module.

    call { <16 x i32>, ... } @divide.v(<16 x i32> %a.0, ...)

Each is written once, with ``T(i64)`` for ``i64`` or ``<16 x i64>``, ``K(i64 5)`` for a constant in every lane,
``CTLZ`` for the intrinsic, ``WORD`` for the type of the machine's words, and ``ANY(%c)`` for "in some lane". A module gets
those it calls. Those of floats and of memory are in ``float_routines.py`` and ``memory_routines.py``; a machine lists which
it takes.
"""

from __future__ import annotations

import re

from voltac.codegen.legalize.function import Legalizer, LegalMachine, Routine, Words
from voltac.codegen.legalize.machine_facts import MachineFacts
from voltac.codegen.legalize.results import call_function
from voltac.codegen.legalize.shapes import NotLegal


def _division_steps(bits: int, before: str) -> str:
    """The quotient grows from below as the dividend leaves at the top: a step a bit, from the block ``before`` to ``done``."""
    return f"""\
step:
  %count = phi i32 [ {bits}, %{before} ], [ %less, %step ]
  %left = phi T(i{bits}) [ %a, %{before} ], [ %quotient, %step ]
  %rest = phi T(i{bits}) [ K(i{bits} 0), %{before} ], [ %remainder, %step ]
  %top = lshr T(i{bits}) %left, K(i{bits} {bits - 1})
  %over = icmp slt T(i{bits}) %rest, K(i{bits} 0)
  %twice = shl T(i{bits}) %rest, K(i{bits} 1)
  %next = or T(i{bits}) %twice, %top
  %enough = icmp uge T(i{bits}) %next, %b
  %fits = or T(i1) %enough, %over
  %reduced = sub T(i{bits}) %next, %b
  %remainder = select T(i1) %fits, T(i{bits}) %reduced, T(i{bits}) %next
  %bit = zext T(i1) %fits to T(i{bits})
  %shifted = shl T(i{bits}) %left, K(i{bits} 1)
  %quotient = or T(i{bits}) %shifted, %bit
  %less = add i32 %count, -1
  %more = icmp ne i32 %less, 0
  br i1 %more, label %step, label %done
"""


_DIVIDE = (
    """\
define internal { T(i64), T(i64) } @NAME(T(i64) %a, T(i64) %b) nounwind noinline {
entry:
  %ah = lshr T(i64) %a, K(i64 32)
  %bh = lshr T(i64) %b, K(i64 32)
  %high = or T(i64) %ah, %bh
  %wide = icmp ne T(i64) %high, K(i64 0)
  br i1 ANY(%wide), label %long, label %short
short:
  %as = trunc T(i64) %a to T(i32)
  %bs = trunc T(i64) %b to T(i32)
  %qs = udiv T(i32) %as, %bs
  %ps = mul T(i32) %qs, %bs
  %rs = sub T(i32) %as, %ps
  %qz = zext T(i32) %qs to T(i64)
  %rz = zext T(i32) %rs to T(i64)
  br label %done
long:
  br label %step
"""
    + _division_steps(64, "long")
    + """\
done:
  %q = phi T(i64) [ %qz, %short ], [ %quotient, %step ]
  %r = phi T(i64) [ %rz, %short ], [ %remainder, %step ]
  %both = insertvalue { T(i64), T(i64) } poison, T(i64) %q, 0
  %all = insertvalue { T(i64), T(i64) } %both, T(i64) %r, 1
  ret { T(i64), T(i64) } %all
}
"""
)

_DIVIDE_WORDS = (
    """\
define internal { T(i32), T(i32) } @NAME(T(i32) %a, T(i32) %b) nounwind noinline {
entry:
  br label %step
"""
    + _division_steps(32, "entry")
    + """\
done:
  %both = insertvalue { T(i32), T(i32) } poison, T(i32) %quotient, 0
  %all = insertvalue { T(i32), T(i32) } %both, T(i32) %remainder, 1
  ret { T(i32), T(i32) } %all
}
"""
)

INTEGER_ROUTINES: dict[str, Routine] = {
    "divide": Routine(_DIVIDE, ("i32",) * 4, ("i32",) * 4),
    "divide_words": Routine(_DIVIDE_WORDS, ("i32",) * 2, ("i32",) * 2),
}


def _routine_name(facts: MachineFacts, name: str, vector: bool) -> str:
    return f"{facts.prefix}{name}{'.v' if vector else ''}"


def call_routine(f: Legalizer, name: str, vector: bool, arguments: Words) -> Words:
    """A call on words."""
    routine = f.machine.routines.get(name)
    if routine is None:
        raise NotLegal(f"the operation {name}")
    w = f.write
    callee = _routine_name(f.machine.facts, name, vector)
    w.routines.add(callee)
    types = [w.word if type == "WORD" else type for type in routine.parameters]
    given = [f"{w.type(type, vector)} {argument}" for type, argument in zip(types, arguments)]
    return call_function(f, f"@{callee}", given, [w.type(type, vector) for type in routine.results])


def routine_text(machine: LegalMachine, callee: str) -> str:
    """The definition, before legalization."""
    facts = machine.facts
    vector = callee.endswith(".v")
    text = machine.routines[callee.removeprefix(facts.prefix).removesuffix(".v")].text.replace("NAME", callee)
    number = 0
    lines: list[str] = []
    for line in text.splitlines():
        if match := re.search(r"ANY\((%\w+)\)", line):
            condition = match[1]
            if vector:
                number += 1
                lines.append(f"  %bits.{number} = bitcast <{facts.lanes} x i1> {condition} to i{facts.lanes}")
                lines.append(f"  %some.{number} = icmp ne i{facts.lanes} %bits.{number}, 0")
                condition = f"%some.{number}"
            line = line.replace(match[0], condition)
        lines.append(line)
    text = "\n".join(lines).replace("WORD", facts.word) + "\n"
    text = text.replace("CTLZ", f"@llvm.ctlz.v{facts.lanes}i32" if vector else "@llvm.ctlz.i32")
    text = re.sub(r"T\((\w+)\)", lambda found: f"<{facts.lanes} x {found[1]}>" if vector else found[1], text)
    return re.sub(r"K\((\w+) ([-\w]+)\)", lambda found: f"splat ({found[1]} {found[2]})" if vector else found[2], text)
